//! A card with two interfaces: flows of the application block are paced on the first one, and the
//! other one has the rate of Corundum's own scheduler.
//!
//! The application block is its Verilog, the schedulers are their models, which the Verilog equals
//! (`lockstep_store`), each before a transmit engine of its own.
use super::super::inline::{PEER, fixed, left_out};
use super::card::Card;
use super::passes::with;
use super::shell::BOARDS;
use timely_regs::corundum::Kind;
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::Parameters;
use timely_tests::transmit::ours::Ours;
use timely_tests::transmit::stock::Stock;
use timely_tests::transmit::{CLOCK_PS, rates};
use timely_tests::{few_seeds, rng};

/// Gb/s of each interface's line.
const GBPS: u64 = 25;
/// Rates of the flows, Mb/s, whose numbers are queues of the first interface.
const FLOWS: [u32; 2] = [1000, 3000];
/// Queues of each interface.
const QUEUES: usize = 5;
const BYTES: usize = 1514;
const CLOCKS: u64 = 400_000;

/// Writes of the application block on account of its flows: address and word.
fn written() -> Vec<(u32, u32)> {
    let board = &BOARDS[1];
    assert_eq!(board.values(&[])["IF_COUNT"], 2);
    let mut card = Card::new(&super::library(board, false, super::NONE), board, rng(1)).beside_model(board, false);
    with(&mut card, |d| {
        d.wait_ready().expect("cleared RAMs");
        for (flow, mbps) in (0..).zip(FLOWS) {
            let profile = Parameters { cap_bytes: 16_384, ..fixed(mbps.into()) };
            d.write_profile(flow, &profile.quantise().expect("a profile")).expect("a profile");
            let record =
                FlowRecord { enable: true, profile: flow as u8, payload_bytes: 1424, address: PEER.into(), ..FlowRecord::default() };
            d.load_flow(flow, &record).expect("a flow");
        }
        d.key_nonces(1).expect("a key");
        d.enable(true).expect("a register");
    });
    (0..2_000).for_each(|_| card.tick());
    card.written
}

#[test]
fn one_of_two_interfaces_has_flows() {
    if left_out("nic::corundum") {
        return;
    }
    let bus = BOARDS[1].bus;
    let (registers_bits, line) = (24, (GBPS, bus));
    let mut schedulers = [0, 1].map(|_| Ours::swept(false, bus));
    let written = written();
    for (address, word) in &written {
        let (interface, inside) = (address >> (registers_bits - 1), address & ((1 << (registers_bits - 1)) - 1));
        let window = 1 << (registers_bits - 2);
        assert!(interface == 0 && inside >= window, "a write at {address:#x}: interface {interface}, its window is from {window:#x} on");
        schedulers[interface as usize].write_at(inside - window, *word);
    }
    for scheduler in &mut schedulers {
        (0..QUEUES as u32).for_each(|q| scheduler.write(Kind::Channel, q, 3));
    }
    for seed in few_seeds() {
        let stock: f64 = rates(line, seed, vec![BYTES; QUEUES], CLOCKS, &mut Stock::new(1 << BOARDS[1].flow_bits)).iter().sum();
        let [first, other] = schedulers.each_mut().map(|s| rates(line, seed, vec![BYTES; QUEUES], CLOCKS, s));
        println!("{} writes; first interface {first:.3?} Gb/s, other {other:.3?} Gb/s, with the stock scheduler {stock:.3}", written.len());
        // A packet more or less at the ends.
        let packet = ((BYTES + 24) * 8000) as f64 / (CLOCKS * CLOCK_PS) as f64;
        for (rate, mbps) in first.iter().zip(FLOWS) {
            let asked = f64::from(mbps) / 1000.0;
            assert!((rate - asked).abs() <= 0.01 * asked + packet, "{rate:.3} Gb/s of {asked}, seed {seed}");
        }
        let sums = [&first, &other].map(|r| r.iter().sum::<f64>());
        assert!(sums.iter().all(|sum| *sum >= 0.95 * stock), "{sums:.2?} Gb/s of {stock:.2}, seed {seed}");
        let even = sums[1] / QUEUES as f64;
        assert!(other.iter().all(|rate| (rate / even - 1.0).abs() < 0.05), "queues of the other interface: {other:.3?} Gb/s, seed {seed}");
    }
}
