//! Devices as `--device` names them: how they are opened, and where their sockets and state are
//! kept.
use crate::Error;
use crate::board::{Place, PlaceError};
use crate::folders::{FolderError, ROOTS, file_name, runtime_folder, state_folder};
use crate::pci::{Address, Found, System};
use crate::sim::{self, SimError};
use crate::transport::serial::Serial;
use crate::transport::vfio::Vfio;
use crate::transport::vfio_user::{LIMIT, VfioUser};
use crate::transport::{Failure, Transport, mqnic, sysfs};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A device, as `--device` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A PCI device.
    Pci {
        /// PCI address.
        address: Address,
        /// Where its registers are, when its board does not say.
        place: Option<Place>,
    },
    /// A card that its network driver has, by its BAR in sysfs.
    Sysfs {
        /// PCI address.
        address: Address,
        /// Where its registers are, when its board does not say.
        place: Option<Place>,
    },
    /// A Corundum board that its network driver has, by the driver's character device.
    Mqnic(PathBuf),
    /// A board that has registers on a serial line, by its port.
    Serial(PathBuf),
    /// A vfio-user server.
    VfioUser {
        /// Socket of the server.
        path: PathBuf,
        /// Where its registers are, when its board does not say.
        place: Option<Place>,
    },
    /// A pair of simulated NICs with a link, started in the background.
    Sim {
        /// The integer model in place of the Verilog: many times faster.
        model: bool,
    },
}

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The text names no device.
    #[error(
        "`{0}` is no device; give a PCI address as 0000:03:00.0, sysfs:0000:03:00.0, /dev/mqnic0, serial:/dev/ttyUSB1, vfio-user:PATH, sim or sim:model"
    )]
    Name(String),
    /// The place of its registers is none.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The simulated NIC.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A folder of sockets, locks or states.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The device.
    #[error(transparent)]
    Device(#[from] Error),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Pci { address, .. } => address.fmt(f)?,
            Target::Sysfs { address, .. } => write!(f, "sysfs:{address}")?,
            Target::Mqnic(path) => path.display().fmt(f)?,
            Target::Serial(path) => write!(f, "serial:{}", path.display())?,
            Target::VfioUser { path, .. } => write!(f, "vfio-user:{}", path.display())?,
            Target::Sim { model } => f.write_str(sim::name(*model))?,
        }
        self.place().map_or(Ok(()), |place| write!(f, ",{place}"))
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (name, place) = match text.split_once(",bar=") {
            Some((name, _)) => (name, Some(text[name.len() + 1..].parse()?)),
            None => (text, None),
        };
        match name.split_once(':') {
            _ if text == "sim" => Ok(Target::Sim { model: false }),
            Some(("sim", "model")) if place.is_none() => Ok(Target::Sim { model: true }),
            Some(("vfio-user", path)) if !path.is_empty() => Ok(Target::VfioUser { path: absolute(path), place }),
            Some(("sysfs", address)) => match address.parse() {
                Ok(address) => Ok(Target::Sysfs { address, place }),
                Err(_) => Err(TargetError::Name(text.into())),
            },
            Some(("serial", path)) if !path.is_empty() && place.is_none() => Ok(Target::Serial(absolute(path))),
            _ if text.starts_with('/') => Ok(Target::Mqnic(absolute(text))),
            _ => match name.parse() {
                Ok(address) => Ok(Target::Pci { address, place }),
                Err(_) => Err(TargetError::Name(text.into())),
            },
        }
    }
}

/// The path from any folder, so that a daemon and its state are found from there too.
fn absolute(path: &str) -> PathBuf {
    // Fails only without a current folder.
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

impl Target {
    /// Where its registers were said to be.
    pub fn place(&self) -> Option<Place> {
        match self {
            Target::Pci { place, .. } | Target::Sysfs { place, .. } | Target::VfioUser { place, .. } => *place,
            Target::Mqnic(_) | Target::Serial(_) | Target::Sim { .. } => None,
        }
    }

    /// The target without the place of its registers.
    fn unplaced(&self) -> Self {
        match self.clone() {
            Target::Pci { address, .. } => Target::Pci { address, place: None },
            Target::Sysfs { address, .. } => Target::Sysfs { address, place: None },
            Target::VfioUser { path, .. } => Target::VfioUser { path, place: None },
            other => other,
        }
    }

    /// Name of the device as part of a file's, wherever its registers are. Two devices have two
    /// names: that of a path is the path's end and a hash of the whole path.
    pub fn slug(&self) -> String {
        let whole = self.unplaced().to_string();
        match self {
            // Each is written in one way only.
            Target::Pci { .. } | Target::Sysfs { .. } | Target::Sim { .. } => whole.replace(':', "-"),
            Target::Mqnic(_) | Target::Serial(_) | Target::VfioUser { .. } => file_name(&whole),
        }
    }

    /// Name under which the daemon has the device; `None` for simulated NICs, which each user has
    /// of their own.
    pub fn device(&self) -> Option<String> {
        if matches!(self, Target::Sim { .. }) { None } else { Some(self.unplaced().to_string()) }
    }

    /// Where its daemon listens.
    ///
    /// # Errors
    /// When the user has no folder for it.
    pub fn socket(&self) -> Result<PathBuf, TargetError> {
        Ok(runtime_folder()?.join(format!("timelyd-{}.sock", self.slug())))
    }

    /// Where a daemon may listen: the user's, and root's.
    ///
    /// # Errors
    /// When the user has no folder for it.
    pub fn sockets(&self) -> Result<Vec<PathBuf>, TargetError> {
        Ok(vec![self.socket()?, Path::new(ROOTS).join(format!("timelyd-{}.sock", self.slug()))])
    }

    /// The file of what it is configured to.
    ///
    /// # Errors
    /// When the user has no folder for it.
    pub fn state(&self) -> Result<PathBuf, TargetError> {
        Ok(state_folder()?.join(format!("{}.toml", self.slug())))
    }

    /// Opens a transport to the device; a simulated NIC is started when it does not run. The
    /// registers are where the target says, else `configured`, else where the board has them.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub fn transport(&self, configured: Option<Place>) -> Result<Box<dyn Transport>, TargetError> {
        let failed = |f: Failure| TargetError::Device(f.into());
        let place = self.place().or(configured);
        match self {
            Target::Pci { address, .. } => Ok(Box::new(Vfio::open(*address, place).map_err(failed)?)),
            Target::Sysfs { address, .. } => Ok(Box::new(sysfs::open(*address, place).map_err(failed)?)),
            Target::Mqnic(path) => Ok(Box::new(mqnic::open(path).map_err(failed)?)),
            Target::Serial(path) => Ok(Box::new(Serial::open(path).map_err(failed)?)),
            Target::VfioUser { path, .. } => Ok(Box::new(VfioUser::connect_within(path, LIMIT, place).map_err(failed)?)),
            Target::Sim { model } => Ok(Box::new(VfioUser::connect(&sim::running(*model)?).map_err(failed)?)),
        }
    }

    /// The device that is meant when none is named: the one card of ours, or a simulated pair. Says
    /// whether it is the latter.
    pub fn usual() -> (Self, bool) {
        match System::default().list().as_slice() {
            [one] if one.is_ours() => (Self::of(one), false),
            _ => (Target::Sim { model: false }, true),
        }
    }

    /// A card through the driver that it has: beside its network interface where there is a way.
    fn of(card: &Found) -> Self {
        match &card.node {
            Some(node) => Target::Mqnic(node.clone()),
            None => Target::Pci { address: card.address, place: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_they_are_printed() {
        for text in [
            "/dev/mqnic0",
            "sysfs:0000:03:00.0",
            "sysfs:0000:03:00.0,bar=2,offset=0x110000",
            "serial:/dev/ttyUSB1",
            "0000:03:00.0",
            "vfio-user:/tmp/a:b",
            "sim",
            "sim:model",
            "0000:03:00.0,bar=2,offset=0x110000",
            "vfio-user:/a,b,bar=2,offset=0x4",
        ] {
            assert_eq!(text.parse::<Target>().expect("valid").to_string(), text);
        }
        for bad in ["", "simulator", "sim:", "vfio-user:", "serial:", "sysfs:", "sysfs:/dev/mqnic0", "vfio:/tmp/x", "eth0"] {
            let text = bad.parse::<Target>().expect_err(bad).to_string();
            assert!(text.contains(&format!("`{bad}`")) && text.contains("vfio-user:PATH"), "{text}");
        }
        let placed: Target = "0000:03:00.0,bar=2,offset=0x110000".parse().expect("valid");
        assert_eq!((placed.slug(), placed.place()), ("0000-03-00.0".into(), Some(Place { bar: 2, offset: 0x11_0000 })));
        let text = "0000:03:00.0,bar=7".parse::<Target>().expect_err("no BAR").to_string();
        assert!(text.contains("`bar=7`") && text.contains("0 to 5"), "{text}");
        assert!("sim:model,bar=2".parse::<Target>().is_err() && "sim,bar=2".parse::<Target>().is_err());
    }

    #[test]
    fn each_device_has_files_of_its_own() {
        let slug = |text: &str| text.parse::<Target>().expect("valid").slug();
        for (text, wanted) in [
            ("0000:03:00.0", "0000-03-00.0"),
            ("sysfs:0000:03:00.0", "sysfs-0000-03-00.0"),
            ("sim", "sim"),
            ("sim:model", "sim-model"),
            ("/dev/mqnic0", "dev-mqnic0-8c9b5f02"),
            ("vfio-user:/a/b/n,bar=2,offset=0x4", "vfio-user--a-b-n-c44a631b"),
        ] {
            assert_eq!(slug(text), wanted, "{text}");
        }
        let all = ["vfio-user:/a/b/n", "vfio-user:/a-b-n", "vfio-user:/a/b-n", "serial:/a/b/n", "/a/b/n"].map(slug);
        assert_eq!(std::collections::BTreeSet::from(all.clone()).len(), all.len(), "{all:?}");
        let here = std::env::current_dir().expect("a folder").join("n");
        assert_eq!(slug("vfio-user:n"), slug(&format!("vfio-user:{}", here.display())));
        let long = slug(&format!("vfio-user:/{}/nic", "x".repeat(300)));
        assert!(long.len() <= 33 && long.contains("xxx-nic-"), "{long}");
    }
}
