//! Frames from the MAC that mean harm: none stalls the application block or is lost in it, and each
//! is counted.
use super::super::inline::{OWN_MAC, data, is_ack, left_out};
use super::passes::{prepared, with};
use super::shell::widest;
use rand::Rng;
use std::collections::VecDeque;
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::bench::answer;
use timely_tests::frames::{COUNTED, counter, hostile};
use timely_tests::nic::PORT;
use timely_tests::{cycles, few_seeds, rng};

/// As many bad frames as the MAC gives between a flow's ACKs: each is counted by the wire format's
/// rules and reaches the core as it came, in its order, while the flow's segments leave and have a
/// sample each.
#[test]
fn bad_frames_are_counted_and_stall_nothing() {
    if left_out("nic::corundum") {
        return;
    }
    for board in widest() {
        for seed in few_seeds() {
            let mut card = prepared(&board, 1, seed);
            let mut rng = rng(seed ^ 5);
            let (mut expected, mut up, mut due) = ([0u32; COUNTERS], VecDeque::new(), VecDeque::new());
            let (mut segments, mut acks) = (0, 0);
            let end = card.clk() + cycles() / 10;
            while card.clk() < end + 2000 {
                let open = card.clk() < end;
                if open && card.on_their_way() < 2 {
                    card.transmit(segments, 0, data(0, segments, FIRST | LAST, 1514, true));
                    segments += 1;
                }
                let arrives = if card.arriving() > 0 {
                    None
                } else if due.front().is_some_and(|d: &(u64, Vec<u8>)| d.0 <= card.clk()) {
                    acks += 1;
                    due.pop_front().map(|d| (d.1, false))
                } else {
                    open.then(|| (hostile(&mut rng, OWN_MAC, PORT), rng.random_bool(0.1)))
                };
                if let Some((frame, bad)) = arrives {
                    expected[counter(&frame, bad, PORT) as usize] += 1;
                    up.push_back((frame.clone(), bad));
                    card.arrive(card.clk(), frame, bad);
                }
                card.tick();
                for f in std::mem::take(&mut card.sent) {
                    if !is_ack(&f.bytes) {
                        due.push_back((f.clocks.0 + 300, answer(&f.bytes, 0, 0)));
                    }
                }
                for f in std::mem::take(&mut card.received) {
                    let (bytes, bad) = up.pop_front().expect("a frame that did not arrive");
                    assert!(bytes == f.bytes && f.user & 1 == u128::from(bad), "a received frame is another, {board:?}, seed {seed}");
                }
            }
            let (counted, record) = with(&mut card, |d| {
                let record = TelemetryRecord::from_words(&d.query_flow(0).expect("an answer"));
                (d.counters().expect("counters"), record)
            });
            println!("{board:?}, seed {seed}: {:?}; {} samples of {acks} ACKs", COUNTED.map(|c| (c, counted[c as usize])), record.samples);
            for kind in COUNTED {
                assert_eq!(counted[kind as usize], expected[kind as usize], "{kind:?}, {board:?}, seed {seed}");
                assert!(u64::from(counted[kind as usize]) > cycles() / 20_000, "few {kind:?}, {board:?}, seed {seed}");
            }
            assert_eq!(counted[Counter::RxFrames as usize], expected.iter().sum::<u32>(), "each frame counts, {board:?}, seed {seed}");
            assert!(up.is_empty(), "{} frames did not reach the core, {board:?}, seed {seed}", up.len());
            assert!(record.samples == acks && acks == segments && acks > 20, "{record:?} of {acks} ACKs, {board:?}, seed {seed}");
        }
    }
}
