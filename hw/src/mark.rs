//! Writing of places in the departure ring into packets that pass.
use crate::construct::construct;
use crate::fifo::WideFifo;
use crate::ram::LutRam;
use rust_hdl::prelude::*;
use timely_model::mark::{FLOW, JUDGING, PLACE, QUEUE, VERSION, ahead};
use timely_regs::wire::{ACK, Class, FLAGS, LAST, ethernet, ipv4, ipv6, udp};

// A kernel takes literals alone.
const _: () = assert!(QUEUE == 4 && JUDGING == 7 && PLACE == 4 && FLOW == 6);
const _: () = assert!(ethernet::TYPE == 12 && ethernet::TAGGED_TYPE == 16 && ipv4::FRAGMENT == 6 && ipv4::PROTOCOL == 9);
const _: () = assert!(ipv6::NEXT_HEADER == 6 && udp::DESTINATION == 2 && udp::CHECKSUM == 6);

/// What a verdict depends on, as the bytes stand in a beat; of IPv6 there is no fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Fields {
    /// The packet reaches up to our header's end.
    whole: Bit,
    /// The EtherType is one of IPv4 and IPv6.
    known: Bit,
    class: Bits<2>,
    first: Bits<8>,
    fragment: Bits<16>,
    protocol: Bits<8>,
    destination: Bits<16>,
    checksum: Bits<16>,
    version: Bits<8>,
    flags: Bits<8>,
    place: Bits<16>,
    flow: Bits<16>,
}

/// Which conditions hold, and the first step of the checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Checks {
    class: Bits<2>,
    whole: Bit,
    ip: Bit,
    transport: Bit,
    header: Bit,
    flow: Bit,
    /// The packet has no checksum.
    unsummed: Bit,
    /// The complements of the old checksum and of the old place, added.
    sum: Bits<17>,
}

/// A packet's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Placed {
    class: Bits<2>,
    write: Bit,
    unsummed: Bit,
    place: Bits<16>,
    sum: Bits<17>,
}

/// What is written into a packet: its place and its UDP checksum, as their bytes stand in a beat.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Verdict {
    class: Bits<2>,
    write: Bit,
    place: Bits<16>,
    checksum: Bits<16>,
}

/// Writes the place into each packet of ours that ends its segment, and mends its UDP checksum (RFC 1624). Places are a counter's, one a packet
/// so written, with the bits of `base` set. All other packets pass unchanged, and so do the `M` bits beside each beat.
///
/// A packet is ours here if its EtherType is that of IPv4 (no option, no fragment) or IPv6 behind at most one 802.1Q tag, it is UDP to `cfg_udp_port`, which is
/// not 0, and our header is there as a whole, of version 2, with LAST, without ACK and the flags 4 to 7, its flow below `2^F` of [`Mark::new`]. Lengths and
/// the IPv4 header's checksum are not looked at. Over IPv4 a UDP checksum of 0 stays; one that would become 0 is 0xffff.
///
/// `W` bus bits, `K = W / 8`, `N = W + K + 1 + M`.
///
/// Latency: 13 clocks at 64 bits, 10 at 128, 9 at 256, 8 at 512, from beat to beat, if the packet's beats come without gaps and the output is free: a beat waits for
/// 6, 3, 2 or 1 of its packet behind it, or for the packet's last. Throughput: a beat a clock, and a packet a clock. Back pressure: 17 beats and the one at the output
/// wait, then `s_tready` falls. `tkeep` is looked at with the header's last byte alone.
/// Model: `timely_model::mark::Mark`.
#[derive(LogicBlock)]
pub struct Mark<const W: usize, const K: usize, const M: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; the counter starts at 0.
    pub rst: Signal<In, Bit>,
    /// Our UDP port; 0 stands for none.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// Bits that are set in every place.
    pub base: Signal<In, Bits<16>>,
    /// Beat in: bytes in wire order.
    pub s_tdata: Signal<In, Bits<W>>,
    /// Beat in: bytes that are there.
    pub s_tkeep: Signal<In, Bits<K>>,
    /// Beat in: offered.
    pub s_tvalid: Signal<In, Bit>,
    /// Beat in: taken if offered.
    pub s_tready: Signal<Out, Bit>,
    /// Beat in: the packet's last.
    pub s_tlast: Signal<In, Bit>,
    /// Beat in: bits that go beside it.
    pub s_side: Signal<In, Bits<M>>,
    /// Beat out: bytes in wire order.
    pub m_tdata: Signal<Out, Bits<W>>,
    /// Beat out: bytes that are there.
    pub m_tkeep: Signal<Out, Bits<K>>,
    /// Beat out: offered.
    pub m_tvalid: Signal<Out, Bit>,
    /// Beat out: taken if offered.
    pub m_tready: Signal<In, Bit>,
    /// Beat out: the packet's last.
    pub m_tlast: Signal<Out, Bit>,
    /// Beat out: bits that go beside it.
    pub m_side: Signal<Out, Bits<M>>,
    /// A packet gets a place, one clock a packet, in their order.
    pub marked: Signal<Out, Bit>,
    /// Its place.
    pub marked_place: Signal<Out, Bits<16>>,
    // Constants. Two-byte ones that raw bytes are compared with have their bytes swapped, as the bytes of a beat have.
    vlan: Constant<Bits<16>>,
    ipv4: Constant<Bits<16>>,
    ipv6: Constant<Bits<16>>,
    plain: Constant<Bits<8>>,
    fragmented: Constant<Bits<16>>,
    protocol: Constant<Bits<8>>,
    version: Constant<Bits<8>>,
    judged_flags: Constant<Bits<8>>,
    wanted_flags: Constant<Bits<8>>,
    beyond_flows: Constant<Bits<16>>,
    counted: Constant<Bits<16>>,
    ahead: Constant<Bits<4>>,
    keep_at: Constant<Bits<10>>,
    last_at: Constant<Bits<10>>,
    side_at: Constant<Bits<10>>,
    /// Beat and lane of each word of bytes 8 to 79.
    word_beat: [Constant<Bits<4>>; 9],
    word_lane: [Constant<Bits<9>>; 9],
    /// By class: its number, beat and lane of the header's last byte, and of what is written.
    number: [Constant<Bits<2>>; 4],
    end_beat: [Constant<Bits<4>>; 4],
    end_lane: [Constant<Bits<6>>; 4],
    checksum_beat: [Constant<Bits<4>>; 4],
    checksum_shift: [Constant<Bits<9>>; 4],
    checksum_mask: [Constant<Bits<W>>; 4],
    place_beat: [Constant<Bits<4>>; 4],
    place_shift: [Constant<Bits<9>>; 4],
    place_mask: [Constant<Bits<W>>; 4],
    queue: WideFifo<N, 4, 5>,
    verdicts: LutRam<Verdict, 5>,
    taken: Signal<Local, Bit>,
    entry: Signal<Local, Bits<N>>,
    /// Which beat of its packet comes next; 15 stands for any later one.
    index: DFF<Bits<4>>,
    // Stage 1: the beat, and the packet's head so far.
    valid1: DFF<Bit>,
    last1: DFF<Bit>,
    index1: DFF<Bits<4>>,
    keep1: DFF<Bits<K>>,
    word1: [DFF<Bits<64>>; 9],
    head1: Signal<Local, Bits<576>>,
    kind1: Signal<Local, Bits<16>>,
    end1: Signal<Local, Bits<4>>,
    there1: Signal<Local, Bit>,
    at_end1: Signal<Local, Bit>,
    leaves1: Signal<Local, Bits<3>>,
    /// The class as the beats before say: complete before any beat that settles a verdict.
    vlan1: DFF<Bit>,
    six: DFF<Bit>,
    known: DFF<Bit>,
    class1: Signal<Local, Bits<2>>,
    // Stages 2 to 5 of packets whose verdict is settled.
    settled2: DFF<Bit>,
    fields2: DFF<Fields>,
    class2: Signal<Local, Bits<2>>,
    flow2: Signal<Local, Bits<16>>,
    old_checksum: Signal<Local, Bits<16>>,
    old_place: Signal<Local, Bits<16>>,
    port: Signal<Local, Bits<16>>,
    settled3: DFF<Bit>,
    checks3: DFF<Checks>,
    holds3: Signal<Local, Bit>,
    place3: Signal<Local, Bits<16>>,
    swapped3: Signal<Local, Bits<16>>,
    old3: Signal<Local, Bits<17>>,
    sum3: Signal<Local, Bits<17>>,
    carry3: Signal<Local, Bits<17>>,
    count: DFF<Bits<16>>,
    next_count: Signal<Local, Bits<16>>,
    settled4: DFF<Bit>,
    placed4: DFF<Placed>,
    total4: Signal<Local, Bits<17>>,
    folded4: Signal<Local, Bits<16>>,
    high4: Signal<Local, Bits<16>>,
    low4: Signal<Local, Bits<16>>,
    settled5: DFF<Bit>,
    verdict5: DFF<Verdict>,
    write: DFF<Bits<5>>,
    read: DFF<Bits<5>>,
    /// Beats that may leave: those of stages 2 to 5, and those in the queue.
    leaves: [DFF<Bits<3>>; 4],
    released: DFF<Bits<6>>,
    // Out of the queue.
    head_entry: Signal<Local, Bits<N>>,
    head_last: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    verdict: Signal<Local, Verdict>,
    writes: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<W>>,
    out_index: DFF<Bits<4>>,
    out_valid: DFF<Bit>,
    out_last: DFF<Bit>,
    out_keep: DFF<Bits<K>>,
    out_data: DFF<Bits<W>>,
    out_side: DFF<Bits<M>>,
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Constant<Bits<16>> {
    Constant::new(bits::<16>(x.swap_bytes().into()))
}

impl<const W: usize, const K: usize, const M: usize, const N: usize> Mark<W, K, M, N> {
    /// For flows below `2^flow_bits`, and a counter of `place_bits` bits.
    ///
    /// # Panics
    /// When there is no such bus, or a field has more than 16 bits.
    pub fn new(flow_bits: usize, place_bits: u32) -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert!(W == 8 * K && N == W + K + 1 + M, "widths of a stream of {W} bits");
        assert!(flow_bits <= 16 && (1..=16).contains(&place_bits), "a flow of {flow_bits} bits and a place of {place_bits}: 16 at most");
        let low = |n: u32| ((1u32 << n) - 1) as u16;
        let small = |n: usize| Constant::new(bits::<4>(n as u64));
        let at = |n: usize| Constant::new(bits::<10>(n as u64));
        let end = |c: usize| Class::ALL[c].end() - 1;
        let checksum = |c: usize| Class::ALL[c].udp() + udp::CHECKSUM;
        let place = |c: usize| Class::ALL[c].header() + PLACE;
        let shift = |byte: usize| Constant::new(bits::<9>(8 * (byte % K) as u64));
        let others = |byte: usize| Constant::new(!(bits::<W>(0xffff) << (8 * (byte % K) as u64)));
        construct!({
            vlan: swapped(ethernet::VLAN),
            ipv4: swapped(ethernet::IPV4),
            ipv6: swapped(ethernet::IPV6),
            plain: Constant::new(bits::<8>(ipv4::PLAIN.into())),
            fragmented: swapped(ipv4::MORE_FRAGMENTS | ipv4::FRAGMENT_OFFSET),
            protocol: Constant::new(bits::<8>(udp::PROTOCOL.into())),
            version: Constant::new(bits::<8>(VERSION.into())),
            judged_flags: Constant::new(bits::<8>((LAST | ACK | !FLAGS).into())),
            wanted_flags: Constant::new(bits::<8>(LAST.into())),
            beyond_flows: Constant::new(bits::<16>((!low(flow_bits as u32)).into())),
            counted: Constant::new(bits::<16>(low(place_bits).into())),
            ahead: small(ahead(W)),
            keep_at: at(W),
            last_at: at(W + K),
            side_at: at(W + K + 1),
            word_beat: std::array::from_fn(|i| small(8 * (i + 1) / K)),
            word_lane: std::array::from_fn(|i| Constant::new(bits::<9>(64 * ((i + 1) % (W / 64)) as u64))),
            number: std::array::from_fn(|c| Constant::new(bits::<2>(c as u64))),
            end_beat: std::array::from_fn(|c| small(end(c) / K)),
            end_lane: std::array::from_fn(|c| Constant::new(bits::<6>((end(c) % K) as u64))),
            checksum_beat: std::array::from_fn(|c| small(checksum(c) / K)),
            checksum_shift: std::array::from_fn(|c| shift(checksum(c))),
            checksum_mask: std::array::from_fn(|c| others(checksum(c))),
            place_beat: std::array::from_fn(|c| small(place(c) / K)),
            place_shift: std::array::from_fn(|c| shift(place(c))),
            place_mask: std::array::from_fn(|c| others(place(c))),
        } clk, rst, cfg_udp_port, base, s_tdata, s_tkeep, s_tvalid, s_tready, s_tlast, s_side, m_tdata, m_tkeep, m_tvalid, m_tready, m_tlast, m_side,
            marked, marked_place, queue, verdicts, taken, entry, index, valid1, last1, index1, keep1, head1, kind1, end1, there1, at_end1,
            leaves1, vlan1, six, known, class1, settled2, fields2, class2, flow2, old_checksum, old_place, port, settled3, checks3, holds3, place3,
            swapped3, old3, sum3, carry3, count, next_count, settled4, placed4, total4, folded4, high4, low4, settled5, verdict5, write, read, released,
            head_entry, head_last, free, pop, verdict, writes, bytes, out_index, out_valid, out_last, out_keep, out_data, out_side; word1, leaves)
    }
}

impl<const W: usize, const K: usize, const M: usize, const N: usize> Logic for Mark<W, K, M, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, index, valid1, last1, index1, keep1, vlan1, six, known, settled2, fields2, settled3, checks3, count);
        dff_setup!(self, clk, settled4, placed4, settled5, verdict5, write, read, released);
        dff_setup!(self, clk, out_index, out_valid, out_last, out_keep, out_data, out_side);
        for i in 0..9 {
            self.word1[i].clock.next = self.clk.val();
            self.word1[i].d.next = self.word1[i].q.val();
        }
        for i in 0..4 {
            self.leaves[i].clock.next = self.clk.val();
        }
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.verdicts.clock.next = self.clk.val();

        // Into the queue, and to stage 1.
        self.s_tready.next = self.queue.i_ready.val();
        self.taken.next = self.s_tvalid.val() & self.queue.i_ready.val();
        self.entry.next = (bit_cast::<N, W>(self.s_tdata.val()) | (bit_cast::<N, K>(self.s_tkeep.val()) << self.keep_at.val()))
            | ((bit_cast::<N, 1>(self.s_tlast.val().into()) << self.last_at.val())
                | (bit_cast::<N, M>(self.s_side.val()) << self.side_at.val()));
        self.queue.i_valid.next = self.s_tvalid.val();
        self.queue.i_data.next = self.entry.val();
        self.valid1.d.next = self.taken.val();
        if self.taken.val() {
            self.last1.d.next = self.s_tlast.val();
            self.index1.d.next = self.index.q.val();
            self.keep1.d.next = self.s_tkeep.val();
            if !self.index.q.val().all() {
                self.index.d.next = self.index.q.val() + bits::<4>(1);
            }
            if self.s_tlast.val() {
                self.index.d.next = bits::<4>(0);
            }
        }
        for i in 0..9 {
            if self.taken.val() & (self.index.q.val() == self.word_beat[i].val()) {
                self.word1[i].d.next = self.s_tdata.val().get_bits::<64>(self.word_lane[i].val().index());
            }
        }

        // To stage 2: bytes 8 to 79 are `head1`.
        self.head1.next = ((bit_cast::<576, 64>(self.word1[0].q.val()) | (bit_cast::<576, 64>(self.word1[1].q.val()) << 64))
            | ((bit_cast::<576, 64>(self.word1[2].q.val()) << 128) | (bit_cast::<576, 64>(self.word1[3].q.val()) << 192)))
            | (((bit_cast::<576, 64>(self.word1[4].q.val()) << 256) | (bit_cast::<576, 64>(self.word1[5].q.val()) << 320))
                | (((bit_cast::<576, 64>(self.word1[6].q.val()) << 384) | (bit_cast::<576, 64>(self.word1[7].q.val()) << 448))
                    | (bit_cast::<576, 64>(self.word1[8].q.val()) << 512)));
        self.vlan1.d.next = self.head1.val().get_bits::<16>(32) == self.vlan.val();
        self.kind1.next = self.head1.val().get_bits::<16>(32);
        if self.head1.val().get_bits::<16>(32) == self.vlan.val() {
            self.kind1.next = self.head1.val().get_bits::<16>(64);
        }
        self.six.d.next = self.kind1.val() == self.ipv6.val();
        self.known.d.next = (self.kind1.val() == self.ipv6.val()) | (self.kind1.val() == self.ipv4.val());
        self.class1.next = bit_cast::<2, 1>(self.vlan1.q.val().into()) | (bit_cast::<2, 1>(self.six.q.val().into()) << 1);
        self.end1.next = self.end_beat[0].val();
        self.there1.next = self.keep1.q.val().get_bit(self.end_lane[0].val().index());
        self.fields2.d.next.first = self.head1.val().get_bits::<8>(48);
        self.fields2.d.next.fragment = self.head1.val().get_bits::<16>(96);
        self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(120);
        self.fields2.d.next.destination = self.head1.val().get_bits::<16>(224);
        self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(256);
        self.fields2.d.next.version = self.head1.val().get_bits::<8>(272);
        self.fields2.d.next.flags = self.head1.val().get_bits::<8>(280);
        self.fields2.d.next.place = self.head1.val().get_bits::<16>(304);
        self.fields2.d.next.flow = self.head1.val().get_bits::<16>(320);
        if self.class1.val() == bits::<2>(1) {
            self.end1.next = self.end_beat[1].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[1].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(80);
            self.fields2.d.next.fragment = self.head1.val().get_bits::<16>(128);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(152);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(256);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(288);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(304);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(312);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(336);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(352);
        }
        if self.class1.val() == bits::<2>(2) {
            self.end1.next = self.end_beat[2].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[2].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(48);
            self.fields2.d.next.fragment = bits::<16>(0);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(96);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(384);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(416);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(432);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(440);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(464);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(480);
        }
        if self.class1.val() == bits::<2>(3) {
            self.end1.next = self.end_beat[3].val();
            self.there1.next = self.keep1.q.val().get_bit(self.end_lane[3].val().index());
            self.fields2.d.next.first = self.head1.val().get_bits::<8>(80);
            self.fields2.d.next.fragment = bits::<16>(0);
            self.fields2.d.next.protocol = self.head1.val().get_bits::<8>(128);
            self.fields2.d.next.destination = self.head1.val().get_bits::<16>(416);
            self.fields2.d.next.checksum = self.head1.val().get_bits::<16>(448);
            self.fields2.d.next.version = self.head1.val().get_bits::<8>(464);
            self.fields2.d.next.flags = self.head1.val().get_bits::<8>(472);
            self.fields2.d.next.place = self.head1.val().get_bits::<16>(496);
            self.fields2.d.next.flow = self.head1.val().get_bits::<16>(512);
        }
        // A packet is settled once: with its header's last byte, or its own if that comes before.
        self.at_end1.next = self.index1.q.val() == self.end1.val();
        self.settled2.d.next = self.valid1.q.val() & (self.at_end1.val() | (self.last1.q.val() & (self.index1.q.val() < self.end1.val())));
        self.fields2.d.next.whole = self.at_end1.val() & self.there1.val();
        self.fields2.d.next.known = self.known.q.val();
        self.fields2.d.next.class = self.class1.val();
        self.leaves1.next = bits::<3>(0);
        if self.valid1.q.val() {
            if self.index1.q.val() >= self.ahead.val() {
                self.leaves1.next = bits::<3>(1);
                if self.last1.q.val() {
                    self.leaves1.next = self.ahead.val().get_bits::<3>(0) + bits::<3>(1);
                }
            } else if self.last1.q.val() {
                self.leaves1.next = self.index1.q.val().get_bits::<3>(0) + bits::<3>(1);
            }
        }
        self.leaves[0].d.next = self.leaves1.val();
        for i in 0..3 {
            self.leaves[i + 1].d.next = self.leaves[i].q.val();
        }

        // To stage 3.
        self.port.next = (self.cfg_udp_port.val() >> 8) | (self.cfg_udp_port.val() << 8);
        self.settled3.d.next = self.settled2.q.val();
        self.checks3.d.next.class = self.fields2.q.val().class;
        self.checks3.d.next.whole = self.fields2.q.val().whole & self.fields2.q.val().known;
        self.checks3.d.next.ip =
            (self.fields2.q.val().first == self.plain.val()) & !(self.fields2.q.val().fragment & self.fragmented.val()).any();
        self.class2.next = self.fields2.q.val().class;
        if self.class2.val().get_bit(1) {
            self.checks3.d.next.ip = (self.fields2.q.val().first & bits::<8>(0xf0)) == bits::<8>(0x60);
        }
        self.checks3.d.next.transport = ((self.fields2.q.val().protocol == self.protocol.val())
            & (self.fields2.q.val().destination == self.port.val()))
            & self.port.val().any();
        self.checks3.d.next.header = (self.fields2.q.val().version == self.version.val())
            & ((self.fields2.q.val().flags & self.judged_flags.val()) == self.wanted_flags.val());
        self.flow2.next = (self.fields2.q.val().flow >> 8) | (self.fields2.q.val().flow << 8);
        self.checks3.d.next.flow = !(self.flow2.val() & self.beyond_flows.val()).any();
        self.checks3.d.next.unsummed = !self.fields2.q.val().checksum.any() & !self.class2.val().get_bit(1);
        self.old_checksum.next = !self.fields2.q.val().checksum;
        self.old_place.next = !self.fields2.q.val().place;
        self.checks3.d.next.sum = bit_cast::<17, 16>(self.old_checksum.val()) + bit_cast::<17, 16>(self.old_place.val());

        // To stage 4: sums of ones' complement are the same whichever way the bytes of all words stand.
        self.holds3.next = (self.settled3.q.val() & (self.checks3.q.val().whole & self.checks3.q.val().ip))
            & ((self.checks3.q.val().transport & self.checks3.q.val().header) & self.checks3.q.val().flow);
        self.place3.next = self.base.val() | self.count.q.val();
        self.swapped3.next = (self.place3.val() >> 8) | (self.place3.val() << 8);
        self.old3.next = self.checks3.q.val().sum;
        self.sum3.next = bit_cast::<17, 16>(self.old3.val().get_bits::<16>(0)) + bit_cast::<17, 16>(self.swapped3.val());
        self.carry3.next = bit_cast::<17, 1>(self.old3.val().get_bits::<1>(16));
        self.next_count.next = self.count.q.val() + bits::<16>(1);
        if self.holds3.val() {
            self.count.d.next = self.next_count.val() & self.counted.val();
        }
        self.settled4.d.next = self.settled3.q.val();
        self.placed4.d.next.class = self.checks3.q.val().class;
        self.placed4.d.next.write = self.holds3.val();
        self.placed4.d.next.unsummed = self.checks3.q.val().unsummed;
        self.placed4.d.next.place = self.swapped3.val();
        self.placed4.d.next.sum = self.sum3.val() + self.carry3.val();

        // To stage 5: the last carry comes round, and the sum's two zeros, both 0 when complemented, stand for 0xffff.
        self.total4.next = self.placed4.q.val().sum;
        self.high4.next = bit_cast::<16, 1>(self.total4.val().get_bits::<1>(16));
        self.low4.next = self.total4.val().get_bits::<16>(0);
        self.folded4.next = self.low4.val() + self.high4.val();
        self.settled5.d.next = self.settled4.q.val();
        self.verdict5.d.next.class = self.placed4.q.val().class;
        self.verdict5.d.next.write = self.placed4.q.val().write;
        self.verdict5.d.next.place = self.placed4.q.val().place;
        self.verdict5.d.next.checksum = !self.folded4.val();
        if (self.low4.val().all() & !self.high4.val().any())
            | ((self.low4.val().get_bits::<15>(1).all() & !self.low4.val().get_bit(0)) & self.high4.val().any())
        {
            self.verdict5.d.next.checksum = bits::<16>(0xffff);
        }
        if self.placed4.q.val().unsummed {
            self.verdict5.d.next.checksum = bits::<16>(0);
        }
        self.marked.next = self.settled5.q.val() & self.verdict5.q.val().write;
        self.marked_place.next = (self.verdict5.q.val().place >> 8) | (self.verdict5.q.val().place << 8);

        // Verdicts wait for their packets' last beats, of which there are 17 at most.
        self.verdicts.write_enable.next = self.settled5.q.val();
        self.verdicts.write_address.next = self.write.q.val();
        self.verdicts.write_data.next = self.verdict5.q.val();
        if self.settled5.q.val() {
            self.write.d.next = self.write.q.val() + bits::<5>(1);
        }

        // Out of the queue.
        self.head_entry.next = self.queue.o_data.val();
        self.head_last.next = self.head_entry.val().get_bit(self.last_at.val().index());
        self.free.next = !self.out_valid.q.val() | self.m_tready.val();
        self.pop.next = (self.queue.o_valid.val() & self.released.q.val().any()) & self.free.val();
        self.queue.o_ready.next = self.released.q.val().any() & self.free.val();
        self.released.d.next = self.released.q.val() + bit_cast::<6, 3>(self.leaves[3].q.val());
        if self.pop.val() {
            self.released.d.next = (self.released.q.val() + bit_cast::<6, 3>(self.leaves[3].q.val())) - bits::<6>(1);
        }
        self.verdicts.read_address.next = self.read.q.val();
        self.verdict.next = self.verdicts.read_data.val();
        self.writes.next = self.verdict.val().write & (self.read.q.val() != self.write.q.val());
        self.bytes.next = self.head_entry.val().get_bits::<W>(0);
        for i in 0..4 {
            if (self.writes.val() & (self.verdict.val().class == self.number[i].val()))
                & (self.out_index.q.val() == self.checksum_beat[i].val())
            {
                self.bytes.next = (self.bytes.val() & self.checksum_mask[i].val())
                    | (bit_cast::<W, 16>(self.verdict.val().checksum) << self.checksum_shift[i].val());
            }
            if (self.writes.val() & (self.verdict.val().class == self.number[i].val()))
                & (self.out_index.q.val() == self.place_beat[i].val())
            {
                self.bytes.next = (self.bytes.val() & self.place_mask[i].val())
                    | (bit_cast::<W, 16>(self.verdict.val().place) << self.place_shift[i].val());
            }
        }
        if self.free.val() {
            self.out_valid.d.next = self.queue.o_valid.val() & self.released.q.val().any();
            self.out_data.d.next = self.bytes.val();
            self.out_keep.d.next = self.head_entry.val().get_bits::<K>(self.keep_at.val().index());
            self.out_last.d.next = self.head_last.val();
            self.out_side.d.next = self.head_entry.val().get_bits::<M>(self.side_at.val().index());
        }
        if self.pop.val() {
            if !self.out_index.q.val().all() {
                self.out_index.d.next = self.out_index.q.val() + bits::<4>(1);
            }
            if self.head_last.val() {
                self.out_index.d.next = bits::<4>(0);
                self.read.d.next = self.read.q.val() + bits::<5>(1);
            }
        }
        self.m_tdata.next = self.out_data.q.val();
        self.m_tkeep.next = self.out_keep.q.val();
        self.m_tvalid.next = self.out_valid.q.val();
        self.m_tlast.next = self.out_last.q.val();
        self.m_side.next = self.out_side.q.val();
        if self.rst.val() {
            self.index.d.next = bits::<4>(0);
            self.valid1.d.next = false;
            self.settled2.d.next = false;
            self.settled3.d.next = false;
            self.settled4.d.next = false;
            self.settled5.d.next = false;
            self.count.d.next = bits::<16>(0);
            self.write.d.next = bits::<5>(0);
            self.read.d.next = bits::<5>(0);
            self.released.d.next = bits::<6>(0);
            self.out_index.d.next = bits::<4>(0);
            self.out_valid.d.next = false;
            for i in 0..4 {
                self.leaves[i].d.next = bits::<3>(0);
            }
        }
    }
}
