//! The surroundings of the DMA block: csr, a driver that does everything right and wrong, the
//! record stream, telemetry, memory.
use crate::oracle::Oracle;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_model::dma::{ANSWER_WORDS, In, Look, Out, RECORD_WORDS};
use timely_regs::map::{Build, Register, decode, dma, record_bounds};
use timely_sim::nic::memory::{Behaviour, Memory};
use timely_tests::Runs;

/// Where the ring, a snapshot and the records of a load may be: the first cross 4 GiB, and the last
/// of each where the carry goes through the upper half.
pub const RINGS: [u64; 4] = [0xffff_ff80, 0x1_2345_6000, 0x40, 0x7fff_ffff_ffff_ff80];
/// As [`RINGS`], for snapshots. Halves of addresses mix; none of one kind is one of another.
pub const SNAPSHOTS: [u64; 3] = [0x7_ffff_fc00, 0x6_0020_0000, 0x1fff_ffff_ffff_fc00];
/// As [`RINGS`], for loads.
pub const LOADS: [u64; 3] = [0xa_ffff_fe00, 0x9_0030_0000, 0x3fff_ffff_ffff_fe00];

/// Clocks from csr's look at a register to the write of it.
const WRITE_CLOCKS: u64 = 4;

/// An access of the stub of csr.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// When it is looked at.
    pub at: u64,
    /// Register's word.
    pub word: u32,
    /// Data, of a write.
    pub write: Option<u32>,
}

/// How often things go wrong.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Bursts until one fails, when they do.
    pub errors: u64,
    /// A lost heartbeat, a reset, an answer that never comes; probabilities.
    pub lost: f64,
    pub rst: f64,
    pub silent: f64,
    /// CONTROL is written 0, the consumer index is nonsense; of the driver's actions.
    pub stop: f64,
    pub nonsense: f64,
}

pub struct World {
    pub memory: Memory,
    pub oracle: Oracle,
    faults: Faults,
    flow_bits: u32,
    /// Writes of csr's RAM init after reset.
    sweep: VecDeque<(u32, u32)>,
    access: Option<Access>,
    /// The values read last: status and producer index.
    status: u32,
    producer: u32,
    consumer: u32,
    pace: u32,
    records: Runs,
    record: Option<[u32; RECORD_WORDS]>,
    number: u32,
    grants: Runs,
    answers: VecDeque<(u64, u32)>,
    lost: bool,
    just_lost: bool,
    /// Until this clock the ring runs: nothing fails or is stopped, and its consumer keeps up.
    steady: u64,
    /// Writes that come before any other, the next one last.
    script: Vec<(Register, u32)>,
}

/// A flow record that csr would take; or, now and then, one that it would not.
fn flow_record(rng: &mut impl Rng) -> [u32; RECORD_WORDS] {
    let mut record: [u32; RECORD_WORDS] = std::array::from_fn(|i| {
        let (mask, least, most) = record_bounds(i as u32);
        (rng.random::<u32>() & mask).clamp(least, most)
    });
    if rng.random_bool(0.2) {
        record[rng.random_range(0..RECORD_WORDS)] ^= 1 << rng.random_range(0..32);
    }
    if rng.random_bool(0.1) {
        record[1] &= 0xffff;
    }
    record
}

fn sweep(flow_bits: u32) -> VecDeque<(u32, u32)> {
    let build = Build { flow_bits, bus_bits: 64, ring_bits: 4, clock_ps: 4000, ptp: 0 };
    let words = dma::BLOCK.base / 4..dma::BLOCK.base / 4 + 64;
    // Behind the sweep, addresses that are none of the ring's.
    let apart = [(dma::SNAPSHOT[0], 0x20_0000), (dma::SNAPSHOT[1], 6), (dma::LOAD[0], 0x30_0000), (dma::LOAD[1], 9)];
    words.map(|word| (word, decode(word, &build).reset)).chain(apart.map(|(r, v)| (r.word(), v))).collect()
}

impl World {
    pub fn new(rng: &mut ChaCha8Rng, flow_bits: u32, bytes: usize, faults: Faults) -> Self {
        let mut memory = Memory::new(rng.random(), bytes, Behaviour::default());
        for (low, high) in LOADS.iter().flat_map(|l| LOADS.map(|h| (l & 0xffff_ffff, h >> 32 << 32))) {
            for i in 0..1 << flow_bits {
                let record = flow_record(rng);
                memory.write((high | low) + 64 * i, &timely_model::dma::bytes(&record));
            }
        }
        World {
            memory,
            oracle: Oracle::new(flow_bits),
            faults,
            flow_bits,
            sweep: sweep(flow_bits),
            access: None,
            status: 0,
            producer: 0,
            consumer: 0,
            pace: 12,
            records: Runs::new(0.5, 60),
            record: None,
            number: 0,
            grants: Runs::new(0.7, 5),
            answers: VecDeque::new(),
            lost: false,
            just_lost: false,
            steady: 0,
            script: vec![],
        }
    }

    fn is_steady(&self, clk: u64) -> bool {
        clk < self.steady
    }

    /// A write that makes sense more often than not, or a read.
    fn action(&mut self, clk: u64, rng: &mut ChaCha8Rng) -> (Register, Option<u32>) {
        let calm = self.is_steady(clk);
        if let Some((r, value)) = self.script.pop() {
            return (r, Some(value));
        }
        if calm && rng.random_bool(0.9) {
            if self.consumer == self.producer {
                return (dma::PRODUCER, None);
            }
            self.consumer = self.producer;
            return (dma::CONSUMER, Some(self.consumer));
        }
        let flows = 1u32 << self.flow_bits;
        let running = self.status & 1 != 0;
        let set = |r: Register, value: u32| (r, Some(value));
        let part = |base: u64, high: bool| if high { (base >> 32) as u32 } else { base as u32 };
        if !running && rng.random_bool(0.2) {
            return set(dma::CONTROL, if rng.random_bool(0.9) { 3 } else { 1 });
        }
        if running && !calm && rng.random_bool(self.faults.stop) {
            return set(dma::CONTROL, 0);
        }
        match rng.random_range(0..24) {
            0 => set(dma::INTERRUPT_MASK, rng.random_range(0..64)),
            1 => {
                let base = RINGS[rng.random_range(0..RINGS.len())];
                let high = rng.random();
                set(if high { dma::RING_HIGH } else { dma::RING_LOW }, part(base, high))
            }
            // Now and then of any width: behind a consumer index that is nonsense, or of 0 in a bit
            // that should be 1, they show.
            2 => {
                set(dma::RING_SIZE, if rng.random_bool(0.8) { rng.random_range(1..=5) } else { rng.random_range(1..=dma::MOST_RING_BITS) })
            }
            3 => set(
                dma::WATERMARK,
                if rng.random_bool(0.8) { rng.random_range(1..=12) } else { 1 << rng.random_range(0..=dma::MOST_RING_BITS) },
            ),
            4 => set(dma::HOLDOFF, [0, 5, 200, 3000, 1 << rng.random_range(12..32)][rng.random_range(0..5)]),
            5 | 6 => set(dma::INTERRUPT, rng.random_range(0..64)),
            7..=10 => {
                let unread = self.producer.wrapping_sub(self.consumer);
                if !calm && rng.random_bool(self.faults.nonsense) {
                    return set(dma::CONSUMER, rng.random());
                }
                self.consumer = self.consumer.wrapping_add(rng.random_range(0..=unread));
                set(dma::CONSUMER, self.consumer)
            }
            n @ 11..=15 => {
                let (of, bases) = if rng.random() { (&dma::SNAPSHOT, &SNAPSHOTS) } else { (&dma::LOAD, &LOADS) };
                match n {
                    11 | 12 => {
                        let base = bases[rng.random_range(0..bases.len())];
                        let high = n == 12;
                        set(of[usize::from(high)], part(base, high))
                    }
                    13 => set(
                        of[2],
                        [0, rng.random_range(0..flows), 1 << rng.random_range(0..16), rng.random::<u32>() >> rng.random_range(16..32)]
                            [rng.random_range(0..4)],
                    ),
                    14 => set(
                        of[3],
                        if rng.random_bool(0.8) {
                            rng.random_range(1..=flows)
                        } else {
                            [1 << rng.random_range(0..17), rng.random_range(1..=1 << 16)][rng.random_range(0..2)]
                        },
                    ),
                    _ => set(of[4], 1),
                }
            }
            16 if !calm => set([dma::CONTROL, dma::SNAPSHOT[4], dma::LOAD[4]][rng.random_range(0..3)], 1),
            17 | 18 => (dma::STATUS, None),
            19 | 20 => (dma::PRODUCER, None),
            21 => (if rng.random() { dma::SNAPSHOT_PROGRESS } else { dma::SNAPSHOT_STATUS }, None),
            22 => (if rng.random() { dma::LOAD_PROGRESS } else { dma::LOAD_STATUS }, None),
            _ => {
                let block = dma::BLOCK.registers;
                (block[rng.random_range(0..block.len())], None)
            }
        }
    }

    /// The stub of csr: what it looks at, and what it writes.
    fn csr(&mut self, clk: u64, rng: &mut ChaCha8Rng, out: &Out) -> (Option<Look>, Option<(u32, u32)>) {
        if let Some((word, data)) = self.sweep.pop_front() {
            self.oracle.written(word, data);
            return (None, Some((word, data)));
        }
        let mut written = None;
        if let Some(a) = self.access {
            if clk == a.at + 1 {
                let is = |r: Register| r.word() == a.word;
                if is(dma::STATUS) {
                    self.status = out.live;
                } else if is(dma::PRODUCER) {
                    self.producer = out.live;
                } else if is(dma::CONSUMER) {
                    self.consumer = out.live;
                }
                self.oracle.read(&a, out, &self.memory);
            }
            if clk == a.at + WRITE_CLOCKS {
                self.access = None;
                if let Some(data) = a.write.filter(|_| !out.refuse) {
                    if a.word == dma::CONTROL.word() {
                        (self.producer, self.consumer, self.status) = (0, 0, data & 1);
                    }
                    written = Some((a.word, data));
                    self.oracle.written(a.word, data);
                }
            }
        }
        let mut look = None;
        // The heartbeat was lost a clock ago, at which a burst may have started: is it told?
        let just_lost = std::mem::take(&mut self.just_lost);
        if self.access.is_none() && written.is_none() && (just_lost || rng.random_range(0..self.pace) == 0) {
            let (r, write) = if just_lost { (dma::STATUS, None) } else { self.action(clk, rng) };
            self.access = Some(Access { at: clk, word: r.word(), write });
            look = Some(Look { word: r.word(), data: write.unwrap_or(rng.random()) });
        }
        (look, written)
    }

    /// Inputs of the block at clock `clk`, at which its outputs are `out`.
    pub fn next(&mut self, clk: u64, rng: &mut ChaCha8Rng, out: &Out) -> In {
        if clk % 150_000 == 60_000 {
            self.steady = clk + 30_000;
            // The size is refused until the ring has stopped, by when bursts have ended.
            self.script = vec![(dma::CONTROL, 3), (dma::RING_SIZE, rng.random_range(6..12))];
            self.script.extend([(dma::CONTROL, 0); 40]);
            (self.lost, self.just_lost) = (false, false);
            self.memory.set_behaviour(Behaviour { ready: 256, latency: (0, 0), errors: 0 });
            (self.records, self.grants, self.pace) = (Runs::new(1.0, 60), Runs::new(0.9, 5), 12);
        }
        if !self.is_steady(clk) && rng.random_bool(0.001) {
            // Another mood of everybody.
            let errors = if rng.random_bool(0.3) { self.faults.errors } else { 0 };
            let latency = [(0, 0), (0, 40), (100, 300)][rng.random_range(0..3)];
            self.memory.set_behaviour(Behaviour { ready: [256, 200, 40][rng.random_range(0..3)], latency, errors });
            self.records = Runs::new([0.02, 0.3, 1.0][rng.random_range(0..3)], 60);
            self.grants = Runs::new([0.2, 0.9][rng.random_range(0..2)], 5);
            self.pace = [2, 12, 60][rng.random_range(0..3)];
        }
        let (look, written) = self.csr(clk, rng, out);
        if self.record.is_none() && self.records.next(rng) {
            self.number += 1;
            let number = self.number;
            let mut record: [u32; RECORD_WORDS] = rng.random();
            record[0] = number;
            self.record = Some(record);
        }
        let query_ready = self.grants.next(rng);
        let answer = self.answers.pop_front_if(|a| a.0 == clk).map(|(_, flow)| {
            let record: [u32; ANSWER_WORDS] = rng.random();
            self.oracle.answered(flow, record);
            record
        });
        let turns = match self.lost {
            true => 0.005,
            false if self.is_steady(clk) => 0.0,
            false => self.faults.lost,
        };
        if rng.random_bool(turns) {
            self.lost = !self.lost;
            self.just_lost = self.lost;
        }
        let i = In {
            rst: !self.is_steady(clk) && rng.random_bool(self.faults.rst),
            written,
            look,
            lost: self.lost,
            record: self.record,
            query_ready,
            answer,
            memory: self.memory.slave(clk),
        };
        self.oracle.clock(clk, &i, out, &self.memory);
        self.memory.step(clk, &out.memory);
        if out.record_ready {
            self.record = None;
        }
        if let Some(flow) = out.query.filter(|_| query_ready && !rng.random_bool(self.faults.silent)) {
            self.answers.push_back((clk + 2, flow));
        }
        if i.rst {
            // The block's neighbours are reset with it.
            self.memory.reset();
            self.answers.clear();
            (self.access, self.record, self.status) = (None, None, 0);
            self.sweep = sweep(self.flow_bits);
            self.oracle.reset();
        }
        i
    }
}
