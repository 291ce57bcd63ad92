//! `timely_hw::engine` against `timely_model::engine`, every output at every clock.
use rand::Rng;
use std::collections::VecDeque;
use std::sync::Arc;
use timely_model::Block;
use timely_model::bus::{Event, FlowLoad, FlowRate, ProfileWrite, RTT_MAX, Sample};
use timely_model::engine::law::State;
use timely_model::engine::parts::{above_base, excess_over, flow_scaling, over_endpoint, threshold};
use timely_model::engine::{Engine, In, Out, SAMPLE_TO_RATE, SPACING};
use timely_regs::counters::Counter;
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::{flow, profile};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate as v;

/// The design with its ports.
struct Bench {
    library: Arc<v::Library>,
    rst: v::In,
    sample: [v::In; 7],
    idle: [v::In; 2],
    limited: [v::In; 3],
    host: [v::In; 3],
    load: [v::In; 3],
    write: [v::In; 4],
    swept: v::Out,
    rate: [v::Out; 3],
    event: [v::Out; 13],
    superseded: [v::Out; 2],
    pulses: v::Out,
}

impl Bench {
    fn new(library: Arc<v::Library>) -> Self {
        let (i, o) = (|name| library.input(name), |name| library.output(name));
        Bench {
            rst: i("rst"),
            sample: ["sample_valid", "sample_kind", "sample_flow", "sample_rtt_ns", "sample_now_ns", "sample_hops", "sample_endpoint_ns"]
                .map(i),
            idle: ["idle_valid", "idle_flow"].map(i),
            limited: ["limited_valid", "limited_flow", "limited"].map(i),
            host: ["host_valid", "host_flow", "host_rate"].map(i),
            load: ["fl_valid", "fl_flow", "fl_record"].map(i),
            write: ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(i),
            swept: o("swept"),
            rate: ["rate_valid", "rate_flow", "rate_value"].map(o),
            event: [
                "event_valid",
                "event_flow",
                "event_branch",
                "event_hyperactive",
                "event_rtt_ns",
                "event_rate",
                "event_kind",
                "event_before",
                "event_rate_before",
                "event_now_ns",
                "event_hops",
                "event_endpoint_ns",
                "event_profile",
            ]
            .map(o),
            superseded: ["superseded_valid", "superseded_flow"].map(o),
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
        put(
            &self.sample,
            i.sample.map(|s| vec![s.kind.into(), s.flow.into(), s.rtt_ns.into(), s.now_ns.into(), s.hops.into(), s.endpoint_ns.into()]),
        );
        put(&self.idle, i.idle.map(|f| vec![f.into()]));
        put(&self.limited, i.limited.map(|(f, l)| vec![f.into(), l.into()]));
        put(&self.host, i.host.map(|r| vec![r.flow.into(), r.value.into()]));
        put(&self.write, i.profile.map(|w| vec![w.profile.into(), w.word.into(), w.data.into()]));
        put(&self.load[..2], i.load.map(|l| vec![l.flow.into()]));
        dut.set(self.rst, i.rst.into());
        let record = i.load.map_or_else(|| rng.random(), |l| l.record);
        dut.set_words(self.load[2], &record);
    }

    fn get(&self, dut: &v::Dut) -> Out {
        let rate = |p: &[v::Out; 3]| FlowRate { flow: dut.get(p[1]) as u32, value: dut.get(p[2]) as u32 };
        let event = |p: &[v::Out; 13]| Event {
            flow: dut.get(p[1]) as u32,
            branch: dut.get(p[2]) as u8,
            hyperactive: dut.get(p[3]) == 1,
            rtt_ns: dut.get(p[4]) as u32,
            rate: dut.get(p[5]) as u32,
            kind: dut.get(p[6]) as u8,
            before: dut.get_words(p[7]).try_into().expect("160 bits"),
            rate_before: dut.get(p[8]) as u32,
            now_ns: dut.get(p[9]) as u32,
            hops: dut.get(p[10]) as u8,
            endpoint_ns: dut.get(p[11]) as u32,
            profile: dut.get(p[12]) as u8,
        };
        Out {
            swept: dut.get(self.swept) == 1,
            rate: (dut.get(self.rate[0]) == 1).then(|| rate(&self.rate)),
            event: (dut.get(self.event[0]) == 1).then(|| event(&self.event)),
            superseded: (dut.get(self.superseded[0]) == 1).then(|| dut.get(self.superseded[1]) as u32),
            pulses: dut.get(self.pulses) as u32,
        }
    }
}

/// All laws; the one that needs no samples is rarer.
const LAWS: [LawKind; 9] = {
    use LawKind::*;
    [Timely, Timely, Patched, Patched, Swift, Swift, Pi, Pi, Fixed]
};

/// A profile's words: of valid parameters with all options, sometimes anything at all.
fn words(rng: &mut impl Rng) -> [u32; profile::WORDS] {
    if rng.random_range(0..6) == 0 {
        let mut words: [u32; profile::WORDS] = rng.random();
        if rng.random() {
            profile::LAW.set(&mut words, rng.random_range(profile::LAW_TIMELY..=profile::LAW_PI)).expect("a law");
        }
        return words;
    }
    let line = 10_000.0 * 10f64.powf(rng.random());
    let t_low_us = rng.random_range(0..100).into();
    let (reference_us, error_beta) = (rng.random_range(10.0..200.0), rng.random_range(0.004..0.06));
    // The greatest gains that the hardware holds, of PI's integral and proportional part.
    let gain = |bits: i32| 1000.0 * reference_us / error_beta * 2f64.powi(-bits);
    let parameters = Parameters {
        law: LAWS[rng.random_range(0..LAWS.len())],
        alpha: 0.005 * 200f64.powf(rng.random()),
        beta: rng.random_range(0.01..=1.0),
        t_low_us,
        t_high_us: t_low_us + f64::from(rng.random_range(1..500)),
        min_rtt_us: 2.0 * 50f64.powf(rng.random()),
        update_interval_us: 10f64.powf(rng.random_range(-1.0..3.0)),
        additive_step_mbps: rng.random_range(0.01..800.0),
        hyperactive_after: rng.random_range(1..=7),
        hyperactive_smoothed: rng.random(),
        delta_factor: rng.random(),
        half_floor: rng.random(),
        reference_us,
        error_beta,
        integral_gain: gain(22) * 1000f64.powf(-rng.random::<f64>()),
        proportional_gain: gain(16) * rng.random::<f64>().powi(4),
        base_target_us: rng.random_range(5.0..60.0),
        hop_us: 0.1 * rng.random::<f64>(),
        flow_range_us: rng.random_range(0.0..100.0),
        flow_least_packets: rng.random_range(0.05..1.0),
        flow_most_packets: rng.random_range(10.0..200.0),
        packet_bytes: rng.random_range(100..9000),
        endpoint_target_us: 0.01 * 1000f64.powf(rng.random()),
        max_decrease: rng.random_range(0.1..=1.0),
        idle_mbps: rng.random_range(line / 1000.0..line),
        initial_mbps: rng.random_range(line / 1000.0..line),
        ..Parameters::authors_10g().line(line)
    };
    parameters.quantise().unwrap_or_else(|e| panic!("{e}"))
}

/// Inputs like those of a NIC under too much load, with a clock that wraps.
struct Stimulus {
    flows: u32,
    hot: [u32; 16],
    rtts: [f64; 8],
    now: u32,
    p_reset: f64,
    samples: Runs,
    one_flow: Runs,
    one_flow_now: bool,
    others: Runs,
    writes: VecDeque<ProfileWrite>,
}

impl Stimulus {
    fn new(rng: &mut impl Rng, flow_bits: u32, load: f64) -> Self {
        let flows = 1 << flow_bits;
        Stimulus {
            flows,
            hot: std::array::from_fn(|_| rng.random_range(0..flows)),
            rtts: [20_000.0; 8],
            now: u32::MAX - 20_000,
            p_reset: 0.2 / f64::from(flows.max(2000)),
            samples: Runs::new(load, 120),
            one_flow: Runs::new(0.1, 150),
            one_flow_now: false,
            others: Runs::new(load / 4.0, 30),
            writes: VecDeque::new(),
        }
    }

    fn rewrite(&mut self, rng: &mut impl Rng, profile: u8) {
        let words = words(rng);
        self.writes.extend((0..profile::WORDS as u8).map(|word| ProfileWrite { profile, word, data: words[usize::from(word)] }));
    }

    fn flow(&self, rng: &mut impl Rng) -> u32 {
        if rng.random_range(0..3) == 0 { rng.random_range(0..self.flows) } else { self.hot[rng.random_range(0..16)] }
    }

    fn sample(&mut self, rng: &mut impl Rng) -> Sample {
        let flow = if self.one_flow_now { self.hot[0] } else { self.flow(rng) };
        let rtt = &mut self.rtts[flow as usize % 8];
        *rtt = match rng.random_range(0..100) {
            0 => f64::from(rng.random_range(0..=RTT_MAX)),
            1..5 => 1000.0 * 2f64.powf(rng.random_range(-2.0..11.0)),
            5..20 => *rtt,
            20..60 => (*rtt - 5.0).max(0.0),
            _ => *rtt * rng.random_range(0.9..1.1),
        };
        let rtt_ns = (*rtt as u32).min(RTT_MAX);
        let endpoint_ns = rng.random::<u32>() >> rng.random_range(8..32);
        Sample { kind: u8::from(rng.random_range(0..50) == 0), flow, rtt_ns, now_ns: self.now, hops: rng.random(), endpoint_ns }
    }

    fn next(&mut self, rng: &mut impl Rng, swept: bool) -> In {
        let mut i = In { rst: rng.random_bool(self.p_reset), ..Default::default() };
        self.now = self.now.wrapping_add(if rng.random_range(0..5000) == 0 { rng.random() } else { rng.random_range(0..2000) });
        self.one_flow_now = self.one_flow.next(rng);
        i.sample = self.samples.next(rng).then(|| self.sample(rng));
        if rng.random_range(0..20) == 0 {
            i.limited = Some((self.flow(rng), rng.random_range(0..3) == 0));
        }
        if self.others.next(rng) {
            match rng.random_range(0..3) {
                0 => i.idle = Some(self.flow(rng)),
                1 => i.host = Some(FlowRate { flow: self.flow(rng), value: rng.random::<u32>() >> rng.random_range(0..16) }),
                _ => {
                    let mut record: [u32; flow::WORDS] = rng.random();
                    record[0] |= u32::from(rng.random_range(0..4) > 0);
                    i.load = Some(FlowLoad { flow: self.flow(rng), record });
                }
            }
        }
        if !swept && self.writes.is_empty() {
            (0..profile::PROFILES as u8).for_each(|p| self.rewrite(rng, p));
        } else if swept && self.writes.is_empty() && rng.random_range(0..40) == 0 {
            let (profile, word) = (rng.random_range(0..profile::PROFILES as u8), rng.random_range(0..29));
            if rng.random_range(0..10) == 0 {
                self.rewrite(rng, profile);
            } else {
                self.writes.push_back(ProfileWrite { profile, word, data: words(rng)[usize::from(word)] });
            }
        }
        // Before the sweep ends writes are lost: some show that.
        if swept || rng.random_range(0..5000) == 0 {
            i.profile = self.writes.pop_front();
        }
        i
    }
}

/// A profile's words where random ones hardly come: rates as low and as high as words hold, an initial rate a few units below the
/// greatest, errors of any scale, small smoothed differences that count, flow scaling over all of its range.
fn edge_words(rng: &mut impl Rng) -> [u32; profile::WORDS] {
    let unit = 1.0 / 4096.0;
    let greatest_mbps = 2f64.powf(rng.random_range(4.0..22.0)).min(1_048_575.0);
    let least_mbps = (greatest_mbps * 2f64.powf(rng.random_range(-34.0..0.0))).max(unit);
    let mut between = || (least_mbps * (greatest_mbps / least_mbps).powf(rng.random())).clamp(least_mbps, greatest_mbps);
    let (initial_mbps, idle_mbps) = (between(), between());
    let (t_low_us, reference_us) = (rng.random_range(1.0..50.0), rng.random_range(10.0..200.0));
    let t_high_us = t_low_us + rng.random_range(50.0..500.0);
    let error_beta = (3.9 / f64::max(t_high_us / reference_us - 1.0, 1.0)).min(10f64.powf(rng.random_range(-2.4..0.0)));
    let gain = |bits: i32| 1000.0 * reference_us / error_beta * 2f64.powi(-bits);
    let flow_least_packets: f64 = 0.001 * 1000f64.powf(rng.random());
    let flow_most_packets = flow_least_packets * 10f64.powf(rng.random_range(0.05..4.0));
    let beta = rng.random_range(0.05..=1.0);
    let span = (1.0 - (flow_least_packets / flow_most_packets).sqrt()).recip();
    let parameters = Parameters {
        law: LAWS[rng.random_range(0..LAWS.len())],
        alpha: rng.random_range(0.03..0.9),
        beta,
        t_low_us,
        t_high_us,
        min_rtt_us: 2.0 * 50f64.powf(rng.random()),
        update_interval_us: 10f64.powf(rng.random_range(-1.0..4.0)),
        additive_step_mbps: 800f64.powf(rng.random_range(-1.0..1.0)),
        hyperactive_smoothed: rng.random(),
        half_floor: rng.random(),
        deadband_ns: if rng.random() { 0.0 } else { 0.01 * 10_000f64.powf(rng.random()) },
        reference_us,
        error_beta,
        integral_gain: gain(22) * 1000f64.powf(-rng.random::<f64>()),
        proportional_gain: gain(16) * rng.random::<f64>().powi(4),
        base_target_us: rng.random_range(5.0..60.0),
        hop_us: 0.1 * rng.random::<f64>(),
        flow_range_us: 499.0 * rng.random::<f64>() / (beta * span),
        flow_least_packets,
        flow_most_packets,
        packet_bytes: rng.random_range(64..9000),
        endpoint_target_us: 0.01 * 1000f64.powf(rng.random()),
        max_decrease: rng.random_range(0.1..=1.0),
        idle_mbps,
        initial_mbps,
        least_mbps,
        greatest_mbps,
        ..Parameters::authors_10g()
    };
    let mut words = parameters.quantise().unwrap_or_else(|e| panic!("{e}"));
    if rng.random() {
        let greatest = profile::GREATEST_RATE.get(&words);
        let initial = greatest - rng.random_range(0..4).min(greatest - profile::LEAST_RATE.get(&words));
        profile::INITIAL_RATE.set(&mut words, initial).expect("a rate");
    }
    words
}

/// Flows that [`Edges`] uses; each is sampled when it is free to issue, so that far more samples are done than of [`Stimulus`].
const EDGE_FLOWS: usize = 48;
/// Clocks after which [`Edges`] loads other profiles.
const EDGE_CLOCKS: u64 = 20_000;

/// Inputs that bring numbers to where they decide: RTTs at rest, delays at their thresholds, a Swift flow's next decrease an RTT after its
/// last, its two delays that decrease alike; and loads that fill their queue.
struct Edges {
    /// The flows, their profiles, and the clock of the next sample.
    flows: Vec<(u32, u8, u64)>,
    words: Vec<[u32; profile::WORDS]>,
    /// The clock of the next profiles.
    other_at: u64,
    now: u32,
    samples: Runs,
    /// What comes before anything else.
    first: VecDeque<In>,
}

impl Edges {
    fn new(rng: &mut impl Rng, flow_bits: u32) -> Self {
        let flows = 1 << flow_bits;
        let chosen = rand::seq::index::sample(rng, flows, EDGE_FLOWS.min(flows));
        Edges {
            flows: chosen.into_iter().map(|f| (f as u32, 0, 0)).collect(),
            words: Vec::new(),
            other_at: 0,
            now: 0,
            samples: Runs::new(0.6, 60),
            first: VecDeque::new(),
        }
    }

    fn load(rng: &mut impl Rng, flow: u32, profile: u8, keep: bool) -> In {
        let mut record: [u32; flow::WORDS] = rng.random();
        for (field, value) in [(flow::ENABLE, 1), (flow::KEEP, keep.into()), (flow::PROFILE, profile.into())] {
            field.set(&mut record, value).expect("it fits");
        }
        In { load: Some(FlowLoad { flow, record }), ..In::default() }
    }

    /// Other profiles, and the flows anew.
    fn set_up(&mut self, rng: &mut impl Rng) {
        self.words = (0..profile::PROFILES).map(|_| edge_words(rng)).collect();
        for (profile, words) in (0..).zip(&self.words) {
            let write = |(word, data): (u8, &u32)| In { profile: Some(ProfileWrite { profile, word, data: *data }), ..In::default() };
            self.first.extend((0..).zip(words).map(write));
        }
        for (flow, profile, _) in &mut self.flows {
            *profile = rng.random_range(0..profile::PROFILES as u8);
            self.first.push_back(Self::load(rng, *flow, *profile, false));
        }
    }

    /// A sample of flow `k`, which has this state.
    fn sample(&self, rng: &mut impl Rng, k: usize, s: &State) -> Sample {
        let (flow, profile, _) = self.flows[k];
        let w = &self.words[usize::from(profile)];
        let (low, high) = (profile::T_LOW.get(w), profile::T_HIGH.get(w));
        let swift = profile::LAW.get(w) == profile::LAW_SWIFT;
        let any = |rng: &mut _| 2f64.powf(Rng::random_range(rng, 8.0..24.0)) as u32;
        let near = |rng: &mut _, ns: u32| ns.saturating_add_signed(Rng::random_range(rng, -8..=8));
        let (mut rtt_ns, endpoint_ns) = (any(rng), any(rng) >> rng.random_range(0..16));
        let (mut now_ns, hops) = (self.now, rng.random());
        let mut kind = u8::from(rng.random_range(0..200) == 0);
        if !swift && k.is_multiple_of(2) {
            // At rest, but for a small step now and then.
            kind = 0;
            let steps = rng.random_range(0..100) == 0;
            rtt_ns = if s.history { s.rtt_ns } else { rng.random_range(low..=high) };
            rtt_ns = if steps { rtt_ns.saturating_add_signed(rng.random_range(-40..=40)).clamp(low, high) } else { rtt_ns };
        } else if !swift {
            rtt_ns = match rng.random_range(0..4) {
                0 => rtt_ns,
                1 => near(rng, low),
                2 => near(rng, high),
                _ => rng.random_range(low..=high),
            };
        } else {
            if rng.random() {
                // The least delay of the fabric that decreases as much as the endpoint's.
                let cut = i64::from(profile::BETA.get(w) >> 5) - over_endpoint(threshold(w, endpoint_ns), endpoint_ns);
                let wanted = if endpoint_ns > high { cut.clamp(0, profile::MAX_DECREASE.get(w).into()) } else { 0 };
                let scaling = flow_scaling(w, s.rate);
                let decreases = |rtt_ns| {
                    let excess = above_base(w, s.average, rtt_ns, hops) - scaling;
                    excess >= 0 && excess_over(excess, rtt_ns) >= wanted
                };
                let (mut below, mut above) = (0, RTT_MAX);
                while above - below > 1 {
                    let middle = below.midpoint(above);
                    (below, above) = if decreases(middle) { (below, middle) } else { (middle, above) };
                }
                rtt_ns = if rng.random() { above } else { below };
            }
            if rng.random() {
                now_ns = (s.mark as u32).wrapping_add(near(rng, rtt_ns + endpoint_ns));
            }
        }
        Sample { kind, flow, rtt_ns, now_ns, hops, endpoint_ns }
    }

    fn next(&mut self, rng: &mut impl Rng, model: &Engine, clk: u64) -> In {
        self.now = self.now.wrapping_add(rng.random_range(0..2000));
        if clk >= self.other_at {
            self.other_at = clk + EDGE_CLOCKS;
            self.set_up(rng);
        }
        let k = rng.random_range(0..self.flows.len());
        let (flow, profile, free) = self.flows[k];
        if rng.random_range(0..2000) == 0 {
            // More loads of a flow than their queue holds.
            self.first.extend((0..rng.random_range(18..60)).map(|_| Self::load(rng, flow, profile, false)));
        }
        if let Some(i) = self.first.pop_front() {
            return i;
        }
        let mut i = In::default();
        if self.samples.next(rng) && (clk >= free || rng.random_range(0..50) == 0) {
            i.sample = Some(self.sample(rng, k, model.state(flow)));
            self.flows[k].2 = clk + SPACING + 2;
        }
        let (other, profile, _) = self.flows[rng.random_range(0..self.flows.len())];
        if rng.random_range(0..20) == 0 {
            i.limited = Some((other, rng.random()));
        }
        match rng.random_range(0..400) {
            0..4 => i.idle = Some(other),
            4..6 => i.host = Some(FlowRate { flow: other, value: rng.random::<u32>() >> rng.random_range(0..32) }),
            6..9 => i.load = Self::load(rng, other, profile, false).load,
            9 => i.load = Self::load(rng, other, profile, true).load,
            _ => {}
        }
        i
    }
}

/// What a run has seen.
#[derive(Debug, Default)]
struct Seen {
    kinds: [u64; 5],
    branches: [u64; 6],
    hyperactive: u64,
    rates: u64,
    pulses: [u64; 32],
    resets: u64,
}

impl Seen {
    fn note(&mut self, i: &In, o: &Out) {
        if let Some(e) = &o.event {
            self.kinds[usize::from(e.kind)] += 1;
            self.branches[usize::from(e.branch)] += 1;
            self.hyperactive += u64::from(e.hyperactive);
        }
        self.rates += u64::from(o.rate.is_some());
        (0..32).for_each(|k| self.pulses[k] += u64::from(o.pulses >> k & 1));
        self.resets += u64::from(i.rst);
    }
}

fn lockstep<const F: usize>() {
    let bench = Bench::new(verilate("engine", timely_hw::engine::Engine::<F>::default()));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut seen = Seen::default();
        let mut dut = bench.library.instantiate(seed as u32);
        let mut model = Engine::new(F as u32);
        let mut stimulus = Stimulus::new(&mut rng, F as u32, 0.5);
        for clk in 0..cycles() {
            if clk % 10_000 == 0 {
                stimulus.samples.p = [0.5, 0.05, 0.95][clk as usize / 10_000 % 3];
            }
            let out = model.output(clk);
            assert_eq!(bench.get(&dut), out, "clock {clk}, seed {seed}, 2^{F} flows");
            let i = stimulus.next(&mut rng, out.swept);
            seen.note(&i, &out);
            bench.set(&mut dut, &i, &mut rng);
            dut.tick();
            model.step(clk, &i);
        }
        println!("2^{F} flows: {seen:?}");
        if cycles() >= 200_000 {
            let counted = [Counter::SamplesDropped, Counter::EngineOverflows, Counter::HostRatesRefused, Counter::RateUpdates];
            assert!(counted.iter().all(|c| seen.pulses[*c as usize] > 0), "{seen:?}");
            assert!(seen.kinds.iter().chain(&seen.branches).all(|n| *n > 100) && seen.hyperactive > 20 && seen.resets > 0, "{seen:?}");
        }
        at_the_edges::<F>(&bench, &mut dut, &mut model, &mut rng, seed);
    }
}

/// After all that, as many clocks of [`Edges`].
fn at_the_edges<const F: usize>(bench: &Bench, dut: &mut v::Dut, model: &mut Engine, rng: &mut impl Rng, seed: u64) {
    let mut seen = Seen::default();
    let mut edges = Edges::new(rng, F as u32);
    for clk in cycles()..2 * cycles() {
        let out = model.output(clk);
        assert_eq!(bench.get(dut), out, "clock {clk}, seed {seed}, 2^{F} flows, at the edges");
        let i = if out.swept { edges.next(rng, model, clk) } else { In::default() };
        seen.note(&i, &out);
        bench.set(dut, &i, rng);
        dut.tick();
        model.step(clk, &i);
    }
    println!("2^{F} flows, at the edges: {seen:?}");
    if cycles() >= 200_000 {
        assert!(seen.branches.iter().all(|n| *n > 1000) && seen.pulses[Counter::EngineOverflows as usize] > 0, "{seen:?}");
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

#[test]
fn rtl_equals_model_16k_flows() {
    lockstep::<14>();
}

#[test]
fn largest_size_is_emitted() {
    let verilog = timely_hw::emit::emit("engine", timely_hw::engine::Engine::<16>::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(verilog.contains("module tnic_engine"));
}

/// An engine of 1,024 flows, all loaded with TIMELY's profile.
struct Loaded {
    bench: Bench,
    dut: v::Dut,
    rng: rand_chacha::ChaCha8Rng,
}

impl Loaded {
    fn new() -> Self {
        let bench = Bench::new(verilate("engine", timely_hw::engine::Engine::<10>::default()));
        let dut = bench.library.instantiate(1);
        let mut loaded = Loaded { bench, dut, rng: rng(1) };
        while !loaded.run(&In::default()).swept {}
        let words = Parameters::authors_10g().quantise().expect("valid");
        for (word, data) in words.into_iter().enumerate() {
            loaded.run(&In { profile: Some(ProfileWrite { profile: 0, word: word as u8, data }), ..Default::default() });
        }
        let mut record = [0; flow::WORDS];
        flow::ENABLE.set(&mut record, 1).expect("a bit");
        (0..1024).for_each(|flow| {
            loaded.run(&In { load: Some(FlowLoad { flow, record }), ..Default::default() });
        });
        (0..100).for_each(|_| {
            loaded.run(&In::default());
        });
        loaded
    }

    fn run(&mut self, i: &In) -> Out {
        self.bench.set(&mut self.dut, i, &mut self.rng);
        self.dut.tick();
        self.bench.get(&self.dut)
    }

    fn sample(&mut self, flow: u32, now_ns: u32) -> Out {
        self.run(&In { sample: Some(Sample { flow, rtt_ns: 30_000, now_ns, ..Sample::default() }), ..Default::default() })
    }
}

/// From the sample to its rate on an idle engine.
#[test]
fn latency() {
    let mut engine = Loaded::new();
    let mut out = engine.sample(5, 1);
    let mut clocks = 1;
    while out.rate.is_none() {
        out = engine.run(&In::default());
        clocks += 1;
    }
    println!("from a sample to its rate: {clocks} clocks");
    assert_eq!((clocks, out.rate), (SAMPLE_TO_RATE, Some(FlowRate { flow: 5, value: 10_000 << 12 })));
}

/// A sample every clock, each of another flow, is an update every clock.
#[test]
fn distinct_flows_are_updated_every_clock() {
    let mut engine = Loaded::new();
    let mut updates = Vec::new();
    for clk in 0..1000 {
        let out = engine.sample(clk, clk);
        updates.extend(out.event.map(|_| clk));
    }
    let (first, last) = (updates[0], updates[updates.len() - 1]);
    println!("{} updates in {} clocks", updates.len(), last - first + 1);
    assert_eq!((first, last, updates.len()), (SAMPLE_TO_RATE as u32 - 1, 999, 1000 - first as usize));
}

/// Of a burst of samples of one flow 64 are done, one each 24 clocks; of a longer one those that waited, and the last.
#[test]
fn a_burst_of_one_flow() {
    let mut engine = Loaded::new();
    for (burst, lossless) in [(64, true), (200, false)] {
        let (mut done, mut lost) = (Vec::new(), 0);
        for clk in 0..6000u64 {
            let out = if clk < burst { engine.sample(7, clk as u32) } else { engine.run(&In::default()) };
            lost += out.pulses >> Counter::SamplesDropped as u32 & 1;
            done.extend(out.event.map(|e| (clk, e.now_ns)));
        }
        println!("of {burst} samples {} are done, {lost} lost", done.len());
        assert!(done.windows(2).all(|d| d[1].0 - d[0].0 == SPACING && d[1].1 > d[0].1), "{done:?}");
        assert_eq!((done.len() as u64 + u64::from(lost), done.last().expect("some").1), (burst, burst as u32 - 1));
        assert!((lost == 0) == lossless && done.len() >= 64, "{done:?}");
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut stimulus = Stimulus::new(&mut rng, 3, 0.02);
        (stimulus.samples.longest, stimulus.others.longest) = (4, 2);
        let (mut stepped, mut skipped) = (Engine::new(3), Engine::new(3));
        let mut skips = 0;
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let i = stimulus.next(&mut rng, out.swept);
            stepped.step(clk, &i);
            let idle = !i.rst
                && i.sample.is_none()
                && i.idle.is_none()
                && i.limited.is_none()
                && i.host.is_none()
                && i.load.is_none()
                && i.profile.is_none();
            if idle && skipped.wake(clk) > clk {
                skips += 1;
            } else {
                skipped.step(clk, &i);
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
