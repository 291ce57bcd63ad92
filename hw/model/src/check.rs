//! The check of a segment: its nonce and the host that it goes to, in 32 bits (`timely_hw::check`).
//!
//! An ACK echoes the nonce; its source is the segment's destination. The address is folded to 32
//! bits and multiplied over GF(2) by a 32 x 32 matrix whose entries are bits of a secret key, row
//! `i` its bits `i` to `i + 31` (a Hankel matrix, a Toeplitz matrix with its rows turned round,
//! which is universal as that is: two addresses meet with probability 2^-32). So a host that knows
//! a segment's nonce but has another address cannot tell which nonce fits its own. Neither product
//! nor check ever leaves the NIC.

/// Bits of the key that the matrix has.
pub const KEY_BITS: u32 = 63;

/// The part of an address that is kept: all of an IPv4 address, a digest of an IPv6 address.
pub fn digest(address: &[u8; 16], ipv6: bool) -> u32 {
    let word = |i: usize| u32::from_le_bytes(address[4 * i..4 * i + 4].try_into().expect("4 of 16 bytes"));
    let rest = word(1).rotate_left(8) ^ word(2).rotate_left(16) ^ word(3).rotate_left(24);
    word(0) ^ if ipv6 { rest } else { 0 }
}

/// The product of the matrix of `key` and a digest.
pub fn product(key: u128, digest: u32) -> u32 {
    (0..32).map(|row| (((key >> row) as u32 & digest).count_ones() & 1) << row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With bit 31 of the key alone the matrix turns the bits round; products add up; and no
    /// difference of two addresses meets under most keys.
    #[test]
    fn the_matrix_is_linear_and_every_difference_shows() {
        let key = 0x0123_4567_89ab_cdef_0246_8ace_u128;
        assert_eq!(product(1 << 31, 0x8000_0001), 0x8000_0001);
        assert_eq!(product(1 << 31, 0x0000_1234), 0x0000_1234_u32.reverse_bits());
        for (a, b) in [(1, 2), (0x0a00_0001, 0x0a00_0002), (u32::MAX, 7)] {
            assert_eq!(product(key, a ^ b), product(key, a) ^ product(key, b));
            assert_ne!(product(key, a), product(key, b));
        }
    }
}
