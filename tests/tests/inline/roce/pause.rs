//! Pause frames at an oversubscribed port: what queue pairs still send behind one, and when they go
//! on.
use super::alone::{HOST, PEER, request_of};
use super::network::{BUS, FLOW_BITS, mapped, prepare, put_mac};
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
use timely_tests::nic::{build, counters};
use timely_tests::{few_seeds, rng};

/// Queue pairs, at half of the line's rate each.
const PAIRS: u32 = 8;
/// Rate of the line, Gb/s.
const GBPS: f64 = 10.0;
/// Priority of the pairs.
const PRIORITY: u8 = 3;
/// 802.3's unit of a pause: 512 bits.
const QUANTA: u16 = 400;
/// Clocks of the pause: 51.2 ns each unit.
const PAUSE: u64 = QUANTA as u64 * 51_200 / CLOCK_PS as u64;

// MAC control (802.3 annex 31B, 802.1Qbb).
fn control(parameters: &[u16]) -> Vec<u8> {
    let mut frame = vec![0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08];
    parameters.iter().for_each(|w| frame.extend(w.to_be_bytes()));
    frame.resize(60, 0);
    frame
}

/// Behind the last byte of a pause frame, of all traffic or of the pairs' priority, two frames and
/// 1 us of the line leave at most, whatever the requests' length; then the line is full again.
#[test]
fn a_pause_frame_stops_what_is_decided() {
    let mut pfc = [0; 10];
    (pfc[0], pfc[1], pfc[2 + usize::from(PRIORITY)]) = (0x0101, 1 << PRIORITY, QUANTA);
    for seed in few_seeds() {
        for (what, parameters) in [("PAUSE", &[1, QUANTA][..]), ("PFC", &pfc)] {
            for payload in [16, 256, 1024, 4096] {
                let (behind, after, of) = stopped(parameters, payload, seed);
                let frame = u64::from(wire_bytes(payload as u32 + 74));
                let most = 2 * frame + (GBPS * 125.0) as u64;
                println!("{what}, seed {seed}, {payload} bytes: {behind} bytes leave behind it of {most}, then {after} of {of}");
                assert!(behind <= most, "{what}, seed {seed}, {payload} bytes: {behind} bytes leave behind it");
                // One frame is still leaving.
                assert!((after + frame) as f64 > 0.98 * of, "{what}, seed {seed}, {payload} bytes: then {after} of {of}");
            }
        }
    }
}

// Wire bytes that leave behind the pause frame, those that leave when it is over, and what the line
// carries by then.
fn stopped(parameters: &[u16], payload: usize, seed: u64) -> (u64, u64, f64) {
    let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0 * GBPS / 2.0) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, GBPS, 0);
    put_mac(&mut nic, address::mac(HOST));
    for (address, value) in [(port::PAUSE.address(), 1), (roce::PRIORITY.address(), PRIORITY.into())] {
        nic.write32(address, value).expect("a register");
    }
    for pair in 0..PAIRS {
        let done = command(&mut nic, mapped(PEER), 0x20 + pair, Some(0x10 + pair), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
    }
    let begins = nic.clk() + 30_000 + rng(seed).random_range(0..500);
    let (ends, end) = (begins + PAUSE, begins + PAUSE + 40_000);
    let clocks_a_byte = (8000.0 / GBPS / f64::from(CLOCK_PS) * 65_536.0).round() as u64;
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
            wire.extend(beats(&control(parameters), BUS as usize));
        }
        let wire_ready = free <= clk << 16;
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
        let Some(frame) = leaving.push(&w.beat) else { continue };
        let bytes = u64::from(wire_bytes(frame.len() as u32));
        free += (bytes - frame.len() as u64) * clocks_a_byte;
        // A frame has left when its last byte is on the line.
        match free >> 16 {
            left if left <= came => before += bytes,
            left if left <= ends => behind += bytes,
            _ => after += bytes,
        }
    }
    let counted = counters(&mut nic);
    let frames = [Counter::PauseFrames, Counter::PfcFrames].map(|c| counted[c as usize]);
    assert_eq!(frames, if parameters[0] == 1 { [1, 0] } else { [0, 1] }, "pause frames that are counted");
    let line = |clocks: u64| (clocks << 16) as f64 / clocks_a_byte as f64;
    assert!(before as f64 > 0.8 * line(30_000), "{before} bytes before the pause");
    (behind, after, line(end - ends))
}
