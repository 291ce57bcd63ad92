//! What every clock adds to the time: the increment, less what must be taken back, and steps forward.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// Compares the wanted time with `now`, one correction at a time, and turns the difference into a step or a slower rate.
///
/// A correction's clocks, by `phase`: 1, 2 subtract; 3 decides; 4 to 22 divide the step by 10^9 ns, a bit a clock, for the seconds;
/// 23 steps; 24 waits until all is taken back; the rest let the correction reach `now`.
#[derive(LogicBlock)]
pub struct Correct {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// What a clock adds: ns, Q8.24.
    pub cfg_time_increment: Signal<In, Bits<32>>,
    /// PTP is the source.
    pub cfg_time_ptp: Signal<In, Bit>,
    /// A time to step forward to is given.
    pub time_set_valid: Signal<In, Bit>,
    /// That time, ns48.fns16.
    pub time_set_value: Signal<In, Bits<64>>,
    /// PTP gives its time.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP's time at this clock, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// The time as counted, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// What this clock adds without steps: ns, Q8.24.
    pub rate: Signal<Out, Bits<32>>,
    /// Whole ns of a step at this clock, 0 for none.
    pub step_ns: Signal<Out, Bits<48>>,
    /// The rest of the step, 2^-16 ns.
    pub step_fraction: Signal<Out, Bits<16>>,
    /// Seconds in `step_ns`.
    pub step_sec: Signal<Out, Bits<19>>,
    /// Nanoseconds in `step_ns` beside them.
    pub step_rest: Signal<Out, Bits<30>>,
    /// A step was refused; one clock.
    pub refused: Signal<Out, Bit>,
    second: Constant<Bits<32>>,
    phase: DFF<Bits<6>>,
    by_software: DFF<Bit>,
    wanted: DFF<Bits<64>>,
    base: DFF<Bits<64>>,
    low: DFF<Bits<33>>,
    high: DFF<Bits<32>>,
    high_plus: Signal<Local, Bits<32>>,
    /// More behind than one correction takes back.
    far: DFF<Bit>,
    behind: DFF<Bits<24>>,
    backward: Signal<Local, Bit>,
    refusal: DFF<Bit>,
    remainder: DFF<Bits<30>>,
    dividend: DFF<Bits<19>>,
    quotient: DFF<Bits<19>>,
    trial: Signal<Local, Bits<32>>,
    trial_less: Signal<Local, Bits<32>>,
    increment: DFF<Bits<32>>,
    increment_2: DFF<Bits<32>>,
    /// What is still to be taken back: ns, Q8.24.
    debt: DFF<Bits<32>>,
    slow: Signal<Local, Bits<33>>,
    left: Signal<Local, Bits<33>>,
    take: DFF<Bits<32>>,
    rate_q: DFF<Bits<32>>,
    ns: DFF<Bits<48>>,
    fraction: DFF<Bits<16>>,
    sec: DFF<Bits<19>>,
    rest: DFF<Bits<30>>,
}

impl Default for Correct {
    fn default() -> Self {
        construct!({ second: Constant::new(bits::<32>(1_000_000_000)) }
            clk, rst, cfg_time_increment, cfg_time_ptp, time_set_valid, time_set_value, ptp_valid, ptp_time, now, rate, step_ns, step_fraction,
            step_sec, step_rest, refused, phase, by_software, wanted, base, low, high, high_plus, far, behind, backward, refusal, remainder,
            dividend, quotient, trial, trial_less, increment, increment_2, debt, slow, left, take, rate_q, ns, fraction, sec, rest)
    }
}

impl Logic for Correct {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, phase, by_software, wanted, base, low, high, far, behind, refusal, remainder, dividend, quotient);
        dff_setup!(self, clk, increment, increment_2, debt, take, rate_q, ns, fraction, sec, rest);
        // Start, and go on.
        self.refusal.d.next = false;
        if self.phase.q.val() == bits::<6>(0) {
            self.by_software.d.next = !self.cfg_time_ptp.val();
            self.base.d.next = self.now.val();
            if self.cfg_time_ptp.val() {
                self.wanted.d.next = self.ptp_time.val();
                self.refusal.d.next = self.time_set_valid.val();
                if self.ptp_valid.val() {
                    self.phase.d.next = bits::<6>(1);
                }
            } else {
                self.wanted.d.next = self.time_set_value.val();
                if self.time_set_valid.val() {
                    self.phase.d.next = bits::<6>(1);
                }
            }
        } else {
            self.refusal.d.next = self.time_set_valid.val();
            self.phase.d.next = self.phase.q.val() + bits::<6>(1);
            if (self.phase.q.val() == bits::<6>(24)) & self.debt.q.val().any() {
                self.phase.d.next = bits::<6>(24);
            }
            if self.phase.q.val() == bits::<6>(40) {
                self.phase.d.next = bits::<6>(0);
            }
        }
        // The offset, wanted - now: low half with its borrow in bit 32, then the high half.
        if self.phase.q.val() == bits::<6>(1) {
            self.low.d.next =
                bit_cast::<33, 32>(self.wanted.q.val().get_bits::<32>(0)) - bit_cast::<33, 32>(self.base.q.val().get_bits::<32>(0));
        }
        self.high_plus.next = self.base.q.val().get_bits::<32>(32) + bit_cast::<32, 1>(self.low.q.val().get_bits::<1>(32));
        if self.phase.q.val() == bits::<6>(2) {
            self.high.d.next = self.wanted.q.val().get_bits::<32>(32) - self.high_plus.val();
        }
        self.backward.next = self.high.q.val().get_bit(31);
        if self.phase.q.val() == bits::<6>(3) {
            self.refusal.d.next = self.time_set_valid.val() | (self.by_software.q.val() & self.backward.val());
            self.far.d.next = !(self.high.q.val().all() & self.low.q.val().get_bits::<9>(23).all());
            self.behind.d.next = bits::<24>(0) - self.low.q.val().get_bits::<24>(0);
            // 29 bits are less than a second: only the last 19 of the ns take a step of the division.
            self.remainder.d.next = bit_cast::<30, 29>(self.high.q.val().get_bits::<29>(3));
            self.dividend.d.next =
                (bit_cast::<19, 3>(self.high.q.val().get_bits::<3>(0)) << 16) | bit_cast::<19, 16>(self.low.q.val().get_bits::<16>(16));
        }
        self.trial.next = (bit_cast::<32, 30>(self.remainder.q.val()) << 1) | bit_cast::<32, 1>(self.dividend.q.val().get_bits::<1>(18));
        self.trial_less.next = self.trial.val() - self.second.val();
        if (self.phase.q.val() > bits::<6>(3)) & (self.phase.q.val() < bits::<6>(23)) {
            self.dividend.d.next = self.dividend.q.val() << 1;
            self.quotient.d.next = self.quotient.q.val() << 1;
            self.remainder.d.next = self.trial.val().get_bits::<30>(0);
            if !self.trial_less.val().get_bit(31) {
                self.quotient.d.next = (self.quotient.q.val() << 1) | bits::<19>(1);
                self.remainder.d.next = self.trial_less.val().get_bits::<30>(0);
            }
        }
        // A step lasts one clock.
        self.ns.d.next = bits::<48>(0);
        self.fraction.d.next = bits::<16>(0);
        self.sec.d.next = bits::<19>(0);
        self.rest.d.next = bits::<30>(0);
        if (self.phase.q.val() == bits::<6>(23)) & !self.backward.val() {
            self.ns.d.next = (bit_cast::<48, 32>(self.high.q.val()) << 16) | bit_cast::<48, 16>(self.low.q.val().get_bits::<16>(16));
            self.fraction.d.next = self.low.q.val().get_bits::<16>(0);
            self.sec.d.next = self.quotient.q.val();
            self.rest.d.next = self.remainder.q.val();
        }
        // What is to be taken back goes at half speed, so that the time never stands and never turns.
        self.increment.d.next = self.cfg_time_increment.val();
        self.increment_2.d.next = self.increment.q.val();
        self.slow.next = bit_cast::<33, 31>(self.increment.q.val().get_bits::<31>(1));
        self.left.next = bit_cast::<33, 32>(self.debt.q.val()) - self.slow.val();
        if self.left.val().get_bit(32) {
            self.take.d.next = self.debt.q.val();
            self.debt.d.next = bits::<32>(0);
        } else {
            self.take.d.next = self.slow.val().get_bits::<32>(0);
            self.debt.d.next = self.left.val().get_bits::<32>(0);
        }
        if (self.phase.q.val() == bits::<6>(4)) & self.backward.val() & !self.by_software.q.val() {
            self.debt.d.next = bit_cast::<32, 24>(self.behind.q.val()) << 8;
            if self.far.q.val() {
                self.debt.d.next = bits::<32>(1) << 31;
            }
        }
        self.rate_q.d.next = self.increment_2.q.val() - self.take.q.val();
        self.rate.next = self.rate_q.q.val();
        self.step_ns.next = self.ns.q.val();
        self.step_fraction.next = self.fraction.q.val();
        self.step_sec.next = self.sec.q.val();
        self.step_rest.next = self.rest.q.val();
        self.refused.next = self.refusal.q.val();
        if self.rst.val() {
            self.phase.d.next = bits::<6>(0);
            self.refusal.d.next = false;
            self.high.d.next = bits::<32>(0);
            self.increment.d.next = bits::<32>(0);
            self.increment_2.d.next = bits::<32>(0);
            self.debt.d.next = bits::<32>(0);
            self.take.d.next = bits::<32>(0);
            self.rate_q.d.next = bits::<32>(0);
            self.ns.d.next = bits::<48>(0);
            self.fraction.d.next = bits::<16>(0);
            self.sec.d.next = bits::<19>(0);
            self.rest.d.next = bits::<30>(0);
        }
    }
}
