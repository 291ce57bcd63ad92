//! The numbers that the laws share: products as the pipeline's limbs make them, delta factor,
//! smoothed difference, steps and decreases.
//!
//! `Q.n` has n fraction bits. A word that no [`timely_regs::parameters::Parameters`] would give is
//! still defined: what does not fit its register is cut to it, as [`cut`] does.
use super::reciprocal::{reciprocal, zeros};
use super::root::inverse_root;
pub use super::state::AVERAGE_BITS;
use super::state::{MARK_BITS, ONE, State, Words};
use timely_regs::profile as p;

/// Bits that the limbs of a whole product overlap by.
const LIMB: u32 = 17;
/// Bits of the lower limbs of the other products.
const HALF: u32 = 15;
/// Bits that the limbs of the errors' product lose.
const ERROR_LOST: u32 = 9;
/// Bits that the limbs of the product with rate or reciprocal lose.
pub const SECOND_LOST: u32 = 11;
/// Constant that `second` adds beyond two carries of those bits.
pub const SECOND_MORE: i64 = (1 << 14) + (1 << 13) - (1 << 11);
/// Bits that the limbs of [`less`] lose.
pub const LESS_CUT: u32 = 3;
/// Bits that beta times Thigh loses.
const THRESHOLD_CUT: u32 = 4;
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

/// The product in units of 2^17 as a new rate takes it, in units of 2^[`LESS_CUT`]: each limb
/// without its lowest bits.
pub fn less(weighed: i64, weight: i64) -> i64 {
    let (zh, zl, wh, wl) = (weighed >> LIMB, low(weighed, LIMB), weight >> LIMB, low(weight, LIMB));
    let outer = ((zh * wh) << LIMB) + ((zl * wl) >> LIMB);
    (outer >> LESS_CUT) + ((zl * wh) >> LESS_CUT) + ((zh * wl) >> LESS_CUT)
}

/// `a b` in units of 2^15 by three limbs: without the product of the low 15 bits of both, and with
/// two products of low and high bits that are cut above their lowest `lost` bits.
pub fn limbs(a: i64, b: i64, lost: u32) -> i64 {
    let (ah, al, bh, bl) = (a >> HALF, low(a, HALF), b >> HALF, low(b, HALF));
    ((ah * bh) << HALF) + ((((ah * bl) >> lost) + ((al * bh) >> lost)) << lost)
}

/// The product by limbs and two carries, half of what four cut limbs can lose.
pub fn upper(a: i64, b: i64, lost: u32) -> i64 {
    limbs(a, b, lost) + (2 << lost)
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
    let normal = i64::from((age << (p::UPDATE_STEP * p::UPDATE_SHIFT.get(w))) & 0xff_ffff);
    low(upper(normal << 8, i64::from(p::UPDATE_INVERSE.get(w)) << 2, 15) >> 17, 27)
}

/// The smoothed difference after a sample that differs by `difference` ns from the last.
pub fn smooth(w: &Words, average: i64, difference: i64) -> i64 {
    let unit = p::AVERAGE_FRACTION - AVERAGE_CUT;
    let change = cut((difference << unit) + ((4 - average) >> AVERAGE_CUT), 36);
    scale(average, change, p::ALPHA.get(w))
}

/// DCQCN: 1 - alpha of an alpha of 0, ns of smoothed difference.
pub const WHOLE_DIFFERENCE: i64 = 1 << 23;
/// Bits of 1 - alpha below those of the weight alpha / 2.
const ALPHA_LOST: u32 = 11;

/// DCQCN's alpha / 2, Q.26, of 1 - alpha in Q.36.
pub fn half_alpha(average: i64) -> i64 {
    low(!average >> ALPHA_LOST, 25)
}

/// `average + gain * change`, `change` in Q.10, `gain` in Q.32.
fn scale(average: i64, change: i64, gain: u32) -> i64 {
    cut(round((average << 12) + product(change, gain.into()), 12), AVERAGE_BITS)
}

/// Beta times how far a delay lies above Swift's target without flow scaling, Q.13 ns.
pub fn above_base(w: &Words, average: i64, rtt_ns: u32, hops: u8) -> i64 {
    let base = i64::from(p::T_LOW.get(w)) + i64::from(hops) * i64::from(p::HOP.get(w));
    scale(average, (i64::from(rtt_ns) - base) << 10, p::ALPHA.get(w))
}

/// Beta times what flow scaling adds to Swift's target at this rate, Q.13 ns.
pub fn flow_scaling(w: &Words, rate: u32) -> i64 {
    let (root, shift) = inverse_root(rate);
    let range = i64::from(p::FLOW_RANGE.get(w));
    if shift > p::FLOW_SHIFT.get(w) {
        return range;
    }
    let gain = i64::from(p::FLOW_GAIN.get(w) >> (p::FLOW_SHIFT.get(w) - shift));
    let sum = limbs(gain, i64::from(root) << 2, ERROR_LOST) + (1 << 12) - (i64::from(p::FLOW_OFFSET.get(w)) << 13);
    (sum >> 13).clamp(0, range)
}

/// Patched TIMELY's `b e`, Q.30, 33 bits.
pub fn error(w: &Words, rtt_ns: u32) -> i64 {
    let error = i64::from(rtt_ns) - i64::from(p::T_REF.get(w));
    let normal = cut(error << (p::ERROR_STEP * p::ERROR_SHIFT.get(w) + 8), 33);
    cut(round(limbs(normal, i64::from(p::ERROR_GAIN.get(w)) << 2, ERROR_LOST), 13), 33)
}

/// The output of the PI controller, Q.30 and 33 bits, and what it goes on from, Q.40.
pub fn controller(w: &Words, last: u64, rtt_ns: u32, difference: i64) -> (i64, u64) {
    let error = bounded(i64::from(rtt_ns) - i64::from(p::T_REF.get(w)));
    let by_change = bounded(difference) * i64::from(p::PROPORTIONAL_GAIN.get(w));
    let by_error = limbs(error << 15, i64::from(p::ERROR_GAIN.get(w)) << 2, ERROR_LOST);
    let sum = cut(by_error + ((last as i64 + by_change) << 11) + (1 << 10), 55);
    (cut(sum >> 21, 33), (sum >> 11).clamp(0, (1 << MARK_BITS) - 1) as u64)
}

/// `x`, Q.30 or any other, 33 bits, times the delta factor.
pub fn scaled(x: i64, delta_factor: i64) -> i64 {
    // Half a unit, and what the limbs lose on average.
    cut((upper(x, delta_factor << 5, 14) + (1 << 14)) >> 16, 33)
}

/// Beta times Thigh, as a delay's reciprocal takes it.
pub fn threshold(w: &Words, delay_ns: u32) -> i64 {
    i64::from((p::BETA_T_HIGH.get(w) >> THRESHOLD_CUT) >> (p::T_HIGH_ZEROS.get(w).wrapping_sub(zeros(delay_ns)) % 32)) << THRESHOLD_CUT
}

/// `x` times the reciprocal of a delay, Q.27, 29 bits: for `x` what [`threshold`] gives, that over
/// the delay.
pub fn over(x: i64, delay_ns: u32) -> i64 {
    low(second(x, (reciprocal(delay_ns) << 3) as i64) >> 21, 29)
}

/// The product with the rate or a delay's reciprocal, with half the rate's unit more, and with what
/// is left out on average: a quarter for the lower limbs' product, a 16th for the cut of the
/// others. Patched TIMELY's trajectories need them this exact.
fn second(x: i64, y: i64) -> i64 {
    upper(x, y, SECOND_LOST) + SECOND_MORE
}

/// `x` times the reciprocal of the responder's part of a delay, whose product is another one.
pub fn over_endpoint(x: i64, delay_ns: u32) -> i64 {
    cut(upper(x, reciprocal(delay_ns) as i64, 17) >> 19, 28)
}

/// A positive excess over Swift's target, Q.13 ns, over the delay: Q.26.
pub fn excess_over(excess: i64, delay_ns: u32) -> i64 {
    over(low(excess << zeros(delay_ns), 37) >> 5, delay_ns) >> 1
}

/// `x`, Q.30, times the rate: in the rate's unit, 35 bits.
pub fn of_rate(x: i64, rate: u32) -> i64 {
    cut(second(x, rate.into()) >> 15, 35)
}

/// The smoothed difference over minRTT times a gain, Q.26, from -1 to 1.
fn gradient(w: &Words, average: i64) -> i64 {
    let magnitude = if average < 0 { !average } else { average } >> p::AVERAGE_FRACTION;
    if magnitude >= p::GRADIENT_FULL.get(w).into() {
        return if average < 0 { -ONE } else { ONE };
    }
    let normal = cut(average << (p::GRADIENT_STEP * p::GRADIENT_SHIFT.get(w)), AVERAGE_BITS) >> 6;
    cut(upper(normal << 1, i64::from(p::GRADIENT_GAIN.get(w)) << 2, 17) >> 19, 28)
}

/// TIMELY's decrease by gradient, Q.26.
pub fn decrease(w: &Words, average: i64) -> i64 {
    gradient(w, average).clamp(0, ONE)
}

/// Patched TIMELY's weight, Q.26.
pub fn weight(w: &Words, average: i64) -> i64 {
    ((gradient(w, average) + ONE + 1) >> 1).clamp(0, ONE)
}

/// An additive step scaled by the delta factor, to nearest.
pub fn step(full: u32, delta_factor: i64) -> u32 {
    round(low(upper(i64::from(full) << 8, delta_factor << 5, 17) >> 23, 27), 1) as u32
}

/// Beta scaled by the delta factor, Q.27, 29 bits.
pub fn beta(w: &Words, delta_factor: i64) -> i64 {
    low(upper(p::BETA.get(w).into(), delta_factor << 5, 17) >> 20, 29)
}
