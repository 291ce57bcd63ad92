//! Packets behind a wire that takes nothing: they stand still, which the model skips.
use super::node::{mapped, prepare, put_mac};
use super::rxe::envelope;
use super::shell;
use super::table::command;
use crate::both::Both;
use std::collections::VecDeque;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, beats};
use timely_regs::map::roce;
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, check, opcode};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::nic::build;

const BUS: u32 = 512;
const FLOW_BITS: u32 = 10;
const PAIR: u32 = 100;
/// Packets of the host's: every third is an answer, which goes past the store.
const PACKETS: u32 = 9;
/// Clocks in which all that can move has moved, and those in which it stands then.
const SETTLES: u64 = 3000;
const STANDS: u64 = 2000;

/// A beat that stands at the wire asks the model for no clock, nor do those behind it; the outputs
/// of the Verilog, which has each clock, do not change. Then all leave, each stream in its order.
#[test]
fn what_stands_is_skipped() {
    let both = Both::new(shell(BUS, FLOW_BITS).instantiate(1), Model::pairs(build(BUS, FLOW_BITS)));
    let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(50_000.0) };
    let mut nic = prepare(both, &profile, 100.0, 0);
    put_mac(&mut nic, address::mac(1));
    assert_eq!(command(&mut nic, mapped(2), PAIR, Some(1000), roce::SET).map(|d| d.0), Some(0));
    let frame = |psn: u32| {
        let opcode = if psn.is_multiple_of(3) { opcode::ACK } else { opcode::SEND_ONLY };
        let bth = Bth { opcode, queue_pair: PAIR, psn, partition_key: 0xffff, ..Bth::default() };
        let payload = [7; 100];
        let payload = &payload[..if opcode == opcode::ACK { 0 } else { 100 }];
        beats(&bth.frame(&envelope(1, 2, 0xc011), &Extension { syndrome: 0x1f, ..Extension::default() }, payload), BUS as usize)
            .collect::<Vec<_>>()
    };
    let mut entering: VecDeque<_> = (0..PACKETS).flat_map(frame).collect();
    let (mut leaving, mut left) = (Assembler::default(), Vec::new());
    let mut skipped = 0;
    // Twice: the wire takes three packets in between.
    for most in [3, PACKETS as usize] {
        for _ in 0..SETTLES {
            let host = entering.front().map(|b| (*b, 0));
            if nic.drive(In { host, host_ready: true, ..In::default() }).host_ready {
                entering.pop_front();
            }
        }
        assert!(nic.peek().wire.is_some(), "a beat stands at the wire");
        let end = nic.clk() + STANDS;
        while nic.clk() < end {
            let to = nic.wake().min(end);
            skipped += to - nic.clk();
            if to > nic.clk() {
                nic.skip_to(to);
            } else {
                nic.drive(In::default());
            }
        }
        let end = nic.clk() + 10 * SETTLES;
        while left.len() < most && nic.clk() < end {
            let host = entering.front().map(|b| (*b, 0));
            let out = nic.drive(In { host, host_ready: true, wire_ready: true, ..In::default() });
            if out.host_ready {
                entering.pop_front();
            }
            if let Some(frame) = out.wire.and_then(|w| leaving.push(&w.beat)) {
                left.push(check(&frame).expect("a packet").psn);
            }
        }
    }
    println!("{left:?}, {skipped} clocks skipped");
    let (past, paced): (Vec<u32>, Vec<u32>) = left.iter().partition(|psn| psn.is_multiple_of(3));
    assert!(past.is_sorted() && paced.is_sorted() && left.len() == PACKETS as usize, "{left:?}");
    // A turn of the search for time-outs that has begun is ended.
    assert!(skipped > 2 * STANDS - 20, "{skipped} clocks skipped");
}
