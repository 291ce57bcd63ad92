//! A word a flow that operations read, change and write back, one a clock.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// `2^F` words of kind `D`, of which an operation a clock changes one; operations of one flow see
/// each other's changes, however close they come.
///
/// Clock 0: an operation enters, with its flow. 3: its word stands, and what it makes of the word
/// is taken. 4: the word is written. Back pressure: none. An operation that changes nothing has its
/// word written again.
#[derive(LogicBlock, Default)]
pub struct FlowRam<D: Synth, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The words are being cleared, at this flow; nothing may enter.
    pub sweep: Signal<In, Bit>,
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Clock 0: an operation enters.
    pub valid: Signal<In, Bit>,
    pub flow: Signal<In, Bits<F>>,
    /// Clock 3: the word as the operations before left it, and as this one leaves it.
    pub word: Signal<Out, D>,
    pub update: Signal<In, D>,
    /// Clock 4: what is written, for copies of the words.
    pub writes: Signal<Out, Bit>,
    pub write_flow: Signal<Out, Bits<F>>,
    pub write_word: Signal<Out, D>,
    // (An operation takes what is written at its clock from the operation that wrote it.)
    ram: ApartRam<D, F>,
    empty: Const<D>,
    raw: DFF<D>,
    // Index k is the register of clock k + 1.
    on: [DFF<Bit>; 5],
    of: [DFF<Bits<F>>; 5],
    /// The operation one, two, three, four before the one at clock 2 is of the same flow.
    same: [DFF<Bit>; 4],
    operand: DFF<D>,
    /// Words of the operations at clocks 4 to 6.
    past: [DFF<D>; 3],
}

impl<D: Synth, const F: usize> FlowRam<D, F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { empty: Const::new(D::default()), ..Default::default() }
    }
}

impl<D: Synth, const F: usize> Logic for FlowRam<D, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, operand);
        for i in 0..5 {
            self.on[i].clock.next = self.clk.val();
            self.of[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.same[i].clock.next = self.clk.val();
            self.on[i + 1].d.next = self.on[i].q.val();
            self.of[i + 1].d.next = self.of[i].q.val();
        }
        for i in 0..3 {
            self.past[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.past[i + 1].d.next = self.past[i].q.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        // 0
        self.ram.read_address.next = self.flow.val();
        self.on[0].d.next = self.valid.val();
        self.of[0].d.next = self.flow.val();
        // 1
        self.raw.d.next = self.ram.read_data.val();
        for i in 0..4 {
            self.same[i].d.next = self.on[i + 1].q.val() & (self.of[i + 1].q.val() == self.of[0].q.val());
        }
        // 2: from the youngest operation that has the word.
        self.operand.d.next = self.raw.q.val();
        if self.same[0].q.val() {
            self.operand.d.next = self.update.val();
        } else if self.same[1].q.val() {
            self.operand.d.next = self.past[0].q.val();
        } else if self.same[2].q.val() {
            self.operand.d.next = self.past[1].q.val();
        } else if self.same[3].q.val() {
            self.operand.d.next = self.past[2].q.val();
        }
        // 3
        self.word.next = self.operand.q.val();
        self.past[0].d.next = self.update.val();
        // 4
        self.writes.next = self.on[3].q.val();
        self.write_flow.next = self.of[3].q.val();
        self.write_word.next = self.past[0].q.val();
        self.ram.write_enable.next = self.on[3].q.val() | self.sweep.val();
        self.ram.write_address.next = self.of[3].q.val();
        self.ram.write_data.next = self.past[0].q.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = self.empty.val();
        }
        if self.rst.val() {
            for i in 0..5 {
                self.on[i].d.next = false;
            }
        }
    }
}
