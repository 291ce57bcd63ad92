//! The queue and the shares are those of the theory, in every form.
use crate::common::thorough;
use crate::star::{BASE_US, Star, rates};
use timely_regs::parameters::Parameters;
use timely_sim::cores;

const BETA: f64 = 0.032;

/// Patched TIMELY has one fixed point, at which all flows have the same share and the RTT is
/// `reference (1 + N delta / (beta C))` ("ECN or Delay", theorem 5). Half of the flows start with a
/// third of the others' rate.
#[test]
fn shares_and_queue_are_those_of_theorem_5() {
    // No number of flows that a NIC could have is in the theorem.
    for star in Star::all().into_iter().filter(|s| s.flow_bits == 10 || !thorough()) {
        let name = format!("patched-{}g", star.gbps);
        let p = Parameters::named(&name, BASE_US).expect("a named profile");
        let step = 4.0 * p.additive_step_mbps;
        // The payload of segments that the profile is made for: 2, 4 and 8 KB.
        let segment = 1424 * [(10, 2), (25, 3), (100, 6)].iter().find(|s| s.0 == star.gbps).expect("a speed").1;
        let line = 1000.0 * f64::from(star.gbps);
        // With two flows the loop swings (`timely-sim stability --nic patched-10g`).
        for flows in if thorough() { vec![4, 8] } else { vec![4] } {
            let share = line / f64::from(flows);
            let text: String = (0..flows)
                .map(|f| {
                    let mbps = share * if f % 2 == 0 { 1.5 } else { 0.5 };
                    format!("[profile.p{f}]\nlike = '{name}'\nadditive_step_mbps = {step}\nerror_beta = {BETA}\ninitial_mbps = {mbps}\n[[flow]]\nfrom = {f}\nto = {flows}\nprofile = 'p{f}'\npacket_bytes = 1424\nsegment_bytes = {segment}\n")
                })
                .collect();
            let ms = if thorough() { 10.0 } else { 4.0 };
            let o = star.run(flows + 1, ms, &text, cores::factory().as_ref(), |_| {});
            let rest_us = p.reference_us * (1.0 + f64::from(flows) * step / (BETA * line));
            let s = &o.summary;
            println!(
                "{star}, {flows} flows: RTT {:.2} us, by the theorem {rest_us:.2}; Jain {:.4}, utilization {:.4}, Mb/s {:.0?}",
                s.rtt_measured_us.mean,
                s.jain,
                s.utilization,
                rates(&o)
            );
            assert!((s.rtt_measured_us.mean / rest_us - 1.0).abs() <= 0.05, "{star}, {flows} flows: {s:?}");
            assert!(s.jain >= 0.98 && s.utilization >= 0.98, "{star}, {flows} flows: {s:?}");
        }
    }
}
