//! Completion times of small messages on a dumbbell: the laws by the NIC's stamps and by a
//! kernel's, DCQCN, and how near bit-true NICs come.
use super::{Arm, CONTROLS, Lab, Row, SENDERS, Sender};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::US;
use toml::Value;

const SCENARIO: &str = include_str!("../../scenarios/ecn_or_delay/fct.toml");
/// The paper's loads.
pub const LOADS: [f64; 4] = [0.1, 0.4, 0.8, 1.0];
/// Small messages are below this, bytes.
const SMALL: u64 = 100_000;
/// Large messages have at least this, bytes.
const LARGE: u64 = 1_000_000;
/// Stamps of the NIC, ACKs of the NIC.
pub const NIC: &str = "NIC";
/// RTTs longer by what a kernel's stamps and answers were measured to add.
pub const KERNEL: &str = "kernel";
/// Of DCQCN.
pub const MARKS: &str = "marks";
/// Quantities of each run.
pub const QUANTITIES: [&str; 6] = ["median us", "p90 us", "p99 us", "large median ms", "utilization", "queue KB"];

fn load(of: f64) -> Change {
    ("load.0.load".into(), Value::Float(of * 0.08))
}

fn arms() -> Vec<Arm> {
    let mut all = Vec::new();
    for sender in SENDERS.into_iter().chain(CONTROLS) {
        let feedback: &[&str] = match sender {
            _ if sender.by_marks() => &[MARKS],
            _ if CONTROLS.contains(&sender) => &[NIC],
            _ => &[NIC, KERNEL],
        };
        for &feedback in feedback {
            for of in LOADS {
                let mut changes = sender.changes("load.0");
                changes.push(load(of));
                if feedback == KERNEL {
                    changes.push(("nic.rtt_noise".into(), Value::String("kernel".into())));
                }
                all.push(Arm { sender, feedback, load: of, changes });
            }
        }
    }
    all
}

// Flow, bytes and time from posting to the last ACK less the unloaded RTT, us, of complete
// messages.
fn times(o: &Outcome) -> Vec<(usize, u64, f64)> {
    let of = o.recorder.flows.iter().enumerate();
    let of = of.filter_map(|(i, f)| Some((i, f.info.bytes?, f.completion? as f64 / US as f64 - o.base_rtt_us)));
    of.collect()
}

fn quantile(sorted: &[f64], p: f64) -> f64 {
    sorted.get(((sorted.len() as f64 * p) as usize).min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

fn read(_: &Arm, o: Outcome) -> Result<[f64; 6], String> {
    let mut small: Vec<f64> = times(&o).into_iter().filter(|t| t.1 < SMALL).map(|t| t.2).collect();
    small.sort_by(f64::total_cmp);
    // Flows that did not end count until the end of the run.
    let end = o.recorder.windows.end;
    let large = o.recorder.flows.iter().filter(|f| f.info.bytes.is_some_and(|b| b >= LARGE));
    let mut large: Vec<f64> = large.map(|f| f.completion.unwrap_or(end.saturating_sub(f.info.start)) as f64 / 1e9).collect();
    large.sort_by(f64::total_cmp);
    // The first watched port is a receiver's, the second the trunk's.
    let trunk = o.recorder.taps.get(1).ok_or("the dumbbell has no trunk")?;
    let seconds = (o.recorder.windows.end - o.recorder.windows.steady) as f64 * 1e-12;
    let used = trunk.wire_steady as f64 * 8.0 / seconds / 10e9;
    Ok([quantile(&small, 0.5), quantile(&small, 0.9), quantile(&small, 0.99), quantile(&large, 0.5), used, trunk.histogram.mean() / 1e3])
}

/// All loads, senders and stamps.
pub fn completion_times(lab: &Lab) -> Result<Vec<Row>, String> {
    lab.rows("fct", SCENARIO, &arms(), QUANTITIES, read)
}

/// Single arms.
pub fn some(lab: &Lab, chosen: impl Fn(Sender, &str, f64) -> bool) -> Result<Vec<Row>, String> {
    let arms: Vec<Arm> = arms().into_iter().filter(|a| chosen(a.sender, a.feedback, a.load)).collect();
    lab.rows("fct", SCENARIO, &arms, QUANTITIES, read)
}

/// The first 60 ms at load 0.8, on event-level NICs and on the integer model, which equals the
/// Verilog bit for bit: how far apart the times of the same messages are.
pub fn bit_true(lab: &Lab) -> Result<Vec<Row>, String> {
    const PART: f64 = 0.015;
    let word = |kind: &str| ("nic.kind".to_owned(), Value::String(kind.into()));
    let arm = |sender: Sender| Arm {
        sender,
        feedback: NIC,
        load: 0.8,
        changes: [sender.changes("load.0"), vec![load(0.8), word("model")]].concat(),
    };
    let arms: Vec<Arm> = SENDERS.into_iter().filter(|s| *s != Sender::Dcqcn).map(arm).collect();
    // Shorter than 20 ms there are too few messages.
    let lab = Lab { part: (lab.part * PART).max(PART / 3.0), ..*lab };
    let quantities = ["messages", "median difference %", "p90 difference %", "sum of times over event's"];
    lab.rows("model", SCENARIO, &arms, quantities, |arm, o| {
        let changes = [arm.changes.clone(), vec![word("event")]].concat();
        let event = times(&lab.run(SCENARIO, &changes, o.plan.seed)?);
        let model = times(&o);
        // Both are in the order of flows.
        let pairs: Vec<(f64, f64)> = model.iter().filter_map(|m| event.iter().find(|e| e.0 == m.0).map(|e| (m.2, e.2))).collect();
        let mut apart: Vec<f64> = pairs.iter().map(|(m, e)| 100.0 * (m / e - 1.0).abs()).collect();
        apart.sort_by(f64::total_cmp);
        let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        Ok([pairs.len() as f64, quantile(&apart, 0.5), quantile(&apart, 0.9), sum(|p| p.0) / sum(|p| p.1)])
    })
}
