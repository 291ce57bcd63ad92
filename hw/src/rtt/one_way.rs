//! One-way delay variation: the excess of a packet's delay over the least of late.
use super::words::{Excess, Least, Sum};
use rust_hdl::prelude::*;
use timely_regs::profile::ONE_WAY_WINDOW_BITS;

/// Keeps the least one-way delays of every flow and gives the signal that they mean
/// (`timely_model::rtt`, `signal.rs`).
///
/// Clock 0: the RAM is addressed. 1: captured. 2: the delay, and what it exceeds either of the two
/// least delays by, each out of one carry chain. 3: selection, and the base on top: `signal` is
/// there, unregistered. 4: the least delays back. An operation that enters in the four clocks after
/// does not see them.
#[derive(LogicBlock, Default)]
pub struct OneWay<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The RAM is being cleared.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Clock 0: flow of the operation.
    pub flow: Signal<In, Bits<F>>,
    /// Arrival of the packet at the responder, ns in Q.8.
    pub arrival: Signal<In, Bits<40>>,
    /// Arrival of the ACK here: the window, and ns below it.
    pub now_ns: Signal<In, Bits<48>>,
    /// Clock 2: start of the RTT, ns in Q.8.
    pub stamp: Signal<In, Bits<40>>,
    /// Clock 3: base of the profile, ns.
    pub base: Signal<In, Bits<24>>,
    /// Clock 3: base and excess, ns, modulo 2^24.
    pub signal: Signal<Out, Bits<24>>,
    /// Clock 3: base and excess are 2^24 or more.
    pub beyond: Signal<Out, Bit>,
    /// Clock 4: the ACK is accepted, and its start was stamped.
    pub keep: Signal<In, Bit>,
    /// Clock 4: the operation is a load, the flow forgets.
    pub forget: Signal<In, Bit>,
    /// Clock 4: the flow.
    pub keep_flow: Signal<In, Bits<F>>,
    least: RAM<Least, F>,
    raw: DFF<Least>,
    // Index k is the register of clock k + 1.
    window: [DFF<Bits<16>>; 4],
    // The responder's arrival less the ACK's here, ns: below the least delay, no excess is as long
    // as the RTT.
    apart: [DFF<Bits<32>>; 2],
    beyond_least: Signal<Local, Excess>,
    beyond_current: Signal<Local, Excess>,
    possible_least: DFF<Bit>,
    possible_current: DFF<Bit>,
    earlier: DFF<Bits<16>>,
    there: DFF<Bits<40>>,
    // For the delay, and 2 more for the excesses: subtracting by complements lacks 1 for each.
    far: DFF<Bits<40>>,
    farther: DFF<Bits<40>>,
    not_stamp: Signal<Local, Bits<40>>,
    not_least: Signal<Local, Bits<40>>,
    not_current: Signal<Local, Bits<40>>,
    delay: Signal<Local, Bits<40>>,
    sum_least: Signal<Local, Bits<40>>,
    sum_current: Signal<Local, Bits<40>>,
    carry_least: Signal<Local, Bits<40>>,
    carry_current: Signal<Local, Bits<40>>,
    total_least: Signal<Local, Bits<40>>,
    total_current: Signal<Local, Bits<40>>,
    over_least: DFF<Excess>,
    over_current: DFF<Excess>,
    same: DFF<Bit>,
    after: DFF<Bit>,
    delayed: DFF<Bits<32>>,
    old_least: DFF<Bits<32>>,
    old_current: DFF<Bits<32>>,
    held: Signal<Local, Bit>,
    with_least: Signal<Local, Sum>,
    with_current: Signal<Local, Sum>,
    /// The excess over the base has more than 24 bits.
    high: Signal<Local, Bit>,
    carries: Signal<Local, Bit>,
    new_least: DFF<Bits<32>>,
    new_current: DFF<Bits<32>>,
}

// A kernel takes literals alone; this holds its 22 to their home.
const _: () = assert!(ONE_WAY_WINDOW_BITS == 22);

impl<const F: usize> Logic for OneWay<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, earlier, there, far, farther, over_least, over_current, same, after, delayed, old_least, old_current);
        dff_setup!(self, clk, new_least, new_current, possible_least, possible_current);
        for i in 0..2 {
            self.apart[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.window[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.window[i + 1].d.next = self.window[i].q.val();
        }
        self.least.read_clock.next = self.clk.val();
        self.least.write_clock.next = self.clk.val();
        // 0
        self.least.read_address.next = self.flow.val();
        self.window[0].d.next = self.now_ns.val().get_bits::<16>(22);
        self.there.d.next = self.arrival.val();
        self.apart[0].d.next = self.arrival.val().get_bits::<32>(8) - self.now_ns.val().get_bits::<32>(0);
        // 1
        self.raw.d.next = self.least.read_data.val();
        self.apart[1].d.next = self.apart[0].q.val();
        self.earlier.d.next = self.window[0].q.val() - bits::<16>(1);
        self.far.d.next = self.there.q.val() + bits::<40>(128);
        self.farther.d.next = self.there.q.val() + bits::<40>(130);
        // 2: three operands to two, and those in one chain.
        self.same.d.next = self.raw.q.val().valid & (self.raw.q.val().window == self.window[1].q.val());
        self.after.d.next = self.raw.q.val().valid & (self.raw.q.val().window == self.earlier.q.val());
        self.old_least.d.next = self.raw.q.val().least;
        self.old_current.d.next = self.raw.q.val().current;
        self.delay.next = self.far.q.val() - self.stamp.val();
        self.delayed.d.next = self.delay.val().get_bits::<32>(8);
        self.not_stamp.next = !self.stamp.val();
        self.not_least.next = !(bit_cast::<40, 32>(self.raw.q.val().least) << 8);
        self.not_current.next = !(bit_cast::<40, 32>(self.raw.q.val().current) << 8);
        self.sum_least.next = self.farther.q.val() ^ self.not_stamp.val() ^ self.not_least.val();
        self.carry_least.next = (self.farther.q.val() & self.not_stamp.val())
            | (self.farther.q.val() & self.not_least.val())
            | (self.not_stamp.val() & self.not_least.val());
        self.total_least.next = self.sum_least.val() + (self.carry_least.val() << 1);
        self.over_least.d.next = self.total_least.val().get_bits::<32>(8).into();
        self.sum_current.next = self.farther.q.val() ^ self.not_stamp.val() ^ self.not_current.val();
        self.carry_current.next = (self.farther.q.val() & self.not_stamp.val())
            | (self.farther.q.val() & self.not_current.val())
            | (self.not_stamp.val() & self.not_current.val());
        self.total_current.next = self.sum_current.val() + (self.carry_current.val() << 1);
        self.over_current.d.next = self.total_current.val().get_bits::<32>(8).into();
        self.beyond_least.next = (self.apart[1].q.val() - self.raw.q.val().least).into();
        self.possible_least.d.next = self.beyond_least.val().negative;
        self.beyond_current.next = (self.apart[1].q.val() - self.raw.q.val().current).into();
        self.possible_current.d.next = self.beyond_current.val().negative;
        // 3: less than what it is held against is the new least, and exceeds it by nothing. Both
        // are summed before one is chosen.
        self.held.next = (self.same.q.val() & (self.possible_least.q.val() & !self.over_least.q.val().negative))
            | (self.after.q.val() & (self.possible_current.q.val() & !self.over_current.q.val().negative));
        self.with_least.next = (bit_cast::<25, 24>(self.over_least.q.val().ns) + bit_cast::<25, 24>(self.base.val())).into();
        self.with_current.next = (bit_cast::<25, 24>(self.over_current.q.val().ns) + bit_cast::<25, 24>(self.base.val())).into();
        // A sum's carry is known last: it goes past the choice of the other bits.
        self.signal.next = self.base.val();
        self.high.next = false;
        self.carries.next = self.with_current.val().carry;
        if self.same.q.val() {
            self.carries.next = self.with_least.val().carry;
        }
        if self.held.val() {
            if self.same.q.val() {
                self.signal.next = self.with_least.val().ns;
                self.high.next = self.over_least.q.val().above.any();
            } else {
                self.signal.next = self.with_current.val().ns;
                self.high.next = self.over_current.q.val().above.any();
            }
        }
        self.beyond.next = self.high.val() | (self.held.val() & self.carries.val());
        self.new_least.d.next = self.delayed.q.val();
        if self.held.val() {
            self.new_least.d.next = self.old_current.q.val();
            if self.same.q.val() {
                self.new_least.d.next = self.old_least.q.val();
            }
        }
        self.new_current.d.next = self.delayed.q.val();
        if self.same.q.val() & (self.possible_least.q.val() & !self.over_current.q.val().negative) {
            self.new_current.d.next = self.old_current.q.val();
        }
        // 4
        self.least.write_enable.next = self.keep.val() | self.forget.val() | self.sweep.val();
        self.least.write_address.next = self.keep_flow.val();
        self.least.write_data.next.least = self.new_least.q.val();
        self.least.write_data.next.current = self.new_current.q.val();
        self.least.write_data.next.window = self.window[3].q.val();
        self.least.write_data.next.valid = true;
        if self.forget.val() {
            self.least.write_data.next = bits::<81>(0).into();
        }
        if self.sweep.val() {
            self.least.write_address.next = self.sweep_flow.val();
            self.least.write_data.next = bits::<81>(0).into();
        }
    }
}
