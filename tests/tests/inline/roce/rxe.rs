//! RDMA hosts as Linux's software RoCE (rxe) behaves on the wire: 128 packets under way, an ACK of
//! each packet that asks for one, go-back-N, a time-out of 67 ms.
use std::collections::BTreeMap;
use timely_regs::roce::{Bth, Extension, Kind, Layout, check, layout, opcode};
use timely_regs::wire::{Addresses, Envelope};
use timely_sim::frame::address;

/// Packets that rxe has under way at most.
pub const WINDOW: u32 = 128;
/// Payload of a packet: the path MTU.
pub const MTU: usize = 1024;
/// Packets of a message of 64 KB.
pub const MESSAGE: u32 = 64;
/// Packets after which a long message asks for an ACK.
const ASKS_EACH: u32 = 66;
/// Clocks of 4 ns of the retransmission time-out.
pub const TIMEOUT: u64 = 67_108_864 / 4;
const PSN: u32 = 0xff_ffff;

fn psn(at: u64) -> u32 {
    at as u32 & PSN
}

pub fn envelope(from: u16, to: u16, port: u16) -> Envelope {
    Envelope {
        mac_destination: address::mac(to),
        mac_source: address::mac(from),
        tci: None,
        addresses: Addresses::V4 { source: address::ipv4(from), destination: address::ipv4(to) },
        tos: 0,
        ttl: 64,
        port_source: port,
        port_destination: timely_regs::roce::PORT,
    }
}

/// The sending end of a queue pair, which writes messages for ever, or as many as there are.
pub struct Sender {
    pub hosts: (u16, u16),
    pub local: u32,
    pub remote: u32,
    first: u64,
    /// The oldest packet that is not acknowledged, the next one to send, and how far was sent.
    pub acknowledged: u64,
    next: u64,
    pub sent: u64,
    pub messages: u64,
    pub packets: u32,
    pub deadline: u64,
    pub timeouts: u64,
    pub naks: u64,
    /// Type of service of data; 2 is ECN-capable.
    tos: u8,
}

impl Sender {
    pub fn new(hosts: (u16, u16), local: u32, remote: u32, first: u32) -> Self {
        let first = u64::from(first) + (1 << 24);
        let (acknowledged, next, sent) = (first, first, first);
        let messages = u64::MAX;
        let deadline = u64::MAX;
        Sender { hosts, local, remote, first, acknowledged, next, sent, messages, packets: MESSAGE, deadline, timeouts: 0, naks: 0, tos: 0 }
    }

    /// The sender with this type of service.
    pub fn of_class(self, tos: u8) -> Self {
        Sender { tos, ..self }
    }

    pub fn may_send(&self) -> bool {
        let end = self.messages.saturating_mul(self.packets.into());
        self.next - self.acknowledged < u64::from(WINDOW) && self.next - self.first < end
    }

    /// The packet `at`, which is the same whenever it is sent.
    pub fn packet(&self, at: u64) -> Vec<u8> {
        let place = ((at - self.first) % u64::from(self.packets)) as u32;
        let (begins, ends) = (place == 0, place + 1 == self.packets);
        let bth = Bth {
            opcode: match (begins, ends) {
                (true, true) => opcode::WRITE_ONLY,
                (true, false) => opcode::WRITE_FIRST,
                (false, false) => opcode::WRITE_MIDDLE,
                (false, true) => opcode::WRITE_LAST,
            },
            queue_pair: self.remote,
            ack_request: ends || (place + 1).is_multiple_of(ASKS_EACH),
            psn: psn(at),
            partition_key: 0xffff,
            ..Bth::default()
        };
        let extension = Extension { message_bytes: self.packets * MTU as u32, key: 77, address: at << 10, ..Extension::default() };
        let envelope = Envelope { tos: self.tos, ..envelope(self.hosts.0, self.hosts.1, 0xc000 | self.local as u16) };
        bth.frame(&envelope, &extension, &[at as u8; MTU])
    }

    /// The next packet, sent at clock `clk`.
    pub fn send(&mut self, clk: u64) -> Vec<u8> {
        let frame = self.packet(self.next);
        if self.deadline == u64::MAX {
            self.deadline = clk + TIMEOUT;
        }
        self.next += 1;
        self.sent = self.sent.max(self.next);
        frame
    }

    /// An answer with `number` and `syndrome` arrives at clock `clk`.
    pub fn answered(&mut self, clk: u64, number: u32, syndrome: u8) {
        let ahead = number.wrapping_sub(psn(self.acknowledged)) & PSN;
        let nak = syndrome >> 5 == 3;
        let covers = u64::from(ahead) + u64::from(!nak);
        if ahead >= 1 << 23 || self.acknowledged + covers > self.sent {
            return;
        }
        if covers > 0 {
            self.deadline = clk + TIMEOUT;
        }
        self.acknowledged += covers;
        self.next = self.next.max(self.acknowledged);
        if nak {
            self.naks += 1;
            self.next = self.acknowledged;
        }
        if self.acknowledged == self.next {
            self.deadline = u64::MAX;
        }
    }

    /// The time-out strikes: everything that is not acknowledged again.
    pub fn expired(&mut self, clk: u64) {
        if clk >= self.deadline {
            self.timeouts += 1;
            self.next = self.acknowledged;
            self.deadline = u64::MAX;
        }
    }
}

/// The receiving end of queue pairs, by their numbers.
#[derive(Default)]
pub struct Receiver {
    pairs: BTreeMap<u32, Expected>,
    /// Least clocks between two CNPs of a pair; 0: there are none.
    notifies: u64,
    pub notified: u64,
}

struct Expected {
    /// The peer's host and queue pair.
    peer: (u16, u32),
    us: u16,
    psn: u32,
    refused: bool,
    pub bytes: u64,
    /// From when on a CNP may be sent, and whether a marked packet waits for that.
    free: u64,
    armed: bool,
}

impl Receiver {
    /// A receiver without queue pairs that leaves so many clocks between two CNPs of one.
    pub fn new(notifies: u64) -> Self {
        Receiver { notifies, ..Receiver::default() }
    }

    /// A queue pair that is connected to `sender`.
    pub fn connect(&mut self, sender: &Sender) {
        let expected = Expected {
            peer: (sender.hosts.0, sender.local),
            us: sender.hosts.1,
            psn: psn(sender.first),
            refused: false,
            bytes: 0,
            free: 0,
            armed: false,
        };
        self.pairs.insert(sender.remote, expected);
    }

    /// Bytes of frames that a queue pair took in order.
    pub fn bytes(&self, pair: u32) -> u64 {
        self.pairs[&pair].bytes
    }

    /// A frame arrives at clock `clk`; the CNP that it brings about, if any. A marked packet is
    /// answered at once, those of the period after a CNP by one at the next packet behind it.
    pub fn notify(&mut self, clk: u64, frame: &[u8]) -> Option<Vec<u8>> {
        let h = check(frame).expect("a frame as it was sent");
        let e = self.pairs.get_mut(&h.queue_pair).expect("a queue pair");
        e.armed |= self.notifies != 0 && h.tos & 3 == 3;
        if !e.armed || clk < e.free {
            return None;
        }
        (e.armed, e.free) = (false, clk + self.notifies);
        self.notified += 1;
        let bth = Bth { opcode: opcode::CNP, queue_pair: e.peer.1, congestion: 0x40, partition_key: 0xffff, ..Bth::default() };
        Some(bth.frame(&envelope(e.us, e.peer.0, 0xd000), &Extension::default(), &[]))
    }

    /// A frame arrives; the answer to it.
    pub fn receive(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let h = check(frame).expect("a frame as it was sent");
        let Layout { kind, .. } = layout(h.opcode);
        assert_eq!(kind, Kind::Data, "only data go this way");
        let e = self.pairs.get_mut(&h.queue_pair).expect("a queue pair");
        let ahead = h.psn.wrapping_sub(e.psn) & PSN;
        let (syndrome, number) = if ahead == 0 {
            e.bytes += u64::from(timely_regs::link::wire_bytes(frame.len() as u32));
            (e.psn, e.refused) = ((e.psn + 1) & PSN, false);
            (0x1f, h.psn)
        } else if ahead < 1 << 23 {
            // A gap is told once, with the packet that is missing.
            if std::mem::replace(&mut e.refused, true) {
                return None;
            }
            (0x60, e.psn)
        } else {
            // A duplicate is acknowledged with the newest packet.
            (0x1f, e.psn.wrapping_sub(1) & PSN)
        };
        if syndrome == 0x1f && !h.ack_request {
            return None;
        }
        let bth = Bth { opcode: opcode::ACK, queue_pair: e.peer.1, psn: number, partition_key: 0xffff, ..Bth::default() };
        Some(bth.frame(&envelope(e.us, e.peer.0, 0xd000), &Extension { syndrome, ..Extension::default() }, &[]))
    }
}
