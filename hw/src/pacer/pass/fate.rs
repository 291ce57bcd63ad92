//! Fate of a flow at its pass, given the pauses and the places in the gate.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::Verdict;
use crate::constant::Fixed;
use rust_hdl::prelude::*;
use timely_model::pacer::token::IN_FLIGHT;

// The credit is told by the places that 64 leave.
const _: () = assert!(IN_FLIGHT == 64);

/// Inputs at clock 0, outputs at clock 1, but for `pfc`, which comes a clock before, and `ready`,
/// which concerns the operation that is to be issued at this clock.
#[derive(LogicBlock, Default)]
pub struct Fate {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// An operation is issued at this clock.
    pub issue: Signal<In, Bit>,
    /// A grant leaves the gate.
    pub left: Signal<In, Bit>,
    /// A request to sleep is taken.
    pub slept: Signal<In, Bit>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// Everything is paused.
    pub stop: Signal<In, Bit>,
    /// An operation is here.
    pub valid: Signal<In, Bit>,
    /// The priority of the operation that is here at the next clock.
    pub pfc: Signal<In, Bits<3>>,
    /// Verdict of the bucket.
    pub bucket: Signal<In, Verdict>,
    /// The flow's next packet is near enough to be granted now.
    pub due: Signal<In, Bit>,
    /// Bit k: a train of 2^k neither covers the time to the flow's next pass nor is what its bucket
    /// allows, so that all shorter ones do not.
    pub wished: Signal<In, Bits<5>>,
    /// Clock 0: there are places for another operation.
    pub ready: Signal<Out, Bit>,
    /// A train is granted.
    pub grant: Signal<Out, Bit>,
    /// The train has two to the power of this packets.
    pub size: Signal<Out, Bits<3>>,
    /// `size` from a register of its own: two wide shifts by it stand far apart.
    pub size_too: Signal<Out, Bits<3>>,
    /// Packets of the train.
    pub train: Signal<Out, Bits<6>>,
    /// The flow asks to sleep.
    pub sleep: Signal<Out, Bit>,
    /// The flow's accounts are cleared.
    pub clear: Signal<Out, Bit>,
    /// The flow's bound is reached.
    pub bounded: Signal<Out, Bit>,
    /// The flow stays awake, if its state changes.
    pub awake: Signal<Out, Bit>,
    /// The flow's state changes.
    pub write: Signal<Out, Bit>,
    /// The flow goes to the wheel.
    pub insert: Signal<Out, Bit>,
    /// The flow is looked at again after a length of time, the shorter one with `soon`.
    pub again: Signal<Out, Bit>,
    /// The flow's wait is cut to the shorter length.
    pub soon: Signal<Out, Bit>,
    /// A grant waits: the length is the one for that.
    pub held: Signal<Out, Bit>,
    /// The flow is parked.
    pub park: Signal<Out, Bit>,
    /// The flow starts to send after its idle time.
    pub idle: Signal<Out, Bit>,
    /// A pause ended; every clock, operation or not.
    pub resume: Signal<Out, Bit>,
    places: Fixed<7, { IN_FLIGHT as u64 }>,
    /// Places that no grant has, decided or reserved; as the difference from those after a reset.
    room_swap: DFF<Bits<7>>,
    /// Requests to sleep made or reserved that have not been taken.
    owed: DFF<Bits<7>>,
    paused: DFF<Bits<8>>,
    paused_before: DFF<Bits<8>>,
    /// Value of `paused` from the next clock on.
    pauses: Signal<Local, Bits<8>>,
    /// The operation's priority is paused.
    stopped: DFF<Bit>,
    resumes: DFF<Bit>,
    size1: DFF<Bits<3>>,
    /// Inverted, so that synthesis does not take it for the same.
    not_size1: DFF<Bits<3>>,
    train1: DFF<Bits<6>>,
    grant1: DFF<Bit>,
    /// All posted packets are granted, so that the flow sleeps and goes to no wheel. This is known
    /// last: the outputs that depend on it put it in.
    finished1: DFF<Bit>,
    /// The flow sleeps, whether or not `finished1` is set.
    sleep1: DFF<Bit>,
    clear1: DFF<Bit>,
    bounded1: DFF<Bit>,
    awake1: DFF<Bit>,
    write1: DFF<Bit>,
    insert1: DFF<Bit>,
    again1: DFF<Bit>,
    soon1: DFF<Bit>,
    held1: DFF<Bit>,
    park1: DFF<Bit>,
    idle1: DFF<Bit>,
    shifted: Signal<Local, Bits<8>>,
    is_paused: Signal<Local, Bit>,
    is_clear: Signal<Local, Bit>,
    is_bounded: Signal<Local, Bit>,
    is_again: Signal<Local, Bit>,
    is_send: Signal<Local, Bit>,
    is_grant: Signal<Local, Bit>,
    is_finished: Signal<Local, Bit>,
    is_asleep: Signal<Local, Bit>,
    is_sleep: Signal<Local, Bit>,
    // Wished are, and places are there for, at least two packets, 4, 8, 16, 32.
    two: Signal<Local, Bit>,
    four: Signal<Local, Bit>,
    eight: Signal<Local, Bit>,
    sixteen: Signal<Local, Bit>,
    all: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    least: Signal<Local, Bits<3>>,
    packets: Signal<Local, Bits<6>>,
    room: Signal<Local, Bits<7>>,
    /// Decision, as the logarithm of the train's packets; 0 also without an operation, 7 without a
    /// grant.
    kind: Signal<Local, Bits<3>>,
    rest: Signal<Local, Bits<7>>,
    // More places are taken than given back by what is issued and what has left; fewer.
    takes: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    rests: [Signal<Local, Bits<7>>; 7],
    asks: Signal<Local, Bits<7>>,
    less: Signal<Local, Bits<7>>,
    more: Signal<Local, Bits<7>>,
}

impl Logic for Fate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            room_swap,
            owed,
            paused,
            paused_before,
            stopped,
            resumes,
            size1,
            not_size1,
            train1,
            grant1,
            finished1,
            sleep1,
            clear1,
            bounded1,
            awake1
        );
        dff_setup!(self, clk, write1, insert1, again1, soon1, held1, park1, idle1);
        self.pauses.next = self.pause.val();
        if self.stop.val() {
            self.pauses.next = bits::<8>(255);
        }
        self.paused.d.next = self.pauses.val();
        self.paused_before.d.next = self.paused.q.val();
        self.resumes.d.next = (self.paused_before.q.val() & !self.paused.q.val()).any();
        self.shifted.next = self.pauses.val() >> self.pfc.val();
        self.stopped.d.next = self.shifted.val().get_bit(0);
        self.is_paused.next = self.stopped.q.val();
        self.is_clear.next = self.bucket.val().clear;
        self.is_bounded.next = self.bucket.val().bounded;
        self.is_again.next = self.bucket.val().again;
        self.is_send.next = self.bucket.val().send & !self.is_paused.val();
        self.is_grant.next = self.is_send.val() & self.due.val();

        // Each operation in the pass has a place, and one more may be issued at this clock: the
        // others are for this train. So it is at most as long as the highest bit of the places that
        // are left.
        self.room.next = self.room_swap.q.val() ^ self.places.val();
        // Of what is wished and what the places allow, the lesser, told from above: wish and places
        // are asked for each length at the same time.
        self.all.next = self.room.val().get_bits::<2>(5).any() & self.wished.val().get_bit(4);
        self.sixteen.next = self.room.val().get_bits::<3>(4).any() & self.wished.val().get_bit(3);
        self.eight.next = self.room.val().get_bits::<4>(3).any() & self.wished.val().get_bit(2);
        self.four.next = self.room.val().get_bits::<5>(2).any() & self.wished.val().get_bit(1);
        self.two.next = self.room.val().get_bits::<6>(1).any() & self.wished.val().get_bit(0);
        self.middle.next = self.four.val() & !self.sixteen.val();
        self.odd.next = (self.two.val() & !self.four.val()) | (self.eight.val() & !self.sixteen.val()) | self.all.val();
        self.least.next = bit_cast::<3, 1>(self.odd.val().into())
            | (bit_cast::<3, 1>(self.middle.val().into()) << 1)
            | (bit_cast::<3, 1>(self.sixteen.val().into()) << 2);
        self.is_finished.next = (self.is_grant.val() & self.bucket.val().exact) & (self.least.val() == self.bucket.val().last);
        self.packets.next = bits::<6>(1) << self.least.val();
        self.is_asleep.next = self.is_clear.val() | self.bucket.val().empty | self.is_bounded.val();
        self.is_sleep.next = self.is_asleep.val() | self.is_finished.val();

        // An operation that grants nothing gives its place back, one that does not ask to sleep its
        // place among the requests. Every sum comes from the register itself. For each train it is
        // known what will be left, before it is known which it is.
        self.kind.next = bits::<3>(0);
        if self.valid.val() {
            self.kind.next = bits::<3>(7);
            if self.is_grant.val() {
                self.kind.next = self.least.val();
            }
        }
        self.takes.next = self.issue.val() & !self.left.val();
        self.gives.next = self.left.val() & !self.issue.val();
        self.rests[0].next = self.room.val();
        if self.takes.val() {
            self.rests[0].next = self.room.val() - bits::<7>(1);
        } else if self.gives.val() {
            self.rests[0].next = self.room.val() + bits::<7>(1);
        }
        self.rests[1].next = self.room.val() - bits::<7>(1);
        if self.takes.val() {
            self.rests[1].next = self.room.val() - bits::<7>(2);
        } else if self.gives.val() {
            self.rests[1].next = self.room.val();
        }
        self.rests[2].next = self.room.val() - bits::<7>(3);
        if self.takes.val() {
            self.rests[2].next = self.room.val() - bits::<7>(4);
        } else if self.gives.val() {
            self.rests[2].next = self.room.val() - bits::<7>(2);
        }
        self.rests[3].next = self.room.val() - bits::<7>(7);
        if self.takes.val() {
            self.rests[3].next = self.room.val() - bits::<7>(8);
        } else if self.gives.val() {
            self.rests[3].next = self.room.val() - bits::<7>(6);
        }
        self.rests[4].next = self.room.val() - bits::<7>(15);
        if self.takes.val() {
            self.rests[4].next = self.room.val() - bits::<7>(16);
        } else if self.gives.val() {
            self.rests[4].next = self.room.val() - bits::<7>(14);
        }
        self.rests[5].next = self.room.val() - bits::<7>(31);
        if self.takes.val() {
            self.rests[5].next = self.room.val() - bits::<7>(32);
        } else if self.gives.val() {
            self.rests[5].next = self.room.val() - bits::<7>(30);
        }
        self.rests[6].next = self.room.val() + bits::<7>(1);
        if self.takes.val() {
            self.rests[6].next = self.room.val();
        } else if self.gives.val() {
            self.rests[6].next = self.room.val() + bits::<7>(2);
        }
        match self.kind.val().index() {
            0 => {
                self.rest.next = self.rests[0].val();
            }
            1 => {
                self.rest.next = self.rests[1].val();
            }
            2 => {
                self.rest.next = self.rests[2].val();
            }
            3 => {
                self.rest.next = self.rests[3].val();
            }
            4 => {
                self.rest.next = self.rests[4].val();
            }
            5 => {
                self.rest.next = self.rests[5].val();
            }
            _ => {
                self.rest.next = self.rests[6].val();
            }
        }
        self.room_swap.d.next = self.rest.val() ^ self.places.val();
        self.asks.next = self.owed.q.val();
        self.less.next = self.owed.q.val() - bits::<7>(1);
        self.more.next = self.owed.q.val() + bits::<7>(1);
        if self.slept.val() {
            self.asks.next = self.owed.q.val() - bits::<7>(1);
            self.less.next = self.owed.q.val() - bits::<7>(2);
            self.more.next = self.owed.q.val();
        }
        self.owed.d.next = self.asks.val();
        if self.issue.val() {
            if !self.valid.val() | self.is_sleep.val() {
                self.owed.d.next = self.more.val();
            }
        } else {
            if self.valid.val() & !self.is_sleep.val() {
                self.owed.d.next = self.less.val();
            }
        }

        self.size1.d.next = self.least.val();
        self.not_size1.d.next = !self.least.val();
        self.train1.d.next = self.packets.val();
        self.grant1.d.next = self.valid.val() & self.is_grant.val();
        self.finished1.d.next = self.valid.val() & self.is_finished.val();
        self.sleep1.d.next = self.valid.val() & self.is_asleep.val();
        self.clear1.d.next = self.is_clear.val();
        self.bounded1.d.next = self.is_bounded.val();
        self.awake1.d.next = !(self.is_clear.val() | self.is_bounded.val());
        self.write1.d.next = self.valid.val() & !self.bucket.val().keep;
        self.insert1.d.next = self.valid.val() & (self.is_again.val() | self.is_send.val());
        self.again1.d.next = self.is_again.val();
        self.soon1.d.next = ((self.is_send.val() & !self.is_grant.val()) | self.is_again.val()) & self.bucket.val().waits;
        self.held1.d.next = self.bucket.val().held;
        self.park1.d.next = self.valid.val() & (self.bucket.val().send & self.is_paused.val());
        self.idle1.d.next = self.valid.val() & self.bucket.val().starts;

        self.ready.next = self.room.val().any() & !self.owed.q.val().get_bit(6);
        self.grant.next = self.grant1.q.val();
        self.size.next = self.size1.q.val();
        self.size_too.next = !self.not_size1.q.val();
        self.train.next = self.train1.q.val();
        self.sleep.next = self.sleep1.q.val() | self.finished1.q.val();
        self.clear.next = self.clear1.q.val();
        self.bounded.next = self.bounded1.q.val();
        self.awake.next = self.awake1.q.val() & !self.finished1.q.val();
        self.write.next = self.write1.q.val();
        self.insert.next = self.insert1.q.val() & !self.finished1.q.val();
        self.again.next = self.again1.q.val();
        self.soon.next = self.soon1.q.val();
        self.held.next = self.held1.q.val();
        self.park.next = self.park1.q.val();
        self.idle.next = self.idle1.q.val();
        self.resume.next = self.resumes.q.val();
        if self.rst.val() {
            self.room_swap.d.next = bits::<7>(0);
            self.owed.d.next = bits::<7>(0);
            self.paused.d.next = bits::<8>(0);
            self.paused_before.d.next = bits::<8>(0);
            self.stopped.d.next = false;
            self.resumes.d.next = false;
            self.grant1.d.next = false;
            self.finished1.d.next = false;
            self.sleep1.d.next = false;
            self.write1.d.next = false;
            self.insert1.d.next = false;
            self.park1.d.next = false;
            self.idle1.d.next = false;
        }
    }
}
