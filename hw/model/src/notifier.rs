//! The notification point of DCQCN (`timely_hw::roce::notifier`): congestion notifications (CNPs)
//! for hosts whose RDMA NIC sends none.
//!
//! A packet of data that arrives with CE is a mark of its queue pair. A CNP answers it, if the
//! pair's last one was made an interval ago or earlier, with the pair's remote number. A pair whose
//! mark came sooner, or found another CNP under way, is owed one: its next packet draws it, marked
//! or not, once the interval has passed, but not when two have. So a pair has a CNP in each
//! interval in which one of its packets was marked, as DCQCN asks for (SIGCOMM'15, section 3.1). A
//! mark of a pair that is not known is counted, for whose remote number nothing stands.
use crate::Block;
use crate::stream::{Beat, beats};
use timely_regs::roce::{Bth, CNP_BYTES, Extension, ICRC_BYTES, opcode};
use timely_regs::wire::{Addresses, Class, Envelope, crc32};

/// TTL or hop limit of a CNP.
pub const HOP_LIMIT: u8 = 64;
/// Membership bit of a partition key, which a CNP has: it claims full membership. A port that is a
/// limited member takes no packets of another such (InfiniBand 1.4, section 10.9.3), and one that
/// is a full member takes both.
pub const FULL_MEMBER: u16 = 0x8000;
/// BECN, which a CNP has.
pub const FLAGS_BECN: u8 = 0x40;
/// Clocks from a mark to a CNP's first beat, beside one for each of its words.
pub const MARK_TO_BEAT: u64 = 10;

/// Words of 16 bits of a CNP of a class.
pub const fn words(class: Class) -> usize {
    (class.header() + timely_regs::roce::BTH_BYTES + CNP_BYTES + ICRC_BYTES) / 2
}

/// The check sequence's register behind the eight bytes of ones in front of a packet.
pub fn route_register() -> u32 {
    (0..8).fold(u32::MAX, |r, _| crc32(r, 0xff))
}

/// Counted events, bits of [`Out::pulses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// A CNP was made.
    Sent,
    /// A mark of a pair that is not known, or of a packet that must not be answered.
    Unknown,
    /// A mark was not answered at once: its CNP is owed, or, if it came within 4 clocks of another
    /// packet that was shown, it is lost.
    Postponed,
}

/// A packet of data that arrived with CE, or that an owed CNP may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The packet has CE.
    pub ce: bool,
    /// The flow of its queue pair, if the table knows it and the packet may be answered.
    pub flow: Option<u32>,
    /// Number of the pair at the sender, 24 bits.
    pub pair: u32,
    /// Partition key.
    pub partition_key: u16,
    /// Destination MAC address.
    pub mac_destination: [u8; 6],
    /// Source MAC address.
    pub mac_source: [u8; 6],
    /// Priority, DEI and VLAN number, for a tagged frame.
    pub tci: Option<u16>,
    /// IP addresses.
    pub addresses: Addresses,
    /// UDP source port.
    pub port: u16,
}

impl Mark {
    /// The CNP that answers it.
    pub fn notification(&self, tos: u8) -> Vec<u8> {
        let addresses = match self.addresses {
            Addresses::V4 { source, destination } => Addresses::V4 { source: destination, destination: source },
            Addresses::V6 { source, destination } => Addresses::V6 { source: destination, destination: source },
        };
        let envelope = Envelope {
            mac_destination: self.mac_source,
            mac_source: self.mac_destination,
            tci: self.tci,
            addresses,
            tos,
            ttl: HOP_LIMIT,
            port_source: self.port,
            port_destination: 0,
        };
        let partition_key = self.partition_key | FULL_MEMBER;
        let cnp = Bth { opcode: opcode::CNP, partition_key, congestion: FLAGS_BECN, queue_pair: self.pair, ..Bth::default() };
        cnp.frame(&envelope, &Extension::default(), &[])
    }
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A well-formed packet of data arrived: with CE, or while `watches`.
    pub mark: Option<Mark>,
    /// CNPs are wanted.
    pub enable: bool,
    /// Least time between two CNPs of a pair, ns, 24 bits.
    pub interval_ns: u32,
    /// Type of service or traffic class of CNPs.
    pub tos: u8,
    /// Steady time, ns48.fns16.
    pub now: u64,
    /// The beat is taken.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    /// The RAM is clear; before, marks are ignored.
    pub swept: bool,
    /// A pair is owed a CNP: packets without CE are looked at too.
    pub watches: bool,
    /// A beat of a CNP.
    pub beat: Option<Beat>,
    /// Counted events, bit by [`Pulse`].
    pub pulses: u8,
}

/// Clocks from a mark until the time is looked at, the interval, and the verdict stands.
const LOOKS: u64 = 2;
const JUDGES: u64 = 3;
const SETTLES: u64 = 4;

/// A flow's word.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// When its last CNP was made, ns.
    at: Option<u32>,
    /// A CNP is owed.
    owed: bool,
}

/// A packet that is judged.
#[derive(Clone, Debug)]
struct Look {
    since: u64,
    mark: Mark,
    /// Time of the CNP, ns.
    made_at: u32,
    last: Last,
    /// A CNP is due; what was owed is of two intervals ago.
    due: bool,
    stale: bool,
    /// An interval before `made_at`.
    ago: u32,
}

/// A CNP under way.
#[derive(Clone, Debug)]
struct Job {
    since: u64,
    frame: Vec<u8>,
    beat: usize,
}

/// The block, on a bus of `width` bits.
#[derive(Clone, Debug)]
pub struct Notifier {
    width: usize,
    flow_bits: u32,
    swept_at: u64,
    last: Vec<Last>,
    look: Option<Look>,
    job: Option<Job>,
    /// A flow is owed a CNP, and until when it may be made, ns.
    watches: bool,
    until: u32,
    out: Option<Beat>,
    pulses: u8,
}

impl Notifier {
    /// A block of `2^flow_bits` flows that leaves reset at clock 0.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        let (last, swept_at) = (vec![Last::default(); 1 << flow_bits], 1 << flow_bits);
        Notifier { width, flow_bits, swept_at, last, look: None, job: None, watches: false, until: 0, out: None, pulses: 0 }
    }

    /// A clock of the packet that is judged; `free` is that no CNP is under way.
    fn judge(&mut self, clk: u64, i: &In, free: bool) {
        let Some(look) = &mut self.look else { return };
        let last = &mut self.last[look.mark.flow.unwrap_or(0) as usize];
        match clk - look.since {
            LOOKS => (look.made_at, look.last) = ((i.now >> 16) as u32, *last),
            JUDGES => {
                let since = look.last.at.map(|at| look.made_at.wrapping_sub(at));
                look.stale = since.is_some_and(|ns| ns >= 2 * i.interval_ns);
                let calls = look.mark.ce || look.last.owed && !look.stale;
                look.ago = look.made_at.wrapping_sub(i.interval_ns);
                look.due = calls && since.is_none_or(|ns| ns >= i.interval_ns);
            }
            SETTLES => {
                last.owed = look.mark.ce || look.last.owed && !look.stale;
                if look.due && free {
                    *last = Last { at: Some(look.made_at), owed: false };
                    self.job = Some(Job { since: look.since, frame: look.mark.notification(i.tos), beat: 0 });
                    self.pulses |= 1 << Pulse::Sent as u8;
                } else if look.due {
                    // Due from now on, for an interval.
                    last.at = Some(look.ago);
                    self.pulses |= u8::from(look.mark.ce) << Pulse::Postponed as u8;
                }
                if last.owed {
                    (self.watches, self.until) = (true, look.made_at.wrapping_add(2 * i.interval_ns));
                }
                self.look = None;
            }
            _ => {}
        }
    }
}

impl Block for Notifier {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { swept: clk >= self.swept_at, watches: self.watches, beat: self.out, pulses: self.pulses }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Notifier::new(self.width, self.flow_bits);
            self.swept_at += clk + 1;
            return;
        }
        if clk < self.swept_at {
            return;
        }
        self.pulses = 0;
        let (judges, builds, free) = (self.look.is_some(), self.job.is_some(), self.out.is_none() || i.ready);
        if free {
            self.out = None;
        }
        if let Some(job) = &mut self.job
            && free
            && clk - job.since + 1 >= MARK_TO_BEAT + job.frame.len() as u64 / 2
        {
            self.out = beats(&job.frame, self.width).nth(job.beat);
            job.beat += 1;
            if self.out.is_some_and(|beat| beat.last) {
                self.job = None;
            }
        }
        self.watches &= ((i.now >> 16) as u32).wrapping_sub(self.until) >> 31 == 1;
        self.judge(clk, i, !builds);
        if let Some(mark) = i.mark.filter(|_| i.enable) {
            match mark.flow {
                None => self.pulses |= u8::from(mark.ce) << Pulse::Unknown as u8,
                Some(_) if !judges => {
                    self.look = Some(Look { since: clk, mark, made_at: 0, last: Last::default(), due: false, stale: false, ago: 0 })
                }
                Some(_) => self.pulses |= u8::from(mark.ce) << Pulse::Postponed as u8,
            }
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.swept_at {
            return self.swept_at;
        }
        let still = self.look.is_none() && self.job.is_none() && self.out.is_none() && !self.watches;
        if still && self.pulses == 0 { u64::MAX } else { clk }
    }
}
