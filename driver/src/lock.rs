//! Exclusive ownership of a device: a locked file that names who holds it.
use crate::transport::Failure;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{Error, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
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

/// Opens the file, which any user may have made, or makes it for any user; says whether the holder's name can be written into it.
///
/// One that is there is opened as such: the kernel lets nobody, not even root, "create" what somebody else made in a sticky folder
/// (fs.protected_regular). To lock it, it need only be read.
fn open(path: &Path) -> std::io::Result<(File, bool)> {
    let mut how = OpenOptions::new();
    // What somebody else put there may be a link or a pipe.
    how.read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK);
    let found = match how.clone().write(true).open(path) {
        Ok(file) => Ok((file, true)),
        Err(e) if e.kind() == ErrorKind::NotFound => match how.clone().write(true).create_new(true).mode(0o666).open(path) {
            // Whatever the umask is.
            Ok(file) => return file.set_permissions(Permissions::from_mode(0o666)).map(|()| (file, true)),
            // Somebody else made it just now.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => how.open(path).map(|file| (file, false)),
            Err(e) => Err(e),
        },
        Err(e) if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => how.open(path).map(|f| (f, false)),
        Err(e) => Err(e),
    };
    let (file, writable) = found?;
    if !file.metadata()?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file"));
    }
    Ok((file, writable))
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
            next: "make its folder writable, or remove it while nobody has the device",
        };
        let (mut file, writable) = open(path).map_err(failed)?;
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
        if !writable {
            return Ok(Lock { file, path: path.into() });
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

    /// Whoever made the file: others may lock it and say who they are. Where they may not say it, they lock it all the same.
    #[test]
    fn a_lock_is_for_all_users() {
        let folder = std::env::temp_dir().join(format!("timely-locks-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder");
        let path = folder.join("lock");
        drop(Lock::take("nic", &path).expect("free"));
        let mode = std::fs::metadata(&path).expect("it stays").permissions().mode();
        assert_eq!(mode & 0o777, 0o666, "others may write it");
        std::fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
        let lock = Lock::take("nic", &path).expect("free");
        assert!(Lock::take("nic", &path).expect_err("taken").to_string().starts_with("nic is in use by "));
        drop(lock);
        // What is no file of ours is not written through.
        let (target, link) = (folder.join("target"), folder.join("link"));
        std::fs::write(&target, "whole").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        let text = Lock::take("nic", &link).expect_err("a link").to_string();
        assert!(text.contains("remove it"), "{text}");
        assert_eq!(std::fs::read_to_string(&target).expect("there"), "whole");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
