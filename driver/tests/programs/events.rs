//! Events, followed by several at once: what ends them is told, and what does not concern them does
//! not end them.
use super::{LIMIT, Place};
use std::time::{Duration, Instant};
use timely_driver::client::{Client, ClientError};
use timely_driver::nic::{EventSettings, Nic, Start};
use timely_driver::service::{Request, Service};
use timely_driver::transport::vfio_user::VfioUser;
use timely_regs::counters::Counter;
use timely_regs::device::Memory;
use timely_regs::event::EventRecord;
use timely_regs::map::dma;

const ALL: Request = Request::Events { every: 1, flow: None, profile: None };

fn flow(place: &Place, device: &str) {
    place.said(&["--device", device, "port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"]);
    place.said(&["--device", device, "profile", "set", "0", "timely-10g", "--base-rtt", "15us"]);
    place.said(&["--device", device, "flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"]);
}

fn client(place: &Place, device: &str) -> Client {
    Client::connect(&place.daemon_socket(device)).expect("a daemon that answers").expect("a daemon")
}

/// Follows a hundred events, each with the number behind the one before it (`next`) unless some
/// were lost.
fn hundred(client: &mut Client, next: &mut Option<u32>) {
    let (start, mut came, mut lost) = (Instant::now(), 0, 0);
    while came < 100 {
        assert!(start.elapsed() < LIMIT, "{came} events");
        let Some((before, bytes)) = client.events(Duration::from_millis(100)).expect("events") else { continue };
        lost += before;
        for record in bytes.as_chunks().0 {
            let r = EventRecord::from_bytes(record).expect("whole");
            let gap = next.map_or(0, |n| u64::from(r.sequence.wrapping_sub(n)));
            assert!(gap <= lost, "{gap} more, {lost} said");
            lost -= gap;
            *next = Some(r.sequence.wrapping_add(1));
            came += 1;
        }
    }
}

/// Text of the error that ends a client's events.
fn told(client: &mut Client) -> String {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LIMIT, "nothing was told");
        match client.events(Duration::from_millis(100)) {
            Ok(_) => {}
            Err(ClientError::Refused(r)) => return r.text,
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn a_request_for_events_that_is_refused_ends_nobody_elses() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let _daemon = place.listening(&device);
    flow(&place, &device);
    let (mut follower, mut next) = (client(&place, &device), None);
    follower.ask(ALL).expect("started");
    hundred(&mut follower, &mut next);
    place.refused(&["--device", &device, "events", "--flow", "99999"], 3, &["flow 99999", "0 to 1023"]);
    place.refused(&["--device", &device, "events", "--profile", "16"], 3, &["profile is 16", "0 to 15"]);
    let every = Request::Events { every: 65_536, flow: None, profile: None };
    let text = client(&place, &device).ask(every).expect_err("too many").to_string();
    assert!(text.contains("65536") && text.contains("65535"), "{text}");
    hundred(&mut follower, &mut next);
}

/// A request that is refused leaves an earlier recording as it is.
#[test]
fn a_request_that_is_refused_keeps_the_file() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let file = place.path("events.csv");
    let out = file.to_str().expect("a path");
    for daemon in [false, true] {
        let _daemon = daemon.then(|| place.listening(&device));
        std::fs::write(&file, "earlier\n").expect("written");
        place.refused(&["--device", &device, "events", "--flow", "99999", "--out", out], 3, &["flow 99999", "0 to 1023"]);
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "earlier\n", "with a daemon: {daemon}");
    }
}

#[test]
fn who_follows_events_is_told_of_a_reset() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let _daemon = place.listening(&device);
    flow(&place, &device);
    let (mut one, mut two) = (client(&place, &device), client(&place, &device));
    for client in [&mut one, &mut two] {
        client.ask(ALL).expect("started");
        hundred(client, &mut None);
    }
    two.ask(Request::Reset {}).expect("reset");
    // Between a request and its answer, it is no answer to it.
    one.ask(Request::Info {}).expect("an answer");
    for client in [&mut one, &mut two] {
        let text = told(client);
        assert!(text.contains("was reset") && text.contains("ask for events again"), "{text}");
    }
    flow(&place, &device);
    one.ask(ALL).expect("started");
    hundred(&mut one, &mut None);
}

/// A snapshot into memory that is not there stops DMA, the event ring's too.
#[test]
fn who_follows_events_is_told_of_a_dma_error() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let _daemon = place.listening(&device);
    flow(&place, &device);
    let (mut follower, mut next, mut other) = (client(&place, &device), None, client(&place, &device));
    for _ in 0..2 {
        follower.ask(ALL).expect("started");
        hundred(&mut follower, &mut next);
        for (register, value) in [("LOW", 0), ("HIGH", 0x7fff), ("FIRST", 0), ("COUNT", 1), ("COMMAND", 1)] {
            other.ask(Request::RegWrite { register: format!("dma.SNAPSHOT_{register}"), value }).expect("written");
        }
        let text = told(&mut follower);
        assert!(text.contains("memory answered") && text.contains("again"), "{text}");
        next = None;
    }
}

/// An address, and no memory behind it.
struct Nowhere;

impl Memory for Nowhere {
    fn address(&self) -> u64 {
        0x7fff_0000_0000
    }

    fn bytes(&self) -> usize {
        usize::MAX
    }

    fn read(&self, _: usize, to: &mut [u8]) {
        to.fill(0);
    }

    fn write(&self, _: usize, _: &[u8]) {}
}

/// After a DMA error the next operation that needs DMA starts it again, and the ring with it.
#[test]
fn the_ring_is_in_step_after_a_dma_error() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device);
    let path = place.path("nic");
    let nic = Nic::open(Box::new(VfioUser::connect(&path).expect("a way")), Start::Attach).expect("a device");
    let mut service = Service::new(nic, None);
    service.start_events(1, None, None).expect("started");
    let (start, mut sequence, mut lost) = (Instant::now(), Vec::new(), 0);
    let mut some = |service: &mut Service, until: usize| {
        while sequence.len() < until {
            assert!(start.elapsed() < LIMIT, "{} events", sequence.len());
            let (report, goes_on) = service.drain_events(|r| sequence.push(r.sequence)).expect("in step");
            goes_on.expect("it goes on");
            lost += report.lost;
        }
        (sequence.len() as u64 + lost, u64::from(sequence[sequence.len() - 1] - sequence[0]) + 1)
    };
    some(&mut service, 100);
    service.nic.device().snapshot(&Nowhere, 0, 1).expect_err("no memory");
    service.nic.snapshot(0, 1).expect("DMA runs again");
    let (counted, numbered) = some(&mut service, 200);
    assert_eq!(counted, numbered, "what was lost is counted");
    assert_eq!(service.nic.event_settings(), Some(EventSettings::default()));
}

/// Records that came before a DMA error are handed over, and then the error, once.
#[test]
fn a_dma_error_follows_the_last_records() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device);
    let nic = Nic::open(Box::new(VfioUser::connect(&place.path("nic")).expect("a way")), Start::Attach).expect("a device");
    let mut service = Service::new(nic, None);
    service.start_events(1, None, None).expect("started");
    let start = Instant::now();
    while service.nic.device().read(&dma::PRODUCER).expect("read") == 0 {
        assert!(start.elapsed() < LIMIT, "no event");
    }
    service.nic.device().snapshot(&Nowhere, 0, 1).expect_err("no memory");
    let mut came = 0;
    service.next_events(|_| came += 1).expect("records first");
    assert!(came > 0);
    let text = service.next_events(|_| came += 1).expect_err("over").to_string();
    assert!(text.contains("memory answered"), "{text}");
    service.start_events(0, None, None).expect("stopped");
    service.start_events(1, None, None).expect("started again");
    service.next_events(|_| ()).expect("it goes on");
}

/// Records that DMA discards are in no counter of the NIC; numbers of records tell, of another ring
/// too.
#[test]
fn records_that_dma_discards_are_counted() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device);
    let nic = Nic::open(Box::new(VfioUser::connect(&place.path("nic")).expect("a way")), Start::Attach).expect("a device");
    let mut service = Service::new(nic, None);
    let (start, mut sequence) = (Instant::now(), Vec::new());
    let mut some = |service: &mut Service| {
        service.start_events(1, None, None).expect("started");
        let (until, mut lost) = (sequence.len() + 20, 0);
        while sequence.len() < until {
            assert!(start.elapsed() < LIMIT, "{} events", sequence.len());
            lost += service.next_events(|r| sequence.push(r.sequence)).expect("it goes on").lost;
        }
        (sequence.len() as u64, lost, u64::from(sequence[sequence.len() - 1] - sequence[0]) + 1)
    };
    some(&mut service);
    let count = |service: &Service, c: Counter| service.nic.device().counters().expect("read")[c as usize];
    service.nic.device().stop_dma().expect("stopped");
    let updates = count(&service, Counter::RateUpdates);
    while count(&service, Counter::RateUpdates) - updates < 50 {
        assert!(start.elapsed() < LIMIT, "no updates");
    }
    service.start_events(0, None, None).expect("stopped");
    let (came, lost, made) = some(&mut service);
    let recorded = service.nic.recorded();
    assert_eq!((recorded.records, recorded.lost, recorded.broken), (came, made - came, 0));
    assert!(recorded.lost >= 40 && lost == 0, "{recorded:?}, of the second ring {lost}");
    assert_eq!(count(&service, Counter::RecordsDropped), 0);
    let info = service.handle(Request::Info {}).expect("info");
    assert_eq!(info["recorded"], serde_json::json!({ "records": came, "lost": made - came, "broken": 0 }));
}
