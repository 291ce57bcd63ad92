//! State of a flow for a packet that comes in.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use rust_hdl::prelude::*;

/// For `2^F` flows: whether a flow may store packets, and how many cells it holds, counted in `N`
/// bits.
///
/// Latency: 3 clocks from `flow` to `open` and `held`. Throughput: one a clock.
#[derive(LogicBlock, Default)]
pub struct Lookup<const F: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Flow `sweep_at` is cleared.
    pub sweep: Signal<In, Bit>,
    /// The flow.
    pub sweep_at: Signal<In, Bits<F>>,
    /// A flow to look up.
    pub flow: Signal<In, Bits<F>>,
    /// The flow is enabled, and none of its packets is to be discarded.
    pub open: Signal<Out, Bit>,
    /// Cells that the flow holds.
    pub held: Signal<Out, Bits<N>>,
    /// A record is loaded.
    pub load_valid: Signal<In, Bit>,
    pub load_flow: Signal<In, Bits<F>>,
    pub load_enable: Signal<In, Bit>,
    /// A flow's packets are to be discarded, or are.
    pub voids_valid: Signal<In, Bit>,
    pub voids_flow: Signal<In, Bits<F>>,
    /// The flow's packets are still to be discarded.
    pub voids: Signal<In, Bit>,
    /// Packets joined a queue.
    pub joined_valid: Signal<In, Bit>,
    pub joined_flow: Signal<In, Bits<F>>,
    /// Cells that joined the queue since the sweep.
    pub joined: Signal<In, Bits<N>>,
    /// Packets left a queue.
    pub gone_valid: Signal<In, Bit>,
    pub gone_flow: Signal<In, Bits<F>>,
    /// Cells that left the queue since the sweep.
    pub gone: Signal<In, Bits<N>>,
    enabled: RAM<Bits<1>, F>,
    voided: RAM<Bits<1>, F>,
    coming: RAM<Bits<N>, F>,
    going: RAM<Bits<N>, F>,
    raw_enabled: DFF<Bits<1>>,
    raw_voided: DFF<Bits<1>>,
    raw_coming: DFF<Bits<N>>,
    raw_going: DFF<Bits<N>>,
    is_open: DFF<Bit>,
    holds: DFF<Bits<N>>,
}

impl<const F: usize, const N: usize> Logic for Lookup<F, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw_enabled, raw_voided, raw_coming, raw_going, is_open, holds);
        self.enabled.read_clock.next = self.clk.val();
        self.enabled.write_clock.next = self.clk.val();
        self.voided.read_clock.next = self.clk.val();
        self.voided.write_clock.next = self.clk.val();
        self.coming.read_clock.next = self.clk.val();
        self.coming.write_clock.next = self.clk.val();
        self.going.read_clock.next = self.clk.val();
        self.going.write_clock.next = self.clk.val();
        // 1: read. 2: capture. 3: subtract.
        self.enabled.read_address.next = self.flow.val();
        self.voided.read_address.next = self.flow.val();
        self.coming.read_address.next = self.flow.val();
        self.going.read_address.next = self.flow.val();
        self.raw_enabled.d.next = self.enabled.read_data.val();
        self.raw_voided.d.next = self.voided.read_data.val();
        self.raw_coming.d.next = self.coming.read_data.val();
        self.raw_going.d.next = self.going.read_data.val();
        self.is_open.d.next = self.raw_enabled.q.val().any() & !self.raw_voided.q.val().any();
        self.holds.d.next = self.raw_coming.q.val() - self.raw_going.q.val();
        self.open.next = self.is_open.q.val();
        self.held.next = self.holds.q.val();

        self.enabled.write_enable.next = self.load_valid.val() | self.sweep.val();
        self.enabled.write_address.next = self.load_flow.val();
        self.enabled.write_data.next = self.load_enable.val().into();
        self.voided.write_enable.next = self.voids_valid.val() | self.sweep.val();
        self.voided.write_address.next = self.voids_flow.val();
        self.voided.write_data.next = self.voids.val().into();
        self.coming.write_enable.next = self.joined_valid.val() | self.sweep.val();
        self.coming.write_address.next = self.joined_flow.val();
        self.coming.write_data.next = self.joined.val();
        self.going.write_enable.next = self.gone_valid.val() | self.sweep.val();
        self.going.write_address.next = self.gone_flow.val();
        self.going.write_data.next = self.gone.val();
        if self.sweep.val() {
            self.enabled.write_address.next = self.sweep_at.val();
            self.enabled.write_data.next = bits::<1>(0);
            self.voided.write_address.next = self.sweep_at.val();
            self.voided.write_data.next = bits::<1>(0);
            self.coming.write_address.next = self.sweep_at.val();
            self.coming.write_data.next = bits::<N>(0);
            self.going.write_address.next = self.sweep_at.val();
            self.going.write_data.next = bits::<N>(0);
        }
    }
}
