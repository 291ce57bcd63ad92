//! State of each transmit queue, and the effect of an operation on it.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::OneHot;
use rust_hdl::prelude::*;
use timely_model::scheduler::queues::BACKLOG;

// A kernel takes literals alone.
const _: () = assert!(BACKLOG == 32);

/// One operation a clock on one word a queue; `S` must be `F + 1`. Kinds: 0 read, 1 load (`op_a`
/// enable, `op_b` keep), 2 enable (`op_a`), 3 ring (`op_a` it may hold packets; else it is looked
/// at), 4 grant, 5 turn, 6 the end of a request (`op_a` it had a packet, `op_b` it was paced).
///
/// Latency: 4 clocks. Throughput: one a clock, of the same queue too. Nothing may be asked before
/// `swept`. Model: `timely_model::scheduler::queues`, whose part it is.
#[derive(LogicBlock, Default)]
pub struct Turns<const F: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// An operation.
    pub op_valid: Signal<In, Bit>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_queue: Signal<In, Bits<F>>,
    pub op_a: Signal<In, Bit>,
    pub op_b: Signal<In, Bit>,
    pub op_stop: Signal<In, Bit>,
    /// Launch of a grant, ns48.fns16.
    pub op_launch: Signal<In, Bits<64>>,
    pub op_bytes: Signal<In, Bits<16>>,
    /// An operation is done.
    pub valid: Signal<Out, Bit>,
    /// Queue of the operation.
    pub queue: Signal<Out, Bits<F>>,
    /// The operation was a grant or a turn.
    pub ask: Signal<Out, Bit>,
    /// A request begins.
    pub issue: Signal<Out, Bit>,
    /// The pacer granted it.
    pub issue_paced: Signal<Out, Bit>,
    /// When it was due.
    pub issue_launch: Signal<Out, Bits<64>>,
    /// A grant is charged.
    pub charge: Signal<Out, Bit>,
    /// Wire bytes.
    pub charge_bytes: Signal<Out, Bits<16>>,
    /// Packets are posted.
    pub post: Signal<Out, Bit>,
    /// Packets posted.
    pub post_packets: Signal<Out, Bits<6>>,
    /// The queue waits for its turn.
    pub list: Signal<Out, Bit>,
    /// The queue became a flow that is enabled and may hold packets.
    pub joins: Signal<Out, Bit>,
    /// The queue is no longer such a flow.
    pub leaves: Signal<Out, Bit>,
    /// A channel is answered.
    pub answer: Signal<Out, Bit>,
    /// Enabled, may hold packets, served by turns, a flow.
    pub answer_flags: Signal<Out, Bits<4>>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    // Enabled, flow, active, fresh, listed; posted 6.
    ram: RAM<Bits<11>, F>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    go: [DFF<Bit>; 3],
    kind: [DFF<Bits<3>>; 3],
    at: [DFF<Bits<F>>; 3],
    a: [DFF<Bit>; 3],
    b: [DFF<Bit>; 3],
    stop: [DFF<Bit>; 3],
    launch: [DFF<Bits<64>>; 3],
    bytes: DFF<Bits<16>>,
    framed: DFF<Bits<17>>,
    cost: DFF<Bits<16>>,
    raw: DFF<Bits<11>>,
    /// The last three results, newest first: what the RAM did not show yet.
    done_valid: [DFF<Bit>; 3],
    done_at: [DFF<Bits<F>>; 3],
    done: [DFF<Bits<11>>; 3],
    from: DFF<Bits<2>>,
    o_ask: DFF<Bit>,
    o_issue: DFF<Bit>,
    o_paced: DFF<Bit>,
    o_launch: DFF<Bits<64>>,
    o_charge: DFF<Bit>,
    o_bytes: DFF<Bits<16>>,
    o_post: DFF<Bit>,
    o_before: DFF<Bits<6>>,
    o_list: DFF<Bit>,
    o_joins: DFF<Bit>,
    o_leaves: DFF<Bit>,
    o_answer: DFF<Bit>,
    is_newest: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    is_third: Signal<Local, Bit>,
    word: Signal<Local, Bits<11>>,
    enabled: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    fresh: Signal<Local, Bit>,
    listed: Signal<Local, Bit>,
    posted: Signal<Local, Bits<6>>,
    less: Signal<Local, Bits<6>>,
    issues: Signal<Local, Bit>,
    charges: Signal<Local, Bit>,
    lists: Signal<Local, Bit>,
    posts: Signal<Local, Bit>,
    is_swept: Signal<Local, Bit>,
    rest: Signal<Local, Bits<6>>,
    counted: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
}

impl<const F: usize, const S: usize> Logic for Turns<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, sweep, bytes, framed, cost, raw, from, o_ask, o_issue, o_paced, o_launch, o_charge, o_bytes, o_post, o_before
        );
        dff_setup!(self, clk, o_list, o_joins, o_leaves, o_answer);
        for i in 0..3 {
            self.go[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.at[i].clock.next = self.clk.val();
            self.a[i].clock.next = self.clk.val();
            self.b[i].clock.next = self.clk.val();
            self.stop[i].clock.next = self.clk.val();
            self.launch[i].clock.next = self.clk.val();
            self.done_valid[i].clock.next = self.clk.val();
            self.done_at[i].clock.next = self.clk.val();
            self.done[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }
        // 1: read. 2: capture, and see which earlier results the RAM could not show. 3: act.
        self.go[0].d.next = self.op_valid.val();
        self.kind[0].d.next = self.op_kind.val();
        self.at[0].d.next = self.op_queue.val();
        self.a[0].d.next = self.op_a.val();
        self.b[0].d.next = self.op_b.val();
        self.stop[0].d.next = self.op_stop.val();
        self.launch[0].d.next = self.op_launch.val();
        for i in 0..2 {
            self.go[i + 1].d.next = self.go[i].q.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.at[i + 1].d.next = self.at[i].q.val();
            self.a[i + 1].d.next = self.a[i].q.val();
            self.b[i + 1].d.next = self.b[i].q.val();
            self.stop[i + 1].d.next = self.stop[i].q.val();
            self.launch[i + 1].d.next = self.launch[i].q.val();
            self.done_valid[i + 1].d.next = self.done_valid[i].q.val();
            self.done_at[i + 1].d.next = self.done_at[i].q.val();
            self.done[i + 1].d.next = self.done[i].q.val();
        }
        // Preamble, FCS and gap; at least 84 bytes; 0 without a packet.
        self.bytes.d.next = self.op_bytes.val();
        self.framed.d.next = bit_cast::<17, 16>(self.bytes.q.val()) + bits::<17>(24);
        self.cost.d.next = self.framed.q.val().get_bits::<16>(0);
        if self.framed.q.val().get_bit(16) {
            self.cost.d.next = bits::<16>(65535);
        } else if self.framed.q.val() < bits::<17>(84) {
            self.cost.d.next = bits::<16>(84);
        }
        if !self.a[1].q.val() {
            self.cost.d.next = bits::<16>(0);
        }
        self.ram.read_address.next = self.at[0].q.val();
        self.raw.d.next = self.ram.read_data.val();
        self.is_newest.next = self.go[2].q.val() & (self.at[1].q.val() == self.at[2].q.val());
        self.is_second.next = self.done_valid[0].q.val() & (self.at[1].q.val() == self.done_at[0].q.val());
        self.is_third.next = self.done_valid[1].q.val() & (self.at[1].q.val() == self.done_at[1].q.val());
        self.from.d.next = bits::<2>(0);
        if self.is_newest.val() {
            self.from.d.next = bits::<2>(1);
        } else if self.is_second.val() {
            self.from.d.next = bits::<2>(2);
        } else if self.is_third.val() {
            self.from.d.next = bits::<2>(3);
        }
        self.word.next = self.raw.q.val();
        if self.from.q.val() == bits::<2>(1) {
            self.word.next = self.done[0].q.val();
        } else if self.from.q.val() == bits::<2>(2) {
            self.word.next = self.done[1].q.val();
        } else if self.from.q.val() == bits::<2>(3) {
            self.word.next = self.done[2].q.val();
        }
        self.enabled.next = self.word.val().get_bit(0);
        self.flow.next = self.word.val().get_bit(1);
        self.active.next = self.word.val().get_bit(2);
        self.fresh.next = self.word.val().get_bit(3);
        self.listed.next = self.word.val().get_bit(4);
        self.posted.next = self.word.val().get_bits::<6>(5);
        self.less.next = self.word.val().get_bits::<6>(5) - bits::<6>(1);
        self.issues.next = false;
        self.charges.next = false;
        self.lists.next = false;
        if self.kind[2].q.val() == bits::<3>(1) {
            if !(self.a[2].q.val() & self.b[2].q.val() & self.word.val().get_bit(1)) {
                self.posted.next = bits::<6>(0);
            }
            self.flow.next = self.a[2].q.val();
        }
        if self.kind[2].q.val() == bits::<3>(2) {
            self.enabled.next = self.a[2].q.val();
        }
        if (self.kind[2].q.val() == bits::<3>(3)) & self.a[2].q.val() {
            self.active.next = true;
            self.fresh.next = true;
        }
        if self.kind[2].q.val() == bits::<3>(4) {
            if self.word.val().get_bits::<6>(5).any() {
                self.posted.next = self.less.val();
            }
            self.issues.next = self.word.val().get_bit(0) & self.word.val().get_bit(1) & self.word.val().get_bit(2) & !self.stop[2].q.val();
            self.charges.next = !self.issues.val();
        }
        if self.kind[2].q.val() == bits::<3>(5) {
            self.issues.next = self.word.val().get_bit(0) & !self.word.val().get_bit(1) & self.word.val().get_bit(2);
            self.listed.next = self.issues.val();
            self.lists.next = self.issues.val();
        }
        if self.issues.val() {
            self.fresh.next = false;
        }
        if self.kind[2].q.val() == bits::<3>(6) {
            self.active.next = self.a[2].q.val() | (self.word.val().get_bit(2) & self.word.val().get_bit(3));
            self.charges.next = self.b[2].q.val();
        }
        // The pacer always has as many to grant.
        self.posts.next =
            self.enabled.val() & self.active.val() & self.flow.val() & !self.stop[2].q.val() & (self.posted.val() != bits::<6>(32));
        self.o_before.d.next = self.posted.val();
        if self.enabled.val() & self.active.val() & !self.flow.val() & !self.listed.val() {
            self.lists.next = true;
            self.listed.next = true;
        }
        self.done[0].d.next = bit_cast::<11, 1>(self.enabled.val().into())
            | (bit_cast::<11, 1>(self.flow.val().into()) << 1)
            | (bit_cast::<11, 1>(self.active.val().into()) << 2)
            | (bit_cast::<11, 1>(self.fresh.val().into()) << 3)
            | (bit_cast::<11, 1>(self.listed.val().into()) << 4)
            | (bit_cast::<11, 6>(self.posted.val()) << 5);
        if self.posts.val() {
            self.done[0].d.next = bit_cast::<11, 1>(self.enabled.val().into())
                | (bit_cast::<11, 1>(self.flow.val().into()) << 1)
                | (bit_cast::<11, 1>(self.active.val().into()) << 2)
                | (bit_cast::<11, 1>(self.fresh.val().into()) << 3)
                | (bit_cast::<11, 1>(self.listed.val().into()) << 4)
                | bits::<11>(1024);
        }
        self.done_valid[0].d.next = self.go[2].q.val();
        self.done_at[0].d.next = self.at[2].q.val();
        if self.rst.val() | !self.is_swept.val() {
            self.done[0].d.next = bits::<11>(0);
        }
        self.o_ask.d.next = self.go[2].q.val() & ((self.kind[2].q.val() == bits::<3>(4)) | (self.kind[2].q.val() == bits::<3>(5)));
        self.o_issue.d.next = self.go[2].q.val() & self.issues.val();
        self.o_paced.d.next = self.kind[2].q.val() == bits::<3>(4);
        self.o_launch.d.next = bits::<64>(0);
        if self.kind[2].q.val() == bits::<3>(4) {
            self.o_launch.d.next = self.launch[2].q.val();
        }
        self.o_charge.d.next = self.go[2].q.val() & self.charges.val();
        self.o_bytes.d.next = bits::<16>(0);
        if self.kind[2].q.val() == bits::<3>(6) {
            self.o_bytes.d.next = self.cost.q.val();
        }
        self.o_post.d.next = self.go[2].q.val() & self.posts.val();
        self.o_list.d.next = self.go[2].q.val() & self.lists.val();
        self.counted.next = self.word.val().get_bit(0) & self.word.val().get_bit(1) & self.word.val().get_bit(2);
        self.counts.next = self.enabled.val() & self.flow.val() & self.active.val();
        self.o_joins.d.next = self.go[2].q.val() & self.counts.val() & !self.counted.val();
        self.o_leaves.d.next = self.go[2].q.val() & self.counted.val() & !self.counts.val();
        self.o_answer.d.next = self.go[2].q.val() & ((self.kind[2].q.val() == bits::<3>(0)) | (self.kind[2].q.val() == bits::<3>(2)));
        // 4: write.
        self.ram.write_enable.next = self.done_valid[0].q.val();
        self.ram.write_address.next = self.done_at[0].q.val();
        self.ram.write_data.next = self.done[0].q.val();
        if !self.is_swept.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val().get_bits::<F>(0);
        }
        self.rest.next = bits::<6>(32) - self.o_before.q.val();
        self.valid.next = self.done_valid[0].q.val();
        self.queue.next = self.done_at[0].q.val();
        self.ask.next = self.o_ask.q.val();
        self.issue.next = self.o_issue.q.val();
        self.issue_paced.next = self.o_paced.q.val();
        self.issue_launch.next = self.o_launch.q.val();
        self.charge.next = self.o_charge.q.val();
        self.charge_bytes.next = self.o_bytes.q.val();
        self.post.next = self.o_post.q.val();
        self.post_packets.next = self.rest.val();
        self.list.next = self.o_list.q.val();
        self.joins.next = self.o_joins.q.val();
        self.leaves.next = self.o_leaves.q.val();
        self.answer.next = self.o_answer.q.val();
        // Enabled, active, listed, flow.
        self.answer_flags.next = bit_cast::<4, 1>(self.done[0].q.val().get_bits::<1>(0))
            | (bit_cast::<4, 1>(self.done[0].q.val().get_bits::<1>(2)) << 1)
            | (bit_cast::<4, 1>(self.done[0].q.val().get_bits::<1>(4)) << 2)
            | (bit_cast::<4, 1>(self.done[0].q.val().get_bits::<1>(1)) << 3);
        self.swept.next = self.is_swept.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            for i in 0..3 {
                self.go[i].d.next = false;
                self.done_valid[i].d.next = false;
            }
            self.o_ask.d.next = false;
            self.o_issue.d.next = false;
            self.o_charge.d.next = false;
            self.o_post.d.next = false;
            self.o_list.d.next = false;
            self.o_joins.d.next = false;
            self.o_leaves.d.next = false;
            self.o_answer.d.next = false;
        }
    }
}
