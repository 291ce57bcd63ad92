//! Operations that enter at a clock without an ACK.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::Waiting;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::rtt::turn_bits;

/// One operation at a time: a load before an ended segment before the turn of the next flow.
///
/// An offer stands in registers, for it goes to the addresses of a hundred RAMs; it stays until it
/// is taken, and the next one stands there a clock later. A load is offered from the 2nd clock on,
/// an ended segment from a clock after it is taken. A turn that finds the place taken waits, and
/// all turns behind it.
#[derive(LogicBlock, Default)]
pub struct Offer<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// No turns, and nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// The offer is taken at this clock.
    pub take: Signal<In, Bit>,
    /// A flow's segments are to be voided.
    pub load_valid: Signal<In, Bit>,
    pub load_flow: Signal<In, Bits<F>>,
    /// An ended segment waits.
    pub waiting_valid: Signal<In, Bit>,
    pub waiting_ready: Signal<Out, Bit>,
    pub waiting: Signal<In, Waiting>,
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
    has_load: DFF<Bit>,
    at_load: DFF<Bits<F>>,
    /// From bit `turn_bits` on the flow whose turn is next.
    scan: DFF<Bits<19>>,
    shift: Const<Bits<5>>,
    mask: Const<Bits<19>>,
    head_flow: Signal<Local, Bits<16>>,
    begins: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    turn_flow: Signal<Local, Bits<19>>,
    o_load: DFF<Bit>,
    o_ended: DFF<Bit>,
    o_turn: DFF<Bit>,
    o_any: DFF<Bit>,
    o_flow: DFF<Bits<F>>,
    o_head: DFF<Waiting>,
}

impl<const F: usize> Offer<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        let turn = turn_bits(F as u32);
        Self { shift: Const::new(bits::<5>(turn.into())), mask: Const::new(bits::<19>((1 << turn) - 1)), ..Default::default() }
    }
}

impl<const F: usize> Logic for Offer<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, has_load, at_load, scan, o_load, o_ended, o_turn, o_any, o_flow, o_head);
        self.head_flow.next = self.waiting.val().flow;
        self.free.next = !self.o_any.q.val() | self.take.val();
        self.begins.next = !(self.scan.q.val() & self.mask.val()).any();
        self.turn_flow.next = self.scan.q.val() >> self.shift.val();
        self.held.next = self.has_load.q.val() | self.waiting_valid.val();
        self.waiting_ready.next = self.free.val() & !self.has_load.q.val();
        if self.free.val() {
            self.o_load.d.next = self.has_load.q.val();
            self.o_ended.d.next = !self.has_load.q.val() & self.waiting_valid.val();
            self.o_turn.d.next = !self.held.val() & self.begins.val() & !self.sweep.val();
            self.o_any.d.next = self.held.val() | (self.begins.val() & !self.sweep.val());
            self.o_head.d.next = self.waiting.val();
            self.o_flow.d.next = self.turn_flow.val().get_bits::<F>(0);
            if self.has_load.q.val() {
                self.o_flow.d.next = self.at_load.q.val();
            } else if self.waiting_valid.val() {
                self.o_flow.d.next = self.head_flow.val().get_bits::<F>(0);
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
        self.segment.next = self.o_head.q.val().segment;
        self.check.next = self.o_head.q.val().check;
        self.bytes.next = self.o_head.q.val().bytes;
        self.place.next = self.o_head.q.val().place;
        self.generation.next = self.o_head.q.val().generation;
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
