//! Runs hosts and network together, hosts on several threads if wanted.
//!
//! Time goes in windows no longer than the shortest delay of a host's link. In a window every host
//! is run by itself; when all were, the network is run with what they sent. What a host sends in a
//! window comes to a switch a window later at the earliest, and what the switch does comes to a
//! host a window after that: so a host begins a window when all have ended the last but one, and a
//! thread seldom waits for another. The result does not depend on the number of threads.
use crate::frame::NodeId;
use crate::network::{Delivery, Network};
use crate::nic::{Nic, Outbox, Stats};
use crate::time::{Ps, US};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Simulated time after the last flow's last ACK in which its sender takes the ACK in and writes
/// its records.
const AFTER: Ps = 100 * US;

/// Observer of a running simulation. A closure is an observer of the time alone.
pub trait Observer: Send {
    /// The simulation has come to `now`; called now and then.
    fn progress(&mut self, now: Ps);

    /// Takes the events of a host in a window, before they go into the network. A host's windows
    /// come in the order of time; which hosts come together, and how much is in a window, depends
    /// on the kind of NIC.
    fn host(&mut self, node: NodeId, done: &Outbox) {
        let _ = (node, done);
    }
}

impl<F: FnMut(Ps) + Send> Observer for F {
    fn progress(&mut self, now: Ps) {
        self(now);
    }
}

/// A network and its hosts, ready to run.
pub struct Simulation {
    network: Network,
    hosts: Vec<(NodeId, Box<dyn Nic>)>,
    threads: usize,
}

/// A host and what the others need not know of it.
struct Host {
    node: NodeId,
    /// Not here while a thread runs it.
    nic: Option<Box<dyn Nic>>,
    /// The window that it runs next.
    next: u64,
    /// Windows that the host has ended and the network has not: frames sent in each, and the time
    /// of the host's next event of its own.
    ended: VecDeque<(Outbox, Ps)>,
    /// Deliveries to the host, each with the window before which the NIC is given it.
    arriving: VecDeque<(u64, Delivery)>,
}

impl Host {
    /// Tells the NIC what reaches it in its next window and after it.
    fn receive(&mut self, nic: &mut dyn Nic) {
        while let Some((_, d)) = self.arriving.pop_front_if(|d| d.0 <= self.next) {
            match d {
                Delivery::Frame(_, arrival) => nic.receive(arrival),
                Delivery::Pause(_, at, classes) => nic.pause(at, classes),
            }
        }
    }
}

/// State that the threads share. Windows have numbers from 0.
struct Shared<O> {
    network: Network,
    observer: O,
    hosts: Vec<Host>,
    /// Where in `hosts` a node is.
    place: Vec<usize>,
    /// Length of a window.
    window: Ps,
    end: Ps,
    /// All flows were complete before `end`, which is sooner for it.
    complete: bool,
    /// Windows that the network has run.
    done: u64,
    /// The windows after these that hosts may run: each one's end, and how many hosts have not
    /// ended it. Two, but one where hosts are joined without a switch.
    open: VecDeque<(Ps, usize)>,
    /// Time of the first delivery to hosts, for each window before which the hosts are given them.
    reaches: VecDeque<Ps>,
    /// Hosts that can be run.
    ready: VecDeque<usize>,
    spare: Vec<Outbox>,
    failed: bool,
}

impl<O: Observer> Shared<O> {
    /// Opens a window, which ends by the shortest delay after anything can happen; that is at
    /// `wake`.
    fn open(&mut self, wake: Ps) {
        let last = self.open.back().map_or(0, |w| w.0);
        if last < self.end {
            let number = self.done + self.open.len() as u64;
            self.open.push_back((wake.max(last).saturating_add(self.window).min(self.end), self.hosts.len()));
            let waiting = self.hosts.iter().enumerate().filter(|(_, h)| h.next == number && h.nic.is_some());
            self.ready.extend(waiting.map(|(i, _)| i));
        }
    }

    /// A host that has something to do in its next window, and the end of that; those that have not
    /// have ended theirs.
    fn take(&mut self) -> Option<(usize, Box<dyn Nic>, Outbox, Ps)> {
        while let Some(i) = self.ready.pop_front() {
            let h = &mut self.hosts[i];
            let mut nic = h.nic.take().expect("it is ready");
            h.receive(&mut *nic);
            let until = self.open[(h.next - self.done) as usize].0;
            let out = self.spare.pop().unwrap_or_default();
            if nic.next() < until {
                return Some((i, nic, out, until));
            }
            self.give(i, nic, out);
        }
        None
    }

    /// A host that has ended its window.
    fn give(&mut self, i: usize, nic: Box<dyn Nic>, out: Outbox) {
        let h = &mut self.hosts[i];
        h.ended.push_back((out, nic.next()));
        h.nic = Some(nic);
        self.open[(h.next - self.done) as usize].1 -= 1;
        h.next += 1;
        if h.next - self.done < self.open.len() as u64 {
            self.ready.push_back(i);
        }
        if self.open[0].1 == 0 {
            self.run_network();
        }
    }

    /// Runs the network with what the hosts sent in a window that all have ended: to the end of the
    /// last that is open, as what they send in the later ones arrives after that.
    fn run_network(&mut self) {
        let mut wake = Ps::MAX;
        for h in &mut self.hosts {
            let (mut out, next) = h.ended.pop_front().expect("all hosts have ended the window");
            wake = wake.min(next);
            self.observer.host(h.node, &out);
            for d in out.departures.drain(..) {
                self.network.transmit(h.node, d);
            }
            self.network.recorder.samples(h.node, &out);
            out.clear();
            self.spare.push(out);
        }
        let (now, until) = (self.open[0].0, self.open.back().map_or(0, |w| w.0));
        let before = self.done + self.reaches.len() as u64;
        let mut first = Ps::MAX;
        for d in self.network.advance(until) {
            let (node, at) = match &d {
                Delivery::Frame(node, arrival) => (*node, arrival.start),
                Delivery::Pause(node, at, _) => (*node, *at),
            };
            first = first.min(at);
            self.hosts[self.place[usize::from(node)]].arriving.push_back((before, d));
        }
        // A window's network is run by one thread, whatever the number of threads, and what it
        // recorded is of that window: so is the end.
        if !self.complete && self.network.recorder.is_complete() {
            (self.complete, self.end) = (true, self.end.min(until.saturating_add(AFTER)));
        }
        self.reaches.pop_front();
        self.reaches.push_back(first);
        self.open(self.reaches.iter().fold(wake, |w, at| w.min(*at)).min(self.network.next()));
        self.open.pop_front();
        self.done += 1;
        if self.done.is_multiple_of(64) {
            self.observer.progress(now);
        }
    }
}

/// The threads' state, and what tells them that it changed.
struct Crew<O>(Mutex<Shared<O>>, Condvar);

impl<O: Observer> Crew<O> {
    fn lock(&self) -> MutexGuard<'_, Shared<O>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs hosts until all windows are done, or a thread has panicked.
    fn work(&self) {
        let _guard = Guard(self);
        let mut shared = self.lock();
        while !shared.failed && !shared.open.is_empty() {
            if let Some((i, mut nic, mut out, until)) = shared.take() {
                drop(shared);
                nic.advance(until, &mut out);
                shared = self.lock();
                shared.give(i, nic, out);
                self.1.notify_all();
            } else if !shared.open.is_empty() {
                shared = self.1.wait(shared).unwrap_or_else(PoisonError::into_inner);
            }
        }
        self.1.notify_all();
    }
}

/// Frees the threads that wait for one that panicked.
struct Guard<'a, O: Observer>(&'a Crew<O>);

impl<O: Observer> Drop for Guard<'_, O> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().failed = true;
            self.0.1.notify_all();
        }
    }
}

impl Simulation {
    /// Joins a network and the NICs of its hosts, to be run on `threads` threads.
    ///
    /// # Panics
    /// When `nics` are not those of the topology's hosts, in order.
    pub fn new(network: Network, nics: Vec<Box<dyn Nic>>, threads: usize) -> Self {
        let nodes: Vec<NodeId> = network.topology().hosts().collect();
        assert_eq!(nodes.len(), nics.len(), "one NIC for each host");
        let threads = threads.clamp(1, nodes.len().max(1));
        Simulation { network, hosts: nodes.into_iter().zip(nics).collect(), threads }
    }

    /// Runs to `end` or until all flows are complete, under an observer.
    pub fn run(self, end: Ps, observer: impl Observer) -> Finished {
        let topology = self.network.topology();
        let window = topology.lookahead();
        let is_joined = |h: NodeId| topology.ports(h).iter().any(|p| !topology.is_switch(p.peer));
        let ahead = if topology.hosts().any(is_joined) { 1 } else { 2 };
        let mut place = vec![usize::MAX; topology.nodes()];
        self.hosts.iter().enumerate().for_each(|(i, h)| place[usize::from(h.0)] = i);
        let wake = self.hosts.iter().map(|h| h.1.next()).min().unwrap_or(end).min(self.network.next());
        let host = |(node, nic)| Host { node, nic: Some(nic), next: 0, ended: VecDeque::new(), arriving: VecDeque::new() };
        let mut shared = Shared {
            network: self.network,
            observer,
            hosts: self.hosts.into_iter().map(host).collect(),
            place,
            window,
            end,
            complete: false,
            done: 0,
            open: VecDeque::new(),
            reaches: VecDeque::from(vec![Ps::MAX; ahead]),
            ready: VecDeque::new(),
            spare: Vec::new(),
            failed: false,
        };
        (0..ahead).for_each(|_| shared.open(wake));
        let crew = Crew(Mutex::new(shared), Condvar::new());
        std::thread::scope(|scope| {
            (1..self.threads).for_each(|_| drop(scope.spawn(|| crew.work())));
            crew.work();
        });
        let Shared { mut network, mut observer, hosts, end, .. } = crew.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        observer.progress(end);
        network.recorder.finish();
        let nics: Vec<(NodeId, Box<dyn Nic>)> = hosts
            .into_iter()
            .map(|mut h| {
                let mut nic = h.nic.take().expect("no thread runs it");
                h.next = u64::MAX;
                h.receive(&mut *nic);
                (h.node, nic)
            })
            .collect();
        let stats = nics.iter().map(|(node, nic)| (*node, nic.stats())).collect();
        Finished { network, stats, nics, end }
    }
}

/// A run that has ended.
pub struct Finished {
    /// The network, with what was recorded.
    pub network: Network,
    /// Counters of each host's NIC.
    pub stats: Vec<(NodeId, Stats)>,
    /// End of the run: as asked, or behind the last flow's completion when all flows had an end.
    pub end: Ps,
    /// The NICs, as the run left them.
    pub nics: Vec<(NodeId, Box<dyn Nic>)>,
}
