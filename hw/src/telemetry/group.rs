//! A read-modify-write pipeline over one word a flow, and a copy of its RAM for queries.
use crate::constant::Const;
use crate::ram::ApartRam;
use num_bigint::BigUint;
use rust_hdl::prelude::*;

/// `W` bits for each of `2^F` flows; `V` must be `W + 1`, for the epoch that they are of is stored
/// with them. The owner computes `i_next` from `o_state` at once, where `o_event` says whether
/// there is an event.
///
/// Clock 0: an event, or a flow to be cleared, enters. 1: the RAM's data and the flow's epoch are
/// captured. 2: the state is forwarded from the four operations before; it is 0 if the flow is
/// cleared, or the RAM's is of another epoch. 3: `o_state`. 4: written. One operation a clock,
/// never stalls.
///
/// Clears are at least 4 clocks apart. So an operation never follows one of its flow's older epoch
/// by less than 5: until the next clear, the first one of the flow after its clear is cleared
/// itself.
#[derive(LogicBlock, Default)]
pub struct Group<const W: usize, const V: usize, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_at: Signal<In, Bits<F>>,
    /// An event.
    pub i_valid: Signal<In, Bit>,
    /// Flow of the event.
    pub i_flow: Signal<In, Bits<F>>,
    /// A flow is to be cleared, as soon as there is no event, or with the flow's own next one.
    pub clear_valid: Signal<In, Bit>,
    /// The flow.
    pub clear_flow: Signal<In, Bits<F>>,
    /// Epoch of the flow from the next clock on.
    pub clear_epoch: Signal<In, Bit>,
    /// Clock 3 of an event, not just of a clear.
    pub o_event: Signal<Out, Bit>,
    /// State of the flow before the event.
    pub o_state: Signal<Out, Bits<W>>,
    /// State of the flow after the event, on the same clock.
    pub i_next: Signal<In, Bits<W>>,
    /// Flow whose state is wanted.
    pub query_flow: Signal<In, Bits<F>>,
    /// The wanted state, a clock later: with what is written at the clock of the query.
    pub o_stored: Signal<Out, Bits<W>>,
    /// The wanted state is of the flow's epoch.
    pub o_current: Signal<Out, Bit>,
    ram: ApartRam<Bits<V>, F>,
    copy: ApartRam<Bits<V>, F>,
    epochs: RAM<Bit, F>,
    /// Epochs for queries: the RAM stands beside `copy`, for the way from one to the other was
    /// telemetry's longest.
    query_epochs: RAM<Bit, F>,
    /// The bit of a word that is its epoch.
    mark: Const<Bits<V>>,
    pending: DFF<Bit>,
    pending_flow: DFF<Bits<F>>,
    accept: Signal<Local, Bit>,
    entering: Signal<Local, Bits<F>>,
    // Index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    event: [DFF<Bit>; 3],
    clear: [DFF<Bit>; 2],
    same: [DFF<Bit>; 4],
    /// Epoch of the operation; index k is the register of clock k + 2.
    epoch: [DFF<Bit>; 4],
    /// The wanted state was written at the clock at which it was read.
    passed: DFF<Bit>,
    raw: DFF<Bits<V>>,
    state: DFF<Bits<W>>,
    past: [DFF<Bits<W>>; 3],
    written: Signal<Local, Bits<V>>,
    stored: Signal<Local, Bits<V>>,
    current: Signal<Local, Bit>,
}

impl<const W: usize, const V: usize, const F: usize> Group<W, V, F> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert_eq!(V, W + 1, "a word is the state and its epoch");
        Self { mark: Const::new((BigUint::from(1u32) << W).into()), ..Default::default() }
    }
}

impl<const W: usize, const V: usize, const F: usize> Logic for Group<W, V, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, pending, pending_flow, raw, state, passed);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.same[i].clock.next = self.clk.val();
            self.epoch[i].clock.next = self.clk.val();
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
        self.epochs.read_clock.next = self.clk.val();
        self.epochs.write_clock.next = self.clk.val();
        self.query_epochs.read_clock.next = self.clk.val();
        self.query_epochs.write_clock.next = self.clk.val();
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..3 {
            self.epoch[i + 1].d.next = self.epoch[i].q.val();
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
        // (What is read while the RAMs are cleared is not looked at, so that this need not wait for
        // it.)
        self.entering.next = self.pending_flow.q.val();
        if self.i_valid.val() {
            self.entering.next = self.i_flow.val();
        }
        self.pending.d.next = false;
        if self.accept.val() {
            self.clear[0].d.next = self.pending.q.val() & (self.pending_flow.q.val() == self.i_flow.val());
            self.pending.d.next = self.pending.q.val() & (self.pending_flow.q.val() != self.i_flow.val());
        }
        self.flow[0].d.next = self.entering.val();
        self.ram.read_address.next = self.entering.val();
        self.epochs.read_address.next = self.entering.val();
        if self.clear_valid.val() & !self.sweep.val() {
            self.pending.d.next = true;
            self.pending_flow.d.next = self.clear_flow.val();
        }
        // 1
        if self.valid[0].q.val() {
            self.raw.d.next = self.ram.read_data.val();
        }
        self.epoch[0].d.next = self.epochs.read_data.val();
        for i in 0..4 {
            self.same[i].d.next = self.valid[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }
        // 2
        if self.valid[1].q.val() {
            self.state.d.next = bits::<W>(0);
            if !self.clear[1].q.val() {
                if self.same[0].q.val() {
                    self.state.d.next = self.i_next.val();
                } else if self.same[1].q.val() {
                    self.state.d.next = self.past[0].q.val();
                } else if self.same[2].q.val() {
                    self.state.d.next = self.past[1].q.val();
                } else if self.same[3].q.val() {
                    self.state.d.next = self.past[2].q.val();
                } else {
                    if (self.raw.q.val() & self.mark.val()).any() == self.epoch[0].q.val() {
                        self.state.d.next = self.raw.q.val().get_bits::<W>(0);
                    }
                }
            }
        }
        // 3
        self.o_event.next = self.event[2].q.val();
        self.o_state.next = self.state.q.val();
        self.past[0].d.next = self.i_next.val();
        // What is cleared is written as if it were an operation, for its address has far to go.
        if self.sweep.val() {
            self.valid[3].d.next = true;
            self.flow[3].d.next = self.sweep_at.val();
            self.past[0].d.next = bits::<W>(0);
            self.epoch[2].d.next = false;
        }
        // 4
        self.written.next = bit_cast::<V, W>(self.past[0].q.val());
        if self.epoch[2].q.val() {
            self.written.next = bit_cast::<V, W>(self.past[0].q.val()) | self.mark.val();
        }
        self.ram.write_enable.next = self.valid[3].q.val();
        self.ram.write_address.next = self.flow[3].q.val();
        self.ram.write_data.next = self.written.val();
        self.copy.write_enable.next = self.valid[3].q.val();
        self.copy.write_address.next = self.flow[3].q.val();
        self.copy.write_data.next = self.written.val();
        self.epochs.write_enable.next = self.clear_valid.val() | self.sweep.val();
        self.epochs.write_address.next = self.clear_flow.val();
        self.epochs.write_data.next = self.clear_epoch.val();
        self.query_epochs.write_enable.next = self.clear_valid.val() | self.sweep.val();
        self.query_epochs.write_address.next = self.clear_flow.val();
        self.query_epochs.write_data.next = self.clear_epoch.val();
        if self.sweep.val() {
            self.epochs.write_address.next = self.sweep_at.val();
            self.epochs.write_data.next = false;
            self.query_epochs.write_address.next = self.sweep_at.val();
            self.query_epochs.write_data.next = false;
        }
        self.copy.read_address.next = self.query_flow.val();
        self.passed.d.next = self.valid[3].q.val() & (self.flow[3].q.val() == self.query_flow.val());
        self.stored.next = self.copy.read_data.val();
        self.o_stored.next = self.stored.val().get_bits::<W>(0);
        self.current.next = (self.stored.val() & self.mark.val()).any();
        if self.passed.q.val() {
            self.o_stored.next = self.past[1].q.val();
            self.current.next = self.epoch[3].q.val();
        }
        self.query_epochs.read_address.next = self.query_flow.val();
        self.o_current.next = self.current.val() == self.query_epochs.read_data.val();
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
