//! `timely_hw::time` against `timely_model::time`, every output at every clock; and what the model
//! promises.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_model::{
    Block,
    time::{DATE_LATENCY, In, LATENCY, LINEAR_LATENCY, Out, START, STEP, Time, linear},
};
use timely_tests::{cycles, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

/// 4 ns in Q8.24.
const NOMINAL: u32 = 4 << 24;
const SECOND: u64 = 1_000_000_000 << 16;
/// 1 us, 2^-16 ns.
const MICROSECOND: u64 = 1000 << 16;

/// A driver and a PTP clock: both change their minds, and steps aim just before the places where
/// something wraps. For a while now and then nothing steps.
struct Stimulus {
    input: In,
    /// The PTP clock, 2^-24 ns.
    ptp: u128,
    ptp_rate: u32,
    often: f64,
    calm: bool,
}

impl Stimulus {
    fn new() -> Self {
        Stimulus { input: In { increment: NOMINAL, ..In::default() }, ptp: 0, ptp_rate: NOMINAL, often: 1.0, calm: false }
    }

    fn next(&mut self, rng: &mut ChaCha8Rng, date: u64) -> In {
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
            self.ptp_rate = self.input.increment.saturating_add_signed(rng.random_range(-20000..20000));
        }
        if rng.random_bool(0.0002) {
            self.calm = !self.calm;
        }
        if rng.random_bool(0.01) {
            self.ptp = u128::from(near(rng, date)) << 8;
        }
        let set = rng.random_bool(0.05).then(|| if rng.random_bool(0.2) { rng.random() } else { near(rng, date) });
        if self.calm {
            return In { ptp: false, ..self.input };
        }
        In { rst: rng.random_bool(0.0002), ptp_time: rng.random_bool(self.often).then_some((self.ptp >> 8) as u64), set, ..self.input }
    }
}

fn pick<'a, T>(rng: &mut impl Rng, of: &'a [T]) -> &'a T {
    &of[rng.random_range(0..of.len())]
}

/// A date close to this one, to the edges of a step, to the wraps of its halves, or anywhere.
fn near(rng: &mut ChaCha8Rng, date: u64) -> u64 {
    let places = [date, date.wrapping_add_signed(STEP), date.wrapping_add_signed(-STEP), date | 0xffff_ffff, 0, 1 << 63, rng.random()];
    let bits = rng.random_range(1..30u32);
    pick(rng, &places).wrapping_add(rng.random_range(0..1u64 << bits)).wrapping_sub(rng.random_range(0..1 << bits))
}

/// The block's ports.
struct Ports<'a>(&'a Library);

impl Ports<'_> {
    fn get(&self, dut: &Dut) -> Out {
        let get = |name| dut.get(self.0.output(name));
        Out {
            steady: get("steady"),
            later: get("later"),
            date: get("date"),
            offset: get("offset"),
            epoch: get("epoch") as u8,
            departed_epoch: get("departed_epoch") as u8,
        }
    }

    /// Inputs that are not valid get any value.
    fn set(&self, dut: &mut Dut, rng: &mut ChaCha8Rng, i: &In) {
        let mut set = |name, value| dut.set(self.0.input(name), value);
        set("rst", i.rst.into());
        set("cfg_time_increment", i.increment.into());
        set("cfg_time_ptp", i.ptp.into());
        set("cfg_lead", i.lead.into());
        set("ptp_valid", i.ptp_time.is_some().into());
        set("ptp_time", i.ptp_time.unwrap_or_else(|| rng.random()));
        set("time_set_valid", i.set.is_some().into());
        set("time_set_value", i.set.unwrap_or_else(|| rng.random()));
    }
}

#[test]
fn rtl_equals_model() {
    let library = verilate("time", timely_hw::time::Time::new());
    let ports = Ports(&library);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new();
        let mut dut = library.instantiate(seed as u32);
        let mut model = Time::new();
        let (mut steps, mut settles) = ([0u64; 2], 0u64);
        ports.set(&mut dut, &mut rng, &In { rst: true, ..In::default() });
        dut.tick();
        for clk in 0..cycles() {
            let rtl = ports.get(&dut);
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            assert_eq!(rtl.date, rtl.steady.wrapping_add(rtl.offset), "clock {clk}, seed {seed}");
            let i = stimulus.next(&mut rng, rtl.date);
            ports.set(&mut dut, &mut rng, &i);
            dut.tick();
            model.step(clk, &i);
            let next = model.output(clk + 1);
            settles += u64::from(rtl.departed_epoch != rtl.epoch && next.departed_epoch == next.epoch && !i.rst);
            if next.offset != rtl.offset && !i.rst {
                steps[usize::from(next.epoch != rtl.epoch)] += 1;
            }
        }
        println!("{} small corrections, {} steps, {settles} times it settled", steps[0], steps[1]);
        assert!(
            settles >= cycles() / 100_000 && steps.iter().all(|s| *s > cycles() / 500),
            "{steps:?} small corrections and steps, seed {seed}"
        );
    }
}

/// Wrapped stamps come out as those of a clock that never wrapped: every difference across a
/// second, and across 2^48 ns, is right.
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

/// Within a clock of exact arithmetic over a million clocks, at +-100 ppm, across the wrap, and
/// whatever happens to the date: a steady time that follows the date goes off at the first set.
#[test]
fn the_steady_time_is_exact() {
    let mut rng = rng(1);
    for ppm in [-100i64, 0, 100] {
        let increment = (i64::from(NOMINAL) + i64::from(NOMINAL) * ppm / 1_000_000) as u32;
        let mut model = Time::new();
        let mut last = START;
        for clk in 0..1_000_000u64 {
            let out = model.output(clk);
            let exact = START.wrapping_add(((u128::from(clk.saturating_sub(LATENCY as u64 - 1)) * u128::from(increment)) >> 8) as u64);
            assert_eq!(out.steady, exact, "clock {clk}, {ppm} ppm");
            assert!(out.steady.wrapping_sub(last) <= u64::from(increment >> 8) + 1, "clock {clk}, {ppm} ppm");
            last = out.steady;
            let set = rng.random_bool(0.01).then(|| near(&mut rng, out.date));
            model.step(clk, &In { increment, set, ..In::default() });
        }
        assert!(last < 1 << 48, "the wrap was not crossed: {last:#x}");
    }
}

/// A PTP clock that is stepped by this much, 2^-16 ns: 1 ns to 39 hours either way, any date, or a
/// step to just before the wrap of 78 hours.
fn stepped(rng: &mut ChaCha8Rng, ptp: u64) -> u64 {
    let bits = rng.random_range(17..64);
    let by = rng.random_range(1 << 16..1u64 << bits);
    match rng.random_range(0..10) {
        0 => rng.random(),
        1 => 0u64.wrapping_sub(rng.random_range(0..20 * MICROSECOND)),
        2..6 => ptp.wrapping_add(by),
        _ => ptp.wrapping_sub(by),
    }
}

/// 10,000 dates and steps of PTP, whose clock is up to 100 ppm off ours and gives a sample every 1
/// to 5,000 clocks: 10,000 clocks after each the date is within 1 us of PTP, and exact but for the
/// drift since the last sample; corrections of 256 ns and more, and no others, count in the epoch;
/// the steady time never notices. A date that slews back, as it once did, is hours off after half
/// of them.
#[test]
fn dates_follow_ptp_at_once() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut model = Time::new();
        let (mut clk, mut ptp, mut backward) = (0u64, 0u128, 0);
        for step in 0..10_000 {
            let before = (ptp >> 8) as u64;
            let to = stepped(&mut rng, before);
            backward += u32::from(to.wrapping_sub(before) >> 63 != 0);
            ptp = u128::from(to) << 8 | ptp & 0xff;
            let rate = u128::from(NOMINAL.saturating_add_signed(rng.random_range(-6711..6711)));
            let every = *pick(&mut rng, &[1, 7, 100, 1000, 5000]);
            let end = clk + 10_000;
            let expected = model.output(clk).steady.wrapping_add(10_000 * u64::from(NOMINAL >> 8));
            let started = step > 0;
            while clk < end {
                let sample = clk % every == 0;
                let out = model.output(clk);
                if sample || model.wake(clk) <= clk {
                    let i = In { increment: NOMINAL, ptp: true, ptp_time: sample.then_some((ptp >> 8) as u64), ..In::default() };
                    model.step(clk, &i);
                    let next = model.output(clk + 1);
                    let by = next.offset.wrapping_sub(out.offset) as i64;
                    let steps = u8::from(!(-STEP..STEP).contains(&by));
                    assert_eq!(next.epoch, (out.epoch + steps) % 4, "a correction of {by} / 65536 ns, step {step}, seed {seed}");
                }
                // On to the next clock in which anything happens.
                let on = (clk / every + 1) * every;
                let next = on.min(model.wake(clk + 1).max(clk + 1)).min(end);
                ptp += u128::from(next - clk) * rate;
                clk = next;
            }
            let out = model.output(clk);
            let off = (out.date.wrapping_sub((ptp >> 8) as u64) as i64).unsigned_abs();
            // The drift at 100 ppm since the last sample, and the fraction that a sample lacks.
            let most = (every + DATE_LATENCY) * 27 + 2;
            assert!(off <= most && off < MICROSECOND, "{off} / 65536 ns off after step {step} from {before:#x} to {to:#x}, seed {seed}");
            assert!(!started || out.steady == expected, "the steady time noticed step {step}, seed {seed}");
        }
        println!("{backward} of 10000 steps backward");
        assert!((4000..6000).contains(&backward));
    }
}

/// 20 of these steps on the Verilog, with a sample a clock.
#[test]
fn dates_follow_ptp_in_the_verilog() {
    let library = verilate("time", timely_hw::time::Time::new());
    let ports = Ports(&library);
    let mut rng = rng(3);
    let mut dut = library.instantiate(3);
    let input = In { increment: NOMINAL, ptp: true, ..In::default() };
    // Reset, and until the first increments count.
    for clk in 0..10 {
        ports.set(&mut dut, &mut rng, &In { rst: clk == 0, ..input });
        dut.tick();
    }
    let mut ptp = 0u64;
    for step in 0..20 {
        ptp = stepped(&mut rng, ptp);
        for clk in 0..10_000 {
            let out = ports.get(&dut);
            let off = (out.date.wrapping_sub(ptp) as i64).unsigned_abs();
            assert!(clk < DATE_LATENCY || off <= 1000, "{off} / 65536 ns off {clk} clocks after step {step}");
            ports.set(&mut dut, &mut rng, &In { ptp_time: Some(ptp), ..input });
            dut.tick();
            ptp = ptp.wrapping_add((4 << 16) + 26);
        }
    }
}

/// An increment counts `LATENCY` clocks after it was sampled, a set of the date `DATE_LATENCY`
/// clocks, for the clock at which it was given.
#[test]
fn latencies_are_as_stated() {
    let mut model = Time::new();
    let to = 0x1234_5678_9abc_def0;
    for clk in 0..100 {
        let out = model.output(clk);
        let passed = (clk.saturating_sub(LATENCY as u64 - 1) * 4) << 16;
        assert_eq!(out.steady, START.wrapping_add(passed), "clock {clk}");
        let date = if clk < 50 + DATE_LATENCY { passed } else { to + (((clk - 50) * 4) << 16) };
        assert_eq!((out.date, out.epoch), (date, u8::from(clk >= 50 + DATE_LATENCY)), "clock {clk}");
        model.step(clk, &In { increment: NOMINAL, set: (clk == 50).then_some(to), ..In::default() });
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
            let mut i = stimulus.next(&mut rng, out.date);
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
