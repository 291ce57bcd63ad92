//! The daemon with a modelled NIC behind a socket: its state, the clients that it answers, and how
//! it ends.
use crate::alone;
use rand::Rng;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use timely_driver::client::{Client, ClientError};
use timely_driver::config::Config;
use timely_driver::daemon::{Daemon, DaemonError, Options};
use timely_driver::nic::{Nic, Start};
use timely_driver::protocol::{LONGEST_REQUEST, PREFIX, lengths};
use timely_driver::service::{Request, Service};
use timely_driver::spec::{FlowSpec, PortSpec, ProfileSpec};
use timely_driver::transport::vfio_user::VfioUser;
use timely_sim::frame::address;
use timely_sim::scenario::NicKind;
use timely_tests::served::{Served, fresh};
use timely_tests::{rng, seeds};

/// A daemon in a thread of this process.
struct Running {
    socket: PathBuf,
    stop: Option<OwnedFd>,
    metrics: Option<std::net::SocketAddr>,
    thread: JoinHandle<Result<(), DaemonError>>,
}

fn daemon(nic: &Path, file: &Path, socket: &Path, heartbeat: Option<Duration>, metrics: bool) -> (Daemon, OwnedFd) {
    let nic = Nic::open(Box::new(VfioUser::connect(nic).expect("connected")), Start::Fresh).expect("opened");
    let mut service = Service::new(nic, Some(file.into()));
    service.restore(Config::read(file).expect("a configuration")).expect("restored");
    let metrics = metrics.then(|| "127.0.0.1:0".parse().expect("an address"));
    let options = Options { socket: socket.into(), users: Vec::new(), heartbeat, metrics, refclock: None };
    let (stop, stopped) = rustix::pipe::pipe().map(|(r, w)| (w, r)).expect("a pipe");
    (Daemon::new(service, options, stopped).expect("a daemon"), stop)
}

impl Running {
    fn start(nic: &Path, file: &Path) -> Self {
        let socket = fresh("daemon");
        let (daemon, stop) = daemon(nic, file, &socket, Some(Duration::from_secs(2)), true);
        let metrics = daemon.metrics_address();
        Running { socket, stop: Some(stop), metrics, thread: std::thread::spawn(move || daemon.run()) }
    }

    fn client(&self) -> Client {
        Client::connect(&self.socket).expect("a daemon that answers").expect("a daemon")
    }

    fn stop(mut self) -> Result<(), DaemonError> {
        self.stop = None;
        self.thread.join().expect("no panic")
    }
}

/// A flow to the other NIC.
fn flow() -> FlowSpec {
    let mac: Vec<_> = address::mac(1).iter().map(|b| format!("{b:02x}")).collect();
    FlowSpec::to(std::net::Ipv4Addr::from(address::ipv4(1)).into(), &mac.join(":"))
}

fn configure(client: &mut Client) {
    let port =
        PortSpec { ipv4: Some(address::ipv4(0).into()), allow: vec!["11.0.0.0/8".into()], ..PortSpec::with_mac("02:74:6e:00:00:00") };
    client.ask(Request::PortSet { port }).expect("a port");
    let spec = ProfileSpec::new("timely-10g", Some("8us"), None, &["initial=1Gbps".into()]).expect("a profile");
    client.ask(Request::ProfileSet { profile: 3, spec }).expect("a profile");
    client.ask(Request::FlowAdd { flow: Some(7), spec: FlowSpec { profile: 3, ..flow() } }).expect("a flow");
}

/// Asks until an answer is as wanted.
fn until(client: &mut Client, request: &Request, wanted: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let value = client.ask(request.clone()).expect("an answer");
        if wanted(&value) {
            return value;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it stays {value}");
    }
}

const ALL: Request = Request::Telemetry { flows: None };

#[test]
fn a_daemon_keeps_what_it_was_told() {
    let _alone = alone();
    let (nic, file) = (Served::start(NicKind::Model, 10), fresh("config"));
    let running = Running::start(nic.path(), &file);
    let mut client = running.client();
    configure(&mut client);
    let told = until(&mut client, &ALL, |t| t["flows"][0]["samples"].as_u64() > Some(10));
    assert_eq!((&told["flows"][0]["flow"], told["profiles"][0]["samples"].as_u64() > Some(0)), (&json!(7), true));
    // A refusal names the value and the range.
    let refused = |client: &mut Client, request| match client.ask(request) {
        Err(ClientError::Refused(r)) => (r.code, r.text),
        other => panic!("{other:?}"),
    };
    let (code, text) = refused(&mut client, Request::FlowAdd { flow: Some(7), spec: flow() });
    assert!(code == "refused" && text.contains("flow 7 is in use"), "{text}");
    let (_, text) = refused(&mut client, Request::FlowAdd { flow: Some(1024), spec: flow() });
    assert!(text.contains("flows 0 to 1023"), "{text}");
    let (_, text) =
        refused(&mut client, Request::FlowAdd { flow: None, spec: FlowSpec { rate: Some("1Gbps".into()), profile: 3, ..flow() } });
    assert!(text.contains("the law of profile 3 sets the rate"), "{text}");
    let (_, text) = refused(&mut client, Request::ProfileShow { profile: 16 });
    assert!(text.contains("profile is 16; it must be 0 to 15"), "{text}");
    let text = VfioUser::connect(nic.path()).err().expect("the daemon has it").to_string();
    assert!(text.contains("in use by PID"), "{text}");

    // Metrics are those of the flow.
    let mut http = TcpStream::connect(running.metrics.expect("an address")).expect("connected");
    http.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").expect("asked");
    let mut page = String::new();
    http.read_to_string(&mut page).expect("answered");
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("timely_flow_packets_total{flow=\"7\"}"), "{page}");
    let paused = ["timely_events_total{name=\"pause_frames\"} 0\n", "timely_heartbeat_lost 0\n", "timely_paused_seconds_total 0"];
    assert!(paused.iter().all(|line| page.contains(line)), "{page}");
    assert!(page.contains("version=0.0.4") && page.contains("# TYPE timely_flow_packets_total counter\n"), "{page}");

    running.stop().expect("closed in order");
    // Nothing is sent any more, and a new daemon finds flow and profile in the file.
    let again = Running::start(nic.path(), &file);
    let mut client = again.client();
    let flows = client.ask(Request::FlowList {}).expect("flows");
    assert_eq!((flows[0]["flow"].clone(), flows[0]["spec"]["profile"].clone()), (json!(7), json!(3)));
    until(&mut client, &ALL, |t| t["flows"][0]["samples"].as_u64() > Some(10));
    drop(client);
    again.stop().expect("closed in order");
    std::fs::remove_file(file).expect("removed");
}

/// Reads `count` events of flow 7, each with the number behind the one before it (`next`) unless
/// some were lost; gives the number that follows.
fn read_events(client: &mut Client, mut next: Option<u32>, count: usize) -> Option<u32> {
    let (start, mut came, mut lost) = (Instant::now(), 0, 0);
    while came < count {
        assert!(start.elapsed() < Duration::from_secs(60), "{came} events");
        let Some((before, bytes)) = client.events(Duration::from_millis(100)).expect("events") else { continue };
        lost += before;
        for record in bytes.as_chunks().0 {
            let r = timely_regs::event::EventRecord::from_bytes(record).expect("whole");
            let gap = next.map_or(0, |n| u64::from(r.sequence.wrapping_sub(n)));
            assert!(gap <= lost && r.flow == 7, "{gap} more, {lost} said: {r:?}");
            lost -= gap;
            next = Some(r.sequence + 1);
            came += 1;
        }
    }
    next
}

/// Events come in order to every client that asked, with the events lost between them: also when
/// another client asks for others, or for none any more.
#[test]
fn events_reach_their_subscribers() {
    let _alone = alone();
    let (nic, file) = (Served::start(NicKind::Model, 10), fresh("config"));
    let running = Running::start(nic.path(), &file);
    let (mut one, mut two) = (running.client(), running.client());
    configure(&mut one);
    let mut next = None;
    for flow in [None, Some(7), None] {
        let events = Request::Events { every: 1, flow, profile: None };
        one.ask(events.clone()).expect("started");
        next = read_events(&mut one, next, 100);
        two.ask(events).expect("started");
        next = read_events(&mut one, next, 100);
        read_events(&mut two, None, 100);
        two.ask(Request::Events { every: 0, flow: None, profile: None }).expect("ended");
    }
    read_events(&mut one, next, 100);
    drop((one, two));
    running.stop().expect("closed in order");
    let _ = std::fs::remove_file(file);
}

/// Reads one answer; nothing when the daemon closed the connection.
fn answer(stream: &mut UnixStream) -> Option<Value> {
    let mut prefix = [0; PREFIX];
    stream.read_exact(&mut prefix).ok()?;
    let (head, tail) = lengths(&prefix);
    let mut bytes = vec![0; head + tail];
    stream.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes[..head]).expect("an answer is JSON"))
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..], &[0; 4], body].concat()
}

/// Ten thousand malformed requests, beside clients that say nothing: each is answered or costs its
/// sender the connection, and no other client.
#[test]
fn malformed_requests_are_answered() {
    let _alone = alone();
    let (nic, file) = (Served::start(NicKind::Model, 10), fresh("config"));
    let running = Running::start(nic.path(), &file);
    let silent: Vec<_> = (0..5).map(|_| UnixStream::connect(&running.socket).expect("connected")).collect();
    let connect = || {
        let mut stream = UnixStream::connect(&running.socket).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        stream.write_all(&framed(br#"{"version":1,"client":"test"}"#)).expect("sent");
        assert_eq!(answer(&mut stream).expect("a welcome")["version"], 1);
        stream
    };
    for (hello, code) in [(&br#"{"version":2,"client":"x"}"#[..], "version"), (b"hello", "malformed")] {
        let mut stream = UnixStream::connect(&running.socket).expect("connected");
        stream.write_all(&framed(hello)).expect("sent");
        assert_eq!(answer(&mut stream).expect("a refusal")["failed"]["error"]["code"], code);
        assert_eq!(answer(&mut stream), None);
    }
    let whole = [
        r#"{"id":1,"request":{"verb":"flow_add","flow":3,"spec":{"to":"11.0.1.1","mac":"02:74:6e:00:00:01"}}}"#,
        r#"{"id":2,"request":{"verb":"profile_set","profile":99,"spec":{"like":"timely-10g"}}}"#,
        r#"{"id":3,"request":{"verb":"reg_write","register":"id.MAGIC","value":1}}"#,
        r#"{"id":4,"request":{"verb":"telemetry","flows":[70000]}}"#,
        r#"{"id":5,"request":{"verb":"clock","pairs":4000000000}}"#,
    ];
    let seed = seeds()[0];
    let mut rng = rng(seed);
    let (mut stream, mut answered, mut closed) = (connect(), 0, 0);
    for i in 0..10_000 {
        let mut body = whole[rng.random_range(0..whole.len())].as_bytes().to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..body.len());
            match rng.random_range(0..3) {
                0 => body[at] = rng.random(),
                1 => body.truncate(at.max(1)),
                _ => body.insert(at, rng.random()),
            }
        }
        let mut message = framed(&body);
        // Lengths that cannot be cost the connection.
        if rng.random_ratio(1, 100) {
            let length = if rng.random() { LONGEST_REQUEST as u32 + 1 } else { u32::MAX };
            let at = 4 * rng.random_range(0..2);
            message[at..at + 4].copy_from_slice(&length.to_le_bytes());
        }
        stream.write_all(&message).expect("sent");
        match answer(&mut stream) {
            Some(v) if v["failed"]["error"]["text"].as_str().is_some_and(|t| t.contains("it may have")) => {
                assert_eq!(answer(&mut stream), None, "request {i}, seed {seed}");
                stream = connect();
                closed += 1;
            }
            Some(v) => {
                assert!(v.get("failed").is_some() || v.get("done").is_some(), "request {i}, seed {seed}: {v}");
                answered += 1;
            }
            None => panic!("request {i}, seed {seed}: closed without a word"),
        }
    }
    println!("{answered} answered, {closed} connections closed, {} silent clients", silent.len());
    assert!(closed > 50 && running.client().ask(Request::Info {}).is_ok());
    running.stop().expect("closed in order");
    let _ = std::fs::remove_file(file);
}

#[test]
fn a_daemon_whose_device_goes_says_so_and_ends() {
    let _alone = alone();
    let (nic, file) = (Served::start(NicKind::Model, 10), fresh("config"));
    let running = Running::start(nic.path(), &file);
    let mut client = running.client();
    drop(nic);
    let told = client.ask(Request::Info {});
    assert!(told.is_err(), "{told:?}");
    let text = running.thread.join().expect("no panic").expect_err("the device is gone").to_string();
    assert!(text.contains("the server closed the connection"), "{text}");
    let _ = std::fs::remove_file(file);
}

/// The program that the process of the test below runs: a daemon, until it is killed.
#[test]
fn helper_that_is_killed() {
    let Some(nic) = std::env::var_os("TIMELY_TEST_NIC") else { return };
    let path = |name| PathBuf::from(std::env::var_os(name).expect("set by the test"));
    let (daemon, _stop) =
        daemon(nic.as_ref(), &path("TIMELY_TEST_FILE"), &path("TIMELY_TEST_SOCKET"), Some(Duration::from_millis(1)), false);
    daemon.run().expect("it is killed first");
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Killed without a word, a daemon leaves a NIC that stops by itself; the next one restores the
/// flows.
#[test]
fn a_daemon_that_is_killed_stops_the_nic_and_comes_back() {
    let _alone = alone();
    let (nic, file, socket) = (Served::start(NicKind::Model, 10), fresh("config"), fresh("daemon"));
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "daemon::helper_that_is_killed"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("TIMELY_TEST_NIC", nic.path()).env("TIMELY_TEST_FILE", &file).env("TIMELY_TEST_SOCKET", &socket);
    let mut child = Killed(command.spawn().expect("started"));
    let start = Instant::now();
    let mut client = loop {
        if let Some(client) = Client::connect(&socket).expect("a daemon that answers") {
            break client;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the daemon does not come up");
        std::thread::yield_now();
    };
    configure(&mut client);
    until(&mut client, &ALL, |t| t["flows"][0]["samples"].as_u64() > Some(10));
    child.0.kill().expect("killed");
    child.0.wait().expect("ended");

    // The next client sees a NIC that goes on without a driver, until its heartbeat is missed.
    let start = Instant::now();
    let seen = Nic::open(Box::new(VfioUser::connect(nic.path()).expect("free again")), Start::Attach).expect("opened");
    while !seen.info().expect("info").heartbeat_lost {
        assert!(start.elapsed() < Duration::from_secs(60), "it goes on sending");
    }
    let info = seen.info().expect("info");
    assert!(info.stopped && !info.dma_running, "{info:?}");
    drop(seen);

    let again = Running::start(nic.path(), &file);
    let mut client = again.client();
    assert_eq!(client.ask(Request::FlowList {}).expect("flows")[0]["flow"], 7);
    until(&mut client, &ALL, |t| t["flows"][0]["samples"].as_u64() > Some(10));
    drop(client);
    again.stop().expect("closed in order");
    for path in [file, socket] {
        let _ = std::fs::remove_file(path);
    }
}
