//! A file of event records that stands alone: what a ring gave, behind the profiles that were in
//! force.
//!
//! All numbers are little-endian. 64 bytes: "TMLYEVNT", then in 32 bits each [`VERSION`], the NICs
//! recorded, profiles of a NIC, words of a profile; zeros. Then the profiles, NIC by NIC. Then
//! event records of 64 bytes, to the end of the file.
use crate::event::{self, Broken, EventRecord};
use crate::profile::{PROFILES, WORDS};

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"TMLYEVNT";
/// The format described here.
pub const VERSION: u32 = 2;
/// Bytes before the profiles.
pub const HEADER_BYTES: usize = 64;
/// Most NICs of a file: a record has 16 bits for the NIC's number.
pub const MOST_NICS: usize = 1 << 16;

/// The profiles of a NIC.
pub type Profiles = [[u32; WORDS]; PROFILES];

/// Bytes of the profiles of a NIC.
const PROFILE_BYTES: usize = 4 * WORDS * PROFILES;

/// Why bytes are no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The file does not start as one.
    Magic,
    /// The file is of a version that this software does not know.
    Version(u32),
    /// The header has an impossible number.
    Header {
        /// The objects that are counted.
        what: &'static str,
        /// The header's number of them.
        found: u32,
    },
    /// The file ends before its profiles do.
    NoProfiles {
        /// Bytes of the file.
        bytes: usize,
        /// Bytes up to the first record.
        needed: usize,
    },
    /// The file ends in the middle of a record.
    Truncated {
        /// Whole records before the end.
        records: usize,
        /// Bytes of the last one.
        bytes: usize,
    },
    /// A record is none.
    Record {
        /// Index of the record, from 0.
        index: usize,
        /// Why.
        why: Broken,
    },
    /// A record is of a NIC that the file has no profiles of.
    Source {
        /// Index of the record, from 0.
        index: usize,
        /// The NIC.
        source: u16,
        /// NICs of the file.
        nics: usize,
    },
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Magic => write!(f, "this is no file of event records: it does not start with \"TMLYEVNT\""),
            Error::Version(v) => write!(f, "the file is of version {v}, this software reads version {VERSION}"),
            Error::Header { what, found } => write!(f, "the file says it has {found} {what}, which cannot be"),
            Error::NoProfiles { bytes, needed } => {
                write!(f, "the file ends after {bytes} bytes, in its profiles; its first record would be at {needed}")
            }
            Error::Truncated { records, bytes } => {
                write!(f, "the file ends in the middle of a record: {bytes} of {} bytes after {records} whole ones", event::BYTES)
            }
            Error::Record { index, why } => write!(f, "record {index} is broken: {why}"),
            Error::Source { index, source, nics } => {
                write!(f, "record {index} is of NIC {source}, but the file has the profiles of {nics} NICs alone")
            }
        }
    }
}

impl std::error::Error for Error {}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The profiles in force, by NIC.
    pub profiles: Vec<Profiles>,
    /// The records, in the order of the file.
    pub records: Vec<EventRecord>,
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The bytes before the first record.
///
/// # Panics
/// With more than [`MOST_NICS`] NICs.
pub fn header(profiles: &[Profiles]) -> Vec<u8> {
    assert!(profiles.len() <= MOST_NICS, "{} NICs; a file holds {MOST_NICS} at most", profiles.len());
    let mut o = MAGIC.to_vec();
    for number in [VERSION, profiles.len() as u32, PROFILES as u32, WORDS as u32] {
        o.extend(number.to_le_bytes());
    }
    o.resize(HEADER_BYTES, 0);
    o.extend(profiles.iter().flatten().flatten().flat_map(|w| w.to_le_bytes()));
    o
}

impl Recording {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut o = header(&self.profiles);
        o.extend(self.records.iter().flat_map(EventRecord::to_bytes));
        o
    }

    /// The recording that a file holds.
    ///
    /// # Errors
    /// When it is none, or not whole.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < HEADER_BYTES || bytes[..MAGIC.len()] != MAGIC {
            return Err(Error::Magic);
        }
        if word(bytes, 8) != VERSION {
            return Err(Error::Version(word(bytes, 8)));
        }
        let nics = word(bytes, 12);
        for (what, found, most) in [("NICs", nics, 1..=MOST_NICS), ("profiles", word(bytes, 16), PROFILES..=PROFILES)] {
            if !most.contains(&(found as usize)) {
                return Err(Error::Header { what, found });
            }
        }
        if word(bytes, 20) != WORDS as u32 {
            return Err(Error::Header { what: "words in a profile", found: word(bytes, 20) });
        }
        let first = HEADER_BYTES + nics as usize * PROFILE_BYTES;
        let Some((head, records)) = bytes.split_at_checked(first) else {
            return Err(Error::NoProfiles { bytes: bytes.len(), needed: first });
        };
        let profiles = head[HEADER_BYTES..]
            .chunks_exact(PROFILE_BYTES)
            .map(|nic| std::array::from_fn(|p| std::array::from_fn(|w| word(nic, 4 * (p * WORDS + w)))))
            .collect();
        let (records, rest) = records.as_chunks::<{ event::BYTES }>();
        if !rest.is_empty() {
            return Err(Error::Truncated { records: records.len(), bytes: rest.len() });
        }
        let record = |(index, bytes): (usize, &[u8; event::BYTES])| {
            let r = EventRecord::from_bytes(bytes).map_err(|why| Error::Record { index, why })?;
            if u32::from(r.source) >= nics {
                return Err(Error::Source { index, source: r.source, nics: nics as usize });
            }
            Ok(r)
        };
        let records = records.iter().enumerate().map(record).collect::<Result<_, _>>()?;
        Ok(Recording { profiles, records })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Recording {
        let profiles = (0..2).map(|n| std::array::from_fn(|p| std::array::from_fn(|w| (n << 16 | p << 8 | w) as u32))).collect();
        let records = (0..5).map(|k| EventRecord { sequence: k, flow: k, source: k as u16 % 2, rate: 77 * k, ..Default::default() });
        Recording { profiles, records: records.collect() }
    }

    #[test]
    fn a_file_reads_as_written() {
        assert_eq!(Recording::from_bytes(&sample().to_bytes()), Ok(sample()));
    }

    /// Every shorter file is refused, but for those that end with a record; each kind of damage has
    /// its own word.
    #[test]
    fn broken_files_are_refused() {
        let bytes = sample().to_bytes();
        let first = HEADER_BYTES + 2 * PROFILE_BYTES;
        for end in 0..bytes.len() {
            let whole = end >= first && (end - first).is_multiple_of(event::BYTES);
            assert_eq!(Recording::from_bytes(&bytes[..end]).is_ok(), whole, "{end} bytes");
        }
        let with = |at: usize, value: u8| {
            let mut b = bytes.clone();
            b[at] = value;
            Recording::from_bytes(&b).expect_err("broken")
        };
        assert_eq!(with(0, 0), Error::Magic);
        assert_eq!(with(8, 3), Error::Version(3));
        assert_eq!(with(12, 0), Error::Header { what: "NICs", found: 0 });
        assert_eq!(with(14, 9), Error::Header { what: "NICs", found: 2 | 9 << 16 });
        assert_eq!(with(16, 17), Error::Header { what: "profiles", found: 17 });
        assert_eq!(with(20, 31), Error::Header { what: "words in a profile", found: 31 });
        assert_eq!(with(12, 200), Error::NoProfiles { bytes: bytes.len(), needed: HEADER_BYTES + 200 * PROFILE_BYTES });
        assert_eq!(with(first + 64, 9), Error::Record { index: 1, why: Broken::Torn { first: 9, last: 1 } });
        assert_eq!(with(first + 64 + 56, 2), Error::Source { index: 1, source: 2, nics: 2 });
    }
}
