//! The packed words of round-trip times, by name.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

/// A flow's word that its requests write.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct SentWord {
    /// A request was seen.
    pub known: Bit,
    /// The newest PSN, those of responses included.
    pub newest: Bits<24>,
    /// PSN of the timed packet.
    pub timed: Bits<24>,
    /// Number of its timing.
    pub timing: Bits<4>,
    /// The timed packet may have been sent twice.
    pub unsure: Bit,
    /// When it was sent, units of 32 ns; of a packet that took another one's place, when that was.
    pub since: Bits<27>,
    /// The timed packet took the place of one that was sent twice.
    pub replaced: Bit,
    /// Data had a payload above so many bytes: so the path MTU is.
    pub above_256: Bit,
    pub above_512: Bit,
    pub above_1024: Bit,
    pub above_2048: Bit,
    /// Turns with each connection that begins on the pair's number.
    pub connection: Bit,
}

/// Sizes that a payload, or a path MTU, is above; bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Sizes {
    pub above_256: Bit,
    pub above_512: Bit,
    pub above_1024: Bit,
    pub above_2048: Bit,
}

/// A flow's word that its answers write.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct DoneWord {
    /// Number of the newest timing that ended.
    pub timing: Bits<4>,
    /// Least path MTU by the payload of responses, 0 unknown.
    pub mtu: Bits<3>,
    /// An answer was seen, of this connection.
    pub heard: Bit,
    pub connection: Bit,
    /// The timing took longer than its time-out, while answers came.
    pub late: Bit,
}

/// The start of a flow's timing.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct TimedStart {
    /// ns in Q.8.
    pub at: Bits<40>,
    /// Steps of the time before it.
    pub epoch: Bits<2>,
    /// Number of the timing.
    pub timing: Bits<4>,
    /// There is one.
    pub valid: Bit,
}

/// Kind of an operation on what a flow's requests leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct RequestKind {
    /// A request that asks for an answer, or another one.
    pub asks: Bit,
    pub request: Bit,
    /// A READ request.
    pub read: Bit,
    /// Nothing that was sent before counts any more.
    pub forget: Bit,
    /// A frame, whether it is a request or not.
    pub frame: Bit,
}

/// Kind of an operation on what a flow's answers leave; with none of the bits there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct AnswerKind {
    pub ack: Bit,
    pub nak: Bit,
    pub not_ready: Bit,
    pub response: Bit,
    /// The packet that is timed gets no sample.
    pub forget: Bit,
    /// The flow's turn to be looked at.
    pub turn: Bit,
}

packed! {
    /// A PSN, whose low bits are those of the window.
    pub struct Psn {
        pub low: Bits<18>,
        pub high: Bits<6>,
    }

    /// Place of a frame in the tag table: flow and high bits of its timing.
    pub struct Place {
        pub flow: Bits<14>,
        pub timing_high: Bits<2>,
    }

    /// Number of a timing.
    pub struct Timing {
        pub low: Bits<2>,
        pub high: Bits<2>,
    }
}
