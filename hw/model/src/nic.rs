//! The standalone NIC of `timely_hw::standalone`: the core, and the traffic generator and launch
//! gate that are its packet source.
use crate::core::{Core, Source, mac};
use crate::part::Part;
use crate::stream::Beat;
use crate::{Block, core, csr, dma, generator, launch};
use timely_regs::counters::Counter;
use timely_regs::map::Build;

pub use crate::core::Out;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// All others.
    pub pins: core::Pins,
}

/// The NIC.
#[derive(Clone, Debug)]
pub struct Nic {
    core: Core<dma::Dma>,
    /// The core's outputs at the last step that was not of beats alone.
    shown: Option<Box<crate::core::Shown>>,
    generator: Part<generator::Generator>,
    gate: Part<launch::Launch>,
    /// Frames go through the gate.
    gated: bool,
    /// The generator is inside a frame.
    inside: bool,
    /// Reset, as the blocks see it: a clock late.
    reset: bool,
}

fn generator_config(c: &csr::Settings) -> generator::Config {
    generator::Config { mac: mac(c.mac), ipv4: c.ipv4.to_le_bytes(), ipv6: c.ipv6.to_le_bytes(), key: c.nonce_key, keyed: c.nonce_keyed }
}

impl Nic {
    /// A NIC whose `rst` was 1 at the clock before 0.
    pub fn new(build: Build) -> Self {
        Nic {
            core: Core::new(build, dma::Dma::new(build.flow_bits, build.bus_bits)),
            shown: None,
            generator: Part::new(generator::Generator::new(build.flow_bits, build.bus_bits as usize, build.ring_bits)),
            gate: Part::new(launch::Launch::new()),
            gated: false,
            inside: false,
            reset: true,
        }
    }

    /// The NIC with all flows' segments counted from `segment` on, after resets too, to test what
    /// happens when the numbers run over.
    pub fn counting_from(mut self, segment: u32) -> Self {
        self.generator.block = self.generator.block.counting_from(segment);
        self
    }

    /// The date at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        self.core.now(clk)
    }

    /// The beat at the transmit stream at clock `clk`, and its frame's tag.
    pub fn tx(&self, clk: u64) -> Option<(Beat, u16)> {
        self.core.tx(clk)
    }

    /// The interrupt lines at clock `clk`.
    pub fn irq(&self, clk: u64) -> u32 {
        self.core.irq(clk)
    }

    // The edge that ends a clock in which the core is calm, if the packet source does no more than
    // go on with its frame.
    fn moves_beats_alone(&mut self, clk: u64, pins: &core::Pins) -> bool {
        let generator = self.generator.block.output(clk);
        let source = Source {
            data: generator.beat,
            sent: generator.sent,
            doorbell: generator.doorbell,
            charge: generator.charge,
            pulses: generator.pulses,
            swept: generator.swept,
            ..Source::default()
        };
        if self.gated || clk >= self.gate.due || !source.gives_beats_alone() {
            return false;
        }
        let ready = self.core.takes_data(clk);
        let (settings, doorbell_ready) = (self.core.settings(), self.core.takes_doorbell(clk));
        self.generator.step(clk, generator.beat.is_some(), || generator::In {
            rst: false,
            config: generator_config(settings),
            load: None,
            host_doorbell: None,
            grant: None,
            doorbell_ready,
            ready,
        });
        if !self.inside && generator.beat.is_none() {
            self.gated = settings.lead != 0;
        }
        if let Some((beat, _)) = generator.beat.filter(|_| ready) {
            self.inside = !beat.last;
        }
        self.core.step_calm(clk, pins, &source);
        true
    }
}

impl Block for Nic {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        self.core.output(clk)
    }

    fn step(&mut self, clk: u64, i: &In) {
        let rst = self.reset;
        self.reset = i.rst;
        if !rst && self.core.is_calm(clk, &i.pins) && self.moves_beats_alone(clk, &i.pins) {
            return;
        }
        let mut core = self.shown.take().unwrap_or_else(|| self.core.show(clk).into());
        self.core.show_again(clk, &mut core);
        let generator = self.generator.block.output(clk);
        let gate = self.gate.block.output(clk);
        // Frames go through the gate or past it.
        let gated = self.gated;
        let (data, data_ready) = if gated { (gate.beat, gate.ready) } else { (generator.beat, core.data_ready) };
        let missed = u64::from(gate.missed) << Counter::LaunchesMissed as u32;
        let source = Source {
            data,
            sent: generator.sent,
            doorbell: generator.doorbell,
            charge: generator.charge,
            grant_ready: generator.grant_ready,
            host_doorbell_ready: generator.host_doorbell_ready,
            pulses: generator.pulses | missed,
            swept: generator.swept,
            ..Source::default()
        };
        let changed = self.core.step(clk, rst, &core, &i.pins, &source);
        let c = &core.csr.settings;
        let asked = core.csr.doorbell.is_some() || core.grant.is_some() || core.load.is_some() || generator.doorbell.is_some();
        self.generator.step(clk, changed || asked || generator.beat.is_some(), || generator::In {
            rst,
            config: generator_config(c),
            load: core.load,
            host_doorbell: core.csr.doorbell.map(|d| (d.flow, d.packets)),
            grant: core.grant,
            doorbell_ready: core.doorbell_ready,
            ready: data_ready,
        });
        let timed = generator.beat.filter(|_| gated).map(|(beat, tag)| launch::Timed { beat, tag, launch: Some(generator.launch) });
        self.gate.step(clk, rst || timed.is_some(), || launch::In { rst, beat: timed, now: core.time.steady, ready: core.data_ready });
        if !self.inside && generator.beat.is_none() && gate.empty {
            self.gated = c.lead != 0;
        }
        if let Some((beat, _)) = generator.beat.filter(|_| data_ready) {
            self.inside = !beat.last;
        }
        self.shown = Some(core);
        if rst {
            (self.gated, self.inside) = (false, false);
        }
    }

    /// A beat that stands at the transmit stream and is not taken asks for no clock by itself.
    fn wake(&self, clk: u64) -> u64 {
        if self.reset { clk } else { self.core.wake(clk).min(self.generator.due).min(self.gate.due).max(clk) }
    }
}
