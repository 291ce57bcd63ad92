//! Tables of `docs/pacing.md`, made from the record.
use super::lateness::{EXPERIMENTS, LAWS, Mark, SHAPES, marks};
use super::record::{Brief, KEPT, Net, Recorded, Source};
use super::stats::Quantiles;
use super::table::{ppm, time};

fn line(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

fn head(names: &[&str]) -> String {
    line(names.iter().map(|n| (*n).to_owned())) + &line(names.iter().map(|_| "---".to_owned()))
}

// A cell of a quantile, with the range of the start phases if there are several.
fn cell(row: &Brief, pick: fn(&Quantiles) -> f64) -> String {
    let Some(own) = &row.error_ns else { return "-".into() };
    match &row.phases {
        Some(p) if time(pick(&p.least)) != time(pick(&p.greatest)) => format!("{} to {}", time(pick(&p.least)), time(pick(&p.greatest))),
        _ => time(pick(own)),
    }
}

fn errors(row: &Brief) -> [String; 4] {
    [cell(row, |q| q.p50), cell(row, |q| q.p99), cell(row, |q| q.p999), cell(row, |q| q.max)]
}

/// CPU time of the guest is instructions.
pub fn instructions(source: &Source, row: &Brief) -> String {
    let scale = source.conditions.first().map_or(1.0, |c| c.scale);
    row.cpu_s_per_mpacket.map_or("-".into(), |s| format!("{:.0}", s * scale * 1000.0))
}

/// Rows of all pacers under a load.
pub fn named(source: &Source, load: (u32, f64), burst: u32, busy: bool) -> Vec<&Brief> {
    source.names().into_iter().filter_map(|n| source.row(n, load, burst, busy)).collect()
}

/// Pacers under a load: errors, rate, what arrived, instructions.
pub fn rows(source: &Source, load: (u32, f64), burst: u32, busy: bool) -> String {
    let mut t = head(&["pacer", "error p50", "p99", "p99.9", "max", "rate error", "arrived of sent", "instructions a packet"]);
    let hardware = if busy { source.row("rtl", load, burst, false) } else { None };
    for r in hardware.into_iter().chain(named(source, load, burst, busy)) {
        let rate = r.rate_error_ppm.map_or("-".into(), ppm);
        let arrived = format!("{} of {}", r.received, r.sent);
        let cost = if r.is_hardware() { "0".into() } else { instructions(source, r) };
        t += &line([r.name.clone()].into_iter().chain(errors(r)).chain([rate, arrived, cost]));
    }
    t
}

/// The pacer of a sender's name in the network.
pub fn sender(name: &str, burst: u32, busy: bool) -> String {
    let core = if busy { ", busy core" } else { "" };
    if burst == 1 { format!("{name}{core}") } else { format!("{name}, 64 KB{core}") }
}

/// Names of the software pacers, without the modelled hybrid.
pub fn software(source: &Source) -> Vec<&str> {
    let is_hardware = |name: &str| source.pacers.iter().any(|r| r.name == name && r.is_hardware());
    source.names().into_iter().filter(|n| *n != "hybrid" && !is_hardware(n)).collect()
}

/// The hardware's rows, with what is its own on a link that flows share.
pub fn hardware(source: &Source) -> String {
    let mut t = head(&["pacer", "load", "packets", "error p50", "p99", "max", "beyond an ideal FIFO link, p99", "max"]);
    for load in KEPT {
        for r in source.names().into_iter().filter_map(|n| source.row(n, load, 1, false)).filter(|r| r.is_hardware()) {
            let of = |q: Option<f64>| q.map_or("-".into(), time);
            let what = super::load::Load { flows: r.flows, mbps: r.mbps, burst: 1, seconds: 0.0 }.to_string();
            let (e, f) = (r.error_ns, r.fifo.map(|f| f.excess_ns));
            let cells = [e.map(|q| q.p50), e.map(|q| q.p99), e.map(|q| q.max), f.map(|q| q.p99), f.map(|q| q.max)].map(of);
            t += &line([r.name.clone(), what, r.received.to_string()].into_iter().chain(cells));
        }
    }
    t
}

/// The 99th percentile of every software pacer's error under every load, on a quiet core and on a
/// busy one.
pub fn matrix(source: &Source) -> String {
    let loads: Vec<_> = KEPT[..3].iter().flat_map(|l| [(*l, 1), (*l, 44)]).collect();
    let title = |((flows, _), burst): &((u32, f64), u32)| {
        let (s, of) = (if *flows == 1 { "" } else { "s" }, if *burst == 1 { "packets" } else { "64 KB" });
        format!("{flows} flow{s}, {of}")
    };
    let mut t = head(
        &["pacer".to_owned()].into_iter().chain(loads.iter().map(title)).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for name in software(source) {
        let of = |load, burst, busy| match source.row(name, load, burst, busy).map(|r| r.error_ns) {
            Some(Some(q)) => time(q.p99),
            _ => "-".to_owned(),
        };
        let cells = loads.iter().map(|(load, burst)| format!("{}, {}", of(*load, *burst, false), of(*load, *burst, true)));
        t += &line([name.to_owned()].into_iter().chain(cells));
    }
    t
}

/// Utilization and RTT of the senders in both networks.
pub fn network(all: &Recorded) -> String {
    let mut t = head(&["pacer", "quiet core", "busy core", "shared machine", "figure 12, quiet", "busy", "shared"]);
    let shown = |n: Option<&Net>| n.map_or("-".into(), |n| format!("{:.3}, {:.0} us", n.utilization, n.rtt_p99_us));
    let mut names: Vec<(&str, u32)> = software(&all.guest).into_iter().flat_map(|n| [(n, 1), (n, 44)]).collect();
    names.push(("hybrid", 44));
    let hardware = |e: &str| shown(all.guest.run(e, "hardware"));
    t += &line(["hardware".to_owned()].into_iter().chain(EXPERIMENTS.iter().flat_map(|e| [hardware(e), hardware(e), hardware(e)])));
    for (name, burst) in names {
        let of = |e: &str| {
            let (quiet, busy) = (sender(name, burst, false), sender(name, burst, true));
            [shown(all.guest.run(e, &quiet)), shown(all.guest.run(e, &busy)), shown(all.shared.run(e, &quiet))]
        };
        t += &line([sender(name, burst, false)].into_iter().chain(EXPERIMENTS.iter().flat_map(|e| of(e))));
    }
    t
}

/// The marks of the sweep over lateness.
pub fn late(all: &Recorded) -> String {
    let mut t = head(&["law", "incast, all packets late, us", "few late, us", "figure 12, all packets late, us", "few late, us"]);
    let marks = marks(&all.lateness);
    let cell = |m: Option<&Mark>| {
        let Some(m) = m else { return "-".into() };
        let mut by_seed: Vec<f64> = m.late_us.iter().map(|l| l.unwrap_or(f64::INFINITY)).collect();
        by_seed.sort_by(f64::total_cmp);
        let shown = |l: Option<&f64>| l.filter(|l| l.is_finite()).map_or("none".to_owned(), |l| format!("{l:.0}"));
        format!("{} ({} to {})", shown(m.median().as_ref()), shown(by_seed.first()), shown(by_seed.last()))
    };
    for law in LAWS {
        let of = |e: &str, s: &str| cell(marks.iter().find(|m| m.experiment == e && m.law == law && m.shape == s));
        t += &line([law.to_owned()].into_iter().chain(EXPERIMENTS.iter().flat_map(|e| SHAPES.iter().map(|s| of(e, s)))));
    }
    t
}

/// How late a polling thread is, and stamps.
pub fn floors(all: &Recorded) -> String {
    let mut t =
        head(&["machine", "noise floor p50", "p99", "p99.9", "max", "gaps above 10 us a second", "stamp after the call, p50", "p99"]);
    for (name, s) in [("guest, quiet core", &all.guest), ("shared machine", &all.shared)] {
        let (n, d) = (&s.noise_ns, &s.stamping.delay_ns);
        let gaps = format!("{:.0}", s.long_gaps_per_second);
        t += &line([name.to_owned(), time(n.p50), time(n.p99), time(n.p999), time(n.max), gaps, time(d.p50), time(d.p99)]);
    }
    t
}

/// Hashes of all arrivals.
pub fn repeat(all: &Recorded) -> String {
    let mut t = head(&["guest", "loads", "arrivals", "hash of their stamps"]);
    for c in all.guest.conditions.iter().chain(&all.faster.conditions) {
        let core = if c.busy { "busy core" } else { "quiet core" };
        let what = if c.scale == 1.0 { core.to_owned() } else { format!("{core}, {} instructions a ns", c.scale) };
        t += &line([what, format!("{:?}", c.extent).to_lowercase(), c.arrivals.to_string(), c.hash.clone()]);
    }
    t
}
