//! Starting other programs.
use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Lines of a tool's output in an error.
const LAST: usize = 30;

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(PathBuf::from).unwrap_or(here)
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

/// A command as it looks on a command line.
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

/// The first line of what a program says of its version.
pub fn version(program: impl AsRef<std::ffi::OsStr>, argument: &str) -> Option<String> {
    let mut c = Command::new(program);
    c.arg(argument);
    // nextpnr says it on standard error; a tool in WebAssembly says first that it prepares...
    let out = c.stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let line = |text: &[u8]| String::from_utf8_lossy(text).lines().find(|l| !l.ends_with("...")).map(str::to_owned);
    line(&out.stdout).or_else(|| line(&out.stderr)).or_else(|| Some(String::new()))
}

/// The number in what a tool says of its version: the rest depends on the machine.
pub fn number(text: &str) -> String {
    let word = text.split_whitespace().map(|w| w.trim_matches(|c: char| "()\"".contains(c))).find(|w| w.contains('.'));
    word.map_or("?", |w| w.trim_start_matches(|c: char| !c.is_ascii_digit())).to_owned()
}

/// After this long a tool in the background is ended: it found no way. With a processor to itself
/// none takes a third of it.
pub const LIMIT: &str = "60m";

// A tool in a folder, below other work, that is ended at the limit.
fn limited(program: &Path, dir: &Path, arguments: &[&str]) -> Command {
    let mut c = Command::new("nice");
    c.args(["-n", "10", "timeout", LIMIT]).arg(program).args(arguments).current_dir(dir);
    c
}

/// Runs a tool silently in a folder, below other work.
///
/// # Errors
/// The tool did not start, failed (its output is in the text), or was ended.
pub fn background(program: &Path, dir: &Path, arguments: &[&str]) -> Result<(), String> {
    quiet(limited(program, dir, arguments)).map(drop).map_err(|e| match e.contains("status: 124)") {
        true => format!("{} was ended: it was not done in {LIMIT} (what it left is in {})", program.display(), dir.display()),
        false => e,
    })
}

/// Runs a tool so, and ends it too when `goes_on` says no to a line that it wrote to stderr; gives
/// whether it came to its end.
///
/// # Errors
/// The tool did not start, or failed, which its last lines in the text tell.
pub fn watched(program: &Path, dir: &Path, arguments: &[&str], mut goes_on: impl FnMut(&str) -> bool) -> Result<bool, String> {
    let mut c = limited(program, dir, arguments);
    let failed = |c: &Command, e: &dyn Display| format!("{} failed: {e}", shown(c));
    let mut child = c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(|e| failed(&c, &e))?;
    let pid = child.id().to_string();
    let (mut last, mut ended) = (VecDeque::new(), false);
    for line in child.stderr.take().into_iter().flat_map(|e| BufReader::new(e).lines()).map_while(Result::ok) {
        if !goes_on(&line) {
            ended = true;
            // `timeout` passes it on to the tool. A process that the tool began at that moment can
            // outlive it, with the pipe in its hands: so the pipe's end is not waited for.
            let mut kill = Command::new("kill");
            kill.arg(&pid);
            quiet(kill)?;
            break;
        }
        last.push_back(line);
        last.drain(..last.len().saturating_sub(LAST));
    }
    let status = child.wait().map_err(|e| failed(&c, &e))?;
    match status.code() {
        _ if ended => Ok(false),
        Some(0) => Ok(true),
        Some(124) => Ok(false),
        _ => Err(failed(&c, &format!("{status}\n{}", Vec::from(last).join("\n")))),
    }
}

/// Writes a file, and makes the folders to it.
pub fn put(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::watched;
    use std::path::Path;

    // The result of a shell's command that is ended at a line `off`.
    fn shell(command: &str) -> Result<bool, String> {
        watched(Path::new("sh"), Path::new("."), &["-c", command], |line| line != "off")
    }

    #[test]
    fn a_tool_is_ended_at_a_line() {
        assert_eq!(shell("echo on >&2; exit 0"), Ok(true));
        assert_eq!(shell("echo on >&2; echo off >&2; sleep 600; exit 0"), Ok(false));
    }

    #[test]
    fn a_tool_that_fails_says_why() {
        let error = shell("echo why >&2; exit 3").expect_err("it failed");
        assert!(error.ends_with("exit status: 3\nwhy"), "{error}");
    }
}
