//! The choice of the packets that draw a congestion notification.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Last, Marked};
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// Judges packets by what is kept of their flows, one at a time: a mark passes if its flow had no
/// notification for an interval, a packet without CE if its flow is owed one besides. A mark that
/// does not pass, or finds a notification being built, is owed.
///
/// Clock 0: a packet is shown. 2: its flow's last notification. 3: times are compared. 4: it
/// passes. Packets of clocks 1 to 4 are not looked at. Back pressure: none.
#[derive(LogicBlock, Default)]
pub(super) struct Judge<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAM is clear.
    pub swept: Signal<Out, Bit>,
    /// Clock 0: a packet, as `Notifier` has it.
    pub mark_valid: Signal<In, Bit>,
    pub mark_ce: Signal<In, Bit>,
    pub mark_known: Signal<In, Bit>,
    pub mark_flow: Signal<In, Bits<F>>,
    pub mark: Signal<In, Marked>,
    pub cfg_enable: Signal<In, Bit>,
    pub cfg_interval: Signal<In, Bits<24>>,
    pub now: Signal<In, Bits<64>>,
    /// A notification is being built: none passes.
    pub building: Signal<In, Bit>,
    /// Clock 4: a notification is to be built, with these headers.
    pub passes: Signal<Out, Bit>,
    pub headers: Signal<Out, Marked>,
    /// A flow is owed one.
    pub watches: Signal<Out, Bit>,
    /// A mark is of no pair, or must not be answered; a mark was not answered at once.
    pub unknown: Signal<Out, Bit>,
    pub postponed: Signal<Out, Bit>,
    sweep_at: DFF<Bits<F>>,
    ready: DFF<Bit>,
    last: ApartRam<Last, F>,
    asks: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    judging: Signal<Local, Bit>,
    // The packet that is judged, clock by clock.
    reads: DFF<Bit>,
    looks: DFF<Bit>,
    judges: DFF<Bit>,
    settles: DFF<Bit>,
    judged: DFF<Marked>,
    ce: DFF<Bit>,
    flow: DFF<Bits<F>>,
    now_ns: Signal<Local, Bits<32>>,
    found: Signal<Local, Last>,
    // Clock 3.
    made_at: DFF<Bits<32>>,
    since: DFF<Bits<32>>,
    at_before: DFF<Bits<32>>,
    earlier: DFF<Bit>,
    owed: DFF<Bit>,
    twice: Signal<Local, Bits<25>>,
    past_one: Signal<Local, Bit>,
    past_two: Signal<Local, Bit>,
    // Clock 4: a notification is called for; the interval has passed; there was one before.
    calls: DFF<Bit>,
    due: DFF<Bit>,
    had_one: DFF<Bit>,
    ago: DFF<Bits<32>>,
    pass: Signal<Local, Bit>,
    watching: DFF<Bit>,
    until_ns: DFF<Bits<32>>,
    left: Signal<Local, Bits<32>>,
}

impl<const F: usize> Logic for Judge<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready, reads, looks, judges, settles, judged, ce, flow, made_at, since, at_before);
        dff_setup!(self, clk, earlier, owed, calls, due, had_one, ago, watching, until_ns);
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<F>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        // A packet, and a clock later its pair's last notification.
        self.judging.next = (self.reads.q.val() | self.looks.q.val()) | (self.judges.q.val() | self.settles.q.val());
        self.asks.next = (self.mark_valid.val() & self.cfg_enable.val()) & self.ready.q.val();
        self.takes.next = (self.asks.val() & self.mark_known.val()) & !self.judging.val();
        if self.takes.val() {
            self.judged.d.next = self.mark.val();
            self.ce.d.next = self.mark_ce.val();
            self.flow.d.next = self.mark_flow.val();
        }
        self.reads.d.next = self.takes.val();
        self.looks.d.next = self.reads.q.val();
        self.judges.d.next = self.looks.q.val();
        self.settles.d.next = self.judges.q.val();
        self.now_ns.next = self.now.val().get_bits::<32>(16);
        self.last.read_clock.next = self.clk.val();
        self.last.write_clock.next = self.clk.val();
        self.last.read_address.next = self.flow.q.val();
        self.found.next = self.last.read_data.val();
        self.since.d.next = self.now_ns.val() - self.found.val().at_ns;
        if self.looks.q.val() {
            self.made_at.d.next = self.now_ns.val();
            self.earlier.d.next = self.found.val().valid;
            self.owed.d.next = self.found.val().owed;
            self.at_before.d.next = self.found.val().at_ns;
        }
        self.twice.next = bit_cast::<25, 24>(self.cfg_interval.val()) << 1;
        self.past_one.next = self.since.q.val() >= bit_cast::<32, 24>(self.cfg_interval.val());
        self.past_two.next = self.earlier.q.val() & (self.since.q.val() >= bit_cast::<32, 25>(self.twice.val()));
        self.calls.d.next = self.ce.q.val() | (self.owed.q.val() & !self.past_two.val());
        self.due.d.next = !self.earlier.q.val() | self.past_one.val();
        self.had_one.d.next = self.earlier.q.val();
        self.pass.next = (self.settles.q.val() & self.calls.q.val()) & (self.due.q.val() & !self.building.val());
        self.last.write_enable.next = self.settles.q.val() | !self.ready.q.val();
        self.last.write_address.next = self.sweep_at.q.val();
        self.last.write_data.next.at_ns = self.at_before.q.val();
        self.last.write_data.next.valid = self.ready.q.val() & self.had_one.q.val();
        self.last.write_data.next.owed = self.ready.q.val() & self.calls.q.val();
        if self.ready.q.val() {
            self.last.write_address.next = self.flow.q.val();
        }
        // What is due and finds another one being built is due from now on, for an interval.
        self.ago.d.next = self.made_at.q.val() - bit_cast::<32, 24>(self.cfg_interval.val());
        if self.calls.q.val() & self.due.q.val() {
            self.last.write_data.next.at_ns = self.ago.q.val();
            self.last.write_data.next.valid = self.ready.q.val();
        }
        if self.pass.val() {
            self.last.write_data.next.at_ns = self.made_at.q.val();
            self.last.write_data.next.valid = true;
            self.last.write_data.next.owed = false;
        }
        // What is owed is made good within two intervals.
        self.left.next = self.now_ns.val() - self.until_ns.q.val();
        if !self.left.val().get_bit(31) {
            self.watching.d.next = false;
        }
        if (self.settles.q.val() & self.calls.q.val()) & !self.pass.val() {
            self.watching.d.next = true;
            self.until_ns.d.next = self.made_at.q.val() + bit_cast::<32, 25>(self.twice.val());
        }
        self.watches.next = self.watching.q.val();
        self.passes.next = self.pass.val();
        self.headers.next = self.judged.q.val();
        self.unknown.next = (self.asks.val() & !self.mark_known.val()) & self.mark_ce.val();
        self.postponed.next = (((self.asks.val() & self.mark_known.val()) & self.judging.val()) & self.mark_ce.val())
            | ((self.settles.q.val() & self.ce.q.val()) & (self.due.q.val() & self.building.val()));
        if self.rst.val() {
            self.sweep_at.d.next = bits::<F>(0);
            self.ready.d.next = false;
            self.reads.d.next = false;
            self.looks.d.next = false;
            self.judges.d.next = false;
            self.settles.d.next = false;
            self.watching.d.next = false;
        }
    }
}
