//! The profile: thirty-two 32-bit words, sixteen profiles; [`FIELDS`] is its layout.
//!
//! Words 0 to 8 are read by several blocks; the rest are the rate engine's. Rates are u32 in 2^-12 Mb/s.
use crate::field::Field;

/// Profiles.
pub const PROFILES: usize = 16;
/// Words of a profile.
pub const WORDS: usize = 32;

/// The control law.
pub const LAW: Field =
    Field::new(0, 3, 0, "law", "0 fixed (the host writes the rate), 1 TIMELY, 2 Patched TIMELY, 3 Swift, 4 PI").range(0, 4);
/// Which gradients count for hyperactive increase.
pub const HAI_SMOOTHED: Field =
    Field::new(0, 4, 4, "hai_smoothed", "hyperactive increase counts smoothed gradients (else raw differences)");
/// No scaling by the time since the last update.
pub const NO_DELTA_FACTOR: Field = Field::new(0, 5, 5, "no_delta_factor", "no delta factor");
/// A floor of half the old rate.
pub const HALF_FLOOR: Field = Field::new(0, 6, 6, "half_floor", "an update never goes below half the old rate");
/// Where the RTT starts.
pub const RTT_START: Field =
    Field::new(0, 9, 8, "rtt_start", "start of the RTT: 0 last byte out, 1 first byte out, 2 eligible to send").range(0, 2);
/// Bound of outstanding data.
pub const OUTSTANDING: Field = Field::new(1, 23, 0, "outstanding", "outstanding bound, wire bytes; 0 none");
/// Segment time-out.
pub const TIMEOUT_NS: Field = Field::new(2, 30, 0, "timeout_ns", "segment time-out, ns; 0 none");
/// Idle time after which a flow restarts.
pub const IDLE_NS: Field = Field::new(3, 30, 0, "idle_ns", "idle time after which a flow restarts, ns; 0 never");
/// Token cap while backlogged.
pub const TOKEN_CAP: Field = Field::new(4, 19, 0, "token_cap", "token cap while backlogged, bytes");
/// Initial rate.
pub const INITIAL_RATE: Field = Field::new(5, 31, 0, "initial_rate", "rate of a new flow");
/// Idle-restart rate.
pub const RESTART_RATE: Field = Field::new(6, 31, 0, "restart_rate", "idle-restart rate");
/// Least rate.
pub const LEAST_RATE: Field = Field::new(7, 31, 0, "least_rate", "least rate");
/// Greatest rate.
pub const GREATEST_RATE: Field = Field::new(8, 31, 0, "greatest_rate", "greatest rate");

/// The layout of a profile; bits that no field covers are 0.
pub const FIELDS: &[Field] = &[
    LAW,
    HAI_SMOOTHED,
    NO_DELTA_FACTOR,
    HALF_FLOOR,
    RTT_START,
    OUTSTANDING,
    TIMEOUT_NS,
    IDLE_NS,
    TOKEN_CAP,
    INITIAL_RATE,
    RESTART_RATE,
    LEAST_RATE,
    GREATEST_RATE,
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_layout_has_no_overlap() {
        crate::field::assert_layout(super::FIELDS, super::WORDS);
    }
}
