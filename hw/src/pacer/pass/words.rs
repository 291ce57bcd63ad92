//! The packed words of the token pass, by name.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

packed! {
    /// Account of a flow, as the last pass left it.
    pub struct Account {
        /// Tokens, signed.
        pub tokens: Bits<51>,
        /// Time of the pass, ns.
        pub time: Bits<48>,
        /// Rate.
        pub rate: Bits<30>,
        /// Bytes charged, low bits.
        pub sent: Bits<25>,
        /// Packets granted.
        pub granted: Bits<16>,
        /// Base of the outstanding bytes.
        pub base: Bits<32>,
        /// The flow is awake.
        pub awake: Bit,
        /// The flow was granted something since its accounts were cleared.
        pub started: Bit,
        /// The size of the last packet is known.
        pub measured: Bit,
    }

    /// State of a flow in the pass's memory.
    pub struct FlowState {
        /// Account.
        pub account: Account,
        /// Slack, signed.
        pub slack: Bits<28>,
        /// The flow sends too little of its rate for samples to raise it.
        pub limited: Bit,
        /// Charges without a packet when the flow was last granted anything.
        pub voids: Bits<8>,
    }

    /// Word that the doorbell writes.
    pub struct Post {
        /// Packets posted.
        pub posted: Bits<16>,
        /// Bytes released.
        pub released: Bits<32>,
        /// The accounts are to be cleared.
        pub drop: Bit,
    }

    /// Word that the charges write.
    pub struct Paid {
        /// Bytes charged.
        pub sum: Bits<32>,
        /// Packets charged.
        pub packets: Bits<9>,
        /// Wire bytes of the last packet.
        pub last: Bits<16>,
        /// The largest of the last packets, 512 bytes.
        pub largest: Bits<7>,
    }

    /// Part of the record.
    pub struct Config {
        /// Profile.
        pub profile: Bits<4>,
        /// Priority.
        pub priority: Bits<3>,
        /// Wire bytes of a packet.
        pub size: Bits<16>,
    }

    /// Conditions of the fate.
    pub struct Flags {
        /// The accounts are to be cleared.
        pub drop: Bit,
        /// Grants are uncharged.
        pub uncharged: Bit,
        /// Packets are waiting.
        pub backlog: Bit,
        /// The rate is 0, or 256 grants are uncharged.
        pub stuck: Bit,
        /// The flow is awake.
        pub awake: Bit,
        /// A grant waits.
        pub held: Bit,
    }

    /// Size of the backlog and of the last packet.
    pub struct Logs {
        /// Logarithm of the backlog in packets, at most 5.
        pub last: Bits<3>,
        /// Two to the power of that are the whole backlog.
        pub exact: Bit,
        /// The size of the last packet is known.
        pub measured: Bit,
    }

    /// Fate that a flow's account allows.
    pub struct Verdict {
        /// A train of two to the power of this is within backlog and bound.
        pub most: Bits<3>,
        /// Logarithm of the backlog in packets, at most 5.
        pub last: Bits<3>,
        /// Two to the power of that are the whole backlog.
        pub exact: Bit,
        /// The accounts are cleared, and the flow sleeps.
        pub clear: Bit,
        /// Nothing is waiting, and the flow sleeps.
        pub empty: Bit,
        /// The bound is reached, and the flow sleeps.
        pub bounded: Bit,
        /// The flow is looked at again a little later.
        pub again: Bit,
        /// The flow may send when its time comes.
        pub send: Bit,
        /// The state stays as it was.
        pub keep: Bit,
        /// The flow starts to send after its idle time.
        pub starts: Bit,
        /// Grants are uncharged, so that the deficit may shrink before time fills it.
        pub waits: Bit,
        /// A grant waits.
        pub held: Bit,
    }

    /// Numbers of a pass from clock 2 to 16.
    pub struct Kept {
        /// Rate.
        pub rate: Bits<30>,
        /// Bytes charged, low bits.
        pub sent: Bits<25>,
        /// Bytes released.
        pub released: Bits<32>,
        /// Packets granted.
        pub granted: Bits<16>,
        /// The flow was granted something since its accounts were cleared.
        pub started: Bit,
    }

    /// Account as the bucket settled it.
    pub struct Settled {
        /// Tokens, signed.
        pub tokens: Bits<51>,
        /// Base of the outstanding bytes.
        pub base: Bits<32>,
        /// The size of the last packet is known.
        pub measured: Bit,
    }

    /// Slack before a pass.
    pub struct Slacked {
        /// Slack, 2^-2 ns, signed.
        pub slack: Bits<28>,
        /// Conditions of the new slack.
        pub flags: SlackFlags,
    }

    /// Conditions of the new slack.
    pub struct SlackFlags {
        /// The flow was limited.
        pub limited: Bit,
        /// The flow was granted something since its accounts were cleared.
        pub started: Bit,
    }

    /// Slack at a pass, before what it grants.
    pub struct NewSlack {
        /// Slack, 2^-2 ns, signed.
        pub slack: Bits<28>,
        /// The flow is limited.
        pub limited: Bit,
    }

    /// Charges without a packet.
    pub struct Voids {
        /// When the flow was last granted anything.
        pub granted: Bits<8>,
        /// Now.
        pub now: Bits<8>,
    }

    /// Request to sleep, below its flow in the queue.
    pub struct Asked {
        /// Packets granted.
        pub granted: Bits<16>,
        /// Bytes released.
        pub released: Bits<32>,
        /// Cause, `timely_model::pacer::doorbell::Sleep`.
        pub why: Bits<2>,
    }
}
