//! Identity, settings and state of a device.
use super::{Drained, Nic};
use crate::Error;
use crate::board::Placed;
use std::net::{Ipv4Addr, Ipv6Addr};
use timely_regs::counters::TABLE;
use timely_regs::generate;
use timely_regs::map::settings::TABLE as SETTINGS;
use timely_regs::map::{dma, heartbeat, id};

/// Identity, settings and state of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Device, as `--device` takes it.
    pub device: String,
    /// How it is reached.
    pub transport: &'static str,
    /// Where its registers are.
    pub placed: Placed,
    /// Version of the core: major, minor, patch.
    pub version: [u32; 3],
    /// Flows.
    pub flows: u32,
    /// Bits of its data path.
    pub bus_bits: u32,
    /// Ended segments, of all flows, that are remembered until their ACKs come.
    pub segments: u32,
    /// Clock period, ps.
    pub clock_ps: u32,
    /// The RAMs are cleared.
    pub ready: bool,
    /// Flows may send.
    pub enabled: bool,
    /// No packet leaves.
    pub stopped: bool,
    /// Time of the device, ns.
    pub time_ns: u64,
    /// MAC address.
    pub mac: [u8; 6],
    /// IPv4 address.
    pub ipv4: Ipv4Addr,
    /// IPv6 address.
    pub ipv6: Ipv6Addr,
    /// The UDP port that makes a packet ours.
    pub udp_port: u16,
    /// Clocks within which the heartbeat must be kicked; 0 none.
    pub heartbeat_clocks: u32,
    /// The heartbeat was lost.
    pub heartbeat_lost: bool,
    /// The heartbeat is armed, and nobody kicks it.
    pub heartbeat_unfed: bool,
    /// DMA runs; of a device that goes on, whether it ran when it was opened, for snapshots of its
    /// flows run it too.
    pub dma_running: bool,
    /// Event records since the NIC was opened or reset.
    pub recorded: Drained,
    /// The event counters, by name.
    pub counters: Vec<(String, u32)>,
}

impl Nic {
    /// The device's time, ns.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn time_ns(&self) -> Result<u64, Error> {
        Ok(self.of(self.device.now())? >> 16)
    }

    /// The event counters, by name.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn counters(&self) -> Result<Vec<(String, u32)>, Error> {
        let all = self.of(self.device.counters())?;
        Ok(TABLE.iter().map(|&(i, name, _)| (generate::snake(name), all[usize::from(i)])).collect())
    }

    /// Reads identity, settings and state of the device.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn info(&self) -> Result<Info, Error> {
        let d = &self.device;
        let read = |r| self.of(d.read(r));
        let (core, status) = (read(&id::CORE)?, [read(&id::STATUS)?]);
        let setting = |s| self.of(d.get(s));
        let mac = setting(&SETTINGS.mac)?.to_le_bytes();
        Ok(Info {
            device: self.name().into(),
            transport: self.transport().kind(),
            placed: self.transport().placed(),
            version: [core >> 16, core >> 8 & 0xff, core & 0xff],
            flows: d.flows(),
            bus_bits: d.build().bus_bits,
            segments: 1 << d.build().ring_bits.min(31),
            clock_ps: d.build().clock_ps,
            ready: id::READY.get(&status) != 0,
            enabled: setting(&SETTINGS.enable)? != 0,
            stopped: id::STOP.get(&status) != 0,
            time_ns: self.time_ns()?,
            mac: [mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]],
            ipv4: Ipv4Addr::from((setting(&SETTINGS.ipv4)? as u32).to_le_bytes()),
            ipv6: Ipv6Addr::from(setting(&SETTINGS.ipv6)?.to_le_bytes()),
            udp_port: setting(&SETTINGS.udp_port)? as u16,
            heartbeat_clocks: read(&heartbeat::PERIOD)?,
            heartbeat_lost: read(&heartbeat::STATE)? != 0,
            heartbeat_unfed: self.heartbeat_unfed()?,
            dma_running: match self.found_dma.filter(|_| self.ring.is_none()) {
                Some(found) => found,
                None => self.of(d.read_field(&dma::STATUS, &dma::RUNNING))? != 0,
            },
            recorded: self.recorded(),
            counters: self.counters()?,
        })
    }
}
