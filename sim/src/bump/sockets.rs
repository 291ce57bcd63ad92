//! The machines' side of both ends: two sockets at which one machine each may connect, as QEMU's
//! `-netdev stream` does. In front of each frame, without FCS, are four bytes of its length, the
//! most significant first.
use super::{ENDS, Shared};
use crate::output::note;
use crate::serve::device::Order;
use crate::serve::listener::Listener;
use crate::serve::wire::End;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use timely_regs::link::LONGEST_FRAME;

/// Bytes in front of a frame.
const LENGTH: usize = 4;
/// Bytes of an Ethernet header, and so of the shortest frame that is one.
const SHORTEST: usize = 14;
/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// A machine.
struct Machine {
    stream: UnixStream,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Bytes of `output` that were sent.
    sent: usize,
    /// Nothing more comes; what has come is still passed on.
    ended: bool,
}

/// Why a machine's connection ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Gone,
    /// The next frame has so many bytes.
    Unreadable(usize),
}

impl Machine {
    fn new(stream: UnixStream) -> std::io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Machine { stream, input: Vec::new(), output: Vec::new(), sent: 0, ended: false })
    }

    /// Whole frames that have come, while `wanted`.
    fn frames(&mut self, wanted: impl Fn() -> bool, mut give: impl FnMut(Vec<u8>)) -> Result<(), Ended> {
        let mut at = 0;
        while wanted() {
            let Some(head) = self.input[at..].first_chunk::<LENGTH>() else { break };
            let bytes = u32::from_be_bytes(*head) as usize;
            if !(SHORTEST..=LONGEST_FRAME as usize).contains(&bytes) {
                return Err(Ended::Unreadable(bytes));
            }
            let Some(frame) = self.input.get(at + LENGTH..at + LENGTH + bytes) else { break };
            give(frame.to_vec());
            at += LENGTH + bytes;
        }
        self.input.drain(..at);
        Ok(())
    }

    fn receive(&mut self) {
        let had = self.input.len();
        self.input.resize(had + CHUNK, 0);
        let read = self.stream.read(&mut self.input[had..]);
        self.input.truncate(had + read.as_ref().map_or(0, |n| *n));
        self.ended = match read {
            Ok(n) => n == 0,
            Err(e) => !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
    }

    /// Sends what goes, and what `next` has behind it.
    fn send(&mut self, mut next: impl FnMut() -> Option<Vec<u8>>) -> Result<(), Ended> {
        loop {
            if self.sent == self.output.len() {
                let Some(frame) = next() else { return Ok(()) };
                self.output.clear();
                self.sent = 0;
                self.output.extend((frame.len() as u32).to_be_bytes());
                self.output.extend(frame);
            }
            match self.stream.write(&self.output[self.sent..]) {
                Ok(0) => return Err(Ended::Gone),
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Ended::Gone),
            }
        }
    }

    fn is_sending(&self) -> bool {
        self.sent < self.output.len()
    }
}

/// The sockets.
pub struct Sockets<'a> {
    listeners: [&'a Listener; 2],
    machines: [Option<Machine>; 2],
    shared: &'a Shared,
    woken: UnixStream,
    orders: Sender<Order>,
}

impl<'a> Sockets<'a> {
    /// The host's socket and the network's; frames go to the NIC as `orders`.
    pub fn new(listeners: [&'a Listener; 2], shared: &'a Shared, woken: UnixStream, orders: Sender<Order>) -> Self {
        Sockets { listeners, machines: [None, None], shared, woken, orders }
    }

    /// Passes frames until the NIC has stopped.
    ///
    /// # Errors
    /// A socket cannot be waited for, or no machine can be let in any more.
    pub fn run(mut self) -> Result<(), String> {
        while !self.shared.closed.load(Ordering::Acquire) {
            let (knocked, ready) = self.wait()?;
            for end in ENDS {
                if knocked[end as usize] {
                    self.admit(end)?;
                }
                self.pass(end, ready[end as usize]);
            }
        }
        Ok(())
    }

    // Which listeners have a machine in front of them, and whose streams can be read.
    fn wait(&mut self) -> Result<([bool; 2], [bool; 2]), String> {
        let mut fds = vec![PollFd::new(&self.woken, PollFlags::IN)];
        fds.extend(self.listeners.iter().map(|l| PollFd::new(l.socket(), PollFlags::IN)));
        let mut at = [0; 2];
        for end in ENDS {
            let Some(m) = self.machines[end as usize].as_ref().filter(|m| !m.ended) else { continue };
            let mut wanted = PollFlags::empty();
            if self.shared.may_come(end) {
                wanted |= PollFlags::IN;
            }
            if m.is_sending() || self.shared.sends(end) {
                wanted |= PollFlags::OUT;
            }
            at[end as usize] = fds.len();
            fds.push(PollFd::new(&m.stream, wanted));
        }
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(format!("waiting for frames: {e}")),
        }
        let came = |i: usize| fds[i].revents();
        let ready = at.map(|i| i > 0 && came(i).intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR));
        let result = ([!came(1).is_empty(), !came(2).is_empty()], ready);
        let woken = !came(0).is_empty();
        drop(fds);
        if woken {
            // One read is enough: what is left wakes again.
            let _ = self.woken.read(&mut [0; 256]);
        }
        Ok(result)
    }

    fn admit(&mut self, end: End) -> Result<(), String> {
        let Some(stream) = self.listeners[end as usize].accept()? else { return Ok(()) };
        if self.machines[end as usize].is_some() {
            note(format_args!("refused a machine at the {}: one is connected", name(end)));
        } else if let Ok(machine) = Machine::new(stream) {
            self.machines[end as usize] = Some(machine);
            self.shared.connected(end, true);
            note(format_args!("a machine is connected at the {}", name(end)));
        }
        Ok(())
    }

    fn pass(&mut self, end: End, ready: bool) {
        let Some(mut machine) = self.machines[end as usize].take() else { return };
        match self.exchange(end, &mut machine, ready) {
            Ok(()) => self.machines[end as usize] = Some(machine),
            Err(ended) => {
                self.shared.connected(end, false);
                match ended {
                    Ended::Gone => note(format_args!("the machine at the {} has gone", name(end))),
                    Ended::Unreadable(bytes) => note(format_args!(
                        "closed the connection at the {}: a frame of {bytes} bytes, where {SHORTEST} to {LONGEST_FRAME} are possible",
                        name(end)
                    )),
                }
            }
        }
    }

    fn exchange(&self, end: End, machine: &mut Machine, ready: bool) -> Result<(), Ended> {
        let shared = self.shared;
        // What was read before waits for room.
        if ready {
            machine.receive();
        }
        let mut stopped = false;
        machine.frames(
            || shared.may_come(end),
            |frame| {
                shared.coming(end);
                stopped |= self.orders.send(Order::Frame(end, frame)).is_err();
            },
        )?;
        // Of an end that takes no frame now, whole ones may be left.
        if stopped || machine.ended && shared.may_come(end) {
            return Err(Ended::Gone);
        }
        machine.send(|| shared.next(end))
    }
}

fn name(end: End) -> &'static str {
    match end {
        End::Host => "host's end",
        End::Network => "network's end",
    }
}
