//! Lost packets in an ACK: one byte, bits 7..6 the segment's state, bits 5..0 the segments skipped
//! before it.

/// State of the answered segment: did all of its packets arrive?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Arrived {
    /// The responder does not know; nor how many segments were skipped.
    #[default]
    Unknown,
    /// All of them.
    Complete,
    /// Some are missing.
    Incomplete,
}

/// An ACK's byte of lost packets. A byte of 0, as a responder without a table sends it, says
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Loss {
    /// The answered segment.
    pub arrived: Arrived,
    /// Segments of the flow whose last packet did not arrive, since the ACK before: at most
    /// [`Loss::MOST`], which means that many or more.
    pub skipped: u8,
}

impl Loss {
    /// The most skipped segments that an ACK states.
    pub const MOST: u8 = 63;
    /// Bits of [`Loss::skipped`].
    pub const SKIPPED_BITS: u32 = 6;

    /// As byte 27 of the header has it.
    pub const fn byte(self) -> u8 {
        match self.arrived {
            Arrived::Unknown => 0,
            Arrived::Complete => 1 << Self::SKIPPED_BITS | self.skipped,
            Arrived::Incomplete => 2 << Self::SKIPPED_BITS | self.skipped,
        }
    }

    /// Reads the byte; the reserved state 3 says nothing.
    pub const fn of(byte: u8) -> Self {
        let arrived = match byte >> Self::SKIPPED_BITS {
            1 => Arrived::Complete,
            2 => Arrived::Incomplete,
            _ => return Loss { arrived: Arrived::Unknown, skipped: 0 },
        };
        Loss { arrived, skipped: byte & Self::MOST }
    }

    /// Segments that lost packets, the answered one included.
    pub const fn segments(self) -> u8 {
        self.skipped + matches!(self.arrived, Arrived::Incomplete) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_says_something_defined() {
        for byte in 0..=u8::MAX {
            let loss = Loss::of(byte);
            let known = matches!(byte >> 6, 1 | 2);
            assert_eq!(loss.byte(), if known { byte } else { 0 }, "{byte:#x}");
            assert_eq!(loss.segments() > 0, known && byte != 0x40, "{byte:#x}");
        }
    }
}
