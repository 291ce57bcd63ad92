//! Rates, releases and single events of a flow.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// `timely_model::bus::Rate`: a flow's rate is set, 2^-12 Mb/s. `F` flow bits.
    RateOut, "RateOut", RateIn, "RateIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth value: Bits<32>,
}

bus! {
    stage HostRateStage [F]
    /// The host sets a flow's rate, 2^-12 Mb/s. `F` flow bits.
    HostRateOut, "HostRateOut", HostRateIn, "HostRateIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth rate: Bits<32>,
}

bus! {
    /// `timely_model::bus::Release`: wire bytes of a flow are outstanding no more. `F` flow bits.
    ReleaseOut, "ReleaseOut", ReleaseIn, "ReleaseIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth bytes: Bits<32>,
}

bus! {
    stage FlowPulseStage [F]
    /// An event of a flow that has no value: an idle restart, a lost sample. `F` flow bits.
    FlowPulseOut, "FlowPulseOut", FlowPulseIn, "FlowPulseIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
}
