//! The check of a segment: its nonce and the host that it goes to, in 32 bits.
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_model::check::KEY_BITS;

// A kernel takes literals alone.
const _: () = assert!(KEY_BITS == 63);

/// The product of a secret 32 x 32 matrix over GF(2) and a digest: row `i` is bits `i` to `i + 31`
/// of the key.
///
/// Combinational. Model: `timely_model::check::product`.
#[derive(LogicBlock)]
pub struct Matrix {
    /// Key, of which bits 0 to 62 count.
    pub key: Signal<In, Bits<96>>,
    /// The digest.
    pub digest: Signal<In, Bits<32>>,
    /// The product.
    pub product: Signal<Out, Bits<32>>,
    rows: [Signal<Local, Bits<32>>; 32],
    sums: [Signal<Local, Bits<32>>; 33],
}

impl Default for Matrix {
    fn default() -> Self {
        construct!({} key, digest, product; rows, sums)
    }
}

impl Logic for Matrix {
    #[hdl_gen]
    fn update(&mut self) {
        self.sums[0].next = bits::<32>(0);
        for i in 0..32 {
            self.rows[i].next = self.key.val().get_bits::<32>(i) & self.digest.val();
            self.sums[i + 1].next = self.sums[i].val().replace_bit(i, self.rows[i].val().xor());
        }
        self.product.next = self.sums[32].val();
    }
}

/// The digests of a frame's addresses, from what the parser reports.
///
/// Combinational. Model: `timely_model::check::digest`.
#[derive(LogicBlock, Default)]
pub struct Digests {
    /// The frame's first 66 bytes.
    pub head: Signal<In, Bits<528>>,
    /// Bit 0 VLAN, bit 1 IPv6.
    pub ip_class: Signal<In, Bits<2>>,
    /// Digest of its source.
    pub source: Signal<Out, Bits<32>>,
    /// Digest of its destination.
    pub destination: Signal<Out, Bits<32>>,
    front: Signal<Local, Bits<528>>,
    from: Signal<Local, Bits<128>>,
    to: Signal<Local, Bits<128>>,
    from_words: [Signal<Local, Bits<32>>; 3],
    to_words: [Signal<Local, Bits<32>>; 3],
}

impl Logic for Digests {
    #[hdl_gen]
    fn update(&mut self) {
        // Of an IPv4 address the words above the first are 0.
        self.front.next = self.head.val();
        self.from.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(208));
        self.to.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(240));
        if self.ip_class.val() == bits::<2>(1) {
            self.from.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(240));
            self.to.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(272));
        } else if self.ip_class.val() == bits::<2>(2) {
            self.from.next = self.front.val().get_bits::<128>(176);
            self.to.next = self.front.val().get_bits::<128>(304);
        } else if self.ip_class.val() == bits::<2>(3) {
            self.from.next = self.front.val().get_bits::<128>(208);
            self.to.next = self.front.val().get_bits::<128>(336);
        }
        for i in 0..3 {
            self.from_words[i].next = self.from.val().get_bits::<32>(32 * i + 32);
            self.to_words[i].next = self.to.val().get_bits::<32>(32 * i + 32);
        }
        self.source.next = (self.from.val().get_bits::<32>(0) ^ ((self.from_words[0].val() << 8) | (self.from_words[0].val() >> 24)))
            ^ (((self.from_words[1].val() << 16) | (self.from_words[1].val() >> 16))
                ^ ((self.from_words[2].val() << 24) | (self.from_words[2].val() >> 8)));
        self.destination.next = (self.to.val().get_bits::<32>(0) ^ ((self.to_words[0].val() << 8) | (self.to_words[0].val() >> 24)))
            ^ (((self.to_words[1].val() << 16) | (self.to_words[1].val() >> 16))
                ^ ((self.to_words[2].val() << 24) | (self.to_words[2].val() >> 8)));
    }
}
