//! Writes RoCEv2 frames, for tests and traffic.
use super::{AETH_BYTES, BTH_BYTES, PORT, RETH_BYTES, icrc, layout, offset};
use crate::wire::Envelope;

/// The base transport header, field by field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Bth {
    /// Opcode.
    pub opcode: u8,
    /// Solicited event.
    pub solicited: bool,
    /// Partition key.
    pub partition_key: u16,
    /// FECN, BECN and reserved bits.
    pub congestion: u8,
    /// Queue pair of the receiver, 24 bits.
    pub queue_pair: u32,
    /// The receiver has to answer.
    pub ack_request: bool,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
}

/// The fields behind it, of packets whose opcode has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Extension {
    /// Address of an RDMA message.
    pub address: u64,
    /// Key of an RDMA message.
    pub key: u32,
    /// Length of an RDMA message in bytes.
    pub message_bytes: u32,
    /// Syndrome of an answer.
    pub syndrome: u8,
    /// Number of messages that the responder completed, 24 bits.
    pub message: u32,
}

impl Bth {
    /// The frame without FCS, padded to words of 4 bytes, with all lengths and check sequences
    /// right. The UDP checksum is 0, as A17 asks; the UDP destination port is RoCEv2's whatever the
    /// envelope's.
    ///
    /// # Panics
    /// When the payload does not fit an IP packet.
    pub fn frame(&self, envelope: &Envelope, extension: &Extension, payload: &[u8]) -> Vec<u8> {
        let layout = layout(self.opcode);
        let pad = payload.len().wrapping_neg() & 3;
        let mut body = vec![0; BTH_BYTES];
        body[offset::OPCODE] = self.opcode;
        body[offset::FLAGS] = u8::from(self.solicited) << 7 | (pad as u8) << 4;
        body[2..4].copy_from_slice(&self.partition_key.to_be_bytes());
        body[offset::CONGESTION] = self.congestion;
        body[offset::QUEUE_PAIR..][..3].copy_from_slice(&self.queue_pair.to_be_bytes()[1..]);
        body[offset::ACK_REQUEST] = u8::from(self.ack_request) << 7;
        body[offset::PSN..][..3].copy_from_slice(&self.psn.to_be_bytes()[1..]);
        if layout.rdma {
            body.extend(extension.address.to_be_bytes());
            body.extend(extension.key.to_be_bytes());
            body.extend(extension.message_bytes.to_be_bytes());
            debug_assert_eq!(body.len(), BTH_BYTES + RETH_BYTES);
        }
        if layout.answers {
            body.push(extension.syndrome);
            body.extend(&extension.message.to_be_bytes()[1..]);
            debug_assert_eq!(body.len(), BTH_BYTES + AETH_BYTES);
        }
        body.resize(BTH_BYTES + layout.extension_bytes, 0);
        body.extend(payload);
        body.resize(body.len() + pad + super::ICRC_BYTES, 0);
        let mut frame = Envelope { port_destination: PORT, ..*envelope }.around(&body, false);
        let end = frame.len() - super::ICRC_BYTES;
        let sequence = icrc(&frame[..end], envelope.class());
        frame[end..].copy_from_slice(&sequence.to_le_bytes());
        frame
    }
}
