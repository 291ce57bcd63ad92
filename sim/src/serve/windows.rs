//! The IOVA windows that a client opened for DMA: parts of its memory, each a range of a file that
//! it passed.
//!
//! Memory is read and written with `pread` and `pwrite`, not through a mapping: a client that
//! shortens its file makes a transfer fail, where a mapping would end the server with SIGBUS, and
//! none of it needs `unsafe`. A burst costs about a microsecond so. The price: files on hugetlbfs,
//! which cannot be written that way, are not served.
use crate::nic::memory::Store;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Bytes of a page, of which every window has a whole number. So no burst of the NIC lies in two
/// windows.
pub const PAGE: u64 = 4096;
/// Most windows.
pub const MOST_WINDOWS: usize = 65_535;
/// Most different files.
const MOST_FILES: usize = 64;

/// Directions of the device's access to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Read it.
    pub read: bool,
    /// Write it.
    pub write: bool,
}

struct Window {
    size: u64,
    /// File of the memory; `None` for memory that cannot be reached from here.
    file: Option<Arc<File>>,
    offset: u64,
    allowed: Allowed,
}

/// A file, however often it was passed: device, inode, and how it was opened.
type Key = (u64, u64, u32);

/// All windows of a client, by address. They do not overlap.
#[derive(Default)]
pub struct Windows {
    windows: BTreeMap<u64, Window>,
    files: BTreeMap<Key, Weak<File>>,
}

impl Windows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.windows.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Closes all windows.
    pub fn clear(&mut self) {
        self.windows.clear();
        self.files.clear();
    }

    /// One descriptor for each file: a client with an IOMMU passes the same one for every page.
    fn known(&mut self, file: File) -> Result<Arc<File>, Errno> {
        let about = file.metadata().map_err(|_| Errno::BADF)?;
        let flags = rustix::fs::fcntl_getfl(&file)?;
        // A write to a file that is open for appending does not go where it should.
        if !about.is_file() || flags.contains(OFlags::APPEND) {
            return Err(Errno::INVAL);
        }
        let key = (about.dev(), about.ino(), (flags & OFlags::ACCMODE).bits());
        if let Some(known) = self.files.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        self.files.retain(|_, f| f.strong_count() > 0);
        if self.files.len() >= MOST_FILES {
            return Err(Errno::NFILE);
        }
        let file = Arc::new(file);
        self.files.insert(key, Arc::downgrade(&file));
        Ok(file)
    }

    /// Opens a window.
    ///
    /// # Errors
    /// The window is not of whole pages, overlaps another, or goes beyond the end of its file; the
    /// file is none; there are too many.
    pub fn map(&mut self, address: u64, size: u64, file: Option<File>, offset: u64, allowed: Allowed) -> Result<(), Errno> {
        let whole = [address, size, offset].iter().all(|v| v.is_multiple_of(PAGE));
        let (Some(end), Some(last)) = (address.checked_add(size), offset.checked_add(size)) else { return Err(Errno::INVAL) };
        if !whole || size == 0 {
            return Err(Errno::INVAL);
        }
        if self.windows.range(..end).next_back().is_some_and(|(at, w)| at + w.size > address) {
            return Err(Errno::EXIST);
        }
        if self.windows.len() >= MOST_WINDOWS {
            return Err(Errno::NOSPC);
        }
        let file = file.map(|f| self.known(f)).transpose()?;
        if let Some(f) = &file
            && f.metadata().map_err(|_| Errno::BADF)?.len() < last
        {
            return Err(Errno::INVAL);
        }
        self.windows.insert(address, Window { size, file, offset, allowed });
        Ok(())
    }

    /// Closes the windows in a range of addresses; there may be none.
    ///
    /// # Errors
    /// A window lies in it with a part alone; nothing is closed then.
    pub fn unmap(&mut self, address: u64, size: u64) -> Result<(), Errno> {
        let end = address.checked_add(size).ok_or(Errno::INVAL)?;
        let cut = |at: u64| self.windows.range(..at).next_back().is_some_and(|(a, w)| a + w.size > at);
        if cut(address) || cut(end) {
            return Err(Errno::INVAL);
        }
        let inside: Vec<u64> = self.windows.range(address..end).map(|(a, _)| *a).collect();
        for a in inside {
            self.windows.remove(&a);
        }
        Ok(())
    }

    /// The file and the place in it of a range of addresses that lies in one window.
    fn find(&self, address: u64, bytes: usize, may: impl FnOnce(Allowed) -> bool) -> Option<(&File, u64)> {
        let (at, w) = self.windows.range(..=address).next_back()?;
        let from = address - at;
        let inside = from.checked_add(bytes as u64).is_some_and(|end| end <= w.size);
        w.file.as_deref().filter(|_| inside && may(w.allowed)).map(|file| (file, w.offset + from))
    }
}

/// The windows, as the connection opens them and the NIC uses them.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Windows>>);

impl Shared {
    /// The windows.
    pub fn lock(&self) -> MutexGuard<'_, Windows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Shared {
    fn read(&self, address: u64, to: &mut [u8]) -> bool {
        let windows = self.lock();
        windows.find(address, to.len(), |a| a.read).is_some_and(|(file, at)| file.read_exact_at(to, at).is_ok())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> bool {
        let windows = self.lock();
        windows.find(address, from.len(), |a| a.write).is_some_and(|(file, at)| file.write_all_at(from, at).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{MemfdFlags, memfd_create};

    const BOTH: Allowed = Allowed { read: true, write: true };

    fn memory(pages: u64) -> File {
        let file = File::from(memfd_create("windows", MemfdFlags::CLOEXEC).expect("a memfd"));
        file.set_len(pages * PAGE).expect("its length");
        file
    }

    #[test]
    fn pages_in_any_order_are_one_memory() {
        let (file, mut shared) = (memory(4), Shared::default());
        for (iova, page) in [(0u64, 2u64), (1, 0), (2, 3)] {
            let again = Some(file.try_clone().expect("a descriptor"));
            shared.lock().map(0x7000_0000 + iova * PAGE, PAGE, again, page * PAGE, BOTH).expect("a window");
        }
        assert_eq!(shared.lock().files.len(), 1, "one descriptor for all pages of a file");
        for iova in 0..3u8 {
            assert!(shared.write(0x7000_0000 + u64::from(iova) * PAGE + 64, &[iova + 1; 64]));
        }
        let mut bytes = [0; 64];
        for (page, expected) in [(2, 1), (0, 2), (3, 3)] {
            file.read_exact_at(&mut bytes, page * PAGE + 64).expect("a page");
            assert_eq!(bytes, [expected; 64]);
        }
        assert!(!shared.write(0x7000_0000 + 3 * PAGE, &[0; 64]) && !shared.write(0x7000_0000 - 64, &[0; 64]), "outside of any window");
        shared.lock().unmap(0x7000_0000 + PAGE, PAGE).expect("an unmap");
        assert!(!shared.read(0x7000_0000 + PAGE, &mut bytes) && shared.read(0x7000_0000 + 2 * PAGE, &mut bytes));
        file.set_len(PAGE).expect("its length");
        assert!(!shared.read(0x7000_0000, &mut bytes), "a file that was shortened fails");
    }

    #[test]
    fn what_makes_no_window_is_refused() {
        let mut w = Windows::default();
        let again = |f: &File| Some(f.try_clone().expect("a descriptor"));
        let file = memory(2);
        assert_eq!(w.map(1, PAGE, again(&file), 0, BOTH), Err(Errno::INVAL));
        assert_eq!(w.map(0, 0, again(&file), 0, BOTH), Err(Errno::INVAL));
        assert_eq!(w.map(u64::MAX - PAGE + 1, PAGE, again(&file), 0, BOTH), Err(Errno::INVAL));
        assert_eq!(w.map(0, PAGE, again(&file), 2 * PAGE, BOTH), Err(Errno::INVAL), "beyond the end of the file");
        let (pipe, _other) = rustix::pipe::pipe().expect("a pipe");
        assert_eq!(w.map(0, PAGE, Some(File::from(pipe)), 0, BOTH), Err(Errno::INVAL), "no file");
        assert_eq!(w.map(PAGE, 2 * PAGE, again(&file), 0, BOTH), Ok(()));
        for (at, size) in [(PAGE, PAGE), (0, 2 * PAGE), (2 * PAGE, PAGE), (0, 4 * PAGE)] {
            assert_eq!(w.map(at, size, again(&file), 0, BOTH), Err(Errno::EXIST), "{at:#x}");
        }
        assert_eq!(w.unmap(PAGE, PAGE), Err(Errno::INVAL), "half a window");
        assert_eq!(w.unmap(0x1000_0000, PAGE), Ok(()), "where there was none");
        assert_eq!(w.unmap(u64::MAX, 2), Err(Errno::INVAL));
        assert_eq!(w.map(0, PAGE, None, 0, BOTH), Ok(()), "memory without a file");
        let mut shared = Shared(Arc::new(Mutex::new(w)));
        assert!(!shared.write(0, &[0; 64]), "which the device cannot reach");
        shared.lock().clear();
        shared.lock().map(0, PAGE, again(&file), 0, Allowed { read: true, write: false }).expect("a window");
        assert!(shared.read(0, &mut [0; 64]) && !shared.write(0, &[0; 64]));
    }
}
