//! A frame in the network: what a switch needs to know of it, and either its bytes or, between
//! event-level hosts, its meaning.
use std::sync::Arc;
use timely_regs::wire::{self, CE};

/// Our UDP port in simulated networks.
pub const UDP_PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// Index of a node of the topology: a host or a switch.
pub type NodeId = u16;
/// Number of a flow at its sender.
pub type FlowId = u32;
/// Flow of a frame that is not ours.
pub const FOREIGN: FlowId = FlowId::MAX;

/// A queue of a switch port, the first in line first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Acknowledgements: sent before all data.
    Ack = 0,
    /// Everything else.
    Data = 1,
    /// Data of bit-true NICs with [`LOW_TOS`]: sent after all else.
    Low = 2,
}

/// Classes.
pub const CLASSES: usize = 3;

/// TOS by which switches know data of [`Class::Low`]: DSCP CS1, as RFC 3662 has it.
pub const LOW_TOS: u8 = 8 << 2;

/// EtherType of a VLAN tag.
const VLAN: [u8; 2] = [0x81, 0x00];

/// Metadata of an event-level host's frame, in place of bytes; an ACK echoes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Segment number in the flow.
    pub segment: u32,
    /// Number of the packet in the segment.
    pub packet: u16,
    /// Last packet of the segment: its receiver answers.
    pub last: bool,
    /// An ACK: segments that lost packets, of which it tells.
    pub lost: u8,
    /// The frame is an ACK.
    pub ack: bool,
    /// Payload bytes, after our header.
    pub payload: u32,
    /// Place of the payload in what the flow sends, if its sender tells.
    pub place: Option<u64>,
    /// Data: a switch has marked it (ECN: CE). An ACK: the packet that it answers came marked.
    pub marked: bool,
}

impl Meta {
    /// Of a frame that is none of ours.
    const FOREIGN: Meta = Meta { segment: 0, packet: 0, last: false, lost: 0, ack: false, payload: 0, place: None, marked: false };
}

/// A frame on its way. The bytes of a bit-true NIC are kept whole.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The host that sent it.
    pub src: NodeId,
    /// The host it goes to.
    pub dst: NodeId,
    /// The flow it belongs to, by its number at the flow's sender (in an ACK: at the ACK's
    /// destination).
    pub flow: FlowId,
    /// The queue it uses in switches.
    pub class: Class,
    /// Frame bytes without FCS.
    pub bytes: u32,
    /// Damaged on the way: a switch drops it, a MAC marks it.
    pub bad: bool,
    /// Metadata of a frame of ours.
    pub meta: Meta,
    /// All its bytes, when a bit-true NIC sent it.
    pub body: Option<Arc<[u8]>>,
}

impl Frame {
    /// Bytes on the wire.
    pub fn wire_bytes(&self) -> u32 {
        crate::time::wire_bytes(self.bytes)
    }

    /// Bytes of the frame in a switch's buffer: FCS included.
    pub fn buffer_bytes(&self) -> u64 {
        u64::from(self.bytes) + 4
    }

    /// Marks the frame, as a switch does that meets congestion. Data is taken as ECN-capable
    /// whatever its ECN bits say.
    pub fn mark(&mut self) {
        self.meta.marked = true;
        let Some(body) = &self.body else { return };
        let class = wire::Class { vlan: body[12..14] == VLAN, ipv6: false };
        let class = wire::Class { ipv6: body[class.ip()] >> 4 == 6, ..class };
        let mut packet = wire::Packet::new_unchecked(body.to_vec(), class);
        packet.set_tos(packet.tos() | CE);
        let mut bytes = packet.into_inner();
        if !class.ipv6 {
            let header = &mut bytes[class.ip()..class.ip() + wire::ipv4::BYTES];
            let sum = wire::ipv4_header_checksum(header);
            header[wire::ipv4::CHECKSUM..wire::ipv4::CHECKSUM + 2].copy_from_slice(&sum.to_be_bytes());
        }
        self.body = Some(bytes.into());
    }

    /// The host that a bit-true NIC's frame is addressed to.
    pub fn destination(bytes: &[u8]) -> Option<NodeId> {
        address::host_of(bytes.get(..6)?)
    }

    /// Reads a bit-true NIC's frame from `src` to `dst`; `port` is our UDP port.
    pub fn from_bytes(src: NodeId, dst: NodeId, bytes: &[u8], port: u16) -> Frame {
        let (flow, meta, class) = parse(bytes, port).unwrap_or((FOREIGN, Meta::FOREIGN, Class::Data));
        Frame { src, dst, flow, class, meta, ..Frame::outside(bytes) }
    }

    /// A frame from outside the simulation, of which nothing but its bytes is known.
    pub fn outside(bytes: &[u8]) -> Frame {
        Frame {
            src: 0,
            dst: 0,
            flow: FOREIGN,
            class: Class::Data,
            bytes: bytes.len() as u32,
            bad: false,
            meta: Meta::FOREIGN,
            body: Some(bytes.into()),
        }
    }
}

/// The addresses that hosts of a simulated network have.
pub mod address {
    use super::NodeId;

    /// MAC address of a host: locally administered, `02:74:6e:00` and its number.
    pub fn mac(host: NodeId) -> [u8; 6] {
        let [hi, lo] = host.to_be_bytes();
        [0x02, 0x74, 0x6e, 0x00, hi, lo]
    }

    /// The host that has this MAC address.
    pub fn host_of(mac: &[u8]) -> Option<NodeId> {
        match *mac {
            [0x02, 0x74, 0x6e, 0x00, hi, lo] => Some(NodeId::from_be_bytes([hi, lo])),
            _ => None,
        }
    }

    /// IPv4 address of a host: `11.0.hi.lo` and 1 as its low end, as HPCC's simulator numbers them.
    pub fn ipv4(host: NodeId) -> [u8; 4] {
        let [hi, lo] = host.to_be_bytes();
        [0x0b, hi, lo, 1]
    }

    /// IPv6 address of a host, in a unique local prefix.
    pub fn ipv6(host: NodeId) -> [u8; 16] {
        let [hi, lo] = host.to_be_bytes();
        [0xfd, 0x74, 0x6e, 0x69, 0x63, 0, 0, 0, 0, 0, 0, 0, 0, 0, hi, lo]
    }
}

/// Flow, meaning and class of a frame of ours.
fn parse(bytes: &[u8], port: u16) -> Option<(FlowId, Meta, Class)> {
    let p = wire::Packet::new_checked(bytes, port).ok()?;
    let (payload, ack) = (p.payload().len() as u32, p.kind() == wire::Kind::Ack);
    let class = match (ack, p.tos() & !CE) {
        (true, _) => Class::Ack,
        (false, LOW_TOS) => Class::Low,
        _ => Class::Data,
    };
    let ecn = if ack { p.ecn_seen() } else { p.tos() };
    let lost = if ack { wire::Loss::of(p.loss()).segments() } else { 0 };
    let meta =
        Meta { segment: p.segment(), packet: p.packet(), last: p.is_last(), lost, ack, payload, place: None, marked: ecn & CE == CE };
    Some((p.flow(), meta, class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::wire::{Addresses, Envelope, Header, Kind, LAST, Packet};

    /// A mark sets the ECN bits to CE and leaves all else as it was: DSCP, UDP checksum, class; the
    /// IPv4 checksum still holds.
    #[test]
    fn a_mark_is_one_field_and_its_checksum() {
        let (port, four) = (4000, Addresses::V4 { source: [11, 0, 0, 1], destination: [11, 0, 1, 1] });
        let six = Addresses::V6 { source: [0xfd; 16], destination: [0xfc; 16] };
        for (addresses, tci, tos) in [(four, None, 0), (four, Some(5), 0xb8 | 2), (six, None, LOW_TOS), (six, Some(7), 1)] {
            let envelope = Envelope {
                mac_destination: address::mac(1),
                mac_source: address::mac(0),
                tci,
                addresses,
                tos,
                ttl: 64,
                port_source: port,
                port_destination: port,
            };
            let header = Header { flags: LAST, segment: 9, segment_bytes: 100, ..Header::default() };
            let mut frame = Frame::from_bytes(0, 1, &envelope.frame(&header, &[3; 100]), port);
            let (before, class) = (frame.body.clone().unwrap(), frame.class);
            assert!(!frame.meta.marked);
            frame.mark();
            let read = Frame::from_bytes(0, 1, frame.body.as_deref().unwrap(), port);
            assert!(frame.meta.marked && read.meta.marked && read.class == class && !read.bad);
            let (old, new) =
                (Packet::new_checked(&before[..], port).unwrap(), Packet::new_checked(frame.body.as_deref().unwrap(), port).unwrap());
            assert!(new.tos() == tos | 3 && new.kind() == Kind::Data && new.udp_checksum_holds() == old.udp_checksum_holds());
            let changed = before.iter().zip(new.frame()).filter(|(a, b)| a != b).count();
            assert!(changed <= if envelope.tci.is_some() || !matches!(addresses, Addresses::V6 { .. }) { 3 } else { 2 }, "{changed}");
        }
    }
}
