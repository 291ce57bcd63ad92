//! Parts of `docs/pacing.md` that are made from the record: tables and conclusions, each between
//! markers that name it.
use super::conclude::{COSTLY, PUNCTUAL};
use super::lateness::{EXPERIMENTS, LAWS, Mark, SHAPES, SUFFERS, least, marks};
use super::record::{Brief, KEPT, Net, Recorded, Source};
use super::stats::Quantiles;
use super::table::{ppm, time};

/// Software is as good as hardware in the network when the RTT's 99th percentile is at most so many
/// times the hardware's.
const AS_GOOD: f64 = SUFFERS;
const MANY: (u32, f64) = KEPT[2];

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

// CPU time of the guest is instructions.
fn instructions(source: &Source, row: &Brief) -> String {
    let scale = source.conditions.first().map_or(1.0, |c| c.scale);
    row.cpu_s_per_mpacket.map_or("-".into(), |s| format!("{:.0}", s * scale * 1000.0))
}

fn named(source: &Source, load: (u32, f64), burst: u32, busy: bool) -> Vec<&Brief> {
    source.names().into_iter().filter_map(|n| source.row(n, load, burst, busy)).collect()
}

// Pacers under a load: errors, rate, what arrived, instructions.
fn rows(source: &Source, load: (u32, f64), burst: u32, busy: bool) -> String {
    let mut t = head(&["pacer", "error p50", "p99", "p99.9", "max", "rate error", "arrived of sent", "instructions a packet"]);
    let hardware = if busy { source.row("rtl", load, burst, false) } else { None };
    for r in hardware.into_iter().chain(named(source, load, burst, busy)) {
        let rate = r.rate_error_ppm.map_or("-".into(), ppm);
        let arrived = format!("{} of {}", r.received, r.sent);
        let cost = if r.name == "rtl" { "0".into() } else { instructions(source, r) };
        t += &line([r.name.clone()].into_iter().chain(errors(r)).chain([rate, arrived, cost]));
    }
    t
}

// The pacer of a sender's name in the network.
fn sender(name: &str, burst: u32, busy: bool) -> String {
    let core = if busy { ", busy core" } else { "" };
    if burst == 1 { format!("{name}{core}") } else { format!("{name}, 64 KB{core}") }
}

fn software(source: &Source) -> Vec<&str> {
    source.names().into_iter().filter(|n| !["rtl", "hybrid"].contains(n)).collect()
}

fn network(all: &Recorded) -> String {
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

fn late(all: &Recorded) -> String {
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

fn floors(all: &Recorded) -> String {
    let mut t =
        head(&["machine", "noise floor p50", "p99", "p99.9", "max", "gaps above 10 us a second", "stamp after the call, p50", "p99"]);
    for (name, s) in [("guest, quiet core", &all.guest), ("shared machine", &all.shared)] {
        let (n, d) = (&s.noise_ns, &s.stamping.delay_ns);
        let gaps = format!("{:.0}", s.long_gaps_per_second);
        t += &line([name.to_owned(), time(n.p50), time(n.p99), time(n.p999), time(n.max), gaps, time(d.p50), time(d.p99)]);
    }
    t
}

fn repeat(all: &Recorded) -> String {
    let mut t = head(&["guest", "loads", "arrivals", "hash of their stamps"]);
    for c in all.guest.conditions.iter().chain(&all.faster.conditions) {
        let core = if c.busy { "busy core" } else { "quiet core" };
        let what = if c.scale == 1.0 { core.to_owned() } else { format!("{core}, {} instructions a ns", c.scale) };
        t += &line([what, format!("{:?}", c.extent).to_lowercase(), c.arrivals.to_string(), c.hash.clone()]);
    }
    t
}

// Pacers of single packets that are as good as hardware in the incast, and the others, with their
// RTTs.
fn split(source: &Source, hardware: &Net, busy: bool) -> (Vec<String>, Vec<String>) {
    let mut sides = (Vec::new(), Vec::new());
    for name in software(source) {
        let Some(n) = source.run("incast", &sender(name, 1, busy)) else { continue };
        let side = if n.rtt_p99_us <= AS_GOOD * hardware.rtt_p99_us { &mut sides.0 } else { &mut sides.1 };
        side.push(format!("{name} {:.0} us", n.rtt_p99_us));
    }
    sides
}

fn listed(all: &[String]) -> String {
    if all.is_empty() { "none".into() } else { all.join(", ") }
}

fn bursts(source: &Source, busy: bool) -> Option<(f64, f64)> {
    let used = software(source).into_iter().filter_map(|n| Some(source.run("incast", &sender(n, 44, busy))?.utilization));
    let (least, most) = used.fold((f64::MAX, 0.0f64), |(a, b), u| (a.min(u), b.max(u)));
    (most > 0.0).then_some((least * 100.0, most * 100.0))
}

// Software pacers of single packets that reach a load's rate within a percent, and those that do
// not.
fn reached(source: &Source, load: (u32, f64)) -> (Vec<String>, Vec<String>) {
    let mut sides = (Vec::new(), Vec::new());
    for r in named(source, load, 1, false).into_iter().filter(|r| !["rtl", "hybrid"].contains(&r.name.as_str())) {
        // Bytes that TCP was given and did not send wait in its sockets.
        let lost = if r.name.starts_with("tcp") { 0.0 } else { 1.0 - r.received as f64 / r.sent as f64 };
        let whole = r.rate_error_ppm.is_some_and(|e| e.abs() < 10_000.0) && lost < 0.01;
        let why = if lost < 0.01 { r.rate_error_ppm.map_or("-".into(), ppm) } else { format!("{:.0} % dropped", lost * 100.0) };
        let text = format!("{} ({why})", r.name);
        if whole { sides.0.push(text) } else { sides.1.push(text) }
    }
    sides
}

fn best(source: &Source, busy: bool) -> Option<&Brief> {
    let all = named(source, PUNCTUAL, 1, busy).into_iter().filter(|r| r.name != "rtl" && r.error_ns.is_some());
    all.min_by(|a, b| a.error_ns.map_or(0.0, |q| q.p99).total_cmp(&b.error_ns.map_or(0.0, |q| q.p99)))
}

/// The conclusions of quiet machines, of busy ones, and of the shared one.
fn conclusions(all: &Recorded) -> [String; 3] {
    let (g, f) = (&all.guest, &all.faster);
    let Some(hardware) = g.run("incast", "hardware") else { return Default::default() };
    let item = |s: String| format!("- {s}\n");
    let p99 = |r: Option<&Brief>| r.and_then(|r| Some((r.name.clone(), time(r.error_ns?.p99)))).unwrap_or_default();
    let part = |busy: bool| {
        let (good, bad) = split(g, hardware, busy);
        let (name, error) = p99(best(g, busy));
        let mut t = item(format!(
            "Punctuality of one flow of {} Mb/s: the best software pacer, {name}, has a p99 error of {error}; the hardware has at most {}.",
            PUNCTUAL.1,
            time(g.row("rtl", PUNCTUAL, 1, false).and_then(|r| r.error_ns).map_or(0.0, |q| q.max))
        ));
        t += &item(format!(
            "RTT p99 in the incast (hardware: {:.0} us): single packets of software are within 10 % of the hardware's with {}; they are not with {}.",
            hardware.rtt_p99_us,
            listed(&good),
            listed(&bad)
        ));
        if let Some((least, most)) = bursts(g, busy) {
            t += &item(format!(
                "Bursts of 64 KB use {least:.0} to {most:.0} % of the incast's link, whichever software paces them; the hardware's single packets {:.0} %.",
                hardware.utilization * 100.0
            ));
        }
        t
    };
    let mut quiet = part(false);
    let k = f.conditions.first().map_or(1.0, |c| c.scale);
    for (source, k) in [(g, 1.0), (f, k)] {
        let (whole, short) = reached(source, COSTLY);
        let s = if k == 1.0 { "" } else { "s" };
        quiet += &item(format!(
            "{} flows of 1 Gb/s together, single packets, {k} instruction{s} a ns: the rate is reached by {}; it is not by {}. The hardware reaches it.",
            COSTLY.0,
            listed(&whole),
            listed(&short)
        ));
    }
    let cost: Vec<String> = software(g)
        .into_iter()
        .filter_map(|n| g.row(n, PUNCTUAL, 1, false))
        .map(|r| format!("{} {}", r.name, instructions(g, r)))
        .collect();
    quiet += &item(format!("Instructions a packet of one flow of {} Mb/s: {}. The hardware takes none.", PUNCTUAL.1, cost.join(", ")));
    let shared = &all.shared;
    let (good, bad) = split(shared, hardware, false);
    let worst = software(shared).into_iter().filter_map(|n| shared.run("incast", n)).max_by(|a, b| a.rtt_p99_us.total_cmp(&b.rtt_p99_us));
    let mut own = item(format!(
        "Noise floor: a polling thread is p99 {} late there, and {} in the guest.",
        time(shared.noise_ns.p99),
        time(g.noise_ns.p99)
    ));
    own += &item(format!("RTT p99 in the incast within 10 % of the hardware's: {}; not: {}.", listed(&good), listed(&bad)));
    if let Some(w) = worst {
        let quiet = g.run("incast", &w.pacer).map_or("not measured".into(), |q| format!("{:.0} us", q.rtt_p99_us));
        own += &item(format!(
            "The worst of single packets there, {}, has {:.0} us; in the quiet guest it has {quiet}.",
            w.pacer, w.rtt_p99_us
        ));
    }
    [quiet, part(true), own]
}

fn enough(all: &Recorded) -> String {
    let Some((late, mark)) = least(&all.lateness) else { return String::new() };
    let punctual = |busy: bool| {
        let fits = |r: &&Brief| r.name != "rtl" && r.error_ns.is_some_and(|q| q.p99 < late * 1e3);
        let names: Vec<String> = named(&all.guest, PUNCTUAL, 1, busy).into_iter().filter(fits).map(|r| r.name.clone()).collect();
        listed(&names)
    };
    let experiment = if mark.experiment == "incast" { "the incast" } else { "figure 12" };
    format!(
        "The RTT's 99th percentile is 10 % higher from a p99 lateness of {late:.0} us on ({} in {experiment}, {} late: the least of all marks). In the guest \
         these pacers stay below it with one flow of {} Mb/s: on a quiet core {}; on a busy core {}.\n",
        mark.law,
        if mark.shape == SHAPES[0] { "all packets" } else { "few packets" },
        PUNCTUAL.1,
        punctual(false),
        punctual(true)
    )
}

/// The page's parts by the names of their markers.
pub fn parts(all: &Recorded) -> Vec<(&'static str, String)> {
    let [quiet, busy, own] = conclusions(all);
    let k = all.faster.conditions.first().map_or(1.0, |c| c.scale);
    vec![
        ("conclusions-quiet", quiet),
        ("conclusions-busy", busy),
        ("conclusions-shared", own),
        ("enough", enough(all)),
        ("quiet", rows(&all.guest, PUNCTUAL, 1, false)),
        ("busy", rows(&all.guest, PUNCTUAL, 1, true)),
        ("flows", rows(&all.guest, COSTLY, 1, false)),
        ("many", rows(&all.guest, MANY, 1, false)),
        ("faster", format!("{k} instructions a ns:\n\n{}", rows(&all.faster, COSTLY, 1, false))),
        ("bursts", rows(&all.guest, COSTLY, 44, false)),
        ("shared", rows(&all.shared, PUNCTUAL, 1, false)),
        ("floors", floors(all)),
        ("network", network(all)),
        ("lateness", late(all)),
        ("repeat", repeat(all)),
    ]
}

/// The page with its parts made anew: each stands between `<!-- name -->` and `<!-- end -->`.
///
/// # Errors
/// The marker that is missing.
pub fn renewed(page: &str, all: &Recorded) -> Result<String, String> {
    crate::page::renewed(page, parts(all))
}
