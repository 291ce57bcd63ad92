//! Rivals of TIMELY, as controllers of the fabric's flows.
pub mod dcqcn;
mod dctcp;
mod fast;
pub mod patched;
mod timely;

pub use dctcp::Dctcp;
pub use fast::Fast;
pub use timely::{Conext, Hpcc, Window};

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
    /// DCQCN (SIGCOMM'15): the rate falls at congestion notifications and recovers by a timer and a
    /// byte counter; its flows start at line rate.
    Dcqcn,
    /// The rate version of TCP FAST that SIGCOMM'15 compares with; `additive_step_mbps` is its
    /// protocol parameter.
    Fast,
    /// TIMELY as HPCC's ns-3 simulator runs it (`timely` there). Every packet is answered.
    TimelyHpcc,
    /// The same with a window that follows the rate (`timely_vwin` there).
    TimelyVwin,
    /// TIMELY as the simulator of "ECN or Delay" (CoNEXT'16) runs it.
    TimelyConext,
    /// Patched TIMELY, likewise.
    PatchedConext,
    /// Patched TIMELY with a PI controller at the host, likewise.
    PiConext,
}

/// Parameters of rivals that no profile of the engine has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    /// Of DCQCN.
    pub dcqcn: dcqcn::Parameters,
    /// Of patched TIMELY with a PI controller at the host.
    pub pi_host: patched::PiHost,
}

impl Rival {
    /// All rivals, with their names.
    pub const NAMED: [(&str, Rival); 10] = [
        ("none", Rival::None),
        ("dcqcn", Rival::Dcqcn),
        ("dctcp", Rival::Dctcp),
        ("fast", Rival::Fast),
        ("timely-hpcc", Rival::TimelyHpcc),
        ("timely-vwin", Rival::TimelyVwin),
        ("timely_vwin", Rival::TimelyVwin),
        ("timely-conext", Rival::TimelyConext),
        ("patched-conext", Rival::PatchedConext),
        ("pi-conext", Rival::PiConext),
    ];

    /// A flow's controller; what the rival wants of the flow otherwise goes into `spec`.
    pub fn control(self, p: &Parameters, of: &Own, line: Speed, base_us: f64, spec: &mut FlowSpec) -> Control {
        let mbps = line.as_bps() as f64 / 1e6;
        let wire = spec.packet + PER_PACKET;
        match self {
            Rival::None => {
                spec.bound = 0;
                Control::Other(Box::new(Line(mbps)))
            }
            Rival::Dcqcn => {
                (spec.bound, spec.cnp, spec.cnp_grid) = (0, of.dcqcn.cnp, of.dcqcn.cnp_grid);
                let limits = (p.least_mbps, mbps.min(p.greatest_mbps));
                Control::Other(Box::new(dcqcn::Dcqcn::new(of.dcqcn, limits, mbps)))
            }
            Rival::Dctcp => {
                spec.segment = spec.packet;
                Control::Other(Box::new(Dctcp::new(mbps, wire, base_us)))
            }
            Rival::Fast => Control::Other(Box::new(Fast::new(p, base_us))),
            Rival::TimelyHpcc | Rival::TimelyVwin => {
                spec.segment = spec.packet;
                spec.rtt_start = Start::LastPacket;
                spec.scheduled = true;
                let bytes = mbps / 8.0 * base_us + f64::from(wire);
                let window = Window { bytes, mbps, payload: spec.packet, wire };
                Control::Other(Box::new(Hpcc::new(p, (self == Rival::TimelyVwin).then_some(window))))
            }
            Rival::TimelyConext => {
                spec.rtt_start = Start::LastPacket;
                Control::Other(Box::new(Conext::new(p, mbps, f64::from(wire) * 8.0 / mbps)))
            }
            Rival::PatchedConext => {
                spec.rtt_start = Start::LastPacket;
                Control::Other(Box::new(patched::Patched::new(p, mbps, f64::from(wire) * 8.0 / mbps)))
            }
            Rival::PiConext => Control::Other(Box::new(patched::Pi::new(p, of.pi_host, mbps, base_us))),
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
