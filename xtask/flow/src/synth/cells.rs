//! From the tools' reports to figures.
use super::record::{Ecp5, Xcup};
use serde_json::Value;

/// Cells of a module by type, out of yosys' `stat -json`: by its lines, for of one module alone it
/// prints a comma too many.
///
/// # Errors
/// The report has no such module.
pub fn counts(report: &str, module: &str) -> Result<Vec<(String, u64)>, String> {
    let head = format!("\"\\\\{module}\": {{");
    let of_module = report.split_once(&head).and_then(|(_, rest)| rest.split_once("\"num_cells_by_type\": {"));
    let (_, cells) = of_module.ok_or_else(|| format!("no module {module} in the report of yosys"))?;
    let cell = |line: &str| {
        let (name, n) = line.trim().trim_end_matches(',').split_once(':')?;
        Some((name.trim_matches('"').to_owned(), n.trim().parse().ok()?))
    };
    Ok(cells.lines().take_while(|l| l.trim() != "}").filter_map(cell).collect())
}

/// Area on an ECP5, LUTs as nextpnr packs them: two a pair of carries, six a distributed RAM of 16
/// x 4.
pub fn ecp5(counts: &[(String, u64)]) -> Ecp5 {
    let mut area = Ecp5::default();
    for (name, n) in counts {
        match name.as_str() {
            "LUT4" => area.lut4 += n,
            "CCU2C" => area.lut4 += 2 * n,
            "TRELLIS_DPR16X4" => area.lut4 += 6 * n,
            "TRELLIS_FF" => area.ff += n,
            "DP16KD" | "PDPW16KD" => area.ram += n,
            "MULT18X18D" => area.dsp += n,
            _ => {}
        }
    }
    area
}

/// LUTs that a RAM or shift register of UltraScale+ is made of.
fn lut_ram(name: &str) -> u64 {
    match name {
        "SRL16E" | "SRLC32E" | "RAM32X1S" | "RAM64X1S" => 1,
        "RAM32X1D" | "RAM64X1D" | "RAM128X1S" => 2,
        "RAM32M" | "RAM64M" | "RAM128X1D" | "RAM256X1S" => 4,
        "RAM32M16" | "RAM64M8" | "RAM256X1D" | "RAM512X1S" => 8,
        _ => 0,
    }
}

/// Area on UltraScale+.
pub fn xcup(counts: &[(String, u64)]) -> Xcup {
    let mut area = Xcup::default();
    for (name, n) in counts {
        let memory = n * lut_ram(name);
        area.lut_ram += memory;
        area.lut += memory;
        match name.as_str() {
            "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" | "INV" => area.lut += n,
            "FDRE" | "FDSE" | "FDCE" | "FDPE" => area.ff += n,
            "RAMB18E2" => area.ramb18 += n,
            "RAMB36E2" => area.ramb36 += n,
            "URAM288" => area.uram += n,
            "DSP48E2" => area.dsp += n,
            _ => {}
        }
    }
    area
}

/// The latest arrival in a report of yosys' `sta`, ps.
///
/// # Errors
/// There is none.
pub fn latest_ps(report: &str) -> Result<u64, String> {
    let line = report.lines().find(|l| l.contains("Latest arrival time")).ok_or("no arrival time in the report of yosys")?;
    let number = line.rsplit("is").next().unwrap_or(line).trim().trim_end_matches(':');
    number.parse().map_err(|_| format!("no number in: {line}"))
}

/// Where a clock stands and why.
#[derive(Debug, Default, Clone)]
pub struct Clock {
    /// MHz, in tenths.
    pub mhz: f64,
    /// The slowest path, a line a cell or wire.
    pub path: Vec<String>,
}

/// The clock in a report of nextpnr.
///
/// # Errors
/// The report has none.
pub fn clock(report: &str) -> Result<Clock, String> {
    let value: Value = serde_json::from_str(report).map_err(|e| e.to_string())?;
    let fmax = value["fmax"].as_object().and_then(|f| f.values().next());
    let mhz = fmax.and_then(|f| f["achieved"].as_f64()).ok_or("no clock in the report of nextpnr")?;
    let inside = |p: &&Value| ["from", "to"].iter().all(|end| p[end].as_str().is_some_and(|e| e.contains("edge ")));
    let path = value["critical_paths"].as_array().and_then(|all| all.iter().find(inside)).map_or(Vec::new(), |p| {
        let step = |s: &Value| {
            let end = |e: &Value| format!("{}.{}", e["cell"].as_str().unwrap_or("?"), e["port"].as_str().unwrap_or("?"));
            format!(
                "{:5.2} {:8} {} -> {}",
                s["delay"].as_f64().unwrap_or(0.0),
                s["type"].as_str().unwrap_or(""),
                end(&s["from"]),
                end(&s["to"])
            )
        };
        // A carry chain has a step a bit, of no length to speak of.
        let long = |s: &&Value| s["delay"].as_f64().unwrap_or(0.0) >= 0.1;
        p["path"].as_array().map_or(Vec::new(), |steps| steps.iter().filter(long).map(step).collect())
    });
    Ok(Clock { mhz: (mhz * 10.0).round() / 10.0, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_areas() {
        let report = "{\n \"modules\": {\n  \"\\\\tnic_x\": {\n   \"num_cells\": 5,\n   \"num_cells_by_type\": {\n    \"LUT4\": 5,\n    \"CCU2C\": 2,\n    \
                      \"TRELLIS_DPR16X4\": 1,\n    \"TRELLIS_FF\": 7,\n    \"DP16KD\": 3,\n    \"MULT18X18D\": 4,\n    \"PFUMX\": 9\n   }\n  },\n\n}\n";
        let all = counts(report, "tnic_x").expect("counts");
        assert_eq!(ecp5(&all), Ecp5 { lut4: 15, ff: 7, ram: 3, dsp: 4 });
        assert!(counts(report, "tnic_y").is_err());
        let all = [("LUT6", 3), ("RAM32M16", 2), ("FDSE", 4), ("RAMB36E2", 1), ("MUXF7", 8)].map(|(n, c)| (n.to_owned(), c));
        assert_eq!(xcup(&all), Xcup { lut: 19, lut_ram: 16, ff: 4, ramb36: 1, ..Xcup::default() });
    }

    #[test]
    fn arrivals_and_clocks_are_read() {
        assert_eq!(latest_ps("x\nLatest arrival time in 'tnic_x' is 4123:\n   4123 a (FDRE.D)\n"), Ok(4123));
        assert!(latest_ps("").is_err());
        let report = r#"{"fmax": {"$glbnet$clk": {"achieved": 171.234, "constraint": 250.0}}, "critical_paths": [
            {"from": "<async>", "to": "posedge clk", "path": []},
            {"from": "posedge clk", "to": "posedge clk", "path": [{"delay": 0.5, "type": "logic", "from": {"cell": "a", "port": "Q"},
             "to": {"cell": "b", "port": "D"}}]}]}"#;
        let clock = clock(report).expect("a clock");
        assert_eq!((clock.mhz, clock.path.as_slice()), (171.2, [" 0.50 logic    a.Q -> b.D".to_owned()].as_slice()));
    }
}
