//! The clocks behind a shell's reset: the blocks' own reset ends behind it, and no beat that is
//! taken by then is lost.
use super::corundum::card::Card;
use super::corundum::shell::{BOARDS, fitted};
use super::inline::{data, left_out};
use super::{corundum, netfpga, opennic, taxi};
use timely_hw::shells::Shell;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::board::{Board, HOST, NETFPGA_PLUS, NETFPGA_SUME, OPENNIC, WIRE};
use timely_tests::rng;

/// Frames out of a queue, towards the MAC and from it, and a completion, all of which stand at the
/// block's inputs in the first clock.
#[test]
fn corundum_loses_no_beat_behind_its_reset() {
    if left_out("nic::first_clocks") {
        return;
    }
    for board in &fitted(&BOARDS) {
        let library = corundum::library(board, false, corundum::NONE);
        let mut card = Card::new(&library, board, rng(1)).beside_model(board, false);
        let frames = [0, 1, 2].map(|n| data(n, n, FIRST | LAST, 700, true));
        card.transmit(0, 0, frames[0].clone());
        card.emerge(0, 1, frames[1].clone());
        card.arrive(0, frames[2].clone(), false);
        card.depart(7);
        (0..800).for_each(|_| card.tick());
        let (mut sent, received): (Vec<_>, Vec<_>) =
            (card.sent.iter().map(|f| f.bytes.clone()).collect(), card.received.iter().map(|f| f.bytes.clone()).collect());
        // The one that was out of its queue already has no place.
        assert!(sent.len() == 2 && sent.remove(0) == frames[1], "{} bits: {} frames at the MAC", board.bus, card.sent.len());
        assert!(received == [frames[2].clone()], "{} bits: from the MAC", board.bus);
        assert_eq!(card.completed, card.stamped, "{} bits", board.bus);
        assert_eq!(card.completed.len(), 3, "{} bits", board.bus);
    }
}

// Frames from the host and from the wire at the clock in which the box says that its reset is over.
fn crosses(name: &str, board: &mut Board, beside: impl Fn(usize, usize) -> u128) {
    let frames: [Vec<u8>; 2] = [HOST, WIRE].map(|from| vec![from as u8 + 1; 700]);
    for from in [HOST, WIRE] {
        board.send(from, frames[from].clone(), beside(from, 700));
    }
    (0..400).for_each(|_| board.tick());
    for (from, to) in [(HOST, WIRE), (WIRE, HOST)] {
        let out: Vec<Vec<u8>> = board.take(to).into_iter().map(|f| f.bytes).collect();
        assert!(out == [frames[from].clone()], "{name}: {} frames, of {:?} bytes", out.len(), out.first().map(Vec::len));
    }
}

#[test]
fn opennic_loses_no_beat_behind_its_reset() {
    for nic in opennic::nics() {
        let mut board = Board::new(nic.library(), OPENNIC, rng(1));
        crosses("opennic", &mut board, |from, bytes| opennic::beside(bytes, if from == HOST { 1 } else { 0x40 }));
    }
}

#[test]
fn netfpga_loses_no_beat_behind_its_reset() {
    if left_out("nic::first_clocks") {
        return;
    }
    for (shell, flow_bits, shape) in [(Shell::NetFpgaSume, 10, NETFPGA_SUME), (Shell::NetFpgaPlus, 13, NETFPGA_PLUS)] {
        let mut board = Board::new(netfpga::library(shell, flow_bits), shape, rng(1));
        crosses(&shell.to_string(), &mut board, |from, bytes| netfpga::tuser(bytes, if from == HOST { 2 } else { 1 }, 0));
    }
}

/// Frames at the NIC core's side wait; frames of the MAC, which does not, are lost whole or
/// come whole, and none is lost behind one that came.
#[test]
fn taxi_loses_no_beat_behind_its_reset() {
    if left_out("nic::first_clocks") {
        return;
    }
    for nic in taxi::nics() {
        let mut board = Board::new(nic.library(), nic.shape, rng(1));
        let arrivals = |n: u8| vec![n; 300 + usize::from(n)];
        board.send(HOST, arrivals(0), 7);
        (1..60).for_each(|n| board.send(WIRE, arrivals(n), 0));
        (0..4000).for_each(|_| board.tick());
        let [sent, risen] = [WIRE, HOST].map(|to| board.take(to).into_iter().map(|f| f.bytes).collect::<Vec<_>>());
        assert!(sent == [arrivals(0)], "{} bits: {} frames at the MAC", nic.shape.bits, sent.len());
        let first = risen.first().map_or(60, |f| f[0]);
        println!("taxi, {} bits: the reset takes {} frames of the MAC's", nic.shape.bits, first - 1);
        assert!(first > 1 && first < 60, "{} bits: the first that comes is frame {first}", nic.shape.bits);
        let whole: Vec<Vec<u8>> = (first..60).map(arrivals).collect();
        let told = risen.iter().map(|f| (f[0], f.len())).collect::<Vec<_>>();
        assert!(risen == whole, "{} bits: number and length of frames of 300 bytes and their number: {told:?}", nic.shape.bits);

        // A reset while frames go both ways and the MAC runs: the frame at the MAC ends as a bad
        // one, frames in the queues are lost, those behind are whole.
        board.send(HOST, vec![0; 9000], 7);
        (60..120).for_each(|n| board.send(WIRE, arrivals(n), 0));
        while nic.told(&board, "tx_tvalid") == 0 {
            board.tick();
            assert!(board.clk() < 9000, "{} bits: no frame leaves", nic.shape.bits);
        }
        (0..40).for_each(|_| board.tick());
        board.reset(20);
        board.send(HOST, arrivals(1), 7);
        (0..8000).for_each(|_| board.tick());
        let [sent, risen] = [WIRE, HOST].map(|to| board.take(to).into_iter().map(|f| f.bytes).collect::<Vec<_>>());
        let told = ["spoilt", "gaps"].map(|what| nic.told(&board, what));
        let lengths = sent.iter().map(Vec::len).collect::<Vec<_>>();
        println!("taxi, {} bits: {lengths:?} bytes at the MAC, {} bad, {} frames from it", nic.shape.bits, told[0], risen.len());
        assert!(lengths.len() == 2 && lengths[0] < 9000 && sent[1] == arrivals(1) && told[0] == 1, "{} bits: {lengths:?}", nic.shape.bits);
        let whole = |f: &Vec<u8>| *f == arrivals(f[0]);
        assert!(risen.len() > 20 && risen.len() < 60, "{} bits: {} of 60 frames", nic.shape.bits, risen.len());
        assert_eq!(risen.iter().find(|f| !whole(f)).map(|f| (f[0], f.len())), None, "{} bits: number and length", nic.shape.bits);
    }
}
