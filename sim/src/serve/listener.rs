//! The socket in the file system: made, replaced when its server died, removed at the end.
use std::fs::{File, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that is listened at. Only its owner may connect.
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode, to know it again.
    made: (u64, u64),
}

impl Listener {
    /// Listens at `path`; a socket there that nobody serves any more is replaced.
    ///
    /// # Errors
    /// Why not, in a sentence.
    pub fn bind(path: &Path) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Of two servers that start at the same time, one looks first; the other then sees its socket.
        let lock = File::open(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        lock.lock().map_err(failed)?;
        if let Ok(there) = std::fs::symlink_metadata(path) {
            if !there.file_type().is_socket() {
                return Err(format!("{} exists and is no socket; choose another path, or remove it", path.display()));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(format!("{} is served by another process; stop that, or choose another path", path.display()));
            }
            std::fs::remove_file(path).map_err(failed)?;
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        let about = std::fs::symlink_metadata(path).map_err(failed)?;
        Ok(Listener { listener, path: path.into(), made: (about.dev(), about.ino()) })
    }

    /// The listener, to wait for it.
    pub fn socket(&self) -> &UnixListener {
        &self.listener
    }

    /// A client that knocks, if there is one.
    ///
    /// # Errors
    /// No client can be let in any more.
    pub fn accept(&self) -> Result<Option<UnixStream>, String> {
        use std::io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
        match self.listener.accept() {
            Ok((stream, _)) => Ok(Some(stream)),
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
