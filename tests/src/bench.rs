//! A NIC on a quiet wire: a MAC that is always ready, frames in at chosen clocks, every frame out
//! with the clocks of its beats.
use crate::nic::Nic;
use crate::nic::PORT;
use std::collections::VecDeque;
use timely_model::stream::beats;
use timely_regs::link::ACK_TAG;
use timely_regs::wire::{Addresses, Envelope, Header, Packet};
use timely_sim::nic::core::{Completion, CoreEvent, CoreIn, RxBeat};

/// Clocks from a frame's first beat to its departure stamp.
const COMPLETION_CLOCKS: u64 = 8;

/// A frame that the NIC sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Bytes of the frame.
    pub frame: Vec<u8>,
    /// Clock of its first beat.
    pub first: u64,
    /// Clock of its last beat.
    pub last: u64,
    /// The NIC's time at the first.
    pub now: u64,
    /// The frame has the ACKs' tag.
    pub is_ack: bool,
}

impl Sent {
    /// The frame, which must be well-formed with its checksums right.
    pub fn packet(&self) -> Packet<&[u8]> {
        let packet = Packet::new_checked(&self.frame[..], PORT).expect("the NIC sends well-formed frames");
        assert!(packet.udp_checksum_holds(), "the UDP checksum of {packet:?}");
        packet
    }
}

/// A frame that the NIC was given.
#[derive(Clone, Debug)]
pub struct Received {
    /// Bytes of the frame.
    pub frame: Vec<u8>,
    /// Clock of its first beat.
    pub first: u64,
    /// Clock of its last beat.
    pub last: u64,
    /// The frame's stamp: the NIC's time at the first beat.
    pub stamp: u64,
}

/// The NIC and its wire.
pub struct Bench {
    /// The NIC.
    pub nic: Box<dyn Nic>,
    /// Everything that was received, in order.
    pub received: Vec<Received>,
    /// All events.
    pub events: Vec<CoreEvent>,
    arrivals: VecDeque<(u64, Vec<u8>)>,
    arriving: VecDeque<RxBeat>,
    completions: VecDeque<(u64, Completion)>,
    /// Samples of PTP to come, by clock.
    pub ptp: VecDeque<(u64, u64)>,
    sending: Option<Sent>,
}

impl Bench {
    /// A wire for a NIC that is set up.
    pub fn new(nic: Box<dyn Nic>) -> Self {
        Bench {
            nic,
            received: Vec::new(),
            events: Vec::new(),
            arrivals: VecDeque::new(),
            arriving: VecDeque::new(),
            completions: VecDeque::new(),
            ptp: VecDeque::new(),
            sending: None,
        }
    }

    /// The coming clock.
    pub fn clk(&self) -> u64 {
        self.nic.clk()
    }

    /// Lets a frame arrive, its first beat at clock `at` or when the frames before it are through.
    pub fn arrive(&mut self, at: u64, frame: Vec<u8>) {
        let behind = self.arrivals.iter().rposition(|a| a.0 <= at).map_or(0, |i| i + 1);
        self.arrivals.insert(behind, (at, frame));
    }

    /// Frames that have not arrived yet.
    pub fn arriving(&self) -> usize {
        self.arrivals.len()
    }

    fn step(&mut self) -> Option<Sent> {
        let clk = self.nic.clk();
        let now = self.nic.now();
        if self.arriving.is_empty() && self.arrivals.front().is_some_and(|a| a.0 <= clk) {
            let (_, frame) = self.arrivals.pop_front().expect("there is a front");
            let width = self.nic.bus_bytes() * 8;
            self.arriving.extend(beats(&frame, width).map(|b| RxBeat { data: b.data, bytes: b.bytes, last: b.last, ts: now, bad: false }));
            let last = clk + self.arriving.len() as u64 - 1;
            self.received.push(Received { frame, first: clk, last, stamp: now });
        }
        let completion = self.completions.pop_front_if(|c| c.0 <= clk).map(|c| c.1);
        let mut done = None;
        if let Some(beat) = self.nic.output().tx {
            let sending = self.sending.get_or_insert_with(|| {
                self.completions.push_back((clk + COMPLETION_CLOCKS, Completion { tag: beat.tag, ts: now }));
                Sent { frame: Vec::new(), first: clk, last: 0, now, is_ack: beat.tag == ACK_TAG }
            });
            sending.frame.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
            if beat.last {
                done = self.sending.take().map(|s| Sent { last: clk, ..s });
            }
        }
        let ptp = self.ptp.pop_front_if(|p| p.0 <= clk).map(|p| p.1);
        self.nic.step(&CoreIn { rx: self.arriving.pop_front(), tx_ready: true, completion, pause: 0, ptp });
        self.nic.drain(&mut self.events);
        done
    }

    /// Runs until the NIC has sent a frame, or to clock `end`. Clocks in which nothing happens are
    /// skipped.
    pub fn run(&mut self, end: u64) -> Option<Sent> {
        while self.clk() < end {
            let clk = self.clk();
            if self.arriving.is_empty() && self.nic.output().tx.is_none() {
                let next = |t: Option<u64>| t.unwrap_or(u64::MAX);
                let arrival = next(self.arrivals.front().map(|a| a.0));
                let completion = next(self.completions.front().map(|c| c.0));
                let sample = next(self.ptp.front().map(|p| p.0));
                let to = self.nic.wake().min(arrival).min(completion).min(sample).min(end);
                if to > clk {
                    self.nic.skip_to(to);
                    continue;
                }
            }
            if let Some(sent) = self.step() {
                return Some(sent);
            }
        }
        None
    }
}

/// The ACK with which a peer answers a data frame, as our responder would write it.
pub fn answer(frame: &[u8], arrival: u64, departure: u64) -> Vec<u8> {
    let p = Packet::new_checked(frame, PORT).expect("an answer to a frame of ours");
    let header = Header::read(p.header().try_into().expect("48 bytes")).answered(p.ttl(), p.tos(), arrival, departure);
    swapped(&p).frame(&header, &[])
}

/// The way back.
pub fn swapped(p: &Packet<&[u8]>) -> Envelope {
    let addresses = match (<[u8; 4]>::try_from(p.ip_source()), <[u8; 4]>::try_from(p.ip_destination())) {
        (Ok(source), Ok(destination)) => Addresses::V4 { source: destination, destination: source },
        _ => Addresses::V6 {
            source: p.ip_destination().try_into().expect("16 bytes"),
            destination: p.ip_source().try_into().expect("16 bytes"),
        },
    };
    Envelope {
        mac_destination: p.mac_source(),
        mac_source: p.mac_destination(),
        tci: p.tci(),
        addresses,
        tos: p.tos(),
        ttl: 64,
        port_source: p.port_destination(),
        port_destination: p.port_source(),
    }
}
