//! Metrics for Prometheus, in its text format or OpenMetrics, as the scraper prefers.
use super::gauges;
use super::http::{self, Asked, Format, Head};
use super::totals::Totals;
use crate::report::{DeviceReport, Telemetry};
use crate::service::{Service, ServiceError};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rustix::event::PollFlags;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// How long a scraper may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it may take for its request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(1);

/// Counter of the NIC's that is a time and no event.
const PAUSED: &str = "paused_time";

type Labels = Vec<(String, String)>;
type Rates = Family<Labels, Gauge<f64, AtomicU64>>;

/// All metrics of a NIC. The text of 65,536 flows takes a while, in which the heartbeat is kicked.
pub fn text(service: &mut Service, totals: &mut Totals, format: Format) -> Result<String, ServiceError> {
    let (device, telemetry) = (service.device()?, service.telemetry(None)?);
    totals.take_counters(device.counters.clone());
    totals.take_flows(&telemetry.flows);
    let totals = &*totals;
    Ok(service.nic.kick_while(|| write(device, telemetry, totals, format)))
}

fn write(device: DeviceReport, telemetry: Telemetry, totals: &Totals, format: Format) -> String {
    let mut registry = Registry::with_prefix("timely");
    gauges::register(&mut registry, &device);
    let (events, rates) = (Family::<Labels, Counter>::default(), Rates::default());
    let (rtts, ages) = (Rates::default(), Rates::default());
    let (packets, bytes, updates) =
        (Family::<Labels, Counter>::default(), Family::<Labels, Counter>::default(), Family::<Labels, Counter>::default());
    registry.register("events", "Event counters of the NIC, by name, as docs/registers.md lists them", events.clone());
    registry.register("flow_rate_bits_per_second", "Rate of a flow, with headers, preamble and gap", rates.clone());
    registry.register("flow_rtt_smoothed_seconds", "Smoothed round-trip time of a flow", rtts.clone());
    registry.register("flow_sample_age_seconds", "Time since the last round trip of a flow was measured; modulo 73 minutes", ages.clone());
    registry.register("flow_packets", "Data packets of a flow", packets.clone());
    registry.register("flow_wire_bytes", "Wire bytes of a flow", bytes.clone());
    registry.register("flow_updates", "Rate updates of a flow, by branch", updates.clone());
    let lost = Family::<Labels, Counter>::default();
    registry.register("flow_segments_lost", "Segments of a flow that lost packets, as ACKs told; NAKs of a queue pair", lost.clone());
    let paused = Counter::<f64, AtomicU64>::default();
    registry.register(
        "paused_seconds",
        "Time for which pause frames had stopped a priority or more, in steps of 256 clocks",
        paused.clone(),
    );
    let unsaved = Gauge::<i64>::default();
    registry.register("config_unsaved", "1 while changes are in force that could not be saved", unsaved.clone());
    unsaved.set(device.unsaved.into());
    let recorded = [(); 3].map(|()| Counter::<u64>::default());
    let about = [
        ("dma_records", "Event records that timelyd read from the NIC"),
        (
            "dma_records_lost",
            "Event records that the NIC made and timelyd did not get: those of records_dropped, and those that DMA discarded or a ring had when it was stopped; by gaps in their numbers, known when the next record comes",
        ),
        ("dma_records_broken", "Event records that came damaged"),
    ];
    for ((name, help), counter) in about.into_iter().zip(&recorded) {
        registry.register(name, help, counter.clone());
    }
    let counts = [device.recorded.records, device.recorded.lost, device.recorded.broken];
    for (counter, count) in recorded.iter().zip(counts) {
        counter.inc_by(count);
    }
    paused.inc_by(paused_seconds(totals.counter(PAUSED), device.clock_ps));
    // That one is a time.
    for name in device.counters.into_keys().filter(|name| name != PAUSED) {
        let total = totals.counter(&name);
        events.get_or_create(&vec![("name".into(), name)]).inc_by(total);
    }
    for f in telemetry.flows {
        let flow: Labels = vec![("flow".into(), f.flow.to_string())];
        rates.get_or_create(&flow).set(f.rate_mbps * 1e6);
        if let Some(ns) = f.rtt_smoothed_ns {
            rtts.get_or_create(&flow).set(ns / 1e9);
        }
        if let Some(us) = f.sample_age_us {
            ages.get_or_create(&flow).set(us / 1e6);
        }
        let counted = totals.flow(f.flow);
        packets.get_or_create(&flow).inc_by(counted.packets);
        bytes.get_or_create(&flow).inc_by(counted.wire_bytes);
        lost.get_or_create(&flow).inc_by(counted.segments_lost);
        for (branch, count) in crate::report::BRANCHES.iter().zip(counted.branches) {
            let labels = [&flow[..], &[("branch".into(), (*branch).into())]].concat();
            updates.get_or_create(&labels).inc_by(count);
        }
    }
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = encode(&mut text, &registry);
    if format == Format::OpenMetrics { text } else { plain(&text) }
}

/// Seconds of so many steps of `paused_time`, 256 clocks each.
fn paused_seconds(steps: u64, clock_ps: u32) -> f64 {
    steps as f64 * f64::from(clock_ps) * 256e-12
}

/// Text of OpenMetrics as text format 0.0.4, where a counter's family has the name of its samples,
/// and nothing marks the end.
fn plain(open: &str) -> String {
    let described = |line: &str| {
        let (kind, rest) = line.strip_prefix("# ")?.split_once(' ')?;
        let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Some((kind.to_owned(), name.to_owned(), rest.to_owned()))
    };
    let types = open.lines().filter_map(described).filter(|d| d.0 == "TYPE");
    let counters: BTreeSet<String> = types.filter(|d| d.2 == "counter").map(|d| d.1).collect();
    let mut text = String::new();
    for line in open.lines() {
        match described(line) {
            Some((kind, name, rest)) if kind == "TYPE" || kind == "HELP" => {
                let total = if counters.contains(&name) { "_total" } else { "" };
                text += &format!("# {kind} {name}{total} {rest}\n");
            }
            None if !line.starts_with('#') => text += &format!("{line}\n"),
            // Units and the end.
            _ => {}
        }
    }
    text
}

/// The media type of words.
const PLAIN: &str = "text/plain; charset=utf-8";

/// An answer as it is sent.
fn answer(status: &str, kind: &str, body: &str, head: Head) -> Vec<u8> {
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let mut text = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{allow}Content-Length: {}\r\n", body.len());
    // Caches between keep the two formats apart.
    text += "Vary: Accept\r\nConnection: close\r\n\r\n";
    if head == Head::AndBody {
        text += body;
    }
    text.into_bytes()
}

/// A scraper.
pub struct Scrape {
    stream: TcpStream,
    asked: Vec<u8>,
    answer: Option<Vec<u8>>,
    sent: usize,
    since: Instant,
}

impl Scrape {
    /// A scrape on a new connection.
    pub fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Scrape { stream, asked: Vec::new(), answer: None, sent: 0, since: Instant::now() })
    }

    /// Descriptor of the connection.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Events of the connection to poll for.
    pub fn wanted(&self) -> PollFlags {
        if self.answer.is_some() { PollFlags::OUT } else { PollFlags::IN }
    }

    /// Reads and answers; `false` when it is done, or takes too long by `now`.
    pub fn turn(&mut self, now: Instant, text: impl FnOnce(Format) -> Result<String, String>) -> bool {
        let patience = if self.answer.is_some() { PATIENCE } else { REQUEST_PATIENCE };
        if now.saturating_duration_since(self.since) > patience {
            return false;
        }
        if self.answer.is_none() {
            let mut chunk = [0; 2048];
            match self.stream.read(&mut chunk) {
                Ok(0) => return false,
                Ok(n) => self.asked.extend(&chunk[..n]),
                Err(e) => return e.kind() == ErrorKind::WouldBlock,
            }
            let (status, kind, body, head) = match http::read(&self.asked) {
                Asked::Part => return true,
                Asked::Metrics(format, head) => match text(format) {
                    Ok(body) => ("200 OK", format.media_type(), body, head),
                    Err(e) => ("500 Internal Server Error", PLAIN, format!("{e}\n"), head),
                },
                Asked::Refused(status, text, head) => (status, PLAIN, text.into(), head),
            };
            self.answer = Some(answer(status, kind, &body, head));
        }
        let Some(answer) = &self.answer else { return false };
        match self.stream.write(&answer[self.sent..]) {
            Ok(n) => self.sent += n,
            Err(e) => return e.kind() == ErrorKind::WouldBlock,
        }
        self.sent < answer.len()
    }
}

/// Drops a scraper where there are `most`, for one that comes: the oldest that has not asked yet,
/// else the oldest. `true` when one was dropped.
pub fn make_room(scrapes: &mut Vec<Scrape>, most: usize) -> bool {
    let full = scrapes.len() >= most;
    if full {
        scrapes.remove(scrapes.iter().position(|s| s.answer.is_none()).unwrap_or(0));
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::FlowTelemetry;
    use std::net::TcpListener;

    /// A connection that says nothing is closed after a second, and makes room before.
    #[test]
    fn a_silent_scraper_is_in_nobodys_way() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut clients = Vec::new();
        let mut scrape = || {
            clients.push(TcpStream::connect(listener.local_addr().expect("an address")).expect("connected"));
            Scrape::new(listener.accept().expect("a client").0).expect("a scrape")
        };
        let unasked = |_| -> Result<String, String> { panic!("nobody asked") };
        let (mut silent, second) = (scrape(), Duration::from_secs(1));
        assert!(silent.turn(silent.since + second, unasked));
        assert!(!silent.turn(silent.since + second + Duration::from_millis(1), unasked));
        let mut asked = scrape();
        asked.answer = Some(vec![0; 1 << 26]);
        assert!(asked.turn(asked.since + PATIENCE, unasked), "an answer has longer");
        let mut all = vec![asked, silent, scrape()];
        let ports = |all: &[Scrape]| all.iter().map(|s| s.stream.peer_addr().expect("a client").port()).collect::<Vec<_>>();
        let before = ports(&all);
        assert!(!make_room(&mut all, 4) && make_room(&mut all, 3));
        assert_eq!(ports(&all), [before[0], before[2]], "the oldest that has not asked");
    }

    /// A million steps of 256 clocks of 4 ns are 1.024 s.
    #[test]
    fn paused_time_is_in_seconds() {
        assert!((paused_seconds(1_000_000, 4000) - 1.024).abs() < 1e-9);
    }

    fn page() -> String {
        let device = DeviceReport {
            device: "0000:03:00.0".into(),
            transport: String::new(),
            board: "standalone".into(),
            bar: 0,
            offset: 0,
            register_bytes: 0,
            core_version: "0.1.0".into(),
            flows: 1024,
            flows_in_use: 1,
            bus_bits: 64,
            segments: 1024,
            clock_ps: 4000,
            ready: true,
            enabled: false,
            stopped: true,
            time_ns: 0,
            mac: String::new(),
            ipv4: String::new(),
            ipv6: String::new(),
            udp_port: 0,
            heartbeat_us: 0.0,
            heartbeat_lost: true,
            heartbeat_unfed: false,
            unsaved: false,
            dma_running: false,
            recorded: Default::default(),
            counters: [("rx_frames".to_owned(), 7), (PAUSED.to_owned(), 1_000_000)].into(),
        };
        let flow = FlowTelemetry { flow: 3, rtt_smoothed_ns: Some(1.0), sample_age_us: Some(1.0), ..Default::default() };
        let mut totals = Totals::new(Instant::now());
        totals.take_counters(device.counters.clone());
        totals.take_flows(std::slice::from_ref(&flow));
        write(device, Telemetry { time_ns: 0, flows: vec![flow], profiles: Vec::new() }, &totals, Format::Text)
    }

    /// The table of docs/driver.md lists the families that a page has, each with its type and
    /// labels, and no others.
    #[test]
    fn the_docs_list_all_metrics() {
        let page = page();
        let mut found = BTreeSet::new();
        for line in page.lines().filter_map(|l| l.strip_prefix("# TYPE ")) {
            let (name, kind) = line.split_once(' ').expect("a name and a type");
            let sample = page.lines().find(|l| l.strip_prefix(name).is_some_and(|l| l.starts_with(['{', ' ']))).expect("a sample");
            let labels = sample.split_once('{').map_or("", |l| l.1);
            let labels: Vec<&str> = labels.split("\",").filter_map(|l| Some(l.split_once("=\"")?.0)).collect();
            found.insert(format!("| `{name}` | {kind} | {} |", labels.join(", ")));
        }
        let docs = include_str!("../../../docs/driver.md").lines().filter(|l| l.starts_with("| `timely_"));
        let docs: BTreeSet<String> = docs.map(|l| l.splitn(5, '|').take(4).collect::<Vec<_>>().join("|") + "|").collect();
        assert_eq!(docs, found, "docs, page:\n{page}");
    }

    #[test]
    fn states_are_gauges_and_times_are_no_events() {
        let page = page();
        for line in [
            "timely_device_info{device=\"0000:03:00.0\",board=\"standalone\",version=\"0.1.0\"} 1",
            "timely_ready 1",
            "timely_enabled 0",
            "timely_stopped 1",
            "timely_heartbeat_lost 1",
            "timely_flows_in_use 1",
            "timely_events_total{name=\"rx_frames\"} 7",
            "timely_paused_seconds_total 1.024",
            "timely_dma_records_total 0",
        ] {
            assert!(page.lines().any(|l| l == line), "{line} is not in\n{page}");
        }
        assert!(!page.contains(PAUSED) && !page.contains("_bps"), "{page}");
    }

    #[test]
    fn both_formats_give_a_counter_its_type() {
        let mut registry = Registry::with_prefix("timely");
        let (packets, rate) = (Family::<Labels, Counter>::default(), Rates::default());
        registry.register("flow_packets", "Data packets of a flow", packets.clone());
        registry.register("flow_rate_bits_per_second", "Rate of a flow", rate.clone());
        let labels: Labels = vec![("name".into(), "rx_frames".into())];
        packets.get_or_create(&labels).inc_by(7);
        rate.get_or_create(&labels).set(1e9);
        let mut open = String::new();
        encode(&mut open, &registry).expect("into a string");
        assert!(open.contains("# TYPE timely_flow_packets counter\n") && open.ends_with("# EOF\n"), "{open}");
        let text = plain(&open);
        let sample = "{name=\"rx_frames\"}";
        let expected = format!(
            "# HELP timely_flow_packets_total Data packets of a flow.\n# TYPE timely_flow_packets_total counter\n\
             timely_flow_packets_total{sample} 7\n# HELP timely_flow_rate_bits_per_second Rate of a flow.\n\
             # TYPE timely_flow_rate_bits_per_second gauge\ntimely_flow_rate_bits_per_second{sample} 1000000000.0\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_head_has_no_body() {
        let text = |head| String::from_utf8(answer("200 OK", PLAIN, "four", head)).expect("text");
        assert!(text(Head::AndBody).ends_with("\r\n\r\nfour"));
        assert!(text(Head::Only).ends_with("\r\n\r\n") && text(Head::Only).contains("Content-Length: 4\r\n"));
    }
}
