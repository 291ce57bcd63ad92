//! The configurations that can be emitted: bus widths, flow counts, and what follows from them.
use std::fmt;
use timely_regs::map::{Build, ring_bits};

/// Bus widths in bits.
pub const BUSES: [usize; 4] = [64, 128, 256, 512];
/// Flow counts, as powers of two.
pub const FLOW_BITS: [usize; 4] = [10, 13, 14, 16];

/// The clock that the design is meant for: 250 MHz.
pub const CLOCK_PS: u32 = 4_000;

/// A configuration of the datapath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Width of the packet buses, bits.
    pub bus: usize,
    /// log2 of the flows.
    pub flow_bits: usize,
}

/// A width or flow count that is not built.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{name} {value} is not built; choose one of {allowed:?}")]
pub struct NotBuilt {
    /// Name of the parameter.
    pub name: &'static str,
    /// Value in the request.
    pub value: usize,
    /// Values that are built.
    pub allowed: [usize; 4],
}

impl Config {
    /// Checks both parameters.
    ///
    /// # Errors
    /// Names the parameter and the values that are built.
    pub fn new(bus: usize, flow_bits: usize) -> Result<Self, NotBuilt> {
        if !BUSES.contains(&bus) {
            return Err(NotBuilt { name: "bus width", value: bus, allowed: BUSES });
        }
        if !FLOW_BITS.contains(&flow_bits) {
            return Err(NotBuilt { name: "flow bits", value: flow_bits, allowed: FLOW_BITS });
        }
        Ok(Config { bus, flow_bits })
    }

    /// All that are built.
    pub fn all() -> impl Iterator<Item = Config> {
        BUSES.into_iter().flat_map(|bus| FLOW_BITS.into_iter().map(move |flow_bits| Config { bus, flow_bits }))
    }

    /// The file that holds it.
    pub fn file_name(self) -> String {
        format!("timely_standalone_{self}.v")
    }

    /// The numbers that the registers show; `clock_ps` is the clock's period.
    pub fn build(self, clock_ps: u32) -> Build {
        let flow_bits = self.flow_bits as u32;
        Build { flow_bits, bus_bits: self.bus as u32, ring_bits: ring_bits(self.bus as u32), clock_ps, ptp: 0 }
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}_{}", self.bus, self.flow_bits)
    }
}
