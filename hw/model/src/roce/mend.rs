//! AckReq set in a packet on its way, and its check sequence mended.
use crate::stream::Beat;
use timely_regs::roce::offset;
use timely_regs::wire::{Class, crc32};

/// Bit 7 of the byte.
const ACK_REQUEST: u8 = 0x80;

/// A packet whose AckReq is to be set: it has none, no UDP checksum, and nothing behind its check
/// sequence, which is in a later beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The packet's stack.
    pub class: Class,
    /// The frame's byte at which its check sequence begins.
    pub place: u16,
}

impl Mended {
    fn ack_byte(&self) -> usize {
        self.class.header() + offset::ACK_REQUEST
    }

    /// The sequence is in a later beat of `width` bits than AckReq.
    pub fn fits(&self, width: usize) -> bool {
        usize::from(self.place) / (width / 8) > self.ack_byte() / (width / 8)
    }

    /// Bits that change in byte `at` of the frame.
    fn change(&self, at: usize) -> u8 {
        let (ack, place) = (self.ack_byte(), usize::from(self.place));
        if at == ack {
            return ACK_REQUEST;
        }
        // A CRC is linear: the bit adds what it makes of an empty register.
        let Some(byte) = at.checked_sub(place).filter(|n| *n < 4) else { return 0 };
        (ack + 1..place).fold(crc32(0, ACK_REQUEST), |r, _| crc32(r, 0)).to_le_bytes()[byte]
    }
}

/// `timely_hw::roce::Mend`, on a bus of `width` bits.
#[derive(Clone, Debug)]
pub struct Mend {
    width: usize,
    /// Beats of this packet so far.
    beat: usize,
}

impl Mend {
    /// A packet's first beat is next.
    pub fn new(width: usize) -> Self {
        Mend { width, beat: 0 }
    }

    /// The beat that is offered, of a packet that is mended, as it goes on.
    pub fn beat(&self, beat: &Beat, mended: Option<Mended>) -> Beat {
        let (mut out, bytes) = (*beat, self.width / 8);
        if let Some(mended) = mended {
            (0..bytes).for_each(|i| out.data[i] ^= mended.change(self.beat * bytes + i));
        }
        out
    }

    /// A beat is taken.
    pub fn step(&mut self, taken: Option<&Beat>) {
        if let Some(beat) = taken {
            self.beat = if beat.last { 0 } else { self.beat + 1 };
        }
    }
}
