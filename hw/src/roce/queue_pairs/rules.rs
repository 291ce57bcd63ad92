//! Rules: profiles and priorities of pairs that are learned, by remote address and DSCP.
use super::words::{RuleBits, RuleWord, ShownWord};
use crate::bus::PairAskIn;
use crate::constant::Const;
use crate::ram::LutRam;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::{LATENCY, RULE_LATENCY};
use timely_regs::map::roce;

// The answer is there before the pair has its place, two operations after the question.
const _: () = assert!(RULE_LATENCY < 2 * LATENCY);
// Widths and places are the registers'.
const _: () = assert!(roce::RULES == 16 && RULE_LATENCY == 19);
const _: () = assert!(roce::RULE_INDEX.high == 3 && roce::RULE_USED.low == 4 && roce::RULE_BITS.low == 5 && roce::RULE_BITS.high == 12);
const _: () = assert!(roce::RULE_DSCP.low == 13 && roce::RULE_DSCP.high == 18 && roce::RULE_BY_DSCP.low == 19);
const _: () = assert!(roce::RULE_PROFILE.low == 20 && roce::RULE_PRIORITY.low == 24 && roce::RULE_PRIORITY.high == 26);
const _: () = assert!(roce::WORD.high == 2 && roce::OF_RULE.low == 3 && roce::SHOWN_RULE.low == 4 && roce::TOLD_RULE == 4);

/// Sixteen rules, of which the first that is in use and for a pair decides: that its remote address
/// has the rule's prefix, and its packet the rule's DSCP, if that counts.
///
/// Latency: 19 clocks from `ask` to the answer, which stands until the next question; one rule is
/// looked at in each clock. A question before that takes the place of the last one. A rule that is
/// written counts for questions that have not come to it. A word of a rule shows at `told` a clock
/// after `word`. After `rst` no rule is in use. Back pressure: none. Model:
/// `timely_model::queue_pairs::Rules`.
#[derive(LogicBlock, Default)]
pub struct PairRules {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A rule is written: `roce::RULE`.
    pub write: Signal<In, Bit>,
    /// With it, the register's value.
    pub write_rule: Signal<In, Bits<27>>,
    /// `roce::ADDRESS`, byte 0 lowest.
    pub address: Signal<In, Bits<128>>,
    /// `roce::TOLD_WORD`.
    pub word: Signal<In, Bits<8>>,
    /// The word of a rule that it chooses.
    pub told: Signal<Out, Bits<32>>,
    /// A pair that is about to be learned.
    pub ask: PairAskIn,
    rules: LutRam<RuleWord, 4>,
    shown: LutRam<RuleWord, 4>,
    /// Rules in use.
    used: DFF<Bits<16>>,
    written: Signal<Local, RuleBits>,
    stored: Signal<Local, RuleWord>,
    chooses: Signal<Local, ShownWord>,
    shows: Signal<Local, RuleWord>,
    shows_address: Signal<Local, Bits<128>>,
    write_at: Signal<Local, Bits<4>>,
    show_at: Signal<Local, Bits<4>>,
    tells: DFF<Bits<32>>,
    asked_address: DFF<Bits<128>>,
    asked_dscp: DFF<Bits<6>>,
    runs: DFF<Bit>,
    at: DFF<Bits<4>>,
    // The number in a register's name says how many clocks after the rule's turn it holds what
    // belongs to the rule.
    on1: DFF<Bit>,
    rule1: DFF<RuleWord>,
    bits1: Signal<Local, RuleBits>,
    prefix1: Signal<Local, Bits<8>>,
    length1: Signal<Local, Bits<5>>,
    partial1: Signal<Local, Bits<8>>,
    nth: [Const<Bits<5>>; 16],
    difference1: Signal<Local, Bits<128>>,
    /// Bits of each byte that count.
    masks: [Signal<Local, Bits<8>>; 16],
    on2: DFF<Bit>,
    /// The byte has a bit that counts and differs.
    differs2: [DFF<Bit>; 16],
    far2: [Signal<Local, Bit>; 17],
    fits2: DFF<Bit>,
    profile2: DFF<Bits<4>>,
    priority2: DFF<Bits<3>>,
    hit: DFF<Bit>,
    given_profile: DFF<Bits<4>>,
    given_priority: DFF<Bits<3>>,
}

impl PairRules {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { nth: std::array::from_fn(|i| Const::new(bits::<5>(i as u64))), ..Default::default() }
    }
}

impl Logic for PairRules {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            used,
            tells,
            asked_address,
            asked_dscp,
            runs,
            at,
            on1,
            rule1,
            on2,
            fits2,
            profile2,
            priority2,
            hit,
            given_profile,
            given_priority
        );
        for i in 0..16 {
            self.differs2[i].clock.next = self.clk.val();
        }

        // Rules are written and shown.
        self.written.next = self.write_rule.val().into();
        self.stored.next.address = self.address.val();
        self.stored.next.rule = self.write_rule.val();
        self.rules.clock.next = self.clk.val();
        self.rules.write_enable.next = self.write.val();
        self.write_at.next = self.written.val().index;
        self.rules.write_address.next = self.write_at.val();
        self.rules.write_data.next = self.stored.val();
        self.shown.clock.next = self.clk.val();
        self.shown.write_enable.next = self.write.val();
        self.shown.write_address.next = self.write_at.val();
        self.shown.write_data.next = self.stored.val();
        if self.write.val() {
            self.used.d.next = self.used.q.val().replace_bit(self.write_at.val().index(), self.written.val().used);
        }
        self.chooses.next = self.word.val().into();
        self.show_at.next = self.chooses.val().rule;
        self.shown.read_address.next = self.show_at.val();
        self.shows.next = self.shown.read_data.val();
        self.shows_address.next = self.shows.val().address;
        self.tells.d.next = bits::<32>(0);
        if self.used.q.val().get_bit(self.show_at.val().index()) {
            if self.chooses.val().word == bits::<3>(0) {
                self.tells.d.next = self.shows_address.val().get_bits::<32>(0);
            }
            if self.chooses.val().word == bits::<3>(1) {
                self.tells.d.next = self.shows_address.val().get_bits::<32>(32);
            }
            if self.chooses.val().word == bits::<3>(2) {
                self.tells.d.next = self.shows_address.val().get_bits::<32>(64);
            }
            if self.chooses.val().word == bits::<3>(3) {
                self.tells.d.next = self.shows_address.val().get_bits::<32>(96);
            }
            if self.chooses.val().word == bits::<3>(4) {
                self.tells.d.next = bit_cast::<32, 27>(self.shows.val().rule);
            }
        }
        self.told.next = self.tells.q.val();

        // 0: a rule is read.
        self.rules.read_address.next = self.at.q.val();
        self.at.d.next = self.at.q.val() + bits::<4>(1);
        if self.at.q.val().all() {
            self.runs.d.next = false;
        }
        self.rule1.d.next = self.rules.read_data.val();
        self.on1.d.next = self.runs.q.val() & self.used.q.val().get_bit(self.at.q.val().index());
        // 1: its address and DSCP are compared.
        self.bits1.next = self.rule1.q.val().rule.into();
        self.prefix1.next = self.bits1.val().prefix;
        self.length1.next = self.prefix1.val().get_bits::<5>(3);
        match self.prefix1.val().get_bits::<3>(0).index() {
            0 => {
                self.partial1.next = bits::<8>(0x00);
            }
            1 => {
                self.partial1.next = bits::<8>(0x80);
            }
            2 => {
                self.partial1.next = bits::<8>(0xc0);
            }
            3 => {
                self.partial1.next = bits::<8>(0xe0);
            }
            4 => {
                self.partial1.next = bits::<8>(0xf0);
            }
            5 => {
                self.partial1.next = bits::<8>(0xf8);
            }
            6 => {
                self.partial1.next = bits::<8>(0xfc);
            }
            _ => {
                self.partial1.next = bits::<8>(0xfe);
            }
        }
        self.difference1.next = self.rule1.q.val().address ^ self.asked_address.q.val();
        for i in 0..16 {
            self.masks[i].next = bits::<8>(0);
            if self.length1.val() > self.nth[i].val() {
                self.masks[i].next = bits::<8>(0xff);
            }
            if self.length1.val() == self.nth[i].val() {
                self.masks[i].next = self.partial1.val();
            }
            self.differs2[i].d.next = (self.difference1.val().get_bits::<8>(8 * i) & self.masks[i].val()).any();
        }
        self.fits2.d.next = !self.bits1.val().by_dscp | (self.bits1.val().dscp == self.asked_dscp.q.val());
        self.on2.d.next = self.on1.q.val();
        self.profile2.d.next = self.bits1.val().profile;
        self.priority2.d.next = self.bits1.val().priority;
        // 2: the first one decides.
        self.far2[0].next = false;
        for i in 0..16 {
            self.far2[i + 1].next = self.far2[i].val() | self.differs2[i].q.val();
        }
        if (self.on2.q.val() & self.fits2.q.val()) & (!self.far2[16].val() & !self.hit.q.val()) {
            self.hit.d.next = true;
            self.given_profile.d.next = self.profile2.q.val();
            self.given_priority.d.next = self.priority2.q.val();
        }
        self.ask.hit.next = self.hit.q.val();
        self.ask.profile.next = self.given_profile.q.val();
        self.ask.priority.next = self.given_priority.q.val();

        // A question.
        if self.ask.valid.val() {
            self.asked_address.d.next = self.ask.address.val();
            self.asked_dscp.d.next = self.ask.dscp.val();
            self.at.d.next = bits::<4>(0);
            self.runs.d.next = true;
            self.on1.d.next = false;
            self.on2.d.next = false;
            self.hit.d.next = false;
        }
        if self.rst.val() {
            self.used.d.next = bits::<16>(0);
            self.runs.d.next = false;
            self.on1.d.next = false;
            self.on2.d.next = false;
            self.hit.d.next = false;
        }
    }
}
