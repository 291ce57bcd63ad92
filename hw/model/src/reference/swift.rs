//! Swift (SIGCOMM'20, Algorithm 1 and section 3) for a NIC that paces a rate.
//!
//! Swift's congestion window is counted in packets and sends itself by its acknowledgements; a rate
//! does not. Here a window of w packets is the rate of w packets in a fixed time T
//! (`update_interval_us`), and back: `w = rate T / packet`. So
//! - `cwnd += ai / cwnd` for every acknowledged packet, ai packets an RTT, is
//!   `rate += AI min(dt / T, 1)`, AI being ai packets per T and dt the time since the last sample:
//!   dt / T of a window was acknowledged meanwhile. For a window below one packet the minimum is 1,
//!   and the increase `cwnd += ai`, as Swift has it. Nothing else is special below one packet:
//!   Swift paces there, as a NIC always does;
//! - `cwnd *= max(1 - beta (delay - target) / delay, 1 - max_mdf)` is that of the rate, at most
//!   once per RTT.
//!
//! Swift keeps a window for the fabric and one for the endpoint and sends by the smaller. A flow
//! here has one rate, which each of the two delays bounds by its own target: it rises when both are
//! below, and falls by the larger of the two decreases.
use super::{Branch, Law};
use timely_regs::parameters::Parameters;

/// Times are whole ns: half of one keeps the rounding of f64 from deciding whether an RTT is over.
const HALF_NS_US: f64 = 0.0005;

/// Swift's measurements of a completed segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delays {
    /// Delay of the fabric: the RTT less the endpoint's part, us.
    pub fabric_us: f64,
    /// The endpoint's part, us.
    pub endpoint_us: f64,
    /// Hops on the way.
    pub hops: u8,
}

/// State of Swift for a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct SwiftState {
    /// Rate, Mb/s.
    pub rate: f64,
    /// Time of the last update, us; `None` when there is no history.
    pub last: Option<f64>,
    /// Time of the last decrease, us.
    pub decreased: Option<f64>,
}

/// An update, as far as it can be seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct SwiftStep {
    /// Rate from now on, Mb/s.
    pub rate: f64,
    /// The branch that decided.
    pub branch: Branch,
    /// Target of the fabric's delay, us.
    pub target_us: f64,
    /// The window before, packets.
    pub window: f64,
    /// The delta factor.
    pub delta_factor: f64,
}

/// Swift of one flow.
#[derive(Clone, Debug)]
pub struct Swift {
    /// The law's parameters.
    pub parameters: Parameters,
    /// The flow's state.
    pub state: SwiftState,
}

impl Swift {
    /// A flow at its profile's initial rate, without history.
    pub fn new(parameters: &Parameters) -> Self {
        Swift { parameters: parameters.clone(), state: SwiftState { rate: parameters.initial_mbps, last: None, decreased: None } }
    }

    /// The window that a rate is, packets.
    pub fn window(&self, mbps: f64) -> f64 {
        mbps * self.parameters.update_interval_us / (8.0 * f64::from(self.parameters.packet_bytes))
    }

    /// The target of the fabric's delay at a window: base, hops and flow scaling (section 3.1).
    pub fn target_us(&self, window: f64, hops: u8) -> f64 {
        let p = &self.parameters;
        let least = p.flow_most_packets.sqrt().recip();
        let alpha = p.flow_range_us / (p.flow_least_packets.sqrt().recip() - least);
        let scaling = (alpha * window.sqrt().recip() - alpha * least).clamp(0.0, p.flow_range_us);
        p.base_target_us + p.hop_us * f64::from(hops) + scaling
    }

    /// A completed segment. `forced` overrules the comparison of the fabric's delay with its
    /// target: it says whether it is reached.
    pub fn step(&mut self, delays: Delays, now_us: f64, forced: Option<bool>) -> SwiftStep {
        let window = self.window(self.state.rate);
        let target_us = self.target_us(window, delays.hops);
        let (p, s) = (&self.parameters, &mut self.state);
        let delta_factor = match s.last {
            Some(time) if p.delta_factor => ((now_us - time) / p.update_interval_us).min(1.0),
            _ => 1.0,
        };
        let reached = forced.unwrap_or(delays.fabric_us >= target_us);
        let endpoint_over = delays.endpoint_us > p.endpoint_target_us;
        let may_fall = s.decreased.is_none_or(|time| now_us - time >= delays.fabric_us + delays.endpoint_us - HALF_NS_US);
        let mut wanted = s.rate;
        let branch = if !reached && !endpoint_over {
            wanted += p.additive_step_mbps * delta_factor;
            Branch::Increase
        } else if may_fall {
            let part = |delay: f64, target: f64| p.beta * ((delay - target) / delay).max(0.0);
            let fabric = if reached { part(delays.fabric_us, target_us) } else { 0.0 };
            let endpoint = if endpoint_over { part(delays.endpoint_us, p.endpoint_target_us) } else { 0.0 };
            wanted *= 1.0 - fabric.max(endpoint).min(p.max_decrease);
            s.decreased = Some(now_us);
            if fabric >= endpoint.min(p.max_decrease) { Branch::Decrease } else { Branch::AboveHigh }
        } else {
            Branch::Held
        };
        let floored = if p.half_floor { wanted.max(s.rate / 2.0) } else { wanted };
        s.rate = floored.clamp(p.least_mbps, p.greatest_mbps);
        s.last = Some(now_us);
        SwiftStep { rate: s.rate, branch, target_us, window, delta_factor }
    }
}

impl Law for Swift {
    fn update(&mut self, rtt_us: f64, now_us: f64) -> f64 {
        self.step(Delays { fabric_us: rtt_us, ..Delays::default() }, now_us, None).rate
    }

    /// A retransmission time-out is the greatest decrease.
    fn timeout(&mut self, now_us: f64) -> f64 {
        let p = &self.parameters;
        self.state.rate = (self.state.rate * (1.0 - p.max_decrease)).clamp(p.least_mbps, p.greatest_mbps);
        (self.state.last, self.state.decreased) = (None, Some(now_us));
        self.state.rate
    }

    fn loss(&mut self, rtt_us: f64, now_us: f64) -> f64 {
        let kept = self.state.rate * (1.0 - self.parameters.loss_decrease);
        self.update(rtt_us, now_us);
        self.state.rate = kept.clamp(self.parameters.least_mbps, self.parameters.greatest_mbps);
        self.state.rate
    }

    fn restart(&mut self) -> f64 {
        self.state.rate = self.state.rate.min(self.parameters.idle_mbps);
        self.state.last = None;
        self.state.rate
    }

    fn rate(&self) -> f64 {
        self.state.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T of 20 us and packets of 1,250 B: 500 Mb/s is a packet per T.
    fn parameters() -> Parameters {
        Parameters {
            update_interval_us: 20.0,
            packet_bytes: 1250,
            additive_step_mbps: 500.0,
            beta: 0.8,
            base_target_us: 25.0,
            hop_us: 1.0,
            flow_range_us: 30.0,
            flow_least_packets: 0.25,
            flow_most_packets: 100.0,
            endpoint_target_us: 10.0,
            ..Parameters::swift_10g(8.0)
        }
    }

    fn fabric(us: f64) -> Delays {
        Delays { fabric_us: us, ..Delays::default() }
    }

    #[test]
    fn the_target_by_hand() {
        let law = Swift::new(&parameters());
        assert_eq!(law.window(5000.0), 10.0);
        // alpha = 30 / (2 - 1/10); at 4 packets alpha (1/2 - 1/10).
        assert!((law.target_us(4.0, 5) - (25.0 + 5.0 + 30.0 / 1.9 * 0.4)).abs() < 1e-12);
        assert_eq!((law.target_us(0.01, 0), law.target_us(1000.0, 0)), (55.0, 25.0));
    }

    /// A window of 10 packets that is acknowledged packet by packet grows by ai in all; one of a
    /// quarter by ai a packet.
    #[test]
    fn the_increase_of_a_window() {
        let mut law = Swift::new(&parameters());
        law.state.rate = 5000.0;
        law.state.last = Some(0.0);
        (1..=10).for_each(|k| {
            law.step(fabric(20.0), 2.0 * f64::from(k), None);
        });
        assert!((law.rate() - 5500.0).abs() < 1e-9, "{}", law.rate());
        law.state.rate = 125.0;
        law.step(fabric(20.0), 100.0, None);
        assert_eq!(law.rate(), 625.0);
    }

    #[test]
    fn a_decrease_an_rtt() {
        let mut law = Swift::new(&Parameters { flow_range_us: 0.0, ..parameters() });
        assert!((law.step(fabric(50.0), 100.0, None).rate - 6000.0).abs() < 1e-9);
        assert_eq!(law.step(fabric(50.0), 149.0, None).branch, Branch::Held);
        // The greatest decrease.
        assert!((law.step(fabric(500.0), 700.0, None).rate - 3000.0).abs() < 1e-9);
        // The endpoint's delay has its own target.
        let slow = Delays { fabric_us: 20.0, endpoint_us: 20.0, hops: 0 };
        let step = law.step(slow, 1000.0, None);
        assert_eq!(step.branch, Branch::AboveHigh);
        assert!((step.rate - 1800.0).abs() < 1e-9, "{step:?}");
        assert_eq!(law.timeout(2000.0), 900.0);
        assert_eq!(law.step(fabric(100.0), 2050.0, None).branch, Branch::Held);
    }
}
