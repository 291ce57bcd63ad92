//! Inputs and outputs of the DMA block at a clock.
use crate::bus::FlowLoad;
use crate::stream::WIDEST;
use timely_regs::flow;

/// Words of an event record.
pub const RECORD_WORDS: usize = timely_regs::event::WORDS;
/// Words of an answer to a query, a telemetry record.
pub const ANSWER_WORDS: usize = timely_regs::telemetry::WORDS;
/// Response of a memory that did what was asked.
pub const OKAY: u8 = 0;
/// Response of a memory that could not.
pub const SLVERR: u8 = 2;

/// A register access of csr that is being looked at: word of the map, and what a write would write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Word.
    pub word: u32,
    /// Data.
    pub data: u32,
}

/// Outputs of the AXI4 master. Every burst has 64 bytes at a multiple of 64, is of type INCR, and
/// of one ID. Write responses are always taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// Address of a write burst.
    pub aw: Option<u64>,
    /// Beat of a write burst, byte 0 first, and whether it is the last. All bytes of the bus are
    /// strobed.
    pub w: Option<([u8; WIDEST], bool)>,
    /// Address of a read burst.
    pub ar: Option<u64>,
    /// A beat of a read burst is taken.
    pub r_ready: bool,
}

/// A beat that the memory gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBeat {
    /// Bytes, byte 0 first; as many as the bus has.
    pub data: [u8; WIDEST],
    /// Response: 2 and 3 are errors.
    pub response: u8,
    /// Last of its burst.
    pub last: bool,
}

/// Outputs of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slave {
    /// The address of a write burst is taken.
    pub aw_ready: bool,
    /// A beat of a write burst is taken.
    pub w_ready: bool,
    /// Response to a write burst: 2 and 3 are errors.
    pub b: Option<u8>,
    /// The address of a read burst is taken.
    pub ar_ready: bool,
    /// Beat of a read burst.
    pub r: Option<ReadBeat>,
}

impl Slave {
    /// Nothing is taken, nothing given.
    pub fn is_idle(&self) -> bool {
        *self == Slave::default()
    }
}

/// Inputs at a clock. `lost` is a level that is taken to stay as it is while clocks are skipped.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A write that csr has carried out: word of the map and data.
    pub written: Option<(u32, u32)>,
    /// An access that csr looks at.
    pub look: Option<Look>,
    /// The heartbeat is lost.
    pub lost: bool,
    /// An event record is offered.
    pub record: Option<[u32; RECORD_WORDS]>,
    /// A query is taken.
    pub query_ready: bool,
    /// The answer to it.
    pub answer: Option<[u32; ANSWER_WORDS]>,
    /// The memory.
    pub memory: Slave,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// Value of the register that was looked at last, if hardware changes it.
    pub live: u32,
    /// A write to it is refused now.
    pub refuse: bool,
    /// The event record is taken.
    pub record_ready: bool,
    /// A flow's telemetry record is asked for.
    pub query: Option<u32>,
    /// A flow to be loaded.
    pub load: Option<FlowLoad>,
    /// A load is under way: csr must not load.
    pub loading: bool,
    /// Interrupt lines, `timely_regs::map::dma`; levels.
    pub irq: u32,
    /// The AXI4 master.
    pub memory: Master,
}

/// The 64 bytes that 16 words are in memory.
pub fn bytes(words: &[u32]) -> [u8; WIDEST] {
    let mut all = [0; WIDEST];
    for (to, word) in all.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    all
}

/// The words that 64 bytes in memory are.
pub fn words(bytes: &[u8; WIDEST]) -> [u32; flow::WORDS] {
    std::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}
