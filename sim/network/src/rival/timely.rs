//! TIMELY as two well-known simulators run it: both differ from the paper and from the authors'
//! code.
use crate::fabric::control::{Answer, Controller};
use crate::time::Ps;
use timely_regs::parameters::Parameters;

/// Increases after which HPCC's code takes the large step.
const SMALL_STEPS: u32 = 5;
/// Least and most of the line that CoNEXT'16's code lets a flow have.
const PART: (f64, f64) = (0.01, 0.96);

/// Least and greatest rate that this code lets a flow have on a line of so many Mb/s.
pub(super) fn limits(mbps: f64) -> (f64, f64) {
    (PART.0 * mbps, PART.1 * mbps)
}

/// A rate held within such limits.
pub(super) fn share(rate: f64, limits: (f64, f64)) -> f64 {
    rate.clamp(limits.0, limits.1)
}

/// Law that both simulators compute.
#[derive(Clone, Debug)]
struct Law {
    p: Parameters,
    rate: f64,
    last: Option<f64>,
    difference: f64,
}

enum Change {
    Rise,
    Fall(f64),
}

impl Law {
    // An RTT, us; `None` for the first, which changes nothing.
    fn sample(&mut self, rtt: f64) -> Option<Change> {
        let p = &self.p;
        let last = self.last.replace(rtt)?;
        self.difference = (1.0 - p.alpha) * self.difference + p.alpha * (rtt - last);
        let gradient = self.difference / p.min_rtt_us;
        Some(if rtt < p.t_low_us {
            Change::Rise
        } else if rtt > p.t_high_us {
            Change::Fall(1.0 - p.beta * (1.0 - p.t_high_us / rtt))
        } else if gradient <= 0.0 {
            Change::Rise
        } else {
            Change::Fall((1.0 - p.beta * gradient).max(0.0))
        })
    }
}

/// Window of HPCC's modes `..._vwin`: at line rate the bandwidth-delay product, at another rate its
/// part of that. A packet may leave while less payload than the window is unanswered, so that at
/// least one is.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Bandwidth-delay product of the line and the base RTT, from a packet's first bit.
    pub bytes: f64,
    /// Rate of the line, Mb/s.
    pub mbps: f64,
    /// Payload bytes of a packet.
    pub payload: u32,
    /// Wire bytes of a packet.
    pub wire: u32,
}

impl Window {
    // Wire bytes of the packets that may be unanswered at this rate.
    fn at(&self, mbps: f64) -> u32 {
        let packets = (self.bytes * mbps / self.mbps / f64::from(self.payload)).ceil().max(1.0);
        (packets * f64::from(self.wire)) as u32
    }
}

/// HPCC's ns-3: every packet is answered and stamped when it begins to leave, so its own
/// serialization counts; one update an RTT; five increases in a row are small, the further ones
/// large; it starts at line rate.
#[derive(Clone, Debug)]
pub struct Hpcc {
    law: Law,
    window: Option<Window>,
    increases: u32,
    until: u32,
}

impl Hpcc {
    /// A new flow, with or without a window; the large step is the hyperactive one of `p`.
    pub fn new(p: &Parameters, window: Option<Window>) -> Self {
        let law = Law { p: p.clone(), rate: p.greatest_mbps, last: None, difference: 0.0 };
        Hpcc { law, window, increases: 0, until: 0 }
    }
}

impl Controller for Hpcc {
    fn answer(&mut self, a: &Answer) {
        // An update when what was sent at the last one is answered.
        if (a.acked.wrapping_sub(self.until) as i32) <= 0 {
            return;
        }
        self.until = a.sent;
        let p = self.law.p.clone();
        match self.law.sample(a.rtt as f64 / 1e6) {
            None => {}
            Some(Change::Rise) => {
                let factor = if self.increases < SMALL_STEPS { 1.0 } else { p.hyperactive_factor };
                self.law.rate = (self.law.rate + factor * p.additive_step_mbps).min(p.greatest_mbps);
                self.increases += 1;
            }
            Some(Change::Fall(by)) => {
                self.law.rate = (self.law.rate * by).max(p.least_mbps);
                self.increases = 0;
            }
        }
    }

    fn timeout(&mut self, _: Ps) {
        self.law.rate = (self.law.rate / 2.0).max(self.law.p.least_mbps);
    }

    fn rate(&self) -> f64 {
        self.law.rate
    }

    fn window(&self) -> Option<u32> {
        self.window.map(|w| w.at(self.law.rate))
    }
}

/// CoNEXT'16's ns-3: an update for each burst, stamped when it is made and less one packet's
/// serialization, no hyperactive increase, a rate within 1 to 96 % of the line.
#[derive(Clone, Debug)]
pub struct Conext {
    law: Law,
    limits: (f64, f64),
    packet_us: f64,
}

impl Conext {
    /// A new flow on a line of so many Mb/s that takes so many us for a packet.
    pub fn new(p: &Parameters, mbps: f64, packet_us: f64) -> Self {
        let limits = limits(mbps);
        let rate = p.initial_mbps.clamp(limits.0, limits.1);
        // The first RTT is held against a packet's serialization, so that it counts as a rise.
        Conext { law: Law { p: p.clone(), rate, last: Some(packet_us), difference: 0.0 }, limits, packet_us }
    }
}

impl Controller for Conext {
    fn answer(&mut self, a: &Answer) {
        let rtt = (a.rtt as f64 / 1e6 - self.packet_us).max(0.0);
        let step = self.law.p.additive_step_mbps;
        let rate = match self.law.sample(rtt) {
            None => return,
            Some(Change::Rise) => self.law.rate + step,
            Some(Change::Fall(by)) => self.law.rate * by,
        };
        self.law.rate = rate.clamp(self.limits.0, self.limits.1);
    }

    fn timeout(&mut self, _: Ps) {
        self.law.rate = (self.law.rate / 2.0).max(self.limits.0);
    }

    fn rate(&self) -> f64 {
        self.law.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The study's sender takes its first RTT for a rise from a packet's serialization: between the
    /// thresholds it falls to its least rate at once.
    #[test]
    fn conext_answers_its_first_rtt() {
        let p = Parameters {
            t_low_us: 50.0,
            t_high_us: 500.0,
            beta: 0.8,
            alpha: 0.875,
            min_rtt_us: 20.0,
            initial_mbps: 5000.0,
            ..Parameters::authors_10g()
        };
        let first = |rtt_us: u64| {
            let mut flow = Conext::new(&p, 10_000.0, 0.8);
            flow.answer(&Answer { now: 0, rtt: rtt_us * 1_000_000, bytes: 0, packets: 0, marked: 0, lost: false, acked: 0, sent: 0 });
            flow.rate()
        };
        assert_eq!((first(40), first(60)), (5010.0, 100.0));
    }

    /// An update for every window of ten packets; five small steps, then large ones; a fall starts
    /// the count again.
    #[test]
    fn hpcc_takes_five_small_steps_and_then_large_ones() {
        let p = Parameters { t_low_us: 50.0, t_high_us: 500.0, greatest_mbps: 9000.0, ..Parameters::authors_10g() };
        let mut hpcc = Hpcc::new(&p, None);
        hpcc.law.rate = 1000.0;
        let mut packet = 0;
        let mut window = |rtt_us: u64| {
            let before = hpcc.rate();
            for _ in 0..10 {
                packet += 1;
                let (acked, sent) = (packet * 1000, (packet + 9) * 1000);
                hpcc.answer(&Answer { now: 0, rtt: rtt_us * 1_000_000, bytes: 1000, packets: 1, marked: 0, lost: false, acked, sent });
            }
            (hpcc.rate() - before).round()
        };
        assert_eq!(window(10), 0.0, "the first one has nothing to compare with");
        let steps: Vec<f64> = (0..8).map(|_| window(10)).collect();
        assert_eq!(steps, [10.0, 10.0, 10.0, 10.0, 10.0, 50.0, 50.0, 50.0]);
        assert!(window(1000) < -400.0);
        assert_eq!([window(10), window(10)], [10.0, 10.0]);
    }
}
