//! The histograms of the profiles.
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_regs::histogram::{BIN_BITS, BINS, MANTISSA_BITS, VALUE_BITS};

/// Counts the signals that the engine answered, by profile, in the bins of
/// `timely_regs::histogram`; counts wrap.
///
/// Latency: an update counts in what is read 9 clocks later; `count` is that of bin `at`, above it
/// its profile, of 2 clocks before. Throughput: an update and a read every clock, also of one bin.
/// A histogram that is to be cleared is cleared in the clocks without an update, a bit of
/// `clearing` until then. RAM and its copy for reading are cleared for 2^13 clocks after reset.
/// Model: `timely_model::telemetry::histograms`.
#[derive(LogicBlock, Default)]
pub struct Histograms {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// The engine answered something.
    pub event_valid: Signal<In, Bit>,
    /// Kind of the engine's answer: 0 an RTT.
    pub event_kind: Signal<In, Bits<3>>,
    /// The flow's profile.
    pub event_profile: Signal<In, Bits<4>>,
    /// The signal, ns.
    pub event_rtt_ns: Signal<In, Bits<24>>,
    /// The bin that is read.
    pub at: Signal<In, Bits<13>>,
    /// Count of the bin.
    pub count: Signal<Out, Bits<32>>,
    /// Histograms to be cleared, one clock.
    pub clear: Signal<In, Bits<16>>,
    /// Histograms that are not cleared yet.
    pub clearing: Signal<Out, Bits<16>>,
    ram: ApartRam<Bits<32>, 13>,
    copy: RAM<Bits<32>, 13>,
    last_bin: Const<Bits<9>>,
    /// Above the bin that is cleared: all are.
    sweep_at: DFF<Bits<14>>,
    ready: Signal<Local, Bit>,
    settled: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    // Clock 1: the value; 2: its highest bit in the upper byte of 12; 3: the four bits below it; 4:
    // the bin. With profile, and its low bits.
    valid: [DFF<Bit>; 4],
    profile: [DFF<Bits<4>>; 3],
    value: DFF<Bits<24>>,
    small: [DFF<Bits<4>>; 2],
    upper: DFF<Bits<12>>,
    mantissa: DFF<Bits<4>>,
    octave: [DFF<Bits<5>>; 2],
    by_byte: Signal<Local, Bits<12>>,
    bytes: Signal<Local, Bits<5>>,
    by_four: Signal<Local, Bits<8>>,
    by_two: Signal<Local, Bits<6>>,
    by_one: Signal<Local, Bits<4>>,
    fours: Signal<Local, Bits<5>>,
    twos: Signal<Local, Bits<5>>,
    ones: Signal<Local, Bits<5>>,
    bin: DFF<Bits<13>>,
    // Clearing of histograms.
    waiting: DFF<Bits<16>>,
    of: DFF<Bits<16>>,
    of_profile: DFF<Bits<4>>,
    of_bin: DFF<Bits<9>>,
    is_clearing: DFF<Bit>,
    first: Signal<Local, Bits<16>>,
    negative: Signal<Local, Bits<16>>,
    negated: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    // The operation on a counter: 0 enters, 1 captured, 2 forwarded, 3 counted, 4 written. Index k
    // is the register of clock k + 1.
    entering: Signal<Local, Bits<13>>,
    op: [DFF<Bit>; 5],
    op_at: [DFF<Bits<13>>; 5],
    op_clear: [DFF<Bit>; 3],
    same: [DFF<Bit>; 4],
    raw: DFF<Bits<32>>,
    state: DFF<Bits<32>>,
    counted: Signal<Local, Bits<32>>,
    past: [DFF<Bits<32>>; 3],
    shown: DFF<Bits<32>>,
}

impl Histograms {
    /// The block with its constants.
    pub fn new() -> Self {
        const { assert!(BIN_BITS == 9 && MANTISSA_BITS == 4 && VALUE_BITS == 24, "values are cut at fixed bits") };
        Self { last_bin: Const::new(bits::<9>(BINS as u64 - 1)), ..Default::default() }
    }
}

impl Logic for Histograms {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, settled, value, upper, mantissa, bin, waiting, of, of_profile, of_bin, is_clearing, raw, state);
        dff_setup!(self, clk, shown);
        for i in 0..5 {
            self.op[i].clock.next = self.clk.val();
            self.op_at[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.valid[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.profile[i].clock.next = self.clk.val();
            self.op_clear[i].clock.next = self.clk.val();
            self.past[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.small[i].clock.next = self.clk.val();
            self.octave[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.op[i + 1].d.next = self.op[i].q.val();
            self.op_at[i + 1].d.next = self.op_at[i].q.val();
        }
        for i in 0..3 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
        }
        for i in 0..2 {
            self.profile[i + 1].d.next = self.profile[i].q.val();
            self.op_clear[i + 1].d.next = self.op_clear[i].q.val();
            self.past[i + 1].d.next = self.past[i].q.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.copy.read_clock.next = self.clk.val();
        self.copy.write_clock.next = self.clk.val();
        // 3, first because others read it.
        self.counted.next = self.state.q.val() + bits::<32>(1);
        if self.op_clear[2].q.val() {
            self.counted.next = bits::<32>(0);
        }
        self.ready.next = self.sweep_at.q.val().get_bit(13);
        self.sweep.next = !self.ready.val();
        if self.sweep.val() {
            self.sweep_at.d.next = self.sweep_at.q.val() + bits::<14>(1);
        }
        self.settled.d.next = self.ready.val();
        self.swept.next = self.ready.val();

        // The bin. 1: the value as it came.
        self.valid[0].d.next =
            (self.event_valid.val() & self.ready.val()) & (!self.event_kind.val().any() | (self.event_kind.val() == bits::<3>(5)));
        self.profile[0].d.next = self.event_profile.val();
        self.value.d.next = self.event_rtt_ns.val();
        // 2: leading zeros in bytes. Each shift keeps the bits that one of its results may need.
        self.small[0].d.next = self.value.q.val().get_bits::<4>(0);
        self.small[1].d.next = self.small[0].q.val();
        self.by_byte.next = self.value.q.val().get_bits::<12>(12);
        self.bytes.next = bits::<5>(20);
        if !self.value.q.val().get_bits::<16>(8).any() {
            self.by_byte.next = bit_cast::<12, 8>(self.value.q.val().get_bits::<8>(0)) << 4;
            self.bytes.next = bits::<5>(4);
        } else if !self.value.q.val().get_bits::<8>(16).any() {
            self.by_byte.next = self.value.q.val().get_bits::<12>(4);
            self.bytes.next = bits::<5>(12);
        }
        self.upper.d.next = self.by_byte.val();
        self.octave[0].d.next = self.bytes.val();
        // 3: the rest of them. The octave is 20 less the leading zeros; values that have none,
        // below 16, are told apart a clock later.
        self.by_four.next = self.upper.q.val().get_bits::<8>(4);
        self.fours.next = self.octave[0].q.val();
        if !self.upper.q.val().get_bits::<4>(8).any() {
            self.by_four.next = self.upper.q.val().get_bits::<8>(0);
            self.fours.next = self.octave[0].q.val() - bits::<5>(4);
        }
        self.by_two.next = self.by_four.val().get_bits::<6>(2);
        self.twos.next = bits::<5>(0);
        if !self.by_four.val().get_bits::<2>(6).any() {
            self.by_two.next = self.by_four.val().get_bits::<6>(0);
            self.twos.next = bits::<5>(2);
        }
        self.by_one.next = self.by_two.val().get_bits::<4>(1);
        self.ones.next = bits::<5>(0);
        if !self.by_two.val().get_bit(5) {
            self.by_one.next = self.by_two.val().get_bits::<4>(0);
            self.ones.next = bits::<5>(1);
        }
        self.mantissa.d.next = self.by_one.val();
        self.octave[1].d.next = self.fours.val() - (self.twos.val() | self.ones.val());
        // 4: a value below 16 has the bin of its number; its octave came out as 0 or wrapped below.
        self.bin.d.next = (bit_cast::<13, 4>(self.profile[2].q.val()) << 9) | bit_cast::<13, 4>(self.small[1].q.val());
        if self.octave[1].q.val().any() & !self.octave[1].q.val().get_bits::<2>(3).all() {
            self.bin.d.next = (bit_cast::<13, 4>(self.profile[2].q.val()) << 9)
                | (bit_cast::<13, 5>(self.octave[1].q.val()) << 4)
                | bit_cast::<13, 4>(self.mantissa.q.val());
        }

        // Clearing: the histogram of the lowest number, bin by bin.
        self.negative.next = !self.waiting.q.val();
        self.negated.next = self.negative.val() + bits::<16>(1);
        self.first.next = self.waiting.q.val() & self.negated.val();
        self.others.next = !self.first.val();
        if !self.is_clearing.q.val() & self.waiting.q.val().any() {
            self.is_clearing.d.next = true;
            self.waiting.d.next = self.waiting.q.val() & self.others.val();
            self.of.d.next = self.first.val();
            self.of_bin.d.next = bits::<9>(0);
            self.of_profile.d.next = bits::<4>(0)
                .replace_bit(0, (self.first.val() & bits::<16>(0xaaaa)).any())
                .replace_bit(1, (self.first.val() & bits::<16>(0xcccc)).any())
                .replace_bit(2, (self.first.val() & bits::<16>(0xf0f0)).any())
                .replace_bit(3, (self.first.val() & bits::<16>(0xff00)).any());
        }
        // 0: a value first.
        self.op[0].d.next = self.valid[3].q.val() | self.is_clearing.q.val();
        self.op_clear[0].d.next = !self.valid[3].q.val();
        self.entering.next = self.bin.q.val();
        if self.is_clearing.q.val() & !self.valid[3].q.val() {
            self.entering.next = (bit_cast::<13, 4>(self.of_profile.q.val()) << 9) | bit_cast::<13, 9>(self.of_bin.q.val());
            self.of_bin.d.next = self.of_bin.q.val() + bits::<9>(1);
            if self.of_bin.q.val() == self.last_bin.val() {
                self.is_clearing.d.next = false;
                self.of.d.next = bits::<16>(0);
            }
        }
        if self.ready.val() & self.clear.val().any() {
            self.waiting.d.next = self.waiting.q.val() | self.clear.val();
            if !self.is_clearing.q.val() {
                self.waiting.d.next = (self.waiting.q.val() & self.others.val()) | self.clear.val();
            }
        }
        self.clearing.next = self.waiting.q.val() | self.of.q.val();
        self.op_at[0].d.next = self.entering.val();
        self.ram.read_address.next = self.entering.val();
        // 1
        self.raw.d.next = self.ram.read_data.val();
        for i in 0..4 {
            self.same[i].d.next = self.op[i + 1].q.val() & (self.op_at[i + 1].q.val() == self.op_at[0].q.val());
        }
        // 2
        self.state.d.next = self.raw.q.val();
        if self.same[0].q.val() {
            self.state.d.next = self.counted.val();
        } else if self.same[1].q.val() {
            self.state.d.next = self.past[0].q.val();
        } else if self.same[2].q.val() {
            self.state.d.next = self.past[1].q.val();
        } else if self.same[3].q.val() {
            self.state.d.next = self.past[2].q.val();
        }
        // 3
        self.past[0].d.next = self.counted.val();
        // 4
        self.ram.write_enable.next = self.op[3].q.val() | self.sweep.val();
        self.ram.write_address.next = self.op_at[3].q.val();
        self.ram.write_data.next = self.past[0].q.val();
        self.copy.write_enable.next = self.op[3].q.val() | self.sweep.val();
        self.copy.write_address.next = self.op_at[3].q.val();
        self.copy.write_data.next = self.past[0].q.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_at.q.val().get_bits::<13>(0);
            self.ram.write_data.next = bits::<32>(0);
            self.copy.write_address.next = self.sweep_at.q.val().get_bits::<13>(0);
            self.copy.write_data.next = bits::<32>(0);
        }
        self.copy.read_address.next = self.at.val();
        self.shown.d.next = bits::<32>(0);
        if self.settled.q.val() {
            self.shown.d.next = self.copy.read_data.val();
        }
        self.count.next = self.shown.q.val();
        if self.rst.val() {
            self.sweep_at.d.next = bits::<14>(0);
            self.settled.d.next = false;
            self.waiting.d.next = bits::<16>(0);
            self.of.d.next = bits::<16>(0);
            self.is_clearing.d.next = false;
            self.shown.d.next = bits::<32>(0);
            for i in 0..4 {
                self.valid[i].d.next = false;
            }
            for i in 0..5 {
                self.op[i].d.next = false;
            }
        }
    }
}
