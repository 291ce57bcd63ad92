//! Counts of packets that come in any order, or are no packets of ours.
use super::*;
use timely_regs::wire::{ACK, FIRST};

fn receiver(answer: bool) -> Receiver {
    let s = Duration::from_secs(60);
    let at = "127.0.0.1:0".parse().expect("an address");
    Receiver::new(RecvOptions { at, answer, segments: None, time: None, idle: s, patience: s, interval: s }).expect("a receiver")
}

fn arrived(from: &str) -> Arrived {
    Arrived { bytes: HEADER_BYTES + 10, from: from.parse().expect("an address"), at_ns: 1, ttl: 60, ecn: 0, to_group: false }
}

/// Packet of a segment of three.
fn packet(segment: u32, packet: u16) -> Header {
    let flags = [FIRST, 0, LAST][usize::from(packet)];
    Header { flags, flow: 4, segment, packet, ..Header::default() }
}

/// Segments whole, broken, missing, and packets late, of these packets in their order.
fn counted(packets: &[(u32, u16)]) -> [u64; 4] {
    let mut r = receiver(false);
    packets.iter().for_each(|&(s, p)| r.arrived(&arrived("10.0.0.1:5"), &packet(s, p).bytes()));
    let told = r.report();
    assert_eq!((told.packets, told.flows), (packets.len() as u64, 1));
    [told.segments, told.broken, told.missing, told.late]
}

#[test]
fn segments_are_whole_broken_or_missing() {
    let whole = |s: u32| [(s, 0), (s, 1), (s, 2)];
    assert_eq!(counted(&[whole(7), whole(8), whole(9)].concat()), [3, 0, 0, 0]);
    assert_eq!(counted(&[whole(u32::MAX), whole(0)].concat()), [2, 0, 0, 0]);
    assert_eq!(counted(&[(7, 0), (7, 2)]), [0, 1, 0, 0], "one in the middle");
    assert_eq!(counted(&[(7, 1), (7, 2), (8, 0), (8, 1), (8, 2)]), [1, 1, 0, 0], "the first one");
    assert_eq!(counted(&[&[(7, 0), (7, 1)][..], &whole(8)].concat()), [1, 1, 0, 0], "the last one");
    assert_eq!(counted(&[whole(7), whole(11)].concat()), [2, 0, 3, 0]);
    assert_eq!(counted(&[&whole(7)[..], &[(7, 2), (6, 1)], &whole(8)].concat()), [2, 0, 0, 2]);
    assert_eq!(counted(&[whole(900_000), whole(0)].concat()), [2, 0, 0, 0], "a sender that started again misses nothing");
}

#[test]
fn others_are_counted_apart() {
    let mut r = receiver(true);
    let header = packet(0, 2);
    let of = |from| arrived(from);
    r.arrived(&of("10.0.0.1:5"), &header.bytes()[..47]);
    r.arrived(&of("10.0.0.1:5"), &[0; HEADER_BYTES]);
    r.arrived(&of("10.0.0.1:5"), &Header { flags: 0x10, ..header }.bytes());
    r.arrived(&of("10.0.0.1:5"), &Header { flags: ACK, ..header }.bytes());
    r.arrived(&of("10.0.0.1:5"), &Header { flags: ACK | LAST, ..header }.bytes());
    assert_eq!((r.report().malformed, r.report().acks_received, r.report().packets), (4, 1, 0));
    // No amplifier: nothing goes to port 0 or to a group, nor for what a group got.
    r.arrived(&of("10.0.0.1:0"), &header.bytes());
    r.arrived(&of("239.0.0.1:5"), &header.bytes());
    r.arrived(&Arrived { to_group: true, ..of("10.0.0.1:5") }, &header.bytes());
    assert_eq!((r.report().unanswered, r.report().acks_sent, r.report().packets), (3, 0, 3));
    for flow in 0..2 * MOST_FLOWS as u32 {
        r.arrived(&of("10.0.0.2:5"), &Header { flow, flags: FIRST, packet: 0, ..header }.bytes());
    }
    let told = r.report();
    assert!(told.flows == MOST_FLOWS as u64 && told.unfollowed > 0 && told.flows + told.unfollowed == told.packets, "{told:?}");
}
