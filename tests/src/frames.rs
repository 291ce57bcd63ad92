//! Random frames of ours, and every way that we know to spoil them.
use rand::Rng;
use timely_regs::counters::Counter;
use timely_regs::wire::{
    Addresses, Class, Envelope, Error, FIRST, Header, Kind, LAST, Packet, READ, check, ethernet, ipv4, ipv4_header_checksum, ipv6, udp,
};

/// Random headers around ours; `port` is our UDP port.
pub fn envelope(rng: &mut impl Rng, class: Class, port: u16) -> Envelope {
    Envelope {
        mac_destination: rng.random(),
        mac_source: rng.random(),
        tci: class.vlan.then(|| rng.random()),
        addresses: if class.ipv6 {
            Addresses::V6 { source: rng.random(), destination: rng.random() }
        } else {
            Addresses::V4 { source: rng.random(), destination: rng.random() }
        },
        tos: rng.random(),
        ttl: rng.random(),
        port_source: rng.random(),
        port_destination: port,
    }
}

/// A header of a data packet or, half the time where that is possible, of an ACK.
pub fn header(rng: &mut impl Rng) -> Header {
    let header = Header {
        flags: [0, FIRST, LAST, FIRST | LAST, READ, READ | FIRST | LAST][rng.random_range(0..6)],
        packet: rng.random(),
        place: rng.random(),
        // None that a NIC of up to 2^15 flows has.
        flow: u32::from(rng.random::<u16>() | 0x8000),
        nonce: rng.random(),
        segment: rng.random(),
        segment_bytes: rng.random(),
        charged_bytes: rng.random(),
        ttl_sent: rng.random(),
        ..Header::default()
    };
    if header.flags & LAST != 0 && rng.random() { header.answered(rng.random(), rng.random(), rng.random(), rng.random()) } else { header }
}

/// One of the four classes.
pub fn class(rng: &mut impl Rng) -> Class {
    Class::ALL[rng.random_range(0..4)]
}

/// A good frame of `class` with up to `most` bytes of payload, to our port or from it.
pub fn good_of(rng: &mut impl Rng, class: Class, port: u16, most: usize) -> Vec<u8> {
    let mut payload = vec![0; rng.random_range(0..=most)];
    rng.fill(&mut payload[..]);
    let mut envelope = envelope(rng, class, port);
    if rng.random_range(0..4) == 0 {
        envelope.port_source = [0, port][rng.random_range(0..2)];
    }
    if rng.random() {
        std::mem::swap(&mut envelope.port_source, &mut envelope.port_destination);
    }
    envelope.frame(&header(rng), &payload)
}

/// Makes the IPv4 header checksum right again, if there is one.
pub fn mend(frame: &mut [u8], class: Class) {
    if !class.ipv6 && frame.len() >= class.udp() {
        let ip = class.ip();
        let sum = ipv4_header_checksum(&frame[ip..ip + ipv4::BYTES]);
        frame[ip + ipv4::CHECKSUM..][..2].copy_from_slice(&sum.to_be_bytes());
    }
}

/// The counter of a received frame, by the rules of the wire format; `bad`: its MAC says so.
pub fn counter(frame: &[u8], bad: bool, port: u16) -> Counter {
    match check(frame, frame.len(), port) {
        _ if bad => Counter::RxBad,
        Ok((_, Kind::Data)) => Counter::RxData,
        Ok((_, Kind::Ack)) => Counter::RxAcks,
        Err(Error::Foreign) => Counter::RxForeign,
        Err(e) => e.counter(),
    }
}

/// The counters that [`counter`] gives.
pub const COUNTED: [Counter; 7] =
    [Counter::RxForeign, Counter::RxBad, Counter::RxTruncated, Counter::RxBadIp, Counter::RxBadHeader, Counter::RxData, Counter::RxAcks];

/// A MAC control frame: opcode and what follows it (IEEE 802.3, annex 31A).
fn mac_control(words: &[u16]) -> Vec<u8> {
    let mut frame = vec![0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08];
    words.iter().for_each(|w| frame.extend(w.to_be_bytes()));
    frame.resize(60, 0);
    frame
}

/// PAUSE of all traffic, for so many times 512 bits of the line (IEEE 802.3, annex 31B).
pub fn pause(quanta: u16) -> Vec<u8> {
    mac_control(&[0x0001, quanta])
}

/// A pause of one priority (IEEE 802.1Qbb).
pub fn pfc(priority: u8, quanta: u16) -> Vec<u8> {
    let mut words = [0; 10];
    (words[0], words[1], words[2 + usize::from(priority)]) = (0x0101, 1 << priority, quanta);
    mac_control(&words)
}

/// A frame with one of the faults or none, half of them to `mac`; of at least 60 bytes, and no ACK
/// of flow 0.
pub fn hostile(rng: &mut impl Rng, mac: [u8; 6], port: u16) -> Vec<u8> {
    let class = class(rng);
    let mut frame = Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(rng, class, port);
    frame.resize(frame.len().max(60), 0);
    if rng.random() {
        frame[..6].copy_from_slice(&mac);
    }
    let own = Packet::new_checked(&frame[..], port).is_ok_and(|p| p.kind() == Kind::Ack && p.flow() == 0);
    if own { vec![0; 60] } else { frame }
}

/// A way to spoil a frame, or to leave it whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A good frame.
    Good,
    /// A good frame with padding behind it.
    Padded,
    /// A good frame of up to 9,600 bytes.
    Jumbo,
    /// A good frame, cut anywhere.
    Cut,
    /// A good frame with one to three bytes overwritten in its first 120.
    Corrupted,
    /// A corrupted frame with the IPv4 header checksum made right again.
    CorruptedAndMended,
    /// Random bytes.
    Noise,
    /// A header's front with random bytes behind it.
    NoiseBehindEthernet,
    /// Another port, protocol, EtherType, or a second tag.
    Foreign,
    /// IPv4 options, our port behind them (IPv6: another version).
    Options,
    /// A fragment (IPv6: none).
    Fragment,
    /// IP and UDP lengths a little off, the checksum right.
    Lengths,
    /// Another version or flags at random.
    Header,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 13] = [
        Fault::Good,
        Fault::Padded,
        Fault::Jumbo,
        Fault::Cut,
        Fault::Corrupted,
        Fault::CorruptedAndMended,
        Fault::Noise,
        Fault::NoiseBehindEthernet,
        Fault::Foreign,
        Fault::Options,
        Fault::Fragment,
        Fault::Lengths,
        Fault::Header,
    ];

    /// A good frame is left good.
    pub fn is_benign(self) -> bool {
        matches!(self, Fault::Good | Fault::Padded | Fault::Jumbo)
    }

    /// A frame of `class` with this fault; at least one byte.
    pub fn frame(self, rng: &mut impl Rng, class: Class, port: u16) -> Vec<u8> {
        let most = match self {
            Fault::Jumbo => 9500,
            Fault::Good => [0, 20, 200, 1400][rng.random_range(0..4)],
            _ => [0, 20, 70][rng.random_range(0..3)],
        };
        let mut frame = good_of(rng, class, port, most);
        let ip = class.ip();
        match self {
            Fault::Good | Fault::Jumbo => {}
            Fault::Padded => frame.resize(frame.len() + rng.random_range(1..80), rng.random()),
            Fault::Cut => frame.truncate(rng.random_range(1..frame.len())),
            Fault::Corrupted | Fault::CorruptedAndMended => {
                for _ in 0..rng.random_range(1..=3) {
                    let at = rng.random_range(0..frame.len().min(120));
                    frame[at] = if rng.random() { rng.random() } else { frame[at] ^ 1 << rng.random_range(0..8) };
                }
                if self == Fault::CorruptedAndMended {
                    mend(&mut frame, class);
                }
            }
            Fault::Noise => {
                frame.resize(rng.random_range(1..260), 0);
                rng.fill(&mut frame[..]);
            }
            Fault::NoiseBehindEthernet => {
                let from = rng.random_range(ip..class.header());
                rng.fill(&mut frame[from..]);
            }
            Fault::Foreign => match rng.random_range(0..5) {
                0 => rng.fill(&mut frame[class.udp()..class.udp() + udp::DESTINATION + 2]),
                1 => frame[ip + if class.ipv6 { ipv6::NEXT_HEADER } else { ipv4::PROTOCOL }] = [6, 0, 44, 43, 1][rng.random_range(0..5)],
                2 => frame[ip - 2..ip].copy_from_slice(&[0x0806u16, 0x8847, 0x88a8, 0x0008][rng.random_range(0..4)].to_be_bytes()),
                3 => drop(frame.splice(ethernet::TYPE..ethernet::TYPE, [0x81, 0, 0, rng.random()])),
                _ => drop(frame.splice(ethernet::TYPE..ethernet::TYPE, [0x88, 0xa8, 0, rng.random()])),
            },
            Fault::Options => {
                let words = rng.random_range(0..16u8);
                frame[ip] = frame[ip] & 0xf0 | words;
                let inserted = 4 * usize::from(words.saturating_sub(5));
                if class.ipv6 {
                    frame[ip] = rng.random_range(0..16) << 4;
                } else if rng.random_range(0..4) > 0 {
                    drop(frame.splice(ip + ipv4::BYTES..ip + ipv4::BYTES, vec![rng.random(); inserted]));
                }
                if rng.random_range(0..4) == 0 {
                    frame.truncate(rng.random_range(ip..=frame.len()));
                }
            }
            Fault::Fragment => {
                let field: u16 = if rng.random() { 1 << rng.random_range(0..16) } else { rng.random() };
                if !class.ipv6 {
                    frame[ip + ipv4::FRAGMENT..][..2].copy_from_slice(&field.to_be_bytes());
                    mend(&mut frame, class);
                }
            }
            Fault::Lengths => {
                // By how much each length is moved; sometimes both alike.
                let by: [u16; 2] = std::array::from_fn(|_| if rng.random() { 0 } else { rng.random_range(0..20u16).wrapping_sub(10) });
                let by = if rng.random() { [by[0]; 2] } else { by };
                let at = [ip + if class.ipv6 { ipv6::LENGTH } else { ipv4::LENGTH }, class.udp() + udp::LENGTH];
                for (at, by) in at.into_iter().zip(by) {
                    let moved = u16::from_be_bytes([frame[at], frame[at + 1]]).wrapping_add(by);
                    let value = if rng.random_range(0..16) == 0 { rng.random() } else { moved };
                    frame[at..at + 2].copy_from_slice(&value.to_be_bytes());
                }
                mend(&mut frame, class);
            }
            Fault::Header => {
                if rng.random_range(0..4) == 0 {
                    frame[class.header()] = rng.random();
                } else {
                    frame[class.header() + 1] = rng.random();
                }
            }
        }
        frame
    }
}

/// A frame with the place in the ring of departures that it got on its way as `marked`, if it is
/// one that gets a place; its UDP checksum is mended (RFC 1624, equation 3), right or wrong as it
/// was.
pub fn with_its_place(frame: &[u8], marked: &[u8], port: u16) -> Vec<u8> {
    let ends = Packet::new_checked(frame, port).ok().filter(|p| p.kind() == Kind::Data && p.is_last());
    let Some(class) = ends.map(|p| p.class()).filter(|c| marked.len() >= c.end()) else { return frame.to_vec() };
    let mut placed = Packet::new_unchecked(frame.to_vec(), class);
    let (from, to, sum) = (placed.place(), Packet::new_unchecked(marked, class).place(), placed.udp_checksum());
    if from == to {
        return frame.to_vec();
    }
    placed.set_place(to);
    let mut placed = placed.into_inner();
    if sum != 0 || class.ipv6 {
        let mut more = u32::from(!sum) + u32::from(!from) + u32::from(to);
        more = (more & 0xffff) + (more >> 16);
        more = (more & 0xffff) + (more >> 16);
        let mended = if more as u16 == 0xffff { 0xffff } else { !(more as u16) };
        placed[class.udp() + udp::CHECKSUM..][..2].copy_from_slice(&mended.to_be_bytes());
    }
    placed
}
