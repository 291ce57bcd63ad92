//! Figures 2, 3, 9, 10 and 17: one server, ten clients (section 6.1).
use super::finding::{least, most, near, within};
use super::stamps::cdf;
use super::{Figure, Lab, MESSAGES, STAR, curves, distributions, number, rtt_cdf, throughput, word};
use crate::scenario::build::Outcome;
use crate::time::{Ps, US};

// Quantiles of the watched queue as a time: what its bytes need to leave, us.
fn queue_us(o: &Outcome, p: f64) -> f64 {
    o.recorder.taps.first().map_or(0.0, |t| t.histogram.quantile(p) * 8e-4 * 1138.0 / 1118.0)
}

/// Figure 2: RTTs say what the queue is.
pub fn figure_2(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig2";
    // Segments of 64 KB leave as bursts, as the paper's did; and packet by packet.
    let runs = lab.runs("messages.toml", MESSAGES, &[vec![word("nic.kind", "posted"), number("nic.slot_us", 0.0)], vec![]])?;
    let o = &runs[0];
    let (mut rtt, mut queue) = (Vec::new(), Vec::new());
    for k in 1..200 {
        let p = f64::from(k) / 200.0;
        rtt.push((o.measured_rtt.quantile(p) / US as f64 - o.base_rtt_us, p));
        queue.push((queue_us(o, p), p));
    }
    let ratio = |o: &Outcome, p: f64| (o.measured_rtt.quantile(p) / US as f64 - o.base_rtt_us) / queue_us(o, p);
    let own = format!(
        "bursts of the ten connections of a client wait for each other in its NIC, which RTTs have in them and the switch's queue has not. Sent packet by \
         packet the ratios are {:.2}, {:.2} and {:.2}",
        ratio(&runs[1], 0.5),
        ratio(&runs[1], 0.9),
        ratio(&runs[1], 0.99)
    );
    let mut findings = Vec::new();
    for (p, name) in [(0.5, "median"), (0.9, "90th percentile"), (0.99, "99th percentile")] {
        let quantity = format!("{name} of RTT less base, over that of the queue's time to drain");
        findings.push(within(ID, quantity, 1.0, ratio(o, p), 0.15).in_words().why(&own));
    }
    let (legend, plot) = distributions("us", &[("RTT less the unloaded one", rtt), ("queue, as time to drain", queue)]);
    let text =
        "100 flows of 10 clients send messages of 64 KB to one server, in bursts. Where the two distributions coincide, the RTT tells the queue.".into();
    Ok(Figure { id: ID, title: "Figure 2: RTTs and queues", text, findings, plots: vec![("Distributions".into(), legend, plot)] })
}

// Rounds of each flow, a round trip each: it ends when what was sent after its beginning is
// answered. The share of its packets that were marked, and the least RTT in it, us.
fn rounds(o: &Outcome) -> Vec<(f64, f64)> {
    struct Round {
        from: Ps,
        packets: u32,
        marked: u32,
        least: f64,
    }
    let begun = |from| Round { from, packets: 0, marked: 0, least: f64::MAX };
    let steady = o.recorder.windows.steady;
    let mut of: Vec<Round> = o.recorder.flows.iter().map(|_| begun(steady)).collect();
    let mut all = Vec::new();
    for r in o.recorder.rtts.iter().filter(|r| r.sample.at >= steady) {
        let round = &mut of[r.flow as usize];
        let (Some((packets, marked)), Some(ns), Some(path)) = (r.sample.marks, r.sample.measured_ns, r.sample.path) else { continue };
        round.packets += u32::from(packets);
        round.marked += u32::from(marked);
        round.least = round.least.min(ns / 1e3);
        if r.sample.at - path >= round.from {
            all.push((round.least, f64::from(round.marked) / f64::from(round.packets)));
            *round = begun(r.sample.at);
        }
    }
    all
}

fn correlation(points: &[(f64, f64)]) -> f64 {
    let n = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (xy, xx, yy) = (sum(&|p| (p.0 - x) * (p.1 - y)), sum(&|p| (p.0 - x).powi(2)), sum(&|p| (p.1 - y).powi(2)));
    xy / (xx * yy).sqrt()
}

/// Figure 3: the share of marked packets in a round says little of the round's RTT.
pub fn figure_3(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig3";
    let hosts = |n: i64| ("flow.0.from".to_owned(), toml::Value::Array((0..n).map(toml::Value::Integer).collect()));
    let tcp = || vec![word("profile.timely.control", "dctcp"), number("switch.mark_kb", 80.0), number("flow.0.connections", 1.0)];
    let bursts = |n: i64, kb: f64| {
        let late = [
            word("nic.kind", "posted"),
            number("nic.slot_us", 0.0),
            number("nic.software_jitter_us", 30.0),
            word("nic.rtt_noise", "kernel"),
        ];
        [tcp(), late.to_vec(), vec![hosts(n), number("flow.0.segment_bytes", kb * 1024.0)]].concat()
    };
    let runs = lab.runs("messages.toml", MESSAGES, &[bursts(4, 16.0), bursts(10, 64.0), tcp()])?;
    let all: Vec<_> = runs.iter().map(rounds).collect();
    let smooth = format!(
        "sent packet by packet, by stamps of the NIC and with ten senders, the correlation is {:.2}: it is bursts, and what a kernel adds to RTTs, that weaken it",
        correlation(&all[2])
    );
    let full = |of: &[(f64, f64)]| of.iter().filter(|r| r.1 == 1.0).count() as f64 / of.len().max(1) as f64;
    let findings = vec![
        most(ID, "four senders, bursts of 16 KB: correlation of a round's share of marks with its least RTT", 0.6, correlation(&all[0]))
            .in_words()
            .why(&smooth),
        least(ID, "ten senders, bursts of 64 KB: rounds in which every packet is marked, part", 0.9, full(&all[1])).in_words(),
    ];
    let of = |from: f64, to: f64| cdf(all[0].iter().filter(|r| (from..=to).contains(&r.1)).map(|r| r.0).collect());
    let classes = [("no packet marked", of(0.0, 0.0)), ("up to half of them", of(1e-9, 0.5)), ("more than half", of(0.500_001, 1.0))];
    let (legend, plot) = distributions("least RTT of a round, us", &classes);
    let text = format!(
        "TCP-like senders (DCTCP) with marks from 80 KB on. Rounds of four senders that post bursts of 16 KB, up to 30 us late, with RTTs by a kernel's stamps: the share of marked packets in a round and its least RTT have a correlation of {:.2}. Ten senders with bursts of 64 KB keep the queue above the threshold: every packet of {:.0} % of the rounds is marked. Packet by packet the correlation is {:.2}.",
        correlation(&all[0]),
        100.0 * full(&all[1]),
        correlation(&all[2])
    );
    Ok(Figure {
        id: ID,
        title: "Figure 3: marks and RTTs",
        text,
        findings,
        plots: vec![("Rounds by their share of marks".into(), legend, plot)],
    })
}

// Standard deviation of a connection's rate over its mean.
fn swing(o: &Outcome) -> f64 {
    let rates = |f: u32| {
        let steady = o.recorder.windows.steady;
        o.recorder.rates.iter().filter(move |r| r.flow == f && r.sample.at >= steady).map(|r| r.sample.mbps)
    };
    let n = rates(0).count().max(1) as f64;
    let mean = rates(0).sum::<f64>() / n;
    (rates(0).map(|r| (r - mean).powi(2)).sum::<f64>() / n).sqrt() / mean
}

/// Figures 9 and 10: the gradient, and the queue alone.
pub fn figures_9_and_10(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig9";
    let target = |us: f64| vec![number("profile.timely.t_low_us", us), number("profile.timely.t_high_us", us)];
    let runs = lab.runs("star.toml", STAR, &[vec![], target(50.0), target(500.0)])?;
    let names = ["gradient", "target 50 us", "target 500 us"];
    let t: Vec<f64> = runs.iter().map(throughput).collect();
    let r: Vec<_> = runs.iter().map(|o| o.summary.rtt_measured_us).collect();
    let findings = vec![
        least(ID, "throughput with the gradient over that with the best target", 0.99, t[0] / t[1].max(t[2])).in_words(),
        least(ID, "mean RTT with a target of 500 us over that with the gradient", 2.0, r[2].mean / r[0].mean).in_words(),
        most(ID, "throughput with a target of 50 us over that with the gradient", 0.99, t[1] / t[0]).in_words(),
        least(ID, "throughput with a target of 500 us over that with 50 us", 1.0, t[2] / t[1])
            .in_words()
            .why("the paper finds throughput at its best with a target of 500 us; why ours is not better than with 50 us was not found"),
        most(ID, "99th percentile of the RTT with the gradient over that with a target of 50 us", 1.5, r[0].p99 / r[1].p99).in_words(),
        least(
            "fig10",
            "swing of a connection's rate with a target of 50 us over that with the gradient",
            1.0,
            swing(&runs[1]) / swing(&runs[0]),
        )
        .in_words(),
    ];
    let named: Vec<_> = names.iter().zip(&runs).map(|(n, o)| (*n, rtt_cdf(&o.measured_rtt))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    let rates = |o: &Outcome| {
        let (from, ms) = (o.recorder.windows.steady, 1e9);
        let of = o.recorder.rates.iter().filter(|r| r.flow == 0 && r.sample.at >= from && r.sample.at < from + 100_000_000_000);
        of.step_by(4).map(|r| ((r.sample.at - from) as f64 / ms, r.sample.mbps)).collect::<Vec<_>>()
    };
    let named: Vec<_> = names.iter().zip(&runs).map(|(n, o)| (*n, rates(o))).collect();
    let (legend_2, plot_2) = curves("time, ms", "rate of a connection, Mb/s", &named);
    let row = |i: usize| format!("{}: {:.1} Gb/s, RTT {:.0} us, 99th percentile {:.0}", names[i], t[i], r[i].mean, r[i].p99);
    let text = format!("T_low = T_high is TIMELY by the queue alone. {}; {}; {}.", row(0), row(1), row(2));
    let plots = vec![("Figure 9: RTTs".into(), legend, plot), ("Figure 10: the rate of one connection".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figures 9 and 10: gradient and queue size", text, findings, plots })
}

/// Figure 17: T_high and the number of connections.
pub fn figure_17(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig17";
    let highs = [50.0, 100.0, 200.0, 300.0, 500.0, 1000.0];
    // Of each client, to each link of the server.
    let connections = [[2.0, 2.0], [4.0, 3.0], [5.0, 5.0]];
    let mut sets = Vec::new();
    for n in connections {
        for high in highs {
            sets.push(vec![
                number("flow.0.connections", n[0]),
                number("flow.1.connections", n[1]),
                number("profile.timely.t_high_us", high),
            ]);
        }
    }
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let t = |n: usize, h: usize| throughput(&runs[n * highs.len() + h]);
    let p99 = |n: usize, h: usize| runs[n * highs.len() + h].summary.rtt_measured_us.p99;
    let names = ["4 connections", "7 connections", "10 connections"];
    let cut = format!("with 4, 7 and 10 connections it is {:.3}, {:.3} and {:.3}", t(0, 1) / t(0, 4), t(1, 1) / t(1, 4), t(2, 1) / t(2, 4));
    let spread = "the paper's RTTs grow with the number of connections more than ours; why was not found";
    let mut findings = Vec::new();
    for (n, (name, published)) in names.iter().zip([100.0, 200.0, 500.0]).enumerate() {
        findings.push(
            least(ID, format!("{name}: throughput with T_high 100 us over that with 500"), 0.97, t(n, 1) / t(n, 4)).in_words().why(&cut),
        );
        findings.push(most(ID, format!("{name}: throughput with T_high 50 us over that with 500"), 0.99, t(n, 0) / t(n, 4)).in_words());
        findings
            .push(near(ID, format!("{name}: 99th percentile of the RTT with T_high 500 us, us"), published, p99(n, 4), 0.3).why(spread));
    }
    findings.push(
        most(ID, "10 connections: 99th percentile of the RTT with T_high 200 us over that with 500", 1.0, p99(2, 2) / p99(2, 4))
            .in_words()
            .why("a lower T_high lengthens the longest RTTs here and shortens the paper's; why was not found"),
    );
    let named: Vec<_> =
        names.iter().enumerate().map(|(i, n)| (*n, highs.iter().enumerate().map(|(h, us)| (*us, t(i, h))).collect::<Vec<_>>())).collect();
    let (legend, plot) = curves("T_high, us", "throughput, Gb/s", &named);
    let named: Vec<_> =
        names.iter().enumerate().map(|(i, n)| (*n, highs.iter().enumerate().map(|(h, us)| (*us, p99(i, h))).collect::<Vec<_>>())).collect();
    let (legend_2, plot_2) = curves("T_high, us", "99th percentile of the RTT, us", &named);
    let text = "Ten clients with 4, 7 and 10 connections each. T_high can be low before throughput suffers.".into();
    let plots = vec![("Throughput".into(), legend, plot), ("RTT".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 17: T_high", text, findings, plots })
}
