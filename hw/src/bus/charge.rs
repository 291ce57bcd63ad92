//! Costs of packets.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// `timely_model::bus::Charge`: the wire bytes of the packet that answers the oldest uncharged
    /// grant of a flow, 0 if there was none, or what a grant pays for a READ; `ends` with its
    /// segment. `F` flow bits.
    ChargeOut, "ChargeOut", ChargeIn, "ChargeIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth bytes: Bits<16>,
    Forth ends: Bit,
}
