//! The engine's state of a flow, and the words of a profile.
use timely_regs::profile as p;

/// 1 in Q.26: delta factor, weights and decreases have 26 fraction bits.
pub const ONE: i64 = 1 << 26;
/// Bits of the smoothed difference, sign included.
pub const AVERAGE_BITS: u32 = 25 + p::AVERAGE_FRACTION;
/// A profile's words as the engine reads them.
pub type Words = [u32; p::WORDS];

/// The engine's state of a flow. Without a history the numbers of the history are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// There was a sample since the flow was loaded, timed out or restarted.
    pub history: bool,
    /// RTT of the last sample, ns.
    pub rtt_ns: u32,
    /// Time of the last sample, ns.
    pub time_ns: u32,
    /// Smoothed RTT difference, 2^-13 ns; Swift has none. DCQCN: 1 - alpha, Q.36.
    pub average: i64,
    /// Negative differences in a row.
    pub negatives: u8,
    /// The next field is valid.
    pub marked: bool,
    /// PI: what the controller's output goes on from, Q.40. Swift: time of the last decrease, ns,
    /// 32 bits. DCQCN: the target rate.
    pub mark: u64,
    /// Rate.
    pub rate: u32,
    /// The flow sends too little of its rate for a sample to raise it.
    pub limited: bool,
}

/// Bits of a mark.
pub const MARK_BITS: u32 = 40;
/// Bits of the smoothed difference in the fourth word of [`State::to_words`].
const AVERAGE_HIGH: u32 = AVERAGE_BITS - 32;

impl State {
    /// The state without the rate, as `event_before` has it. Word 0: RTT in bits 23..0, history in
    /// 24, negatives in 27..25, marked in 28, limited in 31; word 1 the time, word 2 and the low
    /// bits of word 3 the smoothed difference, word 4 the mark, its upper 8 bits in 15..8 of
    /// word 3.
    pub fn to_words(&self) -> [u32; 5] {
        let average = self.average as u64 & ((1 << AVERAGE_BITS) - 1);
        let flags = u32::from(self.history) | u32::from(self.negatives) << 1 | u32::from(self.marked) << 4 | u32::from(self.limited) << 7;
        [
            self.rtt_ns | flags << 24,
            self.time_ns,
            average as u32,
            (average >> 32) as u32 | ((self.mark >> 32) as u32) << 8,
            self.mark as u32,
        ]
    }

    /// The state that [`State::to_words`] wrote, with this rate.
    pub fn from_words(words: &[u32; 5], rate: u32) -> State {
        let high = i64::from((words[3] as i32) << (32 - AVERAGE_HIGH) >> (32 - AVERAGE_HIGH));
        State {
            history: words[0] >> 24 & 1 != 0,
            rtt_ns: words[0] & 0xff_ffff,
            time_ns: words[1],
            average: high << 32 | i64::from(words[2]),
            negatives: (words[0] >> 25 & 7) as u8,
            marked: words[0] >> 28 & 1 != 0,
            mark: u64::from(words[3] >> 8 & 0xff) << 32 | u64::from(words[4]),
            rate,
            limited: words[0] >> 31 != 0,
        }
    }
}
