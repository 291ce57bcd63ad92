//! Measures what the design reaches: a table, or JSON; see `timely_tests::measure`.
//! `cargo xtask bench` runs it.
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timely_tests::measure::{DRIVER, PARTS, all, json, page, table};

const USAGE: &str = "usage: timely-bench [--quick] [--only PART] [--json] [--page FILE] [--printed FILE]";

struct Options {
    quick: bool,
    only: Option<String>,
    json: bool,
    page: Option<PathBuf>,
    printed: Option<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut o = Options { quick: false, only: None, json: false, page: None, printed: None };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut file = || args.next().map(PathBuf::from).ok_or_else(|| format!("{a} needs a value; {USAGE}"));
        match a.as_str() {
            "--quick" => o.quick = true,
            "--only" => o.only = Some(file()?.to_string_lossy().into_owned()),
            "--json" => o.json = true,
            "--page" => o.page = Some(file()?),
            "--printed" => o.printed = Some(file()?),
            _ => return Err(format!("unknown argument {a}; {USAGE}")),
        }
    }
    match &o.only {
        Some(part) if part != DRIVER && !PARTS.contains(&part.as_str()) => {
            Err(format!("no part {part}; there are {}, {DRIVER}", PARTS.join(", ")))
        }
        _ => Ok(o),
    }
}

fn run() -> Result<bool, String> {
    let o = options()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |p: &PathBuf| std::fs::read_to_string(p).map_err(|e| format!("{}: {e}", p.display()));
    let printed = o.printed.as_ref().map_or(Ok(String::new()), read)?;
    let figures = all(o.quick, o.only.as_deref(), &root, &printed)?;
    print!("{}", if o.json { json(&figures) + "\n" } else { table(&figures) });
    if let Some(p) = &o.page {
        std::fs::write(p, page(&figures)).map_err(|e| format!("{}: {e}", p.display()))?;
    }
    Ok(!figures.iter().any(|f| f.is_missed()))
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a figure misses what is asked for; it is marked above");
            ExitCode::from(3)
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
