//! Floods of segments at line rate: a stranger's take nothing from local data, an allowed peer's
//! leave it most of the line.
use std::collections::VecDeque;
use timely_model::stream::{Beat, beats};
use timely_regs::counters::Counter;
use timely_regs::link::{ACK_TAG, wire_bytes};
use timely_regs::map::port;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Envelope, FIRST, HEADER_BYTES, Header, LAST};
use timely_sim::frame::address;
use timely_sim::nic::core::{Completion, CoreIn, RxBeat};
use timely_tests::nic::PORT;
use timely_tests::nic::{HOST, Nic, cores, counters, flow, model, spec, start};
use timely_tests::{quick, thorough};

/// Wire bytes of a line of 10 Gb/s in a clock of 4 ns.
const LINE: f64 = 5.0;
/// Clocks until the flow sends at its rate.
const WARM: u64 = 20_000;
const PEER: u16 = 9;

/// The frame of `bytes` bytes with FCS that a host at `from` sends: a whole segment, or where our
/// header has no room something else.
fn segment(from: [u8; 4], bytes: usize) -> Vec<u8> {
    let envelope = Envelope {
        mac_destination: address::mac(HOST),
        mac_source: address::mac(PEER),
        tci: None,
        addresses: Addresses::V4 { source: from, destination: address::ipv4(HOST) },
        tos: 0,
        ttl: 64,
        port_source: 5000,
        port_destination: PORT,
    };
    let header = Header { flags: FIRST | LAST, flow: 7, ..Header::default() };
    let least = envelope.class().header() + HEADER_BYTES;
    let mut frame = envelope.frame(&header, &vec![0; (bytes - 4).saturating_sub(least)]);
    frame.truncate(bytes - 4);
    frame
}

/// Frames that left after the warm-up.
struct Left {
    /// The clocks at which data frames began.
    data: Vec<u64>,
    /// Wire bytes of data frames, as a part of the line.
    share: f64,
    /// Wire bytes of ACKs, as a part of the line.
    acks: f64,
    counters: Vec<u32>,
}

/// A NIC with a flow that asks for the whole line, and `flood` over and over at the other side of
/// it; `rate` of ACKs, bytes a clock in Q8.24.
fn run(mut nic: Box<dyn Nic>, clocks: u64, flood: Option<&[u8]>, rate: Option<u32>) -> Left {
    let parameters = Parameters { outstanding_bytes: 0, ..Parameters::fixed(10_000.0) };
    start(&mut *nic, &spec(64, 10, 10.0, vec![flow(0, PEER, 1400, 1, &parameters)]));
    // Answered is 11.0.0.0/8 alone.
    nic.post_write(port::ALLOW.address(), 11);
    nic.post_write(port::ALLOW_PREFIX.address(), port::ALLOW_IPV4.mask() | 8);
    nic.post_write(port::ALLOW_PREFIX.address() + 4, 0);
    if let Some(rate) = rate {
        nic.post_write(port::ACK_RATE.address(), rate);
    }
    let begun = nic.clk();
    // The flood begins when all is set.
    let (mut free, mut next) = (0.0f64, WARM as f64 / 2.0);
    let (mut length, mut first) = (0u32, 0);
    let (mut arriving, mut completions) = (VecDeque::new(), VecDeque::new());
    let mut left = Left { data: Vec::new(), share: 0.0, acks: 0.0, counters: Vec::new() };
    while nic.clk() < begun + WARM + clocks {
        let (clk, now, pins) = (nic.clk() - begun, nic.now(), nic.output());
        let tx_ready = length > 0 || clk as f64 >= free;
        if let Some(beat) = pins.tx.filter(|_| tx_ready) {
            if length == 0 {
                first = clk;
                completions.push_back(Completion { tag: beat.tag, ts: now });
            }
            length += u32::from(beat.bytes);
            if beat.last {
                let wire = f64::from(wire_bytes(length));
                // The line is never idle for a part of a clock alone.
                free = if first as f64 - free < 1.0 { free } else { first as f64 } + wire / LINE;
                if first >= WARM && beat.tag == ACK_TAG {
                    left.acks += wire / LINE / clocks as f64;
                } else if first >= WARM {
                    left.data.push(first);
                    left.share += wire / LINE / clocks as f64;
                }
                length = 0;
            }
        }
        if let Some(frame) = flood
            && arriving.is_empty()
            && clk as f64 >= next
        {
            next += f64::from(wire_bytes(frame.len() as u32)) / LINE;
            arriving.extend(beats(frame, 64).map(|b: Beat| RxBeat { data: b.data, bytes: b.bytes, last: b.last, ts: now, bad: false }));
        }
        nic.step(&CoreIn { rx: arriving.pop_front(), tx_ready, completion: completions.pop_front(), pause: 0, ptp: None });
    }
    left.counters = counters(&mut *nic);
    left
}

/// Not one data frame leaves at another clock.
#[test]
fn a_strangers_flood_takes_nothing() {
    let clocks = if quick() { 20_000 } else { 100_000 };
    for from in [[192, 0, 2, 1], [127, 0, 0, 1], address::ipv4(HOST)] {
        let flood = segment(from, 94);
        for ((name, nic), (_, quiet)) in cores(64, 10).into_iter().zip(cores(64, 10)) {
            let (left, alone) = (run(nic, clocks, Some(&flood), None), run(quiet, clocks, None, None));
            println!("{name}, from {from:?}: data has {:.3} of the line, {:.3} without the flood", left.share, alone.share);
            assert!(alone.share > 0.98, "data alone has {:.3} of the line", alone.share);
            assert_eq!(left.data, alone.data, "{name}, from {from:?}");
            let refused = left.counters[Counter::AckRefusedPeer as usize] + left.counters[Counter::AckRefusedAddress as usize];
            assert!(refused > 500 && left.counters[Counter::AcksSent as usize] == 0, "{refused} refused");
        }
    }
}

/// Frames of every size, FCS included: local data keeps .70 of the line, ACKs have their quarter
/// and a burst at most.
#[test]
fn a_peers_flood_leaves_most_of_the_line() {
    let clocks = 100_000;
    let step = if thorough() {
        1
    } else if quick() {
        211
    } else {
        31
    };
    let burst = timely_model::ack::BURST_BYTES as f64 / LINE / clocks as f64;
    let sizes = [64, 93, 94, 95, 512, 1518].into_iter().chain((64..=1518).step_by(step));
    for bytes in sizes {
        let left = run(model(64, 10), clocks, Some(&segment([11, 0, 0, 9], bytes)), None);
        let sent = left.counters[Counter::AcksSent as usize];
        assert_eq!(sent > 0, bytes >= 94, "{sent} ACKs of frames of {bytes} bytes");
        assert!(left.share >= 0.70 && left.acks <= 0.25 + burst, "{bytes} bytes: data has {:.3}, ACKs {:.3}", left.share, left.acks);
    }
    // Without the bound: what it is there for.
    let unbound = run(model(64, 10), clocks, Some(&segment([11, 0, 0, 9], 94)), Some(u32::MAX));
    println!("without a bound ACKs take {:.3} of the line, data {:.3}", unbound.acks, unbound.share);
    assert!(unbound.share < 0.5, "data has {:.3} of the line", unbound.share);
}
