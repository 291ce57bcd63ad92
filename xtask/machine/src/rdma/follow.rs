//! The host's list of queue pairs, which its machine writes to a serial port of its own, for
//! `timelyctl pairs follow`: that joins them by their answers.
use super::control;
use crate::vm::Running;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use timely_tools::process::run;

/// How often the list is looked at.
const EVERY: Duration = Duration::from_millis(100);

/// The last whole line.
fn last(text: &str) -> Option<&str> {
    text.rsplit_once('\n').map(|(lines, _)| lines.rsplit('\n').next().unwrap_or(lines).trim_end())
}

/// File that the host's machine writes its lists to.
pub fn port(dir: &Path) -> PathBuf {
    dir.join("lists")
}

/// `timelyctl pairs follow`, and the thread that gives it the newest list.
pub struct Follow {
    program: Running,
    lists: JoinHandle<Result<(), String>>,
    end: Sender<()>,
}

/// Writes the newest list to where the program reads it, until the sender is gone.
fn renew(from: &Path, to: &Path, end: &Receiver<()>) -> Result<(), String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let mut before = String::new();
    while end.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        let Ok(text) = std::fs::read(from) else { continue };
        let text = String::from_utf8_lossy(&text);
        let Some(list) = last(&text).filter(|l| *l != before) else { continue };
        let new = to.with_extension("new");
        std::fs::write(&new, list).and_then(|()| std::fs::rename(&new, to)).map_err(|e| failed(to, e))?;
        before = list.into();
    }
    Ok(())
}

/// Starts following.
pub fn start(dir: &Path) -> Result<Follow, String> {
    let list = dir.join("qp.json");
    std::fs::write(&list, "[]").map_err(|e| format!("{}: {e}", list.display()))?;
    let words = ["--json", "pairs", "follow", "--every", "100ms", "--list"].map(String::from);
    let mut c = control(dir, &words);
    let program = c.arg(&list).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|e| format!("timelyctl did not start: {e}"))?;
    let ((end, ends), from) = (channel(), port(dir));
    let lists = std::thread::spawn(move || renew(&from, &list, &ends));
    Ok(Follow { program: Running(program), lists, end })
}

impl Follow {
    /// Ends it; gives the remote numbers of the pairs that it joined.
    pub fn end(mut self) -> Result<BTreeSet<u64>, String> {
        drop(self.end);
        self.lists.join().unwrap_or_else(|_| Err("the thread of the lists ended".into()))?;
        let mut kill = Command::new("kill");
        kill.arg(self.program.0.id().to_string());
        run(kill)?;
        let mut said = String::new();
        let out = self.program.0.stdout.as_mut().ok_or("timelyctl has no output")?;
        out.read_to_string(&mut said).map_err(|e| format!("timelyctl: {e}"))?;
        let status = self.program.0.wait().map_err(|e| format!("timelyctl: {e}"))?;
        if !status.success() {
            return Err(format!("timelyctl pairs follow ended with {status}"));
        }
        let events = said.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
        Ok(events.filter(|e| e["event"] == "joined").filter_map(|e| e["remote"].as_u64()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lists_count() {
        assert_eq!([last(""), last("[1"), last("[1]\n[2"), last("[1]\r\n[2]\r\n")], [None, None, Some("[1]"), Some("[2]")]);
    }
}
