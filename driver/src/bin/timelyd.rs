//! `timelyd`: owns a NIC, keeps its configuration, kicks its heartbeat, answers `timelyctl`.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
use clap::Parser;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use timely_driver::Error;
use timely_driver::command::parse_or_man;
use timely_driver::config::Config;
use timely_driver::daemon::{Daemon, Listening, Options, check_metrics};
use timely_driver::host::parse_socket;
use timely_driver::lock;
use timely_driver::nic::{Nic, Start};
use timely_driver::plan::Plan;
use timely_driver::say::{announce, note};
use timely_driver::service::{STOPPED, Service};
use timely_driver::signals;
use timely_driver::target::Target;
use timely_driver::units::{parse_duration, parse_whole};

const AFTER: &str = "\
EXAMPLES
  timelyd --device 0000:03:00.0
  timelyd --device 0000:03:00.0,bar=2,offset=0x110000
  timelyd --device vfio-user:/tmp/nic --heartbeat 500ms --metrics 127.0.0.1:9464
  timelyd --device /dev/mqnic0 --refclock /run/chrony/timely.sock

The file is checked; then the NIC is reset and configured as it says. Every change is written to it. SIGTERM, SIGINT, SIGQUIT and
SIGHUP stop the flows and close the NIC in order; when timelyd is killed, the NIC stops by itself as soon as its heartbeat is missed, and the next start restores the flows.

EXIT CODES
  0  it was asked to end, and the NIC was closed in order
  1  the device or a file could not be used, the device went away or was reset, or the end lost changes that could not be saved
  2  the command line was wrong, or a value of it is out of its range";

/// The daemon of a timely-nic.
#[derive(Parser)]
#[command(name = "timelyd", version, after_help = AFTER)]
struct Cli {
    /// The NIC: a PCI address as 0000:03:00.0, /dev/mqnic0, sysfs:ADDRESS, serial:PORT,
    /// vfio-user:PATH, sim or sim:model.
    #[arg(long, env = "TIMELY_DEVICE")]
    device: Target,
    /// The file of what it is configured to.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where to listen for timelyctl.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Users that may use it, beside root and the one who started it.
    #[arg(long, value_name = "UID", value_parser = parse_whole::<u32>)]
    allow_uid: Vec<u32>,
    /// The NIC stops all flows when it has not heard of timelyd for so long, 100ms at least; 0s
    /// never.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = heartbeat, allow_hyphen_values = true)]
    heartbeat: Duration,
    /// Serves metrics for Prometheus at this address, /metrics; it must be a loopback one.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_socket)]
    metrics: Option<SocketAddr>,
    /// Tells chronyd the card's PTP date once a second, at the socket of its `refclock SOCK PATH tai`.
    #[arg(long, value_name = "PATH")]
    refclock: Option<PathBuf>,
}

/// Two turns of the daemon: with a shorter one it would lose its own heartbeat under load.
const LEAST_HEARTBEAT: Duration = Duration::from_millis(100);

fn heartbeat(text: &str) -> Result<Duration, String> {
    let period = parse_duration(text).map_err(|e| e.to_string())?;
    if period.is_zero() || period >= LEAST_HEARTBEAT {
        return Ok(period);
    }
    Err(format!("`{text}` is shorter than {LEAST_HEARTBEAT:?}, which timelyd keeps under load too; give that or more, or 0s for none"))
}

/// Why it could not go on, and what it exits with.
struct Failed {
    code: u8,
    text: String,
}

impl From<String> for Failed {
    fn from(text: String) -> Self {
        Failed { code: 1, text }
    }
}

fn run(cli: Cli) -> Result<(), Failed> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let wrong = |e: &dyn std::fmt::Display| Failed { code: 2, text: text(e) };
    if let Some(address) = cli.metrics {
        check_metrics(address).map_err(|e| wrong(&e))?;
    }
    let socket = cli.socket.map_or_else(|| cli.device.socket(), Ok).map_err(|e| text(&e))?;
    let file = cli.config.map_or_else(|| cli.device.state(), Ok).map_err(|e| text(&e))?;
    // Before the device is touched: what runs on it goes on when file, options or sockets are
    // wrong.
    let config = Config::read(&file).map_err(|e| text(&e))?;
    Config::check_folder(&file).map_err(|e| format!("{e}; the device goes on as it was"))?;
    let absent = !file.exists();
    let in_file = |e: &dyn std::fmt::Display| format!("{}: {e}; the device goes on as it was", file.display());
    let plan = Plan::new(&config, None).map_err(|e| in_file(&e))?;
    lock::listens_at(&std::path::absolute(&socket).unwrap_or_else(|_| socket.clone()));
    let heartbeat = (!cli.heartbeat.is_zero()).then_some(cli.heartbeat);
    let transport = cli.device.transport(config.device).map_err(|e| text(&e))?;
    Nic::check_closed(&*transport, plan.last_flow(), plan.window, heartbeat).map_err(|e| match e {
        Error::NoFlow { .. } | Error::NoWindow { .. } => in_file(&e).into(),
        Error::Heartbeat { .. } => wrong(&format!("--heartbeat: {e}")),
        e => Failed::from(text(&e)),
    })?;
    // By then it is known what board it is.
    let request = Nic::request(&*transport, config.port.as_ref()).map_err(|e| text(&e))?;
    let request = request.map_err(|e| in_file(&format_args!("[port]: {e}")))?;
    Plan::new(&config, request.as_ref()).map_err(|e| in_file(&e))?;
    let unset = plan.unset(|profile| Nic::keeps_profile(&*transport, profile)).map_err(|e| text(&e))?;
    unset.map_or(Ok(()), |e| Err(in_file(&e)))?;
    let options = Options { socket: socket.clone(), users: cli.allow_uid, heartbeat, metrics: cli.metrics, refclock: cli.refclock };
    let listening = Listening::new(&options).map_err(|e| text(&e))?;
    let signals = signals::ending()?;
    let nic = Nic::open(transport, Start::Fresh).map_err(|e| text(&e))?;
    let mut service = Service::new(nic, Some(file.clone()));
    let (flows, profiles, stopped) = (config.flow.len(), config.profile.len(), !config.is_enabled());
    service.restore(config).map_err(|e| format!("{}: {e}", file.display()))?;
    let daemon = Daemon::at(listening, service, options, signals).map_err(|e| text(&e))?;
    announce(format_args!(
        "timelyd has {}: {flows} flows and {profiles} profiles from {}; listening at {}",
        cli.device,
        file.display(),
        socket.display()
    ));
    if absent {
        announce(format_args!("{} is not there: nothing is configured, and the first change makes the file", file.display()));
    }
    if stopped {
        announce(STOPPED);
    }
    if let Some(address) = daemon.metrics_address() {
        announce(format_args!("metrics at http://{address}/metrics"));
    }
    Ok(daemon.run().map_err(|e| text(&e))?)
}

fn main() -> ExitCode {
    match run(parse_or_man()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            note(format_args!("error: {}", e.text));
            ExitCode::from(e.code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_driver::folders::ROOTS;

    /// Commands of the units are understood by the programs, for the instances that their heads
    /// name.
    #[test]
    fn units_start_what_there_is() {
        for (unit, instance, device) in [
            (include_str!("../../system/timelyd@.service"), "0000:03:00.0", "0000:03:00.0"),
            (include_str!("../../system/timelyd-mqnic@.service"), "mqnic0", "/dev/mqnic0"),
        ] {
            let value = |key: &str| unit.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix('=')).unwrap_or_else(|| panic!("no {key}"));
            assert!(unit.lines().next().is_some_and(|l| l.ends_with(&format!("@{instance}"))), "{unit}");
            let words: Vec<String> = value("ExecStart").replace("%i", instance).split(' ').map(str::to_owned).collect();
            let cli = Cli::try_parse_from(&words).unwrap_or_else(|e| panic!("{words:?}: {e}"));
            assert_eq!((words[0].as_str(), cli.device.to_string().as_str()), ("/usr/bin/timelyd", device));
            assert_eq!(std::path::Path::new("/run").join(value("RuntimeDirectory")), std::path::Path::new(ROOTS));
            // `bind` asks for routes; a card beside its interface is not bound.
            let binds = unit.contains("ExecStartPre=/usr/bin/timelyctl bind %i");
            assert_eq!((binds, value("RestrictAddressFamilies").contains("AF_NETLINK")), (instance != "mqnic0", binds));
        }
    }
}
