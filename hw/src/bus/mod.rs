//! Buses as single ports of blocks. Fields are named as in the specification of the bus, those of our own as in `timely_model::bus`.
//!
//! `Bus::link` connects a block's port with the same port of a block inside it, `Out::join` the ports of two blocks that stand side by side.
//! A port that is linked outwards must not be joined too: RustHDL emits names that are not declared. Take such a tap field by field.
#![allow(missing_docs, reason = "the bus has one comment for all its fields")]
mod axil;

pub use axil::{AxilMaster, AxilSlave};

/// Directions at the block that drives a bus.
mod source {
    pub type Forth = rust_hdl::prelude::Out;
    pub type Back = rust_hdl::prelude::In;
}

/// Directions at the block that a bus ends at.
mod sink {
    pub type Forth = rust_hdl::prelude::In;
    pub type Back = rust_hdl::prelude::Out;
}

/// The two ports of a bus, alike but for the directions: `Forth` from the source to the sink, `Back` the other way.
macro_rules! bus {
    ($(#[$doc:meta])* $source:ident, $source_name:literal, $sink:ident, $sink_name:literal, [$($generics:tt)*]
        $($dir:ident $field:ident: $kind:ty,)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, LogicInterface)]
        #[join = $sink_name]
        pub struct $source<$($generics)*> {
            $(pub $field: Signal<$crate::bus::source::$dir, $kind>,)*
        }

        $(#[$doc])*
        #[derive(Clone, Debug, Default, LogicInterface)]
        #[join = $source_name]
        pub struct $sink<$($generics)*> {
            $(pub $field: Signal<$crate::bus::sink::$dir, $kind>,)*
        }
    };
}
pub(crate) use bus;
