//! Inputs and outputs of the table of queue pairs.
use super::hash::Key;
use super::rules::Given;

/// log2 of the unknown keys that wait to be learned.
pub const LEARN_QUEUE: u32 = 4;

/// Units of `age_unit` clocks, of which a stamp has 4 bits: a flow whose stamp is 8 behind is old.
pub const OLD_UNITS: u8 = 8;

/// Purpose of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// The pair is set, and does not age from then on.
    Set,
    /// The pair goes away.
    Remove,
    /// The pair is joined if it is known, and ages on.
    Join,
    /// The keys of a flow's pair are told.
    Read,
}

/// A command of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Purpose.
    pub verb: Verb,
    /// Remote address and remote queue pair; to read, the number of the pair is the flow's.
    pub key: Key,
    /// The local queue pair, by which answers of the pair are known.
    pub local: Option<u32>,
    /// Profile of a pair that was not known.
    pub profile: u8,
}

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The command is done.
    Done,
    /// There is no such pair to remove or to join; the flow to be read has none.
    Absent,
    /// All flows are taken.
    Full,
    /// Both buckets of the key, or of the answers' key, are full, or a key of the same hash is
    /// there. The pair is set without the local queue pair if the answers' key was the reason.
    Crowded,
    /// Answers to the local queue pair from this address belong to another flow, and still do.
    Ambiguous,
}

/// A key of the pair that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The pair's own, and whether a command set it.
    Own(Key, bool),
    /// Key of the pair's answers.
    Local(Key),
}

/// A flow got a queue pair, or lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The flow.
    pub flow: u32,
    /// Profile and priority of the pair, if the flow got one.
    pub given: Option<Given>,
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
    /// A packet that is sent, and if its pair may be learned the packet's DSCP.
    pub sent: Option<(Key, Option<u8>)>,
    /// A packet that answers.
    pub answer: Option<Key>,
    /// The host's command.
    pub command: Option<Command>,
    /// Secret of the hash; constant from reset to reset.
    pub secret: [u64; 3],
    /// Profile and priority of pairs that are learned without a rule; those that are set have this
    /// priority.
    pub given: Given,
    /// Answer of the rules for the pair that was asked for last, whole
    /// [`RULE_LATENCY`](super::RULE_LATENCY) clocks after that.
    pub rule: Option<Given>,
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
    /// The key that was looked up for it.
    pub answer_key: Option<Key>,
    /// A key of the pair that a command reads.
    pub told: Option<Told>,
    /// Address and DSCP of a pair that is about to be learned, for the rules.
    pub ask: Option<(u128, u8)>,
    /// A command is taken at this clock if offered.
    pub ready: bool,
    /// Outcome of the last command, and its flow.
    pub reply: Option<(Status, u32)>,
    /// A flow got a queue pair, or lost it.
    pub change: Option<Change>,
    /// A flow whose answers are known by another key from now on, or by none any more.
    pub joined: Option<u32>,
    /// Counted events, bit by [`Pulse`].
    pub pulses: u8,
}
