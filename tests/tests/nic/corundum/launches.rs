//! The form with streams: packets that come late by more or less leave on their launches.
use super::super::inline::{data, left_out};
use super::card::Card;
use super::passes::with;
use super::shell::{BOARDS, streaming};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_regs::corundum::{UP, UP_BITS};
use timely_regs::map::port;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::nic::CLOCK_NS;
use timely_tests::{few_seeds, rng};

/// Clocks by which a request is ahead of its launch, between two launches, and that a packet takes
/// from its request on.
const LEAD: u64 = 600;
const PERIOD: u64 = 320;
const ON_THE_WAY: std::ops::Range<u64> = 100..400;

/// Packets of a run.
const PACKETS: usize = 200;

/// `LEAD` after reset, ns.
const LEAD_NS: u64 = 8000;

/// The bus with these parts.
fn bus(parts: &[(&str, u64)]) -> Vec<u8> {
    let mut bits = vec![0u8; UP_BITS.div_ceil(8)];
    for (name, value) in parts {
        let (_, low, width) = UP.iter().find(|p| p.0 == *name).unwrap_or_else(|| panic!("no part {name}"));
        for bit in (0..*width).filter(|b| value >> b & 1 == 1) {
            bits[(low + bit) / 8] |= 1 << ((low + bit) % 8);
        }
    }
    bits
}

/// Has requests find `packets` packets, each in its `LEAD`, every tenth none, from `wait` clocks
/// on; returns how far packets leave from their launches, clocks: at least and at most.
pub fn launched(card: &mut Card, paced: bool, packets: usize, wait: u64, mut rng: ChaCha8Rng) -> (i64, i64) {
    let start = card.clk() + wait;
    let (mut launches, mut voids, mut made, mut latest) = (VecDeque::new(), VecDeque::new(), 0u32, 0);
    let (mut least, mut most, mut left) = (i64::MAX, i64::MIN, 0);
    while left < packets {
        let clk = card.clk();
        let mut parts = vec![("swept", 1)];
        let launch = start + u64::from(made) * PERIOD + LEAD;
        // A tag is used again as soon as its packet has left.
        let tag = u64::from(made % 8);
        if clk >= launch - LEAD {
            let time = card.later().wrapping_sub(LEAD_NS << 16).wrapping_add(((launch - clk + 1) * CLOCK_NS) << 16);
            parts.extend([("launch_valid", 1), ("launch_tag", tag), ("launch_paced", paced.into()), ("launch_time", time)]);
            if made % 10 == 3 {
                voids.push_back((clk + rng.random_range(5..60), tag));
            } else {
                latest = latest.max(clk + rng.random_range(ON_THE_WAY));
                card.emerge(latest, made, data(5, made, FIRST | LAST, 1514, true));
                launches.push_back(launch);
            }
            made += 1;
        }
        if let Some((_, tag)) = voids.pop_front_if(|v| v.0 <= clk) {
            parts.extend([("void_valid", 1), ("void_tag", tag)]);
        }
        card.up = bus(&parts);
        card.tick();
        for f in std::mem::take(&mut card.sent) {
            let launch: u64 = launches.pop_front().expect("a packet that was not asked for");
            let off = f.clocks.0 as i64 - launch as i64;
            (least, most, left) = (least.min(off), most.max(off), left + 1);
        }
    }
    (least, most)
}

/// A pause of priorities goes to the scheduler by stream, for as long as it was asked for.
#[test]
fn a_pause_goes_by_stream() {
    if left_out("nic::corundum") {
        return;
    }
    let board = &BOARDS[0];
    let mut card = Card::new(&super::library(board, true, super::NONE), board, rng(1)).beside_model(board, true);
    with(&mut card, |d| {
        d.write(&port::PAUSE, 1).expect("a register");
        // 5 bytes a clock: 10 Gb/s.
        d.write(&port::LINE_RATE, 5 << 24).expect("a register");
    });
    // Of priorities 3 and 5, 40 times the time of 512 bits: 512 clocks.
    let mut frame = vec![1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 8, 1, 1, 0, 0b0010_1000];
    (0..8).for_each(|_| frame.extend([0, 40]));
    frame.resize(60, 0);
    card.arrive(card.clk() + 10, frame, false);
    let (mut paused, from) = (0, card.clk());
    while card.clk() < from + 2000 {
        card.tick();
        let pause = card.below("pause");
        assert!([0, 0b0010_1000].contains(&pause), "{pause:#b}");
        paused += u32::from(pause != 0);
    }
    println!("{paused} clocks");
    assert!((500..530).contains(&paused), "{paused} clocks");
}

#[test]
fn packets_leave_on_their_launches() {
    if left_out("nic::corundum") {
        return;
    }
    for board in &streaming() {
        for seed in few_seeds() {
            for paced in [true, false] {
                let mut card = Card::new(&super::library(board, true, super::NONE), board, rng(seed)).beside_model(board, true);
                let (least, most) = launched(&mut card, paced, PACKETS, 3000, rng(seed));
                println!("{} bits, gate {paced}: {PACKETS} packets leave {least} to {most} clocks behind their launches", board.bus);
                // A constant delay is not an error.
                assert!(!paced || most - least <= 2 && least >= 0 && most <= 12, "{least} to {most} clocks");
                assert!(paced || most - least > 100, "{least} to {most} clocks: nothing was late");
            }
        }
    }
}
