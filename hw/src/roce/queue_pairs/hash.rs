//! The seeded hash of a key.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::check::Matrix;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::SECRET_BITS;

// A kernel takes literals alone.
const _: () = assert!(SECRET_BITS == 191);

/// `timely_model::queue_pairs::hash` of a key, 5 clocks later; a key a clock.
#[derive(LogicBlock, Default)]
pub(super) struct Hash {
    pub clk: Signal<In, Clock>,
    /// Constant from reset to reset.
    pub secret: Signal<In, Bits<192>>,
    pub key: Signal<In, Bits<152>>,
    pub hash: Signal<Out, Bits<32>>,
    matrices: [Matrix; 5],
    wide_secret: Signal<Local, Bits<224>>,
    wide_key: Signal<Local, Bits<160>>,
    products: [DFF<Bits<32>>; 5],
    product: DFF<Bits<32>>,
    sum10: DFF<Bits<32>>,
    folded: Signal<Local, Bits<32>>,
    sum3: DFF<Bits<32>>,
    out: DFF<Bits<32>>,
}

impl Logic for Hash {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, product, sum10, sum3, out);
        self.wide_secret.next = bit_cast::<224, 192>(self.secret.val());
        self.wide_key.next = bit_cast::<160, 152>(self.key.val());
        for i in 0..5 {
            self.products[i].clock.next = self.clk.val();
            self.matrices[i].key.next = self.wide_secret.val().get_bits::<96>(32 * i);
            self.matrices[i].digest.next = self.wide_key.val().get_bits::<32>(32 * i);
            self.products[i].d.next = self.matrices[i].product.val();
        }
        self.product.d.next = ((self.products[0].q.val() ^ self.products[1].q.val())
            ^ (self.products[2].q.val() ^ self.products[3].q.val()))
            ^ self.products[4].q.val();
        self.sum10.d.next = self.product.q.val() + (self.product.q.val() << 10);
        self.folded.next = self.sum10.q.val() ^ (self.sum10.q.val() >> 6);
        self.sum3.d.next = self.folded.val() + (self.folded.val() << 3);
        self.out.d.next = self.sum3.q.val() ^ (self.sum3.q.val() >> 11);
        self.hash.next = self.out.q.val();
    }
}
