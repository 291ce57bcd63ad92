//! `timelyctl top` at a terminal.
use super::{LIMIT, Place, Running};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::time::Instant;

/// `top` at a terminal of ours, once its first screen is there.
fn top(place: &Place, device: &str) -> (Running, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
    let slave = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &["--device", device, "top", "--interval", "100ms"]);
    let end = || slave.try_clone().expect("a descriptor");
    c.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(std::process::Stdio::piped());
    let child = Running(c.spawn().expect("started"));
    drop((c, slave));
    let mut master = File::from(master);
    read_until(&mut master, "q ends");
    (child, master)
}

fn read_until(master: &mut File, wanted: &str) {
    let (start, mut seen, mut bytes) = (Instant::now(), String::new(), [0; 4096]);
    while !seen.contains(wanted) {
        let n = master.read(&mut bytes).expect("a screen");
        seen += &String::from_utf8_lossy(&bytes[..n]);
        assert!(start.elapsed() < LIMIT, "no {wanted:?} in {seen:?}");
    }
}

/// Reads in the background, so that it can write; what came when it ended.
fn drained(mut master: File) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut seen, mut bytes) = (String::new(), [0; 4096]);
        while let Ok(n @ 1..) = master.read(&mut bytes) {
            seen += &String::from_utf8_lossy(&bytes[..n]);
        }
        seen
    })
}

/// On a terminal of any width every value is a word of its own, and no line is longer.
#[test]
fn narrow_terminals_break_no_value() {
    let place = Place::new();
    let (_server, device) = place.serve();
    place.said(&["--device", &device, "profile", "set", "0", "fixed"]);
    place.said(&["--device", &device, "port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"]);
    let flow = ["flow", "add", "7", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--rate", "1.25GB/s", "--tos", "0x2e", "--posted"];
    let wide = place.said(&[&["--device", device.as_str()], &flow[..]].concat());
    let row: Vec<&str> = wide.lines().last().expect("a row").split_whitespace().collect();
    assert!(row.contains(&"02:74:6e:00:00:01") && row.contains(&"11.0.1.1"), "{wide}");
    let on = |columns: u16, words: &[&str]| {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("ours");
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("its size is set");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
        let slave = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
        let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &[&["--device", device.as_str()], words].concat());
        c.env("NO_COLOR", "1").stdout(slave.try_clone().expect("a descriptor"));
        let mut child = c.spawn().expect("started");
        drop((c, slave));
        let text = drained(File::from(master)).join().expect("text");
        assert!(child.wait().expect("ended").success());
        // A word that is longer than a line has one of its own.
        let too_long = |l: &str| l.trim_end().chars().count() > columns.into() && l.split_whitespace().count() > 1;
        assert!(!text.lines().any(too_long), "{words:?} on {columns} columns: {text}");
        text
    };
    for columns in [50, 80] {
        for words in [&["flow", "add", "--help"][..], &["doctor"], &["reg", "list"]] {
            on(columns, words);
        }
    }
    for columns in [24, 40, 60, 80, 200] {
        let text = on(columns, &["flow", "list"]);
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(row.iter().all(|cell| words.contains(cell)), "{columns}: {row:?} in {text}");
    }
}

#[test]
fn top_needs_a_terminal_that_moves_its_cursor() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
    let slave = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
    let end = || slave.try_clone().expect("a descriptor");
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &["--device", &device, "top"]);
    let out = c.env("TERM", "dumb").stdin(end()).stdout(end()).stderr(std::process::Stdio::piped()).output().expect("started");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && said.contains("TERM is dumb; `top --frames 1` prints a screen as text"), "{said}");
}

#[test]
fn top_ends_on_q_and_gives_the_terminal_back() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let (running, mut master) = top(&place, &device);
    master.write_all(b"s/x\x1bq").expect("typed");
    let seen = drained(master);
    let (code, said) = running.ended();
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let seen = seen.join().expect("text");
    assert!(seen.contains("\u{1b}[?1049l") && seen.contains("\u{1b}[?25h"), "neither screen nor cursor came back: {seen:?}");
}

#[test]
fn top_ends_when_its_terminal_is_closed() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let (running, master) = top(&place, &device);
    drop(master);
    let (code, said) = running.ended();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn top_ends_when_the_device_is_gone() {
    let place = Place::new();
    let (server, device) = place.serve();
    let (running, master) = top(&place, &device);
    let seen = drained(master);
    drop(server);
    let (code, said) = running.ended();
    assert!(code == Some(1) && said.contains("start it again"), "{code:?}: {said}");
    assert!(seen.join().expect("text").contains("\u{1b}[?1049l"), "the screen did not come back");
}
