//! A device behind a vfio-user socket: `timely-sim serve`, or any server of that protocol.
mod link;
pub mod wire;

use super::iova::IovaSpace;
use super::memory::{Mapped, PAGE, Shared};
use super::{Dma, Failure, Transport};
use crate::board::{Bars, Place, Placed, locate};
use crate::folders::{file_name, runtime_folder};
use crate::lock::Lock;
use link::{Link, MOST_FDS};
use rustix::event::{EventfdFlags, eventfd};
use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;
use timely_regs::device::Memory;
use timely_regs::pci;
use wire::{Body, Command, u32_at, u64_at};

/// How long a reply is waited for: a Verilated NIC may be in the middle of something.
pub const LIMIT: Duration = Duration::from_secs(30);
/// Bytes of all addresses that are given out for DMA.
const DMA_BYTES: u64 = 1 << 30;

/// A connected device.
pub struct VfioUser {
    link: Link,
    placed: Placed,
    config_bytes: u64,
    resettable: bool,
    /// Descriptors that the server takes in one message.
    fds: usize,
    iovas: RefCell<IovaSpace>,
    /// Goes last: the device is free when the connection is gone.
    _lock: Lock,
}

fn region_bytes(link: &Link, region: u32) -> Result<u64, Failure> {
    let asked = Body::default().u32(32).u32(0).u32(region).u32(0).u64(0).u64(0);
    Ok(u64_at(&link.call(Command::RegionInfo, &asked.0, &[])?, 16))
}

impl Bars for VfioUser {
    fn name(&self) -> &str {
        self.link.device()
    }

    fn ids(&self) -> Result<(u16, u16), Failure> {
        let mut ids = [0; 4];
        self.read_config(pci::ID, &mut ids)?;
        Ok((u16::from_le_bytes([ids[0], ids[1]]), u16::from_le_bytes([ids[2], ids[3]])))
    }

    fn bytes(&self, bar: u32) -> Result<u64, Failure> {
        region_bytes(&self.link, bar)
    }

    fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure> {
        let mut word = [0; 4];
        self.region_read(bar, offset.into(), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }
}

impl VfioUser {
    /// Connects to the server at `path` and asks what it has.
    ///
    /// # Errors
    /// When another process has the device, no server is there, or it is no PCI device with the
    /// regions of a timely-nic.
    pub fn connect(path: &Path) -> Result<Self, Failure> {
        Self::connect_within(path, LIMIT, None)
    }

    /// Connects with another limit on the wait for each reply, and the registers where `asked`
    /// says.
    ///
    /// # Errors
    /// As [`VfioUser::connect`].
    pub fn connect_within(path: &Path, limit: Duration, asked: Option<Place>) -> Result<Self, Failure> {
        let device = format!("vfio-user:{}", path.display());
        // No lock for a server that is not there, and none where none can be.
        let there = std::os::unix::net::SocketAddr::from_pathname(path).and_then(|_| std::fs::symlink_metadata(path));
        there.map_err(|e| link::unreachable(&device, path, e))?;
        let lock = Lock::take(&device, &runtime_folder()?.join(format!("{}.lock", file_name(&device))))?;
        let link = Link::connect(device.clone(), path, limit)?;
        let protocol = |what: String| Failure::Protocol { device: device.clone(), what };

        let capabilities = serde_json::json!({"capabilities": {"max_msg_fds": MOST_FDS, "max_data_xfer_size": 1 << 20}});
        let hello = Body::default().u16(wire::MAJOR).u16(wire::MINOR).bytes(capabilities.to_string().as_bytes()).bytes(&[0]);
        let version = link.call(Command::Version, &hello.0, &[])?;
        let major = u32_at(&version, 0) as u16;
        if version.len() < 4 || major != wire::MAJOR {
            return Err(protocol(format!("the server speaks version {major} of vfio-user, this software version {}", wire::MAJOR)));
        }
        // A server that names no limit takes 1 descriptor; a text that is no JSON names none.
        let text = version[4..].split(|b| *b == 0).next().unwrap_or_default();
        let said: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
        let fds = said["capabilities"]["max_msg_fds"].as_u64().unwrap_or(1).clamp(1, MOST_FDS as u64) as usize;

        let info = link.call(Command::DeviceInfo, &Body::default().u32(16).u32(0).u32(0).u32(0).0, &[])?;
        let (flags, regions) = (u32_at(&info, 4), u32_at(&info, 8));
        if flags & wire::DEVICE_PCI == 0 || regions <= wire::CONFIG_REGION {
            return Err(protocol(format!("the server has no PCI device: flags {flags:#x}, {regions} regions")));
        }
        let config_bytes = region_bytes(&link, wire::CONFIG_REGION)?;
        let iovas = RefCell::new(IovaSpace::new(&[0..=(1 << 39) - 1], PAGE as u64, DMA_BYTES));
        let resettable = flags & wire::DEVICE_RESET != 0;
        let placed = Placed::standalone(0);
        let mut device = VfioUser { link, placed, config_bytes, resettable, fds, iovas, _lock: lock };
        device.placed = locate(&device, asked)?;
        Ok(device)
    }

    fn region_read(&self, region: u32, offset: u64, to: &mut [u8]) -> Result<(), Failure> {
        let asked = Body::default().u64(offset).u32(region).u32(to.len() as u32);
        let reply = self.link.call(Command::RegionRead, &asked.0, &[])?;
        let Some(data) = reply.get(16..).filter(|d| d.len() == to.len()) else {
            let what = format!("{} bytes were read at {offset:#x} of region {region}, the reply has {}", to.len(), reply.len());
            return Err(Failure::Protocol { device: self.link.device().into(), what });
        };
        to.copy_from_slice(data);
        Ok(())
    }

    fn region_write(&self, region: u32, offset: u64, from: &[u8]) -> Result<(), Failure> {
        let asked = Body::default().u64(offset).u32(region).u32(from.len() as u32).bytes(from);
        self.link.call(Command::RegionWrite, &asked.0, &[]).map(|_| ())
    }

    fn config_offset(&self, offset: u16, bytes: usize) -> Result<u64, Failure> {
        let at = u64::from(offset);
        if at + bytes as u64 <= self.config_bytes {
            return Ok(at);
        }
        let what = format!("configuration space has {} bytes, offset {offset:#x} is not in it", self.config_bytes);
        Err(Failure::Protocol { device: self.link.device().into(), what })
    }

    /// The offset of the PCI Express capability, if there is one.
    fn express(&self) -> Result<Option<u16>, Failure> {
        let mut at = [0];
        self.read_config(pci::CAPABILITIES, &mut at)?;
        // No list is longer, so a walk over a broken one ends.
        for _ in 0..64 {
            let mut head = [0; 2];
            let offset = u16::from(at[0] & !3);
            if offset == 0 {
                break;
            }
            self.read_config(offset, &mut head)?;
            if head[0] == pci::CAP_EXPRESS {
                return Ok(Some(offset));
            }
            at[0] = head[1];
        }
        Ok(None)
    }
}

impl Transport for VfioUser {
    fn name(&self) -> &str {
        self.link.device()
    }

    fn kind(&self) -> &'static str {
        "vfio-user"
    }

    fn keeps_state(&self) -> bool {
        true
    }

    fn registers_bytes(&self) -> u64 {
        self.placed.bytes
    }

    fn placed(&self) -> Placed {
        self.placed
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        let mut word = [0; 4];
        self.region_read(self.placed.place.bar, u64::from(self.placed.place.offset) + u64::from(offset), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        self.region_write(self.placed.place.bar, u64::from(self.placed.place.offset) + u64::from(offset), &value.to_le_bytes())
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        self.region_read(wire::CONFIG_REGION, self.config_offset(offset, to.len())?, to)
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        self.region_write(wire::CONFIG_REGION, self.config_offset(offset, from.len())?, from)
    }

    fn dma_map(&self, bytes: usize) -> Result<Dma, Failure> {
        let device = || self.link.device().to_owned();
        let shared = Shared::new(bytes).map_err(|source| Failure::Io {
            device: device(),
            what: format!("{bytes} bytes of DMA memory cannot be had"),
            source,
            next: "free memory, or raise the limit on open files",
        })?;
        let size = shared.bytes() as u64;
        let mut iovas = self.iovas.borrow_mut();
        let left = iovas.longest();
        let iova = iovas.take(size).ok_or_else(|| Failure::NoAddresses { device: device(), asked: size, left })?;
        let asked = Body::default().u32(32).u32(wire::DMA_READ_WRITE).u64(0).u64(iova).u64(size);
        if let Err(e) = self.link.call(Command::DmaMap, &asked.0, &[shared.fd()]) {
            iovas.give(iova, size);
            return Err(e);
        }
        Ok(Dma::new(Mapped { shared: shared.into(), iova }))
    }

    fn dma_unmap(&self, memory: Dma) -> Result<(), Failure> {
        let (iova, size) = (memory.address(), memory.bytes() as u64);
        self.link.call(Command::DmaUnmap, &Body::default().u32(24).u32(0).u64(iova).u64(size).0, &[])?;
        self.iovas.borrow_mut().give(iova, size);
        Ok(())
    }

    fn enable_msix(&self, vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        let needed = u32::from(vectors);
        let info = self.link.call(Command::IrqInfo, &Body::default().u32(16).u32(0).u32(wire::MSIX_INDEX).u32(0).0, &[])?;
        let found = u32_at(&info, 12);
        if found < needed {
            return Err(Failure::Vectors { device: self.link.device().into(), found, needed });
        }
        let fd = || eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        let fds: Vec<OwnedFd> = (0..vectors).map(|_| fd()).collect::<Result<_, _>>().map_err(|e| Failure::Io {
            device: self.link.device().into(),
            what: format!("{vectors} eventfds cannot be had"),
            source: e.into(),
            next: "raise the limit on open files (ulimit -n)",
        })?;
        for (i, some) in fds.chunks(self.fds).enumerate() {
            let borrowed: Vec<_> = some.iter().map(AsFd::as_fd).collect();
            let body = Body::default().u32(20).u32(wire::IRQ_EVENTFD | wire::IRQ_TRIGGER).u32(wire::MSIX_INDEX);
            let body = body.u32((i * self.fds) as u32).u32(some.len() as u32);
            self.link.call(Command::SetIrqs, &body.0, &borrowed)?;
        }
        Ok(fds)
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        let body = Body::default().u32(20).u32(wire::IRQ_NONE | wire::IRQ_TRIGGER).u32(wire::MSIX_INDEX).u32(0).u32(0);
        self.link.call(Command::SetIrqs, &body.0, &[]).map(|_| ())
    }

    /// By the command of the protocol, or as the guest of a virtual machine would, through
    /// configuration space.
    fn reset(&self) -> Result<(), Failure> {
        if self.resettable {
            return self.link.call(Command::Reset, &[], &[]).map(|_| ());
        }
        let Some(express) = self.express()? else {
            let what = "the device cannot be reset: it has neither the command nor a PCI Express capability".into();
            return Err(Failure::Protocol { device: self.link.device().into(), what });
        };
        let mut control = [0; 2];
        self.read_config(express + pci::EXPRESS_CONTROL, &mut control)?;
        let control = u16::from_le_bytes(control) | pci::EXPRESS_CONTROL_FLR;
        self.write_config(express + pci::EXPRESS_CONTROL, &control.to_le_bytes())
    }
}
