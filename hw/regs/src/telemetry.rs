//! The telemetry record of a flow: thirty-two 32-bit words; [`FIELDS`] is its layout.
//!
//! Four groups: what was sent (words 0 to 3), what came back (4 to 13, and 15), what the engine
//! made of it (16 to 24), what it was too busy for (25). Word 14 is when it was read. Each group is
//! of one clock, so `updates` is always the sum of the branches. All counters wrap. A load without
//! `keep` clears the record.
use crate::field::Field;

/// Words of a record.
pub const WORDS: usize = 32;
/// Fraction bits of [`RTT_SMOOTHED`].
pub const SMOOTHED_FRACTION: u32 = 8;

/// Packets sent.
pub const PACKETS: Field = Field::new(0, 31, 0, "packets", "data packets handed to the MAC");
/// Wire bytes sent, lower part.
pub const WIRE_BYTES_LOW: Field = Field::new(1, 31, 0, "wire_bytes_low", "their wire bytes, bits 31 to 0");
/// Wire bytes sent, upper part.
pub const WIRE_BYTES_HIGH: Field = Field::new(2, 15, 0, "wire_bytes_high", "their wire bytes, bits 47 to 32");
/// Segments sent.
pub const SEGMENTS: Field = Field::new(3, 31, 0, "segments", "segments whose last packet was handed to the MAC");
/// RTTs measured.
pub const SAMPLES: Field = Field::new(4, 31, 0, "samples", "RTTs measured");
/// Time-outs.
pub const TIMEOUTS: Field = Field::new(5, 31, 0, "timeouts", "time-outs that the engine was told of");
/// Least RTT.
pub const RTT_MIN: Field = Field::new(6, 23, 0, "rtt_min", "least RTT, ns; only if `measured`");
/// There was an RTT.
pub const MEASURED: Field = Field::new(6, 31, 31, "measured", "an RTT was measured since the record was cleared");
/// Last RTT.
pub const RTT_LAST: Field = Field::new(7, 23, 0, "rtt_last", "last RTT, ns; only if `measured`");
/// Smoothed RTT.
pub const RTT_SMOOTHED: Field =
    Field::new(8, 31, 0, "rtt_smoothed", "smoothed RTT (by 1/8 a sample), 2^-8 ns; only if `measured`; see `smooth`");
/// ACKs accepted.
pub const ACKS: Field = Field::new(9, 31, 0, "acks", "ACKs that released a segment, with an RTT or without");
/// ACKs of segments that are not outstanding.
pub const STALE: Field = Field::new(10, 31, 0, "acks_stale", "ACKs of segments that were not outstanding any more, or not yet");
/// ACKs of segments that were acknowledged before.
pub const REPEATED: Field = Field::new(11, 31, 0, "acks_repeated", "ACKs of segments that were acknowledged before");
/// ACKs with a wrong nonce, or from another host.
pub const FORGED: Field = Field::new(12, 31, 0, "acks_forged", "ACKs with a wrong nonce, or from another host");
/// When the last RTT was measured.
pub const SAMPLED_AT: Field = Field::new(
    13,
    31,
    0,
    "sampled_at",
    "steady time when the last RTT was measured, 2^10 ns, wrapping after 73 minutes; only if `measured`",
);
/// When the record was read.
pub const READ_AT: Field =
    Field::new(14, 31, 0, "read_at", "steady time when the record was read, 2^10 ns; less `sampled_at`, the age of the last RTT");
/// Segments that lost packets.
pub const LOST: Field = Field::new(
    15,
    31,
    0,
    "lost",
    "segments that lost packets, as the ACKs of RTTs told, of more than 63 that followed one another 63; NAKs of a queue pair",
);
/// Events of the engine.
pub const UPDATES: Field = Field::new(16, 31, 0, "updates", "times that the engine set the rate; the sum of the branches");
/// Updates by branch.
pub const BRANCHES: [Field; 5] = [
    Field::new(17, 31, 0, "below_tlow", "of these, because the RTT was below Tlow"),
    Field::new(18, 31, 0, "above_thigh", "because it was above Thigh"),
    Field::new(19, 31, 0, "gradient_increase", "increased by the gradient"),
    Field::new(20, 31, 0, "gradient_decrease", "decreased by the gradient"),
    Field::new(21, 31, 0, "other", "others: time-out, loss, load, host, idle restart; decreases of Swift that wait; DCQCN"),
];
/// Hyperactive steps.
pub const HYPERACTIVE: Field = Field::new(22, 31, 0, "hyperactive", "increases that were hyperactive");
/// Rate.
pub const RATE: Field = Field::new(23, 31, 0, "rate", "rate since the last update, 2^-12 Mb/s");
/// Branch of the last update.
pub const LAST_BRANCH: Field = Field::new(
    24,
    2,
    0,
    "last_branch",
    "branch of the last update: 0 `below_tlow`, 1 `above_thigh`, 2 `gradient_increase`, 3 `gradient_decrease`, 4 `other` (no law), 5 `held` (Swift is above a target and decreased less than an RTT ago), which counts in `other`",
);
/// Kind of the last update.
pub const LAST_KIND: Field = Field::new(24, 6, 4, "last_kind", "what the last update answered, as the engine's events name it");

/// Samples superseded.
pub const SUPERSEDED: Field = Field::new(
    25,
    31,
    0,
    "superseded",
    "RTTs and time-outs that the engine never took, because newer ones of the flow came before its turn",
);

/// The layout of a record; bits that no field covers are 0.
pub const FIELDS: &[Field] = &[
    PACKETS,
    WIRE_BYTES_LOW,
    WIRE_BYTES_HIGH,
    SEGMENTS,
    SAMPLES,
    TIMEOUTS,
    RTT_MIN,
    MEASURED,
    RTT_LAST,
    RTT_SMOOTHED,
    ACKS,
    STALE,
    REPEATED,
    FORGED,
    SAMPLED_AT,
    READ_AT,
    LOST,
    UPDATES,
    BRANCHES[0],
    BRANCHES[1],
    BRANCHES[2],
    BRANCHES[3],
    BRANCHES[4],
    HYPERACTIVE,
    RATE,
    LAST_BRANCH,
    LAST_KIND,
    SUPERSEDED,
];

/// The RTT smoothed by one more sample, both in 2^-8 ns: `(7 old + sample) / 8`, rounded to
/// nearest, halves up.
///
/// The first sample of a record is taken as it is.
pub const fn smooth(old: u32, sample: u32) -> u32 {
    ((7 * old as u64 + sample as u64 + 4) >> 3) as u32
}

/// The RTTs of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rtts {
    /// Least, ns.
    pub min_ns: u32,
    /// Last, ns.
    pub last_ns: u32,
    /// Smoothed, 2^-8 ns.
    pub smoothed_q8: u32,
}

/// A record, as software names its parts. Counters wrap: compare two records by wrapping
/// subtraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TelemetryRecord {
    /// Data packets handed to the MAC.
    pub packets: u32,
    /// Wire bytes of those packets, 48 bits.
    pub wire_bytes: u64,
    /// Segments whose last packet was handed to the MAC.
    pub segments: u32,
    /// RTTs measured.
    pub samples: u32,
    /// Time-outs that the engine was told of.
    pub timeouts: u32,
    /// `None` until one was measured.
    pub rtt: Option<Rtts>,
    /// ACKs that released a segment.
    pub acks: u32,
    /// ACKs of segments that were not outstanding.
    pub stale: u32,
    /// ACKs of segments that were acknowledged before.
    pub repeated: u32,
    /// ACKs with a wrong nonce, or from another host.
    pub forged: u32,
    /// Steady time when the last RTT was measured, 2^10 ns.
    pub sampled_at: u32,
    /// Steady time when the record was read, 2^10 ns.
    pub read_at: u32,
    /// Segments that lost packets, as the ACKs of RTTs told; NAKs of a queue pair.
    pub lost: u32,
    /// Times that the engine set the rate.
    pub updates: u32,
    /// Of these, by branch: below Tlow, above Thigh, gradient increase, gradient decrease, other.
    pub branches: [u32; BRANCHES.len()],
    /// Increases that were hyperactive.
    pub hyperactive: u32,
    /// Rate since the last update, 2^-12 Mb/s.
    pub rate: u32,
    /// Branch of the last update.
    pub last_branch: u8,
    /// Kind of the last update.
    pub last_kind: u8,
    /// Samples that the engine never took.
    pub superseded: u32,
}

impl TelemetryRecord {
    /// The record that the words hold. Every value of the words is one.
    pub fn from_words(w: &[u32; WORDS]) -> Self {
        TelemetryRecord {
            packets: PACKETS.get(w),
            wire_bytes: u64::from(WIRE_BYTES_HIGH.get(w)) << 32 | u64::from(WIRE_BYTES_LOW.get(w)),
            segments: SEGMENTS.get(w),
            samples: SAMPLES.get(w),
            timeouts: TIMEOUTS.get(w),
            rtt: (MEASURED.get(w) != 0).then(|| Rtts {
                min_ns: RTT_MIN.get(w),
                last_ns: RTT_LAST.get(w),
                smoothed_q8: RTT_SMOOTHED.get(w),
            }),
            acks: ACKS.get(w),
            stale: STALE.get(w),
            repeated: REPEATED.get(w),
            forged: FORGED.get(w),
            sampled_at: SAMPLED_AT.get(w),
            read_at: READ_AT.get(w),
            lost: LOST.get(w),
            updates: UPDATES.get(w),
            branches: BRANCHES.map(|f| f.get(w)),
            hyperactive: HYPERACTIVE.get(w),
            rate: RATE.get(w),
            last_branch: LAST_BRANCH.get(w) as u8,
            last_kind: LAST_KIND.get(w) as u8,
            superseded: SUPERSEDED.get(w),
        }
    }

    /// How long ago the last RTT was measured, us, to 1.024 us and modulo 73 minutes; `None` until
    /// one was.
    pub fn sample_age_us(&self) -> Option<f64> {
        self.rtt.map(|_| f64::from(self.read_at.wrapping_sub(self.sampled_at)) * 1.024)
    }

    /// The record without the times, to compare what was seen at different ones.
    pub fn timeless(self) -> Self {
        TelemetryRecord { sampled_at: 0, read_at: 0, ..self }
    }

    /// The words of the record.
    pub fn to_words(&self) -> [u32; WORDS] {
        let mut w = [0; WORDS];
        let mut put = |f: Field, value: u32| w[usize::from(f.word)] |= value << f.low & f.mask();
        put(PACKETS, self.packets);
        put(WIRE_BYTES_LOW, self.wire_bytes as u32);
        put(WIRE_BYTES_HIGH, (self.wire_bytes >> 32) as u32);
        put(SEGMENTS, self.segments);
        put(SAMPLES, self.samples);
        put(TIMEOUTS, self.timeouts);
        if let Some(r) = self.rtt {
            put(MEASURED, 1);
            put(RTT_MIN, r.min_ns);
            put(RTT_LAST, r.last_ns);
            put(RTT_SMOOTHED, r.smoothed_q8);
        }
        put(ACKS, self.acks);
        put(STALE, self.stale);
        put(REPEATED, self.repeated);
        put(FORGED, self.forged);
        put(SAMPLED_AT, self.sampled_at);
        put(READ_AT, self.read_at);
        put(LOST, self.lost);
        put(UPDATES, self.updates);
        for (field, value) in BRANCHES.into_iter().zip(self.branches) {
            put(field, value);
        }
        put(HYPERACTIVE, self.hyperactive);
        put(RATE, self.rate);
        put(LAST_BRANCH, self.last_branch.into());
        put(LAST_KIND, self.last_kind.into());
        put(SUPERSEDED, self.superseded);
        w
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_has_no_overlap() {
        crate::field::assert_layout(FIELDS, WORDS);
    }

    #[test]
    fn words_and_record_are_inverse() {
        // Every bit that a field covers, one at a time.
        for f in FIELDS {
            for bit in f.low..=f.high {
                let mut w = [0; WORDS];
                w[usize::from(f.word)] = 1 << bit;
                if [RTT_MIN, RTT_LAST, RTT_SMOOTHED].contains(f) {
                    assert_eq!(TelemetryRecord::from_words(&w).rtt, None, "{} without `measured`", f.name);
                    w[usize::from(MEASURED.word)] |= MEASURED.mask();
                }
                assert_eq!(TelemetryRecord::from_words(&w).to_words(), w, "{} bit {bit}", f.name);
            }
        }
    }

    #[test]
    fn smoothing_settles_on_a_constant() {
        for (start, target) in [(0, 20_000 << 8), (u32::MAX, 20_000 << 8), (5, 0), (0, u32::MAX)] {
            let end = (0..400).fold(start, |s, _| smooth(s, target));
            assert!(end.abs_diff(target) <= 4, "from {start} to {target} ends at {end}");
        }
        assert_eq!(smooth(800, 1600), 900);
    }
}
