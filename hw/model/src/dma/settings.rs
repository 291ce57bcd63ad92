//! The settings of DMA, as they follow the writes into csr's store.
use timely_regs::map::{Register, dma};

/// A command: from where or to where, which flows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Command {
    pub address: u64,
    pub first: u32,
    pub count: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub mask: u32,
    pub ring: u64,
    pub ring_bits: u32,
    pub watermark: u32,
    pub holdoff: u32,
    pub snapshot: Command,
    pub load: Command,
}

/// Actions of a write beyond the stored value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Orders {
    /// DMA is to start, or to stop; and whether with the ring.
    pub run: Option<(bool, bool)>,
    /// Interrupt status bits to clear.
    pub clear: u32,
    /// New consumer index.
    pub consumed: Option<u32>,
    /// A snapshot is to start.
    pub snapshot: bool,
    /// A load is to start.
    pub load: bool,
}

fn low(value: &mut u64, data: u32) {
    *value = *value >> 32 << 32 | u64::from(data);
}

fn high(value: &mut u64, data: u32) {
    *value = *value & 0xffff_ffff | u64::from(data) << 32;
}

impl Command {
    fn write(&mut self, registers: &[Register; 5], word: u32, data: u32) {
        match registers.iter().position(|r| r.word() == word) {
            Some(0) => low(&mut self.address, data),
            Some(1) => high(&mut self.address, data),
            Some(2) => self.first = data,
            Some(3) => self.count = data,
            _ => {}
        }
    }

    /// The flows are all in a table of `2^flow_bits`.
    pub fn is_within(&self, flow_bits: u32) -> bool {
        self.first + self.count <= 1 << flow_bits
    }
}

impl Settings {
    /// Word `word` of the map becomes `data`.
    pub fn write(&mut self, written: Option<(u32, u32)>) -> Orders {
        let mut orders = Orders::default();
        let Some((word, data)) = written else { return orders };
        let is = |r: &Register| word == r.word();
        if is(&dma::CONTROL) {
            orders.run = Some((dma::ENABLE.get(&[data]) != 0, dma::RING.get(&[data]) != 0));
        } else if is(&dma::INTERRUPT_MASK) {
            self.mask = data;
        } else if is(&dma::RING_LOW) {
            low(&mut self.ring, data);
        } else if is(&dma::RING_HIGH) {
            high(&mut self.ring, data);
        } else if is(&dma::RING_SIZE) {
            self.ring_bits = data;
        } else if is(&dma::WATERMARK) {
            self.watermark = data;
        } else if is(&dma::HOLDOFF) {
            self.holdoff = data;
        } else if is(&dma::INTERRUPT) {
            orders.clear = data;
        } else if is(&dma::CONSUMER) {
            orders.consumed = Some(data);
        } else if is(&dma::SNAPSHOT[4]) {
            orders.snapshot = data & 1 != 0;
        } else if is(&dma::LOAD[4]) {
            orders.load = data & 1 != 0;
        }
        self.snapshot.write(&dma::SNAPSHOT, word, data);
        self.load.write(&dma::LOAD, word, data);
        orders
    }
}
