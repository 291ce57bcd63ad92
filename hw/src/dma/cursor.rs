//! The address of the next burst.
use rust_hdl::prelude::*;

/// Counts in bursts of 64 bytes. The lower half of the sum is there a clock after `advance`, the
/// upper two: advance every other clock at most, and use the address two clocks later.
#[derive(LogicBlock, Default)]
pub struct Cursor {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Start from `base`.
    pub set_base: Signal<In, Bit>,
    /// Address of the first burst; bits 5..0 count as 0.
    pub base: Signal<In, Bits<64>>,
    /// On to the next burst.
    pub advance: Signal<In, Bit>,
    /// Address of the next burst.
    pub address: Signal<Out, Bits<64>>,
    low: DFF<Bits<26>>,
    high: DFF<Bits<32>>,
    carry: DFF<Bit>,
}

impl Logic for Cursor {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low, high, carry);
        self.carry.d.next = false;
        if self.carry.q.val() {
            self.high.d.next = self.high.q.val() + bits::<32>(1);
        }
        if self.advance.val() {
            self.low.d.next = self.low.q.val() + bits::<26>(1);
            self.carry.d.next = self.low.q.val().all();
        }
        if self.set_base.val() {
            self.low.d.next = self.base.val().get_bits::<26>(6);
            self.high.d.next = self.base.val().get_bits::<32>(32);
            self.carry.d.next = false;
        }
        self.address.next = (bit_cast::<64, 32>(self.high.q.val()) << 32) | (bit_cast::<64, 26>(self.low.q.val()) << 6);
    }
}
