//! Rate updates of a NIC, recorded and handed over.
use super::{Service, ServiceError};
use crate::Error;
use crate::nic::EventSettings;
use crate::report::EventReport;
use timely_regs::device::Only;
use timely_regs::event::EventRecord;
use timely_regs::map::dma;

impl Service {
    /// Starts recording events, or stops with `every` 0. A ring that records as asked goes on as it
    /// is.
    ///
    /// # Errors
    /// When there is no such flow or profile, or the device fails.
    pub fn start_events(&mut self, every: u32, flow: Option<u32>, profile: Option<u32>) -> Result<(), ServiceError> {
        self.over = None;
        if every == 0 {
            return Ok(self.nic.stop_events()?);
        }
        let settings = EventSettings { every, only: Only { flow, profile }, ..EventSettings::default() };
        if self.nic.event_settings() == Some(settings) {
            return Ok(());
        }
        Ok(self.nic.start_events(&settings)?)
    }

    /// Hands the events that came to `each`; gives what came, and why no more will come, if so: the
    /// device stopped DMA.
    ///
    /// # Errors
    /// When the device fails.
    pub fn drain_events(&mut self, each: impl FnMut(&EventRecord)) -> Result<(EventReport, Result<(), Error>), ServiceError> {
        let lines = self.nic.take_interrupts()?;
        let drained = self.nic.drain_events(each)?.into();
        let goes_on = match lines {
            l if l & 1 << dma::ERROR_LINE != 0 => Err(Error::DmaStopped),
            l if l & 1 << dma::HEARTBEAT_LINE != 0 => Err(Error::HeartbeatLost),
            _ => Ok(()),
        };
        Ok((drained, goes_on))
    }

    /// Hands the events that came to `each`. Why no more will come is an error of its own, behind
    /// the last records: of this call when none came, else of the next.
    ///
    /// # Errors
    /// When the device fails, or stopped DMA.
    pub fn next_events(&mut self, each: impl FnMut(&EventRecord)) -> Result<EventReport, ServiceError> {
        if let Some(over) = self.over.take() {
            return Err(over.into());
        }
        let (report, goes_on) = self.drain_events(each)?;
        match goes_on {
            Err(e) if report.records == 0 => Err(e.into()),
            goes_on => {
                self.over = goes_on.err();
                Ok(report)
            }
        }
    }
}
