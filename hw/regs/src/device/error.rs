//! What can go wrong between software and the registers.
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
        /// Its version.
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
            Error::NoAnswer(flow) => write!(f, "the device did not answer the query of flow {flow}"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Error<E> {}
