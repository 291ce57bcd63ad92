//! The packed words of the engine, by name.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_model::engine::law;
use timely_regs::profile;

packed! {
    /// Profile bus.
    pub struct ProfileWrite {
        /// New value of the word.
        pub data: Bits<32>,
        /// Word of the profile.
        pub word: Bits<5>,
        /// Profile.
        pub profile: Bits<4>,
        /// A word is written.
        pub valid: Bit,
    }

    /// Law of a profile.
    pub enum Law {
        /// The host sets the rate.
        Fixed,
        /// TIMELY.
        Timely,
        /// Patched TIMELY.
        Patched,
        /// Swift.
        Swift,
        /// PI controller.
        Pi,
        /// DCQCN.
        Dcqcn,
        /// No law.
        Unknown6,
        /// No law.
        Unknown7,
        /// No law.
        Unknown8,
        /// No law.
        Unknown9,
        /// No law.
        Unknown10,
        /// No law.
        Unknown11,
        /// No law.
        Unknown12,
        /// No law.
        Unknown13,
        /// No law.
        Unknown14,
        /// No law.
        Unknown15,
    }

    /// Law and options, as word 0 of a profile has them in its low bits.
    pub struct Options {
        /// Law.
        pub law: Law,
        /// Hyperactive increase counts smoothed differences.
        pub hai_smoothed: Bit,
        /// The law has no delta factor.
        pub no_delta: Bit,
        /// An update may halve the rate at most.
        pub half_floor: Bit,
    }

    /// Law and options, and the decoded law that is needed first.
    pub struct LawWord {
        /// Law and options.
        pub options: Options,
        /// The law is Swift.
        pub swift: Bit,
        /// The law is DCQCN.
        pub dcqcn: Bit,
    }

    /// Thigh with its normalisation.
    pub struct High {
        /// Thigh, ns.
        pub ns: Bits<24>,
        /// Leading zeros of Thigh as a 24-bit number.
        pub zeros: Bits<5>,
    }

    /// The hyperactive step with its condition.
    pub struct HyperactiveStep {
        /// Step, 2^-12 Mb/s.
        pub step: Bits<24>,
        /// Negative differences in a row from which it applies.
        pub after: Bits<3>,
    }

    /// A gain with its normalisation: the other factor is shifted left by steps of a number of
    /// bits.
    pub struct Gain {
        /// Mantissa.
        pub mantissa: Bits<30>,
        /// Shift by one step.
        pub shift_1: Bit,
        /// Shift by two steps.
        pub shift_2: Bit,
    }

    /// Word of Swift's greatest decrease and of the normalisation of flow scaling.
    pub struct FlowShift {
        /// Greatest decrease.
        pub most: Bits<28>,
        /// Half the leading zeros of the least rate at which flow scaling is below its bound.
        pub shift: Bits<4>,
    }

    /// Kind of an operation, as `timely_model::engine::law::Kind`.
    pub enum Kind {
        /// An RTT was measured.
        Sample,
        /// A segment was given up.
        Timeout,
        /// The flow was loaded.
        Init,
        /// The host writes the rate.
        Host,
        /// The flow sends again after its idle time.
        Idle,
        /// An RTT was measured, and its loss lowered the rate. Known behind the loss block alone.
        Loss,
        /// The reaction block asked. Known as `Timeout` within the pipeline.
        Reaction,
        /// A NAK told of a loss. Known as `Host` within the pipeline, beside `reacts`.
        Nak,
    }

    /// Action of the reaction block, `timely_model::engine::law::action`; zeros for any other
    /// operation.
    pub struct Action {
        /// A CNP lowers the rate.
        pub cnp: Bit,
        /// Alpha decays.
        pub decay: Bit,
        /// A stage of increase has ended.
        pub increase: Bit,
        /// The stage's steps are hyper steps.
        pub hyper: Bit,
        /// Steps that the target rises by.
        pub steps: Bits<4>,
    }

    /// A word in the queue of host rates.
    pub struct Asked {
        /// The host's rate.
        pub rate: Bits<32>,
        /// No rate of the host's, but an action of the reaction block.
        pub acts: Bit,
        /// The action, or 0.
        pub action: Bits<8>,
    }

    /// The bits of a [`Kind`] that is not `Loss`, where one bit says enough.
    pub struct KindBits {
        /// Time-out, host rate or NAK: no sample, yet an operation with a value.
        pub valued: Bit,
        /// Load or host rate: the rate is replaced; or a NAK.
        pub replaces: Bit,
        /// Idle restart.
        pub idle: Bit,
    }

    /// Branch that decided, as `event_branch` shows it.
    pub enum Decided {
        /// RTT below Tlow.
        BelowLow,
        /// RTT above Thigh; Swift: the endpoint's delay above its target.
        AboveHigh,
        /// Increase by gradient; Swift: both delays below their targets.
        Increase,
        /// Decrease by gradient; Swift: by the fabric's delay.
        Decrease,
        /// No law was consulted.
        NoLaw,
        /// Swift is above a target, but decreased less than an RTT ago.
        Held,
    }

    /// Weight of an operation.
    pub enum Weighs {
        /// None.
        Nothing,
        /// Weight of the gradient's block.
        Gradient,
        /// The decrease above Thigh.
        AboveHigh,
        /// Swift's decrease: the larger of the fabric's and the endpoint's.
        Swift,
    }

    /// Source of the weight, behind the comparisons of Swift's decreases.
    pub enum Pick {
        /// The gradient's block.
        Gradient,
        /// The decrease above Thigh.
        AboveHigh,
        /// Swift's decrease by the fabric's delay.
        Fabric,
        /// Swift's greatest decrease.
        Most,
    }

    /// Rise of an operation.
    pub enum Rises {
        /// None.
        Nothing,
        /// The step.
        Step,
        /// The initial rate.
        Initial,
        /// The host's rate.
        Host,
    }

    /// Law, options and thresholds of an operation.
    pub struct Flags {
        /// The law is `fixed`.
        pub fixed: Bit,
        /// The law is TIMELY.
        pub timely: Bit,
        /// The law is Patched TIMELY or PI.
        pub patched: Bit,
        /// The law is Swift.
        pub swift: Bit,
        /// The law is PI.
        pub pi: Bit,
        /// The law sets rates.
        pub governed: Bit,
        /// An update may halve the rate at most.
        pub half_floor: Bit,
        /// Hyperactive increase counts smoothed differences.
        pub hai_smoothed: Bit,
        /// The RTT is below Tlow.
        pub below_low: Bit,
        /// Swift: the endpoint's delay is above its target.
        pub endpoint_over: Bit,
        /// A law but Swift: the RTT is above Thigh, and not below Tlow.
        pub above_high: Bit,
        /// Patched or PI: the RTT is between the thresholds.
        pub middle: Bit,
        /// Swift decreased an RTT ago or more.
        pub may_fall: Bit,
        /// The law is DCQCN.
        pub dcqcn: Bit,
    }

    /// Whether something is parked in a slot, by a bit that is compared with another.
    pub struct ParkWord {
        pub turn: Bits<1>,
        /// A sample that was parked there told of a loss.
        pub lost: Bit,
    }

    /// A sample as it waits in its queue.
    pub struct Measure {
        /// RTT, ns.
        pub rtt_ns: Bits<24>,
        /// Time, ns.
        pub now_ns: Bits<32>,
        /// Hops.
        pub hops: Bits<8>,
        /// The responder's part, ns.
        pub endpoint_ns: Bits<24>,
        /// The sample is a time-out.
        pub timed_out: Bit,
        /// The sample is a NAK.
        pub nak: Bit,
        /// RTT is below 256 ns.
        pub rtt_short: Bit,
        /// The responder's part is below 256 ns.
        pub endpoint_short: Bit,
    }

    /// A sample as it comes: its ACK may tell of a loss.
    pub struct Sampled {
        /// Sample.
        pub measure: Measure,
        /// The ACK tells of lost packets.
        pub lost: Bit,
    }

    /// Numbers of a sample in its event.
    pub struct Shown {
        /// RTT, ns.
        pub rtt_ns: Bits<24>,
        /// Hops.
        pub hops: Bits<8>,
        /// The responder's part, ns.
        pub endpoint_ns: Bits<24>,
    }

    /// Numbers of an operation in its event.
    pub struct Inputs {
        /// RTT, ns.
        pub rtt_ns: Bits<24>,
        /// Hops.
        pub hops: Bits<8>,
        /// The responder's part, ns.
        pub endpoint_ns: Bits<24>,
        /// Time of a sample, ns, or the host's rate.
        pub value: Bits<32>,
    }

    /// RTT and time of a sample.
    pub struct Stamped {
        /// RTT, ns.
        pub rtt_ns: Bits<24>,
        /// Time, ns.
        pub time_ns: Bits<32>,
    }

    /// The last sample of a flow.
    pub struct Last {
        /// RTT, ns.
        pub rtt_ns: Bits<24>,
        /// Time, ns.
        pub time_ns: Bits<32>,
        /// There was a sample since the flow was loaded, timed out or restarted.
        pub history: Bit,
    }

    /// History of the RTT differences.
    pub struct Filtered {
        /// Negative differences in a row.
        pub negatives: Bits<3>,
        /// Smoothed RTT difference, 2^-13 ns, signed.
        pub average: Bits<38>,
    }

    /// Swift's mark is a time of 32 bits.
    pub struct MarkWord {
        /// Time of Swift's last decrease, ns; low bits of the PI controller's output.
        pub low: Bits<32>,
        /// High bits of the PI controller's output.
        pub high: Bits<8>,
    }

    /// Mark of a flow.
    pub struct Marked {
        /// The mark is valid.
        pub marked: Bit,
        /// PI: what the controller's output goes on from, Q.40. Swift: time of the last decrease.
        /// DCQCN: the target rate.
        pub mark: MarkWord,
    }

    /// State of a flow without its rate; zeros where there is no history.
    pub struct Record {
        /// RTT of the last sample, ns.
        pub rtt_ns: Bits<24>,
        /// Time of the last sample, ns.
        pub time_ns: Bits<32>,
        /// There was a sample since the flow was loaded, timed out or restarted.
        pub history: Bit,
        /// Negative differences in a row.
        pub negatives: Bits<3>,
        /// Smoothed RTT difference, 2^-13 ns, signed.
        pub average: Bits<38>,
        /// The mark is valid.
        pub marked: Bit,
        /// Mark.
        pub mark: MarkWord,
    }

    /// The record before an operation, as its event shows it:
    /// `timely_model::engine::law::State::to_words`.
    pub struct Before {
        /// RTT of the last sample, ns.
        pub rtt_ns: Bits<24>,
        /// There was one.
        pub history: Bit,
        /// Negative differences in a row.
        pub negatives: Bits<3>,
        /// The mark is valid.
        pub marked: Bit,
        /// Zeros.
        pub unused_29: Bits<2>,
        /// The flow sends too little of its rate for samples to raise it.
        pub limited: Bit,
        /// Time of the last sample, ns.
        pub time_ns: Bits<32>,
        /// Smoothed RTT difference, 2^-13 ns, signed.
        pub average: Bits<38>,
        /// Zeros.
        pub unused_102: Bits<2>,
        /// High bits of the mark.
        pub mark_high: Bits<8>,
        /// Zeros.
        pub unused_112: Bits<16>,
        /// Low bits of the mark.
        pub mark_low: Bits<32>,
    }

    /// A rate's reciprocal root.
    pub struct RootWord {
        /// Complement of the mantissa.
        pub complement: Bits<27>,
        /// Exponent.
        pub shift: Bits<4>,
    }
}

impl From<Kind> for KindBits {
    fn from(kind: Kind) -> Self {
        let bits: Bits<3> = kind.into();
        bits.into()
    }
}

// Names here stand for the numbers of registers, events and the model.
const _: () = assert!(Law::Fixed as u32 == profile::LAW_FIXED && Law::Timely as u32 == profile::LAW_TIMELY);
const _: () = assert!(Law::Patched as u32 == profile::LAW_PATCHED && Law::Swift as u32 == profile::LAW_SWIFT);
const _: () = assert!(Law::Pi as u32 == profile::LAW_PI && Law::Dcqcn as u32 == profile::LAW_DCQCN);
const _: () =
    assert!(profile::LAW.word == 0 && profile::HAI_SMOOTHED.low == 4 && profile::NO_DELTA_FACTOR.low == 5 && profile::HALF_FLOOR.low == 6);
const _: () = assert!(Kind::Sample as u8 == law::Kind::Sample as u8 && Kind::Timeout as u8 == law::Kind::Timeout as u8);
const _: () = assert!(Kind::Init as u8 == law::Kind::Init as u8 && Kind::Host as u8 == law::Kind::Host as u8);
const _: () = assert!(Kind::Idle as u8 == law::Kind::Idle as u8 && Kind::Loss as u8 == law::Kind::Loss as u8);
const _: () = assert!(Kind::Reaction as u8 == law::Kind::Reaction as u8 && Kind::Nak as u8 == law::Kind::Nak as u8);
const _: () = assert!(law::action::CNP == 1 && law::action::DECAY == 2 && law::action::INCREASE == 4);
const _: () = assert!(law::action::HYPER == 8 && law::action::STEPS == 4);
const _: () = assert!(Decided::BelowLow as u8 == law::BELOW_LOW && Decided::AboveHigh as u8 == law::ABOVE_HIGH);
const _: () = assert!(Decided::Increase as u8 == law::INCREASE && Decided::Decrease as u8 == law::DECREASE);
const _: () = assert!(Decided::NoLaw as u8 == law::NONE && Decided::Held as u8 == law::HELD);
