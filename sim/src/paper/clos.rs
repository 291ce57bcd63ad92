//! Figures 19 to 22: a Clos network with messages of 64 KB, and an incast in it (section 6.2).
use super::finding::{least, most, near};
use super::{CLOS, Figure, Lab, curves, number, word};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::{NEVER, US};
use toml::{Table, Value};

/// Flow control alone.
pub fn pfc() -> Change {
    word("profile.timely.control", "none")
}

/// Connections that were idle for 100 us start at line rate again: none begins a message at what an earlier one left it.
pub fn restarts() -> Vec<Change> {
    vec![number("profile.timely.idle_us", 100.0), number("profile.timely.idle_mbps", 10_000.0)]
}

/// Ten times the paper's delta: rates come back from a cut in a tenth of the completions.
pub fn swift() -> Change {
    number("profile.timely.additive_step_mbps", 100.0)
}

/// Completion times of messages posted in the steady part, us; those that did not end count until the end of the run.
pub fn completions(o: &Outcome, bytes: u64) -> Spread {
    let w = o.recorder.windows;
    let of = o.messages.iter().filter(|m| m.1.bytes == bytes && m.1.start >= w.steady && m.1.start < w.end);
    Spread::of(of.map(|m| (if m.1.done == NEVER { w.end } else { m.1.done } - m.1.start) as f64 / US as f64).collect())
}

fn rtt(o: &Outcome, p: f64) -> f64 {
    o.measured_rtt.quantile(p) / US as f64
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
    // Tests of what differences are put down to, at the load of 0.7.
    let at = || number("load.0.load", 0.7);
    sets.push([vec![at()], restarts()].concat());
    sets.push(vec![at(), swift()]);
    sets.push(vec![at(), word("nic.kind", "event")]);
    sets.push(vec![at(), number("switch.xoff_kb", 30.0)]);
    sets.push(vec![at(), number("switch.xoff_kb", 30.0), pfc()]);
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    let (runs, tests) = runs.split_at(2 * loads.len());
    let (timely, alone): (Vec<_>, Vec<_>) = runs.chunks(2).map(|c| (&c[0], &c[1])).unzip();
    let line = |of: &[&Outcome], f: &dyn Fn(&Outcome) -> f64| loads.iter().zip(of).map(|(l, o)| (*l, f(o))).collect::<Vec<_>>();
    let gbps = |o: &Outcome| {
        let w = o.recorder.windows;
        o.recorder.flows.iter().map(|f| f.payload_steady).sum::<u64>() as f64 * 8e3 / (w.end - w.steady) as f64
    };
    let top = |of: &[&Outcome]| of.iter().map(|o| gbps(o)).fold(0.0, f64::max);
    // The load of 0.7.
    const AT: usize = 6;
    let time = |o: &Outcome| completions(o, 65_536).p50;
    let rpc = format!(
        "a message of 64 KB is four completions, and a rate that was cut comes back by delta a completion, so that a connection's share of a load near \
         saturation is long below what it is given to send. With a delta of 100 Mb/s the ratio is {:.2}, with packets paced by the NIC, so that bursts \
         cut less, {:.2}; that connections begin at line rate after 100 us of idleness is no help, {:.2}, since those that lag are never idle",
        time(alone[AT]) / time(&tests[1]),
        time(alone[AT]) / time(&tests[2]),
        time(alone[AT]) / time(&tests[0])
    );
    let xoff = format!(
        "under flow control alone queues stand at XOFF on every hop, so this measures the switches' threshold: with 30 KB in place of 150 the ratio is \
         {:.1} in the median and {:.1} at the 99th percentile",
        rtt(&tests[4], 0.5) / rtt(&tests[3], 0.5),
        rtt(&tests[4], 0.99) / rtt(&tests[3], 0.99)
    );
    let findings = vec![
        least(ID, "most throughput at any load, TIMELY over PFC", 1.0, top(&timely) / top(&alone)).in_words(),
        near("fig20", "median RTT at load .7, PFC over TIMELY", 2.0, rtt(alone[AT], 0.5) / rtt(timely[AT], 0.5), 0.3).why(&xoff),
        near("fig20", "99th percentile of the RTT at load .7, PFC over TIMELY", 5.0, rtt(alone[AT], 0.99) / rtt(timely[AT], 0.99), 0.3)
            .why(&xoff),
        near("fig21", "median time of a message at load .7, PFC over TIMELY", 2.0, time(alone[AT]) / time(timely[AT]), 0.3).why(&rpc),
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
    // And in a network of 128 hosts, of which the incast has a smaller share.
    for load in [loads[0], loads[2]] {
        let larger =
            [number("load.0.load", load), number("duration_ms", 200.0), number("steady_from", 0.7), number("topology.fat_tree.k", 8.0)];
        let base: Vec<Change> = larger.into_iter().chain([pfc()]).collect();
        sets.push(base.clone());
        sets.push(base.into_iter().chain([incast()]).collect());
    }
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    // Payload of the background: all flows but those of 1 GB.
    let background = |o: &Outcome| {
        let of = o.recorder.flows.iter().filter(|f| f.info.bytes != Some(1_000_000_000));
        of.map(|f| f.payload_steady).sum::<u64>() as f64
    };
    let pair = |i: usize| 1.0 - background(&runs[i + 1]) / background(&runs[i]);
    let lost = |load: usize, arm: usize| pair(load * 4 + arm * 2);
    let why = format!(
        "how far pauses spread depends on what share of the hosts the incast has: 40 of 54 here. With 40 of 128 it is {:.2} at load 0.167 and {:.2} \
         at 0.5",
        pair(4 * loads.len()),
        pair(4 * loads.len() + 2)
    );
    let mut findings = Vec::new();
    for (i, load) in loads.iter().enumerate() {
        let quantity = format!("load {load}: share of the background's throughput that an incast costs under TIMELY");
        findings.push(most(ID, quantity, 0.02, lost(i, 0)).in_words());
        let quantity = format!("load {load}: the same under PFC alone");
        // The paper gives the ends of the range.
        findings.push(match i {
            0 => near(ID, quantity, 0.13, lost(i, 1), 0.3).why(&why),
            1 => least(ID, quantity, 0.13, lost(i, 1)),
            _ => near(ID, quantity, 0.54, lost(i, 1), 0.3).why(&why),
        });
    }
    let line = |arm: usize| loads.iter().enumerate().map(|(i, l)| (*l, 100.0 * lost(i, arm).max(0.0))).collect::<Vec<_>>();
    let (legend, plot) = curves("load of the background", "throughput lost by it, %", &[("TIMELY", line(0)), ("PFC alone", line(1))]);
    let text = "Forty hosts send to one without end. Under PFC alone the pauses spread to links that have nothing to do with it.".into();
    Ok(Figure { id: ID, title: "Figure 22: an incast beside others", text, findings, plots: vec![("What it costs".into(), legend, plot)] })
}
