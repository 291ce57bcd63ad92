//! The control laws of event-level hosts.

/// A rate law in f64: a completion in, a rate out.
pub trait Law: Send {
    /// A round trip of `rtt_ns` ended at `now_ns`: the new rate in Mb/s.
    fn completion(&mut self, rtt_ns: f64, now_ns: f64) -> f64;
    /// The rate, Mb/s.
    fn rate(&self) -> f64;
}

/// No control: a rate for good.
#[derive(Clone, Copy, Debug)]
pub struct Fixed(pub f64);

impl Law for Fixed {
    fn completion(&mut self, _rtt_ns: f64, _now_ns: f64) -> f64 {
        self.0
    }
    fn rate(&self) -> f64 {
        self.0
    }
}
