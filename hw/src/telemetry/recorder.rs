//! Event records of rate updates: some of them, chosen, numbered, queued.
use super::words::{EventRecord, Heading, Noted, Values};
use crate::bus::{EventIn, EventStage, ProfileWriteIn};
use crate::constant::Const;
use crate::fifo::HeldFifo;
use rust_hdl::prelude::*;
use timely_regs::event;
use timely_regs::map::telemetry::{FILTER_BY_FLOW, FILTER_BY_PROFILE, FILTER_FLOW, FILTER_PROFILE};
use timely_regs::profile::LAW;

/// Makes an event record (`timely_regs::event`) of one in `cfg_every` updates that pass
/// `cfg_filter`; `A` address bits of the queue, `C` must be `A + 1`.
///
/// Latency: an update is at an empty queue's output 5 clocks later. Throughput: an update and a
/// record every clock. Back pressure: none; a record that finds the queue full is dropped, which
/// pulses `dropped` 3 clocks after the update, and leaves a gap in the numbers. Model:
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
    version: Const<Bits<8>>,
    // The update of the clock before.
    seen: EventStage<F>,
    passes: DFF<Bit>,
    law: DFF<Bits<4>>,
    stamp: DFF<Bits<64>>,
    // Choice of the recorded events.
    every: DFF<Bits<16>>,
    left: DFF<Bits<16>>,
    number: DFF<Bits<32>>,
    take: Signal<Local, Bit>,
    other_flow: Signal<Local, Bit>,
    other_profile: Signal<Local, Bit>,
    // The record on its way to the queue.
    made: DFF<Bit>,
    record: DFF<Noted>,
    lost: DFF<Bit>,
    kept: Signal<Local, Noted>,
    heading: Signal<Local, Heading>,
    values: Signal<Local, Values>,
    again: Signal<Local, Heading>,
    shown: Signal<Local, EventRecord>,
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
            version: Const::new(bits::<8>(event::VERSION.into())),
            ..Default::default()
        }
    }
}

impl<const F: usize, const A: usize, const C: usize> Logic for Recorder<F, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, passes, law, stamp, every, left, number, made, record, lost);
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
        // 0: the update, and whether it passes the filter. What comes without one is kept too, here
        // and below: no enable goes to so many bits.
        self.seen.clk.next = self.clk.val();
        self.seen.rst.next = self.rst.val();
        EventIn::<F>::link(&mut self.event, &mut self.seen.i);
        self.other_flow.next =
            self.cfg_filter.val().get_bit(16) & (self.cfg_filter.val().get_bits::<16>(0) != bit_cast::<16, F>(self.event.flow.val()));
        self.other_profile.next = self.cfg_filter.val().get_bit(24) & (self.cfg_filter.val().get_bits::<4>(20) != self.event.profile.val());
        self.passes.d.next = !self.other_flow.val() & !self.other_profile.val();
        for i in 0..16 {
            if self.event.profile.val().index() == i {
                self.law.d.next = self.laws[i].q.val();
            }
        }
        self.stamp.d.next = self.now.val();
        // 1: whether it is one of those that are taken; a new `every` starts afresh, and costs the
        // update of this clock.
        self.take.next = false;
        self.every.d.next = self.cfg_every.val();
        if self.cfg_every.val() != self.every.q.val() {
            self.left.d.next = bits::<16>(0);
        } else if self.seen.o.valid.val() & self.passes.q.val() & self.every.q.val().any() {
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - bits::<16>(1);
            } else {
                self.left.d.next = self.every.q.val() - bits::<16>(1);
                self.take.next = true;
            }
        }
        self.made.d.next = self.take.val();
        if self.take.val() {
            self.number.d.next = self.number.q.val() + bits::<32>(1);
        }
        self.heading.next.number = self.number.q.val();
        self.heading.next.stamp = self.stamp.q.val();
        self.heading.next.flow = bit_cast::<16, F>(self.seen.o.flow.val());
        self.heading.next.profile = self.seen.o.profile.val();
        self.heading.next.law = self.law.q.val();
        self.heading.next.kind = self.seen.o.kind.val();
        self.heading.next.branch = self.seen.o.branch.val();
        self.heading.next.hyperactive = self.seen.o.hyperactive.val();
        self.values.next.argument = self.seen.o.now_ns.val();
        self.values.next.rate_before = self.seen.o.rate_before.val();
        self.values.next.rate = self.seen.o.rate.val();
        self.values.next.earlier = self.seen.o.before.val();
        self.record.d.next.heading = self.heading.val();
        self.record.d.next.signal = self.seen.o.rtt_ns.val();
        self.record.d.next.hops = self.seen.o.hops.val();
        self.record.d.next.endpoint = self.seen.o.endpoint_ns.val();
        self.record.d.next.values = self.values.val();
        // 2: into the queue, or lost.
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue.i_valid.next = self.made.q.val();
        self.queue.i_data.next = self.record.q.val().into();
        self.lost.d.next = self.made.q.val() & !self.queue.i_ready.val();
        self.dropped.next = self.lost.q.val();
        self.rec_valid.next = self.queue.o_valid.val();
        self.kept.next = self.queue.o_data.val().into();
        self.again.next = self.kept.val().heading;
        self.shown.next = bits::<512>(0).into();
        self.shown.next.heading = self.kept.val().heading;
        self.shown.next.signal = self.kept.val().signal;
        self.shown.next.hops = self.kept.val().hops;
        self.shown.next.endpoint = self.kept.val().endpoint;
        self.shown.next.version = self.version.val();
        self.shown.next.values = self.kept.val().values;
        self.shown.next.number_again = self.again.val().number;
        self.rec_data.next = self.shown.val().into();
        self.queue.o_ready.next = self.rec_ready.val();
        if self.rst.val() {
            self.every.d.next = bits::<16>(0);
            self.left.d.next = bits::<16>(0);
            self.number.d.next = bits::<32>(0);
            self.made.d.next = false;
            self.lost.d.next = false;
        }
    }
}
