//! The socket in the file system: made, replaced when its server died, removed at the end.
use std::fs::{File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the lock of a folder is waited for, which is held for the making of a socket.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Locks a folder, but does not wait for ever: any user with read access, as to `/tmp`, may hold
/// that lock.
fn await_lock(folder: &File, patience: Duration) -> std::io::Result<()> {
    let start = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
}

/// A socket that is listened at. Only its owner may connect.
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode, to know it again.
    made: (u64, u64),
}

impl Listener {
    /// Listens at `path`; a socket there without a server is replaced.
    ///
    /// # Errors
    /// The path cannot be listened at; the sentence says why.
    pub fn bind(path: &Path) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Of two servers that start at the same time, one looks first; the other then sees its
        // socket.
        let lock = File::open(dir).map_err(|e| format!("{}: {e}; make that folder, or choose another path", dir.display()))?;
        await_lock(&lock, PATIENCE).map_err(failed)?;
        if let Ok(there) = std::fs::symlink_metadata(path) {
            if !there.file_type().is_socket() {
                return Err(format!("{} exists and is no socket; choose another path, or remove it", path.display()));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(format!("{} is served by another process; stop that, or choose another path", path.display()));
            }
            std::fs::remove_file(path).map_err(failed)?;
        }
        let listener = UnixListener::bind(path).map_err(|e| match e.kind() {
            // The kernel's limit, which the library looks at itself.
            ErrorKind::InvalidInput => {
                let bytes = path.as_os_str().len();
                format!("{}: a socket's path has 107 bytes at most, this one {bytes}; choose a shorter path", path.display())
            }
            _ => format!("{}: {e}; choose another path", path.display()),
        })?;
        listener.set_nonblocking(true).map_err(failed)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        let about = std::fs::symlink_metadata(path).map_err(failed)?;
        Ok(Listener { listener, path: path.into(), made: (about.dev(), about.ino()) })
    }

    /// The listener, to wait for it.
    pub fn socket(&self) -> &UnixListener {
        &self.listener
    }

    /// A client that connects, if there is one. Another user's is sent away: the socket is made
    /// before its mode is set.
    ///
    /// # Errors
    /// No client can be let in any more.
    pub fn accept(&self) -> Result<Option<UnixStream>, String> {
        use ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
        match self.listener.accept() {
            Ok((stream, _)) => {
                let user = rustix::net::sockopt::socket_peercred(&stream).map(|c| c.uid);
                let own = rustix::process::geteuid();
                Ok(user.is_ok_and(|u| u.is_root() || u == own).then_some(stream))
            }
            Err(e) if matches!(e.kind(), WouldBlock | Interrupted | ConnectionAborted) => Ok(None),
            Err(e) => Err(format!("{}: {e}", self.path.display())),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if std::fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.made) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("timely-listener-{name}-{}", std::process::id()));
        std::fs::create_dir(&dir).expect("a folder");
        dir
    }

    #[test]
    fn a_lock_that_another_process_keeps_stops_no_server() {
        let dir = folder("locked");
        let held = File::open(&dir).expect("a folder");
        held.lock().expect("locked");
        let listener = Listener::bind(&dir.join("nic")).expect("it listens all the same");
        drop(listener);
        std::fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn a_path_that_is_too_long_is_named_with_the_limit() {
        let dir = folder("long");
        let text = Listener::bind(&dir.join("x".repeat(108))).err().expect("too long").to_string();
        assert!(text.contains("107 bytes") && text.contains("shorter path"), "{text}");
        std::fs::remove_dir_all(dir).expect("removed");
    }
}
