//! The saved configuration of a NIC: all of what was asked for, and nothing that a start refuses.
use super::Place;
use nix::sys::signal::Signal;
use std::time::{Duration, Instant};
use timely_driver::config::Config;
use timely_driver::nic::{Nic, Start};
use timely_driver::service::{Request, Service};
use timely_driver::spec::PortSpec;
use timely_driver::transport::vfio_user::VfioUser;

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

/// A change that cannot be saved is in force all the same, the error says so, and the end of the
/// daemon saves it: flows that were removed stay so.
#[test]
fn a_change_that_cannot_be_saved_is_told_and_saved_later() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let folder = place.path("gone");
    std::fs::create_dir(&folder).expect("a folder");
    let file = folder.join("config.toml");
    let start = || {
        let daemon = place.daemon(&device, &["--config", file.to_str().expect("a path")]);
        super::wait_for(&place.daemon_socket(&device));
        daemon
    };
    let daemon = start();
    place.said(&on(&device, &["profile", "set", "0", "timely-10g"]));
    place.said(&on(&device, &FLOW));
    std::fs::rename(&folder, place.path("kept")).expect("renamed");
    let names = ["config.toml", "in force but not saved", "free space", "saves again"];
    let removed = place.ctl(&on(&device, &["--json", "flow", "remove", "5"]));
    let text = String::from_utf8_lossy(&removed.stderr);
    assert!(removed.status.code() == Some(6) && names.iter().all(|n| text.contains(n)), "{removed:?}");
    let json = |out: &std::process::Output| serde_json::from_slice::<serde_json::Value>(&out.stdout).expect("JSON");
    assert_eq!((&json(&removed)["removed"], &json(&removed)["saved"]), (&5.into(), &false.into()), "{removed:?}");
    assert!(json(&removed)["not_saved"].as_str().is_some_and(|t| t.contains("config.toml")), "{removed:?}");
    // A result that is more than that keeps what it is.
    let set = place.ctl(&on(&device, &["--json", "profile", "set", "1", "fixed"]));
    assert_eq!((set.status.code(), &json(&set)["law"], &json(&set)["saved"]), (Some(6), &"fixed".into(), &false.into()), "{set:?}");
    place.refused(&on(&device, &["enable"]), 6, &names);
    assert_eq!(place.json(&on(&device, &["info"]))["unsaved"], true);
    assert!(place.said(&on(&device, &["info"])).contains("changes are not saved"));
    std::fs::rename(place.path("kept"), &folder).expect("renamed");
    daemon.signal(Signal::SIGTERM);
    let (code, said) = daemon.ended();
    let begun = said.matches("changes are in force and not saved: ").count();
    assert!(code == Some(0) && begun == 1, "{code:?}: {said}");
    let daemon = start();
    assert_eq!(place.json(&on(&device, &["flow", "list"])), serde_json::json!([]));
    assert_eq!(place.json(&on(&device, &["info"]))["unsaved"], false);
    // An end that loses a change is none in order.
    std::fs::rename(&folder, place.path("kept")).expect("renamed");
    place.refused(&on(&device, &["disable"]), 6, &names);
    daemon.signal(Signal::SIGTERM);
    let (code, said) = daemon.ended();
    let told = said
        .lines()
        .last()
        .is_some_and(|l| l.contains("changes that were made since") && l.contains("are lost") && !l.contains("saves again"));
    assert!(code == Some(1) && told, "{code:?}: {said}");
    let period = place.json(&on(&device, &["reg", "read", "heartbeat.PERIOD"]));
    assert_eq!(period["value"], 0, "the NIC was closed in order");
}

/// Once a second, and no sooner; a command without a daemon says how far its change goes.
#[test]
fn what_could_not_be_saved_is_saved_a_second_later() {
    let place = Place::new();
    let (_server, _) = place.serve();
    let nic = Nic::open(Box::new(VfioUser::connect(&place.path("nic")).expect("a way")), Start::Attach).expect("a device");
    let (folder, start) = (place.path("gone"), Instant::now());
    let file = folder.join("config.toml");
    let mut service = Service::new(nic, Some(file.clone()));
    let port = PortSpec { answer: false, ..PortSpec::with_mac("02:74:6e:00:00:00") };
    let text = service.handle(Request::PortSet { port: port.clone() }).expect("done");
    let text = text["not_saved"].as_str().expect("a reason");
    assert!(text.contains("until the NIC is reset") && text.contains("start `timelyd --device"), "{text}");
    assert!(service.save_again(Some(start + Duration::from_hours(1))).is_err(), "still no folder");
    std::fs::create_dir(&folder).expect("a folder");
    assert!(!service.save_again(Some(start)).expect("not yet") && !file.exists());
    assert!(service.save_again(Some(start + Duration::from_hours(1))).expect("saved"));
    assert_eq!(Config::read(&file).expect("a file").port, Some(port));
    assert!(!service.save_again(None).expect("nothing is left"));
}

/// With a daemon and without: what a reset takes away is kept, and another reset takes nothing of
/// it.
#[test]
fn a_reset_keeps_the_file_of_before() {
    let place = Place::new();
    let (_server, device) = place.serve();
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| place.listening(&device));
        let file = place.state(&device);
        for words in [&["reset", "--flows"][..], &["reset"]] {
            place.said(&on(&device, &["profile", "set", "0", "timely-10g"]));
            place.said(&on(&device, &FLOW));
            let before = std::fs::read_to_string(&file).expect("a file");
            let out = place.ctl(&on(&device, &[&["--json"], words].concat()));
            let kept = Config::before(&file).display().to_string();
            let told = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success() && told.contains(&format!("is kept as {kept}")), "{with_daemon} {words:?}: {told}");
            assert_eq!(serde_json::from_slice::<serde_json::Value>(&out.stdout).expect("JSON")["kept"], *kept);
            let again = place.ctl(&on(&device, words));
            assert!(again.status.success() && again.stderr.is_empty(), "{again:?}");
            assert_eq!(std::fs::read_to_string(Config::before(&file)).expect("the old file"), before, "{with_daemon} {words:?}");
        }
        if let Some(daemon) = daemon {
            daemon.signal(Signal::SIGTERM);
            assert_eq!(daemon.ended().0, Some(0));
        }
    }
}

/// Flows that were stopped stay so when another is added, and over a restart, until `enable`.
#[test]
fn flows_that_were_stopped_stay_stopped() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let enabled = || place.json(&on(&device, &["info"]))["enabled"].clone();
    for with_daemon in [false, true] {
        let daemon = with_daemon.then(|| place.listening(&device));
        place.said(&on(&device, &["reset"]));
        place.said(&on(&device, &["profile", "set", "0", "timely-10g"]));
        place.said(&on(&device, &FLOW));
        assert_eq!(enabled(), true);
        place.said(&on(&device, &["disable"]));
        let out = place.ctl(&on(&device, &["--json", "flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"]));
        let added: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        assert_eq!(added["note"], "flows are stopped; start them with `timelyctl enable`", "{added}");
        let told = String::from_utf8_lossy(&out.stderr);
        assert!(told.contains(&format!("start them with `timelyctl --device {device} enable`")), "{told}");
        assert_eq!(enabled(), false);
        if let Some(daemon) = daemon {
            daemon.signal(Signal::SIGTERM);
            assert_eq!(daemon.ended().0, Some(0));
        }
        let again = place.listening(&device);
        assert_eq!(enabled(), false);
        place.said(&on(&device, &["enable"]));
        again.signal(Signal::SIGTERM);
        let (code, said) = again.ended();
        assert!(code == Some(0) && said.contains("flows are stopped"), "{code:?}: {said}");
        let _again = place.listening(&device);
        assert_eq!(enabled(), true);
    }
}
