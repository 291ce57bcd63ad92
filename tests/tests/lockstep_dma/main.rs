//! `timely_hw::dma` against `timely_model::dma`, every output at every clock; what it promises at
//! its pins; how long a snapshot takes.
mod absent;
mod oracle;
mod world;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_hw::dma::Dma as Rtl;
use timely_model::Block;
use timely_model::bus::FlowLoad;
use timely_model::dma::{Dma, In, Look, Master, Out, Slave};
use timely_regs::map::dma;
use timely_sim::nic::memory::{Behaviour, Memory};
use timely_tests::{cycles, rng, seeds, verilate};
use timely_verilate::{Dut, In as Input, Library, Out as Output};
use world::{Faults, World};

const CHAOS: Faults = Faults { errors: 25, lost: 0.0008, rst: 0.0002, silent: 0.03, stop: 0.01, nonsense: 0.02 };

const INPUTS: [&str; 19] = [
    "rst",
    "st_valid",
    "st_word",
    "st_data",
    "look_valid",
    "look_word",
    "look_data",
    "lost",
    "rec_valid",
    "query_ready",
    "answer_valid",
    "m_axi_awready",
    "m_axi_wready",
    "m_axi_bvalid",
    "m_axi_bresp",
    "m_axi_arready",
    "m_axi_rvalid",
    "m_axi_rresp",
    "m_axi_rlast",
];
const OUTPUTS: [&str; 26] = [
    "look_live",
    "look_refuse",
    "rec_ready",
    "query_valid",
    "query_flow",
    "load_valid",
    "load_flow",
    "load_record",
    "loading",
    "irq",
    "m_axi_awaddr",
    "m_axi_awlen",
    "m_axi_awsize",
    "m_axi_awburst",
    "m_axi_awvalid",
    "m_axi_wdata",
    "m_axi_wstrb",
    "m_axi_wlast",
    "m_axi_wvalid",
    "m_axi_bready",
    "m_axi_araddr",
    "m_axi_arlen",
    "m_axi_arsize",
    "m_axi_arburst",
    "m_axi_arvalid",
    "m_axi_rready",
];

struct Ports {
    inputs: Vec<Input>,
    record: Input,
    answer: Input,
    rdata: Input,
    outputs: Vec<Output>,
    bytes: usize,
}

impl Ports {
    fn new(library: &Library, bytes: usize) -> Self {
        Ports {
            inputs: INPUTS.map(|n| library.input(n)).to_vec(),
            record: library.input("rec_data"),
            answer: library.input("answer_record"),
            rdata: library.input("m_axi_rdata"),
            outputs: OUTPUTS.map(|n| library.output(n)).to_vec(),
            bytes,
        }
    }

    fn set(&self, dut: &mut Dut, i: &In, rng: &mut impl Rng) {
        let m = &i.memory;
        let noise = rng.random::<u32>();
        let written = i.written.unwrap_or((noise & 0x3ff, noise));
        let look = i.look.unwrap_or(Look { word: noise & 0x3ff, data: noise });
        let values: [u64; 19] = [
            i.rst.into(),
            i.written.is_some().into(),
            written.0.into(),
            written.1.into(),
            i.look.is_some().into(),
            look.word.into(),
            look.data.into(),
            i.lost.into(),
            i.record.is_some().into(),
            i.query_ready.into(),
            i.answer.is_some().into(),
            m.aw_ready.into(),
            m.w_ready.into(),
            m.b.is_some().into(),
            m.b.map_or(noise & 3, u32::from).into(),
            m.ar_ready.into(),
            m.r.is_some().into(),
            m.r.map_or(noise & 3, |r| r.response.into()).into(),
            m.r.map_or(noise & 1, |r| r.last.into()).into(),
        ];
        for (&port, value) in self.inputs.iter().zip(values) {
            dut.set(port, value);
        }
        dut.set_words(self.record, &i.record.unwrap_or_else(|| rng.random()));
        dut.set_words(self.answer, &i.answer.unwrap_or([noise; 32]));
        dut.set_bytes(self.rdata, &m.r.map_or([noise as u8; 64], |r| r.data));
    }

    fn get(&self, dut: &Dut, clk: u64) -> Out {
        let at = |name: &str| self.outputs[OUTPUTS.iter().position(|n| *n == name).unwrap()];
        let get = |name: &str| dut.get(at(name));
        let when = |name: &str| get(name) == 1;
        // Bursts of 64 bytes, INCR, whole beats; responses are always taken.
        let (beats, size) = (64 / self.bytes as u64 - 1, u64::from(self.bytes.ilog2()));
        assert_eq!((get("m_axi_awlen"), get("m_axi_awsize"), get("m_axi_awburst")), (beats, size, 1));
        assert_eq!((get("m_axi_arlen"), get("m_axi_arsize"), get("m_axi_arburst")), (beats, size, 1));
        assert!(
            dut.get_bytes(at("m_axi_wstrb"))[..self.bytes.div_ceil(8)].iter().all(|b| *b == 0xff) && (clk == 0 || when("m_axi_bready"))
        );
        let beat = || {
            let mut data = [0; 64];
            data[..self.bytes].copy_from_slice(&dut.get_bytes(at("m_axi_wdata"))[..self.bytes]);
            (data, when("m_axi_wlast"))
        };
        Out {
            live: get("look_live") as u32,
            refuse: when("look_refuse"),
            record_ready: when("rec_ready"),
            query: when("query_valid").then(|| get("query_flow") as u32),
            load: when("load_valid")
                .then(|| FlowLoad { flow: get("load_flow") as u32, record: dut.get_words(at("load_record")).try_into().unwrap() }),
            loading: when("loading"),
            irq: get("irq") as u32,
            memory: Master {
                aw: when("m_axi_awvalid").then(|| get("m_axi_awaddr")),
                w: when("m_axi_wvalid").then(beat),
                ar: when("m_axi_arvalid").then(|| get("m_axi_araddr")),
                r_ready: when("m_axi_rready"),
            },
        }
    }
}

fn lockstep<const W: usize, const K: usize, const F: usize>(name: &str) {
    let library = verilate(name, Rtl::<W, K, F>::new());
    let ports = Ports::new(&library, K);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, F as u32, K, CHAOS);
        world.oracle.set_bus(W as u32);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Dma::new(F as u32, W as u32);
        let mut noise = ChaCha8Rng::seed_from_u64(seed);
        ports.set(&mut dut, &In { rst: true, ..In::default() }, &mut noise);
        dut.tick();
        for clk in 0..cycles() {
            let rtl = ports.get(&dut, clk);
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            let i = world.next(clk, &mut rng, &rtl);
            ports.set(&mut dut, &i, &mut noise);
            dut.tick();
            model.step(clk, &i);
        }
        println!("{:?}", world.oracle.seen);
        assert!(world.oracle.seen.all() || cycles() < 100_000, "{:?}", world.oracle.seen);
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8, 5>("dma64");
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64, 5>("dma512");
}

#[test]
fn other_widths_emit() {
    timely_hw::emit::emit("dma128", Rtl::<128, 16, 10>::new()).unwrap();
    timely_hw::emit::emit("dma256", Rtl::<256, 32, 16>::new()).unwrap();
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    let quiet = Faults { lost: 0.00002, rst: 0.00001, ..CHAOS };
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut world = World::new(&mut rng, 5, 8, quiet);
        let (mut stepped, mut skipped) = (Dma::new(5, 64), Dma::new(5, 64));
        let (mut skips, mut lost) = (0, false);
        for clk in 0..cycles() {
            let out = stepped.output(clk);
            assert_eq!(out, skipped.output(clk), "clock {clk}, seed {seed}");
            let mut i = world.next(clk, &mut rng, &out);
            // Telemetry takes no query and memory takes nothing when nothing is offered.
            i.query_ready &= out.query.is_some();
            i.memory.aw_ready &= out.memory.aw.is_some();
            i.memory.w_ready &= out.memory.w.is_some();
            i.memory.ar_ready &= out.memory.ar.is_some();
            stepped.step(clk, &i);
            let idle = !i.rst && i.written.is_none() && i.look.is_none() && i.record.is_none() && i.answer.is_none() && i.lost == lost;
            lost = i.lost && !i.rst;
            if !idle || !i.memory.is_idle() || i.query_ready || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 50, "{skips} clocks were skipped");
    }
}

/// A driver of the model alone: registers written, clocks run.
struct Bench {
    dma: Dma,
    memory: Memory,
    clk: u64,
    queries: [Option<u32>; 2],
    record: Option<[u32; 16]>,
}

impl Bench {
    fn new(flow_bits: u32, bytes: usize, behaviour: Behaviour) -> Self {
        let memory = Memory::new(1, bytes, behaviour);
        Bench { dma: Dma::new(flow_bits, bytes as u32 * 8), memory, clk: 0, queries: [None; 2], record: None }
    }

    fn step(&mut self, written: Option<(u32, u32)>, busy: bool) {
        let out = self.dma.output(self.clk);
        let [answer, asked] = self.queries;
        let slave = if self.memory.is_idle() && out.memory == (Master { r_ready: true, ..Master::default() }) {
            Slave::default()
        } else {
            self.memory.slave(self.clk)
        };
        let i =
            In { written, query_ready: !busy, answer: answer.map(|flow| [flow; 32]), record: self.record, memory: slave, ..In::default() };
        self.dma.step(self.clk, &i);
        self.memory.step(self.clk, &out.memory);
        self.queries = [asked, out.query.filter(|_| !busy)];
        self.clk += 1;
    }

    fn write(&mut self, r: &timely_regs::map::Register, value: u32) {
        self.step(Some((r.word(), value)), false);
        self.step(None, false);
    }
}

/// A snapshot of 64K flows takes at most 10 ms: 2.5 M clocks of 4 ns, 38 a flow; also while a
/// record is written for each of its flows.
#[test]
fn a_snapshot_is_fast() {
    for (bytes, records) in [(8, false), (64, false), (8, true), (64, true)] {
        let mut b = Bench::new(16, bytes, Behaviour::default());
        for (r, v) in
            [(dma::RING_SIZE, 10), (dma::WATERMARK, 1), (dma::CONTROL, 3), (dma::SNAPSHOT[0], 0x10_0000), (dma::SNAPSHOT[3], 1 << 16)]
        {
            b.write(&r, v);
        }
        b.write(&dma::SNAPSHOT[4], 1);
        let start = b.clk;
        let mut written = 0;
        while b.dma.output(b.clk).irq == 0 {
            if b.clk == start + 3 {
                b.write(&dma::INTERRUPT_MASK, 1 << dma::SNAPSHOT_LINE);
            }
            let took = b.dma.output(b.clk).record_ready;
            written += u32::from(took);
            b.record = (records && !took).then_some([written; 16]);
            // The driver keeps up.
            let consumer = took.then_some((dma::CONSUMER.word(), written.saturating_sub(64)));
            b.step(consumer, b.clk.is_multiple_of(7));
        }
        let clocks = b.clk - start;
        println!(
            "a snapshot of 64K flows at {} bits{}: {clocks} clocks, {:.2} a flow, {:.2} ms at 250 MHz",
            bytes * 8,
            if records { format!(" beside {written} records") } else { String::new() },
            clocks as f64 / 65536.0,
            clocks as f64 * 4e-6
        );
        assert!(clocks <= 2_500_000, "{clocks} clocks");
        for flow in [0u32, 1, 513, 65_535] {
            let mut got = [0; 128];
            b.memory.read(0x10_0000 + 128 * u64::from(flow), &mut got);
            assert_eq!(got.to_vec(), flow.to_le_bytes().repeat(32), "flow {flow}");
        }
    }
}
