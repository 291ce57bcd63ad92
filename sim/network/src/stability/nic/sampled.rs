//! The loop as the NIC closes it: at samples, not continuously.
//!
//! Each flow takes a sample every `Seg / R` and keeps its rate in between. Flows of one share take
//! theirs in turn, `Seg / C` apart, so that the queue is a straight line from one sample to the
//! next, and a queue of an RTT ago lies between two of them: the loop is a linear map from sample
//! to sample without any approximation. Its z-transform has one equation for all flows, as a mode
//! is the same for each of them but for the time of its turn.
use super::Nic;
use crate::stability::margin::{Crossing, margin_within, stable_within};
use nalgebra::{Complex, DMatrix, DVector};
use timely_model::reference::Patched;
use timely_regs::parameters::{LawKind, Parameters};

/// Step of a difference, over the size of what is varied.
const STEP: f64 = 1e-5;
/// Sizes of what is varied: delays, us, and the controller's output.
const SIZES: (f64, f64) = (10.0, 1e-2);
/// Frequencies of each decade from which roots are looked for, and decades below half the frequency
/// of samples.
const STARTS: (i32, i32) = (16, 6);
/// Steps of Newton's method at most.
const NEWTON: usize = 60;
/// Relative length of the last step of a root that is accepted.
const CLOSE: f64 = 1e-10;
/// Distance from 1 of the multiplier of a mode that keeps its state.
const KEPT: f64 = 1e-6;

/// Flows that sample in turn, linearised at rest.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// A flow's state after a sample, by that before; the rate first.
    pub state: DMatrix<f64>,
    /// The same by the delay that the sample found, in seconds.
    pub input: DVector<f64>,
    /// Flows.
    pub flows: u32,
    /// Time between two samples of any two flows, seconds.
    pub step: f64,
    /// Age of the queue that a sample tells of, seconds.
    pub lag: f64,
    /// Delay of a unit of queue, in seconds.
    pub delay: f64,
}

impl Nic {
    /// The law at rest as so many flows sample it; `None` of TIMELY, which rests nowhere, and of
    /// Swift, whose law jumps at its rest.
    pub fn sampled(&self, flows: u32) -> Option<Sampled> {
        if !matches!(self.profile.law, LawKind::Patched | LawKind::Pi) {
            return None;
        }
        let n = f64::from(flows);
        let rate = self.capacity / n / 1e6;
        let rest = (self.base + self.fixed_queue(n)? / self.capacity) * 1e6;
        // A flow that is alone rests at its greatest rate, on both sides of which the law is asked.
        let profile = Parameters { greatest_mbps: f64::INFINITY, ..self.profile.clone() };
        // A flow's states: rate, Mb/s, smoothed difference, us, RTT of the last sample, us, output.
        let point = [rate, 0.0, rest, self.fixed_output(n)];
        let after = |x: &[f64; 4], rtt: f64| {
            let mut law = Patched::new(&profile);
            (law.state.rate, law.state.average, law.state.last, law.state.output) = (x[0], x[1], Some((x[2], 0.0)), x[3]);
            // The flow's rate spaces its samples.
            law.step(rtt, self.segment / x[0]);
            [law.state.rate, law.state.average, rtt, law.state.output]
        };
        let sizes = [rate, SIZES.0, SIZES.0, SIZES.1].map(|s| s * STEP);
        let slope = |up: [f64; 4], down: [f64; 4], by: f64| std::array::from_fn::<f64, 4, _>(|i| (up[i] - down[i]) / (2.0 * by));
        let columns: [[f64; 4]; 4] = std::array::from_fn(|i| {
            let moved = |by: f64| {
                let mut x = point;
                x[i] += by;
                after(&x, rest)
            };
            slope(moved(sizes[i]), moved(-sizes[i]), sizes[i])
        });
        let input = slope(after(&point, rest + sizes[2]), after(&point, rest - sizes[2]), sizes[2]);
        let states = if self.profile.law == LawKind::Pi { 4 } else { 3 };
        Some(Sampled {
            state: DMatrix::from_fn(states, states, |r, c| columns[c][r]),
            input: DVector::from_fn(states, |r, _| input[r] * 1e6),
            flows,
            step: self.segment / self.capacity,
            lag: rest / 1e6,
            // Rates are in Mb/s, so the queue is in Mb.
            delay: 1e6 / self.capacity,
        })
    }
}

impl Sampled {
    // Delay that a sample finds, of a mode that grows by `e^(s t)` and has a rate of 1 in the flow
    // that has just sampled.
    fn found(&self, s: Complex<f64>) -> Complex<f64> {
        let one = Complex::new(1.0, 0.0);
        let (steps, back) = (self.lag / self.step, (-s * self.step).exp());
        let whole = steps.floor();
        // Rates in force: those of the last sample of each flow.
        let rates = (one - (-s * self.step * f64::from(self.flows)).exp()) / (one - back);
        let queue = rates * self.step / (back.inv() - one);
        let part = steps - whole;
        queue * self.delay * (-s * self.step * whole).exp() * (one * (1.0 - part) + back * part)
    }

    // `I - A e^(-s N step)`.
    fn kept(&self, s: Complex<f64>) -> DMatrix<Complex<f64>> {
        let k = self.input.len();
        let period = (-s * self.step * f64::from(self.flows)).exp();
        DMatrix::from_fn(k, k, |r, c| Complex::from(f64::from(r == c)) - period * self.state[(r, c)])
    }

    // 0 where a mode grows by `e^(s t)`.
    fn characteristic(&self, s: Complex<f64>) -> Complex<f64> {
        let mut m = self.kept(s);
        let found = self.found(s);
        for (r, b) in self.input.iter().enumerate() {
            m[(r, 0)] -= found * *b;
        }
        m.determinant()
    }

    /// Loop transfer at `z = e^(s step)`; 1 + L is 0 where a mode grows by `e^(s t)`.
    pub fn open_loop(&self, s: Complex<f64>) -> Complex<f64> {
        self.characteristic(s) / self.kept(s).determinant() - Complex::new(1.0, 0.0)
    }

    /// The crossing with the least margin below half the frequency of samples; `None`: the gain is
    /// 1 nowhere.
    pub fn margin(&self) -> Option<Crossing> {
        margin_within(|s| self.open_loop(s), std::f64::consts::PI / self.step)
    }

    /// No margin is negative.
    pub fn stable(&self) -> bool {
        stable_within(|s| self.open_loop(s), std::f64::consts::PI / self.step)
    }

    // The multiplier of a flow's period is 1, and the flows' changes add up to none.
    fn keeps_a_split(&self, s: Complex<f64>) -> bool {
        let (turn, period) = ((s * self.step).exp(), (s * self.step * f64::from(self.flows)).exp());
        (period - 1.0).norm() < KEPT && (turn - 1.0).norm() > KEPT
    }

    fn refine(&self, start: Complex<f64>) -> Option<Complex<f64>> {
        let (mut s, by) = (start, start.norm().max(1.0) * 1e-6);
        for _ in 0..NEWTON {
            let slope = (self.characteristic(s + by) - self.characteristic(s - by)) / (2.0 * by);
            let step = self.characteristic(s) / slope;
            if !step.is_finite() {
                return None;
            }
            s -= step;
            if step.norm() < CLOSE * s.norm().max(1.0) {
                return Some(s);
            }
        }
        None
    }

    /// The root of the fastest growth, a second, whose imaginary part is at least 0: a mode's
    /// multiplier from a sample to the next is `e^(s step)`. Modes that keep a split of the line
    /// for good, as those of PI at each host, are left out.
    pub fn rightmost(&self) -> Option<Complex<f64>> {
        let most = std::f64::consts::PI / self.step;
        let frequencies = (0..=STARTS.0 * STARTS.1).map(|i| most * 10f64.powf(-f64::from(i) / f64::from(STARTS.0)));
        let starts = frequencies.flat_map(|w| [(0.0, w), (-w, w), (-w, 0.0), (-w, most)]).map(|(re, im)| Complex::new(re, im));
        let inside = |s: &Complex<f64>| s.im.abs() <= most * (1.0 + 1e-9) && s.norm() > 1e-6 && !self.keeps_a_split(*s);
        let best = starts.filter_map(|s| self.refine(s)).filter(inside).max_by(|a, b| a.re.total_cmp(&b.re))?;
        Some(Complex::new(best.re, best.im.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The map of all states from a sample to the next, written out: queues back to the oldest that
    // is asked for, then each flow's state, the flow that samples next first.
    fn lifted(of: &Sampled) -> DMatrix<f64> {
        let (k, n) = (of.input.len(), of.flows as usize);
        let steps = of.lag / of.step;
        let (whole, part) = (steps.floor() as usize, steps.fract());
        let queues = whole + 2;
        let size = queues + n * k;
        // First the sample, by which the first flow becomes the last, then the queue's change.
        let (mut sample, mut queue) = (DMatrix::zeros(size, size), DMatrix::identity(size, size));
        for i in 0..queues {
            sample[(i, i)] = 1.0;
        }
        for f in 1..n {
            for r in 0..k {
                sample[(queues + (f - 1) * k + r, queues + f * k + r)] = 1.0;
            }
        }
        for r in 0..k {
            let row = queues + (n - 1) * k + r;
            for c in 0..k {
                sample[(row, queues + c)] = of.state[(r, c)];
            }
            sample[(row, whole)] += of.input[r] * of.delay * (1.0 - part);
            sample[(row, whole + 1)] += of.input[r] * of.delay * part;
        }
        for i in 1..queues {
            (queue[(i, i)], queue[(i, i - 1)]) = (0.0, 1.0);
        }
        for f in 0..n {
            queue[(0, queues + f * k)] = of.step;
        }
        queue * sample
    }

    // Its eigenvalue of the greatest size, but for those that keep a split.
    fn greatest(of: &Sampled) -> f64 {
        let roots = lifted(of).complex_eigenvalues();
        let kept = |z: &Complex<f64>| (z.powu(of.flows) - 1.0).norm() < 1e-4 && (z - 1.0).norm() > 1e-4;
        roots.iter().filter(|z| !kept(z)).map(|z| z.norm()).fold(0.0, f64::max)
    }

    // An integrator whose rate is -K times the queue that a sample finds, of this age.
    fn integrator(gain: f64, lag: f64) -> Sampled {
        Sampled { state: DMatrix::zeros(1, 1), input: DVector::from_element(1, -gain), flows: 1, step: 0.5, lag, delay: 1.0 }
    }

    /// A sampled integrator under proportional control, out of any textbook: z = 1 - K T without a
    /// delay; z^2 - z + K T = 0 with one of a period, on the unit circle at K T = 1 with 60 degrees
    /// a sample; z^2 - (1 - K T / 2) z + K T / 2 = 0 with one of half a period. Without samples the
    /// first is stable for any gain.
    #[test]
    fn a_sampled_integrator_has_known_eigenvalues() {
        let root = |gain: f64, lag: f64| integrator(gain, lag).rightmost().expect("a root");
        for kt in [0.3, 0.8, 1.7, 2.4] {
            let s = root(kt / 0.5, 0.0);
            assert!(((s * 0.5).exp() - (1.0 - kt)).norm() < 1e-8, "{kt}: {s}");
        }
        let on = root(2.0, 0.5);
        assert!(on.re.abs() < 1e-8 && (on.im * 0.5 - 60f64.to_radians()).abs() < 1e-8, "{on}");
        let margin = integrator(2.0, 0.5).margin().expect("a crossing");
        assert!(margin.margin_deg.abs() < 1e-6, "{margin:?}");
        // Stable below 2 without a delay, though the gain of 2.4 crosses 1 nowhere.
        for (kt, stable) in [(0.8, true), (1.7, true), (2.4, false)] {
            assert_eq!(integrator(kt / 0.5, 0.0).stable(), stable, "{kt}");
        }
        for (kt, lag) in [(0.7f64, 0.5f64), (1.3, 0.5), (0.7, 0.25), (2.2, 0.25)] {
            let (b, c) = if lag == 0.5 { (1.0, kt) } else { (1.0 - kt / 2.0, kt / 2.0) };
            let z = (Complex::new(b * b - 4.0 * c, 0.0).sqrt() + b) / 2.0;
            let s = root(kt / 0.5, lag);
            assert!(((s * 0.5).exp() - z).norm() < 1e-8, "{kt} {lag}: {} for {z}", (s * 0.5).exp());
            assert!((greatest(&integrator(kt / 0.5, lag)) - z.norm()).abs() < 1e-8);
        }
    }

    /// The one equation has the greatest eigenvalue of the map of all flows' states and of the
    /// queue's past.
    #[test]
    fn the_equation_has_the_roots_of_the_whole_map() {
        for (name, base_us) in [("patched-10g", 8.0), ("patched-10g", 50.0), ("pi-10g", 8.0), ("pi-10g", 20.0)] {
            let nic = Nic::new(Parameters::named(name, base_us).unwrap(), super::super::SEGMENT, base_us).unwrap();
            for flows in [1, 2, 5, 7, 12] {
                let of = nic.sampled(flows).expect("a rest");
                let (root, map) = (of.rightmost().expect("a root"), greatest(&of).ln() / of.step);
                assert!((root.re - map).abs() < 1e-3 * root.norm().max(100.0), "{name}, {flows} flows, {base_us} us: {root:.3}, {map:.3}");
            }
        }
    }
}
