//! The page that the figures are written to, beside what published designs reach.
use super::{Figure, number};

const HEAD: &str = "\
# What the design reaches

Written by `cargo xtask bench`; do not edit. Hardware figures are counted in clocks on the emitted Verilog under Verilator, at the clock of 4 ns
that 250 MHz gives; none is from a wall clock, so the same design gives the same figures on any machine. What clock a device gives is in
[synthesis.md](synthesis.md).

| figure | value | asked for | what it is |
|---|---|---|---|
";

const OTHERS: &str = "
`null` is what could not be measured yet, with the reason.

## How it is measured
- **Grants a clock**: every flow has packets waiting and the gate's output is always ready; packets of 84 bytes. 64K gaps of 440 us ask for
  0.595 grants a clock, 100 Gb/s in packets of 84 bytes; the mixes ask for more than one a clock, so that they show what the pacer can do.
- **All due in one slot**: while the time stands still, flows of rate 0 gather in one slot of the calendar; then they get their rates.
- **A flow alone**: each departure at the gate against a schedule that starts with the first one; 1 Mb/s to 100 Gb/s.
- **Excess**: the packets of backlogged flows on a link of 100 Gb/s, against the same packets on a link that serves them first in, first
  out, arriving when each flow's rate makes them eligible. Raw lateness is against those times themselves: at 95 % load even the ideal
  link is late by microseconds.

## Published designs
None of these has public RTL of a control loop by delay; the figures are those of their papers, on their devices, and not measured by us.

| design | flows | reaches | here | source |
|---|---|---|---|---|
";

/// What is published: design, flows, figure, our key, what is said of it, source.
const PUBLISHED: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "Tassel",
        "16K",
        "125 Mpps paced",
        "pacer.grants_per_clock",
        "grants a clock, x 250 M/s",
        "\"A Scalable and Accurate Traffic Pacer ... (Tassel)\", SIGCOMM 2024, abstract",
    ),
    (
        "BBQ",
        "priority queue",
        "148.8 Mpps, 100 Gb/s line rate",
        "pacer.grants_per_clock",
        "grants a clock, x 250 M/s",
        "\"BBQ: A Fast and Scalable Integer Priority Queue for Hardware Packet Scheduling\", NSDI 2024",
    ),
    (
        "PIEO",
        "30K elements",
        "an operation in 4 clocks",
        "pacer.grants_per_clock",
        "grants a clock",
        "\"Fast, Scalable, and Programmable Packet Scheduler in Hardware\", SIGCOMM 2019",
    ),
    (
        "Falcon, rate engine",
        "-",
        "66 ns an event: 15 M/s",
        "engine.updates_per_clock",
        "updates a clock, x 250 M/s",
        "\"Falcon: A Reliable, Low Latency Hardware Transport\", SIGCOMM 2025",
    ),
    (
        "Falcon, timing wheel",
        "-",
        "slots of 512 ns",
        "pacer.lone_flow_error_clocks",
        "clocks of 4 ns; slots of 8 ns, exact by tokens",
        "the same",
    ),
    ("Falcon, event to rate", "-", "234 + 66 ns", "loop.ack_to_gap_clocks", "clocks of 4 ns from the ACK's last beat", "the same"),
    (
        "Carousel",
        "20K and more, software",
        "a timing wheel on a CPU core, slots of 2 to 8 us",
        "pacer.p99_excess_ns",
        "ns",
        "\"Carousel: Scalable Traffic Shaping at End Hosts\", SIGCOMM 2017",
    ),
    (
        "Corundum",
        "8K queues",
        "round-robin and TDMA scheduling; no pacing by flow",
        "pacer.grants_per_clock",
        "grants a clock",
        "\"Corundum: An Open-Source 100-Gbps NIC\", FCCM 2020",
    ),
    (
        "TIMELY",
        "software",
        "segments of 16 to 64 KB paced on the CPU, a rate update a completion event",
        "loop.ack_to_gap_clocks",
        "clocks of 4 ns; every packet is paced",
        "\"TIMELY: RTT-based Congestion Control for the Datacenter\", SIGCOMM 2015, section 5",
    ),
];

/// The page.
pub fn page(figures: &[Figure]) -> String {
    let mut text = HEAD.to_owned();
    for f in figures {
        let value = f.value.map_or("null".into(), number);
        let bound = f.bound.map_or(String::new(), |b| format!("{b}{}", if f.is_missed() { " (**missed**)" } else { "" }));
        text += &format!("| `{}` | {value} | {bound} | {} |\n", f.key, f.note);
    }
    text += OTHERS;
    for (design, flows, reaches, key, unit, source) in PUBLISHED {
        let here = figures.iter().find(|f| f.key == *key).and_then(|f| f.value).map_or("null".into(), number);
        text += &format!("| {design} | {flows} | {reaches} | {here} {unit} (`{key}`) | {source} |\n");
    }
    text
}
