//! Margins of the NIC's laws against what does not know of them: the roots of the delay system, the
//! fluid model, the rate engine's integers, and packets.
use rayon::prelude::*;
use std::path::Path;
use timely_regs::parameters::Parameters;
use timely_sim::cores;
use timely_sim::scenario::{build, file};
use timely_sim::stability::nic::{Nic, Row, SEGMENT, row};

/// A law with its numbers of flows that settle and that swing, and how long it takes, ms.
struct Law {
    name: &'static str,
    set: fn(&mut Parameters),
    text: &'static str,
    settle: &'static [u32],
    swing: &'static [u32],
    ms: f64,
}

/// Swift with a target of 8 us above the path, a decrease of .8 and flow scaling so steep that up
/// to 12 flows settle.
const STEEP: &str = "base_target_us = 16\nbeta = 0.8\nflow_range_us = 300\nflow_most_packets = 4";

fn steep(p: &mut Parameters) {
    (p.base_target_us, p.beta, p.flow_range_us, p.flow_most_packets) = (p.update_interval_us - 4.0, 0.8, 300.0, 4.0);
}

const LAWS: [Law; 4] = [
    Law { name: "patched-10g", set: |_| {}, text: "", settle: &[8, 16, 32], swing: &[2, 4, 6], ms: 60.0 },
    Law { name: "pi-10g", set: |_| {}, text: "", settle: &[8, 12, 16, 32], swing: &[2, 3, 4], ms: 120.0 },
    Law { name: "swift-10g", set: steep, text: STEEP, settle: &[6, 8, 12], swing: &[24, 28, 32], ms: 30.0 },
    Law { name: "swift-10g", set: |_| {}, text: "", settle: &[], swing: &[2, 8, 32], ms: 30.0 },
];

/// Standard deviation over mean of a queue that has settled, at most: packets come and go.
const SETTLED: f64 = 0.06;
/// The same of one that swings, at least.
const SWINGS: f64 = 0.1;

fn held(what: &str, law: &Law, flows: u32, swing: f64) {
    let settles = law.settle.contains(&flows);
    println!("{what}: {} {}, {flows} flows: swing {swing:.4}", law.name, law.text.replace('\n', ", "));
    assert!(if settles { swing < SETTLED } else { swing > SWINGS }, "{what}: {}, {flows} flows: {swing}", law.name);
}

fn nic(law: &Law, base_us: f64) -> Nic {
    let mut p = Parameters::named(law.name, base_us).unwrap();
    (law.set)(&mut p);
    Nic::new(p, SEGMENT, base_us).unwrap()
}

// The margin and the root have the sign that the law's table says.
fn signs(law: &Law, r: &Row) {
    let (margin, root) = (r.margin_deg.expect("a crossing"), r.root.expect("a rest"));
    assert_eq!(margin > 0.0, root < 0.0, "{}: {r:?}", law.name);
    assert_eq!(margin > 0.0, law.settle.contains(&r.flows), "{}: {r:?}", law.name);
}

/// The fluid model and the integers settle at three numbers of flows with a positive margin and
/// swing at three with a negative one, for every law; near the border they swing with the period of
/// the rightmost root.
#[test]
fn loops_settle_by_the_sign_of_the_margin() {
    let all: Vec<(&Law, u32)> = LAWS.iter().flat_map(|l| l.settle.iter().chain(l.swing).map(move |n| (l, *n))).collect();
    let rows: Vec<(&Law, Row)> = all.into_par_iter().map(|(l, n)| (l, row(&nic(l, 8.0), n, l.ms).unwrap())).collect();
    for (law, r) in &rows {
        signs(law, r);
        held("fluid", law, r.flows, r.fluid_swing);
        held("integers", law, r.flows, r.swing);
        if law.settle.contains(&r.flows) {
            let rest = r.queue_kb.unwrap();
            // The controller's integral takes 1,000 samples of each flow.
            let part = if law.name == "pi-10g" { 0.1 } else { 0.02 };
            assert!((r.fluid_kb / rest - 1.0).abs() < part && (r.mean_kb / rest - 1.0).abs() < part, "{r:?}");
        }
    }
    let four = rows.iter().find(|(l, r)| l.name == "pi-10g" && r.flows == 4).unwrap().1;
    let (period, linear) = (four.period_us.unwrap(), std::f64::consts::TAU * 1e6 / four.root_omega.unwrap());
    println!("period of the integers {period:.0} us, of the root {linear:.0} us");
    assert!((period / linear - 1.0).abs() < 0.1);
}

/// All margins have the sign of the root, for every law, number of flows and delay.
#[test]
fn margins_have_the_sign_of_the_root() {
    let mut signs = [0, 0];
    for law in &LAWS {
        for base_us in [8.0, 20.0, 50.0, 100.0] {
            for flows in [2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 48, 64] {
                let of = nic(law, base_us);
                let modes = of.modes(f64::from(flows)).unwrap();
                let margin = timely_sim::stability::margin::margin(|s| modes.open_loop(s)).expect("a crossing").margin_deg;
                let root = modes.together.rightmost().unwrap().re;
                signs[usize::from(root < 0.0)] += 1;
                assert_eq!(margin > 0.0, root < 0.0, "{} {}, {flows} flows, {base_us} us: {margin} {root}", law.name, law.text);
            }
        }
    }
    println!("{} unstable, {} stable", signs[0], signs[1]);
    assert!(signs.iter().all(|n| *n > 20), "{signs:?}");
}

/// Swift with 16 flows and steep flow scaling has a margin of 4 degrees for its smallest swings,
/// and none for large ones, whose gain is less: the loop settles from near its rest, and swings for
/// good once it is a third off.
#[test]
fn a_one_sided_law_has_two_ends() {
    let of = nic(&LAWS[2], 8.0);
    let rest = of.fixed_queue(16.0).unwrap();
    let swing = |start: f64| {
        let (f, i) = (of.fluid(16, start * rest, 30.0).unwrap(), of.integers(16, start * rest, 30.0).unwrap());
        [f.deviation / f.mean, i.deviation / i.mean]
    };
    let (near, far) = (swing(1.01), swing(1.33));
    println!("from near its rest {near:.4?}, from a third off {far:.4?}");
    assert!(near.iter().all(|s| *s < SETTLED) && far.iter().all(|s| *s > 0.5));
}

// Standard deviation over mean of the queue that N senders keep, each with its share at first.
fn packets(kind: &str, law: &Law, flows: u32, ms: f64) -> f64 {
    let from: Vec<String> = (0..flows).map(|s| s.to_string()).collect();
    let text = format!(
        "duration_ms = {ms}\nsteady_from = 0.66\n[topology]\nhosts = {}\n[link]\nrate_gbps = 10\ndelay_ns = 1752\n[switch]\nlatency_ns = 0\n\
         xoff_kb = 0\n[nic]\nkind = '{kind}'\nbus_bits = 64\n[profile.p]\nlike = '{}'\nsignal = 'rtt'\ninitial_mbps = {}\noutstanding_kb = 0\n\
         timeout_us = 0\n{}\n[[flow]]\nfrom = [{}]\nto = {flows}\nprofile = 'p'\npacket_bytes = 1000\nsegment_bytes = 2000\nstagger_us = 1\n",
        flows + 1,
        law.name,
        1e4 / f64::from(flows),
        law.text,
        from.join(", ")
    );
    let plan = file::parse(Path::new("law_margins.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    let o = build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"));
    let tap = &o.recorder.taps[0];
    let late: Vec<f64> = tap.series.iter().skip((o.recorder.windows.steady / tap.interval) as usize).map(|q| *q as f64).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    (late.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / late.len() as f64).sqrt() / mean
}

/// Packets settle and swing likewise, at the same numbers of flows: no part of the linear model, of
/// the fluid one or of their loop has seen a packet.
#[test]
fn packets_settle_by_the_sign_of_the_margin() {
    let all: Vec<(&Law, u32)> = LAWS.iter().flat_map(|l| l.settle.iter().chain(l.swing).map(move |n| (l, *n))).collect();
    let swings: Vec<_> = all.into_par_iter().map(|(l, n)| (l, n, packets("event", l, n, l.ms))).collect();
    swings.iter().for_each(|(l, n, swing)| held("event NICs", l, *n, *swing));
}

/// So do NICs whose every block is the RTL's integers: a point on each side of each law.
#[test]
fn bit_true_nics_settle_by_the_sign_of_the_margin() {
    let few = [(0, 16, 12.0), (0, 2, 12.0), (1, 16, 12.0), (1, 4, 24.0), (2, 8, 8.0), (3, 2, 8.0)];
    let more = [(0, 32, 12.0), (0, 4, 24.0), (1, 12, 24.0), (1, 2, 24.0), (2, 6, 12.0), (2, 24, 12.0)];
    let all = if crate::common::thorough() { [few, more].concat() } else { few.to_vec() };
    let swings: Vec<_> = all.into_par_iter().map(|(l, n, ms)| (&LAWS[l], n, packets("model", &LAWS[l], n, ms))).collect();
    swings.iter().for_each(|(l, n, swing)| held("bit-true NICs", l, *n, *swing));
}

/// The table of docs/simulator.md is what the command prints.
#[test]
fn the_page_has_the_rows_of_the_command() {
    let steep = ["--set", "beta=0.8", "--set", "flow_range_us=300", "--set", "flow_most_packets=4"];
    let profiles: [(&str, &[&str]); 5] =
        [("patched-10g", &[]), ("pi-10g", &[]), ("swift-10g", &[]), ("swift-10g", &steep), ("timely-10g", &[])];
    let out = format!("{}/law_margins", env!("CARGO_TARGET_TMPDIR"));
    let one = |(name, set): &(&str, &[&str])| {
        let arguments = [&["stability", "--nic", name, "--flows", "2,8,32", "--delays", "8,50", "--out", &out], *set].concat();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        format!("{name} {}\n{}", set.join(" "), String::from_utf8(done.stdout).unwrap()).replacen(" \n", "\n", 1)
    };
    let table = format!("```\n{}```\n", profiles.iter().map(one).collect::<String>());
    let path = format!("{}/../docs/simulator.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap();
    let (_, rest) = page.split_once("<!-- stability-nic -->\n").expect("the table's place");
    let (held, _) = rest.split_once("<!-- end -->").expect("the table's end");
    let beside = format!("{out}/table.md");
    std::fs::write(&beside, &table).unwrap();
    assert!(held == table, "docs/simulator.md has another table than the command prints; the one that is: {beside}");
}
