//! Unpaced traffic in Corundum's form: the rate of our scheduler beside that of Corundum's own, on
//! the same card and host; and paced flows beside it.
//!
//! Our scheduler is its model, which the Verilog equals (`lockstep_store`).
use timely_regs::corundum::Kind;
use timely_tests::transmit::ours::{FLOW_BITS, Ours};
use timely_tests::transmit::stock::Stock;
use timely_tests::transmit::{CLOCK_PS, Line, rates};
use timely_tests::{few_seeds, thorough};

/// Cards of 10 and of 100 Gb/s.
const CARDS: [Line; 2] = [(10, 64), (100, 512)];
/// Bytes of packets, and seed, of the table in the documentation.
const SIZES: &[usize] = &[60, 1514, 9014];
const DOCUMENTED: u64 = 1;

/// Unpaced queues have at least 95 % of the rate that they have with the stock scheduler, with no
/// flow loaded, beside one that has nothing to send, and on an interface without an application
/// block's half, on a host that answers a read after 400 to 1,600 ns. Under `cargo xtask soak`
/// packets of more sizes. The table of `docs/corundum.md` has these figures.
#[test]
fn unpaced_traffic_is_as_fast_as_with_the_stock_scheduler() {
    const CLOCKS: u64 = 200_000;
    let page = include_str!("../../docs/corundum.md");
    // Gb/s that Corundum's own core, simulated, had with its own scheduler.
    let core = [(10, 60, 5.81), (10, 1514, 9.86), (100, 60, 6.02), (100, 1514, 95.6), (100, 9014, 100.0)];
    let sizes: &[usize] = if thorough() { &[60, 300, 1514, 2034, 4082, 6000, 9014] } else { SIZES };
    for seed in few_seeds() {
        for line @ (gbps, bus_bits) in CARDS {
            for &bytes in sizes {
                let mut row = format!("| {gbps} Gb/s, {bus_bits} bits | {bytes} |");
                for queues in [1, 8] {
                    let cell = format!("{gbps} Gb/s, {bytes} bytes, {queues} queues");
                    let rate = |mut scheduler: Ours| rates(line, seed, vec![bytes; queues], CLOCKS, &mut scheduler).iter().sum::<f64>();
                    let stock: f64 = rates(line, seed, vec![bytes; queues], CLOCKS, &mut Stock::new(1 << FLOW_BITS)).iter().sum();
                    let ours = [false, true].map(|idle| rate(Ours::new(bus_bits, queues, &[], idle)));
                    println!(
                        "{cell}: {stock:.2} Gb/s with the stock scheduler, {:.2} with ours, {:.2} beside an idle flow",
                        ours[0], ours[1]
                    );
                    row += &format!(" {stock:.2} | {:.2} | {:.2} |", ours[0], ours[1]);
                    let beside = rate(Ours::beside(bus_bits, queues));
                    for rate in [ours[0], ours[1], beside] {
                        assert!(rate >= 0.95 * stock, "{cell}, seed {seed}: {rate:.2} of {stock:.2} Gb/s");
                    }
                    if let Some(&(_, _, real)) = core.iter().find(|c| (c.0, c.1, 1) == (gbps, bytes, queues)) {
                        assert!((stock / real - 1.0).abs() < 0.05, "{cell}: {stock:.2} Gb/s, and {real} in Corundum's core");
                    }
                }
                let shown = seed == DOCUMENTED && SIZES.contains(&bytes);
                assert!(!shown || page.contains(&row), "docs/corundum.md has another row than this:\n{row}");
            }
        }
    }
}

/// Four flows of 5, 7, 11 and 35 % of the line, in packets of 1,514 bytes, keep these rates beside
/// three queues that always have packets of any size, and these take turns.
#[test]
fn paced_flows_keep_their_rates_beside_unpaced_traffic() {
    const CLOCKS: u64 = 400_000;
    for line @ (gbps, bus_bits) in CARDS {
        for bytes in [60, 1514, 9014] {
            let cell = format!("{gbps} Gb/s, three queues of {bytes} bytes");
            let flows = [5, 7, 11, 35].map(|n| n * 10 * gbps as u32);
            let sizes = [vec![1514; 4], vec![bytes; 3]].concat();
            let rates = rates(line, few_seeds()[0], sizes, CLOCKS, &mut Ours::new(bus_bits, 7, &flows, false));
            println!("{cell}: {rates:.3?} Gb/s, paced at {flows:?} Mb/s");
            // A packet more or less at the ends.
            let packet = (1538 * 8000) as f64 / (CLOCKS * CLOCK_PS) as f64;
            for (rate, mbps) in rates.iter().zip(flows) {
                let asked = f64::from(mbps) / 1000.0;
                assert!((rate - asked).abs() <= 0.01 * asked + packet, "{cell}: {rate:.3} Gb/s of {asked}");
            }
            let turns = &rates[4..];
            let (least, most) = (turns.iter().copied().fold(f64::MAX, f64::min), turns.iter().copied().fold(0.0, f64::max));
            assert!(least > 0.9 * most && least > 0.0, "{cell}: turns {turns:?}");
        }
    }
}

/// The application block's stop, which stands until software enables the NIC, holds no queue that
/// is no flow.
#[test]
fn a_stop_holds_no_queue_without_a_flow() {
    const CLOCKS: u64 = 100_000;
    for line @ (gbps, bus_bits) in CARDS {
        let mut ours = Ours::swept(false, bus_bits);
        ours.write(Kind::Control, 0, 1);
        (0..8).for_each(|q| ours.write(Kind::Channel, q, 3));
        let rate: f64 = rates(line, 1, vec![1514; 8], CLOCKS, &mut ours).iter().sum();
        println!("{gbps} Gb/s: {rate:.2} Gb/s while stopped");
        assert!(rate >= 0.9 * gbps as f64, "{rate:.2} of {gbps} Gb/s");
    }
}

/// Flows of 1 and 3 Gb/s have their rates on a line of 10 that is asked for more: beside a flow of
/// 10 Gb/s, whose cap bounds what it has under way, and a queue that always has packets. Both of
/// these share what is left.
#[test]
fn flows_keep_their_rates_on_a_line_that_is_asked_for_more() {
    const CLOCKS: u64 = 400_000;
    let flows = [1000, 3000, 10_000];
    let seed = few_seeds()[0];
    let mut start = Ours::new(64, 4, &flows, false);
    let early = rates(CARDS[0], seed, vec![1514; 4], 50_000, &mut start);
    let rates = rates(CARDS[0], seed, vec![1514; 4], CLOCKS, &mut Ours::new(64, 4, &flows, false));
    println!("from 50 us on for 200 us: {early:.3?} Gb/s; from 400 us on for 1,600 us: {rates:.3?}");
    for (rate, asked) in rates.iter().zip([1.0, 3.0]) {
        assert!((rate / asked - 1.0).abs() <= 0.01, "{rate:.3} Gb/s of {asked}");
    }
    let sum: f64 = rates.iter().sum();
    assert!(rates[2] > 2.0 && rates[3] > 2.0 && sum > 9.9, "{rates:.3?}");
}
