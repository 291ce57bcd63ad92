//! Pause frames from the wire at an oversubscribed port: what still leaves, what waits, and when it
//! goes on.
use rand::Rng;
use timely_regs::counters::Counter;
use timely_regs::map::port;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST};
use timely_sim::frame::address;
use timely_tests::bench::Bench;
use timely_tests::frames::{pause, pfc};
use timely_tests::nic::PORT;
use timely_tests::nic::{CLOCK_NS, HOST, cores, counters, flow, spec, start};
use timely_tests::rng;

const PEER: u16 = 9;
/// Bytes of payload of usual frames, 1,514 bytes long.
const USUAL: u32 = 1424;
/// Bytes of 10 Gb/s in 1 us.
const MICROSECOND: usize = 1250;
/// 51.2 us at 10 Gb/s.
const QUANTA: u16 = 1000;
/// Priority of the flows, by `timely_tests::nic::spec`.
const PRIORITY: u8 = 3;

fn segment(n: u32) -> Vec<u8> {
    let envelope = Envelope {
        mac_destination: address::mac(HOST),
        mac_source: address::mac(PEER),
        tci: None,
        addresses: Addresses::V4 { source: address::ipv4(PEER), destination: address::ipv4(HOST) },
        tos: 0,
        ttl: 64,
        port_source: 5000,
        port_destination: PORT,
    };
    envelope.frame(&Header { flags: FIRST | LAST, flow: 77, segment: n, ..Header::default() }, &[7; 200])
}

/// Bytes that may leave behind a pause frame: two frames, and 1 us of the line.
fn most(payload: u32) -> usize {
    2 * (payload as usize + 90 + 24) + MICROSECOND
}

/// Frames that leave behind a pause frame's last byte until the pause is over: data frames, bytes
/// of them on the wire, ACKs; and the clocks from its last byte to the first data frame that begins
/// after it is over.
fn behind(
    frame: &[u8],
    payload: u32,
    ack_priority: u32,
    bus: u32,
    resume: Option<&[u8]>,
    seed: u64,
) -> Vec<(&'static str, usize, usize, usize, u64)> {
    let fixed = Parameters { outstanding_bytes: 0, timeout_us: 0.0, ..Parameters::fixed(5000.0) };
    let mut all = Vec::new();
    for (name, mut nic) in cores(bus, 10) {
        // 40 Gb/s asked of the port.
        let flows = (0..8).map(|f| flow(f, PEER, payload, 1, &fixed)).collect();
        start(&mut *nic, &spec(bus, 10, 10.0, flows));
        nic.post_write(port::PAUSE.address(), ack_priority << 1 | 1);
        let mut bench = Bench::new(nic);
        let begins = bench.clk() + 30_000 + rng(seed).random_range(0..500);
        let clocks = u64::from(QUANTA) * 512 / 10 / CLOCK_NS;
        bench.arrive(begins, frame.to_vec());
        let ends = match resume {
            Some(frame) => {
                bench.arrive(begins + clocks / 2, frame.to_vec());
                begins + clocks / 2
            }
            None => begins + clocks,
        };
        (0..20).for_each(|n| bench.arrive(begins + 1000 + u64::from(n) * 100, segment(n)));
        let (mut data, mut bytes, mut acks, mut again) = (0, 0, 0, 0);
        while let Some(sent) = bench.run(ends + 20_000) {
            if sent.last <= begins + 8 {
                continue;
            }
            if sent.first > ends + 2 {
                again = sent.first - ends;
                break;
            }
            if sent.is_ack {
                acks += 1;
            } else {
                data += 1;
                bytes += sent.frame.len() + 24;
            }
        }
        // Frames by their opcodes, and the pause's time in steps of 256 clocks.
        let counted = counters(&mut *bench.nic);
        let came = 1 + u32::from(resume.is_some());
        let kinds = if frame[14] == 0 { (came, 0) } else { (0, came) };
        assert_eq!((counted[Counter::PauseFrames as usize], counted[Counter::PfcFrames as usize]), kinds, "{name}: pause frames");
        let spent = u64::from(counted[Counter::PausedTime as usize]) * 256;
        assert!((ends - begins - 512..=ends - begins + 512).contains(&spent), "{name}: paused for {spent} of {} clocks", ends - begins);
        all.push((name, data, bytes, acks, again));
    }
    all
}

/// 802.3's PAUSE stops everything, PFC the flows of its priority, and the ACKs if it is theirs; at
/// most two frames and 1 us of the line leave behind it.
#[test]
fn a_pause_frame_stops_what_is_decided() {
    for bus in [64, 512] {
        for (what, frame, payload, ack_priority, answered) in [
            ("PAUSE", pause(QUANTA), USUAL, 5, false),
            ("PFC, ACKs of another priority", pfc(PRIORITY, QUANTA), USUAL, 5, true),
            ("PFC, ACKs of this priority", pfc(PRIORITY, QUANTA), USUAL, PRIORITY.into(), false),
            ("PFC, frames of 91 bytes", pfc(PRIORITY, QUANTA), 1, 5, true),
            ("PFC, frames of 9,014 bytes", pfc(PRIORITY, QUANTA), 8924, 5, true),
        ] {
            for (name, data, bytes, acks, again) in behind(&frame, payload, ack_priority, bus, None, 1) {
                println!(
                    "{what}, {name}, {bus} bits: {data} frames, {bytes} bytes and {acks} ACKs leave; it goes on {again} clocks after the end"
                );
                assert!(bytes <= most(payload), "{what}, {name}, {bus} bits: {bytes} bytes of {data} frames leave");
                assert_eq!(acks, if answered { 20 } else { 0 }, "{what}, {name}, {bus} bits: ACKs");
                assert!((1..500).contains(&again), "{what}, {name}, {bus} bits: it goes on {again} clocks later");
            }
        }
    }
}

/// Time 0 ends a pause, and a priority that no flow has stops none.
#[test]
fn time_0_resumes_and_other_priorities_go_on() {
    for (frame, zero) in [(pause(QUANTA), pause(0)), (pfc(PRIORITY, QUANTA), pfc(PRIORITY, 0))] {
        for (name, _, bytes, _, again) in behind(&frame, USUAL, 5, 64, Some(&zero), 2) {
            assert!(bytes <= most(USUAL) && (1..500).contains(&again), "{name}: {bytes} bytes, {again} clocks");
        }
    }
    for (name, data, _, acks, _) in behind(&pfc(PRIORITY + 1, QUANTA), USUAL, 5, 64, None, 3) {
        assert!(data > 20 && acks == 20, "{name}: {data} frames and {acks} ACKs while another priority is paused");
    }
}
