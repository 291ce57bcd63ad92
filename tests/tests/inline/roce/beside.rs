//! A queue pair that reads beside one that writes: what pays for READs is granted, and puts nothing
//! on the wire that the writes fill.
use super::alone::{HOST, PEER};
use super::many::LARGEST;
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::rxe::envelope;
use super::table::command;
use std::collections::VecDeque;
use timely_hw::config::CLOCK_PS;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, beats};
use timely_regs::link::wire_bytes;
use timely_regs::map::roce;
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, check, opcode};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::nic::build;

const WRITER: u32 = 0x20;
const READER: u32 = 0x21;
/// Path MTU, as the register has it and in bytes.
const MTU: (u32, usize) = (5, 4096);

fn request(pair: u32, psn: u32, bytes: usize) -> Vec<u8> {
    let read = pair == READER;
    let code = if read { opcode::READ_REQUEST } else { opcode::WRITE_ONLY };
    let bth = Bth { opcode: code, queue_pair: pair, psn, ack_request: true, partition_key: 0xffff, ..Bth::default() };
    let extension = Extension { message_bytes: bytes as u32, ..Extension::default() };
    bth.frame(&envelope(HOST, PEER, 0xc011), &extension, &vec![7; if read { 0 } else { bytes }])
}

/// Rates of the pair that writes 4 KB and of the one that reads so many bytes, by what both have on
/// the wire in either direction, Mb/s; each pair's profile has this rate, and a cap of two packets.
fn rates(gbps: f64, mbps: f64, read: usize) -> [f64; 2] {
    let profile = Parameters { outstanding_bytes: 0, cap_bytes: 2 * LARGEST as u32, ..Parameters::fixed(mbps) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, gbps, 0);
    put_mac(&mut nic, address::mac(HOST));
    nic.write32(roce::MTU.address(), MTU.0).expect("a register");
    for pair in [WRITER, READER] {
        let done = command(&mut nic, mapped(PEER), pair, Some(pair), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
    }
    let clocks_a_byte = (8000.0 / gbps / f64::from(CLOCK_PS) * 65_536.0).round() as u64;
    let begins = nic.clk() + 20_000;
    let end = begins + 400_000;
    let (mut host, mut leaving, mut free) = (VecDeque::new(), Assembler::default(), 0);
    let (mut inside, mut psn, mut bytes) = ([0; 2], [0; 2], [0; 2]);
    while nic.clk() < end {
        let clk = nic.clk();
        if host.is_empty()
            && let Some(i) = (0..2).min_by_key(|i| inside[*i]).filter(|i| inside[*i] < 16)
        {
            host.extend(beats(&request([WRITER, READER][i], psn[i], if i == 0 { 4096 } else { read }), BUS as usize));
            inside[i] += 1;
            psn[i] += 1;
        }
        let wire_ready = free < (clk + 1) << 16;
        let out = nic.drive(In { host: host.front().map(|b| (*b, 0)), host_ready: true, wire_ready, ..In::default() });
        if out.host_ready {
            host.pop_front();
        }
        let Some(w) = out.wire.filter(|_| wire_ready) else { continue };
        free = free.max(clk << 16) + u64::from(w.beat.bytes) * clocks_a_byte;
        let Some(frame) = leaving.push(&w.beat) else { continue };
        let own = u64::from(wire_bytes(frame.len() as u32));
        free += (own - frame.len() as u64) * clocks_a_byte;
        let h = check(&frame).expect("a request");
        let i = usize::from(h.queue_pair == READER);
        inside[i] -= 1;
        if clk >= begins {
            // A response has the headers of its request but RETH, and the first and last one AETH.
            let brings = read as u64 + read.div_ceil(MTU.1) as u64 * (own - 16) + 4;
            bytes[i] += own + if i == 1 { brings } else { 0 };
        }
    }
    bytes.map(|b| b as f64 * 8e6 / ((end - begins) as f64 * f64::from(CLOCK_PS)))
}

/// READs of 4 KB keep to their pair's rate, with what they bring, beside a pair that writes at the
/// same rate, though what pays for READs waits for the writes' packets on the wire. Where either
/// direction of 100 Gb/s is all but full, READs have .84 of their rate, and writes .98: tokens for
/// packets that wait for the wire are lost beyond the cap.
#[test]
fn reads_keep_their_rate_beside_writes() {
    for (gbps, share, lost, least) in [(10.0, 0.5, 0.01, 0.99), (10.0, 0.9, 0.01, 0.99), (100.0, 0.4, 0.01, 0.96), (100.0, 0.9, 0.02, 0.84)]
    {
        let mbps = 1000.0 * gbps * share;
        let [writes, reads] = rates(gbps, mbps, 4096);
        println!("{gbps} Gb/s, {mbps} Mb/s each: writes {writes:.0}, READs {reads:.0} Mb/s");
        assert!((writes / mbps - 1.0).abs() < lost, "{gbps} Gb/s: writes have {writes} of {mbps} Mb/s");
        assert!((least..1.01).contains(&(reads / mbps)), "{gbps} Gb/s: READs have {reads} of {mbps} Mb/s");
    }
}
