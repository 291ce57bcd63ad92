//! A lone flow at the MAC: every departure on its schedule, and the rate that the register says.
use timely_regs::map::time;
use timely_regs::parameters::Parameters;
use timely_tests::bench::Bench;
use timely_tests::nic::{CLOCK_NS, Nic, flow, model, spec, start, twin};
use timely_tests::thorough;

const PEER: u16 = 9;
const PACKET: u32 = 1442;
const WIRE: u64 = PACKET as u64 + 90 + 24;

/// Lets a flow send for `ns` at `rate` (2^-12 Mb/s), granted `lead` ns ahead:
/// `(packets, late, early, ppm, start)`; late and early in clocks against the ideal schedule that
/// starts at its first departure, which is `start` clocks after the doorbell.
fn pace(mut nic: Box<dyn Nic>, bus: u32, rate: u32, ns: u64, lead: u32) -> (usize, f64, f64, f64, u64) {
    let parameters = Parameters { outstanding_bytes: 0, ..Parameters::fixed(f64::from(rate) / 4096.0) };
    nic.write32(time::LEAD.address(), lead).expect("a register");
    start(&mut *nic, &spec(bus, 10, 100.0, vec![flow(0, PEER, PACKET, 1, &parameters)]));
    let mut bench = Bench::new(nic);
    let begin = bench.clk();
    let end = bench.clk() + ns / CLOCK_NS;
    let mut departures = Vec::new();
    while let Some(sent) = bench.run(end) {
        departures.push(sent.first);
    }
    let gap = WIRE as f64 * 8000.0 * 4096.0 / f64::from(rate) / CLOCK_NS as f64;
    let (mut late, mut early) = (0f64, 0f64);
    for (k, d) in departures.iter().enumerate() {
        let off = (d - departures[0]) as f64 - k as f64 * gap;
        (late, early) = (late.max(off), early.max(-off));
    }
    let n = departures.len() - 1;
    let ppm = (n as f64 * gap / (departures[n] - departures[0]) as f64 - 1.0) * 1e6;
    (departures.len(), late, early, ppm, departures[0] - begin)
}

#[test]
fn a_lone_flow_leaves_on_time() {
    println!("bus, bits      Mb/s      ms   packets   late by at most, clocks   early, clocks   rate error, ppm");
    let check = |name, nic, bus, rate: u32, ms: u64| {
        let (packets, late, early, ppm, _) = pace(nic, bus, rate, ms * 1_000_000, 0);
        println!("{bus:5} {name:8} {:9.3} {ms:5} {packets:9} {late:25.3} {early:15.3} {ppm:17.4}", f64::from(rate) / 4096.0);
        assert!(packets >= 3, "{packets} packets");
        assert!(late <= 1.0 && early <= 1.0, "{bus} bits, rate {rate}: {late} clocks late, {early} early");
        // A departure is known to a clock, which is a millionth of 4 ms.
        assert!(ppm.abs() <= 1.0 || ms < 4, "{bus} bits, rate {rate}: {ppm} ppm");
    };
    let fast = if thorough() { 20 } else { 5 };
    for bus in [64, 512] {
        for (rate, ms) in [
            (1 << 12, 100),
            (10 << 12, 50),
            (100 << 12, 20),
            (1000 << 12, fast),
            ((1000 << 12) + 1, fast),
            ((3333 << 12) + 1365, fast),
            (5000 << 12, fast),
            (9000 << 12, fast),
        ] {
            check("model", model(bus, 10), bus, rate, ms);
        }
        // A rate of each width, that the Verilog's gate is the model's; the pacer's own tests have
        // more.
        for (rate, ms) in if bus == 64 { [((1000 << 12) + 1, 5)] } else { [(9000 << 12, 5)] } {
            check("Verilog", twin(bus, 10, 1), bus, rate, ms);
        }
    }
}

/// Granted ahead of its launch, a packet waits for it in front of the MAC: the first is that much
/// later, and all keep their schedule.
#[test]
fn a_lead_delays_and_nothing_else() {
    const LEAD_NS: u32 = 1600;
    for bus in [64, 512] {
        for (name, with, without) in [("model", model(bus, 10), model(bus, 10)), ("Verilog", twin(bus, 10, 1), twin(bus, 10, 1))] {
            for_lead(name, bus, pace(with, bus, 3000 << 12, 1_000_000, LEAD_NS), pace(without, bus, 3000 << 12, 1_000_000, 0), LEAD_NS);
        }
    }
}

fn for_lead(name: &str, bus: u32, with: (usize, f64, f64, f64, u64), without: (usize, f64, f64, f64, u64), lead: u32) {
    let (packets, late, early, ppm, start) = with;
    let later = start - without.4;
    println!("{name}, {bus} bits: {later} clocks later, then {late:.3} clocks late and {early:.3} early at most, {ppm:.3} ppm");
    assert!(packets > 100 && late <= 1.0 && early <= 1.0, "{name}, {bus} bits: {late} clocks late, {early} early");
    // The generator's delay is within the lead.
    let clocks = u64::from(lead) / CLOCK_NS;
    assert!((clocks - 20..=clocks).contains(&later), "{name}, {bus} bits: {later} clocks later for a lead of {clocks}");
}
