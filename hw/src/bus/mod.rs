//! Buses as single ports of blocks. Fields are named as in the specification of the bus, those of our own as in `timely_model::bus`.
//!
//! `Bus::link` connects a block's port with the same port of a block inside it, `Out::join` the ports of two blocks that stand side by side.
//! An output of an inner block that is linked outwards has no name of its own any more: what else needs it takes it from the outer block's
//! port, by `join` too. From the inner block's, RustHDL emits names that are not declared.
#![allow(missing_docs, reason = "the bus has one comment for all its fields")]
mod axi;
mod axil;
mod charge;
mod doorbell;
mod flow_load;
mod grant;
mod profile_write;
mod sent;
mod store_write;

pub use axi::{AxiMaster, AxiSlave};
pub use axil::{AxilMaster, AxilSlave};
pub use charge::{ChargeIn, ChargeOut};
pub use doorbell::{DoorbellIn, DoorbellOut};
pub use flow_load::{FlowLoadIn, FlowLoadOut};
pub use grant::{GrantIn, GrantOut};
pub use profile_write::{ProfileWriteIn, ProfileWriteOut};
pub use sent::{SentIn, SentOut};
pub use store_write::{StoreWriteIn, StoreWriteOut};

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
