//! A query under way: waits for the answer, then moves it into the store, a word a clock.
use crate::bus::{AnswerIn, CopyOut};
use rust_hdl::prelude::*;

/// Waits up to 4096 clocks for an answer with its tag, 0 to 7 in turn; hands its 32 words over at
/// `copy_*`, valid/ready; keeps the state of the last command.
#[derive(LogicBlock, Default)]
pub struct Query {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A query goes out.
    pub start: Signal<In, Bit>,
    /// A flow is loaded.
    pub loaded: Signal<In, Bit>,
    /// Telemetry answers.
    pub answer: AnswerIn,
    /// The tag of the query that goes out.
    pub tag: Signal<Out, Bits<4>>,
    /// A word is to be stored.
    pub copy: CopyOut,
    /// A query is under way.
    pub busy: Signal<Out, Bit>,
    /// The last command is done.
    pub done: Signal<Out, Bit>,
    /// The last query was not answered.
    pub failed: Signal<Out, Bit>,
    waiting: DFF<Bit>,
    left: DFF<Bits<12>>,
    copying: DFF<Bit>,
    index: DFF<Bits<5>>,
    /// The answer, and the word of it that is handed over, with the number of the next: to shift
    /// the answer would take an enable of all its bits.
    record: DFF<Bits<1024>>,
    word: DFF<Bits<32>>,
    next: DFF<Bits<5>>,
    from: Signal<Local, Bits<10>>,
    busy_q: DFF<Bit>,
    done_q: DFF<Bit>,
    failed_q: DFF<Bit>,
    tag_q: DFF<Bits<3>>,
}

impl Logic for Query {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, waiting, left, copying, index, record, word, next, busy_q, done_q, failed_q, tag_q);
        self.from.next = bit_cast::<10, 5>(self.next.q.val()) << 5;
        if self.loaded.val() {
            self.done_q.d.next = true;
            self.failed_q.d.next = false;
        }
        if self.waiting.q.val() {
            self.left.d.next = self.left.q.val() - bits::<12>(1);
            // What stands there is kept before it is known to be the answer: that comes late, and
            // would reach too many registers.
            self.record.d.next = self.answer.record.val();
            self.word.d.next = self.answer.record.val().get_bits::<32>(0);
            self.next.d.next = bits::<5>(1);
            // The answer to an earlier query, which came too late, is not this one's.
            if self.answer.valid.val() & (self.answer.tag.val() == bit_cast::<4, 3>(self.tag_q.q.val())) {
                self.tag_q.d.next = self.tag_q.q.val() + bits::<3>(1);
                self.waiting.d.next = false;
                self.copying.d.next = true;
                self.index.d.next = bits::<5>(0);
            } else {
                if !self.left.q.val().any() {
                    self.tag_q.d.next = self.tag_q.q.val() + bits::<3>(1);
                    self.waiting.d.next = false;
                    self.busy_q.d.next = false;
                    self.failed_q.d.next = true;
                }
            }
        }
        if self.copying.q.val() & self.copy.ready.val() {
            self.index.d.next = self.index.q.val() + bits::<5>(1);
            self.next.d.next = self.next.q.val() + bits::<5>(1);
            self.word.d.next = self.record.q.val().get_bits::<32>(self.from.val().index());
            if self.index.q.val().all() {
                self.copying.d.next = false;
                self.busy_q.d.next = false;
                self.done_q.d.next = true;
            }
        }
        if self.start.val() {
            self.waiting.d.next = true;
            self.left.d.next = bits::<12>(4095);
            self.busy_q.d.next = true;
            self.done_q.d.next = false;
            self.failed_q.d.next = false;
        }
        self.tag.next = bit_cast::<4, 3>(self.tag_q.q.val());
        self.copy.valid.next = self.copying.q.val();
        self.copy.index.next = self.index.q.val();
        self.copy.data.next = self.word.q.val();
        self.busy.next = self.busy_q.q.val();
        self.done.next = self.done_q.q.val();
        self.failed.next = self.failed_q.q.val();
        if self.rst.val() {
            self.waiting.d.next = false;
            self.copying.d.next = false;
            self.busy_q.d.next = false;
            self.done_q.d.next = false;
            self.failed_q.d.next = false;
            self.tag_q.d.next = bits::<3>(0);
        }
    }
}
