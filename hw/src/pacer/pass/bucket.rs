//! The bucket: settles a flow's tokens, and says what its accounts allow.
use super::words::{Account, Flags, Logs, Paid, Post, Verdict};
use crate::constant::Fixed;
use crate::num::{S, U};
use crate::pacer::delay::{Delay, Stages};
use rust_hdl::prelude::*;
use timely_model::pacer::charge::LARGEST_SHIFT;
use timely_model::pacer::token::UNCHARGED;

// Bit 8 of the uncharged packets says that a flow has too many.
const _: () = assert!(UNCHARGED == 1 << 8 && LARGEST_SHIFT == 9);

/// The first half of `timely_model::pacer::token::plan`. Inputs at clocks 0 and 1, outputs at clock
/// 8 (`packet` at 3).
#[derive(LogicBlock, Default)]
pub struct Bucket {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops (see `delay`).
    pub rst: Signal<In, Bit>,
    /// Clock 0: the account, as the last pass left it.
    pub state: Signal<In, Account>,
    /// Clock 0: packets posted and bytes released.
    pub post: Signal<In, Post>,
    /// Clock 0: bytes and packets charged.
    pub paid: Signal<In, Paid>,
    /// Clock 0: bytes charged when a packet last ended its segment.
    pub ended: Signal<In, Bits<32>>,
    /// Clock 0: a grant waits.
    pub held: Signal<In, Bit>,
    /// Clock 0: rate.
    pub rate: Signal<In, Bits<30>>,
    /// Clock 0: wire bytes of a packet as the record says.
    pub size: Signal<In, Bits<16>>,
    /// Clock 1: the time when a train would reach the gate, ns.
    pub now: Signal<In, Bits<48>>,
    /// Clock 1: outstanding bound.
    pub bound: Signal<In, Bits<30>>,
    /// Clock 1: idle time.
    pub idle: Signal<In, Bits<31>>,
    /// Clock 1: token cap.
    pub cap: Signal<In, Bits<20>>,
    /// Clock 3: ns since the last pass, cut to 28 bits.
    pub elapsed: Signal<Out, Bits<28>>,
    /// Clock 3: 125 times the bytes of a packet.
    pub packet: Signal<Out, Bits<23>>,
    /// Clock 8: the tokens.
    pub tokens: Signal<Out, Bits<51>>,
    /// Clock 8: tokens that the flow lacks to send; signed.
    pub deficit: Signal<Out, Bits<52>>,
    /// Clock 8: base of the outstanding bytes.
    pub base: Signal<Out, Bits<32>>,
    /// Clock 8: the size of the last packet is known.
    pub measured: Signal<Out, Bit>,
    /// Clock 8: the fate that the account allows.
    pub verdict: Signal<Out, Verdict>,
    octet: Fixed<7, 125>,
    charged: Signal<Local, Bits<32>>,
    granted: Signal<Local, Bits<16>>,
    logs2: Signal<Local, Logs>,
    logs7: Signal<Local, Logs>,
    flags7: Signal<Local, Flags>,
    // Clock 1.
    sent: DFF<Bits<25>>,
    uncharged: DFF<Bits<9>>,
    backlog: DFF<Bits<16>>,
    outstanding: DFF<Bits<32>>,
    /// Outstanding bytes of segments that have ended, but for the base.
    waiting1: DFF<Bits<32>>,
    lower: DFF<Bit>,
    state1: DFF<Account>,
    rate1: DFF<Bits<30>>,
    last1: DFF<Bits<16>>,
    size1: DFF<Bits<16>>,
    drop1: DFF<Bit>,
    largest1: DFF<Bits<7>>,
    held1: DFF<Bit>,
    // Clock 2.
    length2: DFF<Bits<16>>,
    /// Length that what is granted and not charged counts as, and what is granted now as for the
    /// bound.
    foreseen2: DFF<Bits<16>>,
    measured2: DFF<Bit>,
    elapsed2: DFF<Bits<48>>,
    rate2: DFF<Bits<30>>,
    excess2: DFF<Bits<32>>,
    /// Bytes of ended segments less the base, signed as `excess2`.
    waiting2: DFF<Bits<32>>,
    /// 125 times the low 17 bits of the bytes sent, and times the others.
    sent_low2: DFF<Bits<24>>,
    sent_high2: DFF<Bits<15>>,
    cap2: DFF<Bits<20>>,
    bound2: DFF<Bits<30>>,
    idle2: DFF<Bits<31>>,
    outstanding2: DFF<Bits<32>>,
    base2: DFF<Bits<32>>,
    uncharged2: DFF<Bits<9>>,
    tokens2: DFF<Bits<51>>,
    log2: DFF<Bits<3>>,
    exact2: DFF<Bit>,
    may_idle2: DFF<Bit>,
    flags2: DFF<Flags>,
    // Clock 3.
    elapsed3: DFF<Bits<28>>,
    // The flow did nothing for as long as the idle time, for longer than that can be; it may have
    // been idle.
    past3: DFF<Bit>,
    beyond3: DFF<Bit>,
    may_idle3: DFF<Bit>,
    waiting3: DFF<Bits<25>>,
    /// All is charged, and nothing that has ended is outstanding.
    alone3: DFF<Bit>,
    packet3: DFF<Bits<23>>,
    foreseen3: DFF<Bits<16>>,
    tokens3: DFF<Bits<52>>,
    sent_high3: DFF<Bits<15>>,
    rate3: DFF<Bits<30>>,
    excess3: DFF<Bits<31>>,
    base3: DFF<Bits<32>>,
    cap3: DFF<Bits<27>>,
    // Clock 4.
    low_low: DFF<Bits<29>>,
    low_high: DFF<Bits<29>>,
    high_low: DFF<Bits<29>>,
    high_high: DFF<Bits<29>>,
    waiting_low: DFF<Bits<24>>,
    waiting_high: DFF<Bits<15>>,
    total4: DFF<Bits<32>>,
    alone4: DFF<Bit>,
    foreseen4: DFF<Bits<16>>,
    tokens4: DFF<Bits<52>>,
    cap4: DFF<Bits<27>>,
    // Clock 5.
    low5: DFF<Bits<44>>,
    high5: DFF<Bits<44>>,
    waiting5: DFF<Bits<32>>,
    cap5: DFF<Bits<27>>,
    /// Bytes that the outstanding bound leaves, signed; there is no bound.
    room5: DFF<Bits<33>>,
    free5: DFF<Bit>,
    foreseen5: DFF<Bits<16>>,
    none5: DFF<Bit>,
    tokens5: DFF<Bits<52>>,
    // Clock 6.
    filled6: DFF<Bits<58>>,
    fits6: [DFF<Bit>; 6],
    waiting6: DFF<Bits<32>>,
    least6: DFF<Bits<52>>,
    tokens6: DFF<Bits<52>>,
    // Clock 7.
    /// Low bits of the tokens; there are others, and so more tokens than any cap.
    tokens7: DFF<S<54>>,
    over7: DFF<Bit>,
    waiting7: DFF<Bits<32>>,
    least7: DFF<Bits<52>>,
    fit7: DFF<Bits<3>>,
    fits7: DFF<Bit>,
    // Clock 8.
    tokens8: DFF<Bits<51>>,
    lacks8: DFF<Bits<52>>,
    most8: DFF<Bits<3>>,
    clear8: DFF<Bit>,
    empty8: DFF<Bit>,
    bounded8: DFF<Bit>,
    again8: DFF<Bit>,
    send8: DFF<Bit>,
    waits8: DFF<Bit>,
    held8: DFF<Bit>,
    keep8: DFF<Bit>,
    starts8: DFF<Bit>,
    bounds: Stages<30, 2>,
    caps: Delay<27, 2>,
    bases: Stages<32, 4>,
    flags: Stages<6, 5>,
    logs: Stages<5, 5>,
    lates: Delay<1, 4>,
    base8: DFF<Bits<32>>,
    measured8: DFF<Bit>,
    last8: DFF<Bits<3>>,
    exact8: DFF<Bit>,
    known: Signal<Local, Bit>,
    times125: Signal<Local, U<7>>,
    few: Signal<Local, Bits<6>>,
    sent_low_u: Signal<Local, U<17>>,
    sent_high_u: Signal<Local, U<8>>,
    thrice: Signal<Local, Bits<27>>,
    length_u: Signal<Local, U<16>>,
    uncharged_u: Signal<Local, U<9>>,
    foreseen_u: Signal<Local, U<16>>,
    waiting_low_u: Signal<Local, U<17>>,
    waiting_high_u: Signal<Local, U<8>>,
    over: Signal<Local, Bit>,
    is_within: Signal<Local, Bit>,
    rate_low: Signal<Local, U<15>>,
    rate_high: Signal<Local, U<15>>,
    time_low: Signal<Local, U<14>>,
    time_high: Signal<Local, U<14>>,
    tokens_s: Signal<Local, S<52>>,
    filled_s: Signal<Local, S<53>>,
    tokens_b: Signal<Local, Bits<54>>,
    filled: Signal<Local, Bits<38>>,
    above: Signal<Local, Bits<38>>,
    clip: Signal<Local, Bit>,
    is_drop: Signal<Local, Bit>,
    is_uncharged: Signal<Local, Bit>,
    is_backlog: Signal<Local, Bit>,
    is_stuck: Signal<Local, Bit>,
    is_awake: Signal<Local, Bit>,
    is_live: Signal<Local, Bit>,
    /// A grant waits, and others are uncharged.
    holds: Signal<Local, Bit>,
}

impl Logic for Bucket {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sent, uncharged, backlog, outstanding, waiting1, lower, state1, rate1, last1, size1, drop1, largest1, held1);
        dff_setup!(
            self,
            clk,
            length2,
            foreseen2,
            measured2,
            elapsed2,
            rate2,
            excess2,
            waiting2,
            sent_low2,
            sent_high2,
            cap2,
            bound2,
            idle2,
            outstanding2,
            base2,
            uncharged2
        );
        dff_setup!(self, clk, tokens2, log2, exact2, may_idle2, flags2);
        dff_setup!(
            self, clk, elapsed3, past3, beyond3, may_idle3, waiting3, alone3, packet3, foreseen3, tokens3, sent_high3, rate3, excess3,
            base3, cap3
        );
        dff_setup!(self, clk, low_low, low_high, high_low, high_high, waiting_low, waiting_high, total4, alone4, foreseen4, tokens4, cap4);
        dff_setup!(
            self, clk, low5, high5, waiting5, cap5, room5, free5, foreseen5, none5, tokens5, filled6, waiting6, least6, tokens6, tokens7,
            over7
        );
        dff_setup!(self, clk, waiting7, least7, fit7, fits7);
        dff_setup!(
            self, clk, tokens8, lacks8, most8, clear8, empty8, bounded8, again8, send8, waits8, held8, keep8, starts8, base8, measured8,
            last8, exact8
        );
        for i in 0..6 {
            self.fits6[i].clock.next = self.clk.val();
        }
        self.bounds.clk.next = self.clk.val();
        self.bounds.rst.next = self.rst.val();
        self.caps.clk.next = self.clk.val();
        self.bases.clk.next = self.clk.val();
        self.bases.rst.next = self.rst.val();
        self.flags.clk.next = self.clk.val();
        self.flags.rst.next = self.rst.val();
        self.logs.clk.next = self.clk.val();
        self.logs.rst.next = self.rst.val();
        self.lates.clk.next = self.clk.val();
        self.times125.next = self.octet.val().into();

        // 0: differences of counters.
        self.charged.next = self.paid.val().sum;
        self.granted.next = self.state.val().granted;
        self.sent.d.next = self.charged.val().get_bits::<25>(0) - self.state.val().sent;
        self.uncharged.d.next = self.granted.val().get_bits::<9>(0) - self.paid.val().packets;
        self.backlog.d.next = self.post.val().posted - self.state.val().granted;
        self.outstanding.d.next = self.paid.val().sum - self.post.val().released;
        self.waiting1.d.next = self.ended.val() - self.post.val().released;
        self.lower.d.next = self.rate.val() < self.state.val().rate;
        self.state1.d.next = self.state.val();
        self.rate1.d.next = self.rate.val();
        self.last1.d.next = self.paid.val().last;
        self.size1.d.next = self.size.val();
        self.drop1.d.next = self.post.val().drop;
        self.largest1.d.next = self.paid.val().largest;
        self.held1.d.next = self.held.val();

        // 1: time, the rate that counts, the size of a packet.
        self.known.next = self.state1.q.val().measured | self.sent.q.val().any();
        self.measured2.d.next = self.known.val();
        self.length2.d.next = self.size1.q.val();
        if self.known.val() {
            self.length2.d.next = self.last1.q.val();
        }
        // What is larger than the last packet has its low bits 0.
        self.holds.next = self.held1.q.val() & self.uncharged.q.val().any();
        self.foreseen2.d.next = self.length2.d.val();
        if (self.known.val() & self.holds.val()) & (self.largest1.q.val() > self.last1.q.val().get_bits::<7>(9)) {
            self.foreseen2.d.next = bit_cast::<16, 7>(self.largest1.q.val()) << 9;
        }
        self.elapsed2.d.next = self.now.val() - self.state1.q.val().time;
        self.rate2.d.next = self.state1.q.val().rate;
        if self.lower.q.val() {
            self.rate2.d.next = self.rate1.q.val();
        }
        self.excess2.d.next = self.outstanding.q.val() - self.state1.q.val().base;
        self.waiting2.d.next = self.waiting1.q.val() - self.state1.q.val().base;
        // Too wide for one multiplier: two, of which one is subtracted after the other.
        self.sent_low_u.next = self.sent.q.val().get_bits::<17>(0).into();
        self.sent_high_u.next = self.sent.q.val().get_bits::<8>(17).into();
        self.sent_low2.d.next = (self.sent_low_u.val() * self.times125.val()).into();
        self.sent_high2.d.next = (self.sent_high_u.val() * self.times125.val()).into();
        self.cap2.d.next = self.cap.val();
        self.bound2.d.next = self.bound.val();
        self.idle2.d.next = self.idle.val();
        self.outstanding2.d.next = self.outstanding.q.val();
        self.base2.d.next = self.state1.q.val().base;
        self.uncharged2.d.next = self.uncharged.q.val();
        self.tokens2.d.next = self.state1.q.val().tokens;
        self.log2.d.next = bits::<3>(0);
        if self.backlog.q.val().get_bits::<11>(5).any() {
            self.log2.d.next = bits::<3>(5);
        } else if self.backlog.q.val().get_bit(4) {
            self.log2.d.next = bits::<3>(4);
        } else if self.backlog.q.val().get_bit(3) {
            self.log2.d.next = bits::<3>(3);
        } else if self.backlog.q.val().get_bit(2) {
            self.log2.d.next = bits::<3>(2);
        } else if self.backlog.q.val().get_bit(1) {
            self.log2.d.next = bits::<3>(1);
        }
        self.few.next = self.backlog.q.val().get_bits::<6>(0);
        self.exact2.d.next = !self.backlog.q.val().get_bits::<10>(6).any()
            & ((((self.few.val() == bits::<6>(1)) | (self.few.val() == bits::<6>(2)))
                | ((self.few.val() == bits::<6>(4)) | (self.few.val() == bits::<6>(8))))
                | ((self.few.val() == bits::<6>(16)) | (self.few.val() == bits::<6>(32))));
        self.may_idle2.d.next = !self.state1.q.val().awake & self.state1.q.val().started;
        self.flags2.d.next.drop = self.drop1.q.val();
        self.flags2.d.next.uncharged = self.uncharged.q.val().any();
        self.flags2.d.next.backlog = self.backlog.q.val().any();
        self.flags2.d.next.stuck = !self.rate1.q.val().any() | self.uncharged.q.val().get_bit(8);
        self.flags2.d.next.awake = self.state1.q.val().awake;
        self.flags2.d.next.held = self.held1.q.val();

        // 2: bytes.
        self.elapsed3.d.next = self.elapsed2.q.val().get_bits::<28>(0);
        if self.elapsed2.q.val().get_bits::<20>(28).any() {
            self.elapsed3.d.next = bits::<28>(268435455);
        }
        self.past3.d.next = self.elapsed2.q.val().get_bits::<31>(0) >= self.idle2.q.val();
        self.beyond3.d.next = self.elapsed2.q.val().get_bits::<17>(31).any();
        self.may_idle3.d.next = self.idle2.q.val().any() & self.may_idle2.q.val();
        self.uncharged_u.next = self.uncharged2.q.val().into();
        self.length_u.next = self.length2.q.val().into();
        self.foreseen_u.next = self.foreseen2.q.val().into();
        self.waiting3.d.next = (self.uncharged_u.val() * self.foreseen_u.val()).into();
        self.packet3.d.next = (self.length_u.val() * self.times125.val()).into();
        self.foreseen3.d.next = self.foreseen2.q.val();
        // Tokens are signed: their sign goes on top.
        self.tokens3.d.next = (bit_cast::<52, 51>(self.tokens2.q.val())
            | (bit_cast::<52, 1>(self.tokens2.q.val().get_bits::<1>(50)) << 51))
            - (bit_cast::<52, 24>(self.sent_low2.q.val()) << 18);
        self.sent_high3.d.next = self.sent_high2.q.val();
        self.rate3.d.next = self.rate2.q.val();
        self.excess3.d.next = self.excess2.q.val().get_bits::<31>(0);
        self.base3.d.next = self.base2.q.val();
        if self.excess2.q.val().get_bit(31) {
            self.excess3.d.next = bits::<31>(0);
        }
        // More than a bound holds is none that is waited for.
        self.alone3.d.next =
            (self.waiting2.q.val().get_bits::<2>(30).any() | !self.waiting2.q.val().any()) & !self.flags2.q.val().uncharged;
        // A segment that does not end has 2^31 bytes: the base goes on by just these.
        self.over.next = ((self.excess2.q.val().get_bit(31) & !self.excess2.q.val().get_bit(30))
            & (!self.waiting2.q.val().get_bit(31) | self.waiting2.q.val().get_bit(30)))
            & (!self.flags2.q.val().uncharged & !self.flags2.q.val().drop);
        if self.over.val() {
            self.base3.d.next = self.base2.q.val() ^ (bits::<32>(1) << 31);
        }
        // The accounts are cleared, or they were wrong. While grants are uncharged a release may
        // have come before its charge.
        if ((self.excess2.q.val().get_bit(31) & !self.flags2.q.val().uncharged) & !self.over.val()) | self.flags2.q.val().drop {
            self.base3.d.next = self.outstanding2.q.val();
        }
        // There is no cap to keep for a flow that slept.
        // 125 is 128 less 3: it is wider than a multiplier of an ECP5.
        self.thrice.next = bit_cast::<27, 20>(self.cap2.q.val()) + (bit_cast::<27, 20>(self.cap2.q.val()) << 1);
        self.cap3.d.next = (bit_cast::<27, 20>(self.cap2.q.val()) << 7) - self.thrice.val();
        if !self.flags2.q.val().awake {
            self.cap3.d.next = bits::<27>(0);
        }
        self.bounds.i.next = self.bound2.q.val();
        self.flags.i.next = self.flags2.q.val().into();
        self.logs2.next.last = self.log2.q.val();
        self.logs2.next.exact = self.exact2.q.val();
        self.logs2.next.measured = self.measured2.q.val();
        self.logs.i.next = self.logs2.val().into();

        // 3: rate times time in four parts.
        self.rate_low.next = self.rate3.q.val().get_bits::<15>(0).into();
        self.rate_high.next = self.rate3.q.val().get_bits::<15>(15).into();
        self.time_low.next = self.elapsed3.q.val().get_bits::<14>(0).into();
        self.time_high.next = self.elapsed3.q.val().get_bits::<14>(14).into();
        self.low_low.d.next = (self.rate_low.val() * self.time_low.val()).into();
        self.low_high.d.next = (self.rate_low.val() * self.time_high.val()).into();
        self.high_low.d.next = (self.rate_high.val() * self.time_low.val()).into();
        self.high_high.d.next = (self.rate_high.val() * self.time_high.val()).into();
        self.waiting_low_u.next = self.waiting3.q.val().get_bits::<17>(0).into();
        self.waiting_high_u.next = self.waiting3.q.val().get_bits::<8>(17).into();
        self.waiting_low.d.next = (self.waiting_low_u.val() * self.times125.val()).into();
        self.waiting_high.d.next = (self.waiting_high_u.val() * self.times125.val()).into();
        self.total4.d.next = bit_cast::<32, 31>(self.excess3.q.val()) + bit_cast::<32, 25>(self.waiting3.q.val());
        self.alone4.d.next = self.alone3.q.val();
        self.foreseen4.d.next = self.foreseen3.q.val();
        self.tokens4.d.next = self.tokens3.q.val() - (bit_cast::<52, 15>(self.sent_high3.q.val()) << 35);
        self.cap4.d.next = self.cap3.q.val();
        self.bases.i.next = self.base3.q.val();
        self.lates.i.next = bits::<1>(0);
        if (self.past3.q.val() | self.beyond3.q.val()) & self.may_idle3.q.val() {
            self.lates.i.next = bits::<1>(1);
        }

        // 4: add up.
        self.low5.d.next = bit_cast::<44, 29>(self.low_low.q.val()) + (bit_cast::<44, 29>(self.high_low.q.val()) << 15);
        self.high5.d.next = bit_cast::<44, 29>(self.low_high.q.val()) + (bit_cast::<44, 29>(self.high_high.q.val()) << 15);
        self.waiting5.d.next = bit_cast::<32, 24>(self.waiting_low.q.val()) + (bit_cast::<32, 15>(self.waiting_high.q.val()) << 17);
        self.cap5.d.next = self.cap4.q.val();
        self.caps.i.next = self.cap5.q.val();
        // A train of 2^k packets is within the bound if its bytes, over 2^k, are within what is
        // left.
        self.room5.d.next = bit_cast::<33, 30>(self.bounds.o.val()) - bit_cast::<33, 32>(self.total4.q.val());
        self.free5.d.next = !self.bounds.o.val().any();
        self.foreseen5.d.next = self.foreseen4.q.val();
        // One packet is always allowed when nothing is outstanding that can be answered before the
        // flow goes on.
        self.none5.d.next = !self.total4.q.val().any() | self.alone4.q.val();
        self.tokens5.d.next = self.tokens4.q.val();

        // 5
        self.filled6.d.next = bit_cast::<58, 44>(self.low5.q.val()) + (bit_cast::<58, 44>(self.high5.q.val()) << 14);
        self.is_within.next = !self.room5.q.val().get_bit(32);
        self.fits6[0].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<14>(16).any() | (self.room5.q.val().get_bits::<16>(0) >= self.foreseen5.q.val())));
        self.fits6[1].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<13>(17).any() | (self.room5.q.val().get_bits::<16>(1) >= self.foreseen5.q.val())));
        self.fits6[2].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<12>(18).any() | (self.room5.q.val().get_bits::<16>(2) >= self.foreseen5.q.val())));
        self.fits6[3].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<11>(19).any() | (self.room5.q.val().get_bits::<16>(3) >= self.foreseen5.q.val())));
        self.fits6[4].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<10>(20).any() | (self.room5.q.val().get_bits::<16>(4) >= self.foreseen5.q.val())));
        self.fits6[5].d.next = self.free5.q.val()
            | (self.is_within.val()
                & (self.room5.q.val().get_bits::<9>(21).any() | (self.room5.q.val().get_bits::<16>(5) >= self.foreseen5.q.val())));
        if self.none5.q.val() {
            self.fits6[0].d.next = true;
        }
        self.waiting6.d.next = self.waiting5.q.val();
        self.least6.d.next = (bit_cast::<52, 32>(self.waiting5.q.val()) << 18) - (bit_cast::<52, 27>(self.cap5.q.val()) << 18);
        self.tokens6.d.next = self.tokens5.q.val();

        // 6
        self.tokens_s.next = self.tokens6.q.val().into();
        self.filled_s.next = bit_cast::<53, 52>(self.filled6.q.val().get_bits::<52>(0)).into();
        self.tokens7.d.next = (self.tokens_s.val() + self.filled_s.val()).into();
        self.over7.d.next = self.filled6.q.val().get_bits::<6>(52).any();
        self.waiting7.d.next = self.waiting6.q.val();
        self.least7.d.next = self.least6.q.val();
        self.fits7.d.next = true;
        self.fit7.d.next = bits::<3>(0);
        if self.fits6[5].q.val() {
            self.fit7.d.next = bits::<3>(5);
        } else if self.fits6[4].q.val() {
            self.fit7.d.next = bits::<3>(4);
        } else if self.fits6[3].q.val() {
            self.fit7.d.next = bits::<3>(3);
        } else if self.fits6[2].q.val() {
            self.fit7.d.next = bits::<3>(2);
        } else if self.fits6[1].q.val() {
            self.fit7.d.next = bits::<3>(1);
        } else {
            self.fits7.d.next = self.fits6[0].q.val();
        }

        // 7: the cap, which has no low bits; the fate.
        self.tokens_b.next = self.tokens7.q.val().into();
        // One difference tells: what overflows counts as a bit more, and then has no sign.
        self.filled.next = bit_cast::<38, 36>(self.tokens_b.val().get_bits::<36>(18));
        if self.over7.q.val() {
            self.filled.next = bit_cast::<38, 36>(self.tokens_b.val().get_bits::<36>(18)) | (bits::<38>(1) << 36);
        } else if self.tokens_b.val().get_bit(53) {
            self.filled.next = bit_cast::<38, 36>(self.tokens_b.val().get_bits::<36>(18)) | (bits::<38>(3) << 36);
        }
        self.above.next = self.filled.val() - bit_cast::<38, 27>(self.caps.o.val());
        self.clip.next = !self.above.val().get_bit(37);
        self.tokens8.d.next = self.tokens_b.val().get_bits::<51>(0);
        // Both differences are ready when it is known whether there are more tokens than the cap.
        self.lacks8.d.next = (bit_cast::<52, 32>(self.waiting7.q.val()) << 18) - self.tokens_b.val().get_bits::<52>(0);
        if self.clip.val() {
            self.tokens8.d.next = bit_cast::<51, 27>(self.caps.o.val()) << 18;
            self.lacks8.d.next = self.least7.q.val();
        }
        self.logs7.next = self.logs.o.val().into();
        self.most8.d.next = self.fit7.q.val();
        if self.logs7.val().last < self.fit7.q.val() {
            self.most8.d.next = self.logs7.val().last;
        }
        self.last8.d.next = self.logs7.val().last;
        self.exact8.d.next = self.logs7.val().exact;
        self.measured8.d.next = self.logs7.val().measured;
        self.flags7.next = self.flags.o.val().into();
        self.is_drop.next = self.flags7.val().drop;
        self.is_uncharged.next = self.flags7.val().uncharged;
        self.is_backlog.next = self.flags7.val().backlog;
        self.is_stuck.next = self.flags7.val().stuck;
        self.is_awake.next = self.flags7.val().awake;
        self.is_live.next = !self.is_drop.val() & self.is_backlog.val();
        self.base8.d.next = self.bases.o.val();
        self.clear8.d.next = self.is_drop.val() & !self.is_uncharged.val();
        self.empty8.d.next = !self.is_drop.val() & !self.is_backlog.val();
        self.bounded8.d.next = (self.is_live.val() & !self.fits7.q.val()) & !self.is_uncharged.val();
        self.again8.d.next = (self.is_drop.val() & self.is_uncharged.val())
            | (self.is_live.val() & ((self.fits7.q.val() & self.is_stuck.val()) | (!self.fits7.q.val() & self.is_uncharged.val())));
        self.send8.d.next = (self.is_live.val() & self.fits7.q.val()) & !self.is_stuck.val();
        self.waits8.d.next = self.is_uncharged.val();
        // A flow that waits for charges alone need not be looked at so soon.
        self.held8.d.next = self.flags7.val().held & !(self.is_drop.val() | (self.fits7.q.val() & self.is_stuck.val()));
        self.keep8.d.next =
            ((self.is_drop.val() & self.is_uncharged.val()) | self.empty8.d.val()) | (self.bounded8.d.val() & !self.is_awake.val());
        self.starts8.d.next = self.lates.o.val().any() & (self.send8.d.val() | (self.again8.d.val() & !self.is_drop.val()));

        self.elapsed.next = self.elapsed3.q.val();
        self.packet.next = self.packet3.q.val();
        self.tokens.next = self.tokens8.q.val();
        self.deficit.next = self.lacks8.q.val();
        self.base.next = self.base8.q.val();
        self.measured.next = self.measured8.q.val();
        self.verdict.next.most = self.most8.q.val();
        self.verdict.next.last = self.last8.q.val();
        self.verdict.next.exact = self.exact8.q.val();
        self.verdict.next.clear = self.clear8.q.val();
        self.verdict.next.empty = self.empty8.q.val();
        self.verdict.next.bounded = self.bounded8.q.val();
        self.verdict.next.again = self.again8.q.val();
        self.verdict.next.send = self.send8.q.val();
        self.verdict.next.keep = self.keep8.q.val();
        self.verdict.next.starts = self.starts8.q.val();
        self.verdict.next.waits = self.waits8.q.val();
        self.verdict.next.held = self.held8.q.val();
        if self.rst.val() {
            self.tokens2.d.next = bits::<51>(0);
            self.foreseen4.d.next = bits::<16>(0);
            self.cap4.d.next = bits::<27>(0);
            self.tokens5.d.next = bits::<52>(0);
        }
    }
}
