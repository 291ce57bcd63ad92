//! The driver's logic: a device that is opened, used and closed in the careful order, over any
//! transport.
//!
//! Opening: command register without bus mastering, reset, magic word and block list, BAR size, the
//! wait for `ready`, MSI-X, then bus mastering last. Closing: flows and heartbeat off where nothing
//! is to go on, recording and DMA stopped, bus mastering off and read back, MSI-X off, memory
//! unmapped. Steps that need a capability the board or the transport lacks are left out: where a
//! reset does not reach the registers, flows are removed one by one; without DMA, records are
//! queried one by one.
mod events;
mod flows;
mod heartbeat;
mod info;
mod meanwhile;
mod table;

pub use events::{Drained, EventRing, EventSettings};
pub use info::Info;
pub use table::FlowTable;

use crate::Error;
use crate::spec::{self, PortSpec, SpecError};
use crate::transport::{Dma, Failure, Registers, Transport};
use events::Recorded;
use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use timely_regs::board::CORUNDUM;
use timely_regs::corundum::request::Request;
use timely_regs::counters::Counter;
use timely_regs::device::{self, Device};
use timely_regs::map::{BLOCK_BYTES, HEADER_TYPE, MAGIC, counters, dma, id, port, profiles, time, window};
use timely_regs::{pci, profile};

/// How long a device may take to clear its RAMs after a reset; real ones need a millisecond,
/// Verilated ones longer.
const READY_LIMIT: Duration = Duration::from_secs(60);
/// Reads of the status before there are pauses between them.
const EAGER_POLLS: u32 = 1000;
/// Pause between two reads of the status.
const PAUSE: Duration = Duration::from_micros(200);

/// How a device is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The device is reset first: nothing is configured.
    Fresh,
    /// The device goes on with its configuration.
    Attach,
}

/// How a device is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// No flow sends any more.
    Stopped,
    /// Flows go on, if the transport lets them.
    Running,
}

/// A device in use.
pub struct Nic {
    device: Device<Registers>,
    flows: Option<FlowTable>,
    vectors: Vec<OwnedFd>,
    bulk: Option<Dma>,
    ring: Option<EventRing>,
    recorded: Recorded,
    /// Time between two kicks of the heartbeat, and when the next is due; `None` without a
    /// heartbeat.
    kicks: Cell<Option<(Duration, Instant)>>,
    /// The nonces have had a key.
    keyed: Cell<bool>,
    /// DMA ran when a device was opened that goes on; `None` of one that was reset.
    found_dma: Option<bool>,
    /// How to close the device; `None` once it is closed.
    end: Option<End>,
}

/// Reads the 16 bits at `offset` of configuration space.
fn config16(transport: &dyn Transport, offset: u16) -> Result<u16, Failure> {
    let mut b = [0; 2];
    transport.read_config(offset, &mut b)?;
    Ok(u16::from_le_bytes(b))
}

/// Lets the BARs answer, and nothing else: no bus mastering, no INTx.
fn quiet(transport: &dyn Transport) -> Result<(), Failure> {
    let command = pci::COMMAND_MEMORY | pci::COMMAND_INTX_OFF;
    if transport.reach().config { transport.write_config(pci::COMMAND, &command.to_le_bytes()) } else { Ok(()) }
}

/// Resets the function, as far as it is the driver's.
fn reset(transport: &dyn Transport) -> Result<(), Failure> {
    let reach = transport.reach();
    quiet(transport)?;
    if reach.config {
        match transport.reset() {
            // A shell whose function cannot be reset is cleared through its registers.
            Err(Failure::Io { .. } | Failure::Refused { .. } | Failure::Protocol { .. }) if !reach.reset => {}
            other => other?,
        }
    }
    quiet(transport)
}

/// Bytes of the map up to the end of the last flow's window.
fn window_end(device: &Device<Registers>) -> u64 {
    window_bytes(device.flows())
}

/// Bytes of the map up to the end of the last window of a device with so many flows.
fn window_bytes(flows: u32) -> u64 {
    u64::from(window::BASE) + u64::from(window::STRIDE) * u64::from(flows)
}

/// A heartbeat's period in clocks of so many ps; 0 for none.
fn clocks_of(period: Option<Duration>, clock_ps: u32) -> Result<u32, Error> {
    let Some(asked) = period else { return Ok(0) };
    let time = |clocks: u32| Duration::from_nanos(u64::from(clocks) * u64::from(clock_ps) / 1000);
    let clocks = asked.as_nanos() * 1000 / u128::from(clock_ps.max(1));
    let range = || Error::Heartbeat { asked, least: time(1), most: time(u32::MAX) };
    u32::try_from(clocks).ok().filter(|c| *c > 0).ok_or_else(range)
}

impl Nic {
    /// Opens the device behind a transport.
    ///
    /// # Errors
    /// When the transport fails, the device is gone or another one, or it is not ready in time.
    pub fn open(transport: Box<dyn Transport>, start: Start) -> Result<Self, Error> {
        let (name, reach, placed) = (transport.name().to_owned(), transport.reach(), transport.placed());
        if start == Start::Fresh {
            reset(&*transport)?;
        } else {
            quiet(&*transport)?;
        }
        let (mut ids, mut class) = ([placed.board.vendor, 0], [0; 4]);
        if reach.config {
            ids = [config16(&*transport, pci::ID)?, config16(&*transport, pci::ID + 2)?];
            transport.read_config(pci::CLASS_REVISION, &mut class)?;
        }
        let bytes = transport.registers_bytes();
        let first = transport.read32(HEADER_TYPE)?;
        let device = Device::open(Registers::new(transport)).map_err(|source| match source {
            device::Error::Bus(failure) => Error::Transport(failure),
            device::Error::Magic(magic) if !placed.board.function => Error::NotThere { device: name.clone(), placed, first, magic },
            // The magic word decides, not the IDs.
            device::Error::Magic(_) if ids != [pci::VENDOR_ID, pci::DEVICE_ID] => {
                Error::NotOurs { device: name.clone(), vendor: ids[0], id: ids[1], class: u32::from_le_bytes(class) >> 8, source }
            }
            source => Error::Device { device: name.clone(), source },
        })?;
        let needed = window_end(&device);
        // A shell may leave room for the blocks alone; half a window is a bitstream that does not
        // fit its BAR.
        if bytes < BLOCK_BYTES.into() || bytes > window::BASE.into() && bytes < needed {
            return Err(Error::BarTooSmall { device: name, bytes, flows: device.flows(), needed });
        }
        let flows = (start == Start::Fresh).then(|| FlowTable::new(device.flows()));
        let mut nic = Nic {
            device,
            flows,
            vectors: Vec::new(),
            bulk: None,
            ring: None,
            recorded: Recorded::default(),
            kicks: Cell::new(None),
            keyed: Cell::new(false),
            found_dma: None,
            end: None,
        };
        nic.wait_ready()?;
        if start == Start::Attach {
            nic.found_dma = Some(nic.of(nic.device.read_field(&dma::STATUS, &dma::RUNNING))? != 0);
        }
        nic.end = Some(if start == Start::Fresh { End::Stopped } else { End::Running });
        // Stops DMA that a driver which died left running.
        nic.stop_dma()?;
        if start == Start::Fresh && !reach.reset {
            nic.clear()?;
        }
        if start == Start::Fresh {
            nic.key_nonces()?;
        }
        nic.switch_on()?;
        Ok(nic)
    }

    /// Checks a device that no process has open as [`Nic::check`] does, and whether it can count a
    /// heartbeat of that period.
    ///
    /// # Errors
    /// As [`Nic::check`], and when the period cannot be counted.
    pub fn check_closed(transport: &dyn Transport, last_flow: Option<u32>, window: bool, heartbeat: Option<Duration>) -> Result<(), Error> {
        quiet(transport)?;
        Self::check(transport, last_flow, window)?;
        if transport.read32(id::MAGIC_WORD.address())? == MAGIC {
            clocks_of(heartbeat, transport.read32(id::CLOCK_PS.address())?)?;
        }
        Ok(())
    }

    /// Fails when a device has not what is to be configured: a flow of that number, a doorbell and
    /// a rate register for each flow. Nothing of it changes. Of what is no timely-nic, opening it
    /// tells.
    ///
    /// # Errors
    /// When the device lacks the flow or the windows, or the transport fails.
    pub fn check(transport: &dyn Transport, last_flow: Option<u32>, window: bool) -> Result<(), Error> {
        if transport.read32(id::MAGIC_WORD.address())? != MAGIC {
            return Ok(());
        }
        let flows = 1u32.checked_shl(transport.read32(id::FLOW_BITS.address())?).unwrap_or(0);
        if let Some(flow) = last_flow.filter(|f| *f >= flows) {
            return Err(Error::NoFlow { flow, last: flows.saturating_sub(1) });
        }
        let (bytes, needed) = (transport.registers_bytes(), window_bytes(flows));
        if window && bytes < needed { Err(Error::NoWindow { device: transport.name().into(), bytes, needed }) } else { Ok(()) }
    }

    /// The way of a request, on a board where Corundum's DMA reads the packets, and what is wrong
    /// with what a port says of it.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn request(transport: &dyn Transport, port: Option<&PortSpec>) -> Result<Result<Option<Request>, SpecError>, Error> {
        let corundum = transport.placed().board.name == CORUNDUM.name;
        let bus_bits = if corundum { Some(transport.read32(id::BUS_BITS.address())?) } else { None };
        Ok(spec::request(port, bus_bits))
    }

    /// Writes `LEAD`. The device takes a lower one only while no flow may send: then flows that do
    /// are stopped for the write.
    ///
    /// # Errors
    /// When the transport fails, or the device refuses.
    pub fn set_lead(&mut self, lead_ns: u32) -> Result<(), Error> {
        let now = self.of(self.device.read(&time::LEAD))?;
        let write = |nic: &mut Self| nic.checked("how far packets are asked for ahead", |d| d.write(&time::LEAD, lead_ns));
        match lead_ns {
            lead if lead == now => Ok(()),
            lead if lead < now => self.while_stopped(write),
            _ => write(self),
        }
    }

    /// Does something while no flow may send: flows that may are stopped meanwhile.
    ///
    /// # Errors
    /// The error of `act`, after which flows go on all the same; and when the transport fails, or
    /// the device refuses.
    pub fn while_stopped(&mut self, act: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        if self.of(self.device.read_field(&id::STATUS, &id::STOP))? != 0 {
            return act(self);
        }
        self.enable(false)?;
        let done = act(self);
        done.and(self.enable(true))
    }

    /// The device keeps its profiles over a reset, and has this one set.
    ///
    /// # Errors
    /// When the transport fails.
    pub fn keeps_profile(transport: &dyn Transport, number: u32) -> Result<bool, Error> {
        if transport.reach().reset || transport.read32(id::MAGIC_WORD.address())? != MAGIC {
            return Ok(false);
        }
        let first = profiles::WORD.address() + number * (4 * profile::WORDS as u32);
        for word in 0..profile::WORDS as u32 {
            if transport.read32(first + 4 * word)? != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes every flow at once, by the soft reset: what else is configured stays, and so do
    /// counters.
    ///
    /// # Errors
    /// When the transport fails, the device refuses, or it is not ready in time.
    pub fn remove_flows(&mut self) -> Result<(), Error> {
        self.checked("the soft reset", Device::soft_reset)?;
        self.wait_ready()?;
        self.flows = Some(FlowTable::new(self.device.flows()));
        Ok(())
    }

    /// Does what a reset would, where none reaches the registers: every flow is removed, nothing is
    /// recorded, the heartbeat is off, the table of queue pairs is out of use and has no rules.
    /// Profiles, addresses and counters stay.
    fn clear(&mut self) -> Result<(), Error> {
        self.enable(false)?;
        self.set_heartbeat(None)?;
        self.checked("the arming of the heartbeat", Device::arm)?;
        self.checked("the end of recording", |d| d.record_events(0, device::Only::default()))?;
        self.checked("the table of queue pairs", Device::clear_pairs)?;
        self.remove_flows()
    }

    /// Fails when the transport lacks a capability.
    fn must_reach(&self, has: bool, what: &'static str, needs: &'static str) -> Result<(), Error> {
        let transport = self.transport();
        let lacks = || Failure::Lacks { device: transport.name().into(), what, needs, way: transport.kind(), next: transport.instead() };
        if has { Ok(()) } else { Err(lacks().into()) }
    }

    /// The device has a doorbell and a rate register for each flow; a shell may leave no room for
    /// them.
    pub fn has_window(&self) -> bool {
        self.transport().registers_bytes() >= window_end(&self.device)
    }

    /// Fails where a shell leaves no room for doorbells and rates of single flows.
    ///
    /// # Errors
    /// When the shell leaves no room; the error says what to do.
    pub fn must_have_window(&self) -> Result<(), Error> {
        let bytes = self.transport().registers_bytes();
        if self.has_window() {
            Ok(())
        } else {
            Err(Error::NoWindow { device: self.name().into(), bytes, needed: window_end(&self.device) })
        }
    }

    /// MSI-X, then bus mastering last.
    fn switch_on(&mut self) -> Result<(), Error> {
        let reach = self.transport().reach();
        if reach.interrupts {
            self.vectors = self.transport().enable_msix(pci::VECTORS)?;
        }
        if reach.config && reach.memory {
            let command = pci::COMMAND_MEMORY | pci::COMMAND_INTX_OFF | pci::COMMAND_MASTER;
            self.transport().write_config(pci::COMMAND, &command.to_le_bytes())?;
        }
        Ok(())
    }

    /// Waits until the RAMs are cleared.
    fn wait_ready(&self) -> Result<(), Error> {
        let (start, mut polls) = (Instant::now(), 0);
        while self.of(self.device.read_field(&id::STATUS, &id::READY))? == 0 {
            if start.elapsed() > READY_LIMIT {
                return Err(Error::NotReady { device: self.name().into(), limit: READY_LIMIT });
            }
            polls += 1;
            if polls > EAGER_POLLS {
                std::thread::sleep(PAUSE);
            }
            self.kick_meanwhile()?;
        }
        Ok(())
    }

    /// Names the device in an error of its registers.
    fn of<T>(&self, result: Result<T, device::Error<Failure>>) -> Result<T, Error> {
        result.map_err(|source| match source {
            device::Error::Bus(failure) => Error::Transport(failure),
            device::Error::OutOfRange(e) => Error::OutOfRange(e),
            device::Error::NoFlow { flow, flows } => Error::NoFlow { flow, last: flows - 1 },
            source => Error::Device { device: self.name().into(), source },
        })
    }

    fn refusals(&self) -> Result<u32, Error> {
        self.of(self.device.read_at(&counters::COUNTER, Counter::CsrErrors as u32))
    }

    /// Does something with the registers, and says so when the device refused a part of it: a write
    /// over PCI Express does not.
    ///
    /// # Errors
    /// The errors of `act`, and that the device refused an access.
    pub fn checked<T>(
        &self,
        what: &'static str,
        act: impl FnOnce(&Device<Registers>) -> Result<T, device::Error<Failure>>,
    ) -> Result<T, Error> {
        let before = self.refusals()?;
        let done = act(&self.device);
        // After a refusal, what came of the act is no answer to it.
        if self.refusals()? != before
            && let Some(r) = self.of(self.device.last_refusal())?
        {
            return Err(Error::Refused { device: self.name().into(), what, address: r.address, write: r.write, reason: r.reason });
        }
        self.of(done)
    }

    /// The registers.
    pub fn device(&self) -> &Device<Registers> {
        &self.device
    }

    /// The transport.
    pub fn transport(&self) -> &dyn Transport {
        self.device.bus().transport()
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        self.transport().name()
    }

    /// The eventfds of the interrupt lines, by number of the line; not blocking.
    pub fn vectors(&self) -> &[OwnedFd] {
        &self.vectors
    }

    /// Lets flows send, or stops them all. Nonces that lost their key, by a reset that another hand
    /// made, get one first.
    ///
    /// # Errors
    /// When the transport fails, or the device refuses.
    pub fn enable(&self, on: bool) -> Result<(), Error> {
        if on && self.of(self.device.read(&port::NONCE_KEYED))? == 0 {
            self.key_nonces()?;
        }
        self.checked("the enabling of flows", |d| d.enable(on))
    }

    /// Fails where a key of the nonces was set and the device has none, or is no timely-nic any
    /// more. A reset of the function and a bitstream that is loaded again take the key; nothing
    /// else does.
    ///
    /// # Errors
    /// When the device was reset, is gone, or the transport fails.
    pub fn must_be_as_left(&self) -> Result<(), Error> {
        let there = self.of(self.device.read(&id::MAGIC_WORD))? == MAGIC;
        let keyed = there && self.of(self.device.read(&port::NONCE_KEYED))? != 0;
        match (keyed, self.keyed.get()) {
            (true, _) => self.keyed.set(true),
            (false, false) if there => {}
            _ => return Err(Error::WasReset { device: self.name().into() }),
        }
        Ok(())
    }

    /// Starts again after the heartbeat was lost: flows, and DMA with an empty ring.
    ///
    /// # Errors
    /// When the transport fails, or the device refuses.
    pub fn recover(&mut self) -> Result<(), Error> {
        self.checked("the arming of the heartbeat", Device::arm)?;
        self.stop_dma()?;
        self.restart_ring()
    }

    /// Stops DMA; what was in the ring is lost.
    fn stop_dma(&self) -> Result<(), Error> {
        self.of(self.device.stop_dma())
    }

    /// Resets the device and opens it again; nothing is configured then.
    ///
    /// # Errors
    /// As [`Nic::open`].
    pub fn reset(&mut self) -> Result<(), Error> {
        self.release()?;
        self.found_dma = None;
        self.recorded = Recorded::default();
        reset(self.transport())?;
        match self.of(self.device.read(&id::MAGIC_WORD))? {
            MAGIC => {}
            other => return Err(Error::Device { device: self.name().into(), source: device::Error::Magic(other) }),
        }
        self.wait_ready()?;
        self.end = Some(End::Stopped);
        self.flows = Some(FlowTable::new(self.device.flows()));
        if !self.transport().reach().reset {
            self.clear()?;
        }
        self.key_nonces()?;
        self.switch_on()
    }

    /// Sets a random key for the nonces of segments: with a known key ACKs could be forged.
    fn key_nonces(&self) -> Result<(), Error> {
        let mut key = [0; 16];
        File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut key)).map_err(Error::Random)?;
        self.checked("the key of the nonces", |d| d.key_nonces(u128::from_le_bytes(key)))
    }

    /// Disarms what would act on its own later: flows, and the heartbeat that no one feeds any
    /// more. A loss that came before is taken back, or nothing could be started by the next user.
    fn disarm(&self) -> Result<(), Error> {
        let stopped = self.of(self.device.enable(false));
        let unfed = self.of(self.device.set_heartbeat(0));
        let armed = self.heartbeat_lost().and_then(|lost| if lost { self.of(self.device.arm()) } else { Ok(()) });
        self.kicks.set(None);
        stopped.and(unfed).and(armed)
    }

    /// Takes everything from the device; goes on when a step fails and gives the first failure.
    fn release(&mut self) -> Result<(), Error> {
        let recording = if self.ring.is_some() { self.end_recording() } else { Ok(()) };
        let mut first = recording.and(self.stop_dma());
        let transport = self.device.bus().transport();
        let reach = transport.reach();
        let off = quiet(transport).and_then(|()| if reach.config { config16(transport, pci::COMMAND) } else { Ok(0) });
        let off = off.map_err(Error::from).and_then(|command| match command {
            u16::MAX => Err(Failure::Gone { device: transport.name().into() }.into()),
            on if on & pci::COMMAND_MASTER == 0 => Ok(()),
            _ => Err(Error::BusMaster { device: transport.name().into(), command }),
        });
        let may_unmap = off.is_ok();
        first = first.and(off);
        if reach.interrupts {
            first = first.and(transport.disable_msix().map_err(Error::from));
        }
        self.vectors.clear();
        for memory in [self.bulk.take(), self.ring.take().map(EventRing::into_memory)].into_iter().flatten() {
            // Memory that a device may still write to is leaked rather than used again.
            if may_unmap {
                first = first.and(transport.dma_unmap(memory).map_err(Error::from));
            } else {
                std::mem::forget(memory);
            }
        }
        first
    }

    /// Closes the device.
    ///
    /// # Errors
    /// The first step that failed; the later ones were tried all the same.
    pub fn close(mut self, end: End) -> Result<(), Error> {
        self.end = Some(end);
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Error> {
        let Some(end) = self.end.take() else { return Ok(()) };
        let stopped = match end {
            End::Stopped => self.disarm(),
            End::Running => Ok(()),
        };
        stopped.and(self.release())
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        // The error is dropped here; `close` returns it.
        let _ = self.finish();
    }
}
