//! The traffic generator of `timely_hw::generator`: grants in, data frames out, [`LATENCY`] clocks
//! later.
pub mod keystream;
pub mod packets;

use crate::bus::{Charge, FlowLoad, Sent};
use crate::stream::Beat;
use crate::{Block, fifo, frame};
use packets::{Op, Packet, Packets};
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::{DATA_TAG_BITS, WIRE_OVERHEAD};
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST, READ};

/// Clocks from that at which a grant is taken to the first at which its frame's first beat stands
/// at an idle output.
pub const LATENCY: u64 = CHARGE_LATENCY + frame::LATENCY;
/// Clocks from that at which a grant is taken to its charge.
pub const CHARGE_LATENCY: u64 = packets::LATENCY;
/// Grants that are taken ahead of their frames' first beats, while frames are short.
pub const AHEAD: usize = 7;
/// Grants that are taken ahead of their frames' first beats after a frame of more than
/// [`LONG_BEATS`] beats.
pub const AHEAD_LONG: usize = 1;
/// Beats of the longest frame that counts as short.
pub const LONG_BEATS: u32 = 16;
/// Address bits of the queue of doorbells to the pacer.
const QUEUE_BITS: u32 = 4;
/// Doorbells on their way at which no grant is taken any more.
const POSTS: usize = 1 << QUEUE_BITS;
/// Doorbells on their way at which none of the host's joins them: the rest is for flows that post
/// for themselves.
const HOST_POSTS: usize = POSTS / 2;

/// Our addresses, and the key of the nonces.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Our MAC.
    pub mac: [u8; 6],
    /// Our IPv4 address.
    pub ipv4: [u8; 4],
    /// Our IPv6 address.
    pub ipv6: [u8; 16],
    /// Key of the nonces, [`keystream::KEY_BITS`] bits; it counts when `keyed` rises.
    pub key: u128,
    /// The key is written; without it no grant is taken.
    pub keyed: bool,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The settings.
    pub config: Config,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// A doorbell of the host: flow and packets.
    pub host_doorbell: Option<(u32, u16)>,
    /// A grant: flow and launch time, ns48.fns16.
    pub grant: Option<(u32, u64)>,
    /// The pacer takes the doorbell.
    pub doorbell_ready: bool,
    /// Downstream takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The RAM is clear.
    pub swept: bool,
    /// A doorbell of the host is taken if offered.
    pub host_doorbell_ready: bool,
    /// A grant is taken if offered.
    pub grant_ready: bool,
    /// A grant's charge.
    pub charge: Option<Charge>,
    /// A doorbell for the pacer: flow and packets.
    pub doorbell: Option<(u32, u16)>,
    /// The beat at the output and its frame's tag.
    pub beat: Option<(Beat, u16)>,
    /// With `beat`: when its frame may leave, ns48.fns16.
    pub launch: u64,
    /// The frame whose first beat is at the output for the first clock.
    pub sent: Option<Sent>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: u64,
}

/// The generator.
#[derive(Clone, Debug)]
pub struct Generator {
    flow_bits: u32,
    width: usize,
    /// The first clock at which RAM init after a reset is over.
    swept_at: u64,
    packets: Packets,
    first_segment: u32,
    frame: frame::Frame<Sent>,
    doorbells: fifo::Fifo<(u32, u16)>,
    clear: Option<u32>,
    host: Option<(u32, u16)>,
    /// A doorbell of the host gave way to a grant at the last clock: it is its turn.
    turn: bool,
    /// Grants taken whose frames have not begun, nor were found not to come.
    ahead: usize,
    /// Doorbells on their way, or room kept for them.
    posts: usize,
    /// The last frame was long.
    long: bool,
    /// A grant is taken if offered.
    ready: bool,
    tag: u16,
    /// log2 of the places in the ring of departures, and how many were given.
    ring_bits: u32,
    places: u32,
}

/// The frame of a packet.
fn describe(p: &Packet, config: &Config, tag: u16, place: u16, generation: u8) -> frame::Description<Sent> {
    let w = &p.record;
    let flag = |f: timely_regs::field::Field| f.get(w) != 0;
    let mut mac = [0; 6];
    mac[..4].copy_from_slice(&flow::MAC_LOW.get(w).to_le_bytes());
    mac[4..].copy_from_slice(&(flow::MAC_HIGH.get(w) as u16).to_le_bytes());
    let address = packets::address(w);
    let addresses = if flag(flow::IPV6) {
        Addresses::V6 { source: config.ipv6, destination: address }
    } else {
        Addresses::V4 { source: config.ipv4, destination: [address[0], address[1], address[2], address[3]] }
    };
    let (first, read, ttl) = (p.number == 0, flag(flow::READ), flow::TTL.get(w) as u8);
    let set = |on: bool, flag: u8| if on { flag } else { 0 };
    frame::Description {
        envelope: Envelope {
            mac_destination: mac,
            mac_source: config.mac,
            tci: flag(flow::VLAN).then(|| flow::VLAN_TCI.get(w) as u16),
            addresses,
            tos: flow::TOS.get(w) as u8,
            ttl,
            port_source: flow::SOURCE_PORT.get(w) as u16,
            port_destination: flow::DESTINATION_PORT.get(w) as u16,
        },
        header: Header {
            flags: set(first, FIRST) | set(p.last, LAST) | set(read, READ),
            packet: p.number.into(),
            place,
            flow: p.flow,
            nonce: p.nonce,
            segment: p.segment,
            segment_bytes: p.bytes,
            charged_bytes: if read { flow::CHARGED_BYTES.get(w) } else { 0 },
            ttl_sent: ttl,
            ..Header::default()
        },
        payload: flow::PAYLOAD_BYTES.get(w) as u16,
        side: Sent {
            tag,
            flow: p.flow,
            segment: p.segment,
            nonce: p.check,
            first,
            last: p.last,
            wire_bytes: p.wire,
            segment_bytes: p.charged,
            place,
            generation,
            launch: p.launch,
        },
    }
}

impl Generator {
    /// A generator for `2^flow_bits` flows on a bus of `width` bits, with `2^ring_bits` places for
    /// ended segments, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32, width: usize, ring_bits: u32) -> Self {
        Generator {
            flow_bits,
            width,
            swept_at: 1 << flow_bits,
            packets: Packets::new(flow_bits, 0),
            first_segment: 0,
            frame: frame::Frame::new(width),
            doorbells: fifo::Fifo::new(QUEUE_BITS),
            clear: None,
            host: None,
            turn: false,
            ahead: 0,
            posts: 0,
            long: false,
            ready: false,
            tag: 0,
            ring_bits,
            places: 0,
        }
    }

    /// The generator with all flows' segments counted from `segment` on, after resets too, to test
    /// what happens when the numbers run over.
    pub fn counting_from(self, segment: u32) -> Self {
        Generator { packets: Packets::new(self.flow_bits, segment), first_segment: segment, ..self }
    }
}

impl Block for Generator {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let swept = clk >= self.swept_at;
        let frame = self.frame.output(clk);
        let outcome = self.packets.outcome();
        let sent = if frame.start { frame.beat.as_ref().map(|(_, sent)| *sent) } else { None };
        let bit = |on: bool, counter: Counter| u64::from(on) << counter as u32;
        let refused = outcome.is_some_and(|o| o.refused);
        Out {
            swept,
            host_doorbell_ready: swept && self.host.is_none(),
            grant_ready: self.ready,
            charge: outcome.and_then(|o| o.charge),
            doorbell: self.doorbells.output(clk).head,
            launch: frame.beat.as_ref().map_or(0, |(_, sent)| sent.launch),
            beat: frame.beat.map(|(beat, sent)| (beat, sent.tag)),
            sent,
            pulses: bit(sent.is_some(), Counter::TxFrames) | bit(refused, Counter::DoorbellsRefused),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Generator::new(self.flow_bits, self.width, self.ring_bits).counting_from(self.first_segment);
            self.swept_at += clk + 1;
            return;
        }
        let out = self.output(clk);
        let outcome = self.packets.outcome().cloned();
        let keyed = self.packets.is_keyed();
        self.turn = out.grant_ready && i.grant.is_some() && self.host.is_some();
        let op = if let Some(flow) = self.clear.take() {
            Some(Op::Clear { flow })
        } else if let (Some((flow, launch)), true) = (i.grant, out.grant_ready) {
            self.ahead += 1;
            self.posts += 1;
            Some(Op::Grant { flow, launch })
        } else if self.posts < HOST_POSTS
            && let Some((flow, packets)) = self.host.take()
        {
            self.posts += 1;
            Some(Op::Doorbell { flow, packets })
        } else {
            None
        };
        if out.host_doorbell_ready {
            self.host = i.host_doorbell;
        }
        let load = i.load.filter(|_| out.swept);
        self.clear = load.filter(|l| !l.keep() || !l.enable()).map(|l| l.flow);
        self.packets.step(op, load.map(|l| (l.flow, l.record)), (i.config.key, i.config.keyed));
        // The packet found now sets the limit, long or short, from the next clock on, for grants
        // that are taken from the one after it.
        let limit = if self.long { AHEAD_LONG } else { AHEAD };
        let threshold = LONG_BEATS * self.width as u32 / 8 + WIRE_OVERHEAD;
        if let Some(packet) = self.packets.outcome().and_then(|o| o.packet.as_ref()) {
            self.long = u32::from(packet.wire) > threshold;
        }

        let o = outcome.unwrap_or_default();
        let describe = o.packet.as_ref().map(|p| {
            // A place is given to what ends a segment; other packets have none.
            let (place, turn) = (self.places & ((1 << self.ring_bits) - 1), self.places >> self.ring_bits & 3);
            if p.last {
                self.places = (self.places + 1) & ((4 << self.ring_bits) - 1);
                describe(p, &i.config, self.tag, place as u16, turn as u8)
            } else {
                describe(p, &i.config, self.tag, 0, 0)
            }
        });
        if describe.is_some() {
            self.tag = (self.tag + 1) & ((1 << DATA_TAG_BITS) - 1);
        }
        // A grant reserves room for a frame and a doorbell, the host's doorbell for itself; what
        // does not come gives it back.
        self.ahead -= usize::from(out.sent.is_some()) + usize::from(o.charge.is_some() && o.packet.is_none());
        let taken = out.doorbell.is_some() && i.doorbell_ready;
        self.posts -= usize::from(taken) + usize::from((o.charge.is_some() || o.refused) && o.post.is_none());
        self.ready = out.swept && keyed && self.clear.is_none() && !self.turn && self.ahead < limit && self.posts < POSTS;
        self.frame.step(clk, &frame::In { rst: false, describe, ready: i.ready });
        self.doorbells.step(clk, &fifo::In { rst: false, push: o.post, ready: i.doorbell_ready });
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.packets.is_idle() && self.frame.is_empty() && self.doorbells.is_empty();
        match (idle && self.clear.is_none() && self.host.is_none(), self.ready) {
            (false, _) => clk,
            (true, false) if self.packets.is_keyed() => clk.max(self.swept_at),
            (true, false) => u64::MAX,
            (true, true) if self.packets.is_keyed() => u64::MAX,
            (true, true) => clk,
        }
    }
}
