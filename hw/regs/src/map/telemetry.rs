//! Filters of the recorded updates, and the histograms of the profiles.
use super::settings::{merged, telemetry as rows};
use super::{Access::*, Block, Kind, Register, Reset, bit, low, whole};
use crate::field::Field;
use crate::histogram::{BIN_BITS, BINS};
use crate::profile::PROFILES;

pub use rows::*;

/// Only this flow's updates.
pub const FILTER_FLOW: Field = low(16, "flow", "a flow");
/// Only that flow.
pub const FILTER_BY_FLOW: Field = bit(16, "by_flow", "only updates of `flow`");
/// Only this profile's updates.
pub const FILTER_PROFILE: Field = Field::new(0, 23, 20, "profile", "a profile");
/// Only that profile.
pub const FILTER_BY_PROFILE: Field = bit(24, "by_profile", "only updates of flows of `profile`");
/// Bins of a histogram.
pub const BINS_OF: Register =
    Register::new(Kind::Telemetry, 0x18, "HISTOGRAM_BINS", ReadOnly, "bins of a profile's histogram", &[whole("bins", "bins")])
        .reset(Reset::Value(BINS as u32));
/// A bin.
pub const INDEX_BIN: Field = low(BIN_BITS as u8, "bin", "a bin");
/// The profile that it belongs to.
pub const INDEX_PROFILE: Field = Field::new(0, 12, BIN_BITS as u8, "profile", "a profile");
/// The bin that is read next.
pub const HISTOGRAM_INDEX: Register = Register::new(
    Kind::Telemetry,
    0x1c,
    "HISTOGRAM_INDEX",
    ReadWrite,
    "the bin that HISTOGRAM_COUNT reads next; what was written last",
    &[INDEX_BIN, INDEX_PROFILE],
);
/// The count of that bin.
pub const HISTOGRAM_COUNT: Register = Register::new(
    Kind::Telemetry,
    0x20,
    "HISTOGRAM_COUNT",
    ReadOnly,
    "the bin's count, wrapping; each read goes on to the next bin",
    &[whole("count", "values")],
)
.reset(Reset::Live);
/// Clears histograms.
pub const HISTOGRAM_CLEAR: Register = Register::new(
    Kind::Telemetry,
    0x24,
    "HISTOGRAM_CLEAR",
    WriteOnly,
    "clears histograms, bin by bin, a bin in each clock without an update; what comes meanwhile is counted in the bins that are done",
    &[low(PROFILES as u8, "clear", "1 clears the histogram of the profile of that number")],
);
/// Histograms not cleared yet.
pub const HISTOGRAM_STATE: Register = Register::new(
    Kind::Telemetry,
    0x28,
    "HISTOGRAM_STATE",
    ReadOnly,
    "which histograms are not cleared yet",
    &[low(PROFILES as u8, "clearing", "1 the histogram of the profile of that number is being cleared, or waits for it")],
)
.reset(Reset::Live);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[BINS_OF, HISTOGRAM_INDEX, HISTOGRAM_COUNT, HISTOGRAM_CLEAR, HISTOGRAM_STATE];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Telemetry,
    name: "telemetry",
    version: 1,
    base: 0x680,
    meaning: "Event records of rate updates, and histograms of the signal (RTT, or what the profile takes in its place) by profile. The \
              counters of a flow are in its telemetry record.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
