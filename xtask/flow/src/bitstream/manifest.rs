//! The record of a build: tools, sources and results.
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Frequency that the clock reaches, MHz in tenths.
    pub mhz: f64,
    /// Frequency that the clock runs at, MHz in tenths.
    pub asked_mhz: f64,
}

/// Used and there, by kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// LUTs of 4 inputs, those of carry chains and distributed RAM included.
    pub lut4: [u64; 2],
    /// Flip-flops.
    pub ff: [u64; 2],
    /// Block RAMs of 18 Kb.
    pub ram: [u64; 2],
    /// Multipliers of 18 x 18.
    pub dsp: [u64; 2],
}

/// A build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The board.
    pub board: String,
    /// The board's FPGA.
    pub device: String,
    /// Seed of the placer.
    pub seed: u32,
    /// Of the emitted Verilog.
    pub verilog_sha256: String,
    /// Of the emitted constraints.
    pub pins_sha256: String,
    /// Of the bitstream.
    pub bit_sha256: String,
    /// Bytes of the bitstream.
    pub bit_bytes: u64,
    /// Tools and their versions.
    pub tools: BTreeMap<String, String>,
    /// Clocks by name.
    pub clock: BTreeMap<String, Clock>,
    /// Resources of the FPGA that the design takes.
    pub area: Area,
}

impl Manifest {
    /// As it is written.
    ///
    /// # Errors
    /// The manifest cannot be written as TOML.
    pub fn text(&self) -> Result<String, String> {
        let body = toml::to_string(self).map_err(|e| e.to_string())?;
        Ok(format!("# Written by `cargo xtask bitstream ecpix5`; report.md shows it.\n\n{body}"))
    }
}

fn tenths(mhz: f64) -> f64 {
    (mhz * 10.0).floor() / 10.0
}

/// The clocks in a report of nextpnr, by their names in the Verilog.
///
/// # Errors
/// There is none, or one without its figures.
pub fn clocks(report: &Value) -> Result<BTreeMap<String, Clock>, String> {
    let all = report["fmax"].as_object().filter(|f| !f.is_empty()).ok_or("no clock in the report of nextpnr")?;
    let clock = |(name, v): (&String, &Value)| {
        let name = name.trim_start_matches("$glbnet$").split('$').next().unwrap_or(name).to_owned();
        let figure = |key: &str| v[key].as_f64().ok_or_else(|| format!("{name}: no {key} in the report of nextpnr"));
        Ok((name.clone(), Clock { mhz: tenths(figure("achieved")?), asked_mhz: tenths(figure("constraint")? + 0.05) }))
    };
    all.iter().map(clock).collect()
}

/// Used and available cells by kind, in a report of nextpnr.
pub fn utilisation(report: &Value) -> BTreeMap<String, [u64; 2]> {
    let one = |(kind, v): (&String, &Value)| (kind.clone(), ["used", "available"].map(|k| v[k].as_u64().unwrap_or(0)));
    report["utilization"].as_object().map_or_else(BTreeMap::new, |u| u.iter().map(one).collect())
}

impl Area {
    /// Of these cells.
    pub fn of(cells: &BTreeMap<String, [u64; 2]>) -> Self {
        let of = |kind: &str| cells.get(kind).copied().unwrap_or_default();
        Area { lut4: of("TRELLIS_COMB"), ff: of("TRELLIS_FF"), ram: of("DP16KD"), dsp: of("MULT18X18D") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gives_clocks_and_area() {
        let report = serde_json::json!({
            "fmax": { "$glbnet$clk": { "achieved": 101.27, "constraint": 100.0 },
                "$glbnet$eth_rx_clk$TRELLIS_IO_IN": { "achieved": 160.0, "constraint": 125.0 } },
            "utilization": { "TRELLIS_COMB": { "available": 83640, "used": 40000 }, "DP16KD": { "available": 208, "used": 100 } },
        });
        let all = clocks(&report).expect("clocks");
        assert_eq!(all["clk"], Clock { mhz: 101.2, asked_mhz: 100.0 });
        assert_eq!(all["eth_rx_clk"], Clock { mhz: 160.0, asked_mhz: 125.0 });
        let area = Area::of(&utilisation(&report));
        assert_eq!((area.lut4, area.ram, area.dsp), ([40_000, 83_640], [100, 208], [0, 0]));
        assert!(clocks(&serde_json::json!({})).is_err());
    }
}
