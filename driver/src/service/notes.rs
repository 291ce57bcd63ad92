//! Notes of settings that the NIC takes and that do not do what they read like.
use super::{Service, ServiceError};
use crate::config::{Config, Number};
use crate::spec::FlowSpec;
use crate::units::Mbps;
use timely_regs::parameters::LawKind;
use timely_regs::profile;

/// Bits of a TOS that say whether a switch may mark the packet.
const ECN: u8 = 3;

/// Two notes as one.
pub(super) fn joined(notes: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let all: Vec<String> = notes.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Switches never mark the packets of such a flow, and DCQCN follows marks alone.
fn never_marked(flow: u32, spec: &FlowSpec) -> Option<String> {
    (spec.tos & ECN == 0).then(|| {
        format!(
            "flow {flow} follows DCQCN (profile {}) and has tos {:#04x}, whose packets no switch marks, so that its rate does not follow queues; \
             give `--tos {:#04x}`",
            spec.profile,
            spec.tos,
            spec.tos | 2
        )
    })
}

/// A profile lets flows send faster than the port does.
fn above_line(config: &Config, number: u32) -> Option<String> {
    let (port, spec) = (config.port.as_ref()?, config.profile.get(&Number(number))?);
    let (line, greatest) = (port.line_mbps().ok()?, spec.parameters().ok()?.greatest_mbps);
    (greatest > line).then(|| {
        format!(
            "profile {number} lets a flow have {}, and the port's line is {}: a rate above that is not sent; give the profile `--line {line}Mbps`, \
             or the port its own (`timelyctl port set`)",
            Mbps(greatest),
            Mbps(line)
        )
    })
}

impl Service {
    /// Note of a flow that was added or set.
    pub(super) fn flow_note(&self, flow: u32, spec: &FlowSpec) -> Result<Option<String>, ServiceError> {
        let law = profile::LAW.get(&self.nic.profile(spec.profile.into())?);
        Ok(never_marked(flow, spec).filter(|_| law == profile::LAW_DCQCN))
    }

    /// Note of a profile that was set.
    pub(super) fn profile_note(&self, number: u32) -> Option<String> {
        let law = self.config.profile.get(&Number(number)).and_then(|s| Some(s.parameters().ok()?.law));
        let mut flows = self.config.flow.iter().filter(|f| law == Some(LawKind::Dcqcn) && u32::from(f.1.profile) == number);
        joined([above_line(&self.config, number), flows.find_map(|f| never_marked(f.0.0, f.1))])
    }

    /// Note of a port that was set.
    pub(super) fn port_note(&self) -> Option<String> {
        joined(self.config.profile.keys().map(|n| above_line(&self.config, n.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_above_the_line_and_a_flow_without_ecn_are_told() {
        let config = |line: &str, profile: &str| -> Config {
            toml::from_str(&format!("[port]\nmac = \"02:74:6e:00:00:00\"\nline = \"{line}\"\n[profile.1]\n{profile}")).expect("TOML")
        };
        let told = above_line(&config("10Gbps", "like = \"timely-10g\"\nline = \"1Tbps\""), 1).expect("above");
        assert!(told.starts_with("profile 1 lets a flow have 1Tbps, and the port's line is 10Gbps: ") && told.contains("--line 10000Mbps"));
        for (line, profile) in [("10Gbps", "like = \"timely-10g\""), ("25Gbps", "like = \"timely-10g\"\nline = \"25Gbps\"")] {
            assert_eq!(above_line(&config(line, profile), 1), None);
        }
        assert_eq!(above_line(&config("10Gbps", "like = \"timely-100g\""), 0), None, "no such profile");
        let flow = |tos| FlowSpec { tos, profile: 6, ..FlowSpec::to("11.0.1.1".parse().expect("an address"), "02:74:6e:00:00:01") };
        let told = never_marked(3, &flow(0xb8)).expect("never marked");
        assert!(told.starts_with("flow 3 follows DCQCN (profile 6) and has tos 0xb8, ") && told.ends_with("give `--tos 0xba`"), "{told}");
        assert_eq!((never_marked(3, &flow(1)), never_marked(3, &flow(2))), (None, None));
    }
}
