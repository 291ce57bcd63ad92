//! Commands that are programs of their own, so that the others compile without them.
use crate::compilers::Compiler;
use clap::Args;
use std::ffi::OsString;
use std::process::ExitCode;
use timely_tools::process::{cargo, root, shown};

/// Options that the program itself parses.
#[derive(Args)]
pub struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    options: Vec<OsString>,
}

/// Builds a program of the workspace and runs it here; the exit code is the program's.
///
/// # Errors
/// Cargo did not start.
pub fn run<T: AsRef<std::ffi::OsStr>>(package: &str, command: &str, options: &[T]) -> Result<ExitCode, String> {
    code(None, package, command, options).map(ExitCode::from)
}

/// As [`run`], built by a compiler other than rustc, with the code as a number; 1 for a program
/// that was killed.
///
/// # Errors
/// Cargo did not start.
pub fn code<T: AsRef<std::ffi::OsStr>>(compiler: Option<Compiler>, package: &str, command: &str, options: &[T]) -> Result<u8, String> {
    // Out of the whole workspace, whose features are those of its tests.
    let mut c = cargo(&["run", "--quiet", "--bin", package, "--manifest-path"]);
    c.arg(root().join("Cargo.toml")).args(["--", command]);
    if let Some(compiler) = compiler {
        compiler.prepare(&mut c)?;
    }
    // Paths among the options are relative to the caller's folder.
    c.args(options).current_dir(".");
    let status = c.status().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
    Ok(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1))
}

impl Options {
    /// Runs a command with these options.
    ///
    /// # Errors
    /// Cargo did not start.
    pub fn run(self, package: &str, command: &str) -> Result<ExitCode, String> {
        run(package, command, &self.options)
    }
}
