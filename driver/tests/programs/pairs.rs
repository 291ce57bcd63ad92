//! `timelyctl pairs`: set-up, join and removal through a daemon of the model in the wire; refusals.
use super::{Place, Running, wait_for};
use serde_json::Value;
use std::process::Stdio;
use timely_driver::client::Client;
use timely_driver::target::Target;

/// The NIC of `timely-sim wire`, and its device.
pub fn wire(place: &Place, roce: bool) -> (Running, String) {
    let sockets = ["host", "network", "registers"].map(|n| place.path(n));
    let mut c = place.program(place.path("serve").to_str().expect("a path"), &["wire", "--model", "--flow-bits", "6"]);
    if roce {
        c.arg("--roce");
    }
    for (option, path) in ["--host", "--network", "--registers"].iter().zip(&sockets) {
        c.arg(option).arg(path);
    }
    let child = Running(c.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started"));
    wait_for(&sockets[2]);
    (child, format!("vfio-user:{}", sockets[2].display()))
}

#[test]
fn queue_pairs_are_set_up_joined_and_removed() {
    let place = Place::new();
    let (_wire, device) = wire(&place, true);
    let _daemon = place.listening(&device);
    let with = |words: &[&'static str]| -> Vec<String> {
        ["--device", &device].into_iter().chain(words.iter().copied()).map(String::from).collect()
    };
    let json = |words: &[&'static str]| place.json(&with(words).iter().map(String::as_str).collect::<Vec<_>>());
    let refused = |words: &[&'static str], code, names: &[&str]| {
        place.refused(&with(words).iter().map(String::as_str).collect::<Vec<_>>(), code, names)
    };
    const JOIN: [&str; 6] = ["pairs", "join", "10.0.0.2", "0x23", "--local", "0x11"];

    assert_eq!(json(&["pairs", "show"])["in_use"], false);
    refused(&JOIN, 3, &["not in use", "pairs setup` takes it into use"]);
    refused(&["pairs", "setup"], 3, &["profile 0 is unset", "profile set 0"]);
    json(&["profile", "set", "0", "timely-10g"]);
    // 1,024 packets of 256 bytes, 280 on the wire, the largest one's other 37 cells, and 512 of 64
    // bytes in front of the store at 10 Mb/s take 274 ms, and of the 67 ms after which a host with
    // the time-out 14 sends all again they have half.
    let slow = ["profile 0 may slow a pair to 10Mbps", "1024 cells", "273.7ms", "67.11ms", "least=81.58Mbps"];
    refused(&["pairs", "setup"], 3, &slow);
    assert_eq!(json(&["pairs", "setup", "--host-timeout", "0"])["least_mbps"], 0.0);
    let short = json(&["pairs", "setup", "--host-timeout", "560ms"]);
    assert_eq!((&short["host_timeout_us"], &short["in_use"]), (&560_000.into(), &true.into()), "{short}");
    assert!((short["least_mbps"].as_f64().expect("a rate") - (1061.0 * 280.0 + 512.0 * 88.0) * 8.0 / 280_000.0).abs() < 1e-9, "{short}");
    // A profile is held to it too while the table is in use, whichever it is.
    refused(&["profile", "set", "5", "timely-10g", "least=9Mbps"], 3, &["profile 5 may slow a pair to 9Mbps", "least=9.776Mbps", "560ms"]);
    refused(&["pairs", "setup", "--host-timeout", "72min"], 2, &["--host-timeout", "1us to 71min"]);
    refused(&["pairs", "setup", "--host-timeout", "500ns"], 2, &["--host-timeout", "1us to 71min"]);
    refused(&["pairs", "setup", "--host-timeout", "-1ms"], 2, &["--host-timeout"]);
    json(&["profile", "set", "5", "timely-10g", "least=9.776Mbps"]);
    json(&["pairs", "setup", "--store-bound", "100", "--host-timeout", "134ms"]);
    json(&["pairs", "stop"]);
    // The rate that is printed is enough.
    json(&["profile", "set", "0", "timely-10g", "least=81.58Mbps"]);
    refused(&["pairs", "setup", "--mtu", "1500"], 3, &["1500", "256, 512, 1024, 2048 or 4096"]);
    refused(&["pairs", "setup", "--age", "121"], 3, &["121 s", "0 to 120 s"]);
    // Of the first the ps need more than 64 bits.
    refused(&["pairs", "setup", "--age", "18446745"], 3, &["18446745 s", "0 to 120 s"]);
    refused(&["pairs", "setup", "--age", "4294967295"], 3, &["4294967295 s", "0 to 120 s"]);
    assert_eq!(json(&["pairs", "show"])["in_use"], false, "a refusal set it up");

    let set_up = json(&["pairs", "setup", "--mtu", "1024", "--age", "60"]);
    assert_eq!((&set_up["in_use"], &set_up["mtu"], &set_up["profile"]), (&true.into(), &1024.into(), &0.into()), "{set_up}");
    assert!((set_up["age_s"].as_f64().expect("a time") - 60.0).abs() < 0.001, "{set_up}");
    assert_eq!(set_up["priority"], 3, "{set_up}");
    // The socket's default is timelyctl's, and its limits are too.
    let target: Target = device.parse().expect("a device");
    let path = place.daemon_socket(&device);
    let mut client = Client::connect_to(&path, target.device().as_deref()).expect("a daemon").expect("it listens");
    let mut setup = |more: Value| {
        let mut setup = serde_json::json!({"profile": 0, "mtu": 1024, "age_s": 60, "store_bound": 1024});
        setup.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let request = serde_json::from_value(serde_json::json!({"verb": "pairs_setup", "setup": setup})).expect("a request");
        client.ask(request).map_err(|e| e.to_string())
    };
    assert_eq!(setup(serde_json::json!({})).expect("set up")["priority"], 3);
    for (field, value, told) in [
        ("ask_every", 256, "packets cannot be made to ask for an ACK every 256; give 1 to 255, or 0"),
        ("store_bound", 0, "a store bound of 0 cells cannot be; give 1 to 65535"),
        ("store_bound", 65_536, "a store bound of 65536 cells cannot be"),
        ("priority", 8, "8 is no priority; give 0 to 7"),
    ] {
        let said = setup(serde_json::json!({ field: value })).expect_err("refused");
        assert!(said.contains(told), "{said}");
    }
    refused(&["pairs", "setup", "--priority", "8"], 2, &["--priority", "0 to 7"]);
    assert_eq!((&set_up["notify"], &set_up["notify_dscp"]), (&false.into(), &0.into()), "{set_up}");
    refused(&["pairs", "setup", "--notify", "--notify-interval", "16778"], 3, &["16778 us", "1 to 16777"]);
    refused(&["pairs", "setup", "--notify", "--notify-interval", "0"], 3, &["0 us", "1 to 16777"]);
    refused(&["pairs", "setup", "--notify", "--notify-interval", "-5"], 2, &["--notify-interval"]);
    refused(&["pairs", "setup", "--notify-interval", "5"], 2, &["--notify"]);
    refused(&["pairs", "setup", "--notify", "--notify-dscp", "64"], 3, &["64 is no DSCP", "0 to 63"]);
    refused(&["pairs", "setup", "--notify-dscp", "1"], 2, &["--notify"]);
    assert_eq!(json(&["pairs", "show"])["notify"], false, "a refusal set it up");
    refused(&["pairs", "setup", "--ask-every", "256"], 2, &["--ask-every", "255"]);
    assert_eq!(json(&["pairs", "setup", "--ask-every", "255"])["ask_every"], 255);
    assert_eq!(json(&["pairs", "change", "--ask-every", "4"])["ask_every"], 4);
    assert_eq!(json(&["pairs", "setup"])["ask_every"], 0, "packets are left as they are");
    let notifies = json(&["pairs", "setup", "--notify", "--notify-interval", "10"]);
    let told = (&notifies["notify"], &notifies["notify_interval_us"], &notifies["notify_dscp"], &notifies["notifications_sent"]);
    assert_eq!(told, (&true.into(), &10.0.into(), &48.into(), &0.into()), "{notifies}");
    let without = json(&["pairs", "setup"]);
    assert_eq!(without["notify"], false, "a set-up without notifications leaves those of before: {without}");
    json(&["pairs", "setup", "--notify"]);
    let joined = json(&JOIN);
    // Off and on without a set-up, which would forget the pairs.
    assert_eq!(json(&["pairs", "change", "--notify", "off"])["notify"], false);
    let changed = json(&["pairs", "change", "--notify", "on", "--notify-interval", "20", "--ask-every", "7"]);
    let told = (&changed["notify"], &changed["notify_interval_us"], &changed["notify_dscp"], &changed["ask_every"]);
    assert_eq!(told, (&true.into(), &20.0.into(), &48.into(), &7.into()), "{changed}");
    assert_eq!(json(&["pairs", "list"]).as_array().map(Vec::len), Some(1), "the pair that was joined");
    refused(&["pairs", "change"], 2, &["--ask-every", "--notify"]);
    refused(&["pairs", "change", "--notify-interval", "0"], 3, &["0 us", "1 to 16777"]);
    refused(&["pairs", "change", "--notify", "perhaps"], 2, &["--notify"]);
    assert_eq!((&joined["address"], &joined["remote"], &joined["local"]), (&"10.0.0.2".into(), &0x23.into(), &0x11.into()), "{joined}");
    assert!(joined["flow"].as_u64() < Some(64), "{joined}");
    rules(&json, &refused);
    // A second pair with the same local number is not guessed at.
    refused(&["pairs", "join", "10.0.0.2", "0x24", "--local", "0x11"], 3, &["local queue pair 17", "was set and is not joined"]);
    for group in ["0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1"] {
        refused(&["pairs", "join", group, "5"], 3, &[&format!("address is `{group}`; it must be the address of one host")]);
    }
    refused(&["pairs", "join", "10.0.0.2", "1"], 3, &["1 is no number of a queue pair", "rdma resource show qp"]);
    // A joined pair's flow goes with its pair, and its profile's percentiles are asked for.
    let flow = joined["flow"].to_string();
    let flow = ["--device", &device, "flow", "remove", &flow];
    let before = json(&["info"])["counters"]["csr_errors"].clone();
    place.refused(&flow, 3, &["is a queue pair's", "pairs remove ADDRESS QP"]);
    refused(&["flow", "add", "--to", "10.0.0.2", "--mac", "02:00:00:00:00:02"], 3, &["its queue pairs'", "pairs join ADDRESS QP"]);
    assert_eq!(json(&["info"])["counters"]["csr_errors"], before, "the device was asked");
    let told = place.json(&["--device", &device, "telemetry", flow[4]]);
    // Those of all profiles that are set.
    assert_eq!((&told["profiles"][0]["profile"], told["profiles"].as_array().map(Vec::len)), (&0.into(), Some(3)), "{told}");
    // All that have a pair, of whom no list is kept: 0x23's and 0x24's.
    let listed = || json(&["telemetry"])["flows"].as_array().expect("flows").iter().map(|f| f["flow"].clone()).collect::<Vec<_>>();
    assert!(listed().len() == 2 && listed().contains(&joined["flow"]), "{:?}", listed());
    assert_eq!(json(&["info"])["flows_in_use"], 2);
    assert_eq!(json(&["pairs", "remove", "10.0.0.2", "0x23"])["flow"], joined["flow"]);
    assert!(listed().len() == 1 && !listed().contains(&joined["flow"]), "{:?}", listed());
    refused(&["pairs", "remove", "10.0.0.2", "0x23"], 3, &["35 at 10.0.0.2", "nothing was removed"]);
    let told = json(&["pairs", "show"]);
    assert_eq!((&told["set"], &told["removed"]), (&2.into(), &1.into()), "{told}");
    json(&["disable"]);
    let told = json(&["pairs", "setup"]);
    let enabled = json(&["info"])["enabled"].clone();
    assert!(told["note"].as_str().is_some_and(|n| n.starts_with("flows are stopped")) && enabled == false, "{told}");
    // A reset leaves nothing of it, though none reaches this board's registers.
    json(&["pairs", "rules", "profile=0"]);
    json(&["reset"]);
    let reset = json(&["pairs", "show"]);
    assert_eq!(
        (&reset["in_use"], &reset["rules"], &reset["host_timeout_us"]),
        (&false.into(), &serde_json::json!([]), &0.into()),
        "{reset}"
    );
    json(&["profile", "set", "0", "timely-10g", "least=81.58Mbps"]);
    json(&["pairs", "setup"]);
    json(&["pairs", "stop"]);
    let stopped = json(&["pairs", "show"]);
    assert_eq!((&stopped["in_use"], &stopped["notify"]), (&false.into(), &false.into()), "{stopped}");
}

/// Rules of pairs that are learned: shown as they were given, in their order, and replaced whole.
fn rules(json: &impl Fn(&[&'static str]) -> Value, refused: &impl Fn(&[&'static str], i32, &[&str])) {
    const RULES: [&str; 4] =
        ["to=10.1.0.0/16,dscp=26,profile=0,priority=4", "to=fd00::/8,profile=0", "dscp=0,profile=0,priority=0", "to=0.0.0.0/0,profile=0"];
    let with = |words: &[&'static str]| json(&[&["pairs", "rules"], words].concat());
    assert_eq!(with(&[]), serde_json::json!([]));
    let expected = serde_json::json!([
        {"to": "10.1.0.0/16", "dscp": 26, "profile": 0, "priority": 4},
        {"to": "fd00::/8", "dscp": null, "profile": 0, "priority": 3},
        {"to": null, "dscp": 0, "profile": 0, "priority": 0},
        {"to": "0.0.0.0/0", "dscp": null, "profile": 0, "priority": 3},
    ]);
    assert_eq!(with(&RULES), expected);
    assert_eq!((with(&[]), json(&["pairs", "show"])["rules"].clone()), (expected.clone(), expected.clone()));
    // What is refused changes nothing.
    refused(&["pairs", "rules", "profile=7"], 3, &["profile 7 is unset", "profile set 7 timely-10g least=81.58Mbps` first"]);
    json(&["profile", "set", "7", "timely-10g", "least=81.58Mbps"]);
    assert_eq!(with(&["profile=7"]).as_array().map(Vec::len), Some(1), "the advice is enough");
    assert_eq!(with(&RULES), expected);
    refused(&["pairs", "rules", "dscp=1"], 2, &["dscp=1", "the profile at least"]);
    refused(&["pairs", "rules", "profile=0,to=10.0.0.0/40"], 2, &["10.0.0.0/40", "address/bits"]);
    refused(&[&["pairs", "rules"][..], &["profile=0"; 17]].concat(), 3, &["17 rules are too many", "16 at most"]);
    refused(&["pairs", "rules", "--none", "profile=0"], 2, &["--none"]);
    assert_eq!(with(&[]), expected);
    assert_eq!(with(&["profile=0"]).as_array().map(Vec::len), Some(1));
    assert_eq!(with(&["--none"]), serde_json::json!([]));
}

#[test]
fn a_nic_without_a_table_refuses() {
    let place = Place::new();
    let (_wire, device) = wire(&place, false);
    let _daemon = place.listening(&device);
    for words in [
        &["pairs", "show"][..],
        &["pairs", "setup"],
        &["pairs", "rules"],
        &["pairs", "rules", "profile=0"],
        &["pairs", "stop"],
        &["pairs", "join", "10.0.0.2", "5"],
        &["pairs", "remove", "10.0.0.2", "5"],
    ] {
        place.refused(
            &[&["--device", device.as_str()][..], words].concat(),
            3,
            &["no table of queue pairs", "emit --shell opennic --roce"],
        );
    }
}
