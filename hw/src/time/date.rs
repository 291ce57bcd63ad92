//! The date: the steady time and an offset that PTP or software measures.
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::time::{SETTLE, START, STEP};

// A kernel takes literals alone.
const _: () = assert!(STEP == 1 << 24 && START << 32 == 0 && SETTLE == 1 << 12);

/// Measures `wanted - steady` with each sample, takes it for the offset, and adds that to `coming`;
/// no adder is longer than 33 bits.
///
/// A sample a clock may come. Its offset reaches the lower half of the sum a clock before the upper
/// one, as the sum's carry does, so that no date is ever torn.
///
/// Latency: 5 clocks from a sample to `date`, `offset` and `epoch`, of which all three change at
/// once; `departed_epoch` is one less than `epoch` for [`SETTLE`] clocks behind the last step.
#[derive(LogicBlock, Default)]
pub struct Date {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A sample: the date is to be `wanted`.
    pub valid: Signal<In, Bit>,
    /// Date at this clock, ns48.fns16.
    pub wanted: Signal<In, Bits<64>>,
    /// The steady time at this clock, ns48.fns16.
    pub steady: Signal<In, Bits<64>>,
    /// Steady time in two clocks, ns48.fns16.
    pub coming: Signal<In, Bits<64>>,
    /// The date, ns48.fns16.
    pub date: Signal<Out, Bits<64>>,
    /// The date less the steady time, ns48.fns16.
    pub offset: Signal<Out, Bits<64>>,
    /// Steps of the date, modulo 4.
    pub epoch: Signal<Out, Bits<2>>,
    /// Steps of the date, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<Out, Bits<2>>,
    start: Const<Bits<32>>,
    // Number n of a name is the clock after the sample. 1: lower half of the measured offset, with
    // its borrow.
    valid1: DFF<Bit>,
    low1: DFF<Bits<33>>,
    wanted1: DFF<Bits<32>>,
    steady1: DFF<Bits<32>>,
    // One adder for `a - b - borrow`: `2 a + 1` and `2 !b + !borrow`, less their lowest bit; so for
    // a carry.
    other1: Signal<Local, Bits<32>>,
    kept1: Signal<Local, Bit>,
    left1: Signal<Local, Bits<33>>,
    right1: Signal<Local, Bits<33>>,
    whole1: Signal<Local, Bits<33>>,
    // 2: upper half.
    valid2: DFF<Bit>,
    low2: DFF<Bits<32>>,
    high2: DFF<Bits<32>>,
    // 3: in force for the lower half of the sum; its difference from the offset before.
    difference: Signal<Local, Bits<33>>,
    valid3: DFF<Bit>,
    low: DFF<Bits<32>>,
    high3: DFF<Bits<32>>,
    /// Bits 31..24 of the difference, and the borrow.
    differs3: DFF<Bits<9>>,
    other3: Signal<Local, Bits<32>>,
    kept3: Signal<Local, Bit>,
    left3: Signal<Local, Bits<33>>,
    right3: Signal<Local, Bits<33>>,
    whole3: Signal<Local, Bits<33>>,
    // 4: for the upper half.
    valid4: DFF<Bit>,
    high: DFF<Bits<32>>,
    low4: DFF<Bits<32>>,
    differs4: DFF<Bits<40>>,
    // 5.
    steps4: Signal<Local, Bit>,
    epoch5: DFF<Bits<2>>,
    // Clocks until the step is that of departures too, and that there are any.
    settles5: DFF<Bits<12>>,
    settling5: DFF<Bit>,
    offset5: DFF<Bits<64>>,
    // The sum.
    sum_low: DFF<Bits<33>>,
    coming_high: DFF<Bits<32>>,
    left: Signal<Local, Bits<33>>,
    right: Signal<Local, Bits<33>>,
    whole: Signal<Local, Bits<33>>,
    sum: DFF<Bits<64>>,
}

impl Date {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { start: Const::new(bits::<32>(START.wrapping_neg() >> 32)), ..Default::default() }
    }
}

impl Logic for Date {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, valid1, low1, wanted1, steady1, valid2, low2, high2, valid3, low, high3, differs3, valid4, high, low4, differs4
        );
        dff_setup!(self, clk, epoch5, settles5, settling5, offset5, sum_low, coming_high, sum);
        // 1
        self.valid1.d.next = self.valid.val();
        self.low1.d.next =
            bit_cast::<33, 32>(self.wanted.val().get_bits::<32>(0)) - bit_cast::<33, 32>(self.steady.val().get_bits::<32>(0));
        self.wanted1.d.next = self.wanted.val().get_bits::<32>(32);
        self.steady1.d.next = self.steady.val().get_bits::<32>(32);
        // 2
        self.valid2.d.next = self.valid1.q.val();
        self.low2.d.next = self.low1.q.val().get_bits::<32>(0);
        self.other1.next = !self.steady1.q.val();
        self.kept1.next = !self.low1.q.val().get_bit(32);
        self.left1.next = (bit_cast::<33, 32>(self.wanted1.q.val()) << 1) | bits::<33>(1);
        self.right1.next = (bit_cast::<33, 32>(self.other1.val()) << 1) | bit_cast::<33, 1>(self.kept1.val().into());
        self.whole1.next = self.left1.val() + self.right1.val();
        self.high2.d.next = self.whole1.val().get_bits::<32>(1);
        // 3
        self.valid3.d.next = self.valid2.q.val();
        self.difference.next = bit_cast::<33, 32>(self.low2.q.val()) - bit_cast::<33, 32>(self.low.q.val());
        self.differs3.d.next = self.difference.val().get_bits::<9>(24);
        self.high3.d.next = self.high2.q.val();
        if self.valid2.q.val() {
            self.low.d.next = self.low2.q.val();
        }
        // 4
        self.valid4.d.next = self.valid3.q.val();
        self.other3.next = !self.high.q.val();
        self.kept3.next = !self.differs3.q.val().get_bit(8);
        self.left3.next = (bit_cast::<33, 32>(self.high3.q.val()) << 1) | bits::<33>(1);
        self.right3.next = (bit_cast::<33, 32>(self.other3.val()) << 1) | bit_cast::<33, 1>(self.kept3.val().into());
        self.whole3.next = self.left3.val() + self.right3.val();
        self.differs4.d.next =
            (bit_cast::<40, 32>(self.whole3.val().get_bits::<32>(1)) << 8) | bit_cast::<40, 8>(self.differs3.q.val().get_bits::<8>(0));
        self.low4.d.next = self.low.q.val();
        if self.valid3.q.val() {
            self.high.d.next = self.high3.q.val();
        }
        // 5: a step unless all bits are the sign.
        self.steps4.next = self.valid4.q.val() & (self.differs4.q.val().any() & !self.differs4.q.val().all());
        self.settles5.d.next = self.settles5.q.val() - bits::<12>(1);
        if !self.settles5.q.val().any() {
            self.settling5.d.next = false;
        }
        if self.steps4.val() {
            self.epoch5.d.next = self.epoch5.q.val() + bits::<2>(1);
            self.settles5.d.next = bits::<12>(4095);
            self.settling5.d.next = true;
        }
        self.offset5.d.next = bit_cast::<64, 32>(self.low4.q.val()) | (bit_cast::<64, 32>(self.high.q.val()) << 32);
        // The sum.
        self.sum_low.d.next = bit_cast::<33, 32>(self.coming.val().get_bits::<32>(0)) + bit_cast::<33, 32>(self.low.q.val());
        self.coming_high.d.next = self.coming.val().get_bits::<32>(32);
        self.left.next = (bit_cast::<33, 32>(self.coming_high.q.val()) << 1) | bits::<33>(1);
        self.right.next = (bit_cast::<33, 32>(self.high.q.val()) << 1) | bit_cast::<33, 1>(self.sum_low.q.val().get_bits::<1>(32));
        self.whole.next = self.left.val() + self.right.val();
        self.sum.d.next =
            bit_cast::<64, 32>(self.sum_low.q.val().get_bits::<32>(0)) | (bit_cast::<64, 32>(self.whole.val().get_bits::<32>(1)) << 32);
        self.date.next = self.sum.q.val();
        self.offset.next = self.offset5.q.val();
        self.epoch.next = self.epoch5.q.val();
        self.departed_epoch.next = self.epoch5.q.val();
        if self.settling5.q.val() {
            self.departed_epoch.next = self.epoch5.q.val() - bits::<2>(1);
        }
        if self.rst.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
            self.valid4.d.next = false;
            self.low.d.next = bits::<32>(0);
            self.high.d.next = self.start.val();
            self.low4.d.next = bits::<32>(0);
            self.epoch5.d.next = bits::<2>(0);
            self.settling5.d.next = false;
            self.offset5.d.next = bit_cast::<64, 32>(self.start.val()) << 32;
            // Both halves of the sum are 0, without a carry.
            self.sum_low.d.next = bits::<33>(0);
            self.coming_high.d.next = bits::<32>(0) - self.start.val();
            self.sum.d.next = bits::<64>(0);
        }
    }
}
