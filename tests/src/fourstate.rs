//! A run of a Verilated module once more in Icarus Verilog, which knows four states: what a
//! simulator of two takes for 0 may be unknown there.
use crate::{quick, thorough};
use std::fmt::Write as _;
use std::fs;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::process::Command;
use timely_regs::corundum::{DOWN, Part, UP};
use timely_verilate::{Direction, Dut, Port, mutant};

/// Outputs that are told at most.
const TOLD: usize = 20;

/// Values of inputs beside a `valid` or an enable that is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beside {
    /// Unknown, as in a design whose queues hold nothing.
    Unknown,
    /// The input's last valid value; before the first, that one. A register with an initial value
    /// behaves so: no event reaches a block that waits for a change.
    Held,
}

/// Whether such runs are left out, and said to be: in a quick run, where there is no Icarus
/// Verilog, and of texts with faults in them, whose select input no trace has.
pub fn left_out(test: &str) -> bool {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    let why = match (quick(), Command::new(&program).arg("-V").output().is_err()) {
        _ if mutant::asked() => "the texts may have faults in them",
        (true, _) => "there is no time for it in a quick run",
        (_, true) => "there is no Icarus Verilog here (Debian: apt-get install iverilog)",
        _ => return false,
    };
    // Past the test's capture, for `cargo xtask test` to tell.
    writeln!(stdout(), "left out: {test}: {why}").expect("stdout");
    true
}

/// Runs the clocks of which `dut` kept a trace once more in Icarus, some 100 a second of a whole
/// block, with [`Beside::Held`], and under `cargo xtask soak` with [`Beside::Unknown`] too. From
/// clock `from` on, by which a reset has ended, each output must be what it was, every bit.
///
/// # Panics
/// With what differs, `x` where it is unknown; or with what kept Icarus from running.
pub fn same(name: &str, dut: &Dut, from: usize) {
    let (file, _) = dut.library().verilog();
    let folder = file.with_file_name(format!("four-states-{}", std::process::id()));
    for beside in [Beside::Held, Beside::Unknown].into_iter().take(if thorough() { 2 } else { 1 }) {
        replay(dut, from, beside, &folder).unwrap_or_else(|e| panic!("{name}, beside a valid of 0 {beside:?}: {e}"));
    }
    println!("{name}: {} clocks in four states", dut.trace().inputs.len());
}

// One run in Icarus, with its files in `folder`; the error lists outputs that differ.
fn replay(dut: &Dut, from: usize, beside: Beside, folder: &Path) -> Result<(), String> {
    let (library, trace) = (dut.library(), dut.trace());
    let (file, top) = library.verilog();
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(failed);
    let held = (beside == Beside::Held).then(|| held(library.ports(), &trace.inputs));
    let inputs = held.as_ref().unwrap_or(&trace.inputs);
    write("bench.v", &bench(top, library.ports(), inputs, from, beside))?;
    write("in.hex", &words(inputs))?;
    write("out.hex", &words(&trace.outputs))?;
    let tool = |variable: &str, name: &str| Command::new(std::env::var(variable).unwrap_or_else(|_| name.into()));
    let mut compile = tool("IVERILOG", "iverilog");
    // By SystemVerilog's rules a register has its first value before any block waits, and
    // Corundum's testbench asks for these.
    compile.args(["-g2012", "-o", "bench.vvp", "-s", "fourstate", "bench.v"]).arg(file).current_dir(folder);
    said(&mut compile)?;
    let vvp = std::env::var("VVP").unwrap_or_else(|_| "vvp".into());
    let seconds = SECONDS + inputs.len() as u64 / CLOCKS_A_SECOND;
    let text = said(limited(seconds, &vvp).args(["-n", "bench.vvp"]).current_dir(folder))
        .map_err(|e| format!("{e}\nBlocks that start each other for ever at one time take more than {seconds} s of a processor, too"))?;
    if text.lines().any(|l| l == "ended") {
        let differs: Vec<&str> = text.lines().filter(|l| l.starts_with("clock ")).take(TOLD).collect();
        fs::remove_dir_all(folder).map_err(failed)?;
        return if differs.is_empty() { Ok(()) } else { Err(differs.join("\n")) };
    }
    Err(format!("it did not end:\n{text}"))
}

// Seconds of a processor that a run may take, and clocks a second beside them, a fifth of what
// is usual: a loop at one simulated time would never end.
const SECONDS: u64 = 30;
const CLOCKS_A_SECOND: u64 = 10;

// A program that is ended when it has had so many seconds of a processor.
fn limited(seconds: u64, program: &str) -> Command {
    let mut c = Command::new("sh");
    c.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", &seconds.to_string(), program]);
    c
}

fn said(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    if out.status.success() { Ok(text) } else { Err(format!("{command:?}: {}\n{text}", out.status)) }
}

// A line a clock, the highest word first.
fn words(clocks: &[Vec<u32>]) -> String {
    let mut text = String::new();
    for clock in clocks {
        clock.iter().rev().for_each(|w| write!(text, "{w:08x}").expect("a string"));
        text.push('\n');
    }
    text
}

/// Bits of inputs, from the lowest of all words on, that count while a bit is 1.
struct Group {
    valid: usize,
    low: usize,
    bits: usize,
}

fn groups(ports: &[Port]) -> Vec<Group> {
    let mut groups = Vec::new();
    for valid in ports.iter().filter(|p| p.direction == Direction::In) {
        let Some(stem) = valid.name.strip_suffix("valid").or_else(|| valid.name.strip_suffix("_en")) else { continue };
        let theirs =
            |p: &&Port| p.direction == Direction::In && p.name.starts_with(stem) && p.name != valid.name && !p.name.ends_with("ready");
        for p in ports.iter().filter(theirs) {
            // Several streams side by side have each their own share of a port.
            let bits = p.width / valid.width;
            let shares = (0..valid.width).filter(|_| bits * valid.width == p.width);
            groups.extend(shares.map(|k| Group { valid: 32 * valid.offset + k, low: 32 * p.offset + k * bits, bits }));
        }
    }
    groups
}

// Inputs hold their last valid values, and the first ones before those.
fn held(ports: &[Port], clocks: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut held = clocks.to_vec();
    let bit = |words: &[u32], at: usize| words[at / 32] >> (at % 32) & 1;
    for Group { valid, low, bits } in groups(ports) {
        let mut last = clocks.iter().find(|words| bit(words, valid) == 1).unwrap_or(&clocks[0]);
        for (words, now) in held.iter_mut().zip(clocks) {
            if bit(now, valid) == 1 {
                last = now;
            }
            for at in low..low + bits {
                words[at / 32] = words[at / 32] & !(1 << (at % 32)) | bit(last, at) << (at % 32);
            }
        }
    }
    held
}

/// Slice of an output, compared while `valid`, an expression, is not 0: beside a `valid` of 0 there
/// may be anything.
struct Compared {
    name: String,
    low: usize,
    bits: usize,
    valid: String,
}

fn parts(ports: &[Port], p: &Port) -> Vec<Compared> {
    let is_beside = |name: &str, valid: &str| {
        valid.strip_suffix("valid").is_some_and(|stem| name != valid && (name.starts_with(stem) || stem.strip_suffix('_') == Some(name)))
    };
    let bus: &[Part] = match p.name.as_str() {
        "timely_down" => DOWN,
        "timely_up" => UP,
        _ => {
            let valid = ports.iter().find(|v| v.direction == Direction::Out && is_beside(&p.name, &v.name));
            // Several streams side by side have each their own share of a port.
            let shares = valid.map_or(1, |v| v.width).max(1);
            let shares = if p.width.is_multiple_of(shares) { shares } else { 1 };
            let bits = p.width / shares;
            return (0..shares)
                .map(|k| {
                    let valid = valid.map_or("1".into(), |v| match shares {
                        1 => format!("|{}_o", v.name),
                        _ => format!("{}_o[{k}]", v.name),
                    });
                    let name = if shares == 1 { p.name.clone() } else { format!("{} of stream {k}", p.name) };
                    Compared { name, low: k * bits, bits, valid }
                })
                .collect();
        }
    };
    bus.iter()
        .map(|&(name, low, bits)| {
            let valid = bus.iter().find(|v| is_beside(name, v.0)).map_or("1".into(), |v| format!("{}_o[{}]", p.name, v.1));
            Compared { name: format!("{} of {}", name, p.name), low, bits, valid }
        })
        .collect()
}

// The module among a clock, its inputs, and what its outputs have to be.
fn bench(top: &str, ports: &[Port], inputs: &[Vec<u32>], from: usize, beside: Beside) -> String {
    let clocks = inputs.len();
    let bits = |d| 32 * ports.iter().filter(|p| p.direction == d).map(|p| p.offset + p.words()).max().unwrap_or(1);
    let (ins, outs) = (bits(Direction::In), bits(Direction::Out));
    let mut text = format!(
        "`timescale 1ns/1ps\nmodule fourstate;\nreg clk = 0;\nreg [{}:0] i{first};\nreg [{0}:0] in[0:{last}];\nreg [{}:0] o, out[0:{last}];\nreg [31:0] told[0:{}];\ninteger n, k;\n",
        ins - 1,
        outs - 1,
        ports.len(),
        first = if beside == Beside::Held { format!(" = {ins}'h{}", words(&inputs[..1]).trim_end()) } else { String::new() },
        last = clocks - 1,
    );
    let mut pins = String::new();
    let mut unknown = String::new();
    for Group { valid, low, bits } in groups(ports).iter().filter(|_| beside == Beside::Unknown) {
        writeln!(unknown, "    if (!in[n][{valid}]) i[{}:{low}] = {bits}'bx;", low + bits - 1).expect("a string");
    }
    let mut checks = String::new();
    for (place, p) in ports.iter().enumerate() {
        let slice = format!("[{}:{}]", 32 * p.offset + p.width - 1, 32 * p.offset);
        match p.direction {
            Direction::In => write!(pins, ", .{}(i{slice})", p.name),
            Direction::Out => {
                writeln!(text, "wire [{}:0] {}_o;", p.width - 1, p.name).expect("a string");
                for (k, part) in parts(ports, p).iter().enumerate() {
                    let (high, low) = (part.low + part.bits - 1, part.low);
                    writeln!(
                        checks,
                        "    if (n >= {from} && {name}_o[{high}:{low}] !== o[{}:{}] && told[{place}][{k}] == 0 && ({}) !== 0) begin \
                         told[{place}][{k}] = 1; $display(\"clock %0d: {} is %h, was %h\", n, {name}_o[{high}:{low}], o[{0}:{1}]); end",
                        32 * p.offset + high,
                        32 * p.offset + low,
                        part.valid,
                        part.name,
                        name = p.name
                    )
                    .expect("a string");
                }
                write!(pins, ", .{}({}_o)", p.name, p.name)
            }
        }
        .expect("a string");
    }
    write!(
        text,
        "{top} dut(.clk(clk){pins});\ninitial begin\n  $readmemh(\"in.hex\", in);\n  $readmemh(\"out.hex\", out);\n  \
         for (k = 0; k <= {}; k = k + 1) told[k] = 0;\n  for (n = 0; n < {clocks}; n = n + 1) begin\n    i = in[n]; o = out[n];\n{unknown}    \
         #1 clk = 1;\n    #1 clk = 0;\n    #1 ;\n{checks}  end\n  $display(\"ended\");\n  $finish;\nend\nendmodule\n",
        ports.len(),
    )
    .expect("a string");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_at_one_time_ends() {
        let told = said(limited(1, "sh").args(["-c", "while :; do :; done"])).expect_err("it has no end");
        assert!(told.contains("signal"), "{told}");
        assert_eq!(said(limited(1, "echo").arg("ended")).as_deref(), Ok("ended\n"));
    }
}
