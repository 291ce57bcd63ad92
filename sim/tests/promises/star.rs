//! Hosts around one switch, whose NICs are model NICs of one form.
use crate::common::thorough;
use std::fmt;
use std::path::Path;
use timely_sim::cores::{self, CoreFactory, CoreSpec, Prepared};
use timely_sim::run::Observer;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::{Form, file};

/// Unloaded RTT that profiles are made for, us.
pub const BASE_US: f64 = 8.0;

/// Hosts around one switch.
#[derive(Clone, Copy, Debug)]
pub struct Star {
    /// Form of the NICs.
    pub form: Form,
    /// The links, Gb/s.
    pub gbps: u32,
    /// log2 of the flows of a NIC.
    pub flow_bits: u32,
}

impl fmt::Display for Star {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} Gb/s, 2^{} flows", self.form.name(), self.gbps, self.flow_bits)
    }
}

impl Star {
    /// Each form once, or with `TIMELY_CYCLES` set for a soak each form at each speed and size.
    pub fn all() -> Vec<Star> {
        use Form::{Corundum, Inline, Standalone};
        let star = |(form, gbps, flow_bits)| Star { form, gbps, flow_bits };
        if !thorough() {
            return [(Standalone, 10, 10), (Inline, 25, 13), (Corundum, 100, 13)].map(star).into();
        }
        let forms = [Standalone, Inline, Corundum].into_iter();
        let all = forms.flat_map(|form| [10, 25, 100].map(|gbps| [10, 13, 14, 16].map(|bits| (form, gbps, bits)))).flatten();
        all.filter(|(form, _, bits)| *form != Corundum || Form::CORUNDUM_FLOW_BITS.contains(bits)).map(star).collect()
    }

    fn bus_bits(self) -> u32 {
        let narrowest = match self.gbps {
            10 => 64,
            25 => 128,
            _ => 512,
        };
        if self.form == Form::Inline { narrowest.max(Form::INLINE_BITS) } else { narrowest }
    }

    /// Runs `hosts` hosts for so many milliseconds, with these profiles and flows of a scenario
    /// file, on NICs from `cores`.
    pub fn run(self, hosts: u32, ms: f64, rest: &str, cores: &dyn CoreFactory, observer: impl Observer) -> Outcome {
        // With reads of 3 us Corundum's 32 requests of 1,514 bytes are 96 Gb/s.
        let dma = if self.form == Form::Corundum { "dma_ns = 2000\n" } else { "" };
        let text = format!(
            "name = 'star'\nduration_ms = {ms}\nseed = 3\nbase_rtt_us = {BASE_US}\n[topology]\nhosts = {hosts}\n\
             [link]\nrate_gbps = {}\ndelay_ns = 500\n[switch]\nlatency_ns = 300\nxoff_kb = 1000\n\
             [nic]\nkind = 'model'\nform = '{}'\nbus_bits = {}\nflow_bits = {}\n{dma}{rest}",
            self.gbps,
            self.form.name(),
            self.bus_bits(),
            self.flow_bits
        );
        let mut plan = file::parse(Path::new("star.toml"), &text).unwrap_or_else(|e| panic!("{self}: {e}"));
        plan.snapshot = true;
        build::run(plan, cores, observer).unwrap_or_else(|e| panic!("{self}: {e}"))
    }
}

/// Packets of 1,424 bytes of payload, 1,538 on the wire, two a segment.
pub const PACKETS: &str = "packet_bytes = 1424\nsegment_bytes = 2848\n";

/// Model NICs, each changed by `dress` once it is set up.
pub struct Dressed<D>(pub D);

impl<D: Fn(&CoreSpec, &mut Prepared) + Sync> CoreFactory for Dressed<D> {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let mut prepared = cores::known().build(spec)?;
        (self.0)(spec, &mut prepared);
        Ok(prepared)
    }
}

/// Mb/s of the wire that each flow had in the steady part, in the order of the scenario.
pub fn rates(outcome: &Outcome) -> Vec<f64> {
    let windows = outcome.recorder.windows;
    let us = (windows.end - windows.steady) as f64 * 1e-6;
    outcome.recorder.flows.iter().map(|f| f.wire_steady as f64 * 8.0 / us).collect()
}
