//! The NIC's two times, ns48.fns16: the steady time, and the date.
mod date;
mod linear;
mod steady;

pub use date::Date;
pub use linear::Linear;
pub use steady::Steady;

use rust_hdl::prelude::*;

/// Counts `cfg_time_increment` (ns in Q8.24) a clock, exactly, and keeps a date beside that count.
///
/// - **`steady`** never steps and never slews: pacer, grant scheduler, rate engine, time-outs and
///   launch FIFO count on it. Reset puts it 131 us before its wrap ([`timely_model::time::START`]),
///   so that every run crosses the wrap early.
/// - **`date`** is `steady + offset` and starts at 0. Stamps are dates: arrivals, departures, and
///   the times that an ACK carries. With `cfg_time_ptp` each sample of `ptp_time`, without it each
///   set, makes a new offset, so the date goes either way, by any amount, at once. A correction of
///   [`timely_model::time::STEP`] (256 ns) or more is a step, and counts in `epoch`; a difference
///   of two dates is a duration only if both have the same epoch. A departure's stamp is older than
///   its report, so that for [`timely_model::time::SETTLE`] clocks behind a step `departed_epoch`
///   is another. Without samples the date runs as `steady` does.
///
/// Latency: an increment counts in the outputs [`timely_model::time::LATENCY`] clocks after it was
/// sampled, a sample of the date [`timely_model::time::DATE_LATENCY`] clocks, and the date is then
/// right at the clock at which it is visible, since the sample is compared with `steady` at the
/// sample's own clock. Throughput: a sample a clock. No back pressure. Model:
/// `timely_model::time::Time`.
#[derive(LogicBlock, Default)]
pub struct Time {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Increment a clock: ns, Q8.24.
    pub cfg_time_increment: Signal<In, Bits<32>>,
    /// PTP is the date's source; sets are ignored.
    pub cfg_time_ptp: Signal<In, Bit>,
    /// The date is set.
    pub time_set_valid: Signal<In, Bit>,
    /// Date to be, as of this clock, ns48.fns16.
    pub time_set_value: Signal<In, Bits<64>>,
    /// PTP gives its time.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP's time at this clock, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Lead of `later`, ns; it counts two clocks later.
    pub cfg_lead: Signal<In, Bits<16>>,
    /// The steady time, ns48.fns16.
    pub steady: Signal<Out, Bits<64>>,
    /// `steady` and the lead, the pacer's time.
    pub later: Signal<Out, Bits<64>>,
    /// The date, ns48.fns16.
    pub date: Signal<Out, Bits<64>>,
    /// `date - steady`, ns48.fns16: turns a launch into a date.
    pub offset: Signal<Out, Bits<64>>,
    /// Steps of the date since reset, modulo 4.
    pub epoch: Signal<Out, Bits<2>>,
    /// Steps of the date, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<Out, Bits<2>>,
    count: Steady,
    calendar: Date,
}

impl Time {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { count: Steady::new(), calendar: Date::new(), ..Default::default() }
    }
}

impl Logic for Time {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.clk.next = self.clk.val();
        self.count.rst.next = self.rst.val();
        self.count.cfg_time_increment.next = self.cfg_time_increment.val();
        self.count.cfg_lead.next = self.cfg_lead.val();
        self.calendar.clk.next = self.clk.val();
        self.calendar.rst.next = self.rst.val();
        self.calendar.valid.next = self.time_set_valid.val();
        self.calendar.wanted.next = self.time_set_value.val();
        if self.cfg_time_ptp.val() {
            self.calendar.valid.next = self.ptp_valid.val();
            self.calendar.wanted.next = self.ptp_time.val();
        }
        self.calendar.steady.next = self.count.steady.val();
        self.calendar.coming.next = self.count.coming.val();
        self.steady.next = self.count.steady.val();
        self.later.next = self.count.later.val();
        self.date.next = self.calendar.date.val();
        self.offset.next = self.calendar.offset.val();
        self.epoch.next = self.calendar.epoch.val();
        self.departed_epoch.next = self.calendar.departed_epoch.val();
    }
}
