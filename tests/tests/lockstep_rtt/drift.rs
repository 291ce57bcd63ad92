//! The effect of clocks that drift apart on one-way delay variation.
use std::collections::BTreeMap;
use timely_model::bus::{Ack, Completion, ProfileWrite, Sample, Sent};
use timely_model::{Block, rtt};
use timely_regs::profile::{self, ONE_WAY_WINDOW_BITS};

use crate::world::load;

const CLOCK_NS: u64 = 4;
/// Clocks from a segment to the next.
const EVERY: u64 = 5000;
const BASE_NS: u32 = 8000;
/// The way there and back without queues, ns.
const THERE_NS: f64 = 3000.0;
const BACK_NS: f64 = 4000.0;

fn ns16(ns: f64) -> u64 {
    (ns * 65536.0).round() as u64
}

/// Sends a segment every 20 us for `ms`, whose packets meet a forward queue of `queue(ns)` and
/// their ACKs a backward one; the peer's clock is fast by `ppm`. Gives the largest amount that the
/// signal is off by, to either side, ns.
fn bias(ppm: f64, ms: u64, queue: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut block = rtt::Rtt::new(3, 5);
    let mut words = [0; profile::WORDS];
    profile::SIGNAL.set(&mut words, profile::SIGNAL_ONE_WAY).unwrap();
    profile::SIGNAL_BASE.set(&mut words, BASE_NS).unwrap();
    let set = |word: u8| Some(ProfileWrite { profile: 0, word, data: words[usize::from(word)] });
    let mut inputs: BTreeMap<u64, rtt::In> = [
        (100, rtt::In { profile: set(0), ..rtt::In::default() }),
        (101, rtt::In { profile: set(29), ..rtt::In::default() }),
        (110, rtt::In { flow: Some(load(1, true, false, 0)), ..rtt::In::default() }),
    ]
    .into();
    // 4.2 ms of windows must not begin with the run: the phase is any.
    let start = 1_234_567.0;
    let local = |clk: u64| start + (clk * CLOCK_NS) as f64;
    let peer = |ns: f64| ns16(7e9 + ns * (1.0 + ppm * 1e-6));
    let mut truth = BTreeMap::new();
    for segment in 0..ms * 1_000_000 / CLOCK_NS / EVERY {
        let clk = 1000 + u64::from(segment as u32) * EVERY;
        let sent = Sent {
            tag: (segment & 0xff) as u16,
            flow: 1,
            segment: segment as u32,
            first: true,
            last: true,
            wire_bytes: 20,
            segment_bytes: 84,
            place: segment as u16 & 31,
            generation: (segment >> 5) as u8 & 3,
            ..Sent::default()
        };
        let (left, delay) = (local(clk), queue(local(clk)));
        let arrived = left + THERE_NS + delay;
        // Up to 50 us of queue in front of the ACK, which must not show.
        let back = BACK_NS + (segment * 7919 % 50_000) as f64;
        let due = clk + ((arrived - left + back) as u64).div_ceil(CLOCK_NS);
        inputs.entry(clk).or_default().sent = Some(sent);
        inputs.entry(clk + 2).or_default().completion = Some(Completion { tag: sent.tag, ts: ns16(left) });
        let (arrival, departure) = (peer(arrived), peer(arrived + 100.0));
        let mut at = due;
        while inputs.get(&at).is_some_and(|i| i.ack.is_some()) {
            at += 1;
        }
        inputs.entry(at).or_default().ack = Some(Ack {
            flow: 1,
            place: segment as u16 & 31,
            segment: segment as u32,
            ts: ns16(local(due)),
            arrival,
            departure,
            ..Ack::default()
        });
        truth.insert(at + 4, delay);
    }
    let (mut clk, mut low, mut high, mut samples) = (0, 0f64, 0f64, 0);
    let settled = 3 << ONE_WAY_WINDOW_BITS;
    while let Some((&next, _)) = inputs.first_key_value() {
        let to = block.wake(clk).max(clk).min(next);
        clk = to;
        let mut i = if to == next { inputs.remove(&next).unwrap() } else { rtt::In::default() };
        i.now = ns16(local(clk));
        block.step(clk, &i);
        clk += 1;
        if let Some(Sample { rtt_ns, .. }) = block.output(clk).sample {
            let delay = truth.remove(&clk).expect("a sample four clocks after its ACK");
            let off = f64::from(rtt_ns) - f64::from(BASE_NS) - delay;
            if local(clk) > start + settled as f64 {
                (low, high, samples) = (low.min(off), high.max(off), samples + 1);
            }
        }
    }
    assert!(samples > 1000, "{samples} samples");
    (low, high)
}

/// The documented bound: how far two clocks come apart in two windows, and a ns for rounding.
#[test]
fn drift_biases_one_way_delay_by_a_bound() {
    let window = f64::from(1u32 << ONE_WAY_WINDOW_BITS);
    // A queue that is empty at one segment in `period` ns.
    let seldom = |period: f64| move |ns: f64| if ns.rem_euclid(period) < (EVERY * CLOCK_NS) as f64 { 0.0 } else { 30_000.0 };
    let always = |ns: f64| 20_000.0 * (ns / 500_000.0).sin().max(0.0);
    for ppm in [-200.0, -100.0, 0.0, 100.0, 200.0f64] {
        let bound = ppm.abs() * 1e-6 * 2.0 * window + 1.0;
        let often = bias(ppm, 60, always);
        let rare = bias(ppm, 120, seldom(window));
        println!(
            "drift of {ppm} parts a million: bias {:.0} to {:.0} ns where the queue is often empty, {:.0} to {:.0} ns where it is once a window; bound {bound:.0} ns",
            often.0, often.1, rare.0, rare.1
        );
        for b in [often.0, often.1, rare.0, rare.1] {
            assert!(b.abs() <= bound, "{b} ns at {ppm} parts a million; the bound is {bound}");
        }
        // The bound is tight: with a queue that is rarely empty the bias is above a third of it.
        assert!(ppm == 0.0 || rare.0.abs().max(rare.1) > bound / 3.0);
    }
}
