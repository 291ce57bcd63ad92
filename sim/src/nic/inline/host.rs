//! The host of an in-line NIC: software that builds our packets itself and hands them over one after another.
//!
//! It has the flows of the scenario, goes round among those with something to send, packet by packet, at the rate of the bus, and waits where the
//! NIC does. Of each flow it keeps so many bytes at most between itself and the wire, as a driver does that is told of every packet that has left.
use crate::cores::CoreSpec;
use crate::frame::address;
use crate::nic::setup::record;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::stream::{Beat, beat};
use timely_regs::link::wire_bytes;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST};

/// A flow as the host's software has it.
struct Flow {
    envelope: Envelope,
    payload: u16,
    segment_packets: u8,
    /// The flow posts for ever, once begun.
    endless: bool,
    /// Packets that are still to be built; of an endless flow, any number while it runs.
    left: u64,
    /// Of the segment under way: its number, packets and wire bytes so far, nonce.
    segment: u32,
    packets: u8,
    bytes: u32,
    nonce: u32,
    /// Bytes that the NIC has of it.
    inside: u64,
}

/// The host.
pub struct Host {
    flows: Vec<Flow>,
    width: usize,
    window: u64,
    rng: ChaCha8Rng,
    /// The flow that is looked at next.
    turn: usize,
    /// The frame that is handed over: its flow, its bytes, beats that were taken.
    frame: Option<(usize, Vec<u8>, usize)>,
    /// The host takes no frame from the NIC.
    pub deaf: bool,
}

impl Host {
    /// The host that `spec` describes, on a bus of `width` bits.
    pub fn new(spec: &CoreSpec, width: usize) -> Self {
        let flow = |f: &crate::cores::CoreFlow| {
            let r = record(f, 0, spec);
            Flow {
                envelope: Envelope {
                    mac_destination: r.mac,
                    mac_source: address::mac(spec.host),
                    tci: None,
                    addresses: Addresses::V4 { source: address::ipv4(spec.host), destination: address::ipv4(f.spec.dst) },
                    tos: r.tos,
                    ttl: r.ttl,
                    port_source: r.source_port,
                    port_destination: r.destination_port,
                },
                payload: r.payload_bytes,
                segment_packets: r.segment_packets,
                endless: r.endless,
                left: 0,
                segment: 0,
                packets: 0,
                bytes: 0,
                nonce: 0,
                inside: 0,
            }
        };
        let flows = spec.flows.iter().map(flow).collect();
        let rng = ChaCha8Rng::seed_from_u64(spec.seed);
        Host { flows, width, window: spec.host_window, rng, turn: 0, frame: None, deaf: false }
    }

    /// A flow's software posts packets; 0 ends the flow with its next packet, which ends the segment.
    pub fn post(&mut self, flow: u32, packets: u32) {
        let Some(f) = self.flows.get_mut(flow as usize) else { return };
        f.left = if packets == 0 { 0 } else { f.left + u64::from(packets) };
    }

    /// The NIC was reset: frames under way are forgotten.
    pub fn reset(&mut self) {
        self.frame = None;
        self.flows.iter_mut().for_each(|f| (f.left, f.packets, f.inside) = (0, 0, 0));
    }

    fn may_send(&self, flow: usize) -> bool {
        let f = &self.flows[flow];
        let next = f.envelope.class().end() as u64 + u64::from(f.payload);
        (f.left > 0 || f.endless && f.packets > 0) && (self.window == 0 || f.inside == 0 || f.inside + next <= self.window)
    }

    /// The host has a beat to offer.
    pub fn offers(&self) -> bool {
        self.frame.is_some() || (0..self.flows.len()).any(|f| self.may_send(f))
    }

    /// The beat that it offers, and what goes beside it: the flow's number and 1.
    pub fn beat(&mut self) -> Option<(Beat, u128)> {
        if self.frame.is_none() {
            let n = self.flows.len();
            let flow = (0..n).map(|i| (self.turn + i) % n).find(|f| self.may_send(*f))?;
            self.turn = (flow + 1) % n;
            self.frame = Some((flow, self.build(flow), 0));
        }
        let (flow, bytes, at) = self.frame.as_ref()?;
        Some((beat(bytes, self.width, *at), *flow as u128 + 1))
    }

    /// The beat is taken.
    pub fn taken(&mut self) {
        if let Some((_, bytes, at)) = &mut self.frame {
            *at += 1;
            if *at * self.width / 8 >= bytes.len() {
                self.frame = None;
            }
        }
    }

    /// The last beat of a frame of that flow and so many bytes has left.
    pub fn left(&mut self, meta: u128, bytes: u64) {
        if let Some(f) = (meta as usize).checked_sub(1).and_then(|f| self.flows.get_mut(f)) {
            f.inside = f.inside.saturating_sub(bytes);
        }
    }

    fn build(&mut self, flow: usize) -> Vec<u8> {
        let f = &mut self.flows[flow];
        let first = f.packets == 0;
        if first {
            (f.nonce, f.bytes) = (self.rng.next_u32(), 0);
        }
        if !f.endless {
            f.left -= 1;
        }
        // As the generator of the standalone form does: what is posted ends with a segment's end.
        let last = f.packets + 1 == f.segment_packets || f.left == 0;
        f.bytes += wire_bytes(f.envelope.class().end() as u32 + u32::from(f.payload));
        let header = Header {
            flags: if first { FIRST } else { 0 } | if last { LAST } else { 0 },
            packet: f.packets.into(),
            flow: flow as u32,
            nonce: f.nonce,
            segment: f.segment,
            segment_bytes: f.bytes,
            ttl_sent: f.envelope.ttl,
            ..Header::default()
        };
        let frame = f.envelope.frame(&header, &vec![0; f.payload.into()]);
        f.packets = if last { 0 } else { f.packets + 1 };
        f.segment = f.segment.wrapping_add(last.into());
        f.inside += frame.len() as u64;
        frame
    }
}
