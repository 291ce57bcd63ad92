//! A ring that this end and the kernel share: entries, and a count of each end, without bound.
use memmap2::{MmapOptions, MmapRaw};
use rustix::net::xdp::{XdpDesc, XdpRingOffset};
use std::io;
use std::marker::PhantomData;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

/// Plain numbers that the kernel writes and reads: any bits are a value.
pub trait Entry: Copy {}

impl Entry for u64 {}
impl Entry for XdpDesc {}

/// A ring of entries of one kind, of which this end either writes or reads.
pub struct Ring<T> {
    map: MmapRaw,
    at: XdpRingOffset,
    places: u32,
    /// The count of this end.
    own: u32,
    entries: PhantomData<T>,
}

impl<T: Entry> Ring<T> {
    /// Maps a ring of a socket that has `places` entries, a power of two.
    ///
    /// # Errors
    /// The kernel refuses the mapping.
    pub fn map(fd: &OwnedFd, page: u64, at: XdpRingOffset, places: u32) -> io::Result<Self> {
        assert!(places.is_power_of_two(), "{places} places are no power of two");
        let bytes = at.desc as usize + places as usize * size_of::<T>();
        let map = MmapOptions::new().offset(page).len(bytes).map_raw(fd)?;
        Ok(Ring { map, at, places, own: 0, entries: PhantomData })
    }

    fn count(&self, at: u64) -> &AtomicU32 {
        // SAFETY: the kernel gives the offset of an aligned 32-bit count in front of the entries,
        // inside of the mapping, which lives as long as `self`; both ends reach it by atomic
        // instructions alone.
        unsafe { &*self.map.as_mut_ptr().add(at as usize).cast::<AtomicU32>() }
    }

    fn producer(&self) -> &AtomicU32 {
        self.count(self.at.producer)
    }

    fn consumer(&self) -> &AtomicU32 {
        self.count(self.at.consumer)
    }

    /// The address of this end's next entry.
    fn next(&self) -> *mut T {
        let place = (self.own & (self.places - 1)) as usize;
        // SAFETY: the place is one of `places`, for which `map` made the mapping long enough.
        unsafe { self.map.as_mut_ptr().add(self.at.desc as usize).cast::<T>().add(place) }
    }

    /// Writes an entry, which the kernel sees from [`Ring::publish`] on; false if the ring is full.
    pub fn write(&mut self, entry: T) -> bool {
        if self.own.wrapping_sub(self.taken()) >= self.places {
            return false;
        }
        // SAFETY: the kernel has read the entry that was there, by its count, and reads this place
        // again only after this end's count has passed it; kernels lay entries out aligned.
        unsafe { self.next().write(entry) };
        self.own = self.own.wrapping_add(1);
        true
    }

    /// Shows the kernel what was written.
    pub fn publish(&self) {
        self.producer().store(self.own, Ordering::Release);
    }

    /// The kernel's count of the entries that it has taken.
    pub fn taken(&self) -> u32 {
        self.consumer().load(Ordering::Acquire)
    }

    /// The count of the entries that were written.
    pub fn written(&self) -> u32 {
        self.own
    }

    /// Takes the kernel's next entry, whose place is the kernel's again at once.
    pub fn read(&mut self) -> Option<T> {
        if self.own == self.producer().load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: the kernel has written the entry, by its count, and writes this place again only
        // after this end's count has passed it; kernels lay entries out aligned.
        let entry = unsafe { self.next().read() };
        self.own = self.own.wrapping_add(1);
        self.consumer().store(self.own, Ordering::Release);
        Some(entry)
    }
}
