//! A bit-true NIC as the driver's transport takes it, in the same process: registers, configuration
//! space, DMA, interrupts, and a wire that comes back to itself. Time passes with every access, and
//! only then.
use crate::loopback::{Loop, Weather};
use crate::nic::Nic;
use crate::windows::Windows;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timely_driver::transport::iova::IovaSpace;
use timely_driver::transport::memory::{Mapped, Shared};
use timely_driver::transport::{Dma, Failure, Transport};
use timely_regs::device::Memory;
use timely_regs::map::{BAD_READ, dma};
use timely_regs::pci;
use timely_sim::nic::memory::Behaviour;

/// Clocks that pass with an access, beside those that it takes.
const CLOCKS: u64 = 64;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Nothing happens to what is sent.
const CALM: Weather = Weather { lost: 0.0, spoilt: 0.0, repeated: 0.0, forged: 0.0, hostile: 0.0, ready: 1.0, paused: 0.0, delay: 200 };

struct State {
    nic: Box<dyn Nic>,
    wire: Loop,
    config: [u8; 256],
    vectors: Vec<OwnedFd>,
    lines: u32,
    windows: Windows,
    iovas: IovaSpace,
    /// Accesses after which the device is gone.
    left: u64,
    /// Registers that read otherwise.
    spoilt: BTreeMap<u32, u32>,
}

/// The transport; its clones are the same NIC.
#[derive(Clone)]
pub struct InProcess(Arc<Mutex<State>>);

impl InProcess {
    /// A NIC that a driver may have; after `accesses` accesses to it, it is gone.
    pub fn new(mut nic: Box<dyn Nic>, accesses: u64) -> Self {
        let windows = Windows::default();
        nic.attach(3, &Behaviour::default());
        nic.memory().expect("a NIC with DMA").back(Box::new(windows.clone()));
        let mut config = [0; 256];
        config[..2].copy_from_slice(&pci::VENDOR_ID.to_le_bytes());
        config[2..4].copy_from_slice(&pci::DEVICE_ID.to_le_bytes());
        config[8..12].copy_from_slice(&(pci::CLASS_CODE << 8 | u32::from(pci::REVISION_ID)).to_le_bytes());
        let wire = Loop::new(8 * nic.bus_bytes(), CALM, ChaCha8Rng::seed_from_u64(9));
        let iovas = IovaSpace::new(&[0..=u64::from(u32::MAX)], PAGE, 1 << 28);
        let state = State { nic, wire, config, vectors: Vec::new(), lines: 0, windows, iovas, left: accesses, spoilt: BTreeMap::new() };
        InProcess(Arc::new(Mutex::new(state)))
    }

    /// Accesses until it is gone.
    pub fn left(&self) -> u64 {
        self.state().left
    }

    /// Makes a register read otherwise from now on.
    pub fn spoil(&self, offset: u32, value: u32) {
        self.state().spoilt.insert(offset, value);
    }

    /// Changes what happens to what is sent.
    pub fn set_weather(&self, weather: Weather) {
        self.state().wire.set_weather(weather);
    }

    /// The memory that the NIC knows by this address, and where in it that is.
    pub fn memory_at(&self, address: u64) -> Option<(Arc<Shared>, usize)> {
        self.state().windows.find(address, 1)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts an access; `false` when the device is gone.
    fn is_there(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    fn pass(&mut self, written: Option<u32>) {
        for _ in 0..CLOCKS {
            let input = self.wire.inputs(self.nic.clk(), self.nic.now(), &self.nic.output());
            self.nic.step(&input);
            self.signal(0);
        }
        // An interrupt that is still up after a write of these registers is signalled again.
        let again = [dma::INTERRUPT.address(), dma::INTERRUPT_MASK.address()].map(Some).contains(&written);
        self.signal(if again { u32::MAX } else { 0 });
    }

    /// Signals the vectors whose lines rose, and of `again` those that are up.
    fn signal(&mut self, again: u32) {
        let lines = self.nic.irq();
        let due = lines & (!self.lines | again);
        self.lines = lines;
        for (line, fd) in self.vectors.iter().enumerate().filter(|(line, _)| due >> line & 1 != 0) {
            rustix::io::write(fd, &1u64.to_ne_bytes()).unwrap_or_else(|e| panic!("line {line}: {e}"));
        }
    }
}

impl Transport for InProcess {
    fn name(&self) -> &str {
        "in-process"
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

    /// A refused read gives its value, as PCI Express does, and not its error.
    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        let mut s = self.state();
        if !s.is_there() {
            return Ok(u32::MAX);
        }
        let value = s.nic.read32(offset).unwrap_or(BAD_READ);
        s.pass(None);
        Ok(s.spoilt.get(&offset).copied().unwrap_or(value))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        let mut s = self.state();
        if s.is_there() {
            // Posted: an error goes unreported.
            let _ = s.nic.write32(offset, value);
            s.pass(Some(offset));
        }
        Ok(())
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        let mut s = self.state();
        let at = usize::from(offset);
        if s.is_there() {
            to.copy_from_slice(&s.config[at..at + to.len()])
        } else {
            to.fill(0xff)
        }
        Ok(())
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        let mut s = self.state();
        let at = usize::from(offset);
        if s.is_there() && offset == pci::COMMAND {
            s.config[at..at + from.len()].copy_from_slice(from);
        }
        Ok(())
    }

    fn dma_map(&self, bytes: usize) -> Result<Dma, Failure> {
        let shared = Arc::new(Shared::new(bytes).expect("memory"));
        let mut s = self.state();
        let (asked, left) = (shared.bytes() as u64, s.iovas.longest());
        let none = || Failure::NoAddresses { device: self.name().into(), asked, left };
        let address = s.iovas.take(asked).ok_or_else(none)?;
        s.windows.map().insert(address, shared.clone());
        Ok(Dma::new(Mapped { shared, iova: address }))
    }

    fn dma_unmap(&self, memory: Dma) -> Result<(), Failure> {
        let mut s = self.state();
        s.windows.map().remove(&memory.address());
        s.iovas.give(memory.address(), memory.bytes() as u64);
        Ok(())
    }

    fn enable_msix(&self, vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        let fds = || (0..vectors).map(|_| eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)).collect::<Result<Vec<_>, _>>();
        let ours = fds().expect("eventfds");
        let theirs = ours.iter().map(|fd| fd.try_clone().expect("an eventfd")).collect();
        self.state().vectors = theirs;
        Ok(ours)
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        self.state().vectors.clear();
        Ok(())
    }

    fn reset(&self) -> Result<(), Failure> {
        let mut s = self.state();
        if s.is_there() {
            s.nic.reset(16);
            s.wire.reset();
            s.config[4..6].fill(0);
            s.vectors.clear();
            s.lines = 0;
        }
        Ok(())
    }
}
