//! Time that is left of a pause.
use rust_hdl::prelude::*;

/// Quanta with 24 fraction bits, down to 0.
#[derive(LogicBlock, Default)]
pub struct Timer {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Without it nothing is left.
    pub enable: Signal<In, Bit>,
    /// Quanta that pass in a clock, 2^-24.
    pub spent: Signal<In, Bits<26>>,
    /// A pause begins, or ends with time 0.
    pub load: Signal<In, Bit>,
    /// Quanta of the pause: high byte.
    pub time_high: Signal<In, Bits<8>>,
    /// Quanta of the pause: low byte.
    pub time_low: Signal<In, Bits<8>>,
    /// Something is left.
    pub runs: Signal<Out, Bit>,
    left: DFF<Bits<40>>,
    running: DFF<Bit>,
    rest: Signal<Local, Bits<41>>,
    start: Signal<Local, Bits<40>>,
}

impl Logic for Timer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, left, running);
        self.rest.next = bit_cast::<41, 40>(self.left.q.val()) - bit_cast::<41, 26>(self.spent.val());
        self.start.next = (bit_cast::<40, 8>(self.time_high.val()) << 32) | (bit_cast::<40, 8>(self.time_low.val()) << 24);
        self.left.d.next = self.rest.val().get_bits::<40>(0);
        self.running.d.next = self.rest.val().get_bits::<40>(0).any();
        if self.rest.val().get_bit(40) {
            self.left.d.next = bits::<40>(0);
            self.running.d.next = false;
        }
        if self.load.val() {
            self.left.d.next = self.start.val();
            self.running.d.next = self.time_high.val().any() | self.time_low.val().any();
        }
        if !self.enable.val() | self.rst.val() {
            self.left.d.next = bits::<40>(0);
            self.running.d.next = false;
        }
        self.runs.next = self.running.q.val();
    }
}
