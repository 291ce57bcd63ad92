//! Operations that enter at a clock without an ACK.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::blank;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::rtt::{WAITING, turn_bits};

// A kernel takes literals alone.
const _: () = assert!(WAITING == 4);

/// One operation at a time: a load before an ended segment before the turn of the next flow.
///
/// An offer stands in registers, for it goes to the addresses of a hundred RAMs; it stays until it is taken, and the next one stands
/// there a clock later. A load is offered from the 2nd clock on; 16 ended segments wait, the first is offered from the 4th clock on. A turn
/// that finds the place taken waits, and all turns behind it.
#[derive(LogicBlock)]
pub struct Offer<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// No turns, and nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// The offer is taken at this clock.
    pub take: Signal<In, Bit>,
    /// A flow's segments are to be voided.
    pub load_valid: Signal<In, Bit>,
    pub load_flow: Signal<In, Bits<F>>,
    /// A segment ended.
    pub ended_valid: Signal<In, Bit>,
    pub ended_flow: Signal<In, Bits<F>>,
    pub ended_segment: Signal<In, Bits<16>>,
    pub ended_check: Signal<In, Bits<32>>,
    pub ended_bytes: Signal<In, Bits<32>>,
    pub ended_place: Signal<In, Bits<16>>,
    pub ended_generation: Signal<In, Bits<2>>,
    /// Kind of the offer, if there is one.
    pub load: Signal<Out, Bit>,
    pub ended: Signal<Out, Bit>,
    pub turn: Signal<Out, Bit>,
    pub any: Signal<Out, Bit>,
    /// Flow of the offer.
    pub flow: Signal<Out, Bits<F>>,
    /// Ended segment on offer: number, check, charged bytes, place, turn of the ring.
    pub segment: Signal<Out, Bits<16>>,
    pub check: Signal<Out, Bits<32>>,
    pub bytes: Signal<Out, Bits<32>>,
    pub place: Signal<Out, Bits<16>>,
    pub generation: Signal<Out, Bits<2>>,
    // From bit 0: flow 16, segment 16, check 32, bytes 32, place 16, generation 2.
    waiting: Fifo<114, 4, 5>,
    has_load: DFF<Bit>,
    at_load: DFF<Bits<F>>,
    /// From bit `turn_bits` on the flow whose turn is next.
    scan: DFF<Bits<19>>,
    shift: Constant<Bits<5>>,
    mask: Constant<Bits<19>>,
    begins: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    turn_flow: Signal<Local, Bits<19>>,
    head: Signal<Local, Bits<114>>,
    o_load: DFF<Bit>,
    o_ended: DFF<Bit>,
    o_turn: DFF<Bit>,
    o_any: DFF<Bit>,
    o_flow: DFF<Bits<F>>,
    o_head: DFF<Bits<114>>,
}

impl<const F: usize> Default for Offer<F> {
    fn default() -> Self {
        let turn = turn_bits(F as u32);
        blank!(
            shift = Constant::new(bits::<5>(turn.into())),
            mask = Constant::new(bits::<19>((1 << turn) - 1)),
            ;
            clk rst sweep take load_valid load_flow ended_valid ended_flow ended_segment ended_check ended_bytes ended_place ended_generation
            load ended turn any flow segment check bytes place generation waiting has_load at_load scan begins free held turn_flow head o_load
            o_ended o_turn o_any o_flow o_head
        )
    }
}

impl<const F: usize> Logic for Offer<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, has_load, at_load, scan, o_load, o_ended, o_turn, o_any, o_flow, o_head);
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.i_valid.next = self.ended_valid.val() & !self.sweep.val();
        self.waiting.i_data.next = bit_cast::<114, F>(self.ended_flow.val())
            | (bit_cast::<114, 16>(self.ended_segment.val()) << 16)
            | (bit_cast::<114, 32>(self.ended_check.val()) << 32)
            | (bit_cast::<114, 32>(self.ended_bytes.val()) << 64)
            | (bit_cast::<114, 16>(self.ended_place.val()) << 96)
            | (bit_cast::<114, 2>(self.ended_generation.val()) << 112);
        self.head.next = self.waiting.o_data.val();

        self.free.next = !self.o_any.q.val() | self.take.val();
        self.begins.next = !(self.scan.q.val() & self.mask.val()).any();
        self.turn_flow.next = self.scan.q.val() >> self.shift.val();
        self.held.next = self.has_load.q.val() | self.waiting.o_valid.val();
        self.waiting.o_ready.next = self.free.val() & !self.has_load.q.val();
        if self.free.val() {
            self.o_load.d.next = self.has_load.q.val();
            self.o_ended.d.next = !self.has_load.q.val() & self.waiting.o_valid.val();
            self.o_turn.d.next = !self.held.val() & self.begins.val() & !self.sweep.val();
            self.o_any.d.next = self.held.val() | (self.begins.val() & !self.sweep.val());
            self.o_head.d.next = self.head.val();
            self.o_flow.d.next = self.turn_flow.val().get_bits::<F>(0);
            if self.has_load.q.val() {
                self.o_flow.d.next = self.at_load.q.val();
            } else if self.waiting.o_valid.val() {
                self.o_flow.d.next = self.head.val().get_bits::<F>(0);
            }
            self.has_load.d.next = false;
        }
        if !self.sweep.val() & !(self.begins.val() & (self.held.val() | !self.free.val())) {
            self.scan.d.next = self.scan.q.val() + bits::<19>(1);
        }
        if self.load_valid.val() {
            self.has_load.d.next = true;
            self.at_load.d.next = self.load_flow.val();
        }
        self.load.next = self.o_load.q.val();
        self.ended.next = self.o_ended.q.val();
        self.turn.next = self.o_turn.q.val();
        self.any.next = self.o_any.q.val();
        self.flow.next = self.o_flow.q.val();
        self.segment.next = self.o_head.q.val().get_bits::<16>(16);
        self.check.next = self.o_head.q.val().get_bits::<32>(32);
        self.bytes.next = self.o_head.q.val().get_bits::<32>(64);
        self.place.next = self.o_head.q.val().get_bits::<16>(96);
        self.generation.next = self.o_head.q.val().get_bits::<2>(112);
        if self.rst.val() {
            self.has_load.d.next = false;
            self.scan.d.next = bits::<19>(0);
            self.o_load.d.next = false;
            self.o_ended.d.next = false;
            self.o_turn.d.next = false;
            self.o_any.d.next = false;
        }
    }
}
