//! The table of queue pairs of `timely_hw::roce::queue_pairs`: which flow a queue pair is, by its
//! remote address and number, exactly.
mod hash;
mod manager;
mod side;

use crate::{Block, fifo};
pub use hash::{Key, SECRET_BITS, hash};
use manager::Manager;
pub use side::{LATENCY, WAYS};
use side::{Side, Slot};

/// log2 of the unknown keys that wait to be learned.
pub const LEARN_QUEUE: u32 = 4;

/// Units of `age_unit` clocks, of which a stamp has 4 bits: a flow that was not seen for 8 is old.
pub const OLD_UNITS: u8 = 8;

/// A command of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The pair goes away; otherwise it is set, and does not age from then on.
    pub remove: bool,
    /// Remote address and remote queue pair.
    pub key: Key,
    /// The local queue pair, by which answers of the pair are known.
    pub local: Option<u32>,
    /// Profile of a pair that was not known.
    pub profile: u8,
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The command is done.
    Done,
    /// There is no such pair to remove.
    Absent,
    /// All flows are taken.
    Full,
    /// Both buckets of the key, or of the answers' key, are full, or a key of the same hash is
    /// there. The pair is set without the local queue pair if the answers' key was the reason.
    Crowded,
    /// Answers to the local queue pair from this address belong to another flow, and still do.
    Ambiguous,
}

/// A flow got a queue pair, or lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The flow.
    pub flow: u32,
    /// Profile of the pair, if the flow got one.
    pub profile: Option<u8>,
}

/// Counted events, by their bit of `pulses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// A pair was learned from a packet.
    Learned,
    /// A pair was set by the host that was not known.
    Set,
    /// A pair was removed by the host.
    Removed,
    /// A pair was removed because it was not seen for long.
    Aged,
    /// A pair was not inserted, for all flows are taken.
    Full,
    /// A pair was not inserted, or not joined, for its buckets are full or its hash is taken.
    Crowded,
    /// A pair was not joined, for its answers' key belongs to another.
    Ambiguous,
    /// An unknown key was not learned, for too many waited; the next packet tries again.
    Postponed,
}

/// Inputs of the table at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A packet that is sent, and whether its pair may be learned.
    pub sent: Option<(Key, bool)>,
    /// A packet that answers.
    pub answer: Option<Key>,
    /// The host's command.
    pub command: Option<Command>,
    /// Secret of the hash; constant from reset to reset.
    pub secret: [u64; 3],
    /// Profile of pairs that are learned.
    pub profile: u8,
    /// Clocks of a unit of age; 0: pairs do not age.
    pub age_unit: u32,
}

/// Outputs of the table at a clock.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Out {
    /// RAM is clear; nothing is accepted before.
    pub swept: bool,
    /// A sent packet's flow, or that it has none.
    pub sent: Option<Option<u32>>,
    /// An answer's flow, or that it has none.
    pub answer: Option<Option<u32>>,
    /// A command is taken at this clock if offered.
    pub ready: bool,
    /// What became of the last command, and its flow.
    pub reply: Option<(Status, u32)>,
    /// A flow got a queue pair, or lost it.
    pub change: Option<Change>,
    /// Counted events, bit by [`Pulse`].
    pub pulses: u8,
}

/// `2^flow_bits` queue pairs in twice as many places.
#[derive(Clone, Debug)]
pub struct QueuePairs {
    flow_bits: u32,
    sweep_end: u64,
    sent: Side,
    answers: Side,
    learn: fifo::Fifo<Key>,
    manager: Manager,
}

impl QueuePairs {
    /// A table as it is after power-up.
    ///
    /// # Panics
    /// When `flow_bits` is not 6 to 16.
    pub fn new(flow_bits: u32) -> Self {
        assert!((6..=16).contains(&flow_bits), "a table of 2^{flow_bits} queue pairs; there are 2^6 to 2^16");
        QueuePairs {
            flow_bits,
            sweep_end: 1 << flow_bits,
            sent: Side::new(flow_bits),
            answers: Side::new(flow_bits),
            learn: fifo::Fifo::new(LEARN_QUEUE),
            manager: Manager::new(flow_bits),
        }
    }

    /// Keys that stand in places and flows with a key, of both directions.
    pub fn held(&self) -> [(usize, usize); 2] {
        [self.sent.held(), self.answers.held()]
    }

    /// Flows without a pair.
    pub fn free(&self) -> usize {
        self.manager.free()
    }
}

impl Block for QueuePairs {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let found = |side: &Side| side.output(clk).filter(|d| matches!(d.slot, Slot::Look { .. })).map(|d| d.flow);
        let swept = clk >= self.sweep_end;
        Out { swept, sent: found(&self.sent), answer: found(&self.answers), ..self.manager.output(swept) }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = QueuePairs { sweep_end: clk + 1 + (1 << self.flow_bits), ..QueuePairs::new(self.flow_bits) };
            return;
        }
        let swept = clk >= self.sweep_end;
        let done = [self.sent.output(clk).copied(), self.answers.output(clk).copied()];
        let learn = self.learn.output(clk);
        let unknown = done[0].filter(|d| d.slot == Slot::Look { learn: true } && d.flow.is_none()).map(|d| d.key);
        let (ops, taken) = self.manager.step(i, swept, done, learn.head, unknown.is_some() && !learn.ready);
        self.learn.step(clk, &fifo::In { rst: false, push: unknown, ready: taken });
        for ((side, op), look) in [&mut self.sent, &mut self.answers].into_iter().zip(ops).zip([i.sent, i.answer.map(|k| (k, false))]) {
            side.retire(clk);
            if let Some((key, learn)) = look.filter(|_| swept) {
                side.enter(clk, i.secret, Slot::Look { learn }, key);
            } else if let Some((slot, key)) = op {
                side.enter(clk, i.secret, slot, key);
                self.manager.sent();
            }
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        clk
    }
}
