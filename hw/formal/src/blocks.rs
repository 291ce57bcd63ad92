//! The blocks that are proven, emitted with small parameters: the same source as the NIC's, other
//! const generics.
use timely_hw::emit::emit;
use timely_hw::fifo::{Fifo, HeldFifo};
use timely_hw::{ack, csr, dma, engine, generator, mark, pacer, reaction, roce, time, txmux};
use timely_model::pacer::Timing;

/// A block's name, which is its top module's without `tnic_`, and its emission.
pub type Block = (&'static str, fn(&str) -> Result<String, String>);

const BLOCKS: &[Block] = &[
    // 4 words of 2 bits; 16 words of 1 bit.
    ("fifo", |n| emit(n, Fifo::<2, 2, 3>::default())),
    ("fifo_16", |n| emit(n, Fifo::<1, 4, 5>::default())),
    ("held_fifo", |n| emit(n, HeldFifo::<2, 2, 3>::default())),
    ("queue", |n| emit(n, engine::Queue::<2, 2>::default())),
    // 4 flows.
    ("ready", |n| emit(n, pacer::ready::Ready::<2, 1>::default())),
    ("park", |n| emit(n, pacer::park::Park::<2, 3>::default())),
    ("charge", |n| emit(n, pacer::charge::Charge::<2, 3>::default())),
    ("doorbell", |n| emit(n, pacer::doorbell::Doorbell::<2, 3, 34, 18>::default())),
    ("pass", |n| emit(n, pacer::pass::Pass::<2, 3, 13, 17, 52>::new(Timing::default()))),
    ("fate", |n| emit(n, pacer::pass::Fate::default())),
    ("bucket", |n| emit(n, pacer::pass::Bucket::default())),
    ("walkers", |n| emit(n, pacer::wheel::Walkers::<2, 3>::default())),
    ("first", |n| emit(n, pacer::wheel::First::default())),
    ("gate", |n| emit(n, pacer::gate::Gate::<2, 96>::default())),
    ("sorter", |n| emit(n, pacer::gate::Sorter::<2, 4, 2>::default())),
    ("txmux", |n| emit(n, txmux::TxMux::<8, 1>::default())),
    ("axil", |n| emit(n, csr::Axil::default())),
    ("ack", |n| emit(n, ack::Ack::<64, 8>::new())),
    ("notifier", |n| emit(n, roce::notifier::Notifier::<64, 8, 1, 4>::new())),
    ("mark", |n| emit(n, mark::Mark::<64, 8, 1, 74>::new(10, 13))),
    ("generator", |n| emit(n, generator::Generator::<64, 8, 1, 17>::new(2))),
    ("periods", |n| emit(n, reaction::Periods::default())),
    // RAM init of 4 clocks, so that looks are in reach of a reset.
    ("reaction", |n| emit(n, reaction::Reaction::<2>::new()).map(|v| v.replace("last_sweep = 17'b111111111;", "last_sweep = 17'b11;"))),
    ("arbiter", |n| emit(n, engine::Arbiter::<2>::default())),
    ("writer", |n| emit(n, dma::Writer::<64>::new())),
    ("reader", |n| emit(n, dma::Reader::<64>::new())),
    ("steady", |n| emit(n, time::Steady::new())),
    ("date", |n| emit(n, time::Date::new())),
];

/// The block of a name.
pub fn find(name: &str) -> Option<Block> {
    BLOCKS.iter().find(|b| b.0 == name).copied()
}

/// A block's Verilog.
///
/// # Errors
/// The emission of the block fails or panics.
pub fn verilog((name, emission): Block) -> Result<String, String> {
    // A design is one large value on the stack.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || emission(name)).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| format!("the emission of {name} panicked"))?
}
