//! The one-way delay as a flow's signal: its excess over the least of late, as the NIC's RTT block
//! measures it (`timely_model::rtt::signal`).
use crate::time::Ps;
use std::collections::VecDeque;
use timely_regs::profile::ONE_WAY_WINDOW_BITS;

/// One-way delays of a flow.
#[derive(Debug)]
pub(super) struct OneWay {
    // The signal of a packet that was not delayed.
    base: Ps,
    // Of each segment whose ACK is under way: where it ends in the payload, and when the first bit
    // of its last packet reached the receiver.
    arrivals: VecDeque<(u32, Ps)>,
    kept: Option<Least>,
}

#[derive(Clone, Copy, Debug)]
struct Least {
    // Number of the window that has the newest ACK.
    window: u64,
    // Of that window and the one before.
    least: i64,
    // Of that window alone.
    current: i64,
}

impl OneWay {
    /// A flow of which nothing is known; `base` is the signal without any delay.
    pub fn new(base: Ps) -> Self {
        OneWay { base, arrivals: VecDeque::new(), kept: None }
    }

    /// The last packet of the segment that ends here reaches the receiver.
    pub fn arrived(&mut self, end: u32, at: Ps) {
        self.arrivals.push_back((end, at));
    }

    /// The signal of the ACK for the segment that ends here, which left at `start`; `now` is when
    /// the ACK arrives.
    pub fn signal(&mut self, end: u32, start: Ps, now: Ps) -> Ps {
        let mut arrival = start;
        // ACKs of the segments before were lost.
        while let Some((of, at)) = self.arrivals.pop_front_if(|s| end.wrapping_sub(s.0) < 1 << 31) {
            if of == end {
                arrival = at;
            }
        }
        let delay = arrival as i64 - start as i64;
        let window = (now / 1000) >> ONE_WAY_WINDOW_BITS;
        let (least, current) = match self.kept {
            Some(k) if k.window == window => (k.least.min(delay), k.current.min(delay)),
            Some(k) if k.window + 1 == window => (k.current.min(delay), delay),
            _ => (delay, delay),
        };
        self.kept = Some(Least { window, least, current });
        self.base + (delay - least) as Ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MS;

    /// A delay counts over the least of its window and the one before, and no longer.
    #[test]
    fn the_least_is_of_two_windows_at_most() {
        let mut o = OneWay::new(1000);
        let mut of = |end: u32, at: Ps, delay: Ps| {
            o.arrived(end, at + delay);
            o.signal(end, at, at + delay)
        };
        assert_eq!([of(1, 0, 500), of(2, MS, 700), of(3, 2 * MS, 400)], [1000, 1200, 1000]);
        // Windows of 4.2 ms: the second one has 600 and is held against 400, the third against 600.
        assert_eq!([of(4, 5 * MS, 600), of(5, 9 * MS, 900), of(6, 13 * MS, 900)], [1200, 1300, 1000]);
        assert_eq!(of(7, 40 * MS, 5000), 1000);
    }
}
