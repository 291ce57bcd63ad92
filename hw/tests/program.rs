//! The program where what it says, or writes, cannot be written.
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn blocks(out: &PathBuf, stdout: impl Into<Stdio>) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_timely-hw"));
    c.args(["blocks", "time", "--out"]).arg(out).stdout(stdout).stderr(Stdio::piped()).output().expect("it starts")
}

#[test]
fn nobody_reads_and_nothing_can_be_written() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("program");
    let _ = std::fs::remove_dir_all(&out);
    let (reader, closed) = std::io::pipe().expect("a pipe");
    drop(reader);
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a device of Linux");
    for (stdout, code, told) in [(Stdio::from(closed), 0, ""), (full.into(), 1, "timely-hw: stdout: No space left on device")] {
        let o = blocks(&out, stdout);
        let said = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(code) && said.starts_with(told) && said.is_empty() == told.is_empty(), "{said}");
        std::fs::remove_file(out.join("time.v")).expect("written all the same");
    }
    let file = out.join("file");
    std::fs::write(&file, "").expect("written");
    let o = blocks(&file, Stdio::piped());
    let told = format!("timely-hw: {}: is no folder, or has a file in its path; name a folder, or one that can be made\n", file.display());
    assert_eq!((o.status.code(), String::from_utf8_lossy(&o.stderr).into_owned()), (Some(1), told));
}

fn emit(out: &PathBuf, options: &[&str]) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_timely-hw"));
    c.args(["emit", "--out"]).arg(out).args(options).output().expect("it starts")
}

/// A folder keeps what is in it: files of another configuration or origin are replaced on request
/// alone, an earlier emission always.
#[test]
fn what_another_emission_wrote_is_not_replaced() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kept");
    let _ = std::fs::remove_dir_all(&out);
    let file = out.join("timely_standalone_64_10.v");
    let clock = |clock_ps: &str, more: &[&str]| {
        let o = emit(&out, &[&["--clock-ps", clock_ps], more].concat());
        (o.status.code(), String::from_utf8_lossy(&o.stderr).into_owned())
    };
    assert_eq!(clock("4000", &[]), (Some(0), String::new()));
    let first = std::fs::read_to_string(&file).expect("written");
    let older = first.replace("timely-hw 0.", "timely-hw 0.0.");
    std::fs::write(&file, older).expect("written");
    assert_eq!(clock("4000", &[]).0, Some(0), "an earlier version's");
    assert_eq!(std::fs::read_to_string(&file).expect("there"), first);
    let (code, told) = clock("5000", &[]);
    assert!(code == Some(1) && std::fs::read_to_string(&file).expect("there") == first, "{told}");
    let parts = ["timely_standalone_64_10.v is of another emission (shell standalone, bus 64 bits, flow bits 10, clock 4000 ps", "--force"];
    assert!(parts.iter().all(|p| told.contains(p)), "{told}");
    assert_eq!(clock("5000", &["--force"]), (Some(0), String::new()));
    std::fs::write(&file, "module mine(); endmodule\n").expect("written");
    let (code, told) = clock("5000", &[]);
    assert!(code == Some(1) && told.contains("timely_standalone_64_10.v has no header of timely-hw"), "{told}");
    assert_eq!(clock("5000", &["--prefix", "nic1_"]), (Some(0), String::new()), "another file");
    assert!(out.join("nic1_standalone_64_10.v").exists());
    let _ = std::fs::remove_dir_all(&out);
}
