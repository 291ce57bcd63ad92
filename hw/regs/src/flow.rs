//! The flow record: sixteen 32-bit words, loaded whole; [`FIELDS`] is its layout.
//!
//! A load without `keep` clears the flow's backlog, law state and counters. Segment numbers go on:
//! what was sent before the load is then stale by number, and the first segment sent after it is
//! the new base.
use crate::field::{Field, OutOfRange};
use crate::link::wire_bytes;
use crate::wire::Class;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Words of a record.
pub const WORDS: usize = 16;

/// The flow exists.
pub const ENABLE: Field = Field::new(0, 0, 0, "enable", "the flow exists: it may send, and ACKs for it count");
/// A load that keeps the flow's state.
pub const KEEP: Field = Field::new(0, 1, 1, "keep", "leave rate, law state, backlog and counters as they are");
/// A flow that never runs out of packets.
pub const ENDLESS: Field = Field::new(0, 2, 2, "endless", "the generator posts a packet for every one that it is granted");
/// RDMA READ requests.
pub const READ: Field = Field::new(0, 3, 3, "read", "READ: charge `charged_bytes` a segment in place of its own bytes");
/// The profile that the flow follows.
pub const PROFILE: Field = Field::new(0, 7, 4, "profile", "profile");
/// Priority for PFC.
pub const PRIORITY: Field = Field::new(0, 10, 8, "priority", "priority, for PFC");
/// The address is an IPv6 address.
pub const IPV6: Field = Field::new(0, 11, 11, "ipv6", "IPv6");
/// The flow's frames have a VLAN tag.
pub const VLAN: Field = Field::new(0, 12, 12, "vlan", "frames carry a VLAN tag");
/// The VLAN tag.
pub const VLAN_TCI: Field = Field::new(0, 31, 16, "vlan_tci", "VLAN TCI");
/// Payload of a packet.
pub const PAYLOAD_BYTES: Field = Field::new(1, 13, 0, "payload_bytes", "payload bytes a packet, after our header");
/// Packets of a segment.
pub const SEGMENT_PACKETS: Field = Field::new(1, 23, 16, "segment_packets", "packets a segment").range(1, 255);
/// Destination MAC, first part.
pub const MAC_LOW: Field = Field::new(2, 31, 0, "mac_low", "destination MAC, bytes 0 to 3 (byte 0 in bits 7..0)");
/// Destination MAC, second part.
pub const MAC_HIGH: Field = Field::new(3, 15, 0, "mac_high", "destination MAC, bytes 4 and 5");
/// UDP source port.
pub const SOURCE_PORT: Field = Field::new(4, 15, 0, "source_port", "UDP source port");
/// UDP destination port.
pub const DESTINATION_PORT: Field = Field::new(4, 31, 16, "destination_port", "UDP destination port");
/// TTL or hop limit.
pub const TTL: Field = Field::new(5, 7, 0, "ttl", "TTL or hop limit");
/// TOS or traffic class.
pub const TOS: Field = Field::new(5, 15, 8, "tos", "TOS or traffic class");
/// Charged bytes of a segment of READ requests.
pub const CHARGED_BYTES: Field =
    Field::new(6, 31, 0, "charged_bytes", "charged bytes a segment of a READ; 0 counts as 1, above 65,535 as that");
/// Destination address, bytes 0 to 3; the rest of an IPv6 address is in the words that follow.
pub const ADDRESS_0: Field =
    Field::new(8, 31, 0, "address_0", "destination address, bytes 0 to 3 (byte 0 in bits 7..0); all of an IPv4 address");

/// The layout of a record; bits that no field covers are 0.
pub const FIELDS: &[Field] = &[
    ENABLE,
    KEEP,
    ENDLESS,
    READ,
    PROFILE,
    PRIORITY,
    IPV6,
    VLAN,
    VLAN_TCI,
    PAYLOAD_BYTES,
    SEGMENT_PACKETS,
    MAC_LOW,
    MAC_HIGH,
    SOURCE_PORT,
    DESTINATION_PORT,
    TTL,
    TOS,
    CHARGED_BYTES,
    ADDRESS_0,
    Field::new(9, 31, 0, "address_1", "destination address, bytes 4 to 7"),
    Field::new(10, 31, 0, "address_2", "destination address, bytes 8 to 11"),
    Field::new(11, 31, 0, "address_3", "destination address, bytes 12 to 15"),
];

/// A flow, as software names its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow exists: it may send, and ACKs for it count.
    pub enable: bool,
    /// The load leaves rate, law state, backlog and counters as they are.
    pub keep: bool,
    /// The generator posts a packet for every one that it is granted.
    pub endless: bool,
    /// Segments are READ requests, charged [`FlowRecord::charged_bytes`] each.
    pub read: bool,
    /// Profile, 0 to 15.
    pub profile: u8,
    /// Priority for PFC, 0 to 7.
    pub priority: u8,
    /// VLAN TCI of its frames; `None` for frames without a tag.
    pub vlan: Option<u16>,
    /// Payload bytes of a packet, after our header; 14 bits.
    pub payload_bytes: u16,
    /// Packets of a segment, at least 1.
    pub segment_packets: u8,
    /// Destination MAC, as on the wire.
    pub mac: [u8; 6],
    /// UDP source port.
    pub source_port: u16,
    /// UDP destination port.
    pub destination_port: u16,
    /// TTL or hop limit.
    pub ttl: u8,
    /// TOS or traffic class.
    pub tos: u8,
    /// Wire bytes that a segment of a READ is charged.
    pub charged_bytes: u32,
    /// Destination address.
    pub address: IpAddr,
}

impl Default for FlowRecord {
    /// A flow that does not exist, with values that are all allowed.
    fn default() -> Self {
        FlowRecord {
            enable: false,
            keep: false,
            endless: false,
            read: false,
            profile: 0,
            priority: 0,
            vlan: None,
            payload_bytes: 1024,
            segment_packets: 1,
            mac: [0; 6],
            source_port: 0,
            destination_port: 0,
            ttl: 64,
            tos: 0,
            charged_bytes: 0,
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        }
    }
}

impl FlowRecord {
    /// Bytes of a segment on the wire, or what a READ is charged for one: what a profile's
    /// outstanding bound must leave room for.
    pub fn segment_wire_bytes(&self) -> u32 {
        if self.read {
            return self.charged_bytes;
        }
        let class = Class { vlan: self.vlan.is_some(), ipv6: self.address.is_ipv6() };
        u32::from(self.segment_packets) * wire_bytes(class.end() as u32 + u32::from(self.payload_bytes))
    }

    /// The words of the record.
    ///
    /// # Errors
    /// [`OutOfRange`] naming the first field whose value is not allowed.
    pub fn pack(&self) -> Result<[u32; WORDS], OutOfRange> {
        let mut w = [0; WORDS];
        ENABLE.set(&mut w, self.enable.into())?;
        KEEP.set(&mut w, self.keep.into())?;
        ENDLESS.set(&mut w, self.endless.into())?;
        READ.set(&mut w, self.read.into())?;
        PROFILE.set(&mut w, self.profile.into())?;
        PRIORITY.set(&mut w, self.priority.into())?;
        IPV6.set(&mut w, self.address.is_ipv6().into())?;
        VLAN.set(&mut w, self.vlan.is_some().into())?;
        VLAN_TCI.set(&mut w, self.vlan.unwrap_or(0).into())?;
        PAYLOAD_BYTES.set(&mut w, self.payload_bytes.into())?;
        SEGMENT_PACKETS.set(&mut w, self.segment_packets.into())?;
        let m = self.mac;
        MAC_LOW.set(&mut w, u32::from_le_bytes([m[0], m[1], m[2], m[3]]))?;
        MAC_HIGH.set(&mut w, u32::from_le_bytes([m[4], m[5], 0, 0]))?;
        SOURCE_PORT.set(&mut w, self.source_port.into())?;
        DESTINATION_PORT.set(&mut w, self.destination_port.into())?;
        TTL.set(&mut w, self.ttl.into())?;
        TOS.set(&mut w, self.tos.into())?;
        CHARGED_BYTES.set(&mut w, self.charged_bytes)?;
        let first = usize::from(ADDRESS_0.word);
        match self.address {
            IpAddr::V4(a) => w[first] = u32::from_le_bytes(a.octets()),
            IpAddr::V6(a) => {
                for (word, bytes) in w[first..].iter_mut().zip(a.octets().chunks_exact(4)) {
                    *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                }
            }
        }
        Ok(w)
    }

    /// The record that the words hold.
    ///
    /// # Errors
    /// [`OutOfRange`] naming the first field whose value is not allowed.
    pub fn unpack(w: &[u32; WORDS]) -> Result<Self, OutOfRange> {
        for f in FIELDS {
            f.checked(w)?;
        }
        let flag = |f: Field| f.get(w) != 0;
        let (low, high) = (MAC_LOW.get(w).to_le_bytes(), MAC_HIGH.get(w).to_le_bytes());
        let mut address = [0; 16];
        for (bytes, word) in address.chunks_exact_mut(4).zip(&w[usize::from(ADDRESS_0.word)..]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let [a, b, c, d, ..] = address;
        Ok(FlowRecord {
            enable: flag(ENABLE),
            keep: flag(KEEP),
            endless: flag(ENDLESS),
            read: flag(READ),
            profile: PROFILE.get(w) as u8,
            priority: PRIORITY.get(w) as u8,
            vlan: flag(VLAN).then(|| VLAN_TCI.get(w) as u16),
            payload_bytes: PAYLOAD_BYTES.get(w) as u16,
            segment_packets: SEGMENT_PACKETS.get(w) as u8,
            mac: [low[0], low[1], low[2], low[3], high[0], high[1]],
            source_port: SOURCE_PORT.get(w) as u16,
            destination_port: DESTINATION_PORT.get(w) as u16,
            ttl: TTL.get(w) as u8,
            tos: TOS.get(w) as u8,
            charged_bytes: CHARGED_BYTES.get(w),
            address: if flag(IPV6) { IpAddr::V6(Ipv6Addr::from(address)) } else { IpAddr::V4(Ipv4Addr::new(a, b, c, d)) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> FlowRecord {
        FlowRecord {
            enable: true,
            profile: 9,
            priority: 5,
            vlan: Some(0x2abc),
            payload_bytes: 0x2345,
            segment_packets: 200,
            mac: [1, 2, 3, 4, 5, 6],
            source_port: 0x1234,
            destination_port: 0xfedc,
            ttl: 63,
            tos: 0xb8,
            charged_bytes: 0xdead_beef,
            address: IpAddr::V6(Ipv6Addr::from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])),
            ..FlowRecord::default()
        }
    }

    #[test]
    fn the_layout_has_no_overlap() {
        crate::field::assert_layout(FIELDS, WORDS);
    }

    #[test]
    fn packing_and_unpacking_are_inverse() {
        for r in [example(), FlowRecord { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7)), keep: true, vlan: None, ..example() }] {
            assert_eq!(FlowRecord::unpack(&r.pack().unwrap()), Ok(r));
        }
    }

    /// Spelt out once by hand, so that a moved field shows here and not on a wire.
    #[test]
    fn words_are_those_of_the_layout() {
        let w = example().pack().unwrap();
        assert_eq!(
            w,
            [
                0x2abc_1d91,
                0x00c8_2345,
                0x0403_0201,
                0x0605,
                0xfedc_1234,
                0xb83f,
                0xdead_beef,
                0,
                0x0302_0100,
                0x0706_0504,
                0x0b0a_0908,
                0x0f0e_0d0c,
                0,
                0,
                0,
                0
            ]
        );
    }

    #[test]
    fn errors_name_value_and_range() {
        let text = |r: FlowRecord| r.pack().unwrap_err().to_string();
        assert_eq!(text(FlowRecord { profile: 16, ..example() }), "profile is 16; it must be 0 to 15");
        assert_eq!(text(FlowRecord { payload_bytes: 16384, ..example() }), "payload_bytes is 16384; it must be 0 to 16383");
        assert_eq!(FlowRecord::unpack(&[0; WORDS]).unwrap_err().to_string(), "segment_packets is 0; it must be 1 to 255");
    }
}
