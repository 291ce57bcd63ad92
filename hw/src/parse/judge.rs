//! From a frame's first 114 bytes and its length to what it is: `timely_regs::wire::check` in five stages.
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::wire::{ACK, Class, FLAGS, HEADER_BYTES, LAST, VERSION, ethernet, ipv4, udp};

/// What a report says of a frame's kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub(super) struct Verdict {
    kind: Bits<2>,
    reason: Bits<4>,
    pulses: Bits<32>,
}

impl Verdict {
    fn new(kind: u64, counter: Counter) -> Constant<Verdict> {
        let pulses = 1 << (Counter::RxFrames as u8) | 1 << (counter as u8);
        let reason = if kind == 3 { counter as u64 } else { 0 };
        Constant::new(Verdict { kind: kind.into(), reason: reason.into(), pulses: pulses.into() })
    }
}

/// With `ended`, `head`, `stamp` and `bad` at clock `t`, and `bytes` and `broken` at `t + 2`, gives the report at `t + 5`.
/// The number in a register's name says how many clocks after the frame's last beat it holds what belongs to it.
#[derive(LogicBlock)]
pub(super) struct Judge {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// One clock ahead of `ended`.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    pub ended: Signal<In, Bit>,
    pub head: Signal<In, Bits<912>>,
    pub stamp: Signal<In, Bits<64>>,
    pub bad: Signal<In, Bit>,
    pub bytes: Signal<In, Bits<17>>,
    pub broken: Signal<In, Bit>,
    pub o_valid: Signal<Out, Bit>,
    pub o_kind: Signal<Out, Bits<2>>,
    pub o_reason: Signal<Out, Bits<4>>,
    pub o_class: Signal<Out, Bits<2>>,
    pub o_head: Signal<Out, Bits<528>>,
    pub o_hdr: Signal<Out, Bits<384>>,
    pub o_len: Signal<Out, Bits<16>>,
    pub o_ts: Signal<Out, Bits<64>>,
    pub pulses: Signal<Out, Bits<32>>,
    // Two-byte constants that raw bytes are compared with have their bytes swapped, as the bytes of a beat have.
    vlan: Constant<Bits<16>>,
    ipv4: Constant<Bits<16>>,
    ipv6: Constant<Bits<16>>,
    plain: Constant<Bits<8>>,
    protocol: Constant<Bits<8>>,
    version: Constant<Bits<8>>,
    undefined: Constant<Bits<8>>,
    answer: Constant<Bits<8>>,
    lone_ack: Constant<Bits<8>>,
    /// By class: bytes in front of what the IP length counts; bytes up to the end of our header.
    front: [Constant<Bits<17>>; 4],
    whole: [Constant<Bits<17>>; 4],
    /// By IP version: the least IP length with room for our header; what it counts in front of UDP.
    least4: Constant<Bits<16>>,
    least6: Constant<Bits<16>>,
    inside4: Constant<Bits<16>>,
    none: Constant<Verdict>,
    foreign: Constant<Verdict>,
    data: Constant<Verdict>,
    ack: Constant<Verdict>,
    marked: Constant<Verdict>,
    truncated: Constant<Verdict>,
    bad_ip: Constant<Verdict>,
    bad_header: Constant<Verdict>,
    port1: DFF<Bits<16>>,
    // t + 2
    end2: DFF<Bit>,
    head2: DFF<Bits<912>>,
    stamp2: DFF<Bits<64>>,
    bad2: DFF<Bit>,
    port2: DFF<Bits<16>>,
    vlan2: DFF<Bit>,
    outer4: DFF<Bit>,
    outer6: DFF<Bit>,
    inner4: DFF<Bit>,
    inner6: DFF<Bit>,
    /// Sums of two words each of the IPv4 header, from byte 14 on; without a tag it is the first five, with one the last five.
    pair: [DFF<Bits<17>>; 6],
    is6: Signal<Local, Bit>,
    class2: Signal<Local, Bits<2>>,
    words2: Signal<Local, Bits<4>>,
    skip2: Signal<Local, Bits<4>>,
    length2: Signal<Local, Bits<16>>,
    udp2: Signal<Local, Bits<16>>,
    same: [Signal<Local, Bit>; 12],
    hits: Signal<Local, Bits<16>>,
    // t + 3
    end3: DFF<Bit>,
    head3: DFF<Bits<912>>,
    stamp3: DFF<Bits<64>>,
    bad3: DFF<Bit>,
    known3: DFF<Bit>,
    class3: DFF<Bits<2>>,
    first3: DFF<Bits<8>>,
    fragment3: DFF<Bits<16>>,
    protocol3: DFF<Bits<8>>,
    length3: DFF<Bits<16>>,
    udp3: DFF<Bits<16>>,
    /// Whether our port stands at byte 36, 40, 44, ... 80, and at which of these it should.
    hits3: DFF<Bits<16>>,
    place3: DFF<Bits<4>>,
    sum_a3: DFF<Bits<18>>,
    sum_b3: DFF<Bits<18>>,
    sum_c3: DFF<Bits<17>>,
    front3: Signal<Local, Bits<17>>,
    whole3: Signal<Local, Bits<17>>,
    inside3: Signal<Local, Bits<16>>,
    least3: Signal<Local, Bits<16>>,
    // t + 4
    end4: DFF<Bit>,
    head4: DFF<Bits<528>>,
    hdr4: DFF<Bits<384>>,
    stamp4: DFF<Bits<64>>,
    class4: DFF<Bits<2>>,
    marked4: DFF<Bit>,
    bytes4: DFF<Bits<17>>,
    counted4: DFF<Bit>,
    /// Ours, if the frame is long enough to have said so.
    ours4: DFF<Bit>,
    port_end4: DFF<Bits<7>>,
    whole4: DFF<Bit>,
    plain4: DFF<Bit>,
    promised4: DFF<Bits<17>>,
    room4: DFF<Bit>,
    left4: DFF<Bits<16>>,
    udp4: DFF<Bits<16>>,
    sum_ab4: DFF<Bits<19>>,
    sum_c4: DFF<Bits<17>>,
    flags4: Signal<Local, Bits<8>>,
    // t + 5
    end5: DFF<Bit>,
    head5: DFF<Bits<528>>,
    hdr5: DFF<Bits<384>>,
    stamp5: DFF<Bits<64>>,
    class5: DFF<Bits<2>>,
    bytes5: DFF<Bits<16>>,
    marked5: DFF<Bit>,
    ours5: DFF<Bit>,
    whole5: DFF<Bit>,
    plain5: DFF<Bit>,
    cut5: DFF<Bit>,
    fits5: DFF<Bit>,
    spoken5: DFF<Bit>,
    answer5: DFF<Bit>,
    sum5: DFF<Bits<20>>,
    carry5: Signal<Local, Bits<4>>,
    low5: Signal<Local, Bits<4>>,
    summed5: Signal<Local, Bit>,
    // t + 6
    end6: DFF<Bit>,
    head6: DFF<Bits<528>>,
    hdr6: DFF<Bits<384>>,
    stamp6: DFF<Bits<64>>,
    class6: DFF<Bits<2>>,
    bytes6: DFF<Bits<16>>,
    verdict6: DFF<Verdict>,
}

/// A byte count as a constant.
fn bytes<const N: usize>(n: usize) -> Constant<Bits<N>> {
    Constant::new(bits::<N>(n as u64))
}

/// A one-byte field as a constant.
fn byte(x: u8) -> Constant<Bits<8>> {
    Constant::new(bits::<8>(x.into()))
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Constant<Bits<16>> {
    Constant::new(bits::<16>(x.swap_bytes().into()))
}

/// Bytes in front of UDP that the IP length counts.
fn inside(class: Class) -> usize {
    if class.ipv6 { 0 } else { ipv4::BYTES }
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            cfg_udp_port: Default::default(),
            ended: Default::default(),
            head: Default::default(),
            stamp: Default::default(),
            bad: Default::default(),
            bytes: Default::default(),
            broken: Default::default(),
            o_valid: Default::default(),
            o_kind: Default::default(),
            o_reason: Default::default(),
            o_class: Default::default(),
            o_head: Default::default(),
            o_hdr: Default::default(),
            o_len: Default::default(),
            o_ts: Default::default(),
            pulses: Default::default(),
            vlan: swapped(ethernet::VLAN),
            ipv4: swapped(ethernet::IPV4),
            ipv6: swapped(ethernet::IPV6),
            plain: byte(ipv4::PLAIN),
            protocol: byte(udp::PROTOCOL),
            version: byte(VERSION),
            undefined: byte(!FLAGS),
            answer: byte(ACK | LAST),
            lone_ack: byte(ACK),
            front: std::array::from_fn(|c| bytes(Class::ALL[c].udp() - inside(Class::ALL[c]))),
            whole: std::array::from_fn(|c| bytes(Class::ALL[c].end())),
            least4: bytes(ipv4::BYTES + udp::BYTES + HEADER_BYTES),
            least6: bytes(udp::BYTES + HEADER_BYTES),
            inside4: bytes(ipv4::BYTES),
            none: Constant::new(Verdict::default()),
            foreign: Verdict::new(0, Counter::RxForeign),
            data: Verdict::new(1, Counter::RxData),
            ack: Verdict::new(2, Counter::RxAcks),
            marked: Verdict::new(3, Counter::RxBad),
            truncated: Verdict::new(3, Counter::RxTruncated),
            bad_ip: Verdict::new(3, Counter::RxBadIp),
            bad_header: Verdict::new(3, Counter::RxBadHeader),
            port1: Default::default(),
            end2: Default::default(),
            head2: Default::default(),
            stamp2: Default::default(),
            bad2: Default::default(),
            port2: Default::default(),
            vlan2: Default::default(),
            outer4: Default::default(),
            outer6: Default::default(),
            inner4: Default::default(),
            inner6: Default::default(),
            pair: Default::default(),
            is6: Default::default(),
            class2: Default::default(),
            words2: Default::default(),
            skip2: Default::default(),
            length2: Default::default(),
            udp2: Default::default(),
            same: Default::default(),
            hits: Default::default(),
            end3: Default::default(),
            head3: Default::default(),
            stamp3: Default::default(),
            bad3: Default::default(),
            known3: Default::default(),
            class3: Default::default(),
            first3: Default::default(),
            fragment3: Default::default(),
            protocol3: Default::default(),
            length3: Default::default(),
            udp3: Default::default(),
            hits3: Default::default(),
            place3: Default::default(),
            sum_a3: Default::default(),
            sum_b3: Default::default(),
            sum_c3: Default::default(),
            front3: Default::default(),
            whole3: Default::default(),
            inside3: Default::default(),
            least3: Default::default(),
            end4: Default::default(),
            head4: Default::default(),
            hdr4: Default::default(),
            stamp4: Default::default(),
            class4: Default::default(),
            marked4: Default::default(),
            bytes4: Default::default(),
            counted4: Default::default(),
            ours4: Default::default(),
            port_end4: Default::default(),
            whole4: Default::default(),
            plain4: Default::default(),
            promised4: Default::default(),
            room4: Default::default(),
            left4: Default::default(),
            udp4: Default::default(),
            sum_ab4: Default::default(),
            sum_c4: Default::default(),
            flags4: Default::default(),
            end5: Default::default(),
            head5: Default::default(),
            hdr5: Default::default(),
            stamp5: Default::default(),
            class5: Default::default(),
            bytes5: Default::default(),
            marked5: Default::default(),
            ours5: Default::default(),
            whole5: Default::default(),
            plain5: Default::default(),
            cut5: Default::default(),
            fits5: Default::default(),
            spoken5: Default::default(),
            answer5: Default::default(),
            sum5: Default::default(),
            carry5: Default::default(),
            low5: Default::default(),
            summed5: Default::default(),
            end6: Default::default(),
            head6: Default::default(),
            hdr6: Default::default(),
            stamp6: Default::default(),
            class6: Default::default(),
            bytes6: Default::default(),
            verdict6: Default::default(),
        }
    }
}

impl Logic for Judge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, port1, end2, head2, stamp2, bad2, port2, vlan2, outer4, outer6, inner4, inner6);
        dff_setup!(self, clk, end3, head3, stamp3, bad3, known3, class3, first3, fragment3, protocol3, length3, udp3);
        dff_setup!(self, clk, hits3, place3, sum_a3, sum_b3, sum_c3);
        dff_setup!(self, clk, end4, head4, hdr4, stamp4, class4, marked4, bytes4, counted4, ours4, port_end4, whole4, plain4);
        dff_setup!(self, clk, promised4, room4, left4, udp4, sum_ab4, sum_c4);
        dff_setup!(self, clk, end5, head5, hdr5, stamp5, class5, bytes5, marked5, ours5, whole5, plain5, cut5, fits5);
        dff_setup!(self, clk, spoken5, answer5, sum5, end6, head6, hdr6, stamp6, class6, bytes6, verdict6);
        for i in 0..6 {
            self.pair[i].clock.next = self.clk.val();
        }
        self.port1.d.next = (self.cfg_udp_port.val() >> 8) | (self.cfg_udp_port.val() << 8);
        // To t + 2: EtherTypes with and without a tag; sums of pairs of words. (A ones' complement sum does not mind the byte order.)
        self.end2.d.next = self.ended.val();
        self.head2.d.next = self.head.val();
        self.stamp2.d.next = self.stamp.val();
        self.bad2.d.next = self.bad.val();
        self.port2.d.next = self.port1.q.val();
        self.vlan2.d.next = self.head.val().get_bits::<16>(96) == self.vlan.val();
        self.outer4.d.next = self.head.val().get_bits::<16>(96) == self.ipv4.val();
        self.outer6.d.next = self.head.val().get_bits::<16>(96) == self.ipv6.val();
        self.inner4.d.next = self.head.val().get_bits::<16>(128) == self.ipv4.val();
        self.inner6.d.next = self.head.val().get_bits::<16>(128) == self.ipv6.val();
        self.pair[0].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(112)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(128));
        self.pair[1].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(144)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(160));
        self.pair[2].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(176)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(192));
        self.pair[3].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(208)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(224));
        self.pair[4].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(240)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(256));
        self.pair[5].d.next =
            bit_cast::<17, 16>(self.head.val().get_bits::<16>(272)) + bit_cast::<17, 16>(self.head.val().get_bits::<16>(288));
        // To t + 3: the class, and with it the fields that decide; where the destination port is.
        self.end3.d.next = self.end2.q.val();
        self.head3.d.next = self.head2.q.val();
        self.stamp3.d.next = self.stamp2.q.val();
        self.bad3.d.next = self.bad2.q.val();
        self.is6.next = (self.vlan2.q.val() & self.inner6.q.val()) | (!self.vlan2.q.val() & self.outer6.q.val());
        self.known3.d.next = (self.vlan2.q.val() & (self.inner4.q.val() | self.inner6.q.val()))
            | (!self.vlan2.q.val() & (self.outer4.q.val() | self.outer6.q.val()));
        self.class2.next = bit_cast::<2, 1>(self.vlan2.q.val().into()) | (bit_cast::<2, 1>(self.is6.val().into()) << 1);
        self.class3.d.next = self.class2.val();
        self.length2.next = self.head2.q.val().get_bits::<16>(128);
        self.udp2.next = self.head2.q.val().get_bits::<16>(304);
        self.first3.d.next = self.head2.q.val().get_bits::<8>(112);
        self.protocol3.d.next = self.head2.q.val().get_bits::<8>(184);
        match self.class2.val().index() {
            1 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(160);
                self.udp2.next = self.head2.q.val().get_bits::<16>(336);
                self.first3.d.next = self.head2.q.val().get_bits::<8>(144);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(216);
            }
            2 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(144);
                self.udp2.next = self.head2.q.val().get_bits::<16>(464);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(160);
            }
            3 => {
                self.length2.next = self.head2.q.val().get_bits::<16>(176);
                self.udp2.next = self.head2.q.val().get_bits::<16>(496);
                self.first3.d.next = self.head2.q.val().get_bits::<8>(144);
                self.protocol3.d.next = self.head2.q.val().get_bits::<8>(192);
            }
            _ => {}
        }
        self.length3.d.next = (self.length2.val() >> 8) | (self.length2.val() << 8);
        self.udp3.d.next = (self.udp2.val() >> 8) | (self.udp2.val() << 8);
        self.fragment3.d.next = self.head2.q.val().get_bits::<16>(160);
        self.words2.next = self.head2.q.val().get_bits::<4>(112);
        self.sum_c3.d.next = self.pair[0].q.val();
        if self.vlan2.q.val() {
            self.fragment3.d.next = self.head2.q.val().get_bits::<16>(192);
            self.words2.next = self.head2.q.val().get_bits::<4>(144);
            self.sum_c3.d.next = self.pair[5].q.val();
        }
        self.sum_a3.d.next = bit_cast::<18, 17>(self.pair[1].q.val()) + bit_cast::<18, 17>(self.pair[2].q.val());
        self.sum_b3.d.next = bit_cast::<18, 17>(self.pair[3].q.val()) + bit_cast::<18, 17>(self.pair[4].q.val());
        self.skip2.next = bits::<4>(0);
        if self.is6.val() {
            self.skip2.next = bits::<4>(5);
        } else {
            if self.words2.val() > bits::<4>(5) {
                self.skip2.next = self.words2.val() - bits::<4>(5);
            }
        }
        self.place3.d.next = self.skip2.val() + bit_cast::<4, 1>(self.vlan2.q.val().into());
        self.hits.next = bits::<16>(0);
        for i in 0..12 {
            self.same[i].next = self.head2.q.val().get_bits::<16>(288 + i * 32) == self.port2.q.val();
            self.hits.next = self.hits.val().replace_bit(i, self.same[i].val());
        }
        self.hits3.d.next = self.hits.val();
        // To t + 4: what needs one comparison or one sum; our header.
        self.end4.d.next = self.end3.q.val();
        self.head4.d.next = self.head3.q.val().get_bits::<528>(0);
        self.stamp4.d.next = self.stamp3.q.val();
        self.class4.d.next = self.class3.q.val();
        self.counted4.d.next = !self.broken.val() & !self.bytes.val().get_bit(16);
        self.marked4.d.next = self.bad3.q.val() | self.broken.val() | self.bytes.val().get_bit(16);
        self.bytes4.d.next = self.bytes.val();
        match self.class3.q.val().index() {
            0 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(336);
                self.front3.next = self.front[0].val();
                self.whole3.next = self.whole[0].val();
            }
            1 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(368);
                self.front3.next = self.front[1].val();
                self.whole3.next = self.whole[1].val();
            }
            2 => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(496);
                self.front3.next = self.front[2].val();
                self.whole3.next = self.whole[2].val();
            }
            _ => {
                self.hdr4.d.next = self.head3.q.val().get_bits::<384>(528);
                self.front3.next = self.front[3].val();
                self.whole3.next = self.whole[3].val();
            }
        }
        self.ours4.d.next =
            self.known3.q.val() & self.hits3.q.val().get_bit(self.place3.q.val().index()) & (self.protocol3.q.val() == self.protocol.val());
        if self.class3.q.val().get_bit(1) {
            self.plain4.d.next = self.first3.q.val().get_bits::<4>(4) == bits::<4>(6);
            self.least3.next = self.least6.val();
            self.inside3.next = bits::<16>(0);
        } else {
            self.plain4.d.next = (self.first3.q.val() == self.plain.val()) & !self.fragment3.q.val().get_bit(5);
            self.least3.next = self.least4.val();
            self.inside3.next = self.inside4.val();
            if self.fragment3.q.val().get_bits::<5>(0).any() | self.fragment3.q.val().get_bits::<8>(8).any() {
                self.ours4.d.next = false;
            }
        }
        self.port_end4.d.next = (bit_cast::<7, 4>(self.place3.q.val()) << 2) + bits::<7>(38);
        self.whole4.d.next = self.bytes.val() >= self.whole3.val();
        self.promised4.d.next = bit_cast::<17, 16>(self.length3.q.val()) + self.front3.val();
        self.room4.d.next = self.length3.q.val() >= self.least3.val();
        self.left4.d.next = self.length3.q.val() - self.inside3.val();
        self.udp4.d.next = self.udp3.q.val();
        self.sum_ab4.d.next = bit_cast::<19, 18>(self.sum_a3.q.val()) + bit_cast::<19, 18>(self.sum_b3.q.val());
        self.sum_c4.d.next = self.sum_c3.q.val();
        // To t + 5: what needs the second; version and flags.
        self.end5.d.next = self.end4.q.val();
        self.head5.d.next = self.head4.q.val();
        self.hdr5.d.next = self.hdr4.q.val();
        self.stamp5.d.next = self.stamp4.q.val();
        self.class5.d.next = self.class4.q.val();
        self.bytes5.d.next = bits::<16>(0);
        if self.counted4.q.val() {
            self.bytes5.d.next = self.bytes4.q.val().get_bits::<16>(0);
        }
        self.marked5.d.next = self.marked4.q.val();
        self.ours5.d.next = self.ours4.q.val() & (self.bytes4.q.val() >= bit_cast::<17, 7>(self.port_end4.q.val()));
        self.whole5.d.next = self.whole4.q.val();
        self.plain5.d.next = self.plain4.q.val();
        self.cut5.d.next = self.bytes4.q.val() < self.promised4.q.val();
        self.fits5.d.next = self.room4.q.val() & (self.udp4.q.val() == self.left4.q.val());
        self.flags4.next = self.hdr4.q.val().get_bits::<8>(8);
        self.spoken5.d.next = (self.hdr4.q.val().get_bits::<8>(0) == self.version.val())
            & !(self.flags4.val() & self.undefined.val()).any()
            & ((self.flags4.val() & self.answer.val()) != self.lone_ack.val());
        self.answer5.d.next = (self.flags4.val() & self.lone_ack.val()).any();
        self.sum5.d.next = bit_cast::<20, 19>(self.sum_ab4.q.val()) + bit_cast::<20, 17>(self.sum_c4.q.val());
        // To t + 6: the verdict. Ten words fold to 0xffff exactly when the low 16 bits are the complement of the carries.
        self.carry5.next = self.sum5.q.val().get_bits::<4>(16);
        self.low5.next = self.sum5.q.val().get_bits::<4>(0);
        self.summed5.next =
            self.class5.q.val().get_bit(1) | (self.sum5.q.val().get_bits::<12>(4).all() & (self.carry5.val() ^ self.low5.val()).all());
        self.end6.d.next = self.end5.q.val();
        self.head6.d.next = self.head5.q.val();
        self.hdr6.d.next = self.hdr5.q.val();
        self.stamp6.d.next = self.stamp5.q.val();
        self.class6.d.next = self.class5.q.val();
        self.bytes6.d.next = self.bytes5.q.val();
        if self.answer5.q.val() {
            self.verdict6.d.next = self.ack.val();
        } else {
            self.verdict6.d.next = self.data.val();
        }
        if !self.spoken5.q.val() {
            self.verdict6.d.next = self.bad_header.val();
        }
        if !self.fits5.q.val() {
            self.verdict6.d.next = self.bad_ip.val();
        }
        if self.cut5.q.val() {
            self.verdict6.d.next = self.truncated.val();
        }
        if !self.plain5.q.val() | !self.summed5.val() {
            self.verdict6.d.next = self.bad_ip.val();
        }
        if !self.whole5.q.val() {
            self.verdict6.d.next = self.truncated.val();
        }
        if !self.ours5.q.val() {
            self.verdict6.d.next = self.foreign.val();
        }
        if self.marked5.q.val() {
            self.verdict6.d.next = self.marked.val();
        }
        if !self.end5.q.val() | self.rst.val() {
            self.verdict6.d.next = self.none.val();
        }
        if self.rst.val() {
            self.end2.d.next = false;
            self.end3.d.next = false;
            self.end4.d.next = false;
            self.end5.d.next = false;
            self.end6.d.next = false;
        }
        self.o_valid.next = self.end6.q.val();
        self.o_kind.next = self.verdict6.q.val().kind;
        self.o_reason.next = self.verdict6.q.val().reason;
        self.pulses.next = self.verdict6.q.val().pulses;
        self.o_class.next = self.class6.q.val();
        self.o_head.next = self.head6.q.val();
        self.o_hdr.next = self.hdr6.q.val();
        self.o_len.next = self.bytes6.q.val();
        self.o_ts.next = self.stamp6.q.val();
    }
}
