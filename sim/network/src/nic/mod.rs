//! Hosts and their NICs: what the network expects of one, and the kinds there are.
//!
//! | kind | what it is | file |
//! |---|---|---|
//! | bit-true | a clocked [`core::Core`] (Verilated RTL, or the integer model) behind a MAC | [`mac`] |
//! | paced | an event-level host that paces every packet, as the hardware does, with an f64 law | [`paced`] |
//! | software | an event-level host whose software posts whole bursts on a timer | [`software`] |
pub mod access;
pub mod axil;
mod bucket;
pub mod clock;
pub mod core;
pub mod corundum;
pub mod host;
pub mod inline;
pub mod kind;
pub mod loss;
pub mod mac;
pub mod memory;
pub mod model;
pub mod paced;
pub mod packets;
pub mod rtl;
pub mod setup;
pub mod socket;
pub mod software;
pub mod spec;
pub mod stream;
pub mod truth;

use crate::frame::{FlowId, Frame};
use crate::time::Ps;
use timely_regs::event;
use timely_regs::telemetry::TelemetryRecord;

/// A frame that reaches a host.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The frame.
    pub frame: Frame,
    /// Arrival of the frame's first bit (of the preamble).
    pub start: Ps,
    /// Arrival of the frame's last bit, and of the gap: start and wire time.
    pub end: Ps,
}

/// A frame that leaves a host.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The frame.
    pub frame: Frame,
    /// Departure of the frame's first bit.
    pub start: Ps,
    /// Start and wire time.
    pub end: Ps,
}

/// A round trip that ended at a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttSample {
    /// When the ACK's first bit arrived.
    pub at: Ps,
    /// The flow.
    pub flow: FlowId,
    /// Path time in the network: from the end of the segment's last packet at the sender to the
    /// ACK's first bit there, ps.
    pub path: Option<Ps>,
    /// RTT that the NIC measured and fed to its law, ns.
    pub measured_ns: Option<f64>,
    /// Packets that the ACK answers, and those of them that were marked, where ACKs count them: on
    /// the fabric.
    pub marks: Option<(u16, u16)>,
}

/// A rate that a NIC set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// When.
    pub at: Ps,
    /// The flow.
    pub flow: FlowId,
    /// Megabits a second.
    pub mbps: f64,
}

/// A segment that a NIC gave up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeoutSample {
    /// When.
    pub at: Ps,
    /// The flow.
    pub flow: FlowId,
}

/// Outputs of a NIC over the time it was run.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Frames in the order of their departure.
    pub departures: Vec<Departure>,
    /// Round trips.
    pub rtts: Vec<RttSample>,
    /// Rates.
    pub rates: Vec<RateSample>,
    /// Segments given up.
    pub timeouts: Vec<TimeoutSample>,
    /// Event records, `timely_regs::event`.
    pub records: Vec<[u32; event::WORDS]>,
}

impl Outbox {
    /// Empties the outbox and keeps its memory.
    pub fn clear(&mut self) {
        self.departures.clear();
        self.rtts.clear();
        self.rates.clear();
        self.timeouts.clear();
        self.records.clear();
    }
}

/// Counters of a NIC over its life.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Largest difference between a measured RTT and the true path time, in the NIC's clocks;
    /// `None` without bit-true samples.
    pub rtt_error_clocks_max: Option<f64>,
    /// Samples compared for it.
    pub rtt_compared: u64,
    /// Beats that came later than the wire needed them.
    pub underruns: u64,
    /// Local clocks stepped.
    pub clocks: u64,
    /// Segments given up.
    pub timeouts: u64,
}

/// A host with its NIC. It holds all its state, so that it can be run on any thread.
///
/// The network runs it in windows: everything that reaches the NIC before `until` has been handed
/// over, in the order of time, when [`Nic::advance`] is called.
pub trait Nic: Send {
    /// A frame will arrive.
    fn receive(&mut self, arrival: Arrival);

    /// From `at` the classes whose bits are 1 (bit `Class as u8`) must not start to send.
    fn pause(&mut self, at: Ps, classes: u8);

    /// The earliest time at which there is something to do, unless something arrives before; at
    /// most that of the next departure.
    fn next(&self) -> Ps;

    /// Runs to `until`, exclusive. Every frame whose last bit leaves before `until` is in `out`
    /// when it returns.
    fn advance(&mut self, until: Ps, out: &mut Outbox);

    /// The telemetry records of its first `flows` flows, taken by DMA from `at` on; `None` from a
    /// NIC that has none.
    ///
    /// # Errors
    /// The records cannot be had; the sentence says why.
    fn snapshot(&mut self, flows: u32, at: Ps) -> Option<Result<Vec<TelemetryRecord>, String>> {
        let _ = (flows, at);
        None
    }

    /// Counters of the NIC.
    fn stats(&self) -> Stats {
        Stats::default()
    }
}
