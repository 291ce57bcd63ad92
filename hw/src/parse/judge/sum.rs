//! The IPv4 header checksum: one addition a stage.
use rust_hdl::prelude::*;

/// With `words` at clock `t` and `has_tag` at `t + 1`, says at `t + 4` whether the ten words of an
/// IPv4 header without options sum to 0xffff. A ones' complement sum does not mind the byte order,
/// so the bytes stay as they are.
#[derive(LogicBlock, Default)]
pub(crate) struct HeaderSum {
    pub clk: Signal<In, Clock>,
    /// Bytes 14 to 37 of the frame: an untagged IPv4 header is the first five pairs of words, a
    /// tagged one the last five of six.
    pub words: Signal<In, Bits<192>>,
    pub has_tag: Signal<In, Bit>,
    pub o_good: Signal<Out, Bit>,
    pair: [DFF<Bits<17>>; 6],
    left: DFF<Bits<18>>,
    right: DFF<Bits<18>>,
    outer: DFF<Bits<17>>,
    both: DFF<Bits<19>>,
    outer_later: DFF<Bits<17>>,
    sum: DFF<Bits<20>>,
    carry: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<4>>,
}

impl Logic for HeaderSum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, left, right, outer, both, outer_later, sum);
        for i in 0..6 {
            self.pair[i].clock.next = self.clk.val();
        }
        self.pair[0].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(0)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(16));
        self.pair[1].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(32)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(48));
        self.pair[2].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(64)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(80));
        self.pair[3].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(96)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(112));
        self.pair[4].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(128)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(144));
        self.pair[5].d.next =
            bit_cast::<17, 16>(self.words.val().get_bits::<16>(160)) + bit_cast::<17, 16>(self.words.val().get_bits::<16>(176));
        self.left.d.next = bit_cast::<18, 17>(self.pair[1].q.val()) + bit_cast::<18, 17>(self.pair[2].q.val());
        self.right.d.next = bit_cast::<18, 17>(self.pair[3].q.val()) + bit_cast::<18, 17>(self.pair[4].q.val());
        self.outer.d.next = self.pair[0].q.val();
        if self.has_tag.val() {
            self.outer.d.next = self.pair[5].q.val();
        }
        self.both.d.next = bit_cast::<19, 18>(self.left.q.val()) + bit_cast::<19, 18>(self.right.q.val());
        self.outer_later.d.next = self.outer.q.val();
        self.sum.d.next = bit_cast::<20, 19>(self.both.q.val()) + bit_cast::<20, 17>(self.outer_later.q.val());
        // Ten words carry at most nine: the sum folds to 0xffff exactly when its low 16 bits are
        // the complement of the carries.
        self.carry.next = self.sum.q.val().get_bits::<4>(16);
        self.low.next = self.sum.q.val().get_bits::<4>(0);
        self.o_good.next = self.sum.q.val().get_bits::<12>(4).all() & (self.carry.val() ^ self.low.val()).all();
    }
}
