//! The token bucket that bounds ACKs to a share of the line.

/// Wire bytes of ACKs that may leave at once.
pub const BURST_BYTES: u64 = 8192;
/// Fraction bits of the rate.
const FRACTION: u32 = 24;

/// The bucket: wire bytes, filled at a rate in bytes a clock, Q8.24. Clocks that were skipped are
/// made up for.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// The clock at which the rest stands.
    at: u64,
    tokens: u64,
    /// Tokens that the next clock adds.
    gain: u64,
    fraction: u64,
    rate: u32,
}

impl Share {
    /// A full bucket at clock `at`.
    pub fn full(at: u64, rate: u32) -> Self {
        Share { at, tokens: BURST_BYTES, gain: 0, fraction: 0, rate }
    }

    /// Wire bytes that may leave at clock `clk`.
    pub fn tokens(&mut self, clk: u64) -> u64 {
        let clocks = clk.saturating_sub(self.at);
        if clocks > 0 {
            let filled = |clocks: u64| u128::from(self.fraction) + u128::from(clocks) * u128::from(self.rate);
            let (before, all) = (filled(clocks - 1), filled(clocks));
            let gained = u128::from(self.tokens + self.gain) + (before >> FRACTION);
            self.tokens = gained.min(u128::from(BURST_BYTES)) as u64;
            self.gain = ((all >> FRACTION) - (before >> FRACTION)) as u64;
            self.fraction = (all & ((1 << FRACTION) - 1)) as u64;
            self.at = clk;
        }
        self.tokens
    }

    /// Clock `clk`, at which `bytes` leave and `rate` stands at the input.
    pub fn step(&mut self, clk: u64, bytes: u64, rate: u32) {
        let tokens = self.tokens(clk);
        self.tokens = (tokens + self.gain - bytes).min(BURST_BYTES);
        let filled = self.fraction + u64::from(rate);
        (self.gain, self.fraction) = (filled >> FRACTION, filled & ((1 << FRACTION) - 1));
        (self.at, self.rate) = (clk + 1, rate);
    }
}
