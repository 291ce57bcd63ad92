//! The reciprocal of a rate's root, kept for the flow's next operation.
use super::words::RootWord;
use crate::construct::construct;
use crate::num::U;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::engine::root::{BASE_BITS, INDEX_BITS, SLOPE_BITS, chord, inverse_root};

/// `2^(42 - shift) / sqrt(rate)` and `shift`, by a table of 2048 chords.
///
/// A port's number is the clock after the issue at which it holds. What an operation leaves is
/// there for one that issues 24 clocks later. Table and rounding are those of the model.
#[derive(LogicBlock)]
pub struct Root<const F: usize> {
    pub clk: Signal<In, Clock>,
    /// Clear whatever `flow_25` is.
    pub sweep: Signal<In, Bit>,
    /// The operation's flow.
    pub flow_2: Signal<In, Bits<F>>,
    /// The root of the flow's rate.
    pub root_3: Signal<Out, RootWord>,
    /// A flow's new rate.
    pub rate_19: Signal<In, Bits<32>>,
    /// The flow.
    pub flow_25: Signal<In, Bits<F>>,
    /// The operation at clock 25 is valid.
    pub valid_25: Signal<In, Bit>,
    /// The root of rate 0, its mantissa complemented.
    none: Constant<Bits<27>>,
    none_shift: Constant<Bits<4>>,
    ram: ApartRam<RootWord, F>,
    chords: SyncROM<Bits<43>, 11>,
    coarse: Signal<Local, Bits<32>>,
    by_16: Signal<Local, Bit>,
    by_8: Signal<Local, Bit>,
    normal20: DFF<Bits<32>>,
    shift20: DFF<Bits<4>>,
    fine: Signal<Local, Bits<32>>,
    fine_shift: Signal<Local, Bits<4>>,
    normal21: DFF<Bits<32>>,
    shift21: DFF<Bits<4>>,
    index: Signal<Local, Bits<11>>,
    fraction: Signal<Local, Bits<17>>,
    fraction22: DFF<Bits<17>>,
    shift22: DFF<Bits<4>>,
    fraction23: DFF<Bits<17>>,
    shift23: DFF<Bits<4>>,
    entry: DFF<Bits<43>>,
    slope: Signal<Local, U<16>>,
    part: Signal<Local, U<17>>,
    fall: DFF<Bits<33>>,
    base: DFF<Bits<27>>,
    shift24: DFF<Bits<4>>,
    value: DFF<Bits<27>>,
    shift25: DFF<Bits<4>>,
}

impl<const F: usize> Default for Root<F> {
    fn default() -> Self {
        assert_eq!((INDEX_BITS, SLOPE_BITS), (11, 16), "the table's type says how wide it is");
        let complement = |mantissa: u64| mantissa ^ ((1 << BASE_BITS) - 1);
        let entry = |i: u64| {
            let (base, slope) = chord(i);
            (Bits::<11>::from(i), Bits::<43>::from(complement(base) << SLOPE_BITS | slope))
        };
        let (mantissa, shift) = inverse_root(0);
        construct!({
            none: Constant::new(complement(mantissa.into()).into()),
            none_shift: Constant::new(u64::from(shift).into()),
            chords: SyncROM::new((0..1 << INDEX_BITS).map(entry).collect()),
        }
            clk, sweep, flow_2, root_3, rate_19, flow_25, valid_25, ram, coarse, by_16, by_8, normal20, shift20, fine, fine_shift,
            normal21, shift21, index, fraction, fraction22, shift22, fraction23, shift23, entry, slope, part, fall, base, shift24, value, shift25)
    }
}

impl<const F: usize> Logic for Root<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, normal20, shift20, normal21, shift21, fraction22, shift22, fraction23, shift23, entry, fall, base, shift24);
        dff_setup!(self, clk, value, shift25);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.chords.clock.next = self.clk.val();
        // 2, 3
        self.ram.read_address.next = self.flow_2.val();
        self.root_3.next = self.ram.read_data.val();
        // 19: shift by 16 and 8; how far is known without the word that is shifted by 16.
        self.by_16.next = !self.rate_19.val().get_bits::<8>(24).any() & !self.rate_19.val().get_bits::<8>(16).any();
        self.by_8.next = !self.rate_19.val().get_bits::<8>(24).any()
            & (self.rate_19.val().get_bits::<8>(16).any() | !self.rate_19.val().get_bits::<8>(8).any());
        self.coarse.next = self.rate_19.val();
        self.shift20.d.next = bits::<4>(0);
        if self.by_16.val() {
            self.coarse.next = self.rate_19.val() << 16;
            self.shift20.d.next = bits::<4>(8);
        }
        self.normal20.d.next = self.coarse.val();
        if self.by_8.val() {
            self.normal20.d.next = self.coarse.val() << 8;
            self.shift20.d.next = self.shift20.d.val() | bits::<4>(4);
        }
        // 20: by 4 and 2.
        self.fine.next = self.normal20.q.val();
        self.fine_shift.next = self.shift20.q.val();
        if !self.normal20.q.val().get_bits::<4>(28).any() {
            self.fine.next = self.normal20.q.val() << 4;
            self.fine_shift.next = self.shift20.q.val() | bits::<4>(2);
        }
        self.normal21.d.next = self.fine.val();
        self.shift21.d.next = self.fine_shift.val();
        if !self.fine.val().get_bits::<2>(30).any() {
            self.normal21.d.next = self.fine.val() << 2;
            self.shift21.d.next = self.fine_shift.val() | bits::<4>(1);
        }
        // 21: the table is read, 22: captured.
        self.index.next = bit_cast::<11, 10>(self.normal21.q.val().get_bits::<10>(20));
        self.fraction.next = self.normal21.q.val().get_bits::<17>(3);
        if self.normal21.q.val().get_bit(31) {
            self.index.next = bit_cast::<11, 10>(self.normal21.q.val().get_bits::<10>(21)) | bits::<11>(1024);
            self.fraction.next = self.normal21.q.val().get_bits::<17>(4);
        }
        self.chords.address.next = self.index.val();
        self.fraction22.d.next = self.fraction.val();
        self.shift22.d.next = self.shift21.q.val();
        self.entry.d.next = self.chords.data.val();
        self.fraction23.d.next = self.fraction22.q.val();
        self.shift23.d.next = self.shift22.q.val();
        // 23
        self.slope.next = self.entry.q.val().get_bits::<16>(0).into();
        self.part.next = self.fraction23.q.val().into();
        self.fall.d.next = (self.slope.val() * self.part.val()).into();
        self.base.d.next = self.entry.q.val().get_bits::<27>(16);
        self.shift24.d.next = self.shift23.q.val();
        // 24: the table has the complement of what the chord falls from, so the sum is that of the
        // difference.
        self.value.d.next = self.base.q.val() + bit_cast::<27, 16>(self.fall.q.val().get_bits::<16>(17));
        self.shift25.d.next = self.shift24.q.val();
        if self.sweep.val() {
            self.value.d.next = self.none.val();
            self.shift25.d.next = self.none_shift.val();
        }
        // 25
        self.ram.write_address.next = self.flow_25.val();
        self.ram.write_data.next.complement = self.value.q.val();
        self.ram.write_data.next.shift = self.shift25.q.val();
        self.ram.write_enable.next = self.valid_25.val() | self.sweep.val();
    }
}
