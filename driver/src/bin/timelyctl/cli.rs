//! The command line.
use crate::backend::CliError;
use crate::times::interval;
use crate::{events, follow, top, traffic};
use clap::{Args, Parser, Subcommand};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::time::Duration;
use timely_driver::pci::Address;
use timely_driver::service::PairKey;
use timely_driver::sim;
use timely_driver::spec::{FlowSpec, RuleSpec};
use timely_driver::target::Target;
use timely_driver::units::{parse_bytes_within, parse_whole_within};
use timely_driver::units::{parse_ip, parse_ipv4, parse_ipv6, parse_us, parse_whole};
use timely_regs::flow::PAYLOAD_BYTES;
use timely_regs::wire::DEFAULT_PORT;

const AFTER: &str = "\
DEVICES
  0000:03:00.0      a card that vfio-pci has (`timelyctl bind` hands it over): ours, a Corundum or an OpenNIC board with our block
  0000:03:00.0,bar=2,offset=0x110000
                    one of a shell that has our registers elsewhere, as NetFPGA's
  /dev/mqnic0       a Corundum board beside its network interface: registers alone, no events (`timelyctl list` names it)
  sysfs:0000:03:00.0
                    any such card beside its network interface, as an OpenNIC board that onic has: registers alone, as root; also with ,bar=..
  serial:/dev/ttyUSB1
                    a board of our own that has its registers on a serial line, as the ECPIX-5: registers alone, no events
  vfio-user:PATH    a server of that protocol: timely-sim serve --socket PATH
  sim, sim:model    two simulated NICs with a link, started in the background: the Verilog, or its integer model
Without --device it is the machine's one card, or sim.

WITHOUT A DAEMON
  timelyctl goes through timelyd when one has the device. Otherwise it opens the device for the one command. A simulated NIC goes on between
  two commands, so everything works; what it was configured to is kept in a file. A card is reset by the kernel when it is closed: then
  commands that only read show a card that was just reset, and those that change something are refused.

EXAMPLES
  timelyctl --device sim:model flow add
  timelyctl telemetry --watch
  timelyctl top --sort rtt
  timelyctl profile set 0 timely-10g --base-rtt 12us t_low=30us
  timelyctl flow add --to 10.0.0.2 --mac 02:00:00:00:00:02 --profile 0
  timelyctl events --out events.pcapng --for 10s
  timelyctl send 10.0.0.2 --rate 1Gbps --for 10s        no card needed; `timelyctl recv --answer` on the other host
  timelyctl --json info

EXIT CODES
  0  done
  1  the device, the daemon or a file could not be used
  2  the command line was wrong
  3  a value, a flow, a profile or a register was refused
  4  somebody else has the device, or it needs a daemon
  5  doctor or selftest found something wrong
  6  the change is in force, and could not be saved: it is not to be done again";

/// Looks at a timely-nic and configures it.
#[derive(Parser)]
#[command(name = "timelyctl", version, after_help = AFTER)]
pub struct Cli {
    /// The NIC: a PCI address, /dev/mqnic0, sysfs:ADDRESS, serial:PORT, vfio-user:PATH, sim or
    /// sim:model.
    #[arg(long, global = true, env = "TIMELY_DEVICE")]
    pub device: Option<Target>,
    /// Where its timelyd listens, when that was given a --socket.
    #[arg(long, global = true, value_name = "PATH", env = "TIMELY_SOCKET")]
    pub socket: Option<PathBuf>,
    /// Prints JSON with stable keys.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Cards of this machine.
    List,
    /// Hands cards to vfio-pci, and remembers who had them: all of them, or none when one cannot
    /// be.
    Bind {
        /// PCI addresses, as 0000:03:00.0; all ports that share an IOMMU group.
        #[arg(required = true)]
        addresses: Vec<Address>,
        /// Takes a card whose interface is up and has addresses. One that carries a default route
        /// is never taken.
        #[arg(long)]
        force: bool,
    },
    /// Gives cards back to the drivers that had them before `bind`.
    Unbind {
        /// PCI addresses, as 0000:03:00.0.
        #[arg(required = true)]
        addresses: Vec<Address>,
    },
    /// Says what is wrong with machine and device, and what to do about it.
    Doctor,
    /// Identity, version, state and addresses of the device.
    Info,
    /// Resets the device: nothing is configured then.
    Reset {
        /// Removes every flow at once and leaves all else: addresses, profiles, time, counters.
        /// Frames under way leave whole.
        #[arg(long)]
        flows: bool,
    },
    /// Lets flows send.
    Enable,
    /// Stops all flows.
    Disable,
    /// Addresses of the port, and whom it answers.
    #[command(subcommand)]
    Port(Port),
    /// Profiles, which set the rates of flows.
    #[command(subcommand)]
    Profile(Profile),
    /// Flows.
    #[command(subcommand)]
    Flow(Flow),
    /// RoCEv2's queue pairs, of a NIC that paces them.
    #[command(subcommand)]
    Pairs(Pairs),
    /// Rates, round-trip times and counters of flows.
    Telemetry {
        /// Flows; all that are in use when none is named.
        #[arg(value_parser = parse_whole::<u32>)]
        flows: Vec<u32>,
        /// Again and again, with what was sent meanwhile.
        #[arg(long)]
        watch: bool,
        /// How often.
        #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true, requires = "watch")]
        interval: Duration,
        /// Ends after so many times.
        #[arg(long, value_name = "TIMES", requires = "watch", value_parser = |s: &str| parse_whole_within::<u64>(s, 1..=u64::MAX))]
        count: Option<u64>,
    },
    /// Flows, live: rates, round-trip times, gradient, branch. Ends on q.
    Top(top::Arguments),
    /// Rate updates as the device records them: printed, or written to a file.
    Events(events::Arguments),
    /// Registers, by name.
    #[command(subcommand)]
    Reg(Reg),
    /// The NIC's clock against the host's.
    Clock {
        /// Times that both are read.
        #[arg(long, default_value_t = 200, value_parser = parse_whole::<u32>)]
        pairs: u32,
    },
    /// Sends segments over an ordinary UDP socket, through whatever NIC leads there: rates, RTTs,
    /// loss.
    Send(traffic::SendArguments),
    /// Receives such segments, and answers them when asked to.
    Recv(traffic::RecvArguments),
    /// Resets the device and tries everything that the driver does with it.
    Selftest,
    /// The simulated NICs in the background.
    #[command(subcommand)]
    Sim(Sim),
    /// Completions for a shell.
    Completions { shell: clap_complete::Shell },
    /// Writes man pages into a folder.
    Man { folder: PathBuf },
}

#[derive(Subcommand)]
pub enum Port {
    /// Configuration of the port.
    Show,
    /// Sets it, whole.
    Set {
        /// MAC address.
        #[arg(long)]
        mac: String,
        /// IPv4 address; none otherwise.
        #[arg(long, value_parser = parse_ipv4)]
        ipv4: Option<Ipv4Addr>,
        /// Bits of the IPv4 network's prefix, whose broadcast address is then never answered.
        #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = parse_whole::<u8>)]
        prefix4: u8,
        /// IPv6 address; none otherwise.
        #[arg(long, value_parser = parse_ipv6)]
        ipv6: Option<Ipv6Addr>,
        /// The VLAN in which it answers; 0 for frames without a tag.
        #[arg(long, value_name = "ID", default_value_t = 0, value_parser = parse_whole::<u16>)]
        vlan: u16,
        /// The UDP port that makes a packet ours.
        #[arg(long, default_value_t = DEFAULT_PORT, value_parser = parse_whole::<u16>)]
        udp_port: u16,
        /// Rate of the wire; the fastest link that the NIC's bus carries when nothing is said.
        #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
        line: Option<String>,
        /// Part of the line that its ACKs may take on average, in percent.
        #[arg(long, value_name = "PERCENT", default_value_t = 25, value_parser = parse_whole::<u8>)]
        ack_share: u8,
        /// Obeys pause frames: PAUSE of IEEE 802.3 stops all that leaves, PFC of 802.1Qbb its
        /// priorities.
        #[arg(long)]
        pause: bool,
        /// Priority of its ACKs, 0 to 7: PFC that pauses it stops them.
        #[arg(long, value_name = "PRIORITY", default_value_t = 0, value_parser = parse_whole::<u8>)]
        ack_priority: u8,
        /// A full packet store makes the host wait, where packets are the host's; else they are
        /// dropped and counted.
        #[arg(long)]
        store_waits: bool,
        /// Corundum: how long both reads of the host's memory that a packet needs take at most,
        /// together; 3us otherwise.
        #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
        dma: Option<String>,
        /// Answers nobody's segments.
        #[arg(long)]
        no_answer: bool,
        /// Networks whose hosts it answers, as 10.0.0.0/8; given again for each, eight at most.
        /// Needed unless --no-answer.
        #[arg(long, value_name = "ADDRESS/BITS")]
        allow: Vec<String>,
    },
}

#[derive(Subcommand)]
pub enum Profile {
    /// All sixteen.
    List,
    /// One, with its fields.
    Show {
        /// Profile, 0 to 15.
        #[arg(allow_negative_numbers = true, value_parser = profile)]
        profile: u32,
    },
    /// Sets one: like a named profile, but for fields that are given as name=value.
    Set {
        /// Profile, 0 to 15.
        #[arg(allow_negative_numbers = true, value_parser = profile)]
        profile: u32,
        /// A named profile, as timely-10g.
        like: String,
        /// The unloaded round-trip time, on which its thresholds build.
        #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
        base_rtt: Option<String>,
        /// The line's rate, at which flows start.
        #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
        line: Option<String>,
        /// Fields that are to be otherwise.
        #[arg(value_name = "FIELD=VALUE")]
        set: Vec<String>,
    },
}

#[derive(Args)]
pub struct FlowArguments {
    /// Destination address; the other NIC's of a simulated pair otherwise.
    #[arg(long, value_parser = parse_ip)]
    to: Option<IpAddr>,
    /// Destination MAC address; the other NIC's of a simulated pair otherwise.
    #[arg(long)]
    mac: Option<String>,
    /// Profile, 0 to 15, which must be set.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u8>)]
    profile: u8,
    /// Payload bytes of a packet.
    #[arg(long, default_value_t = 1024, value_parser = |s: &str| parse_bytes_within::<u16>(s, 0..=PAYLOAD_BYTES.most.into()))]
    packet_bytes: u16,
    /// Packets of a segment, whose last one is answered.
    #[arg(long, default_value_t = 2, value_parser = parse_whole::<u8>)]
    segment_packets: u8,
    /// Packets of the flow are posted one by one (`flow post`); otherwise the device always has
    /// some.
    #[arg(long)]
    posted: bool,
    /// Priority for PFC.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u8>)]
    priority: u8,
    /// VLAN tag, whole (TCI): priority << 13, DEI << 12 and VLAN ID; none otherwise.
    #[arg(long, value_name = "TCI", value_parser = parse_whole::<u16>)]
    vlan: Option<u16>,
    /// TTL or hop limit.
    #[arg(long, default_value_t = 64, value_parser = parse_whole::<u8>)]
    ttl: u8,
    /// TOS or traffic class: DSCP, and ECN in its lowest two bits.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u8>)]
    tos: u8,
    /// UDP source port.
    #[arg(long, default_value_t = DEFAULT_PORT, value_parser = parse_whole::<u16>)]
    source_port: u16,
    /// UDP destination port: the port's --udp-port, and no other, for ACKs are known by it; that
    /// one otherwise.
    #[arg(long, value_parser = parse_whole::<u16>)]
    destination_port: Option<u16>,
    /// Rate, of a flow whose profile is `fixed`.
    #[arg(long, allow_hyphen_values = true)]
    rate: Option<String>,
}

impl FlowArguments {
    /// The flow that they are.
    pub fn spec(&self, target: &Target) -> Result<FlowSpec, CliError> {
        let peer = matches!(target, Target::Sim { .. });
        let to = self.to.or_else(|| if peer { sim::PEER_IPV4.parse().ok() } else { None });
        let mac = self.mac.clone().or_else(|| peer.then(|| sim::PEER_MAC.into()));
        let (Some(to), Some(mac)) = (to, mac) else {
            return Err(CliError::Refused("a flow needs a destination: give --to ADDRESS and --mac ADDRESS".into()));
        };
        Ok(FlowSpec {
            profile: self.profile,
            packet_bytes: self.packet_bytes,
            segment_packets: self.segment_packets,
            endless: !self.posted,
            priority: self.priority,
            vlan: self.vlan,
            ttl: self.ttl,
            tos: self.tos,
            source_port: self.source_port,
            destination_port: self.destination_port,
            rate: self.rate.clone(),
            ..FlowSpec::to(to, &mac)
        })
    }
}

#[derive(Subcommand)]
pub enum Flow {
    /// Flows in use.
    List,
    /// One, with its telemetry.
    Show {
        /// Number of the flow.
        #[arg(allow_negative_numbers = true, value_parser = flow)]
        flow: u32,
    },
    /// Makes one, the lowest that is free unless a number is given.
    Add {
        /// Number of the flow; the lowest that is free otherwise.
        #[arg(allow_negative_numbers = true, value_parser = flow)]
        flow: Option<u32>,
        #[command(flatten)]
        arguments: FlowArguments,
    },
    /// Changes one, whole; its rate, backlog and counters stay.
    Set {
        /// Number of the flow.
        #[arg(allow_negative_numbers = true, value_parser = flow)]
        flow: u32,
        #[command(flatten)]
        arguments: FlowArguments,
    },
    /// Removes one.
    Remove {
        /// Number of the flow.
        #[arg(allow_negative_numbers = true, value_parser = flow)]
        flow: u32,
    },
    /// Posts packets of one that is not endless; fewer than 65,280 may wait.
    Post {
        /// Number of the flow.
        #[arg(allow_negative_numbers = true, value_parser = flow)]
        flow: u32,
        /// Packets, 1 to 65,535.
        #[arg(value_parser = parse_whole::<u32>)]
        packets: u32,
    },
}

#[derive(Args, Clone, Copy)]
pub struct PairArguments {
    /// Address of the peer.
    #[arg(value_parser = parse_ip)]
    address: IpAddr,
    /// The peer's queue pair: rqpn of `rdma resource show qp`.
    #[arg(allow_negative_numbers = true, value_parser = parse_whole::<u32>)]
    remote: u32,
}

impl PairArguments {
    /// The pair that they are.
    pub fn key(self) -> PairKey {
        PairKey { address: self.address, remote: self.remote }
    }
}

/// A host's time-out in whole us.
fn host_timeout(text: &str) -> Result<u32, String> {
    let us = if text == "0" { 0.0 } else { parse_us(text).map_err(|e| e.to_string())? };
    if us == 0.0 || (1.0..=f64::from(u32::MAX)).contains(&us) { Ok(us as u32) } else { Err("it must be 1us to 71min, or 0".into()) }
}

#[derive(Subcommand)]
pub enum Pairs {
    /// State of the table: settings, counters.
    Show,
    /// Takes the table into use with a random secret; pairs that it knew are forgotten.
    Setup {
        /// Profile of pairs that are learned from packets and that no rule is for, 0 to 15, which
        /// must be set.
        #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = profile)]
        profile: u32,
        /// Priority of pairs that no rule is for, by which pause frames (PFC) stop them, 0 to 7;
        /// RoCEv2's class is 3 in most networks.
        #[arg(long, value_name = "PRIORITY", default_value_t = 3, value_parser = |s: &str| parse_whole_within::<u32>(s, 0..=7))]
        priority: u32,
        /// Least path MTU of all pairs: 256, 512, 1024, 2048 or 4096 bytes; 0 unknown.
        #[arg(long, value_name = "BYTES", default_value_t = 1024, value_parser = parse_whole::<u32>)]
        mtu: u32,
        /// Forgets a learned pair after so many seconds without a packet; 0 never.
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = parse_whole::<u32>)]
        age: u32,
        /// Cells of 256 bytes that a pair may have in the store: more than its host's window.
        #[arg(long, value_name = "CELLS", default_value_t = 1024, value_parser = |s: &str| parse_whole_within::<u32>(s, 1..=65_535))]
        store_bound: u32,
        /// A rule of pairs that are learned, as to=10.1.0.0/16,dscp=26,profile=2,priority=4; given
        /// again for each, 16 at most, of which the first that is for a pair decides.
        #[arg(long = "rule", value_name = "RULE")]
        rules: Vec<RuleSpec>,
        /// Shortest retransmission time-out of the host's queue pairs, by which profiles that slow a
        /// pair too much are refused; 0 where it is unknown.
        #[arg(long, value_name = "TIME", default_value = "67.108ms", value_parser = host_timeout, allow_hyphen_values = true)]
        host_timeout: u32,
        /// Answers data that arrive with CE by congestion notifications: for a host whose RDMA NIC
        /// sends none.
        #[arg(long)]
        notify: bool,
        /// Least time between two notifications of a pair, 1 to 16,777 us.
        #[arg(long, value_name = "US", default_value_t = 50, requires = "notify", value_parser = parse_whole::<u32>)]
        notify_interval: u32,
        /// DSCP of notifications, 0 to 63.
        #[arg(long, value_name = "DSCP", default_value_t = 48, requires = "notify", value_parser = parse_whole::<u32>)]
        notify_dscp: u32,
        /// Makes data ask for an ACK that are so many packets behind their pair's last one that does,
        /// 1 to 255, so that long messages are measured as often as short ones; 0 leaves packets as
        /// they are.
        #[arg(long, value_name = "PACKETS", default_value_t = 0, value_parser = |s: &str| parse_whole_within::<u32>(s, 0..=255))]
        ask_every: u32,
    },
    /// Changes a table in use, which keeps its pairs; what is not given stays.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true).args(["every", "notify", "interval", "dscp"]))]
    Change {
        /// Packets from one that asks for an ACK to the next that is made to ask, 0 to 255; 0 none is.
        #[arg(id = "every", long = "ask-every", value_name = "PACKETS", value_parser = |s: &str| parse_whole_within::<u32>(s, 0..=255))]
        ask_every: Option<u32>,
        /// Congestion notifications in the host's place: on or off.
        #[arg(long, value_name = "on|off", hide_possible_values = true, value_parser = clap::builder::BoolishValueParser::new())]
        notify: Option<bool>,
        /// Least time between two notifications of a pair, 1 to 16,777 us.
        #[arg(long = "notify-interval", value_name = "US", value_parser = parse_whole::<u32>)]
        interval: Option<u32>,
        /// DSCP of notifications, 0 to 63.
        #[arg(long = "notify-dscp", value_name = "DSCP", value_parser = parse_whole::<u32>)]
        dscp: Option<u32>,
    },
    /// Rules by which pairs that are learned get profile and priority: shown, or replaced by those
    /// that are given.
    Rules {
        /// Rules, as to=10.1.0.0/16,dscp=26,profile=2,priority=4.
        #[arg(value_name = "RULE")]
        rules: Vec<RuleSpec>,
        /// Removes all.
        #[arg(long, conflicts_with = "rules")]
        none: bool,
    },
    /// Takes the table out of use: every packet goes past unpaced.
    Stop,
    /// Sets a pair, which then is not forgotten; with --local its round trips are measured.
    Join {
        #[command(flatten)]
        pair: PairArguments,
        /// The local queue pair: lqpn of `rdma resource show qp`.
        #[arg(long, value_name = "PAIR", value_parser = parse_whole::<u32>)]
        local: Option<u32>,
        /// Profile of a pair that was not known, 0 to 15, which must be set.
        #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = profile)]
        profile: u32,
    },
    /// Joins pairs as their connections come: by this host's list of queue pairs, and by answers that
    /// arrive. Removes those whose connections are over.
    Follow(follow::Arguments),
    /// Pairs that the table knows, with their flows.
    List,
    /// Removes a pair, with what it has in the store.
    Remove {
        #[command(flatten)]
        pair: PairArguments,
    },
}

#[derive(Subcommand)]
pub enum Reg {
    /// Names, and what they are for.
    List,
    /// Reads one: dma.STATUS, or STATUS where one block alone has it, `counters.COUNTER[3]`.
    Read { register: String },
    /// Writes one.
    Write {
        register: String,
        #[arg(value_parser = parse_whole::<u32>)]
        value: u32,
    },
    /// Reads all that can be read.
    Dump { block: Option<String> },
}

#[derive(Subcommand)]
pub enum Sim {
    /// Ends them.
    Stop,
}

fn profile(text: &str) -> Result<u32, String> {
    parse_whole(text).map_err(|_| "profiles are 0 to 15".into())
}

fn flow(text: &str) -> Result<u32, String> {
    parse_whole(text).map_err(|_| "flows are 0 to 65535".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The unit's command is understood, and may ask what it asks.
    #[test]
    fn the_unit_starts_what_there_is() {
        let unit = include_str!("../../../system/timely-pairs@.service");
        let instance = "sysfs:0000:03:00.0";
        assert!(unit.lines().next().is_some_and(|l| l.ends_with(&format!("@{instance}"))), "{unit}");
        let start = unit.lines().find_map(|l| l.strip_prefix("ExecStart=")).expect("a command").replace("%i", instance);
        let words: Vec<&str> = start.split(' ').collect();
        let cli = Cli::try_parse_from(&words).unwrap_or_else(|e| panic!("{words:?}: {e}"));
        assert_eq!((words[0], cli.device.map(|d| d.to_string())), ("/usr/bin/timelyctl", Some(instance.into())));
        assert!(matches!(cli.command, Command::Pairs(Pairs::Follow(_))) && unit.contains("AF_UNIX AF_NETLINK"), "{unit}");
    }

    /// The time-out that the help shows is the one that the daemon takes when none is given.
    #[test]
    fn the_usual_time_out_has_one_value() {
        let cli = Cli::try_parse_from(["timelyctl", "pairs", "setup"]).expect("a command");
        let Command::Pairs(Pairs::Setup { host_timeout, .. }) = cli.command else { panic!("another command") };
        assert_eq!(host_timeout, timely_driver::service::HOST_TIMEOUT_US);
    }

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
        for line in [
            "info --json",
            "--device 0000:03:00.0,bar=2,offset=0x110000 info",
            "send 10.0.0.2 --rate 5Gbps --count 10 --json",
            "recv --answer --bind :: --idle 2s",
            "--device /dev/mqnic0 telemetry --watch",
            "--device sysfs:0000:03:00.0 info",
            "--device sim:model flow add 7 --rate 5Gbps",
            "profile set 0 timely-10g --base-rtt 9us beta=0.5",
            "reg write id.CONTROL 0x1",
            "pairs setup --profile 1 --mtu 4096 --age 0",
            "pairs join fd00::2 0x23 --local 0x11",
            "pairs rules to=10.1.0.0/16,dscp=26,profile=2,priority=4 profile=1",
            "pairs rules --none",
            "pairs follow --rdma rxe0 --every 250ms",
            "pairs follow --list qp.json --once",
            "pairs list",
            "bind 0000:03:00.0 0000:03:00.1 --force",
            // Refused with their range, by what reads them.
            "profile set 0 timely-10g --base-rtt -5us --line -1Gbps",
        ] {
            Cli::try_parse_from(std::iter::once("timelyctl").chain(line.split(' '))).expect(line);
        }
        assert!(Cli::try_parse_from(["timelyctl", "--device", "eth0", "info"]).is_err());
        for (line, name) in [
            ("profile set -1 timely-10g", "profiles are 0 to 15"),
            ("flow show -1", "flows are 0 to 65535"),
            ("send 10.0.0.2 --rate -5Mbps", "`-5Mbps` is no rate"),
            ("telemetry --watch --interval -1s", "`-1s` is no time"),
        ] {
            let wrong = Cli::try_parse_from(std::iter::once("timelyctl").chain(line.split(' '))).err().expect(line).to_string();
            assert!(wrong.contains(name), "{line}: {wrong}");
        }
        for (line, told) in [
            ("flow add --tos 0x1_0", "`0x1_0` is no number of 8 bits; write 0 to 255, as 7 or 0x1f"),
            ("flow add --vlan 0x10000", "`0x10000` is no number of 16 bits"),
            ("reg write id.CONTROL 4294967296", "`4294967296` is no number of 32 bits"),
            ("flow add --to localhost", "`localhost` is no IP address; write one of IPv4 or IPv6"),
            ("send 10.0.0.2 --rate 10GBPS", "`10GBPS` is no rate"),
            ("send localhost:21609", "`localhost:21609` is no address of a host"),
        ] {
            let wrong = Cli::try_parse_from(std::iter::once("timelyctl").chain(line.split(' '))).err().expect(line).to_string();
            assert!(wrong.contains(told), "{line}: {wrong}");
        }
        let line = "flow add --tos 0x2e --vlan 0x6064".split(' ');
        let Command::Flow(Flow::Add { arguments, .. }) = Cli::parse_from(std::iter::once("timelyctl").chain(line)).command else {
            panic!()
        };
        assert_eq!((arguments.tos, arguments.vlan), (0x2e, Some(0x6064)));
    }
}
