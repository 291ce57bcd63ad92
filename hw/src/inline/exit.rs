//! Reports of frames that leave: each is stamped, and a data frame of ours is reported as sent and
//! departed.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowSwitchIn, SentOut};
use crate::check::{Digests, Matrix};
use crate::constant::Const;
use crate::fifo::Fifo;
use crate::parse::Parse;
use rust_hdl::prelude::*;
use timely_model::inline::exit::QUEUE;
use timely_model::parse::kind;
use timely_regs::link::WIRE_OVERHEAD;

const _: () = assert!(kind::DATA == 1 && QUEUE == 4);

/// Looks at the beats that leave (`W` bits, `K` must be `W / 8`), and reports each data frame of a
/// flow below `2^F` that was paced: what the header says, the stamp of its first beat, and the
/// charged bytes of its segment so far. `T` must be `F + 1`. With `named` it reports those alone
/// whose header names the queue that they came from, under the tag that they came with; without,
/// under eight running bits.
///
/// Latency: 9 clocks from a frame's last beat to its report, stamp and all. Throughput: a beat a
/// clock; two data frames are two clocks apart, for none has less than 90 bytes. Back pressure:
/// none. A load without `keep`, or without `enable`, ends the flow's segment: its bytes count anew.
/// Model: `timely_model::inline::exit::Exit`.
#[derive(LogicBlock, Default)]
pub struct Exit<const W: usize, const K: usize, const F: usize, const T: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAM is clear; nothing is reported before.
    pub swept: Signal<Out, Bit>,
    /// Bytes in wire order.
    pub s_tdata: Signal<In, Bits<W>>,
    pub s_tkeep: Signal<In, Bits<K>>,
    pub s_tvalid: Signal<In, Bit>,
    pub s_tlast: Signal<In, Bit>,
    /// With a frame's last beat: it was paced.
    pub s_paced: Signal<In, Bit>,
    /// With a frame's last beat: its launch, ns48.fns16.
    pub s_launch: Signal<In, Bits<64>>,
    /// Frames come with a queue and a tag; a level.
    pub named: Signal<In, Bit>,
    /// With a frame's last beat: the queue that it came from.
    pub s_queue: Signal<In, Bits<16>>,
    /// With a frame's last beat: its tag.
    pub s_tag: Signal<In, Bits<16>>,
    /// The time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Our UDP port.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// Key of the nonces, for the checks.
    pub cfg_key: Signal<In, Bits<96>>,
    /// Loads of flows.
    pub fl: FlowSwitchIn<F>,
    /// Data frames that are sent.
    pub sent: SentOut<F>,
    /// Stamp of the frame's first beat.
    pub sent_ts: Signal<Out, Bits<64>>,
    /// With `named`, at the clock of its report if it has one: any frame left.
    pub frame_valid: Signal<Out, Bit>,
    pub frame_queue: Signal<Out, Bits<16>>,
    pub frame_wire_bytes: Signal<Out, Bits<16>>,
    parse: Parse<W, K>,
    digests: Digests,
    matrix: Matrix,
    read_digest: DFF<Bits<32>>,
    product: DFF<Bits<32>>,
    // Launch 64, paced 1, queue 16, tag 16.
    launches: Fifo<97, 4, 5>,
    sums: RAM<Bits<32>, F>,
    sweep: DFF<Bits<T>>,
    sweep_end: Const<Bits<T>>,
    overhead: Const<Bits<16>>,
    flows: Const<Bits<33>>,
    // 1: the RAM is read.
    read: DFF<Bit>,
    read_flow: DFF<Bits<F>>,
    // Nonce 32, segment 32, last, first, wire bytes 16, launch 64, stamp 64, tag 16, place 16.
    read_rest: DFF<Bits<242>>,
    // 2: what it says is caught.
    caught: DFF<Bit>,
    caught_flow: DFF<Bits<F>>,
    caught_rest: DFF<Bits<242>>,
    raw: DFF<Bits<32>>,
    same: DFF<Bit>,
    // 3: the sum.
    done: DFF<Bit>,
    done_flow: DFF<Bits<F>>,
    done_rest: DFF<Bits<242>>,
    told: DFF<Bits<32>>,
    /// Charged bytes that the flow goes on with: nothing behind the end of a segment.
    sum: DFF<Bits<32>>,
    tag: DFF<Bits<8>>,
    /// Place of the last segment that ended, and how often places began anew before.
    place: DFF<Bits<16>>,
    generation: DFF<Bits<2>>,
    begins_anew: Signal<Local, Bit>,
    // Any frame: queue 16, wire bytes 16.
    frame: [DFF<Bit>; 3],
    frame_rest: [DFF<Bits<32>>; 3],
    all_bytes: Signal<Local, Bits<17>>,
    charged: Signal<Local, Bits<16>>,
    /// Flow of the frame that was caught last.
    latest: DFF<Bits<F>>,
    latest_counts: DFF<Bit>,
    clear: DFF<Bit>,
    clear_flow: DFF<Bits<F>>,
    is_swept: Signal<Local, Bit>,
    at: Signal<Local, Bits<T>>,
    header: Signal<Local, Bits<384>>,
    flow: Signal<Local, Bits<33>>,
    launch: Signal<Local, Bits<97>>,
    meant: Signal<Local, Bit>,
    wire_bytes: Signal<Local, Bits<16>>,
    base: Signal<Local, Bits<32>>,
    more: Signal<Local, Bits<32>>,
    rest: Signal<Local, Bits<242>>,
    out: Signal<Local, Bits<242>>,
}

impl<const W: usize, const K: usize, const F: usize, const T: usize> Exit<W, K, F, T> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && T == F + 1, "widths of a way out of {W} bits and 2^{F} flows");
        Self {
            sweep_end: Const::new(bits::<T>(1 << F)),
            overhead: Const::new(bits::<16>(u64::from(WIRE_OVERHEAD))),
            flows: Const::new(bits::<33>(1 << F)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize, const T: usize> Logic for Exit<W, K, F, T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, read, read_flow, read_rest, caught, caught_flow, caught_rest, raw, same, done, done_flow, done_rest);
        dff_setup!(self, clk, read_digest, product, told, sum, tag, place, generation, latest, latest_counts, clear, clear_flow);
        for i in 0..3 {
            self.frame[i].clock.next = self.clk.val();
            self.frame_rest[i].clock.next = self.clk.val();
        }
        self.parse.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.launches.clk.next = self.clk.val();
        self.launches.rst.next = self.rst.val();
        self.sums.read_clock.next = self.clk.val();
        self.sums.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        self.swept.next = self.is_swept.val();
        self.at.next = self.sweep.q.val();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<T>(1);
        }

        self.parse.s.tdata.next = self.s_tdata.val();
        self.parse.s.tkeep.next = self.s_tkeep.val();
        self.parse.s.tvalid.next = self.s_tvalid.val();
        self.parse.s.tlast.next = self.s_tlast.val();
        self.parse.s.ts.next = self.now.val();
        self.parse.s.bad.next = false;
        self.parse.cfg_udp_port.next = self.cfg_udp_port.val();
        self.launches.i_valid.next = self.s_tvalid.val() & self.s_tlast.val();
        self.launches.i_data.next = (bit_cast::<97, 1>(self.s_paced.val().into()) << 64)
            | bit_cast::<97, 64>(self.s_launch.val())
            | (bit_cast::<97, 16>(self.s_queue.val()) << 65)
            | (bit_cast::<97, 16>(self.s_tag.val()) << 81);
        self.launches.o_ready.next = self.parse.o.valid.val();

        // 1. A data frame has 90 bytes at least, so its wire bytes are never the least ones.
        self.launch.next = self.launches.o_data.val();
        self.header.next = self.parse.o.hdr.val();
        self.flow.next =
            (bit_cast::<33, 8>(self.header.val().get_bits::<8>(48)) << 8) | bit_cast::<33, 8>(self.header.val().get_bits::<8>(56));
        self.wire_bytes.next = self.parse.o.len.val() + self.overhead.val();
        self.meant.next = !self.named.val() | (bit_cast::<33, 16>(self.launch.val().get_bits::<16>(65)) == self.flow.val());
        self.read.d.next = ((self.parse.o.valid.val() & self.launches.o_valid.val()) & self.meant.val())
            & ((self.parse.o.kind.val() == bits::<2>(1)) & self.launch.val().get_bit(64))
            & ((self.flow.val() < self.flows.val()) & self.is_swept.val());
        self.read_flow.d.next = self.flow.val().get_bits::<F>(0);
        self.sums.read_address.next = self.flow.val().get_bits::<F>(0);
        self.read_rest.d.next = (bit_cast::<242, 8>(self.header.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(80)) << 8)
            | bit_cast::<242, 8>(self.header.val().get_bits::<8>(88))
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(96)) << 56)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(104)) << 48)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(112)) << 40)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(120)) << 32)
            // Flags LAST and FIRST.
            | (bit_cast::<242, 1>(self.header.val().get_bits::<1>(9)) << 64)
            | (bit_cast::<242, 1>(self.header.val().get_bits::<1>(8)) << 65)
            | (bit_cast::<242, 16>(self.wire_bytes.val()) << 66)
            | (bit_cast::<242, 64>(self.launch.val().get_bits::<64>(0)) << 82)
            | (bit_cast::<242, 64>(self.parse.o.ts.val()) << 146)
            | (bit_cast::<242, 16>(self.launch.val().get_bits::<16>(81)) << 210)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(32)) << 234)
            | (bit_cast::<242, 8>(self.header.val().get_bits::<8>(40)) << 226);

        self.digests.head.next = self.parse.o.head.val();
        self.digests.ip_class.next = self.parse.o.class.val();
        self.read_digest.d.next = self.digests.destination.val();

        // 2.
        self.matrix.key.next = self.cfg_key.val();
        self.matrix.digest.next = self.read_digest.q.val();
        self.product.d.next = self.matrix.product.val();
        self.caught.d.next = self.read.q.val();
        self.caught_flow.d.next = self.read_flow.q.val();
        self.caught_rest.d.next = self.read_rest.q.val();
        self.raw.d.next = self.sums.read_data.val();
        self.same.d.next = self.latest_counts.q.val() & (self.latest.q.val() == self.read_flow.q.val());

        // 3.
        self.rest.next = self.caught_rest.q.val();
        self.base.next = self.raw.q.val();
        if self.same.q.val() {
            self.base.next = self.sum.q.val();
        }
        self.more.next = self.base.val() + bit_cast::<32, 16>(self.rest.val().get_bits::<16>(66));
        self.done.d.next = self.caught.q.val();
        self.done_flow.d.next = self.caught_flow.q.val();
        self.done_rest.d.next = self.rest.val() ^ bit_cast::<242, 32>(self.product.q.val());
        self.begins_anew.next = self.rest.val().get_bits::<16>(226) < self.place.q.val();
        if self.caught.q.val() & self.rest.val().get_bit(64) {
            self.place.d.next = self.rest.val().get_bits::<16>(226);
            if self.begins_anew.val() {
                self.generation.d.next = self.generation.q.val() + bits::<2>(1);
            }
        }
        if self.caught.q.val() {
            self.told.d.next = self.more.val();
            self.sum.d.next = self.more.val();
            // Whatever was charged is released with the next segment that ends, also what a host
            // began and never ended.
            if self.rest.val().get_bit(64) {
                self.sum.d.next = bits::<32>(0);
            }
        }

        // 4: reported; the RAM is written, or a flow that was loaded is cleared in it.
        self.sums.write_enable.next = self.done.q.val() | self.clear.q.val() | !self.is_swept.val();
        self.sums.write_address.next = self.clear_flow.q.val();
        self.sums.write_data.next = bits::<32>(0);
        if self.done.q.val() {
            self.tag.d.next = self.tag.q.val() + bits::<8>(1);
            self.sums.write_address.next = self.done_flow.q.val();
            self.sums.write_data.next = self.sum.q.val();
        } else {
            self.clear.d.next = false;
            if self.clear.q.val() & (self.latest.q.val() == self.clear_flow.q.val()) {
                self.latest_counts.d.next = false;
            }
        }
        if !self.is_swept.val() {
            self.sums.write_address.next = self.at.val().get_bits::<F>(0);
            self.sums.write_data.next = bits::<32>(0);
        }
        if self.read.q.val() {
            self.latest.d.next = self.read_flow.q.val();
            self.latest_counts.d.next = true;
        }
        if (self.fl.valid.val() & self.is_swept.val()) & !(self.fl.enable.val() & self.fl.keep.val()) {
            self.clear.d.next = true;
            self.clear_flow.d.next = self.fl.flow.val();
        }
        // Any frame, as it is charged.
        self.all_bytes.next = bit_cast::<17, 16>(self.parse.o.len.val()) + bits::<17>(24);
        self.charged.next = self.all_bytes.val().get_bits::<16>(0);
        if self.all_bytes.val().get_bit(16) {
            self.charged.next = bits::<16>(65535);
        } else if self.all_bytes.val() < bits::<17>(84) {
            self.charged.next = bits::<16>(84);
        }
        self.frame[0].d.next = (self.parse.o.valid.val() & self.launches.o_valid.val()) & self.named.val();
        self.frame_rest[0].d.next =
            bit_cast::<32, 16>(self.launch.val().get_bits::<16>(65)) | (bit_cast::<32, 16>(self.charged.val()) << 16);
        for i in 0..2 {
            self.frame[i + 1].d.next = self.frame[i].q.val();
            self.frame_rest[i + 1].d.next = self.frame_rest[i].q.val();
        }
        self.frame_valid.next = self.frame[2].q.val();
        self.frame_queue.next = self.frame_rest[2].q.val().get_bits::<16>(0);
        self.frame_wire_bytes.next = self.frame_rest[2].q.val().get_bits::<16>(16);
        self.out.next = self.done_rest.q.val();
        self.sent.valid.next = self.done.q.val();
        self.sent.tag.next = bit_cast::<16, 8>(self.tag.q.val());
        if self.named.val() {
            self.sent.tag.next = self.out.val().get_bits::<16>(210);
        }
        self.sent.flow.next = self.done_flow.q.val();
        self.sent.nonce.next = self.out.val().get_bits::<32>(0);
        self.sent.segment.next = self.out.val().get_bits::<32>(32);
        self.sent.last.next = self.out.val().get_bit(64);
        self.sent.first.next = self.out.val().get_bit(65);
        self.sent.wire_bytes.next = self.out.val().get_bits::<16>(66);
        self.sent.segment_bytes.next = self.told.q.val();
        self.sent.launch.next = self.out.val().get_bits::<64>(82);
        self.sent.place.next = self.out.val().get_bits::<16>(226);
        self.sent.generation.next = self.generation.q.val();
        self.sent_ts.next = self.out.val().get_bits::<64>(146);
        if self.rst.val() {
            self.sweep.d.next = bits::<T>(0);
            self.read.d.next = false;
            self.caught.d.next = false;
            self.done.d.next = false;
            for i in 0..3 {
                self.frame[i].d.next = false;
            }
            self.tag.d.next = bits::<8>(0);
            self.place.d.next = bits::<16>(0);
            self.generation.d.next = bits::<2>(0);
            self.latest_counts.d.next = false;
            self.clear.d.next = false;
        }
    }
}
