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
    /// Bits 6..0 of the profile's first word: law, smoothed, no delta factor, half floor.
    pub options_3: Signal<Out, Bits<7>>,
    /// The RTT is below Tlow.
    pub below_4: Signal<Out, Bit>,
    /// The RTT is above Thigh.
    pub above_4: Signal<Out, Bit>,
    /// How many fewer leading zeros the RTT has than Thigh.
    pub shift_4: Signal<Out, Bits<5>>,
    options: ProfileWord<7, { profile::LAW.word as usize }>,
    low: ProfileWord<24, { profile::T_LOW.word as usize }>,
    high: ProfileWord<29, { profile::T_HIGH.word as usize }>,
    below: DFF<Bit>,
    above: DFF<Bit>,
    shift: DFF<Bits<5>>,
}

impl Logic for Branch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, below, above, shift);
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
        self.options_3.next = self.options.data.val();
        self.below.d.next = self.rtt_3.val() < self.low.data.val();
        self.above.d.next = self.rtt_3.val() > self.high.data.val().get_bits::<24>(0);
        self.shift.d.next = self.high.data.val().get_bits::<5>(24) - self.zeros_3.val();
        // 4
        self.below_4.next = self.below.q.val();
        self.above_4.next = self.above.q.val();
        self.shift_4.next = self.shift.q.val();
    }
}
