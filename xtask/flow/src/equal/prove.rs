//! The proof of one pair of modules.
use super::module::Modules;
use regex::Regex;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Points inside modules that are to be equal.
#[derive(Default)]
pub struct Points(Vec<(Regex, [String; 2])>);

impl Points {
    /// Reads lines of a regular expression and two expressions; those that begin with `#` are
    /// comments.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
        let point = |(i, line): (usize, &str)| {
            let wrong = |why: &str| format!("{}, line {}: {why}; a line is MODULES OLD NEW", file.display(), i + 1);
            let [modules, old, new] = line.split_whitespace().collect::<Vec<_>>()[..] else { return Err(wrong("not three words")) };
            Ok((Regex::new(modules).map_err(|e| wrong(&e.to_string()))?, [old.to_owned(), new.to_owned()]))
        };
        lines.map(point).collect::<Result<_, _>>().map(Points)
    }

    /// A closed module of one side with a wire for each of its points.
    fn mark(&self, name: &str, side: usize, text: &str) -> String {
        let wires = self.0.iter().enumerate().filter(|(_, (modules, _))| modules.is_match(name));
        let wires: String =
            wires.map(|(i, (_, sides))| format!("wire [1023:0] point_{i};\nassign point_{i} = {};\n", sides[side])).collect();
        text.replacen("\nendmodule", &format!("\n{wires}endmodule"), 1)
    }
}

/// The result of a proof.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Old and new module do the same.
    Proven,
    /// Yosys's last words.
    Unproven(String),
    /// The time was over.
    Unended,
}

impl Verdict {
    /// Old and new module do the same.
    pub fn is_proven(&self) -> bool {
        *self == Verdict::Proven
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proven => f.write_str("proven"),
            Verdict::Unproven(why) => write!(f, "NOT PROVEN ({why})"),
            Verdict::Unended => f.write_str("NOT PROVEN (the time was over)"),
        }
    }
}

/// The commands that bring one side to gates, its instances cut out.
fn side(file: &Path, name: &str, kind: &str) -> String {
    format!(
        "read_verilog {}\nhierarchy -top {name}\nproc\nflatten\nopt_clean\nexpose -evert {name}/t:*\nopt_expr\nopt_clean\nmemory -nomap\n\
         rename {name} {kind}\ndesign -stash {kind}\n",
        file.display()
    )
}

/// Proves the modules `name` of both sides equal, with the files of the proof in `folder`.
pub fn prove(yosys: &Path, folder: &Path, name: &str, sides: [&Modules; 2], points: &Points, limit: Duration) -> Result<Verdict, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut script = String::new();
    for (i, kind) in ["gold", "gate"].into_iter().enumerate() {
        let file = folder.join(format!("{name}.{kind}.v"));
        std::fs::write(&file, points.mark(name, i, &sides[i].closed(name))).map_err(failed)?;
        script += &side(&file, name, kind);
    }
    script += "design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\nequiv_make gold gate equal\nhierarchy -top equal\n\
               equiv_simple -undef\nequiv_simple -undef -seq 3\nequiv_induct -undef -seq 4\nequiv_status -assert\n";
    let (file, log) = (folder.join(format!("{name}.ys")), folder.join(format!("{name}.log")));
    std::fs::write(&file, script).map_err(failed)?;
    let out = std::fs::File::create(&log).map_err(failed)?;
    let mut c = Command::new(yosys);
    c.arg("-q").arg("-s").arg(&file).stdin(Stdio::null()).stdout(out.try_clone().map_err(failed)?).stderr(out);
    let mut child = c.spawn().map_err(|e| format!("{} did not start: {e}", yosys.display()))?;
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            let text = std::fs::read_to_string(&log).map_err(failed)?;
            let last = text.lines().rev().find(|l| l.starts_with("ERROR")).unwrap_or("no word of why").trim_start_matches("ERROR: ");
            return Ok(if status.success() { Verdict::Proven } else { Verdict::Unproven(format!("{last} {}", log.display())) });
        }
        if Instant::now() >= end {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Ok(Verdict::Unended);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A counter of two registers, and the same of one word; `sum` is what both add.
    fn verdict(sum: &str, points: &Points) -> Verdict {
        let flop = "\nmodule FLOP(d,q,clock);\n    input wire  [HIGH:0] d;\n    output reg  [HIGH:0] q;\n    input wire  clock;\n    \
                    always @(posedge clock) begin\n       q <= d;\n    end\nendmodule\n";
        let flop = |name: &str, high: &str| flop.replace("FLOP", name).replace("HIGH", high);
        let head = "\nmodule top(clk,x,y);\n    input wire  clk;\n    input wire  [3:0] x;\n    output wire  [3:0] y;\n";
        let old = format!(
            "{}{}{head}wire [3:0] n;\nwire s;\n    top__n c(\n        .d(n + x), .q(n), .clock(clk)\n    );\n    top__s p(\n        .d(n[0]), .q(s), \
             .clock(clk)\n    );\nassign y = s ? n : 4'd0;\nendmodule\n",
            flop("top__n", "3"),
            flop("top__s", "0")
        );
        let new = format!(
            "{}{head}wire [4:0] w;\n    top__w c(\n        .d({{w[0], {sum}}}), .q(w), .clock(clk)\n    );\nassign y = w[4] ? w[3:0] : 4'd0;\nendmodule\n",
            flop("top__w", "4")
        );
        let yosys = std::env::var_os("YOSYS").unwrap_or_else(|| "yosys".into());
        let folder = timely_tools::process::target().join(format!("equal-test-{}-{}", std::process::id(), sum.len()));
        let verdict =
            prove(Path::new(&yosys), &folder, "top", [&Modules::new(&old), &Modules::new(&new)], points, Duration::from_secs(60)).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        verdict
    }

    #[test]
    fn joined_registers_are_proven_by_points_and_a_change_is_not() {
        let any = Regex::new("").unwrap();
        let points = Points(vec![(any.clone(), ["n".into(), "w[3:0]".into()]), (any, ["s".into(), "w[4]".into()])]);
        assert_eq!(verdict("w[3:0] + x", &points), Verdict::Proven);
        assert!(matches!(verdict("w[3:0] + x + 4'd1", &points), Verdict::Unproven(_)));
    }
}
