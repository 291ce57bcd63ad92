//! The configuration of a NIC: restored from a file, adopted from a NIC that went on, its port
//! changed.
use super::{Service, ServiceError};
use crate::config::{Config, Number};
use crate::nic::Nic;
use crate::plan::{Plan, PlanError};
use crate::spec::{FlowSpec, Port, PortSpec, SpecError};
use timely_regs::flow::FlowRecord;

/// Packets that an endless flow is kept ahead by: the device posts one more for each that it
/// grants.
const ENDLESS_AHEAD: u32 = 64;

/// Note of flows that wait for `enable`.
pub const STOPPED: &str = "flows are stopped; start them with `timelyctl enable`";

impl Service {
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
        self.load(&flows, &config)?;
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

    /// Loads flows and gives each what it needs beside its record.
    fn load(&mut self, flows: &[(u32, FlowRecord)], config: &Config) -> Result<(), ServiceError> {
        // Runs of flows that follow each other go by DMA together.
        let mut at = 0;
        while at < flows.len() {
            let run = flows[at..].iter().zip(0..).take_while(|((f, _), i)| *f == flows[at].0 + i).count();
            let records: Vec<FlowRecord> = flows[at..at + run].iter().map(|f| f.1).collect();
            self.nic.load_flows(flows[at].0, &records)?;
            at += run;
        }
        for (number, spec) in &config.flow {
            self.nic.kick_meanwhile()?;
            self.start(number.0, spec)?;
        }
        Ok(())
    }

    /// Sets the port, and what follows from it behind Corundum's DMA: how far ahead packets are
    /// asked for, and the caps of profiles. Another UDP port orphans what flows have in the store
    /// and on the wire, so that flows are then loaded anew.
    pub(super) fn set_port(&mut self, port: PortSpec) -> Result<(), ServiceError> {
        let checked = port.port()?;
        let with = Config { port: Some(port), ..self.config.clone() };
        // All of it is checked before anything is written.
        let (plan, request) = self.planned(&with)?;
        let orphans = self.orphans(&checked)?;
        if orphans {
            self.nic.while_stopped(|nic| {
                nic.remove_flows()?;
                nic.checked("the port's settings", |d| checked.write(d))
            })?;
            self.load(&plan.flows, &with)?;
        } else {
            self.nic.while_stopped(|nic| nic.checked("the port's settings", |d| checked.write(d)))?;
        }
        self.config = with;
        if let Some(request) = request {
            self.nic.set_lead(request.lead_ns())?;
            for (number, parameters) in &plan.profiles {
                if parameters.quantise().map_err(SpecError::from)? != self.nic.profile(*number)? {
                    self.nic.set_profile(*number, parameters)?;
                }
            }
        }
        self.save();
        Ok(())
    }

    /// The port orphans packets of flows: the NIC knows its own packets by the UDP port, so what is
    /// granted under another one is neither measured nor answered, and counts as outstanding for
    /// ever. Queue pairs have a port of their own.
    fn orphans(&mut self, port: &Port) -> Result<bool, ServiceError> {
        let (same, pairs) = self.nic.checked("a read of the port's settings", |d| Ok((port.has_udp_port(d)?, d.pairs()?.present)))?;
        // The records of flows have the port that was configured.
        if same && port.udp_port() == self.config.udp_port() || pairs {
            return Ok(false);
        }
        let used: Vec<u32> = self.nic.flows()?.used().collect();
        // A record cannot be read back, so that such a flow could not be loaded anew.
        match used.iter().find(|f| !self.config.flow.contains_key(&Number(**f))) {
            Some(flow) => Err(SpecError::OnNicAlone { flow: *flow, port: port.udp_port() }.into()),
            None => Ok(!used.is_empty()),
        }
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
    pub(super) fn start(&self, flow: u32, spec: &FlowSpec) -> Result<(), ServiceError> {
        if let Some(rate) = spec.rate()? {
            self.nic.set_rate(flow, rate)?;
        }
        if spec.endless {
            self.nic.post(flow, ENDLESS_AHEAD)?;
        }
        Ok(())
    }
}
