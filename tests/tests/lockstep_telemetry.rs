//! `timely_hw::telemetry` against `timely_model::telemetry`, every output at every clock; and what
//! the model promises.
use rand::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;
use timely_hw::telemetry::Telemetry;
use timely_model::bus::{Acked, Answer, Event, FlowLoad, Query, Sample, Sent};
use timely_model::{Block, telemetry};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::{flow, telemetry as layout};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Library, Options, build, mutant};

/// Taps with their own runs of events, on few flows of `2^flow_bits`.
struct World {
    flows: Vec<u32>,
    taps: [Runs; 6],
    loads: f64,
    rst: f64,
    loaded: u64,
    /// Least clocks between two loads, less one.
    spacing: u64,
    /// Flow of the sample of the clock before.
    sampled: Option<u32>,
}

impl World {
    fn new(rng: &mut impl Rng, flow_bits: u32, flows: usize, busy: f64) -> Self {
        World {
            flows: (0..flows).map(|_| rng.random_range(0..1 << flow_bits)).collect(),
            taps: std::array::from_fn(|_| Runs::new(busy, 14)),
            loads: 0.01,
            rst: 0.00005,
            loaded: 0,
            spacing: 3,
            sampled: None,
        }
    }

    fn next(&mut self, clk: u64, rng: &mut impl Rng) -> telemetry::In {
        // Events of one flow come in a row now and then: a clock apart, and further.
        let near = self.flows[clk as usize / 16 % self.flows.len()];
        let flows = &self.flows;
        let flow = |rng: &mut dyn rand::RngCore| if rng.random_bool(0.7) { near } else { flows[rng.random_range(0..flows.len())] };
        // A clock is 4 ns of 1,024; faster here, and any time now and then.
        let now = if rng.random_bool(0.9) { (clk / 7) as u32 } else { rng.random() };
        let mut i = telemetry::In { rst: rng.random_bool(self.rst), now, ..Default::default() };
        if self.taps[0].next(rng) {
            let wire_bytes = if rng.random() { rng.random() } else { u16::MAX };
            i.sent = Some(Sent { flow: flow(rng), last: rng.random(), wire_bytes, ..Sent::default() });
        }
        if self.taps[1].next(rng) {
            let rtt_ns = [rng.random_range(0..1 << 24), rng.random_range(0..100), (1 << 24) - 1][rng.random_range(0..3)];
            i.sample = Some(Sample {
                kind: rng.random_range(0..3),
                flow: flow(rng),
                rtt_ns,
                now_ns: rng.random(),
                lost: rng.random_range(0..128),
                ..Sample::default()
            });
        }
        // An ACK has at most its own sample, which came the clock before.
        let sampled = std::mem::replace(&mut self.sampled, i.sample.map(|s| s.flow));
        if self.taps[4].next(rng) {
            i.acked = Some(Acked { flow: sampled.unwrap_or_else(|| flow(rng)), outcome: rng.random_range(0..4) });
        }
        i.superseded = self.taps[5].next(rng).then(|| flow(rng));
        if self.taps[2].next(rng) {
            i.event = Some(Event {
                flow: flow(rng),
                // Each counter equally often, and those that stand for none.
                branch: if rng.random_bool(0.9) { rng.random_range(0..5) } else { rng.random_range(0..8) },
                hyperactive: rng.random(),
                rtt_ns: rng.random_range(0..1 << 24),
                rate: rng.random(),
                kind: rng.random_range(0..8),
                ..Event::default()
            });
        }
        i.query = self.taps[3].next(rng).then(|| Query { flow: flow(rng), tag: rng.random_range(0..16) });
        if clk > self.loaded + self.spacing && rng.random_bool(self.loads) {
            let mut record = [0; flow::WORDS];
            record.fill_with(|| rng.random());
            i.flow = Some(FlowLoad { flow: flow(rng), record });
            self.loaded = clk;
        }
        i
    }
}

/// Step of a counter in [`in_large_steps`], in place of 1: odd, so that a counter is the number of
/// events times it.
const STEP: u32 = 0x9e37_79b1;

/// The block with counters in large steps: in a run's events no counter would reach its upper half.
fn in_large_steps() -> Arc<Library> {
    let emit = || {
        let mut text = timely_hw::emit::emit("telemetry_steps", Telemetry::<3>::new()).unwrap_or_else(|e| panic!("emission: {e}"));
        let mut put = |old: &str, new: String, times| {
            assert_eq!(text.matches(old).count(), times, "{old} in the emitted text");
            text = text.replace(old, &new);
        };
        put("+ ((32'h1) & 32'hffffffff)", format!("+ 32'h{STEP:x}"), 16);
        // Wire bytes times 2^24 + 1, lost segments times 2^25 + 1.
        put("+ ((frame__2__q[(64'h0)+:(16)]) & 48'hffffffffffff)", "+ {2{8'd0, frame__2__q[15:0]}}".into(), 1);
        put("+ ((came__3__q[(64'h18)+:(7)]) & 32'hffffffff)", "+ {came__3__q[30:24], 18'd0, came__3__q[30:24]}".into(), 1);
        text
    };
    let key = "telemetry_steps";
    build(key, &mutant::text(key, emit), "tnic_telemetry_steps", Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The record of the same events in large steps.
fn stepped(words: &[u32; layout::WORDS]) -> [u32; layout::WORDS] {
    let mut r = TelemetryRecord::from_words(words);
    let counters = [&mut r.packets, &mut r.segments, &mut r.samples, &mut r.timeouts, &mut r.acks, &mut r.stale, &mut r.repeated];
    let others = [&mut r.forged, &mut r.updates, &mut r.hyperactive, &mut r.superseded];
    counters.into_iter().chain(others).chain(&mut r.branches).for_each(|c| *c = c.wrapping_mul(STEP));
    r.wire_bytes = r.wire_bytes.wrapping_mul((1 << 24) + 1) & ((1 << 48) - 1);
    r.lost = r.lost.wrapping_mul((1 << 25) + 1);
    r.to_words()
}

fn lockstep<const F: usize>(flows: usize, busy: f64, loads: f64, length: u64) {
    let library = verilate(&format!("telemetry_{F}"), Telemetry::<F>::new());
    run::<F>(&library, |words| *words, flows, busy, loads, length);
}

fn run<const F: usize>(
    library: &Arc<Library>,
    shown: impl Fn(&[u32; layout::WORDS]) -> [u32; layout::WORDS],
    flows: usize,
    busy: f64,
    loads: f64,
    length: u64,
) {
    let names = [
        "rst",
        "sent_valid",
        "sent_flow",
        "sent_last",
        "sent_wire_bytes",
        "sample_valid",
        "sample_kind",
        "sample_flow",
        "sample_rtt_ns",
        "sample_lost",
        "acked_valid",
        "acked_flow",
        "acked_outcome",
        "superseded_valid",
        "superseded_flow",
        "event_valid",
        "event_flow",
        "event_branch",
        "event_hyperactive",
        "event_rate",
        "event_kind",
        "fl_valid",
        "fl_flow",
        "query_valid",
        "query_flow",
        "query_tag",
        "now",
    ];
    let ports = names.map(|n| library.input(n));
    let fl_record = library.input("fl_record");
    let [swept, answer_valid, answer_tag, answer_record] =
        ["swept", "answer_valid", "answer_tag", "answer_record"].map(|n| library.output(n));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, F as u32, flows, busy);
        (world.loads, world.rst) = (loads, loads / 200.0);
        let mut dut = library.instantiate(seed as u32);
        let mut model = telemetry::Telemetry::new(F as u32);
        let (mut answers, mut clocks) = (0, 0);
        for clk in 0.. {
            let expected = model.output(clk);
            let answer = (dut.get(answer_valid) == 1)
                .then(|| Answer { tag: dut.get(answer_tag) as u8, record: dut.get_words(answer_record).try_into().unwrap() });
            let as_shown = expected.answer.map(|a| Answer { record: shown(&a.record), ..a });
            let wanted = telemetry::Out { answer: as_shown, ..expected.clone() };
            assert_eq!(telemetry::Out { swept: dut.get(swept) == 1, answer }, wanted, "clock {clk}, seed {seed}");
            if let Some(answer) = expected.answer {
                let r = TelemetryRecord::from_words(&answer.record);
                assert_eq!(r.updates, r.branches.iter().fold(0u32, |a, b| a.wrapping_add(*b)), "torn at clock {clk}, seed {seed}");
                answers += u32::from(r.updates > 3);
            }
            clocks += u64::from(expected.swept);
            if clocks == length {
                break;
            }
            let i = world.next(clk, &mut rng);
            let (s, m, e) = (i.sent.unwrap_or_default(), i.sample, i.event.unwrap_or_default());
            let m_or = m.unwrap_or_default();
            let l = i.flow.unwrap_or_default();
            let a = i.acked.unwrap_or(Acked { flow: 0, outcome: 0 });
            let q = i.query.unwrap_or_default();
            let values: [u64; 27] = [
                i.rst.into(),
                i.sent.is_some().into(),
                s.flow.into(),
                s.last.into(),
                s.wire_bytes.into(),
                m.is_some().into(),
                m_or.kind.into(),
                m_or.flow.into(),
                m_or.rtt_ns.into(),
                m_or.lost.into(),
                i.acked.is_some().into(),
                a.flow.into(),
                a.outcome.into(),
                i.superseded.is_some().into(),
                i.superseded.unwrap_or(0).into(),
                i.event.is_some().into(),
                e.flow.into(),
                e.branch.into(),
                e.hyperactive.into(),
                e.rate.into(),
                e.kind.into(),
                i.flow.is_some().into(),
                l.flow.into(),
                i.query.is_some().into(),
                q.flow.into(),
                q.tag.into(),
                i.now.into(),
            ];
            for (port, value) in ports.iter().zip(values) {
                dut.set(*port, value);
            }
            dut.set_words(fl_record, &l.record);
            dut.tick();
            model.step(clk, &i);
        }
        println!("{answers} answers of records with events in them");
        assert!(answers > 0, "the run exercised nothing");
    }
}

#[test]
fn rtl_equals_model_small() {
    lockstep::<3>(3, 0.6, 0.01, cycles());
}

/// One flow, never cleared, seldom without an event: its wire bytes pass 2^32, and each of its
/// counters 2^17.
#[test]
fn rtl_equals_model_full() {
    lockstep::<3>(1, 0.97, 0.0, 5 * cycles());
}

/// All bits of all counters: in large steps.
#[test]
fn every_bit_of_a_counter_counts() {
    let library = in_large_steps();
    run::<3>(&library, stepped, 3, 0.6, 0.01, cycles());
    run::<3>(&library, stepped, 1, 0.97, 0.0, cycles());
}

#[test]
fn rtl_equals_model_10() {
    lockstep::<10>(12, 0.6, 0.01, cycles());
}

#[test]
fn rtl_equals_model_14() {
    lockstep::<14>(40, 0.6, 0.001, cycles());
}

#[test]
fn every_depth_emits() {
    timely_hw::emit::emit("telemetry", Telemetry::<13>::new()).unwrap();
    timely_hw::emit::emit("telemetry", Telemetry::<16>::new()).unwrap();
}

/// Once all is quiet, a record says what happened since its flow was loaded: counted here from the
/// inputs alone.
#[test]
fn records_add_up() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, 4, 5, 0.3);
        (world.loads, world.rst, world.spacing) = (0.001, 0.0, 64);
        let mut model = telemetry::Telemetry::new(4);
        let mut want: BTreeMap<u32, (TelemetryRecord, f64)> = BTreeMap::new();
        // A load counts 2 clocks later, a sample one.
        let (mut loads, mut last) = ([None, None], None);
        let end = cycles().min(50_000);
        let mut clk = 0;
        while clk < end + 4 {
            let busy = model.output(clk).swept && clk < end;
            let mut i = if busy { world.next(clk, &mut rng) } else { telemetry::In::default() };
            i.query = None;
            if let Some(flow) = loads[1] {
                want.insert(flow, Default::default());
            }
            loads = [i.flow.filter(|l| !l.keep()).map(|l| l.flow), loads[0]];
            if let Some(s) = i.sent {
                let (r, _) = want.entry(s.flow).or_default();
                r.packets += 1;
                r.wire_bytes += u64::from(s.wire_bytes);
                r.segments += u32::from(s.last);
            }
            if let Some(s) = std::mem::replace(&mut last, i.sample) {
                let (r, smooth) = want.entry(s.flow).or_default();
                r.lost += u32::from(s.lost);
                if s.kind == 1 {
                    r.timeouts += 1;
                } else if s.kind == 0 {
                    let old = r.rtt.unwrap_or(layout::Rtts { min_ns: u32::MAX, last_ns: 0, smoothed_q8: 0 });
                    *smooth = if r.rtt.is_some() { *smooth * 0.875 + f64::from(s.rtt_ns) * 0.125 } else { s.rtt_ns.into() };
                    r.samples += 1;
                    r.rtt = Some(layout::Rtts { min_ns: old.min_ns.min(s.rtt_ns), last_ns: s.rtt_ns, smoothed_q8: 0 });
                }
            }
            if let Some(a) = i.acked {
                let (r, _) = want.entry(a.flow).or_default();
                *[&mut r.acks, &mut r.stale, &mut r.repeated, &mut r.forged][usize::from(a.outcome)] += 1;
            }
            if let Some(flow) = i.superseded {
                want.entry(flow).or_default().0.superseded += 1;
            }
            if let Some(e) = i.event {
                let (r, _) = want.entry(e.flow).or_default();
                r.updates += 1;
                r.branches[usize::from(e.branch.min(4))] += 1;
                r.hyperactive += u32::from(e.hyperactive);
                (r.rate, r.last_branch, r.last_kind) = (e.rate, e.branch, e.kind);
            }
            model.step(clk, &i);
            clk += 1;
        }
        for (flow, (expected, smooth)) in want {
            for _ in 0..20 {
                model.step(clk, &telemetry::In::default());
                clk += 1;
            }
            model.step(clk, &telemetry::In { query: Some(Query { flow, tag: 5 }), ..Default::default() });
            assert_eq!(model.output(clk + 1).answer, None);
            model.step(clk + 1, &telemetry::In::default());
            let answer = model.output(clk + 2).answer.unwrap();
            assert_eq!(answer.tag, 5);
            let mut got = TelemetryRecord::from_words(&answer.record);
            if let Some(r) = &mut got.rtt {
                let stated = f64::from(r.smoothed_q8) / 256.0;
                assert!((stated - smooth).abs() < 0.02, "smoothed {stated}, exactly {smooth}, flow {flow}, seed {seed}");
                r.smoothed_q8 = 0;
            }
            // Times have a test of their own.
            (got.sampled_at, got.read_at) = (0, 0);
            assert_eq!(got, expected, "flow {flow}, seed {seed}");
            clk += 2;
        }
    }
}

/// A record is cleared although its taps are busy with other flows, without one idle clock, from
/// its load to after the next.
#[test]
fn no_load_is_lost_on_busy_taps() {
    let mut model = telemetry::Telemetry::new(3);
    let traffic = |flow| telemetry::In {
        sent: Some(Sent { flow, last: true, wire_bytes: 100, ..Sent::default() }),
        sample: Some(Sample { flow, rtt_ns: 10, ..Sample::default() }),
        acked: Some(Acked { flow, outcome: 1 }),
        event: Some(Event { flow, ..Event::default() }),
        superseded: Some(flow),
        ..Default::default()
    };
    let mut clk = 8;
    let mut run = |model: &mut telemetry::Telemetry, clocks: u32, flow: u32, load: Option<u32>, query: Option<u32>| {
        for k in 0..clocks {
            let mut i = traffic(flow);
            i.flow = load.filter(|_| k == 0).map(|flow| FlowLoad { flow, ..Default::default() });
            i.query = query.map(|flow| Query { flow, tag: 0 });
            model.step(clk, &i);
            clk += 1;
        }
        model.output(clk).answer.map(|a| TelemetryRecord::from_words(&a.record))
    };
    run(&mut model, 20, 1, None, None);
    let before = run(&mut model, 3, 2, None, Some(1)).unwrap();
    assert!(before.packets > 5 && before.stale > 5 && before.updates > 5 && before.superseded > 5 && before.rtt.is_some());
    run(&mut model, 10, 2, Some(1), None);
    run(&mut model, 10, 2, Some(3), None);
    assert_eq!(run(&mut model, 3, 2, None, Some(1)), Some(TelemetryRecord::default()));
    run(&mut model, 10, 1, None, None);
    let after = run(&mut model, 3, 2, None, Some(1)).unwrap();
    assert!((3..=10).contains(&after.packets) && after.updates == after.packets && after.forged == 0, "{after:?}");
}

/// Counters wrap, and nothing else of the record moves.
#[test]
fn wire_bytes_pass_32_bits() {
    let mut model = telemetry::Telemetry::new(2);
    let sent = Some(Sent { flow: 1, wire_bytes: u16::MAX, last: true, ..Sent::default() });
    let mut clk = 4;
    for _ in 0..70_000 {
        model.step(clk, &telemetry::In { sent, ..Default::default() });
        clk += 1;
    }
    for query in [None, None, None, None, None, Some(Query { flow: 1, tag: 0 }), None] {
        model.step(clk, &telemetry::In { query, ..Default::default() });
        clk += 1;
    }
    let r = TelemetryRecord::from_words(&model.output(clk).answer.unwrap().record);
    assert_eq!((r.packets, r.wire_bytes, r.segments), (70_000, 70_000 * 65_535, 70_000));
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, 4, 5, 0.02);
        let (mut stepped, mut skipped) = (telemetry::Telemetry::new(4), telemetry::Telemetry::new(4));
        let mut skips = 0;
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            let i = world.next(clk, &mut rng);
            stepped.step(clk, &i);
            let taps = i.sent.is_none() && i.sample.is_none() && i.acked.is_none() && i.event.is_none() && i.superseded.is_none();
            if !taps || i.flow.is_some() || i.query.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}

/// The age of a flow's last RTT: of the RTT and of no time-out, ACK or event after it, across the
/// wrap of the time, `None` before the first and after a load.
#[test]
fn a_record_says_how_old_its_last_rtt_is() {
    let mut model = telemetry::Telemetry::new(2);
    let mut clk = 4;
    let start = u32::MAX - 50;
    let mut run = |model: &mut telemetry::Telemetry, clocks: u32, i: telemetry::In| {
        for k in 0..clocks {
            let first = if k == 0 { i.clone() } else { telemetry::In::default() };
            // 1.024 us a clock.
            model.step(clk, &telemetry::In { now: start.wrapping_add(clk as u32), ..first });
            clk += 1;
        }
        model.output(clk).answer.map(|a| TelemetryRecord::from_words(&a.record).sample_age_us())
    };
    let query = |flow| telemetry::In { query: Some(Query { flow, tag: 0 }), ..Default::default() };
    let sample = |kind| telemetry::In { sample: Some(Sample { flow: 1, kind, rtt_ns: 10, ..Sample::default() }), ..Default::default() };
    assert_eq!(run(&mut model, 2, query(1)), Some(None));
    run(&mut model, 30, sample(0));
    run(&mut model, 30, sample(1));
    run(&mut model, 40, telemetry::In { acked: Some(Acked { flow: 1, outcome: 0 }), ..Default::default() });
    // The sample's time is that of 4 clocks after it; the answer's of 1 after the query.
    assert_eq!(run(&mut model, 2, query(1)), Some(Some(f64::from(30 + 30 + 40 + 1 - 4) * 1.024)));
    assert_eq!(run(&mut model, 2, query(2)), Some(None));
    run(&mut model, 10, telemetry::In { flow: Some(FlowLoad { flow: 1, ..Default::default() }), ..Default::default() });
    assert_eq!(run(&mut model, 2, query(1)), Some(None));
}
