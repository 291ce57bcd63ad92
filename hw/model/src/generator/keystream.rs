//! The nonces: words of a keystream that are made ahead, by Trivium (C. De Cannière and B. Preneel,
//! eSTREAM portfolio 2008; ISO/IEC 29192-3).

/// Clocks from the key to the first word: 36 of 32 steps to mix it in, two for the words that wait.
pub const LOAD_CLOCKS: u32 = 38;
/// Bits of a key: Trivium's 80, and the first 16 of its IV, whose others are 0.
pub const KEY_BITS: u32 = 96;
/// Bits of the three shift registers.
const LENGTHS: [u32; 3] = [93, 84, 111];

/// The cipher's state; bit `i` of a register is the specification's `s` of its first number plus
/// `i`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trivium([u128; 3]);

impl Trivium {
    /// The state with key and IV loaded, before they are mixed. Bit `i` of either is the
    /// specification's number `i + 1`.
    pub fn loaded(key: u128, iv: u128) -> Self {
        Trivium([key, iv, 0b111 << 108])
    }

    /// 32 steps; the bit of the first is the word's highest.
    pub fn word(&mut self) -> u32 {
        let [a, b, c] = self.0;
        // Step `j` finds at a number what stood `j` below it at first: of 32 steps a window, the
        // first step's bit on top.
        let at = |register: u128, bit: u32| (register >> (bit - 31)) as u32;
        let [t1, t2, t3] = [at(a, 65) ^ at(a, 92), at(b, 68) ^ at(b, 83), at(c, 65) ^ at(c, 110)];
        let n1 = t1 ^ at(a, 90) & at(a, 91) ^ at(b, 77);
        let n2 = t2 ^ at(b, 81) & at(b, 82) ^ at(c, 86);
        let n3 = t3 ^ at(c, 108) & at(c, 109) ^ at(a, 68);
        for ((register, new), bits) in self.0.iter_mut().zip([n3, n1, n2]).zip(LENGTHS) {
            *register = (*register << 32 | u128::from(new)) & ((1 << bits) - 1);
        }
        t1 ^ t2 ^ t3
    }
}

/// Words of the keystream, one a clock if need be.
#[derive(Clone, Debug, Default)]
pub struct Keystream {
    cipher: Trivium,
    keyed: bool,
    /// Clocks until the words are there.
    loading: u32,
    /// The next word and the one after it.
    words: [u32; 2],
    /// A word was taken at the clock before, so that the second is gone.
    drew: bool,
}

impl Keystream {
    /// A key is in, and its words are there.
    pub fn is_ready(&self) -> bool {
        self.keyed && self.loading == 0
    }

    /// The word that is taken next.
    pub fn word(&self) -> u32 {
        self.words[0]
    }

    /// Without a change of `keyed` and without a word taken, a step changes nothing.
    pub fn is_idle(&self) -> bool {
        self.loading == 0 && !self.drew
    }

    /// A clock: a word is taken or not; the key counts when `keyed` rises.
    pub fn step(&mut self, taken: bool, key: u128, keyed: bool) {
        let starts = keyed && !self.keyed;
        self.keyed = keyed;
        if starts {
            // A word that is taken at this clock stays the next.
            self.cipher = Trivium::loaded(key & ((1 << 80) - 1), key >> 80);
            (self.loading, self.drew) = (LOAD_CLOCKS, false);
        } else if self.loading > 0 {
            self.loading -= 1;
            self.words = [self.words[1], self.cipher.word()];
        } else {
            if self.drew {
                self.words[1] = self.cipher.word();
            }
            if taken {
                self.words[0] = self.words[1];
            }
            self.drew = taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes as eSTREAM's vectors print them: of key and IV the last byte first, each with its bits
    /// turned round; of the stream bit 0 first.
    fn turned(bytes: &[u8]) -> u128 {
        bytes.iter().fold(0, |all, byte| all << 8 | u128::from(byte.reverse_bits()))
    }

    /// Two of the published test vectors (ECRYPT, `trivium-80.80.test-vectors`): the first 64 bytes
    /// of the stream.
    #[test]
    fn the_published_vectors() {
        let vectors = [
            // Set 1, vector 0.
            (
                "80000000000000000000",
                "00000000000000000000",
                "38EB86FF730D7A9CAF8DF13A4420540DBB7B651464C87501552041C249F29A64\
                 D2FBF515610921EBE06C8F92CECF7F8098FF20CCCC6A62B97BE8EF7454FC80F9",
            ),
            // Set 6, vector 0.
            (
                "0053A6F94C9FF24598EB",
                "0D74DB42A91077DE45AC",
                "F4CD954A717F26A7D6930830C4E7CF0819F80E03F25F342C64ADC66ABA7F8A8E\
                 6EAA49F23632AE3CD41A7BD290A0132F81C6D4043B6E397D7388F3A03B5FE358",
            ),
        ];
        let bytes = |hex: &str| -> Vec<u8> {
            hex.as_bytes().chunks(2).map(|c| u8::from_str_radix(std::str::from_utf8(c).expect("ASCII"), 16).expect("hex")).collect()
        };
        for (key, iv, stream) in vectors {
            let mut cipher = Trivium::loaded(turned(&bytes(key)), turned(&bytes(iv)));
            (0..36).for_each(|_| _ = cipher.word());
            let words = bytes(stream).len() / 4;
            let found: Vec<u8> = (0..words).flat_map(|_| cipher.word().to_be_bytes().map(u8::reverse_bits)).collect();
            assert_eq!(found, bytes(stream), "key {key}");
        }
    }

    /// Whatever the clocks at which they are taken, the words come in order, none twice and none
    /// left out.
    #[test]
    fn words_come_in_order() {
        let key = 0x0123_4567_89ab_cdef_0246_8ace;
        let mut cipher = Trivium::loaded(key & ((1 << 80) - 1), key >> 80);
        (0..36).for_each(|_| _ = cipher.word());
        let mut keys = Keystream::default();
        (0..=LOAD_CLOCKS).for_each(|_| keys.step(false, key, true));
        assert!(keys.is_ready());
        for clk in 0u32..10_000 {
            let taken = (clk / 100) % 3 == 0 || clk % 3 == 0;
            if taken {
                assert_eq!(keys.word(), cipher.word(), "clock {clk}");
            }
            keys.step(taken, key, true);
        }
    }
}
