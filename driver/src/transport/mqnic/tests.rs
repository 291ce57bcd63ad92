//! A file behind the same mapping, with Corundum's list and our registers at the offsets that the
//! module gives its regions, and a kernel that answers as it is told to. Registers are memory here:
//! what was written is read back, and nothing happens.
use super::*;
use crate::nic::{End, EventSettings, Nic, Start};
use crate::transport::Transport;
use crate::transport::beside::words;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering};
use timely_regs::board::corundum;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{flow, id, port};

const BAR_BYTES: u64 = 1 << 24;
/// Regions are so far apart in the device's file.
const APART: u64 = 1 << 40;

struct Card {
    file: File,
    version: io::Result<u32>,
    regions: Vec<Region>,
}

impl Answers for Card {
    fn api_version(&self) -> io::Result<u32> {
        self.version.as_ref().map(|v| *v).map_err(|e| e.kind().into())
    }

    fn regions(&self) -> io::Result<u32> {
        Ok(self.regions.len() as u32)
    }

    fn region(&self, index: u32) -> io::Result<Region> {
        self.regions.get(index as usize).copied().ok_or(ErrorKind::InvalidInput.into())
    }
}

impl Card {
    /// As it comes with a bitstream of ours.
    fn new() -> Self {
        let file = File::from(memfd_create("timely-mqnic", MemfdFlags::CLOEXEC).expect("a file"));
        ftruncate(&file, APART + BAR_BYTES).expect("a file of holes");
        let region = |kind, index: u64| Region { kind, bytes: BAR_BYTES, offset: index * APART };
        let mut regions = vec![region(NIC_CONTROL, 0), region(APP_CONTROL, 1), region(0x2000, 2)];
        regions[2].bytes = 0;
        let card = Card { file, version: Ok(API_VERSION), regions };
        // Corundum's list: the firmware's block, a free place, the application's.
        let list = [
            (0u32, [u32::MAX, 0x100, 0x40, 0]),
            (0x40, [0, 0, 0x80, 0]),
            (0x80, [corundum::APP_INFO_TYPE, corundum::APP_INFO_VERSION, 0, corundum::APPLICATION_ID]),
        ];
        list.iter().for_each(|(at, words)| (0..).zip(words).for_each(|(i, w)| card.put(0, at + 4 * i, *w)));
        words().for_each(|(at, word)| card.put(1, at, word));
        card
    }

    fn put(&self, region: u64, at: u32, word: u32) {
        self.file.write_all_at(&word.to_le_bytes(), region * APART + u64::from(at)).expect("written");
    }

    fn get(&self, register: &timely_regs::map::Register) -> u32 {
        let mut word = [0; 4];
        self.file.read_exact_at(&mut word, APART + u64::from(register.address())).expect("read");
        u32::from_le_bytes(word)
    }

    fn open(&self) -> Result<Beside, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("timely-mqnic-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(&name);
        let lock = Lock::take(&name, &path).expect("free");
        std::fs::remove_file(path).expect("removed");
        with("/dev/mqnic0", &self.file, self, lock)
    }

    fn refused(&self, names: &[&str]) {
        let text = match self.open() {
            Err(e) => e.to_string(),
            Ok(way) => Nic::open(Box::new(way), Start::Attach).err().expect("refused").to_string(),
        };
        names.iter().for_each(|name| assert!(text.contains(name) && text.contains("/dev/mqnic0"), "{text}: {name}"));
    }
}

#[test]
fn registers_are_reached_beside_the_interface() {
    let card = Card::new();
    let way = card.open().expect("a way");
    assert_eq!((way.placed().board.name, way.registers_bytes(), way.keeps_state()), ("corundum", BAR_BYTES, true));
    let mut nic = Nic::open(Box::new(way), Start::Attach).expect("a device");
    let info = nic.info().expect("information");
    assert_eq!((info.flows, info.bus_bits, info.ready, info.transport), (16, 512, true, KIND));
    assert_eq!(nic.flows().expect("flows").used().count(), 0);
    nic.checked("an address", |d| d.set_ipv4([11, 0, 0, 1].into())).expect("set");
    nic.add_flow(Some(3), &FlowRecord { ttl: 7, ..FlowRecord::default() }).expect("added");
    nic.enable(true).expect("enabled");
    assert_eq!((card.get(&port::IPV4), card.get(&flow::INDEX), card.get(&flow::COMMAND)), (0x0100_000b, 3, flow::LOAD));
    assert_eq!(nic.snapshot(0, 16).expect("by queries").len(), 16);
    nic.close(End::Running).expect("closed");
    assert_eq!(card.get(&id::CONTROL), 1, "what was configured goes on");
}

/// A start from nothing removes flows by the soft reset, where no other is to be had: the card is
/// its network driver's.
#[test]
fn a_fresh_start_clears_by_registers() {
    let card = Card::new();
    card.put(1, id::CONTROL.address(), 1);
    let mut nic = Nic::open(Box::new(card.open().expect("a way")), Start::Fresh).expect("a device");
    assert_eq!(nic.flows().expect("flows").used().count(), 0);
    assert_eq!((card.get(&id::RESET), card.get(&id::CONTROL)), (1, 0));
}

#[test]
fn what_needs_more_than_registers_says_so() {
    let card = Card::new();
    let way = card.open().expect("a way");
    let said = [
        way.dma_map(4096).err().map(|e| e.to_string()),
        way.enable_msix(6).err().map(|e| e.to_string()),
        way.reset().err().map(|e| e.to_string()),
        way.read_config(0, &mut [0; 2]).err().map(|e| e.to_string()),
    ];
    let mut nic = Nic::open(Box::new(way), Start::Attach).expect("a device");
    let events = nic.start_events(&EventSettings::default()).expect_err("no DMA").to_string();
    assert!(events.starts_with("/dev/mqnic0: the event ring needs DMA, and Corundum's character device has none"), "{events}");
    for text in said.into_iter().flatten().chain([events]) {
        assert!(text.contains("/dev/mqnic0") && text.contains("timelyctl bind") && text.contains("telemetry --watch"), "{text}");
    }
}

#[test]
fn another_device_or_application_is_refused() {
    let mut card = Card::new();
    card.version = Ok(7);
    card.refused(&["version 7", "knows 0", "Corundum's module"]);
    card.version = Err(ErrorKind::Unsupported.into());
    card.refused(&["does not answer as Corundum's driver", "timelyctl list"]);
    let mut card = Card::new();
    card.regions.truncate(1);
    card.refused(&["BAR 2 is not there", "APP_ENABLE 1"]);
    card.regions.clear();
    card.refused(&["no region of the NIC's registers"]);
    card.regions = vec![Region { kind: 0, bytes: 0, offset: 0 }; 17];
    card.refused(&["17 regions"]);
    let card = Card::new();
    card.put(0, 0x80 + corundum::APP_INFO_ID, 0x1234_8001);
    card.refused(&["ID 0x12348001", "block 0xc005 at BAR 0 + 0x80", "not 0x54690001"]);
    let card = Card::new();
    card.put(1, id::MAGIC_WORD.address(), 0x0bad_f00d);
    card.refused(&[
        "a Corundum board, registers at BAR 2 + 0x0",
        "type 0x54690001",
        "magic word 0x0badf00d",
        "not 0x54690001 and 0x544d4c59",
    ]);
    let text = open(Path::new("/nowhere/mqnic0")).err().expect("nobody").to_string();
    assert!(text.contains("/nowhere/mqnic0") && text.contains("modprobe mqnic"), "{text}");
    let text = open(Path::new("/dev/null")).err().expect("another device").to_string();
    assert!(text.contains("does not answer as Corundum's driver does"), "{text}");
}
