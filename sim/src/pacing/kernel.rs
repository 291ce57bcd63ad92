//! The kernel paces datagrams: sockets with `SO_MAX_PACING_RATE` that are kept full, over the
//! queueing discipline `fq`, and packets with a launch time (`SO_TXTIME`), over `etf` or `fq`.
//!
//! Sockets are made before the load's clock starts: [`Sockets::open`] knows no time, and
//! [`Sockets::run`] makes none.
use super::clock::{at, now};
use super::load::{Load, PAYLOAD};
use super::receiver::label;
use super::sender::{Outlet, ahead};
use nix::libc;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg, setsockopt, sockopt};
use nix::time::ClockId;
use nix::{setsockopt_impl, sockopt_impl};
use std::io::IoSlice;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};

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

/// Bytes of a frame as queueing disciplines count them.
const FRAME: f64 = 1514.0;
/// How far ahead of a packet's launch a thread hands it over, ns.
const LEAD_NS: u64 = 1_000_000;

/// Counters of the packets that were handed to a kernel's pacer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Packets that the kernel took.
    pub sent: u64,
    /// Bursts that it did not take.
    pub refused: u64,
    /// The kernel's reason for the last of those.
    pub why: Option<String>,
}

/// Bytes a second of one flow, each packet counting for so many.
pub fn bytes_a_second(load: &Load, of_packet: f64) -> u64 {
    (of_packet * 1e9 / load.gap_ns()) as u64
}

/// Sockets that 10,000 connections take, and some.
const FILES: u64 = 65_536;

/// Asks for as many open files as the most flows need: root gets them, others what their limit
/// allows; where they lack, the row says so.
pub fn allow_sockets() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|n| n < FILES) {
        let all = Rlimit { current: Some(FILES), maximum: now.maximum.map(|m| m.max(FILES)) };
        let most = Rlimit { current: now.maximum.map(|m| m.min(FILES)), maximum: now.maximum };
        let _ = setrlimit(Resource::Nofile, all).or_else(|_| setrlimit(Resource::Nofile, most));
    }
}

/// A failure, with the way out of it if there is one.
pub fn too_many(e: &std::io::Error, said: &str) -> String {
    if e.raw_os_error() == Some(libc::EMFILE) { format!("{said}; `ulimit -n {FILES}` before it allows more sockets") } else { said.into() }
}

/// Sockets and what tells which of them takes something.
pub struct Full<S> {
    /// The sockets, in the order of the flows.
    pub sockets: Vec<S>,
    epoll: Epoll,
}

impl<S: AsFd> Full<S> {
    /// Sockets to be kept full.
    ///
    /// # Errors
    /// The kernel refuses the epoll instance, or a socket in it.
    pub fn new(sockets: Vec<S>) -> Result<Self, String> {
        let failed = |e: nix::errno::Errno| format!("epoll: {e}");
        let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(failed)?;
        for (i, s) in sockets.iter().enumerate() {
            epoll.add(s, EpollEvent::new(EpollFlags::EPOLLOUT, i as u64)).map_err(failed)?;
        }
        Ok(Full { sockets, epoll })
    }

    /// Writes to each whenever it takes something, until `end`; `write` is given the socket and its
    /// number.
    ///
    /// # Errors
    /// The kernel refuses to wait for the sockets.
    pub fn keep(&self, end: u64, mut write: impl FnMut(&S, usize)) -> Result<(), String> {
        let mut events = vec![EpollEvent::empty(); 256];
        while now() < end {
            let n = self.epoll.wait(&mut events, EpollTimeout::from(5u8)).map_err(|e| format!("epoll: {e}"))?;
            for i in events[..n].iter().map(|e| e.data() as usize) {
                write(&self.sockets[i], i);
            }
        }
        Ok(())
    }
}

/// UDP sockets, one a flow.
pub struct Sockets(Full<UdpSocket>);

impl Sockets {
    /// Opens the sockets; `paced` tells the kernel the flows' rate.
    ///
    /// # Errors
    /// The kernel refuses a socket, its address or its rate.
    pub fn open(load: &Load, to: SocketAddr, paced: bool) -> Result<Self, String> {
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
        Full::new(sockets).map(Sockets)
    }

    /// Keeps the sockets full for the length of the load, which is counted from `epoch`.
    ///
    /// # Errors
    /// The kernel refuses to wait for the sockets.
    pub fn run(&self, load: &Load, run: u32, epoch: u64) -> Result<Given, String> {
        let (mut payload, mut next) = (vec![0; load.burst_payload()], vec![0u64; self.0.sockets.len()]);
        let mut given = Given::default();
        self.0.keep(epoch + (load.seconds * 1e9) as u64, |socket, i| {
            for (n, packet) in payload.chunks_mut(PAYLOAD).enumerate() {
                label(packet, run, i as u32, next[i] + n as u64);
            }
            match socket.send(&payload) {
                Ok(_) => {
                    next[i] += u64::from(load.burst);
                    given.sent += u64::from(load.burst);
                }
                Err(e) => {
                    given.refused += 1;
                    given.why = Some(e.to_string());
                }
            }
        })?;
        Ok(given)
    }
}

/// A clock of launch times, and the offset that is added to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launch {
    /// `CLOCK_TAI` of `etf`, `CLOCK_MONOTONIC` of `fq`.
    pub clock: ClockId,
    /// `etf` whose device has no launch times lets a packet go this long before the time that it
    /// was given, ns.
    pub delta: u64,
}

/// Launch time of a packet that is due at a time of the load's clock, when the launch's clock is
/// `offset` ahead of the load's.
pub fn launch_time(due: u64, offset: u64, launch: &Launch) -> u64 {
    due.wrapping_add(offset).wrapping_add(launch.delta)
}

/// Tells the kernel that a socket's packets have launch times.
///
/// # Errors
/// The kernel refuses launch times on the socket.
pub fn allow_launch_times(out: &Outlet, launch: &Launch) -> Result<(), String> {
    let txtime = libc::sock_txtime { clockid: launch.clock.as_raw(), flags: 0 };
    setsockopt(out.socket(), sockopt::TxTime, &txtime).map_err(|e| format!("SO_TXTIME: {e}"))
}

/// Packets with their launch times, handed over ahead of them by a thread that sleeps.
pub fn timed(load: &Load, epoch: u64, launch: &Launch, scale: f64, out: &mut Outlet) {
    let offset = at(launch.clock).wrapping_sub(now());
    let fd = out.socket().as_raw_fd();
    ahead(load, epoch, (LEAD_NS as f64 * scale) as u64, |flow, j, due| {
        let leave = launch_time(due, offset, launch);
        let took = {
            let slices = [IoSlice::new(out.burst(flow, j))];
            sendmsg::<SockaddrStorage>(fd, &slices, &[ControlMessage::TxTime(&leave)], MsgFlags::empty(), None)
        };
        out.count(took.map(drop).map_err(std::io::Error::from));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_is_given_back() {
        // `etf` lets it go at 1,000 + 37 s, when it is due.
        let tai = Launch { clock: ClockId::CLOCK_TAI, delta: 20_000 };
        assert_eq!(launch_time(1_000, 37_000_000_000, &tai) - tai.delta, 37_000_001_000);
        // A clock that is behind the load's.
        let since_boot = Launch { clock: ClockId::CLOCK_MONOTONIC, delta: 0 };
        assert_eq!(launch_time(1_000, 400u64.wrapping_neg(), &since_boot), 600);
    }

    #[test]
    fn sockets_are_there_before_the_clock_starts() {
        let to = SocketAddr::from(([127, 0, 0, 1], 9));
        let load = Load { flows: 300, mbps: 1000.0, burst: 1, seconds: 0.0 };
        let sockets = Sockets::open(&load, to, true).expect("sockets");
        // Of a load that is over no socket is written to, and none is made.
        assert_eq!(sockets.0.sockets.len(), 300);
        assert_eq!(sockets.run(&load, 1, 0), Ok(Given::default()));
    }
}
