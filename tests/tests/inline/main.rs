//! The in-line NIC: the Verilog of its core beside its model, every output at every clock, whatever
//! host, wire and registers do.
mod both;
mod hostile;
mod network;
mod roce;
mod world;

use both::Both;
use rand::Rng;
use timely_hw::config::{CLOCK_PS, Config, FLOW_BITS};
use timely_hw::shells::Shell;
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::parameters::Parameters;
use timely_sim::cores::CoreSpec;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::rtl::Shell as Compiled;
use timely_sim::nic::inline::{Inline, Model};
use timely_sim::nic::setup::configure;
use timely_sim::scenario::Form;
use timely_tests::nic::{build, counters, flow, spec};
use timely_tests::{cycles, few_seeds, left_to_soak, rng};
use world::World;

/// Flows that are enabled.
const FLOWS: u32 = 12;

fn shell(bus: u32, flow_bits: u32) -> Compiled {
    let shell = if bus == 512 { Shell::OpenNic } else { Shell::NetFpgaSume };
    let config = Config::new(bus as usize, flow_bits as usize).expect("a configuration that is built");
    let emit = || Ok::<_, String>(shell.emit(config, CLOCK_PS)?.swap_remove(0).text);
    let text = emit().unwrap_or_else(|e| panic!("emission: {e}"));
    Compiled::named(&format!("inline_{bus}_{flow_bits}"), &text).unwrap_or_else(|e| panic!("{e}"))
}

fn flows(bus: u32, flow_bits: u32, gbps: f64) -> CoreSpec {
    // Laws of several kinds, with and without a bound, time-outs that strike, and flows that are
    // slow enough to fill the store.
    let impatient = Parameters { timeout_us: 20.0, idle_us: 10.0, outstanding_bytes: 20_000, ..Parameters::timely_10g(2.0) };
    // Losses lower only the first profile: with all rates at their least, too few segments leave
    // for an ACK to be forged.
    let unbounded = Parameters { outstanding_bytes: 0, timeout_us: 100.0, loss_decrease: 0.0, ..Parameters::timely_10g(4.0) };
    let parameters = [impatient, unbounded, Parameters::fixed(6000.0), Parameters { outstanding_bytes: 0, ..Parameters::fixed(40_000.0) }];
    let slow = Parameters::fixed(1500.0);
    let of = |id| flow(id, world::PEER, 1024, 2, if id == 2 { &slow } else { &parameters[id as usize % 4] });
    CoreSpec { form: Form::Inline, ..spec(bus, flow_bits, gbps, (0..FLOWS).map(of).collect()) }
}

/// Sums of the counters.
type Counts = [u64; COUNTERS];

fn equal(bus: u32, flow_bits: u32, gbps: f64, clocks: u64) -> Counts {
    let mut all = [0; COUNTERS];
    for seed in few_seeds() {
        let mut rng = rng(seed);
        let spec = flows(bus, flow_bits, gbps);
        let both = Both::new(shell(bus, flow_bits).instantiate(seed as u32), Model::new(build(bus, flow_bits)));
        let mut nic = Inline::new(both, &spec);
        configure(&mut nic, &spec).expect("a valid set-up");
        let mut world = World::new(bus as usize, flow_bits, rng.random());
        let end = nic.clk() + clocks;
        while nic.clk() < end {
            world.clock(&mut nic, end);
        }
        let counted = counters(&mut nic);
        for flow in 0..FLOWS {
            world::telemetry(&mut nic, flow);
        }
        println!("{bus} bits, 2^{flow_bits} flows, seed {seed}: {:?}, counters {counted:?}", world.tally);
        for (sum, n) in all.iter_mut().zip(&counted) {
            *sum += u64::from(*n);
        }
        let t = &world.tally;
        if clocks >= 100_000 {
            assert!(t.paced > 200 && t.past > 300 && t.acks > 30 && t.up > 200, "{t:?}, seed {seed}");
            // The scan for time-outs looks at one of 2^14 flows or more every few clocks, so that
            // none can be skipped.
            assert!(flow_bits >= 14 || t.skipped > clocks / 100, "{} clocks skipped, seed {seed}", t.skipped);
        }
    }
    all
}

/// Checks that one run at least had each event to compare: with many flows the scan for time-outs
/// comes round seldom.
fn happened(counted: &Counts) {
    const WANTED: [Counter; 13] = [
        Counter::TxFrames,
        Counter::RxData,
        Counter::RxAcks,
        Counter::AcksSent,
        Counter::SegmentTimeouts,
        Counter::RateUpdates,
        Counter::LaunchesMissed,
        Counter::PacketsRefused,
        Counter::PacketsDiscarded,
        Counter::PauseFrames,
        Counter::PfcFrames,
        Counter::PausedTime,
        Counter::AckForged,
    ];
    let never: Vec<_> = WANTED.iter().filter(|c| counted[**c as usize] == 0).map(|c| format!("{c:?}")).collect();
    assert!(cycles() < 100_000 || never.is_empty(), "never happened: {never:?}");
}

/// OpenNIC's core.
#[test]
fn rtl_equals_model_512() {
    happened(&equal(512, 10, 100.0, cycles()));
}

/// NetFPGA SUME's, under `cargo xtask soak`; and OpenNIC's with every other number of flows.
#[test]
fn rtl_equals_model_of_any_size() {
    if left_to_soak("inline: other sizes") {
        return;
    }
    let mut all = equal(256, 10, 40.0, cycles());
    for flow_bits in FLOW_BITS.map(|f| f as u32).into_iter().filter(|f| *f != 10) {
        for (bus, gbps) in [(256, 40.0), (512, 100.0)] {
            all.iter_mut().zip(equal(bus, flow_bits, gbps, cycles())).for_each(|(sum, n)| *sum += n);
        }
    }
    happened(&all);
}
