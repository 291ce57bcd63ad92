//! The driver on bit-true NICs: its self-test on every transport that there is here, and devices
//! that go away.
mod daemon;
mod served;
mod torn;

use std::net::Ipv4Addr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use timely_driver::nic::{Nic, Start};
use timely_driver::selftest::{self, Options, Peer};
use timely_regs::map::{HEADER_VERSION, dma, id};
use timely_sim::frame::address;
use timely_tests::in_process::InProcess;
use timely_tests::nic::PORT;
use timely_tests::nic::{HOST, model, verilog};

/// Tests run one at a time: a child that one of them starts has the sockets of all until it is a
/// process of its own, and meanwhile a client that has left seems to be there still.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The NIC itself, to which the wire leads back.
fn itself() -> Peer {
    let (mac, ipv4) = (address::mac(HOST), Ipv4Addr::from(address::ipv4(HOST)));
    Peer { mac, address: ipv4.into(), udp_port: PORT, own: (mac, ipv4) }
}

#[test]
fn the_self_test_passes_in_process() {
    let _alone = alone();
    for (name, nic) in [("model", model(64, 10)), ("Verilog", verilog(64, 10))] {
        let nic = InProcess::new(nic, u64::MAX);
        let options = Options { peer: Some(itself()) };
        let report = selftest::run(&mut || Ok(Box::new(nic.clone())), &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        println!("{name}, {} accesses: {report}", u64::MAX - nic.left());
    }
}

/// A device that is gone from one access on, whichever: the driver says so, and hangs nowhere.
#[test]
fn a_device_that_goes_away_is_missed() {
    let _alone = alone();
    let whole = InProcess::new(model(64, 10), u64::MAX);
    let options = Options { peer: Some(itself()) };
    selftest::run(&mut || Ok(Box::new(whole.clone())), &options).expect("a device that stays");
    let accesses = u64::MAX - whole.left();
    // More of the first ones, of which each is another step of opening; then all the way.
    for at in (1..30).chain((30..accesses).step_by(accesses as usize / 20)) {
        let nic = InProcess::new(model(64, 10), at);
        let text = selftest::run(&mut || Ok(Box::new(nic.clone())), &options).expect_err("a device that goes").to_string();
        assert!(text.contains("0xffffffff"), "gone at access {at} of {accesses}: {text}");
    }
}

/// A device that is no timely-nic, or one of another version, is not touched but for the command
/// register and a reset.
#[test]
fn another_device_is_refused() {
    let _alone = alone();
    let version = dma::BLOCK.base + HEADER_VERSION;
    let cases = [
        (id::MAGIC_WORD.address(), 0x1234_5678, "the magic word is 0x12345678, not 0x544d4c59"),
        (version, 9, "register block dma has version 9, this software knows 1: use the software of the bitstream"),
        (dma::BLOCK.base, 0, "no register block dma"),
        (id::FLOW_BITS.address(), 18, "BAR 0 has 0x1000000 bytes; 262144 flows need 0x1400000"),
    ];
    for (offset, value, expected) in cases {
        let nic = InProcess::new(model(64, 10), u64::MAX);
        nic.spoil(offset, value);
        let text = Nic::open(Box::new(nic), Start::Fresh).err().expect("another device").to_string();
        assert!(text.contains(expected), "{text}");
    }
}
