//! Errors between software and the registers.
use crate::field::OutOfRange;
use std::fmt;

/// Why an access to a device failed; `E` is the bus' own reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// The bus failed.
    Bus(E),
    /// Every register reads all ones.
    Gone,
    /// Another device: the magic word is this.
    Magic(u32),
    /// A block has a version that this software does not know.
    Version {
        /// The block.
        block: &'static str,
        /// The block's version.
        found: u32,
        /// The version that this software knows.
        known: u32,
    },
    /// A block is missing.
    NoBlock(&'static str),
    /// A value that a field may not hold.
    OutOfRange(OutOfRange),
    /// A flow that the device does not have.
    NoFlow {
        /// The flow.
        flow: u32,
        /// Flows of the device.
        flows: u32,
    },
    /// The device did not become ready, or a command did not end.
    Timeout(&'static str),
    /// The device ended the query of this flow with an error.
    NoAnswer(u32),
    /// Memory for DMA at an address that is no multiple of 64.
    Unaligned {
        /// Use of the memory.
        what: &'static str,
        /// The memory's address.
        address: u64,
    },
    /// Memory for DMA that is too small.
    TooSmall {
        /// Use of the memory.
        what: &'static str,
        /// The memory's bytes.
        bytes: usize,
        /// Bytes needed.
        needed: usize,
    },
    /// The event ring's indices are further apart than it is long.
    RingLost {
        /// The device's.
        producer: u32,
        /// Ours.
        consumer: u32,
    },
    /// A snapshot or load ended with an error, as [`crate::map::dma::CODE`] numbers it.
    Dma {
        /// The command: snapshot or load.
        what: &'static str,
        /// How.
        code: u32,
    },
    /// A load in which the device refused so many records.
    LoadRefused(u32),
}

impl<E> From<OutOfRange> for Error<E> {
    fn from(e: OutOfRange) -> Self {
        Error::OutOfRange(e)
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bus(e) => write!(f, "register access failed: {e}"),
            Error::Gone => write!(f, "every register reads 0xffffffff: the PCIe link is down or the FPGA was reprogrammed"),
            Error::Magic(m) => write!(f, "the magic word is {m:#010x}, not {:#010x}: this is no timely-nic", crate::map::MAGIC),
            Error::Version { block, found, known } => {
                write!(f, "register block {block} has version {found}, this software knows {known}: use the software of the bitstream")
            }
            Error::NoBlock(block) => write!(f, "the device has no register block {block}: use the software of the bitstream"),
            Error::OutOfRange(e) => e.fmt(f),
            Error::NoFlow { flow, flows } => write!(f, "flow {flow} does not exist; the device has flows 0 to {}", flows - 1),
            Error::Timeout(what) => write!(f, "{what} did not end in time"),
            Error::Unaligned { what, address } => write!(f, "the memory of the {what} is at {address:#x}; it must be at a multiple of 64"),
            Error::TooSmall { what, bytes, needed } => write!(f, "the memory of the {what} has {bytes} bytes; it must have {needed}"),
            Error::RingLost { producer, consumer } => {
                write!(f, "the event ring is out of step: producer index {producer}, consumer index {consumer}; stop DMA and start again")
            }
            Error::Dma { what, code } => {
                let why = match code {
                    1 => "it goes beyond the flow table",
                    2 => "the memory answered with an error; is it mapped for the device?",
                    3 => "DMA was stopped; was the heartbeat lost?",
                    _ => "telemetry did not answer",
                };
                write!(f, "the {what} ended early: {why}")
            }
            Error::LoadRefused(records) => write!(f, "the device refused {records} flow records of a load; their flows are as before"),
            Error::NoAnswer(flow) => write!(f, "the device did not answer the query of flow {flow}"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Error<E> {}
