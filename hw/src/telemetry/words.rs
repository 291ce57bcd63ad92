//! The packed words of telemetry, by name: groups of counters, and records of both kinds.
#![allow(missing_docs, reason = "the derive's methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_regs::event::{RECORD_VERSION, WORDS};

packed! {
    /// Counters of sent frames: words 0 to 3 of the record.
    pub struct Sent {
        /// Packets.
        pub packets: Bits<32>,
        /// Wire bytes.
        pub wire_bytes: Bits<48>,
        /// Segments.
        pub segments: Bits<32>,
    }

    /// Counters of samples and ACKs: words 4 to 13 of the record, and 15.
    pub struct Returns {
        /// Samples.
        pub samples: Bits<32>,
        /// Time-outs.
        pub timeouts: Bits<32>,
        /// Least RTT, ns.
        pub least: Bits<24>,
        /// Last RTT, ns.
        pub last: Bits<24>,
        /// Smoothed RTT, 2^-8 ns.
        pub smoothed: Bits<32>,
        /// ACKs by outcome.
        pub accepted: Bits<32>,
        pub stale: Bits<32>,
        pub repeated: Bits<32>,
        pub forged: Bits<32>,
        /// There was a sample.
        pub measured: Bit,
        /// Time of the last sample, 2^10 ns.
        pub sampled_at: Bits<32>,
        /// Segments that lost packets.
        pub losses: Bits<32>,
    }

    /// Counted part of a frame on its way to its group.
    pub struct Frame {
        pub wire_bytes: Bits<16>,
        pub last: Bit,
    }

    /// Counted part of a sample on its way to its group.
    pub struct Sample {
        pub rtt_ns: Bits<24>,
        pub lost: Bits<7>,
        pub late: Bit,
        pub measured: Bit,
    }

    /// Counted part of an operation on its way to its group.
    pub struct Operation {
        pub rate: Bits<32>,
        pub branch: Bits<3>,
        pub kind: Bits<3>,
        pub hyperactive: Bit,
    }

    /// Outcomes of an ACK, a bit each.
    pub struct Outcomes {
        pub accepted: Bit,
        pub stale: Bit,
        pub repeated: Bit,
        pub forged: Bit,
    }

    /// Counters of decisions: words 16 to 24 of the record.
    pub struct Decisions {
        /// Operations.
        pub updates: Bits<32>,
        /// Operations by branch.
        pub below_low: Bits<32>,
        pub above_high: Bits<32>,
        pub increase: Bits<32>,
        pub decrease: Bits<32>,
        pub other: Bits<32>,
        /// Hyperactive increases.
        pub hyperactive: Bits<32>,
        /// Rate, branch and kind of the last operation.
        pub rate: Bits<32>,
        pub branch: Bits<3>,
        pub unused_259: Bit,
        pub kind: Bits<3>,
    }

    /// Branches, a bit each.
    pub struct Branches {
        pub below_low: Bit,
        pub above_high: Bit,
        pub increase: Bit,
        pub decrease: Bit,
        pub other: Bit,
    }

    /// The record that a query answers.
    pub struct Record {
        pub packets: Bits<32>,
        pub wire_bytes: Bits<48>,
        pub unused_80: Bits<16>,
        pub segments: Bits<32>,
        pub samples: Bits<32>,
        pub timeouts: Bits<32>,
        pub least: Bits<24>,
        pub unused_216: Bits<7>,
        pub measured: Bit,
        pub last: Bits<24>,
        pub unused_248: Bits<8>,
        pub smoothed: Bits<32>,
        pub accepted: Bits<32>,
        pub stale: Bits<32>,
        pub repeated: Bits<32>,
        pub forged: Bits<32>,
        pub sampled_at: Bits<32>,
        pub now: Bits<32>,
        pub losses: Bits<32>,
        pub decisions: Decisions,
        pub unused_775: Bits<25>,
        pub superseded: Bits<32>,
        pub unused_832: Bits<192>,
    }

    /// First words of an event record: its number and time (ns48.fns16), the flow, the operation.
    pub struct Heading {
        pub number: Bits<32>,
        pub stamp: Bits<64>,
        pub flow: Bits<16>,
        pub profile: Bits<4>,
        pub law: Bits<4>,
        pub kind: Bits<3>,
        pub branch: Bits<3>,
        pub hyperactive: Bit,
    }

    /// Last words of an event record: the sample's time, ns, or the host's rate; the rates; the
    /// law's state before.
    pub struct Values {
        pub argument: Bits<32>,
        pub rate_before: Bits<32>,
        pub rate: Bits<32>,
        pub earlier: Bits<160>,
    }

    /// An event record without what is the same in all and what it says twice.
    pub struct Noted {
        pub heading: Heading,
        pub signal: Bits<24>,
        pub hops: Bits<8>,
        pub endpoint: Bits<24>,
        pub values: Values,
    }

    /// An event record, `timely_regs::event`.
    pub struct EventRecord {
        pub heading: Heading,
        pub unused_127: Bit,
        pub signal: Bits<24>,
        pub hops: Bits<8>,
        pub endpoint: Bits<24>,
        pub version: Bits<8>,
        pub values: Values,
        pub unused_448: Bits<32>,
        pub number_again: Bits<32>,
    }
}

const _: () = assert!(Record::BITS == 1024 && EventRecord::BITS == 32 * WORDS);
const _: () = assert!(RECORD_VERSION.word == 5 && RECORD_VERSION.low == 24);
