//! A flow's CNPs, periods and stages: integer arithmetic of one look at a flow.
//!
//! Times are 24 bits of ns, modulo: of a silence the whole multiples of 16.8 ms do not count.
use crate::engine::law::action;
use timely_regs::profile as p;

/// Bits of a time, ns.
pub const TIME_BITS: u32 = 24;
/// Bits of a flow's bytes since the last stage or CNP.
pub const BYTES_BITS: u32 = 25;
/// Stages are counted up to this.
pub const STAGES_MAX: u8 = 15;

const TIME: u32 = (1 << TIME_BITS) - 1;
const BYTES: u32 = (1 << BYTES_BITS) - 1;

/// A profile's periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Periods {
    /// Least time between two CNPs, ns.
    pub cnp_ns: u32,
    /// Time without a CNP after which alpha decays, ns.
    pub alpha_ns: u32,
    /// Timer of a stage, ns.
    pub stage_ns: u32,
    /// Bytes of a stage.
    pub stage_bytes: u32,
    /// Stages of fast recovery.
    pub fast: u8,
}

impl Periods {
    /// The periods that a profile's words hold.
    pub fn of(words: &[u32; p::WORDS]) -> Self {
        Periods {
            cnp_ns: p::T_LOW.get(words),
            alpha_ns: p::T_HIGH.get(words),
            stage_ns: p::UPDATE_INTERVAL.get(words),
            stage_bytes: p::T_REF.get(words),
            fast: p::HYPERACTIVE_AFTER.get(words) as u8,
        }
    }
}

/// A flow's word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The times are valid.
    pub started: bool,
    /// A CNP came: alpha decays from the first one on.
    pub notified: bool,
    /// A CNP is to come, at `cnp_at`.
    pub pending: bool,
    /// A mark came when that CNP was due already, and is one for the CNP after it.
    pub another: bool,
    /// When the last CNP came, or the next will.
    pub cnp_at: u32,
    /// When the period of alpha under way began.
    pub alpha_at: u32,
    /// When the stage of the timer under way began.
    pub stage_at: u32,
    /// Bytes of the stage of the byte counter under way.
    pub bytes: u32,
    /// Ended stages of the timer since the last CNP.
    pub by_time: u8,
    /// Ended stages of the byte counter.
    pub by_bytes: u8,
}

/// Reason for a look at a flow; by default nothing new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// An ACK's mark.
    pub marked: bool,
    /// Bytes that the ACK released.
    pub bytes: u32,
    /// The flow timed out since it was looked at last.
    pub timed_out: bool,
    /// An ACK or a NAK told of a loss since then, and losses lower the flow's rate.
    pub lost: bool,
    /// As many flows as may wait to be looked at again.
    pub crowded: bool,
}

/// A look at a flow at `now`. Gives the word from then on, [`action`] bits: of what is owed the
/// earliest, 0 if nothing is; and whether a CNP came before what was owed.
///
/// A mark is a CNP at once, or at the end of the interval since the last one. All periods that
/// ended until a CNP that is due come before it, and it restarts them at its own time, whenever the
/// flow is looked at: so CNPs, decays and stages come in the order, and with the periods, of a
/// sender with timers. Bytes count when they are acknowledged.
///
/// Behind a time-out timers and counters begin anew, now, and nothing is owed of the silence. A CNP
/// that was due in it is taken back: the time-out has halved the rate, as much as a CNP ever does,
/// and made alpha 1, so that the rate would fall to a quarter for marks of before the time-out. A
/// CNP still to come stays, and `cnp_at` in any case: CNPs remain an interval apart, and a mark
/// behind the time-out counts as any other.
///
/// Behind a loss, which lowers rate and target as a time-out does, timers and counters begin anew
/// too: else stages of additive and hyper increase would go on where packets are lost. CNPs stay.
///
/// With `crowded` it is open when the flow is looked at again: a CNP that is due then goes first,
/// and what was owed of the time before it is dropped. Alpha is higher, and the rate lower, than
/// timers would have made them.
pub fn look(word: &Word, periods: &Periods, now: u32, heard: &Heard) -> (Word, u8, bool) {
    let Heard { marked, bytes, timed_out, lost, crowded } = *heard;
    let anew = timed_out || lost;
    let (now, from) = (now & TIME, |t: u32, at: u32| t.wrapping_sub(at) & TIME);
    let since = from(now, word.cnp_at);
    let within = word.started && since < periods.cnp_ns;
    let ahead = since + periods.cnp_ns > TIME;
    let arms = marked && !word.pending;
    let later = if within { (word.cnp_at + periods.cnp_ns) & TIME } else { now };
    let cnp_at = if arms { later } else { word.cnp_at };
    let due = if arms { !within } else { word.pending && !ahead };
    let at = if due && !anew { cnp_at } else { now };
    let sum = (word.bytes + bytes) & BYTES;
    let runs = word.started && !anew;
    let decays = runs && word.notified && from(at, word.alpha_at) >= periods.alpha_ns;
    let tick = runs && from(at, word.stage_at) >= periods.stage_ns;
    let tock = runs && !tick && sum >= periods.stage_bytes;
    let owed = decays || tick || tock;
    let cnp = due && (crowded || !owed);
    let count = |stages: u8, ended: bool| if ended { STAGES_MAX.min(stages + 1) } else { stages };
    let (by_time, by_bytes) = (count(word.by_time, tick), count(word.by_bytes, tock));
    let (low, high) = (by_time.min(by_bytes), by_time.max(by_bytes));
    let (hyper, steps) = (low > periods.fast, if low > periods.fast { low - periods.fast } else { u8::from(high > periods.fast) });
    let another = word.another && !timed_out || marked && word.pending && due;
    let restart = cnp || !runs;
    let next = Word {
        started: true,
        notified: word.notified || cnp,
        pending: if cnp { another } else { word.pending || marked },
        another: another && !cnp,
        cnp_at: if cnp && another { later } else { cnp_at },
        alpha_at: if restart { at } else { (word.alpha_at + if decays { periods.alpha_ns } else { 0 }) & TIME },
        stage_at: if restart { at } else { (word.stage_at + if tick { periods.stage_ns } else { 0 }) & TIME },
        bytes: if restart { 0 } else { sum.wrapping_sub(if tock { periods.stage_bytes } else { 0 }) & BYTES },
        by_time: if restart { 0 } else { by_time },
        by_bytes: if restart { 0 } else { by_bytes },
    };
    let taken_back = timed_out && word.pending;
    let mut bits = if cnp && !taken_back { action::CNP } else { 0 };
    if !cnp {
        bits |= if decays { action::DECAY } else { 0 };
        if tick || tock {
            bits |= action::INCREASE | if hyper { action::HYPER } else { 0 } | steps << action::STEPS;
        }
    }
    (next, bits, cnp && owed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: Periods = Periods { cnp_ns: 50_000, alpha_ns: 55_000, stage_ns: 55_000, stage_bytes: 10_000_000, fast: 5 };
    const BOTH: u8 = action::DECAY | action::INCREASE;

    // All that is owed at a time.
    fn all(word: &mut Word, periods: &Periods, now: u32, marked: bool, bytes: u32) -> Vec<u8> {
        heard(word, periods, now, Heard { marked, bytes, ..Heard::default() })
    }

    fn heard(word: &mut Word, periods: &Periods, now: u32, mut heard: Heard) -> Vec<u8> {
        let mut done = Vec::new();
        loop {
            let (next, bits, _) = look(word, periods, now, &heard);
            (*word, heard) = (next, Heard::default());
            if bits == 0 {
                return done;
            }
            done.push(bits);
        }
    }

    /// A mark in the interval after a CNP is one at its end, with the periods from there, however
    /// late the flow is looked at.
    #[test]
    fn a_late_look_gives_what_timers_give() {
        let mut w = Word::default();
        assert_eq!(all(&mut w, &P, 1000, true, 0), [action::CNP]);
        assert_eq!(all(&mut w, &P, 20_000, true, 0), []);
        assert_eq!((w.pending, w.cnp_at), (true, 51_000));
        // The CNP was at 51 us; by 170 us two periods after it have ended.
        assert_eq!(all(&mut w, &P, 170_000, false, 0), [action::CNP, BOTH, BOTH]);
        assert_eq!((w.alpha_at, w.stage_at, w.cnp_at), (161_000, 161_000, 51_000));
        // Far beyond the interval a mark is a CNP at once, after what is owed.
        assert_eq!(all(&mut w, &P, 217_000, true, 0), [BOTH, action::CNP]);
        assert_eq!((w.cnp_at, w.by_time), (217_000, 0));
    }

    /// Before its first CNP a flow's alpha is 1, however long it sends: that CNP halves the rate
    /// (Mellanox' `initial_alpha_value` is the value at a flow's first CNP; so is ns-3's).
    #[test]
    fn alpha_decays_from_the_first_cnp_on() {
        let mut w = Word::default();
        let sent: Vec<u8> = (0..2000).flat_map(|k| all(&mut w, &P, 50_000 * k, false, 9000)).collect();
        assert!(sent.iter().all(|bits| bits & action::DECAY == 0 && bits & action::INCREASE != 0), "{sent:?}");
        assert_eq!(all(&mut w, &P, 50_000 * 2000, true, 0).last(), Some(&action::CNP));
        assert_eq!(all(&mut w, &P, 50_000 * 2000 + 55_000, false, 0), [BOTH]);
    }

    /// Five stages, then steps, then hyper steps that grow.
    #[test]
    fn stages() {
        let mut w = Word::default();
        all(&mut w, &P, 0, true, 0);
        let of_time: Vec<u8> = (1..=7).flat_map(|k| all(&mut w, &P, 55_000 * k, false, 0)).collect();
        assert_eq!(of_time, [BOTH, BOTH, BOTH, BOTH, BOTH, BOTH | 1 << 4, BOTH | 1 << 4]);
        let of_bytes: Vec<u8> = (1..=7).flat_map(|_| all(&mut w, &P, 385_001, false, 10_000_000)).collect();
        let (step, hyper) = (action::INCREASE | 1 << 4, action::INCREASE | action::HYPER);
        assert_eq!(of_bytes, [step, step, step, step, step, hyper | 1 << 4, hyper | 2 << 4]);
        let (next, ..) = look(&w, &P, 385_001, &Heard { marked: true, bytes: 5, ..Heard::default() });
        assert_eq!((next.bytes, next.by_bytes, next.by_time), (0, 0, 0));
    }

    /// 41 ms without an ACK owe 135 stages, modulo 16.8 ms; with a time-out in them they owe none,
    /// and stages end a timer apart from the ACK on.
    #[test]
    fn a_time_out_ends_what_is_owed() {
        let mut w = Word::default();
        all(&mut w, &P, 0, true, 0);
        all(&mut w, &P, 60_000, false, 9_999_999);
        assert_eq!((w.by_time, w.bytes), (1, 9_999_999));
        let now = 41_000_000;
        assert_eq!(all(&mut w.clone(), &P, now, false, 1).len(), 135);
        let ack = Heard { bytes: 1500, timed_out: true, ..Heard::default() };
        assert_eq!(heard(&mut w, &P, now, ack), []);
        assert_eq!((w.by_time, w.by_bytes, w.bytes), (0, 0, 0));
        assert_eq!(all(&mut w, &P, now + 54_999, false, 9_999_999), []);
        assert_eq!(all(&mut w, &P, now + 55_000, false, 0), [BOTH]);
    }

    /// Behind a loss stages begin anew, and what was owed before is not; CNPs come when they are
    /// due, and alpha's decays go on.
    #[test]
    fn a_loss_ends_what_is_owed_but_cnps() {
        let lost = |marked| Heard { marked, lost: true, ..Heard::default() };
        let mut w = Word::default();
        all(&mut w, &P, 0, true, 0);
        for k in 1..=7 {
            all(&mut w, &P, 55_000 * k, false, 10_000_000);
        }
        assert_eq!((w.by_time, w.by_bytes), (7, 7));
        assert_eq!(heard(&mut w.clone(), &P, 440_000, lost(false)), []);
        assert_eq!(heard(&mut w, &P, 440_000, lost(true)), [action::CNP]);
        assert_eq!((w.by_time, w.by_bytes, w.alpha_at, w.stage_at, w.cnp_at), (0, 0, 440_000, 440_000, 440_000));
        assert_eq!(all(&mut w, &P, 460_000, true, 0), []);
        assert_eq!(heard(&mut w.clone(), &P, 489_999, lost(false)), []);
        assert_eq!(heard(&mut w, &P, 491_000, lost(false)), [action::CNP]);
        assert_eq!((w.stage_at, w.cnp_at, w.pending), (491_000, 490_000, false));
        assert_eq!(all(&mut w, &P, 546_000, false, 0), [BOTH]);
    }

    /// Of CNPs that wait at a time-out the one that was due is taken back, and the one to come
    /// comes at its time. A mark behind the time-out is a CNP, an interval after the last one.
    #[test]
    fn a_cnp_that_waits_at_a_time_out() {
        let mut w = Word::default();
        all(&mut w, &P, 1000, true, 0);
        all(&mut w, &P, 20_000, true, 0);
        assert_eq!((w.pending, w.cnp_at), (true, 51_000));
        let ack = |marked| Heard { marked, timed_out: true, ..Heard::default() };
        let mut to_come = w;
        assert_eq!(heard(&mut to_come, &P, 50_999, ack(true)), []);
        assert_eq!(all(&mut to_come, &P, 51_000, false, 0), [action::CNP]);
        let mut due = Word { another: true, ..w };
        assert_eq!(heard(&mut due, &P, 60_000, ack(false)), []);
        assert_eq!((due.pending, due.another, due.cnp_at), (false, false, 51_000));
        assert_eq!(all(&mut due, &P, 70_000, true, 0), []);
        assert_eq!(all(&mut due, &P, 101_000, false, 0), [action::CNP]);
        // The mark of the first ACK.
        let mut due = w;
        assert_eq!(heard(&mut due, &P, 60_000, ack(true)), []);
        assert_eq!((due.pending, due.cnp_at), (true, 101_000));
        let mut none = Word { pending: false, cnp_at: 1000, ..w };
        assert_eq!(heard(&mut none, &P, 51_000, ack(true)), [action::CNP]);
    }

    /// Where no room is to look again a CNP goes first, and what was owed before it is dropped; one
    /// that is not due drops nothing.
    #[test]
    fn a_cnp_goes_first_where_it_is_crowded() {
        let mut w = Word::default();
        all(&mut w, &P, 0, true, 0);
        let crowd = |marked| Heard { marked, crowded: true, ..Heard::default() };
        let (next, bits, dropped) = look(&w, &P, 600_000, &crowd(true));
        assert_eq!((bits, dropped), (action::CNP, true));
        assert_eq!((next.alpha_at, next.stage_at, next.by_time, next.pending), (600_000, 600_000, 0, false));
        let (_, bits, dropped) = look(&w, &P, 600_000, &crowd(false));
        assert_eq!((bits, dropped), (BOTH, false));
        let (_, bits, dropped) = look(&w, &P, 50_000, &crowd(true));
        assert_eq!((bits, dropped), (action::CNP, false));
        let (next, bits, dropped) = look(&w, &P, 49_999, &crowd(true));
        assert_eq!((next.pending, bits, dropped), (true, 0, false));
    }

    /// Times wrap; a flow that was silent for long owes what a remainder of it owes.
    #[test]
    fn times_wrap() {
        let mut w = Word::default();
        let start = (1 << TIME_BITS) - 20_000;
        assert_eq!(all(&mut w, &P, start, true, 0), [action::CNP]);
        assert_eq!(all(&mut w, &P, start + 30_000, true, 0), []);
        assert_eq!(all(&mut w, &P, start + 49_999, false, 0), []);
        assert_eq!(all(&mut w, &P, start + 50_000, false, 0), [action::CNP]);
        assert_eq!(all(&mut w, &P, start + 50_000 + (5 << TIME_BITS), true, 0), []);
        assert_eq!(all(&mut w, &P, start + 100_000, false, 0), [action::CNP]);
    }
}
