//! `docs/synthesis.md`: the record as a table.
use super::record::Record;
use std::fmt::Write;

/// Clock that every block must reach on an ECP5, MHz.
pub const LEAST_MHZ: f64 = 160.0;

const HEAD: &str = "\
# Area and speed of each block

Written by `cargo xtask synth` from [hw/synth/record.toml](../hw/synth/record.toml); do not edit. `cargo xtask synth --check BLOCK` compares
a block as it is now with its line here.

A name is the block, then bus bits and log2 of the flows where it has them. `core` is both halves joined, registers included and DMA not, as a
shell gets them; `control` is one of them, with DMA; `nic` is the standalone shell, with DMA and traffic generator; `pass`, `wheel`, `gate` and
`doorbell` are parts of `pacer`. `core_64_10_small` is for the clock alone and works no more: its RAMs are cut to 512 words, since an ECP5 has
half of the block RAM, and the profiles' words are in LUTs, as are delays of 27 bits or fewer.

- **MHz**: ECP5 (LFE5UM5G-85F, speed 8), placed and routed by nextpnr between registered ports, as the median of its seeds, all of
  which stand beside it. No vendor tool is needed to repeat it. 160 MHz is the bound for every block: in this same flow an open NIC's transmit
  scheduler that is known to close 250 MHz on UltraScale+ reaches 108 MHz. An estimate, and no more than that: no UltraScale+ was placed,
  and it hangs on the mapper. With yosys's other one (`synth_ecp5 -abc9`) that scheduler gains more than what is here: 112 MHz (118, 111, 112) became
  143 (140, 152, 143), and an earlier `pacer_10` of 154 became 157 (157, 156, 161).
  The register behind a product is packed into its multiplier, as a vendor's tool does and yosys does not; that scheduler has no product.
  A core is placed much as a board's bitstream is: control sets of few flip-flops made logic, its reset on a global net (whose delay nextpnr does not
  count), block RAMs and multipliers at the sites that shorten their wires, and those of one address together; its router is asked for 125 MHz and
  tears out what is slower; by a native nextpnr where there is one.
  A seed stands as 0 when the wires that two nets want become twice as many again as at their fewest, or after an hour: it is not routed.
  nextpnr's log of each seed is kept in `target/synth`.
- **ns**: the slowest path of a 7-series device, cells alone, without routing.
- **LUT** and the rest are from synthesis: UltraScale+ (`synth_xilinx -family xcup`), then ECP5 (`synth_ecp5`). Of the LUTs, those in
  brackets are RAM or shift registers. A RAM of 36 Kb counts as 2 of 18 Kb.
  yosys joins the UltraRAMs of a bank in LUTs, where the device has a cascade.
";

/// LUTs of a VU9P.
const VU9P_LUTS: f64 = 1_182_240.0;

/// The page.
pub fn page(record: &Record) -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n| block | MHz (seeds) | ns | LUT | FF | RAM 18 Kb | DSP | ECP5 LUT4 | FF | RAM | DSP |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (name, b) in &record.block {
        let seeds: Vec<String> = b.ecp5_mhz.iter().map(|m| format!("{m:.0}")).collect();
        let mhz = b.mhz().map_or("not placed".into(), |m| format!("{m:.0} ({})", seeds.join(", ")));
        let x = &b.xcup;
        let uram = if x.uram > 0 { format!(" + {} URAM", x.uram) } else { String::new() };
        let ecp5 = b.ecp5.as_ref().map_or("| | | |".into(), |e| format!("{} | {} | {} | {} |", e.lut4, e.ff, e.ram, e.dsp));
        let area = match x.lut {
            0 => "| | | | |".into(),
            lut => format!(
                "{:.2} | {lut} ({}) | {} | {}{uram} | {} |",
                b.xc7_ps as f64 / 1000.0,
                x.lut_ram,
                x.ff,
                x.ramb18 + 2 * x.ramb36,
                x.dsp
            ),
        };
        writeln!(page, "| {name} | {mhz} | {area} {ecp5}").ok();
    }
    let slow: Vec<&str> = record.block.iter().filter(|(_, b)| b.mhz().is_some_and(|m| m < LEAST_MHZ)).map(|(n, _)| n.as_str()).collect();
    if slow.is_empty() {
        page.push_str("\nEvery block above that was placed reaches 160 MHz.\n");
    } else {
        writeln!(page, "\nBelow 160 MHz: {}.", slow.join(", ")).ok();
    }
    if let Some(core) = record.block.get("nic_512_14") {
        let share = 100.0 * core.xcup.lut as f64 / VU9P_LUTS;
        writeln!(page, "\nThe 512-bit NIC with 16,384 flows takes {share:.1} % of the LUTs of a VU9P.").ok();
    }
    page.push_str("\nTools:");
    for (name, version) in &record.tools {
        write!(page, " {name} {version};").ok();
    }
    page.pop();
    page.push_str(".\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_tools::process::root;

    #[test]
    fn the_page_shows_the_record() {
        let record = Record::load(&root()).expect("a record");
        let committed = std::fs::read_to_string(root().join("docs/synthesis.md")).unwrap_or_default();
        assert!(committed == page(&record), "docs/synthesis.md is not what hw/synth/record.toml gives; run: cargo xtask synth --page");
    }
}
