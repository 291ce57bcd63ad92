//! The files of HPCC's simulator on bit-true NICs: doorbells start the flows, every flow completes,
//! in about the time that event-level hosts take.
use std::path::Path;
use timely_sim::cores::CoreFactory;
use timely_sim::scenario::{NicKind, build, file, hpcc};

/// Two switches, four hosts: three flows that meet, two short ones, and two that are alone.
const TOPOLOGY: &str = "6 2 5\n4 5\n0 4 10Gbps 1000ns 0\n1 4 10Gbps 1000ns 0\n2 5 10Gbps 1000ns 0\n3 5 10Gbps 1000ns 0\n\
                        4 5 10Gbps 0.002ms 0\n";
const FLOWS: &str = "7\n0 3 3 100 61440 0.0001\n1 3 3 100 61440 0.00011\n2 3 3 100 40960 0.00012\n0 2 3 100 512 0.00015\n\
                     1 3 3 101 20480 0.0002\n2 1 3 100 102400 0.0015\n3 0 3 100 1024 0.002\n";

fn fct(kind: NicKind, cores: &dyn CoreFactory) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hpcc_{kind}"));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("topology.txt"), TOPOLOGY).unwrap();
    std::fs::write(dir.join("flow.txt"), FLOWS).unwrap();
    let text = format!("duration_ms = 3\nflows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n[nic]\nkind = '{kind}'\n");
    let plan = file::parse(&dir.join("scenario.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    let outcome = build::run(plan, cores, |_| {}).unwrap_or_else(|e| panic!("{e}"));
    let (text, unfinished) = hpcc::fct(&outcome.plan, &outcome.recorder);
    println!("{kind}:\n{text}");
    assert_eq!((unfinished, outcome.summary.pauses), (0, 0));
    for (r, f) in outcome.recorder.flows.iter().zip(&outcome.plan.flows) {
        assert_eq!(r.packets, f.bytes.unwrap_or(0).div_ceil(f.packet.into()), "each packet is sent once");
    }
    text
}

fn fields(line: &str) -> Vec<f64> {
    let numbers = line.split(' ').skip(2).map(|w| w.parse());
    numbers.collect::<Result<_, _>>().unwrap_or_else(|e| panic!("{line}: {e}"))
}

#[test]
fn flows_complete_as_on_event_level_hosts() {
    let cores = timely_tests::network::cores();
    let (exact, paced) = (fct(NicKind::Model, &cores), fct(NicKind::Paced, &cores));
    assert_eq!(fct(NicKind::Rtl, &cores), exact, "Verilog and model");
    assert_eq!((exact.lines().count(), paced.lines().count()), (7, 7));
    for (line, other) in exact.lines().zip(paced.lines()) {
        let (row, other) = (fields(line), fields(other));
        assert_eq!(row[..4], other[..4], "the same flows complete, in the same order");
        let (start, took, alone) = (row[3], row[4], row[5]);
        assert!((took / other[4] - 1.0).abs() < 0.1, "{line}: {} with the law in floating point", other[4]);
        assert!(took > alone, "{line}");
        if start >= 1.5e6 {
            // Alone: what theory says, and a little for the doorbell's way and the drift of the
            // clock.
            assert!(took < alone * 1.001 + 1_000.0, "{line}");
        }
    }
}
