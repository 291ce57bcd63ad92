//! A word of all profiles, where a stage of the pipeline reads it.
use rust_hdl::prelude::*;

/// The low `W` bits of word `INDEX` of the sixteen profiles.
///
/// `data` holds the word of the profile at `address` one clock later. `bus` is the profile bus, delayed by as many clocks as the reading
/// stage lies behind the issue, so that all stages see a profile change between the same two operations:
/// bit 41 valid, 40..37 profile, 36..32 word, 31..0 data. The RAM has 512 words, of which 16 are used, so that it is block RAM.
#[derive(LogicBlock)]
pub struct ProfileWord<const W: usize, const INDEX: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus: Signal<In, Bits<42>>,
    /// Profile to read.
    pub address: Signal<In, Bits<4>>,
    /// Its word, a clock later.
    pub data: Signal<Out, Bits<W>>,
    index: Constant<Bits<5>>,
    ram: RAM<Bits<W>, 9>,
    mine: Signal<Local, Bit>,
}

impl<const W: usize, const INDEX: usize> Default for ProfileWord<W, INDEX> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            bus: Default::default(),
            address: Default::default(),
            data: Default::default(),
            index: Constant::new((INDEX as u64).into()),
            ram: Default::default(),
            mine: Default::default(),
        }
    }
}

impl<const W: usize, const INDEX: usize> Logic for ProfileWord<W, INDEX> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.read_address.next = bit_cast::<9, 4>(self.address.val());
        self.data.next = self.ram.read_data.val();
        self.mine.next = self.bus.val().get_bits::<5>(32) == self.index.val();
        self.ram.write_address.next = bit_cast::<9, 4>(self.bus.val().get_bits::<4>(37));
        self.ram.write_data.next = self.bus.val().get_bits::<W>(0);
        self.ram.write_enable.next = self.bus.val().get_bit(41) & self.mine.val();
    }
}
