//! Memory that a device can share: a sealed memfd, mapped. The kernel takes its address, a socket
//! its descriptor.
#![allow(unsafe_code)]
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use timely_regs::device::Memory;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// The memory, zeros at first.
#[derive(Debug)]
pub struct Shared {
    map: MmapRaw,
    file: File,
}

impl Shared {
    /// Of so many bytes, rounded up to whole pages. Seals keep the size from then on.
    ///
    /// # Errors
    /// When the system has no memory or no descriptor left.
    pub fn new(bytes: usize) -> std::io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let fd = memfd_create("timely-dma", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&fd, bytes as u64)?;
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let file = File::from(fd);
        let map = MmapOptions::new().len(bytes).map_raw(&file)?;
        Ok(Shared { map, file })
    }

    /// Bytes of the memory.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }

    /// Where it is in this process.
    pub fn pointer(&self) -> *mut u8 {
        self.map.as_mut_ptr()
    }

    /// Descriptor of the memory.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    fn check(&self, at: usize, bytes: usize) {
        assert!(at <= self.bytes() && bytes <= self.bytes() - at, "{bytes} bytes at {at} of DMA memory of {}", self.bytes());
    }

    /// Copies out of it, eight bytes at a time where it can.
    ///
    /// # Panics
    /// Beyond its end.
    pub fn read(&self, at: usize, to: &mut [u8]) {
        self.check(at, to.len());
        let (mut from, mut to) = (self.map.as_ptr().wrapping_add(at), to);
        while !to.is_empty() {
            let whole = to.len() >= 8 && from.addr().is_multiple_of(8);
            let n = if whole { 8 } else { 1 };
            let (head, rest) = to.split_at_mut(n);
            // SAFETY: `check` holds the `n` bytes at `from` within the mapping, which lives as long
            // as `self`; 8 bytes are read at a multiple of 8 only. The device may write at any
            // time: the read is volatile and what it gives is any bytes.
            unsafe {
                if whole {
                    head.copy_from_slice(&from.cast::<u64>().read_volatile().to_ne_bytes());
                } else {
                    head[0] = from.read_volatile();
                }
            }
            from = from.wrapping_add(n);
            to = rest;
        }
    }

    /// Copies into it.
    ///
    /// # Panics
    /// Beyond its end.
    pub fn write(&self, at: usize, from: &[u8]) {
        self.check(at, from.len());
        let (mut to, mut from) = (self.map.as_mut_ptr().wrapping_add(at), from);
        while !from.is_empty() {
            let whole = from.len() >= 8 && to.addr().is_multiple_of(8);
            let n = if whole { 8 } else { 1 };
            let (head, rest) = from.split_at(n);
            // SAFETY: as in `read`; the memory belongs to the device as much as to this process, no
            // reference to it exists.
            unsafe {
                match <[u8; 8]>::try_from(head) {
                    Ok(word) => to.cast::<u64>().write_volatile(u64::from_ne_bytes(word)),
                    Err(_) => to.write_volatile(head[0]),
                }
            }
            to = to.wrapping_add(n);
            from = rest;
        }
    }
}

/// Shared memory at the address under which the device knows it.
#[derive(Debug)]
pub struct Mapped {
    /// The memory, which a device in this process has too.
    pub shared: Arc<Shared>,
    /// DMA address.
    pub iova: u64,
}

impl Memory for Mapped {
    fn address(&self) -> u64 {
        self.iova
    }

    fn bytes(&self) -> usize {
        self.shared.bytes()
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        self.shared.read(at, to);
    }

    fn write(&self, at: usize, from: &[u8]) {
        self.shared.write(at, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn bytes_are_those_of_the_file() {
        let memory = Shared::new(5000).expect("memory");
        assert_eq!(memory.bytes(), 8192);
        let pattern: Vec<u8> = (0..100).collect();
        for at in [0, 1, 7, 4090, 8092] {
            memory.write(at, &pattern);
            let (mut map, mut file) = ([0; 100], [0; 100]);
            memory.read(at, &mut map);
            memory.file.read_exact_at(&mut file, at as u64).expect("the file");
            assert!(map[..] == pattern && file == map, "at {at}");
        }
        assert!(memory.file.set_len(4096).is_err(), "a shorter file would be a SIGBUS");
    }

    #[test]
    #[should_panic(expected = "2 bytes at 4095 of DMA memory of 4096")]
    fn nothing_is_read_beyond_the_end() {
        Shared::new(1).expect("memory").read(4095, &mut [0; 2]);
    }
}
