//! Figure 23: reads from storage (section 6.2).
use super::clos::{completions, pfc, swift};
use super::finding::least;
use super::{Figure, Lab, STORAGE, curves, number};
use crate::scenario::build::Outcome;

/// Figure 23: reads from storage.
pub fn figure_23(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig23";
    let loads = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    let mut sets = Vec::new();
    for load in loads {
        sets.push(vec![number("load.0.load", load)]);
        sets.push([vec![number("load.0.load", load)], pfc()].concat());
    }
    for load in loads {
        sets.push(vec![number("load.0.load", load), swift()]);
    }
    let runs = lab.runs("storage.toml", STORAGE, &sets)?;
    let (runs, swifter) = runs.split_at(2 * loads.len());
    let swifter: Vec<_> = swifter.iter().collect();
    let (timely, alone): (Vec<_>, Vec<_>) = runs.chunks(2).map(|c| (&c[0], &c[1])).unzip();
    // Of hosts' links, replies only.
    let used = |o: &Outcome| {
        let w = o.recorder.windows;
        let payload: u64 = o.recorder.flows.iter().map(|f| f.payload_steady).sum();
        payload as f64 * 8e3 / (w.end - w.steady) as f64 / 540.0
    };
    let p99 = |o: &Outcome| completions(o, 65_536).p99;
    // The greatest use of the links before the 99th percentile reaches 2 ms.
    let knee = |of: &[&Outcome]| of.iter().filter(|o| p99(o) < 2000.0).map(|o| used(o)).fold(0.0, f64::max);
    let why = format!(
        "one read in a hundred meets a connection whose rate was cut, and which comes back by delta a completion, 16 KB of data. With a delta of \
         100 Mb/s the ratio is {:.2}",
        knee(&swifter) / knee(&alone).max(0.01)
    );
    let top = |of: &[&Outcome]| of.iter().map(|o| used(o)).fold(0.0, f64::max);
    // The load of 0.7, at which both are saturated.
    const AT: usize = 6;
    let median = |o: &Outcome| completions(o, 65_536).p50;
    let findings = vec![
        least(ID, "most use of the links at any load, TIMELY over PFC", 1.0, top(&timely) / top(&alone)).in_words(),
        least(ID, "median time of a read at load .7, PFC over TIMELY", 1.0, median(alone[AT]) / median(timely[AT])).in_words(),
        least(
            ID,
            "use of the links before the 99th percentile of a read reaches 2 ms, TIMELY over PFC",
            1.0,
            knee(&timely) / knee(&alone).max(0.01),
        )
        .in_words()
        .why(&why),
    ];
    let line = |of: &[&Outcome], f: &dyn Fn(&Outcome) -> f64| loads.iter().zip(of).map(|(l, o)| (*l, f(o))).collect::<Vec<_>>();
    let (legend, plot) =
        curves("load", "99th percentile of a read, us", &[("TIMELY", line(&timely, &p99)), ("PFC alone", line(&alone, &p99))]);
    let (legend_2, plot_2) =
        curves("load", "use of the links by replies", &[("TIMELY", line(&timely, &used)), ("PFC alone", line(&alone, &used))]);
    let text = "Each host reads 64 KB at a time from eight others by RDMA READs of 16 KB, paced by the bytes that they bring; replies of several meet at \
                its link."
        .into();
    let plots = vec![("Times of reads".into(), legend, plot), ("What arrives".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Figure 23: reads from storage", text, findings, plots })
}
