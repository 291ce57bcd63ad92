//! Events of the engine.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    stage EventStage [F]
    /// `timely_model::bus::Event`: an operation of the engine was done, whether it set a rate or
    /// not.
    ///
    /// `kind` is 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart, 5 RTT and a loss that
    /// lowered the rate, 6 an action of DCQCN, 7 a NAK. `branch` is 0 below Tlow, 1 above Thigh or
    /// by the endpoint, 2 increase, 3 decrease, 4 no law, 5 held. `now_ns` is the time of a sample,
    /// the host's rate, else 0. Rates are in 2^-12 Mb/s; `before` is the law's state before,
    /// `timely_model::engine::law::State::to_words`. `F` flow bits.
    EventOut, "EventOut", EventIn, "EventIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth profile: Bits<4>,
    Forth kind: Bits<3>,
    Forth branch: Bits<3>,
    Forth hyperactive: Bit,
    Forth rtt_ns: Bits<24>,
    Forth hops: Bits<8>,
    Forth endpoint_ns: Bits<24>,
    Forth now_ns: Bits<32>,
    Forth rate_before: Bits<32>,
    Forth rate: Bits<32>,
    Forth before: Bits<160>,
}
