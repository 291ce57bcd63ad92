//! The program: its socket, its signals, its end.
use crate::client::{Client, STARTING, path};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::PoisonError;

fn program(path: &Path, more: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
    c.args(["serve", "--model", "--socket"]).arg(path).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    c
}

/// Starts the program while no test is connected to anything: when this returns, it is a process of
/// its own.
fn spawn(mut program: Command) -> Child {
    let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    program.spawn().unwrap()
}

/// Runs the program to its end.
fn output(program: Command) -> Output {
    spawn(program).wait_with_output().unwrap()
}

/// Starts the program and waits until it serves.
fn start(path: &Path, more: &[&str]) -> Child {
    let mut child = spawn(program(path, more));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(
        line.starts_with("serving a modelled NIC (64-bit bus, 1024 flows") && line.trim_end().ends_with(&path.display().to_string()),
        "{line}"
    );
    child
}

fn stop(child: Child, signal: Signal) -> Output {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn signals_end_it() {
    for signal in [Signal::TERM, Signal::INT, Signal::QUIT, Signal::HUP] {
        let path = path();
        let child = start(&path, &["--pair", "--traffic", "2"]);
        // With a client, and without.
        let client = (signal == Signal::TERM).then(|| Client::connect(&path));
        let output = stop(child, signal);
        assert!(output.status.success(), "{}", said(&output));
        assert!(!path.exists());
        assert_eq!(client.and_then(|mut c| c.reply()), None);
    }
}

#[test]
fn nohup_holds() {
    let path = path();
    let mut under = Command::new("nohup");
    let server = program(&path, &[]);
    under.arg(server.get_program()).args(server.get_args()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(under);
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    // The server goes on.
    drop(Client::connect(&path));
    assert!(stop(child, Signal::TERM).status.success());
}

#[test]
fn a_socket_has_one_server() {
    let path = path();
    let child = start(&path, &[]);
    let second = output(program(&path, &[]));
    assert_eq!(second.status.code(), Some(1));
    assert!(said(&second).contains("is served by another process; stop that"), "{}", said(&second));
    // Killed at once, the server leaves a socket without a process behind it.
    stop(child, Signal::KILL);
    assert!(path.exists());
    let child = start(&path, &[]);
    drop(Client::connect(&path));
    assert!(stop(child, Signal::TERM).status.success());
    // A file that is no socket is left alone.
    std::fs::write(&path, "mine").unwrap();
    let refused = output(program(&path, &[]));
    assert!(said(&refused).contains("exists and is no socket"), "{}", said(&refused));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    std::fs::remove_file(&path).unwrap();
    let gone = path.join("nowhere");
    assert_eq!(output(program(&gone, &[])).status.code(), Some(1));
}

/// Another server took the path over: the first one leaves that socket alone.
#[test]
fn only_its_own_socket_is_removed() {
    let path = path();
    let child = start(&path, &[]);
    std::fs::remove_file(&path).unwrap();
    let _other = UnixListener::bind(&path).unwrap();
    assert!(stop(child, Signal::TERM).status.success());
    assert!(path.exists());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn it_ends_when_nobody_comes() {
    let path = path();
    let output = output(program(&path, &["--idle-exit", "1"]));
    assert!(output.status.success());
    assert!(said(&output).contains("no client for 1 s: ended"), "{}", said(&output));
    assert!(!path.exists());
}

/// The server runs though its message on stdout meets a closed pipe or a full disk.
#[test]
fn it_serves_though_nobody_hears_of_it() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    for stdout in [Stdio::from(full()), closed.into()] {
        let path = path();
        let mut program = program(&path, &["--idle-exit", "1"]);
        program.stdout(stdout).stderr(full());
        assert!(output(program).status.success());
    }
}

#[test]
fn options_that_cannot_be_are_refused() {
    let path = path();
    for (options, words) in [
        (&["--gbps", "20"][..], "choose a wider --bus or a lower --gbps"),
        (&["--pair", "--profile", "tcp"], "no profile \"tcp\"; there are: "),
        (&["--pair", "--traffic", "5000"], "5000 flows of traffic, and the NIC has 1024"),
    ] {
        let output = output(program(&path, options));
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(words), "{}", said(&output));
        assert!(!path.exists());
    }
    for options in
        [&["--bus", "96"][..], &["--flow-bits", "17"], &["--traffic", "2"], &["--idle-exit", "0"], &["--pair", "--delay-us", "0"]]
    {
        assert_eq!(output(program(&path, options)).status.code(), Some(2), "{options:?}");
    }
}
