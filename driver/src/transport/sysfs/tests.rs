//! A tree like sysfs, with files in place of BARs. Registers are memory here: what was written is
//! read back, and nothing happens.
use super::*;
use crate::nic::{End, Nic, Start};
use crate::pci::Network;
use crate::transport::Transport;
use crate::transport::beside::words;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use timely_regs::board::corundum;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{Register, flow, id, port};

const ADDRESS: &str = "0000:d8:00.0";
/// BAR 2 of OpenNIC, and where our registers are in it.
const BAR_BYTES: u64 = 4 << 20;
const OFFSET: u64 = 0x10_0000;

struct Tree(PathBuf);

impl Tree {
    /// An OpenNIC board with our block, that `onic` drives.
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let root = std::env::temp_dir().join(format!("timely-resource-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let tree = Tree(root);
        fs::create_dir_all(tree.folder()).expect("a folder");
        for (name, text) in [("vendor", "0x10ee\n"), ("device", "0x903f\n"), ("class", "0x020000\n"), ("enable", "1\n")] {
            tree.write(name, text);
        }
        tree.drive("onic");
        tree.bar(0, 1 << 18);
        tree.bar(2, BAR_BYTES);
        words().for_each(|(at, word)| tree.put(2, OFFSET + u64::from(at), word));
        tree
    }

    fn folder(&self) -> PathBuf {
        self.0.join("bus/pci/devices").join(ADDRESS)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder().join(name), text).expect("a file");
    }

    fn drive(&self, driver: &str) {
        let link = self.folder().join("driver");
        let _ = fs::remove_file(&link);
        symlink(Path::new("../../drivers").join(driver), link).expect("a link");
    }

    fn file(&self, bar: u32) -> File {
        let path = self.folder().join(format!("resource{bar}"));
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).expect("a file")
    }

    fn bar(&self, bar: u32, bytes: u64) {
        self.file(bar).set_len(bytes).expect("a file of holes");
    }

    fn put(&self, bar: u32, at: u64, word: u32) {
        self.file(bar).write_all_at(&word.to_le_bytes(), at).expect("written");
    }

    fn get(&self, base: u64, register: &Register) -> u32 {
        let mut word = [0; 4];
        self.file(2).read_exact_at(&mut word, base + u64::from(register.address())).expect("read");
        u32::from_le_bytes(word)
    }

    fn open(&self, asked: Option<&str>) -> Result<Beside, Failure> {
        let address: Address = ADDRESS.parse().expect("an address");
        let lock = Lock::take(ADDRESS, &self.0.join("lock")).expect("free");
        let system = System::at(self.0.clone(), Box::new(|| Ok(Network::default())), Box::new(|_, _| Ok(())));
        with(&system, address, asked.map(|p| p.parse().expect("a place")), lock)
    }

    fn refused(&self, asked: Option<&str>, names: &[&str]) {
        let text = match self.open(asked) {
            Err(e) => e.to_string(),
            Ok(way) => Nic::open(Box::new(way), Start::Attach).err().expect("refused").to_string(),
        };
        names.iter().for_each(|name| assert!(text.contains(name), "{text}: {name}"));
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_opennic_board_is_reached_beside_its_interface() {
    let tree = Tree::new();
    let way = tree.open(None).expect("a way");
    assert_eq!((way.name(), way.kind(), way.keeps_state()), ("sysfs:0000:d8:00.0", KIND, true));
    assert_eq!((way.placed().board.name, way.placed().place.offset, way.registers_bytes()), ("opennic", OFFSET as u32, 1 << 20));
    let mut nic = Nic::open(Box::new(way), Start::Attach).expect("a device");
    assert_eq!(nic.info().expect("information").flows, 16);
    nic.checked("an address", |d| d.set_ipv4([11, 0, 0, 1].into())).expect("set");
    nic.add_flow(Some(3), &FlowRecord { ttl: 7, ..FlowRecord::default() }).expect("added");
    nic.enable(true).expect("enabled");
    let seen = [&port::IPV4, &flow::INDEX, &flow::COMMAND].map(|r| tree.get(OFFSET, r));
    assert_eq!(seen, [0x0100_000b, 3, flow::LOAD]);
    nic.close(End::Running).expect("closed");
    assert_eq!(tree.get(OFFSET, &id::CONTROL), 1, "what was configured goes on");
    // Nothing of the shell's own, below our megabyte, was touched.
    let mut below = vec![0; OFFSET as usize];
    tree.file(2).read_exact_at(&mut below, 0).expect("read");
    assert!(below.iter().all(|b| *b == 0));
}

#[test]
fn registers_elsewhere_are_named() {
    let tree = Tree::new();
    words().for_each(|(at, word)| tree.put(2, 0x11_0000 + u64::from(at), word));
    let nic = Nic::open(Box::new(tree.open(Some("bar=2,offset=0x110000")).expect("a way")), Start::Attach).expect("a device");
    assert_eq!(nic.info().expect("information").flows, 16);
    drop(nic);
    tree.refused(Some("bar=2,offset=0x120000"), &["registers at BAR 2 + 0x120000", "magic word 0x00000000"]);
    tree.refused(Some("bar=3"), &["BAR 3 is not there"]);
    tree.refused(Some("bar=2,offset=0x3ff800"), &["BAR 2 has 0x400000 bytes", "0x1000 from 0x3ff800"]);
}

/// A Corundum board whose driver has no character device: its list is in BAR 0, and is asked for
/// the application.
#[test]
fn corundums_list_is_read_there_too() {
    let tree = Tree::new();
    tree.write("vendor", "0x1234\n");
    tree.write("device", "0x1001\n");
    tree.bar(0, 1 << 24);
    tree.bar(2, 1 << 24);
    let list = [u32::MAX, 0x100, 0x40, 0];
    let put = |at: u64, words: [u32; 4]| (0..).zip(words).for_each(|(i, w)| tree.put(0, at + 4 * i, w));
    put(0, list);
    put(0x40, [corundum::APP_INFO_TYPE, corundum::APP_INFO_VERSION, 0, corundum::APPLICATION_ID]);
    words().for_each(|(at, word)| tree.put(2, at.into(), word));
    assert_eq!(tree.open(None).expect("a way").placed().board.name, "corundum");
    put(0x40, [corundum::APP_INFO_TYPE, corundum::APP_INFO_VERSION, 0, 0x1234_8001]);
    tree.refused(None, &["ID 0x12348001", "not 0x54690001"]);
    put(0x40, [corundum::APP_INFO_TYPE, corundum::APP_INFO_VERSION, 0, 0]);
    tree.refused(None, &["no application block"]);
}

#[test]
fn what_is_in_the_way_is_named_with_the_next_step() {
    let tree = Tree::new();
    tree.put(2, OFFSET + u64::from(id::MAGIC_WORD.address()), u32::MAX);
    tree.refused(None, &["sysfs:0000:d8:00.0: every register reads 0xffffffff"]);
    tree.put(2, OFFSET + u64::from(id::MAGIC_WORD.address()), 0x0bad_f00d);
    tree.refused(None, &["an OpenNIC board", "BAR 2 + 0x100000", "magic word 0x0badf00d"]);
    tree.bar(2, 1 << 20);
    tree.refused(None, &["BAR 2 has 0x100000 bytes", "0x1000 from 0x100000", "250 MHz"]);
    fs::remove_file(tree.folder().join("resource2")).expect("removed");
    tree.refused(None, &["BAR 2 is not there"]);
    tree.write("enable", "0\n");
    tree.refused(None, &["sysfs:0000:d8:00.0", "its memory is off", "onic drives it", "echo 1 > "]);
    fs::remove_file(tree.folder().join("enable")).expect("removed");
    tree.refused(None, &["enable cannot be read"]);
    tree.drive("vfio-pci");
    tree.refused(None, &["vfio-pci has the card", "--device 0000:d8:00.0", "timelyctl unbind 0000:d8:00.0"]);
    tree.drive("mqnic");
    fs::create_dir_all(tree.folder().join("misc/mqnic3")).expect("a folder");
    tree.refused(None, &["mqnic has the card", "--device /dev/mqnic3"]);
    fs::remove_dir_all(tree.folder()).expect("removed");
    tree.refused(None, &["there is no PCI device 0000:d8:00.0", "timelyctl list"]);
}

/// A file that may not be mapped to write is refused with the error that a kernel in lockdown
/// gives.
#[test]
fn a_kernel_that_lets_nobody_map_is_told_apart() {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
    let tree = Tree::new();
    let sealed = memfd_create("timely-resource", MemfdFlags::ALLOW_SEALING).expect("a file");
    ftruncate(&sealed, BAR_BYTES).expect("a size");
    fcntl_add_seals(&sealed, SealFlags::WRITE).expect("sealed");
    let path = tree.folder().join("resource2");
    fs::remove_file(&path).expect("removed");
    symlink(format!("/proc/{}/fd/{}", std::process::id(), sealed.as_raw_fd()), &path).expect("a link");
    tree.refused(None, &["resource2 cannot be mapped", "locked down", "timelyctl bind"]);
    assert!(why_not(Some(EINVAL)).contains("iomem=relaxed") && why_not(None).contains("dmesg"));
}

#[test]
fn what_needs_more_than_registers_says_so() {
    let tree = Tree::new();
    let way = tree.open(None).expect("a way");
    let said = [
        way.dma_map(4096).err(),
        way.enable_msix(6).err(),
        way.disable_msix().err(),
        way.reset().err(),
        way.read_config(0, &mut [0; 2]).err(),
    ];
    for text in said.map(|e| e.expect("refused").to_string()) {
        assert!(text.starts_with("sysfs:0000:d8:00.0: ") && text.contains(KIND) && text.contains("timelyctl bind"), "{text}");
    }
}
