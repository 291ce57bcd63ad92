//! From a frame's first 114 bytes and its length to RoCEv2's headers: `timely_regs::roce::check`
//! without its last step, which is the caller's.
use super::words::{Behind, Head4, Head6, Layout, Packet, Wire16, Wire24, Wire32};
use crate::constant::Const;
use crate::parse::HeaderSum;
use crate::ram::LutRam;
use crate::rom::Rom;
use rust_hdl::prelude::*;
use timely_regs::roce::{self, BTH_BYTES, ICRC_BYTES, PORT};
use timely_regs::wire::{Class, ethernet, ipv4, udp};

/// With `ended`, `head`, `stamp` and `bad` at clock `t`, `bytes` and `broken` at `t + 2`, and
/// `holds` at `t + 10`, gives the report at `t + 11`. The number in a register's name says how many
/// clocks after the frame's last beat it holds what belongs to it.
#[derive(LogicBlock, Default)]
pub(super) struct Judge {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub ended: Signal<In, Bit>,
    pub head: Signal<In, Bits<912>>,
    pub stamp: Signal<In, Bits<64>>,
    pub bad: Signal<In, Bit>,
    pub bytes: Signal<In, Bits<17>>,
    pub broken: Signal<In, Bit>,
    /// The frame's check sequence is right.
    pub holds: Signal<In, Bit>,
    pub o_valid: Signal<Out, Bit>,
    pub o_kind: Signal<Out, Bits<3>>,
    pub o_reason: Signal<Out, Bits<3>>,
    pub o_packet: Signal<Out, Packet>,
    vlan: Const<Bits<16>>,
    ipv4: Const<Bits<16>>,
    ipv6: Const<Bits<16>>,
    plain: Const<Bits<8>>,
    protocol: Const<Bits<8>>,
    port: Const<Bits<16>>,
    /// By class: bytes in front of what the IP length counts, up to UDP's ports, and up to the
    /// least end of a packet.
    front: [Const<Bits<17>>; 4],
    ports: [Const<Bits<17>>; 4],
    least: [Const<Bits<17>>; 4],
    inside4: Const<Bits<17>>,
    least_udp: Const<Bits<17>>,
    sum: HeaderSum,
    layouts: Rom<Bits<11>, 8>,
    // 2
    end2: DFF<Bit>,
    bad2: DFF<Bit>,
    head2: DFF<Bits<912>>,
    stamp2: DFF<Bits<64>>,
    vlan2: DFF<Bit>,
    outer4: DFF<Bit>,
    outer6: DFF<Bit>,
    inner4: DFF<Bit>,
    inner6: DFF<Bit>,
    // 3: the IP header at its place
    end3: DFF<Bit>,
    bad3: DFF<Bit>,
    head3: DFF<Bits<608>>,
    stamp3: DFF<Bits<64>>,
    ether3: DFF<Bits<128>>,
    vlan3: DFF<Bit>,
    named3: DFF<Bit>,
    is6_3: DFF<Bit>,
    head4: Signal<Local, Head4>,
    head6: Signal<Local, Head6>,
    wire_length: Signal<Local, Wire16>,
    // 4: the headers behind it at theirs
    end4: DFF<Bit>,
    bad4: DFF<Bit>,
    behind4: DFF<Behind>,
    vlan4: DFF<Bit>,
    is6_4: DFF<Bit>,
    plain4: DFF<Bit>,
    protocol4: DFF<Bits<8>>,
    length4: DFF<Bits<17>>,
    tos4: DFF<Bits<8>>,
    source4: DFF<Bits<128>>,
    destination4: DFF<Bits<128>>,
    stamp4: DFF<Bits<64>>,
    ether4: DFF<Bits<128>>,
    bytes4: DFF<Bits<17>>,
    behind: Signal<Local, Behind>,
    ip_class: Signal<Local, Bits<2>>,
    wire_port: Signal<Local, Wire16>,
    wire_source: Signal<Local, Wire16>,
    wire_tci: Signal<Local, Wire16>,
    wire_udp: Signal<Local, Wire16>,
    udp_length: Signal<Local, Bits<17>>,
    wire_key: Signal<Local, Wire16>,
    wire_pair: Signal<Local, Wire24>,
    wire_psn: Signal<Local, Wire24>,
    wire_message: Signal<Local, Wire32>,
    front4: Signal<Local, Bits<17>>,
    ports4: Signal<Local, Bits<17>>,
    least4: Signal<Local, Bits<17>>,
    // 5
    end5: DFF<Bit>,
    bad5: DFF<Bit>,
    packet5: DFF<Packet>,
    here5: DFF<Bit>,
    ours5: DFF<Bit>,
    short5: DFF<Bit>,
    is6_5: DFF<Bit>,
    bytes5: DFF<Bits<17>>,
    promised5: DFF<Bits<17>>,
    length5: DFF<Bits<17>>,
    right5: DFF<Bits<17>>,
    udp5: DFF<Bits<17>>,
    version5: DFF<Bits<4>>,
    pad5: DFF<Bits<2>>,
    layout: Signal<Local, Layout>,
    packet: Signal<Local, Packet>,
    whole: Signal<Local, Packet>,
    // 6
    end6: DFF<Bit>,
    bad6: DFF<Bit>,
    foreign6: DFF<Bit>,
    cut6: DFF<Bit>,
    ip6: DFF<Bit>,
    spare6: DFF<Bits<17>>,
    extension6: DFF<Bits<6>>,
    padded6: DFF<Bit>,
    bare6: DFF<Bit>,
    version6: DFF<Bit>,
    kind6: DFF<Bits<3>>,
    // 7
    end7: DFF<Bit>,
    bad7: DFF<Bit>,
    foreign7: DFF<Bit>,
    cut7: DFF<Bit>,
    ip7: DFF<Bit>,
    payload7: DFF<Bits<17>>,
    wrong7: DFF<Bit>,
    bare7: DFF<Bit>,
    kind7: DFF<Bits<3>>,
    // 8 to 11
    end: [DFF<Bit>; 4],
    kind: [DFF<Bits<3>>; 4],
    reason: [DFF<Bits<3>>; 4],
    payload: [DFF<Bits<16>>; 4],
    transport: Signal<Local, Bit>,
    /// Headers wait here for the check sequence.
    delay: LutRam<Packet, 3>,
    write: DFF<Bits<3>>,
    packet11: DFF<Packet>,
    last: Signal<Local, Packet>,
    // 12
    end12: DFF<Bit>,
    kind12: DFF<Bits<3>>,
    reason12: DFF<Bits<3>>,
    packet12: DFF<Packet>,
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Const<Bits<16>> {
    Const::new(bits::<16>(x.swap_bytes().into()))
}

/// A number of bytes by class.
fn by_class(bytes: impl Fn(Class) -> usize) -> [Const<Bits<17>>; 4] {
    Class::ALL.map(|c| Const::new(bits::<17>(bytes(c) as u64)))
}

/// A word of the table of opcodes.
fn layout(code: u8) -> Bits<11> {
    let l = roce::layout(code);
    let flags = u64::from(l.bare) | u64::from(l.rdma) << 1 | u64::from(l.answers) << 2;
    bits::<11>(l.kind as u64 | (l.extension_bytes as u64) << 3 | flags << 8)
}

impl Judge {
    pub(super) fn new() -> Self {
        Self {
            vlan: swapped(ethernet::VLAN),
            ipv4: swapped(ethernet::IPV4),
            ipv6: swapped(ethernet::IPV6),
            plain: Const::new(bits::<8>(ipv4::PLAIN.into())),
            protocol: Const::new(bits::<8>(udp::PROTOCOL.into())),
            port: Const::new(bits::<16>(PORT.into())),
            front: by_class(|c| if c.ipv6 { c.udp() } else { c.ip() }),
            ports: by_class(|c| c.udp() + udp::DESTINATION + 2),
            least: by_class(|c| c.header() + BTH_BYTES + ICRC_BYTES),
            inside4: Const::new(bits::<17>(ipv4::BYTES as u64)),
            least_udp: Const::new(bits::<17>((udp::BYTES + BTH_BYTES + ICRC_BYTES) as u64)),
            layouts: Rom::new(|c| layout(c as u8)),
            ..Default::default()
        }
    }
}

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, end2, bad2, head2, stamp2, vlan2, outer4, outer6, inner4, inner6);
        dff_setup!(self, clk, end3, bad3, head3, stamp3, ether3, vlan3, named3, is6_3);
        dff_setup!(self, clk, end4, bad4, behind4, vlan4, is6_4, plain4, protocol4, length4, tos4, source4, destination4, stamp4, ether4);
        dff_setup!(self, clk, bytes4);
        dff_setup!(self, clk, end5, bad5, packet5, here5, ours5, short5, is6_5, bytes5, promised5, length5, right5, udp5, version5, pad5);
        dff_setup!(self, clk, end6, bad6, foreign6, cut6, ip6, spare6, extension6, padded6, bare6, version6, kind6);
        dff_setup!(self, clk, end7, bad7, foreign7, cut7, ip7, payload7, wrong7, bare7, kind7);
        dff_setup!(self, clk, write, packet11, end12, kind12, reason12, packet12);
        for i in 0..4 {
            self.end[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.reason[i].clock.next = self.clk.val();
            self.payload[i].clock.next = self.clk.val();
        }
        self.layouts.clock.next = self.clk.val();
        self.delay.clock.next = self.clk.val();
        self.sum.clk.next = self.clk.val();
        self.sum.words.next = self.head.val().get_bits::<192>(112);
        self.sum.has_tag.next = self.vlan2.q.val();
        // To 2: EtherTypes.
        self.end2.d.next = self.ended.val();
        self.bad2.d.next = self.bad.val();
        self.head2.d.next = self.head.val();
        self.stamp2.d.next = self.stamp.val();
        self.vlan2.d.next = self.head.val().get_bits::<16>(96) == self.vlan.val();
        self.outer4.d.next = self.head.val().get_bits::<16>(96) == self.ipv4.val();
        self.outer6.d.next = self.head.val().get_bits::<16>(96) == self.ipv6.val();
        self.inner4.d.next = self.head.val().get_bits::<16>(128) == self.ipv4.val();
        self.inner6.d.next = self.head.val().get_bits::<16>(128) == self.ipv6.val();
        // To 3: the IP header.
        self.end3.d.next = self.end2.q.val();
        self.bad3.d.next = self.bad2.q.val();
        self.stamp3.d.next = self.stamp2.q.val();
        self.ether3.d.next = self.head2.q.val().get_bits::<128>(0);
        self.vlan3.d.next = self.vlan2.q.val();
        self.head3.d.next = self.head2.q.val().get_bits::<608>(112);
        self.named3.d.next = self.outer4.q.val() | self.outer6.q.val();
        self.is6_3.d.next = self.outer6.q.val();
        if self.vlan2.q.val() {
            self.head3.d.next = self.head2.q.val().get_bits::<608>(144);
            self.named3.d.next = self.inner4.q.val() | self.inner6.q.val();
            self.is6_3.d.next = self.inner6.q.val();
        }
        // To 4: its fields, and the headers behind it.
        self.end4.d.next = self.end3.q.val();
        self.bad4.d.next = self.bad3.q.val() | self.broken.val() | self.bytes.val().get_bit(16);
        self.stamp4.d.next = self.stamp3.q.val();
        self.ether4.d.next = self.ether3.q.val();
        self.vlan4.d.next = self.vlan3.q.val();
        self.is6_4.d.next = self.is6_3.q.val();
        self.bytes4.d.next = self.bytes.val();
        self.head4.next = self.head3.q.val().into();
        self.head6.next = self.head3.q.val().into();
        if self.is6_3.q.val() {
            self.behind4.d.next = self.head6.val().behind.into();
            self.plain4.d.next = self.named3.q.val() & (self.head6.val().version == bits::<4>(6));
            self.protocol4.d.next = self.head6.val().protocol;
            self.wire_length.next = self.head6.val().length.into();
            self.tos4.d.next = (bit_cast::<8, 4>(self.head6.val().class_high) << 4) | bit_cast::<8, 4>(self.head6.val().class_low);
            self.source4.d.next = self.head6.val().source;
            self.destination4.d.next = self.head6.val().destination;
        } else {
            self.behind4.d.next = self.head4.val().behind.into();
            self.plain4.d.next = (self.named3.q.val() & (self.head4.val().version == self.plain.val()))
                & !((self.head4.val().offset_high.any() | self.head4.val().offset_low.any()) | self.head4.val().more);
            self.protocol4.d.next = self.head4.val().protocol;
            self.wire_length.next = self.head4.val().length.into();
            self.tos4.d.next = self.head4.val().tos;
            self.source4.d.next = bit_cast::<128, 32>(self.head4.val().source);
            self.destination4.d.next = bit_cast::<128, 32>(self.head4.val().destination);
        }
        self.length4.d.next = (bit_cast::<17, 8>(self.wire_length.val().high) << 8) | bit_cast::<17, 8>(self.wire_length.val().low);
        // To 5: numbers in the usual order, and sums.
        self.behind.next = self.behind4.q.val();
        self.layouts.address.next = self.behind.val().opcode;
        self.wire_port.next = self.behind.val().port.into();
        self.wire_udp.next = self.behind.val().length.into();
        self.wire_pair.next = self.behind.val().queue_pair.into();
        self.wire_psn.next = self.behind.val().psn.into();
        self.wire_message.next = self.behind.val().message_bytes.into();
        self.ip_class.next = bits::<2>(0);
        self.front4.next = self.front[0].val();
        self.ports4.next = self.ports[0].val();
        self.least4.next = self.least[0].val();
        if self.vlan4.q.val() {
            self.ip_class.next = bits::<2>(1);
            self.front4.next = self.front[1].val();
            self.ports4.next = self.ports[1].val();
            self.least4.next = self.least[1].val();
        }
        if self.is6_4.q.val() {
            self.ip_class.next = bits::<2>(2);
            self.front4.next = self.front[2].val();
            self.ports4.next = self.ports[2].val();
            self.least4.next = self.least[2].val();
            if self.vlan4.q.val() {
                self.ip_class.next = bits::<2>(3);
                self.front4.next = self.front[3].val();
                self.ports4.next = self.ports[3].val();
                self.least4.next = self.least[3].val();
            }
        }
        self.end5.d.next = self.end4.q.val();
        self.bad5.d.next = self.bad4.q.val();
        self.here5.d.next = self.bytes4.q.val() >= self.ports4.val();
        self.short5.d.next = self.bytes4.q.val() < self.least4.val();
        self.ours5.d.next = (self.plain4.q.val() & (self.protocol4.q.val() == self.protocol.val()))
            & (((bit_cast::<16, 8>(self.wire_port.val().high) << 8) | bit_cast::<16, 8>(self.wire_port.val().low)) == self.port.val());
        self.is6_5.d.next = self.is6_4.q.val();
        self.bytes5.d.next = self.bytes4.q.val();
        self.promised5.d.next = self.length4.q.val() + self.front4.val();
        self.length5.d.next = self.length4.q.val();
        self.udp_length.next = (bit_cast::<17, 8>(self.wire_udp.val().high) << 8) | bit_cast::<17, 8>(self.wire_udp.val().low);
        self.udp5.d.next = self.udp_length.val();
        self.right5.d.next = self.udp_length.val();
        if !self.is6_4.q.val() {
            self.right5.d.next = self.udp_length.val() + self.inside4.val();
        }
        self.version5.d.next = self.behind.val().version;
        self.pad5.d.next = self.behind.val().pad;
        self.packet.next.ip_class = self.ip_class.val();
        self.packet.next.source = self.source4.q.val();
        self.packet.next.destination = self.destination4.q.val();
        self.packet.next.bytes = self.bytes4.q.val().get_bits::<16>(0);
        self.packet.next.stamp = self.stamp4.q.val();
        self.packet.next.tos = self.tos4.q.val();
        self.packet.next.opcode = self.behind.val().opcode;
        self.packet.next.ack_request = self.behind.val().ack_request;
        self.wire_key.next = self.behind.val().partition_key.into();
        self.packet.next.partition_key = (bit_cast::<16, 8>(self.wire_key.val().high) << 8) | bit_cast::<16, 8>(self.wire_key.val().low);
        self.packet.next.queue_pair = ((bit_cast::<24, 8>(self.wire_pair.val().high) << 16)
            | (bit_cast::<24, 8>(self.wire_pair.val().middle) << 8))
            | bit_cast::<24, 8>(self.wire_pair.val().low);
        self.packet.next.psn = ((bit_cast::<24, 8>(self.wire_psn.val().high) << 16) | (bit_cast::<24, 8>(self.wire_psn.val().middle) << 8))
            | bit_cast::<24, 8>(self.wire_psn.val().low);
        self.packet.next.syndrome = self.behind.val().syndrome;
        self.packet.next.message_bytes = ((bit_cast::<32, 8>(self.wire_message.val().b3) << 24)
            | (bit_cast::<32, 8>(self.wire_message.val().b2) << 16))
            | ((bit_cast::<32, 8>(self.wire_message.val().b1) << 8) | bit_cast::<32, 8>(self.wire_message.val().b0));
        self.packet.next.payload_bytes = bits::<16>(0);
        self.packet.next.mac_destination = self.ether4.q.val().get_bits::<48>(0);
        self.packet.next.mac_source = self.ether4.q.val().get_bits::<48>(48);
        self.wire_tci.next = self.ether4.q.val().get_bits::<16>(112).into();
        self.packet.next.tci = (bit_cast::<16, 8>(self.wire_tci.val().high) << 8) | bit_cast::<16, 8>(self.wire_tci.val().low);
        self.wire_source.next = self.behind.val().source_port.into();
        self.packet.next.port = (bit_cast::<16, 8>(self.wire_source.val().high) << 8) | bit_cast::<16, 8>(self.wire_source.val().low);
        self.packet.next.mendable = !self.behind.val().checksum.any();
        self.packet5.d.next = self.packet.val();
        // To 6: what is wrong with IP and UDP; what the opcode brings. The headers wait from here
        // on.
        self.layout.next = self.layouts.data.val().into();
        self.whole.next = self.packet5.q.val();
        if !self.layout.val().answers {
            self.whole.next.syndrome = bits::<8>(0);
        }
        if !self.layout.val().rdma {
            self.whole.next.message_bytes = bits::<32>(0);
        }
        if self.bytes5.q.val() != self.promised5.q.val() {
            self.whole.next.mendable = false;
        }
        self.delay.write_enable.next = true;
        self.delay.write_address.next = self.write.q.val();
        self.delay.write_data.next = self.whole.val();
        self.write.d.next = self.write.q.val() + bits::<3>(1);
        // Written at 5, read at 10.
        self.delay.read_address.next = self.write.q.val() - bits::<3>(5);
        self.end6.d.next = self.end5.q.val();
        self.bad6.d.next = self.bad5.q.val();
        self.foreign6.d.next = !(self.ours5.q.val() & self.here5.q.val());
        self.cut6.d.next = self.short5.q.val() | (self.bytes5.q.val() < self.promised5.q.val());
        self.ip6.d.next = ((self.length5.q.val() != self.right5.q.val()) | (self.udp5.q.val() < self.least_udp.val()))
            | (!self.is6_5.q.val() & !self.sum.o_good.val());
        self.spare6.d.next = self.udp5.q.val() - self.least_udp.val();
        self.extension6.d.next = bit_cast::<6, 5>(self.layout.val().extension_bytes) + bit_cast::<6, 2>(self.pad5.q.val());
        self.padded6.d.next = self.pad5.q.val().any();
        self.bare6.d.next = self.layout.val().bare;
        self.version6.d.next = self.version5.q.val().any();
        self.kind6.d.next = self.layout.val().kind;
        // To 7: the payload.
        self.end7.d.next = self.end6.q.val();
        self.bad7.d.next = self.bad6.q.val();
        self.foreign7.d.next = self.foreign6.q.val();
        self.cut7.d.next = self.cut6.q.val();
        self.ip7.d.next = self.ip6.q.val();
        self.payload7.d.next = self.spare6.q.val() - bit_cast::<17, 6>(self.extension6.q.val());
        self.wrong7.d.next =
            (self.version6.q.val() | self.spare6.q.val().get_bits::<2>(0).any()) | (self.bare6.q.val() & self.padded6.q.val());
        self.bare7.d.next = self.bare6.q.val();
        self.kind7.d.next = self.kind6.q.val();
        // To 8: all but the sequence. `payload7` is below 0 if the opcode's headers have no room.
        self.transport.next = self.wrong7.q.val()
            | (self.payload7.q.val().get_bit(16) | (self.bare7.q.val() & self.payload7.q.val().get_bits::<16>(0).any()));
        self.end[0].d.next = self.end7.q.val();
        self.payload[0].d.next = self.payload7.q.val().get_bits::<16>(0);
        self.kind[0].d.next = self.kind7.q.val();
        self.reason[0].d.next = bits::<3>(0);
        if self.transport.val() {
            self.kind[0].d.next = bits::<3>(7);
            self.reason[0].d.next = bits::<3>(4);
        }
        if self.ip7.q.val() {
            self.kind[0].d.next = bits::<3>(7);
            self.reason[0].d.next = bits::<3>(3);
        }
        if self.cut7.q.val() {
            self.kind[0].d.next = bits::<3>(7);
            self.reason[0].d.next = bits::<3>(2);
        }
        if self.foreign7.q.val() {
            self.kind[0].d.next = bits::<3>(0);
            self.reason[0].d.next = bits::<3>(0);
        }
        if self.bad7.q.val() {
            self.kind[0].d.next = bits::<3>(7);
            self.reason[0].d.next = bits::<3>(1);
        }
        for i in 0..3 {
            self.end[i + 1].d.next = self.end[i].q.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.reason[i + 1].d.next = self.reason[i].q.val();
            self.payload[i + 1].d.next = self.payload[i].q.val();
        }
        self.packet11.d.next = self.delay.read_data.val();
        // To 12: the sequence.
        self.last.next = self.packet11.q.val();
        self.last.next.payload_bytes = self.payload[3].q.val();
        self.packet12.d.next = self.last.val();
        self.end12.d.next = self.end[3].q.val();
        self.kind12.d.next = self.kind[3].q.val();
        self.reason12.d.next = self.reason[3].q.val();
        if ((self.kind[3].q.val() != bits::<3>(0)) & (self.kind[3].q.val() != bits::<3>(7))) & !self.holds.val() {
            self.kind12.d.next = bits::<3>(7);
            self.reason12.d.next = bits::<3>(5);
        }
        self.o_valid.next = self.end12.q.val();
        self.o_kind.next = self.kind12.q.val();
        self.o_reason.next = self.reason12.q.val();
        self.o_packet.next = self.packet12.q.val();
        if self.rst.val() {
            self.end2.d.next = false;
            self.end3.d.next = false;
            self.end4.d.next = false;
            self.end5.d.next = false;
            self.end6.d.next = false;
            self.end7.d.next = false;
            for i in 0..4 {
                self.end[i].d.next = false;
            }
            self.end12.d.next = false;
        }
    }
}
