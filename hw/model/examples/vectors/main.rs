//! Writes the published test vectors, `hw/model/vectors/*.json`; with `--check`, only says whether
//! they are what it would write.
mod text;
mod traces;

use std::path::{Path, PathBuf};
use text::text;
use timely_regs::parameters::{LawKind, Parameters};
use traces::{Trace, corners, fabric, marks, queue};

/// Where the vectors are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Name and text of every file.
pub fn files() -> Vec<(String, String)> {
    let paper = Parameters { alpha: 0.875, t_low_us: 50.0, t_high_us: 500.0, ..Parameters::authors_10g() };
    let bases = [
        ("authors-10g", "the authors' code and its published parameters", Parameters::authors_10g()),
        (
            "paper-10g",
            "thresholds of the paper's evaluation, 50 and 500 us; alpha and minRTT of ECN or Delay, .875 and 20 us",
            paper.clone(),
        ),
        ("timely-10g", "profile timely-10g, unloaded RTT 8 us", Parameters::timely_10g(8.0)),
        ("timely-100g", "profile timely-100g, unloaded RTT 8 us", Parameters::timely_100g(8.0)),
    ];
    let mut all = Vec::new();
    let mut add = |name: &str, what: &str, p: Parameters, trace: fn(&Parameters, u64) -> Trace, seed| {
        let (authors, paper) = (format!("{what}; as in the authors' code"), format!("{what}; as in the paper's Algorithm 1"));
        let trace = trace(&p, seed);
        all.push((format!("{name}.json"), text(&authors, &p, &trace)));
        all.push((format!("{name}-algorithm-1.json"), text(&paper, &p.algorithm_1(), &trace)));
    };
    for (k, (name, what, p)) in bases.into_iter().enumerate() {
        add(name, what, Parameters { initial_mbps: p.greatest_mbps / 4.0, ..p }, queue, 0x9E37_79B9_7F4A_7C15 + k as u64);
    }
    add(
        "corners-10g",
        "thresholds hit exactly, equal RTTs, updates at the same time, jumps to floor and limits",
        paper,
        |p, _| corners(p),
        0,
    );
    let conext = Parameters {
        t_low_us: 50.0,
        reference_us: 50.0,
        error_beta: 0.008,
        beta: 0.008,
        half_floor: false,
        ..Parameters::patched_10g(38.0)
    };
    let swift = Parameters { hop_us: 0.5, initial_mbps: 500.0, least_mbps: 1.0, ..Parameters::swift_10g(8.0) };
    let start = |p: Parameters| Parameters { initial_mbps: p.greatest_mbps / 4.0, ..p };
    let others = [
        ("patched-10g", "profile patched-10g, unloaded RTT 8 us", start(Parameters::patched_10g(8.0))),
        ("patched-100g", "profile patched-100g, unloaded RTT 8 us", start(Parameters::patched_100g(8.0))),
        ("patched-conext-10g", "Patched TIMELY with the parameters of ECN or Delay", start(conext.clone())),
        ("pi-10g", "profile pi-10g, unloaded RTT 8 us", start(Parameters::patched_10g(8.0).pi())),
        (
            "pi-conext-10g",
            "the parameters of ECN or Delay, held at 240 us (300 KB)",
            start(Parameters { reference_us: 240.0, ..conext.clone() }.pi()),
        ),
        ("swift-10g", "profile swift-10g, unloaded RTT 8 us", start(Parameters::swift_10g(8.0))),
        ("swift-small-10g", "Swift from windows below one packet, half a microsecond a hop", swift),
        ("swift-100g", "profile swift-100g, unloaded RTT 8 us", start(Parameters::swift_100g(8.0))),
    ];
    for (k, (name, what, p)) in others.into_iter().enumerate() {
        let seed = 0xD1B5_4A32_D192_ED03 + k as u64;
        let trace = if p.law == LawKind::Swift { fabric(&p, seed) } else { queue(&p, seed) };
        all.push((format!("{name}.json"), text(what, &p, &trace)));
    }
    let short =
        Parameters { byte_counter: 20_000, fast_stages: 2, hyper_step_mbps: 1000.0, alpha_gain: 1.0 / 16.0, ..Parameters::dcqcn_10g() };
    let dcqcn = [
        ("dcqcn-10g", "profile dcqcn-10g", start(Parameters::dcqcn_10g()), 1),
        ("dcqcn-short-10g", "DCQCN with short stages of bytes, so that both counters reach hyper increase", start(short), 2),
    ];
    for (name, what, p, seed) in dcqcn {
        all.push((format!("{name}.json"), text(what, &p, &marks(&p, 0x8CB9_2BA7_2F3D_8DD7 + seed))));
    }
    for (name, p) in [("patched-corners-10g", conext.clone()), ("pi-corners-10g", conext.pi())] {
        let what = "thresholds hit exactly, equal RTTs, updates at the same time, jumps to the limits";
        all.push((format!("{name}.json"), text(what, &p, &corners(&p))));
    }
    all
}

/// Files that are missing or not as they would be written.
pub fn stale() -> Vec<String> {
    let differs = |(name, text): &(String, String)| std::fs::read_to_string(folder().join(name)).ok().as_ref() != Some(text);
    files().into_iter().filter(differs).map(|(name, _)| name).collect()
}

#[allow(dead_code)]
fn main() -> std::process::ExitCode {
    if std::env::args().any(|a| a == "--check") {
        let stale = stale();
        stale.iter().for_each(|name| println!("{name} is not what the reference gives"));
        return std::process::ExitCode::from(u8::from(!stale.is_empty()));
    }
    for (name, text) in files() {
        if let Err(e) = std::fs::write(folder().join(&name), text) {
            eprintln!("error: {name} cannot be written: {e}");
            return std::process::ExitCode::FAILURE;
        }
        println!("{name}");
    }
    std::process::ExitCode::SUCCESS
}
