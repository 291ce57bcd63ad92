//! Operations of software on a device.
use super::{Bus, Device, Error};
use crate::counters::PLACES;
use crate::field::OutOfRange;
use crate::flow::FlowRecord;
use crate::histogram::{BINS, Histogram};
use crate::map::settings::TABLE;
use crate::map::{flow, heartbeat, id, port, profiles, telemetry as events, time, window};
use crate::{profile, telemetry};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Reads of a status register before a wait is given up; hardware ends every command in 4096
/// clocks.
const POLLS: u32 = 10_000;

/// Reads for each flow in which the RAMs must be cleared, which takes them a clock a flow.
const CLEARING: u32 = 4;

/// Filter of the rate updates that may be recorded: all by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Only {
    /// Updates of this flow alone.
    pub flow: Option<u32>,
    /// Updates of the flows of this profile alone.
    pub profile: Option<u32>,
}

/// The words of an answer to a query.
pub type Answer = [u32; telemetry::WORDS];

impl<B: Bus> Device<B> {
    fn poll(&self, what: &'static str, polls: u32, mut done: impl FnMut() -> Result<bool, Error<B::Error>>) -> Result<(), Error<B::Error>> {
        for _ in 0..polls {
            if done()? {
                return Ok(());
            }
        }
        Err(Error::Timeout(what))
    }

    /// Waits until every RAM has been cleared after reset: on a simulated bus a read may take few
    /// of the clocks that this takes.
    ///
    /// # Errors
    /// When that does not happen, or the bus fails.
    pub fn wait_ready(&self) -> Result<(), Error<B::Error>> {
        let polls = POLLS.saturating_add(self.flows().saturating_mul(CLEARING));
        self.poll("the clearing of the RAMs", polls, || Ok(self.read_field(&id::STATUS, &id::READY)? != 0))
    }

    /// Lets flows send, or stops them all.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn enable(&self, on: bool) -> Result<(), Error<B::Error>> {
        self.write(&id::CONTROL, on.into())
    }

    /// Begins a soft reset, which [`Device::wait_ready`] waits for: no flow is in use behind it,
    /// and all else goes on.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn soft_reset(&self) -> Result<(), Error<B::Error>> {
        self.write(&id::RESET, 1)
    }

    /// Gives the nonces of segments a key, of which 96 bits count; flows may send then. No flow may
    /// send meanwhile.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn key_nonces(&self, key: u128) -> Result<(), Error<B::Error>> {
        self.write(&port::NONCE_KEYED, 0)?;
        for i in 0..id::NONCE_KEY.count {
            self.write_at(&id::NONCE_KEY, i, (key >> (32 * i)) as u32)?;
        }
        self.write(&port::NONCE_KEYED, 1)
    }

    /// The NIC's date, ns48.fns16.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn now(&self) -> Result<u64, Error<B::Error>> {
        let low = self.read(&time::NOW_LOW)?;
        Ok(u64::from(low) | u64::from(self.read(&time::NOW_HIGH)?) << 32)
    }

    /// The date is that of a PTP clock.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn dated_by_ptp(&self) -> Result<bool, Error<B::Error>> {
        Ok(self.read(&time::SOURCE)? & 1 != 0)
    }

    /// Sets the date to `to`, ns48.fns16, on or back; the device ignores that while PTP is its
    /// source.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn step_time(&self, to: u64) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.time_set, to.into())
    }

    /// Sets the port's MAC.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn set_mac(&self, m: [u8; 6]) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.mac, u64::from_le_bytes([m[0], m[1], m[2], m[3], m[4], m[5], 0, 0]).into())
    }

    /// Sets the port's IPv4 address.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn set_ipv4(&self, address: Ipv4Addr) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.ipv4, u32::from_le_bytes(address.octets()).into())
    }

    /// Sets the port's IPv6 address.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn set_ipv6(&self, address: Ipv6Addr) -> Result<(), Error<B::Error>> {
        self.set(&TABLE.ipv6, u128::from_le_bytes(address.octets()))
    }

    /// Answers the hosts of these networks, each an address and the bits of it that count, and no
    /// others.
    ///
    /// # Errors
    /// When there are more than [`port::PREFIXES`], or one has more bits than its addresses, and
    /// nothing is written; or when the bus fails.
    pub fn allow(&self, networks: &[(IpAddr, u32)]) -> Result<(), Error<B::Error>> {
        let refused = |name, value, most| Err(OutOfRange { name, value, least: 0, most }.into());
        if networks.len() > port::PREFIXES {
            return refused("networks", networks.len() as u32, port::PREFIXES as u32);
        }
        for (address, bits) in networks {
            let most = if address.is_ipv4() { 32 } else { 128 };
            if *bits > most {
                return refused("length", *bits, most);
            }
        }
        for i in 0..port::PREFIXES as u32 {
            // An entry is empty, and so matches no host, while its address changes.
            self.write_at(&port::ALLOW_PREFIX, i, 0)?;
            let Some((address, bits)) = networks.get(i as usize) else { continue };
            let (bytes, family) = match address {
                IpAddr::V4(a) => (u32::from_le_bytes(a.octets()).into(), port::ALLOW_IPV4),
                IpAddr::V6(a) => (u128::from_le_bytes(a.octets()), port::ALLOW_IPV6),
            };
            for w in 0..port::ALLOW_WORDS {
                self.write_at(&port::ALLOW, port::ALLOW_WORDS * i + w, (bytes >> (32 * w)) as u32)?;
            }
            self.write_at(&port::ALLOW_PREFIX, i, family.mask() | bits)?;
        }
        Ok(())
    }

    /// Asks for a kick at least every `clocks` clocks from now on; 0 asks for none.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn set_heartbeat(&self, clocks: u32) -> Result<(), Error<B::Error>> {
        self.write(&heartbeat::PERIOD, clocks)
    }

    /// Kicks the heartbeat; `false` when the heartbeat was lost and [`Device::arm`] must come
    /// first.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn beat(&self) -> Result<bool, Error<B::Error>> {
        self.write(&heartbeat::BEAT, 1)?;
        Ok(self.read(&heartbeat::STATE)? == 0)
    }

    /// Arms the heartbeat after its loss; flows may send again.
    ///
    /// # Errors
    /// When the bus fails.
    pub fn arm(&self) -> Result<(), Error<B::Error>> {
        self.write(&heartbeat::STATE, 1)
    }

    /// The event counters, by [`crate::counters::Counter`].
    ///
    /// # Errors
    /// When the bus fails.
    pub fn counters(&self) -> Result<[u32; PLACES], Error<B::Error>> {
        let mut all = [0; PLACES];
        for (i, counter) in all.iter_mut().enumerate() {
            *counter = self.read_at(&crate::map::counters::COUNTER, i as u32)?;
        }
        Ok(all)
    }

    /// Writes a profile, in force word by word.
    ///
    /// # Errors
    /// When the bus fails, there is no such profile, or a field is out of its range; nothing is
    /// written then.
    pub fn write_profile(&self, number: u32, words: &[u32; profile::WORDS]) -> Result<(), Error<B::Error>> {
        let first = self.profile_word(number)?;
        for f in profile::FIELDS {
            f.checked(words)?;
        }
        for (i, &word) in words.iter().enumerate() {
            self.write_at(&profiles::WORD, first + i as u32, word)?;
        }
        Ok(())
    }

    /// Reads a profile back.
    ///
    /// # Errors
    /// When the bus fails, or there is no such profile.
    pub fn read_profile(&self, number: u32) -> Result<[u32; profile::WORDS], Error<B::Error>> {
        let first = self.profile_word(number)?;
        let mut words = [0; profile::WORDS];
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.read_at(&profiles::WORD, first + i as u32)?;
        }
        Ok(words)
    }

    fn profile_word(&self, number: u32) -> Result<u32, Error<B::Error>> {
        if number >= profile::PROFILES as u32 {
            return Err(OutOfRange { name: "profile", value: number, least: 0, most: profile::PROFILES as u32 - 1 }.into());
        }
        Ok(number * profile::WORDS as u32)
    }

    fn known(&self, flow: u32) -> Result<u32, Error<B::Error>> {
        if flow < self.flows() { Ok(flow) } else { Err(Error::NoFlow { flow, flows: self.flows() }) }
    }

    /// Loads a flow, whole.
    ///
    /// # Errors
    /// When the bus fails, there is no such flow, or a field of the record is out of its range.
    pub fn load_flow(&self, number: u32, record: &FlowRecord) -> Result<(), Error<B::Error>> {
        self.write(&flow::INDEX, self.known(number)?)?;
        for (i, word) in record.pack()?.into_iter().enumerate() {
            self.write_at(&flow::STAGE, i as u32, word)?;
        }
        self.write(&flow::COMMAND, flow::LOAD)?;
        self.poll("the load of a flow", POLLS, || Ok(self.read_field(&flow::STATUS, &flow::DONE)? != 0))
    }

    fn query(&self, number: u32) -> Result<(), Error<B::Error>> {
        self.write(&flow::INDEX, self.known(number)?)?;
        self.write(&flow::COMMAND, flow::QUERY)?;
        self.poll("the query of a flow", POLLS, || Ok(self.read_field(&flow::STATUS, &flow::BUSY)? == 0))?;
        if self.read_field(&flow::STATUS, &flow::FAILED)? != 0 { Err(Error::NoAnswer(number)) } else { Ok(()) }
    }

    /// Asks for the rate of a flow alone, 2^-12 Mb/s: 0 of one that was not loaded.
    ///
    /// # Errors
    /// As [`Device::query_flow`].
    pub fn query_rate(&self, number: u32) -> Result<u32, Error<B::Error>> {
        self.query(number)?;
        self.read_at(&flow::ANSWER, telemetry::RATE.word.into())
    }

    /// Asks for the telemetry record of a flow.
    ///
    /// # Errors
    /// When the bus fails, there is no such flow, or the device does not answer.
    pub fn query_flow(&self, number: u32) -> Result<Answer, Error<B::Error>> {
        self.query(number)?;
        let mut answer = [0; telemetry::WORDS];
        for (i, word) in answer.iter_mut().enumerate() {
            *word = self.read_at(&flow::ANSWER, i as u32)?;
        }
        Ok(answer)
    }

    /// Lets one of `every` rate updates leave as event record; 0 none.
    ///
    /// # Errors
    /// When the bus fails, there is no such flow or profile, or `every` is above 65,535; nothing is
    /// written then.
    pub fn record_events(&self, every: u32, only: Only) -> Result<(), Error<B::Error>> {
        let mut filter = [0];
        if let Some(number) = only.flow {
            events::FILTER_FLOW.set(&mut filter, self.known(number)?)?;
            events::FILTER_BY_FLOW.set(&mut filter, 1)?;
        }
        if let Some(number) = only.profile {
            events::FILTER_PROFILE.set(&mut filter, number)?;
            events::FILTER_BY_PROFILE.set(&mut filter, 1)?;
        }
        events::EVENT_EVERY.fields[0].set(&mut [0], every)?;
        self.write(&events::EVENT_FILTER, filter[0])?;
        self.write(&events::EVENT_EVERY, every)
    }

    /// Reads the histogram of a profile, while it goes on counting.
    ///
    /// # Errors
    /// When the bus fails, or there is no such profile.
    pub fn histogram(&self, number: u32) -> Result<Histogram, Error<B::Error>> {
        let mut index = [0];
        events::INDEX_PROFILE.set(&mut index, number)?;
        self.write(&events::HISTOGRAM_INDEX, index[0])?;
        let mut counts = [0; BINS];
        for count in &mut counts {
            *count = self.read(&events::HISTOGRAM_COUNT)?;
        }
        Ok(Histogram { counts })
    }

    /// Clears the histogram of a profile and waits until that is done.
    ///
    /// # Errors
    /// When the bus fails, there is no such profile, or it is never done.
    pub fn clear_histogram(&self, number: u32) -> Result<(), Error<B::Error>> {
        self.profile_word(number)?;
        self.write(&events::HISTOGRAM_CLEAR, 1 << number)?;
        self.poll("the clearing of a histogram", POLLS, || Ok(self.read(&events::HISTOGRAM_STATE)? & 1 << number == 0))
    }

    /// Posts packets of a flow, 1 to 65,535.
    ///
    /// # Errors
    /// When the bus fails, there is no such flow, or the number is out of its range.
    pub fn doorbell(&self, number: u32, packets: u32) -> Result<(), Error<B::Error>> {
        if !(1..=window::MOST_PACKETS).contains(&packets) {
            return Err(OutOfRange { name: "packets", value: packets, least: 1, most: window::MOST_PACKETS }.into());
        }
        self.bus.write32(window::doorbell(self.known(number)?), packets).map_err(Error::Bus)
    }

    /// Sets the rate of a flow of law `fixed`, 2^-12 Mb/s.
    ///
    /// # Errors
    /// When the bus fails, or there is no such flow.
    pub fn set_rate(&self, number: u32, rate: u32) -> Result<(), Error<B::Error>> {
        self.bus.write32(window::fixed_rate(self.known(number)?), rate).map_err(Error::Bus)
    }
}
