//! The keys of JSON that docs/json.md promises, against what commands print.
use super::{LIMIT, Place, follow, pairs, traffic};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use timely_driver::clock::{Pair, fit};
use timely_driver::report::ClockReport;

/// Objects whose keys are names of registers' fields, counters or parameters.
const NAMED: [&str; 4] = ["counters", "fields", "settings", "set"];

/// The paths of a value's leaves: `flows[].rate_mbps`.
fn leaves(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) if map.is_empty() => {}
        Value::Object(_) if path.rsplit(['.', ']']).next().is_some_and(|last| NAMED.contains(&last)) => {
            all.insert(format!("{path}.NAME"));
        }
        Value::Object(map) => {
            for (key, value) in map {
                leaves(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, all);
            }
        }
        Value::Array(list) if list.first().is_none_or(|v| v.is_object() || v.is_array()) => {
            list.iter().for_each(|v| leaves(v, &format!("{path}[]"), all));
        }
        _ => {
            all.insert(path.into());
        }
    }
}

/// The keys of some values; one that is null here and an object there has those of the object.
fn keys(values: &[Value]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    values.iter().for_each(|v| leaves(v, "", &mut all));
    let inner = |key: &String| all.iter().any(|other| other.starts_with(&format!("{key}.")));
    all.iter().filter(|key| !inner(key)).cloned().collect()
}

/// Keys that the page lists, by the command of each section.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in include_str!("../../../docs/json.md").lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim_matches('`').into();
        } else if let Some(row) = line.strip_prefix("| `") {
            all.entry(section.clone()).or_default().insert(row.split('`').next().unwrap_or_default().into());
        }
    }
    all
}

/// Every optional field of a port, a profile and a flow.
const PORT: &str = "port set --mac 02:74:6e:00:00:00 --ipv4 11.0.0.1 --prefix4 8 --ipv6 fd00::1 --vlan 7 --line 10Gbps --ack-share 50 \
                    --pause --ack-priority 5 --store-waits --dma 2us --allow 11.0.0.0/8";
const FLOW: &str = "flow add --to 11.0.1.1 --mac 02:74:6e:00:00:01 --profile 2 --vlan 7 --rate 1Gbps";

fn elements(list: Value) -> Vec<Value> {
    list.as_array().cloned().expect("a list")
}

#[test]
fn the_page_lists_the_keys_of_every_command() {
    let mut printed: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut put = |section: &'static str, value: Value| printed.entry(section).or_default().push(value);
    let words = |device: &str, line: &str| -> Vec<String> {
        ["--device", device].into_iter().chain(line.split_ascii_whitespace()).map(String::from).collect()
    };
    let json = |place: &Place, device: &str, line: &str| place.json(&words(device, line).iter().map(String::as_str).collect::<Vec<_>>());

    // Corundum's port has `dma`, and says how far ahead it asks.
    let place = Place::new();
    let (_server, device) = place.serve_behind("corundum");
    let on = |line: &str| json(&place, &device, line);
    on("profile set 1 timely-10g --base-rtt 20us --line 25Gbps beta=0.5");
    put("port show", on(PORT));
    put("port show", on("port show"));
    put("profile show", on("profile set 1 timely-10g --base-rtt 20us --line 25Gbps beta=0.5"));
    elements(on("profile list")).into_iter().for_each(|p| put("profile show", p));
    on("profile set 2 fixed --line 25Gbps");
    on("disable");
    put("flow add", on(FLOW));
    elements(on("flow list")).into_iter().for_each(|f| put("flow add", f));
    let shown = on("flow show 0");
    assert_eq!(shown.as_object().map(|o| o.len()), Some(2), "{shown}");
    put("flow add", shown["configured"].clone());
    put("telemetry", shown["telemetry"].clone());

    let place = Place::new();
    let (_server, device) = place.serve();
    let on = |line: &str| json(&place, &device, line);
    put("info", on("info"));
    on("port set --mac 02:74:6e:00:00:00 --ipv4 11.0.0.1 --allow 11.0.0.0/8");
    on("profile set 0 timely-10g");
    on("flow add --to 11.0.1.1 --mac 02:74:6e:00:00:01");
    let start = Instant::now();
    while on("telemetry")["flows"][0]["rtt_min_ns"].is_null() {
        assert!(start.elapsed() < LIMIT, "no round trip");
    }
    put("telemetry", on("telemetry"));
    let file = place.path("events.csv");
    put("events", on(&format!("events --count 1 --out {}", file.display())));
    put("reg read", on("reg read id.STATUS"));
    elements(on("reg dump id")).into_iter().for_each(|r| put("reg read", r));
    elements(on("reg list")).into_iter().for_each(|r| put("reg list", r));
    elements(on("doctor")).into_iter().for_each(|c| put("doctor", c));
    put("selftest", on("selftest"));
    let pair =
        |i: u64| Pair { before_ns: 1000 * i, nic_ns: (1000 * i + if i < 50 { 0 } else { 1_000_000 }) as f64, after_ns: 1000 * i + 10 };
    let clock = ClockReport { time_ns: 0, fit: fit(&(0..100).map(pair).collect::<Vec<_>>()) };
    put("clock", on("clock --pairs 8"));
    put("clock", serde_json::to_value(clock).expect("plain numbers"));

    let place = Place::new();
    let (_wire, device) = pairs::wire(&place, true);
    let _daemon = place.listening(&device);
    let on = |line: &str| json(&place, &device, line);
    on("profile set 0 timely-10g least=82Mbps");
    on("disable");
    put("pairs show", on("pairs setup --rule dscp=26,profile=0"));
    put("pairs rules", on("pairs rules"));
    put("pairs show", on("pairs show"));
    put("pairs join", on("pairs join 10.0.0.2 0x23 --local 0x11"));
    put("pairs list", on("pairs list"));
    follow::events(&place, &device).into_iter().for_each(|e| put("pairs follow", e));

    let place = Place::new();
    let (receiver, at, _said) = traffic::receiver(&place, &["127.0.0.1", "--answer", "--count", "5"]);
    let port = at.port().to_string();
    put("send", place.json(&["send", "127.0.0.1", "--port", &port, "--count", "5", "--rate", "50Mbps", "--patience", "60s"]));
    put("recv", traffic::ended(receiver));

    let printed: BTreeMap<String, BTreeSet<String>> = printed.iter().map(|(section, values)| ((*section).into(), keys(values))).collect();
    for (section, keys) in &printed {
        println!("## `{section}`\n{}", keys.iter().map(|k| format!("| `{k}` |\n")).collect::<String>());
    }
    assert_eq!(documented(), printed, "docs/json.md, commands");
}
