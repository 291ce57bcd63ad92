//! Output of the program: results on stdout, all else on stderr.
pub mod file;
pub mod terminal;

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

/// Prints a line, or several, on stdout. A closed pipe, as `head` leaves it, is no error.
///
/// # Errors
/// The text could not be written, to a full disk for example.
pub fn print(text: impl Display) -> Result<(), String> {
    let mut out = stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("stdout: {e}; free space there, or send it to another place")),
        _ => Ok(()),
    }
}

/// Prints a line on stderr; errors are ignored, for there is no other place to report them.
pub fn note(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}
