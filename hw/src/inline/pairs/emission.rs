//! The core with queue pairs as Verilog, at the widths that it is built for.
use super::PairInline;
use crate::config::Config;
use crate::dma::replace_dma;
use crate::emit::emit;
use crate::standalone::with_stack;

/// log2 of the flow counts that the core is built for: the table of queue pairs stands in `2^(F +
/// 1)` places a side, and its RAMs for 2^16 flows would be more than the store's.
pub const FLOW_BITS: [usize; 3] = [10, 13, 14];

/// How the core is joined to its shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Bits beside a frame: 48 or 128.
    pub beside: usize,
    /// The MAC stamps departures and arrivals; else frames are stamped at the core's ports.
    pub stamped: bool,
}

impl Joint {
    /// 48 bits beside a frame, stamped at the core's ports: OpenNIC's.
    pub const PORTS: Joint = Joint { beside: 48, stamped: false };
}

/// The module `name` and those below it; the store has 2^15 cells at 512 bits, 2^13 at 256.
///
/// # Errors
/// The core is not built with these numbers, or does not elaborate.
pub fn pair_core(name: &str, config: Config, clock_ps: u32, joint: Joint) -> Result<String, String> {
    let name = name.to_owned();
    with_stack(move || pair_core_here(&name, config, clock_ps, joint))
}

fn pair_core_here(name: &str, config: Config, clock_ps: u32, joint: Joint) -> Result<String, String> {
    let build = config.build(clock_ps);
    macro_rules! arms {
        ($(($m:literal, $w:literal, $k:literal, $l:literal, $c:literal, $b:literal: $(($f:literal, $s:literal, $x:literal, $t:literal))*))*) => {
            match (joint.beside, config.bus, config.flow_bits) {
                $($(($m, $w, $f) => {
                    let core = emit(name, PairInline::<$w, $k, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 }, { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 },
                        { $f + 32 }, { $f + 50 }, { $f + 94 }, $l, $c, { $c + 1 }, $t, $b, { $c + $b }, { $f + 64 }, $m, { $m + 160 }, { $m + 183 }, { $k + 1 },
                        { $f + 2 }, { $m + 136 }, { $m + 72 }, { $w / 64 }, { $f - 3 }, { $w / 16 }>::new(&build, joint.stamped))?;
                    replace_dma::<$w, $k, $f>(&core, &format!("{name}__path__core__control__dma"))
                })*)*
                _ => Err(format!("{config} is not built with queue pairs: there are 256 and 512 bits with 2^10, 2^13 and 2^14 flows")),
            }
        };
    }
    arms!(
        (48, 512, 64, 138, 15, 2: (10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16))
        (48, 256, 32, 106, 13, 3: (10, 15, 13, 14)(13, 15, 14, 14)(14, 15, 15, 15))
        (128, 512, 64, 138, 15, 2: (10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16))
        (128, 256, 32, 106, 13, 3: (10, 15, 13, 14)(13, 15, 14, 14)(14, 15, 15, 15))
    )
}
