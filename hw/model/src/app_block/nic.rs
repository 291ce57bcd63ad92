//! Corundum's form of the NIC: the application block and the transmit scheduler with its pacer, and
//! between them the two buses, or the bus of the NIC's own registers. The bench drives the rest of
//! Corundum: queues, transmit engine, MAC.
use super::app::{self, App};
use super::{host_read, host_write};
use crate::Block;
use crate::pacer::Timing;
use crate::pacer::timemap::TimeMap;
use crate::scheduler::registers::Given;
use crate::scheduler::top::{self as scheduler, Scheduler};
use crate::scheduler::{courier, window};
use std::collections::VecDeque;
use timely_regs::corundum::Kind;
use timely_regs::map::{Build, increment};

/// Requests that Corundum has under way, its `TX_SCHEDULER_OP_TABLE_SIZE`.
pub const REQUESTS: u16 = 32;
/// The scheduler's registers on its register bus, and the one that enables it.
const REGISTERS: u32 = 0x3000;
const ENABLE: u32 = 0x28;
/// The scheduler's window in the NIC's own registers.
pub const WINDOW: u32 = 0x80_0000;
/// Word of a queue's channel that enables it, as Corundum's driver writes it.
const CHANNEL: u32 = 3;
/// Clocks between the masters of the NIC's own registers and the scheduler's window, each way: a
/// write then takes 14 clocks, as in Corundum.
const CROSSING: u64 = 4;
/// Clocks that what the scheduler is told by stream is under way: the pacer's time at a clock is
/// what the control half showed as long before.
const DOWN_CLOCKS: u64 = 2;

/// log2 of the wire bytes that requests without a flow may have under way on a bus of so many bits:
/// `timely_hw::scheduler::emission`.
pub fn share(bus_bits: u32) -> u8 {
    14 + (bus_bits / 64).ilog2() as u8
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Inputs of the application block; those of the scheduler are not looked at.
    pub app: app::In,
    /// A queue may hold packets.
    pub doorbell: Option<u32>,
    /// The request offered is taken.
    pub request_ready: bool,
    /// A request is over: tag, bytes.
    pub status: Option<(u8, u16)>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The application block's.
    pub app: app::Out,
    /// A request: queue, tag.
    pub request: Option<(u32, u8)>,
    /// A request was empty: its tag.
    pub void: Option<u8>,
}

/// An access to the scheduler's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Write { address: u32, data: u32, courier: bool },
    Read { address: u32 },
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// On its way, until this clock.
    Comes(u64),
    /// At the window: what of it is not taken yet.
    There { aw: bool, w: bool, ar: bool },
    /// Answered, and on its way back until this clock.
    Returns(u64, u8, u32),
}

/// The bus of the NIC's own registers: Corundum's driver and the application block, an access at a
/// time, the driver first.
#[derive(Clone, Debug, Default)]
struct Registers {
    /// Writes of the driver that wait.
    driver: VecDeque<(u32, u32)>,
    access: Option<(Access, Stage)>,
}

impl Registers {
    /// Inputs of the scheduler's window at a clock.
    fn window(&self) -> window::In {
        let Some((access, Stage::There { aw, w, ar })) = self.access else { return window::In::default() };
        match access {
            Access::Write { address, data, .. } => {
                window::In { aw: aw.then_some(address), w: w.then_some((data, 15)), b_ready: true, ..window::In::default() }
            }
            Access::Read { address } => window::In { ar: ar.then_some(address), r_ready: true, ..window::In::default() },
        }
    }

    /// Inputs of the configuration bridge: whether its access is taken, and its answer.
    fn courier(&self, clk: u64, c: &courier::Out) -> courier::In {
        let free = self.access.is_none() && self.driver.is_empty();
        let writes = free && c.aw.is_some() && c.w.is_some();
        let mut i = courier::In { aw_ready: writes, w_ready: writes, ar_ready: free && !writes, ..courier::In::default() };
        i.ar_ready &= c.ar.is_some();
        match self.access {
            Some((Access::Write { courier: true, .. }, Stage::Returns(at, response, _))) if clk >= at => i.b = Some(response),
            Some((Access::Read { .. }, Stage::Returns(at, response, data))) if clk >= at => i.r = Some((response, data)),
            _ => {}
        }
        i
    }

    fn step(&mut self, clk: u64, c: &courier::Out, shown: &courier::In, window: &window::Out) {
        let comes = Stage::Comes(clk + CROSSING);
        self.access = match self.access {
            None => {
                if let Some((address, data)) = self.driver.pop_front() {
                    Some((Access::Write { address, data, courier: false }, comes))
                } else if shown.aw_ready {
                    c.aw.zip(c.w).map(|(address, data)| (Access::Write { address, data, courier: true }, comes))
                } else {
                    c.ar.filter(|_| shown.ar_ready).map(|address| (Access::Read { address }, comes))
                }
            }
            Some((access, Stage::Comes(at))) if clk + 1 >= at => Some((access, Stage::There { aw: true, w: true, ar: true })),
            Some((access, Stage::There { aw, w, ar })) => {
                let answer = match access {
                    Access::Write { .. } => window.b.map(|b| (b, 0)),
                    Access::Read { .. } => window.r,
                };
                let stays = Stage::There { aw: aw && !window.aw_ready, w: w && !window.w_ready, ar: ar && !window.ar_ready };
                Some((access, answer.map_or(stays, |(response, data)| Stage::Returns(clk + CROSSING, response, data))))
            }
            Some((Access::Write { courier: false, .. }, Stage::Returns(at, ..))) if clk >= at => None,
            Some((_, Stage::Returns(at, ..))) if clk >= at && (shown.b.is_some() && c.b_ready || shown.r.is_some() && c.r_ready) => None,
            waits => waits,
        };
    }

    fn wake(&self, clk: u64) -> u64 {
        match self.access {
            None if self.driver.is_empty() => u64::MAX,
            Some((_, Stage::Comes(at))) => at.saturating_sub(1).max(clk),
            Some((_, Stage::Returns(at, ..))) => at.max(clk),
            _ => clk,
        }
    }
}

/// The NIC.
#[derive(Clone, Debug)]
pub struct Nic {
    app: App,
    scheduler: Scheduler,
    registers: Registers,
    /// The scheduler is to be enabled.
    enables: bool,
    streams: bool,
    flow_bits: usize,
    /// How the pacer's time runs, as of the last step, in the form with streams; and clocks until
    /// what is under way runs so too.
    line: Option<TimeMap>,
    settles: u64,
    /// Stop and pause as the scheduler was told last.
    told: (bool, u8),
}

impl Nic {
    /// A NIC whose `rst` was 1 at the clock before 0, with buses between its halves or without.
    pub fn new(build: Build, streams: bool) -> Self {
        let given = Given {
            base: REGISTERS,
            address: 0x8_0000 + REGISTERS,
            next: 0,
            window: WINDOW,
            queues: 1 << build.flow_bits,
            dest: 0,
            flow_bits: build.flow_bits as u8,
            streams,
        };
        let timing = Timing::of(build.clock_ps);
        Nic {
            app: App::new(build),
            scheduler: Scheduler::new(given, timing, REQUESTS, share(build.bus_bits), increment(build.clock_ps)),
            registers: Registers::default(),
            enables: false,
            streams,
            flow_bits: build.flow_bits as usize,
            line: None,
            settles: DOWN_CLOCKS + 1,
            told: (false, 0),
        }
    }

    /// Corundum's driver enables the scheduler, and these queues of it.
    pub fn open(&mut self, queues: impl IntoIterator<Item = u32>) {
        self.enables = true;
        let address = |queue| WINDOW + Kind::Channel.address(self.flow_bits, queue);
        self.registers.driver.extend(queues.into_iter().map(|queue| (address(queue), CHANNEL)));
    }

    /// The driver has written all that it had to.
    pub fn is_open(&self) -> bool {
        !self.enables && self.registers.driver.is_empty()
    }

    /// The date at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        self.app.now(clk)
    }

    /// The beat that the MAC is offered at clock `clk`, with its frame's tag.
    pub fn tx(&self, clk: u64) -> Option<app::CoreBeat> {
        self.app.tx(clk)
    }

    /// In the form with streams the pacer is told how its time runs, once all of it that is under
    /// way does.
    fn follow(&mut self, clk: u64) {
        let line = self.app.line(clk + 1);
        let runs = match (line, self.line) {
            (Some(now), Some(before)) => now.step == before.step && now.now.wrapping_sub(before.now(clk + 1)).wrapping_add(1) <= 2,
            _ => false,
        };
        if !runs {
            self.settles = DOWN_CLOCKS + 1;
            self.scheduler.lose_time();
        }
        self.line = line;
        if self.settles > 0
            && let Some(line) = line
        {
            self.settles -= 1;
            if self.settles == 0 {
                let behind = (u64::from(line.step) * DOWN_CLOCKS) >> 8;
                self.scheduler.set_time(TimeMap { now: line.now.wrapping_sub(behind), ..line });
            }
        }
    }
}

impl Block for Nic {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let scheduler = self.scheduler.output(clk);
        Out { app: self.app.output(clk), request: scheduler.request, void: scheduler.up.void }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let (app, scheduler) = (self.app.output(clk), self.scheduler.output(clk));
        let rst = i.app.rst;
        let shown = self.registers.courier(clk, &app.courier);
        let enables = self.enables && !scheduler.registers.wr_ack;
        let window = self.registers.window();
        self.told = (app.down.stop, app.down.pause);
        self.app.step(
            clk,
            &app::In {
                base: WINDOW,
                streams: self.streams,
                up: if self.streams { scheduler.up } else { scheduler::Up::default() },
                window: shown.clone(),
                write: host_write::In { enable: false, ..i.app.write },
                read: host_read::In { enable: false, ..i.app.read },
                ..i.app.clone()
            },
        );
        self.scheduler.step(
            clk,
            &scheduler::In {
                rst,
                window,
                write: enables.then_some((REGISTERS + ENABLE, 1, 15)),
                read: None,
                down: app.down,
                doorbell: i.doorbell,
                request_ready: i.request_ready,
                status: i.status,
            },
        );
        self.registers.step(clk, &app.courier, &shown, &scheduler.window);
        self.enables = enables;
        if rst {
            (self.registers, self.enables) = (Registers::default(), false);
        }
        if self.streams {
            self.follow(clk);
        }
    }

    /// A beat that stands at the MAC and is not taken asks for no clock by itself.
    fn wake(&self, clk: u64) -> u64 {
        let app = self.app.told();
        if self.enables || self.told != app || self.streams && self.settles > 0 {
            return clk;
        }
        let due = self.app.wake(clk).min(self.scheduler.wake(clk)).min(self.registers.wake(clk));
        // The time that is under way is that of the clocks before.
        if self.streams && due != u64::MAX { due.saturating_sub(DOWN_CLOCKS).max(clk) } else { due }
    }
}
