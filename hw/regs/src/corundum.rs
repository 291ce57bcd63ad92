//! Between the two halves in Corundum: the scheduler block's registers and its AXI-Lite window, and
//! the buses that can take the window's place.
//!
//! The window has a word of 32 bits a queue for each kind of access: byte address
//! `kind << (F + 2) | index << 2`. Corundum's own driver uses kind 0 alone; the application block's
//! configuration bridge alone writes and reads the others.
pub mod request;

use crate::field::Field;
use crate::map::VENDOR;

/// Bits of an address of the window that say the kind, above those of the index.
pub const KIND_BITS: usize = 3;

/// The kind of a word of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Of a queue, for Corundum's driver: enabled, bit 0; read also: packets may be there, bit 16;
    /// served by turns, bit 24; a flow, bit 25.
    Channel = 0,
    /// Written: the rate of a flow, 2^-12 Mb/s.
    Rate = 1,
    /// Written: wire bytes of a flow that are outstanding no more.
    Release = 2,
    /// Written: a flow is loaded, [`LOAD`].
    Load = 3,
    /// Written: word `index & 31` of profile `index >> 5`.
    Profile = 4,
    /// Written, index 0: [`CONTROL`].
    Control = 5,
    /// Read, index 0: what the scheduler has to say, [`MAIL`]; each read takes an entry.
    Mail = 6,
}

impl Kind {
    /// The byte address of a word of this kind in the window of a scheduler of `2^flow_bits` flows.
    pub const fn address(self, flow_bits: usize, index: u32) -> u32 {
        (self as u32) << (flow_bits + 2) | index << 2
    }
}

/// A load: what the scheduler reads of the flow's record. Bits 12 to 0 are those of the record's
/// first word.
pub const LOAD: &[Field] = &[
    crate::flow::ENABLE,
    crate::flow::KEEP,
    crate::flow::PROFILE,
    crate::flow::PRIORITY,
    crate::flow::IPV6,
    crate::flow::VLAN,
    Field::new(0, 29, 16, "payload_bytes", "payload bytes a packet, after our header"),
];

/// The load of a record: its first word, its payload.
pub const fn load_word(record: &[u32; crate::flow::WORDS]) -> u32 {
    record[0] & 0x1ff3 | crate::flow::PAYLOAD_BYTES.get(record) << 16
}

/// No flow is granted anything; queues without a flow are served on.
pub const CONTROL_STOP: Field = Field::new(0, 0, 0, "stop", "no flow sends; queues without a flow do");
/// Paused priorities.
pub const CONTROL_PAUSE: Field = Field::new(0, 15, 8, "pause", "paused priorities");
/// The fields of the control word, for all flows.
pub const CONTROL: &[Field] = &[CONTROL_STOP, CONTROL_PAUSE];

/// The flow of an entry.
pub const MAIL_FLOW: Field = Field::new(0, 15, 0, "flow", "the flow");
/// The kind of an entry.
pub const MAIL_WHAT: Field =
    Field::new(0, 17, 16, "what", "0 nothing, 1 the flow starts after its idle time, 2 it is not limited, 3 it is");
/// The scheduler's RAM is clear.
pub const MAIL_SWEPT: Field = Field::new(0, 18, 18, "swept", "the scheduler's RAM is clear");
/// A doorbell was refused since.
pub const MAIL_REFUSED: Field = Field::new(0, 19, 19, "refused", "one more posting was refused");
/// Grants since.
pub const MAIL_GRANTS: Field = Field::new(0, 27, 20, "grants", "grants since the reads before, at most 255; the rest is in the next");
/// Signature of the scheduler that answers.
pub const MAIL_SIGN: Field = Field::new(0, 31, 28, "sign", "who answers: 5");
/// Value of [`MAIL_SIGN`].
pub const SIGN: u32 = 5;
/// An answer to a read of [`Kind::Mail`].
pub const MAIL: &[Field] = &[MAIL_FLOW, MAIL_WHAT, MAIL_SWEPT, MAIL_REFUSED, MAIL_GRANTS, MAIL_SIGN];

/// A part of a bus: name, lowest bit, bits.
pub type Part = (&'static str, usize, usize);

/// The bus from the application block to the scheduler: registered, a word a clock, never held up.
/// Flows have 16 bits, the upper ones 0.
pub const DOWN: &[Part] = &[
    ("stop", 0, 1),
    ("pause", 1, 8),
    ("rate_valid", 9, 1),
    ("rate_flow", 10, 16),
    ("rate_value", 26, 32),
    ("release_valid", 58, 1),
    ("release_flow", 59, 16),
    ("release_bytes", 75, 32),
    ("load_valid", 107, 1),
    ("load_flow", 108, 16),
    ("load_word", 124, 32),
    ("pw_valid", 156, 1),
    ("pw_profile", 157, 4),
    ("pw_word", 161, 5),
    ("pw_data", 166, 32),
    ("later", 198, 64),
];
/// Bits of [`DOWN`].
pub const DOWN_BITS: usize = 262;

/// The bus from the scheduler to the application block, of the same kind.
pub const UP: &[Part] = &[
    ("swept", 0, 1),
    ("idle_valid", 1, 1),
    ("idle_flow", 2, 16),
    ("limited_valid", 18, 1),
    ("limited_flow", 19, 16),
    ("limited", 35, 1),
    ("pulses", 36, 32),
    ("launch_valid", 68, 1),
    ("launch_flow", 69, 16),
    ("launch_tag", 85, 8),
    ("launch_paced", 93, 1),
    ("launch_time", 94, 64),
    ("void_valid", 158, 1),
    ("void_tag", 159, 8),
];
/// Bits of [`UP`].
pub const UP_BITS: usize = 167;

/// Type of the scheduler's own block of registers.
pub const TYPE: u32 = VENDOR << 16 | 0x80;
/// Version of that block.
pub const VERSION: u32 = 0x0000_0100;
/// Offset of that block from the block that Corundum knows.
pub const OWN_OFFSET: u32 = 0x30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_bus_stand_side_by_side() {
        for (parts, bits) in [(DOWN, DOWN_BITS), (UP, UP_BITS)] {
            let end = parts.iter().fold(0, |at, (name, low, bits)| {
                assert_eq!(*low, at, "{name}");
                at + bits
            });
            assert_eq!(end, bits);
        }
        crate::field::assert_layout(MAIL, 1);
        crate::field::assert_layout(CONTROL, 1);
    }

    #[test]
    fn a_load_is_of_the_record() {
        let record = crate::flow::FlowRecord {
            enable: true,
            keep: true,
            endless: true,
            profile: 9,
            priority: 5,
            vlan: Some(0xfff),
            payload_bytes: 0x2345,
            ..Default::default()
        };
        assert_eq!(load_word(&record.pack().unwrap()), 0x2345_1593);
    }
}
