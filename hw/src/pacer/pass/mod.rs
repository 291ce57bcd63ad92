//! The token pass: from READY to the gate, the wheel, sleep or the park.
//!
//! | clock | what |
//! |---|---|
//! | 0 | the head of READY is taken, its memory read |
//! | 2 | `now` and the profile are read |
//! | 2 to 9 | the bucket is settled, the accounts are judged; one over the rate |
//! | 8 to 14 | time to the next packet, gap, length of a train |
//! | 15 | the fate: pause and places in the gate |
//! | 16 | train, park and idle outputs |
//! | 17 | state written, request to sleep queued |
//! | 20 | insert |
mod bucket;
mod memory;
mod reciprocal;
mod span;
use super::delay::Delay;
use crate::construct::construct;
use crate::fifo::Fifo;
use bucket::Bucket;
use memory::Memory;
use reciprocal::Reciprocal;
use rust_hdl::prelude::*;
use span::Span;
use timely_model::pacer::Timing;
use timely_model::pacer::doorbell::Sleep;
use timely_model::pacer::pass::longest_sleep;
use timely_model::pacer::token::{IN_FLIGHT, RECHECK};
use timely_model::pacer::wheel_bits;

/// A flow a clock. `S` must be `F + 1`, `X` the wheel's address bits, `Y` `X + 4`, `Z` `F + 43`.
///
/// The fate of a flow at its pass:
/// - accounts to be cleared after a load: cleared and asleep, once all its grants are charged;
/// - nothing posted: asleep; outstanding bound reached: asleep until a release, or looked at again in 1 us while grants are uncharged;
/// - rate 0, or 256 grants uncharged: looked at again in 1 us;
/// - its priority is paused, or `stop`: parked, and back in READY when a pause ends. Its tokens grow up to the cap meanwhile;
/// - its next packet is more than lead + 32 ns away: back to the wheel, to wake lead before it, or in 1 us while grants are
///   uncharged, for they may turn out cheaper than they are taken for;
/// - else granted a train, long enough for the next pass to be in time; then asleep, or back to the wheel.
///
/// `stop` and a pause act on decisions: what is decided already, 64 packets at most, leaves.
///
/// Latency: as the table says. Throughput: one flow a clock. Back pressure: `q_ready` falls when 64 grants are decided or reserved
/// that have not `left`, or 64 requests to sleep wait; trains, inserts and parked flows are never held up. Model: `timely_model::pacer::pass`.
#[derive(LogicBlock)]
pub struct Pass<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// READY has a flow.
    pub q_valid: Signal<In, Bit>,
    /// It.
    pub q_flow: Signal<In, Bits<F>>,
    /// It is taken at this clock if offered.
    pub q_ready: Signal<Out, Bit>,
    /// A word of the doorbell unit.
    pub post_valid: Signal<In, Bit>,
    /// Its flow.
    pub post_flow: Signal<In, Bits<F>>,
    /// It.
    pub post_word: Signal<In, Bits<42>>,
    /// An account of the charge unit.
    pub paid_valid: Signal<In, Bit>,
    /// Its flow.
    pub paid_flow: Signal<In, Bits<F>>,
    /// It.
    pub paid_word: Signal<In, Bits<50>>,
    /// Flow bus.
    pub fl_valid: Signal<In, Bit>,
    /// Flow loaded.
    pub fl_flow: Signal<In, Bits<F>>,
    /// Its record.
    pub fl_record: Signal<In, Bits<512>>,
    /// Profile bus.
    pub pw_valid: Signal<In, Bit>,
    /// Profile.
    pub pw_profile: Signal<In, Bits<4>>,
    /// Word of it.
    pub pw_word: Signal<In, Bits<5>>,
    /// Its value.
    pub pw_data: Signal<In, Bits<32>>,
    /// A rate.
    pub rate_valid: Signal<In, Bit>,
    /// Its flow.
    pub rate_flow: Signal<In, Bits<F>>,
    /// 2^-12 Mb/s; clamped to 30 bits.
    pub rate_value: Signal<In, Bits<32>>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// Everything is paused.
    pub stop: Signal<In, Bit>,
    /// ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A grant leaves the gate.
    pub left: Signal<In, Bit>,
    /// A flow's count of granted packets.
    pub granted_valid: Signal<Out, Bit>,
    /// The flow.
    pub granted_flow: Signal<Out, Bits<F>>,
    /// The count.
    pub granted_count: Signal<Out, Bits<16>>,
    /// A request to sleep.
    pub sleep_valid: Signal<Out, Bit>,
    /// It is taken at this clock if offered.
    pub sleep_ready: Signal<In, Bit>,
    /// Its flow.
    pub sleep_flow: Signal<Out, Bits<F>>,
    /// Why: `timely_model::pacer::doorbell::Sleep`.
    pub sleep_why: Signal<Out, Bits<2>>,
    /// Packets granted.
    pub sleep_granted: Signal<Out, Bits<16>>,
    /// Bytes released that the pass knew of.
    pub sleep_released: Signal<Out, Bits<25>>,
    /// A flow for the wheel.
    pub insert_valid: Signal<Out, Bit>,
    /// It.
    pub insert_flow: Signal<Out, Bits<F>>,
    /// The slot of its next pass, modulo the wheel.
    pub insert_slot: Signal<Out, Bits<X>>,
    /// A train for the gate.
    pub train_valid: Signal<Out, Bit>,
    /// Its flow.
    pub train_flow: Signal<Out, Bits<F>>,
    /// 1, 2, 4, 8, 16 or 32 packets.
    pub train_packets: Signal<Out, Bits<6>>,
    /// Launch of the first, ns48.fns16; it may lie in the past.
    pub train_launch: Signal<Out, Bits<64>>,
    /// From one to the next, 2^-8 ns.
    pub train_gap: Signal<Out, Bits<32>>,
    /// A flow to be parked.
    pub park_valid: Signal<Out, Bit>,
    /// It.
    pub park_flow: Signal<Out, Bits<F>>,
    /// A pause ended.
    pub resume: Signal<Out, Bit>,
    /// A flow starts to send after its profile's idle time.
    pub idle_valid: Signal<Out, Bit>,
    /// It.
    pub idle_flow: Signal<Out, Bits<F>>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    memory: Memory<F, S>,
    reciprocal: Reciprocal,
    bucket: Bucket,
    span: Span,
    sleeps: Fifo<Z, 6, 7>,
    ahead: Constant<Bits<48>>,
    lead: Constant<Bits<26>>,
    longest: Constant<Bits<26>>,
    recheck: Constant<Bits<26>>,
    places: Constant<Bits<7>>,
    clearing: Constant<Bits<2>>,
    bounding: Constant<Bits<2>>,
    valid: [DFF<Bit>; 20],
    flow: [DFF<Bits<F>>; 20],
    now3: DFF<Bits<48>>,
    rates: Delay<30, 14>,
    bytes: Delay<25, 14>,
    released: Delay<25, 14>,
    counts: Delay<16, 14>,
    started: Delay<1, 14>,
    pfc: Delay<3, 13>,
    now14: Delay<48, 11>,
    now16: Delay<48, 2>,
    now18: Delay<Y, 2>,
    packets: Delay<23, 3>,
    /// From the bucket, for clock 15: most 3, last 3, exact, clear, empty, bounded, again, send, keep, starts, waits.
    fate: Delay<15, 5>,
    settled: Delay<77, 6>,
    in_flight: DFF<Bits<7>>,
    owed: DFF<Bits<7>>,
    paused: DFF<Bits<8>>,
    paused_before: DFF<Bits<8>>,
    resumes: DFF<Bit>,
    // Clock 16.
    size16: DFF<Bits<3>>,
    train16: DFF<Bits<6>>,
    grant16: DFF<Bit>,
    sleep16: DFF<Bit>,
    clear16: DFF<Bit>,
    bounded16: DFF<Bit>,
    awake16: DFF<Bit>,
    keep16: DFF<Bit>,
    insert16: DFF<Bit>,
    again16: DFF<Bit>,
    soon16: DFF<Bit>,
    park16: DFF<Bit>,
    idle16: DFF<Bit>,
    tau16: DFF<Bits<32>>,
    gap16: DFF<Bits<31>>,
    launch16: DFF<Bits<64>>,
    // Clock 17.
    write17: DFF<Bit>,
    state17: DFF<Bits<198>>,
    count17: DFF<Bits<16>>,
    sleep17: DFF<Bit>,
    why17: DFF<Bits<2>>,
    released17: DFF<Bits<25>>,
    insert17: DFF<Bit>,
    again17: DFF<Bit>,
    soon17: DFF<Bit>,
    tau17: DFF<Bits<33>>,
    // Clock 18.
    insert18: DFF<Bit>,
    again18: DFF<Bit>,
    soon18: DFF<Bit>,
    wait18: DFF<Bits<26>>,
    // Clock 19.
    insert19: DFF<Bit>,
    target19: DFF<Bits<Y>>,
    // Clock 20.
    insert20: DFF<Bit>,
    flow20: DFF<Bits<F>>,
    slot20: DFF<Bits<X>>,
    issue: Signal<Local, Bit>,
    is_ready: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<8>>,
    is_paused: Signal<Local, Bit>,
    is_clear: Signal<Local, Bit>,
    is_empty: Signal<Local, Bit>,
    is_bounded: Signal<Local, Bit>,
    is_again: Signal<Local, Bit>,
    is_send: Signal<Local, Bit>,
    is_grant: Signal<Local, Bit>,
    is_finished: Signal<Local, Bit>,
    is_sleep: Signal<Local, Bit>,
    credit: Signal<Local, Bits<3>>,
    size: Signal<Local, Bits<3>>,
    train: Signal<Local, Bits<6>>,
    gained: Signal<Local, Bits<7>>,
    lost: Signal<Local, Bits<7>>,
    others: Signal<Local, Bits<7>>,
    owes: Signal<Local, Bits<7>>,
    paid_back: Signal<Local, Bits<7>>,
    tokens: Signal<Local, Bits<51>>,
    count: Signal<Local, Bits<16>>,
    step: Signal<Local, Bits<33>>,
    rest: Signal<Local, Bits<26>>,
    slot: Signal<Local, Bits<Y>>,
    earliest: Signal<Local, Bits<Y>>,
    behind: Signal<Local, Bits<Y>>,
    is_behind: Signal<Local, Bit>,
    wheel_bit: Constant<Bits<Y>>,
}

impl<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> Pass<F, S, X, Y, Z> {
    /// With these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(S == F + 1 && X == wheel_bits(F) && Y == X + 4 && Z == F + 43, "widths of a pass of 2^{F} flows");
        construct!({
            span: Span::new(timing),
            ahead: Constant::new(bits::<48>(timing.ahead.into())),
            lead: Constant::new(bits::<26>(timing.lead.into())),
            longest: Constant::new(bits::<26>(longest_sleep(F))),
            recheck: Constant::new(bits::<26>(RECHECK)),
            places: Constant::new(bits::<7>(IN_FLIGHT.into())),
            clearing: Constant::new(bits::<2>(Sleep::Cleared as u64)),
            bounding: Constant::new(bits::<2>(Sleep::Bounded as u64)),
            wheel_bit: Constant::new(bits::<Y>(1 << X)),
        } clk, rst, q_valid, q_flow, q_ready, post_valid, post_flow, post_word, paid_valid, paid_flow, paid_word, fl_valid, fl_flow, fl_record,
            pw_valid, pw_profile, pw_word, pw_data, rate_valid, rate_flow, rate_value, pause, stop, now, left, granted_valid, granted_flow,
            granted_count, sleep_valid, sleep_ready, sleep_flow, sleep_why, sleep_granted, sleep_released, insert_valid, insert_flow,
            insert_slot, train_valid, train_flow, train_packets, train_launch, train_gap, park_valid, park_flow, resume, idle_valid, idle_flow,
            swept, memory, reciprocal, bucket, sleeps, now3, rates, bytes, released, counts, started, pfc, now14, now16, now18, packets, fate,
            settled, in_flight, owed, paused, paused_before, resumes, size16, train16, grant16, sleep16, clear16, bounded16, awake16, keep16,
            insert16, again16, soon16, park16, idle16, tau16, gap16, launch16, write17, state17, count17, sleep17, why17, released17, insert17, again17, soon17,
            tau17, insert18, again18, soon18, wait18, insert19, target19, insert20, flow20, slot20, issue, is_ready, shifted, is_paused, is_clear,
            is_empty, is_bounded, is_again, is_send, is_grant, is_finished, is_sleep, credit, size, train, gained, lost, others, owes, paid_back,
            tokens, count, step, rest, slot, earliest, behind, is_behind; valid, flow)
    }
}

impl<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> Logic for Pass<F, S, X, Y, Z> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, now3, in_flight, owed, paused, paused_before, resumes, size16, train16, grant16, sleep16, clear16, bounded16);
        dff_setup!(
            self, clk, awake16, keep16, insert16, again16, soon16, park16, idle16, tau16, gap16, launch16, write17, state17, count17,
            sleep17
        );
        dff_setup!(
            self, clk, why17, released17, insert17, again17, soon17, tau17, insert18, again18, soon18, wait18, insert19, target19,
            insert20, flow20, slot20
        );
        for i in 0..20 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        self.memory.clk.next = self.clk.val();
        self.memory.rst.next = self.rst.val();
        self.reciprocal.clk.next = self.clk.val();
        self.bucket.clk.next = self.clk.val();
        self.span.clk.next = self.clk.val();
        self.sleeps.clk.next = self.clk.val();
        self.sleeps.rst.next = self.rst.val();
        self.rates.clk.next = self.clk.val();
        self.bytes.clk.next = self.clk.val();
        self.released.clk.next = self.clk.val();
        self.counts.clk.next = self.clk.val();
        self.started.clk.next = self.clk.val();
        self.pfc.clk.next = self.clk.val();
        self.now14.clk.next = self.clk.val();
        self.now16.clk.next = self.clk.val();
        self.now18.clk.next = self.clk.val();
        self.packets.clk.next = self.clk.val();
        self.fate.clk.next = self.clk.val();
        self.settled.clk.next = self.clk.val();

        // The other writers of the memory.
        self.memory.post_valid.next = self.post_valid.val();
        self.memory.post_flow.next = self.post_flow.val();
        self.memory.post_word.next = self.post_word.val();
        self.memory.paid_valid.next = self.paid_valid.val();
        self.memory.paid_flow.next = self.paid_flow.val();
        self.memory.paid_word.next = self.paid_word.val();
        self.memory.fl_valid.next = self.fl_valid.val();
        self.memory.fl_flow.next = self.fl_flow.val();
        self.memory.fl_record.next = self.fl_record.val();
        self.memory.pw_valid.next = self.pw_valid.val();
        self.memory.pw_profile.next = self.pw_profile.val();
        self.memory.pw_word.next = self.pw_word.val();
        self.memory.pw_data.next = self.pw_data.val();
        self.memory.rate_valid.next = self.rate_valid.val();
        self.memory.rate_flow.next = self.rate_flow.val();
        self.memory.rate_value.next = self.rate_value.val();

        // 0: issue; valid[k] and flow[k] are those at clock k + 1.
        self.is_ready.next = (self.in_flight.q.val() != self.places.val()) & (self.owed.q.val() != self.places.val());
        self.issue.next = self.q_valid.val() & self.is_ready.val();
        self.memory.flow.next = self.q_flow.val();
        self.valid[0].d.next = self.issue.val();
        self.flow[0].d.next = self.q_flow.val();
        for i in 0..19 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }

        // 2
        self.now3.d.next = self.now.val().get_bits::<48>(16) + self.ahead.val();
        self.reciprocal.rate.next = self.memory.rate.val();
        self.bucket.state.next = self.memory.state.val();
        self.bucket.post.next = self.memory.post.val();
        self.bucket.paid.next = self.memory.paid.val();
        self.bucket.rate.next = self.memory.rate.val();
        self.bucket.size.next = self.memory.size.val();
        self.rates.i.next = self.memory.rate.val();
        self.bytes.i.next = self.memory.paid.val().get_bits::<25>(0);
        self.released.i.next = self.memory.post.val().get_bits::<25>(16);
        self.counts.i.next = self.memory.state.val().get_bits::<16>(154);
        self.started.i.next = self.memory.state.val().get_bits::<1>(196);
        self.pfc.i.next = self.memory.pfc.val();

        // 3
        self.bucket.now.next = self.now3.q.val();
        self.bucket.bound.next = self.memory.bound.val();
        self.bucket.idle.next = self.memory.idle.val();
        self.bucket.cap.next = self.memory.cap.val();
        self.now14.i.next = self.now3.q.val();

        // 5, 8, 10, 14
        self.packets.i.next = self.bucket.packet.val();
        self.span.y.next = self.reciprocal.y.val();
        self.span.e.next = self.reciprocal.e.val();
        self.span.packet.next = self.packets.o.val();
        self.span.deficit.next = self.bucket.deficit.val();
        self.span.now.next = self.now14.o.val();
        self.now16.i.next = self.now14.o.val();
        self.settled.i.next = bit_cast::<77, 51>(self.bucket.tokens.val()) | (bit_cast::<77, 25>(self.bucket.base.val()) << 51);
        if self.bucket.measured.val() {
            self.settled.i.next = self.settled.i.val() | (bits::<77>(1) << 76);
        }
        self.fate.i.next = bit_cast::<15, 3>(self.bucket.most.val()) | (bit_cast::<15, 3>(self.bucket.last.val()) << 3);
        if self.bucket.exact.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 6);
        }
        if self.bucket.clear.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 7);
        }
        if self.bucket.empty.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 8);
        }
        if self.bucket.bounded.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 9);
        }
        if self.bucket.again.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 10);
        }
        if self.bucket.send.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 11);
        }
        if self.bucket.keep.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 12);
        }
        if self.bucket.starts.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 13);
        }
        if self.bucket.waits.val() {
            self.fate.i.next = self.fate.i.val() | (bits::<15>(1) << 14);
        }

        // 15: the fate. An operation that ends without a request to sleep gives its place among them back.
        self.paused.d.next = self.pause.val();
        if self.stop.val() {
            self.paused.d.next = bits::<8>(255);
        }
        self.paused_before.d.next = self.paused.q.val();
        self.resumes.d.next = (self.paused_before.q.val() & !self.paused.q.val()).any();
        self.shifted.next = self.paused.q.val() >> self.pfc.o.val();
        self.is_paused.next = self.shifted.val().get_bit(0);
        self.is_clear.next = self.fate.o.val().get_bit(7);
        self.is_empty.next = self.fate.o.val().get_bit(8);
        self.is_bounded.next = self.fate.o.val().get_bit(9);
        self.is_again.next = self.fate.o.val().get_bit(10);
        self.is_send.next = self.fate.o.val().get_bit(11) & !self.is_paused.val();
        self.is_grant.next = self.is_send.val() & self.span.due.val();
        self.credit.next = bits::<3>(0);
        if self.in_flight.q.val() <= bits::<7>(32) {
            self.credit.next = bits::<3>(5);
        } else if self.in_flight.q.val() <= bits::<7>(48) {
            self.credit.next = bits::<3>(4);
        } else if self.in_flight.q.val() <= bits::<7>(56) {
            self.credit.next = bits::<3>(3);
        } else if self.in_flight.q.val() <= bits::<7>(60) {
            self.credit.next = bits::<3>(2);
        } else if self.in_flight.q.val() <= bits::<7>(62) {
            self.credit.next = bits::<3>(1);
        }
        self.size.next = self.fate.o.val().get_bits::<3>(0);
        if self.span.enough.val() < self.size.val() {
            self.size.next = self.span.enough.val();
        }
        if self.credit.val() < self.size.val() {
            self.size.next = self.credit.val();
        }
        self.train.next = bits::<6>(1) << self.size.val();
        self.is_finished.next =
            (self.is_grant.val() & self.fate.o.val().get_bit(6)) & (self.size.val() == self.fate.o.val().get_bits::<3>(3));
        self.is_sleep.next = (self.is_clear.val() | self.is_empty.val()) | (self.is_bounded.val() | self.is_finished.val());
        self.gained.next = bits::<7>(0);
        self.lost.next = bits::<7>(0);
        self.owes.next = bits::<7>(0);
        self.paid_back.next = bits::<7>(0);
        if self.valid[14].q.val() {
            self.lost.next = bits::<7>(1);
            if !self.is_sleep.val() {
                self.paid_back.next = bits::<7>(1);
            }
        }
        if self.issue.val() {
            self.gained.next = bits::<7>(1);
            self.owes.next = bits::<7>(1);
        }
        if self.left.val() {
            self.lost.next = self.lost.val() + bits::<7>(1);
        }
        if self.sleeps.o_valid.val() & self.sleep_ready.val() {
            self.paid_back.next = self.paid_back.val() + bits::<7>(1);
        }
        // The train is known last.
        self.others.next = (self.in_flight.q.val() + self.gained.val()) - self.lost.val();
        self.in_flight.d.next = self.others.val();
        if self.valid[14].q.val() & self.is_grant.val() {
            self.in_flight.d.next = self.others.val() + bit_cast::<7, 6>(self.train.val());
        }
        self.owed.d.next = (self.owed.q.val() + self.owes.val()) - self.paid_back.val();
        self.size16.d.next = self.size.val();
        self.train16.d.next = self.train.val();
        self.grant16.d.next = self.valid[14].q.val() & self.is_grant.val();
        self.sleep16.d.next = self.is_sleep.val();
        self.clear16.d.next = self.is_clear.val();
        self.bounded16.d.next = self.is_bounded.val();
        self.awake16.d.next = !((self.is_clear.val() | self.is_bounded.val()) | self.is_finished.val());
        self.keep16.d.next = self.fate.o.val().get_bit(12);
        self.insert16.d.next = self.is_again.val() | (self.is_send.val() & !self.is_finished.val());
        self.again16.d.next = self.is_again.val();
        self.soon16.d.next = (self.is_send.val() & !self.is_grant.val()) & self.fate.o.val().get_bit(14);
        self.park16.d.next = self.valid[14].q.val() & (self.fate.o.val().get_bit(11) & self.is_paused.val());
        self.idle16.d.next = self.valid[14].q.val() & self.fate.o.val().get_bit(13);
        self.tau16.d.next = self.span.tau.val();
        self.gap16.d.next = self.span.gap.val();
        self.launch16.d.next = self.span.launch.val();

        // 16: what the grant changes.
        self.count.next = self.counts.o.val();
        self.step.next = bits::<33>(0);
        if self.grant16.q.val() {
            self.count.next = self.counts.o.val() + bit_cast::<16, 6>(self.train16.q.val());
            self.step.next = bit_cast::<33, 31>(self.gap16.q.val()) << self.size16.q.val();
        }
        self.count17.d.next = self.count.val();
        self.tau17.d.next =
            (bit_cast::<33, 32>(self.tau16.q.val()) | (bit_cast::<33, 1>(self.tau16.q.val().get_bits::<1>(31)) << 32)) + self.step.val();
        self.tokens.next = self.settled.o.val().get_bits::<51>(0);
        if self.clear16.q.val() {
            self.tokens.next = bits::<51>(0);
        }
        self.state17.d.next = ((bit_cast::<198, 51>(self.tokens.val()) | (bit_cast::<198, 48>(self.now16.o.val()) << 51))
            | ((bit_cast::<198, 30>(self.rates.o.val()) << 99) | (bit_cast::<198, 25>(self.bytes.o.val()) << 129)))
            | ((bit_cast::<198, 16>(self.count.val()) << 154) | (bit_cast::<198, 25>(self.settled.o.val().get_bits::<25>(51)) << 170));
        if self.awake16.q.val() {
            self.state17.d.next = self.state17.d.val() | (bits::<198>(1) << 195);
        }
        if !self.clear16.q.val() & (self.started.o.val().any() | self.grant16.q.val()) {
            self.state17.d.next = self.state17.d.val() | (bits::<198>(1) << 196);
        }
        if !self.clear16.q.val() & self.settled.o.val().get_bit(76) {
            self.state17.d.next = self.state17.d.val() | (bits::<198>(1) << 197);
        }
        self.write17.d.next = self.valid[15].q.val() & !self.keep16.q.val();
        self.sleep17.d.next = self.valid[15].q.val() & self.sleep16.q.val();
        self.why17.d.next = bits::<2>(0);
        if self.clear16.q.val() {
            self.why17.d.next = self.clearing.val();
        }
        if self.bounded16.q.val() {
            self.why17.d.next = self.bounding.val();
        }
        self.released17.d.next = self.released.o.val();
        // A parked flow does not go to the wheel: its priority's pause made `is_send` false.
        self.insert17.d.next = self.valid[15].q.val() & self.insert16.q.val();
        self.again17.d.next = self.again16.q.val();
        self.soon17.d.next = self.soon16.q.val();
        self.now18.i.next = self.now16.o.val().get_bits::<Y>(0);

        // 17: write; lead before the next packet.
        self.memory.state_write.next = self.write17.q.val();
        self.memory.state_flow.next = self.flow[16].q.val();
        self.memory.state_word.next = self.state17.q.val();
        self.sleeps.o_ready.next = self.sleep_ready.val();
        self.sleeps.i_valid.next = self.sleep17.q.val();
        self.sleeps.i_data.next = (bit_cast::<Z, 16>(self.count17.q.val()) | (bit_cast::<Z, 25>(self.released17.q.val()) << 16))
            | ((bit_cast::<Z, 2>(self.why17.q.val()) << 41) | (bit_cast::<Z, F>(self.flow[16].q.val()) << 43));
        self.wait18.d.next = (bit_cast::<26, 25>(self.tau17.q.val().get_bits::<25>(8))
            | (bit_cast::<26, 1>(self.tau17.q.val().get_bits::<1>(32)) << 25))
            - self.lead.val();
        self.insert18.d.next = self.insert17.q.val();
        self.again18.d.next = self.again17.q.val();
        self.soon18.d.next = self.soon17.q.val();

        // 18: not in the past, not beyond the wheel.
        self.rest.next = self.wait18.q.val();
        if self.again18.q.val() {
            self.rest.next = self.recheck.val();
        } else if self.wait18.q.val().get_bit(25) {
            self.rest.next = bits::<26>(0);
        } else if self.soon18.q.val() & (self.wait18.q.val() > self.recheck.val()) {
            self.rest.next = self.recheck.val();
        } else if self.wait18.q.val() > self.longest.val() {
            self.rest.next = self.longest.val();
        }
        self.target19.d.next = self.now18.o.val() + self.rest.val().get_bits::<Y>(0);
        self.insert19.d.next = self.insert18.q.val();

        // 19: the wheel may be draining the slots up to this clock's: the earliest it can take is a few ahead.
        self.slot.next = self.target19.q.val() >> 3;
        self.earliest.next = (self.now.val().get_bits::<Y>(16) >> 3) + bits::<Y>(5);
        self.behind.next = self.slot.val() - self.earliest.val();
        self.is_behind.next = (self.behind.val() & self.wheel_bit.val()).any();
        self.slot20.d.next = self.slot.val().get_bits::<X>(0);
        if self.is_behind.val() {
            self.slot20.d.next = self.earliest.val().get_bits::<X>(0);
        }
        self.insert20.d.next = self.insert19.q.val();
        self.flow20.d.next = self.flow[18].q.val();

        self.q_ready.next = self.is_ready.val();
        self.granted_valid.next = self.valid[16].q.val();
        self.granted_flow.next = self.flow[16].q.val();
        self.granted_count.next = self.count17.q.val();
        self.sleep_valid.next = self.sleeps.o_valid.val();
        self.sleep_flow.next = self.sleeps.o_data.val().get_bits::<F>(43);
        self.sleep_why.next = self.sleeps.o_data.val().get_bits::<2>(41);
        self.sleep_granted.next = self.sleeps.o_data.val().get_bits::<16>(0);
        self.sleep_released.next = self.sleeps.o_data.val().get_bits::<25>(16);
        self.insert_valid.next = self.insert20.q.val();
        self.insert_flow.next = self.flow20.q.val();
        self.insert_slot.next = self.slot20.q.val();
        self.train_valid.next = self.grant16.q.val();
        self.train_flow.next = self.flow[15].q.val();
        self.train_packets.next = self.train16.q.val();
        self.train_launch.next = self.launch16.q.val();
        self.train_gap.next = bit_cast::<32, 31>(self.gap16.q.val());
        self.park_valid.next = self.park16.q.val();
        self.park_flow.next = self.flow[15].q.val();
        self.resume.next = self.resumes.q.val();
        self.idle_valid.next = self.idle16.q.val();
        self.idle_flow.next = self.flow[15].q.val();
        self.swept.next = self.memory.swept.val();
        if self.rst.val() {
            self.in_flight.d.next = bits::<7>(0);
            self.owed.d.next = bits::<7>(0);
            self.paused.d.next = bits::<8>(0);
            self.paused_before.d.next = bits::<8>(0);
            self.resumes.d.next = false;
            self.grant16.d.next = false;
            self.park16.d.next = false;
            self.idle16.d.next = false;
            self.write17.d.next = false;
            self.sleep17.d.next = false;
            self.insert17.d.next = false;
            self.insert18.d.next = false;
            self.insert19.d.next = false;
            self.insert20.d.next = false;
            for i in 0..20 {
                self.valid[i].d.next = false;
            }
        }
    }
}
