//! One pacer under one load: really sent, really received, and what it took.
use super::clock::{cpu_seconds, interrupt_seconds, now};
use super::kernel::Given;
use super::load::Load;
use super::pacer::Pacer;
use super::receiver::{Receiver, since};
use super::row::Place;
use super::row::Row;
use super::sender::Outlet;
use super::site::Site;
use super::stats::{Departure, Quantiles, judge};
use super::tcp::{Sink, Streams};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// From the start of a measurement to the first packet that may be due, ns.
const AHEAD: u64 = 5_000_000;
/// Packets by which the stamps are judged.
const STAMPS: usize = 2000;
/// Most packets that are sent before the first stamp comes: 4 s of them.
const UNSTAMPED: usize = 200_000;
/// Time between two of them, ns.
const APART: u64 = 20_000;

/// A hash of every arrival: flow, place in the flow, and the stamp, in the order in which they were
/// taken (FNV-1a, 64 bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The hash.
    pub hash: u64,
    /// Arrivals in it.
    pub packets: u64,
}

impl Default for Arrivals {
    fn default() -> Self {
        Arrivals { hash: 0xcbf2_9ce4_8422_2325, packets: 0 }
    }
}

impl Arrivals {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds the arrivals of a load that started at `epoch`.
    pub fn add(&mut self, epoch: u64, left: &[Departure]) {
        for d in left {
            self.word(u64::from(d.flow));
            self.word(d.k);
            self.word(epoch.wrapping_add_signed(d.at as i64));
        }
        self.packets += left.len() as u64;
    }
}

/// Measurements at a site, one after the other.
pub struct Session<'a> {
    /// Where packets go.
    pub site: &'a Site,
    /// Loads run at 1/scale of their rate for scale times as long, and all times are divided by it:
    /// figures of a machine so many times as fast.
    pub scale: f64,
    /// Statistics of the stamps of packets that have arrived so far.
    pub arrivals: Arrivals,
    // The number of the last run.
    run: u32,
}

impl<'a> Session<'a> {
    /// At a site.
    pub fn new(site: &'a Site, scale: f64) -> Self {
        Session { site, scale, arrivals: Arrivals::default(), run: 1 }
    }
}

// Packets sent and arrived, start of the load's clock, and CPU seconds of the sending thread.
struct Done {
    given: Given,
    left: Vec<Departure>,
    epoch: u64,
    cpu: f64,
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu_seconds();
    let done = what();
    (done, cpu_seconds() - before)
}

fn datagrams(site: &Site, pacer: Pacer, load: Load, run: u32, scale: f64) -> Result<Done, String> {
    let address = site.address;
    let receiver = site.receiver.run(move || Receiver::new(address))?;
    let (to, over) = (receiver.address, Arc::new(AtomicBool::new(false)));
    // Ten thousand sockets take longer than the load's clock waits for its first packet.
    let device = site.device.clone();
    let opened = site.sender.run(move || pacer.open(&load, to, run, device.as_deref()))?;
    let (epoch, told) = (now() + AHEAD, over.clone());
    let received = site.receiver.start(move || receiver.collect(run, epoch, &told));
    let (given, cpu) = site.sender.run(move || timed(|| pacer.send(opened, &load, (run, epoch), scale)));
    over.store(true, Ordering::Release);
    let left = received.recv().map_err(|e| e.to_string())??;
    Ok(Done { given: given?, left, epoch, cpu })
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
    // Segments that waited in the sockets at the end are no part of the load.
    let end = load.seconds * 1e9;
    Ok(Done { given: given?, left: left.into_iter().filter(|d| d.at < end).collect(), epoch, cpu })
}

/// Why a row has nothing in it: nothing was sent, or nothing of it arrived. `dropped` is what the
/// queueing discipline says of that.
fn missing(given: &Given, received: u64, dropped: impl FnOnce() -> Option<String>) -> Option<String> {
    if given.sent == 0 {
        let why = given.why.clone().unwrap_or_else(|| "no socket could be written to before the load was over".into());
        return Some(format!("nothing was sent: {why}"));
    }
    if received > 0 {
        return None;
    }
    let why = dropped().unwrap_or_else(|| "the kernel tells no reason".into());
    Some(format!("{} packets were sent and none arrived: {why}", given.sent))
}

/// Measures a pacer under a load.
pub fn row(session: &mut Session, pacer: &Pacer, load: &Load) -> Row {
    session.run += 1;
    let (site, scale, run) = (session.site, session.scale, session.run);
    let mut row = Row::new(pacer.name(), pacer.place(), load);
    row.note = pacer.what().into();
    let slow = Load { mbps: load.mbps / scale, seconds: load.seconds * scale, ..*load };
    let interrupts = interrupt_seconds();
    let done = if pacer.is_tcp() { connections(site, slow) } else { datagrams(site, *pacer, slow, run, scale) };
    let interrupts = interrupt_seconds() - interrupts;
    match done {
        Err(why) => row.refused = Some(why),
        Ok(mut done) => {
            session.arrivals.add(done.epoch, &done.left);
            done.left.iter_mut().for_each(|d| d.at /= scale);
            // A thread that paces has a schedule; where the kernel does, a flow's first packet
            // starts it.
            let starts = pacer.has_schedule().then(|| load.starts());
            row.on_schedule = starts.is_some();
            let received = done.left.len() as u64;
            // The kernel's work at a timer is done on no thread of ours.
            let cpu = done.cpu + if pacer.place() == Place::Kernel { interrupts } else { 0.0 };
            row.fill(judge(load, starts.as_deref(), done.left), (done.given.sent, received), cpu / scale);
            row.refused = missing(&done.given, received, || site.queueing());
            if let Some(why) = done.given.why.filter(|_| done.given.refused > 0 && *pacer != Pacer::Unpaced) {
                row.note += &format!("; {} bursts were not taken by the kernel: {why}", done.given.refused);
            }
        }
    }
    row
}

/// How well arrivals are stamped: packets that are sent one by one, with a look at the clock before
/// and after each.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
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
/// The kernel refuses a socket or its stamps, or no packet arrives.
pub fn stamping(session: &mut Session) -> Result<Stamping, String> {
    let site = session.site;
    let address = site.address;
    let load = Load { flows: 1, mbps: 1.0, burst: 1, seconds: 0.0 };
    let receiver = site.receiver.run(move || Receiver::new(address))?;
    let (to, over) = (receiver.address, Arc::new(AtomicBool::new(false)));
    let (epoch, told, stamped) = (now(), over.clone(), receiver.stamped.clone());
    let received = site.receiver.start(move || receiver.collect(0, epoch, &told));
    let (calls, first) = site.sender.run(move || {
        let mut out = Outlet::new(to, 0, &load)?;
        let mut calls = Vec::new();
        // The first packets wait for addresses to be resolved, and for stamps.
        let mut first = None;
        while calls.len() < first.unwrap_or(UNSTAMPED) + STAMPS {
            if first.is_none() && stamped.load(Ordering::Acquire) {
                first = Some(calls.len());
            }
            out.burst(0, calls.len() as u64);
            let before = now();
            out.push();
            calls.push((since(epoch, before), since(epoch, now())));
            while now() < before + APART {
                std::hint::spin_loop();
            }
        }
        Ok::<_, String>((calls, first.unwrap_or(0)))
    })?;
    over.store(true, Ordering::Release);
    let left = received.recv().map_err(|e| e.to_string())??;
    session.arrivals.add(epoch, &left);
    let counted = || left.iter().filter(|d| d.k as usize >= first);
    let mut delay: Vec<f64> = counted().map(|d| d.at - calls[d.k as usize].0).collect();
    let mut call: Vec<f64> = calls.iter().skip(first).map(|c| c.1 - c.0).collect();
    let none = || format!("no packet arrived at {to}: is the way there open? Look at addresses and firewalls of {}", site.title);
    Ok(Stamping {
        received: delay.len() as u64,
        sent: call.len() as u64,
        delay_ns: Quantiles::of(&mut delay).ok_or_else(none)?,
        call_ns: Quantiles::of(&mut call).ok_or_else(none)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::sender;
    use std::net::SocketAddr;

    #[test]
    fn a_row_without_packets_says_why() {
        let to = SocketAddr::from(([127, 0, 0, 1], 9));
        // More than a datagram holds.
        let load = Load { flows: 1, mbps: 1e6, burst: 50, seconds: 3600.0 };
        let mut out = Outlet::new(to, 1, &load).expect("a socket");
        out.burst(0, 0);
        out.push();
        let given = Given { sent: out.sent, refused: out.refused, why: out.why };
        let said = missing(&given, 0, || None).expect("a reason");
        assert!(said.contains("nothing was sent: Message too long"), "{said}");
        // The load was over before it began.
        let over = Given::default();
        assert!(missing(&over, 0, || None).expect("a reason").contains("before the load was over"));
        let lost = Given { sent: 5, ..Given::default() };
        assert!(
            missing(&lost, 0, || Some("dropped 5".into())).expect("a reason").ends_with("5 packets were sent and none arrived: dropped 5")
        );
        assert_eq!(missing(&lost, 5, || None), None);
        // Bursts that are not sent in time are not sent.
        let mut out = Outlet::new(to, 1, &Load { burst: 1, ..load }).expect("a socket");
        sender::sleeping(&Load { burst: 1, seconds: 0.0, ..load }, 0, &mut out);
        assert_eq!((out.sent, out.refused), (0, 0));
    }

    #[test]
    fn one_stamp_changes_the_hash() {
        let of = |at: f64, k: u64| {
            let mut a = Arrivals::default();
            a.add(1_767_225_600_000_000_000, &[Departure { flow: 3, k, at }]);
            a
        };
        assert_eq!(of(5.0, 1), of(5.0, 1));
        assert!(of(5.0, 1).hash != of(6.0, 1).hash && of(5.0, 1).hash != of(5.0, 2).hash);
        assert_eq!(of(5.0, 1).packets, 1);
    }
}
