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
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod bucket;
mod fate;
mod memory;
mod reciprocal;
mod slack;
mod span;
mod wake;
pub mod words;
use super::delay::{Delay, Ring, Stages};
use crate::bus::{FlowPulseOut, FlowStreamIn, FlowTraitsIn, InsertOut, PaidIn, PostIn, ProfileWriteIn, RateIn, SleepOut};
use crate::constant::Const;
use crate::fifo::HeldFifo;
pub use bucket::Bucket;
pub use fate::Fate;
use memory::Memory;
use reciprocal::Reciprocal;
use rust_hdl::prelude::*;
use slack::Slack;
use span::Span;
use timely_model::pacer::Timing;
use timely_model::pacer::doorbell::Sleep;
use wake::Wake;
use words::{Account, Asked, FlowState, Kept, Settled, Verdict, Voids};

/// A flow a clock. `S` must be `F + 1`, `X` the wheel's address bits, `Y` `X + 4`, `Z` `F + 50`.
///
/// The fate of a flow at its pass, where "soon" is in 1 us, in 128 ns while a grant waits:
/// - accounts to be cleared after a load: cleared and asleep, once all its grants are charged;
/// - nothing posted: asleep; outstanding bound reached: asleep until a release, or looked at again
///   soon while grants are uncharged;
/// - 256 grants uncharged: looked at again in 1 us; rate 0: after the longest sleep, so that such
///   flows cost the others no passes;
/// - its priority is paused, or `stop`: parked, and back in READY when a pause ends. Its tokens
///   grow up to the cap meanwhile;
/// - its next packet is more than lead + 32 ns away: back to the wheel, to wake lead before it;
///   soon while grants are uncharged, for they may turn out cheaper than they are taken for;
/// - else granted a train, long enough for the next pass to be in time; then asleep, or back to the
///   wheel.
///
/// `stop` and a pause act on decisions: what is decided already, 64 packets at most, leaves.
///
/// Until `swept`, `post_word` and `paid_word` must be 0, as those of the doorbell and the charge
/// unit are; so is `granted_count`.
///
/// Latency: as the table says. Throughput: one flow a clock. Back pressure: `q_ready` falls when 64
/// grants are decided or reserved that have not `left`, or 64 requests to sleep wait; trains,
/// inserts and parked flows are never held up. Model: `timely_model::pacer::pass`.
#[derive(LogicBlock, Default)]
pub struct Pass<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Flows to pass.
    pub q: FlowStreamIn<F>,
    /// Words of the doorbell unit.
    pub post: PostIn<F>,
    /// Words of the charge unit.
    pub paid: PaidIn<F>,
    /// Loads of flows.
    pub fl: FlowTraitsIn<F>,
    /// The profile bus.
    pub pw: ProfileWriteIn,
    /// Rates.
    pub rate: RateIn<F>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// Everything is paused.
    pub stop: Signal<In, Bit>,
    /// ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A grant leaves the gate.
    pub left: Signal<In, Bit>,
    /// A grant was offered at the clock before, and not taken.
    pub held: Signal<In, Bit>,
    /// A flow's count of granted packets.
    pub granted_valid: Signal<Out, Bit>,
    pub granted_flow: Signal<Out, Bits<F>>,
    pub granted_count: Signal<Out, Bits<16>>,
    /// With `granted_valid`: the flow sends too little of its rate for it to grow.
    pub limited: Signal<Out, Bit>,
    /// Requests to sleep.
    pub sleep: SleepOut<F>,
    /// Flows for the calendar.
    pub insert: InsertOut<F, X>,
    /// A train for the gate.
    pub train_valid: Signal<Out, Bit>,
    pub train_flow: Signal<Out, Bits<F>>,
    /// 1, 2, 4, 8, 16 or 32 packets.
    pub train_packets: Signal<Out, Bits<6>>,
    /// Launch of the train's first packet, ns48.fns16; it may lie in the past.
    pub train_launch: Signal<Out, Bits<64>>,
    /// From one packet to the next, 2^-8 ns.
    pub train_gap: Signal<Out, Bits<32>>,
    /// Flows that are parked.
    pub park: FlowPulseOut<F>,
    /// A pause ended.
    pub resume: Signal<Out, Bit>,
    /// Flows that start after their idle time.
    pub idle: FlowPulseOut<F>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    memory: Memory<F, S>,
    reciprocal: Reciprocal,
    bucket: Bucket,
    span: Span,
    fate: Fate,
    wake: Wake<F, X, Y>,
    slack: Slack,
    sleeps: HeldFifo<Z, 9, 10>,
    ahead: Const<Bits<48>>,
    clearing: Const<Bits<2>>,
    bounding: Const<Bits<2>>,
    valid: [DFF<Bit>; 19],
    flow: [DFF<Bits<F>>; 19],
    now3: DFF<Bits<48>>,
    /// Clock counter of the rings.
    turn: DFF<Bits<9>>,
    kept: Ring<Kept, 14>,
    charged: Signal<Local, Bits<32>>,
    state: Signal<Local, FlowState>,
    account: Signal<Local, Account>,
    pfc: Delay<3, 12>,
    /// [`Voids`] from 2 to 16.
    voids: Delay<16, 14>,
    voids2: Signal<Local, Voids>,
    voids16: Signal<Local, Voids>,
    voids17: DFF<Bits<8>>,
    now14: Ring<Bits<48>, 11>,
    now16: Delay<48, 2>,
    packets: Stages<23, 3>,
    verdicts: Stages<16, 4>,
    verdict14: Signal<Local, Verdict>,
    verdict15: DFF<Verdict>,
    /// A request to sleep was taken at the last clock.
    slept: DFF<Bit>,
    settled: Ring<Settled, 6>,
    tau16: DFF<Bits<32>>,
    gap16: DFF<Bits<31>>,
    launch16: DFF<Bits<64>>,
    write17: DFF<Bit>,
    state17: DFF<Account>,
    count17: DFF<Bits<16>>,
    sleep17: DFF<Bit>,
    why17: DFF<Bits<2>>,
    released17: DFF<Bits<32>>,
    asked: Signal<Local, Asked>,
    request: Signal<Local, Asked>,
    issue: Signal<Local, Bit>,
    unswept: Signal<Local, Bit>,
    tokens: Signal<Local, Bits<51>>,
    counted: Signal<Local, Bits<16>>,
    count: Signal<Local, Bits<16>>,
}

impl<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> Pass<F, S, X, Y, Z> {
    /// With these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(S == F + 1 && Z == F + 50, "widths of a pass of 2^{F} flows");
        Self {
            span: Span::new(timing),
            wake: Wake::new(timing),
            ahead: Const::new(bits::<48>(timing.ahead.into())),
            clearing: Const::new(bits::<2>(Sleep::Cleared as u64)),
            bounding: Const::new(bits::<2>(Sleep::Bounded as u64)),
            valid: std::array::from_fn(|_| Default::default()),
            flow: std::array::from_fn(|_| Default::default()),
            ..Default::default()
        }
    }
}

impl<const F: usize, const S: usize, const X: usize, const Y: usize, const Z: usize> Logic for Pass<F, S, X, Y, Z> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, verdict15, slept, now3, turn, tau16, gap16, launch16, write17, voids17, state17, count17, sleep17, why17, released17
        );
        for i in 0..19 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        self.memory.clk.next = self.clk.val();
        self.memory.rst.next = self.rst.val();
        self.reciprocal.clk.next = self.clk.val();
        self.bucket.clk.next = self.clk.val();
        self.bucket.rst.next = self.rst.val();
        self.span.clk.next = self.clk.val();
        self.fate.clk.next = self.clk.val();
        self.fate.rst.next = self.rst.val();
        self.wake.clk.next = self.clk.val();
        self.wake.rst.next = self.rst.val();
        self.slack.clk.next = self.clk.val();
        self.slack.rst.next = self.rst.val();
        self.sleeps.clk.next = self.clk.val();
        self.sleeps.rst.next = self.rst.val();
        self.kept.clk.next = self.clk.val();
        self.pfc.clk.next = self.clk.val();
        self.voids.clk.next = self.clk.val();
        self.now14.clk.next = self.clk.val();
        self.now16.clk.next = self.clk.val();
        self.packets.clk.next = self.clk.val();
        self.packets.rst.next = self.rst.val();
        self.verdicts.clk.next = self.clk.val();
        self.verdicts.rst.next = self.rst.val();
        self.settled.clk.next = self.clk.val();
        self.turn.d.next = self.turn.q.val() + bits::<9>(1);
        self.kept.at.next = self.turn.q.val();
        self.now14.at.next = self.turn.q.val();
        self.settled.at.next = self.turn.q.val();
        self.slack.at.next = self.turn.q.val();

        // The other writers of the memory.
        self.memory.post_valid.next = self.post.valid.val();
        self.memory.post_flow.next = self.post.flow.val();
        self.memory.post_word.next = self.post.word.val();
        self.memory.paid_valid.next = self.paid.valid.val();
        self.memory.paid_flow.next = self.paid.flow.val();
        self.memory.paid_word.next = self.paid.word.val();
        self.memory.paid_voids.next = self.paid.voids.val();
        self.memory.paid_ends.next = self.paid.ends.val();
        FlowTraitsIn::<F>::link(&mut self.fl, &mut self.memory.fl);
        ProfileWriteIn::link(&mut self.pw, &mut self.memory.pw);
        self.memory.rate_valid.next = self.rate.valid.val();
        self.memory.rate_flow.next = self.rate.flow.val();
        self.memory.rate_value.next = self.rate.value.val();

        // 0: issue; valid[k] and flow[k] are those at clock k + 1.
        self.issue.next = self.q.valid.val() & self.fate.ready.val();
        self.memory.flow.next = self.q.flow.val();
        self.valid[0].d.next = self.issue.val();
        self.flow[0].d.next = self.q.flow.val();
        for i in 0..18 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }

        // 2
        self.now3.d.next = self.now.val().get_bits::<48>(16) + self.ahead.val();
        self.reciprocal.rate.next = self.memory.rate.val();
        self.state.next = self.memory.state.val();
        self.account.next = self.state.val().account;
        self.charged.next = self.memory.paid.val().sum;
        self.bucket.state.next = self.account.val();
        self.bucket.post.next = self.memory.post.val();
        self.bucket.paid.next = self.memory.paid.val();
        self.bucket.ended.next = self.memory.ended.val();
        self.bucket.held.next = self.held.val();
        self.bucket.rate.next = self.memory.rate.val();
        self.bucket.size.next = self.memory.size.val();
        self.kept.i.next.rate = self.memory.rate.val();
        self.kept.i.next.sent = self.charged.val().get_bits::<25>(0);
        self.kept.i.next.released = self.memory.post.val().released;
        self.kept.i.next.granted = self.account.val().granted;
        self.kept.i.next.started = self.account.val().started;
        self.pfc.i.next = self.memory.pfc.val();
        self.slack.slack.next = self.state.val().slack;
        self.slack.limited.next = self.state.val().limited;
        self.slack.voids.next = self.memory.voids.val() - self.state.val().voids;
        self.voids2.next.granted = self.state.val().voids;
        self.voids2.next.now = self.memory.voids.val();
        self.voids.i.next = self.voids2.val().into();
        self.slack.started.next = self.account.val().started;

        // 3
        self.bucket.now.next = self.now3.q.val();
        self.bucket.bound.next = self.memory.bound.val();
        self.bucket.idle.next = self.memory.idle.val();
        self.bucket.cap.next = self.memory.cap.val();
        self.now14.i.next = self.now3.q.val();
        self.slack.window.next = self.memory.window.val();

        // 5, 8, 10, 14
        self.slack.elapsed.next = self.bucket.elapsed.val();
        self.packets.i.next = self.bucket.packet.val();
        self.span.y.next = self.reciprocal.y.val();
        self.span.e.next = self.reciprocal.e.val();
        self.span.packet.next = self.packets.o.val();
        self.span.deficit.next = self.bucket.deficit.val();
        self.span.now.next = self.now14.o.val();
        self.now16.i.next = self.now14.o.val();
        self.settled.i.next.tokens = self.bucket.tokens.val();
        self.settled.i.next.base = self.bucket.base.val();
        self.settled.i.next.measured = self.bucket.measured.val();
        self.verdicts.i.next = self.bucket.verdict.val().into();
        self.verdict14.next = self.verdicts.o.val().into();
        self.verdict15.d.next = self.verdict14.val();
        self.span.least.next = self.verdict14.val().most;

        // 15: the fate.
        self.fate.issue.next = self.issue.val();
        self.fate.left.next = self.left.val();
        self.slept.d.next = self.sleeps.o_valid.val() & self.sleep.ready.val();
        self.fate.slept.next = self.slept.q.val();
        self.fate.pause.next = self.pause.val();
        self.fate.stop.next = self.stop.val();
        self.fate.valid.next = self.valid[14].q.val();
        self.fate.pfc.next = self.pfc.o.val();
        self.fate.bucket.next = self.verdict15.q.val();
        self.fate.due.next = self.span.due.val();
        self.fate.wished.next = self.span.wished.val();
        self.tau16.d.next = self.span.tau.val();
        self.gap16.d.next = self.span.gap.val();
        self.launch16.d.next = self.span.launch.val();
        self.slack.gap.next = self.span.gap.val();
        self.slack.gap_12.next = self.span.gap_4.val();

        // 16: what the grant changes. 19: the wake-up.
        self.wake.valid.next = self.fate.insert.val();
        self.wake.again.next = self.fate.again.val();
        self.wake.soon.next = self.fate.soon.val();
        self.wake.held.next = self.fate.held.val();
        self.wake.grant.next = self.fate.grant.val();
        self.wake.size.next = self.fate.size.val();
        self.wake.tau.next = self.tau16.q.val();
        self.wake.gap.next = self.gap16.q.val();
        self.wake.at.next = self.now16.o.val().get_bits::<Y>(0);
        self.wake.now.next = self.now.val();
        self.wake.flow.next = self.flow[18].q.val();
        self.counted.next = self.kept.o.val().granted;
        self.count.next = self.counted.val();
        if self.fate.grant.val() {
            self.count.next = self.counted.val() + bit_cast::<16, 6>(self.fate.train.val());
        }
        self.count17.d.next = self.count.val();
        self.tokens.next = self.settled.o.val().tokens;
        if self.fate.clear.val() {
            self.tokens.next = bits::<51>(0);
        }
        self.state17.d.next.tokens = self.tokens.val();
        self.state17.d.next.time = self.now16.o.val();
        self.state17.d.next.rate = self.kept.o.val().rate;
        self.state17.d.next.sent = self.kept.o.val().sent;
        self.state17.d.next.granted = self.count.val();
        self.state17.d.next.base = self.settled.o.val().base;
        self.state17.d.next.awake = self.fate.awake.val();
        self.state17.d.next.started = !self.fate.clear.val() & (self.kept.o.val().started | self.fate.grant.val());
        self.state17.d.next.measured = !self.fate.clear.val() & self.settled.o.val().measured;
        self.slack.write.next = self.fate.write.val();
        // Words for the sweep.
        self.unswept.next = self.rst.val() | !self.memory.swept.val();
        self.slack.clear.next = self.fate.clear.val() | self.unswept.val();
        self.voids16.next = self.voids.o.val().into();
        self.voids17.d.next = self.voids16.val().granted;
        if self.fate.grant.val() | self.fate.clear.val() {
            self.voids17.d.next = self.voids16.val().now;
        }
        if self.unswept.val() {
            self.voids17.d.next = bits::<8>(0);
            self.state17.d.next = bits::<205>(0).into();
            self.count17.d.next = bits::<16>(0);
        }
        self.slack.grant.next = self.fate.grant.val();
        self.slack.size.next = self.fate.size_too.val();
        self.write17.d.next = self.fate.write.val();
        self.sleep17.d.next = self.fate.sleep.val();
        self.why17.d.next = bits::<2>(0);
        if self.fate.clear.val() {
            self.why17.d.next = self.clearing.val();
        }
        if self.fate.bounded.val() {
            self.why17.d.next = self.bounding.val();
        }
        self.released17.d.next = self.kept.o.val().released;

        // 17: write.
        self.memory.state_write.next = self.write17.q.val();
        self.memory.state_flow.next = self.flow[16].q.val();
        self.memory.state_word.next.account = self.state17.q.val();
        self.memory.state_word.next.slack = self.slack.slack_17.val();
        self.memory.state_word.next.limited = self.slack.limited_17.val();
        self.memory.state_word.next.voids = self.voids17.q.val();
        self.sleeps.o_ready.next = self.sleep.ready.val();
        self.sleeps.i_valid.next = self.sleep17.q.val();
        self.asked.next.granted = self.count17.q.val();
        self.asked.next.released = self.released17.q.val();
        self.asked.next.why = self.why17.q.val();
        self.sleeps.i_data.next = bit_cast::<Z, 50>(self.asked.val().into()) | (bit_cast::<Z, F>(self.flow[16].q.val()) << 50);

        self.q.ready.next = self.fate.ready.val();
        self.granted_valid.next = self.valid[16].q.val();
        self.granted_flow.next = self.flow[16].q.val();
        self.granted_count.next = self.count17.q.val();
        self.limited.next = self.slack.limited_17.val();
        self.sleep.valid.next = self.sleeps.o_valid.val();
        self.sleep.flow.next = self.sleeps.o_data.val().get_bits::<F>(50);
        self.request.next = self.sleeps.o_data.val().get_bits::<50>(0).into();
        self.sleep.why.next = self.request.val().why;
        self.sleep.granted.next = self.request.val().granted;
        self.sleep.released.next = self.request.val().released;
        InsertOut::<F, X>::link(&mut self.insert, &mut self.wake.insert);
        self.train_valid.next = self.fate.grant.val();
        self.train_flow.next = self.flow[15].q.val();
        self.train_packets.next = self.fate.train.val();
        self.train_launch.next = self.launch16.q.val();
        self.train_gap.next = bit_cast::<32, 31>(self.gap16.q.val());
        self.park.valid.next = self.fate.park.val();
        self.park.flow.next = self.flow[15].q.val();
        self.resume.next = self.fate.resume.val();
        self.idle.valid.next = self.fate.idle.val();
        self.idle.flow.next = self.flow[15].q.val();
        self.swept.next = self.memory.swept.val();
        if self.rst.val() {
            self.write17.d.next = false;
            self.sleep17.d.next = false;
            self.slept.d.next = false;
            self.verdict15.d.next = bits::<16>(0).into();
            for i in 0..19 {
                self.valid[i].d.next = false;
                self.flow[i].d.next = bits::<F>(0);
            }
        }
    }
}
