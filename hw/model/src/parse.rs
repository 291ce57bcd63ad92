//! The parser of `timely_hw::parse`: beats of frames in, one report a frame out, [`LATENCY`] clocks
//! after its last beat.
use crate::Block;
use crate::check;
use crate::stream::{Arrival, Beat, WIDEST, beat};
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::wire::{self, Class, HEADER_BYTES, Kind};

/// Clocks from a frame's last beat to its report: the beat is on the inputs at clock `t`, the
/// report on the outputs at `t + 6`.
pub const LATENCY: u64 = 6;

/// Bytes in front of our header in the longest class, and so of [`Report::head`].
pub const FRONT: usize = 66;

/// The longest frame that is measured; a longer one counts as bad.
const LONGEST: u32 = 0xffff;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// `s_tvalid`, `s_tdata`, `s_tkeep`, `s_tlast`.
    pub beat: Option<Beat>,
    /// `s_ts`: stamp of the frame's start, ns48.fns16, looked at with the first beat.
    pub stamp: u64,
    /// `s_bad`, looked at with the last beat.
    pub bad: bool,
    /// `cfg_udp_port`, as it stands with the last beat.
    pub port: u16,
}

/// `o_kind`.
pub mod kind {
    /// Not ours.
    pub const FOREIGN: u8 = 0;
    /// A data packet.
    pub const DATA: u8 = 1;
    /// An ACK.
    pub const ACK: u8 = 2;
    /// Malformed, or marked bad by the MAC.
    pub const MALFORMED: u8 = 3;
}

/// The parser's report of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// See [`kind`].
    pub kind: u8,
    /// The [`Counter`] of a malformed frame, else 0.
    pub reason: u8,
    /// The stack by EtherType, without a meaning for frames that are foreign or bad.
    pub class: Class,
    /// The first 66 bytes. Bytes behind the frame's end are left over from what the bus carried
    /// before.
    pub head: [u8; FRONT],
    /// Our header, where the class has it.
    pub header: [u8; HEADER_BYTES],
    /// Bytes of the frame without FCS; 0 if its `tkeep` was no measure, or if they were more than
    /// 65,535.
    pub bytes: u16,
    /// Stamp of its start.
    pub stamp: u64,
}

impl Report {
    /// The counters that it counts in, as bits of the pulse bus: `RxFrames` and exactly one more.
    pub fn pulses(&self) -> u64 {
        let what = match self.kind {
            kind::FOREIGN => Counter::RxForeign as u8,
            kind::DATA => Counter::RxData as u8,
            kind::ACK => Counter::RxAcks as u8,
            _ => self.reason,
        };
        1 << (Counter::RxFrames as u8) | 1 << what
    }

    /// Digest of its source address, where the class has it.
    pub fn source(&self) -> u32 {
        self.digest(8, 12)
    }

    /// Digest of its destination address, where the class has it.
    pub fn destination(&self) -> u32 {
        self.digest(24, 16)
    }

    fn digest(&self, v6: usize, v4: usize) -> u32 {
        let (at, bytes) = if self.class.ipv6 { (v6, 16) } else { (v4, 4) };
        let from = self.class.ip() + at;
        let mut address = [0; 16];
        address[..bytes].copy_from_slice(&self.head[from..from + bytes]);
        check::digest(&address, self.class.ipv6)
    }
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Out {
    /// The report while `o_valid`.
    pub report: Option<Report>,
    /// `pulses`.
    pub pulses: u64,
}

/// A parser of a bus of `width` bits.
#[derive(Clone, Debug)]
pub struct Parse {
    /// Bytes of a full beat.
    full: u8,
    /// The frame's first bytes, never cleared.
    head: [u8; 128],
    /// Bytes of this frame in the beats so far, up to [`LONGEST`] + 1.
    before: u32,
    stamp: u64,
    first: bool,
    /// A beat of this frame that was not its last had a `tkeep` that was not all ones.
    broken: bool,
    pipeline: VecDeque<(u64, Report)>,
}

impl Parse {
    /// A parser that waits for a frame.
    ///
    /// # Panics
    /// When `width` is not 64, 128, 256 or 512.
    pub fn new(width: usize) -> Self {
        assert!([64, 128, 256, 512].contains(&width), "a bus of {width} bits; there are 64, 128, 256 and 512");
        let pipeline = VecDeque::with_capacity(LATENCY as usize + 1);
        Parse { full: (width / 8) as u8, head: [0; 128], before: 0, stamp: 0, first: true, broken: false, pipeline }
    }

    /// The report of the frame that this beat ends.
    fn judge(&self, beat: &Beat, bad: bool, port: u16) -> Report {
        let keep = self.broken || beat.bytes == 0 || beat.bytes > self.full;
        let bytes = self.before + if keep { 0 } else { u32::from(beat.bytes) };
        let measured = !keep && bytes <= LONGEST;
        let (kind, reason) = match wire::check(&self.head, bytes as usize, port) {
            _ if bad || !measured => (kind::MALFORMED, Counter::RxBad as u8),
            Ok((_, Kind::Data)) => (kind::DATA, 0),
            Ok((_, Kind::Ack)) => (kind::ACK, 0),
            Err(wire::Error::Foreign) => (kind::FOREIGN, 0),
            Err(e) => (kind::MALFORMED, e.counter() as u8),
        };
        let class = Class::named_by(&self.head).0;
        Report {
            kind,
            reason,
            class,
            head: self.head[..FRONT].try_into().expect("66 of 128 bytes"),
            header: self.head[class.header()..class.end()].try_into().expect("48 of 128 bytes"),
            bytes: if measured { bytes as u16 } else { 0 },
            stamp: self.stamp,
        }
    }

    fn restart(&mut self) {
        (self.before, self.first, self.broken) = (0, true, false);
    }
}

impl Block for Parse {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        match self.pipeline.front() {
            Some((due, report)) if *due == clk => Out { report: Some(*report), pulses: report.pulses() },
            _ => Out::default(),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        while self.pipeline.front().is_some_and(|(due, _)| *due <= clk) {
            self.pipeline.pop_front();
        }
        if let Some(beat) = &i.beat {
            if self.first {
                self.stamp = i.stamp;
            }
            if let Some(room) = self.head.get_mut(self.before as usize..) {
                let bytes = room.len().min(usize::from(self.full));
                room[..bytes].copy_from_slice(&beat.data[..bytes]);
            }
            if beat.last {
                self.pipeline.push_back((clk + LATENCY, self.judge(beat, i.bad, i.port)));
                self.restart();
            } else {
                self.first = false;
                self.broken |= beat.bytes != self.full;
                self.before = (self.before + u32::from(self.full)).min(LONGEST + 1);
            }
        }
        if i.rst {
            self.restart();
            self.pipeline.clear();
        }
    }

    fn wake(&self, _clk: u64) -> u64 {
        self.pipeline.front().map_or(u64::MAX, |(due, _)| *due)
    }
}

/// The inputs that carry an arrival on a bus of `width` bits, a beat a clock.
pub fn inputs(arrival: &Arrival, width: usize, port: u16) -> impl Iterator<Item = In> + '_ {
    let beats = arrival.frame.len().div_ceil(width / 8).max(1);
    (0..beats).map(move |i| In {
        rst: false,
        beat: Some(beat(&arrival.frame, width, i)),
        stamp: arrival.stamp,
        bad: arrival.bad && i + 1 == beats,
        port,
    })
}

const _: () = assert!(FRONT + HEADER_BYTES <= 128 && 128 % WIDEST == 0);
