//! Places kept in the order of their launches: a systolic insertion sorter.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// 64 grants of `2^F` flows, the one due first at the head.
///
/// A grant enters behind all that launch at the same time or earlier, in one clock, while the head may leave. A place compares keys of
/// 30 bits (units of 2^-8 ns) modulo 2^30; one that is too long past for that is marked, and stands before whatever comes.
/// Latency: 1 clock from `x_valid` to the head. Throughput: one in and one out a clock. An `x_valid` without a free place is an error.
#[derive(LogicBlock)]
pub struct Sorter<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The time, 2^-8 ns modulo 2^30.
    pub now: Signal<In, Bits<30>>,
    /// The time was stepped at the last clock: all in their places are due.
    pub stepped: Signal<In, Bit>,
    /// A grant enters.
    pub x_valid: Signal<In, Bit>,
    /// When it is due, 2^-8 ns modulo 2^30.
    pub x_key: Signal<In, Bits<30>>,
    /// Its flow.
    pub x_flow: Signal<In, Bits<F>>,
    /// The head leaves.
    pub pop: Signal<In, Bit>,
    /// The head's launch was here at the last clock.
    pub due: Signal<Out, Bit>,
    /// When the head is due.
    pub key: Signal<Out, Bits<30>>,
    /// The head's flow.
    pub flow: Signal<Out, Bits<F>>,
    /// With the grant that enters, no place is free.
    pub full: Signal<Out, Bit>,
    valids: [DFF<Bit>; 64],
    olds: [DFF<Bit>; 64],
    keys: [DFF<Bits<30>>; 64],
    flows: [DFF<Bits<F>>; 64],
    head_due: DFF<Bit>,
    /// The upper bits of the time at the last clock: a place can grow old only when they change.
    unit: DFF<Bits<3>>,
    /// Something enters, leaves or may grow old at this clock.
    moves: Signal<Local, Bit>,
    // The places as their neighbours see them, from 1, between two that are always empty: no place is an exception.
    valid_at: [Signal<Local, Bit>; 66],
    old_at: [Signal<Local, Bit>; 66],
    key_at: [Signal<Local, Bits<30>>; 66],
    flow_at: [Signal<Local, Bits<F>>; 66],
    /// The entering grant belongs behind it.
    precedes: [Signal<Local, Bit>; 66],
    ahead: [Signal<Local, Bits<30>>; 64],
    units: [Signal<Local, Bits<3>>; 64],
    take_left: [Signal<Local, Bit>; 64],
    take_right: [Signal<Local, Bit>; 64],
    take_x: [Signal<Local, Bit>; 64],
    /// Only the first two and the entering grant can be the head at the next clock.
    since: [Signal<Local, Bits<30>>; 2],
    due_at: [Signal<Local, Bit>; 2],
    since_x: Signal<Local, Bits<30>>,
}

impl<const F: usize> Default for Sorter<F> {
    fn default() -> Self {
        construct!({} clk, rst, now, stepped, x_valid, x_key, x_flow, pop, due, key, flow, full, head_due, unit, moves, since_x;
            valids, olds, keys, flows, valid_at, old_at, key_at, flow_at, precedes, ahead, units, take_left, take_right, take_x, since, due_at)
    }
}

impl<const F: usize> Logic for Sorter<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, head_due, unit);
        self.valid_at[0].next = false;
        self.old_at[0].next = false;
        self.key_at[0].next = bits::<30>(0);
        self.flow_at[0].next = bits::<F>(0);
        self.precedes[0].next = true;
        self.valid_at[65].next = false;
        self.old_at[65].next = false;
        self.key_at[65].next = bits::<30>(0);
        self.flow_at[65].next = bits::<F>(0);
        self.precedes[65].next = false;
        self.unit.d.next = self.now.val().get_bits::<3>(27);
        self.moves.next = self.x_valid.val() | self.pop.val() | self.stepped.val() | (self.unit.q.val() != self.unit.d.val());
        for i in 0..64 {
            self.valids[i].clock.next = self.clk.val();
            self.olds[i].clock.next = self.clk.val();
            self.keys[i].clock.next = self.clk.val();
            self.flows[i].clock.next = self.clk.val();
            self.valids[i].d.next = self.valids[i].q.val();
            self.olds[i].d.next = self.olds[i].q.val();
            self.keys[i].d.next = self.keys[i].q.val();
            self.flows[i].d.next = self.flows[i].q.val();
            self.ahead[i].next = bits::<30>(0);
            self.units[i].next = bits::<3>(0);
            self.take_right[i].next = false;
            self.take_x[i].next = false;
            self.take_left[i].next = false;
            self.precedes[i + 1].next = false;
            self.valid_at[i + 1].next = false;
            self.old_at[i + 1].next = false;
            self.key_at[i + 1].next = bits::<30>(0);
            self.flow_at[i + 1].next = bits::<F>(0);
        }
        // At most clocks nothing moves, and a simulator is spared two thirds of a gate's work.
        if self.moves.val() {
            for i in 0..64 {
                self.ahead[i].next = self.x_key.val() - self.keys[i].q.val();
                self.precedes[i + 1].next =
                    self.valids[i].q.val() & (self.olds[i].q.val() | self.stepped.val() | !self.ahead[i].val().get_bit(29));
                self.units[i].next = self.now.val().get_bits::<3>(27) - self.keys[i].q.val().get_bits::<3>(27);
                self.valid_at[i + 1].next = self.valids[i].q.val();
                // 2 to 5 of 8 units past: not much longer, and it would compare as one to come.
                self.old_at[i + 1].next =
                    self.olds[i].q.val() | self.stepped.val() | (self.units[i].val().get_bit(2) ^ self.units[i].val().get_bit(1));
                self.key_at[i + 1].next = self.keys[i].q.val();
                self.flow_at[i + 1].next = self.flows[i].q.val();
            }
            for i in 0..64 {
                self.take_right[i].next = self.pop.val() & (!self.x_valid.val() | self.precedes[i + 2].val());
                self.take_x[i].next = self.x_valid.val()
                    & ((self.pop.val() & !self.precedes[i + 2].val() & self.precedes[i + 1].val())
                        | (!self.pop.val() & !self.precedes[i + 1].val() & self.precedes[i].val()));
                self.take_left[i].next = self.x_valid.val() & !self.pop.val() & !self.precedes[i].val();
            }
            // The head leaves even if the entering grant goes before it.
            self.take_x[0].next = self.x_valid.val() & (!self.precedes[1].val() | (self.pop.val() & !self.precedes[2].val()));
            for i in 0..64 {
                self.valids[i].d.next = self.valid_at[i + 1].val();
                self.olds[i].d.next = self.old_at[i + 1].val();
                self.keys[i].d.next = self.key_at[i + 1].val();
                self.flows[i].d.next = self.flow_at[i + 1].val();
                if self.take_x[i].val() {
                    self.valids[i].d.next = true;
                    self.olds[i].d.next = false;
                    self.keys[i].d.next = self.x_key.val();
                    self.flows[i].d.next = self.x_flow.val();
                } else if self.take_right[i].val() {
                    self.valids[i].d.next = self.valid_at[i + 2].val();
                    self.olds[i].d.next = self.old_at[i + 2].val();
                    self.keys[i].d.next = self.key_at[i + 2].val();
                    self.flows[i].d.next = self.flow_at[i + 2].val();
                } else if self.take_left[i].val() {
                    self.valids[i].d.next = self.valid_at[i].val();
                    self.olds[i].d.next = self.old_at[i].val();
                    self.keys[i].d.next = self.key_at[i].val();
                    self.flows[i].d.next = self.flow_at[i].val();
                }
            }
        }
        if self.rst.val() {
            for i in 0..64 {
                self.valids[i].d.next = false;
            }
        }
        for i in 0..2 {
            self.since[i].next = self.now.val() - self.keys[i].q.val();
            self.due_at[i].next = self.valids[i].q.val() & (self.olds[i].q.val() | self.stepped.val() | !self.since[i].val().get_bit(29));
        }
        self.since_x.next = self.now.val() - self.x_key.val();
        self.head_due.d.next = self.due_at[0].val();
        if self.take_x[0].val() {
            self.head_due.d.next = !self.since_x.val().get_bit(29);
        } else if self.pop.val() {
            self.head_due.d.next = self.due_at[1].val();
        }
        self.due.next = self.head_due.q.val();
        self.key.next = self.keys[0].q.val();
        self.flow.next = self.flows[0].q.val();
        self.full.next = self.valids[63].q.val() | (self.valids[62].q.val() & self.x_valid.val());
        if self.rst.val() {
            self.head_due.d.next = false;
        }
    }
}
