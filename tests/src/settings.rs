//! The settings bus of the register block, as the model names what is on it.
use timely_model::csr::Settings;
use timely_verilate::{Dut, Out};

/// The settings on the bus `port`.
pub fn settings(dut: &Dut, port: Out) -> Settings {
    let (words, mut at) = (dut.get_words(port), 0);
    Settings::from_rows(|row| {
        let value = bits(words, at, row.bits as usize);
        at += row.bits as usize;
        value
    })
}

/// `bits` bits, at most 128, of little-endian words from bit `at` on.
fn bits(words: &[u32], at: usize, bits: usize) -> u128 {
    let end = (at + bits).div_ceil(32);
    let lowest = u128::from(words[at / 32]) >> (at % 32);
    let all = (at / 32 + 1..end).fold(lowest, |v, i| v | u128::from(words[i]) << (32 * i - at));
    if bits < 128 { all & ((1 << bits) - 1) } else { all }
}

#[cfg(test)]
mod tests {
    #[test]
    fn bits_are_cut_at_any_place() {
        let words = [0x89ab_cdef, 0x0123_4567, 0xfedc_ba98, 0x7654_3210, 0xffff_0000];
        assert_eq!(super::bits(&words, 0, 4), 0xf);
        assert_eq!(super::bits(&words, 28, 8), 0x78);
        assert_eq!(super::bits(&words, 4, 128), 0x0765_4321_0fed_cba9_8012_3456_789a_bcde);
        assert_eq!(super::bits(&words, 159, 1), 1);
    }
}
