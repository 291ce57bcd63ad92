//! Starting other programs.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |d| root().join(d))
}

/// Cargo, in the workspace's root.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.args(arguments).current_dir(root());
    c
}

/// What a command looks like on a command line.
pub fn shown(c: &Command) -> String {
    let program = PathBuf::from(c.get_program());
    let name = program.file_name().unwrap_or(c.get_program()).to_string_lossy().into_owned();
    std::iter::once(name).chain(c.get_args().map(|a| a.to_string_lossy().into_owned())).collect::<Vec<_>>().join(" ")
}

/// Runs a command with its output in view.
pub fn run(mut c: Command) -> Result<(), String> {
    let status = c.status().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", shown(&c))) }
}

/// Runs a command silently; its output is part of the error when it fails.
pub fn quiet(mut c: Command) -> Result<String, String> {
    let out = c.stdin(Stdio::null()).output().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    if out.status.success() {
        Ok(text(&out.stdout))
    } else {
        Err(format!("{} failed ({})\n{}{}", shown(&c), out.status, text(&out.stdout), text(&out.stderr)))
    }
}

/// After this long a tool in the background is ended: it found no way. With a processor to itself none takes a third of it.
pub const LIMIT: &str = "60m";

/// Runs a tool silently in a folder, below other work; gives whether it came to its end within the limit, or was ended.
///
/// # Errors
/// It did not start or failed, which its output in the text tells.
pub fn limited(program: &Path, dir: &Path, arguments: &[&str]) -> Result<bool, String> {
    let mut c = Command::new("nice");
    c.args(["-n", "10", "timeout", LIMIT]).arg(program).args(arguments).current_dir(dir);
    quiet(c).map(|_| true).or_else(|e| if e.contains("status: 124)") { Ok(false) } else { Err(e) })
}

/// The same for a tool that must come to its end.
///
/// # Errors
/// It did not start, failed, or was ended.
pub fn background(program: &Path, dir: &Path, arguments: &[&str]) -> Result<(), String> {
    match limited(program, dir, arguments)? {
        true => Ok(()),
        false => Err(format!("{} was ended: it was not done in {LIMIT} (what it left is in {})", program.display(), dir.display())),
    }
}

/// Writes a file, and makes the folders to it.
pub fn put(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|e| format!("{}: {e}", file.display()))
}
