//! The way in of the host's packets: each waits until the parser has judged it, then goes its way.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::waiting::Waiting;
use crate::bus::{FlowLoadIn, FlowStreamOut, MetaAxisIn};
use crate::constant::Const;
use crate::parse::Parse;
use rust_hdl::prelude::*;
use timely_model::parse::kind;
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::wire::LAST;

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(kind::DATA == 1 && kind::MALFORMED == 3 && Counter::RxBad as u32 == 2 && LAST == 1 << (9 - 8));
const _: () =
    assert!(flow::ENABLE.word == 0 && flow::ENABLE.low == 0 && flow::IPV6.word == 0 && flow::IPV6.low == 11 && flow::ADDRESS_0.word == 8);

/// Tells the packets of `s_*` (`W` bits, `K` must be `W / 8`) apart: a data packet of a flow below
/// `2^F` that comes from our address and goes to the flow's goes to the store with its flow, one of
/// more than 9,728 bytes or with a gap nowhere, every other past the store. A flow's destination is
/// looked up in a RAM of 34 bits a flow, written by loads: of an IPv6 address that holds a digest
/// of 32 bits. A packet of a flow that is not enabled goes to the store, which refuses it. Cleared
/// `2^F` clocks after `rst`; loads are ignored before. `M` bits go beside a packet; `E` must be
/// `K + 1`, `V` `F + 2`.
///
/// `m_*` and `m_meta` are of either stream; `paced_valid` and `past_valid` say of which.
///
/// Latency: a packet's first beat is offered 13 clocks after its last beat, if nothing is in front
/// of it. Throughput: a beat a clock, packets of one beat too. Back pressure: 512 beats wait, then
/// `s_tready` falls; they go on in order, so a packet that cannot go holds up those behind it: the
/// store takes a beat at nearly every clock, and the wire gives either stream its turn. Model:
/// `timely_model::inline::entry::Entry`.
#[derive(LogicBlock, Default)]
pub struct Entry<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames of the host.
    pub s: MetaAxisIn<W, K, M>,
    /// Our UDP port.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// Beat: bytes in wire order, and their frame.
    pub m_tdata: Signal<Out, Bits<W>>,
    pub m_tkeep: Signal<Out, Bits<K>>,
    pub m_tlast: Signal<Out, Bit>,
    pub m_meta: Signal<Out, Bits<M>>,
    /// Frames of flows.
    pub paced: FlowStreamOut<F>,
    pub paced_ends: Signal<Out, Bit>,
    /// The beat is offered to the wire.
    pub past_valid: Signal<Out, Bit>,
    pub past_ready: Signal<In, Bit>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: Signal<Out, Bit>,
    /// The packet can be dropped at this clock.
    pub drop_ready: Signal<In, Bit>,
    /// A data packet goes past the store because its addresses are not those of the flow that it
    /// names.
    pub strange: Signal<Out, Bit>,
    /// Our IPv4 address.
    pub cfg_ipv4: Signal<In, Bits<32>>,
    /// Our IPv6 address.
    pub cfg_ipv6: Signal<In, Bits<128>>,
    /// Loads of flows.
    pub fl: FlowLoadIn<F>,
    parse: Parse<W, K>,
    waiting: Waiting<W, K, F, M, E, V>,
    judged: DFF<Bit>,
    verdict: DFF<Bits<V>>,
    odd: DFF<Bit>,
    // Of an enabled flow: digest of the destination 32, it is of IPv6 1, enabled 1.
    owners: RAM<Bits<34>, F>,
    sweep: DFF<Bits<V>>,
    sweep_end: Const<Bits<V>>,
    load: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    load_word: DFF<Bits<34>>,
    // A judged packet while its flow's owner is read, and while it is compared.
    read_valid: DFF<Bit>,
    read_verdict: DFF<Bits<V>>,
    read_source: DFF<Bits<128>>,
    read_digest: DFF<Bits<32>>,
    read_v6: DFF<Bit>,
    read_live: DFF<Bit>,
    caught_valid: DFF<Bit>,
    caught_verdict: DFF<Bits<V>>,
    caught_digest: DFF<Bits<32>>,
    caught_v6: DFF<Bit>,
    caught_live: DFF<Bit>,
    caught_ours: DFF<Bit>,
    owner: DFF<Bits<34>>,
    is_swept: Signal<Local, Bit>,
    front: Signal<Local, Bits<528>>,
    record: Signal<Local, Bits<512>>,
    source: Signal<Local, Bits<128>>,
    target: Signal<Local, Bits<128>>,
    words: [Signal<Local, Bits<32>>; 3],
    target_digest: Signal<Local, Bits<32>>,
    loaded: [Signal<Local, Bits<32>>; 3],
    loaded_digest: Signal<Local, Bits<32>>,
    key: Signal<Local, Bits<33>>,
    held_key: Signal<Local, Bits<33>>,
    right: Signal<Local, Bit>,
    finding: Signal<Local, Bits<V>>,
    flows: Const<Bits<33>>,
    header: Signal<Local, Bits<384>>,
    flow: Signal<Local, Bits<33>>,
}

impl<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> Entry<W, K, F, M, E, V> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && E == K + 1 && V == F + 2, "widths of a way in of {W} bits and 2^{F} flows");
        Self {
            waiting: Waiting::new(),
            flows: Const::new(bits::<33>(1 << F)),
            sweep_end: Const::new(bits::<V>(1 << F)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> Logic for Entry<W, K, F, M, E, V> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, judged, verdict, odd, sweep, load, load_flow, load_word, read_valid, read_verdict, read_source);
        dff_setup!(
            self,
            clk,
            read_digest,
            read_v6,
            read_live,
            caught_valid,
            caught_verdict,
            caught_digest,
            caught_v6,
            caught_live,
            caught_ours,
            owner
        );
        self.owners.read_clock.next = self.clk.val();
        self.owners.write_clock.next = self.clk.val();
        self.parse.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();

        // Beats into the queue, and past the parser.
        MetaAxisIn::<W, K, M>::link(&mut self.s, &mut self.waiting.s);
        self.parse.s.tdata.next = self.s.tdata.val();
        self.parse.s.tkeep.next = self.s.tkeep.val();
        self.parse.s.tvalid.next = self.waiting.pushed.val();
        self.parse.s.tlast.next = self.waiting.pushed_last.val();
        self.parse.s.ts.next = bits::<64>(0);
        self.parse.s.bad.next = self.waiting.pushed_bad.val();
        self.parse.cfg_udp_port.next = self.cfg_udp_port.val();

        // The parser's report becomes a way.
        self.header.next = self.parse.o.hdr.val();
        // The two bytes in front are the place, which a host may leave anything in.
        self.flow.next =
            (bit_cast::<33, 8>(self.header.val().get_bits::<8>(48)) << 8) | bit_cast::<33, 8>(self.header.val().get_bits::<8>(56));
        self.finding.next = bit_cast::<V, F>(self.flow.val().get_bits::<F>(0)) << 2;
        if (self.parse.o.kind.val() == bits::<2>(1)) & (self.flow.val() < self.flows.val()) {
            self.finding.next = (bit_cast::<V, F>(self.flow.val().get_bits::<F>(0)) << 2) | bits::<V>(1);
            // LAST of the header's flags.
            if self.header.val().get_bit(9) {
                self.finding.next = (bit_cast::<V, F>(self.flow.val().get_bits::<F>(0)) << 2) | bits::<V>(3);
            }
        }
        if (self.parse.o.kind.val() == bits::<2>(3)) & (self.parse.o_reason.val() == bits::<4>(2)) {
            self.finding.next = bits::<V>(2);
        }
        // 1: the owner of its flow is read, and its addresses are found.
        self.front.next = self.parse.o.head.val();
        self.source.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(208));
        self.target.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(240));
        if self.parse.o.class.val() == bits::<2>(1) {
            self.source.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(240));
            self.target.next = bit_cast::<128, 32>(self.front.val().get_bits::<32>(272));
        } else if self.parse.o.class.val() == bits::<2>(2) {
            self.source.next = self.front.val().get_bits::<128>(176);
            self.target.next = self.front.val().get_bits::<128>(304);
        } else if self.parse.o.class.val() == bits::<2>(3) {
            self.source.next = self.front.val().get_bits::<128>(208);
            self.target.next = self.front.val().get_bits::<128>(336);
        }
        for i in 0..3 {
            self.words[i].next = self.target.val().get_bits::<32>(32 * i + 32);
        }
        // Of an IPv4 address the words above the first are 0.
        self.target_digest.next = (self.target.val().get_bits::<32>(0) ^ ((self.words[0].val() << 8) | (self.words[0].val() >> 24)))
            ^ (((self.words[1].val() << 16) | (self.words[1].val() >> 16)) ^ ((self.words[2].val() << 24) | (self.words[2].val() >> 8)));
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        self.owners.read_address.next = self.flow.val().get_bits::<F>(0);
        self.read_valid.d.next = self.parse.o.valid.val();
        self.read_verdict.d.next = self.finding.val();
        self.read_source.d.next = self.source.val();
        self.read_digest.d.next = self.target_digest.val();
        self.read_v6.d.next = self.parse.o.class.val().get_bit(1);
        self.read_live.d.next = self.is_swept.val();
        // 2: what the RAM says is caught.
        self.owner.d.next = self.owners.read_data.val();
        self.caught_valid.d.next = self.read_valid.q.val();
        self.caught_verdict.d.next = self.read_verdict.q.val();
        self.caught_digest.d.next = self.read_digest.q.val();
        self.caught_v6.d.next = self.read_v6.q.val();
        self.caught_live.d.next = self.read_live.q.val();
        self.caught_ours.d.next = self.read_source.q.val().get_bits::<32>(0) == self.cfg_ipv4.val();
        if self.read_v6.q.val() {
            self.caught_ours.d.next = self.read_source.q.val() == self.cfg_ipv6.val();
        }
        // 3: compared.
        self.key.next = bit_cast::<33, 32>(self.caught_digest.q.val()) | (bit_cast::<33, 1>(self.caught_v6.q.val().into()) << 32);
        self.held_key.next = self.owner.q.val().get_bits::<33>(0);
        self.right.next = (!self.caught_live.q.val() | !self.owner.q.val().get_bit(33))
            | (self.caught_ours.q.val() & (self.key.val() == self.held_key.val()));
        self.judged.d.next = self.caught_valid.q.val();
        self.verdict.d.next = self.caught_verdict.q.val();
        self.odd.d.next = self.caught_valid.q.val() & (self.caught_verdict.q.val().get_bit(0) & !self.right.val());
        if self.caught_verdict.q.val().get_bit(0) & !self.right.val() {
            self.verdict.d.next = bits::<V>(0);
        }
        self.strange.next = self.odd.q.val();
        // A load says whose a flow is.
        self.record.next = self.fl.record.val();
        for i in 0..3 {
            self.loaded[i].next = bits::<32>(0);
            if self.record.val().get_bit(11) {
                self.loaded[i].next = self.record.val().get_bits::<32>(32 * i + 288);
            }
        }
        self.loaded_digest.next = (self.record.val().get_bits::<32>(256) ^ ((self.loaded[0].val() << 8) | (self.loaded[0].val() >> 24)))
            ^ (((self.loaded[1].val() << 16) | (self.loaded[1].val() >> 16))
                ^ ((self.loaded[2].val() << 24) | (self.loaded[2].val() >> 8)));
        self.load.d.next = self.fl.valid.val() & self.is_swept.val();
        self.load_flow.d.next = self.fl.flow.val();
        self.load_word.d.next = bit_cast::<34, 32>(self.loaded_digest.val())
            | (bit_cast::<34, 1>(self.record.val().get_bits::<1>(11)) << 32)
            | (bit_cast::<34, 1>(self.record.val().get_bits::<1>(0)) << 33);
        self.owners.write_enable.next = self.load.q.val();
        self.owners.write_address.next = self.load_flow.q.val();
        self.owners.write_data.next = self.load_word.q.val();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<V>(1);
            self.owners.write_enable.next = true;
            self.owners.write_address.next = self.sweep.q.val().get_bits::<F>(0);
            self.owners.write_data.next = bits::<34>(0);
        }
        self.waiting.way_valid.next = self.judged.q.val();
        self.waiting.way.next = self.verdict.q.val();

        // The first of the queue goes its way.
        FlowStreamOut::<F>::link(&mut self.paced, &mut self.waiting.paced);
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
            self.judged.d.next = false;
            self.odd.d.next = false;
            self.read_valid.d.next = false;
            self.caught_valid.d.next = false;
            self.load.d.next = false;
            self.sweep.d.next = bits::<V>(0);
        }
    }
}
