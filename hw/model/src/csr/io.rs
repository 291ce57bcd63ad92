//! Inputs and outputs of the register block at a clock.
use super::Settings;
use crate::bus::{Answer, FlowLoad, ProfileWrite, Query};
use crate::dma::Look;

/// Inputs at a clock. `swept`, `loading`, what is looked at, `histogram_count`,
/// `histogram_clearing`, `pair_status` and `pair_told` are levels that are taken to stay as they
/// are while clocks are skipped.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A write address is offered.
    pub aw: Option<u32>,
    /// Write data and strobes are offered.
    pub w: Option<(u32, u8)>,
    /// The write response is taken.
    pub b_ready: bool,
    /// A read address is offered.
    pub ar: Option<u32>,
    /// The read response is taken.
    pub r_ready: bool,
    /// The doorbell is taken.
    pub hd_ready: bool,
    /// Telemetry answers.
    pub answer: Option<Answer>,
    /// Value of DMA's register that was looked at last.
    pub look_live: u32,
    /// DMA's register that was looked at last refuses a write.
    pub look_refuse: bool,
    /// DMA loads flows.
    pub loading: bool,
    /// A flow that DMA loads.
    pub bulk: Option<FlowLoad>,
    /// The count of the bin that is asked for.
    pub histogram_count: u32,
    /// Histograms that are not cleared yet.
    pub histogram_clearing: u16,
    /// State of the table of queue pairs, as `roce::STATUS` shows it; 0 without a table.
    pub pair_status: u32,
    /// Findings of the table's commands, as `roce::TOLD` shows them; 0 without a table.
    pub pair_told: u32,
    /// Counted events of all blocks, by `timely_regs::counters`.
    pub pulses: u64,
    /// Every block has cleared its RAM.
    pub swept: bool,
    /// The time, ns48.fns16.
    pub now: u64,
}

/// Response of an access that was carried out.
pub const OKAY: u8 = 0;
/// Response of an access that was refused.
pub const SLVERR: u8 = 2;

/// A doorbell of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doorbell {
    /// Flow.
    pub flow: u32,
    /// Packets that it posts, at least 1.
    pub packets: u16,
}

/// A rate that the host sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRate {
    /// Flow.
    pub flow: u32,
    /// Rate, 2^-12 Mb/s.
    pub rate: u32,
}

/// The register bus of [`Out`] alone.
#[derive(Clone, Copy, Debug)]
pub struct Bus {
    /// A write address is taken.
    pub aw_ready: bool,
    /// Write data are taken.
    pub w_ready: bool,
    /// A read address is taken.
    pub ar_ready: bool,
    /// Write response.
    pub b: Option<u8>,
    /// Read data and response.
    pub r: Option<(u32, u8)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// A write address is taken.
    pub aw_ready: bool,
    /// Write data are taken.
    pub w_ready: bool,
    /// A read address is taken.
    pub ar_ready: bool,
    /// Write response.
    pub b: Option<u8>,
    /// Read data and response.
    pub r: Option<(u32, u8)>,
    /// Settings.
    pub settings: Settings,
    /// No grant may leave.
    pub stop: bool,
    /// A time to step to, ns48.fns16.
    pub time_set: Option<u64>,
    /// A word of a profile changes.
    pub profile: Option<ProfileWrite>,
    /// A flow is loaded.
    pub flow: Option<FlowLoad>,
    /// A flow's rate is set.
    pub host: Option<HostRate>,
    /// A doorbell waits to be taken.
    pub doorbell: Option<Doorbell>,
    /// A write is carried out: word and data.
    pub written: Option<(u32, u32)>,
    /// A register is looked at.
    pub look: Option<Look>,
    /// The heartbeat is lost.
    pub lost: bool,
    /// A soft reset is under way.
    pub clearing: bool,
    /// A flow's record is asked for.
    pub query: Option<Query>,
    /// The bin whose count is asked for, and above it its profile.
    pub histogram_at: u16,
    /// Histograms to be cleared.
    pub histogram_clear: u16,
}
