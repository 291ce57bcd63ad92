//! Corundum's transmit scheduler with our pacer: what its parts are, and how they join. See
//! `timely_hw::scheduler::top`.
use super::registers::Given;
use super::ticks::Ticks;
use super::{mail, queues, registers, window};
use crate::Block;
use crate::bus::{Charge, FlowLoad, ProfileWrite, Release};
use crate::pacer::timemap::TimeMap;
use crate::pacer::{Timing, top};
use crate::part::Part;
use timely_regs::corundum::Kind;
use timely_regs::counters::Counter;
use timely_regs::flow::WORDS;

/// Signals from the application block to a scheduler, as `timely_regs::corundum::DOWN` carries
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Down {
    /// No flow may send.
    pub stop: bool,
    /// Paused priorities.
    pub pause: u8,
    /// A flow and its rate.
    pub rate: Option<(u32, u32)>,
    /// Bytes that are outstanding no more.
    pub release: Option<Release>,
    /// A flow and its load.
    pub load: Option<(u32, u32)>,
    /// A word of a profile.
    pub profile: Option<ProfileWrite>,
    /// The pacer's time.
    pub later: u64,
}

/// Signals from a scheduler to the application block, as `timely_regs::corundum::UP` carries them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Up {
    /// The RAM is clear.
    pub swept: bool,
    /// A flow starts after its idle time.
    pub idle: Option<u32>,
    /// A flow came to its pass, and whether it is limited.
    pub limited: Option<(u32, bool)>,
    /// Counted events.
    pub pulses: u64,
    /// A request begins.
    pub launch: Option<queues::Launch>,
    /// A request was empty.
    pub void: Option<u8>,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The window; what is inside the scheduler of it is not looked at.
    pub window: window::In,
    /// A write on the register bus.
    pub write: Option<(u32, u32, u8)>,
    /// A read there.
    pub read: Option<u32>,
    /// The bus from the application block, if it is there.
    pub down: Down,
    /// A queue may hold packets.
    pub doorbell: Option<u32>,
    /// The request offered is taken.
    pub request_ready: bool,
    /// A request is over: tag, bytes.
    pub status: Option<(u8, u16)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// The window: of it what AXI-Lite shows.
    pub window: window::Out,
    /// The register bus and the destination of requests.
    pub registers: registers::Out,
    /// A request: queue, tag.
    pub request: Option<(u32, u8)>,
    /// The bus to the application block.
    pub up: Up,
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    window: Part<window::Window>,
    registers: Part<registers::Registers>,
    queues: Part<queues::Queues>,
    mail: Part<mail::Mail>,
    ticks: Ticks,
    pacer: Part<top::Pacer>,
    given: Given,
    tags: u16,
    share: u8,
    increment: u32,
    came: Down,
    pulses: u64,
    ready: bool,
    /// Levels that blocks take to stay while they are not stepped: enabled, stop, pause, ready,
    /// swept.
    levels: (bool, bool, u8, bool, bool),
    /// The pacer was told how its time runs.
    has_line: bool,
}

/// The record of a load.
fn record(word: u32) -> [u32; WORDS] {
    let mut record = [0; WORDS];
    (record[0], record[1]) = (word & 0x1fff, word >> 16 & 0x3fff);
    record
}

impl Scheduler {
    /// Of `2^given.flow_bits` queues, with so many tags, `2^share` wire bytes of packets without a
    /// flow under way at most, and so much time a clock, ns in Q8.24.
    pub fn new(given: Given, timing: Timing, tags: u16, share: u8, increment: u32) -> Self {
        let bits = u32::from(given.flow_bits);
        Scheduler {
            window: Part::new(window::Window::new(bits)),
            registers: Part::new(registers::Registers::new(given)),
            queues: Part::new(queues::Queues::new(bits)),
            mail: Part::new(mail::Mail::new(bits)),
            ticks: Ticks::default(),
            pacer: Part::new(top::Pacer::new(bits, timing)),
            given,
            tags,
            share,
            increment,
            came: Down::default(),
            pulses: 0,
            ready: false,
            levels: (false, false, 0, false, false),
            has_line: false,
        }
    }

    /// Tells how the pacer's time runs, which comes by the bus from the application block: from the
    /// line's first clock on, at which what came a clock before counts. Without it every clock is
    /// stepped.
    pub fn set_time(&mut self, map: TimeMap) {
        self.pacer.block.set_time(map);
        self.pacer.due = self.pacer.due.min(self.pacer.block.wake(map.clk0));
        self.has_line = true;
    }

    /// The time leaves the line that was told.
    pub fn lose_time(&mut self) {
        self.pacer.block.lose_time();
        self.has_line = false;
    }

    /// Signals from the control half for the pacer and the queues.
    fn down(&self, clk: u64) -> Down {
        if self.given.streams {
            return self.came.clone();
        }
        let w = self.window.block.output(clk);
        let mut down = Down { stop: w.stop, pause: w.pause, later: self.ticks.now(clk), ..Down::default() };
        if let Some(window::Write { kind, index, data }) = w.write {
            match kind {
                k if k == Kind::Rate as u8 => down.rate = Some((index, data)),
                k if k == Kind::Release as u8 => down.release = Some(Release { flow: index, bytes: data }),
                k if k == Kind::Load as u8 => down.load = Some((index, data)),
                _ => down.profile = Some(ProfileWrite { profile: (index >> 5 & 15) as u8, word: (index & 31) as u8, data }),
            }
        }
        down
    }
}

impl Block for Scheduler {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let (queues, pacer) = (self.queues.block.output(clk), self.pacer.block.output(clk));
        Out {
            window: self.window.block.output(clk),
            registers: self.registers.block.output(clk),
            request: queues.request,
            up: Up {
                swept: self.ready,
                idle: pacer.idle,
                limited: pacer.limited,
                pulses: self.pulses,
                launch: queues.launch,
                void: queues.void,
            },
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let (window, queues, pacer) = (self.window.block.output(clk), self.queues.block.output(clk), self.pacer.block.output(clk));
        let (mail, mail_swept) = self.mail.block.output(clk);
        let enable = self.registers.block.output(clk).enable;
        let down = self.down(clk);
        let swept = pacer.swept && queues.swept && mail_swept;
        let pulse = |counter: Counter| self.pulses >> counter as u32 & 1 != 0;
        let (granted, refused) = (pulse(Counter::Grants), pulse(Counter::DoorbellsRefused));
        let levels = (enable, down.stop, down.pause, self.ready, swept);
        let changed = i.rst || std::mem::replace(&mut self.levels, levels) != levels;
        let w = &i.window;
        let accessed = w.aw.is_some() || w.w.is_some() || w.ar.is_some() || w.b_ready || w.r_ready || queues.answer.is_some();
        self.window.step(clk, changed || accessed, || window::In { rst: i.rst, answer: queues.answer, mail, ..i.window.clone() });
        self.registers.step(clk, changed || i.write.is_some() || i.read.is_some(), || registers::In {
            rst: i.rst,
            write: i.write,
            read: i.read,
            swept: self.ready,
            stop: down.stop,
        });
        let told = pacer.idle.is_some() || pacer.limited.is_some() || granted || refused || window.mail_taken;
        self.mail.step(clk, changed || told, || mail::In {
            rst: i.rst,
            idle: pacer.idle,
            limited: pacer.limited,
            granted,
            refused,
            ready: swept,
            taken: window.mail_taken,
        });
        let called = window.channel.is_some() || i.doorbell.is_some() || i.status.is_some();
        let moves = down.load.is_some() || pacer.grant.is_some() || queues.request.is_some() || queues.post.is_some();
        self.queues.step(clk, changed || called || moves, || queues::In {
            rst: i.rst,
            enable,
            stop: down.stop,
            tags: self.tags,
            share: self.share,
            load: down.load.map(|(flow, word)| (flow, word & 1 != 0, word & 2 != 0)),
            channel: window.channel,
            doorbell: i.doorbell,
            grant: pacer.grant.map(|g| (g.flow, g.launch)),
            request_ready: i.request_ready,
            status: i.status,
            post_ready: pacer.doorbell_ready,
        });
        let told = queues.post.is_some() || queues.charge.is_some() || down.release.is_some() || down.rate.is_some();
        let bus = down.profile.is_some() || down.load.is_some();
        self.pacer.step(clk, changed || told || bus || pacer.grant.is_some() || !self.has_line, || top::In {
            rst: i.rst,
            doorbell: queues.post.map(|(flow, packets)| (flow, packets.into())),
            release: down.release,
            // Only segments that have ended are outstanding: see `app_block::credit`.
            charge: queues.charge.map(|(flow, bytes)| Charge { flow, bytes, ends: true }),
            rate: down.rate,
            profile: down.profile,
            load: down.load.map(|(flow, word)| FlowLoad { flow, record: record(word) }),
            pause: down.pause,
            stop: !enable,
            now: down.later,
            grant_ready: queues.grant_ready,
        });
        self.ticks.step(clk, i.rst, self.increment);
        if i.rst {
            self.lose_time();
        } else if !self.given.streams && !self.has_line {
            self.set_time(self.ticks.line(clk + 1));
        }
        (self.came, self.pulses, self.ready) = if i.rst { (Down::default(), 0, false) } else { (i.down.clone(), pacer.pulses, swept) };
    }

    /// The signals from the control half come through a register, which asks for a clock while one
    /// of them is active.
    fn wake(&self, clk: u64) -> u64 {
        let c = &self.came;
        let carries = c.rate.is_some() || c.release.is_some() || c.load.is_some() || c.profile.is_some();
        let came = self.given.streams && (carries || (c.stop, c.pause) != (self.levels.1, self.levels.2));
        if came || self.pulses != 0 || self.ready != self.levels.3 || !self.has_line {
            return clk;
        }
        let parts = [self.window.due, self.registers.due, self.queues.due, self.mail.due, self.pacer.due];
        parts.into_iter().fold(u64::MAX, u64::min).max(clk)
    }
}
