//! One pacer under one load: really sent, really received, and what it took.
use super::clock::{cpu_seconds, interrupt_seconds, now};
use super::kernel::{self, Given, Sink, Streams};
use super::load::Load;
use super::receiver::Receiver;
use super::row::{Place, Row};
use super::sender::{self, Outlet};
use super::site::Site;
use super::stats::{Departure, Quantiles, judge};
use serde::Serialize;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// From the start of a measurement to the first packet that may be due, ns.
const AHEAD: u64 = 5_000_000;
/// Packets by which the stamps are judged.
const STAMPS: usize = 2000;
/// Time between two of them, ns.
const APART: u64 = 20_000;

/// A software pacer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacer {
    /// None: as fast as the kernel takes it.
    Unpaced,
    /// A thread that sleeps.
    Sleep,
    /// A thread that polls a timing wheel with slots of so many ns.
    Wheel(f64),
    /// The queueing discipline `fq`, told the rate by `SO_MAX_PACING_RATE`.
    Fq,
    /// The queueing discipline `etf`, told the times by `SO_TXTIME`.
    Etf,
    /// TCP's own pacing, told the rate by `SO_MAX_PACING_RATE`, which takes no queueing discipline.
    Tcp,
}

impl Pacer {
    /// All that pace.
    pub const ALL: [Pacer; 6] = [Pacer::Sleep, Pacer::Wheel(500.0), Pacer::Wheel(2000.0), Pacer::Fq, Pacer::Etf, Pacer::Tcp];

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Pacer::Unpaced => "unpaced",
            Pacer::Sleep => "sleep",
            Pacer::Wheel(ns) if *ns < 1000.0 => "wheel-0.5us",
            Pacer::Wheel(_) => "wheel-2us",
            Pacer::Fq => "fq",
            Pacer::Etf => "etf",
            Pacer::Tcp => "tcp",
        }
    }

    /// Where it runs.
    pub fn place(&self) -> Place {
        match self {
            Pacer::Fq | Pacer::Etf | Pacer::Tcp => Place::Kernel,
            _ => Place::User,
        }
    }

    /// What it is, for people.
    pub fn what(&self) -> &'static str {
        match self {
            Pacer::Unpaced => "as fast as the kernel takes it",
            Pacer::Sleep => "a thread in clock_nanosleep until the next burst is due",
            Pacer::Wheel(ns) if *ns < 1000.0 => "a thread that polls a timing wheel, slots of 0.5 us",
            Pacer::Wheel(_) => "a thread that polls a timing wheel, slots of 2 us",
            Pacer::Fq => "queueing discipline fq, SO_MAX_PACING_RATE, a socket a flow",
            Pacer::Etf => "queueing discipline etf, SO_TXTIME, handed over 1 ms ahead by a thread that sleeps",
            Pacer::Tcp => "TCP's own pacing, SO_MAX_PACING_RATE, a connection a flow; bursts as the kernel chooses, up to this",
        }
    }

    /// Asks the kernel for what it needs.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn prepare(&self, site: &Site) -> Result<(), String> {
        match self {
            Pacer::Fq => site.discipline("fq"),
            Pacer::Etf => site.discipline(kernel::ETF),
            Pacer::Tcp => {
                let address = site.address;
                site.receiver.run(move || Sink::new(address).map(drop))
            }
            _ => Ok(()),
        }
    }

    /// Gives back what [`Pacer::prepare`] took.
    pub fn leave(&self, site: &Site) {
        if matches!(self, Pacer::Fq | Pacer::Etf) {
            site.plain();
        }
        if *self == Pacer::Tcp {
            site.segments(0);
        }
    }

    // Sends from the thread it is called on.
    fn send(&self, load: &Load, to: SocketAddr, run: u32, epoch: u64) -> Result<Given, String> {
        let own = |pace: &dyn Fn(&mut Outlet)| {
            let mut out = Outlet::new(to, run, load)?;
            pace(&mut out);
            Ok(Given { sent: out.sent, refused: out.refused })
        };
        match self {
            Pacer::Sleep => own(&|out| sender::sleeping(load, epoch, out)),
            Pacer::Wheel(slot) => own(&|out| sender::polling(load, epoch, *slot, out)),
            Pacer::Unpaced => kernel::datagrams(load, to, run, epoch, false),
            Pacer::Fq => kernel::datagrams(load, to, run, epoch, true),
            Pacer::Etf => kernel::timed(load, to, run, epoch),
            Pacer::Tcp => Err("TCP has no datagrams".into()),
        }
    }
}

// What was sent, what arrived, and CPU seconds of the sending thread.
struct Done {
    given: Given,
    left: Vec<Departure>,
    cpu: f64,
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu_seconds();
    let done = what();
    (done, cpu_seconds() - before)
}

fn datagrams(site: &Site, pacer: Pacer, load: Load, run: u32) -> Result<Done, String> {
    let address = site.address;
    let receiver = site.receiver.run(move || Receiver::new(address))?;
    let (to, over) = (receiver.address, Arc::new(AtomicBool::new(false)));
    let (epoch, told) = (now() + AHEAD, over.clone());
    let received = site.receiver.start(move || receiver.collect(run, epoch, &told));
    let (given, cpu) = site.sender.run(move || timed(|| pacer.send(&load, to, run, epoch)));
    over.store(true, Ordering::Release);
    let left = received.recv().map_err(|e| e.to_string())??;
    Ok(Done { given: given?, left, cpu })
}

fn connections(site: &Site, load: Load) -> Result<Done, String> {
    let address = site.address;
    // The kernel chooses how much it sends at a time, up to this.
    site.segments(load.burst);
    let sink = Arc::new(site.receiver.run(move || Sink::new(address))?);
    let (to, over) = (sink.address, Arc::new(AtomicBool::new(false)));
    let (taker, told) = (sink.clone(), over.clone());
    let drained = site.receiver.start(move || taker.drain(&told));
    let streams = match site.sender.run(move || Streams::connect(&load, to)) {
        Ok(streams) => Arc::new(streams),
        Err(e) => {
            over.store(true, Ordering::Release);
            // If the other end had to stop, that is why.
            return Err(drained.recv().map_err(|e| e.to_string())?.err().unwrap_or(e));
        }
    };
    let epoch = now() + AHEAD;
    let (watcher, ports, told) = (sink.clone(), streams.ports.clone(), over.clone());
    let watched = std::thread::spawn(move || watcher.watch(&ports, epoch, &told));
    let writer = streams.clone();
    let (given, cpu) = site.sender.run(move || timed(|| writer.run(&load, epoch)));
    over.store(true, Ordering::Release);
    drained.recv().map_err(|e| e.to_string())??;
    let left = watched.join().map_err(|_| "the packet socket's thread panicked")??;
    // What waited in the sockets at the end is none of the load.
    let end = load.seconds * 1e9;
    Ok(Done { given: given?, left: left.into_iter().filter(|d| d.at < end).collect(), cpu })
}

/// Measures a pacer under a load; `run` is the number of the last run.
pub fn row(site: &Site, pacer: &Pacer, load: &Load, run: &mut u32) -> Row {
    *run += 1;
    let mut row = Row::new(pacer.name(), pacer.place(), load);
    row.note = pacer.what().into();
    let interrupts = interrupt_seconds();
    let done = if *pacer == Pacer::Tcp { connections(site, *load) } else { datagrams(site, *pacer, *load, *run) };
    let interrupts = interrupt_seconds() - interrupts;
    match done {
        Err(why) => row.refused = Some(why),
        Ok(done) => {
            // A thread that paces has a schedule; where the kernel does, a flow's first packet starts it.
            let starts = matches!(pacer, Pacer::Sleep | Pacer::Wheel(_) | Pacer::Etf).then(|| load.starts());
            row.on_schedule = starts.is_some();
            let received = done.left.len() as u64;
            // What the kernel does at a timer is done on no thread of ours.
            let cpu = done.cpu + if pacer.place() == Place::Kernel { interrupts } else { 0.0 };
            row.fill(judge(load, starts.as_deref(), done.left), (done.given.sent, received), cpu);
            if done.given.refused > 0 && *pacer != Pacer::Unpaced {
                row.note += &format!("; {} bursts were not taken by the kernel", done.given.refused);
            }
        }
    }
    row
}

/// How well arrivals are stamped: packets that are sent one by one, with a look at the clock before and after each.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Stamping {
    /// From the call that sends a packet to its stamp: what every figure of software has in it.
    pub delay_ns: Quantiles,
    /// From the look before to the look after, between which the packet left.
    pub call_ns: Quantiles,
    /// Packets sent.
    pub sent: u64,
    /// Packets stamped.
    pub received: u64,
}

/// Judges the stamps.
///
/// # Errors
/// What the kernel refuses.
pub fn stamping(site: &Site) -> Result<Stamping, String> {
    let address = site.address;
    let load = Load { flows: 1, mbps: 1.0, burst: 1, seconds: 0.0 };
    let receiver = site.receiver.run(move || Receiver::new(address))?;
    let (to, over) = (receiver.address, Arc::new(AtomicBool::new(false)));
    let (epoch, told) = (now(), over.clone());
    let received = site.receiver.start(move || receiver.collect(0, epoch, &told));
    let calls = site.sender.run(move || {
        let mut out = Outlet::new(to, 0, &load)?;
        let mut calls = Vec::new();
        for j in 0..(STAMPS as u64) * 5 / 4 {
            out.burst(0, j);
            let before = now();
            out.push();
            calls.push((before as f64 - epoch as f64, now() as f64 - epoch as f64));
            while now() < before + APART {
                std::hint::spin_loop();
            }
        }
        Ok::<_, String>(calls)
    })?;
    over.store(true, Ordering::Release);
    let left = received.recv().map_err(|e| e.to_string())??;
    // The first wait for addresses to be resolved, and for stamps to be switched on.
    let counted = || left.iter().filter(|d| d.k as usize >= STAMPS / 4);
    let mut delay: Vec<f64> = counted().map(|d| d.at - calls[d.k as usize].0).collect();
    let mut call: Vec<f64> = calls.iter().skip(STAMPS / 4).map(|c| c.1 - c.0).collect();
    let none = || format!("no packet arrived at {to}: is the way there open? Look at addresses and firewalls of {}", site.title);
    Ok(Stamping {
        received: delay.len() as u64,
        sent: call.len() as u64,
        delay_ns: Quantiles::of(&mut delay).ok_or_else(none)?,
        call_ns: Quantiles::of(&mut call).ok_or_else(none)?,
    })
}
