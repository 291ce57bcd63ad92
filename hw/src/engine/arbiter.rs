//! Order in which operations issue: queues, issue stage and parked samples.
use super::queue::Queue;
use super::words::{Asked, Kind, Measure, ParkWord, Sampled};
use crate::bus::{FlowPulseIn, HostRateIn, SampleIn};
use crate::construct::construct;
use crate::ram::{BlockRam, LutRam};
use rust_hdl::prelude::*;

/// Queues of loaded flows, samples, host rates and idle restarts, served in that order; the issue
/// stage behind them.
///
/// An operation enters its queue, then the issue stage, and issues: two clocks after its input when
/// nothing is in the way. A flow issues once in 24 clocks. A sample that comes to the issue stage
/// earlier is parked, in the slot of its flow's last issue, and issues before all else when the 24
/// clocks are over; one that finds its slot taken takes the place of the one there, which is lost
/// and counted: a flow that brings more samples than it may issue loses its own. Other operations
/// wait at the issue stage, and those behind them too. Throughput: one a clock over distinct flows.
/// No back pressure: what finds its queue full takes the place of the youngest word there, which is
/// counted as lost.
#[derive(LogicBlock)]
pub struct Arbiter<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Inputs count.
    pub enable: Signal<In, Bit>,
    /// A sample comes.
    pub sample: SampleIn<F>,
    /// A flow restarts after its idle time.
    pub idle: FlowPulseIn<F>,
    /// The host writes a rate.
    pub host: HostRateIn<F>,
    /// The reaction block asks for an action of a flow; not looked at while the host writes a rate.
    pub reaction_valid: Signal<In, Bit>,
    /// The flow.
    pub reaction_flow: Signal<In, Bits<F>>,
    /// The action, not 0.
    pub reaction: Signal<In, Bits<8>>,
    /// A flow is loaded and starts anew.
    pub load_valid: Signal<In, Bit>,
    /// The flow.
    pub load_flow: Signal<In, Bits<F>>,
    /// The operation below issues at this clock.
    pub issue: Signal<Out, Bit>,
    /// Kind of the operation.
    pub kind: Signal<Out, Kind>,
    /// Flow of the operation; stands before the operation issues.
    pub flow: Signal<Out, Bits<F>>,
    /// A sample's RTT, ns.
    pub rtt_ns: Signal<Out, Bits<24>>,
    /// A sample's time, ns, or the host's rate.
    pub value: Signal<Out, Bits<32>>,
    /// A sample's hops.
    pub hops: Signal<Out, Bits<8>>,
    /// Action that the reaction block asks for, of kind time-out; 0 for any other operation.
    pub action: Signal<Out, Bits<8>>,
    /// The reaction block asks for one; or a NAK, of kind host rate.
    pub reacts: Signal<Out, Bit>,
    /// The responder's part of a sample, ns.
    pub endpoint_ns: Signal<Out, Bits<24>>,
    /// A sample's RTT is below 256 ns.
    pub rtt_short: Signal<Out, Bit>,
    /// The responder's part is below 256 ns.
    pub endpoint_short: Signal<Out, Bit>,
    /// The ACK of a sample, or of one whose place it took, tells of lost packets.
    pub lost: Signal<Out, Bit>,
    /// A sample was lost.
    pub sample_dropped: Signal<Out, Bit>,
    /// Flow of the lost sample.
    pub dropped_flow: Signal<Out, Bits<F>>,
    /// Another operation was lost.
    pub other_dropped: Signal<Out, Bit>,
    loads: Queue<F, 4>,
    samples: Queue<F, 6>,
    hosts: Queue<F, 4>,
    idles: Queue<F, 4>,
    measures: BlockRam<Sampled, 6>,
    rates: BlockRam<Asked, 4>,
    /// The last sample's flow: it is the youngest of a queue that is full.
    last_flow: DFF<Bits<F>>,
    lost_flow: DFF<Bits<F>>,
    held: DFF<Bit>,
    held_kind: DFF<Kind>,
    held_flow: DFF<Bits<F>>,
    held_sample: DFF<Bit>,
    held_host: DFF<Bit>,
    /// A bit a flow each: they differ while the flow may not issue. One turns with an issue, the
    /// other follows 23 clocks later.
    issued: BlockRam<Bits<1>, F>,
    ended: BlockRam<Bits<1>, F>,
    // Issued 1 to 23 clocks ago; without a reset, so that a flow's turned bit is followed in any
    // case.
    valid: [DFF<Bit>; 23],
    flows: [DFF<Bits<F>>; 23],
    turned: [DFF<Bits<1>>; 23],
    /// Value to which the last issue turned its flow's bit.
    last_turn: DFF<Bits<1>>,
    /// The flow at the issue stage was issued when it came there, so that its bits show it no more.
    same: DFF<Bit>,
    /// The flow at the issue stage was issued 24 clocks ago.
    open: DFF<Bit>,
    /// The issue stage is free unless a parked sample issues: nothing is there, it was issued 24
    /// clocks ago, or it is a sample that may be parked.
    sure: DFF<Bit>,
    /// Samples that wait for their flow's turn, by the slot of its last issue: its clock modulo 32.
    parked: LutRam<Measure, 5>,
    /// Something is parked in a slot where its bits in `set` and `cleared` differ: `set` is written
    /// when a sample parks, `cleared` as its slot ends. Each is read at two places.
    set: LutRam<ParkWord, 5>,
    set_old: LutRam<ParkWord, 5>,
    cleared: LutRam<Bits<1>, 5>,
    cleared_old: LutRam<Bits<1>, 5>,
    slots: BlockRam<Bits<5>, F>,
    /// The slot of this clock, and that of 23 clocks ago.
    slot: DFF<Bits<5>>,
    old: DFF<Bits<5>>,
    /// The slot of the last issue of the flow at the issue stage, if it issued when it was there.
    last_slot: DFF<Bits<5>>,
    /// The flow at the issue stage was issued 23 clocks ago: it is too late to park.
    closing: DFF<Bit>,
    /// A parked sample issues.
    due: DFF<Bit>,
    due_flow: DFF<Bits<F>>,
    due_turn: DFF<Bits<1>>,
    due_measure: DFF<Measure>,
    due_lost: DFF<Bit>,
    /// A sample parked a clock ago: its slot is taken from now on.
    parked_now: DFF<Bit>,
    parked_flow: DFF<Bits<F>>,
    parked_place: DFF<Bits<5>>,
    parked_lost: DFF<Bit>,
    replaced: DFF<Bit>,
    replaced_flow: DFF<Bits<F>>,
    issuing: Signal<Local, Bit>,
    issuing_flow: Signal<Local, Bits<F>>,
    issuing_turn: Signal<Local, Bits<1>>,
    okay: Signal<Local, Bit>,
    park: Signal<Local, Bit>,
    place: Signal<Local, Bits<5>>,
    taken: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    sampled: Signal<Local, Measure>,
    measure: Signal<Local, Measure>,
    here: Signal<Local, ParkWord>,
    ends: Signal<Local, ParkWord>,
    last: Signal<Local, Bit>,
    lose: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    turn: Signal<Local, Bits<1>>,
    timed_out: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    next_flow: Signal<Local, Bits<F>>,
    /// The next flow was issued 23 clocks ago, 22 clocks ago.
    opens: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    /// The issue stage with it is sure.
    next_sure: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl<const F: usize> Default for Arbiter<F> {
    fn default() -> Self {
        construct!({ slots: BlockRam::default().apart(), issued: BlockRam::default().zeros().apart(), ended: BlockRam::default().zeros().apart(), measures: BlockRam::default().apart(), rates: BlockRam::default().apart(), set: LutRam::default().zeros(), set_old: LutRam::default().zeros(), cleared: LutRam::default().zeros(), cleared_old: LutRam::default().zeros() }
            clk, rst, enable, sample, lost, due_lost, sampled, here, ends, last, lose,
            idle, host, reaction_valid, reaction_flow, reaction, action, asks, load_valid, load_flow, issue, kind, flow, rtt_ns, value, hops,
            endpoint_ns, rtt_short, endpoint_short, reacts, sample_dropped, dropped_flow, other_dropped, loads, samples, hosts, idles, last_flow, lost_flow,
            held, held_kind, held_flow, held_sample, held_host, same, last_turn, open, sure, rests, turn, timed_out, next_flow, opens, closes, next_sure, go, free, parked,
            slot, old, last_slot, closing, due, due_flow, due_turn, due_measure, parked_now, parked_flow, parked_place, parked_lost, replaced, replaced_flow, issuing, issuing_flow, issuing_turn,
            okay, park, place, taken, waits, measure; valid, flows, turned)
    }
}

impl<const F: usize> Logic for Arbiter<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_flow, lost_flow, held, held_kind, held_flow, held_sample, held_host, same, last_turn, open, sure);
        dff_setup!(
            self,
            clk,
            slot,
            last_slot,
            closing,
            due,
            due_flow,
            due_turn,
            due_measure,
            due_lost,
            parked_now,
            parked_flow,
            parked_place,
            parked_lost,
            replaced,
            replaced_flow,
            old
        );
        self.loads.clk.next = self.clk.val();
        self.loads.rst.next = self.rst.val();
        self.loads.i_valid.next = self.load_valid.val() & self.enable.val();
        self.loads.i_flow.next = self.load_flow.val();
        self.samples.clk.next = self.clk.val();
        self.samples.rst.next = self.rst.val();
        self.samples.i_valid.next = self.sample.valid.val() & self.enable.val();
        self.samples.i_flow.next = self.sample.flow.val();
        self.timed_out.next = self.sample.kind.val() == bits::<2>(1);
        self.measures.clock.next = self.clk.val();
        self.measures.write_enable.next = self.sample.valid.val();
        self.measures.write_address.next = self.samples.i_place.val();
        self.sampled.next.rtt_ns = self.sample.rtt_ns.val();
        self.sampled.next.now_ns = self.sample.now_ns.val();
        self.sampled.next.hops = self.sample.hops.val();
        self.sampled.next.endpoint_ns = self.sample.endpoint_ns.val();
        self.sampled.next.timed_out = self.timed_out.val();
        self.sampled.next.nak = self.sample.kind.val() == bits::<2>(2);
        self.sampled.next.rtt_short = !self.sample.rtt_ns.val().get_bits::<16>(8).any();
        self.sampled.next.endpoint_short = !self.sample.endpoint_ns.val().get_bits::<16>(8).any();
        self.measures.write_data.next.measure = self.sampled.val();
        self.measures.write_data.next.lost = self.sample.lost.val().any();
        self.measures.read_address.next = self.samples.o_place.val();
        self.hosts.clk.next = self.clk.val();
        self.hosts.rst.next = self.rst.val();
        self.asks.next = self.host.valid.val() | self.reaction_valid.val();
        self.hosts.i_valid.next = self.asks.val() & self.enable.val();
        self.hosts.i_flow.next = self.reaction_flow.val();
        self.rates.clock.next = self.clk.val();
        self.rates.write_enable.next = self.asks.val();
        self.rates.write_address.next = self.hosts.i_place.val();
        self.rates.write_data.next.rate = self.host.rate.val();
        self.rates.write_data.next.action = self.reaction.val();
        self.rates.write_data.next.acts = !self.host.valid.val();
        if self.host.valid.val() {
            self.hosts.i_flow.next = self.host.flow.val();
            self.rates.write_data.next.action = bits::<8>(0);
        }
        self.rates.read_address.next = self.hosts.o_place.val();
        self.idles.clk.next = self.clk.val();
        self.idles.rst.next = self.rst.val();
        self.idles.i_valid.next = self.idle.valid.val() & self.enable.val();
        self.idles.i_flow.next = self.idle.flow.val();
        // The issue stage. What was issued when the held one came is not in its bits yet; when they
        // were read long ago, it is told.
        self.rests.next = (self.issued.read_data.val() == self.ended.read_data.val()) & !self.same.q.val();
        self.go.next = (self.held.q.val() & !self.due.q.val()) & (self.open.q.val() | self.rests.val());
        self.okay.next = !self.held.q.val() | !self.due.q.val();
        self.free.next = self.okay.val() & (self.sure.q.val() | self.rests.val());
        // Neither may it issue nor is it too late to park.
        self.park.next = ((self.held.q.val() & self.held_sample.q.val()) & !(self.due.q.val() | self.closing.q.val()))
            & !(self.open.q.val() | self.rests.val());
        // A slot lasts for 32 clocks, the last of which may not be parked in.
        self.slot.d.next = self.slot.q.val() + bits::<5>(1);
        self.old.d.next = self.slot.q.val() - bits::<5>(22);
        self.place.next = self.slots.read_data.val();
        if self.same.q.val() {
            self.place.next = self.last_slot.q.val();
        }
        self.set.clock.next = self.clk.val();
        self.set_old.clock.next = self.clk.val();
        self.cleared.clock.next = self.clk.val();
        self.cleared_old.clock.next = self.clk.val();
        self.set.read_address.next = self.parked_place.q.val();
        self.cleared.read_address.next = self.parked_place.q.val();
        self.set_old.read_address.next = self.old.q.val();
        self.cleared_old.read_address.next = self.old.q.val();
        self.here.next = self.set.read_data.val();
        self.ends.next = self.set_old.read_data.val();
        self.taken.next = self.here.val().turn != self.cleared.read_data.val();
        // What parked in the last clock of its slot.
        self.last.next = self.parked_now.q.val() & (self.parked_place.q.val() == self.old.q.val());
        // While nothing is enabled each slot becomes empty, and `set_old` equal to `set`.
        self.set.write_enable.next = (self.parked_now.q.val() & !self.last.val()) | !self.enable.val();
        self.set.write_address.next = self.parked_place.q.val();
        self.set.write_data.next.turn = self.cleared.read_data.val();
        if self.enable.val() {
            self.set.write_data.next.turn = !self.cleared.read_data.val();
        }
        self.set.write_data.next.lost = self.parked_lost.q.val() | (self.taken.val() & self.here.val().lost);
        self.set_old.write_enable.next = self.set.write_enable.val();
        self.set_old.write_address.next = self.set.write_address.val();
        self.set_old.write_data.next = self.set.write_data.val();
        self.cleared.write_enable.next = true;
        self.cleared.write_address.next = self.old.q.val();
        self.cleared.write_data.next = self.ends.val().turn;
        self.cleared_old.write_enable.next = true;
        self.cleared_old.write_address.next = self.old.q.val();
        self.cleared_old.write_data.next = self.ends.val().turn;
        self.lose.next = (self.ends.val().turn != self.cleared_old.read_data.val()) & self.ends.val().lost;
        self.waits.next = (self.ends.val().turn != self.cleared_old.read_data.val()) | self.last.val();
        if self.last.val() & self.parked_lost.q.val() {
            self.lose.next = true;
        }
        self.parked.clock.next = self.clk.val();
        self.parked.write_enable.next = self.park.val();
        self.parked.write_address.next = self.place.val();
        self.parked.write_data.next = self.measures.read_data.val().measure;
        self.parked.read_address.next = self.old.q.val();
        // The slots of before a reset end while nothing is enabled.
        self.due.d.next = (self.valid[22].q.val() & self.waits.val()) & self.enable.val();
        self.due_flow.d.next = self.flows[22].q.val();
        self.due_turn.d.next = !self.turned[22].q.val();
        self.due_measure.d.next = self.parked.read_data.val();
        self.due_lost.d.next = self.lose.val();
        self.parked_now.d.next = self.park.val();
        self.parked_flow.d.next = self.held_flow.q.val();
        self.parked_place.d.next = self.place.val();
        if !self.enable.val() {
            self.parked_place.d.next = self.old.q.val();
        }
        self.parked_lost.d.next = self.measures.read_data.val().lost;
        self.replaced.d.next = self.parked_now.q.val() & self.taken.val();
        self.replaced_flow.d.next = self.parked_flow.q.val();
        for i in 0..23 {
            self.valid[i].clock.next = self.clk.val();
            self.flows[i].clock.next = self.clk.val();
        }
        for i in 0..22 {
            self.turned[i].clock.next = self.clk.val();
            self.turned[i].d.next = self.turned[i].q.val();
            self.flows[i].d.next = self.flows[i].q.val();
            self.valid[i + 1].d.next = self.valid[i].q.val();
        }
        self.turned[22].clock.next = self.clk.val();
        self.turned[22].d.next = self.turned[22].q.val();
        self.flows[22].d.next = self.flows[22].q.val();
        // Only what is valid moves on, so that these stay in flip-flops.
        for i in 0..22 {
            if self.valid[i].q.val() {
                self.flows[i + 1].d.next = self.flows[i].q.val();
            }
        }
        for i in 0..22 {
            if self.valid[i].q.val() {
                self.turned[i + 1].d.next = self.turned[i].q.val();
            }
        }
        // A word that is read while it is written is not looked at.
        self.turn.next = !self.issued.read_data.val();
        if self.same.q.val() {
            self.turn.next = !self.last_turn.q.val();
        }
        self.issuing.next = self.go.val() | self.due.q.val();
        self.issuing_flow.next = self.held_flow.q.val();
        self.issuing_turn.next = self.turn.val();
        self.measure.next = self.measures.read_data.val().measure;
        self.lost.next = self.measures.read_data.val().lost;
        if self.due.q.val() {
            self.lost.next = self.due_lost.q.val();
            self.issuing_flow.next = self.due_flow.q.val();
            self.issuing_turn.next = self.due_turn.q.val();
            self.measure.next = self.due_measure.q.val();
        }
        self.valid[0].d.next = self.issuing.val();
        self.flows[0].d.next = self.issuing_flow.val();
        self.turned[0].d.next = self.issuing_turn.val();
        self.slots.clock.next = self.clk.val();
        self.slots.write_enable.next = self.issuing.val();
        self.slots.write_address.next = self.issuing_flow.val();
        self.slots.write_data.next = self.slot.q.val();
        self.issued.clock.next = self.clk.val();
        self.issued.write_enable.next = self.issuing.val();
        self.issued.write_address.next = self.issuing_flow.val();
        self.issued.write_data.next = self.issuing_turn.val();
        self.ended.clock.next = self.clk.val();
        self.ended.write_enable.next = self.valid[22].q.val();
        self.ended.write_address.next = self.flows[22].q.val();
        self.ended.write_data.next = self.turned[22].q.val();
        self.issue.next = self.issuing.val();
        self.kind.next = self.held_kind.q.val();
        self.flow.next = self.issuing_flow.val();
        self.rtt_ns.next = self.measure.val().rtt_ns;
        self.value.next = self.measure.val().now_ns;
        self.hops.next = self.measure.val().hops;
        self.endpoint_ns.next = self.measure.val().endpoint_ns;
        self.rtt_short.next = self.measure.val().rtt_short;
        self.endpoint_short.next = self.measure.val().endpoint_short;
        self.action.next = bits::<8>(0);
        self.reacts.next = (self.held_host.q.val() & !self.due.q.val()) & self.rates.read_data.val().acts;
        if self.held_host.q.val() & !self.due.q.val() {
            self.value.next = self.rates.read_data.val().rate;
            self.hops.next = self.rates.read_data.val().action;
            self.action.next = self.rates.read_data.val().action;
        }
        if (self.held_host.q.val() & !self.due.q.val()) & self.rates.read_data.val().acts {
            self.kind.next = Kind::Timeout;
        }
        if self.held_sample.q.val() | self.due.q.val() {
            self.kind.next = Kind::Sample;
            if self.measure.val().timed_out {
                self.kind.next = Kind::Timeout;
            } else if self.measure.val().nak {
                self.kind.next = Kind::Host;
                self.reacts.next = true;
            }
        }
        // The next one.
        self.next_flow.next = self.idles.o_flow.val();
        if self.hosts.o_valid.val() {
            self.next_flow.next = self.hosts.o_flow.val();
        }
        if self.samples.o_valid.val() {
            self.next_flow.next = self.samples.o_flow.val();
        }
        if self.loads.o_valid.val() {
            self.next_flow.next = self.loads.o_flow.val();
        }
        self.open.d.next = self.valid[22].q.val() & (self.flows[22].q.val() == self.held_flow.q.val());
        self.closing.d.next = self.valid[21].q.val() & (self.flows[21].q.val() == self.held_flow.q.val());
        // An operation that issues while its flow is at the issue stage is a parked sample.
        if self.due.q.val() & (self.due_flow.q.val() == self.held_flow.q.val()) {
            self.same.d.next = true;
            self.last_turn.d.next = self.due_turn.q.val();
            self.last_slot.d.next = self.slot.q.val();
        }
        // (The flow that is next comes late: each queue's is compared, not that which is chosen.)
        self.opens.next = self.flows[22].q.val() == self.idles.o_flow.val();
        self.closes.next = self.flows[21].q.val() == self.idles.o_flow.val();
        if self.hosts.o_valid.val() {
            self.opens.next = self.flows[22].q.val() == self.hosts.o_flow.val();
            self.closes.next = self.flows[21].q.val() == self.hosts.o_flow.val();
        }
        if self.samples.o_valid.val() {
            self.opens.next = self.flows[22].q.val() == self.samples.o_flow.val();
            self.closes.next = self.flows[21].q.val() == self.samples.o_flow.val();
        }
        if self.loads.o_valid.val() {
            self.opens.next = self.flows[22].q.val() == self.loads.o_flow.val();
            self.closes.next = self.flows[21].q.val() == self.loads.o_flow.val();
        }
        if self.free.val() {
            self.open.d.next = self.valid[22].q.val() & self.opens.val();
            self.closing.d.next = self.valid[21].q.val() & self.closes.val();
        }
        self.slots.read_enable.next = self.free.val();
        self.slots.read_address.next = self.next_flow.val();
        self.issued.read_enable.next = self.free.val();
        self.issued.read_address.next = self.next_flow.val();
        self.ended.read_enable.next = self.free.val();
        self.ended.read_address.next = self.next_flow.val();
        self.loads.o_next.next = false;
        self.loads.o_free.next = self.free.val();
        self.samples.o_next.next = false;
        self.samples.o_free.next = self.free.val();
        self.hosts.o_next.next = false;
        self.hosts.o_free.next = self.free.val();
        self.idles.o_next.next = false;
        self.idles.o_free.next = self.free.val();
        if self.loads.o_valid.val() {
            self.loads.o_next.next = true;
        } else if self.samples.o_valid.val() {
            self.samples.o_next.next = true;
        } else if self.hosts.o_valid.val() {
            self.hosts.o_next.next = true;
        } else if self.idles.o_valid.val() {
            self.idles.o_next.next = true;
        }
        self.measures.read_enable.next = self.free.val();
        self.rates.read_enable.next = self.free.val();
        if self.free.val() {
            self.last_turn.d.next = self.issuing_turn.val();
            self.last_slot.d.next = self.slot.q.val();
            self.same.d.next = self.issuing.val() & (self.next_flow.val() == self.issuing_flow.val());
            self.held.d.next = true;
            self.held_flow.d.next = self.next_flow.val();
            self.held_kind.d.next = Kind::Idle;
            self.held_sample.d.next = false;
            self.held_host.d.next = false;
            if self.loads.o_valid.val() {
                self.held_kind.d.next = Kind::Init;
            } else if self.samples.o_valid.val() {
                self.held_sample.d.next = true;
            } else if self.hosts.o_valid.val() {
                self.held_kind.d.next = Kind::Host;
                self.held_host.d.next = true;
            } else if !self.idles.o_valid.val() {
                self.held.d.next = false;
            }
        }
        // By what stands there next or stays: whether it is free is known last.
        self.next_sure.next = (!(self.loads.o_valid.val() | self.samples.o_valid.val())
            & !(self.hosts.o_valid.val() | self.idles.o_valid.val()))
            | (self.valid[22].q.val() & self.opens.val());
        if !self.loads.o_valid.val() & self.samples.o_valid.val() {
            self.next_sure.next = (self.valid[22].q.val() & self.opens.val()) | !(self.valid[21].q.val() & self.closes.val());
        }
        self.sure.d.next = !self.held.q.val()
            | (self.valid[22].q.val() & (self.flows[22].q.val() == self.held_flow.q.val()))
            | (self.held_sample.q.val() & !(self.valid[21].q.val() & (self.flows[21].q.val() == self.held_flow.q.val())));
        if self.free.val() {
            self.sure.d.next = self.next_sure.val();
        }
        self.sample_dropped.next = self.samples.dropped.val() | self.replaced.q.val();
        self.lost_flow.d.next = self.last_flow.q.val();
        if self.sample.valid.val() {
            self.last_flow.d.next = self.sample.flow.val();
        }
        self.dropped_flow.next = self.replaced_flow.q.val();
        if self.samples.dropped.val() {
            self.dropped_flow.next = self.lost_flow.q.val();
        }
        self.other_dropped.next = self.loads.dropped.val() | self.hosts.dropped.val() | self.idles.dropped.val();
        if self.rst.val() {
            self.held.d.next = false;
            self.sure.d.next = true;
            self.due.d.next = false;
            self.parked_now.d.next = false;
            self.replaced.d.next = false;
        }
    }
}
