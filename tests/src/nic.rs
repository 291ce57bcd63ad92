//! Whole NICs to test: the integer model alone, and the Verilog beside it with every pin compared
//! at every clock.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use timely_hw::config::Config;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{Build, ring_bits};
use timely_regs::parameters::Parameters;
use timely_sim::cores::{CoreFlow, CoreSpec};
use timely_sim::frame::Class;
pub use timely_sim::nic::core::Core as Nic;
use timely_sim::nic::core::{AccessError, CoreEvent, CoreIn, Pins};
use timely_sim::nic::memory::Behaviour;
use timely_sim::nic::model::Model;
use timely_sim::nic::rtl::{Rtl, Shell};
use timely_sim::nic::setup::configure_with;
use timely_sim::nic::stream::FlowSpec;
use timely_sim::scenario::{Form, NicKind};
use timely_sim::time::Speed;

/// The UDP port of the NIC.
pub const PORT: u16 = timely_regs::wire::DEFAULT_PORT;
/// The host that the NIC under test is.
pub const HOST: u16 = 1;
/// Clock period, ps.
pub const CLOCK_PS: u32 = 4_000;
/// Clock period, ns.
pub const CLOCK_NS: u64 = CLOCK_PS as u64 / 1000;

/// The Verilog and its model, driven alike. Every access holds them equal: pins and time at every
/// clock, events when drained, answers of registers and the clocks that they took.
pub struct Twin {
    model: Model,
    rtl: Rtl,
    events: [Vec<CoreEvent>; 2],
}

impl Twin {
    fn compare(&mut self) {
        let clk = self.model.clk();
        assert_eq!(self.rtl.clk(), clk, "the two are at different clocks");
        assert_eq!(self.rtl.now(), self.model.now(), "time at clock {clk}: Verilog and model");
        assert_eq!(self.rtl.irq(), self.model.irq(), "interrupts at clock {clk}: Verilog and model");
        assert_eq!(self.rtl.output(), self.model.output(), "pins at clock {clk}: Verilog and model");
        let [rtl, model] = &mut self.events;
        let from = rtl.len();
        self.rtl.drain(rtl);
        self.model.drain(model);
        assert_eq!(rtl[from..], model[from..], "events before clock {clk}: Verilog and model");
    }

    fn both<T: PartialEq + std::fmt::Debug>(&mut self, what: impl Fn(&mut dyn Nic) -> T) -> T {
        self.compare();
        let (rtl, model) = (what(&mut self.rtl), what(&mut self.model));
        assert_eq!(rtl, model, "a register at clock {}: Verilog and model", self.model.clk());
        self.compare();
        rtl
    }
}

impl Nic for Twin {
    fn bus_bytes(&self) -> usize {
        self.rtl.bus_bytes()
    }

    fn clk(&self) -> u64 {
        self.rtl.clk()
    }

    fn output(&self) -> Pins {
        self.rtl.output()
    }

    fn step(&mut self, input: &CoreIn) {
        self.compare();
        self.rtl.step(input);
        self.model.step(input);
    }

    fn now(&self) -> u64 {
        self.rtl.now()
    }

    fn wake(&self) -> u64 {
        self.model.wake()
    }

    /// The model skips, the Verilog steps: nothing may happen in it.
    fn skip_to(&mut self, clk: u64) {
        self.compare();
        let pins = self.rtl.output();
        while self.rtl.clk() < clk {
            self.rtl.step(&CoreIn::default());
            assert_eq!(self.rtl.output(), pins, "pins at clock {} of the Verilog, where the model saw nothing to do", self.rtl.clk());
        }
        self.model.skip_to(clk);
        self.compare();
    }

    fn write32(&mut self, addr: u32, value: u32) -> Result<(), AccessError> {
        self.both(|nic| nic.write32(addr, value))
    }

    fn read32(&mut self, addr: u32) -> Result<u32, AccessError> {
        self.both(|nic| nic.read32(addr))
    }

    fn reset(&mut self, clocks: u64) {
        self.both(|nic| nic.reset(clocks));
    }

    fn post_write(&mut self, addr: u32, value: u32) {
        self.rtl.post_write(addr, value);
        self.model.post_write(addr, value);
    }

    fn post_read(&mut self, addr: u32) {
        self.rtl.post_read(addr);
        self.model.post_read(addr);
    }

    fn answer(&mut self) -> Option<Result<u32, AccessError>> {
        self.both(|nic| nic.answer())
    }

    fn attach(&mut self, seed: u64, behaviour: &Behaviour) {
        self.rtl.attach(seed, behaviour);
        self.model.attach(seed, behaviour);
    }

    fn read_memory(&self, address: u64, to: &mut [u8]) {
        let mut model = vec![0; to.len()];
        self.rtl.read_memory(address, to);
        self.model.read_memory(address, &mut model);
        assert_eq!(to, model, "memory at {address:#x}: Verilog and model");
    }

    fn write_memory(&mut self, address: u64, from: &[u8]) {
        self.rtl.write_memory(address, from);
        self.model.write_memory(address, from);
    }

    fn irq(&self) -> u32 {
        self.rtl.irq()
    }

    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        self.compare();
        events.append(&mut self.events[0]);
        self.events[1].clear();
    }
}

/// The numbers that a NIC is built with.
pub fn build(bus_bits: u32, flow_bits: u32) -> Build {
    Build { bus_bits, flow_bits, ring_bits: ring_bits(bus_bits), clock_ps: CLOCK_PS, ptp: 0 }
}

type Shells = Mutex<HashMap<(u32, u32), Arc<Shell>>>;

/// The compiled Verilog of a configuration, emitted and compiled once a process.
fn shell(bus_bits: u32, flow_bits: u32) -> Arc<Shell> {
    static SHELLS: OnceLock<Shells> = OnceLock::new();
    let mut shells = SHELLS.get_or_init(Shells::default).lock().unwrap_or_else(PoisonError::into_inner);
    let made = || {
        let config = Config::new(bus_bits as usize, flow_bits as usize).expect("a configuration that is built");
        let emit = || timely_hw::standalone::emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("emission: {e}"));
        let verilog = timely_verilate::mutant::text(&format!("nic_{bus_bits}_{flow_bits}"), emit);
        Arc::new(Shell::new(&verilog, "tnic_standalone").unwrap_or_else(|e| panic!("{e}")))
    };
    shells.entry((bus_bits, flow_bits)).or_insert_with(made).clone()
}

/// The model.
pub fn model(bus_bits: u32, flow_bits: u32) -> Box<dyn Nic> {
    Box::new(Model::new(build(bus_bits, flow_bits)))
}

/// The Verilog alone.
pub fn verilog(bus_bits: u32, flow_bits: u32) -> Box<dyn Nic> {
    Box::new(shell(bus_bits, flow_bits).instantiate(1))
}

/// The Verilog beside its model, its memory filled at random from `seed`.
pub fn twin(bus_bits: u32, flow_bits: u32, seed: u64) -> Box<dyn Nic> {
    let rtl = shell(bus_bits, flow_bits).instantiate(seed as u32);
    let mut model = Model::new(build(bus_bits, flow_bits));
    model.reset(rtl.clk());
    Box::new(Twin { model, rtl, events: Default::default() })
}

/// A model whose flows' segments are counted from `segment` on: numbers that run over soon. Under
/// `cargo xtask soak` the Verilog beside it, too.
pub fn counting_from(bus_bits: u32, flow_bits: u32, segment: u32) -> Vec<(&'static str, Box<dyn Nic>)> {
    let model = || Model::new(build(bus_bits, flow_bits)).counting_from(segment);
    let mut all: Vec<(&'static str, Box<dyn Nic>)> = vec![("model", Box::new(model()))];
    if crate::left_to_soak("nic::wrap: segment numbers of the Verilog that run over") {
        return all;
    }
    let config = Config::new(bus_bits as usize, flow_bits as usize).expect("a configuration that is built");
    let verilog = timely_hw::standalone::emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("emission: {e}"));
    // The word that RAM init writes into a flow's state; its lowest bits are the segment number.
    let swept = "states__write_data_v = ((32'h0) & 136'hffffffffffffffffffffffffffffffffff);";
    assert_eq!(verilog.matches(swept).count(), 1, "the generator's sweep is not where it was");
    let verilog = verilog.replace(swept, &format!("states__write_data_v = 136'h{segment:x};"));
    let rtl = Shell::new(&verilog, "tnic_standalone").unwrap_or_else(|e| panic!("{e}")).instantiate(1);
    let mut beside = model();
    beside.reset(rtl.clk());
    all.push(("Verilog", Box::new(Twin { model: beside, rtl, events: Default::default() })));
    all
}

/// The NICs that a test of the whole NIC runs on: the model alone, and the Verilog beside it.
pub fn cores(bus_bits: u32, flow_bits: u32) -> Vec<(&'static str, Box<dyn Nic>)> {
    vec![("model", model(bus_bits, flow_bits)), ("Verilog", twin(bus_bits, flow_bits, 1))]
}

/// An endless flow from the host to `dst`, of packets of `packet` payload bytes, `packets` of them
/// a segment.
pub fn flow(id: u32, dst: u16, packet: u32, packets: u32, parameters: &Parameters) -> CoreFlow {
    let spec = FlowSpec {
        id,
        dst,
        start: 0,
        bytes: None,
        messages: 1,
        every: 0,
        stop: None,
        packet,
        segment: packet * packets,
        class: Class::Data,
    };
    CoreFlow { spec, parameters: parameters.clone() }
}

/// A NIC with these flows on a line of `gbps`.
pub fn spec(bus_bits: u32, flow_bits: u32, gbps: f64, flows: Vec<CoreFlow>) -> CoreSpec {
    CoreSpec {
        kind: NicKind::Model,
        form: Form::Standalone,
        dma_ns: 3000..=3000,
        streams: false,
        host_window: 0,
        host: HOST,
        speed: Speed::gbps(gbps),
        bus_bits,
        flow_bits,
        clock_ps: CLOCK_PS,
        udp_port: PORT,
        priority: 3,
        seed: 1,
        flows,
    }
}

/// Sets a NIC up and queues what starts its flows.
pub fn start(nic: &mut dyn Nic, spec: &CoreSpec) {
    start_with(nic, spec, |record| record);
}

/// As [`start`], with what `dress` makes of each flow's record.
pub fn start_with(nic: &mut dyn Nic, spec: &CoreSpec, dress: impl FnMut(FlowRecord) -> FlowRecord) {
    for (_, address, value) in configure_with(nic, spec, dress).expect("a valid set-up") {
        nic.post_write(address, value);
    }
}

/// The event counters.
pub fn counters(nic: &mut dyn Nic) -> Vec<u32> {
    use timely_regs::{counters::COUNTERS, map::counters::COUNTER};
    (0..COUNTERS as u32).map(|i| nic.read32(COUNTER.address() + 4 * i).expect("a counter can be read")).collect()
}
