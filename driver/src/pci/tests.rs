//! A tree like sysfs, and a kernel that does what is written into it.
use super::*;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) struct Tree(PathBuf);

pub(super) const NIC: &str = "0000:03:00.0";
pub(super) const OTHER: &str = "0000:03:00.1";
const BRIDGE: &str = "0000:00:1c.0";

pub(super) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Makes `driver` the device's, as the kernel does; none without.
pub(super) fn drive(sys: &Path, device: &str, driver: Option<&str>) {
    let link = sys.join("bus/pci/devices").join(device).join("driver");
    let _ = fs::remove_file(&link);
    if let Some(driver) = driver {
        let target = sys.join("bus/pci/drivers").join(driver);
        fs::create_dir_all(&target).expect("a folder");
        symlink(target, link).expect("a link");
    }
}

impl Tree {
    /// Three functions in group 7: a NIC that `mlx5_core` drives, a NIC without a driver, a bridge.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let root = std::env::temp_dir().join(format!("timely-sysfs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let tree = Tree(root);
        for (device, vendor, id, class, driver) in [
            (NIC, "0x1234\n", "0x544d\n", "0x020000\n", Some("mlx5_core")),
            (OTHER, "0x8086\n", "0x1572\n", "0x020000\n", None),
            (BRIDGE, "0x8086\n", "0xa110\n", "0x060400\n", Some("pcieport")),
        ] {
            let folder = tree.sys().join("bus/pci/devices").join(device);
            write(&folder.join("vendor"), vendor);
            write(&folder.join("device"), id);
            write(&folder.join("class"), class);
            write(&tree.sys().join("kernel/iommu_groups/7/devices").join(device), "");
            symlink("../../../../kernel/iommu_groups/7", folder.join("iommu_group")).expect("a link");
            drive(&tree.sys(), device, driver);
        }
        fs::create_dir_all(tree.sys().join("bus/pci/drivers/vfio-pci")).expect("a folder");
        tree
    }

    pub(super) fn sys(&self) -> PathBuf {
        self.0.join("sys")
    }

    /// File that keeps the driver a device had before it was bound.
    fn memory(&self, device: &str) -> PathBuf {
        self.0.join(format!("{device}.before"))
    }

    fn bind(&self, system: &System, devices: &[&str], force: bool) -> Result<Vec<Bound>, PciError> {
        let devices: Vec<Address> = devices.iter().map(|d| d.parse().expect("an address")).collect();
        system.bind(&devices, |a| self.memory(&a.to_string()), force)
    }

    /// The driver of a device.
    fn driver(&self, device: &str) -> Option<String> {
        self.system(&[]).find(device.parse().expect("an address")).expect("there").driver
    }

    /// `takes`: the drivers that the kernel has.
    pub(super) fn system(&self, takes: &'static [&'static str]) -> System {
        self.system_in(takes, Network::default())
    }

    /// As `system`, on a host with that network.
    pub(super) fn system_in(&self, takes: &'static [&'static str], network: Network) -> System {
        let sys = self.sys();
        let kernel = move |path: &Path, text: &str| {
            match path.file_name().and_then(|n| n.to_str()) {
                Some("unbind") => drive(&sys, text, None),
                Some("drivers_probe") => {
                    let asked = fs::read_to_string(sys.join("bus/pci/devices").join(text).join("driver_override")).unwrap_or_default();
                    let wanted = if asked.trim().is_empty() { "mlx5_core" } else { asked.trim() };
                    let driven = sys.join("bus/pci/devices").join(text).join("driver").exists();
                    // `vfio-pci` without the second port, where a test has it so.
                    if takes.contains(&wanted) && !driven && !(takes.contains(&"not-the-second") && text == OTHER && wanted == "vfio-pci") {
                        drive(&sys, text, Some(wanted));
                    }
                }
                _ => fs::write(path, text)?,
            }
            Ok(())
        };
        System::at(self.sys(), Box::new(move || Ok(network.clone())), Box::new(kernel))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn nic() -> Address {
    NIC.parse().expect("an address")
}

#[test]
fn addresses_are_read_as_they_are_printed() {
    for text in [NIC, "10000:e1:1f.7"] {
        assert_eq!(text.parse::<Address>().expect("valid").to_string(), text);
    }
    assert_eq!("03:00.0".parse::<Address>().expect("valid"), nic());
    for bad in ["", "03:00", "0000:03:20.0", "0000:03:00.8", "0:0:0:0.0", "g0:00.0", "0000:+3:00.0"] {
        assert!(bad.parse::<Address>().expect_err(bad).to_string().contains("0000:03:00.0"), "{bad}");
    }
}

#[test]
fn a_device_is_bound_and_given_back() {
    let tree = Tree::new();
    let system = tree.system(&["vfio-pci", "mlx5_core"]);
    assert_eq!(system.list().iter().map(|f| f.address).collect::<Vec<_>>(), [nic()]);
    let text = system.check_bound(nic()).expect_err("not yet").to_string();
    assert_eq!(text, format!("{NIC} is driven by mlx5_core, not by vfio-pci; hand it over with `timelyctl bind {NIC}`"));
    let bound = tree.bind(&system, &[NIC, NIC], false).expect("bound, named twice or not");
    assert_eq!(bound[0], Bound { address: nic(), before: Some("mlx5_core".into()), group: 7 });
    system.check_bound(nic()).expect("bound");
    // Binding again changes nothing, and forgets nothing.
    assert_eq!(tree.bind(&system, &[NIC], false).expect("bound")[0].before.as_deref(), Some("vfio-pci"));
    assert_eq!(system.unbind(nic(), &tree.memory(NIC)).expect("given back").as_deref(), Some("mlx5_core"));
    assert!(!tree.memory(NIC).exists());
    let text = system.unbind(nic(), &tree.memory(NIC)).expect_err("not bound").to_string();
    assert_eq!(text, format!("{NIC} is driven by mlx5_core, not by vfio-pci: there is nothing to give back"));
}

#[test]
fn boards_are_listed_with_the_way_beside_their_interface() {
    let tree = Tree::new();
    let folder = tree.sys().join("bus/pci/devices").join(NIC);
    let found = || tree.system(&[]).list();
    assert_eq!((found()[0].board().map(|b| b.name), found()[0].is_ours(), found()[0].node.clone()), (Some("standalone"), true, None));
    assert_eq!(found()[0].beside().as_deref(), Some("sysfs:0000:03:00.0"));
    write(&folder.join("device"), "0x1001\n");
    write(&folder.join("misc/mqnic3/dev"), "10:60\n");
    assert_eq!((found()[0].board().map(|b| b.name), found()[0].node.clone()), (Some("corundum"), Some("/dev/mqnic3".into())));
    assert_eq!(found()[0].beside().as_deref(), Some("/dev/mqnic3"));
    fs::remove_dir_all(folder.join("misc")).expect("removed");
    for (driver, beside) in [(Some("vfio-pci"), None), (None, None), (Some("onic"), Some("sysfs:0000:03:00.0"))] {
        drive(&tree.sys(), NIC, driver);
        assert_eq!(found()[0].beside().as_deref(), beside, "what vfio-pci has is not shared, and what nobody has may be off");
    }
    write(&folder.join("device"), "0xc001\n");
    drive(&tree.sys(), NIC, Some("cndm"));
    let taxi = &found()[0];
    assert_eq!((taxi.board().map(|b| b.name), taxi.is_ours(), taxi.beside()), (Some("taxi"), false, Some("sysfs:0000:03:00.0".into())));
    write(&folder.join("vendor"), "0x10ee\n");
    write(&folder.join("device"), "0x903f\n");
    assert_eq!((found()[0].board().map(|b| b.name), found()[0].is_ours()), (Some("opennic"), false), "its IDs are many designs'");
}

#[test]
fn a_driver_that_is_not_there_leaves_the_device_with_its_old_one() {
    let tree = Tree::new();
    let system = tree.system(&["mlx5_core"]);
    let text = tree.bind(&system, &[NIC], false).expect_err("it does not take it").to_string();
    assert!(text.contains("nobody after it was handed to vfio-pci") && text.contains("modprobe vfio-pci"), "{text}");
    assert_eq!(tree.driver(NIC).as_deref(), Some("mlx5_core"));
    fs::remove_dir(tree.sys().join("bus/pci/drivers/vfio-pci")).expect("removed");
    let text = tree.bind(&system, &[NIC], false).expect_err("no module").to_string();
    assert_eq!(text, "the kernel has no driver vfio-pci; load it: modprobe vfio-pci");
    assert!(!tree.memory(NIC).exists() && tree.driver(NIC).as_deref() == Some("mlx5_core"), "nothing was touched");
}

#[test]
fn the_group_is_checked() {
    let tree = Tree::new();
    let system = tree.system(&["vfio-pci"]);
    assert_eq!(system.check_group(nic()).expect("nobody else"), 7);
    drive(&tree.sys(), OTHER, Some("i40e"));
    let text = tree.bind(&system, &[NIC], false).expect_err("shared").to_string();
    let all = format!("hand the whole group over with `timelyctl bind {NIC} {OTHER}`, or move the card to a slot with ACS");
    assert_eq!(text, format!("{NIC} shares IOMMU group 7 with {OTHER} (i40e); {all}"));
    // A device that the machine may need is not advised to be taken from it.
    write(&tree.sys().join("bus/pci/devices").join(OTHER).join("class"), "0x010601\n");
    let text = tree.bind(&system, &[NIC], false).expect_err("shared").to_string();
    assert!(text.contains("slot with ACS") && text.contains("no network card") && !text.contains("timelyctl"), "{text}");
    write(&tree.sys().join("bus/pci/devices").join(OTHER).join("class"), "0x020000\n");
    drive(&tree.sys(), OTHER, Some("vfio-pci"));
    assert_eq!(system.check_group(nic()).expect("nobody else"), 7);
    write(&tree.sys().join("kernel/iommu_groups/7/name"), "vfio-noiommu\n");
    assert!(system.check_group(nic()).expect_err("unsafe").to_string().contains("no-IOMMU"));
    fs::remove_file(tree.sys().join("bus/pci/devices").join(NIC).join("iommu_group")).expect("removed");
    assert!(matches!(system.check_group(nic()), Err(PciError::NoGroup(_))));
    fs::remove_dir_all(tree.sys().join("kernel")).expect("removed");
    assert!(system.check_group(nic()).expect_err("off").to_string().contains("intel_iommu=on"));
    let nobody = "0000:09:00.0".parse().expect("an address");
    assert!(system.find(nobody).expect_err("nobody").to_string().contains("no PCI device 0000:09:00.0"));
}

/// Advised commands end the situation that they are advised in.
#[test]
fn two_ports_of_a_group_are_bound_together_and_given_back() {
    let tree = Tree::new();
    drive(&tree.sys(), OTHER, Some("mlx5_core"));
    let system = tree.system(&["vfio-pci", "mlx5_core"]);
    for (asked, told) in [(NIC, [NIC, OTHER]), (OTHER, [OTHER, NIC])] {
        let text = tree.bind(&system, &[asked], false).expect_err("shared").to_string();
        let (_, advice) = text.split_once("`timelyctl bind ").expect("an advice");
        let advised: Vec<&str> = advice.split('`').next().expect("its end").split(' ').collect();
        assert_eq!(advised, told);
        tree.bind(&system, &advised, false).expect("as it was told");
        for port in advised {
            system.check_group(port.parse().expect("an address")).expect("all of it is vfio-pci's");
            assert_eq!(tree.driver(port).as_deref(), Some("vfio-pci"));
        }
        for port in [NIC, OTHER] {
            system.unbind(port.parse().expect("an address"), &tree.memory(port)).expect("given back");
            assert_eq!(tree.driver(port).as_deref(), Some("mlx5_core"));
        }
    }
}

#[test]
fn ports_that_cannot_all_be_bound_are_all_given_back() {
    let tree = Tree::new();
    drive(&tree.sys(), OTHER, Some("mlx5_core"));
    let as_before = |what: &str| {
        for port in [NIC, OTHER] {
            assert_eq!(tree.driver(port).as_deref(), Some("mlx5_core"), "{what}: {port}");
            assert!(!tree.memory(port).exists(), "{what}: nothing is remembered of {port}");
            let asked = fs::read_to_string(tree.sys().join("bus/pci/devices").join(port).join("driver_override")).unwrap_or_default();
            assert_eq!(asked.trim(), "", "{what}: {port}");
        }
    };
    let system = tree.system(&["vfio-pci", "mlx5_core", "not-the-second"]);
    let text = tree.bind(&system, &[NIC, OTHER], false).expect_err("the second is not taken").to_string();
    assert!(text.starts_with(OTHER), "{text}");
    as_before("the kernel refused the second");
    // One that is not there, named last.
    tree.bind(&system, &[NIC, "0000:09:00.0"], false).expect_err("there is none");
    as_before("there is no such device");
    let folder = tree.sys().join("bus/pci/devices").join(OTHER).join("net/eth4");
    fs::create_dir_all(folder).expect("a folder");
    let system = tree.system_in(&["vfio-pci", "mlx5_core"], network(&[("eth4", &["10.0.0.1"])], &["eth4"]));
    let text = tree.bind(&system, &[NIC, OTHER], false).expect_err("the second has the route").to_string();
    assert!(text.starts_with(OTHER) && text.contains("default route"), "{text}");
    as_before("the second has the route");
}

/// Interfaces that are up, with their addresses, and the interfaces of a default route's next hops.
fn network(up: &[(&str, &[&str])], hops: &[&str]) -> Network {
    let mut network = Network::default();
    for (name, addresses) in [("eth0", &[][..]), ("bond0", &[]), ("bond0.7", &[])].into_iter().chain(up.iter().copied()) {
        let index = network.interfaces.len() as u32 + 1;
        let addresses = addresses.iter().map(|a| a.parse().expect("an address")).collect::<Vec<_>>();
        network.interfaces.insert(name.into(), Interface { index, up: true, addresses });
    }
    if !hops.is_empty() {
        let interfaces = hops.iter().map(|h| network.interfaces[*h].index).collect();
        network.defaults.push(DefaultRoute { interfaces, destination: "default", table: 100 });
    }
    network
}

#[test]
fn the_card_of_a_default_route_is_not_taken() {
    let tree = Tree::new();
    write(&tree.sys().join("bus/pci/devices").join(NIC).join("net/eth3/mtu"), "1500");
    let refused = |network: Network, force| {
        let system = tree.system_in(&["vfio-pci", "mlx5_core"], network);
        let done = tree.bind(&system, &[NIC], force).map_err(|e| e.to_string());
        if done.is_ok() {
            system.unbind(nic(), &tree.memory(NIC)).expect("given back");
        }
        done.err()
    };
    let eth3 = [("eth3", &[][..])];
    assert_eq!(refused(network(&eth3, &[]), false), None, "up, and without an address");
    assert_eq!(refused(network(&eth3, &["eth0"]), false), None);
    for hops in [&["eth3"][..], &["eth0", "eth3"]] {
        for force in [false, true] {
            let text = refused(network(&eth3, hops), force).expect("the route");
            assert!(text.contains("carries a default route (default of table 100") && text.contains("interface eth3)"), "{text}");
        }
    }
    // A VLAN over a bond of which it is a part.
    let vlan = || network(&eth3, &["bond0.7"]);
    assert_eq!(refused(vlan(), false), None);
    for (below, above) in [("eth3", "bond0"), ("bond0", "bond0.7"), ("bond0.7", "eth3")] {
        let folder = tree.sys().join("class/net").join(below);
        fs::create_dir_all(&folder).expect("a folder");
        symlink(format!("../{above}"), folder.join(format!("upper_{above}"))).expect("a link");
    }
    let text = refused(vlan(), false).expect("the route");
    assert!(text.contains("interface bond0.7)"), "{text}");
    // Without a route of the host's it may be the way out of virtual machines.
    let text = refused(network(&eth3, &["eth0"]), false).expect("a bond");
    assert!(text.contains("eth3 is up and has bond0 on it;") && text.contains("--force"), "{text}");
    assert_eq!(refused(network(&eth3, &["eth0"]), true), None);
    // Next hops that the kernel keeps apart may be any.
    let mut unknown = network(&eth3, &["eth0"]);
    unknown.defaults[0].interfaces.clear();
    assert!(refused(unknown, true).is_some());
}

#[test]
fn an_interface_with_addresses_is_taken_by_force_alone() {
    let tree = Tree::new();
    write(&tree.sys().join("bus/pci/devices").join(NIC).join("net/eth3/mtu"), "1500");
    let used = || network(&[("eth3", &["10.0.0.5", "2001:db8::5"])], &["eth0"]);
    let system = tree.system_in(&["vfio-pci", "mlx5_core"], used());
    let text = tree.bind(&system, &[NIC], false).expect_err("in use").to_string();
    assert!(text.contains("eth3 is up and has 10.0.0.5, 2001:db8::5") && text.contains("--force"), "{text}");
    assert_eq!(tree.driver(NIC).as_deref(), Some("mlx5_core"));
    tree.bind(&system, &[NIC], true).expect("by force");
    system.unbind(nic(), &tree.memory(NIC)).expect("given back");
    let mut down = used();
    down.interfaces.get_mut("eth3").expect("there").up = false;
    tree.bind(&tree.system_in(&["vfio-pci"], down), &[NIC], false).expect("it is down");
}

#[test]
fn a_kernel_that_tells_no_routes_keeps_its_card() {
    let tree = Tree::new();
    write(&tree.sys().join("bus/pci/devices").join(NIC).join("net/eth3/mtu"), "1500");
    let system = System::at(tree.sys(), Box::new(|| Err(io::ErrorKind::PermissionDenied.into())), Box::new(|_, _| Ok(())));
    let text = tree.bind(&system, &[NIC], true).expect_err("nobody knows").to_string();
    assert!(text.contains("AF_NETLINK"), "{text}");
}
