//! A client of the daemon's socket.
use crate::protocol::{Answer, Asked, Hello, LONGEST_HEAD, LONGEST_TAIL, PREFIX, Refusal, VERSION, Welcome, frame, lengths};
use crate::service::Request;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use timely_regs::event::BYTES;

/// How long an answer is waited for: a request of all 64K flows, on a Verilated NIC.
const LIMIT: Duration = Duration::from_secs(120);

/// How long the first answer is waited for: a daemon gives it between two requests.
const HELLO_LIMIT: Duration = Duration::from_secs(5);

/// Bytes of events that are kept while an answer is awaited; what comes beyond them counts as lost.
const MOST_KEPT: usize = 1 << 20;

/// Why a daemon could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection.
    #[error("timelyd at {}: {source}; is it still running? (systemctl status 'timelyd@*')", path.display())]
    Io {
        /// Socket of the daemon.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The daemon says nothing.
    #[error(
        "timelyd at {} (PID {pid}) does not answer within {limit:?}: it hangs or was stopped, or another client's request takes long; `kill -CONT {pid}` \
         lets one go on that was stopped, `kill -KILL {pid}` ends one that hangs",
        path.display()
    )]
    Silent {
        /// Socket of the daemon.
        path: PathBuf,
        /// The daemon's process.
        pid: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The daemon ended.
    #[error("timelyd at {} (PID {pid}) ended during the request; see its log (journalctl -u 'timelyd@*'), and start it again", path.display())]
    Ended {
        /// Socket of the daemon.
        path: PathBuf,
        /// The daemon's process.
        pid: String,
    },
    /// The daemon does not follow the protocol.
    #[error("timelyd at {} {what}; use the timelyctl of the same version", path.display())]
    Protocol {
        /// Socket of the daemon.
        path: PathBuf,
        /// How.
        what: String,
    },
    /// The daemon has another device.
    #[error("timelyd at {} has {has}, not {wanted}; start it with another --socket", path.display())]
    Another {
        /// Socket of the daemon.
        path: PathBuf,
        /// The device that it has.
        has: String,
        /// The one that was asked for.
        wanted: String,
    },
    /// The daemon refused the request.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A connection to a daemon.
pub struct Client {
    stream: UnixStream,
    path: PathBuf,
    /// How long an answer is waited for.
    limit: Duration,
    next: u64,
    welcome: Welcome,
    kept: VecDeque<(u64, Vec<u8>)>,
    kept_bytes: usize,
    lost: u64,
    /// The client has subscribed to events.
    follows: bool,
    /// Why they are over.
    over: Option<Refusal>,
}

impl Client {
    /// Connects; `None` when no daemon listens there.
    ///
    /// # Errors
    /// When one does, but cannot be used.
    pub fn connect(path: &Path) -> Result<Option<Self>, ClientError> {
        Self::connect_within(path, HELLO_LIMIT)
    }

    /// Connects as [`Client::connect`] does, to a daemon that says its first message within so
    /// long.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub fn connect_within(path: &Path, hello: Duration) -> Result<Option<Self>, ClientError> {
        let stream = match UnixStream::connect(path) {
            Ok(stream) => stream,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => return Ok(None),
            // The kernel takes no path so long: no daemon listens there.
            Err(e) if e.kind() == ErrorKind::InvalidInput => return Ok(None),
            // The socket's folder is closed to this user: a daemon there is for other users, and if
            // it has the device, opening the device says so.
            Err(e) if e.kind() == ErrorKind::PermissionDenied => return Ok(None),
            Err(source) => return Err(ClientError::Io { path: path.into(), source }),
        };
        let welcome = Welcome { version: 0, server: String::new(), device: String::new() };
        let kept = VecDeque::new();
        let (path, limit) = (path.into(), hello);
        let mut client = Client { stream, path, limit, next: 1, welcome, kept, kept_bytes: 0, lost: 0, follows: false, over: None };
        client.limit(hello)?;
        let name = concat!("timelyctl ", env!("CARGO_PKG_VERSION"));
        client.send(&frame(&Hello { version: VERSION, client: name.into() }, &[]))?;
        let (head, _) = client.receive()?;
        // A daemon that does not want this client says why instead.
        if let Ok(Answer::Failed { error, .. }) = serde_json::from_slice(&head) {
            return Err(error.into());
        }
        client.welcome = client.read(&head)?;
        client.limit(LIMIT)?;
        match client.welcome.version {
            VERSION => Ok(Some(client)),
            v => Err(client.protocol(format!("speaks version {v}, this is version {VERSION}"))),
        }
    }

    /// Connects as [`Client::connect`] does; `device` is the one that the daemon must have, where
    /// its name is known.
    ///
    /// # Errors
    /// As [`Client::connect`], and when the daemon has another device.
    pub fn connect_to(path: &Path, device: Option<&str>) -> Result<Option<Self>, ClientError> {
        let Some(client) = Self::connect(path)? else { return Ok(None) };
        match device {
            Some(wanted) if client.welcome.device != wanted => {
                Err(ClientError::Another { path: path.into(), has: client.welcome.device, wanted: wanted.into() })
            }
            _ => Ok(Some(client)),
        }
    }

    /// First message of the daemon.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// The longest time that the daemon may take.
    fn limit(&mut self, limit: Duration) -> Result<(), ClientError> {
        self.limit = limit;
        let set = self.stream.set_read_timeout(Some(limit)).and_then(|()| self.stream.set_write_timeout(Some(limit)));
        set.map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> ClientError {
        let path = self.path.clone();
        let pid = || rustix::net::sockopt::socket_peercred(&self.stream).map_or("unknown".into(), |c| c.pid.as_raw_nonzero().to_string());
        match source.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => ClientError::Silent { path, pid: pid(), limit: self.limit },
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => ClientError::Ended { path, pid: pid() },
            _ => ClientError::Io { path, source },
        }
    }

    fn protocol(&self, what: String) -> ClientError {
        ClientError::Protocol { path: self.path.clone(), what }
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        self.stream.write_all(bytes).map_err(|e| self.failed(e))
    }

    fn read<T: DeserializeOwned>(&self, head: &[u8]) -> Result<T, ClientError> {
        serde_json::from_slice(head).map_err(|e| self.protocol(format!("said what is not understood ({e})")))
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Vec<u8>), ClientError> {
        let mut prefix = [0; PREFIX];
        self.stream.read_exact(&mut prefix).map_err(|e| self.failed(e))?;
        let (head, tail) = lengths(&prefix);
        if head > LONGEST_HEAD || tail > LONGEST_TAIL {
            return Err(self.protocol(format!("sent a frame of {head} and {tail} bytes")));
        }
        let mut bytes = vec![0; head + tail];
        self.stream.read_exact(&mut bytes).map_err(|e| self.failed(e))?;
        let tail = bytes.split_off(head);
        Ok((bytes, tail))
    }

    /// Asks, and gives the result.
    ///
    /// # Errors
    /// When the daemon could not do it, or cannot be used.
    pub fn ask(&mut self, request: Request) -> Result<Value, ClientError> {
        let id = self.next;
        self.next += 1;
        let follows = if let Request::Events { every, .. } = request { Some(every != 0) } else { None };
        self.send(&frame(&Asked { id, request }, &[]))?;
        loop {
            let (head, tail) = self.receive()?;
            match self.read(&head)? {
                Answer::Done { id: of, result } if of == id => {
                    if follows == Some(false) {
                        // Events before the answer belong to a subscription that is over.
                        (self.kept, self.kept_bytes, self.lost) = (VecDeque::new(), 0, 0);
                    }
                    if let Some(follows) = follows {
                        (self.follows, self.over) = (follows, None);
                    }
                    return Ok(result);
                }
                // Not of this request: of the events that were asked for before.
                Answer::Failed { id: None, error } if self.follows => (self.follows, self.over) = (false, Some(error)),
                Answer::Failed { id: of, error } if of.is_none() || of == Some(id) => return Err(error.into()),
                // Events that were asked for before.
                Answer::Events { lost } => self.keep(lost, tail),
                other => return Err(self.protocol(format!("answered request {id} with {other:?}"))),
            }
        }
    }

    fn keep(&mut self, lost: u64, events: Vec<u8>) {
        self.lost = self.lost.saturating_add(lost);
        if self.kept_bytes + events.len() > MOST_KEPT {
            self.lost = self.lost.saturating_add((events.len() / BYTES) as u64);
        } else {
            self.kept_bytes += events.len();
            self.kept.push_back((std::mem::take(&mut self.lost), events));
        }
    }

    /// The next events after [`Request::Events`]: records that were lost before them, and their
    /// bytes. `None` when none came in time.
    ///
    /// # Errors
    /// When the daemon cannot be used.
    pub fn events(&mut self, wait: Duration) -> Result<Option<(u64, Vec<u8>)>, ClientError> {
        if let Some((lost, events)) = self.kept.pop_front() {
            self.kept_bytes -= events.len();
            return Ok(Some((lost, events)));
        }
        if let Some(error) = self.over.take() {
            return Err(error.into());
        }
        let mut prefix = [0; 1];
        let set = self.stream.set_read_timeout(Some(wait.max(Duration::from_millis(1))));
        set.map_err(|e| self.failed(e))?;
        // Looked at, not taken: a frame is then read as a whole.
        let there = rustix::net::recv(&self.stream, &mut prefix, rustix::net::RecvFlags::PEEK);
        self.stream.set_read_timeout(Some(LIMIT)).map_err(|e| self.failed(e))?;
        match there {
            Ok((0, _)) => return Err(self.failed(ErrorKind::UnexpectedEof.into())),
            Ok(_) => {}
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(None),
            Err(e) => return Err(self.failed(e.into())),
        }
        let (head, tail) = self.receive()?;
        match self.read(&head)? {
            Answer::Events { lost } => Ok(Some((lost.saturating_add(std::mem::take(&mut self.lost)), tail))),
            Answer::Failed { error, .. } => {
                self.follows = false;
                Err(error.into())
            }
            Answer::Done { .. } => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn text(error: Option<ClientError>) -> String {
        error.expect("an error").to_string()
    }

    /// As one that was stopped: the kernel takes the connection, and nothing is said.
    #[test]
    fn a_daemon_that_hangs_is_told_from_one_that_ended() {
        let path = std::env::temp_dir().join(format!("timely-client-{}", std::process::id()));
        let listener = UnixListener::bind(&path).expect("bound");
        let (here, pid) = (path.display().to_string(), std::process::id());
        let silent = text(Client::connect_within(&path, Duration::from_millis(10)).err());
        assert!(silent.contains(&format!("{here} (PID {pid}) does not answer within 10ms")) && silent.contains("kill -CONT"), "{silent}");
        // The connection of before waits first.
        drop(listener.accept().expect("a client"));
        let daemon = std::thread::spawn(move || {
            let mut client = listener.accept().expect("a client").0;
            let mut prefix = [0; PREFIX];
            client.read_exact(&mut prefix).expect("a prefix");
            client.read_exact(&mut vec![0; lengths(&prefix).0]).expect("a head");
            let welcome = Welcome { version: VERSION, server: "here".into(), device: "sim".into() };
            client.write_all(&frame(&welcome, &[])).expect("sent");
            client.read_exact(&mut prefix).expect("a request");
        });
        let mut client = Client::connect(&path).expect("a daemon that answers").expect("a daemon");
        let ended = text(client.ask(Request::Info {}).err());
        assert!(ended.contains(&format!("{here} (PID {pid}) ended during the request; see its log")), "{ended}");
        daemon.join().expect("no panic");
        std::fs::remove_file(path).expect("removed");
    }
}
