//! `timely_hw::telemetry` against `timely_model::telemetry`, every output at every clock; and what the model promises.
use rand::Rng;
use std::collections::BTreeMap;
use timely_hw::telemetry::Telemetry;
use timely_model::bus::{Event, FlowLoad, Sample, Sent};
use timely_model::{Block, telemetry};
use timely_regs::telemetry::{TelemetryRecord, WORDS};
use timely_regs::{flow, telemetry as layout};
use timely_tests::{Runs, cycles, rng, seeds, verilate};

/// Taps with their own runs of events, on few flows of `2^flow_bits`.
struct World {
    flows: Vec<u32>,
    taps: [Runs; 4],
    loads: f64,
    rst: f64,
    loaded: u64,
}

impl World {
    fn new(rng: &mut impl Rng, flow_bits: u32, flows: usize, busy: f64) -> Self {
        World {
            flows: (0..flows).map(|_| rng.random_range(0..1 << flow_bits)).collect(),
            taps: std::array::from_fn(|_| Runs::new(busy, 14)),
            loads: 0.01,
            rst: 0.00005,
            loaded: 0,
        }
    }

    fn next(&mut self, clk: u64, rng: &mut impl Rng) -> telemetry::In {
        // Events of one flow come in a row now and then: a clock apart, and further.
        let near = self.flows[clk as usize / 16 % self.flows.len()];
        let flows = &self.flows;
        let flow = |rng: &mut dyn rand::RngCore| if rng.random_bool(0.7) { near } else { flows[rng.random_range(0..flows.len())] };
        let mut i = telemetry::In { rst: rng.random_bool(self.rst), ..Default::default() };
        if self.taps[0].next(rng) {
            let wire_bytes = if rng.random() { rng.random() } else { u16::MAX };
            i.sent = Some(Sent { flow: flow(rng), last: rng.random(), wire_bytes, ..Sent::default() });
        }
        if self.taps[1].next(rng) {
            let rtt_ns = [rng.random_range(0..1 << 24), rng.random_range(0..100), (1 << 24) - 1][rng.random_range(0..3)];
            i.sample = Some(Sample { kind: rng.random_range(0..2), flow: flow(rng), rtt_ns, now_ns: rng.random(), ..Sample::default() });
        }
        if self.taps[2].next(rng) {
            i.event = Some(Event {
                flow: flow(rng),
                branch: rng.random_range(0..8),
                hyperactive: rng.random(),
                rtt_ns: rng.random_range(0..1 << 24),
                rate: rng.random(),
                kind: rng.random_range(0..8),
                ..Event::default()
            });
        }
        i.query = self.taps[3].next(rng).then(|| flow(rng));
        if clk > self.loaded + 3 && rng.random_bool(self.loads) {
            let mut record = [0; flow::WORDS];
            record.fill_with(|| rng.random());
            i.flow = Some(FlowLoad { flow: flow(rng), record });
            self.loaded = clk;
        }
        i
    }
}

fn lockstep<const F: usize>(flows: usize, loads: f64) {
    let library = verilate(&format!("telemetry_{F}"), Telemetry::<F>::default());
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
    ];
    let ports = names.map(|n| library.input(n));
    let fl_record = library.input("fl_record");
    let (swept, answer_valid, answer_record) = (library.output("swept"), library.output("answer_valid"), library.output("answer_record"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, F as u32, flows, 0.6);
        (world.loads, world.rst) = (loads, loads / 200.0);
        let mut dut = library.instantiate(seed as u32);
        let mut model = telemetry::Telemetry::new(F as u32);
        let (mut answers, mut clocks) = (0, 0);
        for clk in 0.. {
            let expected = model.output(clk);
            let answer = (dut.get(answer_valid) == 1).then(|| <[u32; WORDS]>::try_from(dut.get_words(answer_record)).unwrap());
            assert_eq!(telemetry::Out { swept: dut.get(swept) == 1, answer }, expected, "clock {clk}, seed {seed}");
            if let Some(words) = expected.answer {
                let r = TelemetryRecord::from_words(&words);
                assert_eq!(r.updates, r.branches.iter().fold(0u32, |a, b| a.wrapping_add(*b)), "torn at clock {clk}, seed {seed}");
                answers += u32::from(r.updates > 3);
            }
            clocks += u64::from(expected.swept);
            if clocks == cycles() {
                break;
            }
            let i = world.next(clk, &mut rng);
            let (s, m, e) = (i.sent.unwrap_or_default(), i.sample, i.event.unwrap_or_default());
            let m_or = m.unwrap_or_default();
            let l = i.flow.unwrap_or_default();
            let values: [u64; 19] = [
                i.rst.into(),
                i.sent.is_some().into(),
                s.flow.into(),
                s.last.into(),
                s.wire_bytes.into(),
                m.is_some().into(),
                m_or.kind.into(),
                m_or.flow.into(),
                m_or.rtt_ns.into(),
                i.event.is_some().into(),
                e.flow.into(),
                e.branch.into(),
                e.hyperactive.into(),
                e.rate.into(),
                e.kind.into(),
                i.flow.is_some().into(),
                l.flow.into(),
                i.query.is_some().into(),
                i.query.unwrap_or(0).into(),
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
    lockstep::<3>(3, 0.01);
}

/// One flow, never cleared: its wire bytes pass 2^32.
#[test]
fn rtl_equals_model_full() {
    lockstep::<3>(1, 0.0);
}

#[test]
fn rtl_equals_model_10() {
    lockstep::<10>(12, 0.01);
}

#[test]
fn rtl_equals_model_14() {
    lockstep::<14>(40, 0.001);
}

#[test]
fn every_depth_emits() {
    timely_hw::emit::emit("telemetry", Telemetry::<13>::default()).unwrap();
    timely_hw::emit::emit("telemetry", Telemetry::<16>::default()).unwrap();
}

/// Once all is quiet, a record says what happened since its flow was loaded: counted here from the inputs alone.
#[test]
fn records_add_up() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, 4, 5, 0.3);
        (world.loads, world.rst) = (0.001, 0.0);
        let mut model = telemetry::Telemetry::new(4);
        let mut want: BTreeMap<u32, (TelemetryRecord, f64)> = BTreeMap::new();
        let end = cycles().min(50_000);
        let mut clk = 0;
        while clk < end {
            let mut i = if model.output(clk).swept { world.next(clk, &mut rng) } else { telemetry::In::default() };
            i.query = None;
            if let Some(s) = i.sent {
                let (r, _) = want.entry(s.flow).or_default();
                r.packets += 1;
                r.wire_bytes += u64::from(s.wire_bytes);
                r.segments += u32::from(s.last);
            }
            if let Some(s) = i.sample {
                let (r, smooth) = want.entry(s.flow).or_default();
                if s.kind == 1 {
                    r.timeouts += 1;
                } else {
                    let old = r.rtt.unwrap_or(layout::Rtts { min_ns: u32::MAX, last_ns: 0, smoothed_q8: 0 });
                    *smooth = if r.rtt.is_some() { *smooth * 0.875 + f64::from(s.rtt_ns) * 0.125 } else { s.rtt_ns.into() };
                    r.samples += 1;
                    r.rtt = Some(layout::Rtts { min_ns: old.min_ns.min(s.rtt_ns), last_ns: s.rtt_ns, smoothed_q8: 0 });
                }
            }
            if let Some(e) = i.event {
                let (r, _) = want.entry(e.flow).or_default();
                r.updates += 1;
                r.branches[usize::from(e.branch.min(4))] += 1;
                r.hyperactive += u32::from(e.hyperactive);
                (r.rate, r.last_branch, r.last_kind) = (e.rate, e.branch, e.kind);
            }
            if let Some(l) = i.flow.filter(|l| !l.keep()) {
                want.insert(l.flow, Default::default());
            }
            model.step(clk, &i);
            clk += 1;
        }
        for (flow, (expected, smooth)) in want {
            for _ in 0..20 {
                model.step(clk, &telemetry::In::default());
                clk += 1;
            }
            model.step(clk, &telemetry::In { query: Some(flow), ..Default::default() });
            assert_eq!(model.output(clk + 1).answer, None);
            model.step(clk + 1, &telemetry::In::default());
            let mut got = TelemetryRecord::from_words(&model.output(clk + 2).answer.unwrap());
            if let Some(r) = &mut got.rtt {
                let stated = f64::from(r.smoothed_q8) / 256.0;
                assert!((stated - smooth).abs() < 0.02, "smoothed {stated}, exactly {smooth}, flow {flow}, seed {seed}");
                r.smoothed_q8 = 0;
            }
            assert_eq!(got, expected, "flow {flow}, seed {seed}");
            clk += 2;
        }
    }
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
    for query in [None, None, None, None, None, Some(1), None] {
        model.step(clk, &telemetry::In { query, ..Default::default() });
        clk += 1;
    }
    let r = TelemetryRecord::from_words(&model.output(clk).answer.unwrap());
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
            let taps = i.sent.is_none() && i.sample.is_none() && i.event.is_none();
            if !taps || i.flow.is_some() || i.query.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
