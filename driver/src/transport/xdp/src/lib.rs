//! An AF_XDP socket that sends, in copy mode, which every device has: frames are written into
//! memory that the kernel reads, descriptors into a ring, and a system call has the kernel take
//! them. The device's queueing discipline is passed by.
//!
//! A package of its own, for the simulator takes it too, and the driver's tests take the simulator.
#[allow(unsafe_code, reason = "rings are memory that the kernel maps")]
mod ring;

use crate::ring::Ring;
use memmap2::{MmapMut, MmapOptions};
use rustix::io::Errno;
use rustix::net::xdp::{SocketAddrXdp, SocketAddrXdpFlags, XDP_PGOFF_TX_RING, XDP_UMEM_PGOFF_COMPLETION_RING};
use rustix::net::xdp::{XdpDesc, XdpDescOptions, XdpUmemReg, XdpUmemRegFlags};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, send, socket_with, sockopt};
use std::io;
use std::os::fd::OwnedFd;

/// Bytes of a frame's place, as small as the kernel allows.
pub const FRAME_BYTES: usize = 2048;
/// Frames, and entries of each ring.
const FRAMES: u32 = 2048;
/// System calls in which the kernel may take no frame before it is given up: seconds of them.
const TRIES: u32 = 1_000_000;

/// A socket that sends, with its frames.
pub struct Sender {
    fd: OwnedFd,
    frames: MmapMut,
    tx: Ring<XdpDesc>,
    completed: Ring<u64>,
    /// Frames that the kernel does not have.
    free: Vec<u64>,
}

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
        let tx = Ring::map(&fd, XDP_PGOFF_TX_RING, at.tx, FRAMES)?;
        let completed = Ring::map(&fd, XDP_UMEM_PGOFF_COMPLETION_RING, at.cr, FRAMES)?;
        bind(&fd, &SocketAddrXdp::new(SocketAddrXdpFlags::XDP_COPY, device, queue))?;
        let free = (0..u64::from(FRAMES)).map(|n| n * FRAME_BYTES as u64).collect();
        Ok(Sender { fd, frames, tx, completed, free })
    }

    /// Writes a frame and its descriptor: `write` is given the frame's place, which is
    /// [`FRAME_BYTES`] long, and tells how many bytes it wrote. False if the kernel has all frames,
    /// or no byte was written.
    pub fn put(&mut self, write: impl FnOnce(&mut [u8]) -> usize) -> bool {
        if self.free.is_empty() {
            // Frames that have been sent come back.
            while let Some(frame) = self.completed.read() {
                self.free.push(frame);
            }
        }
        let Some(addr) = self.free.pop() else { return false };
        let place = &mut self.frames[addr as usize..addr as usize + FRAME_BYTES];
        let len = write(place).min(FRAME_BYTES) as u32;
        let written = len != 0 && self.tx.write(XdpDesc { addr, len, options: XdpDescOptions::empty() });
        if !written {
            self.free.push(addr);
        }
        written
    }

    /// Frames that were written and that the kernel has not taken.
    pub fn waiting(&self) -> u32 {
        self.tx.written().wrapping_sub(self.tx.taken())
    }

    /// Has the kernel take all frames that were written; it takes up to 32 a system call.
    ///
    /// # Errors
    /// The kernel refuses: the device is down, or takes no frame any more.
    pub fn kick(&mut self) -> io::Result<()> {
        self.tx.publish();
        let (mut before, mut tries) = (self.tx.taken(), 0);
        while before != self.tx.written() {
            match send(&self.fd, &[], SendFlags::DONTWAIT) {
                Ok(_) => {}
                // More than one call takes, or the device is full.
                Err(e @ (Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR)) if tries == TRIES => return Err(e.into()),
                Err(Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR) => tries += 1,
                Err(e) => return Err(e.into()),
            }
            let now = self.tx.taken();
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
        assert!(!sender.put(|_| 0), "a frame without bytes");
        let all = (0..=FRAMES).take_while(|n| sender.put(|place| packet(place, port, *n))).count();
        assert_eq!(all as u32, FRAMES, "frames at once");
        assert_eq!(sender.waiting(), FRAMES, "frames that were not told of");
        sender.kick().expect("the kernel takes them");
        assert_eq!(sender.waiting(), 0);
        assert!(sender.put(|place| packet(place, port, 0)), "no frame has come back");
    }
}
