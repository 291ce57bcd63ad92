//! Bin of a histogram that is read next, and histograms to be cleared.
use crate::bus::StoreWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::{Register, telemetry};

/// Follows the writes into the store; the bin goes on by one with each read of its count.
#[derive(LogicBlock, Default)]
pub struct HistogramAccess {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// HISTOGRAM_COUNT was read.
    pub next_bin: Signal<In, Bit>,
    /// The bin whose count is asked for, above it its profile.
    pub histogram_at: Signal<Out, Bits<13>>,
    /// Histograms to be cleared; one clock.
    pub histogram_clear: Signal<Out, Bits<16>>,
    at_index: Const<Bits<10>>,
    at_clear: Const<Bits<10>>,
    bin: DFF<Bits<13>>,
    cleared: DFF<Bits<16>>,
}

impl HistogramAccess {
    /// The block with its constants.
    pub fn new() -> Self {
        let word = |r: Register| Const::new(bits::<10>(r.word().into()));
        Self { at_index: word(telemetry::HISTOGRAM_INDEX), at_clear: word(telemetry::HISTOGRAM_CLEAR), ..Default::default() }
    }
}

impl Logic for HistogramAccess {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, bin, cleared);
        self.cleared.d.next = bits::<16>(0);
        if self.next_bin.val() {
            self.bin.d.next = self.bin.q.val() + bits::<13>(1);
        }
        if self.st.valid.val() {
            if self.st.word.val() == self.at_index.val() {
                self.bin.d.next = self.st.data.val().get_bits::<13>(0);
            }
            if self.st.word.val() == self.at_clear.val() {
                self.cleared.d.next = self.st.data.val().get_bits::<16>(0);
            }
        }
        self.histogram_at.next = self.bin.q.val();
        self.histogram_clear.next = self.cleared.q.val();
        if self.rst.val() {
            self.bin.d.next = bits::<13>(0);
            self.cleared.d.next = bits::<16>(0);
        }
    }
}
