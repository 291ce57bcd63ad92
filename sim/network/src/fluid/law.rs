//! Fluid laws: the derivative of one flow and of the queue, with values of the past.
//!
//! A state vector is the shared states (the queue first), then each flow's states (its rate first).
//! The integrator ([`super::solve`]) and the linearisation ([`crate::stability::linear`]) take the
//! same functions, so an equation is written once.

/// Values of the past, as one flow sees them.
pub trait Past {
    /// Shared state `i` so many seconds ago.
    fn shared(&self, i: usize, lag: f64) -> f64;
    /// The flow's own state `i` so many seconds ago.
    fn own(&self, i: usize, lag: f64) -> f64;
    /// Jitter of the feedback so many seconds ago, seconds.
    fn jitter(&self, _lag: f64) -> f64 {
        0.0
    }
    /// Jitter that a measurement so many seconds ago took for queueing, seconds.
    fn measured_jitter(&self, _lag: f64) -> f64 {
        0.0
    }
    /// Jitter of the RTT that a flow compares with its reference, beyond that of its newest RTT,
    /// seconds.
    fn judged_jitter(&self) -> f64 {
        0.0
    }
}

/// The queue among the shared states.
pub const QUEUE: usize = 0;
/// The rate among a flow's states.
pub const RATE: usize = 0;

/// A congestion control as delay differential equations of identical flows at one bottleneck.
pub trait Law {
    /// Shared states: the queue and, where the switch has a controller, its output.
    fn shared(&self) -> usize {
        1
    }

    /// States of a flow.
    fn states(&self) -> usize;

    /// Capacity of the bottleneck, units of rate.
    fn capacity(&self) -> f64;

    /// Bytes in a unit of the queue; a unit of rate is one of these a second.
    fn unit_bytes(&self) -> f64;

    /// Longest lag that the equations ask for, seconds.
    fn horizon(&self) -> f64;

    /// The equations ask for shared states of the past alone.
    fn remembers_shared_alone(&self) -> bool;

    /// Initial states of a flow that starts with this rate, its own controller, if it has one, with
    /// this output.
    fn start(&self, rate: f64, output: f64) -> Vec<f64>;

    /// Derivative of a flow's states, a second.
    fn flow(&self, shared: &[f64], own: &[f64], past: &impl Past, derivative: &mut [f64]);

    /// Derivative of the shared states beyond the queue, a second; `growth` is that of the queue.
    fn controller(&self, _shared: &[f64], _growth: f64, _derivative: &mut [f64]) {}

    /// Period of a controller that samples the queue, seconds.
    fn period(&self) -> Option<f64> {
        None
    }

    /// A sample of that controller; `last` is the queue at the one before.
    fn sample(&self, _shared: &mut [f64], _last: f64) {}

    /// The queue of before the run, units of it, which what is asked of then sees.
    fn before(&self) -> f64 {
        0.0
    }

    /// Keeps a flow's states within what its sender allows.
    fn limit(&self, own: &mut [f64]);

    /// Gb/s in a unit of rate.
    fn gbps(&self) -> f64 {
        self.unit_bytes() * 8e-9
    }
}
