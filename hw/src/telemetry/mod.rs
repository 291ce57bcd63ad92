//! Counters of every flow: what was sent, measured, and decided; and a query for one flow's record.
pub mod group;

use group::Group;
use rust_hdl::prelude::*;

/// The telemetry records of `2^F` flows (`timely_regs::telemetry`).
///
/// Latency: an event is part of every answer whose query comes 5 clocks later or more; a query is answered 2 clocks later. Throughput:
/// an event of each kind and a query every clock. Nothing stalls. Each group of fields is one word of RAM with one writer, and a copy
/// that queries alone read, so an answer is never torn. Model: `timely_model::telemetry::Telemetry`.
#[derive(LogicBlock, Default)]
pub struct Telemetry<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// A frame's first beat is offered to the MAC.
    pub sent_valid: Signal<In, Bit>,
    /// Flow.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Last packet of its segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// A sample for the engine.
    pub sample_valid: Signal<In, Bit>,
    /// 1 time-out, else RTT.
    pub sample_kind: Signal<In, Bits<2>>,
    /// Its flow.
    pub sample_flow: Signal<In, Bits<F>>,
    /// RTT, ns.
    pub sample_rtt_ns: Signal<In, Bits<24>>,
    /// The engine set a rate.
    pub event_valid: Signal<In, Bit>,
    /// Its flow.
    pub event_flow: Signal<In, Bits<F>>,
    /// Branch, 4 and up for none.
    pub event_branch: Signal<In, Bits<3>>,
    /// A hyperactive increase.
    pub event_hyperactive: Signal<In, Bit>,
    /// The rate.
    pub event_rate: Signal<In, Bits<32>>,
    /// Kind.
    pub event_kind: Signal<In, Bits<3>>,
    /// A flow is loaded.
    pub fl_valid: Signal<In, Bit>,
    /// The flow.
    pub fl_flow: Signal<In, Bits<F>>,
    /// Its record.
    pub fl_record: Signal<In, Bits<512>>,
    /// A record is wanted.
    pub query_valid: Signal<In, Bit>,
    /// Its flow.
    pub query_flow: Signal<In, Bits<F>>,
    /// The record of the flow of 2 clocks ago.
    pub answer_valid: Signal<Out, Bit>,
    /// Word `i` in bits `32i+31..32i`.
    pub answer_record: Signal<Out, Bits<1024>>,
    /// Bits 31..0 packets, 79..32 wire bytes, 111..80 segments.
    sent: Group<112, F>,
    /// Bits 31..0 samples, 63..32 time-outs, 87..64 least, 111..88 last, 143..112 smoothed RTT, 144 measured.
    samples: Group<145, F>,
    /// Words 16 to 24 of the record.
    events: Group<263, F>,
    sweep_at: DFF<Bits<F>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    // What came with an event; index k is the register of clock k + 1.
    ends: [DFF<Bit>; 3],
    bytes: [DFF<Bits<16>>; 3],
    late: [DFF<Bit>; 3],
    rtt: [DFF<Bits<24>>; 3],
    /// RTT in 2^-8 ns, plus 5: half of the divisor, and 1 of the complement of the old value.
    biased: DFF<Bits<36>>,
    branch: [DFF<Bits<3>>; 3],
    /// The counter that the branch belongs to, one bit each.
    which: DFF<Bits<5>>,
    hyperactive: [DFF<Bit>; 3],
    rate: [DFF<Bits<32>>; 3],
    kind: [DFF<Bits<3>>; 3],
    // Clock 3 of each group.
    packets: Signal<Local, Bits<32>>,
    wire_bytes: Signal<Local, Bits<48>>,
    segments: Signal<Local, Bits<32>>,
    count: Signal<Local, Bits<32>>,
    timeouts: Signal<Local, Bits<32>>,
    least: Signal<Local, Bits<24>>,
    last: Signal<Local, Bits<24>>,
    smoothed: Signal<Local, Bits<32>>,
    measured: Signal<Local, Bits<1>>,
    old: Signal<Local, Bits<36>>,
    inverse: Signal<Local, Bits<36>>,
    sum: Signal<Local, Bits<36>>,
    updates: Signal<Local, Bits<32>>,
    branches: [Signal<Local, Bits<32>>; 5],
    steps: Signal<Local, Bits<32>>,
    tail: Signal<Local, Bits<39>>,
    asked: DFF<Bit>,
    a_valid: DFF<Bit>,
    a_record: DFF<Bits<1024>>,
}

impl<const F: usize> Logic for Telemetry<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready, biased, which, asked, a_valid, a_record);
        for i in 0..3 {
            self.ends[i].clock.next = self.clk.val();
            self.bytes[i].clock.next = self.clk.val();
            self.late[i].clock.next = self.clk.val();
            self.rtt[i].clock.next = self.clk.val();
            self.branch[i].clock.next = self.clk.val();
            self.hyperactive[i].clock.next = self.clk.val();
            self.rate[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.ends[i + 1].d.next = self.ends[i].q.val();
            self.bytes[i + 1].d.next = self.bytes[i].q.val();
            self.late[i + 1].d.next = self.late[i].q.val();
            self.rtt[i + 1].d.next = self.rtt[i].q.val();
            self.branch[i + 1].d.next = self.branch[i].q.val();
            self.hyperactive[i + 1].d.next = self.hyperactive[i].q.val();
            self.rate[i + 1].d.next = self.rate[i].q.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
        }
        self.sent.clk.next = self.clk.val();
        self.samples.clk.next = self.clk.val();
        self.events.clk.next = self.clk.val();
        self.sent.rst.next = self.rst.val();
        self.samples.rst.next = self.rst.val();
        self.events.rst.next = self.rst.val();
        self.sweep.next = !self.ready.q.val();
        self.sent.sweep.next = self.sweep.val();
        self.samples.sweep.next = self.sweep.val();
        self.events.sweep.next = self.sweep.val();
        self.sent.sweep_at.next = self.sweep_at.q.val();
        self.samples.sweep_at.next = self.sweep_at.q.val();
        self.events.sweep_at.next = self.sweep_at.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<F>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        // Flow record word 0, bit 1: keep.
        self.clear.next = self.fl_valid.val() & !self.fl_record.val().get_bit(1);
        self.sent.clear_valid.next = self.clear.val();
        self.samples.clear_valid.next = self.clear.val();
        self.events.clear_valid.next = self.clear.val();
        self.sent.clear_flow.next = self.fl_flow.val();
        self.samples.clear_flow.next = self.fl_flow.val();
        self.events.clear_flow.next = self.fl_flow.val();

        // What is sent.
        self.sent.i_valid.next = self.sent_valid.val();
        self.sent.i_flow.next = self.sent_flow.val();
        self.ends[0].d.next = self.sent_last.val();
        self.bytes[0].d.next = self.sent_wire_bytes.val();
        self.packets.next = self.sent.o_state.val().get_bits::<32>(0);
        self.wire_bytes.next = self.sent.o_state.val().get_bits::<48>(32);
        self.segments.next = self.sent.o_state.val().get_bits::<32>(80);
        if self.sent.o_event.val() {
            self.packets.next = self.sent.o_state.val().get_bits::<32>(0) + bits::<32>(1);
            self.wire_bytes.next = self.sent.o_state.val().get_bits::<48>(32) + bit_cast::<48, 16>(self.bytes[2].q.val());
            if self.ends[2].q.val() {
                self.segments.next = self.sent.o_state.val().get_bits::<32>(80) + bits::<32>(1);
            }
        }
        self.sent.i_next.next = bit_cast::<112, 32>(self.packets.val())
            | (bit_cast::<112, 48>(self.wire_bytes.val()) << 32)
            | (bit_cast::<112, 32>(self.segments.val()) << 80);

        // What is measured. (7 old + new + 4) / 8 as 8 old + (-old - 1) + (new + 5), one addition of three.
        self.samples.i_valid.next = self.sample_valid.val();
        self.samples.i_flow.next = self.sample_flow.val();
        self.late[0].d.next = self.sample_kind.val() == bits::<2>(1);
        self.rtt[0].d.next = self.sample_rtt_ns.val();
        self.biased.d.next = (bit_cast::<36, 24>(self.rtt[1].q.val()) << 8) | bits::<36>(5);
        self.old.next = bit_cast::<36, 32>(self.samples.o_state.val().get_bits::<32>(112));
        self.inverse.next = !self.old.val();
        self.sum.next = (self.old.val() << 3) + self.inverse.val() + self.biased.q.val();
        self.count.next = self.samples.o_state.val().get_bits::<32>(0);
        self.timeouts.next = self.samples.o_state.val().get_bits::<32>(32);
        self.least.next = self.samples.o_state.val().get_bits::<24>(64);
        self.last.next = self.samples.o_state.val().get_bits::<24>(88);
        self.smoothed.next = self.samples.o_state.val().get_bits::<32>(112);
        self.measured.next = self.samples.o_state.val().get_bits::<1>(144);
        if self.samples.o_event.val() {
            if self.late[2].q.val() {
                self.timeouts.next = self.samples.o_state.val().get_bits::<32>(32) + bits::<32>(1);
            } else {
                self.count.next = self.samples.o_state.val().get_bits::<32>(0) + bits::<32>(1);
                self.last.next = self.rtt[2].q.val();
                self.measured.next = bits::<1>(1);
                if self.samples.o_state.val().get_bit(144) {
                    self.smoothed.next = self.sum.val().get_bits::<32>(3);
                    if self.rtt[2].q.val() < self.samples.o_state.val().get_bits::<24>(64) {
                        self.least.next = self.rtt[2].q.val();
                    }
                } else {
                    self.smoothed.next = bit_cast::<32, 24>(self.rtt[2].q.val()) << 8;
                    self.least.next = self.rtt[2].q.val();
                }
            }
        }
        self.samples.i_next.next = bit_cast::<145, 32>(self.count.val())
            | (bit_cast::<145, 32>(self.timeouts.val()) << 32)
            | (bit_cast::<145, 24>(self.least.val()) << 64)
            | (bit_cast::<145, 24>(self.last.val()) << 88)
            | (bit_cast::<145, 32>(self.smoothed.val()) << 112)
            | (bit_cast::<145, 1>(self.measured.val()) << 144);

        // What is decided.
        self.events.i_valid.next = self.event_valid.val();
        self.events.i_flow.next = self.event_flow.val();
        self.branch[0].d.next = self.event_branch.val();
        self.hyperactive[0].d.next = self.event_hyperactive.val();
        self.rate[0].d.next = self.event_rate.val();
        self.kind[0].d.next = self.event_kind.val();
        self.which.d.next = bits::<5>(1) << self.branch[1].q.val();
        if self.branch[1].q.val().get_bit(2) {
            self.which.d.next = bits::<5>(16);
        }
        self.updates.next = self.events.o_state.val().get_bits::<32>(0);
        for i in 0..5 {
            self.branches[i].next = self.events.o_state.val().get_bits::<32>(32 * i + 32);
        }
        self.steps.next = self.events.o_state.val().get_bits::<32>(192);
        self.tail.next = self.events.o_state.val().get_bits::<39>(224);
        if self.events.o_event.val() {
            self.updates.next = self.events.o_state.val().get_bits::<32>(0) + bits::<32>(1);
            for i in 0..5 {
                if self.which.q.val().get_bit(i) {
                    self.branches[i].next = self.events.o_state.val().get_bits::<32>(32 * i + 32) + bits::<32>(1);
                }
            }
            if self.hyperactive[2].q.val() {
                self.steps.next = self.events.o_state.val().get_bits::<32>(192) + bits::<32>(1);
            }
            self.tail.next = bit_cast::<39, 32>(self.rate[2].q.val())
                | (bit_cast::<39, 3>(self.branch[2].q.val()) << 32)
                | (bit_cast::<39, 3>(self.kind[2].q.val()) << 36);
        }
        self.events.i_next.next = bit_cast::<263, 32>(self.updates.val())
            | (bit_cast::<263, 32>(self.branches[0].val()) << 32)
            | (bit_cast::<263, 32>(self.branches[1].val()) << 64)
            | (bit_cast::<263, 32>(self.branches[2].val()) << 96)
            | (bit_cast::<263, 32>(self.branches[3].val()) << 128)
            | (bit_cast::<263, 32>(self.branches[4].val()) << 160)
            | (bit_cast::<263, 32>(self.steps.val()) << 192)
            | (bit_cast::<263, 39>(self.tail.val()) << 224);

        // Queries: the words of the record from the bits of the groups.
        self.sent.query_flow.next = self.query_flow.val();
        self.samples.query_flow.next = self.query_flow.val();
        self.events.query_flow.next = self.query_flow.val();
        self.asked.d.next = self.query_valid.val() & self.ready.q.val();
        self.a_valid.d.next = self.asked.q.val();
        self.a_record.d.next = bit_cast::<1024, 80>(self.sent.o_stored.val().get_bits::<80>(0))
            | (bit_cast::<1024, 32>(self.sent.o_stored.val().get_bits::<32>(80)) << 96)
            | (bit_cast::<1024, 88>(self.samples.o_stored.val().get_bits::<88>(0)) << 128)
            | (bit_cast::<1024, 1>(self.samples.o_stored.val().get_bits::<1>(144)) << 223)
            | (bit_cast::<1024, 24>(self.samples.o_stored.val().get_bits::<24>(88)) << 224)
            | (bit_cast::<1024, 32>(self.samples.o_stored.val().get_bits::<32>(112)) << 256)
            | (bit_cast::<1024, 263>(self.events.o_stored.val()) << 512);
        self.answer_valid.next = self.a_valid.q.val();
        self.answer_record.next = self.a_record.q.val();
        if self.rst.val() {
            self.sweep_at.d.next = bits::<F>(0);
            self.ready.d.next = false;
            self.asked.d.next = false;
            self.a_valid.d.next = false;
        }
    }
}
