//! Telemetry records of a NIC that changes all the time: each must be of one clock, whichever way
//! it is read.
use crate::in_process::InProcess;
use crate::loopback::Weather;
use crate::nic::{HOST, Nic as Core, PORT};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_driver::nic::{Nic, Start};
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::Parameters;
use timely_regs::telemetry::TelemetryRecord;
use timely_sim::frame::address;

/// Flows that send.
const FLOWS: u32 = 256;
/// Payload of a packet: small, so that much happens.
const PACKET: u16 = 64;
/// Packets of a segment.
const SEGMENT: u8 = 3;
/// One query beside so many snapshots.
const QUERIES: u32 = 8;
/// Losses, repeats and forged ACKs, so that every counter moves.
const WEATHER: Weather =
    Weather { lost: 0.01, spoilt: 0.01, repeated: 0.01, forged: 0.01, hostile: 0.0, ready: 1.0, paused: 0.0, delay: 500 };

/// Counts of the records that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Records.
    pub records: u64,
    /// Records that were another one than when they were last read.
    pub changed: u64,
    /// Packets, updates and time-outs that the flows had in the end.
    pub packets: u64,
    /// Updates.
    pub updates: u64,
    /// Time-outs.
    pub timeouts: u64,
}

/// The property that a record violates, if any, when `before` is the same flow's earlier record.
pub fn broken(now: &TelemetryRecord, before: &TelemetryRecord, wire_bytes: u64) -> Option<&'static str> {
    let sum = now.branches.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    let more = |get: &dyn Fn(&TelemetryRecord) -> u32| get(now).wrapping_sub(get(before)) < 1 << 31;
    let counters: [&dyn Fn(&TelemetryRecord) -> u32; 6] =
        [&|r| r.packets, &|r| r.segments, &|r| r.acks, &|r| r.samples, &|r| r.updates, &|r| r.timeouts];
    if now.updates != sum {
        Some("updates are not the sum of the branches")
    } else if now.segments < now.acks {
        Some("more ACKs than segments")
    } else if now.acks < now.samples {
        Some("more samples than ACKs")
    } else if now.wire_bytes != u64::from(now.packets) * wire_bytes {
        Some("bytes are not those of the packets")
    } else if now.segments != now.packets / u32::from(SEGMENT) {
        Some("segments are not those of the packets")
    } else if now.rtt.is_some_and(|r| r.min_ns > r.last_ns) || now.rtt.is_some() != (now.samples > 0) {
        Some("RTTs that cannot be")
    } else if !counters.iter().all(|c| more(c)) {
        Some("a counter went back")
    } else {
        None
    }
}

/// Reads `records` records of a NIC.
///
/// # Panics
/// With the first one that cannot be.
pub fn look(core: Box<dyn Core>, records: u64, rng: &mut ChaCha8Rng) -> Looked {
    let way = InProcess::new(core, u64::MAX);
    way.set_weather(WEATHER);
    let mut nic = Nic::open(Box::new(way), Start::Fresh).expect("a NIC");
    let (mac, own) = (address::mac(HOST), std::net::Ipv4Addr::from(address::ipv4(HOST)));
    let port = nic.checked("the port", |d| {
        d.set_mac(mac)?;
        d.set_ipv4(own)?;
        d.write(&timely_regs::map::port::UDP_PORT, PORT.into())?;
        d.allow(&[(std::net::Ipv4Addr::UNSPECIFIED.into(), 0)])?;
        d.write(&timely_regs::map::port::ACK_ENABLE, 1)
    });
    port.expect("written");
    // Every branch of the law, and time-outs soon.
    let parameters = Parameters { t_low_us: 4.0, t_high_us: 12.0, initial_mbps: 200.0, timeout_us: 100.0, ..Parameters::timely_10g(4.0) };
    nic.set_profile(0, &parameters).expect("a profile");
    let flow = |i: u32| FlowRecord {
        enable: true,
        endless: true,
        mac,
        address: own.into(),
        payload_bytes: PACKET,
        segment_packets: SEGMENT,
        source_port: i as u16,
        destination_port: PORT,
        ..FlowRecord::default()
    };
    nic.load_flows(0, &(0..FLOWS).map(flow).collect::<Vec<_>>()).expect("loaded");
    nic.enable(true).expect("enabled");
    for f in 0..FLOWS {
        nic.post(f, 64).expect("posted");
    }
    let mut before = vec![TelemetryRecord::default(); FLOWS as usize];
    let mut looked = Looked::default();
    // The first flow that has sent a packet tells the wire bytes of one.
    let wire_bytes = loop {
        let first = nic.telemetry(0).expect("a record");
        if first.packets > 0 {
            break first.wire_bytes / u64::from(first.packets);
        }
    };
    let mut check = |flow: u32, now: &TelemetryRecord, looked: &mut Looked| {
        let old = &mut before[flow as usize];
        if let Some(what) = broken(now, old, wire_bytes) {
            panic!("record {} of flow {flow}: {what}: {now:?}, before {old:?}", looked.records);
        }
        looked.records += 1;
        looked.changed += u64::from(now.timeless() != old.timeless());
        *old = *now;
    };
    while looked.records < records {
        for (f, now) in (0..).zip(&nic.snapshot(0, FLOWS).expect("a snapshot")) {
            check(f, now, &mut looked);
        }
        for _ in 0..QUERIES {
            let f = rng.random_range(0..FLOWS);
            check(f, &nic.telemetry(f).expect("a record"), &mut looked);
        }
    }
    let total = |get: &dyn Fn(&TelemetryRecord) -> u32| before.iter().map(|r| u64::from(get(r))).sum();
    (looked.packets, looked.updates, looked.timeouts) = (total(&|r| r.packets), total(&|r| r.updates), total(&|r| r.timeouts));
    looked
}
