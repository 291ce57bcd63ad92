//! Networks and hosts that the tests of the network share.
#![allow(dead_code)]
use std::path::Path;
use std::sync::{Arc, Mutex};
use timely_sim::cores::{self, CoreFactory, CoreSpec, Prepared};
use timely_sim::frame::{Class, Frame, Meta, NodeId};
use timely_sim::metrics::{FlowInfo, Recorder, Windows};
use timely_sim::network::Network;
use timely_sim::nic::{Arrival, Departure, Nic, Outbox};
use timely_sim::run::{Finished, Simulation};
use timely_sim::scenario::{build, file};
use timely_sim::switch::{Config, Pfc};
use timely_sim::time::{MS, NEVER, NS, Ps, Speed, US};
use timely_sim::topology::{Link, Topology};

/// Methods of a [`timely_sim::nic::core::Core`] around another in a field `core`: all that a test
/// passes on as it is, but outputs, steps and wake-ups.
#[allow(unused_macros)]
macro_rules! core_within {
    () => {
        fn bus_bytes(&self) -> usize {
            self.core.bus_bytes()
        }
        fn clk(&self) -> u64 {
            self.core.clk()
        }
        fn now(&self) -> u64 {
            self.core.now()
        }
        fn skip_to(&mut self, clk: u64) {
            self.core.skip_to(clk);
        }
        fn write32(&mut self, addr: u32, value: u32) -> Result<(), timely_sim::nic::core::AccessError> {
            self.core.write32(addr, value)
        }
        fn read32(&mut self, addr: u32) -> Result<u32, timely_sim::nic::core::AccessError> {
            self.core.read32(addr)
        }
        fn reset(&mut self, clocks: u64) {
            self.core.reset(clocks);
        }
        fn post_write(&mut self, addr: u32, value: u32) {
            self.core.post_write(addr, value);
        }
        fn post_read(&mut self, addr: u32) {
            self.core.post_read(addr);
        }
        fn answer(&mut self) -> Option<Result<u32, timely_sim::nic::core::AccessError>> {
            self.core.answer()
        }
        fn attach(&mut self, seed: u64, behaviour: &timely_sim::nic::memory::Behaviour) {
            self.core.attach(seed, behaviour);
        }
        fn memory(&mut self) -> Option<&mut timely_sim::nic::memory::Memory> {
            self.core.memory()
        }
        fn drain(&mut self, events: &mut Vec<timely_sim::nic::core::CoreEvent>) {
            self.core.drain(events);
        }
    };
}
#[allow(unused_imports)]
pub(crate) use core_within;

/// Long tests are to be run: `cargo xtask soak`. The same as `timely_tests::thorough`, which this
/// crate does not depend on.
pub fn thorough() -> bool {
    std::env::var("TIMELY_CYCLES").is_ok_and(|c| c.parse().is_ok_and(|c: u64| c > 200_000))
}

pub const DELAY: Ps = 1_000 * NS;
pub const LATENCY: Ps = 300 * NS;
pub const TEN: u64 = 10_000_000_000;

/// Frames that arrived at a host, in order.
pub type Inbox = Arc<Mutex<Vec<(Frame, Ps, Ps)>>>;

/// A host that sends given frames at given times, obeys pauses, and keeps what it gets.
pub struct Script {
    speed: Speed,
    send: std::collections::VecDeque<(Ps, Frame)>,
    free: Ps,
    now: Ps,
    paused: u8,
    pauses: std::collections::VecDeque<(Ps, u8)>,
    inbox: Inbox,
}

impl Script {
    pub fn nic(speed: Speed, send: Vec<(Ps, Frame)>) -> (Box<dyn Nic>, Inbox) {
        let inbox = Inbox::default();
        let (pauses, copy) = (Default::default(), inbox.clone());
        (Box::new(Script { speed, send: send.into(), free: 0, now: 0, paused: 0, pauses, inbox }), copy)
    }
}

impl Nic for Script {
    fn receive(&mut self, a: Arrival) {
        self.inbox.lock().unwrap().push((a.frame, a.start, a.end));
    }
    fn pause(&mut self, at: Ps, classes: u8) {
        self.pauses.push_back((at, classes));
    }
    fn next(&self) -> Ps {
        let allowed = |f: &Frame| self.paused & (1 << f.class as u8) == 0;
        let send = self.send.front().filter(|s| allowed(&s.1)).map_or(NEVER, |s| s.0.max(self.free).max(self.now));
        send.min(self.pauses.front().map_or(NEVER, |p| p.0))
    }
    fn advance(&mut self, until: Ps, out: &mut Outbox) {
        while self.next() < until {
            self.now = self.next();
            if self.pauses.front().is_some_and(|p| p.0 <= self.now) {
                self.paused = self.pauses.pop_front().unwrap().1;
                continue;
            }
            let (_, frame) = self.send.pop_front().unwrap();
            let start = self.now;
            self.free = start + self.speed.frame_time(frame.bytes);
            out.departures.push(Departure { frame, start, end: self.free });
        }
    }
}

pub fn data(src: NodeId, dst: NodeId, segment: u32, bytes: u32) -> Frame {
    let meta = Meta { segment, packet: 0, last: false, lost: 0, ack: false, payload: bytes - 90, place: None, marked: false };
    Frame { src, dst, flow: 0, class: Class::Data, bytes, bad: false, meta, body: None }
}

pub fn ack(src: NodeId, dst: NodeId, segment: u32) -> Frame {
    let meta = Meta { segment, packet: 0, last: true, lost: 0, ack: true, payload: 0, place: None, marked: false };
    Frame { src, dst, flow: 0, class: Class::Ack, bytes: 90, bad: false, meta, body: None }
}

/// Hosts `0..hosts` around one switch.
pub fn star(hosts: u16, speed: Speed, loss: f64) -> Topology {
    let links = (0..hosts).map(|h| Link { a: h, b: hosts, speed, delay: DELAY, loss, damage: 0.0 }).collect();
    let switch = (0..=hosts).map(|n| n == hosts).collect();
    Topology::new(switch, links).unwrap()
}

pub fn config(pfc: Option<Pfc>, buffer: Option<u64>) -> Config {
    Config { latency: LATENCY, pfc: [None, pfc, pfc], buffer, ack_priority: true }
}

pub fn windows(end: Ps) -> Windows {
    Windows { from: 0, steady: 0, end, bin: 100 * US }
}

/// Runs these hosts around one switch, watching the port of the last host.
pub fn run(topology: Topology, config: Config, nics: Vec<Box<dyn Nic>>, flows: Vec<FlowInfo>, end: Ps, threads: usize) -> Finished {
    let last = nics.len() as u16 - 1;
    let recorder = Recorder::new(windows(end), topology.nodes(), flows);
    let mut network = Network::new(topology, config, 7, recorder);
    network.watch(last + 1, last);
    Simulation::new(network, nics, threads).run(end, |_| {})
}

pub const END: Ps = 20 * MS;

/// Factory that keeps the specification of host 0's NIC. Hosts are built in parallel, in no order:
/// the others get NICs, because the first error would end the building.
#[derive(Default)]
struct Taken(Mutex<Option<CoreSpec>>);

impl CoreFactory for Taken {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        if spec.host != 0 {
            return cores::known().build(spec);
        }
        *self.0.lock().expect("no test panics with it") = Some(spec.clone());
        Err("it was taken".into())
    }
}

/// Specification that the NIC of a scenario's host 0 is built from; nothing runs.
pub fn specification(text: &str) -> CoreSpec {
    let taken = Taken::default();
    let plan = file::parse(Path::new("specification.toml"), text).expect("a plan");
    assert!(build::run(plan, &taken, |_| {}).is_err(), "host 0 has no bit-true NIC");
    taken.0.into_inner().expect("no test panics with it").expect("a NIC of host 0")
}
