//! Figures 1, 11 and 12: stamps of the NIC, stamps of software, and how much noise TIMELY stands.
use super::finding::{least, most, near};
use super::{Figure, Lab, QUIET, STAR, STEPS, curves, distributions, number, throughput, word};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::time::{MS, Ps, US};

/// Delay of software stamps in these figures, by name: that of a kernel, measured by
/// `sim/scenarios/sigcomm15/kernel_stamps.py`.
pub(super) const KERNEL: &str = "kernel";
/// The same on a host whose cores are busy.
const KERNEL_BUSY: &str = "kernel-busy";

// RTTs as they were measured from `from` to `to`, us.
fn measured(o: &Outcome, from: Ps, to: Ps) -> Vec<f64> {
    let of = o.recorder.rtts.iter().filter(|r| (from..to).contains(&r.sample.at));
    of.filter_map(|r| r.sample.measured_ns).map(|ns| ns / 1e3).collect()
}

fn deviation(all: &[f64]) -> f64 {
    // Of nothing no number.
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64).sqrt()
}

/// The distribution of these values, in 400 points.
pub(super) fn cdf(mut all: Vec<f64>) -> Vec<(f64, f64)> {
    all.sort_by(f64::total_cmp);
    let n = all.len().max(1);
    (0..400).filter_map(|k| Some((*all.get(k * (n - 1) / 399)?, k as f64 / 399.0))).collect()
}

// A queue that rises in steps, by stamps of the NIC and by those of a kernel.
fn steps(lab: &Lab) -> Result<Vec<Outcome>, String> {
    Lab { quick: false, ..*lab }.runs("steps.toml", STEPS, &[vec![], vec![word("nic.rtt_noise", KERNEL)]])
}

// RTTs of one of the four steps, when it has been reached.
fn step(o: &Outcome, k: u64) -> Vec<f64> {
    measured(o, (10 * k + 2) * MS, (10 * k + 10) * MS)
}

// Messages in an idle network, by stamps of the NIC and by those of a kernel, idle and busy.
fn idle(lab: &Lab) -> Result<Vec<Outcome>, String> {
    let by = |name: &str| vec![word("nic.rtt_noise", name)];
    Lab { quick: false, ..*lab }.runs("quiet.toml", QUIET, &[vec![], by(KERNEL), by(KERNEL_BUSY)])
}

/// Figure 1: messages in an idle network, and beyond it a queue that rises in steps, as the NIC and
/// as a kernel see them.
pub fn figure_1(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig1";
    let quiet: Vec<_> = idle(lab)?.iter().take(2).map(|o| measured(o, 0, Ps::MAX)).collect();
    let of: Vec<_> = quiet.iter().map(|a| Spread::of(a.clone())).collect();
    let runs = steps(lab)?;
    let medians = |o: &Outcome| (0..4).map(|k| Spread::of(step(o, k)).p50).collect::<Vec<_>>();
    let (nic, kernel) = (medians(&runs[0]), medians(&runs[1]));
    // Height of a step of the queue, and noise.
    let rise = (nic[3] - nic[0]) / 3.0;
    let noise = |o: &Outcome| {
        (0..4)
            .map(|k| Spread::of(step(o, k)))
            .map(|s| s.p99 - s.p50)
            .reduce(|a, b| if a.is_nan() || a > b { a } else { b })
            .unwrap_or(f64::NAN)
    };
    let findings = vec![
        least(ID, "idle network: median RTT by a kernel's stamps over that by the NIC's", 1.0, of[1].p50 / of[0].p50).in_words(),
        most(
            ID,
            "idle network: standard deviation by the NIC's stamps over that by a kernel's",
            0.1,
            deviation(&quiet[0]) / deviation(&quiet[1]),
        )
        .in_words(),
        most(
            ID,
            "queue in steps, stamps of the NIC: most noise (99th percentile less median) within a step, over the step",
            0.5,
            noise(&runs[0]) / rise,
        )
        .in_words(),
        least(ID, "queue in steps, stamps of a kernel: the same", 1.0, noise(&runs[1]) / rise).in_words(),
    ];
    let points = |o: &Outcome| {
        o.recorder.rtts.iter().filter_map(|r| Some((r.sample.at as f64 / 1e9, r.sample.measured_ns? / 1e3))).collect::<Vec<_>>()
    };
    let [by_nic, by_kernel] = [0, 1].map(|i| cdf(quiet[i].clone()));
    let (l1, p1) = distributions("RTT of 16 KB in an idle network, us", &[("NIC", by_nic), ("kernel", by_kernel)]);
    let (l2, p2) = curves("time, ms", "RTT, us", &[("stamps of a kernel", points(&runs[1])), ("stamps of the NIC", points(&runs[0]))]);
    let text = format!(
        "Messages of 16 KB in an idle network have RTTs of {:.0} us in the median and {:.0} at the 99th percentile by the NIC's stamps, {:.0} and {:.0} by \
         a kernel's. And one more client every 10 ms streams to the same server: RTTs by the NIC rise with the queue, {:.0}, {:.0}, {:.0} and {:.0} us in \
         the median; by a kernel's stamps they are {:.0}, {:.0}, {:.0} and {:.0} us. What the kernel adds was measured, see kernel_stamps.py.",
        of[0].p50, of[0].p99, of[1].p50, of[1].p99, nic[0], nic[1], nic[2], nic[3], kernel[0], kernel[1], kernel[2], kernel[3]
    );
    let plots = vec![("An idle network".into(), l1, p1), ("A queue in steps".into(), l2, p2)];
    Ok(Figure { id: ID, title: "Figure 1: stamps of the NIC and of a kernel", text, findings, plots })
}

/// Figure 11: stamps of the NIC, those brought to the host's clock, and those of software.
pub fn figure_11(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig11";
    // A clock of the NIC that is read over PCI Express now and then is known to a microsecond.
    let noise = [number("nic.rtt_noise_us", 1.0), word("nic.rtt_noise", KERNEL), word("nic.rtt_noise", KERNEL_BUSY)];
    let sets: Vec<_> = [vec![]].into_iter().chain(noise.map(|n| vec![n])).collect();
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let quiet: Vec<_> = idle(lab)?.iter().map(|o| deviation(&measured(o, 0, Ps::MAX))).collect();
    let rtts = |o: &Outcome| {
        let w = o.recorder.windows;
        measured(o, w.steady, w.end)
    };
    let all: Vec<_> = runs.iter().map(rtts).collect();
    let s: Vec<_> = all.iter().map(|a| Spread::of(a.clone())).collect();
    let steady = steps(lab)?;
    let swing = format!(
        "the queue's own swing under TIMELY, {:.0} us in the standard deviation, hides most of what the kernel adds. Of a queue that stands still \
         (figure 1, the last step) it is {:.2} us by the NIC's stamps and {:.1} by the kernel's",
        deviation(&all[0]),
        deviation(&step(&steady[0], 3)),
        deviation(&step(&steady[1], 3))
    );
    let findings = vec![
        near(ID, "mean RTT by calibrated stamps over that by the NIC's", 1.0, s[1].mean / s[0].mean, 0.05).in_words(),
        near(ID, "99th percentile, the same", 1.0, s[1].p99 / s[0].p99, 0.05).in_words(),
        near(ID, "throughput, the same", 1.0, throughput(&runs[1]) / throughput(&runs[0]), 0.02).in_words(),
        least(ID, "standard deviation by software stamps over that by the NIC's", 2.0, deviation(&all[2]) / deviation(&all[0]))
            .in_words()
            .why(&swing),
        least(ID, "idle network: standard deviation by software stamps on a busy host over that on an idle one", 1.0, quiet[2] / quiet[1])
            .in_words(),
    ];
    let names = ["NIC", "calibrated", "software", "software, busy host"];
    let gbps: Vec<f64> = runs.iter().map(throughput).collect();
    let named: Vec<_> = names.iter().zip(all).map(|(n, a)| (*n, cdf(a))).collect();
    let (legend, plot) = distributions("RTT as measured, us", &named);
    let text = format!(
        "TIMELY by stamps of the NIC, by the same brought to the host's clock (good to a microsecond), and by software's (a kernel's, measured): \
         {:.1}, {:.1} and {:.1} Gb/s; RTTs as measured {:.0}, {:.0} and {:.0} us in the mean, {:.0}, {:.0} and {:.0} at the 99th percentile. By software's stamps \
         on a host with two busy processes a core: {:.1} Gb/s, {:.0} us in the mean; in an idle network their standard deviation is {:.0} us there and {:.0} on an \
         idle host.",
        gbps[0], gbps[1], gbps[2], s[0].mean, s[1].mean, s[2].mean, s[0].p99, s[1].p99, s[2].p99, gbps[3], s[3].mean, quiet[2], quiet[1]
    );
    Ok(Figure { id: ID, title: "Figure 11: where the stamps come from", text, findings, plots: vec![("RTTs".into(), legend, plot)] })
}

/// Figure 12: noise in RTTs.
pub fn figure_12(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig12";
    let noise = [0.0, 25.0, 50.0, 100.0, 150.0, 200.0];
    let noisy = |us: &f64| vec![number("nic.rtt_noise_us", *us)];
    let lows = [50.0, 25.0, 0.0, 100.0];
    let low = |low: &f64| {
        let low = number("profile.timely.t_low_us", *low);
        noise.iter().map(|us| [noisy(us), vec![low.clone()]].concat()).collect::<Vec<_>>()
    };
    let runs = lab.runs("star.toml", STAR, &lows.iter().flat_map(low).collect::<Vec<_>>())?;
    let all: Vec<f64> = runs.iter().map(throughput).collect();
    let by_low: Vec<&[f64]> = all.chunks(noise.len()).collect();
    let (t, lower, none, higher) = (by_low[0], by_low[1], by_low[2], by_low[3]);
    let below = runs[0].measured_rtt.cdf().into_iter().take_while(|(ps, _)| *ps < (50 * US)).last().map_or(0.0, |(_, share)| share);
    let lowest = format!(
        "{:.0} % of the RTTs without noise are below 50 us, and yet a lower T_low costs nothing: with T_low 0 it is {:.1} Gb/s without noise, {:.1} with noise up \
         to 50 us and {:.1} up to 100, with 50 us {:.1}, {:.1} and {:.1}. From 50 to 100 us it counts: with 100 us it is {:.1}, {:.1} and {:.1}",
        below * 100.0,
        none[0],
        none[2],
        none[3],
        t[0],
        t[2],
        t[3],
        higher[0],
        higher[2],
        higher[3]
    );
    let findings = vec![
        most(ID, "throughput with noise up to 100 us (50 us in the mean) over that without", 0.95, t[3] / t[0]).in_words(),
        most(ID, "throughput with noise up to 200 us over that with noise up to 100 us", 1.0, t[5] / t[3]).in_words(),
        most(ID, "noise up to 100 us: throughput with T_low 25 us over that with T_low 50 us", 1.0, lower[3] / t[3])
            .in_words()
            .why(&lowest),
        most(ID, "noise up to 50 us: throughput with T_low 25 us over that with T_low 50 us", 0.99, lower[2] / t[2])
            .in_words()
            .why(&lowest),
        most(ID, "noise up to 50 us: throughput with T_low 50 us over that with T_low 100 us", 0.95, t[2] / higher[2]).in_words(),
    ];
    let points = |t: &[f64]| noise.iter().zip(t).map(|(n, t)| (*n, *t)).collect::<Vec<_>>();
    let (legend, plot) = curves(
        "noise up to, us",
        "throughput, Gb/s",
        &[("T_low 100 us", points(higher)), ("T_low 50 us", points(t)), ("T_low 25 us", points(lower)), ("T_low 0", points(none))],
    );
    let text = "Noise, uniform from 0, is added to each RTT: TIMELY needs stamps that are good to some ten microseconds, and T_low above what they add.".into();
    Ok(Figure { id: ID, title: "Figure 12: noise in RTTs", text, findings, plots: vec![("Throughput".into(), legend, plot)] })
}
