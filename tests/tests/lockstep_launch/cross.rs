//! The queue between two clocks of a board's shell, on clocks that know nothing of each other:
//! nothing is lost, doubled or out of order.
use rand::Rng;
use std::collections::VecDeque;
use timely_hw::shells::ecpix5::CROSS;
use timely_tests::{Runs, cycles, quick, rng, seeds};
use timely_verilate::{Options, build};

/// Words that wait in it and at its output.
const DEPTH: usize = 17;
/// Edges of the reader behind the one of the writer that takes a word into an empty queue, after
/// which it is offered.
const LATENCY: u64 = 3;

#[test]
fn words_cross_whole_and_in_order() {
    let verilog = [include_str!("../shells/ecpix5_cross.v"), CROSS].concat();
    let library = build("ecpix5_cross", &verilog, "cross_board", Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let input = |n| library.input(n);
    let output = |n| library.output(n);
    let (w_go, r_go, arst, w_valid, w_data, r_ready) =
        (input("w_go"), input("r_go"), input("arst"), input("w_valid"), input("w_data"), input("r_ready"));
    let (w_ready, w_rst, r_valid, r_data, r_rst) =
        (output("w_ready"), output("w_rst"), output("r_valid"), output("r_data"), output("r_rst"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let (mut offer, mut take) = (Runs::new(0.7, 40), Runs::new(0.7, 40));
        // ps of a period, and the time of the coming edge.
        let mut clocks = [(10_000u64, 0u64), (8_000, 3)];
        let (mut words, mut resets, mut full, mut moved) = (VecDeque::new(), 0, 0, 0);
        for _ in 0..cycles() {
            if rng.random_bool(0.0005) {
                clocks.iter_mut().for_each(|c| c.0 = rng.random_range(6_000..16_000));
            }
            let now = clocks[0].1.min(clocks[1].1);
            let goes = clocks.map(|c| c.1 == now);
            for (c, go) in clocks.iter_mut().zip(goes) {
                // A stopped clock, rarely.
                let stands = if rng.random_bool(0.0002) { rng.random_range(0..500_000) } else { 0 };
                c.1 += if go { c.0 + rng.random_range(0..3) + stands } else { 0 };
            }
            let reset = rng.random_bool(0.0005);
            let offered: Option<u64> = offer.next(&mut rng).then(|| rng.random::<u64>() >> 24);
            let taken = take.next(&mut rng);
            dut.set(w_go, goes[0].into());
            dut.set(r_go, goes[1].into());
            dut.set(arst, reset.into());
            dut.set(w_valid, offered.is_some().into());
            dut.set(w_data, offered.unwrap_or_else(|| rng.random::<u64>() >> 24));
            dut.set(r_ready, taken.into());
            // The inputs at the edge: a reset is there before it.
            let (free, writing, reading) = (dut.get(w_ready) == 1, dut.get(w_rst) == 0 && !reset, dut.get(r_rst) == 0 && !reset);
            let head = (dut.get(r_valid) == 1).then(|| dut.get(r_data));
            if goes[1]
                && reading
                && taken
                && let Some(head) = head
            {
                let word = words.pop_front().expect("a word that nobody wrote");
                assert_eq!(head, word, "seed {seed}");
                moved += 1;
            }
            if goes[0]
                && writing
                && let Some(word) = offered
            {
                if free {
                    words.push_back(word);
                } else {
                    full += 1;
                }
            }
            if reset {
                words.clear();
                resets += 1;
            }
            assert!(words.len() <= DEPTH, "{} words inside, seed {seed}", words.len());
            dut.tick();
        }
        println!("{moved} words, {full} found it full, {resets} resets");
        assert!(quick() || moved > cycles() / 10 && full > cycles() / 100 && resets > 20, "seed {seed}");
    }
}

/// A word into an empty queue is offered [`LATENCY`] clocks of the reader later, whatever the
/// clocks' phase.
#[test]
fn a_word_is_across_in_a_few_clocks() {
    let verilog = [include_str!("../shells/ecpix5_cross.v"), CROSS].concat();
    let library = build("ecpix5_cross", &verilog, "cross_board", Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut rng = rng(5);
    let mut dut = library.instantiate(1);
    let (mut w_at, mut r_at, mut seen) = (0u64, 4_000u64, std::collections::BTreeMap::new());
    let (mut written, mut reads) = (None, 0u64);
    dut.set(library.input("r_ready"), 1);
    for edge in 0..40_000u64 {
        let now = w_at.min(r_at);
        let (w, r) = (w_at == now, r_at == now);
        w_at += if w { 10_000 + rng.random_range(0..30) } else { 0 };
        r_at += if r { 8_000 } else { 0 };
        let writes = w && edge > 100 && written.is_none() && rng.random_bool(0.1);
        if r && dut.get(library.output("r_valid")) == 1 {
            let at = written.take().expect("a word that nobody wrote");
            *seen.entry(reads - at).or_insert(0u32) += 1;
        }
        reads += u64::from(r);
        if writes {
            written = Some(reads);
        }
        dut.set(library.input("w_go"), w.into());
        dut.set(library.input("r_go"), r.into());
        dut.set(library.input("w_valid"), writes.into());
        dut.tick();
    }
    assert!(seen.len() == 1 && seen.get(&LATENCY).is_some_and(|n| *n > 1000), "clocks of the reader: {seen:?}");
}
