//! The Verilated NIC as a [`Core`]: the emitted `standalone` shell, pin for pin.
use super::axil::{Master, Request, Response};
use super::core::{AccessError, Core, CoreEvent, CoreIn, Pins, TxBeat};
use super::memory::{Behaviour, Memory};
use std::sync::Arc;
use timely_model::bus::KIND_RTT;
use timely_model::dma;
use timely_regs::event;
use timely_verilate::{Dut, Error, In, Library, Options, Out, build};

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u64 = 20_000;

/// A compiled shell, of which [`Shell::instantiate`] makes NICs.
pub struct Shell {
    library: Arc<Library>,
    ports: Ports,
}

#[derive(Clone, Copy)]
struct Ports {
    bus_bytes: usize,
    rst: In,
    awaddr: In,
    awvalid: In,
    awready: Out,
    wdata: In,
    wstrb: In,
    wvalid: In,
    wready: Out,
    bresp: Out,
    bvalid: Out,
    bready: In,
    araddr: In,
    arvalid: In,
    arready: Out,
    rdata: Out,
    rresp: Out,
    rvalid: Out,
    rready: In,
    rx_data: In,
    rx_keep: In,
    rx_valid: In,
    rx_last: In,
    rx_ts: In,
    rx_bad: In,
    tx_data: Out,
    tx_keep: Out,
    tx_valid: Out,
    tx_ready: In,
    tx_last: Out,
    tx_tag: Out,
    cpl_valid: In,
    cpl_tag: In,
    cpl_ts: In,
    pause: In,
    ptp_valid: In,
    ptp_time: In,
    now: Out,
    sample_valid: Out,
    sample_kind: Out,
    sample_flow: Out,
    sample_rtt_ns: Out,
    rate_valid: Out,
    rate_flow: Out,
    rate_value: Out,
    mem_awaddr: Out,
    mem_awvalid: Out,
    mem_awready: In,
    mem_wdata: Out,
    mem_wlast: Out,
    mem_wvalid: Out,
    mem_wready: In,
    mem_bresp: In,
    mem_bvalid: In,
    mem_araddr: Out,
    mem_arvalid: Out,
    mem_arready: In,
    mem_rdata: In,
    mem_rresp: In,
    mem_rlast: In,
    mem_rvalid: In,
    mem_rready: Out,
    irq: Out,
    rec_valid: Out,
    rec_data: Out,
}

impl Ports {
    fn of(l: &Library) -> Self {
        let width = |name: &str| l.ports().iter().find(|p| p.name == name).map_or(0, |p| p.width);
        Ports {
            bus_bytes: width("m_axis_tx_tkeep"),
            rst: l.input("rst"),
            awaddr: l.input("s_axil_awaddr"),
            awvalid: l.input("s_axil_awvalid"),
            awready: l.output("s_axil_awready"),
            wdata: l.input("s_axil_wdata"),
            wstrb: l.input("s_axil_wstrb"),
            wvalid: l.input("s_axil_wvalid"),
            wready: l.output("s_axil_wready"),
            bresp: l.output("s_axil_bresp"),
            bvalid: l.output("s_axil_bvalid"),
            bready: l.input("s_axil_bready"),
            araddr: l.input("s_axil_araddr"),
            arvalid: l.input("s_axil_arvalid"),
            arready: l.output("s_axil_arready"),
            rdata: l.output("s_axil_rdata"),
            rresp: l.output("s_axil_rresp"),
            rvalid: l.output("s_axil_rvalid"),
            rready: l.input("s_axil_rready"),
            rx_data: l.input("s_axis_rx_tdata"),
            rx_keep: l.input("s_axis_rx_tkeep"),
            rx_valid: l.input("s_axis_rx_tvalid"),
            rx_last: l.input("s_axis_rx_tlast"),
            rx_ts: l.input("s_axis_rx_ts"),
            rx_bad: l.input("s_axis_rx_bad"),
            tx_data: l.output("m_axis_tx_tdata"),
            tx_keep: l.output("m_axis_tx_tkeep"),
            tx_valid: l.output("m_axis_tx_tvalid"),
            tx_ready: l.input("m_axis_tx_tready"),
            tx_last: l.output("m_axis_tx_tlast"),
            tx_tag: l.output("m_axis_tx_tag"),
            cpl_valid: l.input("tx_cpl_valid"),
            cpl_tag: l.input("tx_cpl_tag"),
            cpl_ts: l.input("tx_cpl_ts"),
            pause: l.input("pause"),
            ptp_valid: l.input("ptp_valid"),
            ptp_time: l.input("ptp_time"),
            now: l.output("now"),
            sample_valid: l.output("tap_sample_valid"),
            sample_kind: l.output("tap_sample_kind"),
            sample_flow: l.output("tap_sample_flow"),
            sample_rtt_ns: l.output("tap_sample_rtt_ns"),
            rate_valid: l.output("tap_rate_valid"),
            rate_flow: l.output("tap_rate_flow"),
            rate_value: l.output("tap_rate_value"),
            mem_awaddr: l.output("m_axi_awaddr"),
            mem_awvalid: l.output("m_axi_awvalid"),
            mem_awready: l.input("m_axi_awready"),
            mem_wdata: l.output("m_axi_wdata"),
            mem_wlast: l.output("m_axi_wlast"),
            mem_wvalid: l.output("m_axi_wvalid"),
            mem_wready: l.input("m_axi_wready"),
            mem_bresp: l.input("m_axi_bresp"),
            mem_bvalid: l.input("m_axi_bvalid"),
            mem_araddr: l.output("m_axi_araddr"),
            mem_arvalid: l.output("m_axi_arvalid"),
            mem_arready: l.input("m_axi_arready"),
            mem_rdata: l.input("m_axi_rdata"),
            mem_rresp: l.input("m_axi_rresp"),
            mem_rlast: l.input("m_axi_rlast"),
            mem_rvalid: l.input("m_axi_rvalid"),
            mem_rready: l.output("m_axi_rready"),
            irq: l.output("irq"),
            rec_valid: l.output("tap_rec_valid"),
            rec_data: l.output("tap_rec_data"),
        }
    }
}

impl Shell {
    /// Compiles (or finds compiled) the shell in `verilog`, whose top module is `top`.
    ///
    /// # Errors
    /// Verilator or the C++ compiler is missing or fails.
    pub fn new(verilog: &str, top: &str) -> Result<Self, Error> {
        let library = build("nic", verilog, top, Options { fast: true, ..Options::default() })?;
        let ports = Ports::of(&library);
        Ok(Shell { library, ports })
    }

    /// A NIC in reset for 16 clocks, with its RAM filled at random from `seed` (0: zeros).
    pub fn instantiate(&self, seed: u32) -> Rtl {
        let mut nic = Rtl {
            dut: self.library.instantiate(seed),
            p: self.ports,
            clk: 0,
            master: Master::default(),
            memory: Memory::new(1, self.ports.bus_bytes, Behaviour::default()),
            still: false,
            events: Vec::new(),
        };
        nic.reset(16);
        nic
    }
}

/// One Verilated NIC.
pub struct Rtl {
    dut: Dut,
    p: Ports,
    clk: u64,
    master: Master,
    memory: Memory,
    /// The memory's pins are idle.
    still: bool,
    events: Vec<CoreEvent>,
}

impl Rtl {
    fn response(&self) -> Response {
        let (d, p) = (&self.dut, &self.p);
        Response {
            awready: d.get(p.awready) == 1,
            wready: d.get(p.wready) == 1,
            b: (d.get(p.bvalid) == 1).then(|| d.get(p.bresp) as u8),
            arready: d.get(p.arready) == 1,
            r: (d.get(p.rvalid) == 1).then(|| (d.get(p.rdata) as u32, d.get(p.rresp) as u8)),
        }
    }

    fn drive(&mut self, r: &Request) {
        let (d, p) = (&mut self.dut, &self.p);
        d.set(p.awvalid, r.aw.is_some().into());
        d.set(p.awaddr, r.aw.unwrap_or(0).into());
        d.set(p.wvalid, r.w.is_some().into());
        d.set(p.wdata, r.w.unwrap_or(0).into());
        d.set(p.wstrb, 0xf);
        d.set(p.bready, r.bready.into());
        d.set(p.arvalid, r.ar.is_some().into());
        d.set(p.araddr, r.ar.unwrap_or(0).into());
        d.set(p.rready, r.rready.into());
    }

    /// Memory request of the NIC; `None` for none.
    fn asked(&self) -> Option<dma::Master> {
        let (d, p) = (&self.dut, &self.p);
        let [aw, w, ar] = [p.mem_awvalid, p.mem_wvalid, p.mem_arvalid].map(|valid| d.get(valid) == 1);
        if !aw && !w && !ar && self.memory.is_idle() {
            return None;
        }
        let beat = || {
            let mut data = [0; 64];
            for (to, word) in data.chunks_mut(4).zip(d.get_words(p.mem_wdata)) {
                to.copy_from_slice(&word.to_le_bytes());
            }
            (data, d.get(p.mem_wlast) == 1)
        };
        Some(dma::Master {
            aw: aw.then(|| d.get(p.mem_awaddr)),
            w: w.then(beat),
            ar: ar.then(|| d.get(p.mem_araddr)),
            r_ready: d.get(p.mem_rready) == 1,
        })
    }

    fn drive_memory(&mut self, s: &dma::Slave) {
        let (d, p) = (&mut self.dut, &self.p);
        d.set(p.mem_awready, s.aw_ready.into());
        d.set(p.mem_wready, s.w_ready.into());
        d.set(p.mem_bvalid, s.b.is_some().into());
        d.set(p.mem_bresp, s.b.unwrap_or(0).into());
        d.set(p.mem_arready, s.ar_ready.into());
        d.set(p.mem_rvalid, s.r.is_some().into());
        if let Some(r) = &s.r {
            d.set_bytes(p.mem_rdata, &r.data);
            d.set(p.mem_rresp, r.response.into());
            d.set(p.mem_rlast, r.last.into());
        }
    }

    fn record(&mut self) {
        let (d, p, clk) = (&self.dut, &self.p, self.clk);
        if d.get(p.sample_valid) == 1 {
            let flow = d.get(p.sample_flow) as u32;
            self.events.push(if d.get(p.sample_kind) == u64::from(KIND_RTT) {
                CoreEvent::Rtt { clk, flow, ns: d.get(p.sample_rtt_ns) as u32 }
            } else {
                CoreEvent::Timeout { clk, flow }
            });
        }
        if d.get(p.rate_valid) == 1 {
            self.events.push(CoreEvent::Rate { clk, flow: d.get(p.rate_flow) as u32, rate: d.get(p.rate_value) as u32 });
        }
        if d.get(p.rec_valid) == 1 {
            let mut words = [0; event::WORDS];
            words.copy_from_slice(d.get_words(p.rec_data));
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

impl Core for Rtl {
    fn bus_bytes(&self) -> usize {
        self.p.bus_bytes
    }

    fn clk(&self) -> u64 {
        self.clk
    }

    fn output(&self) -> Pins {
        let (d, p) = (&self.dut, &self.p);
        if d.get(p.tx_valid) == 0 {
            return Pins::default();
        }
        let bytes = d.get(p.tx_keep).count_ones() as usize;
        let mut data = [0; 64];
        for (to, word) in data[..bytes].chunks_mut(4).zip(d.get_words(p.tx_data)) {
            to.copy_from_slice(&word.to_le_bytes()[..to.len()]);
        }
        Pins { tx: Some(TxBeat { data, bytes: bytes as u8, last: d.get(p.tx_last) == 1, tag: d.get(p.tx_tag) as u16 }) }
    }

    fn step(&mut self, input: &CoreIn) {
        self.record();
        let request = self.master.request();
        let response = if request.is_idle() { Response::default() } else { self.response() };
        self.drive(&request);
        let asked = self.asked();
        if asked.is_some() || !self.still {
            let slave = asked.map_or(dma::Slave::default(), |_| self.memory.slave(self.clk));
            self.drive_memory(&slave);
            self.still = asked.is_none();
        }
        let (d, p) = (&mut self.dut, &self.p);
        d.set(p.rx_valid, input.rx.is_some().into());
        if let Some(rx) = &input.rx {
            d.set_bytes(p.rx_data, &rx.data);
            d.set(p.rx_keep, if rx.bytes == 64 { u64::MAX } else { (1 << rx.bytes) - 1 });
            d.set(p.rx_last, rx.last.into());
            d.set(p.rx_ts, rx.ts);
            d.set(p.rx_bad, rx.bad.into());
        }
        d.set(p.tx_ready, input.tx_ready.into());
        d.set(p.cpl_valid, input.completion.is_some().into());
        if let Some(c) = &input.completion {
            d.set(p.cpl_tag, c.tag.into());
            d.set(p.cpl_ts, c.ts);
        }
        d.set(p.pause, input.pause.into());
        d.set(p.ptp_valid, input.ptp.is_some().into());
        if let Some(time) = input.ptp {
            d.set(p.ptp_time, time);
        }
        d.tick();
        self.master.step(&response);
        if let Some(m) = &asked {
            self.memory.step(self.clk, m);
        }
        self.clk += 1;
    }

    fn now(&self) -> u64 {
        self.dut.get(self.p.now)
    }

    fn wake(&self) -> u64 {
        self.clk
    }

    fn skip_to(&mut self, clk: u64) {
        while self.clk < clk {
            self.step(&CoreIn::default());
        }
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
        self.drive(&Request::default());
        for idle in [self.p.rx_valid, self.p.tx_ready, self.p.cpl_valid, self.p.pause, self.p.ptp_valid] {
            self.dut.set(idle, 0);
        }
        self.drive_memory(&dma::Slave::default());
        self.dut.set(self.p.rst, 1);
        for _ in 0..clocks {
            self.dut.tick();
            self.clk += 1;
        }
        self.dut.set(self.p.rst, 0);
        self.master = Master::default();
        self.memory.reset();
        self.still = true;
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
        self.dut.get(self.p.irq) as u32
    }

    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        events.append(&mut self.events);
    }
}
