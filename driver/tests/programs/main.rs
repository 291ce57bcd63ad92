//! `timelyctl` and `timelyd` as processes, on a modelled NIC that is served by another one: what
//! they print, what they exit with, and what becomes of them when the others are killed.
mod boards;
mod daemon;
mod events;
mod faults;
mod follow;
mod keys;
mod kicks;

mod pairs;
mod ports;
mod saved;
mod terminal;
mod traffic;
mod user;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Longest wait; reached only on a machine that is very busy.
const LIMIT: Duration = Duration::from_secs(60);

/// Stand-in for `timely-sim`: this program, which serves.
#[test]
fn helper_that_serves() {
    #[derive(clap::Parser)]
    struct Cli {
        #[command(subcommand)]
        command: Verb,
    }
    #[derive(clap::Subcommand)]
    enum Verb {
        Serve(timely_sim::serve::command::Arguments),
        Wire(timely_sim::bump::command::Arguments),
    }
    let Ok(words) = std::env::var("TIMELY_TEST_SERVE") else { return };
    match <Cli as clap::Parser>::parse_from(std::iter::once("timely-sim").chain(words.split(' '))).command {
        Verb::Serve(arguments) => arguments.run().expect("served"),
        Verb::Wire(arguments) => arguments.run().expect("served"),
    }
}

/// A folder for sockets, states and files, in which a test is alone.
struct Place(PathBuf);

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Exit code and output, once the program has ended.
    fn ended(mut self) -> (Option<i32>, String) {
        fn all(pipe: Option<impl std::io::Read + Send + 'static>) -> Option<std::thread::JoinHandle<String>> {
            let read = |mut pipe: Box<dyn std::io::Read + Send>| {
                let mut said = String::new();
                pipe.read_to_string(&mut said).expect("text");
                said
            };
            pipe.map(|pipe| std::thread::spawn(move || read(Box::new(pipe))))
        }
        // Read meanwhile, or the program may wait until its output is read.
        let said = [all(self.0.stdout.take()), all(self.0.stderr.take())];
        let process = rustix::process::Pid::from_child(&self.0);
        if let Ok(fd) = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()) {
            let limit = rustix::event::Timespec { tv_sec: LIMIT.as_secs() as i64, tv_nsec: 0 };
            let mut fds = [rustix::event::PollFd::new(&fd, rustix::event::PollFlags::IN)];
            assert_eq!(rustix::event::poll(&mut fds, Some(&limit)), Ok(1), "it does not end");
        }
        let code = self.0.wait().expect("a child").code();
        (code, said.into_iter().flatten().map(|thread| thread.join().expect("text")).collect())
    }

    fn signal(&self, signal: nix::sys::signal::Signal) {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.0.id() as i32), signal).expect("a child");
    }
}

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("timely-programs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = Place(std::env::temp_dir().join(name));
        std::fs::create_dir(&place.0).expect("a folder");
        // A process is called by the name that it was started by.
        let this = std::env::current_exe().expect("this program");
        std::os::unix::fs::symlink(this, place.path("timely-sim")).expect("a link");
        // Not written here: while another test's child holds it open it cannot be run.
        let serve = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/serve.sh");
        std::os::unix::fs::symlink(serve, place.path("serve")).expect("a link");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn program(&self, program: &str, arguments: &[&str]) -> Command {
        let mut c = Command::new(program);
        c.args(arguments).env("XDG_RUNTIME_DIR", self.path("run")).env("XDG_STATE_HOME", self.path("state"));
        c.env("TIMELY_SIM", self.path("serve")).env_remove("TIMELY_DEVICE").env_remove("TIMELY_SOCKET").stdin(Stdio::null());
        c
    }

    fn ctl(&self, arguments: &[&str]) -> Output {
        self.program(env!("CARGO_BIN_EXE_timelyctl"), arguments).output().expect("started")
    }

    /// Output of a command, which must succeed.
    fn said(&self, arguments: &[&str]) -> String {
        let out = self.ctl(arguments);
        assert!(out.status.success(), "timelyctl {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text")
    }

    fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let text = self.said(&[&["--json"], arguments].concat());
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments:?} printed {text}: {e}"))
    }

    /// Holds that a command ends with a code and names all of these.
    fn refused(&self, arguments: &[&str], code: i32, names: &[&str]) {
        let out = self.ctl(arguments);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "timelyctl {arguments:?}: {text}");
        for name in names {
            assert!(text.contains(name), "timelyctl {arguments:?} does not name {name:?}: {text}");
        }
    }

    /// A served pair of modelled NICs; its device.
    fn serve(&self) -> (Running, String) {
        self.serve_behind("standalone")
    }

    /// Serves a NIC behind a shell.
    fn serve_behind(&self, shell: &str) -> (Running, String) {
        let socket = self.path("nic");
        let mut c = self.program(self.path("serve").to_str().expect("a path"), &["serve", "--model", "--pair", "--shell", shell]);
        if shell != "standalone" {
            // Few flows: where no reset reaches the registers, flows are cleared one by one.
            c.args(["--flow-bits", "6"]);
        }
        let child = Running(c.arg("--socket").arg(&socket).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started"));
        wait_for(&socket);
        (child, format!("vfio-user:{}", socket.display()))
    }

    /// A daemon; where it listens is where `timelyctl` looks.
    fn daemon(&self, device: &str, more: &[&str]) -> Running {
        let mut c = self.program(env!("CARGO_BIN_EXE_timelyd"), &[&["--device", device][..], more].concat());
        Running(c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"))
    }

    /// A daemon that listens.
    fn listening(&self, device: &str) -> Running {
        let running = self.daemon(device, &[]);
        wait_for(&self.daemon_socket(device));
        running
    }

    /// The file of what a device is configured to.
    fn state(&self, device: &str) -> PathBuf {
        let target: timely_driver::target::Target = device.parse().expect("a device");
        self.path("state/timely").join(format!("{}.toml", target.slug()))
    }

    fn daemon_socket(&self, device: &str) -> PathBuf {
        let target: timely_driver::target::Target = device.parse().expect("a device");
        self.path("run/timely").join(format!("timelyd-{}.sock", target.slug()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Waits until a server listens.
fn wait_for(socket: &Path) {
    let start = Instant::now();
    while std::os::unix::net::UnixStream::connect(socket).is_err() {
        assert!(start.elapsed() < LIMIT, "nobody listens at {}", socket.display());
        std::thread::yield_now();
    }
}
