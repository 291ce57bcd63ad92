//! The Verilog of a user box on a bench: frames from the host and from the wire, registers on a clock of half the rate.
use crate::Runs;
use crate::axis::{Offered, Taken};
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

/// A frame, and what goes beside it: size in bits 15..0, source above, destination above that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What goes beside it.
    pub meta: u64,
    /// The clock of its first beat, and of its last.
    pub clocks: (u64, u64),
}

/// A stream that the bench offers frames to.
struct Source {
    offered: Offered,
    meta: In,
    ready: Out,
    frames: VecDeque<(Vec<u8>, u64)>,
    beats: VecDeque<(Beat, u64)>,
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
    begun: Option<(u64, u64)>,
    /// Whole frames, in order.
    frames: VecDeque<Frame>,
}

/// The box.
pub struct Board {
    dut: Dut,
    rng: ChaCha8Rng,
    clk: u64,
    sources: [Source; 2],
    sinks: [Sink; 2],
    axil: Master,
    axil_next: Out,
    axil_in: [In; 8],
    axil_out: [Out; 8],
}

/// From the host.
pub const HOST: usize = 0;
/// The wire.
pub const WIRE: usize = 1;

impl Board {
    /// A box that has been reset.
    ///
    /// # Panics
    /// When it does not say that it is out of its reset.
    pub fn new(library: &Arc<Library>, rng: ChaCha8Rng) -> Self {
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
            sources: [source("host"), source("rx")],
            sinks: [sink("up"), sink("tx")],
            axil: Master::default(),
            axil_next: library.output("axil_next"),
            axil_in: ["awaddr", "awvalid", "wdata", "wvalid", "bready", "araddr", "arvalid", "rready"].map(input),
            axil_out: ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"].map(output),
        };
        let (reset, done) = (library.input("mod_rstn"), library.output("mod_rst_done"));
        for level in [0, 1] {
            board.dut.set(reset, level);
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

    /// The coming clock.
    pub fn clk(&self) -> u64 {
        self.clk
    }

    /// How often what is offered is there, and what comes is taken: from the host and the wire, to the host and the wire.
    pub fn weather(&mut self, offered: [f64; 2], taken: [f64; 2]) {
        for i in 0..2 {
            self.sources[i].pace.p = offered[i];
            self.sinks[i].pace.p = taken[i];
        }
    }

    /// A frame is to come, from [`HOST`] or [`WIRE`].
    pub fn send(&mut self, from: usize, bytes: Vec<u8>, meta: u64) {
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

    /// One clock.
    pub fn tick(&mut self) {
        let Board { dut, rng, sources, sinks, clk, .. } = self;
        for s in sources {
            if s.beats.is_empty()
                && let Some((bytes, meta)) = s.frames.pop_front()
            {
                s.beats.extend(beats(&bytes, 512).map(|b| (b, meta)));
            }
            s.offering = !s.beats.is_empty() && (s.offering || s.pace.next(rng));
            let beat = s.beats.front().filter(|_| s.offering);
            s.offered.set(dut, beat.map(|b| &b.0), rng);
            dut.set(s.meta, beat.map_or(0, |b| b.1));
            if s.offering && dut.get(s.ready) == 1 {
                s.beats.pop_front();
                s.offering = false;
            }
        }
        for s in sinks {
            let ready = s.pace.next(rng);
            dut.set(s.ready, ready.into());
            let Some(beat) = s.taken.get(dut).filter(|_| ready) else { continue };
            let meta = dut.get(s.meta);
            let (first, beside) = *s.begun.get_or_insert((*clk, meta));
            assert_eq!(meta, beside, "what goes beside a frame changes at clock {clk}");
            assert!(beat.bytes == 64 || beat.last, "a beat of {} bytes that is not the last, at clock {clk}", beat.bytes);
            if let Some(bytes) = s.frame.push(&beat) {
                s.frames.push_back(Frame { bytes, meta, clocks: (first, *clk) });
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
        let at = |a: Option<u32>| u64::from(a.unwrap_or(0) | 0x10_0000);
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
