//! What TIMELY is compared with, as controllers of the fabric's flows.
mod dctcp;
mod fast;
mod timely;

pub use dctcp::Dctcp;
pub use fast::Fast;
pub use timely::{Conext, Hpcc};

use crate::fabric::control::{Answer, Control, Controller};
use crate::fabric::flow::{FlowSpec, PER_PACKET, Start};
use crate::time::{Ps, Speed};
use timely_regs::parameters::Parameters;

/// A rival, by its name in scenario files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// Line rate without any bound: flow control alone.
    None,
    /// DCTCP (SIGCOMM'10): a window that marks cut by their share. Every packet is answered.
    Dctcp,
    /// The rate version of TCP FAST that SIGCOMM'15 compares with; `additive_step_mbps` is its protocol parameter.
    Fast,
    /// TIMELY as HPCC's ns-3 simulator runs it. Every packet is answered.
    TimelyHpcc,
    /// TIMELY as the simulator of "ECN or Delay" (CoNEXT'16) runs it.
    TimelyConext,
}

impl Rival {
    /// All of them, with their names.
    pub const NAMED: [(&str, Rival); 5] = [
        ("none", Rival::None),
        ("dctcp", Rival::Dctcp),
        ("fast", Rival::Fast),
        ("timely-hpcc", Rival::TimelyHpcc),
        ("timely-conext", Rival::TimelyConext),
    ];

    /// A flow's controller; what the rival wants of the flow otherwise goes into `spec`.
    pub fn control(self, p: &Parameters, line: Speed, base_us: f64, spec: &mut FlowSpec) -> Control {
        let mbps = line.as_bps() as f64 / 1e6;
        let wire = spec.packet + PER_PACKET;
        match self {
            Rival::None => {
                spec.bound = 0;
                Control::Other(Box::new(Line(mbps)))
            }
            Rival::Dctcp => {
                spec.segment = spec.packet;
                Control::Other(Box::new(Dctcp::new(mbps, wire)))
            }
            Rival::Fast => Control::Other(Box::new(Fast::new(p, base_us))),
            Rival::TimelyHpcc => {
                spec.segment = spec.packet;
                spec.rtt_start = Start::LastPacket;
                Control::Other(Box::new(Hpcc::new(p)))
            }
            Rival::TimelyConext => {
                spec.rtt_start = Start::LastPacket;
                Control::Other(Box::new(Conext::new(p, mbps, f64::from(wire) * 8.0 / mbps)))
            }
        }
    }
}

struct Line(f64);

impl Controller for Line {
    fn answer(&mut self, _: &Answer) {}
    fn timeout(&mut self, _: Ps) {}
    fn rate(&self) -> f64 {
        self.0
    }
}
