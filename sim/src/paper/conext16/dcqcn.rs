//! Figures 2, 4 and 5: DCQCN's fluid model, and packets beside it.
use super::finding::{Finding, least, most, near, within};
use super::runs::{Queue, Run, each, line, mean, packets, rate_line, senders, settings, solved, starts};
use super::{DCQCN, Figure, Lab, curves, number};
use crate::fluid::settings::Model;
use crate::scenario::vary::Change;
use toml::Value;

const RAMP: [&str; 2] = ["kmax_kb=2000", "pmax=0.1"];

/// Why the queue of two flows differs.
const TWO: &str = "one CNP of two flows moves the queue by 14 KB of its 20, and it is cut off at 0; and a mark that comes when none was for 50 us is answered \
                   at once, which is 6 % more CNPs than the model has. With CNPs on a fixed grid of 50 us two flows hold 19.6 KB, but ten 138. With sixteen times as many flows at \
                   as many times the line, whose CNPs are as much finer, the queue is the model's";

// So many times two flows at so many times the line's rate, with marks that begin and end as much
// further up: the same to each flow and to the fluid model, while a CNP moves the queue by as much
// less of itself.
fn replicated(times: u32) -> Vec<Change> {
    let line = [("profile.dcqcn.greatest_mbps", 40_000.0), ("profile.dcqcn.initial_mbps", 40_000.0), ("profile.dcqcn.idle_mbps", 40_000.0)];
    let scaled = [("link.rate_gbps", 40.0), ("switch.xoff_kb", 100.0), ("switch.mark_kb", 5.0), ("switch.mark_most_kb", 2000.0)];
    let of = scaled.map(|(field, of)| (field, of * f64::from(times)));
    [senders(2 * times), line.into_iter().chain(of).chain([("duration_ms", 400.0)]).map(|(f, to)| number(f, to)).collect()].concat()
}

// How far the worst of all flows' shares is from C / N, part.
fn worst(r: &Run, fair: f64) -> f64 {
    r.shares.iter().map(|s| (s / fair - 1.0).abs()).fold(0.0, f64::max)
}

/// Figure 2: rates and queues of packets and of the fluid model.
pub fn figure_2(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig2";
    let counts = [2, 10, 20];
    let finer = [4, 16];
    let sets: Vec<_> = counts.map(senders).into_iter().chain(finer.map(replicated)).collect();
    let runs = packets(lab, DCQCN, &sets, Run::of)?;
    let mut findings = Vec::new();
    let mut text = "DCQCN's senders start at line rate. ".to_owned();
    let mut plots = Vec::new();
    for ((n, runs), published) in counts.iter().zip(&runs).zip([19.9, 4.02, 2.22]) {
        let fair = 40.0 / f64::from(*n);
        let model = solved(&settings(lab, Model::Dcqcn, &RAMP)?, &starts(&vec![40.0; *n as usize]), 200.0, 1.0, None)?;
        let q = Queue::fluid(&model, 140.0).mean;
        let share = each(runs, |r| mean(&r.shares));
        findings.push(near(ID, format!("{n} flows: rate of a flow in packets, Gb/s"), published, mean(&share), 0.15).seeds(&share));
        findings.push(
            near(ID, format!("{n} flows: rate in packets over the model's"), 1.0, mean(&share) / fair, 0.05)
                .seeds(&share.iter().map(|s| s / fair).collect::<Vec<_>>()),
        );
        let far = each(runs, |r| worst(r, fair));
        let chance = format!(
            "shares wander about C / N by chance, and more slowly the longer the run: Jain's index is {:.4}",
            mean(&each(runs, |r| r.jain))
        );
        findings.push(
            most(ID, format!("{n} flows: worst flow's distance from C / N, part"), 0.05, mean(&far)).seeds(&far).in_words().why(&chance),
        );
        let queue = each(runs, |r| r.queue.mean / q);
        let why = if *n == 2 { TWO } else { "CNPs are discrete, and excite the loop, whose mode is lightly damped" };
        let part = if *n == 20 { 0.15 } else { 0.05 };
        findings.push(
            near(ID, format!("{n} flows: queue in packets over the model's {q:.1} KB"), 1.0, mean(&queue), part).seeds(&queue).why(why),
        );
        text += &format!(
            "{n} flows: {:.2} KB in packets (standard deviation over time {:.1}), {q:.2} in the model. ",
            mean(&each(runs, |r| r.queue.mean)),
            mean(&each(runs, |r| r.queue.deviation))
        );
        let until = |points: Vec<(f64, f64)>| points.into_iter().filter(|p| p.0 <= 200.0).collect::<Vec<_>>();
        let (legend, plot) =
            curves("time, ms", "rate, Gb/s", &[("packets", until(runs[0].rates[0].clone())), ("fluid", rate_line(&model, 0))]);
        plots.push((format!("{n} flows: rate of the first"), legend, plot));
    }
    // What finer CNPs leave of it.
    let rest = settings(lab, Model::Dcqcn, &RAMP)?.dcqcn().fixed_point(2.0).queue / 1e3;
    let of = |set: usize, times: u32| each(&runs[set], |r| r.queue.mean / f64::from(times) / rest);
    let (one, four, sixteen) = (of(0, 1), of(3, finer[0]), of(4, finer[1]));
    let nearer: Vec<f64> = four.iter().zip(&one).map(|(f, o)| (f - 1.0).abs() / (o - 1.0).abs()).collect();
    findings.push(
        most(
            ID,
            "2 flows, each 4 times at 4 times the line: the queue's distance from the model's over that of 2 flows",
            1.0,
            mean(&nearer),
        )
        .seeds(&nearer)
        .in_words(),
    );
    findings.push(
        near(ID, "2 flows, each 16 times at 16 times the line: queue in packets over the model's", 1.0, mean(&sixteen), 0.05)
            .seeds(&sixteen),
    );
    text += &format!(
        "Two flows hold {:.2} of the model's queue, one CNP moving it by most of itself. Four times as many at four times the line, with four times the ramp, are the same to \
         each flow and to the model, and their CNPs are four times as fine: {:.2}; sixteen times: {:.2}.",
        mean(&one),
        mean(&four),
        mean(&sixteen)
    );
    Ok(Figure { id: ID, title: "Figure 2: DCQCN, packets and fluid model", text, findings, plots })
}

/// Figure 4: the fluid model at 4 and 85 us.
pub fn figure_4(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig4";
    let mut findings = Vec::new();
    let mut plots = Vec::new();
    let ms = if lab.quick { 100.0 } else { 300.0 };
    for (delay, published) in [("4", [20.15, 125.4, 1178.0]), ("85", [20.45, 276.0, 1178.0])] {
        let mut named = Vec::new();
        for (n, paper) in [2usize, 10, 64].into_iter().zip(published) {
            let of = format!("delay_us={delay}");
            let s = settings(lab, Model::Dcqcn, &[&of, RAMP[0], RAMP[1]])?;
            let done = solved(&s, &starts(&vec![40.0; n]), ms, if n == 64 { 4.0 } else { 1.0 }, None)?;
            let q = Queue::fluid(&done, ms * 0.7);
            if delay == "85" && n == 10 {
                findings.push(near(ID, "10 flows, 85 us: top of the oscillation, KB", paper, q.most, 0.02));
                findings.push(most(ID, "10 flows, 85 us: bottom of the oscillation, KB", 1.0, q.least));
            } else {
                findings.push(near(ID, format!("{n} flows, {delay} us: queue, KB"), paper, q.mean, 0.02));
                findings.push(
                    most(ID, format!("{n} flows, {delay} us: standard deviation of the queue over its mean"), 0.05, q.deviation / q.mean)
                        .in_words(),
                );
            }
            named.push((format!("{n} flows"), line(&done)));
        }
        let named: Vec<_> = named.iter().map(|n| (n.0.as_str(), n.1.clone())).collect();
        let (legend, plot) = curves("time, ms", "queue, KB", &named);
        plots.push((format!("{delay} us"), legend, plot));
    }
    for (n, exact) in [(2.0, 20.501), (10.0, 125.338), (64.0, 1183.119)] {
        let q = settings(lab, Model::Dcqcn, &RAMP)?.dcqcn().fixed_point(n).queue / 1e3;
        findings.push(within(ID, format!("{n} flows: queue at the exact fixed point, KB"), exact, q, 0.001));
    }
    let text =
        "With 4 us of delay the queue is still for any number of flows; with 85 us ten flows oscillate, while 2 and 64 do not.".into();
    Ok(Figure { id: ID, title: "Figure 4: DCQCN's queue by flows and delay, fluid", text, findings, plots })
}

/// Figure 5: the same in packets.
pub fn figure_5(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig5";
    let delays = [700.0, 20_950.0];
    let arm = |n: u32, delay: f64| [senders(n), vec![number("link.delay_ns", delay), number("duration_ms", 400.0)]].concat();
    // And the sender and receiver of the authors' public simulator: CNPs on a grid, a target rate
    // that grows from the end of the fifth stage on, not of the sixth, and packets of 1,000 bytes
    // of payload.
    let authors = || {
        let sizes = [("packet", 938.0), ("segment", 15_008.0)].map(|(of, bytes)| number(&format!("flow.0.{of}_bytes"), bytes));
        [vec![("profile.dcqcn.dcqcn.cnp_grid".to_owned(), Value::Boolean(true)), number("profile.dcqcn.dcqcn.stages", 4.0)], sizes.to_vec()]
            .concat()
    };
    let late = [10, 64].map(|n| [arm(n, delays[1]), authors()].concat());
    let sets: Vec<_> = [2, 10, 64].iter().flat_map(|n| delays.map(|d| arm(*n, d))).chain(late).collect();
    let runs = packets(lab, DCQCN, &sets, Run::of)?;
    let swing = |i: usize| mean(&each(&runs[i], |r| r.queue.deviation / r.queue.mean));
    let ten = &runs[3];
    let (median, top) = (each(ten, |r| r.queue.median), each(ten, |r| r.queue.most));
    let (median_theirs, top_theirs) = (each(&runs[6], |r| r.queue.median), each(&runs[6], |r| r.queue.most));
    let why = format!(
        "ours swing about the model's fixed point of 125 KB: mean {:.0} KB, standard deviation {:.0}. The receiver of the authors' public simulator sends CNPs at multiples of \
         50 us from a flow's first packet, its sender raises the target from the end of the fifth stage on, a stage before the model's, and its packets have 1,000 bytes of payload: so the \
         median is {:.0} KB, the mean {:.0}",
        mean(&each(ten, |r| r.queue.mean)),
        mean(&each(ten, |r| r.queue.deviation)),
        mean(&median_theirs),
        mean(&each(&runs[6], |r| r.queue.mean))
    );
    let discrete = format!(
        "CNPs are discrete and excite the loop's lightly damped mode: in packets queues of any number of flows swing by most of their means at 4 us already, {:.2} \
         of it with 2, {:.2} with 10, {:.2} with 64, where the model has none; its instability with 10 flows adds to that, and stands out less. With the authors' sender and receiver \
         the ratio is {:.2}",
        swing(0),
        swing(2),
        swing(4),
        swing(7) / swing(6)
    );
    let findings: Vec<Finding> = vec![
        near(ID, "10 flows, 85 us: median queue, KB", 210.0, mean(&median), 0.3).seeds(&median).why(&why),
        near(ID, "10 flows, 85 us: greatest queue, KB", 430.0, mean(&top), 0.3).seeds(&top).why(&why),
        near(ID, "10 flows, 85 us, the authors' sender and receiver: median queue, KB", 210.0, mean(&median_theirs), 0.3)
            .seeds(&median_theirs)
            .why(&why),
        near(ID, "10 flows, 85 us, the authors' sender and receiver: greatest queue, KB", 430.0, mean(&top_theirs), 0.3)
            .seeds(&top_theirs)
            .why(&why),
        least(ID, "10 flows: swing (standard deviation over mean) at 85 us over that at 4 us", 1.2, swing(3) / swing(2)).in_words(),
        most(ID, "64 flows, 85 us: swing over that of 10 flows", 0.7, swing(5) / swing(3)).in_words().why(&discrete),
        most(ID, "pauses in the steady part of all runs", 0.0, runs.iter().flatten().map(|r| r.pauses_steady as f64).sum()),
    ];
    let named: Vec<_> = [("4 us", 2), ("85 us", 3)].map(|(name, i)| (name, runs[i][0].curve.clone())).to_vec();
    let (legend, plot) = curves("time, ms", "queue, KB", &named);
    let row =
        |i: usize| format!("{:.0} KB +- {:.0}", mean(&each(&runs[i], |r| r.queue.mean)), mean(&each(&runs[i], |r| r.queue.deviation)));
    let text = format!(
        "Queues, mean and standard deviation over time, at 4 and 85 us: 2 flows {} and {}; 10 flows {} and {}; 64 flows {} and {}.",
        row(0),
        row(1),
        row(2),
        row(3),
        row(4),
        row(5)
    );
    Ok(Figure { id: ID, title: "Figure 5: the same in packets", text, findings, plots: vec![("Queue of ten flows".into(), legend, plot)] })
}
