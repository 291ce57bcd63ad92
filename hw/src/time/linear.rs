//! From seconds and nanoseconds to a time that runs along a line.
use crate::construct::construct;
use crate::num::U;
use rust_hdl::prelude::*;

/// Turns a time of day, wrapped at 10^9 ns, into ns48.fns16: `sec * 10^9 + ns` modulo 2^48, and the
/// fraction as it is.
///
/// The datapath knows linear stamps alone. A shell whose MAC or PTP clock wraps puts this where
/// stamps enter, and software that answers segments does the same sum.
///
/// Latency: [`timely_model::time::LINEAR_LATENCY`] clocks. Throughput: a time a clock. Model:
/// `timely_model::time::linear`.
#[derive(LogicBlock)]
pub struct Linear {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Seconds.
    pub sec: Signal<In, Bits<48>>,
    /// Nanoseconds in the second.
    pub ns: Signal<In, Bits<30>>,
    /// 2^-16 ns.
    pub fraction: Signal<In, Bits<16>>,
    /// The time, ns48.fns16.
    pub linear: Signal<Out, Bits<64>>,
    /// 10^9 / 2^9: what the seconds count for in units of 2^9 ns.
    second: Constant<Bits<21>>,
    factor: Signal<Local, U<21>>,
    limb0: Signal<Local, U<16>>,
    limb1: Signal<Local, U<16>>,
    limb2: Signal<Local, U<16>>,
    // Index or number n of a name is its stage; those of ns and fraction follow.
    product0: DFF<Bits<37>>,
    product1: DFF<Bits<37>>,
    product2: DFF<Bits<37>>,
    low2: DFF<Bits<39>>,
    top2: DFF<Bits<7>>,
    all3: DFF<Bits<39>>,
    units: Signal<Local, Bits<48>>,
    low4: DFF<Bits<25>>,
    high4: DFF<Bits<24>>,
    high5: DFF<Bits<24>>,
    low5: DFF<Bits<24>>,
    nanoseconds: [DFF<Bits<30>>; 3],
    rest: [DFF<Bits<16>>; 5],
}

impl Default for Linear {
    fn default() -> Self {
        construct!({ second: Constant::new(bits::<21>(1_000_000_000 >> 9)) }
            clk, sec, ns, fraction, linear, factor, limb0, limb1, limb2, product0, product1, product2, low2, top2, all3, units, low4, high4,
            high5, low5, nanoseconds, rest)
    }
}

impl Logic for Linear {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, product0, product1, product2, low2, top2, all3, low4, high4, high5, low5);
        for i in 0..3 {
            self.nanoseconds[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.rest[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.nanoseconds[i + 1].d.next = self.nanoseconds[i].q.val();
        }
        for i in 0..4 {
            self.rest[i + 1].d.next = self.rest[i].q.val();
        }
        // 1: limbs; beyond 39 bits of the seconds nothing is left in 48 bits of ns.
        self.nanoseconds[0].d.next = self.ns.val();
        self.rest[0].d.next = self.fraction.val();
        self.factor.next = self.second.val().into();
        self.limb0.next = self.sec.val().get_bits::<16>(0).into();
        self.limb1.next = self.sec.val().get_bits::<16>(16).into();
        self.limb2.next = self.sec.val().get_bits::<16>(32).into();
        self.product0.d.next = (self.limb0.val() * self.factor.val()).into();
        self.product1.d.next = (self.limb1.val() * self.factor.val()).into();
        self.product2.d.next = (self.limb2.val() * self.factor.val()).into();
        // 2 and 3: their sum.
        self.low2.d.next = bit_cast::<39, 37>(self.product0.q.val()) + (bit_cast::<39, 37>(self.product1.q.val()) << 16);
        self.top2.d.next = self.product2.q.val().get_bits::<7>(0);
        self.all3.d.next = self.low2.q.val() + (bit_cast::<39, 7>(self.top2.q.val()) << 32);
        // 4 and 5: the ns, in halves.
        self.units.next = bit_cast::<48, 39>(self.all3.q.val()) << 9;
        self.low4.d.next =
            bit_cast::<25, 24>(self.units.val().get_bits::<24>(0)) + bit_cast::<25, 24>(self.nanoseconds[2].q.val().get_bits::<24>(0));
        self.high4.d.next = self.units.val().get_bits::<24>(24) + bit_cast::<24, 6>(self.nanoseconds[2].q.val().get_bits::<6>(24));
        self.low5.d.next = self.low4.q.val().get_bits::<24>(0);
        self.high5.d.next = self.high4.q.val() + bit_cast::<24, 1>(self.low4.q.val().get_bits::<1>(24));
        self.linear.next = bit_cast::<64, 16>(self.rest[4].q.val())
            | (bit_cast::<64, 24>(self.low5.q.val()) << 16)
            | (bit_cast::<64, 24>(self.high5.q.val()) << 40);
    }
}
