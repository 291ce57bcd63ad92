//! The way out of `timely_hw::inline::exit`: what leaves is stamped, and what of it is ours is
//! reported as sent and departed.
use crate::bus::{Completion, FlowLoad, Sent};
use crate::stream::Beat;
use crate::{Block, check, fifo, parse};
use timely_regs::link::wire_bytes;
use timely_regs::wire::{FIRST, Header, LAST};

/// Clocks from a frame's last beat to its report.
pub const LATENCY: u64 = parse::LATENCY + 3;
/// Address bits of the queue of launches.
pub const QUEUE: u32 = 4;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat that leaves at this clock.
    pub beat: Option<Beat>,
    /// With a frame's last beat: its launch, ns48.fns16; none of a frame that was not paced.
    pub launch: Option<u64>,
    /// With a frame's last beat, where frames come with them: the queue that it came from, and its
    /// tag.
    pub name: Option<(u16, u16)>,
    /// The time.
    pub now: u64,
    /// Our UDP port.
    pub port: u16,
    /// Key of the nonces, for the checks.
    pub key: u128,
    /// A record is loaded.
    pub load: Option<FlowLoad>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    /// The RAM is clear; nothing is reported before.
    pub swept: bool,
    /// A data frame was sent.
    pub sent: Option<Sent>,
    /// And has departed.
    pub completion: Option<Completion>,
    /// Where frames come with a queue: any frame left. Its queue, and its wire bytes.
    pub frame: Option<(u16, u16)>,
}

/// A data frame on its way through the pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    header: Header,
    wire: u16,
    stamp: u64,
    launch: u64,
    tag: Option<u16>,
    /// Digest of the destination.
    digest: u32,
}

/// Sideband of a frame: its launch, queue and tag.
type Beside = (Option<u64>, Option<(u16, u16)>);

/// The way out.
#[derive(Clone, Debug)]
pub struct Exit {
    flow_bits: u32,
    width: usize,
    swept_at: u64,
    parse: parse::Parse,
    launches: fifo::Fifo<Beside>,
    tag: u8,
    /// Charged bytes of each flow's segment so far, as the RAM has them.
    sums: Vec<u32>,
    read: Option<(Step, u32)>,
    caught: Option<(Step, u32, bool)>,
    /// Flow of the frame that was caught last, and whether its sum still counts.
    last: Option<u32>,
    sum: u32,
    /// Any frame, at the same stages.
    frames: [Option<(u16, u16)>; 3],
    // With its sum, and the one that the flow goes on with.
    done: Option<(Step, u32, u32)>,
    clear: Option<u32>,
    /// Place of the last segment that ended, and how often places began anew before, modulo 4.
    place: u16,
    generation: u8,
}

impl Exit {
    /// For `2^flow_bits` flows on a bus of `width` bits, RAM init beginning at clock 0.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        Exit {
            flow_bits,
            width,
            swept_at: 1 << flow_bits,
            parse: parse::Parse::new(width),
            launches: fifo::Fifo::new(QUEUE),
            tag: 0,
            sums: vec![0; 1 << flow_bits],
            read: None,
            caught: None,
            last: None,
            sum: 0,
            frames: [None; 3],
            done: None,
            clear: None,
            place: 0,
            generation: 0,
        }
    }
}

impl Block for Exit {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let tag = |s: &Step| s.tag.unwrap_or(u16::from(self.tag));
        Out {
            swept: clk >= self.swept_at,
            sent: self.done.map(|(s, sum, _)| Sent {
                tag: tag(&s),
                flow: s.header.flow,
                segment: s.header.segment,
                nonce: s.header.nonce,
                first: s.header.flags & FIRST != 0,
                last: s.header.flags & LAST != 0,
                wire_bytes: s.wire,
                segment_bytes: sum,
                place: s.header.place,
                generation: self.generation,
                launch: s.launch,
            }),
            completion: self.done.map(|(s, ..)| Completion { tag: tag(&s), ts: s.stamp }),
            frame: self.frames[2],
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Exit::new(self.width, self.flow_bits);
            self.swept_at += clk + 1;
            return;
        }
        let (swept, last) = (clk >= self.swept_at, self.last);
        // 4: reported; the RAM is written, or a flow that was loaded is cleared in it.
        let write = self.done.map(|(s, _, next)| (s.header.flow, next)).or(self.clear.map(|flow| (flow, 0)));
        if self.done.is_some() {
            self.tag = self.tag.wrapping_add(1);
        } else if self.clear.is_some() {
            if self.last == self.clear {
                self.last = None;
            }
            self.clear = None;
        }
        // 3: the sum, of what the RAM said or of the frame before.
        self.done = self.caught.map(|(s, raw, same)| {
            let more = (if same { self.sum } else { raw }).wrapping_add(u32::from(s.wire));
            // Whatever was charged is released with the next segment that ends, also what a host
            // began and never ended.
            let ends = s.header.flags & LAST != 0;
            self.sum = if ends { 0 } else { more };
            // Places are given in the order in which frames leave.
            self.generation = (self.generation + u8::from(ends && s.header.place < self.place)) & 3;
            self.place = if ends { s.header.place } else { self.place };
            (s, more, self.sum)
        });
        // 2: what the RAM says is caught.
        self.caught = self.read.map(|(s, raw)| {
            let header = Header { nonce: s.header.nonce ^ check::product(i.key, s.digest), ..s.header };
            (Step { header, ..s }, raw, last == Some(s.header.flow))
        });
        if let Some((s, _)) = self.read {
            self.last = Some(s.header.flow);
        }
        // 1: the RAM is read.
        let (launch, name) = self.launches.output(clk).head.unwrap_or_default();
        let report = self.parse.output(clk).report;
        let header = report.filter(|r| r.kind == parse::kind::DATA && swept).map(|r| (Header::read(&r.header), r));
        let meant = |flow: u32| u64::from(flow) < 1 << self.flow_bits && name.is_none_or(|(queue, _)| u32::from(queue) == flow);
        self.read = header.zip(launch).filter(|((h, _), _)| meant(h.flow)).map(|((header, r), launch)| {
            let wire = wire_bytes(u32::from(r.bytes)) as u16;
            let digest = r.destination();
            (Step { header, wire, stamp: r.stamp, launch, tag: name.map(|n| n.1), digest }, self.sums[header.flow as usize])
        });
        let frame = report.zip(name).map(|(r, (queue, _))| (queue, wire_bytes(u32::from(r.bytes)).min(u32::from(u16::MAX)) as u16));
        self.frames = [frame, self.frames[0], self.frames[1]];
        if let Some((flow, sum)) = write {
            self.sums[flow as usize] = sum;
        }
        if let Some(load) = i.load.filter(|l| swept && !(l.enable() && l.keep())) {
            self.clear = Some(load.flow);
        }
        self.parse.step(clk, &parse::In { rst: false, beat: i.beat, stamp: i.now, bad: false, port: i.port });
        let push = i.beat.filter(|b| b.last).map(|_| (i.launch, i.name));
        self.launches.step(clk, &fifo::In { rst: false, push, ready: report.is_some() });
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.read.is_none()
            && self.caught.is_none()
            && self.done.is_none()
            && self.clear.is_none()
            && self.frames == [None; 3]
            && self.launches.is_empty();
        let sweeps = if clk < self.swept_at { self.swept_at } else { u64::MAX };
        if idle { self.parse.wake(clk).min(sweeps) } else { clk }
    }
}
