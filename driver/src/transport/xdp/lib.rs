//! An AF_XDP socket that sends, in copy mode, which every device has: frames are written into memory
//! that the kernel reads, descriptors into a ring, and a system call has the kernel take them. The
//! device's queueing discipline is passed by.
//!
//! A package of its own, for the simulator takes it too, and the driver's tests take the simulator.
#![allow(unsafe_code, reason = "rings are memory that the kernel maps")]
use memmap2::{MmapMut, MmapOptions, MmapRaw};
use rustix::io::Errno;
use rustix::net::xdp::{SocketAddrXdp, SocketAddrXdpFlags, XDP_PGOFF_TX_RING, XDP_UMEM_PGOFF_COMPLETION_RING};
use rustix::net::xdp::{XdpDesc, XdpDescOptions, XdpRingOffset, XdpUmemReg, XdpUmemRegFlags};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, send, socket_with, sockopt};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of a frame's place, as small as the kernel allows.
pub const FRAME_BYTES: usize = 2048;

/// A ring of which this end writes `mine` and the kernel `other`: places are counted without bound.
struct Ring {
    map: MmapRaw,
    at: XdpRingOffset,
    places: u32,
    /// The count of this end.
    own: u32,
}

impl Ring {
    /// Maps a ring of `places` entries of `entry` bytes each.
    fn map(fd: &OwnedFd, page: u64, at: XdpRingOffset, places: u32, entry: usize) -> io::Result<Self> {
        let map = MmapOptions::new().offset(page).len(at.desc as usize + places as usize * entry).map_raw(fd)?;
        Ok(Ring { map, at, places, own: 0 })
    }

    fn count(&self, at: u64) -> &AtomicU32 {
        // SAFETY: the kernel gives the offset of an aligned 32-bit count inside of the mapping,
        // which lives as long as `self`; both ends reach it by atomic instructions alone.
        unsafe { &*self.map.as_mut_ptr().add(at as usize).cast::<AtomicU32>() }
    }

    fn producer(&self) -> &AtomicU32 {
        self.count(self.at.producer)
    }

    fn consumer(&self) -> &AtomicU32 {
        self.count(self.at.consumer)
    }

    /// The address of an entry.
    fn entry<T>(&self, count: u32) -> *mut T {
        let place = (count & (self.places - 1)) as usize;
        // SAFETY: `places` is a power of two, so the entry is inside of the mapping, whose length
        // `map` had from the same numbers.
        unsafe { self.map.as_mut_ptr().add(self.at.desc as usize).cast::<T>().add(place) }
    }
}

/// A socket that sends, with its frames.
pub struct Sender {
    fd: OwnedFd,
    frames: MmapMut,
    tx: Ring,
    completed: Ring,
    /// Frames that the kernel does not have.
    free: Vec<u64>,
}

/// Frames, and entries of each ring.
const FRAMES: u32 = 2048;
/// System calls in which the kernel may take no frame before it is given up: seconds of them.
const TRIES: u32 = 1_000_000;

impl Sender {
    /// Opens a socket on a queue of a device of this thread's network namespace.
    ///
    /// # Errors
    /// The kernel refuses the socket, its memory, its rings or the device's queue.
    pub fn open(device: u32, queue: u32) -> io::Result<Self> {
        let fd = socket_with(AddressFamily::XDP, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        let frames = MmapOptions::new().len(FRAMES as usize * FRAME_BYTES).map_anon()?;
        let memory = XdpUmemReg {
            addr: frames.as_ptr() as u64,
            len: frames.len() as u64,
            chunk_size: FRAME_BYTES as u32,
            headroom: 0,
            flags: XdpUmemRegFlags::empty(),
            tx_metadata_len: 0,
        };
        sockopt::set_xdp_umem_reg(&fd, memory)?;
        // A socket needs a ring for frames to receive into, even if it receives nothing.
        sockopt::set_xdp_umem_fill_ring_size(&fd, 64)?;
        sockopt::set_xdp_umem_completion_ring_size(&fd, FRAMES)?;
        sockopt::set_xdp_tx_ring_size(&fd, FRAMES)?;
        let at = sockopt::xdp_mmap_offsets(&fd)?;
        let tx = Ring::map(&fd, XDP_PGOFF_TX_RING, at.tx, FRAMES, size_of::<XdpDesc>())?;
        let completed = Ring::map(&fd, XDP_UMEM_PGOFF_COMPLETION_RING, at.cr, FRAMES, size_of::<u64>())?;
        bind(&fd, &SocketAddrXdp::new(SocketAddrXdpFlags::XDP_COPY, device, queue))?;
        let free = (0..u64::from(FRAMES)).map(|n| n * FRAME_BYTES as u64).collect();
        Ok(Sender { fd, frames, tx, completed, free })
    }

    // Takes back the frames that have been sent.
    fn reclaim(&mut self) {
        let ring = &mut self.completed;
        let produced = ring.producer().load(Ordering::Acquire);
        while ring.own != produced {
            // SAFETY: the kernel has written the entry, which its count says, and writes it again
            // only after this end's count has passed it.
            self.free.push(unsafe { ring.entry::<u64>(ring.own).read() });
            ring.own = ring.own.wrapping_add(1);
        }
        ring.consumer().store(ring.own, Ordering::Release);
    }

    /// Writes a frame and its descriptor: `write` is given the frame's place, which is
    /// [`FRAME_BYTES`] long, and tells how many bytes it wrote. False if the kernel has all frames.
    pub fn put(&mut self, write: impl FnOnce(&mut [u8]) -> usize) -> bool {
        if self.free.is_empty() {
            self.reclaim();
        }
        let Some(addr) = self.free.pop() else { return false };
        let place = &mut self.frames[addr as usize..addr as usize + FRAME_BYTES];
        let len = write(place).min(FRAME_BYTES) as u32;
        // SAFETY: no more frames exist than the ring has entries, so the entry of this count is one
        // that the kernel has read; it reads it again only after the count below.
        unsafe { self.tx.entry::<XdpDesc>(self.tx.own).write(XdpDesc { addr, len, options: XdpDescOptions::empty() }) };
        self.tx.own = self.tx.own.wrapping_add(1);
        true
    }

    /// Has the kernel take all frames that were written; it takes up to 32 a system call.
    ///
    /// # Errors
    /// The kernel refuses: the device is down, or takes no frame any more.
    pub fn kick(&mut self) -> io::Result<()> {
        self.tx.producer().store(self.tx.own, Ordering::Release);
        let (mut before, mut tries) = (self.tx.consumer().load(Ordering::Acquire), 0);
        while before != self.tx.own {
            match send(&self.fd, &[], SendFlags::DONTWAIT) {
                Ok(_) => {}
                // More than one call takes, or the device is full.
                Err(e @ (Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR)) if tries == TRIES => return Err(e.into()),
                Err(Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR) => tries += 1,
                Err(e) => return Err(e.into()),
            }
            let now = self.tx.consumer().load(Ordering::Acquire);
            if now != before {
                (before, tries) = (now, 0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::time::Duration;

    /// Bytes of the headers of Ethernet, IPv4 and UDP.
    const HEADERS: usize = 42;

    /// An IPv4 packet with a number to a UDP port of 192.0.2.1: the kernel drops what comes in from
    /// an address of its own.
    fn packet(place: &mut [u8], port: u16, number: u32) -> usize {
        place[..HEADERS].fill(0);
        place[12] = 8;
        place[14] = 0x45;
        place[17] = 32;
        (place[22], place[23]) = (64, 17);
        place[26..30].copy_from_slice(&[192, 0, 2, 9]);
        place[30..34].copy_from_slice(&[192, 0, 2, 1]);
        let sum: u32 = place[14..34].chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        place[24..26].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
        place[34..36].copy_from_slice(&port.to_be_bytes());
        place[36..38].copy_from_slice(&port.to_be_bytes());
        place[39] = 12;
        place[HEADERS..HEADERS + 4].copy_from_slice(&number.to_be_bytes());
        HEADERS + 4
    }

    // A namespace of this thread's own with its loopback device up, or why there is none.
    fn apart() -> Result<(), String> {
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNET).map_err(|e| format!("no network namespace: {e}"))?;
        for words in ["link set lo up", "address add 192.0.2.1/32 dev lo"] {
            let done = std::process::Command::new("ip").args(words.split(' ')).status();
            done.ok().filter(|s| s.success()).ok_or_else(|| format!("`ip {words}` (package iproute2) failed"))?;
        }
        Ok(())
    }

    /// More packets than there are frames, in bursts that a system call does not take at once,
    /// arrive once each and in order; when all frames are written none more is, until the kernel is
    /// told.
    #[test]
    fn frames_arrive_and_come_back() {
        if let Err(why) = apart() {
            println!("NOT RUN: {why}");
            return;
        }
        let receiver = UdpSocket::bind("192.0.2.1:0").expect("a receiver");
        receiver.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit");
        let port = receiver.local_addr().expect("an address").port();
        let mut sender = match Sender::open(1, 0) {
            Ok(sender) => sender,
            Err(e) => {
                println!("NOT RUN: AF_XDP: {e}");
                return;
            }
        };
        let (mut sent, mut buffer) = (0u32, [0; 8]);
        for burst in (1..=50).cycle() {
            for _ in 0..burst {
                assert!(sender.put(|place| packet(place, port, sent)), "no frame for packet {sent}");
                sent += 1;
            }
            sender.kick().expect("the kernel takes them");
            for n in sent - burst..sent {
                assert_eq!(receiver.recv(&mut buffer).expect("a packet"), 4);
                assert_eq!(u32::from_be_bytes([buffer[0], buffer[1], buffer[2], buffer[3]]), n);
            }
            if sent > 3 * FRAMES {
                break;
            }
        }
        let all = (0..=FRAMES).take_while(|n| sender.put(|place| packet(place, port, *n))).count();
        assert!(all as u32 <= FRAMES && all > 0, "{all} frames at once");
        sender.kick().expect("the kernel takes them");
        assert!(sender.put(|place| packet(place, port, 0)), "no frame has come back");
    }
}
