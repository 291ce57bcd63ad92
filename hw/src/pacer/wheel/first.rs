//! Find-first-set over a word of 64, in two steps of a clock each: isolate the bit, then number it.
use rust_hdl::prelude::*;

/// Combinational; the owner puts a register between `one` and `encode`.
///
/// The lowest bit is isolated by two's complement in each half: 32 bits of carry, where a priority chain would be 64 gates deep. It is
/// isolated among all, and then looked at: if it does not count, none does. So the mask is not in front of the carry.
#[derive(LogicBlock, Default)]
pub struct First {
    /// The word.
    pub word: Signal<In, Bits<64>>,
    /// Only bits below this one count,
    pub below: Signal<In, Bits<6>>,
    /// or all.
    pub all: Signal<In, Bit>,
    /// The lowest of those, alone; 0 if there is none.
    pub one: Signal<Out, Bits<64>>,
    /// There is one.
    pub some: Signal<Out, Bit>,
    /// A bit alone.
    pub encode: Signal<In, Bits<64>>,
    /// Its number.
    pub index: Signal<Out, Bits<6>>,
    ones: Signal<Local, Bits<64>>,
    above: Signal<Local, Bits<64>>,
    mask: Signal<Local, Bits<64>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    minus_low: Signal<Local, Bits<32>>,
    minus_high: Signal<Local, Bits<32>>,
    one_low: Signal<Local, Bits<32>>,
    one_high: Signal<Local, Bits<32>>,
    b0: Signal<Local, Bits<64>>,
    b1: Signal<Local, Bits<64>>,
    b2: Signal<Local, Bits<64>>,
    b3: Signal<Local, Bits<64>>,
    b4: Signal<Local, Bits<64>>,
    b5: Signal<Local, Bits<64>>,
}

impl Logic for First {
    #[hdl_gen]
    fn update(&mut self) {
        self.ones.next = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
        self.above.next = self.ones.val() << self.below.val();
        self.mask.next = self.ones.val() ^ self.above.val();
        if self.all.val() {
            self.mask.next = self.ones.val();
        }
        self.low.next = self.word.val().get_bits::<32>(0);
        self.high.next = self.word.val().get_bits::<32>(32);
        self.minus_low.next = bits::<32>(0) - self.low.val();
        self.minus_high.next = bits::<32>(0) - self.high.val();
        self.one_low.next = self.low.val() & self.minus_low.val();
        self.one_high.next = self.high.val() & self.minus_high.val();
        if self.low.val().any() {
            self.one_high.next = bits::<32>(0);
        }
        self.one.next = ((bit_cast::<64, 32>(self.one_high.val()) << 32) | bit_cast::<64, 32>(self.one_low.val())) & self.mask.val();
        self.some.next = (self.word.val() & self.mask.val()).any();
        // Bit k of the number is set by the bits whose number has it.
        self.b0.next = 0xAAAA_AAAA_AAAA_AAAA_u64.into();
        self.b1.next = 0xCCCC_CCCC_CCCC_CCCC_u64.into();
        self.b2.next = 0xF0F0_F0F0_F0F0_F0F0_u64.into();
        self.b3.next = 0xFF00_FF00_FF00_FF00_u64.into();
        self.b4.next = 0xFFFF_0000_FFFF_0000_u64.into();
        self.b5.next = 0xFFFF_FFFF_0000_0000_u64.into();
        self.b0.next = self.b0.val() & self.encode.val();
        self.b1.next = self.b1.val() & self.encode.val();
        self.b2.next = self.b2.val() & self.encode.val();
        self.b3.next = self.b3.val() & self.encode.val();
        self.b4.next = self.b4.val() & self.encode.val();
        self.b5.next = self.b5.val() & self.encode.val();
        self.index.next = bit_cast::<6, 1>(self.b0.val().any().into())
            | (bit_cast::<6, 1>(self.b1.val().any().into()) << 1)
            | (bit_cast::<6, 1>(self.b2.val().any().into()) << 2)
            | (bit_cast::<6, 1>(self.b3.val().any().into()) << 3)
            | (bit_cast::<6, 1>(self.b4.val().any().into()) << 4)
            | (bit_cast::<6, 1>(self.b5.val().any().into()) << 5);
    }
}
