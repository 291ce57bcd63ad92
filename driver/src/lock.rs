//! Exclusive ownership of a device: a locked file that names the process that holds it.
//!
//! The file is in a folder that other users cannot write, or one of them could hold it for ever.
//! Between users the device itself is the lock: the kernel opens a group of VFIO once, a server of
//! vfio-user has one client, and all else is locked by its own node ([`Lock::and_node`]).
use crate::failure::Failure;
use crate::folders::{file_name, lock_folder};
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where this process answers for the devices that it holds.
static SOCKET: OnceLock<PathBuf> = OnceLock::new();

/// Says where this process listens, for who wants a device that it takes from now on.
pub fn listens_at(socket: &Path) {
    // A process has one socket.
    let _ = SOCKET.set(socket.into());
}

/// Holds a device until it is dropped; the kernel lets go of it also when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    /// The device's own file, locked against other users.
    node: Option<File>,
}

/// The file of a device's lock.
///
/// # Errors
/// When there is no folder for it.
pub fn path_of(device: &str) -> Result<PathBuf, Failure> {
    Ok(lock_folder()?.join(format!("{}.lock", file_name(device))))
}

/// Opens the file, or makes it.
fn open(path: &Path) -> std::io::Result<File> {
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = how.custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::new(ErrorKind::InvalidInput, "it is no file")) }
}

/// The file is still the one of that name: the process that held the lock before may have removed
/// the file.
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    let (here, there) = (file.metadata()?, std::fs::symlink_metadata(path));
    Ok(there.is_ok_and(|t| (t.dev(), t.ino()) == (here.dev(), here.ino())))
}

impl Lock {
    /// Takes the lock of `device`, in the file at `path`, which is made if it is not there and
    /// removed with the lock.
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
        let mut file = loop {
            let mut file = open(path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, path).map_err(failed)? => break file,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // The holder may not have written its name yet.
                    let _ = file.read_to_string(&mut holder);
                    let holder = holder.trim();
                    let holder = if holder.is_empty() { "another process".into() } else { holder.to_owned() };
                    return Err(Failure::InUse { device: device.into(), holder });
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
        };
        let name = std::env::current_exe().ok().and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
        file.set_len(0).map_err(failed)?;
        file.rewind().map_err(failed)?;
        let listens = SOCKET.get().map_or(String::new(), |s| format!(", which listens at {}", s.display()));
        writeln!(file, "PID {} ({}){listens}", std::process::id(), name.as_deref().unwrap_or("unknown")).map_err(failed)?;
        Ok(Lock { file, path: path.into(), node: None })
    }

    /// Locks the device's own file too: other users, whose locks are in other folders, lock that
    /// file as well.
    ///
    /// # Errors
    /// When another process has locked it.
    pub fn and_node(mut self, device: &str, path: &Path, node: File) -> Result<Self, Failure> {
        match node.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = format!("another user's process (`fuser -v {}` shows it)", path.display());
                return Err(Failure::InUse { device: device.into(), holder });
            }
            Err(TryLockError::Error(source)) => {
                let what = format!("{} cannot be locked", path.display());
                return Err(Failure::Io { device: device.into(), what, source, next: "look at dmesg" });
            }
        }
        self.node = Some(node);
        Ok(self)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while the lock is held: a process that waits for the lock finds out that the file
        // has no longer that name.
        if is_at(&self.file, &self.path).unwrap_or(false) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("timely-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_second_opener_is_told_who_the_first_is() {
        let folder = folder("lock");
        let path = folder.join("lock");
        let lock = Lock::take("nic", &path).expect("free");
        assert_eq!(std::fs::metadata(&path).expect("made").mode() & 0o777, 0o600, "nobody else can lock it");
        let text = Lock::take("nic", &path).expect_err("taken").to_string();
        assert!(text.starts_with(&format!("nic is in use by PID {} (", std::process::id())), "{text}");
        drop(lock);
        assert!(!path.exists(), "nothing is left");
        drop(Lock::take("nic", &path).expect("free again"));
        let text = Lock::take("nic", Path::new("/nowhere/lock")).expect_err("no folder").to_string();
        assert!(text.contains("/nowhere/lock") && text.contains("remove it"), "{text}");
        // A link in the lock's place is not written through.
        let (target, link) = (folder.join("target"), folder.join("link"));
        std::fs::write(&target, "whole").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        let text = Lock::take("nic", &link).expect_err("a link").to_string();
        assert!(text.contains("remove it"), "{text}");
        assert_eq!(std::fs::read_to_string(&target).expect("there"), "whole");
        std::fs::remove_dir_all(folder).expect("removed");
    }

    /// Every lock is of the file that has the name, however often it is removed meanwhile: two
    /// holders at a time would be seen.
    #[test]
    fn a_file_that_is_removed_is_locked_by_one() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let (folder, held, taken) = (folder("race"), AtomicU32::new(0), AtomicU32::new(0));
        let path = folder.join("lock");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(lock) = Lock::take("nic", &path) {
                            assert_eq!(held.fetch_add(1, Ordering::SeqCst), 0, "two have it");
                            taken.fetch_add(1, Ordering::SeqCst);
                            held.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
        std::fs::remove_dir_all(folder).expect("removed");
    }

    /// Another user's lock is in another folder; the device is the same.
    #[test]
    fn a_node_is_locked_between_users() {
        let folder = folder("node");
        let node = folder.join("ttyUSB1");
        std::fs::write(&node, "").expect("a file");
        let open = |user: &str| Lock::take("nic", &folder.join(user))?.and_node("nic", &node, File::open(&node).expect("a file"));
        let first = open("one").expect("free");
        let text = open("other").expect_err("taken").to_string();
        assert!(text.contains("another user's process") && text.contains(node.to_str().expect("text")), "{text}");
        drop(first);
        open("other").expect("free again");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
