//! Reads of a NIC: flows, profiles, telemetry, registers, its clock.
use super::{MOST_PAIRS, Service, ServiceError};
use crate::Error;
use crate::clock::{self, Pair};
use crate::config::Number;
use crate::registers::Named;
use crate::report::{
    AheadReport, ClockReport, DeviceReport, FlowReport, FlowTelemetry, Percentiles, PortReport, ProfileReport, RegisterReport, Telemetry,
};
use crate::spec::{FlowSpec, profile_fields};
use std::collections::BTreeMap;
use std::time::Instant;
use timely_regs::device::Bus;
use timely_regs::map::Access;
use timely_regs::parameters::Signal;
use timely_regs::profile::{self, PROFILES};
use timely_regs::telemetry::TelemetryRecord;

/// More flows than this are read by a snapshot.
const FLOWS_BY_QUERIES: usize = 16;
/// Reads of the date, of which the quickest counts.
const DATED_READS: usize = 5;
/// Names of the laws.
const LAWS: [&str; 6] = ["fixed", "timely", "patched", "swift", "pi", "dcqcn"];

/// The card's date beside the host's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dated {
    /// The host's date, ns since 1970, when the card's was read.
    pub(crate) host_ns: u64,
    /// The card's date, ns modulo 2^48.
    pub(crate) date_ns: u64,
    /// Beyond that, ns below 1.
    pub(crate) fraction_ns: f64,
}

impl Service {
    /// Identity, settings, state and counters of the NIC.
    pub(crate) fn device(&mut self) -> Result<DeviceReport, ServiceError> {
        let info = self.nic.info()?;
        let used = self.used()?.len() as u32;
        Ok(DeviceReport { unsaved: self.unsaved().is_some(), ..DeviceReport::new(info, used) })
    }

    pub(super) fn port(&self) -> Result<PortReport, ServiceError> {
        let request = self.request(self.config.port.as_ref())?.unwrap_or(None);
        let spec = self.config.port.clone();
        let ahead = spec.as_ref().zip(request.as_ref()).and_then(|(port, r)| Some(AheadReport::new(r, port.line_mbps().ok()?)));
        Ok(PortReport { spec, ahead, note: None })
    }

    pub(super) fn flow(&self, flow: u32) -> FlowReport {
        // With the destination port that the NIC has, also of a flow that was given none.
        let effective = |s: &FlowSpec| FlowSpec { destination_port: Some(self.config.udp_port()), ..s.clone() };
        FlowReport { flow, spec: self.config.flow.get(&Number(flow)).map(effective), note: None }
    }

    pub(super) fn profile(&self, number: u32) -> Result<ProfileReport, ServiceError> {
        let words = self.nic.profile(number)?;
        let spec = self.config.profile.get(&Number(number)).cloned();
        let request = self.request(self.config.port.as_ref())?.unwrap_or(None);
        let settings = spec.as_ref().and_then(|s| s.parameters_on(request.as_ref()).ok()).map(|p| profile_fields(&p)).unwrap_or_default();
        let law =
            if words == [0; profile::WORDS] { "unset" } else { LAWS.get(profile::LAW.get(&words) as usize).copied().unwrap_or("unknown") };
        Ok(ProfileReport {
            profile: number,
            law: law.into(),
            spec,
            settings: settings.into_iter().map(|(n, v)| (n.into(), v)).collect(),
            fields: profile::FIELDS.iter().map(|f| (f.name.into(), f.get(&words))).collect(),
            note: None,
        })
    }

    /// Flows in use. Where they are queue pairs', which the NIC gives and takes itself, those that
    /// have a rate.
    fn used(&mut self) -> Result<Vec<u32>, Error> {
        let pairs = self.nic.checked("a read of the table of queue pairs", |d| d.pairs())?.enabled;
        if pairs { self.nic.rated_flows() } else { Ok(self.nic.flows()?.used().collect()) }
    }

    /// Telemetry of these flows, or of all in use.
    pub(crate) fn telemetry(&mut self, asked: Option<Vec<u32>>) -> Result<Telemetry, ServiceError> {
        let named = asked.is_some();
        let last = self.nic.device().flows() - 1;
        let flows = match asked {
            Some(flows) => flows,
            None => self.used()?,
        };
        if let Some(&flow) = flows.iter().find(|f| **f > last) {
            return Err(Error::NoFlow { flow, last }.into());
        }
        if flows.len() > last as usize + 1 {
            return Err(ServiceError::Flows { asked: flows.len(), flows: last + 1 });
        }
        let before_ns = self.nic.time_ns()?;
        let records = self.records(&flows)?;
        // In the middle of what they were read in, so that rates between two looks are right.
        let time_ns = before_ns.midpoint(self.nic.time_ns()?);
        if named {
            // A flow that was just loaded has no rate yet.
            let mut idle = flows.iter().zip(&records).filter(|(_, r)| r.rate == 0);
            idle.try_for_each(|(f, _)| self.nic.flows()?.must_be_used(*f))?;
        }
        let profiles = self
            .least_rtts(&flows, &records)?
            .into_iter()
            .map(|(profile, least_ns)| {
                self.nic.kick_meanwhile()?;
                Ok(Percentiles::new(profile, &self.nic.histogram(profile)?, least_ns))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let flows = flows.iter().zip(&records).map(|(f, r)| FlowTelemetry::new(*f, r)).collect();
        Ok(Telemetry { time_ns, flows, profiles })
    }

    /// Counters of all flows in use.
    pub(crate) fn counted_flows(&mut self) -> Result<Vec<FlowTelemetry>, ServiceError> {
        let flows = self.used()?;
        let records = self.records(&flows)?;
        Ok(flows.iter().zip(&records).map(|(f, r)| FlowTelemetry::new(*f, r)).collect())
    }

    /// The telemetry records of flows that there are.
    fn records(&mut self, flows: &[u32]) -> Result<Vec<TelemetryRecord>, ServiceError> {
        let (first, end) = (flows.iter().min().copied().unwrap_or(0), flows.iter().max().map_or(0, |m| m + 1));
        let all = if flows.len() <= FLOWS_BY_QUERIES { None } else { self.nic.snapshot_if_it_can(first, end - first)? };
        Ok(match all {
            Some(all) => flows.iter().map(|f| all[(f - first) as usize]).collect(),
            // Each by itself, and none between them that was not asked for.
            None => flows.iter().map(|f| self.nic.kick_meanwhile().and_then(|()| self.nic.telemetry(*f))).collect::<Result<Vec<_>, _>>()?,
        })
    }

    /// The profiles of these flows, and of each the least RTT where that is a bound of its signal.
    /// The NIC does not tell the profile of a flow: of flows that are not in the configuration, as
    /// queue pairs, it may be each that is set.
    fn least_rtts(&self, flows: &[u32], records: &[TelemetryRecord]) -> Result<BTreeMap<u32, Option<u32>>, Error> {
        let mut all: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        let mut unknown = false;
        for (flow, record) in flows.iter().zip(records) {
            let Some(spec) = self.config.flow.get(&Number(*flow)) else {
                unknown = true;
                continue;
            };
            let least = all.entry(spec.profile.into()).or_default();
            *least = [*least, record.rtt.map(|r| r.min_ns)].into_iter().flatten().min();
        }
        for profile in (0..PROFILES as u32).filter(|_| unknown) {
            self.nic.kick_meanwhile()?;
            if self.nic.profile(profile)? != [0; profile::WORDS] {
                all.entry(profile).or_default();
            }
        }
        if let (true, 1, Some(least)) = (unknown, all.len(), all.values_mut().next()) {
            *least = records.iter().filter_map(|r| Some(r.rtt?.min_ns)).min();
        }
        for (profile, least) in &mut all {
            let spec = self.config.profile.get(&Number(*profile)).and_then(|s| s.parameters().ok());
            *least = least.filter(|_| spec.is_some_and(|p| p.signal == Signal::Rtt));
        }
        Ok(all)
    }

    pub(super) fn register(&self, named: &Named, read: bool) -> Result<RegisterReport, ServiceError> {
        let register = named.register;
        self.nic.kick_meanwhile()?;
        if read && register.access == Access::WriteOnly {
            return Err(ServiceError::Access { register: named.name(), access: "write only" });
        }
        let offset = self.nic.device().address(register, named.index);
        let value = self.nic.device().bus().read32(offset).map_err(Error::from)?;
        let fields = register.fields.iter().map(|f| (f.name.into(), f.get(&[value]))).collect();
        Ok(RegisterReport { register: named.name(), offset, value: Some(value), fields })
    }

    pub(super) fn clock(&self, pairs: u32) -> Result<ClockReport, ServiceError> {
        if !(clock::LEAST_PAIRS as u32..=MOST_PAIRS).contains(&pairs) {
            return Err(ServiceError::Pairs(pairs));
        }
        let start = Instant::now();
        let now = || start.elapsed().as_nanos() as u64;
        let pair = |_| {
            self.nic.kick_meanwhile()?;
            let before_ns = now();
            let time = self.nic.checked("a read", |d| d.now())?;
            // `checked` reads around it; the middle of all is the time's.
            Ok(Pair { before_ns, nic_ns: time as f64 / 65_536.0, after_ns: now() })
        };
        let pairs = (0..pairs).map(pair).collect::<Result<Vec<_>, Error>>()?;
        let time_ns = pairs.last().map_or(0, |p| p.nic_ns as u64);
        Ok(ClockReport { time_ns, fit: clock::fit(&pairs) })
    }

    /// The card's date beside the host's, of the quickest of some reads; `None` when the date is
    /// not of PTP.
    pub(crate) fn dated(&self) -> Result<Option<Dated>, ServiceError> {
        let mut best: Option<(u64, Dated)> = None;
        for _ in 0..DATED_READS {
            let (start, before_ns) = (Instant::now(), realtime_ns());
            let (ptp, date) = self.nic.checked("a read of the date", |d| Ok((d.dated_by_ptp()?, d.now()?)))?;
            let took_ns = start.elapsed().as_nanos() as u64;
            if !ptp {
                return Ok(None);
            }
            if best.as_ref().is_none_or(|b| took_ns < b.0) {
                let dated = Dated { host_ns: before_ns + took_ns / 2, date_ns: date >> 16, fraction_ns: (date & 0xffff) as f64 / 65_536.0 };
                best = Some((took_ns, dated));
            }
        }
        Ok(best.map(|b| b.1))
    }
}

/// The host's date, ns since 1970.
fn realtime_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
