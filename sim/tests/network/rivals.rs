//! Each rival by a property that was published of it or follows from its law.
use std::path::Path;
use timely_sim::cores;
use timely_sim::fabric::control::{Answer, Controller};
use timely_sim::metrics::Summary;
use timely_sim::rival::Dctcp;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file;

fn run(text: &str) -> Outcome {
    let plan = file::parse(Path::new("test.toml"), text).unwrap_or_else(|e| panic!("{e}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

// `senders` hosts to one over a switch, 10 Gb/s.
fn incast(senders: u32, kind: &str, switch: &str, profile: &str, flow: &str) -> Outcome {
    let from: Vec<_> = (0..senders).collect();
    run(&format!(
        "duration_ms = 80\n[topology]\nhosts = {}\n[link]\ndelay_ns = 1600\n[switch]\n{switch}\n[nic]\nkind = '{kind}'\n[profile.r]\n{profile}\n\
         [[flow]]\nfrom = {from:?}\nto = {senders}\nprofile = 'r'\n{flow}\n",
        senders + 1
    ))
}

fn show(name: &str, s: &Summary) {
    println!(
        "{name}: utilization {:.4}, RTT {:.1} / {:.1} us, queue {:.1} KB, most {:.1}, Jain {:.4}, {} pauses",
        s.utilization, s.rtt_us.mean, s.rtt_us.p99, s.queue_kb.mean, s.queue_max_kb, s.jain, s.pauses
    );
}

/// Without control, flow control alone holds the queue: each of N ingress ports at XOFF, so the RTT
/// is the base and N XOFF / C.
#[test]
fn flow_control_alone_queues_xoff_for_each_port() {
    for xoff_kb in [50.0, 200.0] {
        let o = incast(10, "event", &format!("xoff_kb = {xoff_kb}"), "like = 'fixed'\ncontrol = 'none'\ntimeout_us = 0", "");
        show("none", &o.summary);
        // Bytes on their way when the pause is sent come on top: two propagations, the pipeline, a
        // frame either way.
        let rtt = |kb: f64| o.base_rtt_us + 10.0 * kb * 8.0 / 10.0 * (1138.0 / 1118.0);
        let (least, most) = (rtt(xoff_kb), rtt(xoff_kb + 3.5 * 1.25 + 2.3));
        assert!((least..most).contains(&o.summary.rtt_us.p99), "{} for {least} to {most}", o.summary.rtt_us.p99);
        assert!(o.summary.utilization > 0.999 && o.summary.pauses > 1000 && o.summary.jain > 0.999);
    }
}

/// DCTCP's queue reaches K and little more: with N windows of W packets in step it peaks at K + N
/// (SIGCOMM'10, section 3.3). A lone flow's share of marks is the square root of 2 / W.
#[test]
fn dctcp_keeps_the_queue_at_its_threshold() {
    for (senders, k) in [(2, 40.0), (10, 80.0)] {
        let switch = format!("xoff_kb = 0\nmark_kb = {k}");
        let o = incast(senders, "event", &switch, "like = 'fixed'\ncontrol = 'dctcp'", "");
        show("dctcp", &o.summary);
        let s = &o.summary;
        assert!(s.utilization > 0.99 && s.jain > 0.95 && s.dropped == 0);
        let peak = k + 1.118 * f64::from(senders);
        assert!(s.queue_kb.p99 < peak + 4.0 && s.queue_kb.p99 > k, "{} for {peak}", s.queue_kb.p99);
    }
}

/// DCTCP's estimate forgets by g = 1/16 a window (SIGCOMM'10, section 3.4).
#[test]
fn dctcp_forgets_marks_by_a_sixteenth() {
    let mut d = Dctcp::new(10_000.0, 1000, 20.0);
    for window in 1..=32 {
        let at = 1000 * window;
        d.answer(&Answer { now: 0, rtt: 0, bytes: 1000, packets: 1, marked: 0, lost: false, acked: at, sent: at });
        let left = (15.0f64 / 16.0).powi(window as i32);
        assert!((d.share() / left - 1.0).abs() < 1e-9, "after {window} windows {} for {left}", d.share());
    }
}

/// FAST*: at rest each flow keeps alpha of its rate in the queue, r (1 - base / rtt) = alpha, so
/// that the delay is base x / (1 - x), x = N alpha / C.
#[test]
fn fast_queues_alpha_of_each_flow() {
    for alpha in [100.0, 300.0, 600.0] {
        let profile =
            format!("like = 'timely-10g'\ncontrol = 'fast'\nadditive_step_mbps = {alpha}\ninitial_mbps = 1000\noutstanding_kb = 0");
        let o = incast(10, "event", "xoff_kb = 0", &profile, "");
        show("fast", &o.summary);
        let x = 10.0 * alpha / 10_000.0;
        let theory = o.base_rtt_us / (1.0 - x);
        // Packets that meet by chance add a little that no flow means to queue, and the flows
        // answer it.
        assert!((o.summary.rtt_us.mean / theory - 1.0).abs() < 0.1, "alpha {alpha}: {} for {theory}", o.summary.rtt_us.mean);
        assert!(o.summary.utilization > 0.9 && o.summary.jain > 0.99);
    }
}

/// SIGCOMM'15, section 4.4: with T_low = T_high TIMELY reacts to the queue alone. A low target
/// costs throughput, and rates swing more than with the gradient.
#[test]
fn queue_size_timely_pays_for_a_low_target_with_throughput() {
    let with = |thresholds: &str| {
        let profile = format!("like = 'authors-10g'\n{thresholds}\noutstanding_kb = 0\ninitial_mbps = 1000");
        let o = incast(10, "posted", "xoff_kb = 0", &profile, "segment_bytes = 16384");
        show(thresholds, &o.summary);
        let steady = o.recorder.windows.steady;
        let rates: Vec<f64> = o.recorder.rates.iter().filter(|r| r.flow == 0 && r.sample.at > steady).map(|r| r.sample.mbps).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let swing = (rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / rates.len() as f64).sqrt() / mean;
        println!("rates of a flow: {mean:.0} Mb/s, standard deviation {:.0} %", swing * 100.0);
        (o.summary, swing)
    };
    let (low, low_swing) = with("t_low_us = 50\nt_high_us = 50");
    let (gradient, swing) = with("t_low_us = 50\nt_high_us = 500");
    assert!(low.utilization < gradient.utilization - 0.02 && low.rtt_us.mean < gradient.rtt_us.mean && swing < low_swing);
}

/// HPCC's code starts at line rate and counts its own serialization: ten of them queue at first,
/// and then keep the link busy.
#[test]
fn hpcc_s_timely_starts_at_line_rate() {
    let profile = "like = 'authors-10g'\ncontrol = 'timely-hpcc'\nalpha = 0.875\nt_low_us = 50\nt_high_us = 500\noutstanding_kb = 0\ninitial_mbps = 10";
    let o = incast(10, "event", "xoff_kb = 0", profile, "");
    show("timely-hpcc", &o.summary);
    let answers = o.summary.samples as f64 * 1138.0 * 8.0 / (0.04 * 1e10 * o.summary.utilization);
    println!("{answers:.3} answers for each packet");
    assert!(o.summary.queue_max_kb > 300.0 && o.summary.utilization > 0.5 && (answers - 1.0).abs() < 0.05);
}

// Packets that HPCC's window lets be unanswered at a part of the line's rate: less payload than the
// bandwidth-delay product's part, and a packet more.
fn windows_packets(base_us: f64, part: f64) -> f64 {
    ((base_us * 1250.0 + 1138.0) * part / 1024.0).ceil()
}

/// `timely_vwin` at line rate: N flows have N windows on their way, of which the line holds one and
/// the queue the others, so that the RTT is N times the base one. Without the window nothing but
/// the rate bounds the queue.
#[test]
fn timely_vwin_holds_a_window_of_each_flow() {
    let profile = |control: &str| {
        format!("like = 'authors-10g'\ncontrol = '{control}'\nt_low_us = 900\nt_high_us = 1000\noutstanding_kb = 0\ntimeout_us = 0")
    };
    for senders in [2, 5, 10] {
        for control in ["timely-vwin", "timely_vwin"] {
            let o = incast(senders, "event", "xoff_kb = 0", &profile(control), "");
            show(control, &o.summary);
            let packet_us = 1138.0 * 8.0 / 10_000.0;
            // An RTT counts from the end of a packet.
            let theory = (f64::from(senders) * windows_packets(o.base_rtt_us, 1.0) - 1.0) * packet_us;
            assert!((o.summary.rtt_us.mean / theory - 1.0).abs() < 0.02, "{senders}: {} us for {theory}", o.summary.rtt_us.mean);
            assert!(o.summary.utilization > 0.999 && o.summary.jain > 0.99);
        }
    }
    let without = incast(5, "event", "xoff_kb = 0", &profile("timely-hpcc"), "").summary;
    assert!(without.rtt_us.mean > 700.0, "{without:?}");
}

/// `timely_vwin` at another rate: a flow on a path twice as long as the window is made for gets the
/// window's packets in an RTT, whatever its rate would allow.
#[test]
fn timely_vwin_s_window_follows_the_rate() {
    for mbps in [1000.0, 3000.0, 5000.0, 10_000.0] {
        let of = |control: &str| {
            let o = run(&format!(
                "duration_ms = 10\nbase_rtt_us = 20\n[topology]\nhosts = 2\n[link]\ndelay_ns = 10000\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n\
                 [profile.r]\nlike = 'authors-10g'\ncontrol = '{control}'\ninitial_mbps = {mbps}\nidle_mbps = {mbps}\nleast_mbps = {mbps}\n\
                 greatest_mbps = {mbps}\noutstanding_kb = 0\ntimeout_us = 0\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'r'\n"
            ));
            show(control, &o.summary);
            (o.summary.utilization * 10_000.0, o.summary.rtt_us.mean)
        };
        let (got, rtt_us) = of("timely-vwin");
        let packet_bits = 1138.0 * 8.0;
        let theory = windows_packets(20.0, mbps / 10_000.0) * packet_bits / (rtt_us + packet_bits / 10_000.0);
        assert!(theory < 0.7 * mbps && (got / theory - 1.0).abs() < 0.02, "{mbps} Mb/s: {got} for {theory}");
        let (without, _) = of("timely-hpcc");
        assert!((without / mbps - 1.0).abs() < 0.01, "{mbps} Mb/s without a window: {without}");
    }
}

/// CoNEXT'16, figure 9c: 7 + 3 Gb/s on 10 stay unfair for good, for any shares are at rest; figure
/// 8: the queue stays below 70 KB or so.
#[test]
fn conext_s_timely_stays_as_unfair_as_it_starts() {
    let text = "duration_ms = 100\n[topology]\nhosts = 3\n[link]\ndelay_ns = 1000\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n\
                [profile.a]\nlike = 'authors-10g'\ncontrol = 'timely-conext'\nalpha = 0.875\nt_low_us = 50\nt_high_us = 500\noutstanding_kb = 0\n\
                initial_mbps = 7000\n[profile.b]\nlike = 'authors-10g'\ncontrol = 'timely-conext'\nalpha = 0.875\nt_low_us = 50\nt_high_us = 500\n\
                outstanding_kb = 0\ninitial_mbps = 3000\n\
                [[flow]]\nfrom = 0\nto = 2\nprofile = 'a'\npacket_bytes = 1000\nsegment_bytes = 16000\n\
                [[flow]]\nfrom = 1\nto = 2\nprofile = 'b'\npacket_bytes = 1000\nsegment_bytes = 16000\n";
    let o = run(text);
    show("conext 7 + 3", &o.summary);
    let share: Vec<f64> = o.recorder.flows.iter().map(|f| f.wire_steady as f64).collect();
    println!("shares {share:?}");
    assert!(share[0] / share[1] > 1.5, "{share:?}");
}

/// DCTCP's window is no bound where the line's bandwidth-delay product is large.
#[test]
fn dctcp_fills_a_long_line() {
    let o = run(
        "duration_ms = 20\n[topology]\nhosts = 2\n[link]\nrate_gbps = 100\ndelay_ns = 20000\n[nic]\nkind = 'event'\n[profile.r]\nlike = 'fixed'\n\
         control = 'dctcp'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'r'\n",
    );
    println!("{:?}", o.summary);
    assert!(o.summary.utilization > 0.98, "{:?}", o.summary);
}
