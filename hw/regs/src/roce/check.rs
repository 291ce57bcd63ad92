//! The check for well-formed RoCEv2 frames: the one definition that hardware's model, software and
//! tests share.
use super::{BTH_BYTES, ICRC_BYTES, Kind, PORT, icrc_holds, layout, offset};
use crate::wire::{Class, ipv4, ipv6, ones_complement_sum, udp};
use std::fmt;

/// The fields of a RoCEv2 packet by which a queue pair is steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The frame's stack.
    pub class: Class,
    /// The kind.
    pub kind: Kind,
    /// Opcode.
    pub opcode: u8,
    /// The receiver has to answer.
    pub ack_request: bool,
    /// Partition key.
    pub partition_key: u16,
    /// Queue pair of the receiver, 24 bits.
    pub queue_pair: u32,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
    /// Syndrome of an ACK or of a READ response that has one, else 0.
    pub syndrome: u8,
    /// Length of the RDMA message that begins with the packet, in bytes; else 0.
    pub message_bytes: u32,
    /// Bytes of payload, without padding; of kind `Other` with all headers behind the base
    /// transport header.
    pub payload_bytes: u16,
    /// DSCP and ECN, or the traffic class.
    pub tos: u8,
}

/// Why a frame is no well-formed RoCEv2 packet. The first that applies, in this order, which is
/// hardware's numbering too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Error {
    /// Not UDP to port 4791 over IPv4 without options and fragments or over IPv6 without extension
    /// headers, at most one tag.
    Foreign = 0,
    /// The frame ends before its headers or the length in its IP header do.
    Truncated = 2,
    /// The lengths of IP and UDP contradict each other or have no room for the transport's headers,
    /// or the IPv4 header's checksum is wrong.
    Ip = 3,
    /// The transport version is not 0, or what its opcode brings does not fit.
    Transport = 4,
    /// The invariant check sequence is wrong.
    Icrc = 5,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Foreign => "not UDP to port 4791 over plain IPv4 or IPv6 with at most one VLAN tag",
            Error::Truncated => "the frame ends before its headers or its IP length do",
            Error::Ip => {
                "IP and UDP lengths contradict each other, leave no room for the transport's headers, or the IPv4 checksum is wrong"
            }
            Error::Transport => "another transport version than 0, or headers, padding or payload that the opcode does not have",
            Error::Icrc => "the invariant check sequence is wrong",
        })
    }
}

impl std::error::Error for Error {}

fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([b[at], b[at + 1]])
}

fn u24_at(b: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([0, b[at], b[at + 1], b[at + 2]])
}

/// Judges a whole frame without FCS; padding behind the IP length is fine.
///
/// # Errors
/// The first reason, in the order of [`Error`].
pub fn check(frame: &[u8]) -> Result<Headers, Error> {
    if frame.len() < Class::default().udp() + udp::DESTINATION + 2 {
        return Err(Error::Foreign);
    }
    let (class, named) = Class::named_by(frame);
    let (ip, at_udp, bth) = (class.ip(), class.udp(), class.header());
    if !named || frame.len() < at_udp + udp::DESTINATION + 2 || u16_at(frame, at_udp + udp::DESTINATION) != PORT {
        return Err(Error::Foreign);
    }
    let (plain, protocol, length, front, inside, tos) = if class.ipv6 {
        let tos = (u16_at(frame, ip) >> 4) as u8;
        (frame[ip] >> 4 == 6, frame[ip + ipv6::NEXT_HEADER], u16_at(frame, ip + ipv6::LENGTH), ip + ipv6::BYTES, 0, tos)
    } else {
        let whole = u16_at(frame, ip + ipv4::FRAGMENT) & (ipv4::MORE_FRAGMENTS | ipv4::FRAGMENT_OFFSET) == 0;
        let plain = frame[ip] == ipv4::PLAIN && whole;
        (plain, frame[ip + ipv4::PROTOCOL], u16_at(frame, ip + ipv4::LENGTH), ip, ipv4::BYTES, frame[ip + ipv4::TOS])
    };
    if !plain || protocol != udp::PROTOCOL {
        return Err(Error::Foreign);
    }
    let end = front + usize::from(length);
    if frame.len() < bth + BTH_BYTES + ICRC_BYTES || frame.len() < end {
        return Err(Error::Truncated);
    }
    let udp_bytes = usize::from(u16_at(frame, at_udp + udp::LENGTH));
    let right_sum = class.ipv6 || ones_complement_sum(0, &frame[ip..ip + ipv4::BYTES]) == 0xffff;
    if usize::from(length) != inside + udp_bytes || udp_bytes < udp::BYTES + BTH_BYTES + ICRC_BYTES || !right_sum {
        return Err(Error::Ip);
    }
    let (opcode, flags) = (frame[bth + offset::OPCODE], frame[bth + offset::FLAGS]);
    let (layout, pad) = (layout(opcode), usize::from(flags >> 4 & 3));
    let behind = udp_bytes - udp::BYTES - BTH_BYTES - ICRC_BYTES;
    let payload = behind.checked_sub(layout.extension_bytes + pad);
    let Some(payload) = payload.filter(|n| flags & 15 == 0 && behind.is_multiple_of(4) && !(layout.bare && n + pad != 0)) else {
        return Err(Error::Transport);
    };
    if !icrc_holds(&frame[..end], class) {
        return Err(Error::Icrc);
    }
    let u32_at = |at: usize| u32::from(u16_at(frame, at)) << 16 | u32::from(u16_at(frame, at + 2));
    Ok(Headers {
        class,
        kind: layout.kind,
        opcode,
        ack_request: frame[bth + offset::ACK_REQUEST] & 0x80 != 0,
        partition_key: u16_at(frame, bth + offset::PARTITION_KEY),
        queue_pair: u24_at(frame, bth + offset::QUEUE_PAIR),
        psn: u24_at(frame, bth + offset::PSN),
        syndrome: if layout.answers { frame[bth + offset::SYNDROME] } else { 0 },
        message_bytes: if layout.rdma { u32_at(bth + offset::MESSAGE_BYTES) } else { 0 },
        payload_bytes: payload as u16,
        tos,
    })
}
