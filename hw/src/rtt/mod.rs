//! Round-trip times: what was sent, what left, what was acknowledged, and when.
//!
//! The block is specified in `timely_model::rtt`; its parts are: [`sent::SentUnit`] gives frames
//! that the generator hands over their entries in the tag table, [`depart::DepartUnit`] finds them
//! when the frames depart, and [`firsts::Firsts`] makes starts of RTTs of them.
//! [`ack::AckUnit`] is the pipeline of operations on flows: [`memory::Memory`] holds flows and the
//! ring of ended segments, [`offer::Offer`] has what enters between two ACKs, [`verdict::Verdict`]
//! decides, [`signal::Signals`] measures, with [`one_way::OneWay`] for one-way delays and
//! [`profiles::Profiles`] for what a profile asks for; [`counts::Counts`] pulses counters. Every
//! RAM has one writer. [`words`] names the packed words.
pub mod ack;
pub mod counts;
pub mod depart;
pub mod firsts;
pub mod memory;
pub mod offer;
pub mod one_way;
pub mod profiles;
pub mod sent;
pub mod signal;
pub mod verdict;
pub mod words;

use crate::bus::{CompletionIn, EchoIn, FlowLoadIn, FlowOptions, OutcomeOut, ProfileWriteIn, ReleaseOut, SampleOut};
use rust_hdl::prelude::*;

/// RTT, validation, time-out and release of the segments of `2^F` flows, of which the last `2^D`
/// are remembered; `A` is the greater of `F` and `D`.
///
/// Latency: ACK to sample 4 clocks, to release and counter pulse 5; a segment can be acknowledged
/// from the 9th clock after its last `sent_valid`. Throughput: a frame and a completion every
/// clock, an ACK and an ended segment every other clock. Nothing stalls. All flows are looked at
/// for time-outs within `2^16` clocks, and later only by the clocks at which something else was to
/// be done. The sweep takes `2^A` clocks. Model: `timely_model::rtt::Rtt`.
#[derive(LogicBlock, Default)]
pub struct Rtt<const F: usize, const D: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// A frame's first beat is offered to the MAC.
    pub sent_valid: Signal<In, Bit>,
    /// Tag of the frame's completion.
    pub sent_tag: Signal<In, Bits<16>>,
    /// Flow.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Segment of the flow.
    pub sent_segment: Signal<In, Bits<32>>,
    /// Nonce of the segment.
    pub sent_nonce: Signal<In, Bits<32>>,
    /// First packet of the segment.
    pub sent_first: Signal<In, Bit>,
    /// Last packet of the segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// Charged wire bytes of the segment so far.
    pub sent_segment_bytes: Signal<In, Bits<32>>,
    /// With the last packet: the segment's place in the ring, and the turn of the ring in which it
    /// was given.
    pub sent_place: Signal<In, Bits<16>>,
    /// Turn of the ring in which the place was given.
    pub sent_generation: Signal<In, Bits<2>>,
    /// When the packet was eligible to leave, ns48.fns16.
    pub sent_launch: Signal<In, Bits<64>>,
    /// A frame departed.
    pub c: CompletionIn,
    /// An ACK arrived.
    pub a: EchoIn,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// ns a byte takes on the line, Q.16.
    pub cfg_ns_per_byte: Signal<In, Bits<32>>,
    /// Key of the nonces, for the checks.
    pub cfg_key: Signal<In, Bits<96>>,
    /// Time that time-outs count on, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Steps of the time that stamps are of, modulo 4.
    pub time_epoch: Signal<In, Bits<2>>,
    /// Steps of the time, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<In, Bits<2>>,
    /// A sample for the engine.
    pub sample: SampleOut<F>,
    /// Bytes are outstanding no more.
    pub release: ReleaseOut<F>,
    /// Counted events, bit by `timely_regs::counters::Counter`.
    pub pulses: Signal<Out, Bits<64>>,
    /// Outcome of an ACK, on the clock of its pulse.
    pub acked: OutcomeOut<F>,
    sent: sent::SentUnit<F>,
    depart: depart::DepartUnit,
    firsts: firsts::Firsts<F>,
    ack: ack::AckUnit<F, D, A>,
    sweep_at: DFF<Bits<A>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    departed_flow: Signal<Local, Bits<16>>,
    options: Signal<Local, FlowOptions>,
}

impl<const F: usize, const D: usize, const A: usize> Rtt<F, D, A> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            sent: sent::SentUnit::new(),
            depart: depart::DepartUnit::new(),
            firsts: firsts::Firsts::new(),
            ack: ack::AckUnit::new(),
            ..Default::default()
        }
    }
}

impl<const F: usize, const D: usize, const A: usize> Logic for Rtt<F, D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready);
        self.sent.clk.next = self.clk.val();
        self.depart.clk.next = self.clk.val();
        self.firsts.clk.next = self.clk.val();
        self.ack.clk.next = self.clk.val();
        self.sent.rst.next = self.rst.val();
        self.depart.rst.next = self.rst.val();
        self.firsts.rst.next = self.rst.val();
        self.ack.rst.next = self.rst.val();
        self.sweep.next = !self.ready.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<A>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        self.sent.sweep.next = self.sweep.val();
        self.sent.sweep_flow.next = self.sweep_at.q.val().get_bits::<F>(0);
        self.sent.sweep_profile.next = self.sweep_at.q.val().get_bits::<4>(0);
        self.depart.sweep.next = self.sweep.val();
        self.firsts.sweep.next = self.sweep.val();
        self.ack.sweep.next = self.sweep.val();
        self.ack.sweep_at.next = self.sweep_at.q.val();

        self.sent.sent_valid.next = self.sent_valid.val();
        self.sent.sent_tag.next = self.sent_tag.val();
        self.sent.sent_flow.next = self.sent_flow.val();
        self.sent.sent_segment.next = self.sent_segment.val();
        self.sent.sent_place.next = self.sent_place.val();
        self.sent.sent_generation.next = self.sent_generation.val();
        self.sent.sent_first.next = self.sent_first.val();
        self.sent.sent_last.next = self.sent_last.val();
        self.sent.sent_wire_bytes.next = self.sent_wire_bytes.val();
        self.sent.sent_launch.next = self.sent_launch.val().get_bits::<40>(8);
        self.sent.ns_per_byte.next = self.cfg_ns_per_byte.val();
        self.options.next = self.fl.record.val().get_bits::<11>(0).into();
        self.sent.flow_valid.next = self.fl.valid.val();
        self.sent.flow_index.next = self.fl.flow.val();
        self.sent.flow_profile.next = self.options.val().profile;
        // Profile word 0: bits 9..8 start of the RTT.
        self.sent.start_valid.next = self.pw.valid.val() & (self.pw.word.val() == bits::<5>(0));
        self.sent.start_profile.next = self.pw.profile.val();
        self.sent.start.next = self.pw.data.val().get_bits::<2>(8);

        self.depart.c_valid.next = self.c.valid.val();
        self.depart.c_tag.next = self.c.tag.val();
        self.depart.c_ts.next = self.c.ts.val().get_bits::<40>(8);
        self.depart.time_epoch.next = self.departed_epoch.val();
        self.depart.tag_valid.next = self.sent.tag_valid.val();
        self.depart.tag.next = self.sent.tag.val();
        self.firsts.sweep_flow.next = self.sweep_at.q.val().get_bits::<F>(0);
        self.departed_flow.next = self.depart.o_flow.val();
        self.firsts.i_valid.next = self.depart.o_valid.val();
        self.firsts.i_gives.next = self.depart.o_gives.val();
        self.firsts.i_flow.next = self.departed_flow.val().get_bits::<F>(0);
        self.firsts.i_segment.next = self.depart.o_segment.val();
        self.firsts.i_place.next = self.depart.o_place.val();
        self.firsts.i_start.next = self.depart.o_start.val();

        EchoIn::link(&mut self.a, &mut self.ack.a);
        self.ack.key.next = self.cfg_key.val();
        self.ack.ended.valid.next = self.sent_valid.val() & self.sent_last.val();
        self.ack.ended.flow.next = self.sent_flow.val();
        self.ack.ended.segment.next = self.sent_segment.val().get_bits::<16>(0);
        self.ack.ended.check.next = self.sent_nonce.val();
        self.ack.ended.bytes.next = self.sent_segment_bytes.val();
        self.ack.ended.place.next = self.sent_place.val();
        self.ack.ended.generation.next = self.sent_generation.val();
        self.ack.start_valid.next = self.firsts.start_valid.val();
        self.ack.start_place.next = self.firsts.start_place.val();
        self.ack.start.next = self.firsts.start.val();
        self.ack.flow_valid.next = self.fl.valid.val();
        self.ack.flow_index.next = self.fl.flow.val();
        self.ack.flow_enable.next = self.options.val().enable;
        self.ack.flow_keep.next = self.options.val().keep;
        self.ack.flow_profile.next = self.options.val().profile;
        ProfileWriteIn::link(&mut self.pw, &mut self.ack.pw);
        self.ack.now.next = self.now.val();
        self.ack.time_epoch.next = self.time_epoch.val();

        SampleOut::<F>::link(&mut self.sample, &mut self.ack.sample);
        ReleaseOut::<F>::link(&mut self.release, &mut self.ack.release);
        OutcomeOut::<F>::link(&mut self.acked, &mut self.ack.acked);
        self.pulses.next = self.ack.pulses.val();
        if self.rst.val() {
            self.sweep_at.d.next = bits::<A>(0);
            self.ready.d.next = false;
        }
    }
}
