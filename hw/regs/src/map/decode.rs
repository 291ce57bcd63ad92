//! Address decoding: the table that the RTL's decode ROM and the model both are.
use super::{Access, BLOCK_BYTES, BLOCKS, Parameter, Register, Reset, dma, flow};
use crate::flow as record;

/// The numbers that a design is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// log2 of the flows, 1 to 16.
    pub flow_bits: u32,
    /// Bits of a beat: 64, 128, 256 or 512.
    pub bus_bits: u32,
    /// log2 of the ended segments, of all flows, that are remembered until their ACKs come.
    pub ring_bits: u32,
    /// Clock period, ps.
    pub clock_ps: u32,
    /// 1 where stamps are of a PTP clock, which the time then follows from the start.
    pub ptp: u32,
}

/// log2 of the ended segments that are remembered, by the bus: as many as its line sends in 600 us
/// at least, of the shortest packets (114 wire bytes). A bus of 64 bits carries 10 Gb/s, one of 512
/// bits 100.
pub const fn ring_bits(bus_bits: u32) -> u32 {
    match bus_bits {
        0..=64 => 13,
        65..=128 => 14,
        129..=256 => 15,
        _ => 16,
    }
}

/// ns that a clock of this period adds to the time, Q8.24, rounded to nearest.
pub const fn increment(clock_ps: u32) -> u32 {
    (((clock_ps as u64) << 24).div_ceil(500) / 2) as u32
}

/// `bps` bits a second in wire bytes a clock of this period, Q8.24, rounded down; below 256 bytes.
pub const fn ack_rate(bps: u64, clock_ps: u32) -> u32 {
    let rate = ((bps as u128 * clock_ps as u128) << 24) / 8_000_000_000_000;
    if rate > u32::MAX as u128 { u32::MAX } else { rate as u32 }
}

impl Build {
    /// The time increment of the nominal clock, ns in Q8.24.
    pub const fn increment(&self) -> u32 {
        increment(self.clock_ps)
    }

    const fn parameter(&self, p: Parameter) -> u32 {
        match p {
            Parameter::FlowBits => self.flow_bits,
            Parameter::BusBits => self.bus_bits,
            Parameter::RingBits => self.ring_bits,
            Parameter::ClockPs => self.clock_ps,
            Parameter::Increment => self.increment(),
            Parameter::Ptp => self.ptp,
            // The shell with PTP is Corundum: a packet takes this long from its request to the MAC,
            // with two reads of a host's memory in it.
            Parameter::Lead => self.ptp * 8_000,
            Parameter::AckRate => ack_rate(2_500_000_000, self.clock_ps),
            Parameter::LineRate => ack_rate(10_000_000_000, self.clock_ps),
        }
    }
}

/// The decode ROM's entry of a word of the BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// A read is answered.
    pub readable: bool,
    /// A write is taken.
    pub writable: bool,
    /// Hardware changes it by itself; the value is not in the store.
    pub live: bool,
    /// Value after reset.
    pub reset: u32,
    /// Bits that a write may set.
    pub mask: u32,
    /// Least value that a write may have.
    pub least: u32,
    /// Greatest value that a write may have.
    pub most: u32,
}

impl Entry {
    const fn constant(reset: u32) -> Self {
        Entry { readable: true, writable: false, live: false, reset, mask: 0, least: 0, most: 0 }
    }
}

/// The entry of word `word` of the BAR (the byte address over 4); an entry that is neither readable
/// nor writable for no register.
///
/// The flow window is outside of this table.
pub fn decode(word: u32, build: &Build) -> Entry {
    let address = word * 4;
    if address >= BLOCK_BYTES {
        return Entry::default();
    }
    for block in &BLOCKS {
        for (at, value) in [block.kind.type_word(), block.version, block.next()].into_iter().enumerate() {
            if address == block.base + at as u32 * 4 {
                return Entry::constant(value);
            }
        }
        for r in block.registers {
            if (r.address()..r.address() + 4 * r.count).contains(&address) {
                return entry(r, (address - r.address()) / 4, build);
            }
        }
    }
    Entry::default()
}

fn entry(r: &Register, i: u32, build: &Build) -> Entry {
    let (mut reset, live) = match r.reset {
        Reset::Value(v) => (v, false),
        Reset::Build(p) => (build.parameter(p), false),
        Reset::Live => (0, true),
    };
    let (mut mask, mut least, mut most) = bounds(r.fields);
    if *r == flow::INDEX || *r == dma::SNAPSHOT[2] || *r == dma::LOAD[2] {
        most = (1 << build.flow_bits) - 1;
    }
    if *r == dma::SNAPSHOT[3] || *r == dma::LOAD[3] {
        most = 1 << build.flow_bits;
    }
    if *r == flow::STAGE {
        // A staged word has the bounds of its word of the record, and starts as one that is within
        // them.
        (mask, least, most) = record_bounds(i);
        reset = least;
    }
    Entry { readable: r.access.readable(), writable: r.access != Access::ReadOnly, live, reset, mask, least, most }
}

/// Mask, least and greatest value of word `word` of a flow record: what a staged word, and a record
/// from memory, may hold.
pub fn record_bounds(word: u32) -> (u32, u32, u32) {
    let fields: Vec<_> = record::FIELDS.iter().filter(|f| u32::from(f.word) == word).copied().collect();
    bounds(&fields)
}

/// The mask, and the least and greatest value, of a word with these fields. Hardware compares whole
/// words, which is exact when only the highest field has a range.
fn bounds(fields: &[crate::field::Field]) -> (u32, u32, u32) {
    let mask = fields.iter().fold(0, |m, f| m | f.mask());
    match fields.last() {
        Some(top) => (mask, top.least << top.low, top.most << top.low | ((1u32 << top.low) - 1)),
        None => (0, 0, 0),
    }
}
