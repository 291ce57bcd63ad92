//! Figures 15 and 16: the size of segments, and pacing of their packets by the NIC; and what is
//! beyond figure 16.
use super::finding::{least, most, near};
use super::{Figure, Lab, STAR, curves, number, throughput, word};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;

const KB: f64 = 1024.0;

/// Segments of so many KB.
pub fn segment(kb: f64) -> Change {
    number("flow.*.segment_bytes", kb * KB)
}

fn mean_rtt(o: &Outcome) -> f64 {
    o.summary.rtt_measured_us.mean
}

/// Figure 15: T_low and the size of segments.
pub fn figure_15(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig15";
    let lows = [0.0, 25.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 400.0];
    let sizes = [16.0, 32.0, 64.0];
    let low = |us: f64| number("profile.timely.t_low_us", us);
    let mut sets: Vec<_> = sizes.iter().flat_map(|kb| lows.iter().map(|us| vec![segment(*kb), low(*us)])).collect();
    // The same without bursts, and with flows that answer the gradient more slowly.
    let tests = [("spaced", number("nic.spacing_mbps", 1000.0)), ("slow", number("profile.timely.alpha", 0.0075))];
    for (_, change) in &tests {
        sets.extend([32.0, 64.0].iter().flat_map(|kb| lows.iter().map(|us| vec![segment(*kb), low(*us), change.clone()])));
    }
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let at = |size: usize, low: usize| &runs[size * lows.len() + low];
    // The lowest T_low from which nothing is lost, us.
    let tipping = |size: usize| {
        let best = (0..lows.len()).map(|l| throughput(at(size, l))).fold(0.0, f64::max);
        lows[(0..lows.len()).find(|l| throughput(at(size, *l)) > 0.97 * best).unwrap_or(lows.len() - 1)]
    };
    let tested = format!(
        "a burst is a queue of its own, and bursts of ours follow each other without a gap at 10 Gb/s. With the packets of a burst spaced to 1 Gb/s \
         it is {:.0} us for 32 KB and {:.0} for 64 KB; with bursts as they are and a fourth of alpha, so that single RTTs count less, {:.0} and {:.0} us",
        tipping(3),
        tipping(4),
        tipping(5),
        tipping(6)
    );
    let findings = vec![
        near(ID, "16 KB, T_low 50 us: throughput, Gb/s", 19.4, throughput(at(0, 2)), 0.03),
        near(ID, "16 KB, T_low 0: throughput, Gb/s", 18.9, throughput(at(0, 0)), 0.05),
        most(ID, "16 KB: T_low from which nothing is lost, us", 50.0, tipping(0)),
        most(ID, "32 KB: T_low from which nothing is lost, us", 100.0, tipping(1)).why(&tested),
        most(ID, "64 KB: T_low from which nothing is lost, us", 300.0, tipping(2)).why(&tested),
        most(ID, "64 KB over 16 KB, T_low 50 us: throughput", 0.95, throughput(at(2, 2)) / throughput(at(0, 2))).in_words(),
        most(ID, "16 KB: mean RTT with T_low 25 us over that with 200", 1.0, mean_rtt(at(0, 1)) / mean_rtt(at(0, 5))).in_words(),
        most(ID, "64 KB: mean RTT with T_low 25 us over that with 400", 1.0, mean_rtt(at(2, 1)) / mean_rtt(at(2, 8))).in_words(),
    ];
    let line = |size: usize, of: &dyn Fn(&Outcome) -> f64| (0..lows.len()).map(|l| (lows[l], of(at(size, l)))).collect::<Vec<_>>();
    let names = ["16 KB", "32 KB", "64 KB"];
    let throughputs: Vec<_> = names.iter().enumerate().map(|(i, n)| (*n, line(i, &throughput))).collect();
    let rtts: Vec<_> = names.iter().enumerate().map(|(i, n)| (*n, line(i, &|o| o.summary.rtt_measured_us.p99))).collect();
    let (legend, plot) = curves("T_low, us", "throughput, Gb/s", &throughputs);
    let (legend_2, plot_2) = curves("T_low, us", "99th percentile of the RTT, us", &rtts);
    let text = "The larger the bursts, the more queue must be allowed before the gradient is asked.".into();
    let plots = vec![("Throughput".into(), legend, plot), ("RTT".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 15: T_low and segments", text, findings, plots })
}

/// Figure 16, and beyond it: pacing by the NIC of segments of 64 KB, at a fixed rate, and at
/// TIMELY's own.
pub fn figure_16(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig16";
    // Pacing that the authors could not build: not in the paper.
    const BEYOND: &str = "beyond16";
    let fixed = [300.0, 500.0, 600.0, 700.0, 1000.0, 2000.0, 4000.0];
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
    const AT: usize = 3;
    let best = |low: usize| (0..fixed.len()).max_by(|a, b| t(low, *a).total_cmp(&t(low, *b))).map_or(0.0, |i| fixed[i]);
    let single = (throughput(&runs[2 * per]), throughput(&runs[2 * per + 1]));
    let rtt = |low: usize, i: usize| runs[low * per + i].summary.rtt_measured_us.mean;
    let more = format!(
        "the links are fuller, by {:.0} %. With T_low 0 dynamic pacing gives {:.2} Gb/s, the fixed pacer's {:.2} or more, at {:.0} us against its {:.0}",
        100.0 * (t(0, dynamic) / t(0, AT) - 1.0),
        t(1, dynamic),
        t(0, AT),
        rtt(1, dynamic),
        rtt(0, AT)
    );
    let findings = vec![
        near(ID, "700 Mb/s, T_low 50 us: throughput, Gb/s", 18.9, t(0, AT), 0.05),
        near(ID, "700 Mb/s, T_low 0: throughput, Gb/s", 18.4, t(1, AT), 0.05),
        near(ID, "unpaced, T_low 50 us: throughput, Gb/s", 11.2, t(0, unpaced), 0.2),
        near(ID, "unpaced, T_low 0: throughput, Gb/s", 10.2, t(1, unpaced), 0.2),
        near(ID, "pacing rate with the most throughput, T_low 50 us, Mb/s", 700.0, best(0), 0.3),
        most(ID, "700 Mb/s over unpaced, T_low 50 us: mean RTT", 1.0, rtt(0, AT) / rtt(0, unpaced)).in_words(),
        least(BEYOND, "dynamic pacing of each packet over 700 Mb/s, T_low 50 us: throughput", 1.0, t(0, dynamic) / t(0, AT)).in_words(),
        least(BEYOND, "one connection alone: dynamic over 700 Mb/s", 2.0, single.1 / single.0).in_words(),
        most(BEYOND, "mean RTT, dynamic over 700 Mb/s, T_low 50 us", 1.0, rtt(0, dynamic) / rtt(0, AT)).in_words().why(&more),
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
    let r = |i: usize| runs[i].summary.rtt_measured_us;
    let text = format!(
        "64 KB are posted at a time; the NIC sends their packets at a fixed rate, which caps a connection (alone it gets {:.2} Gb/s). What the \
         authors could not build is a NIC that paces each packet at the connection's own rate: it gives {:.2} Gb/s at {:.0} us (99th percentile \
         {:.0}), the fixed pacer {:.2} at {:.0} ({:.0}), and a connection alone gets {:.2} Gb/s.",
        single.0,
        t(0, dynamic),
        r(dynamic).mean,
        r(dynamic).p99,
        t(0, AT),
        r(AT).mean,
        r(AT).p99,
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
