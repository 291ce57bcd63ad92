//! `timelyctl send` and `recv` over loopback, as two processes.
use super::{Place, Running};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::process::{ChildStderr, Stdio};

/// A receiver that listens, its address, and its errors, which must be read on, or the receiver
/// waits.
pub fn receiver(place: &Place, more: &[&str]) -> (Running, SocketAddr, BufReader<ChildStderr>) {
    let words = [&["--json", "recv", "--port", "0", "--bind"][..], more].concat();
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &words);
    let mut running = Running(c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"));
    let mut said = BufReader::new(running.0.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("text");
    let address = line.trim_start_matches("receiving at ").trim_end().trim_end_matches(", answering");
    (running, address.parse().unwrap_or_else(|e| panic!("{line}: {e}")), said)
}

pub fn ended(running: Running) -> Value {
    let (code, said) = running.ended();
    assert_eq!(code, Some(0), "{said}");
    serde_json::from_str(&said).unwrap_or_else(|e| panic!("{said}: {e}"))
}

/// 50 segments of three packets at a rate that loopback keeps: all come, all are answered, and what
/// is not ours is counted.
#[test]
fn segments_are_sent_received_and_answered() {
    for bind in ["127.0.0.1", "::1"] {
        let place = Place::new();
        let (receiver, at, _said) = receiver(&place, &[bind, "--answer", "--count", "50"]);
        let stranger = UdpSocket::bind((at.ip(), 0)).expect("a socket");
        for bytes in [&b"hello"[..], &[0; 48], &[1, 0xff, 0, 0], &[]] {
            stranger.send_to(bytes, at).expect("sent");
        }
        let (to, port) = (at.ip().to_string(), at.port().to_string());
        let mut words = vec!["send", to.as_str(), "--port", port.as_str()];
        words.extend(["--count", "50", "--rate", "50Mbps", "--packet-bytes", "500", "--segment-packets", "3"]);
        words.extend(["--flow", "77", "--ttl", "9", "--tos", "2", "--patience", "60s"]);
        let sent = place.json(&words);
        let got = ended(receiver);
        let number = |v: &Value, name: &str| v[name].as_u64().unwrap_or_else(|| panic!("{name} in {v}"));
        let all = [("packets", 150), ("segments", 50), ("payload_bytes", 75_000)];
        assert!(all.iter().all(|&(name, n)| number(&sent, name) == n && number(&got, name) == n), "{sent} {got}");
        let acks = [("acked", 50), ("lost", 0), ("waiting", 0), ("stale", 0), ("forged", 0), ("malformed", 0), ("hops", 0), ("flow", 77)];
        assert!(acks.iter().all(|&(name, n)| number(&sent, name) == n), "{sent}");
        let counted = [("acks_sent", 50), ("malformed", 4), ("broken", 0), ("missing", 0), ("late", 0), ("flows", 1), ("unanswered", 0)];
        assert!(counted.iter().all(|&(name, n)| number(&got, name) == n), "{got}");
        let (rtt, responder) = (&sent["rtt_ns"], &sent["responder_ns"]);
        assert_eq!((number(rtt, "samples"), number(responder, "samples")), (50, 50));
        let order: Vec<u64> = ["least", "p50", "p90", "p99", "p999", "most"].iter().map(|n| number(rtt, n)).collect();
        assert!(order.is_sorted() && order[0] > 0 && number(responder, "least") <= order[5], "{sent}");
        assert_eq!(number(&sent, "wire_bytes"), number(&got, "wire_bytes"));
        assert_eq!(number(&sent, "wire_bytes"), 150 * if at.is_ipv4() { 614 } else { 634 });
    }
}

/// A receiver that does not answer, as where hardware does: the sender has an end all the same, and
/// says why there is no RTT.
#[test]
fn without_answers_everything_has_an_end() {
    let place = Place::new();
    let (receiver, at, mut said) = receiver(&place, &["127.0.0.1", "--count", "20", "--interval", "1ms"]);
    let port = at.port().to_string();
    let out =
        place.said(&["send", "127.0.0.1", "--port", &port, "--count", "20", "--rate", "10Mbps", "--patience", "50ms", "--interval", "1ms"]);
    assert!(out.contains("0 of 20 segments, 20 lost (100.000 %)") && out.contains("no ACK came") && out.contains("telemetry"), "{out}");
    let mut progress = String::new();
    said.read_to_string(&mut progress).expect("text");
    let got = ended(receiver);
    assert_eq!((&got["segments"], &got["acks_sent"], &got["loss"]), (&20.into(), &0.into(), &0.0.into()), "{got}");
    assert!(progress.lines().all(|l| l.contains("on the wire") && l.contains("segments")), "{progress}");
}

/// A pause ends a receiver, however few came before it.
#[test]
fn a_receiver_ends_when_nothing_more_comes() {
    let place = Place::new();
    let (receiver, at, _said) = receiver(&place, &["127.0.0.1", "--idle", "50ms"]);
    let port = at.port().to_string();
    place.said(&["send", "127.0.0.1", "--port", &port, "--count", "1", "--patience", "1ms"]);
    assert_eq!(ended(receiver)["segments"], 1);
}

#[test]
fn signals_end_both() {
    let place = Place::new();
    let (receiver, at, _said) = receiver(&place, &["127.0.0.1", "--answer"]);
    let port = at.port().to_string();
    let words = ["--json", "send", "127.0.0.1", "--port", &port, "--for", "3600s", "--rate", "1Mbps", "--interval", "1ms"];
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &words);
    let mut sender = Running(c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"));
    // Once it is under way.
    let mut errors = BufReader::new(sender.0.stderr.take().expect("a pipe"));
    errors.read_line(&mut String::new()).expect("text");
    sender.signal(nix::sys::signal::Signal::SIGINT);
    errors.read_to_string(&mut String::new()).expect("text");
    let sent = ended(sender);
    assert!(sent["packets"].as_u64() >= Some(1), "{sent}");
    receiver.signal(nix::sys::signal::Signal::SIGTERM);
    ended(receiver);
}

#[test]
fn what_cannot_be_sent_says_why() {
    let place = Place::new();
    let closed = UdpSocket::bind("127.0.0.1:0").and_then(|s| s.local_addr()).expect("a port that is free again").port().to_string();
    let send = |more: &[&'static str]| [&["send", "127.0.0.1", "--port", closed.as_str()][..], more].concat();
    place.refused(&send(&["--count", "3", "--patience", "1ms"]), 1, &["nobody listens at 127.0.0.1", "timelyctl recv --answer"]);
    place.refused(&send(&["--rate", "10"]), 2, &["`10`", "10Gbps"]);
    place.refused(&send(&["--rate", "2Tbps"]), 2, &["2Tbps", "1Kbps to 1Tbps"]);
    place.refused(&send(&["--packet-bytes", "16384"]), 2, &["16384", "16383"]);
    place.refused(&["send", "nobody"], 2, &["nobody", "10.0.0.2"]);
    place.refused(&["recv", "--bind", "192.0.2.1"], 1, &["192.0.2.1:21609", "--bind"]);
    place.refused(&["recv", "--bind", "127.0.0.1", "--port", "0", "--patience", "20ms"], 1, &["nothing came to 127.0.0.1", "firewall"]);
    assert!(place.said(&["send", "--help"]).contains("EXAMPLES"));
}
