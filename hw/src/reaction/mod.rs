//! The reaction point of DCQCN: CNPs, periods and stages of its flows. The rate engine does the
//! arithmetic.
mod periods;
pub mod words;

use crate::bus::{FlowLoadIn, FlowOptions, ProfileWriteIn};
use crate::constant::Const;
use crate::engine::words::{Action, Law, Options, ProfileWrite};
use crate::fifo::Fifo;
use crate::ram::{ApartRam, BlockRam, LutRam};
pub use periods::Periods;
use rust_hdl::prelude::*;
use timely_model::reaction::{ACK_TO_SAMPLE, AGAIN, LOOK, REST, SAMPLES, sweep_clocks};
use timely_regs::counters::Counter;
use timely_regs::profile;
use words::{Again, Seen, Word};

// A kernel takes literals alone.
const _: () = assert!(LOOK == 16 && REST == 9 && ACK_TO_SAMPLE == 4 && SAMPLES == 6 && AGAIN == 4);
const _: () = assert!(profile::LAW.word == 0 && profile::LOSS_DECREASE.word == 31 && profile::LOSS_DECREASE.low == 0);

/// When CNPs count, alpha decays and stages end, of the flows of `2^F` that follow DCQCN. Behind a
/// time-out, or a loss that lowers rates, a flow's timers begin anew.
///
/// Latency: an action 22 clocks after its sample when nothing is in the way. Throughput: a look at
/// a flow in 16 clocks; of more flows than it can look at in a period the CNPs still act at once.
/// Back pressure: an action stays until the engine takes it; 64 samples wait, one that finds no
/// room is lost and counted, as is what a flow is owed when a CNP goes before it. RAM init takes
/// `2^max(F, 9)` clocks. Model: `timely_model::reaction::Reaction`.
#[derive(LogicBlock, Default)]
pub struct Reaction<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are cleared; before, inputs are ignored.
    pub swept: Signal<Out, Bit>,
    /// An ACK arrives.
    pub ack_valid: Signal<In, Bit>,
    /// ECN bits that it echoes.
    pub ack_ecn: Signal<In, Bits<2>>,
    /// A sample: an RTT, 4 clocks after its ACK, a time-out or a NAK.
    pub sample_valid: Signal<In, Bit>,
    /// 0: an RTT; 1: a time-out; 2: a NAK.
    pub sample_kind: Signal<In, Bits<2>>,
    /// Flow of the sample.
    pub sample_flow: Signal<In, Bits<F>>,
    /// The sample tells of a loss.
    pub sample_lost: Signal<In, Bit>,
    /// Bytes are released, a clock after the sample of their ACK.
    pub release_valid: Signal<In, Bit>,
    /// The bytes.
    pub release_bytes: Signal<In, Bits<32>>,
    /// Event of a queue pair's flow: a CNP came, or without `marked` a packet left. An RTT at the
    /// same clock is ignored.
    pub notice_valid: Signal<In, Bit>,
    /// Flow of the event.
    pub notice_flow: Signal<In, Bits<F>>,
    /// A CNP.
    pub notice_marked: Signal<In, Bit>,
    /// Bytes of the packet.
    pub notice_bytes: Signal<In, Bits<16>>,
    /// Profile bus; a word counts from two clocks later on.
    pub pw: ProfileWriteIn,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// Steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// An action for the engine.
    pub action_valid: Signal<Out, Bit>,
    /// Flow of the action.
    pub action_flow: Signal<Out, Bits<F>>,
    /// Action, `timely_model::engine::law::action`.
    pub action: Signal<Out, Bits<8>>,
    /// The engine takes an action at this clock.
    pub action_ready: Signal<In, Bit>,
    /// Counted events: lost samples and actions, and periods that a CNP overtook.
    pub pulses: Signal<Out, Bits<32>>,
    overflows: Const<Bits<32>>,
    last_sweep: Const<Bits<17>>,
    sweep_count: DFF<Bits<17>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    /// The profile bus of a clock before.
    bus: DFF<ProfileWrite>,
    options: Signal<Local, FlowOptions>,
    written: Signal<Local, Bits<32>>,
    law: Signal<Local, Options>,
    // Index k is the register of clock k + 1 after an ACK.
    marks: [DFF<Bit>; 4],
    profiles: BlockRam<Bits<4>, F>,
    /// The profile's law is DCQCN.
    laws: LutRam<Bits<1>, 4>,
    /// Losses lower the profile's rates.
    lowers: LutRam<Bits<1>, 4>,
    // A clock after the sample, and two.
    seen_at: Signal<Local, Bits<F>>,
    came1: DFF<Bit>,
    flow1: DFF<Bits<F>>,
    marked1: DFF<Bit>,
    notice1: DFF<Bit>,
    bytes1: DFF<Bits<16>>,
    came2: DFF<Bit>,
    seen2: DFF<Seen>,
    /// A packet that left; not looked at while others wait.
    left2: DFF<Bit>,
    enters: Signal<Local, Bit>,
    samples: Fifo<45, 6, 7>,
    again: Fifo<20, 4, 5>,
    head: Signal<Local, Seen>,
    again_head: Signal<Local, Again>,
    pushed: Signal<Local, Again>,
    seen_flow: Signal<Local, Bits<16>>,
    again_flow: Signal<Local, Bits<16>>,
    /// The look under way.
    busy: DFF<Bit>,
    phase: DFF<Bits<4>>,
    voided: DFF<Bit>,
    /// There was a clock of the look without room to look at its flow again.
    crowded: DFF<Bit>,
    flow: DFF<Bits<F>>,
    profile: DFF<Bits<4>>,
    marked: DFF<Bit>,
    bytes: DFF<Bits<24>>,
    at: DFF<Bits<24>>,
    /// Flows that timed out since they were looked at.
    silences: BlockRam<Bits<1>, F>,
    timed_out_2: DFF<Bit>,
    /// Flows of which a sample told of a loss.
    losses: BlockRam<Bits<1>, F>,
    lost_2: DFF<Bit>,
    lowers_2: DFF<Bit>,
    loses: Signal<Local, Bit>,
    times_out: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    rest: DFF<Bits<4>>,
    turn: Signal<Local, Bit>,
    words: ApartRam<Word, F>,
    periods: Periods,
    asked: Signal<Local, Action>,
    bits: Signal<Local, Bits<8>>,
    load: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    clears: Signal<Local, Bit>,
    out_valid: DFF<Bit>,
    out_flow: DFF<Bits<F>>,
    out_action: DFF<Bits<8>>,
    kept: Signal<Local, Bit>,
    lost: DFF<Bit>,
}

impl<const F: usize> Reaction<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(F <= 16, "there are at most 2^16 flows, not 2^{F}");
        Self {
            overflows: Const::new(bits::<32>(1 << Counter::EngineOverflows as u64)),
            last_sweep: Const::new(bits::<17>(sweep_clocks(F as u32) - 1)),
            ..Default::default()
        }
    }
}

impl<const F: usize> Logic for Reaction<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            sweep_count,
            ready,
            bus,
            came1,
            flow1,
            marked1,
            notice1,
            bytes1,
            came2,
            seen2,
            left2,
            busy,
            phase,
            voided,
            crowded,
            flow,
            profile,
            marked,
            bytes,
            at
        );
        dff_setup!(self, clk, timed_out_2, lost_2, lowers_2, rest, load, load_flow, out_valid, out_flow, out_action, lost);
        for i in 0..4 {
            self.marks[i].clock.next = self.clk.val();
        }
        // RAM init: all flows, and all profiles through the profile bus.
        self.sweep.next = !self.ready.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_count.d.next = self.sweep_count.q.val() + bits::<17>(1);
        if self.sweep_count.q.val() == self.last_sweep.val() {
            self.ready.d.next = true;
        }
        self.bus.d.next.data = self.pw.data.val();
        self.bus.d.next.word = self.pw.word.val();
        self.bus.d.next.profile = self.pw.profile.val();
        self.bus.d.next.valid = self.pw.valid.val();
        if self.sweep.val() {
            self.bus.d.next.word = self.sweep_count.q.val().get_bits::<5>(0);
            self.bus.d.next.profile = self.sweep_count.q.val().get_bits::<4>(5);
            self.bus.d.next.valid = true;
        }
        // A register's reset is free where a choice in front of a RAM is not.
        if self.rst.val() | self.sweep.val() {
            self.bus.d.next.data = bits::<32>(0);
        }
        self.options.next = self.fl.record.val().get_bits::<11>(0).into();
        self.written.next = self.bus.q.val().data;
        self.law.next = self.written.val().get_bits::<7>(0).into();
        // An ACK's mark, until its sample is there.
        self.marks[0].d.next = (self.ack_valid.val() & self.ready.q.val()) & self.ack_ecn.val().all();
        for i in 0..3 {
            self.marks[i + 1].d.next = self.marks[i].q.val();
        }
        self.came1.d.next = (self.sample_valid.val() & self.ready.q.val()) & !self.sample_kind.val().any();
        self.seen_at.next = self.sample_flow.val();
        self.marked1.d.next = self.marks[3].q.val();
        if self.notice_valid.val() {
            self.came1.d.next = self.ready.q.val();
            self.seen_at.next = self.notice_flow.val();
            self.marked1.d.next = self.notice_marked.val();
        }
        self.flow1.d.next = self.seen_at.val();
        self.notice1.d.next = self.notice_valid.val();
        self.bytes1.d.next = self.notice_bytes.val();
        self.profiles.clock.next = self.clk.val();
        self.profiles.read_enable.next = true;
        self.profiles.read_address.next = self.seen_at.val();
        self.profiles.write_enable.next = self.sweep.val() | self.fl.valid.val();
        self.profiles.write_address.next = self.fl.flow.val();
        self.profiles.write_data.next = self.options.val().profile;
        if self.sweep.val() {
            self.profiles.write_address.next = self.sweep_count.q.val().get_bits::<F>(0);
            self.profiles.write_data.next = bits::<4>(0);
        }
        self.laws.clock.next = self.clk.val();
        self.laws.read_address.next = self.profiles.read_data.val();
        self.laws.write_enable.next = self.bus.q.val().valid & !self.bus.q.val().word.any();
        self.laws.write_address.next = self.bus.q.val().profile;
        self.laws.write_data.next = bits::<1>(0);
        if self.law.val().law == Law::Dcqcn {
            self.laws.write_data.next = bits::<1>(1);
        }
        self.lowers.clock.next = self.clk.val();
        self.lowers.read_address.next = self.profile.q.val();
        self.lowers.write_enable.next = self.bus.q.val().valid & self.bus.q.val().word.all();
        self.lowers.write_address.next = self.bus.q.val().profile;
        self.lowers.write_data.next = bits::<1>(0);
        if self.written.val().get_bits::<27>(0).any() {
            self.lowers.write_data.next = bits::<1>(1);
        }
        self.came2.d.next = self.came1.q.val() & self.laws.read_data.val().any();
        self.seen2.d.next.flow = bit_cast::<16, F>(self.flow1.q.val());
        self.seen2.d.next.profile = self.profiles.read_data.val();
        self.seen2.d.next.marked = self.marked1.q.val();
        self.seen2.d.next.bytes = bits::<24>(0);
        if self.release_valid.val() {
            self.seen2.d.next.bytes = self.release_bytes.val().get_bits::<24>(0);
        }
        if self.notice1.q.val() {
            self.seen2.d.next.bytes = bit_cast::<24, 16>(self.bytes1.q.val());
        }
        self.left2.d.next = self.notice1.q.val() & !self.marked1.q.val();
        self.enters.next = self.came2.q.val() & !(self.left2.q.val() & self.samples.o_valid.val());
        self.samples.clk.next = self.clk.val();
        self.samples.rst.next = self.rst.val();
        self.samples.i_valid.next = self.enters.val();
        self.samples.i_data.next = self.seen2.q.val().into();
        // Looks at flows, one after the other.
        self.ends.next = self.busy.q.val() & self.phase.q.val().all();
        self.counts.next = self.ends.val() & !self.voided.q.val();
        self.free.next = !self.busy.q.val() | self.ends.val();
        self.turn.next = (self.free.val() & !self.samples.o_valid.val()) & !self.rest.q.val().any();
        self.samples.o_ready.next = self.free.val();
        self.again.clk.next = self.clk.val();
        self.again.rst.next = self.rst.val();
        self.again.o_ready.next = self.turn.val();
        self.head.next = self.samples.o_data.val().into();
        self.again_head.next = self.again.o_data.val().into();
        self.seen_flow.next = self.head.val().flow;
        self.again_flow.next = self.again_head.val().flow;
        self.crowded.d.next = !self.again.i_ready.val() | (self.crowded.q.val() & !self.free.val());
        self.phase.d.next = self.phase.q.val() + bits::<4>(1);
        if self.ends.val() {
            self.busy.d.next = false;
        }
        if self.free.val() {
            self.phase.d.next = bits::<4>(0);
            self.voided.d.next = false;
            self.at.d.next = self.now.val().get_bits::<24>(16);
            if self.samples.o_valid.val() {
                self.busy.d.next = true;
                self.flow.d.next = self.seen_flow.val().get_bits::<F>(0);
                self.profile.d.next = self.head.val().profile;
                self.marked.d.next = self.head.val().marked;
                self.bytes.d.next = self.head.val().bytes;
            } else {
                self.busy.d.next = self.turn.val() & self.again.o_valid.val();
                self.flow.d.next = self.again_flow.val().get_bits::<F>(0);
                self.profile.d.next = self.again_head.val().profile;
                self.marked.d.next = false;
                self.bytes.d.next = bits::<24>(0);
            }
        }
        self.words.read_clock.next = self.clk.val();
        self.words.write_clock.next = self.clk.val();
        self.words.read_address.next = self.flow.q.val();
        self.periods.clk.next = self.clk.val();
        self.periods.bus.next = self.bus.q.val();
        self.periods.phase.next = self.phase.q.val();
        self.periods.profile.next = self.profile.q.val();
        self.periods.word_1.next = self.words.read_data.val();
        self.periods.now.next = self.at.q.val();
        self.periods.marked.next = self.marked.q.val();
        self.periods.bytes.next = self.bytes.q.val();
        self.periods.crowded_15.next = self.crowded.q.val();
        // A time-out or a loss sets its flow's bit; the look that finds it takes it back, but for a
        // clock at which another is set.
        self.silences.clock.next = self.clk.val();
        self.silences.read_enable.next = true;
        self.silences.read_address.next = self.flow.q.val();
        self.losses.clock.next = self.clk.val();
        self.losses.read_enable.next = true;
        self.losses.read_address.next = self.flow.q.val();
        if self.phase.q.val() == bits::<4>(1) {
            self.timed_out_2.d.next = self.silences.read_data.val().any();
            self.lost_2.d.next = self.losses.read_data.val().any();
            self.lowers_2.d.next = self.lowers.read_data.val().any();
        }
        self.periods.timed_out_2.next = self.timed_out_2.q.val();
        self.periods.lost_2.next = self.lost_2.q.val() & self.lowers_2.q.val();
        self.times_out.next = (self.sample_valid.val() & self.ready.q.val()) & (self.sample_kind.val() == bits::<2>(1));
        self.silences.write_enable.next = self.times_out.val() | (self.counts.val() & self.timed_out_2.q.val()) | self.sweep.val();
        self.silences.write_address.next = self.flow.q.val();
        self.silences.write_data.next = bits::<1>(0);
        if self.times_out.val() {
            self.silences.write_address.next = self.sample_flow.val();
            self.silences.write_data.next = bits::<1>(1);
        }
        if self.sweep.val() {
            self.silences.write_address.next = self.sweep_count.q.val().get_bits::<F>(0);
        }
        self.loses.next = (self.sample_valid.val() & self.ready.q.val()) & self.sample_lost.val();
        self.losses.write_enable.next = self.loses.val() | (self.counts.val() & self.lost_2.q.val()) | self.sweep.val();
        self.losses.write_address.next = self.flow.q.val();
        self.losses.write_data.next = bits::<1>(0);
        if self.loses.val() {
            self.losses.write_address.next = self.sample_flow.val();
            self.losses.write_data.next = bits::<1>(1);
        }
        if self.sweep.val() {
            self.losses.write_address.next = self.sweep_count.q.val().get_bits::<F>(0);
        }
        // A load forgets, and a look at its flow comes to nothing.
        self.clears.next = self.load.q.val() & !self.ends.val();
        if self.clears.val() {
            self.load.d.next = false;
            if self.busy.q.val() & (self.load_flow.q.val() == self.flow.q.val()) {
                self.voided.d.next = true;
            }
        }
        if (self.fl.valid.val() & self.ready.q.val()) & !(self.options.val().enable & self.options.val().keep) {
            self.load.d.next = true;
            self.load_flow.d.next = self.fl.flow.val();
        }
        self.words.write_enable.next = self.counts.val() | self.clears.val() | self.sweep.val();
        self.words.write_address.next = self.flow.q.val();
        self.words.write_data.next = self.periods.next_15.val();
        if self.clears.val() {
            self.words.write_address.next = self.load_flow.q.val();
        }
        if self.sweep.val() {
            self.words.write_address.next = self.sweep_count.q.val().get_bits::<F>(0);
        }
        // All else of a word counts from a look that finds it started on.
        if self.clears.val() | self.sweep.val() {
            self.words.write_data.next.started = false;
            self.words.write_data.next.pending = false;
            self.words.write_data.next.another = false;
            self.words.write_data.next.cnp_at = bits::<24>(0);
        }
        // Actions.
        self.asked.next = self.periods.action_15.val();
        self.bits.next = self.asked.val().into();
        self.acts.next = self.counts.val() & self.bits.val().any();
        self.kept.next = self.out_valid.q.val() & !self.action_ready.val();
        self.out_valid.d.next = self.kept.val();
        if self.acts.val() {
            self.out_valid.d.next = true;
            self.out_flow.d.next = self.flow.q.val();
            self.out_action.d.next = self.bits.val();
        }
        self.pushed.next.flow = bit_cast::<16, F>(self.flow.q.val());
        self.pushed.next.profile = self.profile.q.val();
        self.again.i_valid.next = self.acts.val();
        self.again.i_data.next = self.pushed.val().into();
        if self.rest.q.val().any() {
            self.rest.d.next = self.rest.q.val() - bits::<4>(1);
        }
        if self.acts.val() {
            self.rest.d.next = bits::<4>(9);
        }
        self.lost.d.next = ((self.enters.val() & !self.samples.i_ready.val()) | (self.acts.val() & self.kept.val()))
            | (self.counts.val() & self.periods.overtakes_15.val());
        self.action_valid.next = self.out_valid.q.val();
        self.action_flow.next = self.out_flow.q.val();
        self.action.next = self.out_action.q.val();
        self.pulses.next = bits::<32>(0);
        if self.lost.q.val() {
            self.pulses.next = self.overflows.val();
        }
        if self.rst.val() {
            for i in 0..4 {
                self.marks[i].d.next = false;
            }
            self.sweep_count.d.next = bits::<17>(0);
            self.ready.d.next = false;
            self.came1.d.next = false;
            self.came2.d.next = false;
            self.busy.d.next = false;
            self.voided.d.next = false;
            self.rest.d.next = bits::<4>(0);
            self.load.d.next = false;
            self.out_valid.d.next = false;
            self.lost.d.next = false;
        }
    }
}
