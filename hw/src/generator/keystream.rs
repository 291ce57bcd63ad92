//! The nonces: words of a Trivium keystream, made ahead.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::generator::keystream::{KEY_BITS, LOAD_CLOCKS};

// A kernel takes literals alone.
const _: () = assert!(KEY_BITS == 96);

/// Shows the next word of the keystream of `key`; 32 steps of the cipher are one clock.
///
/// The key is taken when `keyed` rises; [`LOAD_CLOCKS`] clocks later the words are there, and
/// `ready` is 1 as long as `keyed` is. Two words wait in registers, and the cipher runs a clock
/// after a word was taken, so that `take` reaches two registers alone.
///
/// Throughput: a word a clock. Model: `timely_model::generator::keystream::Keystream`.
#[derive(LogicBlock, Default)]
pub struct Keystream {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Key, bits 0 to 79, and above it the first bits of the IV; the IV's others are 0.
    pub key: Signal<In, Bits<96>>,
    /// The key is written.
    pub keyed: Signal<In, Bit>,
    /// The word is taken.
    pub take: Signal<In, Bit>,
    /// The next word.
    pub word: Signal<Out, Bits<32>>,
    /// There are words.
    pub ready: Signal<Out, Bit>,
    load_clocks: Const<Bits<6>>,
    ones: Const<Bits<111>>,
    has: DFF<Bit>,
    left: DFF<Bits<6>>,
    drew: DFF<Bit>,
    next0: DFF<Bits<32>>,
    next1: DFF<Bits<32>>,
    // Numbers 1 to 93, 94 to 177 and 178 to 288 of the specification, the first of each in bit 0.
    a: DFF<Bits<93>>,
    b: DFF<Bits<84>>,
    c: DFF<Bits<111>>,
    t1: Signal<Local, Bits<32>>,
    t2: Signal<Local, Bits<32>>,
    t3: Signal<Local, Bits<32>>,
    n1: Signal<Local, Bits<32>>,
    n2: Signal<Local, Bits<32>>,
    n3: Signal<Local, Bits<32>>,
    made: Signal<Local, Bits<32>>,
    loading: Signal<Local, Bit>,
}

impl Keystream {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            load_clocks: Const::new(bits::<6>(LOAD_CLOCKS.into())),
            ones: Const::new((num_bigint::BigUint::from(7u32) << 108usize).into()),
            ..Default::default()
        }
    }
}

impl Logic for Keystream {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, has, left, drew, next0, next1, a, b, c);
        // 32 steps: each window's highest bit is of the first.
        self.t1.next = self.a.q.val().get_bits::<32>(34) ^ self.a.q.val().get_bits::<32>(61);
        self.t2.next = self.b.q.val().get_bits::<32>(37) ^ self.b.q.val().get_bits::<32>(52);
        self.t3.next = self.c.q.val().get_bits::<32>(34) ^ self.c.q.val().get_bits::<32>(79);
        self.made.next = (self.t1.val() ^ self.t2.val()) ^ self.t3.val();
        self.n1.next =
            (self.t1.val() ^ self.b.q.val().get_bits::<32>(46)) ^ (self.a.q.val().get_bits::<32>(59) & self.a.q.val().get_bits::<32>(60));
        self.n2.next =
            (self.t2.val() ^ self.c.q.val().get_bits::<32>(55)) ^ (self.b.q.val().get_bits::<32>(50) & self.b.q.val().get_bits::<32>(51));
        self.n3.next =
            (self.t3.val() ^ self.a.q.val().get_bits::<32>(37)) ^ (self.c.q.val().get_bits::<32>(77) & self.c.q.val().get_bits::<32>(78));
        self.loading.next = self.left.q.val().any();
        if self.loading.val() | self.drew.q.val() {
            self.a.d.next = bit_cast::<93, 32>(self.n3.val()) | (bit_cast::<93, 61>(self.a.q.val().get_bits::<61>(0)) << 32);
            self.b.d.next = bit_cast::<84, 32>(self.n1.val()) | (bit_cast::<84, 52>(self.b.q.val().get_bits::<52>(0)) << 32);
            self.c.d.next = bit_cast::<111, 32>(self.n2.val()) | (bit_cast::<111, 79>(self.c.q.val().get_bits::<79>(0)) << 32);
            self.next1.d.next = self.made.val();
        }
        self.has.d.next = self.keyed.val();
        self.drew.d.next = self.take.val() & !self.loading.val();
        if self.loading.val() {
            self.left.d.next = self.left.q.val() - bits::<6>(1);
            self.next0.d.next = self.next1.q.val();
        } else if self.take.val() {
            self.next0.d.next = self.next1.q.val();
            if self.drew.q.val() {
                self.next0.d.next = self.made.val();
            }
        }
        if self.keyed.val() & !self.has.q.val() {
            self.a.d.next = bit_cast::<93, 80>(self.key.val().get_bits::<80>(0));
            self.b.d.next = bit_cast::<84, 16>(self.key.val().get_bits::<16>(80));
            self.c.d.next = self.ones.val();
            self.left.d.next = self.load_clocks.val();
            self.drew.d.next = false;
            self.next0.d.next = self.next0.q.val();
            self.next1.d.next = self.next1.q.val();
        }
        self.word.next = self.next0.q.val();
        self.ready.next = self.has.q.val() & !self.loading.val();
        if self.rst.val() {
            self.has.d.next = false;
            self.drew.d.next = false;
            self.left.d.next = bits::<6>(0);
            self.next0.d.next = bits::<32>(0);
            self.next1.d.next = bits::<32>(0);
        }
    }
}
