//! A card by its BAR in sysfs, `/sys/bus/pci/devices/ADDRESS/resourceN`, beside a network driver
//! that has no character device of its own, as OpenNIC's: registers and nothing else, for root.
//!
//! The kernel lets root map a BAR that a driver uses, unless it was built with
//! CONFIG_IO_STRICT_DEVMEM or is locked down. Corundum's driver has a better way, and what vfio-pci
//! has is not shared.
use super::Failure;
use super::bar::Bar;
use super::beside::{Beside, Way};
use crate::board::{Bars, Place, locate};
use crate::lock::{self, Lock};
use crate::pci::{Address, Found, System};
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// The way, as it is printed.
const KIND: &str = "a BAR in sysfs";
/// Advice for users that need more than registers.
const INSTEAD: &str = "hand the card to vfio-pci for that (`timelyctl bind ADDRESS`: its network interface is gone meanwhile), or read \
                       telemetry in its place (`timelyctl telemetry --watch`)";
/// Error of a map that the kernel refuses because a driver has the BAR.
const EINVAL: i32 = 22;
/// Error of a map that the kernel refuses under lockdown, though the file was opened.
const EPERM: i32 = 1;

/// Opens a card that its network driver has, its registers where `asked` says, or where its board
/// has them.
///
/// # Errors
/// When another process has the card, vfio-pci or Corundum's driver does, its memory is off, or the
/// kernel does not allow BARs to be mapped.
pub fn open(address: Address, asked: Option<Place>) -> Result<Beside, Failure> {
    // The lock of the card, whichever way it is reached.
    let lock = Lock::take(&format!("sysfs:{address}"), &lock::path_of(&address.to_string())?)?;
    with(&System::default(), address, asked, lock)
}

/// Opens a card in a tree of `system`.
fn with(system: &System, address: Address, asked: Option<Place>, lock: Lock) -> Result<Beside, Failure> {
    let card =
        Card { name: format!("sysfs:{address}"), folder: system.folder(address), found: system.find(address)?, list: RefCell::default() };
    card.check()?;
    let placed = locate(&card, asked)?;
    let registers = card.map(placed.place.bar)?;
    Ok(Beside::new(Way { kind: KIND, instead: INSTEAD }, &card.name, placed, registers, lock))
}

/// A card, whose registers are to be found.
struct Card {
    name: String,
    folder: PathBuf,
    found: Found,
    /// The BAR that was read from last, mapped: a list of blocks is many reads of one.
    list: RefCell<Option<(u32, Bar)>>,
}

impl Card {
    /// Checks that neither Corundum's driver nor vfio-pci has the card, and that its memory is on:
    /// where it is off, every access would read all ones.
    fn check(&self) -> Result<(), Failure> {
        let refused = |what: String, next: String| Err(Failure::Board { device: self.name.clone(), what, next });
        let address = self.found.address;
        if let Some(node) = &self.found.node {
            let what = format!(
                "{} has the card, and a way of its own to the registers",
                self.found.driver.as_deref().unwrap_or("Corundum's driver")
            );
            return refused(what, format!("give --device {}", node.display()));
        }
        if self.found.driver.as_deref() == Some("vfio-pci") {
            let next = format!("give --device {address}, or the card back to its network driver: timelyctl unbind {address}");
            return refused("vfio-pci has the card, for one user alone".into(), next);
        }
        let enable = self.folder.join("enable");
        match std::fs::read_to_string(&enable) {
            Ok(count) if count.trim() == "0" => {
                let driver = self.found.driver.as_deref().unwrap_or("nobody");
                let next = format!(
                    "load its network driver (insmod onic.ko of OpenNIC, insmod cndm.ko of taxi), or: echo 1 > {}",
                    enable.display()
                );
                refused(format!("its memory is off, and {driver} drives it"), next)
            }
            Ok(_) => Ok(()),
            Err(source) => Err(Failure::Io {
                device: self.name.clone(),
                what: format!("{} cannot be read", enable.display()),
                source,
                next: "is sysfs mounted?",
            }),
        }
    }

    fn resource(&self, bar: u32) -> PathBuf {
        self.folder.join(format!("resource{bar}"))
    }

    /// Maps a whole BAR.
    fn map(&self, bar: u32) -> Result<Bar, Failure> {
        let path = self.resource(bar);
        let failed = |what: &str, source: Error, next| Failure::Io {
            device: self.name.clone(),
            what: format!("{} cannot be {what}", path.display()),
            source,
            next,
        };
        let bytes = usize::try_from(self.bytes(bar)?).unwrap_or(usize::MAX);
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(|e| {
            let next = if e.kind() == ErrorKind::PermissionDenied { "run as root" } else { "`timelyctl list` shows the cards there are" };
            failed("opened", e, next)
        })?;
        Bar::map(file.as_raw_fd(), 0, bytes).map_err(|e| {
            let next = why_not(e.raw_os_error());
            failed("mapped", e, next)
        })
    }
}

/// Advice when the kernel refuses a map.
fn why_not(error: Option<i32>) -> &'static str {
    match error {
        Some(EINVAL) => {
            "the kernel keeps the BARs of a card that has a driver from everybody else (CONFIG_IO_STRICT_DEVMEM): boot with iomem=relaxed, or take \
             the card over (`timelyctl bind ADDRESS`)"
        }
        Some(EPERM) => "the kernel is locked down, as with Secure Boot: turn that off, or take the card over (`timelyctl bind ADDRESS`)",
        _ => "look at dmesg",
    }
}

impl Bars for Card {
    fn name(&self) -> &str {
        &self.name
    }

    fn ids(&self) -> Result<(u16, u16), Failure> {
        Ok((self.found.vendor, self.found.device))
    }

    /// The file has the BAR's size.
    fn bytes(&self, bar: u32) -> Result<u64, Failure> {
        Ok(std::fs::metadata(self.resource(bar)).map_or(0, |m| m.len()))
    }

    fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure> {
        let mut kept = self.list.borrow_mut();
        if let Some((of, mapped)) = kept.as_ref()
            && *of == bar
        {
            return Ok(mapped.read(offset));
        }
        let (_, mapped) = kept.insert((bar, self.map(bar)?));
        Ok(mapped.read(offset))
    }
}

#[cfg(test)]
mod tests;
