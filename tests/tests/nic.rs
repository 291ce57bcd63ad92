//! The whole NIC: its Verilog against its model, the model's two faces against each other, and both against a hostile wire.
use timely_regs::map::{Build, segment_bits};
use timely_regs::parameters::Parameters;
use timely_sim::nic::core::{Core, CoreEvent, CoreIn};
use timely_sim::nic::model::Model;
use timely_sim::nic::setup::configure;
use timely_tests::loopback::{Loop, Weather, spec};
use timely_tests::{cycles, rng, seeds};

const STORM: Weather =
    Weather { lost: 0.02, spoilt: 0.01, repeated: 0.02, forged: 0.05, hostile: 0.002, ready: 0.9, paused: 0.1, delay: 400 };

fn build(bus_bits: u32, flow_bits: u32) -> Build {
    Build { bus_bits, flow_bits, segment_bits: segment_bits(flow_bits), clock_ps: 4000 }
}

/// A model that is asked every clock and one that is asked when it wants to be show the same pins and the same events.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        for (bus, flows) in [(64, 3), (512, 20)] {
            let mut rng = rng(seed);
            let parameters = Parameters::timely_10g(8.0);
            let spec = spec(bus, 10, flows, &parameters, &mut rng);
            let (mut stepped, mut skipped) = (Model::new(build(bus, 10)), Model::new(build(bus, 10)));
            for core in [&mut stepped, &mut skipped] {
                for (_, address, value) in configure(core, &spec).expect("a valid set-up") {
                    core.post_write(address, value);
                }
            }
            let mut wire = Loop::new(bus as usize, STORM, rng);
            let mut skips = 0;
            let (mut a, mut b): (Vec<CoreEvent>, Vec<CoreEvent>) = Default::default();
            for _ in 0..cycles() {
                let clk = stepped.clk();
                assert_eq!(clk, skipped.clk());
                assert_eq!(stepped.output(), skipped.output(), "clock {clk}, seed {seed}");
                assert_eq!(stepped.now(), skipped.now(), "clock {clk}, seed {seed}");
                let input = wire.inputs(clk, stepped.now(), &stepped.output());
                stepped.step(&input);
                let idle = CoreIn { tx_ready: input.tx_ready && stepped.output().tx.is_some(), ..input } == CoreIn::default();
                if idle && skipped.wake() > clk {
                    skipped.skip_to(clk + 1);
                    skips += 1;
                } else {
                    skipped.step(&input);
                }
            }
            stepped.drain(&mut a);
            skipped.drain(&mut b);
            assert_eq!(a, b, "seed {seed}");
            println!("{bus} bits, {flows} flows: {skips} clocks skipped, {:?}, {} events", wire.tally, a.len());
        }
    }
}
