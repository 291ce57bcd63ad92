//! Figures 19 to 23: a Clos network with messages of 64 KB, an incast in it, and reads from storage (section 6.2).
use super::{CLOS, Figure, Finding, Lab, STORAGE, bound, curves, near, number, word};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::{NEVER, US};
use toml::{Table, Value};

fn pfc() -> Change {
    word("profile.timely.control", "none")
}

// Completion times of messages posted in the steady part, us; those that did not end count until the end of the run.
fn completions(o: &Outcome, bytes: u64) -> Spread {
    let w = o.recorder.windows;
    let of = o.messages.iter().filter(|m| m.1.bytes == bytes && m.1.start >= w.steady && m.1.start < w.end);
    Spread::of(of.map(|m| (if m.1.done == NEVER { w.end } else { m.1.done } - m.1.start) as f64 / US as f64).collect())
}

fn rtt(o: &Outcome, p: f64) -> f64 {
    o.rtt.quantile(p) / US as f64
}

/// Figures 19 to 21: what arrives, RTTs and completion times over the load.
pub fn figures_19_to_21(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig19";
    let loads = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
    let mut sets = Vec::new();
    for load in loads {
        sets.push(vec![number("load.0.load", load)]);
        sets.push(vec![number("load.0.load", load), pfc()]);
    }
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    let (timely, alone): (Vec<_>, Vec<_>) = runs.chunks(2).map(|c| (&c[0], &c[1])).unzip();
    let line = |of: &[&Outcome], f: &dyn Fn(&Outcome) -> f64| loads.iter().zip(of).map(|(l, o)| (*l, f(o))).collect::<Vec<_>>();
    let gbps = |o: &Outcome| {
        let w = o.recorder.windows;
        o.recorder.flows.iter().map(|f| f.payload_steady).sum::<u64>() as f64 * 8e3 / (w.end - w.steady) as f64
    };
    let most = |of: &[&Outcome]| of.iter().map(|o| gbps(o)).fold(0.0, f64::max);
    // The load of 0.7.
    const AT: usize = 6;
    let rpc = "a message of 64 KB is four segments, over before TIMELY knows; a connection that was cut starts the next one low, and 60 ms are short for \
               it to rise again, while flow control alone always sends at line rate";
    let findings = vec![
        bound(ID, "most throughput at any load, TIMELY over PFC", 1.0, most(&timely) / most(&alone), true, "-"),
        Finding {
            figure: "fig20",
            ..bound(ID, "median RTT at load .7, PFC over TIMELY", 2.0, rtt(alone[AT], 0.5) / rtt(timely[AT], 0.5), true, "-")
        },
        Finding {
            figure: "fig20",
            ..bound(
                ID,
                "99th percentile of the RTT at load .7, PFC over TIMELY",
                5.0,
                rtt(alone[AT], 0.99) / rtt(timely[AT], 0.99),
                true,
                "-",
            )
        },
        Finding {
            figure: "fig21",
            ..near(
                ID,
                "median time of a message at load .7, PFC over TIMELY",
                2.0,
                completions(alone[AT], 65_536).p50 / completions(timely[AT], 65_536).p50,
                0.3,
                rpc,
            )
        },
    ];
    let both = |f: &dyn Fn(&Outcome) -> f64| [("TIMELY", line(&timely, f)), ("PFC alone", line(&alone, f))];
    let (l1, p1) = curves("load", "payload that arrives, Gb/s", &both(&gbps));
    let four = [
        ("TIMELY, median", line(&timely, &|o| rtt(o, 0.5))),
        ("PFC alone, median", line(&alone, &|o| rtt(o, 0.5))),
        ("TIMELY, 99th percentile", line(&timely, &|o| rtt(o, 0.99))),
        ("PFC alone, 99th percentile", line(&alone, &|o| rtt(o, 0.99))),
    ];
    let (l2, p2) = curves("load", "RTT, us", &four);
    let (l3, p3) = curves("load", "median time of a message, us", &both(&|o| completions(o, 65_536).p50));
    let text =
        "54 hosts in three layers of switches, each with standing connections to eight others, messages of 64 KB at random times.".into();
    let plots =
        vec![("Figure 19: what arrives".into(), l1, p1), ("Figure 20: RTTs".into(), l2, p2), ("Figure 21: messages".into(), l3, p3)];
    Ok(Figure { id: ID, title: "Figures 19 to 21: a Clos network", text, findings, plots })
}

/// Figure 22: an incast in it.
pub fn figure_22(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig22";
    let loads = [0.167, 0.3, 0.5];
    let incast = || {
        let mut t = Table::new();
        t.insert("to".into(), Value::Integer(53));
        t.insert("senders".into(), Value::Integer(40));
        t.insert("bytes".into(), Value::Float(1e9));
        t.insert("profile".into(), Value::String("timely".into()));
        t.insert("segment_bytes".into(), Value::Integer(16_384));
        ("incast".to_owned(), Value::Array(vec![Value::Table(t)]))
    };
    let mut sets = Vec::new();
    for load in loads {
        for arm in [vec![], vec![pfc()]] {
            // Long enough for connections to come back from what the first bursts of the incast did to them.
            let longer = [number("load.0.load", load), number("duration_ms", 200.0), number("steady_from", 0.7)];
            let base: Vec<Change> = longer.into_iter().chain(arm).collect();
            sets.push(base.clone());
            sets.push(base.into_iter().chain([incast()]).collect());
        }
    }
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    // Payload of the background: all flows but those of 1 GB.
    let background = |o: &Outcome| {
        let of = o.recorder.flows.iter().filter(|f| f.info.bytes != Some(1_000_000_000));
        of.map(|f| f.payload_steady).sum::<u64>() as f64
    };
    let lost = |load: usize, arm: usize| {
        let i = load * 4 + arm * 2;
        1.0 - background(&runs[i + 1]) / background(&runs[i])
    };
    let why = "how far pauses spread depends on the network: the paper's is larger and its senders share racks with more of the others";
    let mut findings = Vec::new();
    for (i, (load, paper)) in loads.iter().zip([0.13, 0.3, 0.54]).enumerate() {
        findings.push(bound(
            ID,
            format!("load {load}: share of the background's throughput that an incast costs under TIMELY"),
            0.02,
            lost(i, 0),
            false,
            "forty posted bursts of 16 KB that meet are more than XOFF, and connections that share links with them are cut with them",
        ));
        findings.push(bound(
            ID,
            format!("load {load}: the same under PFC alone (the paper: 13 to 54 %)"),
            paper / 2.0,
            lost(i, 1),
            true,
            why,
        ));
    }
    let line = |arm: usize| loads.iter().enumerate().map(|(i, l)| (*l, 100.0 * lost(i, arm).max(0.0))).collect::<Vec<_>>();
    let (legend, plot) = curves("load of the background", "throughput lost by it, %", &[("TIMELY", line(0)), ("PFC alone", line(1))]);
    let text = "Forty hosts send to one without end. Under PFC alone the pauses spread to links that have nothing to do with it.".into();
    Ok(Figure { id: ID, title: "Figure 22: an incast beside others", text, findings, plots: vec![("What it costs".into(), legend, plot)] })
}

/// Figure 23: reads from storage.
pub fn figure_23(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig23";
    // Of requests; a reply has some 62 times the wire bytes.
    let loads = [0.002, 0.004, 0.006, 0.008, 0.01, 0.012, 0.014];
    let mut sets = Vec::new();
    for load in loads {
        sets.push(vec![number("load.0.load", load)]);
        sets.push(vec![number("load.0.load", load), pfc()]);
    }
    let runs = lab.runs("storage.toml", STORAGE, &sets)?;
    let (timely, alone): (Vec<_>, Vec<_>) = runs.chunks(2).map(|c| (&c[0], &c[1])).unzip();
    // Of hosts' links, replies only.
    let used = |o: &Outcome| {
        let w = o.recorder.windows;
        let payload: u64 = o.recorder.flows.iter().map(|f| f.payload_steady).sum();
        payload as f64 * 8e3 / (w.end - w.steady) as f64 / 540.0
    };
    let p99 = |o: &Outcome| completions(o, 65_536).p99;
    // The greatest use of the links before the 99th percentile reaches 2 ms.
    let knee = |of: &[&Outcome]| of.iter().filter(|o| p99(o) < 2000.0).map(|o| used(o)).fold(0.0, f64::max);
    let findings = vec![bound(
        ID,
        "use of the links before the 99th percentile of a read reaches 2 ms, TIMELY over PFC",
        1.0,
        knee(&timely) / knee(&alone).max(0.01),
        true,
        "a read of 64 KB is over before TIMELY can act on it; rates that an earlier read left low make this one long",
    )];
    let points = |of: &[&Outcome]| of.iter().map(|o| (used(o), p99(o))).collect::<Vec<_>>();
    let (legend, plot) =
        curves("use of the links", "99th percentile of a read, us", &[("TIMELY", points(&timely)), ("PFC alone", points(&alone))]);
    let text = "Each host reads 64 KB at a time from eight others; replies of several meet at its link.".into();
    Ok(Figure { id: ID, title: "Figure 23: reads from storage", text, findings, plots: vec![("Reads".into(), legend, plot)] })
}
