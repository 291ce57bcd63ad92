//! Sample of an accepted ACK: hops, residence, and the signal that the profile asks for.
use super::one_way::OneWay;
use super::words::Span;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::bus::{HOPS_MOST, RTT_MAX};

/// The arithmetic of a sample beside the decision whether there is one (`timely_model::rtt`,
/// `signal.rs`).
///
/// Clock 0: hops and residence are subtracted, the latter in two limbs. 1: bounded. 2: RTT, and
/// RTT less residence, out of one carry chain each. 3: selection into the registers of the outputs,
/// which stand from clock 4 on. An operation a clock.
#[derive(LogicBlock, Default)]
pub struct Signals<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The RAM is being cleared.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Clock 0: flow of the operation.
    pub flow: Signal<In, Bits<F>>,
    /// Arrival of the ACK here, or the time of another operation, ns48.fns16.
    pub arrived: Signal<In, Bits<64>>,
    /// The steady time at which the operation entered, ns.
    pub now_ns: Signal<In, Bits<32>>,
    /// Arrival of the packet at the responder, ns48.fns16 of its clock.
    pub arrival: Signal<In, Bits<64>>,
    /// Departure of the ACK there.
    pub departure: Signal<In, Bits<64>>,
    /// TTL that the packet left with.
    pub ttl_sent: Signal<In, Bits<8>>,
    /// TTL that it arrived with.
    pub ttl_seen: Signal<In, Bits<8>>,
    /// Clock 2: start of the RTT, ns in Q.8.
    pub stamp: Signal<In, Bits<40>>,
    /// Clock 3: the operation is a time-out.
    pub is_visit: Signal<In, Bit>,
    /// Signal that the profile asks for.
    pub choice: Signal<In, Bits<2>>,
    /// Base that the profile adds to one-way delay variation, ns.
    pub base: Signal<In, Bits<24>>,
    /// Clock 4: the ACK is accepted, and its start was stamped.
    pub keep: Signal<In, Bit>,
    /// Clock 4: the operation is a load.
    pub forget: Signal<In, Bit>,
    /// Clock 4: the flow.
    pub keep_flow: Signal<In, Bits<F>>,
    /// Clock 4: the signal, ns.
    pub rtt_ns: Signal<Out, Bits<24>>,
    /// The steady time at which the operation entered, ns.
    pub time_ns: Signal<Out, Bits<32>>,
    /// Hops.
    pub hops: Signal<Out, Bits<8>>,
    /// Residence, ns.
    pub endpoint_ns: Signal<Out, Bits<24>>,
    /// Residence is longer than the RTT.
    pub exceeds: Signal<Out, Bit>,
    one_way: OneWay<F>,
    most: Const<Bits<24>>,
    // Index k is the register of clock k + 1.
    apart: DFF<Bits<9>>,
    count: [DFF<Bits<8>>; 2],
    clock: DFF<Bits<40>>,
    moment: [DFF<Bits<32>>; 3],
    low: DFF<Bits<33>>,
    high: DFF<Bits<24>>,
    near: Signal<Local, Bit>,
    took: [DFF<Bits<24>>; 2],
    // For the RTT, and 2 more for what is less: subtracting by complements lacks 1 for each.
    rounded: DFF<Bits<40>>,
    more: DFF<Bits<40>>,
    not_stamp: Signal<Local, Bits<40>>,
    not_took: Signal<Local, Bits<40>>,
    sum: Signal<Local, Bits<40>>,
    carry: Signal<Local, Bits<40>>,
    diff: DFF<Span>,
    less: DFF<Span>,
    long: Signal<Local, Bit>,
    /// The signal is `most`, whatever the other bits are: its late inputs go past their choice.
    saturates: Signal<Local, Bit>,
    out_rtt: DFF<Bits<24>>,
    out_time: DFF<Bits<32>>,
    out_hops: DFF<Bits<8>>,
    out_took: DFF<Bits<24>>,
    out_exceeds: DFF<Bit>,
}

// A sum that carries out of its 24 bits is beyond the most.
const _: () = assert!(RTT_MAX == (1 << 24) - 1 && HOPS_MOST == 15);

impl<const F: usize> Signals<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { most: Const::new(bits::<24>(RTT_MAX.into())), ..Default::default() }
    }
}

impl<const F: usize> Logic for Signals<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, apart, clock, low, high, rounded, more, diff, less, out_rtt, out_time, out_hops, out_took, out_exceeds);
        for i in 0..3 {
            self.moment[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.took[i].clock.next = self.clk.val();
            self.count[i].clock.next = self.clk.val();
            self.moment[i + 1].d.next = self.moment[i].q.val();
        }
        self.one_way.clk.next = self.clk.val();
        self.one_way.sweep.next = self.sweep.val();
        self.one_way.sweep_flow.next = self.sweep_flow.val();
        self.one_way.flow.next = self.flow.val();
        self.one_way.arrival.next = self.arrival.val().get_bits::<40>(8);
        self.one_way.now_ns.next = self.arrived.val().get_bits::<48>(16);
        self.one_way.stamp.next = self.stamp.val();
        self.one_way.base.next = self.base.val();
        self.one_way.keep.next = self.keep.val();
        self.one_way.forget.next = self.forget.val();
        self.one_way.keep_flow.next = self.keep_flow.val();
        // 0
        self.apart.d.next = bit_cast::<9, 8>(self.ttl_sent.val()) - bit_cast::<9, 8>(self.ttl_seen.val());
        self.clock.d.next = self.arrived.val().get_bits::<40>(8);
        self.moment[0].d.next = self.now_ns.val();
        self.low.d.next =
            bit_cast::<33, 32>(self.departure.val().get_bits::<32>(8)) - bit_cast::<33, 32>(self.arrival.val().get_bits::<32>(8));
        self.high.d.next = self.departure.val().get_bits::<24>(40) - self.arrival.val().get_bits::<24>(40);
        // 1: the upper limb is 0 but for the borrow, or the residence is too long.
        if self.low.q.val().get_bit(32) {
            self.near.next = self.high.q.val() == bits::<24>(1);
        } else {
            self.near.next = !self.high.q.val().any();
        }
        self.took[0].d.next = self.most.val();
        if self.near.val() {
            self.took[0].d.next = self.low.q.val().get_bits::<24>(8);
        }
        self.count[0].d.next = bits::<8>(15);
        if !self.apart.q.val().get_bits::<4>(4).any() {
            self.count[0].d.next = self.apart.q.val().get_bits::<8>(0);
        }
        if self.apart.q.val().get_bit(8) {
            self.count[0].d.next = bits::<8>(0);
        }
        self.rounded.d.next = self.clock.q.val() + bits::<40>(128);
        self.more.d.next = self.clock.q.val() + bits::<40>(130);
        // 2: three operands to two, and those in one chain.
        self.took[1].d.next = self.took[0].q.val();
        self.count[1].d.next = self.count[0].q.val();
        self.diff.d.next = (self.rounded.q.val() - self.stamp.val()).into();
        self.not_stamp.next = !self.stamp.val();
        self.not_took.next = !(bit_cast::<40, 24>(self.took[0].q.val()) << 8);
        self.sum.next = self.more.q.val() ^ self.not_stamp.val() ^ self.not_took.val();
        self.carry.next = (self.more.q.val() & self.not_stamp.val())
            | (self.more.q.val() & self.not_took.val())
            | (self.not_stamp.val() & self.not_took.val());
        self.less.d.next = (self.sum.val() + (self.carry.val() << 1)).into();
        // 3
        self.long.next = !self.diff.q.val().negative & self.diff.q.val().above.any();
        self.out_rtt.d.next = self.diff.q.val().ns;
        if (self.choice.val() == bits::<2>(1)) & !self.less.q.val().negative {
            self.out_rtt.d.next = self.less.q.val().ns;
        }
        if self.diff.q.val().negative {
            self.out_rtt.d.next = bits::<24>(0);
        }
        self.saturates.next = self.is_visit.val() | self.long.val();
        if self.choice.val() == bits::<2>(2) {
            self.out_rtt.d.next = self.one_way.signal.val();
            self.saturates.next = self.is_visit.val() | self.one_way.beyond.val();
        }
        if self.saturates.val() {
            self.out_rtt.d.next = self.most.val();
        }
        self.out_time.d.next = self.moment[2].q.val();
        self.out_hops.d.next = self.count[1].q.val();
        self.out_took.d.next = self.took[1].q.val();
        self.out_exceeds.d.next = self.less.q.val().negative & !self.long.val();
        if self.is_visit.val() {
            self.out_hops.d.next = bits::<8>(0);
        }
        if self.is_visit.val() | (self.less.q.val().negative & !self.long.val()) {
            self.out_took.d.next = bits::<24>(0);
        }
        // 4
        self.rtt_ns.next = self.out_rtt.q.val();
        self.time_ns.next = self.out_time.q.val();
        self.hops.next = self.out_hops.q.val();
        self.endpoint_ns.next = self.out_took.q.val();
        self.exceeds.next = self.out_exceeds.q.val();
    }
}
