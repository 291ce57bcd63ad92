//! What is saved of a NIC: what the next start takes, and nothing else.
use super::Place;
use nix::sys::signal::Signal;
use timely_driver::config::Config;

const FLOW: [&str; 7] = ["flow", "add", "5", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"];

fn on<'a>(device: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    [&["--device", device], words].concat()
}

/// A profile whose law sets the rate, under a flow whose rate is the host's, would be refused by
/// the next start: the change is refused in its place, with a daemon and without.
#[test]
fn a_change_that_no_start_would_take_is_refused() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let daemon = place.listening(&device);
    let names = ["[flow.5]: rate is `1Gbps`; it must be left out", "profile 0", "`fixed`"];
    place.said(&on(&device, &["profile", "set", "0", "fixed"]));
    place.said(&on(&device, &[&FLOW[..], &["--rate", "1Gbps"]].concat()));
    place.refused(&on(&device, &["profile", "set", "0", "timely-10g"]), 3, &names);
    daemon.signal(Signal::SIGTERM);
    assert_eq!(daemon.ended().0, Some(0));
    place.refused(&on(&device, &["profile", "set", "0", "timely-10g"]), 3, &names);
    // A profile that is on the NIC alone.
    place.said(&on(&device, &["reg", "write", "profiles.WORD[32]", "1"]));
    let add = ["flow", "add", "6", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--profile", "1"];
    place.refused(&on(&device, &add), 3, &["profile 1 is on the NIC alone", "profile set 1"]);
    let _daemon = place.listening(&device);
    assert_eq!(place.json(&on(&device, &["flow", "list"]))[0]["spec"]["rate"], "1Gbps");
}

#[test]
fn a_reset_ends_a_file_that_cannot_be() {
    let place = Place::new();
    let (_server, device) = place.serve();
    place.said(&on(&device, &["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00"]));
    let file = place.state(&device);
    let wrong = "[profile.0]\nlike = \"timely-10g\"\n[flow.5]\nto = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\nrate = \"1Gbps\"\n";
    std::fs::write(&file, wrong).expect("written");
    place.refused(&on(&device, &["info"]), 1, &["[flow.5]", "goes on as it was"]);
    let out = place.ctl(&on(&device, &["reset"]));
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && text.contains("[flow.5]") && text.contains(".toml.before"), "{text}");
    assert_eq!(std::fs::read_to_string(Config::before(&file)).expect("the old file"), wrong);
    place.said(&on(&device, &["info"]));
}
