//! Figures of the rate engine: its rate of updates on its Verilog, its exactness by the tests of
//! its arithmetic.
use super::figure::{Bound, Figure};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_hw::engine::Engine;
use timely_regs::parameters::Parameters;
use timely_verilate::{Options, build};

/// The control laws, by the names that the tests print them with.
const LAWS: [&str; 5] = ["timely", "patched", "swift", "pi", "dcqcn"];

/// Measures all of it.
///
/// # Errors
/// The emission or Verilator finds an error.
pub fn measure(quick: bool, printed: &str, out: &mut Vec<Figure>) -> Result<(), String> {
    let flow_bits = if quick { 10 } else { 16 };
    let verilog = if quick {
        timely_hw::emit::emit("engine", Engine::<10>::default())
    } else {
        timely_hw::emit::emit("engine", Engine::<16>::default())
    }?;
    let top = format!("{}engine", timely_hw::emit::PREFIX);
    let library = build("engine", &verilog, &top, Options::default()).map_err(|e| e.to_string())?;
    let mut dut = library.instantiate(1);
    let (swept, rate_valid) = (library.output("swept"), library.output("rate_valid"));
    while dut.get(swept) == 0 {
        dut.tick();
    }
    let profile = ["pw_valid", "pw_profile", "pw_word", "pw_data"].map(|n| library.input(n));
    let words = Parameters::timely_100g(8.0).quantise().map_err(|e| e.to_string())?;
    dut.set(profile[0], 1);
    for (number, word) in (0..).zip(words) {
        dut.set(profile[2], number);
        dut.set(profile[3], word.into());
        dut.tick();
    }
    dut.set(profile[0], 0);
    let sample = ["sample_valid", "sample_kind", "sample_flow", "sample_rtt_ns", "sample_now_ns"].map(|n| library.input(n));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let clocks = if quick { 2000 } else { 200_000u64 };

    // A sample a clock, each of another flow.
    let mut rates = 0;
    dut.set(sample[0], 1);
    for clk in 0..clocks + 100 {
        dut.set(sample[2], clk & ((1 << flow_bits) - 1));
        dut.set(sample[3], rng.random_range(5_000..200_000));
        dut.set(sample[4], clk * 4);
        dut.tick();
        rates += u64::from(clk >= 100 && dut.get(rate_valid) == 1);
    }
    let what = "a sample a clock, of distinct flows";
    out.push(Figure::new("engine.updates_per_clock", rates as f64 / clocks as f64, what).bound(Bound::Exactly(1.0)));

    // A sample a clock, all of one flow: what finds the queue full is dropped.
    let (mut last, mut longest) = (None, 0);
    for clk in 0..1000u64 {
        dut.set(sample[2], 3);
        dut.tick();
        if clk >= 100 && dut.get(rate_valid) == 1 {
            longest = longest.max(clk - last.unwrap_or(clk));
            last = Some(clk);
        }
    }
    let what = "clocks between two updates of one flow that has samples waiting, at most";
    out.push(Figure::new("engine.same_flow_interval_clocks", longest as f64, what).bound(Bound::AtMost(24.0)));

    for (key, bound, what) in [
        ("engine.one_step_error", 1e-7, "one update from any state against f64, over line rate"),
        ("engine.trajectory_error", 1e-5, "1e5 updates against f64, over line rate"),
    ] {
        let of = |law: &str| {
            let name = format!("{key}.{law}");
            let value = printed.lines().filter_map(|l| l.trim().strip_prefix("figure ")?.split_once(' ')).filter(|(k, _)| *k == name);
            let worst = value.filter_map(|(_, v)| v.trim().parse::<f64>().ok()).reduce(f64::max);
            (name, worst)
        };
        let all = LAWS.map(of);
        let worst = all.iter().map(|(_, v)| *v).reduce(|a, b| Some(a?.max(b?))).flatten();
        for (name, value) in [(key.to_owned(), worst)].into_iter().chain(all) {
            let what =
                if name == key { format!("{what}; the worst of all laws") } else { format!("{what}; the model, which the Verilog equals") };
            out.push(match value {
                Some(v) => Figure::new(&name, v, &what),
                None => Figure::missing(&name, "no test of the engine's arithmetic printed it"),
            });
            if let Some(figure) = out.last_mut() {
                figure.bound = Some(Bound::AtMost(bound));
            }
        }
    }
    Ok(())
}
