//! Configuration bridge between the control half and a scheduler, by the registers of the NIC that
//! both are in.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::kept::Kept;
use crate::bus::{AxilWordMaster, FlowLoadIn, FlowPulseOut, ProfileWriteIn, RateIn, ReleaseIn};
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::scheduler::courier::{POLL, TRIES};
use timely_regs::corundum::{Kind, MAIL_FLOW, MAIL_GRANTS, MAIL_REFUSED, MAIL_SIGN, MAIL_SWEPT, MAIL_WHAT, SIGN};
use timely_regs::counters::Counter;
use timely_regs::profile::{IDLE_NS, OUTSTANDING, TOKEN_CAP, USE_WINDOW};

// A kernel takes literals alone.
const _: () = assert!(MAIL_FLOW.low == 0 && MAIL_WHAT.low == 16 && MAIL_SWEPT.low == 18 && MAIL_REFUSED.low == 19 && MAIL_GRANTS.low == 20);
const _: () =
    assert!(MAIL_SIGN.low == 28 && SIGN == 5 && POLL == 31 && Counter::Grants as u32 == 20 && Counter::DoorbellsRefused as u32 == 21);
const _: () = assert!(TRIES == 8 && OUTSTANDING.word == 1 && IDLE_NS.word == 3 && TOKEN_CAP.word == 4 && USE_WINDOW.word == 30);

/// AXI-Lite master that writes rates, releases, loads, words of profiles, pauses and stops into a
/// scheduler's window, and reads its mailbox (`timely_regs::corundum`). `S` must be `F + 1`, `R`
/// `F + 32`.
///
/// Of each flow the newest rate and load and the sum of the releases are kept until they are
/// carried, so nothing is lost however slow the bus is: 512 rates, releases and words of profiles,
/// and 32 loads, may come at once. Carried are: a pause or stop that changed, words of profiles
/// that the pacer reads, then flow by flow its load, its rate, its releases. The mailbox is read
/// again at once when it had something, else 32 clocks later. A write that the bus refuses is begun
/// again, 8 times in all; then it is given up, and the pause and stop are written, again and again
/// if need be, before anything else is.
///
/// Latency: 16 clocks from a rate to the bus if nothing else waits. Throughput: a write and a read
/// at a time, as the bus answers. Back pressure: none. Model:
/// `timely_model::scheduler::courier::Courier`.
#[derive(LogicBlock, Default)]
pub struct Courier<const F: usize, const S: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The scheduler's window, as the master sees it.
    pub base: Signal<In, Bits<24>>,
    /// Accesses may begin.
    pub enable: Signal<In, Bit>,
    /// Rates.
    pub rate: RateIn<F>,
    /// Bytes that are outstanding no more.
    pub release: ReleaseIn<F>,
    /// Loads of flows.
    pub fl: FlowLoadIn<F>,
    /// The profile bus.
    pub pw: ProfileWriteIn,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// No flow may send.
    pub stop: Signal<In, Bit>,
    /// The NIC's own registers.
    pub m_axil: AxilWordMaster<24>,
    /// Flows that start after their idle time.
    pub idle: FlowPulseOut<F>,
    /// A flow's limited state changed.
    pub limited_valid: Signal<Out, Bit>,
    pub limited_flow: Signal<Out, Bits<F>>,
    /// The flow is limited.
    pub limited: Signal<Out, Bit>,
    /// Counted events, by `timely_regs::counters`: grants, and doorbells refused.
    pub pulses: Signal<Out, Bits<32>>,
    /// The scheduler's RAM and ours are clear.
    pub swept: Signal<Out, Bit>,
    /// A write was refused to the last, a read was refused, or no scheduler of ours answered.
    pub failed: Signal<Out, Bit>,
    kept: Kept<F, S>,
    rates: Fifo<R, 9, 10>,
    releases: Fifo<R, 9, 10>,
    loads: Fifo<R, 5, 6>,
    // Data 32, word 5, profile 4.
    words: Fifo<41, 9, 10>,
    /// Flows of which something is kept.
    flows: Fifo<F, F, S>,
    /// A flow is being taken.
    taking: DFF<Bit>,
    held: DFF<Bits<F>>,
    held_load: DFF<Bit>,
    held_rate: DFF<Bit>,
    load_is: DFF<Bits<32>>,
    rate_is: DFF<Bits<32>>,
    release_is: DFF<Bits<32>>,
    told: DFF<Bit>,
    told_stop: DFF<Bit>,
    told_pause: DFF<Bits<8>>,
    aw: DFF<Bit>,
    w: DFF<Bit>,
    b: DFF<Bit>,
    address: DFF<Bits<24>>,
    data: DFF<Bits<32>>,
    ar: DFF<Bit>,
    r: DFF<Bit>,
    poll: DFF<Bits<5>>,
    answer: DFF<Bits<32>>,
    answered: DFF<Bit>,
    bad: DFF<Bit>,
    /// Times that the write was refused.
    tries: DFF<Bits<3>>,
    refused: DFF<Bit>,
    grants: DFF<Bits<16>>,
    refusal: DFF<Bit>,
    up: DFF<Bit>,
    is_idle: DFF<Bit>,
    is_limited: DFF<Bit>,
    said: DFF<Bits<F>>,
    limit: DFF<Bit>,
    free: Signal<Local, Bit>,
    differs: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    offset: Signal<Local, Bits<24>>,
    value: Signal<Local, Bits<32>>,
    takes_word: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    word: Signal<Local, Bits<41>>,
    op: Signal<Local, Bits<R>>,
    good: Signal<Local, Bit>,
    more: Signal<Local, Bits<8>>,
    take: Signal<Local, Bit>,
    at_rate: Const<Bits<24>>,
    at_release: Const<Bits<24>>,
    at_load: Const<Bits<24>>,
    at_profile: Const<Bits<24>>,
    at_control: Const<Bits<24>>,
    at_mail: Const<Bits<24>>,
    mail_at: DFF<Bits<24>>,
}

impl<const F: usize, const S: usize, const R: usize> Courier<F, S, R> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(S == F + 1 && R == F + 32 && (9..=16).contains(&F), "widths of a courier of 2^{F} flows");
        let at = |kind: Kind| Const::new(bits::<24>(kind.address(F, 0).into()));
        Self {
            at_rate: at(Kind::Rate),
            at_release: at(Kind::Release),
            at_load: at(Kind::Load),
            at_profile: at(Kind::Profile),
            at_control: at(Kind::Control),
            at_mail: at(Kind::Mail),
            ..Default::default()
        }
    }
}

impl<const F: usize, const S: usize, const R: usize> Logic for Courier<F, S, R> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, taking, held, held_load, held_rate, load_is, rate_is, release_is, told, told_stop, told_pause, aw, w, b, address,
            data, ar, r
        );
        dff_setup!(self, clk, poll, answer, answered, bad, tries, refused, grants, refusal, up, is_idle, is_limited, said, limit, mail_at);
        self.kept.clk.next = self.clk.val();
        self.kept.rst.next = self.rst.val();
        self.rates.clk.next = self.clk.val();
        self.rates.rst.next = self.rst.val();
        self.releases.clk.next = self.clk.val();
        self.releases.rst.next = self.rst.val();
        self.loads.clk.next = self.clk.val();
        self.loads.rst.next = self.rst.val();
        self.words.clk.next = self.clk.val();
        self.words.rst.next = self.rst.val();
        self.flows.clk.next = self.clk.val();
        self.flows.rst.next = self.rst.val();

        // Inputs.
        self.rates.i_valid.next = self.rate.valid.val();
        self.rates.i_data.next = bit_cast::<R, 32>(self.rate.value.val()) | (bit_cast::<R, F>(self.rate.flow.val()) << 32);
        self.releases.i_valid.next = self.release.valid.val();
        self.releases.i_data.next = bit_cast::<R, 32>(self.release.bytes.val()) | (bit_cast::<R, F>(self.release.flow.val()) << 32);
        self.loads.i_valid.next = self.fl.valid.val();
        // Without the bits 2 and 3: endless and READ.
        self.loads.i_data.next = bit_cast::<R, 2>(self.fl.record.val().get_bits::<2>(0))
            | (bit_cast::<R, 9>(self.fl.record.val().get_bits::<9>(4)) << 4)
            | (bit_cast::<R, 14>(self.fl.record.val().get_bits::<14>(32)) << 16)
            | (bit_cast::<R, F>(self.fl.flow.val()) << 32);
        self.wanted.next = (self.pw.word.val() == bits::<5>(1))
            | (self.pw.word.val() == bits::<5>(3))
            | (self.pw.word.val() == bits::<5>(4))
            | (self.pw.word.val() == bits::<5>(30));
        self.words.i_valid.next = self.pw.valid.val() & self.wanted.val();
        self.words.i_data.next = bit_cast::<41, 32>(self.pw.data.val())
            | (bit_cast::<41, 5>(self.pw.word.val()) << 32)
            | (bit_cast::<41, 4>(self.pw.profile.val()) << 37);

        // One operation a clock: releases, rates, loads when neither waits, then a flow to be
        // carried.
        self.holds.next = self.held_load.q.val() | self.held_rate.q.val() | self.release_is.q.val().any();
        self.take.next = self.kept.swept.val()
            & !self.releases.o_valid.val()
            & !self.rates.o_valid.val()
            & !self.loads.o_valid.val()
            & self.flows.o_valid.val()
            & !self.taking.q.val()
            & !self.holds.val();
        self.kept.op_valid.next =
            self.kept.swept.val() & (self.releases.o_valid.val() | self.rates.o_valid.val() | self.loads.o_valid.val() | self.take.val());
        self.op.next = self.loads.o_data.val();
        self.kept.op_kind.next = bits::<2>(3);
        if self.releases.o_valid.val() {
            self.op.next = self.releases.o_data.val();
            self.kept.op_kind.next = bits::<2>(2);
        } else if self.rates.o_valid.val() {
            self.op.next = self.rates.o_data.val();
            self.kept.op_kind.next = bits::<2>(1);
        }
        self.kept.op_flow.next = self.op.val().get_bits::<F>(32);
        self.kept.op_data.next = self.op.val().get_bits::<32>(0);
        if self.take.val() {
            self.kept.op_kind.next = bits::<2>(0);
            self.kept.op_flow.next = self.flows.o_data.val();
        }
        self.releases.o_ready.next = self.kept.swept.val();
        self.rates.o_ready.next = self.kept.swept.val() & !self.releases.o_valid.val();
        self.loads.o_ready.next = self.kept.swept.val() & !self.releases.o_valid.val() & !self.rates.o_valid.val();
        self.flows.o_ready.next = self.take.val();
        self.flows.i_valid.next = self.kept.new_valid.val();
        self.flows.i_data.next = self.kept.flow.val();
        if self.take.val() {
            self.taking.d.next = true;
        }

        // Choice of the next write.
        self.free.next = self.enable.val() & !self.aw.q.val() & !self.w.q.val() & !self.b.q.val();
        self.differs.next = !self.told.q.val() | (self.told_stop.q.val() ^ self.stop.val()) | (self.told_pause.q.val() != self.pause.val());
        self.takes_word.next = self.free.val() & !self.differs.val() & self.words.o_valid.val();
        self.words.o_ready.next = self.takes_word.val();
        self.word.next = self.words.o_data.val();
        self.begins.next = self.free.val() & (self.differs.val() | self.words.o_valid.val() | self.holds.val());
        self.offset.next = self.at_release.val() | (bit_cast::<24, F>(self.held.q.val()) << 2);
        self.value.next = self.release_is.q.val();
        if self.differs.val() {
            self.offset.next = self.at_control.val();
            self.value.next = bit_cast::<32, 1>(self.stop.val().into()) | (bit_cast::<32, 8>(self.pause.val()) << 8);
            if self.free.val() {
                self.told.d.next = true;
                self.told_stop.d.next = self.stop.val();
                self.told_pause.d.next = self.pause.val();
            }
        } else if self.words.o_valid.val() {
            self.offset.next = self.at_profile.val() | (bit_cast::<24, 9>(self.word.val().get_bits::<9>(32)) << 2);
            self.value.next = self.word.val().get_bits::<32>(0);
        } else if self.held_load.q.val() {
            self.offset.next = self.at_load.val() | (bit_cast::<24, F>(self.held.q.val()) << 2);
            self.value.next = self.load_is.q.val();
            if self.free.val() {
                self.held_load.d.next = false;
            }
        } else if self.held_rate.q.val() {
            self.offset.next = self.at_rate.val() | (bit_cast::<24, F>(self.held.q.val()) << 2);
            self.value.next = self.rate_is.q.val();
            if self.free.val() {
                self.held_rate.d.next = false;
            }
        } else if self.free.val() {
            self.release_is.d.next = bits::<32>(0);
        }
        if self.kept.taken.val() {
            self.taking.d.next = false;
            self.held.d.next = self.kept.flow.val();
            self.held_load.d.next = self.kept.load_valid.val();
            self.held_rate.d.next = self.kept.rate_valid.val();
            self.load_is.d.next = self.kept.load.val();
            self.rate_is.d.next = self.kept.rate.val();
            self.release_is.d.next = self.kept.freed.val();
        }
        // A write.
        if self.m_axil.awready.val() {
            self.aw.d.next = false;
        }
        if self.m_axil.wready.val() {
            self.w.d.next = false;
        }
        self.again.next = self.b.q.val() & self.m_axil.bvalid.val() & self.m_axil.bresp.val().any() & !self.tries.q.val().all();
        self.lost.next = self.b.q.val() & self.m_axil.bvalid.val() & self.m_axil.bresp.val().any() & self.tries.q.val().all();
        if self.m_axil.bvalid.val() & self.b.q.val() {
            self.b.d.next = false;
            self.tries.d.next = bits::<3>(0);
        }
        if self.again.val() {
            self.aw.d.next = true;
            self.w.d.next = true;
            self.b.d.next = true;
            self.tries.d.next = self.tries.q.val() + bits::<3>(1);
        }
        // Nothing else is tried before a stop or pause that is taken.
        if self.lost.val() {
            self.told.d.next = false;
        }
        if self.begins.val() {
            self.aw.d.next = true;
            self.w.d.next = true;
            self.b.d.next = true;
            self.address.d.next = self.base.val() + self.offset.val();
            self.data.d.next = self.value.val();
        }
        self.refused.d.next = self.lost.val();
        self.m_axil.awaddr.next = self.address.q.val();
        self.m_axil.awvalid.next = self.aw.q.val();
        self.m_axil.wdata.next = self.data.q.val();
        self.m_axil.wvalid.next = self.w.q.val();
        self.m_axil.bready.next = self.b.q.val();

        // The mailbox is read.
        self.mail_at.d.next = self.base.val() + self.at_mail.val();
        if !self.poll.q.val().all() {
            self.poll.d.next = self.poll.q.val() + bits::<5>(1);
        }
        if self.enable.val() & !self.r.q.val() & !self.answered.q.val() & self.poll.q.val().all() {
            self.ar.d.next = true;
            self.r.d.next = true;
        }
        if self.ar.q.val() & self.m_axil.arready.val() {
            self.ar.d.next = false;
        }
        self.answered.d.next = false;
        if self.r.q.val() & self.m_axil.rvalid.val() {
            self.r.d.next = false;
            self.answered.d.next = true;
            self.answer.d.next = self.m_axil.rdata.val();
            self.bad.d.next = self.m_axil.rresp.val().any();
        }
        self.m_axil.araddr.next = self.mail_at.q.val();
        self.m_axil.arvalid.next = self.ar.q.val();
        self.m_axil.rready.next = self.r.q.val();
        // The mailbox's word.
        self.good.next = !self.bad.q.val() & (self.answer.q.val().get_bits::<4>(28) == bits::<4>(5));
        self.is_idle.d.next = false;
        self.is_limited.d.next = false;
        self.said.d.next = self.answer.q.val().get_bits::<F>(0);
        self.limit.d.next = self.answer.q.val().get_bit(16);
        self.more.next = bits::<8>(0);
        if self.answered.q.val() {
            self.up.d.next = self.good.val() & self.answer.q.val().get_bit(18);
            if self.good.val() {
                self.is_idle.d.next = !self.answer.q.val().get_bit(17) & self.answer.q.val().get_bit(16);
                self.is_limited.d.next = self.answer.q.val().get_bit(17);
                self.more.next = self.answer.q.val().get_bits::<8>(20);
            }
            if !self.good.val() | !self.answer.q.val().get_bits::<2>(16).any() {
                self.poll.d.next = bits::<5>(0);
            }
        }
        self.grants.d.next = self.grants.q.val() + bit_cast::<16, 8>(self.more.val());
        if self.grants.q.val().any() {
            self.grants.d.next = self.grants.q.val() + bit_cast::<16, 8>(self.more.val()) - bits::<16>(1);
        }
        self.refusal.d.next = self.answered.q.val() & self.good.val() & self.answer.q.val().get_bit(19);
        self.failed.next = self.refused.q.val() | (self.answered.q.val() & !self.good.val());
        self.idle.valid.next = self.is_idle.q.val();
        self.idle.flow.next = self.said.q.val();
        self.limited_valid.next = self.is_limited.q.val();
        self.limited_flow.next = self.said.q.val();
        self.limited.next = self.limit.q.val();
        self.pulses.next =
            (bit_cast::<32, 1>(self.grants.q.val().any().into()) << 20) | (bit_cast::<32, 1>(self.refusal.q.val().into()) << 21);
        self.swept.next = self.up.q.val() & self.kept.swept.val();
        if self.rst.val() {
            self.taking.d.next = false;
            self.held_load.d.next = false;
            self.held_rate.d.next = false;
            self.release_is.d.next = bits::<32>(0);
            self.told.d.next = false;
            self.aw.d.next = false;
            self.w.d.next = false;
            self.b.d.next = false;
            self.ar.d.next = false;
            self.r.d.next = false;
            self.poll.d.next = bits::<5>(0);
            self.answered.d.next = false;
            self.tries.d.next = bits::<3>(0);
            self.refused.d.next = false;
            self.grants.d.next = bits::<16>(0);
            self.refusal.d.next = false;
            self.up.d.next = false;
            self.is_idle.d.next = false;
            self.is_limited.d.next = false;
        }
    }
}
