//! Rules give pairs that are learned their profile and priority: seen by the rates at which they
//! leave and by the pauses that stop them.
use super::alone::run;
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac, put_profile};
use super::rxe::envelope;
use super::table::{Rule, command, put_rule, rule};
use timely_model::inline::nic::In;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, check, opcode};
use timely_regs::wire::Addresses;
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};
use timely_tests::frames::pfc;
use timely_tests::nic::build;

const HOST: u16 = 1;
/// Wire bytes of a request with 1,024 bytes over IPv4; those of IPv6 have 20 more.
const WIRE: f64 = 1122.0;
/// ns of a clock.
const NS: f64 = 4.0;

/// Peer, IPv6, DSCP of a pair's packets, and what it is to get.
type Case = (u16, bool, u8, f64, u8);

/// Rates of the profiles 1, 3, 4, 5 and 6, Mb/s.
const RATES: [(u32, f64); 5] = [(1, 1000.0), (3, 500.0), (4, 250.0), (5, 125.0), (6, 200.0)];

/// By hand from the rules of [`nic`]: the first that is for the pair decides.
const CASES: [Case; 9] = [
    (2, false, 26, 500.0, 1),
    (3, false, 26, 250.0, 5),
    (4, false, 26, 250.0, 5),
    (2, false, 0, 125.0, 0),
    (3, false, 27, 125.0, 0),
    (4, false, 0, 1000.0, 3),
    (2, true, 26, 250.0, 5),
    (2, true, 10, 200.0, 7),
    (9, true, 10, 1000.0, 3),
];

fn request(case: Case, pair: u32, psn: u32) -> Vec<u8> {
    let (peer, ipv6, dscp, ..) = case;
    let bth = Bth { opcode: opcode::WRITE_ONLY, queue_pair: pair, psn, partition_key: 0xffff, ..Bth::default() };
    let mut e = envelope(HOST, peer, 0xc011);
    // The ECN bits are no part of the DSCP.
    e.tos = dscp << 2 | (psn % 4) as u8;
    if ipv6 {
        e.addresses = Addresses::V6 { source: address::ipv6(HOST), destination: address::ipv6(peer) };
    }
    bth.frame(&e, &Extension { message_bytes: 1024, ..Extension::default() }, &[7; 1024])
}

const RULES: usize = 5;

fn rules() -> [Option<Rule>; RULES] {
    let of = |bits, address, dscp, profile, priority| Some(Rule { bits, address, dscp, profile, priority });
    [
        // One address and a DSCP.
        of(128, mapped(2), Some(26), 3, 1),
        // A DSCP of any address.
        of(0, [0xff; 16], Some(26), 4, 5),
        // Hosts 2 and 3: 11.0.2.0/23.
        of(96 + 23, mapped(2), None, 5, 0),
        None,
        // One address of IPv6.
        of(128, address::ipv6(2), None, 6, 7),
    ]
}

fn nic() -> Inline<Model> {
    let fixed = |mbps| Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &fixed(1000.0), 100.0, 0);
    RATES.iter().for_each(|(profile, mbps)| put_profile(&mut nic, *profile, &fixed(*mbps)));
    put_mac(&mut nic, address::mac(HOST));
    nic.write32(roce::PRIORITY.address(), 3).expect("a register");
    nic.write32(port::PAUSE.address(), 1).expect("a register");
    (0..).zip(rules()).for_each(|(index, rule)| put_rule(&mut nic, index, rule));
    nic
}

/// Packets of each pair, by its number, with their clocks.
fn left(nic: &mut Inline<Model>, clocks: u64, frames: &[Vec<u8>]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new(); 64];
    for (clk, frame) in run(nic, clocks, frames, &[]) {
        all[check(&frame).expect("a request").queue_pair as usize].push(clk);
    }
    all
}

/// Packets of all cases in turn, from a PSN on; the first pair's number is 10.
fn packets(psns: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    psns.flat_map(|psn| CASES.iter().zip(10..).map(move |(case, pair)| request(*case, pair, psn))).collect()
}

#[test]
fn the_first_rule_that_is_for_a_pair_decides() {
    let mut nic = nic();
    // The first packets make the pairs known.
    left(&mut nic, 10_000, &packets(0..1));
    let all = left(&mut nic, 300_000, &packets(1..13));
    for ((case, pair), clocks) in CASES.iter().zip(10..).zip(&all[10..]) {
        assert_eq!(clocks.len(), 12, "{case:?}");
        let wire = WIRE + if case.1 { 20.0 } else { 0.0 };
        let mbps = 11.0 * wire * 8.0 * 1000.0 / ((clocks[11] - clocks[0]) as f64 * NS);
        assert!((mbps / case.3 - 1.0).abs() < 0.01, "pair {pair}, {case:?}: {mbps} Mb/s");
    }
    // A pause of each priority stops the pairs that have it, and no others.
    for class in [0, 1, 3, 5, 7] {
        run(&mut nic, 1000, &[], &[pfc(class, u16::MAX)]);
        let all = left(&mut nic, 40_000, &packets(20..21));
        for (case, clocks) in CASES.iter().zip(&all[10..]) {
            assert_eq!(clocks.is_empty(), case.4 == class, "priority {class}, {case:?}");
        }
        // The pause ends by another one, of no time, and what waited leaves.
        run(&mut nic, 40_000, &[], &[pfc(class, 0)]);
    }
}

/// Rules are read as they were written, and hold for pairs that are learned from then on: not for
/// pairs that are known, and not for those that the host sets. They stay when the table is set up
/// anew, and are gone with a reset.
#[test]
fn rules_hold_for_pairs_that_are_learned_from_then_on() {
    let mut nic = nic();
    let case = CASES[0];
    let mbps = |nic: &mut Inline<Model>, pair: u32, from: u32| {
        left(nic, 10_000, &[request(case, pair, from)]);
        let frames: Vec<_> = (from + 1..from + 6).map(|psn| request(case, pair, psn)).collect();
        let clocks = &left(nic, 60_000, &frames)[pair as usize];
        (4.0 * WIRE * 8.0 * 1000.0 / ((clocks[4] - clocks[0]) as f64 * NS) / 10.0).round() * 10.0
    };
    let read = |nic: &mut Inline<Model>| -> Vec<Option<Rule>> { (0..16).map(|index| rule(nic, index)).collect() };
    let mut set = rules().to_vec();
    set.resize(16, None);
    assert_eq!(read(&mut nic), set);
    assert_eq!(mbps(&mut nic, 10, 0), 500.0);
    // The rule of the pair's address goes: that of its DSCP is next.
    put_rule(&mut nic, 0, None);
    set[0] = None;
    assert_eq!(read(&mut nic), set);
    assert_eq!((mbps(&mut nic, 10, 10), mbps(&mut nic, 11, 0)), (500.0, 250.0));
    // A pair that the host sets has the profile that it says, 1.
    assert_eq!(command(&mut nic, mapped(case.0), 12, None, roce::SET).map(|d| d.0), Some(0));
    assert_eq!(mbps(&mut nic, 12, 0), 1000.0);
    // Rule 15 is the last one that is looked at.
    put_rule(&mut nic, 1, None);
    put_rule(&mut nic, 2, None);
    assert_eq!(mbps(&mut nic, 13, 0), 1000.0);
    let last = Rule { bits: 0, address: [0; 16], dscp: None, profile: 6, priority: 2 };
    put_rule(&mut nic, 15, Some(last));
    assert_eq!(mbps(&mut nic, 14, 0), 200.0);
    for enable in [0, 1] {
        nic.write32(roce::CONTROL.address(), enable).expect("a register");
    }
    left(&mut nic, 4000, &[]);
    assert_eq!(mbps(&mut nic, 10, 30), 200.0, "a rule goes on behind a set-up");
    nic.drive(In { rst: true, ..In::default() });
    left(&mut nic, 10_000, &[]);
    assert_eq!(read(&mut nic), vec![None; 16], "a reset leaves no rule");
}
