//! Joins of queue pairs by what arrives: an answer has the peer's address and the host's queue
//! pair, and the host's list has the peer's queue pair that this one is connected with.
use super::pair_error::PairError;
use super::pairs::{PairKey, PairReport};
use super::{Service, ServiceError, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use timely_regs::device::{KnownPair, PairOutcome};
use timely_regs::map::port;

/// Answers that are taken for one request, at most.
const MOST_TAKEN: u32 = 32;
/// The longest list of a request; no table has as many pairs.
const MOST_LISTED: usize = 50_000;

/// A queue pair of the host, and the peer's that it is connected with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairNumbers(
    /// The host's.
    pub u32,
    /// The peer's.
    pub u32,
);

/// A pair that the table knows, as programs read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPair {
    /// Flow of the pair, for `telemetry`.
    pub flow: u32,
    /// Address of the peer.
    pub address: IpAddr,
    /// The peer's queue pair.
    pub remote: u32,
    /// The local queue pair, if the pair is joined.
    pub local: Option<u32>,
    /// A command set the pair, which is not forgotten.
    pub set: bool,
}

/// An answer that joined nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnjoinedAnswer {
    /// Address that it came from.
    pub address: IpAddr,
    /// The local queue pair that it goes to.
    pub local: u32,
    /// Why.
    pub reason: String,
}

/// Outcome of the answers that arrived since the last request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinsReport {
    /// Pairs that were joined.
    pub joined: Vec<PairReport>,
    /// Answers that joined nothing, each once.
    pub unjoined: Vec<UnjoinedAnswer>,
}

/// The remote number of each local one; none of a local number that two devices have.
fn numbers(pairs: &[PairNumbers]) -> BTreeMap<u32, Option<u32>> {
    let mut known = BTreeMap::new();
    for PairNumbers(local, remote) in pairs {
        known.entry(*local).and_modify(|r: &mut Option<u32>| *r = r.filter(|r| r == remote)).or_insert(Some(*remote));
    }
    known
}

impl Service {
    /// Pairs that the table knows, by their flows.
    pub(super) fn pairs_list(&mut self) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let mut all = Vec::new();
        for flow in self.nic.rated_flows()? {
            self.nic.kick_meanwhile()?;
            let pair = self.nic.checked("a read of a queue pair", |d| d.read_pair(flow))?;
            all.extend(pair.map(|p| ListedPair { flow, address: p.address, remote: p.remote, local: p.local, set: p.set }));
        }
        Ok(self.nic.kick_while(|| json(all)))
    }

    /// Takes answers whose pairs are not joined, and joins those that the host's list has.
    pub(super) fn pairs_match(&mut self, pairs: &[PairNumbers]) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        if pairs.len() > MOST_LISTED {
            return Err(PairError::Listed { listed: pairs.len(), most: MOST_LISTED }.into());
        }
        let mac = self.nic.checked("a read of the port's address", |d| Ok([d.read(&port::MAC_LOW)?, d.read(&port::MAC_HIGH)?]))?;
        if mac == [0; 2] {
            return Err(PairError::Mac.into());
        }
        let known = numbers(pairs);
        let (mut report, mut unjoined) = (JoinsReport::default(), BTreeSet::new());
        for _ in 0..MOST_TAKEN {
            self.nic.kick_meanwhile()?;
            let Some((address, local)) = self.nic.checked("an answer of a queue pair", |d| d.take_answer())? else { break };
            let reason = match known.get(&local) {
                None => "the host's list has no such queue pair".into(),
                Some(None) => "two devices have a queue pair of this number; name the one behind this NIC with --rdma".into(),
                Some(Some(remote)) => {
                    let key = PairKey { address, remote: *remote };
                    match self.nic.checked("a queue pair", |d| d.join_pair(key.address, key.remote, local))? {
                        PairOutcome::Done(flow) => {
                            report.joined.push(PairReport { address, remote: *remote, local: Some(local), flow });
                            continue;
                        }
                        PairOutcome::Ambiguous(_) => format!("its answers belong to another pair than {remote}; look at `pairs list`"),
                        PairOutcome::Crowded => {
                            format!("the answers of its pair, {remote}, have no place in the table; `pairs setup` draws another secret")
                        }
                        PairOutcome::Unknown | PairOutcome::Full => {
                            format!("the table does not know its pair, {remote}: it sends nothing, or has no place")
                        }
                    }
                }
            };
            unjoined.insert(UnjoinedAnswer { address, local, reason });
        }
        report.unjoined = unjoined.into_iter().collect();
        Ok(json(report))
    }
}

impl Service {
    /// Removes a pair that was joined by its answers, if it is still what it was: nothing where the
    /// flow has another pair now, or a command has set it.
    pub(super) fn pair_over(&mut self, flow: u32, pair: PairKey, local: u32) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let found = self.nic.checked("a read of a queue pair", |d| d.read_pair(flow))?;
        let same = |p: &KnownPair| (p.address, p.remote, p.local, p.set) == (pair.address, pair.remote, Some(local), false);
        if found.filter(same).is_some() { self.pair_remove(pair) } else { Ok(Value::Null) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_two_devices_have_is_not_guessed_at() {
        let pairs = [(17, 35), (18, 36), (17, 37), (18, 36), (17, 35)].map(|(l, r)| PairNumbers(l, r));
        assert_eq!(numbers(&pairs), BTreeMap::from([(17, None), (18, Some(36))]));
    }
}
