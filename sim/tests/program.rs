//! The program as a user runs it: where what it says cannot be written, and what it says then.
use std::fs::{File, OpenOptions};
use std::path::PathBuf;
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

/// What takes nothing.
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("a device of Linux")
}

/// A pipe that nobody reads.
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
