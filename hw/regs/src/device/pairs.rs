//! Commands to the table of RoCEv2's queue pairs.
use super::{Bus, Device, Error};
use crate::field::{Field, OutOfRange};
use crate::map::roce;
use crate::map::settings::TABLE;
use std::net::{IpAddr, Ipv6Addr};

/// Reads of the status before a wait for a command is given up: a command waits for clocks without
/// a look-up, of which a loaded table has few.
const POLLS: u32 = 100_000;

/// Congestion notifications (CNPs) in the host's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotifySettings {
    /// Least time between two of a pair, ns, below 2^24.
    pub interval_ns: u32,
    /// Type of service or traffic class.
    pub tos: u32,
}

/// Settings of the table before its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSettings {
    /// Secret of the hash, at random.
    pub secret: [u32; 6],
    /// Profile of pairs that are learned.
    pub profile: u32,
    /// Priority of pairs that no rule is for, 0 to 7, by which pause frames stop them.
    pub priority: u32,
    /// Shortest retransmission time-out of the host's pairs, us, kept for later; 0 unknown.
    pub timeout_us: u32,
    /// Least path MTU: 1 to 5 for 256 to 4,096 bytes, 0 unknown.
    pub mtu: u32,
    /// Clocks of a unit of age; 0 no pair is forgotten.
    pub age: u32,
    /// CNPs are sent.
    pub notify: Option<NotifySettings>,
    /// A packet of data so many packets behind its pair's last request for an ACK asks for one; 0
    /// never, at most 255.
    pub ask_every: u32,
}

/// Settings of a table in use to change; what is not given stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairChange {
    /// As [`PairSettings::ask_every`].
    pub ask_every: Option<u32>,
    /// CNPs are sent.
    pub notify: Option<bool>,
    /// As [`NotifySettings::interval_ns`].
    pub interval_ns: Option<u32>,
    /// As [`NotifySettings::tos`].
    pub tos: Option<u32>,
}

/// State of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairState {
    /// The device has a table.
    pub present: bool,
    /// The table is in use.
    pub enabled: bool,
    /// Profile of pairs that are learned and that no rule is for.
    pub profile: u32,
    /// Priority of pairs that no rule is for.
    pub priority: u32,
    /// Shortest retransmission time-out of the host's pairs, us; 0 unknown.
    pub timeout_us: u32,
    /// Least path MTU, as [`PairSettings::mtu`].
    pub mtu: u32,
    /// Clocks of a unit of age.
    pub age: u32,
    /// CNPs are sent.
    pub notify: Option<NotifySettings>,
    /// When AckReq is set in flight, as [`PairSettings::ask_every`].
    pub ask_every: u32,
}

/// A rule by which pairs that are learned get profile and priority; the first that is for a pair
/// decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairRule {
    /// Network of the remote address and its prefix's bits, of the address's family; any address
    /// without.
    pub network: Option<(IpAddr, u32)>,
    /// DSCP of the request that makes a pair known; any without.
    pub dscp: Option<u32>,
    /// Profile of its pairs.
    pub profile: u32,
    /// Priority of its pairs.
    pub priority: u32,
}

/// Bits of a mapped IPv4 address before it.
const IPV4_BITS: u32 = 96;

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOutcome {
    /// Done; the pair's flow.
    Done(u32),
    /// There is no such pair.
    Unknown,
    /// All flows are taken.
    Full,
    /// A bucket is full, or the hash is another key's.
    Crowded,
    /// Answers to the local queue pair belong to another pair; the flow of this one, which is set
    /// and not joined.
    Ambiguous(u32),
}

/// A pair that the table knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPair {
    /// Address of the peer.
    pub address: IpAddr,
    /// The peer's queue pair.
    pub remote: u32,
    /// The local queue pair, if the pair is joined.
    pub local: Option<u32>,
    /// A command set the pair, which does not age.
    pub set: bool,
}

/// The table's form of an address.
fn mapped(address: IpAddr) -> u128 {
    let address = match address {
        IpAddr::V4(a) => a.to_ipv6_mapped(),
        IpAddr::V6(a) => a,
    };
    u128::from_le_bytes(address.octets())
}

/// An address as the table has it.
fn address_of(words: &[u32]) -> IpAddr {
    let value = words.iter().rev().fold(0, |v, w| v << 32 | u128::from(*w));
    Ipv6Addr::from(value.to_le_bytes()).to_canonical()
}

/// The register's value for a rule, or for none at this index.
fn rule_word(index: u32, rule: Option<&PairRule>) -> Result<u32, OutOfRange> {
    let mut word = [0];
    roce::RULE_INDEX.set(&mut word, index)?;
    if let Some(rule) = rule {
        let most = |address: IpAddr| if address.is_ipv4() { 32 } else { 128 };
        let bits = match rule.network {
            Some((address, bits)) if bits > most(address) => {
                return Err(OutOfRange { name: roce::RULE_BITS.name, value: bits, least: 0, most: most(address) });
            }
            Some((address, bits)) => 128 - most(address) + bits,
            None => 0,
        };
        roce::RULE_USED.set(&mut word, 1)?;
        roce::RULE_BITS.set(&mut word, bits)?;
        roce::RULE_BY_DSCP.set(&mut word, rule.dscp.is_some().into())?;
        roce::RULE_DSCP.set(&mut word, rule.dscp.unwrap_or(0))?;
        roce::RULE_PROFILE.set(&mut word, rule.profile)?;
        roce::RULE_PRIORITY.set(&mut word, rule.priority)?;
    }
    Ok(word[0])
}

/// A number, if its word says that there is one.
fn number(word: u32, given: &Field) -> Option<u32> {
    (given.get(&[word]) == 1).then_some(roce::LOCAL_PAIR.get(&[word]))
}

impl<B: Bus> Device<B> {
    /// State of the table.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn pairs(&self) -> Result<PairState, Error<B::Error>> {
        let on = self.get(&TABLE.notify_enable)? != 0;
        let control = self.get(&TABLE.pair_control)? as u32;
        let notify = NotifySettings { interval_ns: self.get(&TABLE.notify_interval)? as u32, tos: self.get(&TABLE.notify_tos)? as u32 };
        Ok(PairState {
            notify: Some(notify).filter(|_| on),
            present: self.read_field(&roce::STATUS, &roce::PRESENT)? != 0,
            enabled: roce::ENABLE.get(&[control]) != 0,
            ask_every: roce::ASK_EVERY.get(&[control]),
            profile: self.get(&TABLE.pair_profile)? as u32,
            priority: self.get(&TABLE.pair_priority)? as u32,
            timeout_us: self.get(&TABLE.pair_timeout)? as u32,
            mtu: self.get(&TABLE.pair_mtu)? as u32,
            age: self.get(&TABLE.pair_age)? as u32,
        })
    }

    /// Takes the table into use; pairs that it knew are forgotten.
    ///
    /// # Errors
    /// When a value is out of its range, or the bus fails.
    pub fn start_pairs(&self, s: &PairSettings) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.pair_control, 0)?;
        for (word, i) in s.secret.iter().zip(0..) {
            let (register, at) = if i < 4 { (&roce::SECRET, i) } else { (&roce::SECRET_HIGH, i - 4) };
            self.write_at(register, at, *word)?;
        }
        self.set(&TABLE.pair_profile, s.profile.into())?;
        self.set(&TABLE.pair_priority, s.priority.into())?;
        self.set(&TABLE.pair_timeout, s.timeout_us.into())?;
        self.set(&TABLE.pair_mtu, s.mtu.into())?;
        self.set(&TABLE.pair_age, s.age.into())?;
        if let Some(n) = s.notify {
            self.set(&TABLE.notify_interval, n.interval_ns.into())?;
            self.set(&TABLE.notify_tos, n.tos.into())?;
        }
        self.set(&TABLE.notify_enable, s.notify.is_some().into())?;
        let mut control = [0];
        roce::ENABLE.set(&mut control, 1)?;
        roce::ASK_EVERY.set(&mut control, s.ask_every)?;
        self.set(&TABLE.pair_control, control[0].into())
    }

    /// Changes settings of the table in use, which keeps its pairs.
    ///
    /// # Errors
    /// When a value is out of its range, or the bus fails.
    pub fn change_pairs(&self, c: &PairChange) -> Result<(), Error<B::Error>> {
        if let Some(every) = c.ask_every {
            let mut control = [self.get(&TABLE.pair_control)? as u32];
            roce::ASK_EVERY.set(&mut control, every)?;
            self.set(&TABLE.pair_control, control[0].into())?;
        }
        let given = [(&TABLE.notify_interval, c.interval_ns), (&TABLE.notify_tos, c.tos), (&TABLE.notify_enable, c.notify.map(u32::from))];
        given
            .into_iter()
            .filter_map(|(setting, value)| Some((setting, value?)))
            .try_for_each(|(setting, value)| self.set(setting, value.into()))
    }

    /// Takes the table out of use: all pairs are forgotten, and every packet goes past unpaced.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn stop_pairs(&self) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.notify_enable, 0)?;
        self.set(&TABLE.pair_control, 0)
    }

    /// Takes the table, if there is one, out of use, without rules and time-out.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn clear_pairs(&self) -> Result<(), Error<B::Error>> {
        if self.read_field(&roce::STATUS, &roce::PRESENT)? == 0 {
            return Ok(());
        }
        self.stop_pairs()?;
        self.set(&TABLE.pair_timeout, 0)?;
        self.set_rules(&[])
    }

    /// Sets the pair of a remote address and queue pair, which then does not age; with `local` its
    /// answers are known by that number. A pair that was known keeps its profile.
    ///
    /// # Errors
    /// When a number is out of its range, no command is taken, the command does not end, or the bus
    /// fails.
    pub fn set_pair(&self, address: IpAddr, remote: u32, local: Option<u32>, profile: u32) -> Result<PairOutcome, Error<B::Error>> {
        let given = local.map_or(0, |l| l | 1 << roce::LOCAL_GIVEN.low);
        self.set(&TABLE.pair_local, given.into())?;
        self.set(&TABLE.pair_set_profile, profile.into())?;
        self.command_pair(address, remote, roce::SET)
    }

    /// Joins a pair that the table knows with a local queue pair; it ages as before.
    ///
    /// # Errors
    /// As [`Device::set_pair`].
    pub fn join_pair(&self, address: IpAddr, remote: u32, local: u32) -> Result<PairOutcome, Error<B::Error>> {
        self.set(&TABLE.pair_local, (local | 1 << roce::LOCAL_GIVEN.low).into())?;
        self.command_pair(address, remote, roce::JOIN)
    }

    /// The pair of a flow.
    ///
    /// # Errors
    /// As [`Device::set_pair`].
    pub fn read_pair(&self, flow: u32) -> Result<Option<KnownPair>, Error<B::Error>> {
        self.set(&TABLE.pair_flow, flow.into())?;
        if !matches!(self.pair_command(roce::READ)?, PairOutcome::Done(_)) {
            return Ok(None);
        }
        let words = self.told()?;
        let far = words[roce::TOLD_REMOTE as usize];
        let set = roce::TOLD_PINNED.get(&[far]) == 1;
        let local = number(words[roce::TOLD_LOCAL as usize], &roce::TOLD_GIVEN);
        Ok(number(far, &roce::TOLD_KNOWN).map(|remote| KnownPair { address: address_of(&words[..4]), remote, local, set }))
    }

    /// Takes the first answer since the last take whose pair is not joined: the peer's address, and
    /// the local queue pair.
    ///
    /// # Errors
    /// As [`Device::set_pair`].
    pub fn take_answer(&self) -> Result<Option<(IpAddr, u32)>, Error<B::Error>> {
        if !matches!(self.pair_command(roce::TAKE)?, PairOutcome::Done(_)) {
            return Ok(None);
        }
        let words = self.told()?;
        Ok(number(words[roce::TOLD_LOCAL as usize], &roce::TOLD_GIVEN).map(|local| (address_of(&words[..4]), local)))
    }

    /// Sets the rules of pairs that are learned from then on, in their order; those of before are
    /// gone. Rules are written one by one: a pair that is learned meanwhile may be given by a
    /// mixture of both lists.
    ///
    /// # Errors
    /// When there are more than [`roce::RULES`] or a value is out of its range, and nothing is
    /// written then; when the bus fails.
    pub fn set_rules(&self, rules: &[PairRule]) -> Result<(), Error<B::Error>> {
        let words: Vec<u32> =
            (0..roce::RULES.max(rules.len() as u32)).map(|i| rule_word(i, rules.get(i as usize))).collect::<Result<_, _>>()?;
        for (word, i) in words.into_iter().zip(0..) {
            if let Some(rule) = rules.get(i) {
                self.set(&TABLE.pair_address, rule.network.map_or(0, |n| mapped(n.0)))?;
            }
            self.write(&roce::RULE, word)?;
        }
        Ok(())
    }

    /// The rules, in their order.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn rules(&self) -> Result<Vec<PairRule>, Error<B::Error>> {
        let mut rules = Vec::new();
        for index in 0..roce::RULES {
            let read = |word: u32| {
                self.set(&TABLE.pair_word, u128::from(word | 1 << roce::OF_RULE.low | index << roce::SHOWN_RULE.low))?;
                self.read(&roce::TOLD)
            };
            let rule = [read(roce::TOLD_RULE)?];
            if roce::RULE_USED.get(&rule) == 0 {
                continue;
            }
            let address = address_of(&[read(0)?, read(1)?, read(2)?, read(3)?]);
            let network = match (address, roce::RULE_BITS.get(&rule)) {
                (_, 0) => None,
                (IpAddr::V4(_), bits @ IPV4_BITS..) => Some((address, bits - IPV4_BITS)),
                (IpAddr::V4(a), bits) => Some((a.to_ipv6_mapped().into(), bits)),
                (IpAddr::V6(_), bits) => Some((address, bits)),
            };
            let dscp = (roce::RULE_BY_DSCP.get(&rule) == 1).then(|| roce::RULE_DSCP.get(&rule));
            rules.push(PairRule { network, dscp, profile: roce::RULE_PROFILE.get(&rule), priority: roce::RULE_PRIORITY.get(&rule) });
        }
        Ok(rules)
    }

    /// Findings of the last command.
    fn told(&self) -> Result<[u32; roce::TOLD_WORDS as usize], Error<B::Error>> {
        let mut words = [0; roce::TOLD_WORDS as usize];
        for (word, i) in words.iter_mut().zip(0..) {
            self.set(&TABLE.pair_word, i)?;
            *word = self.read(&roce::TOLD)?;
        }
        Ok(words)
    }

    /// Removes a pair, with what it has in the packet store.
    ///
    /// # Errors
    /// As [`Device::set_pair`].
    pub fn remove_pair(&self, address: IpAddr, remote: u32) -> Result<PairOutcome, Error<B::Error>> {
        self.command_pair(address, remote, roce::REMOVE)
    }

    fn command_pair(&self, address: IpAddr, remote: u32, command: u32) -> Result<PairOutcome, Error<B::Error>> {
        self.set(&TABLE.pair_address, mapped(address))?;
        self.set(&TABLE.pair_remote, remote.into())?;
        self.pair_command(command)
    }

    /// Starts a command and waits for its outcome.
    fn pair_command(&self, command: u32) -> Result<PairOutcome, Error<B::Error>> {
        self.write(&roce::COMMAND, command)?;
        for _ in 0..POLLS {
            let status = [self.read(&roce::STATUS)?];
            if roce::BUSY.get(&status) == 0 {
                let flow = roce::FLOW.get(&status);
                return Ok(match roce::OUTCOME.get(&status) {
                    0 => PairOutcome::Done(flow),
                    1 => PairOutcome::Unknown,
                    2 => PairOutcome::Full,
                    3 => PairOutcome::Crowded,
                    _ => PairOutcome::Ambiguous(flow),
                });
            }
        }
        Err(Error::Timeout("the command on a queue pair"))
    }
}
