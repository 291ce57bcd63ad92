//! Registers of a card that its network driver has, in a mapped BAR beside the network interface,
//! and nothing else of it.
//!
//! Configuration space, reset, DMA and interrupts stay the network driver's; what needs them says
//! so, and what to do.
use super::bar::Bar;
use super::{Failure, Reach, Transport};
use crate::board::Placed;
use crate::lock::Lock;

/// Name of a transport, and advice for users that need more of a card than registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// As it is printed.
    pub kind: &'static str,
    /// Next step for a user that needs more than registers.
    pub instead: &'static str,
}

/// A card beside its network interface.
pub struct Beside {
    way: Way,
    name: String,
    placed: Placed,
    registers: Bar,
    _lock: Lock,
}

impl Beside {
    /// `registers` is the whole BAR that `placed` names.
    pub(super) fn new(way: Way, name: &str, placed: Placed, registers: Bar, lock: Lock) -> Self {
        Beside { way, name: name.into(), placed, registers, _lock: lock }
    }

    /// The place of a register in the BAR; none beyond what 32 bits can say, in a BAR that is
    /// larger.
    fn at(&self, offset: u32) -> Option<u32> {
        self.placed.place.offset.checked_add(offset)
    }
}

impl Transport for Beside {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        self.way.kind
    }

    /// A card that its network driver has is not reset on close.
    fn keeps_state(&self) -> bool {
        true
    }

    fn registers_bytes(&self) -> u64 {
        self.placed.bytes
    }

    fn placed(&self) -> Placed {
        self.placed
    }

    fn reach(&self) -> Reach {
        Reach::REGISTERS
    }

    fn instead(&self) -> &'static str {
        self.way.instead
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        Ok(self.at(offset).map_or(u32::MAX, |at| self.registers.read(at)))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        if let Some(at) = self.at(offset) {
            self.registers.write(at, value);
        }
        Ok(())
    }
}

/// Words that the registers of a NIC at rest read, for a test that has a file in place of a BAR: 16
/// flows, 512 bits. A file does nothing; words that were written are read back.
#[cfg(test)]
pub(super) fn words() -> impl Iterator<Item = (u32, u32)> {
    use timely_regs::map::{BLOCKS, HEADER_NEXT, HEADER_TYPE, HEADER_VERSION, Reset, dma, flow, id};
    let headers = BLOCKS.iter().flat_map(|b| {
        [(HEADER_TYPE, b.kind.type_word()), (HEADER_VERSION, b.version), (HEADER_NEXT, b.next())].map(|(at, w)| (b.base + at, w))
    });
    let resets = BLOCKS.iter().flat_map(|b| b.registers).filter_map(|r| match r.reset {
        Reset::Value(value @ 1..) => Some((r.address(), value)),
        _ => None,
    });
    let states = [
        (&id::FLOW_BITS, 4),
        (&id::CLOCK_PS, 4000),
        (&id::BUS_BITS, 512),
        (&id::STATUS, 1),
        (&flow::STATUS, 2),
        (&dma::STATUS, dma::IDLE.mask()),
    ];
    headers.chain(resets).chain(states.map(|(r, word)| (r.address(), word)))
}
