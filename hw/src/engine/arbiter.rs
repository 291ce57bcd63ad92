//! What the engine does next.
use super::queue::Queue;
use super::rest::Rest;
use rust_hdl::prelude::*;

/// Queues of loaded flows, samples, host rates and idle restarts, served in that order; the issue stage behind them.
///
/// An operation enters its queue, then the issue stage, and issues: two clocks after its input when nothing is in the way. At the issue
/// stage it waits until its flow was issued at least 24 clocks ago, and those behind it wait with it; so operations of a flow
/// never overtake one another within a queue. Throughput: one a clock over distinct flows. No back pressure: what finds its queue full takes
/// the place of the youngest word there, which is counted as lost.
#[derive(LogicBlock, Default)]
pub struct Arbiter<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Inputs count.
    pub enable: Signal<In, Bit>,
    /// A sample comes.
    pub sample_valid: Signal<In, Bit>,
    /// 1 is a time-out, else an RTT.
    pub sample_kind: Signal<In, Bits<2>>,
    /// Its flow.
    pub sample_flow: Signal<In, Bits<F>>,
    /// Its RTT, ns.
    pub sample_rtt_ns: Signal<In, Bits<24>>,
    /// Its time, ns.
    pub sample_now_ns: Signal<In, Bits<32>>,
    /// Hops on its way.
    pub sample_hops: Signal<In, Bits<8>>,
    /// The responder's part of it, ns.
    pub sample_endpoint_ns: Signal<In, Bits<24>>,
    /// A flow restarts after its idle time.
    pub idle_valid: Signal<In, Bit>,
    /// The flow.
    pub idle_flow: Signal<In, Bits<F>>,
    /// The host writes a rate.
    pub host_valid: Signal<In, Bit>,
    /// Its flow.
    pub host_flow: Signal<In, Bits<F>>,
    /// The rate.
    pub host_rate: Signal<In, Bits<32>>,
    /// A flow is loaded and starts anew.
    pub load_valid: Signal<In, Bit>,
    /// The flow.
    pub load_flow: Signal<In, Bits<F>>,
    /// The operation below issues at this clock.
    pub issue: Signal<Out, Bit>,
    /// Its kind: 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart.
    pub kind: Signal<Out, Bits<3>>,
    /// Its flow; stands before it issues.
    pub flow: Signal<Out, Bits<F>>,
    /// Its RTT, ns; 0 when it has none.
    pub rtt_ns: Signal<Out, Bits<24>>,
    /// Its time, ns, or the host's rate.
    pub value: Signal<Out, Bits<32>>,
    /// Its hops; 0 when it has none.
    pub hops: Signal<Out, Bits<8>>,
    /// The responder's part of it, ns; 0 when it has none.
    pub endpoint_ns: Signal<Out, Bits<24>>,
    /// A sample was lost.
    pub sample_dropped: Signal<Out, Bit>,
    /// Its flow.
    pub dropped_flow: Signal<Out, Bits<F>>,
    /// Another operation was lost.
    pub other_dropped: Signal<Out, Bit>,
    // Flows; for samples also whether it is a time-out. RAMs have 512 words, so that they are block RAM.
    loads: Queue<16, 4, 5, 9>,
    samples: Queue<17, 6, 7, 9>,
    hosts: Queue<16, 4, 5, 9>,
    idles: Queue<16, 4, 5, 9>,
    /// RTT in bits 23..0, time 55..24, hops 63..56, the responder's part 87..64.
    measures: Rest<88, 7>,
    rates: Rest<32, 5>,
    /// The last sample's flow: it is the youngest of a queue that is full.
    last_flow: DFF<Bits<F>>,
    lost_flow: DFF<Bits<F>>,
    held: DFF<Bit>,
    held_kind: DFF<Bits<3>>,
    held_flow: DFF<Bits<F>>,
    held_sample: DFF<Bit>,
    held_host: DFF<Bit>,
    // Issued 1 to 22 clocks ago.
    valid: [DFF<Bit>; 22],
    flows: [DFF<Bits<F>>; 22],
    /// The flow at the issue stage was issued 1 to 23 clocks ago: compared when it came there, so that nothing is compared now.
    block: [DFF<Bit>; 23],
    timed_out: Signal<Local, Bits<1>>,
    conflict: Signal<Local, Bit>,
    next_flow: Signal<Local, Bits<F>>,
    go: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl<const F: usize> Logic for Arbiter<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_flow, lost_flow, held, held_kind, held_flow, held_sample, held_host);
        self.loads.clk.next = self.clk.val();
        self.loads.rst.next = self.rst.val();
        self.loads.i_valid.next = self.load_valid.val() & self.enable.val();
        self.loads.i_data.next = bit_cast::<16, F>(self.load_flow.val());
        self.samples.clk.next = self.clk.val();
        self.samples.rst.next = self.rst.val();
        self.samples.i_valid.next = self.sample_valid.val() & self.enable.val();
        self.timed_out.next = bits::<1>(0);
        if self.sample_kind.val() == bits::<2>(1) {
            self.timed_out.next = bits::<1>(1);
        }
        self.samples.i_data.next = bit_cast::<17, F>(self.sample_flow.val()) | (bit_cast::<17, 1>(self.timed_out.val()) << 16);
        self.measures.clk.next = self.clk.val();
        self.measures.rst.next = self.rst.val();
        self.measures.i_valid.next = self.sample_valid.val() & self.enable.val();
        self.measures.i_replaces.next = self.samples.full.val();
        self.measures.i_data.next = bit_cast::<88, 24>(self.sample_rtt_ns.val())
            | (bit_cast::<88, 32>(self.sample_now_ns.val()) << 24)
            | (bit_cast::<88, 8>(self.sample_hops.val()) << 56)
            | (bit_cast::<88, 24>(self.sample_endpoint_ns.val()) << 64);
        self.hosts.clk.next = self.clk.val();
        self.hosts.rst.next = self.rst.val();
        self.hosts.i_valid.next = self.host_valid.val() & self.enable.val();
        self.hosts.i_data.next = bit_cast::<16, F>(self.host_flow.val());
        self.rates.clk.next = self.clk.val();
        self.rates.rst.next = self.rst.val();
        self.rates.i_valid.next = self.host_valid.val() & self.enable.val();
        self.rates.i_replaces.next = self.hosts.full.val();
        self.rates.i_data.next = self.host_rate.val();
        self.idles.clk.next = self.clk.val();
        self.idles.rst.next = self.rst.val();
        self.idles.i_valid.next = self.idle_valid.val() & self.enable.val();
        self.idles.i_data.next = bit_cast::<16, F>(self.idle_flow.val());
        // The issue stage.
        self.conflict.next = self.block[0].q.val();
        for i in 1..23 {
            self.conflict.next = self.conflict.val() | self.block[i].q.val();
        }
        self.go.next = self.held.q.val() & !self.conflict.val();
        self.free.next = !self.held.q.val() | self.go.val();
        for i in 0..22 {
            self.valid[i].clock.next = self.clk.val();
            self.flows[i].clock.next = self.clk.val();
        }
        for i in 0..21 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flows[i + 1].d.next = self.flows[i].q.val();
        }
        self.valid[0].d.next = self.go.val();
        self.flows[0].d.next = self.held_flow.q.val();
        self.issue.next = self.go.val();
        self.kind.next = self.held_kind.q.val();
        self.flow.next = self.held_flow.q.val();
        self.rtt_ns.next = bits::<24>(0);
        self.value.next = bits::<32>(0);
        self.hops.next = bits::<8>(0);
        self.endpoint_ns.next = bits::<24>(0);
        if self.held_host.q.val() {
            self.value.next = self.rates.o_data.val();
        }
        if self.held_sample.q.val() {
            self.rtt_ns.next = self.measures.o_data.val().get_bits::<24>(0);
            self.value.next = self.measures.o_data.val().get_bits::<32>(24);
            self.hops.next = self.measures.o_data.val().get_bits::<8>(56);
            self.endpoint_ns.next = self.measures.o_data.val().get_bits::<24>(64);
        }
        // The next one.
        self.next_flow.next = self.idles.o_data.val().get_bits::<F>(0);
        if self.hosts.o_valid.val() {
            self.next_flow.next = self.hosts.o_data.val().get_bits::<F>(0);
        }
        if self.samples.o_valid.val() {
            self.next_flow.next = self.samples.o_data.val().get_bits::<F>(0);
        }
        if self.loads.o_valid.val() {
            self.next_flow.next = self.loads.o_data.val().get_bits::<F>(0);
        }
        for i in 0..23 {
            self.block[i].clock.next = self.clk.val();
        }
        self.block[0].d.next = false;
        for i in 0..22 {
            self.block[i + 1].d.next = self.block[i].q.val();
        }
        self.loads.o_pop.next = false;
        self.samples.o_pop.next = false;
        self.hosts.o_pop.next = false;
        self.measures.o_pop.next = false;
        self.rates.o_pop.next = false;
        self.idles.o_pop.next = false;
        if self.free.val() {
            self.block[0].d.next = self.go.val() & (self.next_flow.val() == self.held_flow.q.val());
            for i in 0..22 {
                self.block[i + 1].d.next = self.valid[i].q.val() & (self.next_flow.val() == self.flows[i].q.val());
            }
            self.held.d.next = true;
            self.held_flow.d.next = self.next_flow.val();
            self.held_sample.d.next = false;
            self.held_host.d.next = false;
            if self.loads.o_valid.val() {
                self.loads.o_pop.next = true;
                self.held_kind.d.next = bits::<3>(2);
            } else if self.samples.o_valid.val() {
                self.samples.o_pop.next = true;
                self.measures.o_pop.next = true;
                self.held_kind.d.next = bit_cast::<3, 1>(self.samples.o_data.val().get_bits::<1>(16));
                self.held_sample.d.next = true;
            } else if self.hosts.o_valid.val() {
                self.hosts.o_pop.next = true;
                self.rates.o_pop.next = true;
                self.held_kind.d.next = bits::<3>(3);
                self.held_host.d.next = true;
            } else if self.idles.o_valid.val() {
                self.idles.o_pop.next = true;
                self.held_kind.d.next = bits::<3>(4);
            } else {
                self.held.d.next = false;
            }
        }
        self.sample_dropped.next = self.samples.dropped.val();
        self.lost_flow.d.next = self.last_flow.q.val();
        if self.sample_valid.val() {
            self.last_flow.d.next = self.sample_flow.val();
        }
        self.dropped_flow.next = self.lost_flow.q.val();
        self.other_dropped.next = self.loads.dropped.val() | self.hosts.dropped.val() | self.idles.dropped.val();
        if self.rst.val() {
            self.held.d.next = false;
            for i in 0..22 {
                self.valid[i].d.next = false;
            }
            for i in 0..23 {
                self.block[i].d.next = false;
            }
        }
    }
}
