//! The clocks behind a shell's reset: the blocks' own reset ends behind it, and no beat that is
//! taken by then is lost.
use super::corundum::card::Card;
use super::corundum::shell::{BOARDS, fitted};
use super::inline::{data, left_out};
use super::{corundum, netfpga, opennic};
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
