//! `timely-sim`: runs scenarios and the demonstration, and serves a NIC.
#![forbid(unsafe_code)]
// Panics of these macros on a closed or full stdout would be ours.
#![deny(clippy::print_stdout, clippy::print_stderr)]
mod commands;
mod runs;

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use runs::Files;
use std::path::PathBuf;
use std::process::ExitCode;
use timely_regs::text::{parse_bytes_within, parse_ip, parse_whole_within};
use timely_sim::output::note;
use timely_sim::output::terminal::takes_bars;
use timely_sim::quantity::within;
use timely_sim::scenario::file::Overrides;
use timely_sim::scenario::{NicKind, file};
use timely_sim::sweep::Shard;
use timely_sim::time::{MS, Ps};
use timely_sim::{bump, pacing, serve};

const AFTER: &str = "\
EXAMPLES
  timely-sim run sim/scenarios/incast.toml
  timely-sim run sim/scenarios/incast.toml --nics rtl --out out/
  timely-sim run sim/scenarios/incast.toml --nics model --snapshot telemetry.json
  timely-sim run sim/scenarios/incast.toml --nics model --duration-ms 1 --pcap out.pcapng --port 11:10
  timely-sim hpcc topology.txt flow.txt --profile timely-100g --out out/
  timely-sim run sim/scenarios/incast.toml --nics rtl --events target/incast.events
  timely-sim replay target/incast.events
  timely-sim demo --out target/demo
  timely-sim serve --socket /tmp/nic --model
  timely-sim wire --model --host /tmp/host --network /tmp/network --registers /tmp/registers
  timely-sim sweep sim/scenarios/sweep_incast.toml --out target/sweep --shard 0/2
  timely-sim compare a.toml b.toml --out target/compare
  timely-sim paper sigcomm15 table1 fig16 --out target/sigcomm15
  timely-sim paper conext16
  timely-sim ecn-or-delay jitter
  timely-sim fluid timely --flow 7 --flow 3 --duration-ms 300
  timely-sim stability dcqcn --flows 2..30 --delays 50,85
  timely-sim pacing --out target/pacing
  timely-sim lateness --out target/lateness.json
  timely-sim bench --json

A scenario names its topology, switch, NICs, profiles and flows; sim/scenarios/ has commented ones, docs/simulator.md the list of
fields. --out writes report.html and summary.json; that of run and hpcc, where flows end, fct.txt too.

ENVIRONMENT
  TIMELY_CACHE                a folder for compiled models that this user alone can write; otherwise in XDG_CACHE_HOME, ~/.cache, or root's /var/cache
  TIMELY_VERILOG              a folder of emitted Verilog for --nics rtl and serve, in place of that of a 64-bit bus and 1,024 flows
  VERILATOR, CXX              a Verilator and a C++ compiler of your own

EXIT CODES
  0  everything asked for was done
  1  a scenario or a file could not be read, run or written; or an arm of the demo could not
  2  the command line was wrong
  3  run, hpcc: it ran, but flows did not complete in time; demo: it broke a promise it is held to
  4  replay: the file is whole, but updates in it differ from the model's";

/// Simulated networks of timely-nic NICs.
#[derive(Parser)]
#[command(name = "timely-sim", version, after_help = AFTER)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a scenario file (TOML).
    Run {
        /// The scenario.
        scenario: PathBuf,
        #[command(flatten)]
        common: Common,
        /// Length of the run in milliseconds, 0.001 to 1000000, in place of the scenario's; a load
        /// is drawn to its end.
        #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = milliseconds)]
        duration_ms: Option<f64>,
        /// File for the telemetry of every flow at the end, which rtl and model NICs write into
        /// their host's memory (JSON).
        #[arg(long, value_name = "FILE")]
        snapshot: Option<PathBuf>,
        /// File for the frames that pass a port, pcapng; docs/wireshark/timely.lua dissects them.
        #[arg(long, value_name = "FILE", requires = "port")]
        pcap: Option<PathBuf>,
        /// The port to capture: node and number of the link at it, from 0.
        #[arg(long, value_name = "NODE:PORT", requires = "pcap", allow_hyphen_values = true, value_parser = node_and_port)]
        port: Option<(u16, u16)>,
        /// File for the event records of all NICs, which must be rtl or model; `replay` reads it.
        #[arg(long, value_name = "FILE")]
        events: Option<PathBuf>,
        /// Records one of so many rate updates.
        #[arg(long, value_name = "N", default_value_t = 1, requires = "events", allow_negative_numbers = true, value_parser = |s: &str| parse_whole_within::<u16>(s, 1..=65_535))]
        every: u16,
    },
    /// Computes recorded rate updates again on the integer model and says whether they are equal.
    Replay {
        /// Event records behind the profiles that were in force, as `run --events` writes them.
        events: PathBuf,
    },
    /// Runs topology.txt and flow.txt as HPCC's ns-3 simulator has them, and writes fct.txt.
    Hpcc {
        /// `nodes switches links`, the switches, then `src dst rate delay error` for each link.
        topology: PathBuf,
        /// A count, then `src dst pg dport bytes start_s` for each flow.
        flows: PathBuf,
        #[command(flatten)]
        common: Common,
        /// Profile of all flows; by default timely-10g.
        #[arg(long)]
        profile: Option<String>,
        /// Payload bytes of a packet.
        #[arg(long, default_value_t = 1024, allow_negative_numbers = true, value_parser = |s: &str| parse_bytes_within::<u32>(s, 1..=9000))]
        packet_bytes: u32,
        /// Payload bytes of a segment, whose last packet is answered.
        #[arg(long, default_value_t = 2048, allow_negative_numbers = true, value_parser = |s: &str| parse_bytes_within::<u32>(s, 1..=1 << 24))]
        segment_bytes: u32,
        /// XOFF threshold of PFC in kilobytes; 0: no PFC.
        #[arg(long, default_value_t = 100.0, allow_negative_numbers = true, value_parser = kilobytes)]
        xoff_kb: f64,
        #[command(flatten)]
        marks: Marks,
        /// Simulated time from the first flow's start after which flows that have not ended are
        /// given up, in milliseconds; by default they are a second after the last one's start.
        #[arg(long, allow_negative_numbers = true, value_parser = milliseconds)]
        limit_ms: Option<f64>,
    },
    /// Runs a paper again, all of it or single figures: sigcomm15 is TIMELY's, conext16 "ECN or
    /// Delay".
    Paper {
        /// The paper.
        #[arg(value_parser = timely_sim::paper::PAPERS.map(|p| p.name))]
        paper: String,
        /// Figures by their names, table1, fig9, theorems and so on; by default all.
        figures: Vec<String>,
        /// Prints JSON to stdout in place of the table.
        #[arg(long)]
        json: bool,
        /// Folder for report.html and results.json; by default target/ and the paper's name.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// For developers: writes the recorded results and the page of docs of this checkout of
        /// timely-nic anew; with figures named, their results alone.
        #[arg(long, value_name = "ROOT")]
        record: Option<PathBuf>,
        /// Seed of everything random; the first of several.
        #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = serve::command::seed)]
        seed: u64,
        /// Seeds by which each experiment is run; by default five for sigcomm15. Experiments of
        /// conext16 have seeds of their own.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
        seeds: Option<u64>,
        /// Runs a fifth as long, which are no measure of anything: for tests of the program.
        #[arg(long, conflicts_with = "twin")]
        quick: bool,
        /// For developers: runs each figure by one seed with one constant changed, which must turn
        /// a verdict that is on record as yes.
        #[arg(long, conflicts_with_all = ["json", "out", "record", "seeds"])]
        twin: bool,
    },
    /// Asks the question of "ECN or Delay" of hardware: completion times and jitter with this NIC's
    /// laws beside DCQCN (docs/ecn-or-delay.md).
    EcnOrDelay(timely_sim::ecn_or_delay::command::Arguments),
    /// Integrates a fluid model of "ECN or Delay": DCQCN, TIMELY, patched TIMELY, PI at the switch
    /// or at the host.
    Fluid(timely_sim::fluid::command::Arguments),
    /// Analyses the stability of a fluid model: fixed points, margins, roots; or compares the
    /// published values of "ECN or Delay" with ours.
    Stability(timely_sim::stability::command::Arguments),
    /// Runs a scenario over all combinations of some fields' values and seeds, on all cores; goes
    /// on where it was killed.
    Sweep {
        /// The sweep (TOML): scenario, seeds, and under [vary] the values of each field.
        file: PathBuf,
        /// Folder of the results, and of table.csv when all of them are there.
        #[arg(long, value_name = "DIR", default_value = "target/sweep")]
        out: PathBuf,
        /// Only the runs whose number is I modulo N, for N processes or machines that share the
        /// folder, as array jobs number them.
        #[arg(long, value_name = "I/N", default_value = "0/1", allow_hyphen_values = true)]
        shard: Shard,
    },
    /// Runs two scenarios and shows them side by side.
    Compare {
        /// The one.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        #[command(flatten)]
        common: Common,
    },
    /// Measures pacing in hardware (the pacer's Verilog) beside pacing in software (this machine's
    /// kernel), for some minutes.
    ///
    /// As root over a veth pair between two network namespaces, else over loopback; --from and --to
    /// take namespaces with real NICs in them.
    Pacing {
        /// Prints JSON to stdout in place of the table.
        #[arg(long)]
        json: bool,
        /// A few loads for moments, which are no measure of anything: for tests of the program.
        #[arg(long)]
        quick: bool,
        /// Three of the loads, as single packets and bursts of 64 KB: what further start phases
        /// take.
        #[arg(long, conflicts_with = "quick")]
        few: bool,
        /// Folder for report.html, results.json and the traces.
        #[arg(long, value_name = "DIR", default_value = "target/pacing")]
        out: PathBuf,
        /// Namespace and device that send, in place of a veth pair: docs/pacing.md says how to set
        /// them up.
        #[arg(long, value_name = "NETNS:DEVICE", value_parser = pair, requires = "to", requires = "address")]
        from: Option<(String, String)>,
        /// Namespace that receives.
        #[arg(long, value_name = "NETNS", requires = "from")]
        to: Option<String>,
        /// Address of the receiving device.
        #[arg(long, value_name = "IP", requires = "from", value_parser = parse_ip)]
        address: Option<std::net::IpAddr>,
        /// A second task computes on the sender's core meanwhile, as on a host that does something
        /// else.
        #[arg(long)]
        busy: bool,
        /// Runs loads at 1/K of their rate for K times as long and divides times by K: figures of a
        /// machine K times as fast as this one, 1 to 100.
        #[arg(long, value_name = "K", default_value_t = 1.0, value_parser = |s: &str| within(s, "scale", 1.0, 100.0))]
        scale: f64,
        /// Description of this machine, for the report.
        #[arg(long, value_name = "TEXT")]
        machine: Option<String>,
        /// Measures this software pacer alone; may be given several times.
        #[arg(long, value_name = "NAME", value_parser = pacing::pacer::Pacer::named)]
        pacer: Vec<pacing::pacer::Pacer>,
        /// Measures software alone and writes it to a file (JSON), for --software-from; no Verilog,
        /// network or report.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "out", "software_from"])]
        software_to: Option<PathBuf>,
        /// Takes software's part from such a file in place of measuring this machine; several are
        /// start phases, or a busy core, of one machine.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "busy", "scale", "machine", "pacer"])]
        software_from: Vec<PathBuf>,
    },
    /// Finds from which lateness of single packets on the loop suffers, under TIMELY, Swift and
    /// DCQCN, by five seeds; ten minutes of two cores.
    Lateness(pacing::command::Lateness),
    /// For developers: records results of pacing, and writes docs/pacing.json, docs/pacing.md and
    /// docs/pacing-lateness.svg anew.
    PacingPage(pacing::command::Page),
    /// Measures how fast the simulator is on one core, with event-level NICs, and what memory it
    /// takes.
    Bench {
        /// Prints JSON to stdout in place of the table.
        #[arg(long)]
        json: bool,
        /// Web-search load in fat-trees of 16 to 1,024 hosts too.
        #[arg(long)]
        growth: bool,
    },
    /// Serves a NIC as a PCI device at a UNIX socket, for clients of vfio-user: the driver, or
    /// QEMU.
    Serve(serve::command::Arguments),
    /// Stands as an in-line NIC between two sockets that virtual machines take, its registers at a
    /// third.
    Wire(bump::command::Arguments),
    /// Writes man pages into a folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Runs the 10-to-1 incast under five kinds of control; prints a table, writes report.html.
    Demo {
        #[command(flatten)]
        common: Common,
        /// A short run for continuous integration: too short to converge.
        #[arg(long)]
        quick: bool,
    },
}

/// Marks of switches (ECN), by which DCQCN's profiles go.
#[derive(Args)]
struct Marks {
    /// Data is marked by the kilobytes that wait at its port: from here on with a chance.
    #[arg(long, value_name = "KB", allow_negative_numbers = true, value_parser = kilobytes)]
    mark_kb: Option<f64>,
    /// The chance grows up to here, and always beyond; by default --mark-kb.
    #[arg(long, value_name = "KB", requires = "mark_kb", allow_negative_numbers = true, value_parser = kilobytes)]
    mark_most_kb: Option<f64>,
    /// The chance there, 0 to 1; by default 1.
    #[arg(long, value_name = "CHANCE", requires = "mark_kb", allow_negative_numbers = true, value_parser = |s: &str| within(s, "chance", 0.0, 1.0))]
    mark_chance: Option<f64>,
}

#[derive(Args)]
struct Common {
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// NICs: rtl (Verilated), model (its integer model), paced (event-level, f64), software (posts
    /// bursts), event and posted (the same two for large networks).
    #[arg(long, value_name = "KIND")]
    nics: Option<NicKind>,
    /// Folder for report.html and summary.json; of run and hpcc for fct.txt too.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of everything random, in place of the scenario's.
    #[arg(long, allow_negative_numbers = true, value_parser = serve::command::seed)]
    seed: Option<u64>,
}

impl Common {
    // Values of the command line in place of a scenario's.
    fn overrides(&self) -> Overrides {
        Overrides { seed: self.seed, nics: self.nics, ..Overrides::default() }
    }
}

fn kilobytes(s: &str) -> Result<f64, String> {
    within(s, "kb", 0.0, 1e6)
}

fn milliseconds(s: &str) -> Result<f64, String> {
    within(s, "ms", 0.001, 1e6)
}

fn node_and_port(s: &str) -> Result<(u16, u16), String> {
    let parsed = s.split_once(':').and_then(|(n, p)| Some((n.parse().ok()?, p.parse().ok()?)));
    parsed.ok_or_else(|| format!("{s} is no port; allowed: a node and its port, such as 11:0"))
}

fn pair(s: &str) -> Result<(String, String), String> {
    let both = s.split_once(':').filter(|(a, b)| !a.is_empty() && !b.is_empty());
    both.map(|(a, b)| (a.into(), b.into())).ok_or_else(|| format!("{s} is no namespace and device; allowed: two names, such as tx:eth1"))
}

/// A bar on stderr, when that is a terminal, that follows simulated time.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(name: &str, end: Ps) -> Self {
        let bar = if takes_bars() { ProgressBar::new(end / MS.min(end)) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{prefix:18} {bar:40} {pos:>5} of {len} ms  {elapsed} ({eta} left)");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(name.to_owned());
        Progress { bar }
    }

    fn at(&self, now: Ps) {
        self.bar.set_position(now / MS);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Run { scenario, common, duration_ms, snapshot, pcap, port, events, every } => {
            let overrides = Overrides { duration_ms: *duration_ms, ..common.overrides() };
            file::read_with(scenario, &overrides).map_err(|e| e.to_string()).and_then(|mut plan| {
                plan.snapshot = snapshot.is_some();
                plan.capture = port.iter().copied().collect();
                let events = events.as_deref().map(|path| (path, *every));
                let files = Files { scenario: Some(scenario), snapshot: snapshot.as_deref(), pcap: pcap.as_deref(), events };
                runs::run(plan, common, &files)
            })
        }
        Command::Replay { events } => runs::replay(events),
        Command::Hpcc { common, .. } => {
            let none = Files { scenario: None, snapshot: None, pcap: None, events: None };
            runs::hpcc_plan(&cli.command).map_err(|e| e.to_string()).and_then(|plan| runs::run(plan, common, &none))
        }
        Command::Sweep { file, out, shard } => commands::sweep(file, out, *shard),
        Command::Compare { a, b, common } => runs::compare(a, b, common),
        Command::Paper { paper, figures, seed, twin: true, .. } => commands::twins(paper, figures, *seed),
        Command::Paper { paper, figures, json, out, record, seed, seeds, quick, .. } => commands::paper(&commands::Paper {
            name: paper,
            figures,
            json: *json,
            out: out.as_deref(),
            record: record.as_deref(),
            seeds: *seeds,
            lab: timely_sim::paper::Lab { seed: *seed, quick: *quick, twin: None },
        }),
        Command::Pacing { json, quick, few, out, from, to, address, busy, scale, machine, pacer, software_to, software_from } => {
            let named = from.clone().zip(to.clone()).zip(*address).map(|((from, to), address)| pacing::site::Named { from, to, address });
            let extent = match (quick, few) {
                (true, _) => pacing::Extent::Quick,
                (_, true) => pacing::Extent::Few,
                _ => pacing::Extent::Whole,
            };
            let chosen = if pacer.is_empty() { pacing::pacer::Pacer::ALL.into() } else { pacer.clone() };
            let options = pacing::Options { extent, named, busy: *busy, scale: *scale, machine: machine.clone(), chosen };
            match software_to {
                Some(file) => commands::software(&options, file),
                None => commands::pacing(&options, software_from, *json, out),
            }
        }
        Command::Lateness(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::PacingPage(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Bench { json, growth } => commands::bench(*json, *growth),
        Command::EcnOrDelay(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Fluid(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Stability(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Serve(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Wire(arguments) => arguments.run().map(|()| ExitCode::SUCCESS),
        Command::Man { folder } => commands::man(<Cli as clap::CommandFactory>::command(), folder),
        Command::Demo { common, quick } => runs::demo(common, *quick),
    };
    done.unwrap_or_else(|e| {
        note(format_args!("error: {e}"));
        ExitCode::FAILURE
    })
}
