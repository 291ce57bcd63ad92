//! Writes frames of ours.
use super::{ACK, Class, HEADER_BYTES, Packet, VERSION, ethernet, ipv4, ipv6, offset, udp};

/// The two ends of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4.
    V4 {
        /// Source.
        source: [u8; 4],
        /// Destination.
        destination: [u8; 4],
    },
    /// IPv6.
    V6 {
        /// Source.
        source: [u8; 16],
        /// Destination.
        destination: [u8; 16],
    },
}

/// The headers around ours. IPv4 leaves with "don't fragment" and identification 0 (RFC 6864), IPv6
/// with flow label 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Destination MAC address.
    pub mac_destination: [u8; 6],
    /// Source MAC address.
    pub mac_source: [u8; 6],
    /// Priority, DEI and VLAN number, for a tagged frame.
    pub tci: Option<u16>,
    /// IP addresses.
    pub addresses: Addresses,
    /// DSCP and ECN.
    pub tos: u8,
    /// TTL or hop limit.
    pub ttl: u8,
    /// UDP source port.
    pub port_source: u16,
    /// UDP destination port: ours.
    pub port_destination: u16,
}

/// Our header, field by field; the version is [`VERSION`], reserved bytes are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Header {
    /// Flags.
    pub flags: u8,
    /// Packet number in the segment.
    pub packet: u16,
    /// Place of the segment in the sender's ring of departures: 0 but in its last packet.
    pub place: u16,
    /// Flow of the sender of the data; 16 bits.
    pub flow: u32,
    /// Nonce of the segment.
    pub nonce: u32,
    /// Segment number.
    pub segment: u32,
    /// Bytes of the segment.
    pub segment_bytes: u32,
    /// Charged bytes of a READ.
    pub charged_bytes: u32,
    /// TTL as sent.
    pub ttl_sent: u8,
    /// ACK: TTL received.
    pub ttl_seen: u8,
    /// ACK: ECN bits seen.
    pub ecn_seen: u8,
    /// ACK: what the responder knows of lost packets, as [`Loss::byte`](super::Loss::byte) makes
    /// it.
    pub loss: u8,
    /// ACK: arrival at the responder, ns48.fns16.
    pub arrival: u64,
    /// ACK: departure at the responder, ns48.fns16.
    pub departure: u64,
}

impl Header {
    /// The header that the ACK of this one carries: the same ids, with what the responder saw.
    /// `ecn` is 2 bits; stamps ns48.fns16.
    pub fn answered(self, ttl: u8, ecn: u8, arrival: u64, departure: u64) -> Header {
        Header { flags: self.flags | ACK, ttl_seen: ttl, ecn_seen: ecn & 3, arrival, departure, ..self }
    }

    /// Reads a header's bytes, whatever they hold; reserved bytes are dropped.
    pub fn read(bytes: &[u8; HEADER_BYTES]) -> Header {
        let u32_at = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let u64_at = |at: usize| u64::from(u32_at(at)) << 32 | u64::from(u32_at(at + 4));
        Header {
            flags: bytes[offset::FLAGS],
            packet: (u32_at(offset::PACKET - 2) & 0xffff) as u16,
            place: (u32_at(offset::PLACE) >> 16) as u16,
            flow: u32_at(offset::FLOW - 2) & 0xffff,
            nonce: u32_at(offset::NONCE),
            segment: u32_at(offset::SEGMENT),
            segment_bytes: u32_at(offset::SEGMENT_BYTES),
            charged_bytes: u32_at(offset::CHARGED_BYTES),
            ttl_sent: bytes[offset::TTL_SENT],
            ttl_seen: bytes[offset::TTL_SEEN],
            ecn_seen: bytes[offset::ECN_SEEN] & 3,
            loss: bytes[offset::LOSS],
            arrival: u64_at(offset::ARRIVAL),
            departure: u64_at(offset::DEPARTURE),
        }
    }

    /// The header's bytes.
    pub fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut b = [0; HEADER_BYTES];
        b[offset::VERSION] = VERSION;
        b[offset::FLAGS] = self.flags;
        b[offset::PACKET..][..2].copy_from_slice(&self.packet.to_be_bytes());
        b[offset::PLACE..][..2].copy_from_slice(&self.place.to_be_bytes());
        b[offset::FLOW..][..2].copy_from_slice(&(self.flow as u16).to_be_bytes());
        b[offset::NONCE..][..4].copy_from_slice(&self.nonce.to_be_bytes());
        b[offset::SEGMENT..][..4].copy_from_slice(&self.segment.to_be_bytes());
        b[offset::SEGMENT_BYTES..][..4].copy_from_slice(&self.segment_bytes.to_be_bytes());
        b[offset::CHARGED_BYTES..][..4].copy_from_slice(&self.charged_bytes.to_be_bytes());
        b[offset::TTL_SENT] = self.ttl_sent;
        b[offset::TTL_SEEN] = self.ttl_seen;
        b[offset::ECN_SEEN] = self.ecn_seen;
        b[offset::LOSS] = self.loss;
        b[offset::ARRIVAL..][..8].copy_from_slice(&self.arrival.to_be_bytes());
        b[offset::DEPARTURE..][..8].copy_from_slice(&self.departure.to_be_bytes());
        b
    }
}

impl Envelope {
    /// The stack that the frame will have.
    pub fn class(&self) -> Class {
        Class { vlan: self.tci.is_some(), ipv6: matches!(self.addresses, Addresses::V6 { .. }) }
    }

    /// The frame without FCS, unpadded (the shortest, an untagged IPv4 ACK, has 90 bytes), with all
    /// lengths and checksums right.
    ///
    /// # Panics
    /// When the payload does not fit an IP packet: more than 65,459 bytes.
    pub fn frame(&self, header: &Header, payload: &[u8]) -> Vec<u8> {
        self.around(&[&header.bytes(), payload].concat(), true)
    }

    /// The frame of another header and payload behind UDP, with or without a UDP checksum.
    ///
    /// # Panics
    /// When the body does not fit an IP packet: more than 65,507 bytes.
    pub fn around(&self, body: &[u8], has_udp_checksum: bool) -> Vec<u8> {
        let class = self.class();
        let (ip, at_udp) = (class.ip(), class.udp());
        let inside = u16::try_from(udp::BYTES + body.len()).ok().filter(|n| *n <= 0xffff - ipv4::BYTES as u16);
        let inside = inside.expect("at most 65,507 bytes behind UDP");
        let mut b = vec![0; class.header()];
        b[ethernet::DESTINATION..][..6].copy_from_slice(&self.mac_destination);
        b[ethernet::SOURCE..][..6].copy_from_slice(&self.mac_source);
        if let Some(tci) = self.tci {
            b[ethernet::TYPE..][..2].copy_from_slice(&ethernet::VLAN.to_be_bytes());
            b[ethernet::TCI..][..2].copy_from_slice(&tci.to_be_bytes());
        }
        let ethertype = if class.ipv6 { ethernet::IPV6 } else { ethernet::IPV4 };
        b[ip - 2..ip].copy_from_slice(&ethertype.to_be_bytes());
        match self.addresses {
            Addresses::V4 { source, destination } => {
                b[ip + ipv4::VERSION_IHL] = ipv4::PLAIN;
                b[ip + ipv4::LENGTH..][..2].copy_from_slice(&(inside + ipv4::BYTES as u16).to_be_bytes());
                b[ip + ipv4::FRAGMENT..][..2].copy_from_slice(&ipv4::DONT_FRAGMENT.to_be_bytes());
                b[ip + ipv4::PROTOCOL] = udp::PROTOCOL;
                b[ip + ipv4::SOURCE..][..4].copy_from_slice(&source);
                b[ip + ipv4::DESTINATION..][..4].copy_from_slice(&destination);
            }
            Addresses::V6 { source, destination } => {
                b[ip + ipv6::VERSION_CLASS_LABEL] = 0x60;
                b[ip + ipv6::LENGTH..][..2].copy_from_slice(&inside.to_be_bytes());
                b[ip + ipv6::NEXT_HEADER] = udp::PROTOCOL;
                b[ip + ipv6::SOURCE..][..16].copy_from_slice(&source);
                b[ip + ipv6::DESTINATION..][..16].copy_from_slice(&destination);
            }
        }
        b[at_udp + udp::LENGTH..][..2].copy_from_slice(&inside.to_be_bytes());
        b.extend_from_slice(body);
        let mut packet = Packet::new_unchecked(b, class);
        packet.set_tos(self.tos);
        packet.set_ttl(self.ttl);
        packet.set_port_source(self.port_source);
        packet.set_port_destination(self.port_destination);
        packet.fill_checksums();
        let mut frame = packet.into_inner();
        if !has_udp_checksum {
            frame[at_udp + udp::CHECKSUM..][..2].fill(0);
        }
        frame
    }
}
