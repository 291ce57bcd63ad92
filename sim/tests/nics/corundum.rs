//! Corundum's form in networks: what is promised of a shell, with figures from outside.
use crate::common::{specification, thorough};
use std::collections::VecDeque;
use std::path::Path;
use timely_regs::link::ACK_TAG;
use timely_regs::map::{Build, port, ring_bits, time, window};
use timely_regs::parameters::Parameters;
use timely_sim::cores::{self, CoreFactory, CoreSpec, Prepared};
use timely_sim::loops::Cell;
use timely_sim::nic::Outbox;
use timely_sim::nic::core::{Completion, Core, CoreIn};
use timely_sim::nic::corundum::Corundum;
use timely_sim::nic::setup::configure;
use timely_sim::run::Observer;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::{Form, file};
use timely_sim::time::Ps;

fn outcome(text: &str, cores: &dyn CoreFactory) -> Result<Outcome, String> {
    let plan = file::parse(Path::new("corundum.toml"), text).map_err(|e| e.to_string())?;
    build::run(plan, cores, |_| {}).map_err(|e| e.to_string())
}

fn run(text: &str) -> Result<Outcome, String> {
    outcome(text, cores::factory().as_ref())
}

/// Hosts that send to the last one, on links of `gbps`.
fn star(senders: u32, gbps: u32, form: &str, more: &str, profile: &str, flow: &str, ms: f64) -> String {
    let bus = [(10, 64), (25, 128), (100, 512)].iter().find(|b| b.0 == gbps).map_or(512, |b| b.1);
    let bus = if form == "inline" { bus.max(256) } else { bus };
    let from = (0..senders).map(|s| s.to_string()).collect::<Vec<_>>().join(", ");
    format!(
        "name = 'star'\nduration_ms = {ms}\nseed = 3\n[topology]\nhosts = {}\n[link]\nrate_gbps = {gbps}\ndelay_ns = 500\n\
         [nic]\nkind = 'model'\nform = '{form}'\nbus_bits = {bus}\n{more}[profile.p]\n{profile}\n\
         [[flow]]\nfrom = [{from}]\nto = {senders}\nprofile = 'p'\n{flow}",
        senders + 1
    )
}

/// Packets of 1,514 bytes, two a segment.
const LARGE: &str = "packet_bytes = 1424\nsegment_bytes = 2848\n";

/// A lone flow in an empty network has the line for itself, whichever way rates go to the
/// scheduler. At 100 Gb/s Corundum's 32 requests of 1,538 wire bytes fill the line if none takes
/// longer than 3.9 us from its request to the record of its completion, of which the host's memory
/// has all but 1.1.
#[test]
fn a_lone_flow_fills_the_line() {
    for (gbps, dma) in [(10, "3000"), (25, "[1000, 3000]"), (100, "2000")] {
        for streams in [false, true] {
            if streams && gbps != 100 && !thorough() {
                continue;
            }
            let more = format!("dma_ns = {dma}\nstreams = {streams}\n");
            let text = star(1, gbps, "corundum", &more, &format!("like = 'timely-{gbps}g'"), LARGE, 1.0);
            let s = run(&text).expect("a run").summary;
            println!("{gbps} Gb/s, DMA of {dma} ns, streams {streams}: utilization {:.4}, RTT {:.2} us", s.utilization, s.rtt_us.mean);
            assert!(s.utilization >= 0.98, "{gbps} Gb/s, streams {streams}: {s:?}");
        }
    }
}

/// A lone flow of a fixed rate has it.
#[test]
fn a_fixed_rate_is_kept() {
    for streams in [false, true] {
        let profile = "like = 'fixed'\ninitial_mbps = 3000\noutstanding_kb = 0";
        let text = star(1, 10, "corundum", &format!("streams = {streams}\n"), profile, LARGE, 2.0);
        let o = run(&text).expect("a run");
        let mbps = o.recorder.flows[0].wire_steady as f64 * 8.0 / 1e-3 / 1e6;
        println!("streams {streams}: {mbps:.1} Mb/s of 3,000");
        assert!((mbps / 3000.0 - 1.0).abs() <= 0.01, "{mbps} Mb/s");
    }
}

/// Corundum NICs, of which the first host's has queues besides its flows that always have packets,
/// and whose receivers may be silent.
struct Dressed {
    always: u32,
    silent: bool,
}

impl CoreFactory for Dressed {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let (flow_bits, bus_bits) = (spec.flow_bits, spec.bus_bits);
        let mut nic = Corundum::new(Build { flow_bits, bus_bits, ring_bits: ring_bits(bus_bits), clock_ps: 4000, ptp: 0 }, spec);
        if spec.host == 0 {
            (0..self.always).for_each(|_| nic.always(1, 1514, 32));
        }
        let writes = configure(&mut nic, spec)?;
        if self.silent {
            nic.write32(port::ACK_ENABLE.address(), 0).map_err(|e| e.to_string())?;
        }
        Ok(Prepared { core: Box::new(nic), writes })
    }
}

/// Paced flows have their rates within 1 % beside three queues that always have packets, and
/// together they fill a line of 100 Gb/s, while reads of the host's memory take 3 us.
#[test]
fn paced_and_unpaced_queues_fill_the_line() {
    for streams in [false, true] {
        let mut text = star(1, 100, "corundum", &format!("streams = {streams}\n"), "like = 'timely-100g'", "", 1.0);
        text.truncate(text.find("[profile").expect("profiles"));
        for mbps in [1000, 2000, 3000, 4000] {
            text += &format!("[profile.p{mbps}]\nlike = 'fixed'\ninitial_mbps = {mbps}\noutstanding_kb = 0\n");
        }
        for flow in 0..16 {
            text += &format!("[[flow]]\nfrom = 0\nto = 1\nprofile = 'p{}'\n{LARGE}", 1000 * (1 + flow % 4));
        }
        let o = outcome(&text, &Dressed { always: 3, silent: false }).expect("a run");
        let rates: Vec<f64> = o.recorder.flows.iter().map(|f| f.wire_steady as f64 * 8.0 / 0.5e-3 / 1e6).collect();
        let total = 100.0 * o.summary.utilization;
        println!("streams {streams}: {total:.1} Gb/s, flows {rates:.0?}");
        // A packet more or less at the ends.
        let packet = 1538.0 * 8.0 / 0.5e-3 / 1e6;
        for (mbps, asked) in rates.iter().zip([1000.0, 2000.0, 3000.0, 4000.0].into_iter().cycle()) {
            assert!((mbps - asked).abs() <= 0.01 * asked + packet, "{rates:?}");
        }
        assert!(total >= 90.0, "{total} Gb/s");
    }
}

/// The rates of the first host's flow: the first, and that after each time-out.
#[derive(Default)]
struct Rates(Vec<f64>);

impl Observer for &mut Rates {
    fn progress(&mut self, _: Ps) {}
    fn host(&mut self, node: u16, out: &Outbox) {
        if node == 0 {
            self.0.extend(out.rates.iter().map(|r| r.mbps));
        }
    }
}

/// Without any ACK, a flow has after five time-outs of 1 ms a thirty-second of the rate that it
/// began with, at most.
#[test]
fn without_any_ack_the_rate_falls() {
    let profile = "like = 'timely-10g'\ntimeout_us = 1000\noutstanding_kb = 0";
    let text = star(1, 10, "corundum", "", profile, LARGE, 6.6);
    let plan = file::parse(Path::new("silent.toml"), &text).expect("a plan");
    let mut told = Rates::default();
    build::run(plan, &Dressed { always: 0, silent: true }, &mut told).expect("a run");
    println!("{:?}", told.0);
    let (start, fifth) = (told.0[0], told.0.get(5).expect("five time-outs"));
    assert!(*fifth <= start / 32.0, "{fifth} Mb/s of {start}");
}

/// A NIC that skips the clocks in which nothing happens shows the same as one that is stepped at
/// every clock, in both forms: packets of two flows, one of which ends, stamps, and a change of the
/// time's increment.
#[test]
fn a_nic_that_skips_equals_one_that_steps() {
    for streams in [false, true] {
        let profile = "like = 'fixed'\ninitial_mbps = 400\noutstanding_kb = 0";
        let text = star(2, 10, "corundum", &format!("streams = {streams}\ndma_ns = [500, 3000]\n"), profile, LARGE, 1.0)
            .replace("[0, 1]", "[0, 0]");
        let spec = specification(&text);
        let make = || {
            let mut nic = Corundum::new(Build { flow_bits: 10, bus_bits: 64, ring_bits: ring_bits(64), clock_ps: 4000, ptp: 0 }, &spec);
            let writes = configure(&mut nic, &spec).expect("a valid set-up");
            writes.iter().for_each(|w| nic.post_write(w.1, w.2));
            nic
        };
        let (mut stepped, mut skips) = (make(), make());
        assert_eq!(stepped.clk(), skips.clk());
        let (mut stamps, mut inside, mut sent, mut skipped) = (VecDeque::new(), false, 0, 0);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for n in 0..100_000 {
            let clk = stepped.clk();
            assert_eq!((stepped.output(), stepped.now()), (skips.output(), skips.now()), "clock {n}, streams {streams}");
            let tx = stepped.output().tx;
            if let Some(beat) = tx {
                if !inside && beat.tag != ACK_TAG {
                    stamps.push_back((clk + 8, Completion { tag: beat.tag, ts: stepped.now() }));
                }
                (inside, sent) = (!beat.last, sent + u32::from(beat.last));
            }
            let completion = stamps.pop_front_if(|s| s.0 <= clk).map(|s| s.1);
            match n {
                30_000 => [&mut stepped, &mut skips].into_iter().for_each(|nic| nic.post_write(time::INCREMENT.address(), 4 << 24 | 1677)),
                60_000 => [&mut stepped, &mut skips].into_iter().for_each(|nic| nic.post_write(window::doorbell(0), 0)),
                _ => {}
            }
            let input = CoreIn { tx_ready: tx.is_some(), completion, ..CoreIn::default() };
            stepped.step(&input);
            if tx.is_none() && completion.is_none() && skips.wake() > clk {
                skips.skip_to(clk + 1);
                skipped += 1;
            } else {
                skips.step(&input);
            }
            stepped.drain(&mut first);
            skips.drain(&mut second);
        }
        println!("streams {streams}: {sent} packets, {skipped} clocks skipped");
        assert_eq!(first, second, "streams {streams}");
        assert!(sent > 15 && skipped > 20_000, "{sent} packets, {skipped} clocks skipped");
    }
}

/// The loop holds the queue of an incast, whatever the form, and fills the line once the rates
/// have come back from the burst of all first packets at once: by 10 Mb/s an RTT that takes 20 ms
/// and more at 10 Gb/s.
#[test]
fn the_loop_holds_an_incast() {
    let cells: &[(u32, u32)] = if thorough() { &[(10, 4), (10, 10), (25, 4), (25, 10), (100, 4), (100, 10)] } else { &[(100, 4)] };
    for &(gbps, senders) in cells {
        let mut worst = 0.0;
        for form in ["standalone", "inline", "corundum"] {
            if form == "inline" && !thorough() {
                continue;
            }
            let ms = if !thorough() { 1.0 } else { [20.0, 60.0][usize::from(gbps == 10)] };
            let text = star(senders, gbps, form, "", &format!("like = 'timely-{gbps}g'"), LARGE, ms);
            let s = run(&text).expect("a run").summary;
            println!(
                "| {gbps} Gb/s, {senders} to 1 | {form} | {:.3} | {:.1} | {:.1} | {:.0} | {} |",
                s.utilization, s.rtt_us.mean, s.rtt_us.p99, s.queue_kb.p99, s.pauses
            );
            // While the rates come back the queue is no longer than standalone by more than a
            // packet of each sender; then TIMELY may rest anywhere below its upper threshold.
            let packets = f64::from(senders) * 1538.0 * 8.0 / (1e3 * f64::from(gbps));
            let high = Parameters::named(&format!("timely-{gbps}g"), 5.0).expect("listed").t_high_us;
            let most = if thorough() { high } else { worst + packets };
            assert!(s.rtt_us.p99 <= most || (form == "standalone" && !thorough()), "{gbps} Gb/s, {senders} to 1, {form}: {s:?}");
            worst = if form == "standalone" { s.rtt_us.p99 } else { worst };
            assert!(!thorough() || s.utilization >= 0.98, "{gbps} Gb/s, {senders} to 1, {form}: {s:?}");
        }
    }
}

/// The greatest rate, Mb/s, of a flow of 1 Gb/s at first whose every ACK asks for more, and that
/// has a message of a packet every so often, or always packets.
fn greatest_mbps(streams: bool, window_us: u32, every_us: Option<f64>) -> f64 {
    let profile = format!(
        "like = 'timely-10g'\nt_low_us = 100\nt_high_us = 1000\ninitial_mbps = 1000\nadditive_step_mbps = 4\noutstanding_kb = 0\nuse_window_us = {window_us}"
    );
    let messages = every_us.map_or(String::new(), |us| format!("bytes = 1424\nmessages = 80\nevery_us = {us}\n"));
    let flow = format!("packet_bytes = 1424\nsegment_bytes = 1424\n{messages}");
    let o = run(&star(1, 10, "corundum", &format!("streams = {streams}\n"), &profile, &flow, 10.0)).expect("a run");
    assert!(o.recorder.rtts.len() > 70, "{} round trips", o.recorder.rtts.len());
    o.recorder.rates.iter().map(|r| r.sample.mbps).fold(0.0, f64::max)
}

/// TIMELY's section 5: a flow that sends less than 80 % of its rate does not raise it, though the
/// scheduler asks its queue for 32 packets at each doorbell, of which one is there. A flow that has
/// packets for all of its rate raises it.
#[test]
fn a_flow_that_does_not_use_its_rate_does_not_raise_it() {
    for streams in [false, true] {
        if streams && !thorough() {
            continue;
        }
        let [free, held, used] = [(0, Some(123.0)), (100, Some(123.0)), (100, None)].map(|(w, every)| greatest_mbps(streams, w, every));
        println!("streams {streams}: {free:.0} Mb/s without the rule, {held:.0} with it, {used:.0} where all is used");
        assert!(free > 1200.0 && used > 1200.0, "{free}, {used} Mb/s");
        // The rate may grow until the flow is the window behind.
        assert!(held <= 1040.0, "{held} Mb/s");
    }
}

/// Messages are sent whole, flows end, telemetry is read; and what the form has not is refused in a
/// sentence that names it.
#[test]
fn a_scenario_s_fields_hold() {
    let head = "[topology]\nhosts = 3\n[link]\nrate_gbps = 25\n[nic]\nkind = 'model'\nform = 'corundum'\nbus_bits = 128\n";
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
    assert!(o.snapshots.iter().flat_map(|s| &s.1).all(|r| r.rtt.is_some()), "a flow without an RTT");
    let refused = |text: &str| run(text).err().expect("refused");
    let flow = "[[flow]]\nfrom = 0\nto = 1\n";
    let with = |from: &str, to: &str| refused(&format!("{head}{flow}").replace(from, to));
    assert!(with("'model'", "'paced'").contains("use model"), "{}", with("'model'", "'paced'"));
    assert!(with("'model'", "'rtl'").contains("is there as a model"), "{}", with("'model'", "'rtl'"));
    assert!(with("= 128", "= 256").ends_with("nic.bus_bits is 256; allowed: 64, 128 or 512"), "{}", with("= 128", "= 256"));
    assert!(with("= 128", "= 128\nflow_bits = 14").contains("10 or 13 in Corundum"), "{}", with("= 128", "= 128\nflow_bits = 14"));
    let dma = with("= 128", "= 128\ndma_ns = [3000, 1000]");
    assert!(dma.ends_with("nic.dma_ns is [3000, 1000]; allowed: [least, greatest], the least first"), "{dma}");
    let dma = with("= 128", "= 128\ndma_ns = '1ms'");
    assert!(dma.contains("0 to 50000, or two such"), "{dma}");
}

/// A cell with Corundum's form in it, by its own name.
#[test]
fn the_form_is_in_the_matrix() {
    assert_eq!(Cell::all().filter(|c| c.form == Form::Corundum).count(), 3 * 2 * 3 * 2);
}
