//! `cargo xtask rdma-test`: an unmodified RDMA host behind the in-line NIC, paced queue pair by
//! queue pair. Two virtual machines with Debian's kernel, its software RDMA NIC and perftest run
//! against each other through `timely-sim wire`. No KVM, and nothing outside of `target/vm` and
//! `target/rdma` is changed.
mod follow;
mod frames;
mod guest;

use crate::vm::kernel::Machine;
use crate::vm::{NOT_RUN, Running, lines};
use frames::Rate;
use guest::{MARK, Role, Test};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use timely_tools::debian::Contents;
use timely_tools::process::{cargo, run, target};

/// The guests' packages.
const CONTENTS: Contents = Contents {
    packages: "busybox-static,ibverbs-providers,iproute2,linux-image-amd64,perftest",
    suites: &["trixie"],
    what: "kernel and RDMA programs (110 MB, a minute or so)",
};
/// In which the NIC must be there.
const READY: Duration = Duration::from_secs(300);
/// Seconds that both machines may take, when nothing else is said.
const LIMIT: u64 = 300;

/// Tests that run in any case. perftest's GID 1 is the IPv4 address, RoCEv2; its time-out, 67 ms by
/// itself, is 1 s, for on a busy machine the NIC's time runs slower than the guests'.
const SHORT: [Test; 6] = [
    "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 65536 -n 100",
    "ib_send_bw -d rxe0 -x 1 -F -u 18 -s 65536 -n 100",
    "ib_read_bw -d rxe0 -x 1 -F -u 18 -s 65536 -n 100",
    "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 4096 -n 100 -q 4",
    "ib_send_lat -d rxe0 -x 1 -F -u 18 -s 64 -n 100",
    "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 65536 -n 40 -q 2",
];
/// Tests that run besides with --whole.
const LONG: [Test; 3] = [
    "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 1048576 -n 200",
    "ib_read_bw -d rxe0 -x 1 -F -u 18 -s 1048576 -n 200",
    // With more than this in flight the guests' own queues overflow.
    "ib_write_bw -d rxe0 -x 1 -F -u 18 -s 4096 -n 100 -q 64 -t 1",
];

/// Rate of each queue pair, Mb/s of the wire, of which the guests reach several.
const MBPS: f64 = 20.0;
/// Secret of the hash of queue pairs.
const SECRET: [u32; 6] = [0x8f1b_c3d5, 0x2a79_e046, 0xd35c_971e, 0x64b8_0af3, 0x9e02_5d7b, 0x37c6_f189];
/// Packets of a pair, responses to READs included, by which its rate is taken, and how far that may
/// be off. Its first packets pass before the NIC has learned it.
const LEAST: usize = 1000;
const SKIPPED: usize = 100;
const TOLERANCE: f64 = 0.01;

/// The test in two virtual machines.
#[derive(clap::Args)]
pub struct RdmaTest {
    /// More and longer messages, and 64 queue pairs.
    #[arg(long)]
    whole: bool,
    /// The form of the NIC that paces packets with our header alone: RDMA goes past its store.
    #[arg(long)]
    unpaced: bool,
    /// Seconds that the machines may take.
    #[arg(long, default_value_t = LIMIT, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: u64,
    /// Prints what the kernels say too.
    #[arg(long)]
    verbose: bool,
    /// Unpacks nothing, and ends with 4 unless QEMU, kernel and programs are unpacked.
    #[arg(long)]
    if_unpacked: bool,
}

/// The NIC between its sockets in `dir`, which paces queue pairs or does not.
fn wire(dir: &Path, paced: bool) -> Result<Running, String> {
    let mut c = Command::new(target().join("debug/timely-sim"));
    c.args(["wire", "--model", "--json"]).args(paced.then_some("--roce"));
    for end in [Role::Host, Role::Network] {
        c.arg(format!("--{}", end.name())).arg(dir.join(end.name()));
        c.arg(format!("--{}-pcap", end.name())).arg(capture(dir, end));
    }
    c.arg("--registers").arg(dir.join("registers")).stdout(Stdio::piped());
    let mut wire = Running(c.spawn().map_err(|e| format!("timely-sim did not start: {e}"))?);
    // A byte at a time: the summary comes behind this line.
    let out = wire.0.stdout.as_mut().ok_or("timely-sim has no output")?;
    let end = Instant::now() + READY;
    let mut byte = [0];
    while byte != *b"\n" && Instant::now() < end {
        if out.read(&mut byte).map_err(|e| format!("timely-sim: {e}"))? == 0 {
            return Err("the NIC is not there; why is said above".into());
        }
    }
    Ok(wire)
}

/// The NIC's daemon.
fn daemon(dir: &Path) -> Result<Running, String> {
    let mut c = Command::new(target().join("debug/timelyd"));
    c.arg("--device").arg(format!("vfio-user:{}", dir.join("registers").display())).arg("--socket").arg(dir.join("daemon"));
    // On a busy machine it may be late, and the flows would stop.
    c.args(["--heartbeat", "0s"]);
    c.env("XDG_RUNTIME_DIR", dir).env("XDG_STATE_HOME", dir).stdout(Stdio::null());
    let daemon = Running(c.spawn().map_err(|e| format!("timelyd did not start: {e}"))?);
    let end = Instant::now() + READY;
    while UnixStream::connect(dir.join("daemon")).is_err() {
        if Instant::now() > end {
            return Err("timelyd does not listen; why is said above".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(daemon)
}

/// Gives every queue pair that the NIC hears of the same rate.
fn pace(dir: &Path) -> Result<(), String> {
    let rate = format!("{MBPS}Mbps");
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut commands = vec![
        words("port set --mac 52:54:00:00:00:01 --ipv4 10.0.0.1 --line 10Gbps --no-answer"),
        words(&format!("profile set 0 fixed --line {rate} outstanding=0B timeout=0us")),
        // Above a window of rxe's: 128 packets of 5 cells.
        words("reg write port.STORE_BOUND 2048"),
        words("reg write roce.PROFILE 0"),
        // A path MTU of 1,024, and perftest's time-out, by which what READs bring is charged.
        words("reg write roce.MTU 3"),
        words("reg write roce.HOST_TIMEOUT 1073742"),
    ];
    // The guests are our own: the secret is none. Its high words are those that tell pairs apart.
    let secret = (0..4).map(|i| format!("SECRET[{i}]")).chain((0..2).map(|i| format!("SECRET_HIGH[{i}]")));
    commands.extend(secret.zip(SECRET).map(|(name, word)| words(&format!("reg write roce.{name} {word}"))));
    // Each fourth packet within a message asks for an ACK: rxe drops those whose ICRC is wrong.
    commands.extend([words("reg write roce.CONTROL 0x9"), words("enable")]);
    for command in commands {
        run(control(dir, &command)).map_err(|e| format!("timelyctl {}: {e}", command.join(" ")))?;
    }
    Ok(())
}

/// `timelyctl` at the NIC's registers.
fn control(dir: &Path, command: &[String]) -> Command {
    let mut c = Command::new(target().join("debug/timelyctl"));
    // No daemon of this machine's is asked, and nothing is kept in its folders.
    c.arg("--device").arg(format!("vfio-user:{}", dir.join("registers").display()));
    c.arg("--socket").arg(dir.join("daemon")).args(command);
    c.env("XDG_RUNTIME_DIR", dir).env("XDG_STATE_HOME", dir).stdout(Stdio::null());
    c
}

fn capture(dir: &Path, end: Role) -> std::path::PathBuf {
    dir.join(format!("{}.pcapng", end.name()))
}

/// Waits for a guest's end; gives its own lines, and whether it passed.
fn ended(machine: &mut Child, role: Role, verbose: bool, limit: Duration) -> Result<(Vec<String>, bool), String> {
    let out = machine.stdout.take().ok_or("QEMU has no output")?;
    let mut said = Vec::new();
    let end = lines(out, limit, |line| match line.split_once(MARK) {
        Some((_, "passed")) => Some(true),
        Some((_, "failed")) => Some(false),
        Some((_, words)) => {
            said.push(words.to_owned());
            None
        }
        None => {
            if verbose {
                eprintln!("{}: {line}", role.name());
            }
            None
        }
    });
    let end = end.map_err(|e| format!("the {}'s machine: {e}; it said: {}", role.name(), said.join("; ")))?;
    let end = end.ok_or_else(|| format!("the {}'s machine ended before its tests did; --verbose shows its kernel's words", role.name()))?;
    Ok((said, end))
}

impl RdmaTest {
    /// Builds what is missing, and runs both machines.
    pub fn run(self) -> Result<ExitCode, String> {
        let start = Instant::now();
        let (vm, own) = (target().join("vm"), target().join("rdma"));
        if self.if_unpacked && !(Machine::is_there(&vm) && Machine::has(&own, &CONTENTS)) {
            return Ok(ExitCode::from(NOT_RUN));
        }
        for dir in [&vm, &own] {
            std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        }
        let trees = Machine::get(&vm).and_then(|qemu| Ok((qemu, Machine::of(&own, &CONTENTS)?)));
        let (qemu, tree) = match trees {
            Ok(trees) => trees,
            Err(e) => {
                eprintln!("NOT RUN: QEMU, a kernel and RDMA programs cannot be had: {e}");
                return Ok(ExitCode::from(NOT_RUN));
            }
        };
        run(cargo(
            &[&["build", "--quiet", "--workspace"], &["timely-sim", "timelyctl", "timelyd"].map(|b| ["--bin", b]).concat()[..]].concat(),
        ))?;
        let tests: Vec<Test> = SHORT.into_iter().chain(LONG.into_iter().filter(|_| self.whole)).collect();
        // The path of a socket may not be long, and another user must not be able to put one of
        // theirs there.
        let place = tempfile::Builder::new().prefix("timely-rdma-").tempdir();
        let place = place.map_err(|e| format!("{}: {e}; set TMPDIR to a folder that can be written", std::env::temp_dir().display()))?;
        let wire = wire(place.path(), !self.unpaced)?;
        let daemon = daemon(place.path())?;
        let mut following = None;
        if !self.unpaced {
            pace(place.path())?;
            following = Some(follow::start(place.path())?);
        }
        let prepared = start.elapsed();
        let limit = Duration::from_secs(self.limit);
        let guest = |role| -> Result<Running, String> {
            let initrd = guest::initrd(&own, &tree, role, &tests)?;
            let mut c = guest::qemu(&qemu, &tree, &initrd, role, &place.path().join(role.name()), &follow::port(place.path()))?;
            c.spawn().map(Running).map_err(|e| format!("QEMU did not start: {e}"))
        };
        let mut machines = [(Role::Network, guest(Role::Network)?), (Role::Host, guest(Role::Host)?)];
        let results = std::thread::scope(|scope| {
            let all: Vec<_> = machines.iter_mut().map(|(role, m)| scope.spawn(|| ended(&mut m.0, *role, self.verbose, limit))).collect();
            all.into_iter().map(|t| t.join().unwrap_or_else(|_| Err("a thread ended".into()))).collect::<Result<Vec<_>, _>>()
        })?;
        drop(machines);
        let joined = following.map(follow::Follow::end).transpose()?;
        // What the NIC counted, by name.
        let mut counted = control(place.path(), &["info".into()]);
        counted.stdout(Stdio::inherit());
        run(counted)?;
        drop(daemon);
        for ((said, _), role) in results.iter().zip([Role::Network, Role::Host]) {
            said.iter().for_each(|line| println!("{:8} {line}", role.name()));
        }
        println!("{}", summary(wire)?);
        let [host, network] = [Role::Host, Role::Network].map(|end| {
            let file = capture(place.path(), end);
            std::fs::read(&file).map(|bytes| frames::read(&bytes)).map_err(|e| format!("{}: {e}", file.display()))
        });
        let (host, network) = (host?, network?);
        let [sent, received] = [("host to network", &host, &network), ("network to host", &network, &host)].map(|(way, from, to)| {
            let same = frames::same(from, to).map_err(|e| format!("{way}: {e}"));
            same.inspect(|(n, made)| println!("{way}: {n} frames, byte for byte the same, but for {made} that were made to ask for an ACK"))
        });
        let ((sent, asking), (received, others)) = (sent?, received?);
        if sent == 0 || received == 0 {
            return Err("no frame went through the NIC".into());
        }
        // Each fourth of the data within messages: more than a sixth of all frames of the host.
        let asked = 6 * asking > sent;
        if asked == self.unpaced || (self.unpaced && asking > 0) || others > 0 {
            return Err(format!("{asking} requests of the host, and {others} of the network, were made to ask for an ACK"));
        }
        let rates = frames::rates(&network, SKIPPED, LEAST);
        for Rate { pair, requests, packets, mbps } in &rates {
            let brings = if packets > requests { format!(" with {} responses", packets - requests) } else { String::new() };
            println!("queue pair {pair:#x}: {requests} requests{brings} at {mbps:.2} Mb/s of the wire");
        }
        let joined = joined.unwrap_or_default();
        // The lists, by which pairs are joined, cost the emulated host some of its rate.
        let off = rates.iter().find(|r| !joined.contains(&u64::from(r.pair)) && (r.mbps / MBPS - 1.0).abs() > TOLERANCE);
        if let Some(Rate { pair, mbps, .. }) = off.filter(|_| !self.unpaced) {
            return Err(format!("queue pair {pair:#x} went at {mbps:.2} Mb/s, not at {MBPS}"));
        }
        let readers = rates.iter().filter(|r| r.packets > r.requests).count();
        if !self.unpaced && (rates.len() < 7 || readers == 0) {
            return Err(format!("{} queue pairs sent {LEAST} packets, 7 should have, and {readers} of them READs", rates.len()));
        }
        if !self.unpaced {
            println!("{} queue pairs were joined by their answers", joined.len());
            if joined.len() != 2 {
                return Err(format!("the 2 queue pairs of `{}` should have been", guest::LISTED));
            }
        }
        if !results.iter().all(|r| r.1) {
            return Err("a program failed in the virtual machines; why is said above".into());
        }
        println!("passed in {:.0} s, of which {:.0} s to prepare", start.elapsed().as_secs_f64(), prepared.as_secs_f64());
        Ok(ExitCode::SUCCESS)
    }
}

/// Ends the NIC, and gives what it says.
fn summary(mut wire: Running) -> Result<String, String> {
    let mut kill = Command::new("kill");
    kill.arg(wire.0.id().to_string());
    run(kill)?;
    let mut said = String::new();
    wire.0.stdout.take().ok_or("timely-sim has no output")?.read_to_string(&mut said).map_err(|e| format!("timely-sim: {e}"))?;
    let status = wire.0.wait().map_err(|e| format!("timely-sim: {e}"))?;
    if status.success() { Ok(said.trim_end().to_owned()) } else { Err(format!("timely-sim ended with {status}")) }
}
