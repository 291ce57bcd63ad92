//! The demonstration: a 10-to-1 incast at 10 Gb/s under five kinds of control.
use crate::cores::CoreFactory;
use crate::report::Arm;
use crate::report::page::Words;
use crate::run::Observer;
use crate::scenario::file::Overrides;
use crate::scenario::{Error, NicKind, Plan, Profile, Set, build, file};
use crate::time::{MS, Ps, US};
use std::path::Path;

/// The scenario that all arms start from.
const INCAST: &str = include_str!("../scenarios/incast.toml");

/// How the demonstration is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A short run, for machines that check changes: too short to converge.
    pub quick: bool,
    /// NICs of the main arm.
    pub main: NicKind,
    /// NICs of the other arms with control in hardware.
    pub others: NicKind,
    /// Seed.
    pub seed: u64,
}

/// An arm before it is run.
pub struct Planned {
    name: &'static str,
    title: &'static str,
    note: String,
    color: u32,
    /// Plan of the run.
    pub plan: Plan,
}

/// Profile of an arm: the named profile `like` with the values of `set`.
fn profile(like: &str, set: &[(Set, f64)]) -> Profile {
    Profile {
        name: "arm".into(),
        like: like.into(),
        set: set.to_vec(),
        algorithm_1: false,
        control: Default::default(),
        own: Default::default(),
    }
}

/// The arms, in order.
pub fn arms(options: Options) -> Result<Vec<Planned>, Error> {
    let (short, long) = if options.quick { (12 * MS, 200 * MS) } else { (40 * MS, 1000 * MS) };
    let plan = |kind: NicKind, own: Profile, segment: u32, duration: Ps| -> Result<Plan, Error> {
        let ms = duration as f64 / MS as f64;
        let overrides = Overrides { seed: Some(options.seed), duration_ms: Some(ms), nics: Some(kind), ..Overrides::default() };
        let mut p = file::parse_with(Path::new("incast.toml"), INCAST, &overrides)?;
        p.bin = Some(100 * US);
        p.profiles = vec![own];
        for f in &mut p.flows {
            f.profile = "arm".into();
            f.segment = segment;
        }
        Ok(p)
    };
    // One burst is on its way at a time, as close as bursts come to the hardware's 64 KB.
    let bound: (Set, f64) = (|p, v| p.outstanding_bytes = v as u32, 73_728.0);
    let unbound: [(Set, f64); 2] = [(|p, v| p.outstanding_bytes = v as u32, 0.0), (|p, v| p.timeout_us = v, 0.0)];
    let best: [(Set, f64); 4] = [bound, (|p, v| p.alpha = v, 0.02), (|p, v| p.t_low_us = v, 200.0), (|p, v| p.t_high_us = v, 500.0)];
    let planned = |name, title, note: String, color, plan| Planned { name, title, note, color, plan };
    let (kb2, kb64) = (2 * 1024, 64 * 1024);
    let long_run = format!("run for {} ms, as it settles slowly", long / MS);
    Ok(vec![
        planned(
            "hardware_timely",
            "TIMELY in hardware",
            "profile timely-10g, 2 KB segments, every packet paced".into(),
            0x0b62a8,
            plan(options.main, profile("timely-10g", &[]), kb2, short)?,
        ),
        planned(
            "hardware_authors",
            "the authors' parameters in hardware",
            "profile authors-10g, 2 KB segments, every packet paced".into(),
            0x56b4e9,
            plan(options.others, profile("authors-10g", &[]), kb2, short)?,
        ),
        planned(
            "software_timely",
            "the same law and parameters in software",
            format!("64 KB bursts, 2 us timer; {long_run}"),
            0xc44e12,
            plan(NicKind::Software, profile("timely-10g", &[bound]), kb64, long)?,
        ),
        planned(
            "software_best",
            "the same law in software at its best parameters",
            format!("64 KB bursts, 2 us timer, alpha .02, Tlow 200 us, Thigh 500 us; {long_run}"),
            0xe3a008,
            plan(NicKind::Software, profile("timely-10g", &best), kb64, long)?,
        ),
        planned(
            "pfc_only",
            "no control, over PFC",
            "line rate, no bound on outstanding data, XOFF at 100 KB".into(),
            0x6b7280,
            plan(NicKind::Paced, profile("fixed", &unbound), kb2, short)?,
        ),
    ])
}

impl Planned {
    /// Name of the arm in JSON.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the arm; a failure to run is its outcome.
    pub fn run(self, cores: &dyn CoreFactory, observer: impl Observer) -> Arm {
        let kind = self.plan.nic.kind;
        let outcome = build::run(self.plan, cores, observer).map_err(|e| e.to_string());
        Arm { name: self.name.into(), title: self.title.into(), note: self.note, color: self.color, kind, outcome }
    }
}

/// A promise and whether it was kept: its words, and `None` when an arm that it needs was not run.
pub struct Promise {
    /// Text of the promise, with the measured value.
    pub text: String,
    /// Whether the promise was kept.
    pub kept: Option<bool>,
}

fn summary<'a>(arms: &'a [Arm], name: &str) -> Option<&'a crate::metrics::Summary> {
    Some(&arms.iter().find(|a| a.name == name)?.outcome.as_ref().ok()?.summary)
}

/// Promises of the demonstration on the arm `hardware_timely`, one of them against `pfc_only`.
pub fn promises(arms: &[Arm]) -> Vec<Promise> {
    let main = summary(arms, "hardware_timely");
    let pfc = summary(arms, "pfc_only");
    let of = |what: &str, value: Option<f64>, digits: usize, kept: &dyn Fn(f64) -> bool| Promise {
        text: value.map_or(what.into(), |v| format!("{what}: {v:.digits$}")),
        kept: value.map(kept),
    };
    let ratio = main.zip(pfc).map(|(m, p)| p.rtt_us.p99 / m.rtt_us.p99);
    vec![
        of("utilization at least 0.95", main.map(|s| s.utilization), 3, &|v| v >= 0.95),
        of("Jain at least 0.98", main.map(|s| s.jain), 4, &|v| v >= 0.98),
        of("RTT p99 at most 40 us", main.map(|s| s.rtt_us.p99), 1, &|v| v <= 40.0),
        of("RTT p99 of no control over PFC, at least 5 times that", ratio, 1, &|v| v >= 5.0),
        of("measured RTTs within 2 clocks of the true path time, the worst", main.and_then(|s| s.rtt_error_clocks_max), 2, &|v| v <= 2.0),
        of("no pauses", main.map(|s| s.pauses as f64), 0, &|v| v == 0.0),
    ]
}

/// Text of the report around the figures.
pub fn words(arms: &[Arm], options: Options) -> Words {
    let mut lead = String::from(
        "<p>Ten NICs send to one through a switch, at 10 Gb/s, each starting at line rate half a millisecond after the one before. \
         The first two arms measure the round-trip time of every 2 KB segment in the NIC, compute the rate there and pace every packet; \
         the host does nothing. The others are what there is without such a NIC.</p>",
    );
    if let (Some(m), Some(p)) = (summary(arms, "hardware_timely"), summary(arms, "pfc_only")) {
        lead += &format!(
            "<p>TIMELY in hardware uses <strong>{:.1} %</strong> of the bottleneck at a 99th percentile RTT of \
             <strong>{:.1} us</strong>; no control over PFC has <strong>{:.0} us</strong>.</p>",
            m.utilization * 100.0,
            m.rtt_us.p99,
            p.rtt_us.p99
        );
    }
    if options.quick {
        lead += "<p><strong>A quick run:</strong> too short for the flows to converge. The figures are no results.</p>";
    }
    let base = arms.iter().find_map(|a| Some(a.outcome.as_ref().ok()?.base_rtt_us)).unwrap_or(0.0);
    let ceiling = 10.0 * 1024.0 / f64::from(crate::time::wire_bytes(1024 + crate::nic::stream::HEADERS));
    let measured = summary(arms, "hardware_timely").and_then(|s| s.rtt_error_clocks_max);
    let measured =
        measured.map_or(String::new(), |e| format!(" The NIC's own measurements were never more than {e:.2} of its clocks off."));
    let notes = vec![
        format!("The unloaded RTT is {base:.1} us. Utilization counts wire bits; with 1024 bytes of payload a packet, {ceiling:.2} Gb/s is the most goodput there is."),
        "Without control the RTT is the sum of what every ingress port may hold before it pauses its sender: base + 10 XOFF / 10 Gb/s. \
         So it grows with XOFF, and the factor between the arms is one at this XOFF."
            .into(),
        format!(
            "RTTs are true path times as the simulator sees them, whatever the NIC itself measured. A segment that waits in its own NIC, \
             behind a burst or paused, does not wait in these figures.{measured}"
        ),
        "Software bursts need 0.2 to 0.4 s to settle, so those arms run longer than the others; the plots over time show how they start. \
         Their own burst's serialization is subtracted from the RTT they measure, as the paper does, and one burst of a flow is on its way at a time."
            .into(),
        "Arms on <code>rtl</code> run Verilog in Verilator, those on <code>model</code> its integer model; <code>paced</code> and <code>software</code> \
         are event-level hosts with the same law in floating point. Every arm repeats exactly from its seed."
            .into(),
        format!("Seed {}. To repeat: <code>cargo xtask demo{}</code>.", options.seed, if options.quick { " --quick" } else { "" }),
    ];
    Words { title: "Ten NICs, one receiver: congestion control in hardware".into(), lead, notes }
}
