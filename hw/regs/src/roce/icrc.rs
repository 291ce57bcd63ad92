//! The invariant check sequence of RoCEv2 (specification 7.8.1 and A17.3.3): Ethernet's CRC over
//! the packet from its IP header on, with ones in place of whatever a switch or router may change,
//! behind eight bytes of ones that stand for the local route header.
use super::offset;
use crate::wire::{Class, crc32, ipv4, ipv6, udp};

/// Bytes of the check sequence, behind the payload; the least significant byte goes first.
pub const ICRC_BYTES: usize = 4;

/// Bytes of ones in front.
const ROUTE_BYTES: usize = 8;

/// Bits of a frame's byte `at` that the sequence takes as ones.
pub const fn variant_bits(class: Class, at: usize) -> u8 {
    let (ip, at_udp) = (class.ip(), class.udp());
    let transport = class.header() + offset::CONGESTION;
    let in_ip = if class.ipv6 {
        // Traffic class and flow label, behind four bits of version.
        if at == ip {
            0x0f
        } else if (ip < at && at < ip + ipv6::LENGTH) || at == ip + ipv6::HOP_LIMIT {
            0xff
        } else {
            0
        }
    } else if at == ip + ipv4::TOS || at == ip + ipv4::TTL || at == ip + ipv4::CHECKSUM || at == ip + ipv4::CHECKSUM + 1 {
        0xff
    } else {
        0
    };
    let behind = at == at_udp + udp::CHECKSUM || at == at_udp + udp::CHECKSUM + 1 || at == transport;
    if behind { 0xff } else { in_ip }
}

fn register(frame: &[u8], class: Class) -> u32 {
    let route = (0..ROUTE_BYTES).fold(u32::MAX, |r, _| crc32(r, 0xff));
    frame.iter().enumerate().skip(class.ip()).fold(route, |r, (at, byte)| crc32(r, byte | variant_bits(class, at)))
}

/// The sequence of a frame that ends in front of it. Nothing of the Ethernet header enters.
pub fn icrc(frame: &[u8], class: Class) -> u32 {
    !register(frame, class)
}

/// Whether a frame's last four bytes are its sequence. (False if it has not that many behind its IP
/// header.)
pub fn icrc_holds(frame: &[u8], class: Class) -> bool {
    let Some(end) = frame.len().checked_sub(ICRC_BYTES).filter(|end| *end >= class.ip()) else { return false };
    frame[end..] == icrc(&frame[..end], class).to_le_bytes()
}
