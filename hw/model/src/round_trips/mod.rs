//! Round-trip times of RoCEv2's queue pairs (`timely_hw::roce::round_trips`): one timed packet a
//! flow, by the answers that any RDMA NIC sends.
//!
//! **The timed packet.** A request that asks for an ACK (AckReq), and every READ request, is timed
//! if no other packet of its flow is. The first answer that covers its PSN ends the timing: an ACK
//! or READ response of this PSN or a later one, as both are cumulative (InfiniBand specification,
//! volume 1, 9.7.5 and 9.7.7). A NAK, a receiver that is not ready, a time-out, a load and a join
//! end it without an RTT. A request of the four clocks behind such an answer still finds the
//! timing.
//!
//! **Karn's rule.** A sample is of a packet that was sent once. A flow keeps the newest PSN that
//! was sent; a request at or behind it is sent again, and gives no sample when it is timed. A
//! packet that is sent again at or before the timed one makes the timing unsure: its answer ends
//! it and is counted, if no new packet takes its place; the time-out goes on from the first of
//! them. The first request of a flow that was loaded is unsure too, for nothing tells how often it
//! was sent. A request [`WINDOW`] PSNs or more behind the newest, or more than as many ahead of it,
//! begins another connection on the same number, whose time-outs wait for its first answer; for one
//! that begins nearer, or has a lesser path MTU, a load is needed.
//!
//! **Loss.** A NAK tells the engine by a sample of kind [`KIND_NAK`], whether a packet is timed or
//! not, if a request was sent since the flow was loaded. Where many packets are lost no timing may
//! ever end by an ACK, and no time-out comes, as NAKs are answers: NAKs alone lower the rate then.
//! A receiver sends one for the first packet that it misses, and no other before that has come
//! (9.7.5.2.8): without reordering they are an RTT apart.
//!
//! **READs.** A READ request takes as many PSNs as its responses have packets, of the path MTU each
//! but the last. The MTU is at least what data and responses of the flow have shown by their
//! payload, and at least `mtu`, or 256 bytes. Until it has shown, requests behind a READ count as
//! sent again, and give no samples; so the first READ of a flow may cost its next ones' samples.
//!
//! **Time-out.** Flows are looked at in turn, within 2^16 clocks; when the timed packet was sent
//! its profile's time-out ago or longer, and no answer of the flow came for as long, the engine
//! gets a sample of kind [`KIND_TIMEOUT`]. A READ waits behind the responses of others, and behind
//! more PSNs than a window has, which are answers all the same: a timing that goes on for that has
//! lasted for longer than the network makes it, and gives no sample. With a time-out of 0 there is
//! none, and whatever took [`RTT_MAX`] or longer is a sample of that. Times are modulo 4.3 s: the
//! time-out of a flow that was silent for longer may be late by its length.
//!
//! **Joined.** Answers reach a pair from its join on; of a packet that left before, the answer may
//! have come before. So a join ends the timing, and time-outs wait for the next answer.
//!
//! **Start of the RTT**, stamps and steps of the time are as in [`crate::rtt`]; the signal is the
//! RTT whatever the profile asks for, as an RDMA NIC writes no stamps.
//!
//! [`KIND_NAK`]: crate::bus::KIND_NAK
//! [`KIND_TIMEOUT`]: crate::bus::KIND_TIMEOUT
//! [`RTT_MAX`]: crate::bus::RTT_MAX
mod answers;
mod sent;
mod words;

use crate::Block;
use crate::bus::{Completion, Sent as Departs};
use crate::rtt::departing::{Departures, OF_FRAMES, Sendings};
use crate::rtt::turn_bits;
use answers::{Answers, Given, Query, SINCE, Seen, UNIT};
use sent::Requests;
use std::collections::VecDeque;
use timely_regs::profile;
use words::Start;
pub use words::{Answer, Frame, In, MOST_FLOW_BITS, Out, PSN_BITS, Pulse, Request, TIMING_BITS, Verb, WINDOW};

/// Clocks by which completions wait for the decision on their frames.
pub const COMPLETION_WAITS: usize = 4;

/// Round-trip times of `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    flow_bits: u32,
    sweep_end: u64,
    requests: Requests,
    answers: Answers,
    starts: Vec<Start>,
    /// Profile and `enable` by flow.
    settings: Vec<(u8, bool)>,
    /// Start of the RTT and time-out by profile.
    rtt_starts: [u8; profile::PROFILES],
    timeouts: [u32; profile::PROFILES],
    sending: Sendings,
    departures: Departures,
    /// Completions and the step of the time in which they came.
    completions: VecDeque<(Option<Completion>, u8)>,
    /// The operation that enters at the next clock without an answer.
    offer: Option<(Query, u32)>,
    load: Option<u32>,
    /// A flow that was joined: it is offered at a clock without a load or an answer.
    joined: Option<u32>,
    /// Clocks that turns are late by.
    lag: u64,
    given: Given,
    sent_pulses: u16,
}

impl RoundTrips {
    /// A block as it is after power-up.
    ///
    /// # Panics
    /// When `flow_bits` is more than [`MOST_FLOW_BITS`].
    pub fn new(flow_bits: u32) -> Self {
        assert!(flow_bits <= MOST_FLOW_BITS, "2^{flow_bits} flows; there are at most 2^{MOST_FLOW_BITS}");
        let flows = 1 << flow_bits;
        RoundTrips {
            flow_bits,
            sweep_end: flows as u64,
            requests: Requests::new(flows),
            answers: Answers::new(flows),
            starts: vec![Start::default(); flows],
            settings: vec![(0, false); flows],
            rtt_starts: [0; profile::PROFILES],
            timeouts: [0; profile::PROFILES],
            sending: Sendings::new(),
            departures: Departures::new(OF_FRAMES),
            completions: VecDeque::from([(None, 0); COMPLETION_WAITS]),
            offer: None,
            load: None,
            joined: None,
            lag: 0,
            given: Given::default(),
            sent_pulses: 0,
        }
    }

    /// The flow whose turn begins at position `at` of the scan, if one does.
    fn turn(&self, at: u64) -> Option<u32> {
        let bits = turn_bits(self.flow_bits);
        let begins = at & ((1 << bits) - 1) == 0;
        begins.then_some((at >> bits) as u32 & ((1 << self.flow_bits) - 1))
    }

    /// The first clock from `clk` on at which the turn of a flow begins that has a timed packet.
    fn next_turn(&self, clk: u64) -> u64 {
        let (start, bits) = (self.sweep_end + self.lag, turn_bits(self.flow_bits));
        let round = 1 << (bits + self.flow_bits);
        let timed = |flow: &u32| self.requests.shown(*flow).timing != self.answers.shown(*flow).timing;
        let ahead = |flow: u32| ((u64::from(flow) << bits) + round - (clk - start) % round) % round;
        (0..1 << self.flow_bits).filter(timed).map(ahead).min().map_or(u64::MAX, |d| clk + d)
    }

    /// Sets the next clock's offered operation, if none is: a load before a turn.
    fn refill(&mut self, clk: u64) {
        let turn = self.turn(clk - self.sweep_end - self.lag);
        let free = self.offer.is_none();
        if free && let Some(flow) = self.load.take() {
            self.offer = Some((Query::Forget, flow));
        } else if free && let Some(flow) = turn {
            self.offer = Some((Query::Turn, flow));
            return;
        }
        // The turn waits, and so do all behind it.
        self.lag += u64::from(turn.is_some());
    }

    fn seen(&self, flow: u32) -> Seen {
        let (profile, enabled) = self.settings[flow as usize];
        Seen { sent: self.requests.shown(flow), start: self.starts[flow as usize], enabled, profile, last: self.answers.last(flow) }
    }

    /// A decided frame as the tag table takes it: its place has the flow, and high bits of its
    /// timing's number.
    fn departs(&self, frame: Frame, timing: Option<u8>) -> (Departs, u8) {
        let flow = frame.request.map_or(0, |r| r.flow);
        let number = timing.unwrap_or(0);
        let departs = Departs {
            tag: frame.tag,
            flow,
            first: timing.is_some(),
            last: timing.is_some(),
            wire_bytes: frame.wire_bytes,
            launch: frame.launch,
            place: flow as u16 | u16::from(number >> 2) << MOST_FLOW_BITS,
            generation: number & 3,
            ..Departs::default()
        };
        (departs, self.settings[flow as usize].0)
    }
}

impl Block for RoundTrips {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let Given { sample, pulses } = self.given;
        Out { swept: clk >= self.sweep_end, sample, pulses: pulses | self.sent_pulses }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = RoundTrips { sweep_end: clk + 1 + (1 << self.flow_bits), ..RoundTrips::new(self.flow_bits) };
            return;
        }
        if clk < self.sweep_end {
            return;
        }
        // Reads of this clock, before its writes.
        let query = i.answer.map(|a| (Query::Answer(a), a.flow)).or_else(|| self.offer.take());
        let query = query.map(|(q, flow)| (q, flow, self.seen(flow)));
        self.refill(clk);
        let entered = (i.now >> (16 + UNIT)) as u32 & SINCE;
        let answers = &self.answers;
        let (sent_pulses, decided) = self.requests.step(i.sent, |flow| answers.shown(flow), i.mtu, entered);
        self.sent_pulses = sent_pulses;
        self.given = self.answers.step(query, i.now, &self.timeouts, i.time_epoch);

        let (completion, epoch) = self.completions.pop_back().expect("completions wait");
        self.completions.push_front((i.completion, i.departed_epoch));
        let starts = &mut self.starts;
        self.departures.step(completion, epoch, |place, generation, stamp| {
            let flow = usize::from(place) & ((1 << MOST_FLOW_BITS) - 1);
            let timing = (place >> MOST_FLOW_BITS) as u8 * 4 + generation;
            starts[flow] = Start { timing, stamp };
        });
        let departs = decided.map(|(frame, timing)| self.departs(frame, timing));
        self.sending.step(departs, &self.rtt_starts, i.ns_per_byte, &mut self.departures);

        if let Some(w) = &i.profile {
            match w.word {
                0 => self.rtt_starts[usize::from(w.profile)] = (w.data >> profile::RTT_START.low & 3) as u8,
                2 => self.timeouts[usize::from(w.profile)] = w.data & profile::TIMEOUT_NS.mask(),
                _ => {}
            }
        }
        if let Some(l) = &i.flow {
            self.settings[l.flow as usize] = (l.profile(), l.enable());
        }
        if let Some(l) = i.flow.as_ref().filter(|l| !(l.enable() && l.keep())) {
            self.load = Some(l.flow);
            self.requests.forget(l.flow);
        } else if i.answer.is_none() && self.joined.is_some() {
            self.load = self.joined.take();
        }
        self.joined = i.joined.or(self.joined);
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let told = self.given.sample.is_some() || self.given.pulses != 0 || self.sent_pulses != 0;
        let waits = self.offer.is_some() || self.load.is_some() || self.joined.is_some() || self.completions.iter().any(|c| c.0.is_some());
        let busy = !self.requests.is_idle() || !self.answers.is_idle() || !self.sending.is_idle() || !self.departures.is_idle();
        if told || waits || busy { clk } else { self.next_turn(clk) }
    }
}
