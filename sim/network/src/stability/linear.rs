//! Linearisation of a fluid law at a fixed point: the matrices of `x' = sum of A_k x(t - lag_k)`.
//!
//! The very functions that are integrated are differentiated, by central differences. N identical
//! flows have two kinds of motion: all of them together with the queue, and differences between
//! them, which no queue feels.
use crate::fluid::law::{Law, Past, QUEUE, RATE};
use nalgebra::{Complex, DMatrix};
use std::cell::RefCell;

/// Step of a difference, over the size of what is varied.
const STEP: f64 = 1e-5;
/// Two lags this close, in seconds, are one.
const SAME: f64 = 1e-12;

/// A linear delay system.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Lags, seconds, the first 0.
    pub lags: Vec<f64>,
    /// The matrix of each lag.
    pub matrices: Vec<DMatrix<f64>>,
    /// Size of each state, by which it is scaled where numbers of like size are needed.
    pub sizes: Vec<f64>,
}

/// A law at a fixed point.
#[derive(Clone, Debug)]
pub struct Modes {
    /// All flows together: shared states, then those of one flow.
    pub together: Linear,
    /// Difference of two flows.
    pub apart: Linear,
    /// Number of shared states.
    pub shared: usize,
}

/// A fixed point: shared states, then those of each flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Shared states.
    pub shared: Vec<f64>,
    /// States of a flow.
    pub own: Vec<f64>,
    /// Size of each state where it is 0 at the point itself.
    pub sizes: Vec<f64>,
}

// A constant past but for one state at one lag; it notes the lags that it is asked for.
struct Probe<'a> {
    point: &'a Point,
    lags: &'a RefCell<Vec<f64>>,
    varied: Option<(usize, f64)>,
    by: f64,
}

impl Probe<'_> {
    fn value(&self, i: usize, fixed: f64, lag: f64) -> f64 {
        if !self.lags.borrow().iter().any(|l| (l - lag).abs() < SAME) {
            self.lags.borrow_mut().push(lag);
        }
        if self.varied.is_some_and(|(v, l)| v == i && (l - lag).abs() < SAME) { fixed + self.by } else { fixed }
    }
}

impl Past for Probe<'_> {
    fn shared(&self, i: usize, lag: f64) -> f64 {
        self.value(i, self.point.shared[i], lag)
    }
    fn own(&self, i: usize, lag: f64) -> f64 {
        self.value(self.point.shared.len() + i, self.point.own[i], lag)
    }
}

impl Point {
    fn size(&self, i: usize) -> f64 {
        let value = if i < self.shared.len() { self.shared[i] } else { self.own[i - self.shared.len()] };
        if value == 0.0 { self.sizes[i] } else { value.abs() }
    }
}

/// Linearises a law at a point for `flows` flows.
pub fn linearise<L: Law>(law: &L, flows: f64, point: &Point) -> Modes {
    let (s, k) = (law.shared(), law.states());
    let n = s + k;
    let lags = RefCell::new(Vec::new());
    let derivative = |present: Option<(usize, f64)>, varied: Option<(usize, f64)>, by: f64| {
        let mut x: Vec<f64> = point.shared.iter().chain(&point.own).copied().collect();
        if let Some((i, by)) = present {
            x[i] += by;
        }
        let mut d = vec![0.0; n];
        let probe = Probe { point, lags: &lags, varied, by };
        // Delays that follow the queue or the rate move with them, but a constant past looks the
        // same from any delay.
        law.flow(&x[..s], &x[s..], &probe, &mut d[s..]);
        let growth = flows * x[s + RATE] - law.capacity();
        law.controller(&x[..s], growth, &mut d[..s]);
        d[QUEUE] = growth;
        d
    };
    derivative(None, None, 0.0);
    let mut lags_found = lags.borrow().clone();
    lags_found.sort_by(f64::total_cmp);
    let sizes: Vec<f64> = (0..n).map(|i| point.size(i)).collect();
    let column = |vary: &dyn Fn(usize, f64) -> Vec<f64>| {
        let mut m = DMatrix::zeros(n, n);
        for i in 0..n {
            let by = STEP * sizes[i];
            let (up, down) = (vary(i, by), vary(i, -by));
            for r in 0..n {
                m[(r, i)] = (up[r] - down[r]) / (2.0 * by);
            }
        }
        m
    };
    let mut all = vec![(0.0, column(&|i, by| derivative(Some((i, by)), None, 0.0)))];
    for lag in lags_found {
        all.push((lag, column(&|i, by| derivative(None, Some((i, lag)), by))));
    }
    let take = |from: usize| Linear {
        lags: all.iter().map(|a| a.0).collect(),
        matrices: all.iter().map(|a| a.1.view((from, from), (n - from, n - from)).into_owned()).collect(),
        sizes: sizes[from..].to_vec(),
    };
    Modes { together: take(0), apart: take(s), shared: s }
}

impl Linear {
    /// `s I - sum of A_k e^(-s lag_k)`, its states scaled by their sizes.
    pub fn characteristic(&self, s: Complex<f64>) -> DMatrix<Complex<f64>> {
        let n = self.sizes.len();
        let mut m = DMatrix::from_diagonal_element(n, n, s);
        for (lag, a) in self.lags.iter().zip(&self.matrices) {
            let delayed = (-s * *lag).exp();
            for r in 0..n {
                for c in 0..n {
                    m[(r, c)] -= delayed * (a[(r, c)] * self.sizes[c] / self.sizes[r]);
                }
            }
        }
        m
    }
}

impl Modes {
    /// Loop transfer from what flows read of the shared states back to it: `1 + L` is the
    /// determinant of the whole over those of its parts.
    pub fn open_loop(&self, s: Complex<f64>) -> Complex<f64> {
        let m = self.together.characteristic(s);
        let (k, n) = (self.shared, m.nrows());
        let part = |from: usize, len: usize| m.view((from, from), (len, len)).into_owned().determinant();
        m.determinant() / (part(0, k) * part(k, n - k)) - Complex::new(1.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // r' = -3 r(t - 2) + 5 q(t - 2) - 7 q: known coefficients, one of them of the present.
    struct Known;
    impl Law for Known {
        fn states(&self) -> usize {
            1
        }
        fn capacity(&self) -> f64 {
            10.0
        }
        fn unit_bytes(&self) -> f64 {
            1.0
        }
        fn horizon(&self) -> f64 {
            2.0
        }
        fn remembers_shared_alone(&self) -> bool {
            false
        }
        fn start(&self, rate: f64, _: f64) -> Vec<f64> {
            vec![rate]
        }
        fn flow(&self, _: &[f64], own: &[f64], past: &impl Past, d: &mut [f64]) {
            d[0] = -3.0 * past.own(0, 2.0) + 5.0 * past.shared(0, 2.0) - 0.5 * own[0] * own[0];
        }
        fn limit(&self, _: &mut [f64]) {}
    }

    #[test]
    fn coefficients_come_back() {
        let point = Point { shared: vec![4.0], own: vec![5.0], sizes: vec![1.0; 2] };
        let modes = linearise(&Known, 2.0, &point);
        assert_eq!(modes.together.lags, [0.0, 2.0]);
        let near = |m: &DMatrix<f64>, all: [f64; 4]| m.iter().zip(all).all(|(a, b)| (a - b).abs() < 1e-8);
        // By columns: queue, then rate.
        assert!(near(&modes.together.matrices[0], [0.0, 0.0, 2.0, -5.0]), "{}", modes.together.matrices[0]);
        assert!(near(&modes.together.matrices[1], [0.0, 5.0, 0.0, -3.0]), "{}", modes.together.matrices[1]);
        let s = Complex::new(0.3, 1.7);
        let delayed = (-s * 2.0).exp();
        let exact = -(delayed * 5.0) * 2.0 / (s * (s + 5.0 + delayed * 3.0));
        assert!((modes.open_loop(s) - exact).norm() < 1e-9);
        let apart = modes.apart.characteristic(s)[(0, 0)];
        assert!((apart - (s + 5.0 + delayed * 3.0)).norm() < 1e-8);
    }
}
