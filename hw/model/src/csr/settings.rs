//! The settings that other blocks read, as they follow the writes into the store: a field for each
//! row of `timely_regs::map::settings`.
use timely_regs::map::settings::{Setting, TABLE};
use timely_regs::settings_table;

/// The integer that holds a setting of `BITS` bits.
pub struct Width<const BITS: usize>;

/// The type that holds a setting.
pub trait Holds {
    /// `bool` for 1 bit, else the narrowest unsigned integer.
    type Value;
}

macro_rules! holds {
    ($($value:ty: $($bits:literal)*;)*) => { $($(impl Holds for Width<$bits> { type Value = $value; })*)* };
}
holds! {
    bool: 1;
    u8: 2 3 4 5 6 7 8;
    u16: 9 10 11 12 13 14 15 16;
    u32: 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32;
    u64: 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64;
    u128: 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96;
    u128: 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128;
}

/// A number that takes a 32-bit word of itself at a time.
trait Words: Copy {
    fn wide(self) -> u128;
    fn narrow(value: u128) -> Self;

    fn replace(&mut self, part: u32, data: u32) {
        let shift = 32 * part;
        *self = Self::narrow(self.wide() & !(0xffff_ffff << shift) | u128::from(data) << shift);
    }
}

macro_rules! words {
    ($($value:ty)*) => {
        $(impl Words for $value {
            fn wide(self) -> u128 {
                self.into()
            }
            fn narrow(value: u128) -> Self {
                value as $value
            }
        })*
    };
}
words!(u8 u16 u32 u64 u128);

impl Words for bool {
    fn wide(self) -> u128 {
        self.into()
    }
    fn narrow(value: u128) -> Self {
        value & 1 == 1
    }
}

macro_rules! settings {
    ($($block:ident $kind:ident { $($(#[$doc:meta])* $name:ident: $bits:literal { $($registers:tt)* })* })*) => {
        /// Settings. Byte 0 of an address is its lowest byte.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Settings {
            $($($(#[$doc])* pub $name: <Width<$bits> as Holds>::Value,)*)*
        }

        impl Settings {
            /// Word `word` of the store becomes `data`.
            pub(super) fn write(&mut self, word: u32, data: u32) {
                $($(if let Some(part) = TABLE.$name.part(word) {
                    self.$name.replace(part, data);
                })*)*
            }

            /// Every row of the table with its value, in the order of the bus.
            pub fn rows(&self) -> Vec<(Setting, u128)> {
                vec![$($((TABLE.$name, self.$name.wide())),*),*]
            }

            /// The settings whose values `value` gives, asked in the order of the bus.
            pub fn from_rows(mut value: impl FnMut(&Setting) -> u128) -> Self {
                Settings { $($($name: Words::narrow(value(&TABLE.$name)),)*)* }
            }
        }
    };
}
settings_table!(settings);
