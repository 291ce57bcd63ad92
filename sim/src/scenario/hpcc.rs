//! The whitespace files that HPCC's ns-3 simulator made a habit: `topology.txt`, `flow.txt`, and `fct.txt` as the result.
//!
//! - topology: `nodes switches links`; the switches' numbers; then for each link `src dst rate delay error_rate`.
//! - flows: their count; then for each `src dst pg dport bytes start_s`.
//! - fct: `sip_hex dip_hex sport dport size start_ns fct_ns standalone_fct_ns`, in the order of completion.
use super::{Error, FlowPlan, Plan};
use crate::frame::{NodeId, address};
use crate::input;
use crate::metrics::Recorder;
use crate::time::{NS, Ps, Speed, ps};
use crate::topology::Link;
use std::fmt::Write;
use std::path::Path;

/// Most payload bytes of a flow.
const MOST_BYTES: u64 = 1 << 50;

// Words of a file, with the line each stands in.
struct Words<'a> {
    file: &'a Path,
    words: std::vec::IntoIter<(usize, &'a str)>,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(file: &'a Path, text: &'a str) -> Self {
        let words: Vec<_> = text.lines().enumerate().flat_map(|(n, l)| l.split_whitespace().map(move |w| (n + 1, w))).collect();
        Words { file, words: words.into_iter(), line: 1 }
    }

    fn next<T>(&mut self, field: &str, allowed: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
        let error = |line, value: &str| Error::Value {
            file: self.file.into(),
            line,
            field: field.into(),
            value: value.into(),
            allowed: allowed.into(),
        };
        let Some((line, word)) = self.words.next() else { return Err(error(self.line, "the end of the file")) };
        self.line = line;
        parse(word).ok_or_else(|| error(line, word))
    }

    // HPCC's simulator reads as many as were counted, and its own files go on with more, and with notes: so does this, and says so.
    fn rest(&mut self, what: &str) -> Option<String> {
        let (line, word) = self.words.next()?;
        Some(format!("{}:{line}: {word} and what follows is behind the {what} that the file counts, and not read", self.file.display()))
    }

    fn number<T: std::str::FromStr>(&mut self, field: &str, allowed: &str) -> Result<T, Error> {
        self.next(field, allowed, |w| w.parse().ok())
    }
}

fn text(file: &Path) -> Result<String, Error> {
    input::text(file).map_err(|source| Error::Read { file: file.into(), source })
}

// `100Gbps`, `400Mbps`.
fn speed(word: &str) -> Option<Speed> {
    let at = word.find(|c: char| c.is_ascii_alphabetic())?;
    let unit = match &word[at..] {
        "Gbps" | "Gb/s" => 1e9,
        "Mbps" | "Mb/s" => 1e6,
        "Kbps" | "kbps" => 1e3,
        "bps" => 1.0,
        _ => return None,
    };
    let bps = word[..at].parse::<f64>().ok()? * unit;
    (1.0..=1e13).contains(&bps).then(|| Speed::bps(bps.round() as u64))
}

// `1000ns`, `0.001ms`, `1us`.
fn delay(word: &str) -> Option<Ps> {
    let at = word.find(|c: char| c.is_ascii_alphabetic())?;
    let unit = match &word[at..] {
        "ps" => 1.0,
        "ns" => 1e3,
        "us" => 1e6,
        "ms" => 1e9,
        "s" => 1e12,
        _ => return None,
    };
    let v = word[..at].parse::<f64>().ok()? * unit;
    (0.0..=1e15).contains(&v).then(|| v.round() as Ps)
}

/// Which nodes are switches, the links, and a word on what was left unread.
pub type Read = (Vec<bool>, Vec<Link>, Option<String>);

/// Reads a file of nodes and links.
pub fn read_topology(file: &Path) -> Result<Read, Error> {
    let text = text(file)?;
    let mut w = Words::new(file, &text);
    let nodes: usize = w.next("nodes", "2 to 8000", |x| x.parse().ok().filter(|n| (2..=8000).contains(n)))?;
    let switches: usize = w.next("switches", "fewer than nodes", |x| x.parse().ok().filter(|n| *n < nodes))?;
    let links: usize = w.number("links", "a count")?;
    let node = move |x: &str| x.parse::<NodeId>().ok().filter(|n| usize::from(*n) < nodes);
    let allowed = format!("a node, 0 to {}", nodes - 1);
    let mut switch = vec![false; nodes];
    for _ in 0..switches {
        switch[usize::from(w.next("switch id", &allowed, node)?)] = true;
    }
    // The count is the file's word alone; links are taken as they come.
    let mut all = Vec::new();
    for _ in 0..links {
        let (a, b) = (w.next("link src", &allowed, node)?, w.next("link dst", &allowed, node)?);
        let speed = w.next("link rate", "a rate such as 100Gbps or 400Mbps", speed)?;
        let delay = w.next("link delay", "a delay such as 1000ns or 0.001ms", delay)?;
        let loss = w.next("link error rate", "0 to 1", |x| x.parse().ok().filter(|p| (0.0..=1.0).contains(p)))?;
        all.push(Link { a, b, speed, delay, loss, damage: 0.0 });
    }
    Ok((switch, all, w.rest("links")))
}

/// Adds the file's flows to the plan, all with this profile and these payload bytes a packet and a segment.
pub fn read_flows(file: &Path, plan: &mut Plan, profile: &str, packet: u32, segment: u32) -> Result<(), Error> {
    let text = text(file)?;
    let mut w = Words::new(file, &text);
    let count: usize = w.number("flow count", "a count")?;
    let mut sports = std::collections::BTreeMap::new();
    for _ in 0..count {
        let topology = &plan.topology;
        let host = |x: &str| x.parse::<NodeId>().ok().filter(|n| usize::from(*n) < topology.nodes() && !topology.is_switch(*n));
        let src = w.next("flow src", "a host of the topology", host)?;
        let dst = w.next("flow dst", "a host of the topology, not the source", |x| host(x).filter(|d| *d != src))?;
        let _pg: u32 = w.number("flow pg", "a priority group")?;
        let dport: u16 = w.number("flow dport", "a port, 0 to 65535")?;
        let bytes: u64 = w.next("flow bytes", "1 to 1125899906842624", |x| x.parse().ok().filter(|b| (1..=MOST_BYTES).contains(b)))?;
        let start: f64 = w.next("flow start_s", "seconds, 0 to 86400", |x| x.parse().ok().filter(|s| (0.0..=86_400.0).contains(s)))?;
        // As there: source ports count up from 10000 for each pair.
        let sport = sports.entry((src, dst)).or_insert(10_000u16);
        let ports = Some((*sport, dport));
        *sport = sport.wrapping_add(1);
        let profile = profile.to_owned();
        let start = ps(start * 1e9, NS);
        plan.flows.push(FlowPlan { start, bytes: Some(bytes), packet, segment, ports, ..FlowPlan::new(src, dst, profile) });
    }
    plan.notes.extend(w.rest("flows"));
    Ok(())
}

/// The completed flows of a run as `fct.txt`, and how many were not complete.
pub fn fct(plan: &Plan, recorder: &Recorder) -> (String, usize) {
    let mut done: Vec<_> = recorder.flows.iter().zip(&plan.flows).filter_map(|(r, f)| Some((f, r.info.start, r.completion?))).collect();
    done.sort_by_key(|(_, start, c)| start + c);
    let mut out = String::new();
    for (f, start, completion) in &done {
        let ip = |n| u32::from_be_bytes(address::ipv4(n));
        let (sport, dport) = f.ports.unwrap_or((10_000, 100));
        let (size, start, fct) = (f.total().unwrap_or(0), start / NS, completion / NS);
        let alone = plan.standalone(f) / NS;
        writeln!(out, "{:08x} {:08x} {sport} {dport} {size} {start} {fct} {alone}", ip(f.src), ip(f.dst)).expect("writing to a string");
    }
    let finite = plan.flows.iter().filter(|f| f.total().is_some()).count();
    (out, finite - done.len())
}
