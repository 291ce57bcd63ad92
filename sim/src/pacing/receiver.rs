//! The receiving end: packets over UDP, and frames as a packet socket sees them, each with the
//! kernel's stamp of its arrival.
use super::load::PAYLOAD;
use super::stats::Departure;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt};
use std::io::IoSliceMut;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bytes of a socket's buffer that are asked for.
const BUFFER: usize = 64 << 20;
/// Without a packet for so long, a receiver looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// Bytes of the label at the front of each payload: number of the run, flow, place in the flow.
pub const LABEL: usize = 16;

/// Writes a packet's label.
pub fn label(to: &mut [u8], run: u32, flow: u32, k: u64) {
    to[..4].copy_from_slice(&run.to_le_bytes());
    to[4..8].copy_from_slice(&flow.to_le_bytes());
    to[8..16].copy_from_slice(&k.to_le_bytes());
}

fn read(from: &[u8]) -> Option<(u32, u32, u64)> {
    let word = |at: usize| Some(u32::from_le_bytes(from.get(at..at + 4)?.try_into().ok()?));
    Some((word(0)?, word(4)?, u64::from(word(8)?) | u64::from(word(12)?) << 32))
}

/// Asks for stamps and a large buffer.
pub fn prepare(socket: &impl AsFd) -> Result<(), String> {
    setsockopt(socket, sockopt::ReceiveTimestampns, &true).map_err(|e| format!("the kernel gives no arrival stamps: {e}"))?;
    // RcvBuf is the fallback without the privilege for RcvBufForce.
    if setsockopt(socket, sockopt::RcvBufForce, &BUFFER).is_err() {
        setsockopt(socket, sockopt::RcvBuf, &BUFFER).map_err(|e| format!("a receive buffer: {e}"))?;
    }
    Ok(())
}

/// One message into `buffer`: its length, even if it is longer, and its stamp in ns since 1970.
/// `None` after a while without one.
pub fn take(socket: &impl AsFd, buffer: &mut [u8], control: &mut [u8]) -> Result<Option<(usize, u64)>, String> {
    let mut slices = [IoSliceMut::new(buffer)];
    match recvmsg::<SockaddrStorage>(socket.as_fd().as_raw_fd(), &mut slices, Some(control), MsgFlags::MSG_TRUNC) {
        Ok(m) => {
            let stamp = m.cmsgs().ok().and_then(|mut all| {
                all.find_map(|c| match c {
                    ControlMessageOwned::ScmTimestampns(t) => Some(t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64),
                    _ => None,
                })
            });
            Ok(Some((m.bytes, stamp.unwrap_or(0))))
        }
        Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Ok(None),
        Err(e) => Err(format!("receiving: {e}")),
    }
}

/// ns from a load's start to a stamp. Both are ns since 1970, which a `f64` alone holds to 256 ns.
pub fn since(epoch: u64, stamp: u64) -> f64 {
    stamp.wrapping_sub(epoch).cast_signed() as f64
}

/// A place for one message's control data.
pub fn control() -> Vec<u8> {
    nix::cmsg_space!(nix::sys::time::TimeSpec)
}

/// A socket that packets of the measurement are sent to.
pub struct Receiver {
    socket: UdpSocket,
    /// Local address of the socket.
    pub address: SocketAddr,
    /// A stamped packet was taken: the kernel switches stamps on some time after it is asked to.
    pub stamped: Arc<AtomicBool>,
}

impl Receiver {
    /// Listens at an address of the thread's namespace.
    ///
    /// # Errors
    /// The kernel refuses the socket, its address or arrival stamps.
    pub fn new(address: IpAddr) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("receiving at {address}: {e}");
        let socket = UdpSocket::bind((address, 0)).map_err(failed)?;
        prepare(&socket)?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        Ok(Receiver { socket, address, stamped: Arc::default() })
    }

    /// Takes the packets of run `run` until `over` is set and none waits; times are counted from
    /// `epoch`.
    ///
    /// # Errors
    /// The kernel refuses to receive.
    pub fn collect(&self, run: u32, epoch: u64, over: &Arc<AtomicBool>) -> Result<Vec<Departure>, String> {
        let (mut buffer, mut control) = ([0; LABEL], control());
        let mut all = Vec::new();
        loop {
            match take(&self.socket, &mut buffer, &mut control)? {
                Some((PAYLOAD, stamp)) if stamp > 0 => {
                    if let Some((r, flow, k)) = read(&buffer).filter(|l| l.0 == run) {
                        debug_assert_eq!(r, run);
                        self.stamped.store(true, Ordering::Release);
                        all.push(Departure { flow, k, at: since(epoch, stamp) });
                    }
                }
                Some(_) => {}
                None if over.load(Ordering::Acquire) => return Ok(all),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_nanoseconds() {
        let epoch = 1_767_225_600_123_456_789;
        assert_eq!([0, 1, 1_000_003].map(|t| since(epoch, epoch + t)), [0.0, 1.0, 1_000_003.0]);
        assert_eq!(since(epoch, epoch - 7), -7.0);
    }
}
