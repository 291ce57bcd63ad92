//! The NIC's own time: ns48.fns16, and the same as seconds and nanoseconds.
mod correct;
mod count;
mod linear;

pub use correct::Correct;
pub use count::Count;
pub use linear::Linear;

use rust_hdl::prelude::*;

/// Adds `cfg_time_increment` (ns in Q8.24) a clock, exactly, and never steps backwards.
///
/// - Free-running, `time_set_valid` steps forward to `time_set_value`. A step backwards (2^47 ns or more ahead counts as one), a
///   second step less than [`timely_model::time::CORRECTION`] clocks after the first, and a step while PTP is the source are refused:
///   `refused` pulses and nothing changes.
/// - With `cfg_time_ptp`, the time keeps counting by itself and every sample of `ptp_time` that comes when no correction is under
///   way starts one: where PTP is ahead, the time steps forward; where PTP is behind, the time runs at half its speed until it is
///   right, for at most 128 ns before PTP is looked at again. So it is within a clock of PTP as long as the increment is right within
///   some percent and PTP does not jump backwards.
///
/// `now_sec` and `now_ns` follow every step; they do not wrap with `now`, so `now = now_sec * 10^9 + now_ns` modulo 2^48.
///
/// Latency: an increment counts in the outputs [`timely_model::time::LATENCY`] clocks after it was sampled, a step or the end of a
/// slew is visible before the next correction starts; a corrected time is right at the clock at which it is visible, since the offset
/// is added and not the time. No back pressure. After reset the time is 0.
/// Model: `timely_model::time::Time`.
#[derive(LogicBlock, Default)]
pub struct Time {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// What a clock adds: ns, Q8.24.
    pub cfg_time_increment: Signal<In, Bits<32>>,
    /// PTP is the source.
    pub cfg_time_ptp: Signal<In, Bit>,
    /// A time to step forward to is given.
    pub time_set_valid: Signal<In, Bit>,
    /// That time, ns48.fns16.
    pub time_set_value: Signal<In, Bits<64>>,
    /// PTP gives its time.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP's time at this clock, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// How far `later` is ahead, ns; it counts two clocks later.
    pub cfg_lead: Signal<In, Bits<16>>,
    /// The time, ns48.fns16.
    pub now: Signal<Out, Bits<64>>,
    /// The time and the lead, for who decides ahead: a launch that is here in it is a lead away.
    pub later: Signal<Out, Bits<64>>,
    /// Seconds of the time.
    pub now_sec: Signal<Out, Bits<48>>,
    /// Nanoseconds of the time in its second.
    pub now_ns: Signal<Out, Bits<30>>,
    /// A step was refused; one clock.
    pub refused: Signal<Out, Bit>,
    correct: Correct,
    count: Count,
}

impl Logic for Time {
    #[hdl_gen]
    fn update(&mut self) {
        self.correct.clk.next = self.clk.val();
        self.correct.rst.next = self.rst.val();
        self.correct.cfg_time_increment.next = self.cfg_time_increment.val();
        self.correct.cfg_time_ptp.next = self.cfg_time_ptp.val();
        self.correct.time_set_valid.next = self.time_set_valid.val();
        self.correct.time_set_value.next = self.time_set_value.val();
        self.correct.ptp_valid.next = self.ptp_valid.val();
        self.correct.ptp_time.next = self.ptp_time.val();
        self.correct.now.next = self.count.now.val();
        self.count.clk.next = self.clk.val();
        self.count.rst.next = self.rst.val();
        self.count.rate.next = self.correct.rate.val();
        self.count.step_ns.next = self.correct.step_ns.val();
        self.count.step_fraction.next = self.correct.step_fraction.val();
        self.count.step_sec.next = self.correct.step_sec.val();
        self.count.step_rest.next = self.correct.step_rest.val();
        self.now.next = self.count.now.val();
        self.count.lead.next = self.cfg_lead.val();
        self.later.next = self.count.later.val();
        self.now_sec.next = self.count.now_sec.val();
        self.now_ns.next = self.count.now_ns.val();
        self.refused.next = self.correct.refused.val();
    }
}
