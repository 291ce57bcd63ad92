//! The event ring: started, drained into records, gaps counted.
use super::Nic;
use crate::Error;
use crate::transport::Dma;
use std::time::Duration;
use timely_regs::device::{Only, Ring, RingSettings};
use timely_regs::event::EventRecord;
use timely_regs::field::OutOfRange;
use timely_regs::map::{dma, telemetry};

/// How events are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSettings {
    /// log2 of the ring's records, 1 to 20.
    pub bits: u32,
    /// One of so many rate updates is recorded; 0 none.
    pub every: u32,
    /// Flow or profile that updates are recorded of.
    pub only: Only,
    /// Greatest time from a record to its interrupt.
    pub latency: Duration,
}

impl Default for EventSettings {
    /// Every update, in a ring of 65,536 records.
    fn default() -> Self {
        EventSettings { bits: 16, every: 1, only: Only::default(), latency: Duration::from_millis(1) }
    }
}

/// A ring that is running.
pub struct EventRing {
    ring: Ring,
    memory: Dma,
    settings: EventSettings,
    next: Option<u32>,
    total: Drained,
}

/// Records since the NIC was opened or reset, whatever the rings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorded {
    /// Counts of all rings, and what was lost between them.
    total: Drained,
    /// Number of the record behind the last that was drained.
    next: Option<u32>,
}

impl EventRing {
    pub(super) fn into_memory(self) -> Dma {
        self.memory
    }
}

/// Counts of records drained from a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Whole records.
    pub records: u64,
    /// Records that the device made and did not deliver, because ring or queue were full, or DMA
    /// did not run: known by a gap in the numbers when the next record comes.
    pub lost: u64,
    /// Records that were not whole.
    pub broken: u64,
}

impl Drained {
    fn add(&mut self, other: &Drained) {
        self.records += other.records;
        self.lost += other.lost;
        self.broken += other.broken;
    }
}

impl Nic {
    /// Fails where a setting is out of its range; nothing is written.
    fn check_events(&self, s: &EventSettings) -> Result<(), Error> {
        if !(1..=dma::MOST_RING_BITS).contains(&s.bits) {
            return Err(OutOfRange { name: "ring_bits", value: s.bits, least: 1, most: dma::MOST_RING_BITS }.into());
        }
        telemetry::EVENT_EVERY.fields[0].set(&mut [0], s.every)?;
        if let Some(profile) = s.only.profile {
            telemetry::FILTER_PROFILE.set(&mut [0], profile)?;
        }
        let last = self.device.flows() - 1;
        s.only.flow.filter(|flow| *flow > last).map_or(Ok(()), |flow| Err(Error::NoFlow { flow, last }))
    }

    /// Starts recording events into a fresh ring. Records that were left in the one before count as
    /// lost when the next is drained. When it cannot be started, the one before goes on, if the
    /// device lets it: [`Nic::event_settings`] says so.
    ///
    /// # Errors
    /// When a setting is out of its range, there is no memory, the transport fails, or the device
    /// refuses.
    pub fn start_events(&mut self, settings: &EventSettings) -> Result<(), Error> {
        self.must_reach(self.transport().reach().memory, "the event ring", "DMA")?;
        self.check_events(settings)?;
        self.must_have_heartbeat()?;
        // A ring of the same size keeps its memory. Other memory is there before the old ring is
        // stopped.
        let same = self.ring.as_ref().is_some_and(|r| r.settings.bits == settings.bits);
        let fresh = if same { None } else { Some(self.transport().dma_map((dma::BURST_BYTES as usize) << settings.bits)?) };
        let old = self.ring.take();
        let next = old.as_ref().and_then(|r| r.next);
        let memory = fresh.as_ref().or(old.as_ref().map(|r| &r.memory));
        let started = self.of(self.device.record_events(0, Only::default()));
        let started = started.and_then(|()| memory.map_or(Err(Error::NoRing), |m| self.start_ring(m, settings)));
        match started {
            Ok(ring) => {
                let old = old.map(EventRing::into_memory);
                let (memory, spare) = if let Some(fresh) = fresh { (Some(fresh), old) } else { (old, None) };
                self.ring = memory.map(|memory| EventRing { ring, memory, settings: *settings, next, total: Drained::default() });
                Ok(spare.map_or(Ok(()), |m| self.transport().dma_unmap(m))?)
            }
            Err(e) => {
                self.ring = old;
                if self.ring.is_some() && self.restart_ring().is_err() {
                    let _ = self.stop_events();
                }
                // The device may write to it as long as it did not stop, or start elsewhere.
                match fresh {
                    Some(memory) if self.ring.is_some() || self.stop_dma().is_ok() => {
                        let _ = self.transport().dma_unmap(memory);
                    }
                    memory => std::mem::forget(memory),
                }
                Err(e)
            }
        }
    }

    fn start_ring(&self, memory: &Dma, s: &EventSettings) -> Result<Ring, Error> {
        let clock_ps = u128::from(self.device.build().clock_ps.max(1));
        let holdoff_clocks = (s.latency.as_nanos() * 1000 / clock_ps).min(u32::MAX.into()) as u32;
        // Half a ring leaves as much time to drain it.
        let watermark = 1 << s.bits.saturating_sub(1).min(dma::MOST_RING_BITS);
        let settings = RingSettings { bits: s.bits, watermark, holdoff_clocks };
        let lines = 1 << dma::RING_WATERMARK_LINE | 1 << dma::RING_OVERFLOW_LINE | 1 << dma::ERROR_LINE | 1 << dma::HEARTBEAT_LINE;
        self.checked("the start of the event ring", |d| {
            d.stop_dma()?;
            // Clears interrupts of an earlier ring.
            d.take_interrupts()?;
            d.set_interrupts(lines)?;
            let ring = d.start_ring(memory, &settings)?;
            d.record_events(s.every, s.only)?;
            Ok(ring)
        })
    }

    /// Starts the ring again, empty, after DMA was stopped. Records that the ring had count as lost
    /// when the next record is drained.
    pub(super) fn restart_ring(&mut self) -> Result<(), Error> {
        let Some(mut events) = self.ring.take() else { return Ok(()) };
        let started = self.start_ring(&events.memory, &events.settings);
        if let Ok(ring) = started {
            events.ring = ring;
        }
        self.ring = Some(events);
        started.map(|_| ())
    }

    /// Records nothing more, and lets no interrupt out: records that have no ring would count as
    /// dropped.
    pub(super) fn end_recording(&self) -> Result<(), Error> {
        let recorded = self.of(self.device.record_events(0, Only::default()));
        recorded.and(self.of(self.device.set_interrupts(0)))
    }

    /// Stops recording and takes the ring's memory back.
    ///
    /// # Errors
    /// When the transport fails, or a burst is never answered.
    pub fn stop_events(&mut self) -> Result<(), Error> {
        let Some(events) = self.ring.take() else { return Ok(()) };
        let stopped = self.end_recording().and(self.stop_dma());
        if stopped.is_ok() {
            self.transport().dma_unmap(events.memory)?;
        } else {
            // As on closing: the device may still write to it.
            std::mem::forget(events.memory);
        }
        stopped
    }

    /// Hands the records that came to `each`, in order. A gap in their numbers is counted, and what
    /// is not whole is passed by.
    ///
    /// # Errors
    /// When no ring was started, the transport fails, or the ring is out of step with the device.
    pub fn drain_events(&mut self, mut each: impl FnMut(&EventRecord)) -> Result<Drained, Error> {
        let Some(mut events) = self.ring.take() else { return Err(Error::NoRing) };
        let (mut now, mut between) = (Drained::default(), 0);
        let (next, recorded) = (&mut events.next, self.recorded.next);
        // Numbers wrap; a number from before is a device that was reset.
        let gap = |next: Option<u32>, sequence: u32| {
            let gap = next.map_or(0, |n| sequence.wrapping_sub(n));
            if gap < 1 << 31 { u64::from(gap) } else { 0 }
        };
        let read = self.device.read_ring(&mut events.ring, &events.memory, |words| match EventRecord::from_words(&words) {
            Ok(record) => {
                now.records += 1;
                now.lost += gap(*next, record.sequence);
                // Lost between two rings: of no subscriber of this one.
                between += if next.is_none() { gap(recorded, record.sequence) } else { 0 };
                *next = Some(record.sequence.wrapping_add(1));
                each(&record);
            }
            Err(_) => now.broken += 1,
        });
        events.total.add(&now);
        self.recorded.total.add(&now);
        self.recorded.total.lost += between;
        self.recorded.next = events.next.or(recorded);
        self.ring = Some(events);
        self.of(read)?;
        Ok(now)
    }

    /// How events are recorded, if they are.
    pub fn event_settings(&self) -> Option<EventSettings> {
        self.ring.as_ref().map(|r| r.settings)
    }

    /// Counts of the ring since it was started; `None` without a ring.
    pub fn events_total(&self) -> Option<Drained> {
        self.ring.as_ref().map(|r| r.total)
    }

    /// Counts of all records since the NIC was opened or reset, also of those that were lost
    /// between two rings.
    pub fn recorded(&self) -> Drained {
        self.recorded.total
    }

    /// Takes the interrupt lines pending since the last call, one bit a line; to be called after an
    /// eventfd was signalled, before draining.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn take_interrupts(&self) -> Result<u32, Error> {
        self.of(self.device.take_interrupts())
    }
}
