//! The departure memory of the RTT block: a ring of the last `2^ring_bits` ended segments of all
//! flows.
use crate::bus::Sent;

/// Bits of a stamp: 32 of ns, 8 of fractions.
pub const STAMP: u64 = (1 << 40) - 1;
/// Entries of a page: a large network of models fills few of them.
const PAGE: usize = 64;

/// A segment's place in the ring.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    /// A segment took the place since RAM init.
    pub valid: bool,
    /// Turn of the ring in which the segment was given the place, 2 bits.
    pub generation: u8,
    /// The segment's flow.
    pub flow: u32,
    /// The low 16 bits of its number.
    pub segment: u16,
    /// Check that the segment's ACK must echo.
    pub check: u32,
    /// Charged bytes of the flow up to the segment's end, modulo 2^32.
    pub sum: u32,
}

/// Where the RTT of a segment starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// There is one.
    pub valid: bool,
    /// ns in Q.8, [`STAMP`] bits.
    pub at: u64,
    /// Step of the time before which it was taken, 2 bits.
    pub epoch: u8,
}

/// A place: entry and stamp have a writer each.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    entry: Entry,
    stamp: Stamp,
    /// Turn of the ring that the stamp belongs to.
    generation: u8,
}

/// The ring.
#[derive(Clone, Debug)]
pub struct Ring {
    bits: u32,
    pages: Vec<Option<Box<[Place; PAGE]>>>,
}

impl Ring {
    /// `2^bits` empty places.
    pub fn new(bits: u32) -> Self {
        Ring { bits, pages: vec![None; (1usize << bits).div_ceil(PAGE)] }
    }

    /// log2 of the places.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    fn place(&mut self, at: u16) -> &mut Place {
        let at = usize::from(at) & ((1 << self.bits) - 1);
        &mut self.pages[at / PAGE].get_or_insert_with(|| Box::new([Place::default(); PAGE]))[at % PAGE]
    }

    /// Entry and stamp of a place; the stamp only if it is that of the entry's segment.
    pub fn read(&self, at: u16) -> (Entry, Stamp) {
        let at = usize::from(at) & ((1 << self.bits) - 1);
        let place = self.pages[at / PAGE].as_ref().map_or(Place::default(), |p| p[at % PAGE]);
        let stamp = Stamp { valid: place.stamp.valid && place.generation == place.entry.generation, ..place.stamp };
        (place.entry, stamp)
    }

    /// A segment takes the place that its last frame carries; `sum` is what its flow was charged up
    /// to its end.
    pub fn remember(&mut self, sent: &Sent, sum: u32) {
        self.place(sent.place).entry =
            Entry { valid: true, generation: sent.generation, flow: sent.flow, segment: sent.segment as u16, check: sent.nonce, sum };
    }

    /// A segment's stamp.
    pub fn stamp(&mut self, at: u16, generation: u8, stamp: Stamp) {
        let place = self.place(at);
        (place.stamp, place.generation) = (stamp, generation);
    }
}
