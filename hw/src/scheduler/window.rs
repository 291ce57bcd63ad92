//! The scheduler's AXI-Lite window.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::AxilSlave;
use crate::constant::Const;
use crate::csr::Axil;
use rust_hdl::prelude::*;
use timely_regs::corundum::{KIND_BITS, Kind};

// A kernel takes literals alone.
const _: () =
    assert!(KIND_BITS == 3 && Kind::Channel as u8 == 0 && Kind::Rate as u8 == 1 && Kind::Release as u8 == 2 && Kind::Load as u8 == 3);
const _: () = assert!(Kind::Profile as u8 == 4 && Kind::Control as u8 == 5 && Kind::Mail as u8 == 6);

/// AXI-Lite slave with a word of 32 bits a queue for each kind of access (`timely_regs::corundum`).
/// `F` must be 9 at least, `N` `F + 2`.
///
/// Anything else than whole words written where they are written, and read where they are read, is
/// refused with an error and changes nothing. Latency: from request to response 5 clocks, and of a
/// channel as long as it takes to be answered. Throughput: an access at a time. Back pressure: as
/// [`Axil`]. Model: `timely_model::scheduler::window::Window`.
#[derive(LogicBlock, Default)]
pub struct Window<const F: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The window.
    pub s_axil: AxilSlave<24>,
    /// An access to a channel.
    pub channel_valid: Signal<Out, Bit>,
    pub channel_write: Signal<Out, Bit>,
    /// The access is answered.
    pub answer_valid: Signal<In, Bit>,
    pub answer_flags: Signal<In, Bits<4>>,
    /// A rate is written.
    pub rate_valid: Signal<Out, Bit>,
    /// A release is written.
    pub release_valid: Signal<Out, Bit>,
    /// A load is written.
    pub load_valid: Signal<Out, Bit>,
    /// A word of a profile is written.
    pub pw_valid: Signal<Out, Bit>,
    /// Queue, flow, or word of a profile.
    pub index: Signal<Out, Bits<F>>,
    /// Data of the write.
    pub data: Signal<Out, Bits<32>>,
    /// Nothing of a flow is sent.
    pub stop: Signal<Out, Bit>,
    /// Paused priorities.
    pub pause: Signal<Out, Bits<8>>,
    /// Word of the mailbox.
    pub mail: Signal<In, Bits<32>>,
    /// The mailbox is read at this clock.
    pub mail_taken: Signal<Out, Bit>,
    axil: Axil,
    busy: DFF<Bit>,
    act: DFF<Bit>,
    waits: DFF<Bit>,
    reply: DFF<Bit>,
    write: DFF<Bit>,
    error: DFF<Bit>,
    kind: DFF<Bits<3>>,
    at: DFF<Bits<F>>,
    word: DFF<Bits<32>>,
    /// All four bytes of a word are written, or it is read.
    whole: DFF<Bit>,
    read: DFF<Bits<32>>,
    stopped: DFF<Bit>,
    paused: DFF<Bits<8>>,
    /// Bits of an address below the kind.
    below: Const<Bits<5>>,
    above: Signal<Local, Bits<24>>,
    is_channel: Signal<Local, Bit>,
    is_mail: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    is_control: Signal<Local, Bit>,
}

impl<const F: usize, const N: usize> Window<F, N> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(N == F + 2 && F >= 9 && F + 5 <= 24, "widths of the window of 2^{F} queues");
        Self { below: Const::new(bits::<5>(N as u64)), ..Default::default() }
    }
}

impl<const F: usize, const N: usize> Logic for Window<F, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, busy, act, waits, reply, write, error, kind, at, word, whole, read, stopped, paused);
        self.axil.clk.next = self.clk.val();
        self.axil.rst.next = self.rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.axil.s_axil);

        // An access is taken, acted on at the next clock, and replied to at the one after it or
        // when its channel answers.
        self.act.d.next = false;
        self.reply.d.next = false;
        self.above.next = self.axil.request_address.val() >> self.below.val();
        if self.axil.request.val() & !self.busy.q.val() {
            self.busy.d.next = true;
            self.act.d.next = true;
            self.write.d.next = self.axil.request_write.val();
            self.kind.d.next = self.above.val().get_bits::<3>(0);
            self.at.d.next = self.axil.request_address.val().get_bits::<F>(2);
            self.word.d.next = self.axil.request_data.val();
            self.whole.d.next = self.axil.request_whole.val() | !self.axil.request_write.val();
        }
        self.is_channel.next = (self.kind.q.val() == bits::<3>(0)) & self.whole.q.val();
        self.is_mail.next = (self.kind.q.val() == bits::<3>(6)) & !self.write.q.val() & !self.at.q.val().any();
        self.is_control.next = (self.kind.q.val() == bits::<3>(5)) & !self.at.q.val().any();
        self.writes.next = self.act.q.val() & self.write.q.val() & self.whole.q.val();
        if self.act.q.val() {
            self.reply.d.next = !self.is_channel.val();
            self.waits.d.next = self.is_channel.val();
            self.error.d.next = !self.is_channel.val()
                & !self.is_mail.val()
                & !(self.writes.val()
                    & ((self.kind.q.val() == bits::<3>(1))
                        | (self.kind.q.val() == bits::<3>(2))
                        | (self.kind.q.val() == bits::<3>(3))
                        | (self.kind.q.val() == bits::<3>(4))
                        | self.is_control.val()));
            self.read.d.next = bits::<32>(0);
            if self.is_mail.val() {
                self.read.d.next = self.mail.val();
            }
        }
        if self.waits.q.val() & self.answer_valid.val() {
            self.waits.d.next = false;
            self.reply.d.next = true;
            self.read.d.next = bit_cast::<32, 1>(self.answer_flags.val().get_bits::<1>(0))
                | (bit_cast::<32, 1>(self.answer_flags.val().get_bits::<1>(1)) << 16)
                | (bit_cast::<32, 1>(self.answer_flags.val().get_bits::<1>(2)) << 24)
                | (bit_cast::<32, 1>(self.answer_flags.val().get_bits::<1>(3)) << 25);
        }
        if self.reply.q.val() {
            self.busy.d.next = false;
        }
        self.axil.reply.next = self.reply.q.val();
        self.axil.reply_write.next = self.write.q.val();
        self.axil.reply_error.next = self.error.q.val();
        self.axil.reply_data.next = self.read.q.val();
        if self.writes.val() & self.is_control.val() {
            self.stopped.d.next = self.word.q.val().get_bit(0);
            self.paused.d.next = self.word.q.val().get_bits::<8>(8);
        }

        self.channel_valid.next = self.act.q.val() & self.is_channel.val();
        self.channel_write.next = self.write.q.val();
        self.rate_valid.next = self.writes.val() & (self.kind.q.val() == bits::<3>(1));
        self.release_valid.next = self.writes.val() & (self.kind.q.val() == bits::<3>(2));
        self.load_valid.next = self.writes.val() & (self.kind.q.val() == bits::<3>(3));
        self.pw_valid.next = self.writes.val() & (self.kind.q.val() == bits::<3>(4));
        self.index.next = self.at.q.val();
        self.data.next = self.word.q.val();
        self.stop.next = self.stopped.q.val();
        self.pause.next = self.paused.q.val();
        self.mail_taken.next = self.act.q.val() & self.is_mail.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.act.d.next = false;
            self.waits.d.next = false;
            self.reply.d.next = false;
            self.stopped.d.next = false;
            self.paused.d.next = bits::<8>(0);
        }
    }
}
