//! Inputs that bring numbers to where one unit decides.
use crate::load::LAWS;
use rand::Rng;
use std::collections::VecDeque;
use timely_model::bus::{FlowLoad, FlowRate, KIND_NAK, KIND_RTT, ProfileWrite, RTT_MAX, Sample};
use timely_model::engine::law::State;
use timely_model::engine::parts::{above_base, excess_over, flow_scaling, over_endpoint, smooth, threshold};
use timely_model::engine::{Engine, In, SPACING};
use timely_regs::parameters::Parameters;
use timely_regs::{flow, profile};
use timely_tests::Runs;

/// A profile's words where random ones hardly come: rates as low and as high as words hold, an
/// initial rate a few units below the greatest, errors of any scale, small smoothed differences
/// that count, flow scaling over all of its range.
fn edge_words(rng: &mut impl Rng) -> [u32; profile::WORDS] {
    let unit = 1.0 / 4096.0;
    let greatest_mbps = 2f64.powf(rng.random_range(4.0..22.0)).min(1_048_575.0);
    let least_mbps = (greatest_mbps * 2f64.powf(rng.random_range(-34.0..0.0))).max(unit);
    let mut between = || (least_mbps * (greatest_mbps / least_mbps).powf(rng.random())).clamp(least_mbps, greatest_mbps);
    let (initial_mbps, idle_mbps) = (between(), between());
    let (t_low_us, reference_us): (f64, f64) = (0.5 * 100f64.powf(rng.random()), rng.random_range(10.0..200.0));
    let t_high_us = t_low_us * (1.0 + 100f64.powf(rng.random_range(-0.7..0.8)));
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
        base_target_us: 60f64.powf(rng.random()),
        hop_us: 0.1 * rng.random::<f64>(),
        flow_range_us: 499.0 * rng.random::<f64>() / (beta * span),
        flow_least_packets,
        flow_most_packets,
        packet_bytes: rng.random_range(64..9000),
        endpoint_target_us: 0.01 * 1000f64.powf(rng.random()),
        max_decrease: rng.random_range(0.1..=1.0),
        loss_decrease: if rng.random() { rng.random() } else { 0.0 },
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

/// Flows that [`Edges`] uses; each is sampled when it is free to issue, so that far more samples
/// are done than of `Stimulus`.
const EDGE_FLOWS: usize = 48;
/// Clocks after which [`Edges`] loads other profiles.
const EDGE_CLOCKS: u64 = 20_000;

/// The least RTT, ns, from which on `holds`; 1 and the greatest stand for those that are out of
/// range.
fn least(holds: impl Fn(u32) -> bool) -> u32 {
    let (mut below, mut least) = (0, RTT_MAX);
    while least - below > 1 {
        let middle = below.midpoint(least);
        (below, least) = if holds(middle) { (below, middle) } else { (middle, least) };
    }
    least
}

/// Inputs that bring numbers to where they decide: RTTs at rest, delays at their thresholds, a
/// Swift flow's next decrease an RTT after its last, its two delays that decrease alike, a gradient
/// that is just full, a loss an RTT after the last; and loads that fill their queue.
pub struct Edges {
    /// The flows, their profiles, and the clock of the next sample.
    flows: Vec<(u32, u8, u64)>,
    words: Vec<[u32; profile::WORDS]>,
    /// The clock of the next profiles.
    other_at: u64,
    now: u32,
    samples: Runs,
    /// Inputs that come before any others.
    first: VecDeque<In>,
}

impl Edges {
    pub fn new(rng: &mut impl Rng, flow_bits: u32) -> Self {
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

    /// A sample of flow `k`, which has this state, and whose rate a loss lowered last at `loss_ns`.
    fn sample(&self, rng: &mut impl Rng, k: usize, s: &State, loss_ns: u32) -> Sample {
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
            rtt_ns = match rng.random_range(0..5) {
                0 => rtt_ns,
                1 => near(rng, low),
                2 => near(rng, high),
                // The smoothed difference from which on the gradient is full, or some ns less,
                // rising or falling.
                3 => {
                    let full = i64::from(profile::GRADIENT_FULL.get(w)) - rng.random_range(0..12);
                    let wanted = (if rng.random() { full } else { -full }) << profile::AVERAGE_FRACTION;
                    least(|rtt_ns| smooth(w, s.average, i64::from(rtt_ns) - i64::from(s.rtt_ns)) >= wanted)
                }
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
                rtt_ns = least(decreases) - u32::from(rng.random::<bool>());
            }
            if rng.random() {
                now_ns = (s.mark as u32).wrapping_add(near(rng, rtt_ns + endpoint_ns));
            }
        }
        let mut lost = rng.random_range(0..64) == 0;
        if rng.random_range(0..8) == 0 {
            // A loss an RTT after the last one, from which on it counts.
            let told = if rng.random_range(0..4) == 0 { KIND_NAK } else { KIND_RTT };
            (kind, lost, now_ns) = (told, true, loss_ns.wrapping_add(near(rng, rtt_ns + endpoint_ns)));
        }
        Sample { kind, flow, rtt_ns, now_ns, hops, endpoint_ns, lost: lost.into() }
    }

    pub fn next(&mut self, rng: &mut impl Rng, model: &Engine, clk: u64) -> In {
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
            i.sample = Some(self.sample(rng, k, model.state(flow), model.last_loss(flow)));
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
