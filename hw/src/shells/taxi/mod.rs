//! taxi's NICs: the in-line core between a cndm NIC core and the MAC of a port, in SystemVerilog by
//! our own hand that names taxi's interfaces and has none of its text.
use super::File;
use crate::config::Config;
use crate::dma::replace_dma;
use crate::emit::{PREFIX, emit};
use crate::inline::Inline;
use crate::inline::pairs::{Joint, pair_core};
use crate::standalone::with_stack;
use crate::time::Linear;
use timely_model::time::LINEAR_LATENCY;

/// Widths of MACs that the shell is emitted for.
pub const BUSES: [usize; 2] = [64, 512];

/// A MAC's width, and what stands around it.
struct Width {
    /// Bits of the in-line core's bus: its queues are too short for whole frames in fewer than 256.
    core: usize,
    /// Condition on the width of a MAC that fits, and how a message says it.
    fits: &'static str,
    said: &'static str,
    /// log2 of the frames that wait in front of the MAC: few, so that an ACK waits for few, but
    /// enough for clocks to be crossed while the shortest are on the wire.
    frames: usize,
    /// Bits of a relative stamp, and of the NIC core's streams.
    stamp: &'static str,
    host: &'static str,
}

const fn width(bus: usize) -> Width {
    match bus {
        512 => Width { core: 512, fits: "MAC_W == 512", said: "512", frames: 4, stamp: "64", host: "512" },
        _ => Width {
            core: 256,
            fits: "MAC_W == 64 || MAC_W == 32 || MAC_W == 16 || MAC_W == 8",
            said: "64, 32, 16 or 8",
            frames: 2,
            stamp: "48",
            host: "128",
        },
    }
}

/// File of the wrapper of the NIC core.
const WRAPPER: &str = "tnic_taxi_core.sv";
/// List of the files, as Verilator reads it.
const LIST: &str = "timely_taxi.f";

/// The shell's files: adapter and core (with `roce` the one with queue pairs), the wrapper of the
/// NIC core, their list, constraints.
pub(super) fn files(path: &str, config: Config, clock_ps: u32, roce: bool) -> Result<Vec<File>, String> {
    let Width { core, fits, said, frames, stamp, host } = width(config.bus);
    let name = "taxi_inline";
    let text = if roce {
        pair_core(name, Config { bus: core, ..config }, clock_ps, Joint { beside: 48, stamped: true })?
    } else {
        with_stack(move || inline(name, core, config, clock_ps))?
    };
    let linear = emit("taxi_linear", Linear::default())?;
    // ns48.fns16 of the clocks between a time of day and its line.
    let age = (LINEAR_LATENCY as u64 + 1) * u64::from(clock_ps) * 65_536 / 1000;
    let adapter = include_str!("adapter.sv")
        .replace("@CORE@", &format!("{PREFIX}{name}"))
        .replace("@MAC_WIDTHS@", fits)
        .replace("@MAC_SAID@", said)
        .replace("@MAC@", &config.bus.to_string())
        .replace("@W@", &core.to_string())
        .replace("@TX_LOG@", "9")
        .replace("@TX_FRAMES@", &frames.to_string())
        .replace("@LINEAR_AGE@", &age.to_string())
        .replace("@LINEAR@", &LINEAR_LATENCY.to_string());
    let file = |path: &str, text: String| File { path: path.into(), text };
    Ok(vec![
        file(path, [adapter.as_str(), include_str!("fifos.sv"), &linear, &text].join("\n")),
        file(WRAPPER, include_str!("core.sv").replace("@TS_W@", stamp).replace("@HOST_W@", host)),
        file(LIST, format!("{path}\n{WRAPPER}\n")),
        file("timely_taxi.xdc", include_str!("timely_taxi.xdc").into()),
    ])
}

fn inline(name: &str, core: usize, config: Config, clock_ps: u32) -> Result<String, String> {
    // The core inside is wider than the MAC, and says so in its registers.
    let build = Config { bus: core, ..config }.build(clock_ps);
    macro_rules! arms {
        ($(($w:literal, $k:literal, $l:literal, $c:literal, $b:literal: $(($f:literal, $s:literal, $x:literal, $t:literal))*))*) => {
            match (core, config.flow_bits) {
                $($(($w, $f) => {
                    let core = emit(name, Inline::<$w, $k, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 }, { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 },
                        { $f + 32 }, { $f + 50 }, { $f + 94 }, $l, $c, { $c + 1 }, $t, $b, { $c + $b }, { $f + 64 }, 48, 136, 159, { $k + 1 },
                        { $f + 2 }, 112, { $w + $k + 113 }>::new(&build, true))?;
                    replace_dma::<$w, $k, $f>(&core, &format!("{name}__path__core__control__dma"))
                })*)*
                _ => Err(format!("{config} is not built")),
            }
        };
    }
    arms!(
        (512, 64, 138, 15, 2: (10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16)(16, 16, 17, 17))
        (256, 32, 106, 13, 3: (10, 15, 13, 14)(13, 15, 14, 14)(14, 15, 15, 15)(16, 15, 17, 17))
    )
}
