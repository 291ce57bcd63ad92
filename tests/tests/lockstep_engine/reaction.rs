//! `timely_hw::reaction` against `timely_model::reaction`, every output at every clock.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use timely_model::Block;
use timely_model::bus::{FlowLoad, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite, Release, Sample};
use timely_model::engine::law::action;
use timely_model::reaction::{In, Notice, Out, Reaction, SAMPLE_TO_ACTION};
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::{flow, profile};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate as v;

struct Bench {
    library: Arc<v::Library>,
    rst: v::In,
    ack: [v::In; 2],
    sample: [v::In; 4],
    release: [v::In; 2],
    notice: [v::In; 4],
    write: [v::In; 4],
    load: [v::In; 3],
    now: v::In,
    ready: v::In,
    swept: v::Out,
    action: [v::Out; 3],
    pulses: v::Out,
}

impl Bench {
    fn new<const F: usize>() -> Self {
        let library = verilate("reaction", timely_hw::reaction::Reaction::<F>::new());
        let (i, o) = (|name| library.input(name), |name| library.output(name));
        Bench {
            rst: i("rst"),
            ack: ["ack_valid", "ack_ecn"].map(i),
            sample: ["sample_valid", "sample_kind", "sample_flow", "sample_lost"].map(i),
            release: ["release_valid", "release_bytes"].map(i),
            notice: ["notice_valid", "notice_flow", "notice_marked", "notice_bytes"].map(i),
            write: ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(i),
            load: ["fl_valid", "fl_flow", "fl_record"].map(i),
            now: i("now"),
            ready: i("action_ready"),
            swept: o("swept"),
            action: ["action_valid", "action_flow", "action"].map(o),
            pulses: o("pulses"),
            library,
        }
    }

    /// Sets the inputs of a clock; what is not valid is random.
    fn set(&self, dut: &mut v::Dut, i: &In, rng: &mut impl Rng) {
        let mut put = |ports: &[v::In], values: Option<Vec<u64>>| {
            dut.set(ports[0], values.is_some().into());
            for (k, port) in ports[1..].iter().enumerate() {
                dut.set(*port, values.as_ref().map_or_else(|| rng.random(), |values| values[k]));
            }
        };
        let unmarked = u64::from(i.now as u32 % 3);
        put(&self.ack, i.ack.map(|marked| vec![if marked { 3 } else { unmarked }]));
        put(&self.sample, i.sample.map(|s| vec![s.kind.into(), s.flow.into(), (s.lost > 0).into()]));
        put(&self.release, i.release.map(|r| vec![r.bytes.into()]));
        put(&self.notice, i.notice.map(|n| vec![n.flow.into(), n.marked.into(), n.bytes.into()]));
        put(&self.write, i.profile.map(|w| vec![w.profile.into(), w.word.into(), w.data.into()]));
        put(&self.load[..2], i.load.map(|l| vec![l.flow.into()]));
        let record = i.load.map_or_else(|| rng.random(), |l| l.record);
        dut.set_words(self.load[2], &record);
        dut.set(self.rst, i.rst.into());
        dut.set(self.now, i.now);
        dut.set(self.ready, i.ready.into());
    }

    fn get(&self, dut: &v::Dut) -> Out {
        let [valid, flow, action] = self.action;
        Out {
            swept: dut.get(self.swept) == 1,
            action: (dut.get(valid) == 1).then(|| (dut.get(flow) as u32, dut.get(action) as u8)),
            pulses: dut.get(self.pulses),
        }
    }
}

/// Short periods, so that all of them end now and then; sometimes anything at all.
fn words(rng: &mut impl Rng) -> [u32; profile::WORDS] {
    if rng.random_range(0..6) == 0 {
        let mut words: [u32; profile::WORDS] = rng.random();
        profile::LAW.set(&mut words, profile::LAW_DCQCN).expect("a law");
        return words;
    }
    let law = if rng.random_range(0..4) == 0 { LawKind::Timely } else { LawKind::Dcqcn };
    let most = if rng.random() { 1600 } else { 50_000 };
    let parameters = Parameters {
        law,
        cnp_interval_us: rng.random_range(0.2..10.0),
        alpha_timer_us: rng.random_range(0.2..10.0),
        rate_timer_us: rng.random_range(0.2..10.0),
        byte_counter: rng.random_range(1500..most),
        fast_stages: rng.random_range(1..=7),
        loss_decrease: [0.0, 1.0 / f64::from(1 << 26), 0.5][rng.random_range(0..3)],
        ..Parameters::dcqcn_10g()
    };
    parameters.quantise().unwrap_or_else(|e| panic!("{e}"))
}

struct Stimulus {
    flows: u32,
    now: u64,
    acks: Runs,
    notices: Runs,
    /// Flows of the ACKs of the last four clocks, the newest first.
    coming: [Option<u32>; 4],
    released: Option<u32>,
    writes: Vec<ProfileWrite>,
    marked: f64,
    losing: f64,
    pace: u64,
}

impl Stimulus {
    fn next(&mut self, rng: &mut ChaCha8Rng, swept: bool) -> In {
        if rng.random_range(0..20_000) == 0 {
            self.now = self.now.wrapping_add(rng.random());
        }
        if rng.random_range(0..3000) == 0 {
            (self.marked, self.pace) = ([0.0, 0.02, 0.5][rng.random_range(0..3)], [4, 40, 400][rng.random_range(0..3)]);
            self.losing = [0.0, 0.0, 0.01, 0.3][rng.random_range(0..4)];
        }
        self.now = self.now.wrapping_add(self.pace << 16 | u64::from(rng.random::<u16>()));
        let mut i = In { rst: rng.random_range(0..40_000) == 0, now: self.now, ready: rng.random_range(0..8) > 0, ..In::default() };
        let acked = self.acks.next(rng).then(|| if rng.random() { rng.random_range(0..self.flows) } else { rng.random_range(0..4) });
        i.ack = acked.map(|_| rng.random_bool(self.marked));
        let [.., sampled] = self.coming;
        // Some ACKs have no sample, and some samples are time-outs.
        let sampled = sampled.filter(|_| rng.random_range(0..10) > 0);
        // Some tell of losses, and so do NAKs.
        i.sample = sampled.map(|flow| {
            let kind = [KIND_TIMEOUT, KIND_NAK].get(rng.random_range(0..40)).copied().unwrap_or(KIND_RTT);
            let lost = u8::from(kind == KIND_NAK || kind == KIND_RTT && rng.random_bool(self.losing));
            Sample { kind, flow, lost, ..Sample::default() }
        });
        self.coming = [acked, self.coming[0], self.coming[1], self.coming[2]];
        // Powers of two end near a period's end often, so that each bit of the count is seen.
        let bytes = |rng: &mut ChaCha8Rng| match rng.random_range(0..20) {
            0 => rng.random(),
            1..10 => 1 << rng.random_range(0..11),
            _ => rng.random_range(0..5000),
        };
        i.release = self.released.map(|flow| Release { flow, bytes: bytes(rng) });
        self.released = sampled;
        i.notice = self.notices.next(rng).then(|| Notice {
            flow: rng.random_range(0..self.flows.min(4)),
            marked: rng.random_bool(self.marked),
            bytes: bytes(rng) & 0xffff,
        });
        if rng.random_range(0..400) == 0 {
            let mut record: [u32; flow::WORDS] = rng.random();
            record[0] |= u32::from(rng.random_range(0..4) > 0);
            i.load = Some(FlowLoad { flow: rng.random_range(0..self.flows.min(16)), record });
        }
        if self.writes.is_empty() && (!swept || rng.random_range(0..300) == 0) {
            let all = if swept { 1 } else { profile::PROFILES as u8 };
            let first = if swept { rng.random_range(0..profile::PROFILES as u8) } else { 0 };
            for profile in first..first + all {
                let words = words(rng);
                self.writes.extend((0..profile::WORDS as u8).rev().map(|word| ProfileWrite {
                    profile,
                    word,
                    data: words[usize::from(word)],
                }));
            }
        }
        if swept {
            i.profile = self.writes.pop();
        }
        i
    }
}

fn lockstep<const F: usize>() {
    let bench = Bench::new::<F>();
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (bench.library.instantiate(seed as u32), Reaction::new(F as u32));
        let mut stimulus = Stimulus {
            flows: 1 << F,
            now: rng.random(),
            acks: Runs::new(0.05, 100),
            notices: Runs::new(0.003, 40),
            coming: [None; 4],
            released: None,
            writes: Vec::new(),
            marked: 0.02,
            losing: 0.0,
            pace: 40,
        };
        let (mut seen, mut steps, mut lost) = ([0u64; 4], [0u64; 16], 0);
        for clk in 0..cycles() {
            if clk % 5000 == 0 {
                stimulus.acks.p = [0.05, 0.003, 0.3, 0.01][clk as usize / 5000 % 4];
            }
            let out = model.output(clk);
            assert_eq!(bench.get(&dut), out, "clock {clk}, seed {seed}, 2^{F} flows");
            let i = stimulus.next(&mut rng, out.swept);
            if let Some((_, bits)) = out.action.filter(|_| i.ready) {
                (0..4).for_each(|k| seen[k] += u64::from(bits >> k & 1));
                steps[usize::from(bits >> action::STEPS)] += 1;
            }
            lost += u64::from(out.pulses != 0);
            bench.set(&mut dut, &i, &mut rng);
            dut.tick();
            model.step(clk, &i);
        }
        println!("2^{F} flows: actions by bit {seen:?}, by steps {steps:?}, lost {lost}");
        if cycles() >= 200_000 {
            assert!(seen.iter().all(|n| *n > 100) && steps[..4].iter().all(|n| *n > 20) && lost > 0, "{seen:?} {steps:?} {lost}");
        }
    }
}

#[test]
fn rtl_equals_model_8_flows() {
    lockstep::<3>();
}

#[test]
fn rtl_equals_model_1k_flows() {
    lockstep::<10>();
}

/// An idle block is not stepped, and is what it would be if it were.
#[test]
fn skipping_equals_stepping() {
    let mut rng = rng(5);
    let (mut stepped, mut skipped) = (Reaction::new(4), Reaction::new(4));
    let mut stimulus = Stimulus {
        flows: 16,
        now: 0,
        acks: Runs::new(0.01, 20),
        notices: Runs::new(0.01, 20),
        coming: [None; 4],
        released: None,
        writes: Vec::new(),
        marked: 0.3,
        losing: 0.1,
        pace: 40,
    };
    let (mut due, mut rests) = (0, 0);
    for clk in 0..cycles() {
        let out = stepped.output(clk);
        assert_eq!(skipped.output(clk), out, "clock {clk}");
        let i = stimulus.next(&mut rng, out.swept);
        stepped.step(clk, &i);
        let idle = !i.rst
            && i.ack.is_none()
            && i.sample.is_none()
            && i.load.is_none()
            && i.profile.is_none()
            && i.release.is_none()
            && i.notice.is_none();
        if idle && clk < due {
            rests += 1;
            continue;
        }
        skipped.step(clk, &i);
        due = skipped.wake(clk + 1);
    }
    assert!(rests > cycles() / 100, "{rests}");
}

/// A marked ACK is a CNP so many clocks after its sample, and a queue pair's CNP after its notice.
#[test]
fn latency_is_what_is_written() {
    let bench = Bench::new::<10>();
    let mut dut = bench.library.instantiate(1);
    let mut rng = rng(1);
    let mut run = |i: &In| {
        let out = bench.get(&dut);
        bench.set(&mut dut, &In { ready: true, now: 1 << 40, ..i.clone() }, &mut rng);
        dut.tick();
        out
    };
    while !run(&In::default()).swept {}
    for (word, data) in Parameters::dcqcn_10g().quantise().expect("valid").into_iter().enumerate() {
        run(&In { profile: Some(ProfileWrite { profile: 0, word: word as u8, data }), ..In::default() });
    }
    run(&In { ack: Some(true), ..In::default() });
    for _ in 0..3 {
        run(&In::default());
    }
    run(&In { sample: Some(Sample { flow: 5, ..Sample::default() }), ..In::default() });
    let clocks = (1..).find(|_| run(&In::default()).action == Some((5, action::CNP))).expect("a CNP");
    assert_eq!(clocks, SAMPLE_TO_ACTION);
    run(&In { notice: Some(Notice { flow: 6, marked: true, bytes: 0 }), ..In::default() });
    let clocks = (1..).find(|_| run(&In::default()).action == Some((6, action::CNP))).expect("a CNP");
    assert_eq!(clocks, SAMPLE_TO_ACTION);
}
