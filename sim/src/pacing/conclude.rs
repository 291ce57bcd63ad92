//! Conclusions for a user, in three sentences that are made from the figures.
use super::Measured;
use super::load::Load;
use super::network::Run;
use super::row::{Place, Row};
use super::words::time;

/// The load at which punctuality is compared, which a software pacer of single packets carries.
pub const PUNCTUAL: (u32, f64) = (1, 100.0);
/// The load at which cost is compared.
pub const COSTLY: (u32, f64) = (100, 1_000.0);

fn under(rows: &[Row], load: (u32, f64)) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |r| (r.load.flows, r.load.mbps) == load && r.refused.is_none() && r.received > 0 && !r.busy)
}

fn p99(row: &Row) -> f64 {
    row.error_ns.map_or(f64::INFINITY, |q| q.p99)
}

fn cost(row: &Row) -> f64 {
    row.cpu_s_per_gbit.unwrap_or(f64::INFINITY)
}

fn least<'a>(rows: impl Iterator<Item = &'a Row>, by: fn(&Row) -> f64) -> Option<&'a Row> {
    rows.min_by(|a, b| by(a).total_cmp(&by(b)))
}

// A factor in words.
fn times(x: f64) -> String {
    if x >= 9.95 { format!("{x:.0} times") } else { format!("{x:.1} times") }
}

fn punctuality(m: &Measured) -> Option<String> {
    let hardware = under(&m.pacers, PUNCTUAL).find(|r| r.name == "rtl")?;
    let software = least(under(&m.pacers, PUNCTUAL).filter(|r| r.place != Place::Rtl && r.load.burst == 1), p99)?;
    let worst = hardware.error_ns?.max;
    let floor = m.noise_floor_ns;
    let whose = if floor > p99(software) / 2.0 {
        "so much of it is the machine's, and a quiet one would show less"
    } else {
        "so most of it is the pacer's own and its way through the kernel"
    };
    Some(format!(
        "Punctuality: of one flow of {} Mb/s every packet of the hardware leaves within {} of its schedule, while the best software pacer of \
         single packets, {}, has 1 % of them more than {} away; a thread that only polls is p99 {} late on this machine, {whose}.",
        PUNCTUAL.1,
        time(worst),
        software.name,
        time(p99(software)),
        time(floor)
    ))
}

fn price(m: &Measured) -> Option<String> {
    let of = |burst: fn(u32) -> bool| {
        least(under(&m.pacers, COSTLY).filter(move |r| r.place != Place::Rtl && r.name != "hybrid" && burst(r.load.burst)), cost)
    };
    let (single, bursts) = (of(|b| b == 1)?, of(|b| b > 1)?);
    let unpaced = m.unpaced.iter().filter(|r| r.load.burst == 1).map(cost).next().filter(|c| c.is_finite())?;
    let even = Load { burst: 1, ..bursts.load }.ideal_bytes(100_000.0);
    let lumps = bursts.burst_bytes_100us? as f64 / even;
    let verdict = if cost(single) > 2.0 * cost(bursts) {
        format!(
            "bursts are what makes it affordable, {} with {:.2}, and they put {} the even rate into 100 us",
            bursts.title(),
            cost(bursts),
            times(lumps)
        )
    } else {
        format!("bursts save little, {} takes {:.2}", bursts.title(), cost(bursts))
    };
    Some(format!(
        "Cost: for {} flows and 1 Gb/s in all, software that paces single packets takes at least {:.2} CPU seconds a Gbit ({}; sending without any \
         pacing takes {unpaced:.2}); {verdict}; the hardware takes none, however many flows there are.",
        COSTLY.0,
        cost(single),
        single.name
    ))
}

fn network(runs: &[Run]) -> Option<String> {
    let incast = || runs.iter().filter(|r| r.experiment == "incast");
    let hardware = incast().find(|r| r.pacer == "hardware")?;
    let others = || incast().filter(|r| r.pacer != "hardware");
    let worst = |pick: fn(&Run) -> f64| others().max_by(|a, b| pick(a).total_cmp(&pick(b)));
    let single = others().filter(|r| !r.pacer.contains(',')).max_by(|a, b| a.rtt_p99_us.total_cmp(&b.rtt_p99_us));
    let rtt = worst(|r| r.rtt_p99_us)?;
    let single = single.map_or(String::new(), |s| {
        let off = s.rtt_p99_us / hardware.rtt_p99_us - 1.0;
        if off.abs() < 0.1 {
            format!("late single packets change little (at most {:+.0} % of p99 RTT, {})", off * 100.0, s.pacer)
        } else {
            format!("late single packets cost {:+.0} % of p99 RTT ({})", off * 100.0, s.pacer)
        }
    });
    let join = if single.is_empty() { "" } else { ", and " };
    let spread = others().map(|r| r.utilization).fold(f64::MAX, f64::min);
    Some(format!(
        "Network: under one law in a 10-to-1 incast the hardware uses {:.1} % of the link at p99 {:.0} us and {:.0} KB of queue; {single}{join}the worst, {}, \
         has p99 {:.0} us and {:.0} KB, {} as much queue, and the least utilization of any is {:.1} %.",
        hardware.utilization * 100.0,
        hardware.rtt_p99_us,
        hardware.queue_p99_kb,
        rtt.pacer,
        rtt.rtt_p99_us,
        rtt.queue_p99_kb,
        times(rtt.queue_p99_kb / hardware.queue_p99_kb.max(1e-9)),
        spread * 100.0
    ))
}

/// The three sentences; where figures for one are missing it says so.
pub fn sentences(m: &Measured) -> [String; 3] {
    let missing = |what: &str| format!("{what}: not measured in this run.");
    [
        punctuality(m).unwrap_or_else(|| missing("Punctuality")),
        price(m).unwrap_or_else(|| missing("Cost")),
        network(&m.network).unwrap_or_else(|| missing("Network")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::stats::Quantiles;

    fn row(name: &str, place: Place, (flows, mbps): (u32, f64), burst: u32, p99: f64, cost: f64) -> Row {
        let load = Load { flows, mbps, burst, seconds: 1.0 };
        let error_ns = Some(Quantiles { p50: 0.0, p99, p999: p99, max: p99 });
        Row { error_ns, received: 1, burst_bytes_100us: Some(125_000), cpu_s_per_gbit: Some(cost), ..Row::new(name, place, &load) }
    }

    fn run(pacer: &str, p99: f64, queue: f64) -> Run {
        let (experiment, pacer) = ("incast", pacer.into());
        let (utilization, rtt_noise_us, rtt_p50_us, jain) = (0.97, 0.0, 20.0, 1.0);
        Run {
            experiment,
            pacer,
            rtt_noise_us,
            utilization,
            rtt_p50_us,
            rtt_p99_us: p99,
            jain,
            queue_mean_kb: queue,
            queue_p99_kb: queue,
            pauses: 0,
        }
    }

    #[test]
    fn sentences_follow_the_figures() {
        let mut m = Measured { noise_floor_ns: 100.0, ..Measured::default() };
        assert!(sentences(&m).iter().all(|s| s.ends_with("not measured in this run.")));
        m.pacers = vec![
            row("rtl", Place::Rtl, PUNCTUAL, 1, 4.0, 0.0),
            row("sleep", Place::User, PUNCTUAL, 1, 60_000.0, 0.3),
            row("wheel", Place::User, PUNCTUAL, 1, 5_000.0, 1.0),
            row("sleep", Place::User, COSTLY, 1, 0.0, 0.9),
            row("sleep", Place::User, COSTLY, 44, 0.0, 0.1),
        ];
        m.unpaced = vec![row("unpaced", Place::User, PUNCTUAL, 1, 0.0, 0.5)];
        m.network = vec![run("hardware", 50.0, 40.0), run("sleep", 52.0, 41.0), run("sleep, 64 KB", 200.0, 200.0)];
        let [a, b, c] = sentences(&m);
        assert!(
            a.contains("within 4 ns") && a.contains("wheel, has 1 % of them more than 5000 ns away") && a.contains("pacer's own"),
            "{a}"
        );
        assert!(b.contains("at least 0.90") && b.contains("sleep, 64 KB with 0.10") && b.contains("10 times the even rate"), "{b}");
        assert!(
            c.contains("change little (at most +4 %") && c.contains("the worst, sleep, 64 KB") && c.contains("5.0 times as much queue"),
            "{c}"
        );
        // On another machine other words.
        m.noise_floor_ns = 4_000.0;
        m.pacers[4].cpu_s_per_gbit = Some(0.8);
        m.network[1].rtt_p99_us = 90.0;
        let [a, b, c] = sentences(&m);
        assert!(a.contains("the machine's") && b.contains("save little") && c.contains("cost +80 % of p99 RTT"), "{a} {b} {c}");
    }
}
