//! `timely_hw::time` against `timely_model::time`, every output at every clock; and what the model promises.
use rand::Rng;
use timely_model::{
    Block,
    time::{CORRECTION, In, LATENCY, LINEAR_LATENCY, Out, Time, linear},
};
use timely_tests::{cycles, rng, seeds, verilate};

/// 4 ns in Q8.24.
const NOMINAL: u32 = 4 << 24;
const SECOND: u64 = 1_000_000_000 << 16;

/// A driver and a PTP clock: both change their minds, and steps aim just before the places where something wraps.
struct Stimulus {
    input: In,
    /// The PTP clock, 2^-24 ns.
    ptp: u128,
    ptp_rate: u32,
    often: f64,
}

impl Stimulus {
    fn new() -> Self {
        Stimulus { input: In { increment: NOMINAL, ..In::default() }, ptp: 0, ptp_rate: NOMINAL, often: 1.0 }
    }

    fn next(&mut self, rng: &mut impl Rng, now: u64) -> In {
        self.ptp = self.ptp.wrapping_add(self.ptp_rate.into());
        if rng.random_bool(0.001) {
            let any = rng.random_range(1 << 20..=u32::MAX);
            self.input.increment = *pick(rng, &[NOMINAL - 6711, NOMINAL + 6711, any, u32::MAX, 1 << 20, NOMINAL]);
        }
        if rng.random_bool(0.002) {
            self.input.lead = if rng.random() { 0 } else { rng.random() };
        }
        if rng.random_bool(0.0005) {
            self.input.ptp = !self.input.ptp;
            self.often = *pick(rng, &[0.01, 0.3, 1.0]);
            self.ptp_rate =
                if rng.random_bool(0.8) { self.input.increment.saturating_add(rng.random_range(0..20000)) } else { rng.random() };
        }
        if rng.random_bool(0.002) {
            let near = u128::from(near(rng, now)) << 8;
            self.ptp = near.wrapping_sub(u128::from(rng.random_range(0..1u64 << 34)));
        }
        let set = rng.random_bool(0.01).then(|| if rng.random_bool(0.2) { rng.random() } else { near(rng, now) });
        In { rst: rng.random_bool(0.0002), ptp_time: rng.random_bool(self.often).then_some((self.ptp >> 8) as u64), set, ..self.input }
    }
}

fn pick<'a, T>(rng: &mut impl Rng, of: &'a [T]) -> &'a T {
    &of[rng.random_range(0..of.len())]
}

/// A time close to `now`, to the next second, to the wrap of half of the ns, to that of all of them, to the edge of backwards, or whole
/// seconds away: then the step less its seconds and what the clock adds by itself come to a second, or just not.
fn near(rng: &mut impl Rng, now: u64) -> u64 {
    let second = (now / SECOND + rng.random_range(0..1000)).wrapping_mul(SECOND);
    let seconds_on = now.wrapping_add(rng.random_range(0..140_000) * SECOND);
    let places = [now, second, now | ((1 << 40) - 1), 0, now.wrapping_add(1 << 63), seconds_on];
    let bits = rng.random_range(1..30u32);
    let jitter = rng.random_range(0..1u64 << bits);
    pick(rng, &places).wrapping_add(jitter).wrapping_sub(rng.random_range(0..1 << 22))
}

#[test]
fn rtl_equals_model() {
    let library = verilate("time", timely_hw::time::Time::default());
    let input = |name| library.input(name);
    let (rst, increment, ptp) = (input("rst"), input("cfg_time_increment"), input("cfg_time_ptp"));
    let (lead, later) = (input("cfg_lead"), library.output("later"));
    let (set_valid, set_value) = (input("time_set_valid"), input("time_set_value"));
    let (ptp_valid, ptp_time) = (input("ptp_valid"), input("ptp_time"));
    let output = |name| library.output(name);
    let (now, sec, ns, refused) = (output("now"), output("now_sec"), output("now_ns"), output("refused"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new();
        let mut dut = library.instantiate(seed as u32);
        let mut model = Time::new();
        for clk in 0..cycles() {
            let (sec, ns) = (dut.get(sec), dut.get(ns) as u32);
            let rtl = Out { now: dut.get(now), later: dut.get(later), sec, ns, refused: dut.get(refused) == 1 };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            let mut i = stimulus.next(&mut rng, rtl.now);
            i.rst |= clk == 0;
            dut.set(rst, i.rst.into());
            dut.set(increment, i.increment.into());
            dut.set(ptp, i.ptp.into());
            dut.set(lead, i.lead.into());
            dut.set(ptp_valid, i.ptp_time.is_some().into());
            dut.set(ptp_time, i.ptp_time.unwrap_or_else(|| rng.random()));
            dut.set(set_valid, i.set.is_some().into());
            dut.set(set_value, i.set.unwrap_or_else(|| rng.random()));
            dut.tick();
            model.step(clk, &i);
        }
    }
}

/// Wrapped stamps come out as those of a clock that never wrapped: every difference across a second, and across 2^48 ns, is right.
#[test]
fn a_time_of_day_becomes_linear() {
    let library = verilate("linear", timely_hw::time::Linear::default());
    let input = |name| library.input(name);
    let (sec, ns, fraction) = (input("sec"), input("ns"), input("fraction"));
    let output = library.output("linear");
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut expected = std::collections::VecDeque::new();
        let (mut time, mut seconds) = (0u128, 0);
        for clk in 0..cycles() {
            if expected.len() > LINEAR_LATENCY {
                expected.pop_front();
            }
            if expected.len() == LINEAR_LATENCY {
                assert_eq!(dut.get(output), expected[0], "clock {clk}, seed {seed}");
            }
            // On by up to 2 ms, or to just before a second or before a wrap of 2^48 ns.
            let second = u128::from(SECOND);
            time = match rng.random_range(0..100) {
                0 => (time / second + rng.random_range(1..1 << 30)) * second,
                1 => ((time >> 64) + 1) << 64,
                2 => u128::from(rng.random::<u64>() >> 16) * second,
                _ => time + rng.random_range(0..2_000_000u128 << 16) + (1 << 16),
            } - u128::from(rng.random::<u16>());
            let (s, rest) = (time / second, time % second);
            seconds += u32::from(rest < 2_000_000 << 16);
            dut.set(sec, s as u64 & ((1 << 48) - 1));
            dut.set(ns, (rest >> 16) as u64);
            dut.set(fraction, (rest & 0xffff) as u64);
            dut.tick();
            let model = linear(s as u64, (rest >> 16) as u32, rest as u16);
            assert_eq!(model, time as u64, "seconds {s}, seed {seed}");
            expected.push_back(model);
        }
        assert!(seconds > 100);
    }
}

/// Within a clock of exact arithmetic over a million clocks, at +-100 ppm, from 0 and from just before every wrap; never backwards.
#[test]
fn free_running_is_exact() {
    let half = (1u64 << 63) - 1;
    for ppm in [-100i64, 0, 100] {
        let increment = (i64::from(NOMINAL) + i64::from(NOMINAL) * ppm / 1_000_000) as u32;
        for start in [0, 999_999_000 << 16, (1 << 40) - (1 << 20), u64::MAX - (1 << 25)] {
            let mut model = Time::new();
            // Two steps, since one goes less than half of the way round.
            let steps = [start.min(half), start];
            let (mut from, mut last) = (None, 0);
            for clk in 0..1_000_000 {
                let out = model.output(clk);
                assert!(out.now.wrapping_sub(last) < 1 << 63, "backwards at clock {clk}");
                assert_eq!(
                    (u128::from(out.sec) * 1_000_000_000 + u128::from(out.ns)) % (1 << 48),
                    u128::from(out.now >> 16),
                    "seconds differ at clock {clk}"
                );
                last = out.now;
                let set = (clk >= 100).then(|| steps.get((clk as usize - 100) / 100)).flatten().filter(|&&s| clk % 100 == 0 && s > out.now);
                if clk == 400 {
                    from = Some((clk, out.now));
                    assert!(out.now.wrapping_sub(start) < 2000 << 16, "the time did not step to {start:#x}: {:#x}", out.now);
                }
                if let Some((c, t)) = from {
                    let exact = t.wrapping_add(((u128::from(clk - c) * u128::from(increment)) >> 8) as u64);
                    let error = out.now.wrapping_sub(exact) as i64;
                    assert!(error.unsigned_abs() <= u64::from(increment >> 8), "{error} / 65536 ns off at clock {clk}");
                }
                model.step(clk, &In { increment, set: set.copied(), ..In::default() });
            }
        }
    }
}

/// Following PTP that runs 100 ppm apart, also over the wraps: never backwards, and never more than a clock away, but for the time
/// that it takes to go back by 100 ns at half the speed.
#[test]
fn ptp_is_followed_within_a_clock() {
    let mut rng = rng(1);
    for (ppm, first) in [(-100i64, 0u64), (100, 1 << 50), (0, (1u64 << 24).wrapping_neg()), (100, SECOND - (1 << 24))] {
        for every in [1u64, 7, 1000] {
            let mut model = Time::new();
            let rate = (i64::from(NOMINAL) + i64::from(NOMINAL) * ppm / 1_000_000) as u128;
            let (mut ptp, mut last, mut settled) = (u128::from(first) << 8, 0, 3_000 + every);
            for clk in 0..100_000 {
                let out = model.output(clk);
                assert!(out.now.wrapping_sub(last) < 1 << 63, "backwards at clock {clk}");
                last = out.now;
                let error = out.now.wrapping_sub((ptp >> 8) as u64) as i64;
                assert!(
                    clk < settled || error.unsigned_abs() <= u64::from(NOMINAL >> 8),
                    "{error} / 65536 ns off at clock {clk}, {ppm} ppm, a sample every {every} clocks"
                );
                let ptp_time = (clk % every == 0).then_some((ptp >> 8) as u64);
                model.step(clk, &In { increment: NOMINAL, ptp: true, ptp_time, ..In::default() });
                ptp += rate;
                if clk % 20_000 == 19_000 {
                    ptp -= rng.random_range(0..100u128) << 24;
                    // A correction under way and the wait for a sample, then 2 ns a clock, then the way to the output.
                    settled = clk + u64::from(CORRECTION) + every + 100 / 2 + u64::from(CORRECTION);
                }
            }
        }
    }
}

/// An increment counts `LATENCY` clocks after it was sampled.
#[test]
fn latency_is_as_stated() {
    let mut model = Time::new();
    for clk in 0..100 {
        assert_eq!(model.output(clk).now, (clk.saturating_sub(LATENCY as u64 - 1) * 4) << 16, "clock {clk}");
        model.step(clk, &In { increment: NOMINAL, ..In::default() });
    }
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new();
        let (mut stepped, mut skipped) = (Time::new(), Time::new());
        let (mut skips, mut levels) = (0, (0, false, 0));
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let mut i = stimulus.next(&mut rng, out.now);
            i.ptp_time = i.ptp_time.filter(|_| i.ptp);
            stepped.step(clk, &i);
            let idle = i.ptp_time.is_none() && i.set.is_none() && !i.rst && levels == (i.increment, i.ptp, i.lead);
            levels = (i.increment, i.ptp, i.lead);
            if !idle || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 8, "only {skips} clocks were skipped: wake() is never idle");
    }
}
