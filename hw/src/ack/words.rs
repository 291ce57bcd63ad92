//! The packed words of the responder, and the headers it takes apart, by name. Fields of headers
//! are in wire order: byte 0 lowest.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

packed! {
    /// First 66 bytes of a frame of IPv4 without a tag.
    pub struct Head4 {
        /// Ethernet destination.
        pub destination_mac: Bits<48>,
        /// Ethernet source.
        pub source_mac: Bits<48>,
        /// EtherType.
        pub ether_type: Bits<16>,
        /// Version and header length.
        pub version: Bits<8>,
        /// ECN.
        pub ecn: Bits<2>,
        /// DSCP.
        pub dscp: Bits<6>,
        /// Length, identification, fragment.
        pub length: Bits<48>,
        /// TTL.
        pub ttl: Bits<8>,
        /// Protocol and checksum.
        pub protocol: Bits<24>,
        /// Source address.
        pub source: Bits<32>,
        /// Destination address.
        pub destination: Bits<32>,
        /// UDP source and destination port.
        pub ports: Bits<32>,
        /// Rest.
        pub rest: Bits<224>,
    }

    /// First 66 bytes of a frame of IPv4 with a tag.
    pub struct TaggedHead4 {
        /// Ethernet destination.
        pub destination_mac: Bits<48>,
        /// Ethernet source.
        pub source_mac: Bits<48>,
        /// Tag protocol identifier.
        pub tag: Bits<16>,
        /// Tag control information.
        pub tci: Bits<16>,
        /// EtherType.
        pub ether_type: Bits<16>,
        /// Version and header length.
        pub version: Bits<8>,
        /// ECN.
        pub ecn: Bits<2>,
        /// DSCP.
        pub dscp: Bits<6>,
        /// Length, identification, fragment.
        pub length: Bits<48>,
        /// TTL.
        pub ttl: Bits<8>,
        /// Protocol and checksum.
        pub protocol: Bits<24>,
        /// Source address.
        pub source: Bits<32>,
        /// Destination address.
        pub destination: Bits<32>,
        /// UDP source and destination port.
        pub ports: Bits<32>,
        /// Rest.
        pub rest: Bits<192>,
    }

    /// First 66 bytes of a frame of IPv6 without a tag.
    pub struct Head6 {
        /// Ethernet destination.
        pub destination_mac: Bits<48>,
        /// Ethernet source.
        pub source_mac: Bits<48>,
        /// EtherType.
        pub ether_type: Bits<16>,
        /// DSCP's high bits, version, flow label's high bits.
        pub version: Bits<12>,
        /// ECN.
        pub ecn: Bits<2>,
        /// DSCP's low bits, flow label, length, next header.
        pub length: Bits<42>,
        /// Hop limit.
        pub ttl: Bits<8>,
        /// Source address.
        pub source: Bits<128>,
        /// Destination address.
        pub destination: Bits<128>,
        /// UDP source and destination port.
        pub ports: Bits<32>,
        /// Rest.
        pub rest: Bits<64>,
    }

    /// First 66 bytes of a frame of IPv6 with a tag.
    pub struct TaggedHead6 {
        /// Ethernet destination.
        pub destination_mac: Bits<48>,
        /// Ethernet source.
        pub source_mac: Bits<48>,
        /// Tag protocol identifier.
        pub tag: Bits<16>,
        /// Tag control information.
        pub tci: Bits<16>,
        /// EtherType.
        pub ether_type: Bits<16>,
        /// DSCP's high bits, version, flow label's high bits.
        pub version: Bits<12>,
        /// ECN.
        pub ecn: Bits<2>,
        /// DSCP's low bits, flow label, length, next header.
        pub length: Bits<42>,
        /// Hop limit.
        pub ttl: Bits<8>,
        /// Source address.
        pub source: Bits<128>,
        /// Destination address.
        pub destination: Bits<128>,
        /// UDP source and destination port.
        pub ports: Bits<32>,
        /// Rest.
        pub rest: Bits<32>,
    }

    /// Our header, `timely_regs::wire`.
    pub struct Ours {
        /// Version.
        pub version: Bits<8>,
        /// First packet of its segment.
        pub first: Bit,
        /// Last packet of its segment.
        pub last: Bit,
        /// ACK.
        pub ack: Bit,
        /// READ request.
        pub read: Bit,
        /// Undefined flags.
        pub undefined: Bits<4>,
        /// Packet number, place, flow, nonce, segment number.
        pub ids: Bits<112>,
        /// Segment bytes, charged bytes, TTL as sent.
        pub amounts: Bits<72>,
        /// TTL as the responder received it.
        pub ttl_seen: Bits<8>,
        /// ECN bits that the responder saw.
        pub ecn_seen: Bits<2>,
        /// Upper bits of that byte.
        pub ecn_unused: Bits<6>,
        /// Lost packets as the responder knows them.
        pub loss: Bits<8>,
        /// Arrival stamp.
        pub arrival: Bits<64>,
        /// Departure stamp.
        pub departure: Bits<64>,
        /// Reserved.
        pub reserved: Bits<32>,
    }

    /// An ACK before it is built.
    pub struct Draft {
        /// Source address of the packet; IPv4 in the low bits.
        pub source: Bits<128>,
        /// Destination address of the packet.
        pub destination: Bits<128>,
        /// First packet of its segment.
        pub first: Bit,
        /// Last packet of its segment.
        pub last: Bit,
        /// ACK.
        pub ack: Bit,
        /// READ request.
        pub read: Bit,
        /// Undefined flags.
        pub undefined: Bits<4>,
        /// Packet number, place, flow, nonce, segment number.
        pub ids: Bits<112>,
        /// Segment bytes, charged bytes, TTL as sent.
        pub amounts: Bits<72>,
        /// Ethernet source of the packet.
        pub source_mac: Bits<48>,
        /// Arrival stamp.
        pub arrival: Bits<64>,
        /// UDP source and destination port of the packet.
        pub ports: Bits<32>,
        /// Tag control information.
        pub tci: Bits<16>,
        /// TTL as received.
        pub ttl: Bits<8>,
        /// ECN bits as received.
        pub ecn: Bits<2>,
        /// The packet has a tag.
        pub vlan: Bit,
        /// The packet is of IPv6.
        pub ipv6: Bit,
    }

    /// Class of a frame.
    pub struct ClassBits {
        /// The frame has a tag.
        pub vlan: Bit,
        /// The frame is of IPv6.
        pub ipv6: Bit,
    }

    /// Two bytes of a header in wire order.
    pub struct Wire16 {
        /// Upper byte of the number.
        pub high: Bits<8>,
        /// Lower byte of the number.
        pub low: Bits<8>,
    }

    /// UDP ports in wire order.
    pub struct Ports {
        /// Source port.
        pub source: Wire16,
        /// Destination port.
        pub destination: Wire16,
    }

    /// Eight bytes, to turn their order round.
    pub struct Bytes8 {
        /// Byte 0.
        pub b0: Bits<8>,
        /// Byte 1.
        pub b1: Bits<8>,
        /// Byte 2.
        pub b2: Bits<8>,
        /// Byte 3.
        pub b3: Bits<8>,
        /// Byte 4.
        pub b4: Bits<8>,
        /// Byte 5.
        pub b5: Bits<8>,
        /// Byte 6.
        pub b6: Bits<8>,
        /// Byte 7.
        pub b7: Bits<8>,
    }
}
