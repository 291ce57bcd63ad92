//! The programs on cards of other shells: where they find our registers, and what they say when
//! they do not.
use super::Place;

const ADDRESSES: [&str; 8] = ["port", "set", "--mac", "02:74:6e:00:00:00", "--ipv4", "11.0.0.1", "--allow", "11.0.0.0/8"];
const PEER: [&str; 4] = ["--to", "11.0.1.1", "--mac", "02:74:6e:00:00:01"];

fn on<'a>(device: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    [&["--device", device][..], words].concat()
}

/// Application found by Corundum's list, registers in BAR 2, DMA; no interrupts of ours and no
/// reset.
#[test]
fn a_corundum_board_is_driven_as_any_other() {
    let place = Place::new();
    let (_server, device) = place.serve_behind("corundum");
    let info = place.json(&on(&device, &["info"]));
    assert_eq!((&info["board"], &info["bar"], &info["flows"]), (&"corundum".into(), &2.into(), &64.into()), "{info}");
    place.said(&on(&device, &ADDRESSES));
    place.said(&on(&device, &["profile", "set", "0", "timely-10g", "--base-rtt", "15us"]));
    place.said(&on(&device, &[&["flow", "add", "5"][..], &PEER].concat()));
    let file = place.path("events.csv");
    place.said(&on(&device, &["events", "--count", "20", "--out", file.to_str().expect("a path")]));
    assert_eq!(std::fs::read_to_string(&file).expect("a file").lines().count(), 21, "a head and 20 records");
    assert_eq!(place.json(&on(&device, &["flow", "list"]))[0]["flow"], 5);
    let text = place.said(&on(&device, &["selftest"]));
    for line in ["1234:1001", "flows in bulk      64 flows", "left out: no interrupts", "left out: no reset", "flows were kept"] {
        assert!(text.contains(line), "{text}: {line}");
    }
}

/// Packets are asked for as far ahead as the host's memory needs, caps cover that, and flows that
/// could not have their rate are refused.
#[test]
fn corundum_is_asked_ahead_by_what_its_dma_takes() {
    let place = Place::new();
    let (_server, device) = place.serve_behind("corundum");
    let set = |more: &[&'static str]| [&["--device", &device][..], &ADDRESSES, &["--line", "25Gbps"], more].concat();
    let read = |register: &str| place.json(&on(&device, &["reg", "read", register]))["value"].as_u64().expect("a value");
    let cap = |profile: &str| place.json(&on(&device, &["profile", "show", profile]))["fields"]["token_cap"].as_u64().expect("a cap");
    let text = place.said(&set(&["--dma", "2us"]));
    // By hand, at 64 bits: 2 and 3 us ahead; 2, 3 and 5 us at 3.125 bytes a ns.
    for line in ["2us; LEAD is 5us", "at 25Gbps 31250 bytes"] {
        assert!(text.contains(line), "{text}: {line}");
    }
    assert_eq!(read("time.LEAD"), 5000);
    place.said(&on(&device, &["profile", "set", "0", "timely-25g", "--base-rtt", "15us"]));
    place.said(&on(&device, &["profile", "set", "1", "timely-25g", "--base-rtt", "15us", "cap=3036B"]));
    assert_eq!((cap("0"), cap("1")), (31_250, 3036));
    let add = |more: &[&'static str]| [&["--device", &device, "flow", "add"][..], &PEER, more].concat();
    place.refused(&add(&["--posted", "--profile", "1"]), 3, &["cap is `3036B`", "31250 bytes or more in profile 1", "25Gbps", "10us"]);
    place.said(&add(&["--posted"]));
    // Flows may send now: a lower LEAD is taken all the same, and caps follow.
    place.said(&set(&["--dma", "1us"]));
    assert_eq!((read("time.LEAD"), read("id.CONTROL"), cap("0")), (4000, 1, 25_000));
    let before = place.json(&on(&device, &["port", "show"]));
    assert_eq!((&before["ahead"]["lead_ns"], &before["ahead"]["line_cap_bytes"]), (&4000.into(), &25_000.into()), "{before}");
    place.refused(&set(&["--dma", "63us"]), 3, &["dma is `63us`", "1ns to 62.53us"]);
    place.said(&on(&device, &["profile", "set", "2", "timely-100g"]));
    place.refused(&set(&["--dma", "40us"]), 3, &["[profile.2]: greatest is `100Gbps`", "at most 97.54Gbps", "1048575 bytes"]);
    assert_eq!(place.json(&on(&device, &["port", "show"])), before);
    // The soft reset removes the flows, here and in the file, and nothing else.
    place.said(&on(&device, &["reset", "--flows"]));
    assert_eq!(place.json(&on(&device, &["flow", "list"])), serde_json::json!([]));
    assert_eq!((place.json(&on(&device, &["port", "show"])), cap("0"), read("id.CONTROL")), (before, 25_000, 1));
    place.said(&add(&["--posted"]));
}

/// A megabyte of BAR 2: blocks, and no doorbells; registers, and no DMA.
#[test]
fn an_opennic_board_says_what_it_has_not() {
    let place = Place::new();
    let (_server, device) = place.serve_behind("opennic");
    let info = place.json(&on(&device, &["info"]));
    assert_eq!(
        (&info["board"], &info["offset"], &info["register_bytes"]),
        (&"opennic".into(), &0x10_0000.into(), &0x10_0000.into()),
        "{info}"
    );
    place.said(&on(&device, &ADDRESSES));
    place.said(&on(&device, &["profile", "set", "0", "timely-10g", "--base-rtt", "15us"]));
    let add = |more: &[&'static str]| [&["flow", "add"][..], &PEER, more].concat();
    place.refused(&on(&device, &add(&[])), 3, &["0x100000 bytes of registers", "doorbells", "--posted"]);
    place.refused(&on(&device, &add(&["--posted", "--profile", "3"])), 3, &["profile 3 is unset"]);
    place.said(&on(&device, &add(&["--posted"])));
    let told = place.json(&on(&device, &["telemetry"]));
    assert_eq!(told["flows"].as_array().map(Vec::len), Some(1), "{told}");
    place.refused(&on(&device, &["flow", "post", "0", "4"]), 3, &["doorbells"]);
    place.refused(&on(&device, &["events", "--count", "1"]), 1, &["the event ring needs DMA", "telemetry --watch`"]);
    place.said(&on(&device, &["reset"]));
    assert_eq!(place.json(&on(&device, &["info"]))["flows_in_use"], 0);
}

/// 64 KiB of BAR 0 a port, above what taxi's own driver uses: the first port's found by the IDs,
/// another's by configuration.
#[test]
fn a_taxi_board_is_driven_as_any_other() {
    let place = Place::new();
    let (_server, device) = place.serve_behind("taxi");
    let info = place.json(&on(&device, &["info"]));
    let found = (&info["board"], &info["bar"], &info["offset"], &info["register_bytes"]);
    assert_eq!(found, (&"taxi".into(), &0.into(), &0x80_0000.into(), &0x1_0000.into()), "{info}");
    place.said(&on(&device, &ADDRESSES));
    place.said(&on(&device, &["profile", "set", "0", "timely-25g", "--base-rtt", "10us"]));
    place.said(&on(&device, &[&["flow", "add", "0"][..], &PEER, &["--posted"]].concat()));
    assert_eq!(place.json(&on(&device, &["telemetry"]))["flows"].as_array().map(Vec::len), Some(1));
    let second = format!("{device},bar=0,offset=0x810000");
    place.refused(&on(&second, &["info"]), 1, &["registers at BAR 0 + 0x810000", "magic word 0x00000000"]);
    place.refused(&on(&device, &["events", "--count", "1"]), 1, &["the event ring needs DMA"]);
}

/// Registers where no table has them: by the command line, by the file, and neither.
#[test]
fn a_netfpga_board_is_found_by_configuration() {
    let place = Place::new();
    let (_server, device) = place.serve_behind("netfpga-plus");
    let names = ["an OpenNIC board", "BAR 2 + 0x100000", "magic word 0x00000000", "not 0x54690001 and 0x544d4c59", "bar=2,offset="];
    place.refused(&on(&device, &["info"]), 1, &names);
    let placed = format!("{device},bar=2,offset=0x110000");
    assert_eq!(place.json(&on(&placed, &["info"]))["offset"], 0x11_0000);
    place.refused(&on(&format!("{device},bar=2,offset=0x110004"), &["info"]), 1, &["registers at BAR 2 + 0x110004", "magic word"]);
    place.refused(&on(&format!("{device},bar=3"), &["info"]), 1, &["BAR 3 is not there"]);
    place.refused(&on(&format!("{device},bar=2,offset=0x3ff800"), &["info"]), 1, &["BAR 2 has 0x400000 bytes", "0x1000 from 0x3ff800"]);
    place.refused(&on(&format!("{device},bar=9"), &["info"]), 2, &["bar=9", "0 to 5"]);
    let target: timely_driver::target::Target = device.parse().expect("a device");
    let file = place.path("state/timely").join(format!("{}.toml", target.slug()));
    std::fs::write(&file, "[device]\nbar = 2\noffset = 0x110000\n").expect("written");
    assert_eq!(place.json(&on(&device, &["info"]))["offset"], 0x11_0000);
    place.said(&on(&device, &ADDRESSES));
    assert_eq!(place.json(&on(&device, &["port", "show"]))["spec"]["ipv4"], "11.0.0.1");
    place.said(&on(&device, &["reset"]));
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("[device]") && text.contains("offset = 1114112") && !text.contains("[port]"), "{text}");
    std::fs::write(&file, "[device]\nbar = 7\n").expect("written");
    place.refused(&on(&device, &["info"]), 1, &[":1:", "bar=7", "0 to 5"]);
}

#[test]
fn a_card_that_is_not_there_has_no_bar_in_sysfs() {
    let place = Place::new();
    let names = ["there is no PCI device 10000:ff:1f.7", "timelyctl list"];
    place.refused(&on("sysfs:10000:ff:1f.7,bar=2", &["info"]), 1, &names);
    place.refused(&on("sysfs:eth0", &["info"]), 2, &["sysfs:eth0", "sysfs:0000:03:00.0"]);
    let text = String::from_utf8(place.ctl(&on("sysfs:10000:ff:1f.7", &["doctor"])).stdout).expect("text");
    assert!(text.contains("WRONG  device") && text.contains("WRONG  opening"), "{text}");
}

#[test]
fn a_file_that_is_no_character_device_is_refused() {
    let place = Place::new();
    let file = place.path("mqnic0");
    let path = file.to_str().expect("a path");
    place.refused(&on(path, &["info"]), 1, &[path, "modprobe mqnic"]);
    std::fs::write(&file, "").expect("a file");
    place.refused(&on(path, &["info"]), 1, &[path, "does not answer as Corundum's driver does", "timelyctl list"]);
    let text = String::from_utf8(place.ctl(&on(path, &["doctor"])).stdout).expect("text");
    assert!(text.contains("ok     permission") && text.contains("WRONG  opening"), "{text}");
}
