//! Phase margins and Bode plots of a loop transfer.
use nalgebra::Complex;

/// Frequencies that are looked through for crossings, rad/s.
const RANGE: (f64, f64) = (0.1, 1e8);
/// Frequencies of a decade.
const DECADE: usize = 200;
/// Frequencies of a decade where only the sign of a margin is asked for.
const COARSE: usize = 20;
/// Phase beyond which a plot's line ends, degrees.
pub const SHOWN: f64 = -720.0;
/// Halvings of the interval of a crossing.
const HALVINGS: usize = 60;

/// A crossing of gain 1.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Crossing {
    /// Frequency, rad/s.
    pub omega: f64,
    /// Margin there, degrees: 180 and the phase, which is followed from the lowest frequency on.
    pub margin_deg: f64,
}

// A phase that is followed from one frequency to the next, degrees.
#[derive(Clone, Copy, Default)]
struct Phase(Option<f64>);

impl Phase {
    // The first is in (-360, 0].
    fn follow(&mut self, l: Complex<f64>) -> f64 {
        let phase = l.arg().to_degrees();
        let turns = self.0.map_or(-f64::from(phase > 0.0), |before| ((before - phase) / 360.0).round());
        *self.0.insert(phase + 360.0 * turns)
    }
}

// So many frequencies of a decade, up to `most`.
fn grid(decade: usize, most: f64) -> impl Iterator<Item = f64> {
    (0..).map(move |i| RANGE.0 * 10f64.powf(f64::from(i) / decade as f64)).take_while(move |w| *w <= most)
}

/// All frequencies at which the loop's gain is 1, rising.
pub fn crossings(open: impl Fn(Complex<f64>) -> Complex<f64>) -> Vec<Crossing> {
    crossings_of(open, grid(DECADE, RANGE.1))
}

fn crossings_of(open: impl Fn(Complex<f64>) -> Complex<f64>, grid: impl Iterator<Item = f64>) -> Vec<Crossing> {
    let gain = |w: f64| open(Complex::new(0.0, w)).norm().ln();
    let mut found = Vec::new();
    let mut last: Option<(f64, f64)> = None;
    let mut phase = Phase::default();
    for w in grid {
        let at = open(Complex::new(0.0, w));
        let (g, before) = (at.norm().ln(), phase);
        phase.follow(at);
        if let Some((w0, g0)) = last.filter(|l| (l.1 > 0.0) != (g > 0.0)) {
            let (mut low, mut high) = (w0.ln(), w.ln());
            for _ in 0..HALVINGS {
                let middle = (low + high) / 2.0;
                if (gain(middle.exp()) > 0.0) == (g0 > 0.0) { low = middle } else { high = middle }
            }
            let omega = low.exp();
            let mut there = before;
            found.push(Crossing { omega, margin_deg: 180.0 + there.follow(open(Complex::new(0.0, omega))) });
        }
        last = Some((w, g));
    }
    found
}

/// The crossing with the least margin; `None`: the gain is 1 nowhere.
pub fn margin(open: impl Fn(Complex<f64>) -> Complex<f64>) -> Option<Crossing> {
    least(crossings(open))
}

/// The least margin of a sampled loop, whose gain ends at half the frequency of its samples, `most`
/// radians a second. The loop transfer is real there; below -1 it leaves no margin, for each sample
/// turns a change over and makes it greater.
pub fn margin_within(open: impl Fn(Complex<f64>) -> Complex<f64>, most: f64) -> Option<Crossing> {
    sampled(open, DECADE, most)
}

/// A sampled loop has no negative margin.
pub fn stable_within(open: impl Fn(Complex<f64>) -> Complex<f64>, most: f64) -> bool {
    sampled(open, COARSE, most).is_none_or(|c| c.margin_deg > 0.0)
}

fn sampled(open: impl Fn(Complex<f64>) -> Complex<f64>, decade: usize, most: f64) -> Option<Crossing> {
    let turns = open(Complex::new(0.0, most)).re < -1.0;
    let mut found = crossings_of(open, grid(decade, most).chain(std::iter::once(most)));
    if turns {
        found.push(Crossing { omega: most, margin_deg: 0.0 });
    }
    least(found)
}

fn least(all: Vec<Crossing>) -> Option<Crossing> {
    all.into_iter().min_by(|a, b| a.margin_deg.total_cmp(&b.margin_deg))
}

/// Gain in dB and phase in degrees, unwrapped downwards, by frequency.
pub fn bode(open: impl Fn(Complex<f64>) -> Complex<f64>, from: f64, to: f64) -> Vec<(f64, f64, f64)> {
    let mut phase = Phase::default();
    grid(DECADE, RANGE.1)
        .filter(|w| (from..=to).contains(w))
        .map(|w| {
            let l = open(Complex::new(0.0, w));
            (w, 20.0 * l.norm().log10(), phase.follow(l))
        })
        .step_by(DECADE / 50)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integrator of gain k with a delay crosses at k, with 90 degrees less k times the delay.
    #[test]
    fn an_integrator_with_a_delay_has_a_known_margin() {
        let open = |s: Complex<f64>| (-s * 1e-3).exp() * 1000.0 / s;
        let found = crossings(open);
        assert_eq!(found.len(), 1);
        assert!((found[0].omega - 1000.0).abs() < 1e-6 && (found[0].margin_deg - (90.0 - 1f64.to_degrees())).abs() < 1e-6);
        let shown = bode(open, 10.0, 2e5);
        assert!(
            shown
                .iter()
                .all(|(w, db, phase)| (db - 20.0 * (1000.0 / w).log10()).abs() < 1e-9
                    && (phase + 90.0 + (w * 1e-3).to_degrees()).abs() < 1e-4)
        );
        let unstable = margin(|s: Complex<f64>| (-s * 2e-3).exp() * 1000.0 / s).expect("a crossing");
        assert!((unstable.margin_deg - (90.0 - 2f64.to_degrees())).abs() < 1e-6);
        // Beyond half a turn the margin goes on falling.
        let far = margin(|s: Complex<f64>| (-s * 9e-3).exp() * 1000.0 / s).expect("a crossing");
        assert!((far.margin_deg - (90.0 - 9f64.to_degrees())).abs() < 1e-6);
    }
}
