//! What a sent frame becomes: the identity of its segment, and an entry for its tag.
use super::blank;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;

use crate::num::U;

/// Turns `sent_*` into the slot's identity (4 clocks later, for the frame that ends its segment) and the tag's entry (5 clocks later).
///
/// One frame a clock, never stalls. The running sum of a flow's bytes is forwarded from the three frames before that are on their
/// way to the RAM. Which stamp the completion is to give is decided here, by the profile at the time: see [`SentUnit::tag_relative`].
#[derive(LogicBlock)]
pub struct SentUnit<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// As in `docs/datapath.md`.
    pub sent_valid: Signal<In, Bit>,
    /// Tag of the frame's completion.
    pub sent_tag: Signal<In, Bits<16>>,
    /// Flow.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Segment.
    pub sent_segment: Signal<In, Bits<32>>,
    /// Nonce of the segment.
    pub sent_nonce: Signal<In, Bits<32>>,
    /// First packet of the segment.
    pub sent_first: Signal<In, Bit>,
    /// Last packet of the segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// Charged bytes of the segment so far.
    pub sent_segment_bytes: Signal<In, Bits<24>>,
    /// Launch time, bits 47..8: ns in Q.8.
    pub sent_launch: Signal<In, Bits<40>>,
    /// A flow's profile is set.
    pub flow_valid: Signal<In, Bit>,
    /// Its flow.
    pub flow_index: Signal<In, Bits<F>>,
    /// The profile.
    pub flow_profile: Signal<In, Bits<4>>,
    /// A profile's start of the RTT is set.
    pub start_valid: Signal<In, Bit>,
    /// Its profile.
    pub start_profile: Signal<In, Bits<4>>,
    /// The start.
    pub start: Signal<In, Bits<2>>,
    /// Profile address that is cleared.
    pub sweep_profile: Signal<In, Bits<4>>,
    /// ns a byte takes on the line, Q.16.
    pub ns_per_byte: Signal<In, Bits<32>>,
    /// Time, ns.
    pub now_ns: Signal<In, Bits<32>>,
    /// A segment takes its slot.
    pub slot_valid: Signal<Out, Bit>,
    /// Its flow.
    pub slot_flow: Signal<Out, Bits<F>>,
    /// The segment.
    pub slot_segment: Signal<Out, Bits<32>>,
    /// The one after it.
    pub slot_next: Signal<Out, Bits<32>>,
    /// Its nonce.
    pub slot_nonce: Signal<Out, Bits<32>>,
    /// Bytes of the flow up to its end.
    pub slot_bytes: Signal<Out, Bits<24>>,
    /// When it was sent, ns.
    pub slot_opened: Signal<Out, Bits<32>>,
    /// It does not follow the segment before it.
    pub slot_gap: Signal<Out, Bit>,
    /// A tag gets its entry.
    pub tag_valid: Signal<Out, Bit>,
    /// The tag.
    pub tag: Signal<Out, Bits<16>>,
    /// Flow of the frame.
    pub tag_flow: Signal<Out, Bits<F>>,
    /// Segment of the frame.
    pub tag_segment: Signal<Out, Bits<32>>,
    /// The completion gives a stamp.
    pub tag_write: Signal<Out, Bit>,
    /// The stamp is the departure plus `tag_value`; otherwise `tag_value` alone.
    pub tag_relative: Signal<Out, Bit>,
    /// ns in Q.8.
    pub tag_value: Signal<Out, Bits<40>>,
    /// Bits 31..0 the segment after the last one sent, 55..32 the bytes sent.
    flows: ApartRam<Bits<56>, F>,
    profiles: RAM<Bits<4>, F>,
    starts: RAM<Bits<2>, 4>,
    overhead: Constant<Bits<16>>,
    // Index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    ends: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    segment: [DFF<Bits<32>>; 5],
    next: [DFF<Bits<32>>; 6],
    nonce: [DFF<Bits<32>>; 4],
    opened: [DFF<Bits<32>>; 4],
    number: [DFF<Bits<16>>; 5],
    first: [DFF<Bit>; 4],
    launch: [DFF<Bits<40>>; 4],
    bytes: [DFF<Bits<24>>; 3],
    on_wire: DFF<Bits<16>>,
    frame: DFF<U<16>>,
    low: Signal<Local, U<16>>,
    high: Signal<Local, U<16>>,
    product_low: DFF<Bits<32>>,
    product_high: DFF<Bits<32>>,
    wire_time: DFF<Bits<40>>,
    rounded: Signal<Local, Bits<41>>,
    raw: DFF<Bits<56>>,
    raw_profile: DFF<Bits<4>>,
    start_of: DFF<Bits<2>>,
    /// The frame one, two, three, four before this one ends a segment of the same flow.
    same: [DFF<Bit>; 4],
    expected: DFF<Bits<32>>,
    prior: DFF<Bits<24>>,
    sum: Signal<Local, Bits<24>>,
    total: [DFF<Bits<24>>; 3],
    gap: DFF<Bit>,
    write: DFF<Bit>,
    relative: DFF<Bit>,
    value: DFF<Bits<40>>,
}

impl<const F: usize> Default for SentUnit<F> {
    fn default() -> Self {
        blank!(
            overhead = Constant::new(bits::<16>(PREAMBLE_AND_GAP.into())),
            ;
            clk rst sweep sweep_flow sent_valid sent_tag sent_flow sent_segment sent_nonce sent_first sent_last sent_wire_bytes
            sent_segment_bytes sent_launch flow_valid flow_index flow_profile start_valid start_profile start sweep_profile
            ns_per_byte now_ns slot_valid slot_flow slot_segment slot_next slot_nonce slot_bytes slot_opened slot_gap tag_valid tag
            tag_flow tag_segment tag_write tag_relative tag_value flows profiles starts valid ends flow segment next nonce opened
            number first launch bytes on_wire frame low high product_low product_high wire_time rounded raw raw_profile start_of
            same expected prior sum total gap write relative value
        )
    }
}

impl<const F: usize> Logic for SentUnit<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, on_wire, frame, product_low, product_high, wire_time, raw, raw_profile, start_of, expected, prior);
        dff_setup!(self, clk, gap, write, relative, value);
        for i in 0..6 {
            self.next[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.ends[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.segment[i].clock.next = self.clk.val();
            self.number[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.nonce[i].clock.next = self.clk.val();
            self.opened[i].clock.next = self.clk.val();
            self.first[i].clock.next = self.clk.val();
            self.launch[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.bytes[i].clock.next = self.clk.val();
            self.total[i].clock.next = self.clk.val();
        }
        self.flows.read_clock.next = self.clk.val();
        self.flows.write_clock.next = self.clk.val();
        self.profiles.read_clock.next = self.clk.val();
        self.profiles.write_clock.next = self.clk.val();
        self.starts.read_clock.next = self.clk.val();
        self.starts.write_clock.next = self.clk.val();
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.ends[i + 1].d.next = self.ends[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.segment[i + 1].d.next = self.segment[i].q.val();
            self.number[i + 1].d.next = self.number[i].q.val();
            self.next[i + 2].d.next = self.next[i + 1].q.val();
        }
        for i in 0..3 {
            self.nonce[i + 1].d.next = self.nonce[i].q.val();
            self.opened[i + 1].d.next = self.opened[i].q.val();
            self.first[i + 1].d.next = self.first[i].q.val();
            self.launch[i + 1].d.next = self.launch[i].q.val();
        }
        for i in 0..2 {
            self.bytes[i + 1].d.next = self.bytes[i].q.val();
            self.total[i + 1].d.next = self.total[i].q.val();
        }
        // 0: reads.
        self.valid[0].d.next = self.sent_valid.val() & !self.sweep.val();
        self.ends[0].d.next = self.sent_valid.val() & !self.sweep.val() & self.sent_last.val();
        self.flow[0].d.next = self.sent_flow.val();
        self.segment[0].d.next = self.sent_segment.val();
        self.next[0].d.next = bits::<32>(0);
        self.nonce[0].d.next = self.sent_nonce.val();
        self.opened[0].d.next = self.now_ns.val();
        self.number[0].d.next = self.sent_tag.val();
        self.first[0].d.next = self.sent_first.val();
        self.launch[0].d.next = self.sent_launch.val();
        self.bytes[0].d.next = self.sent_segment_bytes.val();
        self.on_wire.d.next = self.sent_wire_bytes.val();
        self.flows.read_address.next = self.sent_flow.val();
        self.profiles.read_address.next = self.sent_flow.val();
        // 1: who before is of the same flow.
        self.next[1].d.next = self.segment[0].q.val() + bits::<32>(1);
        self.frame.d.next = (self.on_wire.q.val() - self.overhead.val()).into();
        self.raw.d.next = self.flows.read_data.val();
        self.raw_profile.d.next = self.profiles.read_data.val();
        for i in 0..4 {
            self.same[i].d.next = self.ends[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }
        // 2: operands, from the youngest that has them.
        self.sum.next = self.prior.q.val() + self.bytes[2].q.val();
        self.expected.d.next = self.raw.q.val().get_bits::<32>(0);
        self.prior.d.next = self.raw.q.val().get_bits::<24>(32);
        if self.same[0].q.val() {
            self.expected.d.next = self.next[2].q.val();
            self.prior.d.next = self.sum.val();
        } else if self.same[1].q.val() {
            self.expected.d.next = self.next[3].q.val();
            self.prior.d.next = self.total[0].q.val();
        } else if self.same[2].q.val() {
            self.expected.d.next = self.next[4].q.val();
            self.prior.d.next = self.total[1].q.val();
        } else if self.same[3].q.val() {
            self.expected.d.next = self.next[5].q.val();
            self.prior.d.next = self.total[2].q.val();
        }
        self.low.next = self.ns_per_byte.val().get_bits::<16>(0).into();
        self.high.next = self.ns_per_byte.val().get_bits::<16>(16).into();
        self.product_low.d.next = (self.frame.q.val() * self.low.val()).into();
        self.product_high.d.next = (self.frame.q.val() * self.high.val()).into();
        self.starts.read_address.next = self.raw_profile.q.val();
        // 3: sums. Rounded by the top bit that is dropped.
        self.total[0].d.next = self.sum.val();
        self.gap.d.next = self.expected.q.val() != self.segment[2].q.val();
        self.rounded.next = ((bit_cast::<41, 32>(self.product_high.q.val()) << 9) | bits::<41>(1))
            + bit_cast::<41, 25>(self.product_low.q.val().get_bits::<25>(7));
        self.wire_time.d.next = self.rounded.val().get_bits::<40>(1);
        self.start_of.d.next = self.starts.read_data.val();
        // 4: the slot.
        self.slot_valid.next = self.ends[3].q.val();
        self.slot_flow.next = self.flow[3].q.val();
        self.slot_segment.next = self.segment[3].q.val();
        self.slot_next.next = self.next[3].q.val();
        self.slot_nonce.next = self.nonce[3].q.val();
        self.slot_bytes.next = self.total[0].q.val();
        self.slot_opened.next = self.opened[3].q.val();
        self.slot_gap.next = self.gap.q.val();
        self.flows.write_enable.next = self.ends[3].q.val() | self.sweep.val();
        self.flows.write_address.next = self.flow[3].q.val();
        self.flows.write_data.next = bit_cast::<56, 32>(self.next[3].q.val()) | (bit_cast::<56, 24>(self.total[0].q.val()) << 32);
        self.value.d.next = self.launch[3].q.val();
        self.relative.d.next = !self.start_of.q.val().get_bit(1);
        self.write.d.next = self.first[3].q.val();
        if self.start_of.q.val() == bits::<2>(0) {
            self.value.d.next = self.wire_time.q.val();
            self.write.d.next = self.ends[3].q.val();
        } else if self.start_of.q.val() == bits::<2>(1) {
            self.value.d.next = bits::<40>(0);
        }
        // 5: the tag.
        self.tag_valid.next = self.valid[4].q.val();
        self.tag.next = self.number[4].q.val();
        self.tag_flow.next = self.flow[4].q.val();
        self.tag_segment.next = self.segment[4].q.val();
        self.tag_write.next = self.write.q.val();
        self.tag_relative.next = self.relative.q.val();
        self.tag_value.next = self.value.q.val();
        // Configuration, and the sweep.
        self.profiles.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.profiles.write_address.next = self.flow_index.val();
        self.profiles.write_data.next = self.flow_profile.val();
        self.starts.write_enable.next = self.start_valid.val() | self.sweep.val();
        self.starts.write_address.next = self.start_profile.val();
        self.starts.write_data.next = self.start.val();
        if self.sweep.val() {
            self.flows.write_address.next = self.sweep_flow.val();
            self.flows.write_data.next = bits::<56>(0);
            self.profiles.write_address.next = self.sweep_flow.val();
            self.profiles.write_data.next = bits::<4>(0);
            self.starts.write_address.next = self.sweep_profile.val();
            self.starts.write_data.next = bits::<2>(0);
        }
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
                self.ends[i].d.next = false;
            }
        }
    }
}
