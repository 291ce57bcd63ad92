//! The NIC-wide event counters: 32 bits each, wrapping; a block pulses its bit for one clock an
//! event.

/// The enum, and the table of names and meanings that documents come from, out of one list.
macro_rules! counters {
    ($($(#[doc = $meaning:literal])+ $name:ident = $index:literal,)+) => {
        /// A counted event; the discriminant is its bit on the pulse bus and its index in the
        /// counter page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Counter {
            $($(#[doc = $meaning])+ $name = $index,)+
        }

        /// Index, name and meaning of every counter.
        pub const TABLE: &[(u8, &str, &str)] = &[$(($index, stringify!($name), concat!($($meaning),+))),+];
    };
}

counters! {
    /// A frame arrived, of any kind.
    RxFrames = 0,
    /// A frame that is not ours.
    RxForeign = 1,
    /// The MAC marked it bad.
    RxBad = 2,
    /// A frame that ended before its headers, or before the lengths that they give.
    RxTruncated = 3,
    /// Ours by port, but its IP header has options, is a fragment, or contradicts the frame's
    /// length.
    RxBadIp = 4,
    /// Ours by port, but version or flags of our header are not defined.
    RxBadHeader = 5,
    /// A data packet of ours.
    RxData = 6,
    /// An ACK.
    RxAcks = 7,
    /// An ACK was sent.
    AcksSent = 8,
    /// A segment of a peer that is not allowed was not answered.
    AckRefusedPeer = 9,
    /// A segment was not answered that was not to our MAC, IP address, UDP port and VLAN, or not
    /// from another host's unicast address.
    AckRefusedAddress = 10,
    /// A segment was not answered because the ACK queue was full.
    AcksDropped = 11,
    /// An ACK of a segment that is not outstanding any more, or not yet.
    AckStale = 12,
    /// An ACK with a wrong nonce.
    AckForged = 13,
    /// An ACK of a segment that was acknowledged before.
    AckRepeated = 14,
    /// An ACK of a flow that does not exist or is not enabled.
    AckUnknownFlow = 15,
    /// A segment was not acknowledged in its profile's time.
    SegmentTimeouts = 16,
    /// An RTT sample found the engine's queue full.
    SamplesDropped = 17,
    /// A rate was computed.
    RateUpdates = 18,
    /// A data packet was handed to the MAC.
    TxFrames = 19,
    /// A grant left the pacer.
    Grants = 20,
    /// A doorbell of a disabled flow, or beyond what a flow may post.
    DoorbellsRefused = 21,
    /// A packet left the launch gate more than a microsecond after its launch, or its launch was
    /// farther ahead than LEAD can be and it left at once.
    LaunchesMissed = 22,
    /// A register access that no register answers.
    CsrErrors = 23,
    /// The heartbeat was lost.
    HeartbeatStops = 24,
    /// A segment's ACK never came, but that of a later one did.
    AcksSkipped = 25,
    /// The host wrote the rate of a flow whose law is not `fixed`.
    HostRatesRefused = 26,
    /// A host rate, an idle restart or a loaded flow found its queue at the rate engine full, or a
    /// sample that of DCQCN's reaction point; a CNP dropped periods that its flow was owed.
    EngineOverflows = 27,
    /// An accepted ACK claims a residence longer than its RTT.
    ResidenceAboveRtt = 28,
    /// An event record found its queue full. What DMA discards behind the queue, while it does not
    /// run with its ring, or in a form without DMA, counts nowhere: a gap in `sequence` tells.
    RecordsDropped = 29,
    /// A packet of the host's found no room in the packet store (with STORE_WAIT 1 it waits
    /// instead), its flow is not enabled, or its addresses are not the flow's.
    PacketsRefused = 30,
    /// A packet was too long or had a gap, its flow was loaded anew or disabled while it waited, or
    /// it came from the wire while the host took none.
    PacketsDiscarded = 31,
    /// A segment was not answered because ACKs had used up their share of the line.
    AckShareExceeded = 32,
    /// A segment was not answered because answering is not enabled.
    AcksDisabled = 33,
    /// An accepted ACK gave no RTT sample because the time stepped between its two stamps, or at
    /// most 4,096 clocks before the departure was reported.
    SamplesAcrossStep = 34,
    /// An accepted ACK gave no RTT sample because its segment's departure was not stamped.
    SamplesUnstamped = 35,
    /// A PAUSE frame of IEEE 802.3 came and was obeyed, also one of time 0.
    PauseFrames = 36,
    /// A PFC frame of 802.1Qbb came and was obeyed, also one of time 0.
    PfcFrames = 37,
    /// Pause frames had stopped a priority or more for another 256 clocks.
    PausedTime = 38,
    /// An ACK was sent that says its segment is incomplete.
    SegmentsIncomplete = 39,
    /// An ACK was sent that says segments of its flow were skipped before it.
    SegmentsSkipped = 40,
    /// An ACK was sent that says nothing about lost packets, because the responder's table does not
    /// know.
    LossUnknown = 41,
    /// A queue pair was learned from a packet that the host sends.
    PairsLearned = 42,
    /// A queue pair was set by a command that was not known.
    PairsSet = 43,
    /// A queue pair was removed by a command.
    PairsRemoved = 44,
    /// A queue pair was forgotten because no packet of it was seen for long.
    PairsAged = 45,
    /// A queue pair got no flow, for all are taken.
    PairsFull = 46,
    /// A queue pair was not inserted or not joined, for its buckets are full or its hash is taken.
    PairsCrowded = 47,
    /// A queue pair was not joined, for answers to its local one belong to another.
    PairsAmbiguous = 48,
    /// A queue pair was not learned, for too many waited; the next packet tries again.
    PairsPostponed = 49,
    /// A request of a queue pair was sent again.
    RequestsRepeated = 50,
    /// A request began another connection on a queue pair.
    RequestsRestarted = 51,
    /// No RTT sample: the request was sent twice (Karn's rule) or outlived its time-out.
    SamplesUnsure = 52,
    /// A NAK of a queue pair's receiver.
    NaksReceived = 53,
    /// A queue pair's receiver was not ready.
    ReceiversNotReady = 54,
    /// An answer to a request that is not under way.
    AnswersStray = 55,
    /// An ACK, NAK or READ response from the wire is of no queue pair that is joined.
    AnswersUnknown = 56,
    /// A congestion notification of a queue pair that is joined.
    CongestionNotified = 57,
    /// A frame from the wire is no well-formed RoCEv2 packet to its port, or its check sequence is
    /// wrong.
    PairsMalformed = 58,
    /// A congestion notification was sent in the host's place.
    NotificationsSent = 59,
    /// A packet arrived with CE whose queue pair is not joined, or that is not addressed to this
    /// port: it was not answered.
    MarksUnknown = 60,
    /// A packet arrived with CE while another notification was made, and is answered later; or
    /// within 4 clocks of another packet, and is not.
    MarksPostponed = 61,
    /// A queue pair was not charged in full for what its READ requests brought: it would have been
    /// held up for longer than half of the host's time-out.
    ReadsUncharged = 62,
}

/// Counters in use.
pub const COUNTERS: usize = TABLE.len();
/// Places on the pulse bus and in the counter page.
pub const PLACES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_numbered_without_gaps() {
        assert!(TABLE.iter().enumerate().all(|(i, c)| usize::from(c.0) == i) && COUNTERS <= PLACES);
    }
}
