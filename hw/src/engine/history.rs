//! What a flow did last: its RTT and the time, and the profile it follows.
use rust_hdl::prelude::*;

/// One exchange per operation: the history before it is read, the one after it written.
///
/// A port's number is the clock after the issue at which it holds. A time-out, a load and an idle restart end the history; a host rate
/// leaves it. Operations of a flow may follow each other in two clocks.
#[derive(LogicBlock, Default)]
pub struct History<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clear `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow to clear.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// A flow is loaded.
    pub load_valid: Signal<In, Bit>,
    /// The flow.
    pub load_flow: Signal<In, Bits<F>>,
    /// Its profile.
    pub load_profile: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_0: Signal<In, Bits<F>>,
    /// The same.
    pub flow_1: Signal<In, Bits<F>>,
    /// The history changes.
    pub write_1: Signal<In, Bit>,
    /// It goes on with this sample; otherwise it ends.
    pub sample_1: Signal<In, Bits<1>>,
    /// RTT, ns.
    pub rtt_1: Signal<In, Bits<24>>,
    /// Time, ns.
    pub time_1: Signal<In, Bits<32>>,
    /// The same RTT.
    pub rtt_2: Signal<In, Bits<24>>,
    /// The same time.
    pub time_2: Signal<In, Bits<32>>,
    /// The flow's profile.
    pub profile_2: Signal<Out, Bits<4>>,
    /// RTT, time and history before, as the RAM has them.
    pub before_2: Signal<Out, Bits<57>>,
    /// There was a history.
    pub history_3: Signal<Out, Bit>,
    /// RTT less the last, ns, signed; 0 without history.
    pub difference_3: Signal<Out, Bits<25>>,
    /// Time since the last, ns.
    pub age_3: Signal<Out, Bits<32>>,
    /// RTT in bits 23..0, time in 55..24, history in 56.
    ram: RAM<Bits<57>, F>,
    profiles: RAM<Bits<4>, F>,
    raw: DFF<Bits<57>>,
    profile: DFF<Bits<4>>,
    history: DFF<Bit>,
    difference: DFF<Bits<25>>,
    age: DFF<Bits<32>>,
    written: Signal<Local, Bits<57>>,
}

impl<const F: usize> Logic for History<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, profile, history, difference, age);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.profiles.read_clock.next = self.clk.val();
        self.profiles.write_clock.next = self.clk.val();
        // 0
        self.ram.read_address.next = self.flow_0.val();
        self.profiles.read_address.next = self.flow_0.val();
        // 1
        self.raw.d.next = self.ram.read_data.val();
        self.profile.d.next = self.profiles.read_data.val();
        self.written.next = bit_cast::<57, 24>(self.rtt_1.val())
            | (bit_cast::<57, 32>(self.time_1.val()) << 24)
            | (bit_cast::<57, 1>(self.sample_1.val()) << 56);
        self.ram.write_address.next = self.flow_1.val();
        self.ram.write_data.next = self.written.val();
        self.ram.write_enable.next = self.write_1.val();
        // 2
        self.profile_2.next = self.profile.q.val();
        self.before_2.next = self.raw.q.val();
        self.history.d.next = self.raw.q.val().get_bit(56);
        self.difference.d.next = bit_cast::<25, 24>(self.rtt_2.val()) - bit_cast::<25, 24>(self.raw.q.val().get_bits::<24>(0));
        if !self.raw.q.val().get_bit(56) {
            self.difference.d.next = bits::<25>(0);
        }
        self.age.d.next = self.time_2.val() - self.raw.q.val().get_bits::<32>(24);
        // 3
        self.history_3.next = self.history.q.val();
        self.difference_3.next = self.difference.q.val();
        self.age_3.next = self.age.q.val();
        self.profiles.write_address.next = self.load_flow.val();
        self.profiles.write_data.next = self.load_profile.val();
        self.profiles.write_enable.next = self.load_valid.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<57>(0);
            self.ram.write_enable.next = true;
            self.profiles.write_address.next = self.sweep_flow.val();
            self.profiles.write_data.next = bits::<4>(0);
            self.profiles.write_enable.next = true;
        }
    }
}
