//! Counters of a NIC, 64 bits wide: those of its registers wrap, packets of the shortest frames at
//! 100 Gb/s within 29 s. They are looked at often enough that none wraps unseen.
use crate::report::FlowTelemetry;
use crate::service::{Service, ServiceError};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between two looks at the NIC's own counters.
const COUNTERS_APART: Duration = Duration::from_secs(1);
/// Time between two looks at the counters of flows: of 2^31 packets of the shortest frames 100 Gb/s
/// carries less.
const FLOWS_APART: Duration = Duration::from_secs(10);
/// Looks take no more than one part in so many of the time, over slow ways to the registers.
const LOOK_SHARE: u32 = 20;
/// Bits of a counter of packets or updates, and the most that is counted between two looks.
const EVENTS: (u32, u64) = (32, 1 << 31);
/// Bits of a counter of bytes, and the most between two looks: 88 s of 100 Gb/s.
const BYTES: (u32, u64) = (48, 1 << 40);
/// Counters of a flow.
const OF_FLOW: usize = 8;

/// A counter.
#[derive(Clone, Copy, Debug, Default)]
struct Wide {
    last: u64,
    total: u64,
}

impl Wide {
    fn at(now: u64) -> Self {
        Wide { last: now, total: now }
    }

    /// Count since the last look; `None` where the counter must have started anew.
    fn since(&self, now: u64, (bits, most): (u32, u64)) -> Option<u64> {
        let since = now.wrapping_sub(self.last) & (u64::MAX >> (64 - bits));
        (since < most).then_some(since)
    }

    fn add(&mut self, now: u64, since: u64) {
        *self = Wide { last: now, total: self.total.saturating_add(since) };
    }
}

/// Counters of a flow, as its telemetry has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowTotals {
    /// Data packets.
    pub packets: u64,
    /// Wire bytes.
    pub wire_bytes: u64,
    /// Segments that lost packets.
    pub segments_lost: u64,
    /// Updates, by branch.
    pub branches: [u64; 5],
}

/// The counters of a flow, and what each can count.
fn counted(f: &FlowTelemetry) -> [(u64, (u32, u64)); OF_FLOW] {
    let events = |n: u32| (u64::from(n), EVENTS);
    let branches = [f.below_tlow, f.above_thigh, f.gradient_increase, f.gradient_decrease, f.other].map(events);
    let [a, b, c, d, e] = branches;
    [events(f.packets), (f.wire_bytes, BYTES), events(f.segments_lost), a, b, c, d, e]
}

/// Counters since the daemon started.
pub struct Totals {
    counters: BTreeMap<String, Wide>,
    flows: BTreeMap<u32, [Wide; OF_FLOW]>,
    counters_due: Instant,
    flows_due: Instant,
}

impl Totals {
    /// None yet; all are looked at by `now`.
    pub fn new(now: Instant) -> Self {
        Totals { counters: BTreeMap::new(), flows: BTreeMap::new(), counters_due: now, flows_due: now }
    }

    /// Looks at the counters that are due by `now`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn(&mut self, service: &mut Service, now: Instant) -> Result<(), ServiceError> {
        let next = |apart: Duration, start: Instant| now + apart.max(start.elapsed() * LOOK_SHARE);
        if now >= self.counters_due {
            let start = Instant::now();
            self.take_counters(service.nic.counters()?);
            self.counters_due = next(COUNTERS_APART, start);
        }
        if now >= self.flows_due {
            let start = Instant::now();
            self.take_flows(&service.counted_flows()?);
            self.flows_due = next(FLOWS_APART, start);
        }
        Ok(())
    }

    /// Takes the NIC's own counters.
    pub fn take_counters(&mut self, counters: impl IntoIterator<Item = (String, u32)>) {
        for (name, now) in counters {
            let (now, counter) = (u64::from(now), self.counters.entry(name).or_default());
            // One that started anew counted from 0.
            counter.add(now, counter.since(now, EVENTS).unwrap_or(now));
        }
    }

    /// Takes the NIC's own counters just after it was reset: what is less than before started anew,
    /// and did not wrap. No flow is left.
    pub fn take_reset(&mut self, counters: impl IntoIterator<Item = (String, u32)>) {
        for (name, now) in counters {
            let (now, counter) = (u64::from(now), self.counters.entry(name).or_default());
            counter.add(now, now.checked_sub(counter.last).unwrap_or(now));
        }
        self.flows.clear();
    }

    /// Takes the counters of all flows in use. Those of a flow that was loaded anew start anew, all
    /// of them: that one is less than it was tells.
    pub fn take_flows(&mut self, flows: &[FlowTelemetry]) {
        let mut before = std::mem::take(&mut self.flows);
        for flow in flows {
            let now = counted(flow);
            let mut totals = before.remove(&flow.flow).unwrap_or(now.map(|(n, _)| Wide::at(n)));
            if totals.iter().zip(now).all(|(t, (n, range))| t.since(n, range).is_some()) {
                for (total, (n, range)) in totals.iter_mut().zip(now) {
                    total.add(n, total.since(n, range).unwrap_or_default());
                }
            } else {
                totals = now.map(|(n, _)| Wide::at(n));
            }
            self.flows.insert(flow.flow, totals);
        }
    }

    /// A counter of the NIC.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).map_or(0, |c| c.total)
    }

    /// The counters of a flow.
    pub fn flow(&self, flow: u32) -> FlowTotals {
        let [packets, wire_bytes, segments_lost, branches @ ..] = self.flows.get(&flow).copied().unwrap_or_default().map(|w| w.total);
        FlowTotals { packets, wire_bytes, segments_lost, branches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rx(count: u32) -> [(String, u32); 1] {
        [("rx_frames".into(), count)]
    }

    #[test]
    fn a_counter_that_wraps_goes_on() {
        let mut totals = Totals::new(Instant::now());
        let mut look = |count| {
            totals.take_counters(rx(count));
            totals.counter("rx_frames")
        };
        assert_eq!([look(7), look(u32::MAX / 2), look(u32::MAX - 1), look(3)], [7, 0x7fff_ffff, 0xffff_fffe, 0x1_0000_0003]);
        assert_eq!([look(u32::MAX / 2 + 3), look(1), look(1)], [0x1_8000_0002, 0x2_0000_0001, 0x2_0000_0001]);
    }

    /// Also from a count of more than half of the range, and where a reset reaches no counter.
    #[test]
    fn a_reset_adds_no_turn() {
        for before in [1000, u32::MAX - 1] {
            let mut totals = Totals::new(Instant::now());
            totals.take_counters(rx(before / 2));
            totals.take_counters(rx(before));
            totals.take_reset(rx(5));
            assert_eq!(totals.counter("rx_frames"), u64::from(before) + 5);
            totals.take_counters(rx(9));
            assert_eq!(totals.counter("rx_frames"), u64::from(before) + 9);
            totals.take_reset(rx(9));
            assert_eq!(totals.counter("rx_frames"), u64::from(before) + 9, "it was not reset");
        }
    }

    #[test]
    fn counters_of_flows_wrap_or_start_anew() {
        let flow = |flow, packets, wire_bytes, below_tlow| FlowTelemetry { flow, packets, wire_bytes, below_tlow, ..Default::default() };
        let mut totals = Totals::new(Instant::now());
        let end = (1 << 48) - 1000;
        totals.take_flows(&[flow(3, u32::MAX, end, 7), flow(5, 1, 1, 1)]);
        totals.take_flows(&[flow(3, 9, 500, 8), flow(5, 1, 1, 1)]);
        let wide = FlowTotals { packets: (1 << 32) + 9, wire_bytes: (1 << 48) + 500, segments_lost: 0, branches: [8, 0, 0, 0, 0] };
        assert_eq!(totals.flow(3), wide);
        // Loaded anew: more bytes than before are of packets that are longer.
        totals.take_flows(&[flow(3, 4, 6000, 0), flow(5, 2, 100, 1)]);
        assert_eq!(totals.flow(3), FlowTotals { packets: 4, wire_bytes: 6000, segments_lost: 0, branches: [0; 5] });
        assert_eq!(totals.flow(5).packets, 2);
        totals.take_flows(&[flow(5, 3, 200, 1)]);
        totals.take_flows(&[flow(3, 4, 6000, 0), flow(5, 3, 200, 1)]);
        assert_eq!((totals.flow(3).packets, totals.flow(9)), (4, FlowTotals::default()), "removed meanwhile");
    }
}
