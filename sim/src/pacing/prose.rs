//! Parts of `docs/pacing.md` that are made from the record: conclusions, and the tables of
//! [`super::sections`], each between markers that name it.
use super::conclude::{COSTLY, PUNCTUAL};
use super::late::DMA_CLOCKS;
use super::lateness::{SHAPES, SUFFERS, least};
use super::record::{Brief, KEPT, Net, Recorded, Source};
use super::sections::{floors, hardware, instructions, late, matrix, named, network, repeat, rows, sender, software};
use super::table::{ppm, time};

/// Software is as good as hardware in the network when the RTT's 99th percentile is at most so many
/// times the hardware's.
const AS_GOOD: f64 = SUFFERS;
const MANY: (u32, f64) = KEPT[2];

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
    for r in named(source, load, 1, false).into_iter().filter(|r| r.name != "hybrid" && !r.is_hardware()) {
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
    let all = named(source, PUNCTUAL, 1, busy).into_iter().filter(|r| !r.is_hardware() && r.error_ns.is_some());
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
    let late = |name: &str| g.row(name, PUNCTUAL, 1, false).and_then(|r| r.error_ns);
    if let (Some(gate), Some(bare)) = (late("rtl-gate"), late("rtl-dma")) {
        quiet += &item(format!(
            "Hardware whose packets' data come {} to {} clocks after their grants: p99 of the error is {} with the launch gate and {} without it.",
            DMA_CLOCKS.start(),
            DMA_CLOCKS.end(),
            time(gate.p99),
            time(bare.p99)
        ));
    }
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
        let fits = |r: &&Brief| !r.is_hardware() && r.error_ns.is_some_and(|q| q.p99 < late * 1e3);
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
        ("hardware", hardware(&all.guest)),
        ("matrix", matrix(&all.guest)),
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
