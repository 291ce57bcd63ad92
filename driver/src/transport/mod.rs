//! How the driver reaches a device: a small trait, and the registers on top of it as
//! `timely_regs::device` takes them.
pub(crate) mod bar;
pub mod beside;
pub mod iova;
pub mod memory;
pub mod mqnic;
pub mod serial;
pub mod sysfs;
pub mod vfio;
pub mod vfio_user;

use crate::board::Placed;
pub use crate::failure::Failure;
use std::os::fd::{BorrowedFd, OwnedFd};
use timely_regs::device::{Bus, Memory};
use timely_regs::map::id;

/// Memory that a device reaches, from [`Transport::dma_map`] until [`Transport::dma_unmap`].
pub struct Dma(Box<dyn Memory + Send>);

impl Dma {
    /// From a transport's own kind of memory.
    pub fn new(memory: impl Memory + Send + 'static) -> Self {
        Dma(Box::new(memory))
    }
}

impl Memory for Dma {
    fn address(&self) -> u64 {
        self.0.address()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        self.0.read(at, to);
    }

    fn write(&self, at: usize, from: &[u8]) {
        self.0.write(at, from);
    }
}

/// Capabilities of a transport beyond register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The device reaches memory that is mapped for it.
    pub memory: bool,
    /// MSI-X vectors are the interrupt lines of the register map.
    pub interrupts: bool,
    /// The configuration space is the driver's.
    pub config: bool,
    /// A reset of the function resets what is behind the registers.
    pub reset: bool,
}

impl Reach {
    /// Of a device that is the driver's whole, on this board.
    pub fn of(placed: &Placed) -> Self {
        let board = placed.board;
        Reach { memory: board.dma, interrupts: board.function, config: true, reset: board.function }
    }

    /// Registers, and nothing else.
    pub const REGISTERS: Reach = Reach { memory: false, interrupts: false, config: false, reset: false };
}

/// A transport to a device. Dropping it releases the device, whatever is mapped. Default methods
/// refuse all access but that to registers.
pub trait Transport: Send {
    /// The device, as `--device` takes it.
    fn name(&self) -> &str;

    /// Kind of the transport, as it is printed.
    fn kind(&self) -> &'static str;

    /// The device keeps its flows when the transport is dropped; kernel VFIO resets it instead.
    fn keeps_state(&self) -> bool;

    /// Bytes of the register map that can be reached.
    fn registers_bytes(&self) -> u64;

    /// Where the register map is.
    fn placed(&self) -> Placed {
        Placed::standalone(self.registers_bytes())
    }

    /// Capabilities beyond register access; check them before use.
    fn reach(&self) -> Reach {
        Reach::of(&self.placed())
    }

    /// Advice for users that need a capability [`Transport::reach`] has not.
    fn instead(&self) -> &'static str {
        "read telemetry in its place (`timelyctl telemetry --watch`)"
    }

    /// Reads a register; `offset` is a multiple of 4 in the register map.
    ///
    /// # Errors
    /// When the transport fails.
    fn read32(&self, offset: u32) -> Result<u32, Failure>;

    /// Writes a register; `offset` is a multiple of 4 in the register map.
    ///
    /// # Errors
    /// When the transport fails.
    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure>;

    /// Error for a capability that the transport lacks.
    fn lacks(&self, what: &'static str, needs: &'static str) -> Failure {
        Failure::Lacks { device: self.name().into(), what, needs, way: self.kind(), next: self.instead() }
    }

    /// Reads from configuration space.
    ///
    /// # Errors
    /// When the transport fails, or carries registers alone.
    fn read_config(&self, _offset: u16, _to: &mut [u8]) -> Result<(), Failure> {
        Err(self.lacks("a read of configuration space", "the whole function"))
    }

    /// Writes into configuration space.
    ///
    /// # Errors
    /// When the transport fails, or carries registers alone.
    fn write_config(&self, _offset: u16, _from: &[u8]) -> Result<(), Failure> {
        Err(self.lacks("a write to configuration space", "the whole function"))
    }

    /// Gives the device so many bytes of fresh memory, zeros, and an address of them that is a
    /// multiple of 4096.
    ///
    /// # Errors
    /// When there is no memory or no address left, or the transport fails, or carries registers
    /// alone.
    fn dma_map(&self, _bytes: usize) -> Result<Dma, Failure> {
        Err(self.lacks("memory that the device reaches", "DMA"))
    }

    /// Takes it away again.
    ///
    /// # Errors
    /// When the transport fails; the address is then not used again.
    fn dma_unmap(&self, _memory: Dma) -> Result<(), Failure> {
        Err(self.lacks("memory that the device reaches", "DMA"))
    }

    /// Turns MSI-X on; gives an eventfd for each vector, not blocking.
    ///
    /// # Errors
    /// When the device has fewer vectors, or the transport fails, or carries registers alone.
    fn enable_msix(&self, _vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        Err(self.lacks("MSI-X", "interrupts"))
    }

    /// Turns MSI-X off.
    ///
    /// # Errors
    /// When the transport fails, or carries registers alone.
    fn disable_msix(&self) -> Result<(), Failure> {
        Err(self.lacks("MSI-X", "interrupts"))
    }

    /// Resets the function. Mappings stay; MSI-X must be turned on again.
    ///
    /// # Errors
    /// When the device cannot be reset, or the transport fails, or carries registers alone.
    fn reset(&self) -> Result<(), Failure> {
        Err(self.lacks("a reset of the function", "the whole function"))
    }

    /// An eventfd that is signalled when the kernel wants the device back; then it is to be closed
    /// soon.
    fn removal(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// The registers of a device behind a transport.
pub struct Registers(Box<dyn Transport>);

impl Registers {
    /// Of this transport.
    pub fn new(transport: Box<dyn Transport>) -> Self {
        Registers(transport)
    }

    /// The transport.
    pub fn transport(&self) -> &dyn Transport {
        &*self.0
    }

    fn check(&self, offset: u32) -> Result<(), Failure> {
        let bytes = self.0.registers_bytes();
        if offset.is_multiple_of(4) && u64::from(offset) + 4 <= bytes { Ok(()) } else { Err(Failure::Offset { offset, bytes }) }
    }
}

impl Bus for Registers {
    type Error = Failure;

    /// All ones may be a value; when the magic word is all ones too, the device is gone.
    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        self.check(offset)?;
        let value = self.0.read32(offset)?;
        if value == u32::MAX && self.0.read32(id::MAGIC_WORD.address())? == u32::MAX {
            return Err(Failure::Gone { device: self.0.name().into() });
        }
        Ok(value)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        self.check(offset)?;
        self.0.write32(offset, value)
    }
}
