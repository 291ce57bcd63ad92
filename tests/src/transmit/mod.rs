//! A card and its host around a transmit scheduler: mqnic's transmit engine with its table of
//! descriptors, a host whose reads take a while, and a MAC.
//!
//! The engine's behaviour is the published one of mqnic (revision 1ca0151b): 32 descriptors under
//! way, of which 16 may be fetched at a time; descriptors and packets go on in the order of their
//! requests; a packet is stored whole twice on its way to the MAC; a request is over when its
//! packet's completion record is written, or at once if its queue is empty.
pub mod ours;
pub mod stock;

use crate::rng;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Descriptors under way, `TX_DESC_TABLE_SIZE`, and requests, `TX_SCHEDULER_OP_TABLE_SIZE`.
pub const REQUESTS: u16 = 32;
/// Descriptors that are fetched at a time.
const FETCHES: usize = 16;
/// Clocks between two requests that are taken.
const REQUEST_CLOCKS: u64 = 3;
/// Clocks from a request to the state of its queue.
const LOOK_CLOCKS: u64 = 40;
/// Clocks that a descriptor's read takes besides the host's.
const FETCH_CLOCKS: u64 = 40;
/// Clocks that a packet's read takes besides the host's.
const READ_CLOCKS: u64 = 40;
/// Clocks from the engine's RAM to the MAC, besides a beat each of two stages.
const THROUGH_CLOCKS: u64 = 20;
/// Clocks from a packet's last byte at the MAC until its completion record is written.
const RECORD_CLOCKS: u64 = 60;
/// Bytes of the queue in front of the MAC, `TX_FIFO_DEPTH`.
const FIFO_BYTES: usize = 32 << 10;
/// Bytes that the engine's RAM keeps free for a packet of unknown length, `MAX_TX_SIZE`.
const LARGEST: usize = 9214;
/// ps of a clock.
pub const CLOCK_PS: u64 = 4000;
/// Packets that the host has posted to each queue at any time.
const POSTED: usize = 1000;
/// Packets that the host posts with a doorbell.
const BATCH: usize = 8;

/// Gb/s of a card's line, and bits of its bus.
pub type Line = (u64, usize);

/// A transmit scheduler at its ports.
pub trait Scheduler {
    /// The request that is offered: queue, tag.
    fn request(&self) -> Option<(u32, u8)>;
    /// A clock: a doorbell, whether the request is taken, and a request that is over with the bytes
    /// of its packet.
    fn step(&mut self, doorbell: Option<u32>, ready: bool, status: Option<(u8, u16)>);
}

struct Packet {
    at: u64,
    tag: u8,
    queue: u32,
}

/// A release of memory: when, bytes of the engine's RAM, bytes of the queue in front of the MAC.
type Freed = (u64, usize, usize);

/// The card but for its scheduler, and the host.
pub struct Card {
    /// Bytes of the packets of each queue.
    bytes: Vec<usize>,
    /// Bytes of a beat between engine and MAC, and of one from the host.
    beat: usize,
    host_beat: usize,
    line_mbps: u64,
    ram: usize,
    reads: RangeInclusive<u64>,
    rng: ChaCha8Rng,
    clk: u64,
    taken: Option<u64>,
    /// Entries of the table in their order, and whether each is over.
    table: VecDeque<(u8, bool)>,
    fetching: usize,
    looks: VecDeque<Packet>,
    descriptors: VecDeque<Packet>,
    data: VecDeque<Packet>,
    /// When the way from the host, and that out of the engine's RAM, are free.
    host_free: u64,
    out_free: u64,
    /// When the line is free, ps.
    line_free: u64,
    in_ram: usize,
    in_fifo: usize,
    freed: VecDeque<Freed>,
    over: VecDeque<Packet>,
    empty: VecDeque<u8>,
    held: Vec<usize>,
    unrung: Vec<usize>,
    bells: VecDeque<u32>,
    /// Packets whose requests are over, of each queue.
    pub sent: Vec<u64>,
}

impl Card {
    /// A card with a bus of `bus_bits` and a line of that rate; its host answers reads after so
    /// many clocks and always has packets of `bytes[q]` bytes for queue `q`.
    pub fn new(bus_bits: usize, line_mbps: u64, bytes: Vec<usize>, reads: RangeInclusive<u64>, rng: ChaCha8Rng) -> Self {
        let busy = bytes.len();
        Card {
            bytes,
            beat: bus_bits / 8,
            host_beat: if bus_bits < 512 { 32 } else { 64 },
            line_mbps,
            // As designs of 10G and 25G, and those of 100G have it: `TX_RAM_SIZE`.
            ram: if bus_bits < 512 { 32 << 10 } else { 128 << 10 },
            reads,
            rng,
            clk: 0,
            taken: None,
            table: VecDeque::new(),
            fetching: 0,
            looks: VecDeque::new(),
            descriptors: VecDeque::new(),
            data: VecDeque::new(),
            host_free: 0,
            out_free: 0,
            line_free: 0,
            in_ram: 0,
            in_fifo: 0,
            freed: VecDeque::new(),
            over: VecDeque::new(),
            empty: VecDeque::new(),
            held: vec![POSTED; busy],
            unrung: vec![0; busy],
            bells: (0..busy as u32).collect(),
            sent: vec![0; busy],
        }
    }

    fn ready(&self) -> bool {
        let rests = self.taken.is_none_or(|at| self.clk >= at + REQUEST_CLOCKS);
        rests && self.table.len() < usize::from(REQUESTS) && self.fetching < FETCHES
    }

    fn ends(&mut self, tag: u8) {
        // A tag may have come back for a later request.
        if let Some(entry) = self.table.iter_mut().find(|e| e.0 == tag && !e.1) {
            entry.1 = true;
        }
        while self.table.front().is_some_and(|e| e.1) {
            self.table.pop_front();
        }
    }

    /// Wire bytes that a packet of a queue takes.
    pub fn wire_bytes(&self, queue: usize) -> u64 {
        (self.bytes[queue] as u64 + 24).max(84)
    }

    fn has_room(&self) -> bool {
        let next = self.data.front().map_or(0, |p| self.bytes[p.queue as usize]);
        self.out_free <= self.clk && self.in_fifo + next <= FIFO_BYTES
    }

    /// A clock of card, host and scheduler.
    pub fn step(&mut self, scheduler: &mut impl Scheduler) {
        let clk = self.clk;
        let ready = self.ready();
        if let Some((queue, tag)) = scheduler.request().filter(|_| ready) {
            self.taken = Some(clk);
            self.table.push_back((tag, false));
            self.fetching += 1;
            self.looks.push_back(Packet { at: clk + LOOK_CLOCKS, tag, queue });
        }
        self.moves();
        let status = self.empty.pop_front().map(|tag| (tag, 0)).or_else(|| {
            let p = self.over.pop_front_if(|p| p.at <= clk)?;
            let queue = p.queue as usize;
            (self.sent[queue], self.held[queue], self.unrung[queue]) = (self.sent[queue] + 1, self.held[queue] + 1, self.unrung[queue] + 1);
            if self.unrung[queue] == BATCH {
                self.unrung[queue] = 0;
                self.bells.push_back(p.queue);
            }
            self.ends(p.tag);
            Some((p.tag, self.bytes[queue] as u16))
        });
        let bell = self.bells.pop_front();
        scheduler.step(bell, ready, status);
        self.clk += 1;
    }

    /// Packets on their way through the engine.
    fn moves(&mut self) {
        let clk = self.clk;
        while let Some((_, ram, fifo)) = self.freed.pop_front_if(|f| f.0 <= clk) {
            (self.in_ram, self.in_fifo) = (self.in_ram - ram, self.in_fifo - fifo);
        }
        let read = self.rng.random_range(self.reads.clone());
        if let Some(p) = self.looks.pop_front_if(|p| p.at <= clk) {
            let held = self.held.get_mut(p.queue as usize).filter(|n| **n > 0);
            if let Some(held) = held {
                *held -= 1;
                let before = self.descriptors.back().map_or(0, |d| d.at + 1);
                self.descriptors.push_back(Packet { at: (clk + FETCH_CLOCKS + read).max(before), ..p });
            } else {
                self.fetching -= 1;
                self.empty.push_back(p.tag);
                self.ends(p.tag);
            }
        }
        let read = self.rng.random_range(self.reads.clone());
        if self.in_ram + LARGEST <= self.ram
            && let Some(p) = self.descriptors.pop_front_if(|p| p.at <= clk)
        {
            self.fetching -= 1;
            let bytes = self.bytes[p.queue as usize];
            self.in_ram += bytes;
            let beats = bytes.div_ceil(self.host_beat) as u64;
            let from = self.host_free.max(clk);
            self.host_free = from + beats;
            self.data.push_back(Packet { at: from + beats + READ_CLOCKS + read, ..p });
        }
        if self.has_room()
            && let Some(p) = self.data.pop_front_if(|p| p.at <= clk)
        {
            let bytes = self.bytes[p.queue as usize];
            let beats = bytes.div_ceil(self.beat) as u64;
            self.out_free = clk + beats;
            self.in_fifo += bytes;
            let at = (clk + 2 * beats + THROUGH_CLOCKS) * CLOCK_PS;
            self.line_free = self.line_free.max(at) + self.wire_bytes(p.queue as usize) * 8_000_000 / self.line_mbps;
            let left = self.line_free.div_ceil(CLOCK_PS);
            self.freed.push_back((self.out_free, bytes, 0));
            self.freed.push_back((left, 0, bytes));
            // Memory that is free first comes first.
            self.freed.make_contiguous().sort_by_key(|f| f.0);
            self.over.push_back(Packet { at: left + RECORD_CLOCKS, ..p });
        }
    }
}

/// Gb/s on the wire of each queue in so many clocks, behind a quarter of them, of a card that
/// begins with that scheduler.
pub fn rates((gbps, bus_bits): Line, seed: u64, bytes: Vec<usize>, clocks: u64, scheduler: &mut impl Scheduler) -> Vec<f64> {
    // A host's read takes 400 to 1,600 ns.
    let mut card = Card::new(bus_bits, gbps * 1000, bytes, 100..=400, rng(seed));
    (0..clocks / 4).for_each(|_| card.step(scheduler));
    let before = card.sent.clone();
    (0..clocks).for_each(|_| card.step(scheduler));
    let gbps = |(queue, sent): (usize, &u64)| ((sent - before[queue]) * card.wire_bytes(queue) * 8000) as f64 / (clocks * CLOCK_PS) as f64;
    card.sent.iter().enumerate().map(gbps).collect()
}
