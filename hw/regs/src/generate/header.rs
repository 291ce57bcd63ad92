//! The C header.
use super::{WIRE, snake};
use crate::counters;
use crate::field::Field;
use crate::map::{self, BLOCKS, flow as flow_block, id, window};
use crate::{event, flow, histogram, link, pci, profile, telemetry, wire};
use std::fmt::Write;

const PREFIX: &str = "TIMELY";

fn define(o: &mut String, name: &str, value: impl std::fmt::Display, meaning: &str) {
    let line = format!("#define {PREFIX}_{} {value}", name.to_uppercase());
    let comment = if meaning.is_empty() { String::new() } else { format!(" /* {} */", meaning.replace("*/", "* /")) };
    writeln!(o, "{line}{comment}").expect("writing to a string does not fail");
}

fn hex(value: u32) -> String {
    format!("{value:#x}u")
}

/// Shift and mask of a field, and its range when it is narrower than its bits.
fn field(o: &mut String, name: &str, f: &Field) {
    define(o, &format!("{name}_SHIFT"), f.low, f.meaning);
    define(o, &format!("{name}_MASK"), hex(f.mask()), "");
    if f.least != 0 {
        define(o, &format!("{name}_LEAST"), format!("{}u", f.least), "");
    }
    if f.most != f.mask() >> f.low {
        define(o, &format!("{name}_MOST"), format!("{}u", f.most), "");
    }
}

fn record(o: &mut String, prefix: &str, fields: &[Field]) {
    for f in fields {
        define(o, &format!("{prefix}_{}_WORD", f.name), f.word, "");
        field(o, &format!("{prefix}_{}", f.name), f);
    }
}

fn section(o: &mut String, title: &str) {
    o.push_str(&format!("\n/* {title} */\n"));
}

/// The text of `timely_regs.h`.
pub fn header() -> String {
    let mut o = format!(
        "/* Registers, records and wire format of timely-nic. Generated from hw/regs by `{}`; do not edit.\n   \
         Offsets are in bytes; a field's mask is in place, its value is shifted. */\n#ifndef TIMELY_REGS_H\n#define TIMELY_REGS_H\n",
        super::COMMAND
    );
    section(&mut o, "Common");
    define(&mut o, "VENDOR", hex(map::VENDOR), "upper half of a block's type");
    define(&mut o, "MAGIC", hex(map::MAGIC), "");
    define(&mut o, "BAD_READ", hex(map::BAD_READ), "what a read gives that no register answers");
    define(&mut o, "HEADER_TYPE", map::HEADER_TYPE, "");
    define(&mut o, "HEADER_VERSION", map::HEADER_VERSION, "");
    define(&mut o, "HEADER_NEXT", map::HEADER_NEXT, "offset of the next block in the BAR, 0 at the end");
    for b in &BLOCKS {
        section(&mut o, &format!("Block {}: {}", b.name, b.meaning));
        define(&mut o, &format!("{}_TYPE", b.name), hex(b.kind.type_word()), "");
        define(&mut o, &format!("{}_VERSION", b.name), b.version, "");
        define(&mut o, &format!("{}_BASE", b.name), hex(b.base), "of this version of the map; walk the list instead");
        for r in b.registers {
            let name = format!("{}_{}", b.name, r.name);
            define(&mut o, &name, hex(r.offset), &format!("{}: {}", r.access.name(), r.meaning));
            if r.count > 1 {
                define(&mut o, &format!("{name}_COUNT"), r.count, "");
            }
            for f in r.fields.iter().filter(|f| f.bits() < 32 || f.least != 0 || f.most != u32::MAX) {
                field(&mut o, &format!("{name}_{}", f.name), f);
            }
        }
    }
    define(&mut o, "FLOW_COMMAND_LOAD", flow_block::LOAD, "");
    define(&mut o, "FLOW_COMMAND_QUERY", flow_block::QUERY, "");
    for r in [id::Refusal::NoRegister, id::Refusal::Direction, id::Refusal::Strobe, id::Refusal::Range, id::Refusal::NotNow] {
        define(&mut o, &format!("REFUSAL_{}", snake(&format!("{r:?}"))), r as u8, "");
    }
    section(&mut o, "Window of the flows");
    define(&mut o, "WINDOW_BASE", hex(window::BASE), "");
    define(&mut o, "WINDOW_STRIDE", window::STRIDE, "");
    define(&mut o, "WINDOW_DOORBELL", window::DOORBELL, "WO: packets to post");
    define(&mut o, "WINDOW_FIXED_RATE", window::FIXED_RATE, "WO: rate of a flow of law fixed, 2^-12 Mb/s");
    define(&mut o, "WINDOW_MOST_PACKETS", window::MOST_PACKETS, "");
    section(&mut o, "Flow record");
    define(&mut o, "FLOW_RECORD_WORDS", flow::WORDS, "");
    record(&mut o, "FLOW_RECORD", flow::FIELDS);
    section(&mut o, "Profile");
    define(&mut o, "PROFILE_COUNT", profile::PROFILES, "");
    define(&mut o, "PROFILE_WORDS", profile::WORDS, "");
    record(&mut o, "PROFILE", profile::FIELDS);
    section(&mut o, "Telemetry record");
    define(&mut o, "TELEMETRY_WORDS", telemetry::WORDS, "");
    record(&mut o, "TELEMETRY", telemetry::FIELDS);
    section(&mut o, "Event record");
    define(&mut o, "EVENT_RECORD_WORDS", event::WORDS, "");
    define(&mut o, "EVENT_RECORD_VERSION_VALUE", event::VERSION, "");
    record(&mut o, "EVENT_RECORD", event::FIELDS);
    section(&mut o, "Histogram: values below 2^MANTISSA_BITS have the bin of their number, others 2^MANTISSA_BITS bins an octave");
    define(&mut o, "HISTOGRAM_BINS", histogram::BINS, "");
    define(&mut o, "HISTOGRAM_MANTISSA_BITS", histogram::MANTISSA_BITS, "");
    define(&mut o, "HISTOGRAM_VALUE_BITS", histogram::VALUE_BITS, "");
    section(&mut o, "Event counters");
    for (i, name, meaning) in counters::TABLE {
        define(&mut o, &format!("COUNTER_{}", snake(name)), i, meaning.trim());
    }
    section(&mut o, "The standalone NIC on PCI Express");
    for (name, value, meaning) in pci::TABLE {
        define(&mut o, &format!("PCI_{name}"), format!("{value:#x}u"), meaning);
    }
    section(&mut o, "Our header on the wire, big-endian");
    define(&mut o, "WIRE_HEADER_BYTES", wire::HEADER_BYTES, "");
    define(&mut o, "WIRE_VERSION_VALUE", wire::VERSION, "");
    for (name, flag) in [("FIRST", wire::FIRST), ("LAST", wire::LAST), ("ACK", wire::ACK), ("READ", wire::READ)] {
        define(&mut o, &format!("WIRE_FLAG_{name}"), format!("{flag:#x}u"), "");
    }
    for (name, offset, bytes) in WIRE {
        define(&mut o, &format!("WIRE_{name}"), offset, &format!("{bytes} bytes"));
    }
    define(&mut o, "WIRE_OVERHEAD", link::WIRE_OVERHEAD, "bytes on the wire beside the frame without FCS");
    define(&mut o, "WIRE_LEAST", link::WIRE_LEAST, "wire bytes of the shortest frame");
    o.push_str("\n#endif\n");
    o
}
