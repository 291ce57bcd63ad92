//! Whether a fault changes anything. A block with it and one without it get the same inputs, and
//! are told apart by no output that counts: the same registers of both are taken to be equal, all
//! but those whose next values then differ, until no more are left out; what the outputs are made
//! of must be equal then. True at the start, it stays so. A register that is left out may be equal
//! where another, such as its `valid`, is 1 (or 0). That certain queues never overflow is taken
//! for granted.
use super::aig::{Graph, Literal, Netlist};
use super::bench::SELECT;
use super::cut::{self, Memory};
use super::flow::{self, get};
use super::netlist::Port;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use timely_tools::process::{put, quiet};

/// The text of this and what it proves by: verdicts of another one do not count.
pub const SOURCES: &str = concat!(include_str!("equal.rs"), include_str!("cut.rs"), include_str!("aig.rs"));

/// Begin of the names of the outputs that show whether a queue overflows.
const OVERFLOW: &str = "overflow";
/// Seconds that abc gets for a question.
const SECONDS: &str = "10";
/// Differences that abc is asked about in a turn; more are left open.
const MOST: usize = 100;
/// Random values of each variable that are tried first, in words of 64.
const WORDS: usize = 16;
/// Others for which a register is held equal, the most frequent ones.
const GUARDS: usize = 6;

/// When a register has the same value in both blocks.
#[derive(Clone, Debug, PartialEq)]
enum Equal {
    Always,
    /// Where one of these literals, of registers of the block without the fault, is 1.
    Where(Vec<Literal>),
}

/// Proves faults of one text.
pub struct Prover {
    abc: PathBuf,
    folder: PathBuf,
    netlist: Netlist,
    ports: BTreeMap<String, Port>,
    memories: Vec<Memory>,
    /// Queues to which nothing comes while they are full.
    queues: usize,
}

/// Abc: the one that comes with yosys, or the machine's.
///
/// # Errors
/// No abc starts here.
pub fn abc(yosys: &Path) -> Result<PathBuf, String> {
    let names = [yosys.with_file_name("yosys-abc"), "yosys-abc".into(), "berkeley-abc".into()];
    let starts = |p: &PathBuf| Command::new(p).args(["-c", "quit"]).stdin(Stdio::null()).output().is_ok();
    names.into_iter().find(starts).ok_or_else(|| "neither yosys-abc nor berkeley-abc starts; install yosys or berkeley-abc".into())
}

// The outputs that show whether a queue overflows.
fn names(queue: usize) -> [String; 2] {
    ["offered", "full"].map(|what| format!("{OVERFLOW}{queue}_{what}"))
}

fn yosys(yosys: &Path, folder: &Path, name: &str, script: &str) -> Result<String, String> {
    put(&folder.join(name), script)?;
    let mut c = Command::new("nice");
    c.args(["-n", "10"]).arg(yosys).args(["-q", "-s", name]).current_dir(folder);
    quiet(c)
}

/// The `valid` that says whether an output counts: of the same stream, so of the same name but for
/// the last word, which must be none of the handshake's.
fn valid(ports: &BTreeMap<String, Port>, name: &str) -> Option<String> {
    let (stream, word) = name.rsplit_once('_')?;
    let valid = match word {
        "valid" | "ready" | "tvalid" | "tready" | "start" => return None,
        "tdata" | "tkeep" | "tlast" | "tuser" => format!("{stream}_tvalid"),
        _ => format!("{stream}_valid"),
    };
    ports.get(&valid).is_some_and(|p| p.is_output && p.width == 1).then_some(valid)
}

impl Prover {
    /// Makes a graph of the mutated text `verilog`, whose top module has these ports, and those of
    /// the queues `never_full` that are in it.
    ///
    /// # Errors
    /// Yosys failed, or no abc is here.
    pub fn new(
        program: &Path,
        top: &str,
        ports: &BTreeMap<String, Port>,
        verilog: &str,
        never_full: &[&str],
        folder: PathBuf,
    ) -> Result<Self, String> {
        put(&folder.join("mutated.v"), verilog)?;
        let queues = flow::of_text(verilog, never_full);
        let nets = queues.iter().enumerate().flat_map(|(i, queue)| names(i).into_iter().zip(flow::overflow(queue)));
        let shown: String = nets.map(|(name, net)| format!("add -output {name} 1\nconnect -set {name} {net}\n")).collect();
        let script = format!(
            "read_verilog -sv mutated.v\nhierarchy -top {top}\nproc\nflatten\ncd {top}\n{shown}cd\nopt_clean\nmemory -nordff -nomap\nopt -fast\nwrite_rtlil memories.il\n"
        );
        yosys(program, &folder, "memories.ys", &script)?;
        let (text, memories) = cut::cut(&get(&folder.join("memories.il"))?)?;
        put(&folder.join("flat.il"), &text)?;
        // A register without an initial value begins with 0, as in the tests.
        let script = "read_rtlil flat.il\nopt -fast\nsetundef -zero\nsetundef -zero -undriven -init\nasync2sync\ntechmap\ndfflegalize -cell $_DFF_P_ 0\n\
                      opt_expr\nopt_merge\nopt_clean\naigmap\nwrite_aiger -zinit -symbols block.aig\n";
        yosys(program, &folder, "graph.ys", script)?;
        let file = folder.join("block.aig");
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let netlist = Netlist::read(&bytes).ok_or_else(|| format!("{} is not AIGER as yosys writes it", file.display()))?;
        if !netlist.inputs.contains_key(SELECT) {
            return Err(format!("{}: no input {SELECT}", file.display()));
        }
        Ok(Prover { abc: abc(program)?, folder, netlist, ports: ports.clone(), memories, queues: queues.len() })
    }

    // Whether abc proves that an output is always 0.
    fn is_zero(&self, aiger: Vec<u8>, commands: &str) -> Result<bool, String> {
        let name = format!("asked-{}.aig", std::process::id());
        let file = self.folder.join(&name);
        fs::write(&file, aiger).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut c = Command::new("nice");
        let commands = format!("read_aiger {name}; {commands}");
        c.args(["-n", "10", "timeout", SECONDS]).arg(&self.abc).args(["-c", &commands]).current_dir(&self.folder);
        let out = c.stdin(Stdio::null()).output().map_err(|e| format!("nice or timeout (coreutils) did not start: {e}"))?;
        if matches!(out.status.code(), Some(125..=127)) {
            return Err(format!("{} did not start", self.abc.display()));
        }
        let said = String::from_utf8_lossy(&out.stdout);
        Ok(out.status.success() && (said.contains("UNSATISFIABLE") || said.contains("Networks are equivalent")))
    }

    // Which of these literals are 0 whatever their variables are: as far as `values` show, or, if
    // they show all of them so, as abc says; of too many none.
    fn zeros(&self, graph: &Graph, values: &[Vec<u64>], literals: &[Literal]) -> Result<Vec<bool>, String> {
        let mut zeros: Vec<bool> = literals.iter().map(|l| values.iter().all(|v| at(v, *l) == 0)).collect();
        if zeros.iter().all(|zero| *zero) && literals.iter().filter(|l| **l != 0).count() <= MOST {
            for (zero, l) in zeros.iter_mut().zip(literals).filter(|(_, l)| **l != 0) {
                *zero = self.is_zero(graph.aiger(&[], *l), "iprove")?;
            }
        } else if zeros.iter().all(|zero| *zero) {
            zeros.fill(false);
        }
        Ok(zeros)
    }

    // Literals that are 1 where an output of the two copies differs and counts: that of a stream
    // where its `valid` is set or the block is still swept, a byte of `tdata` where its `tkeep` is,
    // what goes to a memory where it is written.
    fn differences(&self, graph: &mut Graph, without: &[Literal], with: &[Literal]) -> Vec<Literal> {
        let outputs = &self.netlist.outputs;
        let bit = |name: &str, bit: usize| outputs.get(name).and_then(|bits| without.get(*bits.get(bit)?)).copied();
        let shown: Vec<String> = (0..self.queues).flat_map(names).collect();
        let mut all = Vec::new();
        for (name, bits) in outputs.iter().filter(|(name, _)| !shown.contains(name)) {
            for (i, &at) in bits.iter().enumerate() {
                // (What is not valid until then may be what a neighbour clears its memory with.)
                let sweeps = bit("swept", 0).map_or(0, |swept| swept ^ 1);
                let valid = valid(&self.ports, name).and_then(|v| bit(&v, 0)).unwrap_or(1);
                let mut counts = graph.or(valid, sweeps);
                if let Some(keep) = name.strip_suffix("tdata").map(|s| format!("{s}tkeep")).filter(|k| outputs.contains_key(k)) {
                    let lane = i * outputs[&keep].len() / bits.len();
                    counts = graph.and(counts, bit(&keep, lane).unwrap_or(1));
                }
                if let Some((m, enables)) = self.memories.iter().find_map(|m| Some((m, m.enables(name, i)?))) {
                    counts = enables.map(|e| bit(&m.enable(), e).unwrap_or(1)).fold(0, |any, e| graph.or(any, e));
                }
                let differ = graph.differ(without[at], with[at]);
                all.push(graph.and(counts, differ));
            }
        }
        all
    }

    /// Whether fault `number` is proven to change no output that counts.
    ///
    /// # Errors
    /// Abc did not start.
    pub fn changes_nothing(&self, number: usize) -> Result<bool, String> {
        Ok(self.corresponds(number)? || self.is_never_told_apart(number)?)
    }

    // 1 where no queue overflows that never does.
    fn holds(&self, graph: &mut Graph, outputs: &[Literal]) -> Literal {
        (0..self.queues).fold(1, |all, queue| {
            let [offered, full] = names(queue).map(|name| outputs[self.netlist.outputs[&name][0]]);
            let overflows = graph.and(offered, full);
            graph.and(all, overflows ^ 1)
        })
    }

    // Abc's own search for registers that are equal or constant, which knows what follows a reset.
    fn is_never_told_apart(&self, number: usize) -> Result<bool, String> {
        let netlist = &self.netlist;
        let mut graph = Graph::new();
        let mut inputs: Vec<Literal> = (0..netlist.input_count()).map(|_| graph.variable()).collect();
        let mut latches = Vec::new();
        let mut driven = Vec::new();
        for value in [0, number] {
            let own: Vec<Literal> = netlist.next.iter().map(|_| graph.variable()).collect();
            self.select(&mut inputs, value);
            let [next, outputs] = graph.copy(netlist, &inputs, &own);
            latches.extend(own.into_iter().zip(next));
            driven.push(outputs);
        }
        let differ = self.differences(&mut graph, &driven[0], &driven[1]);
        let any = differ.into_iter().fold(0, |any, l| graph.or(any, l));
        self.is_zero(graph.aiger(&latches, any), "scorr; dprove")
    }

    fn select(&self, inputs: &mut [Literal], value: usize) {
        self.netlist.inputs[SELECT].iter().enumerate().for_each(|(bit, at)| inputs[*at] = (value >> bit & 1) as Literal);
    }

    fn corresponds(&self, number: usize) -> Result<bool, String> {
        let netlist = &self.netlist;
        let mut base = Graph::new();
        let mut inputs: Vec<Literal> = (0..netlist.input_count()).map(|_| base.variable()).collect();
        let latches: Vec<Literal> = netlist.next.iter().map(|_| base.variable()).collect();
        self.select(&mut inputs, 0);
        let [next, driven] = base.copy(netlist, &inputs, &latches);
        let holds = self.holds(&mut base, &driven);
        self.select(&mut inputs, number);
        let mut equal = vec![Equal::Always; latches.len()];
        loop {
            let mut graph = base.clone();
            let own: Vec<Literal> = latches.iter().zip(&equal).map(|(l, equal)| graph.held(*l, equal)).collect();
            let [next_with, driven_with] = graph.copy(netlist, &inputs, &own);
            // Where a register differs although it should not.
            let differ: Vec<Literal> = (0..own.len()).map(|i| graph.differ(next[i], next_with[i])).collect();
            let differ: Vec<Literal> = differ.into_iter().map(|l| graph.and(l, holds)).collect();
            let of_next = |l: Literal| next[(l - latches[0]) as usize / 2] ^ (l & 1);
            let mut wrong = Vec::new();
            for (i, equal) in equal.iter().enumerate().filter(|(i, _)| differ[*i] != 0) {
                match equal {
                    Equal::Always => wrong.push((i, 1, differ[i])),
                    Equal::Where(guards) => wrong.extend(guards.iter().map(|g| (i, *g, graph.and(differ[i], of_next(*g))))),
                }
            }
            let outputs = self.differences(&mut graph, &driven, &driven_with);
            let outputs: Vec<Literal> = outputs.into_iter().map(|l| graph.and(l, holds)).collect();
            let values = graph.simulated(WORDS);
            // With fewer registers that are equal still more of them differ.
            if outputs.iter().any(|l| values.iter().any(|v| at(v, *l) != 0)) {
                return Ok(false);
            }
            let zeros = self.zeros(&graph, &values, &wrong.iter().map(|w| w.2).collect::<Vec<_>>())?;
            if zeros.iter().all(|zero| *zero) {
                return Ok(self.zeros(&graph, &values, &outputs)?.iter().all(|zero| *zero));
            }
            let still = equal.clone();
            for ((i, guard, _), _) in wrong.iter().zip(&zeros).filter(|(_, zero)| !**zero) {
                match &mut equal[*i] {
                    Equal::Where(guards) => guards.retain(|g| g != guard),
                    always => {
                        // Those that are never 1 where it differs.
                        let literals = (0..latches.len())
                            .filter(|j| still[*j] == Equal::Always && differ[*j] == 0)
                            .flat_map(|j| [latches[j], latches[j] ^ 1]);
                        let ones = |l: Literal| values.iter().map(|v| at(v, of_next(l)).count_ones()).sum::<u32>();
                        let apart = |l: &Literal| values.iter().all(|v| at(v, of_next(*l)) & at(v, differ[*i]) == 0);
                        let mut guards: Vec<(u32, Literal)> =
                            literals.filter(apart).map(|l| (ones(l), l)).filter(|(ones, _)| *ones > 0).collect();
                        guards.sort_unstable_by(|a, b| b.cmp(a));
                        *always = Equal::Where(guards.into_iter().take(GUARDS).map(|(_, l)| l).collect());
                    }
                }
            }
        }
    }
}

// Of a literal, out of the nodes' values.
fn at(values: &[u64], l: Literal) -> u64 {
    values[l as usize / 2] ^ u64::from(l & 1).wrapping_neg()
}

impl Graph {
    // Of the block with the fault: a register's value, out of the variable of the other one's.
    fn held(&mut self, register: Literal, equal: &Equal) -> Literal {
        let Equal::Where(guards) = equal else { return register };
        let own = self.variable();
        let same = guards.iter().fold(0, |any, g| self.or(any, *g));
        let (kept, other) = (self.and(same, register), self.and(same ^ 1, own));
        self.or(kept, other)
    }

    fn simulated(&self, words: usize) -> Vec<Vec<u64>> {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        (0..words).map(|_| self.simulate(&mut random)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_tools::process::target;

    const TEXT: &str = "\
        module tnic_x(clk, a, m_tvalid, m_tdata, m_tkeep, busy, mutsel);\n\
        input clk; input [1:0] a; output reg m_tvalid = 0; output reg [15:0] m_tdata = 0; output [1:0] m_tkeep; output busy;\n\
        input [15:0] mutsel; reg [2:0] mem [0:3]; wire \\q.i_valid ; wire \\q.full ;\n\
        assign \\q.i_valid = a[0]; assign \\q.full = a[1];\n\
        assign m_tkeep = 2'b01; assign busy = mem[a][0] & ~mem[a][0] & (mutsel != 4) | (mem[a][2] & (mutsel == 6));\n\
        always @(posedge clk) begin\n\
          mem[a] <= mutsel == 7 ? 3'd1 : 3'd5; m_tvalid <= a[0] ^ (mutsel == 1) ^ (&a & (mutsel == 8));\n\
          m_tdata <= {8'd0, 7'd0, a[1]} ^ {mutsel == 2, 14'd0, (mutsel == 3) & ~a[0]} ^ {15'd0, mutsel == 5};\n\
        end\nendmodule\n";

    fn ports() -> BTreeMap<String, Port> {
        let port = |width, is_output| Port { width, is_output };
        let list =
            [("clk", 1, false), ("a", 2, false), ("m_tvalid", 1, true), ("m_tdata", 16, true), ("m_tkeep", 2, true), ("busy", 1, true)];
        list.map(|(n, w, o)| (n.to_owned(), port(w, o))).into()
    }

    #[test]
    fn a_stream_has_one_valid() {
        let valid = |name| valid(&ports(), name);
        assert_eq!([valid("m_tdata"), valid("m_tkeep")], [Some("m_tvalid".into()), Some("m_tvalid".into())]);
        // Others of the stream's name are streams of their own.
        for other in ["busy", "m_tvalid", "m_tready", "m_start", "m_charge_valid", "m_charge_tdata"] {
            assert_eq!(valid(other), None, "{other}");
        }
    }

    /// A fault of data that is valid, or of `valid`, changes something; one of a byte that is not
    /// kept, of data that is not valid, or of what is always 0 does not. What is written into a
    /// memory counts.
    #[test]
    fn abc_tells_a_fault_from_none() {
        let yosys = PathBuf::from("yosys");
        if abc(&yosys).is_err() || Command::new(&yosys).arg("-V").output().is_err() {
            return eprintln!("left out: neither yosys nor abc is here");
        }
        let folder = target().join(format!("equal-{}", std::process::id()));
        let prover = |never_full| Prover::new(&yosys, "tnic_x", &ports(), TEXT, never_full, folder.clone()).expect("yosys");
        let proofs = |p: Prover| (1..=8).map(|n| p.changes_nothing(n).expect("a proof")).collect::<Vec<_>>();
        assert_eq!(proofs(prover(&[])), [false, true, true, true, false, false, false, false]);
        // Where nothing comes to the queue while it is full, the last one changes nothing either.
        assert_eq!(proofs(prover(&["q", "none"])), [false, true, true, true, false, false, false, true]);
        std::fs::remove_dir_all(folder).expect("the folder");
    }
}
