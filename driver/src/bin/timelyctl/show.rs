//! Reports as tables for people.
use crate::stdout_columns;
use comfy_table::{Row, Table, presets};
use std::collections::BTreeMap;
use timely_driver::pci::{Bound, Found};
use timely_driver::registers;
use timely_driver::report::{ClockReport, DeviceReport, FlowReport, PortReport, ProfileReport, RegisterReport, Telemetry};
use timely_driver::service::{ListedPair, PairReport, PairsReport, RuleReport, least_printed, micros};
use timely_driver::spec::FlowSpec;
use timely_driver::units::{About, Bytes, Mbps, Micros};
use timely_regs::layout::stacked;

fn table(head: &[&str]) -> Table {
    let mut t = Table::new();
    t.load_preset(presets::NOTHING).set_header(head.to_vec());
    t
}

/// The table, with a line a cell where stdout is a terminal too narrow for it.
fn text(t: &Table) -> String {
    let lines: Vec<String> = t.lines().map(|l| l.trim_end().to_owned()).collect();
    let width = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    if stdout_columns().is_none_or(|columns| width <= columns) {
        return lines.join("\n");
    }
    let cells = |row: &Row| row.cell_iter().map(|c| c.content()).collect::<Vec<_>>();
    stacked(&t.header().map(cells).unwrap_or_default(), &t.row_iter().map(cells).collect::<Vec<_>>())
}

fn pairs<'a>(rows: impl IntoIterator<Item = (&'a str, String)>) -> String {
    rows.into_iter().map(|(name, value)| format!("{name:18} {value}")).collect::<Vec<_>>().join("\n")
}

/// Cards.
pub fn devices(found: &[Found]) -> String {
    if found.is_empty() {
        return "no card of ours is in this machine, and vfio-pci has none; --device sim needs none".into();
    }
    let mut t = table(&["device", "ids", "board", "driver", "IOMMU group", "beside its interface"]);
    for f in found {
        let group = f.group.map_or("none".into(), |g| g.to_string());
        let ids = format!("{:04x}:{:04x}", f.vendor, f.device);
        let board = f.board().map_or("unknown".into(), |b| if b.alone { b.name.into() } else { format!("{}?", b.name) });
        let driver = f.driver.clone().unwrap_or("nobody".into());
        t.add_row([f.address.to_string(), ids, board, driver, group, f.beside().unwrap_or_default()]);
    }
    text(&t)
}

/// Cards of this machine, as JSON.
pub fn devices_json(found: &[Found]) -> String {
    let each = |f: &Found| serde_json::json!({"device": f.address.to_string(), "vendor": f.vendor, "id": f.device, "class": f.class, "board": f.board().map(|b| b.name), "driver": f.driver, "iommu_group": f.group, "character_device": f.node, "beside": f.beside()});
    serde_json::to_string_pretty(&found.iter().map(each).collect::<Vec<_>>()).unwrap_or_default()
}

/// Cards that vfio-pci has now, as JSON.
pub fn bound_json(all: &[Bound]) -> serde_json::Value {
    let each = |b: &Bound| serde_json::json!({"device": b.address.to_string(), "iommu_group": b.group, "before": b.before});
    all.iter().map(each).collect()
}

/// The device.
pub fn info(i: &DeviceReport) -> String {
    let mhz = 1e6 / f64::from(i.clock_ps.max(1));
    let state = match (i.ready, i.stopped, i.heartbeat_lost) {
        (false, ..) => "not ready",
        (_, _, true) => "stopped: the heartbeat was lost",
        (_, true, _) => "stopped",
        _ => "flows may send",
    };
    let unfed = if i.heartbeat_unfed { ", armed, fed by nobody: flows and DMA stop within it" } else { "" };
    let heartbeat = if i.heartbeat_us == 0.0 { "none asked for".into() } else { format!("{}{unfed}", micros(i.heartbeat_us * 1000.0)) };
    let mut out = pairs([
        ("device", format!("{} over {}", i.device, i.transport)),
        ("board", format!("{}, {:#x} bytes of registers at BAR {} + {:#x}", i.board, i.register_bytes, i.bar, i.offset)),
        ("core", format!("{}, {} bits at {mhz:.1} MHz", i.core_version, i.bus_bits)),
        ("flows", format!("{} of {} in use, the last {} segments remembered", i.flows_in_use, i.flows, i.segments)),
        ("state", state.into()),
        ("port", format!("{}, {}, {}, UDP port {}", i.mac, i.ipv4, i.ipv6, i.udp_port)),
        ("heartbeat", heartbeat),
        ("DMA", if i.dma_running { "running" } else { "stopped" }.into()),
        ("events", format!("{} records, {} lost, {} broken", i.recorded.records, i.recorded.lost, i.recorded.broken)),
        ("time", micros(i.time_ns as f64).to_string()),
    ]);
    if i.unsaved {
        out += &format!("\n{:18} changes are not saved, and timelyd's log says why; its end would lose them", "file");
    }
    let counted: Vec<_> = i.counters.iter().filter(|c| *c.1 != 0).map(|(name, n)| format!("{name} {n}")).collect();
    out += &format!("\n{:18} {}", "counters", if counted.is_empty() { "all 0".into() } else { counted.join(", ") });
    out
}

/// The port.
pub fn port(p: &PortReport) -> String {
    let Some(s) = &p.spec else { return "nobody set it here; `timelyctl info` shows its registers".into() };
    let none = || "none".to_owned();
    let mut out = pairs([
        ("mac", s.mac.clone()),
        ("ipv4", s.ipv4.map_or_else(none, |a| a.to_string())),
        ("ipv6", s.ipv6.map_or_else(none, |a| a.to_string())),
        ("udp port", s.udp_port.to_string()),
        ("line", s.line.clone()),
        (
            "answers",
            if s.answer {
                format!("{}; VLAN {}, {} % of the line at most", s.allow.join(", "), s.vlan, s.ack_share)
            } else {
                "nobody".into()
            },
        ),
        ("pause frames", if s.pause { format!("obeyed; ACKs have priority {}", s.ack_priority) } else { "ignored".into() }),
        ("full store", if s.store_waits { "the host waits" } else { "packets are dropped" }.into()),
    ]);
    if let Some(a) = &p.ahead {
        let us = |ns: u32| micros(ns.into());
        let (line, cap, table) = (&s.line, a.line_cap_bytes, Mbps(a.table_mbps));
        out += &format!("\n{:18} {}; LEAD is {}", "DMA's reads", us(a.dma_ns), us(a.lead_ns));
        out += &format!("\n{:18} at {line} {cap} bytes, which profiles' caps cover unless they say another", "charged ahead");
        out += &format!("\n{:18} {table} of 1,514-byte packets, with Corundum's 32", "requests carry");
    }
    out
}

/// State of the table of queue pairs.
pub fn queue_pairs(p: &PairsReport) -> String {
    if !p.present {
        return "this NIC has no table of queue pairs".into();
    }
    let unknown = |zero: bool, text: String, otherwise: &str| if zero { otherwise.to_owned() } else { text };
    pairs([
        ("queue pairs", if p.in_use { "in use" } else { "not in use: every packet goes past unpaced" }.into()),
        ("learned with", format!("profile {}", p.profile)),
        ("priority", format!("{}, by which pause frames stop them", p.priority)),
        (
            "rules",
            if p.rules.is_empty() {
                "none: all pairs are learned with these two".into()
            } else {
                format!("{} go before this profile and priority: `pairs rules`", p.rules.len())
            },
        ),
        (
            "host's time-out",
            unknown(
                p.host_timeout_us == 0,
                format!("{}, for which profiles need least={}", Micros(p.host_timeout_us.into()), least_printed(p.least_mbps)),
                "unknown: a slow profile may make the host send again",
            ),
        ),
        ("path MTU", unknown(p.mtu == 0, format!("{} B at least", p.mtu), "unknown")),
        ("forgotten after", unknown(p.age_s == 0.0, format!("{:.1} s", p.age_s), "never")),
        ("store bound", format!("{} cells of a pair", p.store_bound)),
        ("pairs", format!("{} learned, {} set, {} removed, {} forgotten", p.learned, p.set, p.removed, p.aged)),
        ("refused", format!("{} without a place, {} without a flow", p.crowded, p.full)),
        ("answers", format!("{} of pairs that are not joined, {} congestion notifications", p.answers_unknown, p.congestion_notified)),
        (
            "ACKs",
            match p.ask_every {
                0 => "asked for by the host alone".into(),
                n => format!("asked for by the NIC too, {n} packets of data behind one that asks"),
            },
        ),
        (
            "CNPs",
            if p.notify {
                format!(
                    "sent for the host, at most one per pair in {} us, DSCP {}: {} sent, {} marks not answered, {} postponed",
                    p.notify_interval_us, p.notify_dscp, p.notifications_sent, p.marks_unknown, p.marks_postponed
                )
            } else {
                "off: the host's RDMA NIC answers marks".into()
            },
        ),
    ])
}

/// Rules of pairs that are learned.
pub fn rules(all: &[RuleReport]) -> String {
    if all.is_empty() {
        return "there are no rules: pairs are learned with the profile and priority of `pairs show`".into();
    }
    let mut t = table(&["rule", "peer", "DSCP", "profile", "priority"]);
    for (i, r) in all.iter().enumerate() {
        let any = || "any".to_owned();
        let dscp = r.dscp.map_or_else(any, |d| d.to_string());
        t.add_row([i.to_string(), r.to.clone().unwrap_or_else(any), dscp, r.profile.to_string(), r.priority.to_string()]);
    }
    text(&t) + "\nthe first that is for a pair decides"
}

/// Pairs that the table knows.
pub fn listed_pairs(all: &[ListedPair]) -> String {
    if all.is_empty() {
        return "the table knows no pair".into();
    }
    let mut t = table(&["flow", "peer", "its pair", "local pair", "set by"]);
    for p in all {
        let local = p.local.map_or("not joined".into(), |l| l.to_string());
        t.add_row([
            p.flow.to_string(),
            p.address.to_string(),
            p.remote.to_string(),
            local,
            if p.set { "a command" } else { "its packets" }.into(),
        ]);
    }
    t.to_string()
}

/// A pair that was joined.
pub fn queue_pair(p: &PairReport) -> String {
    let joined = p.local.map_or("not joined: its answers are unknown".into(), |l| format!("joined with {l}"));
    format!("{} at {} is flow {}, {joined}", p.remote, p.address, p.flow)
}

/// Profiles.
pub fn profiles(all: &[ProfileReport]) -> String {
    let mut t = table(&["profile", "law", "like", "initial", "greatest", "least"]);
    for p in all.iter().filter(|p| p.law != "unset") {
        let rate = |name: &str| p.fields.get(name).map_or(String::new(), |r| Mbps::from_register(*r).to_string());
        let like = p.spec.as_ref().map_or("?".into(), |s| s.like.clone());
        t.add_row([p.profile.to_string(), p.law.clone(), like, rate("initial_rate"), rate("greatest_rate"), rate("least_rate")]);
    }
    text(&t) + &format!("\n{} of {} are unset", all.iter().filter(|p| p.law == "unset").count(), all.len())
}

/// A profile.
pub fn profile(p: &ProfileReport) -> String {
    let mut out = pairs([("profile", p.profile.to_string()), ("law", p.law.clone())]);
    if p.settings.is_empty() {
        let words: BTreeMap<_, _> = p.fields.iter().filter(|f| *f.1 != 0).collect();
        out += &words.iter().map(|(n, v)| format!("\n{n:18} {v}")).collect::<String>();
    } else {
        out += &p.settings.iter().map(|(n, v)| format!("\n{n:20} {v}")).collect::<String>();
    }
    out
}

/// Flows.
pub fn flows(all: &[FlowReport]) -> String {
    if all.is_empty() {
        return "no flow is in use; `timelyctl flow add` makes one".into();
    }
    let mut t = table(&["flow", "to", "mac", "profile", "packet", "segment", "packets"]);
    for f in all {
        let cell = |get: &dyn Fn(&FlowSpec) -> String| f.spec.as_ref().map_or("?".into(), get);
        t.add_row([
            f.flow.to_string(),
            cell(&|s| s.to.to_string()),
            cell(&|s| s.mac.clone()),
            cell(&|s| s.profile.to_string()),
            cell(&|s| format!("{}B", s.packet_bytes)),
            cell(&|s| s.segment_packets.to_string()),
            cell(&|s| if s.endless { "endless" } else { "posted" }.into()),
        ]);
    }
    text(&t)
}

/// Telemetry; with an earlier one what was sent between the two.
pub fn telemetry(t: &Telemetry, before: Option<&Telemetry>) -> String {
    let mut out = table(&[
        "flow",
        "rate",
        "sent",
        "RTT min",
        "last",
        "smoothed",
        "packets",
        "bytes",
        "ACKs",
        "lost",
        "time-outs",
        "updates",
        "branch",
    ]);
    let time = |ns: Option<f64>| ns.map_or("-".into(), |ns| micros(ns).to_string());
    for f in &t.flows {
        let earlier = before.and_then(|b| Some((b.flows.iter().find(|o| o.flow == f.flow)?, t.time_ns.checked_sub(b.time_ns)?)));
        let sent = earlier.filter(|(_, ns)| *ns > 0).map_or("-".into(), |(o, ns)| {
            let bytes = f.wire_bytes.wrapping_sub(o.wire_bytes) & ((1 << 48) - 1);
            Mbps(bytes as f64 * 8000.0 / ns as f64).to_string()
        });
        out.add_row([
            f.flow.to_string(),
            Mbps(f.rate_mbps).to_string(),
            sent,
            time(f.rtt_min_ns.map(f64::from)),
            time(f.rtt_last_ns.map(f64::from)),
            time(f.rtt_smoothed_ns),
            f.packets.to_string(),
            Bytes(f.wire_bytes).to_string(),
            f.acks.to_string(),
            f.segments_lost.to_string(),
            f.timeouts.to_string(),
            f.updates.to_string(),
            f.last_branch.clone(),
        ]);
    }
    let mut out = text(&out);
    for p in t.profiles.iter().filter(|p| p.samples > 0) {
        let about = |ns: Option<f64>| ns.map_or("-".into(), |ns| About(ns / 1000.0).to_string());
        let at = |ns: Option<u32>| about(ns.map(f64::from));
        out += &format!(
            "\nprofile {}: {} round trips, mean {}, p50 {}, p90 {}, p99 {}, p99.9 {}",
            p.profile,
            p.samples,
            about(p.mean_ns),
            at(p.p50_ns),
            at(p.p90_ns),
            at(p.p99_ns),
            at(p.p999_ns)
        );
    }
    out
}

/// Registers that were read.
pub fn register(all: &[RegisterReport]) -> String {
    let each = |r: &RegisterReport| {
        let fields: Vec<_> = r.fields.iter().map(|(n, v)| format!("{n}={v}")).collect();
        format!("{:#08x} {:28} {:#010x}  {}", r.offset, r.register, r.value.unwrap_or(0), fields.join(" "))
    };
    all.iter().map(each).collect::<Vec<_>>().join("\n")
}

/// All registers, for programs.
pub fn registers_json() -> String {
    let each = |r: &timely_regs::map::Register| {
        let name = format!("{}.{}", r.block.block().name, r.name);
        serde_json::json!({"register": name, "offset": r.address(), "count": r.count, "access": r.access.name(), "meaning": r.meaning})
    };
    serde_json::to_string_pretty(&registers::all().map(each).collect::<Vec<_>>()).unwrap_or_default()
}

/// A self-test, for programs.
pub fn selftest_json(report: &timely_driver::selftest::Report) -> String {
    let steps: Vec<_> = report.steps.iter().map(|(step, found)| serde_json::json!({"step": step, "found": found})).collect();
    let all = serde_json::json!({"device": report.device, "transport": report.transport, "steps": steps});
    serde_json::to_string_pretty(&all).unwrap_or_default()
}

/// Names of all registers.
pub fn registers() -> String {
    let each = |r: &timely_regs::map::Register| {
        let count = if r.count == 1 { String::new() } else { format!("[{}]", r.count) };
        let name = format!("{}.{}{count}", r.block.block().name, r.name);
        format!("{:#08x} {name:28} {:3}  {}", r.address(), r.access.name(), r.meaning)
    };
    registers::all().map(each).collect::<Vec<_>>().join("\n")
}

/// Clocks.
pub fn clock(c: &ClockReport) -> String {
    let Some(f) = &c.fit else {
        return "too few pairs since the last step, or the host's clock stands; give more --pairs".into();
    };
    let ns = |ns: f64| micros(ns).to_string();
    let mut out = pairs([
        ("NIC's time", micros(c.time_ns as f64).to_string()),
        ("drift", format!("{:+.3} ppm against the host's clock", f.drift_ppm)),
        (
            "residuals",
            format!("{} rms, {} at most, of {} pairs; {} outliers", ns(f.residual_rms_ns), ns(f.residual_most_ns), f.fitted, f.outliers),
        ),
        ("half a read", ns(f.half_read_ns)),
    ]);
    for s in &f.steps {
        out += &format!("\n{:18} {} ns after pair {}", "step", s.by_ns.round(), s.after);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_that_were_bound_are_json() {
        let card = Bound { address: "0000:03:00.0".parse().expect("an address"), before: Some("mqnic".into()), group: 7 };
        let json = serde_json::json!([{"device": "0000:03:00.0", "iommu_group": 7, "before": "mqnic"}]);
        assert_eq!(bound_json(&[card]), json);
    }
}
