//! A NIC that is served over vfio-user by a thread of this process, until it is dropped.
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use timely_sim::cores;
use timely_sim::scenario::NicKind;
use timely_sim::serve::device::Function;
use timely_sim::serve::listener::Listener;
use timely_sim::serve::serve;
use timely_sim::serve::setup::{Options, Pair, wire};
use timely_sim::time::{Speed, US};

/// A served NIC.
pub struct Served {
    path: PathBuf,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

/// An unused path for a socket of this process.
pub fn fresh(what: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("timely-{what}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

impl Served {
    /// A NIC of 2^10 flows with a second one that answers; it goes on when its client leaves.
    pub fn start(kind: NicKind, flow_bits: u32) -> Self {
        let path = fresh("nic");
        let pair = Pair { delay: 5 * US, flows: 1, profile: "timely-10g".into() };
        let options = Options { kind, bus_bits: 64, flow_bits, speed: Speed::gbps(10.0), pair: Some(pair), seed: 1 };
        // Before anybody can connect: its Verilog may have to be compiled first, for longer than a
        // client waits.
        let function = Function::new(wire(&options, &cores::known()).expect("two NICs"), true);
        let listener = Listener::bind(&path).expect("a socket");
        let (stop, stopped) = UnixStream::pair().expect("a pair");
        let run = move || {
            serve(&listener, function, &stopped, None).expect("served");
        };
        Served { path, stop: Some(stop), thread: Some(std::thread::spawn(run)) }
    }

    /// Path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The thread sees that the other end is closed.
        self.stop = None;
        let ended = self.thread.take().is_none_or(|t| t.join().is_ok());
        assert!(ended || std::thread::panicking(), "the server panicked");
    }
}
