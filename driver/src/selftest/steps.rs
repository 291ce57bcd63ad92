//! The steps of the self-test.
use super::{Options, wait};
use crate::Error;
use crate::nic::{EventSettings, Nic};
use rustix::io::{Errno, read};
use std::time::Duration;
use timely_regs::counters::Counter;
use timely_regs::device::{self, Bus, Memory};
use timely_regs::event::EventRecord;
use timely_regs::flow::FlowRecord;
use timely_regs::map::dma::Code;
use timely_regs::map::{counters, dma, id};
use timely_regs::parameters::{NAMES, Parameters};
use timely_regs::pci;
use timely_regs::profile;
use timely_regs::telemetry::TelemetryRecord;

/// Capability of the transport that a step needs, beside registers.
pub enum Need {
    Registers,
    Memory,
    Interrupts,
    Reset,
}

impl Need {
    /// The capability that the transport lacks; `None` when it has all.
    pub fn missing(&self, nic: &Nic) -> Option<&'static str> {
        let reach = nic.transport().reach();
        match self {
            Need::Memory if !reach.memory => Some("no DMA this way"),
            Need::Interrupts if !reach.memory || !reach.interrupts => Some("no interrupts this way"),
            Need::Reset if !reach.reset => Some("no reset of the registers this way"),
            _ => None,
        }
    }
}

/// A step: its name, what does it, what it needs.
type Step = (&'static str, fn(&mut Nic, &Options) -> Result<String, Error>, Need);

/// All steps, in their order.
pub const ALL: [Step; 10] = [
    ("identity", identity, Need::Registers),
    ("profiles", profiles, Need::Registers),
    ("refusals", refusals, Need::Registers),
    ("flows", flows, Need::Registers),
    ("flows in bulk", bulk, Need::Memory),
    ("events", events, Need::Interrupts),
    ("events lost", overflow, Need::Memory),
    ("stray DMA", stray, Need::Memory),
    ("heartbeat", heartbeat, Need::Memory),
    ("packets", packets, Need::Reset),
];

/// The profile that flows of these steps have: law `fixed`, up to 10 Gb/s.
const FIXED: u32 = 14;
/// The kind of an event that answers the host.
const KIND_HOST: u8 = 3;

/// Fails the step unless something holds.
macro_rules! hold {
    ($step:literal, $holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err(Error::SelfTest { step: $step, what: format!($($what)+) });
        }
    };
}

/// A flow of that profile.
pub fn flow(number: u32) -> FlowRecord {
    FlowRecord { enable: true, profile: FIXED as u8, source_port: number as u16, ..FlowRecord::default() }
}

/// Writes that profile.
pub fn prepare(nic: &mut Nic) -> Result<(), Error> {
    nic.set_profile(FIXED, &Parameters::fixed(10_000.0))
}

fn identity(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    let mut ids = [0; 4];
    if nic.transport().reach().config {
        nic.transport().read_config(pci::ID, &mut ids)?;
    }
    let info = nic.info()?;
    hold!("identity", info.ready && info.stopped && !info.enabled, "after a reset it is not ready, or not stopped: {info:?}");
    let (first, later) = (info.time_ns, nic.info()?.time_ns);
    hold!("identity", first < later, "its time goes from {first} to {later} ns");
    let [vendor, id] = [[ids[0], ids[1]], [ids[2], ids[3]]].map(u16::from_le_bytes);
    let [major, minor, patch] = info.version;
    Ok(format!(
        "{vendor:04x}:{id:04x}, core {major}.{minor}.{patch}, {} flows, {} bits, {} ps a clock",
        info.flows, info.bus_bits, info.clock_ps
    ))
}

fn profiles(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    for (number, name) in NAMES.iter().enumerate() {
        let Some(parameters) = Parameters::named(name, 20.0) else { continue };
        let number = (number % profile::PROFILES) as u32;
        nic.set_profile(number, &parameters)?;
        let (wrote, read) = (parameters.quantise()?, nic.profile(number)?);
        hold!("profiles", wrote == read, "{name} was written as {wrote:x?} and reads {read:x?}");
    }
    let beyond = nic.set_profile(profile::PROFILES as u32, &Parameters::fixed(1.0));
    hold!("profiles", matches!(beyond, Err(Error::OutOfRange(_))), "profile {} was taken", profile::PROFILES);
    Ok(format!("{} written and read back", NAMES.len()))
}

fn refusals(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    let accesses: [(&str, u32, u32); 3] = [
        ("a bit that no field covers", nic.device().address(&id::CONTROL, 0), 2),
        ("a read-only register", nic.device().address(&id::MAGIC_WORD, 0), 1),
        ("DMA without a start", nic.device().address(&dma::SNAPSHOT[4], 0), dma::START),
    ];
    for (what, address, value) in accesses {
        let done = nic.checked("a write that is wrong", |d| d.bus().write32(address, value).map_err(device::Error::Bus));
        let named = matches!(done, Err(Error::Refused { address: at, write: true, .. }) if at == address);
        hold!("refusals", named, "{what}: the write gave {done:?}");
    }
    hold!("refusals", nic.of_control()? == 0, "a refused write changed something");
    Ok(format!("{} writes refused and named", accesses.len()))
}

impl Nic {
    fn of_control(&self) -> Result<u32, Error> {
        self.checked("a read", |d| d.read(&id::CONTROL))
    }
}

/// The rate of a flow, once the engine has set it.
fn rate(nic: &Nic, step: &'static str, flow: u32) -> Result<u32, Error> {
    wait(step, "a loaded flow has no rate", || Ok(Some(nic.telemetry(flow)?.rate).filter(|r| *r != 0)))
}

fn flows(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    prepare(nic)?;
    let last = nic.device().flows() - 1;
    let initial = profile::INITIAL_RATE.get(&nic.profile(FIXED)?);
    for (asked, number) in [(None, 0), (Some(last), last), (None, 1)] {
        let added = nic.add_flow(asked, &flow(number))?;
        hold!("flows", added == number, "flow {added} was added, not {number}");
        let rate = rate(nic, "flows", number)?;
        hold!("flows", rate == initial, "flow {number} starts at rate {rate}, not {initial}");
    }
    let again = nic.add_flow(Some(last), &flow(last));
    hold!("flows", matches!(again, Err(Error::FlowInUse(f)) if f == last), "flow {last} was added twice: {again:?}");
    let beyond = nic.add_flow(Some(last + 1), &flow(0));
    hold!("flows", matches!(beyond, Err(Error::NoFlow { .. })), "flow {} was added: {beyond:?}", last + 1);
    nic.set_flow(0, &FlowRecord { ttl: 7, ..flow(0) })?;
    hold!("flows", rate(nic, "flows", 0)? == initial, "a change of flow 0 took its rate");
    for number in [0, 1, last] {
        nic.remove_flow(number)?;
        let left = nic.telemetry(number)?;
        hold!("flows", left.timeless() == TelemetryRecord::default(), "flow {number} was removed and still has {left:?}");
    }
    hold!("flows", nic.remove_flow(0).is_err() && nic.flows()?.used().count() == 0, "a removed flow is still in use");
    Ok(format!("added, changed, removed; start at {} Mb/s", initial >> profile::RATE_FRACTION))
}

fn bulk(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    prepare(nic)?;
    let all = nic.device().flows();
    let records: Vec<_> = (0..all).map(flow).collect();
    let start = std::time::Instant::now();
    nic.load_flows(0, &records)?;
    let loaded = start.elapsed();
    let initial = profile::INITIAL_RATE.get(&nic.profile(FIXED)?);
    let whole = |r: &TelemetryRecord| r.rate == initial && r.updates == 1 && r.branches.iter().sum::<u32>() == r.updates;
    let (taken, time) = wait("flows in bulk", "not every flow has the rate it was loaded with", || {
        let start = std::time::Instant::now();
        let taken = nic.snapshot(0, all)?;
        Ok(taken.iter().all(whole).then_some((taken, start.elapsed())))
    })?;
    for number in [0, all / 2, all - 1] {
        let asked = nic.telemetry(number)?;
        hold!(
            "flows in bulk",
            asked.timeless() == taken[number as usize].timeless(),
            "flow {number}: {asked:?} asked for, {:?} in the snapshot",
            taken[number as usize]
        );
    }
    let beyond = nic.snapshot(all - 1, 2);
    hold!("flows in bulk", matches!(beyond, Err(Error::NoFlow { .. })), "a snapshot beyond the last flow was taken");
    nic.load_flows(0, &vec![FlowRecord::default(); all as usize])?;
    Ok(format!("{all} flows loaded in {loaded:.1?}, their snapshot taken in {time:.1?}"))
}

/// Writes rates of flows 0 to 31 by turns; each is an event. Gives what was written.
fn rates(nic: &Nic, numbers: std::ops::Range<u32>) -> Result<Vec<(u32, u32)>, Error> {
    let rate = |i: u32| (i % 32, (1000 + i) << profile::RATE_FRACTION);
    numbers.map(|i| nic.set_rate(rate(i).0, rate(i).1).map(|()| rate(i))).collect()
}

/// Loads those flows and waits until the engine is done with them.
fn settled(nic: &mut Nic, step: &'static str) -> Result<(), Error> {
    prepare(nic)?;
    nic.load_flows(0, &(0..32).map(flow).collect::<Vec<_>>())?;
    (0..32).try_for_each(|f| rate(nic, step, f).map(|_| ()))
}

/// Count of an eventfd since its last read.
fn signalled(nic: &Nic, line: u32) -> Result<u64, Error> {
    let mut count = [0; 8];
    match read(&nic.vectors()[line as usize], &mut count) {
        Ok(_) => Ok(u64::from_ne_bytes(count)),
        Err(Errno::AGAIN) => Ok(0),
        Err(e) => Err(Error::SelfTest { step: "events", what: format!("the eventfd of line {line} cannot be read: {e}") }),
    }
}

fn events(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    settled(nic, "events")?;
    nic.start_events(&EventSettings { bits: 7, latency: Duration::from_micros(10), ..EventSettings::default() })?;
    let mut got: Vec<EventRecord> = Vec::new();
    let (mut wrote, mut interrupts) = (Vec::new(), 0);
    // Many times round the ring, each time less than it holds.
    for turn in 0..8 {
        wrote.extend(rates(nic, turn * 100..turn * 100 + 100)?);
        wait("events", "no interrupt came for records in the ring", || {
            let count = signalled(nic, dma::RING_WATERMARK_LINE)?;
            // A register access too, so that time passes where only accesses let it.
            nic.checked("a read", |d| d.now())?;
            Ok((count > 0).then(|| interrupts += count))
        })?;
        nic.take_interrupts()?;
        wait("events", "records did not come", || {
            nic.drain_events(|r| got.push(*r))?;
            Ok((got.len() >= wrote.len()).then_some(()))
        })?;
    }
    let total = nic.events_total().unwrap_or_default();
    nic.stop_events()?;
    hold!("events", (total.lost, total.broken) == (0, 0), "{total:?}");
    let said: Vec<_> = got.iter().map(|r| (r.flow, r.rate)).collect();
    hold!("events", said == wrote, "the rates of the records are not those that were written, in their order");
    hold!("events", got.iter().all(|r| r.kind == KIND_HOST), "an event that nobody asked for");
    hold!("events", got.is_sorted_by_key(|r| r.time), "records are out of order in time");
    Ok(format!("{} records in order, {interrupts} interrupts", got.len()))
}

/// A ring of two records that is not read: lost records are counted, and the records that come are
/// whole.
fn overflow(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    const WRITES: u32 = 1000;
    settled(nic, "events lost")?;
    nic.start_events(&EventSettings { bits: 1, ..EventSettings::default() })?;
    rates(nic, 0..WRITES)?;
    let dropped = nic.device().address(&counters::COUNTER, Counter::RecordsDropped as u32);
    let dropped = |nic: &Nic| nic.checked("a read", |d| d.bus().read32(dropped).map_err(device::Error::Bus));
    let lost = wait("events lost", "no record was dropped", || Ok(Some(dropped(nic)?).filter(|d| *d > 0)))?;
    // Room first, then one more record: it ends the gap.
    let mut empty = 0;
    wait("events lost", "records came without end", || {
        empty = if nic.drain_events(|_| {})?.records == 0 { empty + 1 } else { 0 };
        Ok((empty == 100).then_some(()))
    })?;
    let rate = rates(nic, WRITES..WRITES + 1)?[0].1;
    wait("events lost", "the record after the gap did not come", || {
        let mut ended = false;
        nic.drain_events(|r| ended |= r.rate == rate)?;
        Ok(ended.then_some(()))
    })?;
    let total = nic.events_total().unwrap_or_default();
    nic.stop_events()?;
    let all = total.records + total.lost == u64::from(WRITES) + 1;
    hold!("events lost", all && total.lost >= u64::from(lost) && total.broken == 0, "{lost} were dropped, the driver counted {total:?}");
    Ok(format!("{} of {WRITES} came, {} counted as lost", total.records, total.lost))
}

/// An address, and no memory behind it.
struct Nowhere(u64);

impl Memory for Nowhere {
    fn address(&self) -> u64 {
        self.0
    }

    fn bytes(&self) -> usize {
        usize::MAX
    }

    fn read(&self, _: usize, to: &mut [u8]) {
        to.fill(0);
    }

    fn write(&self, _: usize, _: &[u8]) {}
}

fn stray(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    // Memory that was the device's a moment ago.
    let memory = nic.transport().dma_map(4096)?;
    let address = memory.address();
    nic.snapshot(0, 1)?;
    nic.checked("a snapshot", |d| d.snapshot(&memory, 0, 1))?;
    nic.transport().dma_unmap(memory)?;
    let ended = nic.device().snapshot(&Nowhere(address), 0, 1);
    let memory_error = Code::Memory as u32;
    hold!("stray DMA", matches!(ended, Err(device::Error::Dma { code, .. }) if code == memory_error), "DMA to {address:#x} gave {ended:?}");
    nic.snapshot(0, 1)?;
    Ok(format!("refused at {address:#x}, and DMA goes on after a new start"))
}

fn heartbeat(nic: &mut Nic, _: &Options) -> Result<String, Error> {
    nic.enable(true)?;
    nic.snapshot(0, 1)?;
    nic.set_heartbeat(Some(Duration::from_secs(10)))?;
    nic.kick()?;
    nic.set_heartbeat(Some(Duration::from_micros(50)))?;
    let stopped = |nic: &Nic| nic.checked("a read", |d| d.read_field(&id::STATUS, &id::STOP));
    wait("heartbeat", "without kicks the device did not stop", || Ok((stopped(nic)? != 0).then_some(())))?;
    let kick = nic.kick();
    hold!("heartbeat", matches!(kick, Err(Error::HeartbeatLost)), "a kick after the loss gave {kick:?}");
    let start = nic.snapshot(0, 1);
    hold!("heartbeat", matches!(start, Err(Error::Refused { .. })), "DMA could be started after the loss: {start:?}");
    nic.set_heartbeat(None)?;
    nic.recover()?;
    hold!("heartbeat", stopped(nic)? == 0, "after its loss the heartbeat cannot be armed again");
    nic.snapshot(0, 1)?;
    let never = nic.set_heartbeat(Some(Duration::from_secs(3600)));
    hold!("heartbeat", matches!(never, Err(Error::Heartbeat { .. })), "a period of an hour was taken: {never:?}");
    nic.enable(false)?;
    Ok("its loss stops flows and DMA, arming starts them again".into())
}

/// Flows send, to a peer if there is one; a reset ends all of it.
fn packets(nic: &mut Nic, options: &Options) -> Result<String, Error> {
    nic.reset()?;
    hold!("packets", nic.profile(FIXED)? == [0; profile::WORDS], "a profile outlived the reset");
    let mut record = FlowRecord { profile: 0, endless: true, segment_packets: 2, ..flow(0) };
    let mut parameters = Parameters::timely_10g(20.0);
    if let Some(peer) = options.peer {
        let (mac, ipv4) = peer.own;
        nic.checked("the port's addresses", |d| {
            d.set_mac(mac)?;
            d.set_ipv4(ipv4)?;
            d.write(&timely_regs::map::port::UDP_PORT, peer.udp_port.into())?;
            d.allow(&[(std::net::Ipv4Addr::UNSPECIFIED.into(), 0)])?;
            d.write(&timely_regs::map::port::ACK_ENABLE, 1)
        })?;
        record = FlowRecord { mac: peer.mac, address: peer.address, source_port: peer.udp_port, destination_port: peer.udp_port, ..record };
        parameters.initial_mbps = 1000.0;
    }
    nic.set_profile(0, &parameters)?;
    let number = nic.add_flow(None, &record)?;
    nic.enable(true)?;
    nic.post(number, 8)?;
    // With a peer that answers, the law has moved the rate.
    let initial = profile::INITIAL_RATE.get(&nic.profile(0)?);
    let enough = |t: &TelemetryRecord| t.packets >= 20 && (options.peer.is_none() || t.samples >= 5 && t.rate != initial);
    let told = wait("packets", "no packets left, or no answers came", || {
        let t = nic.telemetry(number)?;
        hold!("packets", t.updates == t.branches.iter().fold(0u32, |a, b| a.wrapping_add(*b)), "a torn record: {t:?}");
        hold!("packets", t.packets >= t.segments && t.segments >= t.acks, "a torn record: {t:?}");
        Ok(Some(t).filter(enough))
    })?;
    nic.enable(false)?;
    let frames = |nic: &Nic| nic.checked("a read", |d| d.read_at(&counters::COUNTER, Counter::Grants as u32));
    // Granted frames may still leave; no more are granted.
    wait("packets", "packets leave after all flows were stopped", || {
        let (first, later) = (frames(nic)?, frames(nic)?);
        Ok((first == later).then_some(()))
    })?;
    nic.reset()?;
    let left = nic.telemetry(number)?;
    hold!("packets", left.timeless() == TelemetryRecord::default(), "the reset left {left:?}");
    let rates = format!("rate {} to {} Mb/s", initial >> profile::RATE_FRACTION, told.rate >> profile::RATE_FRACTION);
    let rtt = told.rtt.map_or("no RTT".into(), |r| format!("RTT {} ns at least, {rates}", r.min_ns));
    hold!("packets", options.peer.is_none() || told.rtt.is_some_and(|r| r.min_ns > 0), "samples, and no RTT: {told:?}");
    if options.peer.is_none() && told.acks == 0 {
        let sent = format!("{} packets, {} segments", told.packets, told.segments);
        return Ok(format!("{sent} left; nothing was answered, for the test has no peer: RTTs and rates were not tried"));
    }
    Ok(format!("{} packets, {} segments, {} ACKs, {rtt}", told.packets, told.segments, told.acks))
}
