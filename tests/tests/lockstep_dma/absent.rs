//! The DMA stub of builds without memory: its registers, and that it never starts.
use crate::{INPUTS, OUTPUTS};
use rand::Rng;
use timely_hw::dma::NoDma as Rtl;
use timely_model::Block;
use timely_model::dma::{In, Look, NoDma};
use timely_regs::map::dma;
use timely_tests::{rng, seeds, verilate};

/// Every word of the block, with every order that one may write, beside noise at all other inputs:
/// orders to start are refused and nothing else, hardware's registers read as those of DMA that
/// stands still, and every output for others is 0.
#[test]
fn nothing_starts_without_memory() {
    let library = verilate("no_dma_64_10", Rtl::<64, 8, 10>::new());
    let inputs = INPUTS.map(|n| library.input(n));
    let outputs = OUTPUTS.map(|n| library.output(n));
    let at = |name: &str| inputs[INPUTS.iter().position(|n| *n == name).expect("an input")];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut expected = None;
        let mut model = NoDma::default();
        // Each word with 0 and with 1, and a clock without a look, at which the answer stands.
        for clk in 0..3 * 1024u32 {
            for input in inputs {
                dut.set(input, rng.random::<u64>() & 1);
            }
            let (word, data) = (clk / 3, clk % 3);
            let looks = data < 2;
            for (name, value) in [("rst", u64::from(clk == 0)), ("look_valid", looks.into())] {
                dut.set(at(name), value);
            }
            if looks {
                dut.set(at("look_word"), word.into());
                dut.set(at("look_data"), data.into());
            }
            dut.settle();
            let get = |name: &str| dut.get(outputs[OUTPUTS.iter().position(|n| *n == name).expect("an output")]);
            if let Some((live, refused, of)) = expected {
                assert_eq!((get("look_live"), get("look_refuse")), (live, refused), "seed {seed}, word {of:#x} with {data}");
            }
            let out = model.output(clk.into());
            if clk != 0 {
                let answer = (get("look_live"), get("look_refuse"), get("rec_ready"));
                let expected = (out.live.into(), out.refuse.into(), out.record_ready.into());
                assert_eq!(answer, expected, "seed {seed}, clock {clk}: Verilog and model");
            }
            assert_eq!(get("rec_ready"), 1, "seed {seed}: records must not wait");
            for (name, output) in OUTPUTS.iter().zip(outputs).filter(|(n, _)| !["look_live", "look_refuse", "rec_ready"].contains(*n)) {
                assert!(dut.get_words(output).iter().all(|w| *w == 0), "seed {seed}, clock {clk}: {name} is not 0");
            }
            if looks && clk != 0 {
                let starts = word == dma::CONTROL.word() && data == 1 || [dma::SNAPSHOT[4], dma::LOAD[4]].iter().any(|r| r.word() == word);
                let live = if word == dma::STATUS.word() { 1 << dma::IDLE.low } else { 0 };
                expected = Some((live, u64::from(starts), word));
            }
            dut.tick();
            let look = looks.then_some(Look { word, data });
            model.step(clk.into(), &In { rst: clk == 0, look, ..In::default() });
        }
    }
}
