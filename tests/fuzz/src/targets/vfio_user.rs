//! A client of a NIC that is served over vfio-user. The server is the same for all inputs and
//! outlives each; a client that goes resets the NIC.
//!
//! An input is messages: a byte each of command, of flags and descriptors, and of the payload's
//! length, then the payload. The header around it is right, or the payload is sent by itself. Every
//! whole message has one reply, with its number, or the connection ends.
use crate::check::{HANG, path};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::IoSlice;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, sendmsg, shutdown};
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::LazyLock;
use timely_sim::cores;
use timely_sim::scenario::NicKind;
use timely_sim::serve::device::Function;
use timely_sim::serve::listener::Listener;
use timely_sim::serve::serve;
use timely_sim::serve::setup::{Options, wire};
use timely_sim::time::Speed;

/// Bytes of a header.
const HEADER: usize = 16;
/// The first message, which most inputs have said for them.
const HELLO: &[u8] = b"\0\0\x01\0{\"capabilities\":{\"max_msg_fds\":8}}\0";
const NO_REPLY: u32 = 1 << 4;
/// In the byte of flags: the low four bits are flags' of a header, and the others:
const SILENT: u8 = 1 << 4;
const RAW: u8 = 1 << 5;
const DESCRIPTOR: u8 = 1 << 6;
const EVENT: u8 = 1 << 7;

static SERVER: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = path("nic");
    let options = Options { kind: NicKind::Model, bus_bits: 64, flow_bits: 4, speed: Speed::gbps(10.0), pair: None, seed: 1 };
    let function = Function::new(wire(&options, &cores::known()).expect("a modelled NIC"), false);
    let listener = Listener::bind(&path).expect("a socket");
    // Nothing stops it but the end of this process.
    let (stop, held) = UnixStream::pair().expect("a pair");
    std::thread::spawn(move || {
        let end = serve(&listener, function, &stop, None);
        drop(held);
        panic!("the server ended: {end:?}");
    });
    path
});

struct Client(UnixStream);

impl Client {
    fn new() -> Self {
        let stream = UnixStream::connect(&*SERVER).expect("the server listens");
        stream.set_read_timeout(Some(HANG)).and_then(|()| stream.set_write_timeout(Some(HANG))).expect("timeouts");
        Client(stream)
    }

    // `false` when the server has closed the connection.
    fn send(&self, bytes: &[u8], fds: &[BorrowedFd]) -> bool {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
        }
        sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL).is_ok_and(|n| n == bytes.len())
    }

    // Number, command, flags and error of a reply; `None` when the connection has ended.
    fn reply(&mut self) -> Option<(u16, u16, u32, u32)> {
        let mut header = [0; HEADER];
        match self.0.read_exact(&mut header) {
            Ok(()) => {}
            Err(e) => {
                assert!(e.kind() != std::io::ErrorKind::WouldBlock, "no reply after {HANG:?}");
                return None;
            }
        }
        let word = |at: usize| u32::from_ne_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let size = word(4) as usize;
        assert!((HEADER..=1 << 16).contains(&size), "a reply of {size} bytes");
        let mut payload = vec![0; size - HEADER];
        self.0.read_exact(&mut payload).expect("the rest of a reply");
        let half = |at: usize| u16::from_ne_bytes([header[at], header[at + 1]]);
        let (flags, error) = (word(8), word(12));
        assert!(flags == 0x01 && error == 0 || flags == 0x21 && error != 0 && payload.is_empty(), "flags {flags:#x}, error {error}");
        Some((half(0), half(2), flags, error))
    }

    // A message and its reply; `false` at the end of the connection.
    fn call(&mut self, id: u16, command: u16, flags: u32, payload: &[u8], fds: &[BorrowedFd]) -> bool {
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(id.to_ne_bytes());
        bytes.extend(command.to_ne_bytes());
        for word in [(HEADER + payload.len()) as u32, flags, 0] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend(payload);
        if !self.send(&bytes, fds) {
            return false;
        }
        if flags & NO_REPLY != 0 {
            return true;
        }
        let Some((of, to, ..)) = self.reply() else { return false };
        assert_eq!((of, to), (id, command), "the reply to another message");
        true
    }
}

fn descriptor(event: bool) -> OwnedFd {
    if event {
        return eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).expect("an eventfd");
    }
    let memory = memfd_create("memory", MemfdFlags::CLOEXEC).expect("a memfd");
    ftruncate(&memory, 1 << 16).expect("its length");
    memory
}

pub fn run(input: &[u8]) {
    let Some((first, mut rest)) = input.split_first() else { return };
    let mut client = Client::new();
    // Bit 0: the input says hello itself.
    if first & 1 == 0 {
        assert!(client.call(0, 1, 0, HELLO, &[]), "hello was not answered");
    }
    let mut id = 0;
    while let Some(([command, how, bytes], more)) = rest.split_first_chunk() {
        let (payload, next) = more.split_at(more.len().min(usize::from(*bytes)));
        rest = next;
        let fd = (how & DESCRIPTOR != 0).then(|| descriptor(how & EVENT != 0));
        let fds: Vec<BorrowedFd> = fd.iter().map(AsFd::as_fd).collect();
        if how & RAW != 0 {
            // Where messages in it begin is not known here: nothing more is said.
            client.send(payload, &fds);
            break;
        }
        id += 1;
        let flags = u32::from(how & 15) | if how & SILENT != 0 { NO_REPLY } else { 0 };
        if !client.call(id, (*command).into(), flags, payload, &fds) {
            return;
        }
    }
    let _ = shutdown(&client.0, Shutdown::Write);
    while client.reply().is_some() {}
}
