//! Rules by which queue pairs that are learned get a profile and a priority:
//! `timely_hw::roce::queue_pairs::rules`.
use crate::Block;
use std::collections::VecDeque;
use timely_regs::map::roce;

/// Clocks from a question until the last rule was looked at.
pub const RULE_LATENCY: u64 = roce::RULES as u64 + 3;

/// Profile and priority of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Given {
    /// Profile, 0 to 15.
    pub profile: u8,
    /// Priority, 0 to 7.
    pub priority: u8,
}

/// A rule as the host wrote it.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    /// `roce::RULE`.
    word: u32,
    /// `roce::ADDRESS`, byte 0 lowest.
    address: u128,
}

impl Rule {
    fn is_used(self) -> bool {
        roce::RULE_USED.get(&[self.word]) == 1
    }

    /// Profile and priority of a pair that a packet to `address` with this DSCP makes known.
    fn of(self, address: u128, dscp: u8) -> Option<Given> {
        let get = |field: timely_regs::field::Field| field.get(&[self.word]);
        let same = (address ^ self.address).swap_bytes().leading_zeros();
        let by_dscp = get(roce::RULE_BY_DSCP) == 0 || get(roce::RULE_DSCP) == dscp.into();
        let given = Given { profile: get(roce::RULE_PROFILE) as u8, priority: get(roce::RULE_PRIORITY) as u8 };
        (self.is_used() && same >= get(roce::RULE_BITS).min(128) && by_dscp).then_some(given)
    }
}

/// Inputs of the rules at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset: no rule is in use.
    pub rst: bool,
    /// `roce::RULE` is written, with this.
    pub write: Option<u32>,
    /// `roce::ADDRESS`.
    pub address: u128,
    /// `roce::TOLD_WORD`.
    pub word: u8,
    /// Address and DSCP of a pair that is about to be learned.
    pub ask: Option<(u128, u8)>,
}

/// Outputs of the rules at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Out {
    /// By the first rule that is for the last question's pair, of those that were looked at.
    pub given: Option<Given>,
    /// The word of a rule that was asked for a clock ago, 0 if the rule is not in use.
    pub told: u32,
}

/// Sixteen rules, of which one a clock is looked at.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: [Rule; roce::RULES as usize],
    /// The question, and the next rule to be looked at.
    ask: Option<(u128, u8, usize)>,
    /// Answers of rules, by the clock at which they show.
    found: VecDeque<(u64, Given)>,
    given: Option<Given>,
    word: u8,
    told: u32,
}

impl Rules {
    fn tell(&self, word: u8) -> u32 {
        let word = [word.into()];
        let rule = self.rules[roce::SHOWN_RULE.get(&word) as usize];
        match roce::WORD.get(&word) {
            _ if !rule.is_used() => 0,
            roce::TOLD_RULE => rule.word,
            part @ 0..4 => (rule.address >> (32 * part)) as u32,
            _ => 0,
        }
    }
}

impl Block for Rules {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let due = self.found.front().filter(|f| f.0 <= clk).map(|f| f.1);
        Out { given: self.given.or(due), told: self.told }
    }

    fn step(&mut self, clk: u64, i: &In) {
        self.given = self.output(clk).given;
        (self.word, self.told) = (i.word, self.tell(i.word));
        if let Some((address, dscp, at)) = self.ask {
            self.found.extend(self.rules[at].of(address, dscp).map(|given| (clk + 3, given)));
            self.ask = Some((address, dscp, at + 1)).filter(|a| a.2 < self.rules.len());
        }
        if i.ask.is_some() || i.rst {
            self.ask = i.ask.map(|(address, dscp)| (address, dscp, 0)).filter(|_| !i.rst);
            self.found.clear();
            self.given = None;
        }
        if let Some(word) = i.write {
            self.rules[roce::RULE_INDEX.get(&[word]) as usize] = Rule { word, address: i.address };
        }
        if i.rst {
            self.rules = Default::default();
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.ask.is_some() || self.told != self.tell(self.word) { clk } else { u64::MAX }
    }
}
