//! Responder: answers the last packet of a segment, without software.
mod allow;
mod loss;
mod share;
pub mod words;

pub use allow::Allow;
pub use loss::Table;
pub use share::Share;

use crate::bus::{AxisOut, ReportIn, StoreWriteIn};
use crate::constant::Const;
use crate::fifo::HeldFifo;
use crate::frame::Frame;
use crate::ram::LutRam;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::wire::VERSION;
use words::{Bytes8, ClassBits, Draft, Head4, Head6, Ours, Ports, TaggedHead4, TaggedHead6, Wire16};

/// Addresses of a report, each compared with one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Checks {
    /// To our MAC, no group address at either end, and not from our MAC.
    stations: Bit,
    /// To our address: IPv4; IPv6, half of it each.
    to4: Bit,
    to6_low: Bit,
    to6_high: Bit,
    /// The destination is not 0.
    named: Bit,
    /// From our address: IPv4; IPv6, half of it each.
    from4: Bit,
    from6_low: Bit,
    from6_high: Bit,
    /// From our IPv4 network's broadcast.
    broadcast: Bit,
    /// From 0.0.0.0/8 or 127.0.0.0/8.
    nobody4: Bit,
    /// From :: or ::1, half of it each.
    nobody6_low: Bit,
    nobody6_high: Bit,
    port: Bit,
    vlan: Bit,
}

/// Turns the parser's reports of last data packets into ACK frames for a bus of `W` bits (`K` must
/// be `W / 8`).
///
/// An ACK goes back where the packet came from (addresses and ports swapped, same VLAN tag, same IP
/// version) and repeats the packet's ids; it adds TTL and ECN bits as received, the arrival stamp,
/// and as departure stamp `now` at the clock at which it enters the frame builder. It has the
/// packet's headers and no payload, so it is never longer than what it answers.
///
/// Answered is what is addressed to us: own MAC, own IP address (0 is none), own UDP port as
/// destination, own VLAN; from a unicast address that may be a host's and is not ours. All else
/// counts as `AckRefusedAddress`: a group address at either end (MAC with the group bit, IPv4 from
/// 224.0.0.0 on, IPv6 `ff00::/8`), a source that is our MAC or IP address, our IPv4 network's
/// broadcast, in 0.0.0.0/8 or 127.0.0.0/8, `::` or `::1`. A source outside the allow list counts as
/// `AckRefusedPeer`; as `AcksDropped` an ACK that finds 32 waiting, as `AckShareExceeded` one that
/// finds the share of the line used up (see [`Share`]), as `AcksDisabled` what would be answered if
/// that were enabled. An ACK, whatever its kind says, is not answered and not counted. `AcksSent`
/// counts an ACK when its first beat is offered.
///
/// Latency: 13 clocks from `i_valid` to the first beat on an idle output; the departure stamp is
/// taken 6 clocks before that beat. A write of the allow list counts 3 clocks later, `cfg_prefix4`
/// one. Throughput: a report every clock goes in; frames leave back to back. Back pressure: ACKs
/// wait in the builder (8), then in the queue (32 and 2); reports are never held up. Model:
/// `timely_model::ack::Ack`.
#[derive(LogicBlock, Default)]
pub struct Ack<const W: usize, const K: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Answers are wanted at all.
    pub cfg_ack_enable: Signal<In, Bit>,
    /// Our MAC, byte 0 in the low bits.
    pub cfg_mac: Signal<In, Bits<48>>,
    /// TOS or traffic class of ACKs.
    pub cfg_ack_tos: Signal<In, Bits<8>>,
    /// TTL or hop limit of ACKs.
    pub cfg_ack_ttl: Signal<In, Bits<8>>,
    /// Own IPv4 address, byte 0 in the low bits.
    pub cfg_ipv4: Signal<In, Bits<32>>,
    /// Own IPv6 address, byte 0 in the low bits.
    pub cfg_ipv6: Signal<In, Bits<128>>,
    /// Bits of the own IPv4 network's prefix.
    pub cfg_prefix4: Signal<In, Bits<6>>,
    /// Own UDP port.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// Own VLAN; 0 for frames without a tag, or with one of VLAN 0.
    pub cfg_vlan: Signal<In, Bits<12>>,
    /// Wire bytes of ACKs a clock, Q8.24.
    pub cfg_ack_rate: Signal<In, Bits<32>>,
    /// A word of the registers' store is written: the allow list's, or any.
    pub st: StoreWriteIn,
    /// Time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A frame was parsed. Its length is not looked at: no frame of ours is shorter than its ACK.
    pub i: ReportIn,
    /// ACK frames.
    pub m: AxisOut<W, K>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<64>>,
    sent_bit: Const<Bits<64>>,
    peer_bit: Const<Bits<64>>,
    address_bit: Const<Bits<64>>,
    dropped_bit: Const<Bits<64>>,
    share_bit: Const<Bits<64>>,
    disabled_bit: Const<Bits<64>>,
    incomplete_bit: Const<Bits<64>>,
    skipped_bit: Const<Bits<64>>,
    unknown_bit: Const<Bits<64>>,
    nth: [Const<Bits<3>>; 4],
    /// The first byte of our header; the parser knows no other.
    version: Const<Bits<8>>,
    /// Drafts, in block RAM: 620 bits in LUTs take an area whose ends are too far from each other.
    queue: HeldFifo<620, 5, 6>,
    frame: Frame<W, K, 1>,
    /// A data packet; its segment's last.
    data: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    disabled1: DFF<Bit>,
    v1: DFF<Bit>,
    mine1: DFF<Bit>,
    group1: DFF<Bit>,
    r1: DFF<Draft>,
    allow: Allow,
    losses: Table,
    share: Share,
    // The own network's broadcast address.
    partial: Signal<Local, Bits<8>>,
    hosts: [Signal<Local, Bits<8>>; 4],
    broadcast: DFF<Bits<32>>,
    source: Signal<Local, Bits<128>>,
    destination: Signal<Local, Bits<128>>,
    vlan: Signal<Local, Bits<12>>,
    v2: DFF<Bit>,
    r2: DFF<Draft>,
    checks: DFF<Checks>,
    c: Signal<Local, Checks>,
    to_us: Signal<Local, Bit>,
    strange: Signal<Local, Bit>,
    addressed: Signal<Local, Bit>,
    v3: DFF<Bit>,
    last3: Signal<Local, Bit>,
    last2: Signal<Local, Bit>,
    r3: DFF<Draft>,
    address3: DFF<Bit>,
    peer3: DFF<Bit>,
    bytes: Signal<Local, Bits<8>>,
    taken: Signal<Local, Bit>,
    dropped4: DFF<Bit>,
    exceeds4: DFF<Bit>,
    // The answer about lost packets is known three clocks after the ACK went into the queue. A RAM
    // of its own holds it at the ACK's place in the order, and an ACK waits for it; 34 ACKs wait at
    // most. The oldest answer and "there is one" are registers: both go far, into the builder's
    // checksums and to the read enable of the queue.
    taken4: DFF<Bit>,
    taken5: DFF<Bit>,
    taken6: DFF<Bit>,
    said: LutRam<Bits<8>, 6>,
    said_at: DFF<Bits<6>>,
    // The place behind the oldest answer.
    behind: DFF<Bits<6>>,
    told: DFF<Bit>,
    loss: DFF<Bits<8>>,
    one: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    incomplete7: DFF<Bit>,
    skipped7: DFF<Bit>,
    unknown7: DFF<Bit>,
    a: Signal<Local, Draft>,
    departure: Signal<Local, Bytes8>,
    // Views of the packet's headers, by class.
    head4: Signal<Local, Head4>,
    tagged4: Signal<Local, TaggedHead4>,
    head6: Signal<Local, Head6>,
    tagged6: Signal<Local, TaggedHead6>,
    ours: Signal<Local, Ours>,
    answer: Signal<Local, Ours>,
    i_kinds: Signal<Local, ClassBits>,
    o_kinds: Signal<Local, ClassBits>,
    mac_to: Signal<Local, Bits<48>>,
    mac_from: Signal<Local, Bits<48>>,
    source4: Signal<Local, Bits<32>>,
    destination4: Signal<Local, Bits<32>>,
    source6: Signal<Local, Bits<128>>,
    destination6: Signal<Local, Bits<128>>,
    tci1: Signal<Local, Wire16>,
    tci: Signal<Local, Wire16>,
    tci_low: Signal<Local, Bits<8>>,
    ports1: Signal<Local, Ports>,
    port1: Signal<Local, Wire16>,
    ports: Signal<Local, Ports>,
    from_port: Signal<Local, Wire16>,
    to_port: Signal<Local, Wire16>,
    own_port: Signal<Local, Wire16>,
    arrived: Signal<Local, Bytes8>,
    arrival: Signal<Local, Bytes8>,
    clock_bytes: Signal<Local, Bytes8>,
}

impl<const W: usize, const K: usize> Ack<W, K> {
    /// The block with its constants.
    pub fn new() -> Self {
        let bit = |c: Counter| Const::new(bits::<64>(1 << c as u64));
        Self {
            sent_bit: bit(Counter::AcksSent),
            peer_bit: bit(Counter::AckRefusedPeer),
            address_bit: bit(Counter::AckRefusedAddress),
            dropped_bit: bit(Counter::AcksDropped),
            share_bit: bit(Counter::AckShareExceeded),
            disabled_bit: bit(Counter::AcksDisabled),
            incomplete_bit: bit(Counter::SegmentsIncomplete),
            skipped_bit: bit(Counter::SegmentsSkipped),
            unknown_bit: bit(Counter::LossUnknown),
            nth: std::array::from_fn(|i| Const::new(bits::<3>(i as u64))),
            version: Const::new(bits::<8>(VERSION.into())),
            allow: Allow::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for Ack<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, disabled1, v1, mine1, group1, r1, broadcast, v2, r2, checks, v3, r3, address3, peer3, dropped4, exceeds4);
        dff_setup!(self, clk, taken4, taken5, taken6, said_at, behind, told, loss, incomplete7, skipped7, unknown7);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.frame.clk.next = self.clk.val();
        self.frame.rst.next = self.rst.val();
        self.allow.clk.next = self.clk.val();
        self.allow.rst.next = self.rst.val();
        self.losses.clk.next = self.clk.val();
        self.losses.rst.next = self.rst.val();
        self.said.clock.next = self.clk.val();
        self.share.clk.next = self.clk.val();
        self.share.rst.next = self.rst.val();

        // 0: the fields of the headers, by class.
        self.ours.next = self.i.hdr.val().into();
        self.data.next = self.i.valid.val() & (self.i.kind.val() == bits::<2>(1)) & !self.ours.val().ack;
        self.asks.next = self.data.val() & self.ours.val().last;
        self.v1.d.next = self.data.val() & self.cfg_ack_enable.val();
        self.disabled1.d.next = self.asks.val() & !self.cfg_ack_enable.val();
        self.arrived.next = self.i.ts.val().into();
        self.arrival.next.b0 = self.arrived.val().b7;
        self.arrival.next.b1 = self.arrived.val().b6;
        self.arrival.next.b2 = self.arrived.val().b5;
        self.arrival.next.b3 = self.arrived.val().b4;
        self.arrival.next.b4 = self.arrived.val().b3;
        self.arrival.next.b5 = self.arrived.val().b2;
        self.arrival.next.b6 = self.arrived.val().b1;
        self.arrival.next.b7 = self.arrived.val().b0;
        self.head4.next = self.i.head.val().into();
        self.tagged4.next = self.i.head.val().into();
        self.head6.next = self.i.head.val().into();
        self.tagged6.next = self.i.head.val().into();
        self.i_kinds.next = self.i.class.val().into();
        self.mac_to.next = self.head4.val().destination_mac;
        self.mac_from.next = self.head4.val().source_mac;
        self.mine1.d.next = self.mac_to.val() == self.cfg_mac.val();
        self.source4.next = self.head4.val().source;
        self.destination4.next = self.head4.val().destination;
        self.source6.next = self.head6.val().source;
        self.destination6.next = self.head6.val().destination;
        if self.i_kinds.val().vlan {
            self.source4.next = self.tagged4.val().source;
            self.destination4.next = self.tagged4.val().destination;
            self.source6.next = self.tagged6.val().source;
            self.destination6.next = self.tagged6.val().destination;
        }
        if self.i.valid.val() {
            self.r1.d.next.first = self.ours.val().first;
            self.r1.d.next.last = self.ours.val().last;
            self.r1.d.next.ack = self.ours.val().ack;
            self.r1.d.next.read = self.ours.val().read;
            self.r1.d.next.undefined = self.ours.val().undefined;
            self.r1.d.next.ids = self.ours.val().ids;
            self.r1.d.next.amounts = self.ours.val().amounts;
            self.r1.d.next.source_mac = self.mac_from.val();
            self.r1.d.next.arrival = self.arrival.val().into();
            self.r1.d.next.tci = self.tagged4.val().tci;
            self.r1.d.next.vlan = self.i_kinds.val().vlan;
            self.r1.d.next.ipv6 = self.i_kinds.val().ipv6;
            if self.i_kinds.val().ipv6 {
                self.r1.d.next.source = self.source6.val();
                self.r1.d.next.destination = self.destination6.val();
                self.r1.d.next.ports = self.head6.val().ports;
                self.r1.d.next.ttl = self.head6.val().ttl;
                self.r1.d.next.ecn = self.head6.val().ecn;
                if self.i_kinds.val().vlan {
                    self.r1.d.next.ports = self.tagged6.val().ports;
                    self.r1.d.next.ttl = self.tagged6.val().ttl;
                    self.r1.d.next.ecn = self.tagged6.val().ecn;
                }
                // ff00::/8.
                self.group1.d.next = (self.mac_to.val().get_bit(0) | self.mac_from.val().get_bit(0))
                    | (self.source6.val().get_bits::<8>(0).all() | self.destination6.val().get_bits::<8>(0).all());
            } else {
                self.r1.d.next.source = bit_cast::<128, 32>(self.source4.val());
                self.r1.d.next.destination = bit_cast::<128, 32>(self.destination4.val());
                self.r1.d.next.ports = self.head4.val().ports;
                self.r1.d.next.ttl = self.head4.val().ttl;
                self.r1.d.next.ecn = self.head4.val().ecn;
                if self.i_kinds.val().vlan {
                    self.r1.d.next.ports = self.tagged4.val().ports;
                    self.r1.d.next.ttl = self.tagged4.val().ttl;
                    self.r1.d.next.ecn = self.tagged4.val().ecn;
                }
                // 224.0.0.0/3.
                self.group1.d.next = (self.mac_to.val().get_bit(0) | self.mac_from.val().get_bit(0))
                    | (self.source4.val().get_bits::<3>(5).all() | self.destination4.val().get_bits::<3>(5).all());
            }
        }

        // The host bits of the own network, all ones; of a prefix of 31 or 32 bits none.
        match self.cfg_prefix4.val().get_bits::<3>(0).index() {
            0 => {
                self.partial.next = bits::<8>(0xff);
            }
            1 => {
                self.partial.next = bits::<8>(0x7f);
            }
            2 => {
                self.partial.next = bits::<8>(0x3f);
            }
            3 => {
                self.partial.next = bits::<8>(0x1f);
            }
            4 => {
                self.partial.next = bits::<8>(0x0f);
            }
            5 => {
                self.partial.next = bits::<8>(0x07);
            }
            6 => {
                self.partial.next = bits::<8>(0x03);
            }
            _ => {
                self.partial.next = bits::<8>(0x01);
            }
        }
        for i in 0..4 {
            self.hosts[i].next = bits::<8>(0);
            if self.cfg_prefix4.val().get_bits::<3>(3) < self.nth[i].val() {
                self.hosts[i].next = bits::<8>(0xff);
            }
            if self.cfg_prefix4.val().get_bits::<3>(3) == self.nth[i].val() {
                self.hosts[i].next = self.partial.val();
            }
            if self.cfg_prefix4.val() >= bits::<6>(31) {
                self.hosts[i].next = bits::<8>(0);
            }
        }
        self.broadcast.d.next = self.cfg_ipv4.val()
            | ((bit_cast::<32, 8>(self.hosts[3].val()) << 24)
                | (bit_cast::<32, 8>(self.hosts[2].val()) << 16)
                | (bit_cast::<32, 8>(self.hosts[1].val()) << 8)
                | bit_cast::<32, 8>(self.hosts[0].val()));

        // 1: each comparison by itself.
        self.source.next = self.r1.q.val().source;
        self.destination.next = self.r1.q.val().destination;
        StoreWriteIn::link(&mut self.st, &mut self.allow.st);
        self.allow.valid.next = self.v1.q.val();
        self.allow.source.next = self.source.val();
        self.allow.ipv6.next = self.r1.q.val().ipv6;
        self.losses.valid.next = self.v1.q.val();
        self.losses.source.next = self.source.val();
        self.losses.ids.next = self.r1.q.val().ids;
        self.losses.first.next = self.r1.q.val().first;
        self.losses.last.next = self.r1.q.val().last;
        self.vlan.next = bits::<12>(0);
        self.tci1.next = self.r1.q.val().tci.into();
        self.tci_low.next = self.tci1.val().high;
        if self.r1.q.val().vlan {
            self.vlan.next = (bit_cast::<12, 4>(self.tci_low.val().get_bits::<4>(0)) << 8) | bit_cast::<12, 8>(self.tci1.val().low);
        }
        self.ports1.next = self.r1.q.val().ports.into();
        self.port1.next = self.ports1.val().destination;
        // The setting is a number, with its lower byte lowest.
        self.own_port.next = self.cfg_udp_port.val().into();
        self.v2.d.next = self.v1.q.val();
        self.r2.d.next = self.r1.q.val();
        if self.v1.q.val() {
            self.checks.d.next.stations = (self.mine1.q.val() & !self.group1.q.val()) & (self.r1.q.val().source_mac != self.cfg_mac.val());
            self.checks.d.next.to4 = self.destination.val().get_bits::<32>(0) == self.cfg_ipv4.val();
            self.checks.d.next.named = self.destination.val().any();
            self.checks.d.next.from4 = self.source.val().get_bits::<32>(0) == self.cfg_ipv4.val();
            self.checks.d.next.to6_low = self.destination.val().get_bits::<64>(0) == self.cfg_ipv6.val().get_bits::<64>(0);
            self.checks.d.next.to6_high = self.destination.val().get_bits::<64>(64) == self.cfg_ipv6.val().get_bits::<64>(64);
            self.checks.d.next.from6_low = self.source.val().get_bits::<64>(0) == self.cfg_ipv6.val().get_bits::<64>(0);
            self.checks.d.next.from6_high = self.source.val().get_bits::<64>(64) == self.cfg_ipv6.val().get_bits::<64>(64);
            // Bit 120 is that of ::1.
            self.checks.d.next.nobody6_low = !self.source.val().get_bits::<64>(0).any();
            self.checks.d.next.nobody6_high = !self.source.val().get_bits::<56>(64).any() & !self.source.val().get_bits::<7>(121).any();
            self.checks.d.next.broadcast = self.source.val().get_bits::<32>(0) == self.broadcast.q.val();
            self.checks.d.next.nobody4 =
                (self.source.val().get_bits::<8>(0) == bits::<8>(0)) | (self.source.val().get_bits::<8>(0) == bits::<8>(127));
            self.checks.d.next.port =
                (self.port1.val().high == self.own_port.val().low) & (self.port1.val().low == self.own_port.val().high);
            self.checks.d.next.vlan = self.vlan.val() == self.cfg_vlan.val();
        }

        // 2: may it be answered? The address speaks before the peer does.
        self.c.next = self.checks.q.val();
        if self.r2.q.val().ipv6 {
            self.to_us.next = self.c.val().to6_low & self.c.val().to6_high;
            self.strange.next = (self.c.val().from6_low & self.c.val().from6_high) | (self.c.val().nobody6_low & self.c.val().nobody6_high);
        } else {
            self.to_us.next = self.c.val().to4;
            self.strange.next = (self.c.val().from4 | self.c.val().broadcast) | self.c.val().nobody4;
        }
        self.addressed.next = ((self.to_us.val() & self.c.val().named) & (self.c.val().port & self.c.val().vlan))
            & (self.c.val().stations & !self.strange.val());
        self.r3.d.next = self.r2.q.val();
        self.v3.d.next = (self.v2.q.val() & self.addressed.val()) & self.allow.allowed.val();
        self.last2.next = self.v2.q.val() & self.r2.q.val().last;
        self.address3.d.next = self.last2.val() & !self.addressed.val();
        self.peer3.d.next = (self.last2.val() & self.addressed.val()) & !self.allow.allowed.val();

        // 3: into the queue, as far as the share of the line goes; and from its end into the
        // builder.
        if self.r3.q.val().ipv6 {
            self.bytes.next = bits::<8>(134);
            if self.r3.q.val().vlan {
                self.bytes.next = bits::<8>(138);
            }
        } else {
            self.bytes.next = bits::<8>(114);
            if self.r3.q.val().vlan {
                self.bytes.next = bits::<8>(118);
            }
        }
        self.share.rate.next = self.cfg_ack_rate.val();
        self.share.bytes.next = self.bytes.val();
        self.last3.next = self.v3.q.val() & self.r3.q.val().last;
        self.taken.next = (self.last3.val() & self.queue.i_ready.val()) & self.share.enough.val();
        self.share.take.next = self.taken.val();
        self.queue.i_valid.next = self.taken.val();
        self.queue.i_data.next = self.r3.q.val().into();
        self.dropped4.d.next = self.last3.val() & !self.queue.i_ready.val();
        self.exceeds4.d.next = (self.last3.val() & self.queue.i_ready.val()) & !self.share.enough.val();
        self.leaves.next = (self.queue.o_valid.val() & self.frame.i_ready.val()) & self.told.q.val();
        self.queue.o_ready.next = self.frame.i_ready.val() & self.told.q.val();
        self.losses.welcome.next = self.v3.q.val();
        self.losses.epoch.next = self.now.val().get_bits::<2>(46);
        self.taken4.d.next = self.taken.val();
        self.taken5.d.next = self.taken4.q.val();
        self.taken6.d.next = self.taken5.q.val();
        self.said.write_enable.next = self.taken6.q.val();
        self.said.write_address.next = self.said_at.q.val();
        self.said.write_data.next = self.losses.loss.val();
        if self.taken6.q.val() {
            self.said_at.d.next = self.said_at.q.val() + bits::<6>(1);
        }
        self.said.read_address.next = self.behind.q.val();
        self.one.next = self.said_at.q.val() == self.behind.q.val();
        self.told.d.next = self.taken6.q.val() | (self.told.q.val() & !(self.one.val() & self.leaves.val()));
        if self.leaves.val() {
            self.behind.d.next = self.behind.q.val() + bits::<6>(1);
            self.loss.d.next = self.said.read_data.val();
            if self.one.val() {
                self.loss.d.next = self.losses.loss.val();
            }
        } else if !self.told.q.val() {
            self.loss.d.next = self.losses.loss.val();
        }
        self.incomplete7.d.next = self.taken6.q.val() & self.losses.loss.val().get_bit(7);
        self.skipped7.d.next = self.taken6.q.val() & self.losses.loss.val().get_bits::<6>(0).any();
        self.unknown7.d.next = self.taken6.q.val() & !self.losses.loss.val().any();
        self.frame.i_valid.next = self.queue.o_valid.val() & self.told.q.val();
        self.a.next = self.queue.o_data.val().into();
        self.o_kinds.next.vlan = self.a.val().vlan;
        self.o_kinds.next.ipv6 = self.a.val().ipv6;
        self.frame.i_class.next = self.o_kinds.val().into();
        self.frame.i_dst_mac.next = self.a.val().source_mac;
        self.frame.i_src_mac.next = self.cfg_mac.val();
        self.tci.next = self.a.val().tci.into();
        self.frame.i_vlan.next = (bit_cast::<16, 8>(self.tci.val().high) << 8) | bit_cast::<16, 8>(self.tci.val().low);
        self.frame.i_tos.next = self.cfg_ack_tos.val();
        self.frame.i_ttl.next = self.cfg_ack_ttl.val();
        self.frame.i_src_ip.next = self.a.val().destination;
        self.frame.i_dst_ip.next = self.a.val().source;
        self.ports.next = self.a.val().ports.into();
        self.from_port.next = self.ports.val().destination;
        self.to_port.next = self.ports.val().source;
        self.frame.i_src_port.next = (bit_cast::<16, 8>(self.from_port.val().high) << 8) | bit_cast::<16, 8>(self.from_port.val().low);
        self.frame.i_dst_port.next = (bit_cast::<16, 8>(self.to_port.val().high) << 8) | bit_cast::<16, 8>(self.to_port.val().low);
        self.clock_bytes.next = self.now.val().into();
        self.departure.next.b0 = self.clock_bytes.val().b7;
        self.departure.next.b1 = self.clock_bytes.val().b6;
        self.departure.next.b2 = self.clock_bytes.val().b5;
        self.departure.next.b3 = self.clock_bytes.val().b4;
        self.departure.next.b4 = self.clock_bytes.val().b3;
        self.departure.next.b5 = self.clock_bytes.val().b2;
        self.departure.next.b6 = self.clock_bytes.val().b1;
        self.departure.next.b7 = self.clock_bytes.val().b0;
        // FIRST and READ as they came; ACK and LAST.
        self.answer.next = bits::<384>(0).into();
        self.answer.next.version = self.version.val();
        self.answer.next.first = self.a.val().first;
        self.answer.next.last = true;
        self.answer.next.ack = true;
        self.answer.next.read = self.a.val().read;
        self.answer.next.ids = self.a.val().ids;
        self.answer.next.amounts = self.a.val().amounts;
        self.answer.next.ttl_seen = self.a.val().ttl;
        self.answer.next.ecn_seen = self.a.val().ecn;
        self.answer.next.loss = self.loss.q.val();
        self.answer.next.arrival = self.a.val().arrival;
        self.answer.next.departure = self.departure.val().into();
        self.frame.i_hdr.next = self.answer.val().into();
        self.frame.i_payload.next = bits::<14>(0);
        self.frame.i_side.next = bits::<1>(0);

        self.m.tdata.next = self.frame.m.tdata.val();
        self.m.tkeep.next = self.frame.m.tkeep.val();
        self.m.tvalid.next = self.frame.m.tvalid.val();
        self.m.tlast.next = self.frame.m.tlast.val();
        self.frame.m.tready.next = self.m.tready.val();
        self.pulses.next = bits::<64>(0);
        if self.frame.m_start.val() {
            self.pulses.next = self.sent_bit.val();
        }
        if self.peer3.q.val() {
            self.pulses.next = self.pulses.val() | self.peer_bit.val();
        }
        if self.address3.q.val() {
            self.pulses.next = self.pulses.val() | self.address_bit.val();
        }
        if self.dropped4.q.val() {
            self.pulses.next = self.pulses.val() | self.dropped_bit.val();
        }
        if self.exceeds4.q.val() {
            self.pulses.next = self.pulses.val() | self.share_bit.val();
        }
        if self.incomplete7.q.val() {
            self.pulses.next = self.pulses.val() | self.incomplete_bit.val();
        }
        if self.skipped7.q.val() {
            self.pulses.next = self.pulses.val() | self.skipped_bit.val();
        }
        if self.unknown7.q.val() {
            self.pulses.next = self.pulses.val() | self.unknown_bit.val();
        }
        if self.disabled1.q.val() {
            self.pulses.next = self.pulses.val() | self.disabled_bit.val();
        }
        if self.rst.val() {
            self.v1.d.next = false;
            self.v2.d.next = false;
            self.v3.d.next = false;
            self.address3.d.next = false;
            self.peer3.d.next = false;
            self.dropped4.d.next = false;
            self.exceeds4.d.next = false;
            self.disabled1.d.next = false;
            self.taken4.d.next = false;
            self.taken5.d.next = false;
            self.taken6.d.next = false;
            self.said_at.d.next = bits::<6>(0);
            self.behind.d.next = bits::<6>(1);
            self.told.d.next = false;
            self.incomplete7.d.next = false;
            self.skipped7.d.next = false;
            self.unknown7.d.next = false;
        }
    }
}
