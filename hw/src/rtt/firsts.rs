//! Starts of RTTs that begin with a segment's first frame.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{FirstStart, Gives, Start};
use crate::constant::Const;
use rust_hdl::prelude::*;

/// Turns departures into the starts of segments, 4 clocks later: the start that a segment's first
/// frame gives is kept by flow until its last frame has departed. One a clock, never stalls.
#[derive(LogicBlock, Default)]
pub struct Firsts<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The flows' starts are being cleared.
    pub sweep: Signal<In, Bit>,
    pub sweep_flow: Signal<In, Bits<F>>,
    /// A frame departed.
    pub i_valid: Signal<In, Bit>,
    pub i_gives: Signal<In, Gives>,
    pub i_flow: Signal<In, Bits<F>>,
    pub i_segment: Signal<In, Bits<6>>,
    pub i_place: Signal<In, Bits<16>>,
    pub i_start: Signal<In, Start>,
    /// A place in the ring gets its start.
    pub start_valid: Signal<Out, Bit>,
    pub start_place: Signal<Out, Bits<16>>,
    pub start: Signal<Out, Start>,
    none: Const<FirstStart>,
    // Index k is the register of clock k + 1.
    valid: [DFF<Bit>; 3],
    gives: [DFF<Gives>; 3],
    segment: [DFF<Bits<6>>; 3],
    at: [DFF<Start>; 3],
    place: [DFF<Bits<16>>; 4],
    flow: DFF<Bits<F>>,
    ram: RAM<FirstStart, F>,
    departed: Signal<Local, Start>,
    departed_at: Signal<Local, Bits<40>>,
    first: Signal<Local, FirstStart>,
    raw: DFF<FirstStart>,
    late: Signal<Local, FirstStart>,
    chosen: Signal<Local, Start>,
    out_valid: DFF<Bit>,
    out: DFF<Start>,
}

impl<const F: usize> Firsts<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { none: Const::new(FirstStart::default()), ..Default::default() }
    }
}

impl<const F: usize> Logic for Firsts<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, flow, raw, out_valid, out);
        for i in 0..3 {
            self.valid[i].clock.next = self.clk.val();
            self.gives[i].clock.next = self.clk.val();
            self.segment[i].clock.next = self.clk.val();
            self.at[i].clock.next = self.clk.val();
            self.place[i + 1].d.next = self.place[i].q.val();
        }
        for i in 0..2 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.gives[i + 1].d.next = self.gives[i].q.val();
            self.segment[i + 1].d.next = self.segment[i].q.val();
            self.at[i + 1].d.next = self.at[i].q.val();
        }
        for i in 0..4 {
            self.place[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        // 0: the start of a first frame is kept.
        self.valid[0].d.next = self.i_valid.val();
        self.gives[0].d.next = self.i_gives.val();
        self.segment[0].d.next = self.i_segment.val();
        self.place[0].d.next = self.i_place.val();
        self.at[0].d.next = self.i_start.val();
        self.flow.d.next = self.i_flow.val();
        self.departed.next = self.i_start.val();
        self.departed_at.next = self.departed.val().at;
        self.first.next.at = self.departed_at.val().get_bits::<36>(4);
        self.first.next.epoch = self.departed.val().epoch;
        self.first.next.segment = self.i_segment.val();
        self.first.next.valid = true;
        self.ram.write_enable.next = (self.i_valid.val() & (self.i_gives.val() == Gives::First)) | self.sweep.val();
        self.ram.write_address.next = self.i_flow.val();
        self.ram.write_data.next = self.first.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = self.none.val();
        }
        // 1 reads it, 2 has it, 3 chooses.
        self.ram.read_address.next = self.flow.q.val();
        self.raw.d.next = self.ram.read_data.val();
        self.late.next = self.raw.q.val();
        self.chosen.next = self.at[2].q.val();
        self.out_valid.d.next = self.valid[2].q.val() & (self.gives[2].q.val() == Gives::Own);
        if self.gives[2].q.val() == Gives::OfFirst {
            self.chosen.next.at = bit_cast::<40, 36>(self.late.val().at) << 4;
            self.chosen.next.epoch = self.late.val().epoch;
            self.out_valid.d.next = self.valid[2].q.val() & self.late.val().valid & (self.late.val().segment == self.segment[2].q.val());
        }
        self.out.d.next = self.chosen.val();
        // 4
        self.start_valid.next = self.out_valid.q.val();
        self.start_place.next = self.place[3].q.val();
        self.start.next = self.out.q.val();
        if self.rst.val() {
            for i in 0..3 {
                self.valid[i].d.next = false;
            }
            self.out_valid.d.next = false;
        }
    }
}
