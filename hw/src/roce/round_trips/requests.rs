//! Requests: the choice of the packet of a flow that is timed.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{DoneWord, Psn, RequestKind, SentWord, Sizes};
use crate::bus::PairFrameIn;
use crate::constant::Const;
use crate::flow_ram::FlowRam;
use rust_hdl::prelude::*;
use timely_model::round_trips::{PSN_BITS, TIMING_BITS, WINDOW};

// Words have these widths, and a kernel takes literals alone.
const _: () = assert!(PSN_BITS == 24 && TIMING_BITS == 4 && WINDOW == 1 << 18);

/// Words of flows that requests write; a frame a clock, decided 4 clocks later.
///
/// Clock 0: the RAMs are addressed. 2: PSNs of last responses, for each path MTU. 3: decided. 4:
/// the frame stands, with its timing. A flow is forgotten at a clock without a frame.
#[derive(LogicBlock, Default)]
pub(super) struct Requests<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this flow; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    pub sweep_flow: Signal<In, Bits<F>>,
    pub sent: PairFrameIn<F>,
    /// A flow is to be forgotten.
    pub forget: Signal<In, Bit>,
    pub forget_flow: Signal<In, Bits<F>>,
    /// Words that answers write.
    pub done_writes: Signal<In, Bit>,
    pub done_flow: Signal<In, Bits<F>>,
    pub done_word: Signal<In, DoneWord>,
    /// Least path MTU of all flows.
    pub mtu: Signal<In, Bits<3>>,
    /// Units of 32 ns.
    pub now: Signal<In, Bits<27>>,
    /// Clock 4: the frame, whether it is timed, and the number of its timing.
    pub o_valid: Signal<Out, Bit>,
    pub o_times: Signal<Out, Bit>,
    pub o_timing: Signal<Out, Bits<4>>,
    pub o_flow: Signal<Out, Bits<F>>,
    pub o_tag: Signal<Out, Bits<16>>,
    pub o_wire_bytes: Signal<Out, Bits<16>>,
    pub o_launch: Signal<Out, Bits<40>>,
    /// Clock 4: the request was sent again; it begins another connection.
    pub repeated: Signal<Out, Bit>,
    pub restarted: Signal<Out, Bit>,
    /// Words that requests write.
    pub writes: Signal<Out, Bit>,
    pub write_flow: Signal<Out, Bits<F>>,
    pub write_word: Signal<Out, SentWord>,
    words: FlowRam<SentWord, F>,
    dones: RAM<DoneWord, F>,
    no_done: Const<DoneWord>,
    no_kind: Const<RequestKind>,
    no_sizes: Const<Sizes>,
    has_forget: DFF<Bit>,
    at_forget: DFF<Bits<F>>,
    forgets: Signal<Local, Bit>,
    flow0: Signal<Local, Bits<F>>,
    kind0: Signal<Local, RequestKind>,
    // Index k is the register of clock k + 1.
    kind: [DFF<RequestKind>; 4],
    flow: [DFF<Bits<F>>; 4],
    tag: [DFF<Bits<16>>; 4],
    wire_bytes: [DFF<Bits<16>>; 4],
    launch: [DFF<Bits<40>>; 4],
    psn: [DFF<Bits<24>>; 3],
    entered: [DFF<Bits<27>>; 3],
    bytes: DFF<Bits<32>>,
    kind1: Signal<Local, RequestKind>,
    // Clock 2.
    less: DFF<Bits<32>>,
    size: DFF<Sizes>,
    size1: Signal<Local, Sizes>,
    done: DFF<DoneWord>,
    done2: Signal<Local, DoneWord>,
    floor2: Signal<Local, Sizes>,
    // Clock 3. The last response's PSN for MTUs of 256 to 4,096 bytes; the packet's own PSN if it
    // is no READ request.
    ends: [DFF<Bits<24>>; 5],
    shown: DFF<Sizes>,
    psn2: Signal<Local, Psn>,
    high_more: DFF<Bits<6>>,
    high_fewer: DFF<Bits<6>>,
    done_timing: DFF<Bits<4>>,
    floor: DFF<Sizes>,
    old: Signal<Local, SentWord>,
    size3: Signal<Local, Sizes>,
    floor3: Signal<Local, Sizes>,
    kind3: Signal<Local, RequestKind>,
    newest3: Signal<Local, Psn>,
    psn3: Signal<Local, Psn>,
    /// The newest PSN's high bits are the packet's, one more, one less; its low bits are less.
    same: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    fewer: Signal<Local, Bit>,
    borrows: Signal<Local, Bit>,
    /// The packet is less than 2^18 PSNs behind the newest one; at most as many ahead of it.
    is_behind: Signal<Local, Bit>,
    is_ahead: Signal<Local, Bit>,
    before_timed: Signal<Local, Bits<24>>,
    following: Signal<Local, Bits<4>>,
    restarts: Signal<Local, Bit>,
    repeats: Signal<Local, Bit>,
    sure: Signal<Local, Bit>,
    timing: Signal<Local, Bit>,
    covers: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    /// The path MTU is above 256 to 2,048 bytes.
    least: Signal<Local, Sizes>,
    last: Signal<Local, Bits<24>>,
    /// The newest PSN less each of `ends`.
    left: [Signal<Local, Bits<24>>; 5],
    reaches: Signal<Local, Bit>,
    updated: Signal<Local, SentWord>,
    // Clock 4.
    times: DFF<Bit>,
    number: DFF<Bits<4>>,
    again: DFF<Bit>,
    another: DFF<Bit>,
    kind4: Signal<Local, RequestKind>,
}

impl<const F: usize> Requests<F> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        let (no_done, no_kind) = (Const::new(DoneWord::default()), Const::new(RequestKind::default()));
        let no_sizes = Const::new(Sizes::default());
        Self { words: FlowRam::new(), no_done, no_kind, no_sizes, ..Default::default() }
    }
}

impl<const F: usize> Logic for Requests<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            has_forget,
            at_forget,
            bytes,
            less,
            size,
            done,
            shown,
            high_more,
            high_fewer,
            done_timing,
            floor,
            times,
            number,
            again,
            another
        );
        for i in 0..4 {
            self.kind[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.tag[i].clock.next = self.clk.val();
            self.wire_bytes[i].clock.next = self.clk.val();
            self.launch[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.psn[i].clock.next = self.clk.val();
            self.entered[i].clock.next = self.clk.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.tag[i + 1].d.next = self.tag[i].q.val();
            self.wire_bytes[i + 1].d.next = self.wire_bytes[i].q.val();
            self.launch[i + 1].d.next = self.launch[i].q.val();
        }
        for i in 0..2 {
            self.psn[i + 1].d.next = self.psn[i].q.val();
            self.entered[i + 1].d.next = self.entered[i].q.val();
        }
        for i in 0..5 {
            self.ends[i].clock.next = self.clk.val();
        }
        self.words.clk.next = self.clk.val();
        self.words.rst.next = self.rst.val();
        self.words.sweep.next = self.sweep.val();
        self.words.sweep_flow.next = self.sweep_flow.val();
        self.dones.read_clock.next = self.clk.val();
        self.dones.write_clock.next = self.clk.val();

        // 0: a frame, or else a flow that is forgotten.
        self.forgets.next = self.has_forget.q.val() & !self.sent.valid.val();
        if self.forgets.val() {
            self.has_forget.d.next = false;
        }
        if self.forget.val() {
            self.has_forget.d.next = true;
            self.at_forget.d.next = self.forget_flow.val();
        }
        self.flow0.next = self.at_forget.q.val();
        if self.sent.valid.val() {
            self.flow0.next = self.sent.flow.val();
        }
        self.kind0.next.frame = self.sent.valid.val() & !self.sweep.val();
        self.kind0.next.request = (self.sent.valid.val() & self.sent.request.val()) & !self.sweep.val();
        self.kind0.next.read = self.sent.read.val();
        self.kind0.next.asks = self.sent.asks.val() | self.sent.read.val();
        self.kind0.next.forget = self.forgets.val();
        self.words.valid.next = self.kind0.val().request | self.forgets.val();
        self.words.flow.next = self.flow0.val();
        self.dones.read_address.next = self.flow0.val();
        self.kind[0].d.next = self.kind0.val();
        self.flow[0].d.next = self.flow0.val();
        self.tag[0].d.next = self.sent.tag.val();
        self.wire_bytes[0].d.next = self.sent.wire_bytes.val();
        self.launch[0].d.next = self.sent.launch.val().get_bits::<40>(8);
        self.psn[0].d.next = self.sent.psn.val();
        self.bytes.d.next = self.sent.bytes.val();
        self.entered[0].d.next = self.now.val();

        // 1: what the payload shows of the MTU.
        self.less.d.next = self.bytes.q.val() - bits::<32>(1);
        self.kind1.next = self.kind[0].q.val();
        if !self.bytes.q.val().any() | !self.kind1.val().read {
            self.less.d.next = bits::<32>(0);
        }
        self.size1.next.above_256 = self.bytes.q.val() > bits::<32>(256);
        self.size1.next.above_512 = self.bytes.q.val() > bits::<32>(512);
        self.size1.next.above_1024 = self.bytes.q.val() > bits::<32>(1024);
        self.size1.next.above_2048 = self.bytes.q.val() > bits::<32>(2048);
        if self.kind1.val().read {
            self.size1.next = self.no_sizes.val();
        }
        self.size.d.next = self.size1.val();
        self.done.d.next = self.dones.read_data.val();

        // 2
        self.ends[0].d.next = self.psn[1].q.val() + bit_cast::<24, 23>(self.less.q.val().get_bits::<23>(8));
        self.ends[1].d.next = self.psn[1].q.val() + bit_cast::<24, 22>(self.less.q.val().get_bits::<22>(9));
        self.ends[2].d.next = self.psn[1].q.val() + bit_cast::<24, 21>(self.less.q.val().get_bits::<21>(10));
        self.ends[3].d.next = self.psn[1].q.val() + bit_cast::<24, 20>(self.less.q.val().get_bits::<20>(11));
        self.ends[4].d.next = self.psn[1].q.val() + bit_cast::<24, 19>(self.less.q.val().get_bits::<19>(12));
        self.shown.d.next = self.size.q.val();
        self.psn2.next = self.psn[1].q.val().into();
        self.high_more.d.next = self.psn2.val().high + bits::<6>(1);
        self.high_fewer.d.next = self.psn2.val().high - bits::<6>(1);
        self.done2.next = self.done.q.val();
        self.done_timing.d.next = self.done2.val().timing;
        self.floor2.next.above_256 = (self.done2.val().mtu >= bits::<3>(2)) | (self.mtu.val() >= bits::<3>(2));
        self.floor2.next.above_512 = (self.done2.val().mtu >= bits::<3>(3)) | (self.mtu.val() >= bits::<3>(3));
        self.floor2.next.above_1024 = (self.done2.val().mtu >= bits::<3>(4)) | (self.mtu.val() >= bits::<3>(4));
        self.floor2.next.above_2048 = (self.done2.val().mtu >= bits::<3>(5)) | (self.mtu.val() >= bits::<3>(5));
        self.floor.d.next = self.floor2.val();

        // 3: decided.
        self.old.next = self.words.word.val();
        self.kind3.next = self.kind[2].q.val();
        self.size3.next = self.shown.q.val();
        self.floor3.next = self.floor.q.val();
        // (High bits are compared beside the borrow of the low ones, not behind it.)
        self.newest3.next = self.old.val().newest.into();
        self.psn3.next = self.psn[2].q.val().into();
        self.same.next = self.newest3.val().high == self.psn3.val().high;
        self.more.next = self.newest3.val().high == self.high_more.q.val();
        self.fewer.next = self.newest3.val().high == self.high_fewer.q.val();
        self.borrows.next = self.newest3.val().low < self.psn3.val().low;
        self.is_behind.next = (self.same.val() & !self.borrows.val()) | (self.more.val() & self.borrows.val());
        self.is_ahead.next = (self.same.val() & self.borrows.val()) | (self.fewer.val() & !self.borrows.val());
        self.before_timed.next = self.old.val().timed - self.psn[2].q.val();
        self.following.next = self.old.val().timing + bits::<4>(1);
        self.repeats.next = self.old.val().known & self.is_behind.val();
        self.sure.next = self.old.val().known & self.is_ahead.val();
        self.restarts.next = (self.old.val().known & !self.is_behind.val()) & !self.is_ahead.val();
        self.timing.next = self.old.val().timing != self.done_timing.q.val();
        self.covers.next = !self.before_timed.val().get_bit(23);
        self.starts.next = (self.kind3.val().request & self.kind3.val().asks)
            & (!self.timing.val() | (self.old.val().unsure & self.sure.val() & (self.following.val() != self.done_timing.q.val())));
        // (Each end is compared beside its choice, not behind it.)
        self.least.next.above_256 = self.old.val().above_256 | self.floor3.val().above_256;
        self.least.next.above_512 = self.old.val().above_512 | self.floor3.val().above_512;
        self.least.next.above_1024 = self.old.val().above_1024 | self.floor3.val().above_1024;
        self.least.next.above_2048 = self.old.val().above_2048 | self.floor3.val().above_2048;
        for i in 0..5 {
            self.left[i].next = self.old.val().newest - self.ends[i].q.val();
        }
        self.last.next = self.ends[0].q.val();
        self.reaches.next = self.left[0].val().get_bit(23);
        if self.least.val().above_512 {
            self.last.next = self.ends[2].q.val();
            self.reaches.next = self.left[2].val().get_bit(23);
            if self.least.val().above_1024 {
                self.last.next = self.ends[3].q.val();
                self.reaches.next = self.left[3].val().get_bit(23);
                if self.least.val().above_2048 {
                    self.last.next = self.ends[4].q.val();
                    self.reaches.next = self.left[4].val().get_bit(23);
                }
            }
        } else if self.least.val().above_256 {
            self.last.next = self.ends[1].q.val();
            self.reaches.next = self.left[1].val().get_bit(23);
        }
        self.updated.next = self.old.val();
        if self.kind3.val().request {
            self.updated.next.known = true;
            if self.restarts.val() {
                self.updated.next.connection = !self.old.val().connection;
            }
            // An earlier READ may have been taken for longer than it was, and this one goes on
            // beyond it though it is sent again.
            if !self.repeats.val() | self.reaches.val() {
                self.updated.next.newest = self.last.val();
            }
            self.updated.next.above_256 = self.old.val().above_256 | self.size3.val().above_256;
            self.updated.next.above_512 = self.old.val().above_512 | self.size3.val().above_512;
            self.updated.next.above_1024 = self.old.val().above_1024 | self.size3.val().above_1024;
            self.updated.next.above_2048 = self.old.val().above_2048 | self.size3.val().above_2048;
            if self.starts.val() {
                self.updated.next.timing = self.following.val();
                self.updated.next.timed = self.psn[2].q.val();
                self.updated.next.unsure = !self.sure.val();
                self.updated.next.replaced = self.timing.val();
                if !self.timing.val() {
                    self.updated.next.since = self.entered[2].q.val();
                }
            } else if self.timing.val() & self.restarts.val() {
                self.updated.next.timed = self.psn[2].q.val();
                self.updated.next.unsure = true;
            } else if self.timing.val() & self.covers.val() {
                self.updated.next.unsure = true;
            }
        }
        if self.kind3.val().forget {
            self.updated.next.known = false;
            self.updated.next.unsure = true;
            self.updated.next.above_256 = false;
            self.updated.next.above_512 = false;
            self.updated.next.above_1024 = false;
            self.updated.next.above_2048 = false;
        }
        self.words.update.next = self.updated.val();
        self.times.d.next = self.starts.val();
        self.number.d.next = self.following.val();
        self.again.d.next = self.kind3.val().request & self.repeats.val();
        self.another.d.next = self.kind3.val().request & self.restarts.val();

        // 4
        self.kind4.next = self.kind[3].q.val();
        self.o_valid.next = self.kind4.val().frame;
        self.o_times.next = self.times.q.val();
        self.o_timing.next = self.number.q.val();
        self.o_flow.next = self.flow[3].q.val();
        self.o_tag.next = self.tag[3].q.val();
        self.o_wire_bytes.next = self.wire_bytes[3].q.val();
        self.o_launch.next = self.launch[3].q.val();
        self.repeated.next = self.again.q.val();
        self.restarted.next = self.another.q.val();
        self.writes.next = self.words.writes.val();
        self.write_flow.next = self.words.write_flow.val();
        self.write_word.next = self.words.write_word.val();
        self.dones.write_enable.next = self.done_writes.val() | self.sweep.val();
        self.dones.write_address.next = self.done_flow.val();
        self.dones.write_data.next = self.done_word.val();
        if self.sweep.val() {
            self.dones.write_address.next = self.sweep_flow.val();
            self.dones.write_data.next = self.no_done.val();
        }
        if self.rst.val() {
            self.has_forget.d.next = false;
            for i in 0..4 {
                self.kind[i].d.next = self.no_kind.val();
            }
            self.again.d.next = false;
            self.another.d.next = false;
        }
    }
}
