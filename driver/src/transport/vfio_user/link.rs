//! The connection to a vfio-user server: one message out, its reply in, each with an end to the
//! wait.
use super::wire::{Command, ERROR, HEADER_BYTES, Header, LONGEST, REPLY, TYPE};
use crate::transport::Failure;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::geteuid;
use std::cell::{Cell, RefCell};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Descriptors that one message carries at most.
pub const MOST_FDS: usize = 16;

/// No server answers at a path.
pub fn unreachable(device: &str, path: &Path, source: std::io::Error) -> Failure {
    let next = match source.kind() {
        // The kernel's limit, which the library looks at itself.
        ErrorKind::InvalidInput => "the kernel takes 107 bytes of path: serve it at a shorter one, or name it from a folder nearer to it",
        _ => "start one: timely-sim serve --socket PATH",
    };
    Failure::Io { device: device.into(), what: format!("no server can be reached at {}", path.display()), source, next }
}

/// Whether a user's client may use a server of another's.
fn trusts(server: u32, user: u32) -> bool {
    server == 0 || server == user
}

/// A connection. Once it broke or a reply was not understood, it says so to everything.
pub struct Link {
    device: String,
    stream: RefCell<UnixStream>,
    limit: Duration,
    next: Cell<u16>,
    broken: Cell<bool>,
}

impl Link {
    /// Connects; a reply is waited for as long as `limit`.
    pub fn connect(device: String, path: &Path, limit: Duration) -> Result<Self, Failure> {
        let failed = |source| unreachable(&device, path, source);
        let stream = UnixStream::connect(path).map_err(failed)?;
        // In a folder that everybody may write, another user may have been faster.
        let server = socket_peercred(&stream).map_err(|e| failed(e.into()))?.uid.as_raw();
        if !trusts(server, geteuid().as_raw()) {
            return Err(Failure::Stranger { device, user: server });
        }
        stream.set_read_timeout(Some(limit)).and_then(|()| stream.set_write_timeout(Some(limit))).map_err(failed)?;
        Ok(Link { device, stream: RefCell::new(stream), limit, next: Cell::new(1), broken: Cell::new(false) })
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Sends a command and gives the body of its reply.
    pub fn call(&self, command: Command, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<Vec<u8>, Failure> {
        if self.broken.get() {
            return Err(Failure::Closed { device: self.device.clone(), what: "an earlier command".into() });
        }
        let done = self.exchange(command, body, fds);
        // After a refusal the two are still in step, after anything else they may not be.
        self.broken.set(!matches!(done, Ok(_) | Err(Failure::Refused { .. })));
        done
    }

    fn exchange(&self, command: Command, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<Vec<u8>, Failure> {
        let id = self.next.replace(self.next.get().wrapping_add(1));
        let size = (HEADER_BYTES + body.len()) as u32;
        let header = Header { id, command: command as u16, size, flags: 0, error: 0 };
        let mut message = header.to_bytes().to_vec();
        message.extend(body);
        self.send(&message, fds).map_err(|e| self.failed(command, e))?;
        let start = Instant::now();
        let mut head = [0; HEADER_BYTES];
        self.receive(&mut head, start).map_err(|e| self.failed(command, e))?;
        let reply = Header::from_bytes(&head);
        let protocol = |what: String| Failure::Protocol { device: self.device.clone(), what };
        if (reply.id, reply.command, reply.flags & TYPE) != (id, command as u16, REPLY) {
            return Err(protocol(format!("{command:?} number {id} was answered with {reply:?}")));
        }
        if !(HEADER_BYTES..=LONGEST).contains(&(reply.size as usize)) {
            return Err(protocol(format!("the reply to {command:?} says it has {} bytes, not {HEADER_BYTES} to {LONGEST}", reply.size)));
        }
        let mut body = vec![0; reply.size as usize - HEADER_BYTES];
        self.receive(&mut body, start).map_err(|e| self.failed(command, e))?;
        if reply.flags & ERROR != 0 {
            let source = std::io::Error::from_raw_os_error(reply.error as i32);
            return Err(Failure::Refused { device: self.device.clone(), what: format!("{command:?}"), source });
        }
        Ok(body)
    }

    fn send(&self, message: &[u8], fds: &[BorrowedFd<'_>]) -> std::io::Result<()> {
        let mut stream = self.stream.borrow_mut();
        let mut sent = 0;
        if !fds.is_empty() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !control.push(SendAncillaryMessage::ScmRights(fds)) {
                return Err(std::io::Error::new(ErrorKind::InvalidInput, format!("{} descriptors in one message", fds.len())));
            }
            sent = sendmsg(&*stream, &[IoSlice::new(message)], &mut control, SendFlags::NOSIGNAL)?;
        }
        stream.write_all(&message[sent..])
    }

    /// Reads all of `to`. A server that sends byte by byte gains no time by it.
    fn receive(&self, mut to: &mut [u8], start: Instant) -> std::io::Result<()> {
        let mut stream = self.stream.borrow_mut();
        while !to.is_empty() {
            if start.elapsed() > self.limit {
                return Err(ErrorKind::TimedOut.into());
            }
            match stream.read(to) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(n) => to = &mut to[n..],
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn failed(&self, command: Command, source: std::io::Error) -> Failure {
        let (device, what) = (self.device.clone(), format!("{command:?}"));
        match source.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Silent { device, what, seconds: self.limit.as_secs() },
            ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Failure::Closed { device, what },
            _ => Failure::Io { device, what, source, next: "start the server again" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_users_server_is_not_used() {
        for (server, user, trusted) in [(0, 0, true), (0, 1000, true), (1000, 1000, true), (1000, 1001, false), (1000, 0, false)] {
            assert_eq!(trusts(server, user), trusted, "server of {server}, client of {user}");
        }
    }
}
