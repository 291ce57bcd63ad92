//! Every shell with traffic in a simulator that knows the unknown, as users of Corundum's testbench
//! have: no output, ready or register that is read has an unknown bit once the reset has ended, and
//! all are what Verilator made of the same inputs.
use super::corundum::card::Card;
use super::corundum::launches::launched;
use super::corundum::shell::{self, BOARDS, fitted, streaming};
use super::inline::{OWN, OWN_MAC, Setup, data, fixed, prepared};
use super::{corundum, ecpix5, netfpga, opennic, taxi};
use timely_hw::shells::Shell;
use timely_regs::map::port;
use timely_regs::serial;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::board::{Board, HOST, NETFPGA_PLUS, NETFPGA_SUME, OPENNIC, Shape, WIRE};
use timely_tests::fourstate::{left_out, same};
use timely_tests::nic::PORT;
use timely_tests::{left_to_soak, rng, thorough};

/// Clocks in which a shell's reset has ended.
const RESET_CLOCKS: usize = 64;

/// Clocks of the ordinary run's recording of a block of 64 bits; Icarus takes 10 to 20 ms of a
/// processor for each.
const CLOCKS: u32 = 2_500;
/// Edges of ECPIX-5's clocks by which all of its resets have ended, and those of a recording, in
/// which are some five for each of the core's.
const ECPIX5_RESET_EDGES: usize = 200;
const ECPIX5_EDGES: usize = 40_000;

/// Clocks after which the RAMs of a block with `2^flow_bits` flows are clear.
const fn swept(flow_bits: usize) -> u32 {
    (1 << flow_bits) + 200
}

/// Has `frames` frames of ours and of others pass both ways, and runs all clocks of the card in
/// four states.
fn exchanged(name: &str, card: &mut Card, frames: u32, clocks: u32) {
    for n in 0..frames {
        card.transmit(n, (n % 3) as u16, data(n % 3, n, FIRST | LAST, [90, 700, 1514][n as usize % 3], true));
        let at = card.clk() + 100;
        card.arrive(at, data(5, n, FIRST | LAST, 200, false), false);
        (0..clocks).for_each(|_| card.tick());
    }
    // The last frame's way.
    (0..250).for_each(|_| card.tick());
    let (sent, received, clocks) = (card.sent.len(), card.received.len(), card.dut.trace().inputs.len());
    println!("{name}: {sent} frames sent, {received} received, {clocks} clocks");
    assert!(sent >= frames as usize && received == frames as usize, "{name}");
    same(name, &card.dut, RESET_CLOCKS);
}

/// Registers written and read, and frames of ours and of others both ways, before any flow is
/// loaded; under `cargo xtask soak` flows and a responder too.
#[test]
fn corundum_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    let board = &BOARDS[0];
    let library = corundum::library(board, false, corundum::NONE);
    let mut card = Card::new(&library.keeping(CLOCKS as usize), board, rng(1));
    (0..swept(board.flow_bits)).for_each(|_| card.tick());
    corundum::passes::with(&mut card, |d| {
        d.write(&port::UDP_PORT, 0x1234).expect("a register");
        assert_eq!(d.read(&port::UDP_PORT).expect("a register"), 0x1234);
    });
    exchanged("corundum", &mut card, 3, 200);
    if thorough() {
        exchanged("corundum-flows", &mut corundum::passes::prepared_on(&library.keeping(12_000), board, corundum::NONE, 2, 1), 6, 400);
    }
}

/// The wider buses, under `cargo xtask soak`. Frames pass while the RAMs of 2^13 flows are still
/// being cleared, and behind that.
#[test]
fn corundum_knows_all_of_its_outputs_on_wider_buses() {
    if left_to_soak("nic::fourstates: Corundum's wider buses") || left_out("nic::fourstates") {
        return;
    }
    for board in fitted(&BOARDS).iter().filter(|b| b.bus != 64) {
        let library = corundum::library(board, false, corundum::NONE);
        let name = format!("corundum-{}-{}", board.bus, board.flow_bits);
        exchanged(&name, &mut Card::new(&library.keeping(1_000), board, rng(1)), 3, 150);
        let mut card = Card::new(&library.keeping((swept(board.flow_bits) + 1_500) as usize), board, rng(1));
        (0..swept(board.flow_bits)).for_each(|_| card.tick());
        exchanged(&format!("{name}-swept"), &mut card, 3, 200);
    }
}

/// The form with streams: packets leave on their launches, and requests find no packet among them.
#[test]
fn corundum_with_streams_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    for board in &streaming() {
        let library = corundum::library(board, true, corundum::NONE);
        let name = format!("corundum-{}-{}-streams", board.bus, board.flow_bits);
        let (wait, packets) = (swept(board.flow_bits), if thorough() { 12 } else { 3 });
        let mut card = Card::new(&library.keeping(wait as usize + 2_200 + 400 * packets), board, rng(1));
        let (least, most) = launched(&mut card, true, packets, wait.into(), rng(1));
        println!("{name}: {packets} packets leave {least} to {most} clocks behind their launches");
        assert!(most - least <= 2, "{name}: {least} to {most} clocks");
        // What was asked for last waits for its launch in front of it.
        exchanged(&name, &mut card, 1, 800);
    }
}

/// The form with a generator, under `cargo xtask soak`: frames of the host's pass among its RAMs,
/// and one of its flows sends.
#[test]
fn corundum_with_a_generator_knows_all_of_its_outputs() {
    if left_to_soak("nic::fourstates: Corundum with a generator") || left_out("nic::fourstates") {
        return;
    }
    for board in shell::generating() {
        let library = corundum::library(&board, false, corundum::GENERATOR);
        let name = format!("corundum-{}-{}-generator", board.bus, board.flow_bits);
        exchanged(&name, &mut Card::new(&library.keeping(1_100), &board, rng(1)), 3, 200);
        let mut card = corundum::generates::generating_on(&library.keeping(60_000), &board);
        while card.sent.len() < 6 {
            card.tick();
            assert!(card.clk() < 100_000, "{name}: {} frames of the generator's", card.sent.len());
        }
        exchanged(&format!("{name}-sends"), &mut card, 3, 200);
    }
}

/// Has a NetFPGA's `board` send and receive `rounds` frames of ours and of others.
fn crossed(board: &mut Board, rounds: u32, clocks: u32) {
    for n in 0..rounds {
        let bytes = [90, 700, 1514][n as usize % 3];
        board.send(HOST, data(n % 3, n, FIRST | LAST, bytes, true), netfpga::tuser(bytes, 2, 0));
        board.send(HOST, vec![n as u8; bytes], netfpga::tuser(bytes, 2, 0));
        board.send(WIRE, data(5, n, FIRST | LAST, 200, false), netfpga::tuser(200, 1, 0));
        (0..clocks).for_each(|_| board.tick());
    }
}

/// An in-line shell: frames of ours and of others both ways in `rounds`, `clocks` apart, before any
/// flow is loaded, with `kept` clocks recorded; under `cargo xtask soak` paced flows too, some
/// 45,000 clocks away.
fn in_line(shell: Shell, flow_bits: usize, shape: Shape, kept: usize, rounds: u32, clocks: u32) {
    if left_out("nic::fourstates") {
        return;
    }
    let library = netfpga::library(shell, flow_bits);
    let mut board = Board::new(&library.keeping(kept), shape, rng(1));
    crossed(&mut board, rounds, clocks);
    (0..150).for_each(|_| board.tick());
    let (sent, risen) = (board.take(WIRE).len(), board.take(HOST).len());
    assert!(sent >= rounds as usize && risen == rounds as usize, "{shell}: {sent} frames sent, {risen} received");
    same(&shell.to_string(), board.dut(), RESET_CLOCKS);
    if thorough() {
        let setup = Setup { profiles: vec![fixed(9000.0)], flows: vec![(0, 0), (1, 0)], bound: 2000, lead: 0 };
        let mut board = prepared(&library.keeping(60_000), shape, &setup, 1);
        crossed(&mut board, 20, clocks);
        same(&format!("{shell}-paced"), board.dut(), RESET_CLOCKS);
    }
}

#[test]
fn netfpga_sume_knows_all_of_its_outputs() {
    in_line(Shell::NetFpgaSume, 10, NETFPGA_SUME, 3_000, 8, 200);
}

#[test]
fn netfpga_plus_knows_all_of_its_outputs() {
    in_line(Shell::NetFpgaPlus, 13, NETFPGA_PLUS, 1_000, 5, 100);
}

/// OpenNIC's box, as that of a NetFPGA.
#[test]
fn opennic_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    let send = |board: &mut Board, rounds: u32| {
        for n in 0..rounds {
            let bytes = [90, 700, 1514][n as usize % 3];
            board.send(HOST, data(n % 3, n, FIRST | LAST, bytes, true), opennic::beside(bytes, 1));
            board.send(HOST, vec![n as u8; bytes], opennic::beside(bytes, 1));
            board.send(WIRE, data(5, n, FIRST | LAST, 200, false), opennic::beside(200, 0x40));
            (0..100).for_each(|_| board.tick());
        }
    };
    for nic in opennic::nics() {
        let mut board = Board::new(&nic.library().keeping(1_000), OPENNIC, rng(1));
        send(&mut board, 5);
        (0..200).for_each(|_| board.tick());
        let (sent, risen) = (board.take(WIRE).len(), board.take(HOST).len());
        println!("opennic-{}: {sent} frames sent, {risen} received, {} clocks", nic.flow_bits, board.dut().trace().inputs.len());
        assert!(sent >= 5 && risen == 5, "{sent} frames sent, {risen} received");
        same(&format!("opennic-{}", nic.flow_bits), board.dut(), RESET_CLOCKS);
    }
}

/// Clocks in which the resets behind taxi's adapter have ended.
const TAXI_RESET_CLOCKS: usize = 180;

/// taxi's adapter, on one clock and around a stub of its core, with registers read between frames
/// of every kind: past the core, paced, of its own; under `cargo xtask soak` around the core too.
#[test]
fn taxi_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    for core in [false, true].into_iter().filter(|core| !core || thorough()) {
        let name = if core { "taxi-core" } else { "taxi" };
        let mut board = Board::new(&taxi::Nic::adapter(core).keeping(4_000), taxi::ADAPTER, rng(1));
        (0..if core { swept(10) } else { 200 }).for_each(|_| board.tick());
        for n in 0..12 {
            let bytes = [90, 700, 1514][n as usize % 3];
            board.send(HOST, data(n % 3, n, FIRST | LAST, bytes, true), n.into());
            board.send(WIRE, data(5, n, FIRST | LAST, 200 + n as usize, false), u128::from(n % 5 == 4));
            (0..100).for_each(|_| board.tick());
            board.read(if core { 0 } else { 16 * n }).expect("a register");
        }
        (0..400).for_each(|_| board.tick());
        let (sent, risen) = (board.take(WIRE).len(), board.take(HOST).len());
        println!("{name}: {sent} frames sent, {risen} received, {} clocks", board.dut().trace().inputs.len());
        assert!(sent >= if core { 8 } else { 12 } && risen == 10, "{name}: {sent} frames sent, {risen} received");
        same(name, board.dut(), TAXI_RESET_CLOCKS);
    }
}

/// The three clocks of ECPIX-5: registers over the serial line, and a segment from the wire; under
/// `cargo xtask soak` the segment is answered, and a flow of the generator's sends, too.
#[test]
fn ecpix5_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    let library = ecpix5::library();
    let mut board = ecpix5::Board::new(&library.keeping(ECPIX5_EDGES), 100);
    // One register after the other, as software would but for what it reads on the way: an access
    // takes some 3,700 edges. Where a segment is not to be answered, one of them will do.
    let settings = [
        (port::MAC_LOW.address(), u32::from_le_bytes([OWN_MAC[0], OWN_MAC[1], OWN_MAC[2], OWN_MAC[3]])),
        (port::MAC_HIGH.address(), u32::from_le_bytes([OWN_MAC[4], OWN_MAC[5], 0, 0])),
        (port::IPV4.address(), u32::from_le_bytes(OWN)),
        (port::UDP_PORT.address(), PORT.into()),
        (port::ALLOW_PREFIX.address(), port::ALLOW_IPV4.mask()),
        (port::ACK_ENABLE.address(), 1),
    ];
    let answers = thorough();
    for (address, value) in settings.into_iter().filter(|s| answers || s.0 == port::UDP_PORT.address()) {
        board.access(serial::WRITE, address, value).expect("a register");
    }
    assert_eq!(board.access(serial::READ, port::UDP_PORT.address(), 0), Ok(PORT.into()));
    board.send(&data(1, 1, FIRST | LAST, 90, false), false);
    board.run(if answers { 5_000_000 } else { 3_000_000 });
    println!("ecpix5: {} frames leave in {} edges of its clocks", board.seen.len(), board.dut.trace().inputs.len());
    assert!(board.seen.len() == usize::from(answers) && board.seen.iter().all(ecpix5::Seen::whole), "{} frames", board.seen.len());
    same("ecpix5", &board.dut, ECPIX5_RESET_EDGES);
    if thorough() {
        let mut board = ecpix5::prepared_on(&library.keeping(20 * ECPIX5_EDGES), 100, &fixed(500.0));
        ecpix5::with(&mut board, |d| d.doorbell(0, 8).expect("a doorbell"));
        board.send(&data(1, 1, FIRST | LAST, 90, false), false);
        board.run(60_000_000);
        let (frames, edges) = (board.seen.len(), board.dut.trace().inputs.len());
        println!("ecpix5: {frames} frames leave in {edges} edges of its clocks");
        assert!(frames >= 2 && board.seen.iter().all(ecpix5::Seen::whole), "{frames} frames");
        same("ecpix5-sends", &board.dut, ECPIX5_RESET_EDGES);
    }
}
