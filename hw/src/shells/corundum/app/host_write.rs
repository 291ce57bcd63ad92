//! Write bursts of 64 bytes to the host, as descriptors of a DMA engine that fetches the bytes from
//! a RAM here.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{DescriptorOut, PlaceDataOut, PlaceReadIn};
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::app_block::host_write::{BYTES, PLACES};

const _: () = assert!(BYTES == 64 && PLACES == 16);

/// Puts each burst of AW and W into one of 16 places, asks for its transfer, and answers on B in
/// the order of the bursts when the engine has said that it is done. The RAM has two segments'
/// ports, each of which sees whole places. Without `enable` every burst fails.
///
/// Latency: the descriptor 2 clocks after the burst's last beat, the response 2 clocks after the
/// engine's. Throughput: a burst each `512 / W + 1` clocks; a place each 3 clocks and segment. Back
/// pressure: with 16 places in use, AW and W wait. Model:
/// `timely_model::app_block::host_write::HostWrite`.
#[derive(LogicBlock, Default)]
pub struct HostWrite<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// There is a DMA engine.
    pub enable: Signal<In, Bit>,
    /// AXI4: address.
    pub s_awaddr: Signal<In, Bits<64>>,
    /// AXI4: address valid.
    pub s_awvalid: Signal<In, Bit>,
    /// AXI4: address taken.
    pub s_awready: Signal<Out, Bit>,
    /// AXI4: beat.
    pub s_wdata: Signal<In, Bits<W>>,
    /// AXI4: beat valid.
    pub s_wvalid: Signal<In, Bit>,
    /// AXI4: beat taken.
    pub s_wready: Signal<Out, Bit>,
    /// AXI4: response.
    pub s_bresp: Signal<Out, Bits<2>>,
    /// AXI4: response valid; always taken.
    pub s_bvalid: Signal<Out, Bit>,
    /// Descriptors.
    pub d: DescriptorOut,
    /// A descriptor is done.
    pub st_valid: Signal<In, Bit>,
    pub st_place: Signal<In, Bits<4>>,
    pub st_failed: Signal<In, Bit>,
    /// Reads of segment 0.
    pub r0: PlaceReadIn,
    /// Data of segment 0.
    pub a0: PlaceDataOut,
    /// Reads of segment 1.
    pub r1: PlaceReadIn,
    /// Data of segment 1.
    pub a1: PlaceDataOut,
    ram0: RAM<Bits<512>, 4>,
    ram1: RAM<Bits<512>, 4>,
    width: Const<Bits<10>>,
    above: Const<Bits<10>>,
    last: Const<Bits<3>>,
    addressed: DFF<Bit>,
    address: DFF<Bits<64>>,
    record: DFF<Bits<512>>,
    beat: DFF<Bits<3>>,
    whole: DFF<Bit>,
    asking: DFF<Bit>,
    ask_address: DFF<Bits<64>>,
    ask_place: DFF<Bits<4>>,
    put: DFF<Bits<4>>,
    get: DFF<Bits<4>>,
    waiting: DFF<Bits<5>>,
    done: DFF<Bits<16>>,
    failed: DFF<Bits<16>>,
    answering: DFF<Bit>,
    answer_failed: DFF<Bit>,
    read0: DFF<Bit>,
    held0: DFF<Bit>,
    data0: DFF<Bits<512>>,
    read1: DFF<Bit>,
    held1: DFF<Bit>,
    data1: DFF<Bits<512>>,
    starts: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
    here: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    said: Signal<Local, Bits<16>>,
    unsaid: Signal<Local, Bits<16>>,
    front_done: Signal<Local, Bits<16>>,
    front_failed: Signal<Local, Bits<16>>,
    done_next: Signal<Local, Bits<16>>,
    failed_next: Signal<Local, Bits<16>>,
}

impl<const W: usize> HostWrite<W> {
    /// With its constants.
    pub fn new() -> Self {
        Self {
            width: Const::new(bits::<10>(W as u64)),
            above: Const::new(bits::<10>(512 - W as u64)),
            last: Const::new(bits::<3>(512 / W as u64 - 1)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for HostWrite<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, addressed, address, record, beat, whole, asking, ask_address, ask_place, put, get, waiting, done, failed);
        dff_setup!(self, clk, answering, answer_failed, read0, held0, data0, read1, held1, data1);
        self.ram0.read_clock.next = self.clk.val();
        self.ram0.write_clock.next = self.clk.val();
        self.ram1.read_clock.next = self.clk.val();
        self.ram1.write_clock.next = self.clk.val();
        // Status from the DMA engine.
        self.said.next = bits::<16>(0);
        if self.st_valid.val() {
            self.said.next = bits::<16>(1) << self.st_place.val();
        }
        self.unsaid.next = !self.said.val();
        self.done_next.next = self.done.q.val() | self.said.val();
        self.failed_next.next = self.failed.q.val() & self.unsaid.val();
        if self.st_failed.val() {
            self.failed_next.next = self.failed.q.val() | self.said.val();
        }
        // The oldest burst's end.
        self.front_done.next = self.done.q.val() >> self.get.q.val();
        self.front_failed.next = self.failed.q.val() >> self.get.q.val();
        self.ended.next = self.waiting.q.val().any() & self.front_done.val().get_bit(0);
        self.answering.d.next = self.ended.val();
        self.answer_failed.d.next = self.front_failed.val().get_bit(0);
        if self.ended.val() {
            self.get.d.next = self.get.q.val() + bits::<4>(1);
        }
        // A whole burst gets a place and a descriptor.
        self.starts.next = (self.whole.q.val() & self.addressed.q.val())
            & (!self.waiting.q.val().get_bit(4) & (!self.asking.q.val() | self.d.ready.val()));
        self.here.next = bits::<16>(1) << self.put.q.val();
        self.others.next = !self.here.val();
        if self.d.ready.val() {
            self.asking.d.next = false;
        }
        if self.starts.val() {
            self.asking.d.next = self.enable.val();
            self.ask_address.d.next = self.address.q.val();
            self.ask_place.d.next = self.put.q.val();
            self.put.d.next = self.put.q.val() + bits::<4>(1);
            self.addressed.d.next = false;
            self.whole.d.next = false;
        }
        self.done.d.next = self.done_next.val();
        self.failed.d.next = self.failed_next.val();
        if self.starts.val() {
            if self.enable.val() {
                self.done.d.next = self.done_next.val() & self.others.val();
            } else {
                self.done.d.next = self.done_next.val() | self.here.val();
                self.failed.d.next = self.failed_next.val() | self.here.val();
            }
        }
        if self.starts.val() & !self.ended.val() {
            self.waiting.d.next = self.waiting.q.val() + bits::<5>(1);
        }
        if self.ended.val() & !self.starts.val() {
            self.waiting.d.next = self.waiting.q.val() - bits::<5>(1);
        }
        if !self.addressed.q.val() {
            self.address.d.next = self.s_awaddr.val();
            self.addressed.d.next = self.s_awvalid.val();
        }
        if self.s_wvalid.val() & !self.whole.q.val() {
            self.record.d.next = (self.record.q.val() >> self.width.val()) | (bit_cast::<512, W>(self.s_wdata.val()) << self.above.val());
            self.beat.d.next = self.beat.q.val() + bits::<3>(1);
            if self.beat.q.val() == self.last.val() {
                self.beat.d.next = bits::<3>(0);
                self.whole.d.next = true;
            }
        }
        self.ram0.write_enable.next = self.starts.val();
        self.ram0.write_address.next = self.put.q.val();
        self.ram0.write_data.next = self.record.q.val();
        self.ram1.write_enable.next = self.starts.val();
        self.ram1.write_address.next = self.put.q.val();
        self.ram1.write_data.next = self.record.q.val();
        // The segments' ways out.
        self.ram0.read_address.next = self.r0.place.val();
        self.read0.d.next = self.r0.valid.val() & (!self.read0.q.val() & !self.held0.q.val());
        if self.a0.ready.val() {
            self.held0.d.next = false;
        }
        if self.read0.q.val() {
            self.held0.d.next = true;
            self.data0.d.next = self.ram0.read_data.val();
        }
        self.ram1.read_address.next = self.r1.place.val();
        self.read1.d.next = self.r1.valid.val() & (!self.read1.q.val() & !self.held1.q.val());
        if self.a1.ready.val() {
            self.held1.d.next = false;
        }
        if self.read1.q.val() {
            self.held1.d.next = true;
            self.data1.d.next = self.ram1.read_data.val();
        }
        self.s_awready.next = !self.addressed.q.val();
        self.s_wready.next = !self.whole.q.val();
        self.s_bvalid.next = self.answering.q.val();
        self.s_bresp.next = bits::<2>(0);
        if self.answer_failed.q.val() {
            self.s_bresp.next = bits::<2>(2);
        }
        self.d.address.next = self.ask_address.q.val();
        self.d.place.next = self.ask_place.q.val();
        self.d.valid.next = self.asking.q.val();
        self.r0.ready.next = !self.read0.q.val() & !self.held0.q.val();
        self.a0.data.next = self.data0.q.val();
        self.a0.valid.next = self.held0.q.val();
        self.r1.ready.next = !self.read1.q.val() & !self.held1.q.val();
        self.a1.data.next = self.data1.q.val();
        self.a1.valid.next = self.held1.q.val();
        if self.rst.val() {
            self.addressed.d.next = false;
            self.whole.d.next = false;
            self.beat.d.next = bits::<3>(0);
            self.asking.d.next = false;
            self.put.d.next = bits::<4>(0);
            self.get.d.next = bits::<4>(0);
            self.waiting.d.next = bits::<5>(0);
            self.done.d.next = bits::<16>(0);
            self.failed.d.next = bits::<16>(0);
            self.answering.d.next = false;
            self.read0.d.next = false;
            self.held0.d.next = false;
            self.read1.d.next = false;
            self.held1.d.next = false;
        }
    }
}
