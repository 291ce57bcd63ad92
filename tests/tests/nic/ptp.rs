//! Steps of PTP: the date follows at once, and nothing that sends notices.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use timely_model::time::DATE_LATENCY;
use timely_regs::counters::Counter;
use timely_regs::map::time;
use timely_regs::parameters::{Parameters, RttStart};
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, answer};
use timely_tests::nic::{CLOCK_NS, Nic, counters, flow, model, spec, start, twin};
use timely_tests::{quick, rng};

const PEER: u16 = 9;
/// Clocks from one step to the next: prime, so that steps come at any phase of packets and scans.
const BETWEEN: u64 = 10_007;
/// Clocks from a segment to its ACK.
const DELAY: u64 = 1700;
/// Clocks from packet to packet of each flow: at 1,556 Mb/s, a quarter and a sixteenth of it.
const GAPS: [u64; 3] = [2000, 8000, 32_000];
/// 2^-16 ns.
const MICROSECOND: u64 = 1000 << 16;

/// PTP's date after a step from `date`: 1 ns to 39 hours on either way, any other, or one just
/// before the wrap of 78 hours.
fn stepped(rng: &mut ChaCha8Rng, date: u64) -> u64 {
    let bits = rng.random_range(17..64);
    let by = rng.random_range(1 << 16..1u64 << bits);
    match rng.random_range(0..10) {
        0 => rng.random(),
        1 => 0u64.wrapping_sub(rng.random_range(0..30 * MICROSECOND)),
        2..6 => date.wrapping_add(by),
        _ => date.wrapping_sub(by),
    }
}

/// Three paced flows send through the launch FIFO while PTP steps `steps` times and gives a sample
/// every `every` clocks.
fn send_while_ptp_steps(name: &str, mut nic: Box<dyn Nic>, bus: u32, steps: u64, every: u64) {
    let mut rng = rng(steps);
    nic.write32(time::LEAD.address(), 1600).expect("a register");
    nic.write32(time::SOURCE.address(), 1).expect("a register");
    let flows = GAPS.iter().enumerate().map(|(id, gap)| {
        // The last one's round trips start at its launches.
        let rtt_start = if id == GAPS.len() - 1 { RttStart::Eligible } else { RttStart::LastByteOut };
        let parameters = Parameters { timeout_us: 20.0, idle_us: 1000.0, rtt_start, ..Parameters::fixed(1556.0 * 2000.0 / *gap as f64) };
        flow(id as u32, PEER, 1442, 1, &parameters)
    });
    start(&mut *nic, &spec(bus, 10, 10.0, flows.collect()));
    let mut bench = Bench::new(nic);
    let mut departures = vec![Vec::new(); GAPS.len()];
    let (mut ptp, mut turns) = (0u64, Vec::new());
    for step in 0..steps {
        let begun = bench.clk();
        let end = begun + BETWEEN;
        let to = stepped(&mut rng, ptp);
        let date = |clk: u64| to.wrapping_add((clk - begun) * (CLOCK_NS << 16));
        bench.ptp.extend((begun..end).step_by(every as usize).map(|clk| (clk, date(clk))));
        turns.push(begun);
        while let Some(sent) = bench.run(end) {
            let flow = sent.packet().header()[6..8].try_into().map(u16::from_be_bytes).expect("two bytes");
            departures[flow as usize].push(sent.first);
            bench.arrive(sent.last + DELAY, answer(&sent.frame, sent.now, sent.now));
        }
        ptp = date(end);
        let off = bench.nic.now().wrapping_sub(ptp) as i64;
        assert!(off.unsigned_abs() < MICROSECOND, "{name}, {bus} bits: {off} / 65536 ns off {BETWEEN} clocks after step {step} to {to:#x}");
    }
    let mut worst = 0;
    for (flow, (gap, all)) in GAPS.iter().zip(&departures).enumerate() {
        // All start within a gap, and none is silent for longer than that.
        let least = (steps * BETWEEN / gap).saturating_sub(1) as usize;
        assert!(all.len() >= least, "{name}, {bus} bits: flow {flow} sent {} packets of {least}", all.len());
        for pair in all.windows(2) {
            // Three packets that are due at once leave within 1,000 clocks.
            worst = worst.max((pair[1] - pair[0]).abs_diff(*gap));
            assert!(worst * CLOCK_NS < 10_000, "{name}, {bus} bits: a gap of flow {flow} at clock {} is {worst} clocks off", pair[0]);
        }
        let off = (all[all.len() - 1] - all[0]).abs_diff((all.len() as u64 - 1) * gap);
        assert!(off <= 1000, "{name}, {bus} bits: flow {flow} is {off} clocks off its schedule");
    }
    let straddles = |clk: u64| {
        let of = turns.partition_point(|t| *t <= clk);
        of > 0 && clk - turns[of - 1] < DELAY + 1000
    };
    let (mut right, mut wrong) = (0, 0);
    for e in &bench.events {
        match e {
            CoreEvent::Rtt { clk, ns, flow } if !straddles(*clk) => {
                // To the ACK, given DELAY after the last beat, from the packet's end on a line of
                // 10 Gb/s, or from its launch 3 clocks before its first beat, unless it had to wait
                // for another packet.
                let beats = 1532u64.div_ceil(u64::from(bus / 8));
                let trip = (DELAY + beats - 1) * CLOCK_NS;
                let launched = *flow as usize == GAPS.len() - 1;
                let expected = if launched { trip..=trip + 1000 } else { trip - 1230..=trip - 1226 };
                *(if expected.contains(&u64::from(*ns)) { &mut right } else { &mut wrong }) += 1;
            }
            CoreEvent::Timeout { clk, flow } => panic!("{name}, {bus} bits: flow {flow} timed out at clock {clk}"),
            _ => {}
        }
    }
    assert!(wrong == 0 && right > steps as usize, "{name}, {bus} bits: {right} RTTs are right and {wrong} wrong, away from steps");
    let missed = counters(&mut *bench.nic)[Counter::LaunchesMissed as usize];
    println!(
        "{name}, {bus} bits: {steps} steps, {} packets, gaps off by {worst} clocks at most, {right} RTTs; {missed} launches missed",
        { departures.iter().map(Vec::len).sum::<usize>() }
    );
    assert!(bench.ptp.is_empty() && DATE_LATENCY < BETWEEN);
}

/// 10,000 steps on the model: pacer, time-outs or launch FIFO on the date would be red here.
#[test]
fn nothing_that_sends_notices_steps_of_ptp() {
    send_while_ptp_steps("model", model(512, 10), 512, if quick() { 500 } else { 10_000 }, 997);
}

/// 20 of them on the Verilog beside its model, with a sample a clock, as Corundum gives them.
#[test]
fn nor_in_the_verilog() {
    send_while_ptp_steps("Verilog", twin(512, 10, 1), 512, 20, 1);
}
