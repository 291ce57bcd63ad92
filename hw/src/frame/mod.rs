//! From a description of a frame to its beats: Ethernet, IP, UDP, our header, zeros.
mod checksums;

use crate::construct::construct;
use checksums::Checksums;
use rust_hdl::prelude::*;

/// Builds the frames of either kind, data and ACK, for a bus of `W` bits (`K` must be `W / 8`; 64, 128, 256 or 512).
///
/// Fields count as on the wire: byte 0 of a MAC, an address and our header in the low bits; ports, TCI and lengths are numbers.
/// IPv4 goes out without options, unfragmentable, identification 0 (RFC 6864 allows that for what is never fragmented); IPv6
/// with flow label 0. The UDP checksum is always there, and never 0.
///
/// A description's headers go into a RAM of eight slots at once; meanwhile an adder tree that never stalls works out the
/// checksums, which are put in as the first beat leaves. `X` bits at `i_side` come out at `m_side` with all beats of the frame.
///
/// Latency: the first beat shows 6 clocks after its description is taken when the output is free. Throughput: a beat a clock,
/// with no empty clock between frames while descriptions are there in time. Back pressure: beats hold; `i_ready` falls when
/// eight frames are not completely out.
/// Model: `timely_model::frame::Frame`.
#[derive(LogicBlock)]
pub struct Frame<const W: usize, const K: usize, const X: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; all frames are dropped, also one under way.
    pub rst: Signal<In, Bit>,
    /// A frame is described.
    pub i_valid: Signal<In, Bit>,
    /// The description is taken at this clock if offered.
    pub i_ready: Signal<Out, Bit>,
    /// Bit 0 VLAN tag, bit 1 IPv6.
    pub i_class: Signal<In, Bits<2>>,
    /// Destination MAC.
    pub i_dst_mac: Signal<In, Bits<48>>,
    /// Source MAC.
    pub i_src_mac: Signal<In, Bits<48>>,
    /// VLAN TCI, if there is a tag.
    pub i_vlan: Signal<In, Bits<16>>,
    /// TOS or traffic class.
    pub i_tos: Signal<In, Bits<8>>,
    /// TTL or hop limit.
    pub i_ttl: Signal<In, Bits<8>>,
    /// Source address; IPv4 in the low 32 bits.
    pub i_src_ip: Signal<In, Bits<128>>,
    /// Destination address; IPv4 in the low 32 bits.
    pub i_dst_ip: Signal<In, Bits<128>>,
    /// UDP source port.
    pub i_src_port: Signal<In, Bits<16>>,
    /// UDP destination port.
    pub i_dst_port: Signal<In, Bits<16>>,
    /// Our header.
    pub i_hdr: Signal<In, Bits<384>>,
    /// Bytes after our header, sent as zeros.
    pub i_payload: Signal<In, Bits<14>>,
    /// What goes along with the frame.
    pub i_side: Signal<In, Bits<X>>,
    /// Bytes of the beat in wire order.
    pub m_tdata: Signal<Out, Bits<W>>,
    /// Bytes of the beat that are there.
    pub m_tkeep: Signal<Out, Bits<K>>,
    /// A beat stands there.
    pub m_tvalid: Signal<Out, Bit>,
    /// The beat is taken.
    pub m_tready: Signal<In, Bit>,
    /// It is its frame's last.
    pub m_tlast: Signal<Out, Bit>,
    /// What went along with the frame.
    pub m_side: Signal<Out, Bits<X>>,
    /// The first clock at which a frame's first beat stands there.
    pub m_start: Signal<Out, Bit>,
    bus_bits: Constant<Bits<11>>,
    bus_bytes: Constant<Bits<15>>,
    all_bytes: Constant<Bits<K>>,
    // Headers with checksums 0, their length with the payload's, class, side.
    text: RAM<Bits<912>, 3>,
    bytes: RAM<Bits<17>, 3>,
    side: RAM<Bits<X>, 3>,
    write: DFF<Bits<3>>,
    read: DFF<Bits<3>>,
    read_next: Signal<Local, Bits<3>>,
    /// Slots taken, until the frame's last beat is loaded.
    used: DFF<Bits<4>>,
    /// Slots whose checksums are there.
    done: DFF<Bits<4>>,
    push: Signal<Local, Bit>,
    vlan_wire: Signal<Local, Bits<16>>,
    src_port_wire: Signal<Local, Bits<16>>,
    dst_port_wire: Signal<Local, Bits<16>>,
    payload_wire: Signal<Local, Bits<16>>,
    ipv4_bytes: Signal<Local, Bits<16>>,
    udp_bytes: Signal<Local, Bits<16>>,
    ipv4_wire: Signal<Local, Bits<16>>,
    udp_wire: Signal<Local, Bits<16>>,
    head_bytes: Signal<Local, Bits<15>>,
    frame_bytes: Signal<Local, Bits<15>>,
    udp: Signal<Local, Bits<768>>,
    ipv4: Signal<Local, Bits<768>>,
    ipv6: Signal<Local, Bits<768>>,
    ip: Signal<Local, Bits<912>>,
    ether: Signal<Local, Bits<912>>,
    ip_type: Signal<Local, Bits<16>>,
    checksums: Checksums,
    check_write: DFF<Bits<3>>,
    checks: [DFF<Bits<32>>; 8],
    check: Signal<Local, Bits<32>>,
    u_wide: Signal<Local, Bits<1024>>,
    h_wide: Signal<Local, Bits<1024>>,
    first: Signal<Local, Bits<1024>>,
    // The frame under way.
    begun: DFF<Bit>,
    rest: DFF<Bits<1024>>,
    left: DFF<Bits<15>>,
    source: Signal<Local, Bits<1024>>,
    remaining: Signal<Local, Bits<15>>,
    gap: Signal<Local, Bits<K>>,
    free: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    keep: DFF<Bits<K>>,
    last: DFF<Bit>,
    start: DFF<Bit>,
    aside: DFF<Bits<X>>,
}

impl<const W: usize, const K: usize, const X: usize> Default for Frame<W, K, X> {
    fn default() -> Self {
        assert!(W == 8 * K && [64, 128, 256, 512].contains(&W), "no bus of {W} bits and {K} bytes: 64, 128, 256 or 512 bits");
        construct!({
            bus_bits: Constant::new(bits::<11>(W as u64)),
            bus_bytes: Constant::new(bits::<15>(K as u64)),
            all_bytes: Constant::new(Bits::<K>::mask()),
        }
            clk, rst, i_valid, i_ready, i_class, i_dst_mac, i_src_mac, i_vlan, i_tos, i_ttl, i_src_ip, i_dst_ip, i_src_port, i_dst_port,
            i_hdr, i_payload, i_side, m_tdata, m_tkeep, m_tvalid, m_tready, m_tlast, m_side, m_start, text, bytes, side, write, read,
            read_next, used, done, push, vlan_wire, src_port_wire, dst_port_wire, payload_wire, ipv4_bytes, udp_bytes,
            ipv4_wire, udp_wire, head_bytes, frame_bytes, udp, ipv4, ipv6, ip, ether, ip_type, checksums,             check_write, check, u_wide, h_wide, first, begun, rest, left, source, remaining, gap, free, go, finish,
            valid, data, keep, last, start, aside; checks)
    }
}

impl<const W: usize, const K: usize, const X: usize> Logic for Frame<W, K, X> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, read, used, done, check_write);
        dff_setup!(self, clk, begun, rest, left, valid, data, keep, last, start, aside);
        for i in 0..8 {
            self.checks[i].clock.next = self.clk.val();
            self.checks[i].d.next = self.checks[i].q.val();
        }
        self.text.read_clock.next = self.clk.val();
        self.text.write_clock.next = self.clk.val();
        self.bytes.read_clock.next = self.clk.val();
        self.bytes.write_clock.next = self.clk.val();
        self.side.read_clock.next = self.clk.val();
        self.side.write_clock.next = self.clk.val();
        self.push.next = self.i_valid.val() & !self.used.q.val().get_bit(3);

        // Numbers in wire order. UDP's length is 56 and the payload, IPv4's 20 more, the frame's what its class says.
        self.vlan_wire.next =
            (bit_cast::<16, 8>(self.i_vlan.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.i_vlan.val().get_bits::<8>(8));
        self.src_port_wire.next =
            (bit_cast::<16, 8>(self.i_src_port.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.i_src_port.val().get_bits::<8>(8));
        self.dst_port_wire.next =
            (bit_cast::<16, 8>(self.i_dst_port.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.i_dst_port.val().get_bits::<8>(8));
        self.payload_wire.next =
            (bit_cast::<16, 8>(self.i_payload.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 6>(self.i_payload.val().get_bits::<6>(8));
        self.ipv4_bytes.next = bit_cast::<16, 14>(self.i_payload.val()) + bits::<16>(76);
        self.udp_bytes.next = bit_cast::<16, 14>(self.i_payload.val()) + bits::<16>(56);
        self.ipv4_wire.next =
            (bit_cast::<16, 8>(self.ipv4_bytes.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.ipv4_bytes.val().get_bits::<8>(8));
        self.udp_wire.next =
            (bit_cast::<16, 8>(self.udp_bytes.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.udp_bytes.val().get_bits::<8>(8));
        match self.i_class.val().index() {
            0 => {
                self.head_bytes.next = bits::<15>(90);
            }
            1 => {
                self.head_bytes.next = bits::<15>(94);
            }
            2 => {
                self.head_bytes.next = bits::<15>(110);
            }
            _ => {
                self.head_bytes.next = bits::<15>(114);
            }
        }
        self.frame_bytes.next = self.head_bytes.val() + bit_cast::<15, 14>(self.i_payload.val());

        // The headers, from the inside out.
        self.udp.next = bit_cast::<768, 16>(self.src_port_wire.val())
            | (bit_cast::<768, 16>(self.dst_port_wire.val()) << 16)
            | (bit_cast::<768, 16>(self.udp_wire.val()) << 32)
            | (bit_cast::<768, 384>(self.i_hdr.val()) << 64);
        self.ipv4.next = bits::<768>(0x45)
            | (bits::<768>(0x40) << 48)
            | (bit_cast::<768, 8>(self.i_tos.val()) << 8)
            | (bit_cast::<768, 16>(self.ipv4_wire.val()) << 16)
            | (bit_cast::<768, 8>(self.i_ttl.val()) << 64)
            | (bits::<768>(17) << 72)
            | (bit_cast::<768, 32>(self.i_src_ip.val().get_bits::<32>(0)) << 96)
            | (bit_cast::<768, 32>(self.i_dst_ip.val().get_bits::<32>(0)) << 128)
            | (self.udp.val() << 160);
        self.ipv6.next = bits::<768>(0x60)
            | bit_cast::<768, 4>(self.i_tos.val().get_bits::<4>(4))
            | (bit_cast::<768, 4>(self.i_tos.val().get_bits::<4>(0)) << 12)
            | (bit_cast::<768, 16>(self.udp_wire.val()) << 32)
            | (bits::<768>(17) << 48)
            | (bit_cast::<768, 8>(self.i_ttl.val()) << 56)
            | (bit_cast::<768, 128>(self.i_src_ip.val()) << 64)
            | (bit_cast::<768, 128>(self.i_dst_ip.val()) << 192)
            | (self.udp.val() << 320);
        if self.i_class.val().get_bit(1) {
            self.ip.next = bit_cast::<912, 768>(self.ipv6.val());
            self.ip_type.next = bits::<16>(0xdd86);
        } else {
            self.ip.next = bit_cast::<912, 768>(self.ipv4.val());
            self.ip_type.next = bits::<16>(0x0008);
        }
        if self.i_class.val().get_bit(0) {
            self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                | (bits::<912>(0x0081) << 96)
                | (bit_cast::<912, 16>(self.vlan_wire.val()) << 112)
                | (bit_cast::<912, 16>(self.ip_type.val()) << 128)
                | (self.ip.val() << 144);
        } else {
            self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                | (bit_cast::<912, 16>(self.ip_type.val()) << 96)
                | (self.ip.val() << 112);
        }
        self.text.write_address.next = self.write.q.val();
        self.text.write_data.next = self.ether.val();
        self.text.write_enable.next = self.push.val();
        self.bytes.write_address.next = self.write.q.val();
        self.bytes.write_data.next = bit_cast::<17, 15>(self.frame_bytes.val()) | (bit_cast::<17, 2>(self.i_class.val()) << 15);
        self.bytes.write_enable.next = self.push.val();
        self.side.write_address.next = self.write.q.val();
        self.side.write_data.next = self.i_side.val();
        self.side.write_enable.next = self.push.val();
        if self.push.val() {
            self.write.d.next = self.write.q.val() + bits::<3>(1);
        }

        self.checksums.clk.next = self.clk.val();
        self.checksums.rst.next = self.rst.val();
        self.checksums.i_valid.next = self.push.val();
        self.checksums.i_ipv6.next = self.i_class.val().get_bit(1);
        self.checksums.i_tos.next = self.i_tos.val();
        self.checksums.i_ttl.next = self.i_ttl.val();
        self.checksums.i_src_ip.next = self.i_src_ip.val();
        self.checksums.i_dst_ip.next = self.i_dst_ip.val();
        self.checksums.i_src_port.next = self.src_port_wire.val();
        self.checksums.i_dst_port.next = self.dst_port_wire.val();
        self.checksums.i_hdr.next = self.i_hdr.val();
        self.checksums.i_payload.next = self.payload_wire.val();
        if self.checksums.o_valid.val() {
            self.check_write.d.next = self.check_write.q.val() + bits::<3>(1);
            for i in 0..8 {
                if self.check_write.q.val().index() == i {
                    self.checks[i].d.next =
                        bit_cast::<32, 16>(self.checksums.o_udp.val()) | (bit_cast::<32, 16>(self.checksums.o_ipv4.val()) << 16);
                }
            }
        }

        // The frame at the head: its first beat has its checksums put in.
        self.check.next = bits::<32>(0);
        for i in 0..8 {
            if self.read.q.val().index() == i {
                self.check.next = self.checks[i].q.val();
            }
        }
        self.u_wide.next = bit_cast::<1024, 16>(self.check.val().get_bits::<16>(0));
        self.h_wide.next = bit_cast::<1024, 16>(self.check.val().get_bits::<16>(16));
        match self.bytes.read_data.val().get_bits::<2>(15).index() {
            0 => {
                self.first.next =
                    bit_cast::<1024, 912>(self.text.read_data.val()) | (self.h_wide.val() << 192) | (self.u_wide.val() << 320);
            }
            1 => {
                self.first.next =
                    bit_cast::<1024, 912>(self.text.read_data.val()) | (self.h_wide.val() << 224) | (self.u_wide.val() << 352);
            }
            2 => {
                self.first.next = bit_cast::<1024, 912>(self.text.read_data.val()) | (self.u_wide.val() << 480);
            }
            _ => {
                self.first.next = bit_cast::<1024, 912>(self.text.read_data.val()) | (self.u_wide.val() << 512);
            }
        }
        if self.begun.q.val() {
            self.source.next = self.rest.q.val();
            self.remaining.next = self.left.q.val();
        } else {
            self.source.next = self.first.val();
            self.remaining.next = self.bytes.read_data.val().get_bits::<15>(0);
        }
        // Shifting by K or more empties it: all bytes are there.
        self.gap.next = self.all_bytes.val() << self.remaining.val();
        self.free.next = !self.valid.q.val() | self.m_tready.val();
        self.go.next = self.free.val() & (self.begun.q.val() | self.done.q.val().any());
        self.finish.next = self.go.val() & (self.remaining.val() <= self.bus_bytes.val());
        self.start.d.next = self.go.val() & !self.begun.q.val();
        if self.free.val() {
            self.valid.d.next = self.go.val();
            self.data.d.next = bit_cast::<W, 1024>(self.source.val());
            self.keep.d.next = !self.gap.val();
            self.last.d.next = self.finish.val();
        }
        if self.go.val() {
            self.begun.d.next = !self.finish.val();
            self.rest.d.next = self.source.val() >> self.bus_bits.val();
            self.left.d.next = self.remaining.val() - self.bus_bytes.val();
            if !self.begun.q.val() {
                self.aside.d.next = self.side.read_data.val();
            }
        }
        self.read_next.next = self.read.q.val();
        if self.finish.val() {
            self.read_next.next = self.read.q.val() + bits::<3>(1);
        }
        self.read.d.next = self.read_next.val();
        self.text.read_address.next = self.read_next.val();
        self.bytes.read_address.next = self.read_next.val();
        self.side.read_address.next = self.read_next.val();
        if self.push.val() & !self.finish.val() {
            self.used.d.next = self.used.q.val() + bits::<4>(1);
        }
        if self.finish.val() & !self.push.val() {
            self.used.d.next = self.used.q.val() - bits::<4>(1);
        }
        if self.checksums.o_valid.val() & !self.finish.val() {
            self.done.d.next = self.done.q.val() + bits::<4>(1);
        }
        if self.finish.val() & !self.checksums.o_valid.val() {
            self.done.d.next = self.done.q.val() - bits::<4>(1);
        }

        self.i_ready.next = !self.used.q.val().get_bit(3);
        self.m_tdata.next = self.data.q.val();
        self.m_tkeep.next = self.keep.q.val();
        self.m_tvalid.next = self.valid.q.val();
        self.m_tlast.next = self.last.q.val();
        self.m_side.next = self.aside.q.val();
        self.m_start.next = self.start.q.val();
        if self.rst.val() {
            self.write.d.next = bits::<3>(0);
            self.read.d.next = bits::<3>(0);
            self.check_write.d.next = bits::<3>(0);
            self.used.d.next = bits::<4>(0);
            self.done.d.next = bits::<4>(0);
            self.begun.d.next = false;
            self.valid.d.next = false;
            self.start.d.next = false;
        }
    }
}
