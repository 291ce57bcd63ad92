//! The reciprocal of a rate's root: a table of 2^10 chords an octave, over the two octaves that
//! differ by their roots.

/// Bits of the table's index: the octave, then those below the leading one of the normalised rate.
pub const INDEX_BITS: u32 = 11;
/// Bits of the interpolation's fraction.
pub const FRACTION_BITS: u32 = 17;
/// Bits of a chord's value at its left end, and of the result.
pub const BASE_BITS: u32 = 27;
/// Bits of a chord's fall over its length.
pub const SLOPE_BITS: u32 = 16;

/// `2^58 / sqrt(n)`, cut.
const fn scaled(n: u128) -> u64 {
    ((1u128 << 116) / n).isqrt() as u64
}

/// Value at the left end, and fall, of the chord `index` for `2^42 / sqrt(n)`, `2^30 <= n < 2^32`.
///
/// As with [`super::reciprocal::chord`], a chord is lowered by half of what it lies above the
/// curve, and its value holds the half unit that makes cutting off the interpolation's fraction a
/// rounding. The error is at most 7e-8 of the value.
pub const fn chord(index: u64) -> (u64, u64) {
    const SCALE: u32 = 16;
    let octave = 20 + (index >> 10);
    let x = ((1 << 10) + (index & 0x3ff)) as u128;
    let (left, right) = (scaled(x << octave), scaled((x + 1) << octave));
    let middle = scaled((2 * x + 1) << (octave - 1));
    let sag = (left + right) / 2 - middle;
    ((left - sag / 2 + (1 << SCALE)) >> SCALE, (left - right + (1 << (SCALE - 1))) >> SCALE)
}

/// `2^(42 - shift) / sqrt(rate)`, 27 bits, and `shift`, half the rate's leading zeros, at most 15
/// (also for 0).
pub fn inverse_root(rate: u32) -> (u32, u32) {
    let shift = (rate.leading_zeros() / 2).min(15);
    let normal = u64::from(rate) << (2 * shift);
    let octave = normal >> 31;
    let index = octave << 10 | (normal >> (20 + octave)) & 0x3ff;
    let fraction = ((normal << (1 - octave)) & 0x1f_ffff) >> (21 - FRACTION_BITS);
    let (base, slope) = chord(index);
    ((base - ((slope * fraction) >> FRACTION_BITS)) as u32, shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_fit_their_widths_and_err_evenly() {
        let (mut low, mut high) = (0f64, 0f64);
        for index in 0..1u64 << INDEX_BITS {
            let (base, slope) = chord(index);
            assert!(base < 1 << BASE_BITS && slope < 1 << SLOPE_BITS, "chord {index}");
            for part in [0u64, 1, 7, 255, 512, 777, 1022, 1023] {
                let octave = index >> 10;
                let n = (((1 << 10) + (index & 0x3ff)) << 10 | part) << (10 + octave);
                let (m, shift) = inverse_root(n as u32);
                assert_eq!(shift, 0);
                let error = f64::from(m) * (n as f64).sqrt() / 2f64.powi(42) - 1.0;
                (low, high) = (low.min(error), high.max(error));
            }
        }
        println!("relative error {low:.2e} to {high:.2e}");
        assert!(low > -7e-8 && high < 7e-8, "{low:e} {high:e}");
    }

    #[test]
    fn any_rate() {
        for rate in [1u32, 2, 3, 4, 4096, 40_960_000, 1 << 29, 409_600_000, u32::MAX] {
            let (m, shift) = inverse_root(rate);
            let value = f64::from(m) * 2f64.powi(shift as i32 - 42);
            assert!((value * f64::from(rate).sqrt() - 1.0).abs() < 7e-8, "{rate}");
        }
        assert_eq!(inverse_root(0).1, 15);
    }
}
