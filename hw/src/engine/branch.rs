//! Which options a profile has, and where an RTT lies between its thresholds.
use super::word::ProfileWord;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// The options of the profile, and the RTT against Tlow and Thigh.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Branch {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_2: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_2: Signal<In, Bits<4>>,
    /// RTT, ns.
    pub rtt_3: Signal<In, Bits<24>>,
    /// Its leading zeros.
    pub zeros_3: Signal<In, Bits<5>>,
    /// The profile wants no delta factor.
    pub no_delta_3: Signal<Out, Bit>,
    /// Hyperactive increase counts smoothed differences.
    pub smoothed_10: Signal<Out, Bit>,
    /// Never below half the old rate.
    pub floor_13: Signal<Out, Bit>,
    /// The law.
    pub law_14: Signal<Out, Bits<4>>,
    /// The RTT is below Tlow.
    pub below_11: Signal<Out, Bit>,
    /// The same.
    pub below_14: Signal<Out, Bit>,
    /// The RTT is above Thigh.
    pub above_14: Signal<Out, Bit>,
    /// How many fewer leading zeros the RTT has than Thigh.
    pub shift_4: Signal<Out, Bits<5>>,
    options: ProfileWord<7, { profile::LAW.word as usize }>,
    low: ProfileWord<24, { profile::T_LOW.word as usize }>,
    high: ProfileWord<29, { profile::T_HIGH.word as usize }>,
    shift: DFF<Bits<5>>,
    // The first hold 4 clocks after the issue.
    below: [DFF<Bit>; 11],
    above: [DFF<Bit>; 11],
    smoothed: [DFF<Bit>; 7],
    floor: [DFF<Bit>; 10],
    law: [DFF<Bits<4>>; 11],
}

impl Logic for Branch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, shift);
        for i in 0..7 {
            self.smoothed[i].clock.next = self.clk.val();
        }
        for i in 0..10 {
            self.floor[i].clock.next = self.clk.val();
        }
        for i in 0..11 {
            self.below[i].clock.next = self.clk.val();
            self.above[i].clock.next = self.clk.val();
            self.law[i].clock.next = self.clk.val();
        }
        self.options.clk.next = self.clk.val();
        self.options.bus.next = self.bus_2.val();
        self.options.address.next = self.profile_2.val();
        self.low.clk.next = self.clk.val();
        self.low.bus.next = self.bus_2.val();
        self.low.address.next = self.profile_2.val();
        self.high.clk.next = self.clk.val();
        self.high.bus.next = self.bus_2.val();
        self.high.address.next = self.profile_2.val();
        // 3
        self.no_delta_3.next = self.options.data.val().get_bit(5);
        self.law[0].d.next = self.options.data.val().get_bits::<4>(0);
        self.smoothed[0].d.next = self.options.data.val().get_bit(4);
        self.floor[0].d.next = self.options.data.val().get_bit(6);
        self.below[0].d.next = self.rtt_3.val() < self.low.data.val();
        self.above[0].d.next = self.rtt_3.val() > self.high.data.val().get_bits::<24>(0);
        self.shift.d.next = self.high.data.val().get_bits::<5>(24) - self.zeros_3.val();
        // 4
        self.shift_4.next = self.shift.q.val();
        for i in 0..6 {
            self.smoothed[i + 1].d.next = self.smoothed[i].q.val();
        }
        for i in 0..9 {
            self.floor[i + 1].d.next = self.floor[i].q.val();
        }
        for i in 0..10 {
            self.below[i + 1].d.next = self.below[i].q.val();
            self.above[i + 1].d.next = self.above[i].q.val();
            self.law[i + 1].d.next = self.law[i].q.val();
        }
        // 10 to 14
        self.smoothed_10.next = self.smoothed[6].q.val();
        self.below_11.next = self.below[7].q.val();
        self.floor_13.next = self.floor[9].q.val();
        self.below_14.next = self.below[10].q.val();
        self.above_14.next = self.above[10].q.val();
        self.law_14.next = self.law[10].q.val();
    }
}
