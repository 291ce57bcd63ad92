//! A port's UDP port changed while the in-line NIC's store holds packets of flows.
use super::pairs::wire;
use super::{LIMIT, Place, Running, wait_for};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use timely_regs::link::wire_bytes;
use timely_regs::wire::{Addresses, DEFAULT_PORT, Envelope, FIRST, Header, LAST};

/// A machine at an end of the wire.
struct Machine(UnixStream);

impl Machine {
    fn at(path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("a socket");
        stream.set_read_timeout(Some(LIMIT)).expect("set");
        Machine(stream)
    }

    fn send(&mut self, frame: &[u8]) {
        self.0.write_all(&[&(frame.len() as u32).to_be_bytes(), frame].concat()).expect("sent");
    }

    fn receive(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).expect("a frame");
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut frame).expect("a frame");
        frame
    }
}

/// Packets of flow 3, each a segment, to one UDP port and of one payload.
fn packets(port: u16, count: u32, payload: u8) -> Vec<Vec<u8>> {
    let envelope = Envelope {
        mac_destination: [2, 0, 0, 0, 0, 2],
        mac_source: [2, 0, 0, 0, 0, 1],
        tci: None,
        addresses: Addresses::V4 { source: [10, 0, 0, 1], destination: [10, 0, 0, 2] },
        tos: 0,
        ttl: 64,
        port_source: port,
        port_destination: port,
    };
    let segment_bytes = wire_bytes(envelope.class().end() as u32 + 1000);
    let header = |segment| Header { flags: FIRST | LAST, flow: 3, nonce: 9, segment, segment_bytes, ttl_sent: 64, ..Header::default() };
    (0..count).map(|segment| envelope.frame(&header(segment), &[payload; 1000])).collect()
}

/// Stored packets of the old port would be granted, measured by nobody, and count as outstanding
/// for ever: four of them fill the bound of the flow.
#[test]
fn another_udp_port_leaves_no_packets_that_nobody_answers() {
    let place = Place::new();
    let (_wire, device) = wire(&place, false);
    let _daemon = place.listening(&device);
    let ctl = |words: &[&str]| place.said(&[&["--device", device.as_str()][..], words].concat());
    let port = |udp: u16| {
        let udp = udp.to_string();
        ctl(&["port", "set", "--mac", "02:00:00:00:00:01", "--ipv4", "10.0.0.1", "--no-answer", "--store-waits", "--udp-port", &udp]);
    };
    port(DEFAULT_PORT);
    ctl(&["profile", "set", "0", "fixed", "--line", "1Gbps", "outstanding=5000B"]);
    ctl(&["flow", "add", "3", "--to", "10.0.0.2", "--mac", "02:00:00:00:00:02", "--packet-bytes", "1000", "--posted"]);
    ctl(&["disable"]);
    let (mut host, mut network) = (Machine::at(&place.path("host")), Machine::at(&place.path("network")));
    // Both ends are connected once a frame has passed.
    let foreign = [0x5a; 60];
    network.send(&foreign);
    assert_eq!(host.receive(), foreign);
    // A frame that is none of ours goes past the store: those before it wait there.
    let stored = |host: &mut Machine, network: &mut Machine, frames: &[Vec<u8>]| {
        frames.iter().for_each(|f| host.send(f));
        host.send(&foreign);
        assert_eq!(network.receive(), foreign);
    };
    stored(&mut host, &mut network, &packets(DEFAULT_PORT, 4, 1));
    port(5000);
    assert_eq!(place.json(&["--device", &device, "flow", "list"])[0]["flow"], 3);
    ctl(&["enable"]);
    packets(5000, 4, 2).iter().for_each(|f| host.send(f));
    for n in 0..4 {
        assert!(network.receive().ends_with(&[2; 1000]), "packet {n} is one that was stored under the old port");
    }
    // The same port again takes nothing away.
    ctl(&["disable"]);
    stored(&mut host, &mut network, &packets(5000, 4, 3));
    port(5000);
    ctl(&["enable"]);
    for n in 0..4 {
        assert!(network.receive().ends_with(&[3; 1000]), "packet {n}");
    }
}

/// The record of a flow that no file has cannot be loaded anew.
#[test]
fn another_udp_port_is_refused_while_a_flow_is_on_the_nic_alone() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let on = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    const SET: [&str; 6] = ["port", "set", "--mac", "02:00:00:00:00:01", "--no-answer", "--udp-port"];
    place.said(&on(&[&SET[..], &["21609"]].concat()));
    place.said(&on(&["profile", "set", "0", "timely-10g"]));
    place.said(&on(&["flow", "add", "3", "--to", "10.0.0.2", "--mac", "02:00:00:00:00:02"]));
    std::fs::remove_file(place.state(&device)).expect("a file");
    place.said(&on(&[&SET[..], &["21609"]].concat()));
    place.refused(&on(&[&SET[..], &["5000"]].concat()), 3, &["udp_port is `5000`", "flow 3 is on the NIC alone", "flow remove 3` first"]);
    place.said(&on(&["reset", "--flows"]));
    place.said(&on(&[&SET[..], &["5000"]].concat()));
}

/// A pause is timed by the line: with a rate of 64 one of 65,535 quanta took 73 minutes.
#[test]
fn a_line_slower_than_any_is_refused() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let on = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    const SET: [&str; 6] = ["port", "set", "--mac", "02:00:00:00:00:01", "--no-answer", "--line"];
    place.refused(&on(&[&SET[..], &["9Mbps"]].concat()), 3, &["line is `9Mbps`", "10Mbps to 500Tbps"]);
    place.said(&on(&[&SET[..], &["10Mbps"]].concat()));
    let before = place.json(&on(&["reg", "read", "port.LINE_RATE"]));
    for rate in ["64", "32767"] {
        place.refused(
            &on(&["reg", "write", "port.LINE_RATE", rate]),
            3,
            &[&format!("line_rate is {rate}; it must be 32768 to 4294967295")],
        );
    }
    assert_eq!(place.json(&on(&["reg", "read", "port.LINE_RATE"])), before);
    place.said(&on(&["reg", "write", "port.LINE_RATE", "32768"]));
}

/// ACKs come from a flow's destination port, and are known by the port's UDP port alone: flows
/// have that one, through every change of it, and no other.
#[test]
fn flows_go_on_under_another_udp_port() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let on = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    const SET: [&str; 8] = ["port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"];
    const ADD: [&str; 6] = ["flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"];
    const SET_FLOW: [&str; 7] = ["flow", "set", "3", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"];
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| place.listening(&device));
        place.said(&on(&["reset"]));
        place.said(&on(&SET));
        place.said(&on(&["profile", "set", "0", "timely-10g"]));
        place.said(&on(&[&ADD[..2], &["3"], &ADD[2..]].concat()));
        let port = || place.json(&on(&["flow", "show", "3"]))["configured"]["spec"]["destination_port"].clone();
        assert_eq!(port(), DEFAULT_PORT);
        let reply = ["destination_port is `21609`", "must be 5000, the udp_port", "--udp-port 21609"];
        place.said(&on(&[&SET[..], &["--udp-port", "5000"]].concat()));
        assert_eq!(port(), 5000, "it follows");
        let other = ["--destination-port", "21609"];
        place.refused(&on(&[&ADD[..], &other].concat()), 3, &reply);
        place.refused(&on(&[&SET_FLOW[..], &other].concat()), 3, &reply);
        place.said(&on(&[&SET_FLOW[..], &["--destination-port", "5000"]].concat()));
        place.refused(&on(&[&SET[..], &["--udp-port", "5001"]].concat()), 3, &["[flow.3]: destination_port is `5000`", "must be 5001"]);
        place.said(&on(&SET_FLOW));
        place.said(&on(&[&SET[..], &["--udp-port", "5001"]].concat()));
        assert_eq!(port(), 5001);
        if let Some(daemon) = daemon {
            daemon.signal(nix::sys::signal::Signal::SIGTERM);
            assert_eq!(daemon.ended().0, Some(0));
        }
        // What the next start has.
        let config = timely_driver::config::Config::read(&place.state(&device)).expect("a file");
        assert_eq!((config.udp_port(), config.flow.values().next().expect("a flow").destination_port), (5001, None));
    }
}

/// A NIC tells its bus alone: the fastest link that it carries is the line of a port that is set
/// without one.
#[test]
fn a_port_without_a_line_has_that_of_the_bus() {
    let place = Place::new();
    let socket = place.path("wide");
    let mut c = place.program(place.path("serve").to_str().expect("a path"), &["serve", "--model", "--bus", "512", "--socket"]);
    let _server = Running(c.arg(&socket).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started"));
    wait_for(&socket);
    let device = format!("vfio-user:{}", socket.display());
    let set = ["--device", &device, "--json", "port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00"];
    let out = place.ctl(&set);
    let (said, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(
        said.contains("\"line\": \"100Gbps\"") && told.contains("line is 100Gbps") && told.contains("`--line` says another"),
        "{said}{told}"
    );
    let out = place.ctl(&[&set[..], &["--line", "40Gbps"]].concat());
    let (said, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("40Gbps") && !told.contains("line is"), "{said}{told}");
}
