//! The RAMs of the RTT block that operations read: flows and the ring.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Entry, FlowWord, Settings, Start};
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// `2^F` flows and a ring of `2^D` places; `A` is the greater of both.
///
/// Addressed at clock 0, read at 1, captured at 2: at every size, a block RAM or URAM has its own
/// output register and a clock to itself before anything looks at what it holds. One writer each.
#[derive(LogicBlock, Default)]
pub struct Memory<const F: usize, const D: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// The RAMs are being cleared, at this address.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<A>>,
    /// Clock 0: flow of the operation, and an ACK's place.
    pub flow: Signal<In, Bits<F>>,
    pub place: Signal<In, Bits<D>>,
    /// Clock 2.
    pub raw_flow: Signal<Out, FlowWord>,
    /// Clock 2: when the flow's last progress was made, as far as operations five clocks ago and
    /// more made it; units of 32 ns.
    pub raw_since: Signal<Out, Bits<27>>,
    /// Clock 2.
    pub raw_settings: Signal<Out, Settings>,
    /// Clock 2.
    pub raw_entry: Signal<Out, Entry>,
    pub raw_start: Signal<Out, Start>,
    /// A flow's word is written.
    pub word_valid: Signal<In, Bit>,
    pub word_flow: Signal<In, Bits<F>>,
    pub word: Signal<In, FlowWord>,
    /// The flow made progress, at this time.
    pub since_valid: Signal<In, Bit>,
    pub since: Signal<In, Bits<27>>,
    /// A segment takes its place.
    pub entry_valid: Signal<In, Bit>,
    pub entry_place: Signal<In, Bits<16>>,
    pub entry: Signal<In, Entry>,
    /// A segment gets its start.
    pub start_valid: Signal<In, Bit>,
    pub start_place: Signal<In, Bits<16>>,
    pub start: Signal<In, Start>,
    /// A flow is loaded.
    pub flow_valid: Signal<In, Bit>,
    pub flow_index: Signal<In, Bits<F>>,
    pub flow_enable: Signal<In, Bit>,
    pub flow_profile: Signal<In, Bits<4>>,
    // (An operation takes what is written at its clock from the operation that wrote it.)
    flows: ApartRam<FlowWord, F>,
    // (A turn looks at it without regard for the operations before.)
    sinces: RAM<Bits<27>, F>,
    settings: RAM<Settings, F>,
    entries: RAM<Entry, D>,
    starts: RAM<Start, D>,
    flow_out: DFF<FlowWord>,
    since_out: DFF<Bits<27>>,
    settings_out: DFF<Settings>,
    entry_out: DFF<Entry>,
    start_out: DFF<Start>,
    no_flow: Const<FlowWord>,
    no_entry: Const<Entry>,
    no_start: Const<Start>,
}

impl<const F: usize, const D: usize, const A: usize> Memory<F, D, A> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(A == F.max(D), "the sweep of 2^{F} flows and 2^{D} places has {A} bits");
        Self {
            no_flow: Const::new(FlowWord::default()),
            no_entry: Const::new(Entry::default()),
            no_start: Const::new(Start::default()),
            ..Default::default()
        }
    }
}

impl<const F: usize, const D: usize, const A: usize> Logic for Memory<F, D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, flow_out, since_out, settings_out, entry_out, start_out);
        self.flows.read_clock.next = self.clk.val();
        self.flows.write_clock.next = self.clk.val();
        self.sinces.read_clock.next = self.clk.val();
        self.sinces.write_clock.next = self.clk.val();
        self.settings.read_clock.next = self.clk.val();
        self.settings.write_clock.next = self.clk.val();
        self.entries.read_clock.next = self.clk.val();
        self.entries.write_clock.next = self.clk.val();
        self.starts.read_clock.next = self.clk.val();
        self.starts.write_clock.next = self.clk.val();
        self.flows.read_address.next = self.flow.val();
        self.sinces.read_address.next = self.flow.val();
        self.settings.read_address.next = self.flow.val();
        self.entries.read_address.next = self.place.val();
        self.starts.read_address.next = self.place.val();
        self.flow_out.d.next = self.flows.read_data.val();
        self.since_out.d.next = self.sinces.read_data.val();
        self.settings_out.d.next = self.settings.read_data.val();
        self.entry_out.d.next = self.entries.read_data.val();
        self.start_out.d.next = self.starts.read_data.val();
        self.raw_flow.next = self.flow_out.q.val();
        self.raw_since.next = self.since_out.q.val();
        self.raw_settings.next = self.settings_out.q.val();
        self.raw_entry.next = self.entry_out.q.val();
        self.raw_start.next = self.start_out.q.val();

        self.flows.write_enable.next = self.word_valid.val() | self.sweep.val();
        self.flows.write_address.next = self.word_flow.val();
        self.flows.write_data.next = self.word.val();
        self.sinces.write_enable.next = self.since_valid.val() | self.sweep.val();
        self.sinces.write_address.next = self.word_flow.val();
        self.sinces.write_data.next = self.since.val();
        self.entries.write_enable.next = self.entry_valid.val() | self.sweep.val();
        self.entries.write_address.next = self.entry_place.val().get_bits::<D>(0);
        self.entries.write_data.next = self.entry.val();
        self.starts.write_enable.next = self.start_valid.val() | self.sweep.val();
        self.starts.write_address.next = self.start_place.val().get_bits::<D>(0);
        self.starts.write_data.next = self.start.val();
        self.settings.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.settings.write_address.next = self.flow_index.val();
        self.settings.write_data.next.profile = self.flow_profile.val();
        self.settings.write_data.next.enable = self.flow_enable.val();
        if self.sweep.val() {
            self.flows.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.flows.write_data.next = self.no_flow.val();
            self.sinces.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.sinces.write_data.next = bits::<27>(0);
            self.settings.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.settings.write_data.next = bits::<5>(0).into();
            self.entries.write_address.next = self.sweep_at.val().get_bits::<D>(0);
            self.entries.write_data.next = self.no_entry.val();
            self.starts.write_address.next = self.sweep_at.val().get_bits::<D>(0);
            self.starts.write_data.next = self.no_start.val();
        }
    }
}
