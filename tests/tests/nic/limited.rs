//! The rate of a flow that does not use it: it grows no further.
use timely_regs::map::window;
use timely_regs::parameters::Parameters;
use timely_sim::nic::core::CoreEvent;
use timely_sim::nic::stream::FlowSpec;
use timely_tests::bench::{Bench, answer};
use timely_tests::cycles;
use timely_tests::nic::{CLOCK_NS, cores, flow, spec, start};

const PEER: u16 = 9;
const PACKET: u32 = 1442;
const INITIAL_MBPS: f64 = 1000.0;

/// Two flows, every ACK of which asks for more: a backlogged one, and one that sends a packet in
/// ten gaps and later is backlogged too. `[(flow, rate in Mb/s at the half, at the end)]` of each.
fn rates(window_us: f64) -> Vec<(&'static str, [(f64, f64); 2])> {
    let parameters = Parameters {
        t_low_us: 6.0,
        initial_mbps: INITIAL_MBPS,
        additive_step_mbps: 4.0,
        outstanding_bytes: 0,
        use_window_us: window_us,
        ..Parameters::timely_10g(8.0)
    };
    let gap = (f64::from(PACKET + 90 + 24) * 8000.0 / INITIAL_MBPS) as u64 / CLOCK_NS;
    let mut all = Vec::new();
    for (name, mut nic) in cores(64, 10) {
        let idle = flow(1, PEER, PACKET, 1, &parameters);
        let idle = timely_sim::cores::CoreFlow { spec: FlowSpec { bytes: Some(PACKET.into()), ..idle.spec }, ..idle };
        start(&mut *nic, &spec(64, 10, 10.0, vec![flow(0, PEER, PACKET, 1, &parameters), idle]));
        let mut bench = Bench::new(nic);
        let from = bench.clk();
        let half = from + cycles().max(100 * gap);
        let end = half + cycles().max(100 * gap);
        let (mut post, mut seen) = (from + 10 * gap, 0);
        let mut rate = [INITIAL_MBPS; 2];
        let mut at_half = rate;
        while bench.clk() < end {
            if let Some(sent) = bench.run(post.min(end)) {
                bench.arrive(sent.last + 3000 / CLOCK_NS, answer(&sent.frame, sent.now, sent.now));
            }
            if bench.clk() >= post {
                let packets = if post < half { 1 } else { 2000 };
                bench.nic.post_write(window::doorbell(1), packets);
                at_half = if post < half { rate } else { at_half };
                post = if post < half { post + 10 * gap } else { u64::MAX };
            }
            for event in &bench.events[seen..] {
                if let CoreEvent::Rate { flow, rate: register, .. } = *event {
                    rate[flow as usize] = f64::from(register) / 4096.0;
                }
            }
            seen = bench.events.len();
        }
        all.push((name, [(at_half[0], rate[0]), (at_half[1], rate[1])]));
    }
    all
}

#[test]
fn a_flow_that_does_not_use_its_rate_does_not_raise_it() {
    for (name, [(busy, _), (idle, later)]) in rates(20.0) {
        println!("{name}: backlogged {busy:.0} Mb/s, at a tenth of its use {idle:.1}, then backlogged {later:.0}");
        assert!(busy > 1.1 * INITIAL_MBPS, "{name}: the backlogged flow is at {busy} Mb/s");
        // The first packet, before which the flow had no rate to use, may raise it.
        assert!((INITIAL_MBPS..=INITIAL_MBPS + 4.0).contains(&idle), "{name}: {idle} Mb/s at a tenth of its use");
        assert!(later > 1.1 * INITIAL_MBPS, "{name}: {later} Mb/s after it was backlogged again");
    }
    // Without the rule it grows with every ACK.
    for (name, [_, (idle, _)]) in rates(0.0) {
        assert!(idle > INITIAL_MBPS + 20.0, "{name}: {idle} Mb/s");
    }
}
