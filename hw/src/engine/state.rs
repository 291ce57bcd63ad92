//! Record of a flow without its rate, and the profile it follows.
use super::words::{Filtered, Last, MarkWord, Marked, Record};
use crate::ram::{ApartRam, BlockRam};
use rust_hdl::prelude::*;

/// A [`Record`] a flow, and its profile.
///
/// A port's number is the clock after the issue at which it holds. Read at 0, written at 11, the
/// mark at 19, for it may be the new rate: operations of a flow may follow each other in 20 clocks.
/// A record without history has zeros for what belongs to it.
#[derive(LogicBlock, Default)]
pub struct State<const F: usize> {
    pub clk: Signal<In, Clock>,
    /// Clear the profile of `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// A flow is loaded.
    pub load_valid: Signal<In, Bit>,
    /// The flow.
    pub load_flow: Signal<In, Bits<F>>,
    /// Profile of the loaded flow.
    pub load_profile: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_0: Signal<In, Bits<F>>,
    /// RTT, ns.
    pub rtt_2: Signal<In, Bits<24>>,
    /// Time, ns.
    pub time_2: Signal<In, Bits<32>>,
    /// The operation's flow.
    pub flow_11: Signal<In, Bits<F>>,
    /// The record changes, but for its mark.
    pub write_11: Signal<In, Bit>,
    /// To this.
    pub last_11: Signal<In, Last>,
    /// And this.
    pub filtered_11: Signal<In, Filtered>,
    /// The operation's flow.
    pub flow_19: Signal<In, Bits<F>>,
    /// The mark changes.
    pub write_19: Signal<In, Bit>,
    /// To this.
    pub mark_19: Signal<In, Marked>,
    /// The law is Swift.
    pub swift_2: Signal<In, Bit>,
    /// The law is DCQCN.
    pub dcqcn_2: Signal<In, Bit>,
    /// DCQCN's alpha decays.
    pub decay_2: Signal<In, Bit>,
    /// The flow's profile.
    pub profile_1: Signal<Out, Bits<4>>,
    /// The same, of a RAM that stands elsewhere.
    pub profile_1b: Signal<Out, Bits<4>>,
    /// As `profile_1`, a clock later.
    pub profile_2: Signal<Out, Bits<4>>,
    /// The record.
    pub record_2: Signal<Out, Record>,
    /// As `record_2`, a clock later.
    pub record_3: Signal<Out, Record>,
    /// RTT less the last, ns, signed; 0 without history. For Swift the RTT. DCQCN:
    /// 2^23 where alpha decays, else 0.
    pub difference_3: Signal<Out, Bits<25>>,
    /// Time since the last sample, ns.
    pub age_3: Signal<Out, Bits<32>>,
    /// Time since the mark, ns.
    pub since_3: Signal<Out, Bits<32>>,
    lasts: ApartRam<Last, F>,
    filters: ApartRam<Filtered, F>,
    marks: ApartRam<Marked, F>,
    /// Twice, for a dozen RAMs of profiles are addressed by what comes out.
    profiles: [BlockRam<Bits<4>, F>; 2],
    raw: DFF<Record>,
    mark_2: Signal<Local, MarkWord>,
    record: DFF<Record>,
    profile: DFF<Bits<4>>,
    less: Signal<Local, Bits<24>>,
    difference: DFF<Bits<25>>,
    age: DFF<Bits<32>>,
    since: DFF<Bits<32>>,
}

impl<const F: usize> Logic for State<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, record, profile, difference, age, since);
        self.lasts.read_clock.next = self.clk.val();
        self.lasts.write_clock.next = self.clk.val();
        self.lasts.read_address.next = self.flow_0.val();
        self.lasts.write_address.next = self.flow_11.val();
        self.lasts.write_data.next = self.last_11.val();
        self.lasts.write_enable.next = self.write_11.val();
        self.filters.read_clock.next = self.clk.val();
        self.filters.write_clock.next = self.clk.val();
        self.filters.read_address.next = self.flow_0.val();
        self.filters.write_address.next = self.flow_11.val();
        self.filters.write_data.next = self.filtered_11.val();
        self.filters.write_enable.next = self.write_11.val();
        self.marks.read_clock.next = self.clk.val();
        self.marks.write_clock.next = self.clk.val();
        self.marks.read_address.next = self.flow_0.val();
        self.marks.write_address.next = self.flow_19.val();
        self.marks.write_data.next = self.mark_19.val();
        self.marks.write_enable.next = self.write_19.val();
        // 0, 1
        for i in 0..2 {
            self.profiles[i].clock.next = self.clk.val();
            self.profiles[i].read_enable.next = true;
            self.profiles[i].read_address.next = self.flow_0.val();
        }
        self.raw.d.next.rtt_ns = self.lasts.read_data.val().rtt_ns;
        self.raw.d.next.time_ns = self.lasts.read_data.val().time_ns;
        self.raw.d.next.history = self.lasts.read_data.val().history;
        self.raw.d.next.negatives = self.filters.read_data.val().negatives;
        self.raw.d.next.average = self.filters.read_data.val().average;
        self.raw.d.next.marked = self.marks.read_data.val().marked;
        self.raw.d.next.mark = self.marks.read_data.val().mark;
        self.profile.d.next = self.profiles[0].read_data.val();
        self.profile_1.next = self.profiles[0].read_data.val();
        self.profile_1b.next = self.profiles[1].read_data.val();
        // 2
        self.profile_2.next = self.profile.q.val();
        self.record_2.next = self.raw.q.val();
        self.record.d.next = self.raw.q.val();
        self.less.next = self.raw.q.val().rtt_ns;
        if self.swift_2.val() {
            self.less.next = bits::<24>(0);
        }
        self.difference.d.next = bit_cast::<25, 24>(self.rtt_2.val()) - bit_cast::<25, 24>(self.less.val());
        if !self.raw.q.val().history & !self.swift_2.val() {
            self.difference.d.next = bits::<25>(0);
        }
        if self.dcqcn_2.val() {
            self.difference.d.next = bits::<25>(0);
            if self.decay_2.val() {
                // WHOLE_DIFFERENCE.
                self.difference.d.next = bits::<25>(8388608);
            }
        }
        self.age.d.next = self.time_2.val() - self.raw.q.val().time_ns;
        self.mark_2.next = self.raw.q.val().mark;
        self.since.d.next = self.time_2.val() - self.mark_2.val().low;
        // 3
        self.record_3.next = self.record.q.val();
        self.difference_3.next = self.difference.q.val();
        self.age_3.next = self.age.q.val();
        self.since_3.next = self.since.q.val();
        for i in 0..2 {
            self.profiles[i].write_address.next = self.load_flow.val();
            self.profiles[i].write_data.next = self.load_profile.val();
            self.profiles[i].write_enable.next = self.load_valid.val();
            if self.sweep.val() {
                self.profiles[i].write_address.next = self.sweep_flow.val();
                self.profiles[i].write_data.next = bits::<4>(0);
                self.profiles[i].write_enable.next = true;
            }
        }
    }
}
