//! The application block of `timely_hw::shells::corundum::app::core`, without a traffic generator:
//! the control half among Corundum's streams.
//!
//! The scheduler with its pacer stands elsewhere ([`crate::scheduler::top`]): [`super::nic`] joins
//! both.
use super::host_read::{self, HostRead};
use super::host_write::{self, HostWrite};
use super::{TimeOfDay, arrivals, credit, departures, launches};
use crate::bus::Sent;
use crate::core::{Core, Pins, Shown, Source};
use crate::inline::exit;
use crate::part::Part;
use crate::scheduler::courier;
use crate::scheduler::top::Down;
use crate::time::LINEAR_LATENCY;
use crate::{Block, dma, fifo, launch, mark};
use std::collections::VecDeque;
use timely_regs::corundum::load_word;
use timely_regs::counters::Counter;
use timely_regs::map::Build;

pub use super::pins::{Beside, CoreBeat, In, Out};

/// Address bits of the queue of what a tag loses inside.
const BESIDES: u32 = 5;
/// Bits of the core's tags that stay inside: bit 15 says that the frame is the core's, bit 14 that
/// it is bad.
const INSIDE: u16 = 0x3fff;
const BAD: u16 = 1 << 14;

/// The application block.
#[derive(Clone, Debug)]
pub struct App {
    core: Core<dma::Dma>,
    /// The core's outputs at the last step.
    shown: Option<Box<Shown>>,
    mark: Part<mark::Mark<Beside>>,
    exit: Part<exit::Exit>,
    credit: Part<credit::Credit>,
    arrivals: Part<arrivals::Arrivals>,
    departures: Part<departures::Departures>,
    host_write: Part<HostWrite>,
    host_read: Part<HostRead>,
    launches: Part<launches::Launches>,
    gate: Part<launch::Launch>,
    courier: Part<courier::Courier>,
    /// The highest two bits of a tag, of the core's frames in gate and multiplexer.
    besides: Part<fifo::Fifo<u16>>,
    below: Down,
    /// Inside a frame from the core.
    midway: bool,
    /// PTP's time on its way through the sum that makes it linear.
    present: VecDeque<u64>,
    /// Age of PTP's time when it is linear, ns.
    age: u64,
    /// Stop, pause and form as of the last step: levels to the configuration bridge.
    levels: (bool, u8, bool, u32),
    /// Reset, as the blocks see it: a clock late.
    reset: bool,
}

impl App {
    /// A block whose `rst` was 1 at the clock before 0.
    pub fn new(build: Build) -> Self {
        let (width, flow_bits) = (build.bus_bits as usize, build.flow_bits);
        App {
            core: Core::apart(build, dma::Dma::new(flow_bits, build.bus_bits)),
            shown: None,
            mark: Part::new(mark::Mark::new(width, flow_bits, build.ring_bits)),
            exit: Part::new(exit::Exit::new(width, flow_bits)),
            credit: Part::new(credit::Credit::new(flow_bits)),
            arrivals: Part::new(arrivals::Arrivals::default()),
            departures: Part::new(departures::Departures::default()),
            host_write: Part::new(HostWrite::new(width)),
            host_read: Part::new(HostRead::new(width)),
            launches: Part::new(launches::Launches::default()),
            gate: Part::new(launch::Launch::new()),
            courier: Part::new(courier::Courier::new(flow_bits)),
            besides: Part::new(fifo::Fifo::new(BESIDES)),
            below: Down::default(),
            midway: false,
            present: VecDeque::from([0; LINEAR_LATENCY]),
            age: (LINEAR_LATENCY as u64 * u64::from(build.clock_ps)).div_ceil(1000),
            levels: (false, 0, false, 0),
            reset: true,
        }
    }

    /// The date at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        self.core.now(clk)
    }

    /// The pacer's time from clock `clk` on, as it leaves the control half; see [`Core::line`].
    pub fn line(&self, clk: u64) -> Option<crate::pacer::timemap::TimeMap> {
        self.core.line(clk)
    }

    /// The beat that the MAC is offered at clock `clk`: what goes beside a frame of the core's may
    /// come a few clocks behind its first beat.
    pub fn tx(&self, clk: u64) -> Option<CoreBeat> {
        let (beat, tag) = self.core.tx(clk)?;
        if tag & departures::OF_CORE == 0 {
            return Some((beat, tag, false));
        }
        let besides = self.besides.block.output(clk).head?;
        Some((beat, tag & INSIDE | besides << 14, tag & BAD != 0))
    }

    /// Stop and pause as the scheduler is told them by stream at the coming clock.
    pub fn told(&self) -> (bool, u8) {
        (self.below.stop, self.below.pause)
    }

    /// Words for the configuration bridge, or the streams, with the core's outputs of this clock.
    fn carried(&self, i: &In, core: &Shown, credit: &credit::Out) -> courier::In {
        courier::In {
            rst: false,
            base: i.base,
            enable: !i.streams,
            rate: core.rate().map(|r| (r.flow, r.value)),
            release: credit.release,
            load: core.load,
            profile: core.profile,
            pause: core.paused() | i.pause,
            stop: core.csr.stop,
            ..i.window
        }
    }
}

impl Block for App {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let core = self.core.output(clk);
        let (launches, departures, mark) =
            (self.launches.block.output(clk), self.departures.block.output(clk), self.mark.block.output(clk));
        let may_begin = self.midway || launches.head.is_some() || launches.empty;
        Out {
            aw_ready: core.aw_ready,
            w_ready: core.w_ready,
            ar_ready: core.ar_ready,
            b: core.b,
            r: core.r,
            tx_ready: may_begin && self.gate.block.output(clk).ready && !self.reset,
            tx: self.tx(clk),
            queue_ready: mark.ready && !self.reset,
            queue: mark.beat,
            completion_ready: departures.ready && !self.reset,
            completion: departures.completion,
            write: self.host_write.block.output(clk),
            read: self.host_read.block.output(clk),
            courier: self.courier.block.output(clk),
            down: self.below.clone(),
            now: core.now,
            stopped: core.stopped,
            sample: core.sample,
            rate: core.rate,
            record: core.record,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let rst = std::mem::replace(&mut self.reset, i.rst);
        let mut core = self.shown.take().unwrap_or_else(|| self.core.show(clk).into());
        self.core.show_again(clk, &mut core);
        let c = &core.csr.settings;
        let (mark, exit, credit) = (self.mark.block.output(clk), self.exit.block.output(clk), self.credit.block.output(clk));
        let (arrivals, departures) = (self.arrivals.block.output(clk), self.departures.block.output(clk));
        let (host_write, host_read) = (self.host_write.block.output(clk), self.host_read.block.output(clk));
        let (launches, gate, courier) = (self.launches.block.output(clk), self.gate.block.output(clk), self.courier.block.output(clk));
        let besides = self.besides.block.output(clk);

        // To the MAC, at its launch if it has one; a frame waits for what is said of its request.
        let leaving = core.tx.map(|(_, tag)| tag);
        let is_core = leaving.is_some_and(|tag| tag & departures::OF_CORE != 0);
        let beside = !is_core || besides.head.is_some();
        let ends = core.tx.is_some_and(|(beat, _)| beat.last) && i.tx_ready && is_core;
        let may_begin = self.midway || launches.head.is_some() || launches.empty;
        let offered = i.tx.filter(|_| may_begin);
        let taken = offered.filter(|_| gate.ready);
        let begins = taken.filter(|_| !self.midway);
        if let Some((beat, ..)) = taken {
            self.midway = !beat.last;
        }
        let launch = i.up.launch.filter(|_| i.streams).map(|l| (l.tag, l.paced.then_some(l.time)));
        self.launches.step(clk, rst || launch.is_some() || i.up.void.is_some() || begins.is_some(), || launches::In {
            rst,
            launch,
            void: i.up.void,
            take: begins.is_some(),
        });
        let timed = offered.map(|(beat, tag, bad)| launch::Timed {
            beat,
            tag: tag & INSIDE | departures::OF_CORE | if bad { BAD } else { 0 },
            launch: launches.head.flatten(),
        });
        let now = core.time.steady;
        self.gate.step(clk, rst || timed.is_some(), || launch::In { rst, beat: timed, now, ready: core.data_ready });
        let push = begins.map(|(_, tag, _)| tag >> 14);
        self.besides.step(clk, rst || push.is_some(), || fifo::In { rst, push, ready: ends });

        // Out of the queues, as the core takes them.
        self.mark.step(clk, rst || i.queue.is_some(), || mark::In { rst, beat: i.queue, port: c.udp_port, base: 0, ready: i.queue_ready });
        let passes = mark.beat.filter(|_| i.queue_ready);
        self.exit.step(clk, rst || passes.is_some() || core.load.is_some(), || exit::In {
            rst,
            beat: passes.map(|(beat, _)| beat),
            launch: Some(0),
            name: passes.map(|(_, beside)| (beside.queue, beside.tag & !departures::OF_CORE)),
            now,
            port: c.udp_port,
            key: c.nonce_key,
            load: core.load,
        });
        // Without a grant the launch is the time at which the frame came out of its queue.
        let sent = exit.sent.map(|s| Sent { launch: exit.completion.map_or(0, |c| c.ts), ..s });
        let told = core.load.is_some() || exit.frame.is_some() || core.release().is_some();
        self.credit.step(clk, rst || told, || credit::In {
            rst,
            load: core.load,
            frame: exit.frame,
            sent: exit.sent,
            release: core.release(),
        });

        // From the MAC, and its completions.
        self.arrivals.step(clk, rst || i.rx.is_some(), || arrivals::In { rst, beat: i.rx });
        self.departures.step(clk, rst || i.completion.is_some(), || departures::In {
            rst,
            told: false,
            completion: i.completion,
            ready: i.completion_ready,
        });

        // The host's memory.
        let memory = core.memory();
        let w = &i.write;
        let moves = w.status.is_some() || w.ask != [None; 2] || w.descriptor_ready;
        self.host_write.step(clk, rst || memory.aw.is_some() || memory.w.is_some() || moves, || host_write::In {
            rst,
            address: memory.aw,
            beat: memory.w.map(|(bytes, _)| bytes),
            ..*w
        });
        let r = &i.read;
        let moves = r.status.is_some() || r.halves.iter().any(Option::is_some) || r.descriptor_ready;
        self.host_read.step(clk, rst || memory.ar.is_some() || moves, || host_read::In {
            rst,
            address: memory.ar,
            beat_ready: memory.r_ready,
            ..*r
        });

        // The scheduler, by registers and by streams.
        let carried = self.carried(i, &core, &credit);
        let levels = (carried.stop, carried.pause, i.streams, i.base);
        let changed = std::mem::replace(&mut self.levels, levels) != levels;
        let said = carried.rate.is_some() || carried.release.is_some() || carried.load.is_some() || carried.profile.is_some();
        let answered = i.window.aw_ready || i.window.w_ready || i.window.ar_ready || i.window.b.is_some() || i.window.r.is_some();
        let below = Down {
            stop: core.csr.stop,
            pause: carried.pause,
            rate: carried.rate,
            release: carried.release,
            load: core.load.map(|l| (l.flow, load_word(&l.record))),
            profile: core.profile,
            later: core.time.later,
        };
        self.courier.step(clk, rst || changed || said || answered, || courier::In { rst, ..carried });
        self.below = below;

        // The core.
        self.present.push_back(i.ptp.map_or(0, |t| TimeOfDay(t.0 + (u128::from(self.age) << 16)).linear()));
        let present = self.present.pop_front();
        let bit = |happens: bool, counter: Counter| u64::from(happens) << counter as u32;
        let (idle, limited, swept, scheduler) = if i.streams {
            (i.up.idle, i.up.limited, i.up.swept, i.up.pulses & u64::from(u32::MAX))
        } else {
            (courier.idle, courier.limited, courier.swept, courier.pulses | bit(courier.failed, Counter::CsrErrors))
        };
        let pulses = scheduler
            | bit(gate.missed, Counter::LaunchesMissed)
            | bit(exit.sent.is_some(), Counter::TxFrames)
            | bit(core.csr.doorbell.is_some(), Counter::DoorbellsRefused);
        let (rx, rx_ts, rx_bad) = arrivals.beat.map_or((None, 0, false), |(beat, ts, bad)| (Some(beat), ts, bad));
        let pins = Pins {
            aw: i.aw,
            w: i.w,
            b_ready: i.b_ready,
            ar: i.ar,
            r_ready: i.r_ready,
            rx,
            rx_ts,
            rx_bad,
            tx_ready: i.tx_ready && beside,
            completion: departures.departure,
            pause: i.pause,
            ptp: present.filter(|_| i.ptp.is_some()),
            memory: dma::Slave {
                aw_ready: host_write.address_ready && memory.aw.is_some(),
                w_ready: host_write.beat_ready && memory.w.is_some(),
                b: host_write.response.map(|failed| if failed { dma::SLVERR } else { dma::OKAY }),
                ar_ready: host_read.address_ready && memory.ar.is_some(),
                r: host_read.beat.map(|(data, failed, last)| dma::ReadBeat {
                    data,
                    response: if failed { dma::SLVERR } else { dma::OKAY },
                    last,
                }),
            },
        };
        let source = Source {
            data: gate.beat,
            sent,
            host_doorbell_ready: true,
            pulses,
            swept: swept && exit.swept && credit.swept,
            idle,
            limited,
            ..Source::default()
        };
        self.core.step(clk, rst, &core, &pins, &source);
        self.shown = Some(core);
        if rst {
            self.midway = false;
        }
    }

    /// A beat that stands at the MAC and is not taken asks for no clock by itself. What is on its
    /// way to the scheduler does.
    fn wake(&self, clk: u64) -> u64 {
        let b = &self.below;
        let carries = b.rate.is_some() || b.release.is_some() || b.load.is_some() || b.profile.is_some();
        let (stop, pause, ..) = self.levels;
        if self.reset || carries || (stop, pause) != self.core.held(clk) {
            return clk;
        }
        let parts = [
            self.mark.due,
            self.exit.due,
            self.credit.due,
            self.arrivals.due,
            self.departures.due,
            self.host_write.due,
            self.host_read.due,
            self.launches.due,
            self.gate.due,
            self.courier.due,
            self.besides.due,
        ];
        parts.into_iter().min().unwrap_or(u64::MAX).min(self.core.wake(clk)).max(clk)
    }
}
