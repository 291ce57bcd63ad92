//! The check for well-formed frames of ours: the one definition that the parser's model, the
//! software view and the tests share.
use super::{ACK, Class, FLAGS, HEAD_BYTES, HEADER_BYTES, Header, LAST, VERSION, ethernet, ipv4, ipv4_header_checksum, ipv6, offset, udp};
use crate::counters::Counter;
use std::fmt;

/// The kind of a well-formed frame of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A data packet.
    Data,
    /// An ACK.
    Ack,
}

/// Why a frame is not a well-formed one of ours. The first that applies, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Not UDP to or from our port over a stack that we speak, or too short to tell.
    Foreign,
    /// The frame ends before our header does.
    Headers {
        /// Bytes of the frame.
        bytes: usize,
        /// Bytes that its headers take.
        least: usize,
    },
    /// The version field of the IP header contradicts the EtherType.
    IpVersion {
        /// The field.
        value: u8,
        /// The version that the EtherType names.
        right: u8,
    },
    /// An IPv4 header with options, or shorter than one can be.
    Ihl {
        /// The header length field, in words; 5 is right.
        value: u8,
    },
    /// The first fragment of an IPv4 datagram. (Later ones have no port, so they are foreign.)
    Fragment {
        /// The field with flags and offset.
        value: u16,
    },
    /// The IPv4 header checksum is wrong.
    IpChecksum {
        /// The field.
        value: u16,
        /// The right checksum.
        right: u16,
    },
    /// The frame ends before the length in its IP header says.
    Cut {
        /// Bytes of the frame.
        bytes: usize,
        /// Bytes that its IP header says, Ethernet header included.
        promised: usize,
    },
    /// The length in the IP header has no room for our header.
    IpLength {
        /// The field: total length in IPv4, payload length in IPv6.
        value: u16,
        /// The least that has room.
        least: u16,
    },
    /// The UDP length is not what the IP header leaves for it.
    UdpLength {
        /// The field.
        value: u16,
        /// The length that the IP header leaves.
        right: u16,
    },
    /// Our header has another version.
    Version {
        /// The field; [`VERSION`] is right.
        value: u8,
    },
    /// Our header has undefined flags, or `ACK` without `LAST`.
    Flags {
        /// The field.
        value: u8,
    },
}

impl Error {
    /// The counter that such a frame counts in.
    pub fn counter(self) -> Counter {
        match self {
            Error::Foreign => Counter::RxForeign,
            Error::Headers { .. } | Error::Cut { .. } => Counter::RxTruncated,
            Error::IpVersion { .. }
            | Error::Ihl { .. }
            | Error::Fragment { .. }
            | Error::IpChecksum { .. }
            | Error::IpLength { .. }
            | Error::UdpLength { .. } => Counter::RxBadIp,
            Error::Version { .. } | Error::Flags { .. } => Counter::RxBadHeader,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Foreign => write!(f, "not UDP to or from our port over IPv4 or IPv6 with at most one VLAN tag"),
            Error::Headers { bytes, least } => write!(f, "{bytes} bytes end before our header does; its class has at least {least}"),
            Error::IpVersion { value, right } => write!(f, "IP version {value} under the EtherType of {right}"),
            Error::Ihl { value } => write!(f, "IPv4 header of {value} words; only 5 (no options) is taken"),
            Error::Fragment { value } => write!(f, "IPv4 fragment field {value:#06x}; fragments are not taken"),
            Error::IpChecksum { value, right } => write!(f, "IPv4 header checksum {value:#06x}; {right:#06x} is right"),
            Error::Cut { bytes, promised } => write!(f, "{bytes} bytes of the {promised} that the IP length gives"),
            Error::IpLength { value, least } => write!(f, "IP length {value}; our header needs at least {least}"),
            Error::UdpLength { value, right } => write!(f, "UDP length {value}; the IP header leaves {right}"),
            Error::Version { value } => write!(f, "version {value} of our header; only {VERSION} is spoken"),
            Error::Flags { value } => write!(f, "flags {value:#04x}; at most {FLAGS:#04x}, and ACK ({ACK}) only with LAST ({LAST})"),
        }
    }
}

impl std::error::Error for Error {}

fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([b[at], b[at + 1]])
}

impl Class {
    /// The class that the EtherTypes in a frame's first 18 bytes name, and whether they name IPv4
    /// or IPv6 at all.
    ///
    /// # Panics
    /// When `head` is shorter than 18 bytes.
    pub fn named_by(head: &[u8]) -> (Class, bool) {
        let outer = u16_at(head, ethernet::TYPE);
        let vlan = outer == ethernet::VLAN;
        let inner = if vlan { u16_at(head, ethernet::TAGGED_TYPE) } else { outer };
        (Class { vlan, ipv6: inner == ethernet::IPV6 }, inner == ethernet::IPV4 || inner == ethernet::IPV6)
    }
}

/// Judges a frame of `bytes` bytes (without FCS) by its head: at least its first [`HEAD_BYTES`], or
/// all of it when it is shorter. `port` is ours, 0 if we have none; padding behind the IP length is
/// fine.
///
/// Ours is what says, in front of its end: at most one tag, IPv4 or IPv6 by EtherType, UDP, not a
/// later fragment, our port as destination (data) or source (ACKs, which swap the ports), at the
/// place that the IPv4 header length gives (never before the 20th byte). Only then can it be
/// malformed.
///
/// # Errors
/// The first reason, in the order of [`Error`].
pub fn check(head: &[u8], bytes: usize, port: u16) -> Result<(Class, Kind), Error> {
    let head = &head[..head.len().min(bytes).min(HEAD_BYTES)];
    // Shorter than a destination port behind the shortest headers: the fields below all stand in
    // front of it.
    if bytes < Class::default().udp() + udp::DESTINATION + 2 {
        return Err(Error::Foreign);
    }
    let (class, ip_type) = Class::named_by(head);
    let ip = class.ip();
    let ipv4_words = usize::from(head[ip] & 15).max(5);
    let udp_at = if class.ipv6 { class.udp() } else { ip + 4 * ipv4_words };
    if !ip_type || bytes < udp_at + udp::DESTINATION + 2 {
        return Err(Error::Foreign);
    }
    let ports = [udp::SOURCE, udp::DESTINATION].map(|at| u16_at(head, udp_at + at));
    if port == 0 || !ports.contains(&port) {
        return Err(Error::Foreign);
    }
    let protocol = if class.ipv6 { head[ip + ipv6::NEXT_HEADER] } else { head[ip + ipv4::PROTOCOL] };
    let fragment = if class.ipv6 { 0 } else { u16_at(head, ip + ipv4::FRAGMENT) };
    if protocol != udp::PROTOCOL || fragment & ipv4::FRAGMENT_OFFSET != 0 {
        return Err(Error::Foreign);
    }
    if bytes < class.end() {
        return Err(Error::Headers { bytes, least: class.end() });
    }
    let right = if class.ipv6 { 6 } else { 4 };
    if head[ip] >> 4 != right {
        return Err(Error::IpVersion { value: head[ip] >> 4, right });
    }
    if !class.ipv6 {
        if head[ip] & 15 != 5 {
            return Err(Error::Ihl { value: head[ip] & 15 });
        }
        if fragment & ipv4::MORE_FRAGMENTS != 0 {
            return Err(Error::Fragment { value: fragment });
        }
        // 0 and 0xffff are the same number; as everywhere, it is the sum over the header that has
        // to come out right.
        if super::ones_complement_sum(0, &head[ip..ip + ipv4::BYTES]) != 0xffff {
            let right = ipv4_header_checksum(&head[ip..ip + ipv4::BYTES]);
            return Err(Error::IpChecksum { value: u16_at(head, ip + ipv4::CHECKSUM), right });
        }
    }
    let (length, before, inside) = if class.ipv6 {
        (u16_at(head, ip + ipv6::LENGTH), ip + ipv6::BYTES, 0)
    } else {
        (u16_at(head, ip + ipv4::LENGTH), ip, ipv4::BYTES as u16)
    };
    if bytes < before + usize::from(length) {
        return Err(Error::Cut { bytes, promised: before + usize::from(length) });
    }
    let least = inside + (class.end() - class.udp()) as u16;
    if length < least {
        return Err(Error::IpLength { value: length, least });
    }
    let udp_length = u16_at(head, class.udp() + udp::LENGTH);
    if udp_length != length - inside {
        return Err(Error::UdpLength { value: udp_length, right: length - inside });
    }
    let kind = judge(head[class.header() + offset::VERSION], head[class.header() + offset::FLAGS])?;
    Ok((class, kind))
}

fn judge(version: u8, flags: u8) -> Result<Kind, Error> {
    if version != VERSION {
        return Err(Error::Version { value: version });
    }
    if flags & !FLAGS != 0 || flags & (ACK | LAST) == ACK {
        return Err(Error::Flags { value: flags });
    }
    Ok(if flags & ACK != 0 { Kind::Ack } else { Kind::Data })
}

/// Judges what a UDP socket gave, which is what follows the UDP header: our header, then payload.
///
/// # Errors
/// The first reason, in the order of [`Error`].
pub fn check_datagram(datagram: &[u8]) -> Result<(Header, Kind), Error> {
    let Some(header) = datagram.first_chunk() else { return Err(Error::Headers { bytes: datagram.len(), least: HEADER_BYTES }) };
    let kind = judge(header[offset::VERSION], header[offset::FLAGS])?;
    Ok((Header::read(header), kind))
}
