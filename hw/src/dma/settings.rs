//! The settings of DMA: registers that follow the writes into csr's store, and what a write orders
//! at once.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::StoreWriteIn;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::map::{Register, dma};

/// Settings stand from the clock after the write; orders are of the clock of the write itself.
#[derive(LogicBlock, Default)]
pub struct Settings {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A register is written.
    pub st: StoreWriteIn,
    /// Records go into the ring.
    pub ring_on: Signal<Out, Bit>,
    /// Interrupt lines that are let out.
    pub mask: Signal<Out, Bits<6>>,
    /// Address of the ring.
    pub ring: Signal<Out, Bits<64>>,
    /// log2 of its records.
    pub ring_size: Signal<Out, Bits<5>>,
    /// Unread records at which it is to be read.
    pub watermark: Signal<Out, Bits<21>>,
    /// Clocks after which it is to be read all the same.
    pub holdoff: Signal<Out, Bits<32>>,
    /// The snapshot: address.
    pub snapshot: Signal<Out, Bits<64>>,
    /// The snapshot: first flow.
    pub snapshot_first: Signal<Out, Bits<16>>,
    pub snapshot_count: Signal<Out, Bits<17>>,
    /// The load: address.
    pub load: Signal<Out, Bits<64>>,
    /// The load: first flow.
    pub load_first: Signal<Out, Bits<16>>,
    pub load_count: Signal<Out, Bits<17>>,
    /// DMA is to start.
    pub run: Signal<Out, Bit>,
    /// DMA is to stop.
    pub stop: Signal<Out, Bit>,
    /// Interrupts that are to be cleared.
    pub clear: Signal<Out, Bits<6>>,
    /// A new consumer index: the value written.
    pub consumed: Signal<Out, Bit>,
    /// A snapshot is to start.
    pub take_snapshot: Signal<Out, Bit>,
    pub take_load: Signal<Out, Bit>,
    at_control: Const<Bits<10>>,
    at_mask: Const<Bits<10>>,
    at_ring_low: Const<Bits<10>>,
    at_ring_high: Const<Bits<10>>,
    at_ring_size: Const<Bits<10>>,
    at_watermark: Const<Bits<10>>,
    at_holdoff: Const<Bits<10>>,
    at_interrupt: Const<Bits<10>>,
    at_consumer: Const<Bits<10>>,
    at_snapshot: [Const<Bits<10>>; 5],
    at_load: [Const<Bits<10>>; 5],
    ring_on_q: DFF<Bit>,
    mask_q: DFF<Bits<6>>,
    ring_low: DFF<Bits<32>>,
    ring_high: DFF<Bits<32>>,
    ring_size_q: DFF<Bits<5>>,
    watermark_q: DFF<Bits<21>>,
    holdoff_q: DFF<Bits<32>>,
    snapshot_low: DFF<Bits<32>>,
    snapshot_high: DFF<Bits<32>>,
    snapshot_first_q: DFF<Bits<16>>,
    snapshot_count_q: DFF<Bits<17>>,
    load_low: DFF<Bits<32>>,
    load_high: DFF<Bits<32>>,
    load_first_q: DFF<Bits<16>>,
    load_count_q: DFF<Bits<17>>,
}

fn word(r: Register) -> Const<Bits<10>> {
    Const::new(bits::<10>(r.word().into()))
}

impl Settings {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            at_control: word(dma::CONTROL),
            at_mask: word(dma::INTERRUPT_MASK),
            at_ring_low: word(dma::RING_LOW),
            at_ring_high: word(dma::RING_HIGH),
            at_ring_size: word(dma::RING_SIZE),
            at_watermark: word(dma::WATERMARK),
            at_holdoff: word(dma::HOLDOFF),
            at_interrupt: word(dma::INTERRUPT),
            at_consumer: word(dma::CONSUMER),
            at_snapshot: dma::SNAPSHOT.map(word),
            at_load: dma::LOAD.map(word),
            ..Default::default()
        }
    }
}

impl Logic for Settings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, ring_on_q, mask_q, ring_low, ring_high, ring_size_q, watermark_q, holdoff_q, snapshot_low, snapshot_high);
        dff_setup!(self, clk, snapshot_first_q, snapshot_count_q, load_low, load_high, load_first_q, load_count_q);
        self.run.next = false;
        self.stop.next = false;
        self.clear.next = bits::<6>(0);
        self.consumed.next = false;
        self.take_snapshot.next = false;
        self.take_load.next = false;
        if self.st.valid.val() {
            if self.st.word.val() == self.at_control.val() {
                self.run.next = self.st.data.val().get_bit(0);
                self.ring_on_q.d.next = self.st.data.val().get_bit(1);
                self.stop.next = !self.st.data.val().get_bit(0);
            }
            if self.st.word.val() == self.at_interrupt.val() {
                self.clear.next = self.st.data.val().get_bits::<6>(0);
            }
            if self.st.word.val() == self.at_consumer.val() {
                self.consumed.next = true;
            }
            if self.st.word.val() == self.at_snapshot[4].val() {
                self.take_snapshot.next = self.st.data.val().get_bit(0);
            }
            if self.st.word.val() == self.at_load[4].val() {
                self.take_load.next = self.st.data.val().get_bit(0);
            }
            if self.st.word.val() == self.at_mask.val() {
                self.mask_q.d.next = self.st.data.val().get_bits::<6>(0);
            }
            if self.st.word.val() == self.at_ring_low.val() {
                self.ring_low.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_ring_high.val() {
                self.ring_high.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_ring_size.val() {
                self.ring_size_q.d.next = self.st.data.val().get_bits::<5>(0);
            }
            if self.st.word.val() == self.at_watermark.val() {
                self.watermark_q.d.next = self.st.data.val().get_bits::<21>(0);
            }
            if self.st.word.val() == self.at_holdoff.val() {
                self.holdoff_q.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_snapshot[0].val() {
                self.snapshot_low.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_snapshot[1].val() {
                self.snapshot_high.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_snapshot[2].val() {
                self.snapshot_first_q.d.next = self.st.data.val().get_bits::<16>(0);
            }
            if self.st.word.val() == self.at_snapshot[3].val() {
                self.snapshot_count_q.d.next = self.st.data.val().get_bits::<17>(0);
            }
            if self.st.word.val() == self.at_load[0].val() {
                self.load_low.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_load[1].val() {
                self.load_high.d.next = self.st.data.val();
            }
            if self.st.word.val() == self.at_load[2].val() {
                self.load_first_q.d.next = self.st.data.val().get_bits::<16>(0);
            }
            if self.st.word.val() == self.at_load[3].val() {
                self.load_count_q.d.next = self.st.data.val().get_bits::<17>(0);
            }
        }
        self.ring_on.next = self.ring_on_q.q.val();
        self.mask.next = self.mask_q.q.val();
        self.ring.next = (bit_cast::<64, 32>(self.ring_high.q.val()) << 32) | bit_cast::<64, 32>(self.ring_low.q.val());
        self.ring_size.next = self.ring_size_q.q.val();
        self.watermark.next = self.watermark_q.q.val();
        self.holdoff.next = self.holdoff_q.q.val();
        self.snapshot.next = (bit_cast::<64, 32>(self.snapshot_high.q.val()) << 32) | bit_cast::<64, 32>(self.snapshot_low.q.val());
        self.snapshot_first.next = self.snapshot_first_q.q.val();
        self.snapshot_count.next = self.snapshot_count_q.q.val();
        self.load.next = (bit_cast::<64, 32>(self.load_high.q.val()) << 32) | bit_cast::<64, 32>(self.load_low.q.val());
        self.load_first.next = self.load_first_q.q.val();
        self.load_count.next = self.load_count_q.q.val();
        if self.rst.val() {
            self.ring_on_q.d.next = false;
            self.mask_q.d.next = bits::<6>(0);
            self.ring_low.d.next = bits::<32>(0);
            self.ring_high.d.next = bits::<32>(0);
            self.ring_size_q.d.next = bits::<5>(0);
            self.watermark_q.d.next = bits::<21>(0);
            self.holdoff_q.d.next = bits::<32>(0);
            self.snapshot_low.d.next = bits::<32>(0);
            self.snapshot_high.d.next = bits::<32>(0);
            self.snapshot_first_q.d.next = bits::<16>(0);
            self.snapshot_count_q.d.next = bits::<17>(0);
            self.load_low.d.next = bits::<32>(0);
            self.load_high.d.next = bits::<32>(0);
            self.load_first_q.d.next = bits::<16>(0);
            self.load_count_q.d.next = bits::<17>(0);
        }
    }
}
