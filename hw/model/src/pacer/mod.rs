//! The pacer: decides which flow may send its next packet, and when.
//!
//! ```text
//! doorbell, release, load -> DOORBELL unit -activate-> READY -> PASS -train-> GATE -> grant
//!                               ^-----------sleep---------------'|  ^
//!                             charge unit, rates ----------------'  '-due- WHEEL <-insert- PASS
//! ```
//!
//! A flow is in one place: idle, in the wheel, in READY, parked (its priority is paused), or in the
//! pass. So the pass never meets the same flow twice, and needs no forwarding.
pub mod charge;
pub mod doorbell;
pub mod gate;
pub mod park;
pub mod pass;
pub mod ready;
pub mod timemap;
pub mod token;
pub mod top;
pub mod wheel;

/// The distances in time that the pass plans with; they depend on the clock's period and belong to
/// a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// ns from the pass's reading of `now` to the clock at which a train reaches the gate.
    pub ahead: u32,
    /// ns from a wake-up's nominal time to the clock at which the train it leads to reaches the
    /// gate, at least.
    pub lead: u32,
}

impl Default for Timing {
    /// For a clock of 4 ns.
    fn default() -> Self {
        Timing::of(4_000)
    }
}

impl Timing {
    /// For a clock of so many ps: 16 clocks and 36. With one of more than 12.4 ns the pass has no
    /// place for a longer lead, and decides up to 10 clocks late.
    pub const fn of(clock_ps: u32) -> Self {
        let (ahead, lead) = ((16 * clock_ps).div_ceil(1000), (36 * clock_ps).div_ceil(1000));
        let longest = 511 - token::COVER;
        Timing { ahead, lead: if lead < longest { lead } else { longest } }
    }
}

/// Address bits of the wheel of a pacer with `2^flow_bits` flows: two slots a flow, at least 8,192.
pub const fn wheel_bits(flow_bits: usize) -> usize {
    if flow_bits + 1 > 13 { flow_bits + 1 } else { 13 }
}
