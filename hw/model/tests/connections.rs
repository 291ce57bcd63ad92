//! Connections at `timely_model::round_trips` that begin anew on the same number, that are joined
//! while they send, and whose responses take longer than a time-out.
use timely_model::Block;
use timely_model::bus::{Completion, FlowLoad, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite, RTT_MAX, Sample};
use timely_model::round_trips::{Answer, Frame, In, MOST_FLOW_BITS, Request, RoundTrips, Verb};
use timely_regs::profile;

const CLOCK_NS: u64 = 4;
const TIMEOUT_NS: u32 = 100_000;
/// ns from a departure to its answer.
const TRIP_NS: u64 = 8000;

/// Flow 0 alone, with a time-out.
struct Pair {
    block: RoundTrips,
    clock_ns: u64,
    clk: u64,
    samples: Vec<Sample>,
}

impl Pair {
    fn new() -> Self {
        Self::with(4, TIMEOUT_NS, CLOCK_NS)
    }

    /// One of `2^flow_bits` flows, with a time-out, or 0, and a clock of so many ns.
    fn with(flow_bits: u32, timeout_ns: u32, clock_ns: u64) -> Self {
        let mut pair = Pair { block: RoundTrips::new(flow_bits), clock_ns, clk: 0, samples: vec![] };
        while !pair.block.output(pair.clk).swept {
            pair.step(In::default());
        }
        let word = |word, data| Some(ProfileWrite { profile: 3, word, data });
        pair.step(In { profile: word(profile::TIMEOUT_NS.word, timeout_ns), ..In::default() });
        pair.step(In { profile: word(0, 1 << profile::RTT_START.low), ..In::default() });
        let mut record = FlowLoad::default().record;
        record[0] = 1 | 3 << 4;
        pair.step(In { flow: Some(FlowLoad { flow: 0, record }), ..In::default() });
        pair.wait(1000);
        pair
    }

    fn now(&self) -> u64 {
        (self.clk * self.clock_ns) << 16
    }

    fn step(&mut self, i: In) {
        self.samples.extend(self.block.output(self.clk).sample);
        self.block.step(self.clk, &In { now: self.now(), ..i });
        self.clk += 1;
    }

    fn wait(&mut self, ns: u64) {
        (0..ns / self.clock_ns).for_each(|_| self.step(In::default()));
    }

    /// A request that asks for an ACK leaves.
    fn send(&mut self, psn: u32) {
        self.leave(Request { flow: 0, psn, asks: true, bytes: 256, ..Request::default() });
    }

    /// A request for `bytes` leaves.
    fn read(&mut self, psn: u32, bytes: u32) {
        self.leave(Request { flow: 0, psn, read: true, asks: false, bytes });
    }

    fn leave(&mut self, request: Request) {
        let (tag, request) = (request.psn as u16, Some(request));
        self.step(In { sent: Some(Frame { tag, wire_bytes: 338, launch: self.now(), request }), ..In::default() });
        self.wait(5 * self.clock_ns);
        let ts = self.now();
        self.step(In { completion: Some(Completion { tag, ts }), ..In::default() });
    }

    fn answer(&mut self, verb: Verb, psn: u32) {
        let ts = self.now();
        self.step(In { answer: Some(Answer { flow: 0, verb, psn, bytes: 0, ts }), ..In::default() });
    }

    /// Requests of consecutive numbers, each answered a round trip later if `heard`.
    fn talk(&mut self, first: u32, requests: u32, heard: bool) {
        for psn in first..first + requests {
            self.send(psn);
            self.wait(TRIP_NS);
            if heard {
                self.answer(Verb::Ack, psn);
            }
            self.wait(50 * self.clock_ns);
        }
    }

    fn taken(&mut self) -> Vec<Sample> {
        self.wait(25 * self.clock_ns);
        std::mem::take(&mut self.samples)
    }
}

fn of_kind(samples: &[Sample], kind: u8) -> Vec<u32> {
    samples.iter().filter(|s| s.kind == kind).map(|s| s.rtt_ns).collect()
}

/// A NAK tells of a loss whether a packet is timed or not. One that was under way as its flow was
/// loaded is of another pair's packets, and lowers nothing.
#[test]
fn a_nak_of_before_a_load_tells_nothing() {
    let mut pair = Pair::new();
    pair.talk(100, 5, true);
    pair.answer(Verb::Nak, 104);
    assert_eq!(of_kind(&pair.taken(), KIND_NAK).len(), 1);
    let mut record = FlowLoad::default().record;
    record[0] = 1 | 3 << 4;
    pair.step(In { flow: Some(FlowLoad { flow: 0, record }), ..In::default() });
    pair.wait(1000);
    pair.answer(Verb::Nak, 104);
    assert_eq!(of_kind(&pair.taken(), KIND_NAK).len(), 0);
    pair.talk(105, 1, false);
    pair.answer(Verb::Nak, 105);
    assert_eq!(of_kind(&pair.taken(), KIND_NAK).len(), 1);
}

/// A connection ends, and its number begins another whose answers go to a local number that
/// nobody joined: their absence is no congestion. Once they are heard, it is.
#[test]
fn a_number_that_begins_anew_has_no_time_outs_until_it_is_answered() {
    let mut pair = Pair::new();
    pair.talk(100, 10, true);
    pair.taken();
    pair.talk(0x80_0000, 40, false);
    pair.wait(5 * u64::from(TIMEOUT_NS));
    let samples = pair.taken();
    assert_eq!(of_kind(&samples, KIND_TIMEOUT).len(), 0, "{samples:?}");
    pair.talk(0x80_0100, 10, true);
    let rtts = of_kind(&pair.taken(), KIND_RTT);
    assert!(rtts.len() >= 8 && rtts.iter().all(|ns| ns.abs_diff(TRIP_NS as u32) < 300), "{rtts:?}");
    pair.talk(0x80_0200, 1, false);
    pair.wait(5 * u64::from(TIMEOUT_NS));
    assert_eq!(of_kind(&pair.taken(), KIND_TIMEOUT).len(), 1);
}

/// Answers reach a pair from its join on. The packet that was timed before had its answer long ago:
/// the first that is heard says nothing of its round trip.
#[test]
fn a_pair_that_is_joined_while_it_sends_has_no_false_round_trip() {
    let mut pair = Pair::new();
    pair.talk(100, 5, false);
    pair.step(In { joined: Some(0), ..In::default() });
    pair.talk(105, 10, true);
    let rtts = of_kind(&pair.taken(), KIND_RTT);
    assert!(rtts.len() >= 8, "{rtts:?}");
    assert!(rtts.iter().all(|ns| ns.abs_diff(TRIP_NS as u32) < 300), "{rtts:?} ns, {TRIP_NS} are right");
}

/// A pair that is joined by another local number, which is wrong, hears nothing: that is no
/// congestion either.
#[test]
fn a_pair_that_is_joined_anew_has_no_time_outs_until_it_is_answered() {
    let mut pair = Pair::new();
    pair.talk(100, 5, true);
    pair.step(In { joined: Some(0), ..In::default() });
    pair.talk(105, 30, false);
    pair.wait(5 * u64::from(TIMEOUT_NS));
    assert_eq!(of_kind(&pair.taken(), KIND_TIMEOUT).len(), 0);
}

/// Two READs of 512 KB: the second one's first response comes behind the first one's last, far more
/// than a time-out after it was asked for. The wire is healthy while responses come, and that time
/// is none of the network's; when they end in the middle, the wire is dead.
#[test]
fn responses_that_come_are_no_time_out() {
    for dies in [false, true] {
        let mut pair = Pair::new();
        pair.talk(90, 3, true);
        pair.read(100, 1 << 19);
        pair.wait(TRIP_NS);
        pair.answer(Verb::Response, 100);
        pair.wait(200);
        pair.taken();
        pair.read(100 + 2048, 1 << 19);
        // 2,047 responses of 256 bytes, one a microsecond: 20 time-outs.
        for psn in 101..2148 {
            pair.wait(1000);
            pair.answer(Verb::Response, psn);
        }
        assert_eq!(pair.taken(), [], "no sample among the responses");
        if dies {
            pair.wait(10 * u64::from(TIMEOUT_NS));
            assert_eq!(of_kind(&pair.taken(), KIND_TIMEOUT).len(), 1);
        } else {
            pair.answer(Verb::Response, 2148);
            assert_eq!(pair.taken(), [], "the second READ waited for the first one");
            // What comes next is timed as ever.
            pair.wait(200);
            pair.talk(2148 + 2048, 3, true);
            let rtts = of_kind(&pair.taken(), KIND_RTT);
            assert!(rtts.len() >= 2 && rtts.iter().all(|ns| ns.abs_diff(TRIP_NS as u32) < 300), "{rtts:?}");
        }
    }
}

/// A READ of 2^27 bytes has more responses than a window has numbers: each is an answer, and none
/// of them tells of the READ's own round trip once the window has come to it.
#[test]
fn responses_beyond_a_window_are_no_time_out() {
    let mut pair = Pair::new();
    pair.talk(90, 3, true);
    pair.taken();
    pair.read(100, 1 << 27);
    for psn in 100..2100 {
        pair.wait(1000);
        pair.answer(Verb::Response, psn);
    }
    pair.answer(Verb::Response, 100 + (1 << 19) - 1);
    assert_eq!(pair.taken(), []);
}

/// An answer a microsecond behind the time-out, among others' responses, is late at whichever phase
/// of the flow's turns it comes; one before it is a sample.
#[test]
fn an_answer_behind_its_time_out_is_late_before_the_turn_too() {
    for (phase, waits_us) in (0..40).flat_map(|phase| [(phase, TIMEOUT_NS / 1000 - 10), (phase, TIMEOUT_NS / 1000 + 1)]) {
        let mut pair = Pair::with(MOST_FLOW_BITS, TIMEOUT_NS, CLOCK_NS);
        pair.talk(90, 3, true);
        // All phases of 2^16 clocks.
        pair.wait(phase * 6600);
        pair.read(100, 1 << 19);
        pair.wait(TRIP_NS);
        pair.answer(Verb::Response, 100);
        pair.wait(200);
        pair.taken();
        pair.read(100 + 2048, 256);
        for psn in 101..101 + waits_us {
            pair.wait(1000);
            pair.answer(Verb::Response, psn);
        }
        pair.answer(Verb::Response, 2148);
        let samples = pair.taken();
        assert_eq!(samples.len(), usize::from(waits_us < TIMEOUT_NS / 1000), "phase {phase}, {waits_us} us: {samples:?}");
    }
}

/// Without a time-out nothing ends a timing but its answer, and one that takes longer than can be
/// said, or than the clock goes round in, says the most: congestion never looks like no delay.
#[test]
fn without_a_time_out_the_longest_round_trip_is_said() {
    for ms in [16, 17, 22, 2150, 4300] {
        let mut pair = Pair::with(4, 0, 400);
        pair.talk(90, 3, true);
        pair.taken();
        pair.send(93);
        pair.wait(ms * 1_000_000);
        pair.answer(Verb::Ack, 93);
        let rtts = of_kind(&pair.taken(), KIND_RTT);
        let right = (ms as u32).saturating_mul(1_000_000).min(RTT_MAX);
        assert!(rtts.len() == 1 && rtts[0].abs_diff(right) < 4000, "{ms} ms: {rtts:?}");
    }
}

/// Without a time-out too the lateness is the timed packet's own: one that was lost and sent again
/// gives way to the next, whose answer is prompt. The first behind it may give no sample, and none
/// tells of the time in which the other was lost.
#[test]
fn a_retransmission_makes_no_false_round_trip() {
    for timeout_ns in [0, TIMEOUT_NS] {
        let mut pair = Pair::with(4, timeout_ns, 80);
        pair.talk(90, 3, true);
        pair.taken();
        pair.send(93);
        pair.wait(67_000_000);
        // go-back-N.
        pair.send(93);
        pair.talk(94, 8, true);
        let rtts = of_kind(&pair.taken(), KIND_RTT);
        assert!(rtts.len() >= 6 && rtts.iter().all(|ns| ns.abs_diff(TRIP_NS as u32) < 300), "{timeout_ns} ns: {rtts:?}");
    }
}
