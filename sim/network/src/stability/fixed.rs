//! Fixed points of the fluid laws.
use super::linear::Point;
use crate::fluid::dcqcn::Dcqcn;
use crate::fluid::marking::{Marker, Ramp};
use crate::fluid::timely::{Timely, Variant};

/// A fixed point of DCQCN.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct DcqcnPoint {
    /// Marking probability.
    pub mark: f64,
    /// Rate of a flow, packets a second.
    pub rate: f64,
    /// Target rate.
    pub target: f64,
    /// Alpha.
    pub alpha: f64,
    /// Queue, bytes. Where the ramp's top is below `mark` the queue would sit at the top and
    /// chatter.
    pub queue: f64,
    /// The ramp reaches the probability.
    pub on_ramp: bool,
}

/// Halvings of an interval of the logarithm of the marking probability.
const HALVINGS: usize = 200;

impl Dcqcn {
    /// The study's approximation of the marking probability at rest, by the first term of Taylor's
    /// series.
    pub fn taylor_mark(&self, flows: f64) -> f64 {
        let per_packet = 1.0 / self.counter + flows / (self.capacity * self.timer);
        (self.increase * flows * flows / (self.alpha_timer * self.capacity * self.capacity) * per_packet * per_packet).cbrt()
    }

    // Distance of the target rate to the rate at which the target rests.
    fn gap(&self, p: f64, rate: f64) -> f64 {
        let (mut d, own) = ([0.0; 3], [rate, rate, 0.0]);
        self.change(&own, p, rate, &mut d);
        // Without a gap nothing is cut from the target: what is left is its increase.
        d[1] * self.cnp / Self::some_marked(p, self.cnp * rate)
    }

    /// The state in which alpha and the target rest at a marking probability; the rate rests too at
    /// the exact one alone.
    pub fn point_at(&self, flows: f64, mark: f64) -> DcqcnPoint {
        let rate = self.capacity / flows;
        let (queue, on_ramp) = match self.marker {
            Marker::Ramp(ramp) => (ramp.queue(mark), mark <= ramp.chance),
            Marker::Pi(pi) => (pi.reference, mark <= pi.most),
        };
        DcqcnPoint {
            mark,
            rate,
            target: rate + self.gap(mark, rate),
            alpha: Self::some_marked(mark, self.alpha_timer * rate),
            queue,
            on_ramp,
        }
    }

    /// The exact fixed point: its marking probability is found by bisection, of which the
    /// derivative of the rate falls.
    pub fn fixed_point(&self, flows: f64) -> DcqcnPoint {
        let change = |p: f64| {
            let x = self.point_at(flows, p);
            let mut d = [0.0; 3];
            self.change(&[x.rate, x.target, x.alpha], p, x.rate, &mut d);
            d[0]
        };
        let (mut low, mut high) = (1e-12f64.ln(), 0.999f64.ln());
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if change(middle.exp()) > 0.0 { low = middle } else { high = middle }
        }
        self.point_at(flows, low.exp())
    }

    /// The same with a marking ramp that goes on beyond its top, up to probability 1, as the
    /// analysis takes it.
    pub fn with_long_ramp(&self) -> Self {
        let marker = match self.marker {
            Marker::Ramp(r) => Marker::Ramp(Ramp { most: r.least + 1.0 / r.slope(), chance: 1.0, ..r }),
            pi => pi,
        };
        Dcqcn { marker, ..*self }
    }

    /// A fixed point as states of the law.
    pub fn state(&self, x: &DcqcnPoint) -> Point {
        let shared = if matches!(self.marker, Marker::Pi(_)) { vec![x.queue / self.packet, x.mark] } else { vec![x.queue / self.packet] };
        Point { sizes: vec![1.0; shared.len() + 3], shared, own: vec![x.rate, x.target, x.alpha] }
    }
}

impl Timely {
    /// Queue at rest, bits; `None` of TIMELY itself, which rests nowhere.
    pub fn fixed_queue(&self, flows: f64) -> Option<f64> {
        match self.variant {
            Variant::Original => None,
            Variant::Patched => Some(self.capacity * self.t_low * (1.0 + flows * self.increase / (self.beta * self.capacity))),
            Variant::Pi => Some(self.reference()),
        }
    }

    /// The fixed point with equal rates as states of the law; `None` of TIMELY itself.
    pub fn state(&self, flows: f64) -> Option<Point> {
        let (queue, rate) = (self.fixed_queue(flows)?, self.capacity / flows);
        let second = if self.variant == Variant::Pi { 2.0 * self.increase / rate } else { 0.0 };
        Some(Point { shared: vec![queue], own: vec![rate, second], sizes: vec![1.0; 3] })
    }
}

#[cfg(test)]
mod tests {
    use crate::fluid::settings::{Model, Settings};

    /// Every derivative is 0 at the exact point, and the queues of the study's figure 4 come out.
    #[test]
    fn dcqcn_rests_at_its_fixed_point() {
        let mut s = Settings::conext16(Model::Dcqcn);
        (s.kmax_kb, s.pmax) = (2000.0, 0.1);
        let d = s.dcqcn();
        for (n, kb) in [(2.0, 20.501), (10.0, 125.338), (64.0, 1183.119)] {
            let x = d.fixed_point(n);
            let mut rest = [0.0; 3];
            d.change(&[x.rate, x.target, x.alpha], x.mark, x.rate, &mut rest);
            assert!(rest[0].abs() / x.rate < 1e-6 && rest[1].abs() / x.rate < 1e-6 && rest[2].abs() < 1e-6, "{rest:?}");
            assert!((x.queue / 1e3 - kb).abs() < 6e-4, "{n}: {} for {kb}", x.queue);
            // The approximation is of the first order alone.
            assert!((1.1..1.7).contains(&(d.taylor_mark(n) / x.mark)), "{} {}", d.taylor_mark(n), x.mark);
        }
        // With the table's ramp of 200 KB and 1 % the point leaves the ramp at 15 flows.
        let table = Settings::conext16(Model::Dcqcn).dcqcn();
        assert!(table.fixed_point(14.0).on_ramp && !table.fixed_point(15.0).on_ramp);
    }
}
