//! The whitespace files that HPCC's ns-3 simulator made a habit: `topology.txt`, `flow.txt`, and
//! `fct.txt` as the result.
//!
//! - topology: `nodes switches links`; the switches' numbers; then for each link
//!   `src dst rate delay error_rate`, numbers as ns-3 reads them.
//! - flows: their count; then for each `src dst pg dport bytes start_s`.
//! - fct: `sip_hex dip_hex sport dport size start_ns fct_ns standalone_fct_ns`, in the order of
//!   completion.
use super::{Error, FlowPlan, Plan};
use crate::frame::{NodeId, address};
use crate::input;
use crate::metrics::Recorder;
use crate::time::{NS, Ps, Speed, ps};
use crate::topology::Link;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use timely_regs::text::{parse_bare_bps, parse_bare_us};

/// Priority group of all flows in HPCC's own files.
const USUAL_GROUP: u32 = 3;

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

    // HPCC's simulator reads as many as were counted, and its own files go on with more, and with
    // notes: so does this, and says so.
    fn rest(&mut self, what: &str) -> Option<String> {
        let (line, word) = self.words.next()?;
        Some(format!("{}:{line}: {word} and what follows is behind the {what} that the file counts, and not read", self.file.display()))
    }

    // Refuses the next line when it does not have as many words: files of other forms would be read
    // out of step. The end of the file is left to `next`.
    fn line_of(&mut self, form: &str, others: &str) -> Result<(), Error> {
        let Some((line, _)) = self.words.as_slice().first() else { return Ok(()) };
        let (line, wanted) = (*line, form.split(' ').count());
        let has = self.words.as_slice().iter().take_while(|w| w.0 == line).count();
        if has == wanted {
            return Ok(());
        }
        let words = if has == 1 { "word" } else { "words" };
        let message = format!("line {line} has {has} {words}; allowed: {form}{others}");
        Err(Error::Syntax { file: self.file.into(), line, message })
    }

    fn number<T: std::str::FromStr>(&mut self, field: &str, allowed: &str) -> Result<T, Error> {
        self.next(field, allowed, |w| w.parse().ok())
    }
}

fn text(file: &Path) -> Result<String, Error> {
    input::text(file).map_err(|source| Error::Read { file: file.into(), source })
}

// As ns-3 reads them: `100Gbps`, `1e10bps`, bits a second without a unit.
fn speed(word: &str) -> Option<Speed> {
    let bps = parse_bare_bps(word).ok()?;
    (1.0..=1e13).contains(&bps).then(|| Speed::bps(bps.round() as u64))
}

// As ns-3 reads them: `1000ns`, `1e-06s`, seconds without a unit.
fn delay(word: &str) -> Option<Ps> {
    let ps = parse_bare_us(word).ok()? * 1e6;
    (0.0..=1e15).contains(&ps).then(|| ps.round() as Ps)
}

/// First lines of topologies that other simulators made out of HPCC's.
const RELATIVES: &str = " (HPCC, ConWeave); of other forms, `nodes switches tors links` (PowerTCP), the same with two capacities (ABM) and \
                         `nodes gpus_per_server nvswitches switches links gpu_type` (SimAI), write these three";

/// Whether each node is a switch, the links, and notes on the file.
pub type Read = (Vec<bool>, Vec<Link>, Vec<String>);

/// Reads a file of nodes and links.
pub fn read_topology(file: &Path) -> Result<Read, Error> {
    let text = text(file)?;
    let mut w = Words::new(file, &text);
    w.line_of("nodes switches links", RELATIVES)?;
    let nodes: usize = w.next("nodes", "2 to 8000", |x| x.parse().ok().filter(|n| (2..=8000).contains(n)))?;
    let switches: usize = w.next("switches", "fewer than nodes", |x| x.parse().ok().filter(|n| *n < nodes))?;
    let links: usize = w.number("links", "a count")?;
    let node = move |x: &str| x.parse::<NodeId>().ok().filter(|n| usize::from(*n) < nodes);
    let allowed = format!("a node, 0 to {}", nodes - 1);
    let mut switch = vec![false; nodes];
    for _ in 0..switches {
        let once = |x: &str| node(x).filter(|n| !switch[usize::from(*n)]);
        let id = w.next("switch id", &format!("{allowed}, each switch once"), once)?;
        switch[usize::from(id)] = true;
    }
    // The count is the file's word alone; links are taken as they come.
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for _ in 0..links {
        w.line_of("src dst rate delay error_rate", "")?;
        let a = w.next("link src", &allowed, node)?;
        let b = w.next("link dst", &format!("{allowed}, not the source"), |x| node(x).filter(|b| *b != a))?;
        let speed = w.next("link rate", "a rate such as 100Gbps, 400Mbps or 1e10bps, 1 bps to 10 Tbps", speed)?;
        let bare = |x: &str| x.parse::<f64>().is_ok_and(|d| d != 0.0);
        let (delay, bare) =
            w.next("link delay", "a delay such as 1000ns, 0.001ms or 1e-06s, up to 1000s", |x| Some((delay(x)?, bare(x))))?;
        if bare && notes.is_empty() {
            let (file, line) = (file.display(), w.line);
            notes.push(format!("{file}:{line}: a delay without a unit is read as seconds, as ns-3 does"));
        }
        let loss = w.next("link error rate", "0 to 1", |x| x.parse().ok().filter(|p| (0.0..=1.0).contains(p)))?;
        all.push(Link { a, b, speed, delay, loss, damage: 0.0 });
    }
    notes.extend(w.rest("links"));
    Ok((switch, all, notes))
}

/// Adds the file's flows to the plan, all with this profile and these payload bytes a packet and a
/// segment.
pub fn read_flows(file: &Path, plan: &mut Plan, profile: &str, packet: u32, segment: u32) -> Result<(), Error> {
    let text = text(file)?;
    let mut w = Words::new(file, &text);
    let count: usize = w.number("flow count", "a count")?;
    let mut sports = std::collections::BTreeMap::new();
    let mut group = None;
    for _ in 0..count {
        w.line_of("src dst pg dport bytes start_s", "")?;
        let topology = &plan.topology;
        let host = |x: &str| x.parse::<NodeId>().ok().filter(|n| usize::from(*n) < topology.nodes() && !topology.is_switch(*n));
        let src = w.next("flow src", "a host of the topology", host)?;
        let dst = w.next("flow dst", "a host of the topology, not the source", |x| host(x).filter(|d| *d != src))?;
        let pg: u32 = w.number("flow pg", "a priority group")?;
        if pg != USUAL_GROUP && group.is_none() {
            group = Some((w.line, pg));
        }
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
    plan.notes.extend(
        group.map(|(line, pg)| format!("{}:{line}: pg is {pg}, and has no effect: all flows are of one priority group", file.display())),
    );
    plan.notes.extend(w.rest("flows"));
    Ok(())
}

/// The completed flows of a run as `fct.txt`, and how many were not complete.
pub fn fct(plan: &Plan, recorder: &Recorder) -> (String, usize) {
    let flows = recorder.flows.iter().zip(&plan.flows).enumerate();
    let mut done: Vec<_> = flows.filter_map(|(i, (r, f))| Some((i, f, r.info.start, r.completion?))).collect();
    done.sort_by_key(|(_, _, start, c)| start + c);
    // Of each flow of replies that of their requests.
    let asks = |(i, f): (usize, &FlowPlan)| Some((f.reply? as usize, i));
    let requests: HashMap<usize, usize> = plan.flows.iter().enumerate().filter_map(asks).collect();
    let mut out = String::new();
    for (i, f, start, completion) in &done {
        let ip = |n| u32::from_be_bytes(address::ipv4(n));
        let (sport, dport) = f.ports.unwrap_or((10_000, 100));
        let (size, start, fct) = (f.total().unwrap_or(0), start / NS, completion / NS);
        // A reply's time counts from its request on.
        let asked = requests.get(i).map_or(0, |request| plan.alone(&plan.flows[*request]));
        let alone = (asked + plan.standalone(f)) / NS;
        writeln!(out, "{:08x} {:08x} {sport} {dport} {size} {start} {fct} {alone}", ip(f.src), ip(f.dst)).expect("writing to a string");
    }
    let finite = plan.flows.iter().filter(|f| f.total().is_some()).count();
    (out, finite - done.len())
}
