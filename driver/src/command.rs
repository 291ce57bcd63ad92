//! Command lines of the programs, read.
use crate::say::note;
use clap::{Arg, CommandFactory, FromArgMatches, value_parser};
use std::ffi::OsStr;
use std::path::PathBuf;

/// Columns below which an option's help stands under its name: beside it too few are left.
const NARROW: u16 = 60;

/// Help that fits the terminal, as far as `COLUMNS` or stdout says how wide it is.
fn fitting(command: clap::Command) -> clap::Command {
    let told = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let columns = told.or_else(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col));
    let narrow = columns.is_some_and(|c| (1..NARROW).contains(&c));
    fn below(command: clap::Command) -> clap::Command {
        command.next_line_help(true).mut_subcommands(below)
    }
    if narrow { below(command) } else { command }
}

/// The arguments of this process; it ends when they are wrong. A variable counts as unset when it
/// is empty, as shells leave it.
pub fn parse<T: CommandFactory + FromArgMatches>() -> T {
    let mut command = fitting(with_negatives(without_variables(T::command(), <OsStr>::is_empty)));
    let matches = command.clone().get_matches();
    T::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit())
}

/// The arguments of a program without subcommands, which has `--man FOLDER` beside its own: that
/// writes its man page and ends.
pub fn parse_or_man<T: CommandFactory + FromArgMatches>() -> T {
    const MAN: &str = "man";
    let option = Arg::new(MAN).long(MAN).value_name("FOLDER").value_parser(value_parser!(PathBuf)).exclusive(true);
    let option = option.help("Writes the man page into a folder, and ends");
    // Values of the environment are no options that stand beside it.
    let man = std::env::args_os().any(|a| a == "--man" || a.as_encoded_bytes().starts_with(b"--man="));
    let mut command = fitting(with_negatives(without_variables(T::command().arg(option), |value| man || value.is_empty())));
    let matches = command.clone().get_matches();
    if let Some(folder) = matches.get_one::<PathBuf>(MAN) {
        let written = clap_mangen::generate_to(command, folder);
        std::process::exit(written.map_or_else(
            |e| {
                note(format_args!("error: {}: {e}; give a folder that can be written", folder.display()));
                1
            },
            |()| 0,
        ));
    }
    T::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit())
}

/// Options take negative numbers as values, and refuse them as they refuse others: with the form.
/// Else `-1` were an option that is not there.
fn with_negatives(command: clap::Command) -> clap::Command {
    let takes = |arg: Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    command.mut_args(takes).mut_subcommands(with_negatives)
}

/// Options do not look at variables of such a value.
fn without_variables(command: clap::Command, such: impl Fn(&OsStr) -> bool) -> clap::Command {
    command.mut_args(|arg| {
        let value = arg.get_env().and_then(std::env::var_os);
        if value.is_some_and(|v| such(&v)) { arg.env(None::<&str>) } else { arg }
    })
}
