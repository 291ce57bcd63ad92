//! `timelyctl send` and `timelyctl recv`: segments of ours from and to an ordinary host.
use crate::backend::CliError;
use crate::signals::Signals;
use crate::times::{duration, interval};
use crate::{fit, write_out};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::time::Duration;
use timely_driver::host::parse_host;
use timely_driver::say::note;
use timely_driver::service::micros;
use timely_driver::traffic::{Percentiles, Receiver, RecvOptions, RecvReport, SendOptions, SendReport, TrafficError, send};
use timely_driver::units::{Bytes, Mbps, parse_bytes_within, parse_mbps, parse_whole, parse_whole_within};
use timely_regs::wire::DEFAULT_PORT;

const AFTER_SEND: &str = "\
EXAMPLES
  timelyctl recv --answer                                 on the other host, if its NIC does not answer by itself
  timelyctl send 10.0.0.2                                 100 Mb/s of 2 KB segments for 10 s
  timelyctl send 10.0.0.2 --rate 5Gbps --packet-bytes 8900 --segment-packets 7 --for 60s
  timelyctl send 10.0.0.2 --count 10000 --json

It needs no card. Over one whose queues our hardware paces, give a --rate above what the flow is to have: the queue fills, and the hardware sets
the pace. The RTT here has this host's software in it, on both ways; the card's own is in `timelyctl telemetry`. Where a card takes the ACKs
for itself none come here, and RTT and loss are the card's to tell.";

const AFTER_RECV: &str = "\
EXAMPLES
  timelyctl recv                                          counts what `timelyctl send` or a card sends to UDP port 21609
  timelyctl recv --answer                                 and answers each segment, for a host whose NIC does not
  timelyctl recv --bind :: --for 60s --json                IPv6 too

It ends when nothing came for --idle, with what it counted; on Ctrl-C too.";

/// Options of `send`.
#[derive(clap::Args)]
#[command(after_help = AFTER_SEND)]
pub struct SendArguments {
    /// Where to: an address, or a name that this system resolves.
    #[arg(value_parser = parse_host)]
    to: IpAddr,
    /// UDP port there.
    #[arg(long, default_value_t = DEFAULT_PORT, value_parser = parse_whole::<u16>)]
    port: u16,
    /// UDP port here; any that is free otherwise.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u16>)]
    source_port: u16,
    /// Flow that the header names.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u32>)]
    flow: u32,
    /// Rate on the wire, headers, preamble and gap included: 1Kbps to 1Tbps.
    #[arg(long, default_value = "100Mbps", value_parser = rate, allow_hyphen_values = true)]
    rate: f64,
    /// Payload bytes of a packet, behind our header.
    #[arg(long, default_value_t = 1024, value_parser = |s: &str| parse_bytes_within::<u16>(s, 0..=16_383))]
    packet_bytes: u16,
    /// Packets of a segment, whose last one is answered.
    #[arg(long, default_value_t = 2, value_parser = |s: &str| parse_whole_within::<u8>(s, 1..=255))]
    segment_packets: u8,
    /// Ends after so many segments; without --count and --for, after 10 s.
    #[arg(long, value_name = "SEGMENTS", value_parser = |s: &str| parse_whole_within::<u64>(s, 1..=u64::MAX))]
    count: Option<u64>,
    /// Ends after so long.
    #[arg(long = "for", value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// A segment whose ACK takes longer is lost; so long is waited at the end.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration, allow_hyphen_values = true)]
    patience: Duration,
    /// TTL or hop limit.
    #[arg(long, default_value_t = 64, value_parser = |s: &str| parse_whole_within::<u8>(s, 1..=255))]
    ttl: u8,
    /// TOS or traffic class: DSCP, and ECN in its lowest two bits.
    #[arg(long, default_value_t = 0, value_parser = parse_whole::<u8>)]
    tos: u8,
    /// How often it says how far it is.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true)]
    interval: Duration,
}

/// Options of `recv`.
#[derive(clap::Args)]
#[command(after_help = AFTER_RECV)]
pub struct RecvArguments {
    /// Address here.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED), value_parser = parse_host)]
    bind: IpAddr,
    /// UDP port here; 0 is any that is free.
    #[arg(long, default_value_t = DEFAULT_PORT, value_parser = parse_whole::<u16>)]
    port: u16,
    /// Answers segments, as the hardware does: for a host whose NIC does not.
    #[arg(long)]
    answer: bool,
    /// Ends after so many whole segments.
    #[arg(long, value_name = "SEGMENTS", value_parser = |s: &str| parse_whole_within::<u64>(s, 1..=u64::MAX))]
    count: Option<u64>,
    /// Ends after so long.
    #[arg(long = "for", value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Ends when nothing came for so long, once something did.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = interval, allow_hyphen_values = true)]
    idle: Duration,
    /// Ends, with exit code 1, when nothing comes at all for so long.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, allow_hyphen_values = true)]
    patience: Duration,
    /// How often it says how far it is.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval, allow_hyphen_values = true)]
    interval: Duration,
}

fn rate(text: &str) -> Result<f64, String> {
    let mbps = parse_mbps(text).map_err(|e| e.to_string())?;
    if (1e-3..=1e6).contains(&mbps) { Ok(mbps) } else { Err(format!("{text} is not within 1Kbps to 1Tbps")) }
}

impl From<TrafficError> for CliError {
    fn from(e: TrafficError) -> Self {
        CliError::Failed(e.to_string())
    }
}

fn time(ns: f64) -> String {
    micros(ns).to_string()
}

fn spread(name: &str, p: &Percentiles) -> String {
    let [least, p50, p90, p99, p999, most] = [p.least, p.p50, p.p90, p.p99, p.p999, p.most].map(|ns| time(ns as f64));
    format!("{name:10} least {least}, mean {}, p50 {p50}, p90 {p90}, p99 {p99}, p99.9 {p999}, most {most}", time(p.mean))
}

fn progress(seconds: f64, wire_mbps: f64, packets: u64, rest: &str) {
    note(format_args!("{seconds:7.1} s  {:>10} on the wire, {packets} packets, {rest}", Mbps(wire_mbps).to_string()));
}

fn json<T: serde::Serialize>(report: &T) -> String {
    serde_json::to_string_pretty(report).unwrap_or_default()
}

/// Sends.
pub fn run_send(a: &SendArguments, as_json: bool) -> Result<(), CliError> {
    let usual = if a.count.is_none() { Some(Duration::from_secs(10)) } else { None };
    let options = SendOptions {
        to: SocketAddr::new(a.to, a.port),
        source_port: a.source_port,
        flow: a.flow,
        rate_mbps: a.rate,
        packet_bytes: a.packet_bytes,
        segment_packets: a.segment_packets,
        segments: a.count,
        time: a.time.or(usual),
        patience: a.patience,
        ttl: a.ttl,
        tos: a.tos,
        interval: a.interval,
    };
    let signals = Signals::new()?;
    let r = send(&options, signals.as_fd(), &mut |r: &SendReport| {
        let rtt = r
            .rtt_ns
            .map_or("no ACK yet".into(), |p| format!("RTT p50 {}, p99 {}, {} lost", time(p.p50 as f64), time(p.p99 as f64), r.lost));
        progress(r.seconds, r.wire_mbps, r.packets, &rtt);
    })?;
    if as_json {
        return write_out(&json(&r));
    }
    let mut out = format!(
        "sent       {} packets, {} segments, {} of payload to {} in {:.3} s: {} on the wire, {} of payload\n",
        r.packets,
        r.segments,
        Bytes(r.payload_bytes),
        r.to,
        r.seconds,
        Mbps(r.wire_mbps),
        Mbps(r.payload_mbps)
    );
    out +=
        &format!("ACKs       {} of {} segments, {} lost ({:.3} %), {} undecided", r.acked, r.segments, r.lost, 100.0 * r.loss, r.waiting);
    for (count, what) in
        [(r.stale, "stale"), (r.repeated, "repeated"), (r.forged, "forged"), (r.malformed, "malformed"), (r.marked, "of marked packets")]
    {
        if count > 0 {
            out += &format!(", {count} {what}");
        }
    }
    match (&r.rtt_ns, &r.responder_ns) {
        (Some(rtt), Some(responder)) => {
            out += &format!("\n{}\n{}", spread("RTT", rtt), spread("responder", responder));
            out += &format!("\n{:10} {} at most", "hops", r.hops.unwrap_or(0));
        }
        _ => {
            out += "\nno ACK came: is `timelyctl recv --answer` running there, or does the card take them? `timelyctl telemetry` shows its RTTs"
        }
    }
    write_out(&fit(&out))
}

/// Receives.
pub fn run_recv(a: &RecvArguments, as_json: bool) -> Result<(), CliError> {
    let options = RecvOptions {
        at: SocketAddr::new(a.bind, a.port),
        answer: a.answer,
        segments: a.count,
        time: a.time,
        idle: a.idle,
        patience: a.patience,
        interval: a.interval,
    };
    let signals = Signals::new()?;
    let receiver = Receiver::new(options)?;
    note(format_args!("receiving at {}{}", receiver.address(), if a.answer { ", answering" } else { "" }));
    let r = receiver.run(signals.as_fd(), &mut |r: &RecvReport| {
        progress(r.seconds, r.wire_mbps, r.packets, &format!("{} segments, {} lost", r.segments, r.broken + r.missing));
    })?;
    if as_json {
        return write_out(&json(&r));
    }
    let mut out = format!(
        "received   {} packets of {} flows, {} of payload in {:.3} s: {} on the wire, {} of payload\n",
        r.packets,
        r.flows,
        Bytes(r.payload_bytes),
        r.seconds,
        Mbps(r.wire_mbps),
        Mbps(r.payload_mbps)
    );
    out += &format!("segments   {} whole, {} broken, {} missing: {:.3} % lost", r.segments, r.broken, r.missing, 100.0 * r.loss);
    out += &format!("\nanswered   {}", r.acks_sent);
    for (count, what) in [
        (r.acks_refused, "ACKs that the kernel did not take"),
        (r.unanswered, "segments not answered"),
        (r.acks_received, "ACKs came here"),
        (r.late, "packets late or again"),
        (r.malformed, "datagrams malformed"),
        (r.unfollowed, "packets of flows beyond those followed"),
        (r.marked, "packets marked by ECN"),
    ] {
        if count > 0 {
            out += &format!("\n           {count} {what}");
        }
    }
    write_out(&fit(&out))
}
