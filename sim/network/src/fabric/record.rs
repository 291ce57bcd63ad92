//! Record of a run of the fabric.
use crate::metrics::histogram::Log;
use crate::metrics::{Rate, Recorder, Rtt, Windows};
use crate::nic::{RateSample, RttSample};
use crate::time::Ps;

/// Sub-bins of an octave of RTTs: 0.5 %.
pub const RTT_BINS: u64 = 256;

/// Counts, distributions and, in detail, the series of a run.
pub struct Record {
    /// Frames put on a wire.
    pub transmissions: u64,
    /// Frames that there was no room for.
    pub dropped: u64,
    /// Frames lost on links.
    pub lost: u64,
    /// Pauses that switches signalled.
    pub pauses: u64,
    /// Pauses in the steady part.
    pub pauses_steady: u64,
    /// ACKs that came after their segment was given up.
    pub late: u64,
    /// Times that a flow gave up what was on its way.
    pub timeouts: u64,
    /// Congestion notifications that receivers sent.
    pub notifications: u64,
    /// Messages that are complete.
    pub completed: u64,
    /// Most bytes of one class that one ingress port had waiting in a switch.
    pub ingress_max: u64,
    /// True path times of the steady part, ps.
    pub rtt: Log,
    /// RTTs of the steady part as the NICs measured them, ps.
    pub measured_rtt: Log,
    /// Measured RTTs of segments with a marked packet, ps.
    pub marked_rtt: Log,
    /// Every sample is recorded too.
    pub detail: bool,
    /// Recorder of the samples, if so.
    pub recorder: Recorder,
    windows: Windows,
    last_departure: Vec<Ps>,
}

impl Record {
    /// An empty record. In detail, `recorder` knows the flows by the same indices.
    pub fn new(windows: Windows, detail: bool, recorder: Recorder) -> Self {
        let last_departure = vec![Ps::MAX; if detail { recorder.flows.len() } else { 0 }];
        Record {
            transmissions: 0,
            dropped: 0,
            lost: 0,
            pauses: 0,
            pauses_steady: 0,
            late: 0,
            timeouts: 0,
            notifications: 0,
            completed: 0,
            ingress_max: 0,
            rtt: Log::fine(RTT_BINS),
            measured_rtt: Log::fine(RTT_BINS),
            marked_rtt: Log::fine(RTT_BINS),
            detail,
            recorder,
            windows,
            last_departure,
        }
    }

    pub(super) fn departed(&mut self, f: u32, at: Ps, steady: Ps) {
        let last = std::mem::replace(&mut self.last_departure[f as usize], at);
        if last != Ps::MAX && last >= steady {
            self.recorder.flows[f as usize].gaps.add(at - last);
        }
    }

    pub(super) fn arrived(&mut self, f: u32, at: Ps, wire: u16) {
        let flow = &mut self.recorder.flows[f as usize];
        if let Some(bin) = flow.series.get_mut((at.saturating_sub(self.windows.from) / self.windows.bin) as usize) {
            *bin += u32::from(wire);
        }
    }

    pub(super) fn sampled(&mut self, f: u32, at: Ps, (path, measured): (Ps, Ps), marks: (u16, u16), rate: Option<u32>) {
        let sample = RttSample { at, flow: f, path: Some(path), measured_ns: Some(measured as f64 / 1000.0), marks: Some(marks) };
        self.recorder.rtts.push(Rtt { flow: f, sample });
        if let Some(rate) = rate {
            self.sampled_rate(f, at, rate);
        }
    }

    pub(super) fn sampled_rate(&mut self, f: u32, at: Ps, rate: u32) {
        let sample = RateSample { at, flow: f, mbps: f64::from(rate) / 4096.0 };
        self.recorder.rates.push(Rate { flow: f, sample });
    }
}
