//! Properties that targets share.
use std::fmt::Display;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;
use timely_regs::wire::{Class, ethernet, ipv4, ipv4_header_checksum};

/// A longer wait for an answer is a hang, however busy the machine is; under the fuzzer its own
/// limit of an input comes first.
pub const HANG: Duration = Duration::from_secs(300);
/// Longest error: one that quotes the longest input, with room for a list of what is allowed.
const LONGEST: usize = 1 << 16;

/// Text of an error, which says something, in one sentence that a terminal can show.
pub fn said(error: &impl Display) -> String {
    let text = error.to_string();
    assert!(!text.trim().is_empty(), "an error without a text");
    assert!(text.len() <= LONGEST, "an error of {} bytes", text.len());
    text
}

/// Folder of this process for sockets, and files that a reader opens by their names; in memory,
/// where there is such a folder, for a disk takes a hundred times as long. A fuzzer ends without
/// clearing up: folders of processes that have gone are removed. No other user can write it.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    const NAME: &str = "timely-fuzz-";
    let own = std::process::id();
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
    let entries = std::fs::read_dir(&base).into_iter().flatten().flatten().map(|e| e.path());
    let process = |path: &Path| path.file_name()?.to_str()?.strip_prefix(NAME)?.parse::<u32>().ok();
    for old in entries.filter(|e| process(e).is_some_and(|id| id == own || !Path::new("/proc").join(id.to_string()).exists())) {
        // Another process may remove it too.
        let _ = std::fs::remove_dir_all(old);
    }
    let folder = base.join(format!("{NAME}{own}"));
    // One that another user made in its place is no folder of ours.
    DirBuilder::new().mode(0o700).create(&folder).expect("a folder for files to read");
    folder
});

/// A path in the folder of this process.
pub fn path(name: &str) -> PathBuf {
    FOLDER.join(name)
}

/// A file of this name and these bytes, in the place of the one before.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = path(name);
    std::fs::write(&path, bytes).expect("a file to read");
    path
}

/// A folder of small files of every kind, which scenarios may name.
pub fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("files").join(name)
}

/// A frame with the right sum in its IPv4 header, if it has one.
pub fn summed(frame: &[u8]) -> Option<Vec<u8>> {
    let (class, named) = frame.get(..ethernet::TAGGED_TYPE + 2).map(Class::named_by)?;
    let mut frame = frame.to_vec();
    if named && !class.ipv6 {
        let header = frame.get_mut(class.ip()..class.ip() + ipv4::BYTES)?;
        let sum = ipv4_header_checksum(header).to_be_bytes();
        header[ipv4::CHECKSUM..][..2].copy_from_slice(&sum);
    }
    named.then_some(frame)
}
