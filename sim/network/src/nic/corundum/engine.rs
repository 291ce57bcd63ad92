//! Corundum's transmit engine: requests become packets out of the host's memory, in their order,
//! which go past the application block into a queue and from there towards the MAC; when a packet
//! has left and its completion record is written, its request is over.
//!
//! The times are those of the core itself, simulated with 64 bits and a memory that answers at
//! once: 541 clocks from a request to a packet of 1,514 bytes at the MAC, of which each of two
//! stages takes as many as the packet has beats (`docs/corundum.md`).
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use timely_model::app_block::TimeOfDay;
use timely_model::app_block::app::{Beside, CoreBeat};
use timely_model::app_block::departures::OF_CORE;
use timely_model::stream::{Assembler, Beat, beat};

/// Clocks between two requests that are taken.
const REQUEST_CLOCKS: u64 = 3;
/// Clocks from a request to what the queue's manager says of the queue.
const LOOK_CLOCKS: u64 = 40;
/// Clocks that a packet takes to the engine's RAM besides the reads of the host's memory.
const FETCH_CLOCKS: u64 = 80;
/// Clocks from a frame's last beat past the application block to its first towards the MAC.
const THROUGH_CLOCKS: u64 = 12;
/// Clocks from a packet's completion until its record is written and its request over.
const RECORD_CLOCKS: u64 = 60;
/// Bytes of the queue in front of the MAC.
const QUEUE_BYTES: usize = 32 << 10;

/// A packet that is read.
struct Packet {
    /// Clock at which the packet is in the engine's RAM.
    at: u64,
    request: (u32, u8),
    frame: Vec<u8>,
}

/// A frame in the queue in front of the MAC.
struct Waiting {
    at: u64,
    tag: u16,
    frame: Vec<u8>,
}

/// The engine.
pub struct Engine {
    width: usize,
    /// Clocks that reads of the host's memory take.
    dma: RangeInclusive<u64>,
    /// Bytes of its RAM, `TX_RAM_SIZE`, and those that are taken.
    ram: usize,
    used: usize,
    rng: ChaCha8Rng,
    asked: Option<u64>,
    looks: VecDeque<(u64, u32, u8)>,
    packets: VecDeque<Packet>,
    /// Beats of the first packet that were taken.
    at_packet: usize,
    passing: Assembler,
    queue: VecDeque<Waiting>,
    queued: usize,
    at_frame: usize,
    /// Frames on their way out of the core: tag, request, bytes.
    leaving: VecDeque<(u16, (u32, u8), usize)>,
    completions: VecDeque<(u16, TimeOfDay)>,
    over: VecDeque<(u64, u8, u16)>,
    sent: u16,
}

/// End of a request.
pub struct Over {
    /// The queue.
    pub queue: u32,
    /// Bytes of its packet.
    pub bytes: usize,
}

impl Engine {
    /// An engine on a bus of `width` bits.
    pub fn new(width: usize, dma: RangeInclusive<u64>, seed: u64) -> Self {
        Engine {
            width,
            dma,
            // As Corundum's designs of 10G and 25G, and those of 100G have it.
            ram: if width < 512 { 32 << 10 } else { 128 << 10 },
            used: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            asked: None,
            looks: VecDeque::new(),
            packets: VecDeque::new(),
            at_packet: 0,
            passing: Assembler::default(),
            queue: VecDeque::new(),
            queued: 0,
            at_frame: 0,
            leaving: VecDeque::new(),
            completions: VecDeque::new(),
            over: VecDeque::new(),
            sent: 0,
        }
    }

    fn beats(&self, bytes: usize) -> u64 {
        (8 * bytes).div_ceil(self.width) as u64
    }

    /// A request is taken at this clock.
    pub fn ready(&self, clk: u64) -> bool {
        self.asked.is_none_or(|at| clk >= at + REQUEST_CLOCKS)
    }

    /// A packet of a queue is requested, with a tag.
    pub fn asked(&mut self, clk: u64, (queue, tag): (u32, u8)) {
        self.asked = Some(clk);
        let after = self.looks.back().map_or(0, |l| l.0 + 1);
        self.looks.push_back(((clk + LOOK_CLOCKS).max(after), queue, tag));
    }

    /// The request whose queue is looked at at this clock: the packet that it has, if any, is
    /// fetched. `first` is the length of the queue's first packet.
    pub fn looks(&self, clk: u64, first: impl Fn(u32) -> Option<usize>) -> Option<(u32, u8)> {
        let &(at, queue, tag) = self.looks.front()?;
        let fits = first(queue).is_none_or(|bytes| self.used == 0 || self.used + bytes <= self.ram);
        (at <= clk && fits).then_some((queue, tag))
    }

    /// The packet of the queue that was looked at, or none: then its request is over.
    pub fn found(&mut self, clk: u64, frame: Option<Vec<u8>>) {
        let Some((_, queue, tag)) = self.looks.pop_front() else { return };
        let Some(frame) = frame else {
            self.over.push_back((clk + 1, tag, 0));
            return;
        };
        self.used += frame.len();
        let dma = self.rng.random_range(self.dma.clone());
        // Reads are answered in any order; packets go on in that of their requests.
        let free = self.packets.back().map_or(0, |p| p.at);
        let at = (clk + FETCH_CLOCKS + dma).max(free) + self.beats(frame.len());
        self.packets.push_back(Packet { at, request: (queue, tag), frame });
    }

    /// The beat out of a queue that is offered at this clock.
    pub fn out(&self, clk: u64) -> Option<(Beat, Beside)> {
        let p = self.packets.front().filter(|p| p.at <= clk)?;
        let beside = Beside { queue: p.request.0 as u16, tag: OF_CORE | (self.sent % 32), ..Beside::default() };
        Some((beat(&p.frame, self.width, self.at_packet), beside))
    }

    /// The offered beat out of a queue is accepted.
    pub fn out_taken(&mut self) {
        self.at_packet += 1;
        let Some(p) = self.packets.front() else { return };
        if self.at_packet as u64 == self.beats(p.frame.len()) {
            let (request, bytes) = (p.request, p.frame.len());
            self.packets.pop_front();
            self.at_packet = 0;
            self.used -= bytes;
            self.leaving.push_back((OF_CORE | (self.sent % 32), request, bytes));
            self.sent = self.sent.wrapping_add(1);
        }
    }

    /// The queue in front of the MAC has room for a beat.
    pub fn has_room(&self) -> bool {
        self.queued + self.width / 8 <= QUEUE_BYTES
    }

    /// A beat has passed the application block.
    pub fn passed(&mut self, clk: u64, beat: &Beat, beside: &Beside) {
        self.queued += usize::from(beat.bytes);
        if let Some(frame) = self.passing.push(beat) {
            self.queue.push_back(Waiting { at: clk + THROUGH_CLOCKS, tag: beside.tag, frame });
        }
    }

    /// The beat that goes towards the MAC at this clock.
    pub fn towards(&self, clk: u64) -> Option<CoreBeat> {
        let f = self.queue.front().filter(|f| f.at <= clk)?;
        Some((beat(&f.frame, self.width, self.at_frame), f.tag, false))
    }

    /// The offered beat towards the MAC is accepted.
    pub fn towards_taken(&mut self) {
        let Some(f) = self.queue.front() else { return };
        let bytes = f.frame.len();
        self.at_frame += 1;
        if self.at_frame as u64 == self.beats(bytes) {
            self.queue.pop_front();
            (self.at_frame, self.queued) = (0, self.queued - bytes);
        }
    }

    /// The MAC's completion of a frame.
    pub fn completes(&mut self, tag: u16, stamp: TimeOfDay) {
        self.completions.push_back((tag, stamp));
    }

    /// The completion that is offered to the application block.
    pub fn completion(&self) -> Option<(u16, TimeOfDay)> {
        self.completions.front().copied()
    }

    /// The offered completion is accepted.
    pub fn completion_taken(&mut self) {
        self.completions.pop_front();
    }

    /// A completion has passed the application block; gives the queue and the bytes of the packet
    /// that has left.
    pub fn completed(&mut self, clk: u64, tag: u16) -> Option<Over> {
        let (sent, (queue, request), bytes) = self.leaving.pop_front()?;
        debug_assert_eq!(sent, tag, "completions come in the order of the frames");
        self.over.push_back((clk + RECORD_CLOCKS, request, bytes as u16));
        Some(Over { queue, bytes })
    }

    /// The request that is over at this clock: its tag, the bytes of its packet.
    pub fn status(&mut self, clk: u64) -> Option<(u8, u16)> {
        // Of empty queues it is said at once, of the others when their records are written.
        let at = self.over.iter().position(|o| o.0 <= clk)?;
        self.over.remove(at).map(|(_, tag, bytes)| (tag, bytes))
    }

    /// The first clock from `clk` on at which it does something by itself. What is offered and not
    /// taken asks for every clock.
    pub fn wake(&self, clk: u64) -> u64 {
        if !self.completions.is_empty() {
            return clk;
        }
        let times = [self.looks.front().map(|l| l.0), self.packets.front().map(|p| p.at), self.queue.front().map(|f| f.at)];
        let first = times.into_iter().flatten().chain(self.over.iter().map(|o| o.0)).min();
        first.map_or(u64::MAX, |at| at.max(clk))
    }

    /// The card was reset: what was under way is forgotten.
    pub fn reset(&mut self) {
        *self = Engine { rng: self.rng.clone(), ram: self.ram, ..Engine::new(self.width, self.dma.clone(), 0) };
    }
}
