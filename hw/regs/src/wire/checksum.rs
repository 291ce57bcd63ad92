//! The Internet checksum (RFC 1071), for the IPv4 header and for UDP; and Ethernet's check
//! sequence.
use super::{ipv4, udp};

/// The register of Ethernet's check sequence, all ones at a frame's start, after another byte. Its
/// complement is what is sent, low byte first.
pub const fn crc32(register: u32, byte: u8) -> u32 {
    let (mut r, mut bit) = (register ^ byte as u32, 0);
    while bit < 8 {
        r = if r & 1 == 1 { r >> 1 ^ 0xedb8_8320 } else { r >> 1 };
        bit += 1;
    }
    r
}

/// Result of [`crc32`] over a frame and its check sequence.
pub const CRC32_RESIDUE: u32 = 0xdebb_20e3;

/// The 16-bit ones' complement sum of big-endian words on top of `start`, not complemented; an odd
/// last byte counts as the high byte of a word.
pub fn ones_complement_sum(start: u16, bytes: &[u8]) -> u16 {
    let mut sum = u64::from(start);
    let words = bytes.chunks_exact(2);
    if let [last] = words.remainder() {
        sum += u64::from(*last) << 8;
    }
    for w in words {
        sum += u64::from(u16::from_be_bytes([w[0], w[1]]));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The right value of the checksum field of this IPv4 header (options included in the slice); the
/// field's present value is ignored.
///
/// # Panics
/// When `header` is shorter than 20 bytes.
pub fn ipv4_header_checksum(header: &[u8]) -> u16 {
    let (before, after) = header.split_at(ipv4::CHECKSUM);
    !ones_complement_sum(ones_complement_sum(0, before), &after[2..])
}

/// The right value of the checksum field of this UDP datagram (header and payload): never 0, which
/// would mean "none". The field's present value is ignored. The addresses, 4 bytes each or 16 bytes
/// each, enter by the pseudo header (RFC 768, RFC 8200).
///
/// # Panics
/// When `datagram` is shorter than 8 or longer than 65,535 bytes.
pub fn udp_checksum(source: &[u8], destination: &[u8], datagram: &[u8]) -> u16 {
    let length = u16::try_from(datagram.len()).expect("a UDP datagram has at most 65,535 bytes");
    let mut sum = ones_complement_sum(u16::from(udp::PROTOCOL), &length.to_be_bytes());
    let (before, after) = datagram.split_at(udp::CHECKSUM);
    for part in [source, destination, before, &after[2..]] {
        sum = ones_complement_sum(sum, part);
    }
    if sum == 0xffff { 0xffff } else { !sum }
}
