//! Records on their way to the host through descriptors:
//! `timely_hw::shells::corundum::app::host_write`.
use crate::Block;

/// Bytes of a burst, and of a place.
pub const BYTES: usize = 64;
/// Places: bursts that may be under way.
pub const PLACES: usize = 16;

/// A burst.
pub type Record = [u8; BYTES];

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// There is a DMA engine; a level.
    pub enable: bool,
    /// A burst's address.
    pub address: Option<u64>,
    /// A beat of a burst, its bytes first.
    pub beat: Option<[u8; BYTES]>,
    /// The descriptor is taken.
    pub descriptor_ready: bool,
    /// A descriptor is done: its place, and whether it failed.
    pub status: Option<(u8, bool)>,
    /// Each segment is asked for what is at a place.
    pub ask: [Option<u8>; 2],
    /// Each segment's answer is taken.
    pub answer_ready: [bool; 2],
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Out {
    /// An address is taken.
    pub address_ready: bool,
    /// A beat is taken.
    pub beat_ready: bool,
    /// The oldest burst ended: whether it failed.
    pub response: Option<bool>,
    /// Descriptor: address in the host, and place.
    pub descriptor: Option<(u64, u8)>,
    /// A segment may be asked.
    pub ask_ready: [bool; 2],
    /// Each segment's record at the place that was asked for.
    pub answer: [Option<Record>; 2],
}

/// A segment's way out of the RAM.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    read: Option<Record>,
    answer: Option<Record>,
}

/// The writer.
#[derive(Clone, Debug)]
pub struct HostWrite {
    width: usize,
    places: [Record; PLACES],
    address: Option<u64>,
    record: Record,
    beats: usize,
    full: bool,
    descriptor: Option<(u64, u8)>,
    put: u8,
    get: u8,
    waiting: u8,
    done: u16,
    failed: u16,
    response: Option<bool>,
    segments: [Segment; 2],
}

impl HostWrite {
    /// On a bus of `width` bits.
    pub fn new(width: usize) -> Self {
        HostWrite {
            width,
            places: [[0; BYTES]; PLACES],
            address: None,
            record: [0; BYTES],
            beats: 0,
            full: false,
            descriptor: None,
            put: 0,
            get: 0,
            waiting: 0,
            done: 0,
            failed: 0,
            response: None,
            segments: [Segment::default(); 2],
        }
    }
}

impl Block for HostWrite {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out {
            address_ready: self.address.is_none(),
            beat_ready: !self.full,
            response: self.response,
            descriptor: self.descriptor,
            ask_ready: self.segments.map(|s| s.read.is_none() && s.answer.is_none()),
            answer: self.segments.map(|s| s.answer),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let out = self.output(clk);
        // A whole burst gets a place and a descriptor.
        let starts = self.full && self.waiting < PLACES as u8 && (self.descriptor.is_none() || i.descriptor_ready);
        let address = self.address.filter(|_| starts);
        let places = self.places;
        if address.is_some() {
            self.places[usize::from(self.put)] = self.record;
        }
        if i.rst {
            *self = HostWrite { places: self.places, ..HostWrite::new(self.width) };
            return;
        }
        for (n, s) in self.segments.iter_mut().enumerate() {
            if s.answer.is_some() && i.answer_ready[n] {
                s.answer = None;
            }
            if let Some(record) = s.read.take() {
                s.answer = Some(record);
            }
            s.read = i.ask[n].filter(|_| out.ask_ready[n]).map(|place| places[usize::from(place)]);
        }
        // The oldest burst's end.
        let ended = self.waiting > 0 && self.done >> self.get & 1 == 1;
        self.response = ended.then_some(self.failed >> self.get & 1 == 1);
        if let Some((place, failed)) = i.status {
            self.done |= 1 << place;
            self.failed = self.failed & !(1 << place) | u16::from(failed) << place;
        }
        if i.descriptor_ready {
            self.descriptor = None;
        }
        if let Some(address) = address {
            self.done &= !(1 << self.put);
            if i.enable {
                self.descriptor = Some((address, self.put));
            } else {
                self.done |= 1 << self.put;
                self.failed |= 1 << self.put;
            }
            self.put = (self.put + 1) % PLACES as u8;
            self.waiting += 1;
            (self.address, self.full) = (None, false);
        }
        if ended {
            self.get = (self.get + 1) % PLACES as u8;
            self.waiting -= 1;
        }
        self.address = self.address.or(i.address.filter(|_| out.address_ready));
        if let Some(beat) = i.beat.filter(|_| out.beat_ready) {
            let bytes = self.width / 8;
            self.record.copy_within(bytes.., 0);
            self.record[BYTES - bytes..].copy_from_slice(&beat[..bytes]);
            self.beats += 1;
            if self.beats == BYTES / bytes {
                (self.beats, self.full) = (0, true);
            }
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let answers = self.segments.iter().any(|s| s.read.is_some() || s.answer.is_some());
        let moves = self.full || self.waiting > 0 || self.descriptor.is_some() || self.response.is_some();
        if moves || answers { clk } else { u64::MAX }
    }
}
