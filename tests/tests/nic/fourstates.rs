//! Every shell with traffic in a simulator that knows the unknown, as users of Corundum's testbench
//! have: no output, ready or register that is read has an unknown bit once the reset has ended, and
//! all are what Verilator made of the same inputs.
use super::corundum::{self, card::Card, shell::BOARDS};
use super::inline::{Setup, data, fixed, prepared};
use super::netfpga;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::board::{Board, HOST, NETFPGA_SUME, WIRE};
use timely_tests::fourstate::{left_out, same};
use timely_tests::{rng, thorough};

/// Clocks in which a shell's reset has ended.
const RESET_CLOCKS: usize = 64;

/// Frames of ours and of others both ways before any flow is loaded; under `cargo xtask soak` flows
/// and a responder too.
#[test]
fn corundum_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    let board = &BOARDS[0];
    let library = corundum::library(board, false, corundum::NONE);
    let go_on = |card: &mut Card, frames: u32, clocks: u32| {
        for n in 0..frames {
            card.transmit(n, (n % 3) as u16, data(n % 3, n, FIRST | LAST, [90, 700, 1514][n as usize % 3], true));
            let at = card.clk() + 100;
            card.arrive(at, data(5, n, FIRST | LAST, 200, false), false);
            (0..clocks).for_each(|_| card.tick());
        }
        // The last frame's way.
        (0..250).for_each(|_| card.tick());
        let (sent, received, clocks) = (card.sent.len(), card.received.len(), card.dut.trace().inputs.len());
        println!("{sent} frames sent, {received} received, {clocks} clocks");
        assert!(sent >= frames as usize && received == frames as usize);
        same("corundum", &card.dut, RESET_CLOCKS);
    };
    // The block's RAMs are clear after 2^10 clocks.
    let mut card = Card::new(&library.keeping(2_500), board, rng(1));
    (0..1_200).for_each(|_| card.tick());
    go_on(&mut card, 3, 200);
    if thorough() {
        go_on(&mut corundum::passes::prepared_on(&library.keeping(12_000), board, corundum::NONE, 2, 1), 6, 400);
    }
}

/// In line: frames of ours and of others both ways before any flow is loaded; under
/// `cargo xtask soak` paced flows too, which are some 45,000 clocks away.
#[test]
fn netfpga_knows_all_of_its_outputs() {
    if left_out("nic::fourstates") {
        return;
    }
    let send = |board: &mut Board, rounds: u32| {
        for n in 0..rounds {
            let bytes = [90, 700, 1514][n as usize % 3];
            board.send(HOST, data(n % 3, n, FIRST | LAST, bytes, true), netfpga::tuser(bytes, 2, 0));
            board.send(HOST, vec![n as u8; bytes], netfpga::tuser(bytes, 2, 0));
            board.send(WIRE, data(5, n, FIRST | LAST, 200, false), netfpga::tuser(200, 1, 0));
            (0..200).for_each(|_| board.tick());
        }
    };
    let mut board = Board::new(&netfpga::sume(10).keeping(3_000), NETFPGA_SUME, rng(1));
    send(&mut board, 8);
    let (sent, risen) = (board.take(WIRE).len(), board.take(HOST).len());
    assert!(sent >= 8 && risen == 8, "{sent} frames sent, {risen} received");
    same("netfpga-sume", board.dut(), RESET_CLOCKS);
    if thorough() {
        let setup = Setup { profiles: vec![fixed(9000.0)], flows: vec![(0, 0), (1, 0)], bound: 2000, lead: 0 };
        let mut board = prepared(&netfpga::sume(10).keeping(60_000), NETFPGA_SUME, &setup, 1);
        send(&mut board, 20);
        same("netfpga-sume-paced", board.dut(), RESET_CLOCKS);
    }
}
