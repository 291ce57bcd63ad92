//! Figures 19 to 22: a Clos network with calls of 64 KB, and an incast in it (section 6.2).
use super::finding::{Finding, least, most, near, within};
use super::{CLOS, Figure, Lab, curves, number, word};
use crate::fabric::flow::Message;
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::{NEVER, US};
use toml::{Table, Value};

/// Bytes of a ping.
const PING: u64 = 64;
/// Loads of the Clos network, requests and replies together, over what a host's link carries.
const LOADS: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/// Where in them figures 20 and 21 are read: the paper names no load. Both arms are near saturation
/// there.
const AT: usize = 6;
/// A load at which nothing is saturated.
const LIGHT: usize = 1;
/// Accepted over offered traffic from which a network counts as not saturated.
const ACCEPTED: f64 = 0.97;

/// Flow control alone.
pub fn pfc() -> Vec<Change> {
    vec![word("profile.timely.control", "none"), number("profile.timely.use_window_us", 0.0)]
}

/// Ten times the paper's delta: rates come back from a cut in a tenth of the completions.
pub fn swift() -> Change {
    number("profile.timely.additive_step_mbps", 100.0)
}

/// The load of requests and of as many replies.
fn load(both: f64) -> Change {
    number("load.0.load", both / 2.0)
}

// Times of those posted in the steady part, us; those that did not end count until the end of the
// run.
fn times(o: &Outcome, of: impl Iterator<Item = (u64, u64)>) -> Spread {
    let w = o.recorder.windows;
    let steady = of.filter(|(start, _)| (w.steady..w.end).contains(start));
    Spread::of(steady.map(|(start, done)| (if done == NEVER { w.end } else { done } - start) as f64 / US as f64).collect())
}

/// Completion times of messages of so many bytes, us.
pub fn completions(o: &Outcome, bytes: u64) -> Spread {
    times(o, o.messages.iter().filter(|m| m.1.bytes == bytes).map(|m| (m.1.start, m.1.done)))
}

/// Times of calls from the request to the end of the reply, us.
fn calls(o: &Outcome) -> Spread {
    let flow = |f: u32| -> &[(u32, Message)] {
        let from = o.messages.partition_point(|m| m.0 < f);
        &o.messages[from..from + o.messages[from..].partition_point(|m| m.0 == f)]
    };
    let callers = o.plan.flows.iter().enumerate().filter_map(|(i, f)| Some((i as u32, f.reply?)));
    times(o, callers.flat_map(|(request, reply)| flow(request).iter().zip(flow(reply)).map(|(a, b)| (a.1.start, b.1.done))))
}

// Payload that arrives, Gb/s.
fn gbps(o: &Outcome) -> f64 {
    let w = o.recorder.windows;
    o.recorder.flows.iter().map(|f| f.payload_steady).sum::<u64>() as f64 * 8e3 / (w.end - w.steady) as f64
}

/// Figures 19 to 21: what arrives, RTTs and completion times over the load.
pub fn figures_19_to_21(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig19";
    let mut sets = Vec::new();
    for both in LOADS {
        sets.push(vec![load(both)]);
        sets.push([vec![load(both)], pfc()].concat());
    }
    // Causes of the differences, taken away at the load at which figures are read.
    sets.push(vec![load(LOADS[AT]), swift()]);
    sets.push(vec![load(LOADS[AT]), word("nic.kind", "event")]);
    sets.push([vec![load(LOADS[AT]), number("switch.xoff_kb", 50.0)], pfc()].concat());
    // And section 5's rule on what the application does not use.
    sets.push(vec![load(LOADS[AT]), number("profile.timely.use_window_us", 0.0)]);
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    let (runs, tests) = runs.split_at(2 * LOADS.len());
    let (timely, alone): (Vec<_>, Vec<_>) = runs.chunks(2).map(|c| (&c[0], &c[1])).unzip();
    let line = |of: &[&Outcome], f: &dyn Fn(&Outcome) -> f64| LOADS.iter().zip(of).map(|(l, o)| (*l, f(o))).collect::<Vec<_>>();
    let top = |of: &[&Outcome]| of.iter().map(|o| gbps(o)).fold(0.0, f64::max);
    // The greatest load all of which is accepted; what is offered is what the lightest load brings,
    // scaled.
    let saturated = |of: &[&Outcome]| {
        let offered = |i: usize| gbps(alone[0]) * LOADS[i] / LOADS[0];
        (0..LOADS.len()).take_while(|i| gbps(of[*i]) >= ACCEPTED * offered(*i)).last().map_or(0.0, |i| LOADS[i])
    };
    let ping = |o: &Outcome| completions(o, PING);
    let over = |f: &dyn Fn(&Outcome) -> f64, at: usize| f(alone[at]) / f(timely[at]);
    let slow = format!(
        "a connection's rate comes back from a cut by delta a completion, of 64 KB each here. With a delta of 100 Mb/s TIMELY brings {:.0} % of what \
         flow control alone does at load {}, with packets paced by the NIC {:.0} %, as it is {:.0} %",
        100.0 * gbps(&tests[0]) / gbps(alone[AT]),
        LOADS[AT],
        100.0 * gbps(&tests[1]) / gbps(alone[AT]),
        100.0 * gbps(timely[AT]) / gbps(alone[AT])
    );
    let xoff = format!(
        "under flow control alone queues stand at XOFF on every hop, so this measures the switches' threshold, which the paper does not give: with 50 KB \
         in place of 150 the ratios are {:.1} in the median and {:.1} at the 99th percentile",
        ping(&tests[2]).p50 / ping(timely[AT]).p50,
        ping(&tests[2]).p99 / ping(timely[AT]).p99
    );
    let unruled = &tests[3];
    let beyond = format!(
        "TIMELY's calls are the slower ones at the 99th percentile already before saturation: PFC over TIMELY is {:.2} at \
         load {}, {:.2} at {} and {:.2} at {}",
        over(&|o| calls(o).p99, LIGHT),
        LOADS[LIGHT],
        over(&|o| calls(o).p99, AT - 1),
        LOADS[AT - 1],
        over(&|o| calls(o).p99, LOADS.len() - 1),
        LOADS[LOADS.len() - 1]
    );
    let light = format!("load {}", LOADS[LIGHT]);
    let near_saturation = format!("load {}", LOADS[AT]);
    let findings = vec![
        least(ID, "greatest load that is accepted whole, TIMELY over PFC", 1.0, saturated(&timely) / saturated(&alone))
            .in_words()
            .why(&slow),
        least(ID, "most throughput at any load, TIMELY over PFC", 1.0, top(&timely) / top(&alone)).in_words().why(&slow),
        near(ID, format!("{light}: throughput, PFC over TIMELY"), 1.0, over(&gbps, LIGHT), 0.02).in_words(),
        near("fig20", format!("{light}: pingers' median RTT, PFC over TIMELY"), 1.0, over(&|o| ping(o).p50, LIGHT), 0.1).in_words(),
        near("fig20", format!("{near_saturation}: pingers' median RTT, PFC over TIMELY"), 2.0, over(&|o| ping(o).p50, AT), 0.3).why(&xoff),
        near("fig20", format!("{near_saturation}: pingers' 99th percentile, PFC over TIMELY"), 5.0, over(&|o| ping(o).p99, AT), 0.3)
            .why(&xoff),
        near("fig21", format!("{light}: median time of a call, PFC over TIMELY"), 1.0, over(&|o| calls(o).p50, LIGHT), 0.1).in_words(),
        near("fig21", format!("{near_saturation}: median time of a call, PFC over TIMELY"), 2.0, over(&|o| calls(o).p50, AT), 0.3)
            .why(&xoff),
        most(
            "fig21",
            format!("99th percentile of a call, PFC over TIMELY: at load {} over that at {}", LOADS[LOADS.len() - 1], LOADS[AT - 1]),
            1.0,
            over(&|o| calls(o).p99, LOADS.len() - 1) / over(&|o| calls(o).p99, AT - 1),
        )
        .in_words()
        .why(&beyond),
        most(
            ID,
            format!("{near_saturation}: pingers' 99th percentile with section 5's 80 % rule over that without"),
            1.05,
            ping(timely[AT]).p99 / ping(unruled).p99,
        )
        .in_words(),
        least(ID, format!("{near_saturation}: throughput, the same"), 0.95, gbps(timely[AT]) / gbps(unruled)).in_words(),
    ];
    let both = |f: &dyn Fn(&Outcome) -> f64| [("TIMELY", line(&timely, f)), ("PFC alone", line(&alone, f))];
    let (l1, p1) = curves("load", "payload that arrives, Gb/s", &both(&gbps));
    let two = |of: &dyn Fn(&Outcome) -> Spread| {
        [
            ("TIMELY, median", line(&timely, &|o| of(o).p50)),
            ("PFC alone, median", line(&alone, &|o| of(o).p50)),
            ("TIMELY, 99th percentile", line(&timely, &|o| of(o).p99)),
            ("PFC alone, 99th percentile", line(&alone, &|o| of(o).p99)),
        ]
    };
    let (l2, p2) = curves("load", "RTT, us", &two(&ping));
    let (l3, p3) = curves("load", "time of a call, us", &two(&calls));
    let text = "54 hosts in three layers of switches, each with standing connections to eight others in other pods, calls of 64 KB at random times that are \
                answered by 64 KB. The load is of requests and replies together."
        .into();
    let plots =
        vec![("Figure 19: what arrives".into(), l1, p1), ("Figure 20: pingers' RTTs".into(), l2, p2), ("Figure 21: calls".into(), l3, p3)];
    Ok(Figure { id: ID, title: "Figures 19 to 21: a Clos network", text, findings, plots })
}

/// Figure 22: an incast in it.
pub fn figure_22(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig22";
    // Shares of the largest load of figure 19.
    let shares = [0.167, 0.3, 0.5];
    let most_offered = LOADS[LOADS.len() - 1];
    let incast = || {
        let mut t = Table::new();
        t.insert("to".into(), Value::Integer(53));
        t.insert("senders".into(), Value::Integer(40));
        t.insert("bytes".into(), Value::Float(1e9));
        t.insert("profile".into(), Value::String("timely".into()));
        t.insert("segment_bytes".into(), Value::Integer(65_536));
        ("incast".to_owned(), Value::Array(vec![Value::Table(t)]))
    };
    // Long enough for connections to come back from what the first bursts of the incast did to
    // them.
    let longer = |share: f64| vec![load(share * most_offered), number("duration_ms", 200.0), number("steady_from", 0.7)];
    let with_and_without = |base: Vec<Change>| [base.clone(), base.into_iter().chain([incast()]).collect()];
    let mut sets = Vec::new();
    for share in shares {
        for arm in [vec![], pfc()] {
            sets.extend(with_and_without([longer(share), arm].concat()));
        }
    }
    // And in a network of 128 hosts, of which the incast has a smaller share.
    sets.extend(with_and_without([longer(shares[0]), vec![number("topology.fat_tree.k", 8.0)], pfc()].concat()));
    let runs = lab.runs("clos.toml", CLOS, &sets)?;
    // Payload of the background, all flows but those of 1 GB, over the whole run: what is held up
    // and comes later is not lost.
    let background = |o: &Outcome| {
        let of = o.recorder.flows.iter().filter(|f| f.info.bytes != Some(1_000_000_000));
        of.map(|f| f.payload).sum::<u64>() as f64
    };
    let pair = |i: usize| 1.0 - background(&runs[i + 1]) / background(&runs[i]);
    let at = |load: usize, arm: usize| load * 4 + arm * 2;
    let lost = |load: usize, arm: usize| pair(at(load, arm));
    let p99 = |load: usize, arm: usize| completions(&runs[at(load, arm) + 1], PING).p99 / completions(&runs[at(load, arm)], PING).p99;
    let why = format!(
        "how far pauses spread depends on what share of the hosts the incast has: 40 of 54 here. With 40 of 128 it is {:.2} at the least load",
        pair(4 * shares.len())
    );
    let mut findings: Vec<Finding> = Vec::new();
    for (i, share) in shares.iter().enumerate() {
        let of = |what: &str| format!("background of {share} of the largest load: {what}");
        findings.push(most(ID, of("throughput that an incast costs it under TIMELY, part"), 0.02, lost(i, 0)).in_words());
        // The paper gives the ends of the range.
        findings.push(match i {
            0 => near(ID, of("the same under PFC alone"), 0.13, lost(i, 1), 0.3).why(&why),
            1 => within(ID, of("the same under PFC alone (13 to 54 %)"), 0.335, lost(i, 1), 0.205).why(&why),
            _ => near(ID, of("the same under PFC alone"), 0.54, lost(i, 1), 0.3).why(&why),
        });
        let quantity = of("pingers' 99th percentile with the incast over that without, PFC over TIMELY");
        findings.push(least(ID, quantity, 1.0, p99(i, 1) / p99(i, 0)).in_words());
    }
    let line = |arm: usize| shares.iter().enumerate().map(|(i, l)| (*l, 100.0 * lost(i, arm).max(0.0))).collect::<Vec<_>>();
    let (legend, plot) =
        curves("background, of the largest load", "throughput lost by it, %", &[("TIMELY", line(0)), ("PFC alone", line(1))]);
    let tail = |arm: usize, k: usize| {
        shares.iter().enumerate().map(|(i, l)| (*l, completions(&runs[at(i, arm) + k], PING).p99)).collect::<Vec<_>>()
    };
    let named = [("TIMELY", tail(0, 0)), ("TIMELY, incast", tail(0, 1)), ("PFC alone", tail(1, 0)), ("PFC alone, incast", tail(1, 1))];
    let (legend_2, plot_2) = curves("background, of the largest load", "pingers' 99th percentile, us", &named);
    let text = "Forty hosts send to one without end. Under PFC alone the pauses spread to links that have nothing to do with it.".into();
    let plots = vec![("What it costs".into(), legend, plot), ("RTTs".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 22: an incast beside others", text, findings, plots })
}
