//! A profile as people say it: a name to start from, and what is to be otherwise.
use super::{SpecError, unit, value};
use crate::units::{Mbps, Micros, parse_bytes, parse_mbps, parse_us};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use timely_regs::parameters::{LawKind, NAMES, ParameterError, Parameters, RttStart, Signal};

/// A profile: what it is like, and what is otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileSpec {
    /// A named profile.
    pub like: String,
    /// The unloaded round-trip time, on which its thresholds build; 20us when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rtt: Option<String>,
    /// Rate of the line, at which flows start; that of the named profile when none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Fields that are otherwise, by name, with their units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
}

/// Slowest and fastest line, Mb/s: a thousandth of it, and all of it, are rates that a register
/// holds.
const LINE_MBPS: (f64, f64) = (0.25, 1_048_000.0);
/// Unloaded round-trip time when nothing is said, us.
const UNLOADED_US: f64 = 20.0;
/// Longest unloaded round-trip time, us: ns in 24 bits.
const MOST_RTT_US: f64 = 16_000.0;

/// A field, by its unit.
enum Slot<'a> {
    Us(&'a mut f64),
    Ns(&'a mut f64),
    Mbps(&'a mut f64),
    Number(&'a mut f64),
    Count(&'a mut u32),
    Bytes(&'a mut u32),
    Flag(&'a mut bool),
    Signal(&'a mut Signal),
    Start(&'a mut RttStart),
}

const STARTS: [(&str, RttStart); 3] =
    [("last_byte_out", RttStart::LastByteOut), ("first_byte_out", RttStart::FirstByteOut), ("eligible", RttStart::Eligible)];

/// Every field by its name.
fn slots(p: &mut Parameters) -> Vec<(&'static str, Slot<'_>)> {
    vec![
        ("rtt_start", Slot::Start(&mut p.rtt_start)),
        ("signal", Slot::Signal(&mut p.signal)),
        ("signal_base", Slot::Us(&mut p.signal_base_us)),
        ("alpha", Slot::Number(&mut p.alpha)),
        ("beta", Slot::Number(&mut p.beta)),
        ("t_low", Slot::Us(&mut p.t_low_us)),
        ("t_high", Slot::Us(&mut p.t_high_us)),
        ("min_rtt", Slot::Us(&mut p.min_rtt_us)),
        ("update_interval", Slot::Us(&mut p.update_interval_us)),
        ("additive_step", Slot::Mbps(&mut p.additive_step_mbps)),
        ("hyperactive_after", Slot::Count(&mut p.hyperactive_after)),
        ("hyperactive_factor", Slot::Number(&mut p.hyperactive_factor)),
        ("hyperactive_smoothed", Slot::Flag(&mut p.hyperactive_smoothed)),
        ("delta_factor", Slot::Flag(&mut p.delta_factor)),
        ("half_floor", Slot::Flag(&mut p.half_floor)),
        ("deadband", Slot::Ns(&mut p.deadband_ns)),
        ("reference", Slot::Us(&mut p.reference_us)),
        ("error_beta", Slot::Number(&mut p.error_beta)),
        ("integral_gain", Slot::Number(&mut p.integral_gain)),
        ("proportional_gain", Slot::Number(&mut p.proportional_gain)),
        ("base_target", Slot::Us(&mut p.base_target_us)),
        ("hop", Slot::Us(&mut p.hop_us)),
        ("flow_range", Slot::Us(&mut p.flow_range_us)),
        ("flow_least_packets", Slot::Number(&mut p.flow_least_packets)),
        ("flow_most_packets", Slot::Number(&mut p.flow_most_packets)),
        ("packet", Slot::Bytes(&mut p.packet_bytes)),
        ("endpoint_target", Slot::Us(&mut p.endpoint_target_us)),
        ("max_decrease", Slot::Number(&mut p.max_decrease)),
        ("alpha_gain", Slot::Number(&mut p.alpha_gain)),
        ("cnp_interval", Slot::Us(&mut p.cnp_interval_us)),
        ("alpha_timer", Slot::Us(&mut p.alpha_timer_us)),
        ("rate_timer", Slot::Us(&mut p.rate_timer_us)),
        ("byte_counter", Slot::Bytes(&mut p.byte_counter)),
        ("fast_stages", Slot::Count(&mut p.fast_stages)),
        ("hyper_step", Slot::Mbps(&mut p.hyper_step_mbps)),
        ("initial", Slot::Mbps(&mut p.initial_mbps)),
        ("idle_restart", Slot::Mbps(&mut p.idle_mbps)),
        ("least", Slot::Mbps(&mut p.least_mbps)),
        ("greatest", Slot::Mbps(&mut p.greatest_mbps)),
        ("outstanding", Slot::Bytes(&mut p.outstanding_bytes)),
        ("timeout", Slot::Us(&mut p.timeout_us)),
        ("idle", Slot::Us(&mut p.idle_us)),
        ("cap", Slot::Bytes(&mut p.cap_bytes)),
        ("use_window", Slot::Us(&mut p.use_window_us)),
        ("loss_decrease", Slot::Number(&mut p.loss_decrease)),
    ]
}

fn put(name: &str, slot: Slot<'_>, text: &str) -> Result<(), SpecError> {
    let number = || text.parse::<f64>().map_err(|_| value(name, text, "a number"));
    let one_of = |names: Vec<&str>| value(name, text, format!("one of {}", names.join(", ")));
    match slot {
        Slot::Us(x) => *x = unit(name, parse_us(text))?,
        Slot::Ns(x) => *x = unit(name, parse_us(text))? * 1000.0,
        Slot::Mbps(x) => *x = unit(name, parse_mbps(text))?,
        Slot::Number(x) => *x = number()?,
        Slot::Count(x) => *x = text.parse().map_err(|_| value(name, text, "a whole number"))?,
        Slot::Bytes(x) => {
            let bytes = unit(name, parse_bytes(text))?;
            *x = u32::try_from(bytes).map_err(|_| value(name, text, format!("{} bytes at most", u32::MAX)))?;
        }
        Slot::Flag(x) => *x = text.parse().map_err(|_| value(name, text, "true or false"))?,
        Slot::Signal(x) => {
            let found = Signal::NAMED.iter().find(|(n, _)| *n == text);
            *x = found.ok_or_else(|| one_of(Signal::NAMED.iter().map(|s| s.0).collect()))?.1;
        }
        Slot::Start(x) => {
            let found = STARTS.iter().find(|(n, _)| *n == text);
            *x = found.ok_or_else(|| one_of(STARTS.iter().map(|s| s.0).collect()))?.1;
        }
    }
    Ok(())
}

fn get(slot: Slot<'_>) -> String {
    match slot {
        Slot::Us(x) => Micros(*x).to_string(),
        Slot::Ns(x) => Micros(*x / 1000.0).to_string(),
        Slot::Mbps(x) => Mbps(*x).to_string(),
        Slot::Number(x) => x.to_string(),
        Slot::Count(x) => x.to_string(),
        Slot::Bytes(x) => format!("{x}B"),
        Slot::Flag(x) => x.to_string(),
        Slot::Signal(x) => Signal::NAMED.iter().find(|(_, s)| s == x).map_or("", |n| n.0).into(),
        Slot::Start(x) => STARTS.iter().find(|(_, s)| s == x).map_or("", |n| n.0).into(),
    }
}

/// The fields of these parameters, by name, printed with their units.
pub fn fields(parameters: &Parameters) -> Vec<(&'static str, String)> {
    let mut p = parameters.clone();
    slots(&mut p).into_iter().map(|(name, slot)| (name, get(slot))).collect()
}

impl ProfileSpec {
    /// Like a named profile, with fields `name=value` that are otherwise.
    ///
    /// # Errors
    /// When one is not of that form.
    pub fn new(like: &str, base_rtt: Option<&str>, line: Option<&str>, set: &[String]) -> Result<Self, SpecError> {
        let pair = |text: &String| {
            let (name, v) = text.split_once('=').ok_or_else(|| value("field", text, "name=value, as t_low=30us"))?;
            Ok((name.trim().to_owned(), v.trim().to_owned()))
        };
        let set = set.iter().map(pair).collect::<Result<_, SpecError>>()?;
        Ok(ProfileSpec { like: like.into(), base_rtt: base_rtt.map(Into::into), line: line.map(Into::into), set })
    }

    /// The parameters, checked against what the hardware holds.
    ///
    /// # Errors
    /// When there is no such profile or field, or a value is out of its range.
    pub fn parameters(&self) -> Result<Parameters, SpecError> {
        let base = self.base_rtt.as_deref().map_or(Ok(UNLOADED_US), |t| unit("base_rtt", parse_us(t)))?;
        // Under the names that they were given by, before the fields that build on them.
        if let Some(text) = self.base_rtt.as_deref().filter(|_| !(base > 0.0 && base <= MOST_RTT_US)) {
            return Err(value("base_rtt", text, format!("above 0 and at most {}", Micros(MOST_RTT_US))));
        }
        let named = Parameters::named(&self.like, base);
        let mut p = named.ok_or_else(|| value("profile", &self.like, format!("one of {}", NAMES.join(", "))))?;
        if let Some(line) = &self.line {
            let mbps = unit("line", parse_mbps(line))?;
            if !(LINE_MBPS.0..=LINE_MBPS.1).contains(&mbps) {
                return Err(value("line", line, format!("{} to {}", Mbps(LINE_MBPS.0), Mbps(LINE_MBPS.1))));
            }
            p = p.line(mbps);
        }
        for (name, text) in &self.set {
            let mut all = slots(&mut p);
            let Some(i) = all.iter().position(|(n, _)| n == name) else {
                let names: Vec<_> = all.iter().map(|(n, _)| *n).collect();
                return Err(value("field", name, format!("one of {}", names.join(", "))));
            };
            let (_, slot) = all.swap_remove(i);
            put(name, slot, text)?;
        }
        p.validate().map_err(|e| self.refused(&e, base))?;
        workable(&p, base)?;
        Ok(p)
    }

    /// A parameter's error by the name that a user types, with its unit. A field that was not
    /// typed has its value from elsewhere, which the error says.
    fn refused(&self, e: &ParameterError, base: f64) -> SpecError {
        let (name, unit) = typed(e.field);
        let mut allowed = format!("{}{unit} to {}{unit}: {}", e.least, e.greatest, e.advice);
        if !self.set.contains_key(name) {
            let shown = |base: f64| Some(fields(&Parameters::named(&self.like, base)?).into_iter().find(|f| f.0 == name)?.1);
            let from = match (&self.base_rtt, &self.line) {
                (Some(text), _) if shown(base) != shown(UNLOADED_US) => format!("base_rtt {text}"),
                (_, Some(text)) if unit == "Mbps" => format!("line {text}"),
                _ => format!("`{}`", self.like),
            };
            allowed += &format!("; {name} is what follows from {from}: give another, or {name}=VALUE");
        }
        value(name, format_args!("{}{unit}", e.value), allowed)
    }
}

/// The name of a field of [`Parameters`] that a user types, and the unit of its value.
fn typed(field: &'static str) -> (&'static str, &'static str) {
    let stem = |end: &str| field.strip_suffix(end);
    match (stem("_us"), stem("_ns"), stem("_mbps"), stem("_bytes")) {
        (Some(name), ..) => (name, "us"),
        (_, Some(name), ..) => (name, "ns"),
        (_, _, Some("idle"), _) => ("idle_restart", "Mbps"),
        (_, _, Some(name), _) => (name, "Mbps"),
        (.., Some(name)) => (name, "B"),
        _ if field == "byte_counter" => (field, "B"),
        _ => (field, ""),
    }
}

/// Refuses what would end every flow in a network whose unloaded RTT is `base_us`, or a flow at its
/// first lost ACK.
fn workable(p: &Parameters, base_us: f64) -> Result<(), SpecError> {
    let above = |field: &str, us: f64, else_: &str| {
        let allowed = || format!("more than base_rtt, {}: {else_}", Micros(base_us));
        if us > base_us { Ok(()) } else { Err(value(field, Micros(us), allowed())) }
    };
    if p.timeout_us > 0.0 {
        above("timeout", p.timeout_us, "each segment would time out before its ACK can come; 0us is no time-out")?;
    } else if p.outstanding_bytes > 0 {
        let allowed = format!(
            "more than base_rtt, {}, as outstanding is {}B: a lost ACK would count against that bound for ever and stop its flow; \
             give a time-out, or outstanding=0B for no bound",
            Micros(base_us),
            p.outstanding_bytes
        );
        return Err(value("timeout", Micros(p.timeout_us), allowed));
    }
    // Other signals have no base that is known here.
    if p.signal == Signal::Rtt {
        let falls = "in an empty network a rate would fall to its least";
        match p.law {
            LawKind::Timely => above("t_high", p.t_high_us, falls)?,
            LawKind::Patched | LawKind::Pi => above("reference", p.reference_us, falls)?,
            // Flow scaling lifts Swift's target as a rate falls; DCQCN goes by marks.
            LawKind::Swift | LawKind::Fixed | LawKind::Dcqcn => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(set: &[&str]) -> Result<Parameters, SpecError> {
        let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
        ProfileSpec::new("timely-10g", Some("8us"), None, &set)?.parameters()
    }

    #[test]
    fn fields_are_set_with_their_units() {
        let p = spec(&["t_low=30us", "beta=0.5", "additive_step=20Mbps", "outstanding=64KiB", "half_floor=false", "signal=one_way"]);
        let p = p.expect("valid");
        assert_eq!((p.t_low_us, p.beta, p.additive_step_mbps), (30.0, 0.5, 20.0));
        assert_eq!((p.outstanding_bytes, p.half_floor, p.signal), (65_536, false, Signal::OneWay));
        let line = ProfileSpec { line: Some("25Gbps".into()), ..ProfileSpec::new("timely-10g", None, None, &[]).expect("valid") };
        assert_eq!(line.parameters().expect("valid").greatest_mbps, 25_000.0);
    }

    /// Every field of every named profile reads as it was printed.
    #[test]
    fn what_is_printed_can_be_set() {
        for name in NAMES {
            let p = Parameters::named(name, 8.0).expect("listed");
            let set: Vec<String> = fields(&p).iter().map(|(n, v)| format!("{n}={v}")).collect();
            assert_eq!(ProfileSpec::new(name, Some("8us"), None, &set).expect("pairs").parameters(), Ok(p), "{name}");
        }
    }

    /// A time-out or a threshold below the unloaded RTT ends every flow; the least that is above it
    /// is taken.
    #[test]
    fn what_cannot_work_is_refused() {
        let of = |like: &str, set: &str| {
            let set = if set.is_empty() { vec![] } else { vec![set.to_owned()] };
            ProfileSpec::new(like, Some("30us"), None, &set).expect("pairs").parameters().map_err(|e| e.to_string())
        };
        for (like, set, told) in [
            ("timely-10g", "timeout=30us", "timeout is `30us`; it must be more than base_rtt, 30us: each segment would time out"),
            (
                "authors-10g",
                "t_high=29us",
                "t_high is `29us`; it must be more than base_rtt, 30us: in an empty network a rate would fall to its least",
            ),
            ("patched-10g", "reference=10us", "reference is `10us`; it must be more than base_rtt, 30us"),
        ] {
            let text = of(like, set).expect_err(set);
            assert!(text.starts_with(told), "{text}");
        }
        for (like, set) in [
            ("timely-10g", "timeout=31us"),
            ("dcqcn-10g", "timeout=0us"),
            ("timely-10g", "signal=one_way"),
            ("swift-10g", "base_target=25us"),
            ("authors-10g", "t_high=31us"),
        ] {
            assert!(of(like, set).is_ok(), "{like} {set}: {:?}", of(like, set));
        }
        for name in NAMES {
            assert!(of(name, "").is_ok(), "{name}: {:?}", of(name, ""));
        }
    }

    /// Bytes of a lost ACK leave the bound by a time-out alone.
    #[test]
    fn a_bound_without_a_timeout_is_refused() {
        let text = spec(&["timeout=0us"]).expect_err("64 KiB and no time-out").to_string();
        let told = "timeout is `0ns`; it must be more than base_rtt, 8us, as outstanding is 65536B: a lost ACK would count against that bound \
                    for ever and stop its flow; give a time-out, or outstanding=0B for no bound";
        assert_eq!(text, told);
        assert!(spec(&["timeout=0us", "outstanding=1B"]).is_err());
        for works in [&["timeout=0us", "outstanding=0B"], &["timeout=9us", "outstanding=64KiB"]] {
            assert!(spec(works).is_ok(), "{works:?}: {:?}", spec(works));
        }
    }

    /// Every error of a parameter has a name that can be typed, and its limits can be typed too.
    #[test]
    fn errors_name_what_can_be_typed() {
        for like in NAMES {
            let names: Vec<_> = fields(&Parameters::named(like, 8.0).expect("listed")).into_iter().map(|f| f.0).collect();
            let mut refused = 0;
            for name in &names {
                for absurd in ["0us", "99s", "0Mbps", "1Tbps", "0", "9", "1e9", "0B", "4294967295B"] {
                    let spec = ProfileSpec::new(like, Some("8us"), None, &[format!("{name}={absurd}")]).expect("a pair");
                    // What names the value by its own name has its range, in units that are read.
                    let Err(SpecError::Value { name: said, allowed, .. }) = spec.parameters() else { continue };
                    assert!(names.contains(&said.as_str()), "{like}, {name}={absurd}: {said}");
                    let Some((least, rest)) = allowed.split_once(" to ").filter(|_| said == *name) else { continue };
                    let most = rest.split(':').next().unwrap_or_default();
                    for limit in [least, most] {
                        let mut p = Parameters::named(like, 8.0).expect("listed");
                        let slot = slots(&mut p).into_iter().find(|s| s.0 == *name).expect("a field").1;
                        put(name, slot, limit).unwrap_or_else(|e| panic!("{like}, {name}={absurd}, {allowed}: {e}"));
                    }
                    refused += 1;
                }
            }
            assert!(refused > 10, "{like}: {refused}");
        }
    }

    #[test]
    fn errors_say_what_was_typed() {
        let text = |base: &str, line: Option<&str>, set: &[&str]| {
            let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
            ProfileSpec::new("timely-10g", Some(base), line, &set).and_then(|p| p.parameters()).expect_err(base).to_string()
        };
        let told = text("10ms", None, &[]);
        assert!(told.starts_with("t_low is `10012us`; it must be 0us to 200us: Tlow must not exceed Thigh; "), "{told}");
        assert!(told.ends_with("t_low is what follows from base_rtt 10ms: give another, or t_low=VALUE"), "{told}");
        let told = text("20us", None, &["greatest=1Gbps", "initial=1Gbps"]);
        assert!(told.starts_with("idle_restart is `10000Mbps`; it must be 10Mbps to 1000Mbps: "), "{told}");
        assert!(told.ends_with("follows from `timely-10g`: give another, or idle_restart=VALUE"), "{told}");
        assert!(text("20us", Some("5Gbps"), &["greatest=1Gbps"]).contains("follows from line 5Gbps"));
        let told = text("20us", None, &["least=20Gbps"]);
        assert!(told.ends_with("to 10000Mbps: the least rate must not exceed the greatest"), "{told}");
        assert!(text("20us", None, &["least=0Mbps"]).ends_with("a flow at rate 0 would never send again"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = |set: &[&str]| spec(set).expect_err("wrong").to_string();
        assert_eq!(text(&["t_low=30"]), "t_low: `30` is no time; write a number and a unit of ns, us, ms, s, as 50us");
        assert_eq!(text(&["beta=2"]), format!("beta is `2`; it must be {} to 1: the authors' is 0.8", 1.0 / 4096.0));
        assert!(text(&["tlow=3us"]).starts_with("field is `tlow`; it must be one of rtt_start, signal"));
        assert_eq!(text(&["beta"]), "field is `beta`; it must be name=value, as t_low=30us");
        assert_eq!(text(&["signal=delay"]), "signal is `delay`; it must be one of rtt, less_residence, one_way");
        let of = |base: Option<&str>, line: Option<&str>| ProfileSpec::new("timely-10g", base, line, &[]).expect("pairs").parameters();
        for line in ["0Gbps", "2Tbps"] {
            let text = of(None, Some(line)).expect_err(line).to_string();
            assert_eq!(text, format!("line is `{line}`; it must be 250Kbps to 1.048Tbps"));
        }
        for base in ["0us", "99999999999s"] {
            let text = of(Some(base), None).expect_err(base).to_string();
            assert_eq!(text, format!("base_rtt is `{base}`; it must be above 0 and at most 16ms"));
        }
        // 2^30 bytes at 100 Gb/s take 85.9 ms.
        let text = ProfileSpec::new("timely-100g", None, None, &["timeout=90ms".into()]).expect("pairs").parameters();
        let text = text.expect_err("too long for the rate").to_string();
        let advice =
            "at its greatest rate a flow must send less than 2^30 bytes in its time-out: shorten it or lower that rate; 0 for no time-out";
        assert_eq!(text, format!("timeout is `90000us`; it must be 0us to 85899.345us: {advice}"));
        assert!(ProfileSpec::new("timely-100g", None, Some("90Gbps"), &["timeout=90ms".into()]).expect("pairs").parameters().is_ok());
        assert!(of(None, Some("250Kbps")).is_ok() && of(None, Some("1.048Tbps")).is_ok());
        let text = ProfileSpec::new("reno", None, None, &[]).expect("pairs").parameters().expect_err("no such").to_string();
        assert!(text.starts_with("profile is `reno`; it must be one of authors-10g"), "{text}");
    }
}
