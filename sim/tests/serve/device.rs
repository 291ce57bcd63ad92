//! The device, as a client that knows its protocol sees it.
use crate::client::{CONFIG, Client, PAGE, Pages, Registers, Served, made, options, pair, words};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, OwnedFd};
use std::cell::RefCell;
use std::os::unix::fs::FileExt;
use timely_regs::counters::Counter;
use timely_regs::device::{Bus, Device, Error, Memory, RingSettings};
use timely_regs::event::EventRecord;
use timely_regs::flow::FlowRecord;
use timely_regs::map::dma::{self, Code};
use timely_regs::map::{BAD_READ, BLOCK_BYTES, MAGIC, id, port};
use timely_regs::parameters::Parameters;
use timely_regs::pci;
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::DEFAULT_PORT;
use timely_sim::frame::address;
use timely_sim::nic::access::Access;
use timely_sim::nic::core::AccessError;
use timely_sim::scenario::NicKind;
use timely_sim::serve::wire::Wire;
use timely_sim::time::US;

const FLOWS: u32 = 1024;
/// Across 4 GiB.
const BUFFER: u64 = 0xffff_f000;
const NEW: u32 = 0;

fn events() -> OwnedFd {
    eventfd(0, EventfdFlags::NONBLOCK).unwrap()
}

/// How often an eventfd was signalled since it was asked last.
fn signals(fd: &OwnedFd) -> u64 {
    let mut bytes = [0; 8];
    rustix::io::read(fd, &mut bytes).map_or(0, |_| u64::from_ne_bytes(bytes))
}

#[test]
fn registers_answer_and_refuse() {
    let served = Served::start(&options(NicKind::Model), false);
    let registers = Registers::open(&served.path);
    let device = registers.device();
    assert_eq!(registers.read32(id::MAGIC_WORD.address()), Ok(MAGIC));
    assert_eq!((device.build().flow_bits, device.build().bus_bits), (10, 64));
    // Refused accesses are counted by the NIC.
    let counted = || registers.device().counters().unwrap()[Counter::CsrErrors as usize];
    let before = counted();
    assert_eq!(registers.read32(BLOCK_BYTES), Ok(BAD_READ));
    assert_eq!(registers.write32(id::MAGIC_WORD.address(), 1), Ok(()));
    assert_eq!(counted(), before + 2);
    assert_eq!(device.last_refusal().unwrap().map(|r| (r.address, r.write)), Some((id::MAGIC_WORD.address(), true)));
    // Accesses that are none to a register are refused by the socket.
    let einval = Err(22);
    registers.client(|c| {
        for (offset, bytes) in [(0, 1), (0, 2), (2, 4), (0, 0), (pci::REGISTERS_BYTES, 4), (pci::REGISTERS_BYTES - 4, 8), (u64::MAX - 3, 4)]
        {
            assert_eq!(c.read(0, offset, bytes), einval.map(|()| Vec::new()), "{bytes} bytes at {offset:#x}");
            assert_eq!(c.write(0, offset, &vec![0; bytes as usize]), einval, "{bytes} bytes at {offset:#x}");
        }
        assert_eq!(c.read(0, 0x0c, 8).unwrap()[..4], MAGIC.to_le_bytes(), "several registers at once");
        for region in [1, 3, 6, 8, 9, u32::MAX] {
            assert_eq!(c.read(region, 0, 4), einval.map(|()| Vec::new()), "region {region}");
        }
        assert_eq!(c.read(pci::MSIX_BAR, 12, 4).unwrap(), [1, 0, 0, 0], "a vector is masked");
        c.write(pci::MSIX_BAR, 0, &[7; 16]).unwrap();
        assert_eq!(c.read(pci::MSIX_BAR, 0, 16).unwrap(), [7; 16]);
        c.write(pci::MSIX_BAR, pci::MSIX_PBA.into(), &[0xff; 8]).unwrap();
        assert_eq!(c.read(pci::MSIX_BAR, pci::MSIX_PBA.into(), 8).unwrap(), [0; 8], "pending bits cannot be written");
    });
    assert_eq!(counted(), before + 2);
}

#[test]
fn the_device_says_what_it_is() {
    let served = Served::start(&options(NicKind::Model), false);
    let mut c = Client::connect(&served.path);
    assert_eq!(c.call(4, &words(&[16, 0, 0, 0]), &[]).unwrap(), words(&[16, 3, 9, 5]));
    let sizes: Vec<u64> = (0..9)
        .map(|region| {
            let info = c.call(5, &[words(&[32, 0, region, 0]), vec![0; 16]].concat(), &[]).unwrap();
            u64::from_ne_bytes(info[16..24].try_into().unwrap())
        })
        .collect();
    assert_eq!(sizes, [1 << 24, 0, 4096, 0, 0, 0, 0, 4096, 0]);
    for index in 0..5 {
        let count = if index == 2 { dma::LINES } else { 0 };
        assert_eq!(c.call(7, &words(&[16, 0, index, 0]), &[]).unwrap()[12..], count.to_ne_bytes(), "interrupt index {index}");
    }
    let msix = c.capability(pci::CAP_MSIX);
    assert_eq!(c.read(CONFIG, msix + 2, 2).unwrap(), (pci::VECTORS - 1).to_le_bytes());
    let express = c.capability(pci::CAP_EXPRESS) + u64::from(pci::EXPRESS_DEVICE);
    let capabilities = u32::from_le_bytes(c.read(CONFIG, express, 4).unwrap().try_into().unwrap());
    assert!(capabilities & pci::EXPRESS_DEVICE_FLR != 0);
}

/// Exercises DMA as a driver does: flows are loaded, rates set while the ring records it, and a
/// snapshot taken.
fn exercise<B: Bus<Error: std::fmt::Debug>>(device: &Device<B>, memory: &impl Memory) -> (Vec<TelemetryRecord>, Vec<EventRecord>) {
    device.write_profile(3, &Parameters::fixed(1000.0).quantise().unwrap()).unwrap();
    let record = |i| FlowRecord { enable: true, profile: 3, source_port: i as u16, charged_bytes: i * 77, ..Default::default() };
    let records: Vec<FlowRecord> = (0..FLOWS).map(record).collect();
    device.start_dma().unwrap();
    device.load_flows(memory, 0, &records).unwrap();
    device.stop_dma().unwrap();
    device.record_events(1, Default::default()).unwrap();
    let settings = RingSettings { bits: 7, watermark: 1, holdoff_clocks: 0 };
    let mut ring = device.start_ring(memory, &settings).unwrap();
    let mut events = Vec::new();
    // Three rounds of a ring of two pages.
    for round in 0..3 {
        for flow in 0..100 {
            device.set_rate(flow, 4096 * (1 + round * 100 + flow)).unwrap();
        }
        let mut left = 100;
        for _ in 0..10_000 {
            left -= device.read_ring(&mut ring, memory, |words| events.push(EventRecord::from_words(&words).unwrap())).unwrap();
            if left == 0 {
                break;
            }
        }
        assert_eq!(left, 0, "records that did not come");
    }
    let telemetry = device.snapshot(memory, 0, FLOWS).unwrap().into_iter().map(TelemetryRecord::timeless).collect();
    device.stop_dma().unwrap();
    (telemetry, events)
}

/// Through the socket, and pages that lie anywhere, what DMA brings is what it brings in process.
#[test]
fn dma_through_pages_is_as_without() {
    let mut own = made(&options(NicKind::Model));
    let access = Access::new(own.core());
    let device = Device::open(&access).unwrap();
    device.wait_ready().unwrap();
    let (telemetry, mut events) = exercise(&device, &access.buffer(BUFFER, 128 * FLOWS as usize));
    // Nothing else depends on when it was asked.
    let timeless = |events: &mut Vec<EventRecord>| events.iter_mut().for_each(|e| e.time = 0);
    timeless(&mut events);
    assert!(events.iter().any(|e| e.rate == 4096 * 300) && telemetry.iter().all(|t| t.updates > 0));
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&options(kind), false);
        let registers = Registers::open(&served.path);
        let memory = Pages::new(&registers, BUFFER, 32);
        let (there, mut then) = exercise(&registers.device(), &memory);
        timeless(&mut then);
        assert_eq!(there, telemetry, "{kind}");
        assert_eq!(then, events, "{kind}");
    }
}

#[test]
fn interrupts_reach_their_eventfds() {
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&options(kind), false);
        let registers = Registers::open(&served.path);
        let device = registers.device();
        let memory = Pages::new(&registers, 0x1_0000, 2);
        let fds: Vec<OwnedFd> = (0..dma::LINES).map(|_| events()).collect();
        registers.client(|c| c.arm(0, &fds.iter().collect::<Vec<_>>())).unwrap();
        let all = || fds.iter().map(signals).collect::<Vec<_>>();
        let load = || {
            device.load_flows(&memory, 0, &[FlowRecord { enable: true, ..Default::default() }]).unwrap();
            // The line is out a few clocks after the load has ended.
            device.read(&dma::STATUS).unwrap();
            device.read(&dma::STATUS).unwrap();
        };
        device.start_dma().unwrap();
        load();
        assert_eq!(all(), [0; 6], "masked in the NIC");
        device.take_interrupts().unwrap();
        device.set_interrupts((1 << dma::LINES) - 1).unwrap();
        load();
        assert_eq!(all(), [0, 0, 0, 1, 0, 0], "{kind}: a load ended");
        load();
        assert_eq!(all(), [0; 6], "its line is still up");
        assert_eq!(device.take_interrupts().unwrap(), 1 << dma::LOAD_LINE);
        load();
        assert_eq!(all(), [0, 0, 0, 1, 0, 0]);
        // The line is up, and a write to INTERRUPT leaves it so.
        device.write(&dma::INTERRUPT, 1 << dma::SNAPSHOT_LINE).unwrap();
        assert_eq!(all(), [0, 0, 0, 1, 0, 0], "it is signalled once more");
        device.take_interrupts().unwrap();
        registers.client(|c| {
            assert_eq!(c.set_irqs(0x24, dma::LOAD_LINE, 1, &[]), Ok(()), "one vector is disarmed");
            assert_eq!(c.set_irqs(0x21, 1, 2, &[]), Ok(()), "vectors are tried");
            assert_eq!(c.set_irqs(0x21, 5, 2, &[]), Err(22), "there is no vector 6");
            assert_eq!(c.set_irqs(0x24, 0, 2, &[fds[0].as_fd()]), Err(22), "one descriptor for two vectors");
            assert_eq!(c.set_irqs(0x0c, 0, 1, &[]), Err(22), "vectors cannot be masked here");
        });
        assert_eq!(all(), [0, 1, 1, 0, 0, 0]);
        load();
        assert_eq!(all(), [0; 6], "nobody listens");
        registers.client(|c| c.arm(dma::LOAD_LINE, &[&fds[0]])).unwrap();
        assert_eq!(all(), [1, 0, 0, 0, 0, 0], "it is told when it listens, for the line is up");
        registers.client(|c| c.set_irqs(0x21, 0, 0, &[])).unwrap();
        device.take_interrupts().unwrap();
        load();
        assert_eq!(all(), [0; 6], "all are disarmed");
    }
}

/// Starts a snapshot of all flows.
fn start_snapshot(device: &Device<&Registers>, to: u64) {
    let values = [to as u32, (to >> 32) as u32, 0, FLOWS, dma::START];
    dma::SNAPSHOT.iter().zip(values).for_each(|(r, v)| device.write(r, v).unwrap());
}

fn contents(memory: &Pages) -> Vec<u8> {
    let mut bytes = vec![0; memory.bytes()];
    memory.file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

#[test]
fn a_reset_in_the_middle_of_dma() {
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&options(kind), false);
        let registers = Registers::open(&served.path);
        let memory = Pages::new(&registers, BUFFER, 32);
        for round in 0..6 {
            let device = registers.device();
            device.wait_ready().unwrap();
            registers.client(|c| c.master(true));
            memory.file.write_all_at(&[0xa5; 32 * PAGE as usize], 0).unwrap();
            device.write_profile(0, &Parameters::fixed(1.0).quantise().unwrap()).unwrap();
            device.start_dma().unwrap();
            // With bus mastering off, bursts wait.
            registers.client(|c| c.master(round % 3 != 0));
            start_snapshot(&device, BUFFER);
            for _ in 0..round {
                device.read(&dma::SNAPSHOT_PROGRESS).unwrap();
            }
            if round % 3 == 0 {
                assert_ne!(device.read_field(&dma::SNAPSHOT_STATUS, &dma::BUSY).unwrap(), 0, "without bus mastering nothing is written");
                assert_eq!(contents(&memory), [0xa5; 32 * PAGE as usize]);
            }
            if round % 2 == 0 {
                registers.client(|c| c.flr());
            } else {
                registers.client(|c| c.call(crate::client::RESET, &[], &[])).unwrap();
            }
            let after = contents(&memory);
            registers.client(|c| assert_eq!(c.read(CONFIG, pci::COMMAND.into(), 2).unwrap(), [0, 0], "no bus master"));
            device.wait_ready().unwrap();
            assert_eq!(device.read(&dma::STATUS).unwrap(), 1 << dma::IDLE.low);
            assert_eq!(device.read(&dma::SNAPSHOT_STATUS).unwrap(), NEW);
            assert_eq!(contents(&memory), after, "{kind}: nothing is written after a reset");
        }
        // And it works.
        registers.client(|c| c.master(true));
        let device = registers.device();
        device.start_dma().unwrap();
        let taken = device.snapshot(&memory, 0, FLOWS).unwrap();
        assert!(taken.len() == FLOWS as usize && taken.iter().all(|r| r.timeless() == TelemetryRecord::default()), "{taken:?}");
    }
}

#[test]
fn memory_that_is_taken_away_while_dma_writes_it() {
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&options(kind), false);
        let registers = Registers::open(&served.path);
        let mut cut = 0;
        for round in 0..8u64 {
            let memory = Pages::new(&registers, BUFFER, 32);
            let device = registers.device();
            device.write_profile(0, &Parameters::fixed(1.0).quantise().unwrap()).unwrap();
            device.start_dma().unwrap();
            start_snapshot(&device, BUFFER);
            for _ in 0..round {
                device.read(&dma::STATUS).unwrap();
            }
            registers.client(|c| c.unmap(BUFFER, 32 * PAGE)).unwrap();
            memory.file.write_all_at(&[0xa5; 32 * PAGE as usize], 0).unwrap();
            for _ in 0..10_000 {
                if device.read_field(&dma::SNAPSHOT_STATUS, &dma::DONE).unwrap() != 0 {
                    break;
                }
            }
            let status = [device.read(&dma::SNAPSHOT_STATUS).unwrap()];
            assert_ne!(dma::DONE.get(&status), 0);
            if dma::CODE.get(&status) == Code::Memory as u32 {
                cut += 1;
                let error = 1 << dma::ERROR_LINE;
                assert_eq!(device.take_interrupts().unwrap() & error, error, "an access outside of any window is shown");
            }
            assert_eq!(contents(&memory), [0xa5; 32 * PAGE as usize], "{kind}, round {round}: nothing is written after an unmap");
            device.stop_dma().unwrap();
        }
        // The Verilated NIC is slower than the socket.
        assert!(kind == NicKind::Model || cut > 4, "{cut} of 8 snapshots were cut short");
        println!("{kind}: {cut} of 8 snapshots were cut short");
    }
}

#[test]
fn dma_to_where_nothing_is_ends_in_an_error() {
    let served = Served::start(&options(NicKind::Model), false);
    let registers = Registers::open(&served.path);
    let device = registers.device();
    registers.client(|c| {
        assert_eq!(c.map(None, 0, 0x20_0000, PAGE), Ok(()), "memory that cannot be reached from the server");
        assert_eq!(c.map(None, 0, 0x20_0000, PAGE), Err(17), "it is there already");
        assert_eq!(c.unmap(0x40_0000, PAGE), Ok(()), "where nothing was");
    });
    let memory = Pages::new(&registers, 0x10_0000, 1);
    for address in [0x20_0000, 0x30_0000, !0xfff] {
        device.start_dma().unwrap();
        let to = memory.elsewhere(address);
        assert_eq!(device.snapshot(&to, 0, 2), Err(Error::Dma { what: "snapshot", code: Code::Memory as u32 }), "{address:#x}");
        device.stop_dma().unwrap();
        device.start_dma().unwrap();
        assert_eq!(device.load_flows(&to, 0, &[FlowRecord::default()]), Err(Error::Dma { what: "load", code: Code::Memory as u32 }));
        device.stop_dma().unwrap();
        assert_eq!(device.take_interrupts().unwrap() & 1 << dma::ERROR_LINE, 1 << dma::ERROR_LINE);
    }
    device.start_dma().unwrap();
    device.snapshot(&memory, 0, 2).unwrap();
}

/// Makes flow 7, which sends to the other NIC of the pair when a doorbell rings.
fn prepare<B: Bus<Error: std::fmt::Debug>>(device: &Device<B>) {
    // Flow 7 is idle from one packet to the next.
    let slow = Parameters { initial_mbps: 1000.0, ..Parameters::timely_10g(60.0) };
    device.write_profile(0, &slow.quantise().unwrap()).unwrap();
    device.set_mac(address::mac(0)).unwrap();
    device.set_ipv4(address::ipv4(0).into()).unwrap();
    device.write(&port::UDP_PORT, DEFAULT_PORT.into()).unwrap();
    device.allow(&[(std::net::Ipv4Addr::UNSPECIFIED.into(), 0)]).unwrap();
    device.write(&port::ACK_ENABLE, 1).unwrap();
    let flow = FlowRecord {
        enable: true,
        endless: true,
        payload_bytes: 1024,
        segment_packets: 4,
        mac: address::mac(1),
        source_port: DEFAULT_PORT,
        destination_port: DEFAULT_PORT,
        address: std::net::Ipv4Addr::from(address::ipv4(1)).into(),
        ..Default::default()
    };
    device.load_flow(7, &flow).unwrap();
    device.key_nonces(1).unwrap();
    device.enable(true).unwrap();
}

#[test]
fn a_pair_has_round_trips() {
    const DELAY: u64 = 20 * US;
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&pair(kind, DELAY, 2), false);
        let registers = Registers::open(&served.path);
        let device = registers.device();
        prepare(&device);
        device.doorbell(7, 64).unwrap();
        let mut record = TelemetryRecord::default();
        for _ in 0..200_000 {
            record = TelemetryRecord::from_words(&device.query_flow(7).unwrap());
            if record.samples >= 5 && device.counters().unwrap()[Counter::AcksSent as usize] >= 5 {
                break;
            }
        }
        assert!(record.samples >= 5, "{kind}: {} RTTs", record.samples);
        let (least, most) = (2 * DELAY / 1000, 2 * DELAY / 1000 + 5_000);
        let rtt = record.rtt.expect("a measured RTT").min_ns;
        println!("{kind}: least RTT {} ns over a link of {} ns, {} ACKs sent", rtt, DELAY / 1000, device.counters().unwrap()[8]);
        assert!((least..most).contains(&rtt.into()), "{rtt} ns");
        assert!(device.counters().unwrap()[Counter::AcksSent as usize] >= 5, "the second NIC's traffic is answered");
    }
}

/// The NICs of a pair without a socket between: time is what the test lets pass.
struct Direct(RefCell<Wire>);

impl Bus for Direct {
    type Error = AccessError;

    fn read32(&self, offset: u32) -> Result<u32, AccessError> {
        self.0.borrow_mut().read32(offset)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), AccessError> {
        self.0.borrow_mut().write32(offset, value)
    }
}

/// The second NIC of a pair stood still for a second when it first hears from the first: it sends
/// from then on and not for the second that has passed. The registers of the first answer at every
/// moment of it, on a link too that is shorter than a frame.
#[test]
fn a_second_nic_that_stood_still_starts_when_it_hears() {
    const SECOND: u64 = 1_000_000 * US;
    for delay in [5 * US, US / 10] {
        let device = Device::open(Direct(RefCell::new(made(&pair(NicKind::Model, delay, 1))))).unwrap();
        let wire = &device.bus().0;
        while device.read_field(&id::STATUS, &id::READY).unwrap() == 0 {}
        prepare(&device);
        wire.borrow_mut().advance(SECOND);
        let frames = wire.borrow().frames();
        device.doorbell(7, 1).unwrap();
        while wire.borrow().now() < SECOND + 20 * US {
            let end = wire.borrow().now() + US;
            wire.borrow_mut().step(end);
            device.read(&id::STATUS).unwrap();
        }
        // Frames of both NICs in 20 us at 1 and 10 Gb/s, packets of 1 KB and their ACKs.
        let sent = wire.borrow().frames() - frames;
        assert!((3..30).contains(&sent), "{sent} frames over a link of {delay} ps");
    }
}
