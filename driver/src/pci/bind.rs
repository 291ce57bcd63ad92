//! Handing a device to vfio-pci, and back to the driver it had.
use super::{Address, PciError, System};
use std::fs;
use std::path::{Path, PathBuf};

/// The driver that takes a device for user space.
const VFIO: &str = "vfio-pci";

/// Result of binding a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The device.
    pub address: Address,
    /// Driver that the device had before, if any.
    pub before: Option<String>,
    /// IOMMU group.
    pub group: u32,
}

impl System {
    fn put(&self, path: &Path, text: &str, next: &'static str) -> Result<(), PciError> {
        (self.write)(path, text).map_err(|source| PciError::Sysfs { path: path.into(), source, next })
    }

    fn release(&self, address: Address, driver: Option<&str>) -> Result<(), PciError> {
        let Some(driver) = driver else { return Ok(()) };
        let unbind = self.sys.join("bus/pci/drivers").join(driver).join("unbind");
        self.put(&unbind, &address.to_string(), "run as root; if it hangs, whoever uses the device must close it")
    }

    /// Hands devices to vfio-pci: all of them, or none. Each driver is first written to a file, for
    /// [`System::unbind`]; `memory` names the file.
    ///
    /// # Errors
    /// When the IOMMU does not guard one, it carries a default route, it is in use and `force` does
    /// not say to take it all the same, or the kernel refuses; those that were handed over before
    /// it are given back.
    pub fn bind(&self, devices: &[Address], memory: impl Fn(Address) -> PathBuf, force: bool) -> Result<Vec<Bound>, PciError> {
        // All is checked before anything changes hands.
        let mut all = Vec::new();
        for &address in devices {
            let before = self.find(address)?.driver;
            let group = self.check_group_among(address, devices)?;
            if before.as_deref() != Some(VFIO) {
                self.check_idle(address, force)?;
            }
            all.push((address, Bound { address, before, group }));
        }
        if !self.sys.join("bus/pci/drivers").join(VFIO).is_dir() {
            return Err(PciError::NoVfio);
        }
        let mut taken = Vec::new();
        for (address, bound) in &all {
            if bound.before.as_deref() == Some(VFIO) || taken.iter().any(|(a, _)| a == address) {
                continue;
            }
            // A part of it may have been done when it fails.
            taken.push((*address, bound.before.as_deref()));
            if let Err(e) = self.take(*address, bound.before.as_deref(), &memory(*address)) {
                // Back to how it was, so that a failure cuts off no network.
                for (address, before) in taken.into_iter().rev() {
                    let _ = self.return_to(address, before, &memory(address));
                }
                return Err(e);
            }
        }
        Ok(all.into_iter().map(|(_, bound)| bound).collect())
    }

    /// Hands one over, whatever it is.
    fn take(&self, address: Address, before: Option<&str>, memory: &Path) -> Result<(), PciError> {
        let remembered = fs::write(memory, before.unwrap_or(""));
        remembered.map_err(|source| PciError::Sysfs { path: memory.into(), source, next: "make its folder writable" })?;
        let root = "run as root, and load the module: modprobe vfio-pci";
        self.put(&self.folder(address).join("driver_override"), VFIO, root)?;
        self.release(address, before)?;
        self.put(&self.sys.join("bus/pci/drivers_probe"), &address.to_string(), root)?;
        let found = self.find(address)?.driver;
        if found.as_deref() == Some(VFIO) { Ok(()) } else { Err(PciError::NotTaken { device: address, wanted: VFIO.into(), found }) }
    }

    /// Returns one to the driver it had, wherever [`System::take`] has left it.
    fn return_to(&self, address: Address, before: Option<&str>, memory: &Path) -> Result<(), PciError> {
        let now = self.find(address)?.driver;
        let released = if now.as_deref() == Some(VFIO) { self.release(address, Some(VFIO)) } else { Ok(()) };
        // With its old driver it needs no probe; the override must not stay.
        let back = self.give_back(address, before.filter(|_| now.as_deref() != before));
        let _ = fs::remove_file(memory);
        released.and(back)
    }

    /// Gives a device back to the driver that it had before it was bound; gives that driver's name.
    ///
    /// # Errors
    /// When vfio-pci does not have it, or the kernel refuses.
    pub fn unbind(&self, address: Address, memory: &Path) -> Result<Option<String>, PciError> {
        self.check_given(address)?;
        let before = fs::read_to_string(memory).ok().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        self.release(address, Some(VFIO))?;
        self.give_back(address, before.as_deref())?;
        let found = self.find(address)?.driver;
        if let Some(wanted) = before
            && found.as_ref() != Some(&wanted)
        {
            return Err(PciError::NotTaken { device: address, wanted, found });
        }
        // Nothing is remembered that is not so any more.
        let _ = fs::remove_file(memory);
        Ok(found)
    }

    /// Checks that there is something to give back.
    ///
    /// # Errors
    /// When vfio-pci does not have the device.
    pub fn check_given(&self, address: Address) -> Result<(), PciError> {
        match self.find(address)?.driver {
            Some(driver) if driver == VFIO => Ok(()),
            driver => Err(PciError::NothingBound { device: address, driver }),
        }
    }

    fn give_back(&self, address: Address, driver: Option<&str>) -> Result<(), PciError> {
        // A line end clears the override.
        self.put(&self.folder(address).join("driver_override"), "\n", "run as root")?;
        if driver.is_some() {
            self.put(&self.sys.join("bus/pci/drivers_probe"), &address.to_string(), "run as root")?;
        }
        Ok(())
    }
}
