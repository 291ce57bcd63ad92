//! The application block's model beside its Verilog on the card: every output of every clock, with
//! what the card gives it.
use super::shell::Board;
use std::sync::Arc;
use timely_hw::config::{CLOCK_PS, Config};
use timely_model::Block;
use timely_model::app_block::TimeOfDay;
use timely_model::app_block::app::{App, Beside, CoreBeat, In};
use timely_model::scheduler::queues::Launch;
use timely_model::scheduler::top::{Down, Up};
use timely_model::stream::{Beat, keep};
use timely_regs::corundum::{DOWN, UP};
use timely_regs::map::Build;
use timely_verilate::{Dut, Library};

/// Clocks for which the card holds the block in reset.
pub const RESET_CLOCKS: u64 = 10;

/// The bits of a part of a bus.
fn part(parts: &[timely_regs::corundum::Part], bytes: &[u8], name: &str) -> u64 {
    let (_, low, width) = parts.iter().find(|p| p.0 == name).unwrap_or_else(|| panic!("no part {name}"));
    (0..*width).fold(0, |v, bit| v | u64::from(bytes[(low + bit) / 8] >> ((low + bit) % 8) & 1) << bit)
}

/// The model, and what the card gives the block at this clock.
pub struct Twin {
    model: App,
    clk: u64,
    width: usize,
    tag_bits: u32,
    /// Bytes of a segment of the DMA RAM.
    segment: usize,
    pub i: In,
}

impl Twin {
    /// After the reset of the card.
    pub fn new(board: &Board, streams: bool) -> Self {
        let config = Config::new(board.bus, board.flow_bits).expect("a configuration that is built");
        let values = board.values(&[]);
        let base = 1 << (23 - values["IF_COUNT"].ilog2());
        let ptp = Some(TimeOfDay::default());
        let i = In { base, streams, ptp, ..In::default() };
        let mut model = App::new(Build { ptp: 1, ..config.build(CLOCK_PS) });
        for clk in 0..RESET_CLOCKS {
            model.step(clk, &In { rst: true, ..i.clone() });
        }
        let (tag_bits, segment) = (values["TX_TAG_WIDTH"] as u32, values["RAM_SEG_DATA_WIDTH"] as usize / 8);
        Twin { model, clk: RESET_CLOCKS, width: board.bus, tag_bits, segment, i }
    }

    /// A tag of the shell's as the block has it inside, and the mark above it.
    pub fn inside(&self, user: u128) -> (u16, bool) {
        let tag = (user >> 1) as u16;
        let own = tag >> (self.tag_bits - 1) & 1;
        (own << 15 | tag & ((1 << (self.tag_bits - 1)) - 1), user & 1 == 1)
    }

    fn outside(&self, tag: u16) -> u64 {
        u64::from(tag >> 15) << (self.tag_bits - 1) | u64::from(tag) & ((1 << (self.tag_bits - 1)) - 1)
    }

    /// The scheduler's bus.
    pub fn up(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let at = |name: &str| part(UP, bytes, name);
        let said = |name: &str| at(name) == 1;
        self.i.up = Up {
            swept: said("swept"),
            idle: said("idle_valid").then(|| at("idle_flow") as u32),
            limited: said("limited_valid").then(|| (at("limited_flow") as u32, said("limited"))),
            pulses: at("pulses"),
            launch: said("launch_valid").then(|| Launch {
                queue: at("launch_flow") as u32,
                tag: at("launch_tag") as u8,
                paced: said("launch_paced"),
                time: at("launch_time"),
            }),
            void: said("void_valid").then(|| at("void_tag") as u8),
        };
    }

    /// The segments of the DMA RAM that are asked, those whose answers are taken, and the row.
    pub fn asked(&mut self, asks: u64, takes: u64, row: u8) {
        self.i.write.ask = [0, 1].map(|n| (asks >> n & 1 == 1).then_some(row));
        self.i.write.answer_ready = [0, 1].map(|n| takes >> n & 1 == 1);
    }

    /// Bytes that are written into the DMA RAM: segments, row, which bytes of both segments, and
    /// the bytes.
    pub fn put(&mut self, valid: u64, row: u8, enables: &[u8], data: &[u8]) {
        let half = |n: usize| {
            // A segment of 64 bytes has both halves of a place.
            let by = if self.segment == 32 { n } else { 0 };
            (valid >> by & 1 == 1).then(|| {
                let bytes: [u8; 32] = data[32 * n..32 * n + 32].try_into().expect("32 bytes");
                (row, bytes, u32::from_le_bytes(enables[4 * n..4 * n + 4].try_into().expect("4 bytes")))
            })
        };
        self.i.read.halves = [half(0), half(1)];
    }

    fn beat(&self, dut: &Dut, library: &Library, name: &str, expected: Option<&Beat>) {
        let get = |n: &str| dut.get(library.output(&format!("m_axis_{name}_{n}"))) & 1;
        let clk = self.clk;
        assert_eq!(get("tvalid") == 1, expected.is_some(), "m_axis_{name}_tvalid, clock {clk}");
        let Some(beat) = expected else { return };
        let bytes = usize::from(beat.bytes);
        let data = dut.get_bytes(library.output(&format!("m_axis_{name}_tdata")));
        let strobes = dut.get(library.output(&format!("m_axis_{name}_tkeep"))) & (u64::MAX >> (64 - self.width / 8));
        assert_eq!((&data[..bytes], strobes, get("tlast") == 1), (&beat.data[..bytes], keep(bytes), beat.last), "{name}, clock {clk}");
    }

    fn user(&self, dut: &Dut, library: &Library, name: &str, tag: u16, bad: bool) {
        let user = dut.get(library.output(name)) & ((2 << self.tag_bits) - 1);
        assert_eq!(user, self.outside(tag) << 1 | u64::from(bad), "{name}, clock {}", self.clk);
    }

    /// Holds every output of this clock against the model's, which then goes on.
    pub fn step(&mut self, dut: &Dut, library: &Arc<Library>) {
        let (o, clk) = (self.model.output(self.clk), self.clk);
        let bit = |name: &str| dut.get(library.output(name)) & 1 == 1;
        self.beat(dut, library, "sync_tx", o.tx.as_ref().map(|t| &t.0));
        if let Some((_, tag, bad)) = o.tx {
            self.user(dut, library, "m_axis_sync_tx_tuser", tag, bad);
        }
        self.beat(dut, library, "if_tx", o.queue.as_ref().map(|t| &t.0));
        if let Some((_, b)) = &o.queue {
            self.user(dut, library, "m_axis_if_tx_tuser", b.tag, b.bad);
            assert_eq!(dut.get(library.output("m_axis_if_tx_tid")) as u16, b.queue, "m_axis_if_tx_tid, clock {clk}");
        }
        let (write, read, c) = (&o.write, &o.read, &o.courier);
        let streams = self.i.streams;
        let levels = [
            ("s_axis_sync_tx_tready", o.tx_ready),
            ("s_axis_if_tx_tready", o.queue_ready),
            ("s_axis_sync_tx_cpl_ready", o.completion_ready),
            ("m_axis_sync_tx_cpl_valid", o.completion.is_some()),
            ("m_axis_data_dma_write_desc_valid", write.descriptor.is_some()),
            ("m_axis_data_dma_read_desc_valid", read.descriptor.is_some()),
            ("s_axil_app_ctrl_awready", o.aw_ready),
            ("s_axil_app_ctrl_wready", o.w_ready),
            ("s_axil_app_ctrl_arready", o.ar_ready),
            ("s_axil_app_ctrl_bvalid", o.b.is_some()),
            ("s_axil_app_ctrl_rvalid", o.r.is_some()),
            ("m_axil_ctrl_awvalid", c.aw.is_some() && !streams),
            ("m_axil_ctrl_wvalid", c.w.is_some() && !streams),
            ("m_axil_ctrl_arvalid", c.ar.is_some() && !streams),
            ("m_axil_ctrl_bready", c.b_ready),
            ("m_axil_ctrl_rready", c.r_ready),
        ];
        for (name, expected) in levels {
            assert_eq!(bit(name), expected, "{name}, clock {clk}");
        }
        let place = |p: u8| u64::from(p) << (2 * self.segment).ilog2();
        let values = [
            ("m_axil_ctrl_awaddr", c.aw.map(u64::from)),
            ("m_axil_ctrl_wdata", c.w.map(u64::from)),
            ("m_axil_ctrl_araddr", c.ar.map(u64::from)),
            ("s_axil_app_ctrl_bresp", o.b.map(u64::from)),
            ("s_axil_app_ctrl_rdata", o.r.map(|r| r.0.into())),
            ("s_axil_app_ctrl_rresp", o.r.map(|r| r.1.into())),
            ("m_axis_sync_tx_cpl_tag", o.completion.map(|t| self.outside(t.0))),
            ("m_axis_data_dma_write_desc_dma_addr", write.descriptor.map(|d| d.0)),
            ("m_axis_data_dma_write_desc_ram_addr", write.descriptor.map(|d| place(d.1))),
            ("m_axis_data_dma_read_desc_dma_addr", read.descriptor.map(|d| d.0)),
            ("m_axis_data_dma_read_desc_ram_addr", read.descriptor.map(|d| place(d.1))),
            ("data_dma_ram_rd_cmd_ready", Some(u64::from(write.ask_ready[0]) | u64::from(write.ask_ready[1]) << 1)),
            ("data_dma_ram_rd_resp_valid", Some(u64::from(write.answer[0].is_some()) | u64::from(write.answer[1].is_some()) << 1)),
        ];
        for (name, expected) in values {
            if let Some(value) = expected {
                // Tags have fewer bits than the model's.
                let mask = if name.ends_with("cpl_tag") { (1 << self.tag_bits) - 1 } else { u64::MAX };
                assert_eq!(dut.get(library.output(name)) & mask, value, "{name}, clock {clk}");
            }
        }
        if let Some((_, stamp)) = o.completion {
            let bytes = dut.get_bytes(library.output("m_axis_sync_tx_cpl_ts"));
            assert_eq!(bytes[..12], stamp.0.to_le_bytes()[..12], "m_axis_sync_tx_cpl_ts, clock {clk}");
        }
        let data = dut.get_bytes(library.output("data_dma_ram_rd_resp_data"));
        for (n, answer) in write.answer.iter().enumerate() {
            if let Some(bytes) = answer {
                let (from, to) = (n * self.segment, (n + 1) * self.segment);
                let whole = if self.segment == 32 { &bytes[from..to] } else { &bytes[..] };
                assert_eq!(&data[from..to], whole, "data_dma_ram_rd_resp_data {n}, clock {clk}");
            }
        }
        if streams {
            self.bus(&o.down, &dut.get_bytes(library.output("timely_down")));
        }
        self.model.step(self.clk, &self.i);
        self.clk += 1;
    }

    /// The bus to the scheduler; of what is not valid, the bus shows anything.
    fn bus(&self, d: &Down, bytes: &[u8]) {
        let at = |name: &str| part(DOWN, bytes, name);
        let levels = (at("stop") == 1, at("pause") as u8, at("later"));
        assert_eq!(levels, (d.stop, d.pause, d.later), "stop, pause, later, clock {}", self.clk);
        let said = |name: &str| at(&format!("{name}_valid")) == 1;
        let shown = (
            said("rate").then(|| (at("rate_flow") as u32, at("rate_value") as u32)),
            said("release").then(|| (at("release_flow") as u32, at("release_bytes") as u32)),
            said("load").then(|| (at("load_flow") as u32, at("load_word") as u32)),
            said("pw").then(|| (at("pw_profile") as u8, at("pw_word") as u8, at("pw_data") as u32)),
        );
        let model = (d.rate, d.release.map(|r| (r.flow, r.bytes)), d.load, d.profile.map(|p| (p.profile, p.word, p.data)));
        assert_eq!(shown, model, "timely_down, clock {}", self.clk);
    }

    /// A beat towards the MAC, with its frame's tuser.
    pub fn core_beat(&self, beat: Beat, user: u128) -> CoreBeat {
        let (tag, bad) = self.inside(user);
        (beat, tag, bad)
    }

    /// Signals beside a beat out of a queue.
    pub fn beside(&self, user: u128, queue: u16) -> Beside {
        let (tag, bad) = self.inside(user);
        Beside { queue, tag, bad, dest: 0 }
    }
}
