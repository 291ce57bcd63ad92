//! The DMA block of `timely_hw::dma`: event ring, snapshots and loads over one AXI4 master,
//! interrupts.
//!
//! Every burst is 64 bytes at a multiple of 64. A record of the ring counts as produced, and a flow
//! of a snapshot as done, when the memory has answered its write: none is ever torn. Events wait
//! (`record_ready`) while the ring is full, and are taken and dropped while DMA does not run with
//! its ring. Ring and snapshot take turns on the write channels: a record, a flow.
mod absent;
mod io;
mod load;
mod reader;
mod ring;
mod settings;
mod snapshot;
mod writer;

pub use absent::NoDma;
pub use io::{ANSWER_WORDS, In, Look, Master, OKAY, Out, RECORD_WORDS, ReadBeat, SLVERR, Slave, bytes, words};
pub use load::LOAD_CLOCKS;
pub use reader::MOST_READS;
pub use snapshot::PATIENCE;
pub use writer::MOST_WRITES;

use crate::Block;
use settings::Orders;
use timely_regs::map::dma::{self as map, Code};
use writer::{Burst, Source};

/// The block.
#[derive(Clone, Debug)]
pub struct Dma {
    flow_bits: u32,
    bus_bits: u32,
    settings: settings::Settings,
    running: bool,
    /// Records go into the ring, while DMA runs.
    ring_on: bool,
    idle: bool,
    was_lost: bool,
    ring: ring::Ring,
    ring_last: bool,
    record_ready: bool,
    snapshot: snapshot::Snapshot,
    load: load::Load,
    writer: writer::Writer,
    reader: reader::Reader,
    interrupt: u32,
    irq: u32,
    live: u32,
    refuse: bool,
}

fn status(busy: bool, done: bool, code: Code) -> u32 {
    u32::from(busy) << map::BUSY.low | u32::from(done) << map::DONE.low | (code as u32) << map::CODE.low
}

impl Dma {
    /// The block as a reset at the clock before 0 leaves it.
    pub fn new(flow_bits: u32, bus_bits: u32) -> Self {
        let bytes = bus_bits as usize / 8;
        Dma {
            flow_bits,
            bus_bits,
            settings: settings::Settings::default(),
            running: false,
            ring_on: false,
            idle: false,
            was_lost: false,
            ring: ring::Ring::default(),
            ring_last: false,
            record_ready: false,
            snapshot: snapshot::Snapshot::new(flow_bits),
            load: load::Load::new(flow_bits),
            writer: writer::Writer::new(bytes),
            reader: reader::Reader::new(bytes),
            interrupt: 0,
            irq: 0,
            live: 0,
            refuse: false,
        }
    }

    /// The value of a register that hardware changes.
    fn live(&self, word: u32) -> u32 {
        let all = [
            (map::STATUS, u32::from(self.running) << map::RUNNING.low | u32::from(self.idle) << map::IDLE.low),
            (map::INTERRUPT, self.interrupt),
            (map::PRODUCER, self.ring.producer),
            (map::CONSUMER, self.ring.consumer),
            (map::SNAPSHOT_STATUS, status(self.snapshot.busy, self.snapshot.done, self.snapshot.code)),
            (map::SNAPSHOT_PROGRESS, self.snapshot.progress),
            (map::LOAD_STATUS, status(self.load.busy, self.load.done, self.load.code)),
            (map::LOAD_PROGRESS, self.load.progress),
            (map::LOAD_REFUSED, self.load.refused),
        ];
        all.iter().find(|(r, _)| r.word() == word).map_or(0, |a| a.1)
    }

    /// A write is refused now.
    fn refuses(&self, look: &Look, lost: bool) -> bool {
        let is = |r: &timely_regs::map::Register| r.word() == look.word;
        let moving = self.running || !self.idle;
        if is(&map::CONTROL) {
            look.data & 1 != 0 && (moving || lost)
        } else if is(&map::RING_LOW) || is(&map::RING_HIGH) || is(&map::RING_SIZE) {
            moving
        } else if is(&map::SNAPSHOT[4]) {
            self.snapshot.busy || !self.running
        } else if is(&map::LOAD[4]) {
            self.load.busy || !self.running
        } else {
            map::SNAPSHOT.iter().any(is) && self.snapshot.busy || map::LOAD.iter().any(is) && self.load.busy
        }
    }

    /// The interrupts of a clock.
    fn happened(&self, clk: u64, i: &In) -> u32 {
        let failed = self.writer.response.is_some_and(|r| r.1) || self.load.failed;
        let waits = i.record.is_some() && self.running && self.ring_on && self.ring.is_full();
        let lines = [
            (map::RING_WATERMARK_LINE, self.ring.wants(clk)),
            (map::RING_OVERFLOW_LINE, waits),
            (map::SNAPSHOT_LINE, self.snapshot.ended),
            (map::LOAD_LINE, self.load.ended),
            (map::ERROR_LINE, failed),
            (map::HEARTBEAT_LINE, i.lost && !self.was_lost),
        ];
        lines.iter().fold(0, |all, (line, on)| all | u32::from(*on) << line)
    }
}

impl Block for Dma {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        let mut memory = Master::default();
        self.writer.show(&mut memory);
        self.reader.show(&mut memory);
        Out {
            live: self.live,
            refuse: self.refuse,
            record_ready: self.record_ready,
            query: self.snapshot.query(),
            load: self.load.out,
            loading: self.load.busy,
            irq: self.irq,
            memory,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Dma::new(self.flow_bits, self.bus_bits);
            return;
        }
        // Signals that depend on the registers as they are.
        let s = self.settings.clone();
        let orders: Orders = self.settings.write(i.written);
        let running = self.running;
        let start = orders.run.is_some_and(|r| r.0);
        let recording = running && self.ring_on;
        let failed = self.writer.response.is_some_and(|r| r.1) || self.load.failed;
        let happened = self.happened(clk, i);
        self.irq = self.irq_of(&s);
        // While it runs a burst may start in this clock.
        let idle = !running && self.writer.is_idle() && self.reader.is_idle();
        if let Some(look) = &i.look {
            (self.live, self.refuse) = (self.live(look.word), self.refuses(look, i.lost));
        }
        // Arbitration of the write bursts.
        let offered = self.snapshot.offers().filter(|_| running);
        let ring = i.record.filter(|_| recording && self.ring.is_open());
        let turn = ring.filter(|_| self.writer.is_free() && (offered.is_none() || !self.ring_last && !self.snapshot.is_second()));
        let burst = match turn {
            Some(record) => Some(Burst { source: Source::Ring, address: self.ring.address(), data: bytes(&record) }),
            None => offered.filter(|_| self.writer.is_free()),
        };
        let took = |source| burst.is_some_and(|b| b.source == source);
        let dropped = i.record.is_some() && !recording && !self.record_ready;
        self.record_ready = took(Source::Ring) || dropped;
        if burst.is_some() {
            self.ring_last = took(Source::Ring);
        }
        let done = |source| self.writer.response.filter(|r| r.0 == source).map(|r| r.1);
        self.ring.step(clk, &s, start, took(Source::Ring), done(Source::Ring), orders.consumed);
        self.snapshot.step(
            &s.snapshot,
            &snapshot::Told {
                start: orders.snapshot,
                running,
                query_ready: i.query_ready,
                answer: i.answer.as_ref(),
                took: took(Source::Snapshot),
                done: done(Source::Snapshot),
            },
        );
        let (free, full) = (self.reader.is_free(), self.reader.full);
        let (from, asks, uses) = (self.load.from(&s.load), self.load.asks(running, free), self.load.uses(running, full));
        let told = load::Told { start: orders.load, running, full, record: self.reader.record(), free, idle: self.reader.is_idle() };
        self.load.step(&s.load, &told);
        self.writer.step(burst, &i.memory);
        self.reader.step(from, asks, uses, &i.memory);
        let stop = orders.run.is_some_and(|r| !r.0);
        self.ring_on = orders.run.map_or(self.ring_on, |r| r.1);
        // An end of any kind wins over a start.
        self.running = (running || start) && !stop && !i.lost && !failed;
        self.interrupt = self.interrupt & !orders.clear | happened;
        self.idle = idle;
        self.was_lost = i.lost;
    }

    fn wake(&self, clk: u64) -> u64 {
        let settled = self.idle != self.running && !self.record_ready && self.irq == self.irq_of(&self.settings);
        let still = self.writer.is_idle() && self.reader.is_idle() && self.reader.full.is_none();
        if settled && still && self.snapshot.is_idle() && self.load.is_idle() {
            self.ring.wake(clk, &self.settings, self.interrupt & 1 << map::RING_WATERMARK_LINE != 0)
        } else {
            clk
        }
    }
}

impl Dma {
    fn irq_of(&self, s: &settings::Settings) -> u32 {
        self.interrupt & s.mask
    }
}
