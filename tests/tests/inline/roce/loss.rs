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

/// Each NAK takes its decrease off the rate, at once, whether RTTs come or not: 2 % of the packets
/// are lost, a tenth, seven of eight. Without a decrease NAKs are counted alone.
#[test]
fn lost_packets_lower_a_pairs_rate() {
    for (share, loss_decrease) in [(0.02, 0.5), (0.1, 0.5), (0.875, 0.5), (0.1, 0.0)] {
        let faults = Faults { loses: share, ..Faults::default() };
        let mut n = Network::new(Plan { faults, ..plan(deaf(loss_decrease), 3) }, 1, 1);
        let start = n.rate(0, 0);
        let (mut naks, mut seen) = (0, Vec::new());
        // A host whose NAK was lost, or what it sent for one, sends again after 67 ms.
        for at in 1..3000 {
            n.run(at * 50 * US);
            let now = n.counted()[Counter::NaksReceived as usize];
            if now > naks {
                naks = now;
                seen.push((naks, n.rate(0, 0) / start));
            }
            if naks + n.nodes[0].timeouts.len() as u64 > 4 {
                break;
            }
        }
        let timeouts = n.nodes[0].timeouts.len();
        println!("{share} lost, a decrease of {loss_decrease}: {seen:.3?} of the start by NAKs, {timeouts} time-outs");
        assert_eq!(u64::from(lost(&mut n.nodes[0].nic, 0)), naks, "as the flow's telemetry counts them");
        let (last, rate) = *seen.last().expect("a NAK");
        // Samples of what came through raise it by 40 Mb/s at most each.
        let rises = 0.004 * n.nodes[0].rtts.len() as f64;
        if loss_decrease == 0.0 {
            assert!(last > 2 && seen.iter().all(|s| s.1 == 1.0), "{share}: {seen:?}");
        } else {
            assert!(rate <= 0.5f64.powi(last as i32) + rises, "{share}: {seen:?}");
            assert!(n.rate(0, 0) / start < 0.25, "{share}: {seen:?}, {timeouts} time-outs");
        }
    }
}

/// A bottleneck whose queue holds a sixth of its hosts' windows. Halved by each loss, rates go to
/// and fro between all of the line and half of it, so that three quarters are used. Without a
/// decrease one host or both lose what they send again too, and wait for their time-out.
#[test]
fn a_short_queue_is_shared() {
    for seed in if thorough() { seeds() } else { few_seeds() } {
        let [(lowers, few), (ignores, many)] = [0.5, 0.0].map(|loss_decrease| {
            let mut n = Network::new(Plan { queue: 50_000.0, ..plan(deaf(loss_decrease), seed) }, 2, 1);
            let m = n.measure(10_000 * US, 30_000 * US);
            println!("seed {seed}, a decrease of {loss_decrease}: {m:.3?}, {} dropped since the start", n.dropped);
            (m, n.dropped)
        });
        assert!(lowers.utilization > 0.73 && lowers.jain > 0.8, "seed {seed}: {lowers:?}");
        assert!(2 * few < many, "seed {seed}: {few} and {many} dropped");
        // Of one host, and of none.
        assert!(ignores.jain < 0.51 || ignores.utilization == 0.0, "seed {seed}: {ignores:?}");
    }
}
