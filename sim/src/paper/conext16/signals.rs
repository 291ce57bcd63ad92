//! Figures 17 and 20: when a mark is made, and jitter of the feedback.
use super::finding::{least, most, near};
use super::runs::{Queue, Run, each, line, mean, packets, senders, settings, solved, starts};
use super::{DCQCN, Figure, Lab, TIMELY, curves, number, timely, word};
use crate::fluid::settings::Model;
use crate::fluid::solve::{Jitter, Measured};

const RAMP: [&str; 2] = ["kmax_kb=2000", "pmax=0.1"];

/// Top of figure 17's oscillation, KB.
const TOP: f64 = 23.0;

/// Figure 17: marking as packets go, and as they come.
pub fn figure_17(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig17";
    let ms = if lab.quick { 100.0 } else { 500.0 };
    let fluid = |share: &str, n: usize| {
        let s = settings(lab, Model::Dcqcn, &["delay_us=85", share, RAMP[0], RAMP[1]])?;
        solved(&s, &starts(&vec![40.0; n]), ms, 1.0, None)
    };
    let (egress, ingress) = (fluid("queue_delay=0", 2)?, fluid("queue_delay=1", 2)?);
    let (e, i) = (Queue::fluid(&egress, ms * 0.8), Queue::fluid(&ingress, ms * 0.8));
    let arm = |n: u32, at: &str| {
        [senders(n), vec![word("switch.mark_at", at), number("link.delay_ns", 20_950.0), number("duration_ms", 400.0)]].concat()
    };
    let runs = packets(lab, DCQCN, &[arm(2, "egress"), arm(2, "ingress"), arm(20, "egress"), arm(20, "ingress")], Run::of)?;
    let ratio = |a: usize| {
        let all = runs[a + 1].iter().zip(&runs[a]);
        all.map(|(i, e)| i.queue.deviation / e.queue.deviation).collect::<Vec<_>>()
    };
    let (two, twenty) = (ratio(0), ratio(2));
    // When the growing oscillation's top passes the paper's: its tops by the ms.
    let passed = (10..ms as usize).find(|t| Queue::between(&ingress, *t as f64, *t as f64 + 1.0).most >= TOP);
    let tops = |t: f64| Queue::between(&ingress, t, t + 5.0).most;
    let grown = passed.map_or("ours does not come to the paper's top by the end of its run".to_owned(), |t| {
        format!(
            "the oscillation grows as long as it runs: its top passes 23 KB after {t} ms and is {:.1} KB after 100 ms, {:.1} after 200 and {:.1} after 300, until the \
             queue empties",
            tops(100.0f64.min(ms - 5.0)),
            tops(200.0f64.min(ms - 5.0)),
            tops(300.0f64.min(ms - 5.0))
        )
    });
    let findings = vec![
        near(ID, "fluid, marked at dequeue: queue, KB", 20.4, e.mean, 0.02),
        most(ID, "fluid, marked at dequeue: standard deviation of the queue, KB", 0.5, e.deviation).in_words(),
        near(ID, "fluid, marked at enqueue: top of the oscillation, KB", TOP, i.most, 0.3).why(&grown),
        near(ID, "fluid, marked at enqueue: bottom of the oscillation, KB", 1.0, i.least, 1.0).why(&grown),
        least(ID, "packets, 2 flows: swing of the queue marked at enqueue over that at dequeue", 1.0, mean(&two))
            .seeds(&two)
            .in_words()
            .why("the queue of two flows is 4 us of the loop's 89, and CNPs of two flows make the queue swing by chance more than that"),
        least(ID, "packets, 20 flows: swing of the queue marked at enqueue over that at dequeue", 1.1, mean(&twenty))
            .seeds(&twenty)
            .in_words(),
    ];
    let (legend, plot) = curves("time, ms", "queue, KB", &[("at dequeue", line(&egress)), ("at enqueue", line(&ingress))]);
    let text = "Two flows, 85 us. A mark that is made as a packet leaves tells of the queue of that moment; one that is made as it comes is older by the queue itself.".into();
    Ok(Figure {
        id: ID,
        title: "Figure 17: marking at egress and at ingress",
        text,
        findings,
        plots: vec![("Fluid, two flows".into(), legend, plot)],
    })
}

/// Figure 20: jitter of the feedback.
pub fn figure_20(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig20";
    let ms = if lab.quick { 60.0 } else { 300.0 };
    let jitter = |seed: u64, measured: Measured| Some(Jitter { most: 100e-6, every: 5e-6, seed: lab.seed + seed, measured });
    let patched = |jitter: Option<Jitter>| solved(&settings(lab, Model::Patched, &[])?, &starts(&[5.0, 5.0]), ms, 1.0, jitter);
    let dcqcn = |jitter: Option<Jitter>| solved(&settings(lab, Model::Dcqcn, &RAMP)?, &starts(&[40.0, 40.0]), ms, 1.0, jitter);
    let (still, still_dcqcn) = (patched(None)?, dcqcn(None)?);
    let seeds = lab.runs_of(5);
    let delayed = (0..seeds).map(|k| patched(jitter(k, Measured::Nothing))).collect::<Result<Vec<_>, _>>()?;
    let measured = (0..seeds).map(|k| patched(jitter(k, Measured::All))).collect::<Result<Vec<_>, _>>()?;
    // Jitter that stands for as long as 250 round trips.
    let slow = |seed: u64| jitter(seed, Measured::All).map(|j| Jitter { every: 5e-3, ..j });
    let slowly = (0..seeds).map(|k| patched(slow(k))).collect::<Result<Vec<_>, _>>()?;
    // By the published samples: each RTT's draw stands for some 25 us, and the RTT that is compared
    // with the reference enters the gradient as the older one.
    let paired = |seed: u64| {
        let pairs = jitter(seed, Measured::Pairs).map(|j| Jitter { every: 25e-6, ..j });
        solved(&settings(lab, Model::Patched, &[])?, &starts(&[7.0, 3.0]), ms, 1.0, pairs)
    };
    let pairs = (0..seeds).map(paired).collect::<Result<Vec<_>, _>>()?;
    let marks = (0..seeds).map(|k| dcqcn(jitter(k, Measured::Nothing))).collect::<Result<Vec<_>, _>>()?;
    let late = |s: &crate::fluid::solve::Series| Queue::fluid(s, ms * 0.7);
    let (a, b, c) = (each(&delayed, |s| late(s).deviation), each(&measured, |s| late(s).deviation), each(&marks, |s| late(s).deviation));
    let (d, top, middle) = (each(&pairs, |s| late(s).deviation), each(&pairs, |s| late(s).most), each(&pairs, |s| late(s).mean));
    let gbps = each(&marks, |s| s.shares(ms * 0.7e-3, ms * 1e-3)[0]);
    let noisy = |more: f64| {
        let run = vec![number("flow.*.segment_bytes", 14_176.0), number("duration_ms", 300.0), number("nic.rtt_noise_us", more)];
        [run, timely::patched()].concat()
    };
    let runs = packets(lab, TIMELY, &[noisy(0.0), noisy(100.0)], Run::of)?;
    let (used, swing) = (each(&runs[1], |r| r.utilization), each(&runs[1], |r| r.queue.deviation));
    let findings = vec![
        most(ID, "patched TIMELY without jitter: standard deviation of the queue, KB", 0.2, late(&still).deviation),
        near(ID, "patched TIMELY, jitter: standard deviation of the queue, KB", 19.7, mean(&a), 0.1).seeds(&a),
        near(ID, "patched TIMELY, jitter: mean queue, KB", 32.8, mean(&each(&delayed, |s| late(s).mean)), 0.15).why(&format!(
            "jitter that delays feedback leaves the mean where it was, at 80 KB; jitter that is part of the RTT, 50 us in the mean, takes it down to {:.0} KB. The published run lies between, at 33 KB +- 20 and from 0 to 83. Rates move too slowly for draws of 5 us to be more than their mean; a jitter that is part of the RTT \
             and stands for 5 ms gives {:.0} KB +- {:.0}, from {:.0} to {:.0}. The published samples say that jitter is part of the RTT (rates fall by 50 Mb/s an update at a queue of 21 KB), that each flow has draws of its \
             own, which stand for 20 to 30 us as the solver steps back wherever it finds a jump, and that a high draw lowers the gradient within 10 us. Two draws a flow of 25 us each, the \
             older RTT of the gradient being the one that is compared with T_low, give {:.0} KB +- {:.0}, from {:.0} to {:.0}: the swing, and two thirds of the mean. How the solver's steps, \
             which follow the draws, weigh them is not modelled",
            mean(&each(&measured, |s| late(s).mean)),
            mean(&each(&slowly, |s| late(s).mean)),
            mean(&each(&slowly, |s| late(s).deviation)),
            each(&slowly, |s| late(s).least).into_iter().fold(f64::MAX, f64::min),
            each(&slowly, |s| late(s).most).into_iter().fold(0.0, f64::max),
            mean(&each(&pairs, |s| late(s).mean)),
            mean(&each(&pairs, |s| late(s).deviation)),
            each(&pairs, |s| late(s).least).into_iter().fold(f64::MAX, f64::min),
            each(&pairs, |s| late(s).most).into_iter().fold(0.0, f64::max)
        )),
        near(ID, "patched TIMELY, two draws of jitter a flow in its RTTs, 25 us each: standard deviation of the queue, KB", 19.7, mean(&d), 0.15)
            .seeds(&d),
        near(ID, "patched TIMELY, two draws of jitter a flow: greatest queue, KB", 82.7, mean(&top), 0.15).seeds(&top),
        near(ID, "patched TIMELY, two draws of jitter a flow: mean queue, KB", 32.8, mean(&middle), 0.15)
            .seeds(&middle)
            .why("the published solver's steps follow the draws, and weigh them in a way that is not modelled"),
        most(ID, "DCQCN without jitter: standard deviation of the queue, KB", 0.2, late(&still_dcqcn).deviation),
        most(ID, "DCQCN, jitter: standard deviation of the queue, KB", 1.0, mean(&c)).seeds(&c),
        near(ID, "DCQCN, jitter: queue at the end, KB", 20.501, mean(&each(&marks, |s| late(s).mean)), 0.02),
        near(ID, "DCQCN, jitter: rate of a flow, Gb/s", 20.0, mean(&gbps), 0.01).seeds(&gbps),
        near(ID, "patched TIMELY in packets, RTTs longer by the jitter: utilization", 0.998, mean(&used), 0.05).seeds(&used).why(
            "the paper's is of a model. In packets each update has a jitter of its own, 50 us in the mean, as much as T_low, and the rates fall until the link idles",
        ),
    ];
    let (legend, plot) = curves(
        "time, ms",
        "queue, KB",
        &[
            ("patched TIMELY", line(&delayed[0])),
            ("its RTTs longer too", line(&measured[0])),
            ("two draws a flow", line(&pairs[0])),
            ("DCQCN", line(&marks[0])),
        ],
    );
    let text = format!(
        "Jitter uniform up to 100 us, drawn every 5 us. It delays a mark, and what the mark says stays true; a delayed RTT is an older one. Where the jitter is part \
         of the RTT too, the queue lies on the floor (standard deviation {:.1} KB). In packets patched TIMELY's queue goes from {:.1} KB +- {:.1} to {:.1} KB +- {:.1}.",
        mean(&b),
        mean(&each(&runs[0], |r| r.queue.mean)),
        mean(&each(&runs[0], |r| r.queue.deviation)),
        mean(&each(&runs[1], |r| r.queue.mean)),
        mean(&swing)
    );
    Ok(Figure { id: ID, title: "Figure 20: jitter", text, findings, plots: vec![("Fluid".into(), legend, plot)] })
}
