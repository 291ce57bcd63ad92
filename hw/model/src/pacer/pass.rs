//! The token pass: one flow a clock, from READY to the gate, the wheel, its sleep or the park. See
//! `timely_hw::pacer::pass`.
use super::charge::Paid;
use super::doorbell::{Post, Request, Sleep};
use super::gate::Train;
use super::token::{self, IN_FLIGHT, Plan, RATE_BITS, State, TIME_BITS, View};
use super::wheel::{Insert, SLOT_SHIFT};
use super::{Timing, wheel_bits};
use crate::bus::{FlowLoad, ProfileWrite};
use crate::{Block, fifo};
use std::collections::VecDeque;
use timely_regs::{flow, profile, wire::HEADER_BYTES};

/// The fields of a flow's record that the pass reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The flow's profile.
    pub profile: u8,
    /// The flow's priority, for PFC.
    pub priority: u8,
    /// Wire bytes of its packets, until one is charged.
    pub size: u16,
}

/// Wire bytes of an untagged IPv4 packet of ours beyond its payload: preamble, Ethernet, IP, UDP,
/// our header, FCS, gap.
pub const OVERHEAD: u16 = 8 + 14 + 20 + 8 + HEADER_BYTES as u16 + 4 + 12;

impl Config {
    /// The pass's fields of a record.
    pub fn of(load: &FlowLoad) -> Self {
        let r = &load.record;
        let headers = flow::IPV6.get(r) * 20 + flow::VLAN.get(r) * 4;
        let size = (flow::PAYLOAD_BYTES.get(r) + headers) as u16 + OVERHEAD;
        Config { profile: load.profile(), priority: flow::PRIORITY.get(r) as u8, size }
    }
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The head of READY.
    pub flow: Option<u32>,
    /// A flow's new word, from the doorbell unit.
    pub post: Option<(u32, Post)>,
    /// A flow's new account, from the charge unit.
    pub paid: Option<(u32, Paid)>,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// A word on the profile bus.
    pub profile: Option<ProfileWrite>,
    /// A flow and its rate, 2^-12 Mb/s.
    pub rate: Option<(u32, u32)>,
    /// Paused priorities.
    pub pause: u8,
    /// Everything is paused.
    pub stop: bool,
    /// ns48.fns16.
    pub now: u64,
    /// A grant leaves the gate.
    pub left: bool,
    /// A grant was offered at the clock before, and not taken.
    pub held: bool,
    /// The doorbell unit takes a request to sleep.
    pub sleep_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// The head of READY is taken if there is one.
    pub ready: bool,
    /// A flow's count of granted packets.
    pub granted: Option<(u32, u16)>,
    /// The same flow, and whether it sends too little of its rate for it to grow.
    pub limited: Option<(u32, bool)>,
    /// A request to sleep.
    pub sleep: Option<Request>,
    /// A flow and the slot of its next pass.
    pub insert: Option<Insert>,
    /// Packets for the gate, which has a place for each: it takes them at once.
    pub train: Option<Train>,
    /// A flow to be parked.
    pub park: Option<u32>,
    /// A pause ended.
    pub resume: bool,
    /// A flow starts to send after its profile's idle time.
    pub idle: Option<u32>,
    /// The RAMs are clear.
    pub swept: bool,
}

/// The longest sleep in the wheel, ns: a flow that waits longer is looked at again then.
pub const fn longest_sleep(flow_bits: usize) -> u64 {
    (15 << (wheel_bits(flow_bits) + SLOT_SHIFT as usize - 4)) - 1024
}

#[derive(Clone, Copy, Debug)]
struct Op {
    flow: u32,
    issued: u64,
    config: Config,
    view: View,
}

/// A decision on its way to memory: the state, and where the flow goes.
#[derive(Clone, Copy, Debug)]
struct Written {
    flow: u32,
    state: State,
    sleep: Option<Request>,
}

/// Clocks from the issue: the profile and the time are read.
const READ: u64 = 2;
/// The pause and the places in the gate are read, and the flow's fate is decided.
const DECIDE: u64 = 15;
/// The flow's slot is fixed.
const SLOT: u64 = 19;

/// The pass and its memory.
#[derive(Clone, Debug)]
pub struct Pass {
    flow_bits: u32,
    timing: Timing,
    state: Vec<State>,
    post: Vec<Post>,
    paid: Vec<Paid>,
    /// Bytes charged when a packet last ended its segment.
    ended: Vec<u32>,
    config: Vec<Config>,
    rate: Vec<u32>,
    /// A flow's new configuration, a clock after its load.
    load: Option<(u32, Config)>,
    /// A profile's word, the same.
    profile: Option<ProfileWrite>,
    bound: [u32; profile::PROFILES],
    idle_time: [u32; profile::PROFILES],
    cap: [u32; profile::PROFILES],
    window: [u32; profile::PROFILES],
    reading: VecDeque<Op>,
    deciding: VecDeque<Op>,
    written: [Option<Written>; 2],
    /// Due clock, flow, ns of the next pass.
    inserting: VecDeque<(u64, u32, u64)>,
    insert: Option<Insert>,
    train: Option<Train>,
    park: Option<u32>,
    idle: Option<u32>,
    /// Grants decided or reserved that have not left the gate.
    in_flight: u32,
    /// Requests to sleep made or reserved that the doorbell unit has not taken.
    owed: u32,
    /// One was taken at the last clock.
    slept: bool,
    sleeps: fifo::Fifo<Request>,
    paused: u8,
    paused_before: u8,
    resume: bool,
    swept_at: u64,
}

impl Pass {
    /// For `2^flow_bits` flows, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32, timing: Timing) -> Self {
        let flows = 1 << flow_bits;
        Pass {
            flow_bits,
            timing,
            state: vec![State::default(); flows],
            post: vec![Post::default(); flows],
            paid: vec![Paid::default(); flows],
            ended: vec![0; flows],
            config: vec![Config::default(); flows],
            rate: vec![0; flows],
            load: None,
            profile: None,
            bound: [0; profile::PROFILES],
            idle_time: [0; profile::PROFILES],
            cap: [0; profile::PROFILES],
            window: [0; profile::PROFILES],
            reading: VecDeque::new(),
            deciding: VecDeque::new(),
            written: [None; 2],
            inserting: VecDeque::new(),
            insert: None,
            train: None,
            park: None,
            idle: None,
            in_flight: 0,
            owed: 0,
            slept: false,
            sleeps: fifo::Fifo::new(9),
            paused: 0,
            paused_before: 0,
            resume: false,
            swept_at: flows as u64,
        }
    }

    /// The state of a flow after the last pass.
    pub fn state(&self, flow: u32) -> &State {
        &self.state[flow as usize]
    }

    /// Decides an operation's fate, and returns how many places in the gate it takes.
    fn decide(&mut self, op: &Op, clk: u64) -> u32 {
        let (flow, v) = (op.flow, &op.view);
        let (plan, idle) = token::plan(v, self.timing);
        self.idle = idle.then_some(flow);
        let request = |why, granted| Some(Request { flow, why, granted, released: v.post.released });
        let written = |state, sleep| Some(Written { flow, state, sleep });
        let mut wait = |ns: i64| {
            let longest = longest_sleep(self.flow_bits as usize);
            self.inserting.push_back((op.issued + SLOT, flow, v.time + (ns.max(0) as u64).min(longest)));
        };
        let lead = i64::from(self.timing.lead);
        let mut taken = 0;
        self.written[0] = match plan {
            Plan::Sleep(why, state) => written(state, request(why, state.granted)),
            Plan::Recheck { state, after } => {
                wait(after.map_or(i64::MAX, u64::cast_signed));
                written(state, None)
            }
            Plan::Send { state, .. } if self.paused >> op.config.priority & 1 == 1 => {
                self.park = Some(flow);
                written(state, None)
            }
            Plan::Send { state, tau, due: false, within, .. } => {
                wait(((tau >> 8) - lead).min(within.map_or(i64::MAX, u64::cast_signed)));
                written(state, None)
            }
            Plan::Send { mut state, tau, gap, size, backlog, .. } => {
                // One place is reserved for each operation in the pass, and one for the operation
                // that may be issued at this clock.
                let size = size.min(token::train_bits((IN_FLIGHT - self.in_flight).max(1)));
                taken = 1 << size;
                let launch = (v.time << 16).wrapping_add((tau << 8) as u64);
                self.train = Some(Train { flow, packets: taken, launch, gap: gap as u32 });
                state.granted = state.granted.wrapping_add(taken as u16);
                state.started = true;
                state.slack = token::spend(state.slack, gap, size, v.paid.voids.wrapping_sub(state.voids));
                state.voids = v.paid.voids;
                if u32::from(backlog) == taken {
                    state.awake = false;
                    written(state, request(Sleep::Empty, state.granted))
                } else {
                    wait(((tau + (gap << size) as i64) >> 8) - lead);
                    written(state, None)
                }
            }
        };
        debug_assert_eq!(clk, op.issued + DECIDE);
        if self.written[0].is_some_and(|w| w.sleep.is_none()) {
            self.owed -= 1;
        }
        taken
    }

    fn write_inputs(&mut self, i: &In) {
        if let Some((flow, post)) = i.post {
            self.post[flow as usize] = post;
        }
        if let Some((flow, paid)) = i.paid {
            self.paid[flow as usize] = paid;
            if paid.ends {
                self.ended[flow as usize] = paid.bytes;
            }
        }
        if let Some((flow, rate)) = i.rate {
            self.rate[flow as usize] = rate.min((1 << RATE_BITS) - 1);
        }
        if let Some(w) = std::mem::replace(&mut self.profile, i.profile) {
            let mut record = [0; profile::WORDS];
            record[usize::from(w.word)] = w.data;
            for (field, values) in [
                (profile::OUTSTANDING, &mut self.bound),
                (profile::IDLE_NS, &mut self.idle_time),
                (profile::TOKEN_CAP, &mut self.cap),
                (profile::USE_WINDOW, &mut self.window),
            ] {
                if field.word == w.word {
                    values[usize::from(w.profile)] = field.get(&record);
                }
            }
        }
        if let Some((flow, config)) = self.load {
            self.config[flow as usize] = config;
        }
        self.load = i.load.as_ref().map(|load| (load.flow, Config::of(load)));
    }
}

impl Block for Pass {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out {
            ready: self.in_flight < IN_FLIGHT && self.owed < 64,
            granted: self.written[1].map(|w| (w.flow, w.state.granted)),
            limited: self.written[1].map(|w| (w.flow, w.state.limited)),
            sleep: self.sleeps.output(clk).head,
            insert: self.insert,
            train: self.train,
            park: self.park,
            resume: self.resume,
            idle: self.idle,
            swept: clk >= self.swept_at,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Pass::new(self.flow_bits, self.timing);
            self.swept_at += clk + 1;
            return;
        }
        let ready = self.in_flight < IN_FLIGHT && self.owed < 64;

        // The decisions of the last clock and the one before.
        let decided = self.written[1].take();
        self.written[1] = self.written[0].take();
        let took = i.sleep_ready && self.sleeps.output(clk).head.is_some();
        self.sleeps.step(clk, &fifo::In { rst: false, push: decided.and_then(|w| w.sleep), ready: i.sleep_ready });
        (self.train, self.park, self.idle, self.insert) = (None, None, None, None);

        if self.inserting.front().is_some_and(|x| x.0 == clk)
            && let Some((_, flow, time)) = self.inserting.pop_front()
        {
            // The wheel may be draining the slots up to this clock's: the earliest it can take is a
            // few ahead.
            let bits = wheel_bits(self.flow_bits as usize);
            let earliest = (i.now >> (16 + SLOT_SHIFT)).wrapping_add(5);
            let slot = time >> SLOT_SHIFT;
            let is_behind = slot.wrapping_sub(earliest) >> bits & 1 == 1;
            let slot = if is_behind { earliest } else { slot };
            self.insert = Some(Insert { flow, slot: slot as u32 & ((1 << bits) - 1) });
        }

        let mut taken = 0;
        let mut done = 0;
        if self.deciding.front().is_some_and(|op| op.issued + DECIDE == clk)
            && let Some(op) = self.deciding.pop_front()
        {
            taken = self.decide(&op, clk);
            done = 1;
        }
        if self.reading.front().is_some_and(|op| op.issued + READ == clk)
            && let Some(mut op) = self.reading.pop_front()
        {
            let profile = usize::from(op.config.profile);
            (op.view.bound, op.view.idle, op.view.cap) = (self.bound[profile], self.idle_time[profile], self.cap[profile]);
            op.view.held = i.held;
            op.view.window = self.window[profile];
            op.view.time = ((i.now >> 16) + u64::from(self.timing.ahead)) & ((1 << TIME_BITS) - 1);
            self.deciding.push_back(op);
        }
        let issue = i.flow.filter(|_| ready);
        if let Some(flow) = issue {
            let f = flow as usize;
            debug_assert!(
                !self.reading.iter().chain(&self.deciding).any(|op| op.flow == flow)
                    && !self.inserting.iter().any(|x| x.1 == flow)
                    && !self.written.iter().chain([&decided]).flatten().any(|w| w.flow == flow),
                "flow {flow} is in the pass twice"
            );
            let view = View {
                state: self.state[f],
                rate: self.rate[f],
                post: self.post[f],
                paid: self.paid[f],
                ended: self.ended[f],
                size: self.config[f].size,
                ..View::default()
            };
            self.reading.push_back(Op { flow, issued: clk, config: self.config[f], view });
        }
        if let Some(w) = decided {
            self.state[w.flow as usize] = w.state;
        }
        let issued = u32::from(issue.is_some());
        self.in_flight = self.in_flight + issued + taken - done - u32::from(i.left);
        self.owed = self.owed + issued - u32::from(self.slept);
        self.slept = took;
        self.resume = self.paused_before & !self.paused != 0;
        self.paused_before = self.paused;
        self.paused = if i.stop { 0xff } else { i.pause };
        if clk >= self.swept_at {
            self.write_inputs(i);
        }
    }

    /// `pause`, `stop`, `held` and `now` are levels: a clock at which one of the first two changes
    /// must be stepped.
    fn wake(&self, clk: u64) -> u64 {
        let busy = self.written.iter().any(Option::is_some)
            || self.insert.is_some()
            || self.park.is_some()
            || self.idle.is_some()
            || self.train.is_some()
            || self.resume
            || self.slept
            || self.load.is_some()
            || self.profile.is_some()
            || self.paused_before != self.paused
            || !self.sleeps.is_empty();
        if busy {
            return clk;
        }
        let reading = self.reading.front().map_or(u64::MAX, |op| op.issued + READ);
        let deciding = self.deciding.front().map_or(u64::MAX, |op| op.issued + DECIDE);
        let inserting = self.inserting.front().map_or(u64::MAX, |x| x.0);
        let sweep = if clk <= self.swept_at { self.swept_at } else { u64::MAX };
        reading.min(deciding).min(inserting).min(sweep)
    }
}
