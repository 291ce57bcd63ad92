//! Rules at the pins, independent of the model: AXI's rules, whole records in order, loads as in
//! memory, nothing after idle.
use crate::world::Access;
use std::collections::VecDeque;
use timely_model::dma::{ANSWER_WORDS, In, Master, Out, RECORD_WORDS, bytes, words};
use timely_regs::map::{self, Build, dma, flow};
use timely_sim::nic::memory::Memory;

/// How often each thing happened: a run that never saw one proves nothing about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub produced: u32,
    pub dropped: u32,
    pub flows: u32,
    pub loads: u32,
    pub refused_writes: u32,
    pub stopped_idle: u32,
    pub lines: [u32; dma::LINES as usize],
    pub snapshot_codes: [u32; 5],
    pub load_codes: [u32; 4],
    pub resets_in_burst: u32,
    pub errors: u32,
}

impl Seen {
    /// Everything that can happen did.
    pub fn all(&self) -> bool {
        let counts = [
            self.produced,
            self.dropped,
            self.flows,
            self.loads,
            self.refused_writes,
            self.stopped_idle,
            self.resets_in_burst,
            self.errors,
        ];
        let all = counts.iter().chain(&self.lines).chain(&self.snapshot_codes).chain(&self.load_codes);
        all.into_iter().all(|n| *n > 0)
    }
}

pub struct Oracle {
    pub seen: Seen,
    build: Build,
    last: Option<(Master, In)>,
    beats: usize,
    // The registers as they were last written: ring address and size, commands.
    ring_set: (u64, u32),
    commands: [(u64, u32, u32); 2],
    /// The ring, and the commands, that run or ran last.
    ring: u64,
    ring_bits: u32,
    snapshot: (u64, u32),
    load: (u64, u32),
    /// Records whose burst started, in order since DMA was started; how many are known to be whole;
    /// the last consumer index.
    records: Vec<[u32; RECORD_WORDS]>,
    whole: usize,
    consumer: u32,
    /// Answers of the snapshot, in order.
    answers: Vec<(u32, [u32; ANSWER_WORDS])>,
    flows: usize,
    loaded: VecDeque<u32>,
    load_at: Option<u64>,
    running: bool,
    irq: u32,
}

impl Oracle {
    pub fn new(flow_bits: u32) -> Self {
        Oracle {
            seen: Seen::default(),
            build: Build { flow_bits, bus_bits: 64, ring_bits: 4, clock_ps: 4000, ptp: 0 },
            last: None,
            beats: 0,
            ring_set: (0, 0),
            ring: 0,
            ring_bits: 0,
            commands: [(0, 0, 0); 2],
            snapshot: (0, 0),
            load: (0, 0),
            records: Vec::new(),
            whole: 0,
            consumer: 0,
            answers: Vec::new(),
            flows: 0,
            loaded: VecDeque::new(),
            load_at: None,
            running: false,
            irq: 0,
        }
    }

    pub fn reset(&mut self) {
        *self = Oracle { seen: self.seen, build: self.build, ..Oracle::new(0) };
    }

    /// csr carried out a write.
    pub fn written(&mut self, word: u32, data: u32) {
        let is = |r: &map::Register| r.word() == word;
        let low = |value: &mut u64| *value = *value >> 32 << 32 | u64::from(data);
        let high = |value: &mut u64| *value = *value & 0xffff_ffff | u64::from(data) << 32;
        if is(&dma::RING_LOW) {
            low(&mut self.ring_set.0);
        } else if is(&dma::RING_HIGH) {
            high(&mut self.ring_set.0);
        } else if is(&dma::RING_SIZE) {
            self.ring_set.1 = data;
        } else if is(&dma::CONSUMER) {
            self.consumer = data;
        } else if is(&dma::CONTROL) && data & 1 != 0 {
            (self.whole, self.consumer, self.running) = (0, 0, true);
            (self.ring, self.ring_bits) = self.ring_set;
            self.records.clear();
        }
        for (registers, command) in [&dma::SNAPSHOT, &dma::LOAD].into_iter().zip(&mut self.commands) {
            match registers.iter().position(|r| r.word() == word) {
                Some(0) => low(&mut command.0),
                Some(1) => high(&mut command.0),
                Some(2) => command.1 = data,
                Some(3) => command.2 = data,
                _ => {}
            }
        }
        if data == 0 {
            return;
        }
        if is(&dma::SNAPSHOT[4]) {
            self.answers.clear();
            (self.snapshot, self.flows) = ((self.commands[0].0, self.commands[0].1), 0);
        } else if is(&dma::LOAD[4]) {
            self.load = (self.commands[1].0, self.commands[1].1);
            let (_, first, count) = self.commands[1];
            self.loaded = (first..first + count).collect();
        }
    }

    /// csr read a register.
    pub fn read(&mut self, a: &Access, out: &Out, memory: &Memory) {
        let is = |r: &map::Register| r.word() == a.word;
        self.seen.refused_writes += u32::from(a.write.is_some() && out.refuse);
        if is(&dma::PRODUCER) {
            let produced = out.live as usize;
            assert!(produced <= self.records.len() && produced >= self.whole, "{produced} of {} records", self.records.len());
            for n in self.whole.max(self.consumer.min(out.live) as usize)..produced {
                let mut got = [0; 64];
                memory.read(self.ring + 64 * (n as u64 & ((1 << self.ring_bits) - 1)), &mut got);
                assert_eq!(words(&got), self.records[n], "record {n} of the ring");
                self.seen.produced += 1;
            }
            self.whole = produced;
        } else if is(&dma::SNAPSHOT_PROGRESS) {
            for n in self.flows..out.live as usize {
                let (flow, record) = self.answers[n];
                assert_eq!(flow, self.snapshot.1 + n as u32);
                for half in 0..2 {
                    let mut got = [0; 64];
                    memory.read(self.snapshot.0 + 128 * n as u64 + 64 * half as u64, &mut got);
                    assert_eq!(got, bytes(&record[16 * half..16 * half + 16]), "flow {flow} of a snapshot");
                }
                self.seen.flows += 1;
            }
            self.flows = self.flows.max(out.live as usize);
        } else if is(&dma::STATUS) && out.live == 2 {
            self.running = false;
            self.seen.stopped_idle += 1;
            assert!(memory.is_idle(), "idle with bursts in flight");
        } else if is(&dma::SNAPSHOT_STATUS) && out.live & 2 != 0 {
            self.seen.snapshot_codes[out.live as usize >> 4] += 1;
        } else if is(&dma::LOAD_STATUS) && out.live & 2 != 0 {
            self.seen.load_codes[out.live as usize >> 4] += 1;
        }
    }

    pub fn answered(&mut self, flow: u32, record: [u32; ANSWER_WORDS]) {
        self.answers.push((flow, record));
    }

    /// csr would take the record's words as staged ones.
    fn is_taken(&self, record: &[u32; RECORD_WORDS]) -> bool {
        (0u32..).zip(record).all(|(i, &word)| {
            let e = map::decode(flow::STAGE.word() + i, &self.build);
            word & !e.mask == 0 && word >= e.least && word <= e.most
        })
    }

    fn loaded(&mut self, clk: u64, at: u32, record: &[u32; RECORD_WORDS], memory: &Memory) {
        assert!(self.load_at.is_none_or(|last| clk >= last + 32), "flows loaded at clocks {:?} and {clk}", self.load_at);
        self.load_at = Some(clk);
        loop {
            let next = self.loaded.pop_front().expect("no more flows than asked for");
            let mut there = [0; 64];
            memory.read(self.load.0 + 64 * u64::from(next - self.load.1), &mut there);
            let there = words(&there);
            if next == at {
                assert_eq!(there, *record, "flow {at}");
                assert!(self.is_taken(record), "flow {at} is loaded though csr would refuse it");
                break;
            }
            assert!(!self.is_taken(&there), "flow {next} is passed over");
        }
        self.seen.loads += 1;
    }

    /// The pins at a clock.
    pub fn clock(&mut self, clk: u64, i: &In, out: &Out, memory: &Memory) {
        let m = out.memory;
        if let Some((before, with)) = &self.last {
            let s = &with.memory;
            assert!(before.aw.is_none() || s.aw_ready || before.aw == m.aw, "AW changed before it was taken, clock {clk}");
            assert!(before.w.is_none() || s.w_ready || before.w == m.w, "W changed before it was taken, clock {clk}");
            assert!(before.ar.is_none() || s.ar_ready || before.ar == m.ar, "AR changed before it was taken, clock {clk}");
        }
        for address in m.aw.iter().chain(&m.ar) {
            assert!(address.is_multiple_of(64), "a burst at {address:#x}");
        }
        let new =
            |is: bool, was: fn(&Master) -> bool, taken: fn(&In) -> bool| is && self.last.as_ref().is_none_or(|(b, w)| !was(b) || taken(w));
        let burst = new(m.aw.is_some(), |b| b.aw.is_some(), |w| w.memory.aw_ready);
        if out.record_ready {
            let record = i.record.expect("a record is offered until it is taken");
            // A record goes into the ring with a burst of its own, at the clock at which it is
            // taken.
            let ring = self.ring + 64 * (self.records.len() as u64 & ((1 << self.ring_bits) - 1));
            if burst && m.aw == Some(ring) && self.running {
                self.records.push(record);
            } else {
                self.seen.dropped += 1;
            }
        }
        if let Some((_, last)) = m.w.filter(|_| i.memory.w_ready) {
            self.beats += 1;
            assert_eq!(last, self.beats * self.build.bus_bits as usize / 8 == 64, "wlast in beat {}, clock {clk}", self.beats);
            self.beats = if last { 0 } else { self.beats };
        }
        if let Some(l) = &out.load {
            self.loaded(clk, l.flow, &l.record, memory);
        }
        self.seen.errors += u32::from(i.memory.b == Some(2));
        for (line, seen) in self.seen.lines.iter_mut().enumerate() {
            *seen += (out.irq & !self.irq) >> line & 1;
        }
        self.irq = out.irq;
        self.seen.resets_in_burst += u32::from(i.rst && m.w.is_some());
        self.last = Some((m, i.clone()));
    }

    /// The bus is as wide as this.
    pub fn set_bus(&mut self, bits: u32) {
        self.build.bus_bits = bits;
    }
}
