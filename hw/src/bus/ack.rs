//! ACKs, and the segments that they answer.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// An ACK arrived at `ts`. `flow`, `place`, `segment` and `nonce` are what it echoes, `source`
    /// the digest of its source address, `arrival` and `departure` the stamps of the responder's
    /// clock, `ttl_sent` and `ttl_seen` the packet's TTLs, `loss` its byte of lost packets: bits
    /// 7..6 the segment (1 complete, 2 incomplete), bits 5..0 segments skipped. Times are
    /// ns48.fns16.
    EchoOut, "EchoOut", EchoIn, "EchoIn", []
    Forth valid: Bit,
    Forth flow: Bits<32>,
    Forth place: Bits<16>,
    Forth segment: Bits<32>,
    Forth nonce: Bits<32>,
    Forth source: Bits<32>,
    Forth ts: Bits<64>,
    Forth arrival: Bits<64>,
    Forth departure: Bits<64>,
    Forth ttl_sent: Bits<8>,
    Forth ttl_seen: Bits<8>,
    Forth loss: Bits<8>,
}

bus! {
    /// A segment ended: its number, the check that its ACK must echo, its charged wire bytes, its
    /// place in the ring and the turn of the ring. `F` flow bits.
    EndedOut, "EndedOut", EndedIn, "EndedIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth segment: Bits<16>,
    Forth check: Bits<32>,
    Forth bytes: Bits<32>,
    Forth place: Bits<16>,
    Forth generation: Bits<2>,
}
