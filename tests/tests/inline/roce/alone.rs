//! One host's packets, one by one, through the model of the NIC: their order, and pauses.
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::rxe::envelope;
use super::table::{command, read, take};
use std::collections::VecDeque;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::counters::Counter;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Error, Extension, check, opcode};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};
use timely_tests::frames::pfc;
use timely_tests::nic::{build, counters};

pub const HOST: u16 = 1;
pub const PEER: u16 = 2;
const LOCAL: u32 = 0x11;
const REMOTE: u32 = 0x23;

/// A NIC whose host has one joined pair at a fixed rate.
fn nic(mbps: f64) -> Inline<Model> {
    let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, 100.0, 0);
    put_mac(&mut nic, address::mac(HOST));
    let done = command(&mut nic, mapped(PEER), REMOTE, Some(LOCAL), roce::SET);
    assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
    nic
}

fn request(code: u8, psn: u32, bytes: usize) -> Vec<u8> {
    request_of(REMOTE, code, psn, bytes)
}

/// A request of the host's pair with this remote number.
pub fn request_of(remote: u32, code: u8, psn: u32, bytes: usize) -> Vec<u8> {
    let bth = Bth { opcode: code, queue_pair: remote, psn, ack_request: true, partition_key: 0xffff, ..Bth::default() };
    let extension = Extension { message_bytes: bytes as u32, ..Extension::default() };
    bth.frame(&envelope(HOST, PEER, 0xc011), &extension, &vec![7; bytes])
}

/// Runs `clocks` clocks with these frames from the host and from the wire; the frames that leave,
/// with their clocks.
pub fn run(nic: &mut Inline<Model>, clocks: u64, host: &[Vec<u8>], wire: &[Vec<u8>]) -> Vec<(u64, Vec<u8>)> {
    run_both(nic, clocks, host, wire).left
}

/// Frames that leave, with their clocks, frames that reach the host, and samples.
#[derive(Default)]
struct Seen {
    left: Vec<(u64, Vec<u8>)>,
    risen: Vec<Vec<u8>>,
    samples: u32,
}

/// As [`run`], and all that is seen.
fn run_both(nic: &mut Inline<Model>, clocks: u64, host: &[Vec<u8>], wire: &[Vec<u8>]) -> Seen {
    let cut = |frames: &[Vec<u8>]| -> VecDeque<Beat> { frames.iter().flat_map(|f| beats(f, BUS as usize).collect::<Vec<_>>()).collect() };
    let (mut host, mut wire) = (cut(host), cut(wire));
    let (mut leaving, mut rising, mut seen) = (Assembler::default(), Assembler::default(), Seen::default());
    for _ in 0..clocks {
        let clk = nic.clk();
        let beat = |q: &VecDeque<Beat>| q.front().map(|b| (*b, 0));
        let out = nic.drive(In { host: beat(&host), host_ready: true, wire: beat(&wire), wire_ready: true, ..In::default() });
        if out.host_ready {
            host.pop_front();
        }
        if out.wire_taken {
            wire.pop_front();
        }
        if let Some(frame) = out.wire.and_then(|w| leaving.push(&w.beat)) {
            seen.left.push((clk, frame));
        }
        seen.risen.extend(out.host.and_then(|(beat, _)| rising.push(&beat)));
        seen.samples += u32::from(out.sample.is_some());
    }
    assert!(host.is_empty() && wire.is_empty(), "all frames are taken");
    seen
}

/// Bad frames from the wire are counted, as many as there are, reach the host as they came and end
/// no timing; requests go on at their rate.
#[test]
fn bad_frames_are_counted_and_stall_nothing() {
    let mut nic = nic(1000.0);
    let good = |psn: u32| {
        let bth = Bth { opcode: opcode::ACK, queue_pair: LOCAL, psn, partition_key: 0xffff, ..Bth::default() };
        bth.frame(&envelope(PEER, HOST, 0xc011), &Extension { syndrome: 0x1f, ..Extension::default() }, &[])
    };
    // The first packets go past the store.
    run(&mut nic, 2000, &[request(opcode::WRITE_ONLY, 1, 64)], &[]);
    let mut bad = Vec::new();
    for at in [14, 16, 24, 34, 38, 43, 46, 53, 54, 58, 61] {
        // Of IPv4: version, length, checksum; of UDP the length; of the base transport header the
        // version, the queue pair and the PSN; of the extension the syndrome; and of the check.
        let mut frame = good(2);
        frame[at] ^= 0x11;
        bad.push(frame);
    }
    for length in [30, 50, 57] {
        bad.push(good(2)[..length].to_vec());
    }
    let malformed = bad.iter().filter(|f| check(f).is_err_and(|e| e != Error::Foreign)).count();
    let frames: Vec<_> = (2..42).map(|i| request(opcode::WRITE_ONLY, i, 1024)).collect();
    let before = counters(&mut nic);
    let Seen { left, risen, samples } = run_both(&mut nic, 100_000, &frames, &bad);
    let after = counters(&mut nic);
    let counted = |c: Counter| after[c as usize] - before[c as usize];
    println!("{malformed} of {} are malformed, {:?}", bad.len(), after);
    assert_eq!(risen, bad, "the host has each as it came");
    assert_eq!((counted(Counter::PairsMalformed) as usize, samples), (malformed, 0));
    let clocks = (left[39].0 - left[0].0) as f64 / 39.0;
    assert!(left.len() == 40 && (clocks / (1122.0 * 8.0 / 4.0) - 1.0).abs() < 0.01, "{} left, {clocks} clocks apart", left.len());
    assert_eq!(run_both(&mut nic, 2000, &[], &[good(41)]).samples, 1, "a true answer counts");
}

/// An answer that anybody can write joins nothing: what the driver is told of it is a pair that the
/// host never sent to. The first answer waits, and is told once.
#[test]
fn a_forged_answer_joins_nothing() {
    const STRANGER: u16 = 9;
    let mut nic = nic(1000.0);
    assert_eq!(take(&mut nic), None);
    let ack = |from: u16, pair: u32| {
        let bth = Bth { opcode: opcode::ACK, queue_pair: pair, psn: 5, ..Bth::default() };
        bth.frame(&envelope(from, HOST, 0xc011), &Extension { syndrome: 0x1f, ..Extension::default() }, &[])
    };
    // The first is another host's, flooded by a switch; of the others the second one's pair is
    // joined, and the last come when one waits already.
    let mut flooded = ack(PEER, LOCAL + 3);
    flooded[..6].copy_from_slice(&address::mac(7));
    run(&mut nic, 2000, &[], &[flooded, ack(STRANGER, LOCAL), ack(PEER, LOCAL), ack(PEER, LOCAL + 1), ack(STRANGER, LOCAL + 2)]);
    assert_eq!(counters(&mut nic)[Counter::AnswersUnknown as usize], 4);
    assert_eq!(take(&mut nic), Some((mapped(STRANGER), LOCAL)));
    assert_eq!(take(&mut nic), None);
    let done = command(&mut nic, mapped(STRANGER), REMOTE, Some(LOCAL), roce::JOIN);
    assert_eq!(done.map(|d| d.0), Some(1), "there is no such pair");
    run(&mut nic, 2000, &[], &[ack(PEER, LOCAL + 1)]);
    assert_eq!(take(&mut nic), Some((mapped(PEER), LOCAL + 1)));
    let held: Vec<_> = (0..1 << FLOW_BITS).filter_map(|flow| read(&mut nic, flow)).collect();
    assert_eq!(held, [(mapped(PEER), REMOTE, Some(LOCAL), true)]);
    // What waits is forgotten with the table.
    run(&mut nic, 2000, &[], &[ack(PEER, LOCAL + 1)]);
    for enable in [0, 1] {
        nic.write32(roce::CONTROL.address(), enable).expect("a register");
    }
    run(&mut nic, 4000, &[], &[]);
    assert_eq!(take(&mut nic), None);
}

/// Requests of a reliable connection arrive in their order, of whatever kind (9.5 of the
/// specification of InfiniBand): one that overtakes is a gap, and the host sends all again.
#[test]
fn no_request_overtakes_another_of_its_pair() {
    let mut nic = nic(1000.0);
    let kinds = [
        (opcode::WRITE_ONLY, 1024),
        (opcode::FETCH_ADD, 0),
        (opcode::SEND_ONLY, 512),
        (opcode::COMPARE_SWAP, 0),
        (opcode::READ_REQUEST, 0),
        (opcode::ATOMIC_WRITE, 8),
        (opcode::FLUSH, 0),
        (opcode::WRITE_ONLY, 64),
    ];
    let frames: Vec<_> = (0..32).map(|i| request(kinds[i % 8].0, 100 + i as u32, kinds[i % 8].1)).collect();
    let left = run(&mut nic, 100_000, &frames, &[]);
    let psns: Vec<u32> = left.iter().map(|f| check(&f.1).expect("a request").psn).collect();
    assert_eq!(psns, (100..132).collect::<Vec<_>>(), "in the order in which the host sent them");
    // 1 Gb/s for all: WRITEs, SENDs, atomics.
    let clocks = left[31].0 - left[0].0;
    assert!(clocks > 15_000, "{clocks} clocks: all are paced");
}

/// A pause of the priority that pairs are told to have stops them; one of another class does not.
#[test]
fn pauses_of_the_pairs_priority_stop_them_and_no_others() {
    for (class, stops) in [(3, true), (0, false), (5, false)] {
        let mut nic = nic(10_000.0);
        let mut write = |address: u32, value: u32| nic.write32(address, value).expect("a register");
        write(port::PAUSE.address(), 1);
        write(roce::PRIORITY.address(), 3);
        // The priority holds for pairs that are set from then on.
        command(&mut nic, mapped(PEER), REMOTE, None, roce::REMOVE);
        command(&mut nic, mapped(PEER), REMOTE, Some(LOCAL), roce::SET);
        run(&mut nic, 1000, &[], &[pfc(class, u16::MAX)]);
        let frames: Vec<_> = (0..40).map(|i| request(opcode::WRITE_ONLY, i, 1024)).collect();
        let left = run(&mut nic, 20_000, &frames, &[]);
        assert_eq!(left.len(), if stops { 0 } else { 40 }, "class {class}");
    }
}
