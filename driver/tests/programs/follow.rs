//! `timelyctl pairs follow`: queue pairs join by their answers and by the host's list, through a
//! daemon of the model in the wire.
use super::pairs::wire;
use super::{Place, Running};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{ChildStdout, Stdio};
use timely_regs::roce::{Bth, Extension, PORT, opcode};
use timely_regs::wire::{Addresses, Envelope};

const HOST: u8 = 1;
/// The peers' queue pair, which two of them have.
const REMOTE: u32 = 0x23;

fn envelope(from: u8, to: u8) -> Envelope {
    let (mac, v4) = (|n| [2, 0, 0, 0, 0, n], |n| [10, 0, 0, n]);
    Envelope {
        mac_destination: mac(to),
        mac_source: mac(from),
        tci: None,
        addresses: Addresses::V4 { source: v4(from), destination: v4(to) },
        tos: 0,
        ttl: 64,
        port_source: 0xc011,
        port_destination: PORT,
    }
}

/// A packet of a message to the queue pair that the peers have.
fn request(peer: u8, psn: u32) -> Vec<u8> {
    let bth = Bth { opcode: opcode::SEND_ONLY, queue_pair: REMOTE, psn, ack_request: true, partition_key: 0xffff, ..Bth::default() };
    bth.frame(&envelope(HOST, peer), &Extension::default(), &[7; 64])
}

/// A peer's answer to a queue pair of the host.
fn answer(peer: u8, local: u32, psn: u32) -> Vec<u8> {
    let bth = Bth { opcode: opcode::ACK, queue_pair: local, psn, partition_key: 0xffff, ..Bth::default() };
    bth.frame(&envelope(peer, HOST), &Extension { syndrome: 0x1f, ..Extension::default() }, &[])
}

fn send(to: &mut UnixStream, frame: &[u8]) {
    let length = u32::try_from(frame.len()).expect("a frame");
    to.write_all(&[&length.to_be_bytes()[..], frame].concat()).expect("sent");
}

/// Writes the list anew, in one step.
fn list(place: &Place, pairs: &[(u32, u32)]) {
    let line = |(l, r): &(u32, u32)| json!({"ifindex": 0, "ifname": "rxe0", "port": 1, "lqpn": l, "rqpn": r, "type": "RC", "state": "RTS"});
    let all: Vec<Value> = pairs.iter().map(line).collect();
    std::fs::write(place.path("new"), Value::from(all).to_string()).expect("written");
    std::fs::rename(place.path("new"), place.path("qp.json")).expect("renamed");
}

fn line(out: &mut BufReader<ChildStdout>) -> Value {
    let mut text = String::new();
    assert!(out.read_line(&mut text).expect("text") > 0, "it ended");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Output of a look that joins a pair, and of one when the connection is over.
pub fn events(place: &Place, device: &str) -> [Value; 2] {
    let json = |words: &[&str]| place.json(&[&["--device", device], words].concat());
    let [mut host, mut network] = ["host", "network"].map(|end| UnixStream::connect(place.path(end)).expect("a socket"));
    send(&mut host, &request(4, 5));
    while json(&["pairs", "show"])["learned"] != 1 {}
    send(&mut network, &answer(4, 20, 5));
    while json(&["pairs", "show"])["answers_unknown"] != 1 {}
    let file = place.path("qp.json");
    [&[(20, REMOTE)][..], &[]].map(|pairs| {
        list(place, pairs);
        json(&["pairs", "follow", "--once", "--list", file.to_str().expect("a path")])
    })
}

#[test]
fn pairs_join_by_their_answers_and_go_with_their_connections() {
    let place = Place::new();
    let (_wire, device) = wire(&place, true);
    let _daemon = place.listening(&device);
    let with = |words: &[&str]| -> Vec<String> { ["--device", &device].iter().chain(words).map(|w| (*w).to_owned()).collect() };
    let json = |words: &[&str]| place.json(&with(words).iter().map(String::as_str).collect::<Vec<_>>());
    let refused =
        |words: &[&str], code, names: &[&str]| place.refused(&with(words).iter().map(String::as_str).collect::<Vec<_>>(), code, names);
    let file = place.path("qp.json");
    let file = file.to_str().expect("a path");
    let follow = ["pairs", "follow", "--list", file];

    refused(&follow, 1, &["qp.json", "No such file"]);
    std::fs::write(file, "{}").expect("written");
    refused(&follow, 1, &["qp.json", "rdma -j resource show qp"]);
    list(&place, &[(17, REMOTE), (18, REMOTE)]);
    refused(&follow, 3, &["not in use", "pairs setup` takes it into use"]);
    refused(&["pairs", "follow", "--every", "0s"], 2, &["--every", "1ms"]);
    json(&["profile", "set", "0", "timely-10g"]);
    json(&["pairs", "setup"]);
    assert_eq!(json(&["pairs", "list"]), json!([]));

    // Two peers have a queue pair of one number; the host sends to both.
    let [mut host, mut network] = ["host", "network"].map(|end| UnixStream::connect(place.path(end)).expect("a socket"));
    [2, 3].into_iter().for_each(|peer| send(&mut host, &request(peer, 5)));
    while json(&["pairs", "show"])["learned"] != 2 {}
    let known = json(&["pairs", "list"]);
    let peers: Vec<_> = known.as_array().expect("a list").iter().map(|p| (&p["address"], &p["remote"], &p["local"], &p["set"])).collect();
    let of = |peer: &'static str| (Value::from(peer), Value::from(REMOTE), Value::Null, Value::from(false));
    let wanted = ["10.0.0.2", "10.0.0.3"].map(of);
    assert!(peers.len() == 2 && wanted.iter().all(|(a, r, l, s)| peers.contains(&(a, r, l, s))), "{known}");

    // A stranger's answer, and one to a queue pair that the list does not have: neither joins.
    let once = with(&[&follow[..], &["--once"]].concat());
    let once: Vec<&str> = once.iter().map(String::as_str).collect();
    for (n, (peer, local, told)) in [
        (9, 17, "10.0.0.9 to 17 joins no pair: the table does not know its pair, 35"),
        (2, 99, "10.0.0.2 to 99 joins no pair: the host's list has no such queue pair"),
    ]
    .into_iter()
    .enumerate()
    {
        send(&mut network, &answer(peer, local, 5));
        while json(&["pairs", "show"])["answers_unknown"].as_u64() < Some(n as u64 + 1) {}
        let out = place.ctl(&once);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && out.stdout.is_empty() && said.contains(told), "not told: {told}; {said}");
    }

    let words: Vec<_> = ["--json"].iter().copied().map(String::from).chain(with(&[&follow[..], &["--every", "5ms"]].concat())).collect();
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut following = Running(c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"));
    let mut out = BufReader::new(following.0.stdout.take().expect("an output"));
    for (peer, local) in [(2, 17), (3, 18)] {
        // Until it is told: the stranger's may wait in its place.
        send(&mut network, &answer(peer, local, 5));
        while json(&["pairs", "list"]).as_array().expect("a list").iter().all(|p| p["local"] != local) {
            send(&mut network, &answer(peer, local, 5));
        }
        let said = line(&mut out);
        let told = (&said["event"], &said["address"], &said["remote"], &said["local"]);
        assert_eq!(told, (&"joined".into(), &format!("10.0.0.{peer}").into(), &REMOTE.into(), &local.into()), "{said}");
    }
    let state = json(&["pairs", "show"]);
    assert_eq!((&state["set"], &state["learned"]), (&0.into(), &2.into()), "{state}");
    let flow = |local: u64| {
        let all = json(&["pairs", "list"]);
        let of = all.as_array().expect("a list").iter().find(|p| p["local"] == local);
        of.map(|p| p["flow"].clone())
    };
    let first = flow(17).expect("joined");

    // A connection is over, and its pair goes; the other stays.
    list(&place, &[(17, REMOTE)]);
    let said = line(&mut out);
    assert_eq!((&said["event"], &said["address"], &said["remote"]), (&"over".into(), &"10.0.0.3".into(), &REMOTE.into()), "{said}");
    assert_eq!((flow(17), flow(18)), (Some(first), None));
    following.signal(nix::sys::signal::Signal::SIGTERM);
    let (code, said) = following.ended();
    assert_eq!(code, Some(0), "{said}");

    // One that comes later knows of those before, and people read what it does.
    list(&place, &[]);
    let said = place.said(&once);
    assert_eq!(said, "35 at 10.0.0.2, joined with 17, is over, and was removed\n");
    assert_eq!(json(&["pairs", "list"]), json!([]));
}
