//! Metrics in Prometheus' text format, over as much of HTTP as a scraper speaks.
use crate::report::{DeviceReport, Telemetry};
use crate::service::{Request, Service, ServiceError};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use rustix::event::PollFlags;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// How long a scraper may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest request.
const LONGEST: usize = 8192;

type Labels = Vec<(String, String)>;
type Rates = Family<Labels, Gauge<f64, AtomicU64>>;

/// All metrics of a NIC.
pub fn text(service: &mut Service) -> Result<String, ServiceError> {
    // Own reports, read as anybody else's.
    let read = |v| serde_json::from_value::<DeviceReport>(v).ok();
    let device = read(service.handle(Request::Info {})?);
    let telemetry = serde_json::from_value::<Telemetry>(service.handle(Request::Telemetry { flows: None })?).ok();
    let mut registry = Registry::with_prefix("timely");
    let (events, rates, rtts) = (Family::<Labels, Counter>::default(), Rates::default(), Rates::default());
    let (packets, bytes, updates) =
        (Family::<Labels, Counter>::default(), Family::<Labels, Counter>::default(), Family::<Labels, Counter>::default());
    registry.register("events", "Event counters of the NIC, by name; they wrap at 2^32", events.clone());
    registry.register("flow_rate_bps", "Rate of a flow, wire bits a second", rates.clone());
    registry.register("flow_rtt_smoothed_seconds", "Smoothed round-trip time of a flow", rtts.clone());
    registry.register("flow_packets", "Data packets of a flow; wraps at 2^32", packets.clone());
    registry.register("flow_wire_bytes", "Wire bytes of a flow; wraps at 2^48", bytes.clone());
    registry.register("flow_updates", "Rate updates of a flow, by branch; wraps at 2^32", updates.clone());
    for (name, value) in device.map(|d| d.counters).unwrap_or_default() {
        events.get_or_create(&vec![("name".into(), name)]).inc_by(value.into());
    }
    for f in telemetry.map(|t| t.flows).unwrap_or_default() {
        let flow: Labels = vec![("flow".into(), f.flow.to_string())];
        rates.get_or_create(&flow).set(f.rate_mbps * 1e6);
        if let Some(ns) = f.rtt_smoothed_ns {
            rtts.get_or_create(&flow).set(ns / 1e9);
        }
        packets.get_or_create(&flow).inc_by(f.packets.into());
        bytes.get_or_create(&flow).inc_by(f.wire_bytes);
        let branches = [f.below_tlow, f.above_thigh, f.gradient_increase, f.gradient_decrease, f.other];
        for (branch, count) in crate::report::BRANCHES.iter().zip(branches) {
            let labels = [&flow[..], &[("branch".into(), (*branch).into())]].concat();
            updates.get_or_create(&labels).inc_by(count.into());
        }
    }
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = encode(&mut text, &registry);
    Ok(text)
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
    /// One that just connected.
    pub fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Scrape { stream, asked: Vec::new(), answer: None, sent: 0, since: Instant::now() })
    }

    /// Its descriptor.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// What is waited for.
    pub fn wanted(&self) -> PollFlags {
        if self.answer.is_some() { PollFlags::OUT } else { PollFlags::IN }
    }

    /// Reads and answers; `false` when it is done.
    pub fn turn(&mut self, text: impl FnOnce() -> Result<String, ServiceError>) -> bool {
        if self.since.elapsed() > PATIENCE {
            return false;
        }
        if self.answer.is_none() {
            let mut chunk = [0; 2048];
            match self.stream.read(&mut chunk) {
                Ok(0) => return false,
                Ok(n) => self.asked.extend(&chunk[..n]),
                Err(e) => return e.kind() == ErrorKind::WouldBlock,
            }
            if !self.asked.windows(4).any(|w| w == b"\r\n\r\n") {
                return self.asked.len() < LONGEST;
            }
            let found = self.asked.starts_with(b"GET /metrics ");
            let (status, body) = match found.then(text) {
                Some(Ok(body)) => ("200 OK", body),
                Some(Err(e)) => ("500 Internal Server Error", format!("{e}\n")),
                None => ("404 Not Found", "metrics are at /metrics\n".into()),
            };
            let kind = if status.starts_with("200") { "application/openmetrics-text; version=1.0.0; charset=utf-8" } else { "text/plain" };
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            self.answer = Some((head + &body).into_bytes());
        }
        let Some(answer) = &self.answer else { return false };
        match self.stream.write(&answer[self.sent..]) {
            Ok(n) => self.sent += n,
            Err(e) => return e.kind() == ErrorKind::WouldBlock,
        }
        self.sent < answer.len()
    }
}
