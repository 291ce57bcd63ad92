//! The pause receiver of `timely_hw::pause`: IEEE 802.3 annex 31B PAUSE and 802.1Qbb priority-based
//! flow control, from the parser's reports.
//!
//! A pause of `n` quanta (512 bit times each) lasts `n` times 64 bytes of the line from [`LATENCY`]
//! clocks after the frame's report, rounded up to whole clocks. A later frame replaces what is
//! left; time 0 ends a pause. PAUSE stops all that is sent, PFC the classes of its vector.
use crate::Block;
use crate::parse::{Report, kind};

/// MAC control frames go to this address (annex 31B.1).
pub const DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 1];
/// EtherType of MAC control frames (31.4.1.3).
pub const ETHERTYPE: [u8; 2] = [0x88, 0x08];
/// Opcode of PAUSE (annex 31B.2).
pub const PAUSE: [u8; 2] = [0, 1];
/// Opcode of PFC (802.1Qbb, annex 31D).
pub const PFC: [u8; 2] = [1, 1];
/// Least bytes of a frame without FCS.
pub const LEAST: u16 = 60;
/// Clocks from a frame's report to its effect.
pub const LATENCY: u64 = 2;
/// Clocks with something paused that count as one.
pub const HELD_CLOCKS: u64 = 256;
/// Fraction bits of a timer, quanta.
pub const FRACTION: u32 = 24;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Pause frames count; without it nothing is paused.
    pub enable: bool,
    /// Wire bytes that the line carries in a clock, Q8.24.
    pub line_rate: u32,
    /// The parser's report.
    pub report: Option<Report>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// Everything is paused.
    pub all: bool,
    /// Paused priorities; with `all` every one.
    pub priorities: u8,
    /// A PAUSE frame was obeyed.
    pub pause: bool,
    /// A PFC frame was obeyed.
    pub pfc: bool,
    /// Another [`HELD_CLOCKS`] with something paused are over.
    pub held: bool,
}

/// A pause frame: opcode, classes and times, as they stand in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    pfc: bool,
    classes: u8,
    times: [u16; 8],
}

/// The receiver.
#[derive(Clone, Debug, Default)]
pub struct Pause {
    found: Option<Found>,
    /// Quanta left, with [`FRACTION`] bits: of each priority, and of all together.
    timers: [u64; 8],
    all: u64,
    /// Frames of both kinds that were obeyed.
    heard: [bool; 2],
    /// Clocks with something paused, and that they were [`HELD_CLOCKS`] at the one before.
    clocks: u8,
    held: bool,
}

impl Pause {
    fn find(r: &Report) -> Option<Found> {
        let opcode = [r.head[14], r.head[15]];
        let control = r.kind == kind::FOREIGN && r.bytes >= LEAST && r.head[..6] == DESTINATION && r.head[12..14] == ETHERTYPE;
        let word = |at: usize| u16::from_be_bytes([r.head[at], r.head[at + 1]]);
        (control && [PAUSE, PFC].contains(&opcode)).then(|| match opcode {
            PFC => Found { pfc: true, classes: r.head[17], times: std::array::from_fn(|i| word(18 + 2 * i)) },
            _ => Found { pfc: false, classes: 0, times: [word(16); 8] },
        })
    }
}

impl Block for Pause {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        let all = self.all != 0;
        let classes = (0..8).map(|i| u8::from(all || self.timers[i] != 0) << i).sum();
        let [pause, pfc] = self.heard;
        Out { all, priorities: classes, pause, pfc, held: self.held }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let spent = u64::from(i.line_rate >> 6);
        let found = self.found.take();
        let paused = self.all != 0 || self.timers != [0; 8];
        self.held = paused && u64::from(self.clocks) + 1 == HELD_CLOCKS;
        self.clocks = self.clocks.wrapping_add(paused.into());
        self.heard = [false, true].map(|pfc| i.enable && found.is_some_and(|f| f.pfc == pfc));
        for (n, timer) in self.timers.iter_mut().enumerate() {
            *timer = timer.saturating_sub(spent);
            if let Some(f) = found.filter(|f| f.pfc && f.classes >> n & 1 == 1) {
                *timer = u64::from(f.times[n]) << FRACTION;
            }
        }
        self.all = self.all.saturating_sub(spent);
        if let Some(f) = found.filter(|f| !f.pfc) {
            self.all = u64::from(f.times[0]) << FRACTION;
        }
        if !i.enable {
            (self.timers, self.all) = ([0; 8], 0);
        }
        self.found = i.report.as_ref().and_then(Self::find);
        if i.rst {
            *self = Pause::default();
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.found.is_none() && self.heard == [false; 2] && !self.held && self.all == 0 && self.timers == [0; 8];
        if idle { u64::MAX } else { clk }
    }
}
