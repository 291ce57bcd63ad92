//! DCQCN (Zhu et al., SIGCOMM'15): the sender's reaction point, and the parameters of all three
//! points.
//!
//! The switch marks ([`crate::marking::Marking`]), the receiver answers marks with CNPs at a pace
//! ([`Notification`]), and the sender cuts its rate at each CNP and recovers in stages that a timer
//! and a byte counter count.
use crate::fabric::control::{Answer, Controller};
use crate::time::{NEVER, Ps};

/// Parameters of DCQCN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Gain of alpha.
    pub gain: f64,
    /// Least time between two CNPs of a flow.
    pub cnp: Ps,
    /// CNPs come at multiples of that time from a flow's first packet alone, as in the simulator of
    /// "ECN or Delay".
    pub cnp_grid: bool,
    /// Time without a CNP after which alpha decays.
    pub alpha_timer: Ps,
    /// Timer of an increase stage.
    pub timer: Ps,
    /// Wire bytes of an increase stage.
    pub counter: u64,
    /// Stages of fast recovery.
    pub stages: u32,
    /// Additive increase (R_AI), Mb/s.
    pub increase_mbps: f64,
    /// Hyper increase, Mb/s.
    pub hyper_mbps: f64,
    /// Decrease by a loss, which DCQCN itself does not have: it is for networks that lose nothing.
    pub loss_decrease: f64,
}

impl Default for Parameters {
    /// The values of "ECN or Delay"; hyper increase, which its models leave out, is ten times the
    /// additive one there.
    fn default() -> Self {
        let us = crate::time::US;
        Parameters {
            gain: 1.0 / 256.0,
            cnp: 50 * us,
            cnp_grid: false,
            alpha_timer: 55 * us,
            timer: 55 * us,
            counter: 10_000_000,
            stages: 5,
            increase_mbps: 40.0,
            hyper_mbps: 400.0,
            loss_decrease: 0.0,
        }
    }
}

impl Parameters {
    /// The parameters of a profile of the hardware.
    pub fn of(p: &timely_regs::parameters::Parameters) -> Self {
        let of = |us: f64| crate::time::ps(us, crate::time::US);
        Parameters {
            gain: p.alpha_gain,
            cnp: of(p.cnp_interval_us),
            cnp_grid: false,
            alpha_timer: of(p.alpha_timer_us),
            timer: of(p.rate_timer_us),
            counter: p.byte_counter.into(),
            stages: p.fast_stages,
            increase_mbps: p.additive_step_mbps,
            hyper_mbps: p.hyper_step_mbps,
            loss_decrease: p.loss_decrease,
        }
    }
}

/// The receiver's notification point of one flow: a marked packet is answered at once, but for the
/// period after a CNP; of marks in that period one CNP comes at its end.
///
/// Periods on a fixed grid in place of these would make alpha, whose timer is longer than the
/// period, 9 % less than the fluid model's, and the stages beyond fast recovery 10 % more: with 10
/// flows 138 KB wait in place of 125.
#[derive(Clone, Copy, Debug)]
pub struct Notification {
    period: Ps,
    // End of the period after the last CNP.
    free: Ps,
    armed: bool,
    // CNPs are due at multiples of the period from here.
    grid: Option<Ps>,
}

impl Notification {
    /// A flow of which nothing has come.
    pub fn new(period: Ps, grid: bool) -> Self {
        Notification { period, free: 0, armed: false, grid: grid.then_some(NEVER) }
    }

    /// A packet has come; gives when the CNP that it asks for is due, if none is yet.
    pub fn came(&mut self, at: Ps, marked: bool) -> Option<Ps> {
        if let Some(start) = self.grid.as_mut().filter(|s| **s == NEVER) {
            *start = at;
        }
        if !marked || self.armed {
            return None;
        }
        self.armed = true;
        let due = at.max(self.free);
        Some(self.grid.map_or(due, |start| start + (due - start).next_multiple_of(self.period)))
    }

    /// The CNP has been sent.
    pub fn sent(&mut self, at: Ps) {
        (self.armed, self.free) = (false, at + self.period);
    }
}

/// DCQCN's sender of one flow.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    p: Parameters,
    limits: (f64, f64),
    rate: f64,
    target: f64,
    alpha: f64,
    // Deadlines; `NEVER` before the first CNP, for until then nothing is to recover. A loss and a
    // time-out set that of a stage too.
    alpha_at: Ps,
    stage_at: Ps,
    bytes: u64,
    by_bytes: u32,
    by_time: u32,
}

impl Dcqcn {
    /// A new flow within these limits, which starts at this rate, all Mb/s.
    pub fn new(p: Parameters, limits: (f64, f64), rate: f64) -> Self {
        let rate = rate.clamp(limits.0, limits.1);
        Dcqcn { p, limits, rate, target: rate, alpha: 1.0, alpha_at: NEVER, stage_at: NEVER, bytes: 0, by_bytes: 0, by_time: 0 }
    }

    // A stage has ended: the target rises by the stage that both counters are in, the rate goes
    // half the way to the target.
    fn recover(&mut self) {
        let (low, high) = (self.by_bytes.min(self.by_time), self.by_bytes.max(self.by_time));
        if low > self.p.stages {
            self.target += self.p.hyper_mbps * f64::from(low - self.p.stages);
        } else if high > self.p.stages {
            self.target += self.p.increase_mbps;
        }
        self.target = self.target.min(self.limits.1);
        self.rate = f64::midpoint(self.rate, self.target).clamp(self.limits.0, self.limits.1);
    }

    // The rate falls without a CNP, and is the target too: the old one would be back within five
    // stages. Timers and counters begin anew.
    fn give_up(&mut self, decrease: f64, now: Ps) {
        self.rate = (self.rate * (1.0 - decrease)).max(self.limits.0);
        self.target = self.rate;
        self.stage_at = now + self.p.timer;
        if self.alpha_at != NEVER {
            self.alpha_at = now + self.p.alpha_timer;
        }
        (self.bytes, self.by_bytes, self.by_time) = (0, 0, 0);
    }
}

impl Controller for Dcqcn {
    fn answer(&mut self, a: &Answer) {
        if a.lost && self.p.loss_decrease > 0.0 {
            self.give_up(self.p.loss_decrease, a.now);
        }
    }

    fn timeout(&mut self, now: Ps) {
        self.alpha = 1.0;
        self.give_up(0.5, now);
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn congestion(&mut self, now: Ps) {
        self.target = self.rate;
        self.rate = (self.rate * (1.0 - self.alpha / 2.0)).max(self.limits.0);
        self.alpha += self.p.gain * (1.0 - self.alpha);
        (self.alpha_at, self.stage_at) = (now + self.p.alpha_timer, now + self.p.timer);
        (self.bytes, self.by_bytes, self.by_time) = (0, 0, 0);
    }

    fn sent(&mut self, wire: u32) {
        if self.stage_at == NEVER {
            return;
        }
        self.bytes += u64::from(wire);
        if self.bytes >= self.p.counter {
            self.bytes -= self.p.counter;
            self.by_bytes += 1;
            self.recover();
        }
    }

    fn timer(&mut self, now: Ps) {
        if now >= self.alpha_at {
            self.alpha *= 1.0 - self.p.gain;
            self.alpha_at = now + self.p.alpha_timer;
        }
        if now >= self.stage_at {
            self.by_time += 1;
            self.stage_at = now + self.p.timer;
            self.recover();
        }
    }

    fn next_timer(&self) -> Ps {
        self.alpha_at.min(self.stage_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::US;

    fn flow() -> Dcqcn {
        Dcqcn::new(Parameters { counter: 10_000, ..Parameters::default() }, (10.0, 40_000.0), 40_000.0)
    }

    /// A CNP halves the rate while alpha is 1, and keeps the old rate as the target; alpha decays
    /// without CNPs.
    #[test]
    fn a_cnp_cuts_by_alpha() {
        let mut d = flow();
        assert_eq!((d.next_timer(), d.rate()), (NEVER, 40_000.0));
        d.congestion(100 * US);
        assert_eq!((d.rate, d.target, d.alpha, d.next_timer()), (20_000.0, 40_000.0, 1.0, 155 * US));
        d.timer(155 * US);
        assert_eq!((d.rate, d.alpha), (30_000.0, 255.0 / 256.0));
        d.congestion(160 * US);
        let alpha = 255.0 / 256.0;
        assert_eq!((d.rate, d.target, d.alpha), (30_000.0 * (1.0 - alpha / 2.0), 30_000.0, alpha * alpha + 1.0 / 256.0));
    }

    /// Five stages of fast recovery leave the target, the sixth adds 40 Mb/s, and when both
    /// counters are beyond five the steps are hyper.
    #[test]
    fn recovery_is_fast_then_additive_then_hyper() {
        let mut d = flow();
        d.congestion(0);
        d.congestion(0);
        let target = d.target;
        for stage in 1..=5 {
            d.timer(stage * 55 * US);
            assert_eq!(d.target, target);
        }
        assert!((d.rate - (target - (target - 10_000.0) / 32.0)).abs() < 1e-9);
        d.timer(6 * 55 * US);
        assert_eq!(d.target, target + 40.0);
        for _ in 0..5 {
            d.sent(10_000);
        }
        assert_eq!(d.target, target + 6.0 * 40.0);
        d.sent(10_000);
        assert_eq!(d.target, target + 6.0 * 40.0 + 400.0);
        d.congestion(7 * 55 * US);
        assert_eq!((d.by_bytes, d.by_time, d.bytes), (0, 0, 0));
    }

    /// A mark is answered at once, and at most once a period.
    #[test]
    fn cnps_are_paced() {
        let mut n = Notification::new(50 * US, false);
        assert_eq!(n.came(7 * US, false), None);
        assert_eq!(n.came(60 * US, true), Some(60 * US));
        assert_eq!(n.came(60 * US, true), None);
        n.sent(60 * US);
        assert_eq!(n.came(61 * US, false), None);
        assert_eq!(n.came(62 * US, true), Some(110 * US));
        n.sent(110 * US);
        assert_eq!(n.came(200 * US, true), Some(200 * US));
        // On the grid from the first packet, at 7 us.
        let mut n = Notification::new(50 * US, true);
        assert_eq!((n.came(7 * US, false), n.came(60 * US, true)), (None, Some(107 * US)));
        n.sent(107 * US);
        assert_eq!(n.came(108 * US, true), Some(157 * US));
    }
}
