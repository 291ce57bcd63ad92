//! Command lines of the programs, read.
use crate::say::note;
use clap::{Arg, CommandFactory, FromArgMatches, value_parser};
use std::path::PathBuf;

/// The arguments of this process; it ends when they are wrong. `TIMELY_DEVICE` counts as unset when it is empty, as shells leave it.
pub fn parse<T: CommandFactory + FromArgMatches>() -> T {
    let mut command = without_empty_device(T::command());
    let matches = command.clone().get_matches();
    T::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit())
}

/// The arguments of a program without subcommands, which has `--man FOLDER` beside its own: that writes its man page and ends.
pub fn parse_or_man<T: CommandFactory + FromArgMatches>() -> T {
    const MAN: &str = "man";
    let option = Arg::new(MAN).long(MAN).value_name("FOLDER").value_parser(value_parser!(PathBuf)).exclusive(true);
    let option = option.help("Writes the man page into a folder, and ends");
    let mut command = without_empty_device(T::command().arg(option));
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

fn without_empty_device(command: clap::Command) -> clap::Command {
    if std::env::var_os("TIMELY_DEVICE").is_some_and(|d| d.is_empty()) {
        return command.mut_arg("device", |device| device.env(None::<&str>));
    }
    command
}
