//! The doorbell unit: flows that have packets to send, flows that sleep, and wake-ups. See
//! `timely_hw::pacer::doorbell`.
use crate::{Block, fifo};

/// Address bits of the queue of releases.
pub const RELEASE_QUEUE: u32 = 9;
/// Address bits of the queue of doorbells.
pub const DOORBELL_QUEUE: u32 = 4;

/// Why a flow asks to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// All that was posted is granted.
    Empty = 0,
    /// The flow's outstanding bound is reached.
    Bounded = 1,
    /// The pass has cleared its accounts, as a load demanded.
    Cleared = 2,
}

/// A flow's request to sleep, with what the pass saw of it: it stays awake if anything came since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The flow.
    pub flow: u32,
    /// Why.
    pub why: Sleep,
    /// Packets granted, modulo `2^16`.
    pub granted: u16,
    /// Bytes released that the pass knew of, modulo `2^32`.
    pub released: u32,
}

/// A flow's load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The flow.
    pub flow: u32,
    /// The flow takes doorbells.
    pub enable: bool,
    /// The flow's accounts stay.
    pub keep: bool,
}

/// The doorbell unit's state of a flow, as the pass reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// Packets posted, modulo `2^16`; while `drop`, those since the load.
    pub posted: u16,
    /// Bytes released, modulo `2^32`.
    pub released: u32,
    /// Packets posted before the last load are void, and the accounts are to be cleared.
    pub drop: bool,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow's load.
    pub load: Option<Load>,
    /// A flow and bytes of it that are not outstanding any more.
    pub release: Option<(u32, u32)>,
    /// A flow's request to sleep.
    pub sleep: Option<Request>,
    /// A flow and packets posted.
    pub doorbell: Option<(u32, u16)>,
    /// A flow's count of granted packets changed.
    pub granted: Option<(u32, u16)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A doorbell offered is taken.
    pub doorbell_ready: bool,
    /// A request to sleep is taken if offered.
    pub sleep_ready: bool,
    /// A flow is to be queued in READY.
    pub activate: Option<u32>,
    /// A flow's new word.
    pub post: Option<(u32, Post)>,
    /// A doorbell was refused.
    pub refused: bool,
    /// The RAM is clear.
    pub swept: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    post: Post,
    enable: bool,
    /// In the wheel, READY, parked or in the pass.
    active: bool,
    /// Asleep because of its outstanding bound: a release wakes it.
    bounded: bool,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Load(Load),
    Release(u32, u32),
    Sleep(Request),
    Doorbell(u32, u16),
}

impl Op {
    fn flow(&self) -> u32 {
        match *self {
            Op::Load(Load { flow, .. }) | Op::Release(flow, _) | Op::Sleep(Request { flow, .. }) | Op::Doorbell(flow, _) => flow,
        }
    }
}

/// The unit.
#[derive(Clone, Debug)]
pub struct Doorbell {
    words: Vec<Word>,
    granted: Vec<u16>,
    releases: fifo::Fifo<(u32, u32)>,
    doorbells: fifo::Fifo<(u32, u16)>,
    load: Option<Load>,
    chosen: Option<Op>,
    read: Option<(Op, u16)>,
    captured: Option<(Op, u16)>,
    activate: Option<u32>,
    post: Option<(u32, Post)>,
    refused: bool,
    swept_at: u64,
}

impl Doorbell {
    /// For `2^flow_bits` flows, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Doorbell {
            words: vec![Word::default(); 1 << flow_bits],
            granted: vec![0; 1 << flow_bits],
            releases: fifo::Fifo::new(RELEASE_QUEUE),
            doorbells: fifo::Fifo::new(DOORBELL_QUEUE),
            load: None,
            chosen: None,
            read: None,
            captured: None,
            activate: None,
            post: None,
            refused: false,
            swept_at: 1 << flow_bits,
        }
    }

    /// The flow is in the wheel, in READY, parked or in the pass.
    pub fn is_active(&self, flow: u32) -> bool {
        self.words[flow as usize].active
    }

    /// Applies an operation to its flow's word; `granted` is the pass's count as of a few clocks
    /// ago.
    fn apply(&mut self, op: Op, granted: u16) {
        let w = &mut self.words[op.flow() as usize];
        let mut wanted = false;
        match op {
            Op::Load(load) => {
                w.enable = load.enable;
                if !load.keep || !load.enable {
                    w.post.drop = true;
                    w.post.posted = 0;
                }
                wanted = !w.active;
            }
            Op::Release(_, bytes) => {
                w.post.released = w.post.released.wrapping_add(bytes);
                wanted = !w.active && w.bounded;
            }
            Op::Sleep(r) => {
                if w.post.drop {
                    wanted = true;
                    if r.why == Sleep::Cleared {
                        wanted = w.post.posted != 0;
                        w.post.drop = false;
                        w.post.posted = w.post.posted.wrapping_add(r.granted);
                    }
                } else if r.why == Sleep::Bounded {
                    wanted = w.post.released != r.released;
                } else {
                    wanted = w.post.posted != r.granted;
                }
                w.active = false;
                w.bounded = r.why == Sleep::Bounded;
            }
            Op::Doorbell(_, packets) => {
                let backlog = if w.post.drop { w.post.posted } else { w.post.posted.wrapping_sub(granted) };
                if w.enable && backlog.checked_add(packets).is_some() {
                    w.post.posted = w.post.posted.wrapping_add(packets);
                    wanted = !w.active && !w.bounded;
                } else {
                    self.refused = true;
                }
            }
        }
        if wanted {
            w.active = true;
            w.bounded = false;
            self.activate = Some(op.flow());
        }
        self.post = Some((op.flow(), w.post));
    }
}

impl Block for Doorbell {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let swept = clk >= self.swept_at;
        Out {
            doorbell_ready: swept && self.doorbells.output(clk).ready,
            sleep_ready: self.load.is_none() && self.releases.output(clk).head.is_none(),
            activate: self.activate,
            post: self.post,
            refused: self.refused,
            swept,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Doorbell::new(self.words.len().trailing_zeros());
            self.swept_at += clk + 1;
            return;
        }
        (self.activate, self.post, self.refused) = (None, None, false);
        if let Some((op, granted)) = self.captured {
            self.apply(op, granted);
        }
        self.captured = self.read;
        self.read = self.chosen.map(|op| (op, self.granted[op.flow() as usize]));
        if let Some((flow, granted)) = i.granted {
            self.granted[flow as usize] = granted;
        }

        // A load is always taken; then releases, requests to sleep, doorbells.
        let swept = clk >= self.swept_at;
        let load = std::mem::replace(&mut self.load, i.load.filter(|_| swept));
        let (release, doorbell) = (self.releases.output(clk).head, self.doorbells.output(clk).head);
        let take_release = load.is_none();
        let take_sleep = take_release && release.is_none();
        let take_doorbell = take_sleep && i.sleep.is_none();
        self.chosen = if let Some(load) = load {
            Some(Op::Load(load))
        } else if let Some((flow, bytes)) = release {
            Some(Op::Release(flow, bytes))
        } else if let Some(request) = i.sleep {
            Some(Op::Sleep(request))
        } else {
            doorbell.map(|(flow, packets)| Op::Doorbell(flow, packets))
        };
        self.releases.step(clk, &fifo::In { rst: false, push: i.release.filter(|_| swept), ready: take_release });
        self.doorbells.step(clk, &fifo::In { rst: false, push: i.doorbell.filter(|_| swept), ready: take_doorbell });
    }

    fn wake(&self, clk: u64) -> u64 {
        let busy = self.load.is_some()
            || self.chosen.is_some()
            || self.read.is_some()
            || self.captured.is_some()
            || self.post.is_some()
            || !self.releases.is_empty()
            || !self.doorbells.is_empty();
        if busy {
            clk
        } else if clk <= self.swept_at {
            self.swept_at
        } else {
            u64::MAX
        }
    }
}
