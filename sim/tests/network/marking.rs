//! Marks on the network of NICs with frames: how many there are at a standing queue, that ACKs echo
//! them, and jitter of the feedback.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file;

// Four senders at line rate, each of which may have `window_kb` unanswered, keep a queue that
// hardly moves.
fn standing(kind: &str, window_kb: f64, switch: &str, ms: f64) -> Outcome {
    let text = format!(
        "duration_ms = {ms}\nsteady_from = 0.2\nseed = 5\n[topology]\nhosts = 5\n[switch]\nxoff_kb = 0\n{switch}\n[nic]\nkind = '{kind}'\n\
         bus_bits = 128\nclock_mhz = 156.25\nslot_us = 0\n[profile.full]\nlike = 'fixed'\noutstanding_kb = {window_kb}\ntimeout_us = 0\n\
         [[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nprofile = 'full'\nstagger_us = 3\n"
    );
    let plan = file::parse(Path::new("test.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

// Bytes of a frame in a switch: 1,024 of payload, headers and FCS.
const FRAME: f64 = 1024.0 + 90.0 + 4.0;

// The share of marked packets and of ACKs that say so, held to the chance that the ramp gives the
// mean queue.
fn held(o: &Outcome, (least, most, chance): (f64, f64, f64), left_out: f64) {
    let m = o.summary.marks;
    // The tap counts the frame on the wire, the ramp does not.
    let waiting = o.summary.queue_kb.mean - left_out * FRAME / 1e3;
    let p = chance * (waiting - least) / (most - least);
    let of = |marked: u64, all: u64| (marked as f64 / all as f64, 4.5 * (p * (1.0 - p) / all as f64).sqrt());
    let (data, acks) = (of(m.marked_packets, m.packets), of(m.marked_acks, m.acks));
    println!("{}: waiting {waiting:.2} KB, p {p:.4}, data {data:.4?} of {}, ACKs {acks:.4?} of {}", o.plan.nic.kind, m.packets, m.acks);
    assert!(p > 0.05 && p < 0.95 && o.summary.utilization > 0.99, "{p} {}", o.summary.utilization);
    assert!((data.0 - p).abs() < data.1 && (acks.0 - p).abs() < acks.1 && o.summary.timeouts == 0);
}

/// The chance of the ramp at the queue that stands, marked as packets come and as they go, by
/// event-level NICs and by those with frames, whose responders find the mark in the bytes of the
/// packet and whose checksums still hold.
#[test]
fn the_share_of_marks_is_that_of_the_ramp() {
    let ramp = "mark_kb = 5\nmark_most_kb = 85\nmark_chance = 0.8\nmark_at";
    for (kind, ms) in [("paced", 40.0), ("software", 40.0), ("model", 4.0), ("event", 40.0)] {
        for (at, left_out) in [("ingress", 1.0), ("egress", 1.0)] {
            let o = standing(kind, 14.0, &format!("{ramp} = '{at}'"), ms);
            // On the fabric an ACK says whether any packet of its segment was marked, since DCTCP
            // counts them; elsewhere its last one.
            if kind == "event" {
                let (m, one) = (o.summary.marks, o.summary.marks.marked_packets as f64 / o.summary.marks.packets as f64);
                let any = m.marked_acks as f64 / m.acks as f64;
                assert!((any - (1.0 - (1.0 - one).powi(2))).abs() < 0.02, "{any} {one}");
                continue;
            }
            held(&o, (5.0, 85.0, 0.8), left_out);
        }
    }
}

/// Below the foot nothing is marked, beyond the top everything that waits; the PI controller adds
/// its parts.
#[test]
fn marks_have_ends_and_a_controller() {
    let none = standing("model", 14.0, "mark_kb = 90\nmark_most_kb = 100", 1.0).summary.marks;
    assert!(none.packets > 500 && (none.marked_packets, none.marked_acks) == (0, 0), "{none:?}");
    let all = standing("model", 14.0, "mark_kb = 1\nmark_most_kb = 20", 1.0).summary.marks;
    assert!(all.packets > 500 && all.marked_packets == all.packets && all.marked_acks == all.acks, "{all:?}");
    // The queue stays above the reference, whatever is marked: the integral comes to its most, and
    // the proportional part adds to it.
    let o = standing("paced", 14.0, "mark_pi = { reference_kb = 30, most = 0.4, integral = 100, proportional = 0.001 }", 40.0);
    let (m, above) = (o.summary.marks, o.summary.queue_kb.mean - FRAME / 1e3 - 30.0);
    let (share, p) = (m.marked_packets as f64 / m.packets as f64, 0.4 + 0.001 * above);
    assert!(above > 5.0 && (share - p).abs() < 4.5 * (p * (1.0 - p) / m.packets as f64).sqrt(), "{share} {p}");
}

/// Jitter of the feedback is in the RTT that is measured, and not in the one-way delay.
#[test]
fn one_way_delay_does_not_see_the_jitter_of_acks() {
    let run = |kind: &str, signal: &str, jitter: f64| {
        let text = format!(
            "duration_ms = 4\n[topology]\nhosts = 2\n[switch]\nfeedback_jitter_us = {jitter}\n[nic]\nkind = '{kind}'\nclock_mhz = 156.25\nppm = 0\n\
             [profile.p]\nlike = 'fixed'\ninitial_mbps = 2000\nsignal = '{signal}'\nsignal_base_us = 8\ntimeout_us = 0\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n"
        );
        let plan = file::parse(Path::new("test.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
        build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}")).summary.rtt_measured_us
    };
    let (still, late, one_way) = (run("model", "rtt", 0.0), run("model", "rtt", 50.0), run("model", "one_way", 50.0));
    // An ACK every 9 us that may overtake none before it: later than the mean of a uniform delay,
    // 25 us, and never than its most.
    println!("{still:?} {late:?} {one_way:?}");
    assert!(late.mean - still.mean > 25.0 && late.mean - still.mean < 45.0 && late.p99 < still.p99 + 50.1);
    assert!((one_way.mean - 8.0).abs() < 0.2 && one_way.p99 < 8.5);
    let (event, event_late) = (run("event", "rtt", 0.0), run("event", "rtt", 50.0));
    assert!((event_late.mean - event.mean - (late.mean - still.mean)).abs() < 1.5, "{event:?} {event_late:?}");
    let event_one_way = run("event", "one_way", 50.0);
    assert!((event_one_way.mean - 8.0).abs() < 0.2 && event_one_way.p99 < 8.5, "{event_one_way:?}");
}

fn run(text: &str) -> Outcome {
    let plan = file::parse(Path::new("test.toml"), text).unwrap_or_else(|e| panic!("{e}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// An ACK tells the marks of its segment: of no packet behind it, though ten segments are on the
/// last link when the first arrives.
#[test]
fn an_ack_echoes_no_packet_behind_its_segment() {
    let o = run(
        "duration_ms = 4\n[topology]\nhosts = 3\n[link]\ndelay_ns = 100000\n[switch]\nxoff_kb = 0\nmark_kb = 0\n[nic]\nkind = 'event'\n\
                 [profile.f]\nlike = 'fixed'\ninitial_mbps = 10000\noutstanding_kb = 0\ntimeout_us = 0\n[[flow]]\nfrom = [0, 1]\nto = 2\n\
                 bytes = 20480\nprofile = 'f'\n",
    );
    let marks: Vec<(u16, u16)> = o.recorder.rtts.iter().filter_map(|r| r.sample.marks).collect();
    let told: u16 = marks.iter().map(|m| m.1).sum();
    println!("{:?} {marks:?}", o.summary.marks);
    assert_eq!((marks.len(), u64::from(told)), (20, o.summary.marks.marked_packets));
    assert!(marks.iter().all(|(packets, marked)| marked <= packets), "{marks:?}");
    // All but the first packets wait.
    assert!(o.summary.marks.marked_packets >= 36 && o.summary.marks.marked_acks >= 18, "{:?}", o.summary.marks);
}

/// A controller samples and marks whether frames wait or not. Two flows at 9 Gb/s overload a port
/// of 10 for 1 ms, so that a queue of about 1 MB comes and goes; half of its area over time, less
/// 10 KB of queue at any time, is the integral then. At 5 Gb/s from 3 ms on no frame waits, the
/// integral falls by .5 times 10 KB, 5 a second, and what comes is marked by it.
#[test]
fn a_controller_marks_at_an_empty_queue_too() {
    let share = |kind: &str, at: &str| {
        let o = run(&format!(
            "duration_ms = 20\n[topology]\nhosts = 4\n[switch]\nxoff_kb = 0\nmark_at = '{at}'\n\
             mark_pi = {{ reference_kb = 10, proportional = 0, integral = 0.5, period_us = 20, most = 0.5 }}\n[nic]\nkind = '{kind}'\n\
             [profile.f]\nlike = 'fixed'\ninitial_mbps = 9000\noutstanding_kb = 0\ntimeout_us = 0\n\
             [profile.s]\nlike = 'fixed'\ninitial_mbps = 5000\noutstanding_kb = 0\ntimeout_us = 0\n\
             [[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'f'\nstop_us = 1000\n[[flow]]\nfrom = 3\nto = 2\nprofile = 's'\nstart_us = 3000\n"
        ));
        let (m, queue) = (o.summary.marks, o.summary.queue_kb.mean);
        let share = m.marked_packets as f64 / m.packets as f64;
        println!("{kind}, {at}: {share:.4} of {} packets, queue {queue:.2} KB", m.packets);
        // The two that had stopped are no flows of the steady part.
        assert!(m.packets > 5000 && queue < 1.2 && o.summary.jain == 1.0, "{queue} {}", o.summary.jain);
        // The queue rises by 8 Gb/s, which is a KB a us, and falls by 10.
        let most = o.summary.queue_max_kb;
        let (rise, fall) = (most * 1e-6, most * 0.8e-6);
        let integral = 0.5 * (most - 20.0) * (rise + fall) / 2.0;
        (share, integral - 5.0 * (15e-3 - rise - fall))
    };
    for (kind, at) in [("event", "ingress"), ("event", "egress"), ("paced", "ingress"), ("paced", "egress"), ("model", "ingress")] {
        let (share, theory) = share(kind, at);
        println!("{kind}, {at}: theory {theory:.4}");
        assert!((share - theory).abs() < 0.03, "{kind}, {at}");
    }
}
