//! A new user, and what they get wrong.
use super::{LIMIT, Place};
use std::time::Instant;

const SIM: [&str; 2] = ["--device", "sim:model"];

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&SIM[..], words].concat()
}

#[test]
fn a_new_user_gets_from_nothing_to_round_trips() {
    let place = Place::new();
    place.refused(&with(&["sim", "stop"]), 1, &["no simulated NIC runs", "any command with --device sim starts one"]);
    let text = place.said(&with(&["info"]));
    // With the model's pair alone, the Verilog's cannot be ended.
    place.refused(
        &["--device", "sim", "sim", "stop"],
        1,
        &["no simulated NIC runs as sim,", "`timelyctl --device sim:model sim stop` ends it"],
    );
    assert!(text.contains("0 of 1024 in use") && text.contains("11.0.0.1"), "{text}");
    assert_eq!(place.json(&with(&["flow", "add"]))["flow"], 0);
    // What README shows has the columns of today.
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let readme: Vec<String> = include_str!("../../../README.md").lines().map(line).collect();
    for words in [["flow", "list"].as_slice(), &["telemetry"]] {
        let head = place.said(&with(words)).lines().next().map(line).unwrap_or_default();
        assert!(readme.contains(&head), "README has not {head:?}");
    }
    let profiles = line(&format!("profiles {} written and read back", timely_regs::parameters::NAMES.len()));
    assert!(readme.contains(&profiles), "README has not {profiles:?}");
    let start = Instant::now();
    loop {
        let told = place.json(&with(&["telemetry"]));
        if told["flows"][0]["samples"].as_u64() > Some(10) {
            assert!(told["flows"][0]["rtt_min_ns"].as_u64() > Some(10_000), "{told}");
            assert!(told["profiles"][0]["mean_ns"].as_f64() >= told["flows"][0]["rtt_min_ns"].as_f64(), "{told}");
            break;
        }
        assert!(start.elapsed() < LIMIT, "{told}");
    }
    let text = place.said(&with(&["top", "--frames", "2", "--interval", "50ms"]));
    assert!(text.contains("1 flow in use") && text.contains("11.0.1.1") && text.contains("profile  0:"), "{text}");
    let file = place.path("events.csv");
    place.said(&with(&["events", "--count", "20", "--out", file.to_str().expect("a path")]));
    assert_eq!(std::fs::read_to_string(&file).expect("a file").lines().count(), 21, "a head and 20 records");
    for verb in [&["port", "show"][..], &["profile", "list"], &["profile", "show", "0"], &["flow", "list"], &["reg", "read", "id.STATUS"]] {
        place.json(&with(verb));
    }
    place.json(&with(&["clock"]));
    place.said(&with(&["flow", "remove", "0"]));
    assert!(place.json(&with(&["sim", "stop"]))["ended"].as_u64() > Some(0));
}

#[test]
fn what_is_refused_says_value_range_and_next_step() {
    let place = Place::new();
    place.said(&with(&["flow", "add", "3"]));
    let refusals: &[(&[&str], &[&str])] = &[
        (&["flow", "add", "3"], &["flow 3 is in use", "flow set"]),
        (&["flow", "add", "1024"], &["flow 1024", "0 to 1023"]),
        (&["flow", "add", "--profile", "16"], &["16", "0 to 15"]),
        (&["flow", "add", "--profile", "5"], &["profile 5 is unset", "`timelyctl --device sim:model profile set 5 timely-10g` first"]),
        (&["flow", "set", "3", "--profile", "5"], &["profile 5 is unset"]),
        (&["flow", "add", "--rate", "5Gbps"], &["5Gbps", "profile set"]),
        (&["flow", "add", "--packet-bytes", "1024", "--segment-packets", "64"], &["segment_packets is `64`", "1 to 57", "65536"]),
        (&["flow", "add", "--mac", "02:00"], &["02:00"]),
        (&["flow", "remove", "5"], &["flow 5 is not in use", "flow list"]),
        (&["flow", "post", "3", "0"], &["packets is 0", "1 to 65535"]),
        (&["flow", "post", "3", "65535"], &["flow 3", "65535 more packets", "fewer than 65280", "wait until"]),
        (&["telemetry", "70000"], &["flow 70000", "0 to 1023"]),
        (&["telemetry", "3", "77"], &["flow 77 is not in use", "flow list"]),
        (&["profile", "show", "16"], &["profile is 16", "0 to 15"]),
        (&["profile", "set", "0", "timely-11g"], &["timely-11g", "timely-10g"]),
        (&["profile", "set", "0", "timely-10g", "t_low=900s"], &["t_low is `900000000us`", "0us to 200us"]),
        (&["profile", "set", "0", "timely-10g", "tlow=9us"], &["tlow", "t_low"]),
        (&["profile", "set", "0", "timely-10g", "outstanding=1000B"], &["[flow.3]", "1000 wire bytes"]),
        (&["profile", "set", "0", "timely-10g", "--line", "10"], &["`10`", "10Gbps"]),
        (&["port", "set", "--mac", "zz"], &["zz"]),
        (&["port", "set", "--mac", "02:74:6e:00:00:00"], &["answer", "allow = [\"10.0.0.0/8\"]", "--allow"]),
        (&["reg", "read", "id.NOTHING"], &["id.NOTHING", "reg list"]),
        (&["reg", "write", "id.MAGIC", "1"], &["id.MAGIC", "read only"]),
        (&["reg", "dump", "nothing"], &["nothing", "reg list"]),
        (&["clock", "--pairs", "1"], &["1 pairs"]),
    ];
    for (words, names) in refusals {
        place.refused(&with(words), 3, names);
    }
    let wrong: &[(&[&str], &[&str])] = &[
        (&["--device", "eth0", "info"], &["eth0", "vfio-user:PATH"]),
        (&["--device", "sim:model", "flow"], &["Usage"]),
        (&["--device", "sim:model", "telemetry", "--watch", "--interval", "7"], &["`7`", "50us"]),
        (&["--device", "sim:model", "events", "--every", "70000"], &["70000", "65535"]),
        (&["--device", "sim:model", "top", "--sort", "colour"], &["colour", "gradient"]),
        (&["completions", "klingon"], &["klingon", "bash"]),
        (&["--device", "sim:model", "flow", "add", "--packet-bytes", "20000"], &["20000", "0 to 16383"]),
    ];
    for (words, names) in wrong {
        place.refused(words, 2, names);
    }
    let nowhere = format!("vfio-user:{}", place.path("nobody").display());
    place.refused(&["--device", &nowhere, "info"], 1, &["nobody", "timely-sim serve"]);
    place.refused(&["--device", "0000:ff:1f.7", "info"], 1, &["0000:ff:1f.7"]);
    place.refused(&with(&["top"]), 1, &["needs a terminal", "--frames 1"]);
    place.said(&with(&["sim", "stop"]));
}

#[test]
fn json_is_printed_or_refused_and_an_empty_device_is_none() {
    let place = Place::new();
    let (_server, device) = place.serve();
    let on = |words: &[&'static str]| [&["--device", device.as_str()][..], words].concat();
    let registers = place.json(&["reg", "list"]);
    let magic = registers.as_array().and_then(|all| all.iter().find(|r| r["register"] == "id.MAGIC")).cloned().unwrap_or_default();
    assert_eq!((&magic["count"], magic["meaning"].is_string()), (&1.into(), true), "{magic}");
    let report = place.json(&on(&["selftest"]));
    assert!(report["device"] == device.as_str() && report["steps"][0]["found"].is_string(), "{report}");
    let packets = report["steps"].as_array().into_iter().flatten().find(|s| s["step"] == "packets").cloned().unwrap_or_default();
    assert!(packets["found"].as_str().is_some_and(|f| f.contains("nothing was answered, for the test has no peer")), "{report}");
    assert_eq!(place.json(&on(&["flow", "list"])), serde_json::json!([]), "the self-test left a flow");
    // Its own snapshots of the flows are not what is asked for.
    assert_eq!(place.json(&on(&["info"]))["dma_running"], false);
    assert_eq!(place.json(&on(&["reset", "--flows"])), serde_json::json!({"reset": "flows"}));
    assert_eq!(place.json(&on(&["reset"])), serde_json::json!({"reset": true}));
    let port = place.json(&on(&["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00"]));
    assert_eq!((&port, port["spec"]["udp_port"].as_u64()), (&place.json(&on(&["port", "show"])), Some(21609)));
    let fields = ["pause", "ack_priority", "store_waits"];
    assert!(fields.iter().all(|f| port["spec"].get(f).is_none()), "{port}: left out as they are by themselves");
    let flags = ["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00", "--pause", "--ack-priority", "5", "--store-waits"];
    let port = place.json(&on(&flags));
    let set = fields.map(|f| port["spec"][f].clone());
    assert_eq!(serde_json::json!(set), serde_json::json!([true, 5, true]), "{port}");
    assert_eq!(port, place.json(&on(&["port", "show"])));
    // Bit 0 obeys, the priority is above it.
    for (register, value) in [("port.PAUSE", 0xb), ("port.STORE_WAIT", 1)] {
        assert_eq!(place.json(&on(&["reg", "read", register]))["value"], value, "{register}");
    }
    let shown = place.said(&on(&["port", "show"]));
    assert!(shown.contains("obeyed; ACKs have priority 5") && shown.contains("the host waits"), "{shown}");
    let wrong = ["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00", "--ack-priority", "8"];
    place.refused(&on(&wrong), 3, &["ack_priority is `8`; it must be 0 to 7"]);
    // What is taken and would not be as it reads.
    let note = |words: &[&'static str]| place.json(&on(words))["note"].as_str().unwrap_or_default().to_owned();
    assert!(note(&["profile", "set", "1", "timely-10g", "--line", "1Tbps"]).contains("a flow have 1Tbps, and the port's line is 10Gbps"));
    assert_eq!(note(&["profile", "set", "1", "timely-10g"]), "");
    const FLOW: [&str; 8] = ["flow", "add", "--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01", "--posted", "--profile"];
    note(&["profile", "set", "6", "dcqcn-10g"]);
    let told = note(&[&FLOW[..], &["6"]].concat());
    assert!(told.contains("flow 0 follows DCQCN (profile 6) and has tos 0x00") && told.contains("--tos 0x02"), "{told}");
    assert_eq!(note(&[&FLOW[..], &["6", "--tos", "2"]].concat()), "");
    assert!(note(&["profile", "set", "6", "dcqcn-25g"]).contains("flow 0 follows DCQCN"));
    let port = ["port", "set", "--no-answer", "--mac", "02:74:6e:00:00:00", "--line"];
    assert!(note(&[&port[..], &["10Gbps"]].concat()).contains("profile 6 lets a flow have 25Gbps"));
    assert_eq!(note(&[&port[..], &["25Gbps"]].concat()), "");
    place.refused(&on(&["--json", "top"]), 2, &["no JSON", "telemetry --watch"]);
    place.refused(&on(&["--json", "events"]), 2, &["CSV", "--out"]);
    place.refused(&on(&["profile", "set", "0", "timely-10g", "--base-rtt", "-5us"]), 3, &["base_rtt", "`-5us` is no time"]);
    let out = place.program(env!("CARGO_BIN_EXE_timelyctl"), &["reg", "list"]).env("TIMELY_DEVICE", "").output().expect("started");
    assert!(out.status.success(), "{out:?}");
    let out = place.program(env!("CARGO_BIN_EXE_timelyctl"), &["reg", "list"]).env("TIMELY_DEVICE", "eth0").output().expect("started");
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn completions_and_man_pages_are_made() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = place.said(&["completions", shell]);
        assert!(text.contains("timelyctl") && text.contains("telemetry"), "{shell}: {text}");
    }
    let folder = place.path("man");
    std::fs::create_dir(&folder).expect("a folder");
    place.said(&["man", folder.to_str().expect("a path")]);
    let page = std::fs::read_to_string(folder.join("timelyctl-flow-add.1")).expect("a page of a verb's verb");
    assert!(page.contains("packet\\-bytes") || page.contains("packet-bytes"), "{page}");
    assert!(folder.join("timelyctl.1").exists());
    // The daemon has no verbs, so its page is an option's, and a device is not asked for.
    let daemon = |folder: &std::path::Path| {
        let mut c = place.program(env!("CARGO_BIN_EXE_timelyd"), &["--man", folder.to_str().expect("a path")]);
        c.output().expect("started")
    };
    assert!(daemon(&folder).status.success());
    // Nor is one that a shell exports in its way.
    let mut c = place.program(env!("CARGO_BIN_EXE_timelyd"), &["--man", folder.to_str().expect("a path")]);
    let out = c.env("TIMELY_DEVICE", "sim:model").output().expect("started");
    assert!(out.status.success(), "{out:?}");
    let page = std::fs::read_to_string(folder.join("timelyd.1")).expect("a page");
    assert!(page.contains("heartbeat") && page.contains("EXIT CODES"), "{page}");
    let out = daemon(std::path::Path::new("/proc/nothing"));
    assert!(out.status.code() == Some(1) && String::from_utf8_lossy(&out.stderr).contains("give a folder that can be written"), "{out:?}");
    place.refused(&["man", "/proc/nothing"], 1, &["/proc/nothing", "give a folder"]);
}
