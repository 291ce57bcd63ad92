//! Networks in which the loop of a NIC could open: many segments outstanding, with and without a
//! bound, on every size that is emitted.
use crate::cores::CoreFactory;
use crate::metrics::Summary;
use crate::metrics::blind::Blind;
use crate::scenario::{Form, build, file};
use crate::time::{Ps, US};
use std::fmt;
use std::path::Path;

/// Longest time in which the departure ring is searched for segments that have timed out.
const SCAN: Ps = 300 * US;
/// Time-out of the flows. The RTTs of these networks are shorter: their switches pause.
const TIMEOUT: Ps = 400 * US;
/// Delay of each link.
const DELAY_NS: u32 = 500;

/// NICs that send to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Form of the NICs.
    pub form: Form,
    /// The links, Gb/s.
    pub gbps: u32,
    /// log2 of the flows.
    pub flow_bits: u32,
    /// Senders, of a flow each.
    pub senders: u32,
    /// The named profile's bound on outstanding bytes, or none.
    pub bound: bool,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.form == Form::Inline { "in line" } else { self.form.name() };
        let bound = if self.bound { "bound" } else { "no bound" };
        write!(f, "{form}, {} Gb/s, 2^{} flows, {} to 1, {bound}", self.gbps, self.flow_bits, self.senders)
    }
}

/// Results of a cell.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Flows that sent.
    pub flows: usize,
    /// Flows that heard nothing of their segments for longer than a time-out and a scan.
    pub blind: usize,
    /// The longest time without, us.
    pub longest_us: f64,
    /// RTT samples.
    pub samples: u64,
    /// Segments given up.
    pub timeouts: u64,
    /// The run's figures.
    pub summary: Summary,
}

const SIZES: [u32; 4] = [10, 13, 14, 16];

impl Cell {
    /// Fourteen that need seconds together: each speed, form, size and bound is among them.
    pub const FEW: [Cell; 14] = {
        use Form::{Corundum as C, Inline as I, Standalone as S};
        const fn cell(form: Form, gbps: u32, flow_bits: u32, senders: u32, bound: bool) -> Cell {
            Cell { form, gbps, flow_bits, senders, bound }
        }
        [
            cell(S, 10, 10, 1, true),
            cell(S, 10, 16, 4, false),
            cell(S, 10, 10, 32, false),
            cell(S, 25, 13, 4, false),
            cell(S, 25, 14, 1, true),
            cell(S, 100, 13, 1, true),
            cell(S, 100, 10, 4, false),
            cell(S, 100, 16, 4, true),
            cell(I, 10, 10, 4, true),
            cell(I, 25, 13, 4, false),
            cell(I, 100, 13, 1, true),
            cell(I, 100, 14, 4, false),
            cell(C, 10, 10, 1, true),
            cell(C, 100, 13, 4, false),
        ]
    };

    /// Every form, speed, size, number of senders and bound.
    pub fn all() -> impl Iterator<Item = Cell> {
        let forms = [Form::Standalone, Form::Inline, Form::Corundum].into_iter();
        let sized = forms.flat_map(|form| [10, 25, 100].map(|gbps| SIZES.map(|flow_bits| (form, gbps, flow_bits)))).flatten();
        let sized = sized.filter(|(form, _, flow_bits)| *form != Form::Corundum || Form::CORUNDUM_FLOW_BITS.contains(flow_bits));
        sized.flat_map(|(form, gbps, flow_bits)| {
            let counts = [1, 4, 32].into_iter().flat_map(|senders| [false, true].map(|bound| (senders, bound)));
            counts.map(move |(senders, bound)| Cell { form, gbps, flow_bits, senders, bound })
        })
    }

    fn bus_bits(self) -> u32 {
        let narrowest = match self.gbps {
            10 => 64,
            25 => 128,
            _ => 512,
        };
        if self.form == Form::Inline { narrowest.max(Form::INLINE_BITS) } else { narrowest }
    }

    /// Runs the cell for so many milliseconds.
    ///
    /// # Errors
    /// The cell cannot be run; the sentence says why.
    pub fn run(self, cores: &dyn CoreFactory, duration_ms: f64) -> Result<Heard, String> {
        let form = self.form.name();
        let bound = if self.bound { "" } else { "outstanding_kb = 0\n" };
        let senders = (0..self.senders).map(|s| s.to_string()).collect::<Vec<_>>().join(", ");
        let text = format!(
            "name = 'loop'\nduration_ms = {duration_ms}\nseed = 3\n[topology]\nhosts = {}\n[link]\nrate_gbps = {}\ndelay_ns = {DELAY_NS}\n\
             [nic]\nkind = 'model'\nform = '{form}'\nbus_bits = {}\nflow_bits = {}\n\
             [profile.p]\nlike = 'timely-{}g'\ntimeout_us = {}\n{bound}\
             [[flow]]\nfrom = [{senders}]\nto = {}\nprofile = 'p'\npacket_bytes = 1024\nsegment_bytes = 2048\n",
            self.senders + 1,
            self.gbps,
            self.bus_bits(),
            self.flow_bits,
            self.gbps,
            TIMEOUT / US,
            self.senders
        );
        let plan = file::parse(Path::new("loop.toml"), &text).map_err(|e| e.to_string())?;
        let end = plan.duration;
        let mut blind = Blind::default();
        let outcome = build::run(plan, cores, &mut blind).map_err(|e| e.to_string())?;
        let longest = blind.longest(end);
        let [samples, timeouts] = blind.heard();
        Ok(Heard {
            flows: longest.len(),
            blind: longest.iter().filter(|l| **l > TIMEOUT + SCAN).count() + (self.senders as usize).saturating_sub(longest.len()),
            longest_us: longest.iter().copied().max().unwrap_or(0) as f64 / US as f64,
            samples,
            timeouts,
            summary: outcome.summary,
        })
    }
}
