//! The rightmost root of a linear delay system: eigenvalues of its discretised generator (Breda,
//! Maset, Vermiglio, 2005), refined by Newton's method on the characteristic determinant.
use super::linear::Linear;
use nalgebra::linalg::Schur;
use nalgebra::{Complex, DMatrix};

/// Chebyshev intervals of the past.
const INTERVALS: usize = 24;
/// Iterations of the eigenvalues' method at most.
const MOST: usize = 10_000;
/// Steps of Newton's method at most.
const NEWTON: usize = 30;
/// Candidates that are refined.
const CANDIDATES: usize = 8;
/// Relative length of the last step of a root that is accepted.
const CLOSE: f64 = 1e-9;

/// A root that could not be found.
#[derive(Debug, thiserror::Error)]
#[error("the eigenvalues of the discretised delay system did not converge; take another delay or number of flows")]
pub struct NotFound;

impl Linear {
    fn delay(&self) -> f64 {
        self.lags.iter().copied().fold(0.0, f64::max)
    }

    // The scaled matrix of a lag.
    fn scaled(&self, k: usize) -> DMatrix<f64> {
        let n = self.sizes.len();
        DMatrix::from_fn(n, n, |r, c| self.matrices[k][(r, c)] * self.sizes[c] / self.sizes[r])
    }

    // The generator on Chebyshev nodes of [-delay, 0], time in units of the delay; the first node
    // is the present.
    fn generator(&self) -> (DMatrix<f64>, f64) {
        let (n, delay) = (self.sizes.len(), self.delay());
        if delay == 0.0 {
            let sum = (0..self.lags.len()).fold(DMatrix::zeros(n, n), |sum, k| sum + self.scaled(k));
            return (sum, 1.0);
        }
        let m = INTERVALS;
        let node: Vec<f64> = (0..=m).map(|j| ((std::f64::consts::PI * j as f64 / m as f64).cos() - 1.0) / 2.0).collect();
        let weight = |j: usize| (if j == 0 || j == m { 0.5 } else { 1.0 }) * if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        let mut g = DMatrix::zeros(n * (m + 1), n * (m + 1));
        for (k, lag) in self.lags.iter().enumerate() {
            let (a, at) = (self.scaled(k) * delay, -lag / delay);
            // Barycentric interpolation at the lag.
            let hit = node.iter().position(|x| (x - at).abs() < 1e-14);
            let total: f64 = (0..=m).map(|j| if hit.is_some() { 0.0 } else { weight(j) / (at - node[j]) }).sum();
            for j in 0..=m {
                let share = hit.map_or_else(|| weight(j) / (at - node[j]) / total, |h| f64::from(h == j));
                for r in 0..n {
                    for c in 0..n {
                        g[(r, j * n + c)] += share * a[(r, c)];
                    }
                }
            }
        }
        for i in 1..=m {
            let mut diagonal = 0.0;
            for j in (0..=m).filter(|j| *j != i) {
                let d = weight(j) / weight(i) / (node[i] - node[j]);
                diagonal -= d;
                for c in 0..n {
                    g[(i * n + c, j * n + c)] = d;
                }
            }
            for c in 0..n {
                g[(i * n + c, i * n + c)] = diagonal;
            }
        }
        (g, delay)
    }

    // Newton's method on the determinant; `None` where it leads nowhere.
    fn refine(&self, start: Complex<f64>) -> Option<Complex<f64>> {
        let mut s = start;
        let scale = start.norm().max(1e-3);
        for _ in 0..NEWTON {
            let m = self.characteristic(s);
            let n = m.nrows();
            let mut slope = DMatrix::identity(n, n).map(|x: f64| Complex::new(x, 0.0));
            for (lag, a) in self.lags.iter().zip(0..) {
                let delayed = (-s * *lag).exp() * *lag;
                slope += self.scaled(a).map(|x| delayed * x);
            }
            // An exact root has no inverse.
            let Some(inverse) = m.try_inverse() else { return Some(s) };
            let step = Complex::new(1.0, 0.0) / (inverse * slope).trace();
            s -= step;
            if step.norm() < CLOSE * scale {
                return Some(s);
            }
        }
        None
    }

    /// The root with the greatest real part, a second; its imaginary part is at least 0.
    ///
    /// # Errors
    /// Eigenvalues did not converge.
    pub fn rightmost(&self) -> Result<Complex<f64>, NotFound> {
        let (generator, unit) = self.generator();
        let schur = Schur::try_new(generator, f64::EPSILON, MOST).ok_or(NotFound)?;
        let mut all: Vec<Complex<f64>> = schur.complex_eigenvalues().iter().map(|e| e / unit).collect();
        all.sort_by(|a, b| b.re.total_cmp(&a.re));
        let refined = all.iter().take(CANDIDATES).filter_map(|e| self.refine(*e).filter(|s| (s - e).norm() < 0.3 * e.norm().max(1.0)));
        let best = refined.max_by(|a, b| a.re.total_cmp(&b.re)).ok_or(NotFound)?;
        Ok(Complex::new(best.re, best.im.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(present: f64, delayed: f64, lag: f64) -> Linear {
        let m = |x: f64| DMatrix::from_element(1, 1, x);
        Linear { lags: vec![0.0, lag], matrices: vec![m(present), m(delayed)], sizes: vec![1.0] }
    }

    /// x' = -k x(t - lag): at k lag = pi / 2 the root is i k; at 1 / e it is double and real;
    /// without a delay it is -k.
    #[test]
    fn a_scalar_delay_equation_has_known_roots() {
        for lag in [1e-6, 1.0, 50.0] {
            let root = scalar(0.0, -std::f64::consts::FRAC_PI_2 / lag, lag).rightmost().expect("found");
            assert!((root * lag - Complex::new(0.0, std::f64::consts::FRAC_PI_2)).norm() < 1e-8, "{root}");
            let slow = scalar(0.0, -0.2 / lag, lag).rightmost().expect("found") * lag;
            assert!((slow.re + 0.2 * (-slow.re).exp()).abs() < 1e-8 && slow.im == 0.0, "{slow}");
            let grows = scalar(0.0, -2.0 / lag, lag).rightmost().expect("found");
            assert!(grows.re > 0.0);
        }
        let plain = scalar(-1.0, -2.0, 0.0).rightmost().expect("found");
        assert!((plain + Complex::new(3.0, 0.0)).norm() < 1e-9);
    }
}
