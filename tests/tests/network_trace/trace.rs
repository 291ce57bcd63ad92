//! The trace by which two runs of a network are compared, and counts of its events.
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use timely_regs::wire::Packet;
use timely_sim::frame::UDP_PORT;
use timely_sim::frame::{FlowId, NodeId};
use timely_sim::nic::{Outbox, RateSample, RttSample, TimeoutSample};
use timely_sim::run::Observer;
use timely_sim::scenario::build::Outcome;
use timely_sim::time::{Ps, US};

/// A frame that left its host.
#[derive(Clone, PartialEq)]
pub struct Left {
    /// When its first bit left.
    start: Ps,
    /// All of it.
    bytes: Arc<[u8]>,
}

impl Debug for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let p = Packet::new_checked(&self.bytes[..], UDP_PORT).expect("NICs send well-formed frames");
        let (kind, flow, segment, packet) = (p.kind(), p.flow(), p.segment(), p.packet());
        write!(f, "{} ps: {kind:?}, flow {flow}, segment {segment}, packet {packet}, {} bytes: ", self.start, self.bytes.len())?;
        self.bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// The events of a host, each kind in the order of time.
#[derive(Default)]
struct Host {
    left: Vec<Left>,
    rtts: Vec<RttSample>,
    rates: Vec<RateSample>,
    timeouts: Vec<TimeoutSample>,
}

/// The events of all hosts.
#[derive(Default)]
pub struct Trace {
    hosts: BTreeMap<NodeId, Host>,
}

impl Observer for &mut Trace {
    fn progress(&mut self, _: Ps) {}

    fn host(&mut self, node: NodeId, done: &Outbox) {
        let host = self.hosts.entry(node).or_default();
        let left = done.departures.iter().map(|d| Left { start: d.start, bytes: d.frame.body.clone().expect("bit-true NICs send bytes") });
        host.left.extend(left);
        host.rtts.extend(&done.rtts);
        host.rates.extend(&done.rates);
        host.timeouts.extend(&done.timeouts);
    }
}

fn equal<T: PartialEq + Debug>(a: &[T], b: &[T], names: [&str; 2], what: &str) {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    if at < a.len().max(b.len()) {
        let before = at.checked_sub(1).map(|i| &a[i]);
        panic!("{what} {at}, after {before:?}:\n{}: {:?}\n{}: {:?}", names[0], a.get(at), names[1], b.get(at));
    }
}

impl Trace {
    /// Fails at the first difference of a kind, those that cause others first.
    pub fn assert_equal(&self, other: &Trace, mine: &str, others: &str, scenario: &str) {
        assert_eq!(self.hosts.len(), other.hosts.len());
        for ((node, a), b) in self.hosts.iter().zip(other.hosts.values()) {
            let what = |kind: &str| format!("{scenario}, host {node}: {kind}");
            equal(&a.rtts, &b.rtts, [mine, others], &what("round trip"));
            equal(&a.timeouts, &b.timeouts, [mine, others], &what("time-out"));
            equal(&a.rates, &b.rates, [mine, others], &what("rate"));
            equal(&a.left, &b.left, [mine, others], &what("frame"));
        }
    }

    /// Counts of the run's events.
    pub fn ingredients(&self, outcome: &Outcome) -> Ingredients {
        let r = &outcome.recorder;
        let count = |of: &dyn Fn(&Host) -> usize| self.hosts.values().map(of).sum::<usize>() as u64;
        let mut i = Ingredients {
            delivered: r.flows.iter().map(|f| f.packets + f.acks).sum(),
            pauses: r.pauses,
            lost_data: r.lost - r.lost_acks,
            lost_acks: r.lost_acks,
            damaged: r.damaged,
            rtts: count(&|h| h.rtts.len()),
            compared: outcome.stats.iter().map(|s| s.rtt_compared).sum(),
            error: outcome.summary.rtt_error_clocks_max.unwrap_or(f64::MAX),
            timeouts: count(&|h| h.timeouts.len()),
            rates: count(&|h| h.rates.len()),
            ..Ingredients::default()
        };
        for h in self.hosts.values() {
            let mut last: BTreeMap<FlowId, (f64, i64)> = BTreeMap::new();
            // The rate of the flow that was loaded last may come in the run's first microsecond.
            for s in h.rates.iter().filter(|s| s.at >= US) {
                let (before, rates) = last.entry(s.flow).or_insert((s.mbps, 0));
                i.decreases += u64::from(s.mbps < *before);
                i.increases += u64::from(s.mbps > *before);
                (*before, *rates) = (s.mbps, *rates + 1);
            }
            // Under a law every sample and time-out has its rate; what rates there are beyond them
            // are restarts after a pause.
            for (flow, (_, rates)) in last {
                let answers = h.rtts.iter().filter(|s| s.flow == flow).count() + h.timeouts.iter().filter(|s| s.flow == flow).count();
                i.restarts += u64::try_from(rates - answers as i64).unwrap_or(0);
            }
        }
        i
    }
}

/// Counts of what a scenario must contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ingredients {
    delivered: u64,
    pauses: u64,
    lost_data: u64,
    lost_acks: u64,
    damaged: u64,
    rtts: u64,
    compared: u64,
    error: f64,
    timeouts: u64,
    rates: u64,
    increases: u64,
    decreases: u64,
    restarts: u64,
}

impl Ingredients {
    /// Fails when rates did not go up and down often.
    pub fn assert_steered(&self) {
        assert!(self.decreases > 200 && self.increases > 400 && self.lost_data > 3, "{self:?}");
    }

    /// Fails when one is missing, of a run of one `part`th of the scenario.
    pub fn assert_all_met(&self, scenario: &str, part: u64) {
        println!(
            "{scenario}: {} packets delivered, {} data and {} ACKs lost, {} damaged, {} pauses; {} RTTs, largest error {:.3} clocks; \
             {} time-outs, {} rates ({} up, {} down), {} idle restarts",
            self.delivered,
            self.lost_data,
            self.lost_acks,
            self.damaged,
            self.pauses,
            self.rtts,
            self.error,
            self.timeouts,
            self.rates,
            self.increases,
            self.decreases,
            self.restarts
        );
        assert!(self.delivered >= 90_000 / part, "{scenario}");
        let some =
            [self.pauses, self.lost_data, self.lost_acks, self.damaged, self.timeouts, self.decreases, self.increases, self.restarts];
        assert!(some.iter().all(|n| *n >= 10 / part), "{scenario}");
        assert_eq!(self.rtts, self.compared, "{scenario}: every sample has a true path time");
        assert!(self.error <= 2.0, "{scenario}");
    }
}
