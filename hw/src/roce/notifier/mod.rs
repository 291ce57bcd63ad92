//! The notification point of DCQCN: congestion notifications (CNPs) for hosts whose RDMA NIC sends
//! none.
mod judge;
mod words;

use crate::array::Array;
use crate::bus::AxisOut;
use crate::constant::Const;
use crate::mac::Crc;
use crate::ram::LutRam;
use judge::Judge;
use rust_hdl::prelude::*;
use timely_model::notifier::{route_register, words};
use timely_regs::wire::Class;
pub use words::Marked;
use words::Words;

/// Answers packets of `2^F` queue pairs that arrive with CE by CNPs, at most one a pair in
/// `cfg_interval`, on a bus of `W` bits; `K` must be `W / 8`, `N` `W / 16`, and `W` 64, 128, 256 or
/// 512. A CNP goes back where the packet came from, to the pair's remote number, with the packet's
/// tag and UDP source port, by annex A17.
///
/// One CNP is made at a time. A pair whose mark found one under way, which is counted, or came
/// within its interval, is owed one: while `watches`, packets without CE are to be shown too, and
/// the pair's next one draws it between one interval and two after the last. A mark that is not
/// known is counted and not answered, and so is one within 4 clocks of another packet. An interval
/// counts modulo 4.3 s; a flow that another pair takes over has the interval of the one before.
///
/// Latency: a CNP of `n` words of 16 bits shows `n + 10` clocks after its mark. Back pressure: a
/// beat stays until it is taken. RAM init takes `2^F` clocks. Model:
/// `timely_model::notifier::Notifier`.
#[derive(LogicBlock, Default)]
pub struct Notifier<const W: usize, const K: usize, const F: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; a CNP under way is dropped.
    pub rst: Signal<In, Bit>,
    /// The RAM is clear; before, marks are ignored.
    pub swept: Signal<Out, Bit>,
    /// A well-formed packet of data arrived, with CE or while `watches`.
    pub mark_valid: Signal<In, Bit>,
    /// The packet has CE.
    pub mark_ce: Signal<In, Bit>,
    /// The table knows its pair, and the packet may be answered.
    pub mark_known: Signal<In, Bit>,
    /// The pair's flow.
    pub mark_flow: Signal<In, Bits<F>>,
    /// The packet's headers, and the pair's remote number.
    pub mark: Signal<In, Marked>,
    /// CNPs are wanted.
    pub cfg_enable: Signal<In, Bit>,
    /// Least time between two CNPs of a pair, ns.
    pub cfg_interval: Signal<In, Bits<24>>,
    /// Type of service or traffic class of CNPs.
    pub cfg_tos: Signal<In, Bits<8>>,
    /// Steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A pair is owed a CNP.
    pub watches: Signal<Out, Bit>,
    /// CNPs.
    pub m: AxisOut<W, K>,
    /// Counted events, by `timely_model::notifier::Pulse`.
    pub pulses: Signal<Out, Bits<3>>,
    judge: Judge<F>,
    // The CNP under way.
    held: DFF<Marked>,
    tos: DFF<Bits<8>>,
    passes: Signal<Local, Bit>,
    // Words, one a clock: numbers skip what the class has not, places do not.
    builds: DFF<Bit>,
    number: DFF<Bits<6>>,
    at: DFF<Bits<6>>,
    words: Words,
    // A clock after a word's number, and two.
    put_1: DFF<Bit>,
    put_at_1: DFF<Bits<6>>,
    covered_1: DFF<Bit>,
    summed_1: DFF<Bit>,
    put: DFF<Bit>,
    put_at: DFF<Bits<6>>,
    covered: DFF<Bit>,
    summed: DFF<Bit>,
    // Check sequence and IPv4 checksum.
    start: Const<Bits<32>>,
    masked: Signal<Local, Bits<16>>,
    term: Signal<Local, Bits<16>>,
    first: Crc,
    second: Crc,
    register: DFF<Bits<32>>,
    icrc: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<17>>,
    carry: Signal<Local, Bits<17>>,
    sum: DFF<Bits<17>>,
    checksum: Signal<Local, Bits<16>>,
    tail: DFF<Bits<3>>,
    // The frame, 16 bits a RAM.
    write: Signal<Local, Bit>,
    write_at: Signal<Local, Bits<6>>,
    write_data: Signal<Local, Bits<16>>,
    writes: DFF<Bit>,
    lane: DFF<Bits<6>>,
    row: DFF<Bits<6>>,
    data: DFF<Bits<16>>,
    lanes: Array<LutRam<Bits<16>, 4>, N>,
    lane_number: Array<Const<Bits<6>>, N>,
    lane_at: Array<Const<Bits<W>>, N>,
    lane_mask: Const<Bits<6>>,
    row_shift: Const<Bits<6>>,
    piece: Signal<Local, Bits<16>>,
    line: Signal<Local, Bits<W>>,
    // Beats of the CNP.
    form: Signal<Local, Bits<2>>,
    final_beat: Signal<Local, Bits<4>>,
    final_keep: Signal<Local, Bits<K>>,
    final_beats: [Const<Bits<4>>; 4],
    final_keeps: [Const<Bits<K>>; 4],
    full_keep: Const<Bits<K>>,
    sends: DFF<Bit>,
    beat: DFF<Bits<4>>,
    free: Signal<Local, Bit>,
    out_valid: DFF<Bit>,
    out_data: DFF<Bits<W>>,
    out_keep: DFF<Bits<K>>,
    out_last: DFF<Bit>,
    sent: DFF<Bit>,
    unknown: DFF<Bit>,
    postponed: DFF<Bit>,
}

impl<const W: usize, const K: usize, const F: usize, const N: usize> Notifier<W, K, F, N> {
    /// The block with its constants.
    ///
    /// # Panics
    /// When `W` is none of its widths, or `K` or `N` does not fit it.
    pub fn new() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert!(K == W / 8 && N == W / 16, "tkeep has a bit a byte, and a lane has 16 bits");
        let of = |class: usize| words(Class::ALL[class]);
        let keep = |n: usize| (0..2 * n).fold(bits::<K>(0), |keep, i| keep.replace_bit(i, true));
        Self {
            start: Const::new(Bits::from(u64::from(route_register()))),
            lanes: Array::default(),
            lane_number: Array::from_fn(|i| Const::new(bits::<6>(i as u64))),
            lane_at: Array::from_fn(|i| Const::new(bits::<W>(16 * i as u64))),
            lane_mask: Const::new(bits::<6>(N as u64 - 1)),
            row_shift: Const::new(bits::<6>(N.ilog2().into())),
            final_beats: std::array::from_fn(|c| Const::new(bits::<4>(of(c).div_ceil(N) as u64 - 1))),
            final_keeps: std::array::from_fn(|c| Const::new(keep((of(c) - 1) % N + 1))),
            full_keep: Const::new(keep(N)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize, const N: usize> Logic for Notifier<W, K, F, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held, tos, builds);
        dff_setup!(self, clk, number, at, put_1, put_at_1, covered_1, summed_1, put, put_at, covered, summed, register, sum, tail);
        dff_setup!(self, clk, writes, lane, row, data, sends, beat, out_valid, out_data, out_keep, out_last, sent, unknown, postponed);
        // A packet, and four clocks later whether it draws a notification.
        self.judge.clk.next = self.clk.val();
        self.judge.rst.next = self.rst.val();
        self.swept.next = self.judge.swept.val();
        self.judge.mark_valid.next = self.mark_valid.val();
        self.judge.mark_ce.next = self.mark_ce.val();
        self.judge.mark_known.next = self.mark_known.val();
        self.judge.mark_flow.next = self.mark_flow.val();
        self.judge.mark.next = self.mark.val();
        self.judge.cfg_enable.next = self.cfg_enable.val();
        self.judge.cfg_interval.next = self.cfg_interval.val();
        self.judge.now.next = self.now.val();
        self.judge.building.next = (self.builds.q.val() | self.sends.q.val()) | self.tail.q.val().any();
        self.watches.next = self.judge.watches.val();
        self.passes.next = self.judge.passes.val();
        if self.passes.val() {
            self.held.d.next = self.judge.headers.val();
        }
        // Words, one a clock.
        self.words.clk.next = self.clk.val();
        self.words.number.next = self.number.q.val();
        self.words.headers.next = self.held.q.val();
        self.words.tos.next = self.tos.q.val();
        self.put_1.d.next = self.builds.q.val();
        self.put_at_1.d.next = self.at.q.val();
        self.covered_1.d.next = self.number.q.val() >= bits::<6>(9);
        self.summed_1.d.next = self.number.q.val() >= bits::<6>(48);
        self.put.d.next = self.put_1.q.val();
        self.put_at.d.next = self.put_at_1.q.val();
        self.covered.d.next = self.put_1.q.val() & self.covered_1.q.val();
        self.summed.d.next = self.put_1.q.val() & self.summed_1.q.val();
        if self.builds.q.val() {
            self.at.d.next = self.at.q.val() + bits::<6>(1);
            self.number.d.next = self.number.q.val() + bits::<6>(1);
            if (self.number.q.val() == bits::<6>(5)) & !self.held.q.val().has_tag {
                self.number.d.next = bits::<6>(8);
            }
            if (self.number.q.val() == bits::<6>(8)) & !self.held.q.val().is_ipv6 {
                self.number.d.next = bits::<6>(48);
            }
            if self.number.q.val() == bits::<6>(57) {
                self.number.d.next = bits::<6>(29);
            }
            if self.number.q.val() == bits::<6>(46) {
                self.builds.d.next = false;
                self.tail.d.next = bits::<3>(1);
            }
        }
        // Two clocks later they are written, and summed.
        self.masked.next = self.words.o_masked.val();
        self.first.register.next = self.register.q.val();
        self.first.octet.next = self.masked.val().get_bits::<8>(0);
        self.second.register.next = self.first.after.val();
        self.second.octet.next = self.masked.val().get_bits::<8>(8);
        if self.covered.q.val() {
            self.register.d.next = self.second.after.val();
        }
        // A sum's carry enters the next one; a word of zeros takes the last one in.
        self.term.next = bits::<16>(0);
        if self.summed.q.val() {
            self.term.next = self.words.o_word.val();
        }
        self.carry.next = bits::<17>(0);
        if self.sum.q.val().get_bit(16) {
            self.carry.next = bits::<17>(1);
        }
        self.total.next = bit_cast::<17, 16>(self.sum.q.val().get_bits::<16>(0)) + bit_cast::<17, 16>(self.term.val());
        self.sum.d.next = self.total.val() + self.carry.val();
        if self.passes.val() {
            self.tos.d.next = self.cfg_tos.val();
            self.builds.d.next = true;
            self.number.d.next = bits::<6>(0);
            self.at.d.next = bits::<6>(0);
            self.register.d.next = self.start.val();
            self.sum.d.next = bits::<17>(0);
        }
        // Then the check sequence, the least significant byte first, and IPv4's checksum.
        self.icrc.next = !self.register.q.val();
        self.checksum.next = !self.sum.q.val().get_bits::<16>(0);
        self.write.next = self.put.q.val();
        self.write_at.next = self.put_at.q.val();
        self.write_data.next = self.words.o_word.val();
        if self.tail.q.val().any() {
            self.tail.d.next = self.tail.q.val() + bits::<3>(1);
        }
        if self.tail.q.val() == bits::<3>(3) {
            self.write.next = true;
            self.write_at.next = self.at.q.val();
            self.write_data.next = self.icrc.val().get_bits::<16>(0);
            self.at.d.next = self.at.q.val() + bits::<6>(1);
        }
        if self.tail.q.val() == bits::<3>(4) {
            self.write.next = true;
            self.write_at.next = self.at.q.val();
            self.write_data.next = self.icrc.val().get_bits::<16>(16);
        }
        if self.tail.q.val() == bits::<3>(5) {
            self.write.next = !self.held.q.val().is_ipv6;
            self.write_at.next = bits::<6>(12);
            if self.held.q.val().has_tag {
                self.write_at.next = bits::<6>(14);
            }
            self.write_data.next = self.checksum.val();
        }
        if self.tail.q.val() == bits::<3>(6) {
            self.tail.d.next = bits::<3>(0);
            self.sends.d.next = true;
            self.beat.d.next = bits::<4>(0);
        }
        self.writes.d.next = self.write.val();
        self.lane.d.next = self.write_at.val() & self.lane_mask.val();
        self.row.d.next = self.write_at.val() >> self.row_shift.val();
        self.data.d.next = self.write_data.val();
        self.line.next = bits::<W>(0);
        for i in 0..N {
            self.lanes[i].clock.next = self.clk.val();
            self.lanes[i].read_address.next = self.beat.q.val();
            self.lanes[i].write_enable.next = self.writes.q.val() & (self.lane.q.val() == self.lane_number[i].val());
            self.lanes[i].write_address.next = self.row.q.val().get_bits::<4>(0);
            self.lanes[i].write_data.next = self.data.q.val();
            self.piece.next = self.lanes[i].read_data.val();
            self.line.next = self.line.val() | (bit_cast::<W, 16>(self.piece.val()) << self.lane_at[i].val());
        }
        // Beats.
        self.form.next = bits::<2>(0);
        if self.held.q.val().has_tag {
            self.form.next = bits::<2>(1);
        }
        if self.held.q.val().is_ipv6 {
            self.form.next = self.form.val() | bits::<2>(2);
        }
        self.final_beat.next = self.final_beats[0].val();
        self.final_keep.next = self.final_keeps[0].val();
        if self.form.val() == bits::<2>(1) {
            self.final_beat.next = self.final_beats[1].val();
            self.final_keep.next = self.final_keeps[1].val();
        }
        if self.form.val() == bits::<2>(2) {
            self.final_beat.next = self.final_beats[2].val();
            self.final_keep.next = self.final_keeps[2].val();
        }
        if self.form.val() == bits::<2>(3) {
            self.final_beat.next = self.final_beats[3].val();
            self.final_keep.next = self.final_keeps[3].val();
        }
        self.free.next = !self.out_valid.q.val() | self.m.tready.val();
        if self.free.val() {
            self.out_valid.d.next = self.sends.q.val();
        }
        if self.free.val() & self.sends.q.val() {
            self.out_data.d.next = self.line.val();
            self.out_keep.d.next = self.full_keep.val();
            self.out_last.d.next = false;
            self.beat.d.next = self.beat.q.val() + bits::<4>(1);
            if self.beat.q.val() == self.final_beat.val() {
                self.out_keep.d.next = self.final_keep.val();
                self.out_last.d.next = true;
                self.sends.d.next = false;
            }
        }
        self.m.tdata.next = self.out_data.q.val();
        self.m.tkeep.next = self.out_keep.q.val();
        self.m.tvalid.next = self.out_valid.q.val();
        self.m.tlast.next = self.out_last.q.val();
        self.sent.d.next = self.passes.val();
        self.unknown.d.next = self.judge.unknown.val();
        self.postponed.d.next = self.judge.postponed.val();
        self.pulses.next = bits::<3>(0);
        if self.sent.q.val() {
            self.pulses.next = self.pulses.val() | bits::<3>(1);
        }
        if self.unknown.q.val() {
            self.pulses.next = self.pulses.val() | bits::<3>(2);
        }
        if self.postponed.q.val() {
            self.pulses.next = self.pulses.val() | bits::<3>(4);
        }
        if self.rst.val() {
            self.builds.d.next = false;
            self.put_1.d.next = false;
            self.put.d.next = false;
            self.tail.d.next = bits::<3>(0);
            self.sends.d.next = false;
            self.out_valid.d.next = false;
            self.sent.d.next = false;
            self.unknown.d.next = false;
            self.postponed.d.next = false;
        }
    }
}
