//! The loop stays closed: on NICs that compute as the hardware does, a flow gets its samples
//! however much is outstanding and however many flows the NIC has. What is expected comes from the
//! network: a full link, no pauses, RTTs that do not depend on the number of flows that a NIC could
//! have, and the figures of event-level hosts.
use std::path::Path;
use timely_sim::cores;
use timely_sim::metrics::summary::Summary;
use timely_sim::scenario::build::Outcome;
use timely_sim::scenario::{build, file};

/// `senders` hosts to one at `gbps`, flows of `profile` with segments of 2 KB that start 100 us
/// apart; the bottleneck's figures of the second half.
fn incast(kind: &str, gbps: u32, flow_bits: u32, senders: u32, profile: &str, duration_ms: u32) -> Summary {
    run(kind, gbps, flow_bits, senders, profile, duration_ms).summary
}

fn run(kind: &str, gbps: u32, flow_bits: u32, senders: u32, profile: &str, duration_ms: u32) -> Outcome {
    let bus = if gbps > 25 { 512 } else { 64 << (gbps / 25) };
    let from: Vec<String> = (0..senders).map(|s| s.to_string()).collect();
    let text = format!(
        "name = 'feedback'\nduration_ms = {duration_ms}\nseed = 1\n[topology]\nhosts = {}\n[link]\nrate_gbps = {gbps}\ndelay_ns = 1600\n\
         [switch]\nlatency_ns = 300\nxoff_kb = 1000\n[nic]\nkind = '{kind}'\nbus_bits = {bus}\nflow_bits = {flow_bits}\n\
         [profile.p]\n{profile}\n[[flow]]\nfrom = [{}]\nto = {senders}\nprofile = 'p'\nstagger_us = 100\npacket_bytes = 1024\nsegment_bytes = 2048\n",
        senders + 1,
        from.join(", ")
    );
    let plan = file::parse(Path::new("feedback.toml"), &text).expect("a valid scenario");
    build::run(plan, cores::factory().as_ref(), |_| {}).expect("a run")
}

/// A lone flow in an empty network fills the link with every named profile at its line rate,
/// however many flows the NIC has: the outstanding bound of `timely-100g`, some 115 segments, is
/// none too many to remember.
#[test]
fn a_lone_flow_fills_its_link() {
    for (gbps, profiles) in [
        (10, &["timely-10g", "authors-10g", "patched-10g", "swift-10g"][..]),
        (25, &["timely-25g", "patched-25g"]),
        (100, &["timely-100g", "patched-100g", "swift-100g"]),
    ] {
        for (i, profile) in profiles.iter().enumerate() {
            // Whatever its number of flows, a NIC is the same to all profiles of a speed.
            let all = match (crate::common::thorough(), i) {
                (true, _) => &[10, 13, 14, 16][..],
                (_, 0) => &[10, 16],
                _ => &[10],
            };
            for &flow_bits in all {
                let s = incast("model", gbps, flow_bits, 1, &format!("like = '{profile}'"), 2);
                println!("{profile:12} 2^{flow_bits:2} flows: utilization {:.4}, RTT p99 {:.1} us", s.utilization, s.rtt_us.p99);
                assert!(s.utilization >= 0.98, "{profile}, 2^{flow_bits} flows: {}", s.utilization);
                assert_eq!((s.pauses, s.timeouts), (0, 0), "{profile}, 2^{flow_bits} flows");
            }
        }
    }
}

/// Four flows into one at 100 Gb/s without a bound, hundreds of segments outstanding: the RTT
/// steers them all, no pause is needed, and the number of flows that a NIC could have changes
/// nothing. Event-level hosts, which forget no segment, agree.
#[test]
fn four_into_one_at_100g_are_steered_without_a_bound() {
    let profile = "like = 'timely-100g'\noutstanding_kb = 0";
    let event = incast("event", 100, 10, 4, profile, 8);
    let least = incast("model", 100, 10, 4, profile, 8);
    println!("event: {event:?}");
    let others = if crate::common::thorough() { vec![13, 14, 16] } else { vec![16] };
    let runs = others.into_iter().map(|bits| (bits, incast("model", 100, bits, 4, profile, 8)));
    for (flow_bits, s) in std::iter::once((10, least.clone())).chain(runs) {
        let (rtt, util) = (s.rtt_us.mean / event.rtt_us.mean, s.utilization / event.utilization);
        println!("2^{flow_bits} flows: {s:?}\nof event-level hosts' RTT {rtt:.3}, utilization {util:.3}");
        assert!(s.utilization >= 0.9 && s.pauses == 0 && s.timeouts == 0, "2^{flow_bits} flows: {s:?}");
        assert!((s.rtt_us.p99 / least.rtt_us.p99 - 1.0).abs() <= 0.1, "p99 {} for {}", s.rtt_us.p99, least.rtt_us.p99);
        assert!((rtt - 1.0).abs() <= 0.05 && (util - 1.0).abs() <= 0.05, "RTT {rtt}, utilization {util} of event-level hosts'");
    }
}

/// No flow is blind: where nothing is lost, each ACK that arrives is a sample, also while 32 flows
/// that start at line rate without a bound fill queues of megabytes, as long as the ring covers the
/// RTT.
#[test]
fn every_ack_of_an_incast_is_heard() {
    for (gbps, flow_bits, senders, profile) in [(10, 10, 4, "timely-10g"), (10, 16, 32, "timely-10g"), (100, 13, 32, "timely-100g")] {
        for bound in ["outstanding_kb = 0", ""].into_iter().filter(|b| !b.is_empty() || senders == 4 || crate::common::thorough()) {
            let ms = if crate::common::thorough() { 4 } else { 3 };
            let outcome = run("model", gbps, flow_bits, senders, &format!("like = '{profile}'\n{bound}"), ms);
            let mut samples = vec![0; senders as usize];
            outcome.recorder.rtts.iter().for_each(|r| samples[r.flow as usize] += 1);
            let acks: Vec<u64> = outcome.recorder.flows.iter().map(|f| f.acks).collect();
            println!("{senders} to 1 at {gbps} Gb/s, 2^{flow_bits} flows, '{bound}': {samples:?} samples of {acks:?} ACKs");
            assert_eq!((outcome.summary.lost, outcome.summary.dropped), (0, 0));
            assert!(samples.iter().sum::<u64>() > 500);
            for (flow, (samples, acks)) in samples.iter().zip(&acks).enumerate() {
                // The last one may be on its way through the block.
                assert!(samples + 1 >= *acks, "flow {flow}: {samples} samples of {acks} ACKs");
            }
        }
    }
}

/// A segment longer than the outstanding bound goes on to its end, packet by packet, on event-level
/// NICs as on the hardware: half a segment has no answer, and a flow that waited for one would
/// stand still.
#[test]
fn a_segment_longer_than_its_bound_goes_on() {
    // 64 packets of 1,138 bytes: 72,832 bytes for a bound of 65,536.
    for segment in if crate::common::thorough() { vec![65_536, 131_072] } else { vec![65_536] } {
        let of = |kind: &str| {
            let text = format!(
                "duration_ms = 6\n[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\n[[flow]]\nfrom = [0, 1]\nto = 2\nstagger_us = 40\npacket_bytes = 1024\nsegment_bytes = {segment}\n"
            );
            let plan = file::parse(Path::new("long.toml"), &text).expect("a valid scenario");
            let s = build::run(plan, cores::factory().as_ref(), |_| {}).expect("a run").summary;
            println!("{kind}, {segment} bytes: utilization {:.3}, {} round trips, {} time-outs", s.utilization, s.samples, s.timeouts);
            s
        };
        let [model, event, paced] = ["model", "event", "paced"].map(of);
        for s in [&event, &paced] {
            assert!((s.utilization / model.utilization - 1.0).abs() < 0.02 && s.timeouts == 0, "{segment} bytes: {s:?} for {model:?}");
        }
        assert!(model.utilization > 0.9 && model.timeouts == 0, "{segment} bytes: {model:?}");
    }
}

/// Flows that start together fill the switch to its flow control, which then holds the RTT where it
/// is: a gradient of 0, with which rates rise. Above `T_high` they fall all the same, so the loop
/// takes the queue back from flow control, in each form of the NIC.
#[test]
fn flow_control_does_not_take_the_loop_over() {
    let all = [(25, 3, 16), (100, 10, 4), (25, 10, 4), (100, 10, 16)];
    let events = all.into_iter().take(if crate::common::thorough() { 4 } else { 2 }).map(|at| ("event", "standalone", 64, at));
    let forms = [("standalone", 128), ("inline", 256), ("corundum", 128)];
    let models = forms.into_iter().map(|(form, bus)| ("model", form, bus, all[0]));
    // Clocked NICs take longer.
    let of_models = if crate::common::thorough() { 40 } else { 8 };
    for (kind, form, bus, (gbps, hosts, connections)) in events.chain(models) {
        let from: Vec<String> = (0..hosts).map(|s| s.to_string()).collect();
        let text = format!(
            "duration_ms = {}\n[topology]\nhosts = {}\n[link]\nrate_gbps = {gbps}\n[nic]\nkind = '{kind}'\nform = '{form}'\nbus_bits = {bus}\n\
             [[flow]]\nfrom = [{}]\nto = {hosts}\nconnections = {connections}\nprofile = 'timely-{gbps}g'\nstagger_us = 1\n\
             packet_bytes = 1024\nsegment_bytes = 2048\n",
            if kind == "model" { of_models } else { 40 },
            hosts + 1,
            from.join(", ")
        );
        let plan = file::parse(Path::new("together.toml"), &text).expect("a valid scenario");
        let s = build::run(plan, cores::factory().as_ref(), |_| {}).expect("a run").summary;
        println!(
            "{kind} {form}, {gbps} Gb/s, {hosts} x {connections}: utilization {:.3}, RTT p99 {:.1} us, {} pauses, {} of them steady",
            s.utilization, s.rtt_us.p99, s.pauses, s.pauses_steady
        );
        assert!(s.pauses > 0 && s.pauses_steady == 0, "{kind} {form}, {gbps} Gb/s, {hosts} x {connections}: {} pauses", s.pauses_steady);
        assert!(s.utilization > 0.97 && s.rtt_us.p99 < 60.0, "{kind} {form}, {gbps} Gb/s, {hosts} x {connections}: {s:?}");
    }
}

/// A flow from host 0 to host 1 whose links lose so much that one data packet in eight arrives: its
/// rate at the end, relative to that at the start, and what its ACKs told.
fn lossy(like: &str, kind: &str, form: &str, segment: u32, loss: f64, link: &str, profile: &str) -> (f64, Option<(u32, u32)>) {
    let bus = if form == "inline" { 256 } else { 64 };
    let text = format!(
        "duration_ms = 24\nseed = 5\n[topology]\nhosts = 2\n[link]\nloss = {loss}\n{link}\n[nic]\nkind = '{kind}'\nform = '{form}'\nbus_bits = {bus}\n\
         [profile.p]\nlike = '{like}'\ninitial_mbps = 4000\ntimeout_us = 0\noutstanding_kb = 0\n{profile}\n[[flow]]\nfrom = [0]\nto = 1\nprofile = 'p'\npacket_bytes = 1024\nsegment_bytes = {segment}\n"
    );
    let mut plan = file::parse(Path::new("lossy.toml"), &text).expect("a valid scenario");
    plan.snapshot = kind == "model";
    let outcome = build::run(plan, cores::factory().as_ref(), |_| {}).expect("a run");
    let last = outcome.recorder.rates.last().map_or(4000.0, |r| r.sample.mbps);
    let told = outcome.snapshots.iter().find(|s| s.0 == 0).map(|(_, records)| (records[0].lost, records[0].samples));
    println!(
        "{like}, {kind}, {form}, {segment} bytes, loss {loss}, {profile:?}: {last:.0} Mb/s, {} samples, {told:?}",
        outcome.summary.samples
    );
    (last / 4000.0, told)
}

/// Seven of eight packets are lost, of segments of 1 and of 8 packets: on every kind of NIC the
/// rate falls, by half once in an RTT at most. Without a decrease by loss it rises, for the ACKs
/// that come show an empty network. Without a loss nothing is told, and the rate rises with the
/// decrease as without.
#[test]
fn lost_packets_lower_the_rate() {
    // Two links each way: .646^2 of the packets arrive on each.
    let loss = 1.0 - 0.125f64.sqrt();
    for segment in [1024, 8192] {
        for (like, kind, form) in [
            ("timely-10g", "model", "standalone"),
            ("timely-10g", "model", "inline"),
            ("timely-10g", "model", "corundum"),
            ("timely-10g", "event", "standalone"),
            ("timely-10g", "paced", "standalone"),
            ("timely-10g", "software", "standalone"),
            ("dcqcn-10g", "model", "standalone"),
            ("dcqcn-10g", "model", "inline"),
            ("dcqcn-10g", "model", "corundum"),
            ("dcqcn-10g", "event", "standalone"),
        ]
        .into_iter()
        .filter(|(_, kind, form)| segment == 1024 || crate::common::thorough() || (*kind, *form) == ("model", "standalone"))
        {
            let (falls, told) = lossy(like, kind, form, segment, loss, "", "loss_decrease = 0.5");
            assert!(falls < 0.25, "{like}, {kind}, {form}, {segment} bytes: {falls}");
            if let Some((lost, samples)) = told {
                assert!(samples > 2 && lost > samples, "{lost} lost of {samples} samples");
            }
        }
        for like in ["timely-10g", "dcqcn-10g"] {
            let (rises, told) = lossy(like, "model", "standalone", segment, loss, "", "loss_decrease = 0");
            assert!(rises > 1.0 && told.is_some_and(|(lost, samples)| lost > samples && samples > 10), "{like}: {rises}");
        }
        for (like, kind) in [("timely-10g", "model"), ("timely-10g", "event"), ("timely-10g", "paced"), ("dcqcn-10g", "model")] {
            let (rises, told) = lossy(like, kind, "standalone", segment, 0.0, "", "loss_decrease = 0.5");
            assert!(rises > 1.5 && told.is_none_or(|(lost, _)| lost == 0), "{kind}: {rises}, {told:?}");
        }
    }
}

/// Losses a round trip of 400 us apart, seven stages of increase: DCQCN's begin anew at each, so
/// that the rate falls as it does where losses are close together. Else stages of hyper increase,
/// which a flow without CNPs is in, would bring back 700 Mb/s each.
#[test]
fn stages_between_losses_do_not_bring_a_rate_back() {
    let loss = 1.0 - 0.125f64.sqrt();
    let stages = "byte_counter_kb = 100\nhyper_step_mbps = 100\nloss_decrease = ";
    for kind in ["model", "event"] {
        let [falls, rises] = [0.5, 0.0]
            .map(|decrease| lossy("dcqcn-10g", kind, "standalone", 1024, loss, "delay_ns = 100000", &format!("{stages}{decrease}")).0);
        assert!(falls < 0.25, "{kind}: {falls}");
        assert!(kind == "event" || rises > 2.0, "{kind}: {rises}");
    }
}
