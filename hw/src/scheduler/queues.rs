//! The transmit queues: their operations one after the other, and the requests under way.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::share::Share;
use super::turns::Turns;
use crate::bus::{DoorbellOut, FlowSwitchIn, GrantIn, RequestOut, StatusIn};
use crate::constant::Const;
use crate::fifo::{Fifo, WideFifo};
use rust_hdl::prelude::*;
use timely_model::scheduler::queues::{ASKS, BELL_BITS, LOAD_BITS, POSTS, TAG_BITS};

// A kernel takes literals alone.
const _: () = assert!(ASKS == 16 && POSTS == 28 && BELL_BITS == 9 && LOAD_BITS == 4 && TAG_BITS == 8);

/// Between Corundum's doorbells, requests and statuses, and the pacer's doorbells, grants and
/// charges. `S` must be `F + 1`, `L` `F + 2`, `P` `F + 6`, `A` `F + 65`, `D` `F + 25`.
///
/// A doorbell does not say for how many packets it is. So a queue that may hold some always has 32
/// posted to the pacer, and each grant asks for one; a request that comes back empty, and that no
/// doorbell has overtaken, ends that. Grants that are left over then are charged 0, and ask for
/// nothing. A request with a packet says that there may be more. Each grant is charged once.
/// - A queue without a flow asks by turns with the others of that kind; grants and turns alternate
///   when both wait. How many such requests may be under way is said by [`Share`]: packets of flows
///   find tags, and do not wait long behind them.
/// - While `stop` is 1 grants ask for nothing; when it falls, every queue that may hold packets has
///   them posted again. When doorbells came faster than they could wait, every queue is rung.
///
/// Latency: 10 clocks from a doorbell to its posting, 8 from a grant to its request, 9 from a
/// status to its charge, if nothing else waits. Throughput: one load, doorbell, grant, turn or
/// status a clock. Back pressure: requests wait for one of `cfg_tags` tags, grants for 16 requests;
/// doorbells and statuses are always taken (512 and 256 wait), loads 16 at once. Model:
/// `timely_model::scheduler::queues::Queues`.
#[derive(LogicBlock, Default)]
pub struct Queues<const F: usize, const S: usize, const L: usize, const P: usize, const A: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Queues without a flow may send.
    pub enable: Signal<In, Bit>,
    /// No flow may send.
    pub stop: Signal<In, Bit>,
    /// Tags that there are, 1 to 256.
    pub cfg_tags: Signal<In, Bits<9>>,
    /// log2 of the wire bytes that requests of queues without a flow may have under way, 8 to 24.
    pub cfg_share: Signal<In, Bits<5>>,
    /// Loads of flows.
    pub load: FlowSwitchIn<F>,
    /// An access to a channel; the next after its answer.
    pub channel_valid: Signal<In, Bit>,
    pub channel_queue: Signal<In, Bits<F>>,
    pub channel_write: Signal<In, Bit>,
    pub channel_enable: Signal<In, Bit>,
    /// The access is answered.
    pub answer_valid: Signal<Out, Bit>,
    pub answer_flags: Signal<Out, Bits<4>>,
    /// A queue may hold packets.
    pub doorbell_valid: Signal<In, Bit>,
    pub doorbell_queue: Signal<In, Bits<F>>,
    /// Packets for the pacer.
    pub post: DoorbellOut<F>,
    /// Grants.
    pub grant: GrantIn<F>,
    /// A grant is charged.
    pub charge_valid: Signal<Out, Bit>,
    pub charge_flow: Signal<Out, Bits<F>>,
    /// Wire bytes; 0 without a packet.
    pub charge_bytes: Signal<Out, Bits<16>>,
    /// Requests.
    pub request: RequestOut<F>,
    /// The request shows for the first time.
    pub launch_valid: Signal<Out, Bit>,
    pub launch_paced: Signal<Out, Bit>,
    /// When it was due; 0 if the pacer did not.
    pub launch_time: Signal<Out, Bits<64>>,
    /// Packets of requests.
    pub status: StatusIn,
    /// A request was empty.
    pub void_valid: Signal<Out, Bit>,
    pub void_tag: Signal<Out, Bits<8>>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    turns: Turns<F, S>,
    share: Share,
    loads: Fifo<L, 4, 5>,
    bells: Fifo<F, 9, 10>,
    list: Fifo<F, F, S>,
    asks: WideFifo<A, 5, 6>,
    // Queue, paced, tag 8, bytes 16.
    dones: Fifo<D, 8, 9>,
    spare: Fifo<8, 8, 9>,
    posts: Fifo<P, 5, 6>,
    channel: DFF<Bit>,
    channel_at: DFF<Bits<F>>,
    channel_is_write: DFF<Bit>,
    channel_on: DFF<Bit>,
    posts_held: DFF<Bits<6>>,
    asks_held: DFF<Bits<5>>,
    /// Turns that are no request yet, and requests without a grant that are not over.
    unpaced: DFF<Bits<9>>,
    /// Grants and turns that are no request yet, and requests that are not over.
    held: DFF<Bits<9>>,
    /// Flows that may hold packets.
    flows: DFF<Bits<S>>,
    enabled: DFF<Bit>,
    stopped: DFF<Bit>,
    turn_first: DFF<Bit>,
    ringing: DFF<Bit>,
    ring_at: DFF<Bits<F>>,
    /// Doorbells were lost, so any queue may hold packets.
    lost: DFF<Bit>,
    next_tag: DFF<Bits<9>>,
    /// `next_tag` is below `cfg_tags`: known a clock ahead, for every request's way begins there.
    unused: DFF<Bit>,
    /// Queue and paced of each tag.
    names: RAM<Bits<S>, 8>,
    requesting: DFF<Bit>,
    request_at: DFF<Bits<F>>,
    request_as: DFF<Bits<8>>,
    launch: DFF<Bit>,
    launch_is_paced: DFF<Bit>,
    launch_at: DFF<Bits<64>>,
    over: [DFF<Bit>; 2],
    over_tag: [DFF<Bits<8>>; 2],
    over_len: [DFF<Bits<16>>; 2],
    over_name: DFF<Bits<S>>,
    was_empty: DFF<Bit>,
    void_as: DFF<Bits<8>>,
    last_queue: Const<Bits<F>>,
    load_entry: Signal<Local, Bits<L>>,
    done: Signal<Local, Bits<D>>,
    ask: Signal<Local, Bits<A>>,
    post_entry: Signal<Local, Bits<P>>,
    can: Signal<Local, Bit>,
    is_load: Signal<Local, Bit>,
    is_channel: Signal<Local, Bit>,
    is_done: Signal<Local, Bit>,
    is_bell: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes_grant: Signal<Local, Bit>,
    turn: Signal<Local, Bit>,
    is_grant: Signal<Local, Bit>,
    is_turn: Signal<Local, Bit>,
    is_ring: Signal<Local, Bit>,
    following_tag: Signal<Local, Bits<9>>,
    tag: Signal<Local, Bits<8>>,
    begun: Signal<Local, Bit>,
    post_left: Signal<Local, Bit>,
}

impl<const F: usize, const S: usize, const L: usize, const P: usize, const A: usize, const D: usize> Queues<F, S, L, P, A, D> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(S == F + 1 && L == F + 2 && P == F + 6 && A == F + 65 && D == F + 25, "widths of 2^{F} queues");
        Self { last_queue: Const::new(bits::<F>((1 << F) - 1)), ..Default::default() }
    }
}

impl<const F: usize, const S: usize, const L: usize, const P: usize, const A: usize, const D: usize> Logic for Queues<F, S, L, P, A, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            channel,
            channel_at,
            channel_is_write,
            channel_on,
            posts_held,
            asks_held,
            unpaced,
            enabled,
            stopped,
            turn_first,
            ringing,
            ring_at,
            lost
        );
        dff_setup!(
            self,
            clk,
            held,
            flows,
            next_tag,
            unused,
            requesting,
            request_at,
            request_as,
            launch,
            launch_is_paced,
            launch_at,
            over_name,
            was_empty,
            void_as
        );
        for i in 0..2 {
            self.over[i].clock.next = self.clk.val();
            self.over_tag[i].clock.next = self.clk.val();
            self.over_len[i].clock.next = self.clk.val();
        }
        self.turns.clk.next = self.clk.val();
        self.turns.rst.next = self.rst.val();
        self.share.clk.next = self.clk.val();
        self.share.rst.next = self.rst.val();
        self.loads.clk.next = self.clk.val();
        self.loads.rst.next = self.rst.val();
        self.bells.clk.next = self.clk.val();
        self.bells.rst.next = self.rst.val();
        self.list.clk.next = self.clk.val();
        self.list.rst.next = self.rst.val();
        self.asks.clk.next = self.clk.val();
        self.asks.rst.next = self.rst.val();
        self.dones.clk.next = self.clk.val();
        self.dones.rst.next = self.rst.val();
        self.spare.clk.next = self.clk.val();
        self.spare.rst.next = self.rst.val();
        self.posts.clk.next = self.clk.val();
        self.posts.rst.next = self.rst.val();
        self.names.read_clock.next = self.clk.val();
        self.names.write_clock.next = self.clk.val();

        // Inputs.
        self.loads.i_valid.next = self.load.valid.val();
        self.loads.i_data.next = bit_cast::<L, 1>(self.load.enable.val().into())
            | (bit_cast::<L, 1>(self.load.keep.val().into()) << 1)
            | (bit_cast::<L, F>(self.load.flow.val()) << 2);
        self.bells.i_valid.next = self.doorbell_valid.val();
        self.bells.i_data.next = self.doorbell_queue.val();
        self.enabled.d.next = self.enable.val();
        self.stopped.d.next = self.stop.val();

        // Operations that begin. While less than 28 postings are held: by their bits, for a
        // comparison would take a carry chain in front of every choice.
        self.can.next = self.turns.swept.val() & !(self.posts_held.q.val().get_bit(5) | self.posts_held.q.val().get_bits::<3>(2).all());
        self.is_load.next = self.can.val() & self.loads.o_valid.val();
        self.is_channel.next = self.can.val() & !self.loads.o_valid.val() & self.channel.q.val();
        self.is_done.next = self.can.val() & !self.loads.o_valid.val() & !self.channel.q.val() & self.dones.o_valid.val();
        self.free.next = self.can.val() & !self.loads.o_valid.val() & !self.channel.q.val() & !self.dones.o_valid.val();
        self.is_bell.next = self.free.val() & self.bells.o_valid.val();
        self.takes_grant.next = self.free.val() & !self.bells.o_valid.val() & !self.asks_held.q.val().get_bit(4) & !self.turn_first.q.val();
        self.turn.next = self.enabled.q.val() & !self.asks_held.q.val().get_bit(4) & self.share.room.val() & self.list.o_valid.val();
        self.is_grant.next = self.takes_grant.val() & self.grant.valid.val();
        self.is_turn.next = self.free.val()
            & !self.bells.o_valid.val()
            & !self.is_grant.val()
            & self.turn.val()
            & (self.turn_first.q.val() | !self.ringing.q.val());
        self.is_ring.next = self.free.val() & !self.bells.o_valid.val() & !self.is_grant.val() & !self.is_turn.val() & self.ringing.q.val();
        self.load_entry.next = self.loads.o_data.val();
        self.done.next = self.dones.o_data.val();
        self.turns.op_valid.next = self.is_load.val()
            | self.is_channel.val()
            | self.is_done.val()
            | self.is_bell.val()
            | self.is_grant.val()
            | self.is_turn.val()
            | self.is_ring.val();
        self.turns.op_stop.next = self.stop.val();
        self.turns.op_launch.next = self.grant.launch.val();
        self.turns.op_bytes.next = self.done.val().get_bits::<16>(0);
        self.turns.op_kind.next = bits::<3>(3);
        self.turns.op_queue.next = self.ring_at.q.val();
        self.turns.op_a.next = self.done.val().get_bits::<16>(0).any();
        self.turns.op_b.next = self.done.val().get_bit(24);
        if self.loads.o_valid.val() {
            self.turns.op_kind.next = bits::<3>(1);
            self.turns.op_queue.next = self.load_entry.val().get_bits::<F>(2);
            self.turns.op_a.next = self.load_entry.val().get_bit(0);
            self.turns.op_b.next = self.load_entry.val().get_bit(1);
        } else if self.channel.q.val() {
            self.turns.op_kind.next = bits::<3>(0);
            if self.channel_is_write.q.val() {
                self.turns.op_kind.next = bits::<3>(2);
            }
            self.turns.op_queue.next = self.channel_at.q.val();
            self.turns.op_a.next = self.channel_on.q.val();
        } else if self.dones.o_valid.val() {
            self.turns.op_kind.next = bits::<3>(6);
            self.turns.op_queue.next = self.done.val().get_bits::<F>(25);
        } else if self.bells.o_valid.val() {
            self.turns.op_queue.next = self.bells.o_data.val();
            self.turns.op_a.next = true;
        } else if self.is_grant.val() {
            self.turns.op_kind.next = bits::<3>(4);
            self.turns.op_queue.next = self.grant.flow.val();
        } else if self.is_turn.val() {
            self.turns.op_kind.next = bits::<3>(5);
            self.turns.op_queue.next = self.list.o_data.val();
        } else {
            self.turns.op_a.next = self.lost.q.val();
        }
        self.grant.ready.next = self.takes_grant.val();
        self.loads.o_ready.next = self.can.val();
        self.dones.o_ready.next = self.is_done.val();
        self.bells.o_ready.next = self.is_bell.val();
        self.list.o_ready.next = self.is_turn.val();
        if self.is_channel.val() {
            self.channel.d.next = false;
        }
        if self.channel_valid.val() {
            self.channel.d.next = true;
            self.channel_at.d.next = self.channel_queue.val();
            self.channel_is_write.d.next = self.channel_write.val();
            self.channel_on.d.next = self.channel_enable.val();
        }
        self.turn_first.d.next = self.turn.val() & !self.is_turn.val() & (self.turn_first.q.val() | self.is_grant.val());
        // Every queue is rung.
        if self.is_ring.val() {
            self.ring_at.d.next = self.ring_at.q.val() + bits::<F>(1);
            if self.ring_at.q.val() == self.last_queue.val() {
                self.ringing.d.next = false;
                self.lost.d.next = false;
            }
        }
        if (self.doorbell_valid.val() & !self.bells.i_ready.val()) | (self.stopped.q.val() & !self.stop.val()) {
            self.ringing.d.next = true;
            self.ring_at.d.next = bits::<F>(0);
        }
        if self.doorbell_valid.val() & !self.bells.i_ready.val() {
            self.lost.d.next = true;
        }

        // Outcomes of an operation.
        self.posts.i_valid.next = self.turns.post.val();
        self.posts.i_data.next = bit_cast::<P, 6>(self.turns.post_packets.val()) | (bit_cast::<P, F>(self.turns.queue.val()) << 6);
        self.posts.o_ready.next = self.post.ready.val();
        self.post_entry.next = self.posts.o_data.val();
        self.post.valid.next = self.posts.o_valid.val();
        self.post.flow.next = self.post_entry.val().get_bits::<F>(6);
        self.post.packets.next = bit_cast::<16, 6>(self.post_entry.val().get_bits::<6>(0));
        self.list.i_valid.next = self.turns.list.val();
        self.list.i_data.next = self.turns.queue.val();
        self.charge_valid.next = self.turns.charge.val();
        self.charge_flow.next = self.turns.queue.val();
        self.charge_bytes.next = self.turns.charge_bytes.val();
        self.answer_valid.next = self.turns.answer.val();
        self.answer_flags.next = self.turns.answer_flags.val();
        self.asks.i_valid.next = self.turns.issue.val();
        self.asks.i_data.next = bit_cast::<A, 64>(self.turns.issue_launch.val())
            | (bit_cast::<A, 1>(self.turns.issue_paced.val().into()) << 64)
            | (bit_cast::<A, F>(self.turns.queue.val()) << 65);

        // A request gets its tag: one never used, else one that is over.
        self.ask.next = self.asks.o_data.val();
        self.tag.next = self.spare.o_data.val();
        if self.unused.q.val() {
            self.tag.next = self.next_tag.q.val().get_bits::<8>(0);
        }
        self.begun.next = self.asks.o_valid.val()
            & (!self.requesting.q.val() | self.request.ready.val())
            & (self.unused.q.val() | self.spare.o_valid.val());
        self.asks.o_ready.next = self.begun.val();
        self.spare.o_ready.next = self.begun.val() & !self.unused.q.val();
        self.following_tag.next = self.next_tag.q.val() + bits::<9>(1);
        self.unused.d.next = self.next_tag.q.val() < self.cfg_tags.val();
        if self.begun.val() & self.unused.q.val() {
            self.next_tag.d.next = self.following_tag.val();
            self.unused.d.next = self.following_tag.val() < self.cfg_tags.val();
        }
        if self.request.ready.val() {
            self.requesting.d.next = false;
        }
        if self.begun.val() {
            self.requesting.d.next = true;
            self.request_at.d.next = self.ask.val().get_bits::<F>(65);
            self.request_as.d.next = self.tag.val();
            self.launch_is_paced.d.next = self.ask.val().get_bit(64);
            self.launch_at.d.next = self.ask.val().get_bits::<64>(0);
        }
        self.launch.d.next = self.begun.val();
        self.names.write_enable.next = self.begun.val();
        self.names.write_address.next = self.tag.val();
        self.names.write_data.next =
            bit_cast::<S, 1>(self.ask.val().get_bits::<1>(64)) | (bit_cast::<S, F>(self.ask.val().get_bits::<F>(65)) << 1);
        self.request.valid.next = self.requesting.q.val();
        self.request.queue.next = self.request_at.q.val();
        self.request.tag.next = self.request_as.q.val();
        self.launch_valid.next = self.launch.q.val();
        self.launch_paced.next = self.launch_is_paced.q.val();
        self.launch_time.next = self.launch_at.q.val();

        // A request is over: what its tag stands for is read.
        self.names.read_address.next = self.status.tag.val();
        self.over[0].d.next = self.status.valid.val();
        self.over_tag[0].d.next = self.status.tag.val();
        self.over_len[0].d.next = self.status.len.val();
        self.over[1].d.next = self.over[0].q.val();
        self.over_tag[1].d.next = self.over_tag[0].q.val();
        self.over_len[1].d.next = self.over_len[0].q.val();
        self.over_name.d.next = self.names.read_data.val();
        self.dones.i_valid.next = self.over[1].q.val();
        self.dones.i_data.next = bit_cast::<D, 16>(self.over_len[1].q.val())
            | (bit_cast::<D, 8>(self.over_tag[1].q.val()) << 16)
            | (bit_cast::<D, S>(self.over_name.q.val()) << 24);
        self.spare.i_valid.next = self.is_done.val();
        self.spare.i_data.next = self.done.val().get_bits::<8>(16);
        self.was_empty.d.next = self.status.valid.val() & !self.status.len.val().any();
        self.void_as.d.next = self.status.tag.val();
        self.void_valid.next = self.was_empty.q.val();
        self.void_tag.next = self.void_as.q.val();

        // Postings and requests on their way.
        self.post_left.next = self.posts.o_valid.val() & self.post.ready.val();
        self.posts_held.d.next = self.posts_held.q.val() + bit_cast::<6, 1>(self.turns.op_valid.val().into())
            - bit_cast::<6, 1>((self.turns.valid.val() & !self.turns.post.val()).into())
            - bit_cast::<6, 1>(self.post_left.val().into());
        self.asks_held.d.next = self.asks_held.q.val() + bit_cast::<5, 1>((self.is_grant.val() | self.is_turn.val()).into())
            - bit_cast::<5, 1>((self.turns.ask.val() & !self.turns.issue.val()).into())
            - bit_cast::<5, 1>(self.begun.val().into());
        self.unpaced.d.next = self.unpaced.q.val() + bit_cast::<9, 1>(self.is_turn.val().into())
            - bit_cast::<9, 1>((self.turns.ask.val() & !self.turns.issue_paced.val() & !self.turns.issue.val()).into())
            - bit_cast::<9, 1>((self.is_done.val() & !self.done.val().get_bit(24)).into());
        self.held.d.next = self.held.q.val() + bit_cast::<9, 1>((self.is_grant.val() | self.is_turn.val()).into())
            - bit_cast::<9, 1>((self.turns.ask.val() & !self.turns.issue.val()).into())
            - bit_cast::<9, 1>(self.is_done.val().into());
        self.flows.d.next =
            self.flows.q.val() + bit_cast::<S, 1>(self.turns.joins.val().into()) - bit_cast::<S, 1>(self.turns.leaves.val().into());
        self.share.cfg_tags.next = self.cfg_tags.val();
        self.share.cfg_share.next = self.cfg_share.val();
        self.share.flows.next = self.flows.q.val().any();
        self.share.done_valid.next = self.is_done.val() & !self.done.val().get_bit(24);
        self.share.done_bytes.next = self.done.val().get_bits::<16>(0);
        self.share.unpaced.next = self.unpaced.q.val();
        self.share.held.next = self.held.q.val();
        self.share.asks.next = self.is_grant.val() | self.is_turn.val();
        self.share.turns.next = self.is_turn.val();
        self.swept.next = self.turns.swept.val();
        if self.rst.val() {
            self.channel.d.next = false;
            self.posts_held.d.next = bits::<6>(0);
            self.asks_held.d.next = bits::<5>(0);
            self.unpaced.d.next = bits::<9>(0);
            self.held.d.next = bits::<9>(0);
            self.flows.d.next = bits::<S>(0);
            self.enabled.d.next = false;
            self.stopped.d.next = false;
            self.turn_first.d.next = false;
            self.ringing.d.next = false;
            self.lost.d.next = false;
            self.next_tag.d.next = bits::<9>(0);
            self.unused.d.next = false;
            self.requesting.d.next = false;
            self.launch.d.next = false;
            self.was_empty.d.next = false;
            self.over[0].d.next = false;
            self.over[1].d.next = false;
        }
    }
}
