//! The parser of `timely_hw::roce`: beats of frames in, one report of RoCEv2's headers a frame out,
//! [`LATENCY`] clocks after its last beat.
mod mend;
pub mod read_charge;

use crate::Block;
use crate::parse::In;
pub use mend::{Mend, Mended};
pub use read_charge::{Brings, ReadCharge};
use std::collections::VecDeque;
use timely_regs::roce::{self, Error, Headers};
use timely_regs::wire::{ethernet, ipv4, ipv6, udp};

/// Clocks from a frame's last beat to its report.
pub const LATENCY: u64 = 12;

/// The longest frame that is measured; a longer one counts as bad.
const LONGEST: usize = 0xffff;

/// `o_reason` of a frame that the MAC found bad, or whose `tkeep` was no measure; the others are
/// numbered by [`Error`].
pub const BAD: u8 = 1;

/// `o_kind` of a frame that is malformed; 0 stands for foreign, the others are numbered by
/// [`roce::Kind`].
pub const MALFORMED: u8 = 7;

/// A well-formed packet, as reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Headers of the packet.
    pub headers: Headers,
    /// Source address; an IPv4 address in the first four bytes, zeros behind it.
    pub source: [u8; 16],
    /// Destination address.
    pub destination: [u8; 16],
    /// Bytes of the frame without FCS.
    pub bytes: u16,
    /// Stamp of its start.
    pub stamp: u64,
    /// Destination and source MAC address.
    pub macs: [[u8; 6]; 2],
    /// Priority, DEI and VLAN number, of a tagged frame.
    pub tci: Option<u16>,
    /// UDP source port.
    pub port: u16,
    /// No UDP checksum, and nothing behind the check sequence: with that mended, a bit of the
    /// transport header may change.
    pub mendable: bool,
}

/// The report of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// `o_kind`.
    pub kind: u8,
    /// `o_reason`.
    pub reason: u8,
    /// The packet, if it is well-formed.
    pub packet: Option<Packet>,
}

/// A parser of a bus of `width` bits.
#[derive(Clone, Debug)]
pub struct Parse {
    full: u8,
    frame: Vec<u8>,
    long: bool,
    stamp: u64,
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
        Parse { full: (width / 8) as u8, frame: Vec::new(), long: false, stamp: 0, broken: false, pipeline: VecDeque::new() }
    }

    fn judge(&self, bad: bool) -> Report {
        if bad || self.broken || self.long {
            return Report { kind: MALFORMED, reason: BAD, packet: None };
        }
        match roce::check(&self.frame) {
            Ok(headers) => {
                let (from, to, bytes) =
                    if headers.class.ipv6 { (ipv6::SOURCE, ipv6::DESTINATION, 16) } else { (ipv4::SOURCE, ipv4::DESTINATION, 4) };
                let address = |at: usize| {
                    let mut a = [0; 16];
                    a[..bytes].copy_from_slice(&self.frame[headers.class.ip() + at..][..bytes]);
                    a
                };
                let word = |at: usize| u16::from_be_bytes([self.frame[at], self.frame[at + 1]]);
                let mac = |at: usize| std::array::from_fn(|i| self.frame[at + i]);
                let class = headers.class;
                let length = class.ip() + if class.ipv6 { ipv6::LENGTH } else { ipv4::LENGTH };
                let end = usize::from(word(length)) + class.ip() + if class.ipv6 { ipv6::BYTES } else { 0 };
                let mendable = word(class.udp() + udp::CHECKSUM) == 0 && end == self.frame.len();
                let packet = Packet {
                    headers,
                    source: address(from),
                    destination: address(to),
                    bytes: self.frame.len() as u16,
                    stamp: self.stamp,
                    macs: [mac(ethernet::DESTINATION), mac(ethernet::SOURCE)],
                    tci: headers.class.vlan.then(|| word(ethernet::TCI)),
                    port: word(headers.class.udp() + udp::SOURCE),
                    mendable,
                };
                Report { kind: headers.kind as u8, reason: 0, packet: Some(packet) }
            }
            Err(Error::Foreign) => Report { kind: 0, reason: 0, packet: None },
            Err(e) => Report { kind: MALFORMED, reason: e as u8, packet: None },
        }
    }

    fn restart(&mut self) {
        self.frame.clear();
        (self.long, self.broken) = (false, false);
    }
}

impl Block for Parse {
    type In = In;
    type Out = Option<Report>;

    fn output(&self, clk: u64) -> Option<Report> {
        self.pipeline.front().filter(|(due, _)| *due == clk).map(|(_, report)| *report)
    }

    fn step(&mut self, clk: u64, i: &In) {
        while self.pipeline.front().is_some_and(|(due, _)| *due <= clk) {
            self.pipeline.pop_front();
        }
        if let Some(beat) = &i.beat {
            if self.frame.is_empty() && !self.broken && !self.long {
                self.stamp = i.stamp;
            }
            self.broken |= if beat.last { beat.bytes == 0 || beat.bytes > self.full } else { beat.bytes != self.full };
            let bytes = usize::from(beat.bytes.min(self.full));
            if self.frame.len() + bytes > LONGEST {
                self.long = true;
            } else if !self.long {
                self.frame.extend_from_slice(&beat.data[..bytes]);
            }
            if beat.last {
                self.pipeline.push_back((clk + LATENCY, self.judge(i.bad)));
                self.restart();
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
