//! The command line of `timely-sim wire`.
use super::Shared;
use super::ends::{Capture, Outside};
use super::setup::{self, Options};
use super::sockets::Sockets;
use super::summary::Summary;
use crate::cores;
use crate::output::{note, print};
use crate::scenario::NicKind;
use crate::serve::command::{Signals, gbps, seed};
use crate::serve::device::Function;
use crate::serve::listener::Listener;
use crate::serve::serve_beside;
use crate::serve::shell::Shell;
use crate::time::Speed;
use std::path::PathBuf;
use std::sync::Arc;
use timely_regs::text::parse_whole_within;

/// Text after the options in the help.
const AFTER: &str = "\
EXAMPLES
  timely-sim wire --model --host /tmp/host --network /tmp/network --registers /tmp/registers
  qemu-system-x86_64 ... -netdev stream,id=n0,server=off,addr.type=unix,addr.path=/tmp/host -device virtio-net-pci,netdev=n0
  timelyctl --device vfio-user:/tmp/registers info
  timely-sim wire --model --roce --host /tmp/host --network /tmp/network --registers /tmp/registers

A line on stdout says when machines may connect: the one that the NIC is in at --host, the network, or another machine, at --network, the driver
at --registers. Each socket takes one at a time, of its owner's. SIGTERM and SIGINT end it, with a summary on stdout.
Simulated time follows the wall's clock with --model; the Verilated NIC is far slower, and the summary says by which factor. Its Verilog comes
from TIMELY_VERILOG; docs/simulator.md says more.";

/// The options.
#[derive(clap::Args, Debug)]
#[command(after_help = AFTER)]
pub struct Arguments {
    /// Where the machine connects that the NIC is in: as QEMU's -netdev stream, four bytes of
    /// length before each frame.
    #[arg(long, value_name = "PATH")]
    host: PathBuf,
    /// Where the network connects, or a second machine.
    #[arg(long, value_name = "PATH")]
    network: PathBuf,
    /// Where clients of vfio-user reach the NIC's registers, as an OpenNIC card's.
    #[arg(long, value_name = "PATH")]
    registers: PathBuf,
    /// The integer model in place of the Verilated NIC: the same at every pin, and many times
    /// faster.
    #[arg(long)]
    model: bool,
    /// The form whose flows are RoCEv2's queue pairs; its Verilog is that of `timely-hw emit
    /// --shell opennic --roce`.
    #[arg(long)]
    roce: bool,
    /// log2 of the NIC's flows.
    #[arg(long, value_name = "BITS", default_value_t = 10, value_parser = |s: &str| parse_whole_within::<u32>(s, 4..=16), allow_negative_numbers = true)]
    flow_bits: u32,
    /// Speed of the link to the network, Gb/s, 100 at most.
    #[arg(long, value_name = "GBPS", default_value_t = 10.0, value_parser = speed, allow_negative_numbers = true)]
    gbps: f64,
    /// Writes the frames at the host's end to this file, pcapng with simulated time.
    #[arg(long, value_name = "FILE")]
    host_pcap: Option<PathBuf>,
    /// Writes the frames at the network's end to this file.
    #[arg(long, value_name = "FILE")]
    network_pcap: Option<PathBuf>,
    /// The summary as JSON.
    #[arg(long)]
    json: bool,
    /// Seed of what Verilog leaves uninitialised.
    #[arg(long, default_value_t = 1, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
}

fn speed(text: &str) -> Result<f64, String> {
    gbps(text).and_then(|g| if g <= 100.0 { Ok(g) } else { Err("0.001 to 100 Gb/s".into()) })
}

impl Arguments {
    /// Passes frames until a signal.
    ///
    /// # Errors
    /// A socket or a file cannot be had, or the NIC; the sentence says why.
    pub fn run(&self) -> Result<(), String> {
        let stop = Signals::caught()?;
        if self.host_pcap.is_some() && self.host_pcap == self.network_pcap {
            return Err("--host-pcap and --network-pcap are one file; name two".into());
        }
        let (shared, woken) = Shared::new().map_err(|e| format!("a pair of sockets: {e}"))?;
        let shared = Arc::new(shared);
        let capture = |file: &Option<PathBuf>, name| file.as_ref().map(|f| Capture::create(f, name)).transpose();
        let captures = [capture(&self.host_pcap, "host")?, capture(&self.network_pcap, "network")?];
        let options = Options {
            kind: if self.model { NicKind::Model } else { NicKind::Rtl },
            pairs: self.roce,
            flow_bits: self.flow_bits,
            speed: Speed::gbps(self.gbps),
            seed: self.seed,
        };
        let ends = Outside::new(shared.clone(), captures);
        let wire = setup::wire(&options, &cores::known(), Box::new(ends))?;
        let function = Function::new(wire, true).behind(Shell::named("opennic")?);
        let [host, network, registers] = [&self.host, &self.network, &self.registers].map(|path| Listener::bind(path));
        let (host, network, registers) = (host?, network?, registers?);
        let kind = if self.model { "modelled" } else { "Verilated" };
        // Frames pass even if this line cannot be written.
        let _ = print(format_args!(
            "a {kind} NIC is between {} and {}, its registers at {}",
            self.host.display(),
            self.network.display(),
            self.registers.display()
        ));
        let frames = shared.clone();
        let pass = move |orders| {
            if let Err(e) = Sockets::new([&host, &network], &frames, woken, orders).run() {
                note(e);
            }
        };
        serve_beside(&registers, function, &stop, None, pass, || shared.close())?;
        let summary = Summary::of(&shared);
        if self.json {
            return print(serde_json::to_string_pretty(&summary).map_err(|e| e.to_string())?);
        }
        print(summary)
    }
}
