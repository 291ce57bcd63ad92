//! Keys of queue pairs and their seeded hash.
use crate::check::product;

/// Bits of the secret that the hash reads: five matrices of 63 bits, 32 bits apart.
pub const SECRET_BITS: u32 = 191;

/// A remote host and a queue pair's number: of the remote host's queue pair in a packet that is
/// sent, of the local one in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key {
    /// Address of the remote host, byte 0 lowest; an IPv4 address as `::ffff:a.b.c.d`.
    pub address: u128,
    /// Number of the queue pair, 24 bits.
    pub pair: u32,
}

/// The hash of a key under a secret.
///
/// A Hankel matrix of bits of the secret, as of the segments' checks ([`product`]), keeps two keys
/// that somebody chose apart but with probability 2^-32. The product alone is linear, so that keys
/// in a row could leave half of the buckets empty; the bijection behind it is not.
pub fn hash(secret: [u64; 3], key: Key) -> u32 {
    let word = |at: u32| {
        let (i, low) = ((at / 64) as usize, at % 64);
        let above = secret.get(i + 1).map_or(0, |w| w.checked_shl(64 - low).unwrap_or(0));
        u128::from(secret[i] >> low | above)
    };
    let words = [0, 32, 64, 96].map(|at| (key.address >> at) as u32);
    let words = words.into_iter().chain([key.pair]).zip(0..);
    mix(words.fold(0, |sum, (w, i)| sum ^ product(word(32 * i), w)))
}

/// A bijection of 32 bits that is not linear.
fn mix(x: u32) -> u32 {
    let x = x.wrapping_add(x << 10);
    let x = x ^ x >> 6;
    let x = x.wrapping_add(x << 3);
    x ^ x >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product by one matrix of 32 rows and 152 columns, bit by bit out of the definition.
    #[test]
    fn the_hash_is_one_matrix_and_a_bijection_behind_it() {
        let secret = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x5a5a_1234_c3c3_9876];
        let bit = |at: u32| secret[(at / 64) as usize] >> (at % 64) & 1 == 1;
        for n in 0..200_u128 {
            let key = Key {
                address: n.wrapping_mul(0x1234_5678_9abc_def1_2345_6789_abcd_ef13),
                pair: (n as u32).wrapping_mul(0x9e3779) & 0xff_ffff,
            };
            let set = |column: u32| if column < 128 { key.address >> column & 1 == 1 } else { key.pair >> (column - 128) & 1 == 1 };
            let row = |r: u32| (0..152).filter(|c| set(*c) && bit(r + c)).count() as u32 & 1;
            assert_eq!(hash(secret, key), mix((0..32).map(|r| row(r) << r).sum()));
        }
        let inverse = |odd: u32| (0..5).fold(1_u32, |x, _| x.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(x))));
        for x in (0..1 << 16).map(|n: u32| n.wrapping_mul(0x1_0d01)) {
            let y = mix(x);
            let y = (y ^ y >> 11 ^ y >> 22).wrapping_mul(inverse(9));
            let y = (0..32).step_by(6).fold(0, |sum, shift| sum ^ y >> shift).wrapping_mul(inverse(1025));
            assert_eq!(y, x);
        }
    }
}
