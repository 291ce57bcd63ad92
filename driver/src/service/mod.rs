//! Requests to a NIC and the service that answers them: the same for a daemon's clients and for a
//! program that opens the device itself.
mod checks;
mod events;
mod pairs;
mod read;
pub use pairs::{NotifySetup, PairError, PairKey, PairReport, PairSetup, PairsReport};
pub(crate) use read::Dated;
mod request;
mod saving;

pub use request::Request;

use crate::clock;
use crate::config::{Config, ConfigError, Number};
use crate::nic::Nic;
use crate::plan::{Plan, PlanError};
use crate::registers::{self, NameError, Named};
use crate::report::{DeviceReport, EventReport, FlowReport};
use crate::spec::{FlowSpec, PortSpec, SpecError};
use crate::{Error, units};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{Access, Register};
use timely_regs::profile::PROFILES;

/// Packets that an endless flow is kept ahead by: the device posts one more for each that it
/// grants.
const ENDLESS_AHEAD: u32 = 64;

/// Note of flows that wait for `enable`.
pub const STOPPED: &str = "flows are stopped; start them with `timelyctl enable`";

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The device, or the transport to it.
    #[error(transparent)]
    Device(#[from] Error),
    /// A value that cannot be.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A value of a file that cannot be.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A name that is no register's.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The change was done, but not saved.
    #[error("what was done is in force but not saved: {source}; {next}")]
    NotSaved {
        /// Why.
        source: ConfigError,
        /// Next step, by the service or by the user.
        next: String,
    },
    /// A request for queue pairs.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// A register that cannot be read, or cannot be written.
    #[error("{register} is {access}; docs/registers.md says what may be done with it")]
    Access {
        /// The register.
        register: String,
        /// Access that the register has: read only or write only.
        access: &'static str,
    },
    /// A block that is none.
    #[error("there is no block `{0}`; `timelyctl reg list` names them all")]
    NoBlock(String),
    /// A number of pairs that cannot be.
    #[error("{0} pairs; give {least} to {most}", least = clock::LEAST_PAIRS, most = MOST_PAIRS)]
    Pairs(u32),
    /// More flows than there are: an answer has no more records than the device has flows.
    #[error("{asked} flows; the device has {flows}, name each once")]
    Flows {
        /// Flows asked for.
        asked: usize,
        /// Flows of the device.
        flows: u32,
    },
}

/// Most pairs of times that one request reads.
pub const MOST_PAIRS: u32 = 10_000;

impl ServiceError {
    /// The device is gone, or the server of it: no later request can be done.
    pub fn is_gone(&self) -> bool {
        use crate::transport::Failure;
        matches!(self, ServiceError::Device(Error::Transport(Failure::Gone { .. } | Failure::Closed { .. })))
    }

    /// Kind of the error: the code that a client of the socket gets, and the exit code of
    /// `timelyctl`.
    pub fn code(&self) -> (&'static str, u8) {
        use crate::transport::Failure;
        match self {
            ServiceError::Device(Error::Transport(Failure::InUse { .. })) => ("in_use", 4),
            ServiceError::Device(
                Error::OutOfRange(_)
                | Error::Parameter(_)
                | Error::NoFlow { .. }
                | Error::FlowInUse(_)
                | Error::FlowNotInUse(_)
                | Error::NoFlowLeft(_)
                | Error::NoWindow { .. }
                | Error::Doorbell { .. }
                | Error::Heartbeat { .. },
            )
            | ServiceError::Spec(_)
            | ServiceError::Plan(_)
            | ServiceError::Name(_)
            | ServiceError::Pair(_)
            | ServiceError::Access { .. }
            | ServiceError::NoBlock(_)
            | ServiceError::Pairs(_)
            | ServiceError::Flows { .. } => ("refused", 3),
            ServiceError::NotSaved { .. } => ("not_saved", 1),
            ServiceError::Device(_) => ("device", 1),
        }
    }
}

/// A NIC and what it is configured to.
pub struct Service {
    /// The NIC.
    pub nic: Nic,
    config: Config,
    file: Option<PathBuf>,
    /// The file differs from the NIC's configuration: it is kept under another name before it is
    /// written anew.
    stale: bool,
    /// When what could not be saved is to be saved again; `None` when all is saved.
    unsaved: Option<Instant>,
    /// The process goes on and saves again.
    stays: bool,
    /// Why events ended, while their last records are handed over.
    over: Option<Error>,
}

fn json(value: impl Serialize) -> Value {
    // Reports are structs of plain numbers and texts.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

impl Service {
    /// A NIC that was just opened; what it is configured to is kept in `file`.
    pub fn new(nic: Nic, file: Option<PathBuf>) -> Self {
        Service { nic, config: Config::default(), file, stale: false, unsaved: None, stays: false, over: None }
    }

    /// Configuration of the NIC.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Configures a fresh NIC: port, profiles, flows, and lets it send when there are flows.
    ///
    /// # Errors
    /// When a value cannot be, or the device fails.
    pub fn restore(&mut self, config: Config) -> Result<(), ServiceError> {
        // All of it is checked before anything is written.
        let request = self.request(config.port.as_ref());
        let request = request?.map_err(|e| PlanError { table: "port".into(), source: Box::new(e) })?;
        let plan = Plan::new(&config, request.as_ref())?;
        Nic::check(self.nic.transport(), plan.last_flow(), plan.window)?;
        if let Some(unset) = plan.unset(|profile| Nic::keeps_profile(self.nic.transport(), profile))? {
            return Err(unset.into());
        }
        let Plan { port, profiles, flows, .. } = plan;
        if let Some(port) = port {
            self.nic.checked("the port's settings", |d| port.write(d))?;
        }
        request.map_or(Ok(()), |r| self.nic.set_lead(r.lead_ns()))?;
        for (number, parameters) in &profiles {
            self.nic.set_profile(*number, parameters)?;
        }
        // Runs of flows that follow each other go by DMA together.
        let mut at = 0;
        while at < flows.len() {
            let run = flows[at..].iter().zip(0..).take_while(|((f, _), i)| *f == flows[at].0 + i).count();
            let records: Vec<FlowRecord> = flows[at..at + run].iter().map(|f| f.1).collect();
            self.nic.load_flows(flows[at].0, &records)?;
            at += run;
        }
        for (number, spec) in &config.flow {
            self.start(number.0, spec)?;
        }
        if !config.flow.is_empty() && config.is_enabled() {
            self.nic.enable(true)?;
        }
        self.config = config;
        Ok(())
    }

    /// Takes a configuration for that of a NIC which went on, unless the NIC has another one by
    /// now, as one that was reset meanwhile, or the configuration cannot be. Of its flows those are
    /// taken that the NIC has. `false` when not all of it was taken: then the file is kept under
    /// another name, [`Config::before`], before a change writes it anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn adopt(&mut self, config: Config) -> Result<bool, ServiceError> {
        (self.config.device, self.config.enabled) = (config.device, config.enabled);
        self.stale = true;
        if Plan::new(&config, None).is_err() {
            return Ok(false);
        }
        let request = self.request(config.port.as_ref())?.unwrap_or(None);
        for (number, spec) in &config.profile {
            if spec.parameters_on(request.as_ref()).ok().and_then(|p| p.quantise().ok()) != Some(self.nic.profile(number.0)?) {
                return Ok(false);
            }
        }
        let used: std::collections::BTreeSet<u32> = self.nic.flows()?.used().collect();
        if config.profile.is_empty() && !config.flow.is_empty() && used.is_empty() {
            return Ok(false);
        }
        // Profiles tell; without any the addresses do.
        if let (true, true, Some(port)) = (config.profile.is_empty(), config.flow.is_empty(), &config.port) {
            let Ok(port) = port.port() else { return Ok(false) };
            if !self.nic.checked("a read of the port's settings", |d| port.is_in(d))? {
                return Ok(false);
            }
        }
        let flows = config.flow.len();
        self.config = config;
        self.config.flow.retain(|n, _| used.contains(&n.0));
        self.stale = self.config.flow.len() < flows;
        Ok(!self.stale)
    }

    /// Sets the port, and what follows from it behind Corundum's DMA: how far ahead packets are
    /// asked for, and the caps of profiles.
    fn set_port(&mut self, port: PortSpec) -> Result<(), ServiceError> {
        let checked = port.port()?;
        let with = Config { port: Some(port), ..self.config.clone() };
        // All of it is checked before anything is written.
        let (plan, request) = self.planned(&with)?;
        self.nic.checked("the port's settings", |d| checked.write(d))?;
        self.config = with;
        if let Some(request) = request {
            self.nic.set_lead(request.lead_ns())?;
            for (number, parameters) in &plan.profiles {
                if parameters.quantise().map_err(SpecError::from)? != self.nic.profile(*number)? {
                    self.nic.set_profile(*number, parameters)?;
                }
            }
        }
        self.save()
    }

    /// Lets flows send, unless they were stopped by a request; then the note that says so.
    pub(super) fn enable_unless_stopped(&self) -> Result<Option<String>, ServiceError> {
        if self.config.is_enabled() {
            self.nic.enable(true)?;
            return Ok(None);
        }
        Ok(Some(STOPPED.into()))
    }

    /// Gives a loaded flow what it needs beside its record.
    fn start(&self, flow: u32, spec: &FlowSpec) -> Result<(), ServiceError> {
        if let Some(rate) = spec.rate()? {
            self.nic.set_rate(flow, rate)?;
        }
        if spec.endless {
            self.nic.post(flow, ENDLESS_AHEAD)?;
        }
        Ok(())
    }

    /// Does what is asked.
    ///
    /// # Errors
    /// Why it was not done.
    pub fn handle(&mut self, request: Request) -> Result<Value, ServiceError> {
        match request {
            Request::Info {} => {
                let info = self.nic.info()?;
                let used = self.nic.flows()?.used().count() as u32;
                Ok(json(DeviceReport::new(info, used)))
            }
            Request::Reset {} => {
                self.nic.reset()?;
                self.config = Config { device: self.config.device, ..Config::default() };
                self.save()?;
                Ok(Value::Null)
            }
            Request::ResetFlows {} => {
                self.nic.remove_flows()?;
                self.config.flow.clear();
                self.save()?;
                Ok(Value::Null)
            }
            Request::Enable { on } => {
                self.nic.enable(on)?;
                self.config.enabled = (!on).then_some(false);
                self.save()?;
                Ok(Value::Null)
            }
            Request::PortShow {} => Ok(json(self.port()?)),
            Request::PortSet { port } => {
                self.set_port(port)?;
                Ok(json(self.port()?))
            }
            Request::ProfileList {} => {
                let all = (0..PROFILES as u32).map(|n| self.profile(n)).collect::<Result<Vec<_>, _>>()?;
                Ok(json(all))
            }
            Request::ProfileShow { profile } => Ok(json(self.profile(profile)?)),
            Request::ProfileSet { profile, spec } => {
                let request = self.request(self.config.port.as_ref())??;
                let parameters = spec.parameters_on(request.as_ref())?;
                parameters.quantise().map_err(SpecError::from)?;
                let mut with = self.config.clone();
                with.profile.insert(Number(profile), spec);
                self.planned(&with)?;
                request.map_or(Ok(()), |r| self.nic.set_lead(r.lead_ns()))?;
                self.nic.set_profile(profile, &parameters)?;
                self.config = with;
                self.save()?;
                Ok(json(self.profile(profile)?))
            }
            Request::FlowList {} => {
                let used: Vec<u32> = self.nic.flows()?.used().collect();
                Ok(json(used.into_iter().map(|f| self.flow(f)).collect::<Vec<_>>()))
            }
            Request::FlowShow { flow } => {
                self.nic.flows()?.must_be_used(flow)?;
                Ok(json(self.flow(flow)))
            }
            Request::FlowAdd { flow, spec } => {
                let record = spec.record()?;
                if let Some(number) = flow {
                    self.nic.flows()?.must_be_free(number)?;
                }
                self.check_window(&spec)?;
                self.check_profile(&spec, &record)?;
                let number = self.nic.add_flow(flow, &record)?;
                self.start(number, &spec)?;
                let note = self.enable_unless_stopped()?;
                self.config.flow.insert(Number(number), spec);
                self.save()?;
                Ok(json(FlowReport { note, ..self.flow(number) }))
            }
            Request::FlowSet { flow, spec } => {
                let record = spec.record()?;
                self.check_window(&spec)?;
                self.check_profile(&spec, &record)?;
                self.nic.set_flow(flow, &record)?;
                self.start(flow, &spec)?;
                self.config.flow.insert(Number(flow), spec);
                self.save()?;
                Ok(json(self.flow(flow)))
            }
            Request::FlowRemove { flow } => {
                self.nic.remove_flow(flow)?;
                self.config.flow.remove(&Number(flow));
                self.save()?;
                Ok(Value::Null)
            }
            Request::FlowPost { flow, packets } => {
                self.nic.flows()?.must_be_used(flow)?;
                self.nic.post_all(flow, packets)?;
                Ok(Value::Null)
            }
            Request::PairsShow {} => Ok(json(self.pairs()?)),
            Request::PairsSetup { setup } => self.pairs_setup(setup),
            Request::PairsStop {} => self.pairs_stop(),
            Request::PairJoin { pair, local, profile } => self.pair_join(pair, local, profile),
            Request::PairRemove { pair } => self.pair_remove(pair),
            Request::Telemetry { flows } => Ok(json(self.telemetry(flows)?)),
            Request::RegRead { register } => Ok(json(self.register(&Named::find(&register)?, true)?)),
            Request::RegWrite { register, value } => {
                let named = Named::find(&register)?;
                if named.register.access == Access::ReadOnly {
                    return Err(ServiceError::Access { register: named.name(), access: "read only" });
                }
                self.nic.checked("the write of a register", |d| d.write_at(named.register, named.index, value))?;
                Ok(Value::Null)
            }
            Request::RegDump { block } => {
                let of = |r: &&Register| block.as_ref().is_none_or(|b| r.block.block().name.eq_ignore_ascii_case(b));
                let found: Vec<_> = registers::all().filter(of).collect();
                if let (true, Some(block)) = (found.is_empty(), block) {
                    return Err(ServiceError::NoBlock(block));
                }
                // A read of the histogram goes on to its next bin: a dump changes nothing.
                let quiet = found.into_iter().filter(|r| r.access != Access::WriteOnly && r.name != "HISTOGRAM_COUNT");
                let each = quiet.flat_map(|register| (0..register.count).map(move |index| Named { register, index }));
                Ok(json(each.map(|n| self.register(&n, true)).collect::<Result<Vec<_>, _>>()?))
            }
            Request::Clock { pairs } => Ok(json(self.clock(pairs)?)),
            Request::Events { every, flow, profile } => {
                self.start_events(every, flow, profile)?;
                Ok(json(EventReport::default()))
            }
        }
    }
}

/// A time for people.
pub fn micros(ns: f64) -> units::Micros {
    units::Micros(ns / 1000.0)
}
