//! A client of the daemon: frames read and answers written without waiting for it.
use super::refusal;
use crate::protocol::{Answer, LONGEST_REQUEST, PREFIX, frame, lengths};
use rustix::event::PollFlags;
use serde::Serialize;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long a client may be silent before its first message, and how long it may take for the rest
/// of one that it began.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most of a client's answers that are kept until it reads them.
const MOST_UNREAD: usize = 128 << 20;

/// Input from a client.
pub enum Heard {
    /// No whole message yet.
    Nothing,
    /// A message.
    Message(Vec<u8>),
    /// Bytes that are no message, with the reason.
    Broken(String),
}

/// A client.
pub struct Connection {
    stream: UnixStream,
    /// User ID of the client's process.
    pub user: Option<u32>,
    /// The client has said hello.
    pub greeted: bool,
    /// The client has subscribed to events.
    pub events: bool,
    /// Events that it did not get.
    pub lost: u64,
    heard: Vec<u8>,
    unsent: Vec<u8>,
    sent: usize,
    /// Since when a message is awaited.
    since: Instant,
    /// The connection is closed once the client has read everything.
    closing: bool,
    open: bool,
}

impl Connection {
    /// A client that just connected.
    pub fn new(stream: UnixStream) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        let user = rustix::net::sockopt::socket_peercred(&stream).ok().map(|c| c.uid.as_raw());
        Ok(Connection {
            stream,
            user,
            greeted: false,
            events: false,
            lost: 0,
            heard: Vec::new(),
            unsent: Vec::new(),
            sent: 0,
            since: Instant::now(),
            closing: false,
            open: true,
        })
    }

    /// Descriptor of the socket.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Events of the socket to poll for.
    pub fn wanted(&self) -> PollFlags {
        let reads = if self.closing { PollFlags::empty() } else { PollFlags::IN };
        if self.unread() > 0 { reads | PollFlags::OUT } else { reads }
    }

    /// The connection is open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Bytes that it has not read.
    pub fn unread(&self) -> usize {
        self.unsent.len() - self.sent
    }

    /// Reads nothing more from the client; the connection is closed once the client has read its
    /// answers.
    pub fn close(&mut self) {
        self.closing = true;
        self.since = Instant::now();
        self.send();
    }

    /// Queues an answer.
    pub fn answer(&mut self, head: &impl Serialize, tail: &[u8]) {
        self.unsent.drain(..self.sent);
        self.sent = 0;
        self.unsent.extend(frame(head, tail));
        // Closed: a client that asks and never reads its answers.
        self.open &= self.unread() <= MOST_UNREAD;
    }

    /// Queues a refusal.
    pub fn refuse(&mut self, id: Option<u64>, code: &str, text: String) {
        self.answer(&Answer::Failed { id, error: refusal(code, text) }, &[]);
    }

    /// Reads what there is, up to one message.
    pub fn hear(&mut self) -> Heard {
        let waits = !self.greeted || !self.heard.is_empty() || self.closing;
        if waits && self.since.elapsed() > PATIENCE {
            self.open = false;
        }
        if self.closing || !self.open {
            return Heard::Nothing;
        }
        let mut chunk = [0; 65_536];
        // No more than a message is kept of it.
        while self.heard.len() < PREFIX + LONGEST_REQUEST {
            match self.stream.read(&mut chunk) {
                Ok(0) => {
                    self.open = false;
                    break;
                }
                Ok(n) => {
                    if self.heard.is_empty() {
                        self.since = Instant::now();
                    }
                    self.heard.extend(&chunk[..n]);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    self.open &= e.kind() == ErrorKind::WouldBlock;
                    break;
                }
            }
        }
        let Some(prefix) = self.heard.first_chunk() else { return Heard::Nothing };
        let (head, tail) = lengths(prefix);
        if head > LONGEST_REQUEST || tail != 0 {
            let text = format!("a message of {head} bytes and a tail of {tail}; it may have {LONGEST_REQUEST} bytes and no tail");
            return Heard::Broken(text);
        }
        if self.heard.len() < PREFIX + head {
            return Heard::Nothing;
        }
        let rest = self.heard.split_off(PREFIX + head);
        let message = std::mem::replace(&mut self.heard, rest).split_off(PREFIX);
        self.since = Instant::now();
        Heard::Message(message)
    }

    /// Sends as much as it takes.
    pub fn send(&mut self) {
        while self.open && self.unread() > 0 {
            match self.stream.write(&self.unsent[self.sent..]) {
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    self.open = e.kind() == ErrorKind::WouldBlock;
                    break;
                }
            }
        }
        if self.closing && self.unread() == 0 {
            self.open = false;
        }
    }
}
