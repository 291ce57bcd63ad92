//! A UDP socket that says of each datagram when it came, with which TTL and ECN bits, and whether
//! it was meant for us alone.
use super::TrafficError;
use nix::libc::c_int;
use nix::sys::socket::{ControlMessageOwned as Control, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover};
use std::io::{self, IoSliceMut};
use std::net::{Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of the receive buffer that are asked for; the kernel gives what it allows.
const BUFFER: usize = 8 << 20;

/// Ns since 1970, as the kernel stamps.
pub fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
}

/// A datagram's circumstances.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Bytes of the datagram.
    pub bytes: usize,
    /// Whence it came.
    pub from: SocketAddr,
    /// When, ns since 1970.
    pub at_ns: u64,
    /// TTL or hop limit.
    pub ttl: u8,
    /// ECN bits.
    pub ecn: u8,
    /// The destination was a broadcast or multicast address.
    pub to_group: bool,
}

impl Arrived {
    /// Takes in what the kernel says of it.
    fn note(&mut self, control: &Control) {
        match control {
            Control::ScmTimestampns(t) => self.at_ns = t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64,
            Control::Ipv4Ttl(ttl) | Control::Ipv6HopLimit(ttl) => self.ttl = *ttl as u8,
            Control::Ipv4Tos(tos) => self.ecn = tos & 3,
            Control::Ipv6TClass(class) => self.ecn = *class as u8 & 3,
            // Of a datagram to this host alone both are the same address.
            Control::Ipv4PacketInfo(p) => self.to_group |= p.ipi_addr.s_addr != p.ipi_spec_dst.s_addr,
            // Of what IPv4 brought, this is its address in IPv6's clothes: no multicast.
            Control::Ipv6PacketInfo(p) => self.to_group |= Ipv6Addr::from(p.ipi6_addr.s6_addr).is_multicast(),
            _ => {}
        }
    }
}

/// The socket.
pub struct Socket {
    socket: UdpSocket,
    control: Vec<u8>,
}

fn prepare(socket: &UdpSocket, local: SocketAddr) -> io::Result<()> {
    // The kernel may allow less, and then gives that.
    let _ = setsockopt(socket, sockopt::RcvBuf, &BUFFER);
    setsockopt(socket, sockopt::ReceiveTimestampns, &true)?;
    // IPv4 packets on an IPv6 socket come with IPv4's control messages.
    setsockopt(socket, sockopt::Ipv4RecvTtl, &true)?;
    setsockopt(socket, sockopt::IpRecvTos, &true)?;
    setsockopt(socket, sockopt::Ipv4PacketInfo, &true)?;
    if local.is_ipv6() {
        setsockopt(socket, sockopt::Ipv6RecvHopLimit, &true)?;
        setsockopt(socket, sockopt::Ipv6RecvTClass, &true)?;
        setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &true)?;
    }
    Ok(())
}

impl Socket {
    /// At a local address; port 0 is any that is free.
    pub fn bind(local: SocketAddr) -> Result<Self, TrafficError> {
        let bound = UdpSocket::bind(local).and_then(|s| prepare(&s, local).map(|()| s));
        let socket = bound.map_err(|source| {
            let next = "give another --bind or --port; `ss -ulnp` shows who has it";
            TrafficError::Socket { what: format!("UDP at {local}"), source, next }
        })?;
        // Four numbers beside the stamp and the address.
        let control = nix::cmsg_space!(TimeSpec, nix::libc::in_pktinfo, nix::libc::in6_pktinfo, c_int, c_int, c_int, c_int);
        Ok(Socket { socket, control })
    }

    /// Sends with this TTL and TOS, never in fragments.
    pub fn set_envelope(&self, ipv6: bool, ttl: u8, tos: u8) -> io::Result<()> {
        if ipv6 {
            setsockopt(&self.socket, sockopt::Ipv6Ttl, &ttl.into())?;
            setsockopt(&self.socket, sockopt::Ipv6TClass, &tos.into())?;
            return Ok(set_ipv6_mtu_discover(&self.socket, Ipv6PathMtuDiscovery::DO)?);
        }
        setsockopt(&self.socket, sockopt::Ipv4Ttl, &ttl.into())?;
        setsockopt(&self.socket, sockopt::Ipv4Tos, &tos.into())?;
        Ok(set_ip_mtu_discover(&self.socket, Ipv4PathMtuDiscovery::DO)?)
    }

    /// The socket itself.
    pub fn udp(&self) -> &UdpSocket {
        &self.socket
    }

    /// A datagram that is there: the first bytes of it that `buffer` takes. Nothing without one.
    pub fn take(&mut self, buffer: &mut [u8]) -> io::Result<Option<Arrived>> {
        let mut slices = [IoSliceMut::new(buffer)];
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC;
        let message = match recvmsg::<SockaddrStorage>(self.socket.as_raw_fd(), &mut slices, Some(&mut self.control[..]), flags) {
            Ok(m) => m,
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let v4 = message.address.and_then(|a| a.as_sockaddr_in().map(|s| SocketAddr::from(SocketAddrV4::from(*s))));
        let v6 = message.address.and_then(|a| a.as_sockaddr_in6().map(|s| SocketAddr::from(SocketAddrV6::from(*s))));
        let Some(from) = v4.or(v6) else { return Ok(None) };
        let mut arrived = Arrived { bytes: message.bytes, from, at_ns: 0, ttl: 0, ecn: 0, to_group: false };
        for control in message.cmsgs()? {
            arrived.note(&control);
        }
        if arrived.at_ns == 0 {
            arrived.at_ns = now_ns();
        }
        Ok(Some(arrived))
    }

    /// Waits for a datagram, or until `stop` can be read, no longer than `most`; says whether
    /// `stop` can.
    pub fn wait(&self, stop: BorrowedFd<'_>, most: Duration) -> Result<bool, TrafficError> {
        let mut fds = [PollFd::new(&self.socket, PollFlags::IN), PollFd::from_borrowed_fd(stop, PollFlags::IN)];
        let left = Timespec { tv_sec: most.as_secs().min(i32::MAX as u64) as i64, tv_nsec: most.subsec_nanos().into() };
        match poll(&mut fds, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!fds[1].revents().is_empty()),
            Err(e) => Err(TrafficError::Socket { what: "waiting for packets".into(), source: e.into(), next: "this should not happen" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::libc::{in_addr, in_pktinfo, in6_addr, in6_pktinfo};

    /// Loopback has no route for groups: what the kernel says of such a datagram is made here.
    #[test]
    fn what_went_to_a_group_is_known_of_both_families() {
        let from = SocketAddr::from(([127, 0, 0, 1], 1));
        let group = |controls: &[Control]| {
            let mut arrived = Arrived { bytes: 0, from, at_ns: 0, ttl: 0, ecn: 0, to_group: false };
            controls.iter().for_each(|c| arrived.note(c));
            arrived.to_group
        };
        let six = |text: &str| {
            let address: Ipv6Addr = text.parse().expect("an address");
            Control::Ipv6PacketInfo(in6_pktinfo { ipi6_addr: in6_addr { s6_addr: address.octets() }, ipi6_ifindex: 1 })
        };
        let four = |to: u32, own: u32| {
            Control::Ipv4PacketInfo(in_pktinfo { ipi_ifindex: 1, ipi_addr: in_addr { s_addr: to }, ipi_spec_dst: in_addr { s_addr: own } })
        };
        assert!(group(&[six("ff02::1")]) && group(&[six("ff05::77")]) && group(&[four(0xff01_00e0, 0x0100_007f)]));
        assert!(!group(&[six("::1")]) && !group(&[six("fd00::1")]) && !group(&[four(7, 7)]));
        assert!(group(&[four(1, 2), six("::ffff:224.0.0.1")]));
    }

    /// A socket of IPv6 is told the address that a datagram went to, beside all else.
    #[test]
    fn the_kernel_says_where_a_datagram_went() {
        let mut receiver = Socket::bind("[::1]:0".parse().expect("an address")).expect("a socket");
        let to = receiver.udp().local_addr().expect("an address");
        assert_eq!(nix::sys::socket::getsockopt(receiver.udp(), sockopt::Ipv6RecvPacketInfo), Ok(true));
        let sender = UdpSocket::bind("[::1]:0").expect("a socket");
        sender.send_to(b"hello", to).expect("sent");
        let (stop, _open) = std::os::unix::net::UnixStream::pair().expect("a pair");
        receiver.wait(std::os::fd::AsFd::as_fd(&stop), Duration::from_secs(60)).expect("it came");
        let arrived = receiver.take(&mut [0; 16]).expect("read").expect("a datagram");
        assert!(arrived.bytes == 5 && arrived.ttl > 0 && !arrived.to_group, "{arrived:?}");
    }
}
