//! Inputs and outputs of the core at a clock, and the registers between its blocks.
use crate::bus::{Acked, Charge, Completion, Event, FlowLoad, FlowRate, ProfileWrite, Query, Release, Sample, Sent};
use crate::stream::Beat;
use crate::telemetry::{histograms, recorder};
use crate::{ack, csr, dma, engine, hold, pacer, parse, pause, reaction, rtt, telemetry, time, txmux};
use timely_regs::event;
use timely_regs::map::roce::TOLD_WORDS;

/// Pins that every form of the NIC has: inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// AXI-Lite write address.
    pub aw: Option<u32>,
    /// AXI-Lite write data and strobes.
    pub w: Option<(u32, u8)>,
    /// The AXI-Lite write answer is taken.
    pub b_ready: bool,
    /// AXI-Lite read address.
    pub ar: Option<u32>,
    /// The AXI-Lite read answer is taken.
    pub r_ready: bool,
    /// Received beat.
    pub rx: Option<Beat>,
    /// Arrival of its frame's start, ns48.fns16.
    pub rx_ts: u64,
    /// With a frame's last beat: it is damaged.
    pub rx_bad: bool,
    /// The MAC takes the beat.
    pub tx_ready: bool,
    /// A frame departed.
    pub completion: Option<Completion>,
    /// Paused priorities.
    pub pause: u8,
    /// PTP time, ns48.fns16.
    pub ptp: Option<u64>,
    /// The host's memory.
    pub memory: dma::Slave,
}

/// Outputs of the packet source at a clock.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// A beat to send, and its frame's tag.
    pub data: Option<(Beat, u16)>,
    /// A data frame was handed to the MAC.
    pub sent: Option<Sent>,
    /// A flow has packets.
    pub doorbell: Option<(u32, u16)>,
    /// The packet of a grant is known.
    pub charge: Option<Charge>,
    /// A grant is taken if offered.
    pub grant_ready: bool,
    /// A doorbell of the host is taken if offered.
    pub host_doorbell_ready: bool,
    /// Counted events.
    pub pulses: u64,
    /// The source's RAM is clear.
    pub swept: bool,
    /// Of a pacer half that stands elsewhere: a flow starts after its idle time.
    pub idle: Option<u32>,
    /// Of such a one: a flow came to its pass, and whether it is limited.
    pub limited: Option<(u32, bool)>,
    /// Of queue pairs: a sample for the engine.
    pub sample: Option<Sample>,
    /// Event of a queue pair's flow, for DCQCN.
    pub notice: Option<reaction::Notice>,
    /// A flow that its queue pair loads.
    pub load: Option<FlowLoad>,
    /// Flows are loaded by queue pairs: no command may.
    pub loading: bool,
    /// State of the table of queue pairs; 0 without one.
    pub pair_status: u32,
    /// Findings of the table's commands, the words of `roce::TOLD`; zeros without one.
    pub pair_told: [u32; TOLD_WORDS as usize],
    /// The word of a rule of queue pairs that `roce::TOLD_WORD` chose a clock ago.
    pub rule_told: u32,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// AXI-Lite: a write address is taken.
    pub aw_ready: bool,
    /// AXI-Lite: write data are taken.
    pub w_ready: bool,
    /// AXI-Lite: a read address is taken.
    pub ar_ready: bool,
    /// AXI-Lite: write answer.
    pub b: Option<u8>,
    /// AXI-Lite: read data and answer.
    pub r: Option<(u32, u8)>,
    /// Beat to send, and its frame's tag.
    pub tx: Option<(Beat, u16)>,
    /// The date, ns48.fns16.
    pub now: u64,
    /// No grant leaves.
    pub stopped: bool,
    /// An RTT sample or a time-out goes to the engine.
    pub sample: Option<Sample>,
    /// A rate goes to the pacer.
    pub rate: Option<FlowRate>,
    /// Master of the host's memory.
    pub memory: dma::Master,
    /// Interrupt lines, `timely_regs::map::dma`.
    pub irq: u32,
    /// An event record leaves.
    pub record: Option<[u32; event::WORDS]>,
}

/// Every block's outputs during a clock, and what follows from them for the packet source.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Registers and what they order.
    pub csr: csr::Out,
    /// The time.
    pub time: time::Out,
    /// A grant for the packet source.
    pub grant: Option<hold::Grant>,
    /// The pacer takes a doorbell.
    pub doorbell_ready: bool,
    /// A beat of data is taken if offered.
    pub data_ready: bool,
    /// A flow is loaded.
    pub load: Option<FlowLoad>,
    /// A word of a profile is written.
    pub profile: Option<ProfileWrite>,
    /// The merged beat to the wire and its frame's tag.
    pub tx: Option<(Beat, u16)>,
    pub(super) dma: dma::Out,
    pub(super) parse: parse::Out,
    pub(super) pause: pause::Out,
    pub(super) ack: ack::Out,
    pub(super) txmux: txmux::Out,
    pub(super) rtt: rtt::Out,
    pub(super) reaction: reaction::Out,
    pub(super) engine: engine::Out,
    pub(super) telemetry: telemetry::Out,
    pub(super) recorder: recorder::Out,
    pub(super) histograms: histograms::Out,
    pub(super) pacer: pacer::top::Out,
    pub(super) ack_goes: bool,
    pub(super) data_goes: bool,
}

impl Shown {
    /// A rate for the pacer half.
    pub fn rate(&self) -> Option<FlowRate> {
        self.engine.rate
    }

    /// Bytes that are outstanding no more, for the pacer half.
    pub fn release(&self) -> Option<Release> {
        self.rtt.release
    }

    /// Priorities that received frames pause.
    pub fn paused(&self) -> u8 {
        self.pause.priorities
    }

    /// The master of the host's memory.
    pub fn memory(&self) -> dma::Master {
        self.dma.memory
    }
}

/// Levels, which blocks take to stay while they are not stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Levels {
    pub pause: u8,
    pub stop: bool,
    pub increment: u32,
    pub ptp: bool,
    pub lead: u16,
    pub swept: bool,
    pub lost: bool,
    pub loading: bool,
    pub every: u16,
    pub filter: u32,
    pub at: u16,
    pub keyed: bool,
}

/// Buses that cross the control half, a clock late; `timely_hw::control` has one register on each.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossing {
    pub profile: Option<ProfileWrite>,
    pub flow: Option<FlowLoad>,
    pub host: Option<FlowRate>,
    pub query: Option<Query>,
    pub histogram_clear: u16,
    pub sent: Option<Sent>,
    pub sample: Option<Sample>,
    pub acked: Option<Acked>,
    pub event: Option<Event>,
    pub superseded: Option<u32>,
}

impl Crossing {
    pub fn is_idle(&self) -> bool {
        let told =
            self.sent.is_some() || self.sample.is_some() || self.acked.is_some() || self.event.is_some() || self.superseded.is_some();
        let ordered = self.profile.is_some() || self.flow.is_some() || self.host.is_some() || self.query.is_some();
        !told && !ordered && self.histogram_clear == 0
    }
}
