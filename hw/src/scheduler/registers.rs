//! The scheduler's blocks on Corundum's register bus.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{RegisterReadIn, RegisterWriteIn};
use crate::constant::Fixed;
use rust_hdl::prelude::*;
use timely_regs::corundum::{OWN_OFFSET, TYPE, VERSION};
use timely_regs::map::MAGIC;

// A kernel takes literals alone.
const _: () = assert!(OWN_OFFSET == 0x30 && TYPE == 0x5469_0080 && VERSION == 0x100 && MAGIC == 0x544d_4c59);

/// Three blocks of registers: Corundum's block of a scheduler, in it one of the type of its own
/// round-robin scheduler, which its driver enables, and behind that ours.
///
/// Latency: a clock from `en` to `ack`; an address of none of them is not acknowledged, as others
/// are on the bus. Model: `timely_model::scheduler::registers::Registers`.
#[derive(LogicBlock, Default)]
pub struct Registers {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Writes of registers.
    pub wr: RegisterWriteIn,
    /// Reads of registers.
    pub rd: RegisterReadIn,
    /// Address of the blocks, as the bus sees it.
    pub cfg_base: Signal<In, Bits<24>>,
    pub cfg_address: Signal<In, Bits<32>>,
    /// Address of the next scheduler's, 0 if there is none.
    pub cfg_next: Signal<In, Bits<32>>,
    pub cfg_window: Signal<In, Bits<32>>,
    pub cfg_queues: Signal<In, Bits<32>>,
    pub cfg_dest: Signal<In, Bits<16>>,
    /// log2 of the flows.
    pub cfg_flow_bits: Signal<In, Bits<8>>,
    /// Streams are there in place of the window.
    pub cfg_streams: Signal<In, Bit>,
    /// The RAM is clear.
    pub swept: Signal<In, Bit>,
    /// No flow may send.
    pub stop: Signal<In, Bit>,
    /// The scheduler is enabled.
    pub enable: Signal<Out, Bit>,
    /// Destination of requests.
    pub dest: Signal<Out, Bits<16>>,
    enabled: DFF<Bit>,
    dest_is: DFF<Bits<16>>,
    wr_done: DFF<Bit>,
    rd_done: DFF<Bit>,
    read: DFF<Bits<32>>,
    base: DFF<Bits<24>>,
    wr_to: Signal<Local, Bits<24>>,
    rd_from: Signal<Local, Bits<24>>,
    wr_word: Signal<Local, Bits<5>>,
    rd_word: Signal<Local, Bits<5>>,
    kind: Fixed<32, { TYPE as u64 }>,
    magic: Fixed<32, { MAGIC as u64 }>,
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, enabled, dest_is, wr_done, rd_done, read, base);
        self.base.d.next = self.cfg_base.val();
        self.wr_to.next = self.wr.addr.val() - self.base.q.val();
        self.rd_from.next = self.rd.addr.val() - self.base.q.val();
        self.wr_word.next = self.wr_to.val().get_bits::<5>(2);
        self.rd_word.next = self.rd_from.val().get_bits::<5>(2);
        self.wr_done.d.next = false;
        self.rd_done.d.next = false;
        self.read.d.next = bits::<32>(0);
        if self.wr.en.val() & !self.wr_done.q.val() & !self.wr_to.val().get_bits::<17>(7).any() {
            if self.wr_word.val() == bits::<5>(10) {
                self.wr_done.d.next = true;
                if self.wr.strb.val().get_bit(0) {
                    self.enabled.d.next = self.wr.data.val().get_bit(0);
                }
            }
            if self.wr_word.val() == bits::<5>(11) {
                self.wr_done.d.next = true;
                if self.wr.strb.val().get_bit(0) {
                    self.dest_is.d.next = self.wr.data.val().get_bits::<16>(0);
                }
            }
        }
        if self.rd.en.val() & !self.rd_done.q.val() & !self.rd_from.val().get_bits::<17>(7).any() & (self.rd_word.val() < bits::<5>(19)) {
            self.rd_done.d.next = true;
            match self.rd_word.val().index() {
                0 => self.read.d.next = bits::<32>(0xc004),
                1 => self.read.d.next = bits::<32>(0x300),
                2 => self.read.d.next = self.cfg_next.val(),
                3 => self.read.d.next = self.cfg_address.val() + bits::<32>(0x10),
                4 => self.read.d.next = bits::<32>(0xc040),
                5 => self.read.d.next = bits::<32>(0x100),
                6 => self.read.d.next = self.cfg_address.val() + bits::<32>(0x30),
                7 => self.read.d.next = self.cfg_window.val(),
                8 => self.read.d.next = self.cfg_queues.val(),
                9 => self.read.d.next = bits::<32>(4),
                10 => self.read.d.next = bit_cast::<32, 1>(self.enabled.q.val().into()),
                11 => self.read.d.next = bit_cast::<32, 16>(self.dest_is.q.val()),
                12 => self.read.d.next = self.kind.val(),
                13 => self.read.d.next = bits::<32>(0x100),
                15 => self.read.d.next = self.magic.val(),
                16 => self.read.d.next = bit_cast::<32, 8>(self.cfg_flow_bits.val()),
                17 => self.read.d.next = bit_cast::<32, 1>(self.cfg_streams.val().into()),
                18 => self.read.d.next = bit_cast::<32, 1>(self.swept.val().into()) | (bit_cast::<32, 1>(self.stop.val().into()) << 1),
                _ => self.read.d.next = bits::<32>(0),
            }
        }
        self.wr.ack.next = self.wr_done.q.val();
        self.rd.ack.next = self.rd_done.q.val();
        self.rd.data.next = self.read.q.val();
        self.enable.next = self.enabled.q.val();
        self.dest.next = self.dest_is.q.val();
        if self.rst.val() {
            self.enabled.d.next = false;
            self.dest_is.d.next = self.cfg_dest.val();
            self.wr_done.d.next = false;
            self.rd_done.d.next = false;
            self.read.d.next = bits::<32>(0);
        }
    }
}
