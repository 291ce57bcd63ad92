//! The other side goes away, or the disk is full.
use super::{LIMIT, Place, Running};
use std::process::Stdio;
use std::time::Instant;

fn following(place: &Place, device: &str, more: &[&str]) -> Running {
    let words = [&["--device", device, "events"][..], more].concat();
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &words);
    Running(c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"))
}

fn flow(place: &Place, device: &str) {
    place.said(&["--device", device, "port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"]);
    place.said(&["--device", device, "profile", "set", "0", "timely-10g", "--base-rtt", "15us"]);
    place.said(&["--device", device, "flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"]);
}

fn first_line(running: &mut Running) {
    use std::io::{BufRead, BufReader};
    let mut line = String::new();
    let mut out = BufReader::new(running.0.stdout.as_mut().expect("an output"));
    // The head, then a record: it is in the middle of it.
    while !line.contains(",rtt,") {
        assert!(out.read_line(&mut line).expect("text") > 0, "it ended: {line}");
    }
}

#[test]
fn a_full_disk_ends_events_and_names_the_file() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device);
    for end in ["20000", "5"] {
        // In the middle of many, and at the end of a few that were still buffered.
        let names = ["/dev/full", "No space left", " 0 records were written whole", "--out"];
        place.refused(&["--device", &device, "events", "--count", end, "--out", "/dev/full"], 1, &names);
    }
    place.refused(&["--device", &device, "events", "--out", "/nowhere/events.csv"], 1, &["/nowhere/events.csv", "--out"]);
    assert_eq!(place.json(&["--device", &device, "info"])["flows_in_use"], 1, "the NIC goes on");
}

#[test]
fn a_server_that_is_killed_ends_a_command() {
    let place = Place::new();
    let (server, device) = place.serve();
    flow(&place, &device);
    let mut events = following(&place, &device, &[]);
    first_line(&mut events);
    drop(server);
    let (code, said) = events.ended();
    assert!(code == Some(1) && said.contains("the server closed the connection") && said.contains("start it again"), "{code:?}: {said}");
}

#[test]
fn a_server_that_is_killed_ends_a_daemon_and_who_asks_it() {
    let place = Place::new();
    let (server, device) = place.serve();
    let daemon = place.listening(&device);
    flow(&place, &device);
    let mut events = following(&place, &device, &[]);
    first_line(&mut events);
    drop(server);
    let (code, said) = daemon.ended();
    assert!(code == Some(1) && said.contains("start it again"), "{code:?}: {said}");
    let (code, said) = events.ended();
    assert!(code == Some(1) && said.contains("ended during the request; see its log"), "{code:?}: {said}");
}

/// Without a heartbeat, and without anybody who asks.
#[test]
fn a_daemon_without_a_heartbeat_misses_its_nic() {
    let place = Place::new();
    let (server, device) = place.serve();
    let start = || {
        let daemon = place.daemon(&device, &["--heartbeat", "0s"]);
        super::wait_for(&place.daemon_socket(&device));
        daemon
    };
    let daemon = start();
    flow(&place, &device);
    // A reset by the daemon's own client is none by another hand.
    place.said(&["--device", &device, "reset"]);
    place.said(&["--device", &device, "reset", "--flows"]);
    // Reset by another hand: nonces have no key.
    place.said(&["--device", &device, "reg", "write", "NONCE_KEYED", "0"]);
    let (code, said) = daemon.ended();
    assert!(code == Some(1) && said.contains("another hand reset it") && said.contains("start timelyd again"), "{code:?}: {said}");
    let daemon = start();
    place.said(&["--device", &device, "info"]);
    drop(server);
    let (code, said) = daemon.ended();
    assert!(code == Some(1) && said.contains("the server closed the connection"), "{code:?}: {said}");
}

#[test]
fn a_daemon_that_is_killed_ends_who_asks_it() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let mut daemon = place.listening(&device);
    flow(&place, &device);
    let mut events = following(&place, &device, &[]);
    first_line(&mut events);
    daemon.0.kill().expect("killed");
    let (code, said) = events.ended();
    assert!(code == Some(1) && said.contains("ended during the request; see its log"), "{code:?}: {said}");
}

/// In a folder that everybody may write, another user's server could be in the place of one's own.
#[test]
fn another_users_server_is_not_used() {
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let (folder, nobody) = (place.path("theirs"), 65_534);
    std::fs::create_dir(&folder).expect("a folder");
    let socket = folder.join("nic");
    let left_out = |why: &str| {
        use std::io::Write;
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(std::io::stdout(), "left out: another user's server: {why}").expect("stdout");
    };
    if std::os::unix::fs::chown(&folder, Some(nobody), None).is_err() {
        return left_out("only root can start one");
    }
    let serve = place.path("serve");
    let mut c = place.program(serve.to_str().expect("a path"), &["serve", "--model", "--socket", socket.to_str().expect("a path")]);
    let Ok(child) = c.uid(nobody).gid(nobody).stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        return left_out("it does not start");
    };
    let (mut server, start) = (Running(child), Instant::now());
    while std::os::unix::net::UnixStream::connect(&socket).is_err() {
        if server.0.try_wait().expect("a child").is_some() {
            return left_out("its user may not run this program");
        }
        assert!(start.elapsed() < LIMIT, "nobody listens");
        std::thread::yield_now();
    }
    let device = format!("vfio-user:{}", socket.display());
    place.refused(&["--device", &device, "info"], 1, &["served by user 65534", "sudo -u '#65534'"]);
}

/// One command has the device, another one wants it.
#[test]
fn a_second_opener_is_told_who_has_it() {
    let place = Place::new();
    let (_server, device) = place.serve();
    flow(&place, &device);
    let mut events = following(&place, &device, &[]);
    first_line(&mut events);
    let holder = format!("in use by PID {} (timelyctl)", events.0.id());
    place.refused(&["--device", &device, "info"], 4, &[&holder, "stop it"]);
    place.refused(&["--device", &device, "selftest"], 4, &[&holder]);
    let nowhere = format!("vfio-user:{}", place.path("nobody").display());
    place.refused(&["--device", &nowhere, "selftest"], 1, &["nobody", "timely-sim serve"]);
    let long = format!("vfio-user:/tmp/{}", "x".repeat(200));
    place.refused(&["--device", &long, "info"], 1, &["107 bytes"]);
    events.signal(nix::sys::signal::Signal::SIGTERM);
    let (code, said) = events.ended();
    assert!(code == Some(0) && said.contains("records, "), "{code:?}: {said}");
    place.said(&["--device", &device, "info"]);
    // Locks are in the runtime folder while they are held, and nowhere else.
    for folder in ["", "run/timely"] {
        let files = std::fs::read_dir(place.path(folder)).expect("a folder").map(|f| f.expect("an entry").file_name());
        let left: Vec<_> = files.filter(|f| f.to_string_lossy().ends_with(".lock")).collect();
        assert!(left.is_empty(), "{left:?} in {folder:?}");
    }
}

/// Whatever becomes of what they say beside their results: a daemon goes on, and a command ends as
/// it does otherwise.
#[test]
fn output_that_cannot_be_written_changes_nothing() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let full = || std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyd"), &["--device", &device, "--metrics", "127.0.0.1:0"]);
    let daemon = Running(c.stdout(full()).stderr(full()).spawn().expect("started"));
    super::wait_for(&place.daemon_socket(&device));
    place.said(&["--device", &device, "info"]);
    daemon.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(daemon.ended().0, Some(0));
    for (words, code) in [(&["--device", &device, "profile", "show", "99"][..], 3), (&["recv", "--port", "0", "--patience", "1ms"], 1)] {
        let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), words);
        assert_eq!(Running(c.stderr(full()).spawn().expect("started")).ended().0, Some(code), "{words:?}");
    }
    place.refused(&["recv", "--count", "0"], 2, &["0"]);
}

/// As `head` does.
#[test]
fn what_is_printed_again_and_again_ends_when_nobody_reads() {
    let place = Place::new();
    let (_server, device) = place.serve();
    for words in [&["telemetry", "--watch", "--interval", "1ms"][..], &["top", "--frames", "4000000000", "--interval", "1ms"]] {
        let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &[&["--device", &device], words].concat());
        let mut running = Running(c.stdout(Stdio::piped()).spawn().expect("started"));
        drop(running.0.stdout.take());
        assert_eq!(running.ended().0, Some(0), "{words:?}");
    }
    for (words, name) in [(["--interval", "0s"], "1ms"), (["--count", "0"], "from 1 to")] {
        place.refused(&[&["--device", &device, "telemetry", "--watch"][..], &words].concat(), 2, &[name]);
    }
}
