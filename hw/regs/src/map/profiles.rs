//! The profiles, word by word.
use super::{Access::*, Block, Kind, Register, Reset, whole};
use crate::profile;

/// Number of profiles.
pub const PROFILES: Register =
    Register::new(Kind::Profiles, 0x10, "PROFILES", ReadOnly, "number of profiles", &[whole("profiles", "profiles")])
        .reset(Reset::Value(profile::PROFILES as u32));
/// Words of a profile.
pub const WORDS: Register = Register::new(Kind::Profiles, 0x14, "WORDS", ReadOnly, "words of a profile", &[whole("words", "32-bit words")])
    .reset(Reset::Value(profile::WORDS as u32));
/// The words: word `w` of profile `p` is number `32 p + w`.
pub const WORD: Register = Register::new(
    Kind::Profiles,
    0x200,
    "WORD",
    ReadWrite,
    "word w of profile p is number 32 p + w; in force at once; refused while not ready; ranges are software's to check",
    &[whole("word", "a word of a profile")],
)
.array((profile::PROFILES * profile::WORDS) as u32);

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Profiles,
    name: "profiles",
    version: 2,
    base: 0x600,
    meaning: "What the rate engine and the pacer do for the flows of a profile.",
    registers: &[PROFILES, WORDS, WORD],
};
