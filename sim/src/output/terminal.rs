//! The terminals that the program writes to, and what their users asked of programs.
use rustix::termios::tcgetwinsize;
use std::env::var_os;
use std::fmt::Display;
use std::io::{IsTerminal, stderr, stdout};
use timely_regs::layout::fold;

/// Columns of stdout; none where that is no terminal, or one that does not say.
pub fn columns() -> Option<usize> {
    let size = tcgetwinsize(stdout()).ok().filter(|_| stdout().is_terminal())?;
    (size.ws_col > 0).then(|| size.ws_col.into())
}

fn is_dumb() -> bool {
    var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether stdout shows letters in bold: a terminal that can, whose user did not set `NO_COLOR`.
pub fn is_styled() -> bool {
    stdout().is_terminal() && !is_dumb() && var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Whether a bar on stderr may be drawn over again.
pub fn takes_bars() -> bool {
    stderr().is_terminal() && !is_dumb()
}

/// The text, folded where stdout is narrower.
pub fn folded(text: impl Display) -> String {
    let text = text.to_string();
    columns().map_or(text.clone(), |columns| fold(&text, columns))
}
