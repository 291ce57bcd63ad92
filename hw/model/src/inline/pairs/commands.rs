//! Commands of the host to the table of queue pairs.
use crate::csr::Settings;
use crate::queue_pairs::{Command, Key, Out, Status, Told, Verb};
use timely_regs::map::roce;

/// A command under way, and the outcome of the last one.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// Purpose of the last command that the table was offered.
    verb: Option<Verb>,
    /// Waits until the table takes it.
    offered: bool,
    /// The table has it.
    runs: bool,
    outcome: u8,
    flow: u32,
    /// Findings of the last command: an address, the remote queue pair, whether a command set that,
    /// and the local one.
    address: u128,
    remote: Option<u32>,
    pinned: bool,
    local: Option<u32>,
    /// An answer to this port whose pair is not joined, which waits to be taken; it stays here
    /// behind that.
    answer: Key,
    waits: bool,
}

impl Commands {
    /// `roce::STATUS`; `held` says that the table is not in use.
    pub fn status(&self, held: bool) -> u32 {
        let busy = held || self.offered || self.runs;
        u32::from(busy) << roce::BUSY.low
            | 1 << roce::PRESENT.low
            | u32::from(self.outcome) << roce::OUTCOME.low
            | self.flow << roce::FLOW.low
    }

    /// The words of `roce::TOLD`.
    pub fn told(&self) -> [u32; roce::TOLD_WORDS as usize] {
        let number = |n: Option<u32>| n.map_or(0, |n| n | 1 << roce::TOLD_KNOWN.low);
        let [a, b, c, d] = [0, 32, 64, 96].map(|at| (self.address >> at) as u32);
        [a, b, c, d, number(self.remote) | u32::from(self.pinned) << roce::TOLD_PINNED.low, number(self.local)]
    }

    /// No command waits for the table.
    pub fn is_idle(&self) -> bool {
        !self.offered
    }

    /// The last command reads, and sets no pair.
    pub fn reads(&self) -> bool {
        self.verb == Some(Verb::Read)
    }

    /// The command for the table.
    pub fn offered(&self, c: &Settings) -> Option<Command> {
        let pair = if self.reads() { c.pair_flow.into() } else { c.pair_remote };
        self.verb.filter(|_| self.offered).map(|verb| Command {
            verb,
            key: Key { address: c.pair_address, pair },
            local: (c.pair_local >> roce::LOCAL_GIVEN.low & 1 == 1).then_some(c.pair_local & roce::LOCAL_PAIR.mask()),
            profile: c.pair_set_profile,
        })
    }

    /// A clock: a register that was written, an answer whose pair is not joined, and what the table
    /// shows.
    pub fn step(&mut self, held: bool, written: Option<(u32, u32)>, unknown: Option<Key>, table: &Out) {
        if self.offered && table.ready {
            (self.offered, self.runs) = (false, true);
        }
        if let Some((status, flow)) = table.reply {
            (self.runs, self.outcome, self.flow) = (false, status as u8, flow);
        }
        let waited = self.waits;
        if let Some((_, data)) = written.filter(|w| w.0 == roce::COMMAND.word()) {
            (self.remote, self.pinned, self.local) = (None, false, None);
            if data == roce::TAKE {
                (self.outcome, self.flow) = (if self.waits { Status::Done } else { Status::Absent } as u8, 0);
                (self.address, self.local) = (self.answer.address, waited.then_some(self.answer.pair));
                self.waits = false;
            } else {
                self.offered = true;
                self.verb = Some(match data {
                    roce::REMOVE => Verb::Remove,
                    roce::JOIN => Verb::Join,
                    roce::READ => Verb::Read,
                    _ => Verb::Set,
                });
            }
        }
        match table.told {
            Some(Told::Own(key, pinned)) => (self.address, self.remote, self.pinned) = (key.address, Some(key.pair), pinned),
            Some(Told::Local(key)) => self.local = Some(key.pair),
            None => {}
        }
        if let Some(key) = unknown.filter(|_| !waited) {
            (self.answer, self.waits) = (key, true);
        }
        if held {
            *self = Commands { verb: self.verb, answer: self.answer, ..Commands::default() };
        }
    }
}
