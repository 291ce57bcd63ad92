//! Words of named parts that convert from and to plain bits.

/// Structs that derive `LogicStruct`, and states that derive `LogicState`, with the conversion from
/// `Bits` that the derives lack.
///
/// A kernel's `.into()` is transparent in Verilog, so a port, a RAM word or a delay line of plain
/// bits is given names by assigning it to a local signal of such a type. The first part of a struct
/// has the lowest bits. A state's bits beyond its last name stand for the first.
macro_rules! packed {
    () => {};
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)? } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
        }
        impl From<Bits<{ <$name as Synth>::BITS }>> for $name {
            fn from(word: Bits<{ <$name as Synth>::BITS }>) -> Self {
                let mut end = 0;
                Self { $($field: {
                    end += <$type as Synth>::BITS;
                    word.get_bits::<{ <$type as Synth>::BITS }>(end - <$type as Synth>::BITS).into()
                },)* }
            }
        }
        packed! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, LogicState)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)*
        }
        impl From<Bits<{ <$name as Synth>::BITS }>> for $name {
            fn from(word: Bits<{ <$name as Synth>::BITS }>) -> Self {
                [$($name::$variant),*].get(word.index()).copied().unwrap_or_default()
            }
        }
        packed! { $($rest)* }
    };
}
pub(crate) use packed;
