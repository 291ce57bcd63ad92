//! Rules by which queue pairs that are learned get a profile and a priority.
use super::{SpecError, network, unit, value};
use crate::units::parse_whole;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use timely_regs::device::PairRule;
use timely_regs::field::Field;
use timely_regs::map::roce;

/// A rule as `to=10.1.0.0/16,dscp=26,profile=2,priority=4`; all but the profile may be left out.
///
/// ```
/// use timely_driver::spec::RuleSpec;
/// let rule: RuleSpec = "to=10.1.0.0/16,dscp=26,profile=2".parse()?;
/// assert_eq!((rule.dscp, rule.profile, rule.priority), (Some(26), 2, None));
/// # Ok::<(), timely_driver::spec::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    /// Network of the peer's address; any address without.
    #[serde(default)]
    pub to: Option<String>,
    /// DSCP of the request that makes a pair known; any without.
    #[serde(default)]
    pub dscp: Option<u32>,
    /// Profile of its pairs.
    pub profile: u32,
    /// Priority of its pairs; the table's without.
    #[serde(default)]
    pub priority: Option<u32>,
}

impl RuleSpec {
    /// The rule, where pairs without one have `priority`.
    ///
    /// # Errors
    /// When a value is none.
    pub fn rule(&self, priority: u32) -> Result<PairRule, SpecError> {
        let within = |name, n: u32, field: Field| if n > field.most { Err(value(name, n, format!("0 to {}", field.most))) } else { Ok(n) };
        Ok(PairRule {
            network: self.to.as_deref().map(|text| network("to", text)).transpose()?,
            dscp: self.dscp.map(|d| within("dscp", d, roce::RULE_DSCP)).transpose()?,
            profile: within("profile", self.profile, roce::RULE_PROFILE)?,
            priority: within("priority", self.priority.unwrap_or(priority), roce::RULE_PRIORITY)?,
        })
    }
}

impl FromStr for RuleSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let form = "fields with commas between, as to=10.1.0.0/16,dscp=26,profile=2,priority=4, the profile at least";
        let wrong = || value("rule", text, form);
        let (mut to, mut dscp, mut profile, mut priority) = (None, None, None, None);
        for part in text.split(',') {
            let (name, given) = part.split_once('=').ok_or_else(wrong)?;
            let number = || unit(name, parse_whole::<u32>(given));
            let again = match name {
                "to" => to.replace(given.to_owned()).is_some(),
                "dscp" => dscp.replace(number()?).is_some(),
                "profile" => profile.replace(number()?).is_some(),
                "priority" => priority.replace(number()?).is_some(),
                _ => return Err(wrong()),
            };
            if again {
                return Err(value("rule", text, format!("a rule with one `{name}`")));
            }
        }
        let spec = RuleSpec { to, dscp, profile: profile.ok_or_else(wrong)?, priority };
        spec.rule(0)?;
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_checked() {
        let read = |text: &str| text.parse::<RuleSpec>().map(|r| r.rule(3).expect("checked before"));
        let rule = PairRule { network: Some(("10.1.0.0".parse().expect("an address"), 16)), dscp: Some(26), profile: 2, priority: 4 };
        assert_eq!(read("to=10.1.0.0/16,dscp=26,profile=2,priority=4"), Ok(rule));
        assert_eq!(read("dscp=0x1a,profile=5").map(|r| r.dscp), Ok(Some(26)));
        assert_eq!(read("profile=5"), Ok(PairRule { network: None, dscp: None, profile: 5, priority: 3 }));
        let ipv6 = read("profile=1,to=fd00::/8").expect("a rule");
        assert_eq!(ipv6.network, Some(("fd00::".parse().expect("an address"), 8)));
        for (text, told) in [
            ("", "fields with commas"),
            ("dscp=26", "the profile at least"),
            ("profile=2,profile=3", "one `profile`"),
            ("profile=16", "profile is `16`; it must be 0 to 15"),
            ("profile=-1", "profile: `-1`"),
            ("profile=+1", "profile: `+1`"),
            ("profile=1,to=10.0.0.0/+8", "address/bits"),
            ("profile=1,dscp=64", "0 to 63"),
            ("profile=1,priority=8", "0 to 7"),
            ("profile=1,to=10.0.0.0/33", "address/bits"),
            ("profile=1,to=10.0.0.0", "address/bits"),
            ("profile=1,colour=2", "fields with commas"),
            ("profile=1,", "fields with commas"),
        ] {
            let said = text.parse::<RuleSpec>().expect_err(text).to_string();
            assert!(said.contains(told), "{text}: {said}");
        }
    }
}
