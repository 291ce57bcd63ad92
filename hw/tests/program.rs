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
