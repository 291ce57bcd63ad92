//! Rules of queue pairs that are learned, and the least rate that their hosts' time-outs allow.
use super::pair_error::PairError;
use super::{Service, ServiceError, json};
use crate::spec::RuleSpec;
use crate::units::{Mbps, Micros};
use serde_json::Value;
use timely_regs::device::PairRule;
use timely_regs::map::{port, roce};
use timely_regs::profile;

/// Bytes of a cell of the packet store.
const CELL_BYTES: u32 = 256;

/// Packets of a pair in the store, and how long its host waits for their ACKs: a rate at which the
/// packets take longer than that makes the host send all of them again, for ever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    /// Cells that a pair may have in the store.
    pub cells: u32,
    /// Shortest retransmission time-out of the hosts' pairs, us; 0 unknown.
    pub timeout_us: u32,
}

impl Floor {
    /// Least rate, Mb/s; 0 where the time-out is unknown.
    pub fn mbps(self) -> f64 {
        if self.timeout_us == 0 { 0.0 } else { self.bits() / f64::from(self.timeout_us) }
    }

    fn bits(self) -> f64 {
        8.0 * f64::from(CELL_BYTES) * f64::from(self.cells)
    }

    /// Fails for a profile, of these words, that may hold a pair's packets for too long.
    pub fn must_hold(self, profile: u32, words: &[u32; profile::WORDS]) -> Result<(), PairError> {
        // Pairs of law `fixed` stay at the rate that they begin with.
        let fixed = profile::LAW.get(words) == profile::LAW_FIXED;
        let (rate, field) = if fixed { (profile::INITIAL_RATE, "initial") } else { (profile::LEAST_RATE, "least") };
        let slowest = Mbps::from_register(rate.get(words));
        if self.timeout_us == 0 || slowest.0 >= self.mbps() || *words == [0; profile::WORDS] {
            return Ok(());
        }
        // Rounded up, so that what is printed is enough.
        let floor = Mbps(self.mbps().ceil());
        let (takes, timeout) = (Micros(self.bits() / slowest.0.max(1e-6)), Micros(self.timeout_us.into()));
        Err(PairError::Floor { profile, slowest, field, floor, cells: self.cells, takes, timeout })
    }
}

impl Service {
    /// The rules, each of a profile that is set.
    pub(super) fn checked_rules(&self, rules: &[RuleSpec], priority: u32) -> Result<Vec<PairRule>, ServiceError> {
        if rules.len() > roce::RULES as usize {
            return Err(PairError::Rules(rules.len()).into());
        }
        let rules = rules.iter().map(|r| r.rule(priority)).collect::<Result<Vec<_>, _>>()?;
        rules.iter().try_for_each(|r| self.must_be_set(r.profile))?;
        Ok(rules)
    }

    /// The floor of the table's set-up; nothing is asked of profiles while it is not in use.
    pub(super) fn floor(&self) -> Result<Floor, ServiceError> {
        let floor = self.nic.checked("a read of the table of queue pairs", |d| {
            let state = d.pairs()?;
            let timeout_us = if state.present && state.enabled { state.timeout_us } else { 0 };
            Ok(Floor { cells: d.read(&port::STORE_BOUND)?, timeout_us })
        })?;
        Ok(floor)
    }

    /// Replaces the rules of pairs that are learned from then on.
    pub(super) fn pairs_rules(&mut self, rules: &[RuleSpec]) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let rules = self.checked_rules(rules, self.pairs()?.priority)?;
        let floor = self.floor()?;
        for rule in &rules {
            floor.must_hold(rule.profile, &self.nic.profile(rule.profile)?)?;
        }
        self.nic.checked("the rules of queue pairs", |d| d.set_rules(&rules))?;
        Ok(json(self.pairs()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_regs::parameters::Parameters;

    #[test]
    fn a_profile_must_empty_the_store_within_the_time_out() {
        // 1,000 packets of 1,024 bytes in 100 ms: 81.92 Mb/s.
        let floor = Floor { cells: 4000, timeout_us: 100_000 };
        assert!((floor.mbps() - 81.92).abs() < 1e-9);
        let words =
            |least_mbps| Parameters { least_mbps, ..Parameters::named("timely-10g", 10.0).expect("a name") }.quantise().expect("words");
        assert_eq!(floor.must_hold(0, &words(82.0)), Ok(()));
        let said = floor.must_hold(3, &words(41.0)).expect_err("too slow").to_string();
        for part in ["profile 3 may slow a pair to 41Mbps", "take 199.8ms", "after 100ms", "profile set 3 .. least=82Mbps"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(Floor { timeout_us: 0, ..floor }.must_hold(3, &words(1.0)), Ok(()), "without a time-out there is no floor");
    }
}
