//! Queue pairs of RoCEv2: the table's settings, and commands to it.
use super::pair_error::{MOST_ASK_EVERY, MOST_CELLS, MOST_DSCP, MOST_INTERVAL_US, PRIORITY, PairError};
use super::rules::{Floor, RuleReport};
use super::{Service, ServiceError, json};
use crate::Error;
use crate::spec::{RuleSpec, one_host};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use timely_regs::counters::Counter;
use timely_regs::device::{NotifySettings, PairOutcome, PairSettings};
use timely_regs::map::{counters, port, roce};

/// Greatest number of a queue pair; 0 and 1 are management's.
const MOST_PAIR: u32 = 0xff_ffff;
/// Greatest priority.
const MOST_PRIORITY: u32 = 7;
/// Units of the age that a pair is forgotten after, at least.
const AGE_UNITS: u64 = 7;
/// Picoseconds of a second.
const PS_PER_S: u128 = 1_000_000_000_000;

/// Settings of the table, as they are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairSetup {
    /// Profile of pairs that are learned.
    pub profile: u32,
    /// Priority of pairs that no rule is for, by which pause frames (PFC) stop them, 0 to 7.
    #[serde(default = "usual_priority")]
    pub priority: u32,
    /// Rules of pairs that are learned, of which the first that is for a pair decides; 16 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
    /// Shortest retransmission time-out of the host's pairs, us, below which no profile may hold a
    /// pair's packets; 0 unknown.
    #[serde(default = "usual_timeout", skip_serializing_if = "is_usual_timeout")]
    pub host_timeout_us: u32,
    /// Least path MTU, bytes; 0 unknown.
    pub mtu: u32,
    /// After so long without a packet a learned pair is forgotten, s; 0 never.
    pub age_s: u32,
    /// Cells of 256 bytes that a pair may have in the store, 1 to 65,535.
    pub store_bound: u32,
    /// Congestion notifications in the host's place; none are sent without. Left out where there
    /// are none, so that a daemon of before understands the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<NotifySetup>,
    /// A packet of data so many packets behind its pair's last one that asks for an ACK is made to
    /// ask for one, 1 to 255; 0 none is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ask_every: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn usual_priority() -> u32 {
    PRIORITY
}

/// Retransmission time-out of a host when nothing is said, us: the code 14 of InfiniBand, 4.096 us
/// times 2^14, which rdma_rxe and perftest have.
pub const HOST_TIMEOUT_US: u32 = 67_108;

fn usual_timeout() -> u32 {
    HOST_TIMEOUT_US
}

fn is_usual_timeout(us: &u32) -> bool {
    *us == HOST_TIMEOUT_US
}

/// Congestion notifications in the host's place, as they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifySetup {
    /// Least time between two of a pair, us.
    pub interval_us: u32,
    /// DSCP of notifications.
    pub dscp: u32,
}

/// A queue pair, by what its packets say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairKey {
    /// Address of the peer.
    pub address: IpAddr,
    /// The peer's queue pair.
    pub remote: u32,
}

/// State of the table, as programs read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairsReport {
    /// The form of the NIC has a table.
    pub present: bool,
    /// The table is in use.
    pub in_use: bool,
    /// Profile of pairs that are learned and that no rule is for.
    pub profile: u32,
    /// Priority of pairs that no rule is for, by which pause frames (PFC) stop them.
    #[serde(default)]
    pub priority: u32,
    /// Rules of pairs that are learned, in their order.
    #[serde(default)]
    pub rules: Vec<RuleReport>,
    /// Shortest retransmission time-out of the host's pairs, us; 0 unknown.
    #[serde(default)]
    pub host_timeout_us: u32,
    /// Least rate of pairs' profiles at which that time-out is not reached in the store, Mb/s; 0
    /// unknown.
    #[serde(default)]
    pub least_mbps: f64,
    /// Least path MTU, bytes; 0 unknown.
    pub mtu: u32,
    /// After so long without a packet a learned pair is forgotten, s; 0 never.
    pub age_s: f64,
    /// Cells of 256 bytes that a pair may have in the store.
    pub store_bound: u32,
    /// Pairs that packets made known.
    pub learned: u32,
    /// Pairs that commands set.
    pub set: u32,
    /// Pairs that commands removed.
    pub removed: u32,
    /// Pairs that were forgotten by their age.
    pub aged: u32,
    /// Pairs that found no place in the table.
    pub crowded: u32,
    /// Pairs that found no flow.
    pub full: u32,
    /// Answers whose pair is not joined.
    pub answers_unknown: u32,
    /// Congestion notifications to pairs that are joined.
    pub congestion_notified: u32,
    /// Packets from one that asks for an ACK to the next that is made to ask; 0 none is.
    #[serde(default)]
    pub ask_every: u32,
    /// Congestion notifications are sent in the host's place.
    pub notify: bool,
    /// Least time between two of a pair, us; 0 where none are sent.
    pub notify_interval_us: f64,
    /// DSCP of notifications; 0 where none are sent.
    pub notify_dscp: u32,
    /// Notifications that were sent.
    pub notifications_sent: u32,
    /// Packets that arrived with CE, and whose pair is not joined.
    pub marks_unknown: u32,
    /// Packets that arrived with CE while a notification was made.
    pub marks_postponed: u32,
    /// Note of a set-up while flows are stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A pair that was joined, as programs read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairReport {
    /// Address of the peer.
    pub address: IpAddr,
    /// The peer's queue pair.
    pub remote: u32,
    /// The local queue pair, if the pair was joined.
    pub local: Option<u32>,
    /// Flow of the pair, for `telemetry`.
    pub flow: u32,
}

/// Flow of the pair of a command, where there are `flows`.
pub(super) fn flow_of(outcome: PairOutcome, key: PairKey, local: u32, flows: u32) -> Result<u32, PairError> {
    match outcome {
        PairOutcome::Done(flow) => Ok(flow),
        PairOutcome::Unknown => Err(PairError::Unknown { address: key.address, remote: key.remote }),
        PairOutcome::Full => Err(PairError::Full(flows)),
        PairOutcome::Crowded => Err(PairError::Crowded(key.remote)),
        PairOutcome::Ambiguous(_) => Err(PairError::Ambiguous { local }),
    }
}

fn number(pair: u32) -> Result<u32, PairError> {
    if (2..=MOST_PAIR).contains(&pair) { Ok(pair) } else { Err(PairError::Number(pair)) }
}

/// A secret that is one: both parts of it, for with zeros in either numbers of one host share a
/// hash.
fn secret_of(random: [u8; 24]) -> Result<[u32; 6], PairError> {
    let mut secret = [0; 6];
    for (word, bytes) in secret.iter_mut().zip(random.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    if secret.contains(&0) { Err(PairError::Secret) } else { Ok(secret) }
}

fn mtu_code(bytes: u32) -> Result<u32, PairError> {
    match bytes {
        0 => Ok(0),
        256 | 512 | 1024 | 2048 | 4096 => Ok(bytes.ilog2() - 7),
        other => Err(PairError::Mtu(other)),
    }
}

/// An interval in ns, and the DSCP's place in a type of service.
pub(super) fn notify_settings(n: NotifySetup) -> Result<NotifySettings, PairError> {
    match n {
        NotifySetup { interval_us, .. } if !(1..=MOST_INTERVAL_US).contains(&interval_us) => Err(PairError::Interval(interval_us)),
        NotifySetup { dscp, .. } if dscp > MOST_DSCP => Err(PairError::Dscp(dscp)),
        NotifySetup { interval_us, dscp } => Ok(NotifySettings { interval_ns: 1000 * interval_us, tos: dscp << 2 }),
    }
}

/// Clocks of a unit, of which seven are the age.
fn age_unit(seconds: u32, clock_ps: u32) -> Result<u32, PairError> {
    // In 128 bits: seconds of 32 bits are up to 2^72 ps.
    let clocks = u128::from(seconds) * PS_PER_S / u128::from(clock_ps.max(1));
    let most = (u128::from(AGE_UNITS) * u128::from(u32::MAX) * u128::from(clock_ps) / PS_PER_S) as u64;
    u32::try_from(clocks.div_ceil(AGE_UNITS.into())).map_err(|_| PairError::Age { asked: seconds, most })
}

impl Service {
    /// State of the table.
    pub(super) fn pairs(&self) -> Result<PairsReport, ServiceError> {
        let report = self.nic.checked("a read of the table of queue pairs", |d| {
            let (state, count) = (d.pairs()?, |c: Counter| d.read_at(&counters::COUNTER, c as u32));
            Ok(PairsReport {
                present: state.present,
                in_use: state.enabled,
                profile: state.profile,
                priority: state.priority,
                rules: if state.present { d.rules()?.iter().map(RuleReport::from).collect() } else { Vec::new() },
                host_timeout_us: state.timeout_us,
                least_mbps: Floor { cells: d.read(&port::STORE_BOUND)?, bus_bits: d.build().bus_bits, timeout_us: state.timeout_us }.mbps(),
                mtu: if state.mtu == 0 { 0 } else { 128 << state.mtu },
                age_s: AGE_UNITS as f64 * f64::from(state.age) * f64::from(d.build().clock_ps) / 1e12,
                store_bound: d.read(&port::STORE_BOUND)?,
                learned: count(Counter::PairsLearned)?,
                set: count(Counter::PairsSet)?,
                removed: count(Counter::PairsRemoved)?,
                aged: count(Counter::PairsAged)?,
                crowded: count(Counter::PairsCrowded)?,
                full: count(Counter::PairsFull)?,
                answers_unknown: count(Counter::AnswersUnknown)?,
                congestion_notified: count(Counter::CongestionNotified)?,
                ask_every: state.ask_every,
                notify: state.notify.is_some(),
                notify_interval_us: state.notify.map_or(0.0, |n| f64::from(n.interval_ns) / 1000.0),
                notify_dscp: state.notify.map_or(0, |n| n.tos >> 2),
                notifications_sent: count(Counter::NotificationsSent)?,
                marks_unknown: count(Counter::MarksUnknown)?,
                marks_postponed: count(Counter::MarksPostponed)?,
                note: None,
            })
        })?;
        Ok(report)
    }

    pub(super) fn must_have_pairs(&self, in_use: bool) -> Result<(), ServiceError> {
        let state = self.nic.checked("a read of the table of queue pairs", |d| d.pairs())?;
        match state {
            s if !s.present => Err(PairError::None.into()),
            s if in_use && !s.enabled => Err(PairError::Off.into()),
            _ => Ok(()),
        }
    }

    /// Fails where flows are queue pairs': the device refuses records of the host's.
    pub(super) fn must_have_flows(&self, refused: PairError) -> Result<(), ServiceError> {
        let present = self.nic.checked("a read of the table of queue pairs", |d| d.read_field(&roce::STATUS, &roce::PRESENT))?;
        if present == 0 { Ok(()) } else { Err(refused.into()) }
    }

    /// Takes the table into use with a secret of the system's, and lets flows send unless they were
    /// stopped.
    pub(super) fn pairs_setup(&mut self, s: PairSetup) -> Result<Value, ServiceError> {
        self.must_have_pairs(false)?;
        if s.priority > MOST_PRIORITY {
            return Err(PairError::Priority(s.priority).into());
        }
        if !(1..=MOST_CELLS).contains(&s.store_bound) {
            return Err(PairError::Store(s.store_bound).into());
        }
        if s.ask_every > MOST_ASK_EVERY {
            return Err(PairError::AskEvery(s.ask_every).into());
        }
        let rules = self.checked_rules(&s.rules, s.priority)?;
        let bus_bits = self.nic.device().build().bus_bits;
        let floor = Floor { cells: s.store_bound, bus_bits, timeout_us: s.host_timeout_us };
        [s.profile].into_iter().chain(rules.iter().map(|r| r.profile)).try_for_each(|p| self.must_keep(floor, p))?;
        let mtu = mtu_code(s.mtu)?;
        let age = age_unit(s.age_s, self.nic.device().build().clock_ps)?;
        let notify = s.notify.map(notify_settings).transpose()?;
        let mut random = [0; 24];
        File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut random)).map_err(Error::Random)?;
        let settings = PairSettings {
            secret: secret_of(random)?,
            profile: s.profile,
            priority: s.priority,
            timeout_us: s.host_timeout_us,
            mtu,
            age,
            notify,
            ask_every: s.ask_every,
        };
        self.nic.checked("the settings of the table of queue pairs", |d| {
            d.write(&port::STORE_BOUND, s.store_bound)?;
            d.set_rules(&rules)?;
            d.start_pairs(&settings)
        })?;
        let note = self.enable_unless_stopped()?;
        Ok(json(PairsReport { note, ..self.pairs()? }))
    }

    /// Takes the table out of use.
    pub(super) fn pairs_stop(&mut self) -> Result<Value, ServiceError> {
        self.must_have_pairs(false)?;
        self.nic.checked("the table of queue pairs", |d| d.stop_pairs())?;
        Ok(Value::Null)
    }

    /// Sets a pair, joined if a local one is given.
    pub(super) fn pair_join(&mut self, key: PairKey, local: Option<u32>, profile: u32) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        self.must_keep(self.floor()?, profile)?;
        one_host("address", key.address)?;
        let (remote, local) = (number(key.remote)?, local.map(number).transpose()?);
        let outcome = self.nic.checked("a queue pair", |d| d.set_pair(key.address, remote, local, profile))?;
        let flow = flow_of(outcome, key, local.unwrap_or_default(), self.nic.device().flows())?;
        Ok(json(PairReport { address: key.address, remote, local, flow }))
    }

    /// Removes a pair.
    pub(super) fn pair_remove(&mut self, key: PairKey) -> Result<Value, ServiceError> {
        self.must_have_pairs(true)?;
        let remote = number(key.remote)?;
        let outcome = self.nic.checked("a queue pair", |d| d.remove_pair(key.address, remote))?;
        let flow = flow_of(outcome, key, 0, self.nic.device().flows())?;
        Ok(json(PairReport { address: key.address, remote, local: None, flow }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_with_zeros_is_refused() {
        assert_eq!(secret_of([0; 24]), Err(PairError::Secret));
        let mut random = [7; 24];
        assert_eq!(secret_of(random), Ok([0x0707_0707; 6]));
        // Each word counts, those of SECRET_HIGH too.
        for word in 0..6 {
            random.fill(7);
            random[4 * word..4 * word + 4].fill(0);
            assert_eq!(secret_of(random), Err(PairError::Secret), "word {word}");
        }
    }

    #[test]
    fn sizes_and_ages_become_codes() {
        assert_eq!([0, 256, 512, 1024, 2048, 4096].map(|b| mtu_code(b).ok()), [0, 1, 2, 3, 4, 5].map(Some));
        assert_eq!(mtu_code(1500), Err(PairError::Mtu(1500)));
        // 7 s of 4 ns: a unit is a second.
        assert_eq!((age_unit(0, 4000), age_unit(7, 4000)), (Ok(0), Ok(250_000_000)));
        assert_eq!(age_unit(121, 4000), Err(PairError::Age { asked: 121, most: 120 }));
        // Ages whose ps need more than 64 bits are refused, not wrapped.
        for asked in [18_446_744, 18_446_745, u32::MAX] {
            assert_eq!(age_unit(asked, 4000), Err(PairError::Age { asked, most: 120 }));
        }
        assert_eq!(age_unit(u32::MAX, u32::MAX), Err(PairError::Age { asked: u32::MAX, most: 129_127_208 }));
        let notify = |interval_us, dscp| notify_settings(NotifySetup { interval_us, dscp });
        assert_eq!(notify(50, 48), Ok(NotifySettings { interval_ns: 50_000, tos: 0xc0 }));
        assert_eq!(notify(16_777, 63), Ok(NotifySettings { interval_ns: 16_777_000, tos: 0xfc }));
        assert_eq!((notify(16_778, 0), notify(1, 64)), (Err(PairError::Interval(16_778)), Err(PairError::Dscp(64))));
        assert_eq!(notify(0, 48), Err(PairError::Interval(0)));
        assert_eq!((number(1), number(0x100_0000)), (Err(PairError::Number(1)), Err(PairError::Number(0x100_0000))));
    }
}
