//! The effect of bytes on the register of Ethernet's check sequence, as matrices over GF(2).
use timely_regs::wire::crc32;

/// The register after `n` bytes of zeros.
pub fn after_zeros(register: u32, n: usize) -> u32 {
    (0..n).fold(register, |r, _| crc32(r, 0))
}

/// The register in front of `n` bytes of zeros behind which it is `register`.
pub(super) fn before_zeros(register: u32, n: usize) -> u32 {
    // A step shifts right by a bit, and adds the polynomial if that bit was set; the polynomial's
    // highest bit tells.
    (0..8 * n).fold(register, |r, _| if r >> 31 == 1 { (r ^ 0xedb8_8320) << 1 | 1 } else { r << 1 })
}

/// Row `j` of what `bytes` zeros do to the register: the bits of it whose sum is bit `j`
/// afterwards.
pub fn register_row(j: usize, bytes: usize) -> u32 {
    (0..32).filter(|i| after_zeros(1 << i, bytes) >> j & 1 == 1).fold(0, |row, i| row | 1 << i)
}

/// Row `j` of what eight bytes do that `behind` other bytes follow: the bits of them that enter bit
/// `j`.
pub(super) fn data_row(j: usize, behind: usize) -> u64 {
    let effect = |bit: usize| after_zeros(crc32(0, 1 << (bit % 8)), 7 - bit / 8 + behind);
    (0..64).filter(|bit| effect(*bit) >> j & 1 == 1).fold(0, |row, bit| row | 1 << bit)
}
