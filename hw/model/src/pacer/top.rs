//! The pacer as a whole. See `timely_hw::pacer::top`.
use super::timemap::TimeMap;
use super::{Timing, charge, doorbell, gate, park, pass, ready, wheel, wheel_bits};
use crate::Block;
use crate::bus::{Charge, FlowLoad, ProfileWrite, Release};
use crate::part::Part;
use timely_regs::counters::Counter;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow and packets posted.
    pub doorbell: Option<(u32, u16)>,
    /// Bytes that are outstanding no more.
    pub release: Option<Release>,
    /// The charge for the packet that answers a flow's oldest uncharged grant.
    pub charge: Option<Charge>,
    /// A flow and its rate, 2^-12 Mb/s.
    pub rate: Option<(u32, u32)>,
    /// A word on the profile bus.
    pub profile: Option<ProfileWrite>,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// Paused priorities.
    pub pause: u8,
    /// Everything is paused.
    pub stop: bool,
    /// ns48.fns16.
    pub now: u64,
    /// The grant offered is taken.
    pub grant_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// A doorbell offered is taken.
    pub doorbell_ready: bool,
    /// A flow that may send a packet, and when it was due.
    pub grant: Option<gate::Grant>,
    /// A flow starts to send after its profile's idle time.
    pub idle: Option<u32>,
    /// A flow came to its pass: whether it sends too little of its rate for it to grow.
    pub limited: Option<(u32, bool)>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: u64,
    /// The RAMs are clear; nothing is accepted before.
    pub swept: bool,
}

impl Out {
    /// Outputs in a build without a pacer.
    pub const ABSENT: Self = Out { doorbell_ready: true, grant: None, idle: None, limited: None, pulses: 0, swept: true };
}

/// The pacer.
#[derive(Clone, Debug)]
pub struct Pacer {
    doorbell: Part<doorbell::Doorbell>,
    ready: Part<ready::Ready>,
    charge: Part<charge::Charge>,
    park: Part<park::Park>,
    pass: Part<pass::Pass>,
    wheel: Part<wheel::Wheel>,
    gate: Part<gate::Gate>,
    /// How `now` runs, or ran, and whether it still does: then the wheel and the gate may skip
    /// clocks.
    map: Option<TimeMap>,
    has_line: bool,
    /// `now` at the clock before this one, which is the wheel's time.
    seen: (u64, u64),
    /// `pause` and `stop` as of the last step.
    levels: (u8, bool),
    granted: bool,
    /// A grant was offered at the clock before, and not taken.
    held: bool,
    /// On its way from the wheel to READY.
    due: Option<u32>,
}

impl Pacer {
    /// For `2^flow_bits` flows.
    pub fn new(flow_bits: u32, timing: Timing) -> Self {
        Pacer {
            doorbell: Part::new(doorbell::Doorbell::new(flow_bits)),
            ready: Part::new(ready::Ready::new()),
            charge: Part::new(charge::Charge::new(flow_bits)),
            park: Part::new(park::Park::new(flow_bits)),
            pass: Part::new(pass::Pass::new(flow_bits, timing)),
            wheel: Part::new(wheel::Wheel::new(flow_bits, wheel_bits(flow_bits as usize) as u32)),
            gate: Part::new(gate::Gate::new()),
            map: None,
            has_line: false,
            seen: (0, 0),
            levels: (0, false),
            granted: false,
            held: false,
            due: None,
        }
    }

    /// Tells how `now` runs from the line's first clock on. Without it `wake()` asks for every
    /// clock while a flow sleeps or a grant waits.
    pub fn set_time(&mut self, map: TimeMap) {
        self.seen = (map.clk0, self.before(map.clk0));
        self.map = Some(map);
        self.has_line = true;
        self.wheel.block.set_time(TimeMap { clk0: map.clk0 + 1, ..map });
        self.gate.block.set_time(map);
        self.wheel.due = self.wheel.due.min(self.wheel.block.wake(map.clk0));
        // A line that is not where the last one led is a step, which the gate must see.
        self.gate.due = self.gate.due.min(map.clk0);
    }

    /// `now` leaves the line that was told: until the next line, every clock must be stepped, so
    /// that no list of the calendar is jumped over.
    pub fn lose_time(&mut self) {
        self.has_line = false;
    }

    /// `now` at the clock before `clk`, whether that was stepped or not.
    fn before(&self, clk: u64) -> u64 {
        match self.map.filter(|m| clk != self.seen.0 && clk > m.clk0) {
            Some(map) => map.now(clk - 1),
            None => self.seen.1,
        }
    }

    /// The state of a flow after the last pass.
    pub fn state(&self, flow: u32) -> &super::token::State {
        self.pass.block.state(flow)
    }
}

impl Block for Pacer {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let doorbell = self.doorbell.block.output(clk);
        let pass = self.pass.block.output(clk);
        let swept = doorbell.swept && pass.swept && self.charge.block.output(clk).swept && self.wheel.block.output(clk).swept;
        Out {
            doorbell_ready: doorbell.doorbell_ready && swept,
            grant: self.gate.block.output(clk).grant,
            idle: pass.idle,
            limited: pass.limited,
            pulses: u64::from(self.granted) << Counter::Grants as u32 | u64::from(doorbell.refused) << Counter::DoorbellsRefused as u32,
            swept,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let rst = i.rst;
        let doorbell = self.doorbell.block.output(clk);
        let head = self.ready.block.output(clk);
        let charge = self.charge.block.output(clk);
        let parked = self.park.block.output(clk);
        let pass = self.pass.block.output(clk);
        let wheel = self.wheel.block.output(clk);
        let gate = self.gate.block.output(clk);
        let go = doorbell.swept && charge.swept && pass.swept && wheel.swept;
        let left = gate.grant.is_some() && i.grant_ready;

        let load = i.load.filter(|_| go);
        let release = i.release.filter(|_| go);
        let rung = i.doorbell.filter(|_| go);
        let busy = load.is_some() || release.is_some() || rung.is_some() || pass.sleep.is_some() || pass.granted.is_some();
        self.doorbell.step(clk, rst || busy, || doorbell::In {
            rst,
            load: load.map(|l| doorbell::Load { flow: l.flow, enable: l.enable(), keep: l.keep() }),
            release: release.map(|r| (r.flow, r.bytes)),
            sleep: pass.sleep,
            doorbell: rung,
            granted: pass.granted,
        });
        let charged = i.charge.filter(|_| go);
        self.charge.step(clk, rst || charged.is_some(), || charge::In { rst, charge: charged });
        let activate = doorbell.activate.or(parked);
        self.ready.step(clk, rst || self.due.is_some() || activate.is_some(), || ready::In {
            rst,
            due: self.due,
            activate,
            ready: pass.ready,
        });
        let ready = doorbell.activate.is_none();
        self.park.step(clk, rst || pass.park.is_some() || pass.resume, || park::In { rst, park: pass.park, resume: pass.resume, ready });

        let (profile, rate) = (i.profile.filter(|_| go), i.rate.filter(|_| go));
        let busy = head.is_some() || doorbell.post.is_some() || charge.paid.is_some() || load.is_some() || profile.is_some();
        let busy = busy || rate.is_some() || self.granted || self.levels != (i.pause, i.stop);
        self.levels = (i.pause, i.stop);
        self.pass.step(clk, rst || busy, || pass::In {
            rst,
            flow: head,
            post: doorbell.post,
            paid: charge.paid,
            load,
            profile,
            rate,
            pause: i.pause,
            stop: i.stop,
            now: i.now,
            left: self.granted,
            held: self.held,
            sleep_ready: doorbell.sleep_ready,
        });
        // Without a line of time, its steps must be seen when they come.
        let busy = rst || !self.has_line;
        let before = self.before(clk);
        self.seen = (clk + 1, i.now);
        self.wheel.step(clk, busy || pass.insert.is_some(), || wheel::In { rst, insert: pass.insert, now: before, ready: true });
        debug_assert!(pass.train.is_none() || gate.train_ready, "the pass keeps within the gate's places");
        self.gate.step(clk, busy || pass.train.is_some(), || gate::In { rst, train: pass.train, now: i.now, ready: i.grant_ready });
        self.granted = left && !rst;
        self.held = gate.grant.is_some() && !i.grant_ready && !rst;
        self.due = wheel.due.filter(|_| !rst);
    }

    /// `pause`, `stop` and `now` are levels: a clock at which one of the first two changes must be
    /// stepped.
    fn wake(&self, clk: u64) -> u64 {
        if self.granted || self.due.is_some() {
            return clk;
        }
        let parts = [self.doorbell.due, self.ready.due, self.charge.due, self.park.due, self.pass.due, self.wheel.due, self.gate.due];
        parts.into_iter().fold(u64::MAX, u64::min).max(clk)
    }
}
