//! Marks that a NIC answers in its host's place, and those that it must not: of strangers, of
//! forgers, and of frames that a switch floods to all its ports.
use super::node::{BUS, FLOW_BITS, mapped, prepare};
use super::table::command;
use super::world::{FORGERIES, GROUP4, GROUP6, between_classes, forged};
use std::net::Ipv4Addr;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, beats};
use timely_regs::counters::Counter;
use timely_regs::map::roce;
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, opcode};
use timely_regs::wire::Envelope;
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};
use timely_tests::nic::{HOST, build, counters};

const PEER: u16 = 2;
const NONE: [Vec<u8>; 0] = [];
/// Queue pair of the host, and of its peer.
const LOCAL: u32 = 0x12;
const REMOTE: u32 = 0x34_5678;
/// Partition of both; the peer is a limited member.
const PARTITION: u16 = 0x1234;
/// Clocks of 4 ns between two packets of a flood.
const SPACING: u64 = 40;
/// Packets of a flood, of which the first of each 25 comes when the interval has ended.
const FLOOD: usize = 500;
const EACH: usize = 25;
const INTERVAL_NS: u32 = 3_900;
/// Clocks in which a mark is answered, and from that mark to the interval's end.
const ANSWERED: u64 = 300;
const INTERVAL: u64 = INTERVAL_NS as u64 / 4 + ANSWERED;
/// Expedited forwarding, in place of the class of the register's reset value.
const TOS: u8 = 46 << 2;

struct Point {
    nic: Inline<Model>,
    leaving: Assembler,
}

impl Point {
    /// A NIC that notifies, and whose pair is joined for the peer and for groups of hosts.
    fn new() -> Self {
        let line = Parameters { outstanding_bytes: 0, ..Parameters::fixed(10_000.0) };
        let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &line, 10.0, 0);
        for at in [mapped(PEER), address::ipv6(PEER), Ipv4Addr::from(GROUP4).to_ipv6_mapped().octets(), GROUP6] {
            let done = command(&mut nic, at, REMOTE, Some(LOCAL), roce::SET);
            assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
        }
        let reset = nic.read32(roce::NOTIFY_TOS.address()).expect("a register");
        assert_ne!(reset, u32::from(TOS), "a class of its own");
        for (register, value) in [(roce::NOTIFY_INTERVAL, INTERVAL_NS), (roce::NOTIFY_TOS, TOS.into()), (roce::NOTIFY, 1)] {
            nic.write32(register.address(), value).expect("a register");
        }
        Point { nic, leaving: Assembler::default() }
    }

    /// A packet to pair `pair` arrives marked; the frames that leave in so many clocks.
    fn mark(&mut self, envelope: &Envelope, pair: u32, clocks: u64) -> Vec<Vec<u8>> {
        self.packet(&Envelope { tos: 3, ..*envelope }, pair, clocks)
    }

    fn packet(&mut self, envelope: &Envelope, pair: u32, clocks: u64) -> Vec<Vec<u8>> {
        let bth = Bth { opcode: opcode::SEND_ONLY, queue_pair: pair, partition_key: PARTITION, ..Bth::default() };
        let frame = bth.frame(envelope, &Extension::default(), &[7; 64]);
        let mut arriving = beats(&frame, BUS as usize);
        let mut left = Vec::new();
        for _ in 0..clocks {
            let wire = arriving.next().map(|b| (b, 0));
            let out = self.nic.drive(In { wire, wire_ready: true, host_ready: true, ..In::default() });
            left.extend(out.wire.and_then(|w| self.leaving.push(&w.beat)));
        }
        left
    }

    fn counted(&mut self) -> [u32; 2] {
        let all = counters(&mut self.nic);
        [Counter::NotificationsSent, Counter::MarksUnknown].map(|c| all[c as usize])
    }
}

/// The peer's packets to the host, and the notification that each calls for.
fn classes() -> [(Envelope, Vec<u8>); 4] {
    let bth = Bth { opcode: opcode::CNP, queue_pair: REMOTE, partition_key: PARTITION | 0x8000, congestion: 0x40, ..Bth::default() };
    let [there, back] = [(PEER, HOST), (HOST, PEER)].map(|(from, to)| between_classes(from, to));
    std::array::from_fn(|i| (there[i], bth.frame(&Envelope { tos: TOS, ..back[i] }, &Extension::default(), &[])))
}

/// However many marks of a pair that is not joined come, none is answered; of a joined pair one in
/// an interval is, and with the class that `NOTIFY_TOS` gives.
#[test]
fn a_flood_draws_one_notification_an_interval() {
    let mut point = Point::new();
    let [(peer, right), ..] = classes();
    let stranger = between_classes(PEER + 1, HOST)[0];
    for (envelope, pair) in [(stranger, LOCAL), (peer, LOCAL + 1)] {
        for n in 0..FLOOD {
            assert_eq!(point.mark(&envelope, pair, SPACING), NONE, "mark {n} of pair {pair:#x}");
        }
    }
    assert_eq!(point.counted(), [0, 2 * FLOOD as u32]);
    let mut answered = Vec::new();
    for n in 0..FLOOD {
        for frame in point.mark(&peer, LOCAL, SPACING) {
            assert_eq!(frame, right, "mark {n}");
            answered.push(n);
        }
    }
    println!("{FLOOD} marks, {SPACING} clocks apart: answers while {answered:?} came");
    assert_eq!(answered.len(), FLOOD / EACH);
    assert!(answered.windows(2).all(|w| w[1] - w[0] == EACH), "{answered:?}");
    assert_eq!(point.counted(), [(FLOOD / EACH) as u32, 2 * FLOOD as u32]);
}

/// A mark within the interval is answered when the interval has passed, by what comes then, marked
/// or not; and once.
#[test]
fn the_next_packet_draws_what_is_owed() {
    let mut point = Point::new();
    for (peer, right) in classes() {
        let plain = Envelope { tos: 2, ..peer };
        assert_eq!(point.packet(&plain, LOCAL, ANSWERED), NONE, "{peer:?}, nothing is owed");
        assert_eq!(point.mark(&peer, LOCAL, ANSWERED), std::slice::from_ref(&right), "{peer:?}");
        assert_eq!(point.mark(&peer, LOCAL, ANSWERED), NONE, "{peer:?}, within the interval");
        assert_eq!(point.packet(&plain, LOCAL, INTERVAL / 2), NONE, "{peer:?}, within the interval");
        let forger = Envelope { mac_destination: [2, 9, 9, 9, 9, 9], ..plain };
        assert_eq!(point.packet(&forger, LOCAL, ANSWERED), NONE, "{peer:?}, for another host");
        assert_eq!(point.packet(&plain, LOCAL, INTERVAL), std::slice::from_ref(&right), "{peer:?}, owed");
        assert_eq!(point.packet(&plain, LOCAL, INTERVAL), NONE, "{peer:?}, no longer owed");
    }
    assert_eq!(point.counted(), [8, 0]);
}

/// A frame for another host that a switch floods here, and one whose addresses no answer can have,
/// draw no notification; the peer's next mark is answered at once as if they had not come.
#[test]
fn forged_and_flooded_marks_draw_and_delay_nothing() {
    let mut point = Point::new();
    let mut wanted = [0, 0];
    for (peer, right) in classes() {
        for way in 0..FORGERIES {
            for _ in 0..3 {
                assert_eq!(point.mark(&forged(peer, way), LOCAL, ANSWERED), NONE, "forgery {way} of {peer:?}");
                wanted[1] += 1;
            }
            assert_eq!(point.mark(&peer, LOCAL, ANSWERED), std::slice::from_ref(&right), "behind forgery {way} of {peer:?}");
            wanted[0] += 1;
            assert_eq!(point.mark(&peer, LOCAL, INTERVAL), NONE, "the interval of {peer:?}");
        }
    }
    println!("{} notifications, {} marks that are not answered", wanted[0], wanted[1]);
    assert_eq!(point.counted(), wanted);
}
