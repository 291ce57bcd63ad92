//! Properties of the wire format's code, on seeded random frames. An independent parser reads the
//! same frames in `tests/`.
use timely_regs::counters::Counter;
use timely_regs::wire::{
    self, ACK, Addresses, Class, Envelope, Error, FIRST, FLAGS, Header, Kind, LAST, Packet, READ, check, ipv4_header_checksum,
    ones_complement_sum, udp_checksum,
};

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;
const ROUNDS: usize = 300;

/// Knuth's MMIX generator; its high bits are good enough to choose frames.
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let high = self.0 >> 32;
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        high << 32 | self.0 >> 32
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    fn envelope(&mut self, class: Class) -> Envelope {
        Envelope {
            mac_destination: self.array(),
            mac_source: self.array(),
            tci: class.vlan.then(|| self.next() as u16),
            addresses: if class.ipv6 {
                Addresses::V6 { source: self.array(), destination: self.array() }
            } else {
                Addresses::V4 { source: self.array(), destination: self.array() }
            },
            tos: self.next() as u8,
            ttl: self.next() as u8,
            port_source: self.next() as u16,
            port_destination: PORT,
        }
    }

    fn header(&mut self) -> Header {
        let header = Header {
            flags: [0, FIRST, LAST, FIRST | LAST, READ | FIRST, READ | FIRST | LAST][self.below(6)],
            packet: self.next() as u16,
            place: self.next() as u16,
            flow: u32::from(self.next() as u16),
            nonce: self.next() as u32,
            segment: self.next() as u32,
            segment_bytes: self.next() as u32,
            charged_bytes: self.next() as u32,
            ttl_sent: self.next() as u8,
            ..Header::default()
        };
        if header.flags & LAST != 0 && self.below(2) == 0 {
            header.answered(self.next() as u8, self.next() as u8, self.next(), self.next())
        } else {
            header
        }
    }
}

/// A built frame reads back, field by field, through the view.
#[test]
fn built_frames_read_back() {
    let mut r = Lcg(1);
    for round in 0..ROUNDS {
        let class = Class::ALL[round % 4];
        let (e, h) = (r.envelope(class), r.header());
        let size = r.below(1500);
        let payload = r.bytes(size);
        let mut frame = e.frame(&h, &payload);
        let pad = r.below(40);
        frame.extend(r.bytes(pad));
        let p = Packet::new_checked(&frame, PORT).unwrap();
        assert_eq!(p.class(), class);
        assert_eq!(Header::read(p.header().try_into().unwrap()), h);
        assert_eq!((p.mac_destination(), p.mac_source(), p.tci()), (e.mac_destination, e.mac_source, e.tci));
        let addresses = match &e.addresses {
            Addresses::V4 { source, destination } => (&source[..], &destination[..]),
            Addresses::V6 { source, destination } => (&source[..], &destination[..]),
        };
        assert_eq!((p.ip_source(), p.ip_destination()), addresses);
        assert_eq!((p.tos(), p.ttl(), p.port_source(), p.port_destination()), (e.tos, e.ttl, e.port_source, PORT));
        assert_eq!(p.payload(), payload);
        assert!(p.udp_checksum_holds() && p.udp_checksum() != 0);
        assert_eq!((p.version(), p.flags(), p.packet(), p.place(), p.flow()), (2, h.flags, h.packet, h.place, h.flow));
        assert_eq!((p.nonce(), p.segment(), p.segment_bytes(), p.charged_bytes()), (h.nonce, h.segment, h.segment_bytes, h.charged_bytes));
        assert_eq!((p.ttl_sent(), p.ttl_seen(), p.ecn_seen(), p.loss()), (h.ttl_sent, h.ttl_seen, h.ecn_seen, h.loss));
        assert_eq!((p.arrival(), p.departure()), (h.arrival, h.departure));
        assert_eq!(p.kind(), if h.flags & ACK != 0 { Kind::Ack } else { Kind::Data });
    }
}

/// A field that is set reads back; setting it touches nothing else, and leaves a frame that is
/// right once its checksums are filled.
#[test]
fn setters_write_what_getters_read() {
    let mut r = Lcg(2);
    for round in 0..ROUNDS {
        let class = Class::ALL[round % 4];
        let payload = r.bytes(33);
        let (e, h) = (r.envelope(class), r.header());
        let wanted = Envelope {
            tos: r.next() as u8,
            ttl: r.next() as u8,
            port_source: r.next() as u16,
            mac_source: r.array(),
            mac_destination: r.array(),
            ..e
        };
        let header = r.header();
        let mut p = Packet::new_checked(e.frame(&h, &payload), PORT).unwrap();
        p.set_mac_destination(wanted.mac_destination);
        p.set_mac_source(wanted.mac_source);
        p.set_tos(wanted.tos);
        p.set_ttl(wanted.ttl);
        p.set_port_source(wanted.port_source);
        p.set_port_destination(PORT);
        p.set_flags(header.flags);
        p.set_packet(header.packet);
        p.set_place(header.place);
        p.set_flow(header.flow);
        p.set_nonce(header.nonce);
        p.set_segment(header.segment);
        p.set_segment_bytes(header.segment_bytes);
        p.set_charged_bytes(header.charged_bytes);
        p.set_ttl_sent(header.ttl_sent);
        p.set_ttl_seen(header.ttl_seen);
        p.set_ecn_seen(header.ecn_seen);
        p.set_loss(header.loss);
        p.set_arrival(header.arrival);
        p.set_departure(header.departure);
        p.fill_checksums();
        assert_eq!(p.into_inner(), wanted.frame(&header, &payload));
    }
}

/// Writing the traffic class leaves IPv6's version and flow label alone.
#[test]
fn the_flow_label_stays() {
    let class = Class { vlan: false, ipv6: true };
    let mut r = Lcg(9);
    let mut frame = r.envelope(class).frame(&r.header(), &[]);
    frame[class.ip()..][..4].copy_from_slice(&[0x6a, 0xbc, 0xde, 0xf0]);
    let mut p = Packet::new_checked(frame, PORT).unwrap();
    assert_eq!(p.tos(), 0xab);
    p.set_tos(0x12);
    assert_eq!(p.frame()[class.ip()..][..4], [0x61, 0x2c, 0xde, 0xf0]);
}

/// Every truncation of a good frame is foreign before its port ends, and truncated from there on.
#[test]
fn every_truncation_is_refused() {
    let mut r = Lcg(3);
    for class in Class::ALL {
        let frame = r.envelope(class).frame(&r.header(), &[7; 100]);
        for bytes in 0..frame.len() {
            let error = Packet::new_checked(&frame[..bytes], PORT).unwrap_err();
            let expected = if bytes < class.udp() + 4 {
                Error::Foreign
            } else if bytes < class.end() {
                Error::Headers { bytes, least: class.end() }
            } else {
                Error::Cut { bytes, promised: frame.len() }
            };
            assert_eq!(error, expected, "{bytes} bytes of {class:?}");
        }
        assert!(Packet::new_checked(&frame, PORT).is_ok());
        assert_eq!(Packet::new_checked(&frame, PORT + 1), Err(Error::Foreign));
        // The least that fits, which is what an ACK has.
        let least = r.envelope(class).frame(&r.header(), &[]);
        assert_eq!((least.len(), Packet::new_checked(&least, PORT).is_ok()), (class.end(), true));
        // Without a port of ours, nothing is, not even what comes from port 0.
        let mut nobody = frame.clone();
        nobody[class.udp()..][..2].fill(0);
        assert_eq!(Packet::new_checked(&nobody, 0), Err(Error::Foreign));
        // On its way back the port is the source.
        let mut back = frame.clone();
        back.copy_within(class.udp()..class.udp() + 2, class.udp() + 2);
        back[class.udp()..][..2].copy_from_slice(&PORT.to_be_bytes());
        assert!(Packet::new_checked(&back, PORT).is_ok());
    }
}

/// One wrong field, and the error that names it.
#[test]
fn every_error_has_its_frame() {
    let mut r = Lcg(4);
    // Writes `bytes` at `at` bytes behind the IP header's start, mends the IPv4 checksum if asked
    // to, and judges.
    let mut judge = |class: Class, at: usize, bytes: &[u8], mend: bool| {
        let mut frame = r.envelope(class).frame(&Header { flags: FIRST | LAST, ..Header::default() }, &[1; 40]);
        let ip = class.ip();
        frame[ip + at..][..bytes.len()].copy_from_slice(bytes);
        if mend {
            let sum = ipv4_header_checksum(&frame[ip..ip + 20]);
            frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        }
        let verdict = check(&frame, frame.len(), PORT);
        if let Err(e) = verdict {
            assert!(!e.to_string().is_empty());
        }
        verdict
    };
    for vlan in [false, true] {
        let (v4, v6) = (Class { vlan, ipv6: false }, Class { vlan, ipv6: true });
        let ours = v4.header() - v4.ip();
        assert_eq!(judge(v4, 0, &[0x45], true), Ok((v4, Kind::Data)));
        assert_eq!(judge(v4, 9, &[6], true), Err(Error::Foreign));
        assert_eq!(judge(v4, 0, &[0x65], true), Err(Error::IpVersion { value: 6, right: 4 }));
        assert_eq!(judge(v6, 0, &[0x40], false), Err(Error::IpVersion { value: 4, right: 6 }));
        assert_eq!(judge(v4, 0, &[0x44], true), Err(Error::Ihl { value: 4 }));
        // Six words: the destination port is looked for four bytes on, where the datagram has its
        // checksum.
        assert_eq!(judge(v4, 0, &[0x46], true), Err(Error::Foreign));
        let [high, low] = PORT.to_be_bytes();
        assert_eq!(judge(v4, 20 + 6, &[high, low], false), Ok((v4, Kind::Data)));
        assert_eq!(judge(v4, 6, &[0x20, 0], true), Err(Error::Fragment { value: 0x2000 }));
        assert_eq!(judge(v4, 6, &[0x00, 1], true), Err(Error::Foreign));
        assert_eq!(judge(v4, 6, &[0xc0, 0], true), Ok((v4, Kind::Data)));
        assert!(matches!(judge(v4, 10, &[1, 2], false), Err(Error::IpChecksum { value: 0x102, .. })));
        assert_eq!(judge(v4, 2, &[0, 117], true), Err(Error::Cut { bytes: v4.end() + 40, promised: v4.end() + 41 }));
        assert_eq!(judge(v4, 2, &[0, 75], true), Err(Error::IpLength { value: 75, least: 76 }));
        assert_eq!(judge(v6, 4, &[0, 97], false), Err(Error::Cut { bytes: v6.end() + 40, promised: v6.end() + 41 }));
        assert_eq!(judge(v6, 4, &[0, 55], false), Err(Error::IpLength { value: 55, least: 56 }));
        assert_eq!(judge(v4, 24, &[0, 95], false), Err(Error::UdpLength { value: 95, right: 96 }));
        assert_eq!(judge(v6, 44, &[0, 0], false), Err(Error::UdpLength { value: 0, right: 96 }));
        assert_eq!(judge(v4, ours, &[1], false), Err(Error::Version { value: 1 }));
        for flags in 0..=255u8 {
            let wanted = match flags {
                _ if flags & !FLAGS != 0 || flags & (ACK | LAST) == ACK => Err(Error::Flags { value: flags }),
                _ => Ok((v6, if flags & ACK != 0 { Kind::Ack } else { Kind::Data })),
            };
            assert_eq!(judge(v6, v6.header() - v6.ip() + 1, &[flags], false), wanted);
        }
    }
}

/// An IPv4 header with options is recognised by the port behind them.
#[test]
fn options_are_seen_for_what_they_are() {
    let mut r = Lcg(5);
    for class in Class::ALL.into_iter().filter(|c| !c.ipv6) {
        for words in 6..=15u8 {
            let mut frame = r.envelope(class).frame(&r.header(), &[]);
            let ip = class.ip();
            let options = vec![1; 4 * usize::from(words - 5)];
            frame[ip] = 0x40 | words;
            frame.splice(ip + 20..ip + 20, options);
            assert_eq!(check(&frame, frame.len(), PORT), Err(Error::Ihl { value: words }));
            assert_eq!(check(&frame, frame.len(), PORT).unwrap_err().counter(), Counter::RxBadIp);
        }
    }
}

/// Random bytes, and good frames with random bytes in them, never panic; what is accepted can be
/// read throughout.
#[test]
fn nothing_panics() {
    let mut r = Lcg(6);
    let mut accepted = 0;
    for round in 0..60_000 {
        let mut frame = if round % 3 == 0 {
            let size = r.below(200);
            r.bytes(size)
        } else {
            let class = Class::ALL[r.below(4)];
            let size = r.below(40);
            r.envelope(class).frame(&r.header(), &vec![0; size])
        };
        for _ in 0..r.below(4) {
            if !frame.is_empty() {
                let at = r.below(frame.len());
                frame[at] = r.next() as u8;
            }
        }
        if r.below(4) == 0 {
            frame.truncate(r.below(frame.len() + 1));
        }
        if let Ok(mut p) = Packet::new_checked(&mut frame[..], PORT) {
            accepted += 1;
            let _ = (p.payload().len(), p.udp_checksum_holds(), p.header().len(), p.tci(), p.ip_source().len(), p.departure());
            p.fill_checksums();
            assert!(p.udp_checksum_holds());
        }
    }
    assert!(accepted > 10_000, "only {accepted} frames were accepted: the rest of this test tested nothing");
}

/// The sums against a second, slow way: long division by 65535.
#[test]
fn checksums_are_remainders() {
    let mut r = Lcg(7);
    for _ in 0..ROUNDS {
        let size = r.below(100);
        let bytes = r.bytes(size);
        let mut padded = bytes.clone();
        padded.resize(size.next_multiple_of(2), 0);
        let remainder = padded.chunks(2).fold(0u64, |sum, w| (sum + u64::from(w[0]) * 256 + u64::from(w[1])) % 65535);
        assert_eq!(u64::from(ones_complement_sum(0, &bytes)) % 65535, remainder);
    }
    // RFC 1071's own example, and a header with a sum that is published everywhere.
    assert_eq!(ones_complement_sum(0, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
    let header = [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7];
    assert_eq!(ipv4_header_checksum(&header), 0xb861);
    // A datagram whose sum is 0xffff is sent with 0xffff, not with 0.
    let mut datagram = vec![0, 0, 0, 0, 0, 10, 0, 0, 0, 0];
    let right = udp_checksum(&[0; 4], &[0; 4], &datagram);
    datagram[8..].copy_from_slice(&right.to_be_bytes());
    assert_eq!(udp_checksum(&[0; 4], &[0; 4], &datagram), 0xffff);
}

/// IPv4 may leave the UDP checksum away, IPv6 may not.
#[test]
fn an_absent_udp_checksum() {
    let mut r = Lcg(8);
    for class in Class::ALL {
        let mut frame = r.envelope(class).frame(&r.header(), &[1, 2, 3]);
        frame[class.udp() + wire::udp::CHECKSUM..][..2].fill(0);
        assert_eq!(Packet::new_checked(&frame, PORT).unwrap().udp_checksum_holds(), !class.ipv6);
    }
}
