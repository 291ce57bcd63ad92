//! Corundum's form as a [`Core`]: the application block and the transmit scheduler, as their
//! integer model, among a transmit engine and a host with queues of descriptors.
//!
//! Not modelled: Corundum's PTP clock (the NIC's own time is that of the stamps), DMA for event
//! records, snapshots and loads, which is that of a tree with `APP_DMA_ENABLE` 0, and what Linux
//! does above the queues.
mod engine;
mod host;

use super::axil::{Master, Response};
use super::core::{AccessError, Core, CoreEvent, CoreIn, Pins, TxBeat};
use crate::nic::spec::CoreSpec;
use engine::Engine;
use host::Host;
use timely_model::Block;
use timely_model::app_block::nic::{In, Nic};
use timely_model::app_block::{TimeOfDay, app, arrivals};
use timely_model::bus::KIND_RTT;
use timely_model::stream::Beat;
use timely_regs::map::{Build, window};

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u64 = 20_000;
/// ns of a second.
const SECOND: u64 = 1_000_000_000;

/// A linear time, ns48.fns16, as the MAC has it.
fn time_of_day(linear: u64) -> TimeOfDay {
    let ns = linear >> 16;
    TimeOfDay::new(ns / SECOND, (ns % SECOND) as u32, linear as u16)
}

/// A Corundum NIC and its host.
pub struct Corundum {
    nic: Nic,
    clk: u64,
    bus_bytes: usize,
    master: Master,
    engine: Engine,
    host: Host,
    /// The host's queues are open.
    opened: bool,
    events: Vec<CoreEvent>,
}

impl Corundum {
    /// A NIC that has just left reset, and the host that `spec` describes.
    pub fn new(build: Build, spec: &CoreSpec) -> Self {
        let width = build.bus_bits as usize;
        let clocks = |ns: u32| u64::from(ns) * 1000 / u64::from(build.clock_ps);
        let dma = clocks(*spec.dma_ns.start())..=clocks(*spec.dma_ns.end());
        Corundum {
            nic: Nic::new(build, spec.streams),
            clk: 0,
            bus_bytes: width / 8,
            master: Master::default(),
            engine: Engine::new(width, dma, spec.seed),
            host: Host::new(spec),
            opened: false,
            events: Vec::new(),
        }
    }

    /// One more queue that is no flow, before the NIC is configured: `packets` frames of so many
    /// bytes, to `to`, are always posted.
    pub fn always(&mut self, to: crate::frame::NodeId, bytes: usize, packets: usize) {
        self.host.always(to, bytes, packets);
    }

    fn finish(&mut self, addr: u32) -> Result<u32, AccessError> {
        for _ in 0..ACCESS_CLOCKS {
            self.step(&CoreIn::default());
            if self.master.is_idle() {
                return self.master.take_result().unwrap_or(Err(AccessError { addr, what: "no answer" }));
            }
        }
        Err(AccessError { addr, what: "no answer in time" })
    }

    fn record(&mut self, out: &app::Out) {
        let clk = self.clk;
        if let Some(s) = out.sample {
            self.events.push(if s.kind == KIND_RTT {
                CoreEvent::Rtt { clk, flow: s.flow, ns: s.rtt_ns }
            } else {
                CoreEvent::Timeout { clk, flow: s.flow }
            });
        }
        if let Some(r) = out.rate {
            self.events.push(CoreEvent::Rate { clk, flow: r.flow, rate: r.value });
        }
        if let Some(words) = out.record {
            self.events.push(CoreEvent::Record { clk, words });
        }
    }
}

impl Core for Corundum {
    fn bus_bytes(&self) -> usize {
        self.bus_bytes
    }

    fn clk(&self) -> u64 {
        self.clk
    }

    fn output(&self) -> Pins {
        let tx = self.nic.tx(self.clk);
        Pins { tx: tx.map(|(b, tag, _)| TxBeat { data: b.data, bytes: b.bytes, last: b.last, tag }) }
    }

    fn step(&mut self, input: &CoreIn) {
        let clk = self.clk;
        let out = self.nic.output(clk);
        self.record(&out.app);
        // Corundum's driver comes behind the sweep of the scheduler's RAM.
        if !std::mem::replace(&mut self.opened, true) {
            self.nic.open(0..self.host.queues());
            self.host.begin();
        }
        if let Some(c) = input.completion {
            self.engine.completes(c.tag, time_of_day(c.ts));
        }
        // A queue is looked at before its doorbell of this clock counts.
        if let Some((queue, _)) = self.engine.looks(clk, |queue| self.host.first(queue)) {
            let frame = self.host.take(queue);
            self.engine.found(clk, frame);
        }
        let request_ready = self.engine.ready(clk);
        let request = self.master.request();
        let (queue, tx, completion) = (self.engine.out(clk), self.engine.towards(clk), self.engine.completion());
        let queue_ready = self.engine.has_room();
        let app = app::In {
            aw: request.aw,
            w: request.w.map(|w| (w, 0xf)),
            b_ready: request.bready,
            ar: request.ar,
            r_ready: request.rready,
            tx,
            tx_ready: input.tx_ready,
            rx: input.rx.map(|b| (Beat { data: b.data, bytes: b.bytes, last: b.last }, time_of_day(b.ts), b.bad)),
            queue,
            queue_ready,
            completion,
            completion_ready: true,
            pause: input.pause,
            ..app::In::default()
        };
        let (doorbell, status) = (self.host.doorbell(), self.engine.status(clk));
        self.nic.step(clk, &In { app, doorbell, request_ready, status });
        let o = &out.app;
        if !request.is_idle() {
            self.master.step(&Response { awready: o.aw_ready, wready: o.w_ready, b: o.b, arready: o.ar_ready, r: o.r });
        }
        if let Some(request) = out.request.filter(|_| request_ready) {
            self.engine.asked(clk, request);
        }
        if queue.is_some() && o.queue_ready {
            self.engine.out_taken();
        }
        if let Some((beat, beside)) = o.queue.as_ref().filter(|_| queue_ready) {
            self.engine.passed(clk, beat, beside);
        }
        if tx.is_some() && o.tx_ready {
            self.engine.towards_taken();
        }
        if completion.is_some() && o.completion_ready {
            self.engine.completion_taken();
        }
        if let Some((tag, _)) = o.completion
            && let Some(over) = self.engine.completed(clk, tag)
        {
            self.host.left(over.queue, over.bytes);
        }
        self.clk += 1;
    }

    fn now(&self) -> u64 {
        self.nic.now(self.clk)
    }

    fn wake(&self) -> u64 {
        if !self.opened || !self.master.is_idle() || self.host.rings() {
            return self.clk;
        }
        self.nic.wake(self.clk).min(self.engine.wake(self.clk))
    }

    fn skip_to(&mut self, clk: u64) {
        self.clk = clk;
    }

    fn write32(&mut self, addr: u32, value: u32) -> Result<(), AccessError> {
        self.master.write(addr, value);
        self.finish(addr).map(|_| ())
    }

    fn read32(&mut self, addr: u32) -> Result<u32, AccessError> {
        self.master.read(addr);
        self.finish(addr)
    }

    fn reset(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.nic.step(self.clk, &In { app: app::In { rst: true, ..app::In::default() }, ..In::default() });
            self.clk += 1;
        }
        self.master = Master::default();
        self.engine.reset();
        self.host.reset();
        self.opened = false;
    }

    /// A doorbell of a flow is the host's software's.
    fn post_write(&mut self, addr: u32, value: u32) {
        let flow = addr.wrapping_sub(window::doorbell(0)) / (window::doorbell(1) - window::doorbell(0));
        if addr >= window::doorbell(0) && addr == window::doorbell(flow) {
            self.host.post(flow, value);
        } else {
            self.master.write(addr, value);
        }
    }

    fn post_read(&mut self, addr: u32) {
        self.master.read(addr);
    }

    fn answer(&mut self) -> Option<Result<u32, AccessError>> {
        if self.master.is_idle() { self.master.take_result() } else { None }
    }

    fn arrival_clocks(&self) -> u64 {
        arrivals::LATENCY as u64
    }

    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        events.append(&mut self.events);
    }
}
