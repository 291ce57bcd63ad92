//! An event ring that fills as fast as one likes: the registers are a modelled NIC's, and in the
//! place of its event queue a thread writes the records, as the hardware does: a record is whole in
//! memory before PRODUCER counts it, none is written over one that CONSUMER has not let go, what
//! finds the ring full is dropped and leaves a gap in the numbers, and the watermark interrupts.
use crate::in_process::InProcess;
use rustix::event::EventfdFlags;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timely_driver::transport::memory::Shared;
use timely_driver::transport::{Dma, Failure, Transport};
use timely_regs::event::{BYTES, EventRecord};
use timely_regs::map::dma;

/// Records that are written before it is looked whether to go on.
const BATCH: u32 = 64;

/// A ring that is running.
struct Ring {
    memory: Arc<Shared>,
    at: usize,
    bits: u32,
    watermark: u32,
}

#[derive(Default)]
struct State {
    ring: Mutex<Option<Ring>>,
    line: Mutex<Option<OwnedFd>>,
    producer: AtomicU32,
    consumer: AtomicU32,
    /// The watermark was reached, and CONSUMER has not been written since.
    told: AtomicBool,
    made: AtomicU64,
    dropped: AtomicU64,
}

fn held<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Makes records while the ring runs; `false` when it does not.
    fn make(&self, count: u32) -> bool {
        let ring = held(&self.ring);
        let Some(ring) = &*ring else { return false };
        for _ in 0..count {
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            let at = self.producer.load(Ordering::Relaxed);
            let unread = at.wrapping_sub(self.consumer.load(Ordering::Acquire));
            if unread >= 1 << ring.bits {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let record = EventRecord {
                sequence: number as u32,
                time: number << 24,
                flow: number as u32 & 0xffff,
                signal_ns: 20_000 + (number as u32 & 0xfff),
                rate: (number as u32 & 0xfff) << 12,
                ..EventRecord::default()
            };
            let slot = at & ((1 << ring.bits) - 1);
            ring.memory.write(ring.at + slot as usize * BYTES, &record.to_bytes());
            self.producer.store(at.wrapping_add(1), Ordering::Release);
            if unread + 1 >= ring.watermark && !self.told.swap(true, Ordering::AcqRel) {
                self.interrupt();
            }
        }
        true
    }

    fn interrupt(&self) {
        if let Some(line) = &*held(&self.line) {
            rustix::io::write(line, &1u64.to_ne_bytes()).expect("an eventfd that counts");
        }
    }
}

/// The transport.
pub struct Flood {
    nic: InProcess,
    state: Arc<State>,
    written: Mutex<HashMap<u32, u32>>,
}

/// The thread; it ends when this is dropped.
pub struct Producer {
    state: Arc<State>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The counts of a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// Records, those that were dropped among them.
    pub records: u64,
    /// Records that found the ring full.
    pub dropped: u64,
}

impl Flood {
    /// Around a NIC that makes no events of its own, and its producer: as fast as it can, or so
    /// many records a second.
    pub fn new(nic: InProcess, per_second: Option<f64>) -> (Self, Producer) {
        let (state, stop) = (Arc::new(State::default()), Arc::new(AtomicBool::new(false)));
        let (shared, stopped) = (state.clone(), stop.clone());
        let run = move || {
            let (mut begun, mut made) = (None, 0.0);
            while !stopped.load(Ordering::Acquire) {
                let begun: Instant = *begun.get_or_insert_with(Instant::now);
                let due = per_second.is_none_or(|rate| begun.elapsed().as_secs_f64() * rate > made);
                if due && shared.make(BATCH) {
                    made += f64::from(BATCH);
                } else {
                    std::thread::yield_now();
                }
            }
        };
        let producer = Producer { state: state.clone(), stop, thread: Some(std::thread::spawn(run)) };
        (Flood { nic, state, written: Mutex::default() }, producer)
    }
}

impl Producer {
    /// Ends the thread.
    pub fn end(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }

    /// Whether the driver let go of all that was written.
    pub fn is_drained(&self) -> bool {
        self.state.consumer.load(Ordering::Acquire) == self.state.producer.load(Ordering::Acquire)
    }

    /// Makes one more record, which finds room: it ends the last gap.
    pub fn one_more(&self) {
        assert!(self.thread.is_none() && self.state.make(1), "the ring runs, and nobody else writes");
        self.state.interrupt();
    }

    /// The producer's counts.
    pub fn made(&self) -> Made {
        Made { records: self.state.made.load(Ordering::Acquire), dropped: self.state.dropped.load(Ordering::Acquire) }
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

impl Transport for Flood {
    fn name(&self) -> &str {
        "flood"
    }

    fn kind(&self) -> &'static str {
        "in process"
    }

    fn keeps_state(&self) -> bool {
        true
    }

    fn registers_bytes(&self) -> u64 {
        self.nic.registers_bytes()
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        if offset == dma::PRODUCER.address() { Ok(self.state.producer.load(Ordering::Acquire)) } else { self.nic.read32(offset) }
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        if offset == dma::CONSUMER.address() {
            self.state.consumer.store(value, Ordering::Release);
            self.state.told.store(false, Ordering::Release);
            return Ok(());
        }
        if offset == dma::CONTROL.address() {
            let written = held(&self.written);
            let get = |r: &timely_regs::map::Register| written.get(&r.address()).copied().unwrap_or(0);
            let address = u64::from(get(&dma::RING_LOW)) | u64::from(get(&dma::RING_HIGH)) << 32;
            let found = if dma::RING.get(&[value]) != 0 { self.nic.memory_at(address) } else { None };
            let (bits, watermark) = (get(&dma::RING_SIZE), get(&dma::WATERMARK));
            let mut ring = held(&self.state.ring);
            *ring = found.map(|(memory, at)| Ring { memory, at, bits, watermark });
            self.state.producer.store(0, Ordering::Release);
            self.state.consumer.store(0, Ordering::Release);
        }
        held(&self.written).insert(offset, value);
        self.nic.write32(offset, value)
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        self.nic.read_config(offset, to)
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        self.nic.write_config(offset, from)
    }

    fn dma_map(&self, bytes: usize) -> Result<Dma, Failure> {
        self.nic.dma_map(bytes)
    }

    fn dma_unmap(&self, memory: Dma) -> Result<(), Failure> {
        self.nic.dma_unmap(memory)
    }

    fn enable_msix(&self, vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        let mut fds = self.nic.enable_msix(vectors)?;
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let line = rustix::event::eventfd(0, flags).expect("an eventfd");
        *held(&self.state.line) = Some(line.try_clone().expect("an eventfd"));
        fds[dma::RING_WATERMARK_LINE as usize] = line;
        Ok(fds)
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        *held(&self.state.line) = None;
        self.nic.disable_msix()
    }

    fn reset(&self) -> Result<(), Failure> {
        *held(&self.state.ring) = None;
        self.nic.reset()
    }
}

/// Waits no longer than this for the last records.
pub const LAST: Duration = Duration::from_secs(60);
