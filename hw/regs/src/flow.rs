//! The flow record: sixteen 32-bit words, loaded whole.
//!
//! | word | bits | field |
//! |---|---|---|
//! | 0 | 0 | enable |
//! | 0 | 1 | keep: leave rate, law state, backlog and counters as they are |
//! | 0 | 2 | endless: the generator posts a packet for every one that it is granted |
//! | 0 | 3 | READ: charge `charged_bytes` a segment in place of its own bytes |
//! | 0 | 7..4 | profile |
//! | 0 | 10..8 | priority, for PFC |
//! | 0 | 11 | IPv6 |
//! | 0 | 12 | VLAN tag |
//! | 0 | 31..16 | VLAN TCI |
//! | 1 | 13..0 | payload bytes a packet, after our header |
//! | 1 | 23..16 | packets a segment, at least 1 |
//! | 2 | 31..0 | destination MAC, bytes 0..3 (byte 0 in bits 7..0) |
//! | 3 | 15..0 | destination MAC, bytes 4, 5 |
//! | 4 | 15..0, 31..16 | UDP source port, destination port |
//! | 5 | 7..0 | TTL or hop limit |
//! | 5 | 15..8 | TOS or traffic class |
//! | 6 | 31..0 | charged bytes a segment of a READ |
//! | 8..11 | | destination address, byte 0 in bits 7..0 of word 8; IPv4 in word 8 |
//!
//! A load without `keep` clears the flow's backlog, law state and counters. Its segment numbers go on: what was sent before the load is
//! then stale by number, and the first segment sent after it is the new base.

/// Words of a record.
pub const WORDS: usize = 16;
