//! Write bursts of 64 bytes: the AW, W and B channels.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::dma::MOST_WRITES;

// A kernel takes literals alone; this holds those below to their home.
const _: () = assert!(MOST_WRITES == 16, "the count of writes is full at its bit 4");

/// One burst on the channels at a time, up to 16 without a response; responses come in the order of
/// the bursts.
///
/// A burst that starts while `free` is on the channels from the next clock on. At `W` bits a beat
/// it can start every `512 / W + 1` clocks. A response is shown the clock after it came.
#[derive(LogicBlock, Default)]
pub struct Writer<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A burst starts.
    pub start: Signal<In, Bit>,
    /// The burst is of the ring, not of the snapshot.
    pub of_ring: Signal<In, Bit>,
    /// Address of the burst.
    pub address: Signal<In, Bits<64>>,
    /// Data of the burst, byte 0 in the lowest bits.
    pub data: Signal<In, Bits<512>>,
    /// A burst may start.
    pub free: Signal<Out, Bit>,
    /// Nothing is in flight.
    pub idle: Signal<Out, Bit>,
    /// A burst of the ring ended.
    pub ring_done: Signal<Out, Bit>,
    /// A burst of the snapshot ended.
    pub snapshot_done: Signal<Out, Bit>,
    /// The burst that ended failed.
    pub failed: Signal<Out, Bit>,
    /// AXI4.
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    /// AXI4.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// AXI4.
    pub m_axi_awready: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_wdata: Signal<Out, Bits<W>>,
    /// AXI4.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// AXI4.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// AXI4.
    pub m_axi_wready: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// AXI4.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// Bits of a beat, and the number of a burst's last one.
    width: Const<Bits<10>>,
    last: Const<Bits<3>>,
    aw_valid: DFF<Bit>,
    aw: DFF<Bits<64>>,
    w_valid: DFF<Bit>,
    w: DFF<Bits<512>>,
    beat: DFF<Bits<3>>,
    /// Bursts without a response, and the source of each: a bit a burst, in a circle.
    waiting: DFF<Bits<5>>,
    sources: DFF<Bits<16>>,
    put: DFF<Bits<4>>,
    get: DFF<Bits<4>>,
    here: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    front: Signal<Local, Bits<16>>,
    answered: Signal<Local, Bit>,
    of_ring_q: DFF<Bit>,
    of_snapshot_q: DFF<Bit>,
    failed_q: DFF<Bit>,
}

impl<const W: usize> Writer<W> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { width: Const::new(bits::<10>(W as u64)), last: Const::new(bits::<3>(512 / W as u64 - 1)), ..Default::default() }
    }
}

impl<const W: usize> Logic for Writer<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, aw_valid, aw, w_valid, w, beat, waiting, sources, put, get, of_ring_q, of_snapshot_q, failed_q);
        if self.m_axi_awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.w_valid.q.val() & self.m_axi_wready.val() {
            self.w.d.next = self.w.q.val() >> self.width.val();
            self.beat.d.next = self.beat.q.val() + bits::<3>(1);
            if self.beat.q.val() == self.last.val() {
                self.w_valid.d.next = false;
            }
        }
        // Responses. One that nothing waits for is none.
        self.answered.next = self.m_axi_bvalid.val() & self.waiting.q.val().any();
        self.front.next = self.sources.q.val() >> self.get.q.val();
        self.of_ring_q.d.next = self.answered.val() & self.front.val().get_bit(0);
        self.of_snapshot_q.d.next = self.answered.val() & !self.front.val().get_bit(0);
        self.failed_q.d.next = self.answered.val() & self.m_axi_bresp.val().get_bit(1);
        if self.answered.val() {
            self.get.d.next = self.get.q.val() + bits::<4>(1);
        }
        if self.answered.val() & !self.start.val() {
            self.waiting.d.next = self.waiting.q.val() - bits::<5>(1);
        }
        if self.start.val() & !self.answered.val() {
            self.waiting.d.next = self.waiting.q.val() + bits::<5>(1);
        }
        self.here.next = bits::<16>(1) << self.put.q.val();
        self.others.next = !self.here.val();
        // While the channels are empty, they take what might start: whether it does comes late, and
        // reaches far too many registers.
        if !self.aw_valid.q.val() {
            self.aw.d.next = self.address.val();
        }
        if !self.w_valid.q.val() {
            self.w.d.next = self.data.val();
        }
        if self.start.val() {
            self.aw_valid.d.next = true;
            self.w_valid.d.next = true;
            self.beat.d.next = bits::<3>(0);
            self.put.d.next = self.put.q.val() + bits::<4>(1);
            self.sources.d.next = self.sources.q.val() & self.others.val();
            if self.of_ring.val() {
                self.sources.d.next = self.sources.q.val() | self.here.val();
            }
        }
        self.free.next = !self.aw_valid.q.val() & !self.w_valid.q.val() & !self.waiting.q.val().get_bit(4);
        self.idle.next = !self.aw_valid.q.val()
            & !self.w_valid.q.val()
            & !self.waiting.q.val().any()
            & !self.of_ring_q.q.val()
            & !self.of_snapshot_q.q.val();
        self.ring_done.next = self.of_ring_q.q.val();
        self.snapshot_done.next = self.of_snapshot_q.q.val();
        self.failed.next = self.failed_q.q.val();
        self.m_axi_awaddr.next = self.aw.q.val();
        self.m_axi_awvalid.next = self.aw_valid.q.val();
        self.m_axi_wdata.next = self.w.q.val().get_bits::<W>(0);
        self.m_axi_wlast.next = self.beat.q.val() == self.last.val();
        self.m_axi_wvalid.next = self.w_valid.q.val();
        if self.rst.val() {
            self.aw_valid.d.next = false;
            self.w_valid.d.next = false;
            self.waiting.d.next = bits::<5>(0);
            self.put.d.next = bits::<4>(0);
            self.get.d.next = bits::<4>(0);
            self.of_ring_q.d.next = false;
            self.of_snapshot_q.d.next = false;
            self.failed_q.d.next = false;
        }
    }
}
