//! Lost packets lower a pair's rate. RDMA hosts send all behind a loss again, and their NICs would
//! send it at the rate at which it was lost.
use super::network::{Faults, Network, Plan, US};
use super::plan;
use super::table::lost;
use timely_regs::counters::Counter;
use timely_regs::parameters::Parameters;
use timely_tests::{few_seeds, seeds, thorough};

/// TIMELY that no queue of the bottleneck ever makes late: losses alone tell of congestion.
fn deaf(loss_decrease: f64) -> Parameters {
    Parameters { t_low_us: 100.0, t_high_us: 1000.0, additive_step_mbps: 40.0, loss_decrease, ..Parameters::timely_10g(20.0) }
}

/// DCQCN without a mark, that adds as much a stage. Fast recovery would bring back all of a loss
/// within 300 us if its target stayed.
fn unmarked(loss_decrease: f64) -> Parameters {
    Parameters { additive_step_mbps: 40.0, outstanding_bytes: 0, loss_decrease, ..Parameters::dcqcn_10g() }
}

/// A NAK takes a half off the rate, within 50 us, whether RTTs come or not: of a host that goes
/// back to each of its losses NAKs are an RTT apart. Without a decrease NAKs are counted alone.
/// Where seven of eight packets are lost the host's retransmissions are too, and time-outs go on.
#[test]
fn lost_packets_lower_a_pairs_rate() {
    let shares = [(0.02, 0.5), (0.1, 0.5), (0.875, 0.5), (0.1, 0.0)];
    let laws = [("timely", deaf as fn(f64) -> Parameters), ("dcqcn", unmarked)];
    for ((law, of), (share, loss_decrease)) in laws.into_iter().flat_map(|law| shares.map(|s| (law, s))) {
        let faults = Faults { loses: share, ..Faults::default() };
        let mut n = Network::new(Plan { faults, ..plan(of(loss_decrease), 3) }, 1, 1);
        let start = n.rate(0, 0);
        let (mut naks, mut rate, mut samples, mut halved) = (0, start, 0, 0);
        // A host whose NAK was lost, or what it sent for one, sends again after 67 ms.
        for at in 1..3000 {
            n.run(at * 50 * US);
            let now = n.counted()[Counter::NaksReceived as usize];
            let (before, heard) = (std::mem::replace(&mut rate, n.rate(0, 0)), std::mem::replace(&mut samples, n.nodes[0].rtts.len()));
            let news = std::mem::replace(&mut naks, now);
            if now == news + 1 && n.nodes[0].timeouts.is_empty() {
                // Samples of what came through, or a stage, raise it by 40 Mb/s at most each.
                let (least, most) = (before * (1.0 - loss_decrease) * 0.999, 40.0 * (samples - heard + 1) as f64);
                assert!(rate >= least && rate <= least * 1.002 + most, "{law}, {share} lost: from {before} to {rate} Mb/s");
                halved += 1;
            }
            if naks + n.nodes[0].timeouts.len() as u64 > 4 {
                break;
            }
        }
        let timeouts = n.nodes[0].timeouts.len();
        println!(
            "{law}, {share} lost, a decrease of {loss_decrease}: {:.4} of the start after {naks} NAKs and {timeouts} time-outs",
            rate / start
        );
        assert_eq!(u64::from(lost(&mut n.nodes[0].nic, 0)), naks, "as the flow's telemetry counts them");
        assert!(halved > 0 && (share > 0.5 || halved > 2), "{law}, {share} lost: {halved} NAKs, each in 50 us of its own");
        assert!(if loss_decrease == 0.0 { rate == start } else { rate < start / 4.0 }, "{law}, {share} lost: {rate} of {start} Mb/s");
    }
}

/// A bottleneck whose queue holds a sixth of its hosts' windows. Halved by each loss, rates go to
/// and fro between all of the line and half of it, so that three quarters are used. Without a
/// decrease one host or both lose what they send again too, and wait for their time-out. So under
/// DCQCN.
#[test]
fn a_short_queue_is_shared() {
    let laws = [("timely", deaf as fn(f64) -> Parameters), ("dcqcn", unmarked)];
    let all = if thorough() { seeds() } else { few_seeds() };
    for ((law, of), seed) in laws.into_iter().flat_map(|law| all.clone().into_iter().map(move |s| (law, s))) {
        let [(lowers, few), (ignores, many)] = [0.5, 0.0].map(|loss_decrease| {
            let mut n = Network::new(Plan { queue: 50_000.0, ..plan(of(loss_decrease), seed) }, 2, 1);
            let m = n.measure(10_000 * US, if thorough() { 30_000 } else { 20_000 } * US);
            println!("{law}, seed {seed}, a decrease of {loss_decrease}: {m:.3?}, {} dropped since the start", n.dropped);
            (m, n.dropped)
        });
        assert!(lowers.utilization > 0.73 && lowers.jain > 0.8, "seed {seed}: {lowers:?}");
        assert!(2 * few < many, "seed {seed}: {few} and {many} dropped");
        // Of one host, and of none.
        assert!(ignores.jain < 0.51 || ignores.utilization == 0.0, "seed {seed}: {ignores:?}");
    }
}
