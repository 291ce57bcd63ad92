//! Entry of a sent frame, for its completion's tag.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Frame, Gives, Tag};
use crate::constant::Const;
use crate::num::U;
use rust_hdl::prelude::*;
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;

/// Turns `sent_*` into the tag's entry, 5 clocks later. A frame a clock, never stalls.
///
/// The completion's meaning is decided here, by the profile at the time: with start 0 the last
/// frame's completion gives the end of the frame, with starts 1 and 2 the first frame's its
/// departure or launch.
#[derive(LogicBlock, Default)]
pub struct SentUnit<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// Flow and profile that are cleared.
    pub sweep_flow: Signal<In, Bits<F>>,
    pub sweep_profile: Signal<In, Bits<4>>,
    /// As in `docs/datapath.md`; launch in ns, Q.8.
    pub sent_valid: Signal<In, Bit>,
    pub sent_tag: Signal<In, Bits<16>>,
    pub sent_flow: Signal<In, Bits<F>>,
    pub sent_segment: Signal<In, Bits<32>>,
    pub sent_place: Signal<In, Bits<16>>,
    pub sent_generation: Signal<In, Bits<2>>,
    pub sent_first: Signal<In, Bit>,
    pub sent_last: Signal<In, Bit>,
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    pub sent_launch: Signal<In, Bits<40>>,
    /// A flow's profile is set.
    pub flow_valid: Signal<In, Bit>,
    pub flow_index: Signal<In, Bits<F>>,
    pub flow_profile: Signal<In, Bits<4>>,
    /// A profile's start of the RTT is set.
    pub start_valid: Signal<In, Bit>,
    pub start_profile: Signal<In, Bits<4>>,
    pub start: Signal<In, Bits<2>>,
    /// ns a byte takes on the line, Q.16.
    pub ns_per_byte: Signal<In, Bits<32>>,
    /// A tag gets its entry.
    pub tag_valid: Signal<Out, Bit>,
    pub tag: Signal<Out, Tag>,
    profiles: RAM<Bits<4>, F>,
    starts: RAM<Bits<2>, 4>,
    overhead: Const<Bits<16>>,
    // Index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    frame: [DFF<Frame>; 4],
    on_wire: DFF<Bits<16>>,
    bytes: DFF<U<16>>,
    low: Signal<Local, U<16>>,
    high: Signal<Local, U<16>>,
    product_low: DFF<Bits<32>>,
    product_high: DFF<Bits<32>>,
    wire_time: DFF<Bits<40>>,
    rounded: Signal<Local, Bits<41>>,
    raw_profile: DFF<Bits<4>>,
    start_of: DFF<Bits<2>>,
    enters: Signal<Local, Frame>,
    ends: Signal<Local, Frame>,
    out: DFF<Tag>,
}

impl<const F: usize> SentUnit<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { overhead: Const::new(bits::<16>(PREAMBLE_AND_GAP.into())), ..Default::default() }
    }
}

impl<const F: usize> Logic for SentUnit<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, on_wire, bytes, product_low, product_high, wire_time, raw_profile, start_of, out);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.frame[i].clock.next = self.clk.val();
            self.valid[i + 1].d.next = self.valid[i].q.val();
        }
        for i in 0..3 {
            self.frame[i + 1].d.next = self.frame[i].q.val();
        }
        self.profiles.read_clock.next = self.clk.val();
        self.profiles.write_clock.next = self.clk.val();
        self.starts.read_clock.next = self.clk.val();
        self.starts.write_clock.next = self.clk.val();
        // 0: reads.
        self.valid[0].d.next = self.sent_valid.val() & !self.sweep.val();
        self.enters.next.tag = self.sent_tag.val();
        self.enters.next.flow = bit_cast::<16, F>(self.sent_flow.val());
        self.enters.next.segment = self.sent_segment.val().get_bits::<6>(0);
        self.enters.next.place = self.sent_place.val();
        self.enters.next.generation = self.sent_generation.val();
        self.enters.next.first = self.sent_first.val();
        self.enters.next.last = self.sent_last.val();
        self.enters.next.launch = self.sent_launch.val();
        self.frame[0].d.next = self.enters.val();
        self.on_wire.d.next = self.sent_wire_bytes.val();
        self.profiles.read_address.next = self.sent_flow.val();
        // 1.
        self.bytes.d.next = (self.on_wire.q.val() - self.overhead.val()).into();
        self.raw_profile.d.next = self.profiles.read_data.val();
        // 2: products.
        self.low.next = self.ns_per_byte.val().get_bits::<16>(0).into();
        self.high.next = self.ns_per_byte.val().get_bits::<16>(16).into();
        self.product_low.d.next = (self.bytes.q.val() * self.low.val()).into();
        self.product_high.d.next = (self.bytes.q.val() * self.high.val()).into();
        self.starts.read_address.next = self.raw_profile.q.val();
        // 3: rounded by the top bit that is dropped.
        self.rounded.next = ((bit_cast::<41, 32>(self.product_high.q.val()) << 9) | bits::<41>(1))
            + bit_cast::<41, 25>(self.product_low.q.val().get_bits::<25>(7));
        self.wire_time.d.next = self.rounded.val().get_bits::<40>(1);
        self.start_of.d.next = self.starts.read_data.val();
        // 4: the entry.
        self.ends.next = self.frame[3].q.val();
        self.out.d.next.tag = self.ends.val().tag;
        self.out.d.next.flow = self.ends.val().flow;
        self.out.d.next.segment = self.ends.val().segment;
        self.out.d.next.place = self.ends.val().place;
        self.out.d.next.generation = self.ends.val().generation;
        self.out.d.next.relative = !self.start_of.q.val().get_bit(1);
        self.out.d.next.value = self.ends.val().launch;
        self.out.d.next.gives = Gives::Nothing;
        if self.start_of.q.val() == bits::<2>(0) {
            self.out.d.next.value = self.wire_time.q.val();
            if self.ends.val().last {
                self.out.d.next.gives = Gives::Own;
            }
        } else {
            if self.start_of.q.val() == bits::<2>(1) {
                self.out.d.next.value = bits::<40>(0);
            }
            if self.ends.val().first & self.ends.val().last {
                self.out.d.next.gives = Gives::Own;
            } else if self.ends.val().first {
                self.out.d.next.gives = Gives::First;
            } else if self.ends.val().last {
                self.out.d.next.gives = Gives::OfFirst;
            }
        }
        // 5.
        self.tag_valid.next = self.valid[4].q.val();
        self.tag.next = self.out.q.val();
        // Configuration, and the sweep.
        self.profiles.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.profiles.write_address.next = self.flow_index.val();
        self.profiles.write_data.next = self.flow_profile.val();
        self.starts.write_enable.next = self.start_valid.val() | self.sweep.val();
        self.starts.write_address.next = self.start_profile.val();
        self.starts.write_data.next = self.start.val();
        if self.sweep.val() {
            self.profiles.write_address.next = self.sweep_flow.val();
            self.profiles.write_data.next = bits::<4>(0);
            self.starts.write_address.next = self.sweep_profile.val();
            self.starts.write_data.next = bits::<2>(0);
        }
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
        }
    }
}
