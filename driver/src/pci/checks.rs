//! Checks of `timelyctl doctor` on the machine before a card is opened. Each failed check names the
//! next step, and a step that cannot be taken yet is not advised.
use super::{Address, Found, PciError, System, check_memlock};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Bytes that a driver with a large event ring locks.
const LOCKED: u64 = 68 << 20;

/// A check: its name, and what it found, or what is wrong.
pub type Check = (&'static str, Result<String, String>);

/// Whether the node of an IOMMU group can be opened. A node that a process has open is no finding:
/// opening the device reports it better.
fn node(path: &Path, opened: io::Result<()>) -> Result<String, String> {
    let path = path.display();
    match opened.map_err(|e| (e.kind(), e)) {
        Ok(()) => Ok(format!("{path} can be opened")),
        Err((ErrorKind::ResourceBusy, _)) => Ok(format!("{path} is open, in one process as the kernel has it")),
        Err((ErrorKind::NotFound, _)) => {
            Err(format!("{path} is not there, though vfio-pci has the card; in a container let it have /dev/vfio, else look at dmesg"))
        }
        Err((_, e)) => Err(format!("{path}: {e}; install driver/system/99-timely.rules, or run as root")),
    }
}

impl System {
    /// All that VFIO needs of a card at `address`. `dev` is the folder of VFIO's nodes, `limit`
    /// what may be locked, as [`super::lockable`] gives it.
    pub fn checks(&self, address: Address, dev: &Path, limit: Option<u64>) -> Vec<Check> {
        let locked = || ("locked memory", check_memlock(LOCKED, limit).map(|()| "enough may be locked".into()).map_err(|e| e.to_string()));
        let found = match self.find(address) {
            Ok(found) => found,
            Err(e) => return vec![("device", Err(e.to_string())), locked()],
        };
        let board = found.board().map_or("no board that is known", |b| b.what);
        let mut checks: Vec<Check> = vec![("device", Ok(format!("{:04x}:{:04x}, {board}", found.vendor, found.device)))];
        if let Some(beside) = found.beside() {
            checks.push(("beside", Ok(format!("--device {beside} reaches its registers beside its network interface, without vfio-pci"))));
        }
        let group = self.check_group(address);
        let told = group.as_ref().map(|g| format!("group {g}, nobody else in it")).map_err(ToString::to_string);
        checks.push(("IOMMU group", told));
        let bound = self.check_bound(address).is_ok();
        if !bound {
            let idle = self.check_idle(address, false);
            checks.push(("network", idle.as_ref().map(|()| "no default route, no address in use".into()).map_err(ToString::to_string)));
            checks.push(("vfio-pci", Err(self.unbound(&found, &group, &idle))));
        } else {
            checks.push(("vfio-pci", Ok("has the device".into())));
        }
        checks.push(locked());
        // The kernel makes the node when vfio-pci takes the card.
        if let (true, Ok(group)) = (bound, group) {
            let path = dev.join(group.to_string());
            let opened = OpenOptions::new().read(true).write(true).open(&path).map(drop);
            checks.push(("permission", node(&path, opened)));
        }
        checks
    }

    /// Why vfio-pci has no card, and what is next: `bind`, or what `bind` would refuse it for.
    fn unbound(&self, found: &Found, group: &Result<u32, PciError>, idle: &Result<(), PciError>) -> String {
        let driver = found.driver.as_deref().unwrap_or("nobody");
        let ports = matches!(group, Err(PciError::Shared { others, .. }) if others.iter().all(|o| o.is_network));
        match (group, idle) {
            (Err(_), _) if !ports => format!("{} is driven by {driver}; it can be bound when its IOMMU group is right", found.address),
            (_, Err(_)) => format!("{} is driven by {driver}; it can be bound when its network interface is free", found.address),
            _ => self.check_bound(found.address).map_or_else(|e| e.to_string(), |()| String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NIC, OTHER, Tree, drive, nic, write};
    use super::*;

    /// Texts of the failed checks, by check.
    fn wrong(checks: &[Check]) -> Vec<(&'static str, &str)> {
        checks.iter().filter_map(|(name, found)| Some((*name, found.as_ref().err()?.as_str()))).collect()
    }

    #[test]
    fn a_card_is_advised_what_can_be_done_next() {
        let tree = Tree::new();
        let system = tree.system(&["vfio-pci"]);
        let dev = tree.sys();
        let bind = format!("{NIC} is driven by mlx5_core, not by vfio-pci; hand it over with `timelyctl bind {NIC}");
        // `bind` makes the group's node: nothing is said of rules or root.
        assert_eq!(wrong(&system.checks(nic(), &dev, None)), [("vfio-pci", &*format!("{bind}`"))]);
        // Both ports of a group go together.
        drive(&tree.sys(), OTHER, Some("ixgbe"));
        let checks = system.checks(nic(), &dev, None);
        assert_eq!(wrong(&checks)[1], ("vfio-pci", &*format!("{bind} {OTHER}`")));
        // A device that is no network card keeps its driver: `bind` would refuse it.
        write(&tree.sys().join("bus/pci/devices").join(OTHER).join("class"), "0x010601\n");
        let checks = system.checks(nic(), &dev, None);
        let told = wrong(&checks);
        assert!(told[0].1.contains("ACS") && told[1].1.ends_with("when its IOMMU group is right"), "{told:?}");
        drive(&tree.sys(), OTHER, None);
        // Bound, its node counts.
        drive(&tree.sys(), NIC, Some("vfio-pci"));
        let checks = system.checks(nic(), &dev, None);
        let told = wrong(&checks);
        assert!(told.len() == 1 && told[0].0 == "permission" && told[0].1.contains("is not there"), "{told:?}");
        write(&dev.join("7"), "");
        assert_eq!(wrong(&system.checks(nic(), &dev, None)), []);
        let checks = system.checks(nic(), &dev, Some(64 << 10));
        assert_eq!(
            wrong(&checks),
            [("locked memory", "need 68 MiB locked, limit is 64 KiB; set LimitMEMLOCK=128M in the unit, or run: ulimit -l 131072")]
        );
        // Of one that is not there nothing can be said but what holds for all.
        let told: Vec<_> = system.checks("0000:09:00.0".parse().expect("an address"), &dev, None).into_iter().map(|c| c.0).collect();
        assert_eq!(told, ["device", "locked memory"]);
    }

    #[test]
    fn who_may_not_open_a_node_is_told_how() {
        let path = Path::new("/dev/vfio/7");
        let of = |kind: ErrorKind| node(path, Err(kind.into()));
        assert!(of(ErrorKind::PermissionDenied).expect_err("refused").contains("99-timely.rules"));
        assert!(of(ErrorKind::ResourceBusy).is_ok());
    }
}
