//! A client of a daemon, which has a modelled NIC of 16 flows. The daemon is the same for all
//! inputs and outlives each; every input begins with a reset.
//!
//! An input is lines. Each is the head of a request; one behind `!` is bytes as they are, and the
//! last of the input. Every request has one answer, with its number: it is done, or refused in
//! words. A request that is refused as such changes neither the port nor a flow.
use crate::card::Card;
use crate::check::{HANG, path};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::LazyLock;
use timely_driver::daemon::{Daemon, Options};
use timely_driver::nic::{Nic, Start};
use timely_driver::protocol::{Answer, LONGEST_TAIL, PREFIX, lengths};
use timely_driver::service::Service;

/// Longest answer of a NIC of 16 flows, bytes: a request of a few does not ask for more.
const LONGEST_ANSWER: usize = 1 << 20;
/// Number of the target's own requests.
const OURS: u64 = 987_654_321;

static DAEMON: LazyLock<PathBuf> = LazyLock::new(|| {
    let socket = path("daemon");
    let options = Options { socket: socket.clone(), users: Vec::new(), heartbeat: None, metrics: None, refclock: None };
    let nic = Nic::open(Box::new(Card::new()), Start::Fresh).expect("a NIC");
    // Nothing stops it but the end of this process.
    let (held, stop) = UnixStream::pair().expect("a pair");
    let daemon = Daemon::new(Service::new(nic, None), options, stop).expect("a daemon");
    std::thread::spawn(move || {
        let end = daemon.run();
        drop(held);
        panic!("the daemon ended: {end:?}");
    });
    socket
});

struct Client(UnixStream);

impl Client {
    fn new() -> Self {
        let stream = UnixStream::connect(&*DAEMON).expect("the daemon listens");
        stream.set_read_timeout(Some(HANG)).and_then(|()| stream.set_write_timeout(Some(HANG))).expect("timeouts");
        Client(stream)
    }

    fn send(&mut self, head: &[u8]) -> bool {
        let prefix = [(head.len() as u32).to_le_bytes(), [0; 4]].concat();
        self.0.write_all(&[&prefix, head].concat()).is_ok()
    }

    // The next frame that is not of events; `None` at the end of the connection.
    fn receive(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut prefix = [0; PREFIX];
            if let Err(e) = self.0.read_exact(&mut prefix) {
                assert!(e.kind() != std::io::ErrorKind::WouldBlock, "no answer after {HANG:?}");
                return None;
            }
            let (head, tail) = lengths(&prefix);
            assert!(head <= LONGEST_ANSWER && tail <= LONGEST_TAIL, "a frame of {head} and {tail} bytes");
            let mut bytes = vec![0; head + tail];
            self.0.read_exact(&mut bytes).expect("the rest of a frame");
            bytes.truncate(head);
            if !matches!(serde_json::from_slice(&bytes), Ok(Answer::Events { .. })) {
                return Some(bytes);
            }
        }
    }

    // The answer to a request, besides words that a subscription to events is over.
    fn ask(&mut self, head: &[u8]) -> Option<Answer> {
        if !self.send(head) {
            return None;
        }
        loop {
            let bytes = self.receive()?;
            let answer = serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&bytes)));
            match &answer {
                Answer::Failed { id: None, error } if error.code == "device" => {}
                _ => return Some(answer),
            }
        }
    }

    fn ours(&mut self, request: Value) -> Value {
        match self.ask(json!({ "id": OURS, "request": request }).to_string().as_bytes()) {
            Some(Answer::Done { id: OURS, result }) => result,
            other => panic!("{request}: {other:?}"),
        }
    }

    // Settings that a refused request may not change.
    fn settings(&mut self) -> [Value; 2] {
        ["port_show", "flow_list"].map(|verb| self.ours(json!({ "verb": verb })))
    }
}

pub fn run(input: &[u8]) {
    let mut client = Client::new();
    let mut lines = input.split(|b| *b == b'\n').peekable();
    if lines.next_if(|l| *l == b"silent").is_none() {
        assert!(client.send(br#"{"version":1,"client":"fuzz"}"#));
        let welcome = client.receive().expect("a welcome");
        assert!(serde_json::from_slice::<Value>(&welcome).is_ok_and(|w| w["version"] == 1));
        client.ours(json!({ "verb": "reset" }));
    } else {
        let first = lines.next().unwrap_or_default();
        if client.send(first) {
            let _ = client.receive();
        }
        return;
    }
    let mut before = client.settings();
    for line in lines {
        if let Some(raw) = line.strip_prefix(b"!") {
            let _ = client.0.write_all(raw);
            let _ = client.0.shutdown(std::net::Shutdown::Write);
            while client.receive().is_some() {}
            return;
        }
        match client.ask(line) {
            Some(Answer::Done { id, .. }) => {
                assert_eq!(serde_json::from_slice::<Value>(line).ok().and_then(|v| v["id"].as_u64()), Some(id));
                before = client.settings();
            }
            Some(Answer::Failed { error, .. }) => {
                assert!(!error.text.trim().is_empty(), "a refusal without words");
                if ["refused", "malformed"].contains(&error.code.as_str()) {
                    assert_eq!(client.settings(), before, "{} changed something", String::from_utf8_lossy(line));
                }
            }
            Some(other) => panic!("{other:?} is no answer"),
            None => panic!("the daemon closed the connection after {}", String::from_utf8_lossy(line)),
        }
    }
}
