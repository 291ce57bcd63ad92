//! The signal of an accepted ACK, from four stamps: two of our clock, two of the responder's.
//!
//! Stamps have 8 fraction bits here. `start` is where the RTT starts (`profile::RTT_START`), `end`
//! the ACK's arrival, both in our clock; `arrival` and `departure` are what the responder wrote
//! into the ACK, in its clock, of which nothing is known but that it counts ns.
//!
//! - **RTT** = end - start, rounded to ns.
//! - **Residence** = departure - arrival, cut to whole ns; 2^24 - 1 if it is that long or negative.
//! - **Signal 0**: the RTT. **Signal 1**: the RTT less the residence, cut after the rounding's half
//!   is added; 2^24 - 1 if the RTT is. A residence longer than the RTT is not believed (the
//!   responder's date stepped meanwhile, or it lies): the signal is the RTT, no law hears of the
//!   residence, and the ACK is counted, whatever the signal.
//! - **Signal 2**: the one-way delay is arrival - start, modulo 2^32 ns. It has an unknown offset,
//!   so it counts as its excess over the least of late, at least 0, plus the profile's base, at
//!   most 2^24 - 1 ns.
//!
//! **The least of late.** Time is cut into windows of `2^ONE_WAY_WINDOW_BITS` ns of our clock, by
//! the ACKs' arrival. A flow keeps the least of its newest window and the least of that and the
//! window before. An ACK in the same window is held against the latter; one in the next window
//! against the former, since the window before is then too old; one in any other window has nothing
//! to be held against, and no excess. So what an ACK is held against is less than two windows old,
//! and clocks that drift apart by `r` bias the excess by less than
//! `r * 2^(ONE_WAY_WINDOW_BITS + 1)` ns, either way. Windows are numbered by 16 bits: a flow silent
//! for a multiple of 275 s, to 8 ms, can be held against a least as old, for a window. A load
//! without `keep` forgets. Of two delays 2^31 ns apart or more the greater is taken for the lesser;
//! no two of one path are.
//!
//! **Steps of either date.** No queue on the way there makes an excess as long as the RTT: such a
//! delay has nothing to be held against either. A delay less its RTT is the responder's arrival
//! less the ACK's here, and is compared, in whole ns, with the least. A step by less than the RTT
//! biases the excess by as much for two windows.
use super::ring::STAMP;
use crate::bus::{Ack, HOPS_MOST, RTT_MAX};
use timely_regs::profile::{ONE_WAY_WINDOW_BITS, SIGNAL_LESS_RESIDENCE, SIGNAL_ONE_WAY};
use timely_regs::wire::Loss;

/// Bits of a window's number.
const WINDOW: u32 = (1 << 16) - 1;

/// A time with the precision that stamps are kept with: 32 bits of ns, 8 of fractions.
pub fn q8(time: u64) -> u64 {
    time >> 8 & STAMP
}

/// Measurements that an ACK carries beside flow and segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo {
    pub hops: u8,
    pub residence: u32,
    /// Segments that lost packets.
    pub lost: u8,
    arrival: u64,
}

impl Echo {
    pub fn of(a: &Ack) -> Echo {
        let took = (a.departure >> 8).wrapping_sub(a.arrival >> 8) << 8 >> 16;
        Echo {
            hops: a.ttl_sent.saturating_sub(a.ttl_seen).min(HOPS_MOST),
            residence: took.min(RTT_MAX.into()) as u32,
            lost: Loss::of(a.loss).segments(),
            arrival: q8(a.arrival),
        }
    }
}

/// The least one-way delays of a flow, ns modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    valid: bool,
    /// Number of the window that has the newest ACK.
    window: u32,
    /// Of that window and the one before.
    least: u32,
    /// Of that window alone.
    current: u32,
}

impl Least {
    /// The excess of `delay` over the least of late, and the flow's least delays from then on;
    /// `apart` is the responder's arrival less `end`, ns.
    fn excess(self, end: u64, delay: u32, apart: u32) -> (u32, Least) {
        let window = (end >> (16 + ONE_WAY_WINDOW_BITS)) as u32 & WINDOW;
        let same = self.valid && self.window == window;
        let next = self.valid && self.window == window.wrapping_sub(1) & WINDOW;
        let possible = |least: u32| (apart.wrapping_sub(least) as i32) < 0;
        let over = |least: u32| Some(delay.wrapping_sub(least)).filter(|e| *e as i32 >= 0);
        let (of, holds) = if same { (self.least, true) } else { (self.current, next) };
        let held = over(of).filter(|_| holds && possible(of));
        let least = held.map_or(delay, |e| delay.wrapping_sub(e));
        let current = if same && possible(of) && over(self.current).is_some() { self.current } else { delay };
        (held.unwrap_or(0), Least { valid: true, window, least, current })
    }
}

/// The measurements from an accepted ACK.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The signal that was asked for, ns.
    pub signal: u32,
    /// The residence is longer than the RTT.
    pub exceeds: bool,
    pub least: Least,
}

/// Evaluates an ACK that arrived at `end`, ns48.fns16; `start` and `echo` as above. `kept` is what
/// its flow kept when the ACK entered.
pub fn measure(signal: u32, base: u32, end: u64, start: u64, echo: Echo, kept: Least) -> Measured {
    // 40 bits modulo, the highest the sign; rounded to nearest.
    let rtt = q8(end).wrapping_add(128).wrapping_sub(start) & STAMP;
    let negative = rtt >> 39 != 0;
    let long = !negative && rtt >> 32 != 0;
    let rest = rtt.wrapping_sub(u64::from(echo.residence) << 8) & STAMP;
    let less = rest >> 39 != 0;
    let delay = (echo.arrival.wrapping_add(128).wrapping_sub(start) & STAMP) >> 8;
    let apart = ((echo.arrival >> 8) as u32).wrapping_sub((end >> 16) as u32);
    let (excess, least) = kept.excess(end, delay as u32, apart);
    let signal = match signal {
        SIGNAL_ONE_WAY => (base + excess).min(RTT_MAX),
        _ if negative => 0,
        _ if long => RTT_MAX,
        SIGNAL_LESS_RESIDENCE if !less => (rest >> 8) as u32,
        _ => (rtt >> 8) as u32,
    };
    Measured { signal, exceeds: less && !long, least }
}
