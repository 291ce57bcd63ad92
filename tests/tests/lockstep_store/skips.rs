//! Store and exit skip the clocks in which nothing happens: what they show is the same as of those
//! that are stepped at every clock.
use super::traffic::Traffic;
use rand::Rng;
use timely_model::Block;
use timely_model::bus::FlowLoad;
use timely_model::inline::exit;
use timely_model::store::{In, Load, Store};
use timely_model::stream::beats;
use timely_regs::flow::FlowRecord;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST};
use timely_tests::{cycles, rng, seeds};

const FLOW_BITS: u32 = 6;
const PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// Busy and quiet times of the store by turns; what it looks after while it is quiet decides which
/// grants wait for a clock afterwards.
#[test]
fn a_store_that_skips_equals_one_that_steps() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut traffic = Traffic::new(&mut rng, FLOW_BITS, 512);
        let mut stepped = Store::new(FLOW_BITS, 7, 512);
        let mut skipped = stepped.clone();
        let (mut quiet, mut left, mut skips, mut due) = (false, 500, 0, 0);
        let mut levels = (0, false);
        for clk in 0..2 * cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            left -= 1;
            let turns = left == 0;
            if turns {
                quiet = !quiet;
                left = if quiet { rng.random_range(1..300) } else { rng.random_range(1..100) };
            }
            let i = if quiet {
                // Nearly each flow that is loaded anew just before is looked at next.
                let load =
                    (turns && rng.random()).then(|| Load { flow: rng.random_range(0..1 << FLOW_BITS), enable: true, keep: rng.random() });
                In { load, bound: levels.0, wait: levels.1, doorbell_ready: true, ready: true, ..In::default() }
            } else {
                traffic.next(&mut rng, &out)
            };
            stepped.step(clk, &i);
            let told = i.rst || i.arrival.is_some() || i.load.is_some() || i.grant.is_some() || levels != (i.bound, i.wait);
            levels = (i.bound, i.wait);
            if told || clk >= due {
                skipped.step(clk, &i);
                due = skipped.wake(clk + 1);
            } else {
                skips += 1;
            }
        }
        println!("{skips} clocks skipped, seed {seed}");
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped");
    }
}

#[test]
fn an_exit_that_skips_equals_one_that_steps() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stepped = exit::Exit::new(512, FLOW_BITS);
        let mut skipped = stepped.clone();
        let (mut waiting, mut skips, mut due) = (Vec::new(), 0, 0);
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            if waiting.is_empty() && rng.random_bool(0.02) {
                let envelope = Envelope {
                    mac_destination: rng.random(),
                    mac_source: rng.random(),
                    tci: None,
                    addresses: Addresses::V4 { source: rng.random(), destination: rng.random() },
                    tos: 0,
                    ttl: 64,
                    port_source: 7,
                    port_destination: PORT,
                };
                let header = Header { flags: [0, FIRST, LAST][rng.random_range(0..3)], flow: rng.random_range(0..70), ..Header::default() };
                waiting = beats(&envelope.frame(&header, &vec![0; rng.random_range(0..300)]), 512).collect();
                waiting.reverse();
            }
            let load = rng.random_bool(0.005).then(|| {
                let record = FlowRecord { enable: true, keep: rng.random(), ..FlowRecord::default() };
                FlowLoad { flow: rng.random_range(0..1 << FLOW_BITS), record: record.pack().expect("a record within its ranges") }
            });
            let i = exit::In {
                rst: rng.random_bool(0.0001),
                beat: waiting.pop(),
                launch: rng.random_bool(0.9).then(|| rng.random()),
                name: None,
                now: clk << 18,
                port: PORT,
                key: 5,
                load,
            };
            stepped.step(clk, &i);
            if i.rst || i.beat.is_some() || i.load.is_some() || clk >= due {
                skipped.step(clk, &i);
                due = skipped.wake(clk + 1);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped");
    }
}
