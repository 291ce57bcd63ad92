//! The way in of `timely_hw::inline::entry`: each packet waits until the parser has judged it, then
//! goes its way.
use super::waiting::{self, Waiting};
pub use super::waiting::{QUEUE, Way};
use crate::bus::FlowLoad;
use crate::check::digest;
use crate::stream::Beat;
use crate::{Block, parse};
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::wire::{Header, LAST};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered.
    pub beat: Option<Beat>,
    /// With a packet's first beat: what goes beside it.
    pub meta: u128,
    /// Our UDP port, as it stands with the last beat.
    pub port: u16,
    /// Our addresses, as they stand two clocks after the report.
    pub ipv4: [u8; 4],
    /// Our IPv6 address, likewise.
    pub ipv6: [u8; 16],
    /// A flow is loaded.
    pub load: Option<FlowLoad>,
    /// The store takes the beat.
    pub paced_ready: bool,
    /// The wire takes the beat.
    pub past_ready: bool,
    /// A packet that is to be dropped may be.
    pub drop_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// A beat offered is taken.
    pub ready: bool,
    /// A beat, its packet's way and what goes beside it; one that is dropped is not offered.
    pub beat: Option<(Beat, Way, u128)>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: bool,
    /// A data packet's addresses are not those of the flow that it names.
    pub strange: bool,
}

/// The RAM's word of an enabled flow: the digest of its destination, and whether that is of IPv6.
type Owner = Option<(u32, bool)>;

/// A judged packet on its way past the RAM of owners.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    way: Way,
    flow: u32,
    source: [u8; 16],
    digest: u32,
    ipv6: bool,
    owner: Owner,
    ours: bool,
}

/// The way in of a bus of `width` bits, with `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct Entry {
    width: usize,
    flow_bits: u32,
    parse: parse::Parse,
    waiting: Waiting,
    owners: Vec<Owner>,
    /// Flows that RAM init after a reset has cleared.
    sweep: u32,
    load: Option<(u32, Owner)>,
    read: Option<Step>,
    caught: Option<Step>,
    judged: Option<(Way, bool)>,
}

impl Entry {
    /// Nothing is inside.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        Entry {
            width,
            flow_bits,
            parse: parse::Parse::new(width),
            waiting: Waiting::new(width),
            owners: vec![None; 1 << flow_bits],
            sweep: 0,
            load: None,
            read: None,
            caught: None,
            judged: None,
        }
    }

    /// A beat offered at clock `clk` is taken.
    pub fn is_ready(&self, clk: u64) -> bool {
        self.waiting.is_ready(clk)
    }

    fn way(&self, r: &parse::Report) -> Way {
        let Header { flow, flags, .. } = Header::read(&r.header);
        match r.kind {
            parse::kind::DATA if u64::from(flow) < 1 << self.flow_bits => Way::Paced { flow, ends: flags & LAST != 0 },
            parse::kind::MALFORMED if r.reason == Counter::RxBad as u8 => Way::Dropped,
            _ => Way::Past,
        }
    }
}

impl Block for Entry {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let head = self.waiting.head(clk);
        Out {
            ready: self.is_ready(clk),
            beat: head.filter(|h| h.1 != Way::Dropped),
            dropped: head.is_some_and(|h| h.1 == Way::Dropped && h.0.last),
            strange: self.judged.is_some_and(|j| j.1),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Entry::new(self.width, self.flow_bits);
            return;
        }
        let report = self.parse.output(clk).report;
        let (written, ..) = self.waiting.step(
            clk,
            &waiting::Step {
                beat: i.beat,
                meta: i.meta,
                way: self.judged.map(|j| j.0),
                paced_ready: i.paced_ready,
                past_ready: i.past_ready,
                drop_ready: i.drop_ready,
            },
        );
        let bad = written.is_some_and(|w| w.1);
        self.parse.step(clk, &parse::In { rst: false, beat: written.map(|w| w.0), stamp: 0, bad, port: i.port });
        // 3: the packet's owner is compared.
        self.judged = self.caught.take().map(|s| {
            let right = s.owner.is_none_or(|owner| s.ours && owner == (s.digest, s.ipv6));
            let strange = matches!(s.way, Way::Paced { .. }) && !right;
            (if strange { Way::Past } else { s.way }, strange)
        });
        // 2: what the RAM says is caught.
        self.caught = self.read.take().map(|s| {
            let ours = if s.ipv6 { s.source == i.ipv6 } else { s.source[..4] == i.ipv4 };
            Step { ours, ..s }
        });
        // 1: the RAM is read.
        let swept = self.sweep == 1 << self.flow_bits;
        self.sweep += u32::from(!swept);
        self.read = report.map(|r| {
            let (way, ip) = (self.way(&r), if r.class.vlan { 18 } else { 14 });
            let flow = Header::read(&r.header).flow & ((1 << self.flow_bits) - 1);
            let at = |offset: usize, bytes: usize| {
                let mut address = [0; 16];
                address[..bytes].copy_from_slice(&r.head[ip + offset..ip + offset + bytes]);
                address
            };
            let (source, destination) = if r.class.ipv6 { (at(8, 16), at(24, 16)) } else { (at(12, 4), at(16, 4)) };
            let owner = self.owners[flow as usize].filter(|_| swept);
            Step { way, flow, source, digest: digest(&destination, r.class.ipv6), ipv6: r.class.ipv6, owner, ours: false }
        });
        if let Some((flow, owner)) = self.load.take() {
            self.owners[flow as usize] = owner;
        }
        if let Some(l) = i.load.filter(|_| swept) {
            let mut address = [0; 16];
            address
                .chunks_mut(4)
                .zip(&l.record[usize::from(flow::ADDRESS_0.word)..])
                .for_each(|(b, w)| b.copy_from_slice(&w.to_le_bytes()));
            let ipv6 = flow::IPV6.get(&l.record) != 0;
            self.load = Some((l.flow, l.enable().then(|| (digest(&address, ipv6), ipv6))));
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.sweep == 1 << self.flow_bits
            && self.load.is_none()
            && self.waiting.is_empty()
            && self.judged.is_none()
            && self.read.is_none()
            && self.caught.is_none();
        if idle { self.parse.wake(clk) } else { clk }
    }
}
