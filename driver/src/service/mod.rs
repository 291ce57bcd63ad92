//! Requests to a NIC and the service that answers them: the same for a daemon's clients and for a
//! program that opens the device itself.
mod change;
mod checks;
mod configure;
mod error;
mod events;
mod joins;
mod notes;
mod pair_error;
mod pairs;
mod read;
mod request;
mod rules;
mod saving;

pub use change::PairsChange;
pub use configure::STOPPED;
pub use error::{MOST_PAIRS, ServiceError};
pub use joins::{JoinsReport, ListedPair, PairNumbers, UnjoinedAnswer};
pub use pair_error::PairError;
pub use pairs::{HOST_TIMEOUT_US, NotifySetup, PairKey, PairReport, PairSetup, PairsReport};
pub(crate) use read::Dated;
pub use request::Request;
pub use rules::{RuleReport, least_printed};

use crate::config::{Config, Number};
use crate::nic::Nic;
use crate::registers::{self, Named};
use crate::report::{EventReport, FlowReport, PortReport, ProfileReport};
use crate::spec::SpecError;
use crate::{Error, units};
use saving::{News, Unsaved};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use timely_regs::map::{Access, Register};
use timely_regs::profile::PROFILES;

/// A NIC and what it is configured to.
pub struct Service {
    /// The NIC.
    pub nic: Nic,
    config: Config,
    file: Option<PathBuf>,
    /// The file differs from the NIC's configuration: it is kept under another name before it is
    /// written anew.
    stale: bool,
    /// Changes that could not be saved; `None` when all is saved.
    unsaved: Option<Unsaved>,
    /// News of the file for the answer to a request.
    news: News,
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
        let (config, news) = (Config::default(), News::default());
        Service { nic, config, file, stale: false, unsaved: None, news, stays: false, over: None }
    }

    /// Configuration of the NIC.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Does what is asked. The answer to a change in force that is not saved has `saved`, false,
    /// and the reason, `not_saved`; where the file of before is kept, `kept` says where.
    ///
    /// # Errors
    /// Why it was not done.
    pub fn handle(&mut self, request: Request) -> Result<Value, ServiceError> {
        self.news = News::default();
        let answer = self.act(request)?;
        Ok(std::mem::take(&mut self.news).added_to(answer))
    }

    fn act(&mut self, request: Request) -> Result<Value, ServiceError> {
        match request {
            Request::Info {} => Ok(json(self.device()?)),
            Request::Reset {} => {
                self.nic.reset()?;
                let config = Config { device: self.config.device, ..Config::default() };
                let before = std::mem::replace(&mut self.config, config);
                self.save_over(&before);
                Ok(Value::Null)
            }
            Request::ResetFlows {} => {
                self.nic.remove_flows()?;
                let before = self.config.clone();
                self.config.flow.clear();
                self.save_over(&before);
                Ok(Value::Null)
            }
            Request::Enable { on } => {
                self.nic.enable(on)?;
                self.config.enabled = (!on).then_some(false);
                self.save();
                Ok(Value::Null)
            }
            Request::PortShow {} => Ok(json(self.port()?)),
            Request::PortSet { port } => {
                self.set_port(port)?;
                Ok(json(PortReport { note: self.port_note(), ..self.port()? }))
            }
            Request::ProfileList {} => {
                let all = (0..PROFILES as u32).map(|n| self.profile(n)).collect::<Result<Vec<_>, _>>()?;
                Ok(json(all))
            }
            Request::ProfileShow { profile } => Ok(json(self.profile(profile)?)),
            Request::ProfileSet { profile, spec } => {
                let request = self.request(self.config.port.as_ref())??;
                let parameters = spec.parameters_on(request.as_ref())?;
                let words = parameters.quantise().map_err(SpecError::from)?;
                self.floor()?.must_hold(profile, &words)?;
                let mut with = self.config.clone();
                with.profile.insert(Number(profile), spec);
                self.planned(&with)?;
                request.map_or(Ok(()), |r| self.nic.set_lead(r.lead_ns()))?;
                self.nic.set_profile(profile, &parameters)?;
                self.config = with;
                self.save();
                Ok(json(ProfileReport { note: self.profile_note(profile), ..self.profile(profile)? }))
            }
            Request::FlowList {} => {
                let used: Vec<u32> = self.nic.flows()?.used().collect();
                let all: Vec<FlowReport> = used.into_iter().map(|f| self.flow(f)).collect();
                Ok(self.nic.kick_while(|| json(all)))
            }
            Request::FlowShow { flow } => {
                self.nic.flows()?.must_be_used(flow)?;
                Ok(json(self.flow(flow)))
            }
            Request::FlowAdd { flow, spec } => {
                let record = spec.record(self.config.udp_port())?;
                self.must_have_flows(PairError::Flows)?;
                if let Some(number) = flow {
                    self.nic.flows()?.must_be_free(number)?;
                }
                self.check_window(&spec)?;
                self.check_profile(&spec, &record)?;
                let number = self.nic.add_flow(flow, &record)?;
                self.start(number, &spec)?;
                let note = notes::joined([self.enable_unless_stopped()?, self.flow_note(number, &spec)?]);
                self.config.flow.insert(Number(number), spec);
                self.save();
                Ok(json(FlowReport { note, ..self.flow(number) }))
            }
            Request::FlowSet { flow, spec } => {
                let record = spec.record(self.config.udp_port())?;
                self.must_have_flows(PairError::Flows)?;
                self.check_window(&spec)?;
                self.check_profile(&spec, &record)?;
                self.nic.set_flow(flow, &record)?;
                self.start(flow, &spec)?;
                let note = self.flow_note(flow, &spec)?;
                self.config.flow.insert(Number(flow), spec);
                self.save();
                Ok(json(FlowReport { note, ..self.flow(flow) }))
            }
            Request::FlowRemove { flow } => {
                self.must_have_flows(PairError::Flow(flow))?;
                self.nic.remove_flow(flow)?;
                self.config.flow.remove(&Number(flow));
                self.save();
                Ok(Value::Null)
            }
            Request::FlowPost { flow, packets } => {
                self.nic.flows()?.must_be_used(flow)?;
                self.nic.post_all(flow, packets)?;
                Ok(Value::Null)
            }
            Request::PairsShow {} => {
                self.must_have_pairs(false)?;
                Ok(json(self.pairs()?))
            }
            Request::PairsSetup { setup } => self.pairs_setup(setup),
            Request::PairsChange { change } => self.pairs_change(&change),
            Request::PairsRules { rules } => self.pairs_rules(&rules),
            Request::PairsStop {} => self.pairs_stop(),
            Request::PairJoin { pair, local, profile } => self.pair_join(pair, local, profile),
            Request::PairRemove { pair } => self.pair_remove(pair),
            Request::PairsList {} => self.pairs_list(),
            Request::PairsMatch { pairs } => self.pairs_match(&pairs),
            Request::PairOver { flow, pair, local } => self.pair_over(flow, pair, local),
            Request::Telemetry { flows } => {
                let report = self.telemetry(flows)?;
                Ok(self.nic.kick_while(|| json(report)))
            }
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
