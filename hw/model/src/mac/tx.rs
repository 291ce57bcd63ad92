//! The MAC's sender of `timely_hw::mac::tx`: beats of 8 bytes in, bytes out.
use super::{FCS, GAP, Gmii, LEAD_IN, LEAST, PREAMBLE, SFD, crc32};
use crate::Block;
use crate::stream::Beat;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered, and its frame's tag.
    pub beat: Option<(Beat, u16)>,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// An offered beat is taken.
    pub ready: bool,
    /// GMII transmit signals.
    pub gmii: Gmii,
    /// Turns over when the end of a preamble is on the wire.
    pub sent: bool,
    /// The tag of the last frame of which it was.
    pub sent_tag: u16,
    /// Turns over when a frame was broken off because its next beat was not there.
    pub underrun: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Preamble,
    Data,
    Pad,
    Check,
    Gap,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct Tx {
    out: Out,
    held: Option<(Beat, u16)>,
    state: State,
    /// Bytes of this state that are on the wire.
    count: u32,
    /// The rest of the beat that is being sent.
    word: u64,
    left: u8,
    last: bool,
    /// Bytes of the frame, up to the least it must have.
    length: u32,
    crc: u32,
    /// The frame is broken off: its check sequence is sent wrong.
    broken: bool,
    /// The rest of the broken-off frame is taken and dropped.
    drain: bool,
}

impl Default for Tx {
    fn default() -> Self {
        Tx {
            out: Out { ready: true, ..Out::default() },
            held: None,
            state: State::Idle,
            count: 0,
            word: 0,
            left: 0,
            last: false,
            length: 0,
            crc: 0,
            broken: false,
            drain: false,
        }
    }
}

impl Tx {
    fn load(&mut self, beat: &Beat) {
        self.word = u64::from_le_bytes(std::array::from_fn(|i| beat.data[i]));
        // A keep without a byte counts as one of a byte, one with a hole by its highest.
        self.left = if beat.bytes == Beat::HOLES { 8 } else { beat.bytes.max(1) };
        self.last = beat.last;
    }

    fn byte(&mut self, byte: u8) {
        self.out.gmii = Gmii { data: byte, valid: true, error: false };
        self.crc = crc32(self.crc, byte);
        self.length = (self.length + 1).min(LEAST);
    }

    fn enter(&mut self, state: State) {
        (self.state, self.count) = (state, 0);
    }
}

impl Block for Tx {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { ready: self.held.is_none(), ..self.out }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let arriving = i.beat.filter(|_| self.held.is_none());
        let before = self.held;
        let mut take = false;
        self.out.gmii = Gmii::default();
        self.count += 1;
        match self.state {
            State::Idle | State::Gap if self.drain => {
                take = true;
                if before.is_some_and(|(b, _)| b.last) {
                    self.drain = false;
                }
                if self.state == State::Gap && self.count == GAP - 1 {
                    self.enter(State::Idle);
                }
            }
            State::Idle => {
                if before.is_some() {
                    self.enter(State::Preamble);
                }
            }
            State::Preamble => {
                self.out.gmii = Gmii { data: PREAMBLE, valid: true, error: false };
                if self.count == LEAD_IN
                    && let Some((beat, tag)) = before
                {
                    self.out.gmii.data = SFD;
                    self.out.sent = !self.out.sent;
                    self.out.sent_tag = tag;
                    self.load(&beat);
                    take = true;
                    (self.length, self.crc, self.broken) = (0, !0, false);
                    self.enter(State::Data);
                }
            }
            State::Data => {
                self.byte(self.word as u8);
                self.word >>= 8;
                self.left -= 1;
                if self.left == 0 {
                    if self.last {
                        self.enter(if self.length == LEAST { State::Check } else { State::Pad });
                    } else if let Some((beat, _)) = before {
                        self.load(&beat);
                        take = true;
                    } else {
                        self.out.underrun = !self.out.underrun;
                        (self.broken, self.drain) = (true, true);
                        self.enter(State::Check);
                    }
                }
            }
            State::Pad => {
                self.byte(0);
                if self.length == LEAST {
                    self.enter(State::Check);
                }
            }
            State::Check => {
                let byte = self.crc as u8;
                self.crc >>= 8;
                self.out.gmii = Gmii { data: if self.broken { byte } else { !byte }, valid: true, error: self.broken };
                if self.count == FCS {
                    self.enter(State::Gap);
                }
            }
            State::Gap => {
                if self.count == GAP - 1 {
                    self.enter(State::Idle);
                }
            }
        }
        if take {
            self.held = None;
        }
        if arriving.is_some() {
            self.held = arriving;
        }
        if i.rst {
            // The two that turn over are levels that another clock looks at.
            *self = Tx {
                out: Out { sent: self.out.sent, sent_tag: self.out.sent_tag, underrun: self.out.underrun, ..Out::default() },
                ..Tx::default()
            };
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.state == State::Idle && self.held.is_none() && !self.out.gmii.valid { u64::MAX } else { clk }
    }
}
