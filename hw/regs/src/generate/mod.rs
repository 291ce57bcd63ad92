//! The documents that come out of the tables: `docs/registers.md` and the C header. Each is
//! committed; a test holds it equal.
mod header;
mod markdown;

pub use header::header;
pub use markdown::markdown;

use crate::wire::offset;
use std::path::PathBuf;

/// The command that writes the documents.
pub const COMMAND: &str = "cargo run -p timely-regs";

/// Path and text of every document.
pub fn documents() -> Vec<(PathBuf, String)> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    vec![(here.join("../../docs/registers.md"), markdown()), (here.join("timely_regs.h"), header())]
}

/// Name, offset and bytes of the fields of our header on the wire.
const WIRE: &[(&str, usize, usize)] = &[
    ("version", offset::VERSION, 1),
    ("flags", offset::FLAGS, 1),
    ("packet", offset::PACKET, 2),
    ("flow", offset::FLOW, 4),
    ("nonce", offset::NONCE, 4),
    ("segment", offset::SEGMENT, 4),
    ("segment_bytes", offset::SEGMENT_BYTES, 4),
    ("charged_bytes", offset::CHARGED_BYTES, 4),
    ("ttl_sent", offset::TTL_SENT, 1),
    ("ttl_seen", offset::TTL_SEEN, 1),
    ("ecn_seen", offset::ECN_SEEN, 1),
    ("loss", offset::LOSS, 1),
    ("arrival", offset::ARRIVAL, 8),
    ("departure", offset::DEPARTURE, 8),
];

/// `AcksSent` as `acks_sent`.
pub fn snake(name: &str) -> String {
    let mut s = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !s.is_empty() {
            s.push('_');
        }
        s.extend(c.to_lowercase());
    }
    s
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_documents_are_fresh() {
        for (path, text) in super::documents() {
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == text, "{} is not what the tables say; run: {}", path.display(), super::COMMAND);
        }
    }
}
