//! A modelled NIC as the driver's transport takes it, in this process: time passes with every
//! access, and only then.
use crate::windows::Windows;
use rustix::event::{EventfdFlags, eventfd};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timely_driver::transport::iova::IovaSpace;
use timely_driver::transport::memory::{Mapped, Shared};
use timely_driver::transport::{Dma, Failure, Transport};
use timely_regs::device::Memory;
use timely_regs::map::BAD_READ;
use timely_regs::pci;
use timely_sim::cores;
use timely_sim::scenario::NicKind;
use timely_sim::serve::setup::{Options, wire};
use timely_sim::serve::wire::Wire;
use timely_sim::time::{NS, Speed, US};

/// Time that passes behind an access.
const PAUSE: u64 = 8 * NS;
/// Time behind a reset in which RAMs are cleared, so that no one has to wait for it.
const CLEARING: u64 = 600 * US;
/// Bytes of a page.
const PAGE: u64 = 4096;

struct State {
    wire: Wire,
    config: [u8; 256],
    iovas: IovaSpace,
}

/// The transport.
pub struct Card {
    state: Mutex<State>,
    windows: Windows,
}

impl Card {
    /// A NIC of 16 flows, alone.
    pub fn new() -> Self {
        let options = Options { kind: NicKind::Model, bus_bits: 64, flow_bits: 4, speed: Speed::gbps(10.0), pair: None, seed: 1 };
        let mut wire = wire(&options, &cores::known()).expect("a modelled NIC");
        let windows = Windows::default();
        wire.core().memory().expect("a NIC with DMA").back(Box::new(windows.clone()));
        let mut config = [0; 256];
        config[..2].copy_from_slice(&pci::VENDOR_ID.to_le_bytes());
        config[2..4].copy_from_slice(&pci::DEVICE_ID.to_le_bytes());
        config[8..12].copy_from_slice(&(pci::CLASS_CODE << 8 | u32::from(pci::REVISION_ID)).to_le_bytes());
        let iovas = IovaSpace::new(&[0..=u64::from(u32::MAX)], PAGE, 1 << 28);
        Card { state: Mutex::new(State { wire, config, iovas }), windows }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pause(&mut self) {
        let until = self.wire.now() + PAUSE;
        self.wire.advance(until);
    }
}

impl Transport for Card {
    fn name(&self) -> &str {
        "card"
    }

    fn kind(&self) -> &'static str {
        "in process"
    }

    fn keeps_state(&self) -> bool {
        true
    }

    fn registers_bytes(&self) -> u64 {
        pci::REGISTERS_BYTES
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        let mut s = self.state();
        let value = s.wire.read32(offset).unwrap_or(BAD_READ);
        s.pause();
        Ok(value)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        let mut s = self.state();
        // Posted: an error goes unreported.
        let _ = s.wire.write32(offset, value);
        s.pause();
        Ok(())
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        let at = usize::from(offset);
        to.copy_from_slice(&self.state().config[at..at + to.len()]);
        Ok(())
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        let at = usize::from(offset);
        self.state().config[at..at + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn dma_map(&self, bytes: usize) -> Result<Dma, Failure> {
        let shared = Arc::new(Shared::new(bytes).expect("memory"));
        let mut s = self.state();
        let (asked, left) = (shared.bytes() as u64, s.iovas.longest());
        let none = || Failure::NoAddresses { device: self.name().into(), asked, left };
        let address = s.iovas.take(asked).ok_or_else(none)?;
        self.windows.map().insert(address, shared.clone());
        Ok(Dma::new(Mapped { shared, iova: address }))
    }

    fn dma_unmap(&self, memory: Dma) -> Result<(), Failure> {
        self.windows.map().remove(&memory.address());
        self.state().iovas.give(memory.address(), memory.bytes() as u64);
        Ok(())
    }

    // The daemon drains its ring at every turn: no vector needs to be signalled.
    fn enable_msix(&self, vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        let fd = |_| eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).expect("an eventfd");
        Ok((0..vectors).map(fd).collect())
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn reset(&self) -> Result<(), Failure> {
        let mut s = self.state();
        s.wire.reset();
        let ready = s.wire.now() + CLEARING;
        s.wire.advance(ready);
        s.config[4..6].fill(0);
        Ok(())
    }
}
