//! PCI devices as sysfs shows them: their drivers, the devices that share their IOMMU group, and
//! how they change hands.
mod bind;
mod checks;
mod memlock;
mod network;

pub use bind::Bound;
pub use checks::Check;
pub use memlock::{check_memlock, lockable};
pub use network::{DefaultRoute, Interface, Network};

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use timely_regs::board::{Board, with_ids};

/// The address of a function: domain, bus, device, function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{}", self.domain, self.bus, self.device, self.function)
    }
}

impl FromStr for Address {
    type Err = PciError;

    /// `0000:03:00.0`, or `03:00.0` in domain 0.
    fn from_str(text: &str) -> Result<Self, PciError> {
        let parse = || {
            let (rest, function) = text.rsplit_once('.')?;
            let parts: Vec<&str> = rest.split(':').collect();
            let (domain, bus, device) = match parts[..] {
                [d, b, s] => (d, b, s),
                [b, s] => ("0", b, s),
                _ => return None,
            };
            let hex = |t: &str, most: u32| u32::from_str_radix(t, 16).ok().filter(|v| *v <= most && !t.starts_with('+'));
            let (domain, bus) = (hex(domain, u32::MAX)?, hex(bus, 0xff)? as u8);
            Some(Address { domain, bus, device: hex(device, 0x1f)? as u8, function: hex(function, 7)? as u8 })
        };
        parse().ok_or_else(|| PciError::Address(text.into()))
    }
}

/// Why a PCI device cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PciError {
    /// No address.
    #[error("`{0}` is no PCI address; write it as 0000:03:00.0 (`timelyctl list` shows them)")]
    Address(String),
    /// No device.
    #[error("there is no PCI device {0}; `timelyctl list` shows those that there are")]
    NoDevice(Address),
    /// sysfs failed.
    #[error("{}: {source}; {next}", path.display())]
    Sysfs {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// Next step for the user.
        next: &'static str,
    },
    /// The IOMMU is off.
    #[error("IOMMU is off ({} is empty); enable VT-d or AMD-Vi in firmware; on Intel boot with intel_iommu=on", groups.display())]
    NoIommu {
        /// Where its groups would be.
        groups: PathBuf,
    },
    /// The device is in no group.
    #[error("{0} is in no IOMMU group, so nothing would keep its DMA in bounds; move the card to a slot behind the IOMMU")]
    NoGroup(Address),
    /// VFIO without an IOMMU.
    #[error("{0} is in a no-IOMMU group: its DMA would reach all memory; turn the IOMMU on and vfio's enable_unsafe_noiommu_mode off")]
    UnsafeGroup(Address),
    /// Others are in its group.
    #[error("{device} shares IOMMU group {group} with {}; {}", names(others), apart(*device, others))]
    Shared {
        /// The device.
        device: Address,
        /// The group.
        group: u32,
        /// Other driven devices of the group.
        others: Vec<Sibling>,
    },
    /// Another driver has it.
    #[error(
        "{device} is driven by {}, not by vfio-pci; hand it over with `timelyctl bind {device}{}`",
        driver.as_deref().unwrap_or("nobody"), listed(ports)
    )]
    NotBound {
        /// The device.
        device: Address,
        /// Driver of the device, if any.
        driver: Option<String>,
        /// Other ports of its IOMMU group, which must change hands with it.
        ports: Vec<Address>,
    },
    /// A device that vfio-pci does not have cannot be given back.
    #[error("{device} is driven by {}, not by vfio-pci: there is nothing to give back", driver.as_deref().unwrap_or("nobody"))]
    NothingBound {
        /// The device.
        device: Address,
        /// The driver that has it.
        driver: Option<String>,
    },
    /// An interface of the device carries a default route, over which this session may come.
    #[error(
        "{device} carries a default route ({route}, interface {interface}); move the route to another interface first, or this machine is cut off"
    )]
    Route {
        /// The device.
        device: Address,
        /// Network interface of the device.
        interface: String,
        /// The route.
        route: String,
    },
    /// The host uses its interface.
    #[error(
        "{device} is in use: interface {interface} is up and has {}; take it down (ip link set {interface} down), or give --force if nobody needs it",
        has.join(", ")
    )]
    InterfaceInUse {
        /// The device.
        device: Address,
        /// The interface.
        interface: String,
        /// Addresses of the interface, or interfaces that are built on it.
        has: Vec<String>,
    },
    /// The kernel does not tell what its interfaces are used for.
    #[error(
        "{device} has a network interface, and the kernel does not tell its routes: {source}; let this process use sockets of AF_NETLINK"
    )]
    Network {
        /// The device.
        device: Address,
        /// Why.
        source: io::Error,
    },
    /// The driver for user space is not there.
    #[error("the kernel has no driver vfio-pci; load it: modprobe vfio-pci")]
    NoVfio,
    /// The driver did not take it.
    #[error("{device} is driven by {} after it was handed to {wanted}; load that module (modprobe {wanted}) and look at dmesg", found.as_deref().unwrap_or("nobody"))]
    NotTaken {
        /// The device.
        device: Address,
        /// Driver that the device was handed to.
        wanted: String,
        /// Driver that the device has now, if any.
        found: Option<String>,
    },
    /// Too little memory may be locked.
    #[error("need {needed} MiB locked, limit is {limit}; set LimitMEMLOCK={advised}M in the unit, or run: ulimit -l {}", advised * 1024)]
    Memlock {
        /// MiB needed.
        needed: u64,
        /// Memory that may be locked, with its unit.
        limit: String,
        /// MiB to allow.
        advised: u64,
    },
}

/// A driven device that shares an IOMMU group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// PCI address.
    pub address: Address,
    /// Name of the driver.
    pub driver: String,
    /// A network card, as a card's second port is.
    pub is_network: bool,
}

fn names(others: &[Sibling]) -> String {
    others.iter().map(|o| format!("{} ({})", o.address, o.driver)).collect::<Vec<_>>().join(", ")
}

/// More arguments of a command.
fn listed(addresses: &[Address]) -> String {
    addresses.iter().map(|a| format!(" {a}")).collect()
}

/// Advice for a group that several drivers share.
fn apart(device: Address, others: &[Sibling]) -> String {
    let all = listed(&others.iter().map(|o| o.address).collect::<Vec<_>>());
    match others.iter().find(|o| !o.is_network) {
        None => format!("hand the whole group over with `timelyctl bind {device}{all}`, or move the card to a slot with ACS"),
        Some(other) => format!("move the card to a slot with ACS: {} is no network card, and the machine may need it", other.address),
    }
}

/// Class code of network cards.
const NETWORK_CLASS: u32 = 0x02;

/// A device as sysfs shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// PCI address.
    pub address: Address,
    /// Vendor ID.
    pub vendor: u16,
    /// Device ID.
    pub device: u16,
    /// Class code.
    pub class: u32,
    /// Driver of the device, if any.
    pub driver: Option<String>,
    /// IOMMU group, if any.
    pub group: Option<u32>,
    /// The character device that its network driver gives, if that is Corundum's.
    pub node: Option<PathBuf>,
}

impl Found {
    /// The board that has these IDs, which other designs may have too.
    pub fn board(&self) -> Option<&'static Board> {
        with_ids(self.vendor, self.device)
    }

    /// Value of `--device` that reaches the registers beside the network driver: the driver's
    /// character device, or else the BAR in sysfs.
    pub fn beside(&self) -> Option<String> {
        match (&self.node, self.driver.as_deref()) {
            (Some(node), _) => Some(node.display().to_string()),
            (None, None | Some("vfio-pci")) => None,
            (None, Some(_)) => Some(format!("sysfs:{}", self.address)),
        }
    }

    /// The IDs are those of a board that carries our registers, and of no other design.
    pub fn is_ours(&self) -> bool {
        self.board().is_some_and(|b| b.alone)
    }
}

/// How something is written into sysfs: a test's tree must do what the kernel does.
type Writer = dyn Fn(&Path, &str) -> io::Result<()> + Send;
/// How the host's network is read.
type Reader = dyn Fn() -> io::Result<Network> + Send;

/// sysfs and the host's network, or what is like them.
pub struct System {
    sys: PathBuf,
    network: Box<Reader>,
    write: Box<Writer>,
}

impl Default for System {
    fn default() -> Self {
        Self::at("/sys".into(), Box::new(Network::read), Box::new(|path, text| fs::write(path, text)))
    }
}

/// The name at the end of a link, or nothing where there is no link.
fn link_name(path: &Path) -> Option<String> {
    fs::read_link(path).ok()?.file_name().map(|n| n.to_string_lossy().into_owned())
}

fn entries(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).map(|dir| dir.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect()).unwrap_or_default();
    names.sort();
    names
}

impl System {
    /// With another tree and network, and what is to be done for a write.
    pub fn at(sys: PathBuf, network: Box<Reader>, write: Box<Writer>) -> Self {
        System { sys, network, write }
    }

    /// The device's folder.
    pub fn folder(&self, address: Address) -> PathBuf {
        self.sys.join("bus/pci/devices").join(address.to_string())
    }

    fn hex(&self, address: Address, name: &str) -> Result<u32, PciError> {
        let path = self.folder(address).join(name);
        let failed = |source| PciError::Sysfs { path: path.clone(), source, next: "is sysfs mounted?" };
        let text = fs::read_to_string(&path).map_err(failed)?;
        let digits = text.trim().trim_start_matches("0x");
        u32::from_str_radix(digits, 16).map_err(|e| failed(io::Error::new(io::ErrorKind::InvalidData, e)))
    }

    /// The device at an address.
    ///
    /// # Errors
    /// When there is none, or sysfs cannot be read.
    pub fn find(&self, address: Address) -> Result<Found, PciError> {
        let folder = self.folder(address);
        if !folder.exists() {
            return Err(PciError::NoDevice(address));
        }
        Ok(Found {
            address,
            vendor: self.hex(address, "vendor")? as u16,
            device: self.hex(address, "device")? as u16,
            class: self.hex(address, "class")?,
            driver: link_name(&folder.join("driver")),
            group: link_name(&folder.join("iommu_group")).and_then(|n| n.parse().ok()),
            node: entries(&folder.join("misc")).into_iter().find(|n| n.starts_with("mqnic")).map(|n| Path::new("/dev").join(n)),
        })
    }

    /// All devices whose IDs are those of a board, or that vfio-pci has.
    pub fn list(&self) -> Vec<Found> {
        let addresses = entries(&self.sys.join("bus/pci/devices")).into_iter().filter_map(|n| n.parse().ok());
        addresses.filter_map(|a| self.find(a).ok()).filter(|f| f.board().is_some() || f.driver.as_deref() == Some("vfio-pci")).collect()
    }

    /// Checks that an IOMMU keeps the device's DMA in bounds, and that no host driver has another
    /// device of its group; gives the group.
    ///
    /// # Errors
    /// When it is not so.
    pub fn check_group(&self, address: Address) -> Result<u32, PciError> {
        self.check_group_among(address, &[])
    }

    /// Checks as [`System::check_group`] does, where other devices of the group change hands too.
    fn check_group_among(&self, address: Address, too: &[Address]) -> Result<u32, PciError> {
        let groups = self.sys.join("kernel/iommu_groups");
        if entries(&groups).is_empty() {
            return Err(PciError::NoIommu { groups });
        }
        let group = self.find(address)?.group.ok_or(PciError::NoGroup(address))?;
        let folder = groups.join(group.to_string());
        if fs::read_to_string(folder.join("name")).is_ok_and(|n| n.trim() == "vfio-noiommu") {
            return Err(PciError::UnsafeGroup(address));
        }
        let mut others = Vec::new();
        for name in entries(&folder.join("devices")) {
            let Ok(other) = name.parse::<Address>() else { continue };
            let driver = link_name(&self.folder(other).join("driver"));
            // Bridges do no DMA of their own, and no other driver can use a device that vfio-pci or
            // a stub has.
            let harmless = driver.as_deref().is_none_or(|d| matches!(d, "vfio-pci" | "pcieport" | "pci-stub"));
            if other != address && !harmless && !too.contains(&other) {
                let is_network = self.hex(other, "class").is_ok_and(|class| class >> 16 == NETWORK_CLASS);
                others.push(Sibling { address: other, driver: driver.unwrap_or_default(), is_network });
            }
        }
        if others.is_empty() { Ok(group) } else { Err(PciError::Shared { device: address, group, others }) }
    }

    /// Checks that vfio-pci has the device.
    ///
    /// # Errors
    /// When another driver, or none, has the device.
    pub fn check_bound(&self, address: Address) -> Result<(), PciError> {
        let driver = self.find(address)?.driver;
        if driver.as_deref() == Some("vfio-pci") {
            return Ok(());
        }
        let ports = match self.check_group(address) {
            Err(PciError::Shared { others, .. }) => others.iter().map(|o| o.address).collect(),
            _ => Vec::new(),
        };
        Err(PciError::NotBound { device: address, driver, ports })
    }

    /// Interfaces of a device, and those that are built on them (VLAN, bond, bridge).
    fn interfaces(&self, address: Address) -> Vec<String> {
        let mut interfaces = entries(&self.folder(address).join("net"));
        let mut at = 0;
        while let Some(interface) = interfaces.get(at) {
            for upper in self.uppers(interface) {
                // Several ways may lead to one.
                if !interfaces.contains(&upper) {
                    interfaces.push(upper);
                }
            }
            at += 1;
        }
        interfaces
    }

    /// Interfaces that are built on one.
    fn uppers(&self, interface: &str) -> Vec<String> {
        let links = entries(&self.sys.join("class/net").join(interface));
        links.iter().filter_map(|l| l.strip_prefix("upper_")).map(str::to_owned).collect()
    }

    /// Checks that no default route goes over a device and, unless `force` has it so, that none of
    /// its interfaces is up with addresses or as part of a bridge, bond or the like, which may be a
    /// virtual machine's way out and has no address here.
    ///
    /// # Errors
    /// When it is not so, or the kernel does not tell.
    pub fn check_idle(&self, address: Address, force: bool) -> Result<(), PciError> {
        let interfaces = self.interfaces(address);
        if interfaces.is_empty() {
            return Ok(());
        }
        let network = (self.network)().map_err(|source| PciError::Network { device: address, source })?;
        for interface in &interfaces {
            if let Some(route) = network.default_over(interface) {
                return Err(PciError::Route { device: address, interface: interface.clone(), route: route.to_string() });
            }
        }
        for interface in interfaces.into_iter().filter(|_| !force) {
            let addresses = network.in_use(&interface).unwrap_or_default().iter().map(ToString::to_string);
            let uppers = self.uppers(&interface).into_iter().filter(|_| network.is_up(&interface)).map(|u| format!("{u} on it"));
            let has: Vec<String> = addresses.chain(uppers).collect();
            if !has.is_empty() {
                return Err(PciError::InterfaceInUse { device: address, interface, has });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
