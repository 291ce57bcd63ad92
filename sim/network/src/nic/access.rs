//! A bit-true NIC as `timely_regs::device` takes it: its registers, and buffers in the memory
//! behind it.
use super::core::{AccessError, Core};
use std::cell::RefCell;
use timely_regs::device::{Bus, Memory};

/// The registers of a core. An access steps the core with idle inputs until it is answered.
pub struct Access<'a>(RefCell<&'a mut dyn Core>);

impl<'a> Access<'a> {
    /// Register access to this core.
    pub fn new(core: &'a mut dyn Core) -> Self {
        Access(RefCell::new(core))
    }

    /// A buffer in the core's memory.
    pub fn buffer(&self, address: u64, bytes: usize) -> Buffer<'_, 'a> {
        Buffer { of: self, address, bytes }
    }

    /// Does something with the core.
    pub fn core<T>(&self, what: impl FnOnce(&mut dyn Core) -> T) -> T {
        what(&mut **self.0.borrow_mut())
    }
}

impl Bus for Access<'_> {
    type Error = AccessError;

    fn read32(&self, offset: u32) -> Result<u32, AccessError> {
        self.core(|c| c.read32(offset))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), AccessError> {
        self.core(|c| c.write32(offset, value))
    }
}

/// Part of a core's memory.
pub struct Buffer<'b, 'a> {
    of: &'b Access<'a>,
    address: u64,
    bytes: usize,
}

impl Memory for Buffer<'_, '_> {
    fn address(&self) -> u64 {
        self.address
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        self.of.core(|c| c.read_memory(self.address + at as u64, to));
    }

    fn write(&self, at: usize, from: &[u8]) {
        self.of.core(|c| c.write_memory(self.address + at as u64, from));
    }
}
