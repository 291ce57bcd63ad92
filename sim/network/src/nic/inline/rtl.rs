//! The Verilated in-line core: the one inside an emitted shell, pin for pin, its registers on its
//! own clock.
use super::Path;
use std::sync::Arc;
use timely_model::bus::{FlowRate, Sample};
use timely_model::inline::nic::{In as Inputs, Out as Outputs, WireBeat};
use timely_model::stream::{Beat, bytes_of, keep};
use timely_regs::event;
use timely_verilate::{Dut, Error, In, Library, Options, Out, build, mutant};

/// Verilog of the board around the core.
const BOARD: &str = include_str!("board.v");
/// Clocks for which the first reset is held.
const RESET_CLOCKS: u64 = 16;

/// A stream that the core takes.
#[derive(Clone, Copy)]
struct Offered {
    data: In,
    keep: In,
    valid: In,
    last: In,
    meta: In,
}

/// A stream that the core gives.
#[derive(Clone, Copy)]
struct Given {
    data: Out,
    keep: Out,
    valid: Out,
    last: Out,
    meta: Out,
}

/// A compiled core.
#[derive(Clone)]
pub struct Shell {
    library: Arc<Library>,
    bus_bytes: usize,
}

impl Shell {
    /// Compiles (or finds compiled) the core in `verilog`, what is emitted for an in-line shell:
    /// OpenNIC's, or a NetFPGA's.
    ///
    /// # Errors
    /// There is no core in it; Verilator or the C++ compiler is missing or fails.
    pub fn new(verilog: &str) -> Result<Self, String> {
        Self::named("inline", verilog)
    }

    /// The same, whose text gets faults by this name ([`mutant::text`]).
    ///
    /// # Errors
    /// The errors of [`Shell::new`].
    pub fn named(name: &str, verilog: &str) -> Result<Self, String> {
        let core = verilog.lines().find_map(|l| l.strip_prefix("module ")?.split_once("_core(").map(|n| format!("{}_core", n.0)));
        let core = core
            .ok_or("there is no module of an in-line core in the Verilog: emit it with --shell opennic (512 bits) or netfpga-sume (256)")?;
        let (_, inside) = verilog.split_once(&format!("module {core}(")).unwrap_or_default();
        let bits = |port: &str| -> Option<usize> {
            let line = inside.lines().find(|l| l.ends_with(&format!("] {port};")))?;
            let high: usize = line.split_once('[')?.1.split_once(':')?.0.parse().ok()?;
            Some(high + 1)
        };
        let (width, meta) = bits("s_host_tdata").zip(bits("s_host_meta")).ok_or("the in-line core has no stream from the host")?;
        let highest = [("@D@", width), ("@K@", width / 8), ("@M@", meta)];
        let board = highest.iter().fold(BOARD.replace("@CORE@", &core), |text, (of, bits)| text.replace(of, &(bits - 1).to_string()));
        let compiled = |e: Error| e.to_string();
        let text = mutant::text(name, || board + verilog);
        let library = build("inline", &text, "board", Options { fast: true, ..Options::default() }).map_err(compiled)?;
        Ok(Shell { library, bus_bytes: width / 8 })
    }

    /// A core in reset for 16 clocks, with its RAM filled at random from `seed` (0: zeros).
    pub fn instantiate(&self, seed: u32) -> Rtl {
        let l = &self.library;
        let offered = |n: &str| Offered {
            data: l.input(&format!("{n}_tdata")),
            keep: l.input(&format!("{n}_tkeep")),
            valid: l.input(&format!("{n}_tvalid")),
            last: l.input(&format!("{n}_tlast")),
            meta: l.input(&format!("{n}_meta")),
        };
        let given = |n: &str| Given {
            data: l.output(&format!("{n}_tdata")),
            keep: l.output(&format!("{n}_tkeep")),
            valid: l.output(&format!("{n}_tvalid")),
            last: l.output(&format!("{n}_tlast")),
            meta: l.output(&format!("{n}_meta")),
        };
        let mut rtl = Rtl {
            dut: l.instantiate(seed),
            bus_bytes: self.bus_bytes,
            rst: l.input("rst"),
            axil_in: ["awaddr", "awvalid", "wdata", "wstrb", "wvalid", "bready", "araddr", "arvalid", "rready"]
                .map(|n| l.input(&format!("s_axil_{n}"))),
            axil_out: ["awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp"]
                .map(|n| l.output(&format!("s_axil_{n}"))),
            host_in: offered("s_host"),
            wire_in: offered("s_wire"),
            host_out: given("m_host"),
            wire_out: given("m_wire"),
            host_ready: l.output("s_host_tready"),
            wire_taken: l.output("s_wire_tready"),
            readies: ["m_host_tready", "m_wire_tready"].map(|n| l.input(n)),
            levels: ["pause", "lost"].map(|n| l.input(n)),
            ack: ["m_wire_ack", "m_wire_ack_bytes"].map(|n| l.output(n)),
            now: l.output("now"),
            stopped: l.output("stopped"),
            sample: ["valid", "kind", "flow", "rtt_ns"].map(|n| l.output(&format!("tap_sample_{n}"))),
            rate: ["valid", "flow", "value"].map(|n| l.output(&format!("tap_rate_{n}"))),
            record: ["valid", "data"].map(|n| l.output(&format!("tap_rec_{n}"))),
        };
        for clk in 0..RESET_CLOCKS {
            rtl.step(clk, &Inputs { rst: true, ..Inputs::default() });
        }
        rtl
    }
}

/// One Verilated core.
pub struct Rtl {
    dut: Dut,
    bus_bytes: usize,
    rst: In,
    axil_in: [In; 9],
    axil_out: [Out; 8],
    host_in: Offered,
    wire_in: Offered,
    host_out: Given,
    wire_out: Given,
    host_ready: Out,
    wire_taken: Out,
    readies: [In; 2],
    levels: [In; 2],
    ack: [Out; 2],
    now: Out,
    stopped: Out,
    sample: [Out; 4],
    rate: [Out; 3],
    record: [Out; 2],
}

impl Rtl {
    fn offer(&mut self, s: &Offered, beat: Option<&(Beat, u128)>) {
        self.dut.set(s.valid, beat.is_some().into());
        let Some((beat, meta)) = beat else { return };
        self.dut.set_bytes(s.data, &beat.data[..self.bus_bytes]);
        self.dut.set(s.keep, keep(usize::from(beat.bytes)));
        self.dut.set(s.last, beat.last.into());
        self.dut.set_bytes(s.meta, &meta.to_le_bytes());
    }

    fn given(&self, s: &Given) -> Option<(Beat, u128)> {
        let d = &self.dut;
        if d.get(s.valid) == 0 {
            return None;
        }
        let bytes = bytes_of(d.get(s.keep));
        let (mut data, mut meta) = ([0; 64], [0; 16]);
        // Bytes behind the last one mean nothing.
        let there = usize::from(bytes).min(self.bus_bytes);
        data[..there].copy_from_slice(&d.get_bytes(s.data)[..there]);
        let beside = d.get_bytes(s.meta);
        let known = beside.len().min(16);
        meta[..known].copy_from_slice(&beside[..known]);
        Some((Beat { data, bytes, last: d.get(s.last) == 1 }, u128::from_le_bytes(meta)))
    }
}

impl Path for Rtl {
    fn bus_bytes(&self) -> usize {
        self.bus_bytes
    }

    fn output(&self, _clk: u64) -> Outputs {
        let d = &self.dut;
        let [awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp] = self.axil_out.map(|p| d.get(p));
        let [sampled, kind, flow, rtt_ns] = self.sample.map(|p| d.get(p) as u32);
        let [rated, of, value] = self.rate.map(|p| d.get(p) as u32);
        let record = (d.get(self.record[0]) == 1).then(|| {
            let mut words = [0; event::WORDS];
            words.copy_from_slice(d.get_words(self.record[1]));
            words
        });
        Outputs {
            aw_ready: awready == 1,
            w_ready: wready == 1,
            ar_ready: arready == 1,
            b: (bvalid == 1).then_some(bresp as u8),
            r: (rvalid == 1).then_some((rdata as u32, rresp as u8)),
            host_ready: d.get(self.host_ready) == 1,
            wire_taken: d.get(self.wire_taken) == 1,
            wire: self.wire(0),
            host: self.given(&self.host_out),
            now: d.get(self.now),
            stopped: d.get(self.stopped) == 1,
            sample: (sampled == 1).then_some(Sample { kind: kind as u8, flow, rtt_ns, ..Sample::default() }),
            rate: (rated == 1).then_some(FlowRate { flow: of, value }),
            record,
        }
    }

    fn wire(&self, _clk: u64) -> Option<WireBeat> {
        let (beat, meta) = self.given(&self.wire_out)?;
        let ack = (self.dut.get(self.ack[0]) == 1).then(|| self.dut.get(self.ack[1]) as u16);
        Some(WireBeat { beat, meta: if ack.is_some() { 0 } else { meta }, ack })
    }

    fn now(&self, _clk: u64) -> u64 {
        self.dut.get(self.now)
    }

    fn step(&mut self, _clk: u64, i: &Inputs) {
        let (host, wire) = (self.host_in, self.wire_in);
        self.offer(&host, i.host.as_ref());
        self.offer(&wire, i.wire.as_ref());
        let (data, strobes) = i.w.unwrap_or_default();
        let axil = [
            i.aw.unwrap_or(0).into(),
            i.aw.is_some().into(),
            data.into(),
            strobes.into(),
            i.w.is_some().into(),
            i.b_ready.into(),
            i.ar.unwrap_or(0).into(),
            i.ar.is_some().into(),
            i.r_ready.into(),
        ];
        let d = &mut self.dut;
        self.axil_in.iter().zip(axil).for_each(|(p, v)| d.set(*p, v));
        d.set(self.rst, i.rst.into());
        d.set(self.readies[0], i.host_ready.into());
        d.set(self.readies[1], i.wire_ready.into());
        d.set(self.levels[0], i.pause.into());
        d.set(self.levels[1], i.lost.into());
        d.tick();
    }

    fn wake(&self, clk: u64) -> u64 {
        clk
    }

    fn skip(&mut self, from: u64, to: u64) {
        (from..to).for_each(|clk| self.step(clk, &Inputs::default()));
    }
}
