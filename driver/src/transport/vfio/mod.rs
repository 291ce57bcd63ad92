//! A PCI device through the kernel's VFIO, in group mode.
#![allow(unsafe_code)]
mod ioctl;

use super::bar::Bar;
use super::iova::IovaSpace;
use super::memory::{Mapped, PAGE, Shared};
use super::{Dma, Failure, Transport};
use crate::board::{Bars, Place, Placed, locate};
use crate::lock::{self, Lock};
use crate::pci::{Address, System, check_memlock, lockable};
use rustix::io::{pread, pwrite};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use timely_regs::device::Memory;
use timely_regs::pci;
use vfio_bindings::bindings::vfio::{
    VFIO_PCI_BAR0_REGION_INDEX, VFIO_PCI_CONFIG_REGION_INDEX, VFIO_PCI_MSIX_IRQ_INDEX, VFIO_PCI_REQ_IRQ_INDEX, VFIO_REGION_INFO_FLAG_MMAP,
};
use vfio_ioctls::{VfioContainer, VfioDevice, VfioError, VfioOps};
use vmm_sys_util::eventfd::EventFd;

/// Bytes of all addresses that are given out for DMA.
const DMA_BYTES: u64 = 1 << 30;
/// Bytes that a driver with a large event ring locks.
const LOCKED_BYTES: u64 = 68 << 20;

/// A device. Fields are dropped in their order, which is the one that the kernel wants: mapping,
/// device, container, lock.
pub struct Vfio {
    name: String,
    placed: Placed,
    bar: Option<Bar>,
    device: ManuallyDrop<VfioDevice>,
    container: Arc<VfioContainer>,
    removal: Option<EventFd>,
    iovas: RefCell<IovaSpace>,
    sysfs: PathBuf,
    _lock: Lock,
}

fn explained(device: &str, what: &str, error: VfioError, next: &'static str) -> Failure {
    let source = std::io::Error::other(error);
    Failure::Io { device: device.into(), what: what.into(), source, next }
}

impl Vfio {
    /// Opens a device that vfio-pci has, its registers where `asked` says, or where its board has
    /// them.
    ///
    /// # Errors
    /// When another process has it, the IOMMU does not guard it, too little memory may be locked,
    /// or the kernel refuses.
    pub fn open(address: Address, asked: Option<Place>) -> Result<Self, Failure> {
        let (name, system) = (address.to_string(), System::default());
        let lock = Lock::take(&name, &lock::path_of(&name)?)?;
        let found = system.find(address)?;
        let group = system.check_group(address)?;
        system.check_bound(address)?;
        check_memlock(LOCKED_BYTES, lockable())?;
        if Path::new("/dev/vfio").join(format!("noiommu-{group}")).exists() {
            return Err(crate::pci::PciError::UnsafeGroup(address).into());
        }
        // The kernel opens a group for one process of any user: another user's lock is in another
        // folder.
        let node = Path::new("/dev/vfio").join(group.to_string());
        if std::fs::File::options().read(true).write(true).open(&node).is_err_and(|e| e.kind() == std::io::ErrorKind::ResourceBusy) {
            let holder = format!("another process, which has its IOMMU group open (`fuser -v {}` shows it)", node.display());
            return Err(Failure::InUse { device: name, holder });
        }
        let failed = |what: &str, next| {
            let name = name.clone();
            let what = what.to_owned();
            move |e| explained(&name, &what, e, next)
        };
        let container = VfioContainer::new(None).map_err(failed("VFIO cannot be opened", "load it: modprobe vfio-pci"))?;
        let container = Arc::new(container);
        let sysfs = system.folder(address);
        let permission = "give your user /dev/vfio/GROUP (the udev rule in driver/system does), and end whoever else has the group open";
        let device = VfioDevice::new(&sysfs, container.clone() as Arc<dyn VfioOps>, true);
        let device = ManuallyDrop::new(device.map_err(failed(&format!("IOMMU group {group} cannot be opened"), permission))?);
        // SAFETY: the container owns the descriptor and outlives the borrow.
        let container_fd = unsafe { BorrowedFd::borrow_raw(container.as_raw_fd()) };
        let valid = ioctl::valid_addresses(container_fd).map_err(|source| Failure::Io {
            device: name.clone(),
            what: "the IOMMU does not say which addresses it translates".into(),
            source,
            next: "use a kernel from 5.4 on",
        })?;
        let iovas = RefCell::new(IovaSpace::new(&valid, PAGE as u64, DMA_BYTES));
        let placed = Placed::standalone(0);
        let mut vfio = Vfio { name, placed, bar: None, device, container, removal: None, iovas, sysfs, _lock: lock };
        vfio.placed = locate(&Seen { vfio: &vfio, ids: (found.vendor, found.device) }, asked)?;
        vfio.map_registers()?;
        vfio.watch_removal()?;
        Ok(vfio)
    }

    fn map_registers(&mut self) -> Result<(), Failure> {
        let (index, bytes) = (self.region(), self.registers_bytes());
        if self.device.get_region_flags(index) & VFIO_REGION_INFO_FLAG_MMAP == 0 {
            // Slower, but the kernel may have its reasons: then every access is a system call.
            return Ok(());
        }
        let offset = self.device.get_region_offset(index) + u64::from(self.placed.place.offset);
        let bar = Bar::map(self.device.as_raw_fd(), offset, bytes as usize);
        self.bar = Some(bar.map_err(|e| self.failed("the registers cannot be mapped", e, "look at dmesg"))?);
        Ok(())
    }

    /// Watches for the kernel's request to give the device back: without a listener, unbinding the
    /// device would hang.
    fn watch_removal(&mut self) -> Result<(), Failure> {
        if self.device.get_irq_info(VFIO_PCI_REQ_IRQ_INDEX).is_none() {
            return Ok(());
        }
        let fd = EventFd::new(nix::libc::EFD_NONBLOCK | nix::libc::EFD_CLOEXEC);
        let fd = fd.map_err(|e| self.failed("an eventfd cannot be had", e, "raise the limit on open files (ulimit -n)"))?;
        let enabled = self.device.enable_irq(VFIO_PCI_REQ_IRQ_INDEX, vec![&fd]);
        enabled.map_err(|e| explained(&self.name, "the kernel's request to give the device back cannot be heard", e, "look at dmesg"))?;
        self.removal = Some(fd);
        Ok(())
    }

    /// The region of the registers' BAR.
    fn region(&self) -> u32 {
        VFIO_PCI_BAR0_REGION_INDEX + self.placed.place.bar
    }

    fn failed(&self, what: &str, source: std::io::Error, next: &'static str) -> Failure {
        Failure::Io { device: self.name.clone(), what: what.into(), source, next }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the device owns the descriptor and outlives the borrow.
        unsafe { BorrowedFd::borrow_raw(self.device.as_raw_fd()) }
    }

    /// The place of bytes of a region in the device's file.
    fn place(&self, region: u32, offset: u64, bytes: usize) -> Result<u64, Failure> {
        let size = self.device.get_region_size(region);
        if offset + bytes as u64 <= size {
            return Ok(self.device.get_region_offset(region) + offset);
        }
        let what = format!("region {region} has {size} bytes, offset {offset:#x} is not in it");
        Err(Failure::Protocol { device: self.name.clone(), what })
    }

    /// `vfio-ioctls` only logs what goes wrong here.
    fn read_region(&self, region: u32, offset: u64, to: &mut [u8]) -> Result<(), Failure> {
        let (place, wanted) = (self.place(region, offset, to.len())?, to.len());
        match pread(self.fd(), to, place) {
            Ok(read) if read == wanted => Ok(()),
            Ok(_) => Err(self.failed(
                &format!("a read at {offset:#x} of region {region} was cut short"),
                std::io::ErrorKind::UnexpectedEof.into(),
                "look at dmesg",
            )),
            Err(e) => {
                Err(self.failed(&format!("a read at {offset:#x} of region {region}"), e.into(), "is the device still there? look at dmesg"))
            }
        }
    }

    fn write_region(&self, region: u32, offset: u64, from: &[u8]) -> Result<(), Failure> {
        let place = self.place(region, offset, from.len())?;
        match pwrite(self.fd(), from, place) {
            Ok(n) if n == from.len() => Ok(()),
            Ok(_) => Err(self.failed(
                &format!("a write at {offset:#x} of region {region} was cut short"),
                std::io::ErrorKind::WriteZero.into(),
                "look at dmesg",
            )),
            Err(e) => Err(self.failed(
                &format!("a write at {offset:#x} of region {region}"),
                e.into(),
                "is the device still there? look at dmesg",
            )),
        }
    }
}

/// A device that was opened, whose registers were not found yet.
struct Seen<'a> {
    vfio: &'a Vfio,
    ids: (u16, u16),
}

impl Bars for Seen<'_> {
    fn name(&self) -> &str {
        &self.vfio.name
    }

    fn ids(&self) -> Result<(u16, u16), Failure> {
        Ok(self.ids)
    }

    fn bytes(&self, bar: u32) -> Result<u64, Failure> {
        Ok(self.vfio.device.get_region_size(VFIO_PCI_BAR0_REGION_INDEX + bar))
    }

    fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure> {
        let mut word = [0; 4];
        self.vfio.read_region(VFIO_PCI_BAR0_REGION_INDEX + bar, offset.into(), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }
}

impl Drop for Vfio {
    fn drop(&mut self) {
        self.bar = None;
        // To close it, `vfio-ioctls` looks its group up in sysfs, and panics where a card that was
        // pulled has no entry any more. Its descriptors are then left to the end of the process.
        if self.sysfs.join("iommu_group").exists() {
            // SAFETY: nothing uses the device any more, and it is dropped here alone.
            unsafe { ManuallyDrop::drop(&mut self.device) }
        }
    }
}

impl Transport for Vfio {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "kernel VFIO"
    }

    /// The kernel resets a function when its last user closes it.
    fn keeps_state(&self) -> bool {
        false
    }

    fn registers_bytes(&self) -> u64 {
        self.placed.bytes
    }

    fn placed(&self) -> Placed {
        self.placed
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        if let Some(bar) = &self.bar {
            return Ok(bar.read(offset));
        }
        let mut word = [0; 4];
        self.read_region(self.region(), u64::from(self.placed.place.offset) + u64::from(offset), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        if let Some(bar) = &self.bar {
            bar.write(offset, value);
            return Ok(());
        }
        self.write_region(self.region(), u64::from(self.placed.place.offset) + u64::from(offset), &value.to_le_bytes())
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        self.read_region(VFIO_PCI_CONFIG_REGION_INDEX, offset.into(), to)
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        self.write_region(VFIO_PCI_CONFIG_REGION_INDEX, offset.into(), from)
    }

    fn dma_map(&self, bytes: usize) -> Result<Dma, Failure> {
        let shared = Shared::new(bytes);
        let shared = shared.map_err(|e| self.failed(&format!("{bytes} bytes of DMA memory cannot be had"), e, "free memory"))?;
        let size = shared.bytes();
        let mut iovas = self.iovas.borrow_mut();
        let left = iovas.longest();
        let none = || Failure::NoAddresses { device: self.name.clone(), asked: size as u64, left };
        let iova = iovas.take(size as u64).ok_or_else(none)?;
        // SAFETY: the mapping lives in `Mapped` until `dma_unmap` has taken it from the device, or
        // for ever where that fails; nothing accesses it but volatile reads and writes.
        let mapped = unsafe { self.container.vfio_dma_map(iova, size, shared.pointer()) };
        if let Err(e) = mapped {
            iovas.give(iova, size as u64);
            let next = "raise the limit on locked memory (ulimit -l), and look at dmesg";
            return Err(explained(&self.name, &format!("{size} bytes cannot be mapped for DMA at {iova:#x}"), e, next));
        }
        Ok(Dma::new(Mapped { shared: shared.into(), iova }))
    }

    fn dma_unmap(&self, memory: Dma) -> Result<(), Failure> {
        let (iova, size) = (memory.address(), memory.bytes());
        if let Err(e) = self.container.vfio_dma_unmap(iova, size) {
            // The device may still write to it.
            std::mem::forget(memory);
            return Err(explained(&self.name, &format!("DMA memory at {iova:#x} cannot be unmapped"), e, "look at dmesg"));
        }
        self.iovas.borrow_mut().give(iova, size as u64);
        Ok(())
    }

    fn enable_msix(&self, vectors: u16) -> Result<Vec<OwnedFd>, Failure> {
        let found = self.device.get_irq_info(VFIO_PCI_MSIX_IRQ_INDEX).map_or(0, |i| i.count);
        if found < vectors.into() {
            return Err(Failure::Vectors { device: self.name.clone(), found, needed: vectors.into() });
        }
        let fd = |_| EventFd::new(nix::libc::EFD_NONBLOCK | nix::libc::EFD_CLOEXEC);
        let fds: Result<Vec<_>, _> = (0..vectors).map(fd).collect();
        let fds = fds.map_err(|e| self.failed("eventfds cannot be had", e, "raise the limit on open files (ulimit -n)"))?;
        let enabled = self.device.enable_msix(fds.iter().collect());
        enabled.map_err(|e| explained(&self.name, "MSI-X cannot be turned on", e, "look at dmesg: interrupt remapping may be off"))?;
        // SAFETY: `into_raw_fd` gives up a descriptor that has no other owner.
        Ok(fds.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd.into_raw_fd()) }).collect())
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        self.device.disable_msix().map_err(|e| explained(&self.name, "MSI-X cannot be turned off", e, "look at dmesg"))
    }

    fn reset(&self) -> Result<(), Failure> {
        ioctl::reset(self.fd()).map_err(|e| self.failed("the device cannot be reset", e, "it needs FLR, or a slot that can be reset alone"))
    }

    fn removal(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the eventfd is `self`'s and outlives the borrow.
        self.removal.as_ref().map(|fd| unsafe { BorrowedFd::borrow_raw(fd.as_raw_fd()) })
    }
}

/// BAR 0 is where the register map is; the constants of kernel and map must agree.
const _: () = assert!(VFIO_PCI_BAR0_REGION_INDEX == pci::REGISTERS_BAR);
