//! Software that builds our packets itself: a flow as the host of an in-line or a Corundum NIC has
//! it.
use crate::cores::{CoreFlow, CoreSpec};
use crate::frame::address;
use crate::nic::setup::record;
use rand::RngCore;
use timely_regs::link::wire_bytes;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST};

/// A flow as the host's software has it.
pub struct Flow {
    number: u32,
    envelope: Envelope,
    payload: u16,
    segment_packets: u8,
    /// The flow posts for ever, once begun.
    endless: bool,
    /// Packets that are still to be built; of an endless flow, any number while it runs.
    left: u64,
    /// Segment under way: its number, packets and wire bytes so far, nonce.
    segment: u32,
    packets: u8,
    bytes: u32,
    nonce: u32,
    /// Bytes that the NIC has of it.
    pub inside: u64,
}

impl Flow {
    /// Flow `number` of the host that `spec` describes.
    pub fn new(number: u32, f: &CoreFlow, spec: &CoreSpec) -> Self {
        let r = record(f, 0, spec);
        Flow {
            number,
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
    }

    /// The flow's software posts packets; 0 ends the flow with its next packet, which ends the
    /// segment.
    pub fn post(&mut self, packets: u32) {
        self.left = if packets == 0 { 0 } else { self.left + u64::from(packets) };
    }

    /// The NIC was reset: packets under way are forgotten.
    pub fn reset(&mut self) {
        (self.left, self.packets, self.inside) = (0, 0, 0);
    }

    /// The flow has a packet to build, which fits `window` bytes of the flow in the NIC or is alone
    /// there; a `window` of 0 is no bound.
    pub fn may_send(&self, window: u64) -> bool {
        let next = self.envelope.class().end() as u64 + u64::from(self.payload);
        (self.left > 0 || self.endless && self.packets > 0) && (window == 0 || self.inside == 0 || self.inside + next <= window)
    }

    /// Builds the flow's next packet, which the NIC then has.
    pub fn build(&mut self, rng: &mut impl RngCore) -> Vec<u8> {
        let first = self.packets == 0;
        if first {
            (self.nonce, self.bytes) = (rng.next_u32(), 0);
        }
        if !self.endless {
            self.left -= 1;
        }
        // As the generator of the standalone form does: what is posted ends with a segment's end.
        let last = self.packets + 1 == self.segment_packets || self.left == 0;
        self.bytes += wire_bytes(self.envelope.class().end() as u32 + u32::from(self.payload));
        let header = Header {
            flags: if first { FIRST } else { 0 } | if last { LAST } else { 0 },
            packet: self.packets.into(),
            flow: self.number,
            nonce: self.nonce,
            segment: self.segment,
            segment_bytes: self.bytes,
            ttl_sent: self.envelope.ttl,
            ..Header::default()
        };
        let frame = self.envelope.frame(&header, &vec![0; self.payload.into()]);
        self.packets = if last { 0 } else { self.packets + 1 };
        self.segment = self.segment.wrapping_add(last.into());
        self.inside += frame.len() as u64;
        frame
    }

    /// A packet of so many bytes has left the NIC.
    pub fn left(&mut self, bytes: u64) {
        self.inside = self.inside.saturating_sub(bytes);
    }
}
