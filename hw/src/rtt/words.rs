//! The packed words of the RTT block, by name.
#![allow(missing_docs, reason = "the derive's methods")]
use rust_hdl::prelude::*;

/// A flow: byte sums modulo 2^32, segment numbers modulo 2^16.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct FlowWord {
    /// Charged bytes of all ended segments.
    pub sent: Bits<32>,
    /// `sent` as it was at the end of the last segment released.
    pub released: Bits<32>,
    /// One past the last ended segment.
    pub following: Bits<16>,
    /// One past the last segment released.
    pub acked: Bits<16>,
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
