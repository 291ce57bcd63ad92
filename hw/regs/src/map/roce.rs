//! Queue pairs of RoCEv2: the table's settings, and commands that set, join and remove pairs. Forms
//! of the NIC without the table have the registers and refuse commands.
use super::settings::{merged, roce as rows};
use super::{Access::*, Block, Kind, Register, Reset, bit, low, whole};
use crate::field::Field;

pub use rows::*;

/// In [`CONTROL`]: the table is in use.
pub const ENABLE: Field =
    bit(0, "enable", "1 after SECRET is written, which then stays; a change to 0 forgets all pairs, whose stored packets still leave");
/// In [`CONTROL`]: when AckReq is set in flight.
pub const ASK_EVERY: Field = Field::new(
    0,
    8,
    1,
    "ask_every",
    "data that are so many packets behind their pair's last one that asks for an ACK ask for one: AckReq is set and the ICRC mended; 0 never",
);
/// The local queue pair.
pub const LOCAL_PAIR: Field = low(24, "local", "its number");
/// A local queue pair is given.
pub const LOCAL_GIVEN: Field = bit(24, "given", "1 the command joins the pair with this local one, by which its answers are known");

/// Sets a pair, and joins it if a local one is given.
pub const SET: u32 = 1;
/// Removes a pair.
pub const REMOVE: u32 = 2;
/// Joins a pair that is known; its age counts on.
pub const JOIN: u32 = 3;
/// Shows the pair of a flow.
pub const READ: u32 = 4;
/// Shows the answer, or data with CE, whose pair was not joined, and forgets it.
pub const TAKE: u32 = 5;
/// Starts a command.
pub const COMMAND: Register = Register::new(
    Kind::Roce,
    0x54,
    "COMMAND",
    WriteOnly,
    "starts a command on the pair of ADDRESS and REMOTE; refused while one is under way, while bit 0 of CONTROL is 0, or where no table is",
    &[low(
        3,
        "command",
        "1 set: the pair gets a flow, does not age, and is joined with LOCAL if that is given; 2 remove; 3 join a pair that is known, whose age counts on; \
         4 read the pair of READ_FLOW into TOLD; 5 take the first answer, or while NOTIFY is 1 data with CE, to this port's MAC since the last take whose pair was not joined into TOLD",
    )
    .range(SET, TAKE)],
);
/// No command is taken.
pub const BUSY: Field = bit(0, "busy", "no command is taken: one is under way, or the table is not in use");
/// There is a table.
pub const PRESENT: Field = bit(1, "present", "this form of the NIC has a table of queue pairs");
/// Outcome of the last command.
pub const OUTCOME: Field = Field::new(
    0,
    6,
    4,
    "outcome",
    "of the last command: 0 done; 1 there is no such pair, or no answer to take; 2 all flows are taken; 3 a bucket is full or the hash is another key's; 4 answers to LOCAL belong to another pair",
);
/// Flow of the last command.
pub const FLOW: Field = Field::new(0, 31, 16, "flow", "flow of the last command's pair");
/// State of the last command.
pub const STATUS: Register =
    Register::new(Kind::Roce, 0x58, "STATUS", ReadOnly, "state of the last command", &[BUSY, PRESENT, OUTCOME, FLOW]).reset(Reset::Live);

/// Words of TOLD: the address has the first.
pub const TOLD_WORDS: u32 = 6;
/// Word of TOLD with the remote queue pair.
pub const TOLD_REMOTE: u32 = 4;
/// Word of TOLD with the local queue pair.
pub const TOLD_LOCAL: u32 = 5;
/// In [`TOLD_REMOTE`]: the flow has a pair.
pub const TOLD_KNOWN: Field = bit(24, "known", "the flow has a pair");
/// In [`TOLD_REMOTE`]: a command set the pair.
pub const TOLD_PINNED: Field = bit(25, "pinned", "a command set the pair, which does not age");
/// In [`TOLD_LOCAL`]: there is one.
pub const TOLD_GIVEN: Field = bit(24, "given", "the pair is joined with this local one; of an answer, always 1");
/// Number of rules.
pub const RULES: u32 = 16;
/// In [`RULE`]: which one.
pub const RULE_INDEX: Field = low(4, "index", "which of the 16; the first that is for a queue pair decides");
/// In [`RULE`]: the rule is in use.
pub const RULE_USED: Field = bit(4, "used", "1 the rule is in use");
/// In [`RULE`]: length of the prefix.
pub const RULE_BITS: Field = Field::new(
    0,
    12,
    5,
    "prefix",
    "bits of ADDRESS that the remote address must have; IPv4 addresses have 96 bits in front, 0 any address, above 128 as 128",
);
/// In [`RULE`]: differentiated services code point.
pub const RULE_DSCP: Field = Field::new(0, 18, 13, "dscp", "DSCP of the packet from which the queue pair is learned");
/// In [`RULE`]: the DSCP counts.
pub const RULE_BY_DSCP: Field = bit(19, "by_dscp", "1 the packet must have this DSCP, 0 any");
/// In [`RULE`]: the profile.
pub const RULE_PROFILE: Field = Field::new(0, 23, 20, "rule_profile", "profile of its queue pairs");
/// In [`RULE`]: the priority.
pub const RULE_PRIORITY: Field = Field::new(0, 26, 24, "rule_priority", "priority of its queue pairs");

/// Word of TOLD with a rule, behind its address.
pub const TOLD_RULE: u32 = 4;
/// In [`TOLD_WORD`]: the word.
pub const WORD: Field = low(3, "told_word", "0 to 5; 6 and 7 show 0");
/// In [`TOLD_WORD`]: of a rule.
pub const OF_RULE: Field = bit(3, "of_rule", "1 word of a rule: 0 to 3 its address, 4 what RULE set, 0 if it is not in use");
/// In [`TOLD_WORD`]: whose word.
pub const SHOWN_RULE: Field = Field::new(0, 7, 4, "shown_rule", "which rule");
/// Findings of commands 4 and 5, and rules.
pub const TOLD: Register = Register::new(
    Kind::Roce,
    0x74,
    "TOLD",
    ReadOnly,
    "what the last command 4 or 5 found, if its outcome is 0; word TOLD_WORD of it: 0 to 3 the remote address, as in ADDRESS; 4 the remote queue pair, in bit 24 whether there is one, \
     in bit 25 whether a command set it; 5 the local queue pair, in bit 24 whether there is one; or, whatever command was last, a word of a rule",
    &[whole("told", "the word")],
)
.reset(Reset::Live);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[COMMAND, STATUS, TOLD];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Roce,
    name: "roce",
    version: 6,
    base: 0x340,
    meaning: "Queue pairs of RoCEv2, in forms that pace them. Addresses, queue pairs and profile are staged, then COMMAND takes them.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
