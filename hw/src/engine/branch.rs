//! Which law and options a profile has, and where the delays lie between its thresholds.
use super::word::{ProfileLaw, ProfileWord};
use rust_hdl::prelude::*;
use timely_regs::profile;

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(profile::LAW_TIMELY == 1 && profile::LAW_PATCHED == 2 && profile::LAW_SWIFT == 3 && profile::LAW_PI == 4);

/// The law, the options, and the delays against Tlow and Thigh.
///
/// A port's number is the clock after the issue at which it holds. `flags_5`, a bit each: 0 fixed, 1 TIMELY, 2 Patched or PI, 3 Swift, 4 PI,
/// 5 any law that sets rates; 6 an update may halve the rate at most, 7 hyperactive increase counts smoothed differences; 8 the RTT is
/// below Tlow, 9 Swift's endpoint delay is above its target, 10 another law's RTT is above Thigh (and not below Tlow), 11 neither of it, of
/// Patched or PI; 12 Swift decreased an RTT ago or more.
#[derive(LogicBlock, Default)]
pub struct Branch {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_1: Signal<In, Bits<42>>,
    /// Profile bus.
    pub bus_3: Signal<In, Bits<42>>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// The same.
    pub profile_3: Signal<In, Bits<4>>,
    /// RTT, ns.
    pub rtt_2: Signal<In, Bits<24>>,
    /// The responder's part, ns.
    pub endpoint_2: Signal<In, Bits<24>>,
    /// The RTT's leading zeros.
    pub zeros_3: Signal<In, Bits<5>>,
    /// Those of the responder's part.
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
    /// The same.
    pub swift_3: Signal<Out, Bit>,
    /// It is another one.
    pub other_3: Signal<Out, Bit>,
    /// The law is PI.
    pub pi_3: Signal<Out, Bit>,
    /// See above.
    pub flags_5: Signal<Out, Bits<13>>,
    /// beta Thigh, shifted as the reciprocal of the delay that it is compared with takes it.
    pub threshold_6: Signal<Out, Bits<32>>,
    options: ProfileLaw,
    low: ProfileWord<24, { profile::T_LOW.word as usize }>,
    high: ProfileWord<29, { profile::T_HIGH.word as usize }>,
    product: ProfileWord<32, { profile::BETA_T_HIGH.word as usize }>,
    law: Signal<Local, Bits<4>>,
    swift2: Signal<Local, Bit>,
    swift3: DFF<Bit>,
    other3: DFF<Bit>,
    pi3: DFF<Bit>,
    options3: DFF<Bits<7>>,
    delay: Signal<Local, Bits<24>>,
    zeros: Signal<Local, Bits<5>>,
    left: Signal<Local, Bits<25>>,
    rtt3: DFF<Bits<24>>,
    endpoint3: DFF<Bits<24>>,
    total3: DFF<Bits<25>>,
    options4: DFF<Bits<7>>,
    below4: DFF<Bit>,
    above4: DFF<Bit>,
    gate4: DFF<Bit>,
    shift4: DFF<Bits<5>>,
    timely: Signal<Local, Bit>,
    patched: Signal<Local, Bit>,
    swift: Signal<Local, Bit>,
    pi: Signal<Local, Bit>,
    flags: DFF<Bits<13>>,
    made: Signal<Local, Bits<13>>,
    shift5: DFF<Bits<5>>,
    shifted: Signal<Local, Bits<28>>,
    threshold: DFF<Bits<32>>,
}

impl Logic for Branch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, rtt3, endpoint3, total3, options4, below4, above4, gate4, shift4, flags);
        dff_setup!(self, clk, shift5, threshold, swift3, other3, pi3, options3);
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
        self.law.next = self.options.data.val().get_bits::<4>(0);
        self.swift2.next = self.options.data.val().get_bit(7);
        self.swift_2.next = self.swift2.val();
        self.swift3.d.next = self.swift2.val();
        self.other3.d.next = !self.swift2.val();
        self.pi3.d.next = self.law.val() == bits::<4>(4);
        self.options3.d.next = self.options.data.val().get_bits::<7>(0);
        self.rtt3.d.next = self.rtt_2.val();
        self.endpoint3.d.next = self.endpoint_2.val();
        self.total3.d.next = bit_cast::<25, 24>(self.rtt_2.val()) + bit_cast::<25, 24>(self.endpoint_2.val());
        // 3
        self.low_3.next = self.low.data.val();
        self.no_delta_3.next = self.options3.q.val().get_bit(5);
        self.swift_3.next = self.swift3.q.val();
        self.other_3.next = self.other3.q.val();
        self.pi_3.next = self.pi3.q.val();
        self.options4.d.next = self.options3.q.val();
        self.below4.d.next = self.rtt3.q.val() < self.low.data.val();
        // The delay that Thigh is for.
        self.delay.next = self.rtt3.q.val();
        self.zeros.next = self.zeros_3.val();
        if self.swift3.q.val() {
            self.delay.next = self.endpoint3.q.val();
            self.zeros.next = self.endpoint_zeros_3.val();
        }
        self.left.next = bit_cast::<25, 24>(self.high.data.val().get_bits::<24>(0)) - bit_cast::<25, 24>(self.delay.val());
        self.above4.d.next = self.left.val().get_bit(24);
        self.gate4.d.next = !self.marked_3.val()
            | self.since_3.val().get_bits::<7>(25).any()
            | (self.since_3.val().get_bits::<25>(0) >= self.total3.q.val());
        self.shift4.d.next = self.high.data.val().get_bits::<5>(24) - self.zeros.val();
        // 4
        self.timely.next = self.options4.q.val().get_bits::<4>(0) == bits::<4>(1);
        self.pi.next = self.options4.q.val().get_bits::<4>(0) == bits::<4>(4);
        self.patched.next = self.pi.val() | (self.options4.q.val().get_bits::<4>(0) == bits::<4>(2));
        self.swift.next = self.options4.q.val().get_bits::<4>(0) == bits::<4>(3);
        self.made.next = bits::<13>(0);
        if !self.options4.q.val().get_bits::<4>(0).any() {
            self.made.next = self.made.val() | bits::<13>(1);
        }
        if self.timely.val() {
            self.made.next = self.made.val() | bits::<13>(2);
        }
        if self.patched.val() {
            self.made.next = self.made.val() | bits::<13>(4);
        }
        if self.swift.val() {
            self.made.next = self.made.val() | bits::<13>(8);
        }
        if self.pi.val() {
            self.made.next = self.made.val() | bits::<13>(16);
        }
        if self.timely.val() | self.patched.val() | self.swift.val() {
            self.made.next = self.made.val() | bits::<13>(32);
        }
        if self.options4.q.val().get_bit(6) {
            self.made.next = self.made.val() | bits::<13>(64);
        }
        if self.options4.q.val().get_bit(4) {
            self.made.next = self.made.val() | bits::<13>(128);
        }
        if self.below4.q.val() {
            self.made.next = self.made.val() | bits::<13>(256);
        }
        if self.swift.val() & self.above4.q.val() {
            self.made.next = self.made.val() | bits::<13>(512);
        }
        if !self.swift.val() & self.above4.q.val() & !self.below4.q.val() {
            self.made.next = self.made.val() | bits::<13>(1024);
        }
        if self.patched.val() & !self.above4.q.val() & !self.below4.q.val() {
            self.made.next = self.made.val() | bits::<13>(2048);
        }
        if self.gate4.q.val() {
            self.made.next = self.made.val() | bits::<13>(4096);
        }
        self.flags.d.next = self.made.val();
        self.shift5.d.next = self.shift4.q.val();
        // 5
        self.flags_5.next = self.flags.q.val();
        self.shifted.next = self.product.data.val().get_bits::<28>(4) >> self.shift5.q.val();
        self.threshold.d.next = bit_cast::<32, 28>(self.shifted.val()) << 4;
        // 6
        self.threshold_6.next = self.threshold.q.val();
    }
}
