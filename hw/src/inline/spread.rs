//! One stream of the host's to several ports, by what goes beside each frame.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::MetaAxisIn;
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::inline::spread::{PORTS, QUEUE};

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(QUEUE == 4 && PORTS == 4);

/// Offers each frame of `s_*` (`W` bits, `K` must be `W / 8`, `E` `K + 1`, `M` bits beside each
/// beat) to one of `N` ports, 4 at most: to port `n` if bit `17 + 2n` is set in what goes beside
/// its first beat, the lowest of several, and to port 0 if none is. `m_*` and `m_meta` are of
/// whichever port; `m_tvalid` says of which.
///
/// Latency: 3 clocks. Throughput: a beat a clock. Back pressure: 16 beats wait, then `s_tready`
/// falls; frames go on in order, so a port that does not take its frame holds up those behind it.
/// Model: `timely_model::inline::spread::Spread`.
#[derive(LogicBlock, Default)]
pub struct Spread<const W: usize, const K: usize, const M: usize, const E: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames.
    pub s: MetaAxisIn<W, K, M>,
    /// Beat: bytes in wire order, and their frame.
    pub m_tdata: Signal<Out, Bits<W>>,
    pub m_tkeep: Signal<Out, Bits<K>>,
    pub m_tvalid: Signal<Out, Bits<4>>,
    /// Beat: taken by the port if offered to it.
    pub m_tready: Signal<In, Bits<4>>,
    pub m_tlast: Signal<Out, Bit>,
    pub m_meta: Signal<Out, Bits<M>>,
    bytes: Fifo<W, 4, 5>,
    // Last 1, keep.
    ends: Fifo<E, 4, 5>,
    metas: Fifo<M, 4, 5>,
    /// Inside a frame, and its port.
    begun: DFF<Bit>,
    port: DFF<Bits<4>>,
    /// Sources that there are.
    known: Const<Bits<8>>,
    beside: Signal<Local, Bits<M>>,
    source: Signal<Local, Bits<8>>,
    way: Signal<Local, Bits<4>>,
    taken: Signal<Local, Bits<4>>,
    here: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    tail: Signal<Local, Bits<E>>,
}

impl<const W: usize, const K: usize, const M: usize, const E: usize, const N: usize> Spread<W, K, M, E, N> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && E == K + 1 && M >= 24 && (1..=PORTS).contains(&N), "widths of a demultiplexer of {W} bits and {N} ports");
        Self { known: Const::new(bits::<8>(0xaa & ((1 << (2 * N)) - 1))), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const M: usize, const E: usize, const N: usize> Logic for Spread<W, K, M, E, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, begun, port);
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.ends.clk.next = self.clk.val();
        self.ends.rst.next = self.rst.val();
        self.metas.clk.next = self.clk.val();
        self.metas.rst.next = self.rst.val();
        self.bytes.i_valid.next = self.s.tvalid.val();
        self.bytes.i_data.next = self.s.tdata.val();
        self.ends.i_valid.next = self.s.tvalid.val();
        self.ends.i_data.next = (bit_cast::<E, K>(self.s.tkeep.val()) << 1) | bit_cast::<E, 1>(self.s.tlast.val().into());
        self.metas.i_valid.next = self.s.tvalid.val();
        self.metas.i_data.next = self.s.meta.val();
        self.s.tready.next = self.bytes.i_ready.val();

        // All three move as one.
        self.here.next = self.bytes.o_valid.val() & self.ends.o_valid.val() & self.metas.o_valid.val();
        self.tail.next = self.ends.o_data.val();
        self.beside.next = self.metas.o_data.val();
        self.source.next = self.beside.val().get_bits::<8>(16) & self.known.val();
        self.way.next = bits::<4>(1);
        if self.source.val().get_bit(7) {
            self.way.next = bits::<4>(8);
        }
        if self.source.val().get_bit(5) {
            self.way.next = bits::<4>(4);
        }
        if self.source.val().get_bit(3) {
            self.way.next = bits::<4>(2);
        }
        if self.source.val().get_bit(1) {
            self.way.next = bits::<4>(1);
        }
        if self.begun.q.val() {
            self.way.next = self.port.q.val();
        }
        self.taken.next = self.m_tready.val() & self.way.val();
        self.goes.next = self.here.val() & self.taken.val().any();
        self.bytes.o_ready.next = self.goes.val();
        self.ends.o_ready.next = self.goes.val();
        self.metas.o_ready.next = self.goes.val();
        if self.goes.val() {
            self.begun.d.next = !self.tail.val().get_bit(0);
            self.port.d.next = self.way.val();
        }
        self.m_tvalid.next = bits::<4>(0);
        if self.here.val() {
            self.m_tvalid.next = self.way.val();
        }
        self.m_tdata.next = self.bytes.o_data.val();
        self.m_tkeep.next = self.tail.val().get_bits::<K>(1);
        self.m_tlast.next = self.tail.val().get_bit(0);
        self.m_meta.next = self.metas.o_data.val();
        if self.rst.val() {
            self.begun.d.next = false;
        }
    }
}
