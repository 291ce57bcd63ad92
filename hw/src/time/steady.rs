//! The steady time: a count of the increments since reset, and the same with the pacer's lead.
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::time::START;

/// Adds the increment at every clock. The fraction keeps 24 bits, 8 more than are shown.
///
/// Latency: 2 clocks from the increment to `coming`, 4 to `steady`; `later` is `steady` and the
/// lead of 2 clocks ago.
#[derive(LogicBlock, Default)]
pub struct Steady {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Increment a clock: ns, Q8.24.
    pub cfg_time_increment: Signal<In, Bits<32>>,
    /// Lead of `later`, ns.
    pub cfg_lead: Signal<In, Bits<16>>,
    /// `steady` in two clocks, ns48.fns16.
    pub coming: Signal<Out, Bits<64>>,
    /// The steady time, ns48.fns16.
    pub steady: Signal<Out, Bits<64>>,
    /// The steady time and the lead, ns48.fns16.
    pub later: Signal<Out, Bits<64>>,
    start: Const<Bits<40>>,
    // Number n of a name is its stage. 1: ns of 8 bits and the whole fraction.
    sum: Signal<Local, Bits<33>>,
    low1: DFF<Bits<32>>,
    carry1: DFF<Bit>,
    // 2: the upper 40 bits of the ns.
    low2: DFF<Bits<24>>,
    high2: DFF<Bits<40>>,
    // 3: the lead meets the lower 16 bits of the ns.
    steady3: DFF<Bits<64>>,
    later3: DFF<Bits<17>>,
    // 4.
    steady4: DFF<Bits<64>>,
    later4: DFF<Bits<48>>,
    later_high: Signal<Local, Bits<32>>,
}

impl Steady {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { start: Const::new(bits::<40>(START >> 24)), ..Default::default() }
    }
}

impl Logic for Steady {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low1, carry1, low2, high2, steady3, later3, steady4, later4);
        self.sum.next = bit_cast::<33, 32>(self.low1.q.val()) + bit_cast::<33, 32>(self.cfg_time_increment.val());
        self.low1.d.next = self.sum.val().get_bits::<32>(0);
        self.carry1.d.next = self.sum.val().get_bit(32);
        self.low2.d.next = self.low1.q.val().get_bits::<24>(8);
        if self.carry1.q.val() {
            self.high2.d.next = self.high2.q.val() + bits::<40>(1);
        }
        self.coming.next = bit_cast::<64, 24>(self.low2.q.val()) | (bit_cast::<64, 40>(self.high2.q.val()) << 24);
        self.steady3.d.next = self.coming.val();
        self.later3.d.next = bit_cast::<17, 16>(self.coming.val().get_bits::<16>(16)) + bit_cast::<17, 16>(self.cfg_lead.val());
        self.steady4.d.next = self.steady3.q.val();
        self.later_high.next = self.steady3.q.val().get_bits::<32>(32) + bit_cast::<32, 1>(self.later3.q.val().get_bits::<1>(16));
        self.later4.d.next = bit_cast::<48, 16>(self.later3.q.val().get_bits::<16>(0)) | (bit_cast::<48, 32>(self.later_high.val()) << 16);
        self.steady.next = self.steady4.q.val();
        self.later.next = bit_cast::<64, 16>(self.steady4.q.val().get_bits::<16>(0)) | (bit_cast::<64, 48>(self.later4.q.val()) << 16);
        if self.rst.val() {
            self.low1.d.next = bits::<32>(0);
            self.carry1.d.next = false;
            self.low2.d.next = bits::<24>(0);
            self.high2.d.next = self.start.val();
            self.steady3.d.next = bit_cast::<64, 40>(self.start.val()) << 24;
            self.later3.d.next = bits::<17>(0);
            self.steady4.d.next = bit_cast::<64, 40>(self.start.val()) << 24;
            self.later4.d.next = bit_cast::<48, 40>(self.start.val()) << 8;
        }
    }
}
