//! `docs/registers.md`.
use super::snake;
use crate::counters;
use crate::field::Field;
use crate::map::{self, BAD_READ, BLOCKS, Block, Parameter, Register, Reset, window};
use crate::{event, flow, histogram, pci, profile, telemetry};
use std::fmt::Write;

fn reset(r: &Register) -> String {
    match r.reset {
        Reset::Value(v) if v > 0xffff => format!("{v:#010x}"),
        Reset::Value(v) => v.to_string(),
        Reset::Build(Parameter::FlowBits) => "`FLOW_BITS`".into(),
        Reset::Build(Parameter::BusBits) => "bus bits".into(),
        Reset::Build(Parameter::RingBits) => "`RING_BITS`".into(),
        Reset::Build(Parameter::ClockPs) => "clock period".into(),
        Reset::Build(Parameter::Increment) => "clock period".into(),
        Reset::Build(Parameter::AckRate) => "2.5 Gb/s".into(),
        Reset::Build(Parameter::LineRate) => "10 Gb/s".into(),
        Reset::Build(Parameter::Ptp | Parameter::Lead) => "the shell's".into(),
        Reset::Live => "live".into(),
    }
}

fn bits(f: &Field) -> String {
    if f.high == f.low { f.low.to_string() } else { format!("{}..{}", f.high, f.low) }
}

fn range(f: &Field) -> String {
    let all = Field::new(0, f.high - f.low, 0, "", "");
    if (f.least, f.most) == (all.least, all.most) { String::new() } else { format!("{} to {}", f.least, f.most) }
}

/// A `|` in a cell would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn block(o: &mut String, b: &Block) -> std::fmt::Result {
    writeln!(o, "\n## {} at {:#05x}\nType {:#010x}, version {}. {}\n", b.name, b.base, b.kind.type_word(), b.version, b.meaning)?;
    writeln!(o, "| offset | register | access | after reset | |\n|---|---|---|---|---|")?;
    for r in b.registers {
        let (name, offset) = match r.count {
            1 => (r.name.to_string(), format!("{:#05x}", r.offset)),
            n => (format!("{}[{n}]", r.name), format!("{:#05x} + 4i", r.offset)),
        };
        writeln!(o, "| {offset} | `{name}` | {} | {} | {} |", r.access.name(), reset(r), cell(r.meaning))?;
    }
    writeln!(o, "\n| register | bits | field | range | |\n|---|---|---|---|---|")?;
    for r in b.registers {
        for f in r.fields {
            writeln!(o, "| `{}` | {} | `{}` | {} | {} |", r.name, bits(f), f.name, range(f), cell(f.meaning))?;
        }
    }
    Ok(())
}

fn record(o: &mut String, fields: &[Field]) -> std::fmt::Result {
    writeln!(o, "| word | bits | field | range | |\n|---|---|---|---|---|")?;
    for f in fields {
        writeln!(o, "| {} | {} | `{}` | {} | {} |", f.word, bits(f), f.name, range(f), cell(f.meaning))?;
    }
    Ok(())
}

fn write(o: &mut String) -> std::fmt::Result {
    writeln!(
        o,
        "# Registers\n\n<!-- Generated from hw/regs by `{}`; do not edit. -->\n\n\
         A {}-bit BAR of 32-bit registers, little-endian. A block starts with its type at +0 (vendor {:#06x} above, kind below), its version \
         at +4, and the offset of the next block at +8 (0 ends the list); the list starts at 0. Find blocks by walking it. The first block has \
         a magic word; all ones there mean that the device is gone.\n\n\
         A read that no register answers gives {BAD_READ:#010x} with an error response. A write is refused with an error response, and \
         changes nothing, when it has less than four bytes, is not aligned, sets a bit that no field covers, or leaves a field's range. Every \
         refused access is counted (`csr_errors`) and shown in `ERROR` of the first block.\n\n\
         RO: read only. RW: reads back what was written. WO: write only. W1C: writing a 1 clears the bit.\n\n\
         A register whose value other blocks of the hardware read is a setting: one row of the table in `hw/regs/src/map/settings.rs`, from \
         which RTL, model, this page, the C header and the driver's accessors come. The head of that file says how to add one. The [programmer's guide](programmers-guide.md) has the registers by task.\n",
        super::COMMAND,
        map::ADDRESS_BITS,
        map::VENDOR,
    )?;
    writeln!(o, "| offset | block | type | version |\n|---|---|---|---|")?;
    for b in &BLOCKS {
        writeln!(o, "| {:#08x} | {} | {:#010x} | {} |", b.base, b.name, b.kind.type_word(), b.version)?;
    }
    writeln!(o, "| {:#08x} | {} bytes for each flow | | |", window::BASE, window::STRIDE)?;
    for b in &BLOCKS {
        block(o, b)?;
    }
    writeln!(
        o,
        "\n## Flow window at {:#08x}\nFlow `f` has the {} bytes from {:#08x} + {} f. Refused while not ready, and for a flow that does not \
         exist. A doorbell waits until the one before was taken, 4096 clocks at most.\n",
        window::BASE,
        window::STRIDE,
        window::BASE,
        window::STRIDE
    )?;
    writeln!(o, "| offset | register | access | range | |\n|---|---|---|---|---|")?;
    writeln!(o, "| {} | `DOORBELL` | WO | 1 to {} | posts that many packets |", window::DOORBELL, window::MOST_PACKETS)?;
    writeln!(o, "| {} | `FIXED_RATE` | WO | | rate of a flow of law `fixed`, 2^-12 Mb/s |", window::FIXED_RATE)?;
    writeln!(o, "\n## Flow record\n{} words, staged in `STAGE` and loaded whole. Bits that no field covers are 0.\n", flow::WORDS)?;
    record(o, flow::FIELDS)?;
    writeln!(
        o,
        "\n## Profile\n{} profiles of {} words. Rates are in 2^-12 Mb/s (244 b/s: rounding is 122 ppm at most at 1 Mb/s, 0.12 at 1 Gb/s); `Q.n` has n fraction bits. Bits that no field covers are 0.\n",
        profile::PROFILES,
        profile::WORDS
    )?;
    record(o, profile::FIELDS)?;
    writeln!(o, "\n## Telemetry record\n{} words, captured whole in `ANSWER`.\n", telemetry::WORDS)?;
    record(o, telemetry::FIELDS)?;
    writeln!(
        o,
        "\n## Event record\n{} words, little-endian, one a recorded rate update. The state words are opaque: with the profile they are enough \
         for `timely_model` to compute the update again.\n",
        event::WORDS
    )?;
    record(o, event::FIELDS)?;
    writeln!(
        o,
        "\n## Histogram\n{} bins, {} an octave. Values below {m} ns have the bin of their number; bin `{m} k + i` counts the values from \
         `({m} + i) 2^(k - 1)` ns on, below 2^{} ns in all. Counts wrap.",
        histogram::BINS,
        1 << histogram::MANTISSA_BITS,
        histogram::VALUE_BITS,
        m = 1 << histogram::MANTISSA_BITS,
    )?;
    writeln!(o, "\n## Event counters\n| number | name | |\n|---|---|---|")?;
    for (i, name, meaning) in counters::TABLE {
        writeln!(o, "| {i} | `{}` | {} |", snake(name), cell(meaning.trim()))?;
    }
    writeln!(
        o,
        "\n## PCI Express: the served device\nThe emitted Verilog has no PCI Express: `tnic_standalone` ends in AXI-Lite, an AXI4 master and \
         interrupt lines, and configuration space, resets, power management and MSI-X of a card are those of its PCI Express core or shell. The \
         device that `timely-sim serve` presents around the standalone NIC has the IDs and BARs below, FLR, power management (D3hot loses the \
         state) and MSI-X; no INTx. Its vectors are signalled when their line rises, and once more when the line is still up after a write to \
         `INTERRUPT` or `INTERRUPT_MASK`; while its bus mastering is off, bursts of the NIC wait. A card with these IDs must behave the same; \
         [driver.md](driver.md#boards) says which boards have what. The IDs are for experiments; a shell whose card has others keeps \
         those.\n\n| | | |\n|---|---|---|"
    )?;
    for (name, value, meaning) in pci::TABLE {
        writeln!(o, "| `{name}` | {value:#x} | {meaning} |")?;
    }
    Ok(())
}

/// The register pages.
pub fn markdown() -> String {
    let mut o = String::new();
    write(&mut o).expect("writing to a string does not fail");
    o
}
