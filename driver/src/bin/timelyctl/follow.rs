//! `timelyctl pairs follow`: joins queue pairs as their connections come, and removes them when these
//! are over.
use crate::backend::{Backend, CliError};
use crate::show;
use crate::signals::Signals;
use crate::times::interval;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use timely_driver::rdma::{ListError, LocalPair, Source};
use timely_driver::say::note;
use timely_driver::service::{JoinsReport, ListedPair, PairKey, PairNumbers, Request, UnjoinedAnswer};

/// How soon a look follows one that joined a pair: more of them wait, and the NIC tells of one at a
/// time.
const SOON: Duration = Duration::from_millis(10);
/// Answers that joined nothing are told of once; of so many at most.
const MOST_TOLD: usize = 1000;

/// Options of `timelyctl pairs follow`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The RDMA device behind this NIC, as `rdma link` names it; all of the host's without.
    #[arg(long, value_name = "DEVICE")]
    rdma: Option<String>,
    /// The list of another host than this: a file with what `rdma -j resource show qp` prints there,
    /// read anew each time.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// How often the list is looked at.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true)]
    every: Duration,
    /// Looks once, and ends.
    #[arg(long)]
    once: bool,
}

/// A pair that is joined: the peer's address and queue pair.
type Key = (IpAddr, u32);

/// State between two looks.
struct Follower {
    source: Source,
    rdma: Option<String>,
    json: bool,
    /// Local queue pair of each pair that was joined.
    joined: BTreeMap<Key, u32>,
    told: BTreeSet<UnjoinedAnswer>,
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, CliError> {
    serde_json::from_value(value).map_err(|e| CliError::Failed(format!("an answer is not understood: {e}; use one version")))
}

impl From<ListError> for CliError {
    fn from(e: ListError) -> Self {
        match e {
            ListError::Device { .. } => CliError::Refused(e.to_string()),
            e => CliError::Failed(e.to_string()),
        }
    }
}

/// The pairs whose connection is not in the list any more.
fn over(joined: &BTreeMap<Key, u32>, list: &[LocalPair]) -> Vec<Key> {
    let there: BTreeSet<(u32, u32)> = list.iter().map(|p| (p.local, p.remote)).collect();
    joined.iter().filter(|((_, remote), local)| !there.contains(&(**local, *remote))).map(|(key, _)| *key).collect()
}

impl Follower {
    /// Prints an event; `false` when nobody reads any more.
    fn say(&self, event: &str, value: Value, text: String) -> Result<bool, CliError> {
        let mut line = json!({"event": event});
        if let (Some(to), Value::Object(fields)) = (line.as_object_mut(), value) {
            to.extend(fields);
        }
        crate::put_out(&if self.json { line.to_string() } else { text })
    }

    /// One look: gives whether a pair was joined, or nothing when nobody reads any more.
    fn look(&mut self, nic: &mut Backend) -> Result<Option<bool>, CliError> {
        let list = self.source.pairs(self.rdma.as_deref())?;
        for key in over(&self.joined, &list) {
            let (address, remote) = key;
            let local = self.joined.remove(&key);
            // It may have gone by its age, or with the table.
            let removed = match nic.ask(Request::PairRemove { pair: PairKey { address, remote } }) {
                Ok(value) => value,
                Err(CliError::Refused(_)) => continue,
                Err(e) => return Err(e),
            };
            let local = local.map_or(String::new(), |l| format!(", joined with {l},"));
            if !self.say("over", removed, format!("{remote} at {address}{local} is over, and was removed"))? {
                return Ok(None);
            }
        }
        let pairs = list.iter().map(|p| PairNumbers(p.local, p.remote)).collect();
        let found: JoinsReport = read(nic.ask(Request::PairsMatch { pairs })?)?;
        for pair in &found.joined {
            self.joined.insert((pair.address, pair.remote), pair.local.unwrap_or_default());
            let value = serde_json::to_value(pair).unwrap_or_default();
            if !self.say("joined", value, show::queue_pair(pair))? {
                return Ok(None);
            }
        }
        for answer in found.unjoined {
            if self.told.len() < MOST_TOLD && self.told.insert(answer.clone()) {
                note(format_args!("an answer of {} to {} joins no pair: {}", answer.address, answer.local, answer.reason));
            }
        }
        Ok(Some(!found.joined.is_empty()))
    }
}

/// Follows the list until it is told to end.
pub fn run(nic: &mut Backend, a: &Arguments, json: bool) -> Result<(), CliError> {
    let signals = Signals::new()?;
    let source = a.list.clone().map_or(Source::Kernel, Source::File);
    // Before the NIC is asked: a list that there is not joins nothing.
    source.pairs(a.rdma.as_deref())?;
    let listed: Vec<ListedPair> = read(nic.ask(Request::PairsList {})?)?;
    // Those that one before this joined; a pair that a command set is that command's to remove.
    let joined = listed.iter().filter(|p| !p.set).filter_map(|p| Some(((p.address, p.remote), p.local?))).collect();
    let mut follower = Follower { source, rdma: a.rdma.clone(), json, joined, told: BTreeSet::new() };
    while let Some(more) = follower.look(nic)? {
        let wait = if more { SOON } else { a.every };
        if a.once && !more {
            break;
        }
        let wait = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        // A wait that is cut short looks once more.
        let _ = poll(&mut [PollFd::new(&signals, PollFlags::IN)], Some(&wait));
        if signals.came() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_over_when_its_numbers_are_not_listed_together() {
        let at = |n: u8| IpAddr::from([10, 0, 0, n]);
        let joined = BTreeMap::from([((at(2), 35), 17), ((at(3), 35), 18), ((at(3), 36), 19)]);
        let pair = |local, remote| LocalPair { device: "rxe0".into(), local, remote };
        assert_eq!(over(&joined, &[pair(17, 35), pair(18, 35), pair(19, 36), pair(20, 37)]), []);
        // 18 is another's now, and 19 is gone.
        assert_eq!(over(&joined, &[pair(17, 35), pair(18, 40)]), [(at(3), 35), (at(3), 36)]);
    }
}
