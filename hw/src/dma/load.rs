//! A load: one flow's record after the other, from the host's memory onto the flow bus.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::dma::LOAD_CLOCKS;
use timely_regs::map::dma::Code;
use timely_regs::map::record_bounds;

// A kernel takes literals alone; these hold those below to their homes.
const _: () = assert!(LOAD_CLOCKS == 32 && timely_regs::flow::WORDS == 16);
const _: () = assert!(Code::BeyondTable as u8 == 1 && Code::Memory as u8 == 2 && Code::Stopped as u8 == 3);

/// State of the load.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum State {
    /// Nothing.
    Idle,
    /// Are the flows in the table?
    Check,
    /// Records are read and loaded.
    Run,
}

/// Holds each record against the ranges of csr's staged words, in two clocks; loads one every 32
/// clocks at most.
#[derive(LogicBlock, Default)]
pub struct Load<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A load starts.
    pub start: Signal<In, Bit>,
    /// First flow of the load.
    pub first: Signal<In, Bits<16>>,
    /// Flows of the load.
    pub count: Signal<In, Bits<17>>,
    /// DMA runs.
    pub running: Signal<In, Bit>,
    /// Records are read from the load's address on.
    pub set_base: Signal<Out, Bit>,
    /// The next record is to be read.
    pub ask: Signal<Out, Bit>,
    /// The reader can be asked for a record.
    pub free: Signal<In, Bit>,
    /// No read is in flight.
    pub idle: Signal<In, Bit>,
    /// A record is whole.
    pub full: Signal<In, Bit>,
    /// The record's burst failed.
    pub failed: Signal<In, Bit>,
    /// The record.
    pub record: Signal<In, Bits<512>>,
    /// The record is not needed any more.
    pub used: Signal<Out, Bit>,
    /// The record at the clock before is the flow's from now on.
    pub load_valid: Signal<Out, Bit>,
    pub load_flow: Signal<Out, Bits<F>>,
    /// A load is under way.
    pub busy: Signal<Out, Bit>,
    /// The last load ended.
    pub done: Signal<Out, Bit>,
    /// Outcome of the last load, `timely_regs::map::dma::Code`.
    pub code: Signal<Out, Bits<3>>,
    /// Records done.
    pub progress: Signal<Out, Bits<17>>,
    /// Records refused, of those done.
    pub refused: Signal<Out, Bits<17>>,
    /// The load ended just now; one clock.
    pub ended: Signal<Out, Bit>,
    /// The memory failed just now; one clock.
    pub memory_failed: Signal<Out, Bit>,
    flows: Const<Bits<17>>,
    outside: [Const<Bits<32>>; 16],
    least: [Const<Bits<32>>; 16],
    most: [Const<Bits<32>>; 16],
    word: [Signal<Local, Bits<32>>; 16],
    wrong: [DFF<Bit>; 16],
    any_wrong: Signal<Local, Bit>,
    refuse: DFF<Bit>,
    state: DFF<State>,
    sum: DFF<Bits<17>>,
    flow: DFF<Bits<16>>,
    unread: DFF<Bits<17>>,
    left: DFF<Bits<17>>,
    age: DFF<Bits<2>>,
    gap: DFF<Bits<5>>,
    asks: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
    valid: DFF<Bit>,
    flow_out: DFF<Bits<F>>,
    busy_q: DFF<Bit>,
    done_q: DFF<Bit>,
    code_q: DFF<Bits<3>>,
    progress_q: DFF<Bits<17>>,
    refused_q: DFF<Bits<17>>,
    ended_q: DFF<Bit>,
    failed_q: DFF<Bit>,
}

fn constant(value: u32) -> Const<Bits<32>> {
    Const::new(u64::from(value).into())
}

impl<const F: usize> Load<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            flows: Const::new(bits::<17>(1 << F)),
            outside: std::array::from_fn(|i| constant(!record_bounds(i as u32).0)),
            least: std::array::from_fn(|i| constant(record_bounds(i as u32).1)),
            most: std::array::from_fn(|i| constant(record_bounds(i as u32).2)),
            ..Default::default()
        }
    }
}

impl<const F: usize> Logic for Load<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, refuse, state, sum, flow, unread, left, age, gap, valid, flow_out, busy_q, done_q, code_q);
        dff_setup!(self, clk, progress_q, refused_q, ended_q, failed_q);
        // The record against the ranges.
        self.any_wrong.next = false;
        for i in 0..16 {
            self.wrong[i].clock.next = self.clk.val();
            self.word[i].next = self.record.val().get_bits::<32>(32 * i);
            self.wrong[i].d.next = (self.word[i].val() & self.outside[i].val()).any()
                | (self.word[i].val() < self.least[i].val())
                | (self.word[i].val() > self.most[i].val());
            self.any_wrong.next = self.any_wrong.val() | self.wrong[i].q.val();
        }
        self.refuse.d.next = self.any_wrong.val();
        self.sum.d.next = bit_cast::<17, 16>(self.first.val()) + self.count.val();
        self.asks.next = (self.state.q.val() == State::Run) & self.running.val() & self.unread.q.val().any() & self.free.val();
        self.uses.next =
            self.full.val() & (self.failed.val() | !self.running.val() | (self.age.q.val().get_bit(1) & !self.gap.q.val().any()));
        self.ended_q.d.next = false;
        self.valid.d.next = false;
        self.failed_q.d.next = self.uses.val() & self.failed.val();
        if self.gap.q.val().any() {
            self.gap.d.next = self.gap.q.val() - bits::<5>(1);
        }
        if self.uses.val() | !self.full.val() {
            self.age.d.next = bits::<2>(0);
        } else {
            if !self.age.q.val().get_bit(1) {
                self.age.d.next = self.age.q.val() + bits::<2>(1);
            }
        }
        if self.uses.val() & self.running.val() & !self.failed.val() {
            self.progress_q.d.next = self.progress_q.q.val() + bits::<17>(1);
            self.left.d.next = self.left.q.val() - bits::<17>(1);
            self.flow.d.next = self.flow.q.val() + bits::<16>(1);
            self.flow_out.d.next = self.flow.q.val().get_bits::<F>(0);
            self.gap.d.next = bits::<5>(31);
            if self.refuse.q.val() {
                self.refused_q.d.next = self.refused_q.q.val() + bits::<17>(1);
            } else {
                self.valid.d.next = true;
            }
        }
        if self.asks.val() {
            self.unread.d.next = self.unread.q.val() - bits::<17>(1);
        }
        match self.state.q.val() {
            State::Idle => {
                if self.start.val() {
                    self.busy_q.d.next = true;
                    self.done_q.d.next = false;
                    self.code_q.d.next = bits::<3>(0);
                    self.progress_q.d.next = bits::<17>(0);
                    self.refused_q.d.next = bits::<17>(0);
                    self.state.d.next = State::Check;
                }
            }
            State::Check => {
                self.flow.d.next = self.first.val();
                self.unread.d.next = self.count.val();
                self.left.d.next = self.count.val();
                self.gap.d.next = bits::<5>(31);
                self.state.d.next = State::Run;
                if self.sum.q.val() > self.flows.val() {
                    self.code_q.d.next = bits::<3>(1);
                    self.unread.d.next = bits::<17>(0);
                    self.left.d.next = bits::<17>(0);
                }
            }
            State::Run => {
                if (!self.unread.q.val().any() | !self.running.val()) & self.idle.val() & !self.full.val() {
                    self.busy_q.d.next = false;
                    self.done_q.d.next = true;
                    self.ended_q.d.next = true;
                    self.state.d.next = State::Idle;
                    if self.left.q.val().any() & !self.code_q.q.val().any() {
                        self.code_q.d.next = bits::<3>(3);
                    }
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }
        if self.failed_q.q.val() {
            self.code_q.d.next = bits::<3>(2);
        }
        self.set_base.next = self.state.q.val() == State::Check;
        self.ask.next = self.asks.val();
        self.used.next = self.uses.val();
        self.load_valid.next = self.valid.q.val();
        self.load_flow.next = self.flow_out.q.val();
        self.busy.next = self.busy_q.q.val();
        self.done.next = self.done_q.q.val();
        self.code.next = self.code_q.q.val();
        self.progress.next = self.progress_q.q.val();
        self.refused.next = self.refused_q.q.val();
        self.ended.next = self.ended_q.q.val();
        self.memory_failed.next = self.failed_q.q.val();
        if self.rst.val() {
            self.state.d.next = State::Idle;
            self.age.d.next = bits::<2>(0);
            self.gap.d.next = bits::<5>(0);
            self.valid.d.next = false;
            self.busy_q.d.next = false;
            self.done_q.d.next = false;
            self.code_q.d.next = bits::<3>(0);
            self.progress_q.d.next = bits::<17>(0);
            self.refused_q.d.next = bits::<17>(0);
            self.ended_q.d.next = false;
            self.failed_q.d.next = false;
        }
    }
}
