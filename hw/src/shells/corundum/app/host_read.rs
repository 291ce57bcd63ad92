//! Read bursts of 64 bytes from the host, as descriptors of a DMA engine that leaves the bytes in a
//! RAM here.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::PlaceWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::app_block::host_read::PLACES;

const _: () = assert!(PLACES == 2);

/// Asks for each burst of AR under one of two places, and gives it on R, in the order of the
/// bursts, when the engine has said that it is done. The engine writes bytes into halves of places.
/// Without `enable` every burst fails.
///
/// Latency: the descriptor 1 clock after AR, the first beat 1 clock after the engine's word.
/// Throughput: a burst each `512 / W` clocks; a write a clock and half. Back pressure: AR waits
/// while two are under way. Model: `timely_model::app_block::host_read::HostRead`.
#[derive(LogicBlock, Default)]
pub struct HostRead<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// There is a DMA engine.
    pub enable: Signal<In, Bit>,
    /// AXI4: address.
    pub s_araddr: Signal<In, Bits<64>>,
    /// AXI4: address valid.
    pub s_arvalid: Signal<In, Bit>,
    /// AXI4: address taken.
    pub s_arready: Signal<Out, Bit>,
    /// AXI4: beat.
    pub s_rdata: Signal<Out, Bits<W>>,
    /// AXI4: response.
    pub s_rresp: Signal<Out, Bits<2>>,
    /// AXI4: the burst's last.
    pub s_rlast: Signal<Out, Bit>,
    /// AXI4: beat valid.
    pub s_rvalid: Signal<Out, Bit>,
    /// AXI4: beat taken.
    pub s_rready: Signal<In, Bit>,
    /// Descriptor: where in the host.
    pub d_address: Signal<Out, Bits<64>>,
    pub d_place: Signal<Out, Bit>,
    pub d_valid: Signal<Out, Bit>,
    pub d_ready: Signal<In, Bit>,
    /// A descriptor is done.
    pub st_valid: Signal<In, Bit>,
    pub st_place: Signal<In, Bit>,
    pub st_failed: Signal<In, Bit>,
    /// Writes of the lower halves.
    pub h0: PlaceWriteIn,
    /// Writes of the upper halves.
    pub h1: PlaceWriteIn,
    width: Const<Bits<10>>,
    last: Const<Bits<3>>,
    /// The bits of each byte.
    lanes: [Const<Bits<256>>; 32],
    low_a: DFF<Bits<256>>,
    high_a: DFF<Bits<256>>,
    low_b: DFF<Bits<256>>,
    high_b: DFF<Bits<256>>,
    asking: DFF<Bit>,
    ask_address: DFF<Bits<64>>,
    ask_place: DFF<Bit>,
    put: DFF<Bit>,
    get: DFF<Bit>,
    waiting: DFF<Bits<2>>,
    done_a: DFF<Bit>,
    done_b: DFF<Bit>,
    failed_a: DFF<Bit>,
    failed_b: DFF<Bit>,
    beat: DFF<Bits<3>>,
    low_mask: Signal<Local, Bits<256>>,
    high_mask: Signal<Local, Bits<256>>,
    low_keep: Signal<Local, Bits<256>>,
    high_keep: Signal<Local, Bits<256>>,
    front: Signal<Local, Bits<512>>,
    moved: Signal<Local, Bits<512>>,
    front_done: Signal<Local, Bit>,
    front_failed: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
}

impl<const W: usize> HostRead<W> {
    /// With its constants.
    pub fn new() -> Self {
        Self {
            width: Const::new(bits::<10>(W as u64)),
            last: Const::new(bits::<3>(512 / W as u64 - 1)),
            lanes: std::array::from_fn(|i| Const::new(bits::<256>(0xff) << (8 * i as u64))),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for HostRead<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low_a, high_a, low_b, high_b, asking, ask_address, ask_place, put, get, waiting);
        dff_setup!(self, clk, done_a, done_b, failed_a, failed_b, beat);
        // Bytes of the engine.
        self.low_mask.next = bits::<256>(0);
        self.high_mask.next = bits::<256>(0);
        for i in 0..32 {
            if self.h0.enable.val().get_bit(i) {
                self.low_mask.next = self.low_mask.val() | self.lanes[i].val();
            }
            if self.h1.enable.val().get_bit(i) {
                self.high_mask.next = self.high_mask.val() | self.lanes[i].val();
            }
        }
        self.low_keep.next = !self.low_mask.val();
        self.high_keep.next = !self.high_mask.val();
        if self.h0.valid.val() & !self.h0.place.val() {
            self.low_a.d.next = (self.low_a.q.val() & self.low_keep.val()) | (self.h0.data.val() & self.low_mask.val());
        }
        if self.h0.valid.val() & self.h0.place.val() {
            self.low_b.d.next = (self.low_b.q.val() & self.low_keep.val()) | (self.h0.data.val() & self.low_mask.val());
        }
        if self.h1.valid.val() & !self.h1.place.val() {
            self.high_a.d.next = (self.high_a.q.val() & self.high_keep.val()) | (self.h1.data.val() & self.high_mask.val());
        }
        if self.h1.valid.val() & self.h1.place.val() {
            self.high_b.d.next = (self.high_b.q.val() & self.high_keep.val()) | (self.h1.data.val() & self.high_mask.val());
        }
        // A burst that leaves moves down its place.
        self.front.next = bit_cast::<512, 256>(self.low_a.q.val()) | (bit_cast::<512, 256>(self.high_a.q.val()) << 256);
        self.front_done.next = self.done_a.q.val();
        self.front_failed.next = self.failed_a.q.val();
        if self.get.q.val() {
            self.front.next = bit_cast::<512, 256>(self.low_b.q.val()) | (bit_cast::<512, 256>(self.high_b.q.val()) << 256);
            self.front_done.next = self.done_b.q.val();
            self.front_failed.next = self.failed_b.q.val();
        }
        self.moved.next = self.front.val() >> self.width.val();
        self.sends.next = self.waiting.q.val().any() & self.front_done.val();
        self.leaves.next = self.sends.val() & self.s_rready.val();
        self.ended.next = self.leaves.val() & (self.beat.q.val() == self.last.val());
        if self.leaves.val() & !self.get.q.val() {
            self.low_a.d.next = self.moved.val().get_bits::<256>(0);
            self.high_a.d.next = self.moved.val().get_bits::<256>(256);
        }
        if self.leaves.val() & self.get.q.val() {
            self.low_b.d.next = self.moved.val().get_bits::<256>(0);
            self.high_b.d.next = self.moved.val().get_bits::<256>(256);
        }
        if self.leaves.val() {
            self.beat.d.next = self.beat.q.val() + bits::<3>(1);
        }
        if self.ended.val() {
            self.beat.d.next = bits::<3>(0);
            self.get.d.next = !self.get.q.val();
        }
        // Status from the DMA engine.
        if self.st_valid.val() & !self.st_place.val() {
            self.done_a.d.next = true;
            self.failed_a.d.next = self.st_failed.val();
        }
        if self.st_valid.val() & self.st_place.val() {
            self.done_b.d.next = true;
            self.failed_b.d.next = self.st_failed.val();
        }
        // A burst gets a place and a descriptor.
        self.takes.next = self.s_arvalid.val() & (!self.asking.q.val() & !self.waiting.q.val().get_bit(1));
        if self.d_ready.val() {
            self.asking.d.next = false;
        }
        if self.takes.val() {
            self.asking.d.next = self.enable.val();
            self.ask_address.d.next = self.s_araddr.val();
            self.ask_place.d.next = self.put.q.val();
            self.put.d.next = !self.put.q.val();
        }
        if self.takes.val() & !self.put.q.val() {
            self.done_a.d.next = !self.enable.val();
            self.failed_a.d.next = !self.enable.val();
        }
        if self.takes.val() & self.put.q.val() {
            self.done_b.d.next = !self.enable.val();
            self.failed_b.d.next = !self.enable.val();
        }
        if self.takes.val() & !self.ended.val() {
            self.waiting.d.next = self.waiting.q.val() + bits::<2>(1);
        }
        if self.ended.val() & !self.takes.val() {
            self.waiting.d.next = self.waiting.q.val() - bits::<2>(1);
        }
        self.s_arready.next = !self.asking.q.val() & !self.waiting.q.val().get_bit(1);
        self.d_address.next = self.ask_address.q.val();
        self.d_place.next = self.ask_place.q.val();
        self.d_valid.next = self.asking.q.val();
        self.s_rdata.next = self.front.val().get_bits::<W>(0);
        self.s_rvalid.next = self.sends.val();
        self.s_rlast.next = self.beat.q.val() == self.last.val();
        self.s_rresp.next = bits::<2>(0);
        if self.front_failed.val() {
            self.s_rresp.next = bits::<2>(2);
        }
        if self.rst.val() {
            self.asking.d.next = false;
            self.put.d.next = false;
            self.get.d.next = false;
            self.waiting.d.next = bits::<2>(0);
            self.done_a.d.next = false;
            self.done_b.d.next = false;
            self.failed_a.d.next = false;
            self.failed_b.d.next = false;
            self.beat.d.next = bits::<3>(0);
        }
    }
}
