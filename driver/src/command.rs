//! Command lines of the programs, read.
use clap::{CommandFactory, FromArgMatches};

/// The arguments of this process; it ends when they are wrong. `TIMELY_DEVICE` counts as unset when it is empty, as shells leave it.
pub fn parse<T: CommandFactory + FromArgMatches>() -> T {
    let mut command = T::command();
    if std::env::var_os("TIMELY_DEVICE").is_some_and(|d| d.is_empty()) {
        command = command.mut_arg("device", |device| device.env(None::<&str>));
    }
    let matches = command.clone().get_matches();
    T::from_arg_matches(&matches).unwrap_or_else(|e| e.format(&mut command).exit())
}
