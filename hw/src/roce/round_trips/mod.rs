//! Round-trip times of queue pairs, by the answers that any RDMA NIC sends.
mod answers;
mod requests;
mod words;

use crate::bus::{CompletionIn, FlowLoadIn, FlowOptions, FlowPulseIn, PairAnswerIn, PairFrameIn, ProfileWriteIn, SampleOut};
use crate::rtt::depart::DepartUnit;
use crate::rtt::sent::SentUnit;
use crate::rtt::words::{Gives, Start};
use answers::Answers;
use requests::Requests;
use rust_hdl::prelude::*;
use timely_model::round_trips::{COMPLETION_WAITS, MOST_FLOW_BITS};
use words::{Place, Timing};

// Completions wait as in the model, and a place has room for the flow.
const _: () = assert!(COMPLETION_WAITS == 4 && MOST_FLOW_BITS == 14);

/// RTTs of `2^F` flows that are RoCEv2 queue pairs, one timed packet a flow; `F` is 4 to 14.
///
/// - A request that asks for an ACK, or a READ, is timed if no other packet of its flow is. The
///   first ACK or READ response that covers its sequence number gives the sample.
/// - A sample is of a packet that was sent once (Karn's rule): one that is sent again, one that a
///   packet before it was sent again behind, and the first of a flow that was loaded give none.
/// - A NAK, a receiver that is not ready, a load, a join and the time-out of the flow's profile end
///   a timing without an RTT; the time-out, in which no answer came, and each NAK are told to the
///   engine. A
///   timing that goes on beyond it among answers gives none. With a time-out of 0 whatever took
///   2^24 ns or longer is a sample of the longest RTT.
/// - Every frame that leaves is to be shown, for a tag counts until its completion.
///
/// Latency: 4 clocks from an answer to its sample. Throughput: a frame, a completion and an answer
/// a clock. Back pressure: none; loads, joins and the flows' turns wait for clocks without an
/// answer, and loads for one without a frame too: they must be 8 clocks apart, and joins 8 from
/// either. All flows are looked at for time-outs within 2^16 clocks and those that answers took.
/// After `rst` nothing is accepted until `swept`, `2^F` clocks later. Model:
/// `timely_model::round_trips`.
#[derive(LogicBlock, Default)]
pub struct RoundTrips<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// A frame's first beat is offered to the MAC.
    pub sent: PairFrameIn<F>,
    /// A frame departed.
    pub c: CompletionIn,
    /// An answer arrived.
    pub answer: PairAnswerIn<F>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// Answers of a flow are known by another key from now on, or by none any more.
    pub joined: FlowPulseIn<F>,
    /// Least path MTU of all flows: 1 to 5 for 256 to 4,096 bytes; 0: unknown.
    pub cfg_mtu: Signal<In, Bits<3>>,
    /// ns a byte takes on the line, Q.16.
    pub cfg_ns_per_byte: Signal<In, Bits<32>>,
    /// Time that time-outs count on, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Steps of the time that stamps are of, modulo 4.
    pub time_epoch: Signal<In, Bits<2>>,
    /// Steps of the time, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<In, Bits<2>>,
    /// A sample for the engine.
    pub sample: SampleOut<F>,
    /// Counted events, bit by `timely_model::round_trips::Pulse`.
    pub pulses: Signal<Out, Bits<9>>,
    requests: Requests<F>,
    answers: Answers<F>,
    tags: SentUnit<F>,
    depart: DepartUnit,
    sweep_at: DFF<Bits<F>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    options: Signal<Local, FlowOptions>,
    forgets: Signal<Local, Bit>,
    // Completions wait for the decision on their frames.
    c_valid: [DFF<Bit>; 4],
    c_tag: [DFF<Bits<16>>; 4],
    c_ts: [DFF<Bits<40>>; 4],
    c_epoch: [DFF<Bits<2>>; 4],
    timing: Signal<Local, Timing>,
    place: Signal<Local, Place>,
    started: Signal<Local, Place>,
    started_flow: Signal<Local, Bits<14>>,
    start: Signal<Local, Start>,
    restored: Signal<Local, Timing>,
}

impl<const F: usize> RoundTrips<F> {
    /// The block with its constants.
    ///
    /// # Panics
    /// When `F` is not 4 to 14.
    pub fn new() -> Self {
        assert!((4..=MOST_FLOW_BITS as usize).contains(&F), "2^{F} queue pairs; there are 2^4 to 2^{MOST_FLOW_BITS}");
        Self { requests: Requests::new(), answers: Answers::new(), tags: SentUnit::new(), depart: DepartUnit::new(), ..Default::default() }
    }
}

impl<const F: usize> Logic for RoundTrips<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready);
        for i in 0..4 {
            self.c_valid[i].clock.next = self.clk.val();
            self.c_tag[i].clock.next = self.clk.val();
            self.c_ts[i].clock.next = self.clk.val();
            self.c_epoch[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.c_valid[i + 1].d.next = self.c_valid[i].q.val();
            self.c_tag[i + 1].d.next = self.c_tag[i].q.val();
            self.c_ts[i + 1].d.next = self.c_ts[i].q.val();
            self.c_epoch[i + 1].d.next = self.c_epoch[i].q.val();
        }
        self.sweep.next = !self.ready.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<F>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        self.requests.clk.next = self.clk.val();
        self.answers.clk.next = self.clk.val();
        self.tags.clk.next = self.clk.val();
        self.depart.clk.next = self.clk.val();
        self.requests.rst.next = self.rst.val();
        self.answers.rst.next = self.rst.val();
        self.tags.rst.next = self.rst.val();
        self.depart.rst.next = self.rst.val();
        self.requests.sweep.next = self.sweep.val();
        self.answers.sweep.next = self.sweep.val();
        self.tags.sweep.next = self.sweep.val();
        self.depart.sweep.next = self.sweep.val();
        self.requests.sweep_flow.next = self.sweep_at.q.val();
        self.answers.sweep_flow.next = self.sweep_at.q.val();
        self.tags.sweep_flow.next = self.sweep_at.q.val();
        self.tags.sweep_profile.next = self.sweep_at.q.val().get_bits::<4>(0);

        self.options.next = self.fl.record.val().get_bits::<11>(0).into();
        self.forgets.next = (self.fl.valid.val() & !(self.options.val().enable & self.options.val().keep)) & !self.sweep.val();
        PairFrameIn::<F>::link(&mut self.sent, &mut self.requests.sent);
        self.requests.forget.next = self.forgets.val();
        self.requests.forget_flow.next = self.fl.flow.val();
        self.requests.mtu.next = self.cfg_mtu.val();
        self.requests.now.next = self.now.val().get_bits::<27>(21);
        self.requests.done_writes.next = self.answers.writes.val();
        self.requests.done_flow.next = self.answers.write_flow.val();
        self.requests.done_word.next = self.answers.write_word.val();

        // The tag's entry: its place has flow and timing.
        self.timing.next = self.requests.o_timing.val().into();
        self.place.next.flow = bit_cast::<14, F>(self.requests.o_flow.val());
        self.place.next.timing_high = self.timing.val().high;
        self.tags.sent_valid.next = self.requests.o_valid.val();
        self.tags.sent_tag.next = self.requests.o_tag.val();
        self.tags.sent_flow.next = self.requests.o_flow.val();
        self.tags.sent_segment.next = bits::<32>(0);
        self.tags.sent_place.next = self.place.val().into();
        self.tags.sent_generation.next = self.timing.val().low;
        self.tags.sent_first.next = self.requests.o_times.val();
        self.tags.sent_last.next = self.requests.o_times.val();
        self.tags.sent_wire_bytes.next = self.requests.o_wire_bytes.val();
        self.tags.sent_launch.next = self.requests.o_launch.val();
        self.tags.ns_per_byte.next = self.cfg_ns_per_byte.val();
        self.tags.flow_valid.next = self.fl.valid.val();
        self.tags.flow_index.next = self.fl.flow.val();
        self.tags.flow_profile.next = self.options.val().profile;
        // Profile word 0: bits 9..8 start of the RTT.
        self.tags.start_valid.next = self.pw.valid.val() & (self.pw.word.val() == bits::<5>(0));
        self.tags.start_profile.next = self.pw.profile.val();
        self.tags.start.next = self.pw.data.val().get_bits::<2>(8);
        self.c_valid[0].d.next = self.c.valid.val() & !self.sweep.val();
        self.c_tag[0].d.next = self.c.tag.val();
        self.c_ts[0].d.next = self.c.ts.val().get_bits::<40>(8);
        self.c_epoch[0].d.next = self.departed_epoch.val();
        self.depart.c_valid.next = self.c_valid[3].q.val();
        self.depart.c_tag.next = self.c_tag[3].q.val();
        self.depart.c_ts.next = self.c_ts[3].q.val();
        self.depart.time_epoch.next = self.c_epoch[3].q.val();
        self.depart.tag_valid.next = self.tags.tag_valid.val();
        self.depart.tag.next = self.tags.tag.val();

        PairAnswerIn::<F>::link(&mut self.answer, &mut self.answers.answer);
        self.started.next = self.depart.o_place.val().into();
        self.started_flow.next = self.started.val().flow;
        self.start.next = self.depart.o_start.val();
        self.restored.next.low = self.start.val().generation;
        self.restored.next.high = self.started.val().timing_high;
        // A frame is first and last of what is timed, or gives nothing.
        self.answers.start_valid.next = self.depart.o_valid.val() & (self.depart.o_gives.val() == Gives::Own);
        self.answers.start_flow.next = self.started_flow.val().get_bits::<F>(0);
        self.answers.start.next.at = self.start.val().at;
        self.answers.start.next.epoch = self.start.val().epoch;
        self.answers.start.next.timing = self.restored.val().into();
        self.answers.start.next.valid = self.start.val().valid;
        self.answers.sent_writes.next = self.requests.writes.val();
        self.answers.sent_flow.next = self.requests.write_flow.val();
        self.answers.sent_word.next = self.requests.write_word.val();
        self.answers.flow_valid.next = self.fl.valid.val();
        self.answers.flow_index.next = self.fl.flow.val();
        self.answers.flow_settings.next.profile = self.options.val().profile;
        self.answers.flow_settings.next.enable = self.options.val().enable;
        self.answers.forget.next = self.forgets.val();
        self.answers.joined_valid.next = self.joined.valid.val() & !self.sweep.val();
        self.answers.joined_flow.next = self.joined.flow.val();
        ProfileWriteIn::link(&mut self.pw, &mut self.answers.pw);
        self.answers.now.next = self.now.val();
        self.answers.time_epoch.next = self.time_epoch.val();
        SampleOut::<F>::link(&mut self.sample, &mut self.answers.sample);
        self.pulses.next = bit_cast::<9, 1>(self.requests.repeated.val().into())
            | (bit_cast::<9, 1>(self.requests.restarted.val().into()) << 1)
            | (bit_cast::<9, 1>(self.answers.unstamped.val().into()) << 2)
            | (bit_cast::<9, 1>(self.answers.across.val().into()) << 3)
            | (bit_cast::<9, 1>(self.answers.unsure.val().into()) << 4)
            | (bit_cast::<9, 1>(self.answers.nak.val().into()) << 5)
            | (bit_cast::<9, 1>(self.answers.not_ready.val().into()) << 6)
            | (bit_cast::<9, 1>(self.answers.stray.val().into()) << 7)
            | (bit_cast::<9, 1>(self.answers.timed_out.val().into()) << 8);
        if self.rst.val() {
            self.sweep_at.d.next = bits::<F>(0);
            self.ready.d.next = false;
            for i in 0..4 {
                self.c_valid[i].d.next = false;
            }
        }
    }
}
