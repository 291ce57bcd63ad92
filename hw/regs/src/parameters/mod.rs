//! A profile in human units, and how it becomes the words of [`crate::profile`].
//!
//! The conversion is host-side arithmetic, the only floating point on this side of the reference:
//! the driver and the tests use it, no block. A value that the hardware cannot hold is refused with
//! its range.
//!
//! ```
//! use timely_regs::parameters::Parameters;
//! use timely_regs::profile;
//!
//! let parameters = Parameters { beta: 0.5, ..Parameters::timely_10g(15.0) };
//! let words = parameters.quantise()?;
//! assert_eq!(profile::T_LOW.get(&words), 27_000); // ns
//! assert_eq!(profile::BETA.get(&words), 1 << 30); // Q.31
//!
//! let refused = Parameters { t_low_us: 300.0, ..parameters }.quantise().unwrap_err();
//! let text = "t_low_us is 300; allowed are 0 to 200: Tlow must not exceed Thigh";
//! assert_eq!(refused.to_string(), text);
//! # Ok::<(), timely_regs::parameters::ParameterError>(())
//! ```
mod named;
mod quantise;
mod rounding;

use crate::profile;
pub use named::NAMES;
pub use rounding::RoundedRate;

/// The control law, which sets the rate of a profile's flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LawKind {
    /// The host writes the rate; samples only produce events.
    Fixed = profile::LAW_FIXED as u8,
    /// TIMELY (SIGCOMM'15).
    Timely = profile::LAW_TIMELY as u8,
    /// Patched TIMELY (CoNEXT'16, Algorithm 2).
    Patched = profile::LAW_PATCHED as u8,
    /// Swift (SIGCOMM'20), its window as a rate.
    Swift = profile::LAW_SWIFT as u8,
    /// Patched TIMELY with the output of a PI controller on the delay in place of the error
    /// (CoNEXT'16, section 5.2).
    Pi = profile::LAW_PI as u8,
    /// DCQCN (SIGCOMM'15): marks lower the rate, a timer and a byte counter raise it.
    Dcqcn = profile::LAW_DCQCN as u8,
}

/// Where the measured round-trip time of a segment starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RttStart {
    /// The segment's last byte out.
    LastByteOut = 0,
    /// The segment's first byte out.
    FirstByteOut = 1,
    /// When the segment's first packet was eligible to send, so that queueing in the NIC shows.
    Eligible = 2,
}

/// The delay that the law takes for the RTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Signal {
    /// The RTT.
    Rtt = profile::SIGNAL_RTT as u8,
    /// The RTT less the time that the responder kept the packet.
    LessResidence = profile::SIGNAL_LESS_RESIDENCE as u8,
    /// One-way delay variation: how much longer the packet was on its way than the fastest of late,
    /// plus [`Parameters::signal_base_us`]. Queues in front of ACKs don't count.
    OneWay = profile::SIGNAL_ONE_WAY as u8,
}

impl Signal {
    /// The name of each signal in files.
    pub const NAMED: [(&str, Signal); 3] = [("rtt", Signal::Rtt), ("less_residence", Signal::LessResidence), ("one_way", Signal::OneWay)];
}

/// A profile in human units.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The control law.
    pub law: LawKind,
    /// Start of the RTT.
    pub rtt_start: RttStart,
    /// The delay that the law takes for the RTT.
    pub signal: Signal,
    /// [`Signal::OneWay`]: the signal of a packet that was not delayed, us. The unloaded RTT keeps
    /// the thresholds their meaning.
    pub signal_base_us: f64,
    /// Weight of a new RTT difference in the smoothed one, 1/256 to 1.
    pub alpha: f64,
    /// Multiplicative decrease, above 0 and at most 1.
    pub beta: f64,
    /// Below this RTT the rate always rises, us.
    pub t_low_us: f64,
    /// Above this RTT the rate always falls, us.
    pub t_high_us: f64,
    /// Delay by which smoothed differences are normalised, us.
    pub min_rtt_us: f64,
    /// Interval that a full additive step is for, us (the authors use `min_rtt_us`). Swift: the RTT
    /// at which a window of w packets is the rate of w packets an RTT.
    pub update_interval_us: f64,
    /// Additive step, Mb/s; the hardware holds a multiple of 2^-12.
    pub additive_step_mbps: f64,
    /// Negative differences in a row from which the increase is hyperactive, 1 to 7.
    pub hyperactive_after: u32,
    /// Factor of a hyperactive step.
    pub hyperactive_factor: f64,
    /// Hyperactive increase counts negative smoothed gradients (the paper's Algorithm 1) in place
    /// of raw differences (the authors' code).
    pub hyperactive_smoothed: bool,
    /// Steps are scaled by the time since the last update (the authors' code), else not (Algorithm
    /// 1).
    pub delta_factor: bool,
    /// A rate never falls below half of the old one (the authors' code).
    pub half_floor: bool,
    /// Smoothed differences up to this many ns, either sign, count as zero. The hardware's is never
    /// less than [`Parameters::effective_deadband_ns`] says, for its rounded filter cannot decay
    /// any further.
    pub deadband_ns: f64,
    /// Patched, PI: the delay at which the error is 0, us (CoNEXT'16: Tlow).
    pub reference_us: f64,
    /// Patched, PI: beta of the branch between the thresholds. `beta` is that above Thigh;
    /// CoNEXT'16 has .008 for both.
    pub error_beta: f64,
    /// PI: what an update adds to the controller's output by the error, relative to `reference_us`;
    /// an error counts for 131 us at most.
    pub integral_gain: f64,
    /// PI: what an update adds by the change of the delay, relative to `reference_us`; a change
    /// counts for 131 us at most.
    pub proportional_gain: f64,
    /// Swift: target of the fabric's delay, us, to which hops and flow scaling add.
    pub base_target_us: f64,
    /// Swift: what a hop adds to it, us; the hardware holds ns.
    pub hop_us: f64,
    /// Swift: the most that flow scaling adds to it (fs_range), us.
    pub flow_range_us: f64,
    /// Swift: window at which flow scaling adds all (fs_min_cwnd), packets.
    pub flow_least_packets: f64,
    /// Swift: window at which it adds nothing (fs_max_cwnd), packets.
    pub flow_most_packets: f64,
    /// Swift: bytes on the wire of a packet, in which windows are counted.
    pub packet_bytes: u32,
    /// Swift: target of the endpoint's delay, us.
    pub endpoint_target_us: f64,
    /// Swift: greatest decrease (max_mdf).
    pub max_decrease: f64,
    /// DCQCN: gain g of alpha, at most 1/4.
    pub alpha_gain: f64,
    /// DCQCN: least time from a CNP of a flow to the next, us.
    pub cnp_interval_us: f64,
    /// DCQCN: time without a CNP after which alpha decays, us.
    pub alpha_timer_us: f64,
    /// DCQCN: timer of a stage of increase, us.
    pub rate_timer_us: f64,
    /// DCQCN: acknowledged wire bytes of a stage of increase.
    pub byte_counter: u32,
    /// DCQCN: stages of fast recovery, 1 to 7.
    pub fast_stages: u32,
    /// DCQCN: hyper step, Mb/s, of which a stage adds as many as both counters are beyond fast
    /// recovery.
    pub hyper_step_mbps: f64,
    /// Rate of a newly loaded flow, Mb/s of wire bytes.
    pub initial_mbps: f64,
    /// A flow that was idle restarts at no more than this, Mb/s.
    pub idle_mbps: f64,
    /// Least rate, Mb/s.
    pub least_mbps: f64,
    /// Greatest rate, Mb/s: the line's.
    pub greatest_mbps: f64,
    /// Bound on outstanding wire bytes of a flow; 0 none.
    pub outstanding_bytes: u32,
    /// A segment unanswered for so long is given up, us; 0 never.
    pub timeout_us: f64,
    /// A flow that sent nothing for so long restarts, us; 0 never.
    pub idle_us: f64,
    /// Token cap of a backlogged flow, bytes.
    pub cap_bytes: u32,
    /// A flow that is so far behind 80 % of its rate's use, us, does not raise its rate until it
    /// has caught up; 0 it always may.
    pub use_window_us: f64,
    /// Share of the rate that a sample takes off when its ACK tells of lost packets, or a NAK, at
    /// most once in an RTT, 0 to 1; 0 nothing.
    pub loss_decrease: f64,
}

/// A parameter that the hardware cannot hold, or that contradicts another.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterError {
    /// Field of [`Parameters`].
    pub field: &'static str,
    /// The field's value.
    pub value: f64,
    /// Least allowed value.
    pub least: f64,
    /// Greatest allowed value.
    pub greatest: f64,
    /// Advice to the user.
    pub advice: &'static str,
}

impl std::fmt::Display for ParameterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ParameterError { field, value, least, greatest, advice } = self;
        write!(f, "{field} is {value}; allowed are {least} to {greatest}: {advice}")
    }
}

impl std::error::Error for ParameterError {}
