//! The way in of a host's packets where flows are queue pairs.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::RequestInfo;
use crate::bus::{FlowStreamOut, MetaAxisIn, PairFlowIn, PairLookOut};
use crate::fifo::Fifo;
use crate::inline::waiting::Waiting;
use crate::roce::{Packet, Parse};
use rust_hdl::prelude::*;
use timely_model::inline::pairs::SETTLED;
use timely_model::queue_pairs::LATENCY;

// Lengths of the delay lines.
const _: () = assert!(LATENCY == 15 && SETTLED == 4);

/// Tells the packets of `s_*` (`W` bits, `K` must be `W / 8`, `N` `W / 64`) apart: SEND, WRITE and
/// READ requests of a pair that the table knows go to the store under its flow, one of more than
/// 9,728 bytes or with a gap nowhere, every other past the store. `m_info` is what travels beside a
/// request ([`RequestInfo`]), without a meaning for others. `M` bits go beside a packet; `E` must
/// be `K + 1`, `V` `F + 2`.
///
/// Latency: a packet's first beat is offered 34 clocks after its last beat, if nothing is in front
/// of it: the parser's 12, the table's 15, 4 for the load of a pair that was learned just before,
/// and 3 of the queue. Throughput: a beat a clock, packets of one beat too. Back pressure: as
/// [`Waiting`]. Model: `PairEntry` in `timely_model::inline::pairs`.
#[derive(LogicBlock, Default)]
pub struct PairEntry<const W: usize, const K: usize, const N: usize, const F: usize, const M: usize, const E: usize, const V: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames of the host.
    pub s: MetaAxisIn<W, K, M>,
    /// Pairs of requests are looked up, and may be learned.
    pub looks: PairLookOut,
    /// DSCPs of their packets.
    pub looks_dscp: Signal<Out, Bits<6>>,
    /// Flows, 15 clocks later.
    pub found: PairFlowIn<F>,
    /// Beat: bytes in wire order, and their frame.
    pub m_tdata: Signal<Out, Bits<W>>,
    pub m_tkeep: Signal<Out, Bits<K>>,
    pub m_tlast: Signal<Out, Bit>,
    pub m_meta: Signal<Out, Bits<M>>,
    pub m_info: Signal<Out, Bits<72>>,
    /// Frames of flows.
    pub paced: FlowStreamOut<F>,
    pub paced_ends: Signal<Out, Bit>,
    /// The beat is offered to the wire.
    pub past_valid: Signal<Out, Bit>,
    pub past_ready: Signal<In, Bit>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: Signal<Out, Bit>,
    pub drop_ready: Signal<In, Bit>,
    waiting: Waiting<W, K, F, M, E, V>,
    parse: Parse<W, K, N>,
    infos: Fifo<58, 9, 10>,
    // Packet 1, dropped 1.
    looking: [DFF<Bits<2>>; 15],
    settling: [DFF<Bit>; 4],
    ways: [DFF<Bits<V>>; 4],
    packet: Signal<Local, Packet>,
    tos: Signal<Local, Bits<8>>,
    ip_class: Signal<Local, Bits<2>>,
    is_read: Signal<Local, Bit>,
    is_request: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    info: Signal<Local, RequestInfo>,
    looked: Signal<Local, Bits<2>>,
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const M: usize, const E: usize, const V: usize>
    PairEntry<W, K, N, F, M, E, V>
{
    /// The block with its constants.
    pub fn new() -> Self {
        Self { waiting: Waiting::new(), parse: Parse::new(), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const M: usize, const E: usize, const V: usize> Logic
    for PairEntry<W, K, N, F, M, E, V>
{
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..15 {
            self.looking[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.settling[i].clock.next = self.clk.val();
            self.ways[i].clock.next = self.clk.val();
        }
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.parse.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.infos.clk.next = self.clk.val();
        self.infos.rst.next = self.rst.val();
        MetaAxisIn::<W, K, M>::link(&mut self.s, &mut self.waiting.s);
        self.parse.s.tdata.next = self.s.tdata.val();
        self.parse.s.tkeep.next = self.s.tkeep.val();
        self.parse.s.tvalid.next = self.waiting.pushed.val();
        self.parse.s.tlast.next = self.waiting.pushed_last.val();
        self.parse.s.ts.next = bits::<64>(0);
        self.parse.s.bad.next = self.waiting.pushed_bad.val();

        // The pair of a request is looked up: data 1, READ request 2.
        self.packet.next = self.parse.o_packet.val();
        self.ip_class.next = self.packet.val().ip_class;
        self.is_read.next = self.parse.o_kind.val() == bits::<3>(2);
        self.is_request.next = self.is_read.val() | (self.parse.o_kind.val() == bits::<3>(1));
        self.is_bad.next = (self.parse.o_kind.val() == bits::<3>(7)) & (self.parse.o_reason.val() == bits::<3>(1));
        self.looks.valid.next = self.parse.o_valid.val() & self.is_request.val();
        self.tos.next = self.packet.val().tos;
        self.looks.pair.next = self.packet.val().queue_pair;
        self.looks_dscp.next = self.tos.val().get_bits::<6>(2);
        // IPv4 as ::ffff:a.b.c.d, byte 0 lowest.
        self.looks.address.next = (self.packet.val().destination << 96) | (bits::<128>(0xffff) << 80);
        if self.ip_class.val().get_bit(1) {
            self.looks.address.next = self.packet.val().destination;
        }
        self.info.next.psn = self.packet.val().psn;
        self.info.next.read = self.is_read.val();
        self.info.next.asks = self.packet.val().ack_request;
        self.info.next.bytes = bit_cast::<32, 16>(self.packet.val().payload_bytes);
        if self.is_read.val() {
            self.info.next.bytes = self.packet.val().message_bytes;
        }
        self.info.next.flow = bits::<14>(0);
        self.infos.i_valid.next = self.parse.o_valid.val();
        self.infos.i_data.next = bit_cast::<58, 72>(self.info.val().into());
        self.looking[0].d.next = bit_cast::<2, 1>(self.parse.o_valid.val().into()) | (bit_cast::<2, 1>(self.is_bad.val().into()) << 1);
        for i in 0..14 {
            self.looking[i + 1].d.next = self.looking[i].q.val();
        }

        // What the table says becomes a way: 0 past, 2 dropped, 3 paced.
        self.looked.next = self.looking[14].q.val();
        self.settling[0].d.next = self.looked.val().get_bit(0);
        self.ways[0].d.next = bits::<V>(0);
        if self.found.valid.val() & self.found.hit.val() {
            self.ways[0].d.next = (bit_cast::<V, F>(self.found.flow.val()) << 2) | bits::<V>(3);
        }
        if self.looked.val().get_bit(1) {
            self.ways[0].d.next = bits::<V>(2);
        }
        for i in 0..3 {
            self.settling[i + 1].d.next = self.settling[i].q.val();
            self.ways[i + 1].d.next = self.ways[i].q.val();
        }
        self.waiting.way_valid.next = self.settling[3].q.val();
        self.waiting.way.next = self.ways[3].q.val();

        // The first of the queue goes its way.
        self.infos.o_ready.next = self.waiting.gone.val();
        self.m_info.next = bit_cast::<72, 58>(self.infos.o_data.val()) | (bit_cast::<72, F>(self.waiting.paced.flow.val()) << 58);
        self.paced.valid.next = self.waiting.paced.valid.val();
        self.paced.flow.next = self.waiting.paced.flow.val();
        self.waiting.paced.ready.next = self.paced.ready.val();
        self.paced_ends.next = self.waiting.paced_ends.val();
        self.past_valid.next = self.waiting.past_valid.val();
        self.waiting.past_ready.next = self.past_ready.val();
        self.dropped.next = self.waiting.dropped.val();
        self.waiting.drop_ready.next = self.drop_ready.val();
        self.m_tdata.next = self.waiting.m_tdata.val();
        self.m_tkeep.next = self.waiting.m_tkeep.val();
        self.m_tlast.next = self.waiting.m_tlast.val();
        self.m_meta.next = self.waiting.m_meta.val();
        if self.rst.val() {
            for i in 0..15 {
                self.looking[i].d.next = bits::<2>(0);
            }
            for i in 0..4 {
                self.settling[i].d.next = false;
            }
        }
    }
}
