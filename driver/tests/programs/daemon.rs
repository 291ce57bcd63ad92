//! `timelyd` as a process: killed, started twice, given files that are broken.
use super::{LIMIT, Place};
use nix::sys::signal::Signal;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::time::Instant;
use timely_driver::client::Client;
use timely_driver::nic::{End, Nic, Start};
use timely_driver::service::Request;
use timely_driver::transport::vfio_user::VfioUser;

fn flow(place: &Place, device: &str, number: &str) {
    place.said(&["--device", device, "port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"]);
    place.said(&["--device", device, "profile", "set", "2", "timely-10g", "--base-rtt", "15us"]);
    place.said(&["--device", device, "flow", "add", number, "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--profile", "2"]);
}

/// A heartbeat of 2 ms in place of the daemon's own, so short that little simulated time passes
/// until it is missed.
fn shorten(place: &Place, device: &str) {
    let clock_ps = place.json(&["--device", device, "info"])["clock_ps"].as_u64().expect("a clock");
    place.said(&["--device", device, "reg", "write", "heartbeat.PERIOD", &(2_000_000_000 / clock_ps).to_string()]);
}

#[test]
fn a_daemon_that_is_killed_comes_back_with_its_flows() {
    let place = Place::new();
    let (server, device) = place.serve();
    let mut before = place.daemon(&device, &["--heartbeat", "100ms"]);
    super::wait_for(&place.daemon_socket(&device));
    flow(&place, &device, "7");
    shorten(&place, &device);
    before.0.kill().expect("killed");
    before.0.wait().expect("ended");
    // The socket is still there, and no daemon listens: the device is opened for the command, which
    // finds the NIC as it is.
    let with = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    let start = Instant::now();
    while place.json(&with(&["info"]))["heartbeat_lost"] != true {
        assert!(start.elapsed() < LIMIT, "the heartbeat is not missed");
    }
    // DMA is stopped, and flows are.
    let left = place.json(&with(&["flow", "list"]));
    assert_eq!(left[0]["flow"], 7, "{left}");
    let told = place.json(&with(&["telemetry"]));
    assert_eq!(told["flows"][0]["flow"], 7, "{told}");
    let add = with(&["flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--profile", "2"]);
    for words in [add, with(&["enable"]), with(&["flow", "post", "7", "1"]), with(&["events", "--count", "1"])] {
        let reset = format!("`timelyctl --device {device} reset`");
        place.refused(&words, 1, &["the heartbeat was lost", "start timelyd again", &reset]);
    }
    let out = place.ctl(&with(&["doctor"]));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.code() == Some(5) && text.contains("WRONG  heartbeat") && text.contains("ok     registers"), "{text}");
    let again = place.listening(&device);
    let flows = place.json(&["--device", &device, "flow", "list"]);
    assert_eq!((&flows[0]["flow"], &flows[0]["spec"]["profile"]), (&7.into(), &2.into()), "{flows}");
    again.signal(Signal::SIGTERM);
    let (code, said) = again.ended();
    assert!(code == Some(0) && said.contains("1 flows and 1 profiles"), "{code:?}: {said}");
    assert!(!place.daemon_socket(&device).exists(), "its socket is gone");
    // Without any daemon a reset is enough.
    let (mut last, _) = (place.listening(&device), flow(&place, &device, "8"));
    last.0.kill().expect("killed");
    last.0.wait().expect("ended");
    place.said(&with(&["reset"]));
    flow(&place, &device, "3");
    assert_eq!(place.json(&with(&["flow", "list"]))[0]["flow"], 3);
    drop(server);
}

/// Until the heartbeat of a daemon that was killed is missed, nothing is begun that the NIC would
/// stop.
#[test]
fn a_nic_whose_heartbeat_nobody_feeds_is_not_changed() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let mut daemon = place.daemon(&device, &["--heartbeat", "17s"]);
    super::wait_for(&place.daemon_socket(&device));
    flow(&place, &device, "7");
    let with = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    assert!(!place.said(&with(&["info"])).contains("fed by nobody"));
    daemon.0.kill().expect("killed");
    daemon.0.wait().expect("ended");
    let told = place.json(&with(&["info"]));
    assert_eq!((&told["heartbeat_unfed"], &told["heartbeat_lost"]), (&true.into(), &false.into()), "{told}");
    assert!(place.said(&with(&["info"])).contains("17s, armed, fed by nobody"));
    let add = with(&["flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--profile", "2"]);
    let (port, profile) = (with(&["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:07"]), with(&["profile", "set", "0", "fixed"]));
    for words in [add.clone(), port, profile, with(&["enable"]), with(&["flow", "remove", "7"]), with(&["reset", "--flows"])] {
        let reset = format!("`timelyctl --device {device} reset`");
        place.refused(&words, 1, &["the heartbeat is armed and fed by nobody", "start timelyd again", &reset]);
    }
    let out = place.ctl(&with(&["doctor"]));
    assert!(String::from_utf8_lossy(&out.stdout).contains("WRONG  heartbeat      the heartbeat is armed and fed by nobody"), "{out:?}");
    assert_eq!(place.json(&with(&["flow", "list"]))[0]["flow"], 7);
    place.said(&with(&["reset"]));
    flow(&place, &device, "7");
    place.said(&add);
}

/// Armed things act later: a heartbeat that is lost stops the NIC, events without a ring count as
/// dropped.
#[test]
fn an_orderly_end_leaves_nothing_armed() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let period = 2_000_000;
    let daemon = place.daemon(&device, &["--heartbeat", "100ms"]);
    super::wait_for(&place.daemon_socket(&device));
    flow(&place, &device, "7");
    let mut follower = Client::connect(&place.daemon_socket(&device)).expect("a daemon that answers").expect("a daemon");
    follower.ask(Request::Events { every: 1, flow: None, profile: None }).expect("events");
    shorten(&place, &device);
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.ended().0, Some(0));
    let with = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    for register in ["heartbeat.PERIOD", "heartbeat.STATE", "telemetry.EVENT_EVERY", "dma.INTERRUPT_MASK", "id.CONTROL"] {
        assert_eq!(place.json(&[&with(&["reg", "read"])[..], &[register]].concat())["value"], 0, "{register}");
    }
    // The server's time goes on without a client.
    let (start, info) = (Instant::now(), || place.json(&with(&["info"])));
    let time = |info: &serde_json::Value| info["time_ns"].as_u64().expect("a time");
    let (first, mut now) = (time(&info()), info());
    while time(&now) < first + 3 * period {
        assert!(start.elapsed() < LIMIT, "no time passes");
        now = info();
    }
    assert_eq!((&now["heartbeat_lost"], &now["enabled"]), (&false.into(), &false.into()), "{now}");
    place.said(&with(&["enable"]));
    place.said(&with(&["flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--profile", "2"]));
    let out = place.ctl(&with(&["doctor"]));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("ok     heartbeat") && !text.contains("killed"), "{text}");
}

/// Ctrl-C, Ctrl-\\ and a terminal that is closed are orderly ends too.
#[test]
fn every_signal_that_asks_to_end_ends_in_order() {
    let place = Place::new();
    let (_server, device) = place.serve();
    for signal in [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
        let daemon = place.daemon(&device, &[]);
        super::wait_for(&place.daemon_socket(&device));
        // A daemon that answers has armed the heartbeat.
        place.said(&["--device", &device, "info"]);
        daemon.signal(signal);
        assert_eq!(daemon.ended().0, Some(0), "{signal}");
        let period = place.json(&["--device", &device, "reg", "read", "heartbeat.PERIOD"]);
        assert_eq!(period["value"], 0, "{signal}");
    }
}

/// A device whose heartbeat was lost before the end is closed like any other, and can be used
/// again.
#[test]
fn a_heartbeat_that_was_lost_before_the_end_is_armed_again() {
    let place = Place::new();
    let (_server, _) = place.serve();
    let open = |start| Nic::open(Box::new(VfioUser::connect(&place.path("nic")).expect("a way")), start).expect("a device");
    let nic = open(Start::Fresh);
    nic.set_heartbeat(Some(std::time::Duration::from_micros(1))).expect("set");
    let start = Instant::now();
    while !nic.heartbeat_lost().expect("read") {
        assert!(start.elapsed() < LIMIT, "the heartbeat is not missed");
    }
    nic.close(End::Stopped).expect("closed");
    open(Start::Attach).must_have_heartbeat().expect("a NIC that can be used");
}

#[test]
fn a_second_daemon_and_a_silent_client_disturb_nobody() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let first = place.listening(&device);
    let silent = UnixStream::connect(place.daemon_socket(&device)).expect("connected");
    let (code, said) = place.daemon(&device, &[]).ended();
    assert!(code == Some(1) && said.contains(&format!("in use by PID {} (timelyd)", first.0.id())), "{code:?}: {said}");
    flow(&place, &device, "0");
    assert_eq!(place.json(&["--device", &device, "info"])["flows_in_use"], 1);
    drop(silent);
    first.signal(Signal::SIGINT);
    assert_eq!(first.ended().0, Some(0));
}

/// Before the NIC is touched, and with the line of what is wrong, or its table.
#[test]
fn a_file_that_is_broken_is_refused_with_its_line() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device, "7");
    let file = place.path("config.toml");
    let path = file.to_str().expect("a path");
    let cases = [
        ("[port]\nmac = \"02:74:6e:00:00:00\"\nspeed = 7\n", ":3:", "speed"),
        ("[profile.0]\nlike = \"timely-10g\"\n[flow.0\n", ":3:", "docs/driver.md"),
        ("[flow.zero]\nto = \"11.0.1.1\"\n", ":1:", "zero"),
        ("[profile.0]\nlike = \"timely-12g\"\n", ": [profile.0]: ", "timely-12g"),
        ("[profile.0]\nlike = \"timely-10g\"\n[profile.0.set]\nt_low = \"30xs\"\n", ": [profile.0]: t_low", "30xs"),
        ("[profile.16]\nlike = \"timely-10g\"\n", ": [profile.16]: ", "0 to 15"),
        ("[port]\nmac = \"zz\"\n", ": [port]: mac", "`zz`"),
        ("[flow.4]\nto = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\nprofile = 2\n", ": [flow.4]: ", "profile 2 is unset"),
        ("[profile.0]\nlike = \"fixed\"\n[flow.9999]\nto = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\n", ": flow 9999", "0 to 1023"),
    ];
    for (text, line, name) in cases {
        std::fs::write(&file, text).expect("written");
        let (code, said) = place.daemon(&device, &["--config", path]).ended();
        assert!(code == Some(1) && said.contains(&format!("{path}{line}")) && said.contains(name), "{text:?} gave {code:?}: {said}");
    }
    std::fs::write(&file, [0xff, 0xfe, 0]).expect("written");
    let (code, said) = place.daemon(&device, &["--config", path]).ended();
    assert!(code == Some(1) && said.contains(path), "{code:?}: {said}");
    // The state file of timelyctl is looked at as closely, and left as it is.
    let target: timely_driver::target::Target = device.parse().expect("a device");
    let state = place.path("state/timely").join(format!("{}.toml", target.slug()));
    let good = std::fs::read(&state).expect("a file");
    for (text, table) in [
        ("[profile.0]\nlike = \"nope\"\n", ": [profile.0]: "),
        ("[profile.99]\nlike = \"timely-10g\"\n", ": [profile.99]: "),
        ("[flow.0]\nto = \"11.0.1.1\"\nmac = \"02\"\n", ": [flow.0]: mac"),
    ] {
        std::fs::write(&state, text).expect("written");
        let names = [&format!("{}{table}", state.display())[..], "goes on as it was"];
        for words in [&["info"][..], &["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:07"]] {
            place.refused(&[&["--device", &device], words].concat(), 1, &names);
        }
        assert_eq!(std::fs::read_to_string(&state).expect("a file"), text);
    }
    std::fs::write(&state, good).expect("written");
    // The flow that ran before all refusals still sends.
    let sent = || place.json(&["--device", &device, "telemetry"])["flows"][0]["packets"].as_u64();
    let (before, start) = (sent(), Instant::now());
    while sent() == before {
        assert!(start.elapsed() < LIMIT && before.is_some(), "it was stopped");
    }
}

/// A daemon where another device's would be: no command goes to the wrong NIC.
#[test]
fn a_daemon_of_another_device_is_not_asked() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let other = format!("vfio-user:{}", place.path("other").display());
    let socket = place.daemon_socket(&other);
    // Makes the folder.
    place.said(&["--device", &device, "info"]);
    let _daemon = place.daemon(&device, &["--socket", socket.to_str().expect("a path")]);
    super::wait_for(&socket);
    place.refused(&["--device", &other, "reset"], 1, &[&format!("has {device}, not {other}"), "another --socket"]);
}

/// A socket of its own is told to who finds the device taken, is taken by `--socket` and its
/// variable, and made again when it is removed.
#[test]
fn a_daemon_with_a_socket_of_its_own_is_found() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let socket = place.path("own.sock");
    let path = socket.to_str().expect("a path");
    let daemon = place.daemon(&device, &["--socket", path]);
    super::wait_for(&socket);
    let holder = format!("in use by PID {} (timelyd), which listens at {path}; ", daemon.0.id());
    place.refused(&["--device", &device, "info"], 4, &[&holder, "--socket"]);
    assert_eq!(place.json(&["--device", &device, "--socket", path, "info"])["flows_in_use"], 0);
    let with = |value: &str| {
        let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &["--device", &device, "info"]);
        c.env("TIMELY_SOCKET", value).output().expect("started").status.code()
    };
    assert_eq!((with(path), with("")), (Some(0), Some(4)));
    place.refused(&["--socket", path, "info"], 2, &["give --device too"]);
    place.refused(
        &["--device", &device, "--socket", "/nonexist/x", "info"],
        1,
        &["no timelyd listens at /nonexist/x", "leave --socket out"],
    );
    std::fs::remove_file(&socket).expect("removed");
    super::wait_for(&socket);
    place.said(&["--device", &device, "--socket", path, "info"]);
    daemon.signal(Signal::SIGTERM);
    let (code, said) = daemon.ended();
    assert!(code == Some(0) && said.contains(&format!("the socket {path} was removed, and is there again")), "{code:?}: {said}");
}

/// Before the NIC is touched: its flow sends on.
#[test]
fn options_that_cannot_be_leave_the_nic_as_it_is() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device, "7");
    let file = place.path("a-file");
    std::fs::write(&file, "not a socket").expect("written");
    let (taken, path) = (std::net::TcpListener::bind("127.0.0.1:0").expect("a port"), file.to_str().expect("a path"));
    let taken = taken.local_addr().map(|a| (taken, a.to_string())).expect("an address");
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["--heartbeat", "18s"], 2, &["--heartbeat", "18s", "17.17"]),
        (&["--heartbeat", "99ms"], 2, &["--heartbeat", "`99ms` is shorter than 100ms", "0s for none"]),
        (&["--heartbeat", "1ns"], 2, &["`1ns` is shorter than 100ms"]),
        (&["--metrics", "0.0.0.0:99"], 2, &["0.0.0.0:99", "loopback"]),
        (&["--metrics", &taken.1], 1, &[&taken.1, "give another --metrics"]),
        (&["--socket", "/nonexist/x"], 1, &["/nonexist/x", "make its folder"]),
        (&["--socket", path], 1, &[path, "exists and is no socket"]),
        (&["--config", "/nonexist/dir/x.toml"], 1, &["/nonexist/dir/x.toml", "folder /nonexist/dir:", "goes on as it was"]),
        // A folder that takes no file of root's either.
        (&["--config", "/sys/x.toml"], 1, &["/sys/x.toml", "make the folder, or give another file", "goes on as it was"]),
    ];
    for (words, wanted, names) in cases {
        let (code, said) = place.daemon(&device, words).ended();
        assert!(code == Some(*wanted) && names.iter().all(|n| said.contains(n)), "{words:?} gave {code:?}: {said}");
        assert_eq!(place.json(&["--device", &device, "info"])["flows_in_use"], 1, "{words:?} reset it");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("kept"), "not a socket");
}

/// A file that is not there is made by the first change; a path that is mistyped is seen.
#[test]
fn a_start_without_a_file_says_so() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let file = place.path("new.toml");
    let said = |flow_is_added: bool| {
        let daemon = place.daemon(&device, &["--config", file.to_str().expect("a path")]);
        super::wait_for(&place.daemon_socket(&device));
        if flow_is_added {
            flow(&place, &device, "7");
        }
        daemon.signal(Signal::SIGTERM);
        let (code, said) = daemon.ended();
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let told = format!("{} is not there: nothing is configured", file.display());
    assert!(said(true).contains(&told));
    let again = said(false);
    assert!(again.contains("1 flows and 1 profiles") && !again.contains("is not there"), "{again}");
}

/// Profiles tell that it was reset, or its address where there is no profile; a flow that the NIC
/// has not is kept too.
#[test]
fn a_file_of_a_nic_that_was_reset_is_kept() {
    let place = Place::new();
    let (server, device) = place.serve();
    flow(&place, &device, "7");
    let target: timely_driver::target::Target = device.parse().expect("a device");
    let file = place.path("state/timely").join(format!("{}.toml", target.slug()));
    let before = timely_driver::config::Config::before(&file);
    let text = || std::fs::read_to_string(&file).expect("a file");
    let kept = || std::fs::read_to_string(&before).expect("the old file");
    let said = |words: &[&str]| {
        let out = place.ctl(&[&["--device", device.as_str()], words].concat());
        assert!(out.status.success(), "{words:?}: {out:?}");
        String::from_utf8(out.stderr).expect("text")
    };
    assert_eq!(said(&["info"]), "");
    let port = ["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:07"];
    let first = text();
    drop(server);
    let (server, _) = place.serve();
    let told = said(&["info"]);
    assert!(told.contains("was reset") && told.contains(".toml.before") && told.contains("`timelyd --device"), "{told}");
    assert!(text() == first && !before.exists(), "it was only looked at");
    said(&port);
    assert!(kept() == first && first.contains("[flow.7]") && !text().contains("[flow.7]"), "{}", text());
    assert_eq!(said(&["info"]), "", "the new file is what the NIC has");
    // An address alone.
    let second = text();
    drop(server);
    let (_server, _) = place.serve();
    assert!(said(&port).contains("was reset"));
    assert_eq!(kept(), second);
    // A flow that is not there.
    let third = text() + "[flow.9]\nto = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\n";
    std::fs::write(&file, &third).expect("written");
    assert!(said(&port).contains("was reset"));
    assert!(kept() == third && !text().contains("[flow.9]"), "{}", text());
}

/// A clock like chronyd's takes samples of 40 bytes: the card's date at the host's time that each
/// names lies between dates that were read before and after.
#[test]
fn chronyd_is_told_the_date_of_ptp() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let path = place.path("chrony.sock");
    let chronyd = UnixDatagram::bind(&path).expect("a socket");
    chronyd.set_read_timeout(Some(LIMIT)).expect("set");
    let daemon = place.daemon(&device, &["--refclock", path.to_str().expect("a name")]);
    super::wait_for(&place.daemon_socket(&device));
    let write = |register: &str, value: u64| {
        place.said(&["--device", &device, "reg", "write", register, &value.to_string()]);
    };
    let date = || place.json(&["--device", &device, "clock", "--pairs", "8"])["time_ns"].as_u64().expect("a date");
    let host = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_nanos() as u64;
    // The card goes 5 s ahead.
    let to = ((host() + 5_000_000_000) & ((1 << 48) - 1)) << 16;
    write("set_low", to & 0xffff_ffff);
    write("set_high", to >> 32);
    let before = date();
    write("source", 1);
    let mut bytes = [0; 64];
    assert_eq!(chronyd.recv(&mut bytes).expect("a sample"), 40);
    let after = date();
    let word = |at: usize| i64::from_ne_bytes(bytes[at..at + 8].try_into().expect("8"));
    let offset = f64::from_bits(word(16) as u64);
    let at_ns = word(0) as f64 * 1e9 + word(8) as f64 * 1e3 + offset * 1e9;
    let in_date = (at_ns as u64) & ((1 << 48) - 1);
    // A double of seconds since 1970 in ns has 256 ns; the time in the sample has microseconds.
    assert!((before - 2_000..=after + 2_000).contains(&in_date), "{before} {in_date} {after}, offset {offset}");
    assert_eq!((&bytes[24..36], &bytes[36..40]), (&[0; 12][..], &0x534f_434b_i32.to_ne_bytes()[..]));
    daemon.signal(Signal::SIGTERM);
    let (code, said) = daemon.ended();
    assert!(code == Some(0) && said.contains("the card's date is not of PTP (SOURCE.ptp is 0)"), "{code:?}: {said}");
}
