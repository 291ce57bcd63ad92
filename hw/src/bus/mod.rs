//! Buses as single ports of blocks. Fields are named as in the specification of the bus, those of
//! our own as in `timely_model::bus`.
//!
//! `Bus::link` connects a block's port with the same port of a block inside it, `Out::join` the
//! ports of two blocks that stand side by side. An output of an inner block that is linked outwards
//! has no name of its own any more: what else needs it takes it from the outer block's port, by
//! `join` too. From the inner block's, RustHDL emits names that are not declared.
#![allow(missing_docs, reason = "the bus has one comment for all its fields")]
mod ack;
mod axi;
mod axil;
mod cells;
mod charge;
mod doorbell;
mod event;
mod flow_load;
mod frame;
mod grant;
mod pacing;
mod profile_write;
mod query;
mod queue_pair;
mod rate;
mod sample;
mod scheduler;
mod sent;
mod store_write;

pub use ack::{EchoIn, EchoOut, EndedIn, EndedOut};
pub use axi::{AxiMaster, AxiSlave};
pub use axil::{AxilMaster, AxilSlave};
pub use charge::{ChargeIn, ChargeOut};
pub use doorbell::{DoorbellIn, DoorbellOut};
pub use event::{EventIn, EventOut, EventStage};
pub use flow_load::{FlowLoadIn, FlowLoadOut, FlowLoadStage, FlowOptions};
pub use frame::{AxisIn, AxisOut, CompletionIn, CompletionOut, ReceivedIn, ReceivedOut, ReportIn, ReportOut};
pub use frame::{SideAxisIn, SideAxisOut, TaggedAxisIn, TaggedAxisOut};
pub use grant::{GrantIn, GrantOut};
pub use profile_write::{ProfileWriteIn, ProfileWriteOut, ProfileWriteStage};
pub use query::{AnswerIn, AnswerOut, QueryIn, QueryOut, QueryStage};
pub use queue_pair::{PairAnswerIn, PairAnswerOut, PairAskIn, PairAskOut, PairFrameIn, PairFrameOut};
pub use queue_pair::{PairChangeIn, PairChangeOut, PairCommandIn, PairCommandOut, PairFlowIn, PairFlowOut, PairLookIn, PairLookOut};
pub use queue_pair::{
    PairOperationIn, PairOperationOut, PairReplyIn, PairReplyOut, PairResultIn, PairResultOut, PairSourceIn, PairSourceOut, PairToldIn,
    PairToldOut,
};
pub use rate::{FlowPulseIn, FlowPulseOut, FlowPulseStage, HostRateIn, HostRateOut, HostRateStage, RateIn, RateOut, ReleaseIn, ReleaseOut};
pub use sample::{CountedSampleIn, CountedSampleOut, CountedSampleStage, OutcomeIn, OutcomeOut, OutcomeStage};
pub use sample::{SampleIn, SampleOut, SampleTapIn, SampleTapOut};
pub use sent::{CountedFrameIn, CountedFrameOut, CountedFrameStage, SentIn, SentOut};
pub use store_write::{CopyIn, CopyOut, LookIn, LookOut, StoreWriteIn, StoreWriteOut};

pub use cells::{BeatWriteIn, BeatWriteOut, JoinIn, JoinOut, MetaAxisIn, MetaAxisOut, StoredAxisIn, StoredAxisOut};
pub use pacing::{
    FlowStreamIn, FlowStreamOut, FlowSwitchIn, FlowSwitchOut, FlowTraitsIn, FlowTraitsOut, InsertIn, InsertOut, PaidIn, PaidOut, PostIn,
    PostOut, SleepIn, SleepOut,
};
pub use scheduler::{
    AxilWordMaster, AxilWordSlave, DatedCompletionIn, DatedCompletionOut, DescriptorIn, DescriptorOut, PlaceDataIn, PlaceDataOut,
    PlaceReadIn, PlaceReadOut, PlaceWriteIn, PlaceWriteOut, QueueAxisIn, QueueAxisOut, RegisterReadIn, RegisterReadOut, RegisterWriteIn,
    RegisterWriteOut, RequestIn, RequestOut, StatusIn, StatusOut,
};

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

/// The two ports of a bus, alike but for the directions: `Forth` from the source to the sink,
/// `Back` the other way. With `stage`, which takes the names of the generics too, a block that has
/// a register in a bus without `Back`.
macro_rules! bus {
    (stage $stage:ident [$($args:ident),*] $(#[$doc:meta])* $source:ident, $source_name:literal, $sink:ident, $sink_name:literal, [$($generics:tt)*]
        $(Forth $field:ident: $kind:ty,)*) => {
        bus! { $(#[$doc])* $source, $source_name, $sink, $sink_name, [$($generics)*] $(Forth $field: $kind,)* }

        /// The bus, a clock later. Latency: one clock. Throughput: one a clock. Nothing stalls.
        #[derive(Default, LogicBlock)]
        pub struct $stage<$($generics)*> {
            pub clk: Signal<In, Clock>,
            pub rst: Signal<In, Bit>,
            pub i: $sink<$($args),*>,
            pub o: $source<$($args),*>,
            // Arrays, for a field may be a keyword of SystemVerilog.
            $($field: [DFF<$kind>; 1],)*
        }

        impl<$($generics)*> Logic for $stage<$($args),*> {
            #[hdl_gen]
            fn update(&mut self) {
                $(self.$field[0].clock.next = self.clk.val();
                self.$field[0].d.next = self.i.$field.val();
                self.o.$field.next = self.$field[0].q.val();)*
                if self.rst.val() {
                    self.valid[0].d.next = false;
                }
            }
        }
    };
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
