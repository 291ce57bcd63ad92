//! The daemon's socket: frames of a head in JSON and a tail of bytes. docs/driver.md describes it.
use crate::service::Request;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol, which the first message of each side names.
pub const VERSION: u32 = 1;
/// Bytes before a frame: the length of its head and that of its tail, 32 bits each, little-endian.
pub const PREFIX: usize = 8;
/// The longest head: telemetry of 64K flows.
pub const LONGEST_HEAD: usize = 64 << 20;
/// The longest request.
pub const LONGEST_REQUEST: usize = 1 << 20;
/// The longest tail.
pub const LONGEST_TAIL: usize = 16 << 20;

/// The first message of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`VERSION`].
    pub version: u32,
    /// Name of the client program.
    pub client: String,
}

/// The first message of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// [`VERSION`].
    pub version: u32,
    /// Name of the daemon.
    pub server: String,
    /// The device that it has.
    pub device: String,
}

/// A request and its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Given back with the answer.
    pub id: u64,
    /// The request.
    pub request: Request,
}

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// `refused`, `device`, `in_use`, `malformed`, `version`, `permission`.
    pub code: String,
    /// For people.
    pub text: String,
}

/// Messages of the daemon after its first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A request was done.
    Done {
        /// The request's number.
        id: u64,
        /// Result of the request.
        result: Value,
    },
    /// A request failed, or a subscription to events ended.
    Failed {
        /// The request's number; nothing when it could not be read.
        id: Option<u64>,
        /// Why.
        error: Refusal,
    },
    /// Events: the tail has records of 64 bytes.
    Events {
        /// Records that the device made and did not deliver before these.
        lost: u64,
    },
}

/// A frame.
pub fn frame(head: &impl Serialize, tail: &[u8]) -> Vec<u8> {
    // Heads are structs of plain numbers and texts.
    let head = serde_json::to_vec(head).unwrap_or_default();
    let mut bytes = Vec::with_capacity(PREFIX + head.len() + tail.len());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend((tail.len() as u32).to_le_bytes());
    bytes.extend(head);
    bytes.extend(tail);
    bytes
}

/// The lengths that a prefix names.
pub fn lengths(prefix: &[u8; PREFIX]) -> (usize, usize) {
    let [a, b, c, d, e, f, g, h] = *prefix;
    (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]) as usize)
}
