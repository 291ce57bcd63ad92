//! One operation of the rate engine on one flow, in the integers that the pipeline computes with.
//!
//! Every law makes the same three numbers of a sample: a weight W, what it weighs Z, and a rise I;
//! then `rate = rate + I - W Z`, within the profile's limits. TIMELY and Swift weigh the rate
//! itself. Patched TIMELY weighs `b e df rate + I`, so that `rate + I - w (b e df rate + I) = AI df
//! (1 - w) + rate (1 - b w e df)`.
//!
//! Swift's window of w packets is the rate of w packets in T_upd, whatever the RTT. So an RTT's
//! increase of ai packets is ai packets per T_upd, of which a sample adds the delta factor's part:
//! the part of a window that was acknowledged since the last sample, or all for a window below one
//! packet, as Swift has it.
//!
//! DCQCN hears no samples: the reaction block ([`crate::reaction`]) says when a CNP, a decay of
//! alpha or an increase is due, and the law does the arithmetic. The smoothed difference is 1 -
//! alpha, in 2^-36, so that a flow without a history has an alpha of 1; the mark is the target
//! rate, without one the greatest. A CNP takes alpha / 2 of the rate, an increase half of it, for
//! which half of the target is the rise. A time-out halves the rate and makes half of it the target
//! too: stages of fast recovery would bring the old rate back within five timers, a CNP's answer to
//! a short queue. Behind a silence the rate rises by additive steps, as that of any other law does.
//!
//! ```
//! use timely_model::engine::law::{ABOVE_HIGH, Kind, Operation, State, apply};
//! use timely_regs::parameters::Parameters;
//!
//! let words = Parameters::timely_10g(15.0).quantise()?;
//! let mut flow = State::default();
//! let load = Operation { kind: Kind::Init, ..Operation::default() };
//! assert_eq!(apply(&words, &mut flow, &load).rate, 10_000 << 12); // Mb/s, Q.12
//!
//! // A round trip of 300 us is above Thigh, 200 us: the rate falls by beta (1 - 200 / 300).
//! let sample = Operation { rtt_ns: 300_000, value: 100_000, ..Operation::default() };
//! let update = apply(&words, &mut flow, &sample);
//! assert_eq!((update.branch, update.rate >> 12), (ABOVE_HIGH, 7_333));
//! # Ok::<(), timely_regs::parameters::ParameterError>(())
//! ```
use super::parts;
pub use super::state::{MARK_BITS, ONE, State, Words};
use timely_regs::profile::{self as p, LAW_DCQCN, LAW_FIXED, LAW_PATCHED, LAW_PI, LAW_SWIFT, LAW_TIMELY};

/// Negative differences are counted up to this.
pub const NEGATIVES_MAX: u8 = 7;

/// The kind of an operation; the discriminant is `event_kind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An RTT was measured.
    #[default]
    Sample = 0,
    /// A segment was given up: the rate halves (Swift: falls by its greatest decrease; DCQCN: the
    /// target too), the history of RTTs ends.
    Timeout = 1,
    /// The flow was loaded: initial rate, no history.
    Init = 2,
    /// The host writes the rate, of a flow of law `fixed`.
    Host = 3,
    /// The flow sends again after its idle time: at most the restart rate, no history.
    Idle = 4,
    /// An RTT was measured, and its ACK told of a loss that counts: the history is that of a
    /// sample, the rate falls by the profile's decrease.
    Loss = 5,
    /// A CNP or a timer of DCQCN: `hops` has the [`action`] bits.
    Reaction = 6,
    /// A NAK told of a loss, without an RTT: if the loss counts, the rate falls by the profile's
    /// decrease; the history stays.
    Nak = 7,
}

/// Bits of a [`Kind::Reaction`].
pub mod action {
    /// A CNP: the target becomes the rate, the rate falls by half of alpha, alpha rises.
    pub const CNP: u8 = 1 << 0;
    /// Alpha decays.
    pub const DECAY: u8 = 1 << 1;
    /// The target rises by the steps of bits 7..4, the rate goes half of the way to the target.
    pub const INCREASE: u8 = 1 << 2;
    /// The steps are hyper steps.
    pub const HYPER: u8 = 1 << 3;
    /// Place of the number of steps.
    pub const STEPS: u32 = 4;
}

/// `event_branch`: below Tlow.
pub const BELOW_LOW: u8 = 0;
/// `event_branch`: above Thigh; Swift: decrease by the endpoint's delay.
pub const ABOVE_HIGH: u8 = 1;
/// `event_branch`: increase by gradient; Swift: both delays are below their targets.
pub const INCREASE: u8 = 2;
/// `event_branch`: decrease by gradient; Swift: by the fabric's delay.
pub const DECREASE: u8 = 3;
/// `event_branch`: no law was consulted.
pub const NONE: u8 = 4;
/// `event_branch`: Swift is above a target, but decreased less than an RTT ago; a NAK that lowers
/// nothing.
pub const HELD: u8 = 5;

/// An operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// The operation's kind.
    pub kind: Kind,
    /// RTT, or what the profile takes in its place, ns, 24 bits.
    pub rtt_ns: u32,
    /// The low 32 bits of the time, ns; for [`Kind::Host`] the rate.
    pub value: u32,
    /// Hops on the way; of [`Kind::Reaction`] its [`action`] bits.
    pub hops: u8,
    /// How long the responder held the segment, ns, 24 bits.
    pub endpoint_ns: u32,
    /// The ACK told of a loss, which may make [`Kind::Loss`] of a sample. Of [`Kind::Nak`] the loss
    /// lowers the rate.
    pub lost: bool,
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The law allowed the operation to set the rate.
    pub sets_rate: bool,
    /// The operation counts: all do but a host's rate for a flow whose law is not `fixed`.
    pub accepted: bool,
    /// The branch that decided, `event_branch`.
    pub branch: u8,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// Rate from now on.
    pub rate: u32,
}

/// The change of the rate.
struct Change {
    branch: u8,
    hyperactive: bool,
    /// W, Q.26.
    weight: i64,
    /// Z, the rate's unit; `None` is the rate.
    weighed: Option<i64>,
    /// I, the rate's unit.
    rise: i64,
}

impl Change {
    /// `rate (1 - weight)`.
    fn by(branch: u8, weight: i64) -> Self {
        Change { branch, hyperactive: false, weight, weighed: None, rise: 0 }
    }

    /// `rate + rise`.
    fn step(branch: u8, rise: u32) -> Self {
        Change { rise: rise.into(), ..Change::by(branch, 0) }
    }
}

/// Does `op` on a flow.
pub fn apply(w: &Words, s: &mut State, op: &Operation) -> Outcome {
    let law = p::LAW.get(w);
    let governed = matches!(law, LAW_TIMELY..=LAW_DCQCN);
    let (mut sets_rate, mut accepted) = (governed, true);
    let mut change = Change::by(NONE, 0);
    let mut greatest = p::GREATEST_RATE.get(w);
    let mut least = p::LEAST_RATE.get(w);
    match op.kind {
        Kind::Sample | Kind::Loss => {
            if s.limited {
                greatest = greatest.min(s.rate);
            }
            let of_law = sample(w, s, op);
            // DCQCN's samples are for whoever looks at RTTs.
            sets_rate &= law != LAW_DCQCN || op.kind == Kind::Loss;
            if governed {
                change = of_law;
            }
            if p::HALF_FLOOR.get(w) != 0 {
                least = least.max(s.rate / 2);
            }
            if op.kind == Kind::Loss && governed {
                change = Change::by(NONE, p::LOSS_DECREASE.get(w).into());
                least = p::LEAST_RATE.get(w);
            }
        }
        Kind::Timeout if governed => {
            change.weight = if law == LAW_SWIFT { p::MAX_DECREASE.get(w).into() } else { ONE / 2 };
        }
        Kind::Timeout => {}
        Kind::Init => (sets_rate, change.weight, change.rise) = (true, ONE, p::INITIAL_RATE.get(w).into()),
        Kind::Host => {
            accepted = law == LAW_FIXED;
            sets_rate = accepted;
            if accepted {
                (change.weight, change.rise) = (ONE, op.value.into());
            }
        }
        Kind::Idle => greatest = p::RESTART_RATE.get(w),
        Kind::Nak => {
            sets_rate = op.lost && falls_by_loss(w);
            change = if sets_rate { Change::by(NONE, p::LOSS_DECREASE.get(w).into()) } else { Change::by(HELD, 0) };
        }
        Kind::Reaction if law == LAW_DCQCN => {
            if s.limited {
                greatest = greatest.min(s.rate);
            }
            sets_rate = op.hops & (action::CNP | action::INCREASE) != 0;
            change = reaction(w, s, op.hops);
        }
        Kind::Reaction => sets_rate = false,
    }
    let limited = s.limited;
    match op.kind {
        Kind::Sample | Kind::Loss | Kind::Host | Kind::Reaction | Kind::Nak => {}
        Kind::Timeout if law == LAW_SWIFT => *s = State { marked: true, mark: op.value.into(), rate: s.rate, ..State::default() },
        Kind::Timeout | Kind::Idle => *s = State { marked: s.marked, mark: s.mark, rate: s.rate, ..State::default() },
        Kind::Init => *s = State { rate: s.rate, ..State::default() },
    }
    s.limited = limited;
    if sets_rate {
        let rate = i64::from(s.rate);
        // Half a unit, less half of one of what the limbs are cut to, which is nearly what they
        // lose on average.
        let (unit, less) = (9 - parts::LESS_CUT, parts::less(change.weighed.unwrap_or(rate), change.weight));
        let sum = (((rate + change.rise) << unit) + (1 << (unit - 1)) - 1 - less) >> unit;
        s.rate = if sum < least.into() { least } else { sum.min(greatest.into()) as u32 };
    }
    // DCQCN: with the old target five stages would bring the old rate back.
    if sets_rate && law == LAW_DCQCN && matches!(op.kind, Kind::Timeout | Kind::Loss | Kind::Nak) {
        (s.marked, s.mark) = (true, s.rate.into());
    }
    Outcome { sets_rate, accepted, branch: change.branch, hyperactive: change.hyperactive, rate: s.rate }
}

/// Losses lower the rates of the profile.
pub fn falls_by_loss(w: &Words) -> bool {
    matches!(p::LAW.get(w), LAW_TIMELY..=LAW_DCQCN) && p::LOSS_DECREASE.get(w) != 0
}

/// A sample's effect on the history, and what its law makes of it.
fn sample(w: &Words, s: &mut State, op: &Operation) -> Change {
    if p::LAW.get(w) == LAW_SWIFT {
        return swift(w, s, op);
    }
    let df = parts::delta_factor(w, s, op.value);
    let dcqcn = p::LAW.get(w) == LAW_DCQCN;
    let difference = if s.history && !dcqcn { i64::from(op.rtt_ns) - i64::from(s.rtt_ns) } else { 0 };
    let average = if dcqcn { s.average } else { parts::smooth(w, s.average, difference) };
    let deadband = i64::from(p::DEADBAND.get(w));
    let negatives = negatives(w, s, average, difference);
    let last = *s;
    *s = State { history: true, rtt_ns: op.rtt_ns, time_ns: op.value, average, negatives, ..last };

    let law = p::LAW.get(w);
    if dcqcn {
        return Change::by(NONE, 0);
    }
    let output = if law == LAW_PI {
        let (output, kept) = parts::controller(w, last.mark, op.rtt_ns, difference);
        (s.marked, s.mark) = (true, kept);
        output
    } else {
        parts::error(w, op.rtt_ns)
    };
    let plain = parts::step(p::STEP.get(w), df);
    let rises = average <= deadband;
    if op.rtt_ns < p::T_LOW.get(w) {
        Change::step(BELOW_LOW, plain)
    } else if op.rtt_ns > p::T_HIGH.get(w) {
        let kept = parts::over(parts::scaled(parts::threshold(w, op.rtt_ns), df), op.rtt_ns);
        let weight = (parts::beta(w, df) - kept) >> 1;
        Change::by(ABOVE_HIGH, if weight < 0 { 0 } else { parts::low(weight, 27) })
    } else if matches!(law, LAW_PATCHED | LAW_PI) {
        let weighed = parts::of_rate(parts::scaled(output, df), last.rate) + i64::from(plain);
        let branch = if rises { INCREASE } else { DECREASE };
        Change { weight: parts::weight(w, average), weighed: Some(parts::cut(weighed, 35)), ..Change::step(branch, plain) }
    } else if !rises {
        Change::by(DECREASE, parts::decrease(w, average))
    } else {
        let hyperactive = u32::from(negatives) >= p::HYPERACTIVE_AFTER.get(w);
        let rise = if hyperactive { parts::step(p::HYPERACTIVE_STEP.get(w), df) } else { plain };
        Change { hyperactive, ..Change::step(INCREASE, rise) }
    }
}

/// Negative differences in a row after one with this average and difference.
fn negatives(w: &Words, s: &State, average: i64, difference: i64) -> u8 {
    let negative = if p::HAI_SMOOTHED.get(w) != 0 { average < -i64::from(p::DEADBAND.get(w)) } else { difference < 0 };
    if negative { NEGATIVES_MAX.min(s.negatives + 1) } else { 0 }
}

/// An action of the reaction block on a flow that follows DCQCN.
fn reaction(w: &Words, s: &mut State, bits: u8) -> Change {
    let (cnp, raises) = (bits & action::CNP != 0, bits & action::INCREASE != 0);
    let decays = bits & action::DECAY != 0;
    let (before, rate) = (s.average, i64::from(s.rate));
    let difference = if decays { parts::WHOLE_DIFFERENCE } else { 0 };
    let average = if cnp || decays { parts::smooth(w, before, difference) } else { before };
    let greatest = i64::from(p::GREATEST_RATE.get(w));
    let target = if s.marked { i64::from(s.mark as u32) } else { greatest };
    let step = if bits & action::HYPER != 0 { p::HYPERACTIVE_STEP.get(w) } else { p::STEP.get(w) };
    let raised = if s.limited { 0 } else { i64::from(step) * i64::from(bits >> action::STEPS) };
    let target = if cnp { rate } else { greatest.min(target + raised) };
    let negatives = negatives(w, s, average, difference);
    let (marked, mark) = if cnp || raises { (true, target as u64) } else { (s.marked, s.mark) };
    *s = State { average, negatives, marked, mark, rate: s.rate, limited: s.limited, ..State::default() };
    if cnp {
        Change::by(DECREASE, parts::half_alpha(before))
    } else if raises {
        Change { rise: (target + 1) >> 1, hyperactive: bits & action::HYPER != 0, ..Change::by(INCREASE, ONE / 2) }
    } else {
        Change::by(NONE, 0)
    }
}

/// A sample of a flow that follows Swift. `op.rtt_ns` is the fabric's delay.
fn swift(w: &Words, s: &mut State, op: &Operation) -> Change {
    let df = parts::delta_factor(w, s, op.value);
    let excess = parts::above_base(w, s.average, op.rtt_ns, op.hops) - parts::flow_scaling(w, s.rate);
    let endpoint_over = op.endpoint_ns > p::T_HIGH.get(w);
    let may_fall = !s.marked || op.value.wrapping_sub(s.mark as u32) >= op.rtt_ns + op.endpoint_ns;
    *s = State { history: true, rtt_ns: op.rtt_ns, time_ns: op.value, average: 0, negatives: 0, ..*s };
    if excess < 0 && !endpoint_over {
        return Change::step(INCREASE, parts::step(p::STEP.get(w), df));
    }
    if !may_fall {
        return Change::by(HELD, 0);
    }
    (s.marked, s.mark) = (true, op.value.into());
    let most = i64::from(p::MAX_DECREASE.get(w));
    let fabric = if excess < 0 { 0 } else { parts::excess_over(excess, op.rtt_ns) };
    let part = parts::over_endpoint(parts::threshold(w, op.endpoint_ns), op.endpoint_ns);
    let endpoint = if endpoint_over { parts::cut(i64::from(p::BETA.get(w) >> 5) - part, 29).clamp(0, most) } else { 0 };
    let branch = if fabric >= endpoint { DECREASE } else { ABOVE_HIGH };
    Change::by(branch, fabric.max(endpoint).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::parameters::{NAMES, Parameters};

    fn samples(w: &Words, s: &mut State, rtts: impl Iterator<Item = u32>) -> Outcome {
        let mut last = None;
        for (k, rtt_ns) in rtts.enumerate() {
            last = Some(apply(w, s, &Operation { rtt_ns, value: 100_000 * k as u32, ..Operation::default() }));
        }
        last.expect("a sample")
    }
    /// Without the deadband the rounded filter would stand still above zero and the rate fall for
    /// ever.
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

    /// 32 bits of ns are 4.295 s: a longer silence aliases, but only ever to a smaller step; a
    /// restart after idling is a full one.
    #[test]
    fn a_long_silence() {
        let w = Parameters::authors_10g().quantise().expect("valid");
        let mut s = State { history: true, time_ns: u32::MAX - 5000, ..Default::default() };
        let after = |s: &State, ns: u64| parts::delta_factor(&w, s, (u64::from(s.time_ns) + ns) as u32);
        assert_eq!(after(&s, 10_000), ONE / 2);
        for ns in [20_000, 1 << 31, 3_000_000_000, (1 << 32) - 1] {
            assert_eq!(after(&s, ns), ONE, "{ns} ns");
        }
        assert_eq!(after(&s, (1 << 32) + 5000), ONE / 4);
        apply(&w, &mut s, &Operation { kind: Kind::Idle, ..Operation::default() });
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

    /// A profile of each law; words that no parameters give; any state: nothing overflows, and the
    /// words of a state say all of it.
    #[test]
    fn any_words_and_states() {
        let mut x = 1u64;
        let mut random = || {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (x >> 32) as u32
        };
        let mut s = State::default();
        for k in 0..200_000 {
            let mut w: Words = std::array::from_fn(|_| random() >> (random() % 32));
            if k % 2 == 0 {
                w = Parameters::named(NAMES[k % NAMES.len()], 8.0).expect("listed").quantise().expect("valid");
            }
            let kinds = [Kind::Sample, Kind::Loss, Kind::Timeout, Kind::Init, Kind::Host, Kind::Idle, Kind::Reaction, Kind::Nak];
            let (rtt_ns, endpoint_ns) = (random() >> (8 + random() % 24), random() >> (8 + random() % 24));
            let (kind, lost) = (kinds[random() as usize % 8], random() % 2 == 0);
            let op = Operation { kind, rtt_ns, value: random(), hops: random() as u8, endpoint_ns, lost };
            let out = apply(&w, &mut s, &op);
            assert!(out.branch <= HELD && out.rate == s.rate);
            assert_eq!(State::from_words(&s.to_words(), s.rate), s);
        }
    }
}
