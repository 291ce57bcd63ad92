//! TCP's own pacing: a connection a flow, and a packet socket that sees when its segments arrive.
use super::kernel::{Full, Given, MaxPacingRate, bytes_a_second, too_many};
use super::load::Load;
use super::receiver;
use super::stats::Departure;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, setsockopt, socket, sockopt};
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Payload of a TCP segment with timestamps in an IP packet of 1,500 bytes; its frame is as long as
/// those of UDP.
pub const SEGMENT: usize = 1448;

/// The receiving end of TCP: it takes what comes, and a packet socket beside it sees the frames.
pub struct Sink {
    listener: TcpListener,
    tap: OwnedFd,
    /// Local address of the listener.
    pub address: SocketAddr,
}

impl Sink {
    /// Listens at an address of the thread's namespace.
    ///
    /// # Errors
    /// The address is not IPv4, or the kernel refuses a socket; a packet socket takes root.
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

    /// Accepts connections and reads them until `over` is set; gives the bytes.
    ///
    /// # Errors
    /// The kernel refuses to wait for connections, or to accept them.
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

    /// The frames of TCP that arrive for the sink, as packets of [`SEGMENT`] bytes, until `over` is
    /// set and none waits; times are counted from `epoch`. `ports` has the senders' ports, in the
    /// order of the flows.
    ///
    /// # Errors
    /// The kernel refuses to receive.
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
                    // Retransmitted bytes were lost and are late, but not counted twice.
                    for k in *count..whole {
                        all.push(Departure { flow: flow_of[usize::from(f.from)], k, at: receiver::since(epoch, stamp) });
                    }
                    *count = whole.max(*count);
                }
                None if over.load(Ordering::Acquire) => return Ok(all),
                None => {}
            }
        }
    }
}

/// Fields of a TCP frame that are read.
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
    streams: Full<TcpStream>,
    /// Local ports of the streams, in the order of the flows.
    pub ports: Vec<u16>,
}

impl Drop for Streams {
    /// Resets the connections: closed with data in them they would go on sending, each at its rate,
    /// into the next measurement.
    fn drop(&mut self) {
        let now = nix::libc::linger { l_onoff: 1, l_linger: 0 };
        for s in &self.streams.sockets {
            // What the kernel refuses here ends by itself, and later.
            let _ = setsockopt(s, sockopt::Linger, &now);
        }
    }
}

impl Streams {
    /// Connects a flow after the other.
    ///
    /// # Errors
    /// The kernel refuses a connection.
    pub fn connect(load: &Load, to: SocketAddr) -> Result<Self, String> {
        let failed = |e: &dyn std::fmt::Display| format!("connecting to {to}: {e}");
        let (mut streams, mut ports) = (Vec::new(), Vec::new());
        for _ in 0..load.flows {
            let s = TcpStream::connect_timeout(&to, Duration::from_secs(5)).map_err(|e| too_many(&e, &failed(&e)))?;
            s.set_nonblocking(true).map_err(|e| failed(&e))?;
            s.set_nodelay(true).map_err(|e| failed(&e))?;
            // Bytes that wait in a socket are sent, and never measured: 5 ms of them are enough.
            let rate = bytes_a_second(load, SEGMENT as f64);
            let waiting = (rate / 200).clamp(128 << 10, 4 << 20) as usize;
            setsockopt(&s, sockopt::SndBuf, &waiting).map_err(|e| format!("a send buffer: {e}"))?;
            // TCP counts payload alone.
            setsockopt(&s, MaxPacingRate, &rate).map_err(|e| format!("SO_MAX_PACING_RATE: {e}"))?;
            ports.push(s.local_addr().map_err(|e| failed(&e))?.port());
            streams.push(s);
        }
        Ok(Streams { streams: Full::new(streams)?, ports })
    }

    /// Keeps all streams full for the length of the load.
    ///
    /// # Errors
    /// The kernel refuses to wait for the streams.
    pub fn run(&self, load: &Load, epoch: u64) -> Result<Given, String> {
        let payload = vec![0; SEGMENT * 44];
        let (mut bytes, mut given) = (0u64, Given::default());
        self.streams.keep(epoch + (load.seconds * 1e9) as u64, |mut stream, _| match stream.write(&payload) {
            Ok(took) => bytes += took as u64,
            Err(e) => given.why = Some(e.to_string()),
        })?;
        Ok(Given { sent: bytes / SEGMENT as u64, ..given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_end_with_their_measurement() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let load = Load { flows: 3, mbps: 1.0, burst: 1, seconds: 0.0 };
        let streams = Streams::connect(&load, listener.local_addr().expect("an address")).expect("connections");
        let mut ends: Vec<TcpStream> = (0..load.flows).map(|_| listener.accept().expect("a connection").0).collect();
        // At 125 bytes a second this would be on its way for minutes.
        streams.streams.sockets.iter().for_each(|mut s| assert!(s.write(&[0; 65_536]).expect("room for it") > 0));
        drop(streams);
        for end in &mut ends {
            let mut all = Vec::new();
            assert_eq!(end.read_to_end(&mut all).map_err(|e| e.kind()), Err(std::io::ErrorKind::ConnectionReset));
        }
    }

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
