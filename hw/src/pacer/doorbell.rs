//! The doorbell unit: flows that have packets to send, flows that sleep, and flows that are woken.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{DoorbellIn, FlowPulseOut, FlowSwitchIn, PostOut, ReleaseIn, SleepIn};
use crate::constant::{Fixed, OneHot};
use crate::fifo::Fifo;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::pacer::doorbell::{DOORBELL_QUEUE, RELEASE_QUEUE, Sleep};

// The queues are as deep as the model's.
const _: () = assert!(RELEASE_QUEUE == 9 && DOORBELL_QUEUE == 4);

/// One operation a clock on one word a flow, in order, so that no wake-up is lost: loads first,
/// then releases, requests to sleep, doorbells. `S` must be `F + 1`, `R` `F + 32`, `D` `F + 16`.
///
/// - A doorbell adds packets and activates the flow if it is idle. It is refused if the flow is not
///   enabled, or if more than 65,535 packets would be waiting.
/// - A request to sleep says what the pass saw: the flow sleeps only if all posted packets were
///   granted, or, if it waits for its outstanding bound, if no release came since. Otherwise it is
///   activated again.
/// - A release wakes a flow that sleeps because of its bound.
/// - A load activates the flow, so that the pass sees it. Without `keep`, or if it disables the
///   flow, what was posted before is void (`drop`); what is posted from then on is counted on its
///   own until the pass has cleared the accounts.
///
/// Until `swept`, `post_word` is 0, and `granted_count` must be.
///
/// Latency: 5 clocks from a load, 7 from a doorbell or release, 4 from a request to sleep, to `act`
/// and `post`. Back pressure: `doorbell_ready` falls when 16 doorbells wait. Loads and releases are
/// always taken: a queue of 512 holds the releases of a burst of loads. Model:
/// `timely_model::pacer::doorbell`.
#[derive(LogicBlock, Default)]
pub struct Doorbell<const F: usize, const S: usize, const R: usize, const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Loads of flows.
    pub fl: FlowSwitchIn<F>,
    /// Bytes that are outstanding no more.
    pub release: ReleaseIn<F>,
    /// Requests to sleep.
    pub sleep: SleepIn<F>,
    /// Doorbells.
    pub doorbell: DoorbellIn<F>,
    /// A flow's count of granted packets is written.
    pub granted_valid: Signal<In, Bit>,
    pub granted_flow: Signal<In, Bits<F>>,
    pub granted_count: Signal<In, Bits<16>>,
    /// Flows that become active.
    pub act: FlowPulseOut<F>,
    /// Words for the pass.
    pub post: PostOut<F>,
    /// A doorbell was refused.
    pub refused: Signal<Out, Bit>,
    /// The RAM is clear; nothing is accepted before.
    pub swept: Signal<Out, Bit>,
    releases: Fifo<R, 9, 10>,
    doorbells: Fifo<D, 4, 5>,
    /// Posted, released, drop as at `post_word`; 49 enable, 50 active, 51 bounded.
    ram: ApartRam<Bits<52>, F>,
    granted: RAM<Bits<16>, F>,
    sweep: DFF<Bits<S>>,
    sweep_end: OneHot<S, F>,
    load: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    load_bits: DFF<Bits<2>>,
    valid: [DFF<Bit>; 3],
    flow: [DFF<Bits<F>>; 3],
    /// 0 load, 1 release, 2 sleep, 3 doorbell.
    kind: [DFF<Bits<2>>; 3],
    /// Bytes released, or that the pass knows of.
    bytes: [DFF<Bits<32>>; 3],
    /// Packets posted, or granted that the pass knows of.
    count: [DFF<Bits<16>>; 3],
    /// Reason of a request to sleep; enable and keep of a load.
    what: [DFF<Bits<2>>; 3],
    raw: DFF<Bits<52>>,
    raw_granted: DFF<Bits<16>>,
    /// Packets granted less those posted, if it is a doorbell.
    rest: DFF<Bits<17>>,
    /// Results that the RAM did not show yet when the word was read, newest first; the newest one
    /// of all is `result`.
    done_valid: DFF<Bit>,
    done_flow: DFF<Bits<F>>,
    done: [DFF<Bits<52>>; 2],
    /// The flow's newest result is the newest one, the second one, the third one; none of them is
    /// set where it is the RAM's.
    is_newest: DFF<Bit>,
    is_second: DFF<Bit>,
    is_third: DFF<Bit>,
    /// The result of this clock is of a flow that is wanted whether or not a doorbell fits.
    calls: DFF<Bit>,
    // It is of a doorbell; of one that adds its packets if they fit, that activates the flow if
    // they fit; they fit. That is known last, so that what depends on it is put together a clock
    // later.
    asked: DFF<Bit>,
    added: DFF<Bit>,
    rang: DFF<Bit>,
    fitted: DFF<Bit>,
    /// The newest result, with what the doorbell made of the flow's activity.
    result: Signal<Local, Bits<52>>,
    is_swept: Signal<Local, Bit>,
    take: Signal<Local, Bits<2>>,
    word: Signal<Local, Bits<52>>,
    posted: Signal<Local, Bits<16>>,
    released: Signal<Local, Bits<32>>,
    drop: Signal<Local, Bit>,
    enable: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    bounded: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    total: Signal<Local, Bits<18>>,
    least: Signal<Local, Bits<16>>,
    counted: Signal<Local, Bits<18>>,
    voided: Signal<Local, Bits<18>>,
    over_granted: Signal<Local, Bits<18>>,
    below_least: Signal<Local, Bits<19>>,
    ahead: Signal<Local, Bit>,
    below: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    adds: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    kept: Signal<Local, Bits<16>>,
    sum: Signal<Local, Bits<16>>,
    bounding: Fixed<2, { Sleep::Bounded as u64 }>,
    cleared: Fixed<2, { Sleep::Cleared as u64 }>,
}

impl<const F: usize, const S: usize, const R: usize, const D: usize> Logic for Doorbell<F, S, R, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            sweep,
            load,
            load_flow,
            load_bits,
            raw,
            raw_granted,
            rest,
            is_newest,
            is_second,
            is_third,
            calls,
            rang,
            asked,
            added,
            fitted,
            done_valid,
            done_flow
        );
        for i in 0..3 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.bytes[i].clock.next = self.clk.val();
            self.count[i].clock.next = self.clk.val();
            self.what[i].clock.next = self.clk.val();
        }
        self.done[0].clock.next = self.clk.val();
        self.done[1].clock.next = self.clk.val();
        self.result.next = self.done[0].q.val();
        if self.rang.q.val() & self.fitted.q.val() {
            self.result.next = self.done[0].q.val() | (bits::<52>(1) << 50);
        }
        self.done[1].d.next = self.result.val();
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.granted.read_clock.next = self.clk.val();
        self.granted.write_clock.next = self.clk.val();
        self.releases.clk.next = self.clk.val();
        self.releases.rst.next = self.rst.val();
        self.doorbells.clk.next = self.clk.val();
        self.doorbells.rst.next = self.rst.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<S>(1);
        }

        self.load.d.next = self.fl.valid.val() & self.is_swept.val();
        self.load_flow.d.next = self.fl.flow.val();
        self.load_bits.d.next = bits::<2>(0);
        if self.fl.enable.val() {
            self.load_bits.d.next = bits::<2>(1);
        }
        if self.fl.keep.val() {
            self.load_bits.d.next = self.load_bits.d.val() | bits::<2>(2);
        }
        self.releases.i_valid.next = self.release.valid.val() & self.is_swept.val();
        self.releases.i_data.next = bit_cast::<R, 32>(self.release.bytes.val()) | (bit_cast::<R, F>(self.release.flow.val()) << 32);
        self.doorbells.i_valid.next = self.doorbell.valid.val() & self.is_swept.val();
        self.doorbells.i_data.next = bit_cast::<D, 16>(self.doorbell.packets.val()) | (bit_cast::<D, F>(self.doorbell.flow.val()) << 16);

        // Choose.
        self.releases.o_ready.next = !self.load.q.val();
        self.sleep.ready.next = !self.load.q.val() & !self.releases.o_valid.val();
        self.doorbells.o_ready.next = (!self.load.q.val() & !self.releases.o_valid.val()) & !self.sleep.valid.val();
        self.valid[0].d.next = ((self.load.q.val() | self.releases.o_valid.val()) | self.sleep.valid.val()) | self.doorbells.o_valid.val();
        self.take.next = bits::<2>(3);
        if self.load.q.val() {
            self.take.next = bits::<2>(0);
        } else if self.releases.o_valid.val() {
            self.take.next = bits::<2>(1);
        } else if self.sleep.valid.val() {
            self.take.next = bits::<2>(2);
        }
        self.kind[0].d.next = self.take.val();
        self.flow[0].d.next = self.doorbells.o_data.val().get_bits::<F>(16);
        if self.take.val() == bits::<2>(0) {
            self.flow[0].d.next = self.load_flow.q.val();
        } else if self.take.val() == bits::<2>(1) {
            self.flow[0].d.next = self.releases.o_data.val().get_bits::<F>(32);
        } else if self.take.val() == bits::<2>(2) {
            self.flow[0].d.next = self.sleep.flow.val();
        }
        self.bytes[0].d.next = self.sleep.released.val();
        if self.take.val() == bits::<2>(1) {
            self.bytes[0].d.next = self.releases.o_data.val().get_bits::<32>(0);
        }
        self.count[0].d.next = self.sleep.granted.val();
        if self.take.val() == bits::<2>(3) {
            self.count[0].d.next = self.doorbells.o_data.val().get_bits::<16>(0);
        }
        self.what[0].d.next = self.sleep.why.val();
        if self.take.val() == bits::<2>(0) {
            self.what[0].d.next = self.load_bits.q.val();
        }

        // 1: read, and see which earlier results the RAM cannot show. 2: take the word from there,
        // so that but one is left to choose from then.
        for i in 0..2 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.bytes[i + 1].d.next = self.bytes[i].q.val();
            self.count[i + 1].d.next = self.count[i].q.val();
            self.what[i + 1].d.next = self.what[i].q.val();
        }
        self.ram.read_address.next = self.flow[0].q.val();
        self.granted.read_address.next = self.flow[0].q.val();
        self.is_second.d.next = self.valid[2].q.val() & (self.flow[0].q.val() == self.flow[2].q.val());
        self.is_third.d.next = self.done_valid.q.val() & (self.flow[0].q.val() == self.done_flow.q.val());
        self.is_newest.d.next = self.valid[2].q.val() & (self.flow[1].q.val() == self.flow[2].q.val());
        self.raw.d.next = self.ram.read_data.val();
        if self.is_second.q.val() {
            self.raw.d.next = self.result.val();
        } else if self.is_third.q.val() {
            self.raw.d.next = self.done[1].q.val();
        }
        self.raw_granted.d.next = self.granted.read_data.val();
        self.rest.d.next = bit_cast::<17, 16>(self.granted.read_data.val()) - bit_cast::<17, 16>(self.count[1].q.val());

        // 3: apply.
        self.word.next = self.raw.q.val();
        if self.is_newest.q.val() {
            self.word.next = self.result.val();
        }
        self.posted.next = self.word.val().get_bits::<16>(0);
        self.released.next = self.word.val().get_bits::<32>(16);
        self.drop.next = self.word.val().get_bit(48);
        self.enable.next = self.word.val().get_bit(49);
        self.active.next = self.word.val().get_bit(50);
        self.bounded.next = self.word.val().get_bit(51);
        self.wanted.next = false;
        self.rings.next = false;
        self.adds.next = false;
        // Whether posted - granted (modulo 2^16) + count stays below 2^16, without one sum waiting
        // for the other: granted - count is known before the word is, so that two comparisons side
        // by side tell. With a loan there (the count is above what was granted) both must hold,
        // else one.
        self.least.next = self.rest.q.val().get_bits::<16>(0);
        // Each is a carry out of bit 16 (a bare comparison becomes a tree of LUTs), and whether it
        // is asked at all goes into the chain: what stands above bit 16 lets it through or not.
        // With `drop` it is asked whether count and posted stay below 2^16, else the two.
        self.counted.next = bits::<18>(1) << 16;
        self.voided.next = bits::<18>(0);
        if self.word.val().get_bit(48) {
            self.counted.next = bits::<18>(0);
            self.voided.next = bits::<18>(3) << 16;
        }
        self.total.next = (self.voided.val() | bit_cast::<18, 16>(self.count[2].q.val())) + bit_cast::<18, 16>(self.posted.val());
        self.over_granted.next = (self.counted.val() | bit_cast::<18, 16>(self.posted.val()))
            - ((bits::<18>(3) << 16) | bit_cast::<18, 16>(self.raw_granted.q.val()));
        // Twice each, and one more of posted: equal is not below.
        self.below_least.next = ((bit_cast::<19, 18>(self.counted.val()) | bit_cast::<19, 16>(self.least.val())) << 1)
            - ((bits::<19>(3) << 17) | (bit_cast::<19, 16>(self.posted.val()) << 1) | bits::<19>(1));
        self.ahead.next = self.over_granted.val().get_bit(17);
        self.below.next = self.below_least.val().get_bit(18);
        self.fits.next = self.total.val().get_bit(17)
            | (self.ahead.val() & self.below.val())
            | (!self.rest.q.val().get_bit(16) & (self.ahead.val() | self.below.val()));
        if self.kind[2].q.val() == bits::<2>(0) {
            self.wanted.next = !self.active.val();
            self.enable.next = self.what[2].q.val().get_bit(0);
            if self.what[2].q.val() != bits::<2>(3) {
                self.drop.next = true;
                self.posted.next = bits::<16>(0);
            }
        } else if self.kind[2].q.val() == bits::<2>(1) {
            self.wanted.next = !self.active.val() & self.bounded.val();
            self.released.next = self.released.val() + self.bytes[2].q.val();
        } else if self.kind[2].q.val() == bits::<2>(2) {
            self.active.next = false;
            self.bounded.next = self.what[2].q.val() == self.bounding.val();
            if self.drop.val() {
                self.wanted.next = true;
                if self.what[2].q.val() == self.cleared.val() {
                    self.wanted.next = self.posted.val().any();
                    self.drop.next = false;
                    self.posted.next = self.total.val().get_bits::<16>(0);
                }
            } else if self.what[2].q.val() == self.bounding.val() {
                self.wanted.next = self.released.val() != self.bytes[2].q.val();
            } else {
                self.wanted.next = self.posted.val() != self.count[2].q.val();
            }
        } else {
            // Whether it fits is known last: what it would do stands before, and takes one more
            // level of logic.
            self.adds.next = self.enable.val();
            self.rings.next = self.enable.val() & !self.active.val() & !self.bounded.val();
        }
        self.calls.d.next = self.valid[2].q.val() & self.wanted.val();
        self.rang.d.next = self.valid[2].q.val() & self.rings.val();
        self.asked.d.next = self.valid[2].q.val() & (self.kind[2].q.val() == bits::<2>(3));
        self.added.d.next = self.adds.val();
        self.fitted.d.next = self.fits.val();
        // A flow that is activated is not bounded.
        self.active.next = self.active.val() | self.wanted.val();
        self.bounded.next = self.bounded.val() & !self.wanted.val();
        self.kept.next = self.posted.val();
        self.sum.next = self.posted.val();
        if self.adds.val() {
            self.sum.next = self.total.val().get_bits::<16>(0);
        }
        if self.fits.val() {
            self.kept.next = self.sum.val();
        }
        self.done_valid.d.next = self.valid[2].q.val();
        self.done_flow.d.next = self.flow[2].q.val();
        self.done[0].d.next = bit_cast::<52, 16>(self.kept.val()) | (bit_cast::<52, 32>(self.released.val()) << 16);
        if self.drop.val() {
            self.done[0].d.next = self.done[0].d.val() | (bits::<52>(1) << 48);
        }
        if self.enable.val() {
            self.done[0].d.next = self.done[0].d.val() | (bits::<52>(1) << 49);
        }
        if self.active.val() {
            self.done[0].d.next = self.done[0].d.val() | (bits::<52>(1) << 50);
        }
        if self.bounded.val() {
            self.done[0].d.next = self.done[0].d.val() | (bits::<52>(1) << 51);
        }

        // Zeros for the sweep: a register's reset is free where a choice in front of a RAM is not.
        if self.rst.val() | !self.is_swept.val() {
            self.done[0].d.next = bits::<52>(0);
        }

        // 4: write.
        self.ram.write_enable.next = self.done_valid.q.val();
        self.ram.write_address.next = self.done_flow.q.val();
        self.ram.write_data.next = self.result.val();
        self.granted.write_enable.next = self.granted_valid.val();
        self.granted.write_address.next = self.granted_flow.val();
        self.granted.write_data.next = self.granted_count.val();
        if !self.is_swept.val() {
            self.ram.write_enable.next = true;
            self.ram.write_address.next = self.sweep.q.val().get_bits::<F>(0);
            self.granted.write_enable.next = true;
            self.granted.write_address.next = self.sweep.q.val().get_bits::<F>(0);
        }
        self.act.valid.next = self.calls.q.val() | (self.rang.q.val() & self.fitted.q.val());
        self.act.flow.next = self.done_flow.q.val();
        self.post.valid.next = self.done_valid.q.val();
        self.post.flow.next = self.done_flow.q.val();
        self.post.word.next = self.done[0].q.val().get_bits::<49>(0);
        self.refused.next = self.asked.q.val() & !(self.added.q.val() & self.fitted.q.val());
        self.swept.next = self.is_swept.val();
        self.doorbell.ready.next = self.is_swept.val() & self.doorbells.i_ready.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<S>(0);
            self.load.d.next = false;
            self.done_valid.d.next = false;
            self.calls.d.next = false;
            self.rang.d.next = false;
            self.asked.d.next = false;
            for i in 0..3 {
                self.valid[i].d.next = false;
            }
            // So that they stay in flip-flops.
            self.kind[1].d.next = bits::<2>(0);
            self.bytes[1].d.next = bits::<32>(0);
            self.count[1].d.next = bits::<16>(0);
            self.what[1].d.next = bits::<2>(0);
        }
    }
}
