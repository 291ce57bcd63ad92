//! `--device sim`: two simulated NICs with a link between them, one of them ours, run by
//! `timely-sim` in the background: once a user, until they are stopped, or unused for half an hour.
use crate::folders::{FolderError, runtime_folder};
use crate::say::note;
use std::fs::File;
use std::io;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time without a client after which they end.
const IDLE: Duration = Duration::from_secs(1800);
/// How long they may take to start: the Verilog is compiled at the first time.
const START: Duration = Duration::from_secs(600);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// MAC address of our NIC of the pair.
pub const OWN_MAC: &str = "02:74:6e:00:00:00";
/// IPv4 address of our NIC of the pair.
pub const OWN_IPV4: &str = "11.0.0.1";
/// MAC address of the other one.
pub const PEER_MAC: &str = "02:74:6e:00:00:01";
/// IPv4 address of the other one.
pub const PEER_IPV4: &str = "11.0.1.1";

/// Why there is no simulated NIC.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// There is no program for it.
    #[error("timely-sim cannot be started ({}): {source}; build it (cargo build --release -p timely-sim), or set TIMELY_SIM to its path", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program ended.
    #[error("timely-sim ended ({status}); {} says why. `--device sim:model` needs neither Verilator nor a compiler", log.display())]
    Ended {
        /// How.
        status: String,
        /// Log of the program.
        log: PathBuf,
    },
    /// The program did not listen in time.
    #[error("timely-sim was not up after {START:?}; {} says how far it came", log.display())]
    Late {
        /// Log of the program.
        log: PathBuf,
    },
    /// A file.
    #[error("{}: {source}; set XDG_RUNTIME_DIR to a folder of your own", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder's path is too long for a socket in it.
    #[error("{}: a socket's path has 107 bytes at most, this one {}; set XDG_RUNTIME_DIR to a folder with a shorter path", .0.display(), .0.as_os_str().len())]
    Long(PathBuf),
    /// No folder for its socket.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The other pair runs.
    #[error("no simulated NIC runs as {asked}, one does as {runs}; `timelyctl --device {runs} sim stop` ends it")]
    Other {
        /// The pair that was to be ended, as `--device` takes it.
        asked: &'static str,
        /// The pair that runs.
        runs: &'static str,
    },
    /// None runs.
    #[error("no simulated NIC runs; any command with --device sim starts one")]
    None,
}

/// The pair as `--device` takes it.
pub fn name(model: bool) -> &'static str {
    if model { "sim:model" } else { "sim" }
}

/// The program: `TIMELY_SIM`, or what stands beside this one, or what `PATH` has.
fn program() -> PathBuf {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("timely-sim")).filter(|p| p.exists());
    std::env::var_os("TIMELY_SIM").map(PathBuf::from).or_else(beside).unwrap_or_else(|| "timely-sim".into())
}

fn file(folder: &Path, model: bool, end: &str) -> PathBuf {
    folder.join(format!("sim{}.{end}", if model { "-model" } else { "" }))
}

/// The socket of the pair, which is started if it does not run.
///
/// # Errors
/// When it cannot be started.
pub fn running(model: bool) -> Result<PathBuf, SimError> {
    let folder = runtime_folder()?;
    let [socket, start, log, pid] = ["sock", "start", "log", "pid"].map(|end| file(&folder, model, end));
    SocketAddr::from_pathname(&socket).map_err(|_| SimError::Long(socket.clone()))?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SimError::File { path, source }
    };
    // One at a time: two that start would take each other's socket.
    let lock = File::create(&start).map_err(failed(&start))?;
    lock.lock().map_err(failed(&start))?;
    if UnixStream::connect(&socket).is_ok() {
        return Ok(socket);
    }
    // A socket that a killed server left.
    let _ = std::fs::remove_file(&socket);
    let (program, out) = (program(), File::create(&log).map_err(failed(&log))?);
    note(format_args!(
        "starting two simulated NICs with a link between them in the background; `timelyctl --device {} sim stop` ends them",
        name(model)
    ));
    if !model {
        note("they run the Verilog, which is compiled once: a minute or so; `--device sim:model` starts at once");
    }
    let mut command = Command::new(&program);
    command.arg("serve").arg("--socket").arg(&socket).args(["--pair", "--idle-exit", &IDLE.as_secs().to_string()]);
    command.args(model.then_some("--model"));
    let out2 = out.try_clone().map_err(failed(&log))?;
    // A group of its own: what ends this program at the terminal does not end them.
    let spawned = command.stdin(Stdio::null()).stdout(out).stderr(out2).process_group(0).spawn();
    let mut child: Child = spawned.map_err(|source| SimError::Program { program, source })?;
    std::fs::write(&pid, child.id().to_string()).map_err(failed(&pid))?;
    let begun = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        if let Ok(Some(status)) = child.try_wait() {
            return Err(SimError::Ended { status: status.to_string(), log });
        }
        if begun.elapsed() > START {
            let _ = child.kill();
            let _ = child.wait();
            return Err(SimError::Late { log });
        }
        std::thread::sleep(LOOK);
    }
    Ok(socket)
}

/// The process of a pair that runs.
fn process(folder: &Path, model: bool) -> Option<i32> {
    let pid: i32 = std::fs::read_to_string(file(folder, model, "pid")).ok()?.trim().parse().ok()?;
    // The number may be another program's by now.
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    (name.trim() == "timely-sim").then_some(pid)
}

/// Ends the pair.
///
/// # Errors
/// When none runs, or the other one alone.
pub fn stop(model: bool) -> Result<u32, SimError> {
    let folder = runtime_folder()?;
    let found = process(&folder, model);
    let _ = std::fs::remove_file(file(&folder, model, "pid"));
    let Some(pid) = found else {
        let other = process(&folder, !model).map(|_| SimError::Other { asked: name(model), runs: name(!model) });
        return Err(other.unwrap_or(SimError::None));
    };
    let ended = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM);
    ended.map_err(|_| SimError::None)?;
    Ok(pid as u32)
}
