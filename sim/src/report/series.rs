//! Measurements of a run, as files of comma-separated values: time in microseconds, flows by their
//! place in the scenario.
use crate::fabric::control::BRANCHES;
use crate::metrics::summary::at_share;
use crate::scenario::build::Outcome;
use crate::time::{NEVER, Ps, US};
use std::fmt::Write;

/// Names of the files, in the order of [`texts`].
pub const FILES: [&str; 6] = ["flows.csv", "sizes.csv", "queues.csv", "delivered.csv", "rates.csv", "rtts.csv"];

/// Names of the law's branches, in the order of their numbers in event records.
const HEADS_OF_BRANCHES: [&str; BRANCHES] = ["below_low", "above_high", "increase", "decrease", "none", "held"];

fn us(t: Ps) -> f64 {
    t as f64 / US as f64
}

// Nothing where nothing was measured.
fn known(v: Option<f64>) -> String {
    v.filter(|v| v.is_finite()).map_or_else(String::new, |v| v.to_string())
}

/// The files' texts. Delivered bytes, rates and RTTs are `None` where the run kept no series.
pub fn texts(o: &Outcome) -> [Option<String>; 6] {
    let series = o.recorder.flows.iter().any(|f| !f.series.is_empty());
    let of = |text: fn(&Outcome) -> String| series.then(|| text(o));
    [Some(flows(o)), Some(sizes(o)), Some(queues(o)), of(delivered), of(rates), of(rtts)]
}

macro_rules! line {
    ($out:expr, $($told:tt)*) => { writeln!($out, $($told)*).expect("writing to a string") };
}

/// A line a flow: what it was to do, what came of it, and how its rate was set.
fn flows(o: &Outcome) -> String {
    let count = |of: &mut dyn Iterator<Item = u32>| {
        let mut n = vec![0u64; o.plan.flows.len()];
        of.for_each(|f| n[f as usize] += 1);
        n
    };
    let (updates, samples) = (count(&mut o.recorder.rates.iter().map(|r| r.flow)), count(&mut o.recorder.rtts.iter().map(|r| r.flow)));
    let mut out =
        format!("flow,from,to,profile,start_us,bytes,completion_us,payload_bytes,packets,rtts,updates,{}\n", HEADS_OF_BRANCHES.join(","));
    for (i, (r, f)) in o.recorder.flows.iter().zip(&o.plan.flows).enumerate() {
        let (bytes, done) = (known(f.total().map(|b| b as f64)), known(r.completion.map(us)));
        let branches = r.branches.map_or_else(|| ",,,,,".into(), |b| b.map(|n| n.to_string()).join(","));
        // A run without series has counted the branches all the same.
        let counted = |n: u64| if r.series.is_empty() { String::new() } else { n.to_string() };
        let (rtts, updates) = (counted(samples[i]), counted(updates[i]));
        line!(
            out,
            "{i},{},{},{},{},{bytes},{done},{},{},{rtts},{updates},{branches}",
            f.src,
            f.dst,
            f.profile,
            us(r.info.start),
            r.payload,
            r.packets
        );
    }
    out
}

/// Completion times by size: a line a decade of bytes, in which anything was to be sent.
fn sizes(o: &Outcome) -> String {
    // Messages of the fabric; elsewhere a flow is one.
    let messages: Vec<(u64, Option<Ps>)> = if o.messages.is_empty() {
        let all = o.recorder.flows.iter().zip(&o.plan.flows);
        all.filter_map(|(r, f)| Some((f.total()?, r.completion))).collect()
    } else {
        let calls = o.messages.iter().filter(|m| o.plan.flows[m.0 as usize].reply.is_none() && m.1.bytes > 0);
        calls.map(|(_, m)| (m.bytes, (m.done != NEVER).then(|| m.done - m.start))).collect()
    };
    let mut out = String::from("bytes_from,bytes_below,messages,completed,mean_us,p50_us,p90_us,p99_us\n");
    for decade in 0..16 {
        let (from, below) = (10u64.pow(decade), 10u64.pow(decade + 1));
        let own: Vec<Option<Ps>> = messages.iter().filter(|m| (from..below).contains(&m.0)).map(|m| m.1).collect();
        if own.is_empty() {
            continue;
        }
        let mut done: Vec<f64> = own.iter().flatten().map(|t| us(*t)).collect();
        done.sort_by(f64::total_cmp);
        let share = |p: f64| known(at_share(&done, p));
        let mean = known(Some(done.iter().sum::<f64>() / done.len() as f64));
        line!(out, "{from},{below},{},{},{mean},{},{},{}", own.len(), done.len(), share(0.5), share(0.9), share(0.99));
    }
    out
}

/// Bytes in the queues of the watched ports, the bottleneck's first.
fn queues(o: &Outcome) -> String {
    let mut out = String::from("time_us,switch,port,bytes\n");
    for tap in &o.recorder.taps {
        for (k, bytes) in tap.series.iter().enumerate() {
            line!(out, "{},{},{},{bytes}", us(o.recorder.windows.from + k as Ps * tap.interval), tap.node, tap.port);
        }
    }
    out
}

/// Wire bits that each flow's receiver got in each bin, from its start on, as a rate.
fn delivered(o: &Outcome) -> String {
    let w = o.recorder.windows;
    let mut out = String::from("time_us,flow,gbps\n");
    for (i, f) in o.recorder.flows.iter().enumerate() {
        let bins = f.series.iter().take((w.end - w.from).div_ceil(w.bin) as usize).enumerate();
        for (k, bytes) in bins.skip((f.info.start.saturating_sub(w.from) / w.bin) as usize) {
            // The run's end cuts the last bin.
            let from = w.from + k as Ps * w.bin;
            line!(out, "{},{i},{}", us(from), f64::from(*bytes) * 8000.0 / w.bin.min(w.end - from) as f64);
        }
    }
    out
}

/// Every rate that a NIC set.
fn rates(o: &Outcome) -> String {
    let mut out = String::from("time_us,flow,mbps\n");
    o.recorder.rates.iter().for_each(|r| line!(out, "{},{},{}", us(r.sample.at), r.flow, r.sample.mbps));
    out
}

/// Every round trip: the true path time, and what the NIC measured.
fn rtts(o: &Outcome) -> String {
    let mut out = String::from("time_us,flow,path_us,measured_us,packets,marked\n");
    for r in &o.recorder.rtts {
        let (path, measured) = (known(r.sample.path.map(us)), known(r.sample.measured_ns.map(|ns| ns / 1000.0)));
        let marks = r.sample.marks.map_or_else(|| ",".into(), |(packets, marked)| format!("{packets},{marked}"));
        line!(out, "{},{},{path},{measured},{marks}", us(r.sample.at), r.flow);
    }
    out
}
