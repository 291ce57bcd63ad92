//! The settings that other blocks read: a register for each row of `timely_regs::map::settings`,
//! and the bus that they leave on.
// `LogicStruct` derives public functions without docs.
#![allow(missing_docs)]
use crate::bus::StoreWriteIn;
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_regs::map::settings::{self, Setting, TABLE};
use timely_regs::settings_table;

/// Holds one setting of `N` bits in `WORDS` words; shows a word the clock after it is written. 0
/// from a reset until the sweep of the store.
#[derive(LogicBlock)]
pub struct Holder<const N: usize, const WORDS: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word of the store is written.
    pub st: StoreWriteIn,
    /// The setting.
    pub value: Signal<Out, Bits<N>>,
    at: [Constant<Bits<10>>; WORDS],
    /// Bits that the writes of other words leave alone, and how far up the word stands.
    others: [Constant<Bits<N>>; WORDS],
    place: [Constant<Bits<7>>; WORDS],
    held: DFF<Bits<N>>,
}

impl<const N: usize, const WORDS: usize> Holder<N, WORDS> {
    /// The register of a setting of `N` bits.
    pub fn new(setting: &Setting) -> Self {
        assert!(setting.bits as usize == N && setting.words() as usize == WORDS, "{} has {} bits, not {N}", setting.name, setting.bits);
        let ones = |bits: usize| (num_bigint::BigUint::from(1u32) << bits) - 1u32;
        let word = |i: usize| ones(N.min(32 * (i + 1))) - ones(32 * i);
        construct!({
            at: std::array::from_fn(|i| Constant::new(bits::<10>(setting.word(i as u32).into()))),
            others: std::array::from_fn(|i| Constant::new((ones(N) - word(i)).into())),
            place: std::array::from_fn(|i| Constant::new(bits::<7>(32 * i as u64))),
        } clk, rst, st, value, held)
    }
}

impl<const N: usize, const WORDS: usize> Logic for Holder<N, WORDS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held);
        for i in 0..WORDS {
            if self.st.valid.val() & (self.st.word.val() == self.at[i].val()) {
                self.held.d.next =
                    (self.held.q.val() & self.others[i].val()) | (bit_cast::<N, 32>(self.st.data.val()) << self.place[i].val());
            }
        }
        self.value.next = self.held.q.val();
        if self.rst.val() {
            self.held.d.next = 0.into();
        }
    }
}

macro_rules! settings {
    ($($block:ident $kind:ident { $($(#[$doc:meta])* $name:ident: $bits:literal { $($registers:tt)* })* })*) => {
        /// All settings as one word, a field for each row of the table; byte 0 of an address, the
        /// first on the wire, is its lowest.
        #[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
        pub struct SettingsBus {
            $($($(#[$doc])* pub $name: Bits<$bits>,)*)*
        }

        /// The settings, each valid the clock after the store is written.
        #[derive(LogicBlock)]
        pub struct Settings {
            /// Clock.
            pub clk: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub rst: Signal<In, Bit>,
            /// A word of the store is written.
            pub st: StoreWriteIn,
            /// The settings.
            pub settings: Signal<Out, SettingsBus>,
            $($($name: Holder<$bits, { usize::div_ceil($bits, 32) }>,)*)*
        }

        impl Default for Settings {
            fn default() -> Self {
                const { assert!(SettingsBus::BITS == settings::BITS, "the bus is as wide as the table") };
                construct!({ $($($name: Holder::new(&TABLE.$name),)*)* } clk, rst, st, settings)
            }
        }

        impl Logic for Settings {
            #[hdl_gen]
            fn update(&mut self) {
                $($(
                    self.$name.clk.next = self.clk.val();
                    self.$name.rst.next = self.rst.val();
                    StoreWriteIn::link(&mut self.st, &mut self.$name.st);
                    self.settings.next.$name = self.$name.value.val();
                )*)*
            }
        }
    };
}
settings_table!(settings);
