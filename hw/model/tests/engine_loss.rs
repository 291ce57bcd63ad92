//! Losses that ACKs tell of lower a flow's rate by its profile's decrease, once in a round trip
//! however many there are; the expectation is that of TCP's multiplicative decrease (RFC 5681,
//! section 3.1: once a window, whatever the window lost), not of our own code.
use timely_model::Block;
use timely_model::bus::{FlowLoad, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite, Sample};
use timely_model::engine::state::State;
use timely_model::engine::{Engine, In, sweep_clocks};
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::profile::RATE_FRACTION;

const F: u32 = 10;
const START_MBPS: f64 = 8000.0;
const FLOW: u32 = 5;
/// Between Tlow and Thigh with no gradient TIMELY raises a rate: what falls falls by a loss.
const RTT_NS: u32 = 20_000;

struct Rig {
    engine: Engine,
    clk: u64,
    rate: f64,
}

impl Rig {
    fn new(parameters: &Parameters) -> Self {
        let mut rig = Rig { engine: Engine::new(F), clk: 0, rate: 0.0 };
        rig.step(In { rst: true, ..In::default() });
        (0..sweep_clocks(F)).for_each(|_| rig.step(In::default()));
        for (word, data) in (0..).zip(parameters.quantise().expect("a profile")) {
            rig.step(In { profile: Some(ProfileWrite { profile: 0, word, data }), ..In::default() });
        }
        let record = FlowRecord { enable: true, payload_bytes: 1024, ..FlowRecord::default() }.pack().expect("a record");
        rig.step(In { load: Some(FlowLoad { flow: FLOW, record }), ..In::default() });
        (0..200).for_each(|_| rig.step(In::default()));
        assert_eq!(rig.rate, START_MBPS, "what it starts with");
        rig
    }

    fn step(&mut self, i: In) {
        self.engine.step(self.clk, &i);
        self.clk += 1;
        if let Some(r) = self.engine.output(self.clk).rate.filter(|r| r.flow == FLOW) {
            self.rate = f64::from(r.value) / f64::from(1 << RATE_FRACTION);
        }
    }

    /// A sample at `now_ns`, and the rate behind it.
    fn sample(&mut self, now_ns: u32, lost: u8) -> f64 {
        let sample = Sample { kind: KIND_RTT, flow: FLOW, rtt_ns: RTT_NS, now_ns, hops: 1, endpoint_ns: 0, lost };
        self.step(In { sample: Some(sample), ..In::default() });
        (0..60).for_each(|_| self.step(In::default()));
        self.rate
    }
}

fn parameters(loss_decrease: f64) -> Parameters {
    // The least steps: the law itself leaves the rate as it is, nearly.
    Parameters { loss_decrease, initial_mbps: START_MBPS, additive_step_mbps: 1.0 / 4096.0, ..Parameters::timely_10g(8.0) }
}

#[test]
fn a_round_trip_of_losses_is_one_decrease() {
    for decrease in [0.5, 0.125] {
        let mut rig = Rig::new(&parameters(decrease));
        let mut expected = START_MBPS;
        // Sixteen samples a round trip, each with a loss, for six round trips.
        for n in 0..96 {
            let rate = rig.sample(1_000_000 + n * RTT_NS / 16, [1, 3, 64][n as usize % 3]);
            if n % 16 == 0 {
                expected *= 1.0 - decrease;
            }
            assert!((rate - expected).abs() <= expected * 1e-4, "sample {n}: {rate} Mb/s, not {expected}");
        }
    }
}

#[test]
fn without_losses_or_a_decrease_the_law_alone_counts() {
    for (decrease, lost) in [(0.5, 0), (0.0, 1)] {
        let mut rig = Rig::new(&parameters(decrease));
        for n in 0..32 {
            let rate = rig.sample(1_000_000 + n * RTT_NS / 4, lost);
            assert!((rate - START_MBPS).abs() < 1.0, "decrease {decrease}, {lost} lost: {rate} Mb/s");
        }
    }
}

/// NAKs of a round trip are one decrease too, by the last RTT that was measured, and leave the
/// history alone; under each law but PI, which needs a gain, and none under `fixed`. DCQCN's target
/// falls with the rate.
#[test]
fn naks_of_a_round_trip_are_one_decrease() {
    for law in [LawKind::Timely, LawKind::Patched, LawKind::Swift, LawKind::Dcqcn, LawKind::Fixed] {
        let mut rig = Rig::new(&Parameters { law, ..parameters(0.5) });
        let mut expected = rig.sample(1_000_000, 0);
        let before = rig.engine.state(FLOW).to_owned();
        for n in 0..64 {
            let nak = Sample { kind: KIND_NAK, flow: FLOW, now_ns: 2_000_000 + n * RTT_NS / 16, lost: 1, ..Sample::default() };
            rig.step(In { sample: Some(nak), ..In::default() });
            (0..60).for_each(|_| rig.step(In::default()));
            if n % 16 == 0 && law != LawKind::Fixed {
                expected /= 2.0;
            }
            assert!((rig.rate - expected).abs() <= expected * 1e-4, "{law:?}, NAK {n}: {} Mb/s, not {expected}", rig.rate);
        }
        let State { marked, mark, rate, .. } = *rig.engine.state(FLOW);
        if law == LawKind::Dcqcn {
            assert_eq!((marked, mark), (true, rate.into()));
        }
        let now = State { marked: before.marked, mark: before.mark, rate: before.rate, ..*rig.engine.state(FLOW) };
        assert_eq!(now, before, "{law:?}");
        assert!(law == LawKind::Dcqcn || (marked, mark) == (before.marked, before.mark), "{law:?}");
    }
}

/// A time-out has no ACK and tells of no loss: it halves the rate, whatever stands beside it.
#[test]
fn a_time_out_is_no_loss() {
    let mut rig = Rig::new(&parameters(0.125));
    let sample = Sample { kind: KIND_TIMEOUT, flow: FLOW, rtt_ns: (1 << 24) - 1, now_ns: 100_000_000, hops: 0, endpoint_ns: 0, lost: 1 };
    rig.step(In { sample: Some(sample), ..In::default() });
    (0..60).for_each(|_| rig.step(In::default()));
    assert!((rig.rate - START_MBPS * 0.5).abs() < START_MBPS * 1e-3, "{} Mb/s", rig.rate);
}
