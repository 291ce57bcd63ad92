//! Typed access to the registers over any bus: the driver over VFIO, a test over a Verilated model.
mod dma;
mod error;
mod operations;
mod pairs;

pub use dma::{Memory, RECORD_WORDS, Ring, RingSettings};
pub use error::Error;
pub use operations::{Answer, Only};
pub use pairs::{KnownPair, NotifySettings, PairChange, PairOutcome, PairRule, PairSettings, PairState};

use crate::field::{Field, OutOfRange};
use crate::map::settings::Setting;
use crate::map::{BLOCKS, Build, HEADER_NEXT, HEADER_TYPE, HEADER_VERSION, MAGIC, Register, id};

/// 32-bit access to the BAR, by byte offset.
pub trait Bus {
    /// Error of an access.
    type Error;

    /// Reads a register.
    ///
    /// # Errors
    /// When the bus says that the read failed.
    fn read32(&self, offset: u32) -> Result<u32, Self::Error>;

    /// Writes a register.
    ///
    /// # Errors
    /// When the bus says that the write failed.
    fn write32(&self, offset: u32, value: u32) -> Result<(), Self::Error>;
}

impl<B: Bus + ?Sized> Bus for &B {
    type Error = B::Error;

    fn read32(&self, offset: u32) -> Result<u32, B::Error> {
        (**self).read32(offset)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), B::Error> {
        (**self).write32(offset, value)
    }
}

/// An access that a device refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Byte offset in the BAR.
    pub address: u32,
    /// The access was a write.
    pub write: bool,
    /// Why, as [`id::Refusal`] numbers it.
    pub reason: u32,
}

/// More blocks than any list has, so that a walk over a broken one ends.
const LONGEST_LIST: usize = 64;

/// A device whose register blocks were found.
#[derive(Clone, Debug)]
pub struct Device<B> {
    bus: B,
    /// Where the blocks stand, in the order of [`BLOCKS`].
    bases: [u32; BLOCKS.len()],
    build: Build,
}

impl<B: Bus> Device<B> {
    /// Checks the magic word and walks the block list.
    ///
    /// # Errors
    /// When the device is gone or another one, or has a block that this software does not know in
    /// that version, or lacks one.
    pub fn open(bus: B) -> Result<Self, Error<B::Error>> {
        let read = |offset| bus.read32(offset).map_err(Error::Bus);
        match read(id::BLOCK.base + id::MAGIC_WORD.offset)? {
            MAGIC => {}
            u32::MAX => return Err(Error::Gone),
            other => return Err(Error::Magic(other)),
        }
        let mut found = [None; BLOCKS.len()];
        let mut at = 0;
        for _ in 0..LONGEST_LIST {
            let kind = read(at + HEADER_TYPE)?;
            if let Some(i) = BLOCKS.iter().position(|b| b.kind.type_word() == kind) {
                let version = read(at + HEADER_VERSION)?;
                if version != BLOCKS[i].version {
                    return Err(Error::Version { block: BLOCKS[i].name, found: version, known: BLOCKS[i].version });
                }
                found[i] = Some(at);
            }
            at = read(at + HEADER_NEXT)?;
            if at == 0 {
                break;
            }
        }
        let mut bases = [0; BLOCKS.len()];
        for ((base, found), block) in bases.iter_mut().zip(found).zip(&BLOCKS) {
            *base = found.ok_or(Error::NoBlock(block.name))?;
        }
        let build = Build { flow_bits: 0, bus_bits: 0, ring_bits: 0, clock_ps: 0, ptp: 0 };
        let mut device = Device { bus, bases, build };
        device.build = Build {
            flow_bits: device.read(&id::FLOW_BITS)?,
            bus_bits: device.read(&id::BUS_BITS)?,
            ring_bits: device.read(&id::RING_BITS)?,
            clock_ps: device.read(&id::CLOCK_PS)?,
            ptp: 0,
        };
        Ok(device)
    }

    /// The bus.
    pub fn bus(&self) -> &B {
        &self.bus
    }

    /// The numbers that the design was built with.
    pub fn build(&self) -> &Build {
        &self.build
    }

    /// Flows of the device.
    pub fn flows(&self) -> u32 {
        1 << self.build.flow_bits
    }

    /// Where a register of this device stands in the BAR.
    pub fn address(&self, r: &Register, i: u32) -> u32 {
        assert!(i < r.count, "{} has {} registers, no number {i}", r.name, r.count);
        self.bases[r.block.place()] + r.offset + 4 * i
    }

    /// Reads a register.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn read(&self, r: &Register) -> Result<u32, Error<B::Error>> {
        self.read_at(r, 0)
    }

    /// Reads register `i` of an array.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn read_at(&self, r: &Register, i: u32) -> Result<u32, Error<B::Error>> {
        self.bus.read32(self.address(r, i)).map_err(Error::Bus)
    }

    /// Reads a field of a register.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn read_field(&self, r: &Register, f: &Field) -> Result<u32, Error<B::Error>> {
        Ok(f.get(&[self.read(r)?]))
    }

    /// Writes a register.
    ///
    /// # Errors
    /// When the bus fails, or a field of the value is out of its range.
    pub fn write(&self, r: &Register, value: u32) -> Result<(), Error<B::Error>> {
        self.write_at(r, 0, value)
    }

    /// Writes register `i` of an array.
    ///
    /// # Errors
    /// When the bus fails, or a field of the value is out of its range.
    pub fn write_at(&self, r: &Register, i: u32, value: u32) -> Result<(), Error<B::Error>> {
        r.checked(value)?;
        self.bus.write32(self.address(r, i), value).map_err(Error::Bus)
    }

    /// Sets a setting, lowest word first.
    ///
    /// # Errors
    /// When the value does not fit the setting or a field of it is out of its range, and nothing is
    /// written; or when the bus fails.
    pub fn set(&self, s: &Setting, value: u128) -> Result<(), Error<B::Error>> {
        let word = |i: u32| (value >> (32 * i)) as u32;
        let (top, unused) = (s.words() - 1, 32 * s.words() - s.bits);
        if s.bits < 128 && value >> s.bits != 0 {
            let above = u32::try_from(value >> (32 * top)).unwrap_or(u32::MAX);
            return Err(OutOfRange { name: s.name, value: above, least: 0, most: u32::MAX >> unused }.into());
        }
        for i in 0..=top {
            s.register(i).0.checked(word(i))?;
        }
        for i in 0..=top {
            let (r, at) = s.register(i);
            self.write_at(r, at, word(i))?;
        }
        Ok(())
    }

    /// The value of a setting.
    ///
    /// # Errors
    /// When the bus fails, or the setting is write-only.
    pub fn get(&self, s: &Setting) -> Result<u128, Error<B::Error>> {
        let mut value = 0;
        for i in 0..s.words() {
            let (r, at) = s.register(i);
            value |= u128::from(self.read_at(r, at)?) << (32 * i);
        }
        Ok(value)
    }

    /// The last access that the device refused.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn last_refusal(&self) -> Result<Option<Refused>, Error<B::Error>> {
        let e = [self.read(&id::ERROR)?];
        let refused = Refused { address: id::ERROR_ADDRESS.get(&e), write: id::ERROR_WRITE.get(&e) != 0, reason: id::ERROR_REASON.get(&e) };
        Ok((refused.reason != 0).then_some(refused))
    }
}
