//! A whole configuration, checked before a NIC is touched: every value, by the table of the file
//! that it stands in.
use crate::config::Config;
use crate::spec::{FlowSpec, Port, PortSpec, SpecError, check_cap};
use crate::units::Mbps;
use timely_regs::corundum::request::Request;
use timely_regs::field::OutOfRange;
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::Parameters;
use timely_regs::profile::{self, PROFILES};

/// Flows that a device has at most.
const MOST_FLOWS: u32 = 1 << 16;

/// A value of a configuration that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("[{table}]: {source}")]
pub struct PlanError {
    /// The table that it is in.
    pub table: String,
    /// Error of the value.
    pub source: Box<SpecError>,
}

/// Settings that a NIC is to have.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of the port.
    pub port: Option<Port>,
    /// Profiles, by number.
    pub profiles: Vec<(u32, Parameters)>,
    /// Flows, by number.
    pub flows: Vec<(u32, FlowRecord)>,
    /// A flow needs its doorbell or its rate register.
    pub window: bool,
}

fn below(name: &'static str, value: u32, end: u32) -> Result<(), SpecError> {
    if value < end { Ok(()) } else { Err(OutOfRange { name, value, least: 0, most: end - 1 }.into()) }
}

/// A rate is the host's to set for law `fixed` alone, between its profile's least and greatest,
/// with the words of that profile; the device would count it, or take the nearest.
pub fn check_rate(spec: &FlowSpec, words: &[u32; profile::WORDS]) -> Result<(), SpecError> {
    let (Some(rate), Some(register)) = (&spec.rate, spec.rate()?) else { return Ok(()) };
    let refused = |allowed: String| Err(SpecError::Value { name: "rate".into(), value: rate.clone(), allowed });
    let (least, greatest) = (profile::LEAST_RATE.get(words), profile::GREATEST_RATE.get(words));
    if profile::LAW.get(words) != profile::LAW_FIXED {
        return refused(format!("left out: the law of profile {} sets the rate; `profile set` one that is like `fixed`", spec.profile));
    }
    if (least..=greatest).contains(&register) {
        return Ok(());
    }
    let ([least, greatest], field) = ([least, greatest].map(Mbps::from_register), if register > greatest { "greatest" } else { "least" });
    refused(format!(
        "{least} to {greatest}, `least` and `greatest` of profile {0}, which the NIC would keep to; `timelyctl profile set {0} fixed {field}={rate}`, \
         with the profile's other fields, sets another",
        spec.profile
    ))
}

/// A segment that its profile does not let a flow have outstanding would hold up its flow: it goes
/// on packet by packet, and beyond the bound.
pub fn check_bound(record: &FlowRecord, words: &[u32; profile::WORDS]) -> Result<(), SpecError> {
    let (bound, segment) = (profile::OUTSTANDING.get(words), record.segment_wire_bytes());
    if bound == 0 || segment <= bound {
        return Ok(());
    }
    let most = bound / (segment / u32::from(record.segment_packets.max(1))).max(1);
    let allowed =
        if most == 0 { "left out: one packet is more than that; make `packet_bytes` less".into() } else { format!("1 to {most}") };
    Err(SpecError::Value {
        name: "segment_packets".into(),
        value: record.segment_packets.to_string(),
        allowed: format!(
            "{allowed}: profile {} lets a flow have {bound} wire bytes outstanding, and this segment has {segment}",
            record.profile
        ),
    })
}

impl Plan {
    /// Settings that a configuration asks for of a board; `request` is that of a board behind
    /// Corundum's DMA.
    ///
    /// # Errors
    /// The first value that cannot be.
    pub fn new(config: &Config, request: Option<&Request>) -> Result<Self, PlanError> {
        let of = |table: String| move |source| PlanError { table, source: Box::new(source) };
        let port = config.port.as_ref().map(PortSpec::port).transpose().map_err(of("port".into()))?;
        let profiles = config.profile.iter().map(|(n, spec)| {
            let parameters = below("profile", n.0, PROFILES as u32).and_then(|()| {
                let parameters = spec.parameters_on(request)?;
                parameters.quantise()?;
                Ok(parameters)
            });
            Ok((n.0, parameters.map_err(of(format!("profile.{}", n.0)))?))
        });
        let profiles = profiles.collect::<Result<Vec<_>, PlanError>>()?;
        let udp_port = config.udp_port();
        let flows = config.flow.iter().map(|(n, spec)| {
            let record = below("flow", n.0, MOST_FLOWS).and_then(|()| {
                let words = profiles.iter().find(|p| p.0 == u32::from(spec.profile)).map(|p| p.1.quantise()).transpose()?;
                let record = spec.record(udp_port)?;
                if let Some(words) = words {
                    check_rate(spec, &words)?;
                    check_bound(&record, &words)?;
                    check_cap(spec, &words, request)?;
                }
                Ok(record)
            });
            Ok((n.0, record.map_err(of(format!("flow.{}", n.0)))?))
        });
        let flows = flows.collect::<Result<Vec<_>, PlanError>>()?;
        let window = config.flow.values().any(FlowSpec::needs_window);
        Ok(Plan { port, profiles, flows, window })
    }

    /// The first flow whose profile is neither in the configuration nor one that the device keeps
    /// set, as `kept` says.
    ///
    /// # Errors
    /// The error of `kept`.
    pub fn unset<E>(&self, mut kept: impl FnMut(u32) -> Result<bool, E>) -> Result<Option<PlanError>, E> {
        let mut seen: Vec<u32> = self.profiles.iter().map(|p| p.0).collect();
        for (flow, record) in &self.flows {
            let profile = u32::from(record.profile);
            if seen.contains(&profile) {
                continue;
            }
            if !kept(profile)? {
                return Ok(Some(PlanError { table: format!("flow.{flow}"), source: Box::new(SpecError::NoTable(profile)) }));
            }
            seen.push(profile);
        }
        Ok(None)
    }

    /// The highest number of a flow.
    pub fn last_flow(&self) -> Option<u32> {
        self.flows.iter().map(|f| f.0).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_the_table_of_what_cannot_be() {
        let text = |toml: &str| Plan::new(&toml::from_str(toml).expect("TOML"), None).expect_err(toml).to_string();
        let flow = "to = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\n";
        assert!(text("[port]\nmac = \"02:74\"\n").starts_with("[port]: mac is `02:74`; it must be six bytes"));
        assert!(text("[profile.3]\nlike = \"timely-12g\"\n").starts_with("[profile.3]: profile is `timely-12g`; it must be one of"));
        assert!(text("[profile.3]\nlike = \"timely-10g\"\n[profile.3.set]\nt_low = \"30xs\"\n").starts_with("[profile.3]: t_low: "));
        assert!(text("[profile.16]\nlike = \"timely-10g\"\n").starts_with("[profile.16]: profile is 16; it must be 0 to 15"));
        assert!(text(&format!("[flow.65536]\n{flow}")).starts_with("[flow.65536]: flow is 65536; it must be 0 to 65535"));
        assert!(text(&format!("[flow.7]\n{flow}packet_bytes = 20000\n")).starts_with("[flow.7]: packet_bytes is 20000"));
        let rate = text(&format!("[profile.0]\nlike = \"timely-10g\"\n[flow.7]\n{flow}rate = \"1Gbps\"\n"));
        assert!(rate.starts_with("[flow.7]: rate is `1Gbps`; it must be left out: the law of profile 0"), "{rate}");
        let fixed = |rate: &str| format!("[profile.2]\nlike = \"fixed\"\n[flow.7]\n{flow}profile = 2\nrate = \"{rate}\"\n");
        for (rate, field) in [("100Gbps", "greatest"), ("9Mbps", "least")] {
            let said = text(&fixed(rate));
            let range = format!("[flow.7]: rate is `{rate}`; it must be 10Mbps to 10Gbps, `least` and `greatest` of profile 2");
            assert!(said.starts_with(&range) && said.contains(&format!("profile set 2 fixed {field}={rate}`")), "{said}");
        }
        for rate in ["10Mbps", "10Gbps"] {
            assert!(Plan::new(&toml::from_str(&fixed(rate)).expect("TOML"), None).is_ok(), "{rate}");
        }
        let bound = text(&format!("[profile.0]\nlike = \"timely-10g\"\n[flow.7]\n{flow}packet_bytes = 1024\nsegment_packets = 64\n"));
        assert!(
            bound.starts_with("[flow.7]: segment_packets is `64`; it must be 1 to 57: profile 0 lets a flow have 65536 wire bytes"),
            "{bound}"
        );
        let port = "[port]\nmac = \"02:74:6e:00:00:00\"\nanswer = false\nudp_port = 5000\n";
        let other = text(&format!("{port}[profile.0]\nlike = \"timely-10g\"\n[flow.7]\n{flow}destination_port = 21609\n"));
        assert!(other.starts_with("[flow.7]: destination_port is `21609`; it must be 5000, the udp_port of the port"), "{other}");
        let follows: Config = toml::from_str(&format!("{port}[profile.0]\nlike = \"timely-10g\"\n[flow.7]\n{flow}")).expect("TOML");
        assert_eq!(Plan::new(&follows, None).expect("valid").flows[0].1.destination_port, 5000);
        let whole: Config = toml::from_str(&format!("[profile.0]\nlike = \"fixed\"\n[flow.7]\n{flow}rate = \"1Gbps\"\n")).expect("TOML");
        let plan = Plan::new(&whole, None).expect("valid");
        assert_eq!((plan.last_flow(), plan.window, plan.profiles.len()), (Some(7), true, 1));
        assert_eq!(plan.unset(|_| Ok::<_, ()>(false)), Ok(None));
        let other: Config = toml::from_str(&format!("[profile.0]\nlike = \"fixed\"\n[flow.7]\n{flow}profile = 5\n")).expect("TOML");
        let plan = Plan::new(&other, None).expect("valid");
        let unset = plan.unset(|_| Ok::<_, ()>(false)).expect("asked").expect("unset").to_string();
        assert_eq!(unset, "[flow.7]: profile 5 is unset; add a table [profile.5] with like = \"timely-10g\"");
        assert_eq!(plan.unset(|profile| Ok::<_, ()>(profile == 5)), Ok(None), "the device keeps it");
    }
}
