//! The reciprocal of an RTT: a table of 2^11 chords over one octave.

/// Bits of the table's index, below the leading one of the normalised argument.
pub const INDEX_BITS: u32 = 11;
/// Bits of the argument below the index.
pub const FRACTION_BITS: u32 = 23 - INDEX_BITS;
/// Bits of a chord's value at its left end.
pub const BASE_BITS: u32 = 29;
/// Bits of a chord's fall over its length.
pub const SLOPE_BITS: u32 = 18;

/// Value at the left end, and fall, of the chord `index` for `2^52 / n`, `n` normalised to 24 bits.
///
/// A chord lies above the curve, most in its middle; it is lowered by half of that, so the error is
/// even on both sides: 2^-25 of the value at most. The value also holds the half unit that makes
/// cutting off the interpolation's fraction a rounding.
pub const fn chord(index: u64) -> (u64, u64) {
    const SCALE: u32 = 16;
    let x = (1 << INDEX_BITS) + index;
    let numerator = 52 - FRACTION_BITS;
    let left = ((1u128 << (numerator + SCALE)) / x as u128) as u64;
    let right = ((1u128 << (numerator + SCALE)) / (x + 1) as u128) as u64;
    let middle = ((1u128 << (numerator + 1 + SCALE)) / (2 * x + 1) as u128) as u64;
    let sag = (left + right) / 2 - middle;
    // Rounded to nearest, plus the half unit.
    let base = (left - sag / 2 + (1 << SCALE)) >> SCALE;
    let slope = (left - right + (1 << (SCALE - 1))) >> SCALE;
    (base, slope)
}

/// Leading zeros of a 24-bit RTT, at most 23 (also for 0).
pub fn zeros(rtt: u32) -> u32 {
    (rtt << 8).leading_zeros().min(23)
}

/// `2^52 / (rtt << zeros)`, 29 bits; for an RTT of 0 that of 2^23, as the normaliser gives it.
pub fn reciprocal(rtt: u32) -> u64 {
    let normal = u64::from(rtt) << zeros(rtt);
    let (base, slope) = chord((normal >> FRACTION_BITS) & ((1 << INDEX_BITS) - 1));
    base - ((slope * (normal & ((1 << FRACTION_BITS) - 1))) >> FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_fit_their_widths_and_err_evenly() {
        let (mut worst_low, mut worst_high) = (0f64, 0f64);
        for index in 0..1 << INDEX_BITS {
            let (base, slope) = chord(index);
            assert!(base < 1 << BASE_BITS && slope < 1 << SLOPE_BITS && slope < base, "chord {index}");
            for fraction in [0, 1, 1000, 2047, 2048, 3000, 4094, 4095] {
                let n = (((1 << INDEX_BITS) + index) << FRACTION_BITS | fraction) as u32;
                let error = reciprocal(n) as f64 * f64::from(n) / 2f64.powi(52) - 1.0;
                (worst_low, worst_high) = (worst_low.min(error), worst_high.max(error));
            }
        }
        println!("relative error {worst_low:.2e} to {worst_high:.2e}");
        assert!(worst_low > -5e-8 && worst_high < 5e-8, "{worst_low:e} {worst_high:e}");
    }

    #[test]
    fn any_rtt() {
        for rtt in [1u32, 2, 3, 20_000, 999_999, 1 << 23, (1 << 24) - 1] {
            let exact = 2f64.powi(52) / f64::from(rtt << zeros(rtt));
            assert!((reciprocal(rtt) as f64 / exact - 1.0).abs() < 5e-8, "{rtt}");
        }
    }
}
