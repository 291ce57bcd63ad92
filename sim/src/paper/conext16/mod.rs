//! CoNEXT'16, "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY": its figures and
//! theorems run again.
//!
//! Fluid models and the stability analysis are those of `fluid` and `stability`, packets run on the
//! scenarios of `sim/scenarios/conext16`.
mod analysis;
mod dcqcn;
mod fct;
mod monotonic;
mod open;
mod pi;
mod runs;
mod signals;
mod theorems;
mod timely;

pub(crate) use runs::Queue;

use super::finding;
use super::{Experiment, Figure, Lab, curves, decades, distributions, number, word};

/// The parameter set, as it is printed first.
pub const PARAMETERS: &str = "\
DCQCN: 40 Gb/s, packets of 1,000 bytes on the wire, R_AI 40 Mb/s, g 1/256, CNPs at most every 50 us, timers 55 us, byte counter 10 MB, 5 stages,
starts at line rate; queues by a ramp from 5 to 2,000 KB and 10 %, which has the slope of the 200 KB and 1 % of margins and FCTs.
TIMELY: 10 Gb/s, alpha .875, beta .8 (patched .008), T_low 50 us, T_high 500 us, delta 10 Mb/s, minRTT 20 us, rates within 1 to 96 % of the line;
packets in bursts of 64 KB where it is not said otherwise: with 16 KB two flows from 7 + 3 Gb/s end at 9.1 + .8.
Rates of TIMELY in packets are payload as the paper counts it, 95.7 % of the wire. FCTs are less the unloaded RTT of 8 us.
As in the study's sender the first RTT counts as a rise from one packet's serialization.
Packets run with five seeds, which also shift the flows' starts by microseconds.";

/// Share of the wire that the paper counts as rate of TIMELY's packets.
const PAYLOAD: f64 = 0.957;

/// Experiments that the paper leaves to future work.
pub const OPEN: &[&str] = &["margins", "parking", "fattree", "pause"];

/// All experiments, in the order of the paper.
pub const EXPERIMENTS: &[Experiment] = &[
    (&["fig2"], dcqcn::figure_2),
    (&["fig3"], analysis::figure_3),
    (&["fig4"], dcqcn::figure_4),
    (&["fig5"], dcqcn::figure_5),
    (&["fig6"], analysis::figure_6),
    (&["fig8"], timely::figure_8),
    (&["fig9"], timely::figure_9),
    (&["fig10"], timely::figure_10),
    (&["fig11"], analysis::figure_11),
    (&["fig12"], timely::figure_12),
    (&["fig14", "fig15", "fig16"], fct::figures_14_to_16),
    (&["fig17"], signals::figure_17),
    (&["fig18"], pi::figure_18),
    (&["fig19"], pi::figure_19),
    (&["fig20"], signals::figure_20),
    (&["theorems"], theorems::theorems),
    (&["advice"], theorems::advice),
    (&["margins"], monotonic::monotonic),
    (&["parking"], open::bottlenecks),
    (&["fattree"], open::fat_tree),
    (&["pause"], open::pause),
];

const DCQCN: &str = include_str!("../../../scenarios/conext16/dcqcn.toml");
const FAT_TREE: &str = include_str!("../../../scenarios/conext16/fat_tree.toml");
const PARKING_LOT: &str = include_str!("../../../scenarios/conext16/parking_lot.toml");
const VICTIM: &str = include_str!("../../../scenarios/conext16/victim.toml");
const TIMELY: &str = include_str!("../../../scenarios/conext16/timely.toml");
const DUMBBELL: &str = include_str!("../../../scenarios/conext16/dumbbell.toml");
