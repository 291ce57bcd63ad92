//! The records on the buses that several blocks listen to (`docs/interfaces.md`), as values.
use timely_regs::{flow, telemetry};

/// A data frame that the generator hands to the MAC (`sent_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Tag of the frame's completion.
    pub tag: u16,
    /// Flow.
    pub flow: u32,
    /// Segment of the flow.
    pub segment: u32,
    /// The segment's nonce with its destination in it (`check`): what the ring keeps.
    pub nonce: u32,
    /// First packet of the segment.
    pub first: bool,
    /// Last packet of the segment.
    pub last: bool,
    /// Wire bytes of this frame.
    pub wire_bytes: u16,
    /// Charged wire bytes of the segment so far, this frame included: at least 1.
    pub segment_bytes: u32,
    /// With the last packet: the segment's place in the ring of departures.
    pub place: u16,
    /// With the last packet: the turn of the ring in which the place was given, modulo 4.
    pub generation: u8,
    /// When the packet was eligible to leave, ns48.fns16.
    pub launch: u64,
}

/// The tag of frames that are no data: their completions say nothing.
pub const TAG_NO_DATA: u16 = 0x7fff;

/// The departure of a frame (`c_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The frame's tag.
    pub tag: u16,
    /// When its first byte left, ns48.fns16.
    pub ts: u64,
}

/// An ACK as parsed (`a_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// Flow that it names.
    pub flow: u32,
    /// Place in the ring of departures that it echoes.
    pub place: u16,
    /// Segment that it names.
    pub segment: u32,
    /// Nonce that it echoes.
    pub nonce: u32,
    /// Digest of its source address.
    pub source: u32,
    /// When its first byte arrived, ns48.fns16.
    pub ts: u64,
    /// When the packet that it answers arrived at the responder, ns48.fns16 of the responder's
    /// clock.
    pub arrival: u64,
    /// When the ACK left there, ns48.fns16 of the responder's clock.
    pub departure: u64,
    /// TTL or hop limit that the packet left with.
    pub ttl_sent: u8,
    /// TTL with which the packet arrived.
    pub ttl_seen: u8,
    /// The ACK's byte of lost packets (`timely_regs::wire::Loss`).
    pub loss: u8,
}

/// A word on the profile bus (`pw_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileWrite {
    /// Profile, 0 to 15.
    pub profile: u8,
    /// Word of the profile.
    pub word: u8,
    /// The word's new value.
    pub data: u32,
}

/// A record on the flow bus (`fl_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowLoad {
    /// Flow.
    pub flow: u32,
    /// The flow's record, `timely_regs::flow`.
    pub record: [u32; flow::WORDS],
}

impl FlowLoad {
    /// The flow exists from now on.
    pub fn enable(&self) -> bool {
        flow::ENABLE.get(&self.record) != 0
    }

    /// The load keeps the flow's state.
    pub fn keep(&self) -> bool {
        flow::KEEP.get(&self.record) != 0
    }

    /// The flow's profile.
    pub fn profile(&self) -> u8 {
        flow::PROFILE.get(&self.record) as u8
    }
}

/// Kind of a [`Sample`]: an RTT was measured.
pub const KIND_RTT: u8 = 0;
/// Kind of a [`Sample`]: a segment was not acknowledged in time.
pub const KIND_TIMEOUT: u8 = 1;
/// Kind of a [`Sample`]: a NAK tells of a lost packet, and no RTT was measured.
pub const KIND_NAK: u8 = 2;
/// The longest RTT that a sample can state, ns; also that of a time-out.
pub const RTT_MAX: u32 = (1 << 24) - 1;
/// Hops of a sample at most: more are no path of a datacenter, so the ACK is wrong or lies.
pub const HOPS_MOST: u8 = 15;

/// A sample for the engine (`sample_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// [`KIND_RTT`], [`KIND_TIMEOUT`] or [`KIND_NAK`].
    pub kind: u8,
    /// Flow.
    pub flow: u32,
    /// The signal that the flow's profile chooses, ns, at most [`RTT_MAX`]: the RTT, unless it says
    /// otherwise.
    pub rtt_ns: u32,
    /// ns of the steady time at which the ACK was looked at, or of the time-out; the low 32 bits.
    pub now_ns: u32,
    /// TTL as sent minus TTL as received, from 0 to [`HOPS_MOST`]; 0 for a time-out.
    pub hops: u8,
    /// The responder's residence, ns, at most the RTT and [`RTT_MAX`]: one that is longer is not
    /// believed, and is 0, as for a time-out.
    pub endpoint_ns: u32,
    /// Segments that lost packets, of which its ACK tells, 0 to 64; 0 for a time-out.
    pub lost: u8,
}

/// [`Acked`]: it released a segment.
pub const ACK_ACCEPTED: u8 = 0;
/// [`Acked`]: its place in the ring of departures is not that of its segment.
pub const ACK_STALE: u8 = 1;
/// [`Acked`]: its segment was acknowledged before.
pub const ACK_REPEATED: u8 = 2;
/// [`Acked`]: its nonce is wrong.
pub const ACK_FORGED: u8 = 3;

/// The outcome of an ACK of a flow that exists (`acked_*`), a clock after the place of its
/// [`Sample`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acked {
    /// Flow.
    pub flow: u32,
    /// [`ACK_ACCEPTED`] to [`ACK_FORGED`].
    pub outcome: u8,
}

/// A flow's record is asked for (`query_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Flow.
    pub flow: u32,
    /// 4 bits that the answer gives back.
    pub tag: u8,
}

/// The record that was asked for (`answer_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Tag of its query.
    pub tag: u8,
    /// `timely_regs::telemetry`.
    pub record: [u32; telemetry::WORDS],
}

/// Bytes that are outstanding no more (`release_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Flow.
    pub flow: u32,
    /// Charged wire bytes, modulo 2^32.
    pub bytes: u32,
}

/// The charge for the packet that answers a flow's oldest uncharged grant (`charge_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Flow.
    pub flow: u32,
    /// Wire bytes; 0 if there was no packet, or one of a READ beyond its first.
    pub bytes: u16,
    /// The packet is its segment's last, so that what was charged up to it can be acknowledged.
    pub ends: bool,
}

/// A rate of a flow (`rate_*`, `host_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowRate {
    /// Flow.
    pub flow: u32,
    /// Rate, 2^-12 Mb/s.
    pub value: u32,
}

/// Branches that an [`Event`] can name.
pub const BRANCHES: usize = 5;

/// The engine's event for an operation (`event_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Flow.
    pub flow: u32,
    /// 0 below Tlow, 1 above Thigh, 2 gradient increase, 3 gradient decrease, 4 and up other.
    pub branch: u8,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// RTT, ns, 24 bits.
    pub rtt_ns: u32,
    /// Rate from now on.
    pub rate: u32,
    /// Kind, 3 bits, as the engine defines it.
    pub kind: u8,
    /// The law's state before: opaque, [`crate::engine::law::State::from_words`] reads it.
    pub before: [u32; 5],
    /// Rate before.
    pub rate_before: u32,
    /// Time of the sample, ns, or the rate that the host wrote; else 0.
    pub now_ns: u32,
    /// Hops of the sample.
    pub hops: u8,
    /// The responder's part of the sample, ns.
    pub endpoint_ns: u32,
    /// The flow's profile.
    pub profile: u8,
}
