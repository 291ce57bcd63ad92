//! Traffic generator of the standalone shell.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod keystream;
mod packets;

use crate::bus::{ChargeOut, DoorbellIn, DoorbellOut, FlowLoadIn, GrantIn, SentOut, TaggedAxisOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use crate::frame::Frame;
pub use keystream::Keystream;
use packets::Packets;
use rust_hdl::prelude::*;
use timely_model::generator::{AHEAD, AHEAD_LONG, LONG_BEATS};
use timely_regs::counters::Counter;
use timely_regs::link::WIRE_OVERHEAD;

/// Answers grants with the flows' next packets, for `2^F` flows and a bus of `W` bits (`K` must be
/// `W / 8`, `D` `F + 16`).
///
/// A packet is LAST when its segment has its packets, or when it is the last that was posted.
/// Segment numbers count on for ever; a record loaded without `keep`, or without `enable`, ends the
/// open segment and voids the backlog. A segment's nonce is drawn with its first packet, out of the
/// keystream of `cfg_key` ([`Keystream`]); without a key no grant is taken. `segment bytes` of the
/// header are the wire bytes of the segment up to and with this packet.
///
/// A grant of a flow that is disabled or has nothing to send makes no frame and is charged 0. A
/// READ is charged its charged bytes, 1 to 65,535 of them, with the first packet of a segment, and
/// 0 with the others. Host doorbells pass through to the pacer, unless the flow is disabled or
/// would have 65,280 packets or more (`DoorbellsRefused`); a packet of an `endless` flow posts
/// another.
///
/// Latency: a grant is charged 5 clocks after it is taken, always; its frame's first beat shows 11
/// clocks after on an idle output, together with `sent_*`, for one clock. Host doorbells show at
/// `doorbell_*` 9 clocks later; one that meets a grant lets it go first, once. Throughput: a frame
/// of two beats every two clocks; a doorbell every two clocks. Back pressure: grants are taken
/// ahead of frames' first beats, up to seven while frames are short, one from the clock after the
/// charge of a frame of more than 16 beats on: what waits here is lost to priority and pause. When
/// the pacer leaves eight doorbells the host's wait, from 16 grants do. Model:
/// `timely_model::generator::Generator`.
#[derive(LogicBlock, Default)]
pub struct Generator<const W: usize, const K: usize, const F: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAM is clear; nothing is taken before.
    pub swept: Signal<Out, Bit>,
    /// Our MAC, byte 0 in the low bits.
    pub cfg_mac: Signal<In, Bits<48>>,
    /// Our IPv4 address, byte 0 in the low bits.
    pub cfg_ipv4: Signal<In, Bits<32>>,
    /// Our IPv6 address, byte 0 in the low bits.
    pub cfg_ipv6: Signal<In, Bits<128>>,
    pub cfg_key: Signal<In, Bits<96>>,
    pub cfg_keyed: Signal<In, Bit>,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// Doorbell of the host.
    pub hd: DoorbellIn<F>,
    /// A packet may leave.
    pub grant: GrantIn<F>,
    /// Cost of a packet that answers a grant.
    pub charge: ChargeOut<F>,
    /// Packets posted: flow and how many.
    pub doorbell: DoorbellOut<F>,
    /// Frames that leave.
    pub m: TaggedAxisOut<W, K>,
    /// Frame whose first beat is offered.
    pub sent: SentOut<F>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<32>>,
    frames_bit: Const<Bits<32>>,
    refused_bit: Const<Bits<32>>,
    long_bytes: Const<Bits<16>>,
    ahead_short: Const<Bits<3>>,
    ahead_long: Const<Bits<3>>,
    packets: Packets<F>,
    // Beside a frame goes, from bit 0: tag 8, flow 16, segment 32, nonce 32, first, last, wire
    // bytes 16, charged bytes of the segment 24, launch 64, place 16, turn of the ring 2.
    frame: Frame<W, K, 212>,
    // A doorbell: flow F, packets 16.
    doorbells: Fifo<D, 4, 5>,
    clear: DFF<Bit>,
    clear_flow: DFF<Bits<F>>,
    host: DFF<Bit>,
    host_flow: DFF<Bits<F>>,
    host_packets: DFF<Bits<16>>,
    /// A doorbell of the host gave way to a grant at the last clock: it is its turn.
    turn: DFF<Bit>,
    /// Grants taken whose frames have not begun, nor were found not to come.
    ahead: DFF<Bits<3>>,
    // A frame begins, a grant finds nothing to send; what is ahead after it, without and with
    // another grant.
    begins: Signal<Local, Bit>,
    idles: Signal<Local, Bit>,
    ahead_less: Signal<Local, Bits<3>>,
    ahead_more: Signal<Local, Bits<3>>,
    /// Doorbells on their way, or room kept for them.
    posts: DFF<Bits<5>>,
    // A doorbell leaves, an operation has none; what is on its way after it, without and with
    // another operation.
    leaves: Signal<Local, Bit>,
    silent: Signal<Local, Bit>,
    posts_less: Signal<Local, Bits<5>>,
    posts_more: Signal<Local, Bits<5>>,
    tag: DFF<Bits<8>>,
    /// Places in the ring of departures that were given: the place, and above it the turn of the
    /// ring.
    places: DFF<Bits<18>>,
    ring_bits: Const<Bits<5>>,
    place_mask: Const<Bits<18>>,
    place: Signal<Local, Bits<18>>,
    generation: Signal<Local, Bits<18>>,
    limit: Signal<Local, Bits<3>>,
    // Room for another frame and another doorbell at the next clock, without and with an operation
    // at this.
    frame_less: Signal<Local, Bit>,
    frame_more: Signal<Local, Bit>,
    post_less: Signal<Local, Bit>,
    post_more: Signal<Local, Bit>,
    /// A grant is taken if offered: a register, for the pacer is far away.
    ready: DFF<Bit>,
    clears: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    ring: Signal<Local, Bit>,
    word: Signal<Local, Bits<D>>,
    r: Signal<Local, Bits<299>>,
    flow: Signal<Local, Bits<16>>,
    charged: Signal<Local, Bits<32>>,
    header: Signal<Local, Bits<384>>,
    side: Signal<Local, Bits<212>>,
    out: Signal<Local, Bits<212>>,
}

impl<const W: usize, const K: usize, const F: usize, const D: usize> Generator<W, K, F, D> {
    /// A generator whose segments have the first `2^ring_bits` places of the ring of departures.
    pub fn new(ring_bits: u32) -> Self {
        assert!((1..=16).contains(&F) && D == F + 16, "2^{F} flows and doorbells of {D} bits: at most 2^16, and F + 16");
        let bit = |c: Counter| Const::new(bits::<32>(1 << c as u64));
        Self {
            frames_bit: bit(Counter::TxFrames),
            refused_bit: bit(Counter::DoorbellsRefused),
            long_bytes: Const::new(bits::<16>(u64::from(LONG_BEATS) * K as u64 + u64::from(WIRE_OVERHEAD))),
            ring_bits: Const::new(bits::<5>(ring_bits.into())),
            place_mask: Const::new(bits::<18>((1 << ring_bits) - 1)),
            ahead_short: Const::new(bits::<3>(AHEAD as u64)),
            ahead_long: Const::new(bits::<3>(AHEAD_LONG as u64)),
            packets: Packets::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize, const D: usize> Logic for Generator<W, K, F, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, clear, clear_flow, host, host_flow, host_packets, turn, ahead, posts, tag, places, ready);
        self.packets.clk.next = self.clk.val();
        self.packets.rst.next = self.rst.val();
        self.frame.clk.next = self.clk.val();
        self.frame.rst.next = self.rst.val();
        self.doorbells.clk.next = self.clk.val();
        self.doorbells.rst.next = self.rst.val();

        // Records, and what they end.
        FlowLoadIn::<F>::link(&mut self.fl, &mut self.packets.fl);
        self.packets.key.next = self.cfg_key.val();
        self.packets.keyed.next = self.cfg_keyed.val();
        self.packets.long_bytes.next = self.long_bytes.val();
        self.clears.next = self.fl.valid.val() & self.packets.swept.val() & (self.fl.record.val().get_bits::<2>(0) != bits::<2>(3));
        self.clear.d.next = self.clears.val();
        self.clear_flow.d.next = self.fl.flow.val();

        // One operation a clock: a clear, a grant, a doorbell. A grant that was promised to be
        // taken is never held up.
        self.take.next = self.ready.q.val() & self.grant.valid.val();
        self.turns.next = self.take.val() & self.host.q.val();
        self.turn.d.next = self.turns.val();
        self.ring.next = self.host.q.val() & !self.clear.q.val() & !self.take.val() & !self.posts.q.val().get_bits::<2>(3).any();
        self.packets.i_valid.next = self.clear.q.val() | self.take.val() | self.ring.val();
        self.packets.i_grant.next = self.take.val();
        self.packets.i_doorbell.next = self.ring.val();
        self.packets.i_flow.next = self.host_flow.q.val();
        if self.take.val() {
            self.packets.i_flow.next = self.grant.flow.val();
        }
        if self.clear.q.val() {
            self.packets.i_flow.next = self.clear_flow.q.val();
        }
        self.packets.i_packets.next = self.host_packets.q.val();
        self.packets.i_launch.next = self.grant.launch.val();
        if self.host.q.val() {
            if self.ring.val() {
                self.host.d.next = false;
            }
        } else {
            self.host.d.next = self.hd.valid.val() & self.packets.swept.val();
            self.host_flow.d.next = self.hd.flow.val();
            self.host_packets.d.next = self.hd.packets.val();
        }

        // Room for a frame and a doorbell was kept for each grant, for a doorbell for the host's;
        // what does not come gives it back. Whether one more is promised is known last, so both
        // sums are ready by then.
        self.begins.next = self.frame.m_start.val();
        self.idles.next = self.packets.o_grant.val() & !self.packets.o_send.val();
        self.ahead_less.next = self.ahead.q.val();
        self.ahead_more.next = self.ahead.q.val() + bits::<3>(1);
        if self.begins.val() & self.idles.val() {
            self.ahead_less.next = self.ahead.q.val() - bits::<3>(2);
            self.ahead_more.next = self.ahead.q.val() - bits::<3>(1);
        } else if self.begins.val() | self.idles.val() {
            self.ahead_less.next = self.ahead.q.val() - bits::<3>(1);
            self.ahead_more.next = self.ahead.q.val();
        }
        self.ahead.d.next = self.ahead_less.val();
        if self.take.val() {
            self.ahead.d.next = self.ahead_more.val();
        }
        self.leaves.next = self.doorbells.o_valid.val() & self.doorbell.ready.val();
        self.silent.next = (self.packets.o_grant.val() | self.packets.o_refused.val()) & !self.packets.o_post.val();
        self.posts_less.next = self.posts.q.val();
        self.posts_more.next = self.posts.q.val() + bits::<5>(1);
        if self.leaves.val() & self.silent.val() {
            self.posts_less.next = self.posts.q.val() - bits::<5>(2);
            self.posts_more.next = self.posts.q.val() - bits::<5>(1);
        } else if self.leaves.val() | self.silent.val() {
            self.posts_less.next = self.posts.q.val() - bits::<5>(1);
            self.posts_more.next = self.posts.q.val();
        }
        self.posts.d.next = self.posts_less.val();
        if self.take.val() | self.ring.val() {
            self.posts.d.next = self.posts_more.val();
        }
        self.limit.next = self.ahead_short.val();
        if self.packets.o_long.val() {
            self.limit.next = self.ahead_long.val();
        }
        self.frame_less.next = self.ahead_less.val() < self.limit.val();
        self.frame_more.next = self.ahead_more.val() < self.limit.val();
        self.post_less.next = !self.posts_less.val().get_bit(4);
        self.post_more.next = !self.posts_more.val().get_bit(4);
        if self.take.val() {
            self.ready.d.next = self.frame_more.val() & self.post_more.val();
        } else if self.ring.val() {
            self.ready.d.next = self.frame_less.val() & self.post_more.val();
        } else {
            self.ready.d.next = self.frame_less.val() & self.post_less.val();
        }
        if (!self.packets.swept.val() | !self.packets.has_nonces.val()) | (self.clears.val() | self.turns.val()) {
            self.ready.d.next = false;
        }

        // The outcome: doorbell, charge, frame.
        self.doorbells.i_valid.next = self.packets.o_post.val();
        self.doorbells.i_data.next = (bit_cast::<D, F>(self.packets.o_flow.val()) << 16) | bit_cast::<D, 16>(self.packets.o_packets.val());
        self.doorbells.o_ready.next = self.doorbell.ready.val();
        self.word.next = self.doorbells.o_data.val();
        self.doorbell.valid.next = self.doorbells.o_valid.val();
        self.doorbell.flow.next = self.word.val().get_bits::<F>(16);
        self.doorbell.packets.next = self.word.val().get_bits::<16>(0);
        self.charge.valid.next = self.packets.o_grant.val();
        self.charge.flow.next = self.packets.o_flow.val();
        self.charge.bytes.next = self.packets.o_charge.val();
        self.charge.ends.next = self.packets.o_send.val() & self.packets.o_last.val();
        self.flow.next = bit_cast::<16, F>(self.packets.o_flow.val());
        self.r.next = self.packets.o_record.val();
        self.charged.next = bits::<32>(0);
        if self.r.val().get_bit(2) {
            self.charged.next = self.r.val().get_bits::<32>(139);
        }
        // A place is given to what ends a segment; other packets have none.
        self.place.next = bits::<18>(0);
        self.generation.next = bits::<18>(0);
        if self.packets.o_last.val() {
            self.place.next = self.places.q.val() & self.place_mask.val();
            self.generation.next = self.places.q.val() >> self.ring_bits.val();
            if self.packets.o_send.val() {
                self.places.d.next = self.places.q.val() + bits::<18>(1);
            }
        }
        // Version 2; flags FIRST 1, LAST 2, READ 8; packet, place, flow, nonce, segment, segment
        // bytes, charged bytes, TTL.
        self.header.next = bits::<384>(2)
            | (bit_cast::<384, 1>(self.packets.o_first.val().into()) << 8)
            | (bit_cast::<384, 1>(self.packets.o_last.val().into()) << 9)
            | (bit_cast::<384, 1>(self.r.val().get_bits::<1>(2)) << 11)
            | (bit_cast::<384, 8>(self.packets.o_number.val()) << 24)
            | (bit_cast::<384, 8>(self.place.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<384, 8>(self.place.val().get_bits::<8>(0)) << 40)
            | (bit_cast::<384, 8>(self.flow.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<384, 8>(self.flow.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<384, 8>(self.packets.o_nonce.val().get_bits::<8>(24)) << 64)
            | (bit_cast::<384, 8>(self.packets.o_nonce.val().get_bits::<8>(16)) << 72)
            | (bit_cast::<384, 8>(self.packets.o_nonce.val().get_bits::<8>(8)) << 80)
            | (bit_cast::<384, 8>(self.packets.o_nonce.val().get_bits::<8>(0)) << 88)
            | (bit_cast::<384, 8>(self.packets.o_segment.val().get_bits::<8>(24)) << 96)
            | (bit_cast::<384, 8>(self.packets.o_segment.val().get_bits::<8>(16)) << 104)
            | (bit_cast::<384, 8>(self.packets.o_segment.val().get_bits::<8>(8)) << 112)
            | (bit_cast::<384, 8>(self.packets.o_segment.val().get_bits::<8>(0)) << 120)
            | (bit_cast::<384, 8>(self.packets.o_bytes.val().get_bits::<8>(16)) << 136)
            | (bit_cast::<384, 8>(self.packets.o_bytes.val().get_bits::<8>(8)) << 144)
            | (bit_cast::<384, 8>(self.packets.o_bytes.val().get_bits::<8>(0)) << 152)
            | (bit_cast::<384, 8>(self.charged.val().get_bits::<8>(24)) << 160)
            | (bit_cast::<384, 8>(self.charged.val().get_bits::<8>(16)) << 168)
            | (bit_cast::<384, 8>(self.charged.val().get_bits::<8>(8)) << 176)
            | (bit_cast::<384, 8>(self.charged.val().get_bits::<8>(0)) << 184)
            | (bit_cast::<384, 8>(self.r.val().get_bits::<8>(123)) << 192);
        self.side.next = bit_cast::<212, 8>(self.tag.q.val())
            | (bit_cast::<212, F>(self.packets.o_flow.val()) << 8)
            | (bit_cast::<212, 32>(self.packets.o_segment.val()) << 24)
            | (bit_cast::<212, 32>(self.packets.o_check.val()) << 56)
            | (bit_cast::<212, 1>(self.packets.o_first.val().into()) << 88)
            | (bit_cast::<212, 1>(self.packets.o_last.val().into()) << 89)
            | (bit_cast::<212, 16>(self.packets.o_wire.val()) << 90)
            | (bit_cast::<212, 24>(self.packets.o_charged.val()) << 106)
            | (bit_cast::<212, 64>(self.packets.o_launch.val()) << 130)
            | (bit_cast::<212, 16>(self.place.val().get_bits::<16>(0)) << 194)
            | (bit_cast::<212, 2>(self.generation.val().get_bits::<2>(0)) << 210);
        if self.packets.o_send.val() {
            self.tag.d.next = self.tag.q.val() + bits::<8>(1);
        }
        self.frame.i_valid.next = self.packets.o_send.val();
        self.frame.i_class.next = (bit_cast::<2, 1>(self.r.val().get_bits::<1>(3)) << 1) | bit_cast::<2, 1>(self.r.val().get_bits::<1>(4));
        self.frame.i_dst_mac.next = self.r.val().get_bits::<48>(43);
        self.frame.i_src_mac.next = self.cfg_mac.val();
        self.frame.i_vlan.next = self.r.val().get_bits::<16>(5);
        self.frame.i_tos.next = self.r.val().get_bits::<8>(131);
        self.frame.i_ttl.next = self.r.val().get_bits::<8>(123);
        self.frame.i_src_ip.next = bit_cast::<128, 32>(self.cfg_ipv4.val());
        if self.r.val().get_bit(3) {
            self.frame.i_src_ip.next = self.cfg_ipv6.val();
        }
        self.frame.i_dst_ip.next = self.r.val().get_bits::<128>(171);
        self.frame.i_src_port.next = self.r.val().get_bits::<16>(91);
        self.frame.i_dst_port.next = self.r.val().get_bits::<16>(107);
        self.frame.i_hdr.next = self.header.val();
        self.frame.i_payload.next = self.r.val().get_bits::<14>(21);
        self.frame.i_side.next = self.side.val();

        self.frame.m.tready.next = self.m.tready.val();
        self.m.tdata.next = self.frame.m.tdata.val();
        self.m.tkeep.next = self.frame.m.tkeep.val();
        self.m.tvalid.next = self.frame.m.tvalid.val();
        self.m.tlast.next = self.frame.m.tlast.val();
        self.out.next = self.frame.m.side.val();
        self.m.tag.next = bit_cast::<16, 8>(self.out.val().get_bits::<8>(0));
        self.sent.valid.next = self.frame.m_start.val();
        self.sent.tag.next = bit_cast::<16, 8>(self.out.val().get_bits::<8>(0));
        self.sent.flow.next = self.out.val().get_bits::<F>(8);
        self.sent.segment.next = self.out.val().get_bits::<32>(24);
        self.sent.nonce.next = self.out.val().get_bits::<32>(56);
        self.sent.first.next = self.out.val().get_bit(88);
        self.sent.last.next = self.out.val().get_bit(89);
        self.sent.wire_bytes.next = self.out.val().get_bits::<16>(90);
        self.sent.segment_bytes.next = bit_cast::<32, 24>(self.out.val().get_bits::<24>(106));
        self.sent.launch.next = self.out.val().get_bits::<64>(130);
        self.sent.place.next = self.out.val().get_bits::<16>(194);
        self.sent.generation.next = self.out.val().get_bits::<2>(210);
        self.swept.next = self.packets.swept.val();
        self.hd.ready.next = self.packets.swept.val() & !self.host.q.val();
        self.grant.ready.next = self.ready.q.val();
        self.pulses.next = bits::<32>(0);
        if self.frame.m_start.val() {
            self.pulses.next = self.frames_bit.val();
        }
        if self.packets.o_refused.val() {
            self.pulses.next = self.pulses.val() | self.refused_bit.val();
        }
        if self.rst.val() {
            self.clear.d.next = false;
            self.host.d.next = false;
            self.turn.d.next = false;
            self.ahead.d.next = bits::<3>(0);
            self.posts.d.next = bits::<5>(0);
            self.tag.d.next = bits::<8>(0);
            self.places.d.next = bits::<18>(0);
            self.ready.d.next = false;
        }
    }
}
