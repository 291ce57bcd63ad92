//! `timelyctl top`: flows, live, over the whole terminal; or so many screens as text.
mod keys;
mod screen;
mod state;
#[cfg(test)]
mod tests;
mod view;

use crate::backend::{Backend, CliError};
use crate::put_out;
use crate::signals::Signals;
use crate::times::interval;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
pub use screen::Terminal;
use serde::de::DeserializeOwned;
use serde_json::Value;
use state::{Column, Top};
use std::env::var_os;
use std::io::{self, IsTerminal, stdin, stdout};
use std::time::{Duration, Instant};
use timely_driver::service::Request;
use timely_driver::units::parse_whole_within;

/// A screen that is printed, where there is no terminal to ask: columns and lines.
const PRINTED: (usize, usize) = (110, 34);

/// Options of `timelyctl top`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How often the NIC is looked at.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true)]
    interval: Duration,
    /// Column that flows are sorted by at first.
    #[arg(long, value_enum, value_name = "COLUMN", default_value = "sent")]
    sort: Column,
    /// Only flows that have this in their number, destination or branch.
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Prints so many screens as text and ends; needs no terminal.
    #[arg(long, value_name = "SCREENS", value_parser = |s: &str| parse_whole_within::<u32>(s, 1..=u32::MAX.into()))]
    frames: Option<u32>,
}

fn understood<T: DeserializeOwned>(value: Value) -> Result<T, CliError> {
    serde_json::from_value(value).map_err(|e| CliError::Failed(format!("an answer is not understood: {e}; use one version")))
}

fn look(nic: &mut Backend, top: &mut Top) -> Result<(), CliError> {
    let device = understood(nic.ask(Request::Info {})?)?;
    let telemetry = understood(nic.ask(Request::Telemetry { flows: None })?)?;
    if top.wants_destinations(&telemetry) {
        top.set_destinations(&understood::<Vec<_>>(nic.ask(Request::FlowList {})?)?);
    }
    top.look(device, telemetry);
    Ok(())
}

/// Events that end a wait.
enum Came {
    /// The time.
    Nothing,
    /// Keys.
    Keys(Vec<u8>),
    /// A signal, or the terminal is closed.
    End,
}

/// Waits for keys.
fn wait(signals: &Signals, left: Duration) -> Came {
    let (input, left) = (stdin(), Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() });
    let mut fds = [PollFd::new(&input, PollFlags::IN), PollFd::new(signals, PollFlags::IN)];
    match poll(&mut fds, Some(&left)) {
        Err(rustix::io::Errno::INTR) => return Came::Nothing,
        Err(_) => return Came::End,
        Ok(_) => {}
    }
    let [keyboard, signal] = [fds[0].revents(), fds[1].revents()];
    if !signal.is_empty() || keyboard.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Came::End;
    }
    if !keyboard.contains(PollFlags::IN) {
        return Came::Nothing;
    }
    let mut bytes = [0; 256];
    match rustix::io::read(&input, &mut bytes) {
        Ok(0) => Came::End,
        Ok(n) => Came::Keys(bytes[..n].to_vec()),
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Came::Nothing,
        Err(_) => Came::End,
    }
}

/// Prints screens as text.
fn print(nic: &mut Backend, top: &mut Top, interval: Duration, screens: u32) -> Result<(), CliError> {
    let (width, height) = Terminal::size().unwrap_or(PRINTED);
    for _ in 0..screens {
        std::thread::sleep(interval);
        look(nic, top)?;
        if !put_out(view::draw(top, width, height).text().trim_end())? {
            break;
        }
    }
    Ok(())
}

/// Runs until it is told to end, the terminal is closed, or the device is gone.
pub fn run(nic: &mut Backend, a: &Arguments) -> Result<(), CliError> {
    let mut top = Top::new(a.sort, &a.filter);
    if let Some(screens) = a.frames {
        look(nic, &mut top)?;
        return print(nic, &mut top, a.interval, screens);
    }
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(CliError::Failed("top needs a terminal; `top --frames 1` prints a screen as text".into()));
    }
    if var_os("TERM").is_some_and(|term| term == "dumb") {
        let why = "top needs a terminal that moves its cursor, and TERM is dumb; `top --frames 1` prints a screen as text";
        return Err(CliError::Failed(why.into()));
    }
    let signals = Signals::new()?;
    // Before the screen is taken: what goes wrong with the device is said where it is read.
    look(nic, &mut top)?;
    let mut next = Instant::now() + a.interval;
    let failed = |e: io::Error| CliError::Failed(format!("the terminal: {e}; `top --frames 1` needs none"));
    let terminal = Terminal::open().map_err(failed)?;
    loop {
        let (width, height) = Terminal::size().unwrap_or(PRINTED);
        // A terminal that cannot be written to any more is one that was closed.
        if terminal.show(&view::draw(&top, width, height)).is_err() {
            return Ok(());
        }
        match wait(&signals, next.saturating_duration_since(Instant::now())) {
            Came::End => return Ok(()),
            Came::Keys(bytes) => {
                let page = view::page(&top, height);
                if keys::keys(&bytes).into_iter().any(|k| top.key(k, page)) {
                    return Ok(());
                }
            }
            Came::Nothing => {}
        }
        if Instant::now() >= next {
            next = Instant::now() + a.interval;
            if !top.paused {
                look(nic, &mut top)?;
            }
        }
    }
}
