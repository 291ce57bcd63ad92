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
use std::time::{Duration, Instant};
use timely_driver::rdma::{ListError, LocalPair, Source};
use timely_driver::say::note;
use timely_driver::service::{JoinsReport, ListedPair, PairKey, PairNumbers, PairReport, Request, UnjoinedAnswer};

/// How soon a look follows one that found an answer: the NIC tells of one at a time.
const SOON: Duration = Duration::from_millis(10);
/// How soon the list is read again for an answer that it does not explain.
const AGAIN: Duration = Duration::from_millis(100);
/// A join is told of once in this time.
const AGAIN_TOLD: Duration = Duration::from_secs(1);
/// Answers that joined nothing are told of once; of so many at most.
const MOST_TOLD: usize = 1000;
/// Lists one after the other in which a connection is not, before it is over: one list may miss a
/// queue pair, when others go while the kernel writes it.
const MISSED: u32 = 2;

/// Options of `timelyctl pairs follow`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The RDMA device behind this NIC, as `rdma link` names it; all of the host's without.
    #[arg(long, value_name = "DEVICE")]
    rdma: Option<String>,
    /// The list of another host than this: a file with what `rdma -j resource show qp` prints there,
    /// read anew each time; to be replaced in one step, by a rename.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// How often the list is read.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true)]
    every: Duration,
    /// Joins what answers tell of now, removes nothing, and ends.
    #[arg(long)]
    once: bool,
}

/// A pair that is joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Joined {
    flow: u32,
    local: u32,
    /// A list had the pair's connection since this command began.
    seen: bool,
    /// Lists since then in which it was not.
    missed: u32,
}

/// The joined pairs by the peer's address and queue pair.
type Pairs = BTreeMap<(IpAddr, u32), Joined>;

/// State between two looks.
struct Follower {
    source: Source,
    rdma: Option<String>,
    json: bool,
    joined: Pairs,
    list: Vec<LocalPair>,
    read_at: Instant,
    /// The list could not be read of late.
    lost: bool,
    told: BTreeSet<UnjoinedAnswer>,
    /// The pair that was joined last, and when.
    last: Option<(PairReport, Instant)>,
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

/// Looks the joined pairs up in a new list; gives those whose connections are over. A pair that was
/// never listed may be another host's behind this NIC. One whose number another connection of the
/// same device has is over at once: until it goes, answers and notifications of the new one are
/// taken for its own.
fn over(joined: &mut Pairs, list: &[LocalPair]) -> Vec<(IpAddr, u32)> {
    let there: BTreeSet<(u32, u32)> = list.iter().map(|p| (p.local, p.remote)).collect();
    let devices: BTreeSet<&str> = list.iter().map(|p| p.device.as_str()).collect();
    let numbers: BTreeSet<u32> = list.iter().map(|p| p.local).collect();
    for ((_, remote), pair) in joined.iter_mut() {
        let listed = there.contains(&(pair.local, *remote));
        let reused = devices.len() == 1 && numbers.contains(&pair.local);
        pair.seen |= listed;
        pair.missed = if listed { 0 } else { pair.missed + if reused { MISSED } else { 1 } };
    }
    joined.iter().filter(|(_, p)| p.seen && p.missed >= MISSED).map(|(key, _)| *key).collect()
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

    /// Reads the list, and removes pairs whose connections are over; `false` when nobody reads any
    /// more. Without a list nothing is over.
    fn renew(&mut self, nic: &mut Backend) -> Result<bool, CliError> {
        self.read_at = Instant::now();
        match self.source.pairs(self.rdma.as_deref()) {
            Ok(list) => (self.list, self.lost) = (list, false),
            Err(e) => {
                if !std::mem::replace(&mut self.lost, true) {
                    note(format_args!("{e}; the list of before holds meanwhile"));
                }
                return Ok(true);
            }
        }
        for key in over(&mut self.joined, &self.list) {
            let (address, remote) = key;
            let Some(Joined { flow, local, .. }) = self.joined.remove(&key) else { continue };
            let pair = PairKey { address, remote };
            let removed = match nic.ask(Request::PairOver { flow, pair, local }) {
                // It went by its age, or a command has it now.
                Ok(Value::Null) | Err(CliError::Refused(_)) => continue,
                other => other?,
            };
            if !self.say("over", removed, format!("{remote} at {address}, joined with {local}, is over, and was removed"))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Joins what answers tell of: gives the time until the next look, or nothing when nobody reads
    /// any more.
    fn look(&mut self, nic: &mut Backend, a: &Arguments) -> Result<Option<Duration>, CliError> {
        let pairs = self.list.iter().map(|p| PairNumbers(p.local, p.remote)).collect();
        let found: JoinsReport = read(nic.ask(Request::PairsMatch { pairs })?)?;
        for pair in &found.joined {
            let joined = Joined { flow: pair.flow, local: pair.local.unwrap_or_default(), seen: true, missed: 0 };
            self.joined.insert((pair.address, pair.remote), joined);
            // An answer that came while its pair was joined says nothing new.
            let again = self.last.replace((*pair, Instant::now())).is_some_and(|(p, at)| p == *pair && at.elapsed() < AGAIN_TOLD);
            if again {
                continue;
            }
            let value = serde_json::to_value(pair).unwrap_or_default();
            if !self.say("joined", value, show::queue_pair(pair))? {
                return Ok(None);
            }
        }
        let any = !found.joined.is_empty() || !found.unjoined.is_empty();
        let unlisted = found.unjoined.iter().any(|a| self.list.iter().all(|p| p.local != a.local));
        // A number that is not in the list may be a new connection's: it is told of when the next
        // list, if there is to be one, does not have it either.
        let fresh = a.once || self.read_at.elapsed() < AGAIN;
        for answer in found.unjoined {
            let listed = self.list.iter().any(|p| p.local == answer.local);
            if (listed || fresh || self.lost) && self.told.len() < MOST_TOLD && self.told.insert(answer.clone()) {
                note(format_args!("an answer of {} to {} joins no pair: {}", answer.address, answer.local, answer.reason));
                if self.told.len() == MOST_TOLD {
                    note(format_args!("no more such answers are told of"));
                }
            }
        }
        if unlisted && !fresh && !self.renew(nic)? {
            return Ok(None);
        }
        Ok(Some(if any { SOON.min(a.every) } else { a.every.saturating_sub(self.read_at.elapsed()) }))
    }
}

/// Follows the list until it is told to end.
pub fn run(nic: &mut Backend, a: &Arguments, json: bool) -> Result<(), CliError> {
    let signals = Signals::new()?;
    let source = a.list.clone().map_or(Source::Kernel, Source::File);
    // Before the NIC is asked: a list that there is not joins nothing.
    let list = source.pairs(a.rdma.as_deref())?;
    let known: Vec<ListedPair> = read(nic.ask(Request::PairsList {})?)?;
    // Those that one before this joined; a pair that a command set is that command's to remove.
    let before = |p: &ListedPair| Some(((p.address, p.remote), Joined { flow: p.flow, local: p.local?, seen: false, missed: 0 }));
    let mut joined: Pairs = known.iter().filter(|p| !p.set).filter_map(before).collect();
    over(&mut joined, &list);
    if !a.once {
        note(format_args!(
            "{} connected queue pairs are listed, and {} pairs of the table are joined; Ctrl-C ends this",
            list.len(),
            joined.len()
        ));
    }
    let (rdma, read_at) = (a.rdma.clone(), Instant::now());
    let mut follower = Follower { source, rdma, json, joined, list, read_at, lost: false, told: BTreeSet::new(), last: None };
    while let Some(wait) = follower.look(nic, a)? {
        if a.once {
            break;
        }
        let wait = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        // A wait that is cut short looks once more.
        let _ = poll(&mut [PollFd::new(&signals, PollFlags::IN)], Some(&wait));
        if signals.came() || (follower.read_at.elapsed() >= a.every && !follower.renew(nic)?) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_over_when_two_lists_have_not_its_numbers() {
        let at = |n: u8| IpAddr::from([10, 0, 0, n]);
        let joined = |local| Joined { flow: 0, local, seen: false, missed: 0 };
        let mut all =
            BTreeMap::from([((at(2), 35), joined(17)), ((at(3), 35), joined(18)), ((at(3), 36), joined(19)), ((at(4), 40), joined(30))]);
        let on = |device: &str, local, remote| LocalPair { device: device.into(), local, remote };
        let pair = |local, remote| on("rxe0", local, remote);
        let whole = [pair(17, 35), pair(18, 35), pair(19, 36), on("rxe1", 20, 37)];
        assert_eq!(over(&mut all, &whole), []);
        // 18 is another's and 19 gone in one list, and there again; then for good. 30 was never
        // listed.
        let without = [pair(17, 35), pair(18, 41), on("rxe1", 20, 37)];
        assert_eq!([&without[..], &whole, &without].map(|l| over(&mut all, l)), [vec![], vec![], vec![]]);
        assert_eq!(over(&mut all, &without), [(at(3), 35), (at(3), 36)]);
        // With one device 17 is another connection's, and the first is over at once.
        all.remove(&(at(3), 35));
        all.remove(&(at(3), 36));
        assert_eq!(over(&mut all, &[pair(17, 50), pair(19, 36)]), [(at(2), 35)]);
    }
}
