//! A snapshot: one flow's record after the other, from telemetry into the host's memory.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::Cursor;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::dma::PATIENCE;
use timely_regs::map::dma::Code;

// A kernel takes literals alone; these hold those below to their homes.
const _: () = assert!(PATIENCE == 255);
const _: () = assert!(Code::BeyondTable as u8 == 1 && Code::Memory as u8 == 2 && Code::Stopped as u8 == 3 && Code::NoAnswer as u8 == 4);

/// State of the snapshot.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum State {
    /// Nothing.
    Idle,
    /// Are the flows in the table?
    Check,
    /// A query is offered.
    Ask,
    /// The query is out.
    Wait,
    /// The record is written.
    Send,
    /// Responses are outstanding.
    Drain,
}

/// 4 clocks a flow from the last burst of one to the first of the next when the query is taken at
/// once; 2 bursts a flow.
#[derive(LogicBlock, Default)]
pub struct Snapshot<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A snapshot starts.
    pub start: Signal<In, Bit>,
    /// Address to which the records go.
    pub base: Signal<In, Bits<64>>,
    /// First flow of the snapshot.
    pub first: Signal<In, Bits<16>>,
    /// Flows of the snapshot.
    pub count: Signal<In, Bits<17>>,
    /// DMA runs.
    pub running: Signal<In, Bit>,
    /// A query is offered.
    pub query_valid: Signal<Out, Bit>,
    pub query_ready: Signal<In, Bit>,
    pub query_flow: Signal<Out, Bits<F>>,
    /// The answer is here.
    pub answer_valid: Signal<In, Bit>,
    pub answer_record: Signal<In, Bits<1024>>,
    /// A burst is offered.
    pub offers: Signal<Out, Bit>,
    /// The burst is a record's second, which must not wait for others.
    pub offers_second: Signal<Out, Bit>,
    /// Address of the burst.
    pub address: Signal<Out, Bits<64>>,
    /// Data of the burst.
    pub data: Signal<Out, Bits<512>>,
    /// The burst is taken.
    pub took: Signal<In, Bit>,
    /// A burst of ours ended.
    pub burst_done: Signal<In, Bit>,
    /// The burst that ended failed.
    pub failed: Signal<In, Bit>,
    /// A snapshot is under way.
    pub busy: Signal<Out, Bit>,
    /// The last snapshot ended.
    pub done: Signal<Out, Bit>,
    /// Outcome of the last snapshot, `timely_regs::map::dma::Code`.
    pub code: Signal<Out, Bits<3>>,
    /// Flows done.
    pub progress: Signal<Out, Bits<17>>,
    /// The snapshot ended just now; one clock.
    pub ended: Signal<Out, Bit>,
    flows: Const<Bits<17>>,
    cursor: Cursor,
    state: DFF<State>,
    sum: DFF<Bits<17>>,
    flow: DFF<Bits<16>>,
    left: DFF<Bits<17>>,
    patience: DFF<Bits<8>>,
    record: DFF<Bits<1024>>,
    /// A burst started at the last clock: a register, for the record's halves and the address are
    /// many bits, and no other starts within two.
    shift: DFF<Bit>,
    second: DFF<Bit>,
    owed: DFF<Bits<5>>,
    half: DFF<Bit>,
    busy_q: DFF<Bit>,
    done_q: DFF<Bit>,
    code_q: DFF<Bits<3>>,
    progress_q: DFF<Bits<17>>,
    ended_q: DFF<Bit>,
    /// Reason that there will be no more bursts.
    over: Signal<Local, Bits<3>>,
}

impl<const F: usize> Snapshot<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { flows: Const::new(bits::<17>(1 << F)), ..Default::default() }
    }
}

impl<const F: usize> Logic for Snapshot<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, state, sum, flow, left, patience, record, shift, second, owed, half, busy_q, done_q, code_q, progress_q, ended_q
        );
        self.cursor.clk.next = self.clk.val();
        self.cursor.base.next = self.base.val();
        self.cursor.set_base.next = self.state.q.val() == State::Check;
        self.cursor.advance.next = self.shift.q.val();
        self.sum.d.next = bit_cast::<17, 16>(self.first.val()) + self.count.val();
        self.ended_q.d.next = false;
        if self.took.val() & !self.burst_done.val() {
            self.owed.d.next = self.owed.q.val() + bits::<5>(1);
        }
        if self.burst_done.val() & !self.took.val() {
            self.owed.d.next = self.owed.q.val() - bits::<5>(1);
        }
        self.shift.d.next = self.took.val();
        if self.shift.q.val() {
            self.record.d.next = self.record.q.val() >> 512;
        }
        self.over.next = bits::<3>(0);
        match self.state.q.val() {
            State::Idle => {
                if self.start.val() {
                    self.state.d.next = State::Check;
                }
            }
            State::Check => {
                self.flow.d.next = self.first.val();
                self.left.d.next = self.count.val();
                self.state.d.next = State::Ask;
                if self.sum.q.val() > self.flows.val() {
                    self.over.next = bits::<3>(1);
                    self.state.d.next = State::Drain;
                }
            }
            State::Ask => {
                self.patience.d.next = bits::<8>(255);
                if !self.running.val() {
                    self.over.next = bits::<3>(3);
                    self.state.d.next = State::Drain;
                } else {
                    if self.query_ready.val() {
                        self.state.d.next = State::Wait;
                    }
                }
            }
            State::Wait => {
                self.patience.d.next = self.patience.q.val() - bits::<8>(1);
                self.record.d.next = self.answer_record.val();
                self.second.d.next = false;
                if self.answer_valid.val() {
                    self.state.d.next = State::Send;
                } else {
                    if !self.patience.q.val().any() {
                        self.over.next = bits::<3>(4);
                        self.state.d.next = State::Drain;
                    }
                }
            }
            State::Send => {
                if !self.running.val() {
                    self.over.next = bits::<3>(3);
                    self.state.d.next = State::Drain;
                } else {
                    if self.took.val() {
                        self.second.d.next = true;
                        if self.second.q.val() {
                            self.flow.d.next = self.flow.q.val() + bits::<16>(1);
                            self.left.d.next = self.left.q.val() - bits::<17>(1);
                            self.state.d.next = State::Ask;
                            if self.left.q.val() == bits::<17>(1) {
                                self.state.d.next = State::Drain;
                            }
                        }
                    }
                }
            }
            State::Drain => {
                if !self.owed.q.val().any() {
                    self.busy_q.d.next = false;
                    self.done_q.d.next = true;
                    self.ended_q.d.next = true;
                    self.state.d.next = State::Idle;
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }
        if !self.code_q.q.val().any() {
            self.code_q.d.next = self.over.val();
        }
        if self.burst_done.val() {
            if self.failed.val() {
                self.code_q.d.next = bits::<3>(2);
            } else {
                if !self.code_q.q.val().any() {
                    self.half.d.next = !self.half.q.val();
                    if self.half.q.val() {
                        self.progress_q.d.next = self.progress_q.q.val() + bits::<17>(1);
                    }
                }
            }
        }
        if (self.state.q.val() == State::Idle) & self.start.val() {
            self.busy_q.d.next = true;
            self.done_q.d.next = false;
            self.code_q.d.next = bits::<3>(0);
            self.progress_q.d.next = bits::<17>(0);
            self.half.d.next = false;
        }
        self.query_valid.next = self.state.q.val() == State::Ask;
        self.query_flow.next = self.flow.q.val().get_bits::<F>(0);
        self.offers.next = self.state.q.val() == State::Send;
        self.offers_second.next = (self.state.q.val() == State::Send) & self.second.q.val();
        self.address.next = self.cursor.address.val();
        self.data.next = self.record.q.val().get_bits::<512>(0);
        self.busy.next = self.busy_q.q.val();
        self.done.next = self.done_q.q.val();
        self.code.next = self.code_q.q.val();
        self.progress.next = self.progress_q.q.val();
        self.ended.next = self.ended_q.q.val();
        if self.rst.val() {
            self.state.d.next = State::Idle;
            self.owed.d.next = bits::<5>(0);
            self.half.d.next = false;
            self.busy_q.d.next = false;
            self.done_q.d.next = false;
            self.code_q.d.next = bits::<3>(0);
            self.progress_q.d.next = bits::<17>(0);
            self.ended_q.d.next = false;
        }
    }
}
