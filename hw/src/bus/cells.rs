//! Streams of the packet store.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// AXI4-Stream with `M` bits of the shell's beside each beat. Beats as those of `AxisOut`.
    MetaAxisOut, "MetaAxisOut", MetaAxisIn, "MetaAxisIn", [const W: usize, const K: usize, const M: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
    Forth meta: Bits<M>,
}

bus! {
    /// Packets that leave the store, with their grants' launch, ns48.fns16.
    StoredAxisOut, "StoredAxisOut", StoredAxisIn, "StoredAxisIn", [const W: usize, const K: usize, const M: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
    Forth flow: Bits<16>,
    Forth launch: Bits<64>,
    Forth meta: Bits<M>,
}

bus! {
    /// A beat is written into a cell. `W` bus bits, 2^`A` beats.
    BeatWriteOut, "BeatWriteOut", BeatWriteIn, "BeatWriteIn", [const W: usize, const A: usize]
    Forth valid: Bit,
    Forth at: Bits<A>,
    Forth data: Bits<W>,
}

bus! {
    /// A packet joins its flow's queue behind `tail`. `F` flow bits, 2^`C` cells, `T` bits a node.
    JoinOut, "JoinOut", JoinIn, "JoinIn", [const F: usize, const C: usize, const T: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth node: Bits<T>,
    Forth cell: Bits<C>,
    Forth cells: Bits<6>,
    Forth tail: Bits<T>,
}
