//! Inputs and outputs of the application block at a clock.
use super::{TimeOfDay, departures, host_read, host_write};
use crate::bus::{FlowRate, Sample};
use crate::scheduler::courier;
use crate::scheduler::top::{Down, Up};
use crate::stream::Beat;
use timely_regs::event;

/// Signals beside a beat out of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The queue.
    pub queue: u16,
    /// Tag of the frame.
    pub tag: u16,
    /// The frame is bad.
    pub bad: bool,
    /// Where it goes.
    pub dest: u16,
}

/// A beat of a frame of the core's: its tag, and whether the frame is bad.
pub type CoreBeat = (Beat, u16, bool);

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
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
    /// PTP's time of day; none where the NIC's date follows no PTP clock.
    pub ptp: Option<TimeOfDay>,
    /// A beat from the core towards the MAC.
    pub tx: Option<CoreBeat>,
    /// The MAC takes the beat that is offered to it.
    pub tx_ready: bool,
    /// A received beat that the core takes, its frame's stamp, and whether the frame is bad.
    pub rx: Option<(Beat, TimeOfDay, bool)>,
    /// A beat out of a queue.
    pub queue: Option<(Beat, Beside)>,
    /// The next stage takes the beat that came out of a queue.
    pub queue_ready: bool,
    /// A completion from the MAC.
    pub completion: Option<departures::Stamped>,
    /// The core takes the completion that is offered to it.
    pub completion_ready: bool,
    /// The engine that writes into the host's memory; the burst's address and beat are not looked
    /// at.
    pub write: host_write::In,
    /// The engine that reads from it; the burst's address and whether a beat is taken are not
    /// looked at.
    pub read: host_read::In,
    /// The scheduler's window, as the master sees it.
    pub base: u32,
    /// The master's bus: what the scheduler's window answers. The rest is not looked at.
    pub window: courier::In,
    /// The scheduler's words come by `up`; a level.
    pub streams: bool,
    /// From the scheduler.
    pub up: Up,
    /// Priorities that are paused besides those of received frames; the hardware has none.
    pub pause: u8,
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
    /// A beat from the core is taken if offered.
    pub tx_ready: bool,
    /// A beat for the MAC: its frame's tag, and whether the frame is bad.
    pub tx: Option<CoreBeat>,
    /// A beat out of a queue is taken if offered.
    pub queue_ready: bool,
    /// The completion, on its way on.
    pub queue: Option<(Beat, Beside)>,
    /// A completion is taken if offered.
    pub completion_ready: bool,
    /// A completion for the core.
    pub completion: Option<departures::Stamped>,
    /// Towards the host's memory.
    pub write: host_write::Out,
    /// From it.
    pub read: host_read::Out,
    /// The master of the NIC's own registers.
    pub courier: courier::Out,
    /// To the scheduler.
    pub down: Down,
    /// The date, ns48.fns16.
    pub now: u64,
    /// No flow may send.
    pub stopped: bool,
    /// An RTT sample or a time-out goes to the engine.
    pub sample: Option<Sample>,
    /// A rate goes to the scheduler.
    pub rate: Option<FlowRate>,
    /// An event record leaves.
    pub record: Option<[u32; event::WORDS]>,
}
