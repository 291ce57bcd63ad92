//! Configuration of a NIC, in a TOML file: errors name the line, and the file is written whole or
//! not at all.
use crate::board::Place;
use crate::spec::{FlowSpec, PortSpec, ProfileSpec};
use nix::libc::O_NONBLOCK;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The number of a profile or of a flow, which in TOML is a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Number(pub u32);

impl TryFrom<String> for Number {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // Written in one way only: of `0` and `00` one would be lost.
        let number = text.parse().ok().filter(|n: &u32| n.to_string() == text);
        number.map(Number).ok_or_else(|| format!("`{text}` is no number of a profile or flow; write it as 7"))
    }
}

impl From<Number> for String {
    fn from(n: Number) -> String {
        n.0.to_string()
    }
}

/// The configuration of a NIC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `false`: flows are stopped until they are told to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Where its registers are, when its board does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Place>,
    /// Port of the NIC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<PortSpec>,
    /// Profiles, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub profile: BTreeMap<Number, ProfileSpec>,
    /// Flows, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flow: BTreeMap<Number, FlowSpec>,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}; give the path of a file that can be read", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no valid configuration.
    #[error("{}:{line}: {message}; docs/driver.md has every field, and `timelyctl` writes the file anew when it is removed", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// Reason, as the parser gives it.
        message: String,
    },
    /// The folder is not there, or takes no file.
    #[error("{}: no file can be made in its folder {}: {source}; make the folder, or give another file", file.display(), folder.display())]
    Folder {
        /// The file.
        file: PathBuf,
        /// Folder of the file.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: {source}; free space, or make the folder writable", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The longest file: 2^16 flows with every field take less.
const LONGEST: u64 = 16 << 20;

/// The text of a regular file. Other files, such as pipes, may have no end or no writer.
fn read_text(file: &Path) -> io::Result<String> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
    // O_NONBLOCK: a pipe is opened without waiting for a writer.
    let open = File::options().read(true).custom_flags(O_NONBLOCK).open(file)?;
    let about = open.metadata()?;
    if !about.is_file() {
        return Err(wrong("it is no regular file".into()));
    }
    if about.len() > LONGEST {
        return Err(wrong(format!("it has {} bytes; at most {LONGEST} are read", about.len())));
    }
    let mut text = String::new();
    // Bounded, as the file may grow meanwhile.
    open.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// Reads a TOML file.
///
/// # Errors
/// When it cannot be read or is not what it should be.
pub fn read_toml<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, ConfigError> {
    let text = read_text(file).map_err(|source| ConfigError::Read { file: file.into(), source })?;
    toml::from_str(&text).map_err(|e| {
        let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        ConfigError::Syntax { file: file.into(), line, message: e.message().replace('\n', " ") }
    })
}

/// A new file, in the place of what an earlier process left: what another user put there, a link,
/// is removed and not followed.
fn fresh(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    File::create_new(path)
}

impl Config {
    /// Reads a file; one that is not there is an empty configuration.
    ///
    /// # Errors
    /// When it cannot be read or is not what it should be.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        match read_toml(file) {
            Err(ConfigError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
            other => other,
        }
    }

    /// The configuration has no port, no profile and no flow; the place of the registers may be
    /// set.
    pub fn is_empty(&self) -> bool {
        self.port.is_none() && self.profile.is_empty() && self.flow.is_empty()
    }

    /// The UDP port that makes a packet ours.
    pub fn udp_port(&self) -> u16 {
        self.port.as_ref().map_or(timely_regs::wire::DEFAULT_PORT, |p| p.udp_port)
    }

    /// Flows may send, unless somebody stopped them.
    pub fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }

    /// Where a file is kept that does not say what the NIC has, before it is written anew.
    pub fn before(file: &Path) -> PathBuf {
        let mut name = file.as_os_str().to_owned();
        name.push(".before");
        name.into()
    }

    /// Keeps a file as [`Config::before`] says.
    ///
    /// # Errors
    /// When it cannot be read, or the other not be written.
    pub fn keep(file: &Path) -> Result<(), ConfigError> {
        let copy = || io::copy(&mut File::open(file)?, &mut fresh(&Self::before(file))?).map(drop);
        copy().map_err(|source| ConfigError::Write { file: Self::before(file), source })
    }

    /// Fails where a file could not be written: its folder is not there, or takes no file. One is
    /// made there for a moment, under another name.
    ///
    /// # Errors
    /// When no file can be made.
    pub fn check_folder(file: &Path) -> Result<(), ConfigError> {
        // No name that another process, which may be writing the file, uses.
        let mut probe = file.as_os_str().to_owned();
        probe.push(format!(".check-{}", std::process::id()));
        let probe = PathBuf::from(probe);
        fresh(&probe).and_then(|_| std::fs::remove_file(&probe)).map_err(|source| {
            let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
            ConfigError::Folder { file: file.into(), folder: folder.into(), source }
        })
    }

    /// Writes a file: under another name first, so that no reader ever sees a part of it.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then as it was.
    pub fn write(&self, file: &Path) -> Result<(), ConfigError> {
        let failed = |source| ConfigError::Write { file: file.into(), source };
        let text = toml::to_string(self).map_err(|e| failed(io::Error::other(e)))?;
        let mut new = file.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let write = || {
            let mut f = fresh(&new)?;
            f.write_all(b"# Written by timelyd and timelyctl whenever something is changed.\n")?;
            f.write_all(text.as_bytes())?;
            f.sync_all()?;
            std::fs::rename(&new, file)
        };
        write().map_err(|e| {
            let _ = std::fs::remove_file(&new);
            failed(e)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("timely-config-{}-{name}", std::process::id()))
    }

    fn example() -> Config {
        let flow = FlowSpec::to("11.0.1.1".parse().expect("an address"), "02:74:6e:00:00:01");
        let profile = ProfileSpec::new("timely-10g", Some("8us"), None, &["beta=0.5".into()]).expect("valid");
        Config {
            enabled: Some(false),
            device: Some(Place { bar: 2, offset: 0x11_0000 }),
            port: Some(PortSpec {
                ipv4: "11.0.0.1".parse().ok(),
                allow: vec!["11.0.0.0/8".into()],
                ..PortSpec::with_mac("02:74:6e:00:00:00")
            }),
            profile: [(Number(0), profile)].into(),
            flow: [(Number(5), flow.clone()), (Number(1023), flow)].into(),
        }
    }

    #[test]
    fn a_file_reads_as_written() {
        let path = file("whole");
        assert_eq!(Config::read(&path).expect("no file is an empty one"), Config::default());
        example().write(&path).expect("written");
        assert_eq!(Config::read(&path).expect("read"), example());
        std::fs::remove_file(&path).expect("removed");
    }

    /// In a folder that others may write: links of theirs lead nowhere.
    #[test]
    fn links_are_not_written_through() {
        let (path, precious) = (file("links"), file("precious"));
        std::fs::write(&precious, "whole").expect("written");
        let new = path.with_added_extension("new");
        for link in [&new, &Config::before(&path)] {
            std::os::unix::fs::symlink(&precious, link).expect("a link");
        }
        example().write(&path).expect("written");
        Config::keep(&path).expect("kept");
        assert_eq!(std::fs::read_to_string(&precious).expect("there"), "whole");
        assert_eq!(Config::read(&Config::before(&path)).expect("kept"), example());
        for file in [precious, Config::before(&path), path] {
            std::fs::remove_file(file).expect("removed");
        }
    }

    /// Cut off anywhere, or with a byte spoilt, a file is read or refused with its line, and
    /// nothing else happens.
    #[test]
    fn corrupt_files_are_refused_with_their_line() {
        let (path, whole) = (file("corrupt"), toml::to_string(&example()).expect("text"));
        for end in 0..whole.len() {
            for spoilt in [false, true] {
                let mut text = whole.clone().into_bytes();
                if spoilt {
                    text[end] = b'='
                } else {
                    text.truncate(end)
                }
                std::fs::write(&path, text).expect("written");
                if let Err(e) = Config::read(&path) {
                    assert!(matches!(e, ConfigError::Syntax { line: 1.., .. }), "{e}");
                }
            }
        }
        std::fs::write(&path, "[port]\nmac = \"02:74:6e:00:00:00\"\ncolour = 3\n").expect("written");
        let text = Config::read(&path).expect_err("unknown").to_string();
        assert!(text.contains(":3: unknown field `colour`"), "{text}");
        std::fs::write(&path, b"\xff\xfe").expect("written");
        assert!(matches!(Config::read(&path), Err(ConfigError::Read { .. })));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn what_is_no_regular_file_or_too_long_is_not_read() {
        let path = file("fifo");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
        for path in [&path, Path::new("/dev/zero")] {
            let text = Config::read(path).expect_err("no file").to_string();
            assert!(text.starts_with(&format!("{}: it is no regular file", path.display())), "{text}");
        }
        std::fs::remove_file(&path).expect("removed");
        let path = file("long");
        File::create(&path).and_then(|f| f.set_len(LONGEST + 1)).expect("a long file");
        let text = Config::read(&path).expect_err("too long").to_string();
        assert!(text.contains("16777217 bytes; at most 16777216"), "{text}");
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_number_is_written_in_one_way() {
        let flow = "to = \"11.0.1.1\"\nmac = \"02:74:6e:00:00:01\"\n";
        for key in ["00", "+1", "-1", "4294967296"] {
            let text = toml::from_str::<Config>(&format!("[flow.\"{key}\"]\n{flow}")).expect_err(key).to_string();
            assert!(text.contains(&format!("`{key}` is no number of a profile or flow")), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_file() {
        let text = example().write(Path::new("/dev/full/x")).expect_err("no folder").to_string();
        assert!(text.starts_with("/dev/full/x: ") && text.contains("free space"), "{text}");
    }
}
