//! DMA as software uses it: the ring of event records, snapshots, loads of many flows; over a trait
//! for memory that the device reaches.
use super::{Bus, Device, Error};
use crate::field::OutOfRange;
use crate::flow::FlowRecord;
use crate::map::{Register, dma};
use crate::telemetry::{self, TelemetryRecord};

/// Bytes of an event record and of a flow record.
const RECORD_BYTES: usize = dma::BURST_BYTES as usize;
/// Bytes of a telemetry record.
const TELEMETRY_BYTES: usize = 4 * telemetry::WORDS;
/// Words of an event record.
pub const RECORD_WORDS: usize = RECORD_BYTES / 4;
/// Reads of a progress register that does not move before a command is given up.
const POLLS: u32 = 10_000;

/// Memory that the device reaches: a buffer, its first byte at a bus address. It is shared with the
/// device, hence `&self`.
pub trait Memory {
    /// Address of the memory as the device sees it.
    fn address(&self) -> u64;

    /// Bytes of the memory.
    fn bytes(&self) -> usize;

    /// Copies out of it, from byte `at` on.
    fn read(&self, at: usize, to: &mut [u8]);

    /// Copies into it, from byte `at` on.
    fn write(&self, at: usize, from: &[u8]);
}

/// How the event ring is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSettings {
    /// log2 of its records, 1 to 20.
    pub bits: u32,
    /// Unread records at which it interrupts, at least 1.
    pub watermark: u32,
    /// Clocks after which unread records interrupt all the same.
    pub holdoff_clocks: u32,
}

/// The reader's indices into the event ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    bits: u32,
    consumer: u32,
}

fn fits<E>(what: &'static str, memory: &impl Memory, needed: usize) -> Result<u64, Error<E>> {
    let (address, bytes) = (memory.address(), memory.bytes());
    if !address.is_multiple_of(dma::BURST_BYTES.into()) {
        return Err(Error::Unaligned { what, address });
    }
    if bytes < needed {
        return Err(Error::TooSmall { what, bytes, needed });
    }
    Ok(address)
}

fn words<const N: usize>(memory: &impl Memory, at: usize) -> [u32; N] {
    let mut bytes = [[0; 4]; N];
    memory.read(at, bytes.as_flattened_mut());
    bytes.map(u32::from_le_bytes)
}

impl<B: Bus> Device<B> {
    /// Starts DMA without an event ring: for loads and snapshots.
    ///
    /// # Errors
    /// When the bus fails, or the device refuses because DMA runs, bursts are in flight or the
    /// heartbeat is lost.
    pub fn start_dma(&self) -> Result<(), Error<B::Error>> {
        self.write(&dma::CONTROL, 1 << dma::ENABLE.low)
    }

    /// Starts DMA with an empty event ring at the start of `memory`.
    ///
    /// # Errors
    /// When the memory is not aligned or too small, a setting is out of its range, or as with
    /// [`Device::start_dma`].
    pub fn start_ring(&self, memory: &impl Memory, s: &RingSettings) -> Result<Ring, Error<B::Error>> {
        if !(1..=dma::MOST_RING_BITS).contains(&s.bits) {
            return Err(OutOfRange { name: "ring_bits", value: s.bits, least: 1, most: dma::MOST_RING_BITS }.into());
        }
        let address = fits("event ring", memory, RECORD_BYTES << s.bits)?;
        self.write(&dma::RING_LOW, address as u32)?;
        self.write(&dma::RING_HIGH, (address >> 32) as u32)?;
        self.write(&dma::RING_SIZE, s.bits)?;
        self.write(&dma::WATERMARK, s.watermark)?;
        self.write(&dma::HOLDOFF, s.holdoff_clocks)?;
        self.write(&dma::CONTROL, 1 << dma::ENABLE.low | 1 << dma::RING.low)?;
        Ok(Ring { bits: s.bits, consumer: 0 })
    }

    /// Stops DMA and waits until no burst is in flight: then memory may be unmapped.
    ///
    /// # Errors
    /// When the bus fails, or a burst is never answered.
    pub fn stop_dma(&self) -> Result<(), Error<B::Error>> {
        self.write(&dma::CONTROL, 0)?;
        for _ in 0..POLLS {
            let status = [self.read(&dma::STATUS)?];
            if dma::RUNNING.get(&status) == 0 && dma::IDLE.get(&status) != 0 {
                return Ok(());
            }
        }
        Err(Error::Timeout("the last burst"))
    }

    /// Lets these interrupt lines out, one bit each, and no others.
    ///
    /// # Errors
    /// When the bus fails, or there is no such line.
    pub fn set_interrupts(&self, lines: u32) -> Result<(), Error<B::Error>> {
        self.write(&dma::INTERRUPT_MASK, lines)
    }

    /// Interrupt events since the last call, one bit a line; clears them.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn take_interrupts(&self) -> Result<u32, Error<B::Error>> {
        let lines = self.read(&dma::INTERRUPT)?;
        if lines != 0 {
            self.write(&dma::INTERRUPT, lines)?;
        }
        Ok(lines)
    }

    /// Hands the unread records of the ring to `each`, in order, and gives their places back; gives
    /// their number.
    ///
    /// # Errors
    /// When the bus fails, or the device says that there are more than the ring has.
    pub fn read_ring(
        &self,
        ring: &mut Ring,
        memory: &impl Memory,
        mut each: impl FnMut([u32; RECORD_WORDS]),
    ) -> Result<u32, Error<B::Error>> {
        let producer = self.read(&dma::PRODUCER)?;
        let unread = producer.wrapping_sub(ring.consumer);
        if unread > 1 << ring.bits {
            return Err(Error::RingLost { producer, consumer: ring.consumer });
        }
        for i in 0..unread {
            let slot = ring.consumer.wrapping_add(i) & ((1 << ring.bits) - 1);
            each(words(memory, slot as usize * RECORD_BYTES));
        }
        if unread != 0 {
            ring.consumer = producer;
            self.write(&dma::CONSUMER, producer)?;
        }
        Ok(unread)
    }

    /// The telemetry records of `count` flows from `first` on, each of one clock, through `memory`.
    /// DMA must have been started.
    ///
    /// # Errors
    /// When there are no such flows, the memory is not aligned or too small, the bus fails, or the
    /// device ends the snapshot with an error.
    pub fn snapshot(&self, memory: &impl Memory, first: u32, count: u32) -> Result<Vec<TelemetryRecord>, Error<B::Error>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let address = fits("snapshot", memory, count as usize * TELEMETRY_BYTES)?;
        self.command(&dma::SNAPSHOT, address, first, count)?;
        self.ended("snapshot", &dma::SNAPSHOT_STATUS, &dma::SNAPSHOT_PROGRESS)?;
        Ok((0..count as usize).map(|i| TelemetryRecord::from_words(&words(memory, i * TELEMETRY_BYTES))).collect())
    }

    /// Loads flows from `first` on, through `memory`. DMA must have been started.
    ///
    /// # Errors
    /// When there are no such flows, a field of a record is out of its range (nothing is loaded
    /// then), the memory is not aligned or too small, the bus fails, or the device ends the load
    /// with an error.
    pub fn load_flows(&self, memory: &impl Memory, first: u32, records: &[FlowRecord]) -> Result<(), Error<B::Error>> {
        if records.is_empty() {
            return Ok(());
        }
        let address = fits("load", memory, records.len() * RECORD_BYTES)?;
        for (i, record) in records.iter().enumerate() {
            let bytes: Vec<u8> = record.pack()?.iter().flat_map(|w| w.to_le_bytes()).collect();
            memory.write(i * RECORD_BYTES, &bytes);
        }
        self.command(&dma::LOAD, address, first, records.len() as u32)?;
        self.ended("load", &dma::LOAD_STATUS, &dma::LOAD_PROGRESS)?;
        match self.read(&dma::LOAD_REFUSED)? {
            0 => Ok(()),
            refused => Err(Error::LoadRefused(refused)),
        }
    }

    fn command(&self, registers: &[Register; 5], address: u64, first: u32, count: u32) -> Result<(), Error<B::Error>> {
        let last = first.saturating_add(count - 1);
        if last >= self.flows() {
            return Err(Error::NoFlow { flow: last, flows: self.flows() });
        }
        let values = [address as u32, (address >> 32) as u32, first, count, dma::START];
        registers.iter().zip(values).try_for_each(|(r, value)| self.write(r, value))
    }

    /// Waits for the end of a command, as long as it goes on.
    fn ended(&self, what: &'static str, status: &Register, progress: &Register) -> Result<(), Error<B::Error>> {
        let (mut left, mut before) = (POLLS, 0);
        while left > 0 {
            let word = [self.read(status)?];
            if dma::DONE.get(&word) != 0 {
                return match dma::CODE.get(&word) {
                    0 => Ok(()),
                    code => Err(Error::Dma { what, code }),
                };
            }
            let now = self.read(progress)?;
            left = if now == before { left - 1 } else { POLLS };
            before = now;
        }
        Err(Error::Timeout(what))
    }
}
