//! Event records of rate updates: some of them, chosen, numbered, queued.
use crate::bus::{EventIn, ProfileWriteIn};
use crate::constant::Const;
use crate::fifo::HeldFifo;
use rust_hdl::prelude::*;
use timely_regs::event;
use timely_regs::map::telemetry::{FILTER_BY_FLOW, FILTER_BY_PROFILE, FILTER_FLOW, FILTER_PROFILE};
use timely_regs::profile::LAW;

/// Makes an event record (`timely_regs::event`) of one in `cfg_every` updates that pass `cfg_filter`; `A` address bits of the queue, `C` must be
/// `A + 1`.
///
/// Latency: an update is at an empty queue's output 5 clocks later. Throughput: an update and a record every clock. Back pressure: none; a
/// record that finds the queue full is dropped, which pulses `dropped` 3 clocks after the update, and leaves a gap in the numbers. Model:
/// `timely_model::telemetry::recorder`.
#[derive(LogicBlock, Default)]
pub struct Recorder<const F: usize, const A: usize, const C: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// An operation of the engine was done.
    pub event: EventIn<F>,
    /// The time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// One of so many is recorded; 0 none.
    pub cfg_every: Signal<In, Bits<16>>,
    /// Events that are recorded, `timely_regs::map::telemetry::EVENT_FILTER`.
    pub cfg_filter: Signal<In, Bits<25>>,
    /// A record.
    pub rec_valid: Signal<Out, Bit>,
    /// The record is taken.
    pub rec_ready: Signal<In, Bit>,
    /// Word `i` in bits `32i+31..32i`.
    pub rec_data: Signal<Out, Bits<512>>,
    /// A record was dropped; one clock.
    pub dropped: Signal<Out, Bit>,
    queue: HeldFifo<439, A, C>,
    laws: [DFF<Bits<4>>; 16],
    law_word: Const<Bits<5>>,
    version: Const<Bits<32>>,
    // The update of the clock before.
    valid: DFF<Bit>,
    passes: DFF<Bit>,
    flow: DFF<Bits<F>>,
    profile: DFF<Bits<4>>,
    law: DFF<Bits<4>>,
    kind: DFF<Bits<3>>,
    branch: DFF<Bits<3>>,
    hyperactive: DFF<Bit>,
    signal: DFF<Bits<24>>,
    hops: DFF<Bits<8>>,
    endpoint: DFF<Bits<24>>,
    argument: DFF<Bits<32>>,
    rate_before: DFF<Bits<32>>,
    rate: DFF<Bits<32>>,
    earlier: DFF<Bits<160>>,
    stamp: DFF<Bits<64>>,
    // Choice of the recorded events.
    every: DFF<Bits<16>>,
    left: DFF<Bits<16>>,
    number: DFF<Bits<32>>,
    take: Signal<Local, Bit>,
    other_flow: Signal<Local, Bit>,
    other_profile: Signal<Local, Bit>,
    about: Signal<Local, Bits<32>>,
    // The record on its way to the queue, without what is the same in all and what it says twice: number 32, stamp 64, flow to hyperactive 31,
    // signal 24, hops 8, endpoint 24, argument 32, rate before 32, rate 32, state 160.
    made: DFF<Bit>,
    record: DFF<Bits<439>>,
    lost: DFF<Bit>,
    kept: Signal<Local, Bits<439>>,
}

impl<const F: usize, const A: usize, const C: usize> Recorder<F, A, C> {
    /// The block with its constants.
    pub fn new() -> Self {
        const {
            assert!(
                FILTER_FLOW.low == 0 && FILTER_BY_FLOW.low == 16 && FILTER_PROFILE.low == 20 && FILTER_BY_PROFILE.low == 24,
                "the filter is cut at fixed bits"
            );
            assert!(LAW.low == 0 && LAW.high == 3 && event::WORDS == 16, "the record is put together at fixed bits");
        }
        Self {
            law_word: Const::new(bits::<5>(LAW.word.into())),
            version: Const::new(bits::<32>(u64::from(event::VERSION << event::RECORD_VERSION.low))),
            ..Default::default()
        }
    }
}

impl<const F: usize, const A: usize, const C: usize> Logic for Recorder<F, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid, passes, flow, profile, law, kind, branch, hyperactive, signal, hops, endpoint, argument);
        dff_setup!(self, clk, rate_before, rate, earlier, stamp, every, left, number, made, record, lost);
        // The laws of the profiles.
        for i in 0..16 {
            self.laws[i].clock.next = self.clk.val();
            self.laws[i].d.next = self.laws[i].q.val();
            if self.pw.valid.val() & (self.pw.word.val() == self.law_word.val()) & (self.pw.profile.val().index() == i) {
                self.laws[i].d.next = self.pw.data.val().get_bits::<4>(0);
            }
            if self.rst.val() {
                self.laws[i].d.next = bits::<4>(0);
            }
        }
        // 0: the update, and whether it passes the filter. What comes without one is kept too, here and below: no enable goes to so many bits.
        self.valid.d.next = self.event.valid.val();
        self.other_flow.next =
            self.cfg_filter.val().get_bit(16) & (self.cfg_filter.val().get_bits::<16>(0) != bit_cast::<16, F>(self.event.flow.val()));
        self.other_profile.next = self.cfg_filter.val().get_bit(24) & (self.cfg_filter.val().get_bits::<4>(20) != self.event.profile.val());
        self.passes.d.next = !self.other_flow.val() & !self.other_profile.val();
        self.flow.d.next = self.event.flow.val();
        self.profile.d.next = self.event.profile.val();
        for i in 0..16 {
            if self.event.profile.val().index() == i {
                self.law.d.next = self.laws[i].q.val();
            }
        }
        self.kind.d.next = self.event.kind.val();
        self.branch.d.next = self.event.branch.val();
        self.hyperactive.d.next = self.event.hyperactive.val();
        self.signal.d.next = self.event.rtt_ns.val();
        self.hops.d.next = self.event.hops.val();
        self.endpoint.d.next = self.event.endpoint_ns.val();
        self.argument.d.next = self.event.now_ns.val();
        self.rate_before.d.next = self.event.rate_before.val();
        self.rate.d.next = self.event.rate.val();
        self.earlier.d.next = self.event.before.val();
        self.stamp.d.next = self.now.val();
        // 1: whether it is one of those that are taken; a new `every` starts afresh, and costs the update of this clock.
        self.take.next = false;
        self.every.d.next = self.cfg_every.val();
        if self.cfg_every.val() != self.every.q.val() {
            self.left.d.next = bits::<16>(0);
        } else if self.valid.q.val() & self.passes.q.val() & self.every.q.val().any() {
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - bits::<16>(1);
            } else {
                self.left.d.next = self.every.q.val() - bits::<16>(1);
                self.take.next = true;
            }
        }
        self.made.d.next = self.take.val();
        self.about.next = bit_cast::<32, F>(self.flow.q.val())
            | (bit_cast::<32, 4>(self.profile.q.val()) << 16)
            | (bit_cast::<32, 4>(self.law.q.val()) << 20)
            | (bit_cast::<32, 3>(self.kind.q.val()) << 24)
            | (bit_cast::<32, 3>(self.branch.q.val()) << 27);
        if self.hyperactive.q.val() {
            self.about.next = bit_cast::<32, F>(self.flow.q.val())
                | (bit_cast::<32, 4>(self.profile.q.val()) << 16)
                | (bit_cast::<32, 4>(self.law.q.val()) << 20)
                | (bit_cast::<32, 3>(self.kind.q.val()) << 24)
                | (bit_cast::<32, 3>(self.branch.q.val()) << 27)
                | bits::<32>(1073741824);
        }
        if self.take.val() {
            self.number.d.next = self.number.q.val() + bits::<32>(1);
        }
        self.record.d.next = bit_cast::<439, 32>(self.number.q.val())
            | (bit_cast::<439, 64>(self.stamp.q.val()) << 32)
            | (bit_cast::<439, 31>(self.about.val().get_bits::<31>(0)) << 96)
            | (bit_cast::<439, 24>(self.signal.q.val()) << 127)
            | (bit_cast::<439, 8>(self.hops.q.val()) << 151)
            | (bit_cast::<439, 24>(self.endpoint.q.val()) << 159)
            | (bit_cast::<439, 32>(self.argument.q.val()) << 183)
            | (bit_cast::<439, 32>(self.rate_before.q.val()) << 215)
            | (bit_cast::<439, 32>(self.rate.q.val()) << 247)
            | (bit_cast::<439, 160>(self.earlier.q.val()) << 279);
        // 2: into the queue, or lost.
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue.i_valid.next = self.made.q.val();
        self.queue.i_data.next = self.record.q.val();
        self.lost.d.next = self.made.q.val() & !self.queue.i_ready.val();
        self.dropped.next = self.lost.q.val();
        self.rec_valid.next = self.queue.o_valid.val();
        self.kept.next = self.queue.o_data.val();
        self.rec_data.next = bit_cast::<512, 127>(self.kept.val().get_bits::<127>(0))
            | (bit_cast::<512, 32>(self.kept.val().get_bits::<32>(127)) << 128)
            | (bit_cast::<512, 24>(self.kept.val().get_bits::<24>(159)) << 160)
            | (bit_cast::<512, 32>(self.version.val()) << 160)
            | (bit_cast::<512, 256>(self.kept.val().get_bits::<256>(183)) << 192)
            | (bit_cast::<512, 32>(self.kept.val().get_bits::<32>(0)) << 480);
        self.queue.o_ready.next = self.rec_ready.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.every.d.next = bits::<16>(0);
            self.left.d.next = bits::<16>(0);
            self.number.d.next = bits::<32>(0);
            self.made.d.next = false;
            self.lost.d.next = false;
        }
    }
}
