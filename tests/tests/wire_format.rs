//! The wire format against an independent parser, `etherparse`, and against the listings in
//! `docs/wire-format.md`.
use etherparse::{LinkSlice, NetSlice, PacketBuilder, SlicedPacket, TransportSlice, UdpHeader, VlanId};
use rand::Rng;
use std::fmt::Write;
use timely_regs::wire::{
    Addresses, Arrived, Class, Envelope, FIRST, HEADER_BYTES, Header, LAST, Loss, Packet, READ, ipv4_header_checksum, offset, udp_checksum,
};
use timely_tests::frames::{Fault, class, envelope, good_of, header};
use timely_tests::rng;

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// Reads `frame` with `etherparse` and holds all that it finds equal to what our view finds.
fn agree(frame: &[u8]) {
    let ours = Packet::new_checked(frame, PORT).unwrap();
    let other = SlicedPacket::from_ethernet(frame).unwrap_or_else(|e| panic!("{e}: {frame:02x?}"));
    let Some(LinkSlice::Ethernet2(ethernet)) = &other.link else { panic!("no Ethernet") };
    assert_eq!((ethernet.destination(), ethernet.source()), (ours.mac_destination(), ours.mac_source()));
    assert_eq!(other.vlan_ids().as_slice(), ours.tci().map(|t| VlanId::try_new(t & 0xfff).unwrap()).as_slice());
    let Some(TransportSlice::Udp(udp)) = &other.transport else { panic!("no UDP") };
    assert_eq!((udp.source_port(), udp.destination_port()), (ours.port_source(), ours.port_destination()));
    assert_eq!((udp.length(), udp.checksum()), (ours.udp_length(), ours.udp_checksum()));
    let (header, payload) = udp.payload().split_at(HEADER_BYTES);
    assert_eq!((header, payload), (ours.header(), ours.payload()));
    // The checksums of `etherparse`, against ours.
    let bare = UdpHeader { checksum: 0, ..udp.to_header() };
    match &other.net {
        Some(NetSlice::Ipv4(ip)) => {
            let h = ip.header();
            assert!(!ours.class().ipv6);
            assert_eq!((&h.source()[..], &h.destination()[..]), (ours.ip_source(), ours.ip_destination()));
            assert_eq!((h.ttl(), h.dcp().value() << 2 | h.ecn().value()), (ours.ttl(), ours.tos()));
            // The header of `etherparse` has no place for the reserved flag, which we ignore.
            if h.slice()[6] & 0x80 == 0 {
                assert_eq!(h.to_header().calc_header_checksum(), ipv4_header_checksum(h.slice()));
            }
            let sum = bare.calc_checksum_ipv4(&h.to_header(), udp.payload()).unwrap();
            assert_eq!(sum, udp_checksum(ours.ip_source(), ours.ip_destination(), ours.datagram()));
        }
        Some(NetSlice::Ipv6(ip)) => {
            let h = ip.header();
            assert!(ours.class().ipv6);
            assert_eq!((&h.source()[..], &h.destination()[..]), (ours.ip_source(), ours.ip_destination()));
            assert_eq!((h.hop_limit(), h.traffic_class()), (ours.ttl(), ours.tos()));
            let sum = bare.calc_checksum_ipv6(&h.to_header(), udp.payload()).unwrap();
            assert_eq!(sum, udp_checksum(ours.ip_source(), ours.ip_destination(), ours.datagram()));
        }
        other => panic!("no IP: {other:?}"),
    }
}

/// An independent parser reads our frames as we do, checksums included; and what we accept of
/// spoilt frames, it accepts.
#[test]
fn an_independent_parser_agrees() {
    let mut rng = rng(11);
    for round in 0..2000 {
        let frame = good_of(&mut rng, Class::ALL[round % 4], PORT, 1500);
        assert!(Packet::new_checked(&frame, PORT).unwrap().udp_checksum_holds());
        agree(&frame);
    }
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..40_000 {
        let class = class(&mut rng);
        let frame = Fault::ALL[round % Fault::ALL.len()].frame(&mut rng, class, PORT);
        match Packet::new_checked(&frame, PORT) {
            Ok(_) => {
                accepted += 1;
                agree(&frame);
            }
            Err(e) => {
                refused += 1;
                assert!(!e.to_string().is_empty());
            }
        }
    }
    println!("{accepted} frames accepted, {refused} refused");
    assert!(accepted > 5000 && refused > 5000);
}

/// The frame of an independent builder equals ours, byte for byte.
#[test]
fn an_independent_builder_agrees() {
    let mut rng = rng(12);
    for round in 0..1000 {
        let class = Class::ALL[round % 4];
        // The builder of `etherparse` leaves DSCP, priority and DEI at 0.
        let mut e = Envelope { tos: 0, ..envelope(&mut rng, class, PORT) };
        e.tci = e.tci.map(|t| t & 0xfff);
        let header = header(&mut rng);
        let mut payload = vec![0; rng.random_range(0..300)];
        rng.fill(&mut payload[..]);
        let mut theirs = Vec::new();
        let inner = [&header.bytes()[..], &payload].concat();
        let link = PacketBuilder::ethernet2(e.mac_source, e.mac_destination);
        let ip = match (e.tci, e.addresses) {
            (Some(t), Addresses::V4 { source, destination }) => link.single_vlan(t.try_into().unwrap()).ipv4(source, destination, e.ttl),
            (Some(t), Addresses::V6 { source, destination }) => link.single_vlan(t.try_into().unwrap()).ipv6(source, destination, e.ttl),
            (None, Addresses::V4 { source, destination }) => link.ipv4(source, destination, e.ttl),
            (None, Addresses::V6 { source, destination }) => link.ipv6(source, destination, e.ttl),
        };
        ip.udp(e.port_source, e.port_destination).write(&mut theirs, &inner).unwrap();
        assert_eq!(theirs, e.frame(&header, &payload), "{class:?}");
    }
}

/// A frame as lines of bytes with what they are.
fn listing(frame: &[u8], class: Class) -> String {
    let (ip, udp, ours) = (class.ip(), class.udp(), class.header());
    let mut rows = vec![(0, "Ethernet: to"), (6, "from")];
    if class.vlan {
        rows.push((12, "tag: VLAN, TCI"));
    }
    rows.push((ip - 2, "EtherType"));
    if class.ipv6 {
        rows.extend(
            [(0, "IPv6: version, class, label"), (4, "length, UDP, hop limit"), (8, "from"), (24, "to")].map(|(at, n)| (ip + at, n)),
        );
    } else {
        let parts =
            [(0, "IPv4: version, TOS, length"), (4, "identification, fragment"), (8, "TTL, UDP, checksum"), (12, "from"), (16, "to")];
        rows.extend(parts.map(|(at, n)| (ip + at, n)));
    }
    rows.extend([(0, "UDP: ports"), (4, "length, checksum")].map(|(at, n)| (udp + at, n)));
    let parts = [
        (offset::VERSION, "ours: version, flags, packet number"),
        (offset::PLACE, "place, flow"),
        (offset::NONCE, "nonce"),
        (offset::SEGMENT, "segment number"),
        (offset::SEGMENT_BYTES, "segment bytes"),
        (offset::CHARGED_BYTES, "charged bytes"),
        (offset::TTL_SENT, "TTL sent, TTL seen, ECN seen, loss"),
        (offset::ARRIVAL, "arrival"),
        (offset::DEPARTURE, "departure"),
        (44, "0"),
    ];
    rows.extend(parts.map(|(at, n)| (ours + at, n)));
    if frame.len() > class.end() {
        rows.push((class.end(), "payload"));
    }
    let mut text = String::from("```hex\n");
    for (i, (at, name)) in rows.iter().enumerate() {
        let to = rows.get(i + 1).map_or(frame.len(), |r| r.0);
        let bytes: Vec<String> = frame[*at..to].iter().map(|b| format!("{b:02x}")).collect();
        writeln!(text, "{at:3}  {:<47}  {name}", bytes.join(" ")).unwrap();
    }
    text + "```\n"
}

/// The examples of the documentation are what the code builds.
#[test]
fn the_documented_examples_hold() {
    let ip = |last| [10, 0, 0, last];
    let mac = |last| [2, 0, 0, 0, 0, last];
    let there = Envelope {
        mac_destination: mac(2),
        mac_source: mac(1),
        tci: None,
        addresses: Addresses::V4 { source: ip(1), destination: ip(2) },
        tos: 0x02,
        ttl: 64,
        port_source: 0xc001,
        port_destination: PORT,
    };
    let only =
        Header { flags: FIRST | LAST, flow: 5, nonce: 0x8badf00d, segment: 1000, segment_bytes: 4, ttl_sent: 64, ..Header::default() };
    let back = Envelope {
        mac_destination: mac(1),
        mac_source: mac(2),
        addresses: Addresses::V4 { source: ip(2), destination: ip(1) },
        tos: 0xb8,
        port_source: PORT,
        port_destination: 0xc001,
        ..there
    };
    let arrival = 1_000_000_000u64 << 16;
    let complete = Loss { arrived: Arrived::Complete, skipped: 0 };
    let answer = Header { loss: complete.byte(), ..only.answered(61, 3, arrival, arrival + (1500 << 16)) };
    let v6 = |last| [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
    let other = Envelope { tci: Some(0x6064), addresses: Addresses::V6 { source: v6(1), destination: v6(2) }, tos: 0, ..there };
    let middle = Header { flags: READ, packet: 3, segment_bytes: 64, charged_bytes: 65536, ..only };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/wire-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    let documented: Vec<&str> =
        text.match_indices("```hex\n").map(|(at, _)| &text[at..at + text[at + 3..].find("```\n").unwrap() + 7]).collect();
    let built = [
        listing(&there.frame(&only, &[0xde, 0xad, 0xbe, 0xef]), there.class()),
        listing(&back.frame(&answer, &[]), back.class()),
        listing(&other.frame(&middle, &[]), other.class()),
    ];
    for (i, built) in built.iter().enumerate() {
        assert!(documented.get(i) == Some(&built.as_str()), "example {} in docs/wire-format.md should be\n{built}", i + 1);
    }
    assert_eq!(documented.len(), built.len(), "every listing is checked");
    // And the hex itself, read from the page, is a frame of ours.
    for listing in documented {
        let frame: Vec<u8> = listing
            .lines()
            .filter(|l| !l.starts_with('`'))
            .flat_map(|l| l[5..52].split_whitespace())
            .map(|b| u8::from_str_radix(b, 16).unwrap())
            .collect();
        assert!(Packet::new_checked(&frame, PORT).unwrap().udp_checksum_holds());
    }
}

/// Each counter that the page names exists, and each that a frame can count in is named.
#[test]
fn the_documented_counters_exist() {
    use timely_regs::counters::Counter::*;
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/wire-format.md")).unwrap();
    for counter in [RxFrames, RxForeign, RxBad, RxTruncated, RxBadIp, RxBadHeader, RxData, RxAcks, AckForged] {
        let name = timely_regs::generate::snake(&format!("{counter:?}"));
        assert!(text.contains(&format!("`{name}`")), "{name} is not in docs/wire-format.md");
    }
}
