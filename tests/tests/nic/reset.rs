//! Resets at any moment: in the middle of packets, of register accesses, of RAM init after the
//! reset before.
use crate::STORM;
use rand::Rng;
use timely_regs::map::{id, port, window};
use timely_regs::parameters::Parameters;
use timely_tests::loopback::{Loop, spec};
use timely_tests::nic::{cores, counters, start};
use timely_tests::{few_seeds, rng, thorough};

/// Resets of a NIC that sends, for a seed and a width; under `cargo xtask soak` twice as many.
const RESETS: u32 = 26;
/// Clocks in which a NIC that was set up again must have sent and answered.
const RECOVERY: u64 = 30_000;

/// After each of them the NIC is as new: counters at 0, time from 0; it is set up again, sends, and
/// answers.
#[test]
fn a_reset_always_recovers() {
    let (mut total, resets) = (0, if thorough() { 2 * RESETS } else { RESETS });
    for seed in few_seeds() {
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                let mut rng = rng(seed);
                let spec = spec(bus, 10, 6, &Parameters::timely_10g(8.0), &mut rng);
                let mut wire = Loop::new(bus as usize, STORM, rng.clone());
                let (mut sending, mut receiving, mut accessing, mut sweeping, mut slowest) = (0, 0, 0, 0, 0);
                for round in 0..resets {
                    let restarted = nic.clk();
                    assert!(counters(&mut *nic).iter().all(|c| *c == 0), "a counter survived, seed {seed}, round {round}");
                    start(&mut *nic, &spec);
                    let elapsed = (nic.clk() - restarted + 30) * 4;
                    assert!(
                        nic.now() >> 16 <= elapsed,
                        "the time did not start again: {} ns after {elapsed} ns, seed {seed}",
                        nic.now() >> 16
                    );
                    let (begun, before) = (nic.clk(), wire.tally);
                    let run = |nic: &mut Box<dyn timely_tests::nic::Nic>, wire: &mut Loop| {
                        let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                        nic.step(&input);
                    };
                    while wire.tally.data < before.data + 5 || wire.tally.acks < before.acks + 2 {
                        run(&mut nic, &mut wire);
                        let clocks = nic.clk() - begun;
                        assert!(clocks < RECOVERY, "no traffic {clocks} clocks after reset {round}, seed {seed}");
                    }
                    slowest = slowest.max(nic.clk() - begun);
                    for _ in 0..rng.random_range(0..2000) {
                        run(&mut nic, &mut wire);
                    }
                    // Accesses that the reset may break off.
                    if rng.random() {
                        accessing += 1;
                        nic.post_write(window::doorbell(rng.random_range(0..6)), rng.random_range(1..100));
                        nic.post_write(port::ACK_TTL.address(), rng.random_range(1..255));
                        for _ in 0..rng.random_range(0..20) {
                            run(&mut nic, &mut wire);
                        }
                    }
                    let (out, into) = wire.in_frame();
                    (sending, receiving) = (sending + u32::from(out), receiving + u32::from(into));
                    nic.reset(rng.random_range(2..20));
                    wire.reset();
                    // And again, before it is ready.
                    while rng.random_range(0..3) == 0 {
                        sweeping += 1;
                        if rng.random() {
                            nic.post_write(id::CONTROL.address(), 1);
                        }
                        for _ in 0..rng.random_range(0..1500) {
                            run(&mut nic, &mut wire);
                        }
                        nic.reset(rng.random_range(2..20));
                        wire.reset();
                    }
                }
                total += if name == "Verilog" { resets + sweeping } else { 0 };
                println!(
                    "{name}, {bus} bits: {resets} resets under traffic, {sending} in a frame that was sent, {receiving} in one that arrived, \
                     {accessing} with register writes under way; {sweeping} more during the sweep; traffic within {slowest} clocks of set-up"
                );
                assert!(sending > resets / 4 && receiving > resets / 4, "{sending} and {receiving} resets inside packets, seed {seed}");
            }
        }
    }
    println!("{total} resets of the Verilog");
    assert!(total >= 2 * resets * few_seeds().len() as u32);
}
