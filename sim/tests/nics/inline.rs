//! The in-line form in networks: what is promised of the loop, with figures from outside.
use crate::common::thorough;
use std::path::Path;
use timely_regs::map::{Build, ring_bits};
use timely_sim::cores::{self, CoreFactory, CoreSpec, Prepared};
use timely_sim::frame::{Class, Frame, Meta};
use timely_sim::loops::Cell;
use timely_sim::metrics::blind::Blind;
use timely_sim::nic::inline::{Inline, Model};
use timely_sim::nic::setup::configure;
use timely_sim::nic::{Departure, Outbox, RttSample};
use timely_sim::run::Observer;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::{Form, file};
use timely_sim::time::Ps;

/// Milliseconds of a cell: more than a time-out, a scan and an RTT.
const CELL_MS: f64 = 1.0;

fn run(text: &str) -> Result<Outcome, String> {
    let plan = file::parse(Path::new("inline.toml"), text).map_err(|e| e.to_string())?;
    build::run(plan, cores::factory().as_ref(), |_| {}).map_err(|e| e.to_string())
}

/// No flow waits longer for a sample or a time-out than its time-out and a scan, whatever the form,
/// the speed, the size, the bound.
#[test]
fn no_flow_is_blind() {
    let cells = if thorough() { Cell::all().collect() } else { Cell::FEW.to_vec() };
    for cell in cells {
        let h = cell.run(cores::factory().as_ref(), if thorough() { 3.0 } else { CELL_MS }).unwrap_or_else(|e| panic!("{cell}: {e}"));
        println!(
            "{cell}: {} samples, {} time-outs, longest {:.0} us, utilization {:.3}, queue {:.0} KB",
            h.samples, h.timeouts, h.longest_us, h.summary.utilization, h.summary.queue_max_kb
        );
        assert!(h.blind == 0 && h.flows == cell.senders as usize, "{cell}: {h:?}");
        assert!(h.samples > 30, "{cell}: {h:?}");
    }
}

/// [`Blind`] detects a loop that is open, or opens.
#[test]
fn a_flow_that_hears_nothing_is_seen() {
    let departure = |node: u16, ack: bool, segment: u32, at: Ps| {
        let meta = Meta { segment, packet: 0, last: true, lost: 0, ack, payload: 0, place: None, marked: false };
        let (src, dst) = if ack { (1, 0) } else { (node, 1) };
        let frame = Frame { src, dst, flow: 5, class: Class::Data, bytes: 90, bad: false, meta, body: None };
        Departure { frame, start: at - 1, end: at }
    };
    let mut blind = Blind::default();
    let mut told = |node: u16, departures: Vec<Departure>, sampled: Option<Ps>| {
        let rtts = sampled.map(|at| RttSample { at, flow: 5, path: None, measured_ns: None, marks: None }).into_iter().collect();
        (&mut blind).host(node, &Outbox { departures, rtts, ..Outbox::default() });
    };
    told(0, vec![departure(0, false, 0, 100), departure(0, false, 1, 200)], None);
    told(1, vec![departure(1, true, 0, 300)], None);
    told(0, vec![], Some(400));
    // Segment 1 is still out: it is waited for from 400 on. Segment 2 leaves later, and nothing
    // more is ever heard.
    told(0, vec![departure(0, false, 2, 900)], None);
    assert_eq!(blind.longest(1500), [1100]);
    assert_eq!(blind.longest(500), [300], "until the first sample");
    assert_eq!(blind.heard(), [1, 0]);
}

/// A lone flow in an empty network has the line for itself: the named profiles' bounds are above
/// the bandwidth-delay product.
#[test]
fn a_lone_flow_fills_the_line() {
    for gbps in [10, 25, 100] {
        for form in [Form::Standalone, Form::Inline] {
            let cell = Cell { form, gbps, flow_bits: 10, senders: 1, bound: true };
            let h = cell.run(cores::factory().as_ref(), 2.0).unwrap_or_else(|e| panic!("{cell}: {e}"));
            println!("{cell}: utilization {:.4}, RTT {:.2} us", h.summary.utilization, h.summary.rtt_us.mean);
            assert!(h.summary.utilization >= 0.98, "{cell}: {h:?}");
        }
    }
}

/// Patched TIMELY has one fixed point ("ECN or Delay", section 4.2), so that both forms come to the
/// same queue; TIMELY has none that is its own.
#[test]
fn both_forms_come_to_the_fixed_point() {
    let mean = |form: &str| {
        let text = format!(
            "name = 'fixed'\nduration_ms = 6\nseed = 3\n[topology]\nhosts = 5\n[link]\nrate_gbps = 25\ndelay_ns = 500\n\
             [nic]\nkind = 'model'\nform = '{form}'\nbus_bits = 256\n\
             [[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nprofile = 'patched-25g'\npacket_bytes = 1024\nsegment_bytes = 2048\n"
        );
        let s = run(&text).expect("a run").summary;
        println!("{form}: RTT {:.3} us, measured {:.3}, utilization {:.4}", s.rtt_us.mean, s.rtt_measured_us.mean, s.utilization);
        s.rtt_us.mean
    };
    let (standalone, inline) = (mean("standalone"), mean("inline"));
    assert!((inline / standalone - 1.0).abs() < 0.03, "{standalone} us standalone, {inline} us in line");
}

/// In-line models whose hosts take nothing of what the wire gives them.
struct Deaf;

impl CoreFactory for Deaf {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let (flow_bits, bus_bits) = (spec.flow_bits, spec.bus_bits);
        let build = Build { flow_bits, bus_bits, ring_bits: ring_bits(bus_bits), clock_ps: 4000, ptp: 0 };
        let mut nic = Inline::new(Model::new(build), spec);
        nic.host.deaf = true;
        let writes = configure(&mut nic, spec)?;
        Ok(Prepared { core: Box::new(nic), writes })
    }
}

/// Segments are answered and RTTs measured though no host ever takes a frame.
#[test]
fn a_stalled_host_does_not_open_the_loop() {
    let cell = Cell { form: Form::Inline, gbps: 100, flow_bits: 10, senders: 4, bound: true };
    let [deaf, all] = [&Deaf as &dyn CoreFactory, cores::factory().as_ref()].map(|c| cell.run(c, 1.0).expect("a run"));
    println!("{} samples, {} of hosts that take their frames", deaf.samples, all.samples);
    assert!(deaf.blind == 0 && deaf.samples == all.samples && deaf.samples > 5000, "{deaf:?}, {all:?}");
}

/// With `STORE_WAIT` the slowest flow of a host that keeps no bound of its own holds up the others;
/// with one it does not.
#[test]
fn a_slow_flow_holds_up_others_of_a_host_without_a_bound() {
    let fast = |host_kb: u32| {
        let text = format!(
            "name = 'held'\nduration_ms = 3\nseed = 3\n[topology]\nhosts = 3\n[link]\nrate_gbps = 10\n\
             [nic]\nkind = 'model'\nform = 'inline'\nbus_bits = 256\nhost_kb = {host_kb}\n\
             [profile.slow]\nlike = 'fixed'\ninitial_mbps = 100\noutstanding_kb = 0\n[profile.fast]\nlike = 'fixed'\ninitial_mbps = 5000\noutstanding_kb = 0\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'slow'\n[[flow]]\nfrom = 0\nto = 2\nprofile = 'fast'\n"
        );
        let o = run(&text).expect("a run");
        let of = &o.recorder.flows[1];
        of.wire_steady as f64 * 8.0 / 1.5e-3 / 1e6
    };
    let (held, free) = (fast(0), fast(64));
    println!("{held:.0} Mb/s beside a flow of 100 Mb/s, {free:.0} with a bound");
    assert!((held - 100.0).abs() < 15.0 && (free - 5000.0).abs() < 50.0, "{held} and {free} Mb/s");
}

/// Messages are sent whole, flows end, telemetry is read; and what the form has not is refused in a
/// sentence that names it.
#[test]
fn a_scenario_s_fields_hold_in_line() {
    let head = "[topology]\nhosts = 3\n[link]\nrate_gbps = 25\n[nic]\nkind = 'model'\nform = 'inline'\nbus_bits = 256\n";
    let text = format!(
        "name = 'm'\nduration_ms = 1\nseed = 5\n{head}[profile.p]\nlike = 'timely-25g'\n\
         [[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'p'\nbytes = 100000\nmessages = 3\nevery_us = 100\npacket_bytes = 1000\nsegment_bytes = 4000\n\
         [[flow]]\nfrom = 0\nto = 2\nprofile = 'p'\nstart_us = 200\nstop_us = 500\npacket_bytes = 1000\nsegment_bytes = 4000\n"
    );
    let mut plan = file::parse(Path::new("m.toml"), &text).expect("a plan");
    plan.snapshot = true;
    let o = build::run(plan, cores::factory().as_ref(), |_| {}).expect("a run");
    let sent: Vec<_> = o.snapshots.iter().flat_map(|s| &s.1).map(|r| r.packets).collect();
    println!("{sent:?}, {:?}", o.summary);
    assert_eq!((sent[0], sent[2]), (300, 300), "{sent:?}");
    // 300 us of a third to all of 25 Gb/s, in frames of 1,114 wire bytes.
    assert!((200..900).contains(&sent[1]), "{sent:?}");
    assert!(o.snapshots.iter().flat_map(|s| &s.1).all(|r| r.rtt.is_some()), "a flow without an RTT");
    let refused = |text: &str| run(text).err().expect("refused");
    let flow = "[[flow]]\nfrom = 0\nto = 1\n";
    let with = |from: &str, to: &str| refused(&format!("{head}{flow}").replace(from, to));
    assert!(with("'model'", "'paced'").contains("nic.form"), "{}", with("'model'", "'paced'"));
    assert!(with("= 256", "= 128").ends_with("nic.bus_bits is 128; allowed: 256 or 512"), "{}", with("= 256", "= 128"));
    assert!(with("'inline'", "'between'").ends_with("nic.form is between; allowed: standalone, inline, corundum"));
    assert!(with("'model'", "'rtl'").contains("the Verilog of in-line NICs is not in this program"), "{}", with("'model'", "'rtl'"));
}
