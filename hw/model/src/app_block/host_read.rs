//! Records on their way from the host through descriptors:
//! `timely_hw::shells::corundum::app::host_read`.
use super::host_write::{BYTES, Record};
use crate::Block;

/// Places: bursts that may be under way.
pub const PLACES: usize = 2;

/// Bytes written into half a place: place, bytes, and which of them.
pub type HalfWrite = (u8, [u8; BYTES / 2], u32);

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// There is a DMA engine; a level.
    pub enable: bool,
    /// A burst's address.
    pub address: Option<u64>,
    /// A beat is taken.
    pub beat_ready: bool,
    /// The descriptor is taken.
    pub descriptor_ready: bool,
    /// A descriptor is done: its place, and whether it failed.
    pub status: Option<(u8, bool)>,
    /// The engine writes into the lower and the upper half of a place.
    pub halves: [Option<HalfWrite>; 2],
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Out {
    /// An address is taken.
    pub address_ready: bool,
    /// Descriptor: address in the host, and place.
    pub descriptor: Option<(u64, u8)>,
    /// A beat: the rest of the burst from it on, whether the burst failed, whether it is its last.
    pub beat: Option<(Record, bool, bool)>,
}

/// The reader.
#[derive(Clone, Debug)]
pub struct HostRead {
    width: usize,
    places: [Record; PLACES],
    descriptor: Option<(u64, u8)>,
    put: usize,
    get: usize,
    waiting: usize,
    done: [bool; PLACES],
    failed: [bool; PLACES],
    beats: usize,
}

impl HostRead {
    /// On a bus of `width` bits.
    pub fn new(width: usize) -> Self {
        HostRead {
            width,
            places: [[0; BYTES]; PLACES],
            descriptor: None,
            put: 0,
            get: 0,
            waiting: 0,
            done: [false; PLACES],
            failed: [false; PLACES],
            beats: 0,
        }
    }
}

impl Block for HostRead {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        let last = self.beats + 1 == BYTES * 8 / self.width;
        let ready = self.waiting > 0 && self.done[self.get];
        Out {
            address_ready: self.descriptor.is_none() && self.waiting < PLACES,
            descriptor: self.descriptor,
            beat: ready.then(|| (self.places[self.get], self.failed[self.get], last)),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let (out, old) = (self.output(clk), self.places);
        for (half, write) in i.halves.iter().enumerate() {
            if let Some((place, bytes, enable)) = write {
                for (n, byte) in bytes.iter().enumerate().filter(|(n, _)| enable >> n & 1 == 1) {
                    self.places[usize::from(*place)][half * BYTES / 2 + n] = *byte;
                }
            }
        }
        // A burst that leaves moves down its place.
        let leaves = out.beat.is_some() && i.beat_ready;
        let bytes = self.width / 8;
        if leaves {
            let place = &mut self.places[self.get];
            *place = [0; BYTES];
            place[..BYTES - bytes].copy_from_slice(&old[self.get][bytes..]);
        }
        if i.rst {
            *self = HostRead { places: self.places, ..HostRead::new(self.width) };
            return;
        }
        if let Some((place, failed)) = i.status {
            (self.done[usize::from(place)], self.failed[usize::from(place)]) = (true, failed);
        }
        if i.descriptor_ready {
            self.descriptor = None;
        }
        if leaves {
            self.beats += 1;
            if self.beats == BYTES / bytes {
                self.beats = 0;
                self.get = (self.get + 1) % PLACES;
                self.waiting -= 1;
            }
        }
        if let Some(address) = i.address.filter(|_| out.address_ready) {
            self.descriptor = i.enable.then_some((address, self.put as u8));
            (self.done[self.put], self.failed[self.put]) = (!i.enable, !i.enable);
            self.put = (self.put + 1) % PLACES;
            self.waiting += 1;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.waiting > 0 || self.descriptor.is_some() { clk } else { u64::MAX }
    }
}
