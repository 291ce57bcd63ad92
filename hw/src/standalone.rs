//! The standalone shell: the core with a traffic generator in place of a host's queues, which the
//! simulator and the driver's tests run.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{
    AxiMaster, AxilSlave, ChargeOut, CompletionIn, DoorbellOut, FlowLoadOut, GrantOut, PairSourceOut, RateOut, ReceivedIn, SampleTapOut,
    SentOut, TaggedAxisOut,
};
use crate::config::Config;
use crate::constant::Const;
use crate::construct::construct;
use crate::core::Core;
use crate::generator::Generator;
use crate::launch::Launch;
use crate::roce::NoPairs;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::map::Build;

/// Core and generator behind an AXI-Lite slave and a MAC's streams.
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `2^S` places in the ring of departures, `A` the
/// greater of `F` and `S`, `X` log2 of the calendar's slots, `D = F + 16`, `L = K + 74`; the rest
/// are widths inside the pacer ([`Pacer`](crate::pacer::Pacer)).
///
/// Unless `LEAD` is 0, the pacer decides that much ahead, and frames of the generator wait for
/// their launch in a gate; otherwise they go past it. A new `LEAD` counts for the frames from when
/// the generator and the gate are between two. Model: `timely_model::nic`.
#[derive(LogicBlock)]
pub struct Standalone<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, for two clocks at least: it reaches the blocks a clock late.
    pub rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Received frames.
    pub s_axis_rx: ReceivedIn<W, K>,
    /// Frames to send.
    pub m_axis_tx: TaggedAxisOut<W, K>,
    /// Departures of frames.
    pub tx_cpl: CompletionIn,
    /// PTP time is there.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP time, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Paused priorities (PFC).
    pub pause: Signal<In, Bits<8>>,
    /// The date, ns48.fns16: what stamps are.
    pub now: Signal<Out, Bits<64>>,
    /// No grant leaves: not enabled, or the heartbeat was lost.
    pub stopped: Signal<Out, Bit>,
    /// Tap: RTT samples and time-outs.
    pub tap_sample: SampleTapOut<F>,
    /// Tap: rates that were computed.
    pub tap_rate: RateOut<F>,
    /// Host memory.
    pub m_axi: AxiMaster<W, K>,
    /// Interrupt lines, `timely_regs::map::dma`; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Tap: an event record leaves.
    pub tap_rec_valid: Signal<Out, Bit>,
    /// Tap: the record, word `i` in bits `32i+31..32i`.
    pub tap_rec_data: Signal<Out, Bits<512>>,
    reset: DFF<Bit>,
    core: Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>,
    generator: Generator<W, K, F, D>,
    gate: Launch<W, K, L>,
    /// Frames go through the gate.
    gated: DFF<Bit>,
    /// The generator is inside a frame.
    begun: DFF<Bit>,
    no_pairs: NoPairs<F>,
    taken: Signal<Local, Bit>,
    missed_bit: Const<Bits<64>>,
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
> Standalone<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
{
    /// The shell of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        construct!({ core: Core::new(build), generator: Generator::new(build.ring_bits), missed_bit: Const::new(bits::<64>(1 << Counter::LaunchesMissed as u64)) }
            clk, rst, s_axil, s_axis_rx,
            m_axis_tx,
            tx_cpl, ptp_valid, ptp_time, pause, now, stopped, tap_sample,
            tap_rate, tap_rec_valid, tap_rec_data, m_axi, irq, reset, gate, gated, begun, taken, no_pairs,
        )
    }
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
> Logic for Standalone<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, reset, gated, begun);
        // One register in front of a signal that nearly every register of the design reads.
        self.reset.d.next = self.rst.val();
        self.core.clk.next = self.clk.val();
        self.core.rst.next = self.reset.q.val();
        self.generator.clk.next = self.clk.val();
        self.generator.rst.next = self.reset.q.val();
        self.gate.clk.next = self.clk.val();
        self.gate.rst.next = self.reset.q.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.core.s_axil);
        ReceivedIn::<W, K>::link(&mut self.s_axis_rx, &mut self.core.s_axis_rx);
        TaggedAxisOut::<W, K>::link(&mut self.m_axis_tx, &mut self.core.m_axis_tx);
        CompletionIn::link(&mut self.tx_cpl, &mut self.core.tx_cpl);
        self.core.ptp_valid.next = self.ptp_valid.val();
        self.core.ptp_time.next = self.ptp_time.val();
        self.now.next = self.core.date.val();
        self.stopped.next = self.core.stop.val();
        SampleTapOut::<F>::link(&mut self.tap_sample, &mut self.core.tap_sample);
        RateOut::<F>::link(&mut self.tap_rate, &mut self.core.rate);
        AxiMaster::<W, K>::link(&mut self.m_axi, &mut self.core.m_axi);
        self.irq.next = self.core.irq.val();
        self.tap_rec_valid.next = self.core.tap_rec_valid.val();
        self.tap_rec_data.next = self.core.tap_rec_data.val();
        // Control half and generator.
        self.gate.now.next = self.core.steady.val();
        self.gate.s.tdata.next = self.generator.m.tdata.val();
        self.gate.s.tkeep.next = self.generator.m.tkeep.val();
        self.gate.s.tvalid.next = self.generator.m.tvalid.val() & self.gated.q.val();
        self.gate.s.tlast.next = self.generator.m.tlast.val();
        self.gate.s.tag.next = self.generator.m.tag.val();
        self.gate.s_timed.next = true;
        self.gate.s_launch.next = self.generator.sent.launch.val();
        self.gate.m.tready.next = self.core.d.tready.val();
        self.core.d.tdata.next = self.generator.m.tdata.val();
        self.core.d.tkeep.next = self.generator.m.tkeep.val();
        self.core.d.tvalid.next = self.generator.m.tvalid.val();
        self.core.d.tlast.next = self.generator.m.tlast.val();
        self.core.d.tag.next = self.generator.m.tag.val();
        self.generator.m.tready.next = self.core.d.tready.val();
        if self.gated.q.val() {
            self.core.d.tdata.next = self.gate.m.tdata.val();
            self.core.d.tkeep.next = self.gate.m.tkeep.val();
            self.core.d.tvalid.next = self.gate.m.tvalid.val();
            self.core.d.tlast.next = self.gate.m.tlast.val();
            self.core.d.tag.next = self.gate.m.tag.val();
            self.generator.m.tready.next = self.gate.s.tready.val();
        }
        self.taken.next = self.generator.m.tvalid.val() & self.generator.m.tready.val();
        if self.taken.val() {
            self.begun.d.next = !self.generator.m.tlast.val();
        }
        if (!self.begun.q.val() & !self.generator.m.tvalid.val()) & self.gate.empty.val() {
            self.gated.d.next = self.core.settings.val().lead.any();
        }
        if self.reset.q.val() {
            self.begun.d.next = false;
            self.gated.d.next = false;
        }
        PairSourceOut::<F>::join(&mut self.no_pairs.pairs, &mut self.core.pairs);
        SentOut::<F>::join(&mut self.generator.sent, &mut self.core.sent);
        self.generator.cfg_mac.next = self.core.settings.val().mac;
        self.generator.cfg_ipv4.next = self.core.settings.val().ipv4;
        self.generator.cfg_ipv6.next = self.core.settings.val().ipv6;
        FlowLoadOut::<F>::join(&mut self.core.fl, &mut self.generator.fl);
        DoorbellOut::<F>::join(&mut self.core.hd, &mut self.generator.hd);
        self.core.pause.next = self.pause.val();
        // Generator and pacer.
        DoorbellOut::<F>::join(&mut self.generator.doorbell, &mut self.core.doorbell);
        ChargeOut::<F>::join(&mut self.generator.charge, &mut self.core.charge);
        GrantOut::<F>::join(&mut self.core.grant, &mut self.generator.grant);
        self.generator.cfg_key.next = self.core.settings.val().nonce_key;
        self.generator.cfg_keyed.next = self.core.settings.val().nonce_keyed.any();
        self.core.source_pulses.next = bit_cast::<64, 32>(self.generator.pulses.val());
        if self.gate.missed.val() {
            self.core.source_pulses.next = bit_cast::<64, 32>(self.generator.pulses.val()) | self.missed_bit.val();
        }
        self.core.source_swept.next = self.generator.swept.val();
    }
}

/// Stack that elaboration gets.
const STACK_BYTES: usize = 1 << 29;

/// The Verilog of one configuration, with `tnic_standalone` as its top module.
///
/// # Errors
/// RustHDL's checks reject the design; the reason as text.
pub fn emit(config: Config, clock_ps: u32) -> Result<String, String> {
    with_stack(move || emit_here(config, clock_ps))
}

/// Elaborates on a stack that is large enough: the design is one large value, and RustHDL passes it
/// by value.
pub(crate) fn with_stack<T: Send + 'static>(emission: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(emission).map_err(|e| e.to_string())?;
    thread.join().unwrap_or_else(|_| Err("elaboration panicked".into()))
}

pub(crate) fn emit_here(config: Config, clock_ps: u32) -> Result<String, String> {
    emit_build(&config.build(clock_ps))
}

/// A build that need not have as many segments outstanding as its flow count usually has.
pub(crate) fn emit_build(build: &Build) -> Result<String, String> {
    emit_named("standalone", build)
}

/// Verilog of a build with another name, for a shell that has it inside.
pub(crate) fn emit_named(name: &str, build: &Build) -> Result<String, String> {
    macro_rules! arms {
        ($(($w:literal, $f:literal, $s:literal, $x:literal))*) => {
            match (build.bus_bits, build.flow_bits, build.ring_bits) {
                $(($w, $f, $s) => crate::emit::emit(name, Standalone::<$w, { $w / 8 }, $f, $s, { if $f > $s { $f } else { $s } }, $x, { $f + 16 },
                    { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 }, { $f + 32 }, { $f + 50 }, { $f + 94 }, { $w / 8 + 74 }>::new(build)),)*
                _ => Err(format!("{build:?} is not built")),
            }
        };
    }
    // Rings of 2^10 places are for ECP5s, that of 2^9 flows for a board whose ECP5 has no RAM for
    // more.
    arms!(
        (64, 9, 10, 13)(64, 10, 10, 13)(64, 10, 13, 13)(64, 13, 13, 14)(64, 14, 13, 15)(64, 16, 13, 17)(128, 10, 14, 13)(128, 13, 14, 14)(
            128, 14, 14, 15
        )(128, 16, 14, 17)(256, 10, 15, 13)(256, 13, 15, 14)(256, 14, 15, 15)(256, 16, 15, 17)(512, 10, 16, 13)(512, 13, 16, 14)(
            512, 14, 16, 15
        )(512, 16, 16, 17)
    )
}
