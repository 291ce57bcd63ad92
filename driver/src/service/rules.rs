//! Rules of queue pairs that are learned, and the least rate that their hosts' time-outs allow.
use super::pair_error::PairError;
use super::{Service, ServiceError, json};
use crate::spec::RuleSpec;
use crate::units::{Mbps, Micros};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use timely_regs::device::PairRule;
use timely_regs::link::most_waiting;
use timely_regs::map::{port, roce};
use timely_regs::profile;

/// A rule as programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleReport {
    /// Network of the peer's address; any without.
    pub to: Option<String>,
    /// DSCP of the packet that made a pair known; any without.
    pub dscp: Option<u32>,
    /// Profile of its pairs.
    pub profile: u32,
    /// Priority of its pairs.
    pub priority: u32,
}

impl From<&PairRule> for RuleReport {
    fn from(rule: &PairRule) -> Self {
        let to = rule.network.map(|(address, bits)| format!("{address}/{bits}"));
        RuleReport { to, dscp: rule.dscp, profile: rule.profile, priority: rule.priority }
    }
}

/// Packets of a pair in the NIC, and how long its host waits for their ACKs: a rate at which the
/// packets take longer than half of that may make the host send all of them again, for ever. The
/// other half is what READs may hold them up for. A host whose window is larger than the store's
/// bound has some in front of the store too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    /// Cells that a pair may have in the store.
    pub cells: u32,
    /// Width of the data path.
    pub bus_bits: u32,
    /// Shortest retransmission time-out of the hosts' pairs, us; 0 unknown.
    pub timeout_us: u32,
}

impl Floor {
    /// Least rate, Mb/s; 0 where the time-out is unknown.
    pub fn mbps(self) -> f64 {
        if self.timeout_us == 0 { 0.0 } else { 2.0 * self.bits() / f64::from(self.timeout_us) }
    }

    fn bits(self) -> f64 {
        8.0 * most_waiting(self.cells, self.bus_bits) as f64
    }

    /// Fails for a profile, of these words, that may hold a pair's packets for too long.
    pub fn must_hold(self, profile: u32, words: &[u32; profile::WORDS]) -> Result<(), PairError> {
        // Pairs of law `fixed` stay at the rate that they begin with.
        let fixed = profile::LAW.get(words) == profile::LAW_FIXED;
        let slowest = Mbps::from_register(if fixed { profile::INITIAL_RATE } else { profile::LEAST_RATE }.get(words));
        if self.timeout_us == 0 || slowest.0 >= self.mbps() || *words == [0; profile::WORDS] {
            return Ok(());
        }
        let floor = self.printed();
        let set = if fixed { format!("fixed --line {floor}") } else { format!(".. least={floor}") };
        let (takes, timeout) = (Micros(self.bits() / slowest.0.max(1e-6)), Micros(self.timeout_us.into()));
        Err(PairError::Floor { profile, slowest, set, cells: self.cells, takes, timeout })
    }

    /// The least rate rounded up to what is printed of it, four digits: a rate that is typed as it
    /// is printed is enough.
    pub fn printed(self) -> Mbps {
        least_printed(self.mbps())
    }
}

/// A rate rounded up to four digits; 0 stays 0.
pub fn least_printed(mbps: f64) -> Mbps {
    let step = 10f64.powi(mbps.max(1e-6).log10().floor() as i32 - 3);
    // A whole number of steps is not taken to the next one by what a division loses.
    Mbps((mbps / step - 1e-9).ceil() * step)
}

impl Service {
    /// The rules, checked but for their profiles.
    pub(super) fn checked_rules(&self, rules: &[RuleSpec], priority: u32) -> Result<Vec<PairRule>, ServiceError> {
        if rules.len() > roce::RULES as usize {
            return Err(PairError::Rules(rules.len()).into());
        }
        let rules = rules.iter().map(|r| r.rule(priority)).collect::<Result<Vec<_>, _>>()?;
        Ok(rules)
    }

    /// Fails for a profile that is not set, or may hold a pair's packets for too long.
    pub(super) fn must_keep(&self, floor: Floor, profile: u32) -> Result<(), ServiceError> {
        let words = self.nic.profile(profile)?;
        if words == [0; profile::WORDS] {
            let least = if floor.timeout_us == 0 { String::new() } else { format!(" least={}", floor.printed()) };
            return Err(PairError::Unset { profile, least }.into());
        }
        Ok(floor.must_hold(profile, &words)?)
    }

    /// The floor of the table's set-up; nothing is asked of profiles while it is not in use.
    pub(super) fn floor(&self) -> Result<Floor, ServiceError> {
        let floor = self.nic.checked("a read of the table of queue pairs", |d| {
            let state = d.pairs()?;
            let timeout_us = if state.present && state.enabled { state.timeout_us } else { 0 };
            Ok(Floor { cells: d.read(&port::STORE_BOUND)?, bus_bits: d.build().bus_bits, timeout_us })
        })?;
        Ok(floor)
    }

    /// Replaces the rules of pairs that are learned from then on.
    pub(super) fn pairs_rules(&mut self, rules: &[RuleSpec]) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let rules = self.checked_rules(rules, self.pairs()?.priority)?;
        let floor = self.floor()?;
        rules.iter().try_for_each(|r| self.must_keep(floor, r.profile))?;
        self.nic.checked("the rules of queue pairs", |d| d.set_rules(&rules))?;
        Ok(json(self.pairs()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::parameters::Parameters;

    #[test]
    fn a_profile_must_empty_the_store_within_half_of_the_time_out() {
        // 4,037 packets of 256 bytes, 280 on the wire, and 512 of 64, 88 on the wire, in half of
        // 100 ms.
        let floor = Floor { cells: 4000, bus_bits: 512, timeout_us: 100_000 };
        assert!((floor.mbps() - 188.06656).abs() < 1e-9);
        assert!((Floor { bus_bits: 64, ..floor }.mbps() - 181.75872).abs() < 1e-9, "64 of them");
        let words =
            |least_mbps| Parameters { least_mbps, ..Parameters::named("timely-10g", 10.0).expect("a name") }.quantise().expect("words");
        assert_eq!(floor.must_hold(0, &words(188.1)), Ok(()));
        let said = floor.must_hold(3, &words(41.0)).expect_err("too slow").to_string();
        for part in ["profile 3 may slow a pair to 41Mbps", "takes 229.3ms", "half of the 100ms", "profile set 3 .. least=188.1Mbps"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(Floor { timeout_us: 0, ..floor }.must_hold(3, &words(1.0)), Ok(()), "without a time-out there is no floor");
        // What is printed is enough, whatever its size.
        for cells in [1, 9, 100, 640, 1024, 32_768, 65_535] {
            for timeout_us in [1, 17, 4194, 67_108, 3_600_000_000] {
                let floor = Floor { cells, bus_bits: 256, timeout_us };
                let printed = crate::units::parse_mbps(&floor.printed().to_string()).expect("a rate");
                assert!(printed >= floor.mbps() && printed < 1.002 * floor.mbps(), "{floor:?}: {printed}, {}", floor.mbps());
            }
        }
        let fixed = Parameters::fixed(20.0).quantise().expect("words");
        let said = floor.must_hold(1, &fixed).expect_err("too slow").to_string();
        assert!(said.contains("`timelyctl profile set 1 fixed --line 188.1Mbps`"), "{said}");
    }
}
