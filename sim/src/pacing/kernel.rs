//! The kernel paces: sockets with `SO_MAX_PACING_RATE`, kept full, over the queueing discipline `fq` or by TCP itself; packets with a time to
//! leave at (`SO_TXTIME`), over `etf`.
use super::clock::{at, now};
use super::load::{Load, PAYLOAD};
use super::receiver::{self, label};
use super::sender::{Outlet, ahead};
use super::stats::Departure;
use nix::libc;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrStorage, sendmsg, setsockopt, socket, sockopt,
};
use nix::time::ClockId;
use nix::{setsockopt_impl, sockopt_impl};
use std::io::{IoSlice, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Not in libc: asm-generic/socket.h.
const SO_MAX_PACING_RATE: libc::c_int = 47;
sockopt_impl!(
    /// Bytes a second that a socket may send.
    MaxPacingRate,
    SetOnly,
    libc::SOL_SOCKET,
    SO_MAX_PACING_RATE,
    u64
);

/// Payload of a TCP segment with timestamps in an IP packet of 1,500 bytes; its frame is as long as those of UDP.
pub const SEGMENT: usize = 1448;
/// Bytes of a frame as queueing disciplines count them.
const FRAME: f64 = 1514.0;
/// How far ahead of their time packets are handed to `etf`, ns.
const LEAD_NS: u64 = 1_000_000;
/// And how far ahead it takes them up, ns.
pub const ETF: &str = "etf clockid CLOCK_TAI delta 200000";

/// What a kernel's pacer was given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// Packets that the kernel took.
    pub sent: u64,
    /// Bursts that it did not take.
    pub refused: u64,
}

/// Bytes a second of one flow, each packet counting for so many.
fn bytes_a_second(load: &Load, of_packet: f64) -> u64 {
    (of_packet * 1e9 / load.gap_ns()) as u64
}

/// Sockets that 10,000 connections take, and some.
const FILES: u64 = 65_536;

/// Asks for as many open files as the most flows need: root gets them, others what their limit allows; where they lack, the row says so.
pub fn allow_sockets() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|n| n < FILES) {
        let all = Rlimit { current: Some(FILES), maximum: now.maximum.map(|m| m.max(FILES)) };
        let most = Rlimit { current: now.maximum.map(|m| m.min(FILES)), maximum: now.maximum };
        let _ = setrlimit(Resource::Nofile, all).or_else(|_| setrlimit(Resource::Nofile, most));
    }
}

// A failure, with the way out of it if there is one.
fn too_many(e: &std::io::Error, said: &str) -> String {
    if e.raw_os_error() == Some(libc::EMFILE) { format!("{said}; `ulimit -n {FILES}` before it allows more sockets") } else { said.into() }
}

/// Writes to each of these sockets whenever it takes something, until `end`; `write` is given the socket's number and says whether the kernel
/// took it.
fn keep_full<S: AsFd>(sockets: &[S], end: u64, mut write: impl FnMut(usize) -> bool) -> Result<(), String> {
    let failed = |e: nix::errno::Errno| format!("epoll: {e}");
    let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(failed)?;
    for (i, s) in sockets.iter().enumerate() {
        epoll.add(s, EpollEvent::new(EpollFlags::EPOLLOUT, i as u64)).map_err(failed)?;
    }
    let mut events = vec![EpollEvent::empty(); 256];
    while now() < end {
        let n = epoll.wait(&mut events, EpollTimeout::from(5u8)).map_err(failed)?;
        for e in &events[..n] {
            write(e.data() as usize);
        }
    }
    Ok(())
}

/// UDP sockets, one a flow, kept full for the length of the load; `paced` tells the kernel the flows' rate.
///
/// # Errors
/// What the kernel refuses.
pub fn datagrams(load: &Load, to: SocketAddr, run: u32, epoch: u64, paced: bool) -> Result<Given, String> {
    let failed = |e: &dyn std::fmt::Display| format!("sending to {to}: {e}");
    let any: IpAddr = if to.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() };
    let mut sockets = Vec::new();
    for _ in 0..load.flows {
        let s = UdpSocket::bind((any, 0)).map_err(|e| too_many(&e, &failed(&e)))?;
        s.connect(to).map_err(|e| failed(&e))?;
        s.set_nonblocking(true).map_err(|e| failed(&e))?;
        if load.burst > 1 {
            setsockopt(&s, sockopt::UdpGsoSegment, &(PAYLOAD as i32)).map_err(|e| failed(&e))?;
        }
        if paced {
            // Two bursts at a time, or the sockets would fill with seconds of them.
            setsockopt(&s, sockopt::SndBuf, &(load.burst_payload() * 2 + 4096)).map_err(|e| failed(&e))?;
            setsockopt(&s, MaxPacingRate, &bytes_a_second(load, FRAME)).map_err(|e| failed(&e))?;
        }
        sockets.push(s);
    }
    let (mut payload, mut next) = (vec![0; load.burst_payload()], vec![0u64; sockets.len()]);
    let mut given = Given::default();
    keep_full(&sockets, epoch + (load.seconds * 1e9) as u64, |i| {
        for (n, packet) in payload.chunks_mut(PAYLOAD).enumerate() {
            label(packet, run, i as u32, next[i] + n as u64);
        }
        let took = sockets[i].send(&payload).is_ok();
        if took {
            next[i] += u64::from(load.burst);
            given.sent += u64::from(load.burst);
        } else {
            given.refused += 1;
        }
        took
    })?;
    Ok(given)
}

/// Packets with the time at which `etf` is to let them go.
///
/// # Errors
/// What the kernel refuses.
pub fn timed(load: &Load, to: SocketAddr, run: u32, epoch: u64) -> Result<Given, String> {
    let mut out = Outlet::new(to, run, load)?;
    let txtime = libc::sock_txtime { clockid: libc::CLOCK_TAI, flags: 0 };
    setsockopt(out.socket(), sockopt::TxTime, &txtime).map_err(|e| format!("SO_TXTIME: {e}"))?;
    let tai = at(ClockId::CLOCK_TAI).wrapping_sub(now());
    let fd = out.socket().as_raw_fd();
    ahead(load, epoch, LEAD_NS, |flow, j, due| {
        let leave = due.wrapping_add(tai);
        let took = {
            let slices = [IoSlice::new(out.burst(flow, j))];
            sendmsg::<SockaddrStorage>(fd, &slices, &[ControlMessage::TxTime(&leave)], MsgFlags::empty(), None).is_ok()
        };
        out.count(took);
    });
    Ok(Given { sent: out.sent, refused: out.refused })
}

/// The receiving end of TCP: it takes what comes, and a packet socket beside it sees the frames.
pub struct Sink {
    listener: TcpListener,
    tap: OwnedFd,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Sink {
    /// Listens at an address of the thread's namespace.
    ///
    /// # Errors
    /// What the kernel refuses; a packet socket takes root.
    pub fn new(address: IpAddr) -> Result<Self, String> {
        if !address.is_ipv4() {
            return Err(format!("{address}: frames are read as IPv4; give the receiver an IPv4 address"));
        }
        let listener = TcpListener::bind((address, 0)).map_err(|e| format!("receiving at {address}: {e}"))?;
        let tap = socket(AddressFamily::Packet, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::EthIp)
            .map_err(|e| format!("a packet socket, to see when TCP's segments arrive: {e}"))?;
        receiver::prepare(&tap)?;
        let patience = nix::sys::time::TimeVal::new(0, 20_000);
        setsockopt(&tap, sockopt::ReceiveTimeout, &patience).map_err(|e| format!("a packet socket: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        Ok(Sink { listener, tap, address })
    }

    /// Takes connections and what comes on them, until it is told that no more will; gives the bytes.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn drain(&self, over: &Arc<AtomicBool>) -> Result<u64, String> {
        const LISTENER: u64 = u64::MAX;
        let failed = |e: &dyn std::fmt::Display| format!("receiving over TCP: {e}");
        let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(|e| failed(&e))?;
        epoll.add(&self.listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER)).map_err(|e| failed(&e))?;
        let mut streams: Vec<TcpStream> = Vec::new();
        let (mut events, mut buffer, mut bytes) = (vec![EpollEvent::empty(); 256], vec![0; 1 << 18], 0);
        while !over.load(Ordering::Acquire) {
            let n = epoll.wait(&mut events, EpollTimeout::from(20u8)).map_err(|e| failed(&e))?;
            for e in &events[..n] {
                if e.data() == LISTENER {
                    let (s, _) = self.listener.accept().map_err(|e| too_many(&e, &failed(&e)))?;
                    s.set_nonblocking(true).map_err(|e| failed(&e))?;
                    epoll.add(&s, EpollEvent::new(EpollFlags::EPOLLIN, streams.len() as u64)).map_err(|e| failed(&e))?;
                    streams.push(s);
                } else {
                    bytes += streams[e.data() as usize].read(&mut buffer).unwrap_or(0) as u64;
                }
            }
        }
        Ok(bytes)
    }

    /// The frames of TCP that arrive for it, as packets of [`SEGMENT`] bytes, until it is told that no more will; times are counted from
    /// `epoch`. `ports` has the senders' ports, in the order of the flows.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn watch(&self, ports: &[u16], epoch: u64, over: &Arc<AtomicBool>) -> Result<Vec<Departure>, String> {
        let mut flow_of = vec![u32::MAX; 1 << 16];
        for (flow, port) in (0..).zip(ports) {
            flow_of[usize::from(*port)] = flow;
        }
        // Of each flow the number of its first byte, and the packets seen.
        let mut seen: Vec<Option<(u32, u64)>> = vec![None; ports.len()];
        let (mut head, mut control, mut all) = ([0u8; 96], receiver::control(), Vec::new());
        loop {
            match receiver::take(&self.tap, &mut head, &mut control)? {
                Some((_, stamp)) => {
                    let Some(f) = Frame::read(&head).filter(|f| f.to == self.address.port() && f.bytes > 0) else { continue };
                    let Some(state) = seen.get_mut(flow_of[usize::from(f.from)] as usize) else { continue };
                    let (first, count) = state.get_or_insert((f.sequence, 0));
                    let whole = (u64::from(f.sequence.wrapping_sub(*first)) + u64::from(f.bytes)) / SEGMENT as u64;
                    // What comes again was lost and is late, but not counted twice.
                    for k in *count..whole {
                        all.push(Departure { flow: flow_of[usize::from(f.from)], k, at: stamp as f64 - epoch as f64 });
                    }
                    *count = whole.max(*count);
                }
                None if over.load(Ordering::Acquire) => return Ok(all),
                None => {}
            }
        }
    }
}

/// What is read of a frame.
struct Frame {
    from: u16,
    to: u16,
    sequence: u32,
    bytes: u32,
}

impl Frame {
    /// Of an Ethernet frame with TCP in IPv4.
    fn read(b: &[u8]) -> Option<Self> {
        let ip = b.get(14..)?;
        let header = usize::from(*ip.first()? & 15) * 4;
        let tcp = ip.get(header..)?;
        let two = |from: &[u8], at: usize| Some(u16::from_be_bytes([*from.get(at)?, *from.get(at + 1)?]));
        let offset = usize::from(*tcp.get(12)? >> 4) * 4;
        let sequence = u32::from(two(tcp, 4)?) << 16 | u32::from(two(tcp, 6)?);
        let bytes = u32::from(two(ip, 2)?).saturating_sub((header + offset) as u32);
        (*ip.get(9)? == 6).then_some(Frame { from: two(tcp, 0)?, to: two(tcp, 2)?, sequence, bytes })
    }
}

/// The sending end of TCP: connections whose rate the kernel keeps.
pub struct Streams {
    streams: Vec<TcpStream>,
    /// Their ports.
    pub ports: Vec<u16>,
}

impl Streams {
    /// Connects a flow after the other.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn connect(load: &Load, to: SocketAddr) -> Result<Self, String> {
        let failed = |e: &dyn std::fmt::Display| format!("connecting to {to}: {e}");
        let (mut streams, mut ports) = (Vec::new(), Vec::new());
        for _ in 0..load.flows {
            let s = TcpStream::connect_timeout(&to, Duration::from_secs(5)).map_err(|e| too_many(&e, &failed(&e)))?;
            s.set_nonblocking(true).map_err(|e| failed(&e))?;
            s.set_nodelay(true).map_err(|e| failed(&e))?;
            // What waits in a socket is sent, and never measured: 5 ms of it are enough.
            let rate = bytes_a_second(load, SEGMENT as f64);
            let waiting = (rate / 200).clamp(128 << 10, 4 << 20) as usize;
            setsockopt(&s, sockopt::SndBuf, &waiting).map_err(|e| format!("a send buffer: {e}"))?;
            // TCP counts payload alone.
            setsockopt(&s, MaxPacingRate, &rate).map_err(|e| format!("SO_MAX_PACING_RATE: {e}"))?;
            ports.push(s.local_addr().map_err(|e| failed(&e))?.port());
            streams.push(s);
        }
        Ok(Streams { streams, ports })
    }

    /// Keeps all of them full for the length of the load.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn run(&self, load: &Load, epoch: u64) -> Result<Given, String> {
        let payload = vec![0; SEGMENT * 44];
        let mut bytes = 0u64;
        keep_full(&self.streams, epoch + (load.seconds * 1e9) as u64, |i| {
            let took = (&self.streams[i]).write(&payload).unwrap_or(0);
            bytes += took as u64;
            took > 0
        })?;
        Ok(Given { sent: bytes / SEGMENT as u64, refused: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let mut b = [0u8; 96];
        (b[14], b[16], b[17], b[23]) = (0x45, 0x05, 0xdc, 6);
        (b[34], b[35], b[36], b[37]) = (0x12, 0x34, 0x56, 0x78);
        b[38..42].copy_from_slice(&0xdead_beef_u32.to_be_bytes());
        b[46] = 0x80;
        let f = Frame::read(&b).expect("TCP");
        assert_eq!((f.from, f.to, f.sequence, f.bytes), (0x1234, 0x5678, 0xdead_beef, 1448));
        b[23] = 17;
        assert!(Frame::read(&b).is_none() && Frame::read(&b[..40]).is_none());
    }
}
