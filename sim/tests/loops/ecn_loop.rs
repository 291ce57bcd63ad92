//! A loop closed by ECN through hardware: the switch marks data, the peer's NIC echoes the mark in
//! its ACK, and a host that reads the echo writes the flow's rate register. NICs are the Verilated
//! RTL.
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use timely_regs::map::window;
use timely_regs::wire::{Kind, Packet};
use timely_sim::cores::{self, CoreFactory, CoreSpec, Cores, Prepared};
use timely_sim::nic::core::{Core, CoreIn, Pins};
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file;

/// Rate of a flow without marks, Mb/s: two of them offer a quarter more than the line.
const FULL: f64 = 6250.0;
/// Weight of a new mark in a host's share of marks.
const GAIN: f64 = 1.0 / 16.0;

// ACKs and marks that hosts have seen.
#[derive(Default)]
struct Seen {
    acks: u64,
    marked: u64,
}

// A host beside its NIC: rate = FULL (1 - share of marks), by the echo in each ACK.
struct Host {
    core: Box<dyn Core>,
    port: u16,
    frame: Vec<u8>,
    shares: HashMap<u32, f64>,
    seen: Arc<Mutex<Seen>>,
}

impl Host {
    fn hear(&mut self) {
        let Some(ack) = Packet::new_checked(&self.frame[..], self.port).ok().filter(|p| p.kind() == Kind::Ack) else { return };
        let marked = ack.ecn_seen() == 3;
        let share = self.shares.entry(ack.flow()).or_default();
        *share += GAIN * (f64::from(u8::from(marked)) - *share);
        let rate = (FULL * (1.0 - *share) * 4096.0) as u32;
        self.core.post_write(window::fixed_rate(ack.flow()), rate);
        let mut seen = self.seen.lock().unwrap();
        (seen.acks, seen.marked) = (seen.acks + 1, seen.marked + u64::from(marked));
    }
}

impl Core for Host {
    crate::common::core_within!();
    fn output(&self) -> Pins {
        self.core.output()
    }
    fn step(&mut self, input: &CoreIn) {
        if let Some(beat) = &input.rx {
            self.frame.extend_from_slice(&beat.data[..beat.bytes.into()]);
            if beat.last {
                if !beat.bad {
                    self.hear();
                }
                self.frame.clear();
            }
        }
        self.core.step(input);
    }
    fn wake(&self) -> u64 {
        self.core.wake()
    }
}

// NICs of the program, each with such a host.
struct Hosts {
    cores: Cores,
    seen: Arc<Mutex<Seen>>,
}

impl CoreFactory for Hosts {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let Prepared { core, writes } = self.cores.build(spec)?;
        let host = Host { core, port: spec.udp_port, frame: Vec::new(), shares: HashMap::new(), seen: self.seen.clone() };
        Ok(Prepared { core: Box::new(host), writes })
    }
}

// Two senders to one at 10 Gb/s; the ramp is 160 KB long and goes from 0 to 80 %.
fn run(kind: &str, seed: u64, foot_kb: f64, ms: f64) -> (Outcome, Seen) {
    let most_kb = foot_kb + 160.0;
    let text = format!(
        "duration_ms = {ms}\nsteady_from = 0.5\nseed = {seed}\n[topology]\nhosts = 3\n[switch]\nxoff_kb = 0\nmark_kb = {foot_kb}\nmark_most_kb = {most_kb}\n\
         mark_chance = 0.8\nmark_at = 'egress'\n[nic]\nkind = '{kind}'\nbus_bits = 64\nslot_us = 0\n[profile.host]\nlike = 'fixed'\n\
         initial_mbps = {FULL}\noutstanding_kb = 0\ntimeout_us = 0\n[[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'host'\nstagger_us = 3\n"
    );
    let plan = file::parse(Path::new("ecn_loop.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    let hosts = Hosts { cores: cores::known(), seen: Arc::default() };
    let outcome = build::run(plan, &hosts, |_| {}).unwrap_or_else(|e| panic!("{e}"));
    let seen = std::mem::take(&mut *hosts.seen.lock().unwrap());
    (outcome, seen)
}

// Bytes of a frame in a switch: 1,024 of payload, headers and FCS.
const FRAME: f64 = 1024.0 + 90.0 + 4.0;

// Marks, queue and rates of a closed loop; gives the share of marked packets and the queue, KB.
fn closed(o: &Outcome) -> (f64, f64) {
    let (m, waiting) = (o.summary.marks, o.summary.queue_kb.mean - FRAME / 1e3);
    let ramp = 0.8 * (waiting - 5.0) / 160.0;
    let deviation = |n: u64| (ramp * (1.0 - ramp) / n as f64).sqrt();
    let (data, acks) = (m.marked_packets as f64 / m.packets as f64, m.marked_acks as f64 / m.acks as f64);
    let mean_rate = |flow: u32| {
        let late = o.recorder.rates.iter().filter(|r| r.flow == flow && r.sample.at > o.recorder.windows.steady);
        let all: Vec<f64> = late.map(|r| r.sample.mbps).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let rates = [0, 1].map(mean_rate);
    println!(
        "waiting {waiting:.2} KB, ramp {ramp:.4}, data {data:.4} of {}, ACKs {acks:.4} of {}, rates {rates:.0?} Mb/s",
        m.packets, m.acks
    );
    assert!(m.packets > 1500 && m.acks > 700, "{m:?}");
    // The switch marks by its slope, and ACKs tell of it.
    assert!((data - ramp).abs() < 4.5 * deviation(m.packets), "{data} for {ramp}");
    assert!((acks - ramp).abs() < 4.5 * deviation(m.acks), "{acks} for {ramp}");
    // The loop: marks, queue and rates are where the host's law and the slope put them.
    assert!((data - 0.2).abs() < 0.03, "{data}");
    assert!((waiting - 45.0).abs() < 6.0, "{waiting}");
    assert!(rates.iter().all(|r| (r / 5000.0 - 1.0).abs() < 0.05) && o.summary.utilization > 0.98, "{rates:?}");
    (data, waiting)
}

/// Expected of a closed loop, whatever its NICs are: senders at `FULL (1 - m)` share the line when
/// the share of marks m is `1 - C / (N FULL)`, a fifth; and the queue is where the ramp has that
/// chance, 45 KB. Integers that equal RTL at every pin see the same marks at the same packets, and
/// stand in for it with other seeds.
#[test]
fn rtl_nics_close_the_loop_by_marks() {
    let ms = if crate::common::thorough() { 12.0 } else { 4.0 };
    let (o, seen) = run("rtl", 5, 5.0, ms);
    closed(&o);
    println!("RTL's hosts heard {} marks in {} ACKs", seen.marked, seen.acks);
    let models: Vec<(Outcome, Seen)> = (1..=5).into_par_iter().map(|seed| run("model", seed, 5.0, ms)).collect();
    let (model, of_model) = &models[4];
    assert_eq!((model.summary.marks, of_model.acks, of_model.marked), (o.summary.marks, seen.acks, seen.marked));
    let all: Vec<(f64, f64)> = models.iter().map(|m| closed(&m.0)).collect();
    let spread = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    println!("by seeds 1 to 5: share of marks {:.3?}, waiting {:.1?} KB", spread(|a| a.0), spread(|a| a.1));
}

/// Without marks nothing holds the rates back: they stay at the greatest, and the queue grows by
/// what they offer beyond the line.
#[test]
fn without_marks_the_loop_is_open() {
    let (o, seen) = run("rtl", 5, 10_000.0, 0.8);
    assert!(seen.acks > 100 && seen.marked == 0, "{} of {}", seen.marked, seen.acks);
    let grown = (2.0 * FULL - 10_000.0) * 1e6 / 8.0 * 0.7e-3 / 1e3;
    println!("greatest queue {:.1} KB, at least {grown:.1}", o.summary.queue_max_kb);
    assert!(o.recorder.rates.iter().all(|r| r.sample.mbps > FULL - 1.0) && o.summary.queue_max_kb > grown);
}
