//! Time-outs across steps of the time, of a flow that was disabled, and of one whose numbers went
//! back; an ACK that is repeated very late.
use timely_model::bus::{ACK_ACCEPTED, ACK_REPEATED, Ack, KIND_TIMEOUT, ProfileWrite, Sent};
use timely_model::{Block, rtt};
use timely_regs::counters::Counter;
use timely_regs::profile;

use crate::world::load;

const CLOCK_NS: u64 = 4;
const TIMEOUT_NS: u32 = 20_000;
/// Clocks from one turn of a flow to the next, with 2^3 flows, and as many for what is on its way.
const TURN: u64 = 2 * 64;

/// Clocks from a step of the time by `step_ns`, half a time-out after a segment, to the segment's
/// time-out.
fn waits(step_ns: u64) -> u64 {
    let mut block = rtt::Rtt::new(3, 5);
    let mut words = [0; profile::WORDS];
    profile::TIMEOUT_NS.set(&mut words, TIMEOUT_NS).unwrap();
    let sent = 200;
    let stepped = sent + u64::from(TIMEOUT_NS) / CLOCK_NS / 2;
    for clk in 0..stepped + 2 * u64::from(TIMEOUT_NS) / CLOCK_NS {
        let mut i = rtt::In { now: (clk * CLOCK_NS + if clk >= stepped { step_ns } else { 0 }) << 16, ..rtt::In::default() };
        match clk {
            100 => i.profile = Some(ProfileWrite { profile: 0, word: 2, data: words[2] }),
            110 => i.flow = Some(load(1, true, false, 0)),
            _ if clk == sent => i.sent = Some(Sent { flow: 1, first: true, last: true, segment_bytes: 84, ..Sent::default() }),
            _ => {}
        }
        block.step(clk, &i);
        if let Some(s) = block.output(clk + 1).sample {
            assert_eq!((s.kind, s.flow), (KIND_TIMEOUT, 1));
            return clk.saturating_sub(stepped);
        }
    }
    panic!("no time-out within two of them, after a step by {step_ns} ns");
}

/// A segment that is never answered waits for its time-out at most, by however much the time steps
/// forward meanwhile.
#[test]
fn a_step_of_the_time_holds_up_no_time_out() {
    let rest = u64::from(TIMEOUT_NS) / CLOCK_NS / 2;
    let unmoved = waits(0);
    assert!((rest..rest + TURN).contains(&unmoved), "{unmoved} clocks");
    for bits in 13..40 {
        for step in [(1 << bits) - 5_000, 1 << bits, (1 << bits) + 1234, 3 << (bits - 1)] {
            let waited = waits(step);
            assert!(waited <= 2 * rest + TURN, "{waited} clocks after a step by {step} ns");
        }
    }
    for step in [TIMEOUT_NS.into(), 1 << 31, (1 << 31) + 5000, 3 << 30, (1 << 32) - 20_000] {
        let waited = waits(step);
        assert!(waited < TURN, "{waited} clocks after a step by {step} ns");
    }
}

/// A segment that was outstanding when its flow was disabled is forgotten, as it is by the pacer:
/// enabled again, with `keep` or without, the flow has no time-out of it and no ACK releases it.
#[test]
fn a_disabled_flow_has_nothing_outstanding() {
    for keep in [false, true] {
        let mut block = rtt::Rtt::new(3, 5);
        let mut words = [0; profile::WORDS];
        profile::TIMEOUT_NS.set(&mut words, TIMEOUT_NS).unwrap();
        let (mut samples, mut releases) = (0, 0);
        for clk in 0..4 * u64::from(TIMEOUT_NS) / CLOCK_NS {
            let mut i = rtt::In { now: (clk * CLOCK_NS) << 16, ..rtt::In::default() };
            match clk {
                100 => i.profile = Some(ProfileWrite { profile: 0, word: 2, data: words[2] }),
                110 => i.flow = Some(load(1, true, false, 0)),
                200 => i.sent = Some(Sent { flow: 1, first: true, last: true, segment_bytes: 84, ..Sent::default() }),
                300 => i.flow = Some(load(1, false, keep, 0)),
                400 => i.flow = Some(load(1, true, true, 0)),
                500 => i.ack = Some(Ack { flow: 1, ..Ack::default() }),
                _ => {}
            }
            block.step(clk, &i);
            let out = block.output(clk + 1);
            samples += u32::from(out.sample.is_some());
            releases += u32::from(out.release.is_some());
        }
        assert_eq!((samples, releases), (0, 0), "keep {keep}");
    }
}

/// A sender that began its numbers anew: the ACK of a segment of before must not spoil the count of
/// those that the next time-out gives up.
#[test]
fn numbers_that_go_back_count_right() {
    let mut block = rtt::Rtt::new(3, 5);
    let mut words = [0; profile::WORDS];
    profile::TIMEOUT_NS.set(&mut words, TIMEOUT_NS).unwrap();
    let sent = |place: u16, segment| Some(Sent { flow: 1, place, segment, first: true, last: true, segment_bytes: 84, ..Sent::default() });
    let ack = |place, segment| Some(Ack { flow: 1, place, segment, ..Ack::default() });
    let (mut released, mut given_up, mut skipped) = (0, 0, 0);
    for clk in 0..3 * u64::from(TIMEOUT_NS) / CLOCK_NS {
        let mut i = rtt::In { now: (clk * CLOCK_NS) << 16, ..rtt::In::default() };
        match clk {
            100 => i.profile = Some(ProfileWrite { profile: 0, word: 2, data: words[2] }),
            110 => i.flow = Some(load(1, true, false, 0)),
            200 => i.sent = sent(0, 10),
            220 => i.sent = sent(1, 11),
            240 => i.sent = sent(2, 5),
            300 => i.ack = ack(1, 11),
            320 => i.ack = ack(2, 5),
            // Before the flow's next turn.
            324 => i.sent = sent(3, 6),
            330 => i.sent = sent(4, 7),
            _ => {}
        }
        block.step(clk, &i);
        let out = block.output(clk + 1);
        released += out.release.map_or(0, |r| r.bytes);
        given_up += out.pulses >> Counter::SegmentTimeouts as u32 & 1;
        skipped += out.pulses >> Counter::AcksSkipped as u32 & 1;
    }
    assert_eq!((released, given_up), (5 * 84, 2), "bytes released, segments given up");
    // Number 11 is 6 beyond the first that is awaited, number 5.
    assert_eq!(skipped, 6);
}

/// An ACK that is sent again after 2 GiB and more of its flow, while its segment still has its
/// place, releases nothing and gives no sample.
#[test]
fn an_ack_repeated_late_is_one_that_was_heard() {
    const LONG: u32 = 1 << 29;
    let mut block = rtt::Rtt::new(3, 5);
    let sent =
        |n: u16| Some(Sent { flow: 1, place: n, segment: n.into(), first: true, last: true, segment_bytes: LONG, ..Sent::default() });
    let ack = |n: u16| Some(Ack { flow: 1, place: n, segment: n.into(), ..Ack::default() });
    let (mut released, mut outcomes) = (0u64, Vec::new());
    for clk in 0..2000 {
        let mut i = rtt::In { now: (clk * CLOCK_NS) << 16, ..rtt::In::default() };
        match clk {
            110 => i.flow = Some(load(1, true, false, 0)),
            // Seven segments, of which the last is not acknowledged; then the first one's ACK.
            200..900 if clk % 100 == 0 => i.sent = sent((clk / 100 - 2) as u16),
            200..800 if clk % 100 == 50 => i.ack = ack((clk / 100 - 2) as u16),
            1000 => i.ack = ack(0),
            1100 => i.ack = ack(6),
            _ => {}
        }
        block.step(clk, &i);
        let out = block.output(clk + 1);
        released += out.release.map_or(0, |r| u64::from(r.bytes));
        outcomes.extend(out.acked.map(|k| k.outcome));
    }
    let all = [&[ACK_ACCEPTED; 6][..], &[ACK_REPEATED, ACK_ACCEPTED]].concat();
    assert_eq!((released, outcomes), (7 * u64::from(LONG), all), "bytes released, outcomes");
}
