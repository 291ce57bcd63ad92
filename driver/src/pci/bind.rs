//! Handing a device to vfio-pci, and back to the driver it had.
use super::{Address, PciError, System};
use std::fs;
use std::path::Path;

/// The driver that takes a device for user space.
const VFIO: &str = "vfio-pci";

/// What binding found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Who had the device before.
    pub before: Option<String>,
    /// Its IOMMU group.
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

    /// Hands a device to vfio-pci. Who had it is written to `memory` first, for [`System::unbind`].
    ///
    /// # Errors
    /// When the IOMMU does not guard it, it carries the default route, or the kernel refuses.
    pub fn bind(&self, address: Address, memory: &Path) -> Result<Bound, PciError> {
        let before = self.find(address)?.driver;
        let group = self.check_group(address)?;
        if let Some(interface) = self.default_route(address) {
            return Err(PciError::Route { device: address, interface });
        }
        if before.as_deref() == Some(VFIO) {
            return Ok(Bound { before, group });
        }
        let remembered = fs::write(memory, before.as_deref().unwrap_or(""));
        remembered.map_err(|source| PciError::Sysfs { path: memory.into(), source, next: "make its folder writable" })?;
        let root = "run as root, and load the module: modprobe vfio-pci";
        self.put(&self.folder(address).join("driver_override"), VFIO, root)?;
        self.release(address, before.as_deref())?;
        self.put(&self.sys.join("bus/pci/drivers_probe"), &address.to_string(), root)?;
        let found = self.find(address)?.driver;
        if found.as_deref() != Some(VFIO) {
            // Back to how it was, so that a failure costs nobody a network.
            let _ = self.give_back(address, before.as_deref());
            return Err(PciError::NotTaken { device: address, wanted: VFIO.into(), found });
        }
        Ok(Bound { before, group })
    }

    /// Gives a device back to the driver that it had before it was bound; gives that driver's name.
    ///
    /// # Errors
    /// When vfio-pci does not have it, or the kernel refuses.
    pub fn unbind(&self, address: Address, memory: &Path) -> Result<Option<String>, PciError> {
        self.check_bound(address)?;
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

    fn give_back(&self, address: Address, driver: Option<&str>) -> Result<(), PciError> {
        // A line end clears the override.
        self.put(&self.folder(address).join("driver_override"), "\n", "run as root")?;
        if driver.is_some() {
            self.put(&self.sys.join("bus/pci/drivers_probe"), &address.to_string(), "run as root")?;
        }
        Ok(())
    }
}
