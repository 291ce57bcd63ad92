//! The driver over the socket of a NIC that is served: every access, burst and interrupt goes
//! through vfio-user.
use crate::alone;
use std::net::Ipv4Addr;
use timely_driver::nic::{End as Leave, Nic, Start};
use timely_driver::selftest::{self, Options, Peer};
use timely_driver::transport::vfio_user::VfioUser;
use timely_sim::frame::UDP_PORT;
use timely_sim::frame::address;
use timely_sim::scenario::NicKind;
use timely_sim::serve::setup::{HOST, PEER};
use timely_tests::left_to_soak;
use timely_tests::served::Served;

#[test]
fn the_self_test_passes_over_a_socket() {
    let _alone = alone();
    let kinds = [NicKind::Model, NicKind::Rtl];
    let left_out = left_to_soak("driver::served: the Verilog over a socket, which a test in process has");
    for kind in kinds.into_iter().filter(|k| !left_out || *k == NicKind::Model) {
        let served = Served::start(kind, 10);
        let own = (address::mac(HOST), Ipv4Addr::from(address::ipv4(HOST)));
        let peer = Peer { mac: address::mac(PEER), address: Ipv4Addr::from(address::ipv4(PEER)).into(), udp_port: UDP_PORT, own };
        let options = Options { peer: Some(peer) };
        let open = &mut || Ok(Box::new(VfioUser::connect(served.path())?) as Box<_>);
        let report = selftest::run(open, &options).unwrap_or_else(|e| panic!("{kind}: {e}"));
        println!("{kind}: {report}");
    }
}

/// A server that is stopped under the driver: it says so, and hangs nowhere.
#[test]
fn a_server_that_ends_is_missed() {
    let _alone = alone();
    let served = Served::start(NicKind::Model, 10);
    let nic = Nic::open(Box::new(VfioUser::connect(served.path()).expect("a way")), Start::Fresh).expect("a device");
    drop(served);
    let text = nic.info().expect_err("the server has ended").to_string();
    assert!(text.contains("start it again"), "{text}");
    assert!(nic.close(Leave::Stopped).is_err());
}
