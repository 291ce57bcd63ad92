//! The reciprocal of an RTT.
use crate::construct::construct;
use crate::num::U;
use rust_hdl::prelude::*;
use timely_model::engine::reciprocal::{BASE_BITS, INDEX_BITS, SLOPE_BITS, chord};

/// `2^52 / (rtt << zeros)` by a table of 2048 chords, one octave; throughput one a clock.
///
/// A port's number is the clock after the issue at which it holds. Table and rounding are those of
/// the model.
#[derive(LogicBlock)]
pub struct Reciprocal {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// RTT, ns.
    pub rtt_0: Signal<In, Bits<24>>,
    /// The RTT is below 256 ns.
    pub short_0: Signal<In, Bit>,
    /// Leading zeros of the RTT as a 24-bit number.
    pub zeros_3: Signal<Out, Bits<5>>,
    /// The reciprocal's complement.
    pub complement_7: Signal<Out, Bits<29>>,
    chords: SyncROM<Bits<47>, 11>,
    coarse: Signal<Local, Bits<24>>,
    normal1: DFF<Bits<24>>,
    zeros1: DFF<Bits<5>>,
    by_8: Signal<Local, Bit>,
    by_4: Signal<Local, Bit>,
    outer_2: Signal<Local, Bits<24>>,
    inner_2: Signal<Local, Bits<24>>,
    normal2: DFF<Bits<24>>,
    zeros2: DFF<Bits<5>>,
    by_2: Signal<Local, Bit>,
    by_1: Signal<Local, Bit>,
    outer_3: Signal<Local, Bits<24>>,
    inner_3: Signal<Local, Bits<24>>,
    normal3: DFF<Bits<24>>,
    zeros3: DFF<Bits<5>>,
    fraction4: DFF<Bits<12>>,
    fraction5: DFF<Bits<12>>,
    entry: DFF<Bits<47>>,
    slope: Signal<Local, U<18>>,
    fraction: Signal<Local, U<12>>,
    fall: DFF<Bits<30>>,
    base: DFF<Bits<29>>,
    value: DFF<Bits<29>>,
}

impl Default for Reciprocal {
    fn default() -> Self {
        assert_eq!((INDEX_BITS, SLOPE_BITS), (11, 18), "the table's type says how wide it is");
        let entry = |i: u64| {
            let (base, slope) = chord(i);
            (Bits::<11>::from(i), Bits::<47>::from((base ^ ((1 << BASE_BITS) - 1)) << SLOPE_BITS | slope))
        };
        construct!({ chords: SyncROM::new((0..1 << INDEX_BITS).map(entry).collect()) }
            clk, rst, rtt_0, short_0, zeros_3, complement_7, coarse, normal1, zeros1, by_8, by_4, outer_2, inner_2, normal2, zeros2, by_2, by_1, outer_3, inner_3, normal3, zeros3,
            fraction4, fraction5, entry, slope, fraction, fall, base, value)
    }
}

impl Logic for Reciprocal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, normal1, zeros1, normal2, zeros2, normal3, zeros3, fraction4, fraction5, entry, fall, base, value);
        self.chords.clock.next = self.clk.val();
        // 0: shift by 16.
        self.normal1.d.next = self.rtt_0.val();
        self.zeros1.d.next = bits::<5>(0);
        self.coarse.next = self.rtt_0.val() << 16;
        if self.short_0.val() {
            self.normal1.d.next = self.coarse.val();
            self.zeros1.d.next = bits::<5>(16);
        }
        // 1: by 8 and 4; how far is known without the word that is shifted by 8. The first choice
        // is between 0 and 12, or 4 and 8: no two bits share it, so that a bit's two choices become
        // one LUT.
        self.by_8.next = !self.normal1.q.val().get_bits::<4>(20).any() & !self.normal1.q.val().get_bits::<4>(16).any();
        self.by_4.next = !self.normal1.q.val().get_bits::<4>(20).any()
            & (self.normal1.q.val().get_bits::<4>(16).any() | !self.normal1.q.val().get_bits::<4>(12).any());
        self.outer_2.next = self.normal1.q.val();
        self.inner_2.next = self.normal1.q.val() << 4;
        if self.by_8.val() {
            self.outer_2.next = self.normal1.q.val() << 12;
            self.inner_2.next = self.normal1.q.val() << 8;
        }
        self.normal2.d.next = self.outer_2.val();
        if self.by_8.val() ^ self.by_4.val() {
            self.normal2.d.next = self.inner_2.val();
        }
        self.zeros2.d.next = self.zeros1.q.val();
        if self.by_8.val() {
            self.zeros2.d.next = self.zeros1.q.val() | bits::<5>(8);
        }
        if self.by_4.val() {
            self.zeros2.d.next = self.zeros2.d.val() | bits::<5>(4);
        }
        // 2: by 2 and 1, as before.
        self.by_2.next = !self.normal2.q.val().get_bit(23) & !self.normal2.q.val().get_bit(22);
        self.by_1.next = !self.normal2.q.val().get_bit(23) & (self.normal2.q.val().get_bit(22) | !self.normal2.q.val().get_bit(21));
        self.outer_3.next = self.normal2.q.val();
        self.inner_3.next = self.normal2.q.val() << 1;
        if self.by_2.val() {
            self.outer_3.next = self.normal2.q.val() << 3;
            self.inner_3.next = self.normal2.q.val() << 2;
        }
        self.normal3.d.next = self.outer_3.val();
        if self.by_2.val() ^ self.by_1.val() {
            self.normal3.d.next = self.inner_3.val();
        }
        self.zeros3.d.next = self.zeros2.q.val();
        if self.by_2.val() {
            self.zeros3.d.next = self.zeros2.q.val() | bits::<5>(2);
        }
        if self.by_1.val() {
            self.zeros3.d.next = self.zeros3.d.val() | bits::<5>(1);
        }
        // 3: the table is read, 4: captured.
        self.zeros_3.next = self.zeros3.q.val();
        self.chords.address.next = self.normal3.q.val().get_bits::<11>(12);
        self.fraction4.d.next = self.normal3.q.val().get_bits::<12>(0);
        self.entry.d.next = self.chords.data.val();
        self.fraction5.d.next = self.fraction4.q.val();
        // 5
        self.slope.next = self.entry.q.val().get_bits::<18>(0).into();
        self.fraction.next = self.fraction5.q.val().into();
        self.fall.d.next = (self.slope.val() * self.fraction.val()).into();
        self.base.d.next = self.entry.q.val().get_bits::<29>(18);
        // 6: the table has the complement of what the chord falls from, so the sum is that of the
        // difference.
        self.value.d.next = self.base.q.val() + bit_cast::<29, 18>(self.fall.q.val().get_bits::<18>(12));
        self.complement_7.next = self.value.q.val();
        if self.rst.val() {
            self.fraction4.d.next = bits::<12>(0);
        }
    }
}
