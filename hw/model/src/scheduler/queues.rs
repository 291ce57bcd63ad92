//! The transmit queues of Corundum's scheduler: which may hold packets, what was posted of them to
//! the pacer, and the requests under way. See `timely_hw::scheduler::queues`.
//!
//! A doorbell does not say how many packets it is for, so a queue counts as having some until a
//! request comes back empty that no doorbell has overtaken. Meanwhile the pacer always has
//! [`BACKLOG`] packets of it to grant. Grants that come when the queue is empty are charged 0 and
//! ask for nothing.
use crate::Block;
use crate::fifo::{self, Fifo};

/// Packets that the pacer has to grant of a queue that may hold some.
pub const BACKLOG: u8 = 32;
/// No operation begins while this many postings may be on their way.
pub const POSTS: u8 = 28;
/// No grant is taken while this many requests may be on their way to their tags.
pub const ASKS: u8 = 16;
/// Requests of queues without a flow that are always allowed, however large their packets are and
/// however many requests flows have.
pub const LEAST_UNPACED: u16 = 2;
/// Requests of queues without a flow that fit into their share of the line while no flow may hold
/// packets, however large theirs are: one on the line, one on its way to the MAC and one that is
/// read.
pub const LEAST_SHARE: u16 = 3;
/// Tags that queues without a flow leave to flows while any flow may hold packets, be they free or
/// not; a quarter of the tags if that is less.
pub const RESERVED: u16 = 8;
/// Shorter packets without a flow that go by until one a size class shorter is expected.
pub const DECAY: u8 = 4;
/// Size class that a packet without a flow is expected to have at first: up to 2,048 wire bytes.
/// Class `4 e + m` ends at `2^e (5 + m) / 4` wire bytes.
pub const FIRST_SIZE: u8 = 43;
/// Requests of packets in the classes `4 e + m` in a share of `2^(e + 4)` wire bytes; while any
/// flow may hold packets, all count as the longest of `e`.
pub const FIT: [u16; 4] = [12, 10, 9, 8];
/// Greatest `d` that `FIT` is doubled for, less 4: more requests than tags.
pub const MOST_DOUBLINGS: u8 = 9;
/// log2 of the doorbells that wait.
pub const BELL_BITS: u32 = 9;
/// log2 of the tags.
pub const TAG_BITS: u32 = 8;
/// log2 of the loads that wait.
pub const LOAD_BITS: u32 = 4;

/// An access to a queue's channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The queue.
    pub queue: u32,
    /// Whether it is enabled, if that is written.
    pub enable: Option<bool>,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Queues without a flow may send.
    pub enable: bool,
    /// No flow may send.
    pub stop: bool,
    /// Tags that there are, 1 to 256.
    pub tags: u16,
    /// log2 of the wire bytes that requests of queues without a flow may have under way, 8 to 24.
    pub share: u8,
    /// A flow is loaded: enabled, keep.
    pub load: Option<(u32, bool, bool)>,
    /// An access to a channel; the next one after its answer.
    pub channel: Option<Channel>,
    /// A queue may hold packets.
    pub doorbell: Option<u32>,
    /// A flow may send a packet, launch.
    pub grant: Option<(u32, u64)>,
    /// The request offered is taken.
    pub request_ready: bool,
    /// A request is over: tag, bytes.
    pub status: Option<(u8, u16)>,
    /// The posting offered is taken.
    pub post_ready: bool,
}

/// A request begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Queue.
    pub queue: u32,
    /// Tag.
    pub tag: u8,
    /// The pacer granted it.
    pub paced: bool,
    /// When it was due.
    pub time: u64,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// The RAM is clear.
    pub swept: bool,
    /// A grant offered is taken.
    pub grant_ready: bool,
    /// The answer of a channel: enabled, may hold packets, served by turns, a flow.
    pub answer: Option<u8>,
    /// Packets for the pacer.
    pub post: Option<(u32, u8)>,
    /// A grant is charged: flow, wire bytes.
    pub charge: Option<(u32, u16)>,
    /// A request: queue, tag.
    pub request: Option<(u32, u8)>,
    /// Launch of the offered request, at the request's first clock.
    pub launch: Option<Launch>,
    /// A request was empty: its tag.
    pub void: Option<u8>,
}

/// State of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Queue {
    enabled: bool,
    flow: bool,
    /// The queue may hold packets.
    active: bool,
    /// No request since the last doorbell.
    fresh: bool,
    /// The queue waits for its turn.
    listed: bool,
    /// Packets that the pacer has to grant.
    posted: u8,
}

/// One operation on a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Read,
    Load {
        enable: bool,
        keep: bool,
    },
    Enable(bool),
    Ring,
    /// A queue is looked at that may have been held up.
    Look,
    Grant(u64),
    Turn,
    Done {
        bytes: u16,
        paced: bool,
    },
}

#[derive(Clone, Copy, Debug)]
struct Op {
    queue: u32,
    what: What,
    stop: bool,
}

/// The results of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Result {
    valid: bool,
    queue: u32,
    ask: bool,
    /// The operation was a turn.
    turn: bool,
    /// A request: paced, launch.
    issue: Option<(bool, u64)>,
    charge: Option<u16>,
    post: Option<u8>,
    list: bool,
    answer: Option<u8>,
    /// A flow may hold packets from now on (1), or no more (-1).
    flows: i8,
}

/// A request that is over: queue, paced, tag, bytes.
type Done = (u32, bool, u8, u16);

/// How many requests of queues without a flow may be under way.
///
/// More would fill no more of the line, and packets of flows wait behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Share {
    /// Wire bytes of a packet that came to its end, less one.
    ended: Option<u32>,
    /// Size class of those bytes.
    came: Option<u8>,
    /// The class that is expected.
    size: u8,
    shorter: u8,
    /// log2 of the share in packets of the class's octave, and the class in it.
    doublings: u8,
    part: u8,
    /// A flow may hold packets.
    busy: bool,
    /// Requests at most.
    most: u16,
    /// Requests at most that leave flows their tags.
    tags: u16,
    /// Another one may begin.
    room: bool,
}

impl Share {
    fn new() -> Self {
        Share {
            ended: None,
            came: None,
            size: FIRST_SIZE,
            shorter: 0,
            doublings: 0,
            part: 0,
            busy: false,
            most: LEAST_SHARE,
            tags: 0,
            room: false,
        }
    }

    /// A clock: a packet without a flow that came to its end, what is under way, and what begins.
    fn step(&mut self, i: &In, done: Option<u16>, (unpaced, held, flows): (u16, u16, u32), (asks, turns): (bool, bool)) {
        let (unpaced, held) = (unpaced + u16::from(turns), held + u16::from(asks));
        self.room = unpaced < LEAST_UNPACED || unpaced < self.most && unpaced < self.tags && held < i.tags;
        self.tags = i.tags - if flows == 0 { 0 } else { RESERVED.min(i.tags / 4) };
        self.most = match (self.doublings, self.part) {
            _ if self.busy => (FIT[3] << self.doublings >> 4).max(LEAST_UNPACED),
            (2, 0) => LEAST_SHARE + 1,
            (0..3, _) => LEAST_SHARE,
            (doublings, part) => FIT[usize::from(part)] << doublings >> 4,
        };
        self.busy = flows != 0;
        (self.doublings, self.part) = (i.share.saturating_sub(self.size / 4).min(MOST_DOUBLINGS), self.size % 4);
        match self.came.take() {
            Some(size) if size >= self.size => (self.size, self.shorter) = (size, 0),
            Some(_) if self.shorter + 1 == DECAY => (self.size, self.shorter) = (self.size - 1, 0),
            Some(_) => self.shorter += 1,
            None => {}
        }
        // The highest bit and the two below it.
        self.came = self.ended.map(|n| (4 * n.ilog2() + (n >> (n.ilog2() - 2) & 3)) as u8);
        self.ended = done.filter(|bytes| *bytes != 0).map(|bytes| (u32::from(bytes) + 23).max(83));
    }
}

/// The queues.
#[derive(Clone, Debug)]
pub struct Queues {
    queues: Vec<Queue>,
    swept_at: u64,
    loads: Fifo<(u32, bool, bool)>,
    channel: Option<Channel>,
    bells: Fifo<u32>,
    list: Fifo<u32>,
    asks: Fifo<(u32, bool, u64)>,
    dones: Fifo<Done>,
    spare: Fifo<u8>,
    posts: Fifo<(u32, u8)>,
    stages: [Option<Op>; 3],
    result: Result,
    posts_held: u8,
    asks_held: u8,
    /// Turns that are no request yet, and requests without a grant that are not over.
    unpaced: u16,
    /// Grants and turns that are no request yet, and requests that are not over.
    held: u16,
    /// Flows that may hold packets.
    flows: u32,
    share: Share,
    enabled: bool,
    stopped: bool,
    turn_first: bool,
    /// Every queue is rung, from this one on.
    ringing: Option<u32>,
    /// Doorbells were lost, so any queue may hold packets.
    lost: bool,
    next_tag: u16,
    /// `next_tag` is one of the tags that there are.
    unused: bool,
    table: Vec<(u32, bool)>,
    request: Option<(u32, u8)>,
    launch: Option<Launch>,
    status: [Option<Done>; 2],
    void: Option<u8>,
    /// The last step changed nothing of the share.
    settled: bool,
}

/// Wire bytes of a packet of `bytes`; 0 if there was none.
pub fn wire_bytes(bytes: u16) -> u16 {
    if bytes == 0 { 0 } else { bytes.saturating_add(24).max(84) }
}

impl Queues {
    /// `2^flow_bits` queues, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Queues {
            queues: vec![Queue::default(); 1 << flow_bits],
            swept_at: 1 << flow_bits,
            loads: Fifo::new(LOAD_BITS),
            channel: None,
            bells: Fifo::new(BELL_BITS),
            list: Fifo::new(flow_bits),
            asks: Fifo::new(5),
            dones: Fifo::new(TAG_BITS),
            spare: Fifo::new(TAG_BITS),
            posts: Fifo::new(5),
            stages: [None; 3],
            result: Result::default(),
            posts_held: 0,
            asks_held: 0,
            unpaced: 0,
            held: 0,
            flows: 0,
            share: Share::new(),
            enabled: false,
            stopped: false,
            turn_first: false,
            ringing: None,
            lost: false,
            next_tag: 0,
            unused: false,
            table: vec![(0, false); 1 << TAG_BITS],
            request: None,
            launch: None,
            status: [None; 2],
            void: None,
            settled: false,
        }
    }

    fn may_turn(&self, clk: u64) -> bool {
        self.enabled && self.asks_held < ASKS && self.share.room && self.list.output(clk).head.is_some()
    }

    /// Whether an operation may begin, but for a load, a channel, the end of a request or a
    /// doorbell.
    fn is_free(&self, clk: u64) -> bool {
        clk >= self.swept_at
            && self.posts_held < POSTS
            && self.loads.output(clk).head.is_none()
            && self.channel.is_none()
            && self.dones.output(clk).head.is_none()
            && self.bells.output(clk).head.is_none()
    }

    fn takes_grant(&self, clk: u64) -> bool {
        self.is_free(clk) && self.asks_held < ASKS && !self.turn_first
    }

    fn act(&mut self, op: &Op) -> Result {
        let q = &mut self.queues[op.queue as usize];
        let mut r = Result { valid: true, queue: op.queue, ..Result::default() };
        let before = q.enabled && q.active && q.flow;
        match op.what {
            What::Read | What::Look => {}
            What::Load { enable, keep } => {
                if !(enable && keep && q.flow) {
                    q.posted = 0;
                }
                q.flow = enable;
            }
            What::Enable(enable) => q.enabled = enable,
            What::Ring => (q.active, q.fresh) = (true, true),
            What::Grant(launch) => {
                q.posted = q.posted.saturating_sub(1);
                r.ask = true;
                if q.enabled && q.active && q.flow && !op.stop {
                    q.fresh = false;
                    r.issue = Some((true, launch));
                } else {
                    r.charge = Some(0);
                }
            }
            What::Turn => {
                (r.ask, r.turn) = (true, true);
                q.listed = q.enabled && q.active && !q.flow;
                if q.listed {
                    q.fresh = false;
                    r.issue = Some((false, 0));
                    r.list = true;
                }
            }
            What::Done { bytes, paced } => {
                q.active = bytes != 0 || q.active && q.fresh;
                r.charge = paced.then_some(wire_bytes(bytes));
            }
        }
        r.flows = i8::from(q.enabled && q.active && q.flow) - i8::from(before);
        if q.enabled && q.active {
            if q.flow && !op.stop && q.posted != BACKLOG {
                r.post = Some(BACKLOG - q.posted);
                q.posted = BACKLOG;
            }
            if !q.flow && !q.listed {
                (r.list, q.listed) = (true, true);
            }
        }
        if matches!(op.what, What::Read | What::Enable(_)) {
            let flags = [q.enabled, q.active, q.listed, q.flow];
            r.answer = Some((0..4).map(|i| u8::from(flags[i]) << i).sum());
        }
        r
    }
}

impl Block for Queues {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let r = &self.result;
        Out {
            swept: clk >= self.swept_at,
            grant_ready: self.takes_grant(clk),
            answer: r.answer,
            post: self.posts.output(clk).head,
            charge: r.charge.map(|bytes| (r.queue, bytes)),
            request: self.request,
            launch: self.launch,
            void: self.void,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            let table = std::mem::take(&mut self.table);
            *self = Queues { table, ..Queues::new(self.queues.len().trailing_zeros()) };
            self.swept_at += clk + 1;
            return;
        }
        let r = self.result;
        // The operation that begins.
        let can = clk >= self.swept_at && self.posts_held < POSTS;
        let (load, done, bell) = (self.loads.output(clk).head, self.dones.output(clk).head, self.bells.output(clk).head);
        let free = self.is_free(clk);
        let turn = self.may_turn(clk);
        let grant = i.grant.filter(|_| self.takes_grant(clk));
        let takes_channel = can && load.is_none() && self.channel.is_some();
        let takes_done = can && load.is_none() && self.channel.is_none() && done.is_some();
        let takes_bell = can && load.is_none() && self.channel.is_none() && done.is_none() && bell.is_some();
        let takes_turn = free && grant.is_none() && turn && (self.turn_first || self.ringing.is_none());
        let takes_ring = free && grant.is_none() && !takes_turn && self.ringing.is_some();
        let op = if !can {
            None
        } else if let Some((queue, enable, keep)) = load {
            Some((queue, What::Load { enable, keep }))
        } else if let Some(c) = self.channel {
            Some((c.queue, c.enable.map_or(What::Read, What::Enable)))
        } else if let Some((queue, paced, _, bytes)) = done {
            Some((queue, What::Done { bytes, paced }))
        } else if let Some(queue) = bell {
            Some((queue, What::Ring))
        } else if let Some((queue, launch)) = grant {
            Some((queue, What::Grant(launch)))
        } else if takes_turn {
            self.list.output(clk).head.map(|queue| (queue, What::Turn))
        } else {
            self.ringing.filter(|_| takes_ring).map(|queue| (queue, if self.lost { What::Ring } else { What::Look }))
        };
        let op = op.map(|(queue, what)| Op { queue, what, stop: i.stop });
        let asks = matches!(op, Some(Op { what: What::Grant(_) | What::Turn, .. }));
        // A request gets its tag.
        let ask = self.asks.output(clk).head.filter(|_| self.request.is_none() || i.request_ready);
        let unused = self.unused;
        let tag = if unused { Some(self.next_tag as u8) } else { self.spare.output(clk).head };
        let begun = ask.zip(tag);
        // Counts of posts and requests.
        let post_left = self.posts.output(clk).head.is_some() && i.post_ready;
        self.posts_held = self.posts_held + u8::from(op.is_some()) - u8::from(r.valid && r.post.is_none()) - u8::from(post_left);
        self.asks_held = self.asks_held + u8::from(asks) - u8::from(r.ask && r.issue.is_none()) - u8::from(begun.is_some());
        let unpaced_over = done.filter(|d| takes_done && !d.1);
        let held = (self.unpaced, self.held, self.flows);
        let share = self.share.clone();
        self.share.step(i, unpaced_over.map(|d| d.3), held, (asks, takes_turn));
        let none = r.ask && r.issue.is_none();
        self.unpaced = self.unpaced + u16::from(takes_turn) - u16::from(r.turn && none) - u16::from(unpaced_over.is_some());
        self.held = self.held + u16::from(asks) - u16::from(none) - u16::from(takes_done);
        self.flows = self.flows.wrapping_add_signed(r.flows.into());
        // A change of the counts is looked at a clock later.
        let tags = self.unused == (self.next_tag < i.tags);
        let levels = (self.enabled, self.stopped) == (i.enable, i.stop);
        self.settled = self.share == share && held == (self.unpaced, self.held, self.flows) && levels && tags;
        self.turn_first = turn && !takes_turn && (self.turn_first || grant.is_some());
        // Queues inside.
        let lost = i.doorbell.is_some() && !self.bells.output(clk).ready;
        self.loads.step(clk, &fifo::In { rst: false, push: i.load, ready: can });
        self.dones.step(clk, &fifo::In { rst: false, push: self.status[1], ready: takes_done });
        self.bells.step(clk, &fifo::In { rst: false, push: i.doorbell, ready: takes_bell });
        self.list.step(clk, &fifo::In { rst: false, push: r.list.then_some(r.queue), ready: takes_turn });
        let issue = r.issue.map(|(paced, launch)| (r.queue, paced, launch));
        self.asks.step(clk, &fifo::In { rst: false, push: issue, ready: begun.is_some() });
        let spare = done.filter(|_| takes_done).map(|d| d.2);
        self.spare.step(clk, &fifo::In { rst: false, push: spare, ready: begun.is_some() && !unused });
        self.posts.step(clk, &fifo::In { rst: false, push: r.post.map(|n| (r.queue, n)), ready: i.post_ready });
        // Requests that are over; what their tags stood for is read before it is written.
        self.status[1] = self.status[0].take();
        self.status[0] = i.status.map(|(tag, bytes)| (self.table[tag as usize].0, self.table[tag as usize].1, tag, bytes));
        self.void = i.status.filter(|s| s.1 == 0).map(|s| s.0);
        if i.request_ready {
            self.request = None;
        }
        self.launch = None;
        if let Some(((queue, paced, time), tag)) = begun {
            self.table[tag as usize] = (queue, paced);
            self.request = Some((queue, tag));
            self.launch = Some(Launch { queue, tag, paced, time });
            self.next_tag += u16::from(unused);
        }
        self.unused = self.next_tag < i.tags;
        if takes_channel {
            self.channel = None;
        }
        self.channel = i.channel.or(self.channel);
        if takes_ring {
            self.ringing = self.ringing.map(|q| q + 1).filter(|q| (*q as usize) < self.queues.len());
        }
        self.lost = lost || self.lost && self.ringing.is_some();
        if lost || self.stopped && !i.stop {
            self.ringing = Some(0);
        }
        (self.enabled, self.stopped) = (i.enable, i.stop);
        self.result = self.stages[2].map_or(Result::default(), |op| self.act(&op));
        self.stages = [op, self.stages[0], self.stages[1]];
    }

    fn wake(&self, clk: u64) -> u64 {
        let acts = self.stages.iter().any(Option::is_some) || self.result.valid || self.channel.is_some() || self.ringing.is_some();
        let asks = !self.asks.is_empty() || self.request.is_some() || self.launch.is_some() || self.void.is_some();
        let over = self.status.iter().any(Option::is_some) || !self.dones.is_empty() || !self.bells.is_empty() || !self.loads.is_empty();
        let moves = !self.posts.is_empty() || !self.spare.is_settled() || !self.list.is_settled();
        if acts || asks || over || moves || !self.settled || self.turn_first || self.may_turn(clk) {
            return clk;
        }
        if clk < self.swept_at { self.swept_at } else { u64::MAX }
    }
}
