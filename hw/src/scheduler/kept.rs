//! Updates of each flow that wait to be carried.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::{Fixed, OneHot};
use rust_hdl::prelude::*;

/// The newest load and rate of each flow and the sum of its releases, until they are taken. `S`
/// must be `F + 1`. Kinds of an operation: 0 take, 1 rate, 2 release, 3 load.
///
/// Of two loads the newer one counts, but keeps what the flow has only if both do and the older one
/// enables it. A load that keeps nothing drops what was released before. Latency: 4 clocks.
/// Throughput: one operation a clock, of the same flow too. Nothing may be asked before `swept`.
/// Model: `timely_model::scheduler::courier`, whose part it is.
#[derive(LogicBlock, Default)]
pub struct Kept<const F: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// An operation.
    pub op_valid: Signal<In, Bit>,
    pub op_kind: Signal<In, Bits<2>>,
    pub op_flow: Signal<In, Bits<F>>,
    pub op_data: Signal<In, Bits<32>>,
    /// An update is kept of a flow that had none.
    pub new_valid: Signal<Out, Bit>,
    /// The flow of this operation.
    pub flow: Signal<Out, Bits<F>>,
    /// The flow's updates are taken.
    pub taken: Signal<Out, Bit>,
    /// There was a load.
    pub load_valid: Signal<Out, Bit>,
    /// The load word.
    pub load: Signal<Out, Bits<32>>,
    /// There was a rate.
    pub rate_valid: Signal<Out, Bit>,
    /// The rate, 2^-12 Mb/s.
    pub rate: Signal<Out, Bits<32>>,
    /// Sum of the releases, wire bytes.
    pub freed: Signal<Out, Bits<32>>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    // Release 32, rate 32, load 32, rate is there, load is there, any.
    ram: RAM<Bits<99>, F>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    go: [DFF<Bit>; 3],
    kind: [DFF<Bits<2>>; 3],
    at: [DFF<Bits<F>>; 3],
    data: [DFF<Bits<32>>; 3],
    raw: DFF<Bits<99>>,
    done_valid: [DFF<Bit>; 3],
    done_at: [DFF<Bits<F>>; 3],
    done: [DFF<Bits<99>>; 3],
    from: DFF<Bits<2>>,
    is_new: DFF<Bit>,
    is_taken: DFF<Bit>,
    was: DFF<Bits<99>>,
    is_newest: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    is_third: Signal<Local, Bit>,
    word: Signal<Local, Bits<99>>,
    sum: Signal<Local, Bits<32>>,
    released: Signal<Local, Bits<32>>,
    rate_is: Signal<Local, Bits<32>>,
    load_is: Signal<Local, Bits<32>>,
    merged: Signal<Local, Bits<32>>,
    has_rate: Signal<Local, Bit>,
    has_load: Signal<Local, Bit>,
    is_swept: Signal<Local, Bit>,
    drop_keep: Fixed<32, 0xffff_fffd>,
}

impl<const F: usize, const S: usize> Logic for Kept<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, raw, from, is_new, is_taken, was);
        for i in 0..3 {
            self.go[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.at[i].clock.next = self.clk.val();
            self.data[i].clock.next = self.clk.val();
            self.done_valid[i].clock.next = self.clk.val();
            self.done_at[i].clock.next = self.clk.val();
            self.done[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }
        // 1: read. 2: capture, and see which earlier results the RAM could not show. 3: act.
        self.go[0].d.next = self.op_valid.val();
        self.kind[0].d.next = self.op_kind.val();
        self.at[0].d.next = self.op_flow.val();
        self.data[0].d.next = self.op_data.val();
        for i in 0..2 {
            self.go[i + 1].d.next = self.go[i].q.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.at[i + 1].d.next = self.at[i].q.val();
            self.data[i + 1].d.next = self.data[i].q.val();
            self.done_valid[i + 1].d.next = self.done_valid[i].q.val();
            self.done_at[i + 1].d.next = self.done_at[i].q.val();
            self.done[i + 1].d.next = self.done[i].q.val();
        }
        self.ram.read_address.next = self.at[0].q.val();
        self.raw.d.next = self.ram.read_data.val();
        self.is_newest.next = self.go[2].q.val() & (self.at[1].q.val() == self.at[2].q.val());
        self.is_second.next = self.done_valid[0].q.val() & (self.at[1].q.val() == self.done_at[0].q.val());
        self.is_third.next = self.done_valid[1].q.val() & (self.at[1].q.val() == self.done_at[1].q.val());
        self.from.d.next = bits::<2>(0);
        if self.is_newest.val() {
            self.from.d.next = bits::<2>(1);
        } else if self.is_second.val() {
            self.from.d.next = bits::<2>(2);
        } else if self.is_third.val() {
            self.from.d.next = bits::<2>(3);
        }
        self.word.next = self.raw.q.val();
        if self.from.q.val() == bits::<2>(1) {
            self.word.next = self.done[0].q.val();
        } else if self.from.q.val() == bits::<2>(2) {
            self.word.next = self.done[1].q.val();
        } else if self.from.q.val() == bits::<2>(3) {
            self.word.next = self.done[2].q.val();
        }
        self.sum.next = self.word.val().get_bits::<32>(0) + self.data[2].q.val();
        self.merged.next = self.data[2].q.val();
        // Bit 65 is the older load's keep, 64 its enable.
        if self.word.val().get_bit(97) & !(self.word.val().get_bit(64) & self.word.val().get_bit(65)) {
            self.merged.next = self.data[2].q.val() & self.drop_keep.val();
        }
        self.released.next = self.word.val().get_bits::<32>(0);
        self.rate_is.next = self.word.val().get_bits::<32>(32);
        self.load_is.next = self.word.val().get_bits::<32>(64);
        self.has_rate.next = self.word.val().get_bit(96);
        self.has_load.next = self.word.val().get_bit(97);
        if self.kind[2].q.val() == bits::<2>(1) {
            self.rate_is.next = self.data[2].q.val();
            self.has_rate.next = true;
        }
        if self.kind[2].q.val() == bits::<2>(2) {
            self.released.next = self.sum.val();
        }
        if self.kind[2].q.val() == bits::<2>(3) {
            self.load_is.next = self.merged.val();
            self.has_load.next = true;
            if !self.data[2].q.val().get_bit(1) {
                self.released.next = bits::<32>(0);
            }
        }
        self.done[0].d.next = bit_cast::<99, 32>(self.released.val())
            | (bit_cast::<99, 32>(self.rate_is.val()) << 32)
            | (bit_cast::<99, 32>(self.load_is.val()) << 64)
            | (bit_cast::<99, 1>(self.has_rate.val().into()) << 96)
            | (bit_cast::<99, 1>(self.has_load.val().into()) << 97)
            | (bit_cast::<99, 1>(true.into()) << 98);
        if self.kind[2].q.val() == bits::<2>(0) {
            self.done[0].d.next = bits::<99>(0);
        }
        self.done_valid[0].d.next = self.go[2].q.val();
        self.done_at[0].d.next = self.at[2].q.val();
        self.is_new.d.next = self.go[2].q.val() & self.kind[2].q.val().any() & !self.word.val().get_bit(98);
        self.is_taken.d.next = self.go[2].q.val() & !self.kind[2].q.val().any();
        self.was.d.next = self.word.val();
        if self.rst.val() | !self.is_swept.val() {
            self.done[0].d.next = bits::<99>(0);
        }
        // 4: write.
        self.ram.write_enable.next = self.done_valid[0].q.val();
        self.ram.write_address.next = self.done_at[0].q.val();
        self.ram.write_data.next = self.done[0].q.val();
        if !self.is_swept.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val().get_bits::<F>(0);
        }
        self.new_valid.next = self.is_new.q.val();
        self.flow.next = self.done_at[0].q.val();
        self.taken.next = self.is_taken.q.val();
        self.freed.next = self.was.q.val().get_bits::<32>(0);
        self.rate.next = self.was.q.val().get_bits::<32>(32);
        self.load.next = self.was.q.val().get_bits::<32>(64);
        self.rate_valid.next = self.was.q.val().get_bit(96);
        self.load_valid.next = self.was.q.val().get_bit(97);
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            for i in 0..3 {
                self.go[i].d.next = false;
                self.done_valid[i].d.next = false;
            }
            self.is_new.d.next = false;
            self.is_taken.d.next = false;
        }
    }
}
