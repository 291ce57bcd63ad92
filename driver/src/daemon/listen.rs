//! Where a daemon listens: its socket, and where metrics are served. Both are taken before a NIC is
//! opened, so that what runs on it goes on when they cannot be had.
use super::{DaemonError, Options, socket_error};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// The sockets of a daemon; its own is removed from the file system when this is dropped.
pub struct Listening {
    pub(super) socket: UnixListener,
    pub(super) metrics: Option<TcpListener>,
    path: PathBuf,
    /// Device and inode of the socket, so that no other daemon's socket is removed.
    made: (u64, u64),
}

/// Metrics are served on this machine alone.
///
/// # Errors
/// When the address is not a loopback one.
pub fn check_metrics(address: SocketAddr) -> Result<(), DaemonError> {
    if address.ip().is_loopback() { Ok(()) } else { Err(DaemonError::NotLoopback(address)) }
}

impl Listening {
    /// Listens as the options say; the socket that a daemon which died left is replaced, that of
    /// one which runs is not, and no other file is.
    ///
    /// # Errors
    /// When it cannot listen there.
    pub fn new(options: &Options) -> Result<Self, DaemonError> {
        let metrics = match options.metrics {
            None => None,
            Some(address) => {
                check_metrics(address)?;
                let failed = || socket_error(format!("metrics at {address}"), "give another --metrics");
                let listener = TcpListener::bind(address).map_err(failed())?;
                listener.set_nonblocking(true).map_err(failed())?;
                Some(listener)
            }
        };
        let (socket, made) = bind(&options.socket)?;
        Ok(Listening { socket, metrics, path: options.socket.clone(), made })
    }
}

impl Listening {
    /// Listens again where the socket's file was removed, or is another one; `true` when it does.
    ///
    /// # Errors
    /// When it cannot listen there: clients that are connected stay so, and others find nobody.
    pub(super) fn renew(&mut self) -> Result<bool, DaemonError> {
        if self.is_there() {
            return Ok(false);
        }
        (self.socket, self.made) = bind(&self.path)?;
        Ok(true)
    }

    fn is_there(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.made)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if self.is_there() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn bind(path: &Path) -> Result<(UnixListener, (u64, u64)), DaemonError> {
    let failed = |next| socket_error(format!("the socket {}", path.display()), next);
    if let Ok(there) = std::fs::symlink_metadata(path) {
        if !there.file_type().is_socket() {
            let what = io::Error::new(ErrorKind::AlreadyExists, "exists and is no socket");
            return Err(failed("give another --socket, or remove it")(what));
        }
        match UnixStream::connect(path) {
            Ok(_) => {
                let what = io::Error::new(ErrorKind::AddrInUse, "a daemon listens there already");
                return Err(failed("stop that daemon, or give another --socket")(what));
            }
            // No daemon listens at the socket any more.
            Err(e) if e.kind() == ErrorKind::ConnectionRefused => std::fs::remove_file(path).map_err(failed("give another --socket"))?,
            Err(e) => return Err(failed("give another --socket")(e)),
        }
    }
    let listener = UnixListener::bind(path).map_err(|e| {
        let next = match e.kind() {
            // The kernel's limit, which the library looks at itself.
            ErrorKind::InvalidInput => {
                "the kernel takes 107 bytes: give a shorter --socket, or set XDG_RUNTIME_DIR to a folder with a shorter path"
            }
            _ => "make its folder, or give another --socket",
        };
        failed(next)(e)
    })?;
    // Any user may connect; the daemon then checks the credentials of the process.
    let mode = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(path, mode).and_then(|()| listener.set_nonblocking(true)).map_err(failed("give another --socket"))?;
    let made = std::fs::symlink_metadata(path).map_err(failed("give another --socket"))?;
    Ok((listener, (made.dev(), made.ino())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(socket: &Path, metrics: Option<SocketAddr>) -> Options {
        Options { socket: socket.into(), users: Vec::new(), heartbeat: None, metrics, refclock: None }
    }

    #[test]
    fn a_socket_is_replaced_and_no_other_file_is() {
        let path = std::env::temp_dir().join(format!("timely-listen-{}", std::process::id()));
        let refused = |path: &Path| Listening::new(&options(path, None)).map(drop).expect_err("refused").to_string();
        std::fs::write(&path, "a file").expect("written");
        let text = refused(&path);
        assert!(text.contains(&format!("{}: exists and is no socket; give another --socket", path.display())), "{text}");
        assert_eq!(std::fs::read_to_string(&path).expect("still there"), "a file");
        std::fs::remove_file(&path).expect("removed");
        // A socket that a killed daemon left.
        drop(UnixListener::bind(&path).expect("bound"));
        let listening = Listening::new(&options(&path, None)).expect("replaced");
        assert!(refused(&path).contains("a daemon listens there already"));
        drop(listening);
        assert!(!path.exists(), "it is removed");
        let text = refused(&std::env::temp_dir().join("x".repeat(120)));
        assert!(text.contains("shorter --socket"), "{text}");
    }

    /// As cleaners of temporary folders remove it, under a daemon that runs.
    #[test]
    fn a_socket_that_is_removed_is_made_again() {
        let path = std::env::temp_dir().join(format!("timely-renew-{}", std::process::id()));
        let mut listening = Listening::new(&options(&path, None)).expect("bound");
        assert!(!listening.renew().expect("there"));
        std::fs::remove_file(&path).expect("removed");
        assert!(listening.renew().expect("bound again") && !listening.renew().expect("there"));
        let client = UnixStream::connect(&path).expect("a listener");
        listening.socket.accept().expect("of this daemon");
        drop(client);
        // Another file is left alone, and what it is is said.
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, "a file").expect("written");
        assert!(listening.renew().expect_err("a file").to_string().contains("exists and is no socket"));
        drop(listening);
        assert_eq!(std::fs::read_to_string(&path).expect("still there"), "a file");
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn metrics_are_for_this_machine() {
        let path = std::env::temp_dir().join(format!("timely-metrics-{}", std::process::id()));
        let failed = Listening::new(&options(&path, "0.0.0.0:99".parse().ok())).map(drop).expect_err("refused").to_string();
        assert!(failed.contains("0.0.0.0:99") && failed.contains("loopback") && !path.exists(), "{failed}");
    }
}
