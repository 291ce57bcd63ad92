//! A sender whose other end is a plain socket, so that each answer can be right or wrong in its own
//! way.
use super::*;
use std::net::UdpSocket;
use std::os::fd::AsFd;

fn options(to: SocketAddr) -> SendOptions {
    SendOptions {
        to,
        source_port: 0,
        flow: 9,
        rate_mbps: 1000.0,
        packet_bytes: 100,
        segment_packets: 3,
        segments: Some(2),
        time: None,
        patience: Duration::from_secs(60),
        ttl: 33,
        tos: 2,
        interval: Duration::from_secs(60),
    }
}

fn other_end() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = socket.local_addr().expect("its address");
    (socket, address)
}

#[test]
fn packets_are_what_the_wire_format_says() {
    let (other, address) = other_end();
    let options = options(address);
    let mut sender = Sender::new(&options).expect("a sender");
    (0..6).for_each(|_| sender.push().expect("sent"));
    let mut nonces = Vec::new();
    for i in 0..6u16 {
        let mut datagram = [0; 2000];
        assert_eq!(other.recv(&mut datagram).expect("a packet"), HEADER_BYTES + 100);
        let (h, kind) = check_datagram(&datagram).expect("well-formed");
        let flags = [FIRST, 0, LAST][usize::from(i % 3)];
        assert_eq!((kind, h.flags, h.packet, h.flow, h.segment), (Kind::Data, flags, i % 3, 9, u32::from(i / 3)));
        assert_eq!((h.segment_bytes, h.ttl_sent, h.charged_bytes, h.ttl_seen, h.arrival), (300, 33, 0, 0, 0));
        nonces.push(h.nonce);
    }
    assert!(nonces[0] == nonces[2] && nonces[3] == nonces[5] && nonces[0] != nonces[3], "one a segment: {nonces:x?}");
    let r = sender.report();
    // 14 + 20 + 8 + 48 + 100 + 4, and 20 of preamble and gap.
    assert_eq!((r.packets, r.segments, r.payload_bytes, r.wire_bytes, r.waiting), (6, 2, 600, 6 * 214, 2));
}

#[test]
fn each_answer_is_judged() {
    let (_other, address) = other_end();
    let options = SendOptions { segment_packets: 1, ..options(address) };
    let mut sender = Sender::new(&options).expect("a sender");
    (0..4).for_each(|_| sender.push().expect("sent"));
    let at_ns = sender.waiting[0].at_ns + 5_000;
    let arrived = Arrived { bytes: HEADER_BYTES, from: address, at_ns, ttl: 64, ecn: 0, to_group: false };
    let right = |sender: &Sender<'_>, segment: u32| {
        let h = Header {
            flags: FIRST | LAST,
            flow: 9,
            segment,
            nonce: sender.waiting[segment as usize].nonce,
            ttl_sent: 33,
            ..Header::default()
        };
        h.answered(31, 3, 7 << 16, 1_007 << 16)
    };
    let first = right(&sender, 0);
    for header in [
        Header { nonce: first.nonce ^ 1, ..first },
        Header { flow: 8, ..first },
        first,
        first,
        Header { segment: 4, ..first },
        Header { segment: u32::MAX, ..first },
        Header { flags: FIRST | LAST, ..first },
        right(&sender, 2),
    ] {
        sender.arrived(&arrived, &header.bytes());
    }
    sender.arrived(&arrived, &first.bytes()[..47]);
    let r = sender.report();
    assert_eq!((r.acked, r.forged, r.repeated, r.stale, r.malformed), (2, 2, 1, 2, 2));
    assert_eq!((r.marked, r.hops, r.waiting, r.lost), (2, Some(2), 2, 0));
    assert_eq!(r.rtt_ns.map(|p| (p.least <= 5_000, p.most)), Some((true, 5_000)));
    assert_eq!(r.responder_ns.map(|p| (p.least, p.most)), Some((1_000, 1_000)));
    // A segment without an ACK in time is lost, and a later ACK is stale.
    let third = right(&sender, 3);
    sender.give_up(Duration::ZERO);
    sender.arrived(&arrived, &third.bytes());
    let r = sender.report();
    assert_eq!((r.acked, r.lost, r.waiting, r.stale, r.loss), (2, 2, 0, 3, 0.5));
}

#[test]
fn packets_beyond_the_mtu_and_ports_that_are_closed_are_told() {
    let text = |e: TrafficError| e.to_string();
    let (other, address) = other_end();
    let (_stop, never) = std::os::unix::net::UnixStream::pair().expect("a pair");
    let long = SendOptions { packet_bytes: 65_500, segment_packets: 1, ..options(address) };
    let said = send(&long, never.as_fd(), &mut |_| {}).map_err(text).expect_err("too long");
    assert!(said.contains("65500 bytes") && said.contains("--packet-bytes 1424"), "{said}");
    drop(other);
    // The first packet's refusal is told with the second.
    let closed = SendOptions { segments: Some(3), patience: Duration::ZERO, ..options(address) };
    let said = send(&closed, never.as_fd(), &mut |_| {}).map_err(text).expect_err("nobody");
    assert!(said.contains("nobody listens") && said.contains("timelyctl recv --answer"), "{said}");
}
