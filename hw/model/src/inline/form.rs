//! Forms of the in-line NIC by the packets that it paces: of our own wire format ([`Own`]), or of
//! RoCEv2's queue pairs ([`Pairs`](super::pairs::Pairs)). A form is what stands in front of the
//! store, behind it and at the wire; all else is [`Nic`](super::nic::Nic)'s.
use super::entry::{self, Way};
use super::exit;
use crate::bus::{Completion, FlowLoad, Sample, Sent};
use crate::part::Part;
use crate::reaction::Notice;
use crate::roce::Brings;
use crate::stream::Beat;
use crate::{core, mark, store};
use timely_regs::map::Build;
use timely_regs::map::roce::TOLD_WORDS;

/// Sideband of a frame between the store and the wire: its launch, and what it was stored with.
pub type Beside = (u64, u128);

/// A clock as the form sees it.
#[derive(Clone, Debug)]
pub struct In<'a> {
    /// Synchronous reset.
    pub rst: bool,
    /// The core.
    pub core: &'a core::Shown,
    /// A beat of the host's, and with a frame's first beat its sideband.
    pub host: Option<(Beat, u128)>,
    /// A beat from the wire.
    pub wire: Option<Beat>,
    /// The store takes a beat.
    pub paced_ready: bool,
    /// The wire takes a beat past the store.
    pub past_ready: bool,
    /// A packet that is to be dropped may be.
    pub drop_ready: bool,
    /// A beat of the store's.
    pub stored: Option<(Beat, store::Side)>,
    /// Downstream takes it.
    pub gate_ready: bool,
    /// A beat that leaves.
    pub leaves: Option<Beat>,
    /// If it is of a frame from the store: what goes beside that.
    pub beside: Option<Beside>,
    /// A beat of a congestion notification is taken.
    pub notification_ready: bool,
}

/// Outputs of the form during a clock.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// A beat, its packet's way and sideband.
    pub beat: Option<(Beat, Way, u128)>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: bool,
    /// A packet's addresses are not those of the flow that it names.
    pub strange: bool,
    /// A frame of a flow left.
    pub sent: Option<Sent>,
    /// And departed, where the core measures.
    pub completion: Option<Completion>,
    /// A sample, where the form measures.
    pub sample: Option<Sample>,
    /// Event of a queue pair's flow, for DCQCN.
    pub notice: Option<Notice>,
    /// A READ request left.
    pub read: Option<Brings>,
    /// A beat of a congestion notification, for the wire.
    pub notification: Option<Beat>,
    /// A flow that the form loads.
    pub load: Option<FlowLoad>,
    /// State of the table of queue pairs; 0 without one.
    pub pair_status: u32,
    /// Findings of the table's commands, the words of `roce::TOLD`; zeros without one.
    pub pair_told: [u32; TOLD_WORDS as usize],
    /// The word of a rule of queue pairs that `roce::TOLD_WORD` chose a clock ago.
    pub rule_told: u32,
    /// Counted events.
    pub pulses: u64,
    /// RAMs are clear.
    pub swept: bool,
}

/// A form of the in-line NIC.
pub trait Form: Clone + std::fmt::Debug {
    /// Flows are queue pairs: loaded by the form, without a bound, and none of their packets is
    /// dropped for want of room.
    const PAIRS: bool;

    /// A form as a reset at the clock before 0 leaves it.
    fn new(build: Build) -> Self;

    /// A beat of the host's is taken at clock `clk`.
    fn is_ready(&self, clk: u64) -> bool;

    /// Outputs during clock `clk`.
    fn show(&self, clk: u64) -> Shown;

    /// A sample that it measured, at clock `clk`.
    fn sample(&self, clk: u64) -> Option<Sample>;

    /// The store's beat as it goes on, and what goes beside its frame.
    fn onward(&self, clk: u64, stored: Option<(Beat, store::Side)>) -> Option<(Beat, Beside)>;

    /// The store's beat is taken at clock `clk`, if downstream takes one.
    fn takes(&self, clk: u64, gate_ready: bool) -> bool;

    /// The edge that ends clock `clk`.
    fn step(&mut self, clk: u64, i: &In<'_>);

    /// The first clock that must be stepped though nothing comes, and nothing of
    /// [`standing`](Self::standing) is taken.
    fn due(&self) -> u64;

    /// The way of a packet whose beat may stand in front of the store for long, at clock `clk`.
    fn standing(&self, clk: u64) -> Option<Way>;
}

/// Packets of our own wire format.
#[derive(Clone, Debug)]
pub struct Own {
    entry: Part<entry::Entry>,
    mark: Part<mark::Mark<Beside>>,
    exit: Part<exit::Exit>,
}

impl Form for Own {
    const PAIRS: bool = false;

    fn new(build: Build) -> Self {
        let (width, flow_bits) = (build.bus_bits as usize, build.flow_bits);
        Own {
            entry: Part::new(entry::Entry::new(width, flow_bits)),
            mark: Part::new(mark::Mark::new(width, flow_bits, build.ring_bits)),
            exit: Part::new(exit::Exit::new(width, flow_bits)),
        }
    }

    fn is_ready(&self, clk: u64) -> bool {
        self.entry.block.is_ready(clk)
    }

    fn show(&self, clk: u64) -> Shown {
        let (entry, exit) = (crate::Block::output(&self.entry.block, clk), crate::Block::output(&self.exit.block, clk));
        Shown {
            beat: entry.beat,
            dropped: entry.dropped,
            strange: entry.strange,
            sent: exit.sent,
            completion: exit.completion,
            swept: exit.swept,
            ..Shown::default()
        }
    }

    fn sample(&self, _clk: u64) -> Option<Sample> {
        None
    }

    fn onward(&self, clk: u64, _stored: Option<(Beat, store::Side)>) -> Option<(Beat, Beside)> {
        crate::Block::output(&self.mark.block, clk).beat
    }

    fn takes(&self, clk: u64, _gate_ready: bool) -> bool {
        crate::Block::output(&self.mark.block, clk).ready
    }

    fn step(&mut self, clk: u64, i: &In<'_>) {
        let (c, load, rst) = (&i.core.csr.settings, i.core.load, i.rst);
        self.entry.step(clk, rst || i.host.is_some() || load.is_some(), || entry::In {
            rst,
            beat: i.host.map(|h| h.0),
            meta: i.host.map_or(0, |h| h.1),
            port: c.udp_port,
            ipv4: c.ipv4.to_le_bytes(),
            ipv6: c.ipv6.to_le_bytes(),
            load,
            paced_ready: i.paced_ready,
            past_ready: i.past_ready,
            drop_ready: i.drop_ready,
        });
        self.mark.step(clk, rst || i.stored.is_some(), || mark::In {
            rst,
            beat: i.stored.map(|(beat, s)| (beat, (s.launch, s.meta))),
            port: c.udp_port,
            base: 0,
            ready: i.gate_ready,
        });
        // The exit stamps and reports the frames that leave.
        self.exit.step(clk, rst || i.leaves.is_some() || load.is_some(), || exit::In {
            rst,
            beat: i.leaves,
            launch: i.beside.map(|s| s.0),
            name: None,
            now: i.core.time.date,
            port: c.udp_port,
            key: c.nonce_key,
            load,
        });
    }

    fn due(&self) -> u64 {
        self.entry.due.min(self.mark.due).min(self.exit.due)
    }

    // Each clock is due while one stands.
    fn standing(&self, _clk: u64) -> Option<Way> {
        None
    }
}
