//! A read-modify-write pipeline over one word a flow, and a copy of its RAM for queries.
use rust_hdl::prelude::*;

/// `W` bits for each of `2^F` flows. The owner computes `i_next` from `o_state` at once, where `o_event` says whether there is an event.
///
/// Clock 0: an event, or a flow to be cleared, enters. 1: the RAM's data is captured. 2: the state is forwarded from the four operations
/// before, or cleared. 3: `o_state`. 4: written. One operation a clock, never stalls.
#[derive(LogicBlock, Default)]
pub struct Group<const W: usize, const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_at: Signal<In, Bits<F>>,
    /// An event.
    pub i_valid: Signal<In, Bit>,
    /// Its flow.
    pub i_flow: Signal<In, Bits<F>>,
    /// A flow is to be cleared, as soon as there is no event, or with its own next one.
    pub clear_valid: Signal<In, Bit>,
    /// The flow.
    pub clear_flow: Signal<In, Bits<F>>,
    /// Clock 3 of an event, not just of a clear.
    pub o_event: Signal<Out, Bit>,
    /// The state before it.
    pub o_state: Signal<Out, Bits<W>>,
    /// The state after it, on the same clock.
    pub i_next: Signal<In, Bits<W>>,
    /// Flow whose state is wanted.
    pub query_flow: Signal<In, Bits<F>>,
    /// Its state, a clock later.
    pub o_stored: Signal<Out, Bits<W>>,
    ram: RAM<Bits<W>, F>,
    copy: RAM<Bits<W>, F>,
    pending: DFF<Bit>,
    pending_flow: DFF<Bits<F>>,
    accept: Signal<Local, Bit>,
    // Index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    event: [DFF<Bit>; 3],
    clear: [DFF<Bit>; 2],
    same: [DFF<Bit>; 4],
    raw: DFF<Bits<W>>,
    state: DFF<Bits<W>>,
    past: [DFF<Bits<W>>; 3],
}

impl<const W: usize, const F: usize> Logic for Group<W, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, pending, pending_flow, raw, state);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.same[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.event[i].clock.next = self.clk.val();
            self.past[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.clear[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.copy.read_clock.next = self.clk.val();
        self.copy.write_clock.next = self.clk.val();
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..2 {
            self.event[i + 1].d.next = self.event[i].q.val();
            self.past[i + 1].d.next = self.past[i].q.val();
        }
        self.clear[1].d.next = self.clear[0].q.val();
        // 0
        self.accept.next = self.i_valid.val() & !self.sweep.val();
        self.event[0].d.next = self.accept.val();
        self.valid[0].d.next = self.accept.val() | self.pending.q.val();
        self.clear[0].d.next = self.pending.q.val();
        self.flow[0].d.next = self.pending_flow.q.val();
        self.ram.read_address.next = self.pending_flow.q.val();
        self.pending.d.next = false;
        if self.accept.val() {
            self.flow[0].d.next = self.i_flow.val();
            self.ram.read_address.next = self.i_flow.val();
            self.clear[0].d.next = self.pending.q.val() & (self.pending_flow.q.val() == self.i_flow.val());
            self.pending.d.next = self.pending.q.val() & (self.pending_flow.q.val() != self.i_flow.val());
        }
        if self.clear_valid.val() & !self.sweep.val() {
            self.pending.d.next = true;
            self.pending_flow.d.next = self.clear_flow.val();
        }
        // 1
        self.raw.d.next = self.ram.read_data.val();
        for i in 0..4 {
            self.same[i].d.next = self.valid[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }
        // 2
        self.state.d.next = self.raw.q.val();
        if self.clear[1].q.val() {
            self.state.d.next = bits::<W>(0);
        } else if self.same[0].q.val() {
            self.state.d.next = self.i_next.val();
        } else if self.same[1].q.val() {
            self.state.d.next = self.past[0].q.val();
        } else if self.same[2].q.val() {
            self.state.d.next = self.past[1].q.val();
        } else if self.same[3].q.val() {
            self.state.d.next = self.past[2].q.val();
        }
        // 3
        self.o_event.next = self.event[2].q.val();
        self.o_state.next = self.state.q.val();
        self.past[0].d.next = self.i_next.val();
        // 4
        self.ram.write_enable.next = self.valid[3].q.val() | self.sweep.val();
        self.ram.write_address.next = self.flow[3].q.val();
        self.ram.write_data.next = self.past[0].q.val();
        self.copy.write_enable.next = self.valid[3].q.val() | self.sweep.val();
        self.copy.write_address.next = self.flow[3].q.val();
        self.copy.write_data.next = self.past[0].q.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_at.val();
            self.ram.write_data.next = bits::<W>(0);
            self.copy.write_address.next = self.sweep_at.val();
            self.copy.write_data.next = bits::<W>(0);
        }
        self.copy.read_address.next = self.query_flow.val();
        self.o_stored.next = self.copy.read_data.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
            for i in 0..3 {
                self.event[i].d.next = false;
            }
            self.pending.d.next = false;
        }
    }
}
