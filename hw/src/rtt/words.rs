//! The packed words of the RTT block, by name.
#![allow(missing_docs, reason = "the derive's methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

/// A flow: byte sums modulo 2^32, segment numbers modulo 2^16.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct FlowWord {
    /// Charged bytes of all ended segments.
    pub sent: Bits<32>,
    /// `sent` as it was at the end of the last segment released, while something is awaited.
    pub released: Bits<32>,
    /// One past the last ended segment.
    pub following: Bits<16>,
    /// One past the last segment released, while something is awaited.
    pub acked: Bits<16>,
    /// A segment ended that is not released.
    pub awaits: Bit,
}

/// A segment's entry in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Entry {
    /// Flow.
    pub flow: Bits<16>,
    /// Low bits of the segment's number.
    pub segment: Bits<16>,
    /// Check that the ACK must echo.
    pub check: Bits<32>,
    /// Charged bytes of the flow up to the segment's end.
    pub sum: Bits<32>,
    /// Turn of the ring in which the place was given.
    pub generation: Bits<2>,
    /// A segment has the place.
    pub valid: Bit,
}

/// Start of a segment's RTT.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Start {
    /// ns in Q.8.
    pub at: Bits<40>,
    /// Steps of the time before it.
    pub epoch: Bits<2>,
    /// Turn of the ring in which the segment was given its place.
    pub generation: Bits<2>,
    /// The start is valid.
    pub valid: Bit,
}

/// Start that a segment's first frame gives, until the completion of its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct FirstStart {
    /// ns in Q.4.
    pub at: Bits<36>,
    /// Steps of the time before it.
    pub epoch: Bits<2>,
    /// Low bits of the segment's number.
    pub segment: Bits<6>,
    /// The start is valid.
    pub valid: Bit,
}

/// Purpose of a frame's completion.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// The start of a segment whose last frame is still to come.
    First,
    /// The start of the segment that the frame ends.
    Own,
    /// The frame ends a segment whose start is that of its first frame.
    OfFirst,
}

/// A frame on its way into the tag table.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Frame {
    /// Tag of the completion.
    pub tag: Bits<16>,
    /// Flow.
    pub flow: Bits<16>,
    /// Low bits of the segment's number.
    pub segment: Bits<6>,
    /// Place in the ring.
    pub place: Bits<16>,
    /// Turn of the ring.
    pub generation: Bits<2>,
    /// First of its segment.
    pub first: Bit,
    /// Last of its segment.
    pub last: Bit,
    /// Launch time, ns in Q.8.
    pub launch: Bits<40>,
}

/// An entry of the tag table.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Tag {
    /// Tag of the completion, whose low bits are the entry's place.
    pub tag: Bits<16>,
    /// Flow.
    pub flow: Bits<16>,
    /// Low bits of the segment's number.
    pub segment: Bits<6>,
    /// Place in the ring.
    pub place: Bits<16>,
    /// Turn of the ring.
    pub generation: Bits<2>,
    /// Purpose of the completion.
    pub gives: Gives,
    /// The stamp is the departure plus `value`; otherwise `value` alone.
    pub relative: Bit,
    /// ns in Q.8.
    pub value: Bits<40>,
}

packed! {
    /// Kind of an operation on a flow.
    pub struct Operation {
        pub ack: Bit,
        pub load: Bit,
        pub ended: Bit,
        pub turn: Bit,
    }

    /// A segment that ended, as it waits for its operation.
    pub struct Waiting {
        /// Flow.
        pub flow: Bits<16>,
        /// Low bits of the segment's number.
        pub segment: Bits<16>,
        /// Check that the ACK must echo.
        pub check: Bits<32>,
        /// Charged bytes of the segment.
        pub bytes: Bits<32>,
        /// Place in the ring.
        pub place: Bits<16>,
        /// Turn of the ring.
        pub generation: Bits<2>,
    }

    /// Options of a flow that operations look at.
    pub struct Settings {
        /// Profile.
        pub profile: Bits<4>,
        /// The flow exists.
        pub enable: Bit,
    }

    /// An ACK's byte of lost packets.
    pub struct LossByte {
        /// Segments skipped.
        pub skipped: Bits<6>,
        /// The segment: 1 complete, 2 incomplete.
        pub segment: Bits<2>,
    }

    /// Least one-way delays of a flow.
    pub struct Least {
        /// Least delay of the newest window and the one before, ns.
        pub least: Bits<32>,
        /// Least delay of the newest window, ns.
        pub current: Bits<32>,
        /// Number of the newest window.
        pub window: Bits<16>,
        /// There is one.
        pub valid: Bit,
    }

    /// A difference of byte sums.
    pub struct Bytes {
        /// Magnitude, if it is not negative.
        pub bytes: Bits<31>,
        /// The difference is below 0.
        pub negative: Bit,
    }

    /// A difference of segment numbers.
    pub struct Segments {
        /// Magnitude, if it is not negative.
        pub segments: Bits<15>,
        /// The difference is below 0.
        pub negative: Bit,
    }

    /// A difference of times in ns, Q.8.
    pub struct Span {
        /// Below 1 ns.
        pub fraction: Bits<8>,
        /// ns.
        pub ns: Bits<24>,
        /// Not 0: the difference is 2^24 ns or more.
        pub above: Bits<7>,
        /// The difference is below 0.
        pub negative: Bit,
    }

    /// A difference of delays, ns.
    pub struct Excess {
        /// ns.
        pub ns: Bits<24>,
        /// Not 0: the difference is 2^24 ns or more.
        pub above: Bits<7>,
        /// The difference is below 0.
        pub negative: Bit,
    }

    /// A sum of two times of 24 bits, ns.
    pub struct Sum {
        /// ns, modulo 2^24.
        pub ns: Bits<24>,
        /// The sum is 2^24 ns or more.
        pub carry: Bit,
    }
}
