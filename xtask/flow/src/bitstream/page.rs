//! bitstreams/ecpix5/report.md, from the manifest.
use super::manifest::Manifest;
use std::fmt::Write;

/// The page.
pub fn page(m: &Manifest) -> String {
    let mut page = format!(
        "# The bitstream of the ECPIX-5\n\nWritten by `cargo xtask bitstream ecpix5` from [manifest.toml](manifest.toml); do not edit. Synthesised, placed and\n\
         routed for an {} (LUTs, RAM and clocks as nextpnr reports them). It has run on no board yet; [docs/ecpix5.md](../../docs/ecpix5.md) says how it\n\
         would be loaded.\n\n| clock | reaches MHz | runs at MHz |\n|---|---|---|\n",
        m.device
    );
    let what = |name: &str| match name {
        "clk" => "`clk`: the core",
        "tx_clk" => "`tx_clk`: Ethernet, out",
        "eth_rx_clk" => "`eth_rx_clk`: Ethernet, in",
        "clk100" => "`clk100`: the board's, for resets",
        _ => "",
    };
    for (name, c) in &m.clock {
        let line = match what(name) {
            "" => format!("`{name}`"),
            known => known.to_owned(),
        };
        writeln!(page, "| {line} | {:.1} | {:.1} |", c.mhz, c.asked_mhz).ok();
    }
    page.push_str("\n| of the FPGA | used | of | % |\n|---|---|---|---|\n");
    for (kind, [used, all]) in
        [("LUT4", m.area.lut4), ("flip-flops", m.area.ff), ("block RAM, 18 Kb", m.area.ram), ("multipliers, 18 x 18", m.area.dsp)]
    {
        writeln!(page, "| {kind} | {used} | {all} | {:.0} |", 100.0 * used as f64 / all.max(1) as f64).ok();
    }
    write!(page, "\nSeed {} of the placer; tools:", m.seed).ok();
    for (name, version) in &m.tools {
        write!(page, " {name} {version},").ok();
    }
    page.pop();
    write!(page, ".\n\n| file | sha256 |\n|---|---|\n").ok();
    for (file, hash) in
        [("timely_ecpix5_64_9.v", &m.verilog_sha256), ("timely_ecpix5.lpf", &m.pins_sha256), ("timely_ecpix5.bit", &m.bit_sha256)]
    {
        writeln!(page, "| {file} | `{hash}` |").ok();
    }
    writeln!(page, "\nThe bitstream has {} bytes, compressed.", m.bit_bytes).ok();
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitstream::manifest::{Area, Clock};
    use crate::bitstream::sha256;
    use timely_tools::process::root;

    fn manifest() -> Manifest {
        let clock = |mhz, asked_mhz| Clock { mhz, asked_mhz };
        Manifest {
            board: "a board".into(),
            device: "LFE5UM5G-85F".into(),
            seed: 7,
            verilog_sha256: "aa".into(),
            pins_sha256: "bb".into(),
            bit_sha256: "cc".into(),
            bit_bytes: 1234,
            tools: [("nextpnr-ecp5".into(), "0.11.1".into()), ("yosys".into(), "0.23".into())].into(),
            clock: [("clk".into(), clock(91.2, 83.3)), ("other".into(), clock(130.0, 125.0))].into(),
            area: Area { lut4: [10, 40], ff: [30, 40], ram: [0, 0], dsp: [1, 4] },
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let text = manifest().text().expect("text");
        assert_eq!(toml::from_str::<Manifest>(&text).expect("a manifest"), manifest());
        assert!(toml::from_str::<Manifest>(&text.replace("bit_sha256", "bit_hash")).is_err());
    }

    #[test]
    fn every_figure_is_in_the_report() {
        let page = page(&manifest());
        for line in [
            "| `clk`: the core | 91.2 | 83.3 |",
            "| `other` | 130.0 | 125.0 |",
            "| LUT4 | 10 | 40 | 25 |",
            "| flip-flops | 30 | 40 | 75 |",
            "| block RAM, 18 Kb | 0 | 0 | 0 |",
            "| multipliers, 18 x 18 | 1 | 4 | 25 |",
            "Seed 7 of the placer; tools: nextpnr-ecp5 0.11.1, yosys 0.23.",
            "| timely_ecpix5_64_9.v | `aa` |",
            "| timely_ecpix5.lpf | `bb` |",
            "| timely_ecpix5.bit | `cc` |",
            "The bitstream has 1234 bytes, compressed.",
        ] {
            assert!(page.lines().any(|l| l == line), "{line} is not in\n{page}");
        }
    }

    // The committed report, if there is one.
    #[test]
    fn the_report_shows_the_manifest() {
        let folder = root().join("bitstreams/ecpix5");
        if !folder.join("manifest.toml").exists() {
            return;
        }
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let manifest: Manifest = toml::from_str(&read("manifest.toml")).expect("a manifest");
        assert!(read("report.md") == page(&manifest), "report.md is not what manifest.toml gives");
        assert!(manifest.clock.values().all(|c| c.mhz >= c.asked_mhz), "a clock is missed: {:?}", manifest.clock);
        assert!(
            manifest.clock.values().filter(|c| c.asked_mhz == 125.0).count() >= 2,
            "Ethernet is not held to 125 MHz: {:?}",
            manifest.clock
        );
        let bit = folder.join("timely_ecpix5.bit");
        if bit.exists() {
            assert_eq!(sha256(&bit), Ok(manifest.bit_sha256), "the bitstream is not the manifest's");
        }
    }
}
