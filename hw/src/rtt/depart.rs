//! Departures: what a completion gives, by the entry of its frame in the tag table.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Gives, Start, Tag};
use crate::constant::Const;
use rust_hdl::prelude::*;

/// Keeps the 256 entries of the tag table and finds the one of each completion, 10 clocks later.
///
/// A completion waits 6 clocks first, so that it may come from the clock of its frame's `sent` on:
/// the entry takes 5 to be there. A tag is live from its `sent` to its completion: a wrong or
/// repeated one gives nothing. One completion a clock, never stalls.
#[derive(LogicBlock, Default)]
pub struct DepartUnit {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// A frame departed: tag, and when, ns in Q.8.
    pub c_valid: Signal<In, Bit>,
    pub c_tag: Signal<In, Bits<16>>,
    pub c_ts: Signal<In, Bits<40>>,
    /// Steps of the time that departures are of.
    pub time_epoch: Signal<In, Bits<2>>,
    /// A tag gets its entry.
    pub tag_valid: Signal<In, Bit>,
    pub tag: Signal<In, Tag>,
    /// A frame of ours has departed: what that gives, its flow and segment, the segment's place in
    /// the ring and what would be the start of its RTT.
    pub o_valid: Signal<Out, Bit>,
    pub o_gives: Signal<Out, Gives>,
    pub o_flow: Signal<Out, Bits<16>>,
    pub o_segment: Signal<Out, Bits<6>>,
    pub o_place: Signal<Out, Bits<16>>,
    pub o_start: Signal<Out, Start>,
    entries: RAM<Tag, 8>,
    live: DFF<Bits<256>>,
    one: Const<Bits<256>>,
    /// Of the frames that are no data.
    no_data: Const<Bits<15>>,
    // Index k is the register of clock k + 1; clock 6 addresses the RAM.
    valid: [DFF<Bit>; 8],
    number: [DFF<Bits<16>>; 10],
    ts: [DFF<Bits<40>>; 9],
    epoch: [DFF<Bits<2>>; 9],
    // 8 and 9.
    entry: [DFF<Tag>; 2],
    ours: DFF<Bit>,
    fits: DFF<Bit>,
    alive: DFF<Bit>,
    /// The completion one and two before this one have the same place.
    same: [DFF<Bit>; 2],
    hits: [DFF<Bit>; 2],
    index: Signal<Local, Bits<8>>,
    new_tag: Signal<Local, Bits<16>>,
    read: Signal<Local, Tag>,
    read_tag: Signal<Local, Bits<16>>,
    found: Signal<Local, Tag>,
    hit: Signal<Local, Bit>,
    set: Signal<Local, Bits<256>>,
    clear: Signal<Local, Bits<256>>,
    keep: Signal<Local, Bits<256>>,
    base: Signal<Local, Bits<40>>,
    // 10.
    gives: DFF<Gives>,
    flow: DFF<Bits<16>>,
    segment: DFF<Bits<6>>,
    place: DFF<Bits<16>>,
    at: DFF<Start>,
}

impl DepartUnit {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            one: Const::new(bits::<256>(1)),
            no_data: Const::new(bits::<15>(timely_model::bus::TAG_NO_DATA.into())),
            ..Default::default()
        }
    }
}

impl Logic for DepartUnit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, live, ours, fits, alive, gives, flow, segment, place, at);
        for i in 0..2 {
            self.entry[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
            self.hits[i].clock.next = self.clk.val();
        }
        for i in 0..8 {
            self.valid[i].clock.next = self.clk.val();
        }
        for i in 0..7 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
        }
        for i in 0..10 {
            self.number[i].clock.next = self.clk.val();
        }
        for i in 0..9 {
            self.number[i + 1].d.next = self.number[i].q.val();
            self.ts[i].clock.next = self.clk.val();
            self.epoch[i].clock.next = self.clk.val();
        }
        for i in 0..8 {
            self.ts[i + 1].d.next = self.ts[i].q.val();
            self.epoch[i + 1].d.next = self.epoch[i].q.val();
        }
        self.entries.read_clock.next = self.clk.val();
        self.entries.write_clock.next = self.clk.val();
        // (A slice of a field has a name, for yosys takes no slice of a slice.)
        self.new_tag.next = self.tag.val().tag;
        // 0
        self.valid[0].d.next = self.c_valid.val() & !self.sweep.val();
        self.number[0].d.next = self.c_tag.val();
        self.ts[0].d.next = self.c_ts.val();
        self.epoch[0].d.next = self.time_epoch.val();
        // 6
        self.entries.read_address.next = self.number[5].q.val().get_bits::<8>(0);
        // 7
        self.entry[0].d.next = self.entries.read_data.val();
        self.ours.d.next = !self.number[6].q.val().get_bit(15) & (self.number[6].q.val().get_bits::<15>(0) != self.no_data.val());
        // 8
        self.entry[1].d.next = self.entry[0].q.val();
        self.read.next = self.entry[0].q.val();
        self.read_tag.next = self.read.val().tag;
        self.index.next = self.number[7].q.val().get_bits::<8>(0);
        self.alive.d.next = self.live.q.val().get_bit(self.index.val().index());
        self.fits.d.next =
            self.valid[7].q.val() & self.ours.q.val() & (self.number[7].q.val().get_bits::<7>(8) == self.read_tag.val().get_bits::<7>(8));
        self.same[0].d.next = self.number[7].q.val().get_bits::<8>(0) == self.number[8].q.val().get_bits::<8>(0);
        self.same[1].d.next = self.number[7].q.val().get_bits::<8>(0) == self.number[9].q.val().get_bits::<8>(0);
        // 9: a tag is spent by the completion that finds it live, unless one of the two before it
        // did, which is not seen yet.
        self.found.next = self.entry[1].q.val();
        self.hit.next = self.fits.q.val()
            & self.alive.q.val()
            & !(self.same[0].q.val() & self.hits[0].q.val())
            & !(self.same[1].q.val() & self.hits[1].q.val());
        self.hits[0].d.next = self.hit.val();
        self.hits[1].d.next = self.hits[0].q.val();
        self.base.next = bits::<40>(0);
        if self.found.val().relative {
            self.base.next = self.ts[8].q.val();
        }
        self.at.d.next.at = self.base.val() + self.found.val().value;
        self.at.d.next.epoch = self.epoch[8].q.val();
        self.at.d.next.generation = self.found.val().generation;
        self.at.d.next.valid = true;
        self.gives.d.next = self.found.val().gives;
        self.flow.d.next = self.found.val().flow;
        self.segment.d.next = self.found.val().segment;
        self.place.d.next = self.found.val().place;
        // 10: the tag is spent.
        self.clear.next = bits::<256>(0);
        if self.hits[0].q.val() {
            self.clear.next = self.one.val() << self.number[9].q.val().get_bits::<8>(0);
        }
        self.set.next = bits::<256>(0);
        if self.tag_valid.val() {
            self.set.next = self.one.val() << self.new_tag.val().get_bits::<8>(0);
        }
        self.keep.next = !self.clear.val();
        self.live.d.next = (self.live.q.val() & self.keep.val()) | self.set.val();
        self.o_valid.next = self.hits[0].q.val();
        self.o_gives.next = self.gives.q.val();
        self.o_flow.next = self.flow.q.val();
        self.o_segment.next = self.segment.q.val();
        self.o_place.next = self.place.q.val();
        self.o_start.next = self.at.q.val();
        self.entries.write_enable.next = self.tag_valid.val();
        self.entries.write_address.next = self.new_tag.val().get_bits::<8>(0);
        self.entries.write_data.next = self.tag.val();
        if self.rst.val() {
            for i in 0..8 {
                self.valid[i].d.next = false;
            }
            for i in 0..2 {
                self.hits[i].d.next = false;
            }
            self.fits.d.next = false;
            self.live.d.next = bits::<256>(0);
        }
    }
}
