//! The way in of a host's packets where flows are queue pairs.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{RequestInfo, WaitingInfo};
use crate::bus::{FlowStreamOut, MetaAxisIn, PairFlowIn, PairLookOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use crate::flow_ram::FlowRam;
use crate::inline::waiting::Waiting;
use crate::roce::{Mend, Packet, Parse, ack_byte};
use rust_hdl::prelude::*;
use timely_model::inline::pairs::SETTLED;
use timely_model::queue_pairs::LATENCY;
use timely_regs::roce::ICRC_BYTES;
use timely_regs::wire::Class;

// Lengths of the delay lines.
const _: () = assert!(LATENCY == 15 && SETTLED == 4 && ICRC_BYTES == 4);

/// Tells the packets of `s_*` (`W` bits, `K` must be `W / 8`, `N` `W / 64`) apart: SEND, WRITE and
/// READ requests of a pair that the table knows go to the store under its flow, one of more than
/// 9,728 bytes or with a gap nowhere, every other past the store. With `cfg_learns_acks` ACKs go
/// past and make their pair known too. `m_info` is what travels beside a request
/// ([`RequestInfo`]), without a meaning for others. `M` bits go beside a packet; `E` must be
/// `K + 1`, `V` `F + 2`.
///
/// Where `cfg_ask_every` is not 0, data that are so many packets behind their pair's last one that
/// asks for an ACK ask for one: AckReq is set, and the check sequence mended ([`Mend`]), but not in
/// packets with a UDP checksum or with bytes behind the sequence, and not where AckReq and sequence
/// are in one beat; then the next packet asks. Packets are counted from `2^F` clocks behind a reset
/// on.
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
    /// Packets from one that asks for an ACK to the next; 0 as the host has them.
    pub cfg_ask_every: Signal<In, Bits<8>>,
    /// An ACK makes its pair known too.
    pub cfg_learns_acks: Signal<In, Bit>,
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
    // Packet 1, dropped 1, data 1, asks 1; of data: may be made to ask 1, else: an ACK 1.
    looking: [DFF<Bits<5>>; 15],
    settling: [DFF<Bit>; 4],
    ways: [DFF<Bits<V>>; 4],
    // Of a packet of a flow's data: asks 1, may be made to ask 1.
    facts: [DFF<Bits<2>>; 3],
    /// Packets of a flow since its last one that asks, 255 at most.
    counts: FlowRam<Bits<8>, F>,
    sweep: DFF<Bits<V>>,
    sweep_end: Const<Bits<V>>,
    swept: Signal<Local, Bit>,
    counted: [DFF<Bit>; 3],
    fact: Signal<Local, Bits<2>>,
    due: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    mend: Mend<W, K, N>,
    /// By class: the beat with AckReq.
    ack_beat: [Const<Bits<14>>; 4],
    beat_bits: Const<Bits<14>>,
    place_16: Signal<Local, Bits<16>>,
    place: Signal<Local, Bits<14>>,
    ack_at: Signal<Local, Bits<14>>,
    may: Signal<Local, Bit>,
    kept: Signal<Local, WaitingInfo>,
    whole: Signal<Local, Bits<32>>,
    front: Signal<Local, WaitingInfo>,
    behind: Signal<Local, Bits<16>>,
    asked: Signal<Local, Bit>,
    packet: Signal<Local, Packet>,
    tos: Signal<Local, Bits<8>>,
    ip_class: Signal<Local, Bits<2>>,
    is_read: Signal<Local, Bit>,
    is_request: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    is_data: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    info: Signal<Local, RequestInfo>,
    looked: Signal<Local, Bits<5>>,
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const M: usize, const E: usize, const V: usize>
    PairEntry<W, K, N, F, M, E, V>
{
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            waiting: Waiting::new(),
            parse: Parse::new(),
            counts: FlowRam::new(),
            sweep_end: Const::new(bits::<V>(1 << F)),
            mend: Mend::new(),
            ack_beat: Class::ALL.map(|c| Const::new(bits::<14>((ack_byte(c) / K) as u64))),
            beat_bits: Const::new(bits::<14>(K.ilog2().into())),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const M: usize, const E: usize, const V: usize> Logic
    for PairEntry<W, K, N, F, M, E, V>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep);
        for i in 0..15 {
            self.looking[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.settling[i].clock.next = self.clk.val();
            self.ways[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.facts[i].clock.next = self.clk.val();
            self.counted[i].clock.next = self.clk.val();
        }
        self.counts.clk.next = self.clk.val();
        self.counts.rst.next = self.rst.val();
        self.mend.clk.next = self.clk.val();
        self.mend.rst.next = self.rst.val();
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
        self.is_data.next = self.parse.o_kind.val() == bits::<3>(1);
        self.is_request.next = self.is_read.val() | self.is_data.val();
        self.is_bad.next = (self.parse.o_kind.val() == bits::<3>(7)) & (self.parse.o_reason.val() == bits::<3>(1));
        self.is_ack.next = self.parse.o_kind.val() == bits::<3>(4);
        self.looks.valid.next = self.parse.o_valid.val() & (self.is_request.val() | (self.is_ack.val() & self.cfg_learns_acks.val()));
        self.tos.next = self.packet.val().tos;
        self.looks.pair.next = self.packet.val().queue_pair;
        self.looks_dscp.next = self.tos.val().get_bits::<6>(2);
        // IPv4 as ::ffff:a.b.c.d, byte 0 lowest.
        self.looks.address.next = (self.packet.val().destination << 96) | (bits::<128>(0xffff) << 80);
        if self.ip_class.val().get_bit(1) {
            self.looks.address.next = self.packet.val().destination;
        }
        // What travels beside it; of data, where its check sequence is.
        self.place_16.next = self.packet.val().bytes - bits::<16>(4);
        self.place.next = self.place_16.val().get_bits::<14>(0);
        self.ack_at.next = self.ack_beat[0].val();
        for i in 1..4 {
            if self.ip_class.val().index() == i {
                self.ack_at.next = self.ack_beat[i].val();
            }
        }
        self.may.next = self.packet.val().mendable & ((self.place.val() >> self.beat_bits.val()) > self.ack_at.val());
        self.kept.next.psn = self.packet.val().psn;
        self.kept.next.read = self.is_read.val();
        self.kept.next.asks = self.packet.val().ack_request;
        self.kept.next.bytes = self.packet.val().payload_bytes;
        self.kept.next.place = self.place.val();
        self.kept.next.ip_class = self.ip_class.val();
        self.whole.next = self.packet.val().message_bytes;
        if self.is_read.val() {
            self.kept.next.bytes = self.whole.val().get_bits::<16>(0);
            self.kept.next.place = self.whole.val().get_bits::<14>(16);
            self.kept.next.ip_class = self.whole.val().get_bits::<2>(30);
        }
        self.infos.i_valid.next = self.parse.o_valid.val();
        self.infos.i_data.next = self.kept.val().into();
        self.looking[0].d.next = bit_cast::<5, 1>(self.parse.o_valid.val().into())
            | (bit_cast::<5, 1>(self.is_bad.val().into()) << 1)
            | ((bit_cast::<5, 1>(self.is_data.val().into()) << 2)
                | (bit_cast::<5, 1>(self.packet.val().ack_request.into()) << 3)
                | (bit_cast::<5, 1>(((self.may.val() & self.is_data.val()) | self.is_ack.val()).into()) << 4));
        for i in 0..14 {
            self.looking[i + 1].d.next = self.looking[i].q.val();
        }

        // What the table says becomes a way: 0 past, 1 paced, 2 dropped, 3 paced and made to ask.
        self.looked.next = self.looking[14].q.val();
        self.settling[0].d.next = self.looked.val().get_bit(0);
        self.ways[0].d.next = bits::<V>(0);
        self.answers.next = self.looked.val().get_bit(4) & !self.looked.val().get_bit(2);
        if (self.found.valid.val() & self.found.hit.val()) & !self.answers.val() {
            self.ways[0].d.next = (bit_cast::<V, F>(self.found.flow.val()) << 2) | bits::<V>(1);
        }
        if self.looked.val().get_bit(1) {
            self.ways[0].d.next = bits::<V>(2);
        }
        for i in 0..3 {
            self.settling[i + 1].d.next = self.settling[i].q.val();
            self.ways[i + 1].d.next = self.ways[i].q.val();
        }
        // Data of a flow are counted as they are found, and three clocks later it is known whether
        // they are made to ask.
        self.swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<V>(1);
        }
        self.counts.sweep.next = !self.swept.val();
        self.counts.sweep_flow.next = self.sweep.q.val().get_bits::<F>(0);
        self.counts.valid.next = (self.found.valid.val() & self.found.hit.val())
            & (self.looked.val().get_bit(0) & self.looked.val().get_bit(2))
            & self.swept.val();
        self.counts.flow.next = self.found.flow.val();
        self.counted[0].d.next = self.counts.valid.val();
        self.facts[0].d.next = self.looked.val().get_bits::<2>(3);
        for i in 0..2 {
            self.counted[i + 1].d.next = self.counted[i].q.val();
            self.facts[i + 1].d.next = self.facts[i].q.val();
        }
        self.fact.next = self.facts[2].q.val();
        self.due.next = self.cfg_ask_every.val().any()
            & (bit_cast::<9, 8>(self.counts.word.val()) + bits::<9>(1) >= bit_cast::<9, 8>(self.cfg_ask_every.val()));
        self.sets.next = (self.counted[2].q.val() & self.due.val()) & (self.fact.val() == bits::<2>(2));
        self.counts.update.next = self.counts.word.val() + bits::<8>(1);
        if self.counts.word.val().all() {
            self.counts.update.next = self.counts.word.val();
        }
        if self.sets.val() | self.fact.val().get_bit(0) {
            self.counts.update.next = bits::<8>(0);
        }
        if self.sets.val() {
            self.ways[3].d.next = self.ways[2].q.val() | bits::<V>(2);
        }
        self.waiting.way_valid.next = self.settling[3].q.val();
        self.waiting.way.next = self.ways[3].q.val();

        // The first of the queue goes its way.
        self.infos.o_ready.next = self.waiting.gone.val();
        self.front.next = self.infos.o_data.val().into();
        self.behind.next = bit_cast::<16, 14>(self.front.val().place) | (bit_cast::<16, 2>(self.front.val().ip_class) << 14);
        self.asked.next = self.waiting.paced.valid.val() & self.waiting.paced_ends.val();
        self.info.next.psn = self.front.val().psn;
        self.info.next.read = self.front.val().read;
        self.info.next.asks = self.front.val().asks | self.asked.val();
        self.info.next.bytes = bit_cast::<32, 16>(self.front.val().bytes);
        if self.front.val().read {
            self.info.next.bytes = bit_cast::<32, 16>(self.front.val().bytes) | (bit_cast::<32, 16>(self.behind.val()) << 16);
        }
        self.info.next.flow = bit_cast::<14, F>(self.waiting.paced.flow.val());
        self.m_info.next = self.info.val().into();
        self.paced.valid.next = self.waiting.paced.valid.val();
        self.paced.flow.next = self.waiting.paced.flow.val();
        self.waiting.paced.ready.next = self.paced.ready.val();
        // A packet is a segment.
        self.paced_ends.next = true;
        self.past_valid.next = self.waiting.past_valid.val();
        self.waiting.past_ready.next = self.past_ready.val();
        self.dropped.next = self.waiting.dropped.val();
        self.waiting.drop_ready.next = self.drop_ready.val();
        self.mend.s_tdata.next = self.waiting.m_tdata.val();
        self.mend.s_tlast.next = self.waiting.m_tlast.val();
        self.mend.s_taken.next = self.waiting.goes.val();
        self.mend.s_asks.next = self.asked.val();
        self.mend.s_class.next = self.front.val().ip_class;
        self.mend.s_place.next = self.front.val().place;
        self.m_tdata.next = self.mend.m_tdata.val();
        self.m_tkeep.next = self.waiting.m_tkeep.val();
        self.m_tlast.next = self.waiting.m_tlast.val();
        self.m_meta.next = self.waiting.m_meta.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<V>(0);
            for i in 0..3 {
                self.counted[i].d.next = false;
            }
            for i in 0..15 {
                self.looking[i].d.next = bits::<5>(0);
            }
            for i in 0..4 {
                self.settling[i].d.next = false;
            }
        }
    }
}
