//! The decrease by loss, of an ACK or a NAK: at most one in a round trip.
use super::word::ProfileWord;
use super::words::ProfileWrite;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// At most one decrease by loss in an RTT: a flow's last is remembered.
///
/// A port's number is the clock after the issue at which it holds. The time is read at 0 and
/// written at 14; operations of a flow are 24 clocks apart.
#[derive(LogicBlock, Default)]
pub struct Loss<const F: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Clear the time of `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Profile bus.
    pub bus_8: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_8: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_0: Signal<In, Bits<F>>,
    /// The operation's ACK tells of a loss, if the operation is a sample or a NAK.
    pub lost_0: Signal<In, Bit>,
    /// RTT, of a NAK the flow's last one, ns.
    pub rtt_2: Signal<In, Bits<24>>,
    /// The responder's part, ns.
    pub endpoint_2: Signal<In, Bits<24>>,
    /// DCQCN: a CNP lowers the rate, by this weight, Q.26.
    pub cnp_12: Signal<In, Bit>,
    /// The weight.
    pub half_alpha_12: Signal<In, Bits<25>>,
    /// Time, ns.
    pub time_2: Signal<In, Bits<32>>,
    /// The operation is a sample or a NAK, and its profile has a law that sets rates.
    pub law_10: Signal<In, Bit>,
    /// There is an operation.
    pub valid_14: Signal<In, Bit>,
    /// Flow of the operation.
    pub flow_14: Signal<In, Bits<F>>,
    /// Time of the operation, ns.
    pub time_14: Signal<In, Bits<32>>,
    /// The loss lowers the rate.
    pub falls_12: Signal<Out, Bit>,
    /// As `falls_12`, a clock later.
    pub falls_13: Signal<Out, Bit>,
    /// As `falls_12`, 6 clocks later.
    pub falls_18: Signal<Out, Bit>,
    /// As `falls_12`, 7 clocks later.
    pub falls_19: Signal<Out, Bit>,
    /// Decrease by the loss or the CNP, Q.26.
    pub decrease_13: Signal<Out, Bits<27>>,
    decrease: ProfileWord<27, { profile::LOSS_DECREASE.word as usize }>,
    times: ApartRam<Bits<32>, F>,
    raw: DFF<Bits<32>>,
    since: DFF<Bits<32>>,
    total: DFF<Bits<25>>,
    // Index k is the register of clock k + 1.
    lost: [DFF<Bit>; 3],
    // Index k is the register of clock k + 4.
    due: [DFF<Bit>; 7],
    // Index k is the register of clock k + 11.
    falls: [DFF<Bit>; 9],
    amount: [DFF<Bits<27>>; 3],
}

impl<const F: usize> Logic for Loss<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, since, total);
        for i in 0..3 {
            self.lost[i].clock.next = self.clk.val();
            self.amount[i].clock.next = self.clk.val();
        }
        for i in 0..7 {
            self.due[i].clock.next = self.clk.val();
        }
        for i in 0..9 {
            self.falls[i].clock.next = self.clk.val();
        }
        self.decrease.clk.next = self.clk.val();
        self.decrease.bus.next = self.bus_8.val();
        self.decrease.address.next = self.profile_8.val();
        // 0 to 3
        self.times.read_clock.next = self.clk.val();
        self.times.write_clock.next = self.clk.val();
        self.times.read_address.next = self.flow_0.val();
        self.raw.d.next = self.times.read_data.val();
        self.since.d.next = self.time_2.val() - self.raw.q.val();
        self.total.d.next = bit_cast::<25, 24>(self.rtt_2.val()) + bit_cast::<25, 24>(self.endpoint_2.val());
        self.lost[0].d.next = self.lost_0.val();
        for i in 0..2 {
            self.lost[i + 1].d.next = self.lost[i].q.val();
            self.amount[i + 1].d.next = self.amount[i].q.val();
        }
        // 3 to 10
        self.due[0].d.next = self.lost[2].q.val()
            & (self.since.q.val().get_bits::<7>(25).any() | (self.since.q.val().get_bits::<25>(0) >= self.total.q.val()));
        for i in 0..6 {
            self.due[i + 1].d.next = self.due[i].q.val();
        }
        // 10 to 19
        if self.cnp_12.val() {
            self.amount[2].d.next = bit_cast::<27, 25>(self.half_alpha_12.val());
        }
        self.amount[0].d.next = self.decrease.data.val();
        self.falls[0].d.next = (self.due[6].q.val() & self.law_10.val()) & self.decrease.data.val().any();
        for i in 0..8 {
            self.falls[i + 1].d.next = self.falls[i].q.val();
        }
        self.falls_12.next = self.falls[1].q.val();
        self.falls_13.next = self.falls[2].q.val();
        self.falls_18.next = self.falls[7].q.val();
        self.falls_19.next = self.falls[8].q.val();
        self.decrease_13.next = self.amount[2].q.val();
        self.times.write_enable.next = self.valid_14.val() & self.falls[3].q.val();
        self.times.write_address.next = self.flow_14.val();
        self.times.write_data.next = self.time_14.val();
        if self.sweep.val() {
            self.times.write_enable.next = true;
            self.times.write_address.next = self.sweep_flow.val();
            self.times.write_data.next = bits::<32>(0);
        }
        if self.rst.val() {
            for i in 0..3 {
                self.lost[i].d.next = false;
            }
            for i in 0..7 {
                self.due[i].d.next = false;
            }
            for i in 0..9 {
                self.falls[i].d.next = false;
            }
        }
    }
}
