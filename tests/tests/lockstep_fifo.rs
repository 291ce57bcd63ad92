//! The queues of `timely_hw::fifo` against `timely_model::fifo`, every output at every clock.
use rand::Rng;
use std::sync::Arc;
use timely_model::{Block, fifo};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::Library;

const WIDTH: usize = 40;
const ADDRESS: usize = 3;

fn stimulus(rng: &mut impl Rng, offer: &mut Runs, take: &mut Runs) -> fifo::In<u64> {
    fifo::In { rst: rng.random_bool(0.0005), push: offer.next(rng).then(|| rng.random::<u64>() >> (64 - WIDTH)), ready: take.next(rng) }
}

#[test]
fn rtl_equals_model() {
    equal(&verilate("fifo", timely_hw::fifo::Fifo::<WIDTH, ADDRESS, { ADDRESS + 1 }>::default()), false);
}

#[test]
fn the_wide_one_equals_model() {
    equal(&verilate("wide_fifo", timely_hw::fifo::WideFifo::<WIDTH, ADDRESS, { ADDRESS + 1 }>::default()), false);
}

#[test]
fn the_held_one_equals_model() {
    equal(&verilate("held_fifo", timely_hw::fifo::HeldFifo::<WIDTH, ADDRESS, { ADDRESS + 1 }>::default()), true);
}

// One of them says when it is empty.
fn equal(library: &Arc<Library>, says_empty: bool) {
    let (rst, i_valid, i_data, o_ready) =
        (library.input("rst"), library.input("i_valid"), library.input("i_data"), library.input("o_ready"));
    let (i_ready, o_valid, o_data) = (library.output("i_ready"), library.output("o_valid"), library.output("o_data"));
    let empty = says_empty.then(|| library.output("empty"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.6, 20), Runs::new(0.5, 20));
        let mut dut = library.instantiate(seed as u32);
        let mut model = fifo::Fifo::new(ADDRESS as u32);
        for clk in 0..cycles() {
            let rtl = fifo::Out { ready: dut.get(i_ready) == 1, head: (dut.get(o_valid) == 1).then(|| dut.get(o_data)) };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            if let Some(empty) = empty {
                assert_eq!(dut.get(empty) == 1, model.is_empty(), "empty at clock {clk}, seed {seed}");
            }
            let i = stimulus(&mut rng, &mut offer, &mut take);
            dut.set(rst, i.rst.into());
            dut.set(i_valid, i.push.is_some().into());
            dut.set(i_data, i.push.unwrap_or(rng.random::<u64>() >> 24));
            dut.set(o_ready, i.ready.into());
            dut.tick();
            model.step(clk, &i);
        }
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.02, 3), Runs::new(0.5, 4));
        let (mut stepped, mut skipped) = (fifo::Fifo::<u64>::new(3), fifo::Fifo::new(3));
        let mut skips = 0;
        for clk in 0..cycles() {
            let i = stimulus(&mut rng, &mut offer, &mut take);
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            stepped.step(clk, &i);
            if i.push.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
