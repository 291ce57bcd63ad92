//! Phase margins and Bode plots of a loop transfer.
use nalgebra::Complex;

/// Frequencies that are looked through for crossings, rad/s.
const RANGE: (f64, f64) = (0.1, 1e8);
/// Frequencies of a decade.
const DECADE: usize = 200;
/// Halvings of the interval of a crossing.
const HALVINGS: usize = 60;

/// A crossing of gain 1.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Crossing {
    /// Frequency, rad/s.
    pub omega: f64,
    /// Margin there, degrees in (-180, 180].
    pub margin_deg: f64,
}

fn grid() -> impl Iterator<Item = f64> {
    let decades = (RANGE.1 / RANGE.0).log10();
    let n = (decades * DECADE as f64) as usize;
    (0..=n).map(move |i| RANGE.0 * 10f64.powf(i as f64 / DECADE as f64))
}

/// All frequencies at which the loop's gain is 1, rising.
pub fn crossings(open: impl Fn(Complex<f64>) -> Complex<f64>) -> Vec<Crossing> {
    let gain = |w: f64| open(Complex::new(0.0, w)).norm().ln();
    let mut found = Vec::new();
    let mut last: Option<(f64, f64)> = None;
    for w in grid() {
        let g = gain(w);
        if let Some((w0, g0)) = last.filter(|l| (l.1 > 0.0) != (g > 0.0)) {
            let (mut low, mut high) = (w0.ln(), w.ln());
            for _ in 0..HALVINGS {
                let middle = (low + high) / 2.0;
                if (gain(middle.exp()) > 0.0) == (g0 > 0.0) { low = middle } else { high = middle }
            }
            let omega = low.exp();
            let angle = 180.0 + open(Complex::new(0.0, omega)).arg().to_degrees();
            found.push(Crossing { omega, margin_deg: if angle > 180.0 { angle - 360.0 } else { angle } });
        }
        last = Some((w, g));
    }
    found
}

/// The crossing with the least margin; `None`: the gain is 1 nowhere.
pub fn margin(open: impl Fn(Complex<f64>) -> Complex<f64>) -> Option<Crossing> {
    crossings(open).into_iter().min_by(|a, b| a.margin_deg.total_cmp(&b.margin_deg))
}

/// Gain in dB and phase in degrees, unwrapped downwards, by frequency.
pub fn bode(open: impl Fn(Complex<f64>) -> Complex<f64>, from: f64, to: f64) -> Vec<(f64, f64, f64)> {
    let mut last: Option<f64> = None;
    grid()
        .filter(|w| (from..=to).contains(w))
        .step_by(DECADE / 50)
        .map(|w| {
            let l = open(Complex::new(0.0, w));
            let mut phase = l.arg().to_degrees();
            if let Some(before) = last {
                phase += 360.0 * ((before - phase) / 360.0).round();
            } else if phase > 0.0 {
                phase -= 360.0;
            }
            last = Some(phase);
            (w, 20.0 * l.norm().log10(), phase)
        })
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
        let shown = bode(open, 10.0, 1e4);
        assert!(
            shown
                .iter()
                .all(|(w, db, phase)| (db - 20.0 * (1000.0 / w).log10()).abs() < 1e-9
                    && (phase + 90.0 + (w * 1e-3).to_degrees()).abs() < 1e-6)
        );
        let unstable = margin(|s: Complex<f64>| (-s * 2e-3).exp() * 1000.0 / s).expect("a crossing");
        assert!((unstable.margin_deg - (90.0 - 2f64.to_degrees())).abs() < 1e-6);
    }
}
