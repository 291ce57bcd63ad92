//! A tap on a switch port's queue: how long it is, weighted by time, and a series of samples.
use super::Windows;
use super::histogram::Linear;
use crate::frame::NodeId;
use crate::time::Ps;

/// Width of a histogram bin at first, bytes.
const BIN: u64 = 256;
/// Bins: 8 MB before their width doubles.
const BINS: usize = 32_768;
/// Least and most samples of the series in a run.
const SAMPLES: (u64, u64) = (4_000, 200_000);
/// Time between samples in runs that allow it.
const INTERVAL: Ps = 10_000_000;

/// A watched port.
#[derive(Clone, Debug)]
pub struct Tap {
    /// The switch.
    pub node: NodeId,
    /// The port.
    pub port: u16,
    /// Bytes in the queue (the frame being sent included), weighted by time, in the steady part.
    pub histogram: Linear,
    /// Samples of the queue in bytes, one every [`Tap::interval`] from the series' start on.
    pub series: Vec<u64>,
    /// Time between samples.
    pub interval: Ps,
    /// Wire bytes sent in the steady part, never more than its time holds.
    pub wire_steady: u64,
    /// Largest queue of the whole run, bytes.
    pub max: u64,
    now: u64,
    since: Ps,
    /// The last frame: from when until when it is sent, and its wire bytes. It is counted once its
    /// end or the run's is known.
    frame: (Ps, Ps, u32),
    windows: Windows,
}

impl Tap {
    /// A tap on a port.
    pub fn new(node: NodeId, port: u16, windows: Windows) -> Self {
        let length = windows.end - windows.from.min(windows.end);
        let interval = INTERVAL.clamp(length.div_ceil(SAMPLES.1), length.div_ceil(SAMPLES.0)).max(1);
        Tap {
            node,
            port,
            histogram: Linear::new(BIN, BINS),
            series: Vec::new(),
            interval,
            wire_steady: 0,
            max: 0,
            now: 0,
            since: 0,
            frame: (0, 0, 0),
            windows,
        }
    }

    /// The queue holds `bytes` from `at` on.
    pub fn change(&mut self, at: Ps, bytes: u64) {
        let end = at.min(self.windows.end);
        self.histogram.add(self.now, end.saturating_sub(self.since.max(self.windows.steady)));
        while self.windows.from + (self.series.len() as u64) * self.interval < end {
            self.series.push(self.now);
        }
        self.since = at;
        self.now = bytes;
        self.max = self.max.max(bytes);
    }

    /// A frame of `wire` bytes is sent from `start` to `end`. Of one that the steady part's first
    /// or last moment cuts, the part inside counts.
    pub fn sends(&mut self, start: Ps, end: Ps, wire: u32) {
        self.count();
        self.frame = (start, end, wire);
    }

    fn count(&mut self) {
        let (start, end, wire) = std::mem::take(&mut self.frame);
        let inside = end.min(self.windows.end).saturating_sub(start.max(self.windows.steady));
        if inside > 0 {
            self.wire_steady += (u128::from(wire) * u128::from(inside)).div_euclid(u128::from(end - start)) as u64;
        }
    }

    /// The run's windows end at `end`, which is known before it ends itself.
    pub fn end_at(&mut self, end: Ps) {
        self.windows.end = end;
    }

    /// Closes the record at the end of the run, which may have come early.
    pub fn finish(&mut self, end: Ps) {
        self.windows.end = end;
        self.count();
        self.change(self.windows.end, self.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_line_is_never_more_than_full() {
        // A frame of 1,000 bytes every microsecond, of which the steady part cuts the first and the
        // last.
        let mut tap = Tap::new(0, 0, Windows { from: 0, steady: 2_500_000, end: 7_300_000, bin: 1_000_000 });
        (0..10u64).for_each(|i| tap.sends(i * 1_000_000, (i + 1) * 1_000_000, 1_000));
        tap.finish(7_300_000);
        assert_eq!(tap.wire_steady, 4_800);
    }
}
