//! The packet store of `timely_hw::store`: whole packets, a queue a flow, read out when their
//! grants come.
//!
//! Packets and their order are what the model keeps; which cells they lie in, and how those are
//! linked, is the RTL's own matter. How many cells are free decides what is taken in, and is kept
//! to the clock.
mod free;
mod intake;
mod queues;
mod reader;

use crate::{Block, bus::Charge, fifo, stream::Beat};
use free::Free;
use intake::{Found, Intake};
use queues::Queues;
use reader::Reader;
use std::sync::Arc;
pub use timely_regs::link::CELL_BYTES;
use timely_regs::link::LONGEST_FRAME;

/// Cells of the longest packet.
pub const PACKET_CELLS: u32 = LONGEST_FRAME / CELL_BYTES;
/// With fewer free cells no packet begins: the longest one, and two that may be taken while this is
/// found out.
pub const ROOM: u32 = PACKET_CELLS + 2;
/// With fewer free cells an input that waits stops: packets of a cell may be under way meanwhile,
/// and one of the longest.
pub const AMPLE: u32 = ROOM + 16;
/// Address bits of the queue of flows for which the input waits.
pub const BLOCKED_BITS: u32 = 4;
/// Grants that are taken before their packets begin, while packets are short.
pub const AHEAD: u32 = 15;
/// And behind a packet of more than [`LONG_BEATS`] beats.
pub const AHEAD_LONG: u32 = 1;
/// Beats of a packet that is not long.
pub const LONG_BEATS: u32 = 16;
/// Doorbells that wait when the input stops.
pub const DOORBELLS: u32 = 8;
/// Address bits of the queue of doorbells.
pub const DOORBELL_BITS: u32 = 5;
/// Address bits of the queues of grants, of packets to read, and of beats that were read.
pub const QUEUE_BITS: u32 = 4;
/// Clocks from a grant to its charge, when no other grant waits.
pub const CHARGE_LATENCY: u64 = 10;
/// Clocks from a grant to its packet's first beat, when the output is idle.
pub const LATENCY: u64 = 20;
/// Clocks from a packet's last beat to its doorbell.
pub const DOORBELL_LATENCY: u64 = 11;
/// A packet finds its flow as it was this many clocks before it is written, and so many more may be
/// on their way into the queue.
pub const IN_FLIGHT: u32 = 8;

/// A beat offered to the store.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrival {
    /// The beat.
    pub beat: Beat,
    /// With a packet's first beat: its flow.
    pub flow: u32,
    /// With a packet's first beat: it ends a segment.
    pub ends: bool,
    /// With a packet's first beat: what goes with it.
    pub meta: u128,
}

/// A record on the flow bus, as far as the store reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Flow.
    pub flow: u32,
    /// The flow may store packets.
    pub enable: bool,
    /// The flow keeps its stored packets.
    pub keep: bool,
}

impl Load {
    /// The flow's stored packets are discarded.
    pub fn voids(&self) -> bool {
        !(self.enable && self.keep)
    }
}

/// Sideband of a packet's beats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Flow.
    pub flow: u32,
    /// Launch of the grant, ns48.fns16.
    pub launch: u64,
    /// The sideband with which the packet came.
    pub meta: u128,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered.
    pub arrival: Option<Arrival>,
    /// A record loaded.
    pub load: Option<Load>,
    /// A flow that holds this many cells stores no packet more. A level: while clocks are skipped
    /// it is taken to stay.
    pub bound: u16,
    /// The input waits for a flow at its bound, and for free cells. A level as well.
    pub wait: bool,
    /// The pacer takes the doorbell.
    pub doorbell_ready: bool,
    /// A grant: a flow and its launch, ns48.fns16.
    pub grant: Option<(u32, u64)>,
    /// Downstream takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The RAMs are clear; nothing is taken before.
    pub swept: bool,
    /// A beat offered is taken.
    pub ready: bool,
    /// A flow that has stored a packet.
    pub doorbell: Option<u32>,
    /// A grant offered is taken.
    pub grant_ready: bool,
    /// A grant's charge.
    pub charge: Option<Charge>,
    /// A beat, and what goes with its packet.
    pub beat: Option<(Beat, Side)>,
    /// A packet found no room: its flow is not enabled or at its bound, or the store is full.
    pub refused: bool,
    /// A packet was too long, or a beat of it lacked bytes.
    pub malformed: bool,
    /// A packet of a flow that was loaded anew or disabled is discarded.
    pub voided: bool,
}

/// A whole packet.
#[derive(Clone, Debug, Default, PartialEq)]
struct Packet {
    flow: u32,
    ends: bool,
    meta: u128,
    /// Data of the packet's beats, bytes behind the last one included.
    data: Vec<[u8; crate::stream::WIDEST]>,
    bytes: u32,
}

impl Packet {
    fn cells(&self) -> u32 {
        self.bytes.div_ceil(CELL_BYTES)
    }
}

/// A packet to read.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    packet: Arc<Packet>,
    launch: u64,
    /// The packet's cells are freed, nothing is sent.
    discard: bool,
}

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    flow_bits: u32,
    cell_bits: u32,
    width: usize,
    swept_at: u64,
    intake: Intake,
    free: Free,
    queues: Queues,
    packets: fifo::Fifo<Read>,
    reader: Reader,
    /// The input waits at the end of a packet.
    halted: bool,
    blocked: fifo::Fifo<u32>,
    /// Flows for which it waits.
    waits: u32,
    /// Clocks for which the first of them has been looked up, and what was found in the last three.
    age: u32,
    looks: [Option<Found>; 3],
    /// The clock after the last one that was stepped, and the levels of that.
    next: u64,
    levels: (u16, bool),
}

impl Store {
    /// For `2^flow_bits` flows and `2^cell_bits` cells on a bus of `width` bits, RAM init beginning
    /// at clock 0.
    pub fn new(flow_bits: u32, cell_bits: u32, width: usize) -> Self {
        Store {
            flow_bits,
            cell_bits,
            width,
            swept_at: 1 << flow_bits.max(cell_bits),
            intake: Intake::new(width),
            free: Free::new(cell_bits),
            queues: Queues::new(flow_bits, cell_bits, width),
            packets: fifo::Fifo::new(QUEUE_BITS),
            reader: Reader::new(width),
            halted: false,
            blocked: fifo::Fifo::new(BLOCKED_BITS),
            waits: 0,
            age: 0,
            looks: [None; 3],
            next: 0,
            levels: (0, false),
        }
    }

    /// Packets that a flow's queue holds.
    pub fn queued(&self, flow: u32) -> usize {
        self.queues.queued(flow)
    }

    /// Cells that hold nothing, but for one that is always at hand.
    pub fn free_cells(&self) -> u32 {
        self.free.cells()
    }
}

impl Block for Store {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let swept = clk >= self.swept_at;
        Out {
            swept,
            ready: swept && self.queues.has_doorbells() && (!self.halted || self.intake.is_inside()),
            doorbell: self.queues.doorbell(clk),
            grant_ready: swept && self.queues.takes_grants(),
            charge: self.queues.charge(),
            beat: self.reader.beat(clk),
            refused: self.intake.refused,
            malformed: self.intake.malformed,
            voided: self.reader.voided,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Store::new(self.flow_bits, self.cell_bits, self.width);
            self.swept_at += clk + 1;
            return;
        }
        if clk < self.swept_at {
            return;
        }
        self.catch_up(clk);
        (self.next, self.levels) = (clk + 1, (i.bound, i.wait));
        self.step_once(clk, i);
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.swept_at {
            return self.swept_at;
        }
        let waits = self.waits != 0 || !self.blocked.is_empty() || self.age != 0 || self.looks.iter().any(Option::is_some);
        let idle = self.halted == (self.levels.1 && !self.free.ample) && self.free.is_settled() && self.packets.is_empty();
        let still = self.intake.is_idle() && self.reader.is_idle() && self.queues.is_idle();
        if !waits && idle && still { u64::MAX } else { clk }
    }
}

impl Store {
    // The clocks that were not stepped: flows were looked after as ever, and nothing else was done.
    fn catch_up(&mut self, clk: u64) {
        let mut at = self.next.max(self.swept_at);
        if clk > at {
            at += self.queues.pass(clk - at);
            let (bound, wait) = self.levels;
            let idle = In { bound, wait, ..In::default() };
            (at..clk).for_each(|c| self.step_once(c, &idle));
        }
    }

    fn step_once(&mut self, clk: u64, i: &In) {
        let out = self.output(clk);
        let head = self.packets.output(clk).head;
        let freed = self.reader.freed;
        let begun = self.reader.step(clk, head.as_ref(), i.ready);
        let arrival = i.arrival.filter(|_| out.ready);
        let found = arrival.map(|a| self.queues.look(a.flow));
        let (blocks, ample) = (self.intake.blocks(), self.free.ample);
        let written = self.intake.step(arrival, found, &self.free, i.bound, i.wait);
        // While the input waits, the first of the flows for which it does is looked up again and
        // again.
        let first = self.blocked.output(clk).head.filter(|_| self.halted);
        let [.., last] = self.looks;
        let judged = first.is_some() && self.age == 3;
        let passes = judged && last.is_some_and(|f| !f.open || f.held == 0 || f.held < u32::from(i.bound));
        let passes = passes || (!i.wait && self.blocked.output(clk).head.is_some());
        self.looks = [first.map(|flow| self.queues.look(flow)), self.looks[0], self.looks[1]];
        self.age = if first.is_some() && !judged { self.age + 1 } else { 0 };
        self.halted = i.wait && (blocks.is_some() || self.waits > 0 || !ample);
        self.waits = self.waits + u32::from(blocks.is_some()) - u32::from(passes);
        self.blocked.step(clk, &fifo::In { rst: false, push: blocks, ready: passes });
        self.free.step(written.take, written.rewind, freed);
        let grant = i.grant.filter(|_| out.grant_ready);
        let discarded = begun && head.is_some_and(|r| r.discard);
        let read = self.queues.step(
            clk,
            &queues::In {
                stored: written.stored,
                load: i.load,
                grant,
                begun: begun && !discarded,
                discarded,
                doorbell_ready: i.doorbell_ready,
            },
        );
        self.packets.step(clk, &fifo::In { rst: false, push: read, ready: begun });
    }
}
