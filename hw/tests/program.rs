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

/// The committed bitstream is of this text, or its page and the README say that it is not.
#[test]
fn a_bitstream_of_another_text_is_called_so() {
    let (out, root) = (PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("board"), PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".."));
    let _ = std::fs::remove_dir_all(&out);
    assert_eq!(emit(&out, &["--shell", "ecpix5"]).status.code(), Some(0));
    let told = |file: &str| std::fs::read_to_string(root.join(file)).expect("committed").replace('\n', " ");
    let manifest = told("bitstreams/ecpix5/manifest.toml");
    let sum = |file: &str| {
        let o = Command::new("sha256sum").arg(out.join(file)).output().expect("coreutils");
        String::from_utf8_lossy(&o.stdout).split(' ').next().map(str::to_owned).expect("a sum")
    };
    let same = [("verilog_sha256", "timely_ecpix5_64_9.v"), ("pins_sha256", "timely_ecpix5.lpf")]
        .into_iter()
        .all(|(key, file)| manifest.contains(&format!("{key} = \"{}\"", sum(file))));
    let words = [("docs/ecpix5.md", "does not fit this checkout"), ("README.md", "is of an earlier register map")];
    for (file, words) in words {
        assert_eq!(told(file).contains(words), !same, "{file}: the bitstream is of this text: {same}");
    }
}
