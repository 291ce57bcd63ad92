//! The MAC's receiver of `timely_hw::mac::rx`: bytes in, beats of 8 bytes out.
use super::{FCS, Gmii, LEAST, MOST, PREAMBLE, RESIDUE, SFD, crc32};
use crate::Block;
use crate::stream::Beat;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// GMII receive signals.
    pub gmii: Gmii,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// A beat, to be taken; with the last one, whether the frame is bad.
    pub beat: Option<(Beat, bool)>,
    /// Turns over when the end of a preamble was on the wire two clocks ago.
    pub begun: bool,
    /// The PHY's status between frames: bit 0 link, bits 2..1 speed (2 is Gigabit), bit 3 full
    /// duplex.
    pub status: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between frames, or in a preamble.
    #[default]
    Hunt,
    Body,
    /// Until the frame ends.
    Skip,
}

/// The receiver.
#[derive(Clone, Debug, Default)]
pub struct Rx {
    out: Out,
    gmii: Gmii,
    state: State,
    /// The last four bytes, which may be the check sequence.
    late: [u8; 4],
    /// Bytes of the frame with its check sequence.
    length: u32,
    crc: u32,
    error: bool,
    word: [u8; 8],
    /// Bytes in it.
    filled: u8,
}

impl Rx {
    fn beat(&self, last: bool, bad: bool) -> Option<(Beat, bool)> {
        let mut data = [0; crate::stream::WIDEST];
        data[..8].copy_from_slice(&self.word);
        Some((Beat { data, bytes: self.filled, last }, bad))
    }

    fn end(&mut self, bad: bool) {
        if self.filled > 0 {
            self.out.beat = self.beat(true, bad);
        }
        self.filled = 0;
        self.word = [0; 8];
    }
}

impl Block for Rx {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        self.out
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let g = std::mem::replace(&mut self.gmii, i.gmii);
        self.out.beat = None;
        match self.state {
            State::Hunt if g.valid => {
                if g.data == SFD && !g.error {
                    self.state = State::Body;
                    self.out.begun = !self.out.begun;
                    (self.length, self.crc, self.error) = (0, !0, false);
                } else if g.data != PREAMBLE || g.error {
                    self.state = State::Skip;
                }
            }
            State::Hunt => {
                if !g.error && g.data & 15 == g.data >> 4 {
                    self.out.status = g.data & 15;
                }
            }
            State::Body if g.valid => {
                self.error |= g.error;
                if self.length == MOST {
                    self.end(true);
                    self.state = State::Skip;
                } else {
                    if self.length >= FCS {
                        if self.filled == 8 {
                            self.out.beat = self.beat(false, false);
                            (self.filled, self.word) = (0, [0; 8]);
                        }
                        self.word[usize::from(self.filled)] = self.late[3];
                        self.filled += 1;
                    }
                    self.late = [g.data, self.late[0], self.late[1], self.late[2]];
                    self.crc = crc32(self.crc, g.data);
                    self.length += 1;
                }
            }
            State::Body => {
                self.end(self.error || self.crc != RESIDUE || self.length < LEAST + FCS);
                self.state = State::Hunt;
            }
            State::Skip => {
                if !g.valid {
                    self.state = State::Hunt;
                }
            }
        }
        if i.rst {
            // A signal that turns over is a level that another clock looks at, so a reset keeps it.
            *self = Rx { out: Out { begun: self.out.begun, ..Out::default() }, ..Rx::default() };
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let still = self.state == State::Hunt && self.gmii == Gmii::default() && self.out.beat.is_none() && self.out.status == 0;
        if still { u64::MAX } else { clk }
    }
}
