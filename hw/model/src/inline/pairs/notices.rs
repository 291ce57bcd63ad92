//! Congestion notifications in the host's place: the remote numbers of joined pairs, and the
//! packets that may draw one while their pairs are looked up.
use crate::Block;
use crate::notifier::{self, Mark, Notifier, Out};
use crate::queue_pairs::Status;
use crate::roce::Packet;
use std::collections::VecDeque;
use timely_regs::wire::{Addresses, CE};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    pub rst: bool,
    /// The table is in reset.
    pub held: bool,
    /// A packet arrived that may draw a notification, and its pair is looked up.
    pub arrived: Option<Packet>,
    /// The port's own MAC address.
    pub mac: [u8; 6],
    /// Flow of such a packet, at the end of its look-up.
    pub found: Option<Option<u32>>,
    /// A command that the table takes: its remote queue pair.
    pub command: Option<u32>,
    /// Outcome of the last one, and its flow.
    pub reply: Option<(Status, u32)>,
    /// All but the mark.
    pub notifier: notifier::In,
}

/// Remote numbers and waiting packets, in front of the notifier.
#[derive(Clone, Debug)]
pub struct Notices {
    notifier: Notifier,
    /// Remote queue pair of each flow that a command set; of joined ones, that of the pair.
    remotes: Vec<u32>,
    /// Remote queue pair of the command under way.
    remote: u32,
    /// Packets whose pairs are looked up, and whether they may be answered.
    arrived: VecDeque<(Packet, bool)>,
    /// Flows of packets one and two clocks after their look-up.
    found: [Option<Option<u32>>; 2],
    /// Remote queue pair of the latter's flow.
    read: u32,
}

/// A packet arrived with CE.
pub fn is_marked(p: &Packet) -> bool {
    p.headers.tos & CE == CE
}

/// A packet came from one host to this port, so that an answer goes there and nowhere else. IPv4
/// has groups of hosts from 224 on, then reserved addresses and the broadcast.
fn is_answerable(p: &Packet, own: [u8; 6]) -> bool {
    let [to, from] = p.macs;
    let is_host = |address: &[u8; 16]| address[0] < if p.headers.class.ipv6 { 0xff } else { 224 };
    to == own && from != own && from[0] & 1 == 0 && is_host(&p.source) && is_host(&p.destination)
}

/// The mark of a packet.
fn mark(p: &Packet, flow: Option<u32>, pair: u32) -> Mark {
    let v4 = |a: &[u8; 16]| [a[0], a[1], a[2], a[3]];
    let addresses = if p.headers.class.ipv6 {
        Addresses::V6 { source: p.source, destination: p.destination }
    } else {
        Addresses::V4 { source: v4(&p.source), destination: v4(&p.destination) }
    };
    let [mac_destination, mac_source] = p.macs;
    let partition_key = p.headers.partition_key;
    Mark { ce: is_marked(p), flow, pair, partition_key, mac_destination, mac_source, tci: p.tci, addresses, port: p.port }
}

impl Notices {
    /// Of `2^flow_bits` flows, on a bus of `width` bits.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        Notices {
            notifier: Notifier::new(width, flow_bits),
            remotes: vec![0; 1 << flow_bits],
            remote: 0,
            arrived: VecDeque::new(),
            found: [None; 2],
            read: 0,
        }
    }

    pub fn output(&self, clk: u64) -> Out {
        self.notifier.output(clk)
    }

    pub fn step(&mut self, clk: u64, i: &In) {
        let mark = self.found[1].and_then(|flow| {
            let (packet, answerable) = self.arrived.front()?;
            Some(mark(packet, flow.filter(|_| *answerable), self.read))
        });
        self.notifier.step(clk, &notifier::In { mark, ..i.notifier.clone() });
        if self.found[1].is_some() {
            self.arrived.pop_front();
        }
        self.arrived.extend(i.arrived.map(|p| (p, is_answerable(&p, i.mac))));
        // A pair is joined a clock before it is told, so that its number is read a clock late.
        self.read = self.found[0].flatten().map_or(0, |flow| self.remotes[flow as usize]);
        if let Some((Status::Done, flow)) = i.reply {
            self.remotes[flow as usize] = self.remote;
        }
        self.remote = i.command.unwrap_or(self.remote);
        self.found = [i.found, self.found[0]];
        if i.rst || i.held {
            self.arrived.clear();
            self.found = [None; 2];
        }
    }

    pub fn wake(&self, clk: u64) -> u64 {
        if self.arrived.is_empty() && self.found == [None; 2] { self.notifier.wake(clk) } else { clk }
    }
}
