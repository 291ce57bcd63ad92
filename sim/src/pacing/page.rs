//! The report: one page with the table, distributions, cost over flows, what it does to a network,
//! and what to conclude.
use super::conclude::{COSTLY, PUNCTUAL};
use super::load::{BURSTS, Load};
use super::pacer::Pacer;
use super::row::{Place, Row};
use super::table::{HEADS, bytes, cells, time};
use super::{Measured, hybrid};
use crate::report::curves::{Named, curves, figure};
use crate::report::page::{document, escape};
use crate::report::plot::Axis;
use std::fmt::Write;

const STYLE: &str = "main{max-width:1240px}details{margin:8px 0}summary{cursor:pointer;font-weight:600;font-size:15px}figure{max-width:860px}\
ol.say{padding-left:20px;margin:6px 0 0;font-size:17px}ol.say li{margin:8px 0;max-width:82ch}.grid figure{max-width:none}";

fn cdf(rows: &[&Row]) -> String {
    let points = |r: &Row| r.cdf.iter().map(|(ns, share)| (ns / 1e3, *share)).collect::<Vec<_>>();
    let titles: Vec<String> = rows.iter().map(|r| r.title()).collect();
    let named: Vec<Named> = titles.iter().zip(rows).map(|(t, r)| (t.as_str(), points(r))).collect();
    let Some(load) = rows.first().map(|r| r.load) else { return String::new() };
    let (legend, mut plot) = curves("distance from the ideal departure, us (0 at the left edge)", "share of packets", &named);
    let high = named.iter().flat_map(|n| &n.1).map(|p| p.0).fold(1.0, f64::max);
    (plot.x, plot.y) = (Axis::Log(0.001, 10f64.powf(high.log10().ceil())), Axis::Linear(0.0, 1.0));
    figure(&load.to_string(), &legend, &plot)
}

fn ran(m: &Measured, load: (u32, f64)) -> impl Iterator<Item = &Row> {
    m.pacers.iter().filter(move |r| (r.load.flows, r.load.mbps) == load && r.refused.is_none() && !r.cdf.is_empty() && !r.busy)
}

fn distributions(m: &Measured) -> String {
    // As many as there are colours.
    let shown = ["rtl", "sleep", "wheel-0.5us", "fq-frame", "etf-20us", "tcp"];
    let single = |load| ran(m, load).filter(|r| r.load.burst == 1 && shown.contains(&r.name.as_str())).collect::<Vec<_>>();
    let burst = |load| {
        let chosen = |r: &&Row| r.load.burst == BURSTS[1] || r.load.burst == BURSTS[2];
        let hardware = ran(m, load).filter(|r| r.name == "rtl");
        let of = |name: &'static str| ran(m, load).filter(move |r| r.name == name).filter(chosen).last();
        hardware.chain(["sleep", "wheel-0.5us", "fq", "tcp", "hybrid"].into_iter().filter_map(of)).collect::<Vec<_>>()
    };
    let plots = [single(PUNCTUAL), single(COSTLY), burst(PUNCTUAL), burst(COSTLY)];
    plots.iter().filter(|p| !p.is_empty()).map(|p| cdf(p)).collect()
}

fn cost(m: &Measured) -> String {
    let of = |name: &str, burst: u32| {
        let rows = m.pacers.iter().filter(|r| r.name == name && r.load.burst == burst && r.load.mbps == COSTLY.1 && !r.busy);
        let mut points: Vec<_> = rows.filter_map(|r| Some((f64::from(r.load.flows), r.cpu_s_per_gbit?.max(1e-3)))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let names = ["sleep", "wheel-0.5us", "tcp"];
    let title = |name: &str, burst: u32| if burst == 1 { name.to_owned() } else { format!("{name}, 64 KB") };
    let lines: Vec<_> = [BURSTS[0], BURSTS[2]].into_iter().flat_map(|b| names.map(|n| (title(n, b), of(n, b)))).collect();
    let named: Vec<Named> = lines.iter().filter(|l| l.1.len() > 1).map(|(t, p)| (t.as_str(), p.clone())).collect();
    if named.is_empty() {
        return "<p>Not measured in this run.</p>".into();
    }
    let (legend, mut plot) = curves("flows", "CPU seconds a Gbit", &named);
    let all = || named.iter().flat_map(|n| &n.1).map(|p| p.1);
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    (plot.x, plot.y) = (Axis::Log(1.0, 10_000.0), Axis::Log(10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil())));
    figure("1 Gb/s in all", &legend, &plot)
}

fn table(rows: &[&Row]) -> String {
    let mut t = String::from("<div class=scroll><table><thead><tr><th class=text>pacer</th><th class=text>where</th>");
    HEADS.iter().for_each(|h| write!(t, "<th>{h}</th>").expect("writing to a string"));
    t.push_str("<th>CPU s/M packets</th></tr></thead><tbody>");
    for r in rows {
        let place = match r.place {
            Place::Rtl => "rtl",
            Place::Kernel => "kernel",
            Place::User => "user",
        };
        write!(t, "<tr><td class=text>{}</td><td class=text>{place}</td>", escape(&r.title())).expect("writing to a string");
        match &r.refused {
            Some(why) => write!(t, "<td class=text colspan=11>refused: {}</td></tr>", escape(why)),
            None => {
                cells(r).iter().for_each(|c| write!(t, "<td>{c}</td>").expect("writing to a string"));
                write!(t, "<td>{}</td></tr>", r.cpu_s_per_mpacket.map_or("-".into(), |c| format!("{c:.2}")))
            }
        }
        .expect("writing to a string");
    }
    t + "</tbody></table></div>"
}

fn tables(m: &Measured) -> String {
    let mut loads: Vec<Load> = m.pacers.iter().map(|r| Load { burst: 1, seconds: 0.0, ..r.load }).collect();
    loads.dedup_by(|a, b| a == b);
    let mut seen: Vec<Load> = Vec::new();
    loads.retain(|l| {
        !seen.contains(l) && {
            seen.push(*l);
            true
        }
    });
    let mut out = String::new();
    for load in loads {
        let rows: Vec<&Row> =
            m.pacers.iter().filter(|r| r.refused.is_none() && (r.load.flows, r.load.mbps) == (load.flows, load.mbps)).collect();
        let open = if [PUNCTUAL, COSTLY].contains(&(load.flows, load.mbps)) { " open" } else { "" };
        write!(
            out,
            "<details{open}><summary>{load}: {} in 100 us if it were even</summary>{}</details>",
            bytes(load.ideal_bytes(100_000.0)),
            table(&rows)
        )
        .expect("writing to a string");
    }
    let refused: Vec<&Row> = m.pacers.iter().filter(|r| r.refused.is_some()).collect();
    if !refused.is_empty() {
        write!(out, "<p>What the kernel refused, with its reason:</p>{}", table(&refused)).expect("writing to a string");
    }
    out
}

// A figure of a run.
type Pick = fn(&super::network::Run) -> f64;

fn network(m: &Measured) -> String {
    let mut t = String::from(
        "<div class=scroll><table><thead><tr><th class=text>pacer</th><th>utilization</th><th>RTT p50 us</th><th>p99</th><th>Jain</th><th>queue mean KB</th>\
         <th>p99</th><th>pauses</th></tr></thead><tbody>",
    );
    for r in m.network.iter().filter(|r| r.experiment == "incast") {
        write!(
            t,
            "<tr><td class=text>{}</td><td>{:.3}</td><td>{:.1}</td><td>{:.1}</td><td>{:.4}</td><td>{:.1}</td><td>{:.1}</td><td>{}</td></tr>",
            escape(&r.pacer),
            r.utilization,
            r.rtt_p50_us,
            r.rtt_p99_us,
            r.jain,
            r.queue_mean_kb,
            r.queue_p99_kb,
            r.pauses
        )
        .expect("writing to a string");
    }
    t += "</tbody></table></div>";
    let mut names: Vec<&str> = Vec::new();
    for r in &m.network {
        if !names.contains(&r.pacer.as_str()) {
            names.push(&r.pacer);
        }
    }
    let shown = |n: &&&str| ["hardware", "sleep", "fq-frame", "sleep, busy core", "fq-frame, busy core", "sleep, 64 KB"].contains(*n);
    let of = |name: &str, pick: Pick| {
        m.network.iter().filter(|r| r.experiment == "fig12" && r.pacer == name).map(|r| (r.rtt_noise_us, pick(r))).collect::<Vec<_>>()
    };
    let plots: [(&str, &str, Pick); 2] =
        [("Use of the links", "utilization", |r| r.utilization), ("99th percentile of the RTT", "us", |r| r.rtt_p99_us)];
    for (caption, label, pick) in plots {
        let named: Vec<Named> = names.iter().filter(shown).take(6).map(|n| (*n, of(n, pick))).collect();
        if named.iter().any(|n| n.1.len() > 1) {
            let (legend, plot) = curves("noise of RTTs, uniform up to, us", label, &named);
            t += &figure(caption, &legend, &plot);
        }
    }
    t
}

fn notes(m: &Measured) -> Vec<String> {
    let (n, s) = (m.noise_ns, m.stamping);
    let mut notes = vec![
        format!(
            "Measured over {}. This machine's noise floor, in the same run: a thread that does nothing but poll is p50 {}, p99 {}, p99.9 {}, at most {} late for an \
             event at a random time, and has {:.0} gaps above 10 us a second.",
            escape(&m.site),
            time(n.p50),
            time(n.p99),
            time(n.p999),
            time(n.max),
            m.long_gaps_per_second
        ),
        format!(
            "Stamps are the kernel's, at the receiving end: p50 {}, p99 {}, at most {} after the call that sends a packet. That is in every figure of software.",
            time(s.delay_ns.p50),
            time(s.delay_ns.p99),
            time(s.delay_ns.max)
        ),
        "An error is the distance of a packet from its own ideal departure, at an even rate from the start of its flow; packets of a burst leave early. A \
         thread's schedule is known; where the kernel paces, a flow's first packet starts it, and a rate that is off becomes an error that grows."
            .into(),
        "A burst crosses a veth pair as one buffer, so its packets have one stamp. Behind a real NIC they would leave at the line's rate.".into(),
        "CPU seconds are those of the sending thread, receiving half of the veth pair included, which the kernel does on the sender's thread; for pacers in \
         the kernel those of all interrupts of the machine are added. Software that cannot keep up sends less: compare the rate error."
            .into(),
        format!(
            "The hardware is the pacer's Verilog in Verilator, at its gate, clocks of 4 ns; the hybrid is modelled on the releases of the sleeping thread, with \
             packets at {} Mb/s.",
            hybrid::NIC_MBPS
        ),
        "In the network each sender's releases are late by the trace of its pacer, from a random place in it; that several flows of a host are late together is \
         not modelled."
            .into(),
    ];
    for c in &m.conditions {
        let core = if c.busy { "beside a second task on the core" } else { "on a quiet core" };
        let scale = if c.scale == 1.0 {
            String::new()
        } else {
            format!("; times are those of a machine {} times as fast as the one it ran on", c.scale)
        };
        notes.push(format!(
            "Software was measured {core}: {} arrivals, whose stamps have the hash <code>{}</code>{scale}.",
            c.arrivals, c.hash
        ));
    }
    notes.extend(m.left_out.as_ref().map(|why| format!("Left out: {}.", escape(why))));
    notes.extend(Pacer::ALL.iter().map(|p| format!("<code>{}</code>: {}.", p.name(), p.what())));
    notes
}

/// The page.
pub fn page(m: &Measured, quick: bool) -> String {
    let sentences: String = m.conclusions.iter().map(|s| format!("<li>{}</li>", escape(s))).collect();
    let warning = if quick { "<p><strong>A quick run:</strong> its figures are no results.</p>" } else { "" };
    let notes: String = notes(m).iter().map(|n| format!("<li>{n}</li>")).collect();
    let body = format!(
        "<header><h1>Pacing in hardware and in software</h1>{warning}<ol class=say>{sentences}</ol></header>\
         <section><h2>How far packets are from their schedule</h2><p>Distributions over all packets of a run; further left is better.</p><div class=grid>{}</div></section>\
         <section><h2>What it costs</h2><p>The hardware's line would be at 0.</p>{}</section>\
         <section><h2>Figures</h2>{}</section>\
         <section><h2>What it does to a network</h2><p>Ten hosts send to one at 10 Gb/s under TIMELY, its parameters the same for all; below, the experiment of \
         the paper's figure 12, where RTTs are measured with noise.</p>{}</section>\
         <section><h2>Notes</h2><ul class=notes>{notes}</ul></section>",
        distributions(m),
        cost(m),
        tables(m),
        network(m)
    );
    document("Pacing in hardware and in software", STYLE, &body)
}
