//! Unpaced traffic in Corundum's form: the rate of our scheduler beside that of Corundum's own, on
//! the same card and host; and paced flows beside it.
//!
//! Our scheduler is its model, which the Verilog equals (`lockstep_store`).
use timely_model::Block;
use timely_model::app_block::traffic::{In, LEAD_NS, Traffic};
use timely_model::bus::{FlowLoad, ProfileWrite};
use timely_model::generator;
use timely_model::pacer::Timing;
use timely_regs::corundum::Kind;
use timely_regs::flow::FlowRecord;
use timely_regs::link::wire_bytes;
use timely_regs::map::ring_bits;
use timely_regs::profile;
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

/// Mb/s of a generated flow of `mbps`, alone, in frames of `bytes`, of which `posted` are posted by
/// its doorbell, with a `LEAD` of so many ns.
fn generated(bus_bits: usize, bytes: u32, mbps: u32, posted: u16, lead_ns: u64) -> f64 {
    const FRAMES: u32 = 120;
    const FLOW: u32 = 9;
    let mut block = Traffic::new(FLOW_BITS as u32, bus_bits, ring_bits(bus_bits as u32) - 1, Timing::default());
    let record =
        FlowRecord { enable: true, endless: true, payload_bytes: (bytes - 90) as u16, segment_packets: 1, ..FlowRecord::default() };
    let load = FlowLoad { flow: FLOW, record: record.pack().expect("a record within its ranges") };
    let config = generator::Config { key: 1, keyed: true, ..generator::Config::default() };
    let words = [(profile::OUTSTANDING, 0), (profile::TOKEN_CAP, 3036), (profile::USE_WINDOW, 0)];
    let mut setup: Vec<In> = words
        .map(|(f, data)| In { profile: Some(ProfileWrite { profile: 0, word: f.word, data }), ..In::default() })
        .into_iter()
        .chain([In { load: Some(load), ..In::default() }, In { rate: Some((FLOW, mbps << 12)), ..In::default() }])
        .rev()
        .collect();
    let (mut clk, mut starts, mut inside, mut rung) = (0, vec![], false, false);
    while starts.len() < FRAMES as usize {
        let out = block.output(clk);
        // A record needs some clocks in the pacer before the next.
        let said = if out.swept && clk % 64 == 0 { setup.pop() } else { None }.unwrap_or_default();
        let doorbell = (!rung && out.swept && setup.is_empty() && said.rate.is_none() && clk % 64 == 0).then_some((FLOW, posted));
        rung |= doorbell.is_some() && out.doorbell_ready;
        if let Some((beat, _)) = out.beat {
            if !inside {
                starts.push(clk);
            }
            inside = !beat.last;
        }
        let now = clk * CLOCK_PS / 1000;
        let i = In { config: config.clone(), doorbell, now: now << 16, later: (now + lead_ns) << 16, ready: true, ..said };
        block.step(clk, &i);
        clk += 1;
        assert!(clk < 1_000_000, "{} frames", starts.len());
    }
    // Behind the first ones, which leave at once.
    let frames = &starts[FRAMES as usize / 3..];
    let clocks = frames[frames.len() - 1] - frames[0];
    (frames.len() - 1) as f64 * f64::from(wire_bytes(bytes)) * 8e6 / (clocks * CLOCK_PS) as f64
}

/// Lines of 10, 25 and 100 Gb/s are filled to nine tenths by a generated flow, in frames of any
/// size, as the driver rings; and with one packet posted at a time a flow has its rate up to a
/// frame each 38 clocks, which a packet takes from its grant to the next one's.
#[test]
fn a_generated_flow_has_its_rate() {
    for (bus_bits, mbps) in [(64, 9000), (128, 22_500), (512, 90_000)] {
        for bytes in [126, 512, 1514] {
            let rate = generated(bus_bits, bytes, mbps, 64, LEAD_NS);
            println!("{bus_bits} bits, {bytes} bytes, doorbell of 64: {rate:.0} of {mbps} Mb/s");
            assert!((rate / f64::from(mbps) - 1.0).abs() < 0.003, "{bus_bits} bits, {bytes} bytes: {rate} of {mbps} Mb/s");
        }
        let rate = generated(bus_bits, 126, 2000, 1, LEAD_NS);
        assert!((rate / 2000.0 - 1.0).abs() < 0.003, "{bus_bits} bits: {rate} of 2000 Mb/s");
        let most = generated(bus_bits, 126, mbps, 1, LEAD_NS);
        let bound = f64::from(wire_bytes(126)) * 8e6 / (38 * CLOCK_PS) as f64;
        println!("{bus_bits} bits, 126 bytes, doorbell of 1: {most:.0} Mb/s at most");
        assert!((most / bound - 1.0).abs() < 0.003, "{bus_bits} bits: {most} Mb/s, not {bound}");
    }
}
