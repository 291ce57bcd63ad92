//! Grants.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A packet of a flow may leave, from `launch` on, ns48.fns16 of the steady time. `F` flow
    /// bits.
    GrantOut, "GrantOut", GrantIn, "GrantIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth flow: Bits<F>,
    Forth launch: Bits<64>,
}
