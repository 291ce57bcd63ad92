//! The sums of the time, no adder longer than 33 bits: each stage hands its carry to the next.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// Adds rate and steps. The fraction keeps 24 bits, 8 more than are shown; the ns are counted as 2 x 24 bits, the seconds likewise.
///
/// Latency: 8 clocks from `rate` or a step to the outputs.
#[derive(LogicBlock)]
pub struct Count {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// What this clock adds without steps: ns, Q8.24.
    pub rate: Signal<In, Bits<32>>,
    /// Whole ns of a step at this clock, 0 for none.
    pub step_ns: Signal<In, Bits<48>>,
    /// The rest of the step, 2^-16 ns.
    pub step_fraction: Signal<In, Bits<16>>,
    /// Seconds in `step_ns`.
    pub step_sec: Signal<In, Bits<19>>,
    /// Nanoseconds in `step_ns` beside them.
    pub step_rest: Signal<In, Bits<30>>,
    /// How far `later` is ahead, ns; it counts two clocks later.
    pub lead: Signal<In, Bits<16>>,
    /// The time, ns48.fns16.
    pub now: Signal<Out, Bits<64>>,
    /// The time and the lead.
    pub later: Signal<Out, Bits<64>>,
    /// Seconds of the time.
    pub now_sec: Signal<Out, Bits<48>>,
    /// Nanoseconds of the time in its second.
    pub now_ns: Signal<Out, Bits<30>>,
    second: Constant<Bits<32>>,
    // 1: the addend of the fraction. Number n of a name is its stage.
    addend: DFF<Bits<33>>,
    ns1: DFF<Bits<48>>,
    sec1: DFF<Bits<19>>,
    rest1: DFF<Bits<30>>,
    // 2: the fraction, and the whole ns that come out of it.
    sum: Signal<Local, Bits<34>>,
    fraction: DFF<Bits<24>>,
    delta: DFF<Bits<10>>,
    ns2: DFF<Bits<48>>,
    sec2: DFF<Bits<19>>,
    rest2: DFF<Bits<30>>,
    // 3: all that is added to the ns.
    fraction3: DFF<Bits<16>>,
    low3: DFF<Bits<25>>,
    high3: DFF<Bits<24>>,
    ns3: DFF<Bits<32>>,
    sec3: DFF<Bits<19>>,
    // 4: lower half of the ns; the addend of the ns in the second is less than a second.
    fraction4: DFF<Bits<16>>,
    low_sum: Signal<Local, Bits<26>>,
    low: DFF<Bits<24>>,
    carry4: DFF<Bits<2>>,
    high4: DFF<Bits<24>>,
    over: Signal<Local, Bits<32>>,
    ns4: DFF<Bits<32>>,
    sec4: DFF<Bits<20>>,
    // 5: the carry reaches the upper addend; the same addend less a second.
    fraction5: DFF<Bits<16>>,
    low5: DFF<Bits<24>>,
    high5: DFF<Bits<24>>,
    ns5: DFF<Bits<32>>,
    less5: DFF<Bits<32>>,
    sec5: DFF<Bits<20>>,
    // 6: upper half of the ns, ns in the second.
    fraction6: DFF<Bits<16>>,
    low6: DFF<Bits<24>>,
    high: DFF<Bits<24>>,
    plain: Signal<Local, Bits<32>>,
    wrapped: Signal<Local, Bits<32>>,
    ns: DFF<Bits<30>>,
    wrap: DFF<Bits<25>>,
    sec6: DFF<Bits<20>>,
    // 7: lower half of the seconds.
    now7: DFF<Bits<64>>,
    later7: DFF<Bits<25>>,
    ns7: DFF<Bits<30>>,
    sec_low: DFF<Bits<25>>,
    // 8: upper half.
    now8: DFF<Bits<64>>,
    late_high: Signal<Local, Bits<24>>,
    later8: DFF<Bits<64>>,
    ns8: DFF<Bits<30>>,
    sec_low8: DFF<Bits<24>>,
    sec_high: DFF<Bits<24>>,
}

impl Default for Count {
    fn default() -> Self {
        construct!({ second: Constant::new(bits::<32>(1_000_000_000)) }
            clk, rst, rate, step_ns, step_fraction, step_sec, step_rest, lead, now, later, now_sec, now_ns, addend, ns1, sec1, rest1, sum, fraction, delta,
            ns2, sec2, rest2, fraction3, low3, high3, ns3, sec3, fraction4, low_sum, low, carry4, high4, over, ns4, sec4, fraction5, low5, high5,
            ns5, less5, sec5, fraction6, low6, high, plain, wrapped, ns, wrap, sec6, now7, later7, ns7, sec_low, now8, late_high, later8, ns8, sec_low8, sec_high)
    }
}

impl Logic for Count {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, addend, ns1, sec1, rest1, fraction, delta, ns2, sec2, rest2, fraction3, low3, high3, ns3, sec3);
        dff_setup!(self, clk, fraction4, low, carry4, high4, ns4, sec4, fraction5, low5, high5, ns5, less5, sec5);
        dff_setup!(self, clk, fraction6, low6, high, ns, wrap, sec6, now7, later7, ns7, sec_low, now8, later8, ns8, sec_low8, sec_high);
        // 1
        self.addend.d.next = bit_cast::<33, 32>(self.rate.val()) + (bit_cast::<33, 16>(self.step_fraction.val()) << 8);
        self.ns1.d.next = self.step_ns.val();
        self.sec1.d.next = self.step_sec.val();
        self.rest1.d.next = self.step_rest.val();
        // 2
        self.sum.next = bit_cast::<34, 24>(self.fraction.q.val()) + bit_cast::<34, 33>(self.addend.q.val());
        self.fraction.d.next = self.sum.val().get_bits::<24>(0);
        self.delta.d.next = self.sum.val().get_bits::<10>(24);
        self.ns2.d.next = self.ns1.q.val();
        self.sec2.d.next = self.sec1.q.val();
        self.rest2.d.next = self.rest1.q.val();
        // 3
        self.fraction3.d.next = self.fraction.q.val().get_bits::<16>(8);
        self.low3.d.next = bit_cast::<25, 24>(self.ns2.q.val().get_bits::<24>(0)) + bit_cast::<25, 10>(self.delta.q.val());
        self.high3.d.next = self.ns2.q.val().get_bits::<24>(24);
        self.ns3.d.next = bit_cast::<32, 30>(self.rest2.q.val()) + bit_cast::<32, 10>(self.delta.q.val());
        self.sec3.d.next = self.sec2.q.val();
        // 4
        self.fraction4.d.next = self.fraction3.q.val();
        self.low_sum.next = bit_cast::<26, 24>(self.low.q.val()) + bit_cast::<26, 25>(self.low3.q.val());
        self.low.d.next = self.low_sum.val().get_bits::<24>(0);
        self.carry4.d.next = self.low_sum.val().get_bits::<2>(24);
        self.high4.d.next = self.high3.q.val();
        self.over.next = self.ns3.q.val() - self.second.val();
        if self.over.val().get_bit(31) {
            self.ns4.d.next = self.ns3.q.val();
            self.sec4.d.next = bit_cast::<20, 19>(self.sec3.q.val());
        } else {
            self.ns4.d.next = self.over.val();
            self.sec4.d.next = bit_cast::<20, 19>(self.sec3.q.val()) + bits::<20>(1);
        }
        // 5
        self.fraction5.d.next = self.fraction4.q.val();
        self.low5.d.next = self.low.q.val();
        self.high5.d.next = self.high4.q.val() + bit_cast::<24, 2>(self.carry4.q.val());
        self.ns5.d.next = self.ns4.q.val();
        self.less5.d.next = self.ns4.q.val() - self.second.val();
        self.sec5.d.next = self.sec4.q.val();
        // 6: both sums side by side, the sign of one selects.
        self.fraction6.d.next = self.fraction5.q.val();
        self.low6.d.next = self.low5.q.val();
        self.high.d.next = self.high.q.val() + self.high5.q.val();
        self.plain.next = bit_cast::<32, 30>(self.ns.q.val()) + self.ns5.q.val();
        self.wrapped.next = bit_cast::<32, 30>(self.ns.q.val()) + self.less5.q.val();
        if self.wrapped.val().get_bit(31) {
            self.ns.d.next = self.plain.val().get_bits::<30>(0);
            self.wrap.d.next = bits::<25>(0);
        } else {
            self.ns.d.next = self.wrapped.val().get_bits::<30>(0);
            self.wrap.d.next = bits::<25>(1);
        }
        self.sec6.d.next = self.sec5.q.val();
        // 7: the wrap is a carry in.
        self.now7.d.next = (bit_cast::<64, 24>(self.high.q.val()) << 40)
            | (bit_cast::<64, 24>(self.low6.q.val()) << 16)
            | bit_cast::<64, 16>(self.fraction6.q.val());
        self.later7.d.next = bit_cast::<25, 24>(self.low6.q.val()) + bit_cast::<25, 16>(self.lead.val());
        self.ns7.d.next = self.ns.q.val();
        self.sec_low.d.next =
            bit_cast::<25, 24>(self.sec_low.q.val().get_bits::<24>(0)) + bit_cast::<25, 20>(self.sec6.q.val()) + self.wrap.q.val();
        // 8
        self.now8.d.next = self.now7.q.val();
        self.late_high.next = self.now7.q.val().get_bits::<24>(40) + bit_cast::<24, 1>(self.later7.q.val().get_bits::<1>(24));
        self.later8.d.next = (bit_cast::<64, 24>(self.late_high.val()) << 40)
            | (bit_cast::<64, 24>(self.later7.q.val().get_bits::<24>(0)) << 16)
            | bit_cast::<64, 16>(self.now7.q.val().get_bits::<16>(0));
        self.ns8.d.next = self.ns7.q.val();
        self.sec_low8.d.next = self.sec_low.q.val().get_bits::<24>(0);
        self.sec_high.d.next = self.sec_high.q.val() + bit_cast::<24, 1>(self.sec_low.q.val().get_bits::<1>(24));
        self.now.next = self.now8.q.val();
        self.later.next = self.later8.q.val();
        self.now_ns.next = self.ns8.q.val();
        self.now_sec.next = (bit_cast::<48, 24>(self.sec_high.q.val()) << 24) | bit_cast::<48, 24>(self.sec_low8.q.val());
        if self.rst.val() {
            // Everything that is added, and everything that it is added to.
            self.addend.d.next = bits::<33>(0);
            self.ns1.d.next = bits::<48>(0);
            self.sec1.d.next = bits::<19>(0);
            self.rest1.d.next = bits::<30>(0);
            self.fraction.d.next = bits::<24>(0);
            self.delta.d.next = bits::<10>(0);
            self.ns2.d.next = bits::<48>(0);
            self.sec2.d.next = bits::<19>(0);
            self.rest2.d.next = bits::<30>(0);
            self.fraction3.d.next = bits::<16>(0);
            self.low3.d.next = bits::<25>(0);
            self.high3.d.next = bits::<24>(0);
            self.ns3.d.next = bits::<32>(0);
            self.sec3.d.next = bits::<19>(0);
            self.fraction4.d.next = bits::<16>(0);
            self.low.d.next = bits::<24>(0);
            self.carry4.d.next = bits::<2>(0);
            self.high4.d.next = bits::<24>(0);
            self.ns4.d.next = bits::<32>(0);
            self.sec4.d.next = bits::<20>(0);
            self.fraction5.d.next = bits::<16>(0);
            self.low5.d.next = bits::<24>(0);
            self.high5.d.next = bits::<24>(0);
            self.ns5.d.next = bits::<32>(0);
            self.less5.d.next = bits::<32>(0) - self.second.val();
            self.sec5.d.next = bits::<20>(0);
            self.fraction6.d.next = bits::<16>(0);
            self.low6.d.next = bits::<24>(0);
            self.high.d.next = bits::<24>(0);
            self.ns.d.next = bits::<30>(0);
            self.wrap.d.next = bits::<25>(0);
            self.sec6.d.next = bits::<20>(0);
            self.now7.d.next = bits::<64>(0);
            self.later7.d.next = bits::<25>(0);
            self.ns7.d.next = bits::<30>(0);
            self.sec_low.d.next = bits::<25>(0);
            self.now8.d.next = bits::<64>(0);
            self.later8.d.next = bits::<64>(0);
            self.ns8.d.next = bits::<30>(0);
            self.sec_low8.d.next = bits::<24>(0);
            self.sec_high.d.next = bits::<24>(0);
        }
    }
}
