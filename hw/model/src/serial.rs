//! Registers over a serial line, `timely_hw::serial`: 8 data bits, no parity, one stop bit;
//! requests of ten bytes, answers of seven.
use crate::Block;
use timely_regs::serial::{ANSWER, ANSWER_BYTES, READ, REFUSED, REQUEST, REQUEST_BYTES, WRITE, crc8};

/// Clocks of silence after which a request that has begun is forgotten.
pub const PATIENCE: u32 = 1 << 16;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The line from the host; idle is `true`. Of another clock.
    pub line: bool,
    /// AXI-Lite: an offered write address is taken.
    pub awready: bool,
    /// AXI-Lite: an offered word is taken.
    pub wready: bool,
    /// AXI-Lite: answer to a write.
    pub b: Option<u8>,
    /// AXI-Lite: an offered read address is taken.
    pub arready: bool,
    /// AXI-Lite: answer to a read, and what was read.
    pub r: Option<(u8, u32)>,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The line to the host.
    pub line: bool,
    /// AXI-Lite: a write address is offered.
    pub awvalid: bool,
    /// AXI-Lite: a word is offered.
    pub wvalid: bool,
    /// AXI-Lite: a read address is offered.
    pub arvalid: bool,
    /// The address of either.
    pub address: u32,
    /// The word.
    pub data: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A request comes in.
    Hear,
    /// The registers are asked.
    Ask,
    /// An answer goes out.
    Tell,
}

/// The bridge.
#[derive(Clone, Debug)]
pub struct Serial {
    /// Clocks a bit.
    bit: u32,
    /// The line as it was one and two clocks ago.
    seen: [bool; 2],
    hearing: bool,
    /// Clocks until the line is looked at.
    wait: u32,
    /// Bits that were looked at, the start bit among them.
    heard: u32,
    shift: u8,
    state: State,
    /// Bytes of the request or the answer that are done.
    index: u32,
    silent: u32,
    /// The request's bytes after its first, the first in the lowest bits.
    request: u64,
    crc: u8,
    aw: bool,
    w: bool,
    ar: bool,
    /// The bytes of the answer that are to be sent.
    answer: u64,
    /// A bit is on the line.
    telling: bool,
    tell_wait: u32,
    /// Bits of the byte that are to be sent, the lowest first.
    bits: u16,
    told: u32,
    line: bool,
}

impl Serial {
    /// With so many clocks a bit, at least 4.
    pub fn new(bit: u32) -> Self {
        Serial {
            bit,
            seen: [true; 2],
            hearing: false,
            wait: 0,
            heard: 0,
            shift: 0,
            state: State::Hear,
            index: 0,
            silent: 0,
            request: 0,
            crc: 0,
            aw: false,
            w: false,
            ar: false,
            answer: 0,
            telling: false,
            tell_wait: 0,
            bits: 0,
            told: 0,
            line: true,
        }
    }

    // The byte that ends at this clock.
    fn hear(&mut self) -> Option<u8> {
        let line = self.seen[1];
        if !self.hearing {
            if !line {
                (self.hearing, self.wait, self.heard) = (true, self.bit / 2, 0);
            }
            return None;
        }
        if self.wait != 0 {
            self.wait -= 1;
            return None;
        }
        self.wait = self.bit - 1;
        let heard = self.heard;
        self.heard += 1;
        match heard {
            0 => {
                self.hearing = !line;
                None
            }
            1..=8 => {
                self.shift = self.shift >> 1 | u8::from(line) << 7;
                None
            }
            _ => {
                self.hearing = false;
                line.then_some(self.shift)
            }
        }
    }

    fn tell(&mut self, status: u8, data: u32) {
        self.answer = u64::from(ANSWER) | u64::from(status) << 8 | u64::from(data) << 16;
        (self.state, self.index, self.crc) = (State::Tell, 0, 0);
    }

    fn step_request(&mut self, byte: Option<u8>) {
        self.silent += 1;
        let Some(byte) = byte else {
            if self.silent == PATIENCE {
                (self.index, self.silent) = (0, 0);
            }
            return;
        };
        self.silent = 0;
        if self.index == 0 {
            self.index = u32::from(byte == REQUEST);
            self.crc = 0;
        } else if self.index < REQUEST_BYTES as u32 - 1 {
            self.request = self.request >> 8 | u64::from(byte) << 56;
            self.crc = crc8(self.crc, byte);
            self.index += 1;
        } else {
            let kind = self.request as u8;
            self.index = 0;
            if byte == self.crc && (kind == READ || kind == WRITE) {
                self.state = State::Ask;
                (self.aw, self.w, self.ar) = (kind == WRITE, kind == WRITE, kind == READ);
            } else {
                self.tell(REFUSED, 0);
            }
        }
    }

    fn step_answer(&mut self) {
        if self.telling {
            if self.tell_wait != 0 {
                self.tell_wait -= 1;
                return;
            }
            self.line = self.bits & 1 == 1;
            self.bits = self.bits >> 1 | 1 << 9;
            self.tell_wait = self.bit - 1;
            self.told += 1;
            // Start, 8 bits, stop; and the time of the stop bit is over.
            self.telling = self.told != 11;
            return;
        }
        if self.index == ANSWER_BYTES as u32 {
            (self.state, self.index) = (State::Hear, 0);
            return;
        }
        let byte = if self.index == ANSWER_BYTES as u32 - 1 { self.crc } else { self.answer as u8 };
        if self.index != 0 {
            self.crc = crc8(self.crc, byte);
        }
        self.answer >>= 8;
        self.bits = u16::from(byte) << 1 | 1 << 9;
        (self.telling, self.tell_wait, self.told) = (true, 0, 0);
        self.index += 1;
    }
}

impl Block for Serial {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        let (address, data) = ((self.request >> 8) as u32 & 0xff_ffff, (self.request >> 32) as u32);
        Out { line: self.line, awvalid: self.aw, wvalid: self.w, arvalid: self.ar, address, data }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let byte = self.hear();
        self.seen = [i.line, self.seen[0]];
        match self.state {
            State::Hear => self.step_request(byte),
            State::Ask => {
                self.aw &= !i.awready;
                self.w &= !i.wready;
                self.ar &= !i.arready;
                if let Some(response) = i.b {
                    self.tell(response, 0);
                } else if let Some((response, data)) = i.r {
                    self.tell(response, data);
                }
            }
            State::Tell => self.step_answer(),
        }
        if i.rst {
            *self = Serial::new(self.bit);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        clk
    }
}
