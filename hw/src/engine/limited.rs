//! Flows that send too little of their rate for a sample to raise it.
use crate::pacer::delay::Delay;
use crate::ram::BlockRam;
use rust_hdl::prelude::*;

/// A bit a flow. A port's number is the clock after the issue at which it holds; an operation goes
/// by what was written until its issue.
#[derive(LogicBlock, Default)]
pub struct Limited<const F: usize> {
    pub clk: Signal<In, Clock>,
    /// Clear `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow to clear.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// A flow's bit is written.
    pub write: Signal<In, Bit>,
    /// The flow.
    pub write_flow: Signal<In, Bits<F>>,
    /// Value of the flow's bit: 1 is limited.
    pub write_bit: Signal<In, Bit>,
    /// The operation's flow.
    pub flow_0: Signal<In, Bits<F>>,
    /// Bit of the operation's flow.
    pub limited_3: Signal<Out, Bit>,
    /// As `limited_3`, 14 clocks later.
    pub limited_17: Signal<Out, Bit>,
    /// As `limited_17`, two clocks later.
    pub limited_19: Signal<Out, Bit>,
    ram: BlockRam<Bits<1>, F>,
    sooner: Delay<1, 2>,
    bits: Delay<1, 14>,
    later: Delay<1, 2>,
}

impl<const F: usize> Logic for Limited<F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clock.next = self.clk.val();
        self.ram.read_enable.next = true;
        self.sooner.clk.next = self.clk.val();
        self.bits.clk.next = self.clk.val();
        self.later.clk.next = self.clk.val();
        self.ram.read_address.next = self.flow_0.val();
        self.sooner.i.next = self.ram.read_data.val();
        self.limited_3.next = self.sooner.o.val().any();
        self.bits.i.next = self.sooner.o.val();
        self.limited_17.next = self.bits.o.val().any();
        self.later.i.next = self.bits.o.val();
        self.limited_19.next = self.later.o.val().any();
        self.ram.write_enable.next = self.write.val();
        self.ram.write_address.next = self.write_flow.val();
        self.ram.write_data.next = bits::<1>(0);
        if self.write_bit.val() {
            self.ram.write_data.next = bits::<1>(1);
        }
        if self.sweep.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<1>(0);
        }
    }
}
