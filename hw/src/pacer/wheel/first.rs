//! Find-first-set over a word of 16, in two steps of a clock each: isolate the bit, then number it.
use rust_hdl::prelude::*;

/// Combinational; the owner puts a register between `one` and `encode`.
///
/// The lowest bit is isolated by two's complement: 16 bits of carry, where a priority chain would
/// be 16 gates deep. It is isolated among all, and then looked at: if it does not count, none does.
/// So the mask is not in front of the carry.
#[derive(LogicBlock, Default)]
pub struct First {
    /// The word.
    pub word: Signal<In, Bits<16>>,
    /// Only bits below this one count,
    pub below: Signal<In, Bits<4>>,
    /// or all.
    pub all: Signal<In, Bit>,
    /// The lowest of those, alone; 0 if there is none.
    pub one: Signal<Out, Bits<16>>,
    /// A bit that counts is set.
    pub some: Signal<Out, Bit>,
    /// A bit alone.
    pub encode: Signal<In, Bits<16>>,
    /// Number of the bit in `encode`.
    pub index: Signal<Out, Bits<4>>,
    ones: Signal<Local, Bits<16>>,
    above: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    minus: Signal<Local, Bits<16>>,
    b0: Signal<Local, Bits<16>>,
    b1: Signal<Local, Bits<16>>,
    b2: Signal<Local, Bits<16>>,
    b3: Signal<Local, Bits<16>>,
}

impl Logic for First {
    #[hdl_gen]
    fn update(&mut self) {
        self.ones.next = bits::<16>(65535);
        self.above.next = self.ones.val() << self.below.val();
        self.mask.next = self.ones.val() ^ self.above.val();
        if self.all.val() {
            self.mask.next = self.ones.val();
        }
        self.minus.next = bits::<16>(0) - self.word.val();
        self.one.next = (self.word.val() & self.minus.val()) & self.mask.val();
        self.some.next = (self.word.val() & self.mask.val()).any();
        // Bit k of the number is set by the bits whose number has it.
        self.b0.next = self.encode.val() & bits::<16>(43690);
        self.b1.next = self.encode.val() & bits::<16>(52428);
        self.b2.next = self.encode.val() & bits::<16>(61680);
        self.b3.next = self.encode.val() & bits::<16>(65280);
        self.index.next = bit_cast::<4, 1>(self.b0.val().any().into())
            | (bit_cast::<4, 1>(self.b1.val().any().into()) << 1)
            | (bit_cast::<4, 1>(self.b2.val().any().into()) << 2)
            | (bit_cast::<4, 1>(self.b3.val().any().into()) << 3);
    }
}
