//! `timely-sim pacing` in its quick form: that everything runs, and that what is promised of its
//! output holds. Its times are no figures.
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_timely-sim"))
}

// One for each test: they run at once.
fn scratch(of: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("timely-pacing-{of}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

#[test]
fn pacers_are_measured_or_say_why_not() {
    let out = scratch("measured");
    let done = program().args(["pacing", "--quick", "--json", "--out"]).arg(&out).output().expect("it starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let all: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let number = |v: &Value, what: &str| v.as_f64().unwrap_or_else(|| panic!("no {what} in {v}"));
    // Stdout past the test's capture: a log of tests shows where packets went.
    let say = |what: String| writeln!(std::io::stdout(), "{what}").expect("stdout");
    say(format!("pacing was measured over {}", all["site"].as_str().expect("a site")));
    if let Some(why) = all["left_out"].as_str() {
        say(format!("pacing: left out: {why}"));
    }
    assert!(number(&all["noise_floor_ns"], "noise floor") > 0.0);
    assert!(number(&all["stamping"]["received"], "stamps") > 0.0);
    let pacers = all["pacers"].as_array().expect("pacers");
    for p in pacers {
        let name = p["name"].as_str().expect("a name");
        assert!(["rtl", "kernel", "user"].contains(&p["where"].as_str().expect("a place")), "{p}");
        if let Some(why) = p["refused"].as_str() {
            say(format!("pacing: {name} was refused: {why}"));
            let of_the_kernel = ["fq", "fq-frame", "fq-txtime", "etf-20us", "etf-200us", "tcp", "tcp-fq"].contains(&name);
            // A load lasts 50 to 100 ms, for all of which a sender may be held off its core.
            assert!((of_the_kernel || p["received"] == 0) && why.len() > 20, "{name}: {why}");
            continue;
        }
        for q in ["p50", "p99", "p999", "max"] {
            assert!(number(&p["error_ns"][q], q) >= 0.0, "{p}");
        }
        for figure in ["burst_bytes_100us", "cpu_s_per_gbit", "cpu_s_per_mpacket", "sent", "received"] {
            assert!(number(&p[figure], figure) >= 0.0, "{p}");
        }
        // Packets that arrived were sent; a packet may be lost where a receiver has to share its
        // core.
        let (sent, received) = (number(&p["sent"], "sent"), number(&p["received"], "received"));
        println!("{name:12} {:5} flows, bursts of {:2}: {received} of {sent} packets", p["flows"], p["burst"]);
        assert!(received <= sent && received > 0.0, "nothing arrived, and no reason is told: {p}");
    }
    let arrived = |p: &&Value| p["where"] != "rtl" && p["received"].as_f64() > Some(0.0);
    assert!(pacers.iter().any(|p| arrived(&p)), "of software nothing arrived at all");
    let software =
        ["sleep", "wheel-0.5us", "wheel-2us", "xdp", "fq", "fq-frame", "fq-txtime", "etf-20us", "etf-200us", "tcp", "tcp-fq", "hybrid"];
    for name in ["rtl", "rtl-gate", "rtl-dma"].into_iter().chain(software) {
        assert!(pacers.iter().any(|p| p["name"] == name), "no {name}");
    }
    // The hardware's errors are in clocks, whatever else the machine does: one for a flow alone,
    // and those of a shared link for many.
    let clock = 4.0;
    for p in pacers.iter().filter(|p| p["name"] == "rtl") {
        if p["flows"] == 1 {
            assert!(number(&p["error_ns"]["max"], "error") <= clock && number(&p["rate_error_ppm"], "rate").abs() <= 1.0, "{p}");
        } else {
            assert!(number(&p["fifo"]["excess_ns"]["p99"], "excess") <= 123.0, "{p}");
        }
    }
    // Data come 100 to 400 clocks after a grant, by which alone packets are late; behind the launch
    // gate, which a grant reaches that long before, by none.
    let of = |name: &str, q: &str| {
        let row = pacers.iter().find(|p| p["name"] == name && p["flows"] == 1).unwrap_or_else(|| panic!("no {name}"));
        number(&row["error_ns"][q], q)
    };
    assert_eq!(of("rtl-gate", "max"), 0.0);
    assert!(of("rtl-dma", "p50") >= 100.0 * clock && of("rtl-dma", "max") <= 401.0 * clock, "{}", of("rtl-dma", "max"));
    std::fs::remove_dir_all(out).expect("removed");
}

#[test]
fn wrong_namespaces_are_refused() {
    let error = |arguments: &[&str]| {
        let done = program().arg("pacing").args(arguments).output().expect("it starts");
        assert!(!done.status.success());
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let named = error(&["--from", "no-such-namespace:eth1", "--to", "rx", "--address", "192.0.2.2"]);
    assert!(named.contains("no-such-namespace") && named.contains("ip netns add"), "{named}");
    assert!(error(&["--from", "tx", "--to", "rx", "--address", "192.0.2.2"]).contains("such as tx:eth1"));
    assert!(error(&["--from", "tx:eth1"]).contains("--to"));
}

#[test]
fn a_file_that_is_no_measurement_is_refused() {
    let dir = scratch("refused");
    std::fs::create_dir_all(&dir).expect("a folder");
    let file = dir.join("software.json");
    std::fs::write(&file, "{}").expect("written");
    let done = program().args(["pacing", "--software-from"]).arg(&file).arg("--out").arg(&dir).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && said.contains("give a file that `timely-sim pacing --software-to` wrote"), "{said}");
    std::fs::remove_dir_all(dir).expect("removed");
}
