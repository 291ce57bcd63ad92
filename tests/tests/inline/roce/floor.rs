//! The least rate of profiles, below which a pair's packets wait in the NIC for longer than its
//! host waits for their ACKs.
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::rxe::envelope;
use super::table::command;
use std::collections::VecDeque;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::link::most_waiting;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, opcode};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::nic::build;

/// Time-out of the host, ns, and clocks of 4 ns.
const TIMEOUT_NS: f64 = 8_192_000.0;
const CLOCK_NS: f64 = 4.0;
/// Cells that a pair may have in the store.
const CELLS: u32 = 1024;
/// Longest time, ns, from a packet's last beat into the NIC to its last one on the wire, of a host
/// that always has another one for its pair.
fn longest_wait(mbps: f64, read: bool) -> f64 {
    let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, 100.0, 0);
    put_mac(&mut nic, address::mac(1));
    nic.write32(port::STORE_BOUND.address(), CELLS).expect("a register");
    nic.write32(roce::HOST_TIMEOUT.address(), (TIMEOUT_NS / 1000.0) as u32).expect("a register");
    assert_eq!(command(&mut nic, mapped(2), 100, Some(1000), roce::SET).map(|d| d.0), Some(0));
    let (mut entering, mut inside, mut leaving) = (VecDeque::<Beat>::new(), VecDeque::new(), Assembler::default());
    let (mut psn, mut longest, begins) = (0, 0, nic.clk());
    while ((nic.clk() - begins) as f64) < 1.6 * TIMEOUT_NS / CLOCK_NS {
        if entering.is_empty() {
            let read = read && psn == 0;
            let opcode = if read { opcode::READ_REQUEST } else { opcode::SEND_ONLY };
            let bth = Bth { opcode, queue_pair: 100, psn, partition_key: 0xffff, ..Bth::default() };
            let extension = Extension { message_bytes: 1 << 23, ..Extension::default() };
            let frame = bth.frame(&envelope(1, 2, 0xc011), &extension, &[7; 196][..if read { 0 } else { 196 }]);
            entering = beats(&frame, BUS as usize).collect();
            psn += 1;
        }
        let (clk, out) = (nic.clk(), nic.peek());
        if !out.host_ready && out.wire.is_none() && nic.wake() > clk {
            nic.skip_to(nic.wake());
            continue;
        }
        let i = In { host: entering.front().map(|b| (*b, 0)), host_ready: true, wire_ready: true, ..In::default() };
        let out = nic.drive(i);
        if out.host_ready && entering.pop_front().is_some_and(|b| b.last) {
            inside.push_back(clk);
        }
        if out.wire.and_then(|w| leaving.push(&w.beat)).is_some() {
            longest = longest.max(clk - inside.pop_front().expect("a packet"));
        }
    }
    longest as f64 * CLOCK_NS
}

/// With a profile at the rate that `pairs setup` asks for all packets leave within half of the
/// host's time-out, and with one a tenth below it some do not. Behind a READ that brings more than
/// the pair can pay none waits for the time-out, or the host would send it again; at half of that
/// rate, which would do without READs, some do.
#[test]
fn at_the_least_rate_no_packet_waits_for_the_time_out() {
    let half = TIMEOUT_NS / 2.0;
    let floor = most_waiting(CELLS, BUS) as f64 * 8.0 / half * 1000.0;
    let [at, below] = [1.0, 0.9].map(|part| longest_wait(part * floor, false));
    let [behind, slower] = [1.0, 0.5].map(|part| longest_wait(part * floor, true));
    println!(
        "time-out {TIMEOUT_NS} ns: packets wait {at} ns at {floor:.1} Mb/s, {below} ns at .9 of it; behind a READ {behind}, at half {slower}"
    );
    assert!(at < half && below > half, "{at} and {below} ns");
    assert!(at > 0.9 * half, "the least rate is no higher than need be: {at} ns");
    assert!(behind < TIMEOUT_NS && behind > at && slower > TIMEOUT_NS, "{behind} and {slower} ns");
}
