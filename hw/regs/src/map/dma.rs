//! DMA: the event ring in the host's memory, snapshots of all flows into it, loads of flows from
//! it, and the interrupts of all that.
//!
//! Addresses are what the bus master sees (IOVAs). Registers from [`LIVE`] to `LIVE + LIVE_BYTES`
//! are hardware's; the others read back what was written.
use super::{Access::*, Block, Kind, Register, Reset, bit, low, whole};
use crate::field::Field;

/// Offset in the block of the registers that hardware changes by itself.
pub const LIVE: u32 = 0x40;
/// Bytes of those registers.
pub const LIVE_BYTES: u32 = 0x40;
/// Bytes of a burst, to which every address is aligned: an event record, a flow record, half a
/// telemetry record.
pub const BURST_BYTES: u32 = 64;
/// log2 of the most records that a ring has.
pub const MOST_RING_BITS: u32 = 20;

/// Lets DMA run.
pub const ENABLE: Field = bit(0, "enable", "1 starts DMA, with an empty ring whose indices are 0; 0 stops it after the bursts in flight");
/// Writes event records to the ring.
pub const RING: Field = bit(1, "ring", "1 event records go into the ring; 0 they are dropped, and the ring's address means nothing");
/// Starts and stops.
pub const CONTROL: Register = Register::new(
    Kind::Dma,
    0x10,
    "CONTROL",
    ReadWrite,
    "starts and stops; starting is refused while DMA runs or bursts are in flight, and while the heartbeat is lost",
    &[ENABLE, RING],
);

/// Interrupt line: the ring is to be read.
pub const RING_WATERMARK_LINE: u32 = 0;
/// Interrupt line: the ring is full.
pub const RING_OVERFLOW_LINE: u32 = 1;
/// Interrupt line: a snapshot ended.
pub const SNAPSHOT_LINE: u32 = 2;
/// Interrupt line: a load ended.
pub const LOAD_LINE: u32 = 3;
/// Interrupt line: DMA error.
pub const ERROR_LINE: u32 = 4;
/// Interrupt line: the heartbeat was lost.
pub const HEARTBEAT_LINE: u32 = 5;
/// Interrupt lines.
pub const LINES: u32 = 6;

const LINE: [Field; LINES as usize] = [
    bit(0, "watermark", "as many records as the watermark are unread, or there are some and the hold-off time has passed"),
    bit(1, "overflow", "a record waits, and the ring has no room for it"),
    bit(2, "snapshot", "a snapshot ended"),
    bit(3, "load", "a load ended"),
    bit(4, "error", "the memory answered a burst with an error, and DMA stopped"),
    bit(5, "heartbeat", "the heartbeat was lost, and DMA stopped"),
];
/// Lines that interrupt.
pub const INTERRUPT_MASK: Register = Register::new(Kind::Dma, 0x14, "INTERRUPT_MASK", ReadWrite, "interrupt lines that are let out", &LINE);
/// Ring address, lower half.
pub const RING_LOW: Register = Register::new(
    Kind::Dma,
    0x18,
    "RING_LOW",
    ReadWrite,
    "address of the ring; refused while DMA runs",
    &[Field::new(0, 31, 6, "ring_low", "bits 31..6 of the address; bits 5..0 are 0")],
);
/// Ring address, upper half.
pub const RING_HIGH: Register = Register::new(
    Kind::Dma,
    0x1c,
    "RING_HIGH",
    ReadWrite,
    "address of the ring; refused while DMA runs",
    &[whole("ring_high", "bits 63..32 of the address")],
);
/// Ring size.
pub const RING_SIZE: Register = Register::new(
    Kind::Dma,
    0x20,
    "RING_SIZE",
    ReadWrite,
    "size of the ring; refused while DMA runs",
    &[low(5, "ring_bits", "log2 of its records, of 64 bytes each").range(1, MOST_RING_BITS)],
)
.reset(Reset::Value(10));
/// Watermark.
pub const WATERMARK: Register = Register::new(
    Kind::Dma,
    0x24,
    "WATERMARK",
    ReadWrite,
    "unread records at which the ring interrupts",
    &[low(21, "watermark", "records").range(1, 1 << MOST_RING_BITS)],
)
.reset(Reset::Value(1));
/// Hold-off time.
pub const HOLDOFF: Register = Register::new(
    Kind::Dma,
    0x28,
    "HOLDOFF",
    ReadWrite,
    "time after which a ring with unread records interrupts all the same; counts from its first one, and from each write of CONSUMER",
    &[whole("holdoff", "clocks")],
);

/// DMA runs.
pub const RUNNING: Field = bit(0, "running", "DMA runs: enabled, and not stopped by an error or a lost heartbeat");
/// Stopped, and no burst is in flight.
pub const IDLE: Field = bit(1, "idle", "DMA is stopped and no burst is in flight: memory may be unmapped; 0 while `running` is 1");
/// State.
pub const STATUS: Register = Register::new(Kind::Dma, 0x40, "STATUS", ReadOnly, "state of DMA", &[RUNNING, IDLE]).reset(Reset::Live);
/// Interrupt status.
pub const INTERRUPT: Register = Register::new(
    Kind::Dma,
    0x44,
    "INTERRUPT",
    WriteOneToClear,
    "what happened, masked or not; `watermark` and `overflow` come again at once while they hold",
    &LINE,
)
.reset(Reset::Live);
/// Producer index.
pub const PRODUCER: Register = Register::new(
    Kind::Dma,
    0x48,
    "PRODUCER",
    ReadOnly,
    "records that are whole in memory: the ring's next record is number PRODUCER, modulo its size",
    &[whole("producer", "records since DMA was started, modulo 2^32")],
)
.reset(Reset::Live);
/// Consumer index.
pub const CONSUMER: Register = Register::new(
    Kind::Dma,
    0x4c,
    "CONSUMER",
    ReadWrite,
    "records that software has read; one that is not within the ring's size before PRODUCER makes the ring full",
    &[whole("consumer", "records since DMA was started, modulo 2^32")],
)
.reset(Reset::Live);

/// A command is under way.
pub const BUSY: Field = bit(0, "busy", "the command is under way");
/// The last command ended.
pub const DONE: Field = bit(1, "done", "the last command ended");
/// How it ended.
pub const CODE: Field = Field::new(
    0,
    6,
    4,
    "code",
    "how it ended: 0 complete, 1 flows beyond the table and nothing was done, 2 the memory answered with an error, 3 DMA was stopped, \
     4 no answer from telemetry",
);
/// State of the snapshot.
pub const SNAPSHOT_STATUS: Register =
    Register::new(Kind::Dma, 0x50, "SNAPSHOT_STATUS", ReadOnly, "state of the snapshot", &[BUSY, DONE, CODE]).reset(Reset::Live);
/// Progress of the snapshot.
pub const SNAPSHOT_PROGRESS: Register = Register::new(
    Kind::Dma,
    0x54,
    "SNAPSHOT_PROGRESS",
    ReadOnly,
    "flows whose records are whole in memory",
    &[low(17, "snapshot_progress", "flows")],
)
.reset(Reset::Live);
/// State of the load.
pub const LOAD_STATUS: Register =
    Register::new(Kind::Dma, 0x58, "LOAD_STATUS", ReadOnly, "state of the load", &[BUSY, DONE, CODE]).reset(Reset::Live);
/// Progress of the load.
pub const LOAD_PROGRESS: Register = Register::new(
    Kind::Dma,
    0x5c,
    "LOAD_PROGRESS",
    ReadOnly,
    "records that were read, those refused among them",
    &[low(17, "load_progress", "flows")],
)
.reset(Reset::Live);
/// Records that the load refused.
pub const LOAD_REFUSED: Register = Register::new(
    Kind::Dma,
    0x60,
    "LOAD_REFUSED",
    ReadOnly,
    "records whose values a staged word would not take: their flows stay as they were",
    &[low(17, "load_refused", "flows")],
)
.reset(Reset::Live);

/// Starts a command.
pub const START: u32 = 1;

/// The registers of a command: address, first flow, flows, start.
macro_rules! command {
    ($at:literal, $low:literal, $high:literal, $first:literal, $count:literal, $command:literal, $what:literal, $bytes:literal) => {
        [
            Register::new(
                Kind::Dma,
                $at,
                $low,
                ReadWrite,
                concat!("address of the ", $what, "; refused while one is under way"),
                &[Field::new(0, 31, 6, "address_low", "bits 31..6 of the address; bits 5..0 are 0")],
            ),
            Register::new(
                Kind::Dma,
                $at + 4,
                $high,
                ReadWrite,
                concat!("address of the ", $what, "; refused while one is under way"),
                &[whole("address_high", "bits 63..32 of the address")],
            ),
            Register::new(
                Kind::Dma,
                $at + 8,
                $first,
                ReadWrite,
                concat!("first flow of the ", $what, "; refused while one is under way"),
                &[low(16, "first", "below 2^FLOW_BITS")],
            ),
            Register::new(
                Kind::Dma,
                $at + 12,
                $count,
                ReadWrite,
                concat!("flows of the ", $what, "; refused while one is under way"),
                &[low(17, "count", concat!("flows of ", $bytes, " bytes each, at most 2^FLOW_BITS")).range(1, 1 << 16)],
            )
            .reset(Reset::Value(1)),
            Register::new(
                Kind::Dma,
                $at + 16,
                $command,
                WriteOnly,
                concat!("starts a ", $what, "; refused while one is under way, or DMA does not run"),
                &[bit(0, "start", "1 starts").range(START, START)],
            ),
        ]
    };
}

/// The snapshot: address, first flow, flows, start.
pub const SNAPSHOT: [Register; 5] =
    command!(0x80, "SNAPSHOT_LOW", "SNAPSHOT_HIGH", "SNAPSHOT_FIRST", "SNAPSHOT_COUNT", "SNAPSHOT_COMMAND", "snapshot", "128");
/// The load: address, first flow, flows, start.
pub const LOAD: [Register; 5] = command!(0xa0, "LOAD_LOW", "LOAD_HIGH", "LOAD_FIRST", "LOAD_COUNT", "LOAD_COMMAND", "load", "64");

/// How a command ended, as [`CODE`] holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// Complete.
    #[default]
    Complete = 0,
    /// First flow and count go beyond the table.
    BeyondTable = 1,
    /// The memory answered with an error.
    Memory = 2,
    /// DMA was stopped, by software, an error of another burst, or a lost heartbeat.
    Stopped = 3,
    /// Telemetry did not answer.
    NoAnswer = 4,
}

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Dma,
    name: "dma",
    version: 1,
    base: 0x700,
    meaning: "The event ring in the host's memory, snapshots into it, loads from it, interrupts. All bursts are of 64 bytes, aligned. \
              Writes are refused before the design is ready. A memory that answers with an error stops all of it. To stop: write 0 to \
              CONTROL, wait for `idle` and not `running`; then memory may be unmapped.",
    registers: &[
        CONTROL,
        INTERRUPT_MASK,
        RING_LOW,
        RING_HIGH,
        RING_SIZE,
        WATERMARK,
        HOLDOFF,
        STATUS,
        INTERRUPT,
        PRODUCER,
        CONSUMER,
        SNAPSHOT_STATUS,
        SNAPSHOT_PROGRESS,
        LOAD_STATUS,
        LOAD_PROGRESS,
        LOAD_REFUSED,
        SNAPSHOT[0],
        SNAPSHOT[1],
        SNAPSHOT[2],
        SNAPSHOT[3],
        SNAPSHOT[4],
        LOAD[0],
        LOAD[1],
        LOAD[2],
        LOAD[3],
        LOAD[4],
    ],
};
