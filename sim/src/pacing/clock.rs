//! The clock that everything on the kernel's side is stamped with, the CPU time of a thread, and
//! the gaps of the machine.
use super::stats::Quantiles;
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// ns since 1970, the clock of the kernel's arrival stamps.
pub fn now() -> u64 {
    at(ClockId::CLOCK_REALTIME)
}

/// A clock in ns; 0 where there is none.
pub fn at(clock: ClockId) -> u64 {
    clock_gettime(clock).map_or(0, |t| t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64)
}

/// CPU seconds that this thread has had, its own and the kernel's for it.
pub fn cpu_seconds() -> f64 {
    let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0.0, |u| seconds(u.user_time()) + seconds(u.system_time()))
}

/// CPU seconds that the machine has spent on interrupts, hard and soft, so far; in steps of 10 ms.
pub fn interrupt_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = text.lines().next().into_iter().flat_map(|l| l.split_whitespace().skip(6).take(2)).filter_map(|w| w.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Gaps between one look at the clock and the next, of a loop that does nothing else.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    // Gaps of any length that matters, ns.
    gaps: Vec<f64>,
    total: f64,
}

/// A gap that is no more than a look at the clock, ns.
const LOOK: u64 = 200;

impl Noise {
    /// Looks on for so long.
    pub fn sample(&mut self, seconds: f64) {
        let start = now();
        let end = start + (seconds * 1e9) as u64;
        let mut last = start;
        while last < end {
            let t = now();
            let gap = t.saturating_sub(last);
            if gap > LOOK {
                self.gaps.push(gap as f64);
            }
            last = t;
        }
        self.total += (last - start) as f64;
    }

    /// How late a thread that does nothing but wait for it would be for an event at a random time,
    /// ns.
    pub fn lateness(&self) -> Quantiles {
        // Within a gap, the time left to its end is uniform.
        let later = |x: f64| self.gaps.iter().map(|g| (g - x).max(0.0)).sum::<f64>() / self.total.max(1.0);
        let quantile = |p: f64| {
            let (mut low, mut high) = (0.0, self.gaps.iter().copied().fold(0.0, f64::max));
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                if later(middle) > 1.0 - p { low = middle } else { high = middle }
            }
            high
        };
        Quantiles { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999), max: self.gaps.iter().copied().fold(0.0, f64::max) }
    }

    /// Gaps longer than 10 us, a second.
    pub fn long_gaps(&self) -> f64 {
        self.gaps.iter().filter(|g| **g > 10_000.0).count() as f64 / (self.total.max(1.0) * 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_in_a_gap_waits_for_its_end() {
        // A tenth of the time is in gaps of 100 us.
        let noise = Noise { gaps: vec![100_000.0; 10], total: 1e7 };
        let l = noise.lateness();
        assert!(l.p50 < 1e-6 && l.max == 100_000.0, "{l:?}");
        // One in a hundred comes within the first tenth of one.
        assert!((l.p99 - 90_000.0).abs() < 1.0, "{l:?}");
        assert!((noise.long_gaps() - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn clocks_run() {
        let (a, cpu) = (now(), cpu_seconds());
        let mut noise = Noise::default();
        noise.sample(0.01);
        assert!(now() - a >= 10_000_000 && cpu_seconds() >= cpu);
        assert!(noise.lateness().max >= noise.lateness().p50);
    }
}
