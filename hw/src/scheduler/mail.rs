//! The scheduler's mailbox.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::OneHot;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::scheduler::mail::MAIL_QUEUE_BITS;
use timely_regs::corundum::{MAIL_FLOW, MAIL_GRANTS, MAIL_REFUSED, MAIL_SIGN, MAIL_SWEPT, MAIL_WHAT, SIGN};

// A kernel takes literals alone.
const _: () = assert!(MAIL_FLOW.low == 0 && MAIL_WHAT.low == 16 && MAIL_SWEPT.low == 18 && MAIL_REFUSED.low == 19 && MAIL_GRANTS.low == 20);
const _: () = assert!(MAIL_SIGN.low == 28 && SIGN == 5 && MAIL_QUEUE_BITS == 9);

/// Mailbox of the pacer, read a word at a time: flows that start after their idle time, and flows
/// whose limited state changed. `S` must be `F + 1`, `E` `F + 2`.
///
/// 512 entries wait. Beyond them an idle restart is lost, and a change of `limited` comes with a
/// later pass of its flow; so it does at the clock of a restart. Latency: 6 clocks until an entry
/// shows in `word`. Throughput: an entry a clock. Back pressure: none. Model:
/// `timely_model::scheduler::mail::Mail`.
#[derive(LogicBlock, Default)]
pub struct Mail<const F: usize, const S: usize, const E: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A flow starts after its idle time.
    pub idle_valid: Signal<In, Bit>,
    pub idle_flow: Signal<In, Bits<F>>,
    /// A flow came to its pass; the next time 4 clocks later at the soonest.
    pub limited_valid: Signal<In, Bit>,
    pub limited_flow: Signal<In, Bits<F>>,
    /// The flow is limited.
    pub limited: Signal<In, Bit>,
    /// A packet was granted.
    pub granted: Signal<In, Bit>,
    /// A posting was refused.
    pub refused: Signal<In, Bit>,
    /// The scheduler's RAM is clear.
    pub ready: Signal<In, Bit>,
    /// `timely_regs::corundum::MAIL`.
    pub word: Signal<Out, Bits<32>>,
    /// The word is read at this clock.
    pub taken: Signal<In, Bit>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    told: RAM<Bits<1>, F>,
    entries: Fifo<E, 9, 10>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    idle: [DFF<Bit>; 2],
    idle_at: [DFF<Bits<F>>; 2],
    pass: [DFF<Bit>; 2],
    pass_at: [DFF<Bits<F>>; 2],
    is_limited: [DFF<Bit>; 2],
    was: DFF<Bits<1>>,
    up: DFF<Bit>,
    grants: DFF<Bits<16>>,
    refusals: DFF<Bits<8>>,
    is_swept: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
    entry: Signal<Local, Bits<E>>,
    shown: Signal<Local, Bits<8>>,
}

impl<const F: usize, const S: usize, const E: usize> Logic for Mail<F, S, E> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, was, up, grants, refusals);
        for i in 0..2 {
            self.idle[i].clock.next = self.clk.val();
            self.idle_at[i].clock.next = self.clk.val();
            self.pass[i].clock.next = self.clk.val();
            self.pass_at[i].clock.next = self.clk.val();
            self.is_limited[i].clock.next = self.clk.val();
        }
        self.told.read_clock.next = self.clk.val();
        self.told.write_clock.next = self.clk.val();
        self.entries.clk.next = self.clk.val();
        self.entries.rst.next = self.rst.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }
        self.up.d.next = self.ready.val();
        // The flow's state as last reported is read, and reported anew if it is another now.
        self.told.read_address.next = self.limited_flow.val();
        self.was.d.next = self.told.read_data.val();
        self.idle[0].d.next = self.idle_valid.val();
        self.idle_at[0].d.next = self.idle_flow.val();
        self.pass[0].d.next = self.limited_valid.val() & self.is_swept.val();
        self.pass_at[0].d.next = self.limited_flow.val();
        self.is_limited[0].d.next = self.limited.val();
        self.idle[1].d.next = self.idle[0].q.val();
        self.idle_at[1].d.next = self.idle_at[0].q.val();
        self.pass[1].d.next = self.pass[0].q.val();
        self.pass_at[1].d.next = self.pass_at[0].q.val();
        self.is_limited[1].d.next = self.is_limited[0].q.val();
        self.tells.next = self.pass[1].q.val()
            & !self.idle[1].q.val()
            & (self.was.q.val().any() ^ self.is_limited[1].q.val())
            & self.entries.i_ready.val();
        self.entries.i_valid.next = self.idle[1].q.val() | self.tells.val();
        self.entries.i_data.next = (bit_cast::<E, F>(self.pass_at[1].q.val()) << 2) | bits::<E>(2);
        if self.is_limited[1].q.val() {
            self.entries.i_data.next = (bit_cast::<E, F>(self.pass_at[1].q.val()) << 2) | bits::<E>(3);
        }
        if self.idle[1].q.val() {
            self.entries.i_data.next = (bit_cast::<E, F>(self.idle_at[1].q.val()) << 2) | bits::<E>(1);
        }
        self.told.write_enable.next = self.tells.val();
        self.told.write_address.next = self.pass_at[1].q.val();
        self.told.write_data.next = bit_cast::<1, 1>(self.is_limited[1].q.val().into());
        if !self.is_swept.val() {
            self.told.write_enable.next = true;
            self.told.write_address.next = self.sweep.q.val().get_bits::<F>(0);
            self.told.write_data.next = bits::<1>(0);
        }
        // Grants counted since the mailbox was read.
        self.shown.next = self.grants.q.val().get_bits::<8>(0);
        if self.grants.q.val().get_bits::<8>(8).any() {
            self.shown.next = bits::<8>(255);
        }
        self.grants.d.next = self.grants.q.val() + bit_cast::<16, 1>(self.granted.val().into());
        if self.taken.val() {
            self.grants.d.next = self.grants.q.val() - bit_cast::<16, 8>(self.shown.val()) + bit_cast::<16, 1>(self.granted.val().into());
        }
        if self.refused.val() & !self.refusals.q.val().all() {
            self.refusals.d.next = self.refusals.q.val() + bits::<8>(1);
        }
        if self.taken.val() & self.refusals.q.val().any() {
            self.refusals.d.next = self.refusals.q.val() - bits::<8>(1) + bit_cast::<8, 1>(self.refused.val().into());
        }
        self.entries.o_ready.next = self.taken.val();
        self.entry.next = self.entries.o_data.val();
        self.word.next = (bit_cast::<32, 1>(self.up.q.val().into()) << 18)
            | (bit_cast::<32, 1>(self.refusals.q.val().any().into()) << 19)
            | (bit_cast::<32, 8>(self.shown.val()) << 20)
            | bits::<32>(0x5000_0000);
        if self.entries.o_valid.val() {
            self.word.next = bit_cast::<32, F>(self.entry.val().get_bits::<F>(2))
                | (bit_cast::<32, 2>(self.entry.val().get_bits::<2>(0)) << 16)
                | (bit_cast::<32, 1>(self.up.q.val().into()) << 18)
                | (bit_cast::<32, 1>(self.refusals.q.val().any().into()) << 19)
                | (bit_cast::<32, 8>(self.shown.val()) << 20)
                | bits::<32>(0x5000_0000);
        }
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            self.up.d.next = false;
            self.grants.d.next = bits::<16>(0);
            self.refusals.d.next = bits::<8>(0);
            for i in 0..2 {
                self.idle[i].d.next = false;
                self.pass[i].d.next = false;
            }
        }
    }
}
