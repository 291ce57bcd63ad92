//! RoCEv2's check sequence and headers against frames that another implementation made (Scapy 2.6,
//! `scapy.contrib.roce`), and against the specification's list of what may change on the way.
use timely_regs::roce::{Bth, Error, Extension, Headers, Kind, check, icrc_holds, opcode};
use timely_regs::wire::{Addresses, Class, Envelope, ethernet, ipv4_header_checksum};

const ACK4: &str =
    "0200000000010200000000020800452a0030000040004011b68fc0000201c0000202c00012b7001c00001100ffff00abcdef001234561f00000740585c90";
const CNP4: &str = "0200000000010200000000020800452a003c000040004011b683c0000201c0000202000012b7002800008100ffff400000d2000000000000000000000000000000000000\
                    00005e97395c";
const TAGGED_CNP4: &str = "020000000001020000000002810060050800452a003c000040004011b683c0000201c0000202000012b7002800008100ffff400000d200000000000000000000\
                           0000000000000000000\
                           05e97395c";
const SEND4: &str = "0200000000010200000000020800452a0034000040004011b68bc0000201c0000202c00012b7002000000430ffff0000001180000001555555555500000\
                     06e27b667";
const NAK6: &str = "02000000000102000000000286dd62a12345001c110920010db800000000000000000000000120010db8000000000000000000000002c00012b7001c00001100ffff00\
                    abcdef00123456600000077ee7374e";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn envelope(class: Class) -> Envelope {
    Envelope {
        mac_destination: [2, 0, 0, 0, 0, 1],
        mac_source: [2, 0, 0, 0, 0, 2],
        tci: class.vlan.then_some(0x6005),
        addresses: if class.ipv6 {
            let address = |last| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
            Addresses::V6 { source: address(1), destination: address(2) }
        } else {
            Addresses::V4 { source: [192, 0, 2, 1], destination: [192, 0, 2, 2] }
        },
        tos: 0x2a,
        ttl: if class.ipv6 { 9 } else { 64 },
        port_source: 49152,
        port_destination: 0,
    }
}

#[test]
fn frames_of_another_implementation_hold_and_read_right() {
    let v4 = Class::default();
    let right = Headers {
        class: v4,
        kind: Kind::Ack,
        opcode: opcode::ACK,
        ack_request: false,
        partition_key: 0xffff,
        queue_pair: 0xab_cdef,
        psn: 0x12_3456,
        syndrome: 0x1f,
        message_bytes: 0,
        payload_bytes: 0,
        tos: 0x2a,
    };
    assert_eq!(check(&bytes(ACK4)), Ok(right));
    let nak = Headers { class: Class { vlan: false, ipv6: true }, syndrome: 0x60, ..right };
    assert_eq!(check(&bytes(NAK6)), Ok(nak));
    let cnp = Headers { kind: Kind::Cnp, opcode: opcode::CNP, queue_pair: 0xd2, psn: 0, syndrome: 0, ..right };
    assert_eq!(check(&bytes(CNP4)), Ok(cnp));
    assert_eq!(check(&bytes(TAGGED_CNP4)), Ok(Headers { class: Class { vlan: true, ipv6: false }, ..cnp }));
    let send = Headers {
        kind: Kind::Data,
        opcode: opcode::SEND_ONLY,
        ack_request: true,
        queue_pair: 0x11,
        psn: 1,
        syndrome: 0,
        payload_bytes: 5,
        ..right
    };
    assert_eq!(check(&bytes(SEND4)), Ok(send));
}

#[test]
fn the_builder_makes_the_same_frames() {
    let v4 = Class::default();
    let ack = Bth { opcode: opcode::ACK, partition_key: 0xffff, queue_pair: 0xab_cdef, psn: 0x12_3456, ..Bth::default() };
    assert_eq!(ack.frame(&envelope(v4), &Extension { syndrome: 0x1f, message: 7, ..Extension::default() }, &[]), bytes(ACK4));
    let send = Bth { opcode: opcode::SEND_ONLY, partition_key: 0xffff, queue_pair: 0x11, psn: 1, ack_request: true, ..Bth::default() };
    assert_eq!(send.frame(&envelope(v4), &Extension::default(), &[0x55; 5]), bytes(SEND4));
    let cnp = Bth { opcode: opcode::CNP, partition_key: 0xffff, congestion: 0x40, queue_pair: 0xd2, ..Bth::default() };
    let tagged = Envelope { port_source: 0, ..envelope(Class { vlan: true, ipv6: false }) };
    assert_eq!(cnp.frame(&tagged, &Extension::default(), &[]), bytes(TAGGED_CNP4));
}

// Annex A17.3.3: type of service or traffic class, flow label, time to live or hop limit, both
// checksums; and FECN, BECN and the reserved bits beside them (9.2). All else is covered, the UDP
// source port and AckReq too; the Ethernet header is not.
#[test]
fn the_sequence_covers_all_but_what_may_change() {
    for class in Class::ALL {
        let write = Bth { opcode: opcode::WRITE_ONLY, queue_pair: 0x1234, psn: 9, ..Bth::default() };
        let frame = write.frame(&envelope(class), &Extension { message_bytes: 64, ..Extension::default() }, &[7; 64]);
        let (ip, transport) = (class.ip(), class.header());
        let mut free: Vec<(usize, u8)> = (0..ip).map(|at| (at, 0xff)).collect();
        match class.ipv6 {
            true => free.extend([(0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)].map(|(at, bits)| (ip + at, bits))),
            false => free.extend([1, 8, 10, 11].map(|at| (ip + at, 0xff))),
        }
        free.extend([(transport - 2, 0xff), (transport - 1, 0xff), (transport + 4, 0xff)]);
        for at in 0..frame.len() {
            let bits = free.iter().find(|f| f.0 == at).map_or(0, |f| f.1);
            for bit in 0..8 {
                let mut changed = frame.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(icrc_holds(&changed, class), bits >> bit & 1 == 1, "{class:?}: bit {bit} of byte {at}");
            }
        }
    }
}

#[test]
fn malformed_frames_are_told_apart() {
    let v4 = Class::default();
    let read = Bth { opcode: opcode::READ_REQUEST, queue_pair: 5, psn: 6, ack_request: true, ..Bth::default() };
    let frame = read.frame(&envelope(v4), &Extension { message_bytes: 1 << 20, ..Extension::default() }, &[]);
    let got = check(&frame).unwrap();
    assert_eq!((got.kind, got.message_bytes, got.payload_bytes), (Kind::Read, 1 << 20, 0));
    // Sums over the IP header are made right again, so that each fault is the only one; the
    // sequence comes last in the order.
    let spoilt = |at: usize, value: u8| {
        let mut f = frame.clone();
        f[at] = value;
        let sum = ipv4_header_checksum(&f[14..34]);
        f[24..26].copy_from_slice(&sum.to_be_bytes());
        check(&f)
    };
    assert_eq!(spoilt(36, 0x12).map(|_| ()), Ok(()), "the port's high byte is 0x12 already");
    assert_eq!(spoilt(37, 0xb8), Err(Error::Foreign));
    assert_eq!(spoilt(14, 0x46), Err(Error::Foreign), "options");
    assert_eq!(spoilt(20, 0x20), Err(Error::Foreign), "a fragment");
    assert_eq!(spoilt(ethernet::TYPE + 1, 1), Err(Error::Foreign));
    assert_eq!(spoilt(17, frame[17] + 1), Err(Error::Truncated));
    assert_eq!(spoilt(39, frame[39] - 4), Err(Error::Ip));
    assert_eq!(spoilt(43, 0x01), Err(Error::Transport), "version 1");
    assert_eq!(spoilt(43, 0x10), Err(Error::Transport), "padding where no payload may be");
    assert_eq!(spoilt(42, opcode::ACK), Err(Error::Transport), "an ACK with an RDMA header");
    assert_eq!(spoilt(60, frame[60] ^ 1), Err(Error::Icrc));
    assert_eq!(check(&frame[..frame.len() - 1]), Err(Error::Truncated));
    assert_eq!(check(&[frame.clone(), vec![9; 3]].concat()), Ok(got), "padding behind the IP length");
    let mut sum = frame.clone();
    sum[24] ^= 1;
    assert_eq!(check(&sum), Err(Error::Ip));
}
