//! The in-line form whose flows are RoCEv2's queue pairs.
mod commands;
mod core;
mod emission;
mod entry;
mod exit;
mod notices;
mod words;

pub use core::PairInline;
pub use emission::{FLOW_BITS, Joint, pair_core};

use crate::bus::{
    AxisOut, CompletionIn, FlowLoadIn, FlowPulseOut, PairAskOut, PairCommandOut, PairFlowOut, PairFrameIn, PairLookIn, PairReplyOut,
    PairSourceOut, PairToldOut, ProfileWriteIn, StoreWriteIn,
};
use crate::constant::Const;
use crate::csr::SettingsBus;
use crate::fifo::Fifo;
use crate::roce::queue_pairs::{PairRules, QueuePairs};
use crate::roce::round_trips::RoundTrips;
use crate::roce::{Packet, Parse};
use commands::PairCommands;
use entry::PairEntry;
use exit::PairExit;
use notices::PairNotices;
use rust_hdl::prelude::*;
use timely_model::notifier::Pulse as MarkPulse;
use timely_model::queue_pairs::Pulse as TablePulse;
use timely_model::round_trips::Pulse;
use timely_regs::counters::Counter;
use timely_regs::map::roce::{OF_RULE, RULE};
use words::{AnswerInfo, Syndrome};

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(OF_RULE.low == 3);
const _: () = assert!(TablePulse::Learned as u32 == 0 && Counter::PairsLearned as u32 == 42 && Counter::PairsPostponed as u32 == 49);
const _: () = assert!(Pulse::Repeated as u32 == 0 && Counter::RequestsRepeated as u32 == 50 && Counter::RequestsRestarted as u32 == 51);
const _: () = assert!(Pulse::Unstamped as u32 == 2 && Counter::SamplesUnstamped as u32 == 35);
const _: () = assert!(Pulse::AcrossStep as u32 == 3 && Counter::SamplesAcrossStep as u32 == 34);
const _: () = assert!(Pulse::Unsure as u32 == 4 && Counter::SamplesUnsure as u32 == 52 && Counter::AnswersStray as u32 == 55);
const _: () = assert!(Pulse::TimedOut as u32 == 8 && Counter::SegmentTimeouts as u32 == 16);
const _: () =
    assert!(Counter::AnswersUnknown as u32 == 56 && Counter::CongestionNotified as u32 == 57 && Counter::PairsMalformed as u32 == 58);
const _: () = assert!(MarkPulse::Sent as u32 == 0 && MarkPulse::Postponed as u32 == 2 && Counter::NotificationsSent as u32 == 59);
const _: () = assert!(Counter::MarksUnknown as u32 == 60 && Counter::MarksPostponed as u32 == 61);

/// Table, round-trip times, notifications and the parser of the wire's frames: what queue pairs
/// give the control half and the wire. `W` bus bits, `K = W / 8`, `N = W / 64`, `F` flow bits, 6 to
/// 14, `B = F - 3`, `C = F + 1`, `Z = W / 16`.
///
/// An ACK, NAK or READ response finds its pair 27 clocks after its last beat, and gives its sample
/// 4 clocks later. A pair that is learned or set loads its flow, 2 clocks later on the flow bus.
/// The table is in reset while `CONTROL` is 0 and while a soft reset goes on. No back pressure.
/// Model: `timely_model::inline::pairs::Pairs`.
#[derive(LogicBlock, Default)]
pub struct Pairs<const W: usize, const K: usize, const N: usize, const F: usize, const B: usize, const C: usize, const Z: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs of the round-trip times are clear.
    pub swept: Signal<Out, Bit>,
    /// Frames of the wire, their stamp with each beat.
    pub rx_tdata: Signal<In, Bits<W>>,
    /// Bytes of the beat.
    pub rx_tkeep: Signal<In, Bits<K>>,
    /// A beat.
    pub rx_tvalid: Signal<In, Bit>,
    /// The last of its frame.
    pub rx_tlast: Signal<In, Bit>,
    /// Arrival, ns48.fns16.
    pub rx_ts: Signal<In, Bits<64>>,
    /// Pairs of the host's requests.
    pub looks: PairLookIn,
    /// DSCPs of these requests.
    pub looks_dscp: Signal<In, Bits<6>>,
    /// Flows of theirs.
    pub found: PairFlowOut<F>,
    /// Requests that leave.
    pub frame: PairFrameIn<F>,
    /// Departures.
    pub c: CompletionIn,
    /// Settings.
    pub settings: Signal<In, SettingsBus>,
    /// Registers that are written.
    pub st: StoreWriteIn,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// A soft reset is under way.
    pub clearing: Signal<In, Bit>,
    /// The steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Steps of the date, modulo 4.
    pub time_epoch: Signal<In, Bits<2>>,
    /// Steps of the date, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<In, Bits<2>>,
    /// To the control half.
    pub pairs: PairSourceOut<F>,
    /// Congestion notifications in the host's place.
    pub m: AxisOut<W, K>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<64>>,
    known: QueuePairs<F, B, C>,
    round_trips: RoundTrips<F>,
    commands: PairCommands<F>,
    rules: PairRules,
    at_rule: Const<Bits<10>>,
    shown: Signal<Local, Bits<8>>,
    parse: Parse<W, K, N>,
    notices: PairNotices<W, K, F, Z>,
    /// Packets from the wire whose pairs are looked up.
    asked: Fifo<111, 5, 6>,
    /// The table is in reset.
    held: DFF<Bit>,
    control: Signal<Local, Bits<9>>,
    packet: Signal<Local, Packet>,
    ip_class: Signal<Local, Bits<2>>,
    syndrome: Signal<Local, Syndrome>,
    kind: Signal<Local, Bits<2>>,
    asks: Signal<Local, Bit>,
    info: Signal<Local, AnswerInfo>,
    told: Signal<Local, AnswerInfo>,
    ends: Signal<Local, Bit>,
    notified: Signal<Local, Bit>,
    /// The flow's DCQCN reacts: to a CNP, or to a mark of what its READs bring.
    reacts: Signal<Local, Bit>,
    unknown: Signal<Local, Bit>,
    strange: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    tos: Signal<Local, Bits<8>>,
    is_data: Signal<Local, Bit>,
    is_response: Signal<Local, Bit>,
    /// The packet may draw a notification.
    draws: Signal<Local, Bit>,
    malformed: Signal<Local, Bit>,
    timing: Signal<Local, Bits<64>>,
    /// CNPs and packets that left, for the reaction block.
    notice_valid: DFF<Bit>,
    notice_flow: DFF<Bits<F>>,
    notice_marked: DFF<Bit>,
    notice_bytes: DFF<Bits<16>>,
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const B: usize, const C: usize, const Z: usize>
    Pairs<W, K, N, F, B, C, Z>
{
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            known: QueuePairs::new(),
            round_trips: RoundTrips::new(),
            commands: PairCommands::new(),
            rules: PairRules::new(),
            at_rule: Const::new(bits::<10>(RULE.word().into())),
            parse: Parse::new(),
            notices: PairNotices::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const F: usize, const B: usize, const C: usize, const Z: usize> Logic
    for Pairs<W, K, N, F, B, C, Z>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held, notice_valid, notice_flow, notice_marked, notice_bytes);
        self.known.clk.next = self.clk.val();
        self.round_trips.clk.next = self.clk.val();
        self.round_trips.rst.next = self.rst.val();
        self.commands.clk.next = self.clk.val();
        self.parse.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.asked.clk.next = self.clk.val();
        self.control.next = self.settings.val().pair_control;
        self.held.d.next = self.clearing.val() | !self.control.val().get_bit(0);
        self.known.rst.next = self.held.q.val();
        self.asked.rst.next = self.rst.val() | self.held.q.val();

        // The table, and commands to it.
        self.known.cfg_secret.next =
            bit_cast::<192, 128>(self.settings.val().pair_secret) | (bit_cast::<192, 64>(self.settings.val().pair_secret_high) << 128);
        self.known.cfg_profile.next = self.settings.val().pair_profile;
        self.known.cfg_priority.next = self.settings.val().pair_priority;
        self.known.cfg_age_unit.next = self.settings.val().pair_age;
        PairLookIn::link(&mut self.looks, &mut self.known.sent);
        self.known.sent_learn.next = true;
        self.known.sent_dscp.next = self.looks_dscp.val();
        PairFlowOut::<F>::link(&mut self.found, &mut self.known.sent_flow);
        self.commands.held.next = self.held.q.val();
        StoreWriteIn::link(&mut self.st, &mut self.commands.st);
        self.commands.settings.next = self.settings.val();
        PairCommandOut::join(&mut self.commands.command, &mut self.known.command);
        PairReplyOut::<F>::join(&mut self.known.reply, &mut self.commands.reply);
        PairToldOut::join(&mut self.known.told, &mut self.commands.found);
        FlowPulseOut::<F>::join(&mut self.known.joined, &mut self.round_trips.joined);
        self.pairs.load_valid.next = self.known.change.valid.val();
        self.pairs.load_flow.next = self.known.change.flow.val();
        self.pairs.load_live.next = self.known.change.live.val();
        self.pairs.load_profile.next = self.known.change.profile.val();
        self.pairs.load_priority.next = self.known.change.priority.val();
        self.pairs.loading.next = !self.clearing.val();
        self.pairs.status.next = self.commands.status.val();
        self.rules.clk.next = self.clk.val();
        self.rules.rst.next = self.rst.val();
        self.rules.write.next = self.st.valid.val() & (self.st.word.val() == self.at_rule.val());
        self.rules.write_rule.next = self.st.data.val().get_bits::<27>(0);
        self.rules.address.next = self.settings.val().pair_address;
        self.shown.next = self.settings.val().pair_word;
        self.rules.word.next = self.shown.val();
        PairAskOut::join(&mut self.known.ask, &mut self.rules.ask);
        self.pairs.told.next = self.commands.told.val();
        if self.shown.val().get_bit(3) {
            self.pairs.told.next = self.rules.told.val();
        }

        // From the wire: the pair of an answer is looked up, and that of data with CE. Data 1,
        // response 3, ACK 4, notification 5.
        self.parse.s.tdata.next = self.rx_tdata.val();
        self.parse.s.tkeep.next = self.rx_tkeep.val();
        self.parse.s.tvalid.next = self.rx_tvalid.val();
        self.parse.s.tlast.next = self.rx_tlast.val();
        self.parse.s.ts.next = self.rx_ts.val();
        self.parse.s.bad.next = false;
        self.packet.next = self.parse.o_packet.val();
        self.ip_class.next = self.packet.val().ip_class;
        self.syndrome.next = self.packet.val().syndrome.into();
        self.kind.next = self.syndrome.val().kind;
        self.tos.next = self.packet.val().tos;
        self.is_data.next = self.parse.o_kind.val() == bits::<3>(1);
        self.is_response.next = self.parse.o_kind.val() == bits::<3>(3);
        self.draws.next = (self.settings.val().notify_enable.any() & (self.notices.watches.val() | self.tos.val().get_bits::<2>(0).all()))
            & (self.is_data.val() | self.is_response.val());
        self.asks.next = (self.is_response.val() | (self.parse.o_kind.val() == bits::<3>(5))) | (self.is_data.val() & self.draws.val());
        self.info.next.verb = bits::<2>(3);
        self.info.next.notifies = self.parse.o_kind.val() == bits::<3>(5);
        self.info.next.data = self.is_data.val();
        self.info.next.draws = self.draws.val();
        self.info.next.ours = self.packet.val().mac_destination == self.settings.val().mac;
        self.info.next.psn = self.packet.val().psn;
        self.info.next.bytes = self.packet.val().payload_bytes;
        self.info.next.ts = self.packet.val().stamp;
        self.info.next.marked = self.is_response.val() & self.tos.val().get_bits::<2>(0).all();
        if self.parse.o_kind.val() == bits::<3>(4) {
            // ACK 0, NAK 1, not ready 2 on the bus; 0, 3 and 1 in a syndrome.
            self.asks.next = self.kind.val() != bits::<2>(2);
            self.info.next.verb = bits::<2>(0);
            if self.kind.val() == bits::<2>(3) {
                self.info.next.verb = bits::<2>(1);
            }
            if self.kind.val() == bits::<2>(1) {
                self.info.next.verb = bits::<2>(2);
            }
        }
        self.known.answer.valid.next = self.parse.o_valid.val() & self.asks.val();
        self.known.answer.pair.next = self.packet.val().queue_pair;
        // IPv4 as ::ffff:a.b.c.d, byte 0 lowest.
        self.known.answer.address.next = (self.packet.val().source << 96) | (bits::<128>(0xffff) << 80);
        if self.ip_class.val().get_bit(1) {
            self.known.answer.address.next = self.packet.val().source;
        }
        self.asked.i_valid.next = self.known.answer.valid.val() & self.known.swept.val();
        self.asked.i_data.next = self.info.val().into();

        // The pair is found.
        self.asked.o_ready.next = self.known.answer_flow.valid.val();
        self.told.next = self.asked.o_data.val().into();
        self.ends.next = self.known.answer_flow.valid.val() & self.asked.o_valid.val();
        self.notified.next = self.ends.val() & (self.told.val().notifies & self.known.answer_flow.hit.val());
        self.answers.next = self.ends.val() & (!self.told.val().notifies & !self.told.val().data);
        self.unknown.next = self.answers.val() & !self.known.answer_flow.hit.val();
        // Data are looked up where they have CE.
        self.strange.next = self.ends.val() & (self.told.val().data & !self.known.answer_flow.hit.val());
        self.commands.unknown.next = (self.unknown.val() | self.strange.val()) & self.told.val().ours;
        self.commands.unknown_key.next = self.known.answer_key.val();
        self.round_trips.answer.valid.next = self.answers.val() & self.known.answer_flow.hit.val();
        self.round_trips.answer.flow.next = self.known.answer_flow.flow.val();
        self.round_trips.answer.verb.next = self.told.val().verb;
        self.round_trips.answer.psn.next = self.told.val().psn;
        self.round_trips.answer.bytes.next = self.told.val().bytes;
        self.round_trips.answer.ts.next = self.told.val().ts;

        // Packets that may draw notifications, and the remote numbers of pairs.
        self.notices.clk.next = self.clk.val();
        self.notices.rst.next = self.rst.val();
        self.notices.held.next = self.held.q.val();
        self.notices.arrived.next = self.asked.i_valid.val() & self.draws.val();
        self.notices.packet.next = self.packet.val();
        self.notices.found.valid.next = self.ends.val() & self.told.val().draws;
        self.notices.found.hit.next = self.known.answer_flow.hit.val();
        self.notices.found.flow.next = self.known.answer_flow.flow.val();
        self.notices.commanded.next = self.commands.command.valid.val() & self.known.command.ready.val();
        self.notices.remote.next = self.commands.command.pair.val();
        self.notices.reply.valid.next = self.known.reply.valid.val() & !self.commands.reads.val();
        self.notices.reply.status.next = self.known.reply.status.val();
        self.notices.reply.flow.next = self.known.reply.flow.val();
        self.notices.settings.next = self.settings.val();
        self.notices.now.next = self.now.val();
        AxisOut::<W, K>::link(&mut self.m, &mut self.notices.m);

        // Round-trip times.
        PairFrameIn::<F>::link(&mut self.frame, &mut self.round_trips.sent);
        CompletionIn::link(&mut self.c, &mut self.round_trips.c);
        ProfileWriteIn::link(&mut self.pw, &mut self.round_trips.pw);
        FlowLoadIn::<F>::link(&mut self.fl, &mut self.round_trips.fl);
        self.round_trips.cfg_mtu.next = self.settings.val().pair_mtu;
        self.round_trips.cfg_ns_per_byte.next = self.settings.val().ns_per_byte;
        self.round_trips.now.next = self.now.val();
        self.round_trips.time_epoch.next = self.time_epoch.val();
        self.round_trips.departed_epoch.next = self.departed_epoch.val();
        self.pairs.sample_valid.next = self.round_trips.sample.valid.val();
        self.pairs.sample_kind.next = self.round_trips.sample.kind.val();
        self.pairs.sample_flow.next = self.round_trips.sample.flow.val();
        self.pairs.sample_rtt_ns.next = self.round_trips.sample.rtt_ns.val();
        self.pairs.sample_now_ns.next = self.round_trips.sample.now_ns.val();
        self.swept.next = self.round_trips.swept.val();

        // DCQCN hears of CNPs and of marks on READ responses, and of each packet that leaves:
        // periods that ended are made up for then, and its bytes count. A CNP or mark goes first.
        self.reacts.next = self.notified.val() | (self.round_trips.answer.valid.val() & self.told.val().marked);
        self.notice_valid.d.next = self.reacts.val() | self.frame.valid.val();
        self.notice_marked.d.next = self.reacts.val();
        self.notice_flow.d.next = self.frame.flow.val();
        self.notice_bytes.d.next = self.frame.wire_bytes.val();
        if self.reacts.val() {
            self.notice_flow.d.next = self.known.answer_flow.flow.val();
            self.notice_bytes.d.next = bits::<16>(0);
        }
        self.pairs.notice_valid.next = self.notice_valid.q.val();
        self.pairs.notice_flow.next = self.notice_flow.q.val();
        self.pairs.notice_marked.next = self.notice_marked.q.val();
        self.pairs.notice_bytes.next = self.notice_bytes.q.val();

        // Counted events.
        self.malformed.next =
            (self.parse.o_valid.val() & (self.parse.o_kind.val() == bits::<3>(7))) & (self.parse.o_reason.val() != bits::<3>(1));
        self.timing.next = (bit_cast::<64, 2>(self.round_trips.pulses.val().get_bits::<2>(0)) << 50)
            | (bit_cast::<64, 1>(self.round_trips.pulses.val().get_bits::<1>(2)) << 35)
            | (bit_cast::<64, 1>(self.round_trips.pulses.val().get_bits::<1>(3)) << 34)
            | (bit_cast::<64, 4>(self.round_trips.pulses.val().get_bits::<4>(4)) << 52)
            | (bit_cast::<64, 1>(self.round_trips.pulses.val().get_bits::<1>(8)) << 16);
        self.pulses.next = (self.timing.val() | (bit_cast::<64, 8>(self.known.pulses.val()) << 42))
            | ((bit_cast::<64, 1>(self.unknown.val().into()) << 56)
                | (bit_cast::<64, 1>(self.notified.val().into()) << 57)
                | ((bit_cast::<64, 1>(self.malformed.val().into()) << 58) | (bit_cast::<64, 3>(self.notices.pulses.val()) << 59)));
        if self.rst.val() {
            self.held.d.next = true;
            self.notice_valid.d.next = false;
        }
    }
}
