//! Scenarios: a network, its NICs and their flows, read from files and made ready to run.
pub mod build;
mod check;
pub mod error;
pub mod fabric;
pub mod file;
pub mod hpcc;
pub mod outcome;
pub mod shapes;
mod theory;
pub mod vary;

pub use error::Error;
pub use fabric::FabricPlan;
pub use timely_network::nic::kind::{Form, NicKind};

use crate::frame::{FlowId, NodeId};
use crate::metrics::Windows;
use crate::rival::{self, Rival};
use crate::switch::Config;
use crate::time::{Ps, Speed};
use crate::topology::{Link, Topology};
use std::collections::BTreeSet;
use std::path::PathBuf;
use timely_regs::parameters::Parameters;

/// Defaults of links.
#[derive(Clone, Copy, Debug)]
pub struct LinkDefaults {
    /// Speed.
    pub speed: Speed,
    /// Delay.
    pub delay: Ps,
    /// Probability of loss.
    pub loss: f64,
    /// Probability of damage.
    pub damage: f64,
}

impl LinkDefaults {
    /// Such a link between two nodes.
    pub fn between(&self, a: NodeId, b: NodeId) -> Link {
        Link { a, b, speed: self.speed, delay: self.delay, loss: self.loss, damage: self.damage }
    }
}

/// From a segment's last bit to its ACK on the hardware, 64 bits wide and on an idle wire;
/// `tests/fabric.rs` holds it to that.
pub const EVENT_ACK_DELAY: Ps = 98_000;

/// The NICs.
#[derive(Clone, Debug, PartialEq)]
pub struct NicPlan {
    /// Kind of the NICs.
    pub kind: NicKind,
    /// Form of bit-true NICs.
    pub form: Form,
    /// In-line, Corundum: bytes of a flow that the host keeps at most between its software and the
    /// wire; 0: any number.
    pub host_window: u64,
    /// Corundum: what both reads of the host's memory take that a packet needs, at least and at
    /// most, ns.
    pub dma_ns: (u32, u32),
    /// Corundum: rates go to the scheduler by a bus, and launches to the application block, in
    /// place of register accesses.
    pub streams: bool,
    /// Bus of bit-true NICs, bits.
    pub bus_bits: u32,
    /// log2 of the flows of bit-true NICs.
    pub flow_bits: u32,
    /// Period of the clock of bit-true NICs.
    pub clock: Ps,
    /// Clocks drift uniformly within this, parts a million.
    pub ppm: f64,
    /// Greatest random delay in the MAC's transmit FIFO.
    pub fifo_jitter: Ps,
    /// Event-level hosts: from a segment's last bit to its ACK.
    pub ack_delay: Ps,
    /// Software: period of the timer.
    pub slot: Ps,
    /// Software: greatest random delay of its scheduling.
    pub software_jitter: Ps,
    /// Software: subtract the own burst's serialization from the RTT.
    pub subtract_own_burst: bool,
}

/// Sets one parameter.
pub type Set = fn(&mut Parameters, f64);

/// A profile of a scenario: a named one with some parameters changed.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name of the profile.
    pub name: String,
    /// Name of the profile that this one starts from.
    pub like: String,
    /// Parameters that are changed.
    pub set: Vec<(Set, f64)>,
    /// The paper's Algorithm 1 in place of the authors' code.
    pub algorithm_1: bool,
    /// Rate controller.
    pub control: Control,
    /// Parameters of a rival that the engine has not.
    pub own: rival::Own,
}

/// Rate controller of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Control {
    /// The law of the profile.
    #[default]
    Engine,
    /// Something else, with the profile's parameters; on the fabric alone.
    Rival(Rival),
}

/// A flow.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Sender.
    pub src: NodeId,
    /// Receiver.
    pub dst: NodeId,
    /// Start of the flow.
    pub start: Ps,
    /// End of the flow, if endless.
    pub stop: Option<Ps>,
    /// Payload bytes of a message; `None` for endless.
    pub bytes: Option<u64>,
    /// Messages, each posted `every` after the one before.
    pub messages: u32,
    /// Time from a message's posting to the next one's.
    pub every: Ps,
    /// Payload bytes of a packet.
    pub packet: u32,
    /// Payload bytes of a segment.
    pub segment: u32,
    /// Name of its profile.
    pub profile: String,
    /// Source and destination port, where a file names them.
    pub ports: Option<(u16, u16)>,
    /// Class of the flow's packets, which selects the queue in switches, of the fabric's classes of
    /// data.
    pub class: u8,
    /// Messages of any size at any time, in place of `bytes`, `messages` and `every`; on the fabric
    /// alone.
    pub posts: Vec<(Ps, u64)>,
    /// The flow that answers each message; on the fabric alone.
    pub reply: Option<u32>,
    /// Segments are READ requests: `dst` sends the data that they ask for; on the fabric alone.
    pub read: bool,
}

impl FlowPlan {
    /// An endless flow from time 0, in packets of 1024 and segments of 2048 bytes of payload.
    pub fn new(src: NodeId, dst: NodeId, profile: String) -> Self {
        FlowPlan {
            src,
            dst,
            start: 0,
            stop: None,
            bytes: None,
            messages: 1,
            every: 0,
            packet: 1024,
            segment: 2048,
            profile,
            ports: None,
            class: crate::fabric::class::HIGH,
            posts: Vec::new(),
            reply: None,
            read: false,
        }
    }

    /// The same flow with one message of so many bytes.
    pub fn single(self, bytes: u64) -> Self {
        FlowPlan { bytes: Some(bytes), messages: 1, posts: Vec::new(), ..self }
    }

    /// Payload bytes of all messages; `None` for endless.
    pub fn total(&self) -> Option<u64> {
        if !self.posts.is_empty() {
            return Some(self.posts.iter().fold(0, |sum, p| sum.saturating_add(p.1)));
        }
        self.bytes.map(|b| b * u64::from(self.messages))
    }

    /// Start of the flow, or of its first message.
    pub fn first(&self) -> Ps {
        self.posts.first().map_or(self.start, |p| p.0)
    }

    /// Messages of the flow: when they are posted, and their payload bytes; none when the flow is
    /// endless.
    pub fn posts(&self) -> Vec<(Ps, u64)> {
        let Some(bytes) = self.bytes.filter(|_| self.posts.is_empty()) else { return self.posts.clone() };
        (0..Ps::from(self.messages)).map(|k| (self.start + k * self.every, bytes)).collect()
    }
}

/// A scenario as it was read.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario.
    pub name: String,
    /// Seed of everything random.
    pub seed: u64,
    /// How long it runs at most.
    pub duration: Ps,
    /// Share of the run after which figures are taken; by default half with endless flows, without
    /// from when the first one starts.
    pub steady_from: Option<f64>,
    /// Start of the series of rates and queues.
    pub series_from: Ps,
    /// Width of a bin of the rate series; by default a 400th of the time from there to the end.
    pub bin: Option<Ps>,
    /// Unloaded RTT in microseconds that profiles build on, if it is not to be computed.
    pub base_rtt: Option<f64>,
    /// The shape.
    pub topology: Topology,
    /// The switches.
    pub switch: Config,
    /// The NICs.
    pub nic: NicPlan,
    /// Profiles of its own.
    pub profiles: Vec<Profile>,
    /// Flows of the scenario.
    pub flows: Vec<FlowPlan>,
    /// Settings of the fabric alone.
    pub fabric: FabricPlan,
    /// Further ports of switches to watch.
    pub watch: Vec<(NodeId, u16)>,
    /// Ports whose frames are kept, in networks that are not the fabric.
    pub capture: Vec<(NodeId, u16)>,
    /// At its end, the telemetry of every flow is taken from the NICs.
    pub snapshot: bool,
    /// Notes for the user on how the scenario was read, a line each.
    pub notes: Vec<String>,
    /// The files that it was read from besides its own.
    pub files: Vec<PathBuf>,
}

impl Plan {
    /// The windows of its run.
    pub fn windows(&self) -> Windows {
        let endless = self.flows.iter().any(|f| f.total().is_none());
        let steady = match self.steady_from {
            None if !endless => self.first().min(self.duration.saturating_sub(1)),
            from => (self.duration as f64 * from.unwrap_or(0.5)) as Ps,
        };
        let length = self.duration.saturating_sub(self.series_from);
        Windows { from: self.series_from, steady, end: self.duration, bin: self.bin.unwrap_or(length / 400).max(1) }
    }

    /// When the first flow starts, or posts its first message.
    pub fn first(&self) -> Ps {
        self.flows.iter().map(FlowPlan::first).min().unwrap_or(0)
    }

    /// Each flow's number at its sender, in the order of the flows.
    pub fn numbers(&self) -> Vec<FlowId> {
        let mut next = vec![0; self.topology.nodes()];
        let number = |f: &FlowPlan| {
            let n = &mut next[usize::from(f.src)];
            *n += 1;
            *n - 1
        };
        self.flows.iter().map(number).collect()
    }

    /// The base RTT of the scenario in microseconds: the largest unloaded one.
    pub fn base_rtt_us(&self) -> Result<f64, crate::topology::Error> {
        if let Some(b) = self.base_rtt {
            return Ok(b);
        }
        let all = self.flows.iter().map(|f| self.unloaded(f)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.into_iter().max().unwrap_or(0) as f64 / 1e6)
    }

    /// Rate controller of a profile's flows.
    pub fn control(&self, profile: &str) -> Control {
        self.profiles.iter().find(|p| p.name == profile).map_or(Control::Engine, |p| p.control)
    }

    /// Profiles of flows whose law hears nothing but marks, with the law's name.
    pub fn unmarked(&self) -> BTreeSet<(&str, &'static str)> {
        let law = |f: &'_ FlowPlan| {
            let like = self.profiles.iter().find(|p| p.name == f.profile).map_or(f.profile.as_str(), |p| p.like.as_str());
            match self.control(&f.profile) {
                Control::Rival(Rival::Dctcp) => Some("DCTCP"),
                Control::Rival(Rival::Dcqcn) => Some("DCQCN"),
                Control::Engine if like.starts_with("dcqcn-") => Some("DCQCN"),
                _ => None,
            }
        };
        self.flows.iter().filter_map(|f| law(f).map(|name| (f.profile.as_str(), name))).collect()
    }

    /// Parameters that a profile's flows have beside those of the engine.
    pub fn own(&self, profile: &str) -> rival::Own {
        self.profiles.iter().find(|p| p.name == profile).map_or_else(Default::default, |p| p.own)
    }

    /// The parameters of a profile by name, on a line of this speed.
    pub fn parameters(&self, name: &str, base_us: f64, line: Speed) -> Result<Parameters, Error> {
        let own = self.profiles.iter().find(|p| p.name == name);
        let like = own.map_or(name, |p| p.like.as_str());
        let unknown = || Error::Profile { name: name.into(), message: "there is none of this name".into() };
        let mut p = Parameters::named(like, base_us).ok_or_else(unknown)?;
        let mbps = line.as_bps() as f64 / 1e6;
        if p.greatest_mbps != mbps {
            p = p.line(mbps);
        }
        p.signal_base_us = base_us;
        if let Some(own) = own {
            if own.algorithm_1 {
                p = p.algorithm_1();
            }
            for (set, value) in &own.set {
                set(&mut p, *value);
            }
        }
        p.validate().map_err(|e| Error::Profile { name: name.into(), message: e.to_string() })?;
        Ok(p)
    }

    /// Rates of the flows' profiles that bit-true NICs hold more than a millionth off what was
    /// asked for, a line each.
    pub fn rounded_rates(&self) -> Result<Vec<String>, Error> {
        let base_us = self.base_rtt_us()?;
        let mut lines = Vec::new();
        for f in &self.flows {
            let parameters = self.parameters(&f.profile, base_us, self.topology.host_link(f.src).speed)?;
            lines.extend(parameters.rounded_rates().map(|r| format!("profile {}: {r}", f.profile)));
        }
        lines.sort_unstable();
        lines.dedup();
        Ok(lines)
    }

    // Clocked networks have none of it.
    fn refuse_what_only_the_fabric_has(&self) -> Result<(), Error> {
        let calls = self.flows.iter().any(|f| !f.posts.is_empty() || f.reply.is_some());
        let reads = self.flows.iter().any(|f| f.read);
        let rival = self.flows.iter().any(|f| self.control(&f.profile) != Control::Engine);
        let bytes = matches!(self.nic.kind, NicKind::Rtl | NicKind::Model);
        let classes = !bytes && self.flows.iter().any(|f| f.class != crate::fabric::class::HIGH);
        let no_control = if bytes {
            "no profile with a `control` of its own: their law is the hardware's; for DCQCN leave `control` out and take `like = \"dcqcn-10g\"`"
        } else {
            "no profile with a `control` of its own: their law is that of the profile, which hears no marks and no CNPs"
        };
        // Switches mark and delay feedback in all networks.
        let both = FabricPlan {
            marking: self.fabric.marking,
            feedback: self.fabric.feedback,
            detail: self.fabric.detail,
            ..FabricPlan::default()
        };
        let what = [
            (calls, "no standing connections and no calls"),
            (reads, "no READs"),
            (rival, no_control),
            (classes, "one class of data"),
            (self.fabric != both, "no headroom, dynamic thresholds, RTT noise, spacing or trace of lateness"),
        ];
        match what.iter().find(|w| w.0) {
            None => Ok(()),
            Some((_, has)) => {
                Err(Error::Nic { kind: self.nic.kind, message: format!("their network has {has}; use event or posted NICs") })
            }
        }
    }

    /// The port that most flows end at: where to watch, and its speed.
    pub fn bottleneck(&self) -> Option<(NodeId, u16, Speed)> {
        let mut count = vec![0u32; self.topology.nodes()];
        for f in &self.flows {
            count[usize::from(if f.read { f.src } else { f.dst })] += 1;
        }
        let most = (0..count.len()).rev().max_by_key(|n| count[*n])? as NodeId;
        let end = self.topology.ports(most)[0];
        Some((end.peer, end.peer_port, self.topology.host_link(most).speed))
    }
}
