//! The token bucket of a flow on an event-level host, as the hardware's pacer keeps it
//! (`timely_model::pacer::token`), in floating point.
//!
//! The pacer looks at a bucket when a packet is due or the flow wakes up, and at no other time. So
//! a decrease counts from the last pass on, an increase from this one. TIMELY's queue hangs on
//! that: with each rate in force from its ACK on, senders of short segments leave less of a queue
//! than the hardware does, and an incast rests at another delay.
use crate::time::Ps;

/// A part of a wire byte below which a bucket counts as not in debt: f64's rounding.
const NOTHING: f64 = 1e-6;

/// A bucket.
#[derive(Debug)]
pub struct Bucket {
    // Wire bytes, may be a fraction; in debt below 0.
    tokens: f64,
    settled: Ps,
    // Rate of the pass before, Mb/s.
    used: f64,
    asleep: bool,
}

impl Bucket {
    /// The bucket of a flow that starts at this time and rate: its first packet is due at once.
    pub fn new(start: Ps, mbps: f64) -> Self {
        Bucket { tokens: 0.0, settled: start, used: mbps, asleep: true }
    }

    /// A pass at `now`, of a flow of this rate that may save `cap` bytes; gives the time until the
    /// next packet is due.
    pub fn pass(&mut self, now: Ps, mbps: f64, cap: u64) -> Ps {
        let cap = if self.asleep { 0.0 } else { cap as f64 };
        self.tokens = cap.min(self.tokens + mbps.min(self.used) / 8e6 * (now - self.settled) as f64);
        (self.settled, self.used, self.asleep) = (now, mbps, false);
        if self.tokens >= -NOTHING { 0 } else { (-self.tokens * 8e6 / mbps).ceil() as Ps }
    }

    /// A packet of so many wire bytes leaves.
    pub fn pay(&mut self, wire: u64) {
        self.tokens -= wire as f64;
    }

    /// The flow has nothing to send, or may not: what it saves until its next pass is lost.
    pub fn sleep(&mut self) {
        self.asleep = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::US;

    /// 1,000 bytes at 1,000 Mb/s last 8 us: a rise in between waits for the next pass, a fall does
    /// not.
    #[test]
    fn rates_count_from_pass_to_pass() {
        let mut b = Bucket::new(0, 1000.0);
        assert_eq!(b.pass(0, 1000.0, 3000), 0);
        b.pay(1000);
        assert_eq!(b.pass(0, 1000.0, 3000), 8 * US);
        assert_eq!(b.pass(8 * US, 2000.0, 3000), 0);
        b.pay(1000);
        assert_eq!(b.pass(8 * US, 2000.0, 3000), 4 * US);
        // 4 us at 500 Mb/s are 250 bytes; 750 more at that rate.
        assert_eq!(b.pass(12 * US, 500.0, 3000), 12 * US);
    }

    /// A flow that waits for the wire saves up to its cap, one that sleeps saves nothing.
    #[test]
    fn a_sleeping_flow_saves_nothing() {
        for (sleeps, due) in [(false, 2), (true, 1)] {
            let mut b = Bucket::new(0, 1000.0);
            if sleeps {
                b.sleep();
            }
            b.pass(0, 1000.0, 1000);
            if sleeps {
                b.sleep();
            }
            let mut packets = 0;
            while b.pass(100 * US, 1000.0, 1000) == 0 {
                b.pay(1000);
                packets += 1;
            }
            assert_eq!(packets, due, "sleeps: {sleeps}");
        }
    }
}
