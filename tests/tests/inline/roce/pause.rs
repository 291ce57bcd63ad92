//! Pause frames at an oversubscribed port: what queue pairs still send behind one, and when they go
//! on.
use super::alone::{HOST, PEER, request_of};
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::table::command;
use rand::Rng;
use std::collections::VecDeque;
use timely_hw::config::CLOCK_PS;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, beats};
use timely_regs::counters::Counter;
use timely_regs::link::wire_bytes;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::opcode;
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::frames::{pause, pfc};
use timely_tests::nic::{build, counters};
use timely_tests::{few_seeds, rng};

/// Queue pairs, at half of the line's rate each.
const PAIRS: u32 = 8;
/// Priority of the pairs.
const PRIORITY: u8 = 3;
/// Length of the pause, in 802.3's unit.
const QUANTA: u16 = 400;
/// Clocks of the line's bytes that may wait for the wire beside a packet
/// (`timely_model::inline::credit::CLOCKS`), and those that the pause takes to act.
const AHEAD: f64 = 64.0 + 16.0;

/// Behind the last byte of a pause frame, of all traffic or of the pairs' priority, two frames and
/// 80 clocks (320 ns) of the line leave at most, whatever the requests' length; then the line is
/// full again.
#[test]
fn a_pause_frame_stops_what_is_decided() {
    for seed in few_seeds() {
        for (what, frame) in [("PAUSE", pause(QUANTA)), ("PFC", pfc(PRIORITY, QUANTA))] {
            for (gbps, payload) in [10.0, 100.0].into_iter().flat_map(|g| [16, 256, 1024, 4096].map(|p| (g, p))) {
                let (behind, after, of) = stopped(gbps, &frame, payload, seed);
                let bytes = u64::from(wire_bytes(payload as u32 + 74));
                let most = 2 * bytes + (gbps * AHEAD * f64::from(CLOCK_PS) / 8000.0) as u64;
                let case = format!("{what}, {gbps} Gb/s, seed {seed}, {payload} bytes");
                println!("{case}: {behind} bytes leave behind it of {most}, then {after} of {of:.0}");
                assert!(behind <= most, "{case}: {behind} bytes leave behind it");
                // One frame is still leaving.
                assert!((after + bytes) as f64 > 0.96 * of, "{case}: then {after} of {of}");
            }
        }
    }
}

// Wire bytes that leave behind the pause frame, those that leave when it is over, and what the line
// carries by then.
fn stopped(gbps: f64, frame: &[u8], payload: usize, seed: u64) -> (u64, u64, f64) {
    let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0 * gbps / 2.0) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, gbps, 0);
    put_mac(&mut nic, address::mac(HOST));
    for (address, value) in [(port::PAUSE.address(), 1), (roce::PRIORITY.address(), PRIORITY.into())] {
        nic.write32(address, value).expect("a register");
    }
    for pair in 0..PAIRS {
        let done = command(&mut nic, mapped(PEER), 0x20 + pair, Some(0x10 + pair), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
    }
    let begins = nic.clk() + 30_000 + rng(seed).random_range(0..500);
    // 802.3's unit is 512 bits.
    let ends = begins + (f64::from(QUANTA) * 512e3 / gbps / f64::from(CLOCK_PS)) as u64;
    let end = ends + 40_000;
    let clocks_a_byte = (8000.0 / gbps / f64::from(CLOCK_PS) * 65_536.0).round() as u64;
    let (mut host, mut wire, mut leaving) = (VecDeque::new(), VecDeque::new(), Assembler::default());
    let (mut n, mut free, mut came) = (0, 0, u64::MAX);
    let (mut before, mut behind, mut after) = (0, 0, 0);
    while nic.clk() < end {
        let clk = nic.clk();
        if host.is_empty() {
            host.extend(beats(&request_of(0x20 + n % PAIRS, opcode::WRITE_ONLY, n / PAIRS, payload), BUS as usize));
            n += 1;
        }
        if clk == begins {
            wire.extend(beats(frame, BUS as usize));
        }
        // A beat may begin within the clock in which the line comes free.
        let wire_ready = free < (clk + 1) << 16;
        let beat = |q: &VecDeque<_>| q.front().map(|b| (*b, 0));
        let out = nic.drive(In { host: beat(&host), host_ready: true, wire: beat(&wire), wire_ready, ..In::default() });
        if out.host_ready {
            host.pop_front();
        }
        if out.wire_taken && wire.pop_front().is_some() && wire.is_empty() {
            came = clk;
        }
        let Some(w) = out.wire.filter(|_| wire_ready) else { continue };
        free = free.max(clk << 16) + u64::from(w.beat.bytes) * clocks_a_byte;
        let Some(sent) = leaving.push(&w.beat) else { continue };
        let bytes = u64::from(wire_bytes(sent.len() as u32));
        free += (bytes - sent.len() as u64) * clocks_a_byte;
        // A frame has left when its last byte is on the line.
        match free >> 16 {
            left if left <= came => before += bytes,
            left if left <= ends => behind += bytes,
            _ => after += bytes,
        }
    }
    let counted = counters(&mut nic);
    let frames = [Counter::PauseFrames, Counter::PfcFrames].map(|c| counted[c as usize]);
    assert_eq!(frames, if frame[14] == 0 { [1, 0] } else { [0, 1] }, "pause frames that are counted");
    let line = |clocks: u64| (clocks << 16) as f64 / clocks_a_byte as f64;
    assert!(before as f64 > 0.8 * line(30_000), "{before} bytes before the pause");
    (behind, after, line(end - ends))
}
