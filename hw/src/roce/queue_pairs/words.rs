//! The packed words of the table of queue pairs.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

packed! {
    /// A remote host and a queue pair's number.
    pub struct KeyWord {
        /// Address of the host.
        pub address: Bits<128>,
        /// Number of the queue pair.
        pub pair: Bits<24>,
    }

    /// A key that waits to be learned.
    pub struct Unknown {
        /// The key.
        pub key: Bits<152>,
        /// DSCP of its packet.
        pub dscp: Bits<6>,
    }

    /// A rule in its RAM.
    pub struct RuleWord {
        /// Address of remote hosts, byte 0 lowest.
        pub address: Bits<128>,
        /// Value of the register that set it.
        pub rule: Bits<27>,
    }

    /// The register of a rule.
    pub struct RuleBits {
        /// Number of the rule.
        pub index: Bits<4>,
        /// The rule is in use.
        pub used: Bit,
        /// Bits of the address that count.
        pub prefix: Bits<8>,
        /// DSCP.
        pub dscp: Bits<6>,
        /// The DSCP counts.
        pub by_dscp: Bit,
        /// Profile of its pairs.
        pub profile: Bits<4>,
        /// Priority of its pairs.
        pub priority: Bits<3>,
    }

    /// Choice of what is shown of the rules.
    pub struct ShownWord {
        /// The word.
        pub word: Bits<3>,
        /// The word is a rule's.
        pub of_rule: Bit,
        /// Number of the rule.
        pub rule: Bits<4>,
    }

    /// A flow's key.
    pub struct FlowKey {
        /// The flow has a queue pair.
        pub live: Bit,
        /// Key of the pair.
        pub key: Bits<152>,
    }

    /// A slot of a side's pipeline.
    pub struct Slot {
        /// A look-up.
        pub look: Bit,
        /// The key of the look-up may be learned.
        pub learn: Bit,
        /// DSCP of its packet.
        pub dscp: Bits<6>,
        /// An operation of the manager.
        pub operation: Bit,
        /// The operation reads a flow's key.
        pub fetch: Bit,
        /// The operation writes a place and a flow's key.
        pub writes: Bit,
        /// The place and the flow hold the key from now on.
        pub live: Bit,
        /// Place that is written: choice of the bucket in bit 3.
        pub place: Bits<4>,
    }

    /// State of a flow.
    pub struct Info {
        /// The flow has a queue pair.
        pub used: Bit,
        /// The pair was set by the host and does not age.
        pub pinned: Bit,
        /// The answers' side has the flow's key.
        pub joined: Bit,
    }
}

/// Purpose of the manager's job.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum Job {
    /// A key is learned.
    Learn,
    /// The host sets a pair.
    Set,
    /// The host removes a pair.
    Remove,
    /// The host joins a pair that is known.
    Join,
    /// The host reads the pair of a flow.
    Read,
    /// A flow's age is looked at.
    Scan,
}

/// The phase of a job; but for the first four each is an operation of a side.
#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
pub enum Phase {
    /// No job.
    Idle,
    /// The flow's words are addressed.
    Address,
    /// The flow's words are captured.
    Capture,
    /// The job goes on with them.
    Decide,
    /// The pair is looked up.
    Find,
    /// The pair gets a place and a flow.
    Enter,
    /// The answers' key is looked up.
    Meet,
    /// The answers' key gets a place.
    Link,
    /// The answers' key of the flow is read.
    OldKey,
    /// The answers' key is looked up.
    OldSeek,
    /// The answers' key is removed.
    OldDrop,
    /// The key of the flow is read.
    OwnKey,
    /// The key is looked up.
    OwnSeek,
    /// The key is removed.
    OwnDrop,
}
