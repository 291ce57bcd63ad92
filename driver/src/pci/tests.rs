//! A tree like sysfs, and a kernel that does what is written into it.
use super::*;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicU32, Ordering};

struct Tree(PathBuf);

const NIC: &str = "0000:03:00.0";
const OTHER: &str = "0000:03:00.1";
const BRIDGE: &str = "0000:00:1c.0";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Makes `driver` the device's, as the kernel does; none without.
fn drive(sys: &Path, device: &str, driver: Option<&str>) {
    let link = sys.join("bus/pci/devices").join(device).join("driver");
    let _ = fs::remove_file(&link);
    if let Some(driver) = driver {
        let target = sys.join("bus/pci/drivers").join(driver);
        fs::create_dir_all(&target).expect("a folder");
        symlink(target, link).expect("a link");
    }
}

impl Tree {
    /// Three functions in group 7: a NIC that `mlx5_core` drives, another one that nobody does, a bridge.
    fn new() -> Self {
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
        write(&tree.0.join("proc/net/route"), "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n");
        tree
    }

    fn sys(&self) -> PathBuf {
        self.0.join("sys")
    }

    fn memory(&self) -> PathBuf {
        self.0.join("before")
    }

    /// `takes`: the drivers that the kernel has.
    fn system(&self, takes: &'static [&'static str]) -> System {
        let sys = self.sys();
        let kernel = move |path: &Path, text: &str| {
            match path.file_name().and_then(|n| n.to_str()) {
                Some("unbind") => drive(&sys, text, None),
                Some("drivers_probe") => {
                    let asked = fs::read_to_string(sys.join("bus/pci/devices").join(text).join("driver_override")).unwrap_or_default();
                    let wanted = if asked.trim().is_empty() { "mlx5_core" } else { asked.trim() };
                    if takes.contains(&wanted) {
                        drive(&sys, text, Some(wanted));
                    }
                }
                _ => fs::write(path, text)?,
            }
            Ok(())
        };
        System::at(self.sys(), self.0.join("proc"), Box::new(kernel))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn nic() -> Address {
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
    let bound = system.bind(nic(), &tree.memory()).expect("bound");
    assert_eq!(bound, Bound { before: Some("mlx5_core".into()), group: 7 });
    system.check_bound(nic()).expect("bound");
    // Binding again changes nothing, and forgets nothing.
    assert_eq!(system.bind(nic(), &tree.memory()).expect("bound").before.as_deref(), Some("vfio-pci"));
    assert_eq!(system.unbind(nic(), &tree.memory()).expect("given back").as_deref(), Some("mlx5_core"));
    assert!(system.unbind(nic(), &tree.memory()).is_err() && !tree.memory().exists());
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
    write(&folder.join("vendor"), "0x10ee\n");
    write(&folder.join("device"), "0x903f\n");
    assert_eq!((found()[0].board().map(|b| b.name), found()[0].is_ours()), (Some("opennic"), false), "its IDs are many designs'");
}

#[test]
fn a_driver_that_is_not_there_leaves_the_device_with_its_old_one() {
    let tree = Tree::new();
    let system = tree.system(&["mlx5_core"]);
    let text = system.bind(nic(), &tree.memory()).expect_err("no module").to_string();
    assert!(text.contains("nobody after it was handed to vfio-pci") && text.contains("modprobe vfio-pci"), "{text}");
    assert_eq!(system.find(nic()).expect("there").driver.as_deref(), Some("mlx5_core"));
}

#[test]
fn the_group_is_checked() {
    let tree = Tree::new();
    let system = tree.system(&["vfio-pci"]);
    assert_eq!(system.check_group(nic()).expect("nobody else"), 7);
    drive(&tree.sys(), OTHER, Some("i40e"));
    let text = system.bind(nic(), &tree.memory()).expect_err("shared").to_string();
    assert_eq!(text, format!("{NIC} shares IOMMU group 7 with {OTHER} (i40e); unbind it, or move the card to a slot with ACS"));
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

#[test]
fn the_card_of_the_default_route_is_not_taken() {
    let tree = Tree::new();
    let system = tree.system(&["vfio-pci"]);
    write(&tree.sys().join("bus/pci/devices").join(NIC).join("net/eth3/mtu"), "1500");
    let route = |interface, destination, mask| {
        let text = format!("Iface\n{interface}\t{destination}\t0100000A\t0003\t0\t0\t0\t{mask}\t0\t0\t0\n");
        write(&tree.0.join("proc/net/route"), &text);
    };
    route("eth3", "0000000A", "000000FF");
    assert_eq!(system.default_route(nic()), None);
    route("eth30", "00000000", "00000000");
    assert_eq!(system.default_route(nic()), None);
    route("eth3", "00000000", "00000000");
    let text = system.bind(nic(), &tree.memory()).expect_err("the route").to_string();
    assert!(text.contains("carries the default route (interface eth3)"), "{text}");
    route("eth0", "00000000", "00000000");
    let zeros = "0".repeat(32);
    write(&tree.0.join("proc/net/ipv6_route"), &format!("{zeros} 00 {zeros} 00 {zeros} 00000400 00000001 00000000 00000003 eth3\n"));
    assert_eq!(system.default_route(nic()).as_deref(), Some("eth3"));
    // A VLAN over a bond of which it is a part.
    fs::remove_file(tree.0.join("proc/net/ipv6_route")).expect("removed");
    route("bond0.7", "00000000", "00000000");
    assert_eq!(system.default_route(nic()), None);
    for (below, above) in [("eth3", "bond0"), ("bond0", "bond0.7"), ("bond0.7", "eth3")] {
        let folder = tree.sys().join("class/net").join(below);
        fs::create_dir_all(&folder).expect("a folder");
        symlink(format!("../{above}"), folder.join(format!("upper_{above}"))).expect("a link");
    }
    let text = system.bind(nic(), &tree.memory()).expect_err("the route").to_string();
    assert!(text.contains("carries the default route (interface bond0.7)"), "{text}");
    route("eth0", "00000000", "00000000");
    assert_eq!(system.default_route(nic()), None);
}

#[test]
fn memory_that_may_not_be_locked_is_told() {
    assert!(check_memlock(68 << 20, None).is_ok() && check_memlock(68 << 20, Some(68 << 20)).is_ok());
    let text = check_memlock(68 << 20, Some(4 << 20)).expect_err("too little").to_string();
    assert_eq!(text, "need 68 MiB locked, limit is 4 MiB; set LimitMEMLOCK=128M in the unit, or run: ulimit -l 131072");
}
