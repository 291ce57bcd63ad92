//! Soaks the whole NIC; see `timely_tests::soak`. `cargo xtask soak --nic` runs it.
use std::process::ExitCode;
use std::time::Instant;
use timely_tests::soak::soak;

const USAGE: &str = "usage: timely-soak CLOCKS [SEED [ROUND]]";

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut or = |number| numbers.next().or(number);
    let (Some(Ok(clocks)), Some(Ok(seed)), Some(Ok(from)), None) = (or(None), or(Some(Ok(1))), or(Some(Ok(0))), or(None)) else {
        eprintln!("error: {USAGE}");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let mut said = 0;
    let soaked = soak(clocks, seed, from, |s| {
        // A line a hundredth of the way.
        if s.clocks >= said {
            said = s.clocks + clocks / 100;
            eprintln!("{:6.0} s: {s}", started.elapsed().as_secs_f64());
        }
    });
    let speed = soaked.clocks as f64 / started.elapsed().as_secs_f64();
    println!("seed {seed}: {soaked}; nothing wedged, every frame accounted for; {speed:.0} clocks a second");
    ExitCode::SUCCESS
}
