//! The control laws in f64 and human units: microseconds, Mb/s of wire bytes.
//!
//! The integer engine is held against these laws, and software-paced hosts in the simulator run
//! them. The parameters are [`timely_regs::parameters::Parameters`], so that a profile means the
//! same in software and in hardware.
mod dcqcn;
mod fixed;
mod patched;
mod swift;
mod timely;

pub use dcqcn::{Dcqcn, DcqcnState, Stage};
pub use fixed::Fixed;
pub use patched::{Patched, PatchedState, PatchedStep};
pub use swift::{Delays, Swift, SwiftState, SwiftStep};
pub use timely::{Decision, Step, Timely, TimelyState};
use timely_regs::parameters::{LawKind, Parameters};

/// A control law of one flow. Times are passed in: a law has no clock.
pub trait Law {
    /// Takes the RTT of a completed segment, us, at `now_us`; gives the rate from now on, Mb/s.
    fn update(&mut self, rtt_us: f64, now_us: f64) -> f64;

    /// A segment was given up unanswered at `now_us`; gives the rate from now on, Mb/s.
    fn timeout(&mut self, now_us: f64) -> f64;

    /// Takes the RTT of a segment whose ACK tells of lost packets, as [`Law::update`] does, but the
    /// rate falls by the profile's decrease instead of by the law; the caller sees to it that it
    /// does so once in an RTT.
    fn loss(&mut self, rtt_us: f64, now_us: f64) -> f64;

    /// The flow sends again after its profile's idle time; gives the rate from now on, Mb/s.
    fn restart(&mut self) -> f64;

    /// The rate, Mb/s.
    fn rate(&self) -> f64;
}

/// The law that the parameters name, for a new flow.
pub fn law(parameters: &Parameters) -> Box<dyn Law + Send> {
    match parameters.law {
        LawKind::Fixed => Box::new(Fixed::new(parameters)),
        LawKind::Timely => Box::new(Timely::new(parameters)),
        LawKind::Patched | LawKind::Pi => Box::new(Patched::new(parameters)),
        LawKind::Swift => Box::new(Swift::new(parameters)),
        LawKind::Dcqcn => Box::new(Dcqcn::new(parameters)),
    }
}

/// The branch of the law that decided an update; the discriminant is the code in the engine's
/// events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Branch {
    /// The RTT is below Tlow: additive increase.
    BelowLow = 0,
    /// The RTT is above Thigh: multiplicative decrease by how far. Swift: decrease by the
    /// endpoint's delay.
    AboveHigh = 1,
    /// The gradient is not positive: additive increase, perhaps hyperactive. Swift: the delays are
    /// below their targets. DCQCN: a stage of increase has ended.
    Increase = 2,
    /// The gradient is positive: multiplicative decrease by it. Swift: decrease by the fabric's
    /// delay. DCQCN: a CNP.
    Decrease = 3,
    /// No law was consulted.
    None = 4,
    /// Swift is above a target, but decreased less than an RTT ago.
    Held = 5,
}
