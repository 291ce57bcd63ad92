//! `timely_hw::telemetry::{Recorder, Histograms}` against
//! `timely_model::telemetry::{recorder, histograms}`, every output at every clock; and what the
//! models promise.
use rand::Rng;
use std::sync::Arc;
use timely_hw::telemetry::{Histograms, Recorder};
use timely_model::Block;
use timely_model::bus::{Event, ProfileWrite};
use timely_model::telemetry::{histograms, recorder};
use timely_regs::event::EventRecord;
use timely_regs::histogram::{BIN_BITS, Histogram};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, In, Library, Options, build, mutant};

/// An update as the engine may give it; of RTTs as of other kinds, near each other and anywhere.
fn event(rng: &mut impl Rng, flow_bits: u32) -> Event {
    let rtt_ns = match rng.random_range(0..4) {
        0 => rng.random_range(0..40),
        1 => rng.random_range(20_000..20_064),
        2 => 1 << rng.random_range(0..24),
        _ => rng.random_range(0..1 << 24),
    };
    Event {
        flow: if rng.random_bool(0.3) { 5 } else { rng.random_range(0..1 << flow_bits) },
        branch: rng.random_range(0..8),
        hyperactive: rng.random(),
        rtt_ns,
        rate: rng.random(),
        kind: if rng.random_bool(0.7) { 0 } else { rng.random_range(0..8) },
        profile: if rng.random_bool(0.5) { 3 } else { rng.random_range(0..16) },
        now_ns: rng.random(),
        hops: rng.random(),
        endpoint_ns: rng.random_range(0..1 << 24),
        rate_before: rng.random(),
        before: rng.random(),
    }
}

/// Inputs of the recorder, and when its settings change.
struct Updates {
    flow_bits: u32,
    updates: Runs,
    ready: Runs,
    every: u16,
    filter: u32,
    now: u64,
    /// How often the settings change.
    settings: f64,
}

impl Updates {
    fn new(flow_bits: u32, busy: f64, ready: f64) -> Self {
        Updates { flow_bits, updates: Runs::new(busy, 14), ready: Runs::new(ready, 60), every: 0, filter: 0, now: 0, settings: 0.002 }
    }

    fn next(&mut self, rng: &mut impl Rng) -> recorder::In {
        if rng.random_bool(self.settings) {
            self.every = [0, 1, 1, 1, 2, 3, 17, u16::MAX][rng.random_range(0..8)];
        }
        if rng.random_bool(self.settings) {
            let (flow, profile) = (if rng.random() { 5 } else { rng.random_range(0..1 << 16) }, rng.random_range(3..5));
            self.filter = flow | u32::from(rng.random_bool(0.3)) << 16 | profile << 20 | u32::from(rng.random_bool(0.3)) << 24;
        }
        self.now = self.now.wrapping_add(rng.random_range(0..1 << 40));
        let word = if rng.random() { 0 } else { rng.random_range(0..32) };
        recorder::In {
            rst: rng.random_bool(0.00005),
            event: self.updates.next(rng).then(|| event(rng, self.flow_bits)),
            now: self.now,
            profile: rng.random_bool(0.01).then(|| ProfileWrite { profile: rng.random_range(0..16), word, data: rng.random() }),
            every: self.every,
            filter: self.filter,
            ready: self.ready.next(rng),
        }
    }
}

/// The ports that an update comes in by.
struct EventPorts {
    ports: Vec<In>,
    before: Option<In>,
}

impl EventPorts {
    fn new(library: &Library, names: &[&str]) -> Self {
        let before = names.contains(&"before").then(|| library.input("event_before"));
        EventPorts { ports: names.iter().filter(|n| **n != "before").map(|n| library.input(&format!("event_{n}"))).collect(), before }
    }

    fn set(&self, dut: &mut Dut, e: Option<Event>, values: impl Fn(&Event) -> Vec<u64>, rng: &mut impl Rng) {
        // The fields mean nothing without an update.
        let shown = e.unwrap_or_else(|| event(rng, 3));
        for (port, value) in self.ports.iter().zip([vec![e.is_some().into()], values(&shown)].concat()) {
            dut.set(*port, value);
        }
        if let Some(before) = self.before {
            dut.set_words(before, &shown.before);
        }
    }
}

fn recorder_lockstep<const F: usize, const A: usize, const C: usize>(busy: f64, ready: f64) {
    let library = verilate(&format!("recorder_{F}_{A}"), Recorder::<F, A, C>::new());
    let names = [
        "valid",
        "flow",
        "branch",
        "hyperactive",
        "rtt_ns",
        "rate",
        "kind",
        "profile",
        "now_ns",
        "hops",
        "endpoint_ns",
        "rate_before",
        "before",
    ];
    let events = EventPorts::new(&library, &names);
    let inputs = ["rst", "now", "pw_valid", "pw_profile", "pw_word", "pw_data", "cfg_every", "cfg_filter", "rec_ready"];
    let inputs = inputs.map(|n| library.input(n));
    let [valid, data, dropped] = ["rec_valid", "rec_data", "dropped"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut updates = Updates::new(F as u32, busy, ready);
        let mut dut = library.instantiate(seed as u32);
        let mut model = recorder::Recorder::new(A as u32);
        let (mut records, mut drops) = (0, 0);
        for clk in 0..cycles() {
            let record = (dut.get(valid) == 1).then(|| dut.get_words(data).try_into().unwrap());
            let out = recorder::Out { record, dropped: dut.get(dropped) == 1 };
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            let mut i = updates.next(&mut rng);
            i.rst |= clk == 0;
            records += u32::from(out.record.is_some() && i.ready);
            drops += u32::from(out.dropped);
            let fields = |e: &Event| {
                [e.flow, e.branch.into(), e.hyperactive.into(), e.rtt_ns, e.rate, e.kind.into(), e.profile.into()]
                    .into_iter()
                    .chain([e.now_ns, e.hops.into(), e.endpoint_ns, e.rate_before])
                    .map(u64::from)
                    .collect()
            };
            events.set(&mut dut, i.event, fields, &mut rng);
            let p = i.profile.unwrap_or_default();
            let levels = [
                u64::from(i.rst),
                i.now,
                i.profile.is_some().into(),
                p.profile.into(),
                p.word.into(),
                p.data.into(),
                i.every.into(),
                i.filter.into(),
                i.ready.into(),
            ];
            for (port, value) in inputs.iter().zip(levels) {
                dut.set(*port, value);
            }
            dut.tick();
            model.step(clk, &i);
        }
        println!("{records} records, {drops} dropped");
        assert!((records > 100 && drops > 100) || cycles() < 100_000, "the run exercised too little");
    }
}

#[test]
fn recorder_rtl_equals_model_small() {
    recorder_lockstep::<3, 3, 4>(0.5, 0.4);
}

#[test]
fn recorder_rtl_equals_model_full() {
    recorder_lockstep::<16, 9, 10>(0.9, 0.3);
}

/// Every update that passes the filter and is the first of three is there, in order, whole, or
/// counted as dropped and missing in the numbers.
#[test]
fn records_are_complete() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut updates = Updates::new(4, 0.9, 0.2);
        (updates.settings, updates.every, updates.filter) = (0.0, 3, 1 << 24 | 3 << 20);
        let mut model = recorder::Recorder::new(3);
        let (mut seen, mut chosen, mut passed, mut dropped, mut last) = (0, vec![], 0, 0, None);
        let end = cycles().min(50_000);
        for clk in 0..end + 100 {
            let out = model.output(clk);
            let mut i = recorder::In { rst: false, ..updates.next(&mut rng) };
            if clk >= end {
                (i.event, i.ready) = (None, true);
            }
            dropped += usize::from(out.dropped);
            if let Some(words) = out.record.filter(|_| i.ready) {
                let r = EventRecord::from_words(&words).unwrap();
                assert!(last.is_none_or(|l| l < r.sequence), "record {} after {last:?}, seed {seed}", r.sequence);
                last = Some(r.sequence);
                let (e, now): (Event, u64) = chosen[r.sequence as usize];
                assert_eq!((r.flow, r.signal_ns, r.rate, r.before, r.time), (e.flow, e.rtt_ns, e.rate, e.before, now), "seed {seed}");
                passed += 1;
            }
            if let Some(e) = i.event.filter(|e| e.profile == 3) {
                if seen % 3 == 0 {
                    chosen.push((e, i.now));
                }
                seen += 1;
            }
            model.step(clk, &i);
        }
        assert_eq!(passed + dropped, chosen.len(), "seed {seed}");
        assert!(passed > 100 && dropped > 10, "{passed} passed, {dropped} dropped");
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn recorder_skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut updates = Updates::new(4, 0.02, 0.1);
        let (mut stepped, mut skipped) = (recorder::Recorder::new(3), recorder::Recorder::new(3));
        let (mut skips, mut levels) = (0, (0, 0));
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = updates.next(&mut rng);
            stepped.step(clk, &i);
            let taken = out.record.is_some() && i.ready;
            let busy = i.rst || i.event.is_some() || i.profile.is_some() || taken || levels != (i.every, i.filter);
            levels = (i.every, i.filter);
            if busy || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}

/// Inputs of the histograms: updates in runs, reads of bins that are hit, clears now and then.
struct Values {
    updates: Runs,
    at: u16,
    clears: f64,
    rst: f64,
}

impl Values {
    fn next(&mut self, rng: &mut impl Rng) -> histograms::In {
        // Half of them in one bin, whose count gets its upper bits between two clears.
        let often = Event { kind: 0, profile: 5, rtt_ns: 20_000, ..Event::default() };
        let e = self.updates.next(rng).then(|| if rng.random() { event(rng, 10) } else { often });
        if rng.random_bool(0.3) {
            self.at = if rng.random() {
                3 << BIN_BITS | 11 << 4 | rng.random_range(0..16)
            } else {
                rng.random_range(0..1 << histograms::AT_BITS)
            };
        }
        if let Some(e) = e.filter(|_| rng.random_bool(0.3)) {
            self.at = u16::from(e.profile) << BIN_BITS | timely_regs::histogram::bin(e.rtt_ns) as u16;
        }
        let clear = if rng.random_bool(self.clears) { 1 << rng.random_range(0..16) | u16::from(rng.random_bool(0.5)) << 3 } else { 0 };
        histograms::In { rst: rng.random_bool(self.rst), event: e, at: self.at, clear }
    }
}

/// Step of a count in [`every_bit_of_a_count_counts`], in place of 1.
const STEP: u32 = 0x9e37_79b1;

#[test]
fn histograms_rtl_equals_model() {
    histograms_equal(&verilate("histograms", Histograms::new()), 1);
}

/// All bits of a count: in large steps, for in a run's updates none would reach its upper half.
#[test]
fn every_bit_of_a_count_counts() {
    let emit = || {
        let text = timely_hw::emit::emit("histograms_steps", Histograms::new()).unwrap_or_else(|e| panic!("emission: {e}"));
        let one = "+ ((32'h1) & 32'hffffffff)";
        assert_eq!(text.matches(one).count(), 1, "{one} in the emitted text");
        text.replace(one, &format!("+ 32'h{STEP:x}"))
    };
    let key = "histograms_steps";
    let library = build(key, &mutant::text(key, emit), "tnic_histograms_steps", Options::default()).unwrap_or_else(|e| panic!("{e}"));
    histograms_equal(&library, STEP);
}

fn histograms_equal(library: &Arc<Library>, step: u32) {
    let events = EventPorts::new(library, &["valid", "kind", "profile", "rtt_ns"]);
    let inputs = ["rst", "at", "clear"].map(|n| library.input(n));
    let outputs = ["swept", "count", "clearing"].map(|n| library.output(n));
    for (run, busy) in [0.9, 0.5].into_iter().enumerate() {
        for seed in seeds() {
            let mut rng = rng(seed);
            let mut values = Values { updates: Runs::new(busy, 40), at: 0, clears: 0.0005, rst: 0.00002 * run as f64 };
            let mut dut = library.instantiate(seed as u32);
            let mut model = histograms::Histograms::default();
            let (mut counted, mut clocks, mut cleared, mut clearing) = (0, 0, 0, 0);
            for clk in 0.. {
                let o = outputs.map(|p| dut.get(p));
                let out = histograms::Out { swept: o[0] == 1, count: o[1] as u32, clearing: o[2] as u16 };
                let expected = model.output(clk);
                counted += u32::from(expected.count > 9);
                let expected = histograms::Out { count: expected.count.wrapping_mul(step), ..expected };
                assert_eq!(out, expected, "clock {clk}, seed {seed}");
                cleared += u32::from(clearing & !out.clearing != 0);
                clearing = out.clearing;
                clocks += u64::from(out.swept);
                if clocks == cycles() {
                    break;
                }
                let mut i = values.next(&mut rng);
                i.rst |= clk == 0;
                let fields = |e: &Event| vec![e.kind.into(), e.profile.into(), e.rtt_ns.into()];
                events.set(&mut dut, i.event, fields, &mut rng);
                for (port, value) in inputs.iter().zip([u64::from(i.rst), i.at.into(), i.clear.into()]) {
                    dut.set(*port, value);
                }
                dut.tick();
                model.step(clk, &i);
            }
            println!("{counted} reads of counts above 9, {cleared} ends of a clear");
            assert!((counted > 100 && cleared > 2) || cycles() < 100_000, "the run exercised too little");
        }
    }
}

/// Once all is quiet, the histograms are those of the values that came, also with one every clock,
/// all of one bin.
#[test]
fn histograms_add_up() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut values = Values { updates: Runs::new(0.95, 40), at: 0, clears: 0.0, rst: 0.0 };
        let mut model = histograms::Histograms::default();
        let mut want = vec![Histogram::default(); 16];
        let (mut clk, end) = (1 << histograms::AT_BITS, cycles().min(50_000));
        for _ in 0..end {
            let i = values.next(&mut rng);
            if let Some(e) = i.event.filter(|e| e.kind == 0 || e.kind == 5) {
                want[usize::from(e.profile)].count(e.rtt_ns);
            }
            model.step(clk, &i);
            clk += 1;
        }
        for clear in [0, 1 << 3] {
            model.step(clk, &histograms::In { clear, ..Default::default() });
            clk += 1;
            if clear != 0 {
                want[3] = Histogram::default();
                assert_eq!(model.output(clk).clearing, 1 << 3);
            }
            for _ in 0..400 {
                model.step(clk, &Default::default());
                clk += 1;
            }
            assert_eq!(model.output(clk).clearing, 0);
            for (profile, h) in want.iter().enumerate() {
                for (bin, &count) in h.counts.iter().enumerate() {
                    for _ in 0..2 {
                        model.step(clk, &histograms::In { at: (profile << BIN_BITS | bin) as u16, ..Default::default() });
                        clk += 1;
                    }
                    assert_eq!(model.output(clk).count, count, "profile {profile}, bin {bin}, seed {seed}");
                }
            }
        }
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn histograms_skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut values = Values { updates: Runs::new(0.02, 3), at: 0, clears: 0.0001, rst: 0.00002 };
        let (mut stepped, mut skipped) = (histograms::Histograms::default(), histograms::Histograms::default());
        let (mut skips, mut at) = (0, 0);
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            let mut i = values.next(&mut rng);
            // A bin is looked at for a while.
            i.at = (clk / 100 * 7) as u16 % (1 << histograms::AT_BITS);
            stepped.step(clk, &i);
            if i.rst || i.event.is_some() || i.clear != 0 || i.at != at || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
            at = i.at;
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
