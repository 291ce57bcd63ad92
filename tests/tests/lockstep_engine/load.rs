//! Inputs as of a NIC under too much load: random profiles and flows.
use rand::Rng;
use std::collections::VecDeque;
use timely_model::bus::{FlowLoad, FlowRate, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite, RTT_MAX, Sample};
use timely_model::engine::In;
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::{flow, profile};
use timely_tests::Runs;

/// All laws; the one that needs no samples is rarer.
pub const LAWS: [LawKind; 11] = {
    use LawKind::*;
    [Timely, Timely, Patched, Patched, Swift, Swift, Pi, Pi, Dcqcn, Dcqcn, Fixed]
};

/// A profile's words: of valid parameters with all options, sometimes anything at all.
fn words(rng: &mut impl Rng) -> [u32; profile::WORDS] {
    if rng.random_range(0..6) == 0 {
        let mut words: [u32; profile::WORDS] = rng.random();
        if rng.random() {
            profile::LAW.set(&mut words, rng.random_range(profile::LAW_TIMELY..=profile::LAW_DCQCN)).expect("a law");
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
        alpha_gain: 0.25 / 1000f64.powf(rng.random()),
        hyper_step_mbps: rng.random_range(0.01..4000.0),
        fast_stages: rng.random_range(1..=7),
        idle_mbps: rng.random_range(line / 1000.0..line),
        initial_mbps: rng.random_range(line / 1000.0..line),
        ..Parameters::authors_10g().line(line)
    };
    parameters.quantise().unwrap_or_else(|e| panic!("{e}"))
}

/// Inputs like those of a NIC under too much load, with a clock that wraps.
pub struct Stimulus {
    flows: u32,
    hot: [u32; 16],
    rtts: [f64; 8],
    now: u32,
    p_reset: f64,
    pub samples: Runs,
    one_flow: Runs,
    one_flow_now: bool,
    pub others: Runs,
    pub reactions: Runs,
    writes: VecDeque<ProfileWrite>,
}

impl Stimulus {
    pub fn new(rng: &mut impl Rng, flow_bits: u32, load: f64) -> Self {
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
            reactions: Runs::new(load / 8.0, 30),
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
        let lost = if rng.random_range(0..4) == 0 { rng.random_range(1..=64) } else { 0 };
        let kind = match rng.random_range(0..50) {
            0 => KIND_TIMEOUT,
            1 | 2 => KIND_NAK,
            _ => KIND_RTT,
        };
        Sample { kind, flow, rtt_ns, now_ns: self.now, hops: rng.random(), endpoint_ns, lost }
    }

    pub fn next(&mut self, rng: &mut impl Rng, swept: bool) -> In {
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
        if self.reactions.next(rng) {
            i.reaction = Some((self.flow(rng), rng.random_range(1..=255)));
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
