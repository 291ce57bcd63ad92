//! Segments of ours over ordinary UDP sockets: a sender at a rate, and a receiver that answers when
//! it is asked to. With these a stock host can feed a card whose queues the hardware paces, or
//! stand in for a peer that has no such card.
//!
//! Times are the kernel's: the stamp of a datagram's arrival, and the clock just before one is
//! handed to the kernel.
mod recv;
mod send;
mod socket;
mod spread;

pub use recv::{Receiver, RecvOptions, RecvReport};
pub use send::{SendOptions, SendReport, send};
pub use spread::{Percentiles, Spread};

use std::io;
use std::net::SocketAddr;
use timely_regs::wire::{Class, ethernet};

/// Bytes of a frame check sequence.
const FCS: usize = 4;
/// The shortest frame, with it.
const SHORTEST: usize = 64;

/// Why packets could not be sent or received.
#[derive(Debug, thiserror::Error)]
pub enum TrafficError {
    /// A socket.
    #[error("{what}: {source}; {next}")]
    Socket {
        /// Operation that failed.
        what: String,
        /// Why it failed.
        source: io::Error,
        /// Next step for the user.
        next: &'static str,
    },
    /// Packets are longer than the path takes.
    #[error(
        "packets of {payload} bytes of payload do not fit the MTU towards {to}; give --packet-bytes {fits} or less for 1,500 bytes, or raise the MTU"
    )]
    TooLong {
        /// Payload bytes.
        payload: usize,
        /// Where to.
        to: SocketAddr,
        /// Payload bytes that fit the usual MTU.
        fits: usize,
    },
    /// The kernel took no packet for too long.
    #[error(
        "the kernel took no packet to {to} for {seconds} s: its queue does not drain; is its flow loaded and enabled? see `timelyctl telemetry`"
    )]
    Stuck {
        /// Where to.
        to: SocketAddr,
        /// How long was waited.
        seconds: u64,
    },
    /// No socket listens at the other end.
    #[error("nobody listens at {0}: every answer was that the port is closed; start `timelyctl recv --answer` there")]
    Closed(SocketAddr),
    /// No packet came.
    #[error("nothing came to {at} within {seconds} s; is the sender running, and does a firewall let UDP port {} through?", at.port())]
    Nothing {
        /// Where it was waited.
        at: SocketAddr,
        /// How long.
        seconds: f64,
    },
}

/// Bytes that a packet of ours takes on the wire: with headers, FCS, preamble and gap.
pub fn wire_bytes(to: SocketAddr, payload: usize) -> u64 {
    let class = Class { vlan: false, ipv6: is_ipv6(to) };
    ((class.end() + payload + FCS).max(SHORTEST) + usize::from(ethernet::PREAMBLE_AND_GAP)) as u64
}

/// An IPv4 address in an IPv6 one goes over IPv4.
fn is_ipv6(address: SocketAddr) -> bool {
    matches!(address, SocketAddr::V6(a) if a.ip().to_ipv4_mapped().is_none())
}

fn mbps(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8e-6 / seconds } else { 0.0 }
}
