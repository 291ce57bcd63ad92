//! `cargo xtask vm-test`: the driver on a real kernel's VFIO. A virtual machine with an emulated
//! IOMMU has the Verilated NIC as a PCI device, and runs the driver's self-test on it. No KVM, and
//! nothing outside of `target/vm` is changed.
pub mod archive;
mod guest;
pub mod kernel;

use kernel::Machine;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use timely_tools::process::{cargo, run, target};
use timely_tools::setup;

/// In which the NIC must be compiled, if it is not yet, and serve.
const SERVE: Duration = Duration::from_secs(300);
/// Seconds after which an unused server ends by itself, whatever becomes of us.
const ALONE: &str = "240";

/// Seconds that the machine may take, when nothing else is said.
const LIMIT: u64 = 180;

/// Exit code when this machine cannot have QEMU and a kernel: no fault of what is tested.
pub const NOT_RUN: u8 = 4;

/// The test in a virtual machine.
#[derive(clap::Args)]
pub struct VmTest {
    /// The integer model in place of the Verilated NIC.
    #[arg(long)]
    model: bool,
    /// With a second NIC that answers, for RTTs, rates and ACKs: what is done unless --alone is
    /// given.
    #[arg(long, conflicts_with = "alone")]
    pair: bool,
    /// Without one.
    #[arg(long)]
    alone: bool,
    /// Seconds that the machine may take.
    #[arg(long, default_value_t = LIMIT, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: u64,
    /// Prints what the kernel says too.
    #[arg(long)]
    verbose: bool,
    /// Unpacks nothing, and ends with 4 unless QEMU and a kernel are unpacked.
    #[arg(long)]
    if_unpacked: bool,
}

/// A program that does not outlive us.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Lines of a program's output, handed to `each` until that gives something or `limit` has passed;
/// `None` when the output ends before.
pub fn lines<T>(out: impl Read + Send + 'static, limit: Duration, mut each: impl FnMut(&str) -> Option<T>) -> Result<Option<T>, String> {
    let (sender, inbox) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                break;
            }
        }
    });
    let end = Instant::now() + limit;
    loop {
        match inbox.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(found) = each(&line) {
                    return Ok(Some(found));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => return Err(format!("nothing more came within {} s", limit.as_secs())),
        }
    }
}

/// Starts the server and waits until it serves.
fn serve(socket: &Path, options: &VmTest, tools: &setup::Tools) -> Result<Running, String> {
    let mut c = Command::new(target().join("debug/timely-sim"));
    c.args(["serve", "--idle-exit", ALONE, "--socket"]).arg(socket).args(options.model.then_some("--model"));
    c.args(options.is_paired().then_some("--pair"));
    tools.prepare(&mut c);
    let mut child = c.stdout(Stdio::piped()).spawn().map_err(|e| format!("timely-sim did not start: {e}"))?;
    let out = child.stdout.take().ok_or("timely-sim has no output")?;
    let server = Running(child);
    let line = lines(out, SERVE, |line| Some(line.to_owned()))?.ok_or("the NIC is not served; why is said above")?;
    eprintln!("{line}");
    Ok(server)
}

fn qemu(tree: &Machine, socket: &Path, initrd: &Path) -> Result<Command, String> {
    let mut c = tree.qemu();
    // The device in the middle: an IOMMU must be there before what it guards. A Verilated NIC may
    // take its time.
    let device = serde_json::json!({
        "driver": "vfio-user-pci",
        "addr": "5",
        "x-msg-timeout": 60_000,
        "socket": { "path": socket, "type": "unix" },
    });
    c.args(["-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1", "-m", "512", "-nodefaults", "-nographic"]);
    c.args([
        "-serial",
        "stdio",
        "-no-reboot",
        "-object",
        "memory-backend-memfd,id=mem,size=512M,share=on",
        "-machine",
        "memory-backend=mem",
    ]);
    c.args(["-device", "intel-iommu,intremap=on,caching-mode=on", "-device"]).arg(device.to_string());
    c.arg("-kernel").arg(tree.kernel()?).arg("-initrd").arg(initrd);
    c.args(["-append", "console=ttyS0 panic=-1 quiet intel_iommu=on no_timer_check"]);
    c.stdin(Stdio::null()).stdout(Stdio::piped());
    Ok(c)
}

impl VmTest {
    /// A second NIC answers.
    fn is_paired(&self) -> bool {
        self.pair || !self.alone
    }

    /// Builds what is missing and runs the machine.
    pub fn run(self) -> Result<ExitCode, String> {
        let start = Instant::now();
        let dir = target().join("vm");
        if self.if_unpacked && !Machine::is_there(&dir) {
            return Ok(ExitCode::from(NOT_RUN));
        }
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let tools = setup::tools(setup::For::Running)?;
        let tree = match Machine::get(&dir) {
            Ok(tree) => tree,
            Err(e) => {
                eprintln!("NOT RUN: QEMU and a kernel cannot be had: {e}");
                return Ok(ExitCode::from(NOT_RUN));
            }
        };
        let mut build = cargo(&["build", "--quiet", "--workspace", "--bin", "timely-sim"]);
        tools.prepare(&mut build);
        run(build)?;
        let initrd = guest::initrd(&dir, &tree, self.is_paired())?;
        let prepared = start.elapsed();
        // The path of a socket may not be long, and another user must not be able to put one of
        // theirs there.
        let own = tempfile::Builder::new().prefix("timely-vm-").tempdir();
        let own = own.map_err(|e| format!("{}: {e}; set TMPDIR to a folder that can be written", std::env::temp_dir().display()))?;
        let socket = own.path().join("nic");
        let server = serve(&socket, &self, &tools)?;
        let mut machine = qemu(&tree, &socket, &initrd)?.spawn().map_err(|e| format!("QEMU did not start: {e}"))?;
        let out = machine.stdout.take().ok_or("QEMU has no output")?;
        let machine = Running(machine);
        let ended = lines(out, Duration::from_secs(self.limit), |line| match line.split_once(guest::MARK) {
            Some((_, "passed")) => Some(true),
            Some((_, "failed")) => Some(false),
            Some((_, said)) => {
                println!("{said}");
                None
            }
            None => {
                if self.verbose {
                    eprintln!("{line}");
                }
                None
            }
        });
        drop((machine, server, own));
        let passed = ended.map_err(|e| format!("the virtual machine: {e}; --verbose shows its kernel's words"))?;
        match passed {
            Some(true) => println!("passed in {:.0} s, of which {:.0} s to prepare", start.elapsed().as_secs_f64(), prepared.as_secs_f64()),
            Some(false) => return Err("the driver's test failed in the virtual machine; why is said above".into()),
            None => return Err("the virtual machine ended before its test did; --verbose shows its kernel's words".into()),
        }
        Ok(ExitCode::SUCCESS)
    }
}
