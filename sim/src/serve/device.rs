//! The PCI function around the NIC that is served, and the thread that owns it: the NIC, its clock,
//! its windows. Others send it requests.
use super::config::Config;
use super::pace::{AFTER_ACCESS, AFTER_BURST, AFTER_FRAME, AFTER_RESET, Pace};
use super::protocol::{CONFIG_REGION, Request};
use super::shell::{ALONE, Shell};
use super::vectors::Vectors;
use super::windows::Shared;
use super::wire::{End, Wire};
use crate::time::{Ps, US};
use rustix::io::Errno;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};
use timely_regs::map::{BAD_READ, dma};
use timely_regs::pci;

/// Clocks from a write's answer until the interrupt lines show what it did.
const SETTLE_CLOCKS: u64 = 16;
/// In which bursts in flight end.
const QUIESCE: Ps = 10 * US;

/// Order to the thread of the NIC.
#[derive(Debug)]
pub enum Order {
    /// A client is there.
    Connected,
    /// The client has gone.
    Gone,
    /// A request of the client; the answer goes into the channel.
    Ask(Request, Sender<Result<Vec<u8>, Errno>>),
    /// A frame comes from an end of the wire.
    Frame(End, Vec<u8>),
}

/// The function.
pub struct Function {
    shell: &'static Shell,
    wire: Wire,
    config: Config,
    msix: Vec<u8>,
    windows: Shared,
    vectors: Vectors,
    pace: Pace,
    /// A client that goes leaves the NIC as it is.
    keep: bool,
    connected: bool,
    /// The client wrote a register.
    written: bool,
    seen: Seen,
}

/// Counters when they were last looked at.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    frames: u64,
    bursts: u64,
}

impl Function {
    /// Around the first NIC of a wire, whose memory it takes the place of.
    pub fn new(mut wire: Wire, keep: bool) -> Self {
        let windows = Shared::default();
        if let Some(memory) = wire.core().memory() {
            memory.back(Box::new(windows.clone()));
            memory.hold(true);
        }
        let pace = Pace::new(wire.now(), Instant::now());
        let mut function = Function {
            shell: &ALONE,
            wire,
            config: Config::of(&ALONE),
            msix: Vec::new(),
            windows,
            vectors: Vectors::default(),
            pace,
            keep,
            connected: false,
            written: false,
            seen: Seen::default(),
        };
        function.reset();
        function
    }

    /// The function in another shell.
    pub fn behind(mut self, shell: &'static Shell) -> Self {
        if shell.name != self.shell.name {
            self.shell = shell;
            self.reset();
        }
        self
    }

    /// The shell around it.
    pub fn shell(&self) -> &'static Shell {
        self.shell
    }

    /// Serves until all senders of orders are gone.
    pub fn run(mut self, orders: &Receiver<Order>) {
        loop {
            let order = match self.rest() {
                Some(Duration::ZERO) => match orders.try_recv() {
                    Ok(order) => Some(order),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => return,
                },
                Some(wait) => match orders.recv_timeout(wait) {
                    Ok(order) => Some(order),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
                None => match orders.recv() {
                    Ok(order) => Some(order),
                    Err(_) => return,
                },
            };
            self.turn(order);
        }
    }

    /// Time with nothing to do; `None` until an order comes.
    fn rest(&mut self) -> Option<Duration> {
        if !self.connected && !self.keep {
            return None;
        }
        let wall = Instant::now();
        let next = self.wire.next();
        let limit = self.pace.limit(next, wall);
        if next == u64::MAX {
            return None;
        }
        if next > limit {
            return Some(Duration::from_nanos((next - limit).div_ceil(1000)));
        }
        Some(self.pace.wait(self.wire.clocks(), wall).unwrap_or(Duration::ZERO))
    }

    /// Carries out an order, and lets time run.
    fn turn(&mut self, order: Option<Order>) {
        let ordered = order.is_some();
        let limit = self.pace.limit(self.wire.next(), Instant::now());
        match order {
            Some(Order::Connected) => {
                self.connected = true;
                self.pace.restart(self.wire.now(), Instant::now());
                return;
            }
            Some(Order::Gone) => return self.gone(),
            Some(Order::Ask(request, answer)) => {
                self.wire.pass(limit);
                // The receiver of the answer may be gone.
                let _ = answer.send(self.asked(request));
            }
            Some(Order::Frame(end, frame)) => {
                self.wire.pass(limit);
                self.wire.offer(end, frame);
                self.pace.stir(self.wire.clocks(), AFTER_FRAME);
            }
            None => {}
        }
        let clocks = self.wire.clocks();
        if self.wire.next() < limit && (!ordered || self.pace.wait(clocks, Instant::now()).is_none()) {
            self.wire.step(limit);
        }
        self.look(false);
    }

    /// Looks at what has happened.
    fn look(&mut self, again: bool) {
        let bursts = self.wire.core().memory().map_or(0, |m| m.bursts());
        let now = Seen { frames: self.wire.frames(), bursts };
        let clocks = self.wire.clocks();
        if (self.connected || self.wire.is_between()) && now.frames != self.seen.frames {
            self.pace.stir(clocks, AFTER_FRAME);
        }
        if now.bursts != self.seen.bursts {
            self.pace.stir(clocks, AFTER_BURST);
        }
        self.seen = now;
        let lines = self.wire.core().irq();
        self.vectors.update(lines, again, self.config.is_master());
    }

    fn gone(&mut self) {
        self.connected = false;
        self.vectors.disarm();
        let written = std::mem::take(&mut self.written);
        if self.keep {
            // Nothing may go to old addresses in the next client's windows. A client that only
            // looked started no DMA, and a NIC that is not ready yet would count the write as an
            // error.
            if written && self.wire.core().memory().is_some() {
                let _ = self.wire.write32(dma::CONTROL.address(), 0);
            }
            let end = self.wire.now() + QUIESCE;
            while self.wire.now() < end && self.wire.core().memory().is_some_and(|m| !m.is_idle()) {
                self.wire.step(end);
            }
            self.write_config(pci::COMMAND.into(), &[0, 0]);
            self.pace.settle();
        } else {
            self.reset();
        }
        self.windows.lock().clear();
    }

    fn reset(&mut self) {
        self.wire.reset();
        self.config = Config::of(self.shell);
        self.msix = vec![0; pci::MSIX_BYTES as usize];
        for vector in 0..usize::from(pci::VECTORS) {
            // Masked, as every vector is after a reset.
            self.msix[pci::MSIX_TABLE as usize + vector * pci::MSIX_ENTRY_BYTES as usize + 12] = 1;
        }
        self.follow_master();
        self.pace.stir(self.wire.clocks(), AFTER_RESET);
        self.look(false);
    }

    /// Bursts wait while the function is no bus master.
    fn follow_master(&mut self) {
        let master = self.config.is_master();
        if let Some(memory) = self.wire.core().memory() {
            memory.hold(!master);
        }
    }

    fn asked(&mut self, request: Request) -> Result<Vec<u8>, Errno> {
        match request {
            Request::Read { region, offset, count } => return self.read(region, offset, count),
            Request::Write { region, offset, data } => self.write(region, offset, &data)?,
            Request::Map { address, size, file, offset, allowed } => self.windows.lock().map(address, size, file, offset, allowed)?,
            // No burst is in flight that would touch a window now: it is done with it when the
            // burst has been taken.
            Request::Unmap { address, size } => self.windows.lock().unmap(address, size)?,
            Request::UnmapAll => self.windows.lock().clear(),
            Request::Arm { start, fds } => {
                self.vectors.arm(start, fds)?;
                self.look(false);
            }
            Request::Disarm => self.vectors.disarm(),
            Request::Trigger { vectors } => vectors.into_iter().try_for_each(|v| self.vectors.trigger(v))?,
            Request::Reset => self.reset(),
        }
        Ok(Vec::new())
    }

    fn read(&mut self, region: u32, offset: u64, count: u32) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; count as usize];
        match region {
            bar if bar == self.shell.msix => {
                let from = self.msix.get(offset as usize..).and_then(|m| m.get(..bytes.len())).ok_or(Errno::INVAL)?;
                bytes.copy_from_slice(from);
            }
            CONFIG_REGION => {
                let pending = self.wire.core().memory().is_some_and(|m| !m.is_idle());
                self.config.read(offset as usize, &mut bytes, pending);
            }
            bar => {
                for (at, word) in (offset..).step_by(4).zip(bytes.chunks_exact_mut(4)) {
                    let value = match self.shell.address(bar, at) {
                        // A read that the NIC refuses is counted there; on PCI Express its data
                        // arrive all the same.
                        Some(address) => self.wire.read32(address).unwrap_or(BAD_READ),
                        None => self.shell.word(bar, at),
                    };
                    word.copy_from_slice(&value.to_le_bytes());
                }
                self.pace.stir(self.wire.clocks(), AFTER_ACCESS);
            }
        }
        Ok(bytes)
    }

    fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), Errno> {
        match region {
            bar if bar == self.shell.msix => {
                // The pending bits are the device's.
                let end = (offset as usize + data.len()).min(pci::MSIX_PBA as usize);
                if let Some(to) = self.msix.get_mut(offset as usize..end) {
                    let bytes = to.len();
                    to.copy_from_slice(&data[..bytes]);
                }
            }
            CONFIG_REGION => self.write_config(offset as usize, data),
            bar => {
                for (at, word) in (offset..).step_by(4).zip(data.chunks_exact(4)) {
                    let Some(addr) = self.shell.address(bar, at) else { continue };
                    // A write that the NIC refuses is counted there; PCI Express has no answer to a
                    // write.
                    self.written = true;
                    let _ = self.wire.write32(addr, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                    if addr == dma::INTERRUPT.address() || addr == dma::INTERRUPT_MASK.address() {
                        let end = self.wire.now() + SETTLE_CLOCKS * crate::nic::clock::NOMINAL_PS;
                        self.wire.advance(end);
                        self.look(true);
                    }
                }
                self.pace.stir(self.wire.clocks(), AFTER_ACCESS);
            }
        }
        Ok(())
    }

    fn write_config(&mut self, at: usize, data: &[u8]) {
        if self.config.write(at, data) {
            self.reset();
        }
        self.follow_master();
        self.look(false);
    }
}
