//! The blocks by themselves, in the configurations whose area and speed are recorded
//! (`docs/synthesis.md`).
use crate::ack::Ack;
use crate::config::{CLOCK_PS, Config};
use crate::control::Control;
use crate::core::Core;
use crate::csr::Csr;
use crate::dma::{Dma, replace_dma};
use crate::emit::emit;
use crate::engine::Engine;
use crate::fifo::Fifo;
use crate::frame::Frame;
use crate::generator::Generator;
use crate::inline::entry::Entry;
use crate::inline::exit::Exit;
use crate::launch::Launch;
use crate::mark::Mark;
use crate::pacer::Pacer;
use crate::pacer::doorbell::Doorbell;
use crate::pacer::gate::Gate;
use crate::pacer::pass::Pass;
use crate::pacer::wheel::Wheel;
use crate::parse::Parse;
use crate::reaction::Reaction;
use crate::roce;
use crate::roce::notifier::Notifier;
use crate::roce::queue_pairs::{PairRules, QueuePairs};
use crate::roce::round_trips::RoundTrips;
use crate::rtt::Rtt;
use crate::scheduler::Scheduler;
use crate::scheduler::courier::Courier;
use crate::scheduler::queues::Queues;
use crate::shells::ecpix5::small::in_luts;
use crate::short::short;
use crate::standalone;
use crate::store::Store;
use crate::telemetry::{Histograms, Recorder, Telemetry};
use crate::time::Time;
use crate::txmux::TxMux;
use timely_model::pacer::Timing;
use timely_regs::map::Build;

/// Figures that are recorded of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The block's area, and its speed on an ECP5.
    Speed,
    /// The block's area alone: its RAM is more than an ECP5 has, or a whole that it is part of is
    /// placed already.
    Area,
}
use Measure::{Area, Speed};

/// A block in one configuration.
pub struct Block {
    /// Name, without our prefix: the block, then bus bits and flow bits where it has them.
    pub name: &'static str,
    /// Figures that are recorded of the block.
    pub measure: Measure,
    emit: fn() -> Result<String, String>,
}

impl Block {
    /// Verilog of the block; the first module is the top.
    ///
    /// # Errors
    /// RustHDL's checks reject the block; the reason as text.
    pub fn emit(&self) -> Result<String, String> {
        standalone::with_stack(self.emit)
    }
}

fn build(flow_bits: usize) -> Build {
    Config { bus: 64, flow_bits }.build(CLOCK_PS)
}

// Without DMA, as in the shells whose host reads telemetry by registers. RAMs of profiles' words,
// of delays and of few words go into LUTs: with them the core takes more than an ECP5's 208.
fn small_core() -> Result<String, String> {
    let build = Build { ring_bits: 10, ..build(10) };
    let core = emit("core", Core::<64, 8, 10, 10, 10, 13, 26, 9, 17, 9, 11, 42, 60, 104>::new(&build))?;
    replace_dma::<64, 8, 10>(&core, "core__control__dma").map(|v| short(&in_luts(&v).0))
}

macro_rules! blocks {
    ($($name:literal $measure:ident $block:expr;)*) => {
        &[$(Block { name: $name, measure: $measure, emit: || emit($name, $block) },)*
            // Of 8 segments a flow, as its RTT below; and its RAMs are cut, for an ECP5 has about
            // half of the block RAM.
            Block { name: "core_64_10_small", measure: Speed, emit: small_core },
            Block { name: "nic_64_10", measure: Area, emit: || standalone::emit_here(Config { bus: 64, flow_bits: 10 }, CLOCK_PS) },
            Block { name: "nic_512_14", measure: Area, emit: || standalone::emit_here(Config { bus: 512, flow_bits: 14 }, CLOCK_PS) }]
    };
}

/// All that are recorded; a `core` is both halves, a `nic` the standalone shell, traffic generator
/// and DMA included.
pub const BLOCKS: &[Block] = blocks! {
    "parse_64" Speed Parse::<64, 8>::default();
    "parse_512" Speed Parse::<512, 64>::default();
    "roce_64" Speed roce::Parse::<64, 8, 1>::new();
    "roce_512" Speed roce::Parse::<512, 64, 8>::new();
    "mend_64" Speed roce::Mend::<64, 8, 1>::new();
    "mend_512" Speed roce::Mend::<512, 64, 8>::new();
    "queue_pairs_10" Speed QueuePairs::<10, 7, 11>::new();
    "queue_pairs_14" Area QueuePairs::<14, 11, 15>::new();
    "pair_rules" Speed PairRules::new();
    "round_trips_10" Speed RoundTrips::<10>::new();
    "round_trips_14" Area RoundTrips::<14>::new();
    "read_charge_10" Speed roce::ReadCharge::<10, 11>::new();
    "read_charge_14" Area roce::ReadCharge::<14, 15>::new();
    "notifier_64_10" Speed Notifier::<64, 8, 10, 4>::new();
    "notifier_512_14" Area Notifier::<512, 64, 14, 32>::new();
    "ack_64" Speed Ack::<64, 8>::new();
    "ack_512" Speed Ack::<512, 64>::new();
    "frame_64" Speed Frame::<64, 8, 1>::default();
    "frame_512" Speed Frame::<512, 64, 1>::default();
    "txmux_64" Speed TxMux::<64, 8>::default();
    "txmux_512" Speed TxMux::<512, 64>::default();
    "generator_64_10" Speed Generator::<64, 8, 10, 26>::new(13);
    "generator_512_14" Area Generator::<512, 64, 14, 30>::new(16);
    "rtt_10" Area Rtt::<10, 13, 13>::new();
    // Of 8 segments a flow in place of 32, for which an ECP5 has no RAM: nothing else depends on
    // it.
    "rtt_10_small" Speed Rtt::<10, 10, 10>::new();
    "rtt_14" Area Rtt::<14, 16, 16>::new();
    "rtt_16" Area Rtt::<16, 16, 16>::new();
    "engine_10" Speed Engine::<10>::default();
    "engine_14" Area Engine::<14>::default();
    "reaction_10" Speed Reaction::<10>::new();
    "reaction_14" Area Reaction::<14>::new();
    "pacer_10" Speed Pacer::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104>::new(Timing::default());
    "pacer_14" Area Pacer::<14, 15, 11, 19, 13, 15, 30, 46, 64, 108>::new(Timing::default());
    "pacer_16" Area Pacer::<16, 17, 13, 21, 15, 17, 32, 48, 66, 110>::new(Timing::default());
    "pass_10" Speed Pass::<10, 11, 13, 17, 60>::new(Timing::default());
    "wheel_10" Speed Wheel::<10, 13, 9, 11>::new();
    "gate_10" Speed Gate::<10, 104>::default();
    "doorbell_10" Speed Doorbell::<10, 11, 42, 26>::default();
    "telemetry_10" Speed Telemetry::<10>::new();
    "telemetry_14" Area Telemetry::<14>::new();
    "recorder_10" Speed Recorder::<10, 9, 10>::new();
    "histograms" Speed Histograms::new();
    "dma_64_10" Speed Dma::<64, 8, 10>::new();
    "dma_512_14" Speed Dma::<512, 64, 14>::new();
    "csr_10" Speed Csr::<10>::new(&build(10));
    "launch_64" Speed Launch::<64, 8, 82>::default();
    "launch_512" Speed Launch::<512, 64, 138>::default();
    "mark_64" Speed Mark::<64, 8, 49, 122>::new(10, 13);
    "mark_512" Speed Mark::<512, 64, 49, 626>::new(13, 16);
    "store_64_10" Speed Store::<64, 8, 10, 9, 10, 11, 5, 14, 74, 48, 136, 159>::new();
    "store_512_14" Area Store::<512, 64, 14, 15, 16, 16, 2, 17, 78, 48, 136, 159>::new();
    "entry_512_14" Area Entry::<512, 64, 14, 48, 65, 16>::new();
    "exit_512_14" Area Exit::<512, 64, 14, 15>::new();
    "courier_10" Speed Courier::<10, 11, 42>::new();
    "queues_10" Speed Queues::<10, 11, 12, 16, 75, 35>::new();
    "scheduler_13" Area Scheduler::<13, 14, 10, 18, 12, 14, 29, 45, 63, 107, 15, 78, 38, 19>::new(Timing::default());
    "time" Speed Time::new();
    "fifo" Speed Fifo::<64, 5, 6>::default();
    "control_64_10" Area Control::<64, 8, 10, 13, 13>::new(&build(10));
};
