//! A client's connection: whole messages in, with the descriptors that came with them, and replies
//! out. It never blocks.
use super::protocol::{HEADER, Header, MOST_FDS};
use rustix::cmsg_space;
use rustix::fd::OwnedFd;
use rustix::io::{Errno, IoSliceMut};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendFlags, recvmsg, send};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;

/// A message as it came.
#[derive(Debug)]
pub struct Incoming {
    /// Header of the message.
    pub header: Header,
    /// Bytes after the header.
    pub payload: Vec<u8>,
    /// The descriptors, or that there were more than can be taken.
    pub fds: Result<Vec<OwnedFd>, Errno>,
}

/// The connection is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client closed it, or it broke.
    Gone,
    /// The next message has a size that is none, so that there is no telling where the one after it
    /// starts; this is its header.
    Unreadable(Header),
}

/// A connection.
pub struct Connection {
    stream: UnixStream,
    input: Vec<u8>,
    fds: Vec<OwnedFd>,
    too_many: bool,
    output: Vec<u8>,
}

impl Connection {
    /// Takes a stream over.
    ///
    /// # Errors
    /// The stream cannot be used without blocking.
    pub fn new(stream: UnixStream) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Connection { stream, input: Vec::new(), fds: Vec::new(), too_many: false, output: Vec::new() })
    }

    /// The stream, to wait for it.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// There are bytes that the client has not taken yet. Nothing more is read from it meanwhile.
    pub fn is_sending(&self) -> bool {
        !self.output.is_empty()
    }

    /// Queues bytes and sends as many as go.
    ///
    /// # Errors
    /// The client is gone.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        self.output.extend(bytes);
        while !self.output.is_empty() {
            match send(&self.stream, &self.output, SendFlags::NOSIGNAL) {
                Ok(sent) => drop(self.output.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => break,
                Err(_) => return Err(Ended::Gone),
            }
        }
        Ok(())
    }

    /// The next message, if all of it is there.
    ///
    /// A message is read by itself, so that descriptors belong to the message with whose bytes they
    /// come.
    ///
    /// # Errors
    /// There will be none.
    pub fn receive(&mut self) -> Result<Option<Incoming>, Ended> {
        loop {
            let mut wanted = HEADER;
            if let Some(first) = self.input.first_chunk() {
                let header = Header::read(first);
                if !header.is_readable() {
                    return Err(Ended::Unreadable(header));
                }
                wanted = header.size as usize;
                if self.input.len() == wanted {
                    let payload = self.input.split_off(HEADER);
                    self.input.clear();
                    let (fds, too_many) = (std::mem::take(&mut self.fds), std::mem::take(&mut self.too_many));
                    return Ok(Some(Incoming { header, payload, fds: if too_many { Err(Errno::MFILE) } else { Ok(fds) } }));
                }
            }
            if !self.fill(wanted)? {
                return Ok(None);
            }
        }
    }

    /// Reads until `wanted` bytes are there at most; `false` when nothing has come.
    fn fill(&mut self, wanted: usize) -> Result<bool, Ended> {
        let have = self.input.len();
        self.input.resize(wanted, 0);
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut self.input[have..])];
        let got = recvmsg(&self.stream, &mut into, &mut control, RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC);
        self.input.truncate(have + got.as_ref().map_or(0, |m| m.bytes));
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                self.fds.extend(fds);
            }
        }
        self.too_many |= self.fds.len() > MOST_FDS;
        self.fds.truncate(MOST_FDS);
        match got {
            Ok(m) => {
                self.too_many |= m.flags.contains(ReturnFlags::CTRUNC);
                if m.bytes == 0 { Err(Ended::Gone) } else { Ok(true) }
            }
            Err(Errno::INTR) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(_) => Err(Ended::Gone),
        }
    }
}
