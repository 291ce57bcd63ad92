//! The host's memory behind a bit-true NIC's AXI4 master: it answers late and stalls, by seed. Data
//! is stored in a sparse page map, or in another [`Store`].
//!
//! The memory's behaviour at a clock depends on seed, clock and bursts alone, not on which clocks
//! it is stepped at: a NIC that skips idle clocks sees the same memory as one that does not.
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use timely_model::dma::{Master, OKAY, ReadBeat, SLVERR, Slave};

/// Bytes of a burst.
const BURST: usize = 64;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// How a memory answers.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// A channel takes what is offered, so often in 256 times four clocks.
    pub ready: u32,
    /// Clocks from a burst to its answer: at least, and by how many more at most.
    pub latency: (u64, u64),
    /// One burst in so many is answered with an error; 0: none.
    pub errors: u64,
}

impl Default for Behaviour {
    /// Like a host's memory behind PCIe, in clocks of 4 ns.
    fn default() -> Self {
        Behaviour { ready: 224, latency: (60, 120), errors: 0 }
    }
}

/// Memory outside this model.
pub trait Store: Send {
    /// Copies from it; `false` when there is nothing to be read there, or not all of it.
    fn read(&self, address: u64, to: &mut [u8]) -> bool;

    /// Copies into it; `false` when there is nothing to be written there, or not all of it.
    fn write(&mut self, address: u64, from: &[u8]) -> bool;
}

struct Write {
    due: u64,
    address: u64,
    data: [u8; BURST],
    response: u8,
}

/// The memory.
pub struct Memory {
    pages: BTreeMap<u64, Box<[u8; PAGE as usize]>>,
    /// In place of the pages.
    store: Option<Box<dyn Store>>,
    /// No burst starts.
    held: bool,
    seed: u64,
    behaviour: Behaviour,
    /// Bytes of a beat.
    bytes: usize,
    /// Addresses that answer with an error.
    unmapped: Vec<Range<u64>>,
    addresses: VecDeque<u64>,
    data: Vec<u8>,
    writes: VecDeque<Write>,
    reads: VecDeque<(u64, ReadBeat)>,
    bursts: u64,
}

/// A number of a seed and an index, as good as random.
fn mixed(seed: u64, index: u64, stream: u64) -> u64 {
    let mut z = seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream << 56;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Memory {
    /// A memory of zeros for a bus of `bytes` a beat.
    pub fn new(seed: u64, bytes: usize, behaviour: Behaviour) -> Self {
        Memory {
            pages: BTreeMap::new(),
            store: None,
            held: false,
            seed,
            behaviour,
            bytes,
            unmapped: Vec::new(),
            addresses: VecDeque::new(),
            data: Vec::new(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            bursts: 0,
        }
    }

    /// Answers otherwise from now on.
    pub fn set_behaviour(&mut self, behaviour: Behaviour) {
        self.behaviour = behaviour;
    }

    /// Makes a range of addresses answer with an error from now on.
    pub fn unmap(&mut self, addresses: Range<u64>) {
        self.unmapped.push(addresses);
    }

    /// All addresses answer again.
    pub fn map_all(&mut self) {
        self.unmapped.clear();
    }

    /// Puts a store in the place of the pages. It is written when the last beat of a burst is
    /// taken, and read when its address is: so nothing that is in flight touches it any more.
    pub fn back(&mut self, store: Box<dyn Store>) {
        self.store = Some(store);
    }

    /// While it is held, no burst starts; those that have started end.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Bursts that it has taken.
    pub fn bursts(&self) -> u64 {
        self.bursts
    }

    /// Copies from memory; zeros where a store has none.
    pub fn read(&self, address: u64, to: &mut [u8]) {
        if let Some(store) = &self.store {
            if !store.read(address, to) {
                to.fill(0);
            }
            return;
        }
        for (i, byte) in to.iter_mut().enumerate() {
            let at = address.wrapping_add(i as u64);
            *byte = self.pages.get(&(at / PAGE)).map_or(0, |p| p[(at % PAGE) as usize]);
        }
    }

    /// Copies into memory.
    pub fn write(&mut self, address: u64, from: &[u8]) {
        if let Some(store) = &mut self.store {
            store.write(address, from);
            return;
        }
        for (i, byte) in from.iter().enumerate() {
            let at = address.wrapping_add(i as u64);
            let page = self.pages.entry(at / PAGE).or_insert_with(|| Box::new([0; PAGE as usize]));
            page[(at % PAGE) as usize] = *byte;
        }
    }

    /// Forgets bursts in flight, as a NIC does in reset; stored data stays.
    pub fn reset(&mut self) {
        self.addresses.clear();
        self.data.clear();
        self.writes.clear();
        self.reads.clear();
    }

    /// No burst is in flight.
    pub fn is_idle(&self) -> bool {
        self.addresses.is_empty() && self.data.is_empty() && self.writes.is_empty() && self.reads.is_empty()
    }

    fn is_ready(&self, clk: u64, channel: u64) -> bool {
        mixed(self.seed, clk / 4, channel) % 256 < self.behaviour.ready.into()
    }

    /// Signals of the slave at clock `clk`.
    pub fn slave(&self, clk: u64) -> Slave {
        // A burst of which one channel was taken has started.
        let (address, data) = (!self.addresses.is_empty(), !self.data.is_empty());
        Slave {
            aw_ready: self.is_ready(clk, 1) && (!self.held || data && !address),
            w_ready: self.is_ready(clk, 2) && (!self.held || data || address),
            b: self.writes.front().filter(|w| w.due <= clk).map(|w| w.response),
            ar_ready: self.is_ready(clk, 3) && !self.held,
            r: self.reads.front().filter(|r| r.0 <= clk).map(|r| r.1),
        }
    }

    /// When the next burst's answer comes, and what it is.
    fn answer(&mut self, clk: u64, address: u64, stream: u64, last: Option<u64>) -> (u64, u8) {
        let (least, more) = self.behaviour.latency;
        self.bursts += 1;
        let due = clk + 1 + least + mixed(self.seed, self.bursts, stream) % (more + 1);
        let unlucky = self.behaviour.errors != 0 && mixed(self.seed, self.bursts, stream + 1).is_multiple_of(self.behaviour.errors);
        let bad = unlucky || !address.is_multiple_of(BURST as u64) || self.unmapped.iter().any(|r| r.contains(&address));
        (last.map_or(due, |last| due.max(last + 1)), if bad { SLVERR } else { OKAY })
    }

    /// The edge that ends clock `clk`, at which the NIC showed `m`.
    pub fn step(&mut self, clk: u64, m: &Master) {
        let shown = self.slave(clk);
        // A write is in memory when it is answered, and in our own pages not before.
        if shown.b.is_some()
            && let Some(w) = self.writes.pop_front()
            && w.response == OKAY
            && self.store.is_none()
        {
            self.write(w.address, &w.data);
        }
        if shown.r.is_some() && m.r_ready {
            self.reads.pop_front();
        }
        if let Some(address) = m.aw.filter(|_| shown.aw_ready) {
            self.addresses.push_back(address);
        }
        if let Some((data, _)) = m.w.filter(|_| shown.w_ready) {
            self.data.extend_from_slice(&data[..self.bytes]);
        }
        if self.data.len() >= BURST
            && let Some(address) = self.addresses.pop_front()
        {
            let (due, mut response) = self.answer(clk, address, 4, self.writes.back().map(|w| w.due));
            let data: Vec<u8> = self.data.drain(..BURST).collect();
            let mut burst = [0; BURST];
            burst.copy_from_slice(&data);
            if response == OKAY
                && let Some(store) = &mut self.store
                && !store.write(address, &burst)
            {
                response = SLVERR;
            }
            self.writes.push_back(Write { due, address, data: burst, response });
        }
        if let Some(address) = m.ar.filter(|_| shown.ar_ready) {
            let (due, mut response) = self.answer(clk, address, 6, self.reads.back().map(|r| r.0));
            let mut burst = [0; BURST];
            match &self.store {
                Some(store) if response == OKAY && !store.read(address, &mut burst) => response = SLVERR,
                Some(_) => {}
                None => self.read(address, &mut burst),
            }
            for (i, beat) in burst.chunks(self.bytes).enumerate() {
                let mut data = [0; BURST];
                data[..self.bytes].copy_from_slice(beat);
                let gaps = mixed(self.seed, self.bursts, 8) % 3;
                let last = (i + 1) * self.bytes == BURST;
                self.reads.push_back((due + i as u64 * (1 + gaps / 2), ReadBeat { data, response, last }));
            }
        }
    }

    /// The first clock from `clk` on at which it has something to say to a NIC that asks for
    /// nothing more.
    pub fn wake(&self, clk: u64) -> u64 {
        let write = self.writes.front().map_or(u64::MAX, |w| w.due);
        write.min(self.reads.front().map_or(u64::MAX, |r| r.0)).max(clk)
    }
}
