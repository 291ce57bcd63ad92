//! The program as a user runs it: where what it says cannot be written, and what it says then.
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SCENARIO: &str = "name = \"small\"\nduration_ms = 1\n[topology]\nhosts = 3\n[[flow]]\nfrom = [0, 1]\nto = 2\n";

/// A folder of its own with a small scenario in it, which is removed with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("timely-program-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a folder for the test");
        std::fs::write(dir.join("a.toml"), SCENARIO).expect("written");
        Place(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program with these words behind its name, in this folder.
    fn program(&self, words: &str) -> Command {
        let mut c = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
        c.args(words.split(' ')).current_dir(&self.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        c
    }

    fn run(&self, words: &str) -> Output {
        self.program(words).output().expect("it starts")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that takes nothing.
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("a device of Linux")
}

/// A pipe without a reader.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn said(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

const SWEEP: &str = "scenario = \"a.toml\"\n[vary]\n\"flow.0.start_us\" = [0, 1]\n";

/// Each command that prints, small.
fn printing(place: &Place) -> Vec<String> {
    std::fs::write(place.path("s.toml"), SWEEP).expect("written");
    let made = place.run("run a.toml --nics model --events e.events");
    assert!(made.status.success(), "{}", said(&made));
    let plain = ["run a.toml", "run a.toml --json", "compare a.toml a.toml", "compare a.toml a.toml --json", "replay e.events"];
    let demo = "demo --quick --nics paced --out demo";
    plain.into_iter().chain([demo, "sweep s.toml --out sweep"]).map(str::to_owned).collect()
}

#[test]
fn nobody_reads() {
    let place = Place::new("nobody");
    for words in printing(&place) {
        let o = place.program(&words).stdout(closed()).output().expect("it starts");
        assert!(o.status.success() && !said(&o).contains("panicked"), "{words}: {}", said(&o));
    }
}

#[test]
fn there_is_no_space() {
    let place = Place::new("full");
    for words in printing(&place) {
        let o = place.program(&words).stdout(full()).output().expect("it starts");
        let told = "error: stdout: No space left on device (os error 28); free space there, or send it to another place";
        assert_eq!((o.status.code(), said(&o).lines().last()), (Some(1), Some(told)), "{words}");
    }
    // An error that cannot be told is one all the same; a note that cannot be told is none.
    let code = |words: &str| place.program(words).stderr(full()).output().expect("it starts").status.code();
    assert_eq!((code("run nope"), code("run a.toml --out out")), (Some(1), Some(0)));
}

/// Names in a folder.
fn listed(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("it is there");
    let mut all: Vec<String> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    all.sort();
    all
}

/// Files in `--out` of a run in which no flow has an end, in the order of names.
const WRITTEN: [&str; 8] =
    ["delivered.csv", "flows.csv", "queues.csv", "rates.csv", "report.html", "rtts.csv", "sizes.csv", "summary.json"];

#[test]
fn results_are_written_though_nobody_reads_the_table() {
    let place = Place::new("written");
    for words in ["run a.toml --out out", "compare a.toml a.toml --out out"] {
        for stdout in [closed(), full().into()] {
            place.program(words).stdout(stdout).output().expect("it starts");
            let written: &[&str] = if words.starts_with("run") { &WRITTEN } else { &["report.html", "summary.json"] };
            assert_eq!(listed(&place.path("out")), written, "{words}");
            std::fs::remove_dir_all(place.path("out")).expect("removed");
        }
    }
}

/// Runs of 10^6 ms, which this test would not see the end of.
#[test]
fn what_cannot_be_written_is_known_before_the_run() {
    let place = Place::new("before");
    std::fs::write(place.path("file"), "mine").expect("written");
    std::fs::write(place.path("s.toml"), SWEEP).expect("written");
    let long = "run a.toml --duration-ms 1000000 --nics model";
    let hpcc = "hpcc topology.txt flow.txt --limit-ms 1000000";
    std::fs::write(place.path("topology.txt"), "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n").expect("written");
    std::fs::write(place.path("flow.txt"), "1\n0 1 3 100 100000000000 0\n").expect("written");
    let no_folder = "file: is no folder, or has a file in its path; name a folder, or one that can be made";
    for (words, why) in [
        (format!("{long} --pcap gone/x.pcapng --port 3:2 --out out"), "gone/x.pcapng: there is no folder gone; make it first"),
        (format!("{long} --snapshot gone/x.json"), "gone/x.json: there is no folder gone; make it first"),
        (format!("{long} --events ."), ".: is a folder; name a file"),
        (format!("{long} --events new/"), "new/: is a folder; name a file"),
        (format!("{long} --out file"), no_folder),
        (format!("{hpcc} --out file"), no_folder),
        ("compare a.toml a.toml --out file".into(), no_folder),
        ("demo --out file".into(), no_folder),
        ("pacing --out file".into(), no_folder),
        ("paper sigcomm15 --out file".into(), no_folder),
        ("sweep s.toml --out file".into(), no_folder),
        // Neither an input nor the same file twice, by whatever names.
        (format!("{long} --pcap ./a.toml --port 3:2"), "./a.toml: this command reads it; name another file to write"),
        (format!("{long} --snapshot link"), "link: this command reads it; name another file to write"),
        (format!("{long} --snapshot x --events ./x"), "x and ./x are one file; name two"),
        (format!("{long} --snapshot out/summary.json --out out"), "out/summary.json and out/summary.json are one file; name two"),
    ] {
        if words.contains("link") {
            std::os::unix::fs::symlink("a.toml", place.path("link")).expect("a link");
        }
        let o = place.run(&words);
        assert!(o.status.code() == Some(1) && o.stdout.is_empty(), "{words}: {}", said(&o));
        assert!(said(&o).lines().any(|l| l.starts_with(&format!("error: {why}"))), "{words}: {}", said(&o));
        let _ = std::fs::create_dir(place.path("out"));
    }
    assert_eq!(std::fs::read_to_string(place.path("a.toml")).expect("it is there"), SCENARIO);
    assert_eq!(std::fs::read_to_string(place.path("file")).expect("it is there"), "mine");
    assert_eq!(listed(&place.0), ["a.toml", "file", "flow.txt", "link", "out", "s.toml", "topology.txt"]);
    assert_eq!(listed(&place.path("out")), [""; 0]);
}

/// Outputs that fail at the end, each by itself, take nothing with them; devices and stdout are
/// written as they are.
#[test]
fn outputs_fail_each_by_itself() {
    let place = Place::new("each");
    std::fs::write(place.path("old.json"), "old").expect("written");
    let o = place.run("run a.toml --nics model --pcap /dev/full --port 3:2 --events e --snapshot old.json --out out");
    assert!(o.status.code() == Some(1) && String::from_utf8_lossy(&o.stdout).contains("utilization"), "{}", said(&o));
    let told = "error: /dev/full: No space left on device (os error 28); free space there, or name another file";
    assert!(said(&o).ends_with(&format!("{told}\n")) && said(&o).contains(" event records: e\n"), "{}", said(&o));
    assert_eq!(listed(&place.path("out")), WRITTEN);
    assert_eq!(listed(&place.0), ["a.toml", "e", "old.json", "out"]);
    assert!(std::fs::read_to_string(place.path("old.json")).expect("it is there").starts_with('{'));
    // stdout as a file is not written from its beginning.
    let both = File::create(place.path("both")).expect("made");
    let status = place.program("run a.toml --nics model --snapshot /dev/stdout").stdout(both).status().expect("it starts");
    let text = std::fs::read_to_string(place.path("both")).expect("it is there");
    assert!(status.success() && text.starts_with('{') && text.contains("utilization"), "{text}");
}

/// Message for a file that cannot be read, or a folder that is none: its path, what is wrong, what
/// to do.
#[test]
fn files_that_cannot_be_read_are_told() {
    let place = Place::new("read");
    std::fs::write(place.path("noise"), [b'a', b'\n', 0xff]).expect("written");
    for (words, told) in [
        ("run nope.toml", "nope.toml: No such file or directory (os error 2); check the path"),
        ("run noise", "noise: is no text: byte 2 is not UTF-8; name a text file"),
        ("run .", ".: is no file but a folder; name a file, or a pipe"),
        ("run /dev/zero", "/dev/zero: is no file but a device; name a file, or a pipe"),
        ("compare a.toml a.toml/b.toml", "a.toml/b.toml: Not a directory (os error 20); a folder in its path is a file; check the path"),
        ("hpcc /dev/zero a.toml", "/dev/zero: is no file but a device; name a file, or a pipe"),
        ("sweep /dev/zero", "/dev/zero: is no file but a device; name a file, or a pipe"),
        ("replay /dev/zero", "/dev/zero: is no file but a device; name a file, or a pipe"),
    ] {
        let o = place.run(words);
        assert_eq!((o.status.code(), said(&o)), (Some(1), format!("error: {told}\n")), "{words}");
    }
    // A pipe is read to its end.
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(SCENARIO.as_bytes()).expect("it is short");
    drop(writer);
    let o = place.program("run /dev/stdin").stdin(reader).output().expect("it starts");
    assert!(o.status.success(), "{}", said(&o));
}

/// A negative number is a value of its option, and out of its range.
#[test]
fn numbers_out_of_range_are_told_the_range() {
    let place = Place::new("numbers");
    for (words, told) in [
        ("run a.toml --seed -1", "'-1' for '--seed <SEED>': allowed: 0 to 18446744073709551615"),
        ("hpcc a b --xoff-kb -1", "'-1' for '--xoff-kb <XOFF_KB>': allowed: 0 to 1000000"),
        ("hpcc a b --limit-ms nan", "'nan' for '--limit-ms <LIMIT_MS>': allowed: 0.001 to 1000000"),
        ("hpcc a b --limit-ms 0", "'0' for '--limit-ms <LIMIT_MS>': allowed: 0.001 to 1000000"),
        ("hpcc a b --packet-bytes -1", "'-1' for '--packet-bytes <PACKET_BYTES>': `-1` is no size from 1 to 9000 bytes; write it as 1024"),
        ("hpcc a b --limit-ms 2h", "'2h' for '--limit-ms <LIMIT_MS>': allowed: 0.001 to 1000000"),
        ("run a.toml --seed 0x", "'0x' for '--seed <SEED>': allowed: 0 to 18446744073709551615"),
        ("pacing --from a:b --to c --address localhost", "`localhost` is no IP address; write one of IPv4 or IPv6"),
        ("pacing --scale 0.5", "'0.5' for '--scale <K>': allowed: 1 to 100"),
        ("run a.toml --pcap x --port -1:2", "'-1:2' for '--port <NODE:PORT>': -1:2 is no port"),
        ("sweep a.toml --shard -1/2", "'-1/2' for '--shard <I/N>': -1/2 is no shard"),
        ("serve --socket s --gbps -1", "'-1' for '--gbps <GBPS>': allowed: 0.001 to 1000, or with a unit of bps"),
        ("serve --socket s --gbps 10GBPS", "Bps to TBps (bytes), as 10Gbps"),
        ("hpcc a b --segment-bytes 2Kb", "`2Kb` is no size from 1 to 16777216 bytes"),
        ("fluid timely --flow 7 --step-us 1Gbps", "allowed: 0.01 to 100, or with a unit of ns, us, ms, s, as 50us"),
        ("serve --socket s --idle-exit 18446744073709551615", "'18446744073709551615' for '--idle-exit <SECONDS>'"),
    ] {
        let o = place.run(words);
        assert!(o.status.code() == Some(2) && said(&o).contains(told), "{words}: {}", said(&o));
    }
}

/// Options with a unit in their name take numbers of it, and values that say theirs.
#[test]
fn options_take_units() {
    let place = Place::new("units");
    std::fs::write(place.path("b.toml"), SCENARIO).expect("written");
    let json = |words: &str| {
        let o = place.run(words);
        assert!(o.status.success(), "{words}: {}", said(&o));
        let mut json: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
        json["arms"][0].as_object_mut().expect("an object").remove("seconds");
        json.to_string()
    };
    let half = json("run b.toml --json --seed 16 --duration-ms 0.5");
    for words in ["--seed 0x10 --duration-ms 500us", "--seed 16 --duration-ms 500\u{3bc}s", "--seed 0X10 --duration-ms 5e-4s"] {
        assert_eq!(json(&format!("run b.toml --json {words}")), half);
    }
    // A file's fields take them too.
    let with = |link: &str| std::fs::write(place.path("b.toml"), format!("{SCENARIO}[link]\n{link}\n")).expect("written");
    with("rate_gbps = 4\ndelay_ns = 2000");
    let numbers = json("run b.toml --json");
    with("rate_gbps = \"0.5GBps\"\ndelay_ns = \"2\u{3bc}s\"");
    assert_eq!(json("run b.toml --json"), numbers);
    with("rate_gbps = \"10GBPS\"");
    let told = said(&place.run("run b.toml"));
    assert!(told.contains("link.rate_gbps is \"10GBPS\"; allowed: 0.001 to 800, or with a unit of bps to Tbps (bits)"), "{told}");
}

/// Output of the program on a terminal of so many columns.
fn on_terminal(mut c: Command, columns: u16) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).expect("its size is set");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
    let slave = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
    let mut child = c.stdout(slave.try_clone().expect("a descriptor")).stderr(slave).spawn().expect("it starts");
    // The command keeps the other end open.
    drop(c);
    let (mut text, mut master) = (Vec::new(), File::from(master));
    // The last end that closes is an error of input and output here.
    let _ = master.read_to_end(&mut text);
    assert!(child.wait().expect("it ends").success());
    String::from_utf8(text).expect("text").replace("\r\n", "\n")
}

/// A terminal's escape sequences, left out; whatever bars draw is behind a carriage return.
fn plain(text: &str) -> String {
    let mut pieces = text.split('\x1b');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, p| out + p.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default())
}

/// Whatever the terminal's width, every figure is a word of its own and no line is longer.
#[test]
fn narrow_terminals_break_no_number() {
    let place = Place::new("narrow");
    let table = String::from_utf8(place.run("run a.toml").stdout).expect("text");
    let row: Vec<String> = table.lines().find(|l| l.contains("paced")).expect("a row").split_whitespace().map(String::from).collect();
    assert!(row.len() == 11 && !table.contains('\x1b'), "{table}");
    for columns in [30, 60, 80, 100, 200] {
        let text = plain(&on_terminal(place.program("run a.toml"), columns));
        let lines: Vec<&str> = text.lines().map(|l| l.rsplit('\r').next().unwrap_or_default()).collect();
        assert!(lines.iter().all(|l| l.chars().count() <= columns.into()), "{columns}: {text}");
        let words: Vec<&str> = lines.iter().flat_map(|l| l.split_whitespace()).collect();
        let missing: Vec<&String> = row.iter().filter(|cell| !words.contains(&cell.as_str())).collect();
        assert!(missing.is_empty(), "{columns}: {missing:?} in {text}");
    }
}

#[test]
fn no_colour_and_dumb_terminals_are_respected() {
    let place = Place::new("dumb");
    let shown = |variable: &str, value: &str| {
        let mut c = place.program("run a.toml");
        c.env("TERM", "xterm").env_remove("NO_COLOR").env(variable, value);
        on_terminal(c, 200)
    };
    let bold = "\x1b[1m";
    assert!(shown("TERM", "xterm").contains(bold));
    assert!(!shown("NO_COLOR", "1").contains(bold) && shown("NO_COLOR", "").contains(bold));
    let dumb = shown("TERM", "dumb");
    assert!(!dumb.contains('\x1b'), "{dumb:?}");
}

/// Help as wide as its terminal, and a man page for each command.
#[test]
fn help_is_wrapped_and_man_pages_are_made() {
    let place = Place::new("help");
    let text = on_terminal(place.program("hpcc --help"), 60);
    let long: Vec<&str> = text.lines().filter(|l| plain(l).chars().count() > 60).collect();
    assert!(text.contains("--limit-ms") && long.is_empty(), "{long:?}");
    std::fs::create_dir(place.path("man")).expect("a folder");
    assert!(place.run("man man").status.success());
    for page in ["timely-sim.1", "timely-sim-hpcc.1", "timely-sim-serve.1"] {
        let text = std::fs::read_to_string(place.path("man").join(page)).expect(page);
        assert!(text.contains(".TH") && text.contains("timely"), "{page}: {text}");
    }
    let o = place.run("man nowhere");
    assert!(o.status.code() == Some(1) && said(&o).contains("nowhere: No such file"), "{}", said(&o));
}

/// Where nothing is sent there are no results; where no round trip ended there is no RTT.
#[test]
fn nothing_is_no_result() {
    let place = Place::new("nothing");
    let write = |text: &str| std::fs::write(place.path("b.toml"), format!("{SCENARIO}{text}")).expect("written");
    write("start_us = 5000\n");
    let o = place.run("run b.toml");
    let told = "note: b.toml:8: flow.start_us is 5000, and the run ends at 1000: nothing of it is sent\n\
                error: no flow starts before the run's end at 1000 us, the first at 5000 us; let it start earlier, or run for longer\n";
    assert_eq!((o.status.code(), said(&o).as_str()), (Some(1), told));
    // The run is over before the first ACK.
    write("start_us = 999\n");
    let o = place.run("run b.toml --json");
    let json: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
    assert!(json["arms"][0]["rtt_us"]["mean"].is_null() && json["arms"][0]["rtt_measured_us"]["p99"].is_null(), "{json}");
    let table = String::from_utf8(place.run("run b.toml").stdout).expect("text");
    let row: Vec<&str> = table.lines().find(|l| l.contains("paced")).expect("a row").split_whitespace().collect();
    assert_eq!(row[4..7], ["-"; 3], "{table}");
}

// Rows of a file of comma-separated values, by the names of its first line.
fn rows(path: &Path) -> Vec<std::collections::BTreeMap<String, f64>> {
    let text = std::fs::read_to_string(path).expect("it is there");
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().expect("heads").split(',').collect();
    let row = |l: &str| {
        let cells: Vec<&str> = l.split(',').collect();
        assert_eq!(cells.len(), heads.len(), "{}: {l}", path.display());
        heads.iter().zip(cells).map(|(h, c)| ((*h).to_owned(), c.parse().unwrap_or(f64::NAN))).collect()
    };
    lines.map(row).collect()
}

/// Totals of the files equal what was sent and the summary, on NICs with clocks and on the fabric.
#[test]
fn series_are_what_the_figures_are_of() {
    let place = Place::new("series");
    let flows = "watch = [\"4:3\", \"4:0\", \"4:3\"]\n[topology]\nhosts = 4\n[[flow]]\nfrom = [0, 1, 2]\nto = 3\nbytes = 1000000\npacket_bytes = 1000\nsegment_bytes = 2000\n";
    std::fs::write(place.path("b.toml"), format!("duration_ms = 10\n{flows}")).expect("written");
    for nics in ["event", "model", "paced"] {
        let o = place.run(&format!("run b.toml --nics {nics} --json --out {nics}"));
        assert!(o.status.success(), "{}", said(&o));
        let json: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
        let arm = &json["arms"][0];
        let file = |name: &str| rows(&place.path(nics).join(name));
        // A packet of 1,000 bytes has 90 of headers (14 Ethernet, 20 IPv4, 8 UDP, 48 ours), and 24
        // of preamble, FCS and gap.
        let w = arm["duration_ms"].as_f64().expect("a number") * 1e3 / 400.0;
        // The run ends with the last flow, which cuts the last bin.
        let end = file("flows.csv").iter().map(|f| f["start_us"] + f["completion_us"]).fold(0.0, f64::max);
        let bits: f64 = file("delivered.csv").iter().map(|r| r["gbps"] * w.min(end - r["time_us"]) * 1e3).sum();
        let frame = bits / 8.0 / 3000.0;
        assert!((frame - 1114.0).abs() < 1e-6, "{nics}: {frame}");
        let all = file("flows.csv");
        assert!(
            all.len() == 3 && all.iter().all(|f| f["bytes"] == 1e6 && f["payload_bytes"] == 1e6 && f["rtts"] == 500.0),
            "{nics}: {all:?}"
        );
        assert_eq!(file("rtts.csv").len(), 1500, "{nics}");
        assert_eq!(file("rates.csv").len() as f64, all.iter().map(|f| f["updates"]).sum::<f64>(), "{nics}");
        if nics == "event" {
            // Each round trip asks the law once.
            let branches = ["below_low", "above_high", "increase", "decrease", "none", "held"];
            let asked: Vec<f64> = all.iter().map(|f| branches.iter().map(|b| f[*b]).sum()).collect();
            assert_eq!(asked, [500.0; 3]);
        }
        let sizes = file("sizes.csv");
        assert!(sizes.len() == 1 && sizes[0]["bytes_from"] == 1e6 && sizes[0]["completed"] == 3.0, "{nics}: {sizes:?}");
        // The bottleneck first, then the other one, in which only ACKs wait.
        let queues = file("queues.csv");
        let of = |port: f64| queues.iter().filter(|q| q["port"] == port).map(|q| q["bytes"]).collect::<Vec<f64>>();
        let (hot, cold) = (of(3.0), of(0.0));
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64 / 1e3;
        let told = arm["queue_kb"]["mean"].as_f64().expect("a number");
        assert!(hot.len() == cold.len() && mean(&cold) < 0.2, "{nics}: {} {}", hot.len(), cold.len());
        // A sample every microsecond or so, of a queue that changes in as much.
        assert!((mean(&hot) / told - 1.0).abs() < 0.05, "{nics}: {} and {told} KB", mean(&hot));
    }
    // Without series what has been counted is there all the same.
    std::fs::write(place.path("b.toml"), format!("duration_ms = 10\nseries = false\n{flows}")).expect("written");
    let o = place.run("run b.toml --nics event --out less");
    assert!(said(&o).contains("delivered.csv, rates.csv, rtts.csv were not written"), "{}", said(&o));
    assert_eq!(rows(&place.path("less/flows.csv")).len(), 3);
    assert!(!place.path("less/rates.csv").exists());
    let o = place.run("run b.toml --nics paced");
    assert_eq!(said(&o), "error: paced NICs: they keep every sample; leave `series` out\n");
    for (watch, why) in [
        (
            "[\"0:0\"]",
            "node 0 is a host, and its port has no queue to watch; name a switch and one of its ports, such as the one at the host",
        ),
        ("[\"4:4\"]", "node 4 has no port 4; ports count from 0 in the order of the node's links"),
        ("[\"4\"]", "b.toml:2: watch is 4; allowed: a switch and its port, such as \"11:0\""),
    ] {
        let text = flows.replacen("[\"4:3\", \"4:0\", \"4:3\"]", watch, 1);
        std::fs::write(place.path("b.toml"), format!("duration_ms = 10\n{text}")).expect("written");
        assert_eq!(said(&place.run("run b.toml --nics event")), format!("error: {why}\n"));
    }
}

/// A shard that has no run says so.
#[test]
fn an_empty_shard_says_so() {
    let place = Place::new("shard");
    std::fs::write(place.path("s.toml"), SWEEP).expect("written");
    let o = place.run("sweep s.toml --out sweep --shard 5/10");
    let told = "note: shard 5/10 has nothing to do: the sweep's runs are those of shards 0 to 1\n";
    assert_eq!((o.status.code(), said(&o).as_str()), (Some(0), told));
}

/// Notes that `run` prints of a scenario, `compare` prints of both.
#[test]
fn compare_tells_what_has_no_effect() {
    let place = Place::new("compare");
    std::fs::write(place.path("b.toml"), SCENARIO.replace("small", "other") + "[profile.q]\n").expect("written");
    let o = place.run("compare a.toml b.toml");
    let said = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(o.status.success() && said.contains("note: b.toml: profile.q has no effect: no flow has it"), "{said}");
    assert!(!said.contains("a.toml: "), "{said}");
}
