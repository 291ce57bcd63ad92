//! The page that the figures are written to, beside what published designs reach.
use super::figure::{Figure, number};

const HEAD: &str = "\
# What the design reaches

Written by `cargo xtask bench`; do not edit. Hardware figures are counted in clocks on the emitted Verilog under Verilator, at a clock of 4 ns,
those of networks on the model, which equals it; none is from a wall clock, so the same design gives the same figures on any machine. The 250 MHz of
that clock are assumed: no device was placed at it. What clock a device gives is in [synthesis.md](synthesis.md).

| figure | value | asked for | what it is |
|---|---|---|---|
";

const OTHERS: &str = "
`null` is what nobody has measured yet: the last column says with what command.

## How it is measured
- **Grants a clock**: every flow has packets waiting and the gate's output is always ready; packets of 84 bytes. 64K gaps of 440 us ask for
  0.595 grants a clock, 100 Gb/s in packets of 84 bytes; the mixes ask for more than one a clock, so that they show what the pacer can do.
- **All due in one slot**: while the time stands still, flows of rate 0 gather in one slot of the calendar; then they get their rates.
- **A flow alone**: each departure at the gate against a schedule that starts with the first one; 1 Mb/s to 100 Gb/s. A flow's record has room
  for our headers, so until the first packet of 84 bytes is charged the pacer takes it for a longer one; the schedule starts behind that.
- **Excess**: the packets of backlogged flows on a link of 100 Gb/s, against the same packets on a link that serves them first in, first
  out, arriving when each flow's rate makes them eligible. Raw lateness is against those times themselves: at 95 % load even the ideal
  link is late by microseconds.

## Published designs
The figures are those of the named abstracts, on their devices, and not measured by us. None of these designs has public RTL of a control loop by
delay. Falcon (SIGCOMM 2025) has such a loop on a chip; the figures of its hardware are the defaults of its published
simulator. Ours beside them are in clocks, whose 4 ns (250 M/s) are assumed.

| design | flows | reaches | here | source |
|---|---|---|---|---|
";

/// Google's simulator of Falcon.
const ISEKAI: &str = "github.com/falcon-transport/isekai at ab3a0282, `isekai/common/default_config_generator.cc`";

/// Published figures: design, flows, figure, our key, comment, source.
const PUBLISHED: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "Tassel",
        "16K",
        "125 Mpps, rates from 100 kb/s to 100 Gb/s",
        "pacer.grants_per_clock",
        "grants a clock, x an assumed 250 M/s, of 64K flows",
        "\"Fast, Scalable, and Accurate Rate Limiter for RDMA NICs\", SIGCOMM 2024, abstract",
    ),
    (
        "SENIC and PIEO, by Tassel's authors",
        "16K",
        "125 / 3.6 = 35 Mpps",
        "pacer.grants_per_clock",
        "grants a clock, x an assumed 250 M/s",
        "the same",
    ),
    (
        "BBQ",
        "over 100K, a priority queue without a pacer",
        "148.8 Mpps, FPGA at 300 MHz",
        "pacer.grants_per_clock",
        "grants a clock, x an assumed 250 M/s",
        "\"BBQ: A Fast and Scalable Integer Priority Queue for Hardware Packet Scheduling\", NSDI 2024, abstract",
    ),
    (
        "Falcon",
        "-",
        "an event each 66 ns (15.15 M/s) through the rate update engine",
        "engine.updates_per_clock",
        "updates a clock, x an assumed 250 M/s",
        ISEKAI,
    ),
    (
        "Falcon",
        "-",
        "234 ns to make an event and read the response",
        "loop.ack_to_gap_clocks",
        "clocks of 4 ns from an ACK to its rate in force",
        ISEKAI,
    ),
    (
        "Falcon",
        "-",
        "times in units of 131.072 ns, gaps in units of 512 ns of the timing wheel",
        "pacer.lone_flow_error_clocks",
        "clocks of 4 ns, a flow alone; RTTs in ns",
        ISEKAI,
    ),
    (
        "UIFO",
        "-",
        "100 Gb/s with an order of classes that changes, on an FPGA",
        "pacer.grants_per_clock",
        "grants a clock of 84 bytes; 0.595 are 100 Gb/s",
        "\"Programmable Packet Scheduling with Dynamic Reordering at Line Rate\", arXiv 2604.11453, abstract",
    ),
    (
        "Corundum",
        "over 10,000 queues",
        "a TDMA schedule of microsecond precision at 100 Gb/s",
        "pacer.lone_flow_error_clocks",
        "clocks of 4 ns, a flow alone",
        "\"Corundum: An Open-Source 100-Gbps NIC\", FCCM 2020, abstract",
    ),
    (
        "TIMELY",
        "-",
        "in host software over NICs with OS bypass",
        "loop.ack_to_gap_clocks",
        "clocks of 4 ns from an ACK to its rate in force",
        "\"TIMELY: RTT-based Congestion Control for the Datacenter\", SIGCOMM 2015, abstract",
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
