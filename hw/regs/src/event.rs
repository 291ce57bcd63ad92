//! The event record: sixteen 32-bit words, one a rate update; [`FIELDS`] is its layout.
//!
//! A record holds the update's inputs (`kind`, `signal`, `hops`, `endpoint`, `argument`, `before`)
//! and its results, so that the profile and the record alone are enough to compute the update
//! again. `before` is the law's state, which only the rate engine and its model can read. The first
//! and the last word are the same number: where they differ, or `version` is not [`VERSION`], the
//! record is not all there.
use crate::field::Field;

/// Words of a record.
pub const WORDS: usize = 16;
/// Bytes of a record, in a ring and in a file; words are little-endian.
pub const BYTES: usize = 4 * WORDS;
/// Words of the law's state.
pub const STATE_WORDS: usize = 5;
/// The layout described here, as a record names it.
pub const VERSION: u32 = 1;

/// Number of the record.
pub const SEQUENCE: Field =
    Field::new(0, 31, 0, "sequence", "number of the record, from 0 after reset, wrapping; a record that was dropped leaves a gap");
/// Time, lower half.
pub const TIME_LOW: Field = Field::new(1, 31, 0, "time_low", "time of the update, ns48.fns16, bits 31 to 0");
/// Time, upper half.
pub const TIME_HIGH: Field = Field::new(2, 31, 0, "time_high", "time of the update, bits 63 to 32");
/// Flow.
pub const FLOW: Field = Field::new(3, 15, 0, "flow", "flow");
/// The flow's profile.
pub const PROFILE: Field = Field::new(3, 19, 16, "profile", "its profile");
/// The law of the profile.
pub const LAW: Field = Field::new(3, 23, 20, "law", "law of that profile when the record was made, as the profile names it");
/// The event that the update answered.
pub const KIND: Field = Field::new(
    3,
    26,
    24,
    "kind",
    "what was answered: 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart, 5 RTT whose ACK told of a loss, and the rate fell by that, 6 a CNP or a timer of DCQCN, 7 a NAK of a queue pair",
);
/// The branch that decided.
pub const BRANCH: Field = Field::new(3, 29, 27, "branch", "what decided, as the telemetry record's `last_branch` names it");
/// Hyperactive.
pub const HYPERACTIVE: Field = Field::new(3, 30, 30, "hyperactive", "the increase was a hyperactive one");
/// The signal.
pub const SIGNAL: Field = Field::new(4, 23, 0, "signal", "RTT or what the profile takes in its place, ns");
/// Hops.
pub const HOPS: Field = Field::new(
    4,
    31,
    24,
    "hops",
    "TTL as sent less TTL as received; of kind 6 what was done: bit 0 a CNP lowered the rate, 1 alpha decayed, 2 the rate was raised, 3 by the hyper step; 7..4 steps that the target rose by",
);
/// Residence.
pub const ENDPOINT: Field = Field::new(5, 23, 0, "endpoint", "time in the responder, ns");
/// Layout.
pub const RECORD_VERSION: Field = Field::new(5, 31, 24, "version", "1: the layout described here").range(VERSION, VERSION);
/// Argument.
pub const ARGUMENT: Field = Field::new(
    6,
    31,
    0,
    "argument",
    "steady time of the sample or time-out, ns, low 32 bits; of kind host rate the rate that was asked for",
);
/// Rate before.
pub const RATE_BEFORE: Field = Field::new(7, 31, 0, "rate_before", "rate before the update, 2^-12 Mb/s");
/// Rate after.
pub const RATE: Field = Field::new(8, 31, 0, "rate", "rate after it");
/// The law's state.
pub const BEFORE: [Field; STATE_WORDS] = [
    Field::new(9, 31, 0, "before_0", "the law's state before the update; for the rate engine's model alone"),
    Field::new(10, 31, 0, "before_1", "the same"),
    Field::new(11, 31, 0, "before_2", "the same"),
    Field::new(12, 31, 0, "before_3", "the same"),
    Field::new(13, 31, 0, "before_4", "the same"),
];
/// The NIC.
pub const SOURCE: Field = Field::new(14, 15, 0, "source", "0; software that joins the records of several NICs writes the NIC's number");
/// The number again.
pub const SEQUENCE_AGAIN: Field = Field::new(15, 31, 0, "sequence_again", "`sequence` again");

/// The layout of a record; bits that no field covers are 0.
pub const FIELDS: &[Field] = &[
    SEQUENCE,
    TIME_LOW,
    TIME_HIGH,
    FLOW,
    PROFILE,
    LAW,
    KIND,
    BRANCH,
    HYPERACTIVE,
    SIGNAL,
    HOPS,
    ENDPOINT,
    RECORD_VERSION,
    ARGUMENT,
    RATE_BEFORE,
    RATE,
    BEFORE[0],
    BEFORE[1],
    BEFORE[2],
    BEFORE[3],
    BEFORE[4],
    SOURCE,
    SEQUENCE_AGAIN,
];

/// A record, as software names its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRecord {
    /// Number of the record, wrapping.
    pub sequence: u32,
    /// Time of the update, ns48.fns16.
    pub time: u64,
    /// Flow, below 2^16.
    pub flow: u32,
    /// The flow's profile.
    pub profile: u8,
    /// Law of the profile.
    pub law: u8,
    /// The event that the update answered.
    pub kind: u8,
    /// The branch that decided.
    pub branch: u8,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// The signal, ns, 24 bits.
    pub signal_ns: u32,
    /// TTL as sent less TTL as received.
    pub hops: u8,
    /// Time in the responder, ns, 24 bits.
    pub endpoint_ns: u32,
    /// Time of the sample or NAK, ns, low 32 bits; of kind host rate the rate that was asked for.
    pub argument: u32,
    /// Rate before, 2^-12 Mb/s.
    pub rate_before: u32,
    /// Rate after.
    pub rate: u32,
    /// The law's state before.
    pub before: [u32; STATE_WORDS],
    /// The NIC, where records of several are joined.
    pub source: u16,
}

/// Why sixteen words are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Another layout, or nothing was written there yet.
    Version(u32),
    /// The record's first and last word differ: one record was written over another.
    Torn {
        /// The first word.
        first: u32,
        /// The last word.
        last: u32,
    },
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Version(v) => write!(f, "its version is {v}, not {VERSION}"),
            Broken::Torn { first, last } => write!(f, "its number is {first} at its start and {last} at its end"),
        }
    }
}

impl std::error::Error for Broken {}

impl EventRecord {
    /// The record that the words hold.
    ///
    /// # Errors
    /// When they are of another version, or parts of two records.
    pub fn from_words(w: &[u32; WORDS]) -> Result<Self, Broken> {
        if RECORD_VERSION.get(w) != VERSION {
            return Err(Broken::Version(RECORD_VERSION.get(w)));
        }
        if SEQUENCE.get(w) != SEQUENCE_AGAIN.get(w) {
            return Err(Broken::Torn { first: SEQUENCE.get(w), last: SEQUENCE_AGAIN.get(w) });
        }
        Ok(EventRecord {
            sequence: SEQUENCE.get(w),
            time: u64::from(TIME_HIGH.get(w)) << 32 | u64::from(TIME_LOW.get(w)),
            flow: FLOW.get(w),
            profile: PROFILE.get(w) as u8,
            law: LAW.get(w) as u8,
            kind: KIND.get(w) as u8,
            branch: BRANCH.get(w) as u8,
            hyperactive: HYPERACTIVE.get(w) != 0,
            signal_ns: SIGNAL.get(w),
            hops: HOPS.get(w) as u8,
            endpoint_ns: ENDPOINT.get(w),
            argument: ARGUMENT.get(w),
            rate_before: RATE_BEFORE.get(w),
            rate: RATE.get(w),
            before: BEFORE.map(|f| f.get(w)),
            source: SOURCE.get(w) as u16,
        })
    }

    /// The words of the record; what does not fit a field is cut.
    pub fn to_words(&self) -> [u32; WORDS] {
        let mut w = [0; WORDS];
        let mut put = |f: Field, value: u32| w[usize::from(f.word)] |= value << f.low & f.mask();
        put(SEQUENCE, self.sequence);
        put(TIME_LOW, self.time as u32);
        put(TIME_HIGH, (self.time >> 32) as u32);
        put(FLOW, self.flow);
        put(PROFILE, self.profile.into());
        put(LAW, self.law.into());
        put(KIND, self.kind.into());
        put(BRANCH, self.branch.into());
        put(HYPERACTIVE, self.hyperactive.into());
        put(SIGNAL, self.signal_ns);
        put(HOPS, self.hops.into());
        put(ENDPOINT, self.endpoint_ns);
        put(RECORD_VERSION, VERSION);
        put(ARGUMENT, self.argument);
        put(RATE_BEFORE, self.rate_before);
        put(RATE, self.rate);
        for (field, value) in BEFORE.into_iter().zip(self.before) {
            put(field, value);
        }
        put(SOURCE, self.source.into());
        put(SEQUENCE_AGAIN, self.sequence);
        w
    }

    /// The record that these bytes hold.
    ///
    /// # Errors
    /// As [`EventRecord::from_words`].
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Result<Self, Broken> {
        Self::from_words(&std::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])))
    }

    /// The bytes of the record.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let words = self.to_words();
        std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_has_no_overlap() {
        crate::field::assert_layout(FIELDS, WORDS);
    }

    /// Every bit that a field covers, one at a time, through words and bytes.
    #[test]
    fn words_and_record_are_inverse() {
        let blank = EventRecord::default().to_words();
        for f in FIELDS.iter().filter(|f| ![SEQUENCE, SEQUENCE_AGAIN, RECORD_VERSION].contains(f)) {
            for bit in f.low..=f.high {
                let mut w = blank;
                w[usize::from(f.word)] |= 1 << bit;
                let record = EventRecord::from_words(&w).expect("whole");
                assert_eq!(record.to_words(), w, "{} bit {bit}", f.name);
                assert_eq!(EventRecord::from_bytes(&record.to_bytes()), Ok(record), "{} bit {bit}", f.name);
            }
        }
    }

    #[test]
    fn what_is_no_record_is_said_to_be_none() {
        let mut w = EventRecord { sequence: 7, ..Default::default() }.to_words();
        assert_eq!(EventRecord::from_words(&w).map(|r| r.sequence), Ok(7));
        w[15] = 8;
        assert_eq!(EventRecord::from_words(&w), Err(Broken::Torn { first: 7, last: 8 }));
        assert_eq!(EventRecord::from_words(&[0; WORDS]), Err(Broken::Version(0)));
        assert_eq!(EventRecord::from_bytes(&[0xff; BYTES]), Err(Broken::Version(255)));
    }
}
