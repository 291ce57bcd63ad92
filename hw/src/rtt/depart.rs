//! What a departure says about its segment: the start of the RTT.
use super::blank;
use rust_hdl::prelude::*;

/// Keeps the 256 entries of the tag table and turns a completion into a segment's stamp, 10 clocks later.
///
/// A completion waits 6 clocks first, so that it may come from the clock of its frame's `sent` on: the entry takes 5 to be there. A tag is live from its `sent` to its completion: a wrong or repeated one gives nothing. One completion a clock, never stalls.
#[derive(LogicBlock)]
pub struct DepartUnit<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The completions are not accepted.
    pub sweep: Signal<In, Bit>,
    /// A frame departed.
    pub c_valid: Signal<In, Bit>,
    /// Its tag.
    pub c_tag: Signal<In, Bits<16>>,
    /// When, bits 47..8: ns in Q.8.
    pub c_ts: Signal<In, Bits<40>>,
    /// A tag gets its entry; fields as those of `SentUnit`.
    pub tag_valid: Signal<In, Bit>,
    /// The tag.
    pub tag: Signal<In, Bits<16>>,
    /// Flow of the frame.
    pub tag_flow: Signal<In, Bits<F>>,
    /// Segment of the frame.
    pub tag_segment: Signal<In, Bits<32>>,
    /// The completion gives a stamp.
    pub tag_write: Signal<In, Bit>,
    /// The stamp is the departure plus `tag_value`.
    pub tag_relative: Signal<In, Bit>,
    /// ns in Q.8.
    pub tag_value: Signal<In, Bits<40>>,
    /// A segment gets its stamp.
    pub stamp_valid: Signal<Out, Bit>,
    /// Its flow.
    pub stamp_flow: Signal<Out, Bits<F>>,
    /// The segment, as much of it as slot and stamp identity need.
    pub stamp_segment: Signal<Out, Bits<16>>,
    /// ns in Q.8.
    pub stamp: Signal<Out, Bits<40>>,
    /// Bits 39..0 value, 40 relative, 41 write, 48..42 upper tag, 64..49 segment, 80..65 flow.
    entries: RAM<Bits<81>, 8>,
    live: DFF<Bits<256>>,
    one: Constant<Bits<256>>,
    /// Of the frames that are no data.
    no_data: Constant<Bits<15>>,
    // Index k is the register of clock k + 1; clock 6 addresses the RAM.
    valid: [DFF<Bit>; 8],
    number: [DFF<Bits<16>>; 10],
    ts: [DFF<Bits<40>>; 9],
    entry: [DFF<Bits<81>>; 2],
    ours: DFF<Bit>,
    fits: DFF<Bit>,
    alive: DFF<Bit>,
    /// The completion one and two before this one have the same place.
    same: [DFF<Bit>; 2],
    hits: [DFF<Bit>; 2],
    index: Signal<Local, Bits<8>>,
    hit: Signal<Local, Bit>,
    set: Signal<Local, Bits<256>>,
    clear: Signal<Local, Bits<256>>,
    keep: Signal<Local, Bits<256>>,
    base: Signal<Local, Bits<40>>,
    out_valid: DFF<Bit>,
    out_flow: DFF<Bits<F>>,
    out_segment: DFF<Bits<16>>,
    out_stamp: DFF<Bits<40>>,
}

impl<const F: usize> Default for DepartUnit<F> {
    fn default() -> Self {
        blank!(
            one = Constant::new(bits::<256>(1)),
            no_data = Constant::new(bits::<15>(timely_model::bus::TAG_NO_DATA.into())),
            ;
            clk rst sweep c_valid c_tag c_ts tag_valid tag tag_flow tag_segment tag_write tag_relative tag_value stamp_valid
            stamp_flow stamp_segment stamp entries live valid number ts entry ours fits alive same hits index hit set clear keep base out_valid out_flow
            out_segment out_stamp
        )
    }
}

impl<const F: usize> Logic for DepartUnit<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, live, ours, fits, alive, out_valid, out_flow, out_segment, out_stamp);
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
        }
        for i in 0..8 {
            self.ts[i + 1].d.next = self.ts[i].q.val();
        }
        self.entries.read_clock.next = self.clk.val();
        self.entries.write_clock.next = self.clk.val();
        // 0
        self.valid[0].d.next = self.c_valid.val() & !self.sweep.val();
        self.number[0].d.next = self.c_tag.val();
        self.ts[0].d.next = self.c_ts.val();
        // 6
        self.entries.read_address.next = self.number[5].q.val().get_bits::<8>(0);
        // 7
        self.entry[0].d.next = self.entries.read_data.val();
        self.ours.d.next = !self.number[6].q.val().get_bit(15) & (self.number[6].q.val().get_bits::<15>(0) != self.no_data.val());
        // 8
        self.entry[1].d.next = self.entry[0].q.val();
        self.index.next = self.number[7].q.val().get_bits::<8>(0);
        self.alive.d.next = self.live.q.val().get_bit(self.index.val().index());
        self.fits.d.next = self.valid[7].q.val()
            & self.ours.q.val()
            & (self.number[7].q.val().get_bits::<7>(8) == self.entry[0].q.val().get_bits::<7>(42));
        self.same[0].d.next = self.number[7].q.val().get_bits::<8>(0) == self.number[8].q.val().get_bits::<8>(0);
        self.same[1].d.next = self.number[7].q.val().get_bits::<8>(0) == self.number[9].q.val().get_bits::<8>(0);
        // 9: a tag is spent by the completion that finds it live, unless one of the two before it did, which is not seen yet.
        self.hit.next = self.fits.q.val()
            & self.alive.q.val()
            & !(self.same[0].q.val() & self.hits[0].q.val())
            & !(self.same[1].q.val() & self.hits[1].q.val());
        self.hits[0].d.next = self.hit.val();
        self.hits[1].d.next = self.hits[0].q.val();
        self.base.next = bits::<40>(0);
        if self.entry[1].q.val().get_bit(40) {
            self.base.next = self.ts[8].q.val();
        }
        self.out_stamp.d.next = self.base.val() + self.entry[1].q.val().get_bits::<40>(0);
        self.out_valid.d.next = self.hit.val() & self.entry[1].q.val().get_bit(41);
        self.out_segment.d.next = self.entry[1].q.val().get_bits::<16>(49);
        self.out_flow.d.next = self.entry[1].q.val().get_bits::<F>(65);
        // 10
        self.clear.next = bits::<256>(0);
        if self.hits[0].q.val() {
            self.clear.next = self.one.val() << self.number[9].q.val().get_bits::<8>(0);
        }
        self.set.next = bits::<256>(0);
        if self.tag_valid.val() {
            self.set.next = self.one.val() << self.tag.val().get_bits::<8>(0);
        }
        self.keep.next = !self.clear.val();
        self.live.d.next = (self.live.q.val() & self.keep.val()) | self.set.val();
        self.stamp_valid.next = self.out_valid.q.val();
        self.stamp_flow.next = self.out_flow.q.val();
        self.stamp_segment.next = self.out_segment.q.val();
        self.stamp.next = self.out_stamp.q.val();
        self.entries.write_enable.next = self.tag_valid.val();
        self.entries.write_address.next = self.tag.val().get_bits::<8>(0);
        self.entries.write_data.next = bit_cast::<81, 40>(self.tag_value.val())
            | (bit_cast::<81, 1>(self.tag_relative.val().into()) << 40)
            | (bit_cast::<81, 1>(self.tag_write.val().into()) << 41)
            | (bit_cast::<81, 7>(self.tag.val().get_bits::<7>(8)) << 42)
            | (bit_cast::<81, 16>(self.tag_segment.val().get_bits::<16>(0)) << 49)
            | (bit_cast::<81, F>(self.tag_flow.val()) << 65);
        if self.rst.val() {
            for i in 0..8 {
                self.valid[i].d.next = false;
            }
            for i in 0..2 {
                self.hits[i].d.next = false;
            }
            self.fits.d.next = false;
            self.live.d.next = bits::<256>(0);
            self.out_valid.d.next = false;
        }
    }
}
