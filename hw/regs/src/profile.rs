//! The profile: thirty-two 32-bit words, sixteen profiles; [`FIELDS`] is its layout.
//!
//! Words 0 to 8 are read by several blocks. Words 9 to 28 are the rate engine's, in the fixed-point
//! form it computes with: [`crate::parameters`] makes them from human units, and names the
//! precision. A word may mean different things to different laws: Swift has its base target in Tlow
//! and the target of its endpoint delay in Thigh, DCQCN
//! periods in both. Word 29 belongs to the signal, 30 to the pacer,
//! 31 to losses. Rates are u32 in 2^-12 Mb/s; `Q.n` has n fraction bits.
use crate::field::Field;

/// Profiles.
pub const PROFILES: usize = 16;
/// Words of a profile.
pub const WORDS: usize = 32;
/// Bits of the rates that the pacer obeys, 262 Gb/s at most: it takes higher ones for the greatest
/// of them.
pub const PACED_BITS: u32 = 30;
/// The greatest rate that the pacer obeys, 2^-12 Mb/s.
pub const GREATEST_PACED: u32 = (1 << PACED_BITS) - 1;

/// The control law.
pub const LAW: Field =
    Field::new(0, 3, 0, "law", "0 fixed (the host writes the rate), 1 TIMELY, 2 Patched TIMELY, 3 Swift, 4 PI, 5 DCQCN").range(0, 5);
/// Selects the gradients that count for hyperactive increase.
pub const HAI_SMOOTHED: Field =
    Field::new(0, 4, 4, "hai_smoothed", "hyperactive increase counts smoothed gradients (else raw differences)");
/// No scaling by the time since the last update.
pub const NO_DELTA_FACTOR: Field = Field::new(0, 5, 5, "no_delta_factor", "no delta factor");
/// A floor of half the old rate.
pub const HALF_FLOOR: Field = Field::new(0, 6, 6, "half_floor", "an update never goes below half the old rate");
/// Where the RTT starts.
pub const RTT_START: Field =
    Field::new(0, 9, 8, "rtt_start", "start of the RTT: 0 last byte out, 1 first byte out, 2 eligible to send").range(0, 2);
/// The delay that the law takes for the RTT.
pub const SIGNAL: Field = Field::new(
    0,
    11,
    10,
    "signal",
    "what the law takes for the RTT: 0 the RTT, 1 the RTT less the responder's residence, 2 one-way delay variation",
)
.range(0, 2);
/// Bound of outstanding data.
pub const OUTSTANDING: Field = Field::new(
    1,
    29,
    0,
    "outstanding",
    "outstanding bound, wire bytes; 0 none; a segment that is longer, or a READ that is dearer, goes beyond it to its end, alone and packet by packet",
);
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
/// Tlow.
pub const T_LOW: Field = Field::new(9, 23, 0, "t_low_ns", "Tlow, ns; Swift: the target's base; DCQCN: least time from a CNP to the next");
/// Thigh.
pub const T_HIGH: Field =
    Field::new(10, 23, 0, "t_high_ns", "Thigh, ns; Swift: the endpoint delay's target; DCQCN: time without a CNP after which alpha decays");
/// The normalisation of Thigh.
pub const T_HIGH_ZEROS: Field = Field::new(10, 28, 24, "t_high_zeros", "leading zeros of Thigh as a 24-bit number").range(0, 23);
/// Alpha.
pub const ALPHA: Field = Field::new(11, 31, 0, "alpha", "weight of the newest RTT difference, Q.32; Swift: beta; DCQCN: gain of alpha");
/// The gradient deadband.
pub const DEADBAND: Field = Field::new(12, 19, 0, "deadband", "smoothed differences up to this, 2^-13 ns, count as zero");
/// Where the decrease by gradient saturates.
pub const GRADIENT_FULL: Field =
    Field::new(13, 24, 0, "gradient_full_ns", "minRTT / beta, ns, rounded up: smoothed differences from here on cut by all they may. Patched and PI: minRTT / 4, where the weight ends")
        .range(0, 1 << 24);
/// Beta over minRTT.
pub const GRADIENT_GAIN: Field = Field::new(
    14,
    29,
    0,
    "gradient_gain",
    "beta / minRTT: round(beta / minRTT[ns] * 2^(50 - 4 gradient_shift)); Patched and PI: with 4 for beta",
);
/// Normalisation of the gradient's gain.
pub const GRADIENT_SHIFT: Field = Field::new(
    14,
    31,
    30,
    "gradient_shift",
    "a quarter, rounded down, of the leading zeros of gradient_full_ns - 1 as a 24-bit number, at most 3",
);
/// Bits that a unit of it shifts by.
pub const GRADIENT_STEP: u32 = 4;
/// The interval of the delta factor.
pub const UPDATE_INTERVAL: Field =
    Field::new(15, 23, 0, "update_interval_ns", "T_upd: interval that a full additive step is for, ns; DCQCN: the rate timer");
/// Reciprocal of the interval.
pub const UPDATE_INVERSE: Field = Field::new(16, 29, 0, "update_inverse", "1 / T_upd: round(2^(48 - 6 update_shift) / T_upd[ns])");
/// The normalisation of the interval.
pub const UPDATE_SHIFT: Field =
    Field::new(16, 31, 30, "update_shift", "a sixth, rounded down, of the leading zeros of update_interval_ns as a 24-bit number");
/// Bits that a unit of it shifts by.
pub const UPDATE_STEP: u32 = 6;
/// The additive step.
pub const STEP: Field = Field::new(17, 23, 0, "step", "additive step, 2^-12 Mb/s");
/// The hyperactive step.
pub const HYPERACTIVE_STEP: Field =
    Field::new(18, 23, 0, "hyperactive_step", "hyperactive additive step, 2^-12 Mb/s; DCQCN: the hyper step");
/// When it applies.
pub const HYPERACTIVE_AFTER: Field =
    Field::new(18, 26, 24, "hyperactive_after", "negative differences in a row from which it applies; DCQCN: stages of fast recovery")
        .range(1, 7);
/// Beta.
pub const BETA: Field = Field::new(19, 31, 0, "beta", "multiplicative decrease, Q.31").range(0, 1 << 31);
/// Beta times Thigh.
pub const BETA_T_HIGH: Field = Field::new(20, 31, 0, "beta_t_high", "round(beta * (Thigh[ns] << t_high_zeros) * 2^8)");
/// Gain of the error.
pub const ERROR_GAIN: Field = Field::new(
    21,
    29,
    0,
    "error_gain",
    "Patched: b / Tref, round(b / Tref[ns] * 2^(48 - 4 error_shift)); PI: the integral gain, round(ki * b / Tref[ns] * 2^49)",
);
/// Normalisation of the error's gain.
pub const ERROR_SHIFT: Field = Field::new(
    21,
    31,
    30,
    "error_shift",
    "Patched: a quarter, rounded down, of the leading zeros of ceil(4 Tref / b) - 1 as a 24-bit number, at most 3; PI: not looked at",
);
/// Bits that a unit of it shifts by.
pub const ERROR_STEP: u32 = 4;
/// Tref.
pub const T_REF: Field = Field::new(22, 23, 0, "t_ref_ns", "Tref of Patched and PI, ns; DCQCN: the byte counter, bytes");
/// The proportional gain.
pub const PROPORTIONAL_GAIN: Field =
    Field::new(23, 24, 0, "proportional_gain", "PI: the proportional gain, round(kp * b / Tref[ns] * 2^40)").range(0, 1 << 24);
/// Target per hop.
pub const HOP: Field = Field::new(24, 14, 0, "hop_ns", "Swift: what a hop adds to the target, ns");
/// Flow scaling.
pub const FLOW_GAIN: Field = Field::new(
    25,
    31,
    0,
    "flow_gain",
    "Swift: flow scaling, beta * alpha * sqrt(packet / T_upd): round(that[ns, with the rate in its unit] * 2^(flow_shift - 3))",
);
/// Offset that is subtracted from flow scaling.
pub const FLOW_OFFSET: Field = Field::new(26, 31, 0, "flow_offset", "Swift: beta times what flow scaling is lowered by, 2^-13 ns");
/// Bound of flow scaling.
pub const FLOW_RANGE: Field = Field::new(27, 31, 0, "flow_range", "Swift: beta times the most that flow scaling adds, 2^-13 ns");
/// Greatest decrease.
pub const MAX_DECREASE: Field =
    Field::new(28, 26, 0, "max_decrease", "Swift: the greatest decrease of an update, and that of a time-out, Q.26").range(0, 1 << 26);
/// The normalisation of flow scaling.
pub const FLOW_SHIFT: Field =
    Field::new(28, 31, 28, "flow_shift", "Swift: half the leading zeros of the least rate at which flow scaling is below its bound");

/// Where one-way delay variation starts.
pub const SIGNAL_BASE: Field = Field::new(
    29,
    23,
    0,
    "signal_base_ns",
    "signal 2: what is added to the variation, ns; the unloaded RTT keeps thresholds their meaning",
);

/// When a flow counts as limited by its application.
pub const USE_WINDOW: Field = Field::new(
    30,
    23,
    0,
    "use_window_ns",
    "the rate of a flow does not grow from when it is this far behind 80 % of its use, ns, until it has caught up; 0 it may always",
);

/// Decrease by loss.
pub const LOSS_DECREASE: Field = Field::new(
    31,
    26,
    0,
    "loss_decrease",
    "decrease of the rate by a sample whose ACK tells of lost packets, or by a NAK, at most once in an RTT, Q.26; 0 none",
)
.range(0, 1 << 26);

/// The layout of a profile; bits that no field covers are 0.
pub const FIELDS: &[Field] = &[
    LAW,
    HAI_SMOOTHED,
    NO_DELTA_FACTOR,
    HALF_FLOOR,
    RTT_START,
    SIGNAL,
    OUTSTANDING,
    TIMEOUT_NS,
    IDLE_NS,
    TOKEN_CAP,
    INITIAL_RATE,
    RESTART_RATE,
    LEAST_RATE,
    GREATEST_RATE,
    T_LOW,
    T_HIGH,
    T_HIGH_ZEROS,
    ALPHA,
    DEADBAND,
    GRADIENT_FULL,
    GRADIENT_GAIN,
    GRADIENT_SHIFT,
    UPDATE_INTERVAL,
    UPDATE_INVERSE,
    UPDATE_SHIFT,
    STEP,
    HYPERACTIVE_STEP,
    HYPERACTIVE_AFTER,
    BETA,
    BETA_T_HIGH,
    ERROR_GAIN,
    ERROR_SHIFT,
    T_REF,
    PROPORTIONAL_GAIN,
    HOP,
    FLOW_GAIN,
    FLOW_OFFSET,
    FLOW_RANGE,
    MAX_DECREASE,
    FLOW_SHIFT,
    SIGNAL_BASE,
    USE_WINDOW,
    LOSS_DECREASE,
];

/// [`SIGNAL`]: the RTT.
pub const SIGNAL_RTT: u32 = 0;
/// [`SIGNAL`]: the RTT less the responder's residence.
pub const SIGNAL_LESS_RESIDENCE: u32 = 1;
/// [`SIGNAL`]: one-way delay variation.
pub const SIGNAL_ONE_WAY: u32 = 2;
/// log2 of the window, in ns, of the least one-way delay: it is the least of the window under way
/// and the one before. Clocks that drift apart by `r` bias the signal by
/// `r * 2^(ONE_WAY_WINDOW_BITS + 1)` ns at most: 1.7 us at 200 parts a million.
pub const ONE_WAY_WINDOW_BITS: usize = 22;

/// [`LAW`]: the host writes the rate.
pub const LAW_FIXED: u32 = 0;
/// [`LAW`]: TIMELY.
pub const LAW_TIMELY: u32 = 1;
/// [`LAW`]: Patched TIMELY.
pub const LAW_PATCHED: u32 = 2;
/// [`LAW`]: Swift.
pub const LAW_SWIFT: u32 = 3;
/// [`LAW`]: Patched TIMELY with a PI controller's output in place of the error.
pub const LAW_PI: u32 = 4;
/// [`LAW`]: DCQCN.
pub const LAW_DCQCN: u32 = 5;

/// Fraction bits of a rate in Mb/s, and of a step.
pub const RATE_FRACTION: u32 = 12;
/// Fraction bits of a smoothed RTT difference in ns.
pub const AVERAGE_FRACTION: u32 = 13;

#[cfg(test)]
mod tests {
    #[test]
    fn the_layout_has_no_overlap() {
        crate::field::assert_layout(super::FIELDS, super::WORDS);
    }
}
