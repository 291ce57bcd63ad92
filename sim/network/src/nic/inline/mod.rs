//! The in-line form as a [`Core`]: the host's software builds the packets, and the NIC paces them
//! on their way to the wire.
//!
//! Behind [`Path`] is the Verilated core of a shell, or its integer model. Departure stamps are the
//! form's own, taken where frames leave it, so that the MAC's departure stamps are ignored;
//! arrivals are stamped as their beats come.
mod host;
mod outside;
pub mod rtl;

use super::axil::{Master, Response};
use super::core::{AccessError, Core, CoreEvent, CoreIn, Pins, TxBeat};
use crate::nic::socket::Socket;
use crate::nic::spec::CoreSpec;
use host::Host;
use timely_model::Block;
use timely_model::bus::{KIND_RTT, KIND_TIMEOUT};
use timely_model::inline::form::{Form, Own};
use timely_model::inline::nic::{In, Nic, Out, WireBeat};
use timely_model::inline::pairs::Pairs;
use timely_model::stream::Beat;
use timely_regs::map::{Build, window};

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u64 = 20_000;

/// Log2 of the cells of the store of a shell with a bus of `bits`: OpenNIC's, or NetFPGA SUME's.
pub const fn cell_bits(bits: u32) -> u32 {
    if bits == 512 { 15 } else { 13 }
}

/// An in-line NIC, whatever it is made of.
pub trait Path: Send {
    /// Bytes of a beat.
    fn bus_bytes(&self) -> usize;
    /// Outputs during clock `clk`.
    fn output(&self, clk: u64) -> Out;
    /// The beat that the wire is offered during clock `clk`.
    fn wire(&self, clk: u64) -> Option<WireBeat>;
    /// The date at clock `clk`, ns48.fns16.
    fn now(&self, clk: u64) -> u64;
    /// The edge that ends clock `clk`.
    fn step(&mut self, clk: u64, input: &In);
    /// The first clock from `clk` on that must be stepped though the input stays idle.
    fn wake(&self, clk: u64) -> u64;
    /// Passes idle clocks from `from` up to `to`, exclusive, which is at most its wake-up.
    fn skip(&mut self, from: u64, to: u64) {
        let _ = (from, to);
    }
}

/// The integer model. One type for all forms, made here: a test that names the form compiles the
/// model itself, without optimization.
pub struct Model(Box<dyn Path>);

impl Model {
    /// A NIC that has just left reset.
    pub fn new(build: Build) -> Self {
        Model::of::<Own>(build)
    }

    /// A NIC whose flows are RoCEv2's queue pairs, just out of reset.
    pub fn pairs(build: Build) -> Self {
        Model::of::<Pairs>(build)
    }

    fn of<F: Form + Send + 'static>(build: Build) -> Self {
        let nic = Nic::<F>::new(build, cell_bits(build.bus_bits));
        Model(Box::new(Formed { nic, bus_bytes: build.bus_bits as usize / 8 }))
    }
}

impl Path for Model {
    fn bus_bytes(&self) -> usize {
        self.0.bus_bytes()
    }
    fn output(&self, clk: u64) -> Out {
        self.0.output(clk)
    }
    fn wire(&self, clk: u64) -> Option<WireBeat> {
        self.0.wire(clk)
    }
    fn now(&self, clk: u64) -> u64 {
        self.0.now(clk)
    }
    fn step(&mut self, clk: u64, input: &In) {
        self.0.step(clk, input);
    }
    fn wake(&self, clk: u64) -> u64 {
        self.0.wake(clk)
    }
}

/// The model of a form.
struct Formed<F> {
    nic: Nic<F>,
    bus_bytes: usize,
}

impl<F: Form + Send> Path for Formed<F> {
    fn bus_bytes(&self) -> usize {
        self.bus_bytes
    }
    fn output(&self, clk: u64) -> Out {
        self.nic.output(clk)
    }
    fn wire(&self, clk: u64) -> Option<WireBeat> {
        self.nic.wire(clk)
    }
    fn now(&self, clk: u64) -> u64 {
        self.nic.now(clk)
    }
    fn step(&mut self, clk: u64, input: &In) {
        self.nic.step(clk, input);
    }
    fn wake(&self, clk: u64) -> u64 {
        self.nic.wake(clk)
    }
}

/// Whatever stands at the core's host side.
pub trait Side: Send {
    /// There is a beat to offer.
    fn offers(&self) -> bool;
    /// The beat that is offered, and what goes beside its frame.
    fn beat(&mut self) -> Option<(Beat, u128)>;
    /// The core takes that beat.
    fn taken(&mut self);
    /// Beats from the core are taken.
    fn takes(&self) -> bool;
    /// A beat from the core.
    fn given(&mut self, beat: &Beat) {
        let _ = beat;
    }
    /// The last beat of a frame with this beside it, of so many bytes, has left for the wire.
    fn left(&mut self, meta: u128, bytes: u64) {
        let _ = (meta, bytes);
    }
    /// A flow's software posts packets.
    fn post(&mut self, flow: u32, packets: u32) {
        let _ = (flow, packets);
    }
    /// The NIC was reset: frames under way are forgotten.
    fn reset(&mut self);
    /// Frames from and to a host that is no part of the simulation.
    fn socket(&mut self) -> Option<&mut Socket> {
        None
    }
}

/// An in-line NIC and its host.
pub struct Inline<P, H = Host> {
    path: P,
    clk: u64,
    master: Master,
    /// The other side of the host's streams.
    pub host: H,
    /// Bytes of the frame that leaves.
    leaving: u64,
    events: Vec<CoreEvent>,
}

impl<P: Path> Inline<P> {
    /// A NIC that has just left reset, and the host that `spec` describes.
    pub fn new(path: P, spec: &CoreSpec) -> Self {
        let host = Host::new(spec, 8 * path.bus_bytes());
        Inline::between(path, host)
    }
}

impl<P: Path, H: Side> Inline<P, H> {
    fn between(path: P, host: H) -> Self {
        Inline { path, clk: 0, master: Master::default(), host, leaving: 0, events: Vec::new() }
    }

    /// One clock with these streams; the registers are the NIC's own master's. Gives what the NIC
    /// showed during it.
    pub fn drive(&mut self, i: In) -> Out {
        let out = self.path.output(self.clk);
        self.record(&out);
        let request = self.master.request();
        let (w, b_ready, r_ready) = (request.w.map(|w| (w, 0xf)), request.bready, request.rready);
        self.path.step(self.clk, &In { aw: request.aw, w, b_ready, ar: request.ar, r_ready, ..i });
        if !request.is_idle() {
            self.master.step(&Response { awready: out.aw_ready, wready: out.w_ready, b: out.b, arready: out.ar_ready, r: out.r });
        }
        self.clk += 1;
        out
    }

    /// Outputs during the coming clock.
    pub fn peek(&self) -> Out {
        self.path.output(self.clk)
    }

    fn record(&mut self, out: &Out) {
        let clk = self.clk;
        if let Some(s) = out.sample {
            match s.kind {
                KIND_RTT => self.events.push(CoreEvent::Rtt { clk, flow: s.flow, ns: s.rtt_ns }),
                KIND_TIMEOUT => self.events.push(CoreEvent::Timeout { clk, flow: s.flow }),
                // A NAK is not in the trace: the rate that it sets is.
                _ => {}
            }
        }
        if let Some(r) = out.rate {
            self.events.push(CoreEvent::Rate { clk, flow: r.flow, rate: r.value });
        }
        if let Some(words) = out.record {
            self.events.push(CoreEvent::Record { clk, words });
        }
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

impl<P: Path, H: Side> Core for Inline<P, H> {
    fn bus_bytes(&self) -> usize {
        self.path.bus_bytes()
    }

    fn clk(&self) -> u64 {
        self.clk
    }

    fn output(&self) -> Pins {
        let beat = self.path.wire(self.clk).map(|w| w.beat);
        Pins { tx: beat.map(|b| TxBeat { data: b.data, bytes: b.bytes, last: b.last, tag: 0 }) }
    }

    fn step(&mut self, input: &CoreIn) {
        let (host, takes) = (self.host.beat(), self.host.takes());
        let out = self.drive(In {
            host,
            host_ready: takes,
            wire: input.rx.map(|b| (Beat { data: b.data, bytes: b.bytes, last: b.last }, 0)),
            wire_ready: input.tx_ready,
            pause: input.pause,
            ..In::default()
        });
        if host.is_some() && out.host_ready {
            self.host.taken();
        }
        if let Some((beat, _)) = out.host.filter(|_| takes) {
            self.host.given(&beat);
        }
        if let Some(w) = out.wire.filter(|_| input.tx_ready) {
            self.leaving += u64::from(w.beat.bytes);
            if w.beat.last {
                self.host.left(w.meta, std::mem::take(&mut self.leaving));
            }
        }
    }

    fn now(&self) -> u64 {
        self.path.now(self.clk)
    }

    fn wake(&self) -> u64 {
        if self.master.is_idle() && !self.host.offers() { self.path.wake(self.clk) } else { self.clk }
    }

    fn skip_to(&mut self, clk: u64) {
        self.path.skip(self.clk, clk);
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
            self.path.step(self.clk, &In { rst: true, ..In::default() });
            self.clk += 1;
        }
        self.master = Master::default();
        self.host.reset();
        self.leaving = 0;
    }

    /// A doorbell is the host's software's: the NIC has none.
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

    fn drops_damaged(&self) -> bool {
        true
    }

    fn socket(&mut self) -> Option<&mut Socket> {
        self.host.socket()
    }

    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        events.append(&mut self.events);
    }
}
