//! Writes the published test vectors, `hw/model/vectors/*.json`; with `--check`, only says whether they are what it would write.
use std::fmt::Write;
use std::path::{Path, PathBuf};
use timely_model::reference::{Branch, Timely};
use timely_regs::parameters::Parameters;

/// Updates of a case.
const UPDATES: u32 = 240;

/// Where the vectors are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A published generator (xorshift64*), so that the vectors depend on no library's version.
struct Random(u64);

impl Random {
    /// Uniform in `[low, high)`.
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        low + (high - low) * (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Rounded to ns.
fn ns(us: f64) -> f64 {
    (us * 1000.0).round() / 1000.0
}

/// RTT and time of every update, us.
type Trace = Vec<(f64, f64)>;

/// RTTs as a queue makes them: they climb and drain, cross both thresholds, and fall for long enough to be hyperactive.
fn queue(p: &Parameters, seed: u64) -> Trace {
    let mut random = Random(seed);
    let (mut rtt, mut now, mut slope) = (p.t_low_us.max(p.min_rtt_us), 0.0, 0.0);
    let span = p.t_high_us - p.t_low_us;
    (0..UPDATES)
        .map(|k| {
            if k % 24 == 0 {
                slope = random.range(-0.1, 0.1) * span;
            }
            rtt = (rtt + slope + random.range(-0.01, 0.01) * span).clamp(0.5 * p.min_rtt_us, 1.5 * p.t_high_us);
            now += ns(random.range(0.1, 2.0) * p.update_interval_us);
            (ns(rtt), ns(now))
        })
        .collect()
}

/// Exactly at, just below and just above each threshold; equal RTTs; no time between updates; jumps that reach floor and limits.
fn corners(p: &Parameters) -> Trace {
    let (low, high) = (p.t_low_us, p.t_high_us);
    let edges = [low, low - 0.001, low, low + 0.001, high, high + 0.001, high, high - 0.001, high, high];
    let jumps = [low + 1.0, 16_000.0, low + 1.0, 16_000.0, 16_000.0, low + 2.0];
    let fall = (0..12).map(|k| low + 40.0 - 2.0 * f64::from(k));
    let rise = (0..12).map(|k| low + 10.0 + 3.0 * f64::from(k));
    let rtts: Vec<f64> = edges.into_iter().chain(fall.clone()).chain(rise).chain(jumps).chain(edges).chain(fall).collect();
    let gaps = [p.update_interval_us, 0.0, 0.25 * p.update_interval_us, 0.999 * p.update_interval_us, 7.0 * p.update_interval_us];
    let mut now = 0.0;
    let many = rtts.into_iter().cycle().take(UPDATES as usize).enumerate();
    many.map(|(k, rtt)| {
        now += gaps[k % 5];
        (ns(rtt), ns(now))
    })
    .collect()
}

/// A case as text: parameters, then an update a line, so that a reader needs no JSON library.
fn text(description: &str, p: &Parameters, trace: &Trace) -> String {
    let mut law = Timely::new(p);
    let mut s = format!("{{\n  \"description\": \"{description}\",\n  \"parameters\": {{\n");
    let numbers = [
        ("alpha", p.alpha),
        ("beta", p.beta),
        ("t_low_us", p.t_low_us),
        ("t_high_us", p.t_high_us),
        ("min_rtt_us", p.min_rtt_us),
        ("update_interval_us", p.update_interval_us),
        ("additive_step_mbps", p.additive_step_mbps),
        ("hyperactive_after", p.hyperactive_after.into()),
        ("hyperactive_factor", p.hyperactive_factor),
        ("hyperactive_smoothed", f64::from(u8::from(p.hyperactive_smoothed))),
        ("delta_factor", f64::from(u8::from(p.delta_factor))),
        ("half_floor", f64::from(u8::from(p.half_floor))),
        ("initial_mbps", p.initial_mbps),
        ("least_mbps", p.least_mbps),
        ("greatest_mbps", p.greatest_mbps),
    ];
    let lines: Vec<String> = numbers.iter().map(|(name, value)| format!("    \"{name}\": {value}")).collect();
    writeln!(s, "{}\n  }},\n  \"updates\": [", lines.join(",\n")).expect("a string takes all");
    for (k, (rtt_us, now_us)) in trace.iter().enumerate() {
        let step = law.step(*rtt_us, *now_us, None);
        let branch = match step.branch {
            Branch::BelowLow => "below-low",
            Branch::AboveHigh => "above-high",
            Branch::Increase => "increase",
            Branch::Decrease => "decrease",
            Branch::None => "none",
        };
        let (hyperactive, gradient, factor, rate) = (step.hyperactive, step.gradient, step.delta_factor, step.rate);
        write!(
            s,
            "    {{\"now_us\": {now_us}, \"rtt_us\": {rtt_us}, \"rate_mbps\": {rate}, \"gradient\": {gradient:e}, \
             \"delta_factor\": {factor}, \"branch\": \"{branch}\", \"hyperactive\": {hyperactive}}}{}",
            if k + 1 < trace.len() { ",\n" } else { "\n" }
        )
        .expect("a string takes all");
    }
    s + "  ]\n}\n"
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
