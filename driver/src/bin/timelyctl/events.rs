//! `timelyctl events`: rate updates, printed as they come, or into a file of CSV or pcapng.
use crate::backend::{Backend, CliError};
use crate::duration;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use timely_driver::report::{BRANCHES, EventReport, KINDS};
use timely_driver::service::Request;
use timely_driver::units::Mbps;
use timely_regs::event::{BYTES, EventRecord};

/// How long is waited at a time, so that a signal is heard.
const WAIT: Duration = Duration::from_millis(100);

/// Its options.
#[derive(clap::Args)]
pub struct Arguments {
    /// The file: CSV, or pcapng where its name ends so (link type USER0, one record of docs/registers.md a packet, nanoseconds of the NIC).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One of so many updates.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    every: u32,
    /// Only of this flow.
    #[arg(long)]
    flow: Option<u32>,
    /// Only of flows of this profile.
    #[arg(long)]
    profile: Option<u32>,
    /// Ends after so many.
    #[arg(long)]
    count: Option<u64>,
    /// Ends after so long.
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
}

/// The head of a CSV file.
const HEAD: &str = "sequence,time_ns,flow,profile,kind,branch,hyperactive,signal_ns,endpoint_ns,hops,rate_before_mbps,rate_mbps";

/// A line of it.
fn csv(r: &EventRecord) -> String {
    let named = |names: &[&str], i: u8| names.get(usize::from(i)).map_or_else(|| i.to_string(), |n| (*n).into());
    let (before, after) = (Mbps::from_register(r.rate_before).0, Mbps::from_register(r.rate).0);
    let (kind, branch) = (named(&KINDS, r.kind), named(&BRANCHES, r.branch));
    format!(
        "{},{}.{:03},{},{},{kind},{branch},{},{},{},{},{before:.4},{after:.4}",
        r.sequence,
        r.time >> 16,
        ((r.time & 0xffff) * 1000) >> 16,
        r.flow,
        r.profile,
        u8::from(r.hyperactive),
        r.signal_ns,
        r.endpoint_ns,
        r.hops
    )
}

/// Where records go.
enum Sink {
    Lines(Box<dyn Write>),
    Pcap(Box<PcapNgWriter<BufWriter<File>>>),
}

impl Sink {
    fn new(path: Option<&Path>) -> std::io::Result<Self> {
        let Some(path) = path else { return Ok(Sink::Lines(Box::new(std::io::stdout()))) };
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        if path.extension().is_none_or(|e| e != "pcapng") {
            writeln!(file, "{HEAD}")?;
            return Ok(Sink::Lines(Box::new(file)));
        }
        let mut writer = PcapNgWriter::new(file).map_err(std::io::Error::other)?;
        let mut interface = InterfaceDescriptionBlock::new(DataLink::USER0, BYTES as u32);
        interface.options = vec![InterfaceDescriptionOption::IfName("timely".into()), InterfaceDescriptionOption::IfTsResol(9)];
        writer.write_pcapng_block(interface).map_err(std::io::Error::other)?;
        Ok(Sink::Pcap(Box::new(writer)))
    }

    fn write(&mut self, r: &EventRecord, bytes: &[u8; BYTES]) -> std::io::Result<()> {
        match self {
            Sink::Lines(w) => writeln!(w, "{}", csv(r)),
            Sink::Pcap(w) => {
                let timestamp = Duration::from_nanos(r.time >> 16);
                let packet =
                    EnhancedPacketBlock { interface_id: 0, timestamp, original_len: BYTES as u32, data: bytes[..].into(), options: vec![] };
                w.write_pcapng_block(packet).map(|_| ()).map_err(std::io::Error::other)
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Sink::Lines(w) => w.flush(),
            Sink::Pcap(w) => w.get_mut().flush(),
        }
    }
}

/// Follows events until it is told to end.
pub fn run(nic: &mut Backend, a: &Arguments, json: bool) -> Result<(), CliError> {
    let mut wanted = SigSet::empty();
    wanted.add(Signal::SIGINT);
    wanted.add(Signal::SIGTERM);
    let signals = wanted.thread_block().and_then(|()| SignalFd::with_flags(&wanted, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK));
    let signals = signals.map_err(|e| CliError::Failed(format!("a descriptor for signals: {e}; raise the limit on open files")))?;
    let mut total = EventReport::default();
    let name = a.out.as_ref().map_or("output".into(), |p| p.display().to_string());
    let failed = |e: std::io::Error, written: u64| {
        CliError::Failed(format!("{name}: {e}; {written} records were written whole: free space, or give another --out"))
    };
    let mut sink = Sink::new(a.out.as_deref()).map_err(|e| failed(e, 0))?;
    if a.out.is_none() {
        crate::write_out(HEAD)?;
    }
    nic.ask(Request::Events { every: a.every, flow: a.flow, profile: a.profile })?;
    let start = Instant::now();
    let end = || a.time.is_some_and(|t| start.elapsed() >= t);
    while !end() && a.count.is_none_or(|c| total.records < c) && !matches!(signals.read_signal(), Ok(Some(_))) {
        let Some((lost, bytes)) = nic.events(WAIT)? else { continue };
        total.lost += lost;
        if lost > 0 {
            eprintln!("{lost} records were lost here");
        }
        for bytes in bytes.as_chunks::<BYTES>().0 {
            if a.count.is_some_and(|c| total.records >= c) {
                break;
            }
            let Ok(record) = EventRecord::from_bytes(bytes) else {
                total.broken += 1;
                continue;
            };
            match sink.write(&record, bytes) {
                // Whoever reads has gone, as `head` does.
                Err(e) if a.out.is_none() && e.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
                other => other.map_err(|e| failed(e, total.records))?,
            }
            total.records += 1;
        }
    }
    sink.flush().map_err(|e| failed(e, 0))?;
    nic.ask(Request::Events { every: 0, flow: None, profile: None })?;
    if json {
        let text = serde_json::to_string(&total).unwrap_or_default();
        eprintln!("{text}");
    } else {
        eprintln!("{} records, {} lost, {} broken", total.records, total.lost, total.broken);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcapng::{Block, PcapNgReader};

    fn record() -> (EventRecord, [u8; BYTES]) {
        let r = EventRecord {
            sequence: 5,
            time: 123_456_789 << 16 | 0x8000,
            flow: 7,
            profile: 2,
            branch: 3,
            signal_ns: 21_000,
            endpoint_ns: 90,
            hops: 1,
            rate_before: 10_000 << 12,
            rate: 8192,
            ..EventRecord::default()
        };
        (r, r.to_bytes())
    }

    #[test]
    fn a_line_has_what_its_head_says() {
        let line = csv(&record().0);
        assert_eq!(line, "5,123456789.500,7,2,rtt,gradient_decrease,0,21000,90,1,10000.0000,2.0000");
        assert_eq!(line.split(',').count(), HEAD.split(',').count());
    }

    #[test]
    fn a_pcapng_file_has_nanoseconds() {
        let path = std::env::temp_dir().join(format!("timely-events-{}.pcapng", std::process::id()));
        let mut sink = Sink::new(Some(&path)).expect("a file");
        let (r, bytes) = record();
        sink.write(&r, &bytes).and_then(|()| sink.flush()).expect("written");
        let mut reader = PcapNgReader::new(File::open(&path).expect("the file")).expect("pcapng");
        std::fs::remove_file(&path).expect("removed");
        let mut packets = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(p) = block.expect("a block") {
                packets.push((p.timestamp, p.data.to_vec()));
            }
        }
        assert_eq!(packets, [(Duration::from_nanos(123_456_789), bytes.to_vec())]);
        assert_eq!(reader.interfaces()[0].linktype, DataLink::USER0);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut sink = Sink::Lines(Box::new(BufWriter::new(File::create("/dev/full").expect("there"))));
        let (r, bytes) = record();
        sink.write(&r, &bytes).expect("buffered");
        assert_eq!(sink.flush().expect_err("full").kind(), std::io::ErrorKind::StorageFull);
    }
}
