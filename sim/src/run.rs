//! Runs hosts and network together, hosts on several threads if wanted.
//!
//! Time goes in windows no longer than the shortest delay of a host's link. In a window every host is run first, by itself; then
//! the network. Nothing the network does in a window reaches a host before the window's end, so hosts need not wait for each
//! other, and the result does not depend on the number of threads.
use crate::frame::NodeId;
use crate::network::{Delivery, Network};
use crate::nic::{Nic, Outbox, Stats};
use crate::time::Ps;
use std::sync::mpsc;

struct Host {
    node: NodeId,
    nic: Box<dyn Nic>,
    out: Outbox,
}

/// Looks on while a simulation runs. A closure is one that is told the time alone.
pub trait Observer {
    /// The simulation has come to `now`; told now and then.
    fn progress(&mut self, now: Ps);

    /// What a host did in a window, before it goes into the network. A host's windows come in the order of time; which hosts come
    /// together, and how much is in a window, depends on the kind of NIC.
    fn host(&mut self, node: NodeId, done: &Outbox) {
        let _ = (node, done);
    }
}

impl<F: FnMut(Ps)> Observer for F {
    fn progress(&mut self, now: Ps) {
        self(now);
    }
}

/// A network and its hosts, ready to run.
pub struct Simulation {
    network: Network,
    // In groups, one for each thread; a host's place is in `place`.
    groups: Vec<Vec<Host>>,
    place: Vec<(usize, usize)>,
    window: Ps,
}

fn run_group(group: &mut [Host], until: Ps) {
    for h in group {
        if h.nic.next() < until {
            h.nic.advance(until, &mut h.out);
        }
    }
}

impl Simulation {
    /// Joins a network and the NICs of its hosts, to be run on `threads` threads.
    ///
    /// # Panics
    /// When `nics` are not those of the topology's hosts, in order.
    pub fn new(network: Network, nics: Vec<Box<dyn Nic>>, threads: usize) -> Self {
        let hosts: Vec<NodeId> = network.topology().hosts().collect();
        assert_eq!(hosts.len(), nics.len(), "one NIC for each host");
        let threads = threads.clamp(1, hosts.len().max(1));
        let mut groups: Vec<Vec<Host>> = (0..threads).map(|_| Vec::new()).collect();
        let mut place = vec![(usize::MAX, 0); network.topology().nodes()];
        for (i, (node, nic)) in hosts.into_iter().zip(nics).enumerate() {
            let g = i % threads;
            place[usize::from(node)] = (g, groups[g].len());
            groups[g].push(Host { node, nic, out: Outbox::default() });
        }
        let window = network.topology().lookahead();
        Simulation { network, groups, place, window }
    }

    fn host(&mut self, node: NodeId) -> &mut Host {
        let (g, i) = self.place[usize::from(node)];
        &mut self.groups[g][i]
    }

    // What the hosts sent goes into the network, hosts in order.
    fn collect(&mut self, observer: &mut impl Observer) {
        for node in 0..self.place.len() {
            let (g, i) = self.place[node];
            if g == usize::MAX {
                continue;
            }
            let h = &mut self.groups[g][i];
            observer.host(node as NodeId, &h.out);
            for d in h.out.departures.drain(..) {
                self.network.transmit(node as NodeId, d);
            }
            self.network.recorder.samples(node as NodeId, &h.out);
            h.out.clear();
        }
    }

    fn distribute(&mut self, until: Ps) {
        let deliveries: Vec<Delivery> = self.network.advance(until).collect();
        for d in deliveries {
            match d {
                Delivery::Frame(node, arrival) => self.host(node).nic.receive(arrival),
                Delivery::Pause(node, at, classes) => self.host(node).nic.pause(at, classes),
            }
        }
    }

    // The window that starts at `now`, or later when nothing happens before.
    fn window(&self, now: Ps, end: Ps) -> Ps {
        let hosts = self.groups.iter().flatten().map(|h| h.nic.next());
        let next = hosts.min().unwrap_or(end).min(self.network.next()).max(now);
        next.saturating_add(self.window).min(end)
    }

    /// Runs to `end`, with somebody looking on.
    pub fn run(mut self, end: Ps, mut observer: impl Observer) -> Finished {
        std::thread::scope(|scope| {
            // A worker gets a group, runs it, gives it back: no state is shared.
            let workers: Vec<_> = (1..self.groups.len())
                .map(|_| {
                    let (work, inbox) = mpsc::channel::<(Vec<Host>, Ps)>();
                    let (outbox, done) = mpsc::channel::<Vec<Host>>();
                    scope.spawn(move || {
                        while let Ok((mut group, until)) = inbox.recv() {
                            run_group(&mut group, until);
                            if outbox.send(group).is_err() {
                                break;
                            }
                        }
                    });
                    (work, done)
                })
                .collect();
            let (mut now, mut rounds) = (0, 0u32);
            while now < end {
                let until = self.window(now, end);
                for (i, (work, _)) in workers.iter().enumerate() {
                    let group = std::mem::take(&mut self.groups[i + 1]);
                    work.send((group, until)).expect("a worker ends only after its last window");
                }
                run_group(&mut self.groups[0], until);
                for (i, (_, done)) in workers.iter().enumerate() {
                    self.groups[i + 1] = done.recv().expect("a worker panicked; its message is above");
                }
                self.collect(&mut observer);
                self.distribute(until);
                now = until;
                rounds = rounds.wrapping_add(1);
                if rounds.is_multiple_of(64) {
                    observer.progress(now);
                }
            }
        });
        observer.progress(end);
        self.network.recorder.finish();
        let mut stats: Vec<(NodeId, Stats)> = self.groups.iter().flatten().map(|h| (h.node, h.nic.stats())).collect();
        stats.sort_by_key(|s| s.0);
        let mut nics: Vec<(NodeId, Box<dyn Nic>)> = self.groups.into_iter().flatten().map(|h| (h.node, h.nic)).collect();
        nics.sort_by_key(|n| n.0);
        Finished { network: self.network, stats, nics }
    }
}

/// A run that has ended.
pub struct Finished {
    /// The network, with what was recorded.
    pub network: Network,
    /// What each host's NIC counted.
    pub stats: Vec<(NodeId, Stats)>,
    /// The NICs, as the run left them.
    pub nics: Vec<(NodeId, Box<dyn Nic>)>,
}
