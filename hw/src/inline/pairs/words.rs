//! The packed words of the form with queue pairs, by name.
#![allow(missing_docs, reason = "the derives' methods")]
use crate::packed::packed;
use rust_hdl::prelude::*;

packed! {
    /// A request, as it travels beside its packet through the store.
    pub struct RequestInfo {
        /// Packet sequence number.
        pub psn: Bits<24>,
        /// A READ request.
        pub read: Bit,
        /// The packet asks for an ACK.
        pub asks: Bit,
        /// Bytes of payload, or that are to be read.
        pub bytes: Bits<32>,
        /// The flow.
        pub flow: Bits<14>,
    }

    /// A request that waits in front of the store.
    pub struct WaitingInfo {
        /// Packet sequence number.
        pub psn: Bits<24>,
        /// A READ request.
        pub read: Bit,
        /// The packet asks for an ACK.
        pub asks: Bit,
        /// Bytes of payload; of a READ the lower half of those to be read.
        pub bytes: Bits<16>,
        /// The frame's byte at which its check sequence begins, and its class. Of a READ the two
        /// are the upper half of its bytes.
        pub place: Bits<14>,
        /// Bit 0 VLAN, bit 1 IPv6.
        pub ip_class: Bits<2>,
    }

    /// An answer whose pair is looked up.
    pub struct AnswerInfo {
        /// As on the bus of answers.
        pub verb: Bits<2>,
        /// A congestion notification, and no answer.
        pub notifies: Bit,
        /// Data, and no answer.
        pub data: Bit,
        /// The packet met congestion, or a pair is owed a notification: one may answer it.
        pub draws: Bit,
        /// The frame is addressed to the port.
        pub ours: Bit,
        /// Packet sequence number.
        pub psn: Bits<24>,
        /// Bytes of payload.
        pub bytes: Bits<16>,
        /// Stamp of arrival, ns48.fns16.
        pub ts: Bits<64>,
        /// A READ response that met congestion.
        pub marked: Bit,
    }

    /// Syndrome of an answer.
    pub struct Syndrome {
        /// Credits, timer or reason.
        pub value: Bits<5>,
        /// 0 ACK, 1 receiver not ready, 3 NAK.
        pub kind: Bits<2>,
        /// Reserved.
        pub reserved: Bit,
    }
}
