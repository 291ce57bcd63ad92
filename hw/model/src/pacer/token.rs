//! The arithmetic of a token pass: settle a flow's bucket, say when it may send, and how much. No
//! registers; see `timely_hw::pacer::pass` for the stages it is spread over.
//!
//! A token is 2^-12 Mb/s for 1 ns, so `rate * time` is exact; a byte is [`BYTE`] tokens.
use super::Timing;
use super::charge::{LARGEST_SHIFT, Paid, SETTLED_BITS};
use super::doorbell::{Post, Sleep};

/// Tokens of a byte are 125 << this.
pub const BYTE_SHIFT: u32 = 18;
/// Tokens of a byte.
pub const BYTE: i64 = 125 << BYTE_SHIFT;
/// Rates are clamped to this many bits (262 Gb/s).
pub const RATE_BITS: u32 = timely_regs::profile::PACED_BITS;
/// Times are modulo `2^TIME_BITS` ns, as `now` is: 78 hours.
pub const TIME_BITS: u32 = 48;
/// A bucket fills for no longer than `2^ELAPSED_BITS` ns at a pass; an idle flow's bucket loses the
/// rest.
pub const ELAPSED_BITS: u32 = 28;
/// Address bits of the reciprocal's table.
pub const TABLE_BITS: u32 = 8;
/// A train has at most `2^TRAIN_BITS` packets.
pub const TRAIN_BITS: u32 = 5;
/// Packets granted that have not left the gate, at most: the gate has places for twice as many.
pub const IN_FLIGHT: u32 = 64;
/// A flow with this many uncharged packets waits.
pub const UNCHARGED: u16 = 256;
/// Bits of the charged bytes that a pass keeps of the pass before: what is charged in between are
/// packets that were uncharged then.
pub const SEEN_BITS: u32 = 25;
/// Mask of them.
pub const SEEN_MASK: u32 = (1 << SEEN_BITS) - 1;
const _: () = assert!((UNCHARGED as u32 + (1 << TRAIN_BITS)) * (u16::MAX as u32) < 1 << SEEN_BITS, "a pass could miss charged bytes");
/// ns until the pass looks again at a flow that waits for an event without a wake-up.
pub const RECHECK: u64 = 1024;
/// The same where a grant waited at its pass, so that the line is not idle before.
pub const RECHECK_HELD: u64 = 128;
/// ns beyond the lead that a packet may be granted ahead of its time.
pub const WINDOW: u32 = 32;
/// ns beyond the lead that a train must cover, so that the flow's next pass is in time.
pub const COVER: u32 = 64;
/// Fraction bits of a flow's slack, ns.
pub const SLACK_FRACTION: u32 = 2;
/// Bits of a flow's slack, sign included.
pub const SLACK_BITS: u32 = 28;
/// Greatest gap between packets, 2^-8 ns (8.4 ms): longer ones are cut to it.
pub const GAP_MAX: u64 = (1 << 31) - 1;

const TIME_MASK: u64 = (1 << TIME_BITS) - 1;

/// The reciprocal's table: `2^19 / m` for m = 1 + i / 256, and the step to the next entry.
pub const TABLE: [(u32, u32); 1 << TABLE_BITS] = {
    let mut table = [(0, 0); 1 << TABLE_BITS];
    let mut i = 0;
    while i < table.len() {
        let (y, next) = ((1 << 27) / (256 + i as u32), (1 << 27) / (257 + i as u32));
        table[i] = (y, y - next);
        i += 1;
    }
    table
};

/// `(y, e)`: `1 / rate` is `y / 2^(17 + e)` or up to 2^-15 of it more, never less; y has 17 bits.
///
/// Biased low so that a flow is never woken late: its tokens say the exact time when it wakes.
pub fn reciprocal(rate: u32) -> (u32, u32) {
    let zeros = (rate | 1).leading_zeros() - (32 - RATE_BITS);
    let m = rate << zeros;
    let (y, step) = TABLE[(m >> 21) as usize & 0xff];
    // The chord of a convex function lies above it, by up to 2; its ends are rounded down.
    ((y - ((step * (m >> 5 & 0xffff)) >> 16) - 4) >> 2, RATE_BITS - 1 - zeros)
}

/// The pass's state of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Tokens when it was last settled; 51 bits.
    pub tokens: i64,
    /// When that was, ns.
    pub time: u64,
    /// The rate then.
    pub used: u32,
    /// Bytes charged then, the low [`SEEN_BITS`].
    pub seen: u32,
    /// Packets granted.
    pub granted: u16,
    /// Charged minus released bytes when its accounts were cleared.
    pub base: u32,
    /// The flow was not asleep since.
    pub awake: bool,
    /// The flow was granted a packet since its accounts were cleared.
    pub started: bool,
    /// The flow was charged a packet since then, so the size of its last one is known.
    pub measured: bool,
    /// By how much longer it has taken for its packets than 5/4 of the time that they last at its
    /// rate, 2^-2 ns; less than 0 while what it was granted last is not over. See [`slack`].
    pub slack: i64,
    /// Grants without a packet when it was last granted anything: those after it are still to be
    /// taken back.
    pub voids: u8,
    /// The flow has lately sent less than 80 % of its rate: it is limited by something else, and
    /// its rate is not to grow.
    pub limited: bool,
}

/// Everything a pass reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// The time when a train granted now would reach the gate, ns.
    pub time: u64,
    /// The state after the last pass.
    pub state: State,
    /// From the rate engine.
    pub rate: u32,
    /// From the doorbell unit.
    pub post: Post,
    /// From the charge unit.
    pub paid: Paid,
    /// A grant was offered at the clock before `time` was read, and not taken.
    pub held: bool,
    /// Bytes charged when a packet last ended its segment: no more of them can be acknowledged.
    pub ended: u32,
    /// Bytes of a packet while none was charged.
    pub size: u16,
    /// Outstanding bound, bytes; 0 none.
    pub bound: u32,
    /// Idle time after which a flow restarts, ns; 0 never.
    pub idle: u32,
    /// Token cap while backlogged, bytes.
    pub cap: u32,
    /// Slack from which a flow counts as limited, ns; 0 for never.
    pub window: u32,
}

/// The fate of a flow at its pass, but for what the gate and a pause allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Sleeps, with this state.
    Sleep(Sleep, State),
    /// Looked at again.
    Recheck {
        /// The flow's state.
        state: State,
        /// After so many ns; else after the longest sleep.
        after: Option<u64>,
    },
    /// May send, if its priority is not paused.
    Send {
        /// The settled state, nothing granted yet.
        state: State,
        /// 2^-8 ns from `time` to its next packet; negative when past due.
        tau: i64,
        /// 2^-8 ns between its packets.
        gap: u64,
        /// The flow's next packet is near enough to be granted now.
        due: bool,
        /// A train of `2^size` packets is enough, possible and allowed.
        size: u32,
        /// Packets posted and not granted.
        backlog: u16,
        /// Looked at again after so many ns at most, for grants are uncharged and `tau` may change
        /// before it is over; else after the longest sleep.
        within: Option<u64>,
    },
}

/// Sign-extends the low `bits` of `x`.
fn signed(x: i64, bits: u32) -> i64 {
    x << (64 - bits) >> (64 - bits)
}

/// The greatest k up to [`TRAIN_BITS`] with `2^k <= n`; n is at least 1.
pub fn train_bits(n: u32) -> u32 {
    n.ilog2().min(TRAIN_BITS)
}

/// A flow's slack and whether it is limited, `elapsed` ns after its last pass, before it is granted
/// anything.
///
/// A packet that is granted pays for 5/4 of its gap ([`spend`]), and time goes by: so the slack of
/// a flow that sends more than 80 % of its rate falls in the long run, and that of any other
/// grows. It is the window at most and, when a grant is paid, 0 at least; and the flow is limited
/// from when the slack reaches the window until it is used up again. A flow that was never granted
/// anything is not limited.
pub fn slack(s: &State, elapsed: u64, window: u32) -> (i64, bool) {
    if !s.started {
        return (0, false);
    }
    let most = i64::from(window) << SLACK_FRACTION;
    let sum = s.slack + ((elapsed.min((1 << ELAPSED_BITS) - 1) as i64) << SLACK_FRACTION);
    (sum.min(most), window != 0 && (sum >= most || (sum > 0 && s.limited)))
}

/// The slack of a flow that is granted a train of `2^size` packets with this gap between them, 2^-8
/// ns, and of whose grants before so many found no packet: these get back what they paid, by the
/// gap of now, 16.8 ms at most. A gap that was cut says little: such a flow never counts as
/// limited.
pub fn spend(slack: i64, gap: u64, size: u32, voids: u8) -> i64 {
    if gap == GAP_MAX {
        return -1 << (SLACK_BITS - 1);
    }
    let spent = ((gap + (gap >> 2)) << size) >> (8 - SLACK_FRACTION);
    let back = ((gap * 5 * u64::from(voids)) >> (10 - SLACK_FRACTION)).min((1 << (SLACK_BITS - 2)) - 1);
    signed(slack.max(0) + back as i64 - spent as i64, SLACK_BITS)
}

/// A pass: what it finds, and whether the flow starts to send after its idle time.
pub fn plan(v: &View, timing: Timing) -> (Plan, bool) {
    let s = &v.state;
    let uncharged = s.granted.wrapping_sub(v.paid.settled) & ((1 << SETTLED_BITS) - 1);
    let outstanding = v.paid.bytes.wrapping_sub(v.post.released);
    if v.post.drop {
        if uncharged != 0 {
            return (Plan::Recheck { state: *s, after: Some(RECHECK) }, false);
        }
        let state = State {
            tokens: 0,
            time: v.time,
            used: v.rate,
            seen: v.paid.bytes & SEEN_MASK,
            granted: s.granted,
            base: outstanding,
            awake: false,
            started: false,
            measured: false,
            slack: 0,
            voids: v.paid.voids,
            limited: false,
        };
        return (Plan::Sleep(Sleep::Cleared, state), false);
    }
    let backlog = v.post.posted.wrapping_sub(s.granted);
    if backlog == 0 {
        return (Plan::Sleep(Sleep::Empty, *s), false);
    }

    // The bucket. The lower of the two rates: a decrease counts from the last pass on, an increase
    // from this one.
    let sent = v.paid.bytes.wrapping_sub(s.seen) & SEEN_MASK;
    let elapsed = v.time.wrapping_sub(s.time) & TIME_MASK;
    let filled = u64::from(v.rate.min(s.used)) * elapsed.min((1 << ELAPSED_BITS) - 1);
    let cap = if s.awake { i64::from(v.cap) * BYTE } else { 0 };
    let tokens = cap.min(signed(s.tokens - i64::from(sent) * BYTE, 52) + filled as i64);
    let measured = s.measured || sent != 0;
    // Outstanding bytes are never negative when all is charged: where they seem so, packets of
    // before a load were released after it, or a segment that does not end has 2^31 bytes. Then the
    // base goes on by just these: what is waited for keeps its low bits, however often that
    // happens. A release may come before its charge.
    let excess = outstanding.wrapping_sub(s.base).cast_signed();
    let waiting = v.ended.wrapping_sub(v.post.released).wrapping_sub(s.base);
    let base = match (uncharged, excess.cast_unsigned() >> 30, waiting >> 30) {
        (0, 2, 0 | 1 | 3) => s.base ^ 1 << 31,
        (0, 2 | 3, _) => outstanding,
        _ => s.base,
    };
    let (slack, limited) = slack(s, elapsed, v.window);
    let settled = State {
        tokens: signed(tokens, 51),
        time: v.time,
        used: v.rate,
        seen: v.paid.bytes & SEEN_MASK,
        base,
        awake: true,
        measured,
        slack,
        limited,
        ..*s
    };
    let idle = !s.awake && s.started && v.idle != 0 && elapsed >= u64::from(v.idle);

    // Packets granted and not charged yet cost what the last packet cost, for now. While a grant
    // waits there may be many of them: they cost what the largest of the last packets cost, and
    // the flow is looked at again before the line is idle for it.
    let size = u32::from(if measured { v.paid.last } else { v.size });
    let held = v.held && uncharged != 0;
    let foreseen = if held && measured { size.max(u32::from(v.paid.largest) << LARGEST_SHIFT) } else { size };
    let within = (uncharged != 0).then_some(if held { RECHECK_HELD } else { RECHECK });
    let uncharged_bytes = u32::from(uncharged) * foreseen;
    let outstanding = excess.max(0) as u32 + uncharged_bytes;
    // Bytes of a segment that has not ended are acknowledged only when the flow goes on: where
    // nothing else is outstanding it may. More than a bound holds is none that is waited for.
    let alone = uncharged == 0 && (waiting == 0 || waiting >> 30 != 0);
    let fits = |k: &u32| v.bound == 0 || ((outstanding == 0 || alone) && *k == 0) || outstanding + (foreseen << k) <= v.bound;
    let Some(bound_bits) = (0..=TRAIN_BITS).rev().find(fits) else {
        if uncharged != 0 {
            return (Plan::Recheck { state: settled, after: within }, idle);
        }
        // A flow that was asleep goes on sleeping: nothing has happened to it.
        return (Plan::Sleep(Sleep::Bounded, if s.awake { State { awake: false, ..settled } } else { *s }), false);
    };
    if v.rate == 0 || uncharged >= UNCHARGED {
        return (Plan::Recheck { state: settled, after: (uncharged != 0).then_some(RECHECK) }, idle);
    }

    let (y, e) = reciprocal(v.rate);
    let deficit = signed(i64::from(uncharged_bytes) * BYTE - tokens, 52);
    let tau = ((i128::from(deficit) * i128::from(y)) >> (e + 9)).clamp(-(1 << 31), (1 << 31) - 1) as i64;
    let halves = (u64::from(size) * 125 * u64::from(y)) << 10 >> e;
    let gap = halves.div_ceil(2).min(GAP_MAX);
    let cover = i64::from((timing.lead + COVER) << 8) - tau.max(0);
    let enough = (0..TRAIN_BITS).find(|k| (gap << k) as i64 >= cover).unwrap_or(TRAIN_BITS);
    let size = enough.min(bound_bits).min(train_bits(backlog.into()));
    (Plan::Send { state: settled, tau, gap, due: tau <= i64::from((timing.lead + WINDOW) << 8), size, backlog, within }, idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every entry of the table, its ends and its middle, at several exponents.
    #[test]
    fn the_reciprocal_is_low_by_a_little() {
        for exponent in [0, 3, 12, 24, 29] {
            for step in 0..1 << 12 {
                let rate = (((1u64 << 12) + step) << exponent >> 12) as u32;
                let (y, e) = reciprocal(rate.max(1));
                let exact = f64::from(1 << 17) * 2f64.powi(e as i32) / f64::from(rate.max(1));
                let low = 1.0 - f64::from(y) / exact;
                assert!(y < 1 << 17, "{rate}: {y}");
                assert!((0.0..1.0 / 32768.0).contains(&low), "{rate}: low by {low}");
            }
        }
    }

    /// A flow of 1 Mb/s that owes 538 bytes, across the wrap of the clock.
    #[test]
    fn a_bucket_is_settled_exactly() {
        let state = State { tokens: -538 * BYTE, time: (1 << 48) - 1000, used: 1 << 12, awake: true, ..State::default() };
        let view = View {
            state,
            time: 11000,
            rate: 1 << 12,
            post: Post { posted: 1, ..Post::default() },
            size: 1538,
            cap: 16384,
            ..View::default()
        };
        let (Plan::Send { state, tau, due, .. }, false) = plan(&view, Timing::default()) else { panic!("it has a packet to send") };
        assert_eq!(state.tokens, -538 * BYTE + (12_000 << 12));
        let left = (538 * 8000 - 12_000) * 256;
        assert!(!due && tau <= left && left - tau < left >> 15, "{tau} of {left}");
    }

    /// Uncharged packets cost as the largest packet while a grant waits, else as the last one, or
    /// as the record says before any was charged; and when the flow is looked at again.
    #[test]
    fn uncharged_packets_cost_what_is_foreseen() {
        let paid = Paid { last: 84, largest: 3, ..Paid::default() };
        let state = State { granted: 2, measured: true, awake: true, ..State::default() };
        let (rate, post, cap) = (1000 << 12, Post { posted: 9, ..Post::default() }, 16_384);
        let view = View { state, paid, rate, post, size: 700, cap, ..View::default() };
        // At 1 Gb/s a byte takes 8 ns.
        let waits = |v: &View| match plan(v, Timing::default()).0 {
            Plan::Send { tau, within, .. } => ((tau as f64 / 2048.0).round(), within),
            other => panic!("{other:?}"),
        };
        assert_eq!(waits(&view), (168.0, Some(RECHECK)));
        assert_eq!(waits(&View { held: true, ..view }), (3072.0, Some(RECHECK_HELD)));
        let as_large = Paid { last: 1600, ..paid };
        assert_eq!(waits(&View { held: true, paid: as_large, ..view }), (3200.0, Some(RECHECK_HELD)));
        let unmeasured = State { measured: false, ..state };
        assert_eq!(waits(&View { held: true, state: unmeasured, ..view }), (1400.0, Some(RECHECK_HELD)));
        let all_charged = Paid { settled: 2, ..paid };
        assert_eq!(waits(&View { held: true, paid: all_charged, ..view }), (0.0, None));
        // A packet of the last one's size fits, and nothing else will wake the flow.
        let bound = View { held: true, paid: Paid { bytes: 1000, ..all_charged }, bound: 1100, ended: 1000, ..view };
        assert!(matches!(plan(&bound, Timing::default()).0, Plan::Send { size: 0, .. }));
    }

    /// A segment that does not end holds up no flow, however often it has sent 2^31 bytes: from the
    /// first on, or behind packets of before a load.
    #[test]
    fn a_segment_that_never_ends_goes_on() {
        let size = u16::MAX;
        for before in [0, 1, 5000, 1 << 29, 3 << 30] {
            let mut v = View { rate: (1 << RATE_BITS) - 1, bound: 1 << 20, size, cap: 1 << 19, ..View::default() };
            v.paid = Paid { bytes: before, last: size, ..Paid::default() };
            v.state.base = before;
            for turn in 0..40_000 {
                // All but the last of 2^31 bytes at once.
                v.paid.bytes = v.state.base.wrapping_add((1 << 31) - 1 - turn * 7919 % u32::from(size));
                v.state.seen = v.paid.bytes & SEEN_MASK;
                for _ in 0..4 {
                    v.time += 10_000;
                    v.post.posted = v.state.granted.wrapping_add(1);
                    let (Plan::Send { state, .. }, _) = plan(&v, Timing::default()) else { panic!("{before} bytes, turn {turn}: {v:?}") };
                    v.state = State { granted: state.granted.wrapping_add(1), ..state };
                    v.paid.settled = v.state.granted & ((1 << SETTLED_BITS) - 1);
                    v.paid.bytes = v.paid.bytes.wrapping_add(u32::from(size));
                }
            }
        }
    }

    /// Once all is released, neither what was outstanding at a load is waited for, nor the multiple
    /// of 2^31 bytes of a long segment.
    #[test]
    fn released_bytes_are_not_waited_for() {
        let size = 1538;
        for base in [1 << 20, 1 << 30, 3 << 29, (1 << 31) - 5, 1 << 31] {
            let paid = Paid { bytes: 0x1234_5678, last: size, ..Paid::default() };
            let mut v = View { rate: 1 << 20, bound: 1 << 14, size, cap: 1 << 14, paid, ended: paid.bytes, ..View::default() };
            (v.post, v.state.base) = (Post { posted: 1, released: paid.bytes, drop: false }, base);
            let (Plan::Send { state, .. }, _) = plan(&v, Timing::default()) else { panic!("{base} bytes") };
            assert_eq!(state.base, 0, "{base} bytes");
        }
    }

    /// A flow that is granted a packet whenever `share` of its rate allows, for some time.
    fn limited_at(share: f64, window: u32, gap_ns: f64, packets: u32) -> Vec<bool> {
        let mut s = State { started: true, ..State::default() };
        let gap = (gap_ns * 256.0) as u64;
        s.slack = spend(0, gap, 0, 0);
        let mut clock = 0.0;
        let step = |clock: &mut f64| {
            let before = *clock as u64;
            *clock += gap_ns / share;
            *clock as u64 - before
        };
        (0..packets)
            .map(|_| {
                let elapsed = step(&mut clock);
                (s.slack, s.limited) = slack(&s, elapsed, window);
                s.slack = spend(s.slack, gap, 0, 0);
                s.limited
            })
            .collect()
    }

    /// Grants that found no packet were no use: one packet of 32 grants a time counts as one, and
    /// what takes the refund away holds that flow free.
    #[test]
    fn grants_without_a_packet_are_no_use() {
        let (gap, gap_ns, window) = (1000 << 8, 1000, 100_000);
        let after = |voids: u8| {
            let mut s = State { started: true, ..State::default() };
            let mut limited = false;
            for _ in 0..100 {
                // 32 grants, a gap from each other, and at the first of the next 32 it is known how
                // many of them were empty.
                for i in 0..32 {
                    (s.slack, s.limited) = slack(&s, gap_ns, window);
                    s.slack = spend(s.slack, gap, 0, if i == 0 { voids } else { 0 });
                    limited |= s.limited;
                }
            }
            limited
        };
        assert_eq!([31, 16, 8, 4, 0].map(after), [true, true, true, false, false]);
        // Refunds do not run over.
        assert_eq!(spend(i64::from(window) << 2, GAP_MAX - 1, 0, 255), (i64::from(window) << 2) + (1 << 26) - 1 - 41_943_039);
    }

    /// A flow whose grants are charged late is looked at meanwhile: what it paid stays paid.
    #[test]
    fn looks_between_grants_forgive_nothing() {
        let mut s = State { started: true, ..State::default() };
        for _ in 0..100 {
            s.slack = spend(s.slack, 24_000 << 8, 0, 0);
            for _ in 0..24 {
                (s.slack, s.limited) = slack(&s, 1000, 20_000);
                assert!(!s.limited);
            }
        }
    }

    /// Above 80 % a flow is not limited, below it is, whatever its gap: also one that is longer
    /// than the window.
    #[test]
    fn a_flow_is_limited_below_four_fifths() {
        for gap_ns in [6.72, 123.0, 12_304.0, 3_000_000.0] {
            for window in [20_000, 1_000_000] {
                let packets = (40.0 * f64::from(window) / gap_ns).max(1000.0) as u32;
                for share in [0.84, 0.9, 1.0] {
                    assert!(limited_at(share, window, gap_ns, packets).iter().all(|l| !l), "{share} of a rate, gap {gap_ns} ns");
                }
                for share in [0.76, 0.5, 0.1, 0.001] {
                    let limited = limited_at(share, window, gap_ns, packets);
                    let first = limited.iter().position(|l| *l).unwrap_or_else(|| panic!("{share} of a rate, gap {gap_ns} ns"));
                    assert!(limited[first..].iter().all(|l| *l), "{share} of a rate, gap {gap_ns} ns");
                }
            }
        }
        assert!(limited_at(0.001, 0, 123.0, 1000).iter().all(|l| !l), "window 0");
        let far = GAP_MAX as f64 / 256.0;
        assert!(limited_at(0.3, 1000, far, 100).iter().all(|l| !l), "a gap that was cut");
    }
}
