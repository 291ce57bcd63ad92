//! The Verilog of a shell's box on a bench: frames from the host and from each port, registers on
//! the shell's own clock.
use crate::Runs;
use crate::axis::{Offered, Taken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::device::Bus;
use timely_sim::nic::axil::{Master, Response};
use timely_sim::nic::core::AccessError;
use timely_verilate::{Dut, In, Library, Out};

/// Clocks in which a register access must end; after a reset the registers are swept first.
const ACCESS_CLOCKS: u32 = 5000;

/// A frame, and what goes beside it: size in bits 15..0, source above, destination above that, as
/// the shell has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bytes of the frame.
    pub bytes: Vec<u8>,
    /// Sideband of the frame.
    pub meta: u128,
    /// The clock of its first beat, and of its last.
    pub clocks: (u64, u64),
}

/// A stream that the bench offers frames to.
struct Source {
    offered: Offered,
    meta: In,
    ready: Out,
    frames: VecDeque<(Vec<u8>, u128)>,
    beats: VecDeque<(Beat, u128)>,
    pace: Runs,
    offering: bool,
}

/// A stream that the bench takes frames from.
struct Sink {
    taken: Taken,
    meta: Out,
    ready: In,
    pace: Runs,
    frame: Assembler,
    begun: Option<(u64, u128)>,
    /// Whole frames, in order.
    frames: VecDeque<Frame>,
}

/// The shape of a box.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bits of its buses.
    pub bits: usize,
    /// Streams from outside: the host's, then those of the ports.
    pub sources: &'static [&'static str],
    /// Streams to them.
    pub sinks: &'static [&'static str],
    /// The box's resets, active low.
    pub resets: &'static [&'static str],
    /// Base that the shell's addresses have above the register's own.
    pub base: u32,
    /// NetFPGA's dialect: three buses of registers, strobes for bytes, and what goes beside a frame
    /// counts with its first beat alone.
    pub netfpga: bool,
}

/// OpenNIC's user box.
pub const OPENNIC: Shape =
    Shape { bits: 512, sources: &["host", "rx"], sinks: &["up", "tx"], resets: &["mod_rstn"], base: 0x10_0000, netfpga: false };
/// NetFPGA PLUS's datapath.
pub const NETFPGA_PLUS: Shape = Shape {
    bits: 512,
    sources: &["host", "rx0", "rx1"],
    sinks: &["up", "tx0", "tx1"],
    resets: &["axis_resetn", "axi_resetn"],
    base: 0,
    netfpga: true,
};
/// NetFPGA SUME's datapath.
pub const NETFPGA_SUME: Shape = Shape {
    bits: 256,
    sources: &["host", "rx0", "rx1", "rx2", "rx3"],
    sinks: &["up", "tx0", "tx1", "tx2", "tx3"],
    resets: &["axis_resetn", "axi_resetn"],
    base: 0x4401_0000,
    netfpga: true,
};

/// The bench of taxi's shell, which is written for a MAC of 64 bits, for one of `bits`.
pub fn taxi_board(text: &str, bits: usize) -> String {
    let (ports, body) = text.split_once(");\n").expect("the ports end");
    let ports = ports.replace("[63:0]", &format!("[{}:0]", bits - 1));
    let keep = format!("[{}:0]", bits / 8 - 1);
    let ports = ports.lines().map(|l| if l.contains("_tkeep") { l.replace("[7:0]", &keep) } else { l.into() });
    let ports: Vec<String> = ports.collect();
    [ports.join("\n"), "\n);\n".into(), body.replace("parameter BUS = 64", &format!("parameter BUS = {bits}"))].concat()
}

/// How registers are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// By which bus.
    pub bus: u8,
    /// Bytes that a write has.
    pub strobes: u8,
}

/// The box.
pub struct Board {
    dut: Dut,
    rng: ChaCha8Rng,
    clk: u64,
    shape: Shape,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    axil: Master,
    /// The register bus that is asked, and the bytes that a write has.
    pub access: Access,
    axil_next: Out,
    axil_bus: Option<(In, In)>,
    axil_in: [In; 8],
    axil_out: [Out; 8],
}

/// From the host.
pub const HOST: usize = 0;
/// The wire; further ports are behind it.
pub const WIRE: usize = 1;

impl Board {
    /// A box that has been reset.
    ///
    /// # Panics
    /// When it does not say that it is out of its reset.
    pub fn new(library: &Arc<Library>, shape: Shape, rng: ChaCha8Rng) -> Self {
        let source = |name: &str| Source {
            offered: Offered::new(library, name),
            meta: library.input(&format!("{name}_meta")),
            ready: library.output(&format!("{name}_tready")),
            frames: VecDeque::new(),
            beats: VecDeque::new(),
            pace: Runs::new(1.0, 20),
            offering: false,
        };
        let sink = |name: &str| Sink {
            taken: Taken::new(library, name),
            meta: library.output(&format!("{name}_meta")),
            ready: library.input(&format!("{name}_tready")),
            pace: Runs::new(1.0, 20),
            frame: Assembler::default(),
            begun: None,
            frames: VecDeque::new(),
        };
        let input = |name: &str| library.input(&format!("s_axil_{name}"));
        let output = |name: &str| library.output(&format!("s_axil_{name}"));
        let mut board = Board {
            dut: library.instantiate(1),
            rng,
            clk: 0,
            shape,
            sources: shape.sources.iter().map(|n| source(n)).collect(),
            sinks: shape.sinks.iter().map(|n| sink(n)).collect(),
            axil: Master::default(),
            access: Access { bus: 0, strobes: 0xf },
            axil_next: library.output("axil_next"),
            axil_bus: shape.netfpga.then(|| (input("bus"), input("wstrb"))),
            axil_in: ["awaddr", "awvalid", "wdata", "wvalid", "bready", "araddr", "arvalid", "rready"].map(input),
            axil_out: ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"].map(output),
        };
        let (resets, done): (Vec<In>, _) = (shape.resets.iter().map(|n| library.input(n)).collect(), library.output("mod_rst_done"));
        // All resets, and each alone.
        for level in std::iter::once(0).chain((0..resets.len()).map(|i| ((1 << resets.len()) - 1) & !(1 << i))).chain([u64::MAX]) {
            for (i, reset) in resets.iter().enumerate() {
                board.dut.set(*reset, level >> i & 1);
            }
            for _ in 0..10 {
                board.tick();
            }
            assert_eq!(board.dut.get(done), 0, "it says that its reset is over");
        }
        let end = board.clk + 1000;
        while board.dut.get(done) == 0 {
            board.tick();
            assert!(board.clk < end, "its reset has no end");
        }
        board
    }

    /// The simulated module.
    pub fn dut(&self) -> &Dut {
        &self.dut
    }

    /// The coming clock.
    pub fn clk(&self) -> u64 {
        self.clk
    }

    /// How often what is offered is there, and what comes is taken: from the host and each port, to
    /// the host and each port.
    pub fn weather(&mut self, offered: &[f64], taken: &[f64]) {
        self.sources.iter_mut().zip(offered).for_each(|(s, p)| s.pace.set(*p));
        self.sinks.iter_mut().zip(taken).for_each(|(s, p)| s.pace.set(*p));
    }

    /// A frame is to come, from [`HOST`] or [`WIRE`].
    pub fn send(&mut self, from: usize, bytes: Vec<u8>, meta: u128) {
        self.sources[from].frames.push_back((bytes, meta));
    }

    /// Frames that wait to come.
    pub fn waiting(&self, from: usize) -> usize {
        self.sources[from].frames.len() + usize::from(!self.sources[from].beats.is_empty())
    }

    /// The frames that came out to [`HOST`] or [`WIRE`] since they were asked for last.
    pub fn take(&mut self, to: usize) -> VecDeque<Frame> {
        std::mem::take(&mut self.sinks[to].frames)
    }

    /// A reset of some clocks, through which frames of the ports go on; those of the host end.
    pub fn reset(&mut self, clocks: u32) {
        let resets: Vec<In> = self.shape.resets.iter().map(|n| self.dut.library().input(n)).collect();
        for level in [0, 1] {
            resets.iter().for_each(|r| self.dut.set(*r, level));
            (0..if level == 0 { clocks } else { 0 }).for_each(|_| self.tick());
        }
        (self.sinks[HOST].frame, self.sinks[HOST].begun) = (Assembler::default(), None);
        (self.sources[HOST].offering, self.sources[HOST].beats) = (false, VecDeque::new());
        self.sources[HOST].frames.clear();
    }

    /// A register at the box's own address.
    ///
    /// # Errors
    /// No answer, or an error response.
    pub fn read(&mut self, address: u32) -> Result<u32, AccessError> {
        self.access(|m| m.read(address))
    }

    /// One clock.
    pub fn tick(&mut self) {
        let Board { dut, rng, sources, sinks, clk, shape, .. } = self;
        for s in sources {
            if s.beats.is_empty()
                && let Some((bytes, meta)) = s.frames.pop_front()
            {
                s.beats.extend(beats(&bytes, shape.bits).map(|b| (b, meta)));
                if shape.netfpga {
                    s.beats.iter_mut().skip(1).for_each(|b| b.1 = rng.random());
                }
            }
            s.offering = !s.beats.is_empty() && (s.offering || s.pace.next(rng));
            let beat = s.beats.front().filter(|_| s.offering);
            s.offered.set(dut, beat.map(|b| &b.0), rng);
            dut.set_bytes(s.meta, &beat.map_or(0, |b| b.1).to_le_bytes());
            if s.offering && dut.get(s.ready) == 1 {
                s.beats.pop_front();
                s.offering = false;
            }
        }
        for s in sinks {
            let ready = s.pace.next(rng);
            dut.set(s.ready, ready.into());
            let Some(beat) = s.taken.get(dut).filter(|_| ready) else { continue };
            let mut beside = [0; 16];
            let read = dut.get_bytes(s.meta);
            beside[..read.len()].copy_from_slice(&read);
            let meta = u128::from_le_bytes(beside);
            let (first, beside) = *s.begun.get_or_insert((*clk, meta));
            assert!(meta == beside || shape.netfpga, "what goes beside a frame changes at clock {clk}");
            assert!(
                usize::from(beat.bytes) == shape.bits / 8 || beat.last,
                "a beat of {} bytes that is not the last, at clock {clk}",
                beat.bytes
            );
            if let Some(bytes) = s.frame.push(&beat) {
                s.frames.push_back(Frame { bytes, meta: beside, clocks: (first, *clk) });
                s.begun = None;
            }
        }
        self.registers();
        self.dut.tick();
        self.clk += 1;
    }

    fn registers(&mut self) {
        let request = self.axil.request();
        let [awaddr, awvalid, wdata, wvalid, bready, araddr, arvalid, rready] = self.axil_in;
        // The shell's address has the box's base in it.
        let at = |a: Option<u32>| u64::from(a.unwrap_or(0) | self.shape.base);
        for (port, value) in [
            (awaddr, at(request.aw)),
            (awvalid, request.aw.is_some().into()),
            (wdata, request.w.unwrap_or(0).into()),
            (wvalid, request.w.is_some().into()),
            (bready, request.bready.into()),
            (araddr, at(request.ar)),
            (arvalid, request.ar.is_some().into()),
            (rready, request.rready.into()),
        ] {
            self.dut.set(port, value);
        }
        if let Some((bus, strobes)) = self.axil_bus {
            self.dut.set(bus, self.access.bus.into());
            self.dut.set(strobes, self.access.strobes.into());
        }
        if self.dut.get(self.axil_next) == 1 {
            let [awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp] = self.axil_out.map(|p| self.dut.get(p));
            self.axil.step(&Response {
                awready: awready == 1,
                wready: wready == 1,
                b: (bvalid == 1).then_some(bresp as u8),
                arready: arready == 1,
                r: (rvalid == 1).then_some((rdata as u32, rresp as u8)),
            });
        }
    }

    fn access(&mut self, queue: impl FnOnce(&mut Master)) -> Result<u32, AccessError> {
        queue(&mut self.axil);
        for _ in 0..ACCESS_CLOCKS {
            self.tick();
            if let Some(result) = self.axil.take_result() {
                return result;
            }
        }
        Err(AccessError { addr: 0, what: "no answer" })
    }
}

/// The registers of a box.
pub struct Registers<'a>(pub RefCell<&'a mut Board>);

impl Bus for Registers<'_> {
    type Error = AccessError;

    fn read32(&self, offset: u32) -> Result<u32, AccessError> {
        self.0.borrow_mut().access(|m| m.read(offset))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), AccessError> {
        self.0.borrow_mut().access(|m| m.write(offset, value)).map(drop)
    }
}
