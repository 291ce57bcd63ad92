//! The command line of `timely-sim serve`.
use super::device::Function;
use super::listener::Listener;
use super::setup::{Options, Pair, wire};
use super::shell::Shell;
use super::{End, serve};
use crate::cores;
use crate::output::{note, print};
use crate::quantity::within;
use crate::scenario::NicKind;
use crate::time::{Speed, US, ps};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::low_level::pipe;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;
use timely_regs::text::{parse_whole, parse_whole_within};

/// Text after the options in the help.
const AFTER: &str = "\
EXAMPLES
  timely-sim serve --socket /tmp/nic --model
  timely-sim serve --socket /tmp/nic --pair --traffic 4 --idle-exit 600
  qemu-system-x86_64 ... -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"path\":\"/tmp/nic\",\"type\":\"unix\"}}'

A line on stdout says when clients may connect. There is one client at a time; others are refused (EBUSY). SIGTERM and SIGINT end the server
and remove its socket. Simulated time runs no faster than the wall's clock, and a Verilated NIC's far slower; docs/simulator.md says more.";

/// The options.
#[derive(clap::Args, Debug)]
#[command(after_help = AFTER)]
pub struct Arguments {
    /// Where to listen; only the owner of the socket may connect.
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// The integer model in place of the Verilated NIC: the same at every pin, and many times
    /// faster.
    #[arg(long)]
    model: bool,
    /// Bits of the NIC's data path: 64, 128, 256 or 512.
    #[arg(long, value_name = "BITS", default_value_t = 64, value_parser = bus, allow_negative_numbers = true)]
    bus: u32,
    /// log2 of the NIC's flows.
    #[arg(long, value_name = "BITS", default_value_t = 10, value_parser = |s: &str| parse_whole_within::<u32>(s, 4..=16), allow_negative_numbers = true)]
    flow_bits: u32,
    /// Speed of the wire, Gb/s.
    #[arg(long, value_name = "GBPS", default_value_t = 10.0, value_parser = gbps, allow_negative_numbers = true)]
    gbps: f64,
    /// Joins the NIC to a second one, which answers it: host 1 (02:74:6e:00:00:01, 11.0.1.1, UDP
    /// port 21609). What that one sends goes to host 0 (02:74:6e:00:00:00, 11.0.0.1).
    #[arg(long)]
    pair: bool,
    /// One-way delay of the link between the two, microseconds.
    #[arg(long, value_name = "US", default_value_t = 5.0, requires = "pair", value_parser = delay, allow_negative_numbers = true)]
    delay_us: f64,
    /// Endless flows that the second NIC sends, from when it hears from the first.
    #[arg(long, value_name = "FLOWS", default_value_t = 1, requires = "pair", value_parser = parse_whole::<u32>, allow_negative_numbers = true)]
    traffic: u32,
    /// Profile of these flows.
    #[arg(long, value_name = "NAME", default_value = "timely-10g", requires = "pair")]
    profile: String,
    /// Serves it as the card of another shell: corundum, opennic, taxi, or netfpga-plus, whose
    /// registers only configuration tells (bar=2,offset=0x110000).
    #[arg(long, value_name = "NAME", default_value = "standalone", value_parser = Shell::named)]
    shell: &'static Shell,
    /// Resets the NIC when its client goes, as the kernel does with a VFIO device that its last
    /// user closed. Else it runs on, as vfio-user has it: without DMA and interrupts, at a slow
    /// pace.
    #[arg(long)]
    reset_on_close: bool,
    /// Ends after so many seconds without a client.
    #[arg(long, value_name = "SECONDS", value_parser = idle, allow_negative_numbers = true)]
    idle_exit: Option<u64>,
    /// Seed of what Verilog leaves uninitialised, and of how the memory stalls.
    #[arg(long, default_value_t = 1, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
}

/// Longest wait for a client, seconds: thirty years, which the kernel's clock holds.
const LONGEST_IDLE: u64 = 1_000_000_000;

/// A seed as an option has it.
///
/// # Errors
/// The text is no seed; the sentence says what is one.
pub fn seed(text: &str) -> Result<u64, String> {
    parse_whole(text).map_err(|_| format!("allowed: 0 to {}", u64::MAX))
}

fn bus(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|b| [64, 128, 256, 512].contains(b)).ok_or_else(|| "64, 128, 256 or 512".into())
}

/// A speed as an option has it, Gb/s.
///
/// # Errors
/// The text is no speed; the sentence says what is one.
pub fn gbps(text: &str) -> Result<f64, String> {
    within(text, "gbps", 0.001, 1000.0)
}

fn delay(text: &str) -> Result<f64, String> {
    within(text, "us", 0.1, 100_000.0)
}

// Whole seconds, what is said in other units rounded up.
fn idle(text: &str) -> Result<u64, String> {
    within(text, "s", 0.001, LONGEST_IDLE as f64).map(|s| s.ceil() as u64)
}

/// Signals that were ignored when the program started, as by `nohup`: a handler would let them
/// through. `status` is `/proc/self/status`.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0)
}

/// Readable from when a signal has asked the program to end.
pub struct Signals {
    stop: UnixStream,
    /// Where no signal is caught, this is the only other end.
    _other: UnixStream,
}

impl Signals {
    /// Catches SIGTERM, SIGINT, SIGQUIT and SIGHUP, but those that were ignored at the start.
    ///
    /// # Errors
    /// A signal cannot be caught.
    pub fn caught() -> Result<Self, String> {
        let (stop, other) = UnixStream::pair().map_err(|e| format!("a pair of sockets: {e}"))?;
        let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
        for signal in [SIGTERM, SIGINT, SIGQUIT, SIGHUP].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0) {
            let end = other.try_clone().map_err(|e| format!("a socket: {e}"))?;
            pipe::register(signal, end).map_err(|e| format!("a handler of signal {signal}: {e}"))?;
        }
        Ok(Signals { stop, _other: other })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stop.as_fd()
    }
}

impl Arguments {
    fn options(&self) -> Options {
        let pair = Pair { delay: ps(self.delay_us, US), flows: self.traffic, profile: self.profile.clone() };
        Options {
            kind: if self.model { NicKind::Model } else { NicKind::Rtl },
            bus_bits: self.bus,
            flow_bits: self.flow_bits,
            speed: Speed::gbps(self.gbps),
            pair: self.pair.then_some(pair),
            seed: self.seed,
        }
    }

    /// Serves until a signal, or until there was no client for too long.
    ///
    /// # Errors
    /// The server cannot start or go on; the sentence says why.
    pub fn run(&self) -> Result<(), String> {
        let stop = Signals::caught()?;
        let listener = Listener::bind(&self.socket)?;
        let function = Function::new(wire(&self.options(), &cores::known())?, !self.reset_on_close).behind(self.shell);
        let kind = if self.model { "modelled" } else { "Verilated" };
        let (flows, pair) = (1u32 << self.flow_bits, if self.pair { ", linked to a second one" } else { "" });
        // The server runs even if this line cannot be written.
        let _ = print(format_args!("serving a {kind} NIC ({}-bit bus, {flows} flows{pair}) at {}", self.bus, self.socket.display()));
        match serve(&listener, function, &stop, self.idle_exit.map(Duration::from_secs))? {
            End::Stopped => note("stopped by a signal"),
            End::Idle => note(format_args!("no client for {} s: ended", self.idle_exit.unwrap_or(0))),
        }
        Ok(())
    }
}
