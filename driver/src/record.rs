//! Event records in files: CSV for people and their tools, pcapng for those of packets.
use crate::report::{BRANCHES, KINDS};
use crate::units::Mbps;
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;
use timely_regs::event::{BYTES, EventRecord};

/// The head of a CSV file.
pub const HEAD: &str = "sequence,time_ns,flow,profile,kind,branch,hyperactive,signal_ns,endpoint_ns,hops,rate_before_mbps,rate_mbps";

/// A line of it.
pub fn csv(r: &EventRecord) -> String {
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
pub enum Sink {
    /// Lines of CSV.
    Lines(Box<dyn Write>),
    /// A pcapng file.
    Pcap(Box<PcapNgWriter<BufWriter<File>>>),
}

impl Sink {
    /// A file, pcapng where its name ends so; the standard output without one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(path: Option<&Path>) -> std::io::Result<Self> {
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

    /// Writes a record.
    ///
    /// # Errors
    /// When the disk is full, or the reader has closed the pipe.
    pub fn write(&mut self, r: &EventRecord, bytes: &[u8; BYTES]) -> std::io::Result<()> {
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

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// As [`Sink::write`].
    pub fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Sink::Lines(w) => w.flush(),
            Sink::Pcap(w) => w.get_mut().flush(),
        }
    }
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
