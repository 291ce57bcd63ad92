//! The heartbeat: its period, its kicks, and whether it was lost.
use super::{Nic, clocks_of};
use crate::Error;
use std::time::{Duration, Instant};
use timely_regs::map::heartbeat;

impl Nic {
    /// Sets the period of the heartbeat; `None` turns it off. A device that is not kicked in time
    /// stops all flows and DMA.
    ///
    /// # Errors
    /// When the period cannot be counted, the transport fails, or the device refuses.
    pub fn set_heartbeat(&self, period: Option<Duration>) -> Result<(), Error> {
        let clocks = clocks_of(period, self.device.build().clock_ps)?;
        self.checked("the heartbeat's period", |d| d.set_heartbeat(clocks))?;
        // Three times as often as needed.
        self.kicks.set(period.map(|p| (p / 3, Instant::now())));
        Ok(())
    }

    /// When the next kick of the heartbeat is due; `None` when the heartbeat is off.
    pub fn next_kick(&self) -> Option<Instant> {
        self.kicks.get().map(|b| b.1)
    }

    /// Kicks the heartbeat when it is due.
    ///
    /// # Errors
    /// As [`Nic::kick`].
    pub fn kick_if_due(&self) -> Result<(), Error> {
        if self.next_kick().is_some_and(|at| Instant::now() >= at) { self.kick() } else { Ok(()) }
    }

    /// Kicks the heartbeat when it is due, in the middle of long operations. The next [`Nic::kick`]
    /// reports a lost heartbeat.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn kick_meanwhile(&self) -> Result<(), Error> {
        match self.kick_if_due() {
            Err(Error::HeartbeatLost) => Ok(()),
            other => other,
        }
    }

    /// The heartbeat was lost: flows and DMA are stopped until [`Nic::recover`] or a reset.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn heartbeat_lost(&self) -> Result<bool, Error> {
        Ok(self.of(self.device.read(&heartbeat::STATE))? != 0)
    }

    /// The heartbeat is armed, and not by this process: the one that kicked it has ended, and the
    /// device will stop.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn heartbeat_unfed(&self) -> Result<bool, Error> {
        Ok(self.kicks.get().is_none() && self.of(self.device.read(&heartbeat::PERIOD))? != 0)
    }

    /// Fails when the heartbeat was lost, or is armed and will be.
    ///
    /// # Errors
    /// When the heartbeat was lost or nobody kicks it, or the transport fails.
    pub fn must_have_heartbeat(&self) -> Result<(), Error> {
        match (self.heartbeat_lost()?, self.heartbeat_unfed()?) {
            (true, _) => Err(Error::HeartbeatLost),
            (_, true) => Err(Error::HeartbeatUnfed),
            _ => Ok(()),
        }
    }

    /// Kicks the heartbeat.
    ///
    /// # Errors
    /// When the heartbeat was lost, see [`Nic::recover`], or the transport fails.
    pub fn kick(&self) -> Result<(), Error> {
        self.kicks.set(self.kicks.get().map(|(often, _)| (often, Instant::now() + often)));
        if self.of(self.device.beat())? { Ok(()) } else { Err(Error::HeartbeatLost) }
    }
}
