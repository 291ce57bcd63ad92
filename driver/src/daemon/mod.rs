//! `timelyd`: one thread that owns a NIC, kicks its heartbeat, drains its event ring, and answers
//! clients. The thread waits for all of these at once and never for a client.
mod connection;
pub mod gauges;
pub mod http;
mod listen;
mod metrics;
mod refclock;
mod totals;

pub use listen::{Listening, check_metrics};

use crate::Error;
use crate::config::ConfigError;
use crate::nic::End;
use crate::protocol::{Answer, Asked, Hello, Refusal, VERSION, Welcome};
use crate::report::EventReport;
use crate::say::{Lasting, Often, note};
use crate::service::{Request, Service, ServiceError};
use connection::{Connection, Heard};
use metrics::Scrape;
use refclock::Refclock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use timely_regs::event::BYTES;
use totals::Totals;

/// Most clients; more are refused.
const MOST_CLIENTS: usize = 64;
/// The longest wait, so that the ring is drained and silent clients are closed.
const TURN: Duration = Duration::from_millis(50);
/// Time between two looks whether the NIC is there and as it was left.
const LOOKS_APART: Duration = Duration::from_secs(1);
/// Bytes that a client subscribed to events may leave unread; beyond them events are lost for the
/// client, and counted.
const MOST_UNREAD: usize = 32 << 20;

/// How a daemon is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub socket: PathBuf,
    /// Users that may use it, beside root and its own.
    pub users: Vec<u32>,
    /// Period of the heartbeat: a NIC without a kick for so long stops by itself.
    pub heartbeat: Option<Duration>,
    /// Where metrics are served; a loopback address.
    pub metrics: Option<SocketAddr>,
    /// Socket of a reference clock of chronyd's, which is told the card's PTP date.
    pub refclock: Option<PathBuf>,
}

/// Why a daemon could not go on.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The device.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A socket.
    #[error("{what}: {source}; {next}")]
    Socket {
        /// Socket that failed, with its path or address.
        what: String,
        /// Why.
        source: io::Error,
        /// Next step for the user.
        next: &'static str,
    },
    /// Changes that could not be saved to the end.
    #[error(
        "timelyd has ended, and changes that were made since its file was last written are lost: {0}; the next start configures the NIC as the \
         file says, so make them again then"
    )]
    Lost(ConfigError),
    /// Metrics for everybody.
    #[error("metrics at {0}: they are served on this machine alone; give a loopback address, as 127.0.0.1:9464")]
    NotLoopback(SocketAddr),
}

impl From<Error> for DaemonError {
    fn from(e: Error) -> Self {
        DaemonError::Service(e.into())
    }
}

fn socket_error(what: impl Into<String>, next: &'static str) -> impl FnOnce(io::Error) -> DaemonError {
    let what = what.into();
    move |source| DaemonError::Socket { what, source, next }
}

/// A daemon.
pub struct Daemon {
    service: Service,
    options: Options,
    listening: Listening,
    clients: Vec<Connection>,
    scrapes: Vec<Scrape>,
    /// Counters for metrics.
    totals: Totals,
    /// Connections for metrics were closed for new ones: said once.
    crowded: bool,
    stop: Box<dyn AsFd + Send>,
    /// Why the events of all clients are over, until they were told.
    over: Option<String>,
    /// When the NIC is looked at next, whatever the heartbeat is.
    look: Instant,
    /// The socket is gone and cannot be made again: said once.
    deaf: bool,
    /// The heartbeat was lost.
    losses: Often,
    /// Changes are not saved.
    unsaved: Lasting,
    refclock: Option<Refclock>,
}

impl Daemon {
    /// With a configured NIC; it ends when `stop` can be read, as a descriptor of signals.
    ///
    /// # Errors
    /// When it cannot listen, or the heartbeat cannot be asked for.
    pub fn new(service: Service, options: Options, stop: impl AsFd + Send + 'static) -> Result<Self, DaemonError> {
        let listening = Listening::new(&options)?;
        Self::at(listening, service, options, stop)
    }

    /// A daemon as [`Daemon::new`] makes it, on sockets that were taken before the NIC was opened.
    ///
    /// # Errors
    /// When the heartbeat cannot be asked for.
    pub fn at(listening: Listening, mut service: Service, options: Options, stop: impl AsFd + Send + 'static) -> Result<Self, DaemonError> {
        service.nic.set_heartbeat(options.heartbeat)?;
        service.stay();
        let (clients, scrapes) = (Vec::new(), Vec::new());
        let refclock = options.refclock.as_deref().map(Refclock::new).transpose()?;
        Ok(Daemon {
            service,
            options,
            listening,
            clients,
            scrapes,
            totals: Totals::new(Instant::now()),
            crowded: false,
            stop: Box::new(stop),
            over: None,
            look: Instant::now(),
            deaf: false,
            losses: Often::default(),
            unsaved: Lasting::default(),
            refclock,
        })
    }

    /// Where metrics are served.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.listening.metrics.as_ref().and_then(|m| m.local_addr().ok())
    }

    /// Serves until it is stopped or the kernel wants the device back; then the NIC is stopped and
    /// closed.
    ///
    /// # Errors
    /// When the device is gone, or was reset by another hand.
    pub fn run(mut self) -> Result<(), DaemonError> {
        let served = self.serve();
        drop(self.listening);
        let saved = self.service.save_again(None);
        // Flows first, then DMA: `close` does it in that order.
        let closed = self.service.nic.close(End::Stopped);
        if let (Err(e), Err(_)) = (&served, &saved) {
            note(e);
        }
        saved.map_err(DaemonError::Lost)?;
        served?;
        Ok(closed?)
    }

    fn serve(&mut self) -> Result<(), DaemonError> {
        loop {
            self.kick()?;
            self.look(Instant::now())?;
            self.tell_losses(Instant::now());
            if self.wait()? {
                return Ok(());
            }
            self.drain()?;
            self.admit();
            self.talk()?;
            self.scrape()?;
            self.count(Instant::now())?;
            self.save_again(Instant::now());
            if let Some(refclock) = &mut self.refclock {
                refclock.turn(&self.service)?;
            }
        }
    }

    /// Kicks the heartbeat when it is due.
    fn kick(&mut self) -> Result<(), DaemonError> {
        match self.service.nic.kick_if_due() {
            Err(Error::HeartbeatLost) => self.recover(),
            other => Ok(other?),
        }
    }

    /// Looks once a second whether the NIC is there, and as it was left.
    fn look(&mut self, now: Instant) -> Result<(), DaemonError> {
        if now < self.look {
            return Ok(());
        }
        self.look = now + LOOKS_APART;
        self.look_at_socket();
        Ok(self.service.nic.must_be_as_left()?)
    }

    /// Listens again where the socket was removed, and says so; that it cannot, once.
    fn look_at_socket(&mut self) {
        match self.listening.renew() {
            Ok(again) => {
                if again {
                    note(format_args!("the socket {} was removed, and is there again", self.options.socket.display()));
                }
                self.deaf = false;
            }
            Err(e) => {
                if !std::mem::replace(&mut self.deaf, true) {
                    note(format_args!("timelyctl finds this daemon no more: {e}"));
                }
            }
        }
    }

    fn recover(&mut self) -> Result<(), DaemonError> {
        self.losses.happened();
        self.tell_losses(Instant::now());
        Ok(self.service.nic.recover()?)
    }

    /// Looks at the counters that metrics have, before any wraps unseen.
    fn count(&mut self, now: Instant) -> Result<(), DaemonError> {
        if self.listening.metrics.is_none() {
            return Ok(());
        }
        match self.totals.turn(&mut self.service, now) {
            // What else fails, a scrape says.
            Err(e) if e.is_gone() => Err(e.into()),
            _ => Ok(()),
        }
    }

    /// Saves what could not be saved; says when that begins, each minute, and when it ends.
    fn save_again(&mut self, now: Instant) {
        if let Ok(true) = self.service.save_again(Some(now)) {
            note("changes that could not be saved are saved now");
        }
        let unsaved = self.service.unsaved();
        if self.unsaved.due(unsaved.is_some(), now) {
            let why = unsaved.unwrap_or_default();
            note(format_args!("changes are in force and not saved: {why}; an end of timelyd before that loses them"));
        }
    }

    /// Says that the heartbeat was lost: once a second, however often it is.
    fn tell_losses(&mut self, now: Instant) {
        let Some(times) = self.losses.due(now) else { return };
        let (period, times) =
            (self.options.heartbeat.unwrap_or_default(), if times == 1 { String::new() } else { format!(" {times} times") });
        note(format_args!("the heartbeat was lost{times}: this process was held up for longer than {period:?}; flows go on"));
    }

    /// Waits until there is something to do; `true` when it is time to end.
    fn wait(&mut self) -> Result<bool, DaemonError> {
        let kick = self.service.nic.next_kick().map_or(TURN, |at| at.saturating_duration_since(Instant::now()));
        let left = kick.min(TURN).min(self.refclock.as_ref().map_or(TURN, Refclock::wait));
        let removal = self.service.nic.transport().removal();
        let mut fds = vec![PollFd::from_borrowed_fd(self.stop.as_fd(), PollFlags::IN), PollFd::new(&self.listening.socket, PollFlags::IN)];
        let first = fds.len();
        fds.extend(removal.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.listening.metrics.iter().map(|m| PollFd::new(m, PollFlags::IN)));
        fds.extend(self.service.nic.vectors().iter().map(|v| PollFd::new(v, PollFlags::IN)));
        fds.extend(self.clients.iter().map(|c| PollFd::from_borrowed_fd(c.as_fd(), c.wanted())));
        fds.extend(self.scrapes.iter().map(|s| PollFd::from_borrowed_fd(s.as_fd(), s.wanted())));
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut fds, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(socket_error("waiting", "this should not happen")(e.into())),
        }
        let signalled = !fds[0].revents().is_empty();
        let wanted = removal.is_some() && !fds[first].revents().is_empty();
        for vector in self.service.nic.vectors() {
            // The count is not needed: the ring is drained at every turn.
            let _ = rustix::io::read(vector, &mut [0; 8]);
        }
        if wanted {
            note("the kernel wants the device back");
        }
        Ok(signalled || wanted)
    }

    /// Takes events from the ring and gives them to the subscribed clients.
    fn drain(&mut self) -> Result<(), DaemonError> {
        if self.service.nic.events_total().is_none() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let (report, goes_on) = self.service.drain_events(|r| bytes.extend(r.to_bytes()))?;
        for client in self.clients.iter_mut().filter(|c| c.events) {
            client.lost += report.lost + report.broken;
            if client.unread() > MOST_UNREAD {
                client.lost += (bytes.len() / BYTES) as u64;
            } else if !bytes.is_empty() || client.lost > 0 {
                let lost = std::mem::take(&mut client.lost);
                client.answer(&Answer::Events { lost }, &bytes);
            }
        }
        match goes_on {
            Ok(()) => Ok(()),
            Err(Error::HeartbeatLost) => self.recover(),
            Err(e) => {
                self.over = Some(e.to_string());
                self.service.nic.stop_events()?;
                tell(&mut self.over, &mut self.clients);
                Ok(())
            }
        }
    }

    fn admit(&mut self) {
        while let Ok((stream, _)) = self.listening.socket.accept() {
            let Ok(mut client) = Connection::new(stream) else { continue };
            let own = rustix::process::geteuid().as_raw();
            let refusal = match client.user {
                Some(user) if user == 0 || user == own || self.options.users.contains(&user) => None,
                user => {
                    let who = user.map_or("somebody unknown".into(), |u| format!("user {u}"));
                    let uid = user.map_or("UID".into(), |u| u.to_string());
                    Some(("permission", format!("{who} may not use this daemon; start timelyd with --allow-uid {uid}, or use sudo")))
                }
            };
            let full = || Some(("refused", format!("{MOST_CLIENTS} clients are connected already; end one of them")));
            let refusal = refusal.or_else(|| if self.clients.len() < MOST_CLIENTS { None } else { full() });
            if let Some((code, text)) = refusal {
                client.refuse(None, code, text);
                client.close();
            }
            self.clients.push(client);
        }
    }

    /// Reads what clients say and does what they ask.
    fn talk(&mut self) -> Result<(), DaemonError> {
        let mut clients = std::mem::take(&mut self.clients);
        for i in 0..clients.len() {
            let client = &mut clients[i];
            // One request a turn and client: no client waits for a hundred of another's.
            match client.hear() {
                Heard::Nothing => {}
                Heard::Broken(text) => {
                    client.refuse(None, "malformed", text);
                    client.close();
                }
                Heard::Message(head) => {
                    // Others' requests took their time too.
                    self.kick()?;
                    self.heard(client, &head)?;
                }
            }
            client.send();
            tell(&mut self.over, &mut clients);
        }
        clients.retain(Connection::is_open);
        if self.service.nic.events_total().is_some() && !clients.iter().any(|c| c.events) {
            self.service.nic.stop_events()?;
        }
        self.clients = clients;
        Ok(())
    }

    fn heard(&mut self, client: &mut Connection, head: &[u8]) -> Result<(), DaemonError> {
        if !client.greeted {
            match serde_json::from_slice::<Hello>(head) {
                Ok(Hello { version: VERSION, .. }) => {
                    client.greeted = true;
                    let server = concat!("timelyd ", env!("CARGO_PKG_VERSION")).into();
                    client.answer(&Welcome { version: VERSION, server, device: self.service.nic.name().into() }, &[]);
                }
                Ok(hello) => {
                    client.refuse(
                        None,
                        "version",
                        format!("this daemon speaks version {VERSION}, not {}; use its timelyctl", hello.version),
                    );
                    client.close();
                }
                Err(e) => {
                    client.refuse(None, "malformed", format!("the first message must name a version: {e}"));
                    client.close();
                }
            }
            return Ok(());
        }
        let asked: Asked = match serde_json::from_slice(head) {
            Ok(asked) => asked,
            Err(e) => {
                let id = serde_json::from_slice::<serde_json::Value>(head).ok().and_then(|v| v.get("id")?.as_u64());
                client.refuse(id, "malformed", format!("the request is not understood: {e}; docs/driver.md has all of them"));
                return Ok(());
            }
        };
        let (id, request) = (asked.id, asked.request);
        let subscribes = match request {
            Request::Events { every, .. } => Some(every != 0),
            _ => None,
        };
        if subscribes == Some(false) {
            // For others the ring goes on; behind the last one it is stopped.
            client.events = false;
            client.answer(&Answer::Done { id, result: serde_json::json!(EventReport::default()) }, &[]);
            return Ok(());
        }
        let resets = request == Request::Reset {};
        if resets && let Ok(counters) = self.service.nic.counters() {
            self.totals.take_counters(counters);
        }
        let recorded = self.service.nic.event_settings().is_some();
        let done = self.service.handle(request);
        if recorded && self.service.nic.event_settings().is_none() {
            let why = done.as_ref().err().map_or("the NIC was reset, and its events ended".into(), ToString::to_string);
            self.over = Some(format!("{why}; ask for events again"));
        }
        match done {
            Ok(result) => {
                client.events = subscribes.unwrap_or(client.events);
                client.answer(&Answer::Done { id, result }, &[]);
            }
            Err(e) => {
                client.refuse(Some(id), e.code().0, e.to_string());
                // Of a device that is gone the daemon can tell nothing more.
                if e.is_gone() {
                    client.send();
                    return Err(e.into());
                }
            }
        }
        if resets {
            if let Ok(counters) = self.service.nic.counters() {
                self.totals.take_reset(counters);
            }
            self.service.nic.set_heartbeat(self.options.heartbeat)?;
        }
        Ok(())
    }

    fn scrape(&mut self) -> Result<(), DaemonError> {
        // Fewer a turn than there may be: each that asks at once is read before it is the oldest.
        for _ in 0..MOST_CLIENTS / 2 {
            let Some(Ok((stream, _))) = self.listening.metrics.as_ref().map(TcpListener::accept) else { break };
            let Some(scrape) = Scrape::new(stream) else { continue };
            if metrics::make_room(&mut self.scrapes, MOST_CLIENTS) && !std::mem::replace(&mut self.crowded, true) {
                note(format_args!(
                    "{MOST_CLIENTS} connections to the metrics' address wait: for each new one the oldest that asked nothing is closed, from now on without a word"
                ));
            }
            self.scrapes.push(scrape);
        }
        for mut scrape in std::mem::take(&mut self.scrapes) {
            self.kick()?;
            let mut gone = None;
            let text = |format| {
                metrics::text(&mut self.service, &mut self.totals, format).map_err(|e| {
                    let told = e.to_string();
                    gone = e.is_gone().then_some(e);
                    told
                })
            };
            if scrape.turn(Instant::now(), text) {
                self.scrapes.push(scrape);
            }
            if let Some(e) = gone {
                return Err(e.into());
            }
        }
        Ok(())
    }
}

/// Ends the event subscriptions of clients with the text of `over`, if there is one.
fn tell(over: &mut Option<String>, clients: &mut [Connection]) {
    let Some(text) = over.take() else { return };
    for client in clients.iter_mut().filter(|c| c.events) {
        client.events = false;
        client.refuse(None, "device", text.clone());
        client.send();
    }
}

/// Error of a refused request.
fn refusal(code: &str, text: String) -> Refusal {
    Refusal { code: code.into(), text }
}
