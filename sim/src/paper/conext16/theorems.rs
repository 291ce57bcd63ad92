//! The theorems by number, and the paper's advice on tuning as experiments.
use super::finding::{Finding, least, most, within};
use super::runs::{Points, Queue, line, settings, solved, starts};
use super::{Figure, Lab, curves, decades};
use crate::fluid::settings::Model;
use crate::stability::{modes, row, timely_rests};

const ID: &str = "theorems";
const RAMP: [&str; 2] = ["kmax_kb=2000", "pmax=0.1"];

// Theorem 1: from three starts to one point. Theorem 2: the difference of two rates falls
// exponentially, as the mode of differences.
fn dcqcn(lab: &Lab) -> Result<(Vec<Finding>, Points), String> {
    let s = settings(lab, Model::Dcqcn, &RAMP)?;
    let exact = s.dcqcn().fixed_point(2.0).queue / 1e3;
    let mut findings = Vec::new();
    for start in [[40.0, 40.0], [35.0, 5.0], [1.0, 1.0]] {
        let done = solved(&s, &starts(&start), 300.0, 1.0, None)?;
        let (q, shares) = (Queue::fluid(&done, 290.0).mean, done.shares(0.29, 0.3));
        let off = ((q / exact - 1.0).abs()).max((shares[0] / 20.0 - 1.0).abs()).max((shares[1] / 20.0 - 1.0).abs());
        let of =
            format!("theorem 1: DCQCN from {} + {} Gb/s, distance of queue and rates from the one fixed point, part", start[0], start[1]);
        findings.push(most(ID, of, 0.005, off));
    }
    let done = solved(&s, &starts(&[35.0, 5.0]), 250.0, 1.0, None)?;
    let gap = |t: f64| {
        let i = done.time.partition_point(|x| *x < t).min(done.time.len() - 1);
        done.rates[0][i] - done.rates[1][i]
    };
    let root = modes(&s, 2.0).ok_or("no fixed point")?.apart.rightmost().map_err(|e| e.to_string())?;
    // A mode e^(r t) with its conjugate: x(t + 2 T) = 2 e^(a T) cos(w T) x(t + T) - e^(2 a T) x(t),
    // r = a + i w.
    let (step, fall) = (0.01, (root.re * 0.01).exp());
    let departure = |k: u32| {
        let [x, next, after] = [0.0, 1.0, 2.0].map(|n| gap((f64::from(k) + n) * step));
        (after - 2.0 * fall * (root.im * step).cos() * next + fall * fall * x).abs() / (next.abs() + x.abs())
    };
    findings.push(most(ID, "theorem 2: real part of the root of DCQCN's differences, 1/s", -10.0, root.re));
    findings.push(most(
        ID,
        "theorem 2: the difference's distance from that exponential, part",
        0.02,
        (10..18).map(departure).fold(0.0, f64::max),
    ));
    let curve = (0..200).map(|k| (f64::from(k), gap(f64::from(k) / 1e3).abs() * 1e9)).collect();
    Ok((findings, curve))
}

// Theorem 5: one point, which differences approach exponentially.
fn patched(lab: &Lab) -> Result<(Vec<Finding>, Points), String> {
    let done = solved(&settings(lab, Model::Patched, &[])?, &starts(&[7.0, 3.0]), 300.0, 1.0, None)?;
    let gap = |t: f64| {
        let x = done.shares(t, t + 1e-4);
        (x[0] - x[1]).abs().max(1e-12)
    };
    let slopes = [(0.02, 0.04), (0.04, 0.06), (0.06, 0.08)].map(|(a, b)| (gap(b).ln() - gap(a).ln()) / (b - a));
    let uneven = slopes.iter().map(|k| (k / slopes[2] - 1.0).abs()).fold(0.0, f64::max);
    let findings = vec![
        within(ID, "theorem 5: patched TIMELY from 7 + 3 Gb/s, queue, KB", 78.125, Queue::fluid(&done, 290.0).mean, 0.1),
        most(ID, "theorem 5: slope of the logarithm of the difference, 1/s", -10.0, slopes[2]),
        most(ID, "theorem 5: unevenness of that slope over 60 ms, part", 0.05, uneven),
    ];
    Ok((findings, (0..200).map(|k| (f64::from(k), gap(f64::from(k) / 1e3) * 1e9)).collect()))
}

/// Theorems 1 to 6.
pub fn theorems(lab: &Lab) -> Result<Figure, String> {
    let (mut findings, fall) = dcqcn(lab)?;
    let rests = timely_rests(&settings(lab, Model::Timely, &[])?.timely());
    let worst = |k: usize, at: f64| rests.iter().map(|r| (r.1[k] - at).abs()).fold(0.0, f64::max);
    findings.push(most(
        ID,
        "theorem 3: TIMELY at a still queue, rates change by delta an update at any split; distance from that, of delta",
        1e-9,
        worst(0, 1.0),
    ));
    findings.push(most(
        ID,
        "theorem 4: with the decrease's branch at a gradient of 0 all 19 splits rest; greatest change, of delta",
        1e-9,
        worst(1, 0.0),
    ));
    let (five, fall_patched) = patched(lab)?;
    findings.extend(five);
    for (model, most_root) in [(Model::PiSwitch, -1.0), (Model::Dcqcn, -1.0), (Model::Patched, -1.0)] {
        let r = row(&settings(lab, model, &[])?, 10.0).map_err(|e| e.to_string())?.ok_or("no fixed point")?;
        findings.push(most(ID, format!("theorem 6: {}, 10 flows: root of differences, 1/s", model.name()), most_root, r.apart_root));
    }
    let host = row(&settings(lab, Model::PiHost, &[])?, 10.0).map_err(|e| e.to_string())?.ok_or("no fixed point")?;
    findings.push(within(
        ID,
        "theorem 6: pi-host, 10 flows: root of differences, 1/s (0 keeps any split for good)",
        0.0,
        host.apart_root,
        1e-6,
    ));
    findings.push(within(ID, "theorem 6: pi-host: queue for 10 flows, KB", 343.75, host.queue_kb, 0.001));
    let (legend, plot) =
        decades("time, ms", "difference, b/s", 1.0, &[("DCQCN from 35 + 5", fall), ("patched TIMELY from 7 + 3", fall_patched)]);
    let text = "A fixed queue, or fairness: with marks from the switch both, by delay alone one of them.".into();
    Ok(Figure { id: ID, title: "Theorems", text, findings, plots: vec![("Differences of two rates".into(), legend, plot)] })
}

/// Tuning: less additive increase, longer ramps.
pub fn advice(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "advice";
    let flows = [2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0];
    let margin = |set: &[&str]| -> Result<f64, String> {
        let s = settings(lab, Model::Dcqcn, &[&["delay_us=85"], set].concat())?;
        let all: Result<Vec<_>, _> = flows.iter().map(|n| row(&s, *n)).collect();
        Ok(all.map_err(|e| e.to_string())?.iter().flatten().filter_map(|r| r.margin_deg).fold(f64::MAX, f64::min))
    };
    let ms = if lab.quick { 100.0 } else { 300.0 };
    let swing = |set: &[&str]| -> Result<(f64, Vec<(f64, f64)>), String> {
        let s = settings(lab, Model::Dcqcn, &[&["delay_us=85"], set].concat())?;
        let done = solved(&s, &starts(&[40.0; 10]), ms, 1.0, None)?;
        let q = Queue::fluid(&done, ms * 0.7);
        Ok((q.deviation / q.mean, line(&done)))
    };
    let default = swing(&RAMP)?;
    let gentle = swing(&[RAMP[0], RAMP[1], "increase_mbps=10"])?;
    let long = swing(&["kmax_kb=10000", RAMP[1]])?;
    let findings = vec![
        most(ID, "85 us, R_AI 40 Mb/s, Kmax 200 KB: least margin of 2 to 30 flows, degrees", 0.0, margin(&[])?).in_words(),
        least(ID, "R_AI 10 Mb/s: least margin, degrees", 0.0, margin(&["increase_mbps=10"])?).in_words(),
        least(ID, "Kmax 1,000 KB: least margin, degrees", 0.0, margin(&["kmax_kb=1000"])?).in_words(),
        least(ID, "10 flows, 85 us, R_AI 40 Mb/s: swing of the queue (standard deviation over mean)", 0.2, default.0).in_words(),
        most(ID, "the same with R_AI 10 Mb/s", 0.05, gentle.0).in_words(),
        most(ID, "the same with a ramp five times as long", 0.05, long.0).in_words(),
    ];
    let (legend, plot) =
        curves("time, ms", "queue, KB", &[("default", default.1), ("R_AI 10 Mb/s", gentle.1), ("ramp five times as long", long.1)]);
    let text = "Less additive increase or a longer ramp steadies DCQCN. Bursts below the line's rate are with figure 10.".into();
    Ok(Figure { id: ID, title: "Advice on tuning", text, findings, plots: vec![("Ten flows at 85 us, fluid".into(), legend, plot)] })
}
