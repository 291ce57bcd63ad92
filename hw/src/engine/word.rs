//! A word of all profiles, where a stage of the pipeline reads it.
use super::words::{Law, LawWord, Options, ProfileWrite};
use crate::construct::construct;
use crate::ram::LutRam;
use rust_hdl::prelude::*;
use timely_regs::profile;

// Word 0 is compared with 0 below.
const _: () = assert!(profile::LAW.word == 0);

/// The low `W` bits of word `INDEX` of the sixteen profiles.
///
/// `data` holds the word of the profile at `address` two clocks later, so that it comes from
/// flip-flops. `bus` is the profile bus, delayed by as many clocks as the reading stage lies behind
/// the issue, so that all stages see a profile change between the same two operations. The RAM has
/// 512 words, of which 16 are used, so that it is block RAM.
#[derive(LogicBlock)]
pub struct ProfileWord<const W: usize, const INDEX: usize> {
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus: Signal<In, ProfileWrite>,
    /// Profile to read.
    pub address: Signal<In, Bits<4>>,
    /// The profile's word, two clocks later.
    pub data: Signal<Out, Bits<W>>,
    index: Constant<Bits<5>>,
    ram: RAM<Bits<W>, 9>,
    mine: Signal<Local, Bit>,
    /// The word that the bus writes, of which the RAM holds the low bits.
    written: Signal<Local, Bits<32>>,
    word: DFF<Bits<W>>,
}

impl<const W: usize, const INDEX: usize> Default for ProfileWord<W, INDEX> {
    fn default() -> Self {
        construct!({ index: Constant::new((INDEX as u64).into()) } clk, bus, address, data, ram, mine, written, word)
    }
}

impl<const W: usize, const INDEX: usize> Logic for ProfileWord<W, INDEX> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, word);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.read_address.next = bit_cast::<9, 4>(self.address.val());
        self.word.d.next = self.ram.read_data.val();
        self.data.next = self.word.q.val();
        self.mine.next = self.bus.val().word == self.index.val();
        self.ram.write_address.next = bit_cast::<9, 4>(self.bus.val().profile);
        self.written.next = self.bus.val().data;
        self.ram.write_data.next = self.written.val().get_bits::<W>(0);
        self.ram.write_enable.next = self.bus.val().valid & self.mine.val();
    }
}

/// The low `W` bits of word `INDEX` of the sixteen profiles, or of word `OTHER`: as
/// [`ProfileWord`], without a choice behind the RAM.
#[derive(LogicBlock)]
pub struct ProfileChoice<const W: usize, const INDEX: usize, const OTHER: usize> {
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus: Signal<In, ProfileWrite>,
    /// Profile to read.
    pub address: Signal<In, Bits<4>>,
    /// Read word `OTHER` of the profile.
    pub other: Signal<In, Bit>,
    /// The profile's word, two clocks later.
    pub data: Signal<Out, Bits<W>>,
    index: Constant<Bits<5>>,
    other_index: Constant<Bits<5>>,
    ram: RAM<Bits<W>, 9>,
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    /// The word that the bus writes, of which the RAM holds the low bits.
    written: Signal<Local, Bits<32>>,
    from: Signal<Local, Bits<5>>,
    to: Signal<Local, Bits<5>>,
    word: DFF<Bits<W>>,
}

impl<const W: usize, const INDEX: usize, const OTHER: usize> Default for ProfileChoice<W, INDEX, OTHER> {
    fn default() -> Self {
        construct!({ index: Constant::new((INDEX as u64).into()), other_index: Constant::new((OTHER as u64).into()) }
            clk, bus, address, other, data, ram, first, second, written, from, to, word)
    }
}

impl<const W: usize, const INDEX: usize, const OTHER: usize> Logic for ProfileChoice<W, INDEX, OTHER> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, word);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.from.next = bit_cast::<5, 4>(self.address.val());
        if self.other.val() {
            self.from.next = bit_cast::<5, 4>(self.address.val()) | bits::<5>(16);
        }
        self.ram.read_address.next = bit_cast::<9, 5>(self.from.val());
        self.word.d.next = self.ram.read_data.val();
        self.data.next = self.word.q.val();
        self.first.next = self.bus.val().word == self.index.val();
        self.second.next = self.bus.val().word == self.other_index.val();
        self.to.next = bit_cast::<5, 4>(self.bus.val().profile);
        if self.second.val() {
            self.to.next = bit_cast::<5, 4>(self.bus.val().profile) | bits::<5>(16);
        }
        self.ram.write_address.next = bit_cast::<9, 5>(self.to.val());
        self.written.next = self.bus.val().data;
        self.ram.write_data.next = self.written.val().get_bits::<W>(0);
        self.ram.write_enable.next = self.bus.val().valid & (self.first.val() | self.second.val());
    }
}

/// Law and options of the sixteen profiles. As [`ProfileWord`], but one clock later: in LUTs, so
/// that it comes from flip-flops all the same.
#[derive(LogicBlock, Default)]
pub struct ProfileLaw {
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus: Signal<In, ProfileWrite>,
    /// Profile to read.
    pub address: Signal<In, Bits<4>>,
    /// Law and options of the profile, a clock later.
    pub data: Signal<Out, LawWord>,
    ram: LutRam<LawWord, 4>,
    word: DFF<LawWord>,
    written: Signal<Local, Bits<32>>,
    options: Signal<Local, Options>,
}

impl Logic for ProfileLaw {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, word);
        self.ram.clock.next = self.clk.val();
        self.ram.read_address.next = self.address.val();
        self.word.d.next = self.ram.read_data.val();
        self.data.next = self.word.q.val();
        self.written.next = self.bus.val().data;
        self.options.next = self.written.val().get_bits::<7>(0).into();
        self.ram.write_address.next = self.bus.val().profile;
        self.ram.write_data.next.options = self.options.val();
        self.ram.write_data.next.swift = self.options.val().law == Law::Swift;
        self.ram.write_data.next.dcqcn = self.options.val().law == Law::Dcqcn;
        self.ram.write_enable.next = self.bus.val().valid & !self.bus.val().word.any();
    }
}
