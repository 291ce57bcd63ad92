//! Jitter of the feedback: two flows with bit-true NICs, by the RTT and by the one-way delay,
//! beside DCQCN.
use super::{Arm, Lab, Row, SENDERS, Sender};
use crate::paper::conext16::Queue;
use crate::scenario::build::Outcome;
use toml::Value;

const SCENARIO: &str = include_str!("../../scenarios/ecn_or_delay/jitter.toml");
/// No jitter.
pub const STILL: &str = "still";
/// Jitter that is part of the RTT, or delays CNPs.
pub const JITTER: &str = "jitter";
/// Jitter on the way back, and a signal of the way there alone.
pub const ONE_WAY: &str = "jitter, one-way";
/// Quantities of each run.
pub const QUANTITIES: [&str; 4] = ["utilization", "queue KB", "queue deviation KB", "Jain"];

fn arms() -> Vec<Arm> {
    let mut all = Vec::new();
    for sender in SENDERS {
        let feedback: &[&str] = if sender == Sender::Dcqcn { &[STILL, JITTER] } else { &[STILL, JITTER, ONE_WAY] };
        for &feedback in feedback {
            let mut changes = sender.changes("flow.0");
            if feedback != STILL {
                changes.push(("switch.feedback_jitter_us".into(), Value::Float(100.0)));
                changes.push(("switch.feedback_every_us".into(), Value::Float(5.0)));
            }
            if feedback == ONE_WAY {
                changes.push(("profile.sender.signal".into(), Value::String("one_way".into())));
            }
            all.push(Arm { sender, feedback, load: 0.0, changes });
        }
    }
    all
}

fn read(_: &Arm, o: Outcome) -> Result<[f64; 4], String> {
    let q = Queue::steady(&o, 0);
    Ok([o.summary.utilization, q.mean, q.deviation, o.summary.jain])
}

/// Rows of all arms.
pub fn jitter(lab: &Lab) -> Result<Vec<Row>, String> {
    some(lab, |_, _, _| true)
}

/// Single arms.
pub fn some(lab: &Lab, chosen: impl Fn(Sender, &str, f64) -> bool) -> Result<Vec<Row>, String> {
    let arms: Vec<Arm> = arms().into_iter().filter(|a| chosen(a.sender, a.feedback, a.load)).collect();
    lab.rows("jitter", SCENARIO, &arms, QUANTITIES, read)
}
