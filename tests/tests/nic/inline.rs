//! Helpers of the tests of in-line shells: frames of ours, a box that is ready, and how its output
//! is watched.
use std::io::{Write, stdout};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use timely_hw::config::FLOW_BITS;
use timely_regs::counters::Counter;
use timely_regs::device::Device;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{counters, flow, port, time};
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, Kind, LAST, Packet, check};
use timely_tests::board::{Board, HOST, Registers, Shape, WIRE};
use timely_tests::nic::PORT;
use timely_tests::{quick, rng, thorough};
use timely_verilate::Library;

pub const OWN_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 2];
pub const OWN: [u8; 4] = [10, 0, 0, 1];
/// Our IPv6 address.
pub const OWN6: [u8; 16] = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
pub const PEER: [u8; 4] = [10, 0, 0, 2];
/// In which the store comes round to a flow.
const SETTLE_CLOCKS: u32 = 8;

/// Whether this is a quick run, which leaves the tests of `what` out.
pub fn left_out(what: &str) -> bool {
    if quick() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: {what}: a test of the shell's behaviour, for which there is no time in a quick run").expect("stdout");
    }
    quick()
}

/// Whether a shell's behaviour is tested with 2^`flow_bits` flows: with those that are `usual` for
/// it, under `cargo xtask soak` with all that it is built for.
pub fn is_tested(flow_bits: usize, usual: usize) -> bool {
    if thorough() { FLOW_BITS.contains(&flow_bits) } else { flow_bits == usual }
}

/// From our NIC to the peer, or from it, between two UDP ports.
pub fn envelope(outwards: bool, port_source: u16, port_destination: u16) -> Envelope {
    let (here, there) = ((OWN_MAC, OWN), (PEER_MAC, PEER));
    let (from, to) = if outwards { (here, there) } else { (there, here) };
    Envelope {
        mac_destination: to.0,
        mac_source: from.0,
        tci: None,
        addresses: Addresses::V4 { source: from.1, destination: to.1 },
        tos: 0,
        ttl: 64,
        port_source,
        port_destination,
    }
}

/// A data frame of flow `flow` to the peer, or from it.
pub fn data(flow: u32, segment: u32, flags: u8, bytes: usize, outwards: bool) -> Vec<u8> {
    let header = Header { flags, flow, segment, nonce: segment ^ 0x5a5a_5a5a, ttl_sent: 64, ..Header::default() };
    envelope(outwards, 5000, PORT).frame(&header, &vec![segment as u8; bytes - 90])
}

pub struct Setup {
    pub profiles: Vec<Parameters>,
    /// Flows and their profiles.
    pub flows: Vec<(u32, u8)>,
    pub bound: u32,
    pub lead: u32,
}

pub fn prepared(library: &Arc<Library>, shape: Shape, setup: &Setup, seed: u64) -> Board {
    let mut board = Board::new(library, shape, rng(seed));
    let flows = with(&mut board, |d| {
        d.wait_ready().expect("cleared RAMs");
        d.set_mac(OWN_MAC).expect("a register");
        d.set_ipv4(OWN.into()).expect("a register");
        d.write(&port::UDP_PORT, PORT.into()).expect("a register");
        d.set_ipv6(OWN6.into()).expect("a register");
        d.allow(&[(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)]).expect("a list");
        d.write(&port::ACK_ENABLE, 1).expect("a register");
        d.write(&port::STORE_BOUND, setup.bound).expect("a register");
        d.write(&port::NS_PER_BYTE, 5243).expect("a register");
        d.write(&time::LEAD, setup.lead).expect("a register");
        for (i, p) in setup.profiles.iter().enumerate() {
            d.write_profile(i as u32, &p.quantise().expect("a profile")).expect("a profile");
        }
        let record = |profile| FlowRecord { enable: true, profile, payload_bytes: 1424, address: PEER.into(), ..FlowRecord::default() };
        let mut staged = None;
        for (flow, profile) in &setup.flows {
            if staged.replace(profile) == Some(profile) {
                // The staged record once more.
                d.write(&flow::INDEX, *flow).expect("a register");
                d.write(&flow::COMMAND, flow::LOAD).expect("a register");
            } else {
                d.load_flow(*flow, &record(*profile)).expect("a flow");
            }
        }
        d.key_nonces(1).expect("a key");
        d.enable(true).expect("a register");
        d.flows()
    });
    // Until the store has looked at every flow: before, what was loaded is still to be discarded.
    for _ in 0..SETTLE_CLOCKS * flows {
        board.tick();
    }
    board
}

pub fn with<T>(board: &mut Board, what: impl FnOnce(&Device<Registers<'_>>) -> T) -> T {
    what(&Device::open(Registers(board.into())).expect("the register map"))
}

pub fn counter(board: &mut Board, which: Counter) -> u32 {
    with(board, |d| d.read_at(&counters::COUNTER, which as u32).expect("a counter"))
}

pub fn fixed(mbps: f64) -> Parameters {
    Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) }
}

/// The frame is from our address to our peer's: the addresses of the flows that [`prepared`] loads.
pub fn names_its_addresses(frame: &[u8]) -> bool {
    let mut head = [0; 128];
    head[..frame.len().min(128)].copy_from_slice(&frame[..frame.len().min(128)]);
    let Ok((class, _)) = check(&head, frame.len(), PORT) else { return false };
    let ip = if class.vlan { 18 } else { 14 };
    !class.ipv6 && frame[ip + 12..ip + 20] == [OWN, PEER].concat()
}

/// The flow of a data packet that a box of `flows` flows must take for ours.
pub fn flow_of(frame: &[u8], flows: u32) -> Option<u32> {
    let mut head = [0; 128];
    head[..frame.len().min(128)].copy_from_slice(&frame[..frame.len().min(128)]);
    let (class, kind) = check(&head, frame.len(), PORT).ok()?;
    let header = Header::read(frame[class.header()..class.end()].try_into().ok()?);
    (kind == Kind::Data && header.flow < flows).then_some(header.flow)
}

/// From our own address, to our peer's port: what the box itself sends.
pub fn is_ack(frame: &[u8]) -> bool {
    frame.len() >= 90 && frame[6..12] == OWN_MAC && Packet::new_checked(frame, PORT).is_ok_and(|p| p.kind() == Kind::Ack)
}

/// Sends `frames` of a flow whenever the store has room, until `clocks` have passed; gives the
/// clocks at which they left.
pub fn departures(board: &mut Board, flow: u32, bytes: usize, meta: u128, clocks: u64) -> Vec<u64> {
    let end = board.clk() + clocks;
    let (mut out, mut n, mut inside) = (Vec::new(), 0, 0);
    while board.clk() < end {
        if inside < 8 {
            let frame = data(flow, n, FIRST | LAST, bytes, true);
            board.send(HOST, frame, meta);
            (n, inside) = (n + 1, inside + 1);
        }
        board.tick();
        for f in board.take(WIRE).iter().filter(|f| flow_of(&f.bytes, flow + 1) == Some(flow)) {
            out.push(f.clocks.0);
            inside -= 1;
        }
    }
    out
}

/// Memory that is not there.
pub struct Nowhere;

impl timely_regs::device::Memory for Nowhere {
    fn address(&self) -> u64 {
        0x1000
    }
    fn bytes(&self) -> usize {
        1 << 20
    }
    fn read(&self, _: usize, to: &mut [u8]) {
        to.fill(0);
    }
    fn write(&self, _: usize, _: &[u8]) {}
}
