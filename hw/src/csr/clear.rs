//! The soft reset: every flow is loaded with an empty record, one after the other.
use crate::bus::StoreWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::dma::LOAD_CLOCKS;
use timely_regs::map::id;

// A kernel takes literals alone.
const _: () = assert!(LOAD_CLOCKS == 32);

/// Begins with a write of `RESET`; a flow each 32 clocks, while DMA loads none.
#[derive(LogicBlock, Default)]
pub struct Clear<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// DMA loads flows: the reset waits.
    pub loading: Signal<In, Bit>,
    /// A flow is to be loaded.
    pub valid: Signal<Out, Bit>,
    /// The flow.
    pub flow: Signal<Out, Bits<F>>,
    /// A reset is under way.
    pub busy: Signal<Out, Bit>,
    at_reset: Const<Bits<10>>,
    running: DFF<Bit>,
    gap: DFF<Bits<5>>,
    at: DFF<Bits<F>>,
}

impl<const F: usize> Clear<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { at_reset: Const::new(bits::<10>(id::RESET.word().into())), ..Default::default() }
    }
}

impl<const F: usize> Logic for Clear<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, running, gap, at);
        self.valid.next = self.running.q.val() & !self.gap.q.val().any() & !self.loading.val();
        self.flow.next = self.at.q.val();
        self.busy.next = self.running.q.val();
        if self.gap.q.val().any() {
            self.gap.d.next = self.gap.q.val() - bits::<5>(1);
        }
        if self.valid.val() {
            self.gap.d.next = bits::<5>(31);
            self.at.d.next = self.at.q.val() + bits::<F>(1);
            self.running.d.next = !self.at.q.val().all();
        }
        if (self.st.valid.val() & (self.st.word.val() == self.at_reset.val())) & self.st.data.val().get_bit(0) {
            self.running.d.next = true;
            self.gap.d.next = bits::<5>(31);
            self.at.d.next = bits::<F>(0);
        }
        if self.rst.val() {
            self.running.d.next = false;
        }
    }
}
