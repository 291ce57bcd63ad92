//! `docs/mutation.md`: the record as tables.
use super::record::Record;
use super::table::{ROWS, Row};
use std::fmt::Write;

const HEAD: &str = "\
# Faults that the lockstep tests notice

Written by `cargo xtask mutate` from [tests/mutation.toml](../tests/mutation.toml); do not edit. Each block's Verilog gets faults, one at a
time, and its lockstep test, which compares every output with the model at every clock, must fail.

- **A fault** is at one bit of one port of one cell of the netlist that yosys makes of the emitted text (`proc; flatten; opt; wreduce; opt`): the
  bit is inverted, stuck at 0 or 1, or inverted where another bit of the port is 0 or 1 (`cnot0`, `cnot1`). Yosys' `mutate` spreads them over
  cells, wires and lines of the text, one to 60 cells (of `nic` to 4) and at least 110 (of `nic` 35) a block, from seed 1.
- Left out, since nothing is changed: `const0` where a 0 is wired and the like, and bits that no cell reads. Left out beside these: clocks, the
  contents of ROMs, and the outputs of registers (yosys would lose their initial value), for which stand the faults of their inputs and readers.
- All faults of a text are compiled at once; the input `mutsel` selects one. With none, the test must pass, else nothing is reported.
- **Killed**: the block's lockstep tests (of `nic`: four tests of the whole beside its model), as every `cargo xtask test` runs them (two seeds of
  200,000 clocks, the engine's of twice that), fail. Formal proofs do not count, nor do tests of other blocks. A test that has not ended after
  ten times the time that it takes without a fault, and 20 s, is hung.
- {PARTS} get theirs in their own modules alone, so in how their parts are joined: the parts have rows of their own.
- Nothing is put yet into what joins the blocks of an in-line core and of each shell, nor into the queue of `entry`, digests and matrix of `exit`,
  and the time of `scheduler`.
- **Equal**: no test notices the fault, and it is proven to change no output that counts, whatever the inputs: the same registers of the block
  with it and without it are equal from the start on, all or where another register says so, and so is what the outputs are made of (abc decides
  single differences, and by `scorr; dprove` what is left). Such a one is no fault, and is counted apart. The outputs of a stream count where its
  `valid` is set or the block is swept yet, a byte of `tdata` where its `tkeep` is; what goes to a memory counts as an output, what is read from it is any.
- The proof takes for granted that nothing comes to these queues while they are full, for their users keep a bound: {QUEUES}.
  The tests watch it: with no fault selected the simulation stops where something does.
- Every other survivor counts as one, and has its reason below.
- Counters of `telemetry` and `histograms` count in steps of 2,654,435,769 in the texts that get faults, for in a run's events no counter would
  reach its upper half.

`cargo xtask mutate fifo` repeats the blocks whose names begin so, and goes on where it was cut. One fault again, by its number below:
`TIMELY_MUTANTS=$PWD/target/mutate/fifo/mutated TIMELY_MUTANT=3 cargo test -p timely-tests --test lockstep_fifo rtl_equals_model`.
";

/// The page.
pub fn page(record: &Record) -> String {
    let of_row = |r: &Row| {
        let all: Vec<String> = r.never_full.iter().map(|q| format!("`{q}`")).collect();
        format!("of `{}` {}", r.block, all.join(" and "))
    };
    let queues = ROWS.iter().filter(|r| !r.never_full.is_empty()).map(of_row).collect::<Vec<_>>().join(", ");
    let of_parts: Vec<String> = ROWS.iter().filter(|r| !r.modules.is_empty()).map(|r| format!("`{}`", r.block)).collect();
    let head = HEAD.replace("{QUEUES}", &queues).replace("{PARTS}", &of_parts.join(", "));
    let mut page = format!("{head}\n{}", record.table());
    let less: Vec<String> = record.below().map(|(name, b)| format!("`{name}` ({} of {})", b.killed, b.mutants)).collect();
    if !less.is_empty() {
        writeln!(page, "\nBelow .95: {}.", less.join(", ")).ok();
    }
    if record.survivor.is_empty() {
        page.push_str("\nNo fault survived.\n");
    } else {
        page.push_str("\n## What survived\n\n| block | number | fault | where | why nothing notices it |\n|---|---|---|---|---|\n");
    }
    let cell = |text: &str| text.replace('|', "\\|");
    for s in &record.survivor {
        writeln!(page, "| {} | {} | `{}` | `{}` | {} |", s.block, s.number, cell(&s.fault), cell(&s.at), cell(&s.reason)).ok();
    }
    let m = &record.mutate;
    writeln!(page, "\nYosys {}, seed {}.", m.yosys, m.seed).ok();
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_tools::process::root;

    #[test]
    fn the_page_shows_the_record() {
        let record = Record::load(&root()).expect("a record");
        let committed = std::fs::read_to_string(root().join("docs/mutation.md")).unwrap_or_default();
        assert!(committed == page(&record), "docs/mutation.md is not what tests/mutation.toml gives; run: cargo xtask mutate --page");
    }
}
