//! Answers, and timed packets that get none.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{AnswerKind, DoneWord, SentWord, TimedStart};
use crate::bus::{PairAnswerIn, ProfileWriteIn, SampleOut};
use crate::constant::Const;
use crate::flow_ram::FlowRam;
use crate::rtt::offer::Offer;
use crate::rtt::profiles::Profiles;
use crate::rtt::words::{Settings, Span};
use rust_hdl::prelude::*;
use timely_model::bus::RTT_MAX;

/// Words of flows that answers write, and the samples; an operation a clock, answers first.
///
/// Clock 0: the RAMs are addressed. 2: compared and subtracted. 3: decided. 4: sample and pulses
/// stand.
#[derive(LogicBlock, Default)]
pub(super) struct Answers<const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this flow; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    pub sweep_flow: Signal<In, Bits<F>>,
    pub answer: PairAnswerIn<F>,
    /// Words that requests write.
    pub sent_writes: Signal<In, Bit>,
    pub sent_flow: Signal<In, Bits<F>>,
    pub sent_word: Signal<In, SentWord>,
    /// The start of a flow's timing.
    pub start_valid: Signal<In, Bit>,
    pub start_flow: Signal<In, Bits<F>>,
    pub start: Signal<In, TimedStart>,
    /// A flow is loaded, and with `forget` its timing gets no sample.
    pub flow_valid: Signal<In, Bit>,
    pub flow_index: Signal<In, Bits<F>>,
    pub flow_settings: Signal<In, Settings>,
    pub forget: Signal<In, Bit>,
    /// A flow was joined; its timing gets no sample either.
    pub joined_valid: Signal<In, Bit>,
    pub joined_flow: Signal<In, Bits<F>>,
    pub pw: ProfileWriteIn,
    /// Time that time-outs count on, ns48.fns16, and steps of the one that stamps are of.
    pub now: Signal<In, Bits<64>>,
    pub time_epoch: Signal<In, Bits<2>>,
    pub sample: SampleOut<F>,
    /// Clock 4: what is counted.
    pub unstamped: Signal<Out, Bit>,
    pub across: Signal<Out, Bit>,
    pub unsure: Signal<Out, Bit>,
    pub not_ready: Signal<Out, Bit>,
    pub stray: Signal<Out, Bit>,
    pub timed_out: Signal<Out, Bit>,
    pub nak: Signal<Out, Bit>,
    /// Words that answers write.
    pub writes: Signal<Out, Bit>,
    pub write_flow: Signal<Out, Bits<F>>,
    pub write_word: Signal<Out, DoneWord>,
    words: FlowRam<DoneWord, F>,
    sents: RAM<SentWord, F>,
    starts: RAM<TimedStart, F>,
    settings: RAM<Settings, F>,
    /// When a flow's newest answer entered, units of 32 ns.
    lasts: RAM<Bits<27>, F>,
    profiles: Profiles,
    offer: Offer<F>,
    has_joined: DFF<Bit>,
    at_joined: DFF<Bits<F>>,
    no_sent: Const<SentWord>,
    no_start: Const<TimedStart>,
    no_kind: Const<AnswerKind>,
    most: Const<Bits<24>>,
    on0: Signal<Local, Bit>,
    kind0: Signal<Local, AnswerKind>,
    flow0: Signal<Local, Bits<F>>,
    time0: Signal<Local, Bits<64>>,
    // Index k is the register of clock k + 1.
    kind: [DFF<AnswerKind>; 3],
    flow: [DFF<Bits<F>>; 4],
    arrived: DFF<Bits<40>>,
    moment: [DFF<Bits<32>>; 3],
    psn: [DFF<Bits<24>>; 2],
    entered: [DFF<Bits<27>>; 3],
    bytes: DFF<Bits<16>>,
    size: [DFF<Bits<3>>; 2],
    rounded: DFF<Bits<40>>,
    // Clock 2.
    sent_out: DFF<SentWord>,
    start_out: DFF<TimedStart>,
    settings_out: DFF<Settings>,
    last_out: DFF<Bits<27>>,
    sent2: Signal<Local, SentWord>,
    start2: Signal<Local, TimedStart>,
    settings2: Signal<Local, Settings>,
    offset: Signal<Local, Bits<24>>,
    beyond: Signal<Local, Bits<24>>,
    // Clock 3.
    far: DFF<Bit>,
    covers: DFF<Bit>,
    elapsed: DFF<Bits<27>>,
    silent: DFF<Bits<27>>,
    number: DFF<Bits<4>>,
    /// A request was seen since the load.
    known: DFF<Bit>,
    doubts: DFF<Bit>,
    replaced: DFF<Bit>,
    connection: DFF<Bit>,
    stamped: DFF<Bit>,
    epoch: DFF<Bits<2>>,
    enable: DFF<Bit>,
    diff: DFF<Span>,
    kind3: Signal<Local, AnswerKind>,
    old: Signal<Local, DoneWord>,
    updated: Signal<Local, DoneWord>,
    timing: Signal<Local, Bit>,
    heard: Signal<Local, Bit>,
    /// There was an answer before, of this connection.
    knows: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    measures: Signal<Local, Bit>,
    bound: Signal<Local, Bits<27>>,
    /// The time-out is over; at a turn; no answer came for as long.
    passed: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    late3: Signal<Local, Bit>,
    unsure3: Signal<Local, Bit>,
    expires: Signal<Local, Bit>,
    naks: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    span: Signal<Local, Span>,
    // Clock 4.
    s_valid: DFF<Bit>,
    s_expired: DFF<Bit>,
    s_rtt: DFF<Bits<24>>,
    s_longest: DFF<Bit>,
    s_time: DFF<Bits<32>>,
    n_valid: DFF<Bit>,
    /// The NAK is told to the engine.
    tells: DFF<Bit>,
    k_unstamped: DFF<Bit>,
    k_across: DFF<Bit>,
    k_unsure: DFF<Bit>,
    k_not_ready: DFF<Bit>,
    k_stray: DFF<Bit>,
}

impl<const F: usize> Answers<F> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        Self {
            words: FlowRam::new(),
            profiles: Profiles::new(),
            offer: Offer::new(),
            no_sent: Const::new(SentWord::default()),
            no_start: Const::new(TimedStart::default()),
            no_kind: Const::new(AnswerKind::default()),
            most: Const::new(bits::<24>(RTT_MAX.into())),
            ..Default::default()
        }
    }
}

impl<const F: usize> Logic for Answers<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            bytes,
            rounded,
            sent_out,
            start_out,
            settings_out,
            last_out,
            silent,
            has_joined,
            at_joined,
            far,
            covers,
            elapsed,
            number,
            doubts,
            replaced,
            connection,
            stamped,
            epoch,
            enable
        );
        dff_setup!(
            self,
            clk,
            arrived,
            diff,
            s_valid,
            s_expired,
            s_rtt,
            s_longest,
            s_time,
            n_valid,
            tells,
            known,
            k_unstamped,
            k_across,
            k_unsure,
            k_not_ready,
            k_stray
        );
        for i in 0..3 {
            self.kind[i].clock.next = self.clk.val();
            self.moment[i].clock.next = self.clk.val();
            self.entered[i].clock.next = self.clk.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..4 {
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.psn[i].clock.next = self.clk.val();
            self.size[i].clock.next = self.clk.val();
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.moment[i + 1].d.next = self.moment[i].q.val();
        }
        self.psn[1].d.next = self.psn[0].q.val();
        self.entered[1].d.next = self.entered[0].q.val();
        self.entered[2].d.next = self.entered[1].q.val();
        self.words.clk.next = self.clk.val();
        self.words.rst.next = self.rst.val();
        self.words.sweep.next = self.sweep.val();
        self.words.sweep_flow.next = self.sweep_flow.val();
        self.profiles.clk.next = self.clk.val();
        self.profiles.sweep.next = self.sweep.val();
        self.profiles.sweep_at.next = self.sweep_flow.val().get_bits::<4>(0);
        ProfileWriteIn::link(&mut self.pw, &mut self.profiles.pw);
        self.offer.clk.next = self.clk.val();
        self.offer.rst.next = self.rst.val();
        self.offer.sweep.next = self.sweep.val();
        // A flow that was joined goes at a clock without an answer: it takes no load's place.
        self.offer.load_valid.next = self.forget.val() | (self.has_joined.q.val() & !self.answer.valid.val());
        self.offer.load_flow.next = self.at_joined.q.val();
        self.has_joined.d.next = self.has_joined.q.val() & self.answer.valid.val();
        if self.forget.val() {
            self.offer.load_flow.next = self.flow_index.val();
            self.has_joined.d.next = self.has_joined.q.val();
        }
        if self.joined_valid.val() {
            self.has_joined.d.next = true;
            self.at_joined.d.next = self.joined_flow.val();
        }
        self.offer.waiting_valid.next = false;
        self.offer.waiting.next = bits::<114>(0).into();
        self.sents.read_clock.next = self.clk.val();
        self.sents.write_clock.next = self.clk.val();
        self.starts.read_clock.next = self.clk.val();
        self.starts.write_clock.next = self.clk.val();
        self.settings.read_clock.next = self.clk.val();
        self.settings.write_clock.next = self.clk.val();
        self.lasts.read_clock.next = self.clk.val();
        self.lasts.write_clock.next = self.clk.val();

        // 0: an answer, or else what is offered.
        self.on0.next = self.answer.valid.val() & !self.sweep.val();
        self.offer.take.next = !self.on0.val();
        self.kind0.next.ack = self.on0.val() & (self.answer.verb.val() == bits::<2>(0));
        self.kind0.next.nak = self.on0.val() & (self.answer.verb.val() == bits::<2>(1));
        self.kind0.next.not_ready = self.on0.val() & (self.answer.verb.val() == bits::<2>(2));
        self.kind0.next.response = self.on0.val() & (self.answer.verb.val() == bits::<2>(3));
        self.kind0.next.forget = self.offer.load.val() & !self.on0.val();
        self.kind0.next.turn = self.offer.turn.val() & !self.on0.val();
        self.flow0.next = self.offer.flow.val();
        self.time0.next = self.now.val();
        if self.on0.val() {
            self.flow0.next = self.answer.flow.val();
            self.time0.next = self.answer.ts.val();
        }
        self.words.valid.next = self.on0.val() | self.offer.any.val();
        self.words.flow.next = self.flow0.val();
        self.sents.read_address.next = self.flow0.val();
        self.starts.read_address.next = self.flow0.val();
        self.settings.read_address.next = self.flow0.val();
        self.lasts.read_address.next = self.flow0.val();
        self.kind[0].d.next = self.kind0.val();
        self.flow[0].d.next = self.flow0.val();
        self.arrived.d.next = self.time0.val().get_bits::<40>(8);
        self.moment[0].d.next = self.now.val().get_bits::<32>(16);
        self.psn[0].d.next = self.answer.psn.val();
        self.bytes.d.next = self.answer.bytes.val();
        self.entered[0].d.next = self.now.val().get_bits::<27>(21);

        // 1
        self.rounded.d.next = self.arrived.q.val() + bits::<40>(128);
        self.size[0].d.next = bits::<3>(1);
        if self.bytes.q.val() > bits::<16>(2048) {
            self.size[0].d.next = bits::<3>(5);
        } else if self.bytes.q.val() > bits::<16>(1024) {
            self.size[0].d.next = bits::<3>(4);
        } else if self.bytes.q.val() > bits::<16>(512) {
            self.size[0].d.next = bits::<3>(3);
        } else if self.bytes.q.val() > bits::<16>(256) {
            self.size[0].d.next = bits::<3>(2);
        }
        self.sent_out.d.next = self.sents.read_data.val();
        self.start_out.d.next = self.starts.read_data.val();
        self.settings_out.d.next = self.settings.read_data.val();
        self.last_out.d.next = self.lasts.read_data.val();

        // 2
        self.size[1].d.next = self.size[0].q.val();
        self.sent2.next = self.sent_out.q.val();
        self.start2.next = self.start_out.q.val();
        self.settings2.next = self.settings_out.q.val();
        self.offset.next = self.sent2.val().newest - self.psn[1].q.val();
        self.beyond.next = self.psn[1].q.val() - self.sent2.val().timed;
        self.far.d.next = self.offset.val().get_bits::<6>(18).any();
        self.covers.d.next = !self.beyond.val().get_bit(23);
        self.elapsed.d.next = self.entered[1].q.val() - self.sent2.val().since;
        self.silent.d.next = self.entered[1].q.val() - self.last_out.q.val();
        self.number.d.next = self.sent2.val().timing;
        self.known.d.next = self.sent2.val().known;
        self.doubts.d.next = self.sent2.val().unsure;
        self.replaced.d.next = self.sent2.val().replaced;
        self.connection.d.next = self.sent2.val().connection;
        self.stamped.d.next = self.start2.val().valid & (self.start2.val().timing == self.sent2.val().timing);
        self.epoch.d.next = self.start2.val().epoch;
        self.diff.d.next = (self.rounded.q.val() - self.start2.val().at).into();
        self.enable.d.next = self.settings2.val().enable;
        self.profiles.profile.next = self.settings2.val().profile;

        // 3: decided.
        self.kind3.next = self.kind[2].q.val();
        self.old.next = self.words.word.val();
        self.timing.next = self.number.q.val() != self.old.val().timing;
        self.knows.next = self.old.val().heard & !(self.old.val().connection ^ self.connection.q.val());
        self.heard.next = ((self.kind3.val().ack | self.kind3.val().response) | (self.kind3.val().nak | self.kind3.val().not_ready))
            & self.enable.q.val();
        self.answered.next = (((self.kind3.val().ack | self.kind3.val().response) & self.enable.q.val()) & !self.far.q.val())
            & (self.timing.val() & self.covers.q.val());
        self.ends.next = self.answered.val()
            | (((self.kind3.val().nak | self.kind3.val().not_ready) & self.enable.q.val()) & (!self.far.q.val() & self.timing.val()));
        self.bound.next = bit_cast::<27, 26>(self.profiles.timeout.val().get_bits::<26>(5));
        // Without a time-out what is longer than the longest RTT.
        self.passed.next = (self.profiles.times_out.val() & (self.elapsed.q.val() >= self.bound.val()))
            | (!self.profiles.times_out.val() & self.elapsed.q.val().get_bits::<8>(19).any());
        self.late3.next = self.old.val().late | self.passed.val();
        self.unsure3.next = self.doubts.q.val() | (self.late3.val() & (self.profiles.times_out.val() | self.replaced.q.val()));
        self.measures.next =
            ((self.answered.val() & !self.unsure3.val()) & self.stamped.q.val()) & (self.epoch.q.val() == self.time_epoch.val());
        self.over.next = ((self.kind3.val().turn & self.enable.q.val()) & self.timing.val()) & self.passed.val();
        self.quiet.next = (self.silent.q.val() >= self.bound.val()) & self.profiles.times_out.val();
        self.expires.next = self.over.val() & self.quiet.val();
        self.updated.next = self.old.val();
        if (self.ends.val() | self.expires.val()) | self.kind3.val().forget {
            self.updated.next.timing = self.number.q.val();
            self.updated.next.late = false;
        } else if self.over.val() {
            self.updated.next.late = true;
        }
        if ((self.kind3.val().response & self.enable.q.val()) & !self.far.q.val()) & (self.size[1].q.val() > self.old.val().mtu) {
            self.updated.next.mtu = self.size[1].q.val();
        }
        if self.heard.val() & !self.far.q.val() {
            self.updated.next.heard = true;
            self.updated.next.connection = self.connection.q.val();
        }
        if self.kind3.val().forget {
            self.updated.next.mtu = bits::<3>(0);
            self.updated.next.heard = false;
            self.updated.next.connection = false;
        }
        self.words.update.next = self.updated.val();
        self.span.next = self.diff.q.val();
        // Answers to a pair that is not joined find no flow: their absence tells nothing.
        self.naks.next = (self.kind3.val().nak & self.enable.q.val()) & !self.far.q.val();
        self.told.next = self.naks.val() & self.known.q.val();
        self.tells.d.next = self.told.val();
        self.s_valid.d.next = (self.measures.val() | self.told.val()) | (self.expires.val() & self.knows.val());
        self.s_expired.d.next = self.expires.val() & self.knows.val();
        self.s_rtt.d.next = self.span.val().ns;
        if self.span.val().negative {
            self.s_rtt.d.next = bits::<24>(0);
        } else if self.span.val().above.any() {
            self.s_rtt.d.next = self.most.val();
        }
        // Of a turn the time-out.
        self.s_longest.d.next = self.late3.val() | self.kind3.val().turn;
        self.s_time.d.next = self.moment[2].q.val();
        self.n_valid.d.next = self.naks.val();
        self.k_not_ready.d.next = (self.kind3.val().not_ready & self.enable.q.val()) & !self.far.q.val();
        self.k_stray.d.next = self.heard.val() & self.far.q.val();
        self.k_unsure.d.next = self.answered.val() & self.unsure3.val();
        self.k_unstamped.d.next = (self.answered.val() & !self.unsure3.val()) & !self.stamped.q.val();
        self.k_across.d.next =
            ((self.answered.val() & !self.unsure3.val()) & self.stamped.q.val()) & (self.epoch.q.val() != self.time_epoch.val());

        // 4
        self.sample.valid.next = self.s_valid.q.val();
        self.sample.kind.next = bit_cast::<2, 1>(self.s_expired.q.val().into()) | (bit_cast::<2, 1>(self.tells.q.val().into()) << 1);
        self.sample.flow.next = self.flow[3].q.val();
        self.sample.rtt_ns.next = self.s_rtt.q.val();
        if self.s_longest.q.val() {
            self.sample.rtt_ns.next = self.most.val();
        }
        if self.tells.q.val() {
            self.sample.rtt_ns.next = bits::<24>(0);
        }
        self.sample.now_ns.next = self.s_time.q.val();
        self.sample.hops.next = bits::<8>(0);
        self.sample.endpoint_ns.next = bits::<24>(0);
        self.sample.lost.next = bit_cast::<7, 1>(self.tells.q.val().into());
        self.nak.next = self.n_valid.q.val();
        self.unstamped.next = self.k_unstamped.q.val();
        self.across.next = self.k_across.q.val();
        self.unsure.next = self.k_unsure.q.val();
        self.not_ready.next = self.k_not_ready.q.val();
        self.stray.next = self.k_stray.q.val();
        self.timed_out.next = self.s_expired.q.val();
        self.writes.next = self.words.writes.val();
        self.write_flow.next = self.words.write_flow.val();
        self.write_word.next = self.words.write_word.val();
        self.sents.write_enable.next = self.sent_writes.val() | self.sweep.val();
        self.sents.write_address.next = self.sent_flow.val();
        self.sents.write_data.next = self.sent_word.val();
        self.starts.write_enable.next = self.start_valid.val() | self.sweep.val();
        self.starts.write_address.next = self.start_flow.val();
        self.starts.write_data.next = self.start.val();
        self.settings.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.settings.write_address.next = self.flow_index.val();
        self.settings.write_data.next = self.flow_settings.val();
        self.lasts.write_enable.next = self.heard.val() | self.sweep.val();
        self.lasts.write_address.next = self.flow[2].q.val();
        self.lasts.write_data.next = self.entered[2].q.val();
        if self.sweep.val() {
            self.sents.write_address.next = self.sweep_flow.val();
            self.sents.write_data.next = self.no_sent.val();
            self.starts.write_address.next = self.sweep_flow.val();
            self.starts.write_data.next = self.no_start.val();
            self.settings.write_address.next = self.sweep_flow.val();
            self.settings.write_data.next = bits::<5>(0).into();
            self.lasts.write_address.next = self.sweep_flow.val();
            self.lasts.write_data.next = bits::<27>(0);
        }
        if self.rst.val() {
            for i in 0..3 {
                self.kind[i].d.next = self.no_kind.val();
            }
            self.has_joined.d.next = false;
            self.s_valid.d.next = false;
            self.s_expired.d.next = false;
            self.n_valid.d.next = false;
            self.tells.d.next = false;
            self.k_unstamped.d.next = false;
            self.k_across.d.next = false;
            self.k_unsure.d.next = false;
            self.k_not_ready.d.next = false;
            self.k_stray.d.next = false;
        }
    }
}
