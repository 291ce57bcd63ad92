//! The two checksums of a frame, in an adder tree.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// IPv4 header checksum and UDP checksum of what is described, both as they stand on the wire. All
/// inputs are in wire order, byte 0 in the low bits, numbers too; zeros behind our header add
/// nothing but their length.
///
/// Latency: 4 clocks. Throughput: a frame a clock. No back pressure. Outputs are one LUT behind
/// registers: what an end-around carry would make of UDP's last sum is worked out beside the sum,
/// not after it.
#[derive(LogicBlock)]
pub struct Checksums {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A frame is described.
    pub i_valid: Signal<In, Bit>,
    /// The frame is IPv6; else the low 32 bits of addresses count.
    pub i_ipv6: Signal<In, Bit>,
    /// TOS or traffic class.
    pub i_tos: Signal<In, Bits<8>>,
    /// TTL or hop limit.
    pub i_ttl: Signal<In, Bits<8>>,
    /// Source address.
    pub i_src_ip: Signal<In, Bits<128>>,
    /// Destination address.
    pub i_dst_ip: Signal<In, Bits<128>>,
    /// UDP source port.
    pub i_src_port: Signal<In, Bits<16>>,
    /// UDP destination port.
    pub i_dst_port: Signal<In, Bits<16>>,
    /// Our header.
    pub i_hdr: Signal<In, Bits<384>>,
    /// Bytes after our header.
    pub i_payload: Signal<In, Bits<16>>,
    /// The checksums are there.
    pub o_valid: Signal<Out, Bit>,
    /// UDP's, never 0.
    pub o_udp: Signal<Out, Bits<16>>,
    /// The IPv4 header's.
    pub o_ipv4: Signal<Out, Bits<16>>,
    src_ip: Signal<Local, Bits<144>>,
    dst_ip: Signal<Local, Bits<144>>,
    hdr: Signal<Local, Bits<400>>,
    // All as wide as the last sum needs; stage n of UDP's tree and of the IPv4 header's.
    word: [Signal<Local, Bits<22>>; 48],
    u1: [DFF<Bits<22>>; 12],
    u2: [DFF<Bits<22>>; 3],
    u3: DFF<Bits<22>>,
    u4: DFF<Bits<17>>,
    /// Sum of `u3`'s halves and 1, for a sum that carries; the sum is all ones.
    carried: DFF<Bits<16>>,
    ones: DFF<Bit>,
    h1: DFF<Bits<22>>,
    h2: DFF<Bits<22>>,
    h3: DFF<Bits<17>>,
    h4: DFF<Bits<16>>,
    tos_ttl: Signal<Local, Bits<16>>,
    summing: [DFF<Bit>; 4],
    u_sum: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<6>>,
}

impl Default for Checksums {
    fn default() -> Self {
        construct!({} clk, rst, i_valid, i_ipv6, i_tos, i_ttl, i_src_ip, i_dst_ip, i_src_port, i_dst_port, i_hdr, i_payload, o_valid, o_udp,
            o_ipv4, src_ip, dst_ip, hdr, u3, u4, carried, ones, h1, h2, h3, h4, tos_ttl, u_sum, low, high; word, u1, u2, summing)
    }
}

impl Logic for Checksums {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, u3, u4, carried, ones, h1, h2, h3, h4);
        for i in 0..12 {
            self.u1[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.u2[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.summing[i].clock.next = self.clk.val();
        }
        // Sums of words as they stand on the wire: a ones' complement sum comes out the same in
        // either byte order. Stage 1 takes four words at once; the first group is what UDP's pseudo
        // header and the IPv4 header have in common.
        self.src_ip.next = bit_cast::<144, 128>(self.i_src_ip.val());
        self.dst_ip.next = bit_cast::<144, 128>(self.i_dst_ip.val());
        self.hdr.next = bit_cast::<400, 384>(self.i_hdr.val());
        for i in 0..4 {
            self.word[4 * i].next = self.src_ip.val().get_bits::<22>(32 * i) & bits::<22>(0xffff);
            self.word[4 * i + 1].next = self.src_ip.val().get_bits::<22>(32 * i + 16) & bits::<22>(0xffff);
            self.word[4 * i + 2].next = self.dst_ip.val().get_bits::<22>(32 * i) & bits::<22>(0xffff);
            self.word[4 * i + 3].next = self.dst_ip.val().get_bits::<22>(32 * i + 16) & bits::<22>(0xffff);
        }
        for i in 0..24 {
            self.word[16 + i].next = self.hdr.val().get_bits::<22>(16 * i) & bits::<22>(0xffff);
        }
        self.word[40].next = bit_cast::<22, 16>(self.i_src_port.val());
        self.word[41].next = bit_cast::<22, 16>(self.i_dst_port.val());
        // Twice UDP's length, of which 2 * 56 is in the constant, with the protocol.
        self.word[42].next = bit_cast::<22, 16>(self.i_payload.val());
        self.word[43].next = bit_cast::<22, 16>(self.i_payload.val());
        self.word[44].next = bits::<22>(0x8100);
        self.word[45].next = bits::<22>(0);
        self.word[46].next = bits::<22>(0);
        self.word[47].next = bits::<22>(0);
        for i in 0..12 {
            self.u1[i].d.next =
                (self.word[4 * i].val() + self.word[4 * i + 1].val()) + (self.word[4 * i + 2].val() + self.word[4 * i + 3].val());
        }
        // What an IPv6 address has more: the sums are cleared, 54 flip-flops' resets in place of a
        // LUT before each of 192 bits.
        if !self.i_ipv6.val() {
            for i in 0..3 {
                self.u1[i + 1].d.next = bits::<22>(0);
            }
        }
        for i in 0..3 {
            self.u2[i].d.next =
                (self.u1[4 * i].q.val() + self.u1[4 * i + 1].q.val()) + (self.u1[4 * i + 2].q.val() + self.u1[4 * i + 3].q.val());
        }
        self.u3.d.next = (self.u2[0].q.val() + self.u2[1].q.val()) + self.u2[2].q.val();
        self.low.next = self.u3.q.val().get_bits::<16>(0);
        self.high.next = self.u3.q.val().get_bits::<6>(16);
        self.u4.d.next = bit_cast::<17, 16>(self.low.val()) + bit_cast::<17, 6>(self.high.val());
        self.carried.d.next = (self.low.val() + bit_cast::<16, 6>(self.high.val())) + bits::<16>(1);
        // So without a carry; with one at most 63 is left.
        self.ones.d.next = self.low.val().get_bits::<10>(6).all() & (self.low.val().get_bits::<6>(0) == !self.high.val());
        // IPv4: 0x45, length 76, don't fragment and protocol make up the constant.
        self.tos_ttl.next = (bit_cast::<16, 8>(self.i_tos.val()) << 8) | bit_cast::<16, 8>(self.i_ttl.val());
        self.h1.d.next = (bit_cast::<22, 16>(self.tos_ttl.val()) + bit_cast::<22, 16>(self.i_payload.val())) + bits::<22>(0x5d85);
        self.h2.d.next = self.h1.q.val() + self.u1[0].q.val();
        self.h3.d.next = bit_cast::<17, 16>(self.h2.q.val().get_bits::<16>(0)) + bit_cast::<17, 6>(self.h2.q.val().get_bits::<6>(16));
        self.h4.d.next = self.h3.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.h3.q.val().get_bits::<1>(16));
        self.summing[0].d.next = self.i_valid.val();
        for i in 0..3 {
            self.summing[i + 1].d.next = self.summing[i].q.val();
        }
        self.u_sum.next = self.u4.q.val().get_bits::<16>(0);
        if self.u4.q.val().get_bit(16) {
            self.u_sum.next = self.carried.q.val();
        }
        self.o_udp.next = !self.u_sum.val();
        if self.ones.q.val() {
            self.o_udp.next = bits::<16>(0xffff);
        }
        self.o_ipv4.next = !self.h4.q.val();
        self.o_valid.next = self.summing[3].q.val();
        if self.rst.val() {
            for i in 0..4 {
                self.summing[i].d.next = false;
            }
        }
    }
}
