//! Rates that the hardware holds as others: its registers have steps, and a user is to see where
//! that shows.
use super::Parameters;
use crate::profile::RATE_FRACTION;

/// Rounding that is worth a word: what a paced flow may be off its register in the long run.
const SHOWN_PPM: f64 = 1.0;

/// A rate that was asked for and the one that the hardware has in its place: a multiple of 2^-12
/// Mb/s (244 b/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedRate {
    /// Field of [`Parameters`], or what else the rate is of.
    pub field: &'static str,
    /// The rate asked for, Mb/s.
    pub asked_mbps: f64,
    /// The rate that the hardware holds, Mb/s.
    pub held_mbps: f64,
}

impl RoundedRate {
    /// The hardware's rounding of a rate in Mb/s; `None` where that is within a millionth of it.
    pub fn of(field: &'static str, asked_mbps: f64) -> Option<Self> {
        let unit = f64::from(1u32 << RATE_FRACTION);
        let rounded = RoundedRate { field, asked_mbps, held_mbps: (asked_mbps * unit).round() / unit };
        (rounded.ppm().abs() > SHOWN_PPM).then_some(rounded)
    }

    /// How far the held rate is off the one asked for, parts a million of the latter.
    pub fn ppm(&self) -> f64 {
        (self.held_mbps / self.asked_mbps - 1.0) * 1e6
    }
}

impl core::fmt::Display for RoundedRate {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { field, asked_mbps, held_mbps } = self;
        write!(f, "{field} of {asked_mbps} Mb/s is held as {held_mbps:.6} ({:+.0} ppm), a multiple of 2^-12 Mb/s", self.ppm())
    }
}

impl Parameters {
    /// The profile's rates that the hardware holds more than a millionth off what was asked for.
    pub fn rounded_rates(&self) -> impl Iterator<Item = RoundedRate> {
        let rates = [
            ("initial_mbps", self.initial_mbps),
            ("idle_mbps", self.idle_mbps),
            ("least_mbps", self.least_mbps),
            ("greatest_mbps", self.greatest_mbps),
            ("additive_step_mbps", self.additive_step_mbps),
        ];
        rates.into_iter().filter_map(|(field, mbps)| RoundedRate::of(field, mbps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarser_rate_is_named() {
        let p = Parameters { initial_mbps: 1.0001, least_mbps: 0.0003, ..Parameters::timely_10g(8.0) };
        let shown: Vec<String> = p.rounded_rates().map(|r| r.to_string()).collect();
        assert_eq!(
            shown,
            [
                "initial_mbps of 1.0001 Mb/s is held as 1.000000 (-100 ppm), a multiple of 2^-12 Mb/s",
                "least_mbps of 0.0003 Mb/s is held as 0.000244 (-186198 ppm), a multiple of 2^-12 Mb/s",
            ]
        );
        // Half a step is a millionth of 122 Mb/s.
        assert_eq!(RoundedRate::of("rate", 130.000_11), None);
        assert_eq!(Parameters::timely_10g(8.0).rounded_rates().count(), 0);
    }

    #[test]
    fn what_is_held_is_what_the_words_say() {
        let p = Parameters { initial_mbps: 1.0001, least_mbps: 1.0, ..Parameters::timely_10g(8.0) };
        let held = p.rounded_rates().next().expect("rounded").held_mbps;
        assert_eq!(crate::profile::INITIAL_RATE.get(&p.quantise().expect("valid")), (held * 4096.0) as u32);
    }
}
