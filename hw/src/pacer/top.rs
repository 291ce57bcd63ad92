//! The pacer as a whole.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::charge::Charge;
use super::doorbell::Doorbell;
use super::gate::Gate;
use super::park::Park;
use super::pass::Pass;
use super::ready::Ready;
use super::wheel::Wheel;
use crate::bus::{
    FlowLoadIn, FlowPulseOut, FlowStreamOut, GrantOut, InsertOut, PaidOut, PostOut, ProfileWriteIn, RateIn, ReleaseIn, SleepOut,
};
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::pacer::{Timing, wheel_bits};
use timely_regs::counters::Counter;
use timely_regs::flow;

/// The pacer of `2^F` flows: how its blocks join, and nothing else. Widths that follow from `F`:
/// `X` the wheel's address bits (`timely_model::pacer::wheel_bits`), `A` `X - 4`, `Y` `X + 4`, `B`
/// `F - 1`, `S` `F + 1`, `D` `F + 16`, `R` `F + 32`, `Z` `F + 50`, `W` `F + 94`.
///
/// Latency: 30 clocks from a doorbell of an idle flow that may send at once to its grant.
/// Throughput: one pass a clock. Back pressure: a grant not taken holds the next ones, 64 at most
/// that are decided ahead. While one waits, what is granted and not charged counts as the largest
/// of its flow's last packets; see docs/theory-of-operation.md for how far a flow may be ahead of
/// its rate. `doorbell_ready` falls when 16 doorbells wait. Loads, words of profiles, rates,
/// charges and releases are always taken once `swept`, and ignored before.
/// Model: `timely_model::pacer::top::Pacer`.
#[derive(LogicBlock, Default)]
pub struct Pacer<
    const F: usize,
    const X: usize,
    const A: usize,
    const Y: usize,
    const B: usize,
    const S: usize,
    const D: usize,
    const R: usize,
    const Z: usize,
    const W: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A doorbell.
    pub doorbell_valid: Signal<In, Bit>,
    /// The doorbell is taken at this clock if offered.
    pub doorbell_ready: Signal<Out, Bit>,
    pub doorbell_flow: Signal<In, Bits<F>>,
    pub doorbell_packets: Signal<In, Bits<16>>,
    /// Bytes that are outstanding no more.
    pub release: ReleaseIn<F>,
    /// Rates.
    pub rate: RateIn<F>,
    /// Loads of flows.
    pub fl: FlowLoadIn<F>,
    /// The profile bus.
    pub pw: ProfileWriteIn,
    /// The packet of a grant is known.
    pub charge_valid: Signal<In, Bit>,
    /// The flow; of its grants, it is the oldest one uncharged.
    pub charge_flow: Signal<In, Bits<F>>,
    /// Wire bytes; 0 without a packet.
    pub charge_bytes: Signal<In, Bits<16>>,
    /// The packet is its segment's last, so that what was charged up to it can be released.
    pub charge_ends: Signal<In, Bit>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// Everything is paused.
    pub stop: Signal<In, Bit>,
    /// ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Grants.
    pub grant: GrantOut<F>,
    /// Flows that start after their idle time.
    pub idle: FlowPulseOut<F>,
    /// A flow came to its pass.
    pub limited_valid: Signal<Out, Bit>,
    pub limited_flow: Signal<Out, Bits<F>>,
    /// The flow sends too little of its rate for it to grow.
    pub limited: Signal<Out, Bit>,
    /// Counted events, by `timely_regs::counters`: grants, and doorbells refused.
    pub pulses: Signal<Out, Bits<32>>,
    /// The RAMs are clear; nothing is accepted before.
    pub swept: Signal<Out, Bit>,
    doorbell: Doorbell<F, S, R, D>,
    ready: Ready<F, B>,
    charge: Charge<F, S>,
    parking: Park<F, S>,
    pass: Pass<F, S, X, Y, Z>,
    wheel: Wheel<F, X, A, S>,
    gate: Gate<F, W>,
    granted: DFF<Bit>,
    /// A grant was offered at the clock before, and not taken.
    held: DFF<Bit>,
    /// A flow on its way from the wheel to READY, which are far from one another.
    due: DFF<Bit>,
    due_flow: DFF<Bits<F>>,
    /// The wheel's time, a clock late: three differences are behind it. Inverted, so that synthesis
    /// does not take it for the gate's, which is far away.
    not_turned: DFF<Bits<64>>,
    go: Signal<Local, Bit>,
    left: Signal<Local, Bit>,
    counted: Const<Bits<32>>,
    refused: Const<Bits<32>>,
}

/// The kernel below takes the fields by their bits.
const _: () = {
    assert!(flow::ENABLE.word == 0 && flow::ENABLE.low == 0 && flow::KEEP.word == 0 && flow::KEEP.low == 1);
    assert!(flow::PROFILE.word == 0 && flow::PROFILE.low == 4 && flow::PROFILE.high == 7);
    assert!(flow::PRIORITY.word == 0 && flow::PRIORITY.low == 8 && flow::PRIORITY.high == 10);
    assert!(flow::IPV6.word == 0 && flow::IPV6.low == 11 && flow::VLAN.word == 0 && flow::VLAN.low == 12);
    assert!(flow::PAYLOAD_BYTES.word == 1 && flow::PAYLOAD_BYTES.low == 0 && flow::PAYLOAD_BYTES.high == 13);
};

impl<
    const F: usize,
    const X: usize,
    const A: usize,
    const Y: usize,
    const B: usize,
    const S: usize,
    const D: usize,
    const R: usize,
    const Z: usize,
    const W: usize,
> Pacer<F, X, A, Y, B, S, D, R, Z, W>
{
    /// With these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(
            X == wheel_bits(F)
                && A + 4 == X
                && Y == X + 4
                && B + 1 == F
                && S == F + 1
                && D == F + 16
                && R == F + 32
                && Z == F + 50
                && W == F + 94,
            "widths of a pacer of 2^{F} flows"
        );
        Self {
            pass: Pass::new(timing),
            wheel: Wheel::new(),
            counted: Const::new(bits::<32>(1 << Counter::Grants as u32)),
            refused: Const::new(bits::<32>(1 << Counter::DoorbellsRefused as u32)),
            ..Default::default()
        }
    }
}

impl<
    const F: usize,
    const X: usize,
    const A: usize,
    const Y: usize,
    const B: usize,
    const S: usize,
    const D: usize,
    const R: usize,
    const Z: usize,
    const W: usize,
> Logic for Pacer<F, X, A, Y, B, S, D, R, Z, W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, granted, held, due, due_flow, not_turned);
        self.doorbell.clk.next = self.clk.val();
        self.doorbell.rst.next = self.rst.val();
        self.ready.clk.next = self.clk.val();
        self.ready.rst.next = self.rst.val();
        self.charge.clk.next = self.clk.val();
        self.charge.rst.next = self.rst.val();
        self.parking.clk.next = self.clk.val();
        self.parking.rst.next = self.rst.val();
        self.pass.clk.next = self.clk.val();
        self.pass.rst.next = self.rst.val();
        self.wheel.clk.next = self.clk.val();
        self.wheel.rst.next = self.rst.val();
        self.gate.clk.next = self.clk.val();
        self.gate.rst.next = self.rst.val();
        self.go.next = (self.doorbell.swept.val() & self.charge.swept.val()) & (self.pass.swept.val() & self.wheel.swept.val());
        self.left.next = self.grant.valid.val() & self.grant.ready.val();

        self.doorbell.fl.valid.next = self.fl.valid.val() & self.go.val();
        self.doorbell.fl.flow.next = self.fl.flow.val();
        self.doorbell.fl.enable.next = self.fl.record.val().get_bit(0);
        self.doorbell.fl.keep.next = self.fl.record.val().get_bit(1);
        self.doorbell.release.valid.next = self.release.valid.val() & self.go.val();
        self.doorbell.release.flow.next = self.release.flow.val();
        self.doorbell.release.bytes.next = self.release.bytes.val();
        SleepOut::<F>::join(&mut self.pass.sleep, &mut self.doorbell.sleep);
        self.doorbell.doorbell.valid.next = self.doorbell_valid.val() & self.go.val();
        self.doorbell.doorbell.flow.next = self.doorbell_flow.val();
        self.doorbell.doorbell.packets.next = self.doorbell_packets.val();
        self.doorbell.granted_valid.next = self.pass.granted_valid.val();
        self.doorbell.granted_flow.next = self.pass.granted_flow.val();
        self.doorbell.granted_count.next = self.pass.granted_count.val();

        self.charge.charge.valid.next = self.charge_valid.val() & self.go.val();
        self.charge.charge.flow.next = self.charge_flow.val();
        self.charge.charge.bytes.next = self.charge_bytes.val();
        self.charge.charge.ends.next = self.charge_ends.val();

        // A flow that was parked goes to READY when the doorbell unit has none for it.
        self.due.d.next = self.wheel.due.valid.val();
        self.due_flow.d.next = self.wheel.due.flow.val();
        self.ready.due.valid.next = self.due.q.val();
        self.ready.due.flow.next = self.due_flow.q.val();
        self.ready.act.valid.next = self.doorbell.act.valid.val() | self.parking.o.valid.val();
        self.ready.act.flow.next = self.parking.o.flow.val();
        if self.doorbell.act.valid.val() {
            self.ready.act.flow.next = self.doorbell.act.flow.val();
        }
        FlowStreamOut::<F>::join(&mut self.ready.o, &mut self.pass.q);
        FlowPulseOut::<F>::join(&mut self.pass.park, &mut self.parking.park);
        self.parking.resume.next = self.pass.resume.val();
        self.parking.o.ready.next = !self.doorbell.act.valid.val();

        PostOut::<F>::join(&mut self.doorbell.post, &mut self.pass.post);
        PaidOut::<F>::join(&mut self.charge.paid, &mut self.pass.paid);
        self.pass.fl.valid.next = self.fl.valid.val() & self.go.val();
        self.pass.fl.flow.next = self.fl.flow.val();
        self.pass.fl.profile.next = self.fl.record.val().get_bits::<4>(4);
        self.pass.fl.priority.next = self.fl.record.val().get_bits::<3>(8);
        self.pass.fl.ipv6.next = self.fl.record.val().get_bit(11);
        self.pass.fl.vlan.next = self.fl.record.val().get_bit(12);
        self.pass.fl.payload.next = self.fl.record.val().get_bits::<14>(32);
        self.pass.pw.valid.next = self.pw.valid.val() & self.go.val();
        self.pass.pw.profile.next = self.pw.profile.val();
        self.pass.pw.word.next = self.pw.word.val();
        self.pass.pw.data.next = self.pw.data.val();
        self.pass.rate.valid.next = self.rate.valid.val() & self.go.val();
        self.pass.rate.flow.next = self.rate.flow.val();
        self.pass.rate.value.next = self.rate.value.val();
        self.pass.pause.next = self.pause.val();
        self.pass.stop.next = self.stop.val();
        self.pass.now.next = self.now.val();
        // A clock later, for whether it leaves is known late.
        self.pass.left.next = self.granted.q.val();
        self.pass.held.next = self.held.q.val();

        self.not_turned.d.next = !self.now.val();
        self.wheel.now.next = !self.not_turned.q.val();
        InsertOut::<F, X>::join(&mut self.pass.insert, &mut self.wheel.insert);
        self.wheel.due.ready.next = true;

        // The pass keeps within the gate's places, so that `train_ready` need not be asked.
        self.gate.now.next = self.now.val();
        self.gate.train_valid.next = self.pass.train_valid.val();
        self.gate.train_flow.next = self.pass.train_flow.val();
        self.gate.train_packets.next = self.pass.train_packets.val();
        self.gate.train_launch.next = self.pass.train_launch.val();
        self.gate.train_gap.next = self.pass.train_gap.val();
        GrantOut::<F>::link(&mut self.grant, &mut self.gate.grant);
        self.granted.d.next = self.left.val();
        self.held.d.next = self.grant.valid.val() & !self.grant.ready.val();

        self.doorbell_ready.next = self.doorbell.doorbell.ready.val() & self.go.val();
        FlowPulseOut::<F>::link(&mut self.idle, &mut self.pass.idle);
        self.limited_valid.next = self.pass.granted_valid.val();
        self.limited_flow.next = self.pass.granted_flow.val();
        self.limited.next = self.pass.limited.val();
        self.pulses.next = bits::<32>(0);
        if self.granted.q.val() {
            self.pulses.next = self.counted.val();
        }
        if self.doorbell.refused.val() {
            self.pulses.next = self.pulses.val() | self.refused.val();
        }
        self.swept.next = self.go.val();
        if self.rst.val() {
            self.granted.d.next = false;
            self.held.d.next = false;
            self.due.d.next = false;
        }
    }
}
