//! The table of queue pairs: which flow a queue pair is, by its remote address and number, exactly.
mod flows;
mod hash;
mod manager;
mod places;
mod rules;
mod side;
mod words;

use crate::bus::{
    FlowPulseOut, PairAskOut, PairChangeOut, PairCommandIn, PairFlowOut, PairLookIn, PairOperationOut, PairReplyOut, PairResultOut,
    PairToldOut,
};
use crate::fifo::WideFifo;
use manager::Manager;
pub use rules::PairRules;
use rust_hdl::prelude::*;
use side::Side;
use timely_model::queue_pairs::LEARN_QUEUE;
use words::Unknown;

// The queue is as deep as the model's.
const _: () = assert!(LEARN_QUEUE == 4);

/// `2^F` queue pairs in `2^(F + 1)` places a direction; `F` is 6 to 16, `B` must be `F - 3` and `C`
/// `F + 1`.
///
/// - A sent packet goes to a remote queue pair, and its key is that with the remote address. A key
///   that is not known is learned, if the packet says so: the next free flow becomes the pair's.
/// - An answer goes to a local queue pair, which nothing in a packet joins with the remote one. The
///   host does, with a command; the key of an answer is the local queue pair with the remote
///   address. A second flow is not joined with a key.
/// - A pair that is learned gets what the rules say of it at `ask`, which they have answered before
///   the pair has its place; without a rule `cfg_profile` and `cfg_priority` of the clock at which
///   it was taken from the queue. One that the host sets has the command's profile.
/// - A place holds 32 bits of hash, of which some are its bucket's number, and a flow. The flow's
///   key decides: a key never finds the flow of another. A key whose hash another has, or whose two
///   buckets of eight places are full, is refused and counted, and its packets have no flow.
/// - A command that sets a pair that is there, or a packet of it, changes nothing but what the
///   host sets. One that joins a pair does so only with a pair that is there, and lets it age. One
///   that reads a flow tells the keys of its pair. A command that removes a pair frees both keys
///   and then the flow; look-ups that entered before the removal may still find the flow, and their
///   results are out before the removal is reported at `change`.
/// - A pair that no packet was sent of for 7 to 8 units of `cfg_age_unit` clocks goes at the next
///   scan, if the host did not set it. A unit must be longer than the scan of all flows, 4 clocks a
///   flow and some 70 a change, or pairs stay for longer. A pair that is seen while it is removed
///   is learned again.
/// - Without a free flow nothing is learned or set, and each attempt is counted.
///
/// Latency: 15 clocks from a look-up to its flow. Throughput: a look-up a clock of each direction,
/// also of one key. Back pressure: none for packets. Changes are made in clocks without a look-up
/// of their direction, one after the other: some 35 clocks to learn a pair, 70 to remove one, 120
/// if it was joined. 16 keys wait to be learned; one that comes when they are there is counted and
/// is up to the next packet. Look-ups see changes in the order of the clocks at which they enter.
/// After `rst` nothing is accepted until `swept`, `2^F` clocks later. `cfg_secret` is constant from
/// reset to reset, and a word that nobody else knows. Model: `timely_model::queue_pairs`.
#[derive(LogicBlock, Default)]
pub struct QueuePairs<const F: usize, const B: usize, const C: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Secret of the hash, of which bits 0 to 190 count.
    pub cfg_secret: Signal<In, Bits<192>>,
    /// Profile of pairs that are learned and that no rule is for.
    pub cfg_profile: Signal<In, Bits<4>>,
    /// Priority of these, and of pairs that the host sets.
    pub cfg_priority: Signal<In, Bits<3>>,
    /// To the rules.
    pub ask: PairAskOut,
    /// Clocks of a unit of age; 0: pairs do not age.
    pub cfg_age_unit: Signal<In, Bits<32>>,
    /// Packets that are sent.
    pub sent: PairLookIn,
    /// The packet's pair may be learned.
    pub sent_learn: Signal<In, Bit>,
    /// The packet's DSCP.
    pub sent_dscp: Signal<In, Bits<6>>,
    /// Flows of sent packets.
    pub sent_flow: PairFlowOut<F>,
    /// Packets that answer.
    pub answer: PairLookIn,
    /// Flows of answers.
    pub answer_flow: PairFlowOut<F>,
    /// With it, the key that was looked up: the remote address, above it the local queue pair.
    pub answer_key: Signal<Out, Bits<152>>,
    /// The host's commands.
    pub command: PairCommandIn,
    /// Outcomes of commands.
    pub reply: PairReplyOut<F>,
    /// Keys of a pair that a command reads, before its outcome.
    pub told: PairToldOut,
    /// Flows that get or lose a pair.
    pub change: PairChangeOut<F>,
    /// A flow whose answers are known by another key from now on, or by none any more; before the
    /// first answer finds it.
    pub joined: FlowPulseOut<F>,
    /// Counted events, bit by `timely_model::queue_pairs::Pulse`.
    pub pulses: Signal<Out, Bits<8>>,
    /// The RAM is clear; nothing is accepted before.
    pub swept: Signal<Out, Bit>,
    sent_side: Side<F, B>,
    answer_side: Side<F, B>,
    learn: WideFifo<158, 4, 5>,
    manager: Manager<F, C>,
    sweep_at: DFF<Bits<F>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    unknown: Signal<Local, Unknown>,
}

impl<const F: usize, const B: usize, const C: usize> QueuePairs<F, B, C> {
    /// A table.
    ///
    /// # Panics
    /// When `F` is not 6 to 16, or `B` or `C` does not fit it.
    pub fn new() -> Self {
        assert!((6..=16).contains(&F), "a table of 2^{F} queue pairs; there are 2^6 to 2^16");
        assert!(B + 3 == F && C == F + 1, "buckets have eight places, and 2^F free flows are counted");
        Self { sent_side: Side::new(), answer_side: Side::new(), manager: Manager::new(), ..Default::default() }
    }
}

impl<const F: usize, const B: usize, const C: usize> Logic for QueuePairs<F, B, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready);
        self.sweep.next = !self.ready.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<F>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        self.sent_side.clk.next = self.clk.val();
        self.answer_side.clk.next = self.clk.val();
        self.learn.clk.next = self.clk.val();
        self.manager.clk.next = self.clk.val();
        self.sent_side.rst.next = self.rst.val();
        self.answer_side.rst.next = self.rst.val();
        self.learn.rst.next = self.rst.val();
        self.manager.rst.next = self.rst.val();
        self.sent_side.sweep.next = self.sweep.val();
        self.answer_side.sweep.next = self.sweep.val();
        self.manager.sweep.next = self.sweep.val();
        self.sent_side.sweep_at.next = self.sweep_at.q.val();
        self.answer_side.sweep_at.next = self.sweep_at.q.val();
        self.manager.sweep_at.next = self.sweep_at.q.val();
        self.sent_side.secret.next = self.cfg_secret.val();
        self.answer_side.secret.next = self.cfg_secret.val();
        self.manager.profile.next = self.cfg_profile.val();
        self.manager.set_priority.next = self.cfg_priority.val();
        PairAskOut::link(&mut self.ask, &mut self.manager.ask);
        self.manager.age_unit.next = self.cfg_age_unit.val();
        PairLookIn::link(&mut self.sent, &mut self.sent_side.look);
        self.sent_side.learn.next = self.sent_learn.val();
        self.sent_side.dscp.next = self.sent_dscp.val();
        PairFlowOut::<F>::link(&mut self.sent_flow, &mut self.sent_side.found);
        PairLookIn::link(&mut self.answer, &mut self.answer_side.look);
        self.answer_side.learn.next = false;
        self.answer_side.dscp.next = bits::<6>(0);
        PairFlowOut::<F>::link(&mut self.answer_flow, &mut self.answer_side.found);
        self.answer_key.next = self.answer_side.result.key.val();
        PairOperationOut::<F>::join(&mut self.manager.sent, &mut self.sent_side.operation);
        PairOperationOut::<F>::join(&mut self.manager.answers, &mut self.answer_side.operation);
        PairResultOut::<F>::join(&mut self.sent_side.result, &mut self.manager.sent_result);
        PairResultOut::<F>::join(&mut self.answer_side.result, &mut self.manager.answers_result);
        self.manager.seen.next = self.sent_side.seen.val();
        self.manager.seen_flow.next = self.sent_side.seen_flow.val();
        self.learn.i_valid.next = self.sent_side.unknown.val();
        self.unknown.next.key = self.sent_side.result.key.val();
        self.unknown.next.dscp = self.sent_side.unknown_dscp.val();
        self.learn.i_data.next = self.unknown.val().into();
        self.manager.postponed.next = self.sent_side.unknown.val() & !self.learn.i_ready.val();
        self.manager.learn_valid.next = self.learn.o_valid.val();
        self.manager.learn_word.next = self.learn.o_data.val();
        self.learn.o_ready.next = self.manager.learn_ready.val();
        PairCommandIn::link(&mut self.command, &mut self.manager.command);
        PairReplyOut::<F>::link(&mut self.reply, &mut self.manager.reply);
        PairToldOut::link(&mut self.told, &mut self.manager.told);
        PairChangeOut::<F>::link(&mut self.change, &mut self.manager.change);
        FlowPulseOut::<F>::link(&mut self.joined, &mut self.manager.joined);
        self.pulses.next = self.manager.pulses.val();
        if self.rst.val() {
            self.sweep_at.d.next = bits::<F>(0);
            self.ready.d.next = false;
        }
    }
}
