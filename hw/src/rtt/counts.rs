//! Outcomes of the operations, as pulses for the event counters.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;

/// Pulses a clock after its inputs; skipped segments and time-outs, several at once, one a clock
/// from the second on.
#[derive(LogicBlock, Default)]
pub struct Counts {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Segments are released.
    pub hit: Signal<In, Bit>,
    /// The operation is an ACK of a flow that exists.
    pub ack: Signal<In, Bit>,
    /// The operation is an ACK of a flow that does not exist.
    pub unknown: Signal<In, Bit>,
    /// The ACK's nonce is wrong.
    pub forged: Signal<In, Bit>,
    /// The ACK's segment was released before.
    pub repeated: Signal<In, Bit>,
    /// The ACK's residence is longer than its RTT.
    pub exceeds: Signal<In, Bit>,
    /// The ACK gives no sample: the time stepped between its stamps; its segment's departure was
    /// not stamped.
    pub across: Signal<In, Bit>,
    pub unstamped: Signal<In, Bit>,
    /// Segments that an ACK passes by, or that a time-out releases.
    pub between: Signal<In, Bits<16>>,
    /// One bit a counter.
    pub pulses: Signal<Out, Bits<64>>,
    unknown_bit: Const<Bits<64>>,
    forged_bit: Const<Bits<64>>,
    repeated_bit: Const<Bits<64>>,
    stale_bit: Const<Bits<64>>,
    skipped_bit: Const<Bits<64>>,
    timeout_bit: Const<Bits<64>>,
    exceeds_bit: Const<Bits<64>>,
    across_bit: Const<Bits<64>>,
    unstamped_bit: Const<Bits<64>>,
    p: DFF<Bits<64>>,
    now: Signal<Local, Bits<64>>,
    /// Segments not pulsed yet: skipped, below timed out.
    skipped: DFF<Bits<16>>,
    skips: Signal<Local, Bits<16>>,
    /// Segments that this clock's pulse counts.
    skips_pulsed: Signal<Local, Bits<16>>,
    overdue: DFF<Bits<16>>,
    overdues: Signal<Local, Bits<16>>,
    overdues_pulsed: Signal<Local, Bits<16>>,
}

impl Counts {
    /// The block with its constants.
    pub fn new() -> Self {
        let bit = |c: Counter| Const::new(bits::<64>(1 << c as u32));
        Self {
            unknown_bit: bit(Counter::AckUnknownFlow),
            forged_bit: bit(Counter::AckForged),
            repeated_bit: bit(Counter::AckRepeated),
            stale_bit: bit(Counter::AckStale),
            skipped_bit: bit(Counter::AcksSkipped),
            timeout_bit: bit(Counter::SegmentTimeouts),
            exceeds_bit: bit(Counter::ResidenceAboveRtt),
            across_bit: bit(Counter::SamplesAcrossStep),
            unstamped_bit: bit(Counter::SamplesUnstamped),
            ..Default::default()
        }
    }
}

impl Logic for Counts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, p, skipped, overdue);
        // Each count is one sum of three: a sum behind another would be the slowest path of all of
        // `Rtt`.
        self.skips.next = bits::<16>(0);
        self.overdues.next = bits::<16>(0);
        self.skips_pulsed.next = bits::<16>(0);
        self.overdues_pulsed.next = bits::<16>(0);
        self.now.next = bits::<64>(0);
        if self.hit.val() {
            if self.ack.val() {
                self.skips.next = self.between.val();
            } else {
                self.overdues.next = self.between.val();
            }
        } else if self.unknown.val() {
            self.now.next = self.unknown_bit.val();
        } else if self.forged.val() {
            self.now.next = self.forged_bit.val();
        } else if self.ack.val() {
            self.now.next = self.stale_bit.val();
            if self.repeated.val() {
                self.now.next = self.repeated_bit.val();
            }
        }
        if self.skipped.q.val().any() {
            self.now.next = self.now.val() | self.skipped_bit.val();
            self.skips_pulsed.next = bits::<16>(0xffff);
        }
        if self.overdue.q.val().any() {
            self.now.next = self.now.val() | self.timeout_bit.val();
            self.overdues_pulsed.next = bits::<16>(0xffff);
        }
        if self.exceeds.val() {
            self.now.next = self.now.val() | self.exceeds_bit.val();
        }
        if self.across.val() {
            self.now.next = self.now.val() | self.across_bit.val();
        }
        if self.unstamped.val() {
            self.now.next = self.now.val() | self.unstamped_bit.val();
        }
        self.p.d.next = self.now.val();
        self.skipped.d.next = (self.skipped.q.val() + self.skips.val()) + self.skips_pulsed.val();
        self.overdue.d.next = (self.overdue.q.val() + self.overdues.val()) + self.overdues_pulsed.val();
        self.pulses.next = self.p.q.val();
        if self.rst.val() {
            self.p.d.next = bits::<64>(0);
            self.skipped.d.next = bits::<16>(0);
            self.overdue.d.next = bits::<16>(0);
        }
    }
}
