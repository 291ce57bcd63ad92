//! Self-test: everything that a device and its transport must do for the driver, tried one after
//! another, the same on every transport.
//!
//! The self-test resets the device. No step depends on how fast the device's time passes: each
//! waits for its result, up to a limit.
mod steps;

use crate::Error;
use crate::nic::{End, Nic, Start};
use crate::sim;
use crate::spec::{PortSpec, parse_mac};
use crate::transport::{Failure, Transport};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// How long something that must happen is waited for.
const LIMIT: Duration = Duration::from_secs(60);

/// Peer that answers the device's segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// MAC address.
    pub mac: [u8; 6],
    /// IP address.
    pub address: IpAddr,
    /// UDP port.
    pub udp_port: u16,
    /// The device's own MAC address and IPv4 address, to which answers come.
    pub own: ([u8; 6], std::net::Ipv4Addr),
}

impl Peer {
    /// The second NIC of a simulated pair, as `timely-sim serve --pair` has it; its addresses are
    /// constants.
    pub fn simulated() -> Option<Self> {
        let own = (parse_mac(sim::OWN_MAC).ok()?, sim::OWN_IPV4.parse().ok()?);
        let udp_port = PortSpec::with_mac(sim::OWN_MAC).udp_port;
        Some(Peer { mac: parse_mac(sim::PEER_MAC).ok()?, address: sim::PEER_IPV4.parse().ok()?, udp_port, own })
    }
}

/// Options of a self-test.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Peer that answers, for round-trip times.
    pub peer: Option<Peer>,
}

/// Results of a self-test.
#[derive(Clone, Debug)]
pub struct Report {
    /// The device.
    pub device: String,
    /// How it was reached.
    pub transport: &'static str,
    /// Each step, and what it found.
    pub steps: Vec<(&'static str, String)>,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "self-test of {} over {}", self.device, self.transport)?;
        self.steps.iter().try_for_each(|(step, found)| writeln!(f, "  {step:18} {found}"))
    }
}

/// Waits until `done` gives something.
fn wait<T>(step: &'static str, what: &str, mut done: impl FnMut() -> Result<Option<T>, Error>) -> Result<T, Error> {
    let start = Instant::now();
    loop {
        if let Some(value) = done()? {
            return Ok(value);
        }
        if start.elapsed() > LIMIT {
            return Err(Error::SelfTest { step, what: format!("{what} within {LIMIT:?}") });
        }
    }
}

/// A way to the device, again and again.
pub type Opener<'a> = dyn FnMut() -> Result<Box<dyn Transport>, Failure> + 'a;

/// Runs all steps; `open` gives a transport to the device, which must be free.
///
/// # Errors
/// The first promise that does not hold, or why the device could not be used.
pub fn run(open: &mut Opener<'_>, options: &Options) -> Result<Report, Error> {
    let mut nic = Nic::open(open()?, Start::Fresh)?;
    let mut report = Report { device: nic.name().into(), transport: nic.transport().kind(), steps: Vec::new() };
    for (step, act, need) in steps::ALL {
        let found = match need.missing(&nic) {
            None => act(&mut nic, options)?,
            Some(what) => format!("left out: {what}"),
        };
        report.steps.push((step, found));
    }
    report.steps.push(("close and open", reopened(nic, open)?));
    Ok(report)
}

/// A device that is closed and opened again has kept its flows or lost them, as its transport says.
fn reopened(mut nic: Nic, open: &mut Opener<'_>) -> Result<String, Error> {
    let broken = |what: String| Error::SelfTest { step: "close and open", what };
    steps::prepare(&mut nic)?;
    let (flow, keeps) = (nic.add_flow(None, &steps::flow(0))?, nic.transport().keeps_state());
    nic.close(End::Running)?;
    let mut nic = Nic::open(open()?, if keeps { Start::Attach } else { Start::Fresh })?;
    let kept = nic.flows()?.must_be_used(flow).is_ok();
    if kept != keeps {
        return Err(broken(format!("flow {flow} was {}, the transport says otherwise", if kept { "kept" } else { "lost" })));
    }
    if kept {
        nic.remove_flow(flow)?;
    }
    nic.close(End::Stopped)?;
    Ok(if keeps { "flows were kept" } else { "the device was reset" }.into())
}
