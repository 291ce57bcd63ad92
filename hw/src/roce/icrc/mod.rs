//! The invariant check sequence of RoCEv2, a beat a clock.
mod lane;
mod matrix;

use crate::array::Array;
use crate::constant::Const;
use crate::rom::Rom;
use lane::Lane;
use matrix::before_zeros;
pub(super) use matrix::{after_zeros, register_row};
use rust_hdl::prelude::*;
use timely_regs::wire::{CRC32_RESIDUE, Class, crc32, ethernet};

/// Checks the sequence of every frame on a bus of `W` bits as if it were a RoCEv2 packet of the
/// class that its EtherTypes name, up to the length in its IP header. With the last beat at clock
/// `t`, `o_holds` says at `t + 11` whether it holds; at other clocks it has no meaning.
///
/// The register is linear, so a beat adds its own part to what its length makes of the register
/// before. A packet's sequence holds if the register is a fixed number behind it; zeros stand
/// behind the packet's end in the last beat, and by their number the register has to be another.
/// The number in a register's name says how many clocks after a beat it holds what belongs to it.
#[derive(LogicBlock, Default)]
pub(super) struct Icrc<const W: usize, const K: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_tdata: Signal<In, Bits<W>>,
    pub s_tvalid: Signal<In, Bit>,
    pub s_tlast: Signal<In, Bit>,
    pub o_holds: Signal<Out, Bit>,
    lane: Array<Lane, N>,
    /// Where in a beat each lane's bytes are, and each lane's number.
    lane_at: Array<Const<Bits<9>>, N>,
    number: Array<Const<Bits<5>>, N>,
    /// The lanes in which bytes 8 to 15 and 16 to 23 arrive, and the first lane of their beats.
    second_at: Const<Bits<9>>,
    third_at: Const<Bits<9>>,
    second_place: Const<Bits<5>>,
    third_place: Const<Bits<5>>,
    lanes: Const<Bits<5>>,
    beat_bytes: Const<Bits<17>>,
    beat_left: Const<Bits<18>>,
    all_lanes: Const<Bits<4>>,
    vlan: Const<Bits<16>>,
    ipv6: Const<Bits<16>>,
    /// By class: bytes in front of what the IP length counts.
    front: [Const<Bits<17>>; 4],
    /// By tag: the register behind the beat with the EtherType, if all of that beat were zeros.
    start: Const<Bits<32>>,
    tagged_start: Const<Bits<32>>,
    row: [Const<Bits<32>>; 32],
    /// By bytes of zeros behind the packet's end: the register of a sequence that holds.
    residues: Rom<Bits<32>, 6>,
    place: DFF<Bits<5>>,
    seen: DFF<Bits<17>>,
    // 1
    data1: DFF<Bits<W>>,
    valid1: DFF<Bit>,
    place1: DFF<Bits<5>>,
    seen1: DFF<Bits<17>>,
    second: Signal<Local, Bits<64>>,
    third: Signal<Local, Bits<64>>,
    // 2
    data2: DFF<Bits<W>>,
    valid2: DFF<Bit>,
    place2: DFF<Bits<5>>,
    seen2: DFF<Bits<17>>,
    sized2: DFF<Bit>,
    vlan2: DFF<Bit>,
    outer6: DFF<Bit>,
    inner6: DFF<Bit>,
    third2: DFF<Bits<64>>,
    is6: Signal<Local, Bit>,
    length: Signal<Local, Bits<16>>,
    // 3
    data3: DFF<Bits<W>>,
    valid3: DFF<Bit>,
    place3: DFF<Bits<5>>,
    seen3: DFF<Bits<17>>,
    sized3: DFF<Bit>,
    vlan3: DFF<Bit>,
    is6_3: DFF<Bit>,
    length3: DFF<Bits<16>>,
    front3: DFF<Bits<17>>,
    // 4
    data4: DFF<Bits<W>>,
    valid4: DFF<Bit>,
    place4: DFF<Bits<5>>,
    seen4: DFF<Bits<17>>,
    sized4: DFF<Bit>,
    vlan4: DFF<Bit>,
    is6_4: DFF<Bit>,
    end4: DFF<Bits<17>>,
    // 5
    data5: DFF<Bits<W>>,
    valid5: DFF<Bit>,
    place5: DFF<Bits<5>>,
    vlan5: DFF<Bit>,
    is6_5: DFF<Bit>,
    /// Bytes from the beat's first to the packet's end, negative behind it.
    left5: DFF<Bits<18>>,
    over: Signal<Local, Bit>,
    behind: Signal<Local, Bits<18>>,
    // 6
    data6: DFF<Bits<W>>,
    counts6: DFF<Bit>,
    starts6: DFF<Bit>,
    vlan6: DFF<Bit>,
    whole6: DFF<Bits<4>>,
    count6: DFF<Bits<3>>,
    zeros6: DFF<Bits<6>>,
    // 7, 8
    counts7: DFF<Bit>,
    starts7: DFF<Bit>,
    vlan7: DFF<Bit>,
    zeros7: DFF<Bits<6>>,
    counts8: DFF<Bit>,
    starts8: DFF<Bit>,
    vlan8: DFF<Bit>,
    zeros8: DFF<Bits<6>>,
    total: Signal<Local, Bits<32>>,
    // 9
    counts9: DFF<Bit>,
    starts9: DFF<Bit>,
    zeros9: DFF<Bits<6>>,
    total9: DFF<Bits<32>>,
    bits: Array<Signal<Local, Bits<32>>, 33>,
    // 10, 11
    register: DFF<Bits<32>>,
    holds: DFF<Bit>,
}

/// A two-byte field as its bytes stand in a beat.
fn swapped(x: u16) -> Const<Bits<16>> {
    Const::new(bits::<16>(x.swap_bytes().into()))
}

impl<const W: usize, const K: usize, const N: usize> Icrc<W, K, N> {
    pub(super) fn new() -> Self {
        let front = |c: Class| if c.ipv6 { c.udp() } else { c.ip() };
        // Eight bytes of ones stand for the route header; the IP header comes next.
        let route = (0..8).fold(u32::MAX, |r, _| crc32(r, 0xff));
        let named = K.max(16);
        let start = |ip: usize| if named >= ip { after_zeros(route, named - ip) } else { before_zeros(route, ip - named) };
        Self {
            lane: Array::from_fn(|i| Lane::new(K - 8 * (i + 1))),
            lane_at: Array::from_fn(|i| Const::new(bits::<9>(64 * i as u64))),
            number: Array::from_fn(|i| Const::new(bits::<5>(i as u64))),
            second_at: Const::new(bits::<9>(64 * (1 % N) as u64)),
            third_at: Const::new(bits::<9>(64 * (2 % N) as u64)),
            second_place: Const::new(bits::<5>((1 - 1 % N) as u64)),
            third_place: Const::new(bits::<5>((2 - 2 % N) as u64)),
            lanes: Const::new(bits::<5>(N as u64)),
            beat_bytes: Const::new(bits::<17>(K as u64)),
            beat_left: Const::new(bits::<18>(K as u64)),
            all_lanes: Const::new(bits::<4>(N as u64)),
            vlan: swapped(ethernet::VLAN),
            ipv6: swapped(ethernet::IPV6),
            front: std::array::from_fn(|c| Const::new(bits::<17>(front(Class::ALL[c]) as u64))),
            start: Const::new(bits::<32>(start(ethernet::BYTES).into())),
            tagged_start: Const::new(bits::<32>(start(ethernet::BYTES + ethernet::TAG_BYTES).into())),
            row: std::array::from_fn(|j| Const::new(bits::<32>(register_row(j, K).into()))),
            residues: Rom::new(|k| bits::<32>(after_zeros(CRC32_RESIDUE, k).into())),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Icrc<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, place, seen, data1, valid1, place1, seen1);
        dff_setup!(self, clk, data2, valid2, place2, seen2, sized2, vlan2, outer6, inner6, third2);
        dff_setup!(self, clk, data3, valid3, place3, seen3, sized3, vlan3, is6_3, length3, front3);
        dff_setup!(self, clk, data4, valid4, place4, seen4, sized4, vlan4, is6_4, end4);
        dff_setup!(self, clk, data5, valid5, place5, vlan5, is6_5, left5);
        dff_setup!(self, clk, data6, counts6, starts6, vlan6, whole6, count6, zeros6);
        dff_setup!(self, clk, counts7, starts7, vlan7, zeros7, counts8, starts8, vlan8, zeros8);
        dff_setup!(self, clk, counts9, starts9, zeros9, total9, register, holds);
        self.residues.clock.next = self.clk.val();
        // To 1: where in the frame the beat is.
        self.data1.d.next = self.s_tdata.val();
        self.valid1.d.next = self.s_tvalid.val();
        self.place1.d.next = self.place.q.val();
        self.seen1.d.next = self.seen.q.val();
        if self.s_tvalid.val() {
            if self.s_tlast.val() {
                self.place.d.next = bits::<5>(0);
                self.seen.d.next = bits::<17>(0);
            } else {
                if !self.place.q.val().get_bit(4) {
                    self.place.d.next = self.place.q.val() + self.lanes.val();
                }
                if !self.seen.q.val().get_bit(16) {
                    self.seen.d.next = self.seen.q.val() + self.beat_bytes.val();
                }
            }
        }
        // To 2: EtherTypes and the word with the IP length.
        self.second.next = self.data1.q.val().get_bits::<64>(self.second_at.val().index());
        self.third.next = self.data1.q.val().get_bits::<64>(self.third_at.val().index());
        self.data2.d.next = self.data1.q.val();
        self.valid2.d.next = self.valid1.q.val();
        self.place2.d.next = self.place1.q.val();
        self.seen2.d.next = self.seen1.q.val();
        self.sized2.d.next = self.place1.q.val() >= self.third_place.val();
        if self.valid1.q.val() & (self.place1.q.val() == self.second_place.val()) {
            self.vlan2.d.next = self.second.val().get_bits::<16>(32) == self.vlan.val();
            self.outer6.d.next = self.second.val().get_bits::<16>(32) == self.ipv6.val();
        }
        if self.valid1.q.val() & (self.place1.q.val() == self.third_place.val()) {
            self.inner6.d.next = self.third.val().get_bits::<16>(0) == self.ipv6.val();
            self.third2.d.next = self.third.val();
        }
        // To 3: class and length.
        self.is6.next = self.outer6.q.val();
        self.length.next = self.third2.q.val().get_bits::<16>(0);
        self.front3.d.next = self.front[0].val();
        if self.outer6.q.val() {
            self.length.next = self.third2.q.val().get_bits::<16>(16);
            self.front3.d.next = self.front[2].val();
        }
        if self.vlan2.q.val() {
            self.is6.next = self.inner6.q.val();
            self.length.next = self.third2.q.val().get_bits::<16>(32);
            self.front3.d.next = self.front[1].val();
            if self.inner6.q.val() {
                self.length.next = self.third2.q.val().get_bits::<16>(48);
                self.front3.d.next = self.front[3].val();
            }
        }
        self.data3.d.next = self.data2.q.val();
        self.valid3.d.next = self.valid2.q.val();
        self.place3.d.next = self.place2.q.val();
        self.seen3.d.next = self.seen2.q.val();
        self.sized3.d.next = self.sized2.q.val();
        self.vlan3.d.next = self.vlan2.q.val();
        self.is6_3.d.next = self.is6.val();
        self.length3.d.next =
            (bit_cast::<16, 8>(self.length.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.length.val().get_bits::<8>(8));
        // To 4: the packet's end.
        self.data4.d.next = self.data3.q.val();
        self.valid4.d.next = self.valid3.q.val();
        self.place4.d.next = self.place3.q.val();
        self.seen4.d.next = self.seen3.q.val();
        self.sized4.d.next = self.sized3.q.val();
        self.vlan4.d.next = self.vlan3.q.val();
        self.is6_4.d.next = self.is6_3.q.val();
        self.end4.d.next = bit_cast::<17, 16>(self.length3.q.val()) + self.front3.q.val();
        // To 5: bytes up to it. The beats in front of the length have more.
        self.data5.d.next = self.data4.q.val();
        self.valid5.d.next = self.valid4.q.val();
        self.place5.d.next = self.place4.q.val();
        self.vlan5.d.next = self.vlan4.q.val();
        self.is6_5.d.next = self.is6_4.q.val();
        self.left5.d.next = self.beat_left.val();
        if self.sized4.q.val() {
            self.left5.d.next = bit_cast::<18, 17>(self.end4.q.val()) - bit_cast::<18, 17>(self.seen4.q.val());
        }
        // To 6: whole lanes in front of the end, bytes in the lane that has it, and bytes of the
        // beat behind it.
        self.over.next = !self.left5.q.val().get_bit(17) & (self.left5.q.val() >= self.beat_left.val());
        self.data6.d.next = self.data5.q.val();
        self.counts6.d.next = self.valid5.q.val() & (!self.left5.q.val().get_bit(17) & self.left5.q.val().any());
        self.starts6.d.next = self.place5.q.val() <= self.second_place.val();
        self.vlan6.d.next = self.vlan5.q.val();
        self.whole6.d.next = self.left5.q.val().get_bits::<4>(3);
        self.count6.d.next = self.left5.q.val().get_bits::<3>(0);
        self.behind.next = self.beat_left.val() - self.left5.q.val();
        self.zeros6.d.next = self.behind.val().get_bits::<6>(0);
        if self.over.val() {
            self.whole6.d.next = self.all_lanes.val();
            self.count6.d.next = bits::<3>(0);
            self.zeros6.d.next = bits::<6>(0);
        }
        // To 8, in the lanes: their sums.
        for i in 0..N {
            self.lane[i].clk.next = self.clk.val();
            self.lane[i].place.next = self.place5.q.val() + self.number[i].val();
            self.lane[i].has_tag.next = self.vlan5.q.val();
            self.lane[i].is_ipv6.next = self.is6_5.q.val();
            self.lane[i].octets.next = self.data6.q.val().get_bits::<64>(self.lane_at[i].val().index());
            self.lane[i].all.next = bit_cast::<5, 4>(self.whole6.q.val()) > self.number[i].val();
            self.lane[i].some.next = bit_cast::<5, 4>(self.whole6.q.val()) == self.number[i].val();
            self.lane[i].count.next = self.count6.q.val();
        }
        self.counts7.d.next = self.counts6.q.val();
        self.starts7.d.next = self.starts6.q.val();
        self.vlan7.d.next = self.vlan6.q.val();
        self.zeros7.d.next = self.zeros6.q.val();
        self.counts8.d.next = self.counts7.q.val();
        self.starts8.d.next = self.starts7.q.val();
        self.vlan8.d.next = self.vlan7.q.val();
        self.zeros8.d.next = self.zeros7.q.val();
        // To 9: the beat's part.
        self.total.next = bits::<32>(0);
        if self.starts8.q.val() {
            self.total.next = self.start.val();
            if self.vlan8.q.val() {
                self.total.next = self.tagged_start.val();
            }
        }
        for i in 0..N {
            self.total.next = self.total.val() ^ self.lane[i].o_sum.val();
        }
        self.total9.d.next = self.total.val();
        self.counts9.d.next = self.counts8.q.val();
        self.starts9.d.next = self.starts8.q.val();
        if self.counts8.q.val() {
            self.zeros9.d.next = self.zeros8.q.val();
        }
        self.residues.address.next = self.zeros9.q.val();
        // To 10: the register; to 11: is it right?
        self.bits[0].next = bits::<32>(0);
        for i in 0..32 {
            self.bits[i + 1].next = self.bits[i].val().replace_bit(i, (self.register.q.val() & self.row[i].val()).xor());
        }
        if self.counts9.q.val() {
            self.register.d.next = self.total9.q.val();
            if !self.starts9.q.val() {
                self.register.d.next = self.total9.q.val() ^ self.bits[32].val();
            }
        }
        self.holds.d.next = self.register.q.val() == self.residues.data.val();
        self.o_holds.next = self.holds.q.val();
        if self.rst.val() {
            self.place.d.next = bits::<5>(0);
            self.seen.d.next = bits::<17>(0);
        }
    }
}
