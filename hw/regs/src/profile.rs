//! The profile: thirty-two 32-bit words, sixteen profiles.
//!
//! Words 0 to 8 are read by several blocks and fixed here; the rest are the rate engine's.
//!
//! | word | field |
//! |---|---|
//! | 0 | bits 3..0 law (0 fixed, 1 TIMELY, 2 Patched, 3 Swift, 4 PI); 4 hyperactive increase counts smoothed gradients (else raw differences); 5 no delta factor; 6 never below half the old rate; 9..8 start of the RTT (0 last byte out, 1 first byte out, 2 eligible to send) |
//! | 1 | outstanding bound, wire bytes, 24 bits; 0 none |
//! | 2 | segment time-out, ns, 31 bits; 0 none |
//! | 3 | idle time after which a flow restarts, ns, 31 bits; 0 never |
//! | 4 | token cap while backlogged, bytes, 20 bits |
//! | 5 | initial rate |
//! | 6 | idle-restart rate |
//! | 7 | least rate |
//! | 8 | greatest rate |

/// Profiles.
pub const PROFILES: usize = 16;
/// Words of a profile.
pub const WORDS: usize = 32;
