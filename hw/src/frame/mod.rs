//! From a description of a frame to its beats: Ethernet, IP, UDP, our header, zeros.
mod checksums;

use crate::bus::SideAxisOut;
use crate::construct::construct;
use crate::ram::LutRam;
use checksums::Checksums;
use rust_hdl::prelude::*;

/// Builds the frames of either kind, data and ACK, for a bus of `W` bits (`K` must be `W / 8`; 64,
/// 128, 256 or 512).
///
/// Fields count as on the wire: byte 0 of a MAC, an address and our header in the low bits; ports,
/// TCI and lengths are numbers. IPv4 goes out without options, unfragmentable, identification 0
/// (RFC 6864 allows that for what is never fragmented); IPv6 with flow label 0. The UDP checksum is
/// always there, and never 0.
///
/// A description's headers go into a RAM of eight slots at once; meanwhile an adder tree that never
/// stalls works out the checksums, which are put in as the headers leave the RAM, one frame ahead
/// of the beats. No frame is as short as one beat, so a read RAM is in time for the next. `X` bits
/// at `i_side` come out at `m_side` with all beats of the frame.
///
/// Latency: the first beat shows 6 clocks after its description is taken when the output is free.
/// Throughput: a beat a clock, with no empty clock between frames while descriptions are there in
/// time. Back pressure: beats hold; `i_ready` falls when eight frames are not completely out.
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
    /// Sideband bits of the frame.
    pub i_side: Signal<In, Bits<X>>,
    /// Frames, with their sideband bits.
    pub m: SideAxisOut<W, K, X>,
    /// The first clock at which a frame's first beat stands there.
    pub m_start: Signal<Out, Bit>,
    bus_bytes: Constant<Bits<15>>,
    /// Bits of a byte count that count whole beats, and those of bytes in one.
    beat_bits: Constant<Bits<15>>,
    byte_bits: Constant<Bits<15>>,
    /// Words of 64 bits in a beat.
    bus_words: Constant<Bits<5>>,
    all_bytes: Constant<Bits<K>>,
    /// All but the first.
    more_bytes: Constant<Bits<K>>,
    // Headers with checksums 0, their length with the payload's less 1 and the class, side.
    text: RAM<Bits<912>, 3>,
    bytes: RAM<Bits<17>, 3>,
    side: RAM<Bits<X>, 3>,
    write: DFF<Bits<3>>,
    read: DFF<Bits<3>>,
    /// Slots taken, until the frame's last beat is loaded.
    used: DFF<Bits<4>>,
    /// Slots whose checksums are there, until they are read.
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
    // From the length on, and in front of it.
    udp: Signal<Local, Bits<416>>,
    ipv4: Signal<Local, Bits<160>>,
    ipv6: Signal<Local, Bits<320>>,
    ether: Signal<Local, Bits<912>>,
    checksums: Checksums,
    check_write: DFF<Bits<3>>,
    checks: LutRam<Bits<32>, 3>,
    fresh: Signal<Local, Bits<32>>,
    check: Signal<Local, Bits<32>>,
    u_check: Signal<Local, Bits<16>>,
    h_check: Signal<Local, Bits<16>>,
    t: Signal<Local, Bits<912>>,
    /// The frame under way is none, or its last beat is loaded.
    room: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    // The frame under way: its headers, the first word of the next beat, bytes from there on
    // less 1.
    filled: DFF<Bit>,
    head: DFF<Bits<1024>>,
    beside: DFF<Bits<X>>,
    place: DFF<Bits<5>>,
    left: DFF<Bits<15>>,
    /// The frame's first beat is loaded; the next is its last.
    begun: DFF<Bit>,
    ends: DFF<Bit>,
    offset: Signal<Local, Bits<10>>,
    over: Signal<Local, Bits<15>>,
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
            bus_bytes: Constant::new(bits::<15>(K as u64)),
            beat_bits: Constant::new(bits::<15>(0x7fff & !(K as u64 - 1))),
            byte_bits: Constant::new(bits::<15>(K as u64 - 1)),
            bus_words: Constant::new(bits::<5>(W as u64 / 64)),
            all_bytes: Constant::new(Bits::<K>::mask()),
            more_bytes: Constant::new(Bits::<K>::mask() << 1),
        }
            clk, rst, i_valid, i_ready, i_class, i_dst_mac, i_src_mac, i_vlan, i_tos, i_ttl, i_src_ip, i_dst_ip, i_src_port, i_dst_port,
            i_hdr, i_payload, i_side, m, m_start, text, bytes, side, write, read,
            used, done, push, vlan_wire, src_port_wire, dst_port_wire, payload_wire, ipv4_bytes, udp_bytes, ipv4_wire, udp_wire, head_bytes,
            frame_bytes, udp, ipv4, ipv6, ether, checksums, check_write, fresh, check, u_check, h_check, t, room, load, filled, head, beside, place,
            left, begun, ends, offset, over, gap, free, go, finish, valid, data, keep, last, start, aside, checks)
    }
}

impl<const W: usize, const K: usize, const X: usize> Logic for Frame<W, K, X> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, read, used, done, check_write);
        dff_setup!(self, clk, filled, head, beside, place, left, begun, ends, valid, data, keep, last, start, aside);
        self.checks.clock.next = self.clk.val();
        self.text.read_clock.next = self.clk.val();
        self.text.write_clock.next = self.clk.val();
        self.bytes.read_clock.next = self.clk.val();
        self.bytes.write_clock.next = self.clk.val();
        self.side.read_clock.next = self.clk.val();
        self.side.write_clock.next = self.clk.val();
        self.push.next = self.i_valid.val() & !self.used.q.val().get_bit(3);

        // Numbers in wire order. UDP's length is 56 and the payload, IPv4's 20 more, the frame's
        // what its class says (less 1).
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
                self.head_bytes.next = bits::<15>(89);
            }
            1 => {
                self.head_bytes.next = bits::<15>(93);
            }
            2 => {
                self.head_bytes.next = bits::<15>(109);
            }
            _ => {
                self.head_bytes.next = bits::<15>(113);
            }
        }
        self.frame_bytes.next = self.head_bytes.val() + bit_cast::<15, 14>(self.i_payload.val());

        // The headers, from the inside out.
        self.udp.next = bit_cast::<416, 16>(self.udp_wire.val()) | (bit_cast::<416, 384>(self.i_hdr.val()) << 32);
        self.ipv4.next = bits::<160>(0x45)
            | (bits::<160>(0x40) << 48)
            | (bit_cast::<160, 8>(self.i_tos.val()) << 8)
            | (bit_cast::<160, 16>(self.ipv4_wire.val()) << 16)
            | (bit_cast::<160, 8>(self.i_ttl.val()) << 64)
            | (bits::<160>(17) << 72)
            | (bit_cast::<160, 32>(self.i_src_ip.val().get_bits::<32>(0)) << 96)
            | (bit_cast::<160, 32>(self.i_dst_ip.val().get_bits::<32>(0)) << 128);
        self.ipv6.next = (bits::<320>(6) << 4)
            | bit_cast::<320, 4>(self.i_tos.val().get_bits::<4>(4))
            | (bit_cast::<320, 4>(self.i_tos.val().get_bits::<4>(0)) << 12)
            | (bit_cast::<320, 16>(self.udp_wire.val()) << 32)
            | (bits::<320>(17) << 48)
            | (bit_cast::<320, 8>(self.i_ttl.val()) << 56)
            | (bit_cast::<320, 128>(self.i_src_ip.val()) << 64)
            | (bit_cast::<320, 128>(self.i_dst_ip.val()) << 192);
        match self.i_class.val().index() {
            0 => {
                self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                    | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                    | (bits::<912>(0x0008) << 96)
                    | (bit_cast::<912, 160>(self.ipv4.val()) << 112)
                    | (bit_cast::<912, 16>(self.src_port_wire.val()) << 272)
                    | (bit_cast::<912, 16>(self.dst_port_wire.val()) << 288)
                    | (bit_cast::<912, 416>(self.udp.val()) << 304);
            }
            1 => {
                self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                    | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                    | (bits::<912>(0x0081) << 96)
                    | (bit_cast::<912, 16>(self.vlan_wire.val()) << 112)
                    | (bits::<912>(0x0008) << 128)
                    | (bit_cast::<912, 160>(self.ipv4.val()) << 144)
                    | (bit_cast::<912, 16>(self.src_port_wire.val()) << 304)
                    | (bit_cast::<912, 16>(self.dst_port_wire.val()) << 320)
                    | (bit_cast::<912, 416>(self.udp.val()) << 336);
            }
            2 => {
                self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                    | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                    | (bits::<912>(0xdd86) << 96)
                    | (bit_cast::<912, 320>(self.ipv6.val()) << 112)
                    | (bit_cast::<912, 16>(self.src_port_wire.val()) << 432)
                    | (bit_cast::<912, 16>(self.dst_port_wire.val()) << 448)
                    | (bit_cast::<912, 416>(self.udp.val()) << 464);
            }
            _ => {
                self.ether.next = bit_cast::<912, 48>(self.i_dst_mac.val())
                    | (bit_cast::<912, 48>(self.i_src_mac.val()) << 48)
                    | (bits::<912>(0x0081) << 96)
                    | (bit_cast::<912, 16>(self.vlan_wire.val()) << 112)
                    | (bits::<912>(0xdd86) << 128)
                    | (bit_cast::<912, 320>(self.ipv6.val()) << 144)
                    | (bit_cast::<912, 16>(self.src_port_wire.val()) << 464)
                    | (bit_cast::<912, 16>(self.dst_port_wire.val()) << 480)
                    | (bit_cast::<912, 416>(self.udp.val()) << 496);
            }
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
        self.fresh.next = bit_cast::<32, 16>(self.checksums.o_udp.val()) | (bit_cast::<32, 16>(self.checksums.o_ipv4.val()) << 16);
        self.checks.write_enable.next = self.checksums.o_valid.val();
        self.checks.write_address.next = self.check_write.q.val();
        self.checks.write_data.next = self.fresh.val();
        if self.checksums.o_valid.val() {
            self.check_write.d.next = self.check_write.q.val() + bits::<3>(1);
        }

        // The frame under way, a beat a clock.
        self.free.next = !self.valid.q.val() | self.m.tready.val();
        self.go.next = self.free.val() & self.filled.q.val();
        self.finish.next = self.go.val() & self.ends.q.val();
        self.offset.next = bit_cast::<10, 4>(self.place.q.val().get_bits::<4>(0)) << 6;
        self.over.next = self.left.q.val() & self.byte_bits.val();
        self.gap.next = self.more_bytes.val() << self.over.val();
        self.start.d.next = self.go.val() & !self.begun.q.val();
        if self.free.val() {
            self.valid.d.next = self.filled.q.val();
            self.last.d.next = self.ends.q.val();
        }
        if self.go.val() {
            self.begun.d.next = true;
            self.ends.d.next = (self.left.q.val() & self.beat_bits.val()) == self.bus_bytes.val();
            self.left.d.next = self.left.q.val() - self.bus_bytes.val();
            // Behind the headers there are zeros.
            if self.place.q.val().get_bit(4) {
                self.data.d.next = bits::<W>(0);
            } else {
                self.place.d.next = self.place.q.val() + self.bus_words.val();
                self.data.d.next = self.head.q.val().get_bits::<W>(self.offset.val().index());
            }
            self.keep.d.next = self.all_bytes.val();
            if self.ends.q.val() {
                self.keep.d.next = !self.gap.val();
            }
            if !self.begun.q.val() {
                self.aside.d.next = self.beside.q.val();
            }
        }

        // The next, with its checksums: stored, or just there.
        self.room.next = !self.filled.q.val() | (self.free.val() & self.ends.q.val());
        self.load.next = self.room.val() & (self.done.q.val().any() | self.checksums.o_valid.val());
        self.check.next = self.fresh.val();
        if self.done.q.val().any() {
            self.check.next = self.checks.read_data.val();
        }
        self.u_check.next = self.check.val().get_bits::<16>(0);
        self.h_check.next = self.check.val().get_bits::<16>(16);
        self.t.next = self.text.read_data.val();
        if self.finish.val() {
            self.filled.d.next = false;
        }
        if self.load.val() {
            self.filled.d.next = true;
            self.begun.d.next = false;
            self.ends.d.next = false;
            self.place.d.next = bits::<5>(0);
            self.left.d.next = self.bytes.read_data.val().get_bits::<15>(0);
            self.read.d.next = self.read.q.val() + bits::<3>(1);
        }
        // While there is room, what stands there is kept, before it is known whether there is a
        // next: that would reach too many registers.
        if self.room.val() {
            self.beside.d.next = self.side.read_data.val();
            match self.bytes.read_data.val().get_bits::<2>(15).index() {
                0 => {
                    self.head.d.next = bit_cast::<1024, 192>(self.t.val().get_bits::<192>(0))
                        | (bit_cast::<1024, 16>(self.h_check.val()) << 192)
                        | (bit_cast::<1024, 112>(self.t.val().get_bits::<112>(208)) << 208)
                        | (bit_cast::<1024, 16>(self.u_check.val()) << 320)
                        | (bit_cast::<1024, 576>(self.t.val().get_bits::<576>(336)) << 336);
                }
                1 => {
                    self.head.d.next = bit_cast::<1024, 224>(self.t.val().get_bits::<224>(0))
                        | (bit_cast::<1024, 16>(self.h_check.val()) << 224)
                        | (bit_cast::<1024, 112>(self.t.val().get_bits::<112>(240)) << 240)
                        | (bit_cast::<1024, 16>(self.u_check.val()) << 352)
                        | (bit_cast::<1024, 544>(self.t.val().get_bits::<544>(368)) << 368);
                }
                2 => {
                    self.head.d.next = bit_cast::<1024, 480>(self.t.val().get_bits::<480>(0))
                        | (bit_cast::<1024, 16>(self.u_check.val()) << 480)
                        | (bit_cast::<1024, 416>(self.t.val().get_bits::<416>(496)) << 496);
                }
                _ => {
                    self.head.d.next = bit_cast::<1024, 512>(self.t.val().get_bits::<512>(0))
                        | (bit_cast::<1024, 16>(self.u_check.val()) << 512)
                        | (bit_cast::<1024, 384>(self.t.val().get_bits::<384>(528)) << 528);
                }
            }
        }
        self.checks.read_address.next = self.read.q.val();
        self.text.read_address.next = self.read.q.val();
        self.bytes.read_address.next = self.read.q.val();
        self.side.read_address.next = self.read.q.val();
        if self.push.val() & !self.finish.val() {
            self.used.d.next = self.used.q.val() + bits::<4>(1);
        }
        if self.finish.val() & !self.push.val() {
            self.used.d.next = self.used.q.val() - bits::<4>(1);
        }
        if self.checksums.o_valid.val() & !self.load.val() {
            self.done.d.next = self.done.q.val() + bits::<4>(1);
        }
        if self.load.val() & !self.checksums.o_valid.val() {
            self.done.d.next = self.done.q.val() - bits::<4>(1);
        }

        self.i_ready.next = !self.used.q.val().get_bit(3);
        self.m.tdata.next = self.data.q.val();
        self.m.tkeep.next = self.keep.q.val();
        self.m.tvalid.next = self.valid.q.val();
        self.m.tlast.next = self.last.q.val();
        self.m.side.next = self.aside.q.val();
        self.m_start.next = self.start.q.val();
        if self.rst.val() {
            self.write.d.next = bits::<3>(0);
            self.read.d.next = bits::<3>(0);
            self.check_write.d.next = bits::<3>(0);
            self.used.d.next = bits::<4>(0);
            self.done.d.next = bits::<4>(0);
            self.filled.d.next = false;
            self.valid.d.next = false;
            self.start.d.next = false;
        }
    }
}
