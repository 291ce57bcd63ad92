//! How a model is compiled, why it was not, and how tools are run for it.
use crate::cache::VARIABLE;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Reasons why a model was not built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool is not installed or did not start.
    #[error(
        "{tool} did not start ({source}). Install Verilator and a C++ compiler (Debian: apt-get install verilator clang), or set VERILATOR and CXX"
    )]
    Tool {
        /// Name of the tool.
        tool: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A tool ran and failed.
    #[error("{tool} failed:\n{output}")]
    Failed {
        /// Name of the tool.
        tool: String,
        /// Output of the tool.
        output: String,
    },
    /// The module is not in the text, or its ports are not declared as our emission declares them.
    #[error("no module {0} with readable ports in the Verilog text")]
    Ports(String),
    /// A file could not be written or read.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// Waves cannot be written.
    #[error("no waves can be written to {0}: the model was compiled without them, or writes some already, or the file cannot be opened")]
    Waves(PathBuf),
    /// The fault that was asked for has no number.
    #[error("TIMELY_MUTANT is {0:?}, which is no number")]
    Mutant(std::ffi::OsString),
    /// Verilator warns of what is not style, where no such model is asked for.
    #[error("Verilator warns of {top}:\n{warnings}")]
    Warnings {
        /// The top module.
        top: String,
        /// The warnings, a line each.
        warnings: String,
    },
    /// The compiled library did not load.
    #[error("the compiled model did not load: {0}")]
    Load(#[from] libloading::Error),
    /// The cache is on a file system from which nothing is executed.
    #[error("{}: it is mounted noexec, so no compiled model can be loaded from it; set {VARIABLE} to a folder that is not", .0.display())]
    NoExec(PathBuf),
    /// Other users could put code into the cache, or it cannot be made.
    #[error(
        "the cache of compiled models, {}: {}; what is loaded from it runs as this user: remove it, or set {VARIABLE} to a folder \
         that this user alone can write", folder.display(), whole(source)
    )]
    Cache {
        /// The folder or file.
        folder: PathBuf,
        /// The reason.
        source: fs_mistrust::Error,
    },
    /// No variable names a place for the cache.
    #[error("there is no place for compiled models: set HOME, or {VARIABLE} to a folder that this user alone can write")]
    NoCache,
}

/// An error with its causes.
fn whole(e: &dyn std::error::Error) -> String {
    std::iter::successors(Some(e), |e| e.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// How a model is compiled.
#[derive(Clone, Copy, Debug, Hash, Default)]
pub struct Options {
    /// The model can write waves, as FST; twenty times slower while it does. Needs the headers of
    /// zlib.
    pub waves: bool,
    /// For whole NICs that run long: gcc compiles with `-O3` instead of `-O1`. Clang always does
    /// with `-O2`.
    pub fast: bool,
    /// The model counts lines, branches and toggles.
    pub coverage: bool,
    /// A model of which Verilator warns is not loaded.
    pub lint: bool,
}

pub fn run(tool: &str, command: &mut Command) -> Result<Output, Error> {
    let out = command.output().map_err(|source| Error::Tool { tool: tool.into(), source })?;
    if out.status.success() { Ok(out) } else { Err(Error::Failed { tool: tool.into(), output: text(&[out.stdout, out.stderr].concat()) }) }
}

pub fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said).into_owned()
}

pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|e| Error::File(path.into(), e))
}

/// The locks of concurrent builds: the first builds, the others wait and load what it built.
pub fn locked<T>(path: &Path, f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let failed = |e| Error::File(path.into(), e);
    let file = fs::File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    f()
}

pub fn hash(x: impl Hash) -> String {
    let mut h = DefaultHasher::new();
    x.hash(&mut h);
    format!("{:016x}", h.finish())
}
