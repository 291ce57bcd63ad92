//! Where packets really go: a veth pair between two network namespaces, network namespaces of the
//! user's with NICs in them, or loopback.
//!
//! A namespace belongs to a thread: each end of the wire is a [`Worker`], on whose thread sockets
//! are made and `ip` and `tc` are run. With the threads the namespaces go that were made for them.
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::net::IpAddr;
use std::process::Command;
use std::sync::mpsc;
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other.
pub struct Worker {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// A worker in the namespace of the calling thread.
    pub fn spawn() -> Self {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let thread = std::thread::spawn(move || inbox.into_iter().for_each(|job| job()));
        Worker { jobs: Some(jobs), thread: Some(thread) }
    }

    /// Begins a job, whose result the receiver gets.
    pub fn start<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> mpsc::Receiver<T> {
        let (done, result) = mpsc::channel();
        if let Some(jobs) = &self.jobs {
            // A dropped receiver means that the result is not wanted.
            let _ = jobs.send(Box::new(move || drop(done.send(job()))));
        }
        result
    }

    /// Does a job.
    pub fn run<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> T {
        self.start(job).recv().expect("a job of the measurement panicked; its message is above")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A user's pair of namespaces.
#[derive(Clone, Debug)]
pub struct Named {
    /// Namespace of the sender and its device, as in `tx:eth1`.
    pub from: (String, String),
    /// Namespace of the receiver.
    pub to: String,
    /// Address of the receiver's device.
    pub address: IpAddr,
}

/// Two ends of a wire.
pub struct Site {
    /// The end that sends.
    pub sender: Worker,
    /// The end that receives.
    pub receiver: Worker,
    /// The sender's device, if its queueing discipline may be changed.
    pub device: Option<String>,
    /// Where the receiver listens.
    pub address: IpAddr,
    /// Description of the site, for people.
    pub title: String,
    /// Features that the site lacks, and why.
    pub left_out: Option<String>,
}

const SENDER: &str = "192.0.2.1/30";
const RECEIVER: &str = "192.0.2.2/30";

/// Runs a program of iproute2; its complaint in a line.
pub fn tool(words: &str) -> Result<(), String> {
    output(words).map(drop)
}

/// Output of a program of iproute2, its lines joined by `; `.
pub fn output(words: &str) -> Result<String, String> {
    let mut split = words.split(' ');
    let program = split.next().unwrap_or("ip");
    let out = Command::new(program).args(split).output().map_err(|e| format!("{program} (package iproute2) did not start: {e}"))?;
    let line = |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::trim).collect::<Vec<_>>().join("; ");
    if out.status.success() { Ok(line(&out.stdout)) } else { Err(format!("`{words}`: {}", line(&out.stderr))) }
}

fn enter(name: &str) -> Result<(), String> {
    let path = format!("/run/netns/{name}");
    let file = File::open(&path).map_err(|e| format!("network namespace {name}: {path}: {e}; `ip netns add {name}` makes one"))?;
    setns(file, CloneFlags::CLONE_NEWNET).map_err(|e| format!("network namespace {name} cannot be entered: {e}; it takes root"))
}

fn virtual_pair(sender: &Worker, receiver: &Worker) -> Result<(), String> {
    let apart = || {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|e| format!("no network namespace can be made: {e}"))?;
        Ok::<_, String>(nix::unistd::gettid())
    };
    sender.run(apart)?;
    let there = receiver.run(apart)?;
    sender.run(move || {
        tool(&format!("ip link add v0 type veth peer name v1 netns {there}"))?;
        tool(&format!("ip address add {SENDER} dev v0"))?;
        tool("ip link set v0 up")
    })?;
    receiver.run(|| {
        tool(&format!("ip address add {RECEIVER} dev v1"))?;
        tool("ip link set lo up")?;
        tool("ip link set v1 up")
    })
}

impl Site {
    /// A veth pair between two namespaces of its own; loopback where there are none to be had.
    pub fn open() -> Self {
        let (sender, receiver) = (Worker::spawn(), Worker::spawn());
        match virtual_pair(&sender, &receiver) {
            Ok(()) => Site {
                sender,
                receiver,
                device: Some("v0".into()),
                address: IpAddr::from([192, 0, 2, 2]),
                title: "a veth pair between two network namespaces".into(),
                left_out: None,
            },
            Err(e) => Site {
                // Threads that may be in a namespace of their own are of no use any more.
                sender: Worker::spawn(),
                receiver: Worker::spawn(),
                device: None,
                address: IpAddr::from([127, 0, 0, 1]),
                title: "loopback".into(),
                left_out: Some(format!("{e}: over loopback, without queueing disciplines; as root there is more")),
            },
        }
    }

    /// Namespaces that are there, with devices that are up and have addresses.
    ///
    /// # Errors
    /// A namespace cannot be entered, or the device is not there; the sentence says what to do.
    pub fn named(of: &Named) -> Result<Self, String> {
        let (sender, receiver) = (Worker::spawn(), Worker::spawn());
        let (from, to, device) = (of.from.0.clone(), of.to.clone(), of.from.1.clone());
        sender.run(move || enter(&from).and_then(|()| tool(&format!("ip link show dev {device}"))))?;
        receiver.run(move || enter(&to))?;
        Ok(Site {
            sender,
            receiver,
            device: Some(of.from.1.clone()),
            address: of.address,
            title: format!("device {} in namespace {}, to {} in namespace {}", of.from.1, of.from.0, of.address, of.to),
            left_out: None,
        })
    }

    /// Keeps the receiver's Ethernet address from being asked for again, or (false) lets it: `etf`
    /// drops each packet without a launch time, and ARP's have none. The neighbour must be known.
    pub fn hold_neighbour(&self, hold: bool) {
        if let Some(device) = &self.device {
            let state = if hold { "permanent" } else { "stale" };
            let words = format!("ip neigh change {} dev {device} nud {state}", self.address);
            // Behind a router it is another address that is asked for; then rows say what arrived.
            let _ = self.sender.run(move || tool(&words));
        }
    }

    /// Gives the sender's device a queueing discipline.
    ///
    /// # Errors
    /// The kernel refuses the discipline, or the site is loopback, whose discipline is left alone.
    pub fn discipline(&self, kind: &str) -> Result<(), String> {
        let Some(device) = &self.device else {
            return Err("loopback's queueing discipline is left alone; it takes a network namespace".into());
        };
        let [delete, add] = [format!("tc qdisc del dev {device} root"), format!("tc qdisc add dev {device} root {kind}")];
        self.sender.run(move || {
            // An `etf` that is there cannot be given other parameters; where there is none this
            // fails.
            let _ = tool(&delete);
            tool(&add)
        })
    }

    /// Statistics of the queueing discipline: packets sent, dropped and waiting.
    pub fn queueing(&self) -> Option<String> {
        let words = format!("tc -s qdisc show dev {} root", self.device.as_ref()?);
        self.sender.run(move || output(&words)).ok().filter(|said| !said.is_empty())
    }

    /// Bounds the packets that the kernel hands to the sender's device at a time; 0: as many as it
    /// likes.
    pub fn segments(&self, most: u32) {
        if let Some(device) = &self.device {
            let words = format!("ip link set dev {device} gso_max_segs {}", if most == 0 { 65_535 } else { most });
            // A device that has no such bound gets larger bursts, as the figures show.
            let _ = self.sender.run(move || tool(&words));
        }
    }

    /// Removes the queueing discipline.
    pub fn plain(&self) {
        if let Some(device) = &self.device {
            let words = format!("tc qdisc del dev {device} root");
            // The device may have no queueing discipline.
            let _ = self.sender.run(move || tool(&words));
        }
    }
}
