//! Corundum's transmit scheduler with our pacer.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::mail::Mail;
use super::queues::Queues;
use super::registers::Registers;
use super::ticks::Ticks;
use super::window::Window;
use crate::bus::{AxilSlave, GrantOut, RegisterReadIn, RegisterWriteIn, RequestOut, StatusIn};
use crate::constant::Const;
use crate::pacer::Pacer;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_regs::corundum::{DOWN_BITS, UP_BITS};
use timely_regs::counters::Counter;

// A kernel takes literals alone: the parts of both buses.
const _: () = assert!(DOWN_BITS == 262 && UP_BITS == 167 && Counter::Grants as u32 == 20 && Counter::DoorbellsRefused as u32 == 21);

/// The pacer half in Corundum: queues, pacer, registers, window and mailbox, and how they join. `F`
/// log2 of the queues, `X` to `FW` the pacer's widths ([`Pacer`]), `QL` `F + 2`, `QA` `F + 65`,
/// `QD` `F + 25`, `QP` `F + 6`.
///
/// Rates, releases, loads and profiles come by the window, or by the bus `down` if `cfg_streams` is
/// 1; then the pacer goes by that bus' time, else by its own count of clocks. Outstanding are
/// segments that have ended, for the application block releases every frame as it leaves and takes
/// that back with the end of its segment (`crate::shells::corundum::app::credit`); releases come
/// before their charges. Latency: 48 clocks from a doorbell of an idle flow that may send at once
/// to its request. Throughput and back pressure: [`Queues`]. Model:
/// `timely_model::scheduler::top::Scheduler`.
#[derive(LogicBlock, Default)]
pub struct Scheduler<
    const F: usize,
    const X: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const D: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const QL: usize,
    const QA: usize,
    const QD: usize,
    const QP: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The window.
    pub s_axil: AxilSlave<24>,
    /// Writes of registers.
    pub wr: RegisterWriteIn,
    /// Reads of registers.
    pub rd: RegisterReadIn,
    /// Address of the registers, as the bus sees it.
    pub cfg_base: Signal<In, Bits<24>>,
    pub cfg_address: Signal<In, Bits<32>>,
    /// Address of the next scheduler's, 0 if there is none.
    pub cfg_next: Signal<In, Bits<32>>,
    pub cfg_window: Signal<In, Bits<32>>,
    pub cfg_queues: Signal<In, Bits<32>>,
    pub cfg_dest: Signal<In, Bits<16>>,
    pub cfg_streams: Signal<In, Bit>,
    /// Tags that there are, 1 to 256.
    pub cfg_tags: Signal<In, Bits<9>>,
    /// log2 of the wire bytes that requests of queues without a flow may have under way, 8 to 24.
    pub cfg_share: Signal<In, Bits<5>>,
    /// ns that a clock adds to the time where no bus gives it, Q8.24.
    pub cfg_increment: Signal<In, Bits<32>>,
    /// The bus from the application block: `timely_regs::corundum::DOWN`.
    pub down: Signal<In, Bits<262>>,
    /// The bus to it: `timely_regs::corundum::UP`.
    pub up: Signal<Out, Bits<167>>,
    /// A queue may hold packets.
    pub doorbell_valid: Signal<In, Bit>,
    pub doorbell_queue: Signal<In, Bits<F>>,
    /// Requests.
    pub request: RequestOut<F>,
    /// Destination of the request.
    pub request_dest: Signal<Out, Bits<16>>,
    /// Packets of requests.
    pub status: StatusIn,
    window: Window<F, QL>,
    registers: Registers,
    queues: Queues<F, FS, QL, QP, QA, QD>,
    mail: Mail<F, FS, QL>,
    ticks: Ticks,
    pacer: Pacer<F, X, XA, XY, FB, FS, D, FR, FZ, FW>,
    /// Value of `down` at the last clock.
    came: DFF<Bits<262>>,
    pulses: DFF<Bits<32>>,
    ready: DFF<Bit>,
    all_swept: Signal<Local, Bit>,
    load_valid: Signal<Local, Bit>,
    load_flow: Signal<Local, Bits<F>>,
    load_word: Signal<Local, Bits<32>>,
    stop: Signal<Local, Bit>,
    word_valid: Signal<Local, Bit>,
    word_at: Signal<Local, Bits<5>>,
    flow_bits: Const<Bits<8>>,
}

impl<
    const F: usize,
    const X: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const D: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const QL: usize,
    const QA: usize,
    const QD: usize,
    const QP: usize,
> Scheduler<F, X, XA, XY, FB, FS, D, FR, FZ, FW, QL, QA, QD, QP>
{
    /// With these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(QL == F + 2, "widths of the mailbox of 2^{F} flows");
        Self {
            pacer: Pacer::new(timing),
            window: Window::new(),
            queues: Queues::new(),
            flow_bits: Const::new(bits::<8>(F as u64)),
            ..Default::default()
        }
    }
}

impl<
    const F: usize,
    const X: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const D: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const QL: usize,
    const QA: usize,
    const QD: usize,
    const QP: usize,
> Logic for Scheduler<F, X, XA, XY, FB, FS, D, FR, FZ, FW, QL, QA, QD, QP>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, came, pulses, ready);
        self.window.clk.next = self.clk.val();
        self.window.rst.next = self.rst.val();
        self.registers.clk.next = self.clk.val();
        self.registers.rst.next = self.rst.val();
        self.queues.clk.next = self.clk.val();
        self.queues.rst.next = self.rst.val();
        self.mail.clk.next = self.clk.val();
        self.mail.rst.next = self.rst.val();
        self.ticks.clk.next = self.clk.val();
        self.ticks.rst.next = self.rst.val();
        self.pacer.clk.next = self.clk.val();
        self.pacer.rst.next = self.rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.window.s_axil);
        RegisterWriteIn::link(&mut self.wr, &mut self.registers.wr);
        RegisterReadIn::link(&mut self.rd, &mut self.registers.rd);
        self.registers.cfg_base.next = self.cfg_base.val();
        self.registers.cfg_address.next = self.cfg_address.val();
        self.registers.cfg_next.next = self.cfg_next.val();
        self.registers.cfg_window.next = self.cfg_window.val();
        self.registers.cfg_queues.next = self.cfg_queues.val();
        self.registers.cfg_dest.next = self.cfg_dest.val();
        self.registers.cfg_streams.next = self.cfg_streams.val();
        self.registers.cfg_flow_bits.next = self.flow_bits.val();
        self.registers.swept.next = self.ready.q.val();
        self.request_dest.next = self.registers.dest.val();

        // From the application block: by the window, or by the bus.
        self.came.d.next = self.down.val();
        self.stop.next = self.window.stop.val();
        self.pacer.pause.next = self.window.pause.val();
        self.pacer.rate.valid.next = self.window.rate_valid.val();
        self.pacer.rate.flow.next = self.window.index.val();
        self.pacer.rate.value.next = self.window.data.val();
        self.pacer.release.valid.next = self.window.release_valid.val();
        self.pacer.release.flow.next = self.window.index.val();
        self.pacer.release.bytes.next = self.window.data.val();
        self.load_valid.next = self.window.load_valid.val();
        self.load_flow.next = self.window.index.val();
        self.load_word.next = self.window.data.val();
        self.word_valid.next = self.window.pw_valid.val();
        self.pacer.pw.profile.next = self.window.index.val().get_bits::<4>(5);
        self.word_at.next = self.window.index.val().get_bits::<5>(0);
        self.pacer.pw.data.next = self.window.data.val();
        self.pacer.now.next = self.ticks.now.val();
        if self.cfg_streams.val() {
            self.stop.next = self.came.q.val().get_bit(0);
            self.pacer.pause.next = self.came.q.val().get_bits::<8>(1);
            self.pacer.rate.valid.next = self.came.q.val().get_bit(9);
            self.pacer.rate.flow.next = self.came.q.val().get_bits::<F>(10);
            self.pacer.rate.value.next = self.came.q.val().get_bits::<32>(26);
            self.pacer.release.valid.next = self.came.q.val().get_bit(58);
            self.pacer.release.flow.next = self.came.q.val().get_bits::<F>(59);
            self.pacer.release.bytes.next = self.came.q.val().get_bits::<32>(75);
            self.load_valid.next = self.came.q.val().get_bit(107);
            self.load_flow.next = self.came.q.val().get_bits::<F>(108);
            self.load_word.next = self.came.q.val().get_bits::<32>(124);
            self.word_valid.next = self.came.q.val().get_bit(156);
            self.pacer.pw.profile.next = self.came.q.val().get_bits::<4>(157);
            self.word_at.next = self.came.q.val().get_bits::<5>(161);
            self.pacer.pw.data.next = self.came.q.val().get_bits::<32>(166);
            self.pacer.now.next = self.came.q.val().get_bits::<64>(198);
        }
        self.pacer.pw.valid.next = self.word_valid.val();
        self.pacer.pw.word.next = self.word_at.val();
        self.registers.stop.next = self.stop.val();
        self.ticks.increment.next = self.cfg_increment.val();
        self.pacer.fl.valid.next = self.load_valid.val();
        self.pacer.fl.flow.next = self.load_flow.val();
        self.pacer.fl.record.next = bit_cast::<512, 13>(self.load_word.val().get_bits::<13>(0))
            | (bit_cast::<512, 14>(self.load_word.val().get_bits::<14>(16)) << 32);
        self.queues.load.valid.next = self.load_valid.val();
        self.queues.load.flow.next = self.load_flow.val();
        self.queues.load.enable.next = self.load_word.val().get_bit(0);
        self.queues.load.keep.next = self.load_word.val().get_bit(1);
        self.queues.channel_valid.next = self.window.channel_valid.val();
        self.queues.channel_write.next = self.window.channel_write.val();
        self.queues.channel_queue.next = self.window.index.val();
        self.queues.channel_enable.next = self.window.data.val().get_bit(0);
        self.window.answer_valid.next = self.queues.answer_valid.val();
        self.window.answer_flags.next = self.queues.answer_flags.val();
        self.window.mail.next = self.mail.word.val();
        self.mail.taken.next = self.window.mail_taken.val();

        // Queues and pacer.
        self.queues.enable.next = self.registers.enable.val();
        self.queues.stop.next = self.stop.val();
        self.queues.cfg_tags.next = self.cfg_tags.val();
        self.queues.cfg_share.next = self.cfg_share.val();
        self.queues.doorbell_valid.next = self.doorbell_valid.val();
        self.queues.doorbell_queue.next = self.doorbell_queue.val();
        self.pacer.doorbell_valid.next = self.queues.post.valid.val();
        self.pacer.doorbell_flow.next = self.queues.post.flow.val();
        self.pacer.doorbell_packets.next = self.queues.post.packets.val();
        self.queues.post.ready.next = self.pacer.doorbell_ready.val();
        GrantOut::<F>::join(&mut self.pacer.grant, &mut self.queues.grant);
        self.pacer.charge_valid.next = self.queues.charge_valid.val();
        self.pacer.charge_flow.next = self.queues.charge_flow.val();
        self.pacer.charge_bytes.next = self.queues.charge_bytes.val();
        // Only segments that have ended are outstanding: see `shells::corundum::app::credit`.
        self.pacer.charge_ends.next = true;
        self.pacer.stop.next = !self.registers.enable.val();
        RequestOut::<F>::link(&mut self.request, &mut self.queues.request);
        StatusIn::link(&mut self.status, &mut self.queues.status);

        // To the application block.
        self.all_swept.next = self.pacer.swept.val() & self.queues.swept.val() & self.mail.swept.val();
        self.ready.d.next = self.all_swept.val();
        self.pulses.d.next = self.pacer.pulses.val();
        self.mail.ready.next = self.all_swept.val();
        self.mail.idle_valid.next = self.pacer.idle.valid.val();
        self.mail.idle_flow.next = self.pacer.idle.flow.val();
        self.mail.limited_valid.next = self.pacer.limited_valid.val();
        self.mail.limited_flow.next = self.pacer.limited_flow.val();
        self.mail.limited.next = self.pacer.limited.val();
        self.mail.granted.next = self.pulses.q.val().get_bit(20);
        self.mail.refused.next = self.pulses.q.val().get_bit(21);
        self.up.next = bit_cast::<167, 1>(self.ready.q.val().into())
            | (bit_cast::<167, 1>(self.pacer.idle.valid.val().into()) << 1)
            | (bit_cast::<167, F>(self.pacer.idle.flow.val()) << 2)
            | (bit_cast::<167, 1>(self.pacer.limited_valid.val().into()) << 18)
            | (bit_cast::<167, F>(self.pacer.limited_flow.val()) << 19)
            | (bit_cast::<167, 1>(self.pacer.limited.val().into()) << 35)
            | (bit_cast::<167, 32>(self.pulses.q.val()) << 36)
            | (bit_cast::<167, 1>(self.queues.launch_valid.val().into()) << 68)
            | (bit_cast::<167, F>(self.request.queue.val()) << 69)
            | (bit_cast::<167, 8>(self.request.tag.val()) << 85)
            | (bit_cast::<167, 1>(self.queues.launch_paced.val().into()) << 93)
            | (bit_cast::<167, 64>(self.queues.launch_time.val()) << 94)
            | (bit_cast::<167, 1>(self.queues.void_valid.val().into()) << 158)
            | (bit_cast::<167, 8>(self.queues.void_tag.val()) << 159);
        if self.rst.val() {
            self.came.d.next = bits::<262>(0);
            self.pulses.d.next = bits::<32>(0);
            self.ready.d.next = false;
        }
    }
}
