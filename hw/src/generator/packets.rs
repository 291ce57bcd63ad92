//! Next packet of each flow: the state of its segment and its backlog, one operation a clock.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::keystream::Keystream;
use crate::bus::FlowLoadIn;
use crate::check::Matrix;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_regs::link::BACKLOG_BOUND;

const _: () = assert!(BACKLOG_BOUND == 0xff00, "the kernel has its bits: above it the high eight are ones");

/// Records and states of `2^F` flows. An operation is a grant, a doorbell, or (neither) a clear;
/// each has its outcome, and its state written back, 5 clocks later, whatever the others do: an
/// operation on a flow that an earlier one still has in the pipeline gets its state from there.
///
/// Records are kept as 299 bits, from bit 0: enable, endless, READ, IPv6, VLAN, TCI 16, payload
/// bytes 14, packets of a segment 8, destination MAC 48, UDP ports 16 and 16, TTL 8, TOS 8, charged
/// bytes 32, destination address 128. States as 136: segment 32, packets of it that were sent 8,
/// backlog 16, wire bytes of the segment 24, nonce 32, what the segment was charged 24.
///
/// Latency: 5 clocks. Throughput: an operation a clock. No back pressure. Both RAMs are cleared in
/// `2^F` clocks after reset. Model: `timely_model::generator::packets::Packets`.
#[derive(LogicBlock, Default)]
pub struct Packets<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    /// Key of the nonces, and that it is written.
    pub key: Signal<In, Bits<96>>,
    /// The key is written.
    pub keyed: Signal<In, Bit>,
    /// There are nonces of the key.
    pub has_nonces: Signal<Out, Bit>,
    /// Loads of flows.
    pub fl: FlowLoadIn<F>,
    /// An operation.
    pub i_valid: Signal<In, Bit>,
    pub i_grant: Signal<In, Bit>,
    pub i_doorbell: Signal<In, Bit>,
    pub i_flow: Signal<In, Bits<F>>,
    pub i_packets: Signal<In, Bits<16>>,
    /// A grant's launch time, ns48.fns16.
    pub i_launch: Signal<In, Bits<64>>,
    /// A grant has its outcome.
    pub o_grant: Signal<Out, Bit>,
    pub o_charge: Signal<Out, Bits<16>>,
    /// The grant has a packet: the outputs below, up to `o_long`, are about it.
    pub o_send: Signal<Out, Bit>,
    pub o_flow: Signal<Out, Bits<F>>,
    pub o_record: Signal<Out, Bits<299>>,
    pub o_segment: Signal<Out, Bits<32>>,
    pub o_number: Signal<Out, Bits<8>>,
    pub o_first: Signal<Out, Bit>,
    pub o_last: Signal<Out, Bit>,
    pub o_nonce: Signal<Out, Bits<32>>,
    pub o_check: Signal<Out, Bits<32>>,
    pub o_wire: Signal<Out, Bits<16>>,
    /// Wire bytes of the segment so far: below 2^24, as 255 packets of 16,521 bytes are.
    pub o_bytes: Signal<Out, Bits<24>>,
    pub o_charged: Signal<Out, Bits<24>>,
    /// When the packet was eligible to leave, ns48.fns16.
    pub o_launch: Signal<Out, Bits<64>>,
    /// The last packet that was sent is longer than `long_bytes`.
    pub o_long: Signal<Out, Bit>,
    pub o_post: Signal<Out, Bit>,
    pub o_packets: Signal<Out, Bits<16>>,
    pub o_refused: Signal<Out, Bit>,
    /// Wire bytes above which a frame is long.
    pub long_bytes: Signal<In, Bits<16>>,
    sweep: DFF<Bits<F>>,
    clean: DFF<Bit>,
    records: RAM<Bits<299>, F>,
    states: ApartRam<Bits<136>, F>,
    kept: Signal<Local, Bits<299>>,
    // Index n is stage n + 1; stage 1 reads, 2 has the RAMs' outputs, 3 has them captured, 4 works,
    // 5 shows and writes back.
    valid: [DFF<Bit>; 7],
    flow: [DFF<Bits<F>>; 7],
    grant: [DFF<Bit>; 5],
    doorbell: [DFF<Bit>; 4],
    packets: [DFF<Bits<16>>; 4],
    launch: [DFF<Bits<64>>; 5],
    record3: DFF<Bits<299>>,
    state3: DFF<Bits<136>>,
    // The flow of stage 3 is that of stage 5, 6, 7; that of stage 4 is that of stage 5.
    same5: DFF<Bit>,
    same6: DFF<Bit>,
    same7: DFF<Bit>,
    same: DFF<Bit>,
    record4: DFF<Bits<299>>,
    state4: DFF<Bits<136>>,
    head: Signal<Local, Bits<16>>,
    wire4: DFF<Bits<16>>,
    charge4: DFF<Bits<16>>,
    /// Number of the last packet of a full segment.
    final4: DFF<Bits<8>>,
    s: Signal<Local, Bits<136>>,
    segment: Signal<Local, Bits<32>>,
    number: Signal<Local, Bits<8>>,
    backlog: Signal<Local, Bits<16>>,
    enable: Signal<Local, Bit>,
    endless: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    send: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    one_left: Signal<Local, Bit>,
    segment_next: Signal<Local, Bits<32>>,
    number_next: Signal<Local, Bits<8>>,
    bytes: Signal<Local, Bits<24>>,
    paid: Signal<Local, Bits<24>>,
    less: Signal<Local, Bits<16>>,
    more: Signal<Local, Bits<16>>,
    /// Packets that a doorbell must find less than.
    limit: DFF<Bits<16>>,
    fits: Signal<Local, Bit>,
    fresh: Signal<Local, Bits<32>>,
    backlog_new: Signal<Local, Bits<16>>,
    number_new: Signal<Local, Bits<8>>,
    bytes_new: Signal<Local, Bits<24>>,
    paid_new: Signal<Local, Bits<24>>,
    segment_new: Signal<Local, Bits<32>>,
    nonce_new: Signal<Local, Bits<32>>,
    // The new state in stages 5, 6, 7.
    new5: DFF<Bits<136>>,
    new6: DFF<Bits<136>>,
    new7: DFF<Bits<136>>,
    keys: Keystream,
    charge: DFF<Bits<16>>,
    sent: DFF<Bit>,
    record5: DFF<Bits<299>>,
    segment5: DFF<Bits<32>>,
    number5: DFF<Bits<8>>,
    first5: DFF<Bit>,
    last5: DFF<Bit>,
    wire5: DFF<Bits<16>>,
    bytes5: DFF<Bits<24>>,
    charged5: DFF<Bits<24>>,
    nonce5: DFF<Bits<32>>,
    check5: DFF<Bits<32>>,
    matrix: Matrix,
    digest4: DFF<Bits<32>>,
    words: [Signal<Local, Bits<32>>; 3],
    long: DFF<Bit>,
    post: DFF<Bit>,
    packets5: DFF<Bits<16>>,
    refused: DFF<Bit>,
}

impl<const F: usize> Packets<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { keys: Keystream::new(), ..Default::default() }
    }
}

impl<const F: usize> Logic for Packets<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, clean, record3, state3, same5, same6, same7, same, record4, state4, wire4, charge4, final4);
        dff_setup!(self, clk, new5, new6, new7, charge, sent, record5, segment5, number5, first5, last5, wire5, bytes5);
        dff_setup!(self, clk, limit, charged5, nonce5, check5, digest4, long, post, packets5, refused);
        for i in 0..7 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.grant[i].clock.next = self.clk.val();
            self.launch[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.doorbell[i].clock.next = self.clk.val();
            self.packets[i].clock.next = self.clk.val();
        }
        self.records.read_clock.next = self.clk.val();
        self.records.write_clock.next = self.clk.val();
        self.states.read_clock.next = self.clk.val();
        self.states.write_clock.next = self.clk.val();

        // Records: the sweep, then the bus.
        self.kept.next = bit_cast::<299, 1>(self.fl.record.val().get_bits::<1>(0))
            | (bit_cast::<299, 2>(self.fl.record.val().get_bits::<2>(2)) << 1)
            | (bit_cast::<299, 2>(self.fl.record.val().get_bits::<2>(11)) << 3)
            | (bit_cast::<299, 16>(self.fl.record.val().get_bits::<16>(16)) << 5)
            | (bit_cast::<299, 14>(self.fl.record.val().get_bits::<14>(32)) << 21)
            | (bit_cast::<299, 8>(self.fl.record.val().get_bits::<8>(48)) << 35)
            | (bit_cast::<299, 48>(self.fl.record.val().get_bits::<48>(64)) << 43)
            | (bit_cast::<299, 32>(self.fl.record.val().get_bits::<32>(128)) << 91)
            | (bit_cast::<299, 16>(self.fl.record.val().get_bits::<16>(160)) << 123)
            | (bit_cast::<299, 32>(self.fl.record.val().get_bits::<32>(192)) << 139)
            | (bit_cast::<299, 128>(self.fl.record.val().get_bits::<128>(256)) << 171);
        if self.clean.q.val() {
            self.records.write_address.next = self.fl.flow.val();
            self.records.write_data.next = self.kept.val();
            self.records.write_enable.next = self.fl.valid.val();
            self.states.write_address.next = self.flow[4].q.val();
            self.states.write_data.next = self.new5.q.val();
            self.states.write_enable.next = self.valid[4].q.val();
        } else {
            self.records.write_address.next = self.sweep.q.val();
            self.records.write_data.next = bits::<299>(0);
            self.records.write_enable.next = true;
            self.states.write_address.next = self.sweep.q.val();
            self.states.write_data.next = bits::<136>(0);
            self.states.write_enable.next = true;
            self.sweep.d.next = self.sweep.q.val() + bits::<F>(1);
            self.clean.d.next = self.sweep.q.val().all();
        }

        // 0 to 1, and along.
        self.valid[0].d.next = self.i_valid.val();
        self.flow[0].d.next = self.i_flow.val();
        self.grant[0].d.next = self.i_valid.val() & self.i_grant.val();
        self.doorbell[0].d.next = self.i_valid.val() & self.i_doorbell.val();
        self.packets[0].d.next = self.i_packets.val();
        self.launch[0].d.next = self.i_launch.val();
        for i in 0..6 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..4 {
            self.grant[i + 1].d.next = self.grant[i].q.val();
            self.launch[i + 1].d.next = self.launch[i].q.val();
        }
        for i in 0..3 {
            self.doorbell[i + 1].d.next = self.doorbell[i].q.val();
            self.packets[i + 1].d.next = self.packets[i].q.val();
        }
        // 1: read.
        self.records.read_address.next = self.flow[0].q.val();
        self.states.read_address.next = self.flow[0].q.val();
        // 2: capture; compare with the flows that are to be in stages 5, 6 and 7 when this one is
        // in 3.
        self.record3.d.next = self.records.read_data.val();
        self.state3.d.next = self.states.read_data.val();
        self.same5.d.next = self.valid[3].q.val() & (self.flow[1].q.val() == self.flow[3].q.val());
        self.same6.d.next = self.valid[4].q.val() & (self.flow[1].q.val() == self.flow[4].q.val());
        self.same7.d.next = self.valid[5].q.val() & (self.flow[1].q.val() == self.flow[5].q.val());
        // 3: the newest state that is to be had. What the record alone decides.
        self.same.d.next = self.valid[3].q.val() & (self.flow[2].q.val() == self.flow[3].q.val());
        self.state4.d.next = self.state3.q.val();
        if self.same7.q.val() {
            self.state4.d.next = self.new7.q.val();
        }
        if self.same6.q.val() {
            self.state4.d.next = self.new6.q.val();
        }
        if self.same5.q.val() {
            self.state4.d.next = self.new5.q.val();
        }
        self.record4.d.next = self.record3.q.val();
        for i in 0..3 {
            self.words[i].next = bits::<32>(0);
            if self.record3.q.val().get_bit(3) {
                self.words[i].next = self.record3.q.val().get_bits::<32>(32 * i + 203);
            }
        }
        self.digest4.d.next = (self.record3.q.val().get_bits::<32>(171) ^ ((self.words[0].val() << 8) | (self.words[0].val() >> 24)))
            ^ (((self.words[1].val() << 16) | (self.words[1].val() >> 16)) ^ ((self.words[2].val() << 24) | (self.words[2].val() >> 8)));
        // Headers by class, and 24 bytes of preamble, FCS and gap; no frame of ours is shorter than
        // the shortest.
        match self.record3.q.val().get_bits::<2>(3).index() {
            0 => {
                self.head.next = bits::<16>(114);
            }
            1 => {
                self.head.next = bits::<16>(134);
            }
            2 => {
                self.head.next = bits::<16>(118);
            }
            _ => {
                self.head.next = bits::<16>(138);
            }
        }
        self.wire4.d.next = self.head.val() + bit_cast::<16, 14>(self.record3.q.val().get_bits::<14>(21));
        self.charge4.d.next = self.record3.q.val().get_bits::<16>(139);
        if self.record3.q.val().get_bits::<16>(155).any() {
            self.charge4.d.next = bits::<16>(0xffff);
        }
        // Every segment costs something, so that the sum of a flow's charges tells its segments
        // apart.
        if !self.record3.q.val().get_bits::<32>(139).any() {
            self.charge4.d.next = bits::<16>(1);
        }
        self.final4.d.next = bits::<8>(0);
        if self.record3.q.val().get_bits::<8>(35).any() {
            self.final4.d.next = self.record3.q.val().get_bits::<8>(35) - bits::<8>(1);
        }

        // 4: the operation.
        self.s.next = self.state4.q.val();
        if self.same.q.val() {
            self.s.next = self.new5.q.val();
        }
        self.segment.next = self.s.val().get_bits::<32>(0);
        self.number.next = self.s.val().get_bits::<8>(32);
        self.backlog.next = self.s.val().get_bits::<16>(40);
        self.enable.next = self.record4.q.val().get_bit(0);
        self.endless.next = self.record4.q.val().get_bit(1);
        self.read.next = self.record4.q.val().get_bit(2);
        self.send.next = self.grant[3].q.val() & self.enable.val() & self.backlog.val().any();
        self.first.next = !self.number.val().any();
        self.one_left.next = !self.endless.val() & !self.backlog.val().get_bits::<15>(1).any();
        self.last.next = (self.number.val() >= self.final4.q.val()) | self.one_left.val();
        self.segment_next.next = self.segment.val() + bits::<32>(1);
        self.number_next.next = self.number.val() + bits::<8>(1);
        self.bytes.next = self.s.val().get_bits::<24>(56) + bit_cast::<24, 16>(self.wire4.q.val());
        // Nothing of a segment is charged before its first packet, so a READ's sum needs no adder.
        self.paid.next = self.s.val().get_bits::<24>(112) + bit_cast::<24, 16>(self.wire4.q.val());
        if self.read.val() {
            self.paid.next = self.s.val().get_bits::<24>(112);
            if self.first.val() {
                self.paid.next = bit_cast::<24, 16>(self.charge4.q.val());
            }
        }
        self.limit.d.next = bits::<16>(0xff00) - self.packets[2].q.val();
        if self.packets[2].q.val().get_bits::<8>(8).all() {
            self.limit.d.next = bits::<16>(0);
        }
        self.less.next = self.backlog.val() - bits::<16>(1);
        self.more.next = self.backlog.val() + self.packets[3].q.val();
        // Less than 65,280 with the new ones: what may be there was worked out a clock ago.
        self.fits.next = self.backlog.val() < self.limit.q.val();
        self.fresh.next = self.s.val().get_bits::<32>(80);
        if self.first.val() {
            self.fresh.next = self.keys.word.val();
        }
        self.segment_new.next = self.segment.val();
        self.number_new.next = self.number.val();
        self.backlog_new.next = self.backlog.val();
        self.bytes_new.next = self.s.val().get_bits::<24>(56);
        self.paid_new.next = self.s.val().get_bits::<24>(112);
        self.nonce_new.next = self.s.val().get_bits::<32>(80);
        self.post.d.next = false;
        self.refused.d.next = false;
        self.packets5.d.next = bits::<16>(1);
        if self.send.val() {
            self.nonce_new.next = self.fresh.val();
            self.post.d.next = self.endless.val();
            if !self.endless.val() {
                self.backlog_new.next = self.less.val();
            }
            if self.last.val() {
                self.segment_new.next = self.segment_next.val();
                self.number_new.next = bits::<8>(0);
                self.bytes_new.next = bits::<24>(0);
                self.paid_new.next = bits::<24>(0);
            } else {
                self.number_new.next = self.number_next.val();
                self.bytes_new.next = self.bytes.val();
                self.paid_new.next = self.paid.val();
            }
        }
        if self.doorbell[3].q.val() {
            self.packets5.d.next = self.packets[3].q.val();
            if self.enable.val() & self.fits.val() {
                self.backlog_new.next = self.more.val();
                self.post.d.next = true;
            } else {
                self.refused.d.next = true;
            }
        }
        if self.valid[3].q.val() & !self.grant[3].q.val() & !self.doorbell[3].q.val() {
            if !self.first.val() {
                self.segment_new.next = self.segment_next.val();
            }
            self.number_new.next = bits::<8>(0);
            self.bytes_new.next = bits::<24>(0);
            self.paid_new.next = bits::<24>(0);
            self.backlog_new.next = bits::<16>(0);
        }
        self.new5.d.next = bit_cast::<136, 32>(self.segment_new.val())
            | (bit_cast::<136, 8>(self.number_new.val()) << 32)
            | (bit_cast::<136, 16>(self.backlog_new.val()) << 40)
            | (bit_cast::<136, 24>(self.bytes_new.val()) << 56)
            | (bit_cast::<136, 32>(self.nonce_new.val()) << 80)
            | (bit_cast::<136, 24>(self.paid_new.val()) << 112);
        self.new6.d.next = self.new5.q.val();
        self.new7.d.next = self.new6.q.val();

        // The nonces.
        self.keys.clk.next = self.clk.val();
        self.keys.rst.next = self.rst.val();
        self.keys.key.next = self.key.val();
        self.keys.keyed.next = self.keyed.val();
        self.keys.take.next = self.send.val() & self.first.val();
        self.has_nonces.next = self.keys.ready.val();

        // 5: the outcome.
        self.sent.d.next = self.send.val();
        self.charge.d.next = bits::<16>(0);
        if self.send.val() {
            self.charge.d.next = self.wire4.q.val();
            if self.read.val() {
                self.charge.d.next = bits::<16>(0);
                if self.first.val() {
                    self.charge.d.next = self.charge4.q.val();
                }
            }
            self.long.d.next = self.wire4.q.val() > self.long_bytes.val();
        }
        self.record5.d.next = self.record4.q.val();
        self.segment5.d.next = self.segment.val();
        self.number5.d.next = self.number.val();
        self.first5.d.next = self.first.val();
        self.last5.d.next = self.last.val();
        self.wire5.d.next = self.wire4.q.val();
        self.bytes5.d.next = self.bytes.val();
        self.charged5.d.next = self.paid.val();
        self.nonce5.d.next = self.fresh.val();
        self.matrix.key.next = self.key.val();
        self.matrix.digest.next = self.digest4.q.val();
        self.check5.d.next = self.fresh.val() ^ self.matrix.product.val();
        self.o_grant.next = self.grant[4].q.val();
        self.o_charge.next = self.charge.q.val();
        self.o_send.next = self.sent.q.val();
        self.o_flow.next = self.flow[4].q.val();
        self.o_record.next = self.record5.q.val();
        self.o_segment.next = self.segment5.q.val();
        self.o_number.next = self.number5.q.val();
        self.o_first.next = self.first5.q.val();
        self.o_last.next = self.last5.q.val();
        self.o_nonce.next = self.nonce5.q.val();
        self.o_check.next = self.check5.q.val();
        self.o_wire.next = self.wire5.q.val();
        self.o_bytes.next = self.bytes5.q.val();
        self.o_charged.next = self.charged5.q.val();
        self.o_launch.next = self.launch[4].q.val();
        self.o_long.next = self.long.q.val();
        self.o_post.next = self.post.q.val();
        self.o_packets.next = self.packets5.q.val();
        self.o_refused.next = self.refused.q.val();
        self.swept.next = self.clean.q.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<F>(0);
            self.clean.d.next = false;
            self.sent.d.next = false;
            self.post.d.next = false;
            self.refused.d.next = false;
            self.long.d.next = false;
            for i in 0..7 {
                self.valid[i].d.next = false;
            }
            for i in 0..5 {
                self.grant[i].d.next = false;
            }
            for i in 0..4 {
                self.doorbell[i].d.next = false;
            }
        }
    }
}
