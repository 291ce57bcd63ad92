//! Report of a bump in the wire, said at its end.
use super::{Count, ENDS, Shared, held};
use crate::nic::clock::NOMINAL_PS;
use serde::Serialize;
use std::fmt::{Display, Formatter};

/// Counted at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AtEnd {
    /// Frames that came to the NIC.
    pub came_frames: u64,
    /// Bytes of these, without FCS.
    pub came_bytes: u64,
    /// Frames that left the NIC.
    pub left_frames: u64,
    /// Bytes of these, without FCS.
    pub left_bytes: u64,
    /// Frames that left the NIC, and that no machine took.
    pub untaken_frames: u64,
}

/// The report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// At the host's end.
    pub host: AtEnd,
    /// At the network's end.
    pub network: AtEnd,
    /// Simulated time, s.
    pub simulated_s: f64,
    /// Time of this machine's that running it took, s.
    pub wall_s: f64,
    /// The latter over the former; nothing where no time was run.
    pub dilation: Option<f64>,
}

impl From<Count> for AtEnd {
    fn from(c: Count) -> Self {
        let Count { came, came_bytes, left, left_bytes, untaken } = c;
        AtEnd { came_frames: came, came_bytes, left_frames: left, left_bytes, untaken_frames: untaken }
    }
}

impl Summary {
    /// The report of what was counted.
    pub fn of(shared: &Shared) -> Self {
        let [host, network] = ENDS.map(|end| held(&shared.counts)[end as usize].into());
        let (simulated, wall) = *held(&shared.ran);
        let dilation = (!simulated.is_zero()).then(|| wall.as_secs_f64() / simulated.as_secs_f64());
        Summary { host, network, simulated_s: simulated.as_secs_f64(), wall_s: wall.as_secs_f64(), dilation }
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        for (name, end) in [("host", self.host), ("network", self.network)] {
            writeln!(
                f,
                "{name:8} {:>10} frames came ({} B), {:>10} left ({} B), {} taken by no machine",
                end.came_frames, end.came_bytes, end.left_frames, end.left_bytes, end.untaken_frames
            )?;
        }
        write!(f, "{:.3} s of simulated time took {:.3} s of this machine's", self.simulated_s, self.wall_s)?;
        match self.dilation {
            Some(by) if by > 1.0 => {
                write!(f, ": {by:.0} times slower than its clock of {} ns; raise the machines' time-outs by that factor", NOMINAL_PS / 1000)
            }
            Some(_) => write!(f, ": it kept up with the wall's clock"),
            None => Ok(()),
        }
    }
}
