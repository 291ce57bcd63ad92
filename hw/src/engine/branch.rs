//! Law and options of a profile, and where the delays lie between its thresholds.
use super::word::{ProfileLaw, ProfileWord};
use super::words::{Flags, High, Law, Options, ProfileWrite};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// The law, the options, and the delays against Tlow and Thigh.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Branch {
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_1: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_3: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// As `profile_1`, 2 clocks later.
    pub profile_3: Signal<In, Bits<4>>,
    /// RTT, ns.
    pub rtt_2: Signal<In, Bits<24>>,
    /// The responder's part, ns.
    pub endpoint_2: Signal<In, Bits<24>>,
    /// The RTT's leading zeros.
    pub zeros_3: Signal<In, Bits<5>>,
    /// Leading zeros of the responder's part.
    pub endpoint_zeros_3: Signal<In, Bits<5>>,
    /// There is a mark.
    pub marked_3: Signal<In, Bit>,
    /// Time since it, ns.
    pub since_3: Signal<In, Bits<32>>,
    /// Tlow, ns.
    pub low_3: Signal<Out, Bits<24>>,
    /// The profile wants no delta factor.
    pub no_delta_3: Signal<Out, Bit>,
    /// The law is Swift.
    pub swift_2: Signal<Out, Bit>,
    /// As `swift_2`, a clock later.
    pub swift_3: Signal<Out, Bit>,
    /// The law is not Swift.
    pub other_3: Signal<Out, Bit>,
    /// The law is DCQCN.
    pub dcqcn_2: Signal<Out, Bit>,
    /// As `dcqcn_2`, a clock later.
    pub dcqcn_3: Signal<Out, Bit>,
    /// The law is PI.
    pub pi_3: Signal<Out, Bit>,
    /// Law, options and thresholds.
    pub flags_5: Signal<Out, Flags>,
    /// beta Thigh, shifted as the reciprocal of the delay that it is compared with takes it.
    pub threshold_6: Signal<Out, Bits<32>>,
    options: ProfileLaw,
    low: ProfileWord<24, { profile::T_LOW.word as usize }>,
    high: ProfileWord<29, { profile::T_HIGH.word as usize }>,
    product: ProfileWord<32, { profile::BETA_T_HIGH.word as usize }>,
    options2: Signal<Local, Options>,
    high3: Signal<Local, High>,
    swift2: Signal<Local, Bit>,
    swift3: DFF<Bit>,
    other3: DFF<Bit>,
    pi3: DFF<Bit>,
    dcqcn3: DFF<Bit>,
    dcqcn4: DFF<Bit>,
    options3: DFF<Options>,
    delay: Signal<Local, Bits<24>>,
    zeros: Signal<Local, Bits<5>>,
    left: Signal<Local, Bits<25>>,
    rtt3: DFF<Bits<24>>,
    endpoint3: DFF<Bits<24>>,
    total3: DFF<Bits<25>>,
    options4: DFF<Options>,
    below4: DFF<Bit>,
    above4: DFF<Bit>,
    gate4: DFF<Bit>,
    shift4: DFF<Bits<5>>,
    timely: Signal<Local, Bit>,
    patched: Signal<Local, Bit>,
    swift: Signal<Local, Bit>,
    pi: Signal<Local, Bit>,
    flags: DFF<Flags>,
    shift5: DFF<Bits<5>>,
    shifted: Signal<Local, Bits<28>>,
    threshold: DFF<Bits<32>>,
}

impl Logic for Branch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, rtt3, endpoint3, total3, options4, below4, above4, gate4, shift4, flags);
        dff_setup!(self, clk, shift5, threshold, swift3, other3, pi3, options3, dcqcn3, dcqcn4);
        self.options.clk.next = self.clk.val();
        self.options.bus.next = self.bus_1.val();
        self.options.address.next = self.profile_1.val();
        self.low.clk.next = self.clk.val();
        self.low.bus.next = self.bus_1.val();
        self.low.address.next = self.profile_1.val();
        self.high.clk.next = self.clk.val();
        self.high.bus.next = self.bus_1.val();
        self.high.address.next = self.profile_1.val();
        self.product.clk.next = self.clk.val();
        self.product.bus.next = self.bus_3.val();
        self.product.address.next = self.profile_3.val();
        // 2
        self.options2.next = self.options.data.val().options;
        self.swift2.next = self.options.data.val().swift;
        self.swift_2.next = self.swift2.val();
        self.dcqcn_2.next = self.options.data.val().dcqcn;
        self.dcqcn3.d.next = self.options.data.val().dcqcn;
        self.swift3.d.next = self.swift2.val();
        self.other3.d.next = !self.swift2.val();
        self.pi3.d.next = self.options2.val().law == Law::Pi;
        self.options3.d.next = self.options2.val();
        self.rtt3.d.next = self.rtt_2.val();
        self.endpoint3.d.next = self.endpoint_2.val();
        self.total3.d.next = bit_cast::<25, 24>(self.rtt_2.val()) + bit_cast::<25, 24>(self.endpoint_2.val());
        // 3
        self.low_3.next = self.low.data.val();
        self.no_delta_3.next = self.options3.q.val().no_delta;
        self.swift_3.next = self.swift3.q.val();
        self.other_3.next = self.other3.q.val();
        self.pi_3.next = self.pi3.q.val();
        self.dcqcn_3.next = self.dcqcn3.q.val();
        self.dcqcn4.d.next = self.dcqcn3.q.val();
        self.options4.d.next = self.options3.q.val();
        self.below4.d.next = self.rtt3.q.val() < self.low.data.val();
        // The delay that Thigh is for.
        self.delay.next = self.rtt3.q.val();
        self.zeros.next = self.zeros_3.val();
        if self.swift3.q.val() {
            self.delay.next = self.endpoint3.q.val();
            self.zeros.next = self.endpoint_zeros_3.val();
        }
        self.high3.next = self.high.data.val().into();
        self.left.next = bit_cast::<25, 24>(self.high3.val().ns) - bit_cast::<25, 24>(self.delay.val());
        self.above4.d.next = self.left.val().get_bit(24);
        self.gate4.d.next = !self.marked_3.val()
            | self.since_3.val().get_bits::<7>(25).any()
            | (self.since_3.val().get_bits::<25>(0) >= self.total3.q.val());
        self.shift4.d.next = self.high3.val().zeros - self.zeros.val();
        // 4
        self.timely.next = self.options4.q.val().law == Law::Timely;
        self.pi.next = self.options4.q.val().law == Law::Pi;
        self.patched.next = self.pi.val() | (self.options4.q.val().law == Law::Patched);
        self.swift.next = self.options4.q.val().law == Law::Swift;
        self.flags.d.next.fixed = self.options4.q.val().law == Law::Fixed;
        self.flags.d.next.timely = self.timely.val();
        self.flags.d.next.patched = self.patched.val();
        self.flags.d.next.swift = self.swift.val();
        self.flags.d.next.pi = self.pi.val();
        self.flags.d.next.governed = (self.timely.val() | self.patched.val()) | (self.swift.val() | self.dcqcn4.q.val());
        self.flags.d.next.dcqcn = self.dcqcn4.q.val();
        self.flags.d.next.half_floor = self.options4.q.val().half_floor;
        self.flags.d.next.hai_smoothed = self.options4.q.val().hai_smoothed;
        self.flags.d.next.below_low = self.below4.q.val();
        self.flags.d.next.endpoint_over = self.swift.val() & self.above4.q.val();
        self.flags.d.next.above_high = !self.swift.val() & self.above4.q.val() & !self.below4.q.val();
        self.flags.d.next.middle = self.patched.val() & !self.above4.q.val() & !self.below4.q.val();
        self.flags.d.next.may_fall = self.gate4.q.val();
        self.shift5.d.next = self.shift4.q.val();
        // 5
        self.flags_5.next = self.flags.q.val();
        self.shifted.next = self.product.data.val().get_bits::<28>(4) >> self.shift5.q.val();
        self.threshold.d.next = bit_cast::<32, 28>(self.shifted.val()) << 4;
        // 6
        self.threshold_6.next = self.threshold.q.val();
    }
}
