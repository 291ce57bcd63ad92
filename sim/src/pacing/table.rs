//! The figures as lines of text.
use super::Measured;
use super::conclude::PUNCTUAL;
use super::pacer::Pacer;
use super::row::Row;
use super::stats::Quantiles;
pub use super::words::time;

/// A count of bytes as it is best read.
pub fn bytes(b: f64) -> String {
    if b < 9_999.5 { format!("{b:.0} B") } else { format!("{:.0} KB", b / 1e3) }
}

/// A share of a million, shorter where it is large.
pub fn ppm(x: f64) -> String {
    match x.abs() {
        a if a < 9.95 => format!("{x:+.1} ppm"),
        a if a < 9_999.5 => format!("{x:+.0} ppm"),
        _ => format!("{:+.1} %", x / 1e4),
    }
}

/// Heads of the columns behind pacer, burst and load.
pub const HEADS: [&str; 10] = ["sent", "received", "error p50", "p99", "p99.9", "max", "rate error", "in 10 us", "in 100 us", "CPU s/Gbit"];

/// The cells behind pacer, burst and load.
pub fn cells(row: &Row) -> [String; 10] {
    let missing = || "-".to_owned();
    let of = |pick: fn(&Quantiles) -> f64| row.error_ns.as_ref().map_or_else(missing, |q| time(pick(q)));
    [
        row.sent.to_string(),
        row.received.to_string(),
        of(|q| q.p50),
        of(|q| q.p99),
        of(|q| q.p999),
        of(|q| q.max),
        row.rate_error_ppm.map_or_else(missing, ppm),
        row.burst_bytes_10us.map_or_else(missing, |b| bytes(b as f64)),
        row.burst_bytes_100us.map_or_else(missing, |b| bytes(b as f64)),
        row.cpu_s_per_gbit.map_or_else(missing, |c| format!("{c:.3}")),
    ]
}

fn line(row: &Row) -> String {
    let name = if row.busy { format!("{}*", row.name) } else { row.name.clone() };
    let head = format!("{name:12} {:6} {:22}", row.burst(), row.load.to_string());
    match &row.refused {
        Some(why) if row.note.is_empty() => return format!("{name:12} refused: {why}\n"),
        Some(why) => return format!("{head} {why}\n"),
        None => {}
    }
    let c = cells(row);
    format!(
        "{head} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8} {:>10}\n",
        c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]
    )
}

/// All tables of a measurement.
pub fn table(m: &Measured) -> String {
    let h = HEADS;
    let mut text = format!(
        "{:12} {:6} {:22} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8} {:>10}\n",
        "pacer", "burst", "load", h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9]
    );
    m.pacers.iter().for_each(|r| text += &line(r));
    if m.pacers.iter().any(|r| r.busy) {
        text += "* a second task computes on the sender's core\n";
    }
    let single = |r: &&Row| r.load.burst == 1 && (r.load.flows, r.load.mbps) == PUNCTUAL;
    for (r, p) in m.pacers.iter().filter(single).filter_map(|r| Some((r, r.phases?))) {
        let range = |pick: fn(&Quantiles) -> f64| format!("{} to {}", time(pick(&p.least)), time(pick(&p.greatest)));
        text += &format!(
            "{}, {}, over {} start phases: p50 {}, p99 {}, p99.9 {}, max {}\n",
            r.title(),
            r.load,
            p.count,
            range(|q| q.p50),
            range(|q| q.p99),
            range(|q| q.p999),
            range(|q| q.max)
        );
    }
    text += "\nwithout pacing: what sending itself takes\n";
    for r in &m.unpaced {
        match (&r.refused, r.cpu_s_per_gbit, r.cpu_s_per_mpacket) {
            (None, Some(gbit), Some(mpacket)) => {
                text += &format!(
                    "  {:6} {} sent, {} received, {gbit:.3} CPU s/Gbit, {mpacket:.2} CPU s a million packets\n",
                    r.burst(),
                    r.sent,
                    r.received
                );
            }
            (why, ..) => text += &format!("  {:6} not measured: {}\n", r.burst(), why.as_deref().unwrap_or("nothing arrived")),
        }
    }
    for (load, fifo) in m.pacers.iter().filter_map(|r| Some((r.load, r.fifo?))) {
        text += &format!(
            "rtl, {load}: beyond an ideal FIFO link p50 {}, p99 {}, max {}; the ideal link's own p99 {}, max {}\n",
            time(fifo.excess_ns.p50),
            time(fifo.excess_ns.p99),
            time(fifo.excess_ns.max),
            time(fifo.error_ns.p99),
            time(fifo.error_ns.max)
        );
    }
    let (n, s) = (m.noise_ns, m.stamping);
    text += &format!(
        "noise floor: a thread that polls for an event is p50 {}, p99 {}, p99.9 {}, max {} late; {:.0} gaps above 10 us a second\n",
        time(n.p50),
        time(n.p99),
        time(n.p999),
        time(n.max),
        m.long_gaps_per_second
    );
    text += &format!(
        "stamps: {} of {} packets, p50 {}, p99 {}, max {} after the call that sent them, which took p50 {}, p99 {}\n",
        s.received,
        s.sent,
        time(s.delay_ns.p50),
        time(s.delay_ns.p99),
        time(s.delay_ns.max),
        time(s.call_ns.p50),
        time(s.call_ns.p99)
    );
    text += &format!("over {}\n", m.site);
    for c in &m.conditions {
        let (core, scale) = (if c.busy { "busy" } else { "quiet" }, c.scale);
        text += &format!("arrivals: {} stamps, hash {}, {core} core", c.arrivals, c.hash);
        text += &if scale == 1.0 { "\n".to_owned() } else { format!(", times of a machine {scale} times as fast as the one it ran on\n") };
    }
    if let Some(why) = &m.left_out {
        text += &format!("left out: {why}\n");
    }
    text +=
        &format!("\n{:12} {:>11} {:>9} {:>9} {:>8} {:>9} {:>9}\n", "incast of", "utilization", "RTT p50", "p99", "Jain", "queue", "p99");
    for r in m.network.iter().filter(|r| r.experiment == "incast") {
        text += &format!(
            "{:18} {:>5.3} {:>6.1} us {:>6.1} us {:>8.4} {:>6.1} KB {:>6.1} KB\n",
            r.pacer, r.utilization, r.rtt_p50_us, r.rtt_p99_us, r.jain, r.queue_mean_kb, r.queue_p99_kb
        );
    }
    text += "\nfigure 12, utilization (and RTT p99 in us) with noise of RTTs up to ";
    let noises: Vec<_> = m.network.iter().filter(|r| r.experiment == "fig12" && r.pacer == "hardware").map(|r| r.rtt_noise_us).collect();
    text += &format!("{} us\n", noises.iter().map(f64::to_string).collect::<Vec<_>>().join(", "));
    for r in m.network.iter().filter(|r| r.experiment == "incast") {
        let of = m.network.iter().filter(|f| f.experiment == "fig12" && f.pacer == r.pacer);
        let cells: String = of.map(|f| format!(" {:>5.3} ({:>4.0})", f.utilization, f.rtt_p99_us)).collect();
        text += &format!("{:18}{cells}\n", r.pacer);
    }
    text += "\n";
    Pacer::ALL.iter().for_each(|p| text += &format!("{:12} {}\n", p.name(), p.what()));
    text += "\n";
    m.conclusions.iter().for_each(|s| text += &format!("{s}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 4.0, 9_999.0, 10_000.0, 123_456.0, 2.5e7, 1.2e10].map(time),
            ["0 ns", "4 ns", "9999 ns", "10.0 us", "123 us", "25.0 ms", "12.0 s"]
        );
        assert_eq!([1538.0, 64_768.0].map(bytes), ["1538 B", "65 KB"]);
        assert_eq!([0.25, -300.0, -300_000.0].map(ppm), ["+0.2 ppm", "-300 ppm", "-30.0 %"]);
    }
}
