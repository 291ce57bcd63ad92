//! The scripts of `bitstreams/` under tclsh, on trees that look like the shells': what they ask of
//! the vendor's tool, what they write, what they refuse. Everything that Tcl does not know is a
//! command of the vendor's, and is recorded (`stubs.tcl`).
mod corundum;
mod netfpga;
mod opennic;
mod taxi;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use timely_hw::config::Config;
use timely_hw::shells::Shell;

/// A folder of a test's own, with an emission and a tree.
struct Bench {
    root: PathBuf,
    script: PathBuf,
}

/// Outcome of a script.
struct Done {
    code: i32,
    /// Output of the script on both streams; the bench's folder is `@`.
    text: String,
    /// The vendor's commands; the bench's folder is `@`.
    calls: Vec<String>,
}

fn tclsh() -> String {
    std::env::var("TCLSH").unwrap_or_else(|_| "tclsh".into())
}

/// Whether there is a tclsh; says what is left out where there is none.
fn has_tclsh(test: &str) -> bool {
    let there = Command::new(tclsh()).arg("/dev/null").output().is_ok_and(|o| o.status.success());
    if !there {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: vendor_tcl::{test}: there is no tclsh here (Debian: apt-get install tcl)").expect("stdout");
    }
    there
}

impl Bench {
    /// With the emission of `shell` in `emitted/`; gives its files too.
    fn new(script: &str, shell: Shell, config: Config) -> (Self, Vec<(String, String)>) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("vendor-tcl-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&root).expect("a folder");
        let root = root.canonicalize().expect("a folder");
        let bench = Bench { root, script: Path::new(env!("CARGO_MANIFEST_DIR")).join("../bitstreams").join(script) };
        let files = shell.emit(config, shell.clock_ps()).expect("an emission");
        let besides = shell.besides(config, shell.clock_ps()).expect("an emission");
        let written: Vec<_> = files.iter().chain(&besides).collect();
        let manifest = shell.manifest(config, shell.clock_ps(), &written).expect("a list of files");
        for file in written.iter().copied().chain([&manifest]) {
            bench.put(&format!("emitted/{}", file.path), &file.text);
        }
        (bench, written.into_iter().map(|f| (f.path.clone(), f.text.clone())).collect())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs the script as `vivado -source SCRIPT -tclargs WORDS` does; `@` in a word is the bench's
    /// folder.
    fn run(&self, words: &str) -> Done {
        self.source(&self.script, "", words, &[])
    }

    /// Runs any script under the same commands, in a folder of the bench's, with more in its
    /// environment.
    fn source(&self, script: &Path, folder: &str, words: &str, environment: &[(&str, &str)]) -> Done {
        let root = self.root.display().to_string();
        let stubs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor_tcl/stubs.tcl");
        let mut c = Command::new(tclsh());
        c.arg(stubs).arg(script).args(words.split_whitespace().map(|w| w.replace('@', &root)));
        let out = c
            .current_dir(self.path(folder))
            .env("CALLS", self.path("calls"))
            .envs(environment.iter().copied())
            .output()
            .expect("tclsh starts");
        let text = [out.stdout, out.stderr].map(|s| String::from_utf8_lossy(&s).replace(&root, "@")).concat();
        let calls = std::fs::read_to_string(self.path("calls")).unwrap_or_default().replace(&root, "@");
        Done { code: out.status.code().unwrap_or(-1), text, calls: calls.lines().map(str::to_owned).collect() }
    }

    /// The script ends with this code, and a sentence that has these words.
    fn refuses(&self, words: &str, code: i32, names: &[&str]) {
        let done = self.run(words);
        assert_eq!(done.code, code, "{words}: {}", done.text);
        for name in names {
            assert!(done.text.contains(name), "{words}: {}: {name}", done.text);
        }
        assert!(!done.text.contains("while executing"), "{words}: a sentence is wanted, not a trace: {}", done.text);
    }

    /// Arguments and emissions that every script refuses.
    fn refuses_what_is_wrong(&self, good: &str, core: &str) {
        let without = |name: &str| {
            let words: Vec<&str> = good.split_whitespace().collect();
            let at = words.iter().position(|w| *w == name).expect("an argument");
            [&words[..at], &words[at + 2..]].concat().join(" ")
        };
        self.refuses(&without("-emitted"), 2, &["-emitted is missing", "timely-hw emit"]);
        self.refuses(&without("-shell"), 2, &["-shell is missing", "a copy of"]);
        self.refuses(&format!("{good} -emitted"), 2, &["-emitted has no value"]);
        self.refuses(&format!("{good} -colour red"), 2, &["-colour is no argument", "-emitted"]);
        self.refuses(
            &format!("{} -emitted @/nowhere", without("-emitted")),
            2,
            &["-emitted @/nowhere is no folder", "timely-hw -- emit --shell"],
        );
        self.refuses(&format!("{} -emitted @/tree", without("-emitted")), 2, &["-emitted @/tree has no timely.files"]);
        self.refuses(&format!("{} -shell @/emitted", without("-shell")), 2, &["-shell @/emitted has no", "a copy of"]);
        let (file, list) = (self.get(&format!("emitted/{core}")), self.get("emitted/timely.files"));
        std::fs::remove_file(self.path(&format!("emitted/{core}"))).expect("removed");
        self.refuses(good, 1, &["-emitted @/emitted has lost", core]);
        self.put(&format!("emitted/{core}"), &file[1..]);
        self.refuses(good, 1, &[core, &format!("has {} bytes", file.len() - 1), &format!("written with {}", file.len())]);
        self.put(&format!("emitted/{core}"), &file);
        self.put("emitted/timely.files", &list.replace("\nshell ", "\nshell not-"));
        self.refuses(good, 2, &["-emitted @/emitted was written for not-"]);
        self.put("emitted/timely.files", &list.replace("\nbus ", "\n#bus "));
        self.refuses(good, 1, &["timely.files says no bus"]);
        self.put("emitted/timely.files", &list);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.root);
        }
    }
}
