//! Table 1 and figures 2, 3, 9, 10, 12 to 17: one server, ten clients (section 6.1).
use super::{Figure, Finding, Lab, MESSAGES, STAR, bound, curves, distributions, near, number, rtt_cdf, throughput, within, word};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::US;
use std::fmt::Write;

const KB: f64 = 1024.0;

fn segment(kb: f64) -> Change {
    number("flow.*.segment_bytes", kb * KB)
}

fn rival(name: &str, more: &[Change]) -> Vec<Change> {
    [word("profile.timely.control", name)].into_iter().chain(more.iter().cloned()).collect()
}

/// Table 1, with figures 13 and 14: throughput, RTT and fairness of TIMELY and others.
pub fn table_1(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "table1";
    let fast = |mbps: f64| rival("fast", &[number("profile.timely.additive_step_mbps", mbps)]);
    let arms = [
        ("TIMELY", vec![]),
        ("PFC alone", rival("none", &[])),
        ("DCTCP", rival("dctcp", &[number("switch.mark_kb", 80.0), word("nic.kind", "event")])),
        ("FAST* 10M", fast(10.0)),
        ("FAST* 50M", fast(50.0)),
        ("FAST* 100M", fast(100.0)),
    ];
    let sets: Vec<_> = arms.iter().map(|a| a.1.clone()).collect();
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let s = |i: usize| (throughput(&runs[i]), &runs[i].summary);
    let (timely, pfc, dctcp) = (s(0), s(1), s(2));
    let mut f = vec![
        near(ID, "TIMELY: throughput, Gb/s", 19.4, timely.0, 0.03, "-"),
        within(ID, "TIMELY: mean RTT, us", 61.0, timely.1.rtt_us.mean, 15.0, "-"),
        within(ID, "TIMELY: 99th percentile of the RTT, us", 116.0, timely.1.rtt_us.p99, 30.0, "-"),
        bound(ID, "TIMELY: Jain's index", 0.95, timely.1.jain, true, "-"),
        bound(ID, "TIMELY: pauses", 0.0, timely.1.pauses as f64, false, "-"),
        near(ID, "PFC: throughput, Gb/s", 19.5, pfc.0, 0.03, "-"),
        near(ID, "PFC: mean RTT, us", 658.0, pfc.1.rtt_us.mean, 0.5, "the RTT is N XOFF / C, so it measures the switch's threshold"),
        near(
            ID,
            "PFC: 99th percentile of the RTT, us",
            1036.0,
            pfc.1.rtt_us.p99,
            0.3,
            "the RTT is N XOFF / C, so it measures the switch's threshold",
        ),
        near(ID, "DCTCP: throughput, Gb/s", 19.5, dctcp.0, 0.03, "-"),
        near(
            ID,
            "DCTCP: mean RTT, us",
            598.0,
            dctcp.1.rtt_us.mean,
            0.5,
            "ours sends packet by packet and holds the queue at K = 80 KB; the paper's ran in the kernel, whose segments of up to 64 KB, one for \
             each of 20 flows, are more than K",
        ),
    ];
    for (i, (name, gbps, mean)) in
        [("FAST* 10M", 7.5, 19.0), ("FAST* 50M", 12.5, 120.0), ("FAST* 100M", 17.5, 354.0)].into_iter().enumerate()
    {
        let (ours, summary) = s(3 + i);
        let why = "how far bursts that meet by chance look like a queue of its own decides it; the order of the three is the paper's";
        f.push(near(ID, format!("{name}: throughput, Gb/s"), gbps, ours, 0.2, why));
        f.push(near(ID, format!("{name}: mean RTT, us"), mean, summary.rtt_us.mean, 0.5, why));
    }
    f.push(bound(ID, "mean RTT of PFC over TIMELY's", 658.0 / 61.0 / 2.0, pfc.1.rtt_us.mean / timely.1.rtt_us.mean, true, "-"));
    let ordered = s(3).0 < s(4).0 && s(4).0 < s(5).0;
    f.push(bound(ID, "throughput of FAST* rises with its parameter (1: yes)", 1.0, f64::from(ordered), true, "-"));
    let named: Vec<_> = arms.iter().zip(&runs).map(|(a, o)| (a.0, rtt_cdf(&o.rtt))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    let shares = |o: &Outcome| {
        let w = o.recorder.windows;
        let gbps = |r: &crate::metrics::FlowRecord| r.wire_steady as f64 * 8e6 / (w.end - w.steady) as f64;
        let mut all: Vec<f64> = o.recorder.flows.iter().map(gbps).collect();
        all.sort_by(f64::total_cmp);
        let n = all.len() as f64;
        all.into_iter().enumerate().map(|(i, g)| (g, (i + 1) as f64 / n)).collect::<Vec<_>>()
    };
    let named: Vec<_> = arms.iter().zip(&runs).map(|(a, o)| (a.0, shares(o))).collect();
    let (legend_2, plot_2) = distributions("throughput of a connection, Mb/s", &named);
    let mut text = "40 connections. Rows of the table: throughput Gb/s, mean RTT, 99th percentile, Jain's index, pauses.<br>".to_owned();
    for (a, o) in arms.iter().zip(&runs) {
        let r = &o.summary;
        write!(text, "{}: {:.2}, {:.0}, {:.0}, {:.3}, {}<br>", a.0, throughput(o), r.rtt_us.mean, r.rtt_us.p99, r.jain, r.pauses)
            .expect("writing to a string");
    }
    let plots = vec![("Figure 14: RTTs of segments".into(), legend, plot), ("Figure 13: shares of connections".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Table 1, figures 13 and 14: TIMELY, PFC, DCTCP, FAST*", text, findings: f, plots })
}

// Quantiles of the watched queue as a time: what its bytes need to leave, us.
fn queue_us(o: &Outcome, p: f64) -> f64 {
    o.recorder.taps.first().map_or(0.0, |t| t.histogram.quantile(p) * 8e-4 * 1138.0 / 1118.0)
}

/// Figure 2: RTTs say what the queue is.
pub fn figure_2(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig2";
    let runs = lab.runs("messages.toml", MESSAGES, &[vec![]])?;
    let o = &runs[0];
    let mut findings = Vec::new();
    let (mut rtt, mut queue) = (Vec::new(), Vec::new());
    for k in 1..200 {
        let p = f64::from(k) / 200.0;
        rtt.push((o.rtt.quantile(p) / US as f64 - o.base_rtt_us, p));
        queue.push((queue_us(o, p), p));
    }
    for (p, name) in [(0.5, "median"), (0.9, "90th percentile"), (0.99, "99th percentile")] {
        let excess = o.rtt.quantile(p) / US as f64 - o.base_rtt_us;
        let quantity = format!("{name} of RTT less base, over that of the queue's time to drain");
        findings.push(within(ID, quantity, 1.0, excess / queue_us(o, p), 0.15, "a segment's packets meet different queues"));
    }
    let (legend, plot) = distributions("us", &[("RTT less the unloaded one", rtt), ("queue, as time to drain", queue)]);
    let text =
        "100 flows of 10 clients send messages of 64 KB to one server. The two distributions coincide, so the RTT tells the queue.".into();
    Ok(Figure { id: ID, title: "Figure 2: RTTs and queues", text, findings, plots: vec![("Distributions".into(), legend, plot)] })
}

/// Figure 3: marks say little of the RTT.
pub fn figure_3(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig3";
    let runs = lab.runs("messages.toml", MESSAGES, &[vec![number("switch.mark_kb", 80.0)]])?;
    let o = &runs[0];
    let moments = |cdf: &[(u64, f64)]| {
        let (mut before, mut mean, mut square) = (0.0, 0.0, 0.0);
        for (v, share) in cdf {
            let us = *v as f64 / US as f64;
            mean += us * (share - before);
            square += us * us * (share - before);
            before = *share;
        }
        (mean, (square - mean * mean).max(0.0).sqrt())
    };
    let (mean, deviation) = moments(&o.rtt.cdf());
    let (marked, spread) = moments(&o.marked_rtt.cdf());
    let share = o.marked_rtt.total() as f64 / o.rtt.total().max(1) as f64;
    // Correlation of a yes-or-no with a number.
    let correlation = (marked - mean) / deviation * (share / (1.0 - share)).sqrt();
    let findings = vec![
        bound(
            ID,
            "correlation of a segment's mark with its RTT",
            0.8,
            correlation,
            false,
            "all queueing here is at the one port that marks",
        ),
        bound(
            ID,
            "spread of the RTTs of marked segments, standard deviation over that of all",
            0.5,
            spread / deviation,
            true,
            "a mark would have to tell more than yes or no",
        ),
    ];
    let (legend, plot) = distributions("RTT, us", &[("all segments", rtt_cdf(&o.rtt)), ("marked segments", rtt_cdf(&o.marked_rtt))]);
    let text = format!(
        "The same with marks from 80 KB on: {:.0} % of segments are marked. A mark says that the queue was long, not how long: marked segments \
         have RTTs of {marked:.0} us with a deviation of {spread:.0}, all {mean:.0} with {deviation:.0}.",
        share * 100.0
    );
    Ok(Figure { id: ID, title: "Figure 3: marks and RTTs", text, findings, plots: vec![("Distributions".into(), legend, plot)] })
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
pub fn figure_9(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig9";
    let target = |us: f64| vec![number("profile.timely.t_low_us", us), number("profile.timely.t_high_us", us)];
    let runs = lab.runs("star.toml", STAR, &[vec![], target(50.0), target(500.0)])?;
    let names = ["gradient", "target 50 us", "target 500 us"];
    let t: Vec<f64> = runs.iter().map(throughput).collect();
    let r: Vec<_> = runs.iter().map(|o| o.summary.rtt_us).collect();
    let findings = vec![
        bound(ID, "throughput with the gradient over that with the best target", 0.99, t[0] / t[1].max(t[2]), true, "-"),
        bound(
            ID,
            "mean RTT with a target of 500 us over that with the gradient",
            2.0,
            r[2].mean / r[0].mean,
            true,
            "every completion above the target cuts the rate again, for news that is an RTT old, and the queue runs dry in between",
        ),
        bound(ID, "throughput with a target of 50 us over that with the gradient", 0.99, t[1] / t[0], false, "-"),
        Finding {
            figure: "fig10",
            ..bound(
                ID,
                "swing of a connection's rate with a target of 50 us over that with the gradient",
                1.0,
                swing(&runs[1]) / swing(&runs[0]),
                true,
                "-",
            )
        },
    ];
    let named: Vec<_> = names.iter().zip(&runs).map(|(n, o)| (*n, rtt_cdf(&o.rtt))).collect();
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

/// Figure 12: noise in RTTs.
pub fn figure_12(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig12";
    let noise = [0.0, 25.0, 50.0, 100.0, 150.0, 200.0];
    let sets: Vec<_> = noise.iter().map(|us| vec![number("nic.rtt_noise_us", *us)]).collect();
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let t: Vec<f64> = runs.iter().map(throughput).collect();
    let findings = vec![
        bound(ID, "throughput with noise up to 100 us (50 us in the mean), Gb/s", 18.5, t[3], false, "-"),
        bound(ID, "throughput with noise up to 200 us over that without", 0.9, t[5] / t[0], false, "-"),
    ];
    let points = noise.iter().zip(&t).map(|(n, t)| (*n, *t)).collect();
    let (legend, plot) = curves("noise up to, us", "throughput, Gb/s", &[("TIMELY", points)]);
    let text = "Noise, uniform from 0, is added to each RTT: TIMELY needs stamps that are good to some ten microseconds.".into();
    Ok(Figure { id: ID, title: "Figure 12: noise in RTTs", text, findings, plots: vec![("Throughput".into(), legend, plot)] })
}

/// Figure 15: T_low and the size of segments.
pub fn figure_15(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig15";
    let lows = [0.0, 25.0, 50.0, 100.0, 200.0, 300.0, 400.0];
    let sizes = [16.0, 32.0, 64.0];
    let sets: Vec<_> =
        sizes.iter().flat_map(|kb| lows.iter().map(|low| vec![segment(*kb), number("profile.timely.t_low_us", *low)])).collect();
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let at = |size: usize, low: usize| &runs[size * lows.len() + low];
    // The lowest T_low from which nothing is lost, us.
    let tipping = |size: usize| {
        let best = (0..lows.len()).map(|l| throughput(at(size, l))).fold(0.0, f64::max);
        lows[(0..lows.len()).find(|l| throughput(at(size, *l)) > 0.97 * best).unwrap_or(lows.len() - 1)]
    };
    let coarse = "a burst of the NIC is a queue of its own; ours leaves at 10 Gb/s without a gap";
    let findings = vec![
        near(ID, "16 KB, T_low 50 us: throughput, Gb/s", 19.4, throughput(at(0, 2)), 0.03, "-"),
        near(ID, "16 KB, T_low 0: throughput, Gb/s", 18.9, throughput(at(0, 0)), 0.05, coarse),
        bound(ID, "16 KB: T_low from which nothing is lost, us", 50.0, tipping(0), false, coarse),
        bound(ID, "32 KB: T_low from which nothing is lost, us", 100.0, tipping(1), false, coarse),
        bound(ID, "64 KB: T_low from which nothing is lost, us", 300.0, tipping(2), false, coarse),
        bound(ID, "64 KB over 16 KB, T_low 50 us: throughput", 0.95, throughput(at(2, 2)) / throughput(at(0, 2)), false, coarse),
    ];
    let line = |size: usize, of: &dyn Fn(&Outcome) -> f64| (0..lows.len()).map(|l| (lows[l], of(at(size, l)))).collect::<Vec<_>>();
    let names = ["16 KB", "32 KB", "64 KB"];
    let throughputs: Vec<_> = names.iter().enumerate().map(|(i, n)| (*n, line(i, &throughput))).collect();
    let rtts: Vec<_> = names.iter().enumerate().map(|(i, n)| (*n, line(i, &|o| o.summary.rtt_us.p99))).collect();
    let (legend, plot) = curves("T_low, us", "throughput, Gb/s", &throughputs);
    let (legend_2, plot_2) = curves("T_low, us", "99th percentile of the RTT, us", &rtts);
    let text = "The larger the bursts, the more queue must be allowed before the gradient is asked.".into();
    let plots = vec![("Throughput".into(), legend, plot), ("RTT".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 15: T_low and segments", text, findings, plots })
}

/// Figure 16, and beyond it: pacing by the NIC of segments of 64 KB, at a fixed rate, and at TIMELY's own.
pub fn figure_16(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig16";
    let fixed = [300.0, 500.0, 700.0, 1000.0, 2000.0, 4000.0];
    let mut sets = Vec::new();
    for low in [50.0, 0.0] {
        let base = || vec![segment(64.0), number("profile.timely.t_low_us", low)];
        let with = |more: Change| base().into_iter().chain([more]).collect::<Vec<_>>();
        sets.extend(fixed.iter().map(|mbps| with(number("nic.spacing_mbps", *mbps))));
        sets.push(base());
        sets.push(with(word("nic.kind", "event")));
    }
    // One flow alone: a fixed pacer is its cap.
    let alone = |more: Change| {
        let one = |path: &str| (path.to_owned(), toml::Value::Array(vec![toml::Value::Integer(0)]));
        let few = [one("flow.0.from"), one("flow.1.from"), number("flow.0.connections", 1.0), number("flow.1.stop_us", 1.0)];
        few.into_iter().chain([segment(64.0), number("flow.1.connections", 1.0), more]).collect::<Vec<_>>()
    };
    sets.push(alone(number("nic.spacing_mbps", 700.0)));
    sets.push(alone(word("nic.kind", "event")));
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let per = fixed.len() + 2;
    let t = |low: usize, i: usize| throughput(&runs[low * per + i]);
    let (unpaced, dynamic) = (fixed.len(), fixed.len() + 1);
    let why = "the paper's unpaced 11 Gb/s needs a larger alpha than its table 1; no one alpha gives both";
    let low_why = "without a T_low unfair starts persist, so some connections starve below their pacer";
    let single = (throughput(&runs[2 * per]), throughput(&runs[2 * per + 1]));
    let findings = vec![
        near(ID, "700 Mb/s, T_low 50 us: throughput, Gb/s", 18.9, t(0, 2), 0.05, "-"),
        near(ID, "700 Mb/s, T_low 0: throughput, Gb/s", 18.4, t(1, 2), 0.05, low_why),
        near(ID, "unpaced, T_low 50 us: throughput, Gb/s", 11.2, t(0, unpaced), 0.2, why),
        near(ID, "unpaced, T_low 0: throughput, Gb/s", 10.2, t(1, unpaced), 0.2, why),
        bound(ID, "dynamic pacing of each packet over 700 Mb/s, T_low 50 us: throughput", 0.99, t(0, dynamic) / t(0, 2), true, "-"),
        bound(
            ID,
            "one connection alone: dynamic over 700 Mb/s",
            10.0,
            single.1 / single.0,
            true,
            "it rises by delta a completion and has not reached the line",
        ),
        near(
            ID,
            "mean RTT, dynamic over 700 Mb/s, T_low 50 us",
            1.0,
            runs[dynamic].summary.rtt_us.mean / runs[2].summary.rtt_us.mean,
            0.1,
            "-",
        ),
    ];
    let points = |low: usize| fixed.iter().enumerate().map(|(i, mbps)| (*mbps, t(low, i))).collect::<Vec<_>>();
    let flat = |low: usize, i: usize| vec![(fixed[0], t(low, i)), (fixed[fixed.len() - 1], t(low, i))];
    let (legend, plot) = curves(
        "fixed rate of the NIC's pacer, Mb/s",
        "throughput, Gb/s",
        &[
            ("fixed, T_low 50 us", points(0)),
            ("fixed, T_low 0", points(1)),
            ("unpaced, T_low 50 us", flat(0, unpaced)),
            ("dynamic pacing of each packet, T_low 50 us", flat(0, dynamic)),
        ],
    );
    let r = |i: usize| runs[i].summary.rtt_us;
    let text = format!(
        "64 KB are posted at a time; the NIC sends their packets at a fixed rate, which caps a connection (alone it gets {:.2} Gb/s). What the \
         authors could not build is a NIC that paces each packet at the connection's own rate: it gives {:.2} Gb/s at {:.0} us (99th percentile \
         {:.0}), the fixed pacer {:.2} at {:.0} ({:.0}), and a connection alone gets {:.2} Gb/s.",
        single.0,
        t(0, dynamic),
        r(dynamic).mean,
        r(dynamic).p99,
        t(0, 2),
        r(2).mean,
        r(2).p99,
        single.1
    );
    Ok(Figure {
        id: ID,
        title: "Figure 16 and beyond: pacing by the NIC",
        text,
        findings,
        plots: vec![("Throughput".into(), legend, plot)],
    })
}

/// Figure 17: T_high and the number of connections.
pub fn figure_17(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig17";
    let highs = [50.0, 100.0, 200.0, 300.0, 500.0, 1000.0];
    // Of each client: two, four, five connections to each link of the server.
    let connections = [2.0, 4.0, 5.0];
    let mut sets = Vec::new();
    for n in connections {
        for high in highs {
            sets.push(vec![number("flow.*.connections", n), number("profile.timely.t_high_us", high)]);
        }
    }
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let t = |n: usize, h: usize| throughput(&runs[n * highs.len() + h]);
    let findings = vec![
        bound(ID, "4 connections: throughput with T_high 100 us over that with 500", 0.97, t(0, 1) / t(0, 4), true, "-"),
        bound(ID, "8 connections: throughput with T_high 200 us over that with 500", 0.97, t(1, 2) / t(1, 4), true, "-"),
        bound(ID, "10 connections: throughput with T_high 200 us over that with 500", 0.97, t(2, 2) / t(2, 4), true, "-"),
        bound(ID, "10 connections: throughput with T_high 50 us over that with 500", 0.99, t(2, 0) / t(2, 4), false, "-"),
    ];
    let names = ["4 connections", "8 connections", "10 connections"];
    let named: Vec<_> =
        names.iter().enumerate().map(|(i, n)| (*n, highs.iter().enumerate().map(|(h, us)| (*us, t(i, h))).collect::<Vec<_>>())).collect();
    let (legend, plot) = curves("T_high, us", "throughput, Gb/s", &named);
    let text = "Connections of each of ten clients (the paper has 4, 7, 10). T_high can be low before throughput suffers.".into();
    Ok(Figure { id: ID, title: "Figure 17: T_high", text, findings, plots: vec![("Throughput".into(), legend, plot)] })
}
