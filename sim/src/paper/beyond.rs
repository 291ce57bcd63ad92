//! Experiments beyond the paper: several bottlenecks on a path, and two classes that each answer to
//! their own RTT (sections 2 and 8).
use super::finding::{least, most};
use super::{Figure, Lab, curves, number};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::US;
use std::fmt::Write;

/// Trunks of 10 Gb/s that the long flow passes.
const TRUNKS: [usize; 3] = [2, 3, 5];
/// Raise of a threshold for each trunk beyond the first, us: the queueing that a trunk's own flow
/// allows.
const PER_TRUNK_US: f64 = 12.0;

// A flow over all of `n` trunks, and one over each.
fn lot(law: &str, n: usize) -> String {
    let mut text = format!(
        "duration_ms = 200\nbase_rtt_us = 8\n[topology]\nparking_lot = {{ switches = {}, hosts = 2 }}\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n\
         [profile.long]\nlike = '{law}'\n[profile.short]\nlike = '{law}'\n[[flow]]\nfrom = 0\nto = {}\nprofile = 'long'\n",
        n + 1,
        2 * n
    );
    for k in 0..n {
        let to = 2 * k + 3;
        write!(text, "[[flow]]\nfrom = {}\nto = {to}\nprofile = 'short'\nstart_us = {}\n", 2 * k + 1, 100 * k)
            .expect("writing to a string");
    }
    text
}

// Gb/s of the first flow's wire bits.
fn long(o: &Outcome) -> f64 {
    let w = o.recorder.windows;
    o.recorder.flows[0].wire_steady as f64 * 8e3 / (w.end - w.steady) as f64
}

/// The parking lot: max-min fairness gives the long flow 5 Gb/s of 10, proportional fairness 10 /
/// (trunks + 1).
pub fn parking_lot(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "lot";
    let (mut findings, mut lines, mut rows) = (Vec::new(), Vec::new(), String::new());
    for law in ["timely-10g", "patched-10g", "pi-10g"] {
        // TIMELY's threshold, and the delay that the other laws hold.
        let low = 20.0;
        let (mut plain, mut raised) = (Vec::new(), Vec::new());
        for n in TRUNKS {
            let more = low + PER_TRUNK_US * (n - 1) as f64;
            let by_trunks: Vec<Change> = ["t_low_us", "reference_us"]
                .iter()
                .map(|f| number(&format!("profile.long.{f}"), if law == "pi-10g" && *f == "t_low_us" { more / 2.0 } else { more }))
                .collect();
            let runs = lab.runs("lot.toml", &lot(law, n), &[vec![], by_trunks])?;
            plain.push((n as f64, long(&runs[0])));
            raised.push((n as f64, long(&runs[1])));
        }
        let told = |of: &[(f64, f64)]| of.iter().map(|p| format!("{:.2}", p.1)).collect::<Vec<_>>().join(", ");
        write!(rows, "{law}: {} Gb/s over {TRUNKS:?} trunks; with thresholds by trunks {}.<br>", told(&plain), told(&raised))
            .expect("writing to a string");
        let why = format!(
            "the RTT of the long flow is the sum of all queues, each of which the trunk's own flow holds at its threshold. With T_low and the reference \
             higher by {PER_TRUNK_US:.0} us for each further trunk it gets {} Gb/s",
            told(&raised)
        );
        findings.push(
            least(ID, format!("{law}: long flow over 5 trunks, of what is proportionally fair"), 1.0, plain[2].1 * 6.0 / 10.0).why(&why),
        );
        let split = "PI holds the delay, and any split of the rate is at rest (\"ECN or Delay\", section 5.2): nothing brings the long flow to its share";
        let off = raised.iter().map(|p| (p.1 / 5.0 - 1.0).abs()).fold(0.0, f64::max);
        findings.push(
            most(ID, format!("{law}, thresholds by trunks: farthest of the long flow's rates from max-min, part"), 0.2, off)
                .why(if law == "pi-10g" { split } else { "" }),
        );
        lines.push((law, plain, raised));
    }
    let named: Vec<(String, Vec<(f64, f64)>)> = lines
        .into_iter()
        .flat_map(|(law, plain, raised)| [(law.to_owned(), plain), (format!("{law}, thresholds by trunks"), raised)])
        .collect();
    let named: Vec<(&str, Vec<(f64, f64)>)> = named.iter().map(|(n, p)| (n.as_str(), p.clone())).collect();
    let (legend, plot) = curves("trunks on the long flow's way", "its rate, Gb/s", &named);
    let text = format!("One flow over all trunks of 10 Gb/s and one over each. {rows}");
    Ok(Figure { id: ID, title: "Beyond: several bottlenecks", text, findings, plots: vec![("Rate of the long flow".into(), legend, plot)] })
}

/// Two classes at a port, which an RTT tells apart and a queue's length does not: half of the line
/// for the first, at a fixed rate.
pub fn classes(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "classes";
    const TEXT: &str = "duration_ms = 100\n[topology]\nhosts = 9\n[nic]\nkind = 'event'\n[profile.half]\nlike = 'fixed'\ninitial_mbps = 1250\n\
                        outstanding_kb = 0\ntimeout_us = 0\n[profile.rest]\nlike = 'timely-10g'\n[[flow]]\nfrom = [0, 1, 2, 3]\nto = 8\nprofile = 'half'\nclass = 1\n\
                        [[flow]]\nfrom = [4, 5, 6, 7]\nto = 8\nprofile = 'rest'\nclass = 2\nstart_us = 100\n";
    let runs = lab.runs("classes.toml", TEXT, &[vec![]])?;
    let o = &runs[0];
    let w = o.recorder.windows;
    let rtt = |from: u32, to: u32| {
        let of = o.recorder.rtts.iter().filter(|r| (from..to).contains(&r.flow) && r.sample.at >= w.steady);
        let us: Vec<f64> = of.filter_map(|r| r.sample.path).map(|p| p as f64 / US as f64).collect();
        crate::metrics::summary::Spread::of(us)
    };
    let (first, second) = (rtt(0, 4), rtt(4, 8));
    let got = |from: usize, to: usize| {
        o.recorder.flows[from..to].iter().map(|f| f.wire_steady as f64 * 8e3 / (w.end - w.steady) as f64).sum::<f64>()
    };
    let findings = vec![
        least(ID, "line in use by both classes", 0.98, o.summary.utilization),
        least(ID, "first class, its 5 Gb/s, part that it gets", 0.99, got(0, 4) / 5.0),
        most(ID, "first class: 99th percentile of the RTT over the second's", 0.6, first.p99 / second.p99),
    ];
    let text = format!(
        "Four flows of the first class at 1.25 Gb/s each, and four of the second under TIMELY: RTTs of {:.1} us (99th percentile {:.1}) and {:.1} ({:.1}). The second \
         takes what the first leaves, {:.2} Gb/s.",
        first.mean,
        first.p99,
        second.mean,
        second.p99,
        got(4, 8)
    );
    Ok(Figure { id: ID, title: "Beyond: two classes", text, findings, plots: Vec::new() })
}
