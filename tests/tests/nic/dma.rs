//! DMA of the whole NIC, as a driver uses it: bulk loads, snapshots beside traffic and queries,
//! interrupts, and everything that ends it.
use crate::STORM;
use timely_regs::counters::Counter;
use timely_regs::device::{Device, Error, Memory, Only, RECORD_WORDS, Refused, RingSettings};
use timely_regs::event::EventRecord;
use timely_regs::flow::FlowRecord;
use timely_regs::map::dma::{self, Code};
use timely_regs::parameters::Parameters;
use timely_regs::telemetry::TelemetryRecord;
use timely_sim::nic::access::Access;
use timely_sim::nic::core::{AccessError, CoreEvent};
use timely_sim::nic::memory::Behaviour;
use timely_tests::loopback::{Loop, spec};
use timely_tests::measure::traffic;
use timely_tests::nic::{Nic, cores, start};
use timely_tests::{cycles, few_seeds, rng};

/// Where buffers are: across 4 GiB.
const BUFFER: u64 = 0xffff_fe00;
const FLOWS: u32 = 1024;

/// A NIC with a profile and all flows loaded by DMA, nothing sent.
fn loaded(nic: &mut dyn Nic, behaviour: &Behaviour) -> Vec<FlowRecord> {
    nic.attach(7, behaviour);
    let access = Access::new(nic);
    let device = Device::open(&access).unwrap();
    device.wait_ready().unwrap();
    device.write_profile(3, &Parameters::timely_10g(20.0).quantise().unwrap()).unwrap();
    let record = |i: u32| FlowRecord { enable: true, profile: 3, source_port: i as u16, charged_bytes: i * 77, ..Default::default() };
    let records: Vec<_> = (0..FLOWS).map(record).collect();
    let memory = access.buffer(BUFFER, 64 * FLOWS as usize);
    device.start_dma().unwrap();
    let clk = access.core(|c| c.clk());
    device.load_flows(&memory, 0, &records).unwrap();
    println!("{FLOWS} flows loaded in {} clocks", access.core(|c| c.clk()) - clk);
    records
}

/// A query's answer, but for its time.
fn query(device: &Device<&Access<'_>>, flow: u32) -> TelemetryRecord {
    TelemetryRecord::from_words(&device.query_flow(flow).unwrap()).timeless()
}

fn check(device: &Device<&Access<'_>>, taken: &[TelemetryRecord], first: u32) {
    for (flow, record) in (first..).zip(taken) {
        assert_eq!(query(device, flow), record.timeless(), "flow {flow}: snapshot and query");
    }
}

#[test]
fn flows_are_loaded_and_snapshots_taken() {
    for bus in [64, 512] {
        for (name, mut nic) in cores(bus, 10) {
            println!("{bus} bits, {name}");
            loaded(&mut *nic, &Behaviour::default());
            let access = Access::new(&mut *nic);
            let device = Device::open(&access).unwrap();
            let memory = access.buffer(BUFFER + 0x100_0000, 128 * FLOWS as usize);
            let clk = access.core(|c| c.clk());
            let taken = device.snapshot(&memory, 0, FLOWS).unwrap();
            println!("a snapshot of {FLOWS} flows in {} clocks", access.core(|c| c.clk()) - clk);
            // Every flow was loaded once, and is as loaded.
            assert!(taken.iter().all(|r| r.updates == 1 && r.rate == taken[0].rate && r.rate != 0), "a flow was not loaded");
            check(&device, &taken[..20], 0);
            let part = device.snapshot(&memory, 1000, 24).unwrap();
            check(&device, &part, 1000);

            // Queries between the snapshot's are answered with their own flow's record.
            device.load_flow(5, &FlowRecord { enable: true, profile: 3, ..Default::default() }).unwrap();
            device.load_flow(5, &FlowRecord { enable: true, keep: true, ..Default::default() }).unwrap();
            for (r, v) in [(&dma::SNAPSHOT[2], 0), (&dma::SNAPSHOT[3], FLOWS), (&dma::SNAPSHOT[4], dma::START)] {
                device.write(r, v).unwrap();
            }
            let mut queries = 0;
            while device.read_field(&dma::SNAPSHOT_STATUS, &dma::BUSY).unwrap() != 0 {
                assert_eq!(query(&device, 700), taken[700].timeless());
                queries += 1;
            }
            assert!(queries > 10, "{queries} queries in a snapshot");
            device.stop_dma().unwrap();
        }
    }
}

/// Two runs that differ in this alone, that one takes snapshots of all flows one after another: the
/// same packets leave at the same clocks, and samples and rates come at the same clocks too.
#[test]
fn no_packet_waits_for_a_snapshot() {
    for bus in [64, 512] {
        for ((name, with), (_, without)) in cores(bus, 10).into_iter().zip(cores(bus, 10)) {
            let (with, snapshots) = traffic(with, 10, true, cycles()).unwrap();
            let (without, none) = traffic(without, 10, false, cycles()).unwrap();
            println!("{name}, {bus} bits: {} packets and {} events beside {snapshots} snapshots", without.sent.len(), without.events.len());
            assert!(with == without, "{name}, {bus} bits: a snapshot left its trace in the traffic");
            assert!(none == 0 && u64::from(snapshots) >= cycles() / 50_000 && without.sent.len() as u64 > cycles() / 200);
        }
    }
}

/// A snapshot beside traffic, in a storm: what it says adds up to what the counters say once all is
/// quiet.
#[test]
fn a_snapshot_beside_traffic() {
    for seed in few_seeds() {
        for (name, mut nic) in cores(64, 10) {
            let mut rng = rng(seed);
            // So many flows are loaded by DMA.
            start(&mut *nic, &spec(64, 10, 40, &Parameters::timely_10g(8.0), &mut rng));
            let mut wire = Loop::new(64, STORM, rng);
            let mut packets = Vec::new();
            for _ in 0..3 {
                for _ in 0..15_000 {
                    let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                    nic.step(&input);
                }
                let access = Access::new(&mut *nic);
                let device = Device::open(&access).unwrap();
                let memory = access.buffer(BUFFER, 128 * 64);
                device.start_dma().unwrap();
                let taken = device.snapshot(&memory, 0, 64).unwrap();
                device.stop_dma().unwrap();
                assert!(taken.iter().all(|r| r.updates == r.branches.iter().sum::<u32>()), "a torn record, seed {seed}");
                assert!(
                    taken[40..].iter().all(|r| r.timeless() == TelemetryRecord::default()),
                    "a flow that is not there sent, seed {seed}"
                );
                let sent: u32 = taken.iter().map(|r| r.packets).sum();
                assert_eq!(sent, device.counters().unwrap()[Counter::TxFrames as usize], "{name}, seed {seed}");
                packets.push(sent);
            }
            assert!(packets[0] > 100 && packets.is_sorted() && packets[0] < packets[2], "{packets:?}, seed {seed}");
        }
    }
}

/// Every rate update comes through the ring as a whole record, in order; the watermark and the
/// hold-off time interrupt for it. While the ring is full records wait, and those for which there
/// is no room any more are counted; those that come are still in order.
#[test]
fn event_records_come_through_the_ring() {
    for seed in few_seeds() {
        for (name, mut nic) in cores(64, 10) {
            let mut rng = rng(seed);
            start(&mut *nic, &spec(64, 10, 6, &Parameters::timely_10g(8.0), &mut rng));
            let mut wire = Loop::new(64, STORM, rng);
            let settings = RingSettings { bits: 5, watermark: 8, holdoff_clocks: 100 };
            let mut ring = {
                let access = Access::new(&mut *nic);
                let device = Device::open(&access).unwrap();
                device.set_interrupts(1 << dma::RING_WATERMARK_LINE | 1 << dma::RING_OVERFLOW_LINE).unwrap();
                let ring = device.start_ring(&access.buffer(BUFFER, 64 << 5), &settings).unwrap();
                device.record_events(1, Only::default()).unwrap();
                ring
            };
            let (mut records, mut events, mut few, mut overflows) = (Vec::new(), Vec::new(), 0, 0);
            nic.drain(&mut events);
            events.clear();
            let mut reads_from = 0;
            let mut whole = 0;
            while records.len() < 400 || overflows == 0 {
                let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                nic.step(&input);
                assert!(nic.clk() < 3_000_000, "{} records, seed {seed}", records.len());
                let irq = nic.irq();
                if irq == 0 || nic.clk() < reads_from {
                    continue;
                }
                let access = Access::new(&mut *nic);
                let device = Device::open(&access).unwrap();
                overflows += device.take_interrupts().unwrap() >> dma::RING_OVERFLOW_LINE & 1;
                let take = |words: [u32; RECORD_WORDS]| records.push(EventRecord::from_words(&words).expect("a whole record"));
                let unread = device.read_ring(&mut ring, &access.buffer(BUFFER, 64 << 5), take).unwrap();
                few += u32::from((1..settings.watermark).contains(&unread));
                device.take_interrupts().unwrap();
                if records.len() < 300 {
                    whole = records.len();
                    assert_eq!(device.counters().unwrap()[Counter::RecordsDropped as usize], 0);
                } else {
                    // From now on a driver that reads late.
                    reads_from = nic.clk() + 60_000;
                }
            }
            nic.drain(&mut events);
            let rates = events.iter().filter_map(|e| if let CoreEvent::Rate { flow, rate, .. } = e { Some((*flow, *rate)) } else { None });
            let expected: Vec<_> = rates.take(whole).collect();
            let got: Vec<_> = records[..whole].iter().map(|r| (r.flow, r.rate)).collect();
            assert_eq!(got, expected, "rates in records and at the pins, {name}, seed {seed}");
            let in_order = |w: &[EventRecord]| w[0].sequence < w[1].sequence && w[0].time <= w[1].time;
            assert!(records.windows(2).all(in_order), "out of order, {name}, seed {seed}");
            println!("{name}: {} records, {few} times fewer than the watermark, {overflows} overflows", records.len());
            assert!(few > 0 && overflows > 0, "{few} reads after the hold-off time, {overflows} overflows, {name}, seed {seed}");
        }
    }
}

fn code<T>(result: Result<T, Error<AccessError>>) -> u32 {
    match result {
        Err(Error::Dma { code, .. }) => code,
        Err(other) => panic!("{other}"),
        Ok(_) => 0,
    }
}

/// Each way in which DMA ends early, and what a driver is told of it.
#[test]
fn every_end_is_defined() {
    for (name, mut nic) in cores(64, 10) {
        println!("{name}");
        loaded(&mut *nic, &Behaviour::default());
        let access = Access::new(&mut *nic);
        let device = Device::open(&access).unwrap();
        let memory = access.buffer(BUFFER, 128 * FLOWS as usize);
        let refused = |r: &timely_regs::map::Register, value| {
            let address = device.address(r, 0);
            assert!(device.write(r, value).is_err(), "{} took {value}", r.name);
            assert_eq!(device.last_refusal().unwrap(), Some(Refused { address, write: true, reason: 5 }), "{}", r.name);
        };
        device.set_interrupts((1 << dma::LINES) - 1).unwrap();
        device.take_interrupts().unwrap();

        // Beyond the table: software says so first, then the device.
        assert!(matches!(device.snapshot(&memory, 1000, 25), Err(Error::NoFlow { flow: 1024, .. })));
        for (r, v) in [(&dma::SNAPSHOT[2], 1000), (&dma::SNAPSHOT[3], 25), (&dma::SNAPSHOT[4], dma::START)] {
            device.write(r, v).unwrap();
        }
        access.core(|c| (0..20).for_each(|_| c.step(&Default::default())));
        assert_eq!(device.read(&dma::SNAPSHOT_STATUS).unwrap(), dma::DONE.mask() | (Code::BeyondTable as u32) << dma::CODE.low);
        assert_eq!((access.core(|c| c.irq()), device.take_interrupts().unwrap()), (1 << dma::SNAPSHOT_LINE, 1 << dma::SNAPSHOT_LINE));

        // Busy: the command, its settings, the ring's settings, a second start. A running load
        // keeps out a command's.
        device.write(&dma::SNAPSHOT[2], 0).unwrap();
        device.write(&dma::SNAPSHOT[4], dma::START).unwrap();
        for (r, v) in [(dma::SNAPSHOT[0], 0), (dma::SNAPSHOT[4], dma::START), (dma::RING_SIZE, 5), (dma::CONTROL, 1)] {
            refused(&r, v);
        }
        while device.read_field(&dma::SNAPSHOT_STATUS, &dma::BUSY).unwrap() != 0 {}
        device.write(&dma::LOAD[3], 100).unwrap();
        device.write(&dma::LOAD[4], dma::START).unwrap();
        assert!(device.load_flow(1, &FlowRecord::default()).is_err(), "two loads at once");
        assert!(device.query_flow(1).is_ok());
        while device.read_field(&dma::LOAD_STATUS, &dma::BUSY).unwrap() != 0 {}

        // The heartbeat is lost in the middle: what is in flight is answered, and nothing more is
        // asked for.
        device.take_interrupts().unwrap();
        device.set_heartbeat(3000).unwrap();
        assert_eq!(code(device.snapshot(&memory, 0, FLOWS)), Code::Stopped as u32);
        let lines = device.take_interrupts().unwrap();
        assert_eq!(lines, 1 << dma::SNAPSHOT_LINE | 1 << dma::HEARTBEAT_LINE);
        assert_eq!(device.read(&dma::STATUS).unwrap(), dma::IDLE.mask());
        refused(&dma::CONTROL, 1);
        device.set_heartbeat(0).unwrap();
        device.arm().unwrap();
        device.start_dma().unwrap();
        assert_eq!(code(device.snapshot(&memory, 0, 3)), 0);

        // The memory answers with an error: all stops.
        for load in [false, true] {
            access.core(|c| c.attach(1, &Behaviour { errors: 1, ..Behaviour::default() }));
            device.take_interrupts().unwrap();
            let (end, line) = if load {
                (device.load_flows(&memory, 0, &[FlowRecord::default()]).map(|_| vec![]), dma::LOAD_LINE)
            } else {
                (device.snapshot(&memory, 0, 3), dma::SNAPSHOT_LINE)
            };
            assert_eq!(code(end), Code::Memory as u32);
            assert_eq!(device.take_interrupts().unwrap(), 1 << line | 1 << dma::ERROR_LINE);
            assert_eq!(device.read(&dma::STATUS).unwrap(), dma::IDLE.mask());
            refused(&dma::LOAD[4], dma::START);
            access.core(|c| c.attach(1, &Behaviour::default()));
            device.start_dma().unwrap();
        }

        // A record that the device refuses: a driver's bug, or another's memory.
        let records = vec![FlowRecord { enable: true, ..Default::default() }; 4];
        struct Spoilt<M>(M);
        impl<M: Memory> Memory for Spoilt<M> {
            fn address(&self) -> u64 {
                self.0.address()
            }
            fn bytes(&self) -> usize {
                self.0.bytes()
            }
            fn read(&self, at: usize, to: &mut [u8]) {
                self.0.read(at, to);
            }
            fn write(&self, at: usize, from: &[u8]) {
                let mut bytes = from.to_vec();
                bytes[6] *= u8::from(at != 64);
                self.0.write(at, &bytes);
            }
        }
        let before = query(&device, 1);
        let spoilt = Spoilt(access.buffer(BUFFER, 1024));
        assert_eq!(device.load_flows(&spoilt, 0, &records).unwrap_err().to_string(), Error::<AccessError>::LoadRefused(1).to_string());
        assert_eq!(query(&device, 1), before);
        device.stop_dma().unwrap();
        assert_eq!(code(device.snapshot(&memory, 0, 0)), 0);
        refused(&dma::SNAPSHOT[4], dma::START);

        // Buffers that cannot be.
        let text = |e: Error<AccessError>| e.to_string();
        let ring = RingSettings { bits: 4, watermark: 1, holdoff_clocks: 0 };
        assert!(text(device.start_ring(&access.buffer(32, 4096), &ring).unwrap_err()).contains("0x20"));
        assert!(text(device.start_ring(&access.buffer(64, 1023), &ring).unwrap_err()).contains("1024"));
        assert!(
            text(device.start_ring(&access.buffer(64, 1024), &RingSettings { bits: 0, ..ring }).unwrap_err()).contains("ring_bits is 0")
        );
        let mut ring = device.start_ring(&access.buffer(64, 1024), &ring).unwrap();
        assert_eq!(device.read_ring(&mut ring, &access.buffer(64, 1024), |_| panic!("a record")).unwrap(), 0);
        device.stop_dma().unwrap();
    }
}
