//! A driver kicks the heartbeat also in the middle of long operations, and queries no more than it
//! is asked for. A daemon whose device goes away under a scrape ends.
use super::{LIMIT, Place};
use rustix::fs::{CWD, FileType, Mode};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use timely_driver::board::Placed;
use timely_driver::client::Client;
use timely_driver::daemon::{Daemon, Options};
use timely_driver::nic::{Nic, Start};
use timely_driver::service::{Request, Service};
use timely_driver::spec::{FlowSpec, ProfileSpec};
use timely_driver::transport::vfio_user::VfioUser;
use timely_driver::transport::{Dma, Failure, Reach, Transport};
use timely_regs::flow::FlowRecord;
use timely_regs::map::{flow, heartbeat, time};
use timely_regs::parameters::Parameters;

/// Kicks of the heartbeat, and queries.
#[derive(Clone, Default)]
struct Counts(Arc<[AtomicU32; 2]>);

impl Counts {
    /// How many there were while something was done.
    fn of(&self, act: impl FnOnce()) -> [u32; 2] {
        let now = || [0, 1].map(|i| self.0[i].load(Relaxed));
        let before = now();
        act();
        let after = now();
        [after[0] - before[0], after[1] - before[1]]
    }
}

/// A way to registers, and to nothing else.
struct Counted(VfioUser, Counts, Arc<AtomicBool>);

impl Transport for Counted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn keeps_state(&self) -> bool {
        self.0.keeps_state()
    }

    fn registers_bytes(&self) -> u64 {
        self.0.registers_bytes()
    }

    fn placed(&self) -> Placed {
        self.0.placed()
    }

    fn reach(&self) -> Reach {
        Reach { memory: false, interrupts: false, ..self.0.reach() }
    }

    fn read32(&self, offset: u32) -> Result<u32, Failure> {
        // Of a device that goes away this is the first register to be missed.
        if self.2.load(Relaxed) && offset == time::NOW_LOW.address() {
            return Err(Failure::Gone { device: self.name().into() });
        }
        self.0.read32(offset)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), Failure> {
        for (count, register) in self.1.0.iter().zip([heartbeat::BEAT, flow::COMMAND]) {
            count.fetch_add((offset == register.address()).into(), Relaxed);
        }
        self.0.write32(offset, value)
    }

    fn read_config(&self, offset: u16, to: &mut [u8]) -> Result<(), Failure> {
        self.0.read_config(offset, to)
    }

    fn write_config(&self, offset: u16, from: &[u8]) -> Result<(), Failure> {
        self.0.write_config(offset, from)
    }

    fn dma_map(&self, _: usize) -> Result<Dma, Failure> {
        unreachable!("it has no memory")
    }

    fn dma_unmap(&self, _: Dma) -> Result<(), Failure> {
        unreachable!("it has no memory")
    }

    fn enable_msix(&self, _: u16) -> Result<Vec<OwnedFd>, Failure> {
        unreachable!("it has no interrupts")
    }

    fn disable_msix(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn reset(&self) -> Result<(), Failure> {
        self.0.reset()
    }
}

/// With a period that has always passed, the heartbeat is kicked in every turn of a long operation.
#[test]
fn long_requests_kick_and_ask_for_no_more_than_is_wanted() {
    let place = Place::new();
    let (_server, _) = place.serve();
    let counts = Counts::default();
    let way = VfioUser::connect(&place.path("nic")).expect("a way");
    let mut nic = Nic::open(Box::new(Counted(way, counts.clone(), Arc::default())), Start::Fresh).expect("a device");
    nic.set_profile(0, &Parameters::timely_10g(20.0)).expect("set");
    for flow in (0..17).map(|i| 60 * i) {
        nic.add_flow(Some(flow), &FlowRecord::default()).expect("added");
    }
    nic.set_heartbeat(Some(Duration::from_nanos(100))).expect("set");
    let mut service = Service::new(nic, None);
    let mut counted = |request| counts.of(|| drop(service.handle(request).expect("done")));
    // Seventeen flows are more than are asked for one by one where there is DMA.
    let telemetry = Request::Telemetry { flows: Some((0..17).map(|i| 60 * i).collect()) };
    let [kicks, queries] = counted(telemetry);
    // One for each flow, one before and one behind the writing of the answer.
    assert!(kicks >= 19 && queries == 17, "{kicks} kicks, {queries} queries");
    assert_eq!(counted(Request::Clock { pairs: 100 }), [100, 0]);
    let [kicks, _] = counted(Request::RegDump { block: Some("profiles".into()) });
    assert!(kicks > 100, "{kicks}");
}

/// The disk takes as long as it likes, here until there were ten kicks: keeping a file that is a
/// pipe waits for a writer.
#[test]
fn a_change_that_is_saved_slowly_keeps_the_heartbeat() {
    let place = Place::new();
    let (_server, _) = place.serve();
    let counts = Counts::default();
    let way = VfioUser::connect(&place.path("nic")).expect("a way");
    let nic = Nic::open(Box::new(Counted(way, counts.clone(), Arc::default())), Start::Fresh).expect("a device");
    nic.set_heartbeat(Some(Duration::from_nanos(100))).expect("set");
    let file = place.path("state.toml");
    let mut service = Service::new(nic, Some(file.clone()));
    // Another configuration than the NIC's: its file is kept before it is written anew.
    let other = "[profile.0]\nlike = \"timely-10g\"\n";
    assert!(!service.adopt(toml::from_str(other).expect("TOML")).expect("read"));
    rustix::fs::mknodat(CWD, &file, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let before = counts.0[0].load(Relaxed);
    let (counter, pipe) = (counts.clone(), file.clone());
    let writer = std::thread::spawn(move || {
        let start = Instant::now();
        while counter.0[0].load(Relaxed) - before < 10 && start.elapsed() < LIMIT {
            std::thread::yield_now();
        }
        std::fs::write(pipe, other).expect("written");
    });
    let [kicks, _] = counts.of(|| drop(service.handle(Request::Enable { on: false }).expect("saved")));
    writer.join().expect("no panic");
    assert!(kicks >= 10, "{kicks} kicks");
    assert!(std::fs::read_to_string(&file).expect("a file").contains("enabled = false"));
}

/// Time is read for an answer alone: nothing else of the daemon's misses the device.
#[test]
fn a_scrape_of_a_device_that_is_gone_ends_the_daemon() {
    let place = Place::new();
    let (_server, _) = place.serve();
    let gone = Arc::new(AtomicBool::new(false));
    let way = VfioUser::connect(&place.path("nic")).expect("a way");
    let nic = Nic::open(Box::new(Counted(way, Counts::default(), gone.clone())), Start::Fresh).expect("a device");
    let metrics = "127.0.0.1:0".parse().ok();
    let options = Options { socket: place.path("socket"), users: Vec::new(), heartbeat: None, metrics, refclock: None };
    let (stopped, _stop) = rustix::pipe::pipe().expect("a pipe");
    let daemon = Daemon::new(Service::new(nic, None), options, stopped).expect("a daemon");
    let address = daemon.metrics_address().expect("an address");
    let (tell, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(daemon.run().map_err(|e| e.to_string())));
    let scrape = || {
        let mut stream = TcpStream::connect(address).expect("connected");
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("asked");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    };
    let told = scrape();
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("timely_config_unsaved 0\n"), "{told}");
    // Counters go on over a reset of the NIC.
    let refused = || {
        let text = scrape();
        let line = text.lines().find_map(|l| l.strip_prefix("timely_events_total{name=\"doorbells_refused\"} ")).expect("a counter");
        line.parse::<u64>().expect("a number")
    };
    let mut client = Client::connect(&place.path("socket")).expect("a daemon that answers").expect("a daemon");
    let mut refuse = || {
        let spec = ProfileSpec::new("timely-10g", None, None, &[]).expect("valid");
        client.ask(Request::ProfileSet { profile: 0, spec }).expect("set");
        let spec = FlowSpec { endless: false, ..FlowSpec::to("11.0.1.1".parse().expect("an address"), "02:74:6e:00:00:01") };
        client.ask(Request::Enable { on: false }).expect("stopped");
        client.ask(Request::FlowAdd { flow: Some(0), spec }).expect("added");
        client.ask(Request::FlowPost { flow: 0, packets: 65_279 }).expect("posted");
        client.ask(Request::FlowPost { flow: 0, packets: 65_279 }).expect_err("too many");
        let told = refused();
        client.ask(Request::Reset {}).expect("reset");
        (told, refused())
    };
    assert_eq!([refuse(), refuse()], [(1, 1), (2, 2)]);
    // Connections that say nothing take no place of one that asks.
    let silent: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(address).expect("connected")).collect();
    assert!(scrape().starts_with("HTTP/1.1 200"));
    drop(silent);
    gone.store(true, Relaxed);
    assert!(scrape().starts_with("HTTP/1.1 500"));
    let told = ended.recv_timeout(LIMIT).expect("it ends").expect_err("gone");
    assert!(told.contains("every register reads 0xffffffff"), "{told}");
}
