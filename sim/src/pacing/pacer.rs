//! The software pacers: what each is called, what it asks of the kernel, and how it sends.
use super::kernel::{self, Given, Launch, Sockets};
use super::load::Load;
use super::row::Place;
use super::sender::{self, Outlet};
use super::site::Site;
use super::tcp::Sink;
use super::xdp::Socket;
use nix::time::ClockId;
use std::net::SocketAddr;

/// A software pacer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacer {
    /// No pacing: as fast as the kernel takes packets.
    Unpaced,
    /// A thread that sleeps.
    Sleep,
    /// A thread that polls a timing wheel with slots of so many ns.
    Wheel(u32),
    /// A thread that polls a timing wheel with slots of so many ns and sends by AF_XDP.
    Xdp(u32),
    /// The queueing discipline `fq` with its default quanta, given the rate by
    /// `SO_MAX_PACING_RATE`.
    Fq,
    /// The queueing discipline `fq` with quanta of one frame and no timer slack, given the rate by
    /// `SO_MAX_PACING_RATE`.
    FqFrame,
    /// The queueing discipline `fq`, given launch times by `SO_TXTIME`.
    FqTimed,
    /// The queueing discipline `etf` with such a delta, us, given launch times by `SO_TXTIME`.
    Etf(u32),
    /// TCP's own pacing, given the rate by `SO_MAX_PACING_RATE`, which takes no queueing
    /// discipline.
    Tcp,
    /// TCP over `fq`, which paces in its place.
    TcpFq,
}

/// Quanta of one frame of 1,514 bytes: by default `fq` sends ten frames at once when a flow starts
/// and then two at a time.
const ONE_FRAME: &str = "fq quantum 1514 initial_quantum 1514 timer_slack 1";

impl Pacer {
    /// All that pace.
    pub const ALL: [Pacer; 11] = [
        Pacer::Sleep,
        Pacer::Wheel(500),
        Pacer::Wheel(2000),
        Pacer::Xdp(500),
        Pacer::Fq,
        Pacer::FqFrame,
        Pacer::FqTimed,
        Pacer::Etf(20),
        Pacer::Etf(200),
        Pacer::Tcp,
        Pacer::TcpFq,
    ];

    /// Name of the pacer.
    pub fn name(&self) -> &'static str {
        match self {
            Pacer::Unpaced => "unpaced",
            Pacer::Sleep => "sleep",
            Pacer::Wheel(..1000) => "wheel-0.5us",
            Pacer::Wheel(_) => "wheel-2us",
            Pacer::Xdp(_) => "xdp",
            Pacer::Fq => "fq",
            Pacer::FqFrame => "fq-frame",
            Pacer::FqTimed => "fq-txtime",
            Pacer::Etf(..100) => "etf-20us",
            Pacer::Etf(_) => "etf-200us",
            Pacer::Tcp => "tcp",
            Pacer::TcpFq => "tcp-fq",
        }
    }

    /// The pacer of a name.
    ///
    /// # Errors
    /// No pacer has it; the sentence lists those that there are.
    pub fn named(name: &str) -> Result<Self, String> {
        let all = || Pacer::ALL.map(|p| p.name()).join(", ");
        Pacer::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| format!("{name} is no software pacer; there are {}", all()))
    }

    /// Place where the pacer runs.
    pub fn place(&self) -> Place {
        match self {
            Pacer::Unpaced | Pacer::Sleep | Pacer::Wheel(_) | Pacer::Xdp(_) => Place::User,
            _ => Place::Kernel,
        }
    }

    /// Description of the pacer, for people.
    pub fn what(&self) -> &'static str {
        match self {
            Pacer::Unpaced => "as fast as the kernel takes it",
            Pacer::Sleep => "a thread in clock_nanosleep until the next burst is due",
            Pacer::Wheel(..1000) => "a thread that polls a timing wheel, slots of 0.5 us",
            Pacer::Wheel(_) => "a thread that polls a timing wheel, slots of 2 us",
            Pacer::Xdp(_) => "a thread that polls a timing wheel, slots of 0.5 us, and sends by AF_XDP; a burst is as many descriptors",
            Pacer::Fq => "queueing discipline fq with default quanta (ten frames, then two at a time), SO_MAX_PACING_RATE, a socket a flow",
            Pacer::FqFrame => "queueing discipline fq with quanta of one frame and timer slack 1 ns, SO_MAX_PACING_RATE, a socket a flow",
            Pacer::FqTimed => "queueing discipline fq with quanta of one frame, SO_TXTIME, handed over 1 ms ahead by a thread that sleeps",
            Pacer::Etf(..100) => "queueing discipline etf, delta 20 us, SO_TXTIME, handed over 1 ms ahead by a thread that sleeps",
            Pacer::Etf(_) => "queueing discipline etf, delta 200 us, SO_TXTIME, handed over 1 ms ahead by a thread that sleeps",
            Pacer::Tcp => "TCP's own pacing, SO_MAX_PACING_RATE, a connection a flow; bursts as the kernel chooses, up to this",
            Pacer::TcpFq => "TCP paced by queueing discipline fq, SO_MAX_PACING_RATE, a connection a flow; bursts as the kernel chooses",
        }
    }

    /// TCP carries it.
    pub fn is_tcp(&self) -> bool {
        matches!(self, Pacer::Tcp | Pacer::TcpFq)
    }

    /// Departures have a schedule of their own: else a flow's first packet starts it.
    pub fn has_schedule(&self) -> bool {
        matches!(self, Pacer::Sleep | Pacer::Wheel(_) | Pacer::Xdp(_) | Pacer::Etf(_) | Pacer::FqTimed)
    }

    /// The queueing discipline in the words of `tc`; times are `scale` times as long.
    pub fn discipline(&self, scale: f64) -> Option<String> {
        match self {
            Pacer::Fq | Pacer::TcpFq => Some("fq".into()),
            Pacer::FqFrame | Pacer::FqTimed => Some(ONE_FRAME.into()),
            Pacer::Etf(_) => self.launch(scale).map(|l| format!("etf clockid CLOCK_TAI delta {}", l.delta)),
            _ => None,
        }
    }

    /// Clock and offset of launch times; `None` of a pacer without them.
    pub fn launch(&self, scale: f64) -> Option<Launch> {
        match self {
            Pacer::FqTimed => Some(Launch { clock: ClockId::CLOCK_MONOTONIC, delta: 0 }),
            Pacer::Etf(us) => Some(Launch { clock: ClockId::CLOCK_TAI, delta: (f64::from(*us) * 1e3 * scale) as u64 }),
            _ => None,
        }
    }

    /// Asks the kernel for what it needs.
    ///
    /// # Errors
    /// The kernel refuses the queueing discipline, or TCP's sockets.
    pub fn prepare(&self, site: &Site, scale: f64) -> Result<(), String> {
        if matches!(self, Pacer::Xdp(_)) && site.device.is_none() {
            return Err("AF_XDP on loopback is left alone; it takes a network namespace".into());
        }
        if self.is_tcp() {
            let address = site.address;
            site.receiver.run(move || Sink::new(address).map(drop))?;
        }
        self.discipline(scale).map_or(Ok(()), |d| site.discipline(&d))
    }

    /// Gives back what [`Pacer::prepare`] took.
    pub fn leave(&self, site: &Site) {
        if self.discipline(1.0).is_some() {
            site.plain();
        }
        if self.is_tcp() {
            site.segments(0);
        }
    }

    /// Makes its sockets, on the thread that will send; `device` is the one that packets leave by.
    ///
    /// # Errors
    /// The kernel refuses a socket or an option, or the pacer is TCP, which has no datagrams.
    pub fn open(&self, load: &Load, to: SocketAddr, run: u32, device: Option<&str>) -> Result<Opened, String> {
        Ok(match self {
            Pacer::Xdp(_) => Opened::Xdp(Box::new(Socket::open(device.unwrap_or("lo"), to, run, load)?)),
            Pacer::Unpaced => Opened::Sockets(Sockets::open(load, to, false)?),
            Pacer::Fq | Pacer::FqFrame => Opened::Sockets(Sockets::open(load, to, true)?),
            Pacer::Tcp | Pacer::TcpFq => return Err("TCP has no datagrams".into()),
            _ => {
                let out = Outlet::new(to, run, load)?;
                self.launch(1.0).map_or(Ok(()), |l| kernel::allow_launch_times(&out, &l))?;
                Opened::Outlet(out)
            }
        })
    }

    /// Sends for the length of a load that starts at `epoch`; times of the pacer are `scale` times
    /// as long.
    ///
    /// # Errors
    /// The kernel refuses to wait for the sockets.
    pub fn send(&self, opened: Opened, load: &Load, (run, epoch): (u32, u64), scale: f64) -> Result<Given, String> {
        match opened {
            Opened::Sockets(sockets) => sockets.run(load, run, epoch),
            Opened::Xdp(socket) => {
                let slot = if let Pacer::Xdp(slot) = self { f64::from(*slot) } else { 500.0 };
                Ok(socket.run(load, epoch, slot * scale))
            }
            Opened::Outlet(mut out) => {
                match (self, self.launch(scale)) {
                    (_, Some(launch)) => kernel::timed(load, epoch, &launch, scale, &mut out),
                    (Pacer::Wheel(slot), None) => sender::polling(load, epoch, f64::from(*slot) * scale, &mut out),
                    _ => sender::sleeping(load, epoch, &mut out),
                }
                Ok(Given { sent: out.sent, refused: out.refused, why: out.why })
            }
        }
    }
}

/// A pacer's sockets.
pub enum Opened {
    /// A socket for all flows.
    Outlet(Outlet),
    /// A socket for each flow.
    Sockets(Sockets),
    /// A socket of AF_XDP for all flows.
    Xdp(Box<Socket>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disciplines_are_named() {
        let all: Vec<_> = Pacer::ALL.iter().filter_map(|p| Some((p.name(), p.discipline(1.0)?))).collect();
        let of = |name: &str| all.iter().find(|d| d.0 == name).map(|d| d.1.as_str());
        assert_eq!(of("fq"), Some("fq"));
        assert_eq!(of("fq-frame"), Some("fq quantum 1514 initial_quantum 1514 timer_slack 1"));
        assert_eq!(of("etf-20us"), Some("etf clockid CLOCK_TAI delta 20000"));
        assert_eq!(of("etf-200us"), Some("etf clockid CLOCK_TAI delta 200000"));
        assert_eq!((of("tcp"), of("sleep")), (None, None));
        // On a machine that is four times as fast as the one it runs on, a delta is as long.
        assert_eq!(Pacer::Etf(20).discipline(4.0).as_deref(), Some("etf clockid CLOCK_TAI delta 80000"));
    }

    #[test]
    fn the_delta_of_the_discipline_is_that_of_the_packets() {
        for p in [Pacer::Etf(20), Pacer::Etf(200)] {
            let delta = p.launch(2.0).expect("launch times").delta;
            assert!(p.discipline(2.0).expect("etf").ends_with(&format!(" delta {delta}")));
        }
    }

    #[test]
    fn names_are_different() {
        let mut names = Pacer::ALL.map(|p| p.name());
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{names:?}");
    }
}
