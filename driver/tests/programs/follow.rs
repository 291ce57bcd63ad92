//! `timelyctl pairs follow`: queue pairs join by their answers and by the host's list, through a
//! daemon of the model in the wire.
use super::pairs::wire;
use super::{LIMIT, Place, Running};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{ChildStdout, Stdio};
use std::time::Instant;
use timely_regs::roce::{Bth, Extension, PORT, opcode};
use timely_regs::wire::{Addresses, Envelope};

const HOST: u8 = 1;
/// The host's address.
const MAC: &str = "02:00:00:00:00:01";
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

/// The next line, which comes within the limit.
fn text<R: Read + AsFd>(out: &mut BufReader<R>) -> String {
    if out.buffer().is_empty() {
        let limit = Timespec { tv_sec: LIMIT.as_secs() as i64, tv_nsec: 0 };
        assert_eq!(poll(&mut [PollFd::new(out.get_ref(), PollFlags::IN)], Some(&limit)), Ok(1), "it says nothing");
    }
    let mut text = String::new();
    assert!(out.read_line(&mut text).expect("text") > 0, "it ended");
    text
}

fn line(out: &mut BufReader<ChildStdout>) -> Value {
    let text = text(out);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Does something until it is so, within the limit.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LIMIT, "not so: {what}");
    }
}

/// A follower that prints JSON, or text; and its output.
fn following(place: &Place, device: &str, json: bool) -> (Running, BufReader<ChildStdout>) {
    let file = place.path("qp.json");
    let words = ["--device", device, "pairs", "follow", "--every", "5ms", "--list", file.to_str().expect("a path")];
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyctl"), &words);
    c.args(json.then_some("--json")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(c.spawn().expect("started"));
    let out = BufReader::new(running.0.stdout.take().expect("an output"));
    (running, out)
}

/// Events of a pair that is joined, and whose connection is over then.
pub fn events(place: &Place, device: &str) -> [Value; 2] {
    let json = |words: &[&str]| place.json(&[&["--device", device], words].concat());
    let [mut host, mut network] = ["host", "network"].map(|end| UnixStream::connect(place.path(end)).expect("a socket"));
    send(&mut host, &request(4, 5));
    until("1 pairs are learned", || json(&["pairs", "show"])["learned"] == 1);
    json(&["port", "set", "--mac", MAC, "--no-answer"]);
    list(place, &[(20, REMOTE)]);
    let (_follower, mut out) = following(place, device, true);
    send(&mut network, &answer(4, 20, 5));
    let joined = line(&mut out);
    list(place, &[]);
    [joined, line(&mut out)]
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
    let alone = ["--device", &format!("vfio-user:{}", place.path("no-daemon").display())].map(String::from);
    place.refused(&[&alone[0], &alone[1], "pairs", "follow"], 4, &["needs the daemon", "timelyd --device"]);
    std::fs::write(file, "{}").expect("written");
    refused(&follow, 1, &["qp.json", "rdma -j resource show qp"]);
    list(&place, &[(17, REMOTE), (18, REMOTE)]);
    refused(&[&follow[..], &["--rdma", "mlx5_0"]].concat(), 3, &["no RDMA device `mlx5_0`", "the host has rxe0"]);
    refused(&follow, 3, &["not in use", "pairs setup` takes it into use"]);
    refused(&["pairs", "follow", "--every", "0s"], 2, &["--every", "1ms"]);
    json(&["profile", "set", "0", "timely-10g", "least=82Mbps"]);
    json(&["pairs", "setup"]);
    refused(&follow, 3, &["no MAC address", "port set --mac"]);
    json(&["port", "set", "--mac", MAC, "--no-answer"]);
    assert_eq!(json(&["pairs", "list"]), json!([]));

    // Two peers have a queue pair of one number; the host sends to both.
    let [mut host, mut network] = ["host", "network"].map(|end| UnixStream::connect(place.path(end)).expect("a socket"));
    [2, 3].into_iter().for_each(|peer| send(&mut host, &request(peer, 5)));
    until("2 pairs are learned", || json(&["pairs", "show"])["learned"] == 2);
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
        until("the answer is counted", || json(&["pairs", "show"])["answers_unknown"].as_u64() > Some(n as u64));
        let out = place.ctl(&once);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && out.stdout.is_empty() && said.contains(told), "not told: {told}; {said}");
    }

    let (follower, mut out) = following(&place, &device, true);
    for (peer, local) in [(2, 17), (3, 18)] {
        // Until it is told: the stranger's may wait in its place.
        until("the pair is joined", || {
            send(&mut network, &answer(peer, local, 5));
            json(&["pairs", "list"]).as_array().expect("a list").iter().any(|p| p["local"] == local)
        });
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
    follower.signal(nix::sys::signal::Signal::SIGTERM);
    let (code, said) = follower.ended();
    assert_eq!(code, Some(0), "{said}");

    // One that comes later knows of those before. A file that is no list for a while, as when it is
    // written in its place, ends nothing and removes nothing.
    list(&place, &[(17, REMOTE), (18, REMOTE)]);
    let (mut follower, mut out) = following(&place, &device, false);
    send(&mut host, &request(3, 6));
    until("3 pairs are learned", || json(&["pairs", "show"])["learned"] == 3);
    until("the pair is joined", || {
        send(&mut network, &answer(3, 18, 6));
        flow(18).is_some()
    });
    assert!(text(&mut out).ends_with(", joined with 18\n"));
    std::fs::write(file, "[{").expect("written");
    let mut err = BufReader::new(follower.0.stderr.take().expect("an output"));
    assert_eq!(text(&mut err), "2 connected queue pairs are listed, and 1 pairs of the table are joined; Ctrl-C ends this\n");
    let told = text(&mut err);
    assert!(told.contains("qp.json") && told.contains("the list of before holds"), "{told}");
    // A pair that a command has set meanwhile is that command's.
    json(&["pairs", "join", "10.0.0.2", "0x23", "--local", "17"]);
    list(&place, &[]);
    assert_eq!(text(&mut out), "35 at 10.0.0.3, joined with 18, is over, and was removed\n");
    let left = json(&["pairs", "list"]);
    let of = |field: &str| left.as_array().expect("a list").iter().map(|p| p[field].clone()).collect::<Vec<_>>();
    assert_eq!((of("address"), of("local"), of("set")), (vec!["10.0.0.2".into()], vec![17.into()], vec![true.into()]), "{left}");
}
