//! A case as text.
use super::traces::Trace;
use std::fmt::Write;
use timely_model::engine::law::action;
use timely_model::reaction::periods::{Heard, Periods, Word, look};
use timely_model::reference::{Branch, Dcqcn, Delays, Patched, Stage, Swift, Timely};
use timely_regs::parameters::{LawKind, Parameters};

/// The law's parameters, under their names in the file.
fn parameters(p: &Parameters) -> Vec<(&'static str, f64)> {
    let flag = |set: bool| f64::from(u8::from(set));
    if p.law == LawKind::Dcqcn {
        return vec![
            ("law", f64::from(p.law as u8)),
            ("alpha_gain", p.alpha_gain),
            ("cnp_interval_us", p.cnp_interval_us),
            ("alpha_timer_us", p.alpha_timer_us),
            ("rate_timer_us", p.rate_timer_us),
            ("byte_counter", p.byte_counter.into()),
            ("fast_stages", p.fast_stages.into()),
            ("additive_step_mbps", p.additive_step_mbps),
            ("hyper_step_mbps", p.hyper_step_mbps),
            ("initial_mbps", p.initial_mbps),
            ("least_mbps", p.least_mbps),
            ("greatest_mbps", p.greatest_mbps),
        ];
    }
    let mut all = vec![("law", f64::from(p.law as u8)), ("beta", p.beta)];
    if p.law == LawKind::Swift {
        all.extend([
            ("base_target_us", p.base_target_us),
            ("hop_us", p.hop_us),
            ("flow_range_us", p.flow_range_us),
            ("flow_least_packets", p.flow_least_packets),
            ("flow_most_packets", p.flow_most_packets),
            ("packet_bytes", p.packet_bytes.into()),
            ("endpoint_target_us", p.endpoint_target_us),
            ("max_decrease", p.max_decrease),
        ]);
    } else {
        all.extend([("alpha", p.alpha), ("t_low_us", p.t_low_us), ("t_high_us", p.t_high_us), ("min_rtt_us", p.min_rtt_us)]);
    }
    if p.law == LawKind::Timely {
        all.extend([
            ("hyperactive_after", p.hyperactive_after.into()),
            ("hyperactive_factor", p.hyperactive_factor),
            ("hyperactive_smoothed", flag(p.hyperactive_smoothed)),
        ]);
    }
    if matches!(p.law, LawKind::Patched | LawKind::Pi) {
        all.extend([("reference_us", p.reference_us), ("error_beta", p.error_beta)]);
    }
    if p.law == LawKind::Pi {
        all.extend([("integral_gain", p.integral_gain), ("proportional_gain", p.proportional_gain)]);
    }
    all.extend([
        ("update_interval_us", p.update_interval_us),
        ("additive_step_mbps", p.additive_step_mbps),
        ("delta_factor", flag(p.delta_factor)),
        ("half_floor", flag(p.half_floor)),
        ("initial_mbps", p.initial_mbps),
        ("least_mbps", p.least_mbps),
        ("greatest_mbps", p.greatest_mbps),
    ]);
    all
}

fn name(branch: Branch) -> &'static str {
    match branch {
        Branch::BelowLow => "below-low",
        Branch::AboveHigh => "above-high",
        Branch::Increase => "increase",
        Branch::Decrease => "decrease",
        Branch::None => "none",
        Branch::Held => "held",
    }
}

/// The results of each update as JSON fields, without the update's time and RTT.
fn outcomes(p: &Parameters, trace: &Trace) -> Vec<String> {
    match p.law {
        LawKind::Timely => {
            let mut law = Timely::new(p);
            let step = |u: &super::traces::Update| {
                let s = law.step(u.rtt, u.now, None);
                let (rate, g, df, hyperactive) = (s.rate, s.gradient, s.delta_factor, s.hyperactive);
                let branch = name(s.branch);
                format!(
                    "\"rate_mbps\": {rate}, \"gradient\": {g:e}, \"delta_factor\": {df}, \"branch\": \"{branch}\", \"hyperactive\": {hyperactive}"
                )
            };
            trace.iter().map(step).collect()
        }
        LawKind::Patched | LawKind::Pi => {
            let mut law = Patched::new(p);
            let step = |u: &super::traces::Update| {
                let s = law.step(u.rtt, u.now);
                let (rate, g, w, e, df) = (s.rate, s.gradient, s.weight, s.error, s.delta_factor);
                let branch = name(s.branch);
                format!(
                    "\"rate_mbps\": {rate}, \"gradient\": {g:e}, \"weight\": {w}, \"error\": {e:e}, \"delta_factor\": {df}, \"branch\": \"{branch}\""
                )
            };
            trace.iter().map(step).collect()
        }
        LawKind::Swift => {
            let mut law = Swift::new(p);
            let step = |u: &super::traces::Update| {
                let s = law.step(Delays { fabric_us: u.rtt, endpoint_us: u.endpoint, hops: u.hops }, u.now, None);
                let (endpoint, hops) = (u.endpoint, u.hops);
                let (rate, window, target, df, branch) = (s.rate, s.window, s.target_us, s.delta_factor, name(s.branch));
                format!(
                    "\"endpoint_us\": {endpoint}, \"hops\": {hops}, \"rate_mbps\": {rate}, \"window\": {window}, \"target_us\": {target}, \
                     \"delta_factor\": {df}, \"branch\": \"{branch}\""
                )
            };
            trace.iter().map(step).collect()
        }
        LawKind::Dcqcn => {
            let (mut law, mut word) = (Dcqcn::new(p), Word::default());
            let periods = Periods::of(&p.quantise().expect("a profile"));
            let step = |u: &super::traces::Update| {
                let (cnps, stages) = acknowledge(&mut law, &mut word, &periods, u);
                let (marked, bytes) = (u8::from(u.marked), u.bytes);
                let (rate, target, alpha) = (law.state.rate, law.state.target.unwrap_or(p.greatest_mbps), law.state.alpha);
                format!(
                    "\"marked\": {marked}, \"bytes\": {bytes}, \"rate_mbps\": {rate}, \"target_mbps\": {target}, \"alpha\": {alpha}, \
                     \"cnps\": {cnps}, \"stages\": {stages}"
                )
            };
            trace.iter().map(step).collect()
        }
        LawKind::Fixed => Vec::new(),
    }
}

/// All that is due at an ACK, one action after the other; the CNPs and stages among it.
fn acknowledge(law: &mut Dcqcn, word: &mut Word, periods: &Periods, u: &super::traces::Update) -> (u32, u32) {
    let now = (u.now * 1000.0).round() as u32;
    let mut heard = Heard { marked: u.marked, bytes: u.bytes, ..Heard::default() };
    let (mut cnps, mut stages) = (0, 0);
    loop {
        let (next, bits, _) = look(word, periods, now, &heard);
        (*word, heard) = (next, Heard::default());
        if bits == 0 {
            return (cnps, stages);
        }
        if bits & action::CNP != 0 {
            law.congestion();
            cnps += 1;
        }
        if bits & action::DECAY != 0 {
            law.decay();
        }
        if bits & action::INCREASE != 0 {
            let steps = u32::from(bits >> action::STEPS);
            law.increase(match steps {
                0 => Stage::Fast,
                _ if bits & action::HYPER != 0 => Stage::Hyper(steps),
                _ => Stage::Additive,
            });
            stages += 1;
        }
    }
}

/// Parameters, then an update a line, so that a reader needs no JSON library.
pub fn text(description: &str, p: &Parameters, trace: &Trace) -> String {
    let mut s = format!("{{\n  \"description\": \"{description}\",\n  \"parameters\": {{\n");
    let lines: Vec<String> = parameters(p).iter().map(|(name, value)| format!("    \"{name}\": {value}")).collect();
    writeln!(s, "{}\n  }},\n  \"updates\": [", lines.join(",\n")).expect("a string takes all");
    let outcomes = outcomes(p, trace);
    let lines: Vec<String> =
        trace.iter().zip(outcomes).map(|(u, o)| format!("    {{\"now_us\": {}, \"rtt_us\": {}, {o}}}", u.now, u.rtt)).collect();
    s + &lines.join(",\n") + "\n  ]\n}\n"
}
