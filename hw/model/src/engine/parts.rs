//! The numbers that the laws share: products as the pipeline's limbs make them, delta factor, smoothed difference, steps and decreases.
//!
//! `Q.n` has n fraction bits. A word that no [`timely_regs::parameters::Parameters`] would give is still defined: what does not fit its
//! register is cut to it, as [`cut`] does.
use super::law::{MARK_BITS, ONE, State, Words};
use super::reciprocal::{reciprocal, zeros};
use super::root::inverse_root;
use timely_regs::profile as p;

/// Bits that the limbs of a whole product overlap by.
const LIMB: u32 = 17;
/// Bits of the smoothed difference, sign included.
pub const AVERAGE_BITS: u32 = 25 + p::AVERAGE_FRACTION;
/// Bits that the smoothed difference loses, to nearest, where it is multiplied by alpha.
pub const AVERAGE_CUT: u32 = 3;

/// The low `bits` of `x` as a signed number.
pub fn cut(x: i64, bits: u32) -> i64 {
    (x << (64 - bits)) >> (64 - bits)
}

/// The low `bits` of `x`.
pub fn low(x: i64, bits: u32) -> i64 {
    x & ((1 << bits) - 1)
}

/// A whole product without the lower limbs' lowest bits.
pub fn product(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> LIMB) as i64
}

/// A product of three limbs, in units of 2^`b_low`: `a` and `b` are cut above their low `a_low` and `b_low` bits (`a_low` is no less), and
/// the product of their lower limbs is left out.
pub fn upper(a: i64, a_low: u32, b: i64, b_low: u32) -> i64 {
    let (ah, bh) = (a >> a_low, b >> b_low);
    ((ah * bh) << a_low) + ((ah * low(b, b_low)) << (a_low - b_low)) + low(a, a_low) * bh
}

/// `x` with `bits` fraction bits, to nearest.
pub fn round(x: i64, bits: u32) -> i64 {
    (x + (1 << (bits - 1))) >> bits
}

/// A time difference of the PI controller, ns: at most 2^17 either way.
pub fn bounded(ns: i64) -> i64 {
    ns.clamp(-(1 << 17), (1 << 17) - 1)
}

/// The delta factor, Q.26, 27 bits.
pub fn delta_factor(w: &Words, s: &State, now_ns: u32) -> i64 {
    let age = now_ns.wrapping_sub(s.time_ns);
    if !s.history || p::NO_DELTA_FACTOR.get(w) != 0 || age >= p::UPDATE_INTERVAL.get(w) {
        return ONE;
    }
    let normal = i64::from((age << p::UPDATE_SHIFT.get(w)) & 0xff_ffff);
    // 24 by 26 bits, their lower limbs 7 and 9.
    let part = upper(p::UPDATE_INVERSE.get(w).into(), 9, normal, 7);
    low(round(part, 16), 27)
}

/// The smoothed difference after a sample that differs by `difference` ns from the last.
pub fn smooth(w: &Words, average: i64, difference: i64) -> i64 {
    let unit = p::AVERAGE_FRACTION - AVERAGE_CUT;
    let change = cut((difference << unit) + ((4 - average) >> AVERAGE_CUT), 36);
    scale(average, change, p::ALPHA.get(w))
}

/// `average + gain * change`, `change` in Q.10, `gain` in Q.32.
fn scale(average: i64, change: i64, gain: u32) -> i64 {
    cut(round((average << 12) + product(change, gain.into()), 12), AVERAGE_BITS)
}

/// Beta times how far a delay lies above Swift's target without flow scaling, Q.13 ns.
pub fn above_base(w: &Words, average: i64, rtt_ns: u32, hops: u8) -> i64 {
    let base = i64::from(p::T_LOW.get(w)) + i64::from(hops) * i64::from(p::HOP.get(w));
    let above = cut(i64::from(rtt_ns) - base, 25);
    scale(average, above << 11, p::BETA.get(w))
}

/// Beta times what flow scaling adds to Swift's target at this rate, Q.13 ns.
pub fn flow_scaling(w: &Words, rate: u32) -> i64 {
    let (root, shift) = inverse_root(rate);
    let range = i64::from(p::FLOW_RANGE.get(w));
    if shift > p::FLOW_SHIFT.get(w) {
        return range;
    }
    let gain = i64::from(p::FLOW_GAIN.get(w) >> (p::FLOW_SHIFT.get(w) - shift));
    let sum = upper(gain, 15, root.into(), 10) + (1 << 15) - (i64::from(p::FLOW_OFFSET.get(w)) << 16);
    (sum >> 16).clamp(0, range)
}

/// Patched TIMELY's `b e`, Q.30, 33 bits.
pub fn error(w: &Words, rtt_ns: u32) -> i64 {
    let error = i64::from(rtt_ns) - i64::from(p::T_REF.get(w));
    let normal = cut(error << (p::ERROR_SHIFT.get(w) + 8), 33);
    cut(round(upper(normal, 15, i64::from(p::ERROR_GAIN.get(w)) << 1, 10), 16), 33)
}

/// The output of the PI controller, Q.30 and 33 bits, and what it goes on from, Q.40.
pub fn controller(w: &Words, last: u64, rtt_ns: u32, difference: i64) -> (i64, u64) {
    let error = bounded(i64::from(rtt_ns) - i64::from(p::T_REF.get(w)));
    let by_change = bounded(difference) * i64::from(p::PROPORTIONAL_GAIN.get(w));
    let by_error = upper(error << 15, 15, i64::from(p::ERROR_GAIN.get(w)) << 1, 10);
    let sum = cut(by_error + ((last as i64 + by_change) << 14) + (1 << 13), 58);
    (cut(sum >> 24, 33), (sum >> 14).clamp(0, (1 << MARK_BITS) - 1) as u64)
}

/// `x`, Q.30 or any other, 33 bits, times the delta factor.
pub fn scaled(x: i64, delta_factor: i64) -> i64 {
    cut(round(upper(x, 15, delta_factor, 10), 16), 33)
}

/// Beta times Thigh, as a delay's reciprocal takes it.
pub fn threshold(w: &Words, delay_ns: u32) -> i64 {
    i64::from(p::BETA_T_HIGH.get(w) >> (p::T_HIGH_ZEROS.get(w).wrapping_sub(zeros(delay_ns)) % 32))
}

/// `x` times the reciprocal of a delay, Q.26, 28 bits: for `x` what [`threshold`] gives, that over the delay.
pub fn over(x: i64, delay_ns: u32) -> i64 {
    low(round(upper(x, 15, (reciprocal(delay_ns) << 3) as i64, 15), 22), 28)
}

/// The same for the responder's part of a delay, whose product is another one.
pub fn over_endpoint(x: i64, delay_ns: u32) -> i64 {
    cut(round(upper(x, 15, reciprocal(delay_ns) as i64, 12), 22), 28)
}

/// A positive excess over Swift's target, Q.13 ns, over the delay.
pub fn excess_over(excess: i64, delay_ns: u32) -> i64 {
    over(low(excess << zeros(delay_ns), 37) >> 5, delay_ns)
}

/// `x`, Q.30, times the rate: in the rate's unit, 35 bits.
pub fn of_rate(x: i64, rate: u32) -> i64 {
    // The lower limbs' product, left out, is a quarter of the unit on average.
    cut((upper(x, 15, rate.into(), 15) + (1 << 14) + (1 << 13)) >> 15, 35)
}

/// The smoothed difference over minRTT times a gain, Q.26, from -1 to 1.
fn gradient(w: &Words, average: i64) -> i64 {
    let magnitude = if average < 0 { !average } else { average } >> p::AVERAGE_FRACTION;
    if magnitude >= p::GRADIENT_FULL.get(w).into() {
        return if average < 0 { -ONE } else { ONE };
    }
    let normal = cut(average << p::GRADIENT_SHIFT.get(w), AVERAGE_BITS) >> 6;
    cut(round(upper(normal << 1, 15, i64::from(p::GRADIENT_GAIN.get(w)) << 3, 12), 22), 28)
}

/// TIMELY's decrease by gradient, Q.26.
pub fn decrease(w: &Words, average: i64) -> i64 {
    gradient(w, average).clamp(0, ONE)
}

/// Patched TIMELY's weight, Q.26.
pub fn weight(w: &Words, average: i64) -> i64 {
    ((gradient(w, average) + ONE + 1) >> 1).clamp(0, ONE)
}

/// An additive step scaled by the delta factor, 26 bits.
pub fn step(full: u32, delta_factor: i64) -> u32 {
    low(round(upper(i64::from(full) << 8, 15, delta_factor, 10), 24), 26) as u32
}

/// Beta scaled by the delta factor, Q.26, 28 bits.
pub fn beta(w: &Words, delta_factor: i64) -> i64 {
    low(round(upper(p::BETA.get(w).into(), 15, delta_factor, 10), 21), 28)
}
