//! The same pins and the same events: of the Verilog and the model, of a model that steps and one
//! that skips.
use crate::STORM;
use rand::{Rng, SeedableRng};
use timely_hw::config::FLOW_BITS;
use timely_regs::event::EventRecord;
use timely_regs::map::{flow, profiles, telemetry, time};
use timely_regs::parameters::Parameters;
use timely_regs::recording::{Profiles, Recording};
use timely_sim::nic::core::{CoreEvent, CoreIn};
use timely_sim::replay::replay;
use timely_tests::loopback::{Loop, any_form, spec};
use timely_tests::nic::{counters, model, start, start_with, twin};
use timely_tests::soak::chatter;
use timely_tests::{cycles, few_seeds, left_to_soak, rng, seeds};

/// A model that is asked every clock and one that is asked when it wants to be show the same pins
/// and the same events.
#[test]
fn skipping_equals_stepping() {
    let busy = Parameters::timely_10g(8.0);
    // Slow enough for the wire to fall silent between two packets.
    let quiet = Parameters {
        initial_mbps: 300.0,
        additive_step_mbps: 0.1,
        idle_us: 10.0,
        timeout_us: 50.0,
        loss_decrease: 0.0,
        ..Parameters::timely_10g(8.0)
    };
    for seed in seeds() {
        for (bus, flows, parameters, least) in [(64, 3, &quiet, cycles() / 10), (512, 4, &quiet, cycles() / 10), (512, 20, &busy, 0)] {
            let mut rng = rng(seed);
            let spec = spec(bus, 10, flows, parameters, &mut rng);
            let (mut stepped, mut skipped) = (model(bus, 10), model(bus, 10));
            start(&mut *stepped, &spec);
            start(&mut *skipped, &spec);
            let mut wire = Loop::new(bus as usize, STORM, rng);
            let mut skips = 0;
            let (mut a, mut b): (Vec<CoreEvent>, Vec<CoreEvent>) = Default::default();
            for _ in 0..cycles() {
                let clk = stepped.clk();
                assert_eq!(clk, skipped.clk());
                assert_eq!(stepped.output(), skipped.output(), "clock {clk}, seed {seed}");
                assert_eq!(stepped.now(), skipped.now(), "clock {clk}, seed {seed}");
                let pins = stepped.output();
                let input = wire.inputs(clk, stepped.now(), &pins);
                stepped.step(&input);
                let idle = CoreIn { tx_ready: input.tx_ready && pins.tx.is_some(), ..input } == CoreIn::default();
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
            assert!(skips >= least && wire.tally.acks > cycles() / 4000, "{skips} clocks skipped, {:?}, seed {seed}", wire.tally);
        }
    }
}

fn equal(bus: u32, flow_bits: u32, flows: u32) -> u64 {
    let mut timeouts = 0;
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut nic = twin(bus, flow_bits, seed);
        let mut spec = spec(bus, flow_bits, flows, &Parameters::timely_10g(8.0), &mut rng);
        // A law of another kind, idle restarts, time-outs that strike, and a start of the RTT in
        // front of the gate.
        let impatient = Parameters { timeout_us: 8.0, idle_us: 10.0, outstanding_bytes: 9000, ..Parameters::timely_10g(2.0) };
        for f in &mut spec.flows {
            f.parameters = match f.spec.id % 4 {
                // The last flow's record is the one that is loaded again and again, for any flow.
                0 => impatient.clone(),
                1 => Parameters::fixed(1500.0),
                _ => continue,
            };
        }
        start_with(&mut *nic, &spec, any_form(&mut rng));
        nic.write32(telemetry::EVENT_EVERY.address(), 1).unwrap();
        let begun = nic.clk();
        let mut wire = Loop::new(bus as usize, STORM, rng.clone());
        let mut events = Vec::new();
        while nic.clk() - begun < cycles() {
            let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
            nic.step(&input);
            if rng.random_range(0..1500) == 0 {
                chatter(&mut *nic, flow_bits, flows + 1, &mut rng);
            }
        }
        nic.drain(&mut events);
        // Every update of the run, computed again.
        let words: Vec<u32> = (0..profiles::WORD.count).map(|i| nic.read32(profiles::WORD.address() + 4 * i).unwrap()).collect();
        let mut recording = Recording { profiles: vec![Profiles::default()], records: vec![] };
        recording.profiles[0].as_flattened_mut().copy_from_slice(&words);
        for event in &events {
            if let CoreEvent::Record { words, .. } = event {
                recording.records.push(EventRecord::from_words(words).unwrap());
            }
        }
        let replayed = replay(&recording);
        println!("{replayed}");
        assert!(replayed.differences == 0 && replayed.missing == 0, "{replayed}, seed {seed}");
        assert!(replayed.records as u64 > cycles() / 5000, "few records, seed {seed}");
        // A record and a few bins, both compared word by word.
        nic.write32(telemetry::HISTOGRAM_INDEX.address(), 10 << 4).unwrap();
        let asked: u64 = (0..64).map(|_| u64::from(nic.read32(telemetry::HISTOGRAM_COUNT.address()).unwrap())).sum();
        // A flow that was loaded a moment ago has nothing.
        let mut record = |flow: u32| -> u64 {
            nic.write32(flow::INDEX.address(), flow).unwrap();
            nic.write32(flow::COMMAND.address(), flow::QUERY).unwrap();
            (0..32).map(|i| u64::from(nic.read32(flow::ANSWER.address() + 4 * i).unwrap())).sum()
        };
        let answered: u64 = (0..flows).map(&mut record).sum();
        assert!(asked + answered > 0, "neither a histogram nor a record has anything in it, seed {seed}");
        let counted = counters(&mut *nic);
        println!(
            "{bus} bits, 2^{flow_bits} flows, {flows} of them loaded: {:?}, {} events, counters {counted:?}",
            wire.tally,
            events.len()
        );
        let seen = |what: fn(&CoreEvent) -> bool| events.iter().filter(|e| what(e)).count() as u64;
        assert!(wire.tally.data > cycles() / 1000 && wire.tally.acks > cycles() / 4000, "little was sent, seed {seed}");
        assert!(wire.tally.forms.iter().all(|sent| *sent > 0), "a form of frames was not sent: {:?}, seed {seed}", wire.tally.forms);
        assert!(seen(|e| matches!(e, CoreEvent::Rtt { .. })) > cycles() / 10_000, "few samples, seed {seed}");
        timeouts += seen(|e| matches!(e, CoreEvent::Timeout { .. }));
    }
    timeouts
}

/// A seed may lose no ACK of the flows that are impatient; all together do.
fn has_timeouts(timeouts: u64) {
    println!("{timeouts} time-outs");
    assert!(timeouts > 0 || cycles() < 100_000, "no time-outs, seeds {:?}", seeds());
}

/// The same frames at the same clocks, the same samples and rates, the same time: whatever the wire
/// and the host do.
#[test]
fn rtl_equals_model_64() {
    has_timeouts(equal(64, 10, 5));
}

#[test]
fn rtl_equals_model_512() {
    has_timeouts(equal(512, 10, 40));
}

#[test]
fn rtl_equals_model_512_16k() {
    if !left_to_soak("nic::equal: 2^14 flows at 512 bits") {
        has_timeouts(equal(512, 14, 200));
    }
}

/// The configurations of a bus that the ordinary run leaves out, under `cargo xtask soak`.
fn others(bus: u32, flows: u32) {
    if left_to_soak(&format!("nic::equal: other flow counts at {bus} bits")) {
        return;
    }
    let ordinary = |flow_bits: &u32| [(64, 10), (512, 10), (512, 14)].contains(&(bus, *flow_bits));
    for flow_bits in FLOW_BITS.map(|f| f as u32).into_iter().filter(|f| !ordinary(f)) {
        equal(bus, flow_bits, flows);
    }
}

#[test]
fn rtl_equals_model_64_with_any_flow_count() {
    others(64, 5);
}

#[test]
fn rtl_equals_model_128_with_any_flow_count() {
    others(128, 10);
}

#[test]
fn rtl_equals_model_256_with_any_flow_count() {
    others(256, 20);
}

#[test]
fn rtl_equals_model_512_with_any_flow_count() {
    others(512, 40);
}

/// The lead changes at any clock, by less than what counts as a step of the time and by more, while
/// grants wait for their launches: which it makes due, and when.
#[test]
fn a_lead_that_changes_at_any_clock() {
    for seed in few_seeds() {
        for (bus, mbps, every) in [(64, 300.0, 40), (512, 300.0, 300), (512, 8000.0, 100)] {
            let mut rng = rng(seed);
            let spec = spec(bus, 10, 12, &Parameters::fixed(mbps), &mut rng);
            let mut nic = twin(bus, 10, seed);
            start(&mut *nic, &spec);
            let mut wire = Loop::new(bus as usize, STORM, rand_chacha::ChaCha8Rng::seed_from_u64(seed));
            for _ in 0..cycles() / 3 {
                if rng.random_range(0..every) == 0 {
                    let lead = [0, 100, 400, 2000, rng.random_range(0..256)][rng.random_range(0..5)];
                    nic.post_write(time::LEAD.address(), lead);
                }
                let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                nic.step(&input);
            }
            println!("{bus} bits, {mbps} Mb/s: {:?}", wire.tally);
            assert!(wire.tally.data > cycles() / 2000, "{:?}, seed {seed}", wire.tally);
        }
    }
}
