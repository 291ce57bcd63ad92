//! Flows and profiles: added, changed, removed, loaded and read in bulk.
use super::{FlowTable, Nic};
use crate::Error;
use crate::transport::Dma;
use timely_regs::counters::Counter;
use timely_regs::flow::{self, FlowRecord};
use timely_regs::histogram::Histogram;
use timely_regs::map::{counters, dma};
use timely_regs::parameters::Parameters;
use timely_regs::profile;
use timely_regs::telemetry::{self, TelemetryRecord};

/// Bytes of the buffer that loads and snapshots go through.
const BULK_BYTES: usize = 1 << 20;

/// Reads of the counter of refused doorbells until one is seen that is refused.
const DOORBELL_READS: u32 = 32;

impl Nic {
    /// Flows in use. After [`super::Start::Attach`] a snapshot finds them: a loaded flow has a
    /// rate. Without DMA, and when the heartbeat was lost and with it DMA, the rate of each flow is
    /// queried.
    ///
    /// # Errors
    /// When the snapshot fails.
    pub fn flows(&mut self) -> Result<&FlowTable, Error> {
        if self.flows.is_none() {
            let mut table = FlowTable::new(self.device.flows());
            for flow in self.rated_flows()? {
                table.mark(flow, true)?;
            }
            self.flows = Some(table);
        }
        Ok(self.flows.get_or_insert_with(|| FlowTable::new(0)))
    }

    /// Flows with a rate, by the NIC itself: by a snapshot where there is DMA, else flow by flow.
    ///
    /// # Errors
    /// When the snapshot fails, or the transport.
    pub fn rated_flows(&mut self) -> Result<Vec<u32>, Error> {
        let all = self.device.flows();
        let rates: Vec<u32> = match self.snapshot_if_it_can(0, all)? {
            Some(records) => records.iter().map(|r| r.rate).collect(),
            None => (0..all).map(|f| self.kick_meanwhile().and_then(|()| self.of(self.device.query_rate(f)))).collect::<Result<_, _>>()?,
        };
        Ok((0..).zip(rates).filter(|(_, rate)| *rate != 0).map(|(flow, _)| flow).collect())
    }

    /// The records of `count` flows from `first` on by DMA; nothing where there is none, or the
    /// heartbeat was lost and with it DMA.
    ///
    /// # Errors
    /// As [`Nic::snapshot`].
    pub fn snapshot_if_it_can(&mut self, first: u32, count: u32) -> Result<Option<Vec<TelemetryRecord>>, Error> {
        if !self.transport().reach().memory || self.heartbeat_lost()? {
            return Ok(None);
        }
        match self.snapshot(first, count) {
            // Just now.
            Err(_) if self.heartbeat_lost()? => Ok(None),
            other => other.map(Some),
        }
    }

    fn mark(&mut self, flow: u32, used: bool) -> Result<(), Error> {
        self.flows()?;
        self.flows.as_mut().map_or(Ok(()), |t| t.mark(flow, used))
    }

    /// Makes a flow, the lowest that is free or the one that is asked for; gives its number.
    ///
    /// # Errors
    /// When it is in use or does not exist, a field of the record is out of its range, the
    /// transport fails, or the device refuses.
    pub fn add_flow(&mut self, number: Option<u32>, record: &FlowRecord) -> Result<u32, Error> {
        let flows = self.flows()?;
        let number = match number {
            Some(n) => flows.must_be_free(n).map(|()| n),
            None => flows.free(),
        }?;
        self.checked("the load of a flow", |d| d.load_flow(number, &FlowRecord { enable: true, keep: false, ..*record }))?;
        self.mark(number, true)?;
        Ok(number)
    }

    /// Changes a flow; its rate, backlog and counters stay.
    ///
    /// # Errors
    /// As [`Nic::add_flow`], and when it is not in use.
    pub fn set_flow(&mut self, number: u32, record: &FlowRecord) -> Result<(), Error> {
        self.flows()?.must_be_used(number)?;
        self.checked("the load of a flow", |d| d.load_flow(number, &FlowRecord { enable: true, keep: true, ..*record }))
    }

    /// Removes a flow: it sends nothing more, its counters are cleared.
    ///
    /// # Errors
    /// When it is not in use, the transport fails, or the device refuses.
    pub fn remove_flow(&mut self, number: u32) -> Result<(), Error> {
        self.flows()?.must_be_used(number)?;
        self.checked("the removal of a flow", |d| d.load_flow(number, &FlowRecord::default()))?;
        self.mark(number, false)
    }

    /// Posts packets of a flow, 1 to 65,535. The device counts a doorbell that it refuses.
    ///
    /// # Errors
    /// When there is no such flow, the number is out of its range, or the transport fails.
    pub fn post(&self, flow: u32, packets: u32) -> Result<(), Error> {
        self.must_have_window()?;
        self.of(self.device.doorbell(flow, packets))
    }

    /// Posts as [`Nic::post`] does, and checks that the device took the packets: the number that
    /// may wait for a flow is bounded, and lower while the flow is not enabled.
    ///
    /// # Errors
    /// As [`Nic::post`], and when the device refuses the packets.
    pub fn post_all(&self, flow: u32, packets: u32) -> Result<(), Error> {
        let refused = || self.of(self.device.read_at(&counters::COUNTER, Counter::DoorbellsRefused as u32));
        let before = refused()?;
        self.post(flow, packets)?;
        // The device takes a doorbell tens of clocks later; each read takes it some.
        for _ in 0..DOORBELL_READS {
            if refused()? != before {
                return Err(Error::Doorbell { flow, packets });
            }
        }
        Ok(())
    }

    /// Sets the rate of a flow of law `fixed`, 2^-12 Mb/s.
    ///
    /// # Errors
    /// When there is no such flow, or the transport fails.
    pub fn set_rate(&self, flow: u32, rate: u32) -> Result<(), Error> {
        self.must_have_window()?;
        self.of(self.device.set_rate(flow, rate))
    }

    /// The telemetry record of a flow.
    ///
    /// # Errors
    /// When there is no such flow, the device does not answer, or the transport fails.
    pub fn telemetry(&self, flow: u32) -> Result<TelemetryRecord, Error> {
        Ok(TelemetryRecord::from_words(&self.of(self.device.query_flow(flow))?))
    }

    /// Writes a profile.
    ///
    /// # Errors
    /// When the hardware cannot hold it, there is no such profile, the transport fails, or the
    /// device refuses.
    pub fn set_profile(&self, number: u32, parameters: &Parameters) -> Result<(), Error> {
        self.write_profile(number, &parameters.quantise()?)
    }

    /// Writes the words of a profile.
    ///
    /// # Errors
    /// As [`Nic::set_profile`].
    pub fn write_profile(&self, number: u32, words: &[u32; profile::WORDS]) -> Result<(), Error> {
        self.checked("the write of a profile", |d| d.write_profile(number, words))
    }

    /// The words of a profile.
    ///
    /// # Errors
    /// When there is no such profile, or the transport fails.
    pub fn profile(&self, number: u32) -> Result<[u32; profile::WORDS], Error> {
        self.of(self.device.read_profile(number))
    }

    /// The histogram of a profile's signal.
    ///
    /// # Errors
    /// When there is no such profile, or the transport fails.
    pub fn histogram(&self, number: u32) -> Result<Histogram, Error> {
        self.of(self.device.histogram(number))
    }

    /// Starts DMA, with the event ring if there is one: a start without it would set the ring's
    /// indices to 0 all the same.
    fn run_dma(&mut self) -> Result<(), Error> {
        if self.event_settings().is_some() {
            return self.restart_ring();
        }
        self.checked("the start of DMA", |d| d.stop_dma().and_then(|()| d.start_dma()))
    }

    /// Runs DMA, if it does not yet, for a command over the bulk buffer; `most` records of `bytes`
    /// each fit one command.
    fn in_bulk<T>(
        &mut self,
        bytes: usize,
        count: u32,
        mut act: impl FnMut(&Self, &Dma, std::ops::Range<u32>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let memory = match self.bulk.take() {
            Some(memory) => memory,
            None => self.transport().dma_map(BULK_BYTES)?,
        };
        let most = (BULK_BYTES / bytes) as u32;
        let mut all = |nic: &mut Self| {
            if nic.of(nic.device.read_field(&dma::STATUS, &dma::RUNNING))? == 0 {
                nic.run_dma()?;
            }
            let nic = &*nic;
            let starts = (0..count).step_by(most as usize);
            starts.map(|at| nic.kick_meanwhile().and_then(|()| act(nic, &memory, at..(at + most).min(count)))).collect()
        };
        let done = all(self);
        self.bulk = Some(memory);
        done
    }

    /// The telemetry records of `count` flows from `first` on, by DMA where there is any; each is
    /// whole.
    ///
    /// # Errors
    /// When there are no such flows, the transport fails, or the device ends the snapshot with an
    /// error.
    pub fn snapshot(&mut self, first: u32, count: u32) -> Result<Vec<TelemetryRecord>, Error> {
        if !self.transport().reach().memory {
            return (first..first.saturating_add(count)).map(|f| self.kick_meanwhile().and_then(|()| self.telemetry(f))).collect();
        }
        let parts = self.in_bulk(4 * telemetry::WORDS, count, |nic, memory, part| {
            nic.of(nic.device.snapshot(memory, first + part.start, part.end - part.start))
        })?;
        Ok(parts.concat())
    }

    /// Makes flows from `first` on, by DMA where there is any; what was there before is replaced.
    ///
    /// # Errors
    /// When there are no such flows, a field of a record is out of its range, the transport fails,
    /// or the device ends the load with an error.
    pub fn load_flows(&mut self, first: u32, records: &[FlowRecord]) -> Result<(), Error> {
        self.flows()?;
        if !self.transport().reach().memory {
            for (flow, record) in (first..).zip(records) {
                self.kick_meanwhile()?;
                self.checked("the load of a flow", |d| d.load_flow(flow, record))?;
                self.mark(flow, record.enable)?;
            }
            return Ok(());
        }
        self.in_bulk(4 * flow::WORDS, records.len() as u32, |nic, memory, part| {
            nic.of(nic.device.load_flows(memory, first + part.start, &records[part.start as usize..part.end as usize]))
        })?;
        for (flow, record) in (first..).zip(records) {
            self.mark(flow, record.enable)?;
        }
        Ok(())
    }
}
