//! A mapped BAR: registers behind volatile accesses, and a guard that makes one that was removed
//! read all ones.
//!
//! An access to a BAR of a device that is gone may be answered with SIGBUS. The handler here puts a
//! page of ones in the place of the one that was accessed, so that the driver sees what it sees of
//! any device that is gone; for every other address the signal stays what it was.
#![allow(unsafe_code)]
use memmap2::{MmapOptions, MmapRaw};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::io;
use std::os::fd::RawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use volatile_register::RW;

/// Bytes of a page.
const PAGE: usize = 4096;
/// Most BARs that are mapped at one time.
const MOST: usize = 16;

/// Where BARs are: first address and end; 0 for none.
static BARS: [(AtomicUsize, AtomicUsize); MOST] = [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; MOST];

extern "C" fn on_bus_error(_: i32, info: *mut nix::libc::siginfo_t, _: *mut nix::libc::c_void) {
    // SAFETY: the kernel gives a valid `siginfo_t` of SIGBUS, in which the address is set.
    let address = unsafe { (*info).si_addr() } as usize;
    let ours = BARS.iter().any(|(first, end)| (first.load(Ordering::Acquire)..end.load(Ordering::Acquire)).contains(&address));
    let page = (address & !(PAGE - 1)) as *mut nix::libc::c_void;
    let flags = nix::libc::MAP_PRIVATE | nix::libc::MAP_ANONYMOUS | nix::libc::MAP_FIXED;
    let protection = nix::libc::PROT_READ | nix::libc::PROT_WRITE;
    // SAFETY: `mmap`, `memset` and `signal` only, which a signal handler may call; the page
    // replaced is one of a BAR's mapping, which nothing but volatile accesses refers to.
    unsafe {
        if ours && nix::libc::mmap(page, PAGE, protection, flags, -1, 0) == page {
            page.cast::<u8>().write_bytes(0xff, PAGE);
        } else {
            // The access is made again, and ends the process as it would have.
            nix::libc::signal(nix::libc::SIGBUS, nix::libc::SIG_DFL);
        }
    }
}

/// Sets the handler up, once.
fn guard() -> io::Result<()> {
    static DONE: OnceLock<Result<(), nix::errno::Errno>> = OnceLock::new();
    let set = || {
        let action = SigAction::new(SigHandler::SigAction(on_bus_error), SaFlags::SA_SIGINFO, SigSet::empty());
        // SAFETY: the handler does what a handler may do.
        unsafe { sigaction(Signal::SIGBUS, &action) }.map(|_| ())
    };
    (*DONE.get_or_init(set)).map_err(io::Error::from)
}

/// A mapped BAR.
#[derive(Debug)]
pub struct Bar {
    map: MmapRaw,
    place: usize,
}

impl Bar {
    /// Maps `bytes` at `offset` of a descriptor.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub fn map(fd: RawFd, offset: u64, bytes: usize) -> io::Result<Self> {
        guard()?;
        let map = MmapOptions::new().offset(offset).len(bytes).map_raw(fd)?;
        let first = map.as_ptr().addr();
        for (place, (start, end)) in BARS.iter().enumerate() {
            if start.compare_exchange(0, first, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                end.store(first + bytes, Ordering::Release);
                return Ok(Bar { map, place });
            }
        }
        Err(io::Error::other(format!("{MOST} BARs are mapped already")))
    }

    fn register(&self, offset: u32) -> Option<*const RW<u32>> {
        let fits = offset.is_multiple_of(4) && offset as usize + 4 <= self.map.len();
        fits.then(|| self.map.as_ptr().wrapping_add(offset as usize).cast())
    }

    /// Reads a register; all ones beyond the end.
    pub fn read(&self, offset: u32) -> u32 {
        match self.register(offset) {
            // SAFETY: the register lies in the mapping, which lives as long as `self`, at a
            // multiple of 4; every access to it is volatile.
            Some(r) => u32::from_le(unsafe { (*r).read() }),
            None => u32::MAX,
        }
    }

    /// Writes a register; nothing happens beyond the end.
    pub fn write(&self, offset: u32, value: u32) {
        if let Some(r) = self.register(offset) {
            // SAFETY: as in `read`; the mapping is writable, and a write to a register of a NIC
            // touches no memory of this process.
            unsafe { (*r).write(value.to_le()) }
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let (first, end) = &BARS[self.place];
        end.store(0, Ordering::Release);
        first.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    /// A file that becomes shorter raises SIGBUS as a BAR does that is removed.
    #[test]
    fn a_bar_that_is_removed_reads_all_ones() {
        let path = std::env::temp_dir().join(format!("timely-bar-{}", std::process::id()));
        std::fs::write(&path, vec![0x11; 3 * PAGE]).expect("a file");
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("the file");
        std::fs::remove_file(&path).expect("removed");
        let bar = Bar::map(file.as_raw_fd(), PAGE as u64, 2 * PAGE).expect("mapped");
        bar.write(4, 0x1234_5678);
        assert_eq!((bar.read(0), bar.read(4), bar.read(8192), bar.read(2)), (0x1111_1111, 0x1234_5678, u32::MAX, u32::MAX));
        file.set_len(0).expect("shorter");
        bar.write(4, 7);
        assert_eq!((bar.read(0), bar.read(4096)), (u32::MAX, u32::MAX));
        // Another one is not taken for it.
        let again = Bar::map(file.as_raw_fd(), 0, PAGE).expect("mapped");
        drop(bar);
        assert_eq!(again.read(0), u32::MAX);
    }
}
