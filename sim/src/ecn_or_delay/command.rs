//! `timely-sim ecn-or-delay`: runs the experiments, or takes their rows from a file; prints a table
//! or JSON; writes them, and the page's tables.
use super::{Lab, PARTS, Row, SEEDS, page};
use crate::input;
use crate::output::file::Outputs;
use crate::output::terminal::folded;
use crate::output::{note, print};
use clap::Args;
use std::path::PathBuf;

/// Command line of `ecn-or-delay`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Experiments: fct, model, jitter; by default all, which takes ten minutes of a core.
    #[arg(value_parser = PARTS)]
    parts: Vec<String>,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// File for the rows (JSON).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File of rows to show in place of running anything.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parts", "out", "quick"])]
    from: Option<PathBuf>,
    /// Page whose tables are made anew of the rows, between its markers; its plots are written
    /// beside it.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// One seed and a fiftieth of the time, which are no measure of anything: for tests of the
    /// program.
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    /// Runs the command.
    ///
    /// # Errors
    /// An input cannot be read, a run fails, or an output cannot be written.
    pub fn run(&self) -> Result<(), String> {
        let mut outputs = Outputs::default();
        let old = self
            .page
            .as_ref()
            .map(|p| input::text(p).map_err(|e| format!("{}: {e}; name a page that is there", p.display())))
            .transpose()?;
        let rows = self.rows(&mut outputs)?;
        if let (Some(path), Some(old)) = (&self.page, old) {
            let text = page::renewed(&old, &rows)?;
            for (name, svg) in page::plots(&rows) {
                outputs.file(&path.with_file_name(name))?.write(svg)?;
            }
            outputs.file(path)?.write(text)?;
        }
        if self.json { print(json(&rows)) } else { print(folded(page::table(&rows))) }
    }

    fn rows(&self, outputs: &mut Outputs) -> Result<Vec<Row>, String> {
        if let Some(path) = &self.from {
            let text = input::text(path).map_err(|e| format!("{}: {e}", path.display()))?;
            return parsed(&text).map_err(|e| format!("{}: {e}; give a file that --out wrote", path.display()));
        }
        let mut file = self.out.as_ref().map(|p| outputs.file(p)).transpose()?;
        let lab = if self.quick { Lab { seeds: 1, part: 0.02 } } else { Lab { seeds: SEEDS, part: 1.0 } };
        let mut rows = Vec::new();
        for part in PARTS.into_iter().filter(|p| self.parts.is_empty() || self.parts.iter().any(|q| q == p)) {
            rows.extend(lab.part(part)?);
            note(format_args!("{part}: done"));
        }
        if let Some(file) = &mut file {
            file.write(json(&rows) + "\n")?;
        }
        Ok(rows)
    }
}

fn json(rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(|r| serde_json::to_string(r).expect("rows are plain")).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

/// The rows of a file.
///
/// # Errors
/// The text is not JSON rows.
pub fn parsed(text: &str) -> Result<Vec<Row>, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}
