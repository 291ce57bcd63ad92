//! Figures that other commands have measured and committed: area and speed, mutants.
use super::figure::{Bound, Figure};
use std::path::Path;
use timely_hw::blocks::{BLOCKS, Measure};
use toml::Value;

/// Where `cargo xtask synth` keeps its figures.
const SYNTH: &str = "hw/synth/record.toml";
/// Where `cargo xtask mutate` keeps its.
const MUTATION: &str = "tests/mutation.toml";
/// LUTs of a VU9P.
const VU9P_LUTS: f64 = 1_182_240.0;

fn mhz(block: &Value) -> Option<f64> {
    let mut all: Vec<f64> = block.get("ecp5_mhz")?.as_array()?.iter().filter_map(Value::as_float).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

fn xcup(block: Option<&Value>, what: &str) -> Option<f64> {
    block?.get("xcup")?.get(what)?.as_integer().map(|n| n as f64)
}

fn synth(text: Option<&str>, out: &mut Vec<Figure>) -> Result<(), String> {
    const NONE: &str = "not recorded by `cargo xtask synth` yet";
    let parsed: Value = text.map_or(Ok(Value::Table(Default::default())), toml::from_str).map_err(|e| format!("{SYNTH}: {e}"))?;
    let blocks = parsed.get("block").and_then(Value::as_table);
    // The whole core has a figure of its own below.
    let is_block = |name: &str| !name.starts_with("core_");
    let placed = blocks.into_iter().flatten().filter(|(name, _)| is_block(name));
    let speeds: Vec<(&String, f64)> = placed.filter_map(|(name, b)| Some((name, mhz(b)?))).collect();
    let slowest = speeds.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let asked = BLOCKS.iter().filter(|b| b.measure == Measure::Speed && is_block(b.name)).count();
    out.push(match slowest {
        Some((name, mhz)) => {
            let what = format!("{name}, the slowest of the {} blocks that are recorded, of {asked}: median of its seeds", speeds.len());
            Figure::new("synth.ecp5_fmax_mhz", *mhz, &what)
        }
        None => Figure::missing("synth.ecp5_fmax_mhz", NONE),
    });
    let block = |name: &str| blocks.and_then(|b| b.get(name));
    let core = xcup(block("nic_512_14"), "lut").map(|lut| lut / VU9P_LUTS * 100.0);
    let seeds =
        block("core_64_10_small").and_then(|b| b.get("ecp5_mhz")).map_or_else(String::new, |all| format!(", {all} (0: not routed)"));
    let small = format!("both halves joined, 64 bits and 1,024 flows, of RAMs that an ECP5 has: median of its seeds{seeds}");
    let bounds = [
        Bound::AtLeast(160.0),
        Bound::AtLeast(118.0),
        Bound::AtMost(3800.0),
        Bound::AtMost(40.0),
        Bound::AtMost(800.0),
        Bound::AtMost(6800.0),
        Bound::AtMost(5.0),
    ];
    for (key, value, what) in [
        ("synth.ecp5_fmax_mhz.core_64_10", block("core_64_10_small").and_then(mhz), small.as_str()),
        ("synth.xcup.engine_lut", xcup(block("engine_14"), "lut"), "rate engine of 16K flows and all laws, UltraScale+"),
        ("synth.xcup.engine_dsp", xcup(block("engine_14"), "dsp"), "the same"),
        ("synth.xcup.reaction_lut", xcup(block("reaction_14"), "lut"), "DCQCN's CNPs, timers and stages of 16K flows"),
        ("synth.xcup.pacer_lut", xcup(block("pacer_14"), "lut"), "pacer of 16K flows"),
        ("synth.xcup.core_percent", core, "the NIC of 512 bits and 16K flows, of the LUTs of a VU9P"),
    ] {
        out.push(value.map_or_else(|| Figure::missing(key, NONE), |v| Figure::new(key, v, what)));
    }
    let from = out.len() - bounds.len();
    out[from..].iter_mut().zip(bounds).for_each(|(f, b)| f.bound = Some(b));
    Ok(())
}

fn mutate(text: Option<&str>, out: &mut Vec<Figure>) -> Result<(), String> {
    let parsed: Value = text.map_or(Ok(Value::Table(Default::default())), toml::from_str).map_err(|e| format!("{MUTATION}: {e}"))?;
    let total = parsed.get("mutate");
    let killed = total.and_then(|t| t.get("killed")?.as_float()).zip(total.and_then(|t| t.get("mutants")?.as_integer()));
    out.push(Figure {
        bound: Some(Bound::AtLeast(0.95)),
        ..match killed {
            Some((share, all)) => {
                Figure::new("mutate.killed", share, &format!("share of {all} faults in the Verilog that its lockstep test notices"))
            }
            None => Figure::missing("mutate.killed", "not recorded by `cargo xtask mutate` yet"),
        }
    });
    Ok(())
}

/// Reads all of it.
///
/// # Errors
/// A record that is no TOML.
pub fn read(root: &Path, out: &mut Vec<Figure>) -> Result<(), String> {
    synth(std::fs::read_to_string(root.join(SYNTH)).ok().as_deref(), out)?;
    mutate(std::fs::read_to_string(root.join(MUTATION)).ok().as_deref(), out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read() {
        let text = "[block.engine_14]\necp5_mhz = [170.0, 150.5, 165.0]\nxcup = { lut = 2000, dsp = 25 }\n\
                    [block.nic_512_14]\necp5_mhz = []\nxcup = { lut = 59112 }\n\
                    [block.core_64_10_small]\necp5_mhz = [176.6, 0.0, 170.0]\n";
        let mut out = Vec::new();
        synth(Some(text), &mut out).expect("TOML");
        let value = |key: &str| out.iter().find(|f| f.key == key).expect("a key").value;
        assert_eq!((value("synth.ecp5_fmax_mhz"), value("synth.ecp5_fmax_mhz.core_64_10")), (Some(165.0), Some(170.0)));
        assert_eq!(
            (value("synth.xcup.engine_lut"), value("synth.xcup.engine_dsp"), value("synth.xcup.pacer_lut")),
            (Some(2000.0), Some(25.0), None)
        );
        assert_eq!(value("synth.xcup.core_percent"), Some(5.0));
        assert!(!out.iter().any(Figure::is_missed));
        let mut out = Vec::new();
        synth(Some("[block.core_64_10_small]\necp5_mhz = [76.6, 0.0, 0.0]\n"), &mut out).expect("TOML");
        let core = out.iter().find(|f| f.key == "synth.ecp5_fmax_mhz.core_64_10").expect("a key");
        assert!(core.is_missed() && core.value == Some(0.0) && core.note.contains("[76.6, 0.0, 0.0]"), "{}", core.note);
    }

    #[test]
    fn faults_are_read() {
        let mut out = Vec::new();
        mutate(Some("[mutate]\nmutants = 400\nkilled = 0.94\n"), &mut out).expect("TOML");
        mutate(None, &mut out).expect("nothing is TOML");
        assert_eq!((out[0].value, out[1].value), (Some(0.94), None));
        assert!(out[0].is_missed() && !out[1].is_missed());
        assert!(mutate(Some("[mutate"), &mut out).is_err());
    }
}
