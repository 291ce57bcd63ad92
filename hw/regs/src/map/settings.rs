//! The settings: registers whose value other blocks of the hardware read. A row of
//! [`settings_table`](crate::settings_table) is all there is to one.
//!
//! # Adding a settings register: one row
//! 1. Add a row to the table below, under its block, in the order of offsets; raise the block's
//!    `version` beside its `BLOCK`.
//! 2. `cargo run -p timely-regs` writes `docs/registers.md` and `timely_regs.h` anew.
//! 3. Read it where it is needed. RTL: `self.csr.settings.val().NAME`, `Bits` of the row's width,
//!    on the `settings` bus of `timely_hw::csr` (`timely_hw::control`, `timely_hw::core` and the
//!    shells hand the whole bus on). Model: `timely_model::csr::Settings::NAME`. Software:
//!    `device.set(&TABLE.NAME, value)` and `device.get(&TABLE.NAME)`, or the registers one by one
//!    as `map::BLOCK::REGISTER`.
//!
//! From the row come the registers in [`BLOCKS`](super::BLOCKS) (so address decode, reset value and
//! refusals in RTL and model, the header and the page), the RTL's register and its place on the
//! bus, the field of the model, and the accessors. `tests/tests/registers/settings.rs` writes every
//! row over AXI-Lite in RTL and model and finds it in the register, on the bus and in the model; it
//! needs no change.
//!
//! A row is `name: bits { REGISTER at offset, access, meaning, [fields] (, .reset(..))? (,
//! .array(n))?; .. }`. A setting wider than a register has several, lowest word first, and shows
//! each at the clock after its write: set it while the design is not enabled.
use super::Access::{ReadWrite, WriteOnly};
use super::{Kind, Parameter, Register, Reset, bit, low, whole};
use crate::map;

/// Calls a macro with every row: `callback! { block Kind { name: bits { registers } .. } .. }`.
#[macro_export]
macro_rules! settings_table {
    ($callback:ident) => {
        $callback! {
            id Id {
                /// Global enable: flows may send.
                enable: 1 { CONTROL at 0x28, ReadWrite, "global enable; 0 stops every flow", [map::id::ENABLE] }
                /// Key of the nonces.
                nonce_key: 96 {
                    NONCE_KEY at 0x30, WriteOnly,
                        "key of the nonces, to be written before NONCE_KEYED; from a source that nobody can predict, for who knows it can forge ACKs",
                        [whole("nonce_key", "bits 0 to 79 Trivium's key, 80 to 95 the first of its IV")], .array(3)
                }
            }
            time Time {
                /// ns that a clock adds to both times, Q8.24.
                time_increment: 32 {
                    INCREMENT at 0x18, ReadWrite, "what a clock adds to both times",
                        [whole("increment", "ns a clock, Q8.24: up to 16 ns, for which the calendar queue is drained fast enough").range(1 << 20, 1 << 28)],
                        .reset(Reset::Build(Parameter::Increment))
                }
                /// Date to set, ns48.fns16.
                time_set: 64 {
                    SET_LOW at 0x1c, ReadWrite, "low half of a date to set", [whole("set_low", "bits 31..0 of the date")];
                    SET_HIGH at 0x20, ReadWrite,
                        "a write sets the date to SET_HIGH:SET_LOW, at once, on or back; without effect while PTP is the source. Gaps and time-outs are of the steady time and do not notice",
                        [whole("set_high", "bits 63..32 of the date")]
                }
                /// PTP is the source of the date.
                time_ptp: 1 {
                    SOURCE at 0x24, ReadWrite, "where the date comes from",
                        [bit(
                            0,
                            "ptp",
                            "0 as it was set, running as the clock does; 1 the PTP clock of the shell, which it follows at once, on and back; 1 after reset in Corundum, whose stamps are of that clock",
                        )],
                        .reset(Reset::Build(Parameter::Ptp))
                }
                /// How far ahead of its launch a packet is granted, ns.
                lead: 16 {
                    LEAD at 0x28, ReadWrite, "how far ahead of its launch a packet is granted",
                        [low(
                            16,
                            "lead",
                            "ns; unless 0, every packet waits for its launch in front of the MAC (Corundum: in the form with streams; 8000 after reset), and each start is that much later; a lower one is refused (not now) while flows may send (STATUS: stop is 0), for the pacer would take it as time that runs back",
                        )],
                        .reset(Reset::Build(Parameter::Lead))
                }
            }
            port Port {
                /// Own MAC.
                mac: 48 {
                    MAC_LOW at 0x10, ReadWrite, "own MAC", [whole("mac_low", "bytes 0 to 3, byte 0 in bits 7..0")];
                    MAC_HIGH at 0x14, ReadWrite, "own MAC", [low(16, "mac_high", "bytes 4 and 5")]
                }
                /// Own IPv4 address.
                ipv4: 32 { IPV4 at 0x18, ReadWrite, "own IPv4 address", [whole("ipv4", "byte 0 in bits 7..0")] }
                /// UDP port that makes a packet ours; 0 for none.
                udp_port: 16 {
                    UDP_PORT at 0x1c, ReadWrite, "UDP port that makes a packet ours; 0 after reset, when none is",
                        [low(16, "udp_port", "port number").range(1, 0xffff)]
                }
                /// Own IPv6 address.
                ipv6: 128 { IPV6 at 0x20, ReadWrite, "own IPv6 address", [whole("ipv6", "four bytes, the first in bits 7..0")], .array(4) }
                /// TOS or traffic class of ACKs.
                ack_tos: 8 { ACK_TOS at 0x30, ReadWrite, "TOS or traffic class of ACKs", [low(8, "ack_tos", "DSCP in bits 7..2, ECN in bits 1..0")] }
                /// TTL or hop limit of ACKs.
                ack_ttl: 8 {
                    ACK_TTL at 0x34, ReadWrite, "TTL or hop limit of ACKs", [low(8, "ack_ttl", "TTL or hop limit").range(1, 255)],
                        .reset(Reset::Value(64))
                }
                /// ACKs are sent.
                ack_enable: 1 {
                    ACK_ENABLE at 0x38, ReadWrite, "whether segments are answered", [bit(0, "ack_enable", "answer segments of allowed peers")]
                }
                /// Time of a byte on the wire, ns in Q16.16.
                ns_per_byte: 32 {
                    NS_PER_BYTE at 0x3c, ReadWrite, "time of a byte on the wire; 10 Gb/s after reset", [whole("ns_per_byte", "ns, Q16.16").range(1, u32::MAX)],
                        .reset(Reset::Value(52_429))
                }
                /// Own VLAN; 0 for frames without a tag, or with one of VLAN 0.
                vlan: 12 {
                    VLAN at 0x40, ReadWrite, "VLAN in which segments are answered",
                        [low(12, "vlan", "VLAN identifier; 0 frames without a tag, or with one that gives a priority alone").range(0, 4094)]
                }
                /// Bits of the own IPv4 network's prefix.
                prefix4: 6 {
                    PREFIX4 at 0x44, ReadWrite, "the own IPv4 network, whose broadcast address is answered neither as destination nor as source",
                        [low(6, "prefix4", "bits of its prefix; 31 and 32 have no broadcast address").range(0, 32)],
                        .reset(Reset::Value(32))
                }
                /// The key of the nonces is written.
                nonce_keyed: 1 {
                    NONCE_KEYED at 0x48, ReadWrite,
                        "whether the nonces of segments have a key; 0 after reset, and then no flow sends in any form of the NIC",
                        [bit(0, "keyed", "a change from 0 to 1 takes NONCE_KEY, and the generator has nonces 40 clocks later")]
                }
                /// Cells of a flow that stores no packet more.
                store_bound: 16 {
                    STORE_BOUND at 0x4c, ReadWrite,
                        "cells of 256 bytes that a flow may hold in the packet store, where there is one: a flow that holds as many stores no packet more",
                        [low(16, "store_bound", "cells")],
                        .reset(Reset::Value(512))
                }
                /// Wire bytes of ACKs a clock, Q8.24.
                ack_rate: 32 {
                    ACK_RATE at 0x50, ReadWrite,
                        "what ACKs take of the line on average, after a burst of 8192 wire bytes; a quarter of 10 Gb/s after reset. An ACK beyond it is dropped and counted",
                        [whole("ack_rate", "wire bytes a clock, Q8.24")],
                        .reset(Reset::Build(Parameter::AckRate))
                }
                /// The host waits where the packet store is full.
                store_wait: 1 {
                    STORE_WAIT at 0x54, ReadWrite,
                        "what a full packet store does with the host's packets, where there is one",
                        [bit(
                            0,
                            "store_wait",
                            "0 a packet whose flow is at STORE_BOUND, or for which no cells are free, is dropped and counted, and holds up no other; 1 none is: the host's stream waits as a whole, packets of other flows and unpaced ones too, until that flow holds less or cells are free",
                        )]
                }
                /// Pause frames from the wire count in bit 0; priority of ACKs in bits 3..1.
                pause: 4 {
                    PAUSE at 0x58, ReadWrite, "whether pause frames are obeyed, and which of them stop ACKs", [map::port::PAUSE_ENABLE, map::port::ACK_PRIORITY]
                }
                /// Wire bytes that the line carries in a clock, Q8.24.
                line_rate: 32 {
                    LINE_RATE at 0x5c, ReadWrite,
                        "what the line carries, by which a pause's quanta of 512 bit times are counted; in line grants also wait until no more waits for the wire than the line carries in 64 clocks; 10 Gb/s after reset",
                        [whole("line_rate", "wire bytes a clock, Q8.24; the least is below 10 Mb/s, the slowest line with pause frames, at any clock")
                            .range(map::port::LEAST_LINE_RATE, u32::MAX)],
                        .reset(Reset::Build(Parameter::LineRate))
                }
            }
            flow Flow {
                /// Flow of the next command.
                flow_index: 16 { INDEX at 0x10, ReadWrite, "flow of the next command", [low(16, "index", "below 2^FLOW_BITS")] }
            }
            telemetry Telemetry {
                /// One of so many rate updates leaves as event record; 0 none.
                event_every: 16 {
                    EVENT_EVERY at 0x10, ReadWrite,
                        "which updates leave as event records: the first that passes EVENT_FILTER once the value has changed, and of those after it one of so many",
                        [low(16, "every", "1 every update, n one of n, 0 none")]
                }
                /// Filter of the rate updates that may leave as event records.
                event_filter: 25 {
                    EVENT_FILTER at 0x14, ReadWrite, "which updates may be recorded; 0 all",
                        [map::telemetry::FILTER_FLOW, map::telemetry::FILTER_BY_FLOW, map::telemetry::FILTER_PROFILE, map::telemetry::FILTER_BY_PROFILE]
                }
            }
            roce Roce {
                /// The table of queue pairs is in use, and AckReq is set in flight.
                pair_control: 9 {
                    CONTROL at 0x10, ReadWrite,
                        "whether queue pairs are looked up; while bit 0 is 0 no pair is known or learned, and every packet goes past the store",
                        [map::roce::ENABLE, map::roce::ASK_EVERY]
                }
                /// Profile of pairs that are learned.
                pair_profile: 4 { PROFILE at 0x14, ReadWrite, "profile of queue pairs that are learned from packets and that no rule is for", [low(4, "profile", "a profile")] }
                /// Least path MTU of all pairs.
                pair_mtu: 3 {
                    MTU at 0x18, ReadWrite, "least path MTU of all queue pairs, by which READ requests take sequence numbers",
                        [low(3, "mtu", "1 to 5 for 256 to 4,096 bytes; 0 unknown, then a pair's payloads tell").range(0, 5)]
                }
                /// Clocks of a unit of age.
                pair_age: 32 {
                    AGE at 0x1c, ReadWrite, "when learned queue pairs are forgotten: 7 to 8 units after their last packet from the host",
                        [whole("unit", "clocks; 0 never. A pair that is forgotten loses what it has in the store, so that 7 units must be longer than any packet waits")]
                }
                /// Secret of the pairs' hash, lower part.
                pair_secret: 128 {
                    SECRET at 0x20, WriteOnly, "secret of the hash of queue pairs, to be written before CONTROL; from a source that nobody can predict",
                        [whole("secret", "bits 0 to 127")], .array(4)
                }
                /// Secret of the pairs' hash, upper part.
                pair_secret_high: 64 {
                    SECRET_HIGH at 0x30, WriteOnly, "the rest of the secret", [whole("secret_high", "bits 128 to 191")], .array(2)
                }
                /// Local queue pair of a command, and whether there is one.
                pair_local: 25 {
                    LOCAL at 0x38, ReadWrite, "local queue pair of the next command", [map::roce::LOCAL_PAIR, map::roce::LOCAL_GIVEN]
                }
                /// Remote queue pair of a command.
                pair_remote: 24 { REMOTE at 0x3c, ReadWrite, "remote queue pair of the next command", [low(24, "remote", "its number")] }
                /// Remote address of a command.
                pair_address: 128 {
                    ADDRESS at 0x40, ReadWrite, "remote address of the next command; an IPv4 address as ::ffff:a.b.c.d",
                        [whole("address", "four bytes, the first in bits 7..0")], .array(4)
                }
                /// Profile of a pair that a command sets.
                pair_set_profile: 4 {
                    SET_PROFILE at 0x50, ReadWrite, "profile of a queue pair that the next command sets, if it was not known", [low(4, "set_profile", "a profile")]
                }
                /// Packets that arrive with CE are answered by congestion notifications.
                notify_enable: 1 {
                    NOTIFY at 0x5c, ReadWrite,
                        "whether data and READ responses that arrive with CE are answered by congestion notifications (CNPs), for a host whose RDMA NIC sends none",
                        [bit(0, "notify", "1 those of queue pairs that are joined are answered, those of others are counted, and ACKs of the host make their pair known as requests do")]
                }
                /// Least time between two notifications of a pair, ns.
                notify_interval: 24 {
                    NOTIFY_INTERVAL at 0x60, ReadWrite, "least time between two congestion notifications of a queue pair",
                        [low(24, "interval", "ns; 50 us after reset, as DCQCN has it")],
                        .reset(Reset::Value(50_000))
                }
                /// TOS or traffic class of notifications.
                notify_tos: 8 {
                    NOTIFY_TOS at 0x64, ReadWrite, "TOS or traffic class of congestion notifications",
                        [low(8, "notify_tos", "DSCP in bits 7..2, ECN in bits 1..0; DSCP 48 after reset")],
                        .reset(Reset::Value(0xc0))
                }
                /// Priority of pairs.
                pair_priority: 3 {
                    PRIORITY at 0x68, ReadWrite, "priority of queue pairs that no rule is for, by which pause frames (PFC) stop them",
                        [low(3, "priority", "0 to 7; holds for pairs that are learned or set from then on")]
                }
                /// Flow whose pair a command reads.
                pair_flow: 16 { READ_FLOW at 0x6c, ReadWrite, "flow whose queue pair command 4 reads", [low(16, "read_flow", "a flow")] }
                /// Word of what commands found.
                pair_word: 8 { TOLD_WORD at 0x70, ReadWrite, "word that TOLD shows", [map::roce::WORD, map::roce::OF_RULE, map::roce::SHOWN_RULE] }
                /// A rule, as it was written last.
                pair_rule: 27 {
                    RULE at 0x78, ReadWrite, "a write sets a rule, with ADDRESS: the profile and priority of queue pairs that are learned from then on",
                        [
                            map::roce::RULE_INDEX, map::roce::RULE_USED, map::roce::RULE_BITS, map::roce::RULE_DSCP, map::roce::RULE_BY_DSCP,
                            map::roce::RULE_PROFILE, map::roce::RULE_PRIORITY
                        ]
                }
                /// The host's retransmission time-out.
                pair_timeout: 32 {
                    HOST_TIMEOUT at 0x7c, ReadWrite,
                        "shortest retransmission time-out of the hosts' queue pairs: half of it after its last READ a pair owes nothing more for what its READs brought",
                        [whole("host_timeout", "us, of which READs heed 4,096 to 2^20; 0 unknown: pairs owe until all is paid")]
                }
            }
        }
    };
}

/// A row of the table: a setting that hardware reads as one number of `bits` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name: the field of [`Table`], of the RTL's bus and of the model.
    pub name: &'static str,
    /// Width.
    pub bits: u32,
    /// The setting's registers, lowest word first; of an array every one.
    pub registers: &'static [Register],
}

impl Setting {
    /// Panics unless the registers' fields end at the row's width, so that no bit is lost on the
    /// way.
    const fn checked(self) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < self.registers.len() {
            let r = &self.registers[i];
            assert!(bits % 32 == 0, "only the last register of a setting may have fewer than 32 bits");
            bits += 32 * (r.count - 1) + r.fields[r.fields.len() - 1].high as u32 + 1;
            i += 1;
        }
        assert!(bits == self.bits, "a row's width must be that of its registers together");
        assert!(bits <= 128, "a setting has 128 bits at most");
        self
    }

    /// 32-bit words, the last of which may be partly used.
    pub const fn words(&self) -> u32 {
        self.bits.div_ceil(32)
    }

    /// The register of word `i`, and its number in that register's array.
    ///
    /// # Panics
    /// When the setting has no word `i`.
    pub const fn register(&self, i: u32) -> (&'static Register, u32) {
        let (mut first, mut at) = (0, 0);
        while i - first >= self.registers[at].count {
            first += self.registers[at].count;
            at += 1;
        }
        (&self.registers[at], i - first)
    }

    /// The word of the BAR that holds word `i` of the setting.
    ///
    /// # Panics
    /// When the setting has no word `i`.
    pub const fn word(&self, i: u32) -> u32 {
        let (register, at) = self.register(i);
        register.word() + at
    }

    /// Index of the setting's word at word `word` of the BAR; `None` if the setting has none there.
    pub fn part(&self, word: u32) -> Option<u32> {
        let mut first = 0;
        for r in self.registers {
            let at = word.wrapping_sub(r.word());
            if at < r.count {
                return Some(first + at);
            }
            first += r.count;
        }
        None
    }
}

macro_rules! define {
    ($($block:ident $kind:ident { $(
        $(#[$doc:meta])*
        $name:ident: $bits:literal { $(
            $register:ident at $offset:literal, $access:ident, $meaning:expr, [$($field:expr),* $(,)?] $(, .$with:ident($value:expr))*
        );* $(;)? }
    )* })*) => {
        $(
            #[doc = concat!("The settings of block `", stringify!($block), "`.")]
            pub mod $block {
                use super::*;
                $($(
                    #[doc = $meaning]
                    pub const $register: Register =
                        Register::new(Kind::$kind, $offset, stringify!($register), $access, $meaning, &[$($field),*])$(.$with($value))*;
                )*)*
                pub(in crate::map) const REGISTERS: &[Register] = &[$($($register),*),*];
            }
        )*

        /// One value for each setting, in the order of the bus.
        #[derive(Clone, Copy, Debug)]
        pub struct Table {
            $($($(#[$doc])* pub $name: Setting,)*)*
        }

        /// The settings, by name.
        pub const TABLE: Table = Table {
            $($($name: Setting { name: stringify!($name), bits: $bits, registers: &[$($block::$register),*] }.checked(),)*)*
        };

        /// The settings, in the order of the bus: the first is in its lowest bits.
        pub const SETTINGS: &[Setting] = &[$($(TABLE.$name),*),*];
    };
}
settings_table!(define);

/// Bits of all settings together: the width of the bus.
pub const BITS: usize = {
    let (mut bits, mut i) = (0, 0);
    while i < SETTINGS.len() {
        bits += SETTINGS[i].bits as usize;
        i += 1;
    }
    bits
};

/// Two lists of registers of one block as one, in the order of offsets; `N` is the length of both.
pub(super) const fn merged<const N: usize>(a: &[Register], b: &[Register]) -> [Register; N] {
    assert!(a.len() + b.len() == N, "the merged list is as long as both");
    let mut all = [if a.is_empty() { b[0] } else { a[0] }; N];
    let (mut i, mut j) = (0, 0);
    while i + j < N {
        if j == b.len() || i < a.len() && a[i].offset < b[j].offset {
            all[i + j] = a[i];
            i += 1;
        } else {
            all[i + j] = b[j];
            j += 1;
        }
    }
    all
}
