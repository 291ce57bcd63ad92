//! DMA: the event ring, snapshots and loads over one AXI4 master, and the interrupts. The register
//! block is `timely_regs::map::dma`.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod absent;
mod cursor;
mod live;
mod load;
mod reader;
mod ring;
mod settings;
mod snapshot;
mod writer;

pub use absent::{NoDma, replace_dma};
pub use cursor::Cursor;
pub use live::Live;
pub use load::Load;
pub use reader::Reader;
pub use ring::Ring;
pub use settings::Settings;
pub use snapshot::Snapshot;
pub use writer::Writer;

use crate::bus::{AxiMaster, StoreWriteIn};
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::dma as map;

// A kernel takes literals alone; these hold those below to their homes.
const _: () = assert!(map::RING_WATERMARK_LINE == 0 && map::RING_OVERFLOW_LINE == 1 && map::SNAPSHOT_LINE == 2);
const _: () = assert!(map::LOAD_LINE == 3 && map::ERROR_LINE == 4 && map::HEARTBEAT_LINE == 5 && map::LINES == 6);

/// Moves event records and telemetry records into the host's memory, and flow records out of it, in
/// bursts of 64 bytes at multiples of 64: no burst crosses 4 KiB, all are of type INCR and of one
/// ID (the shell ties it), `K` bytes a beat (`K = W / 8`).
///
/// Ring: a record every 9 clocks at `W` = 64, every 3 at 512, if the memory keeps up; `rec_ready`
/// at the clock after its burst started; the producer index 2 clocks after the response. Back
/// pressure: records wait while the ring is full, and are dropped while DMA does not run with its
/// ring. Snapshot: at `W` = 64 18 clocks a flow, at 512 6, when query and memory keep up; ring and
/// snapshot take turns, a record and a flow. Load: a flow every 32 clocks at most. Up to 16 writes
/// and 4 reads are in flight. A memory that answers with an error, a lost heartbeat or a write of 0
/// to `CONTROL` stops all of it after the bursts in flight. Only [`Writer`] and [`Reader`] know
/// AXI. Model: `timely_model::dma::Dma`.
#[derive(LogicBlock, Default)]
pub struct Dma<const W: usize, const K: usize, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// csr looks at a register.
    pub look_valid: Signal<In, Bit>,
    pub look_word: Signal<In, Bits<10>>,
    /// Data of the write; 0 for a read.
    pub look_data: Signal<In, Bits<32>>,
    /// Value of the register, if hardware changes it; from the next clock on.
    pub look_live: Signal<Out, Bits<32>>,
    /// A write to the register is refused; from the next clock on.
    pub look_refuse: Signal<Out, Bit>,
    /// The heartbeat is lost.
    pub lost: Signal<In, Bit>,
    /// An event record is offered.
    pub rec_valid: Signal<In, Bit>,
    pub rec_ready: Signal<Out, Bit>,
    pub rec_data: Signal<In, Bits<512>>,
    /// A flow's telemetry record is asked for.
    pub query_valid: Signal<Out, Bit>,
    pub query_ready: Signal<In, Bit>,
    pub query_flow: Signal<Out, Bits<F>>,
    /// Telemetry answers.
    pub answer_valid: Signal<In, Bit>,
    pub answer_record: Signal<In, Bits<1024>>,
    /// A flow is to be loaded; one clock.
    pub load_valid: Signal<Out, Bit>,
    pub load_flow: Signal<Out, Bits<F>>,
    pub load_record: Signal<Out, Bits<512>>,
    /// A load is under way: csr must not load.
    pub loading: Signal<Out, Bit>,
    /// Interrupt lines; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Host memory.
    pub m_axi: AxiMaster<W, K>,
    beats: Const<Bits<8>>,
    size: Const<Bits<3>>,
    strobes: Const<Bits<K>>,
    settings: Settings,
    live: Live,
    ring: Ring,
    snapshot: Snapshot<F>,
    load: Load<F>,
    writer: Writer<W>,
    reader: Reader<W>,
    running: DFF<Bit>,
    idle: DFF<Bit>,
    was_lost: DFF<Bit>,
    ring_last: DFF<Bit>,
    rec_ready_q: DFF<Bit>,
    interrupt: DFF<Bits<6>>,
    irq_q: DFF<Bits<6>>,
    recording: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    /// If a burst may start, it is of the ring.
    ring_first: Signal<Local, Bit>,
    ring_turn: Signal<Local, Bit>,
    snapshot_turn: Signal<Local, Bit>,
    kept: Signal<Local, Bits<6>>,
    happened: Signal<Local, Bits<6>>,
}

impl<const W: usize, const K: usize, const F: usize> Dma<W, K, F> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert_eq!(K * 8, W, "K must be W / 8");
        Self {
            beats: Const::new(bits::<8>(512 / W as u64 - 1)),
            size: Const::new(bits::<3>(K.ilog2().into())),
            strobes: Const::new(Bits::from(u64::MAX >> (64 - K))),
            settings: Settings::new(),
            live: Live::new(),
            snapshot: Snapshot::new(),
            load: Load::new(),
            writer: Writer::new(),
            reader: Reader::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize> Logic for Dma<W, K, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, running, idle, was_lost, ring_last, rec_ready_q, interrupt, irq_q);
        self.settings.clk.next = self.clk.val();
        self.settings.rst.next = self.rst.val();
        self.live.clk.next = self.clk.val();
        self.live.rst.next = self.rst.val();
        self.ring.clk.next = self.clk.val();
        self.ring.rst.next = self.rst.val();
        self.snapshot.clk.next = self.clk.val();
        self.snapshot.rst.next = self.rst.val();
        self.load.clk.next = self.clk.val();
        self.load.rst.next = self.rst.val();
        self.writer.clk.next = self.clk.val();
        self.writer.rst.next = self.rst.val();
        self.reader.clk.next = self.clk.val();
        self.reader.rst.next = self.rst.val();
        StoreWriteIn::link(&mut self.st, &mut self.settings.st);
        // Next writer: a record of the ring and a flow of the snapshot, in turns.
        self.recording.next = self.running.q.val() & self.settings.ring_on.val();
        self.ring_first.next = (self.rec_valid.val() & self.recording.val() & self.ring.open.val())
            & !(self.snapshot.offers.val() & (self.ring_last.q.val() | self.snapshot.offers_second.val()));
        self.ring_turn.next = self.writer.free.val() & self.ring_first.val();
        self.snapshot_turn.next = (self.writer.free.val() & self.snapshot.offers.val()) & (self.running.q.val() & !self.ring_first.val());
        self.writer.start.next = self.writer.free.val() & (self.ring_first.val() | (self.snapshot.offers.val() & self.running.q.val()));
        // The choice of the writer's data must not wait for whether the writer is free.
        self.writer.of_ring.next = self.ring_first.val();
        self.writer.address.next = self.snapshot.address.val();
        self.writer.data.next = self.snapshot.data.val();
        if self.ring_first.val() {
            self.writer.address.next = self.ring.address.val();
            self.writer.data.next = self.rec_data.val();
        }
        if self.ring_turn.val() {
            self.ring_last.d.next = true;
        }
        if self.snapshot_turn.val() {
            self.ring_last.d.next = false;
        }
        // A record is taken the clock after its burst has started with it.
        self.rec_ready_q.d.next = self.ring_turn.val() | (self.rec_valid.val() & !self.recording.val() & !self.rec_ready_q.q.val());
        self.ring.start.next = self.settings.run.val();
        self.ring.base.next = self.settings.ring.val();
        self.ring.size.next = self.settings.ring_size.val();
        self.ring.watermark.next = self.settings.watermark.val();
        self.ring.holdoff.next = self.settings.holdoff.val();
        self.ring.took.next = self.ring_turn.val();
        self.ring.done.next = self.writer.ring_done.val();
        self.ring.failed.next = self.writer.failed.val();
        self.ring.consumed.next = self.settings.consumed.val();
        self.ring.consumed_to.next = self.st.data.val();
        self.snapshot.start.next = self.settings.take_snapshot.val();
        self.snapshot.base.next = self.settings.snapshot.val();
        self.snapshot.first.next = self.settings.snapshot_first.val();
        self.snapshot.count.next = self.settings.snapshot_count.val();
        self.snapshot.running.next = self.running.q.val();
        self.snapshot.query_ready.next = self.query_ready.val();
        self.snapshot.answer_valid.next = self.answer_valid.val();
        self.snapshot.answer_record.next = self.answer_record.val();
        self.snapshot.took.next = self.snapshot_turn.val();
        self.snapshot.burst_done.next = self.writer.snapshot_done.val();
        self.snapshot.failed.next = self.writer.failed.val();
        self.load.start.next = self.settings.take_load.val();
        self.load.first.next = self.settings.load_first.val();
        self.load.count.next = self.settings.load_count.val();
        self.load.running.next = self.running.q.val();
        self.load.free.next = self.reader.free.val();
        self.load.idle.next = self.reader.idle.val();
        self.load.full.next = self.reader.full.val();
        self.load.failed.next = self.reader.failed.val();
        self.load.record.next = self.reader.record.val();
        self.reader.set_base.next = self.load.set_base.val();
        self.reader.base.next = self.settings.load.val();
        self.reader.ask.next = self.load.ask.val();
        self.reader.used.next = self.load.used.val();
        // An end of any kind wins over a start.
        self.failed.next = self.writer.failed.val() | self.load.memory_failed.val();
        if self.settings.run.val() {
            self.running.d.next = true;
        }
        if self.settings.stop.val() | self.lost.val() | self.failed.val() {
            self.running.d.next = false;
        }
        // While it runs a burst may start in this clock.
        self.idle.d.next = !self.running.q.val() & self.writer.idle.val() & self.reader.idle.val();
        self.was_lost.d.next = self.lost.val();
        // Interrupts.
        self.happened.next = bits::<6>(0);
        if self.ring.wants.val() {
            self.happened.next = self.happened.val() | bits::<6>(1);
        }
        if self.rec_valid.val() & self.recording.val() & self.ring.crowded.val() {
            self.happened.next = self.happened.val() | bits::<6>(2);
        }
        if self.snapshot.ended.val() {
            self.happened.next = self.happened.val() | bits::<6>(4);
        }
        if self.load.ended.val() {
            self.happened.next = self.happened.val() | bits::<6>(8);
        }
        if self.failed.val() {
            self.happened.next = self.happened.val() | bits::<6>(16);
        }
        if self.lost.val() & !self.was_lost.q.val() {
            self.happened.next = self.happened.val() | bits::<6>(32);
        }
        self.kept.next = !self.settings.clear.val();
        self.interrupt.d.next = (self.interrupt.q.val() & self.kept.val()) | self.happened.val();
        self.irq_q.d.next = self.interrupt.q.val() & self.settings.mask.val();
        // Answer to csr while it looks at a register.
        self.live.look_valid.next = self.look_valid.val();
        self.live.look_word.next = self.look_word.val();
        self.live.look_data.next = self.look_data.val();
        self.live.running.next = self.running.q.val();
        self.live.idle.next = self.idle.q.val();
        self.live.lost.next = self.lost.val();
        self.live.interrupt.next = self.interrupt.q.val();
        self.live.producer.next = self.ring.producer.val();
        self.live.consumer.next = self.ring.consumer.val();
        self.live.snapshot_busy.next = self.snapshot.busy.val();
        self.live.snapshot_done.next = self.snapshot.done.val();
        self.live.snapshot_code.next = self.snapshot.code.val();
        self.live.snapshot_progress.next = self.snapshot.progress.val();
        self.live.load_busy.next = self.load.busy.val();
        self.live.load_done.next = self.load.done.val();
        self.live.load_code.next = self.load.code.val();
        self.live.load_progress.next = self.load.progress.val();
        self.live.load_refused.next = self.load.refused.val();
        self.look_live.next = self.live.live.val();
        self.look_refuse.next = self.live.refuse.val();
        self.rec_ready.next = self.rec_ready_q.q.val();
        self.query_valid.next = self.snapshot.query_valid.val();
        self.query_flow.next = self.snapshot.query_flow.val();
        self.load_valid.next = self.load.load_valid.val();
        self.load_flow.next = self.load.load_flow.val();
        self.load_record.next = self.reader.record.val();
        self.loading.next = self.load.busy.val();
        self.irq.next = self.irq_q.q.val();
        // AXI4.
        self.m_axi.awaddr.next = self.writer.m_axi_awaddr.val();
        self.m_axi.awlen.next = self.beats.val();
        self.m_axi.awsize.next = self.size.val();
        self.m_axi.awburst.next = bits::<2>(1);
        self.m_axi.awvalid.next = self.writer.m_axi_awvalid.val();
        self.writer.m_axi_awready.next = self.m_axi.awready.val();
        self.m_axi.wdata.next = self.writer.m_axi_wdata.val();
        self.m_axi.wstrb.next = self.strobes.val();
        self.m_axi.wlast.next = self.writer.m_axi_wlast.val();
        self.m_axi.wvalid.next = self.writer.m_axi_wvalid.val();
        self.writer.m_axi_wready.next = self.m_axi.wready.val();
        self.writer.m_axi_bresp.next = self.m_axi.bresp.val();
        self.writer.m_axi_bvalid.next = self.m_axi.bvalid.val();
        self.m_axi.bready.next = true;
        self.m_axi.araddr.next = self.reader.m_axi_araddr.val();
        self.m_axi.arlen.next = self.beats.val();
        self.m_axi.arsize.next = self.size.val();
        self.m_axi.arburst.next = bits::<2>(1);
        self.m_axi.arvalid.next = self.reader.m_axi_arvalid.val();
        self.reader.m_axi_arready.next = self.m_axi.arready.val();
        self.reader.m_axi_rdata.next = self.m_axi.rdata.val();
        self.reader.m_axi_rresp.next = self.m_axi.rresp.val();
        self.reader.m_axi_rlast.next = self.m_axi.rlast.val();
        self.reader.m_axi_rvalid.next = self.m_axi.rvalid.val();
        self.m_axi.rready.next = self.reader.m_axi_rready.val();
        if self.rst.val() {
            self.running.d.next = false;
            self.idle.d.next = false;
            self.was_lost.d.next = false;
            self.ring_last.d.next = false;
            self.rec_ready_q.d.next = false;
            self.interrupt.d.next = bits::<6>(0);
            self.irq_q.d.next = bits::<6>(0);
        }
    }
}
