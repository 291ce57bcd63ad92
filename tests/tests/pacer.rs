//! Properties of the pacer's model.
mod pacer_rig;
use pacer_rig::Rig;

/// Departures of a lone flow at the gate against the ideal ones, and its long-run rate, from 1 Mb/s to 100 Gb/s.
#[test]
fn a_lone_flow_departs_on_time() {
    println!("wire bytes      Mb/s   packets   doorbell to departure, clocks   late by at most, ns   early, ns   rate error, ppm");
    for bytes in [84u16, 1538, 9038] {
        for mbps in [1, 7, 10, 100, 333, 1_000, 3_000, 10_000, 25_000, 40_000, 50_000, 77_777, 99_999, 100_000] {
            let rate = (mbps << 12) + u32::from(mbps == 333);
            let mut rig = Rig::new(10);
            rig.start = 12345;
            rig.sweep();
            rig.profile(0, 0, 16384);
            rig.flow(5, bytes, rate);
            while !rig.loads.is_empty() {
                rig.step();
            }
            for _ in 0..100 {
                rig.step();
            }
            let posted = rig.clk;
            let gap = f64::from(bytes) * 8000.0 * 4096.0 / f64::from(rate);
            let end = posted + ((4.2e6f64).max(3.5 * gap) / 4.0) as u64;
            let mut backlog = 0;
            while rig.clk < end {
                if rig.doorbells.is_empty() && backlog < rig.departures.len() + 1000 {
                    rig.doorbells.push_back((5, 10_000));
                    backlog += 10_000;
                }
                rig.step();
            }
            // A packet of 84 bytes is shorter than our header allows: the flow takes its packets for 114 bytes until one is charged.
            let settled = if bytes == 84 { 2.max(rig.departures.len() / 4) } else { 0 };
            let first = rig.departures[settled].now as f64 / 65536.0;
            let (mut late, mut early) = (f64::MIN, f64::MIN);
            for (k, d) in rig.departures[settled..].iter().enumerate() {
                let ideal = first + k as f64 * gap;
                late = late.max(d.now as f64 / 65536.0 - ideal);
                early = early.max(ideal - d.now as f64 / 65536.0);
            }
            let n = rig.departures.len() - 1 - settled;
            let span = (rig.departures[settled + n].launch - rig.departures[settled].launch) as f64 / 65536.0;
            let ppm = (n as f64 * gap / span - 1.0) * 1e6;
            println!(
                "{bytes:10} {mbps:9} {:9} {:31} {late:21.2} {early:11.2} {ppm:17.3}",
                rig.departures.len(),
                rig.departures[0].clk - posted
            );
            assert!(late <= 4.0 && early <= 4.0, "{bytes} B at {mbps} Mb/s: {late} ns late, {early} ns early");
            assert!(ppm.abs() <= 1.0, "{bytes} B at {mbps} Mb/s: {ppm} ppm");
        }
    }
}
