//! Backends of a command: a daemon that has the device, or the device itself, opened for one
//! command.
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use timely_driver::Error;
use timely_driver::client::{Client, ClientError};
use timely_driver::config::{Config, ConfigError};
use timely_driver::nic::{End, Start};
use timely_driver::pci::PciError;
use timely_driver::plan::Plan;
use timely_driver::say::note;
use timely_driver::service::{Request, Service, ServiceError};
use timely_driver::sim;
use timely_driver::spec::{PortSpec, ProfileSpec};
use timely_driver::target::{Target, TargetError};
use timely_driver::transport::Failure;
use timely_regs::event::BYTES;

/// Why a command was not done, and what it exits with.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// 1: device, daemon or file.
    #[error("{0}")]
    Failed(String),
    /// 2: the command line.
    #[error("{0}")]
    Wrong(String),
    /// 3: a value.
    #[error("{0}")]
    Refused(String),
    /// 4: another process has the device, or the command needs a daemon.
    #[error("{0}")]
    Taken(String),
    /// 5: a check found something.
    #[error("{0}")]
    Found(String),
}

impl CliError {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            CliError::Failed(_) => 1,
            CliError::Wrong(_) => 2,
            CliError::Refused(_) => 3,
            CliError::Taken(_) => 4,
            CliError::Found(_) => 5,
        }
    }

    fn coded(code: u8, text: String) -> Self {
        match code {
            3 => CliError::Refused(text),
            4 => CliError::Taken(text),
            _ => CliError::Failed(text),
        }
    }
}

impl From<TargetError> for CliError {
    fn from(e: TargetError) -> Self {
        match e {
            TargetError::Device(Error::Transport(Failure::InUse { .. })) => CliError::Taken(e.to_string()),
            e => CliError::Failed(e.to_string()),
        }
    }
}

impl From<ServiceError> for CliError {
    fn from(e: ServiceError) -> Self {
        CliError::coded(e.code().1, e.to_string())
    }
}

impl From<ClientError> for CliError {
    fn from(e: ClientError) -> Self {
        let code = match &e {
            ClientError::Refused(r) => match r.code.as_str() {
                "refused" => 3,
                "in_use" | "permission" => 4,
                _ => 1,
            },
            _ => 1,
        };
        CliError::coded(code, e.to_string())
    }
}

impl From<PciError> for CliError {
    fn from(e: PciError) -> Self {
        CliError::Failed(e.to_string())
    }
}

impl From<ConfigError> for CliError {
    fn from(e: ConfigError) -> Self {
        CliError::Failed(e.to_string())
    }
}

/// A target's error where a transport's is asked for.
pub fn as_failure(target: &Target, e: TargetError) -> Failure {
    match e {
        TargetError::Device(Error::Transport(f)) => f,
        e => Failure::Protocol { device: target.to_string(), what: e.to_string() },
    }
}

/// Backend of a command.
pub enum Backend {
    /// A daemon.
    Daemon(Client),
    /// The device.
    Direct {
        /// Service on the opened device.
        service: Box<Service>,
        /// The device goes on when it is closed.
        keeps: bool,
    },
}

impl Backend {
    /// The daemon of a device, or the device where there is none. One that is said to listen at
    /// `socket` must do so.
    pub fn open(target: &Target, socket: Option<&Path>) -> Result<Self, CliError> {
        Self::open_for(target, socket, false)
    }

    /// Opens as [`Backend::open`] does, to reset the device: a NIC that is not ready for anything
    /// else can be reset.
    pub fn open_to_reset(target: &Target, socket: Option<&Path>) -> Result<Self, CliError> {
        Self::open_for(target, socket, true)
    }

    /// The daemon of a device, for a command that goes on: opened for itself, the device would be
    /// nobody else's meanwhile.
    pub fn open_daemon(target: &Target, socket: Option<&Path>) -> Result<Self, CliError> {
        if socket.is_some() {
            return Self::open(target, socket);
        }
        let none = || CliError::Taken(format!("this command needs the daemon of {target}; start it: timelyd --device {target}"));
        Self::daemon(target)?.map(Backend::Daemon).ok_or_else(none)
    }

    fn daemon(target: &Target) -> Result<Option<Client>, CliError> {
        for path in target.sockets()? {
            if let Some(client) = Client::connect_to(&path, target.device().as_deref())? {
                return Ok(Some(client));
            }
        }
        Ok(None)
    }

    fn open_for(target: &Target, socket: Option<&Path>, reset: bool) -> Result<Self, CliError> {
        if let Some(path) = socket {
            let client = Client::connect_to(path, target.device().as_deref())?;
            return client.map(Backend::Daemon).ok_or_else(|| {
                let path = path.display();
                CliError::Failed(format!(
                    "no timelyd listens at {path}; start it (timelyd --device {target} --socket {path}), or leave --socket out"
                ))
            });
        }
        if let Some(client) = Self::daemon(target)? {
            return Ok(Backend::Daemon(client));
        }
        let file = target.state()?;
        let config = Config::read(&file)?;
        // A configuration that cannot be is refused before the device is opened, as timelyd does.
        // A reset needs none of it, and is the way out of one.
        match Plan::new(&config, None) {
            Err(e) if reset => note(format_args!("{}: {e}; the file is kept as {}", file.display(), Config::before(&file).display())),
            Err(e) => return Err(CliError::Failed(format!("{}: {e}; the device goes on as it was", file.display()))),
            Ok(_) => {}
        }
        let transport = target.transport(config.device)?;
        let keeps = transport.keeps_state();
        let nic = timely_driver::nic::Nic::open(transport, if keeps && !reset { Start::Attach } else { Start::Fresh });
        let nic = nic.map_err(TargetError::from)?;
        if !keeps {
            note(format_args!("no timelyd has {target}: it was reset for this command, and is reset again when it is closed"));
            return Ok(Backend::Direct { service: Box::new(Service::new(nic, None)), keeps });
        }
        let mut service = Service::new(nic, Some(file.clone()));
        let empty = config.is_empty();
        if !service.adopt(config)? && !empty && !reset {
            note(format_args!(
                "{target} was reset since {} was written, and is not configured as it says: `timelyd --device {target}` does that; a change by \
                 timelyctl writes the file anew, and keeps the old one as {}",
                file.display(),
                Config::before(&file).display()
            ));
        }
        let mut backend = Backend::Direct { service: Box::new(service), keeps };
        if matches!(target, Target::Sim { .. }) && !reset {
            backend.prepare()?;
        }
        Ok(backend)
    }

    /// A simulated NIC without a configuration gets its addresses and a profile, so that a flow can
    /// be added at once.
    fn prepare(&mut self) -> Result<(), CliError> {
        let Backend::Direct { service, .. } = self else { return Ok(()) };
        if service.config().port.is_none() {
            let port = PortSpec { ipv4: sim::OWN_IPV4.parse().ok(), allow: vec!["11.0.0.0/8".into()], ..PortSpec::with_mac(sim::OWN_MAC) };
            service.handle(Request::PortSet { port })?;
        }
        if service.config().profile.is_empty() {
            let spec = ProfileSpec { like: "timely-10g".into(), base_rtt: Some("15us".into()), line: None, set: Default::default() };
            service.handle(Request::ProfileSet { profile: 0, spec })?;
        }
        Ok(())
    }

    /// Asks.
    pub fn ask(&mut self, request: Request) -> Result<Value, CliError> {
        match self {
            Backend::Daemon(client) => Ok(client.ask(request)?),
            Backend::Direct { keeps: false, service } if request.changes() => Err(CliError::Taken(format!(
                "no timelyd has {0}: the kernel resets it when this command ends, and nothing of it would last; start one: timelyd --device {0}",
                service.nic.name()
            ))),
            Backend::Direct { service, .. } => {
                // A daemon starts all again by itself; here nothing would be sent, now or soon.
                if request.changes() && request != (Request::Reset {}) {
                    service.nic.must_have_heartbeat().map_err(ServiceError::from)?;
                }
                Ok(service.handle(request)?)
            }
        }
    }

    /// The next events: records lost before them, and their bytes. Nothing when none came within
    /// `wait`.
    pub fn events(&mut self, wait: Duration) -> Result<Option<(u64, Vec<u8>)>, CliError> {
        match self {
            Backend::Daemon(client) => Ok(client.events(wait)?),
            Backend::Direct { service, .. } => {
                let mut bytes = Vec::new();
                let report = service.next_events(|r| bytes.extend_from_slice(&r.to_bytes()))?;
                if bytes.len() < BYTES {
                    // Waits for an interrupt of the device, or the end of the wait.
                    let mut fds: Vec<_> =
                        service.nic.vectors().iter().map(|v| rustix::event::PollFd::new(v, rustix::event::PollFlags::IN)).collect();
                    let left = rustix::event::Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
                    let _ = rustix::event::poll(&mut fds, Some(&left));
                    for vector in service.nic.vectors() {
                        let _ = rustix::io::read(vector, &mut [0; 8]);
                    }
                }
                Ok(Some((report.lost + report.broken, bytes)))
            }
        }
    }

    /// Lets go of the device.
    pub fn close(self) -> Result<(), CliError> {
        match self {
            Backend::Daemon(_) => Ok(()),
            Backend::Direct { service, keeps } => {
                let end = if keeps { End::Running } else { End::Stopped };
                Ok(service.nic.close(end).map_err(TargetError::from)?)
            }
        }
    }
}
