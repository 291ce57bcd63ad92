//! NetFPGA's datapath, PLUS's and SUME's: port 0 paced, the others' frames whole and on their ways,
//! tuser and the buses of registers as the shells have them. The ordinary run fits it into its
//! shells, and runs each with one number of flows; `cargo xtask soak` with all.
mod frames;
mod timing;

use super::inline::*;
use std::io::{Write, stdout};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, LazyLock, OnceLock};
use timely_hw::config::{Config, FLOW_BITS};
use timely_hw::shells::{File, Shell};
use timely_tests::board::{Board, NETFPGA_PLUS, NETFPGA_SUME, Shape};
use timely_verilate::{Library, Options, build, mutant};

/// A shell on its bench, with `2^flow_bits` flows.
struct Bench {
    shell: Shell,
    flow_bits: usize,
    shape: Shape,
    bench: &'static str,
    files: OnceLock<Vec<File>>,
    library: OnceLock<Arc<Library>>,
    /// From a frame's last beat to its first at the wire: past the store, and through it when its
    /// flow is idle and may send at once.
    past_clocks: RangeInclusive<u64>,
    paced_clocks: RangeInclusive<u64>,
    /// From a frame's first beat at the wire to its first at the host.
    up_clocks: RangeInclusive<u64>,
    /// Leads, ns, rates, Mb/s, and how far a flow may be off its schedule, clocks.
    pacing: [(u32, f64, f64); 2],
}

static BENCHES: LazyLock<Vec<Bench>> = LazyLock::new(|| FLOW_BITS.into_iter().flat_map(both).collect());

fn both(flow_bits: usize) -> [Bench; 2] {
    let plus = Bench {
        shell: Shell::NetFpgaPlus,
        flow_bits,
        shape: NETFPGA_PLUS,
        bench: include_str!("../../shells/netfpga_plus_board.v"),
        files: OnceLock::new(),
        library: OnceLock::new(),
        past_clocks: 18..=19,
        paced_clocks: 88..=93,
        up_clocks: 4..=4,
        pacing: [(0, 40_000.0, 2.0), (200, 10_000.0, 1.0)],
    };
    let sume = Bench {
        shell: Shell::NetFpgaSume,
        flow_bits,
        shape: NETFPGA_SUME,
        bench: include_str!("../../shells/netfpga_sume_board.v"),
        files: OnceLock::new(),
        library: OnceLock::new(),
        past_clocks: 18..=19,
        paced_clocks: 89..=94,
        up_clocks: 5..=5,
        pacing: [(0, 9_000.0, 2.0), (300, 4_000.0, 1.0)],
    };
    [plus, sume]
}

/// The benches with which behaviour is tested.
fn benches() -> impl Iterator<Item = &'static Bench> {
    let quick = left_out("nic::netfpga");
    // 10 Gb/s with the fewest flows, 100 Gb/s with more.
    let usual = |shell: Shell| if shell == Shell::NetFpgaSume { 10 } else { 13 };
    BENCHES.iter().filter(move |b| !quick && is_tested(b.flow_bits, usual(b.shell)))
}

/// A shell's with so many flows, compiled.
pub fn library(shell: Shell, flow_bits: usize) -> &'static Arc<Library> {
    let of = |b: &&Bench| b.shell == shell && b.flow_bits == flow_bits;
    BENCHES.iter().find(of).expect("it is built for these").library()
}

impl Bench {
    fn ports(&self) -> usize {
        self.shape.sinks.len() - 1
    }

    fn files(&self) -> &[File] {
        let config = || Config::new(self.shell.bus().expect("its own"), self.flow_bits).expect("a configuration that is built");
        self.files.get_or_init(|| self.shell.emit(config(), self.shell.clock_ps()).unwrap_or_else(|e| panic!("emission: {e}")))
    }

    fn library(&self) -> &Arc<Library> {
        self.library.get_or_init(|| {
            let name = format!("{}_{}", self.shell, self.flow_bits);
            let verilog = mutant::text(&name, || [self.bench, &self.files()[1].text, &self.files()[0].text].concat());
            build(&name, &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
        })
    }

    fn flows(&self) -> u32 {
        1 << self.flow_bits
    }

    fn prepared(&self, setup: &Setup, seed: u64) -> Board {
        prepared(self.library(), self.shape, setup, seed)
    }
}

/// tuser of a frame of that many bytes: its source as given, a destination that is to be replaced,
/// and unassigned bits above.
pub fn tuser(bytes: usize, source: u8, above: u64) -> u128 {
    bytes as u128 | u128::from(source) << 16 | 0xee << 24 | u128::from(above) << 32
}

/// `meta` with its destination.
fn towards(meta: u128, destination: u8) -> u128 {
    meta & !(0xff << 24) | u128::from(destination) << 24
}

/// The source of port `n`'s queue at the host.
fn queue(n: usize) -> u8 {
    2 << (2 * n)
}

/// Icarus elaborates our files inside exactly the shell's ports and parameters, and says what is
/// wrong with a shell that they are not for.
#[test]
fn icarus_fits_the_datapath_into_its_shells() {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    if Command::new(&program).arg("-V").output().is_err() {
        writeln!(stdout(), "left out: nic::netfpga: the port fit: there is no Icarus Verilog here (Debian: apt-get install iverilog)")
            .expect("stdout");
        return;
    }
    for bench in BENCHES.iter().filter(|b| b.flow_bits == FLOW_BITS[0]) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{}", bench.shell, std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let written = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let mut sources = vec![written("board.v", bench.bench)];
        sources.extend(bench.files().iter().map(|f| written(&f.path, &f.text)));
        let icarus = |more: &[&str]| {
            let mut c = Command::new(&program);
            c.args(["-g2005", "-Wall", "-Wno-timescale", "-Wno-sensitivity-entire-array", "-t", "null", "-s", "board"])
                .args(more)
                .args(&sources);
            let out = c.output().expect("iverilog starts");
            (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (fits, text) = icarus(&[]);
        assert!(fits && text.is_empty(), "{}: {text}", bench.shell);
        let other = format!("needs_streams_of_{}_bits", bench.shape.bits);
        let (fits, text) = icarus(&["-Pboard.C_DATA_WIDTH=1024", "-Pboard.C_TUSER_WIDTH=64"]);
        let told = [other.as_str(), "needs_a_tuser_of_128_bits"].iter().all(|sentence| text.contains(sentence));
        assert!(!fits && told, "{}: {text}", bench.shell);
        std::fs::remove_dir_all(&folder).ok();
    }
}
