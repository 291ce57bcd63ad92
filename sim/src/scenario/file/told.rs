//! A scenario that the command line tells, without a text: files of HPCC's, and some options.
use super::{Overrides, plan_of};
use crate::quantity::Quantity;
use crate::scenario::file::source::Source;
use crate::scenario::file::tables::{File, FlowDefaults, SwitchTable, TopologyTable};
use crate::scenario::{Error, Plan};
use std::path::Path;
use toml::Spanned;

/// Arguments of `timely-sim hpcc`.
#[derive(Clone, Copy, Debug)]
pub struct Hpcc<'a> {
    /// The file of nodes and links.
    pub topology: &'a Path,
    /// The file of flows.
    pub flows: &'a Path,
    /// Profile of all flows; by default the first of the built-in ones.
    pub profile: Option<&'a str>,
    /// Payload bytes of a packet.
    pub packet_bytes: u32,
    /// Payload bytes of a segment.
    pub segment_bytes: u32,
    /// XOFF threshold, kilobytes of 1000; 0: no PFC.
    pub xoff_kb: f64,
    /// Marking of data, as the fields of `[switch]` have it.
    pub mark_kb: Option<f64>,
    /// Likewise.
    pub mark_most_kb: Option<f64>,
    /// Likewise.
    pub mark_chance: Option<f64>,
    /// Length of the run from the start of the first flow on, milliseconds; by default a second
    /// from the start of the last one.
    pub limit_ms: Option<f64>,
}

/// By default flows are given up so long behind the start of the last one, ms.
const PATIENCE_MS: f64 = 1000.0;

/// The profile where none is told, and the speed of hosts that it is for, Gb/s.
const DEFAULT: (&str, f64) = ("timely-10g", 10.0);

/// The options, by the fields that they are.
const OPTIONS: [(&str, &str); 8] = [
    ("duration_ms", "--limit-ms"),
    ("switch.xoff_kb", "--xoff-kb"),
    ("switch.mark_kb", "--mark-kb"),
    ("switch.mark_most_kb", "--mark-most-kb"),
    ("switch.mark_chance", "--mark-chance"),
    ("flows.packet_bytes", "--packet-bytes"),
    ("flows.segment_bytes", "--segment-bytes"),
    ("flow.profile", "--profile"),
];

/// The plan of HPCC's files. The rest is as in a scenario file that says nothing of it.
///
/// # Errors
/// A file that is wrong, with its line, or an option that is, by its name.
pub fn hpcc(told: &Hpcc, overrides: &Overrides) -> Result<Plan, Error> {
    // There is no place in a text to name.
    let at = |v: f64| Some(Spanned::new(0..0, Quantity::Number(v)));
    let f = File {
        name: Some(told.flows.file_stem().map_or("hpcc".into(), |s| s.to_string_lossy().into_owned())),
        duration_ms: at(told.limit_ms.unwrap_or(PATIENCE_MS)),
        flows_file: Some(told.flows.into()),
        topology: TopologyTable { file: Some(told.topology.into()), ..TopologyTable::default() },
        switch: SwitchTable {
            xoff_kb: at(told.xoff_kb),
            mark_kb: told.mark_kb.and_then(at),
            mark_most_kb: told.mark_most_kb.and_then(at),
            mark_chance: told.mark_chance.and_then(at),
            ..SwitchTable::default()
        },
        flows: Some(Spanned::new(
            0..0,
            FlowDefaults {
                profile: Some(Spanned::new(0..0, told.profile.unwrap_or(DEFAULT.0).into())),
                packet_bytes: at(told.packet_bytes.into()),
                segment_bytes: at(told.segment_bytes.into()),
            },
        )),
        ..File::default()
    };
    // Paths are relative to where the program runs.
    let here = Path::new("command line");
    let read = plan_of(Source::new(here, ""), f, overrides).map_err(|e| match e {
        Error::Value { file, field, value, allowed, .. } if file == here => {
            let option = OPTIONS.iter().find(|o| o.0 == field).map_or(field, |o| o.1.into());
            Error::Option { option, value, allowed }
        }
        Error::Topology { file, message } if file == here => Error::Topology { file: told.topology.into(), message },
        other => other,
    });
    // Traces start when they like, many of them at 2 s: the limit is of the time in which there is
    // traffic.
    read.map(|mut plan| {
        let starts = plan.flows.iter().map(|f| f.start);
        let fastest = plan.topology.hosts().map(|h| plan.topology.host_link(h).speed.as_gbps()).fold(0.0, f64::max);
        if told.profile.is_none() && fastest > DEFAULT.1 {
            let (name, of) = DEFAULT;
            let better = if fastest > 25.0 { "timely-100g" } else { "timely-25g" };
            plan.notes.push(format!(
                "hosts' links carry {fastest} Gb/s, and {name}, the profile by default, is made for {of}; set --profile {better}"
            ));
        }
        plan.series_from = plan.first();
        plan.duration += if told.limit_ms.is_some() { starts.min() } else { starts.max() }.unwrap_or(0);
        plan
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    /// Any name that a file may have, and any number that an option may.
    #[test]
    fn names_are_bytes_and_errors_name_options() {
        let dir = std::env::temp_dir().join(format!("timely-told-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let [topology, flows] = [&b"to\x7f\"po\xff.txt"[..], b"flo\\w\xfe.txt"].map(|n| dir.join(OsStr::from_bytes(n)));
        std::fs::write(&topology, "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n").unwrap();
        std::fs::write(&flows, "1\n0 1 3 100 5000 0\n").unwrap();
        let told = Hpcc {
            topology: &topology,
            flows: &flows,
            profile: None,
            packet_bytes: 1000,
            segment_bytes: 3000,
            xoff_kb: 50.0,
            mark_kb: None,
            mark_most_kb: None,
            mark_chance: None,
            limit_ms: Some(7.0),
        };
        let plan = |told: &Hpcc| hpcc(told, &Overrides::default());
        let p = plan(&told).unwrap();
        assert_eq!((p.flows.len(), p.flows[0].packet, p.flows[0].segment, p.duration), (1, 1000, 3000, 7_000_000_000));
        assert!(p.notes.is_empty() && p.series_from == 0 && p.fabric.marking.is_none(), "{:?}", p.notes);
        std::fs::write(&topology, "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n").unwrap();
        let quick = plan(&told).unwrap();
        let note = "hosts' links carry 100 Gb/s, and timely-10g, the profile by default, is made for 10; set --profile timely-100g";
        assert_eq!(quick.notes, [note]);
        std::fs::write(&flows, "1\n0 1 3 100 5000 2\n").unwrap();
        let late = plan(&told).unwrap();
        let w = late.windows();
        assert_eq!((w.from, w.steady, w.bin), (2_000_000_000_000, 2_000_000_000_000, 7_000_000_000 / 400));
        let marked = Hpcc { profile: Some("dcqcn-100g"), mark_kb: Some(20.0), mark_most_kb: Some(40.0), mark_chance: Some(0.5), ..told };
        let p_marked = plan(&marked).unwrap();
        let marking = p_marked.fabric.marking.unwrap();
        assert_eq!((marking.least, marking.most, marking.chance, p_marked.notes.len()), (20_000, 40_000, 0.5, 0));
        assert_eq!(plan(&Hpcc { mark_kb: None, mark_most_kb: None, mark_chance: None, ..marked }).unwrap().notes.len(), 1);
        assert_eq!((p.switch.pfc[1].unwrap().xoff, p.files), (50_000, vec![topology.clone(), flows.clone()]));
        let why = |told: &Hpcc| plan(told).unwrap_err().to_string();
        assert_eq!(why(&Hpcc { limit_ms: Some(f64::NAN), ..told }), "--limit-ms is NaN; allowed: 0.001 to 1000000");
        assert_eq!(why(&Hpcc { limit_ms: Some(0.0), ..told }), "--limit-ms is 0; allowed: 0.001 to 1000000");
        assert_eq!(why(&Hpcc { xoff_kb: -1.0, ..told }), "--xoff-kb is -1; allowed: 0 to 1000000");
        assert_eq!(why(&Hpcc { mark_kb: Some(9.0), mark_most_kb: Some(8.0), ..told }), "--mark-most-kb is 8; allowed: 9 to 1000000");
        assert!(why(&Hpcc { profile: Some("tcp"), ..told }).starts_with("--profile is tcp; allowed: authors-10g"));
        assert!(
            why(&Hpcc { packet_bytes: 1, segment_bytes: 1 << 20, ..told }).starts_with("--segment-bytes is 1048576; allowed: 1 to 65535 ")
        );
        std::fs::remove_dir_all(dir).unwrap();
    }
}
