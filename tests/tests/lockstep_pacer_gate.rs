//! The pacer's launch gate against its model, every output at every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use timely_hw::{emit::emit, pacer::gate as rtl};
use timely_model::Block;
use timely_model::pacer::gate::{ABSURD, COARSE, FRACTION, Gate, Grant, HORIZON, IN_FLIGHT, In, Out, PAST, STEP, Train};
use timely_model::pacer::timemap::TimeMap;
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

/// 4 ns, in units of `now`.
const PERIOD: u64 = 4 << 16;

/// The Verilog and the model, side by side.
struct Pair {
    library: Arc<Library>,
    dut: Dut,
    model: Gate,
    clk: u64,
    seed: u64,
}

impl Pair {
    fn new(library: &Arc<Library>, seed: u64) -> Self {
        Pair { library: library.clone(), dut: library.instantiate(seed as u32), model: Gate::new(), clk: 0, seed }
    }

    /// The outputs of this clock, equal on both sides.
    fn output(&self) -> Out {
        let get = |name| self.dut.get(self.library.output(name));
        let out = Out {
            train_ready: get("train_ready") == 1,
            grant: (get("grant_valid") == 1).then(|| Grant { flow: get("grant_flow") as u32, launch: get("grant_launch") }),
            credit: get("credit") as u32,
        };
        assert_eq!(out, self.model.output(self.clk), "clock {}, seed {}", self.clk, self.seed);
        out
    }

    fn step(&mut self, i: &In) {
        let train = i.train.unwrap_or(Train { flow: 1, packets: 3, launch: i.now, gap: 7 });
        for (name, value) in [
            ("rst", i.rst.into()),
            ("now", i.now),
            ("train_valid", i.train.is_some().into()),
            ("train_flow", train.flow.into()),
            ("train_packets", train.packets.into()),
            ("train_launch", train.launch),
            ("train_gap", train.gap.into()),
            ("grant_ready", i.ready.into()),
        ] {
            self.dut.set(self.library.input(name), value);
        }
        self.dut.tick();
        self.model.step(self.clk, i);
        self.clk += 1;
    }
}

/// Past, due, soon, about the horizon, about the distance from which a launch is taken for a
/// mistake, or anything.
fn launch(rng: &mut ChaCha8Rng, now: u64) -> u64 {
    let horizon = HORIZON << (FRACTION + COARSE);
    let ahead = match rng.random_range(0..400) {
        0..40 => 0u64.wrapping_sub(rng.random_range(0..PERIOD * 500)),
        40..60 => rng.random_range(0..2 * PERIOD).wrapping_sub(PERIOD),
        60..140 => rng.random_range(0..PERIOD * 100),
        140..180 => rng.random_range(0..PERIOD * 2_000),
        180..184 => rng.random_range(0..40 * horizon),
        184..188 => horizon + rng.random_range(0..PERIOD * 64) - PERIOD * 8,
        188..191 => 0u64.wrapping_sub((PAST << (FRACTION + COARSE)) + rng.random_range(0..PERIOD * 2)).wrapping_add(PERIOD),
        191..194 => (ABSURD << (FRACTION + COARSE)) + rng.random_range(0..PERIOD * 4) - rng.random_range(0..PERIOD),
        194..196 => rng.random_range(0..1 << 40),
        196..198 => rng.random(),
        _ => rng.random_range(0..PERIOD * 50),
    };
    // Whole units at times: with and without a part to round up.
    let launch = now.wrapping_add(ahead);
    if rng.random_bool(0.05) {
        return about_a_bound(rng, now);
    }
    if rng.random() { launch & (u64::MAX << FRACTION) } else { launch }
}

/// So many units of 128 ns ahead as decides how it is taken, and often so late in that unit that it
/// is rounded up into the next.
fn about_a_bound(rng: &mut ChaCha8Rng, now: u64) -> u64 {
    let bound = [HORIZON, ABSURD, 0u64.wrapping_sub(PAST)][rng.random_range(0..3)].wrapping_sub(rng.random_range(0..2));
    let unit = FRACTION + COARSE;
    let within = rng.random::<u64>() & ((1 << unit) - 1);
    let last = ((1 << unit) - 1) & (u64::MAX << FRACTION);
    ((now >> unit).wrapping_add(bound) << unit) | if rng.random() { within | last } else { within }
}

fn train(rng: &mut ChaCha8Rng, flow_bits: usize, now: u64) -> Train {
    let gap = match rng.random_range(0..80) {
        0..10 => 0,
        10..30 => rng.random_range(0..256 * 4),
        30..79 => rng.random_range(0..256 * 200),
        _ => rng.random::<u32>() >> rng.random_range(0..14),
    };
    let packets = match rng.random_range(0..20) {
        0 => 0,
        1..8 => 1,
        8..12 => 32,
        _ => rng.random_range(1..=32),
    };
    Train { flow: rng.random_range(0..1 << flow_bits), packets, launch: launch(rng, now), gap }
}

/// The time as a clock shows it: 4 ns +- 100 ppm, at times fast, so that what is far ahead comes,
/// and at times stepped.
fn advance(rng: &mut ChaCha8Rng, now: u64, fast: bool) -> u64 {
    let by = if fast { rng.random_range(0..STEP << FRACTION) } else { PERIOD - PERIOD / 10_000 + rng.random_range(0..=PERIOD / 5_000) };
    let step = match rng.random_range(0..100_000) {
        0..3 => 1 << rng.random_range(16..63),
        3..6 => 0u64.wrapping_sub(1 << rng.random_range(16..63)),
        6..8 => rng.random(),
        8..10 => (STEP << FRACTION) + rng.random_range(0..512) - 256 - by,
        10..12 => 0u64.wrapping_sub(by + rng.random_range(0..512)),
        _ => 0,
    };
    now.wrapping_add(by).wrapping_add(step)
}

fn equals_model<const F: usize, const W: usize>(name: &str) {
    let library = verilate(name, rtl::Gate::<F, W>::default());
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut pair = Pair::new(&library, seed);
        let mut runs = [0.5, 0.7, 0.3, 0.05].map(|p| Runs::new(p, 60));
        runs[1].longest = 12;
        // The first wrap of the 48 bits of ns comes early.
        let mut now = 0u64.wrapping_sub(PERIOD * 4_000);
        let mut offered = None;
        let (mut grants, mut held, mut full, mut crowded) = (0, 0, 0, 0);
        for _ in 0..cycles() {
            let out = pair.output();
            let [offer, ready, fast, flood] = runs.each_mut().map(|r| r.next(&mut rng));
            now = advance(&mut rng, now, fast);
            if rng.random_bool(0.0005) {
                runs[0].p = [0.03, 0.2, 0.9][rng.random_range(0..3)];
                runs[1].p = [0.3, 0.9, 0.99][rng.random_range(0..3)];
                runs[3].p = [0.0, 0.02, 0.5][rng.random_range(0..3)];
            }
            let rst = rng.random_bool(0.0003);
            if offered.is_none() && offer {
                // Mostly within the credit, as the pass keeps it.
                offered = Some(train(&mut rng, F, now)).filter(|t| flood || t.packets <= out.credit);
            }
            pair.step(&In { rst, now, train: offered, ready });
            grants += u64::from(out.grant.is_some() && ready && !rst);
            held += u64::from(out.grant.is_some() && !ready);
            full += u64::from(!out.train_ready);
            crowded += u64::from(out.credit == 0);
            if out.train_ready || rst {
                offered = None;
            }
        }
        println!(
            "{F} bits of flow: {grants} grants, held at {held} clocks; {IN_FLIGHT} in flight at {crowded} clocks, queue full at {full}"
        );
        assert!(
            quick() || grants > cycles() / 20 && held > cycles() / 100 && crowded > 0,
            "the stimulus does not reach the gate's corners"
        );
        assert!(full > 0 || cycles() < 100_000, "the queue was never full");
    }
}

#[test]
fn four_flow_bits() {
    equals_model::<4, 98>("gate_4");
}

#[test]
fn ten_flow_bits() {
    equals_model::<10, 104>("gate_10");
}

#[test]
fn fourteen_flow_bits() {
    equals_model::<14, 108>("gate_14");
}

/// A grant alone is at the output a constant number of clocks after the first that sees its launch.
#[test]
fn latency_is_constant() {
    let library = verilate("gate_latency", rtl::Gate::<10, 104>::default());
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut pair = Pair::new(&library, seed);
        let mut now = rng.random::<u64>();
        let mut due: Option<(u64, u64)> = None;
        let (mut least, mut most, mut trains) = (u64::MAX, 0, 0);
        for clk in 0..cycles().min(50_000) {
            let out = pair.output();
            now = now.wrapping_add(PERIOD - PERIOD / 10_000 + rng.random_range(0..=PERIOD / 5_000));
            let mut train = None;
            match (&mut due, out.grant) {
                (None, None) if rng.random_bool(0.1) => {
                    // 4 clocks to its place, and more.
                    let launch = now.wrapping_add(rng.random_range(5 * PERIOD..100 * PERIOD));
                    train = Some(Train { flow: clk as u32 & 0x3ff, packets: 1, launch, gap: 0 });
                    // The part of a launch below 2^-8 ns is rounded up.
                    let unit = (1 << FRACTION) - 1;
                    due = Some((launch.wrapping_add(unit) & !unit, u64::MAX));
                }
                (Some((_, seen)), Some(_)) => {
                    assert_ne!(*seen, u64::MAX, "a grant before its time, clock {clk}, seed {seed}");
                    (least, most, trains) = (least.min(clk - *seen), most.max(clk - *seen), trains + 1);
                    due = None;
                }
                (Some((launch, seen)), None) if *seen == u64::MAX && now.wrapping_sub(*launch) >> 63 == 0 => *seen = clk,
                _ => {}
            }
            pair.step(&In { rst: false, now, train, ready: true });
        }
        println!("{trains} trains: {least} to {most} clocks from the first that sees the launch to the grant");
        assert!(trains > 100);
        assert_eq!((least, most), (2, 2), "seed {seed}");
    }
}

/// Within the credit and without steps of the time: every packet becomes one grant, not before its
/// launch, and the grants of a flow whose launches do not go back come in the order of its trains.
#[test]
fn every_packet_once_and_in_order() {
    let library = verilate("gate_10", rtl::Gate::<10, 104>::default());
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut pair = Pair::new(&library, seed);
        let mut ready = Runs::new(0.8, 40);
        let mut now = 0u64.wrapping_sub(PERIOD * cycles() / 2);
        // Eight flows: what their next train may launch at, and the launches that are owed.
        let (mut next, mut owed) = ([now; 8], vec![std::collections::VecDeque::new(); 8]);
        let (mut in_flight, mut grants) = (0u32, 0u64);
        for clk in 0..cycles() {
            let out = pair.output();
            now = now.wrapping_add(PERIOD);
            let ready = ready.next(&mut rng);
            assert_eq!(out.credit, IN_FLIGHT as u32 - in_flight, "clock {clk}, seed {seed}");
            if let Some(g) = out.grant {
                // Shown two clocks after the first that sees its launch.
                assert!(now.wrapping_sub(2 * PERIOD).wrapping_sub(g.launch) >> 63 == 0, "clock {clk}, seed {seed}: early");
                if ready {
                    assert_eq!(Some(g.launch), owed[g.flow as usize].pop_front(), "clock {clk}, seed {seed}, flow {}", g.flow);
                    (in_flight, grants) = (in_flight - 1, grants + 1);
                }
            }
            let packets = rng.random_range(1..=32);
            let train = (out.train_ready && packets <= out.credit && rng.random_bool(0.3)).then(|| {
                let f = rng.random_range(0..8);
                let from = if next[f].wrapping_sub(now) >> 63 == 1 { now } else { next[f] };
                let launch = from.wrapping_add(rng.random_range(0..40 * PERIOD));
                let gap = [0, rng.random_range(0..256 * 8), rng.random_range(0..256 * 100)][rng.random_range(0..3)];
                let unit = (1 << FRACTION) - 1;
                for k in 0..packets {
                    next[f] = (launch.wrapping_add(unit) & !unit).wrapping_add(u64::from(k * gap) << FRACTION);
                    owed[f].push_back(next[f]);
                }
                in_flight += packets;
                Train { flow: f as u32, packets, launch, gap }
            });
            pair.step(&In { rst: false, now, train, ready });
        }
        assert!(grants > cycles() / 20, "only {grants} grants, seed {seed}");
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let map = TimeMap { clk0: 0, now: 0u64.wrapping_sub(PERIOD * 60_000), step: (4 << 24) - 3000 };
        let (mut stepped, mut skipped) = (Gate::new(), Gate::new());
        skipped.set_time(map);
        let (mut skips, mut grants) = (0, 0);
        for clk in 0..cycles() {
            let now = map.now(clk);
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let train = (rng.random_bool(0.002) && out.credit >= 8).then(|| {
                // Rarely beyond the horizon: it waits in the expander, and with trains behind it
                // every clock is stepped.
                let (from, to) = if rng.random_bool(0.03) { (250, 350) } else { [(0, 60), (0, 3_000)][rng.random_range(0..2)] };
                let launch = now.wrapping_add(rng.random_range(from * PERIOD..to * PERIOD)).wrapping_sub(20 * PERIOD);
                Train { flow: rng.random_range(0..64), packets: rng.random_range(1..=8), launch, gap: rng.random_range(0..256 * 900) }
            });
            let i = In { rst: false, now, train, ready: true };
            grants += u64::from(out.grant.is_some());
            stepped.step(clk, &i);
            if i.train.is_some() || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        println!("{grants} grants, {skips} clocks of {} skipped", cycles());
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}

#[test]
fn sixteen_flow_bits_emit() {
    emit("gate", rtl::Gate::<16, 110>::default()).unwrap();
}

/// A packet that was due long ago, as one is whose flow slept by the size of a longer one, goes at
/// once, and so does the packet behind it.
#[test]
fn what_is_long_past_holds_up_nothing() {
    for us in [100u64, 131, 150, 240, 262, 300, 1000, 8000] {
        let mut gate = Gate::new();
        let mut now = 1u64 << 40;
        let mut left = Vec::new();
        for clk in 0..20 {
            let late = if clk == 2 { us * 1000 } else { 0 };
            let train = Train { flow: clk as u32, packets: 1, launch: now.wrapping_sub(late << 16), gap: 0 };
            left.extend(gate.output(clk).grant.map(|g| g.flow));
            gate.step(clk, &In { rst: false, now, train: Some(train).filter(|_| (2..4).contains(&clk)), ready: true });
            now += 4 << 16;
        }
        assert_eq!(left, [2, 3], "{us} us ago");
    }
}
