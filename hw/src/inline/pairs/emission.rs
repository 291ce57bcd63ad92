//! The core with queue pairs as Verilog, at the widths that it is built for.
use super::PairInline;
use crate::config::Config;
use crate::dma::replace_dma;
use crate::emit::emit;
use crate::standalone::with_stack;

/// The module `name` and those below it, with 48 bits beside a frame; the store has 2^15 cells at
/// 512 bits, 2^13 at 256. With `stamped` departures and arrivals are stamped by the MAC.
///
/// # Errors
/// The core is not built with these numbers, or does not elaborate.
pub fn pair_core(name: &'static str, config: Config, clock_ps: u32, stamped: bool) -> Result<String, String> {
    with_stack(move || pair_core_here(name, config, clock_ps, stamped))
}

fn pair_core_here(name: &str, config: Config, clock_ps: u32, stamped: bool) -> Result<String, String> {
    let build = config.build(clock_ps);
    macro_rules! arms {
        ($(($w:literal, $k:literal, $l:literal, $c:literal, $b:literal: $(($f:literal, $s:literal, $x:literal, $t:literal))*))*) => {
            match (config.bus, config.flow_bits) {
                $($(($w, $f) => {
                    let core = emit(name, PairInline::<$w, $k, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 }, { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 },
                        { $f + 32 }, { $f + 50 }, { $f + 94 }, $l, $c, { $c + 1 }, $t, $b, { $c + $b }, { $f + 64 }, 48, 208, 231, { $k + 1 },
                        { $f + 2 }, 184, 120, { $w / 64 }, { $f - 3 }>::new(&build, stamped))?;
                    replace_dma::<$w, $k, $f>(&core, &format!("{name}__path__core__control__dma"))
                })*)*
                _ => Err(format!("{config} is not built with queue pairs: there are 256 and 512 bits with 2^10, 2^13 and 2^14 flows")),
            }
        };
    }
    arms!(
        (512, 64, 138, 15, 2: (10, 16, 13, 16)(13, 16, 14, 16)(14, 16, 15, 16))
        (256, 32, 106, 13, 3: (10, 15, 13, 14)(13, 15, 14, 14)(14, 15, 15, 15))
    )
}
