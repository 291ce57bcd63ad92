//! The driver over the socket of a NIC that is served: every access, burst and interrupt goes through vfio-user.
use std::net::Ipv4Addr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use timely_driver::nic::{End as Leave, Nic, Start};
use timely_driver::selftest::{self, Options, Peer};
use timely_driver::transport::vfio_user::VfioUser;
use timely_sim::cores;
use timely_sim::frame::address;
use timely_sim::scenario::NicKind;
use timely_sim::scenario::build::UDP_PORT;
use timely_sim::serve::device::Function;
use timely_sim::serve::listener::Listener;
use timely_sim::serve::setup::{self, HOST, PEER, Pair, wire};
use timely_sim::serve::{End, serve};
use timely_sim::time::{Speed, US};

/// A pair of NICs, one of them served, until this is dropped.
struct Served {
    path: PathBuf,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<Result<End, String>>>,
}

impl Served {
    fn start(kind: NicKind) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let path = std::env::temp_dir().join(format!("timely-driver-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let pair = Some(Pair { delay: 5 * US, flows: 1, profile: "timely-10g".into() });
        let options = setup::Options { kind, bus_bits: 64, flow_bits: 10, speed: Speed::gbps(10.0), pair, seed: 1 };
        let (ours, stop) = UnixStream::pair().expect("a pair of sockets");
        let listener = Listener::bind(&path).expect("a socket");
        let function = Function::new(wire(&options, &cores::known()).expect("the NICs"), true);
        let thread = std::thread::spawn(move || serve(&listener, function, &stop, None));
        Served { path, stop: Some(ours), thread: Some(thread) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        let end = self.thread.take().map(|t| t.join());
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        let _ = std::fs::remove_file(lock);
        assert!(std::thread::panicking() || matches!(end, Some(Ok(Ok(End::Stopped)))), "{end:?}");
    }
}

#[test]
fn the_self_test_passes_over_a_socket() {
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(kind);
        let own = (address::mac(HOST), Ipv4Addr::from(address::ipv4(HOST)));
        let peer = Peer { mac: address::mac(PEER), address: Ipv4Addr::from(address::ipv4(PEER)).into(), udp_port: UDP_PORT, own };
        let options = Options { peer: Some(peer), trusting: false };
        let open = &mut || Ok(Box::new(VfioUser::connect(&served.path)?) as Box<_>);
        let report = selftest::run(open, &options).unwrap_or_else(|e| panic!("{kind}: {e}"));
        println!("{kind}: {report}");
    }
}

/// A server that is stopped under the driver: it says so, and hangs nowhere.
#[test]
fn a_server_that_ends_is_missed() {
    let served = Served::start(NicKind::Model);
    let nic = Nic::open(Box::new(VfioUser::connect(&served.path).expect("a way")), Start::Fresh).expect("a device");
    drop(served);
    let text = nic.info().expect_err("the server has ended").to_string();
    assert!(text.contains("start it again"), "{text}");
    assert!(nic.close(Leave::Stopped).is_err());
}
