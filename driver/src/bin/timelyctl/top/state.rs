//! State of `top`: the last looks at a NIC, figures of each flow derived from them, and the order
//! and filter of the flows shown.
use super::keys::Key;
use std::collections::{BTreeMap, VecDeque};
use timely_driver::report::{DeviceReport, FlowReport, FlowTelemetry, Telemetry};

/// Looks that are remembered: as many as a wide terminal has columns.
pub const REMEMBERED: usize = 256;

/// Columns that flows can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[allow(missing_docs)]
pub enum Column {
    Flow,
    To,
    Rate,
    Sent,
    Rtt,
    Least,
    Gradient,
    Branch,
    Timeouts,
    Updates,
}

/// All of them, as they stand on the screen.
pub const COLUMNS: [Column; 10] = [
    Column::Flow,
    Column::To,
    Column::Rate,
    Column::Sent,
    Column::Rtt,
    Column::Least,
    Column::Gradient,
    Column::Branch,
    Column::Timeouts,
    Column::Updates,
];

/// A flow as it is shown. Differences between two looks are there from the second look on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Number of the flow.
    pub flow: u32,
    /// Destination; empty when another program made the flow.
    pub to: String,
    /// Rate, Mb/s.
    pub rate: f64,
    /// Wire bytes sent since the last look, as Mb/s.
    pub sent: Option<f64>,
    /// Smoothed RTT, ns.
    pub rtt: Option<f64>,
    /// Least RTT, ns.
    pub least: Option<f64>,
    /// How much its smoothed RTT grew since the last look, in parts of the least.
    pub gradient: Option<f64>,
    /// Branch of its last update.
    pub branch: String,
    /// Time-outs since it was made.
    pub timeouts: u32,
    /// Updates a second.
    pub updates: Option<f64>,
    /// Smoothed RTTs, ns, the newest first.
    pub history: VecDeque<f64>,
}

/// Updates since the last look, by branch.
pub type Branches = [u32; 5];

/// Data that `top` shows, and how they are shown.
#[derive(Clone, Debug, Default)]
pub struct Top {
    /// The device at the last look.
    pub device: Option<DeviceReport>,
    /// Telemetry of the last look.
    pub telemetry: Option<Telemetry>,
    /// Flows of the last look.
    pub rows: Vec<Row>,
    /// Updates since the look before.
    pub branches: Branches,
    /// Sum of the flows' sent rates, Mb/s, the newest first.
    pub sent: VecDeque<f64>,
    /// Mean of the flows' smoothed RTTs, ns, the newest first.
    pub rtt: VecDeque<f64>,
    destinations: BTreeMap<u32, String>,
    /// Column that flows are sorted by.
    pub column: Option<Column>,
    /// From the greatest to the least.
    pub descending: bool,
    /// Flows are shown that have this in their number, destination or branch.
    pub filter: String,
    /// The filter is being typed.
    pub typing: bool,
    /// The screen is paused: the NIC is not read.
    pub paused: bool,
    /// Flows above the first one on the screen.
    pub above: usize,
}

fn remember(all: &mut VecDeque<f64>, value: f64) {
    all.push_front(value);
    all.truncate(REMEMBERED);
}

fn counts(f: &FlowTelemetry) -> Branches {
    [f.below_tlow, f.above_thigh, f.gradient_increase, f.gradient_decrease, f.other]
}

/// Wire bytes between two looks; the counter has 48 bits and wraps.
fn bytes(now: &FlowTelemetry, before: &FlowTelemetry) -> u64 {
    now.wire_bytes.wrapping_sub(before.wire_bytes) & ((1 << 48) - 1)
}

/// A branch as people say it.
pub fn branch(name: &str) -> &str {
    match name {
        "below_tlow" => "below Tlow",
        "above_thigh" => "above Thigh",
        "gradient_increase" => "gradient up",
        "gradient_decrease" => "gradient down",
        other => other,
    }
}

impl Top {
    /// Sorted by a column; a filter.
    pub fn new(column: Column, filter: &str) -> Self {
        Top { column: Some(column), descending: !matches!(column, Column::Flow | Column::To), filter: filter.into(), ..Top::default() }
    }

    /// The flows have become others: where they go must be asked for.
    pub fn wants_destinations(&self, t: &Telemetry) -> bool {
        !t.flows.iter().map(|f| f.flow).eq(self.destinations.keys().copied())
    }

    /// Where flows go.
    pub fn set_destinations(&mut self, flows: &[FlowReport]) {
        self.destinations = flows.iter().map(|f| (f.flow, f.spec.as_ref().map_or(String::new(), |s| s.to.to_string()))).collect();
    }

    /// Takes another look.
    pub fn look(&mut self, device: DeviceReport, telemetry: Telemetry) {
        let before = self.telemetry.take();
        let mut histories: BTreeMap<u32, VecDeque<f64>> = self.rows.drain(..).map(|r| (r.flow, r.history)).collect();
        let passed = before.as_ref().and_then(|b| telemetry.time_ns.checked_sub(b.time_ns)).filter(|ns| *ns > 0);
        let earlier: BTreeMap<u32, &FlowTelemetry> = before.iter().flat_map(|b| &b.flows).map(|f| (f.flow, f)).collect();
        self.branches = Branches::default();
        for f in &telemetry.flows {
            // A flow that was removed and made again starts anew.
            let old = earlier.get(&f.flow).filter(|o| f.updates.wrapping_sub(o.updates) < 1 << 31).zip(passed);
            let least = f.rtt_min_ns.map(f64::from);
            let change = old.and_then(|(o, _)| Some((f.rtt_smoothed_ns? - o.rtt_smoothed_ns?) / least.filter(|l| *l > 0.0)?));
            if let Some((o, _)) = old {
                for (sum, (now, before)) in self.branches.iter_mut().zip(counts(f).into_iter().zip(counts(o))) {
                    *sum = sum.saturating_add(now.wrapping_sub(before));
                }
            }
            let mut history = if old.is_some() { histories.remove(&f.flow).unwrap_or_default() } else { VecDeque::new() };
            if let Some(rtt) = f.rtt_smoothed_ns {
                remember(&mut history, rtt);
            }
            self.rows.push(Row {
                flow: f.flow,
                to: self.destinations.get(&f.flow).cloned().unwrap_or_default(),
                rate: f.rate_mbps,
                sent: old.map(|(o, ns)| bytes(f, o) as f64 * 8000.0 / ns as f64),
                rtt: f.rtt_smoothed_ns,
                least,
                gradient: change,
                branch: f.last_branch.clone(),
                timeouts: f.timeouts,
                updates: old.map(|(o, ns)| f64::from(f.updates.wrapping_sub(o.updates)) * 1e9 / ns as f64),
                history,
            });
        }
        if passed.is_some() {
            remember(&mut self.sent, self.rows.iter().filter_map(|r| r.sent).fold(0.0, |a, b| a + b));
        }
        let rtts: Vec<f64> = self.rows.iter().filter_map(|r| r.rtt).collect();
        if !rtts.is_empty() {
            remember(&mut self.rtt, rtts.iter().sum::<f64>() / rtts.len() as f64);
        }
        (self.device, self.telemetry) = (Some(device), Some(telemetry));
    }

    /// The flows that are shown, in their order.
    pub fn shown(&self) -> Vec<&Row> {
        let wanted = self.filter.to_lowercase();
        let has = |r: &&Row| wanted.is_empty() || format!("{} {} {}", r.flow, r.to, branch(&r.branch)).to_lowercase().contains(&wanted);
        let mut rows: Vec<&Row> = self.rows.iter().filter(has).collect();
        let number = |x: Option<f64>| x.unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|a, b| {
            let by = |of: &dyn Fn(&Row) -> f64| of(a).total_cmp(&of(b));
            let order = match self.column.unwrap_or(Column::Flow) {
                Column::Flow => a.flow.cmp(&b.flow),
                Column::To => a.to.cmp(&b.to),
                Column::Rate => by(&|r| r.rate),
                Column::Sent => by(&|r| number(r.sent)),
                Column::Rtt => by(&|r| number(r.rtt)),
                Column::Least => by(&|r| number(r.least)),
                Column::Gradient => by(&|r| number(r.gradient)),
                Column::Branch => a.branch.cmp(&b.branch),
                Column::Timeouts => a.timeouts.cmp(&b.timeouts),
                Column::Updates => by(&|r| number(r.updates)),
            };
            let order = if self.descending { order.reverse() } else { order };
            order.then(a.flow.cmp(&b.flow))
        });
        rows
    }

    fn turn(&mut self, by: usize) {
        let at = self.column.and_then(|c| COLUMNS.iter().position(|o| *o == c)).unwrap_or(0);
        let column = COLUMNS[(at + by) % COLUMNS.len()];
        self.column = Some(column);
        self.descending = !matches!(column, Column::Flow | Column::To);
    }

    /// Does what a key asks for; `true` when that is the end. `page`: flows on the screen.
    pub fn key(&mut self, key: Key, page: usize) -> bool {
        if self.typing {
            match key {
                Key::Interrupt => return true,
                Key::Char(c) => self.filter.push(c),
                Key::Back => drop(self.filter.pop()),
                Key::Enter => self.typing = false,
                Key::Escape => (self.typing, self.filter) = (false, String::new()),
                _ => {}
            }
            self.above = 0;
            return false;
        }
        match key {
            Key::Char('q') | Key::Interrupt => return true,
            Key::Escape if self.filter.is_empty() => return true,
            Key::Escape => self.filter.clear(),
            Key::Char('s') | Key::Right => self.turn(1),
            Key::Char('S') | Key::Left => self.turn(COLUMNS.len() - 1),
            Key::Char('r') => self.descending = !self.descending,
            Key::Char('/') => self.typing = true,
            Key::Char(' ') => self.paused = !self.paused,
            Key::Char('k') | Key::Up => self.above = self.above.saturating_sub(1),
            Key::Char('j') | Key::Down => self.above += 1,
            Key::PageUp => self.above = self.above.saturating_sub(page),
            Key::PageDown => self.above += page,
            Key::Home => self.above = 0,
            Key::End => self.above = usize::MAX / 2,
            _ => {}
        }
        // There is always one on the screen.
        self.above = self.above.min(self.shown().len().saturating_sub(page.max(1)));
        false
    }
}
