//! One question to the tools: yosys makes the problem, smtbmc with z3 answers it.
use crate::table::Proof;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A block with its properties, in a folder of its own.
pub struct Problem<'a> {
    proof: &'a Proof,
    folder: PathBuf,
}

/// A solver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No counterexample, in so many clocks or by induction over so many.
    Holds,
    /// A counterexample that ends at this clock; its trace.
    Fails(u32, PathBuf),
    /// No answer in time.
    TimedOut,
}

/// An answer, and the seconds it took.
pub type Timed = (Answer, f64);

// Runs a program to its end or for `seconds`, in a folder, with its output in `name`.log there;
// gives exit code and output.
fn run(folder: &Path, name: &str, seconds: u64, program: &str, arguments: &[&str]) -> Result<(i32, String), String> {
    // `timeout` ends the whole group: smtbmc starts the solver.
    let out = Command::new("timeout")
        .args(["-k", "5", &seconds.to_string(), program])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("timeout (coreutils) did not start: {e}"))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let log = folder.join(format!("{name}.log"));
    std::fs::write(&log, &text).map_err(|e| format!("{}: {e}", log.display()))?;
    match out.status.code() {
        Some(125..=127) => Err(format!("{program} did not start; Debian's packages yosys and z3 have it (`cargo xtask setup`)\n{text}")),
        code => Ok((code.unwrap_or(137), text)),
    }
}

const TIMED_OUT: [i32; 2] = [124, 137];

fn tool(variable: &str, name: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| name.into())
}

// Registers start as anything, not as the `initial` of the emission says: only a reset makes a
// state. Inputs that the properties do not connect may do anything; without that, `opt -full` would
// take them for constants of its choice.
fn script(proof: &Proof) -> String {
    let free: String = proof.free.iter().map(|m| format!("select -assert-any {m}\ncutpoint {m}\n")).collect();
    let define: String = proof.define.iter().map(|d| format!(" -D{d}")).collect();
    format!(
        "read_verilog block.v\nproc\nsetattr -unset init */w:*\n{free}read_verilog -sv -formal{define} properties.sv\n\
         prep -flatten -top top -nordff\nsetundef -undriven -anyseq\nmemory_map\nasync2sync\nopt -full\n\
         dffunmap\nopt_clean\nwrite_smt2 -wires problem.smt2\n"
    )
}

impl<'a> Problem<'a> {
    /// Writes and prepares it.
    ///
    /// # Errors
    /// Yosys finds an error, or a file cannot be written.
    pub fn new(proof: &'a Proof, folder: PathBuf, verilog: &str, properties: &str) -> Result<Self, String> {
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for (name, text) in [("block.v", verilog), ("properties.sv", properties), ("problem.ys", &script(proof))] {
            std::fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.join(name).display()))?;
        }
        let (code, text) = run(&folder, "yosys", proof.timeout, &tool("YOSYS", "yosys"), &["-q", "-s", "problem.ys"])?;
        if code != 0 {
            return Err(format!("yosys failed ({code}) in {}\n{text}", folder.display()));
        }
        Ok(Problem { proof, folder })
    }

    fn smtbmc(&self, name: &str, arguments: &[&str]) -> Result<Timed, String> {
        let started = Instant::now();
        let trace = format!("{name}.vcd");
        std::fs::remove_file(self.folder.join(&trace)).ok();
        // Without `--unroll`, z3 meets functions over an abstract state in place of bit vectors,
        // and gives no answer in minutes.
        let all = [&["-s", "z3", "--unroll", "--noprogress", "--dump-vcd", &trace], arguments, &["problem.smt2"]].concat();
        let (code, text) = run(&self.folder, name, self.proof.timeout, &tool("YOSYS_SMTBMC", "yosys-smtbmc"), &all)?;
        let seconds = started.elapsed().as_secs_f64();
        let answer = match code {
            0 if text.contains("Status: PASSED") || text.contains("Status: passed") => Answer::Holds,
            1 if text.contains("failed!") || text.contains("Status: FAILED") || text.contains("Status: failed") => {
                Answer::Fails(last_step(&text), self.folder.join(trace))
            }
            code if TIMED_OUT.contains(&code) => Answer::TimedOut,
            code => return Err(format!("yosys-smtbmc ended with {code} in {}\n{text}", self.folder.display())),
        };
        Ok((answer, seconds))
    }

    /// The properties in the first clocks, from a reset on.
    ///
    /// # Errors
    /// The tools end without an answer; the text has their output.
    pub fn base(&self, clocks: u32) -> Result<Timed, String> {
        self.smtbmc("base", &["-t", &clocks.to_string()])
    }

    /// The properties after any so many clocks in which they held.
    ///
    /// # Errors
    /// The tools end without an answer; the text has their output.
    pub fn induction(&self, clocks: u32) -> Result<Timed, String> {
        self.smtbmc("induction", &["-i", "-t", &clocks.to_string()])
    }
}

fn number(text: &str) -> u32 {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The step of the last `Checking assertions in step 7..` or `Trying induction in step 7..`; 0
/// where there is none.
pub fn last_step(text: &str) -> u32 {
    text.rsplit_once("in step ").map_or(0, |(_, rest)| number(rest))
}
