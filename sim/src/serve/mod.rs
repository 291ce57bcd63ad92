//! `timely-sim serve`: a bit-true NIC as a PCI device behind a UNIX socket, for any client of
//! vfio-user: QEMU's `vfio-user-pci`, or `timely-driver`.
//!
//! | file | what is in it |
//! |---|---|
//! | `mod` | the loop over sockets: one client at a time, a refusal for others |
//! | [`listener`], [`socket`], [`protocol`] | the socket file, messages in and out, what they mean |
//! | [`device`] | the PCI function and the thread that owns it |
//! | [`shell`] | the card around the NIC: its BARs, and where in them the registers are |
//! | [`config`], [`vectors`], [`windows`] | configuration space, MSI-X, DMA |
//! | [`wire`], [`pace`] | the NIC, or two with a link, in simulated time; how fast that runs |
//! | [`setup`], [`command`] | makes the NICs from options; the command line |
//!
//! The loop never blocks on a client: not on half a message, and not on one that does not take its
//! replies. It waits for the thread that owns the device, which answers every request after a
//! bounded number of clocks.
//!
//! A refused register access is not an error of the socket's: the NIC counts it, as on PCI Express.
//! An access beyond a region, or of a wrong size, is.
pub mod command;
pub mod config;
pub mod device;
pub mod listener;
pub mod pace;
pub mod protocol;
pub mod setup;
pub mod shell;
pub mod socket;
pub mod vectors;
pub mod windows;
pub mod wire;

use crate::output::note;
use device::{Function, Order};
use listener::Listener;
use protocol::{HEADER, Message};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use shell::Shell;
use socket::{Connection, Ended, Incoming};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Connections beside the client's that wait for their refusal; the oldest is closed without one
/// when there are more.
const MOST_REFUSED: usize = 8;

/// Why the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `stop` could be read, or was closed.
    Stopped,
    /// There was no client for as long as was said.
    Idle,
}

/// The client that has the device.
struct Client {
    connection: Connection,
    /// The client has negotiated the version.
    greeted: bool,
}

struct Server<'a> {
    listener: &'a Listener,
    shell: &'static Shell,
    orders: Sender<Order>,
    client: Option<Client>,
    refused: Vec<Connection>,
    /// Since when there has been no client.
    alone: Instant,
}

/// Events that the server waits for.
struct Ready {
    stopped: bool,
    knocked: bool,
    served: bool,
    /// The client has closed its end.
    left: bool,
}

/// Serves a function at a socket until `stop` can be read or is closed, or there was no client for
/// `idle`.
///
/// # Errors
/// The server cannot go on; the sentence says why.
pub fn serve(listener: &Listener, function: Function, stop: &impl AsFd, idle: Option<Duration>) -> Result<End, String> {
    serve_beside(listener, function, stop, idle, drop, || {})
}

/// Serves a function as [`serve`] does, while `beside` gives its thread orders of its own; `close`
/// is called when the server has ended, and has to end `beside`.
///
/// # Errors
/// The server cannot go on; the sentence says why.
pub fn serve_beside(
    listener: &Listener,
    function: Function,
    stop: &impl AsFd,
    idle: Option<Duration>,
    beside: impl FnOnce(Sender<Order>) + Send,
    close: impl FnOnce(),
) -> Result<End, String> {
    let (orders, inbox) = channel();
    let shell = function.shell();
    std::thread::scope(|scope| {
        let others = orders.clone();
        let aside = std::thread::Builder::new().name("frames".into());
        aside.spawn_scoped(scope, move || beside(others)).map_err(|e| format!("no thread for frames: {e}"))?;
        // The thread ends when `orders` is dropped with the server.
        let nic = std::thread::Builder::new().name("nic".into());
        if let Err(e) = nic.spawn_scoped(scope, move || function.run(&inbox)) {
            close();
            return Err(format!("no thread for the NIC: {e}"));
        }
        let end = Server { listener, shell, orders, client: None, refused: Vec::new(), alone: Instant::now() }.run(stop, idle);
        close();
        end
    })
}

impl Server<'_> {
    fn run(mut self, stop: &impl AsFd, idle: Option<Duration>) -> Result<End, String> {
        loop {
            let left = match (idle, &self.client) {
                (Some(idle), None) => Some(idle.saturating_sub(self.alone.elapsed())),
                _ => None,
            };
            if left == Some(Duration::ZERO) {
                return Ok(End::Idle);
            }
            let ready = self.wait(stop, left)?;
            if ready.stopped {
                return Ok(End::Stopped);
            }
            if ready.served {
                self.serve_client()?;
            }
            // A client that has gone makes room for one that connects; its last messages are still
            // read.
            while ready.left && self.client.is_some() {
                self.serve_client()?;
            }
            if ready.knocked
                && let Some(stream) = self.listener.accept()?
            {
                self.admit(stream)?;
            }
            self.refuse();
        }
    }

    /// Waits until something comes: from `stop`, the listener, the client; or from one that is to
    /// be refused.
    fn wait(&self, stop: &impl AsFd, left: Option<Duration>) -> Result<Ready, String> {
        // The client is looked at after the listener: when another one connects after the client
        // has left, it is seen that the client has left.
        let mut fds = vec![PollFd::new(stop, PollFlags::IN), PollFd::new(self.listener.socket(), PollFlags::IN)];
        if let Some(c) = &self.client {
            let wanted = if c.connection.is_sending() { PollFlags::OUT } else { PollFlags::IN };
            fds.push(PollFd::new(c.connection.stream(), wanted));
        }
        fds.extend(self.refused.iter().map(|r| PollFd::new(r.stream(), PollFlags::IN)));
        let left = left.map(|l| Timespec { tv_sec: l.as_secs() as i64, tv_nsec: l.subsec_nanos().into() });
        match poll(&mut fds, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(format!("waiting for a client: {e}")),
        }
        let came = |i: usize| fds.get(i).map_or(PollFlags::empty(), |f| f.revents());
        let client = if self.client.is_some() { came(2) } else { PollFlags::empty() };
        Ok(Ready {
            stopped: !came(0).is_empty(),
            knocked: !came(1).is_empty(),
            served: !client.is_empty(),
            left: client.intersects(PollFlags::HUP | PollFlags::ERR),
        })
    }

    fn order(&self, order: Order) -> Result<(), String> {
        self.orders.send(order).map_err(|_| "the NIC has stopped; why is said above".into())
    }

    fn admit(&mut self, stream: UnixStream) -> Result<(), String> {
        let who = rustix::net::sockopt::socket_peercred(&stream).map_or(0, |c| c.pid.as_raw_nonzero().get());
        let Ok(connection) = Connection::new(stream) else { return Ok(()) };
        if self.client.is_some() {
            note(format_args!("refused process {who}: the NIC has a client already"));
            if self.refused.len() == MOST_REFUSED {
                self.refused.remove(0);
            }
            self.refused.push(connection);
            return Ok(());
        }
        self.client = Some(Client { connection, greeted: false });
        self.order(Order::Connected)
    }

    /// Answers the connections that wait for a refusal, by an error to their first message.
    fn refuse(&mut self) {
        self.refused.retain_mut(|r| match r.receive() {
            Ok(None) => true,
            Ok(Some(Incoming { header, .. })) | Err(Ended::Unreadable(header)) => {
                let _ = r.send(&header.answer(&Err(Errno::BUSY)));
                false
            }
            Err(Ended::Gone) => false,
        });
    }

    /// Takes one message of the client's, or sends what it did not take before.
    fn serve_client(&mut self) -> Result<(), String> {
        let Some(mut client) = self.client.take() else { return Ok(()) };
        match self.talk(&mut client)? {
            Ok(()) => self.client = Some(client),
            Err(ended) => {
                if let Ended::Unreadable(header) = ended {
                    let _ = client.connection.send(&header.answer(&Err(Errno::MSGSIZE)));
                    note(format_args!(
                        "closed the connection: a message of {} bytes, where {HEADER} to {} are possible",
                        header.size,
                        protocol::LONGEST
                    ));
                }
                self.alone = Instant::now();
                self.order(Order::Gone)?;
            }
        }
        Ok(())
    }

    fn talk(&self, client: &mut Client) -> Result<Result<(), Ended>, String> {
        if client.connection.is_sending() {
            return Ok(client.connection.send(&[]));
        }
        let Incoming { header, payload, fds } = match client.connection.receive() {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(Ok(())),
            Err(ended) => return Ok(Err(ended)),
        };
        let understood = fds.and_then(|fds| protocol::understand(&header, &payload, fds, self.shell));
        let result = match understood {
            Ok(Message::Hello(text)) if !client.greeted => {
                client.greeted = true;
                Ok(text)
            }
            Ok(_) if !client.greeted => Err(Errno::PROTO),
            Ok(Message::Hello(_)) => Err(Errno::INVAL),
            Ok(Message::Known(bytes)) => Ok(bytes),
            Ok(Message::Device(request, mut before)) => self.ask(request)?.map(|bytes| {
                before.extend(bytes);
                before
            }),
            Err(e) => Err(e),
        };
        // A client that does not speak the protocol is told so once.
        let closes = !client.greeted;
        let sent = if header.is_silent() { Ok(()) } else { client.connection.send(&header.answer(&result)) };
        Ok(if closes { Err(Ended::Gone) } else { sent })
    }

    fn ask(&self, request: protocol::Request) -> Result<Result<Vec<u8>, Errno>, String> {
        let (answer, inbox) = channel();
        self.order(Order::Ask(request, answer))?;
        inbox.recv().map_err(|_| "the NIC has stopped; why is said above".into())
    }
}
