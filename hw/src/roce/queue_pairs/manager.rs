//! The manager: one change of the table at a time.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::flows::Flows;
use super::words::{Info, Job, KeyWord, Phase, Unknown};
use crate::bus::{FlowPulseOut, PairAskOut, PairChangeOut, PairCommandIn, PairOperationOut, PairReplyOut, PairResultIn, PairToldOut};
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::{OLD_UNITS, Pulse, Status, Verb};

// A kernel takes literals alone; these hold those below to their homes.
const _: () = assert!(OLD_UNITS == 8);
const _: () = assert!(Verb::Set as u8 == 0 && Verb::Remove as u8 == 1 && Verb::Join as u8 == 2 && Verb::Read as u8 == 3);
const _: () = assert!(Status::Absent as u8 == 1 && Status::Full as u8 == 2 && Status::Crowded as u8 == 3 && Status::Ambiguous as u8 == 4);
const _: () = assert!(Pulse::Learned as u8 == 0 && Pulse::Set as u8 == 1 && Pulse::Removed as u8 == 2 && Pulse::Aged as u8 == 3);
const _: () = assert!(Pulse::Full as u8 == 4 && Pulse::Crowded as u8 == 5 && Pulse::Ambiguous as u8 == 6 && Pulse::Postponed as u8 == 7);

/// Jobs: a command of the host before a key to learn before the age of the next flow, which comes
/// after a key at the latest. Each operation of a job waits for a clock without a look-up, and the
/// next one for its result. `C` must be `F + 1`.
#[derive(LogicBlock, Default)]
pub(super) struct Manager<const F: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this address.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<F>>,
    pub profile: Signal<In, Bits<4>>,
    pub set_priority: Signal<In, Bits<3>>,
    pub ask: PairAskOut,
    pub age_unit: Signal<In, Bits<32>>,
    pub command: PairCommandIn,
    pub reply: PairReplyOut<F>,
    pub told: PairToldOut,
    pub change: PairChangeOut<F>,
    pub joined: FlowPulseOut<F>,
    pub pulses: Signal<Out, Bits<8>>,
    /// A key that is to be learned, and that one came that could not wait.
    pub learn_valid: Signal<In, Bit>,
    pub learn_word: Signal<In, Bits<158>>,
    pub learn_ready: Signal<Out, Bit>,
    pub postponed: Signal<In, Bit>,
    /// Operations on the side of sent packets and on that of answers.
    pub sent: PairOperationOut<F>,
    pub sent_result: PairResultIn<F>,
    pub answers: PairOperationOut<F>,
    pub answers_result: PairResultIn<F>,
    /// A flow was seen by a packet.
    pub seen: Signal<In, Bit>,
    pub seen_flow: Signal<In, Bits<F>>,
    flows: Flows<F, C>,
    phase: DFF<Phase>,
    job: DFF<Job>,
    /// The operation of the phase was taken.
    out: DFF<Bit>,
    key: DFF<Bits<152>>,
    hosts: DFF<Bit>,
    address: DFF<Bits<128>>,
    joins: DFF<Bit>,
    local_pair: DFF<Bits<24>>,
    /// Of a pair that no rule is for.
    chosen_profile: DFF<Bits<4>>,
    chosen_priority: DFF<Bits<3>>,
    asks: DFF<Bit>,
    dscp: DFF<Bits<6>>,
    unknown: Signal<Local, Unknown>,
    by_rule: Signal<Local, Bit>,
    flow: DFF<Bits<F>>,
    place: DFF<Bits<4>>,
    info: DFF<Info>,
    scan: DFF<Bits<F>>,
    scan_first: DFF<Bit>,
    left: DFF<Bits<32>>,
    epoch: DFF<Bits<4>>,
    last: Signal<Local, Bit>,
    ages: Signal<Local, Bit>,
    difference: Signal<Local, Bits<4>>,
    old: Signal<Local, Bit>,
    named: Signal<Local, KeyWord>,
    join_key: Signal<Local, KeyWord>,
    idle: Signal<Local, Bit>,
    on_sent: Signal<Local, Bit>,
    on_answers: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    at: Signal<Local, Bits<4>>,
    found: Signal<Local, Bits<F>>,
    result_key: Signal<Local, Bits<152>>,
    read_key: Signal<Local, KeyWord>,
    reads: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    stored: Signal<Local, Info>,
    /// The pair stands: its answers' key is next, or the job ends.
    stands: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    status: Signal<Local, Bits<3>>,
    no_info: Const<Info>,
    replies: DFF<Bit>,
    outcome: DFF<Bits<3>>,
    reply_of: DFF<Bits<F>>,
    changes: DFF<Bit>,
    goes_live: DFF<Bit>,
    hears: DFF<Bit>,
    changed: DFF<Bits<F>>,
    given_profile: DFF<Bits<4>>,
    given_priority: DFF<Bits<3>>,
    /// Bits of `pulses`.
    counted: [DFF<Bit>; 8],
    summed: [Signal<Local, Bits<8>>; 9],
}

impl<const F: usize, const C: usize> Manager<F, C> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        Self { flows: Flows::new(), no_info: Const::new(Info::default()), ..Default::default() }
    }
}

impl<const F: usize, const C: usize> Logic for Manager<F, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, phase, job, out, key, hosts, address, joins, local_pair, chosen_profile, chosen_priority, flow, place, info);
        dff_setup!(self, clk, scan, scan_first, asks, dscp);
        dff_setup!(self, clk, left, epoch, replies, outcome, reply_of, changes, goes_live, hears, changed, given_profile, given_priority);
        for i in 0..8 {
            self.counted[i].clock.next = self.clk.val();
            self.counted[i].d.next = false;
        }
        self.flows.clk.next = self.clk.val();
        self.flows.rst.next = self.rst.val();
        self.flows.sweep.next = self.sweep.val();
        self.flows.sweep_at.next = self.sweep_at.val();
        self.flows.flow.next = self.flow.q.val();
        self.flows.seen.next = self.seen.val();
        self.flows.seen_flow.next = self.seen_flow.val();
        self.flows.epoch.next = self.epoch.q.val();
        self.flows.take.next = false;
        self.flows.give.next = false;
        self.flows.writes.next = false;

        // Units of age.
        self.ages.next = self.age_unit.val().any();
        self.last.next = !self.left.q.val().get_bits::<31>(1).any();
        self.left.d.next = self.left.q.val() - bits::<32>(1);
        if self.last.val() {
            self.left.d.next = self.age_unit.val();
            if self.ages.val() {
                self.epoch.d.next = self.epoch.q.val() + bits::<4>(1);
            }
        }
        self.difference.next = self.epoch.q.val() - self.flows.stamp.val();
        self.old.next = self.difference.val().get_bit(3);

        // The operation of the phase, and its result.
        self.idle.next = (self.phase.q.val() == Phase::Idle) & !self.sweep.val();
        self.on_sent.next = ((self.phase.q.val() == Phase::Find) | (self.phase.q.val() == Phase::Enter))
            | ((self.phase.q.val() == Phase::OwnKey) | ((self.phase.q.val() == Phase::OwnSeek) | (self.phase.q.val() == Phase::OwnDrop)));
        self.on_answers.next = ((self.phase.q.val() == Phase::Meet) | (self.phase.q.val() == Phase::Link))
            | ((self.phase.q.val() == Phase::OldKey) | ((self.phase.q.val() == Phase::OldSeek) | (self.phase.q.val() == Phase::OldDrop)));
        self.sent.valid.next = self.on_sent.val() & !self.out.q.val();
        self.sent.fetch.next = self.phase.q.val() == Phase::OwnKey;
        self.sent.writes.next = (self.phase.q.val() == Phase::Enter) | (self.phase.q.val() == Phase::OwnDrop);
        self.sent.live.next = self.phase.q.val() == Phase::Enter;
        self.sent.place.next = self.place.q.val();
        self.sent.flow.next = self.flow.q.val();
        self.sent.key.next = self.key.q.val();
        self.answers.valid.next = self.on_answers.val() & !self.out.q.val();
        self.answers.fetch.next = self.phase.q.val() == Phase::OldKey;
        self.answers.writes.next = (self.phase.q.val() == Phase::Link) | (self.phase.q.val() == Phase::OldDrop);
        self.answers.live.next = self.phase.q.val() == Phase::Link;
        self.answers.place.next = self.place.q.val();
        self.answers.flow.next = self.flow.q.val();
        self.answers.key.next = self.key.q.val();
        self.taken.next = (self.on_sent.val() & self.sent.ready.val()) | (self.on_answers.val() & self.answers.ready.val());
        if self.taken.val() {
            self.out.d.next = true;
        }
        self.done.next = self.sent_result.valid.val() | self.answers_result.valid.val();
        if self.on_sent.val() {
            self.hit.next = self.sent_result.hit.val();
            self.fits.next = self.sent_result.room.val() & !self.sent_result.same.val();
            self.at.next = self.sent_result.place.val();
            self.found.next = self.sent_result.flow.val();
            self.result_key.next = self.sent_result.key.val();
        } else {
            self.hit.next = self.answers_result.hit.val();
            self.fits.next = self.answers_result.room.val() & !self.answers_result.same.val();
            self.at.next = self.answers_result.place.val();
            self.found.next = self.answers_result.flow.val();
            self.result_key.next = self.answers_result.key.val();
        }
        if self.done.val() {
            self.out.d.next = false;
        }

        self.sets.next = (self.job.q.val() == Job::Set) | (self.job.q.val() == Job::Join);
        self.reads.next = self.job.q.val() == Job::Read;
        self.read_key.next = self.result_key.val().into();
        self.told.own.next = (self.reads.val() & self.done.val()) & (self.phase.q.val() == Phase::OwnKey);
        self.told.local.next = (self.reads.val() & self.done.val()) & (self.phase.q.val() == Phase::OldKey);
        self.told.pinned.next = self.info.q.val().pinned;
        self.told.address.next = self.read_key.val().address;
        self.told.pair.next = self.read_key.val().pair;
        self.stored.next = self.info.q.val();
        self.stands.next = false;
        self.ends.next = false;
        self.status.next = bits::<3>(0);
        self.changes.d.next = false;
        self.hears.d.next = false;
        self.named.next.address = self.command.address.val();
        self.named.next.pair = self.command.pair.val();
        self.join_key.next.address = self.address.q.val();
        self.join_key.next.pair = self.local_pair.q.val();
        self.unknown.next = self.learn_word.val().into();
        self.asks.d.next = false;
        self.dscp.d.next = self.unknown.val().dscp;
        self.learn_ready.next = (self.idle.val() & !self.command.valid.val()) & !self.scan_first.q.val();
        match self.phase.q.val() {
            Phase::Idle => {
                self.hosts.d.next = self.command.valid.val();
                self.address.d.next = self.command.address.val();
                self.joins.d.next = (self.command.valid.val() & self.command.joins.val()) & !self.command.verb.val().get_bit(0);
                self.local_pair.d.next = self.command.local_pair.val();
                self.chosen_profile.d.next = self.command.profile.val();
                self.chosen_priority.d.next = self.set_priority.val();
                self.info.d.next = self.no_info.val();
                self.key.d.next = self.named.val().into();
                if !self.sweep.val() {
                    if self.command.valid.val() {
                        self.phase.d.next = Phase::Find;
                        self.job.d.next = Job::Set;
                        if self.command.verb.val() == bits::<2>(1) {
                            self.job.d.next = Job::Remove;
                        }
                        if self.command.verb.val() == bits::<2>(2) {
                            self.job.d.next = Job::Join;
                        }
                        if self.command.verb.val() == bits::<2>(3) {
                            self.job.d.next = Job::Read;
                            self.phase.d.next = Phase::Address;
                            self.flow.d.next = self.command.pair.val().get_bits::<F>(0);
                        }
                    } else if self.learn_valid.val() & !self.scan_first.q.val() {
                        self.phase.d.next = Phase::Find;
                        self.job.d.next = Job::Learn;
                        self.key.d.next = self.unknown.val().key;
                        self.asks.d.next = true;
                        self.chosen_profile.d.next = self.profile.val();
                        self.scan_first.d.next = self.ages.val();
                    } else {
                        self.scan_first.d.next = false;
                        if self.ages.val() {
                            self.phase.d.next = Phase::Address;
                            self.job.d.next = Job::Scan;
                            self.flow.d.next = self.scan.q.val();
                            self.scan.d.next = self.scan.q.val() + bits::<F>(1);
                        }
                    }
                }
            }
            Phase::Address => {
                self.phase.d.next = Phase::Capture;
            }
            Phase::Capture => {
                self.phase.d.next = Phase::Decide;
            }
            Phase::Decide => {
                self.stored.next = self.flows.info.val();
                self.info.d.next = self.flows.info.val();
                if self.sets.val() {
                    if self.job.q.val() == Job::Set {
                        self.stored.next.pinned = true;
                    }
                    self.info.d.next = self.stored.val();
                    self.flows.writes.next = true;
                    self.stands.next = true;
                } else if self.reads.val() & !self.flows.info.val().used {
                    self.ends.next = true;
                    self.status.next = bits::<3>(1);
                } else if (self.job.q.val() == Job::Scan) & !((self.flows.info.val().used & !self.flows.info.val().pinned) & self.old.val())
                {
                    self.phase.d.next = Phase::Idle;
                } else if self.flows.info.val().joined & !self.reads.val() {
                    self.phase.d.next = Phase::OldKey;
                } else {
                    self.phase.d.next = Phase::OwnKey;
                }
            }
            Phase::Find => {
                if self.done.val() {
                    self.place.d.next = self.at.val();
                    if self.hit.val() {
                        self.flow.d.next = self.found.val();
                        self.phase.d.next = Phase::Address;
                        if self.job.q.val() == Job::Learn {
                            self.phase.d.next = Phase::Idle;
                        }
                    } else if (self.job.q.val() == Job::Remove) | (self.job.q.val() == Job::Join) {
                        self.ends.next = true;
                        self.status.next = bits::<3>(1);
                    } else if !self.fits.val() {
                        self.ends.next = true;
                        self.status.next = bits::<3>(3);
                    } else if !self.flows.any.val() {
                        self.ends.next = true;
                        self.status.next = bits::<3>(2);
                    } else {
                        self.flow.d.next = self.flows.head.val();
                        self.phase.d.next = Phase::Enter;
                    }
                }
            }
            Phase::Enter => {
                if self.done.val() {
                    self.flows.take.next = true;
                    self.flows.writes.next = true;
                    self.stored.next.used = true;
                    self.stored.next.pinned = self.hosts.q.val();
                    self.stored.next.joined = false;
                    self.changes.d.next = true;
                    self.counted[0].d.next = !self.hosts.q.val();
                    self.counted[1].d.next = self.hosts.q.val();
                    self.info.d.next = self.stored.val();
                    self.stands.next = true;
                }
            }
            Phase::Meet => {
                if self.done.val() {
                    self.place.d.next = self.at.val();
                    if self.hit.val() {
                        self.ends.next = true;
                        if self.found.val() != self.flow.q.val() {
                            self.status.next = bits::<3>(4);
                        }
                    } else if self.info.q.val().joined {
                        self.phase.d.next = Phase::OldKey;
                    } else if self.fits.val() {
                        // Told before the first answer can find the flow.
                        self.phase.d.next = Phase::Link;
                        self.hears.d.next = true;
                    } else {
                        self.ends.next = true;
                        self.status.next = bits::<3>(3);
                    }
                }
            }
            Phase::Link => {
                if self.done.val() {
                    self.flows.writes.next = true;
                    self.stored.next.joined = true;
                    self.ends.next = true;
                }
            }
            Phase::OldKey => {
                if self.done.val() {
                    self.key.d.next = self.result_key.val();
                    self.phase.d.next = Phase::OldSeek;
                    self.ends.next = self.reads.val();
                }
            }
            Phase::OldSeek => {
                if self.done.val() {
                    self.place.d.next = self.at.val();
                    self.phase.d.next = Phase::OldDrop;
                }
            }
            Phase::OldDrop => {
                if self.done.val() {
                    self.flows.writes.next = true;
                    self.stored.next.joined = false;
                    self.info.d.next = self.stored.val();
                    self.hears.d.next = true;
                    self.phase.d.next = Phase::OwnKey;
                    if self.sets.val() {
                        self.stands.next = true;
                    }
                }
            }
            Phase::OwnKey => {
                if self.done.val() {
                    self.key.d.next = self.result_key.val();
                    self.phase.d.next = Phase::OwnSeek;
                    if self.reads.val() {
                        self.phase.d.next = Phase::OldKey;
                        self.ends.next = !self.info.q.val().joined;
                    }
                }
            }
            Phase::OwnSeek => {
                if self.done.val() {
                    self.place.d.next = self.at.val();
                    self.phase.d.next = Phase::OwnDrop;
                }
            }
            Phase::OwnDrop => {
                if self.done.val() {
                    self.flows.give.next = true;
                    self.flows.writes.next = true;
                    self.stored.next = self.no_info.val();
                    self.changes.d.next = true;
                    self.counted[2].d.next = self.job.q.val() == Job::Remove;
                    self.counted[3].d.next = self.job.q.val() == Job::Scan;
                    self.ends.next = true;
                }
            }
        }
        self.flows.word.next = self.stored.val();
        if self.stands.val() {
            self.key.d.next = self.join_key.val().into();
            self.phase.d.next = Phase::Meet;
            if !self.joins.q.val() {
                self.phase.d.next = Phase::Idle;
            }
        }
        if self.ends.val() {
            self.phase.d.next = Phase::Idle;
            self.counted[4].d.next = self.status.val() == bits::<3>(2);
            self.counted[5].d.next = self.status.val() == bits::<3>(3);
            self.counted[6].d.next = self.status.val() == bits::<3>(4);
        }
        self.counted[7].d.next = self.postponed.val();
        self.replies.d.next = (self.ends.val() | (self.stands.val() & !self.joins.q.val())) & self.hosts.q.val();
        self.outcome.d.next = self.status.val();
        self.reply_of.d.next = self.flow.q.val();
        self.goes_live.d.next = self.phase.q.val() == Phase::Enter;
        self.changed.d.next = self.flow.q.val();
        // The rules have answered before a pair has its place.
        self.ask.valid.next = self.asks.q.val();
        self.ask.address.next = self.key.q.val().get_bits::<128>(0);
        self.ask.dscp.next = self.dscp.q.val();
        self.by_rule.next = self.ask.hit.val() & !self.hosts.q.val();
        self.given_profile.d.next = self.chosen_profile.q.val();
        self.given_priority.d.next = self.chosen_priority.q.val();
        if self.by_rule.val() {
            self.given_profile.d.next = self.ask.profile.val();
            self.given_priority.d.next = self.ask.priority.val();
        }
        self.command.ready.next = self.idle.val();
        self.reply.valid.next = self.replies.q.val();
        self.reply.status.next = self.outcome.q.val();
        self.reply.flow.next = self.reply_of.q.val();
        self.change.valid.next = self.changes.q.val();
        self.change.flow.next = self.changed.q.val();
        self.joined.valid.next = self.hears.q.val();
        self.joined.flow.next = self.changed.q.val();
        self.change.live.next = self.goes_live.q.val();
        self.change.profile.next = self.given_profile.q.val();
        self.change.priority.next = self.given_priority.q.val();
        self.summed[0].next = bits::<8>(0);
        for i in 0..8 {
            self.summed[i + 1].next = self.summed[i].val().replace_bit(i, self.counted[i].q.val());
        }
        self.pulses.next = self.summed[8].val();
        if self.rst.val() {
            self.phase.d.next = Phase::Idle;
            self.out.d.next = false;
            self.hosts.d.next = false;
            self.asks.d.next = false;
            self.flow.d.next = bits::<F>(0);
            self.scan.d.next = bits::<F>(0);
            self.scan_first.d.next = false;
            self.left.d.next = bits::<32>(0);
            self.epoch.d.next = bits::<4>(0);
            self.replies.d.next = false;
            self.changes.d.next = false;
            self.hears.d.next = false;
            for i in 0..8 {
                self.counted[i].d.next = false;
            }
        }
    }
}
