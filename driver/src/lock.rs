//! Exclusive ownership of a device: a locked file that names who holds it.
use crate::transport::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Holds a device until it is dropped; the kernel lets go of it also when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// The file of a device's lock: the same for all users.
pub fn path_of(device: &str) -> PathBuf {
    let folder = if Path::new("/run/lock").is_dir() { "/run/lock" } else { "/tmp" };
    let name: String = device.chars().map(|c| if c.is_ascii_alphanumeric() || ".:".contains(c) { c } else { '-' }).collect();
    Path::new(folder).join(format!("timely-{name}.lock"))
}

impl Lock {
    /// Takes the lock of `device`, in the file at `path`, which is made if it is not there.
    ///
    /// # Errors
    /// When another process holds it, or the file cannot be used.
    pub fn take(device: &str, path: &Path) -> Result<Self, Failure> {
        let failed = |source| Failure::Io {
            device: device.into(),
            what: format!("the lock file {} cannot be used", path.display()),
            source,
            next: "make its folder writable, or run as the user that owns it",
        };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it may not have written its name yet.
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                let holder = if holder.is_empty() { "another process".into() } else { holder.to_owned() };
                return Err(Failure::InUse { device: device.into(), holder });
            }
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        let name = std::env::current_exe().ok().and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
        file.set_len(0).map_err(failed)?;
        file.rewind().map_err(failed)?;
        writeln!(file, "PID {} ({})", std::process::id(), name.as_deref().unwrap_or("unknown")).map_err(failed)?;
        Ok(Lock { file, path: path.into() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file stays: removing it would let two processes lock two files of one name.
        let _ = self.file.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opener_is_told_who_the_first_is() {
        let path = std::env::temp_dir().join(format!("timely-lock-{}", std::process::id()));
        let lock = Lock::take("nic", &path).expect("free");
        let text = Lock::take("nic", &path).expect_err("taken").to_string();
        assert!(text.starts_with(&format!("nic is in use by PID {} (", std::process::id())), "{text}");
        drop(lock);
        let again = Lock::take("nic", &path).expect("free again");
        std::fs::remove_file(again.path()).expect("removed");
        let text = Lock::take("nic", Path::new("/nowhere/lock")).expect_err("no folder").to_string();
        assert!(text.contains("/nowhere/lock") && text.contains("writable"), "{text}");
    }
}
