//! A Corundum board through the character device of its own driver, /dev/mqnicN, beside the network
//! interface: registers and nothing else.
//!
//! Corundum's driver gives the whole of BAR 2 to each process that may open the file, so the
//! registers are those of any other transport.
mod ioctl;

use super::Failure;
use super::bar::Bar;
use super::beside::{Beside, Way};
use crate::board::{Bars, locate};
use crate::lock::{self, Lock};
use ioctl::{API_VERSION, APP_CONTROL, MOST_REGIONS, NIC_CONTROL};
pub use ioctl::{Answers, Region};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::path::Path;
use timely_regs::board::CORUNDUM;

/// The way, as it is printed.
const KIND: &str = "Corundum's character device";
/// Advice for users that need more than registers.
const INSTEAD: &str = "hand the card to vfio-pci for that (`timelyctl bind ADDRESS`: its network interface is gone meanwhile), or read \
                       telemetry in its place (`timelyctl telemetry --watch`)";

/// The BARs as they are mapped to find the registers.
struct Seen<'a> {
    name: &'a str,
    control: &'a Bar,
    control_bytes: u64,
    app: Option<&'a Bar>,
    app_bytes: u64,
}

impl Bars for Seen<'_> {
    fn name(&self) -> &str {
        self.name
    }

    /// The network driver takes no other card.
    fn ids(&self) -> Result<(u16, u16), Failure> {
        Ok((CORUNDUM.vendor, CORUNDUM.devices[0]))
    }

    fn bytes(&self, bar: u32) -> Result<u64, Failure> {
        Ok(match bar {
            0 => self.control_bytes,
            2 => self.app_bytes,
            _ => 0,
        })
    }

    fn read32(&self, bar: u32, offset: u32) -> Result<u32, Failure> {
        let bar = if bar == 0 { Some(self.control) } else { self.app };
        Ok(bar.map_or(u32::MAX, |b| b.read(offset)))
    }
}

/// Opens the character device.
///
/// # Errors
/// When another process has it, it may not be opened, is none of Corundum's, or the card has
/// another application.
pub fn open(path: &Path) -> Result<Beside, Failure> {
    let name = path.display().to_string();
    let lock = Lock::take(&name, &lock::path_of(&name)?)?;
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(|source| {
        let next = match source.kind() {
            ErrorKind::NotFound => "load Corundum's module (modprobe mqnic); `timelyctl list` shows who drives the card",
            ErrorKind::PermissionDenied => "install driver/system/99-timely.rules, or run as root",
            _ => "look at dmesg",
        };
        Failure::Io { device: name.clone(), what: "the character device cannot be opened".into(), source, next }
    })?;
    let node = file.try_clone().map_err(|source| Failure::Io {
        device: name.clone(),
        what: "its descriptor cannot be copied".into(),
        source,
        next: "raise the limit on open files (ulimit -n)",
    })?;
    let lock = lock.and_node(&name, path, node)?;
    with(&name, &file, &file, lock)
}

/// Opens a board by a file whose ioctls `answers` answers.
///
/// # Errors
/// As [`open`].
pub fn with(name: &str, file: &File, answers: &dyn Answers, lock: Lock) -> Result<Beside, Failure> {
    let failed = |what: &str, next| {
        let (device, what) = (name.to_owned(), what.to_owned());
        move |source| Failure::Io { device, what, source, next }
    };
    let wrong = |what: String| Failure::Board { device: name.into(), what, next: "use Corundum's module of 2023 or later".into() };
    let no_device = failed("it does not answer as Corundum's driver does", "give the /dev/mqnicN that `timelyctl list` shows");
    let version = answers.api_version().map_err(no_device)?;
    if version != API_VERSION {
        return Err(wrong(format!("its interface has version {version}, this software knows {API_VERSION}")));
    }
    let refused = || failed("the driver does not tell its regions", "look at dmesg");
    let count = answers.regions().map_err(refused())?;
    if count > MOST_REGIONS {
        return Err(wrong(format!("it says that it has {count} regions, more than {MOST_REGIONS}")));
    }
    let regions = (0..count).map(|i| answers.region(i).map_err(refused())).collect::<Result<Vec<_>, _>>()?;
    let of = |kind| regions.iter().find(|r| r.kind == kind && r.bytes > 0).copied();
    let map = |r: Region| {
        let bytes = usize::try_from(r.bytes).unwrap_or(usize::MAX);
        Bar::map(file.as_raw_fd(), r.offset, bytes).map_err(failed("its registers cannot be mapped", "look at dmesg"))
    };
    let control = of(NIC_CONTROL).ok_or_else(|| wrong("it has no region of the NIC's registers".into()))?;
    let (mapped, app) = (map(control)?, of(APP_CONTROL));
    let registers = app.map(map).transpose()?;
    let app_bytes = app.map_or(0, |r| r.bytes);
    let placed = locate(&Seen { name, control: &mapped, control_bytes: control.bytes, app: registers.as_ref(), app_bytes }, None)?;
    // `locate` has found BAR 2.
    let registers = registers.ok_or_else(|| wrong("it has no region of the application's registers".into()))?;
    Ok(Beside::new(Way { kind: KIND, instead: INSTEAD }, name, placed, registers, lock))
}

#[cfg(test)]
mod tests;
