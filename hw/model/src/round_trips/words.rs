//! Inputs and outputs of the block, and what it keeps of a flow.
use crate::bus::{Completion, FlowLoad, ProfileWrite, Sample};
use crate::rtt::ring::Stamp;

/// Bits of a packet sequence number (PSN).
pub const PSN_BITS: u32 = 24;

/// PSNs that are at most under way. A request less than so many behind the newest one is sent
/// again, and an answer may be to it; one that is up to so many ahead is new; others begin another
/// connection.
pub const WINDOW: i32 = 1 << 18;

/// Bits of the number of a flow's timings.
pub const TIMING_BITS: u32 = 4;

/// Most bits of a flow's number: a completion names flow and timing in 16 bits, and 2 more of the
/// timing beside them.
pub const MOST_FLOW_BITS: u32 = 14;

/// A request of a flow: data, or a READ request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The flow.
    pub flow: u32,
    /// Packet sequence number.
    pub psn: u32,
    /// A READ request, whose responses take as many sequence numbers as they have packets.
    pub read: bool,
    /// The packet asks for an ACK (AckReq). A READ request is answered in any case.
    pub asks: bool,
    /// Bytes of payload; of a READ request those that it asks for.
    pub bytes: u32,
}

/// A frame is offered to the MAC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Tag of its completion.
    pub tag: u16,
    /// Bytes on the wire: preamble, FCS and gap included.
    pub wire_bytes: u16,
    /// When it was eligible to leave, ns48.fns16.
    pub launch: u64,
    /// The request that it is, of a flow.
    pub request: Option<Request>,
}

/// Kind of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verb {
    /// ACK: all up to its PSN has arrived.
    #[default]
    Ack,
    /// NAK: go back to its PSN, or the queue pair is in error.
    Nak,
    /// The receiver was not ready (RNR NAK): again from its PSN, later.
    NotReady,
    /// READ response: all requests before its PSN have been answered.
    Response,
}

/// An answer to a flow arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The flow.
    pub flow: u32,
    /// Kind.
    pub verb: Verb,
    /// Packet sequence number.
    pub psn: u32,
    /// Bytes of payload.
    pub bytes: u16,
    /// When its first byte arrived, ns48.fns16.
    pub ts: u64,
}

/// Counted events, by their bit of `pulses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// A request was sent again.
    Repeated,
    /// A request began another connection.
    Restarted,
    /// No sample: the departure's stamp is missing.
    Unstamped,
    /// No sample: departure and arrival are stamped before and after a step of the time.
    AcrossStep,
    /// No sample: the timed packet was sent twice, and the answer may be of either (Karn's rule),
    /// or its answer waited behind others for longer than the time-out.
    Unsure,
    /// A NAK.
    Nak,
    /// A receiver was not ready.
    NotReady,
    /// An answer to a PSN that is not under way.
    Stray,
    /// A timed packet was not answered in its profile's time-out, nor did another answer come for
    /// as long, of a flow that had answers.
    TimedOut,
}

/// Inputs of the block at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A frame is offered to the MAC.
    pub sent: Option<Frame>,
    /// A frame departed.
    pub completion: Option<Completion>,
    /// An answer arrived.
    pub answer: Option<Answer>,
    /// A profile word is written.
    pub profile: Option<ProfileWrite>,
    /// A flow is loaded.
    pub flow: Option<FlowLoad>,
    /// Answers of a flow are known by another key from now on, or by none any more.
    pub joined: Option<u32>,
    /// Least path MTU of all flows: 1 to 5 for 256 to 4,096 bytes; 0: unknown.
    pub mtu: u8,
    /// ns a byte takes on the line, Q.16.
    pub ns_per_byte: u32,
    /// The time that time-outs count on, ns48.fns16: never steps.
    pub now: u64,
    /// Steps of the time that stamps are of, modulo 4.
    pub time_epoch: u8,
    /// Steps of the time, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: u8,
}

/// Outputs of the block at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// RAM is clear; before, nothing is accepted.
    pub swept: bool,
    /// To the engine.
    pub sample: Option<Sample>,
    /// Counted events, bit by [`Pulse`].
    pub pulses: u16,
}

/// A flow's word that its requests write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// A request was seen.
    pub known: bool,
    /// The newest PSN, those of responses included.
    pub newest: u32,
    /// PSN of the timed packet.
    pub timed: u32,
    /// Number of its timing.
    pub timing: u8,
    /// The timed packet may have been sent twice.
    pub unsure: bool,
    /// When it was sent, units of 32 ns; of a packet that took another one's place, when that was.
    pub since: u32,
    /// The timed packet took the place of one that was sent twice.
    pub replaced: bool,
    /// Least path MTU by the payload of data, 0 unknown.
    pub mtu: u8,
    /// Turns with each connection that begins on the pair's number.
    pub connection: bool,
}

/// A flow's word that its answers write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Number of the newest timing that ended.
    pub timing: u8,
    /// Least path MTU by the payload of responses, 0 unknown.
    pub mtu: u8,
    /// An answer was seen.
    pub heard: bool,
    /// The connection that it was of.
    pub connection: bool,
    /// The timing took longer than its time-out, while answers came: it gives no sample. Without a
    /// time-out: longer than the longest RTT, which its sample is then.
    pub late: bool,
}

/// The start of a flow's timing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Number of the timing.
    pub timing: u8,
    /// When the packet left.
    pub stamp: Stamp,
}

/// Distance from PSN `b` to `a`, with sign.
pub fn distance(a: u32, b: u32) -> i32 {
    (a.wrapping_sub(b) << (32 - PSN_BITS)) as i32 >> (32 - PSN_BITS)
}

/// The least path MTU of a packet with so many bytes of payload: 1 to 5 for 256 to 4,096 bytes.
pub fn mtu_of(bytes: u32) -> u8 {
    (8..12).map(|log| u8::from(bytes > 1 << log)).sum::<u8>() + 1
}

/// PSN of the last response to a READ request; an MTU above 5 is 5.
pub fn last_response(psn: u32, bytes: u32, mtu: u8) -> u32 {
    let packets = (bytes.wrapping_sub(1) & (u32::MAX >> 1)) >> (7 + u32::from(mtu.min(5)));
    let packets = if bytes == 0 { 0 } else { packets };
    psn.wrapping_add(packets) & (u32::MAX >> (32 - PSN_BITS))
}
