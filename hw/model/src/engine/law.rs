//! One operation of the rate engine on one flow, in the integers that the pipeline computes with.
//!
//! `Q.n` has n fraction bits. Products are cut by 17 bits where the RTL joins its 17-bit limbs, then rounded to nearest. Words that no
//! [`timely_regs::parameters::Parameters`] would give are still defined: what does not fit is cut or saturated as noted.
use super::reciprocal::{reciprocal, zeros};
use timely_regs::profile::{self as p, AVERAGE_FRACTION};

/// Bits that the limbs of a product overlap by.
const LIMB: u32 = 17;
/// 1 in Q.26: delta factor, decrease and factor have 26 fraction bits.
pub const ONE: i64 = 1 << 26;
/// Bits of the smoothed difference, sign included.
pub const AVERAGE_BITS: u32 = 25 + AVERAGE_FRACTION;
/// Bits that the smoothed difference loses, to nearest, where it is multiplied by alpha.
pub const AVERAGE_CUT: u32 = 3;
/// Negative differences are counted up to this.
pub const NEGATIVES_MAX: u8 = 7;

/// What an operation is; the discriminant is `event_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An RTT was measured.
    #[default]
    Sample = 0,
    /// A segment was given up: the rate halves, the history of RTTs ends.
    Timeout = 1,
    /// The flow was loaded: initial rate, no history.
    Init = 2,
    /// The host writes the rate, of a flow of law `fixed`.
    Host = 3,
    /// The flow sends again after its idle time: at most the restart rate, no history.
    Idle = 4,
}

/// `event_branch`: below Tlow.
pub const BELOW_LOW: u8 = 0;
/// `event_branch`: above Thigh.
pub const ABOVE_HIGH: u8 = 1;
/// `event_branch`: increase by gradient.
pub const INCREASE: u8 = 2;
/// `event_branch`: decrease by gradient.
pub const DECREASE: u8 = 3;
/// `event_branch`: no law was consulted.
pub const NONE: u8 = 4;

/// An operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub kind: Kind,
    /// RTT, ns, 24 bits.
    pub rtt_ns: u32,
    /// The low 32 bits of the time, ns; for [`Kind::Host`] the rate.
    pub value: u32,
    /// Hops on the way.
    pub hops: u8,
    /// How long the responder held the segment, ns, 24 bits.
    pub endpoint_ns: u32,
}

/// What the engine remembers of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The next two fields are those of an earlier sample.
    pub history: bool,
    /// RTT of the last sample, ns.
    pub rtt_ns: u32,
    /// Time of the last sample, ns.
    pub time_ns: u32,
    /// Smoothed RTT difference, 2^-13 ns.
    pub average: i64,
    /// Negative differences in a row.
    pub negatives: u8,
    /// Rate.
    pub rate: u32,
}

/// Bits of the smoothed difference in the fourth word of [`State::to_words`].
const AVERAGE_HIGH: u32 = AVERAGE_BITS - 32;

impl State {
    /// The state without the rate, as `event_before` has it: RTT in bits 23..0 of word 0, history in 24, negatives in 27..25; the time
    /// in word 1, the smoothed difference in words 2 and 3. Without a history RTT, time and smoothed difference mean nothing and are 0.
    pub fn to_words(&self) -> [u32; 5] {
        let negatives = u32::from(self.negatives) << 25;
        if !self.history {
            return [negatives, 0, 0, 0, 0];
        }
        let average = self.average as u64 & ((1 << AVERAGE_BITS) - 1);
        [self.rtt_ns | 1 << 24 | negatives, self.time_ns, average as u32, (average >> 32) as u32, 0]
    }

    /// The state that [`State::to_words`] wrote, with this rate.
    pub fn from_words(words: &[u32; 5], rate: u32) -> State {
        let high = i64::from((words[3] as i32) << (32 - AVERAGE_HIGH) >> (32 - AVERAGE_HIGH));
        State {
            history: words[0] >> 24 & 1 != 0,
            rtt_ns: words[0] & 0xff_ffff,
            time_ns: words[1],
            average: high << 32 | i64::from(words[2]),
            negatives: (words[0] >> 25 & 7) as u8,
            rate,
        }
    }
}

/// What an operation gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The law allowed the operation to set the rate.
    pub sets_rate: bool,
    /// The operation counts: all do but a host's rate for a flow whose law is not `fixed`.
    pub accepted: bool,
    /// What decided.
    pub branch: u8,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// Rate from now on.
    pub rate: u32,
}

/// A product as the RTL has it: without the lower limbs' lowest bits.
fn product(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> LIMB) as i64
}

/// `x` with `bits` fraction bits, to nearest.
fn round(x: i64, bits: u32) -> i64 {
    (x + (1 << (bits - 1))) >> bits
}

/// A factor of the rate, Q.26: at most 1, at least 0 or, with the floor, a half.
fn factor(x: i64, half_floor: bool) -> i64 {
    x.clamp(if half_floor { ONE / 2 } else { 0 }, ONE)
}

/// A profile's words as the engine reads them.
pub type Words = [u32; p::WORDS];

/// The delta factor, Q.26, 27 bits.
pub fn delta_factor(w: &Words, s: &State, now_ns: u32) -> i64 {
    let age = now_ns.wrapping_sub(s.time_ns);
    if !s.history || p::NO_DELTA_FACTOR.get(w) != 0 || age >= p::UPDATE_INTERVAL.get(w) {
        return ONE;
    }
    let normal = (age << p::UPDATE_SHIFT.get(w)) & 0xff_ffff;
    round(product(normal.into(), p::UPDATE_INVERSE.get(w).into()), 6) & (2 * ONE - 1)
}

/// The smoothed difference after a sample that differs by `difference` ns from the last.
pub fn smooth(w: &Words, average: i64, difference: i64) -> i64 {
    let alpha = i64::from(p::ALPHA.get(w));
    let gain = (difference * alpha) >> 7;
    let loss = product(round(average, AVERAGE_CUT), alpha);
    let sum = round((average << 12) + gain - loss, 12);
    (sum << (64 - AVERAGE_BITS)) >> (64 - AVERAGE_BITS)
}

/// The factor of a decrease by a positive smoothed difference.
fn gradient_factor(w: &Words, average: i64) -> i64 {
    if average >> AVERAGE_FRACTION >= i64::from(p::GRADIENT_FULL.get(w)) {
        return 0;
    }
    let normal = ((average << p::GRADIENT_SHIFT.get(w)) & ((1 << 37) - 1)) >> 6;
    round((ONE << 13) - product(normal, p::GRADIENT_GAIN.get(w).into()), 13)
}

/// The factor of a decrease by an RTT above Thigh: `1 - df (beta - beta Thigh / rtt)`.
fn high_factor(w: &Words, rtt_ns: u32, delta_factor: i64) -> i64 {
    let shift = p::T_HIGH_ZEROS.get(w).wrapping_sub(zeros(rtt_ns)) % 32;
    let part = product((p::BETA_T_HIGH.get(w) >> shift).into(), reciprocal(rtt_ns) as i64);
    let decrease = round((i64::from(p::BETA.get(w)) << 12) - part, 17);
    round((ONE << 9) - product(decrease, delta_factor), 9)
}

/// Does `op` on a flow.
pub fn apply(w: &Words, s: &mut State, op: &Operation) -> Outcome {
    let timely = p::LAW.get(w) == p::LAW_TIMELY;
    let mut out = Outcome { sets_rate: timely, accepted: true, branch: NONE, hyperactive: false, rate: 0 };
    let (mut by, mut increase) = (ONE, 0);
    let mut greatest = p::GREATEST_RATE.get(w);
    match op.kind {
        Kind::Sample => {
            let step = sample(w, s, op);
            if timely {
                (out.branch, out.hyperactive, by, increase) = step;
            }
        }
        Kind::Timeout => by = ONE / 2,
        Kind::Init => (out.sets_rate, by, increase) = (true, 0, p::INITIAL_RATE.get(w)),
        Kind::Host => {
            out.accepted = p::LAW.get(w) == p::LAW_FIXED;
            out.sets_rate = out.accepted;
            if out.accepted {
                (by, increase) = (0, op.value);
            }
        }
        Kind::Idle => greatest = p::RESTART_RATE.get(w),
    }
    if op.kind != Kind::Host {
        s.history = op.kind == Kind::Sample;
    }
    if out.sets_rate {
        let sum = round(product(s.rate.into(), by) + (i64::from(increase) << 9), 9);
        let least = p::LEAST_RATE.get(w);
        s.rate = if sum < least.into() { least } else { sum.min(greatest.into()) as u32 };
    }
    out.rate = s.rate;
    out
}

/// A sample's effect on the history; branch, hyperactive, factor and increase that TIMELY makes of it.
fn sample(w: &Words, s: &mut State, op: &Operation) -> (u8, bool, i64, u32) {
    let df = delta_factor(w, s, op.value);
    let difference = if s.history { i64::from(op.rtt_ns) - i64::from(s.rtt_ns) } else { 0 };
    let average = smooth(w, if s.history { s.average } else { 0 }, difference);
    let deadband = i64::from(p::DEADBAND.get(w));
    let negative = if p::HAI_SMOOTHED.get(w) != 0 { average < -deadband } else { difference < 0 };
    s.negatives = if negative { NEGATIVES_MAX.min(s.negatives + 1) } else { 0 };
    (s.rtt_ns, s.time_ns, s.average) = (op.rtt_ns, op.value, average);

    let floor = p::HALF_FLOOR.get(w) != 0;
    if op.rtt_ns < p::T_LOW.get(w) {
        (BELOW_LOW, false, ONE, step(p::STEP.get(w), df))
    } else if op.rtt_ns > p::T_HIGH.get(w) {
        (ABOVE_HIGH, false, factor(high_factor(w, op.rtt_ns, df), floor), 0)
    } else if average > deadband {
        (DECREASE, false, factor(gradient_factor(w, average), floor), 0)
    } else {
        let hyperactive = u32::from(s.negatives) >= p::HYPERACTIVE_AFTER.get(w);
        let full = if hyperactive { p::HYPERACTIVE_STEP.get(w) } else { p::STEP.get(w) };
        (INCREASE, hyperactive, ONE, step(full, df))
    }
}

/// An additive step scaled by the delta factor.
fn step(full: u32, delta_factor: i64) -> u32 {
    round(product(full.into(), delta_factor), 9) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::parameters::Parameters;

    fn samples(w: &Words, s: &mut State, rtts: impl Iterator<Item = u32>) -> Outcome {
        let mut last = None;
        for (k, rtt_ns) in rtts.enumerate() {
            last = Some(apply(w, s, &Operation { kind: Kind::Sample, rtt_ns, value: 100_000 * k as u32, ..Operation::default() }));
        }
        last.expect("a sample")
    }

    /// Without the deadband the rounded filter would stand still above zero and the rate fall for ever.
    #[test]
    fn an_rtt_at_rest_is_no_gradient() {
        for alpha in [0.005, 0.02, 0.2, 0.875] {
            for name in ["authors-10g", "timely-100g"] {
                let p = Parameters { alpha, ..Parameters::named(name, 8.0).expect("listed") };
                let (w, mut s) = (p.quantise().expect("valid"), State::default());
                let out = samples(&w, &mut s, (0..10_000).map(|k| 40_000 + 10 * k.min(2000)));
                assert_eq!(out.branch, INCREASE, "{name}, alpha {alpha}: {s:?}");
            }
        }
    }

    /// 32 bits of ns are 4.295 s: a longer silence aliases, but only ever to a smaller step; a restart after idling is a full one.
    #[test]
    fn a_long_silence() {
        let w = Parameters::authors_10g().quantise().expect("valid");
        let mut s = State { history: true, time_ns: u32::MAX - 5000, ..Default::default() };
        let after = |s: &State, ns: u64| delta_factor(&w, s, (u64::from(s.time_ns) + ns) as u32);
        assert_eq!(after(&s, 10_000), ONE / 2);
        for ns in [20_000, 1 << 31, 3_000_000_000, (1 << 32) - 1] {
            assert_eq!(after(&s, ns), ONE, "{ns} ns");
        }
        assert_eq!(after(&s, (1 << 32) + 5000), ONE / 4);
        apply(&w, &mut s, &Operation { kind: Kind::Idle, ..Default::default() });
        assert_eq!(after(&s, (1 << 32) + 5000), ONE);
    }

    #[test]
    fn the_other_kinds() {
        let w = Parameters::authors_10g().quantise().expect("valid");
        let mut s = State::default();
        let mut op = |kind, value| {
            let out = apply(&w, &mut s, &Operation { kind, value, ..Operation::default() });
            (out.accepted, out.rate >> 12, s.history)
        };
        assert_eq!(op(Kind::Init, 0), (true, 10_000, false));
        assert_eq!(op(Kind::Sample, 0), (true, 10_000, true));
        assert_eq!(op(Kind::Host, 4096), (false, 10_000, true));
        assert_eq!(op(Kind::Timeout, 0), (true, 5000, false));
        assert_eq!(op(Kind::Idle, 0), (true, 5000, false));
        for expected in [2500, 1250, 625, 312, 156, 78, 39, 19, 10, 10] {
            assert_eq!(op(Kind::Timeout, 0), (true, expected, false));
        }
    }

    #[test]
    fn a_fixed_rate_is_the_hosts() {
        let w = Parameters { least_mbps: 5.0, ..Parameters::fixed(1000.0) }.quantise().expect("valid");
        let mut s = State::default();
        let mut op = |kind, value| {
            let out = apply(&w, &mut s, &Operation { kind, rtt_ns: 1 << 20, value, ..Operation::default() });
            (out.sets_rate, out.branch, out.rate >> 12)
        };
        assert_eq!(op(Kind::Init, 0), (true, NONE, 1000));
        assert_eq!(op(Kind::Host, 77 << 12), (true, NONE, 77));
        assert_eq!(op(Kind::Sample, 9), (false, NONE, 77));
        assert_eq!(op(Kind::Timeout, 9), (false, NONE, 77));
        assert_eq!(op(Kind::Idle, 0), (false, NONE, 77));
        assert_eq!(op(Kind::Host, 1), (true, NONE, 5));
        assert_eq!(op(Kind::Host, u32::MAX), (true, NONE, 1000));
    }
}
