//! The packed words of the reaction block, by name.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_model::reaction::RELEASED_BITS;
use timely_model::reaction::periods::{BYTES_BITS, STAGES_MAX, TIME_BITS};

packed! {
    /// A flow's word, `timely_model::reaction::periods::Word`. Times are ns.
    pub struct Word {
        /// When the last CNP came, or the next will.
        pub cnp_at: Bits<24>,
        /// When the period of alpha under way began.
        pub alpha_at: Bits<24>,
        /// When the stage of the timer under way began.
        pub stage_at: Bits<24>,
        /// Bytes of the stage of the byte counter under way.
        pub bytes: Bits<25>,
        /// Ended stages of the timer since the last CNP.
        pub by_time: Bits<4>,
        /// Ended stages of the byte counter.
        pub by_bytes: Bits<4>,
        /// The times are valid.
        pub started: Bit,
        /// A CNP came.
        pub notified: Bit,
        /// A CNP is to come.
        pub pending: Bit,
        /// A mark came when that CNP was due already.
        pub another: Bit,
    }

    /// A sample as it waits.
    pub struct Seen {
        /// Flow.
        pub flow: Bits<16>,
        /// The flow's profile.
        pub profile: Bits<4>,
        /// The ACK echoes CE.
        pub marked: Bit,
        /// Bytes that the ACK released.
        pub bytes: Bits<24>,
    }

    /// A flow that is to be looked at again.
    pub struct Again {
        /// Flow.
        pub flow: Bits<16>,
        /// The flow's profile.
        pub profile: Bits<4>,
    }
}

// A kernel takes literals alone.
const _: () = assert!(TIME_BITS == 24 && BYTES_BITS == 25 && RELEASED_BITS == 24 && STAGES_MAX == 15);
