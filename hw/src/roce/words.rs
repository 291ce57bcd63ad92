//! The packed words of the parser, and RoCEv2's headers by name. Fields of headers are in wire
//! order: byte 0 lowest.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

packed! {
    /// Headers of a well-formed packet. Numbers are in the usual order; addresses are as in the
    /// frame, byte 0 lowest, an IPv4 address in the low 32 bits.
    pub struct Packet {
        /// Bit 0 VLAN, bit 1 IPv6.
        pub ip_class: Bits<2>,
        /// Source address.
        pub source: Bits<128>,
        /// Destination address.
        pub destination: Bits<128>,
        /// Bytes of the frame without FCS.
        pub bytes: Bits<16>,
        /// Stamp of the frame's start, ns48.fns16.
        pub stamp: Bits<64>,
        /// DSCP and ECN.
        pub tos: Bits<8>,
        /// Opcode.
        pub opcode: Bits<8>,
        /// The receiver has to answer.
        pub ack_request: Bit,
        /// Partition key.
        pub partition_key: Bits<16>,
        /// Queue pair of the receiver.
        pub queue_pair: Bits<24>,
        /// Packet sequence number.
        pub psn: Bits<24>,
        /// Syndrome of an answer, else 0.
        pub syndrome: Bits<8>,
        /// Length of the RDMA message that begins here, else 0.
        pub message_bytes: Bits<32>,
        /// Bytes of payload without padding.
        pub payload_bytes: Bits<16>,
        /// Destination MAC address, byte 0 lowest.
        pub mac_destination: Bits<48>,
        /// Source MAC address.
        pub mac_source: Bits<48>,
        /// Priority, DEI and VLAN number; without a meaning if there is no tag.
        pub tci: Bits<16>,
        /// UDP source port.
        pub port: Bits<16>,
        /// No UDP checksum, and nothing behind the check sequence: with that mended, a bit of the
        /// transport header may change.
        pub mendable: Bit,
    }

    /// Two bytes of a header.
    pub struct Wire16 {
        /// High byte.
        pub high: Bits<8>,
        /// Low byte.
        pub low: Bits<8>,
    }

    /// Three bytes of a header.
    pub struct Wire24 {
        /// High byte.
        pub high: Bits<8>,
        /// Middle byte.
        pub middle: Bits<8>,
        /// Low byte.
        pub low: Bits<8>,
    }

    /// Four bytes of a header.
    pub struct Wire32 {
        /// Highest byte.
        pub b3: Bits<8>,
        /// Second byte.
        pub b2: Bits<8>,
        /// Third byte.
        pub b1: Bits<8>,
        /// Lowest byte.
        pub b0: Bits<8>,
    }

    /// An IPv4 header without options, and the UDP and transport headers behind it as [`Behind`].
    pub struct Head4 {
        /// Version and header length.
        pub version: Bits<8>,
        /// DSCP and ECN.
        pub tos: Bits<8>,
        /// Total length.
        pub length: Bits<16>,
        /// Identification.
        pub identification: Bits<16>,
        /// High bits of the fragment offset.
        pub offset_high: Bits<5>,
        /// More fragments.
        pub more: Bit,
        /// Do not fragment, and a reserved bit.
        pub whole: Bits<2>,
        /// Low bits of the fragment offset.
        pub offset_low: Bits<8>,
        /// TTL.
        pub ttl: Bits<8>,
        /// Protocol.
        pub protocol: Bits<8>,
        /// Header checksum.
        pub checksum: Bits<16>,
        /// Source address.
        pub source: Bits<32>,
        /// Destination address.
        pub destination: Bits<32>,
        /// UDP and behind.
        pub behind: Bits<288>,
        /// Rest.
        pub rest: Bits<160>,
    }

    /// An IPv6 header, and the UDP and transport headers behind it as [`Behind`].
    pub struct Head6 {
        /// High half of the traffic class.
        pub class_high: Bits<4>,
        /// Version.
        pub version: Bits<4>,
        /// High bits of the flow label.
        pub label: Bits<4>,
        /// Low half of the traffic class.
        pub class_low: Bits<4>,
        /// Low bits of the flow label.
        pub label_low: Bits<16>,
        /// Payload length.
        pub length: Bits<16>,
        /// Next header.
        pub protocol: Bits<8>,
        /// Hop limit.
        pub hops: Bits<8>,
        /// Source address.
        pub source: Bits<128>,
        /// Destination address.
        pub destination: Bits<128>,
        /// UDP and behind.
        pub behind: Bits<288>,
    }

    /// A UDP header, the base transport header and the 16 bytes behind it.
    pub struct Behind {
        /// UDP source port.
        pub source_port: Bits<16>,
        /// UDP destination port.
        pub port: Bits<16>,
        /// UDP length.
        pub length: Bits<16>,
        /// UDP checksum.
        pub checksum: Bits<16>,
        /// Opcode.
        pub opcode: Bits<8>,
        /// Transport version.
        pub version: Bits<4>,
        /// Bytes of padding behind the payload.
        pub pad: Bits<2>,
        /// Migration request and solicited event.
        pub events: Bits<2>,
        /// Partition key.
        pub partition_key: Bits<16>,
        /// FECN, BECN and reserved.
        pub congestion: Bits<8>,
        /// Queue pair of the receiver.
        pub queue_pair: Bits<24>,
        /// Reserved.
        pub reserved: Bits<7>,
        /// The receiver has to answer.
        pub ack_request: Bit,
        /// Packet sequence number.
        pub psn: Bits<24>,
        /// Syndrome of an answer.
        pub syndrome: Bits<8>,
        /// Rest of an answer's header; address and key of an RDMA header.
        pub address: Bits<88>,
        /// Length of an RDMA message.
        pub message_bytes: Bits<32>,
    }

    /// Headers that an opcode brings: `timely_regs::roce::Layout`.
    pub struct Layout {
        /// Kind, as `timely_regs::roce::Kind`.
        pub kind: Bits<3>,
        /// Bytes of the headers behind the base transport header.
        pub extension_bytes: Bits<5>,
        /// No payload may follow.
        pub bare: Bit,
        /// The headers begin with an RDMA header.
        pub rdma: Bit,
        /// The headers begin with a syndrome.
        pub answers: Bit,
    }
}
