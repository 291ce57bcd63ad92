//! The integer model of the whole NIC as a [`Core`].
use super::axil::{Master, Response};
use super::core::{AccessError, Core, CoreEvent, CoreIn, Pins, TxBeat};
use super::memory::{Behaviour, Memory};
use timely_model::Block;
use timely_model::bus::{Completion, KIND_RTT};
use timely_model::core::Pins as Inputs;
use timely_model::dma::Slave;
use timely_model::nic::{In, Nic};
use timely_model::stream::Beat;
use timely_regs::map::Build;

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u64 = 20_000;

/// One modelled NIC.
pub struct Model {
    nic: Nic,
    bus_bytes: usize,
    clk: u64,
    master: Master,
    memory: Memory,
    events: Vec<CoreEvent>,
}

impl Model {
    /// A NIC that has just left reset.
    pub fn new(build: Build) -> Self {
        let bus_bytes = build.bus_bits as usize / 8;
        let memory = Memory::new(1, bus_bytes, Behaviour::default());
        Model { nic: Nic::new(build), bus_bytes, clk: 0, master: Master::default(), memory, events: Vec::new() }
    }

    /// The NIC with all flows' segments counted from `segment` on, to test numbers that run over.
    pub fn counting_from(self, segment: u32) -> Self {
        Model { nic: self.nic.counting_from(segment), ..self }
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
}

impl Core for Model {
    fn bus_bytes(&self) -> usize {
        self.bus_bytes
    }

    fn clk(&self) -> u64 {
        self.clk
    }

    fn output(&self) -> Pins {
        let beat = self.nic.tx(self.clk);
        Pins { tx: beat.map(|(b, tag)| TxBeat { data: b.data, bytes: b.bytes, last: b.last, tag }) }
    }

    fn step(&mut self, input: &CoreIn) {
        let clk = self.clk;
        let out = self.nic.output(clk);
        if let Some(s) = out.sample {
            let event = if s.kind == KIND_RTT {
                CoreEvent::Rtt { clk, flow: s.flow, ns: s.rtt_ns }
            } else {
                CoreEvent::Timeout { clk, flow: s.flow }
            };
            self.events.push(event);
        }
        if let Some(r) = out.rate {
            self.events.push(CoreEvent::Rate { clk, flow: r.flow, rate: r.value });
        }
        if let Some(words) = out.record {
            self.events.push(CoreEvent::Record { clk, words });
        }
        let request = self.master.request();
        let rx = input.rx.as_ref();
        let asked = &out.memory;
        let moving = asked.aw.is_some() || asked.w.is_some() || asked.ar.is_some() || !self.memory.is_idle();
        let memory = if moving { self.memory.slave(clk) } else { Slave::default() };
        self.nic.step(
            clk,
            &In {
                rst: false,
                pins: Inputs {
                    aw: request.aw,
                    w: request.w.map(|w| (w, 0xf)),
                    b_ready: request.bready,
                    ar: request.ar,
                    r_ready: request.rready,
                    rx: rx.map(|b| Beat { data: b.data, bytes: b.bytes, last: b.last }),
                    rx_ts: rx.map_or(0, |b| b.ts),
                    rx_bad: rx.is_some_and(|b| b.bad),
                    tx_ready: input.tx_ready,
                    completion: input.completion.map(|c| Completion { tag: c.tag, ts: c.ts }),
                    pause: input.pause,
                    ptp: input.ptp,
                    memory,
                },
            },
        );
        if moving {
            self.memory.step(clk, asked);
        }
        if !request.is_idle() {
            let seen = Response { awready: out.aw_ready, wready: out.w_ready, b: out.b, arready: out.ar_ready, r: out.r };
            self.master.step(&seen);
        }
        self.clk += 1;
    }

    fn now(&self) -> u64 {
        self.nic.now(self.clk)
    }

    fn wake(&self) -> u64 {
        if self.master.is_idle() { self.nic.wake(self.clk).min(self.memory.wake(self.clk)) } else { self.clk }
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
            self.nic.step(self.clk, &In { rst: true, ..In::default() });
            self.clk += 1;
        }
        self.master = Master::default();
        self.memory.reset();
    }

    fn post_write(&mut self, addr: u32, value: u32) {
        self.master.write(addr, value);
    }

    fn post_read(&mut self, addr: u32) {
        self.master.read(addr);
    }

    fn answer(&mut self) -> Option<Result<u32, AccessError>> {
        if self.master.is_idle() { self.master.take_result() } else { None }
    }

    fn attach(&mut self, seed: u64, behaviour: &Behaviour) {
        self.memory = Memory::new(seed, self.bus_bytes(), behaviour.clone());
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        Some(&mut self.memory)
    }

    fn read_memory(&self, address: u64, to: &mut [u8]) {
        self.memory.read(address, to);
    }

    fn write_memory(&mut self, address: u64, from: &[u8]) {
        self.memory.write(address, from);
    }

    fn irq(&self) -> u32 {
        self.nic.irq(self.clk)
    }

    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        events.append(&mut self.events);
    }
}
