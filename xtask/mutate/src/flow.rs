//! Yosys' part: a netlist of an emitted text, a list of its faults, and the text with all of them
//! in it.
use super::bench::{SELECT, name, threaded};
use super::faults::{self, Fault};
use super::netlist::{Netlist, Port};
use super::table::Row;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use timely_tools::process::{put, quiet};

/// The module of a bench around a core.
const BENCH: &str = "board";

/// An emitted text and its netlist.
pub struct Text {
    /// Name by which the tests compile the text.
    pub key: String,
    /// Top module of the text.
    pub top: String,
    /// As it was emitted.
    pub verilog: String,
    /// Netlist of the text.
    pub netlist: Netlist,
    folder: PathBuf,
    // Modules that get faults; in a block whose hierarchy is dissolved all is in its top.
    modules: Vec<String>,
    selection: String,
    dissolved: bool,
}

/// Nets of a queue in a text without hierarchy: what is offered, and that nothing can be taken.
pub fn overflow(queue: &str) -> [String; 2] {
    [format!("{queue}.i_valid"), format!("{queue}.full")]
}

/// The queues of a list that are in a text.
pub fn of_text<'a>(text: &str, queues: &'a [&str]) -> Vec<&'a str> {
    queues.iter().copied().filter(|q| overflow(q).iter().all(|net| text.contains(&format!("wire \\{net} ;")))).collect()
}

/// The mutated text of one module; with no fault selected the simulation stops where something
/// comes to one of these queues while it is full.
pub fn with_stops(text: &str, queues: &[&str]) -> String {
    let Some((module, rest)) = text.rsplit_once("endmodule") else { return text.into() };
    let stop = |queue: &str| {
        let [offered, full] = overflow(queue);
        format!("  always @(posedge clk) if ({SELECT} == 0 && \\{offered} && \\{full} ) $stop;\n")
    };
    let stops: String = of_text(text, queues).into_iter().map(stop).collect();
    format!("{module}{stops}endmodule{rest}")
}

/// The text of a file.
///
/// # Errors
/// The file cannot be read.
pub fn get(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn run(yosys: &Path, folder: &Path, name: &str, script: &str) -> Result<(), String> {
    put(&folder.join(name), script)?;
    let mut c = Command::new("nice");
    c.args(["-n", "10"]).arg(yosys).args(["-q", "-s", name]).current_dir(folder);
    quiet(c).map(drop)
}

/// Verilator's comments around an emission.
const SAVE: &str = "/* verilator lint_save */";
const RESTORE: &str = "/* verilator lint_restore */";

impl Text {
    /// Makes the netlist of `row`'s text `key`, in a folder of its own below `work`.
    ///
    /// # Errors
    /// Yosys failed.
    pub fn new(yosys: &Path, row: &Row, key: String, verilog: String, work: &Path) -> Result<Self, String> {
        let folder = work.join(&key);
        put(&folder.join("text.v"), &verilog)?;
        let top = name(&verilog).ok_or_else(|| format!("{key}: no module in its text"))?;
        // A bench stays as it is, around the first module of the row.
        let top = if top == BENCH { row.modules.first().map_or(top, |m| (*m).to_owned()) } else { top };
        let modules = if row.modules.is_empty() { vec![top.clone()] } else { row.modules.iter().map(|m| (*m).to_owned()).collect() };
        let selection = format!("{}{}", modules.join(" "), " %u".repeat(modules.len() - 1));
        let whole = if row.modules.is_empty() { "proc\nflatten\n" } else { "" };
        // A fault in what synthesis removes is none: constants go through the hierarchy, and words
        // lose the bits that nothing reads and those that are always 0; the second time those of
        // sums of sums. Registers keep the multiplexers that the text has.
        let opt = "opt -fine -mux_undef -nodffe -nosdff\n";
        let script = format!(
            "read_verilog -sv text.v\nhierarchy -check -top {top}\n{whole}select {selection}\nproc\n{opt}wreduce\n{opt}wreduce\n{opt}opt_clean\n\
             select -clear\nwrite_rtlil netlist.il\njson -o netlist.json {selection}\n"
        );
        run(yosys, &folder, "netlist.ys", &script)?;
        let netlist = Netlist::read(&get(&folder.join("netlist.json"))?)?;
        Ok(Text { key, top, verilog, netlist, folder, modules, selection, dissolved: row.modules.is_empty() })
    }

    /// The ports of its top module, by name.
    pub fn ports(&self) -> BTreeMap<String, Port> {
        self.netlist.ports(&self.top).cloned().unwrap_or_default()
    }

    /// Chooses `count` faults.
    ///
    /// # Errors
    /// Yosys failed, or there are not so many.
    pub fn faults(&self, yosys: &Path, count: usize, seed: u32) -> Result<Vec<Fault>, String> {
        // Some are none; yosys spreads those that it lists over modules, cells, wires and lines of
        // the text. Contents of ROMs are no cells.
        let listed = count * 3 + 50;
        let cells = format!("{} t:$meminit t:$meminit_v2 %u %d", self.selection);
        let script = format!("read_rtlil netlist.il\nmutate -list {listed} -seed {seed} -o list.txt {cells}\n");
        run(yosys, &self.folder, "list.ys", &script)?;
        faults::choose(&get(&self.folder.join("list.txt"))?, &self.netlist, count).map_err(|e| format!("{}: {e}", self.key))
    }

    /// The text with `faults` in it, numbered from `first` on.
    ///
    /// # Errors
    /// Yosys failed.
    pub fn mutated(&self, yosys: &Path, faults: &[Fault], first: usize) -> Result<String, String> {
        let commands: String = faults.iter().enumerate().map(|(i, f)| f.command(SELECT, first + i)).collect();
        let write = format!("select {}\nwrite_verilog -noattr -selected mutated.v\n", self.selection);
        run(yosys, &self.folder, "mutate.ys", &format!("read_rtlil netlist.il\n{commands}{write}"))?;
        let mut text = get(&self.folder.join("mutated.v"))?;
        if !self.dissolved {
            // The other modules stay as they were emitted.
            let is_other = |m: &&str| !self.modules.iter().any(|n| name(m).as_ref() == Some(n));
            let others: String = self.verilog.split_inclusive("endmodule").filter(is_other).collect();
            // Verilator is told of its warnings in front of a file's first module, which may be
            // gone with that, and behind the last: what it is told then holds to the end.
            let others = others.replace(SAVE, "").replace(RESTORE, "");
            text += &threaded(&others, &self.top);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stops_where_its_queues_overflow() {
        let text = "module a(clk);\n  wire \\q.i_valid ;\n  wire \\q.full ;\nendmodule\n";
        let with = with_stops(text, &["q", "other"]);
        let stop = "  always @(posedge clk) if (mutsel == 0 && \\q.i_valid && \\q.full ) $stop;\nendmodule\n";
        assert!(with.ends_with(stop) && with.matches("$stop").count() == 1, "{with}");
        assert_eq!(with_stops(text, &[]), text);
    }
}
